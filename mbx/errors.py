"""The exceptions of mbx; all are kinds of built-in ones."""


class IllegalMoveError(ValueError):
    """A move that is not legal in the position."""


class GameOverError(ValueError):
    """Something was asked of a finished position that only makes sense before the end."""


class TooLargeError(MemoryError):
    """A job that would not fit; it was refused before memory was taken."""

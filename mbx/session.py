"""A game in play: its position, and moves that are taken back and made again."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import GameOverError
from .notation import read_game, write_game
from .position import Position


class Session:
    """A game from a start, in which persons play some of the sides.

    position   the game as it stands
    persons    the sides (0, 1) that persons play; an AI plays the others
    resigned   the side that has given up, or None

    >>> from mbx import games
    >>> session = Session(games.CONNECT_FOUR.start(), persons=[0])
    >>> for move in (3, 2, 3):
    ...     session.play(move)
    >>> session.undo()  # the move of the person; there is no answer to it yet
    >>> session.position.moves
    [3, 2]
    >>> session.undo()
    >>> session.position.moves
    []
    """

    def __init__(self, start: Position, persons: Iterable[int] = (0, 1)) -> None:
        self._start = start.copy()
        self.persons = frozenset(persons)
        self.restart()

    def restart(self) -> None:
        """Begin a new game."""
        self._set(self._start.copy())

    def _set(self, position: Position) -> None:
        self.position = position
        self.resigned: int | None = None
        self._undone: list[int] = []

    @property
    def is_over(self) -> bool:
        """Has the game ended, on the board or by giving up?"""
        return self.position.status >= 0 or self.resigned is not None

    @property
    def is_persons_turn(self) -> bool:
        """Does a person play the side to move?  (Not asked whether the game goes on.)"""
        return self.position.turn in self.persons

    def play(self, move: int) -> None:
        """Play a move for the side to move; after IllegalMoveError nothing has changed."""
        self.check_goes_on()
        self.position.push(move)
        self._undone = []

    def check_goes_on(self) -> None:
        """GameOverError if the game is over."""
        if self.is_over:
            raise GameOverError("the game is over")

    def resign(self) -> None:
        """Give up: the person's side, or of two persons or AIs the side to move."""
        self.check_goes_on()
        [side] = self.persons if len(self.persons) == 1 else [self.position.turn]
        self.resigned = side

    def undo(self) -> None:
        """Go back to where a person was to move last; ValueError where there was none."""
        if self.resigned is not None:
            self.resigned = None
            return
        position, undone = self.position.copy(), list(self._undone)
        while position.moves:
            undone.append(position.pop())
            if self._may_stop(position):
                self.position, self._undone = position, undone
                return
        raise ValueError("there is no move to take back")

    def redo(self) -> None:
        """Make moves again that were taken back, up to where a person is to move."""
        if not self._undone or self.resigned is not None:
            raise ValueError("there is no move to make again")
        while self._undone:
            self.position.push(self._undone.pop())
            if self._may_stop(self.position):
                break

    def _may_stop(self, position: Position) -> bool:
        return not self.persons or position.turn in self.persons

    def record(self) -> str:
        """The game as text: see mbx/notation.py."""
        return write_game(self.position)

    def load(self, record: str) -> None:
        """Go to the end of a recorded game; ValueError if it is none, and nothing has changed."""
        self._set(read_game(self.position.game, record))

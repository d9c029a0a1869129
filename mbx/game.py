"""The rules of a k-in-a-row placement game."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .order import can_have_fallen
from .position import Position
from .text import parse_board


class Game(_core.Game):
    """A k-in-a-row game: `Game(shape, k, gravity=False)`.

    shape is (X, Y) or (X, Y, Z), at most 255 cells in all; the side that first has k stones in a
    row wins (a longer row wins too), a full board without one is a draw.  With gravity, stones
    fall along the last axis, whose 0 is the bottom.

    A cell is the int x + X*(y + Y*z).  A move is a cell, or under gravity a column: the cell of
    its bottom.  Games are immutable, hashable and equal when shape, k and gravity are.

    Attributes: shape, k, gravity, n_cells, n_moves; lines, a read-only uint8 array (n_lines, k) of
    cells; symmetries, a read-only uint8 array (n_symmetries, n_cells): the image of every cell.

    Raises TypeError for a wrong type, ValueError for a side or k below 1 or too many cells.

    >>> connect_four = Game((7, 6), 4, gravity=True)
    >>> len(connect_four.lines), connect_four.n_moves
    (69, 7)
    """

    __slots__ = ()

    def start(self) -> Position:
        """The empty board, the first side to move."""
        return Position(self)

    def position(self, moves: Iterable[int] | str = ()) -> Position:
        """The position after `moves` from the start.

        moves are ints, or for a flat gravity game a string of 1-based columns like "4455".
        Raises IllegalMoveError, TypeError, and ValueError for a string that has no such meaning.
        """
        position = self.start()
        for move in self._read_columns(moves) if isinstance(moves, str) else moves:
            position.push(move)
        return position

    def _read_columns(self, moves: str) -> list[int]:
        if not self.gravity or len(self.shape) != 2:
            raise ValueError(f"moves may be a string under gravity on a flat board only: {moves!r}")
        if not all(mark in "123456789" for mark in moves):
            raise ValueError(f"moves must be digits, the columns from 1, not {moves!r}")
        return [int(mark) - 1 for mark in moves]

    def from_text(self, text: str, symbols: str = "ox") -> Position:
        """The position of a text: rows from the top, '.' empty, symbols[0] the side moving first.

        Rows are split by '/' or newlines, layers (the bottom one first) by '//' or a blank line.
        Raises ValueError for a text of another shape or a board that play cannot lead to.

        >>> Game((3, 3), 3).from_text("XO./.../...", symbols="XO").turn
        0
        """
        return self._set_up(parse_board(text, self, symbols))

    def from_array(self, array: ArrayLike) -> Position:
        """The position of an integer array [y, x] or [z, y, x]: -1 empty, 0 first, 1 second.

        The array is copied.  Raises TypeError for an array that is not of integers, ValueError for
        another shape, other values or a board that play cannot lead to.
        """
        board = np.asarray(array)
        if board.dtype.kind not in "iu":
            raise TypeError(f"array must be of integers, not of {board.dtype}")
        if board.shape != self.shape[::-1]:
            raise ValueError(f"array must have the shape {self.shape[::-1]}, not {board.shape}")
        if not np.isin(board, (-1, 0, 1)).all():
            raise ValueError("array must hold -1 (empty), 0 (first side) and 1 (second side) only")
        return self._set_up(np.ascontiguousarray(board, np.int8))

    def _set_up(self, board: NDArray[np.int8]) -> Position:
        position = Position(self, board)
        if self.gravity and not can_have_fallen(board, position.completing_cells()):
            raise ValueError("the stones cannot have fallen in turn: no play leads there")
        return position

"""A position of a game: the board, whose turn it is, and the moves that led there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .text import format_position


class Position(_core.Position):
    """A mutable position, made by Game.start, position, from_text or from_array.

    Attributes: game; turn, 0 or 1, the side to move; ply, the number of stones; status, -1 while
    playing, else the outcome 0 (first side wins), 1 (second), 2 (draw); legal_moves, an ascending
    int32 array; moves, the list of moves since set-up; last_cell; key, an int to use in dicts and
    sets in place of the position itself, which is mutable and so not hashable.

    Positions are equal when game, board and turn are; the moves that led there do not count.

    >>> from mbx import games
    >>> position = games.MARUBATSU.position([4, 0])
    >>> position.push(8)
    >>> print(position)
    x..
    .o.
    ..o
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _completed_lines(self) -> NDArray[np.uint8]:
        lines: NDArray[np.uint8] = self.game.lines
        if self.status not in (0, 1):
            return lines[:0]
        return lines[(self.to_array().ravel()[lines] == self.status).all(axis=1)]

    def winning_cells(self) -> list[int]:
        """The cells of the completed lines, ascending; [] where no side has won."""
        cells: list[int] = np.unique(self._completed_lines()).tolist()
        return cells

    def completing_cells(self) -> list[int]:
        """The cells where the last stone may have completed all lines; [] where no side has won."""
        lines = self._completed_lines()
        cells, counts = np.unique(lines, return_counts=True)
        board = self.to_array().ravel()
        step = self.game.n_moves if self.game.gravity else len(board)
        return [
            cell
            for cell, count in zip(cells.tolist(), counts.tolist(), strict=True)
            if count == len(lines) and (cell + step >= len(board) or board[cell + step] < 0)
        ]

    def __str__(self) -> str:
        return format_position(self)

    def __repr__(self) -> str:
        rows = str(self).replace("\n", "/")
        return f"{self.game!r}.from_text({rows!r})"

    def _repr_svg_(self) -> str:
        from .svg import position_svg

        return position_svg(self)

    def __copy__(self) -> Position:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[Any, ...]]:
        start = self.copy()
        for _ in start.moves:
            start.pop()
        return _restore, (type(self), self.game, start.to_array(), self.moves)


def _restore(kind: type[Position], game: _core.Game, cells: Any, moves: list[int]) -> Position:
    position = kind(game, cells)
    for move in moves:
        position.push(move)
    return position

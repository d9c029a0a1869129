"""A board drawn with characters, for a person who plays.

    flat board       x above and y beside it, from 0
    flat, gravity    the columns under it, from 1
    solid board      the layers side by side, z = 0 first; x above, y beside them

The stone of the last move stands in (), those of completed lines in [].
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .notation import has_columns

if TYPE_CHECKING:
    from .position import Position

GAP = "   "  # between layers
PLAIN, LAST, WINNING = 0, 1, 2
OPENING, CLOSING = " ([", " )]"

# Codes of ANSI terminals
GREY = "2"
STONES = ("31", "36")  # red, cyan
EMPHASES = ("", ";1", ";7")  # bold, reversed


def draw_board(position: Position, *, colour: bool = False, width: int = 80) -> str:
    """The board with coordinates, layers wrapping at a width; colour: with ANSI escape codes.

    >>> from mbx import games
    >>> print(draw_board(games.MARUBATSU.position([0, 4])))
        0  1  2
     0  o  .  .
     1  . (x) .
     2  .  .  .
    """
    layers = _Layers(position, colour)
    if has_columns(position.game):
        rows = layers.rows(0)[::-1]
        labels = layers.labels(range(1, position.game.n_moves + 1))
        return _join([["  "] * (len(rows) + 1), [*rows, labels]], "")

    blocks = [layers.block(z) for z in range(layers.number)]
    side = layers.side()
    abreast = max((width - 3 + len(GAP)) // (layers.width + len(GAP)), 1)
    return "\n\n".join(
        _join([side, *blocks[first : first + abreast]], GAP)
        for first in range(0, len(blocks), abreast)
    )


def _join(blocks: list[list[str]], gap: str) -> str:
    """Blocks of lines side by side, the first one without a gap after it."""
    lines = zip(*blocks, strict=True)
    return "\n".join(f"{side}{gap.join(rest)}".rstrip() for side, *rest in lines)


class _Layers:
    """Lines of the layers of a board; each is `width` characters wide on the screen."""

    def __init__(self, position: Position, colour: bool) -> None:
        columns, self._n_rows = position.game.shape[:2]
        board = position.to_array()
        marked = np.full(board.shape, PLAIN)
        if position.last_cell is not None:
            marked.flat[position.last_cell] = LAST
        marked.flat[position.winning_cells()] = WINNING
        self._is_solid = board.ndim == 3
        self._board = board.reshape(-1, self._n_rows, columns).tolist()
        self._marked = marked.reshape(-1, self._n_rows, columns).tolist()
        self._colour = colour
        self._pitch = max(len(str(columns)) + 1, 2 if self._is_solid else 3)
        self._columns = columns
        self.number = len(self._board)
        self.width = max((columns - 1) * self._pitch + 3, len(f" z={self.number}"))

    def block(self, z: int) -> list[str]:
        """A layer with its columns' numbers above it, and its own where there are several."""
        title = [f" z={z}".ljust(self.width)] if self._is_solid else []
        return [*title, self.labels(range(self._columns)), *self.rows(z)]

    def side(self) -> list[str]:
        """What stands left of blocks: the numbers of the rows."""
        numbers = [self._paint(f"{y:>2} ", GREY) for y in range(self._n_rows)]
        return ["   "] * (1 + self._is_solid) + numbers

    def labels(self, numbers: Iterable[int]) -> str:
        """Numbers of the columns."""
        text = "".join(f"{number:>{self._pitch}}" for number in numbers)[self._pitch - 2 :]
        return self._paint(text.ljust(self.width), GREY)

    def rows(self, z: int) -> list[str]:
        """The rows of a layer, y = 0 first."""
        rows = zip(self._board[z], self._marked[z], strict=True)
        return [self._row(stones, marked) for stones, marked in rows]

    def _row(self, stones: list[int], marked: list[int]) -> str:
        cells = [
            self._paint(".ox"[stone + 1], GREY if stone < 0 else STONES[stone] + EMPHASES[mark])
            for stone, mark in zip(stones, marked, strict=True)
        ]
        sizes = [1, *[self._pitch - 1] * (len(cells) - 1), 1]
        sides = pairwise([PLAIN, *marked, PLAIN])
        edges = [_edge(a, b, size) for (a, b), size in zip(sides, sizes, strict=True)]
        row = "".join(edge + cell for edge, cell in zip(edges, [*cells, ""], strict=True))
        return row + " " * (self.width - sum(sizes) - len(cells))

    def _paint(self, text: str, style: str) -> str:
        return f"\033[{style}m{text}\033[0m" if self._colour else text


def _edge(left: int, right: int, size: int) -> str:
    """What stands between two cells, as they are marked."""
    closing, opening = (" ", " ") if left == right else (CLOSING[left], OPENING[right])
    if size == 1:
        return closing.strip() or opening
    return closing + " " * (size - 2) + opening

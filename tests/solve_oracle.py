"""A slow solver of any game, written from the rules alone: it uses nothing of mbx."""

from __future__ import annotations

from functools import lru_cache
from itertools import product


class Oracle:
    """Scores of positions, given as a tuple of cells: -1 empty, 0 first, 1 second."""

    def __init__(self, shape, k, gravity=False):
        self.sides = (*shape, 1)[:3]
        self.n_cells = self.sides[0] * self.sides[1] * self.sides[2]
        self.height = shape[-1] if gravity else 1
        self.n_moves = self.n_cells // self.height
        self.lines = {frozenset(line) for line in self._lines(k)}
        self.score = lru_cache(maxsize=None)(self._score)

    def _lines(self, k):
        width, depth, height = self.sides
        for start in product(range(width), range(depth), range(height)):
            for step in product((-1, 0, 1), repeat=3):
                if step == (0, 0, 0) and k > 1:
                    continue
                cells = [
                    tuple(a + i * s for a, s in zip(start, step, strict=True)) for i in range(k)
                ]
                if all(0 <= a < n for cell in cells for a, n in zip(cell, self.sides, strict=True)):
                    yield [x + width * (y + depth * z) for x, y, z in cells]

    def children(self, cells):
        """The moves and the positions after them."""
        side = sum(cell >= 0 for cell in cells) % 2
        for move in range(self.n_moves):
            column = range(move, self.n_cells, self.n_moves) if self.height > 1 else [move]
            empty = [cell for cell in column if cells[cell] < 0]
            if empty:
                yield move, (*cells[: empty[0]], side, *cells[empty[0] + 1 :])

    def is_won(self, cells):
        """Has the side that moved last a line?"""
        side = (sum(cell >= 0 for cell in cells) + 1) % 2
        return any(all(cells[cell] == side for cell in line) for line in self.lines)

    def _score(self, cells):
        stones = sum(cell >= 0 for cell in cells)
        if stones and self.is_won(cells):
            return -((self.n_cells + 1 - (stones - 1)) // 2)
        if stones == self.n_cells:
            return 0
        return max(-self.score(child) for _, child in self.children(cells))

    def scores(self, cells):
        """The score of every legal move, ascending by move."""
        return [-self.score(child) for _, child in self.children(cells)]

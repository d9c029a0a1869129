"""Random playouts in plain Python: what `bench` holds the kernels against.

The loop that one writes by hand, with care: a list of the moves that are left, a swap to draw one
of them, and for either side and line the number of its stones, so that a stone is compared with the
lines through it only.
"""

from __future__ import annotations

from random import random

from .game import Game


class Player:
    """Plays random games of one game from the empty board."""

    def __init__(self, game: Game) -> None:
        self._k = game.k
        self._n_cells = game.n_cells
        self._n_moves = game.n_moves
        lines: list[list[int]] = game.lines.tolist()
        self._n_lines = len(lines)
        self._through: list[list[int]] = [[] for _ in range(game.n_cells)]
        for number, line in enumerate(lines):
            for cell in line:
                self._through[cell].append(number)

    def play(self) -> tuple[int, int]:
        """A random game: its first move, and its outcome (0 first wins, 1 second wins, 2 draw)."""
        n_moves, n_cells, k, through = self._n_moves, self._n_cells, self._k, self._through
        stones = [0] * self._n_lines, [0] * self._n_lines
        columns = list(range(n_moves))  # a cell is a column of height 1 where there is no gravity
        next_cell = list(range(n_moves))
        first = -1
        for ply in range(n_cells):
            i = int(random() * len(columns))
            move = columns[i]
            cell = next_cell[move]
            next_cell[move] += n_moves
            if cell + n_moves >= n_cells:  # the column is full
                columns[i] = columns[-1]
                columns.pop()
            if ply == 0:
                first = move
            side = ply & 1
            mine = stones[side]
            for line in through[cell]:
                mine[line] += 1
                if mine[line] == k:
                    return first, side
        return first, 2

    def counts(self, number: int) -> list[list[int]]:
        """The numbers of games by first move and outcome, of so many games."""
        counts = [[0, 0, 0] for _ in range(self._n_moves)]
        for _ in range(number):
            first, outcome = self.play()
            counts[first][outcome] += 1
        return counts

"""The search of docs/alphabeta.md in slow, plain Python: as the text says it, and no faster.

A board is a tuple as in reference.py.  Positions are not finished unless it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reference import Board, Rules, landing_cell, play, turn

WIN = 100_000_000
LIMIT = 99_999_000  # all evaluations are less than that in size


def later(score: int) -> int:
    """The same score, one ply later."""
    return score - 1 if score >= LIMIT else score + 1 if score <= -LIMIT else score


def open_moves(rules: Rules, board: Board) -> list[int]:
    return [m for m in range(rules.n_moves) if board[rules.cells_under(m)[-1]] == -1]


def completes(rules: Rules, board: Board, cell: int, side: int) -> bool:
    """Would a stone of the side on this empty cell complete a line?"""
    return any(
        all(board[c] == side for c in line if c != cell) for line in rules.lines_through[cell]
    )


def completing_cells(rules: Rules, board: Board, side: int) -> set[int]:
    """The empty cells where a stone of the side completes a line, also those it cannot reach."""
    found = set()
    for line in rules.lines:
        marks = [board[c] for c in line]
        if -1 in marks and marks.count(side) == rules.k - 1:
            found.add(line[marks.index(-1)])
    return found


def completing_moves(rules: Rules, board: Board, side: int) -> list[int]:
    cells = completing_cells(rules, board, side)
    return [m for m in open_moves(rules, board) if landing_cell(rules, board, m) in cells]


# -- evaluations


def line_worth(stones: Sequence[int], weights: Sequence[int]) -> int:
    """Of a line with these cells, to the first side."""
    first, second = stones.count(0), stones.count(1)
    if first and not second:
        return weights[first - 1]
    if second and not first:
        return -weights[second - 1]
    return 0


def line_evaluation(
    rules: Rules, board: Board, weights: Sequence[int], side: int | None = None
) -> int:
    """For the side, or the one to move; no line is complete."""
    value = sum(line_worth([board[c] for c in line], weights) for line in rules.lines)
    return value if (turn(board) if side is None else side) == 0 else -value


def parity_side(rules: Rules, cell: int) -> int:
    """Who fills the cell, under gravity, when all other columns are full."""
    height, level = rules.shape[-1], cell // rules.n_moves
    return (rules.n_cells - height + level) % 2


def threat_worth(rules: Rules, board: Board, cell: int, side: int, threats: Sequence[int]) -> int:
    """Of an empty cell that completes a line for the side, to that side."""
    below = cell - rules.n_moves
    if not rules.gravity or below < 0 or board[below] != -1:
        return threats[0]
    return threats[1] if parity_side(rules, cell) == side else threats[2]


def threat_evaluation(
    rules: Rules,
    board: Board,
    weights: Sequence[int],
    threats: Sequence[int],
    side: int | None = None,
) -> int:
    """For the side, or the one to move; no line is complete."""
    side = turn(board) if side is None else side
    value = line_evaluation(rules, board, weights, side)
    for owner in (0, 1):
        for cell in completing_cells(rules, board, owner):
            worth = threat_worth(rules, board, cell, owner, threats)
            value += worth if owner == side else -worth
    return value


# -- the value to a depth


@dataclass(frozen=True)
class Minimax:
    """V(P, d) of docs/alphabeta.md; `evaluate` is for the side to move."""

    rules: Rules
    evaluate: Callable[[Board], int]
    extend: bool = False

    def value(self, board: Board, depth: int) -> int:
        if self.extend:
            if completing_moves(self.rules, board, turn(board)):
                return WIN - 1
            threats = completing_moves(self.rules, board, 1 - turn(board))
            if len(threats) > 1:
                return -(WIN - 2)
            if len(threats) == 1:
                return self.move_value(board, threats[0], depth)
        if depth == 0:
            return self.evaluate(board)
        moves = open_moves(self.rules, board)
        return max(self.move_value(board, move, depth - 1) for move in moves)

    def move_value(self, board: Board, move: int, depth: int) -> int:
        """Of a move after which the search goes on to this depth."""
        if completes(self.rules, board, landing_cell(self.rules, board, move), turn(board)):
            return WIN - 1
        child = play(self.rules, board, move)
        return later(-self.value(child, depth)) if -1 in child else 0

    def move_values(self, board: Board, depth: int) -> dict[int, int]:
        """Of all moves, ascending, in a search to this depth; the largest is V(P, depth).

        With `extend`, the one reply to a threat is searched as deep as V says.
        """
        values = {m: self.move_value(board, m, depth - 1) for m in open_moves(self.rules, board)}
        if self.extend and not completing_moves(self.rules, board, turn(board)):
            threats = completing_moves(self.rules, board, 1 - turn(board))
            if len(threats) == 1:
                values[threats[0]] = self.move_value(board, threats[0], depth)
        return values


def count_nodes(rules: Rules, board: Board, depth: int) -> int:
    """Of plain minimax without `extend`."""
    if depth == 0:
        return 1
    nodes = 1
    for move in open_moves(rules, board):
        child = play(rules, board, move)
        ends = completes(rules, board, landing_cell(rules, board, move), turn(board))
        nodes += 1 if ends or -1 not in child else count_nodes(rules, child, depth - 1)
    return nodes


# -- symmetry


def image(symmetry: Sequence[int], board: Board) -> Board:
    """The board with every stone on the image of its cell."""
    marks = [-1] * len(board)
    for cell, mark in enumerate(board):
        marks[symmetry[cell]] = mark
    return tuple(marks)


def least_image(symmetries: Iterable[Sequence[int]], board: Board) -> tuple[Board, Sequence[int]]:
    """The least of all images, and the first symmetry that gives it."""
    pairs = [(image(symmetry, board), symmetry) for symmetry in symmetries]
    return min(pairs, key=lambda pair: pair[0])

"""The article's work in plain Python, as its readers would write it: what mbx is held against."""

from __future__ import annotations

import random
from copy import deepcopy

LINES = [
    ((0, 0), (1, 0), (2, 0)),
    ((0, 1), (1, 1), (2, 1)),
    ((0, 2), (1, 2), (2, 2)),
    ((0, 0), (0, 1), (0, 2)),
    ((1, 0), (1, 1), (1, 2)),
    ((2, 0), (2, 1), (2, 2)),
    ((0, 0), (1, 1), (2, 2)),
    ((0, 2), (1, 1), (2, 0)),
]


class Board:
    """A 3x3 board of marks; moves are (x, y)."""

    def __init__(self) -> None:
        self.marks = [["."] * 3 for _ in range(3)]
        self.turn, self.status, self.count = "o", "playing", 0

    def legal_moves(self) -> list[tuple[int, int]]:
        return [(x, y) for x in range(3) for y in range(3) if self.marks[x][y] == "."]

    def move(self, move: tuple[int, int]) -> None:
        x, y = move
        self.marks[x][y] = self.turn
        self.count += 1
        if any(all(self.marks[a][b] == self.turn for a, b in line) for line in LINES):
            self.status = self.turn
        elif self.count == 9:
            self.status = "draw"
        self.turn = "x" if self.turn == "o" else "o"


class Node:
    """A node of the game tree, with its board, score and chances of random play."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.children: dict[tuple[int, int], Node] = {}
        if board.status == "playing":
            for move in board.legal_moves():
                child = deepcopy(board)
                child.move(move)
                self.children[move] = Node(child)
        self.score, self.chances = self._evaluate()

    def _evaluate(self) -> tuple[int, dict[str, float]]:
        if not self.children:
            status = self.board.status
            score = {"o": 1, "x": -1, "draw": 0}[status]
            return score, {mark: float(mark == status) for mark in ("o", "x", "draw")}
        children = self.children.values()
        best = max if self.board.turn == "o" else min
        chances = {
            mark: sum(child.chances[mark] for child in children) / len(children)
            for mark in ("o", "x", "draw")
        }
        return best(child.score for child in children), chances

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children.values())


def playout(start: Board, n: int) -> dict[tuple[int, int], dict[str, int]]:
    """Random games from a board, counted by first move and outcome."""
    result = {move: {"o": 0, "x": 0, "draw": 0} for move in start.legal_moves()}
    for _ in range(n):
        board = deepcopy(start)
        first = None
        while board.status == "playing":
            move = random.choice(board.legal_moves())
            first = first or move
            board.move(move)
        assert first is not None
        result[first][board.status] += 1
    return result


def build_tree_after(moves: list[tuple[int, int]]) -> Node:
    """The tree below the position after some moves."""
    board = Board()
    for move in moves:
        board.move(move)
    return Node(board)

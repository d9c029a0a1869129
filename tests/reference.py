"""The rules and what follows from them, written a second time: slowly, and without mbx.

A board is a tuple with -1 (empty), 0 (first) or 1 (second) for every cell; cell (x, y, z) is
number x + X * (y + Y * z).  A move is a cell, or under gravity a column.  Functions of a board
take the `Rules` first.  `tree` lists a whole game tree with NumPy, layer by layer.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

Board = tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """A game: `args` are those of mbx.Game."""

    shape: tuple[int, ...]
    k: int
    gravity: bool = False

    def __str__(self) -> str:
        return "x".join(map(str, self.shape)) + f"k{self.k}" + "g" * self.gravity

    @property
    def args(self) -> tuple[tuple[int, ...], int, bool]:
        return self.shape, self.k, self.gravity

    @cached_property
    def coordinates(self) -> list[tuple[int, ...]]:
        return [c[::-1] for c in itertools.product(*map(range, reversed(self.shape)))]

    @cached_property
    def cell_of(self) -> dict[tuple[int, ...], int]:
        return {c: i for i, c in enumerate(self.coordinates)}

    @property
    def n_cells(self) -> int:
        return len(self.coordinates)

    @property
    def n_moves(self) -> int:
        return self.n_cells // self.shape[-1] if self.gravity else self.n_cells

    @property
    def start(self) -> Board:
        return (-1,) * self.n_cells

    def cells_under(self, move: int) -> range:
        """The cells that a move can fill, the first to be filled first."""
        return range(move, self.n_cells if self.gravity else move + 1, self.n_moves)

    @cached_property
    def lines(self) -> set[tuple[int, ...]]:
        """Every line as its ascending cells: a run of k cells from any cell in any direction."""
        found = set()
        steps = [s for s in itertools.product((-1, 0, 1), repeat=len(self.shape)) if any(s)]
        for cell, step in itertools.product(self.coordinates, steps):
            run = [tuple(c + i * s for c, s in zip(cell, step, strict=True)) for i in range(self.k)]
            if all(c in self.cell_of for c in run):
                found.add(tuple(sorted(self.cell_of[c] for c in run)))
        return found

    @cached_property
    def lines_through(self) -> list[list[tuple[int, ...]]]:
        return [[line for line in self.lines if cell in line] for cell in range(self.n_cells)]

    @cached_property
    def symmetries(self) -> set[tuple[int, ...]]:
        """Images of all cells under the axis permutations and reflections that keep the game."""
        axes = range(len(self.shape))
        found = set()
        for order in itertools.permutations(axes):
            for flips in itertools.product((False, True), repeat=len(axes)):
                if any(self.shape[a] != self.shape[order[a]] for a in axes):
                    continue
                if self.gravity and (order[-1] != axes[-1] or flips[-1]):
                    continue
                found.add(
                    tuple(
                        self.cell_of[
                            tuple(
                                self.shape[a] - 1 - c[order[a]] if flips[a] else c[order[a]]
                                for a in axes
                            )
                        ]
                        for c in self.coordinates
                    )
                )
        return found


GAMES = [
    Rules((3, 3), 3),
    Rules((3, 3), 3, True),
    Rules((5, 2), 3),
    Rules((4, 3), 3),
    Rules((4, 3), 4, True),
    Rules((3, 5), 3),
    Rules((5, 1), 3),
    Rules((1, 5), 3, True),
    Rules((1, 1), 1),
    Rules((2, 2), 3),
    Rules((3, 2), 1),
    Rules((4, 4), 4),
    Rules((7, 6), 4, True),
    Rules((7, 8), 4, True),
    Rules((8, 8), 4, True),
    Rules((8, 8), 5),
    Rules((2, 2, 2), 2),
    Rules((3, 3, 3), 3),
    Rules((2, 3, 4), 2, True),
    Rules((4, 4, 4), 4),
    Rules((4, 4, 4), 4, True),
    Rules((5, 5, 5), 5, True),
    Rules((15, 15), 5),
    Rules((1, 200), 4, True),
    Rules((51, 5), 5),
]


def turn(board: Board) -> int:
    return sum(mark >= 0 for mark in board) % 2


def winning_lines(rules: Rules, board: Board, side: int) -> list[tuple[int, ...]]:
    return [line for line in rules.lines if all(board[c] == side for c in line)]


@cache
def status(rules: Rules, board: Board) -> int:
    """-1 while playing, 0 or 1 for the side with a line, 2 for a draw."""
    for side in (0, 1):
        if winning_lines(rules, board, side):
            return side
    return -1 if -1 in board else 2


def legal_moves(rules: Rules, board: Board) -> list[int]:
    if status(rules, board) != -1:
        return []
    return [m for m in range(rules.n_moves) if board[rules.cells_under(m)[-1]] == -1]


def landing_cell(rules: Rules, board: Board, move: int) -> int:
    return next(c for c in rules.cells_under(move) if board[c] == -1)


def play(rules: Rules, board: Board, move: int) -> Board:
    cell = landing_cell(rules, board, move)
    return (*board[:cell], turn(board), *board[cell + 1 :])


def play_all(rules: Rules, moves: list[int]) -> Board:
    board = rules.start
    for move in moves:
        board = play(rules, board, move)
    return board


def key(rules: Rules, board: Board) -> int:
    return sum(1 << (c + rules.n_cells * mark) for c, mark in enumerate(board) if mark >= 0)


def array(rules: Rules, board: Board) -> np.ndarray:
    return np.array(board, dtype=np.int8).reshape(rules.shape[::-1])


def text(rules: Rules, board: Board) -> str:
    """Rows from the top; layers, the bottom one first, split by an empty row."""
    a = array(rules, board)
    flat_gravity = rules.gravity and a.ndim == 2
    layers = [a[::-1] if flat_gravity else a] if a.ndim == 2 else a
    return "\n\n".join(
        "\n".join("".join("ox."[mark] for mark in row) for row in layer) for layer in layers
    )


@cache
def reachable(rules: Rules) -> dict[Board, int]:
    """Every board that play reaches, with its status; only for small games."""
    found = {rules.start: status(rules, rules.start)}
    todo = [rules.start]
    while todo:
        board = todo.pop()
        for move in legal_moves(rules, board):
            child = play(rules, board, move)
            if child not in found:
                found[child] = status(rules, child)
                todo.append(child)
    return found


@cache
def outcome_probabilities(rules: Rules, board: Board) -> tuple[Fraction, Fraction, Fraction]:
    """Chances of (first, second, draw) when every move is drawn uniformly."""
    result = status(rules, board)
    if result != -1:
        return tuple(Fraction(int(result == i)) for i in range(3))
    rows = [outcome_probabilities(rules, play(rules, board, m)) for m in legal_moves(rules, board)]
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))


@cache
def minimax(rules: Rules, board: Board) -> int:
    """Value for the first side under best play: 1, 0 or -1."""
    result = status(rules, board)
    if result != -1:
        return (1, -1, 0)[result]
    values = [minimax(rules, play(rules, board, m)) for m in legal_moves(rules, board)]
    return min(values) if turn(board) else max(values)


def random_game(rules: Rules, rng: random.Random) -> list[int]:
    board, moves = rules.start, []
    while legal := legal_moves(rules, board):
        moves.append(rng.choice(legal))
        board = play(rules, board, moves[-1])
    return moves


def game_won_by(rules: Rules, line: tuple[int, ...], side: int, rng: random.Random) -> list[int]:
    """Moves of a game that ends when `side` completes `line`, and no line before."""
    for _ in range(500):
        marks, moves = [-1] * rules.n_cells, []
        while True:
            mover = len(moves) % 2
            move, cell, ends = _next_towards(rules, line, mover == side, marks, mover, rng)
            if move is None:
                break
            moves.append(move)
            marks[cell] = mover
            if ends:
                return moves
    raise AssertionError(f"no game found for {line} of {rules}")


def _next_towards(rules, line, attacks, marks, mover, rng):
    """A random (move, cell, completes `line`) that completes no other line; Nones if none is left.

    The attacker takes a cell of `line` when it can, the other side never does.
    """
    moves = rng.sample(range(rules.n_moves), rules.n_moves)
    cells = [next((c for c in rules.cells_under(m) if marks[c] == -1), None) for m in moves]
    options = [(c not in line, i) for i, c in enumerate(cells) if c is not None]
    for outside, i in sorted(options):
        cell = cells[i]
        if not outside and not attacks:
            continue
        ends = [
            other
            for other in rules.lines_through[cell]
            if all(c == cell or marks[c] == mover for c in other)
        ]
        if not ends or line in ends:
            return moves[i], cell, bool(ends)
    return None, None, None


@dataclass
class Tree:
    """All nodes breadth first: parents in order, moves ascending. Columns are indexed by node."""

    parent: np.ndarray
    move: np.ndarray
    depth: np.ndarray
    status: np.ndarray
    n_children: np.ndarray
    stones: np.ndarray  # (n, 2) bits of both sides
    layers: list[slice]
    first_turn: int

    @cached_property
    def first_child(self) -> np.ndarray:
        before = 1 + np.cumsum(self.n_children) - self.n_children
        return np.where(self.n_children > 0, before, -1)

    @cached_property
    def positions(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct rows of `stones`, and for every node which of them it shows."""
        pairs = np.ascontiguousarray(self.stones).view("u8,u8").ravel()
        _, first, index = np.unique(pairs, return_index=True, return_inverse=True)
        return self.stones[first], index.ravel()

    @cached_property
    def preorder(self) -> np.ndarray:
        """The depth-first number of every node."""
        size = self.fold(np.ones(len(self.parent), np.int64), (np.add, np.add), start=1)
        number = np.zeros(len(self.parent), np.int64)
        for layer in self.layers[1:]:
            earlier = np.cumsum(size[layer]) - size[layer]
            parent = self.parent[layer]
            first = self.first_child[parent] - layer.start
            number[layer] = number[parent] + 1 + earlier - earlier[first]
        return number

    def fold(self, leaf: np.ndarray, rule: tuple[np.ufunc, np.ufunc], start: int = 0):
        """Leaves keep their value; others get `start` plus their side's rule of the children."""
        out = leaf.copy()
        for depth in reversed(range(len(self.layers) - 1)):
            layer, below = self.layers[depth], self.layers[depth + 1]
            inner = layer.start + np.flatnonzero(self.n_children[layer])
            starts = self.first_child[inner] - below.start
            side = (depth + self.first_turn) % 2
            out[inner] = start + rule[side].reduceat(out[below], starts)
        return out


def tree(rules: Rules, board: Board | None = None) -> Tree:
    """The tree of every move sequence from `board` (at most 64 cells)."""
    board = rules.start if board is None else board
    lines = [np.uint64(sum(1 << c for c in line)) for line in rules.lines]
    full = np.uint64((1 << rules.n_cells) - 1)
    bits = [sum(1 << c for c, mark in enumerate(board) if mark == side) for side in (0, 1)]
    stones, parent, move = np.array([bits], np.uint64), np.array([-1]), np.array([255])
    columns, layers, n, side = [], [], 0, turn(board)
    while len(stones):
        occupied = stones[:, 0] | stones[:, 1]
        result = np.where(occupied == full, 2, -1)
        for line in lines:
            for mover in (0, 1):
                result[stones[:, mover] & line == line] = mover
        cells = np.full((len(stones), rules.n_moves), -1)
        for m in range(rules.n_moves):
            for cell in reversed(rules.cells_under(m)):
                free = occupied & np.uint64(1 << cell) == 0
                cells[free & (result == -1), m] = cell
        row, next_move = np.nonzero(cells >= 0)
        depth = np.full(len(stones), len(layers))
        columns.append((parent, move, depth, result, (cells >= 0).sum(axis=1), stones))
        layers.append(slice(n, n + len(stones)))
        stones = stones[row]
        stones[:, side] |= np.uint64(1) << cells[row, next_move].astype(np.uint64)
        parent, move, n, side = n + row, next_move, layers[-1].stop, 1 - side
    return Tree(*map(np.concatenate, zip(*columns, strict=True)), layers, turn(board))

"""The positions below a position, and what follows from them, slowly: the oracle of the graphs.

Built on `reference`: a board is a tuple, chances are Fractions, nothing is shared with mbx.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cached_property

import reference as ref
from reference import Board, Rules

Chances = tuple[Fraction, Fraction, Fraction]
Policy = Callable[[int], list[Fraction]]  # of a node, over its moves

WON = tuple(tuple(Fraction(int(i == outcome)) for i in range(3)) for outcome in range(3))
NAMES = ("uniform", "optimal", "optimal fastest", "pmc", "pmc score")


class Positions:
    """Every board that play reaches from `root`, ply by ply, and what holds for each.

    Lists have an entry a node, in an order of their own: `number` maps boards to nodes.
    """

    def __init__(self, rules: Rules, root: Board):
        self.rules, self.boards, self.number = rules, [root], {root: 0}
        self.status = [ref.status(rules, root)]
        self.moves: list[list[int]] = []
        self.children: list[list[int]] = []
        self.stones = sum(mark >= 0 for mark in root)
        for board in self.boards:  # grows meanwhile
            i = len(self.moves)
            legal = [] if self.status[i] != -1 else self._open(board)
            self.moves.append([move for move, _ in legal])
            self.children.append([self._child(board, cell) for _, cell in legal])

    def _open(self, board: Board) -> list[tuple[int, int]]:
        rows = ((m, self.rules.cells_under(m)) for m in range(self.rules.n_moves))
        return [(m, next(c for c in r if board[c] == -1)) for m, r in rows if board[r[-1]] == -1]

    def _child(self, board: Board, cell: int) -> int:
        side = ref.turn(board)
        child = (*board[:cell], side, *board[cell + 1 :])
        if child not in self.number:
            lines = self.rules.lines_through[cell]
            won = any(all(child[c] == side for c in line) for line in lines)
            self.number[child] = len(self.boards)
            self.boards.append(child)
            self.status.append(side if won else -1 if -1 in child else 2)
        return self.number[child]

    def __len__(self) -> int:
        return len(self.boards)

    @cached_property
    def ply(self) -> list[int]:
        return [sum(mark >= 0 for mark in board) for board in self.boards]

    @cached_property
    def turn(self) -> list[int]:
        return [ply % 2 for ply in self.ply]

    @cached_property
    def keys(self) -> list[int]:
        return [ref.key(self.rules, board) for board in self.boards]

    @cached_property
    def value(self) -> list[int]:
        """For the first side."""
        return [self._signed(i, self.result[i][0]) for i in range(len(self))]

    @cached_property
    def result(self) -> list[tuple[int, int]]:
        """(value for the side to move, plies to the end): win fast, lose slowly."""
        found: list[tuple[int, int]] = [(0, 0)] * len(self)
        for i in reversed(range(len(self))):
            if self.status[i] != -1:
                found[i] = (0 if self.status[i] == 2 else -1, 0)
            else:
                options = [(-found[c][0], found[c][1] + 1) for c in self.children[i]]
                found[i] = max(options, key=lambda o: (o[0], -o[0] * o[1]))
        return found

    def _signed(self, i: int, value: int) -> int:
        return -value if self.turn[i] else value

    @cached_property
    def games(self) -> list[int]:
        """The games that pass through or end at every node, by playing them all from the root."""
        into, out = [0] * len(self), [0] * len(self)
        into[0] = 1
        for i in range(len(self)):
            for c in self.children[i]:
                into[c] += into[i]
        for i in reversed(range(len(self))):
            out[i] = sum(out[c] for c in self.children[i]) if self.children[i] else 1
        return [a * b for a, b in zip(into, out, strict=True)]

    def games_by_enumeration(self) -> list[int]:
        """The same without a formula: only where there are few."""
        passed, path = [0] * len(self), [0]

        def walk() -> None:
            for c in self.children[path[-1]]:
                path.append(c)
                walk()
                path.pop()
            if not self.children[path[-1]]:
                for node in path:
                    passed[node] += 1

        walk()
        return passed

    @cached_property
    def random_play(self) -> list[Chances]:
        return self.outcomes(self.named("uniform"), self.named("uniform"))

    def outcomes(self, first: Policy, second: Policy) -> list[Chances]:
        """The chances from every node when the sides follow policies."""
        found: list[Chances] = [WON[2]] * len(self)
        for i in reversed(range(len(self))):
            if self.status[i] != -1:
                found[i] = WON[self.status[i]]
            else:
                chances = (first, second)[self.turn[i]](i)
                rows = [found[c] for c in self.children[i]]
                played = [(p, row) for p, row in zip(chances, rows, strict=True) if p]
                if len({p for p, _ in played}) == 1:  # the same sum, faster
                    p = played[0][0]
                    found[i] = tuple(p * sum(row[k] for _, row in played) for k in range(3))
                else:
                    found[i] = tuple(sum(p * row[k] for p, row in played) for k in range(3))
        return found

    def named(self, name: str) -> Policy:
        """One of NAMES: evenly among the moves of the highest rank."""

        def chances(i: int) -> list[Fraction]:
            ranks = [self._rank(name, i, c) for c in self.children[i]]
            best = [rank == max(ranks) for rank in ranks]
            return [Fraction(int(b), sum(best)) for b in best]

        return chances

    def _rank(self, name: str, i: int, child: int) -> object:
        if name == "uniform":
            return 0
        if name.startswith("optimal"):
            value, distance = self.result[child]
            return (-value, value * distance if name == "optimal fastest" else 0)
        shares = self.random_play[child]
        win, draw = shares[self.turn[i]], shares[2]
        return win + draw / 2 if name == "pmc score" else (win, draw)


def full_board(rules: Rules, rng: random.Random) -> Board:
    """A full board without a line: random marks, repaired line by line."""
    n = rules.n_cells
    while True:
        marks = [c % 2 for c in range(n)]
        rng.shuffle(marks)
        for _ in range(40 * n):
            lines = [x for x in rules.lines if len({marks[c] for c in x}) == 1]
            if not lines:
                return tuple(marks)
            cell = rng.choice(rng.choice(lines))
            other = rng.choice([c for c in range(n) if marks[c] != marks[cell]])
            marks[cell], marks[other] = marks[other], marks[cell]


def late(rules: Rules, empty: int, seed: int) -> Board:
    """A random board on which `empty` cells are left and nobody has won; some moves win."""
    rng = random.Random(seed)
    find = _played_on if rules.gravity else _emptied
    boards = [find(rules, empty, rng) for _ in range(5)]
    return max(boards, key=lambda board: _threats(rules, board))


def _emptied(rules: Rules, empty: int, rng: random.Random) -> Board:
    marks = list(full_board(rules, rng))
    for n in range(rules.n_cells, rules.n_cells - empty, -1):
        marks[rng.choice([c for c, mark in enumerate(marks) if mark == (n - 1) % 2])] = -1
    return tuple(marks)


def _played_on(rules: Rules, empty: int, rng: random.Random) -> Board:
    """By random moves that complete no line, from the start anew when there is none left."""
    while True:
        marks = [-1] * rules.n_cells
        for ply in range(rules.n_cells - empty):
            tops = (
                next((c for c in rules.cells_under(m) if marks[c] == -1), None)
                for m in range(rules.n_moves)
            )
            open_cells = [
                c
                for c in tops
                if c is not None
                and not any(
                    all(d == c or marks[d] == ply % 2 for d in x) for x in rules.lines_through[c]
                )
            ]
            if not open_cells:
                break
            marks[rng.choice(open_cells)] = ply % 2
        else:
            return tuple(marks)


def _threats(rules: Rules, board: Board) -> int:
    """Lines that lack one stone or two, the others being one side's: at most 2 are counted."""
    lines = itertools.chain.from_iterable(
        rules.lines_through[c] for c, mark in enumerate(board) if mark == -1
    )
    found = {x for x in lines if len({board[c] for c in x} - {-1}) == 1}
    return min(2, sum(sum(board[c] == -1 for c in x) <= 2 for x in found))


def denominators(rules: Rules, root: Board) -> list[int]:
    """By depth: e! where order of filling is free, else lcm(1 .. open columns) ** e."""
    empty = root.count(-1)
    columns = [sum(root[c] == -1 for c in rules.cells_under(m)) for m in range(rules.n_moves)]
    columns = [height for height in columns if height]
    if not rules.gravity or max(columns, default=1) == 1:
        return [math.factorial(e) for e in range(empty, -1, -1)]
    return [math.lcm(*range(1, len(columns) + 1)) ** e for e in range(empty, -1, -1)]


def orbit(board: Board, symmetries: Sequence[tuple[int, ...]]) -> set[Board]:
    """The images of a board."""
    return {tuple(board[c] for c in s) for s in symmetries}


def keeping(rules: Rules, root: Board) -> list[tuple[int, ...]]:
    """The symmetries of the game that leave `root` as it is."""
    return [s for s in rules.symmetries if tuple(root[c] for c in s) == root]


def played(shape: tuple[int, ...], k: int, gravity: bool, *moves: int) -> tuple[Rules, Board]:
    rules = Rules(shape, k, gravity)
    return rules, ref.play_all(rules, list(moves))


def rest(shape: tuple[int, ...], k: int, gravity: bool, empty: int) -> tuple[Rules, Board]:
    return Rules(shape, k, gravity), late(Rules(shape, k, gravity), empty, seed=1)


SMALL = [
    played((3, 3), 3, False, 4, 0),
    played((3, 3), 3, False, 0, 3, 1),  # second to move
    played((3, 3), 3, False, 0, 8, 4),  # symmetric, second to move
    played((3, 3), 3, False, 0, 3, 1, 4, 2),  # finished
    played((3, 3), 3, True),
    played((3, 3), 3, True, 1),
    played((3, 3), 3, True, 0, 1, 0, 1, 0),  # finished
    played((3, 2), 3, True, 0, 1, 2),  # columns with a free cell each: any order
    played((4, 2), 2, True, 0, 2),
    played((2, 3), 2, False),
    played((2, 2), 3, False),  # no line
    played((3, 2), 1, False),
    played((2, 2), 1, True),
    played((1, 1), 1, False),
    played((1, 1), 1, True),
    played((1, 1), 2, False),
    played((1, 1), 2, False, 0),  # finished
    played((1, 1, 1), 1, False),
    played((5, 1), 3, False),
    played((5, 1), 3, True),  # order is free under gravity too
    played((1, 5), 3, False),
    played((1, 6), 3, True),
    played((1, 6), 1, True),
    played((2, 1, 3), 3, True),
    played((2, 2, 2), 2, False),
    played((2, 2, 2), 2, True),
    played((2, 2, 2), 5, True, 3),
    played((3, 2, 2), 2, False, 5),
]
LATE = [
    rest((15, 15), 5, False, 6),
    rest((8, 8), 5, False, 5),
    rest((4, 4, 4), 4, False, 6),
    rest((5, 5, 5), 5, False, 6),
    rest((5, 4), 4, True, 8),
    rest((4, 5), 4, True, 8),
    rest((6, 3), 4, True, 7),
    rest((7, 6), 4, True, 10),
    rest((9, 9), 5, True, 7),
    rest((4, 4, 4), 4, True, 8),
    rest((5, 5, 5), 5, True, 8),
]
EARLY = [
    played((3, 3), 3, False),
    played((15, 15), 1, False),
    played((5, 5, 5), 1, True),
    played((9, 1), 2, False, 3),
]
CASES = SMALL + LATE + EARLY


def name(case: tuple[Rules, Board]) -> str:
    rules, board = case
    return f"{rules}-{board.count(-1)}of{rules.n_cells}"


@cache
def positions(rules: Rules, root: Board) -> Positions:
    return Positions(rules, root)

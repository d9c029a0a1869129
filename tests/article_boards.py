"""What a reader of the article series has: a Marubatsu over one of several board classes.

Moves are tuples, ints or bits; marks are strings or numbers.  `only` hides every name of an
object that mbx may not rely on.  ReaderTree is the reader's own game tree, made as it is walked.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import reference as ref


@dataclass(frozen=True)
class Kind:
    """How a board class writes its moves and marks."""

    moves: str
    CIRCLE: object
    CROSS: object
    EMPTY: object
    DRAW: object
    PLAYING: object

    def encode(self, x: int, y: int, size: int) -> object:
        number = y + size * x
        return {"tuple": (x, y), "int": number, "bits": 1 << number}[self.moves]

    def decode(self, move, size: int) -> tuple[int, int]:
        if self.moves == "tuple":
            return move
        return divmod(move if self.moves == "int" else move.bit_length() - 1, size)


NAMES = [
    "BOARD_SIZE",
    "CIRCLE",
    "CROSS",
    "DRAW",
    "PLAYING",
    "turn",
    "status",
    "calc_legal_moves",
    "board",
]
MARKS = {
    "text": ("o", "x", ".", "draw", "playing"),
    "from 0": (0, 1, -1, "draw", "playing"),
    "from 1": (1, 2, 0, 3, -1),
    "swapped": (1, 0, None, -1, 2),
}
KINDS = [Kind(moves, *marks) for moves in ("tuple", "int", "bits") for marks in MARKS.values()]


class ReaderBoard:
    def __init__(self, kind: Kind, size: int):
        self.kind, self.size = kind, size
        self.marks = [[kind.EMPTY] * size for _ in range(size)]
        self.MARK_TABLE = {kind.EMPTY: ".", kind.CIRCLE: "o", kind.CROSS: "x", kind.DRAW: "draw"}

    def getmark(self, x, y):
        return self.marks[x][y]

    def move_to_xy(self, move):
        return self.kind.decode(move, self.size)

    def rules_board(self) -> ref.Board:
        numbers = {self.kind.CIRCLE: 0, self.kind.CROSS: 1, self.kind.EMPTY: -1}
        return tuple(numbers[self.marks[x][y]] for y in range(self.size) for x in range(self.size))


class ReaderMarubatsu:
    def __init__(self, kind: Kind, moves=(), size: int = 3):
        self.BOARD_SIZE = size
        self.CIRCLE, self.CROSS, self.EMPTY = kind.CIRCLE, kind.CROSS, kind.EMPTY
        self.DRAW, self.PLAYING = kind.DRAW, kind.PLAYING
        self.board = ReaderBoard(kind, size)
        self.records = [kind.encode(0, 0, size)]
        self.move_count = 0
        self.update()
        for x, y in moves:
            self.move(kind.encode(x, y, size))

    def update(self):
        rules = ref.Rules((self.BOARD_SIZE,) * 2, self.BOARD_SIZE)
        status = ref.status(rules, self.board.rules_board())
        self.status = (self.CIRCLE, self.CROSS, self.DRAW, self.PLAYING)[status]
        self.turn = (self.CIRCLE, self.CROSS)[self.move_count % 2]
        self.last_move = self.records[self.move_count]

    def set(self, move, mark):
        x, y = self.board.move_to_xy(move)
        self.board.marks[x][y] = mark

    def move(self, move):
        assert move in self.calc_legal_moves()
        self.set(move, self.turn)
        self.move_count += 1
        if self.records[self.move_count : self.move_count + 1] != [move]:
            self.records[self.move_count :] = [move]
        self.update()

    def unmove(self):
        self.set(self.last_move, self.EMPTY)
        self.move_count -= 1
        self.update()

    def calc_legal_moves(self):
        size = range(self.BOARD_SIZE)
        return [
            self.board.kind.encode(x, y, self.BOARD_SIZE)
            for x in size
            for y in size
            if self.status == self.PLAYING and self.board.getmark(x, y) == self.EMPTY
        ]

    def __str__(self):
        table, size = self.board.MARK_TABLE, range(self.BOARD_SIZE)
        playing = self.status == self.PLAYING
        text = f"Turn {table[self.turn]}\n" if playing else f"winner {table[self.status]}\n"
        last = self.board.move_to_xy(self.last_move) if self.move_count else None
        for y in size:
            marks = [table[self.board.getmark(x, y)] for x in size]
            text += "".join(m.upper() if (x, y) == last else m for x, m in enumerate(marks)) + "\n"
        return text


class Only:
    """An object of which nothing but some names can be used."""

    def __init__(self, target, names, parts=()):
        object.__setattr__(self, "_Only__use", (target, frozenset(names), dict(parts)))

    def __getattribute__(self, name):
        target, names, parts = object.__getattribute__(self, "_Only__use")
        if name.startswith("__") and name not in ("__dict__", "__deepcopy__", "__reduce_ex__"):
            return object.__getattribute__(self, name)
        if name not in names:
            raise AttributeError(f"mbx may not use {name}")
        return parts.get(name) or getattr(target, name)

    def __setattr__(self, name, value):
        raise AttributeError(f"mbx may not set {name}")


def only(mb: ReaderMarubatsu) -> Only:
    """The names of an article object that mbx may use."""
    return Only(mb, NAMES, {"board": Only(mb.board, ["getmark", "move_to_xy"])})


class ReaderNode:
    def __init__(self, mb: ReaderMarubatsu):
        self.mb = mb

    @cached_property
    def playout_prob(self) -> dict:
        rules = ref.Rules((self.mb.BOARD_SIZE,) * 2, self.mb.BOARD_SIZE)
        chances = ref.outcome_probabilities(rules, self.mb.board.rules_board())
        marks = (self.mb.CIRCLE, self.mb.CROSS, self.mb.DRAW)
        return dict(zip(marks, map(float, chances), strict=True))

    @cached_property
    def children_by_move(self) -> dict:
        children = {}
        for move in self.mb.calc_legal_moves():
            mb = copy.deepcopy(self.mb)
            mb.move(move)
            children[move] = ReaderNode(mb)
        return children


class ReaderTree:
    """A tree from a position: of the whole game if that is the start."""

    def __init__(self, mb: ReaderMarubatsu):
        self.root = ReaderNode(copy.deepcopy(mb))

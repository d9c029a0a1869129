"""The stream of docs/stream.md in slow, plain Python: lane by lane, as the text says it.

`games` gives the playouts of a stream one after the other, move by move; `playouts` counts them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from reference import Board, Rules, status, turn

WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15
DRAW = 2

BATCH, GROUPS, GROUP_LANES = 64, 4, 16
GRAVITY_LANES = 64  # games of a block in lockstep under gravity


class Playout(NamedTuple):
    moves: list[int]  # up to the completed line; of a draw all
    outcome: int  # 0: first, 1: second, 2: draw
    both: bool = False  # the other side had a line too, one stone later: possible under gravity


# -- words


def block_size(rules: Rules) -> int:
    if rules.n_cells > 128:
        return 1024
    return 4096 if rules.gravity else 8192


def block_words(seed: int, row: int, block: int) -> list[int]:
    """K0 to K3: Philox by NumPy, which counts up before its first output."""
    counter = (block | row << 64) - 1 & 2**256 - 1
    return np.random.Philox(key=seed, counter=counter).random_raw(4).tolist()


def mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
    return z ^ z >> 31


def generator_state(key: list[int], number: int) -> tuple[int, int, int, int]:
    a, b, c = (mix((k + number * GAMMA) % WORD) for k in key[:3])
    return a, b, c, 1


def sfc64(a: int, b: int, c: int, counter: int) -> Iterator[int]:
    while True:
        w = (a + b + counter) % WORD
        counter = (counter + 1) % WORD
        rotated = (c << 24 | c >> 40) % WORD
        a, b, c = b ^ b >> 11, (c + (c << 3)) % WORD, (rotated + w) % WORD
        yield w


# -- games under way


class Game:
    """The stones of a playout; who has a line is looked at when `completes` is asked."""

    def __init__(self, rules: Rules, board: Board) -> None:
        self.rules = rules
        self.stones = [{c for c, mark in enumerate(board) if mark == side} for side in (0, 1)]
        self.turn = turn(board)
        self.moves: list[int] = []
        self.result: Playout | None = None

    @property
    def full(self) -> bool:
        return sum(map(len, self.stones)) == self.rules.n_cells

    def completes(self, cell: int, side: int) -> bool:
        """Whether `side`, with a stone on that cell, has a line through it."""
        return any(map(self.stones[side].issuperset, self.rules.lines_through[cell]))

    def place(self, cell: int) -> None:
        self.stones[self.turn].add(cell)
        self.turn = 1 - self.turn

    def take(self, cells: list[int]) -> None:
        """Without gravity: the next cells of the order, cut off at the first completed line."""
        for cell in cells:
            if self.result:
                return
            side = self.turn
            self.place(cell)
            self.moves.append(cell)
            if self.completes(cell, side):
                self.result = Playout(self.moves, side)
            elif self.full:
                self.result = Playout(self.moves, DRAW)

    def take_pair(self, columns: tuple[int | None, int | None]) -> None:
        """Under gravity: two draws, each a move or none, and only then a look at lines."""
        placed = []
        for column in columns:
            cell = None if column is None else self.landing_cell(column)
            if cell is not None:
                placed.append((self.turn, cell))
                self.place(cell)
                self.moves.append(column)
        winners = [(side, i) for i, (side, cell) in enumerate(placed) if self.completes(cell, side)]
        if winners:
            side, i = winners[0]  # the side that moved first, if both have a line
            thrown_away = len(placed) - 1 - i
            moves = self.moves[: len(self.moves) - thrown_away]
            self.result = Playout(moves, side, len(winners) == 2)
        elif self.full:
            self.result = Playout(self.moves, DRAW)

    def landing_cell(self, column: int) -> int | None:
        first, second = self.stones
        cells = self.rules.cells_under(column)
        return next((c for c in cells if c not in first and c not in second), None)


# -- without gravity


class Group:
    """What drives sixteen lanes."""

    def __init__(self, key: list[int], number: int) -> None:
        self.generators = [sfc64(*generator_state(key, 2 * number + i)) for i in (0, 1)]

    def two_outputs(self) -> list[int]:
        """A 16-bit word for every lane."""
        return [
            word >> shift & 0xFFFF
            for _ in range(2)
            for word in map(next, self.generators)
            for shift in (0, 16, 32, 48)
        ]

    def draw(self, factors: list[int]) -> list[list[int]]:
        """For every factor the digits of the lanes."""
        product = math.prod(factors)
        words = self.two_outputs()
        while rejected := [
            lane for lane, w in enumerate(words) if w * product % 65536 < 65536 % product
        ]:
            fresh = self.two_outputs()
            for lane in rejected:
                words[lane] = fresh[lane]
        digits = []
        for factor in factors:
            digits.append([w * factor // 65536 for w in words])
            words = [w * factor % 65536 for w in words]
        return digits


def products(n_empty: int) -> list[list[int]]:
    """The factors of the insertion, grouped into products."""
    factors = {1: [], 2: [2]}.get(n_empty, [6, *range(4, n_empty + 1)])
    grouped: list[list[int]] = []
    for factor in factors:
        product = math.prod(grouped[-1]) * factor if grouped else 65537
        if product <= 65536 and 65536 % product < 32:
            grouped[-1].append(factor)
        else:
            grouped.append([factor])  # a product has a first factor, whatever is left over
    return grouped


def by_insertion(group: Group, empty: list[int]) -> list[list[int]]:
    """For every lane the cells in their order."""
    digits = [lanes for factors in products(len(empty)) for lanes in group.draw(factors)]
    orders = []
    for lane in range(GROUP_LANES):
        r = [lanes[lane] for lanes in digits]
        if len(empty) > 2:
            r[:1] = [r[0] % 2, r[0] // 2]
        order = [0]
        for slot, time in enumerate(r, start=1):
            order.insert(time, slot)  # all from that time on come one later
        orders.append([empty[slot] for slot in order])
    return orders


def stage_ends(n_empty: int, k: int) -> list[int]:
    ends = [n_empty * min(k, 8) // 8]
    while ends[-1] < n_empty:
        ends.append(min(ends[-1] + n_empty // 8, n_empty))
    return ends


def in_stages(group: Group, empty: list[int], games: list[Game]) -> None:
    """Cell by cell, until all the group's games are over at the end of a stage."""
    lists = [list(empty) for _ in games]
    time = 0
    for end in stage_ends(len(empty), games[0].rules.k):
        for t in range(time, end):
            left = len(empty) - t
            digits = group.draw([left])[0] if left > 1 else [0] * GROUP_LANES
            for r, slots, game in zip(digits, lists, games, strict=True):
                cell, slots[r] = slots[r], slots[left - 1]
                game.take([cell])
        time = end
        if all(game.result for game in games):
            return


def free_block(rules: Rules, board: Board, key: list[int]) -> Iterator[Playout]:
    empty = [cell for cell, mark in enumerate(board) if mark == -1]
    groups = [Group(key, g) for g in range(GROUPS)]
    for _ in range(block_size(rules) // BATCH):
        for group in groups:
            games = [Game(rules, board) for _ in range(GROUP_LANES)]
            if len(empty) <= 128:
                for game, order in zip(games, by_insertion(group, empty), strict=True):
                    game.take(order)
            else:
                in_stages(group, empty, games)
            yield from (game.result for game in games)


# -- under gravity


def tries(n_columns: int) -> int:
    """The fewest that leave a lane without a column with a probability of at most 1/16."""
    values = 2 ** (n_columns - 1).bit_length()
    miss = Fraction(values - n_columns, values)
    return next(t for t in count(1) if miss**t <= Fraction(1, 16))


def draw_columns(source: Iterator[int], n_columns: int) -> list[int | None]:
    """For every lane a column, or None."""
    drawn: list[int | None] = [None] * GRAVITY_LANES
    for _ in range(tries(n_columns)):
        words = [next(source) for _ in range((n_columns - 1).bit_length())]
        for lane in range(GRAVITY_LANES):
            value = sum((word >> lane & 1) << i for i, word in enumerate(words))
            if drawn[lane] is None and value < n_columns:
                drawn[lane] = value
    return drawn


def games_as_they_end(
    rules: Rules, board: Board, source: Iterator[int], n: int
) -> Iterator[tuple[int, Playout]]:
    """The first n playouts of a block with their numbers."""
    waiting = iter(range(n))
    lanes = [(number, Game(rules, board)) for number in islice(waiting, GRAVITY_LANES)]
    while any(lanes):
        draws = [draw_columns(source, rules.n_moves) for _ in range(2)]
        for lane, playing in enumerate(lanes):
            if not playing:
                continue
            number, game = playing
            game.take_pair((draws[0][lane], draws[1][lane]))
            if game.result:
                yield number, game.result
                following = next(waiting, None)
                lanes[lane] = following is not None and (following, Game(rules, board))


def gravity_block(rules: Rules, board: Board, key: list[int], n: int) -> Iterator[Playout]:
    """The first n of the block: later ones change nothing about them."""
    played = dict(games_as_they_end(rules, board, sfc64(*generator_state(key, 0)), n))
    return (played[p] for p in range(n))


# -- streams


def block_games(
    rules: Rules, board: Board, seed: int, row: int, block: int, n: int
) -> Iterator[Playout]:
    """The first n playouts of one block."""
    assert n <= block_size(rules)
    if status(rules, board) != -1:
        return iter(())
    key = block_words(seed, row, block)
    if rules.gravity:
        return gravity_block(rules, board, key, n)
    return islice(free_block(rules, board, key), n)


def games(rules: Rules, board: Board, seed: int, row: int, n: int) -> Iterator[Playout]:
    """Playouts 0 … n - 1 of the stream, in order."""
    size = block_size(rules)
    for block in range(-(-n // size)):
        yield from block_games(rules, board, seed, row, block, min(size, n - block * size))


def playouts(rules: Rules, board: Board, seed: int, row: int, n: int) -> Counter[tuple[int, int]]:
    """How often the first n playouts give each (first move, outcome)."""
    return Counter((game.moves[0], game.outcome) for game in games(rules, board, seed, row, n))

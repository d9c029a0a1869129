"""The stream of playouts in slow, plain Python: what every count of mbx is a function of.

Playout i of stream (seed, row) is playout i % 1024 of block i // 1024.  The block's generator is
xoshiro256++ from the four words that Philox4x64-10 gives for the seed (as its key) and the counter
(block, row, 0, 0); the block's playouts draw from it one after the other.

Without gravity the empty cells stand in a list, ascending.  A stone takes the place of a uniform
rank r of the n cells left, and the last cell of the list moves to rank r.  Draws share words in
groups: from n cells left a group takes the bounds n, n - 1, ... as long as their product is at most
2**48.  A word w whose product with the group's is, modulo 2**64, below 2**64 modulo that product is
thrown away.  Then for each bound b in turn, w * b = r * 2**64 + the new w.

Under gravity the open columns stand in a list, ascending.  A word w below the bound b = number of
open columns gives the rank w * b >> 64, unless w * b mod 2**64 is below 2**64 mod b: then another
word is drawn.  When a column is full, the last of the list takes its place.

The playouts of a position end at the first completed line or with the full board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from reference import Board, Rules, landing_cell, legal_moves, play, turn

WORD = 2**64
BLOCK = 1024
LARGEST_PRODUCT = 2**48


def block_state(seed: int, row: int, block: int) -> list[int]:
    """Philox by NumPy, which counts up before its first output."""
    counter = (block | row << 64) - 1 & 2**256 - 1
    return np.random.Philox(key=seed, counter=counter).random_raw(4).tolist()


def words(state: list[int]) -> Iterator[int]:
    """xoshiro256++."""

    def rotated(x: int, n: int) -> int:
        return (x << n | x >> (64 - n)) % WORD

    s0, s1, s2, s3 = state
    while True:
        yield (rotated((s0 + s3) % WORD, 23) + s0) % WORD
        t = s1 << 17 & WORD - 1
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = rotated(s3, 45)


def draw_group(source: Iterator[int], left: int) -> Iterator[int]:
    """The ranks of the stones of one group, the first of `left` empty cells."""
    bounds, product = [left], left
    while left - len(bounds) > 0 and product * (left - len(bounds)) <= LARGEST_PRODUCT:
        product *= left - len(bounds)
        bounds.append(left - len(bounds))
    word = next(source)
    while word * product % WORD < WORD % product:
        word = next(source)
    for bound in bounds:
        rank, word = divmod(word * bound, WORD)
        yield rank


def draw_below(source: Iterator[int], bound: int) -> int:
    while True:
        rank, low = divmod(next(source) * bound, WORD)
        if low >= WORD % bound:
            return rank


def choose_free(rules: Rules, board: Board, source: Iterator[int]) -> Iterator[int]:
    """The moves of one playout without gravity, as long as they are asked for."""
    cells = legal_moves(rules, board)
    while cells:
        for rank in draw_group(source, len(cells)):
            chosen = cells[rank]
            cells[rank] = cells[-1]
            cells.pop()
            yield chosen


def choose_column(rules: Rules, board: Board, source: Iterator[int]) -> Iterator[int]:
    """The moves of one playout under gravity, as long as they are asked for."""
    open_columns = legal_moves(rules, board)
    empty = {m: sum(board[c] == -1 for c in rules.cells_under(m)) for m in open_columns}
    while open_columns:
        rank = draw_below(source, len(open_columns))
        chosen = open_columns[rank]
        empty[chosen] -= 1
        if not empty[chosen]:
            open_columns[rank] = open_columns[-1]
            open_columns.pop()
        yield chosen


def one_playout(rules: Rules, board: Board, source: Iterator[int]) -> tuple[int, int]:
    """The first move and the outcome of a playout."""
    choose = choose_column if rules.gravity else choose_free
    first_move = None
    for move in choose(rules, board, source):
        cell, side = landing_cell(rules, board, move), turn(board)
        board = play(rules, board, move)
        first_move = move if first_move is None else first_move
        if any(all(board[c] == side for c in line) for line in rules.lines_through[cell]):
            return first_move, side
    return first_move, 2


def playouts(rules: Rules, board: Board, seed: int, row: int, n: int) -> Counter[tuple[int, int]]:
    """How often the first n playouts give each (first move, outcome)."""
    counts: Counter[tuple[int, int]] = Counter()
    for block in range(-(-n // BLOCK)):
        source = words(block_state(seed, row, block))
        for _ in range(min(BLOCK, n - block * BLOCK)):
            counts[one_playout(rules, board, source)] += 1
    return counts

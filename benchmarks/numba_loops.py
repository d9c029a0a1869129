"""Playout loops compiled by numba: what one writes who wants Python and speed.

Each loop(number, seed) plays uniformly random games from the empty board and returns the sum of
their results for the first side: 1, -1 or 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

U = np.uint64
FULL_3X3 = 9
LINES_3X3 = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
HAS_LINE = np.array([any(bits & line == line for line in LINES_3X3) for bits in range(512)])
COLUMNS, ROWS = 7, 6
SIDE, K = 15, 5


@numba.njit(inline="always")
def next_word(state: np.uint64) -> np.uint64:
    """The next state of a 64-bit linear congruential generator; its high bits are used."""
    return state * U(6364136223846793005) + U(1442695040888963407)


@numba.njit(inline="always")
def below(state: np.uint64, bound: int) -> int:
    """An integer below a small bound, from the 32 high bits."""
    return np.int64(((state >> U(32)) * U(bound)) >> U(32))


@numba.njit
def play_3x3(number: int, seed: int) -> int:
    state, result = next_word(U(seed)), 0
    cells = np.arange(FULL_3X3)
    for _ in range(number):
        mine, theirs = 0, 0
        for ply in range(FULL_3X3):
            state = next_word(state)
            last = FULL_3X3 - 1 - ply
            i = below(state, last + 1)
            cells[i], cells[last] = cells[last], cells[i]
            stones = mine | 1 << cells[last]
            if HAS_LINE[stones]:
                result += 1 - 2 * (ply & 1)
                break
            mine, theirs = theirs, stones
    return result


@numba.njit(inline="always")
def has_four(stones: np.uint64) -> bool:
    """Four in a row among stones, a column in seven bits, the top one always empty."""
    for step in (1, COLUMNS - 1, COLUMNS, COLUMNS + 1):
        pairs = stones & (stones >> U(step))
        if pairs & (pairs >> U(2 * step)):
            return True
    return False


@numba.njit
def play_connect_four(number: int, seed: int) -> int:
    state, result = next_word(U(seed)), 0
    heights, columns = np.empty(COLUMNS, np.int64), np.empty(COLUMNS, np.int64)
    for _ in range(number):
        mine, theirs, n_open = U(0), U(0), COLUMNS
        for column in range(COLUMNS):
            heights[column], columns[column] = 0, column
        for ply in range(COLUMNS * ROWS):
            state = next_word(state)
            i = below(state, n_open)
            column = columns[i]
            stones = mine | U(1) << U(COLUMNS * column + heights[column])
            if has_four(stones):
                result += 1 - 2 * (ply & 1)
                break
            mine, theirs = theirs, stones
            heights[column] += 1
            if heights[column] == ROWS:
                n_open -= 1
                columns[i] = columns[n_open]
    return result


@numba.njit(inline="always")
def run_length(board: np.ndarray, cell: int, step: int, side: int) -> int:
    length = 0
    cell += step
    while board[cell] == side:
        length += 1
        cell += step
    return length


@numba.njit
def play_15x15(number: int, seed: int) -> int:
    width = SIDE + 1  # a wall beside each row, and a row of it above and below
    state, result = next_word(U(seed)), 0
    board = np.empty(width * (SIDE + 2) + 1, np.int8)
    cells = np.array([width * (y + 1) + x + 1 for y in range(SIDE) for x in range(SIDE)])
    for _ in range(number):
        board[:] = -1
        for ply in range(len(cells)):
            state = next_word(state)
            last = len(cells) - 1 - ply
            i = below(state, last + 1)
            cells[i], cells[last] = cells[last], cells[i]
            cell, side = cells[last], ply & 1
            board[cell] = side
            won = False
            for step in (1, width - 1, width, width + 1):
                run = run_length(board, cell, step, side) + run_length(board, cell, -step, side)
                won |= run >= K - 1
            if won:
                result += 1 - 2 * side
                break
    return result


LOOPS: dict[str, Callable[[int, int], int]] = {
    "3x3": play_3x3,
    "Connect Four": play_connect_four,
    "15x15": play_15x15,
}

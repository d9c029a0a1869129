"""Random playouts, counted by first move and outcome.

The core plays a list of positions in one call.  Long work is cut into units: a row (a position with
all its playouts) if one block holds them, else a block of a row.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .blocks import side_by_side
from .convert import read_batch, read_moves
from .position import Position
from .seeds import Seed, seed_key
from .target import count_to_target, read_target_error
from .work import Progress, read_count, read_threads, read_timelimit, run_ranges

#: Numbers the definition of the stream of playouts: while it is the same, so is every count.
STREAM: int = _core.STREAM

_LEAST = 256  # playouts: fewer of a position take no less time


def count_rows(
    positions: Sequence[Position],
    key: int,
    first_row: int,
    first: int,
    number: int,
    *,
    threads: int | None = None,
    timelimit: float | None = None,
    progress: Progress = None,
    kernel: str | None = None,
) -> NDArray[np.int64]:
    """Counts of the playouts [first, first + number) of each position: int64 (B, n_moves, 3).

    The positions are of one game; position i plays stream (key, first_row + i).  A time limit ends
    the work after a whole number of blocks, position by position.  kernel: another than the one in
    use, to compare them.
    """
    block_size = _core.playout_block(positions[0].game)
    begin, end = first // block_size, -(-(first + number) // block_size)
    blocks, n_rows = end - begin, len(positions)
    short = blocks == 1 and (n_rows == 1 or n_rows * max(number, _LEAST) <= block_size)
    if short and not progress:
        if threads is not None:
            read_threads(threads)
        if timelimit is not None:
            read_timelimit(timelimit)
        return _core.playout_counts(positions, key, first_row, first, number, None, kernel)
    counts = np.zeros((n_rows, positions[0].game.n_moves, 3), np.int64)
    lock = threading.Lock()
    # Finished positions are no work: as units they would spoil the estimate of what others take.
    playing = [row for row, position in enumerate(positions) if position.status < 0]

    def play_rows(unit: int, n_units: int, cancel: bytearray) -> None:
        rows = slice(playing[unit], playing[unit + n_units - 1] + 1)
        counts[rows] = _core.playout_counts(
            positions[rows], key, first_row + rows.start, first, number, cancel, kernel
        )

    def play_blocks(row: int, block: int, n_blocks: int, cancel: bytearray) -> None:
        start = max((begin + block) * block_size, first)
        stop = min((begin + block + n_blocks) * block_size, first + number)
        part = _core.playout_counts(
            positions[row : row + 1], key, first_row + row, start, stop - start, cancel, kernel
        )
        with lock:
            counts[row] += part[0]

    def play(unit: int, n_units: int, cancel: bytearray) -> None:
        while n_units > 0:
            index, block = divmod(unit, blocks)
            if block == 0 and n_units >= blocks:
                played = n_units // blocks * blocks
                play_rows(index, played // blocks, cancel)
            else:
                played = min(n_units, blocks - block)
                play_blocks(playing[index], block, played, cancel)
            unit += played
            n_units -= played

    run_ranges(
        play,
        blocks * len(playing),
        size=number * len(playing),
        group=side_by_side(positions[0].game),
        threads=threads,
        timelimit=timelimit,
        progress=progress,
    )
    return counts


def count_outcomes(
    positions: Sequence[Position],
    key: int,
    first_row: int,
    first: int,
    number: int,
    **options: Any,
) -> NDArray[np.int64]:
    """Outcomes of the playouts [first, first + number) of each position: int64 (B, 3).

    Those of a finished position all end as it did.  options are those of count_rows.
    """
    counts = count_rows(positions, key, first_row, first, number, **options).sum(axis=1)
    status = np.array([position.status for position in positions])
    finished = np.flatnonzero(status >= 0)
    counts[finished, status[finished]] = number
    return counts


def count_range(
    position: Position, key: int, row: int, first: int, number: int, **options: Any
) -> NDArray[np.int64]:
    """Counts of the playouts [first, first + number) of stream (key, row): int64 (n_legal, 3).

    options are those of count_rows.
    """
    counts = count_rows([position], key, row, first, number, **options)[0]
    return counts.take(position.legal_moves, 0)


def count_first(
    positions: Sequence[Position],
    key: int,
    first_row: int,
    number: int,
    *,
    threads: int | None,
    timelimit: float | None,
    progress: Progress = None,
    target_error: float | None = None,
) -> NDArray[np.int64]:
    """Counts of the first `number` playouts of each position: int64 (B, n_moves, 3).

    With a target error, of as many of them as it takes.
    """
    if target_error is None:
        return count_rows(
            positions,
            key,
            first_row,
            0,
            number,
            threads=threads,
            timelimit=timelimit,
            progress=progress,
        )
    return count_to_target(
        positions,
        key,
        first_row,
        number,
        read_target_error(target_error),
        threads=threads,
        timelimit=timelimit,
        progress=progress,
    )


def playout_counts(
    pos: Any,
    n: SupportsIndex,
    seed: Seed = None,
    threads: int | None = None,
    *,
    timelimit: float | None = None,
    progress: Progress = None,
    first_row: SupportsIndex = 0,
    target_error: float | None = None,
) -> NDArray[np.int64]:
    """Play n uniformly random games from a position and count them by first move and outcome.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  The result is
    an int64 array (n_legal, 3): a row for every legal move, ascending (for an article object in
    the order of its calc_legal_moves()), with the numbers of games that the first side won, the
    second side won and that were drawn.  A finished position gives shape (0, 3).

    A list or tuple of B positions of one game gives an array (B, n_moves, 3) with a row for every
    move of the game, zeros for illegal ones; each position gets n playouts, and position i plays
    what it would play alone with first_row + i.  They must stay as they are during the call.

    seed: an int below 2**128, a SeedSequence, a Generator, or None for fresh entropy
    (random.seed() has no effect).  The counts are a function of position, n, seed and first_row:
    threads (None: every core) do not change them, and n playouts are the first n of any more.

    target_error: n is only the most that is played; a position's playouts end as soon as the
    standard error of every legal move's share of every outcome is at most this.  Of c such outcomes
    in m games after a move it is sqrt(p (1 - p) / m) with p = (c + 1) / (m + 3), so that an outcome
    not seen yet does not pass for impossible; without a game it is infinite.  It is looked at after
    the first block of playouts (8,192; under gravity 4,096; on boards of more than 128 cells
    1,024), then after as many blocks as the errors foretell, but at most twice as many as the time
    before.  So the counts stay a function of the arguments.

    timelimit, in seconds of wall time, ends the work early, after whole blocks: counts.sum() tells
    how many were played.  progress: True for a bar, or a callable progress(done, total), in
    playouts.

    Raises TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> mbx.playout_counts(mbx.games.MARUBATSU.from_text("oxo/x.x/oxo"), 1000, seed=1)
    array([[1000,    0,    0]])
    >>> counts = mbx.playout_counts(mbx.games.MARUBATSU.start(), 10**9, seed=1, target_error=0.001)
    >>> bool(counts.sum() < 10**7)
    True
    """
    n = read_count(n, "n")
    row = read_count(first_row, "first_row")
    key = seed_key(seed)
    moves = None
    if isinstance(pos, list | tuple):
        positions = read_batch(pos)
    else:
        position, moves = read_moves(pos)
        positions = [position]
    counts = count_first(
        positions,
        key,
        row,
        n,
        threads=threads,
        timelimit=timelimit,
        progress=progress,
        target_error=target_error,
    )
    return counts if moves is None else counts[0].take(moves, 0)  # faster than counts[0, moves]

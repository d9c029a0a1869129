"""Random playouts, counted by first move and outcome."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .convert import read_source
from .position import Position
from .seeds import Seed, seed_key
from .work import Progress, read_count, read_threads, read_timelimit, run_ranges

#: Numbers the definition of the stream of playouts: while it is the same, so is every count.
STREAM: int = _core.STREAM

_BLOCK = _core.PLAYOUT_BLOCK


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
) -> NDArray[np.int64]:
    """Counts of the playouts [first, first + number) of each position: int64 (B, n_moves, 3).

    Position i plays stream (key, first_row + i).  A time limit ends the work after a whole number
    of blocks, position by position.
    """
    begin, end = first // _BLOCK, -(-(first + number) // _BLOCK)
    blocks = end - begin
    if blocks == len(positions) == 1 and not progress:  # a short call should stay one
        read_threads(threads)
        read_timelimit(timelimit)
        return _core.playout_counts(positions[0], key, first_row, first, number, None)[np.newaxis]
    counts = np.zeros((len(positions), positions[0].game.n_moves, 3), np.int64)
    lock = threading.Lock()

    def play(unit: int, n_units: int, cancel: bytearray) -> None:
        while n_units > 0:
            row, block = divmod(unit, blocks)
            n_blocks = min(n_units, blocks - block)
            start = max((begin + block) * _BLOCK, first)
            stop = min((begin + block + n_blocks) * _BLOCK, first + number)
            part = _core.playout_counts(
                positions[row], key, first_row + row, start, stop - start, cancel
            )
            with lock:
                counts[row] += part
            unit += n_blocks
            n_units -= n_blocks

    run_ranges(
        play,
        blocks * len(positions),
        size=number * len(positions),
        threads=threads,
        timelimit=timelimit,
        progress=progress,
    )
    return counts


def count_range(
    position: Position, key: int, row: int, first: int, number: int, **options: Any
) -> NDArray[np.int64]:
    """Counts of the playouts [first, first + number) of stream (key, row): int64 (n_legal, 3).

    options are those of count_rows.
    """
    counts = count_rows([position], key, row, first, number, **options)[0]
    result: NDArray[np.int64] = counts[position.legal_moves]
    return result


def playout_counts(
    pos: Any,
    n: SupportsIndex,
    seed: Seed = None,
    threads: int | None = None,
    *,
    timelimit: float | None = None,
    progress: Progress = None,
    first_row: SupportsIndex = 0,
) -> NDArray[np.int64]:
    """Play n uniformly random games from a position and count them by first move and outcome.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  The result is
    an int64 array (n_legal, 3): a row for every legal move, ascending (for an article object in
    the order of its calc_legal_moves()), with the numbers of games that the first side won, the
    second side won and that were drawn.  A finished position gives shape (0, 3).

    A list or tuple of B positions of one game gives an array (B, n_moves, 3) with a row for every
    move of the game, zeros for illegal ones; each position gets n playouts, and position i plays
    what it would play alone with first_row + i.

    seed: an int below 2**128, a SeedSequence, a Generator, or None for fresh entropy
    (random.seed() has no effect).  The counts are a function of position, n, seed and first_row:
    threads (None: every core) do not change them, and n playouts are the first n of any more.

    timelimit, in seconds of wall time, ends the work early: counts.sum() tells how many were
    played.  progress: True for a bar, or a callable progress(done, total), in playouts.

    Raises TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> mbx.playout_counts(mbx.games.MARUBATSU.from_text("oxo/x.x/oxo"), 1000, seed=1)
    array([[1000,    0,    0]])
    """
    n = read_count(n, "n")
    row = read_count(first_row, "first_row")
    key = seed_key(seed)
    if isinstance(pos, list | tuple):
        sources = [read_source(item).position for item in pos]
        if not sources:
            raise ValueError("pos must hold at least one position, not []")
        if any(source.game != sources[0].game for source in sources):
            raise ValueError("the positions in pos must all be of one game")
        return count_rows(
            sources, key, row, 0, n, threads=threads, timelimit=timelimit, progress=progress
        )
    source = read_source(pos)
    counts = count_range(
        source.position, key, row, 0, n, threads=threads, timelimit=timelimit, progress=progress
    )
    return counts[source.rows]

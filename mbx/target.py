"""Playouts until the shares are as exact as wanted.

A share of m games has the standard error sqrt(p (1 - p) / m), so the errors after some games
foretell how many it takes: twice as exact is four times as many.  Whether to go on is decided from
the counts alone, position by position, and always after whole blocks.  So what is played is a
function of the arguments, and a position in a batch plays what it would play alone.
"""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from . import _core
from .blocks import side_by_side
from .position import Position
from .work import Progress, Report, read_timelimit, reporting, run_ranges


def read_target_error(target_error: float) -> float:
    """A target for standard errors: a positive number."""
    if not isinstance(target_error, Real):
        raise TypeError(f"target_error must be a number or None, not {target_error!r}")
    if not target_error > 0:
        raise ValueError(f"target_error must be more than 0, not {target_error!r}")
    return float(target_error)


def largest_error(counts: NDArray[np.int64]) -> float:
    """The largest standard error of the shares in counts, int64 (n_legal, 3), a row a first move.

    That of c outcomes in m games is sqrt(p (1 - p) / m), p = (c + 1) / (m + 3); of none infinite.

    >>> round(largest_error(np.array([[30, 20, 50], [997, 0, 0]])), 4)
    0.05
    """
    games = counts.sum(axis=1, keepdims=True)
    if not games.all():
        return math.inf
    p = (counts + 1) / (games + 3)
    return float(np.sqrt((p * (1 - p) / games).max()))


class _Run:
    """One position: what was played of it, and up to where it is to be played."""

    def __init__(self, position: Position, row: int, block_size: int, most: int) -> None:
        self.position = position
        self.row = row
        self.block_size = block_size
        self.counts = np.zeros((position.game.n_moves, 3), np.int64)
        self._legal = position.legal_moves
        self._most = most
        self.blocks = 0  # played
        self.end = 1 if most and len(self._legal) else 0  # to be played, in blocks

    def _n_blocks(self, number: int) -> int:
        return -(-number // self.block_size)

    @property
    def number(self) -> int:
        """The playouts in the blocks played."""
        return min(self.blocks * self.block_size, self._most)

    def play(self, block: int, n_blocks: int, key: int, cancel: bytearray) -> NDArray[np.int64]:
        """The counts of some blocks, counted from those that were played before this round."""
        first = (self.blocks + block) * self.block_size
        last = min(first + n_blocks * self.block_size, self._most)
        counts = _core.playout_counts([self.position], key, self.row, first, last - first, cancel)
        return counts[0]

    def look(self, target: float) -> None:
        """Set the end of the next round: that of the last one when the errors are small enough."""
        error = largest_error(self.counts[self._legal])
        if error > target:
            ratio = min(error / target, 2.0)
            foretold = self._n_blocks(math.ceil(ratio * ratio * self.number))
            most = min(2 * self.blocks, self._n_blocks(self._most))
            self.end = min(max(foretold, self.blocks + 1), most)


def count_to_target(
    positions: Sequence[Position],
    key: int,
    first_row: int,
    most: int,
    target: float,
    *,
    threads: int | None = None,
    timelimit: float | None = None,
    progress: Progress = None,
) -> NDArray[np.int64]:
    """Counts of the first playouts of each position, as many as it takes: int64 (B, n_moves, 3).

    Position i plays stream (key, first_row + i) until its largest_error is at most the target, and
    at most `most` playouts.
    """
    deadline = time.monotonic() + read_timelimit(timelimit)
    block_size = _core.playout_block(positions[0].game)
    runs = [_Run(each, first_row + i, block_size, most) for i, each in enumerate(positions)]
    active = [run for run in runs if run.end > 0]
    with reporting(progress) as report:
        while active:
            left = deadline - time.monotonic()
            if left <= 0 and any(run.blocks for run in runs):
                break
            before = sum(run.number for run in runs)
            _play_round(
                active,
                key,
                threads=threads,
                timelimit=max(left, 1e-9),
                progress=_part(report, before, most * len(runs)),
            )
            for run in active:
                if run.blocks == run.end:
                    run.look(target)
            active = [run for run in active if run.blocks < run.end]
    return np.stack([run.counts for run in runs])


def _part(report: Report, before: int, total: int) -> Report:
    """The callback of a round, given that for all."""
    return lambda done, _: report(min(before + done, total), total)


def _play_round(
    runs: list[_Run], key: int, *, threads: int | None, timelimit: float, progress: Report
) -> None:
    """Play each run to its end; a time limit leaves the later blocks out."""
    starts = [0, *accumulate(run.end - run.blocks for run in runs)]
    lock = threading.Lock()

    def play(unit: int, n_units: int, cancel: bytearray) -> None:
        while n_units > 0:
            i = bisect_right(starts, unit) - 1
            played = min(n_units, starts[i + 1] - unit)
            part = runs[i].play(unit - starts[i], played, key, cancel)
            with lock:
                runs[i].counts += part
            unit += played
            n_units -= played

    done = run_ranges(
        play,
        starts[-1],
        size=starts[-1] * runs[0].block_size,
        group=side_by_side(runs[0].position.game),
        threads=threads,
        timelimit=timelimit,
        progress=progress,
    )
    for run, start in zip(runs, starts, strict=False):
        run.blocks += min(max(done - start, 0), run.end - run.blocks)

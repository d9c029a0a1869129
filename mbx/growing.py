"""Growing the trees of a search, and what is noted of their roots on the way."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from .mcts_result import Recording
from .search_options import read_number

PART = 0.01  # seconds that a tree is not to be looked at
QUICK_PLAYOUTS = 2000  # so many are over within a few milliseconds, on any board

Snapshot: TypeAlias = tuple[int, NDArray[np.int64], NDArray[np.float64]]


def explore(tree: _core.Mcts, visits: int, c: float | Callable[[int], float]) -> None:
    """Makes the exploration terms of nodes with up to so many visits."""
    if callable(c):
        values = [read_number(c(each), "c") for each in tree.visits_of(visits).tolist()]
        tree.explore(visits, np.array(values, float).reshape(-1))
    else:
        tree.explore(visits, c)


def record_doubled(record: list[Snapshot], tree: _core.Mcts) -> None:
    """Notes the root's statistics where its visits have doubled since the last time."""
    if record and tree.visits < 2 * record[-1][0]:
        return
    edges = tree.look([])
    if edges is not None:
        record.append((tree.visits, edges[1], edges[2]))


def record_at_powers(record: list[Snapshot], tree: _core.Mcts) -> None:
    """The same, where the visits are a power of two."""
    if tree.visits & (tree.visits - 1) == 0:
        record_doubled(record, tree)


def deal(n: int, before: list[int]) -> list[int]:
    """How many of n more simulations each tree gets: evenly in all, the first ones one more."""
    share, more = divmod(sum(before) + n, len(before))
    shares = [share + (i < more) - visits for i, visits in enumerate(before)]
    if min(shares) >= 0:
        return shares
    share, more = divmod(n, len(before))  # a time limit left them very uneven
    return [share + (i < more) for i in range(len(before))]


class Growing:
    """One tree on its way to so many more simulations."""

    def __init__(
        self,
        tree: _core.Mcts,
        record: list[Snapshot],
        n: int,
        c: float | Callable[[int], float],
    ) -> None:
        self.tree = tree
        self.left = n
        self._record = record
        self._c = c
        self._is_proven = False

    def is_done(self) -> bool:
        """Is there nothing more to do?"""
        return self.left == 0 or self._is_proven

    def _run_part(self, cancel: bytearray | None, most: float = math.inf) -> bool:
        """Runs up to the next power of two; False where that was stopped."""
        visits = self.tree.visits
        n = int(min((1 << visits.bit_length()) - visits, self.left, most))
        explore(self.tree, visits + n, self._c)
        done = self.tree.search(n, False, cancel)
        self.left -= done
        if done < n and not (cancel and cancel[0]):
            self._is_proven = True
        record_at_powers(self._record, self.tree)
        return done == n

    def run_quickly(self, per_leaf: int, until: float) -> None:
        """Runs in the caller's thread what is over in a moment."""
        done, start = 0, time.monotonic()
        part = max(QUICK_PLAYOUTS // per_leaf, 1)
        while not self.is_done() and time.monotonic() < until:
            spent = time.monotonic() - start
            most = part if not done else max(done / max(spent, 1e-9) * (until - start - spent), 1)
            before = self.left
            self._run_part(None, min(most, 4 * done or part))
            done += before - self.left

    def run(self, cancel: bytearray, looking: threading.Lock) -> None:
        """Runs all that is left, in short parts; who holds the lock may look in between."""
        most, goes_on = 1.0, True
        while goes_on and not self.is_done():
            with looking:  # waits for who looks: the core's own lock goes to the quickest
                start = time.monotonic()
            goes_on = self._run_part(cancel, most)
            most *= 2 if time.monotonic() - start < PART else 0.5
            most = max(most, 1.0)


def merge_records(
    records: list[list[Snapshot]],
    trees: list[_core.Mcts],
    rows: NDArray[Any],
    per_leaf: int,
) -> Recording:
    """What all trees noted at the same number of visits, and their present state."""
    merged: list[Snapshot] = []
    for snapshots in zip(*records, strict=False):
        if len({visits for visits, _, _ in snapshots}) == 1 or len(trees) == 1:
            merged.append(_add(snapshots))
    now = []
    for tree in trees:
        edges = tree.look([])
        if edges is not None:
            now.append((tree.visits, edges[1], edges[2]))
    if now and (not merged or merged[-1][0] < _add(now)[0]):
        merged.append(_add(now))
    n_moves = len(rows)
    visits = np.array([each[1] for each in merged], np.int64).reshape(-1, n_moves)[:, rows]
    sums = np.array([each[2] for each in merged]).reshape(-1, n_moves)[:, rows]
    with np.errstate(invalid="ignore"):
        values = sums / (visits * per_leaf)
    return Recording(np.array([int(each[1].sum()) for each in merged], np.int64), visits, values)


def _add(snapshots: Sequence[Snapshot]) -> Snapshot:
    total, visits, sums = snapshots[0]
    for other in snapshots[1:]:
        total, visits, sums = total + other[0], visits + other[1], sums + other[2]
    return total, visits, sums

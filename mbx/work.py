"""Long work: handed out in ranges to threads, with progress, a time limit and Ctrl-C.

The core releases the GIL and is given a range of work at a time.  The first range is short; from
its time follows how long the rest will take.  What will be over within a few milliseconds runs in
the caller's thread.  Longer work runs in workers, while the caller waits in short slices, reports
progress and, on KeyboardInterrupt or any other error, sets the cancel flag that the core polls, and
waits for the workers (workers.py).
"""

from __future__ import annotations

import math
import operator
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, SupportsIndex, TypeVar

from .workers import run_in_threads

Result = TypeVar("Result")
Report = Callable[[int, int], object]
Progress = bool | Report | None
Task = Callable[[int, int, bytearray], object]

QUICK = 0.005  # seconds of work before workers are started
FIRST = 8  # units in the first range of many: as many as the core may play side by side
QUANTUM = 0.01  # seconds of work in a range that a worker takes
GROWTH = 8  # times as long as the one before a range may be: what it takes is an estimate
TAIL = 0.0005  # seconds of work in the last ranges, so that the workers end together


def count_cores() -> int:
    """The number of cores that the process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def read_threads(threads: SupportsIndex | None) -> int:
    """The number of threads: None is every core that the process may use, 4 a core the most."""
    if threads is None:
        return count_cores()
    try:
        n = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads must be an int or None, not {threads!r}") from None
    if n < 1:
        raise ValueError(f"threads must be at least 1, not {threads!r}")
    return min(n, 4 * count_cores())


def read_timelimit(timelimit: float | None) -> float:
    """A time limit in seconds, infinity for None."""
    if timelimit is None:
        return math.inf
    if not isinstance(timelimit, Real):
        raise TypeError(f"timelimit must be seconds or None, not {timelimit!r}")
    if not timelimit > 0:
        raise ValueError(f"timelimit must be more than 0 seconds, not {timelimit!r}")
    return float(timelimit)


def read_count(value: SupportsIndex, name: str, least: int = 0) -> int:
    """A number of things to do, from `least` below 2**63."""
    try:
        n = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an int, not {value!r}") from None
    if not least <= n < 2**63:
        raise ValueError(f"{name} must be from {least} to 2**63 - 1, not {value!r}")
    return n


def _bar() -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError("progress=True needs tqdm: pip install tqdm") from None
    return tqdm(unit_scale=True, leave=False)


@contextmanager
def reporting(progress: Progress) -> Iterator[Report]:
    """A callable report(done, total) for a progress argument; a bar is closed at the end."""
    if progress is None or progress is False:
        yield lambda done, total: None
    elif progress is True:
        with _bar() as bar:

            def report(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            yield report
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress must be a callable, True or None, not {progress!r}")


class _Ranges:
    """Hands out consecutive ranges of units: long ones first, shorter ones towards the end."""

    def __init__(self, total: int, group: int, n_threads: int, deadline: float) -> None:
        self.total = total
        self.handed_out = 0
        self.finished = 0
        self.cancel = bytearray(1)
        self._group = group
        self._n_threads = n_threads
        self._deadline = deadline
        self._rate = 0.0  # units a second and thread
        self._last = 1  # units of the last range
        self._lock = threading.Lock()

    def expected(self) -> float:
        """Seconds of one thread for what is not handed out, as far as is known; 0 before."""
        return (self.total - self.handed_out) / self._rate if self._rate else 0.0

    def take(self, most: float = QUANTUM) -> tuple[int, int] | None:
        """The next range (first, number), of `most` seconds at most but at least one group.

        None when there is no more or no more time.
        """
        with self._lock:
            left = self._deadline - time.monotonic()
            if self.handed_out == self.total or (left <= 0 and self.handed_out):
                return None
            share = max(self.expected() / (2 * self._n_threads), TAIL)
            number = int(self._rate * min(most, share, left))
            if not self._rate:
                number = min(self.total // FIRST, FIRST)
            elif number > GROWTH * self._last:
                number = GROWTH * self._last
            first = self.handed_out
            self._last = max(number // self._group, 1) * self._group
            self.handed_out = min(first + self._last, self.total)
            return first, self.handed_out - first

    def run(self, task: Task, taken: tuple[int, int]) -> None:
        """Runs one range and learns from it how long the next ones may be."""
        start = time.monotonic()
        task(*taken, self.cancel)
        seconds = max(time.monotonic() - start, 1e-7)
        with self._lock:
            self.finished += taken[1]
            self._rate = taken[1] / seconds

    def run_all(self, task: Task) -> None:
        """Runs ranges as long as there are any: what a worker does."""
        while not self.cancel[0] and (taken := self.take()):
            self.run(task, taken)


def run_ranges(
    task: Task,
    total: int,
    *,
    size: int | None = None,
    group: int = 1,
    threads: int | None = None,
    timelimit: float | None = None,
    progress: Progress = None,
) -> int:
    """Do `total` units of work by calls task(first, number, cancel) and return how many were done.

    Units are handed out in order and each range that was is finished, so what was done is a
    prefix of the work; fewer than `total` only where the time limit ends it.  The first range is
    always done.  The task may run in several threads at once; it gets whole groups of units, which
    the core may play side by side.  Progress is reported in parts of `size` (the work in the
    caller's terms; total where it is None).
    """
    n_threads = read_threads(threads)
    start = time.monotonic()
    ranges = _Ranges(total, group, n_threads, start + read_timelimit(timelimit))
    whole = total if size is None else size
    with reporting(progress) as report:

        def look() -> None:
            report(ranges.finished * whole // max(total, 1), whole)

        def is_quick() -> bool:
            return time.monotonic() - start + ranges.expected() < QUICK

        while is_quick() and (taken := ranges.take(QUICK / 4)):
            ranges.run(task, taken)
        if ranges.finished < total:
            run_in_threads(lambda: ranges.run_all(task), n_threads, ranges.cancel, look)
        look()
    return ranges.finished


def run_alone(
    call: Callable[[bytearray], Result], progress: Progress = None, timelimit: float | None = None
) -> Result:
    """The result of one long call(cancel) that runs in a worker, so that Ctrl-C can stop it.

    After `timelimit` seconds the flag is set too; the call then returns what it has.
    """
    deadline = time.monotonic() + read_timelimit(timelimit)
    cancel = bytearray(1)
    results: list[Result] = []
    with reporting(progress) as report:
        run_in_threads(
            lambda: results.append(call(cancel)),
            1,
            cancel,
            lambda: report(len(results), 1),
            deadline,
        )
    return results[0]

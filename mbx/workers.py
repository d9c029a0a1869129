"""Worker threads whose caller can always be interrupted.

The threads module and concurrent.futures take locks in Python code while a thread starts; Ctrl-C at
that moment can leave one locked.  Here a thread starts in one call of C and reports its end to a
queue written in C, so that a KeyboardInterrupt of the caller has nowhere to do harm.
"""

from __future__ import annotations

import _thread
import math
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

SLICE = 0.05  # seconds that the caller waits between looks


def run_in_threads(
    work: Callable[[], object],
    n_threads: int,
    cancel: bytearray,
    look: Callable[[], object],
    deadline: float = math.inf,
) -> None:
    """Call work() in n_threads threads and look() in the caller's now and then, until all end.

    At the deadline, of time.monotonic(), the cancel flag is set, and work() is to end soon.

    On any error, in a thread or in the caller, KeyboardInterrupt above all, the cancel flag is set,
    the threads are waited for, and the error is raised.
    """
    ends: list[BaseException | None] = []  # one a thread that has ended
    ended: SimpleQueue[None] = SimpleQueue()  # wakes the caller

    def thread() -> None:
        error = None
        try:
            work()
        except BaseException as caught:
            error = caught
        ends.append(error)
        ended.put(None)

    started = 0
    try:
        for _ in range(n_threads):
            _thread.start_new_thread(thread, ())
            started += 1
        while len(ends) < started:
            left = deadline - time.monotonic()
            if left <= 0:
                cancel[0] = 1
            _wait(ended, min(SLICE, left) if left > 0 else SLICE)
            look()
            for error in ends:
                if error is not None:
                    raise error
    except BaseException:
        cancel[0] = 1
        while len(ends) < started:
            _wait(ended, SLICE)
        raise


def _wait(ended: SimpleQueue[None], seconds: float) -> None:
    with suppress(Empty):
        ended.get(timeout=seconds)

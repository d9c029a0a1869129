"""Worker threads whose caller can always be interrupted.

The threads module and concurrent.futures take locks in Python code while a thread starts; Ctrl-C at
that moment can leave one locked.  Here a thread starts in one call of C and reports its end to a
queue written in C, so that a KeyboardInterrupt of the caller has nowhere to do harm.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from queue import Empty, SimpleQueue

SLICE = 0.05  # seconds that the caller waits between looks


def run_in_threads(
    work: Callable[[], object], n_threads: int, cancel: bytearray, look: Callable[[], object]
) -> None:
    """Call work() in n_threads threads and look() in the caller's now and then, until all end.

    On any error, in a thread or in the caller, KeyboardInterrupt above all, the cancel flag is set,
    the threads are waited for, and the error is raised.
    """
    ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def thread() -> None:
        error = None
        try:
            work()
        except BaseException as caught:
            error = caught
        ended.put(error)

    running = 0
    try:
        for _ in range(n_threads):
            _thread.start_new_thread(thread, ())
            running += 1
        while running:
            try:
                error = ended.get(timeout=SLICE)
            except Empty:
                error = None
            else:
                running -= 1
            if error is not None:
                raise error
            look()
    except BaseException:
        cancel[0] = 1
        while running:
            ended.get()
            running -= 1
        raise

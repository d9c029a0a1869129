"""Time of matches on 3x3, with one thread and with all.

    python benchmarks/match.py

Each line is the best of several runs of ten thousand games with each colour; of two callables in
Python, microseconds a move beyond their own time.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from functools import partial

import mbx

GAMES = 10_000


def seconds(job: Callable[[], object], repeats: int = 5) -> float:
    """The best time of a job."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            job()
        times.append(time.perf_counter() - begin)
    return min(times)


class Fixed:
    """An AI that plays the first or the last legal move, and times itself."""

    def __init__(self, which: int) -> None:
        self.which = which
        self.moves = 0
        self.seconds = 0.0

    def __call__(self, mb: mbx.Marubatsu) -> tuple[int, int]:
        """The move."""
        begin = time.perf_counter()
        move = mb.calc_legal_moves()[self.which]
        self.moves += 1
        self.seconds += time.perf_counter() - begin
        return move


def overhead() -> float:
    """Microseconds a move that ai_match takes beyond the time of two callables."""
    ais = Fixed(0), Fixed(-1)
    total = seconds(lambda: mbx.ai_match(ais, match_num=GAMES), repeats=1)
    own = sum(ai.seconds for ai in ais)
    return (total - own) / sum(ai.moves for ai in ais) * 1e6


def main() -> None:
    """Measure and print."""
    pairs = [
        ("random", "random"),
        (mbx.PmcPlayer(1000), "random"),
        (mbx.PmcPlayer(1000, allocation="equal"), "random"),
        (mbx.PmcPlayer(1000, allocation="halving"), "random"),
        (mbx.PmcPlayer(1000), mbx.PmcPlayer(1000)),
        ("perfect", "random"),
    ]
    for a, b in pairs:
        times = [seconds(partial(mbx.match, a, b, GAMES, threads=threads)) for threads in (1, None)]
        print(f"{a!s:20} {b!s:10} one thread {times[0]:6.2f} s, all {times[1]:6.2f} s", flush=True)
    params = [{"pnum": 1000}, {}]
    time_of_article = seconds(lambda: mbx.ai_match([mbx.ai_pmc, mbx.ai_random], params, GAMES))
    print(f"ai_match of ai_pmc (1,000 playouts) and ai_random: {time_of_article:.2f} s")
    print(f"ai_match of two callables: {min(overhead() for _ in range(3)):.1f} µs a move more")


if __name__ == "__main__":
    main()

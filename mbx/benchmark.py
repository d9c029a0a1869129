"""How fast playouts are on this machine: every kernel beside a scalar loop in C and plain Python.

All that is compared runs in turn within each round, and the rounds follow each other, so that a
slow moment of the machine meets everyone; the best round counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from numbers import Real
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from . import _core, games
from .article import playout
from .convert import read_batch
from .game import Game
from .machine import Info, info
from .marubatsu import Marubatsu
from .playouts import count_rows, playout_counts
from .tables import html_table, text_table
from .work import Progress, count_cores, reporting

#: The games that are measured, by their names in `bench(games=…)` and `mbx bench --games`.
GAMES = {
    "3x3": games.MARUBATSU,
    "4x4": Game((4, 4), 4),
    "5x5": Game((5, 5), 4),
    "4x4x4": games.QUBIC,
    "9x9": Game((9, 9), 5),
    "15x15": games.GOMOKU,
    "connect-four": games.CONNECT_FOUR,
    "4x4x4-gravity": games.SCORE_FOUR,
    "5x5x5-gravity": games.RITTAI_GOMOKU,
}
ROUNDS = 10
BATCH = 2**14  # playouts of a batch
EACH = (64, 1024)  # playouts of a position in a batch


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark:
    """The result of `bench`: G games, K kernels, T numbers of threads.

    Rates are playouts a second from the empty board; one thread where nothing else is said.

    games         list of the G games
    kernels       the K kernels, the slowest first; the last one is used for what follows `rates`
    rates         float64 (G, K)
    threads       the T numbers of threads beyond one
    thread_rates  float64 (G, T)
    each          playouts of a position in batches of positions: 64 and 1,024
    batch_rates   float64 (G, 2), in such batches
    scalar        float64 (G,): a loop in C that plays one game at a time
    python        float64 (G,): a loop in plain Python
    calls         seconds that calls take which a person waits for, by their text
    info          the machine
    """

    games: list[Game]
    kernels: tuple[str, ...]
    rates: NDArray[np.float64]
    threads: tuple[int, ...]
    thread_rates: NDArray[np.float64]
    each: tuple[int, ...]
    batch_rates: NDArray[np.float64]
    scalar: NDArray[np.float64]
    python: NDArray[np.float64]
    calls: dict[str, float]
    info: Info

    @property
    def ratio(self) -> NDArray[np.float64]:
        """float64 (G,): how many times as fast as the scalar loop the last kernel is."""
        ratio: NDArray[np.float64] = self.rates[:, -1] / self.scalar
        return ratio

    @property
    def title(self) -> str:
        """What the table shows, and the machine."""
        return f"Millions of playouts a second from the empty board; {self.info.processor}"

    def _cells(self) -> list[list[str]]:
        """The table, the head first."""
        rows = [
            [
                "game",
                *self.kernels,
                *(f"{n} threads" for n in self.threads),
                *(f"{n:,} each" for n in self.each),
                "scalar C",
                "Python",
                f"{self.kernels[-1]} / scalar",
            ]
        ]
        for i, game in enumerate(self.games):
            batches = self.batch_rates[i] / self.rates[i, -1]
            rows.append(
                [
                    _label(game),
                    *map(_millions, self.rates[i]),
                    *map(_millions, self.thread_rates[i]),
                    *(f"{share:.0%}" for share in batches),
                    _millions(self.scalar[i]),
                    _millions(self.python[i]),
                    f"{self.ratio[i]:.1f} x",
                ]
            )
        return rows

    def notes(self) -> list[str]:
        """What the columns mean, and how long the calls take."""
        last = self.kernels[-1]
        return [
            f"Kernels, scalar C and Python: one thread; the best of {ROUNDS} rounds.",
            f"64 each: the rate of {last} in batches of positions with so few playouts of each, "
            "relative to its full rate.",
            *(f"{call}: {_duration(seconds)}" for call, seconds in self.calls.items()),
            f"mbx {self.info.version}, {self.info.compiler}, {self.info.python}.",
        ]

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._cells()), "", *self.notes()])

    def __repr__(self) -> str:
        return f"<Benchmark of {len(self.games)} games, kernels {', '.join(self.kernels)}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._cells(), self.notes())


def _label(game: Game) -> str:
    gravity = ", gravity" if game.gravity else ""
    return f"{'×'.join(map(str, game.shape))}, k = {game.k}{gravity}"


def _millions(rate: float) -> str:
    millions = rate / 1e6
    return f"{millions:.0f}" if millions >= 100 else f"{millions:.3g}"


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


class _Contender:
    """Something to time: play(times) does `times` pieces of work, `size` games or calls each."""

    def __init__(self, play: Callable[[int], object], size: int = 1) -> None:
        self._play = play
        self._size = size
        self._times = 0
        self.rate = 0.0  # games or calls a second, the best so far

    def run(self, seconds: float) -> None:
        """Play for about so many seconds."""
        if not self._times:
            self._times = self._fitting(seconds)
        self.rate = max(self.rate, self._times * self._size / self._seconds(self._times))

    def _seconds(self, times: int) -> float:
        start = perf_counter()
        self._play(times)
        return max(perf_counter() - start, 1e-9)

    def _fitting(self, seconds: float) -> int:
        times = 1
        while (taken := self._seconds(times)) < seconds / 4:
            times *= 4
        return max(1, round(times * seconds / taken))


def _of_game(game: Game, kernels: Sequence[str], threads: Sequence[int]) -> list[_Contender]:
    """Every kernel, every number of threads, the two batches, the scalar loop, plain Python."""
    from .plain import Player

    start, size, last = game.start(), _core.playout_block(game), kernels[-1]

    def single(kernel: str) -> Callable[[int], object]:
        return lambda times: _core.playout_counts([start], 1, 0, 0, times * size, None, kernel)

    def threaded(n: int) -> Callable[[int], object]:
        return lambda times: count_rows([start], 1, 0, 0, times * size, threads=n, kernel=last)

    def batch(each: int) -> Callable[[int], object]:
        positions = [game.start() for _ in range(BATCH // each)]
        return lambda times: _repeat(
            times, lambda: count_rows(read_batch(positions), 1, 0, 0, each, threads=1, kernel=last)
        )

    return [
        *(_Contender(single(kernel), size) for kernel in kernels),
        *(_Contender(threaded(n), size) for n in threads),
        *(_Contender(batch(each), BATCH) for each in EACH),
        _Contender(lambda times: _core.scalar_counts(start, 1, 0, 0, times, None)),
        _Contender(Player(game).counts),
    ]


def _of_calls() -> dict[str, _Contender]:
    """The calls that a person waits for."""
    mb, pos = Marubatsu(), games.MARUBATSU.start()
    calls: dict[str, Callable[[], object]] = {
        "playout(mb, 10**6)": lambda: playout(mb, 10**6),
        "playout(mb, 100)": lambda: playout(mb, 100),
        "playout_counts(pos, 1000, seed=1)": lambda: playout_counts(pos, 1000, seed=1),
    }
    return {text: _Contender(partial(_repeat, call=call)) for text, call in calls.items()}


def _repeat(times: int, call: Callable[[], object]) -> None:
    for _ in range(times):
        call()


def bench(
    games: Iterable[str | Game] | None = None,
    seconds: float = 0.25,
    kernels: Iterable[str] | None = None,
    *,
    progress: Progress = None,
) -> Benchmark:
    """Measure the playouts a second of several games with every kernel that runs here.

    games: names out of mbx.benchmark.GAMES, or Games (default: all of those).  seconds is the time
    that each number of the table gets.  kernels: names out of mbx.info().kernels (default: all).
    progress: True for a bar, or a callable progress(done, total), in measurements.

    The result has the rates as arrays; print() shows them as a table, a notebook likewise.

    Raises TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> mbx.bench(["3x3"], seconds=0.01, kernels=["portable"]).rates.shape
    (1, 1)
    """
    chosen = _read_games(games)
    names = _read_kernels(kernels)
    if not isinstance(seconds, Real):
        raise TypeError(f"seconds must be a number, not {seconds!r}")
    if not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be more than 0 and finite, not {seconds!r}")
    threads = tuple(n for n in sorted({2, count_cores()}) if 1 < n <= count_cores())
    of_games = [_of_game(game, names, threads) for game in chosen]
    of_calls = _of_calls()
    everyone = [*chain(*of_games), *of_calls.values()]
    with reporting(progress) as report:
        for turn, contender in enumerate(everyone * ROUNDS, 1):
            contender.run(seconds / ROUNDS)
            report(turn, ROUNDS * len(everyone))
    rates = np.array([[contender.rate for contender in row] for row in of_games])
    ends = np.cumsum([len(names), len(threads), len(EACH), 1])
    by_kernel, by_threads, by_batch, scalar, python = np.hsplit(rates, ends)
    return Benchmark(
        games=chosen,
        kernels=names,
        rates=by_kernel,
        threads=threads,
        thread_rates=by_threads,
        each=EACH,
        batch_rates=by_batch,
        scalar=scalar[:, 0],
        python=python[:, 0],
        calls={text: 1 / contender.rate for text, contender in of_calls.items()},
        info=info(),
    )


def _read_games(games: Iterable[str | Game] | None) -> list[Game]:
    """The games that are named; at least one."""
    if isinstance(games, str) or not isinstance(games, Iterable | None):
        raise TypeError(f"games must be a list of names, not {games!r}")
    chosen = [_read_game(game) for game in (GAMES if games is None else games)]
    if not chosen:
        raise ValueError("games must name at least one game, not []")
    return chosen


def _read_game(game: str | Game) -> Game:
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise TypeError(f"games must be names or mbx.Games, not {game!r}")
    if game not in GAMES:
        raise ValueError(f"games must be out of {', '.join(GAMES)}, not {game!r}")
    return GAMES[game]


def _read_kernels(kernels: Iterable[str] | None) -> tuple[str, ...]:
    """The kernels that are named, the slowest first; at least one."""
    if isinstance(kernels, str) or not isinstance(kernels, Iterable | None):
        raise TypeError(f"kernels must be a list of names, not {kernels!r}")
    named = set(_core.KERNELS if kernels is None else kernels)
    if not named or not named <= set(_core.KERNELS):
        raise ValueError(f"kernels must be out of {', '.join(_core.KERNELS)}, not {kernels!r}")
    return tuple(name for name in _core.KERNELS if name in named)

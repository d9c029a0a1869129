"""Alpha-beta at its limits: of time, of memory, of stacks, in threads, under Ctrl-C."""

from __future__ import annotations

import contextlib
import gc
import math
import os
import pickle
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from alphabeta_cases import ALGORITHMS, check_variation, count_lines, ones, seen
from test_interrupt import INTERRUPT
from test_memory import GROWTH

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
GOMOKU = mbx.games.GOMOKU
RITTAI_GOMOKU = mbx.games.RITTAI_GOMOKU
START = MARUBATSU.start()


# -- time, Ctrl-C


def lateness(call: Any, timelimit: float) -> tuple[float, Any]:
    """By how much a call comes too late, the best of three if need be, and what it gave."""
    for _ in range(3):
        started = time.perf_counter()
        result = call()
        late = time.perf_counter() - started - timelimit
        if late < 0.05:
            break
    return late, result


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"algorithm": "minimax"},
        {"algorithm": "mtdf", "extend": True},
        {"evaluation": "threats", "ordering": False, "table": None},
        {"evaluation": ones},
    ],
    ids=lambda options: " ".join(options) or "plain",
)
@pytest.mark.parametrize("game", [GOMOKU, RITTAI_GOMOKU], ids=repr)
def test_the_time_limit_holds(game: mbx.Game, options: dict[str, Any]) -> None:
    position, timelimit = game.position([7, 8, 7]) if game.gravity else game.start(), 0.12
    for scores in (False, True):
        call = partial(mbx.alphabeta, position, timelimit=timelimit, scores=scores, **options)
        late, result = lateness(call, timelimit)
        assert -0.06 < late < 0.05
        assert result.stop == "time" and result.move in result.moves
        check_variation(result, position)
        same = mbx.alphabeta(position, result.depth, **options)
        assert result.value == same.value


def test_a_time_limit_in_one_evaluation_after_another() -> None:
    def slow(boards: np.ndarray) -> np.ndarray:
        time.sleep(0.005)
        return ones(boards)

    late, result = lateness(lambda: mbx.alphabeta(START, evaluation=slow, timelimit=0.1), 0.1)
    assert late < 0.05 and result.move in result.moves


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("game", [GOMOKU, RITTAI_GOMOKU, MARUBATSU], ids=repr)
def test_a_tiny_time_limit_gives_a_move(game: mbx.Game, algorithm: str) -> None:
    for timelimit in (1e-300, 1e-9, 1e-4):
        for scores in (True, False):
            result = mbx.alphabeta(
                game.start(), 30, timelimit=timelimit, algorithm=algorithm, scores=scores
            )
            assert result.move in result.moves and type(result.value) is int
            assert result.stop in ("time", "proven", "depth")
            check_variation(result, game.start())
            assert str(result) and result._repr_html_()


def test_a_time_limit_that_is_not_needed() -> None:
    for timelimit in (60, math.inf):
        try:
            result = mbx.alphabeta(START, 4, timelimit=timelimit, table=2**10)
        except ValueError:
            assert timelimit == math.inf
        else:
            assert seen(result) == seen(mbx.alphabeta(START, 4, table=2**10))
    result = mbx.alphabeta(START, timelimit=60)
    assert result.proven and result.stop == "proven" and result.seconds < 5


def test_progress() -> None:
    told, thread = [], threading.get_ident()

    def progress(*numbers: int) -> None:
        assert threading.get_ident() == thread
        told.append(numbers)

    mbx.alphabeta(CONNECT_FOUR.start(), 14, progress=progress)
    assert told and len({len(numbers) for numbers in told}) == 1


def test_a_progress_callback_that_raises() -> None:
    def fail(*numbers: int) -> None:
        raise ArithmeticError("here")

    search, position = mbx.AlphaBeta(CONNECT_FOUR), CONNECT_FOUR.start()
    with pytest.raises(ArithmeticError, match="here"):
        search.search(position, 42, progress=fail)
    assert search.search(position, 6).value == mbx.alphabeta(position, 6).value


CALLS = [
    "mbx.alphabeta(wide, 40)",
    "mbx.alphabeta(wide, 40, algorithm='minimax')",
    "mbx.alphabeta(wide, 9, algorithm='mtdf', scores=True, ordering=False, table=None)",
    "mbx.alphabeta(c4, 42, algorithm='scout', table=7, progress=lambda *numbers: None)",
    "mbx.alphabeta(c4, timelimit=60, extend=True, evaluation='threats')",
    "mbx.alphabeta(c4, 30, evaluation=lambda b: np.zeros(len(b), int))",
    "mbx.alphabeta(mbx.games.RITTAI_GOMOKU.start(), 30, scores=True)",
]


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c(run) -> None:
    """As in test_interrupt.py, one call after another."""
    calls = ", ".join(f"lambda: {call}" for call in CALLS)
    code = INTERRUPT.replace("for _ in range(2)", f"for call in [{calls}]")
    assert run(code.replace("CALL", "call()")).stdout.endswith("done\n")


USED_AGAIN = """
import signal, time
import mbx
signal.signal(signal.SIGALRM, signal.default_int_handler)
game = mbx.games.CONNECT_FOUR
position = game.position("44")
expected = [mbx.alphabeta(position, depth).value for depth in range(1, 8)]
search = mbx.AlphaBeta(game)
for delay in [*range(50, 3_000, 60), *range(3_000, 30_000, 3_000)]:
    started = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, delay / 1e6)
        search.search(position, 42, timelimit=2)
        raise SystemExit("ended before the signal, or swallowed it")
    except KeyboardInterrupt:
        seconds = time.perf_counter() - started - delay / 1e6
    assert seconds < 1, f"{delay} microseconds after the start: interrupted after {seconds:.3f} s"
    found = search.found
    assert found is None or found.depth > 7 or found.value == expected[found.depth - 1]
    depth = delay % 7 + 1
    assert search.search(position, depth).value == expected[depth - 1]
print("done")
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGALRM")
def test_an_interrupted_search_is_used_again(run) -> None:
    assert run(USED_AGAIN).stdout == "done\n"


# -- threads, stacks, memory


def test_searches_from_many_threads() -> None:
    def work(seed: int) -> tuple:
        algorithm = ALGORITHMS[1 + seed % 4]
        return seen(mbx.alphabeta(CONNECT_FOUR.position([seed % 7]), 8, algorithm=algorithm))

    serial = [work(seed) for seed in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == serial


@pytest.mark.parametrize("in_python", [False, True])
def test_one_search_from_many_threads(in_python: bool) -> None:
    """In turn, or an error; never a wrong value."""
    weights = [1, 5, 20]
    options: dict[str, Any] = {"weights": weights}
    if in_python:
        options = {"evaluation": count_lines(CONNECT_FOUR, weights)}
    search = mbx.AlphaBeta(CONNECT_FOUR, table=2**12, **options)
    expected = {
        (move, depth): mbx.alphabeta(CONNECT_FOUR.position([move]), depth, weights=weights).value
        for move in range(7)
        for depth in (2, 3)
    }
    done = []

    def work(seed: int) -> None:
        move, depth = seed % 7, 2 + seed % 2
        try:
            if seed % 5 == 4:
                search.clear()
            found = search.search(CONNECT_FOUR.position([move]), depth).value
            assert found == expected[move, depth]
            done.append(seed)
        except RuntimeError as error:
            assert str(error)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(60)))
    assert done


def test_other_threads_run_while_the_core_works() -> None:
    ticks, stop = [], threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    mbx.alphabeta(GOMOKU.start(), timelimit=0.4)
    ended = time.perf_counter()
    stop.set()
    thread.join()
    during = [started, *(t for t in ticks if started < t < ended), ended]
    assert np.diff(during).max() < 0.6 * (ended - started)


def test_no_recursion_over_depth(run) -> None:
    """A board 1 wide and 200 high, with a low recursion limit, in a thread with a small stack."""
    code = """
import sys, threading
import numpy as np
import mbx
def work():
    for game in (mbx.Game((1, 200), 4, True), mbx.Game((1, 255), 4, True)):
        zeros = lambda boards: np.zeros(len(boards), np.int64)
        for algorithm in ("minimax", "alphabeta", "scout", "pvs", "mtdf"):
            for options in ({}, {"extend": True}, {"table": None}, {"evaluation": zeros}):
                result = mbx.alphabeta(game.start(), 255, algorithm=algorithm, **options)
                assert result.value == 0 and result.proven and result.move == 0
                assert result.distance == game.n_cells
                str(result), result._repr_html_()
        minimax = mbx.alphabeta(game.start(), 255, algorithm="minimax", deepen=False)
        assert minimax.nodes == game.n_cells + 1
        assert minimax.variation == [0] * game.n_cells
    for game in (mbx.games.GOMOKU, mbx.games.RITTAI_GOMOKU, mbx.games.CONNECT_FOUR):
        mbx.alphabeta(game.start(), 4, extend=True)
        mbx.alphabeta(game.start(), 300, timelimit=0.02)
    done.append(True)
done = []
threading.stack_size(256 * 1024)
sys.setrecursionlimit(200)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert done
"""
    run(code)


STEPS = {
    "searches": (
        120,
        "a = mbx.AlphaBeta(c4, table=1000); a.search(c4.start(), 3); a.clear();"
        " r = mbx.alphabeta(pos, 3, scores=True, table=100); r._repr_html_(); str(r);"
        " mbx.alphabeta(c4.start(), 4, extend=True, evaluation='threats', algorithm='mtdf')",
    ),
    "searches with an evaluation": (
        120,
        "mbx.alphabeta(pos, 2, evaluation=lambda b: np.zeros(len(b), np.int64))\n"
        "    with ignore: mbx.alphabeta(pos, 2, evaluation=fail)\n"
        "    with ignore: mbx.alphabeta(pos, 2, evaluation=lambda b: [i])\n"
        "    with ignore: mbx.alphabeta(pos, 2, evaluation=lambda b: np.ones(len(b)))",
    ),
    "wrong searches": (
        400,
        "with ignore: mbx.AlphaBeta(game, table=2**50)\n"
        "    with ignore: mbx.AlphaBeta(game, weights=[1])\n"
        "    with ignore: mbx.AlphaBeta(5)\n"
        "    with ignore: mbx.AlphaBeta(game, ordering=('forced', 'x'))\n"
        "    with ignore: mbx.alphabeta(pos, 0)\n"
        "    with ignore: mbx.alphabeta(pos, 'x')\n"
        "    with ignore: mbx.AlphaBeta(game).search(c4.start(), 2)",
    ),
    "failing searches": (8, "with ignore: mbx.alphabeta(c4.start(), 42, progress=fail)"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("name", STEPS)
def test_the_process_does_not_grow(run, name: str) -> None:
    repeats, statements = STEPS[name]
    run(GROWTH.replace("STATEMENTS", statements), repeats)


def test_a_huge_table_is_refused_before_memory_is_taken(run) -> None:
    code = """
import resource
import mbx
resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
for table in (2**34, 2**40, 2**50, 2**60):
    try:
        mbx.AlphaBeta(mbx.games.MARUBATSU, table=table)
        raise SystemExit(f"{table} was taken")
    except mbx.TooLargeError as error:
        assert "table" in str(error)
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 500_000
"""
    run(code)


def test_reference_counts() -> None:
    position = MARUBATSU.position([4])
    weights = [1, 10_007]

    def evaluate(boards: np.ndarray) -> np.ndarray:
        return ones(boards)

    def use() -> None:
        mbx.alphabeta(position, 3, weights=weights)
        mbx.alphabeta(position, 2, evaluation=evaluate, scores=True)
        search = mbx.AlphaBeta(MARUBATSU, evaluation=evaluate)
        search.search(position, 2)
        with pytest.raises(ValueError):
            search.search(position, 0)

    use()
    targets = (position, weights, weights[1], evaluate, MARUBATSU)
    before = [sys.getrefcount(target) for target in targets]
    for _ in range(10):
        use()
    assert [sys.getrefcount(target) for target in targets] == before


def test_tables_are_freed_at_once() -> None:
    """Also those of searches that failed or whose results are kept: no cycle waits for gc."""
    gc.disable()
    try:
        for evaluation in ("lines", ones, lambda boards: [0.5] * len(boards)):
            search = mbx.AlphaBeta(MARUBATSU, evaluation=evaluation)
            result = None
            with contextlib.suppress(TypeError):
                result = search.search(START, 3)
            assert (result is None) == (evaluation not in ("lines", ones))
            assert search.found is None or search.found.depth == 3
            gone = weakref.ref(search)
            del search
            assert gone() is None
    finally:
        gc.enable()


def test_results_outlive_their_search_and_are_pickled() -> None:
    search = mbx.AlphaBeta(CONNECT_FOUR)
    result = search.search(CONNECT_FOUR.start(), 5, scores=True)
    kept = seen(result)
    for depth in (2, 6):
        search.search(CONNECT_FOUR.position([3]), depth)
    search.clear()
    del search
    assert seen(result) == kept == seen(pickle.loads(pickle.dumps(result)))
    for name in ("moves", "values", "lower", "upper", "value_lower", "value_upper"):
        assert len(getattr(result, name)) == 7
    with pytest.raises(AttributeError):
        result.move = 3

"""Bad input, limits of time and nodes, Ctrl-C, memory, small stacks: the search stays usable."""

from __future__ import annotations

import math
import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from article_boards import KINDS, ReaderMarubatsu
from mcts_trees import check, table

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
FINISHED = [
    MARUBATSU.position([0, 3, 1, 4, 2]),
    MARUBATSU.position([0, 1, 2, 4, 3, 5, 7, 6, 8]),
    CONNECT_FOUR.position("4343434"),
]


# -- input


@pytest.mark.parametrize("n", [0, -1, -(10**30), 2**63, 2**64, 10**30])
def test_numbers_that_are_refused(n: int) -> None:
    with pytest.raises((ValueError, OverflowError), match=r"n must|simulations"):
        mbx.mcts(MARUBATSU.start(), n)
    search = mbx.MCTS(MARUBATSU.start(), seed=1)
    for call in (search.run, lambda n: list(search.steps(n))):
        with pytest.raises((ValueError, OverflowError)):
            call(n)
    assert search.run(10).simulations == 10


@pytest.mark.parametrize("n", ["4", 4.0, [4], math.nan, 1j, np.array([4])])
def test_what_is_no_number(n) -> None:
    with pytest.raises(TypeError):
        mbx.mcts(MARUBATSU.start(), n)
    with pytest.raises(TypeError):
        mbx.MCTS(MARUBATSU.start()).run(n)


def test_a_run_needs_a_number_or_a_time() -> None:
    with pytest.raises((TypeError, ValueError), match=r"n|timelimit"):
        mbx.MCTS(MARUBATSU.start()).run()


VALUES = (ValueError, OverflowError)
WRONG = [
    ("c", -1, ValueError),
    ("c", math.nan, ValueError),
    ("c", math.inf, ValueError),
    ("c", "fast", ValueError),
    ("c", None, TypeError),
    ("c", [1], TypeError),
    ("playouts_per_leaf", 0, ValueError),
    ("playouts_per_leaf", -1, ValueError),
    ("playouts_per_leaf", 2**70, VALUES),
    ("playouts_per_leaf", 2**40, VALUES),
    ("playouts_per_leaf", 1.0, TypeError),
    ("playouts_per_leaf", "1", TypeError),
    ("max_nodes", 0, ValueError),
    ("max_nodes", -1, ValueError),
    ("max_nodes", 10**30, VALUES),
    ("max_nodes", 5.5, TypeError),
    ("max_nodes", "5", TypeError),
    ("draw_value", -0.1, ValueError),
    ("draw_value", 1.1, ValueError),
    ("draw_value", math.nan, ValueError),
    ("draw_value", "x", TypeError),
    ("draw_value", None, TypeError),
    ("final", "best", ValueError),
    ("final", 3, (TypeError, ValueError)),
    ("final", None, (TypeError, ValueError)),
    ("temperature", -1, ValueError),
    ("temperature", math.nan, ValueError),
    ("temperature", "hot", TypeError),
    ("evaluator", 5, TypeError),
    ("evaluator", "x", TypeError),
    ("batch_size", 0, ValueError),
    ("batch_size", -3, ValueError),
    ("batch_size", 2.5, TypeError),
    ("batch_size", 10**30, VALUES),
    ("batch_size", 10**12, VALUES),
    ("noise", -1, (TypeError, ValueError)),
    ("noise", (0.25, -1), ValueError),
    ("noise", (0, 0.25), ValueError),
    ("noise", (1, 1.5), ValueError),
    ("noise", (math.nan, 1), ValueError),
    ("noise", (1, math.nan), ValueError),
    ("noise", (math.inf, 0.25), ValueError),
    ("noise", ("1", 0.25), TypeError),
    ("noise", (1, 0.25, 3), TypeError),
    ("noise", "x", (TypeError, ValueError)),
    ("seed", -1, ValueError),
    ("seed", 2**128, ValueError),
    ("seed", "x", TypeError),
    ("seed", 1.5, TypeError),
    ("threads", 0, ValueError),
    ("threads", -1, ValueError),
    ("threads", 1.5, TypeError),
    ("threads", "2", TypeError),
]


def uniform(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((len(boards), 9)), np.zeros(len(boards))


@pytest.mark.parametrize(("name", "value", "error"), WRONG, ids=str)
def test_options_that_are_refused(name: str, value, error) -> None:
    """The message names the argument."""
    options = {"evaluator": uniform} if name in ("noise", "batch_size") else {}
    with pytest.raises(error, match=name):
        mbx.MCTS(MARUBATSU.start(), **options | {name: value})


def test_an_unknown_keyword() -> None:
    for call in (mbx.MCTS, mbx.mcts):
        with pytest.raises(TypeError, match=r"playout_per_leaf|max_nodes"):
            call(MARUBATSU.start(), playout_per_leaf=3)


@pytest.mark.parametrize("timelimit", [0, -1, math.nan, -math.inf])
def test_time_limits_that_are_refused(timelimit: float) -> None:
    with pytest.raises(ValueError, match="timelimit"):
        mbx.mcts(MARUBATSU.start(), 100, timelimit=timelimit)
    with pytest.raises(ValueError, match="timelimit"):
        mbx.MCTS(MARUBATSU.start()).run(timelimit=timelimit)
    with pytest.raises(TypeError, match="timelimit"):
        mbx.mcts(MARUBATSU.start(), 100, timelimit="1")


def test_what_is_no_position() -> None:
    for wrong in (None, 5, "...", np.zeros((3, 3)), mbx.Position, [MARUBATSU.start()], MARUBATSU):
        for call in (mbx.mcts, mbx.MCTS):
            with pytest.raises(TypeError):
                call(wrong)


@pytest.mark.parametrize("pos", FINISHED, ids=repr)
def test_finished_positions(pos: mbx.Position) -> None:
    with pytest.raises(mbx.GameOverError):
        mbx.mcts(pos, 10)
    with pytest.raises(mbx.GameOverError):
        mbx.MCTS(pos).run(10)
    assert pos.status != -1


@pytest.mark.parametrize("bad", [-1, math.nan, math.inf, "x", None, [1]], ids=str)
def test_a_schedule_that_gives_no_number(bad) -> None:
    search = mbx.MCTS(MARUBATSU.start(), lambda visits: bad if visits > 50 else 1, seed=1)
    with pytest.raises((TypeError, ValueError)):
        search.run(1_000)
    check(search)


def test_a_schedule_that_raises() -> None:
    def c(visits: int) -> float:
        if visits > 100:
            raise ArithmeticError("here")
        return 1.0

    search = mbx.MCTS(MARUBATSU.start(), c, seed=1)
    with pytest.raises(ArithmeticError, match="here"):
        search.run(1_000)
    check(search)


def test_objects_of_the_article() -> None:
    """Moves are those of mbx, in the object's own order; the object is left as it is."""
    for mb in (mbx.Marubatsu(), *(ReaderMarubatsu(kind) for kind in KINDS)):
        mb.move(mb.calc_legal_moves()[4])
        legal, status = list(mb.calc_legal_moves()), mb.status
        result = mbx.mcts(mb, 500, seed=1)
        xys = [tuple(mb.board.move_to_xy(move)) for move in legal]
        assert result.moves.tolist() == [x + 3 * y for x, y in xys]
        assert result.visits.sum() == 500 and result.move in (0, 2, 6, 8)
        assert list(mb.calc_legal_moves()) == legal and mb.status == status


# -- time


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("game", [mbx.games.RITTAI_GOMOKU, mbx.games.GOMOKU, MARUBATSU], ids=repr)
def test_the_time_limit_holds(game, threads: int) -> None:
    late = []
    for _ in range(3):
        search = mbx.MCTS(game.start(), seed=1, threads=threads)
        search.run(10)
        started = time.perf_counter()
        result = search.run(timelimit=0.15)
        late.append(time.perf_counter() - started - 0.15)
        assert result.stop == "time" and result.simulations > 10 and not result.proven
        assert result.visits.sum() == result.simulations
    assert -0.1 < min(late) < 0.05 and result.move in result.moves


def test_the_time_limit_holds_with_many_playouts_a_leaf() -> None:
    late = []
    for _ in range(3):
        started = time.perf_counter()
        result = mbx.mcts(
            mbx.games.GOMOKU.start(), 10**9, timelimit=0.15, playouts_per_leaf=1_000, seed=1
        )
        late.append(time.perf_counter() - started - 0.15)
    assert min(late) < 0.05 and result.stop == "time"


def test_the_time_limit_holds_with_an_evaluator() -> None:
    late = []
    for _ in range(3):
        started = time.perf_counter()
        result = mbx.mcts(MARUBATSU.start(), 10**9, timelimit=0.15, evaluator=uniform, seed=1)
        late.append(time.perf_counter() - started - 0.15)
    assert min(late) < 0.05 and result.stop == "time" and result.visits.sum() > 0


def test_progress() -> None:
    for threads in (1, 2):
        told = []
        thread = threading.get_ident()

        def progress(done: int, total: int, told=told, thread=thread) -> None:
            assert threading.get_ident() == thread
            told.append((done, total))

        mbx.mcts(CONNECT_FOUR.start(), 200_000, seed=1, progress=progress, threads=threads)
        done = [each for each, _ in told]
        assert done == sorted(done) and told[-1] == (200_000, 200_000)
    with pytest.raises(TypeError, match="progress"):
        mbx.mcts(MARUBATSU.start(), 10, progress=5)


def test_a_progress_callback_that_raises() -> None:
    def fail(done: int, total: int) -> None:
        raise ArithmeticError("here")

    search = mbx.MCTS(MARUBATSU.start(), seed=1, max_nodes=2_000)
    with pytest.raises(ArithmeticError, match="here"):
        search.run(10**9, progress=fail)
    check(search, max_nodes=2_000)
    simulations = search.stats.simulations
    search.run(1_000)
    assert search.stats.simulations == simulations + 1_000
    check(search, max_nodes=2_000)


# -- nodes, memory, stacks, threads


@pytest.mark.parametrize("max_nodes", [1, 2, 3, 10, 500])
@pytest.mark.parametrize(
    "options",
    [{}, {"expand_all": True}, {"solver": True}, {"playouts_per_leaf": 4}, {"evaluator": uniform}],
    ids=str,
)
def test_never_more_nodes(max_nodes: int, options: dict) -> None:
    search = mbx.MCTS(MARUBATSU.start(), max_nodes=max_nodes, seed=1, **options)
    for i in range(1, 6):
        result = search.run(400)
        assert result.nodes <= max_nodes
        assert result.simulations == 400 * i or result.proven or result.stop == "nodes"
        assert result.move in result.moves
    search.advance(4)
    assert search.run(500).nodes <= max_nodes


def test_a_large_number_of_nodes_takes_no_memory_beforehand() -> None:
    assert mbx.mcts(MARUBATSU.start(), 10, max_nodes=2**40).simulations == 10


def test_no_recursion_over_depth(run) -> None:
    """A board 1 wide and 200 high, with a low recursion limit, in a thread with a small stack."""
    code = """
import sys, threading
import numpy as np
import mbx
def uniform(boards):
    return np.ones((len(boards), 1)), np.zeros(len(boards))
def work():
    game = mbx.Game((1, 200), 4, True)
    for options in ({}, {"solver": True}, {"expand_all": True}, {"evaluator": uniform}):
        search = mbx.MCTS(game.start(), seed=1, **options)
        result = search.run(700)
        assert result.depth > 190 or result.proven or "evaluator" in options
        assert len(search.tree().parent) > 90 and result.move == 0
        for _ in range(100):
            search.advance(0)
        if not "evaluator" in options:
            search.save("search")
            assert mbx.MCTS.load("search").position.ply == 100
        search.run(10)
        str(search.stats), search.stats._repr_html_()
        if not "evaluator" in options:
            next(search.steps(1), None)
    mbx.mcts(mbx.games.GOMOKU.start(), 1_000)
    mbx.mcts(mbx.games.RITTAI_GOMOKU.start(), 1_000, playouts_per_leaf=3)
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


def test_searches_from_many_threads() -> None:
    def work(seed: int) -> list[int]:
        return mbx.mcts(
            CONNECT_FOUR.start(), 2_000, seed=seed, threads=1 + seed % 2
        ).visits.tolist()

    serial = [work(seed) for seed in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == serial


def test_one_search_from_many_threads_is_an_error_or_in_turn() -> None:
    """Never a broken tree; who comes in between is told so."""
    search = mbx.MCTS(CONNECT_FOUR.start(), seed=1)
    done = []

    def work(_: int) -> None:
        for call in (lambda: search.run(3_000), search.tree, lambda: search.stats):
            try:
                call()
                done.append(1)
            except RuntimeError:
                pass

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(12)))
    assert done
    check(search)
    search.run(10)
    check(search)


def test_reference_counts() -> None:
    pos, c = MARUBATSU.start(), lambda visits: 1.0

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return uniform(boards)

    def use() -> None:
        mbx.mcts(pos, 50, c, seed=1)
        mbx.mcts(pos, 50, evaluator=evaluator, seed=1)
        search = mbx.MCTS(pos, c, evaluator=evaluator)
        search.run(20)
        search.tree()
        with pytest.raises(ValueError):
            search.run(0)

    use()
    targets = (pos, c, evaluator, pos.game)
    before = [sys.getrefcount(target) for target in targets]
    for _ in range(10):
        use()
    assert [sys.getrefcount(target) for target in targets] == before


def test_a_tree_outlives_its_search() -> None:
    search = mbx.MCTS(MARUBATSU.start(), seed=1)
    search.run(2_000)
    tree = search.tree()
    kept = table(tree)
    del search
    for seed in range(3):
        mbx.mcts(MARUBATSU.start(), 5_000, seed=seed)
    assert table(tree) == kept


def test_texts() -> None:
    for pos in (MARUBATSU.start(), CONNECT_FOUR.start(), mbx.Marubatsu()):
        for n in (1, 500):
            result = mbx.mcts(pos, n, solver=True, seed=1)
            assert str(result.simulations) in str(result).replace(",", "")
            assert "nan" not in result._repr_html_() or n == 1
            assert pickle.loads(pickle.dumps(result)).move == result.move


def test_the_recording() -> None:
    result = mbx.mcts(MARUBATSU.start(), 1_000, seed=1)
    recording = result.recording
    powers = [2**i for i in range(10)]
    assert recording.simulations.tolist()[:10] == powers
    assert recording.simulations.tolist()[10:] in ([], [1_000])
    for n, visits, values in zip(
        recording.simulations.tolist(), recording.visits, recording.values, strict=True
    ):
        same = mbx.mcts(MARUBATSU.start(), n, seed=1)
        assert visits.tolist() == same.visits.tolist() and visits.sum() == n
        assert np.array_equal(values, same.values, equal_nan=True)

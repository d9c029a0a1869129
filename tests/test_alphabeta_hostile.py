"""Bad input and evaluations in Python that misbehave: alpha-beta stays usable."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from alphabeta_cases import ALGORITHMS, count_lines, ones, seen
from article_boards import KINDS, ReaderMarubatsu, only

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
GOMOKU = mbx.games.GOMOKU
RITTAI_GOMOKU = mbx.games.RITTAI_GOMOKU
START = MARUBATSU.start()
FINISHED = [
    MARUBATSU.position([0, 3, 1, 4, 2]),
    MARUBATSU.position([0, 1, 2, 4, 3, 5, 7, 6, 8]),
    CONNECT_FOUR.position("4343434"),
]


def still_works(search: mbx.AlphaBeta) -> None:
    """After whatever happened: the value of the start of 3x3, and its centre after a corner."""
    assert search.game == MARUBATSU
    assert search.search(START, 9).value == 0
    assert search.search(MARUBATSU.position([0]), 9).move == 4


# -- input


VALUES = (ValueError, OverflowError)
WRONG: list[tuple[str, Any, Any]] = [
    ("algorithm", "best", ValueError),
    ("algorithm", "PVS", ValueError),
    ("algorithm", 3, (TypeError, ValueError)),
    ("algorithm", None, (TypeError, ValueError)),
    ("algorithm", ["pvs"], (TypeError, ValueError)),
    ("evaluation", "stones", ValueError),
    ("evaluation", 5, (TypeError, ValueError)),
    ("evaluation", None, (TypeError, ValueError)),
    ("weights", [], ValueError),
    ("weights", [1], ValueError),
    ("weights", [1, 2, 3], ValueError),
    ("weights", [[1, 2]], (TypeError, ValueError)),
    ("weights", [1.5, 2.0], TypeError),
    ("weights", [1, math.nan], TypeError),
    ("weights", [1, None], TypeError),
    ("weights", ["1", "2"], TypeError),
    ("weights", "12", TypeError),
    ("weights", 5, TypeError),
    ("weights", [10**9, 1], ValueError),
    ("weights", [1, -(10**9)], ValueError),
    ("weights", [1, 2**31], VALUES),
    ("weights", [1, 2**32], VALUES),
    ("weights", [1, 2**64], VALUES),
    ("weights", [1, -(10**30)], VALUES),
    ("threats", [], ValueError),
    ("threats", [1, 2], ValueError),
    ("threats", [1, 2, 3, 4], ValueError),
    ("threats", [1, 2, 3.5], TypeError),
    ("threats", [1, 2, "3"], TypeError),
    ("threats", 5, TypeError),
    ("threats", [1, 2, 10**9], ValueError),
    ("threats", [1, 2**32, 3], VALUES),
    ("threats", [-(2**64), 2, 3], VALUES),
    ("ordering", "best", (TypeError, ValueError)),
    ("ordering", ("forced", "best"), ValueError),
    ("ordering", 5, (TypeError, ValueError)),
    ("ordering", ("forced", 5), (TypeError, ValueError)),
    ("table", 0, ValueError),
    ("table", -1, ValueError),
    ("table", -(2**64), VALUES),
    ("table", 2**45, mbx.TooLargeError),
    ("table", 2**60, mbx.TooLargeError),
    ("table", 2**63 - 1, (mbx.TooLargeError, *VALUES)),
    ("table", 2**64, (mbx.TooLargeError, *VALUES)),
    ("table", 10**30, (mbx.TooLargeError, *VALUES)),
    ("table", 1.5, TypeError),
    ("table", "7", TypeError),
]


@pytest.mark.parametrize("name, value, error", WRONG, ids=str)
def test_options_that_are_refused(name: str, value: Any, error: Any) -> None:
    """The message names the argument."""
    options = {"evaluation": "threats"} if name == "threats" else {}
    for call in (
        lambda: mbx.AlphaBeta(MARUBATSU, **options, **{name: value}),
        lambda: mbx.alphabeta(START, 2, **options, **{name: value}),
    ):
        with pytest.raises(error, match=name):
            call()


def test_the_worst_weights_that_are_taken() -> None:
    """No sum of them leaves the range of evaluations, and none is mistaken for a win."""
    for game in (MARUBATSU, CONNECT_FOUR, GOMOKU):
        largest = 1
        for weight in (10**i for i in range(9)):
            try:
                mbx.AlphaBeta(game, weights=[weight] * (game.k - 1), table=None)
                largest = weight
            except ValueError:
                break
        position = game.position([4])
        for weights in ([largest] * (game.k - 1), [-largest] * (game.k - 1)):
            result = mbx.alphabeta(position, 2, weights=weights)
            assert abs(result.value) < 99_999_000 and not result.proven


@pytest.mark.parametrize("depth", [0, -1, -(2**31), -(2**63), -(10**30)])
def test_depths_that_are_refused(depth: int) -> None:
    search = mbx.AlphaBeta(MARUBATSU)
    for call in (search.search, mbx.alphabeta):
        with pytest.raises((ValueError, OverflowError), match="depth"):
            call(START, depth)
    still_works(search)


@pytest.mark.parametrize("depth", [10, 255, 256, 257, 2**31 - 1, 2**31, 2**32, 2**63, 10**30])
def test_depths_beyond_the_end(depth: int) -> None:
    """Nothing wraps: the whole game, or a clear error."""
    try:
        result = mbx.alphabeta(START, depth)
    except (ValueError, OverflowError) as error:
        assert "depth" in str(error) and depth > 2**31 - 2
    else:
        assert (result.value, result.proven, result.distance) == (0, True, 9)


@pytest.mark.parametrize("depth", ["4", 4.0, [4], (4,), math.nan, 1j, np.array([4]), b"4"], ids=str)
def test_what_is_no_depth(depth: Any) -> None:
    for call in (mbx.AlphaBeta(MARUBATSU).search, mbx.alphabeta):
        with pytest.raises(TypeError, match="depth"):
            call(START, depth)


def test_integers_of_numpy() -> None:
    expected = mbx.alphabeta(START, 3, weights=[1, 10], table=7)
    for integer in (np.int8, np.uint8, np.int64, np.uint64):
        weights = np.array([1, 10], integer)
        assert seen(mbx.alphabeta(START, integer(3), weights=weights, table=integer(7))) == seen(
            expected
        )


@pytest.mark.parametrize("timelimit", [0, -1, math.nan, -math.inf])
def test_time_limits_that_are_refused(timelimit: float) -> None:
    for call in (mbx.AlphaBeta(MARUBATSU).search, mbx.alphabeta):
        with pytest.raises(ValueError, match="timelimit"):
            call(START, 3, timelimit=timelimit)
        with pytest.raises(TypeError, match="timelimit"):
            call(START, timelimit="1")
        with pytest.raises(TypeError, match="progress"):
            call(START, 3, progress=5)


def test_unknown_keywords() -> None:
    for call in (
        lambda: mbx.AlphaBeta(MARUBATSU, tables=7),
        lambda: mbx.alphabeta(START, 3, tables=7),
    ):
        with pytest.raises(TypeError, match=r"tables"):
            call()
    with pytest.raises(TypeError):
        mbx.AlphaBeta(MARUBATSU).search(START, 3, table=7)
    with pytest.raises(TypeError):
        mbx.AlphaBeta(MARUBATSU, "pvs")


def test_what_is_no_position_or_game() -> None:
    search = mbx.AlphaBeta(MARUBATSU)
    for wrong in (None, 5, "...", np.zeros((3, 3)), mbx.Position, [START], MARUBATSU):
        for call in (mbx.alphabeta, search.search):
            with pytest.raises(TypeError):
                call(wrong, 3)
    for wrong in (None, 5, "3x3", START, mbx.Game, (3, 3)):
        with pytest.raises(TypeError):
            mbx.AlphaBeta(wrong)
    still_works(search)


def test_positions_of_another_game() -> None:
    search = mbx.AlphaBeta(MARUBATSU)
    for game in (CONNECT_FOUR, mbx.Game((3, 3), 3, True), mbx.Game((3, 3), 2), GOMOKU):
        with pytest.raises(ValueError, match=r"[Gg]ame"):
            search.search(game.start(), 3)
    with pytest.raises(ValueError, match=r"[Gg]ame"):
        search.search(mbx.Marubatsu(board_size=4), 3)
    assert search.search(mbx.Game((3, 3), 3).start(), 9).value == 0
    still_works(search)


@pytest.mark.parametrize("position", FINISHED, ids=repr)
def test_finished_positions(position: mbx.Position) -> None:
    for algorithm in ALGORITHMS:
        search = mbx.AlphaBeta(position.game, algorithm=algorithm)
        for call in (
            lambda search=search: search.search(position, 3),
            lambda search=search: search.search(position, timelimit=0.1, scores=True),
            lambda algorithm=algorithm: mbx.alphabeta(position, 3, algorithm=algorithm),
        ):
            with pytest.raises(mbx.GameOverError):
                call()
    assert position.status != -1


def test_objects_of_the_article() -> None:
    """Moves are those of mbx, in the object's own order; the object is left as it is."""
    for mb in (mbx.Marubatsu(), *(ReaderMarubatsu(kind) for kind in KINDS)):
        mb.move(mb.calc_legal_moves()[4])
        mb.move(mb.calc_legal_moves()[0])
        legal, status = list(mb.calc_legal_moves()), mb.status
        xys = [tuple(mb.board.move_to_xy(move)) for move in legal]
        seen_by_mbx = only(mb) if isinstance(mb, ReaderMarubatsu) else mb
        for scores in (True, False):
            result = mbx.alphabeta(seen_by_mbx, 9, scores=scores)
            position = MARUBATSU.position([4, 0])
            expected = mbx.alphabeta(position, 9, scores=scores)
            assert result.moves.tolist() == [x + 3 * y for x, y in xys] != expected.moves.tolist()
            order = np.argsort(result.moves)
            for name in ("moves", "values", "lower", "upper", "value_lower", "value_upper"):
                mine, other = getattr(result, name)[order], getattr(expected, name)
                assert np.array_equal(mine, other, equal_nan=name == "values")
            assert (result.move, result.variation) == (expected.move, expected.variation)
            assert result.start == position
        assert list(mb.calc_legal_moves()) == legal and mb.status == status


def test_inputs_are_left_as_they_were() -> None:
    def fail(boards: np.ndarray) -> np.ndarray:
        if len(calls) > 3:
            raise ArithmeticError("here")
        calls.append(1)
        return np.zeros(len(boards), np.int64)

    for game in (MARUBATSU, CONNECT_FOUR, RITTAI_GOMOKU):
        position = game.position([3, 1, 2])
        before = (position.copy(), position.moves, position.key, position.last_cell)
        weights = list(range(game.k - 1))
        for options in ({}, {"evaluation": fail}, {"algorithm": "mtdf"}, {"weights": weights}):
            calls: list[int] = []
            with contextlib.suppress(ArithmeticError):
                mbx.alphabeta(position, 3, **options)
            with pytest.raises(ValueError):
                mbx.alphabeta(position, -3, **options)
            now = (position, position.moves, position.key, position.last_cell)
            assert now == before and weights == list(range(game.k - 1))


def test_later_changes_of_the_input_change_nothing() -> None:
    position, weights = CONNECT_FOUR.position("44"), [1, 5, 20]
    search = mbx.AlphaBeta(CONNECT_FOUR, weights=weights, table=None)
    first = search.search(position, 4)
    weights[:] = [9, 0, 0]
    position.push(0)
    assert str(first.start) == str(CONNECT_FOUR.position("44"))
    assert seen(search.search(CONNECT_FOUR.position("44"), 4)) == seen(first)


# -- an evaluation in Python


BAD_ANSWERS = {
    "floats": lambda b: np.zeros(len(b)),
    "one float": lambda b: [0.5] * len(b),
    "nan": lambda b: np.full(len(b), np.nan),
    "infinity": lambda b: np.full(len(b), np.inf),
    "complex": lambda b: np.zeros(len(b), complex),
    "texts": lambda b: ["1"] * len(b),
    "objects": lambda b: np.array([object()] * len(b)),
    "None": lambda b: None,
    "Nones": lambda b: [None] * len(b),
    "a number": lambda b: 5,
    "too few": lambda b: np.zeros(len(b) - 1, np.int64),
    "too many": lambda b: np.zeros(len(b) + 1, np.int64),
    "none at all": lambda b: np.zeros(0, np.int64),
    "two axes": lambda b: np.zeros((len(b), 1), np.int64),
    "the boards": lambda b: b,
    "ragged": lambda b: [[1], [1, 2]],
    "too large": lambda b: np.full(len(b), 99_999_000),
    "too small": lambda b: np.full(len(b), -99_999_000),
    "a win": lambda b: np.full(len(b), 100_000_000),
    "past 32 bits": lambda b: np.full(len(b), 2**32),
    "past 63 bits": lambda b: np.full(len(b), 2**63, np.uint64),
    "least": lambda b: np.full(len(b), -(2**63)),
    "past 64 bits": lambda b: [10**30] * len(b),
    "dates": lambda b: np.zeros(len(b), "M8[s]"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_answers_that_are_refused(name: str) -> None:
    """At once, and in the middle of a search; the message names the evaluation."""
    for first in (0, 20):
        calls: list[int] = []

        def evaluate(boards: np.ndarray, first: int = first, calls: list[int] = calls) -> Any:
            calls.append(1)
            return ones(boards) if len(calls) <= first else BAD_ANSWERS[name](boards)

        search = mbx.AlphaBeta(MARUBATSU, evaluation=evaluate)
        for scores in (False, True):
            calls.clear()
            with pytest.raises((TypeError, ValueError, OverflowError), match="evaluation"):
                search.search(START, 5, scores=scores)


def test_answers_that_are_taken() -> None:
    expected = mbx.alphabeta(START, 3, evaluation=ones, scores=True)
    for answer in (
        lambda b: [1] * len(b),
        lambda b: (1,) * len(b),
        lambda b: np.ones(len(b), np.int8),
        lambda b: np.ones(len(b), np.uint64),
        lambda b: np.ones(len(b), ">i4"),
        lambda b: np.ones((len(b), 3), np.int16)[:, 1],
        lambda b: np.broadcast_to(np.int64(1), len(b)),
    ):
        assert seen(mbx.alphabeta(START, 3, evaluation=answer, scores=True)) == seen(expected)
    for limit in (99_998_999, -99_998_999):
        result = mbx.alphabeta(START, 2, evaluation=lambda b, v=limit: np.full(len(b), v))
        assert result.value == limit and not result.proven


@pytest.mark.parametrize("error", [ArithmeticError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_evaluation_that_raises(algorithm: str, error: type[BaseException]) -> None:
    """Its error is passed on, and what the table holds by then is no harm."""
    calls = {"until": 0, "now": 0}
    plain = count_lines(MARUBATSU, [1, 10])

    def evaluate(boards: np.ndarray) -> np.ndarray:
        calls["now"] += 1
        if calls["now"] == calls["until"]:
            raise error("here")
        return plain(boards)

    expected = mbx.alphabeta(START, 3, weights=[1, 10], algorithm=algorithm, scores=True)
    for until in (1, 2, 9):
        search = mbx.AlphaBeta(MARUBATSU, evaluation=evaluate, algorithm=algorithm)
        calls.update(until=until, now=0)
        with pytest.raises(error, match="here"):
            search.search(START, 3)
        calls.update(until=0)
        result = search.search(START, 3, scores=True)
        assert np.array_equal(result.values, expected.values)


def test_the_boards_of_an_evaluation() -> None:
    """Unfinished ones of the position's game, int8; they may be kept and written to."""
    plain = count_lines(CONNECT_FOUR, [1, 5, 20])
    kept: list[tuple[np.ndarray, np.ndarray]] = []

    def keep(boards: np.ndarray) -> np.ndarray:
        assert boards.dtype == np.int8 and boards.shape[1:] == (6, 7) and len(boards)
        kept.append((boards, boards.copy()))
        return plain(boards)

    def spoil(boards: np.ndarray) -> np.ndarray:
        values = plain(boards)
        if boards.flags.writeable:
            boards[...] = 7
        return values

    position = CONNECT_FOUR.position("4455")
    expected = mbx.alphabeta(position, 3, weights=[1, 5, 20])
    for evaluate in (keep, spoil):
        result = mbx.alphabeta(position, 3, evaluation=evaluate)
        assert (result.value, result.move) == (expected.value, expected.move)
    assert kept and all(np.array_equal(boards, copy) for boards, copy in kept)
    for board in kept[-1][1][:20]:
        assert CONNECT_FOUR.from_array(board).status == -1


def test_an_evaluation_that_calls_mbx() -> None:
    plain = count_lines(MARUBATSU, [1, 10])

    def evaluate(boards: np.ndarray) -> np.ndarray:
        assert mbx.alphabeta(CONNECT_FOUR.start(), 2).depth == 2
        assert mbx.alphabeta(START, 2, evaluation=plain).depth == 2
        assert mbx.solve(MARUBATSU.from_array(boards[0])).proven
        assert mbx.playout_counts(START, 10, seed=1).sum() == 10
        return plain(boards)

    expected = mbx.alphabeta(START, 2, evaluation=plain)
    assert seen(mbx.alphabeta(START, 2, evaluation=evaluate)) == seen(expected)


SAME_OBJECT = """
import threading
import numpy as np
import mbx
game = mbx.games.MARUBATSU
outcomes, threads = [], []

def zeros(boards):
    return np.zeros(len(boards), np.int64)

def call(which, expected):
    try:
        if which:
            search.clear()
        else:
            assert search.search(game.start(), 2).value == 0
        outcomes.append("works")
    except RuntimeError as error:
        assert "search" in str(error)
        outcomes.append("refused")
    assert outcomes[-1] == expected

def evaluate(boards):
    if len(outcomes) + len(threads) < 12:
        for which in range(2):
            if in_a_thread:
                threads.append(threading.Thread(target=call, args=[which, "works"]))
                threads[-1].start()
            else:
                call(which, "refused")
            assert search.found is None or search.found.move in range(9)
    return zeros(boards)

for in_a_thread in (False, True):
    search = mbx.AlphaBeta(game, evaluation=evaluate)
    expected = mbx.alphabeta(game.start(), 3, evaluation=zeros, scores=True)
    result = search.search(game.start(), 3, scores=True)
    assert np.array_equal(result.values, expected.values)
    for thread in threads:
        thread.join()
    assert len(outcomes) >= 12
    outcomes.clear()
print("done")
"""


def test_an_evaluation_that_calls_its_own_search(run) -> None:
    """That is refused; what other threads ask for in the meantime comes afterwards."""
    assert run(SAME_OBJECT).stdout == "done\n"

"""target_error: playouts until every share is as exact as wanted, the same on every machine."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

import mbx
from mbx import _core, playout_counts

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
MANY = 2**40
CASES = [
    (MARUBATSU.start(), 0.002),
    (MARUBATSU.position([4, 0]), 0.005),
    (CONNECT_FOUR.start(), 0.01),
    (mbx.Game((12, 11), 5).start(), 0.05),  # blocks of 1,024
]
cases = pytest.mark.parametrize(("pos", "target"), CASES)


def errors(counts: np.ndarray) -> np.ndarray:
    games = counts.sum(axis=1, keepdims=True)
    p = (counts + 1) / (games + 3)
    return np.sqrt(p * (1 - p) / games)


def looks(pos: mbx.Position, target: float, most: int = MANY) -> list[int]:
    """The numbers of playouts after which the documentation says that the errors are looked at."""
    block = _core.playout_block(pos.game)
    numbers = [min(block, most)]
    while True:
        number = numbers[-1]
        counts = playout_counts(pos, number, seed=1)
        error = errors(counts).max() if counts.sum(axis=1).all() else math.inf
        if error <= target or number == most:
            return numbers
        ratio = min(error / target, 2.0)
        foretold = -(-math.ceil(ratio * ratio * number) // block) * block
        numbers.append(min(max(foretold, number + block), 2 * number, most))


@cases
def test_every_error_is_below_the_target(pos, target):
    counts = playout_counts(pos, MANY, seed=1, target_error=target)
    assert counts.shape == (len(pos.legal_moves), 3) and counts.dtype == np.int64
    assert errors(counts).max() <= target


@cases
def test_the_number_is_the_first_look_that_suffices(pos, target):
    counts = playout_counts(pos, MANY, seed=1, target_error=target)
    numbers = looks(pos, target)
    assert counts.sum() == numbers[-1] and len(numbers) > 1
    assert np.array_equal(playout_counts(pos, int(counts.sum()), seed=1), counts)


@cases
def test_threads_change_nothing(pos, target):
    one = playout_counts(pos, MANY, seed=2, target_error=target, threads=1)
    for threads in (2, 5, None):
        more = playout_counts(pos, MANY, seed=2, target_error=target, threads=threads)
        assert np.array_equal(more, one)


@cases
def test_not_much_more_is_played_than_it_takes(pos, target):
    played = playout_counts(pos, MANY, seed=3, target_error=target).sum()
    block = _core.playout_block(pos.game)
    fewer = playout_counts(pos, int(0.8 * played) - block, seed=3)
    assert errors(fewer).max() > target


def test_n_is_the_most_that_is_played():
    pos = MARUBATSU.start()
    for n in (0, 1, 100, 8_192, 8_193, 20_000, 100_001):
        counts = playout_counts(pos, n, seed=4, target_error=1e-9)
        assert np.array_equal(counts, playout_counts(pos, n, seed=4))


def test_an_easy_target_takes_one_block():
    counts = playout_counts(MARUBATSU.start(), MANY, seed=5, target_error=0.5)
    assert counts.sum() == _core.playout_block(MARUBATSU)


def test_moves_without_a_game_are_not_exact():
    """On a large board the first block leaves moves out; their errors are infinite."""
    pos = mbx.Game((16, 15), 5).start()
    first = playout_counts(pos, 1_024, seed=6)
    assert not first.sum(axis=1).all()
    counts = playout_counts(pos, MANY, seed=6, target_error=0.4)
    assert counts.sum(axis=1).all() and errors(counts).max() <= 0.4


def test_certain_outcomes_end():
    """All games of a move end alike: the error falls as 1 / m, and is never taken for zero."""
    pos = MARUBATSU.from_text("oxo/x.x/oxo")
    counts = playout_counts(pos, MANY, seed=1, target_error=1e-5)
    assert 50_000 < counts.sum() < 250_000 and counts[0, 0] == counts.sum()


def test_batches_are_their_rows():
    batch = [
        MARUBATSU.start(),
        MARUBATSU.position([0, 3, 1, 4, 2]),  # finished
        MARUBATSU.position([4, 0, 8]),
        MARUBATSU.position([0, 4]),
    ]
    for target in (0.02, 0.003):
        counts = playout_counts(batch, MANY, seed=7, first_row=3, target_error=target, threads=3)
        assert counts.shape == (4, 9, 3)
        for i, pos in enumerate(batch):
            alone = playout_counts(pos, MANY, seed=7, first_row=3 + i, target_error=target)
            expected = np.zeros((9, 3), np.int64)
            expected[pos.legal_moves] = alone
            assert np.array_equal(counts[i], expected)
    assert len({int(row.sum()) for row in counts}) > 2


def test_finished_positions():
    pos = MARUBATSU.position([0, 3, 1, 4, 2])
    assert playout_counts(pos, MANY, target_error=0.1).shape == (0, 3)
    assert mbx.playout(pos, 1_000, target_error=0.1) == {"result": {}, "count": 1_000}


def test_the_articles_function():
    mb = mbx.Marubatsu()
    retval = mbx.playout(mb, MANY, seed=8, target_error=0.01)
    counts = playout_counts(mb, MANY, seed=8, target_error=0.01)
    assert [list(row.values()) for row in retval["result"].values()] == counts.tolist()
    assert retval["count"] == counts.sum() < 100_000


def test_a_time_limit_leaves_whole_blocks():
    pos = CONNECT_FOUR.start()
    counts = playout_counts(pos, MANY, seed=9, target_error=1e-9, timelimit=0.05)
    number = int(counts.sum())
    assert 0 < number < MANY and number % _core.playout_block(CONNECT_FOUR) == 0
    assert np.array_equal(playout_counts(pos, number, seed=9), counts)


def test_a_time_limit_leaves_whole_blocks_of_a_batch():
    batch = [CONNECT_FOUR.start(), CONNECT_FOUR.position("4"), CONNECT_FOUR.position("44")]
    counts = playout_counts(batch, MANY, seed=9, target_error=1e-9, timelimit=0.05)
    for i, pos in enumerate(batch):
        number = int(counts[i].sum())
        assert number % _core.playout_block(CONNECT_FOUR) == 0
        again = playout_counts(pos, number, seed=9, first_row=i)
        assert np.array_equal(counts[i, pos.legal_moves], again)


def test_progress_grows_in_the_calling_thread():
    calls = []

    def progress(done, total):
        calls.append((done, total, threading.get_ident()))

    pos = MARUBATSU.start()
    counts = playout_counts(pos, 10**7, seed=1, target_error=0.0015, progress=progress)
    done = [call[0] for call in calls]
    assert done == sorted(done) and done[-1] == counts.sum()
    assert {call[1:] for call in calls} == {(10**7, threading.get_ident())}


def test_an_error_in_progress_is_passed_on():
    def progress(done, total):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        playout_counts(MARUBATSU.start(), MANY, target_error=1e-9, progress=progress)


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (0, ValueError),
        (-0.1, ValueError),
        (math.nan, ValueError),
        ("1", TypeError),
        (1j, TypeError),
    ],
)
def test_other_targets_are_refused(target, error):
    for call in (playout_counts, mbx.playout):
        with pytest.raises(error, match="target_error"):
            call(MARUBATSU.start(), 10, target_error=target)

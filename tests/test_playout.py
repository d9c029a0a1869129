"""Playouts: a function of (seed, row, index), with exact chances."""

from __future__ import annotations

import math
import random
import threading

import numpy as np
import pytest
import reference as ref
from reference import Rules

import mbx
from mbx import playout_counts

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
SAMPLES = [
    MARUBATSU.start(),
    MARUBATSU.position([0, 4, 8]),
    mbx.Game((5, 3), 3).start(),
    mbx.games.QUBIC.start(),
    mbx.games.GOMOKU.start(),
    CONNECT_FOUR.start(),
    CONNECT_FOUR.position("444444"),
    mbx.Game((9, 8), 4, True).start(),
    mbx.games.RITTAI_GOMOKU.start(),
]
SIZES = {mbx.games.GOMOKU: 30, mbx.games.RITTAI_GOMOKU: 20, mbx.games.QUBIC: 8}
samples = pytest.mark.parametrize("pos", SAMPLES, ids=lambda p: f"{p.game!r}-{p.ply}")


def many(pos: mbx.Position) -> int:
    """Playouts enough for several threads, in reasonable time; no round number."""
    return 300_007 // SIZES.get(pos.game, 1)


# -- the seed contract


@samples
def test_the_same_for_every_number_of_threads(pos):
    one = playout_counts(pos, many(pos), seed=7, threads=1)
    assert one.dtype == np.int64 and one.shape == (len(pos.legal_moves), 3)
    assert one.sum() == many(pos)
    for threads in (2, 3, 8, None):
        assert np.array_equal(playout_counts(pos, many(pos), seed=7, threads=threads), one)


@samples
def test_fewer_playouts_are_a_prefix_of_more(pos):
    n, steps, total = 0, [1, 1, 1, 60, 1, 1, 935, 23, 1, 1, 3_071, 1, 4_096, many(pos)], 0
    for step in steps:
        n += step
        more = playout_counts(pos, n, seed=11)
        assert (more - total >= 0).all() and more.sum() == n
        total = more


@samples
def test_a_batch_is_its_rows(pos):
    batch = [pos.copy() for _ in range(4)]
    batch[1].push(int(pos.legal_moves[0]))
    batch[2].push(int(pos.legal_moves[-1]))
    n = 2_000 // SIZES.get(pos.game, 1)
    counts = playout_counts(batch, n, seed=5)
    assert counts.shape == (4, pos.game.n_moves, 3) and counts.dtype == np.int64
    for row, each in enumerate(batch):
        expected = np.zeros((pos.game.n_moves, 3), np.int64)
        expected[each.legal_moves] = playout_counts(each, n, seed=5, first_row=row)
        assert np.array_equal(counts[row], expected)
    assert not np.array_equal(counts[0], counts[3])
    shifted = playout_counts(batch[2:], n, seed=5, first_row=2, threads=2)
    assert np.array_equal(shifted, counts[2:])
    assert np.array_equal(playout_counts(tuple(batch), n, seed=5, threads=3), counts)


def test_a_batch_may_hold_finished_positions():
    batch = [MARUBATSU.start(), MARUBATSU.position([0, 3, 1, 4, 2]), MARUBATSU.start()]
    counts = playout_counts(batch, 100, seed=1)
    assert counts.sum(axis=(1, 2)).tolist() == [100, 0, 100]


def test_a_batch_is_of_one_game():
    with pytest.raises((TypeError, ValueError)):
        playout_counts([MARUBATSU.start(), CONNECT_FOUR.start()], 10)


def test_seeds_and_rows_are_all_different():
    pos = MARUBATSU.start()
    seeds = [*range(20), 2**32, 2**63, 2**64, 2**64 + 1, 2**96, 2**127, 2**128 - 1]
    tables = {
        playout_counts(pos, 5_000, seed=seed, first_row=row).tobytes()
        for seed in seeds
        for row in (0, 1, 2, 3, 2**31, 2**32)
    }
    assert len(tables) == 6 * len(seeds)


@pytest.mark.parametrize("make", [lambda: 5, lambda: np.random.SeedSequence(5)])
def test_values_as_seeds_repeat(make):
    pos, seed = MARUBATSU.start(), make()
    first = playout_counts(pos, 5_000, seed=seed)
    assert np.array_equal(playout_counts(pos, 5_000, seed=seed), first)
    assert np.array_equal(playout_counts(pos, 5_000, seed=make()), first)


def test_numpy_integers_are_the_same_seeds():
    pos = MARUBATSU.start()
    assert np.array_equal(
        playout_counts(pos, 5_000, seed=np.uint8(200)), playout_counts(pos, 5_000, seed=200)
    )


def test_a_generator_moves_on():
    pos, generator = MARUBATSU.start(), np.random.default_rng(5)
    first, second = (playout_counts(pos, 5_000, seed=generator) for _ in range(2))
    assert not np.array_equal(first, second)
    again = np.random.default_rng(5)
    assert np.array_equal(playout_counts(pos, 5_000, seed=again), first)
    assert np.array_equal(playout_counts(pos, 5_000, seed=again), second)


def test_without_a_seed_every_call_differs():
    tables = set()
    for _ in range(10):
        random.seed(1)
        np.random.seed(1)
        tables.add(playout_counts(MARUBATSU.start(), 5_000).tobytes())
    assert len(tables) == 10


@pytest.mark.parametrize("seed", [-1, 2**128, -(2**200), np.int64(-1)])
def test_a_seed_out_of_range_is_a_value_error(seed):
    with pytest.raises(ValueError, match="seed"):
        playout_counts(MARUBATSU.start(), 10, seed=seed)


@pytest.mark.parametrize("seed", ["1", 1.0, math.nan, b"1", object(), {}, lambda: 1])
def test_other_seeds_are_type_errors(seed):
    with pytest.raises(TypeError, match="seed"):
        playout_counts(MARUBATSU.start(), 10, seed=seed)


# -- statistics, at 4.5 standard errors


def chi_square(counts: np.ndarray, chances: np.ndarray) -> float:
    """Deviation of counts from chances: chi-square as a normal variable (Wilson and Hilferty)."""
    expected = chances * counts.sum()
    assert (counts[chances == 0] == 0).all()
    possible = chances > 0
    freedom = possible.sum() - 1
    if freedom == 0:
        return 0.0
    square = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    return ((square / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) * math.sqrt(9 * freedom / 2)


@pytest.mark.parametrize(
    "rules, moves",
    [
        (Rules((3, 3), 3), []),
        (Rules((3, 3), 3), [4]),
        (Rules((3, 3), 3), [0, 1, 8, 5]),
        (Rules((3, 3), 3), [2, 4, 3, 5, 7, 6]),
        (Rules((3, 3), 3), [0, 1, 2, 3, 4, 5, 7]),
        (Rules((5, 2), 3), [7, 1]),
        (Rules((4, 3), 3), [0, 1, 5]),
        (Rules((2, 2), 3), []),
        (Rules((3, 2), 1), []),
        (Rules((2, 2, 2), 2), []),
        (Rules((4, 4), 4), [0, 1, 2, 3, 4, 5, 6]),
        (Rules((3, 3), 3, True), []),
        (Rules((3, 3), 3, True), [0, 0, 0]),
        (Rules((4, 3), 4, True), []),
        (Rules((1, 6), 3, True), []),
        (Rules((2, 1, 4), 3, True), []),
        (Rules((2, 2, 2), 2, True), [0]),
        (Rules((5, 4), 4, True), [2, 2, 2, 2, 1, 3, 0, 1]),
    ],
    ids=str,
)
def test_first_moves_and_outcomes_have_their_exact_chances(rules, moves):
    pos, board = mbx.Game(*rules.args).position(moves), ref.play_all(rules, moves)
    legal = ref.legal_moves(rules, board)
    rows = [ref.outcome_probabilities(rules, ref.play(rules, board, m)) for m in legal]
    chances = np.array([[float(p) / len(legal) for p in row] for row in rows])
    for seed in (1, 2):
        counts = playout_counts(pos, 500_000, seed=seed)
        assert abs(chi_square(counts, chances)) < 4.5
        assert abs(chi_square(counts.sum(axis=1), chances.sum(axis=1))) < 4.5
        assert abs(chi_square(counts.sum(axis=0), chances.sum(axis=0))) < 4.5


@pytest.mark.parametrize(
    "rules, n, known, error",
    [
        (((7, 6), 4, True), 2_000_000, (0.555736, 0.441701, 0.002564), 2.5e-5),
        (((4, 4, 4), 4, True), 500_000, (0.552899, 0.447058, 0.000043), 8e-5),
        (((4, 4, 4), 4), 500_000, (0.527284, 0.472684, 0.000032), 8e-5),
        (((5, 5, 5), 5, True), 200_000, (0.528609, 0.469952, 0.001439), 1.6e-4),
        (((15, 15), 5), 50_000, (0.509853, 0.490147, 0), 2.5e-4),
        (((4, 4), 3), 1_000_000, (0.587628720485872, 0.410972678115525, 0.001398601398601), 0),
        (((4, 4), 4), 1_000_000, (0.316590076590077, 0.267248307248307, 0.416161616161616), 0),
        (((4, 4), 4, True), 1_000_000, (0.28078758359454, 0.235903261071202, 0.483309155334257), 0),
        (((5, 4), 4, True), 900_000, (0.424052539830017, 0.330113920656405, 0.245833539513578), 0),
    ],
)
def test_published_rates(rules, n, known, error):
    counts = playout_counts(mbx.Game(*rules).start(), n, seed=3)
    assert abs(chi_square(counts.sum(axis=1), np.full(len(counts), 1 / len(counts)))) < 4.5
    for share, p in zip(counts.sum(axis=0) / n, known, strict=True):
        assert abs(share - p) <= 4.5 * math.sqrt(p * (1 - p) / n + error**2)


def test_first_columns_of_connect_four():
    counts = playout_counts(CONNECT_FOUR.start(), 2_000_000, seed=4)
    for (wins, *_), n, p in zip(
        counts,
        counts.sum(axis=1),
        [0.5109, 0.5417, 0.5727, 0.6396, 0.5727, 0.5417, 0.5109],
        strict=True,
    ):
        assert abs(wins / n - p) < 4.5 * math.sqrt(p * (1 - p) / n + 1e-8)


@pytest.mark.parametrize("varied", ["seed", "row", "index"])
@pytest.mark.parametrize(
    "pos, chance",
    [(MARUBATSU.start(), 737 / 1260), (mbx.Game((3, 3), 3, True).start(), 0.538723136716964)],
    ids=["free", "gravity"],
)
def test_samples_are_independent(pos, chance, varied):
    """First wins over seeds, rows or stretches of one run: binomial variance, no correlation."""
    n, repeats = 400, 300
    if varied == "row":
        counts = playout_counts([pos] * repeats, n, seed=1)
    elif varied == "index":
        runs = [playout_counts(pos, n * i, seed=2) for i in range(repeats + 1)]
        counts = np.diff(runs, axis=0)
    else:
        counts = np.array([playout_counts(pos, n, seed=1_000 + i) for i in range(repeats)])
    error = (counts[..., 0].sum(axis=1) - n * chance) / math.sqrt(n * chance * (1 - chance))
    assert abs(error.sum()) / math.sqrt(repeats) < 4.5
    assert abs((error**2).sum() - repeats) / math.sqrt(2 * repeats) < 4.5
    for lag in (1, 2, 4, 8):
        pairs = repeats - lag
        assert abs((error[lag:] * error[:-lag]).sum()) / math.sqrt(pairs) < 4.5


# -- arguments


@samples
def test_no_playouts_are_zeros(pos):
    counts = playout_counts(pos, 0, seed=1)
    assert counts.dtype == np.int64 and not counts.any()
    assert counts.shape == (len(pos.legal_moves), 3)


@pytest.mark.parametrize("n", [0, 1, 1_000])
def test_a_finished_position_has_no_moves(n):
    for moves in ([0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]):
        assert playout_counts(MARUBATSU.position(moves), n).shape == (0, 3)


@pytest.mark.parametrize("n", [-1, 2**64, 2**64 + 5, 10**30, -(2**63) - 1])
def test_impossible_numbers_are_refused(n):
    with pytest.raises((ValueError, OverflowError)):
        playout_counts(MARUBATSU.start(), n)


@pytest.mark.parametrize("n", [1.0, "10", None, [10], math.nan])
def test_a_number_of_playouts_is_an_int(n):
    with pytest.raises(TypeError):
        playout_counts(MARUBATSU.start(), n)


def test_numpy_integers_are_numbers_of_playouts():
    assert playout_counts(MARUBATSU.start(), np.uint16(50_000)).sum() == 50_000


@pytest.mark.parametrize(
    "name, value, error",
    [
        ("timelimit", 0, ValueError),
        ("timelimit", -1, ValueError),
        ("timelimit", math.nan, ValueError),
        ("timelimit", "1", TypeError),
        ("threads", 0, ValueError),
        ("threads", -2, ValueError),
        ("threads", 1.5, TypeError),
        ("threads", "2", TypeError),
        ("first_row", -1, ValueError),
        ("first_row", 0.5, TypeError),
        ("progress", 3, TypeError),
    ],
)
def test_wrong_options_are_named(name, value, error):
    with pytest.raises(error, match=name):
        playout_counts(MARUBATSU.start(), 10, **{name: value})


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("pos", [MARUBATSU.start(), CONNECT_FOUR.start()], ids=["free", "gravity"])
def test_a_time_limit_leaves_a_prefix(pos, threads):
    partial = playout_counts(pos, 2**32 + 1, seed=9, threads=threads, timelimit=0.05)
    assert 0 < partial.sum() < 2**32 + 1
    assert np.array_equal(playout_counts(pos, int(partial.sum()), seed=9), partial)


def test_a_time_limit_leaves_prefixes_of_a_batch():
    batch = [MARUBATSU.start(), MARUBATSU.position([4])]
    partial = playout_counts(batch, 2**40, seed=9, timelimit=0.05)
    for row, (pos, counts) in enumerate(zip(batch, partial, strict=True)):
        again = playout_counts(pos, int(counts.sum()), seed=9, first_row=row)
        assert np.array_equal(counts[pos.legal_moves], again)


def test_a_time_limit_that_is_not_reached_changes_nothing():
    pos = MARUBATSU.start()
    assert np.array_equal(
        playout_counts(pos, 100_000, seed=2, timelimit=60), playout_counts(pos, 100_000, seed=2)
    )


@pytest.mark.parametrize("batch", [False, True])
def test_progress_runs_in_the_calling_thread_up_to_the_end(batch):
    pos, calls = MARUBATSU.start(), []

    def progress(done, total):
        calls.append((done, total, threading.get_ident()))

    n = 5_000_000
    plain = playout_counts([pos] * 2 if batch else pos, n, seed=3, threads=2)
    shown = playout_counts([pos] * 2 if batch else pos, n, seed=3, threads=2, progress=progress)
    assert np.array_equal(plain, shown)
    done = [call[0] for call in calls]
    assert done == sorted(done) and done[-1] == calls[-1][1]
    assert {call[1:] for call in calls} == {(calls[0][1], threading.get_ident())}


def test_an_error_in_progress_is_passed_on():
    def progress(done, total):
        raise LookupError("mine")

    pos = MARUBATSU.start()
    with pytest.raises(LookupError, match="mine"):
        playout_counts(pos, 2**40, progress=progress)
    assert playout_counts(pos, 1_000).sum() == 1_000


@samples
def test_the_position_is_left_alone(pos):
    before = pos.copy()
    playout_counts(pos, 100)
    assert pos == before and pos.moves == before.moves

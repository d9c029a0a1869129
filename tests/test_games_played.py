"""mbx.playout_games: the games behind the counts, move by move."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from reference import Rules, play_all
from stream_reference import games

import mbx
from mbx import _core, playout_counts, playout_games

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
SAMPLES = [
    MARUBATSU.start(),
    MARUBATSU.position([4, 0, 8]),
    MARUBATSU.position([0, 1, 2, 4, 3, 5, 7, 6]),
    mbx.Game((5, 3), 3).start(),
    mbx.Game((2, 2), 3).start(),
    mbx.games.QUBIC.start(),
    mbx.Game((16, 8), 5).start(),
    mbx.Game((43, 3), 3).start(),
    mbx.games.GOMOKU.start(),
    mbx.games.GOMOKU.position(list(range(0, 200, 2))[:21]),
    mbx.Game((1, 1), 1).start(),
    mbx.Game((3, 2), 1, True).start(),
    CONNECT_FOUR.start(),
    CONNECT_FOUR.position("444444"),
    mbx.Game((20, 2), 3, True).start(),
    mbx.Game((2, 65), 4, True).start(),
    mbx.games.RITTAI_GOMOKU.start(),
    mbx.games.RITTAI_GOMOKU.position([12, 12, 3]),
]
samples = pytest.mark.parametrize("pos", SAMPLES, ids=lambda p: f"{p.game!r}-{p.ply}")


def empty(pos: mbx.Position) -> int:
    return pos.game.n_cells - pos.ply


def arrays(played) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return played.moves, played.lengths, played.outcomes


@samples
@pytest.mark.parametrize("n", [1, 100])
def test_arrays(pos, n):
    played = playout_games(pos, n, seed=1)
    assert played.moves.shape == (n, empty(pos)) and played.moves.dtype == np.uint8
    assert played.lengths.shape == (n,) and played.lengths.dtype == np.int64
    assert played.outcomes.shape == (n,) and played.outcomes.dtype == np.int8
    with pytest.raises(dataclasses.FrozenInstanceError):
        played.moves = None
    assert len(played) == n and f"{n:,}" in str(played)


@samples
def test_games_can_be_replayed(pos):
    """Every move is legal, the last one ends the game, and it ends as is said."""
    played = playout_games(pos, 100, seed=2)
    for i, (moves, length, outcome) in enumerate(zip(*arrays(played), strict=True)):
        game = played.start.copy()
        for move in moves[:length].tolist():
            assert game.status == -1
            game.push(move)
        assert game.status == outcome and game.ply == pos.ply + length
        assert (moves[length:] == 255).all()
        assert played.position(i) == game
    assert pos == played.start is not pos
    assert set(played.outcomes.tolist()) <= {0, 1, 2}


@samples
def test_counts_are_those_of_the_games(pos):
    for n in (1, 64, 1_000, 8_200 if pos.game.n_cells < 50 else 1_030):
        played = playout_games(pos, n, seed=3, first_row=4)
        counts = np.zeros((pos.game.n_moves, 3), np.int64)
        np.add.at(counts, (played.moves[:, 0], played.outcomes), 1)
        expected = playout_counts(pos, n, seed=3, first_row=4)
        assert np.array_equal(counts[pos.legal_moves], expected)
        assert np.array_equal(played.counts(), expected)


@samples
def test_fewer_games_are_the_first_of_more(pos):
    more = playout_games(pos, 300, seed=4)
    for n in (1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257):
        fewer = playout_games(pos, n, seed=4)
        for one, other in zip(arrays(fewer), arrays(more), strict=True):
            assert np.array_equal(one, other[:n])


@samples
def test_games_are_those_of_the_definition(pos):
    rules = Rules(pos.game.shape, pos.game.k, pos.game.gravity)
    played = playout_games(pos, 70, seed=2**127, first_row=2)
    expected = list(games(rules, play_all(rules, pos.moves), 2**127, 2, 70))
    assert played.outcomes.tolist() == [game.outcome for game in expected]
    assert played.lengths.tolist() == [len(game.moves) for game in expected]
    padded = [game.moves + [255] * (empty(pos) - len(game.moves)) for game in expected]
    assert played.moves.tolist() == padded


@samples
def test_ranges_of_the_core_are_parts(pos):
    block = _core.playout_block(pos.game)
    whole = _core.playout_games(pos, 5, 1, 0, block + 70, None)
    for first, number in [(0, 1), (1, 64), (64, 1), (100, 3), (block - 2, 4), (block, 70)]:
        part = _core.playout_games(pos, 5, 1, first, number, None)
        for one, every in zip(part, whole, strict=True):
            assert np.array_equal(one, every[first : first + number])


def test_no_games():
    for pos in SAMPLES:
        played = playout_games(pos, 0, seed=1)
        assert played.moves.shape == (0, empty(pos))
        assert played.lengths.shape == played.outcomes.shape == (0,)
        assert not played.counts().any() and len(played) == 0


@pytest.mark.parametrize(
    ("moves", "outcome"), [([0, 3, 1, 4, 2], 0), ([0, 1, 2, 4, 3, 5, 7, 6, 8], 2)]
)
@pytest.mark.parametrize("n", [0, 3])
def test_a_finished_position_has_no_games(moves, outcome, n):
    """Its games are over before their first move."""
    pos = MARUBATSU.position(moves)
    played = playout_games(pos, n, seed=1)
    assert played.moves.shape == (n, 0) and played.counts().shape == (0, 3)
    assert played.lengths.tolist() == [0] * n and played.outcomes.tolist() == [outcome] * n


def test_seeds():
    pos = MARUBATSU.start()

    def play(seed, **options):
        return playout_games(pos, 50, seed, **options).moves.tobytes()

    assert play(1) == play(1) == play(np.int64(1)) != play(2)
    assert play(1, first_row=1) != play(1)
    assert play(np.random.SeedSequence(5)) == play(np.random.SeedSequence(5))
    generator = np.random.default_rng(5)
    assert play(generator) != play(generator)
    assert play(None) != play(None)
    unseeded = playout_games(pos, 50)
    assert play(unseeded.seed) == unseeded.moves.tobytes()


@pytest.mark.parametrize("pos", [SAMPLES[0], SAMPLES[8], CONNECT_FOUR.start()], ids=str)
def test_threads_change_nothing(pos):
    n = 30_000 if pos.game.n_cells < 50 else 3_000
    one = playout_games(pos, n, seed=5, threads=1)
    for threads in (2, 3, 8):
        for same, other in zip(
            arrays(one), arrays(playout_games(pos, n, seed=5, threads=threads)), strict=True
        ):
            assert np.array_equal(same, other)


def test_positions_of_the_article():
    marubatsu = mbx.Marubatsu()
    played = playout_games(marubatsu, 20, seed=1)
    assert np.array_equal(played.moves, playout_games(MARUBATSU.start(), 20, seed=1).moves)


@pytest.mark.parametrize("n", [-1, 2**63, 2**64 + 5, 10**30])
def test_impossible_numbers_are_refused(n):
    with pytest.raises(ValueError, match="n must"):
        playout_games(MARUBATSU.start(), n)


@pytest.mark.parametrize("n", [1.0, "10", None, [10], math.nan])
def test_a_number_of_games_is_an_int(n):
    with pytest.raises(TypeError, match="n must"):
        playout_games(MARUBATSU.start(), n)


@pytest.mark.parametrize(
    ("pos", "options", "error"),
    [
        (None, {}, TypeError),
        ("...", {}, TypeError),
        ([MARUBATSU.start()], {}, TypeError),
        (MARUBATSU, {}, TypeError),
        (MARUBATSU.start(), {"seed": -1}, ValueError),
        (MARUBATSU.start(), {"seed": 2**128}, ValueError),
        (MARUBATSU.start(), {"seed": "1"}, TypeError),
        (MARUBATSU.start(), {"first_row": -1}, ValueError),
        (MARUBATSU.start(), {"first_row": 0.5}, TypeError),
        (MARUBATSU.start(), {"rows": 1}, TypeError),
    ],
)
def test_wrong_arguments_are_refused(pos, options, error):
    with pytest.raises(error):
        playout_games(pos, 10, **options)


def test_too_many_games_are_refused_before_memory_is_taken(run):
    code = """
import resource
import mbx
pos = mbx.games.GOMOKU.start()
mbx.playout_games(pos, 10)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for n in (2**36, 2**45, 2**60, 2**63 - 1):
    try:
        mbx.playout_games(pos, n)
        raise SystemExit("played")
    except mbx.TooLargeError as error:
        assert str(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000)
"""
    assert run(code).stdout == "True\n"


@samples
def test_the_position_is_left_alone(pos):
    before = pos.copy()
    playout_games(pos, 20)
    assert pos == before and pos.moves == before.moves

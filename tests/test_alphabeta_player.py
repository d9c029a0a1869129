"""Alpha-beta as a player: its moves are those of mbx.alphabeta, whatever the batch and threads."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable

import numpy as np
import pytest
from test_mcts_player import positions

import mbx
from mbx import alpha_beta_player
from mbx.alpha_beta_player import AlphaBetaPlayer

KEY = 2**77 + 5
RITTAI_GOMOKU = mbx.games.RITTAI_GOMOKU
PLAYERS = [
    AlphaBetaPlayer(),
    AlphaBetaPlayer(1),
    AlphaBetaPlayer(3, "threats", extend=True),
    AlphaBetaPlayer(10**6, weights=[1, 0]),
]


def options(player: AlphaBetaPlayer) -> dict:
    return {name: getattr(player, name) for name in ("evaluation", "weights", "extend")}


@pytest.mark.parametrize("player", PLAYERS, ids=str)
def test_moves_are_those_of_the_search(player):
    batch = positions(mbx.games.MARUBATSU, 60, 1)
    before = [position.copy() for position in batch]
    moves = player.choose(batch, KEY, 0, 2)
    assert batch == before and all(type(move) is int for move in moves)
    for position, move in zip(batch, moves, strict=True):
        if position.status >= 0:
            continue
        assert move == mbx.alphabeta(position, player.depth, **options(player)).move
        assert move == player(position)


@pytest.mark.parametrize("vary", [False, True])
@pytest.mark.parametrize("depth", [2, 5])
@pytest.mark.parametrize("game", [mbx.games.QUBIC, RITTAI_GOMOKU], ids=repr)
def test_batches_and_threads_change_nothing(game, depth, vary, monkeypatch):
    player, batch = AlphaBetaPlayer(depth, vary=vary), positions(game, 12, 2)
    playing = [position for position in batch if position.status < 0]
    moves = player.choose(playing, KEY, 9, 1)
    assert moves == [player.choose([p], KEY, 9 + i, 1)[0] for i, p in enumerate(playing)]
    monkeypatch.setattr(alpha_beta_player, "QUICK_NODES", 0)
    assert moves == player.choose(playing, KEY, 9, 3)
    tied = [game.start()] * 30
    assert (player.choose(tied, KEY, 9, 1) == player.choose(tied, KEY + 1, 9, 1)) is not vary


def test_it_varies_evenly_among_all_best_moves():
    position = RITTAI_GOMOKU.start()
    result = mbx.alphabeta(position, 3, scores=True)
    best = result.moves[result.values == result.value].tolist()
    assert len(best) > 1
    player = AlphaBetaPlayer(3, vary=True)
    counts = np.bincount(player.choose([position] * 900, KEY, 0, None), minlength=25)
    n = 900 / len(best)
    assert (abs(counts[best] - n) < 5 * np.sqrt(n)).all() and counts.sum() == counts[best].sum()


def test_a_function_evaluates():
    def centre(boards):
        """Stones in the middle of 3x3 for the side to move."""
        turn = (boards >= 0).sum(axis=(1, 2)) % 2
        return (boards[:, 1, 1] == turn).astype(int) - (boards[:, 1, 1] == 1 - turn)

    player = AlphaBetaPlayer(1, centre)
    start = mbx.games.MARUBATSU.start()
    assert player.choose([start] * 3, KEY, 0, 2) == [4] * 3
    assert str(player) == "alpha-beta 1 centre"

    class Oops(Exception):
        pass

    def fails(boards):
        raise Oops

    with pytest.raises(Oops):
        mbx.match(AlphaBetaPlayer(1, fails), "random", 2, seed=1)


@pytest.mark.parametrize("vary", [False, True])
def test_time_for_a_move(vary):
    player, batch = AlphaBetaPlayer(timelimit=0.05, vary=vary), [RITTAI_GOMOKU.start()] * 3
    began = time.monotonic()
    moves = player.choose(batch, KEY, 0, 2)
    assert 0.15 <= time.monotonic() - began < 2
    assert all(move in batch[0].legal_moves for move in moves)


def test_matches():
    result = mbx.match("alphabeta", "random", 60, seed=1)
    assert result.names[0] == "alpha-beta 4" and result.counts[:, 1].sum() == 0
    again = mbx.match(AlphaBetaPlayer(), "random", 60, seed=1, threads=1)
    assert np.array_equal(result.counts, again.counts)
    twins = mbx.match(AlphaBetaPlayer(2), AlphaBetaPlayer(3), 5, seed=1).counts
    assert set(twins.ravel().tolist()) == {0, 5}
    varied = mbx.match(AlphaBetaPlayer(9, vary=True), "perfect", 50, seed=1)
    assert varied.counts[:, 2].tolist() == [50, 50]


def test_deeper_searches_play_better():
    shallow, deep = AlphaBetaPlayer(1, vary=True), AlphaBetaPlayer(4, vary=True)
    assert mbx.match(deep, shallow, 5, start=RITTAI_GOMOKU.start(), seed=1).score > 0.7


def test_values_and_names():
    player = AlphaBetaPlayer(2, "threats", np.array([1, 5]), True, vary=True)
    assert player == pickle.loads(pickle.dumps(player)) != AlphaBetaPlayer(2)
    assert hash(player) == hash(AlphaBetaPlayer(2, "threats", [1, 5], True, vary=True))
    assert str(player) == "alpha-beta 2 threats weights 1-5 extend vary"
    assert str(AlphaBetaPlayer(timelimit=0.5)) == "alpha-beta 0.5 s"
    assert player.policy is None


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"depth": 0}, ValueError, "depth must be"),
        ({"depth": None}, TypeError, "depth must be an int"),
        ({"depth": 1.5}, TypeError, "depth must be an int"),
        ({"evaluation": "stones"}, ValueError, "evaluation must be one of lines, threats"),
        ({"evaluation": 3}, TypeError, "evaluation must be"),
        ({"weights": [1.5]}, TypeError, "weights must be ints"),
        ({"weights": 3}, TypeError, "weights must be ints"),
        ({"timelimit": 0}, ValueError, "timelimit must be"),
        ({"timelimit": "1"}, TypeError, "timelimit must be"),
    ],
)
def test_bad_options(options, error, text):
    with pytest.raises(error, match=text):
        AlphaBetaPlayer(**options)


def test_weights_that_are_not_the_game_s():
    player = AlphaBetaPlayer(weights=[1, 2, 3])
    with pytest.raises(ValueError, match="weights must be 2 ints"):
        player(mbx.games.MARUBATSU.start())


def test_ctrl_c_ends_a_long_search(run):
    """In one thread and in several, and where the time is limited."""
    code = """
import _thread, threading, time, mbx
from mbx.alpha_beta_player import AlphaBetaPlayer
start = mbx.games.GOMOKU.start()
for player, threads in ((AlphaBetaPlayer(12), 1), (AlphaBetaPlayer(12), 3),
                        (AlphaBetaPlayer(timelimit=60.0), 2)):
    threading.Timer(0.3, _thread.interrupt_main).start()
    began = time.monotonic()
    try:
        player.choose([start] * 5, 1, 0, threads)
        print("not interrupted")
    except KeyboardInterrupt:
        print(time.monotonic() - began < 2)
"""
    assert run(code).stdout.split() == ["True"] * 3


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))]
)
def test_copies_of_a_search_search_alike(copied: Callable[[mbx.AlphaBeta], mbx.AlphaBeta]) -> None:
    options = {"evaluation": "threats", "weights": [1, 2, 3], "extend": True, "table": None}
    search = mbx.AlphaBeta(mbx.games.SCORE_FOUR, **options)
    position = mbx.games.SCORE_FOUR.position([0, 15, 3])
    other = copied(search)
    assert other.weights == search.weights
    assert other.search(position, 4).value == search.search(position, 4).value

"""Tree search as a player: its moves are those of mbx.MCTS, whatever the batch and the threads."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import mbx
from mbx.mcts_player import MctsPlayer

KEY = 2**77 + 5


def positions(game: mbx.Game, number: int, seed: int) -> list[mbx.Position]:
    """Positions in the middle of random games, some of them finished."""
    games = mbx.playout_games(game.start(), number, seed=seed)
    result = []
    for i, length in enumerate(games.lengths.tolist()):
        position = game.start()
        for move in games.moves[i][: length if i % 5 == 0 else length // 2].tolist():
            position.push(move)
        result.append(position)
    return result


@pytest.mark.parametrize(
    "player", [MctsPlayer(30), MctsPlayer(60, 0.7, solver=False, playouts_per_leaf=3)], ids=str
)
@pytest.mark.parametrize("game", [mbx.games.MARUBATSU, mbx.games.CONNECT_FOUR], ids=str)
def test_moves_are_those_of_the_search_of_the_row(game, player):
    """Row 0 of a key is a search with that seed; a finished position does not matter."""
    for position in positions(game, 12, 1):
        before = position.copy()
        [chosen] = player.choose([position], KEY, 0, 1)
        assert position == before
        if position.status >= 0:
            continue
        search = mbx.MCTS(
            position,
            player.c,
            solver=player.solver,
            playouts_per_leaf=player.playouts_per_leaf,
            seed=KEY,
        )
        search.run(player.n)
        result = search.stats
        proven = result.lower.max() == result.upper.max()
        reach = (result.lower if proven else result.upper) >= result.lower.max()
        most = result.visits[reach].max()
        assert chosen in result.moves[reach & (result.visits == most)]
        assert player(position, seed=KEY) == chosen


def test_batches_and_threads_change_nothing():
    player, batch = MctsPlayer(40), positions(mbx.games.CONNECT_FOUR, 40, 2)
    playing = [position for position in batch if position.status < 0]
    moves = player.choose(playing, KEY, 9, 1)
    assert moves == player.choose(playing, KEY, 9, 3)
    assert moves == [player.choose([p], KEY, 9 + i, 1)[0] for i, p in enumerate(playing)]
    assert moves != player.choose(playing, KEY + 1, 9, 1)


def test_ties_are_broken_evenly():
    """Four in a row on 3x3: every move is worth the same, and has as many visits."""
    start = mbx.Game((3, 3), 4).start()
    moves = MctsPlayer(9).choose([start] * 900, KEY, 0, None)
    counts = np.bincount(moves, minlength=9)
    assert (abs(counts - 100) < 5 * np.sqrt(900 * 1 / 9 * 8 / 9)).all()


def test_matches():
    a = mbx.match("mcts", "random", 100, seed=1)
    assert a.names[0] == "MCTS 1000"
    assert a.counts[:, 1].sum() == 0
    assert (a.counts == mbx.match(MctsPlayer(), "random", 100, seed=1, threads=1).counts).all()


def test_what_can_be_copied():
    search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1)
    result = search.run(50)
    for copied in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert str(copied) == str(result)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="use save and load"):
            attempt(search)


def test_more_simulations_play_better():
    weak, strong = (mbx.match(MctsPlayer(n), "perfect", 200, seed=1).score for n in (50, 3000))
    assert weak < strong


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n": 0}, ValueError, "n must be"),
        ({"n": 1.5}, TypeError, "n must be an int"),
        ({"c": -1}, ValueError, "c must be"),
        ({"c": "warm"}, ValueError, "c must be"),
        ({"playouts_per_leaf": 0}, ValueError, "playouts_per_leaf must be"),
    ],
)
def test_bad_options(options, error, text):
    with pytest.raises(error, match=text):
        MctsPlayer(**options)

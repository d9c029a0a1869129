"""The tree search at its limits: huge and tiny options, other callers, files of any size."""

from __future__ import annotations

import numpy as np
import pytest

import mbx
from mbx import data_file

START = mbx.games.MARUBATSU.start()


def uniform(boards):
    return np.ones((len(boards), 9)), np.zeros(len(boards))


@pytest.mark.parametrize("c", [1e38, 1e308, lambda visits: 1e300], ids=str)
@pytest.mark.parametrize("game", [mbx.games.CONNECT_FOUR, mbx.games.GOMOKU], ids=str)
def test_a_huge_c_explores_evenly(game, c):
    visits = mbx.mcts(game.start(), 3000, c, seed=1, solver=True).visits
    assert visits.sum() == 3000
    assert visits.max() - visits.min() <= 1
    board = game.start().to_array().shape

    def evaluator(boards):
        assert boards.shape[1:] == board
        return np.ones((len(boards), game.n_moves)), np.zeros(len(boards))

    assert mbx.mcts(game.start(), 300, c, seed=1, evaluator=evaluator).visits.max() <= 300 // 2


def test_answers_of_an_evaluator_may_be_read_only():
    def evaluator(boards):
        values = np.zeros(len(boards))
        values.flags.writeable = False
        return np.broadcast_to(np.ones(9), (len(boards), 9)), values

    expected = mbx.mcts(START, 200, evaluator=uniform, seed=1).visits
    assert (mbx.mcts(START, 200, evaluator=evaluator, seed=1).visits == expected).all()


def test_priors_whose_sum_would_be_infinite_are_refused():
    with pytest.raises(ValueError, match="priors must be finite"):
        mbx.mcts(START, 10, evaluator=lambda b: (np.full((len(b), 9), 1e308), np.zeros(len(b))))


def test_large_columns_stay_in_the_file(tmp_path, monkeypatch):
    search = mbx.MCTS(mbx.games.CONNECT_FOUR.start(), seed=1, solver=True)
    search.run(5000)
    search.save(tmp_path / "search")
    monkeypatch.setattr(data_file, "_MAPPED", 100)
    loaded = mbx.MCTS.load(tmp_path / "search")
    assert (loaded.run(500).visits == search.run(500).visits).all()


def test_an_evaluator_cannot_save_its_search(tmp_path):
    def evaluator(boards):
        search.save(tmp_path / "search")
        return uniform(boards)

    search = mbx.MCTS(START, evaluator=evaluator, seed=1)
    with pytest.raises(RuntimeError, match="the search is running"):
        search.run(10)
    assert not list(tmp_path.iterdir())


def test_a_finished_root_is_not_saved(tmp_path):
    search = mbx.MCTS(mbx.games.MARUBATSU.from_text("oo./xx./..."), seed=1)
    search.run(50)
    search.advance(2)
    for call in (lambda: search.save(tmp_path / "search"), lambda: search.run(1), search.reset):
        with pytest.raises(mbx.GameOverError):
            call()


def test_stopped_playouts_are_not_counted():
    search = mbx.MCTS(mbx.games.GOMOKU.start(), playouts_per_leaf=5000, max_nodes=20, seed=1)
    for _ in range(12):
        result = search.run(timelimit=0.01)
        assert result.nodes == (search.tree().visits[1:] > 0).sum() + 1
        assert result.simulations == result.visits.sum() or result.nodes == 20


def test_a_time_limit_holds_while_others_look():
    search = mbx.MCTS(mbx.games.GOMOKU.start(), seed=1)
    times = [
        search.run(timelimit=0.3, progress=lambda done, total: search.stats).seconds
        for _ in range(5)
    ]
    assert min(times) < 0.3 + 0.05


def test_a_time_limit_holds_with_a_callable_c_and_an_evaluator():
    times = [
        mbx.mcts(START, c="decreasing", evaluator=uniform, timelimit=0.05).seconds for _ in range(3)
    ]
    assert min(times) < 0.05 + 0.05


@pytest.mark.parametrize("temperature", [5e-324, 1e-308, 1e-3])
def test_a_tiny_temperature_is_none(temperature):
    position = START.game.from_text("ox./.../...")
    cold, none = (mbx.mcts(position, 400, temperature=t, seed=1) for t in (temperature, 0))
    assert cold.move == none.move


@pytest.mark.parametrize("threads", [2, 3])
def test_odd_numbers_are_dealt_evenly(threads):
    parts, whole = (mbx.MCTS(START, threads=threads, seed=1) for _ in range(2))
    for n in (1, 500, 501, 7):
        parts.run(n)
    whole.run(1009)
    assert (parts.stats.visits == whole.stats.visits).all()


def test_noise_is_there_from_the_first_simulation_on():
    search = mbx.MCTS(START, evaluator=uniform, noise=(0.3, 1.0), seed=1)
    search.run(100)
    search.advance(4)
    search.run(1)
    assert len(set(search.tree().priors[search.tree().parent == 0].tolist())) == 8


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: mbx.mcts(START, 10, noise=(0.3, 0.2)), ValueError, "noise is for the priors"),
        (lambda: mbx.mcts(START, 10, solvers=True), TypeError, "'solvers' is no option of mcts"),
        (lambda: mbx.MctsPlayer(2**31), ValueError, "n must be at most"),
    ],
)
def test_bad_options(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_a_time_limit_alone_has_no_number():
    assert mbx.mcts(START, timelimit=0.1, seed=1).simulations > 2000
    assert mbx.mcts(START, seed=1).simulations == 2000

"""Windows: a value outside of one is a bound that holds, inside it is exact."""

import random
import time

import numpy as np
import pytest
from alphabeta_cases import ALGORITHMS, some_positions

import mbx
from mbx.alpha_beta_options import read_window

GAMES = [
    mbx.games.MARUBATSU,
    mbx.Game((4, 4), 3),
    mbx.Game((5, 4), 4, gravity=True),
    mbx.games.CONNECT_FOUR,
    mbx.games.SCORE_FOUR,
]
EDGES = [(-1, 1), (-1, 0), (0, 1), (-7, -3), (2, 9), (-40, 0), (0, 40), (-90_000_000, 90_000_000)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_window(game: mbx.Game, algorithm: str) -> None:
    for position in some_positions(game, random.Random(3), 6):
        if position.status >= 0:
            continue
        depth = min(3, game.n_cells - position.ply)
        truth = mbx.alphabeta(position, depth, algorithm="minimax", scores=True)
        search = mbx.AlphaBeta(game, algorithm=algorithm, table=1000)
        for low, high in EDGES:
            alpha, beta = (max(truth.value + low, -(10**8)), min(truth.value + high, 10**8))
            if alpha >= beta:
                continue
            result = search.search(position, depth, window=(alpha, beta))
            if result.value <= alpha:
                assert truth.value <= result.value
            elif result.value >= beta:
                assert truth.value >= result.value
            else:
                assert result.value == truth.value
            assert result.move in position.legal_moves
            assert result.variation[0] == result.move
            if result.depth == depth:
                assert (result.value_lower <= truth.value_lower).all()
                assert (result.value_upper >= truth.value_upper).all()
            else:  # a win or loss in fewer plies
                assert result.proven


def test_a_window_without_width_is_cheaper() -> None:
    start = mbx.games.RITTAI_GOMOKU.start()
    whole = mbx.alphabeta(start, 6)
    above = mbx.alphabeta(start, 6, window=(whole.value, whole.value + 1))
    assert above.value <= whole.value
    assert above.nodes < whole.nodes


def test_windows_that_are_refused() -> None:
    start = mbx.games.MARUBATSU.start()
    for window in ((1, 1), (2, 1), (-(10**9), 0), (0, 10**9), (-(2**70), 2**70)):
        with pytest.raises(ValueError, match="window"):
            mbx.alphabeta(start, 2, window=window)
    for window in (3, (1.5, 2), (1, 2, 3), "ab", ("a", "b")):
        with pytest.raises(TypeError, match="window"):
            mbx.alphabeta(start, 2, window=window)
    for options in ({"scores": True, "depth": 2}, {"timelimit": 1}):
        with pytest.raises(ValueError, match="window"):
            mbx.alphabeta(start, window=(0, 1), **options)
    assert read_window(None) == (-100_000_001, 100_000_001)


def test_what_a_bound_is_called() -> None:
    """A win that is only a bound has no distance, and moves that were cut off no score."""
    position = mbx.games.MARUBATSU.position([3, 8, 6, 7])
    result = mbx.alphabeta(position, 5, window=(-1, 1), deepen=False)
    assert (result.relation, result.distance) == ("at least", None)
    assert ": move 0, at least " in result.title
    cut = mbx.alphabeta(mbx.games.MARUBATSU.start(), 9, window=(-1, 0), deepen=False)
    assert "not searched" in str(cut)
    assert cut.plot().patches
    exact = mbx.alphabeta(position, 5)
    assert (exact.relation, exact.distance) == ("exactly", 1)


def test_switches_are_true_or_false() -> None:
    start = mbx.games.MARUBATSU.start()
    for name in ("deepen", "extend", "symmetry", "scores"):
        with pytest.raises(TypeError, match=name):
            mbx.alphabeta(start, 2, **{name: "no"})
    with pytest.raises(TypeError, match=r"'foo' is no option of alphabeta, whose .*weights"):
        mbx.alphabeta(start, 2, foo=1)


def test_a_negative_weight_at_its_limit() -> None:
    game = mbx.games.MARUBATSU
    assert mbx.AlphaBeta(game, weights=[1, -131_072]).threats == [-100_000, -100_000, -25_000]


def test_the_likely_move_comes_first_without_smaller_depths() -> None:
    position = mbx.games.RITTAI_GOMOKU.position([0, 5, 1, 6, 2, 7, 3, 8])
    result = mbx.alphabeta(position, 5, deepen=False, window=(0, 1))
    assert (result.move, result.nodes) == (4, 2)


def test_a_function_that_is_not_called_can_be_interrupted() -> None:
    """A search to the end of the game evaluates nothing, and ends at the time all the same."""
    position = mbx.Game((5, 5), 4, gravity=True).position([0, 1, 2, 3, 4])
    asked = []

    def evaluation(boards: np.ndarray) -> np.ndarray:
        asked.append(len(boards))
        return np.zeros(len(boards), int)

    search = mbx.AlphaBeta(
        position.game, evaluation=evaluation, algorithm="alphabeta", table=None, ordering=False
    )
    began = time.monotonic()
    result = search.search(position, timelimit=0.1)
    assert time.monotonic() - began < 0.4
    assert result.stop == "time"
    assert asked


def test_progress_reaches_its_end_with_a_proof() -> None:
    seen: list[tuple[int, int]] = []
    position = mbx.games.CONNECT_FOUR.position("4455")
    mbx.alphabeta(position, 10, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (10, 10)
    assert all(done <= total for done, total in seen)
    assert seen == sorted(seen)

"""Windows: a value outside of one is a bound that holds, inside it is exact."""

import random

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

"""compare_searches: one value, fewer nodes by every step, and what it refuses."""

import numpy as np
import pytest

import mbx

POSITIONS = [
    mbx.games.RITTAI_GOMOKU.position([0, 24, 4, 20]),
    mbx.games.CONNECT_FOUR.position("4435"),
    mbx.games.MARUBATSU.start(),
    mbx.Marubatsu(),
]


@pytest.mark.parametrize("pos", POSITIONS, ids=str)
def test_steps(pos: object) -> None:
    comparison = mbx.compare_searches(pos, 4)
    plain = mbx.alphabeta(pos, 4, algorithm="minimax")
    assert comparison.is_done.all()
    assert (comparison.values == plain.value).all()
    assert comparison.nodes[0] == plain.nodes
    assert (comparison.nodes[1:] < comparison.nodes[0]).all()
    assert (comparison.nodes[2:] <= comparison.nodes[1]).all()
    assert (comparison.seconds > 0).all()
    legal = comparison.start.legal_moves
    assert np.isin(comparison.moves, legal).all()
    assert str(comparison).count("\n") == 2 + len(comparison.names)
    assert "minimax" in comparison._repr_html_()


def test_few_nodes_are_left_at_depth_four() -> None:
    """With the moves in order, alpha-beta visits less than a hundredth of minimax's positions."""
    comparison = mbx.compare_searches(mbx.games.RITTAI_GOMOKU.start(), 4)
    assert comparison.nodes[0] == 406_901
    assert (comparison.nodes[2:] * 100 < comparison.nodes[0]).all()


def test_a_step_that_takes_too_long() -> None:
    comparison = mbx.compare_searches(mbx.games.RITTAI_GOMOKU.start(), 9, timelimit=0.02)
    assert not comparison.is_done[0]
    assert comparison.nodes[0] > 1000
    assert "> " in str(comparison)
    ax = comparison.plot()
    assert len(ax.patches) == len(comparison.names)


def test_options() -> None:
    position = mbx.games.CONNECT_FOUR.position("4435")
    options = {"evaluation": "threats", "weights": [1, 5, 30], "threats": [9, 8, 7], "extend": True}
    comparison = mbx.compare_searches(position, 3, **options)
    expected = mbx.alphabeta(position, 3, algorithm="minimax", **options).value
    assert (comparison.values == expected).all()


def test_the_end_of_the_game_is_deep_enough() -> None:
    position = mbx.games.MARUBATSU.from_text("oxo/xo./x..")
    assert mbx.compare_searches(position, 100).depth == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"depth": 0}, ValueError, "depth"),
        ({"depth": 2.5}, TypeError, "depth"),
        ({"timelimit": 0}, ValueError, "timelimit"),
        ({"table": 7}, TypeError, "'table'"),
        ({"evaluation": len}, TypeError, "evaluation"),
        ({"evaluation": "stones"}, ValueError, "evaluation"),
        ({"progress": 3}, TypeError, "progress"),
    ],
)
def test_refused(options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        mbx.compare_searches(mbx.games.MARUBATSU.start(), **options)


def test_a_finished_position() -> None:
    with pytest.raises(mbx.GameOverError):
        mbx.compare_searches(mbx.games.MARUBATSU.from_text("ooo/xx./..."))

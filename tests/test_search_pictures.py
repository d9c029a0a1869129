"""Pictures of a search: of one simulation, of the tree, and the plots of a result."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import mbx

GAMES = {
    "3x3": mbx.games.MARUBATSU,
    "4x4": mbx.Game((4, 4), 4),
    "1x1": mbx.Game((1, 1), 1),
    "7x6 gravity": mbx.games.CONNECT_FOUR,
    "15x15": mbx.games.GOMOKU,
    "4x4x4": mbx.games.QUBIC,
    "4x4x4 gravity": mbx.games.SCORE_FOUR,
    "5x5x5 gravity": mbx.games.RITTAI_GOMOKU,
}
WON = "oxo/xo./x.."  # the side to move wins with 8


@pytest.fixture(params=GAMES.values(), ids=GAMES)
def game(request):
    return request.param


def texts(svg: str) -> list[str]:
    """The words of a picture, which must be well formed, without ids, style sheets and scripts."""
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for element in root.iter():
        assert not {"id", "class", "style"} & set(element.keys())
        assert element.tag.rpartition("}")[2] not in ("style", "script", "image")
    ground = next(each for each in root if each.tag.endswith("rect"))
    _, _, width, height = map(float, root.get("viewBox").split())
    assert (float(ground.get("width")), float(ground.get("height"))) == (width - 1, height - 1)
    found = [each for each in root.iter() if each.tag.endswith("text")]
    assert all(-1 < float(each.get("x")) < width for each in found)
    return [each.text for each in found]


def last_step(position, n, **options):
    *_, step = mbx.MCTS(position, seed=1, **options).steps(n)
    return step


# ---- one simulation ------------------------------------------------------------------------------


def test_steps_of_every_game_are_drawn(game):
    for step in islice(mbx.MCTS(game.start(), seed=1).steps(), 0, 12, 4):
        words = texts(step._repr_svg_())
        for selection in step.selections:
            assert str(selection.moves[selection.chosen]) in words
        first, second = step.rewards
        assert {f"o gets {first:g}", f"x gets {second:g}"} <= set(words)


def test_a_step_shows_every_term_of_its_choices():
    step = last_step(mbx.games.MARUBATSU.from_text("ox./.../..."), 60)
    words = texts(step._repr_svg_())
    for selection in step.selections:
        for column in (selection.moves, selection.visits):
            assert {str(each) for each in column.tolist()} <= set(words)
        visited = selection.visits > 0
        for column in (selection.values, selection.bonus, selection.scores):
            assert {f"{each:.3f}" for each in column[visited].tolist()} <= set(words)
    assert "59 visits" in words
    assert f"3 Simulate: {len(step.playout)} random moves" in words


def test_what_is_handed_back_is_what_the_next_simulation_finds():
    search = mbx.MCTS(mbx.games.MARUBATSU.from_text("ox./.../..."), seed=2)
    for before, after in zip(search.steps(50), search.steps(50), strict=True):
        words = texts(before._repr_svg_())
        chosen = before.selections[0].chosen
        visits, value = after.selections[0].visits[chosen], after.selections[0].values[chosen]
        reward = before.rewards[before.root.turn]
        count = "1 visit" if visits == 1 else f"{visits} visits"
        assert f"↑ reward {reward:g}: {count}, value {value:.3f}" in words


def test_one_choice_stands_out_on_every_level():
    step = last_step(mbx.games.CONNECT_FOUR.start(), 300)
    root = ElementTree.fromstring(step._repr_svg_())
    cards = [each for each in root.iter() if each.get("rx") is not None]
    assert len(cards) == len(step.path) > 1


def test_of_many_moves_the_chosen_and_the_most_visited_are_shown():
    step = last_step(mbx.games.GOMOKU.start(), 3)
    words = texts(step._repr_svg_())
    visited = np.flatnonzero(step.selections[0].visits).tolist()
    assert {str(each) for each in [*visited, step.path[0]]} <= set(words)
    assert "… 216 more" in words


def test_steps_that_end_the_game():
    words = texts(last_step(mbx.games.MARUBATSU.from_text(WON), 5)._repr_svg_())
    assert {"o wins", "3 Simulate: the game is over", "2 Expand: nothing new"} <= set(words)


@pytest.mark.parametrize("options", [{"solver": True}, {"expand_all": True}, {"max_nodes": 3}])
def test_steps_with_options(options):
    search = mbx.MCTS(mbx.games.MARUBATSU.from_text(".../.o./..x"), seed=1, **options)
    for step in search.steps(200):
        texts(step._repr_svg_())


def test_steps_after_an_advance():
    search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1)
    search.run(500)
    search.advance(4)
    step = next(search.steps())
    assert f"{step.number - 1} visits" in texts(step._repr_svg_())


# ---- the tree ------------------------------------------------------------------------------------


def test_trees_of_every_game_are_drawn(game):
    search = mbx.MCTS(game.start(), seed=1)
    result = search.run(700)
    words = texts(search.tree()._repr_svg_())
    assert {"700 visits", f"{result.visits.max()} visits"} <= set(words)


@pytest.mark.parametrize("playouts", [1, 10])
def test_a_tree_shows_visits_and_values(playouts):
    search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1, playouts_per_leaf=playouts)
    result = search.run(300)
    words = texts(search.tree().svg(plies=1, most=9))
    assert words.count("o to move") == 1
    for visits, value in zip(result.visits.tolist(), result.values.tolist(), strict=True):
        assert {f"{visits} visits", f"{value:.3f}"} <= set(words)
    assert np.allclose(search.tree().values[1:10], result.values)


def test_a_tree_names_what_is_proven():
    search = mbx.MCTS(mbx.games.MARUBATSU.from_text(WON), seed=1, solver=True)
    search.run(100)
    words = texts(search.tree().svg(1))
    assert words.count("o wins") == 2  # of the root and of its move
    lost = mbx.MCTS(mbx.games.MARUBATSU.from_text("ox./o.x/..."), seed=1, solver=True)
    assert lost.run(1000).proven
    assert "o wins" in texts(lost.tree()._repr_svg_())


def test_an_empty_tree_is_drawn():
    assert "0 visits" in texts(mbx.MCTS(mbx.games.MARUBATSU.start()).tree()._repr_svg_())


def test_a_tree_says_how_many_moves_are_left_out():
    search = mbx.MCTS(mbx.games.CONNECT_FOUR.start(), seed=1)
    search.run(500)
    assert "… 5 more" in texts(search.tree().svg(1, 2))
    assert "… 5 more" not in texts(search.tree().svg(1, 7))


@pytest.mark.parametrize("name", ["plies", "most"])
def test_sizes_of_a_picture_are_checked(name):
    tree = mbx.MCTS(mbx.games.MARUBATSU.start()).tree()
    with pytest.raises(ValueError, match=name):
        tree.svg(**{name: 0})
    with pytest.raises(TypeError, match=name):
        tree.svg(**{name: 1.5})


def test_a_picture_of_too_many_boards_is_refused():
    search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1)
    search.run(20_000)
    with pytest.raises(ValueError, match="plies and most"):
        search.tree().svg(9, 9)


# ---- plots ---------------------------------------------------------------------------------------


@pytest.fixture
def pyplot(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")
    yield plt
    plt.close("all")


@pytest.mark.parametrize("plot", ["plot", "plot_convergence"])
def test_plots_draw_on_the_axes_they_are_given(pyplot, plot):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    result = mbx.mcts(mbx.games.MARUBATSU.start(), 100, seed=1)
    assert getattr(result, plot)(ax) is ax
    assert not pyplot.get_fignums()
    ax.figure.canvas.draw()


@pytest.mark.parametrize("plot", ["plot", "plot_convergence"])
def test_plots_open_one_figure_without_axes(pyplot, plot):
    ax = getattr(mbx.mcts(mbx.games.MARUBATSU.start(), 100, seed=1), plot)()
    assert pyplot.get_fignums() == [ax.figure.number]


def test_the_plot_shows_visits_by_move(pyplot):
    result = mbx.mcts(mbx.games.MARUBATSU.start(), 100, seed=1)
    ax = result.plot()
    assert [bar.get_height() for bar in ax.patches] == result.visits.tolist()
    assert [label.get_text() for label in ax.get_xticklabels()] == list("012345678")


def test_plots_of_many_moves_show_the_most_visited(pyplot):
    result = mbx.mcts(mbx.games.GOMOKU.start(), 500, seed=1)
    ax = result.plot()
    assert len(ax.patches) == 25
    assert max(bar.get_height() for bar in ax.patches) == result.visits.max()
    assert str(result.move) in [label.get_text() for label in ax.get_xticklabels()]
    assert len(result.plot_convergence(truth=False).lines) == 10


def test_moves_are_held_against_the_truth_in_the_callers_order(pyplot):
    mb = mbx.Marubatsu()
    mb.move((0, 0))
    mb.move((1, 0))
    result = mbx.mcts(mb, 200, seed=1)
    assert result.moves.tolist() == [3, 6, 4, 7, 2, 5, 8]
    labels = {text.get_text() for text in result.plot_convergence().get_legend().get_texts()}
    assert labels == {
        "3 (win)",
        "6 (win)",
        "4 (win)",
        "7 (draw)",
        "2 (draw)",
        "5 (draw)",
        "8 (draw)",
    }


def test_the_truth_counts_draws_as_the_search_does(pyplot):
    result = mbx.mcts(mbx.games.MARUBATSU.start(), 100, seed=1, draw_value=0.25)
    lines = result.plot_convergence().lines
    assert [line.get_ydata()[0] for line in lines if line.get_linestyle() == "--"] == [0.25]


def test_without_the_truth_where_it_takes_too_long(pyplot, monkeypatch):
    unknown = SimpleNamespace(moves=None, move_values=None)
    monkeypatch.setattr("mbx.mcts_plots.solve", lambda *args, **options: unknown)
    ax = mbx.mcts(mbx.games.CONNECT_FOUR.start(), 100, seed=1).plot_convergence()
    assert ax.get_title() == "MCTS"
    assert len(ax.lines) == 7


def test_plots_before_the_first_simulation(pyplot):
    result = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1).stats
    result.plot()
    result.plot_convergence().figure.canvas.draw()

"""mbx.line_evaluation against the plain reference, and against what the searches evaluate."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator

import alphabeta_reference as ab
import numpy as np
import pytest
import reference as ref
from article_boards import KINDS, ReaderMarubatsu, only
from reference import Rules

import mbx

WON = 100_000_000
MARUBATSU = mbx.games.MARUBATSU
RULES = [*ref.GAMES, Rules((9, 9), 3), Rules((3, 3), 2)]


def random_games(rules: Rules, number: int) -> Iterator[mbx.Position]:
    """The positions of some random games, every few plies and at the end."""
    rng, game = random.Random(str(rules)), mbx.Game(*rules.args)
    for _ in range(number):
        position = game.start()
        while position.status < 0:
            if rng.random() < 0.3:
                yield position.copy()
            position.push(rng.choice(position.legal_moves.tolist()))
        yield position


def some_weights(rules: Rules) -> list[list[int]]:
    rng = random.Random(str(rules))
    own = [rng.choice([-700, -9, 0, 0, 2, 30, 900]) for _ in range(rules.k - 1)]
    return [[4**n if n < 8 else 1 for n in range(rules.k - 1)], own]


def cells(position: mbx.Position) -> ref.Board:
    return tuple(position.to_array().ravel().tolist())


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_line_of_random_games(rules):
    weights = some_weights(rules)
    for i, position in enumerate(random_games(rules, 3)):
        given, board, side = weights[i % 2], cells(position), i // 2 % 2
        found = mbx.line_evaluation(position, given, side)
        assert {tuple(sorted(line)) for line in found.lines.tolist()} == rules.lines
        stones = [[board[cell] for cell in line] for line in found.lines.tolist()]
        assert found.first.tolist() == [marks.count(0) for marks in stones]
        assert found.second.tolist() == [marks.count(1) for marks in stones]
        worths = [ab.line_worth(marks, [*given, WON]) * (1, -1)[side] for marks in stones]
        assert found.worths.tolist() == worths and type(found.value) is int
        if position.status in (0, 1):
            assert found.value == (WON if position.status == side else -WON)
        else:
            assert found.value == ab.line_evaluation(rules, board, given, side)
        assert (found.start, found.side, found.weights) == (position, side, given)
        dtypes = (found.first.dtype, found.second.dtype, found.worths.dtype)
        assert dtypes == (np.int16, np.int16, np.int64)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_searches_evaluate_the_same(rules):
    """One ply deep, a move is worth what the evaluation of the other side says after it."""
    for i, position in enumerate(random_games(rules, 1)):
        if position.status >= 0:
            continue
        weights = None if rules.n_cells > 120 or i % 3 == 2 else some_weights(rules)[i % 3]
        result = mbx.alphabeta(position, 1, scores=True, weights=weights, table=None)
        found = zip(result.moves.tolist(), result.values.tolist(), strict=True)
        for move, value in random.Random(i).sample([*found], min(len(result.moves), 12)):
            after = position.copy()
            after.push(move)
            if after.status < 0:
                assert value == -mbx.line_evaluation(after, weights).value


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_images_and_sides(rules):
    game = mbx.Game(*rules.args)
    for position in random_games(rules, 1):
        found = mbx.line_evaluation(position)
        other = mbx.line_evaluation(position, side=1 - found.side)
        assert found.side == position.turn and found.value == -other.value
        assert np.array_equal(found.worths, -other.worths)
        flat = position.to_array().ravel()
        for symmetry in game.symmetries:
            image = np.empty_like(flat)
            image[symmetry] = flat
            twin = mbx.line_evaluation(game.from_array(image.reshape(position.to_array().shape)))
            assert twin.value == found.value
            assert sorted(twin.worths.tolist()) == sorted(found.worths.tolist())


def test_finished_positions():
    won = MARUBATSU.from_text("ooo/xx./...")
    for side, value in ((None, -WON), (1, -WON), (0, WON)):
        found = mbx.line_evaluation(won, side=side)
        assert found.value == value and value in found.worths
    drawn = MARUBATSU.from_text("oxo/oxx/xoo")
    assert drawn.status == 2 and mbx.line_evaluation(drawn).value == 0


def test_two_lines_complete_at_once():
    found = mbx.line_evaluation(MARUBATSU.from_text("ooo/oxx/oxx"), side=0)
    assert found.value == WON and (found.worths == WON).sum() == 2


def test_boards_without_weights_or_lines():
    found = mbx.line_evaluation(mbx.Game((3, 2), 1).start(), [])
    assert found.value == 0 and found.weights == [] and len(found.lines) == 6
    won = mbx.line_evaluation(mbx.Game((3, 2), 1).position([3]), side=0)
    assert won.value == WON and won.worths.tolist().count(WON) == 1
    none = mbx.line_evaluation(mbx.Game((3, 3), 4).position([0, 4]))
    assert none.value == 0 and none.lines.shape == (0, 4) and none.kinds.shape == (0, 4)
    assert "all" in str(none)


def test_kinds_add_up():
    for position in random_games(Rules((5, 5, 5), 5, True), 2):
        found = mbx.line_evaluation(position, side=0)
        first, second, numbers, worths = found.kinds.T
        assert numbers.sum() == len(found.lines) == 109
        assert (numbers * worths).sum() == found.worths.sum()
        assert len({*zip(first.tolist(), second.tolist(), strict=True)}) == len(found.kinds)


def test_positions_of_every_kind_stay_as_they_are():
    position = MARUBATSU.position([4, 0])
    expected = mbx.line_evaluation(position)
    mb = mbx.Marubatsu()
    for move in ((1, 1), (0, 0)):
        mb.move(move)
    reader = ReaderMarubatsu(KINDS[0], [(1, 1), (0, 0)])
    for each in (mb, only(reader), position):
        found = mbx.line_evaluation(each)
        assert found.start == position and found.value == expected.value
    found.start.push(8)
    assert position.moves == [4, 0] and mb.move_count == 2


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((None,), TypeError, "position must be"),
        ((MARUBATSU,), TypeError, "position must be"),
        ((MARUBATSU.start(), [1]), ValueError, "weights must be 2 ints"),
        ((MARUBATSU.start(), [1, 2.5]), TypeError, "weights must be 2 ints"),
        ((MARUBATSU.start(), 3), TypeError, "weights must be 2 ints"),
        ((MARUBATSU.start(), [1, 2**40]), ValueError, "weights must be from"),
        ((MARUBATSU.start(), None, 2), ValueError, "side must be 0, 1 or None, not 2"),
        ((MARUBATSU.start(), None, -1), ValueError, "side must be 0, 1 or None, not -1"),
        ((MARUBATSU.start(), None, 0.0), TypeError, "side must be 0, 1 or None, not 0.0"),
        ((MARUBATSU.start(), None, "o"), TypeError, "side must be 0, 1 or None, not 'o'"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        mbx.line_evaluation(*arguments)


def test_texts_and_copies():
    found = mbx.line_evaluation(mbx.games.CONNECT_FOUR.position("4455"), (1, 4, 16), side=1)
    lines = str(found).splitlines()
    assert lines[0].endswith("o to move: 6 for x") and lines[-1].split() == ["all", "69", "6"]
    assert ["0", "2", "3", "4", "12"] in [line.split() for line in lines]
    assert "6 for x" in repr(found)
    html = found._repr_html_()
    assert html.count("<tr>") == len(lines) - 2 and "6 for x" in html
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


@pytest.mark.parametrize(
    "position",
    [
        mbx.games.GOMOKU.position([112, 113, 97, 0, 82]),
        MARUBATSU.from_text("ooo/xx./..."),
        MARUBATSU.start(),
        mbx.Game((3, 3), 4).start(),
    ],
    ids=repr,
)
def test_the_plot_shows_the_kinds_of_one_side_alone(position):
    figure_module = pytest.importorskip("matplotlib.figure")
    ax = figure_module.Figure().subplots()
    found = mbx.line_evaluation(position)
    assert found.plot(ax) is ax
    first, second = found.kinds[:, :2].T
    assert len(ax.patches) == ((first > 0) != (second > 0)).sum()
    low, high = ax.get_ylim()
    assert all(low <= patch.get_height() <= high for patch in ax.patches)

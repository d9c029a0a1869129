"""Games: their tables against the reference, identity, refusals, presets."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from reference import GAMES, Rules, game_won_by, play_all, winning_lines

import mbx

EVERY_LINE_WINS = [
    Rules((4, 3), 3),
    Rules((3, 5), 3),
    Rules((4, 4), 4),
    Rules((7, 6), 4, True),
    Rules((7, 8), 4, True),
    Rules((8, 8), 4, True),
    Rules((8, 8), 5),
    Rules((3, 3, 3), 3),
    Rules((4, 4, 4), 4),
    Rules((4, 4, 4), 4, True),
    Rules((5, 5, 5), 5, True),
    Rules((15, 15), 5),
    Rules((51, 5), 5),
]


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_rules_and_sizes(rules):
    game = mbx.Game(*rules.args)
    assert (game.shape, game.k, game.gravity) == rules.args
    assert (game.n_cells, game.n_moves) == (rules.n_cells, rules.n_moves)


@pytest.mark.parametrize("name", ["lines", "symmetries"])
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_tables(rules, name):
    table, expected = getattr(mbx.Game(*rules.args), name), getattr(rules, name)
    rows = [tuple(sorted(row)) if name == "lines" else tuple(row) for row in table.tolist()]
    assert len(rows) == len(expected) and set(rows) == expected
    assert table.dtype == np.uint8
    assert table.shape[1] == (rules.k if name == "lines" else rules.n_cells)
    with pytest.raises(ValueError):
        table[...] = 0


@pytest.mark.parametrize(
    "shape, k, gravity, n_lines, n_symmetries",
    [
        ((3, 3), 3, False, 8, 8),
        ((4, 3), 3, False, 14, 4),
        ((4, 4), 3, False, 24, 8),
        ((4, 4), 4, False, 10, 8),
        ((5, 5), 4, False, 28, 8),
        ((7, 6), 4, True, 69, 2),
        ((15, 15), 5, False, 572, 8),
        ((3, 3, 3), 3, False, 49, 48),
        ((4, 4, 4), 4, False, 76, 48),
        ((4, 4, 4), 4, True, 76, 8),
        ((5, 5, 5), 5, True, 109, 8),
        ((5, 1), 3, False, 3, 2),
        ((3, 2), 1, False, 6, 4),
        ((3, 3), 300, False, 0, 8),
    ],
)
def test_published_numbers_of_lines_and_symmetries(shape, k, gravity, n_lines, n_symmetries):
    game = mbx.Game(shape, k, gravity)
    assert (len(game.lines), len(game.symmetries)) == (n_lines, n_symmetries)


@pytest.mark.parametrize("rules", EVERY_LINE_WINS, ids=str)
def test_every_line_wins_for_both_sides_and_not_a_stone_earlier(rules):
    game, rng = mbx.Game(*rules.args), random.Random(1)
    lines = sorted(rules.lines)
    for line in rng.sample(lines, min(len(lines), 40)):
        for side in (0, 1):
            moves = game_won_by(rules, line, side, rng)
            pos = game.position(moves[:-1])
            assert pos.status == -1 and pos.winning_cells() == []
            pos.push(moves[-1])
            assert pos.status == side
            won = winning_lines(rules, play_all(rules, moves), side)
            assert pos.winning_cells() == sorted({c for cells in won for c in cells})
            pos.pop()
            assert pos.status == -1


def test_equality_hash_repr_pickle_copy():
    games = [mbx.Game(*rules.args) for rules in GAMES]
    assert len(set(games)) == len(games)
    for game, rules in zip(games, GAMES, strict=True):
        twins = [
            mbx.Game(*rules.args),
            eval(repr(game), {"Game": mbx.Game}),
            pickle.loads(pickle.dumps(game)),
            copy.deepcopy(game),
        ]
        for twin in twins:
            assert twin == game and hash(twin) == hash(game)
            assert np.array_equal(twin.lines, game.lines)
    assert mbx.Game((3, 3), 3) != ((3, 3), 3, False)
    assert repr(mbx.Game((3, 3), 3)) == "Game((3, 3), 3)"


def test_numpy_integers_are_integers():
    assert mbx.Game([np.int64(7), np.uint8(6)], np.int32(4), True) == mbx.games.CONNECT_FOUR


@pytest.mark.parametrize(
    "name", ["shape", "k", "gravity", "n_cells", "n_moves", "lines", "symmetries"]
)
def test_games_are_immutable(name):
    game = mbx.Game((3, 3), 3)
    with pytest.raises(AttributeError):
        setattr(game, name, getattr(game, name))
    with pytest.raises(AttributeError):
        delattr(game, name)


@pytest.mark.parametrize(
    "shape, k",
    [
        ((), 3),
        ((3,), 3),
        ((2, 2, 2, 2), 2),
        ((0, 3), 3),
        ((3, 0), 3),
        ((-3, -3), 3),
        ((16, 16), 5),
        ((256, 1), 3),
        ((7, 7, 6), 4),
        ((2**32 + 3, 3), 3),
        ((2**63, 2), 3),
        ((2**33, 2**33), 3),
        ((3, 3), 0),
        ((3, 3), -1),
        ((3, 3), -(2**64)),
    ],
)
def test_impossible_games_are_value_errors(shape, k):
    with pytest.raises(ValueError) as error:
        mbx.Game(shape, k)
    assert ("k" if shape == (3, 3) else "shape") in str(error.value)


@pytest.mark.parametrize(
    "shape, k",
    [
        (3, 3),
        (None, 3),
        ("33", 3),
        ((3.0, 3), 3),
        ((3, "3"), 3),
        ((3, None), 3),
        ((3, 3), 3.0),
        ((3, 3), "3"),
        ((3, 3), None),
        ((3, 3), [3]),
    ],
)
def test_wrong_types_are_type_errors(shape, k):
    with pytest.raises(TypeError):
        mbx.Game(shape, k)


@pytest.mark.parametrize(
    "name, rules",
    [
        ("MARUBATSU", ((3, 3), 3, False)),
        ("CONNECT_FOUR", ((7, 6), 4, True)),
        ("GOMOKU", ((15, 15), 5, False)),
        ("QUBIC", ((4, 4, 4), 4, False)),
        ("SCORE_FOUR", ((4, 4, 4), 4, True)),
        ("RITTAI_GOMOKU", ((5, 5, 5), 5, True)),
    ],
)
def test_presets(name, rules):
    assert getattr(mbx.games, name) == mbx.Game(*rules)

"""Kinds of faults that programs of this sort have had, where no other file has them."""

from __future__ import annotations

import contextlib
import io
import os
import random

import numpy as np
import pytest
import reference as ref
from reference import GAMES, Rules

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR


def shown(pos: mbx.Position) -> tuple:
    return (pos.key, pos.turn, pos.ply, pos.status, pos.moves, pos.last_cell, str(pos))


# -- rules


@pytest.mark.parametrize(
    "shape, k, cells",
    [
        ((4, 3), 3, [2, 3, 4]),
        ((4, 4, 4), 4, [2, 3, 4, 5]),
        ((3, 3), 3, [2, 3, 4]),
        ((4, 4), 3, [0, 1, 3]),
        ((8, 8), 5, [0, 1, 2, 3, 5]),
        ((8, 8), 5, [6, 7, 8, 9, 10]),
        ((3, 3, 3), 3, [8, 9, 10]),
        ((5, 3), 3, [3, 9, 10]),
        ((15, 15), 5, [13, 14, 15, 16, 17]),
    ],
)
def test_gaps_and_wraps_are_no_lines(shape, k, cells):
    game = mbx.Game(shape, k)
    pos = game.start()
    others = [c for c in range(game.n_cells - 1, -1, -2) if c not in cells]
    for cell, other in zip(cells, others, strict=False):
        assert pos.status == -1
        pos.push(cell)
        assert pos.status == -1
        pos.push(other)


@pytest.mark.parametrize("direction", [d for d in np.ndindex(3, 3, 3) if d > (1, 1, 1)], ids=str)
@pytest.mark.parametrize("gravity", [False, True])
def test_all_thirteen_directions(direction, gravity):
    rules = Rules((4, 4, 4), 4, gravity)
    step = [part - 1 for part in direction]
    line = tuple(
        sorted(
            rules.cell_of[tuple(i if s == 1 else 3 - i if s == -1 else 2 for s in step)]
            for i in range(4)
        )
    )
    pos = mbx.Game(*rules.args).position(ref.game_won_by(rules, line, 1, random.Random(1)))
    assert pos.status == 1 and set(line) <= set(pos.winning_cells())


def test_a_move_that_wins_and_fills_the_board_wins():
    pos = MARUBATSU.position([0, 1, 2, 3, 4, 5, 7, 6, 8])
    assert (pos.ply, pos.status) == (9, 0) and len(pos.legal_moves) == 0


def test_one_move_can_complete_two_lines():
    pos = MARUBATSU.position([0, 1, 2, 3, 6, 5, 8, 7, 4])
    assert pos.status == 0 and pos.winning_cells() == [0, 2, 4, 6, 8]


def test_a_row_longer_than_k_wins():
    moves = [0, 15, 1, 17, 3, 19, 4, 21, 5, 23, 2]
    pos = mbx.games.GOMOKU.position(moves)
    assert pos.status == 0 and pos.winning_cells() == [0, 1, 2, 3, 4, 5]


# -- moves


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize("move", ["end", -1, 2**31, 2**32, 2**63, -(2**63), 2**64, 10**30])
def test_moves_off_the_board_are_illegal_and_nothing_wraps(rules, move):
    pos = mbx.Game(*rules.args).start()
    before = shown(pos)
    for each in [rules.n_moves, rules.n_moves + 256] if move == "end" else [move]:
        with pytest.raises(mbx.IllegalMoveError):
            pos.push(each)
    assert shown(pos) == before


@pytest.mark.parametrize(
    "move", ["4", None, 4.5, 4.0, [4], (4,), np.float64(4), np.array([4]), b"4"]
)
@pytest.mark.parametrize("game", [MARUBATSU, CONNECT_FOUR], ids=repr)
def test_moves_of_a_wrong_type(game, move):
    pos = game.start()
    before = shown(pos)
    with pytest.raises(TypeError):
        pos.push(move)
    with pytest.raises(TypeError):
        game.position([0, move])
    assert shown(pos) == before


@pytest.mark.parametrize("integer", [np.int8, np.uint8, np.int64, np.uint64, np.intp])
def test_numpy_integers_are_moves(integer):
    pos = MARUBATSU.start()
    pos.push(integer(4))
    assert pos.moves == [4] and type(pos.moves[0]) is int
    assert MARUBATSU.position(np.array([4, 0], integer)).moves == [4, 0]
    with pytest.raises(mbx.IllegalMoveError):
        pos.push(integer(4))


def test_a_full_column_is_not_legal():
    pos = CONNECT_FOUR.position("444444")
    assert pos.legal_moves.tolist() == [0, 1, 2, 4, 5, 6]
    before = shown(pos)
    with pytest.raises(mbx.IllegalMoveError, match="3"):
        pos.push(3)
    assert shown(pos) == before


@pytest.mark.parametrize("moves", [[0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]])
def test_after_the_end_nothing_is_legal(moves):
    pos = MARUBATSU.position(moves)
    before = shown(pos)
    for move in range(9):
        with pytest.raises(mbx.IllegalMoveError):
            pos.push(move)
    assert shown(pos) == before
    assert mbx.move_probabilities(pos).shape == (0, 3)
    assert mbx.move_probabilities(pos, exact=True) == []


def test_moves_may_come_from_any_iterable():
    assert MARUBATSU.position(iter([4, 0])) == MARUBATSU.position((4, 0))
    with pytest.raises(TypeError):
        MARUBATSU.position(4)


def test_an_error_while_moves_are_read_is_passed_on():
    def moves():
        yield 4
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        MARUBATSU.position(moves())


@pytest.mark.parametrize(
    "function",
    [
        mbx.outcome_probabilities,
        mbx.move_probabilities,
        mbx.build_tree,
        lambda pos: mbx.playout_counts(pos, 100),
        lambda pos: mbx.playout(pos, 100),
        lambda pos: mbx.convergence(pos, [10]),
        str,
        mbx.Position._repr_svg_,
    ],
)
def test_no_function_changes_the_callers_position(function):
    pos = MARUBATSU.position([4, 0, 8])
    before = shown(pos)
    function(pos)
    assert shown(pos) == before
    assert pos.pop() == 8


# -- randomness


@pytest.mark.parametrize(
    "game, moves", [(MARUBATSU, "..x/xoo/ox."), (CONNECT_FOUR, "44444422")], ids=repr
)
def test_random_play_is_uniform_over_the_moves_that_are_open(game, moves):
    pos = game.from_text(moves, symbols="XO") if "/" in moves else game.position(moves)
    n = 300_000
    counts = mbx.playout_counts(pos, n, seed=1).sum(axis=1)
    p = 1 / len(pos.legal_moves)
    assert (abs(counts - n * p) < 4.5 * (n * p * (1 - p)) ** 0.5).all()


# -- sizes, stdout, keywords


def test_counters_are_64_bits():
    tree = mbx.build_tree(mbx.Game((4, 4), 3).position([0, 15, 1, 14, 4, 11, 6]))
    total = [int(tree.counts[0, i]) for i in range(3)]
    assert sum(total) == tree.denominators[0] == 362_880
    pos = mbx.Game((4, 3), 4, True).start()
    exact = mbx.outcome_probabilities(pos, exact=True)
    assert exact == list(ref.outcome_probabilities(Rules((4, 3), 4, True), (-1,) * 12))
    tree = mbx.build_tree(pos)
    assert tree.denominators[0] == 12**12 and sum(map(int, tree.counts[0])) == 12**12


def test_nothing_is_printed_by_the_core(capfd):
    pos = MARUBATSU.start()
    mbx.playout_counts(pos, 2_000_000)
    mbx.build_tree(pos)
    mbx.outcome_probabilities(pos)
    with pytest.raises(ValueError):
        MARUBATSU.from_text("?")
    assert capfd.readouterr() == ("", "")


def test_the_trees_lines_go_where_print_goes(capfd):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        mbx.Mbtree()
    assert out.getvalue().endswith("total node num = 549946\n")
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    "function",
    [mbx.playout_counts, mbx.build_tree, mbx.outcome_probabilities, mbx.move_probabilities],
)
def test_an_unknown_keyword_is_a_type_error(function):
    with pytest.raises(TypeError, match="nonsense"):
        function(MARUBATSU.start(), nonsense=1)


@pytest.mark.parametrize("progress", [True, False, None])
def test_progress_needs_no_widgets(progress):
    assert mbx.playout_counts(MARUBATSU.start(), 5_000_000, progress=progress).sum() == 5_000_000
    assert mbx.build_tree(MARUBATSU.start(), progress=progress).n_nodes == 549_946


def test_pictures_need_no_display(run):
    pytest.importorskip("matplotlib")
    environment = {"DISPLAY": "", "MPLBACKEND": ""} if os.name == "posix" else {}
    code = """
import mbx
ax = mbx.convergence(mbx.games.MARUBATSU.start(), [10, 100]).plot()
ax.figure.savefig("picture.png")
"""
    run(code, env=environment)

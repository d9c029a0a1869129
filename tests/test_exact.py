"""Exact outcome probabilities against brute force and against published values."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
from reference import Rules

import mbx

MARUBATSU = Rules((3, 3), 3)
OTHERS = [
    Rules((3, 3), 3, True),
    Rules((3, 2), 2),
    Rules((3, 2), 1),
    Rules((2, 2), 3),
    Rules((5, 1), 3),
    Rules((1, 1), 1),
    Rules((1, 6), 3, True),
    Rules((2, 2, 2), 2),
    Rules((2, 1, 4), 3, True),
    Rules((4, 3), 4, True),
]


def answers(rules: Rules, board: ref.Board) -> tuple:
    """What mbx says of a position: exact and as floats, whole and by moves."""
    pos = mbx.Game(*rules.args).from_array(ref.array(rules, board))
    return (
        mbx.outcome_probabilities(pos, exact=True),
        mbx.move_probabilities(pos, exact=True),
        mbx.outcome_probabilities(pos),
        mbx.move_probabilities(pos),
    )


def check(rules: Rules, board: ref.Board, found: tuple | None = None) -> None:
    """mbx's answers against brute force; floats are the nearest to the fractions."""
    whole = list(ref.outcome_probabilities(rules, board))
    children = [ref.play(rules, board, move) for move in ref.legal_moves(rules, board)]
    rows = [list(ref.outcome_probabilities(rules, child)) for child in children]
    exact, exact_rows, floats, float_rows = found or answers(rules, board)
    assert exact == whole and exact_rows == rows
    assert all(type(p) is Fraction for row in [exact, *exact_rows] for p in row)
    assert floats.dtype == float_rows.dtype == np.float64
    assert floats.tolist() == [float(p) for p in whole]
    assert float_rows.shape == (len(rows), 3)
    assert float_rows.tolist() == [[float(p) for p in row] for row in rows]


@pytest.fixture(scope="module")
def all_answers():
    """mbx's answers for every position of 3x3."""
    return {board: answers(MARUBATSU, board) for board in ref.reachable(MARUBATSU)}


def test_all_positions_of_marubatsu(all_answers):
    status = Counter(ref.reachable(MARUBATSU).values())
    assert status == {-1: 4_520, 0: 626, 1: 316, 2: 16}
    for board, found in all_answers.items():
        check(MARUBATSU, board, found)


@pytest.mark.parametrize("rules", OTHERS, ids=str)
def test_other_games(rules):
    rng = random.Random(1)
    check(rules, rules.start)
    for _ in range(10):
        moves = ref.random_game(rules, rng)
        check(rules, ref.play_all(rules, moves[: rng.randint(0, len(moves))]))


@pytest.mark.parametrize(
    "args, moves, expected",
    [
        (((3, 3), 3), [], ["737/1260", "121/420", "8/63"]),
        (((3, 3), 3), [8], ["17/28", "37/140", "9/70"]),
        (((3, 3), 3), [3], ["15/28", "47/140", "9/70"]),
        (((3, 3), 3), [4], ["97/140", "27/140", "4/35"]),
        (((5, 2), 3), [], ["2171/6300", "181/700", "25/63"]),
        (((5, 1), 3), [], ["3/10", "0", "7/10"]),
        (((2, 2), 3), [], ["0", "0", "1"]),
        (((1, 1), 1), [], ["1", "0", "0"]),
    ],
)
def test_published_fractions(args, moves, expected):
    pos = mbx.Game(*args).position(moves)
    assert mbx.outcome_probabilities(pos, exact=True) == [Fraction(p) for p in expected]


@pytest.mark.parametrize(
    "args, expected",
    [
        (((3, 3), 3, True), [0.538723136716964, 0.269518747142204, 0.191758116140832]),
        (((4, 3), 4, True), [0.071421682098765, 0.048263487011317, 0.880314830889918]),
    ],
)
def test_published_decimals_under_gravity(args, expected):
    pos = mbx.Game(*args).start()
    assert mbx.outcome_probabilities(pos) == pytest.approx(expected, abs=1e-15)


def test_chances_of_a_win_in_one():
    pos = mbx.games.MARUBATSU.from_text("XO./XX./O.O", symbols="XO")
    rows = dict(zip(pos.legal_moves.tolist(), mbx.move_probabilities(pos, exact=True), strict=True))
    assert rows[5] == [1, 0, 0] and rows[7] == [Fraction(1, 2), 0, Fraction(1, 2)]


def test_the_trap_of_primitive_monte_carlo():
    """O to move: win and half the draws are .5833 at an edge, .55 at a corner; wins 8/15, 1/2."""
    pos = mbx.games.MARUBATSU.from_text("X../.O./..X", symbols="XO")
    rows = dict(zip(pos.legal_moves.tolist(), mbx.move_probabilities(pos, exact=True), strict=True))
    score = {move: second + draw / 2 for move, (_, second, draw) in rows.items()}
    assert {score[m] for m in (2, 6)} == {Fraction(7, 12)}
    assert {score[m] for m in (1, 3, 5, 7)} == {Fraction(11, 20)}
    assert rows[2][1] == Fraction(8, 15) and rows[1][1] == Fraction(1, 2)


@pytest.mark.parametrize(
    "rank, exact, wrong, ties",
    [
        (lambda win, draw: win + draw / 2, True, 222, 1_321),
        (lambda win, draw: (win, draw), False, 206, 1_129),
    ],
)
def test_limit_of_primitive_monte_carlo(rank, exact, wrong, ties, all_answers, marubatsu_tree):
    """Positions where its best move is not optimal, or not the only one: floats tie exactly."""
    bad, tied = set(), 0
    for board, found in all_answers.items():
        moves, side = ref.legal_moves(MARUBATSU, board), ref.turn(board)
        if not moves:
            continue
        ranks = [rank(p[side], p[2]) for p in found[1 if exact else 3]]
        best = [m for m, r in zip(moves, ranks, strict=True) if r == max(ranks)]
        values = {m: ref.minimax(MARUBATSU, ref.play(MARUBATSU, board, m)) for m in moves}
        optimum = (min if side else max)(values.values())
        tied += len(best) > 1
        if any(values[m] != optimum for m in best):
            bad.add(ref.key(MARUBATSU, board))
    assert (len(bad), tied) == (wrong, ties)
    symmetries = mbx.games.MARUBATSU.symmetries.tolist()
    if wrong == 206:
        assert len({min(_image(key, s) for s in symmetries) for key in bad}) == 28
    keys, index = _keys(marubatsu_tree)
    assert np.isin(keys, list(bad))[index].sum() == 1_596


def _image(key: int, symmetry: list[int]) -> int:
    return sum(1 << (symmetry[b % 9] + b // 9 * 9) for b in range(18) if key >> b & 1)


def _keys(graph):
    """The distinct keys of a tree's positions, and for every node which of them it has."""
    keys = np.zeros(len(graph), np.int64)
    for depth in range(1, 10):
        layer = np.flatnonzero(graph.depth == depth)
        bit = graph.move[layer].astype(np.int64) + 9 * ((depth - 1) % 2)
        keys[layer] = keys[graph.parent[layer]] | np.left_shift(1, bit)
    return np.unique(keys, return_inverse=True)


def test_values_of_all_positions_for_the_side_to_move(marubatsu_tree):
    keys, index = _keys(marubatsu_tree)
    first = np.unique(index, return_index=True)[1]
    assert len(keys) == 5_478
    playing = first[marubatsu_tree.status[first] == -1]
    sign = 1 - 2 * (marubatsu_tree.depth[playing] % 2).astype(int)
    assert Counter((marubatsu_tree.value[playing] * sign).tolist()) == {1: 2_836, 0: 1_052, -1: 632}


@pytest.mark.parametrize("name", ["outcome_probabilities", "move_probabilities"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("args", [((15, 15), 5), ((7, 6), 4, True), ((4, 4, 4), 4)])
def test_too_large_is_refused_with_an_estimate(name, exact, args):
    with pytest.raises(mbx.TooLargeError, match=r"\d"):
        getattr(mbx, name)(mbx.Game(*args).start(), exact=exact)


def test_late_positions_of_large_games_are_small():
    rng = random.Random(2)
    rules = Rules((7, 6), 4, True)
    done = 0
    while done < 5:
        moves = ref.random_game(rules, rng)
        if len(moves) >= 34:
            check(rules, ref.play_all(rules, moves[:34]))
            done += 1

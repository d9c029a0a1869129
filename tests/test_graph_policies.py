"""Outcomes under policies and best play, against brute force with Fractions."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from functools import cache

import graph_reference as oracle
import numpy as np
import pytest
import reference as ref
from graph_builds import board_of, build, nodes, position
from graph_reference import NAMES, played, rest

import mbx

MARUBATSU = played((3, 3), 3, False)
START = [case for case in oracle.CASES if case != MARUBATSU]
each_case = pytest.mark.parametrize("case", START, ids=oracle.name)
few = pytest.mark.parametrize(
    "case", [*oracle.SMALL[:8], *oracle.LATE[:2], *oracle.LATE[4:6]], ids=oracle.name
)
WIDE = rest((4, 4, 4), 4, True, 14)
PAIRS = list(itertools.product(NAMES, repeat=2))
TRAPS = [("optimal", "pmc"), ("pmc score", "uniform"), ("uniform", "optimal fastest")]


@cache
def chances(case, name):
    """A named policy at every node of the oracle's positions."""
    want = oracle.positions(*case)
    rule = want.named(name)
    return [rule(i) if want.moves[i] else [] for i in range(len(want))]


@cache
def outcomes(case, first, second):
    want = oracle.positions(*case)
    return want.outcomes(chances(case, first).__getitem__, chances(case, second).__getitem__)


def floats(rows):
    return np.array([[float(p) for p in row] for row in rows])


VALUES = (
    "value",
    "distance",
    "best_moves",
    "fastest_moves",
    "n_winning",
    "n_drawing",
    "n_losing",
)


def close(found, right, tolerance):
    return np.shape(found) == np.shape(right) and np.allclose(found, right, 0, tolerance)


def on_edges(graph, want, rows):
    """Chances by the oracle's nodes as an array over the edges of a graph."""
    node, start = nodes(graph, want), graph.edges().start
    array = np.zeros(graph.n_edges)
    for n, row in zip(node, rows, strict=True):
        array[start[n] : start[n + 1]] = [float(p) for p in row]
    return array


@pytest.mark.parametrize("case", oracle.CASES, ids=oracle.name)
def test_named_policies(case):
    want, graph = oracle.positions(*case), build(case)
    node = nodes(graph, want)
    for first, second in PAIRS if len(want) < 120 else TRAPS if len(want) < 2_000 else TRAPS[:1]:
        found, right = graph.outcomes(first, second), outcomes(case, first, second)
        assert found.dtype == np.float64 and found.shape == (len(want), 3)
        assert close(found[node], floats(right), 1e-14), (first, second)
        assert (found >= 0).all() and (found <= 1).all()
    assert np.array_equal(graph.outcomes(), graph.probabilities)
    for name in NAMES:
        policy = graph.policy(name)
        assert policy.dtype == np.float64 and policy.shape == (graph.n_edges,)
        assert np.array_equal(policy, on_edges(graph, want, chances(case, name))), name
    assert np.array_equal(graph.policy("pmc win"), graph.policy("pmc"))


@each_case
def test_one_position_exactly(case):
    want, pos = oracle.positions(*case), position(*case)
    if len(want) > 250 or len(want.children[0]) > 8:
        pytest.skip("slow one by one")
    for first, second in PAIRS if len(want) < 40 else TRAPS:
        right = outcomes(case, first, second)
        rows = [list(right[c]) for c in want.children[0]]
        assert mbx.outcome_probabilities(pos, first, second, exact=True) == list(right[0])
        assert mbx.move_probabilities(pos, first, second, exact=True) == rows
        whole = mbx.outcome_probabilities(pos, first, second)
        by_move = mbx.move_probabilities(pos, first=first, second=second)
        assert whole.dtype == by_move.dtype == np.float64 and by_move.shape == (len(rows), 3)
        assert close(whole, [float(p) for p in right[0]], 1e-14)
        assert close(by_move, floats(rows) if rows else np.zeros((0, 3)), 1e-14)
    assert board_of(pos) == case[1] and pos.moves == []


@pytest.mark.parametrize("case", [WIDE], ids=oracle.name)
def test_exact_means_fractions_beyond_127_bits(case):
    want, pos, graph = oracle.positions(*case), position(*case), build(case)
    assert oracle.denominators(*case)[0] >= 2**127
    right = want.random_play
    rows = [list(right[c]) for c in want.children[0]]
    assert mbx.outcome_probabilities(pos, exact=True) == list(right[0])
    assert mbx.move_probabilities(pos, exact=True) == rows
    assert all(type(p) is Fraction for p in mbx.outcome_probabilities(pos, exact=True))
    assert close(graph.probabilities[nodes(graph, want)], floats(right), 1e-13)
    assert close(mbx.outcome_probabilities(pos), floats(right)[0], 1e-13)


@each_case
def test_best_play(case):
    want, graph = oracle.positions(*case), build(case)
    root_moves = want.moves[0]
    if len(root_moves) > 64:
        pytest.skip("masks have 64 bits: see below")
    node, values = nodes(graph, want), graph.values()
    assert values.moves.tolist() == root_moves
    assert values.value[node].tolist() == [value for value, _ in want.result]
    assert values.distance[node].tolist() == [distance for _, distance in want.result]
    for name in ("best_moves", "fastest_moves"):
        assert getattr(values, name).dtype == np.uint64
    for i, n in enumerate(node):
        results = [want.result[c] for c in want.children[i]]
        best = [
            m for m, r in zip(want.moves[i], results, strict=True) if r[0] == -want.result[i][0]
        ]
        fast = [
            m
            for m, (value, distance) in zip(want.moves[i], results, strict=True)
            if (-value, distance + 1) == want.result[i]
        ]
        for mask, moves in ((values.best_moves[n], best), (values.fastest_moves[n], fast)):
            assert [m for bit, m in enumerate(root_moves) if int(mask) >> bit & 1] == moves
            assert int(mask) < 1 << len(root_moves)
        numbers = (values.n_losing[n], values.n_drawing[n], values.n_winning[n])
        assert numbers == tuple(sum(-v == sign for v, _ in results) for sign in (-1, 0, 1))


def test_more_than_64_moves_have_no_masks():
    graph = build(played((13, 5), 1, False))
    with pytest.raises(ValueError, match="64"):
        graph.values()
    assert graph.value[0] == 1 and graph.outcomes("optimal fastest", "pmc")[0].tolist() == [1, 0, 0]
    wide = build(played((8, 8), 1, False)).values()
    assert int(wide.best_moves[0]) == 2**64 - 1 and wide.n_winning[0] == 64


@each_case
def test_optimal_play_never_gets_less_than_the_value(case):
    graph = build(case)
    arrays = [graph.policy("pmc score"), random_weights(graph, 3)]
    for name in ("optimal", "optimal fastest"):
        for other in [*NAMES, *arrays]:
            first, second = graph.outcomes(name, other), graph.outcomes(other, name)
            assert (first[graph.value == 1, 1:] == 0).all()
            assert (first[graph.value >= 0, 1] == 0).all()
            assert (second[graph.value == -1][:, [0, 2]] == 0).all()
            assert (second[graph.value <= 0, 0] == 0).all()
            assert np.allclose(first.sum(axis=1), 1) and np.allclose(second.sum(axis=1), 1)


def random_weights(graph, seed):
    """Chances over the edges, some of them 0, some nodes played surely."""
    rng = np.random.default_rng(seed)
    start = graph.edges().start
    weights = rng.random(start[-1]) * (rng.random(start[-1]) < 0.7)
    for a, b in itertools.pairwise(start):
        if a < b:
            weights[rng.integers(a, b)] += rng.random() + 0.01
            weights[a:b] /= weights[a:b].sum()
    return weights


@each_case
def test_random_arrays_over_the_edges(case):
    want, graph = oracle.positions(*case), build(case)
    node, start = nodes(graph, want), graph.edges().start
    arrays = [random_weights(graph, seed) for seed in (1, 2)]
    before = [array.copy() for array in arrays]

    def rule(array):
        return lambda i: [Fraction(p) for p in array[start[node[i]] : start[node[i] + 1]]]

    for pair in [(0, 1), (0, None), (None, 1)]:
        first, second = ("uniform" if side is None else arrays[side] for side in pair)
        rules = [want.named("uniform") if s is None else rule(arrays[s]) for s in pair]
        found = graph.outcomes(first, second)
        assert close(found[node], floats(want.outcomes(*rules)), 1e-12)
    assert all(map(np.array_equal, arrays, before))
    assert close(graph.policy(arrays[0]), arrays[0], 1e-15)


def test_any_memory_layout_is_the_same_policy():
    graph = build(played((3, 3), 3, True))
    weights = random_weights(graph, 5)
    right = graph.outcomes(weights, "pmc")
    frozen, wide = weights.copy(), np.zeros((len(weights), 3))
    frozen.flags.writeable = False
    wide[:, 1] = weights
    for array in (frozen, wide[:, 1], weights[::-1].copy()[::-1], weights.astype(">f8")):
        assert np.array_equal(graph.outcomes(array, "pmc"), right)
        assert np.array_equal(graph.policy(array), graph.policy(weights))


def as_move(moves, row, rng):
    return moves[row.index(max(row))]


def as_numpy_move(moves, row, rng):
    return np.int64(moves[row.index(max(row))])


def as_array(moves, row, rng):
    return np.array([float(p) for p in row])


def as_list(moves, row, rng):
    return [float(p) for p in row]


def as_dict(moves, row, rng):
    pairs = [(m, float(p)) for m, p in zip(moves, row, strict=True) if p]
    return dict(rng.sample(pairs, len(pairs)))


SHAPES = [as_move, as_numpy_move, as_array, as_dict]


def callable_policy(case, answer, seed):
    """A random policy with dyadic chances: (a callable, the chances by the oracle's nodes)."""
    want, rng = oracle.positions(*case), random.Random(seed)
    rows = []
    for moves in want.moves:
        shares = [rng.choice([0, 1, 2, 5]) for _ in moves]
        if moves:
            shares[rng.randrange(len(moves))] = 64 - sum(shares) + shares[0] * 0
        rest = 64 - sum(shares[1:]) if moves else 0
        rows.append([Fraction(s, 64) for s in ([rest, *shares[1:]] if moves else [])])
    if answer in (as_move, as_numpy_move):
        rows = [[Fraction(int(j == row.index(max(row)))) for j in range(len(row))] for row in rows]

    def policy(pos):
        i = want.number[board_of(pos)]
        assert pos.status == -1 and pos.legal_moves.tolist() == want.moves[i]
        return answer(want.moves[i], rows[i], random.Random(i))

    return policy, rows


@pytest.mark.parametrize(
    "case", [oracle.SMALL[2], oracle.SMALL[7], oracle.LATE[1], oracle.LATE[5]], ids=oracle.name
)
@pytest.mark.parametrize("answer", SHAPES)
def test_callables(case, answer):
    want, graph, pos = oracle.positions(*case), build(case), position(*case)
    node = nodes(graph, want)
    (first, rows), (second, other_rows) = (callable_policy(case, answer, s) for s in (1, 2))
    uniform = chances(case, "uniform")
    for policies, rules in (
        ((first, second), (rows, other_rows)),
        ((first, "uniform"), (rows, uniform)),
        (("uniform", second), (uniform, other_rows)),
    ):
        right = want.outcomes(*(rule.__getitem__ for rule in rules))
        assert close(graph.outcomes(*policies)[node], floats(right), 1e-13)
        assert mbx.outcome_probabilities(pos, *policies, exact=True) == list(right[0])
        assert close(mbx.outcome_probabilities(pos, *policies), floats(right)[0], 1e-13)
        by_move = [list(right[c]) for c in want.children[0]]
        assert mbx.move_probabilities(pos, *policies, exact=True) == by_move
    assert np.array_equal(graph.policy(first), on_edges(graph, want, rows))


def test_fractions_of_a_callable_stay_exact():
    pos = position(*played((3, 3), 3, False, 4, 0))

    def evenly(pos):
        moves = pos.legal_moves.tolist()
        return {move: Fraction(1, len(moves)) for move in moves}

    found = mbx.outcome_probabilities(pos, evenly, evenly, exact=True)
    assert found == mbx.outcome_probabilities(pos, exact=True)


def test_callables_may_spoil_the_position_they_are_given():
    case = played((3, 3), 3, False, 4, 0)
    graph = build(case)

    def spoil(pos):
        move = pos.legal_moves[-1]
        while len(pos.legal_moves):
            pos.push(pos.legal_moves[0])
        return move

    def last(pos):
        return pos.legal_moves[-1]

    pos = position(*case)
    assert np.array_equal(graph.outcomes(spoil, spoil), graph.outcomes(last, last))
    expected = mbx.outcome_probabilities(pos, last, "uniform", exact=True)
    assert mbx.outcome_probabilities(pos, spoil, "uniform", exact=True) == expected
    assert pos.ply == 2 and pos.moves == []


def test_callables_may_call_mbx():
    graph = build(played((3, 3), 3, False, 4, 0))

    def best(pos):
        side = pos.turn
        rows = mbx.move_probabilities(pos, exact=True)
        ranks = [(row[side], row[2]) for row in rows]
        mask = [float(rank == max(ranks)) for rank in ranks]
        return np.array(mask) / sum(mask)

    assert close(graph.outcomes(best, best), graph.outcomes("pmc", "pmc"), 1e-15)


def test_a_callable_is_asked_for_its_own_side_only():
    graph = build(played((3, 3), 3, False, 4, 0))
    sides = {0: set(), 1: set()}

    def ask(side):
        def policy(pos):
            sides[side].add(pos.turn)
            return pos.legal_moves[0]

        return policy

    graph.outcomes(ask(0), ask(1))
    assert sides == {0: {0}, 1: {1}}
    both = set()
    graph.policy(lambda pos: both.add(pos.turn) or pos.legal_moves[0])
    assert both == {0, 1}


@few
def test_the_tree_has_the_same_outcomes_and_values(case):
    want = oracle.positions(*case)
    if want.games[0] > 700:
        pytest.skip("a large tree")
    tree, graph = mbx.build_tree(position(*case)), build(case)
    merged = [graph.index(tree.position(node)) for node in range(len(tree))]
    for pair in PAIRS:
        found = tree.outcomes(*pair)
        assert close(found, graph.outcomes(*pair)[merged], 1e-14), pair
    tables = tree.values(), graph.values()
    assert np.array_equal(*(table.moves for table in tables))
    for name in VALUES:
        assert np.array_equal(getattr(tables[0], name), getattr(tables[1], name)[merged]), name
    start, children, _ = tree.edges()
    for name in NAMES:
        policy, merged_policy = tree.policy(name), graph.policy(name)
        for node in random.Random(1).sample(range(len(tree)), min(len(tree), 30)):
            n = merged[node]
            edges = slice(*graph.edges().start[n : n + 2])
            assert np.array_equal(policy[start[node] : start[node + 1]], merged_policy[edges])
    weights = random_weights(tree, 4)
    inner = np.flatnonzero(tree.n_children)
    found = tree.outcomes(weights, weights)
    sums = np.add.reduceat(weights[:, None] * found[children], start[inner]) if len(inner) else []
    assert close(found[inner], np.array(sums).reshape(-1, 3), 1e-12)


def test_symmetry_takes_names_only():
    graph = build(MARUBATSU, symmetry=True)
    weights = graph.policy("pmc")
    assert weights.shape == (graph.n_edges,)
    for wrong in (weights, lambda pos: pos.legal_moves[0]):
        for call in (
            graph.outcomes,
            lambda p: graph.outcomes("pmc", p),
            graph.policy,
        ):
            with pytest.raises(ValueError):
                call(wrong)


@pytest.mark.parametrize("symmetry", [False, True])
def test_named_policies_of_symmetric_graphs(symmetry):
    """Of every node's own position, also where several moves lead to one node."""
    graph = build(MARUBATSU, symmetry=symmetry)
    full = build(MARUBATSU)
    start, full_start = graph.edges().start, full.edges().start
    values, full_values = graph.values(), full.values()
    images = [full.index(graph.position(n)) for n in range(len(graph))]
    for name in NAMES:
        policy, other = graph.policy(name), full.policy(name)
        for n, i in enumerate(images):
            edges, others = slice(*start[n : n + 2]), slice(*full_start[i : i + 2])
            assert np.array_equal(policy[edges], other[others])
    for name in VALUES:
        assert np.array_equal(getattr(values, name), getattr(full_values, name)[images]), name


def graph_calls(graph):
    return [
        lambda p: graph.outcomes(p, "uniform"),
        lambda p: graph.outcomes("optimal", p),
        graph.policy,
    ]


def position_calls(pos):
    return [
        lambda p: mbx.outcome_probabilities(pos, p),
        lambda p: mbx.outcome_probabilities(pos, "pmc", p, exact=True),
        lambda p: mbx.move_probabilities(pos, second=p),
        lambda p: mbx.move_probabilities(pos, p, exact=True),
    ]


SOME = played((3, 3), 3, False, 4, 0)


@pytest.mark.parametrize("wrong", ["", "Optimal", "best", "pmc  win", "uniform "])
def test_unknown_names(wrong):
    pos = position(*SOME)
    calls = [
        c
        for g in (build(SOME), build(SOME, symmetry=True), mbx.build_tree(pos))
        for c in graph_calls(g)
    ]
    for call in calls + position_calls(pos):
        with pytest.raises(ValueError, match="optimal fastest"):
            call(wrong)


@pytest.mark.parametrize("wrong", [None, 1, 1.5, b"pmc", {}, object()], ids=repr)
def test_what_is_no_policy(wrong):
    pos = position(*SOME)
    calls = [
        c
        for g in (build(SOME), build(SOME, symmetry=True), mbx.build_tree(pos))
        for c in graph_calls(g)
    ]
    for call in calls + position_calls(pos):
        with pytest.raises(TypeError):
            call(wrong)


def spoilt(weights, start, node, how):
    wrong = weights.copy()
    a, b = start[node], start[node + 1]
    if how == "negative":
        wrong[a], wrong[a + 1] = -0.5, wrong[a] + wrong[a + 1] + 0.5
    elif how == "zero":
        wrong[a:b] = 0
    elif how == "sum":
        wrong[b - 1] += 0.01
    else:
        wrong[a] = float(how)
    return wrong


@pytest.mark.parametrize("how", ["negative", "zero", "sum", "nan", "inf", "-inf"])
@pytest.mark.parametrize("make", [build, lambda case: mbx.build_tree(position(*case))])
def test_wrong_chances_name_the_node(how, make):
    graph = make(SOME)
    start = graph.edges().start
    inner = [n for n in range(len(graph)) if start[n + 1] - start[n] > 1]
    for node in (0, inner[len(inner) // 2], inner[-1]):
        wrong = spoilt(graph.policy("uniform"), start, node, how)
        side = graph.ply[node] % 2
        calls = graph_calls(graph)
        for call in (calls[side], calls[2]):
            with pytest.raises(ValueError, match=rf"\b{node}\b"):
                call(wrong)


@pytest.mark.parametrize(
    "change, error",
    [
        (lambda w: w[:-1], ValueError),
        (lambda w: np.append(w, 0.5), ValueError),
        (lambda w: w[:0], ValueError),
        (lambda w: w.reshape(1, -1), ValueError),
        (lambda w: np.array(0.5), ValueError),
        (lambda w: w.astype(complex), TypeError),
        (lambda w: w.astype(object), TypeError),
        (lambda w: w.astype(str), TypeError),
    ],
)
def test_arrays_of_another_kind(change, error):
    for graph in (build(SOME), mbx.build_tree(position(*SOME))):
        wrong = change(graph.policy("uniform"))
        for call in graph_calls(graph):
            with pytest.raises(error):
                call(wrong)


class Custom(Exception):
    pass


def raises(pos):
    raise Custom("from the policy")


def late_error(pos):
    if pos.ply >= 6:
        raise Custom("from the policy")
    return pos.legal_moves[0]


@pytest.mark.parametrize("policy", [raises, late_error])
def test_errors_of_callables_pass_through(policy):
    graph, pos = build(SOME), position(*SOME)
    calls = graph_calls(graph) + graph_calls(mbx.build_tree(pos)) + position_calls(pos)[:2]
    for call in calls:
        with pytest.raises(Custom, match="from the policy"):
            call(policy)
    assert np.array_equal(graph.outcomes(), graph.probabilities)


@pytest.mark.parametrize(
    "answer, error",
    [
        (lambda pos: 4, ValueError),
        (lambda pos: -1, ValueError),
        (lambda pos: 9, ValueError),
        (lambda pos: 2**63, ValueError),
        (lambda pos: -(10**30), ValueError),
        (lambda pos: {4: 1.0}, ValueError),
        (lambda pos: {9: 1.0}, ValueError),
        (lambda pos: {}, ValueError),
        (lambda pos: {pos.legal_moves[0]: 0.5}, ValueError),
        (lambda pos: {pos.legal_moves[0]: 2.0, pos.legal_moves[-1]: -1.0}, ValueError),
        (lambda pos: {pos.legal_moves[0]: float("nan")}, ValueError),
        (lambda pos: {"0": 1.0}, (TypeError, ValueError)),
        (lambda pos: {pos.legal_moves[0]: "1"}, (TypeError, ValueError)),
        (lambda pos: np.ones(9) / 9, ValueError),
        (lambda pos: np.zeros(len(pos.legal_moves)), ValueError),
        (lambda pos: np.ones(len(pos.legal_moves)), ValueError),
        (lambda pos: np.ones((1, len(pos.legal_moves))), (TypeError, ValueError)),
        (lambda pos: np.full(len(pos.legal_moves), np.nan), ValueError),
        (lambda pos: None, TypeError),
        (lambda pos: "0", TypeError),
        (lambda pos: 0.5, TypeError),
    ],
)
def test_wrong_answers_of_callables(answer, error):
    pos = position(*SOME)
    for call in graph_calls(build(SOME)) + position_calls(pos):
        with pytest.raises(error):
            call(answer)
    assert board_of(pos) == SOME[1]


@pytest.mark.parametrize("case", [c for c in oracle.CASES if ref.status(*c) != -1], ids=oracle.name)
def test_after_the_end(case):
    graph, pos = build(case), position(*case)
    result = [float(pos.status == i) for i in range(3)]
    assert len(graph) == 1 and graph.n_edges == 0 and graph.edges().start.tolist() == [0, 0]
    for policy in [*NAMES, np.zeros(0), raises]:
        assert graph.outcomes(policy, "pmc").tolist() == [result]
        assert graph.policy(policy).shape == (0,)
    for policy in [*NAMES, raises]:
        assert mbx.outcome_probabilities(pos, policy, exact=True) == result
        assert mbx.move_probabilities(pos, policy).shape == (0, 3)

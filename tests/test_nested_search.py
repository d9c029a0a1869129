"""Searches of trees of nested lists, held against plain minimax and against theory."""

from __future__ import annotations

import copy
import math
import pickle
import random
import threading
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from nested_trees import (
    ALGORITHMS,
    ARTICLE,
    INF,
    NUMBERS,
    at,
    critical,
    every_kind,
    filled,
    nodes,
    ordered,
    trees,
    uniform,
    worth,
)

import mbx

# ---- what every algorithm finds ------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_value_is_minimax(numbers, algorithm):
    for tree, maximize in trees(numbers, 100):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        value = worth(tree, maximize)
        assert result.value == value
        assert result.value in [leaf for _, leaf, _ in nodes(tree, maximize)]
        assert result.bounds[()] == (value, value)


@every_kind
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_variation_is_best_play(numbers, algorithm):
    for tree, maximize in trees(numbers):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        side, node = maximize, tree
        for i in result.variation:
            node, side = node[i], not side
            assert worth(node, side) == result.value
        assert not isinstance(node, list)
        if algorithm in ("minimax", "alphabeta"):
            node, side = tree, maximize
            for i in result.variation:
                values = [worth(child, not side) for child in node]
                assert i == values.index(result.value)
                node, side = node[i], not side


@every_kind
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_visit_says_what_is_true(numbers, algorithm):
    for tree, maximize in trees(numbers):
        truth = {path: worth(node, side) for path, node, side in nodes(tree, maximize)}
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        for path, _, alpha, beta, value, _ in result.visits:
            assert alpha < beta
            assert value >= truth[path] if value < beta else value <= truth[path]
            assert value <= truth[path] if value > alpha else value >= truth[path]


@every_kind
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bounds_are_what_leaves_left_out_can_do(numbers, algorithm):
    r = random.Random(3)
    for tree, maximize in trees(numbers):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        visited = {visit.path for visit in result.visits}
        assert list(result.bounds) == list(dict.fromkeys(visit.path for visit in result.visits))
        least, most = (filled(tree, visited, lambda end=end: end) for end in (-INF, INF))
        for path, (lower, upper) in result.bounds.items():
            side = maximize == (len(path) % 2 == 0)
            assert lower == worth(at(least, path), side)
            assert upper == worth(at(most, path), side)
        assert worth(filled(tree, visited, lambda: r.gauss(0, 100)), maximize) == result.value


@every_kind
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_kinds_counts_and_cuts(numbers, algorithm):
    for tree, maximize in trees(numbers):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        every = list(nodes(tree, maximize))
        kinds = {
            path: ("min", "max")[side] if isinstance(node, list) else "leaf"
            for path, node, side in every
        }
        assert result.nodes == len(every)
        assert all(visit.kind == kinds[visit.path] for visit in result.visits)
        assert result.visited == len(result.visits)
        assert result.leaves == sum(kinds[visit.path] == "leaf" for visit in result.visits)
        assert result.cuts == [
            (visit.path, {"min": "alpha", "max": "beta"}[visit.kind], visit.left_out)
            for visit in result.visits
            if visit.left_out
        ]
        for visit in result.visits:
            if visit.left_out:
                low = visit.kind == "min"
                assert visit.value <= visit.alpha if low else visit.value >= visit.beta
                assert 0 < visit.left_out < len(at(tree, visit.path))


# ---- what each of them visits --------------------------------------------------------------------


@every_kind
def test_minimax_visits_every_node_once(numbers):
    for tree, maximize in trees(numbers):
        result = mbx.search_tree(tree, "minimax", maximize=maximize)
        assert [visit.path for visit in result.visits] == [p for p, _, _ in nodes(tree, maximize)]
        assert {(visit.alpha, visit.beta) for visit in result.visits} == {(-INF, INF)}
        assert not result.cuts


@every_kind
def test_alphabeta_visits_the_critical_nodes_with_their_windows(numbers):
    for tree, maximize in trees(numbers):
        result = mbx.search_tree(tree, maximize=maximize)
        assert [visit[:1] + visit[2:4] for visit in result.visits] == list(critical(tree, maximize))
        assert result.visited <= sum(1 for _ in nodes(tree, maximize))
        visited = set(result.bounds)
        left_out = {cut.path: cut.left_out for cut in result.cuts}
        for path in visited:
            children = at(tree, path)
            below = range(len(children)) if isinstance(children, list) else ()
            assert sum((*path, i) not in visited for i in below) == left_out.get(path, 0)


@every_kind
def test_scout_asks_first_and_looks_again(numbers):
    for tree, maximize in trees(numbers):
        scout = mbx.search_tree(tree, "scout", maximize=maximize)
        assert set(scout.bounds) <= set(mbx.search_tree(tree, maximize=maximize).bounds)
        leaves = {leaf for _, leaf, _ in nodes(tree, maximize) if not isinstance(leaf, list)}
        first = {}
        for visit in scout.visits:
            first.setdefault(visit.path, visit)
        for path, visit in first.items():
            if path and path[-1]:
                assert not any(visit.alpha < leaf < visit.beta for leaf in leaves)
        depth = max(len(path) for path in first)
        assert max(Counter(visit.path for visit in scout.visits).values()) <= 1 + depth


def test_windows_of_scout():
    """Leaves are 0 1 2 3 4 5 7 8 9: above 2 is 3, below 7 is 5, above 7 is 8."""
    visits = mbx.search_tree(ARTICLE, "scout").visits
    windows = {visit.path: (visit.alpha, visit.beta) for visit in visits}
    assert len(windows) == len(visits)
    assert windows[0, 0, 1] == (2, 3) and windows[0, 0, 2] == (7, 8)
    assert windows[0, 1] == (5, 7) and windows[1,] == (7, 8)
    again = [visit for visit in mbx.search_tree([4, [6, 5]], "scout").visits if visit.path == (1,)]
    assert [visit[2:5] for visit in again] == [(4, 5, 5), (4, INF, 5)]
    assert mbx.search_tree([1, 2, 3], "scout").visited == 4  # a leaf is not searched again


@every_kind
def test_mtdf_asks_with_null_windows_alone(numbers):
    for tree, maximize in trees(numbers):
        result = mbx.search_tree(tree, "mtdf", maximize=maximize)
        leaves = {leaf for _, leaf, _ in nodes(tree, maximize) if not isinstance(leaf, list)}
        for visit in result.visits:
            assert not any(visit.alpha < leaf < visit.beta for leaf in leaves)
        passes = [visit for visit in result.visits if visit.path == ()]
        assert len(passes) <= len(leaves) + 1
        guess = next(leaf for _, leaf, _ in nodes(tree, maximize) if not isinstance(leaf, list))
        assert passes[0].beta == guess or guess == -INF


@every_kind
def test_mtdf_remembers(numbers):
    """A node whose earlier answers suffice is left at once."""
    for tree, maximize in trees(numbers):
        visits = mbx.search_tree(tree, "mtdf", maximize=maximize).visits
        known = {}
        for visit, after in pairwise([*visits, visits[0]]):
            lower, upper = known.get(visit.path, (-INF, INF))
            if lower >= visit.beta or upper <= visit.alpha:
                assert visit.value == (lower if lower >= visit.beta else upper)
                assert after.path[: len(visit.path)] != visit.path or after.path == ()
            elif visit.kind != "leaf":
                assert after.path == (*visit.path, 0)
                known[visit.path] = (
                    (visit.value, upper) if visit.value >= visit.beta else (lower, visit.value)
                )


@pytest.mark.parametrize("algorithm", ["alphabeta", "scout"])
@pytest.mark.parametrize("maximize", [True, False])
@pytest.mark.parametrize(
    "b, depth", [(1, 5), (2, 0), (2, 1), (2, 7), (3, 5), (4, 4), (5, 3), (9, 2)]
)
def test_a_perfectly_ordered_tree(algorithm, maximize, b, depth):
    """Knuth and Moore 1975, corollary of theorem 1."""
    n = b ** -(-depth // 2) + b ** (depth // 2) - 1
    r = random.Random(b)
    distinct = ordered(uniform(r.random, b, depth), maximize)
    for tree in (distinct, uniform(lambda: 0, b, depth)):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        assert result.leaves == n
    assert mbx.search_tree(distinct, "minimax", maximize=maximize).leaves == b**depth


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_only_the_order_of_values_matters(algorithm):
    def mapped(tree, function):
        if isinstance(tree, list):
            return [mapped(child, function) for child in tree]
        return function(tree)

    for tree, maximize in trees(NUMBERS["ints"]):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        seen = [(visit.path, visit.left_out) for visit in result.visits]
        for function in (lambda x: x + 1000, lambda x: x**3, lambda x: x / 7):
            other = mbx.search_tree(mapped(tree, function), algorithm, maximize=maximize)
            assert [(visit.path, visit.left_out) for visit in other.visits] == seen
            assert other.value == function(result.value)


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "scout"])
def test_the_sides_are_mirror_images(algorithm):
    def negated(tree):
        return [negated(child) for child in tree] if isinstance(tree, list) else -tree

    for tree, maximize in trees(NUMBERS["ties"]):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        mirror = mbx.search_tree(negated(tree), algorithm, maximize=not maximize)
        windows = [(visit.path, -visit.beta, -visit.alpha, -visit.value) for visit in mirror.visits]
        assert windows == [visit[:1] + visit[2:5] for visit in result.visits]


# ---- the trees of the magazine piece -------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_article_tree_gives_seven(algorithm):
    result = mbx.search_tree(ARTICLE, algorithm)
    assert result.value == 7 and type(result.value) is int
    assert result.variation == [0, 0, 1]


def test_minimax_values_of_the_article_tree():
    bounds = mbx.search_tree(ARTICLE, "minimax").bounds
    inner = [(0, 0), (0, 1), (1, 0), (1, 1), (0,), (1,), ()]
    assert [bounds[path] for path in inner] == [(v, v) for v in (7, 8, 4, 9, 7, 4, 7)]


def test_cuts_of_the_article_tree():
    result = mbx.search_tree(ARTICLE)
    assert result.cuts == [((0, 1), "beta", 1), ((1,), "alpha", 1)]
    assert result.bounds[0, 1] == (8, INF) and result.bounds[1,] == (-INF, 4)
    assert (1, 1) not in result.bounds
    assert (result.visited, result.leaves, result.nodes) == (13, 7, 17)


def test_an_alpha_cut():
    """C is worth 6 or more, B 3 or less: A is not looked at."""
    result = mbx.search_tree([6, [3, [1, 9]]])
    assert result.value == 6 and result.cuts == [((1,), "alpha", 1)]
    assert result.bounds == {(): (6, 6), (0,): (6, 6), (1,): (-INF, 3), (1, 0): (3, 3)}


def test_a_beta_cut():
    """C is worth 6 or less, B 8 or more: A is not looked at."""
    result = mbx.search_tree([6, [8, [1, 9]]], maximize=False)
    assert result.value == 6 and result.cuts == [((1,), "beta", 1)]
    assert result.bounds == {(): (6, 6), (0,): (6, 6), (1,): (8, INF), (1, 0): (8, 8)}


def test_equal_values_cut_and_the_last_child_does_not():
    assert mbx.search_tree([6, [6, 1]]).cuts == [((1,), "alpha", 1)]
    assert mbx.search_tree([6, [6, 6]], maximize=False).cuts == [((1,), "beta", 1)]
    assert mbx.search_tree([6, [7, 1]]).cuts == []


# ---- input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("number", [0, -3, 2.5, INF, -INF])
def test_a_number_alone_is_its_value(algorithm, number):
    for tree in (number, [number], [[[number]]]):
        result = mbx.search_tree(tree, algorithm)
        assert result.value == number and type(result.value) is type(number)
    result = mbx.search_tree(number, algorithm)
    assert (result.nodes, result.variation, result.cuts) == (1, [], [])
    assert {visit.path for visit in result.visits} == {()}


def test_lists_tuples_and_numbers_of_numpy():
    tree = [(np.int64(3), np.float32(0.1)), [np.uint8(200), np.float64(INF)], (Fraction(1, 4),)]
    result = mbx.search_tree(tree, "minimax")
    assert result.tree == ((3, float(np.float32(0.1))), (200, INF), (0.25,))
    kinds = [type(leaf) for child in result.tree for leaf in child]
    assert kinds == [int, float, int, float, float]


def test_the_given_tree_stays_as_it_is():
    tree = copy.deepcopy(ARTICLE)
    result = mbx.search_tree(tree)
    assert tree == ARTICLE
    tree[0][0][1] = 100
    assert result.tree == tuple(tuple(map(tuple, child)) for child in ARTICLE)


@pytest.mark.parametrize(
    "leaf", ["7", "", b"7", None, True, np.True_, 1j, {1: 2}, {1}, object, range(3)]
)
def test_what_is_no_number_names_its_place(leaf):
    with pytest.raises(TypeError, match=r"tree\[1\]\[0\] must be a number, a list or a tuple"):
        mbx.search_tree([3, [leaf, 4]])
    with pytest.raises(TypeError, match=r"tree must be a number"):
        mbx.search_tree(leaf)


def test_arrays_are_not_trees():
    with pytest.raises(TypeError, match="must be a number, a list or a tuple, not array"):
        mbx.search_tree(np.zeros((2, 2)))


@pytest.mark.parametrize(
    "bad, words",
    [
        ([], "must not be empty"),
        ((), "must not be empty"),
        (math.nan, "must not be nan"),
        (np.float32("nan"), "must not be nan"),
        (10**400, "must be in the range of floats"),
    ],
)
def test_wrong_values_name_their_place(bad, words):
    with pytest.raises(ValueError, match=rf"^tree\[0\]\[2\]\[0\] {words}"):
        mbx.search_tree([[1, 2, [bad]]])
    with pytest.raises(ValueError, match=rf"^tree {words}"):
        mbx.search_tree(bad)


def test_wrong_options():
    with pytest.raises(ValueError, match=r"algorithm must be one of .*'scout'.*not 'pvs'"):
        mbx.search_tree([1], "pvs")
    for algorithm in (None, 3, ["scout"]):
        with pytest.raises(TypeError, match="algorithm"):
            mbx.search_tree([1], algorithm)
    for maximize in (None, 1, "min"):
        with pytest.raises(TypeError, match="maximize"):
            mbx.search_tree([1], maximize=maximize)


def nested(levels):
    tree = 5
    for _ in range(levels):
        tree = [tree]
    return tree


def test_a_tree_that_is_nested_too_deep():
    itself = []
    itself.append(itself)
    for tree in (nested(101), nested(10_000), itself, [1, itself]):
        with pytest.raises(ValueError, match="tree must not have more than 100 levels of lists"):
            mbx.search_tree(tree)


def test_the_deepest_tree_needs_little_stack():
    tree = nested(98)
    tree = [[tree, 4, 6], [3, tree]]  # 100 levels
    found = []

    def search():
        for algorithm in ALGORITHMS:
            result = mbx.search_tree(tree, algorithm)
            found.append((result.value, result._repr_svg_()[:4], str(result)[:4]))

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=search)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert [value for value, _, _ in found] == [4] * len(ALGORITHMS)


def test_too_many_nodes_are_refused_early(monkeypatch):
    shared = 1
    for _ in range(90):
        shared = [shared, shared]  # 2**91 - 1 nodes in 91 objects
    for tree in ([0] * 100_000, shared):
        with pytest.raises(mbx.TooLargeError, match="tree must not have more than 100,000 nodes"):
            mbx.search_tree(tree)
    monkeypatch.setattr("mbx.nested_search.MOST_NODES", 10)
    assert mbx.search_tree([0] * 9).nodes == 10
    with pytest.raises(mbx.TooLargeError):
        mbx.search_tree([[0] * 8, 0])


def test_too_many_visits_end_a_search(monkeypatch):
    tree = [[i] for i in range(100)]  # for mtdf the worst: about n ** 2 / 2 visits
    n = mbx.search_tree(tree, "mtdf").visited
    assert n > 5_000
    monkeypatch.setattr("mbx.nested_search.MOST_VISITS", n)
    assert mbx.search_tree(tree, "mtdf").value == 99
    monkeypatch.setattr("mbx.nested_search.MOST_VISITS", n - 1)
    with pytest.raises(mbx.TooLargeError, match=f"more than {n - 1:,} visits"):
        mbx.search_tree(tree, "mtdf")


def test_results_pickle_and_copy():
    result = mbx.search_tree(ARTICLE, "scout")
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert str(other) == str(result)
        assert other.bounds == result.bounds


# ---- text ----------------------------------------------------------------------------------------


def test_text():
    lines = str(mbx.search_tree([6, [8, 9]], maximize=False)).splitlines()
    assert lines == [
        "alphabeta: value 6, 4 visits to 4 of 5 nodes, variation 0",
        "",
        "visit  node  kind  alpha  beta  value                cut",
        "1      root   min     -∞     ∞      6",
        "2         0  leaf     -∞     ∞      6",
        "3         1   max     -∞     6      8  β-cut, 1 left out",
        "4       1.0  leaf     -∞     6      8",
    ]


def test_text_of_many_visits():
    lines = str(mbx.search_tree([list(range(2_000))])).splitlines()
    assert len(lines) == 2 + 1 + 200 + 1 and lines[-1] == "… 1,802 more visits"

"""Game trees against the reference, in both orders, and the facts of published trees."""

from __future__ import annotations

import copy
import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
from reference import Rules

import mbx

MARUBATSU = Rules((3, 3), 3)
TREES = [
    (MARUBATSU, []),
    (MARUBATSU, [4, 0, 8]),
    (MARUBATSU, [0, 3, 1, 4, 2]),
    (Rules((3, 3), 3, True), []),
    (Rules((3, 3), 3, True), [1]),
    (Rules((4, 3), 4, True), [0, 0, 3]),
    (Rules((2, 2), 3), []),
    (Rules((3, 2), 1), []),
    (Rules((1, 1), 1), []),
    (Rules((5, 1), 3), []),
    (Rules((1, 6), 3, True), []),
    (Rules((2, 2, 2), 2), []),
    (Rules((2, 1, 4), 3, True), []),
]


@pytest.fixture(params=TREES, ids=lambda case: f"{case[0]}-{len(case[1])}", scope="module")
def case(request):
    """Rules, both graphs and the reference tree of one position."""
    rules, moves = request.param
    pos = mbx.Game(*rules.args).position(moves)
    return (
        rules,
        mbx.build_tree(pos),
        mbx.build_tree(pos, order="df"),
        ref.tree(rules, ref.play_all(rules, moves)),
    )


def check_columns(graph, expected, number):
    """The graph is the reference tree whose node i has the id number[i]."""
    renumber = np.append(number, -1)
    for name, dtype, column in (
        ("parent", np.int32, renumber[expected.parent]),
        ("move", np.uint8, expected.move),
        ("depth", np.uint8, expected.depth),
        ("n_children", np.uint8, expected.n_children),
        ("first_child", np.int32, renumber[expected.first_child]),
        ("status", np.int8, expected.status),
        (
            "value",
            np.int8,
            expected.fold(
                np.select([expected.status == 0, expected.status == 1], [1, -1], 0),
                (np.maximum, np.minimum),
            ),
        ),
    ):
        found = getattr(graph, name)
        assert found.dtype == dtype and found.shape == (len(number),), name
        assert np.array_equal(found[number], column), name
        with pytest.raises(ValueError):
            found[0] = 0
    assert graph.n_nodes == len(graph) == len(number)
    assert list(graph.layer_sizes) == [s.stop - s.start for s in expected.layers]


def test_breadth_first(case):
    _, graph, _, expected = case
    assert graph.order == "bf"
    check_columns(graph, expected, np.arange(len(expected.parent)))


def test_depth_first_is_the_same_tree_in_preorder(case):
    _, _, graph, expected = case
    assert graph.order == "df"
    check_columns(graph, expected, expected.preorder)


@pytest.mark.parametrize("order", [0, 1])
def test_counts_and_probabilities(case, order):
    rules, graph, expected = case[0], case[1 + order], case[3]
    number = expected.preorder if order else np.arange(len(expected.parent))
    stones, index = expected.positions
    boards = [
        tuple(((int(a) >> c) & 1) - 1 + 2 * ((int(b) >> c) & 1) for c in range(rules.n_cells))
        for a, b in stones
    ]
    chances = [ref.outcome_probabilities(rules, board) for board in boards]
    below = [graph.denominators[ref_depth] for ref_depth in _depths(expected, index)]
    exact = np.array([[p * d for p in row] for row, d in zip(chances, below, strict=True)], object)
    assert all(share.denominator == 1 for share in exact.ravel())
    assert graph.counts.shape == graph.probabilities.shape == (len(number), 3)
    assert np.array_equal(graph.counts[number].astype(object), exact[index])
    assert graph.probabilities.dtype == np.float64
    floats = np.array([[float(p) for p in row] for row in chances])
    assert np.array_equal(graph.probabilities[number], floats[index])
    for column in (graph.counts, graph.probabilities):
        with pytest.raises(ValueError):
            column[0] = 0


def _depths(expected, index):
    """The depth of every distinct position of a tree."""
    depth = np.zeros(index.max() + 1, int)
    depth[index] = expected.depth
    return depth.tolist()


@pytest.mark.parametrize("order", [0, 1])
def test_walking(case, order):
    rules, graph = case[0], case[1 + order]
    rng = random.Random(1)
    for node in {0, len(graph) - 1, *rng.choices(range(len(graph)), k=40)}:
        path, pos = graph.path(node), graph.position(node)
        assert len(path) == graph.depth[node] and graph.find(path) == node
        assert graph.find(np.array(path, np.uint8)) == node
        replay = graph.root.copy()
        for move in path:
            replay.push(move)
        assert pos == replay and pos.status == graph.status[node]
        children = graph.children(node)
        assert children.dtype == np.int32
        assert graph.move[children].tolist() == pos.legal_moves.tolist()
        assert (graph.parent[children] == node).all()
        for wrong in (path + [rules.n_moves], path + [-1], path + [0] * (rules.n_cells + 1)):
            with pytest.raises(KeyError):
                graph.find(wrong)


@pytest.mark.parametrize("order", [0, 1])
def test_minimax_with_any_table(case, order):
    rules, graph, expected = case[0], case[1 + order], case[3]
    number = expected.preorder if order else np.arange(len(expected.parent))
    rng = np.random.default_rng(1)
    table = rng.integers(-100, 101, (rules.n_cells + 1, 3), dtype=np.int8)
    leaf = np.where(expected.status >= 0, table[expected.depth, expected.status], 0)
    ufunc = {"max": np.maximum, "min": np.minimum}
    for sides in (("max", "min"), ("min", "max"), ("max", "max"), ("min", "min")):
        values = expected.fold(leaf, (ufunc[sides[0]], ufunc[sides[1]]))
        found = graph.minimax(table, *sides)
        assert found.dtype == np.int8 and np.array_equal(found[number], values)
        out = np.full(len(graph), 111, np.int8)
        node = int(number[len(number) // 3])
        assert graph.minimax_below(node, table, out, *sides) == found[node]
        inside = np.zeros(len(graph), bool)
        todo = [node]
        while todo:
            inside[todo[-1]] = True
            todo.extend(graph.children(todo.pop()).tolist())
        assert np.array_equal(out, np.where(inside, found, 111))
    assert np.array_equal(graph.minimax(table), graph.minimax(table, "max", "min"))


def test_the_root_is_a_copy(case):
    rules, graph = case[:2]
    assert graph.game == mbx.Game(*rules.args)
    before = graph.root.key
    root = graph.root
    for move in root.legal_moves[:1]:
        root.push(int(move))
    assert graph.root.key == before and graph.position(0).key == before


def test_pickle_and_deepcopy(case):
    for twin in (pickle.loads(pickle.dumps(case[2])), copy.deepcopy(case[2])):
        assert twin.order == "df" and twin.root == case[2].root
        for name in ("parent", "move", "status", "value", "counts", "probabilities"):
            assert np.array_equal(getattr(twin, name), getattr(case[2], name))


def test_facts_of_marubatsu(marubatsu_tree):
    graph = marubatsu_tree
    assert graph.n_nodes == 549_946
    assert list(graph.layer_sizes) == [
        1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872,
    ]  # fmt: skip
    finished = graph.status >= 0
    assert np.bincount(graph.status[finished]).tolist() == [131_184, 77_904, 46_080]
    wins = np.bincount(graph.depth[finished & (graph.status < 2)]).tolist()
    assert wins[5:] == [1_440, 5_328, 47_952, 72_576, 81_792]
    assert (graph.depth[graph.status == 2] == 9).all()
    assert graph.counts.dtype == np.uint32
    assert list(graph.denominators) == [math.factorial(9 - depth) for depth in range(10)]
    root = [Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63)]
    assert graph.probabilities[0].tolist() == [float(p) for p in root]
    length = sum(  # of a random game: the chance of a game of n plies is the chance to reach it
        int(n) * Fraction(depth * math.factorial(9 - depth), math.factorial(9))
        for depth, n in enumerate(np.bincount(graph.depth[finished]))
    )
    assert round(float(length), 9) == 7.626190476
    assert graph.value[0] == 0


def test_memory_of_marubatsu(marubatsu_tree):
    columns = ["parent", "move", "depth", "n_children", "first_child", "status", "value", "counts"]
    size = sum(getattr(marubatsu_tree, name).nbytes for name in columns)
    assert size <= 40 * len(marubatsu_tree)


@pytest.mark.parametrize(
    "args, nodes, games, value",
    [
        (((3, 3), 3, True), 3_278, 1_310, None),
        (((4, 3), 4, True), 1_057_009, 356_232, None),
        (((2, 2), 3), 65, 24, 0),
        (((2, 2, 2), 2), 401, 336, 1),
        (((5, 2), 3), 6_499_037, 2_748_168, 0),
    ],
)
def test_published_trees(args, nodes, games, value):
    graph = mbx.build_tree(mbx.Game(*args).start())
    assert (graph.n_nodes, int((graph.status >= 0).sum())) == (nodes, games)
    assert value is None or graph.value[0] == value


def test_every_first_move_wins_on_2x2x2():
    graph = mbx.build_tree(mbx.Game((2, 2, 2), 2).start())
    assert (graph.value[graph.children(0)] == 1).all()


@pytest.mark.parametrize(
    "args", [((4, 4), 3), ((4, 4), 4), ((15, 15), 5), ((7, 6), 4, True), ((5, 5, 5), 5, True)]
)
def test_a_tree_too_large_is_refused_with_an_estimate(args):
    with pytest.raises(mbx.TooLargeError, match=r"\d") as error:
        mbx.build_tree(mbx.Game(*args).start())
    assert isinstance(error.value, MemoryError)


@pytest.mark.parametrize("order", ["", "BF", "dfs", "bf ", "b"])
def test_an_unknown_order_is_a_value_error(order):
    with pytest.raises(ValueError, match="order") as error:
        mbx.build_tree(mbx.games.MARUBATSU.start(), order=order)
    assert "bf" in str(error.value) and "df" in str(error.value)


@pytest.mark.parametrize("node", [549_946, 2**31, 2**64])
def test_nodes_beyond_the_tree_are_refused(marubatsu_tree, node):
    for method in (marubatsu_tree.children, marubatsu_tree.path, marubatsu_tree.position):
        with pytest.raises((IndexError, ValueError, OverflowError)):
            method(node)


@pytest.mark.parametrize("node", ["0", None, 0.0, [0]])
def test_a_node_is_an_int(marubatsu_tree, node):
    for method in (marubatsu_tree.children, marubatsu_tree.path, marubatsu_tree.position):
        with pytest.raises(TypeError):
            method(node)


def test_wrong_tables_are_refused(marubatsu_tree):
    good = np.zeros((10, 3), np.int8)
    for table, sides in (
        (good[:9], ()),
        (good[:, :2], ()),
        (good.ravel(), ()),
        (None, ()),
        (good.astype(object), ()),
        (good, ("avg",)),
        (good, ("max", "")),
    ):
        with pytest.raises((TypeError, ValueError)):
            marubatsu_tree.minimax(table, *sides)


@pytest.mark.parametrize("order", ["bf", "df"])
def test_edges_are_the_children(order):
    tree = mbx.build_tree(mbx.Game((2, 2), 3).start(), order=order)
    start, children, moves = tree.edges()
    assert len(children) == len(moves) == tree.n_edges == tree.n_nodes - 1
    for node in range(tree.n_nodes):
        mine = slice(start[node], start[node + 1])
        assert children[mine].tolist() == tree.children(node).tolist()
        assert moves[mine].tolist() == tree.move[tree.children(node)].tolist()


def test_outputs_that_cannot_be_written_are_refused(marubatsu_tree):
    leaves, n = np.zeros((10, 3), np.int8), marubatsu_tree.n_nodes
    kept = marubatsu_tree.value.copy()
    frozen = np.frombuffer(bytes(n), np.int8)
    for out in (
        marubatsu_tree.value,
        frozen,
        np.zeros(n - 1, np.int8),
        np.zeros(2 * n, np.int8)[::2],
    ):
        with pytest.raises(TypeError):
            marubatsu_tree.minimax_below(0, leaves, out)
    assert np.array_equal(marubatsu_tree.value, kept) and not frozen.any()
    for out in (
        marubatsu_tree.counts,
        np.zeros((n, 1), np.uint32),
        np.zeros((n, 4), np.uint32),
        np.zeros(n, np.uint32),
        np.zeros((n, 3), np.uint64),
        None,
    ):
        with pytest.raises(TypeError):
            marubatsu_tree.count_below(0, out)


def test_a_copied_tree_is_read_only_too():
    tree = mbx.build_tree(mbx.Game((2, 2), 3).start())
    assert tree.probabilities.shape == (65, 3)
    for copied in (copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        for name in ("n_children", "first_child", "status", "probabilities", "counts"):
            assert not getattr(copied, name).flags.writeable

"""Position graphs against brute force: nodes, edges, columns, symmetry, pickles and inputs."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from fractions import Fraction

import graph_reference as oracle
import numpy as np
import pytest
from graph_builds import board_of, build, nodes, position
from graph_reference import played

import mbx

MARUBATSU = played((3, 3), 3, False)
SYMMETRIC = [case for case in oracle.CASES if len(oracle.keeping(*case)) > 1]
each_case = pytest.mark.parametrize("case", oracle.CASES, ids=oracle.name)
each_symmetric = pytest.mark.parametrize("case", SYMMETRIC, ids=oracle.name)
COLUMNS = {
    "status": np.int8,
    "depth": np.uint8,
    "ply": np.uint8,
    "copies": np.uint8,
    "value": np.int8,
    "games_through": np.uint64,
}


@each_case
def test_nodes_are_the_positions_that_play_reaches(case):
    want, graph = oracle.positions(*case), build(case)
    node = nodes(graph, want)
    assert node[0] == 0 and isinstance(graph, mbx.Graph) and graph.symmetry is False
    assert graph.n_nodes == len(want) and graph.game == mbx.Game(*case[0].args)
    assert graph.root == position(*case) and graph.depth.tolist() == sorted(graph.depth)
    layers = [want.ply.count(ply) for ply in range(want.ply[0], max(want.ply) + 1)]
    assert list(graph.layer_sizes) == layers
    depth = [ply - want.ply[0] for ply in want.ply]
    columns = [want.status, depth, want.ply, [1] * len(want), want.value, want.games]
    for (name, dtype), column in zip(COLUMNS.items(), columns, strict=True):
        found = getattr(graph, name)
        assert found.dtype == dtype and found.shape == (len(want),), name
        assert found[node].tolist() == column, name


@each_case
def test_counts_and_their_correctly_rounded_quotients(case):
    want, graph = oracle.positions(*case), build(case)
    node, below = nodes(graph, want), oracle.denominators(*case)
    assert all(type(d) is int for d in graph.denominators)
    assert graph.probabilities.shape == (len(want), 3)
    assert graph.probabilities.dtype == np.float64
    if below[0] >= 2**127 and len(want) > 1:
        with pytest.raises(OverflowError):
            graph.counts  # noqa: B018
        floats = [[float(p) for p in row] for row in want.random_play]
        assert np.allclose(graph.probabilities[node], floats, rtol=0, atol=1e-13)
        return
    assert graph.counts.shape == (len(want), 3)
    if len(want) > 1:
        assert list(graph.denominators) == below[: len(graph.layer_sizes)]
    for i, n in enumerate(node):
        counts = [int(c) for c in graph.counts[n]]
        d = graph.denominators[graph.depth[n]]
        assert sum(counts) == d
        assert [Fraction(c, d) for c in counts] == list(want.random_play[i])
        assert graph.probabilities[n].tolist() == [float(p) for p in want.random_play[i]]


@each_case
def test_edges_are_the_legal_moves(case):
    want, graph = oracle.positions(*case), build(case)
    node, (start, children, moves) = nodes(graph, want), graph.edges()
    assert graph.edges()._fields == ("start", "children", "moves")
    assert len(children) == len(moves) == graph.n_edges == sum(map(len, want.moves))
    assert start.shape == (len(want) + 1,) and start[0] == 0 and start[-1] == graph.n_edges
    for i, n in enumerate(node):
        edges = slice(start[n], start[n + 1])
        assert moves[edges].tolist() == want.moves[i]
        assert children[edges].tolist() == [node[c] for c in want.children[i]]
        assert graph.children(n).tolist() == children[edges].tolist()


@each_case
def test_index_and_position_are_inverse(case):
    want, graph = oracle.positions(*case), build(case)
    node = nodes(graph, want)
    for i in random.Random(1).sample(range(len(want)), min(len(want), 60)):
        pos = graph.position(node[i])
        assert board_of(pos) == want.boards[i] and pos.key == graph.keys[node[i]]
        assert pos == position(case[0], want.boards[i]) and pos.status == want.status[i]
        assert graph.index(pos) == node[i] == graph.index(position(case[0], want.boards[i]))
        for child, move in zip(want.children[i], want.moves[i], strict=True):
            pos.push(move)
            assert graph.index(pos) == node[child]
            pos.pop()


@each_case
def test_the_tree_has_the_same_answers(case):
    want = oracle.positions(*case)
    if want.games[0] > 700:
        pytest.skip("a large tree")
    tree, graph = mbx.build_tree(position(*case)), build(case)
    merged = [graph.index(tree.position(node)) for node in range(len(tree))]
    for name in ("status", "depth", "ply", "value", "probabilities"):
        assert np.array_equal(getattr(tree, name), getattr(graph, name)[merged]), name
    through = np.zeros(len(graph), np.uint64)
    np.add.at(through, merged, tree.games_through)
    assert np.array_equal(through, graph.games_through)
    assert through[nodes(graph, want)].tolist() == want.games_by_enumeration()
    start, children, moves = tree.edges()
    assert np.array_equal(np.diff(start), tree.n_children)
    assert np.array_equal(tree.move[children], moves)
    assert np.array_equal(tree.parent[children], np.repeat(np.arange(len(tree)), np.diff(start)))
    for node in range(0, len(tree), 1 + len(tree) // 50):
        assert tree.index(tree.position(node)) == node


@each_symmetric
def test_symmetric_positions_are_one_node(case):
    want, full, graph = oracle.positions(*case), build(case), build(case, symmetry=True)
    node, images = nodes(full, want), oracle.keeping(*case)
    orbits = {min(oracle.orbit(board, images)) for board in want.boards}
    assert graph.symmetry is True and len(graph) == graph.n_nodes == len(orbits)
    assert graph.copies.sum() == len(want) and list(graph.denominators) == list(full.denominators)
    found = np.array([graph.index(position(case[0], board)) for board in want.boards])
    copies = [len(oracle.orbit(board, images)) for board in want.boards]
    assert graph.copies[found].tolist() == copies
    counted = ["counts"] * (oracle.denominators(*case)[0] < 2**127)
    for name in ["status", "depth", "ply", "value", "probabilities", "games_through", *counted]:
        assert np.array_equal(getattr(graph, name)[found], getattr(full, name)[node]), name
    through = graph.games_through * graph.copies
    assert through[graph.status != -1].sum() == through[0] == want.games[0]
    for name in ("first", "second"):
        both = [g.outcomes(**{name: "pmc"}) for g in (graph, full)]
        assert np.allclose(both[0][found], both[1][node], rtol=0, atol=1e-13)
    start, children, moves = graph.edges()
    assert start[-1] == graph.n_edges == len(children)
    for i in random.Random(1).sample(range(len(graph)), min(len(graph), 60)):
        pos = graph.position(i)
        assert graph.index(pos) == i and pos.key == graph.keys[i]
        edges = slice(start[i], start[i + 1])
        assert moves[edges].tolist() == pos.legal_moves.tolist()
        assert graph.children(i).tolist() == children[edges].tolist()
        for move, child in zip(moves[edges].tolist(), children[edges].tolist(), strict=True):
            pos.push(move)
            assert graph.index(pos) == child
            pos.pop()


@pytest.mark.parametrize("case", oracle.LATE, ids=oracle.name)
def test_without_symmetries_nothing_is_merged(case):
    assert len(oracle.keeping(*case)) == 1
    graph = build(case, symmetry=True)
    assert np.array_equal(graph.keys, build(case).keys) and (graph.copies == 1).all()


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(
    "case", [MARUBATSU, played((4, 3), 4, True, 1, 1), played((4, 3), 3, False, 5)], ids=oracle.name
)
def test_threads_do_not_matter(case, symmetry):
    graphs = [build(case, symmetry=symmetry, threads=threads) for threads in (1, 2, None)]
    for name in [*COLUMNS, "keys", "counts", "probabilities"]:
        first, *others = (getattr(graph, name) for graph in graphs)
        assert all(np.array_equal(first, other) for other in others), name
    for pair in itertools.product(oracle.NAMES, repeat=2):
        first, *others = (
            g.outcomes(*pair, threads=t) for g, t in zip(graphs, (1, 2, 3), strict=True)
        )
        assert all(np.array_equal(first, other) for other in others), pair
    for name in ("value", "distance", "best_moves", "fastest_moves"):
        first, second = (getattr(graphs[0].values(threads=t), name) for t in (1, 2))
        assert np.array_equal(first, second), name


def test_columns_are_read_only_and_results_are_fresh():
    graph = build(MARUBATSU)
    for name in [*COLUMNS, "keys", "counts", "probabilities"]:
        column = getattr(graph, name)
        with pytest.raises(ValueError):
            column[0] = 0
    for column in graph.edges():
        with pytest.raises(ValueError):
            column[0] = 0
    for call in (graph.outcomes, lambda: graph.outcomes("optimal")):
        call()[:] = 7
        assert np.allclose(call().sum(axis=1), 1)
    graph.policy("pmc")[:] = 7
    assert graph.policy("pmc").max() == 1
    graph.root.push(0)
    assert graph.root.ply == 0


def test_the_graph_does_not_follow_the_position_it_was_built_from():
    pos = position(*MARUBATSU)
    graph = mbx.build_graph(pos)
    assert pos.moves == [] and pos.ply == 0
    pos.push(4)
    assert graph.root.ply == 0 and graph.index(pos) == graph.children(0)[4]
    assert graph.position(0).ply == 0


def same(a, b) -> bool:
    arrays = all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in [*COLUMNS, "keys", "counts", "probabilities"]
    )
    return arrays and all(map(np.array_equal, a.edges(), b.edges())) and a.root == b.root


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(
    "case",
    [MARUBATSU, played((3, 3), 3, True), *oracle.LATE[:1], *oracle.LATE[-1:]],
    ids=oracle.name,
)
def test_copies_pickles_and_files(case, symmetry, tmp_path):
    graph = build(case, symmetry=symmetry)
    fresh = pickle.loads(pickle.dumps(graph))
    assert same(fresh, graph) and fresh.symmetry is symmetry
    twins = [copy.deepcopy(graph), copy.copy(graph), pickle.loads(pickle.dumps(graph))]
    graph.save(tmp_path / "graph")
    twins.append(mbx.Graph.load(tmp_path / "graph")[0])
    assert all(same(twin, graph) and twin.symmetry is symmetry for twin in twins)
    for twin in twins:
        assert np.array_equal(twin.outcomes("pmc", "optimal"), graph.outcomes("pmc", "optimal"))
        assert np.array_equal(twin.values().best_moves, graph.values().best_moves)
        assert twin.index(graph.root) == 0 and twin.position(len(graph) - 1).status != -1


@pytest.mark.parametrize("symmetry", [False, True])
def test_damaged_files_are_refused(symmetry, tmp_path):
    graph = build(played((3, 3), 3, False, 4, 0), symmetry=symmetry)
    graph.values(), graph.outcomes()
    path, rng = tmp_path / "graph", random.Random(1)
    graph.save(path)
    whole = path.read_bytes()
    for i in range(0, len(whole), max(1, len(whole) // 40)):
        changed = bytes([whole[i] ^ 1 << rng.randrange(8)])
        for data in (whole[:i], whole[:i] + changed + whole[i + 1 :], whole + changed):
            path.write_bytes(data)
            with pytest.raises(ValueError):
                mbx.Graph.load(path)


def test_article_objects_and_marubatsu_are_roots_and_nodes():
    mb = mbx.Marubatsu()
    mb.cmove(1, 1)
    graph = mbx.build_graph(mb)
    assert graph.root == mb.position and graph.index(mb) == 0
    mb.cmove(0, 0)
    assert graph.position(graph.index(mb)) == mb.position


@pytest.mark.parametrize("symmetry", [False, True])
def test_index_refuses_other_positions(symmetry):
    graph = build(played((3, 3), 3, False, 4, 0), symmetry=symmetry)
    game = graph.game
    for moves in ([], [4], [0, 4], [4, 1], [4, 8, 1, 2]):
        with pytest.raises(KeyError):
            graph.index(game.position(moves))
    others = [mbx.Game((3, 3), 2), mbx.Game((3, 3), 3, True), mbx.Game((4, 3), 3)]
    for pos in (other.position(moves) for other in others for moves in ([], [0, 1])):
        with pytest.raises(KeyError):
            graph.index(pos)
    for wrong in (None, 3, "4", [4]):
        with pytest.raises(TypeError):
            graph.index(wrong)


@pytest.mark.parametrize("method", ["position", "children"])
@pytest.mark.parametrize("symmetry", [False, True])
def test_nodes_out_of_range_are_refused(method, symmetry):
    graph = build(MARUBATSU, symmetry=symmetry)
    call = getattr(graph, method)
    for wrong in (-1, len(graph), 2**31, 2**63, 10**30):
        with pytest.raises((IndexError, KeyError, ValueError)):
            call(wrong)
    for wrong in (None, "0", 1.5, [0]):
        with pytest.raises(TypeError):
            call(wrong)
    assert np.all(call(np.int64(0)) == call(0))


@pytest.mark.parametrize("wrong", [None, 3, "...", [0]])
def test_what_is_no_position_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        mbx.build_graph(wrong)


@pytest.mark.parametrize("threads, error", [(0, ValueError), (-1, ValueError), ("2", TypeError)])
def test_wrong_thread_counts(threads, error):
    graph = build(MARUBATSU)
    for call in (
        lambda: build(MARUBATSU, threads=threads),
        lambda: graph.outcomes("optimal", threads=threads),
        lambda: graph.values(threads=threads),
    ):
        with pytest.raises(error, match="threads"):
            call()


@pytest.mark.parametrize("wrong", [2, "yes", None, 1.5])
def test_symmetry_is_a_truth_value(wrong):
    """Anything else is refused, or taken as bool() says: never a third thing."""
    try:
        graph = build(MARUBATSU, symmetry=wrong)
    except (TypeError, ValueError):
        return
    assert graph.symmetry is bool(wrong) and len(graph) == (765 if wrong else 5_478)


LARGE = [
    (((15, 15), 5), []),
    (((7, 6), 4, True), []),
    (((5, 5, 5), 5, True), []),
    (((4, 4, 4), 4, True), [0, 5, 3]),
    (((16, 15), 5), [1]),
    (((16, 15), 200), []),
    (((6, 6), 4), []),
]


@pytest.mark.parametrize("symmetry", [False, True])
def test_too_large_is_said_at_once(symmetry, run):
    code = """
import resource, sys, time
import mbx
mbx.build_graph(mbx.games.MARUBATSU.start())
for args, moves in eval(sys.argv[2]):
    pos = mbx.Game(*args).position(moves)
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        mbx.build_graph(pos, symmetry=sys.argv[1] == "True")
        raise SystemExit(f"{args} was built")
    except mbx.TooLargeError as error:
        assert any(c.isdigit() for c in str(error)), error
    seconds = time.process_time() - started
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert seconds < 1 and used < 300_000, f"{args} takes {seconds} s, {used} kB"
    assert pos.moves == moves
"""
    run(code, symmetry, LARGE)


def test_progress_is_called_in_order():
    seen: list[tuple[int, int]] = []
    build(played((4, 4), 4, True), progress=lambda done, total: seen.append((done, total)))
    assert all(0 <= done <= total for done, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_an_error_in_progress_passes_through():
    def stop(done, total):
        raise ZeroDivisionError("stop")

    with pytest.raises(ZeroDivisionError, match="stop"):
        build(played((4, 3), 3, False), progress=stop)

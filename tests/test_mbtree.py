"""Mbtree and Node against the reference tree, whose cell c is the article's divmod(c, 3)."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from functools import cache

import numpy as np
import pytest
import reference as ref
from reference import Rules

import mbx
from mbx import Mbtree

MARUBATSU = Rules((3, 3), 3)
OPTIONS = [
    ("bf", False, False),
    ("df", False, False),
    ("bf", True, False),
    ("bf", False, True),
    ("df", True, True),
]


@cache
def reference_tree() -> ref.Tree:
    return ref.tree(MARUBATSU)


def reference_scores(shortest: bool, recalculated: bool) -> tuple[np.ndarray, ...]:
    """Score, greatest and least leaf below of every node, from the definitions."""
    tree = reference_tree()
    first = (11 - tree.depth) / 2 if shortest else 1.0
    second = (tree.depth - 10) / 2 if shortest else -1.0
    leaf = np.select([tree.status == 0, tree.status == 1], [first, second], 0.0)
    score = tree.fold(leaf, (np.maximum, np.minimum))
    greatest = tree.fold(leaf, (np.maximum, np.maximum))
    least = tree.fold(leaf, (np.minimum, np.minimum))
    if recalculated:
        circle_moved = tree.depth % 2 == 1
        hopes = [circle_moved & (greatest > 0), ~circle_moved & (least < 0)]
        hope = np.select(hopes, [0.5, -0.5], 0.0)
        score = np.where(score == 0, hope, score)
    return score, greatest, least


def reference_path(node: int) -> list[tuple[int, int]]:
    tree, path = reference_tree(), []
    while tree.parent[node] >= 0:
        path.append(divmod(int(tree.move[node]), 3))
        node = tree.parent[node]
    return path[::-1]


@pytest.fixture(scope="module", params=OPTIONS, ids=str)
def case(request):
    """A tree, the number of every reference node in it, and its reference scores."""
    algo, shortest, recalculated = request.param
    tree = Mbtree(algo, shortest, recalculated, verbose=False)
    number = reference_tree().preorder
    if algo == "bf":
        number = np.arange(len(number))
    return tree, number, reference_scores(shortest, recalculated)


@pytest.fixture(scope="module")
def mbtree():
    return Mbtree(verbose=False)


def some_nodes(n: int = 300) -> list[int]:
    """Reference nodes of every depth."""
    rng = random.Random(1)
    layers = reference_tree().layers
    return [rng.randrange(s.start, s.stop) for s in layers for _ in range(n // len(layers))]


def test_all_scores(case):
    tree, number, (score, _, _) = case
    found = np.array([node.score for node in tree.nodelist])
    assert np.array_equal(found[number], score)


def test_nodes(case):
    tree, number, (score, greatest, least) = case
    expected, counts = reference_tree(), {}
    for i in some_nodes():
        node, path = tree.nodelist[int(number[i])], reference_path(i)
        assert node.id == number[i] and node.depth == len(path)
        assert list(node.mb.records) == [(0, 0), *path]
        assert (node.score, node.max_score, node.min_score) == (score[i], greatest[i], least[i])
        start, n = expected.first_child[i], expected.n_children[i]
        below = range(start, start + n)
        moves = [divmod(int(expected.move[c]), 3) for c in below]
        assert [child.id for child in node.children] == number[below].tolist()
        assert list(node.children_by_move) == moves == node.mb.calc_legal_moves()
        assert list(node.children_by_move.values()) == node.children
        assert all(child.parent == node for child in node.children)
        best = (min if len(path) % 2 else max)(score[below], default=None)
        bestmoves = [move for move, c in zip(moves, below, strict=True) if score[c] == best]
        assert node.bestmoves == bestmoves == tree.bestmoves_by_mb[node.mb.board_to_str()]
        assert tree.nodelist_by_mb[tuple(node.mb.records)] == node
        board = ref.play_all(MARUBATSU, [3 * x + y for x, y in path])
        counts = [float(p) for p in ref.outcome_probabilities(MARUBATSU, board)]
        assert node.playout_prob == dict(zip((0, 1, "draw"), counts, strict=True))


def test_layers(case):
    tree, number, _ = case
    assert tree.nodenum == len(tree.nodelist) == 549_946
    layers = tree.nodelist_by_depth
    for layer, nodes in itertools.zip_longest(reference_tree().layers, layers, fillvalue=slice(0)):
        assert len(nodes) == layer.stop - (layer.start or 0)
        for i in (0, len(nodes) // 3, len(nodes) - 1):
            if len(nodes):
                assert nodes[i].id == number[layer][i]
    assert tree.root == layers[0][0] == tree.nodelist[0] and tree.root.parent is None


def test_lists_are_sequences(mbtree):
    nodes = mbtree.nodelist
    assert nodes[-1].id == 549_945 and [n.id for n in nodes[5:8]] == [5, 6, 7]
    assert nodes[7] in nodes[5:8] and next(iter(nodes)).id == 0
    for index in (549_946, -549_947):
        with pytest.raises(IndexError):
            nodes[index]


def test_a_node_is_a_view(mbtree):
    node, twin = mbtree.nodelist[12_345], mbtree.nodelist[12_345]
    other = Mbtree(verbose=False).nodelist[12_345]
    assert node == twin and hash(node) == hash(twin)
    assert node != other and node != mbtree.nodelist[12_346] and node != 12_345
    before = dict(node.playout_prob), str(node.mb), list(node.bestmoves), len(node.children)
    node.playout_prob[0] = 5
    node.children_by_move.clear()
    node.children.clear()
    node.bestmoves.clear()
    node.mb.restart()
    mbtree.bestmoves_by_mb[node.mb.board_to_str()].clear()
    assert before == (node.playout_prob, str(node.mb), node.bestmoves, len(node.children))
    for name in ("id", "score", "depth", "playout_prob", "parent", "anything"):
        with pytest.raises(AttributeError):
            setattr(node, name, 0)


def test_nodelist_by_mb_is_a_mapping(mbtree):
    nodes = mbtree.nodelist_by_mb
    assert len(nodes) == 549_946 and ((0, 0),) in nodes
    assert next(iter(nodes)) == ((0, 0),)
    assert sum(1 for _ in nodes) == 549_946
    for key in (
        (),
        ((0, 0), (0, 0), (0, 0)),
        ((0, 0), (3, 0)),
        ((0, 0), (-1, 0)),
        ((0, 0), (0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (2, 2)),
        ((0, 0), 4),
        "no key",
        None,
    ):
        assert key not in nodes and nodes.get(key) is None
        with pytest.raises(KeyError):
            nodes[key]


def test_bestmoves_by_mb_is_a_mapping_of_all_positions(mbtree):
    best = mbtree.bestmoves_by_mb
    assert len(best) == len(set(best)) == 5_478
    assert best["." * 9] == list(itertools.product(range(3), range(3)))
    assert best["ooo.xx..."] == []
    for key in ("o" * 9, "", None, "...", ()):
        assert key not in best
        with pytest.raises(KeyError):
            best[key]


def numbers(tree: Mbtree) -> list[tuple]:
    """What the passes compute, of nodes here and there."""
    nodes = (tree.nodelist[i] for i in range(0, 549_946, 997))
    return [(n.score, n.max_score, n.min_score, n.bestmoves, n.playout_prob) for n in nodes]


@pytest.mark.parametrize("method", ["calc_score_by_bf", "calc_playout_prob_by_bf"])
@pytest.mark.parametrize("algo", ["bf", "df"])
def test_passes_by_breadth_change_nothing_when_repeated(method, algo):
    tree = Mbtree(algo, shortest_victory=True, verbose=False)
    before = numbers(tree)
    getattr(tree, method)()
    assert numbers(tree) == before


@pytest.mark.parametrize("method", ["calc_score_by_df", "calc_playout_prob_by_df"])
@pytest.mark.parametrize("algo", ["bf", "df"])
@pytest.mark.parametrize("path", [[], [(1, 1), (0, 0)]], ids=len)
def test_passes_by_depth_change_nothing_when_repeated(method, algo, path):
    tree = Mbtree(algo, shortest_victory=True, verbose=False)
    before = numbers(tree)
    getattr(tree, method)(tree.nodelist_by_mb[((0, 0), *path)])
    assert numbers(tree) == before


def test_only_breadth_first_tells_what_it_builds(capsys):
    Mbtree("bf", verbose=False)
    Mbtree("df")
    assert capsys.readouterr().out == ""
    Mbtree()
    assert capsys.readouterr().out.count("\n") == 11


@pytest.mark.parametrize("algo", ["", "BF", "dfs", None, 1])
def test_an_unknown_algo_is_refused(algo):
    with pytest.raises((TypeError, ValueError)) as error:
        Mbtree(algo, verbose=False)
    assert "algo" in str(error.value)


# -- files


def test_save_and_load(case, tmp_path):
    tree = case[0]
    tree.save(tmp_path / "saved")
    assert [path.name for path in tmp_path.iterdir()] == ["saved.mbtree"]
    assert (tmp_path / "saved.mbtree").stat().st_size <= 2_000_000
    loaded = Mbtree.load(str(tmp_path / "saved"))
    assert (
        numbers(tree) == numbers(loaded) and loaded.nodenum == 549_946 and loaded.algo == tree.algo
    )
    assert loaded.shortest_victory == tree.shortest_victory
    assert loaded.recalculate_draw_score == tree.recalculate_draw_score


@pytest.mark.parametrize("name", ["a", "a.b", "a.mbtree", "木"])
def test_the_ending_is_appended(mbtree, tmp_path, name):
    mbtree.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name + ".mbtree"]
    assert Mbtree.load(tmp_path / name).nodenum == 549_946


def test_a_missing_folder_or_file(mbtree, tmp_path):
    with pytest.raises(FileNotFoundError):
        mbtree.save(tmp_path / "missing" / "tree")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        Mbtree.load(tmp_path / "tree")


@pytest.mark.parametrize("args", [((3, 3), 3), ((3, 3), 3, True), ((2, 2), 3)], ids=str)
def test_a_graph_is_not_an_mbtree(tmp_path, args):
    mbx.build_tree(mbx.Game(*args).start()).save(tmp_path / "graph.mbtree")
    with pytest.raises(ValueError):
        Mbtree.load(tmp_path / "graph")


@pytest.mark.parametrize(
    "twin", [copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))], ids=["deep", "pickle"]
)
def test_copies(case, twin):
    assert numbers(twin(case[0])) == numbers(case[0])

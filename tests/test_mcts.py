"""The tree of a search is the one that docs/mcts.md defines, bit by bit, and everything adds up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mcts_reference import Search
from mcts_trees import assert_same, check, expected_table, random_board, table
from reference import Rules

import mbx
from mbx import _core

ROOT_2 = math.sqrt(2)
SEED = 0x0123456789ABCDEF_FEDCBA9876543210

GAMES = {  # simulations: enough that nodes below the root's children have blocks
    Rules((3, 3), 3): 250,
    Rules((3, 3), 3, True): 200,
    Rules((4, 4), 4): 150,
    Rules((4, 3), 3): 150,
    Rules((2, 5), 3): 80,
    Rules((3, 2), 1): 40,
    Rules((2, 2), 3): 80,
    Rules((1, 1), 1): 9,
    Rules((5, 1), 3): 80,
    Rules((1, 9), 3, True): 40,
    Rules((9, 1), 3, True): 60,
    Rules((5, 5), 6): 100,
    Rules((7, 6), 4, True): 150,
    Rules((7, 9), 4, True): 60,
    Rules((7, 10), 4, True): 60,
    Rules((4, 4, 4), 4): 120,
    Rules((4, 4, 4), 4, True): 80,
    Rules((5, 5, 5), 5, True): 80,
    Rules((9, 9), 5): 95,
    Rules((13, 10), 5): 140,
    Rules((2, 3, 4), 2, True): 80,
    Rules((1, 200), 4, True): 20,
}
LARGE = {Rules((15, 15), 5): 300, Rules((51, 5), 5): 270}


def falling(visits: int) -> float:
    return 3 / (1 + visits**0.25)


def decreasing(visits: int) -> float:
    return 3 / (1 + math.log10(max(visits, 1)))


OPTIONS = {
    "": {},
    "greedy": {"c": 0},
    "exploring": {"c": 3},
    "falling": {"c": falling},
    "small c": {"c": 0.1, "draw_value": 0.25},
    "expand all": {"expand_all": True},
    "one node": {"max_nodes": 1},
    "few nodes": {"max_nodes": 20},
    "few nodes, expand all": {"max_nodes": 31, "expand_all": True, "solver": True},
    "solver": {"solver": True},
    "solver, draws lose": {"solver": True, "draw_value": 0, "c": 1},
    "solver, expand all": {"solver": True, "expand_all": True, "draw_value": 1},
    "odd draws": {"draw_value": 0.3, "c": 0.7},
    "decreasing": {"c": "decreasing"},
}
PLAYOUTS = {
    "2 playouts": {"playouts_per_leaf": 2},
    "17 playouts, solver": {"playouts_per_leaf": 17, "solver": True},
    "5 playouts, all": {
        "playouts_per_leaf": 5,
        "solver": True,
        "expand_all": True,
        "draw_value": 0.75,
        "max_nodes": 25,
        "c": 0.5,
    },
}
NAMES = {"greedy": 0, "standard": ROOT_2, "exploring": 3}


def grown(position: mbx.Position, n: int, seed=SEED, **options) -> mbx.MCTS:
    """A search that ran in three parts."""
    search = mbx.MCTS(position, seed=seed, **options)
    for part in (n // 3, n // 2, n - n // 3 - n // 2):
        if part:
            search.run(part)
    return search


def reference(rules: Rules, board, n: int, seed=SEED, c=ROOT_2, **options) -> Search:
    if c == "decreasing":
        c = decreasing
    return Search(rules, board, c if callable(c) else lambda _: c, seed, **options).run(n)


def assert_as_defined(rules: Rules, n_stones: int, n: int, seed: int, options: dict) -> None:
    position, board = random_board(rules, n_stones, seed)
    search = grown(position, n, SEED + seed, **options)
    expected = reference(rules, board, n, SEED + seed, **options)
    assert_same(table(search.tree()), expected_table(expected))
    result = search.stats
    assert result.simulations == expected.simulations
    assert result.nodes == expected.n_nodes
    assert result.proven == (expected.root.lower.max() == expected.root.upper.max())
    assert search.position == position


# -- against the reference


CHOSEN = [
    (rules, name)
    for i, rules in enumerate(GAMES)
    for j, name in enumerate(OPTIONS)
    if rules.n_cells < 12 or rules.shape == (7, 6) or (i + j) % 3 == 0
]


@pytest.mark.parametrize(("rules", "name"), CHOSEN, ids=str)
def test_the_tree_is_as_defined(rules: Rules, name: str) -> None:
    """From the start, or in the middle or near the end of a game."""
    options, i = OPTIONS[name], list(OPTIONS).index(name)
    n_stones = (0, rules.n_cells // 2, 0, rules.n_cells - 6)[i % 4]
    assert_as_defined(rules, max(n_stones, 0), GAMES[rules], i, options)


@pytest.mark.parametrize(
    "options", [OPTIONS[name] for name in ("", "solver, expand all", "few nodes")], ids=str
)
@pytest.mark.parametrize("rules", LARGE, ids=str)
def test_the_tree_of_a_large_board_is_as_defined(rules: Rules, options: dict) -> None:
    n_stones = 0 if not options else rules.n_cells - 60
    assert_as_defined(rules, n_stones, LARGE[rules], 1, options)


@pytest.mark.parametrize("options", PLAYOUTS.values(), ids=PLAYOUTS)
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_many_playouts_a_leaf_are_as_defined(rules: Rules, options: dict) -> None:
    """Few stones fewer under gravity: there the reference is slow."""
    p, cells = options["playouts_per_leaf"], rules.n_cells
    n_stones = max(cells - (9 if p == 5 else 14), 0) if rules.gravity else (0, cells // 2)[p == 2]
    n = 20 if rules.gravity else min(20, GAMES[rules])
    assert_as_defined(rules, n_stones, n, p, options)


@pytest.mark.parametrize("p", [64, 65, 255, 256, 600])
@pytest.mark.parametrize("rules", [r for r in GAMES if r.gravity and r.n_cells < 70], ids=str)
def test_hundreds_of_playouts_a_leaf_are_as_defined(rules: Rules, p: int) -> None:
    assert_as_defined(rules, max(rules.n_cells - 6, 0), 3, p, {"playouts_per_leaf": p})


@pytest.mark.parametrize("seed", range(8))
def test_other_seeds_and_positions(seed: int) -> None:
    for rules, n in ((Rules((3, 3), 3), 300), (Rules((7, 6), 4, True), 120)):
        options = {"solver": bool(seed % 2), "c": (1, ROOT_2, 0.3)[seed % 3]}
        assert_as_defined(rules, (seed * 5) % (rules.n_cells - 1), n, seed, options)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_c(name: str) -> None:
    pos = mbx.games.MARUBATSU.start()
    named, number = (mbx.MCTS(pos, c, seed=5) for c in (name, NAMES[name]))
    named.run(300)
    number.run(300)
    assert_same(table(named.tree()), table(number.tree()))


def test_c_is_given_the_parents_visits() -> None:
    asked = []

    def c(visits: int) -> float:
        asked.append(visits)
        return 1.0

    mbx.MCTS(mbx.games.MARUBATSU.start(), c, seed=1).run(1_000)
    assert asked and all(isinstance(visits, int) and visits >= 0 for visits in asked)


@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize(
    "rules", [Rules((3, 3), 3), Rules((7, 6), 4, True), Rules((9, 9), 5)], ids=str
)
def test_advancing_is_as_defined(rules: Rules, solver: bool) -> None:
    """To a much visited move, to a hardly visited one, to unvisited ones: down to the end."""
    for kind in range(3):
        position, board = random_board(rules, 0)
        options = {"solver": solver, "max_nodes": 150} if kind == 2 else {"solver": solver}
        search = mbx.MCTS(position, seed=kind, **options)
        expected = Search(rules, board, lambda _: ROOT_2, kind, **options)
        for n in (100, 3, 0, 60, 40):
            if n:
                search.run(n)
                expected.run(n)
            visits = expected.root.visits
            order = np.argsort(visits, kind="stable")
            i = int(order[(-1, len(order) // 2, 0)[kind]])
            move = expected.root.moves[i]
            assert search.position == position
            position.push(move)
            if position.status != -1:
                break
            search.advance(move)
            expected.advance(move)
            assert_same(table(search.tree()), expected_table(expected))
            assert search.stats.nodes == expected.n_nodes


# -- everything adds up


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": True},
        {"expand_all": True, "solver": True},
        {"playouts_per_leaf": 8},
        {"max_nodes": 300},
        {"max_nodes": 300, "solver": True, "playouts_per_leaf": 2},
        {"c": "greedy", "draw_value": 0.3},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "rules",
    [
        Rules((3, 3), 3),
        Rules((2, 2), 3),
        Rules((4, 3), 3),
        Rules((7, 6), 4, True),
        Rules((5, 5, 5), 5, True),
        Rules((15, 15), 5),
    ],
    ids=str,
)
def test_statistics_add_up(rules: Rules, options: dict) -> None:
    position, _ = random_board(rules, rules.n_cells // 3)
    search = grown(position, 1_000, **options)
    others = {k: v for k, v in options.items() if k not in ("playouts_per_leaf", "c")}
    p = options.get("playouts_per_leaf", 1)
    check(search, p, **others)
    result, tree = search.stats, search.tree()
    children = slice(int(tree.first_child[0]), int(tree.first_child[0]) + len(result.moves))
    assert result.moves.tolist() == position.legal_moves.tolist()
    assert np.array_equal(result.visits, tree.visits[children])
    means = mean_rewards(tree, children, p, options.get("draw_value", 0.5))
    assert np.allclose(result.values, means, rtol=1e-12, equal_nan=True)
    assert np.array_equal(result.lower, tree.lower[children])
    assert np.array_equal(result.upper, tree.upper[children])
    assert result.nodes <= options.get("max_nodes", math.inf)
    assert result.depth <= len(position.legal_moves) if not rules.gravity else result.depth >= 1
    assert result.move in result.moves and result.variation[0] == result.move
    assert 0 <= result.value <= 1


def mean_rewards(tree: mbx.SearchTree, nodes: slice, p: int, draw_value: float) -> np.ndarray:
    """Of moves; of proven ones what they are worth."""
    with np.errstate(invalid="ignore"):
        means = tree.sums[nodes] / (tree.visits[nodes] * p)
    known = tree.lower[nodes] == tree.upper[nodes]
    return np.where(known, np.array([draw_value, 1, 0])[tree.lower[nodes]], means)


def test_depth_is_that_of_the_deepest_node() -> None:
    for options in ({}, {"expand_all": True}, {"solver": True}):
        search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=3, **options)
        result = search.run(3_000)
        tree = search.tree()
        assert result.depth == tree.depth[tree.visits > 0].max()


@pytest.mark.parametrize("n", [1, 2, 8, 9, 10, 100, 1_000])
@pytest.mark.parametrize("rules", [Rules((3, 3), 3), Rules((15, 15), 5), Rules((1, 1), 1)], ids=str)
def test_numbers_of_simulations(rules: Rules, n: int) -> None:
    position = mbx.Game(*rules.args).start()
    result = mbx.mcts(position, n, seed=1)
    assert result.simulations == result.visits.sum() == n and result.stop == "simulations"
    assert result.playouts == 1
    assert result.move in position.legal_moves
    assert np.isnan(result.values).tolist() == (result.visits == 0).tolist()
    assert result.start == position


def test_parts_of_a_run() -> None:
    """run(n), run(n) is run(2n); and any other parts, steps too."""
    for game in (mbx.games.MARUBATSU, mbx.games.CONNECT_FOUR, mbx.games.GOMOKU):
        for options in ({}, {"solver": True}, {"playouts_per_leaf": 4}):
            trees = []
            for parts in ((1_200,), (600, 600), (1, 2, 8, 9, 1_180), (1_199, 1)):
                search = mbx.MCTS(game.start(), seed=8, **options)
                for part in parts:
                    search.run(part)
                trees.append(table(search.tree()))
            for tree in trees[1:]:
                assert_same(tree, trees[0])


def test_steps_are_simulations() -> None:
    for options in ({}, {"solver": True}, {"expand_all": True}, {"max_nodes": 8}):
        pos = mbx.games.MARUBATSU.position([4, 0, 8])
        stepped, run = (mbx.MCTS(pos, seed=8, **options) for _ in range(2))
        run.run(5)
        assert len(list(stepped.steps(5))) == 5
        assert_same(table(stepped.tree()), table(run.tree()))
        steps = stepped.steps()
        for i in range(6, 12):
            next(steps)
            assert stepped.stats.simulations == i
        run.run(6)
        stepped.run(10)
        run.run(10)
        assert_same(table(stepped.tree()), table(run.tree()))


# -- seeds, kernels, threads

DIGEST = """
import hashlib
import numpy as np
import mbx
from mbx import _core
found = []
for args, options in CASES:
    search = mbx.MCTS(mbx.Game(*args).start(), seed=6, **options)
    search.run(700)
    tree = search.tree()
    columns = (tree.parent, tree.move, tree.visits, tree.sums, tree.lower, tree.upper)
    found.append(hashlib.sha256(b"".join(c.tobytes() for c in columns)).hexdigest()[:16])
    found.append(search.stats.move)
"""
CASES = [
    (rules.args, options)
    for rules in (
        Rules((3, 3), 3),
        Rules((4, 4), 4),
        Rules((7, 6), 4, True),
        Rules((4, 4, 4), 4, True),
        Rules((5, 5, 5), 5, True),
        Rules((9, 9), 5),
        Rules((15, 15), 5),
        Rules((5, 3), 3),
    )
    for options in ({}, {"solver": True, "expand_all": True}, {"playouts_per_leaf": 9, "c": 0.5})
]


@pytest.mark.parametrize("kernel", _core.KERNELS)
def test_every_kernel_gives_the_same_tree(run, kernel: str) -> None:
    code = DIGEST.replace("CASES", repr(CASES))
    here: dict = {}
    exec(code, here)
    done = run(code + "print(_core.KERNEL, found)", env={"MBX_KERNEL": kernel})
    assert done.stdout == f"{kernel} {here['found']}\n"


def test_seeds() -> None:
    pos = mbx.games.MARUBATSU.start()

    def visits(seed) -> list[int]:
        return mbx.mcts(pos, 500, seed=seed).visits.tolist()

    assert visits(1) == visits(1) == visits(np.int64(1)) != visits(2)
    assert visits(np.random.default_rng(1)) == visits(np.random.default_rng(1))
    assert visits(np.random.SeedSequence(1)) == visits(np.random.SeedSequence(1))
    assert len({tuple(visits(None)) for _ in range(4)}) > 1
    unseeded = mbx.mcts(pos, 500)
    assert visits(unseeded.seed) == unseeded.visits.tolist()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [2, 100, 301])
def test_threads_are_trees_that_are_added_up(threads: int, n: int) -> None:
    for rules in (Rules((3, 3), 3), Rules((7, 6), 4, True)):
        for options in ({}, {"solver": True}):
            position, board = random_board(rules, 5)
            trees = [
                Search(rules, board, lambda _: ROOT_2, SEED, tree, **options)
                for tree in range(threads)
            ]
            for tree, search in enumerate(trees):
                search.run(n // threads + (tree < n % threads))
            result = mbx.mcts(position, n, seed=SEED, threads=threads, **options)
            again = mbx.mcts(position, n, seed=SEED, threads=threads, **options)
            if any(search.is_proven for search in trees):
                assert result.proven
                continue
            visits = sum(search.root.visits for search in trees)
            assert result.visits.tolist() == again.visits.tolist() == visits.tolist()
            sums = sum(search.root.sums for search in trees)
            with np.errstate(invalid="ignore"):
                means = sums / visits
            unknown = result.lower < result.upper
            assert np.allclose(result.values[unknown], means[unknown], rtol=1e-12, equal_nan=True)
            assert result.lower.tolist() == np.max([s.root.lower for s in trees], 0).tolist()
            assert result.upper.tolist() == np.min([s.root.upper for s in trees], 0).tolist()
            assert result.simulations == n and result.move == again.move


def test_what_is_given_and_what_is_returned_stays_as_it_is() -> None:
    pos = mbx.games.MARUBATSU.position([4, 0])
    before = pos.copy()
    search = mbx.MCTS(pos, seed=1)
    first = search.run(100)
    kept = [first.visits.copy(), first.values.copy(), table(search.tree())]
    tree = search.tree()
    assert pos == before and pos.moves == before.moves
    pos.push(8)
    search.position.push(3)
    assert search.position == before
    search.run(1_000)
    search.advance(8)
    search.run(100)
    assert np.array_equal(first.visits, kept[0])
    assert np.array_equal(first.values, kept[1], equal_nan=True)
    assert_same(table(tree), kept[2])
    for column in (tree.parent, tree.visits, tree.sums, tree.lower):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0

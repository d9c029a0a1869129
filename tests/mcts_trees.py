"""What the tests of the search share: trees as tables, and a check that adds everything up."""

from __future__ import annotations

import random

import mcts_reference
import numpy as np
import reference as ref
from mcts_reference import Search
from reference import Board, Rules

import mbx


def breadth_first(tree: mbx.SearchTree) -> list[int]:
    """All nodes as the links say: children in their order, layer by layer."""
    order = [0]
    for node in order:
        first = int(tree.first_child[node])
        if first >= 0:
            order.extend(range(first, first + int(tree.n_children[node])))
    return order


def table(tree: mbx.SearchTree) -> dict[str, list]:
    """The columns of a tree in breadth-first order."""
    order = breadth_first(tree)
    assert sorted(order) == list(range(len(tree.parent)))
    number = np.empty(len(order) + 1, np.int64)
    number[order] = np.arange(len(order))
    number[-1] = -1
    columns = {
        name: getattr(tree, name)[order]
        for name in ("move", "depth", "visits", "sums", "lower", "upper", "n_children")
    }
    columns["parent"] = number[tree.parent[order]]
    return {name: column.tolist() for name, column in columns.items()}


def expected_table(search: Search) -> dict[str, list]:
    """The same of the reference's tree."""
    rows = mcts_reference.nodes(search)
    fields = {name: [getattr(row, name) for row in rows] for name in mcts_reference.Node._fields}
    fields["sums"] = fields.pop("sum")
    del fields["prior"]
    return fields


def assert_same(found: dict[str, list], expected: dict[str, list]) -> None:
    """Equal, bit by bit; the message says where they part."""
    assert found.keys() == expected.keys()
    if found == expected:
        return
    differing = [name for name in found if found[name] != expected[name]]
    sizes = len(found["move"]), len(expected["move"])
    name = differing[0]
    pairs = enumerate(zip(found[name], expected[name], strict=False))
    node, values = next(((i, pair) for i, pair in pairs if pair[0] != pair[1]), (min(sizes), "end"))
    raise AssertionError(f"{differing} differ, of {sizes} nodes; {name} of node {node}: {values}")


def random_board(rules: Rules, n_stones: int, seed: int = 0) -> tuple[mbx.Position, Board]:
    """An unfinished position with about so many stones, made by play, and its board."""
    rng = random.Random(f"{rules} {n_stones} {seed}")
    position, board = mbx.Game(*rules.args).start(), rules.start
    while position.ply < n_stones:
        for move in rng.sample(position.legal_moves.tolist(), len(position.legal_moves)):
            position.push(move)
            if position.status == -1:
                board = ref.play(rules, board, move)
                break
            position.pop()
        else:
            break
    return position, board


def check(search: mbx.MCTS, playouts: int = 1, draw_value: float = 0.5, **options) -> None:
    """Everything that must add up in a tree, from its arrays and the rules alone."""
    tree, root = search.tree(), search.position
    parent, move, visits, sums = tree.parent, tree.move, tree.visits, tree.sums
    n = len(parent)
    assert parent[0] == move[0] == -1 and sums[0] == 0 and tree.depth[0] == 0
    assert (parent[1:] < np.arange(1, n)).all() and (parent[1:] >= 0).all()
    assert (tree.depth[1:] == tree.depth[parent[1:]] + 1).all()
    assert (np.bincount(parent[1:], minlength=n) == tree.n_children).all()
    assert ((tree.first_child == -1) == (tree.n_children == 0)).all()
    check_range(tree, playouts)
    below = np.bincount(parent[1:], visits[1:], minlength=n)
    rewards = np.bincount(parent[1:], sums[1:], minlength=n)
    inner = np.flatnonzero(tree.n_children)
    own = visits[inner] - below[inner]
    assert (own >= 0).all()
    if not options.get("max_nodes"):  # a proven node is visited, but not its children
        assert (own[tree.lower[inner] < tree.upper[inner]] <= 1).all()
    if draw_value == 0.5:  # what one side gets the other does not
        others = (visits * playouts - sums)[inner] - rewards[inner]
        kept = inner > 0
        assert (others >= 0)[kept].all() and (others <= own * playouts)[kept].all()
    check_moves(tree, root, playouts, draw_value, bool(options.get("solver")))


def check_range(tree: mbx.SearchTree, playouts: int) -> None:
    assert (tree.visits >= 0).all() and (tree.lower <= tree.upper).all()
    assert (tree.lower >= -1).all() and (tree.upper <= 1).all()
    assert (tree.sums >= 0).all() and (tree.sums <= tree.visits * playouts).all()
    assert not tree.sums[tree.visits == 0].any() and np.isfinite(tree.sums).all()


def check_moves(tree, root: mbx.Position, playouts: int, draw_value: float, solver: bool) -> None:
    """Moves are the legal ones; finished nodes and bounds are what the rules say."""
    worth_of = {0: 1, 1: 1, 2: 0}
    reward_of = {1: 1.0, 0: draw_value, -1: 0.0}
    for node, position in walk(tree, root):
        first, n_children = int(tree.first_child[node]), int(tree.n_children[node])
        children = slice(first, first + n_children)
        if n_children:
            assert tree.move[children].tolist() == position.legal_moves.tolist()
        if position.status != -1:
            assert n_children == 0
            worth = worth_of[position.status] if tree.visits[node] else None
            bounds = (worth, worth) if tree.visits[node] else (-1, 1)
            assert (tree.lower[node], tree.upper[node]) == bounds
            if tree.visits[node]:
                expected = reward_of[worth] * tree.visits[node] * playouts
                assert np.isclose(tree.sums[node], expected, rtol=1e-12)
        elif node and solver and n_children:
            assert tree.lower[node] == -tree.upper[children].max()
            assert tree.upper[node] == -tree.lower[children].max()
        elif node:
            assert (tree.lower[node], tree.upper[node]) == (-1, 1)


def walk(tree: mbx.SearchTree, root: mbx.Position):
    """Every node with its position; depth first, the position is played on."""
    position = root.copy()
    todo, depth = [0], 0
    while todo:
        node = todo.pop()
        while depth >= max(int(tree.depth[node]), 1):
            position.pop()
            depth -= 1
        if node:
            position.push(int(tree.move[node]))
            depth += 1
        yield node, position
        first = int(tree.first_child[node])
        if first >= 0:
            todo.extend(range(first, first + int(tree.n_children[node])))

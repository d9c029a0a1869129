"""Random trees of nested lists, and what is known of them without searching as mbx does.

What alpha-beta visits, and with which window, is known without running it (Baudet 1978): alpha is
the largest value of elder siblings, of the node and of its ancestors, below max nodes, beta the
smallest below min nodes; the node is visited if alpha is less than beta there and above.
"""

from __future__ import annotations

import math
import random
from functools import cache

import pytest

INF = math.inf
ALGORITHMS = ["minimax", "alphabeta", "scout", "mtdf"]
ARTICLE = [[[2, 7, 3], [8, 1]], [[4, 4, 0], [9, 5]]]
BIG = 2**60

NUMBERS = {
    "ties": lambda r: r.randint(0, 2),
    "ints": lambda r: r.randint(-50, 50),
    "floats": lambda r: r.uniform(-1, 1),
    "both": lambda r: r.choice([r.randint(-3, 3), r.randint(-6, 6) / 2]),
    "neighbours": lambda r: r.choice(
        [1, 1.0, math.nextafter(1, 2), math.nextafter(1, 0), 0.0, -0.0]
    ),
    "beyond floats": lambda r: r.choice([BIG - 1, BIG, BIG + 1, float(BIG), 2.0**61, -(10**300)]),
    "infinite": lambda r: r.choice([-INF, -INF, INF, INF, 0, 1]),
}
every_kind = pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)


def grow(r, number, depth):
    """A random tree: one to four children, chains and early leaves among them."""
    if depth == 0 or r.random() < 0.1:
        return number(r)
    return [grow(r, number, depth - 1) for _ in range(r.choice([1, 1, 2, 3, 4]))]


@cache
def trees(number, n=25):
    """n random trees, each with either side at the root."""
    r = random.Random(7)
    return [
        (tree, side)
        for i in range(n)
        for tree in [grow(r, number, i % 6)]
        for side in (True, False)
    ]


def uniform(number, b, depth):
    return [uniform(number, b, depth - 1) for _ in range(b)] if depth else number()


def worth(tree, maximize):
    """Plain minimax."""
    if not isinstance(tree, list):
        return tree
    return (max if maximize else min)([worth(child, not maximize) for child in tree])


def nodes(tree, maximize, path=()):
    """Every path, subtree and side, in preorder."""
    yield path, tree, maximize
    if isinstance(tree, list):
        for i, child in enumerate(tree):
            yield from nodes(child, not maximize, (*path, i))


def critical(tree, maximize, alpha=-INF, beta=INF, path=()):
    """Paths and windows of what alpha-beta visits, in preorder."""
    if alpha >= beta:
        return
    yield path, alpha, beta
    if isinstance(tree, list):
        for i, child in enumerate(tree):
            yield from critical(child, not maximize, alpha, beta, (*path, i))
            if maximize:
                alpha = max(alpha, worth(child, False))
            else:
                beta = min(beta, worth(child, True))


def filled(tree, visited, number, path=()):
    """The tree with other numbers in the leaves that were not visited."""
    if isinstance(tree, list):
        return [filled(child, visited, number, (*path, i)) for i, child in enumerate(tree)]
    return tree if path in visited else number()


def at(tree, path):
    for i in path:
        tree = tree[i]
    return tree


def ordered(tree, maximize):
    """The tree with the best child first everywhere."""
    if not isinstance(tree, list):
        return tree
    children = [ordered(child, not maximize) for child in tree]
    return sorted(children, key=lambda child: worth(child, not maximize), reverse=maximize)

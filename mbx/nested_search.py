"""Searches of a little game tree, written as nested lists, that tell all they did.

    minimax    looks at every node
    alphabeta  hands down what each side is sure of elsewhere, alpha the maximizing and beta the
               minimizing one, and leaves a node that can matter no more (Knuth, Moore 1975)
    scout      asks of every child but the first whether it is better, and only then what it is
               worth (Pearl 1980, Reinefeld 1983)
    mtdf       asks of the root whether it is worth so much, again and again, and remembers the
               answers (Plaat, Schaeffer, Pijls, de Bruin 1996)

To ask whether is to search a null window, one that holds no value between its ends.  The ends here
are neighbours among the values of all leaves, or infinite, so that this is exact for any numbers.
Every algorithm is a class; start reading at _Search.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

from .errors import TooLargeError
from .small_board import counted
from .tables import text_table

Path: TypeAlias = tuple[int, ...]
Tree: TypeAlias = "float | tuple[Tree, ...]"
Bounds: TypeAlias = tuple[float, float]

MOST_LEVELS = 100  # of lists
MOST_NODES = 100_000
MOST_VISITS = 1_000_000  # mtdf may come back for every value
MOST_ROWS = 200  # of visits in the text form
UNKNOWN: Bounds = (-math.inf, math.inf)
CUTS = {"min": "alpha", "max": "beta"}  # by the kind of node that is left
LETTERS = {"min": "α", "max": "β"}  # of these cuts


class Visit(NamedTuple):
    """A node was looked at.

    path         the child indices that lead there from the root
    kind         "max", "min" or "leaf"
    alpha, beta  the window, as the search came to the node
    value        what it found: the node's value if that is between alpha and beta.  What is not
                 above alpha says that the value is at most so much, what is not below beta that it
                 is at least so much (fail-soft); of a leaf it is the value anyhow
    left_out     number of children that a cut left out
    """

    path: Path
    kind: str
    alpha: float
    beta: float
    value: float
    left_out: int


class Cut(NamedTuple):
    """A node was left early.

    path      the node
    kind      "alpha" at a min node, which is worth alpha at most; "beta" at a max node, which is
              worth beta at least
    left_out  number of children that were not looked at: 1 or more
    """

    path: Path
    kind: str
    left_out: int


@dataclass(frozen=True, eq=False, repr=False)
class NestedSearch:
    """What search_tree did.  A node is named by its path, the child indices from the root.

    tree       the tree as nested tuples
    nodes      int: how many it has, leaves and root included
    algorithm  its name
    maximize   bool: does the root take the largest value?
    value      int or float: what the root is worth
    visits     list of Visit, in the order in which the nodes were come to
    bounds     dict from path to (at least, at most): what the leaves that were visited, taken
               together, prove about each visited node; equal where its value is known
    variation  list of int: the children that best play takes, from the root to a leaf; of equal
               ones the first whose value is known

    >>> import mbx
    >>> result = mbx.search_tree([6, [3, 5], 4])
    >>> print(result)
    alphabeta: value 6, 5 visits to 5 of 6 nodes, variation 0
    <BLANKLINE>
    visit  node  kind  alpha  beta  value                cut
    1      root   max     -∞     ∞      6
    2         0  leaf     -∞     ∞      6
    3         1   min      6     ∞      3  α-cut, 1 left out
    4       1.0  leaf      6     ∞      3
    5         2  leaf      6     ∞      4
    >>> result.cuts, result.bounds[1,]
    ([Cut(path=(1,), kind='alpha', left_out=1)], (-inf, 3))
    """

    tree: Tree
    nodes: int
    algorithm: str
    maximize: bool
    value: float
    visits: list[Visit]
    bounds: dict[Path, Bounds]
    variation: list[int]

    @property
    def visited(self) -> int:
        """Number of visits, those of leaves and of the root included."""
        return len(self.visits)

    @property
    def leaves(self) -> int:
        """Number of visits of leaves."""
        return sum(visit.kind == "leaf" for visit in self.visits)

    @property
    def cuts(self) -> list[Cut]:
        """The cuts, in the order in which the nodes were come to."""
        return [
            Cut(visit.path, CUTS[visit.kind], visit.left_out)
            for visit in self.visits
            if visit.left_out
        ]

    @property
    def title(self) -> str:
        """The algorithm, the value and how much was looked at, in a few words."""
        return (
            f"{self.algorithm}: value {shown(self.value)}, {counted(self.visited)} "
            f"to {len(self.bounds):,} of {self.nodes:,} nodes"
        )

    def _rows(self) -> list[list[str]]:
        rows = [["visit", "node", "kind", "alpha", "beta", "value", "cut"]]
        for number, visit in enumerate(self.visits[:MOST_ROWS], 1):
            numbers = map(shown, (visit.alpha, visit.beta, visit.value))
            cut = (
                f"{LETTERS[visit.kind]}-cut, {visit.left_out:,} left out" if visit.left_out else ""
            )
            rows.append([f"{number}", _name(visit.path), visit.kind, *numbers, cut])
        return rows

    def __str__(self) -> str:
        hidden = self.visited - MOST_ROWS
        more = [f"… {hidden:,} more visits"] if hidden > 0 else []
        title = f"{self.title}, variation {_name(self.variation)}"
        return "\n".join([title, "", *text_table(self._rows()), *more])

    def __repr__(self) -> str:
        return f"<NestedSearch: {self.title}>"

    def _repr_svg_(self) -> str | None:
        """The tree as a picture; None, which leaves it to the text, for more than 2,000 nodes."""
        from .nested_search_svg import MOST_DRAWN, nested_search_svg

        return nested_search_svg(self) if self.nodes <= MOST_DRAWN else None


def shown(value: float) -> str:
    """A number in words.

    >>> shown(7), shown(-math.inf)
    ('7', '-∞')
    """
    return f"{value}".replace("inf", "∞")


def kind_at(level: int, maximize: bool) -> str:
    """What nodes with children are at a level, the root's being 0: "max" or "min"."""
    return ("min", "max")[(level + maximize) % 2]


def _name(path: Path | list[int]) -> str:
    return ".".join(map(str, path)) or "root"


def search_tree(tree: Any, algorithm: str = "alphabeta", *, maximize: bool = True) -> NestedSearch:
    """The value of a game tree of nested lists, and how an algorithm finds it.

    tree       lists or tuples in lists or tuples, numbers as leaves; a number alone is a tree, too
    algorithm  "minimax", "alphabeta", "scout" or "mtdf"
    maximize   does the root take the largest value of its children?  The levels below take the
               smallest and the largest in turn

    A max node is left when its value is beta or more (a β-cut), a min node when its value is alpha
    or less (an α-cut), so equal values cut; that the last child says so is no cut.  Scout looks
    again, with the full window, at what a null window found to be better, unless it is a leaf.
    mtdf begins with the value of the first leaf; a node whose remembered bounds answer is a visit.

    Leaves are ints or floats, infinite ones too; other real numbers are taken as these.  Raises
    TypeError for other things in the tree, ValueError for nan, an empty list or more than 100
    levels of lists, and TooLargeError for more than 100,000 nodes or 1,000,000 visits.

    >>> import mbx
    >>> mbx.search_tree([[[2, 7, 3], [8, 1]], [[4, 4, 0], [9, 5]]])
    <NestedSearch: alphabeta: value 7, 13 visits to 13 of 17 nodes>
    >>> mbx.search_tree([6, [8, 9]], maximize=False).cuts
    [Cut(path=(1,), kind='beta', left_out=1)]
    """
    if not isinstance(algorithm, str):
        raise TypeError(f"algorithm must be a name, not {algorithm!r}")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm must be one of {list(ALGORITHMS)}, not {algorithm!r}")
    if not isinstance(maximize, bool):
        raise TypeError(f"maximize must be a bool, not {maximize!r}")
    reader = _Reader()
    root = reader.read(tree, ())
    search = ALGORITHMS[algorithm](root, maximize)
    value = search.run()
    bounds = _prove(root, search.visits)
    return NestedSearch(
        root,
        reader.nodes,
        algorithm,
        maximize,
        value,
        search.visits,
        bounds,
        _variation(root, bounds),
    )


class _Reader:
    """Makes a tree of what a caller passes, and counts its nodes."""

    def __init__(self) -> None:
        self.nodes = 1

    def read(self, given: Any, path: Path) -> Tree:
        if not isinstance(given, list | tuple):
            return _read_leaf(given, path)
        if not given:
            raise ValueError(f"{_place(path)} must not be empty: a list has children")
        if len(path) == MOST_LEVELS:
            raise ValueError(f"tree must not have more than {MOST_LEVELS} levels of lists")
        self.nodes += len(given)
        if self.nodes > MOST_NODES:
            raise TooLargeError(f"tree must not have more than {MOST_NODES:,} nodes")
        return tuple([self.read(child, (*path, i)) for i, child in enumerate(given)])


def _read_leaf(leaf: Any, path: Path) -> float:
    if isinstance(leaf, bool) or not isinstance(leaf, Real):
        raise TypeError(f"{_place(path)} must be a number, a list or a tuple, not {leaf!r}")
    try:
        number = float(leaf)
    except OverflowError:
        raise ValueError(f"{_place(path)} must be in the range of floats") from None
    if math.isnan(number):
        raise ValueError(f"{_place(path)} must not be nan")
    return int(leaf) if isinstance(leaf, Integral) else number


def _place(path: Path) -> str:
    return "tree" + "".join(f"[{i}]" for i in path)


class _Search:
    """Minimax, and what all algorithms share: visits in order, and the ends of null windows."""

    def __init__(self, tree: Tree, maximize: bool) -> None:
        self.tree, self.maximize = tree, maximize
        self.visits: list[Visit] = []
        self.values = sorted(set(_leaves(tree)))

    def run(self) -> float:
        """The value of the root."""
        return self.look(self.tree, (), *UNKNOWN)

    def look(self, node: Tree, path: Path, alpha: float, beta: float) -> float:
        """Visit a node: what the visit finds."""
        number = len(self.visits)
        if number == MOST_VISITS:
            raise TooLargeError(f"tree must not take more than {MOST_VISITS:,} visits")
        if not isinstance(node, tuple):
            self.visits.append(Visit(path, "leaf", alpha, beta, node, 0))
            return node
        visit = Visit(path, self.kind(path), alpha, beta, math.nan, 0)
        self.visits.append(visit)
        value, left_out = self.inside(node, path, alpha, beta)
        self.visits[number] = visit._replace(value=value, left_out=left_out)
        return value

    def inside(
        self, node: tuple[Tree, ...], path: Path, alpha: float, beta: float
    ) -> tuple[float, int]:
        """What a visit finds in a node with children, and how many of these it leaves out."""
        best = max if self.kind(path) == "max" else min
        return best([self.look(child, (*path, i), *UNKNOWN) for i, child in enumerate(node)]), 0

    def kind(self, path: Path) -> str:
        """What a node with children is."""
        return kind_at(len(path), self.maximize)

    def above(self, value: float) -> float:
        """The next larger value of a leaf."""
        i = bisect_right(self.values, value)
        return self.values[i] if i < len(self.values) else math.inf

    def below(self, value: float) -> float:
        """The next smaller value of a leaf."""
        i = bisect_left(self.values, value)
        return self.values[i - 1] if i else -math.inf


class _AlphaBeta(_Search):
    """A node's window narrows from child to child; the node is left when nothing is inside."""

    def inside(
        self, node: tuple[Tree, ...], path: Path, alpha: float, beta: float
    ) -> tuple[float, int]:
        is_max = self.kind(path) == "max"
        value = -math.inf if is_max else math.inf
        for i, child in enumerate(node):
            found = self.child(child, (*path, i), alpha, beta)
            if is_max:
                value = max(value, found)
                alpha = max(alpha, value)
            else:
                value = min(value, found)
                beta = min(beta, value)
            if alpha >= beta:
                return value, len(node) - i - 1
        return value, 0

    def child(self, node: Tree, path: Path, alpha: float, beta: float) -> float:
        """What there is to know of a child, with the window of its parent as it is by now."""
        return self.look(node, path, alpha, beta)


class _Scout(_AlphaBeta):
    """The first child is searched, the others are first asked whether they are better."""

    def child(self, node: Tree, path: Path, alpha: float, beta: float) -> float:
        if path[-1] == 0:
            return self.look(node, path, alpha, beta)
        parent_is_max = self.kind(path[:-1]) == "max"
        null = (alpha, self.above(alpha)) if parent_is_max else (self.below(beta), beta)
        value = self.look(node, path, *null)
        if isinstance(node, tuple) and alpha < value < beta:
            return self.look(node, path, alpha, beta)
        return value


class _Mtdf(_AlphaBeta):
    """Null windows at the root close in on its value; bounds of nodes are remembered."""

    def __init__(self, tree: Tree, maximize: bool) -> None:
        super().__init__(tree, maximize)
        self.known: dict[Path, Bounds] = {}

    def run(self) -> float:
        value = _leaves(self.tree)[0]
        lower, upper = UNKNOWN
        while lower < upper:
            beta = self.above(value) if value == lower else value
            value = self.look(self.tree, (), self.below(beta), beta)
            if value < beta:
                upper = value
            else:
                lower = value
        return value

    def inside(
        self, node: tuple[Tree, ...], path: Path, alpha: float, beta: float
    ) -> tuple[float, int]:
        lower, upper = self.known.get(path, UNKNOWN)
        if lower >= beta:
            return lower, 0
        if upper <= alpha:
            return upper, 0
        value, left_out = super().inside(node, path, alpha, beta)
        self.known[path] = (value, upper) if value >= beta else (lower, value)
        return value, left_out


ALGORITHMS: dict[str, type[_Search]] = {
    "minimax": _Search,
    "alphabeta": _AlphaBeta,
    "scout": _Scout,
    "mtdf": _Mtdf,
}


def _leaves(tree: Tree) -> list[float]:
    """The leaves from left to right."""
    if not isinstance(tree, tuple):
        return [tree]
    return [leaf for child in tree for leaf in _leaves(child)]


def _prove(tree: Tree, visits: list[Visit]) -> dict[Path, Bounds]:
    """What the visited leaves say about the visited nodes: those below a node come before it."""
    kinds = {visit.path: visit.kind for visit in visits}
    bounds: dict[Path, Bounds] = {}
    for path, kind in reversed(kinds.items()):
        node = _at(tree, path)
        if not isinstance(node, tuple):
            bounds[path] = (node, node)
            continue
        best = max if kind == "max" else min
        below = [bounds.get((*path, i), UNKNOWN) for i in range(len(node))]
        bounds[path] = best(lower for lower, _ in below), best(upper for _, upper in below)
    return dict(reversed(bounds.items()))


def _at(tree: Tree, path: Path) -> Tree:
    for i in path:
        assert isinstance(tree, tuple)
        tree = tree[i]
    return tree


def _variation(tree: Tree, bounds: dict[Path, Bounds]) -> list[int]:
    """The way down along nodes that are proven to be worth what the root is worth."""
    path: Path = ()
    while isinstance(tree, tuple):
        move = next(i for i in range(len(tree)) if bounds.get((*path, i)) == bounds[()])
        path, tree = (*path, move), tree[move]
    return list(path)

"""Exact chances of the outcomes from one position, when the sides follow given policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .backward import Planes, sweep_backward
from .convert import as_position, read_source
from .errors import TooLargeError
from .graph import Graph
from .layers import Layers, open_all_layers
from .policies import CODES, NEEDS_SCORES, NEEDS_WAYS, ask, check_policy, is_named
from .position import Position
from .position_graph import build_graph
from .tree import build_tree
from .ways import Ways, count_ways

if TYPE_CHECKING:
    from fractions import Fraction

_MAX_FRACTIONS = 2**18  # nodes for which fractions are computed one by one

Chances = NDArray[np.float64]


@overload
def outcome_probabilities(
    pos: Any, first: Any = ..., second: Any = ..., *, exact: Literal[False] = False
) -> Chances: ...
@overload
def outcome_probabilities(
    pos: Any, first: Any = ..., second: Any = ..., *, exact: Literal[True]
) -> list[Fraction]: ...
def outcome_probabilities(
    pos: Any, first: Any = "uniform", second: Any = "uniform", *, exact: bool = False
) -> Chances | list[Fraction]:
    """The chances that the first side wins, the second side wins, and of a draw.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  first and second
    are the policies that the sides follow from there on: "uniform" (random play), "optimal"
    (evenly among the best moves), "optimal fastest" (of these the soonest win, the latest loss),
    "pmc" (the limit of primitive Monte Carlo by wins, then draws), "pmc score" (by
    wins + draws / 2), or a callable of a Position that returns a move or the chances of its legal
    moves.

    The result is a float64 array (3,); for uniform against uniform each entry is the quotient of
    two exact integers, correctly rounded, as long as these have up to 127 bits.  With exact=True it
    is a list of three Fractions (with "pmc" and more bits than that, moves whose chances differ by
    less than 1e-12 count as equal).

    Raises TooLargeError where the positions below do not fit in memory.

    >>> import mbx
    >>> start = mbx.games.MARUBATSU.start()
    >>> mbx.outcome_probabilities(start, exact=True)
    [Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63)]
    >>> mbx.outcome_probabilities(start, "optimal", "uniform", exact=True)[1]
    Fraction(0, 1)
    """
    answers = _evaluate(as_position(pos), first, second, exact)
    return answers.of_root() if exact else np.array(answers.of_root(), np.float64)


@overload
def move_probabilities(
    pos: Any, first: Any = ..., second: Any = ..., *, exact: Literal[False] = False
) -> Chances: ...
@overload
def move_probabilities(
    pos: Any, first: Any = ..., second: Any = ..., *, exact: Literal[True]
) -> list[list[Fraction]]: ...
def move_probabilities(
    pos: Any, first: Any = "uniform", second: Any = "uniform", *, exact: bool = False
) -> Chances | list[list[Fraction]]:
    """The chances of the three outcomes after each legal move: first wins, second wins, draw.

    Policies and errors are those of outcome_probabilities.  The rows are the legal moves in
    ascending order, for an article object in the order of its calc_legal_moves().  The result is a
    float64 array (n_legal, 3), or with exact=True a list of lists of three Fractions; after the end
    it has no rows.

    >>> import mbx
    >>> mbx.move_probabilities(mbx.games.MARUBATSU.start(), exact=True)[4]
    [Fraction(97, 140), Fraction(27, 140), Fraction(4, 35)]
    """
    source = read_source(pos)
    answers = _evaluate(source.position, first, second, exact)
    legal = source.position.legal_moves.tolist()
    rows = [answers.after(legal[row]) for row in source.rows]
    return rows if exact else np.array(rows, np.float64).reshape(-1, 3)


@dataclass
class _Answers:
    """The chances at the root and after its moves: floats, or Fractions."""

    root: Position
    chances: Callable[[Position], list[Any]]

    def of_root(self) -> list[Any]:
        """At the root."""
        return self.chances(self.root)

    def after(self, move: int) -> list[Any]:
        """After a move."""
        child = self.root.copy()
        child.push(move)
        return self.chances(child)


def _evaluate(root: Position, first: Any, second: Any, exact: bool) -> _Answers:
    """The chances at a position and after its moves, computed in the cheapest way there is."""
    check_policy(first, "first")
    check_policy(second, "second")
    if not (is_named(first) and is_named(second)):
        return _from_graph(_graph(root, symmetry=False), first, second, exact)
    uniform = first == second == "uniform"
    if exact and not (uniform and count_ways(Layers(root, symmetry=False)).exact):
        return _from_graph(_graph(root, symmetry=True), first, second, exact)
    try:
        return _from_layers(root, first, second, uniform)
    except TooLargeError as error:
        return _from_graph(_tree(root, error), first, second, exact)


def _graph(root: Position, symmetry: bool) -> Graph:
    try:
        return build_graph(root, symmetry)
    except TooLargeError as error:
        return _tree(root, error)


def _tree(root: Position, error: TooLargeError) -> Graph:
    """The tree, where there are few games though many cells; otherwise the error is raised."""
    try:
        return build_tree(root)
    except TooLargeError:
        raise error from None


# ---- from two layers at a time -------------------------------------------------------------------


def _from_layers(root: Position, first: str, second: str, uniform: bool) -> _Answers:
    codes = CODES[first], CODES[second]
    layers = open_all_layers(root, symmetry=True, bytes_per_entry=33 if uniform else 57)
    ways = count_ways(layers) if uniform or any(code in NEEDS_WAYS for code in codes) else None
    here, below = sweep_backward(
        layers,
        scores=any(code in NEEDS_SCORES for code in codes),
        ways=ways,
        policies=None if uniform else codes,
    )
    planes = here, below

    def chances(position: Position) -> list[Any]:
        found = layers.find(position)
        assert found is not None
        depth, index = found
        if uniform and ways is not None:
            return _of_ways(layers, ways, planes[depth], depth, index)
        sides = [plane[index] for plane in planes[depth][4:] if plane is not None]
        return _by_outcome(layers, sides)

    return _Answers(root, chances)


def _by_outcome(layers: Layers, sides: list[Any]) -> list[Any]:
    """Planes are of the root's mover, the other side and draws."""
    return [sides[layers.root.turn], sides[1 - layers.root.turn], sides[2]]


def _of_ways(layers: Layers, ways: Ways, planes: Planes, depth: int, index: int) -> list[Any]:
    """Ways as chances: Fractions, or floats where they are no integers."""
    from fractions import Fraction

    numbers = [plane for plane in planes[1:4] if plane is not None]
    if not ways.exact:
        return _by_outcome(layers, [plane[index] for plane in numbers])
    total = ways.weights[depth]
    counts = [ways.integer(plane, index) for plane in numbers]
    counts.append(total - sum(counts))
    return _by_outcome(layers, [Fraction(count, total) for count in counts])


# ---- from a graph --------------------------------------------------------------------------------


def _from_graph(graph: Graph, first: Any, second: Any, exact: bool) -> _Answers:
    if exact:
        rows = _fractions(graph, first, second)
        return _Answers(graph.root, lambda position: rows[graph.index(position)])
    outcomes = graph.outcomes(first, second)
    return _Answers(graph.root, lambda position: outcomes[graph.index(position)].tolist())


def _fractions(graph: Graph, first: Any, second: Any) -> list[list[Fraction]]:
    """The chances at every node, node by node from the end."""
    from fractions import Fraction

    if len(graph) > _MAX_FRACTIONS:
        raise TooLargeError(
            f"fractions are computed for up to {_MAX_FRACTIONS:,} positions, not {len(graph):,}"
        )
    edges = graph.edges()
    start, children = edges.start.tolist(), edges.children.tolist()
    shares = [
        _shares(graph, policy, name) for policy, name in ((first, "first"), (second, "second"))
    ]
    sides, status = (graph.ply & 1).tolist(), graph.status.tolist()
    rows: list[list[Fraction]] = [[]] * len(status)
    for node in reversed(range(len(status))):
        if status[node] >= 0:
            rows[node] = [Fraction(status[node] == outcome) for outcome in range(3)]
            continue
        below = [rows[child] for child in children[start[node] : start[node + 1]]]
        weights = shares[sides[node]](node, start[node], start[node + 1])
        rows[node] = [
            sum((w * row[o] for w, row in zip(weights, below, strict=True) if w), Fraction())
            for o in range(3)
        ]
    return rows


def _shares(graph: Graph, policy: Any, name: str) -> Callable[[int, int, int], list[Fraction]]:
    """A function of a node and its range of edges: the chances of its moves."""
    from fractions import Fraction

    if callable(policy):
        return lambda node, _start, _end: [
            Fraction(chance) for chance in ask(policy, graph.position(node), name)
        ]
    weights = graph.policy(policy).tolist()

    def of_edges(_node: int, start: int, end: int) -> list[Fraction]:
        some = weights[start:end]
        if is_named(policy):  # evenly among some moves
            n_chosen = sum(map(bool, some))
            return [Fraction(bool(weight), n_chosen) for weight in some]
        return [Fraction(weight) for weight in some]

    return of_edges

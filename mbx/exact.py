"""Exact chances of the outcomes under uniformly random play, from the game tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from .convert import read_source
from .graph import Graph, build_tree

if TYPE_CHECKING:
    from fractions import Fraction


def _fractions(graph: Graph, node: int) -> list[Fraction]:
    from fractions import Fraction

    total = graph.denominators[graph.depth[node]]
    return [Fraction(int(count), total) for count in graph.counts[node]]


def _quotients(graph: Graph, nodes: list[int]) -> NDArray[np.float64]:
    """The rows of graph.probabilities of some nodes, without computing the others."""
    totals = [graph.denominators[depth] for depth in graph.depth[nodes].tolist()]
    rows = [
        [n / total for n in row]
        for row, total in zip(graph.counts[nodes].tolist(), totals, strict=True)
    ]
    return np.array(rows, np.float64).reshape(-1, 3)


@overload
def outcome_probabilities(pos: Any, *, exact: Literal[False] = False) -> NDArray[np.float64]: ...
@overload
def outcome_probabilities(pos: Any, *, exact: Literal[True]) -> list[Fraction]: ...
def outcome_probabilities(pos: Any, *, exact: bool = False) -> NDArray[np.float64] | list[Fraction]:
    """The chances that the first side wins, the second side wins, and of a draw.

    Both sides play uniformly random moves from the position: a Position, an mbx.Marubatsu or an
    object of the article's own classes.  The result is a float64 array (3,), each the quotient of
    two exact integers, or with exact=True a list of three Fractions.

    Raises TooLargeError where the game tree below the position does not fit in memory.

    >>> import mbx
    >>> mbx.outcome_probabilities(mbx.games.MARUBATSU.start(), exact=True)
    [Fraction(737, 1260), Fraction(121, 420), Fraction(8, 63)]
    """
    graph = build_tree(pos)
    if exact:
        return _fractions(graph, 0)
    return _quotients(graph, [0])[0]


@overload
def move_probabilities(pos: Any, *, exact: Literal[False] = False) -> NDArray[np.float64]: ...
@overload
def move_probabilities(pos: Any, *, exact: Literal[True]) -> list[list[Fraction]]: ...
def move_probabilities(
    pos: Any, *, exact: bool = False
) -> NDArray[np.float64] | list[list[Fraction]]:
    """The chances of the three outcomes after each legal move: first wins, second wins, draw.

    The rows are the legal moves in ascending order, for an article object in the order of its
    calc_legal_moves().  The result is a float64 array (n_legal, 3), or with exact=True a list of
    lists of three Fractions; after the end it has no rows.

    Raises TooLargeError where the game tree below the position does not fit in memory.

    >>> import mbx
    >>> mbx.move_probabilities(mbx.games.MARUBATSU.start(), exact=True)[4]
    [Fraction(97, 140), Fraction(27, 140), Fraction(4, 35)]
    """
    source = read_source(pos)
    graph = build_tree(source.position)
    children = graph.children(0)[source.rows]
    if exact:
        return [_fractions(graph, int(child)) for child in children]
    return _quotients(graph, children.tolist())

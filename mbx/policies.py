"""Policies: how a side chooses among its moves.

A policy is given as

* a name: "uniform"; "optimal", evenly among the moves of the best value; "optimal fastest", of
  these the soonest win and the latest loss; "pmc" or "pmc win", the limit of primitive Monte
  Carlo: evenly among the moves with the largest share of wins in random play, of these the largest
  share of draws; "pmc score", by the expected score, wins + draws / 2
* an array of chances over the edges of a graph (float64, as graph.policy gives it)
* a callable of a Position that returns a move, or chances: an array over its legal moves
  (ascending) or a dict {move: chance}
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .position import Position

Policy = str | NDArray[Any] | Callable[[Position], Any]

CODES = {
    "uniform": _core.UNIFORM,
    "optimal": _core.OPTIMAL,
    "optimal fastest": _core.FASTEST,
    "pmc": _core.PMC_WIN,
    "pmc win": _core.PMC_WIN,
    "pmc score": _core.PMC_SCORE,
}
NEEDS_SCORES = (_core.OPTIMAL, _core.FASTEST)
NEEDS_WAYS = (_core.PMC_WIN, _core.PMC_SCORE)
TOLERANCE = 1e-6  # how far the chances of a position's moves may be from 1 together


def check_policy(policy: Any, name: str) -> None:
    """TypeError or ValueError for what is no policy; `name` is the argument's."""
    if isinstance(policy, str):
        if policy not in CODES:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, CODES))}, not {policy!r}")
    elif not callable(policy) and not isinstance(policy, np.ndarray | list | tuple):
        raise TypeError(f"{name} must be a name, an array or a callable, not {policy!r}")


def is_named(policy: Any) -> bool:
    """Is it a policy that the core knows, which is symmetric too?"""
    return isinstance(policy, str)


def read_weights(
    policy: Any, name: str, start: NDArray[np.int64], nodes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """An array of chances over edges; those of node i are [start[i] : start[i + 1]].

    Raises TypeError or ValueError where it is none, or where the chances of one of the nodes, each
    of which has edges, do not add up to 1.
    """
    weights = np.asarray(policy)
    n_edges = int(start[-1])
    if weights.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be an array of numbers, not of {weights.dtype}")
    if weights.shape != (n_edges,):
        raise ValueError(f"{name} must have the shape ({n_edges},), not {weights.shape}")
    weights = np.ascontiguousarray(weights, np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        node = int(np.searchsorted(start, wrong[0], "right")) - 1
        raise ValueError(
            f"{name} must hold chances from 0 to 1, not {float(weights[wrong[0]])!r} at node {node}"
        )
    _check_sums(weights, name, start, nodes)
    return weights


def _check_sums(
    weights: NDArray[np.float64], name: str, start: NDArray[np.int64], nodes: NDArray[np.intp]
) -> None:
    sources = np.repeat(np.arange(len(start) - 1), np.diff(start))
    sums = np.bincount(sources, weights, len(start) - 1)[nodes]
    wrong = np.flatnonzero(np.abs(sums - 1.0) > TOLERANCE)
    if len(wrong):
        raise ValueError(
            f"{name} must add up to 1 over the moves of every node, not to "
            f"{float(sums[wrong[0]])!r} at node {nodes[wrong[0]]}"
        )


def ask(policy: Callable[[Position], Any], position: Position, name: str) -> list[Any]:
    """The chances over the legal moves that a callable gives for a position, as it gives them."""
    legal = position.legal_moves.tolist()
    answer = policy(position.copy())
    if isinstance(answer, Mapping):
        unknown = [move for move in answer if move not in legal]
        if unknown:
            raise ValueError(f"{name} gives chances to moves that are not legal: {unknown!r}")
        chances = [answer.get(move, 0) for move in legal]
    elif np.ndim(answer) == 0:
        chances = _one_move(answer, legal, name)
    else:
        chances = list(answer)
    if not all(isinstance(chance, Real) for chance in chances):
        raise TypeError(f"{name} must give numbers as chances, not {answer!r}")
    if len(chances) != len(legal):
        raise ValueError(f"{name} must give {len(legal)} chances in {position!r}, not {answer!r}")
    if not (all(chance >= 0 for chance in chances) and abs(sum(chances) - 1) <= TOLERANCE):
        raise ValueError(f"{name} must give chances that add up to 1 in {position!r}: {answer!r}")
    return [chance.item() if isinstance(chance, np.generic) else chance for chance in chances]


def _one_move(answer: Any, legal: list[int], name: str) -> list[int]:
    try:
        chosen = operator.index(answer)
    except TypeError:
        raise TypeError(f"{name} must return a move or chances, not {answer!r}") from None
    if chosen not in legal:
        raise ValueError(f"{name} returns the move {answer!r}; legal are {legal}")
    return [int(move == chosen) for move in legal]

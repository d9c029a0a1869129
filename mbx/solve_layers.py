"""The exact value of a position where all positions below it are few: from their layers."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from . import _core
from .backward import sweep_backward
from .layers import Layers, layer_entries, open_all_layers
from .position import Position

_FEW = 2**21  # entries: some 50 ms

Scores = NDArray[np.int32]


def is_small(position: Position) -> bool:
    """Are the positions below so few that all of them are looked at in a moment?

    Flat boards with gravity are searched faster, however small.
    """
    is_flat_with_gravity = position.game.gravity and len(position.game.shape) == 2
    return not is_flat_with_gravity and few_below(position)


def few_below(position: Position) -> bool:
    """Are the positions below so few that a pass over all of them takes a moment?"""
    layers = Layers(position, symmetry=True, max_depth=0)
    depths = range(layers.n_cells + 1)
    return layers.n_cells <= _core.MAX_DEPTH and (
        sum(layer_entries(layers, depth) for depth in depths) <= _FEW
    )


def score_moves(position: Position) -> tuple[Scores, int, float]:
    """The score of every legal move as solve counts it, the entries looked at, and the seconds."""
    start = perf_counter()
    layers = open_all_layers(position, symmetry=True, bytes_per_entry=1)
    _, below = sweep_backward(layers, scores=True, threads=1)
    children = below[0]
    assert children is not None
    scores = [_score_after(position, layers, children, m) for m in position.legal_moves.tolist()]
    entries = sum(int(np.prod(layers.shape(depth))) for depth in range(layers.n_open))
    return np.array(scores, np.int32), entries, perf_counter() - start


def _score_after(position: Position, layers: Layers, children: NDArray[np.int8], move: int) -> int:
    """The score of a move from the score of its child, for the other side."""
    child = position.copy()
    child.push(move)
    found = layers.find(child)
    assert found is not None
    score = int(children[found[1]])
    if score == 0:
        return 0
    stones = child.ply + _core.WON - abs(score) - 1  # before the last one
    worth = (position.game.n_cells + 1 - stones) // 2
    return worth if score < 0 else -worth

"""The pass from the end up to the root: scores, ways and chances under policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .layers import Layers, Sweep
from .ways import Array, Ways
from .work import Progress, reporting

Planes = tuple[Array | None, ...]  # scores, three of ways, three of chances: by entry of a layer

_NO_PLANES: Planes = (None,) * 7
_NO_RESULTS: tuple[Array | None, ...] = (None,) * 12


@dataclass
class NodeLayer:
    """The nodes of one layer, for results by node."""

    bits: Array
    first_node: Array  # int64, by block: counted from the layer's first
    first_edge: Array  # int64, by block: counted from the graph's first
    statuses: Array  # int8, by node
    start: int  # the layer's first node

    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """As the core takes them."""
        return self.bits, self.first_node, self.first_edge, self.statuses

    def part(self, column: Array | None) -> Array | None:
        """This layer's part of a column by node."""
        return None if column is None else column[self.start : self.start + len(self.statuses)]


@dataclass
class Results:
    """Columns of the graph for a backward pass to fill; None for what is not wanted."""

    scores: Array | None = None
    quotients: Array | None = None
    ways: Array | None = None
    chances: Array | None = None
    best: Array | None = None
    fastest: Array | None = None
    moves: Array | None = None
    edge_policy: Array | None = None
    edge_children: Array | None = None
    edge_moves: Array | None = None


def sweep_backward(
    layers: Layers,
    *,
    scores: bool = False,
    ways: Ways | None = None,
    policies: tuple[int, int] | None = None,
    edge_weights: tuple[Array | None, Array | None] = (None, None),
    nodes: Sequence[NodeLayer] | None = None,
    results: Results | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> tuple[Planes, Planes]:
    """Fill all open layers from the last to the root; returns the planes of layers 0 and 1.

    policies, by side (first, second): the core's codes.  Chances are computed where they are given
    and results.chances is wanted, or no results are.
    """
    chances = policies is not None and (results is None or results.chances is not None)
    shapes = [layers.shape(depth) for depth in range(layers.n_open)]
    total = sum(n_blocks * size for n_blocks, size in shapes)
    largest = max(n_blocks * size for n_blocks, size in shapes)
    buffers = [_new_planes(largest, scores, ways, chances) for _ in shapes[:2]]
    here = below = _NO_PLANES
    with reporting(progress) as report:
        sweep = Sweep(layers, threads, report, total)
        for depth in reversed(range(layers.n_open)):
            n = shapes[depth][0] * shapes[depth][1]
            here, below = _cut(buffers[depth % 2], n, ways), here
            side = layers.root.turn ^ (depth & 1)
            policy = policies[side] if policies else 0
            rule = (*_numbers(layers, ways, depth), policy)
            arrays, columns = None, _NO_RESULTS
            if nodes is not None and results is not None:
                arrays = nodes[depth].arrays()
                columns = _columns(layers, nodes, depth, results, edge_weights[side])
            fill = partial(layers.backward, depth, here, below, rule, arrays, columns)
            sweep.fill(depth, fill)
        report(total, total)
    return here, below


def _new_planes(n: int, scores: bool, ways: Ways | None, chances: bool) -> Planes:
    numbers = [ways.empty(n) if ways and plane < ways.planes else None for plane in range(3)]
    return (
        np.empty(n, np.int8) if scores else None,
        *numbers,
        *(np.empty(n) if chances else None for _ in range(3)),
    )


def _cut(planes: Planes, n: int, ways: Ways | None) -> Planes:
    """The first n entries of every plane."""
    scores, *numbers = planes
    items = ways.items if ways else 1
    return (
        None if scores is None else scores[:n],
        *(None if plane is None else plane[: n * items] for plane in numbers[:3]),
        *(None if plane is None else plane[:n] for plane in numbers[3:]),
    )


def _numbers(layers: Layers, ways: Ways | None, depth: int) -> tuple[int, int, int, int]:
    """How ways are counted in a layer: code, weights here and below, multiple."""
    if ways is None:
        return 0, 0, 0, 0
    below = ways.weights[min(depth + 1, layers.n_cells)]
    return ways.code, ways.weights[depth], below, ways.multiple


def _columns(
    layers: Layers,
    nodes: Sequence[NodeLayer],
    depth: int,
    results: Results,
    edge_weights: Array | None,
) -> tuple[Array | None, ...]:
    """A layer's part of the results, as the core takes them."""
    ids = None
    if results.edge_children is not None and depth + 1 < layers.n_open:
        ids = _number_nodes(layers, nodes[depth + 1], depth + 1)
    part = nodes[depth].part
    return (
        edge_weights,
        *(part(results.scores), part(results.quotients), part(results.ways)),
        *(part(results.chances), part(results.best), part(results.fastest), part(results.moves)),
        *(results.edge_policy, ids),
        *(results.edge_children if ids is not None else None, results.edge_moves),
    )


def _number_nodes(layers: Layers, node_layer: NodeLayer, depth: int) -> Array:
    """The node of every entry of a layer: int32."""
    n_blocks, size = layers.shape(depth)
    ids = np.empty(n_blocks * size, np.int32)
    layers.number_nodes(depth, node_layer.bits, node_layer.start, ids)
    return ids

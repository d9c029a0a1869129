"""Passes over the layers of positions below a root: the core fills one layer from the next.

Layers, blocks and entries are described in csrc/core/layers.h, the passes in csrc/kernel/sweep.h.  Here
is decided how many layers there are, whether they fit in memory, in which numbers ways are counted, and
which threads fill which blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import TooLargeError
from .memory import available_bytes
from .position import Position
from .work import Progress, reporting, run_ranges

Array = NDArray[Any]
Planes = tuple[Array | None, ...]  # scores, three of ways, three of chances: by entry of a layer

NO_PLANES: Planes = (None,) * 7
NO_RESULTS = (None,) * 12

_QUICK = 2**16  # moves in a layer that are not worth a thread


class Layers(_core.Layers):
    """The layers below a root, the first of them open."""

    def __init__(self, root: Position, symmetry: bool, max_depth: int = _core.MAX_DEPTH) -> None:
        """With symmetry, positions that are images of one another are one entry."""
        self.root = root.copy()

    def __new__(cls, root: Position, symmetry: bool, max_depth: int = _core.MAX_DEPTH) -> Layers:
        """The core's tables."""
        return super().__new__(cls, root, symmetry, max_depth)


# ---- how ways are counted ------------------------------------------------------------------------


@dataclass(frozen=True)
class Ways:
    """How the ways in which random play goes on are counted, exactly where that is possible.

    A finished position with e open cells left stands for weights[depth] ways: e! where every order
    of the open cells is as likely, L**e under gravity, L the least common multiple of 1 .. columns.
    Beyond 127 bits the numbers are doubles, and the weights 1.
    """

    code: int  # as the core calls it
    dtype: type
    items: int  # array items a number
    weights: list[int]  # by depth
    multiple: int  # L, or 0 where a position has just the sum of its children's ways
    n_planes: int | None = None  # where draws do not follow from the wins

    @property
    def exact(self) -> bool:
        """Are the numbers integers?"""
        return self.code != _core.DOUBLE

    @property
    def planes(self) -> int:
        """Arrays by outcome that are kept: draws follow from the wins, but not in doubles."""
        return self.n_planes or (2 if self.exact else 3)

    def empty(self, n: int) -> Array:
        """Uninitialised numbers."""
        return np.empty(n * self.items, self.dtype)

    def integer(self, numbers: Array, index: int) -> int:
        """One of the numbers, as an int."""
        items = numbers.reshape(-1, self.items)[index].tolist()
        return sum(item << 64 * i for i, item in enumerate(items))


def count_ways(layers: Layers) -> Ways:
    """The exact ways of random play below the root, or doubles where they are too many."""
    n_cells, n_columns = layers.n_cells, len(layers.moves)
    every_order = n_cells == n_columns  # no column has a second cell
    multiple = 0 if every_order else math.lcm(*range(1, n_columns + 1))
    rest = range(n_cells, -1, -1)
    weights = [math.factorial(e) if every_order else multiple**e for e in rest]
    if weights[0] < 2**63 and multiple < 2**32:
        return Ways(_core.NARROW, np.uint64, 1, weights, multiple)
    if weights[0] < 2**127 and multiple < 2**32:
        return Ways(_core.WIDE, np.uint64, 2, weights, multiple)
    return Ways(_core.DOUBLE, np.float64, 1, [1] * (n_cells + 1), 1)


def count_games(layers: Layers) -> Ways:
    """Every way to finish counts once; TooLargeError where the games might not fit in 64 bits."""
    most = most_games(layers)
    if most >= 2**64:
        raise TooLargeError(f"the games may be {most:.1e}, more than 64 bits can count")
    return Ways(_core.NARROW, np.uint64, 1, [1] * (layers.n_cells + 1), 0)


def most_games(layers: Layers) -> int:
    """The orders in which the columns can be filled: no fewer than the games."""
    heights = layers.capacities.tolist()
    return math.factorial(sum(heights)) // math.prod(map(math.factorial, heights))


# ---- opening layers ------------------------------------------------------------------------------


def layer_entries(layers: Layers, depth: int) -> int:
    """The entries of a layer, about; with symmetry at least."""
    profiles, patterns = layers.size(depth)
    return int(profiles * patterns) // int(layers.n_symmetries)


def room(bytes_per_entry: float) -> int:
    """How many entries of so many bytes fit in memory."""
    return int(0.8 * available_bytes() / bytes_per_entry)


def about(number: int) -> str:
    """A large number, roughly, whatever its size."""
    digits = str(number)
    return f"{number:,}" if len(digits) < 7 else f"{digits[0]}.{digits[1]}e{len(digits) - 1}"


def too_large(root: Position, entries: int, bytes_per_entry: float) -> TooLargeError:
    """The error for a job of so many entries."""
    return TooLargeError(
        f"the positions below {root!r} need {about(entries)} entries of {bytes_per_entry:.3g} bytes "
        f"({about(int(entries * bytes_per_entry))} bytes); {room(bytes_per_entry):,} fit"
    )


def open_all_layers(root: Position, symmetry: bool, bytes_per_entry: float) -> Layers:
    """All layers down to the full board, for passes that hold two of them at a time.

    Raises TooLargeError where two layers do not fit in memory.
    """
    layers = Layers(root, symmetry)
    sizes = [layer_entries(layers, depth) for depth in range(layers.n_cells + 1)]
    largest = max(map(sum, zip(sizes, [*sizes[1:], 0], strict=True)))
    if layers.max_depth < layers.n_cells or largest > room(bytes_per_entry):
        raise too_large(root, largest, bytes_per_entry)
    while layers.n_open <= layers.max_depth:
        layers.open()
    return layers


# ---- running passes ------------------------------------------------------------------------------


class Sweep:
    """Fills layers one after the other, each with threads, and reports progress over all of them."""

    def __init__(self, layers: Layers, threads: int | None, report: Any, total: int) -> None:
        self._layers = layers
        self._threads = threads
        self._report = report
        self._total = total
        self._done = 0

    def fill(self, depth: int, fill: Callable[[int, int, bytearray | None], None]) -> None:
        """Call fill(first block, number of blocks, cancel flag) for all blocks of a layer."""
        n_blocks, size = self._layers.shape(depth)
        entries = n_blocks * size
        if entries * len(self._layers.moves) < _QUICK:
            fill(0, n_blocks, None)
        else:

            def look(done: int, total: int) -> None:
                self._report(self._done + entries * done // total, self._total)

            run_ranges(fill, n_blocks, threads=self._threads, progress=look)
        self._done += entries


@dataclass
class Reached:
    """What a forward pass found in one layer."""

    bits: Array  # uint8: a bit an entry, 1 for a node
    n_nodes: Array  # int64, by block
    n_in_play: Array  # int64, by block: nodes in play
    statuses: Array  # int8, by node
    copies: Array | None  # uint8, by node: positions that it stands for; None without symmetry
    sums: Array | None  # by node: what was handed down
    ended: list[int] | list[float] | None  # by outcome: the sums of finished positions

    def first_nodes(self) -> Array:
        """By block: the number of nodes before it in the layer."""
        return np.cumsum(self.n_nodes) - self.n_nodes


def sweep_forward(
    layers: Layers,
    *,
    ways: Ways | None = None,
    keep_sums: bool = False,
    max_depth: int | None = None,
    max_entries: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> list[Reached]:
    """Open the layers of a root and find the positions that play leads to.

    Ends with the layer where no position is in play, at max_depth, or where the next layer would make
    more than max_entries in all: TooLargeError.
    """
    depths = range(layers.n_cells + 1)
    total = sum(layer_entries(layers, depth) for depth in depths)
    found: list[Reached] = []
    states = sums = None
    entries = 1
    with reporting(progress) as report:
        sweep = Sweep(layers, threads, report, total)
        for depth in depths:
            states, sums, reached = _reach(layers, sweep, depth, states, sums, ways, keep_sums)
            found.append(reached)
            if depth == max_depth or not reached.n_in_play.any():
                break
            if depth == layers.max_depth:
                raise too_large(layers.root, total, 2)
            if depth + 1 == layers.n_open:
                entries += layer_entries(layers, depth + 1)
                if max_entries is not None and entries > max_entries:
                    raise too_large(layers.root, total, 2)
                layers.open()
        report(total, total)
    return found


def _reach(
    layers: Layers,
    sweep: Sweep,
    depth: int,
    states_above: Array | None,
    sums_above: Array | None,
    ways: Ways | None,
    keep_sums: bool,
) -> tuple[Array, Array | None, Reached]:
    n_blocks, size = layers.shape(depth)
    n = n_blocks * size
    states, is_node = np.empty(n, np.uint8), np.empty(n, np.uint8)
    copies = np.empty(n, np.uint8) if layers.n_symmetries > 1 else None
    counts = np.empty((2, n_blocks), np.int64)
    code, multiple = (ways.code, ways.multiple) if ways else (0, 0)
    sums = ways.empty(n) if ways else None
    ended = ways.empty(3 * n_blocks) if ways else None

    def fill(first: int, number: int, cancel: bytearray | None) -> None:
        layers.forward(
            *(depth, states, states_above, is_node, counts[0], counts[1], copies),
            *(code, multiple, sums, sums_above, ended, first, number, cancel),
        )

    sweep.fill(depth, fill)
    nodes = is_node.view(np.bool_)
    statuses = states[nodes].view(np.int8) - np.int8(2)
    reached = Reached(
        bits=np.packbits(nodes, bitorder="little"),
        n_nodes=counts[0],
        n_in_play=counts[1],
        statuses=statuses,
        copies=None if copies is None else copies[nodes],
        sums=sums[nodes] if keep_sums and sums is not None else None,
        ended=None if ended is None or ways is None else _totals(ended, ways),
    )
    return states, sums, reached


def _totals(ended: Array, ways: Ways) -> list[int] | list[float]:
    """The sums over all blocks, by outcome."""
    by_outcome = ended.reshape(-1, 3, ways.items)
    if not ways.exact:
        return [math.fsum(column) for column in by_outcome[:, :, 0].T.tolist()]
    parts = [[by_outcome[:, o, i].tolist() for i in range(ways.items)] for o in range(3)]
    return [sum(sum(part) << 64 * i for i, part in enumerate(each)) for each in parts]


@dataclass
class NodeLayer:
    """The nodes of one layer, for results by node."""

    bits: Array
    first_node: Array  # int64, by block: counted from the layer's first
    first_edge: Array  # int64, by block: counted from the graph's first
    statuses: Array  # int8, by node
    start: int  # the layer's first node

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
    edge_policies: tuple[Array | None, Array | None] = (None, None)  # by side to move
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
    results = results or Results()
    chances = policies is not None and (nodes is None or results.chances is not None)
    shapes = [layers.shape(depth) for depth in range(layers.n_open)]
    total = sum(n_blocks * size for n_blocks, size in shapes)
    above = below = NO_PLANES
    with reporting(progress) as report:
        sweep = Sweep(layers, threads, report, total)
        for depth in reversed(range(layers.n_open)):
            n = shapes[depth][0] * shapes[depth][1]
            above, below = _new_planes(n, scores, ways, chances), above
            node_layer = nodes[depth] if nodes else None
            side = layers.root.turn ^ (depth & 1)
            call = _backward_call(
                *(layers, depth, above, below, ways, policies[side] if policies else 0),
                *(edge_weights[side], node_layer, results, side, nodes),
            )
            sweep.fill(depth, call)
        report(total, total)
    return above, below


def _new_planes(n: int, scores: bool, ways: Ways | None, chances: bool) -> Planes:
    numbers = [ways.empty(n) if ways and plane < ways.planes else None for plane in range(3)]
    return (
        np.empty(n, np.int8) if scores else None,
        *numbers,
        *(np.empty(n) if chances else None for _ in range(3)),
    )


def _backward_call(
    layers: Layers,
    depth: int,
    here: Planes,
    below: Planes,
    ways: Ways | None,
    policy: int,
    edge_weights: Array | None,
    node_layer: NodeLayer | None,
    results: Results,
    side: int,
    nodes: Sequence[NodeLayer] | None,
) -> Callable[[int, int, bytearray | None], None]:
    """The call of the core that fills blocks of a layer."""
    code, multiple, weight, weight_below = 0, 0, 0, 0
    if ways:
        code, multiple, weight = ways.code, ways.multiple, ways.weights[depth]
        weight_below = ways.weights[min(depth + 1, layers.n_cells)]
    columns: Any = NO_RESULTS
    node_arrays = None
    if node_layer is not None:
        node_arrays = (
            *(node_layer.bits, node_layer.first_node),
            *(node_layer.first_edge, node_layer.statuses),
        )
        ids = None
        if results.edge_children is not None and nodes and depth + 1 < layers.n_open:
            ids = number_nodes(layers, nodes[depth + 1], depth + 1)
        part = node_layer.part
        columns = (
            edge_weights,
            *(part(results.scores), part(results.quotients), part(results.ways)),
            *(part(results.chances), part(results.best), part(results.fastest)),
            *(part(results.moves), results.edge_policies[side], ids),
            *(results.edge_children if ids is not None else None, results.edge_moves),
        )

    def fill(first: int, number: int, cancel: bytearray | None) -> None:
        layers.backward(
            *(depth, here, below, code, weight, weight_below, multiple, policy),
            *(node_arrays, columns, first, number, cancel),
        )

    return fill


def number_nodes(layers: Layers, node_layer: NodeLayer, depth: int) -> Array:
    """The node of every entry of a layer: int32."""
    n_blocks, size = layers.shape(depth)
    ids = np.empty(n_blocks * size, np.int32)
    layers.number_nodes(depth, node_layer.bits, node_layer.start, ids)
    return ids

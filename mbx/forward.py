"""The pass from the root down: which positions play leads to, and in how many ways."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .layers import Layers, Sweep, fits, layer_entries, too_large, two_layers
from .ways import Array, Ways
from .work import Progress, reporting


@dataclass
class Reached:
    """What a forward pass found in one layer."""

    bits: Array  # uint8: a bit an entry, 1 for a node
    n_nodes: Array  # int64, by block
    n_in_play: Array  # int64, by block: nodes in play
    statuses: Array  # int8, by node
    copies: Array | None  # uint8, by node: positions that it stands for; None without symmetry
    sums: Array | None  # by node: what was handed down
    total: int  # all that was handed down, where it is numbers of games
    ended: list[int] | list[float] | None  # by outcome: the sums of finished positions


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

    Ends with the layer where no position is in play, at max_depth, or, with a TooLargeError, where
    the next layer would make more than max_entries in all.
    """
    depths = range(min(layers.n_cells, layers.n_cells if max_depth is None else max_depth) + 1)
    sizes = [layer_entries(layers, depth) for depth in depths]
    bytes_per_entry = 3.0 + (8 * ways.items if ways else 0)
    if max_entries is None and not fits(two_layers(sizes), bytes_per_entry):
        raise too_large(layers.root, two_layers(sizes), bytes_per_entry)
    found: list[Reached] = []
    with reporting(progress) as report:
        descent = _Descent(layers, Sweep(layers, threads, report, sum(sizes)), ways, keep_sums)
        for depth in depths:
            found.append(descent.reach(depth))
            if depth == depths[-1] or not found[-1].n_in_play.any():
                break
            if depth == layers.max_depth or (
                max_entries is not None and sum(sizes[: depth + 2]) > max_entries
            ):
                raise too_large(layers.root, sum(sizes), 2)
            layers.open_next()
        report(sum(sizes), sum(sizes))
    return found


class _Descent:
    """The dense arrays of the layer that was filled last."""

    def __init__(self, layers: Layers, sweep: Sweep, ways: Ways | None, keep_sums: bool) -> None:
        self._layers = layers
        self._sweep = sweep
        self._ways = ways
        self._keep_sums = keep_sums
        self._states: Array | None = None
        self._sums: Array | None = None

    def reach(self, depth: int) -> Reached:
        """Fill the next layer, and keep what was found in it by node."""
        n_blocks, size = self._layers.shape(depth)
        n, ways = n_blocks * size, self._ways
        above = self._states, self._sums
        states, is_node = np.empty(n, np.uint8), np.empty(n, np.uint8)
        copies = np.empty(n, np.uint8) if self._layers.n_symmetries > 1 else None
        n_nodes, n_in_play = np.empty((2, n_blocks), np.int64)
        code, multiple = (ways.code, ways.multiple) if ways else (0, 0)
        sums, ended = (ways.empty(n), ways.empty(3 * n_blocks)) if ways else (None, None)
        nodes = states, above[0], is_node, n_nodes, n_in_play, copies
        numbers = code, multiple, sums, above[1], ended

        def fill(first: int, number: int, cancel: bytearray | None) -> None:
            self._layers.forward(depth, nodes, numbers, first, number, cancel)

        self._sweep.fill(depth, fill)
        self._states, self._sums = states, sums
        chosen = is_node.view(np.bool_)
        return Reached(
            bits=np.packbits(chosen, bitorder="little"),
            n_nodes=n_nodes,
            n_in_play=n_in_play,
            statuses=states[chosen].view(np.int8) - np.int8(2),
            copies=None if copies is None else copies[chosen],
            sums=sums[chosen] if self._keep_sums and sums is not None else None,
            total=int(sums.sum()) if sums is not None and ways and not ways.multiple else 0,
            ended=_totals(ended, ways) if ended is not None and ways else None,
        )


def _totals(ended: Array, ways: Ways) -> list[int] | list[float]:
    """The sums over all blocks, by outcome."""
    by_outcome = ended.reshape(-1, 3, ways.items)
    if not ways.exact:
        return [math.fsum(column) for column in by_outcome[:, :, 0].T.tolist()]
    parts = [[by_outcome[:, o, i].tolist() for i in range(ways.items)] for o in range(3)]
    return [sum(sum(part) << 64 * i for i, part in enumerate(each)) for each in parts]

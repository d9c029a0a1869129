"""Passes over a graph whose moves are listed: sums and extrema over the edges of every node.

The edges of node i are children[start[i] : start[i + 1]]; passes go depth by depth from the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .graph import Graph, Values
from .policies import CODES, ask, check_policy, is_named, read_weights

Array = NDArray[Any]


@dataclass(frozen=True)
class Csr:
    """The moves of a graph's nodes."""

    status: Array
    depth: Array
    start: Array
    children: Array

    @cached_property
    def layers(self) -> list[tuple[Array, Array, Array]]:
        """From the root on: the nodes in play, their edges, and where each node's edges begin."""
        in_play = np.flatnonzero(self.status < 0)
        by_depth = in_play[np.argsort(self.depth[in_play], kind="stable")]
        cuts = np.cumsum(np.bincount(self.depth[in_play]))
        return [(nodes, *self._edges_of(nodes)) for nodes in np.split(by_depth, cuts)[:-1]]

    def _edges_of(self, nodes: Array) -> tuple[Array, Array]:
        lengths = self.start[nodes + 1] - self.start[nodes]
        begin = np.cumsum(lengths) - lengths
        return np.repeat(self.start[nodes] - begin, lengths) + np.arange(lengths.sum()), begin

    @cached_property
    def in_play(self) -> Array:
        """The nodes in play: those that have edges."""
        return np.flatnonzero(self.status < 0)

    def over_moves(self, reduce: np.ufunc, values: Array) -> Array:
        """Values by edge, reduced for every node in play, and given back to its edges."""
        first = self.start[self.in_play]
        lengths = self.start[self.in_play + 1] - first
        return np.repeat(reduce.reduceat(values, first), lengths)

    @cached_property
    def sources(self) -> Array:
        """The node that every edge belongs to."""
        return np.repeat(np.arange(len(self.status)), np.diff(self.start))

    def count_finished(self) -> Array:
        """For every node the games from the root that pass through it: paths before times after."""
        after = (self.status >= 0).astype(np.uint64)
        for nodes, edges, begin in reversed(self.layers):
            after[nodes] = np.add.reduceat(after[self.children[edges]], begin)
        before = np.zeros(len(self.status), np.uint64)
        before[0] = 1
        for _, edges, _ in self.layers:
            np.add.at(before, self.children[edges], before[self.sources[edges]])
        return before * after

    def judge_moves(
        self, scores: Array, value: Array, distance: Array, moves: Array, root_moves: Array
    ) -> Values:
        """The values of all nodes with the moves that keep them."""
        if len(root_moves) > 64:
            raise ValueError(f"masks hold 64 moves; the root has {len(root_moves)}")
        reached = scores[self.children]
        least = self.over_moves(np.minimum, reached) if len(reached) else reached
        bits = np.uint64(1) << np.searchsorted(root_moves, moves).astype(np.uint64)
        return Values(
            value=value,
            distance=distance,
            best_moves=self._mask(bits, np.sign(reached) == np.sign(least)),
            fastest_moves=self._mask(bits, reached == least),
            n_winning=self._count(reached < 0),
            n_drawing=self._count(reached == 0),
            n_losing=self._count(reached > 0),
            moves=root_moves,
        )

    def _mask(self, bits: Array, chosen: Array) -> Array:
        masks = np.zeros(len(self.status), np.uint64)
        if len(bits):
            masks[self.in_play] = np.bitwise_or.reduceat(
                np.where(chosen, bits, np.uint64(0)), self.start[self.in_play]
            )
        return masks

    def _count(self, chosen: Array) -> Array:
        counts = np.zeros(len(self.status), np.uint8)
        if len(chosen):
            counts[self.in_play] = np.add.reduceat(
                chosen.astype(np.uint8), self.start[self.in_play]
            )
        return counts


def score_nodes(csr: Csr) -> NDArray[np.int8]:
    """The score of every node: value and distance for the side to move (csrc/kernel/sweep.h)."""
    won = (csr.status == 0) | (csr.status == 1)
    scores = np.where(won, -_core.WON, 0).astype(np.int8)
    for nodes, edges, begin in reversed(csr.layers):
        least = np.minimum.reduceat(scores[csr.children[edges]], begin)
        scores[nodes] = -least + np.sign(least)
    return scores


# ---- policies ------------------------------------------------------------------------------------


def choose_moves(
    graph: Graph, policy: Any, name: str, csr: Csr, scores: Array
) -> NDArray[np.float64]:
    """The chances of all moves under a policy: float64 (n_edges,)."""
    check_policy(policy, name)
    if is_named(policy):
        chosen = _chosen_moves(graph, CODES[policy], csr, scores)
        return chosen / csr.over_moves(np.add, chosen) if len(chosen) else chosen
    return weights_of(graph, policy, name, csr.start, csr.status < 0)


def _chosen_moves(graph: Graph, code: int, csr: Csr, scores: Array) -> NDArray[np.float64]:
    """1 for the moves that the policy chooses among, evenly; 0 for the others."""
    if not len(csr.children) or code == _core.UNIFORM:
        return np.ones(len(csr.children))
    if code in (_core.OPTIMAL, _core.FASTEST):
        reached = scores[csr.children]
        least = csr.over_moves(np.minimum, reached)
        same = reached == least if code == _core.FASTEST else np.sign(reached) == np.sign(least)
        return same.astype(np.float64)
    mover = (graph.ply[csr.sources] & 1).astype(np.intp)
    counts = graph.counts[csr.children]
    edges = np.arange(len(counts))
    wins, losses = counts[edges, mover], counts[edges, 1 - mover]
    if code == _core.PMC_SCORE:
        wins = wins.astype(object) - losses.astype(object)
    chosen = wins == csr.over_moves(np.maximum, wins)
    if code == _core.PMC_WIN:
        worst = losses.max()
        fewest = csr.over_moves(np.minimum, np.where(chosen, losses, worst))
        chosen &= losses == fewest
    return chosen.astype(np.float64)


def weights_of(
    graph: Graph, policy: Any, name: str, start: Array, asked: Array
) -> NDArray[np.float64]:
    """The weights by edge of an array, or of a callable, at the nodes where `asked`."""
    nodes = np.flatnonzero(asked)
    if not callable(policy):
        return read_weights(policy, name, start, nodes)
    weights = np.zeros(int(start[-1]))
    for node in nodes.tolist():
        weights[start[node] : start[node + 1]] = ask(policy, graph.position(node), name)
    return weights


def play_out(graph: Graph, first: Any, second: Any, csr: Csr, scores: Array) -> NDArray[np.float64]:
    """The chances of the outcomes under two policies: float64 (n_nodes, 3)."""
    weights, counts = _weights_of_both(graph, (first, second), csr, scores)
    chances = np.zeros((len(csr.status), 3))
    over = np.flatnonzero(csr.status >= 0)
    chances[over, csr.status[over]] = 1.0
    for nodes, edges, begin in reversed(csr.layers):
        given = weights[edges, None] * chances[csr.children[edges]]
        chances[nodes] = np.add.reduceat(given, begin) / counts[nodes, None]
    return chances


def _weights_of_both(
    graph: Graph, policies: tuple[Any, Any], csr: Csr, scores: Array
) -> tuple[Array, Array]:
    """The weights of all edges, each by the policy of the side to move, and what they add up to.

    Moves of a named policy weigh 1 or 0, so that the division comes last: certain outcomes stay 1.
    """
    weights = np.zeros(len(csr.children))
    counts = np.ones(len(csr.status))
    for side, name in enumerate(("first", "second")):
        policy = policies[side]
        check_policy(policy, name)
        mine = (csr.status < 0) & ((graph.ply & 1) == side)
        edges = mine[csr.sources]
        if is_named(policy):
            chosen = _chosen_moves(graph, CODES[policy], csr, scores)
            total = np.bincount(csr.sources, chosen, len(csr.status))
            counts[mine] = total[mine]
        else:
            chosen = weights_of(graph, policy, name, csr.start, mine)
        weights[edges] = chosen[edges]
    return weights, counts

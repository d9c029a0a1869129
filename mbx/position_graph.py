"""Position graphs: a node for every position below a root, in dense layers (layers.py)."""

from __future__ import annotations

from functools import cached_property
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .backward import NodeLayer, Results, sweep_backward
from .convert import as_position
from .csr import weights_of
from .errors import TooLargeError
from .forward import sweep_forward
from .game_lengths import GameLengths, game_lengths
from .graph import Column, Edges, Graph, Values, read_only, values_of_scores
from .layers import Layers, about, fits, layer_entries, room, too_large, two_layers
from .policies import CODES, NEEDS_SCORES, NEEDS_WAYS, check_policy, is_named
from .position import Position
from .ways import Ways, count_games, count_ways
from .work import Progress

_SMALL = 2**20  # entries that may be filled to see whether a game with many cells ends early
_MAX_NODES = 2**31 - 1  # ids are int32


class PositionGraph(Graph):
    """The positions below a position, made by build_graph; a node is an int, the root is 0.

    Nodes are numbered ply by ply.  Columns, read-only, with an entry for every node:

    * status, int8: -1 playing, 0 first wins, 1 second wins, 2 draw
    * depth, uint8: plies from the root; ply, uint8: stones on the board
    * copies, uint8: with symmetry, the number of positions that the node stands for, else 1
    * keys: Position.key of every node, uint64 where the board has up to 32 cells, else Python ints
    * value, int8: the minimax value for the first side (on first access)
    * counts, (n_nodes, 3), uint64 or Python ints: of denominators[depth] equally likely ways in
      which random play goes on, those that end in each outcome (on first access)
    * probabilities, float64 (n_nodes, 3): counts / denominators, correctly rounded; where the
      denominators pass 127 bits, floats that are off by less than 1e-13
    * games_through, uint64: the games that pass through or end at the node
    """

    def __init__(
        self,
        layers: Layers,
        bits: list[Column],
        counts: list[tuple[Column, Column]],
        status: Column,
        copies: Column | None,
    ) -> None:
        """Takes over what is known of open layers.

        bits: of each layer, by entry; counts: of each layer, by block, the nodes and those of them
        in play; status and copies: by node.
        """
        self._layers = layers
        self._root = layers.root
        self._status = read_only(status)
        self._copies = None if copies is None else read_only(copies)
        self._nodes: list[NodeLayer] = []
        start = edge = 0
        for depth, (layer_bits, (n_nodes, n_in_play)) in enumerate(zip(bits, counts, strict=True)):
            n_edges = layers.open_columns(depth) * n_in_play
            ends, edge_ends = n_nodes.cumsum(), n_edges.cumsum()
            end = start + int(ends[-1])
            statuses = self._status[start:end]
            first_edge = edge + edge_ends - n_edges
            self._nodes.append(NodeLayer(layer_bits, ends - n_nodes, first_edge, statuses, start))
            start, edge = end, edge + int(edge_ends[-1])
        self._n_edges = edge

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self._root, self.symmetry, self.layer_bits, self._status, self._copies)

    # ---- what it is --------------------------------------------------------------------------

    @property
    def symmetry(self) -> bool:
        """Are positions that are images of one another one node?"""
        return self._copies is not None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._status)

    @property
    def n_edges(self) -> int:
        """Number of moves of all nodes."""
        return self._n_edges

    @property
    def layer_sizes(self) -> list[int]:
        """Number of nodes at each depth, from the root's on."""
        return [len(layer.statuses) for layer in self._nodes]

    def __repr__(self) -> str:
        merged = ", symmetry=True" if self.symmetry else ""
        return f"<PositionGraph of {self._root!r}: {self.n_nodes:,} nodes{merged}>"

    @property
    def layer_bits(self) -> list[Column]:
        """By layer: a bit for every entry of the core's layers, 1 for a node."""
        return [layer.bits for layer in self._nodes]

    @property
    def status(self) -> NDArray[np.int8]:
        """The status of every node: -1 playing, else the outcome."""
        return self._status

    @cached_property
    def depth(self) -> NDArray[np.uint8]:
        """The plies from the root to every node."""
        depths = np.arange(len(self._nodes), dtype=np.uint8)
        return read_only(np.repeat(depths, self.layer_sizes))

    @cached_property
    def copies(self) -> NDArray[np.uint8]:
        """The number of positions that every node stands for: 1 without symmetry."""
        if self._copies is not None:
            return self._copies
        return read_only(np.ones(self.n_nodes, np.uint8))

    @cached_property
    def denominators(self) -> list[int]:
        """What the counts of a node add up to, by its depth; 1 where they would pass 127 bits.

        e! with e the number of open cells where every order of them is as likely; under gravity
        L**e with L the least common multiple of 1 .. open columns.
        """
        return self._ways.weights[: len(self._nodes)]

    @cached_property
    def _ways(self) -> Ways:
        return count_ways(self._layers)

    # ---- nodes and moves ---------------------------------------------------------------------

    def position(self, node: SupportsIndex) -> Position:
        """A position of a node; with symmetry, one of those that it stands for."""
        number = self._check(node)
        depth = int(np.searchsorted([layer.start for layer in self._nodes], number, "right")) - 1
        layer = self._nodes[depth]
        in_layer = number - layer.start
        block = int(np.searchsorted(layer.first_node, in_layer, "right")) - 1
        size = self._layers.shape(depth)[1]
        nth = in_layer - int(layer.first_node[block])
        entry = block * size + int(_find_bits(layer.bits, block * size, size)[nth])
        board = self._layers.boards(depth, np.array([entry]))[0]
        return Position(self.game, board)

    def index(self, pos: Any) -> int:
        """The node of a position, or of its image; KeyError where the graph has none."""
        position = as_position(pos)
        found = self._layers.find(position)
        if found is not None:
            depth, entry = found
            layer, size = self._nodes[depth], self._layers.shape(depth)[1]
            block, rank = divmod(entry, size)
            before = _find_bits(layer.bits, block * size, rank + 1)
            if len(before) and before[-1] == rank:
                return layer.start + int(layer.first_node[block]) + len(before) - 1
        raise KeyError(f"the graph of {self._root!r} has no node for {position!r}")

    def children(self, node: SupportsIndex) -> NDArray[np.int32]:
        """The nodes that the moves of a node lead to, ascending by move."""
        position = self.position(node)
        children = []
        for move in position.legal_moves.tolist():
            position.push(move)
            children.append(self.index(position))
            position.pop()
        return np.array(children, np.int32)

    def edges(self) -> Edges:
        """All moves, as arrays: start (n_nodes + 1,), children and moves (n_edges,).

        With symmetry, moves are those of position(node); several may lead to the same node.
        """
        _refuse_beyond(self.n_edges + 2 * self.n_nodes, 8, "the edges")
        children, moves = np.empty(self.n_edges, np.int32), np.empty(self.n_edges, np.uint8)
        self._sweep(Results(edge_children=children, edge_moves=moves))
        return Edges(self._edge_start, read_only(children), read_only(moves))

    @cached_property
    def _edge_start(self) -> NDArray[np.int64]:
        n_moves = np.zeros(self.n_nodes + 1, np.int64)
        for depth, layer in enumerate(self._nodes):
            blocks = np.diff(np.append(layer.first_node, len(layer.statuses)))
            open_columns = np.repeat(self._layers.open_columns(depth), blocks)
            end = layer.start + len(layer.statuses)
            n_moves[layer.start + 1 : end + 1] = np.where(layer.statuses < 0, open_columns, 0)
        return read_only(np.cumsum(n_moves))

    @cached_property
    def keys(self) -> Column:
        """Position.key of every node: uint64, or Python ints for boards of more than 32 cells."""
        n_bits = 2 * self.game.n_cells
        narrow = n_bits <= 64
        keys: Column = np.empty(self.n_nodes, np.uint64 if narrow else object)
        for depth, layer in enumerate(self._nodes):
            boards = self._boards(depth)
            bits = np.concatenate([boards == 0, boards == 1], axis=1)
            packed = np.packbits(bits, axis=1, bitorder="little")
            if narrow:
                words = np.zeros((len(packed), 8), np.uint8)
                words[:, : packed.shape[1]] = packed
                part: Any = words.view("<u8").ravel()
            else:
                part = [int.from_bytes(row.tobytes(), "little") for row in packed]
            keys[layer.start : layer.start + len(packed)] = part
        return read_only(keys)

    def positions(self, depth: int) -> list[Position]:
        """A position of every node at a depth, as position(node) gives it."""
        return [Position(self.game, board) for board in self._boards(depth)]

    def _boards(self, depth: int) -> NDArray[np.int8]:
        """The boards of all nodes of a layer: (n, n_cells)."""
        layer, (n_blocks, size) = self._nodes[depth], self._layers.shape(depth)
        return self._layers.boards(depth, _find_bits(layer.bits, 0, n_blocks * size))

    # ---- play --------------------------------------------------------------------------------

    def _sweep(
        self,
        results: Results,
        *,
        scores: bool = False,
        ways: Ways | None = None,
        policies: tuple[int, int] | None = None,
        weights: tuple[Column | None, Column | None] = (None, None),
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        entries = [layer_entries(self._layers, depth) for depth in range(self._layers.n_open)]
        per_entry = 1 + (8 * ways.items * ways.planes if ways else 0) + (24 if policies else 0)
        _refuse_beyond(two_layers(entries), per_entry, "two layers")
        sweep_backward(
            self._layers,
            scores=scores,
            ways=ways,
            policies=policies,
            edge_weights=weights,
            nodes=self._nodes,
            results=results,
            threads=threads,
            progress=progress,
        )

    @cached_property
    def _scores(self) -> NDArray[np.int8]:
        scores = np.empty(self.n_nodes, np.int8)
        self._sweep(Results(scores=scores), scores=True)
        return read_only(scores)

    @cached_property
    def value(self) -> NDArray[np.int8]:
        """The minimax value of every node for the first side: 1 win, 0 draw, -1 loss."""
        sign = np.where(self.ply & 1, np.int8(-1), np.int8(1))
        return read_only(np.sign(self._scores) * sign)

    def values(self, *, threads: int | None = None, progress: Progress = None) -> Values:
        """What best play gives at every node: value, distance, best moves, for the side to move.

        Raises ValueError where the root has more than 64 moves: masks have no more bits.
        """
        moves = self._layers.moves
        if len(moves) > 64:
            raise ValueError(f"masks hold 64 moves; the root has {len(moves)}")
        n = self.n_nodes
        _refuse_beyond(n, 24, "the values")
        scores, counts = np.empty(n, np.int8), np.empty((n, 3), np.uint8)
        best, fastest = np.empty(n, np.uint64), np.empty(n, np.uint64)
        results = Results(scores=scores, best=best, fastest=fastest, moves=counts)
        self._sweep(results, scores=True, threads=threads, progress=progress)
        rest = self.game.n_cells - self.ply
        value, distance = values_of_scores(scores, rest)
        return Values(value, distance, best, fastest, *self._columns_of(counts), moves)

    @staticmethod
    def _columns_of(triples: Column) -> tuple[Column, Column, Column]:
        """Three contiguous columns of an array (n, 3)."""
        return triples[:, 0].copy(), triples[:, 1].copy(), triples[:, 2].copy()

    @cached_property
    def counts(self) -> Column:
        """For every node, the ways in which random play leads to each outcome: (n_nodes, 3).

        Raises OverflowError where they would pass 127 bits: see probabilities.
        """
        ways = self._ways
        if not ways.exact:
            raise OverflowError("the counts have more than 127 bits; probabilities are floats")
        _refuse_beyond(self.n_nodes, 24 * ways.items, "the counts")
        counts = np.empty((self.n_nodes, 3, ways.items), np.uint64)
        self._sweep(Results(ways=counts), ways=ways)
        if ways.items == 1:
            return read_only(counts[:, :, 0])
        return read_only(counts[:, :, 0].astype(object) + (counts[:, :, 1].astype(object) << 64))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """For every node, the chances of the outcomes under random play: float64 (n_nodes, 3)."""
        return read_only(self._random_play(None, None))

    def _random_play(self, threads: int | None, progress: Progress) -> NDArray[np.float64]:
        _refuse_beyond(self.n_nodes, 24, "the probabilities")
        quotients = np.empty((self.n_nodes, 3))
        results = Results(quotients=quotients)
        self._sweep(results, ways=self._ways, threads=threads, progress=progress)
        return quotients

    def outcomes(
        self,
        first: Any = "uniform",
        second: Any = "uniform",
        *,
        threads: int | None = None,
        progress: Progress = None,
    ) -> NDArray[np.float64]:
        """The chances of the outcomes when the sides follow policies: float64 (n_nodes, 3).

        first, second: a name ("uniform", "optimal", "optimal fastest", "pmc", "pmc score"), an
        array of chances over the edges, or a callable of a Position that returns a move or chances;
        see mbx.policies.  Uniform against uniform is exact (probabilities).

        Raises ValueError for an array or callable with symmetry: positions that are one node there
        need not be played alike.
        """
        for policy, name in ((first, "first"), (second, "second")):
            self._check_policy(policy, name)
        if is_named(first) and is_named(second) and first == second == "uniform":
            return self._random_play(threads, progress)
        _refuse_beyond(self.n_nodes, 24, "the outcomes")
        codes, weights = self._codes_and_weights(first, second)
        chances = np.empty((self.n_nodes, 3))
        self._sweep(
            Results(chances=chances),
            **self._needs(codes),
            policies=codes,
            weights=weights,
            threads=threads,
            progress=progress,
        )
        return chances

    def policy(self, policy: Any) -> NDArray[np.float64]:
        """The chances of all moves under a policy, for both sides: float64 (n_edges,)."""
        self._check_policy(policy, "policy")
        _refuse_beyond(self.n_edges, 8, "the policy")
        if not is_named(policy):
            asked = self.status < 0
            return weights_of(self, policy, "policy", self._edge_start, asked)
        code = CODES[policy]
        chosen = np.empty(self.n_edges)
        results = Results(edge_policy=chosen)
        self._sweep(results, **self._needs((code, code)), policies=(code, code))
        start = self._edge_start
        n_moves = np.diff(start)
        if self.n_edges:
            total = np.add.reduceat(chosen, start[:-1][n_moves > 0])
            chosen /= np.repeat(total, n_moves[n_moves > 0])
        return chosen

    def _check_policy(self, policy: Any, name: str) -> None:
        check_policy(policy, name)
        if self.symmetry and not is_named(policy):
            raise ValueError(
                f"{name} must be a name where symmetric positions are one node, not {policy!r}: "
                "build the graph with symmetry=False"
            )

    def _needs(self, codes: tuple[int, int]) -> dict[str, Any]:
        """What the choices of policies are made from."""
        return {
            "scores": any(code in NEEDS_SCORES for code in codes),
            "ways": self._ways if any(code in NEEDS_WAYS for code in codes) else None,
        }

    def _codes_and_weights(
        self, first: Any, second: Any
    ) -> tuple[tuple[int, int], tuple[Column | None, Column | None]]:
        codes: list[int] = []
        weights: list[Column | None] = []
        for side, (policy, name) in enumerate(((first, "first"), (second, "second"))):
            if is_named(policy):
                codes.append(CODES[policy])
                weights.append(None)
                continue
            mine = (self.status < 0) & ((self.ply & 1) == side)
            codes.append(_core.WEIGHTS)
            weights.append(weights_of(self, policy, name, self._edge_start, mine))
        return (codes[0], codes[1]), (weights[0], weights[1])

    def games(self, *, threads: int | None = None, progress: Progress = None) -> GameLengths:
        """The games from the root on, by length and outcome: numbers and chances of random play.

        Raises TooLargeError where 64 bits might not hold the numbers.
        """
        return game_lengths(self._root, len(self._nodes) - 1, threads, progress)

    @cached_property
    def games_through(self) -> NDArray[np.uint64]:
        """The number of games that pass through or end at every node: uint64.

        With symmetry, those through one of the positions that the node stands for.  Raises
        TooLargeError where 64 bits might not hold them.
        """
        ways = count_games(self._layers, len(self._nodes) - 1)
        _refuse_beyond(self.n_nodes, 32, "the numbers of games")
        after = np.empty((self.n_nodes, 3), np.uint64)
        games = Ways(ways.code, ways.dtype, 1, ways.weights, 0, n_planes=3)
        self._sweep(Results(ways=after), ways=games)
        layers = Layers(self._root, self.symmetry)
        depth = len(self._nodes) - 1
        reached = sweep_forward(layers, ways=ways, keep_sums=True, max_depth=depth)
        before = np.concatenate([each.sums for each in reached if each.sums is not None])
        return read_only(before * after.sum(axis=1))


def _count_nodes(bits: Column, n_blocks: int, size: int, statuses: Column) -> tuple[Column, Column]:
    """By block, the nodes and those of them in play; statuses begin with those of the layer.

    Raises ValueError where the bits or the statuses are not those of such blocks.
    """
    if bits.dtype != np.uint8 or bits.shape != ((n_blocks * size + 7) // 8,):
        raise ValueError("the bits of a layer have the wrong length")
    ones = np.unpackbits(bits, count=n_blocks * size, bitorder="little")
    n_nodes = ones.reshape(n_blocks, size).sum(axis=1, dtype=np.int64)
    ends = n_nodes.cumsum()
    if ends[-1] > len(statuses):
        raise ValueError("there are more nodes than statuses")
    before = np.concatenate([[0], np.cumsum(statuses[: ends[-1]] < 0)])
    return n_nodes, before[ends] - before[ends - n_nodes]


def _find_bits(bits: Column, first: int, number: int) -> Column:
    """The places of the ones among some bits, counted from the first of them: int64."""
    low = first // 8
    some = np.unpackbits(bits[low : (first + number + 7) // 8], bitorder="little")
    return np.flatnonzero(some[first - 8 * low : first - 8 * low + number])


def _refuse_beyond(number: int, bytes_each: int, what: str) -> None:
    """TooLargeError where so many entries do not fit in memory."""
    if not fits(number, bytes_each):
        raise TooLargeError(
            f"{what} need {about(number)} entries of {bytes_each} bytes; {room(bytes_each):,} fit"
        )


def restore(
    root: Position, symmetry: bool, bits: list[Column], status: Column, copies: Column | None
) -> PositionGraph:
    """The graph of nodes that were found before."""
    layers = Layers(root, symmetry)
    if status.ndim != 1 or not 1 <= len(status) <= _MAX_NODES:
        raise ValueError("status has the wrong form")
    if status[0] != root.status or not ((status >= -1) & (status <= 2)).all():
        raise ValueError("the statuses are not those of positions")
    for depth, layer_bits in enumerate(bits):  # before the tables of a layer take time and memory
        if depth > layers.max_depth or layer_bits.size * 8 < layer_entries(layers, depth):
            raise ValueError("the bits of a layer have the wrong length")
    while layers.n_open < len(bits):
        layers.open_next()
    counts, start = [], 0
    for depth, layer_bits in enumerate(bits):
        counts.append(_count_nodes(layer_bits, *layers.shape(depth), status[start:]))
        start += int(counts[-1][0].sum())
    if start != len(status) or (copies is not None and len(copies) != start):
        raise ValueError("the columns have another number of nodes than the layers")
    if counts[-1][1].any() or not counts[0][0].all():
        raise ValueError("the last layer has positions in play, or the first has none")
    return PositionGraph(layers, bits, counts, status, copies)


# ---- building ------------------------------------------------------------------------------------


def build_graph(
    pos: Any,
    symmetry: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> PositionGraph:
    """The graph of the positions below a position: a node for each, however it is reached.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  With
    symmetry=True, positions that are images of one another under the symmetries that leave the
    root as it is are one node.

    Raises TooLargeError, with an estimate, where the graph does not fit in memory; nothing is taken
    before.

    >>> import mbx
    >>> graph = mbx.build_graph(mbx.games.MARUBATSU.start())
    >>> len(graph), len(mbx.build_graph(graph.root, symmetry=True))
    (5478, 765)
    """
    root = as_position(pos)
    layers = Layers(root, bool(symmetry))
    sizes = [layer_entries(layers, depth) for depth in range(layers.n_cells + 1)]
    total = sum(sizes)
    if not fits(total, 2) or layers.max_depth < layers.n_cells:  # unless the game ends early
        sweep_forward(Layers(root, symmetry=False), max_entries=_SMALL, threads=threads)
    reached = sweep_forward(layers, max_entries=total, threads=threads, progress=progress)
    status = np.concatenate([each.statuses for each in reached])
    if len(status) > _MAX_NODES:
        raise too_large(root, len(status), 2)
    copies = np.ones(len(status), np.uint8) if symmetry else None
    if layers.n_symmetries > 1:
        copies = np.concatenate([each.copies for each in reached if each.copies is not None])
    bits = [each.bits for each in reached]
    counts = [(each.n_nodes, each.n_in_play) for each in reached]
    return PositionGraph(layers, bits, counts, status, copies)

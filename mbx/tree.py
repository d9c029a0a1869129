"""Game trees: a node for every sequence of moves, in NumPy arrays that the core fills.

A tree is the graph of a game in which nothing is merged.  Its columns have an entry a node; from
the leaves to the root the core passes over them to count the outcomes of random play and to find
the minimax values.  Other passes are sums and extrema over edges (csr.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .convert import as_position
from .csr import Csr, choose_moves, play_out, score_nodes
from .errors import TooLargeError
from .game_lengths import GameLengths, game_lengths
from .graph import Column, Edges, Graph, Values, read_only, values_of_scores
from .layers import about
from .memory import available_bytes
from .policies import is_named
from .position import Position
from .work import Progress, run_alone

Order = Literal["bf", "df"]
_MAX_DEPTHS = 256  # entries of the core's tables by depth or number of children
_MAX_NODES = 2**31 - 1  # ids are int32
_SMALL = 2**22  # nodes for which room may be reserved without counting first
_COLUMNS = {
    "parent": np.int32,
    "first_child": np.int32,
    "move": np.uint8,
    "depth": np.uint8,
    "n_children": np.uint8,
    "status": np.int8,
}
_BYTES_PER_NODE = 25  # the columns, the values and 32-bit counts


class Tree(Graph):
    """The game tree below a position, made by build_tree.

    A node is an int.  In breadth-first order ("bf") the root is 0 and the children of a node are
    neighbours; in depth-first order ("df") nodes are numbered in preorder.  In both a node's number
    is larger than its parent's, and children ascend by move.

    The columns are read-only arrays with an entry for every node:

    * parent, int32: -1 for the root
    * first_child, int32: -1 where there is none
    * move, uint8: the move that led to the node (a cell or a column); 255 at the root
    * depth, uint8: plies from the root
    * n_children, uint8
    * status, int8: -1 playing, 0 first wins, 1 second wins, 2 draw
    * value, int8: the minimax value for the first side, 1 win, 0 draw, -1 loss (on first access)
    * counts, (n_nodes, 3), uint32, uint64 or Python ints: of denominators[depth] equally likely
      ways in which random play goes on, those that end in each outcome (on first access)
    * probabilities, float64 (n_nodes, 3): counts divided by their sum (on first access)
    """

    def __init__(
        self,
        root: Position,
        order: Order,
        columns: dict[str, Column],
        decided: Column | None = None,
    ) -> None:
        """Takes over the columns; decided: the first two columns of counts, if they are known."""
        self._root = root.copy()
        self.order: Order = order
        self._columns = columns
        self._decided = decided
        for column in columns.values():
            column.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays that were pickled or copied are read-only again."""
        self.__dict__.update(state)
        for array in (*self._columns.values(), *state.values()):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._columns["parent"])

    def __repr__(self) -> str:
        return f"<Tree of {self._root!r}: {self.n_nodes:,} nodes, order {self.order!r}>"

    @cached_property
    def layer_sizes(self) -> list[int]:
        """Number of nodes at each depth, from the root's on."""
        sizes: list[int] = np.bincount(self.depth).tolist()
        return sizes

    # ---- columns ---------------------------------------------------------------------------------

    @property
    def parent(self) -> NDArray[np.int32]:
        """The parent of every node; -1 for the root."""
        return self._columns["parent"]

    @property
    def move(self) -> NDArray[np.uint8]:
        """The move that led to every node; 255 for the root."""
        return self._columns["move"]

    @property
    def depth(self) -> NDArray[np.uint8]:
        """The plies from the root to every node."""
        return self._columns["depth"]

    @property
    def n_children(self) -> NDArray[np.uint8]:
        """The number of children of every node."""
        return self._columns["n_children"]

    @property
    def status(self) -> NDArray[np.int8]:
        """The status of every node: -1 playing, else the outcome."""
        return self._columns["status"]

    @cached_property
    def first_child(self) -> NDArray[np.int32]:
        """The first child of every node; -1 where there is none."""
        if self.order == "bf":
            return self._columns["first_child"]
        following = np.arange(1, self.n_nodes + 1, dtype=np.int32)
        return read_only(np.where(self.n_children > 0, following, np.int32(-1)))

    @cached_property
    def value(self) -> NDArray[np.int8]:
        """The minimax value of every node for the first side: 1 win, 0 draw, -1 loss."""
        return read_only(self.minimax(np.tile(np.array([1, -1, 0], np.int8), (_MAX_DEPTHS, 1))))

    @cached_property
    def denominators(self) -> list[int]:
        """What the counts of a node add up to, by its depth.

        Without gravity e!, with e the number of empty cells: random play fills them in a random
        order.  Under gravity L**e with L the least common multiple of 1 .. open columns.
        """
        empty = self.game.n_cells - self._root.ply
        depths = range(len(self.layer_sizes))
        if self.game.gravity:
            return [self._column_multiple ** (empty - depth) for depth in depths]
        return [math.factorial(empty - depth) for depth in depths]

    @cached_property
    def counts(self) -> Column:
        """For every node, the ways in which random play leads to each outcome: (n_nodes, 3)."""
        counts: Column = np.empty((self.n_nodes, 3), self._count_type)
        if self._decided is None:
            self.count_below(-1, counts)
        else:
            counts[:, :2] = self._decided
            counts[:, 2] = self._total() - counts[:, 0] - counts[:, 1]
        return read_only(counts)

    def _total(self) -> Column:
        """What the counts of every node add up to."""
        return np.array(self.denominators, self._count_type)[self.depth]

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """For every node, the chances of the outcomes under random play: float64 (n_nodes, 3)."""
        quotients = self.counts.reshape(-1) / np.repeat(self._total(), 3)
        return read_only(quotients.astype(np.float64, copy=False).reshape(-1, 3))

    @property
    def child_ids(self) -> NDArray[np.int32]:
        """The nodes in breadth-first order, by their numbers in the tree's own order."""
        if self.order == "bf":
            return np.arange(self.n_nodes, dtype=np.int32)
        return self._columns["child_ids"]

    @property
    def child_offset(self) -> NDArray[np.int32]:
        """Where in child_ids the children of every node start; -1 where there are none."""
        return self._columns["first_child"]

    # ---- nodes -----------------------------------------------------------------------------------

    def children(self, node: SupportsIndex) -> NDArray[np.int32]:
        """The children of a node, ascending by move."""
        node = self._check(node)
        first = int(self._columns["first_child"][node])
        if self.n_children[node] == 0:
            return np.empty(0, np.int32)
        last = first + int(self.n_children[node])
        if self.order == "bf":
            return np.arange(first, last, dtype=np.int32)
        return self.child_ids[first:last]

    def path(self, node: SupportsIndex) -> list[int]:
        """The moves from the root to a node."""
        node = self._check(node)
        moves = []
        while node > 0:
            moves.append(int(self.move[node]))
            node = int(self.parent[node])
        return moves[::-1]

    def position(self, node: SupportsIndex) -> Position:
        """The position at a node."""
        position = self.root
        for move in self.path(node):
            position.push(move)
        return position

    def find(self, moves: Iterable[int]) -> int:
        """The node that moves lead to from the root; KeyError where they leave the tree."""
        node, path = 0, list(moves)
        for move in path:
            children = self.children(node)
            match = np.flatnonzero(self.move[children] == move)
            if not len(match):
                raise KeyError(f"no node is reached by the moves {path}: {move} is not legal")
            node = int(children[match[0]])
        return node

    def index(self, pos: Any) -> int:
        """The node that the moves of a position lead to; KeyError where they leave the tree.

        pos is a Position or an mbx.Marubatsu whose moves begin with the root's.
        """
        position = as_position(pos)
        n = len(self._root.moves)
        start = position.copy()
        for _ in position.moves[n:]:
            start.pop()
        if start != self._root:
            raise KeyError(f"the moves of {position!r} do not lead through the root of the tree")
        return self.find(position.moves[n:])

    @property
    def n_edges(self) -> int:
        """Number of moves of all nodes."""
        return self.n_nodes - 1

    def edges(self) -> Edges:
        """All moves, as arrays: start (n_nodes + 1,), children and moves (n_edges,)."""
        start = np.concatenate([[0], np.cumsum(self.n_children, dtype=np.int64)])
        if self.order == "bf":
            children = np.arange(1, self.n_nodes, dtype=np.int32)
        else:  # preorder: sorted by parent, and siblings ascend
            children = (np.argsort(self.parent[1:], kind="stable") + 1).astype(np.int32)
        return Edges(start, children, self.move[children])

    # ---- play ------------------------------------------------------------------------------------

    @cached_property
    def _csr(self) -> Csr:
        edges = self.edges()
        return Csr(self.status, self.depth, edges.start, edges.children)

    @cached_property
    def _scores(self) -> NDArray[np.int8]:
        return score_nodes(self._csr)

    def values(self) -> Values:
        """What best play gives at every node: value, distance, best moves.

        Raises ValueError where the root has more than 64 moves: masks have no more bits.
        """
        rest = self.game.n_cells - self.ply
        value, distance = values_of_scores(self._scores, rest)
        return self._csr.judge_moves(
            self._scores, value, distance, self.edges().moves, self._root.legal_moves
        )

    def policy(self, policy: Any) -> NDArray[np.float64]:
        """The chances of all moves under a policy (policies.py), for both sides: (n_edges,)."""
        return choose_moves(self, policy, "policy", self._csr, self._scores)

    def outcomes(self, first: Any = "uniform", second: Any = "uniform") -> NDArray[np.float64]:
        """The chances of the outcomes when the sides follow policies: float64 (n_nodes, 3).

        first, second: a name, an array over the edges or a callable; see mbx.policies.
        """
        if is_named(first) and is_named(second) and first == second == "uniform":
            return self.probabilities.copy()
        return play_out(self, first, second, self._csr, self._scores)

    def games(self) -> GameLengths:
        """The games from the root on, by length and outcome: numbers and chances of random play."""
        return game_lengths(self._root, len(self.layer_sizes) - 1)

    @cached_property
    def games_through(self) -> Column:
        """The number of games that pass through or end at every node: uint64."""
        return read_only(self._csr.count_finished())

    # ---- passes ----------------------------------------------------------------------------------

    @property
    def _core_columns(self) -> tuple[Column, ...]:
        return tuple(self._columns.values())

    def minimax(
        self,
        leaf_value: NDArray[np.int8],
        first: Literal["max", "min"] = "max",
        second: Literal["max", "min"] = "min",
    ) -> NDArray[np.int8]:
        """Values of all nodes from those of the finished ones: a new int8 array (n_nodes,).

        leaf_value[depth, outcome], int8, is what a finished node is worth; at every other node the
        side to move takes the largest ("max") or smallest ("min") value of the children.
        """
        values = np.empty(self.n_nodes, np.int8)
        self._minimax(-1, leaf_value, values, first, second)
        return values

    def minimax_below(
        self,
        node: SupportsIndex,
        leaf_value: NDArray[np.int8],
        out: NDArray[np.int8],
        first: Literal["max", "min"] = "max",
        second: Literal["max", "min"] = "min",
    ) -> int:
        """As minimax, depth first and for the nodes below one only; returns out[node]."""
        node = self._check(node)
        self._minimax(node, leaf_value, out, first, second)
        return int(out[node])

    def _minimax(
        self,
        node: int,
        leaf_value: NDArray[np.int8],
        out: NDArray[np.int8],
        first: str,
        second: str,
    ) -> None:
        table = np.zeros((_MAX_DEPTHS, 3), np.int8)
        table[: len(leaf_value)] = self._check_leaves(leaf_value)
        for side in (first, second):
            if side not in ("max", "min"):
                raise ValueError(f"a side takes 'max' or 'min', not {side!r}")
        takes_largest = first == "max", second == "max"
        self._run(
            lambda cancel: _core.minimax(
                self._core_columns, self._root.turn, table, *takes_largest, out, node, cancel
            )
        )

    def _run(self, pass_over: Callable[[bytearray | None], None]) -> None:
        """A pass of the core: over a large tree in a worker, so that Ctrl-C can stop it."""
        if self.n_nodes > _SMALL:
            run_alone(pass_over)
        else:
            pass_over(None)

    def _check_leaves(self, leaf_value: NDArray[np.int8]) -> NDArray[np.int8]:
        least = len(self.layer_sizes)
        if not isinstance(leaf_value, np.ndarray) or leaf_value.dtype != np.int8:
            raise TypeError(f"leaf_value must be an int8 array, not {leaf_value!r}")
        if leaf_value.ndim != 2 or leaf_value.shape[1] != 3 or len(leaf_value) < least:
            raise ValueError(
                f"leaf_value must have the shape (n, 3), n at least {least}, not {leaf_value.shape}"
            )
        return leaf_value[:_MAX_DEPTHS]

    def count_below(self, node: int, out: Column) -> None:
        """Count the outcomes again, depth first, for the nodes below one (-1: for all).

        out has the shape and type of counts and is written to; otherwise a TypeError is raised.
        """
        if not isinstance(out, np.ndarray) or out.dtype != self._count_type:
            raise TypeError(f"out must be an array of {np.dtype(self._count_type)}, not {out!r}")
        if self._count_type is object:
            self._count_with_python_ints(out)
            return
        weight = np.zeros(_MAX_DEPTHS, np.uint64)
        weight[: len(self.denominators)] = self.denominators
        factor = np.ones(_MAX_DEPTHS, np.uint64)
        for n in range(1, len(self._root.legal_moves) + 1):
            factor[n] = self._factor(n)
        self._run(
            lambda cancel: _core.count_outcomes(
                self._core_columns, weight, factor, out, node, cancel
            )
        )

    @cached_property
    def _column_multiple(self) -> int:
        return math.lcm(*range(1, len(self._root.legal_moves) + 1))

    def _factor(self, n_children: int) -> int:
        """What a child's counts are multiplied by in its parent's."""
        return self._column_multiple // n_children if self.game.gravity else 1

    @property
    def _count_type(self) -> type:
        largest = self.denominators[0]
        return np.uint32 if largest < 2**32 else np.uint64 if largest < 2**64 else object

    def _count_with_python_ints(self, out: Column) -> None:
        """The count for denominators beyond 64 bits: slow, and exact all the same."""
        for node in reversed(range(self.n_nodes)):
            if self.status[node] >= 0:
                out[node] = 0
                out[node, self.status[node]] = self.denominators[self.depth[node]]
            else:
                children = self.children(node)
                out[node] = out[children].sum(axis=0) * self._factor(len(children))


# ---- building ------------------------------------------------------------------------------------


def build_tree(pos: Any, order: Order = "bf", *, progress: Progress = None) -> Tree:
    """The game tree below a position, with a node for every sequence of moves.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  order numbers
    the nodes breadth first ("bf") or depth first ("df", preorder).

    Raises TooLargeError, with an estimate, where the tree does not fit in memory; nothing is taken
    before.

    >>> import mbx
    >>> mbx.build_tree(mbx.games.MARUBATSU.start()).layer_sizes
    [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    """
    if order not in ("bf", "df"):
        raise ValueError(f"order must be 'bf' or 'df', not {order!r}")
    root = as_position(pos)
    columns = _fill(root, progress)
    if order == "df":
        columns = to_depth_first(columns)
    return Tree(root, order, columns)


def allocate_columns(n_nodes: int) -> dict[str, Column]:
    """Uninitialised columns of a breadth-first tree."""
    return {name: np.empty(n_nodes, dtype) for name, dtype in _COLUMNS.items()}


def _fill(root: Position, progress: Progress) -> dict[str, Column]:
    if _core.tree_is_small(root) and (bound := _bound(root)) <= _SMALL:
        columns = allocate_columns(bound)
        n_nodes = _core.tree_fill(root, None, tuple(columns.values()), None)
        return {name: column[:n_nodes] for name, column in columns.items()}
    limit = _refuse_too_large(root)
    at_depth = run_alone(lambda cancel: _core.tree_count(root, limit, cancel), progress)
    columns = allocate_columns(int(at_depth.sum()))
    run_alone(
        lambda cancel: _core.tree_fill(root, at_depth, tuple(columns.values()), cancel), progress
    )
    return columns


def to_depth_first(columns: dict[str, Column]) -> dict[str, Column]:
    """The columns of the same tree in depth-first order."""
    n_nodes = len(columns["parent"])
    renumbered = allocate_columns(n_nodes) | {"child_ids": np.empty(n_nodes, np.int32)}
    run_alone(
        lambda cancel: _core.tree_to_depth_first(
            tuple(columns.values()), tuple(renumbered.values()), cancel
        )
    )
    return renumbered


def _bound(root: Position) -> int:
    """At least the number of nodes: the sequences of moves if no line ended a game.

    The exponential generating function of the sequences is the product, over the columns, of the
    sums of t^j/j! up to the column's empty cells; without gravity a cell is a column of its own.
    """
    capacity = np.zeros(root.game.n_moves, np.int64)
    empty = np.flatnonzero(root.to_array().ravel() < 0)
    np.add.at(capacity, empty % root.game.n_moves, 1)
    from fractions import Fraction

    series = [Fraction(1)]
    for n in capacity.tolist():
        product = [Fraction(0)] * (len(series) + n)
        for i, coefficient in enumerate(series):
            for j in range(n + 1):
                product[i + j] += coefficient / math.factorial(j)
        series = product
    return sum(int(c * math.factorial(length)) for length, c in enumerate(series))


def _estimate(root: Position, probes: int = 400) -> int:
    """An unbiased estimate of the number of nodes (Knuth, Estimating the efficiency of backtrack
    programs, 1975): the mean over random games of the products of the numbers of moves."""
    import random

    rng = random.Random(0)
    total = 0
    for _ in range(probes):
        position, width = root.copy(), 1
        total += width
        while len(moves := position.legal_moves):
            width *= len(moves)
            total += width
            position.push(int(rng.choice(moves)))
    return total // probes


def _refuse_too_large(root: Position) -> int:
    """The largest number of nodes that fits; TooLargeError where the tree has clearly more."""
    limit = min(_MAX_NODES, int(0.8 * available_bytes()) // _BYTES_PER_NODE)
    estimate = _estimate(root)
    if estimate > limit:
        raise TooLargeError(
            f"the tree has about {about(estimate)} nodes "
            f"({about(estimate * _BYTES_PER_NODE)} bytes); at most {limit:,} nodes fit"
        )
    return limit

"""What all graphs of a game have in common: positions or sequences of moves, ply by ply.

A graph is a tree, made by build_tree (tree.py): a node for every sequence of moves; or a position
graph, made by build_graph (position_graph.py): a node for every position.  Both answer the same
questions about play, in one pass from the end to the root.
"""

from __future__ import annotations

import operator
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .position import Position

if TYPE_CHECKING:
    from .game_lengths import GameLengths

Column = NDArray[Any]


class Edges(NamedTuple):
    """The moves of a graph, node after node, those of a node ascending by move.

    Those of node i are children[start[i] : start[i + 1]] and moves[start[i] : start[i + 1]].
    """

    start: NDArray[np.int64]  # (n_nodes + 1,)
    children: NDArray[np.int32]  # (n_edges,)
    moves: NDArray[np.uint8]  # (n_edges,)


@dataclass(frozen=True)
class Values:
    """What best play gives at every node, for the side to move there; arrays (n_nodes,).

    Bit i of a mask stands for moves[i].  At finished nodes the masks and numbers of moves are 0,
    the distance is 0, and the value is -1 where the game is won: the side to move has lost.
    """

    value: NDArray[np.int8]  # 1 win, 0 draw, -1 loss
    distance: NDArray[np.uint8]  # plies to the end: the soonest win, the latest loss
    best_moves: NDArray[np.uint64]  # the moves that keep the value
    fastest_moves: NDArray[np.uint64]  # of these, those that keep the distance too
    n_winning: NDArray[np.uint8]  # number of moves that win
    n_drawing: NDArray[np.uint8]
    n_losing: NDArray[np.uint8]
    moves: NDArray[np.int32]  # the moves of the root, ascending

    def __repr__(self) -> str:
        return f"<Values of {len(self.value):,} nodes>"


class Graph(ABC):
    """A graph of a game below a position: made by build_tree or build_graph.

    A node is an int; the root is 0, and a node's number is larger than its parents'.  Columns are
    read-only arrays with an entry a node: status, depth (plies from the root), ply, value,
    probabilities, counts; edges() are its moves.
    """

    _root: Position

    # ---- what it is --------------------------------------------------------------------------

    @property
    def root(self) -> Position:
        """A copy of the position at the root."""
        return self._root.copy()

    @property
    def game(self) -> _core.Game:
        """The game that is played."""
        return self._root.game

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """Number of nodes."""

    @property
    @abstractmethod
    def n_edges(self) -> int:
        """Number of moves of all nodes."""

    def __len__(self) -> int:
        return self.n_nodes

    @property
    @abstractmethod
    def layer_sizes(self) -> list[int]:
        """Number of nodes at each depth, from the root's on."""

    @property
    @abstractmethod
    def status(self) -> NDArray[np.int8]:
        """The status of every node: -1 playing, else the outcome."""

    @property
    @abstractmethod
    def depth(self) -> NDArray[np.uint8]:
        """The plies from the root to every node."""

    @cached_property
    def ply(self) -> NDArray[np.uint8]:
        """The stones on the board of every node."""
        return read_only(self.depth + np.uint8(self._root.ply))

    @property
    @abstractmethod
    def denominators(self) -> list[int]:
        """What the counts of a node add up to, by its depth."""

    # ---- nodes and moves ---------------------------------------------------------------------

    def _check(self, node: SupportsIndex) -> int:
        try:
            number = operator.index(node)
        except TypeError:
            raise TypeError(f"node must be an int, not {node!r}") from None
        if not 0 <= number < self.n_nodes:
            raise IndexError(f"node must be from 0 to {self.n_nodes - 1}, not {node!r}")
        return number

    @abstractmethod
    def position(self, node: SupportsIndex) -> Position:
        """The position at a node."""

    @abstractmethod
    def index(self, pos: Any) -> int:
        """The node of a position; KeyError where the graph has none."""

    @abstractmethod
    def children(self, node: SupportsIndex) -> NDArray[np.int32]:
        """The nodes that the moves of a node lead to, ascending by move."""

    @abstractmethod
    def edges(self) -> Edges:
        """All moves, as arrays: start (n_nodes + 1,), children and moves (n_edges,)."""

    # ---- play --------------------------------------------------------------------------------

    @property
    @abstractmethod
    def value(self) -> NDArray[np.int8]:
        """The minimax value of every node for the first side: 1 win, 0 draw, -1 loss."""

    @property
    @abstractmethod
    def counts(self) -> Column:
        """The equally likely ways in which random play goes on from every node, by outcome."""

    @property
    @abstractmethod
    def probabilities(self) -> NDArray[np.float64]:
        """The chances of the outcomes of random play from every node: (n_nodes, 3)."""

    @abstractmethod
    def values(self) -> Values:
        """What best play gives at every node: value, distance, best moves."""

    @abstractmethod
    def policy(self, policy: Any) -> NDArray[np.float64]:
        """The chances of all moves under a policy, for both sides: float64 (n_edges,)."""

    @abstractmethod
    def outcomes(self, first: Any = "uniform", second: Any = "uniform") -> NDArray[np.float64]:
        """The chances of the outcomes when the sides follow policies: float64 (n_nodes, 3)."""

    @abstractmethod
    def games(self) -> GameLengths:
        """The games from the root on, by length and outcome: numbers and chances of random play."""

    @property
    @abstractmethod
    def games_through(self) -> Column:
        """The number of games that pass through or end at every node: uint64 or Python ints."""

    # ---- files -------------------------------------------------------------------------------

    def save(
        self,
        path: str | os.PathLike[str],
        columns: dict[str, Column] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Write the graph to a file, with further columns (an entry a node) and metadata for JSON.

        What was computed is saved too.  The file is checksummed and takes its place only when it is
        complete: an error leaves the old one.
        """
        from .graph_file import save_graph

        save_graph(self, path, columns or {}, metadata or {})

    @staticmethod
    def load(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Column], dict[str, Any]]:
        """The graph of a file, with the columns and metadata that it was saved with.

        Raises ValueError for a file that is damaged, of another kind or of a newer version.
        Nothing in the file is ever executed.  Large columns of a position graph are mapped from the
        file: they take memory as they are read, and the file must stay as it is (save, which
        replaces it, does no harm).
        """
        from .graph_file import load_graph

        return load_graph(path)


def read_only(array: Column) -> Column:
    """The array, made read-only."""
    array.flags.writeable = False
    return array


def values_of_scores(scores: NDArray[np.int8], rest: Column) -> tuple[Column, Column]:
    """Value and distance from scores; rest: open cells by node, the plies to a draw."""
    distance = np.where(scores == 0, rest, _core.WON - np.abs(scores)).astype(np.uint8)
    return np.sign(scores), distance

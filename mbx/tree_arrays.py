"""A whole search tree as arrays."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .position import Position
from .work import read_count

_NAMES = (
    "parent",
    "first_child",
    "n_children",
    "move",
    "depth",
    "visits",
    "sums",
    "lower",
    "upper",
    "priors",
)


class SearchTree:
    """The nodes of a search tree as read-only arrays with N entries; node 0 is the root.

    Parents come before their children, which stand one after the other, ascending by move; the
    unvisited moves of a node that has edges are nodes too.

    parent        int32: -1 of the root
    first_child   int32: -1 where no move was made yet
    n_children    int32
    move          int32: that leads to the node, -1 of the root
    depth         int32: plies below the root
    visits        int64
    sums          float64: rewards of the side that moved there, over all playouts; 0 of the root;
                  `values` has their means
    lower, upper  int8: what the move is worth to that side at least and at most, -1, 0, 1
    priors        float32 with an evaluator, else None

    >>> import mbx
    >>> search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1)
    >>> result = search.run(9)
    >>> search.tree().visits
    array([9, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """

    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    move: NDArray[np.int32]
    depth: NDArray[np.int32]
    visits: NDArray[np.int64]
    sums: NDArray[np.float64]
    lower: NDArray[np.int8]
    upper: NDArray[np.int8]
    priors: NDArray[np.float32] | None

    def __init__(self, root: Position, playouts: int, *columns: Any) -> None:
        self.root, self.playouts = root, playouts
        for name, column in zip(_NAMES, columns, strict=True):
            if column is not None:
                column.flags.writeable = False
            setattr(self, name, column)

    @property
    def n_nodes(self) -> int:
        """N."""
        return len(self.parent)

    @property
    def values(self) -> NDArray[np.float64]:
        """float64 (N,): mean rewards of the side that moved there; nan where there is none."""
        values = np.full(self.n_nodes, np.nan)
        np.divide(self.sums, self.visits * self.playouts, out=values, where=self.visits > 0)
        values[0] = np.nan
        return values

    def moves_to(self, node: int) -> list[int]:
        """The moves from the root to a node."""
        moves = []
        while node > 0:
            moves.append(int(self.move[node]))
            node = int(self.parent[node])
        return moves[::-1]

    def position(self, node: int) -> Position:
        """The position of a node."""
        position = self.root.copy()
        for move in self.moves_to(node):
            position.push(move)
        return position

    def svg(self, plies: SupportsIndex = 2, most: SupportsIndex = 3) -> str:
        """The first plies as a picture: at each node the `most` visited moves.

        Raises ValueError for numbers below 1, and where more than 500 boards were to be drawn.
        """
        from .search_tree_svg import search_tree_svg

        return search_tree_svg(self, read_count(plies, "plies", 1), read_count(most, "most", 1))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<SearchTree of {self.n_nodes:,} nodes>"

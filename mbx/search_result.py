"""What a tree search found: statistics of every move at the root, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .position import Position
from .svg import position_title
from .tables import html_table, text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROVEN = {-1: "loss", 0: "draw", 1: "win"}


@dataclass(frozen=True, eq=False)
class Recording:
    """The moves at the root after about 1, 2, 4, … simulations, and at the end: S times M moves.

    simulations  int64 (S,): how many had been run, of all trees together
    visits       int64 (S, M)
    values       float64 (S, M): mean rewards; nan where unvisited
    """

    simulations: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult:
    """The result of a tree search, for the side to move at its root; M legal moves.

    start            the root (a copy)
    move             int: the chosen move
    value            float: what that move is worth to the side that makes it, an expected score: a
                     win 1, a loss 0, a draw the search's draw_value; of a proven root the exact one
    moves            int32 (M,): the legal moves, in the caller's order
    visits           int64 (M,): simulations that went through each
    values           float64 (M,): the mean rewards of these, for the side to move; exact where the
                     move is proven, nan where it was not visited
    standard_errors  float64 (M,): of the means; 0 where proven, nan with fewer than two simulations
    lower, upper     int8 (M,): what each move is worth at least and at most: -1, 0, 1
    variation        list of int: the chosen move and what the search thinks follows
    simulations      int: run since the tree began, those that `advance` kept included
    playouts         int: a leaf, 0 with an evaluator
    nodes            int: of the tree: visited ones and the root
    depth            int: plies of the longest simulation
    seconds          float: of wall time of this run
    stop             "simulations", "time", "proven", or "nodes": the tree is full
    seed             int: repeats the search
    draw_value       float: what a draw counts in value and values
    recording        Recording: the same statistics on the way

    >>> import mbx
    >>> position = mbx.games.MARUBATSU.from_text("oxo/xo./x..")
    >>> result = mbx.mcts(position, 100, seed=1, solver=True)
    >>> result.title
    '3×3, 3 in a row: o to move: move 8, value 1.000 (a proven win)'
    >>> result.moves, result.lower, result.upper
    (array([5, 7, 8], dtype=int32), array([-1, -1,  1], dtype=int8), array([1, 1, 1], dtype=int8))
    """

    start: Position
    move: int
    value: float
    moves: NDArray[np.int32]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    lower: NDArray[np.int8]
    upper: NDArray[np.int8]
    variation: list[int]
    simulations: int
    playouts: int
    nodes: int
    depth: int
    seconds: float
    stop: str
    seed: int
    draw_value: float
    recording: Recording

    @property
    def perspective(self) -> int:
        """0 or 1: the side that value and values are for, the one to move at the root."""
        return self.start.turn

    @property
    def proven(self) -> bool:
        """Is the value of the root known?"""
        return bool(self.lower.max() == self.upper.max())

    @property
    def title(self) -> str:
        """The game, the position and the chosen move in a few words."""
        text = f"move {self.move}, value {self.value:.3f}"
        known = f" (a proven {PROVEN[int(self.lower.max())]})" if self.proven else ""
        return f"{position_title(self.start)}: {text}{known}"

    @property
    def _note(self) -> str:
        leaf = f" of {self.playouts:,} playouts" if self.playouts > 1 else ""
        return (
            f"{self.simulations:,} simulations{leaf}, {self.nodes:,} nodes, depth {self.depth}, "
            f"{self.seconds:.3g} s; expected: {' '.join(map(str, self.variation))}"
        )

    def _rows(self) -> list[list[str]]:
        rows = [["move", "visits", "value", "error", "proven"]]
        columns = (self.moves, self.visits, self.values, self.standard_errors)
        bounds = zip(self.lower.tolist(), self.upper.tolist(), strict=True)
        table = zip(*(column.tolist() for column in columns), bounds, strict=True)
        for move, visits, value, error, (lower, upper) in table:
            known = PROVEN[lower] if lower == upper else ""
            rows.append([str(move), f"{visits:,}", _number(value), _number(error), known])
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._rows()), "", self._note])

    def __repr__(self) -> str:
        return f"<SearchResult: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._rows(), [self._note])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Visits as bars and values with their standard errors as points, by move; returns ax.

        Of many moves, those with the most visits.
        """
        from .search_plots import plot_moves

        return plot_moves(self, ax)

    def plot_convergence(self, ax: Axes | None = None, truth: bool = True) -> Axes:
        """The values of the moves over the simulations, beside what they are worth; returns ax.

        truth: moves that win, draw and lose under best play are green, grey and red, with dashed
        lines where their values would be then; left out where `solve` needs more than a second.
        """
        from .search_plots import plot_convergence

        return plot_convergence(self, ax, truth)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"

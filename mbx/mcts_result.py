"""What a tree search found: statistics of every move at the root, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .search_result import PROVEN, SearchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MctsResult(SearchResult):
    """The result of `mcts`, for the side to move at the root; M legal moves.

    The fields of every SearchResult; of these
    value            float: an expected score: a win 1, a loss 0, a draw the search's draw_value; of
                     a proven root the exact one
    values           float64 (M,): the mean rewards of the moves; exact where the move is proven,
                     nan where it was not visited
    nodes            int: of the tree: visited ones and the root
    depth            int: plies of the longest simulation
    stop             "simulations", "time", "proven", or "nodes": the tree is full
    and besides
    visits           int64 (M,): simulations that went through each move
    standard_errors  float64 (M,): of the means; 0 where proven, nan with fewer than two simulations
    simulations      int: run since the tree began, those that `advance` kept included
    playouts         int: a leaf, 0 with an evaluator
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

    visits: NDArray[np.int64]
    standard_errors: NDArray[np.float64]
    simulations: int
    playouts: int
    seed: int
    draw_value: float
    recording: Recording

    @property
    def _worth(self) -> str:
        return f"value {self.value:.3f}{self._proven_as}"

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

    def plot(self, ax: Axes | None = None) -> Axes:
        """Visits as bars and values with their standard errors as points, by move; returns ax.

        Of many moves, those with the most visits.
        """
        from .mcts_plots import plot_moves

        return plot_moves(self, ax)

    def plot_convergence(self, ax: Axes | None = None, truth: bool = True) -> Axes:
        """The values of the moves over the simulations, beside what they are worth; returns ax.

        truth: moves that win, draw and lose under best play are green, grey and red, with dashed
        lines where their values would be then; left out where `solve` needs more than a second.
        """
        from .mcts_plots import plot_convergence

        return plot_convergence(self, ax, truth)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"

"""What a tree search found: statistics of every move at the root, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .position import Position
from .svg import position_title
from .tables import html_table, text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {-1: "loss", 0: "draw", 1: "win"}


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
    recording        Recording: the same statistics on the way
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
        known = f" (a proven {_NAMES[int(self.lower.max())]})" if self.proven else ""
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
            known = _NAMES[lower] if lower == upper else ""
            rows.append([str(move), f"{visits:,}", _number(value), _number(error), known])
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._rows()), "", self._note])

    def __repr__(self) -> str:
        return f"<SearchResult: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._rows(), [self._note])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Visits as bars and values with their standard errors as points, by move; returns ax."""
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        places = np.arange(len(self.moves))
        chosen = self.moves == self.move
        colours = np.where(chosen, "#1f5fae", "#a9c1e0").tolist()
        ax.bar(places, self.visits, color=colours)
        ax.set_xticks(places, [str(move) for move in self.moves.tolist()])
        ax.set_xlabel("move")
        ax.set_ylabel("visits")
        values = ax.twinx()
        values.errorbar(places, self.values, self.standard_errors, fmt="o", color="#c9431f")
        values.set_ylim(-0.02, 1.02)
        values.set_ylabel("value for the side to move", color="#c9431f")
        ax.set_title(f"{self.simulations:,} simulations")
        return ax

    def plot_convergence(self, ax: Axes | None = None, truth: bool = True) -> Axes:
        """The values of the moves over the simulations, with the exact ones where they can be had.

        truth: dashed lines at what each move is worth under best play, as `solve` knows it within
        a second.  Returns ax.
        """
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        record = self.recording
        exact = exact_scores(self) if truth else None
        order = np.argsort(-self.visits, kind="stable")[:10]
        for row in order.tolist():
            label = f"move {self.moves[row]}"
            (line,) = ax.plot(record.simulations, record.values[:, row], marker=".", label=label)
            if exact is not None:
                ax.axhline(exact[row], color=line.get_color(), linestyle="--", linewidth=1)
        ax.set_xscale("log")
        ax.set_ylim(-0.02, 1.02)
        ax.set_xlabel("simulations")
        ax.set_ylabel("value for the side to move")
        ax.set_title("MCTS against the truth" if exact is not None else "MCTS")
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small", ncols=2)
        return ax


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4f}"


def exact_scores(result: SearchResult) -> NDArray[np.float64] | None:
    """What each move is worth under best play (1, 1/2, 0), or None where that takes too long."""
    from .solve import solve

    solved: Any = solve(result.start, scores=True, timelimit=1.0)
    values = solved.move_values
    if values is None:
        return None
    rows = np.searchsorted(solved.moves, result.moves)
    exact: NDArray[np.float64] = (values[rows] + 1) / 2
    return exact

"""What each step from minimax to MTD(f) saves: `compare_searches`."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .alpha_beta import AlphaBeta
from .alpha_beta_result import score_in_words
from .choosing import check_goes_on
from .convert import as_position
from .position import Position
from .svg import position_title
from .tables import html_table, text_table
from .work import Progress, read_count, read_timelimit, reporting, run_alone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEPTH = 4  # where nothing is said
SECONDS = 10.0  # for a step
LIKELY = ("forced", "gain")  # orders of moves that need no search before
PLAIN: dict[str, Any] = {"ordering": False, "table": None, "symmetry": False, "deepen": False}

#: The steps, and the options of each: those of the last step, and what is new.
STEPS: dict[str, dict[str, Any]] = {
    "minimax": {**PLAIN, "algorithm": "minimax"},
    "alpha-beta": {**PLAIN, "algorithm": "alphabeta"},
    "+ likely moves first": {**PLAIN, "algorithm": "alphabeta", "ordering": LIKELY},
    "+ depth by depth": {"algorithm": "alphabeta", "table": None, "symmetry": False},
    "+ table": {"algorithm": "alphabeta", "symmetry": False},
    "+ symmetry": {"algorithm": "alphabeta"},
    "scout": {"algorithm": "scout"},
    "PVS": {"algorithm": "pvs"},
    "MTD(f)": {"algorithm": "mtdf"},
}


@dataclass(frozen=True, eq=False, repr=False)
class SearchComparison:
    """The result of `compare_searches`: S steps.

    start    the position (a copy)
    depth    int: plies
    names    list of str (S,): "minimax"; "alpha-beta" in the order of the moves; "+ likely moves
             first": those that complete or block a line, or gain most; "+ depth by depth":
             iterative deepening, whose shorter searches tell killers and history; "+ table" of the
             positions searched before; "+ symmetry" of the moves at the root; then with all of
             these "scout", "PVS", "MTD(f)"
    values   int64 (S,): the value for the side to move, the same in all
    moves    int64 (S,): the chosen ones, which may differ among equals
    nodes    int64 (S,): positions visited
    seconds  float64 (S,): of wall time
    is_done  bool (S,): False where the time was over before: nodes and seconds until then, no value

    >>> import mbx
    >>> comparison = mbx.compare_searches(mbx.games.MARUBATSU.start(), 9)
    >>> comparison.title
    '3×3, 3 in a row: o to move, depth 9: 0'
    >>> dict(zip(comparison.names, comparison.nodes.tolist()))["minimax"]
    549946
    """

    start: Position
    depth: int
    names: list[str]
    values: NDArray[np.int64]
    moves: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float64]
    is_done: NDArray[np.bool_]

    @property
    def title(self) -> str:
        """What was searched, and what came of it."""
        found = self.values[self.is_done]
        worth = f": {score_in_words(int(found[0]))}" if found.size else ""
        return f"{position_title(self.start)}, depth {self.depth}{worth}"

    def _rows(self) -> list[list[str]]:
        rows = [["search", "nodes", "share", "seconds", "nodes/s"]]
        for i, name in enumerate(self.names):
            nodes, seconds = int(self.nodes[i]), float(self.seconds[i])
            more = "" if self.is_done[i] else "> "
            share = f"{nodes / self.nodes[0]:.3%}" if self.is_done[0] and self.is_done[i] else ""
            rate = f"{nodes / max(seconds, 1e-9) / 1e6:.1f} M"
            rows.append([name, f"{more}{nodes:,}", share, f"{more}{seconds:.3g}", rate])
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._rows())])

    def __repr__(self) -> str:
        return f"<SearchComparison: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """The nodes of every step, on a logarithmic axis, with its seconds; returns ax."""
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        places = np.arange(len(self.names))
        colours = ["#1f5fae" if done else "#d0d7e2" for done in self.is_done.tolist()]
        ax.barh(places, self.nodes, color=colours)
        for place, row in zip(places.tolist(), self._rows()[1:], strict=True):
            ax.annotate(
                f"{row[1]}  ({row[3]} s)",
                (self.nodes[place], place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
            )
        ax.set_xscale("log")
        ax.set_xlim(max(self.nodes.min() / 3, 1), self.nodes.max() * 30)
        ax.set_yticks(places, self.names)
        ax.invert_yaxis()
        ax.set_xlabel("positions visited")
        ax.set_title(self.title)
        return ax


def compare_searches(
    pos: Any,
    depth: SupportsIndex = DEPTH,
    *,
    timelimit: float | None = SECONDS,
    progress: Progress = None,
    **options: Any,
) -> SearchComparison:
    """Search a position to a depth by minimax, and then with one improvement after the other.

    All find the same value: see how many positions each visits.  The result prints as a table and
    has a `plot`.  timelimit, in seconds (None: no limit), is for every step: minimax grows fast.
    options: evaluation ("lines", "threats"), weights, threats and extend, as of `AlphaBeta`.

    Raises GameOverError for a finished position, TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> comparison = mbx.compare_searches(mbx.games.RITTAI_GOMOKU.start(), 4)
    >>> int(comparison.nodes[0]), bool((comparison.nodes[2:] * 50 < comparison.nodes[0]).all())
    (406901, True)
    """
    position = as_position(pos)
    check_goes_on(position)
    plies = min(read_count(depth, "depth", 1), position.game.n_cells - position.ply)
    seconds = read_timelimit(timelimit)
    if unknown := options.keys() - {"evaluation", "weights", "threats", "extend"}:
        allowed = "evaluation, weights, threats and extend"
        raise TypeError(f"{min(unknown)!r} is no option of compare_searches, but {allowed} are")
    if callable(options.get("evaluation")):
        raise TypeError("evaluation must be a name, not a function, which would be what is timed")
    rows = []
    with reporting(progress) as report:
        for step in STEPS.values():
            search = AlphaBeta(position.game, **step, **options)
            rows.append(_time(search, position, plies, seconds))
            report(len(rows), len(STEPS))
    values, moves, nodes, times, is_done = zip(*rows, strict=True)
    return SearchComparison(
        start=position,
        depth=plies,
        names=list(STEPS),
        values=np.array(values, np.int64),
        moves=np.array(moves, np.int64),
        nodes=np.array(nodes, np.int64),
        seconds=np.array(times),
        is_done=np.array(is_done),
    )


def _time(
    search: AlphaBeta, position: Position, depth: int, timelimit: float
) -> tuple[int, int, int, float, bool]:
    """Value, move, nodes and seconds of a search, and was it done in time?"""
    start = perf_counter()
    result = run_alone(
        lambda cancel: search.search_here(position, depth, False, cancel), timelimit=timelimit
    )
    seconds = perf_counter() - start
    if result is None:
        return 0, -1, search.nodes, seconds, False
    return result.value, result.move, result.nodes, seconds, True

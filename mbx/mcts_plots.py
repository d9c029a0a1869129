"""The pictures of a tree search's result, as plots.py draws those of a convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .drawing import axes_or_new
from .mcts_result import MctsResult
from .search_result import PROVEN
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = 25  # moves shown with their visits at most
LINES = 10  # moves shown over the simulations at most
SECONDS = 1.0  # for the truth
CHOSEN, OTHER, VALUE = "#1f5fae", "#a9c1e0", "#c9431f"
SHADES = {1: "Greens", 0: "Greys", -1: "Reds"}  # of moves that win, draw, lose


def plot_moves(result: MctsResult, ax: Axes | None = None) -> Axes:
    """Visits as bars, and on an axis of their own values with their standard errors."""
    ax = axes_or_new(ax)
    shown = np.sort(_most_visited(result, BARS))
    moves, places = result.moves[shown], np.arange(len(shown))
    colours = [CHOSEN if move == result.move else OTHER for move in moves.tolist()]
    ax.bar(places, result.visits[shown], color=colours)
    ax.set_xticks(places, [str(move) for move in moves.tolist()], rotation=_rotation(shown))
    ax.set_xlabel(_which(result, shown))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylabel("visits", color=CHOSEN)
    values = ax.twinx()
    values.errorbar(
        places,
        result.values[shown],
        result.standard_errors[shown],
        fmt="o",
        color=VALUE,
        markeredgecolor="white",
        capsize=3,
    )
    values.set_ylim(-0.03, 1.03)
    values.set_ylabel(f"value for {_mover(result)}", color=VALUE)
    ax.set_title(f"{result.simulations:,} simulations: move {result.move}")
    return ax


def plot_convergence(result: MctsResult, ax: Axes | None = None, truth: bool = True) -> Axes:
    """The values of the moves over the simulations, and what they are worth under best play."""
    ax = axes_or_new(ax)
    record = result.recording
    worth = exact_worth(result) if truth else None
    shown = _most_visited(result, LINES)
    for row, colour in zip(shown.tolist(), _colours(shown, worth), strict=True):
        label = str(result.moves[row])
        if worth is not None:
            label += f" ({PROVEN[int(worth[row])]})"
        ax.plot(record.simulations, record.values[:, row], ".-", color=colour, lw=1.2, label=label)
    for each in [] if worth is None else np.unique(worth).tolist():
        value = {1: 1.0, 0: result.draw_value, -1: 0.0}[each]
        ax.axhline(value, color=_shades(each, 1)[0], ls="--", lw=1, zorder=1)
    if record.simulations.any():
        ax.set_xscale("log")
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlabel("simulations")
    ax.set_ylabel(f"value for {_mover(result)}")
    ax.set_title("MCTS against the truth" if worth is not None else "MCTS")
    ax.grid(alpha=0.3)
    ax.legend(
        title=_which(result, shown), loc="center left", bbox_to_anchor=(1, 0.5), frameon=False
    )
    return ax


def exact_worth(result: MctsResult) -> NDArray[np.int32] | None:
    """What each move is worth under best play: 1, 0, -1; None where that takes too long."""
    solved = solve(result.start, scores=True, timelimit=SECONDS)
    if solved.moves is None or solved.move_values is None:
        return None
    worth: NDArray[np.int32] = solved.move_values[np.searchsorted(solved.moves, result.moves)]
    return worth


def _most_visited(result: MctsResult, most: int) -> NDArray[np.int64]:
    """The indices of the chosen move and of those with the most visits, in this order."""
    order: NDArray[np.int64] = np.lexsort((-result.visits, result.moves != result.move))
    return order[:most]


def _which(result: MctsResult, shown: NDArray[np.int64]) -> str:
    some, every = len(shown), len(result.moves)
    return "move" if some == every else f"move ({some} of {every})"


def _rotation(shown: NDArray[np.int64]) -> int:
    return 90 if len(shown) > 15 else 0


def _mover(result: MctsResult) -> str:
    return "ox"[result.perspective]


def _colours(shown: NDArray[np.int64], worth: NDArray[np.int32] | None) -> list[Any]:
    """A colour for each move shown: of its worth's shades the darker, the more visits it has."""
    if worth is None:
        return [f"C{i}" for i in range(len(shown))]
    colours: list[Any] = [None] * len(shown)
    for each in SHADES:
        places = np.flatnonzero(worth[shown] == each).tolist()
        for place, colour in zip(places, _shades(each, len(places)), strict=True):
            colours[place] = colour
    return colours


def _shades(worth: int, n: int) -> list[Any]:
    """So many colours for moves of one worth, the darkest first."""
    from matplotlib import colormaps

    return list(colormaps[SHADES[worth]](np.linspace(0.95, 0.45, n)))

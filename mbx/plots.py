"""The pictures of a convergence. matplotlib is imported when the first picture is drawn.

Each function takes axes to draw on and returns them. Without axes it makes a new figure with
pyplot, as one expects in a notebook; with axes pyplot is never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .converge import Z95, Convergence
from .drawing import SIZE, axes_or_new, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEASURED, THEORY = "#c9431f", "#1f5fae"
MAX_GROUPS = 8  # groups of moves drawn in the picture of the shares
MAX_NAMED = 4  # moves of a group named in its legend
EVENTS = ("won by o", "won by x", "drawn")


def notebook_figure(result: Convergence) -> Figure:
    """Both pictures on a figure of pyplot, closed there: as a cell's value it shows once."""
    plt = pyplot()
    figure = draw(result, plt.figure(figsize=SIZE, layout="constrained"))
    plt.close(figure)
    return figure


def draw(result: Convergence, figure: Figure) -> Figure:
    """Both pictures side by side on an empty figure; returns it."""
    left, right = figure.subplots(1, 2)
    plot_difference(result, left)
    plot_shares(result, right)
    figure.suptitle(result.title)
    return figure


def plot_difference(result: Convergence, ax: Axes | None = None) -> Axes:
    """Average difference to the exact probabilities against playouts, on log-log axes.

    With its expected size and the band of 95 % of all runs; without exact probabilities the
    estimated mean standard error alone.
    """
    ax = axes_or_new(ax)
    n = result.checkpoints
    difference, band = result.difference, result.difference_band
    if difference is None or band is None:
        theory = np.nanmean(result.standard_error, axis=(1, 2))
        label = "estimated from the shares\n(exact probabilities unknown)"
        title = "Mean standard error of a first move's share"
    else:
        theory = result.expected
        label = "law of large numbers"
        title = "Average difference to the exact probabilities"
        names = ["playouts"] + ["_"] * (len(difference) - 1)  # one entry for all runs
        alpha = max(0.1, 0.8 / len(difference) ** 0.5)
        ax.plot(n, difference.T, "o-", color=MEASURED, ms=4, lw=1, alpha=alpha, label=names)
        ax.fill_between(n, *band, color=THEORY, alpha=0.15, lw=0, label="95 % of all runs")
        ax.vlines(n, *band, color=THEORY, alpha=0.3, lw=1)
    ax.plot(n, theory, ".--", color=THEORY, label=label)
    if theory.max() > 0:
        ax.set_yscale("log")
        low, high = ax.get_ylim()
        middle, half = np.sqrt(low * high), max(10, np.sqrt(high / low))
        ax.set_ylim(middle / half, middle * half)  # two decades at least: ticks with numbers
    ax.legend(loc="upper right")
    return _finish(ax, title)


def plot_shares(result: Convergence, ax: Axes | None = None, outcome: int | None = None) -> Axes:
    """Shares of one outcome by first move in the first run, on a log axis of playouts.

    Moves with the same exact probability share a colour, a dashed line and a band of 1.96
    standard errors. Without exact probabilities each move has its own, estimated from all runs.
    """
    outcome = result.position.turn if outcome is None else outcome
    if outcome not in (0, 1, 2):
        raise ValueError(f"outcome must be 0 (first), 1 (second) or 2 (draw), not {outcome!r}")
    ax = axes_or_new(ax)
    n = result.checkpoints
    smooth = np.geomspace(n[0] / 1.2, n[-1] * 1.2, 100)
    played = result.counts[0].sum(axis=-1) > 0
    shares = np.where(played, result.shares[0, :, :, outcome], np.nan)
    exact = result.exact is not None
    groups = _groups(result.reference[:, outcome], merge=exact)
    for i, (p, members) in enumerate(groups):
        colour = f"C{i}"
        error = Z95 * np.sqrt(p * (1 - p) * len(result.moves) / smooth)
        low, high = np.clip([p - error, p + error], 0, 1)
        ax.fill_between(smooth, low, high, color=colour, alpha=0.3 / len(groups), lw=0)
        ax.axhline(p, color=colour, ls="--", lw=1)
        ax.plot(n, shares[:, members], "o-", color=colour, ms=3, lw=1)
        total = result.counts[:, -1, members].sum()  # one move, where p is an estimate
        margin = "" if exact else f" ± {Z95 * np.sqrt(p * (1 - p) / max(total, 1)):.2%}"
        label = f"{p:.2%}{margin}: {_names([result.moves[m] for m in members])}"
        ax.plot([], [], "o--", color=colour, ms=3, lw=1, label=label)
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(bottom, -0.02), min(top, 1.02))
    ax.legend(
        title=f"{'exact' if exact else 'estimate'}: first moves\n(bands: {Z95} standard errors)",
        alignment="left",
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        fontsize="small",
        frameon=False,
    )
    drawn = sum(len(members) for _, members in groups)
    moves = "first move" if drawn == len(shares.T) else f"{drawn} of {len(shares.T)} first moves"
    run = "" if len(result.counts) == 1 else " (run 1)"
    return _finish(ax, f"Share of games {EVENTS[outcome]}, by {moves}{run}")


def _groups(values: NDArray[np.float64], *, merge: bool) -> list[tuple[float, list[int]]]:
    """Moves in descending order of their values, those of equal value together if `merge`.

    At most MAX_GROUPS, evenly spaced from the greatest to the least.
    """
    groups: dict[Any, list[int]] = {}
    for move in np.argsort(-values, kind="stable").tolist():
        groups.setdefault(round(values[move], 12) if merge else move, []).append(move)
    members = list(groups.values())
    if len(members) > MAX_GROUPS:
        chosen = np.linspace(0, len(members) - 1, MAX_GROUPS).round().astype(int)
        members = [members[i] for i in chosen]
    return [(float(values[group[0]]), group) for group in members]


def _names(moves: list[Any]) -> str:
    """The moves of a group, shortened."""
    names = ", ".join(map(str, moves[:MAX_NAMED]))
    return names if len(moves) <= MAX_NAMED else f"{names}, … ({len(moves)} moves)"


def _finish(ax: Axes, title: str) -> Axes:
    """What both pictures have in common."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    ax.set_title(title)
    ax.set_xscale("log")
    ax.set_xlabel("playouts")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.6g} %"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.grid(alpha=0.3)
    return ax

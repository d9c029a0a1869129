"""The pictures of a convergence. matplotlib is imported when the first picture is drawn.

Each function takes axes to draw on and returns them. Without axes it makes a new figure with
pyplot, as one expects in a notebook; with axes pyplot is never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .converge import Convergence

MEASURED, THEORY = "#c9431f", "#1f5fae"
MAX_GROUPS = 8  # lines with a name of their own in the picture of the shares
MAX_NAMED = 4  # moves named in one entry of a legend
Z95 = 1.96


def new_figure() -> Figure:
    """An empty figure for two pictures side by side, without pyplot: it needs no display."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    return Figure(figsize=(12, 4.8), layout="constrained")


def figure(result: Convergence) -> Figure:
    """Both pictures side by side, made with pyplot so that a notebook knows how to show it."""
    plt = _pyplot()
    fig = draw(result, plt.figure(figsize=(12, 4.8), layout="constrained"))
    plt.close(fig)
    return fig


def draw(result: Convergence, figure: Figure) -> Figure:
    """Both pictures side by side on an empty figure; returns it."""
    left, right = figure.subplots(1, 2)
    plot_difference(result, left)
    plot_shares(result, right)
    figure.suptitle(result.title)
    return figure


def plot_difference(result: Convergence, ax: Axes | None = None) -> Axes:
    """Average difference to the exact probabilities against playouts, on log-log axes."""
    ax = _axes(ax)
    n = result.checkpoints
    if result.difference is None or result.difference_band is None:
        error = np.nanmean(result.standard_error, axis=(1, 2))
        ax.plot(n, error, "o--", color=THEORY, label="standard error, estimated from the shares")
        ax.set_title("Mean standard error of the shares (no exact probabilities)")
    else:
        low, high = result.difference_band
        ax.fill_between(n, low, high, color=THEORY, alpha=0.15, lw=0, label="95 % of all runs")
        ax.plot(n, result.expected, ".--", color=THEORY, label="expected: law of large numbers")
        for i, run in enumerate(result.difference):
            ax.plot(n, run, "o-", ms=5, lw=1, alpha=0.8, color=MEASURED, label="_" * i + "playouts")
        ax.set_title("Average difference to the exact probabilities")
    ax.set_yscale("log")
    ax.legend()
    return _finish(ax)

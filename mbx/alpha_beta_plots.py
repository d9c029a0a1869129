"""The pictures of an alpha-beta search's result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .alpha_beta_result import SURE, WIN, AlphaBetaResult
from .drawing import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = 40  # moves shown at most
CHOSEN, OTHER, BOUND = "#1f5fae", "#a9c1e0", "#e4e4e4"


def plot_scores(result: AlphaBetaResult, ax: Axes | None = None) -> Axes:
    """Scores as bars, bounds pale; of many moves those that may be best."""
    ax = axes_or_new(ax)
    shown = np.sort(np.argsort(-result.value_upper, kind="stable")[:BARS])
    is_unknown = (result.value_lower == -WIN) & (result.value_upper == WIN)
    scores = np.where(result.value_lower > -SURE, result.value_lower, result.value_upper)
    scores = np.where(is_unknown, 0, scores)[shown]
    usual = abs(scores[abs(scores) < SURE])
    longest = 1.25 * max(usual.max(initial=0), 1)
    moves, places = result.moves[shown].tolist(), np.arange(len(shown))
    known = (result.value_lower == result.value_upper)[shown].tolist()
    colours = [
        CHOSEN if move == result.move else OTHER if is_known else BOUND
        for move, is_known in zip(moves, known, strict=True)
    ]
    ax.bar(places, scores.clip(-longest, longest), color=colours, edgecolor="#7a8aa0")
    ax.axhline(0, color="black", linewidth=0.8)
    if longest < abs(scores).max():
        ax.set_ylim(-1.1 * longest, 1.1 * longest)
    ax.set_xticks(places, [str(move) for move in moves], rotation=90 if len(moves) > 16 else 0)
    ax.set_xlabel("move" if len(moves) == len(result.moves) else f"move (the best {len(moves)})")
    ax.set_ylabel(f"score for {'ox'[result.perspective]}")
    ax.set_title(result.title)
    if not all(known):
        ax.bar([0], [0], color=BOUND, edgecolor="#7a8aa0", label="only a bound is known")
        ax.legend()
    return ax


def plot_depths(result: AlphaBetaResult, ax: Axes | None = None) -> Axes:
    """Nodes and seconds by depth, both on logarithmic axes."""
    ax = axes_or_new(ax)
    depths = result.iterations.depths
    ax.semilogy(depths, result.iterations.nodes, "o-", color=CHOSEN)
    ax.set_xticks(depths)
    ax.set_xlabel("depth in plies")
    ax.set_ylabel("nodes", color=CHOSEN)
    seconds = ax.twinx()
    seconds.semilogy(depths, result.iterations.seconds, "s--", color="#c9431f")
    seconds.set_ylabel("seconds", color="#c9431f")
    ax.set_title(f"{result.algorithm}: nodes and time by depth")
    return ax

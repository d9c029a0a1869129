"""Figures and axes to draw on. matplotlib is imported when the first picture is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (13, 4.8)  # of two pictures side by side, in inches


def axes_or_new(ax: Axes | None) -> Axes:
    """The given axes, or those of a new figure of pyplot, as one expects in a notebook."""
    return pyplot().subplots(figsize=(8, 4.8), layout="constrained")[1] if ax is None else ax


def blank_figure() -> Figure:
    """An empty figure for two pictures, made without pyplot: it needs no display, no closing."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    return Figure(figsize=SIZE, layout="constrained")


def pyplot() -> Any:
    """The module matplotlib.pyplot; an ImportError says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    return plt


def _missing(error: ModuleNotFoundError) -> ImportError:
    message = "pictures need matplotlib: pip install 'marubatsu-mbx[lab]'"
    return ImportError(message, name=error.name)

"""The options of a tree search, read from what a caller passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, SupportsIndex, TypeAlias

from . import _core
from .evaluation import Evaluator
from .final_move import FINALS
from .work import read_count

Exploration: TypeAlias = "float | str | Callable[[int], float]"

STANDARD = math.sqrt(2)

#: Names of exploration constants.
SCHEDULES: dict[str, float | Callable[[int], float]] = {
    "greedy": 0.0,
    "standard": STANDARD,
    "exploring": 3.0,
    "decreasing": lambda visits: 3 / (1 + math.log10(max(visits, 1))),
}


def read_exploration(c: Any) -> float | Callable[[int], float]:
    """A weight of exploration as a number or a callable."""
    if isinstance(c, str):
        if c not in SCHEDULES:
            raise ValueError(
                f"c must be a number, a callable or one of {list(SCHEDULES)}, not {c!r}"
            )
        return SCHEDULES[c]
    return c if callable(c) else read_number(c, "c")


def read_number(value: Any, name: str) -> float:
    """A finite number of 0 or more."""
    if not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be a finite number from 0 on, not {value!r}")
    return number


def read_share(value: Any, name: str) -> float:
    """A number from 0 to 1."""
    if read_number(value, name) > 1:
        raise ValueError(f"{name} must be from 0 to 1, not {value!r}")
    return float(value)


def read_at_most(value: SupportsIndex, name: str, most: int) -> int:
    """A number of things, at least 1."""
    n = read_count(value, name, 1)
    if n > most:
        raise ValueError(f"{name} must be at most {most:,}, not {value!r}")
    return n


def read_playouts(value: SupportsIndex) -> int:
    """A number of playouts a leaf."""
    return read_at_most(value, "playouts_per_leaf", _core.MAX_LEAF_PLAYOUTS)


def read_batch_size(value: SupportsIndex) -> int:
    """A number of boards for an evaluator."""
    return read_at_most(value, "batch_size", 2**16)


def read_final(final: Any) -> str:
    """The name of a rule for the final move."""
    if final not in FINALS:
        raise ValueError(f"final must be one of {list(FINALS)}, not {final!r}")
    return str(final)


def read_evaluator(evaluator: Any) -> Evaluator | None:
    """An evaluator or None."""
    if evaluator is not None and not callable(evaluator):
        raise TypeError(f"evaluator must be a callable or None, not {evaluator!r}")
    return evaluator

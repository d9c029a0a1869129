"""The options of the alpha-beta searches, read from what a caller passes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import TooLargeError
from .memory import available_bytes
from .work import read_count

Evaluation: TypeAlias = "str | Callable[[NDArray[np.int8]], ArrayLike]"
Ordering: TypeAlias = bool | Collection[str]

#: By their numbers in the core.
ALGORITHMS = ("minimax", "alphabeta", "scout", "pvs", "mtdf")
EVALUATIONS = ("lines", "threats")
CALLED = len(EVALUATIONS)

#: What orders the moves, and the bits of the core's options.
ORDERINGS = {"forced": 1, "table": 2, "killers": 4, "history": 8, "gain": 16}
SYMMETRY, EXTEND = 32, 64

RATIO = 3  # of the worth of a line to that of one with a stone less
MOST_THREAT = _core.MOST_THREAT
WHOLE = (-_core.WIN - 1, _core.WIN + 1)  # the window that holds all scores
ENTRY_BYTES = _core.ENTRY_BYTES
TABLE = 2**21  # entries, where nothing is said


def read_name(value: Any, name: str, allowed: Sequence[str]) -> str:
    """One of some names."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return str(value)


def read_switch(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def read_evaluation(evaluation: Any) -> int:
    """The number of an evaluation."""
    if callable(evaluation):
        return CALLED
    if not isinstance(evaluation, str):
        what = f"one of {', '.join(EVALUATIONS)} or a callable of boards"
        raise TypeError(f"evaluation must be {what}, not {evaluation!r}")
    return EVALUATIONS.index(read_name(evaluation, "evaluation", EVALUATIONS))


def read_ordering(ordering: Any) -> int:
    """The bits of the kinds of ordering."""
    if isinstance(ordering, bool):
        return sum(ORDERINGS.values()) if ordering else 0
    if isinstance(ordering, str) or not isinstance(ordering, Collection):
        names = ", ".join(ORDERINGS)
        raise TypeError(f"ordering must be a bool or some of {names}, not {ordering!r}")
    kinds = {read_name(kind, "ordering", list(ORDERINGS)) for kind in ordering}
    return sum(ORDERINGS[kind] for kind in kinds)


def most_weight(game: _core.Game) -> int:
    """The largest weight of a line that the core's sums have room for."""
    through = np.bincount(game.lines.ravel(), minlength=1) if game.lines.size else np.ones(1)
    return 2**19 // int(through.max())


def read_weights(weights: Sequence[SupportsIndex] | None, game: _core.Game) -> NDArray[np.int32]:
    """What lines with 1, …, k - 1 stones are worth; by default RATIO times as much each."""
    most = most_weight(game)
    if weights is None:
        return np.array([min(RATIO ** min(n, 20), most) for n in range(game.k - 1)], np.int32)
    return _read_numbers(weights, "weights", game.k - 1, most)


def read_threats(
    threats: Sequence[SupportsIndex] | None, weights: NDArray[np.int32]
) -> NDArray[np.int32]:
    """What threats are worth: open, with parity, against it; by default by the largest weight."""
    if threats is None:
        last = int(weights[-1]) if weights.size else 1
        unit = max(-MOST_THREAT, min(last, MOST_THREAT))
        return np.array([unit, unit, unit // 4], np.int32)
    return _read_numbers(threats, "threats", 3, MOST_THREAT)


def _read_numbers(values: Any, name: str, n: int, most: int) -> NDArray[np.int32]:
    try:
        numbers = [operator.index(value) for value in values]
    except TypeError:
        raise TypeError(f"{name} must be {n} ints, not {values!r}") from None
    if len(numbers) != n:
        raise ValueError(f"{name} must be {n} ints, not {values!r}")
    if bad := [number for number in numbers if abs(number) > most]:
        raise ValueError(f"{name} must be from {-most:,} to {most:,}, not {bad[0]!r}")
    return np.array(numbers, np.int32)


def read_window(window: Any) -> tuple[int, int]:
    """The least and the most of what a search distinguishes."""
    if window is None:
        return WHOLE
    try:
        alpha, beta = map(operator.index, window)
    except (TypeError, ValueError):
        raise TypeError(f"window must be (alpha, beta), two ints, not {window!r}") from None
    if not WHOLE[0] <= alpha < beta <= WHOLE[1]:
        raise ValueError(f"window must be {WHOLE[0]:,} <= alpha < beta <= {WHOLE[1]:,}: {window!r}")
    return alpha, beta


def read_table(table: SupportsIndex | None) -> int:
    """The number of entries of a table, 0 for None; TooLargeError if it does not fit."""
    entries = 0 if table is None else read_count(table, "table", 1)
    if entries > TABLE and ENTRY_BYTES * entries > available_bytes():
        raise TooLargeError(
            f"a table of {entries:,} entries takes {ENTRY_BYTES * entries:,} bytes, more than the "
            f"{available_bytes():,} that are free"
        )
    return entries

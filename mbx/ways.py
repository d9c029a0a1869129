"""The numbers in which ways to play are counted: exact integers wherever that is possible."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import TooLargeError
from .layers import Layers, about

Array = NDArray[Any]


@dataclass(frozen=True)
class Ways:
    """How the ways in which random play goes on are counted, exactly where that is possible.

    A finished position with e open cells left stands for weights[depth] ways: e! where every order
    of the open cells is as likely, L**e under gravity, L the least common multiple of 1 .. columns.
    Beyond 127 bits the numbers are doubles, and the weights 1.
    """

    code: int  # as the core calls it
    dtype: type
    items: int  # array items a number
    weights: list[int]  # by depth
    multiple: int  # L, or 0 where a position has just the sum of its children's ways
    n_planes: int | None = None  # where draws do not follow from the wins

    @property
    def exact(self) -> bool:
        """Are the numbers integers?"""
        return self.code != _core.DOUBLE

    @property
    def planes(self) -> int:
        """Arrays by outcome that are kept: draws follow from the wins, but not in doubles."""
        return self.n_planes or (2 if self.exact else 3)

    def empty(self, n: int) -> Array:
        """Uninitialised numbers."""
        return np.empty(n * self.items, self.dtype)

    def integer(self, numbers: Array, index: int) -> int:
        """One of the numbers, as an int."""
        items = numbers.reshape(-1, self.items)[index].tolist()
        return sum(item << 64 * i for i, item in enumerate(items))


def count_ways(layers: Layers) -> Ways:
    """The exact ways of random play below the root, or doubles where they are too many."""
    n_cells, n_columns = layers.n_cells, len(layers.moves)
    every_order = n_cells == n_columns  # no column has a second cell
    multiple = 0 if every_order else math.lcm(*range(1, n_columns + 1))
    rest = range(n_cells, -1, -1)
    weights = [math.factorial(e) if every_order else multiple**e for e in rest]
    if weights[0] < 2**63 and multiple < 2**32:
        return Ways(_core.NARROW, np.uint64, 1, weights, multiple)
    if weights[0] < 2**127 and multiple < 2**32:
        return Ways(_core.WIDE, np.uint64, 2, weights, multiple)
    return Ways(_core.DOUBLE, np.float64, 1, [1] * (n_cells + 1), 1)


def count_games(layers: Layers, plies: int) -> Ways:
    """Every sequence of up to so many moves counts once.

    Raises TooLargeError where there might be more of them than 64 bits can count.
    """
    n_cells, n_columns = layers.n_cells, len(layers.moves)
    most = math.prod(min(n_columns, n_cells - depth) for depth in range(min(plies, n_cells)))
    most = min(most, _most_games(layers))
    if most >= 2**64:
        raise TooLargeError(f"there may be {about(most)} games, more than 64 bits can count")
    return Ways(_core.NARROW, np.uint64, 1, [1] * (n_cells + 1), 0)


def _most_games(layers: Layers) -> int:
    """The orders in which the columns can be filled: no fewer than the games."""
    heights = layers.capacities.tolist()
    return math.factorial(sum(heights)) // math.prod(map(math.factorial, heights))

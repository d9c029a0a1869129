"""The statistics of the moves at a search's root, and the move that is chosen by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

import numpy as np
from numpy.typing import NDArray

from . import _core

FINALS = ("visits", "value", "lower bound")


@dataclass(frozen=True, eq=False)
class RootStatistics:
    """The moves of a root, added up over trees; as the fields of MctsResult, moves ascending."""

    moves: NDArray[np.int32]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    lower: NDArray[np.int8]
    upper: NDArray[np.int8]
    draw_value: float

    @classmethod
    def of(cls, trees: Sequence[_core.Mcts], draw_value: float, per_leaf: int) -> Self:
        """The statistics of trees with one root; without a visit where it was never evaluated."""
        nodes = [node for tree in trees if (node := tree.look([])) is not None]
        moves = trees[0].moves
        if not nodes:
            n = len(moves)
            nothing, unknown = np.zeros(n, np.int64), np.full(n, np.nan)
            worst, best = np.full(n, -1, np.int8), np.full(n, 1, np.int8)
            return cls(moves, nothing, unknown, unknown, worst, best, draw_value)
        visits = np.sum([node[1] for node in nodes], axis=0)
        sums = np.sum([node[2] for node in nodes], axis=0)
        lower = np.max([node[3] for node in nodes], axis=0)
        upper = np.min([node[4] for node in nodes], axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = sums / (visits * per_leaf)
            errors = np.sqrt(_variances(trees) / visits)
        known = lower == upper
        values = np.where(known, np.array(_worth(draw_value))[lower + 1], values)
        return cls(moves, visits, values, np.where(known, 0, errors), lower, upper, draw_value)

    def worth(self, result: int) -> float:
        """The score of a proven loss, draw or win: -1, 0, 1."""
        return _worth(self.draw_value)[result + 1]


def _worth(draw_value: float) -> tuple[float, float, float]:
    return 0.0, draw_value, 1.0


def _variances(trees: Sequence[_core.Mcts]) -> NDArray[np.float64]:
    """Of the simulations' mean rewards, by move, since the root is the root."""
    samples = [tree.samples() for tree in trees]
    n, totals, squares = (np.sum([each[i] for each in samples], axis=0) for i in range(3))
    spread = np.maximum(squares - totals**2 / n, 0)
    return np.where(n > 1, spread / (n - 1), np.nan)


def candidates(lower: NDArray[np.int8], upper: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which moves can be best: where the node is proven those that reach its value, else those that
    may reach what is certain."""
    proven = lower.max() == upper.max()
    allowed: NDArray[np.bool_] = (lower if proven else upper) >= lower.max()
    return allowed


def choose_move(root: RootStatistics, final: str, temperature: float, seed: tuple[int, int]) -> int:
    """The index of the chosen move; equal ones are drawn evenly, by the seed."""
    allowed = candidates(root.lower, root.upper)
    random = Random(seed[0] << 64 | seed[1])
    if temperature > 0 and root.visits[allowed].any():
        logs = np.log(np.maximum(root.visits, 1e-9))
        with np.errstate(over="ignore"):
            ratios = np.exp((logs - logs[allowed].max()) / temperature)
        weights = np.where(allowed & (root.visits > 0), ratios, 0)
        return random.choices(range(len(weights)), weights.tolist())[0]
    scores = root.visits.astype(float)
    if final != "visits":
        errors = root.standard_errors if final == "lower bound" else 0
        by_rule = root.values - errors
        if not np.isnan(by_rule[allowed]).all():
            scores = np.nan_to_num(by_rule, nan=-np.inf)
    best = np.flatnonzero(allowed & (scores == scores[allowed].max()))
    return int(random.choice(best.tolist()))

"""Evaluators: what a tree search asks in place of playouts, and how their answers are read."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

Evaluator: TypeAlias = Callable[[NDArray[np.int8]], tuple[ArrayLike, ArrayLike]]
Noise: TypeAlias = tuple[float, float]

_MOST_ALPHA = 1e6
_MOST_PRIOR = 1e300  # the sum of all moves' is finite


def evaluate(tree: _core.Mcts, evaluator: Evaluator, boards: NDArray[np.int8]) -> bool:
    """Asks the evaluator about the leaves that wait; False where the tree has no more room.

    Whatever goes wrong, the tree is as if they had not been selected.
    """
    if not len(boards):
        return True
    try:
        answer = evaluator(boards)
        return tree.apply(*_read_answer(answer, len(boards), tree.n_moves))
    except BaseException:
        tree.abandon()
        raise


def _read_answer(
    answer: Any, n_boards: int, n_moves: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        priors, values = answer
    except (TypeError, ValueError):
        raise TypeError(f"the evaluator must return (priors, values), not {answer!r}") from None
    return (
        _read_array(priors, "priors", (n_boards, n_moves), 0, _MOST_PRIOR),
        _read_array(values, "values", (n_boards,), -1, 1),
    )


def _read_array(
    array: Any, name: str, shape: tuple[int, ...], least: float, most: float
) -> NDArray[np.float64]:
    numbers = np.asarray(array)
    if numbers.dtype.kind not in "fiub":
        raise TypeError(f"the evaluator's {name} must be real numbers, not {numbers.dtype}")
    if numbers.shape != shape:
        raise ValueError(f"the evaluator's {name} must have shape {shape}, not {numbers.shape}")
    numbers = np.ascontiguousarray(numbers, float)
    bad = numbers[~((numbers >= least) & (numbers <= most))]
    if bad.size:
        raise ValueError(
            f"the evaluator's {name} must be finite, from {least} to {most:.3g}, not {bad[0]}"
        )
    return numbers


def read_noise(noise: Any) -> Noise | None:
    """The concentration of Dirichlet noise and its share of the priors, or None."""
    if noise is None:
        return None
    try:
        alpha, share = noise
    except (TypeError, ValueError):
        raise TypeError(f"noise must be (alpha, share) or None, not {noise!r}") from None
    if not isinstance(alpha, Real) or not isinstance(share, Real):
        raise TypeError(f"noise must hold two numbers, not {noise!r}")
    numbers = float(alpha), float(share)
    if not 0 < numbers[0] <= _MOST_ALPHA or not 0 <= numbers[1] <= 1:
        raise ValueError(f"noise must be (alpha > 0, share from 0 to 1), not {noise!r}")
    return numbers

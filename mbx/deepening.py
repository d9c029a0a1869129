"""A search depth by depth, and what it is asked for: the result so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .alpha_beta_options import WHOLE
from .alpha_beta_result import SURE, WIN, AlphaBetaResult, Iterations
from .position import Position
from .work import QUICK

QUICK_NODES = 10_000  # are visited in a moment


class Row(NamedTuple):
    """What one depth found: bounds by move, ascending; nodes and seconds of this depth alone."""

    depth: int
    value: int
    move: int
    nodes: int
    seconds: float
    variation: list[int]
    lower: NDArray[np.int32]
    upper: NDArray[np.int32]


class Deepening:
    """One search, depth by depth: what every depth found.

    rows     what each depth found that was searched to its end
    stop     why the search ended, "" as long as it has not
    windows  by depth; of others the whole one
    """

    def __init__(
        self,
        core: _core.AlphaBeta,
        names: tuple[str, str],
        position: Position,
        moves: NDArray[np.int32],
        *,
        scores: bool,
        start: float,
    ) -> None:
        self.rows: list[Row] = []
        self.stop = ""
        self.windows: dict[int, tuple[int, int]] = {}
        self._core = core
        self._names = names
        self._position = position
        self._moves = moves
        self._scores = bool(scores)
        self._start = start
        self._left = position.game.n_cells - position.ply

    def is_quick(self, depth: int) -> bool:
        """Is a depth likely to be over within a few milliseconds?"""
        n_moves = int(self._position.game.n_moves)
        if self.rows:
            return self.rows[-1].seconds * n_moves < QUICK
        return depth == 1 or n_moves**depth <= QUICK_NODES

    def search(self, depth: int, cancel: bytearray, evaluate: CalledEvaluation | None) -> bool:
        """Search one depth; False where it was stopped."""
        core = self._core
        began, before = time.monotonic(), core.nodes
        try:
            alpha, beta = self.windows.get(depth, WHOLE)
            if not core.search(depth, alpha, beta, self._scores, cancel, evaluate):
                return False
        except TimeUp:
            return False
        _, lower, upper = core.moves()
        value, move, variation = core.value, core.move, core.variation()
        if variation[:1] != [move]:
            variation = [move]
        seconds = time.monotonic() - began
        nodes = core.nodes - before
        self.rows.append(Row(depth, value, move, nodes, seconds, variation, lower, upper))
        scores = np.append(lower, upper) if self._scores else np.array([value])
        is_sure = depth == self._left or (WIN - abs(scores) <= depth).all()
        if is_sure and alpha < value < beta:
            self.stop = "proven"
        return True

    def result(self) -> AlphaBetaResult:
        """What was found so far, by one depth at least."""
        done = list(self.rows)
        last = done[-1]
        rows = np.searchsorted(self._position.legal_moves, self._moves)
        lower, upper = last.lower[rows].clip(-WIN, WIN), last.upper[rows].clip(-WIN, WIN)
        whole = last.depth == self._left
        return AlphaBetaResult(
            start=self._position.copy(),
            move=last.move,
            value=last.value,
            moves=self._moves,
            values=np.where(lower == upper, lower.astype(float), np.nan),
            lower=_outcomes(lower, whole, -1),
            upper=_outcomes(upper, whole, 1),
            variation=list(last.variation),
            nodes=sum(row.nodes for row in done),
            depth=last.depth,
            seconds=time.monotonic() - self._start,
            stop=self.stop or "depth",
            value_lower=lower,
            value_upper=upper,
            iterations=Iterations(
                depths=np.array([row.depth for row in done], np.int64),
                values=np.array([row.value for row in done], np.int64),
                moves=np.array([row.move for row in done], np.int64),
                nodes=np.array([row.nodes for row in done], np.int64),
                seconds=np.array([row.seconds for row in done]),
            ),
            algorithm=self._names[0],
            evaluation=self._names[1],
            relation=_relation(last.value, *self.windows.get(last.depth, WHOLE)),
        )


def _relation(value: int, alpha: int, beta: int) -> str:
    """What a value says that a search within a window returned."""
    if alpha < value < beta:
        return "exactly"
    return "at most" if value <= alpha else "at least"


def _outcomes(bounds: NDArray[np.int32], whole: bool, unknown: int) -> NDArray[np.int8]:
    """What bounds of scores say about the outcome; whole: the search reached the game's end."""
    sure = np.sign(bounds) * (abs(bounds) >= SURE) * (abs(bounds) < WIN)
    if whole:
        return np.where(abs(bounds) < WIN, sure, unknown).astype(np.int8)
    return np.where(sure != 0, sure, unknown).astype(np.int8)


class TimeUp(Exception):
    """The time of a search is over."""


class CalledEvaluation:
    """A caller's evaluation, as the core calls it: int32 scores of some boards."""

    def __init__(
        self,
        function: Callable[[NDArray[np.int8]], ArrayLike],
        deepening: Deepening,
        deadline: float,
    ) -> None:
        self._function = function
        self._deepening = deepening
        self._deadline = deadline

    def __call__(self, boards: NDArray[np.int8] | None) -> NDArray[np.int32] | None:
        """Their scores; TimeUp when the time is over, TypeError, ValueError for what it returns.

        The core also calls it without boards, now and then, to be stopped.
        """
        if self._deepening.rows and time.monotonic() >= self._deadline:
            raise TimeUp
        if boards is None:
            return None
        n = len(boards)
        answer = self._function(boards)
        try:
            scores = np.asarray(answer)
        except ValueError as error:
            raise ValueError(f"the evaluation must return integers: {error}") from None
        if scores.dtype.kind not in "iub":
            raise TypeError(f"the evaluation must return integers, not {scores.dtype}")
        if scores.shape != (n,):
            raise ValueError(f"the evaluation must return shape ({n},), not {scores.shape}")
        if bad := [score for score in scores.tolist() if abs(score) >= SURE]:
            raise ValueError(
                f"the evaluation must be from {1 - SURE:,} to {SURE - 1:,}, not {bad[0]:,}"
            )
        return np.ascontiguousarray(scores, np.int32)

"""Convergence: how the shares of random playouts close in on their exact probabilities.

One run is the endless numbered sequence of playouts that a seed defines, and its checkpoints are
prefixes of that one sequence: the playouts up to 10**3 contain those up to 10**2. Each repeat is
a run of its own (another row of the same seed). At every checkpoint the share of each outcome
after each first move is held against its exact probability p.

A share of n playouts has the standard error sqrt(p (1 - p) / n), and the absolute value of a
normal variable with standard deviation s has the mean sqrt(2 / pi) s. So the law of large numbers
predicts the average difference itself, and how far one run may stray from that prediction.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .convert import read_source
from .errors import GameOverError, TooLargeError
from .exact import move_probabilities
from .playouts import count_range
from .seeds import Seed, seed_key
from .svg import position_title
from .text import OUTCOMES
from .work import Progress, Report, read_count, reporting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .position import Position

Z95 = 1.96  # a normal variable lies within this many standard deviations in 95 % of all cases


@dataclass(frozen=True, eq=False, repr=False)
class Convergence:
    """The result of `convergence`: R repeats, C checkpoints, M first moves, 3 outcomes.

    The outcomes are first wins, second wins, draw. What was measured:

    position     the position that the playouts start from (a copy)
    moves        list of the M first moves, as the caller names them
    checkpoints  int64 (C,): numbers of playouts, ascending
    counts       int64 (R, C, M, 3): outcomes of the first `checkpoints[c]` playouts of a run
    exact        float64 (M, 3): exact probabilities; None when the game tree is too large
    seconds      float64 (C,): wall time up to the checkpoint, mean over the repeats
    seed         int: the key that repeats this run

    The rest follows from it, computed when asked for. What compares with exact probabilities is
    None when there are none.
    """

    position: Position
    moves: list[Any]
    checkpoints: NDArray[np.int64]
    counts: NDArray[np.int64]
    exact: NDArray[np.float64] | None
    seconds: NDArray[np.float64]
    seed: int

    @property
    def shares(self) -> NDArray[np.float64]:
        """float64 (R, C, M, 3): share of each outcome; 0 for a move without playouts."""
        shares: NDArray[np.float64] = self.counts / np.maximum(self._playouts, 1)
        return shares

    @property
    def reference(self) -> NDArray[np.float64]:
        """float64 (M, 3): `exact`, or the estimate: shares of all runs at the last checkpoint."""
        if self.exact is not None:
            return self.exact
        total = self.counts[:, -1].sum(axis=0)
        shares: NDArray[np.float64] = total / np.maximum(total.sum(axis=-1, keepdims=True), 1)
        return shares

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """float64 (C, M, 3): sqrt(p (1 - p) / n) of a share in one run.

        p is the `reference`, so this is an estimate when `exact` is None; n is the move's mean
        number of playouts at the checkpoint. NaN for a move without playouts.
        """
        playouts = self._playouts.mean(axis=0)
        variance = self.reference * (1 - self.reference)
        return np.sqrt(variance / np.where(playouts > 0, playouts, np.nan))

    @property
    def difference(self) -> NDArray[np.float64] | None:
        """float64 (R, C): mean over moves and outcomes of |share - p|."""
        if self.exact is None:
            return None
        difference: NDArray[np.float64] = np.abs(self.shares - self.exact).mean(axis=(2, 3))
        return difference

    @property
    def expected(self) -> NDArray[np.float64] | None:
        """float64 (C,): expected size of the difference, mean over the repeats.

        That is the mean of sqrt(2 / pi) sqrt(p (1 - p) / n), with the playouts n that the move
        really had; of p for a move without playouts, whose share counts as 0.
        """
        if self.exact is None:
            return None
        deviation = np.where(self._playouts > 0, np.sqrt(2 / np.pi) * self._errors, self.exact)
        expected: NDArray[np.float64] = deviation.mean(axis=(0, 2, 3))
        return expected

    @property
    def coverage(self) -> NDArray[np.float64] | None:
        """float64 (C,): fraction of the shares with |share - p| <= 1.96 sqrt(p (1 - p) / n).

        Over repeats, moves and outcomes; moves without playouts are left out. Near 0.95.
        """
        if self.exact is None:
            return None
        inside = np.abs(self.shares - self.exact) <= Z95 * self._errors
        played = np.broadcast_to(self._playouts > 0, inside.shape)
        return np.average(inside, axis=(0, 2, 3), weights=played)

    @property
    def difference_band(self) -> NDArray[np.float64] | None:
        """float64 (2, C): where the difference of one run lies in 95 % of all runs, low and high.

        Moves are independent, the outcomes of one move are not: two normal variables with
        standard deviations s, t and correlation r have cov(|a|, |b|) =
        2 / pi (sqrt(1 - r²) + r asin r - 1) s t. The band is that of a gamma variable with the
        mean `expected` and the variance that follows (quantiles by Wilson and Hilferty's cube).
        """
        if self.exact is None or self.expected is None:
            return None
        odds = np.sqrt(self.exact / np.where(self.exact < 1, 1 - self.exact, np.inf))
        r = np.clip(-odds[:, :, None] * odds[:, None, :], -1, 1)  # of a multinomial's shares
        r[:, range(3), range(3)] = 1
        error = np.nan_to_num(self.standard_error)
        covariance = 2 / np.pi * (np.sqrt(1 - r**2) + r * np.arcsin(r) - 1)
        variance = np.einsum("cmi,mij,cmj->c", error, covariance, error) / self.exact.size**2
        spread = np.sqrt(variance) / np.where(self.expected > 0, self.expected, 1)
        steps = np.array([[-Z95], [Z95]])
        band: NDArray[np.float64] = self.expected * (1 - spread**2 / 9 + steps * spread / 3) ** 3
        return band

    @property
    def title(self) -> str:
        """The game, the position, and the number of runs in a few words."""
        runs = "" if len(self.counts) == 1 else f", {len(self.counts)} runs"
        return position_title(self.position) + runs

    def lines(self) -> list[str]:
        """The table as text: the head, then a line for each checkpoint."""
        columns = [[f"{cell:>{width}}" for cell in cells] for width, cells in self._columns()]
        return ["  ".join(cells) for cells in zip(*columns, strict=True)]

    def notes(self) -> list[str]:
        """What the columns mean, as sentences."""
        runs = len(self.counts)
        if self.coverage is None:
            return [
                "No exact probabilities: the game tree is too large, so no difference is shown.",
                "Shares of all playouts; their mean standard error is estimated from the shares.",
            ]
        of_runs = f"{runs} runs, " if runs > 1 else ""
        return [
            "Average difference: mean of |share - exact probability| over "
            f"{of_runs}{len(self.moves)} first moves, 3 outcomes.",
            "Expected: its size by the law of large numbers.",
            f"Within {Z95} standard errors of the exact probability: {self.coverage.mean():.1%} "
            "of the shares (in the long run 95%).",
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """The difference against the number of playouts, with its exact 95 % band; the axes.

        On log-log axes. Without exact probabilities: the estimated mean standard error instead.
        """
        from .plots import plot_difference

        return plot_difference(self, ax)

    def plot_shares(self, ax: Axes | None = None, outcome: int | None = None) -> Axes:
        """The shares of the first moves against the number of playouts, in the first run; the axes.

        `outcome` is 0, 1 or 2 (default: the side to move wins). Around the exact lines stand
        the bands of 1.96 standard errors; without exact probabilities lines and bands are
        estimates, from the shares of all playouts.
        """
        from .plots import plot_shares

        return plot_shares(self, ax, outcome)

    def figure(self) -> Figure:
        """Both pictures side by side, as a matplotlib Figure."""
        from .plots import notebook_figure

        return notebook_figure(self)

    def __str__(self) -> str:
        return "\n".join([self.title, "", *self.lines(), "", *self.notes()])

    def __repr__(self) -> str:
        return f"<Convergence {self.title}, checkpoints {self.checkpoints.tolist()}>"

    def _repr_html_(self) -> str:
        align = 'style="text-align: right"'
        head, *rows = zip(*(cells for _, cells in self._columns()), strict=True)
        body = "".join(
            f"<tr>{''.join(f'<td {align}>{cell}</td>' for cell in row)}</tr>" for row in rows
        )
        return (
            f"<div><strong>{self.title}</strong><table><thead><tr>"
            f"{''.join(f'<th {align}>{cell}</th>' for cell in head)}</tr></thead>"
            f"<tbody>{body}</tbody></table><small>{'<br>'.join(self.notes())}</small></div>"
        )

    @property
    def _playouts(self) -> NDArray[np.int64]:
        """int64 (R, C, M, 1): playouts that began with the move."""
        playouts: NDArray[np.int64] = self.counts.sum(axis=-1, keepdims=True)
        return playouts

    @property
    def _errors(self) -> NDArray[np.float64]:
        """float64 (R, C, M, 3): sqrt(p (1 - p) / n) in each run; where n = 0, as if it were 1."""
        variance = self.reference * (1 - self.reference)
        errors: NDArray[np.float64] = np.sqrt(variance / np.maximum(self._playouts, 1))
        return errors

    def _columns(self) -> list[tuple[int, list[str]]]:
        """The table: the width of each column, and its cells from the head down."""
        columns = [(15, ["playouts", *(f"{n:,}" for n in self.checkpoints)])]
        if self.difference is not None and self.expected is not None:
            columns += [
                (18, ["average difference", *map(_percent, self.difference.mean(axis=0))]),
                (11, ["expected", *map(_percent, self.expected)]),
            ]
        else:
            total = self.counts.sum(axis=(0, 2))
            playouts = total.sum(axis=-1, keepdims=True)
            shares = total / playouts
            error = np.sqrt(shares * (1 - shares) / playouts).mean(axis=-1)
            columns += [
                (10, [name, *map(_percent, share)])
                for name, share in zip(OUTCOMES, shares.T, strict=True)
            ]
            columns.append((14, ["standard error", *map(_percent, error)]))
        speed = self.checkpoints / self.seconds
        return [
            *columns,
            (11, ["seconds", *(f"{s:.5f}" for s in self.seconds)]),
            (13, ["playouts/s", *(f"{s:,.0f}" for s in speed)]),
        ]


def convergence(
    pos: Any,
    checkpoints: Iterable[SupportsIndex] = (10**2, 10**3, 10**4, 10**5, 10**6),
    repeats: SupportsIndex = 1,
    seed: Seed = None,
    threads: int | None = None,
    *,
    progress: Progress = None,
) -> Convergence:
    """Play random games from a position and compare their shares with the exact probabilities.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes; checkpoints are
    ascending numbers of playouts; repeat r plays row r of the seed, and its checkpoints are
    prefixes of that one run. seed and threads as in `playout_counts`.

    progress: True for a bar, or a callable progress(done, total), in playouts of all repeats.

    Raises TypeError and ValueError for bad arguments, GameOverError for a finished position.

    >>> import mbx
    >>> result = mbx.convergence(mbx.games.MARUBATSU.start(), (100, 1000), repeats=5, seed=1)
    >>> result.counts.shape
    (5, 2, 9, 3)
    """
    with reporting(progress) as report:
        return deque(stages(pos, checkpoints, repeats, seed, threads, report=report), 1).pop()


def stages(
    pos: Any,
    checkpoints: Iterable[SupportsIndex],
    repeats: SupportsIndex = 1,
    seed: Seed = None,
    threads: int | None = None,
    *,
    report: Report | None = None,
) -> Iterator[Convergence]:
    """The same run, step by step: after each checkpoint the result so far."""
    limits = _checkpoints(checkpoints)
    runs = read_count(repeats, "repeats", 1)
    source = read_source(pos)
    position = source.position
    if position.status != -1:
        raise GameOverError("the position is finished: there is nothing to play")
    key = seed_key(seed)
    try:
        exact = move_probabilities(position)[source.rows]
    except TooLargeError:
        exact = None

    counts = np.zeros((runs, len(limits), len(source.moves), 3), np.int64)
    seconds = np.zeros(len(limits))
    for c, (first, last) in enumerate(pairwise([0, *limits])):
        started = perf_counter()
        for row in range(runs):
            before = runs * first + row * (last - first)
            new = count_range(
                position,
                key,
                row,
                first,
                last - first,
                threads=threads,
                progress=report and _part(report, before, runs * limits[-1]),
            )
            counts[row, c] = counts[row, c - 1] + new[source.rows]
        seconds[c] = seconds[c - 1] + (perf_counter() - started) / runs
        yield Convergence(
            position=position.copy(),
            moves=list(source.moves),
            checkpoints=np.array(limits[: c + 1], np.int64),
            counts=counts[:, : c + 1].copy(),
            exact=exact,
            seconds=seconds[: c + 1].copy(),
            seed=key,
        )


def _part(report: Report, before: int, total: int) -> Report:
    """The callback for a part of the work, given that for the whole."""
    return lambda done, _: report(before + done, total)


def _checkpoints(values: Iterable[SupportsIndex]) -> list[int]:
    """The checkpoints as ints, checked."""
    if not isinstance(values, Iterable):
        raise TypeError(f"checkpoints must be a sequence of ints, not {values!r}")
    limits = [read_count(value, "a checkpoint", 1) for value in values]
    if not limits or any(a >= b for a, b in pairwise(limits)):
        raise ValueError(f"checkpoints must be one or more ascending numbers, not {limits}")
    return limits


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.4f}%"

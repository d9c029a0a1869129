"""Primitive Monte Carlo (PMC): random games after each move, and the move that did best in them.

How the n games are allocated to the moves is an option:

* "uniform": every game starts with a random move, as in the article's playout
* "equal": n / m games after each of m moves, the first n mod m of them one more
* "halving": sequential halving (Karnin, Koren, Somekh 2013): ceil(log2 m) rounds share the games
  evenly; each plays its own after the moves that are still in, the better half of which stays in.
  Moves that equal the last one of the better half stay too, so that nothing is left to chance.

Below, many positions are looked at together, each with its own games: tables have a row a position
and a column a move of the game.  Games after a first move are "uniform"'s own stream; the games of
stage s after move j of row i are stream (key + s * 2**120, i * n_moves + j).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .choosing import (
    CRITERIA,
    Criterion,
    Mask,
    best_moves,
    check_goes_on,
    check_option,
    draw_moves,
    legal_mask,
)
from .convert import read_source
from .playouts import count_outcomes, count_rows
from .position import Position
from .seeds import Seed, seed_key
from .svg import position_title
from .tables import html_table, text_table
from .work import Progress, Report, read_count, read_threads, read_timelimit, reporting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Allocation = Literal["uniform", "equal", "halving"]
_Compare = Callable[[NDArray[np.int64], Mask], Mask]

ALLOCATIONS = ("uniform", "equal", "halving")
_STAGE = 1 << 120  # from the key of one stage to the next
_FIRST = 64  # games after each move before the clock is looked at


@dataclass(frozen=True)
class PmcRules:
    """How PMC spends its games and what it looks at; checked when it is made."""

    n: int
    criterion: Criterion = "win"
    allocation: Allocation = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", read_count(self.n, "n", 1))
        check_option(self.criterion, "criterion", CRITERIA)
        check_option(self.allocation, "allocation", ALLOCATIONS)


def play_and_compare(
    rules: PmcRules,
    positions: Sequence[Position],
    key: int,
    first_row: int,
    **options: Any,
) -> tuple[NDArray[np.int64], Mask]:
    """Outcomes of the games after each move, (B, n_moves, 3), and which moves are best by them.

    options are those of count_rows; a time limit is for one position.
    """
    legal = legal_mask(positions)
    movers = np.array([position.turn for position in positions])

    def compare(counts: NDArray[np.int64], moves: Mask) -> Mask:
        return best_moves(counts, movers, rules.criterion, moves)

    if rules.allocation == "uniform":
        counts = count_rows(positions, key, first_row, 0, rules.n, **options)
        return counts, compare(counts, legal)
    stages = _Stages(positions, legal, rules.n, key, first_row, **options)
    if rules.allocation == "equal":
        last = _play_equally(stages, legal)
    else:
        last = _halve(stages, legal, compare)
    return stages.counts, compare(stages.counts, last)


class _Stages:
    """Games after the moves of some positions, stage by stage; `counts` is what came of them."""

    def __init__(
        self,
        positions: Sequence[Position],
        legal: Mask,
        n: int,
        key: int,
        first_row: int,
        *,
        threads: int | None = None,
        timelimit: float | None = None,
        progress: Report | None = None,
    ) -> None:
        self.counts = np.zeros((*legal.shape, 3), np.int64)
        self._nothing = _end_of(positions[0])
        self._after = [
            _after(position, move) if is_legal else self._nothing
            for position, row in zip(positions, legal.tolist(), strict=True)
            for move, is_legal in enumerate(row)
        ]
        self.n = n
        self._key = key
        self._row = first_row * legal.shape[1]
        self._threads = read_threads(threads)
        self._deadline = time.monotonic() + read_timelimit(timelimit)
        self._progress = progress

    def play(self, stage: int, moves: Mask, numbers: NDArray[np.int64], share: float = 1.0) -> None:
        """numbers[i] more games after each of the moves of position i, in a share of the time."""
        key = (self._key + stage * _STAGE) % 2**128
        end = time.monotonic() + share * (self._deadline - time.monotonic())
        for number in set(numbers.tolist()) - {0}:
            self._play(key, moves & (numbers == number)[:, np.newaxis], number, end)

    def _play(self, key: int, moves: Mask, number: int, end: float) -> None:
        """Under a time limit in parts, so that all moves have about as many games when it ends."""
        is_in = moves.ravel().tolist()
        batch = [
            position if wanted else self._nothing
            for position, wanted in zip(self._after, is_in, strict=True)
        ]
        first, size, limit = 0, number, None
        while first < number and (time.monotonic() < end or not self.counts.any()):
            if end < math.inf:
                size = min(max(first, _FIRST), number - first)
                limit = max(end - time.monotonic(), 1e-9)
            counts = count_outcomes(
                batch,
                key,
                self._row,
                first,
                size,
                threads=self._threads,
                timelimit=limit,
                progress=self._look(),
            )
            self.counts += counts.reshape(self.counts.shape) * moves[:, :, np.newaxis]
            first += size

    def _look(self) -> Report | None:
        """The progress to be reported from here on."""
        report = self._progress
        if report is None:
            return None
        done = int(self.counts.sum())
        return lambda more, _: report(done + more, self.n)


def _after(position: Position, move: int) -> Position:
    child = position.copy()
    child.push(move)
    return child


def _end_of(position: Position) -> Position:
    """A finished position of the same game: in a batch it is no work."""
    end = position.copy()
    while end.status < 0:
        end.push(end.legal_moves[0])
    return end


def _play_equally(stages: _Stages, legal: Mask) -> Mask:
    """n / m games after each of m moves, the first n mod m moves one more; all are compared."""
    n = stages.n
    size = np.maximum(legal.sum(axis=1), 1)
    stages.play(1, legal, n // size)
    first_moves = legal.cumsum(axis=1) <= (n % size)[:, np.newaxis]
    stages.play(2, legal & first_moves, np.ones_like(size))
    return legal


def _halve(stages: _Stages, legal: Mask, compare: _Compare) -> Mask:
    """Sequential halving; the moves of the last round are compared.

    A round takes its share of the games that are left.
    """
    rounds = np.ceil(np.log2(np.maximum(legal.sum(axis=1), 2))).astype(np.int64)
    left = np.full(len(legal), stages.n)
    moves = legal
    for to_come in range(int(rounds.max()), 0, -1):  # positions with fewer rounds join in later
        size = np.maximum(moves.sum(axis=1), 1)
        games = np.where(rounds >= to_come, left // (size * to_come), 0)
        stages.play(to_come, moves, games, 1 / to_come)
        left -= games * size
        if to_come > 1:
            better = _better_half(stages.counts, moves, compare)
            moves = np.where((rounds >= to_come)[:, np.newaxis], better, moves)
    return moves


def _better_half(counts: NDArray[np.int64], moves: Mask, compare: _Compare) -> Mask:
    """The better half of some moves, rounded up, and those that equal its last."""
    wanted = (moves.sum(axis=1) + 1) // 2
    better = np.zeros_like(moves)
    while (short := better.sum(axis=1) < wanted).any():
        better |= compare(counts, moves & ~better) & short[:, np.newaxis]
    return better


# ---- of one position -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class PmcResult:
    """The result of `pmc`: the move, and what came of the random games after each of M moves.

    start       the position (a copy)
    move        the chosen move, in the terms of the object given (an int for a Position)
    moves       int32 (M,): the legal moves, in the order of the object given
    counts      int64 (M, 3): games after each move that the first side won, the second won, draws
    candidates  int32: the moves that are best, one of which was chosen by lot
    own_moves   the legal moves once more, in the terms of the object given
    rules       n, criterion and allocation
    seed        int: the key that repeats the result

    >>> import mbx
    >>> result = mbx.pmc(mbx.games.MARUBATSU.from_text("oo./xx./..."), 100, seed=1)
    >>> result.move, result.moves.tolist(), float(result.scores[0])
    (2, [2, 5, 6, 7, 8], 1.0)
    """

    start: Position
    move: Any
    moves: NDArray[np.int32]
    counts: NDArray[np.int64]
    candidates: NDArray[np.int32]
    own_moves: list[Any]
    rules: PmcRules
    seed: int

    @property
    def playouts(self) -> int:
        """The number of games in all."""
        return int(self.counts.sum())

    @property
    def shares(self) -> NDArray[np.float64]:
        """float64 (M, 2): shares of wins of the side to move and of draws; 0 without a game."""
        played = np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        shares: NDArray[np.float64] = self.counts[:, [self.start.turn, 2]] / played
        return shares

    @property
    def scores(self) -> NDArray[np.float64]:
        """float64 (M,): expected scores of the side to move, wins + draws / 2."""
        scores: NDArray[np.float64] = self.shares @ [1.0, 0.5]
        return scores

    @property
    def title(self) -> str:
        """The position and the choice in a few words."""
        what = f"PMC with {self.playouts:,} games chooses {self.move}"
        return f"{position_title(self.start)}: {what}"

    def _cells(self) -> list[list[str]]:
        rows = [["move", "games", "win", "draw", "score"]]
        games, shares = self.counts.sum(axis=1).tolist(), self.shares.tolist()
        columns = zip(self.own_moves, games, shares, self.scores.tolist(), strict=True)
        for move, number, (win, draw), score in columns:
            rows.append([str(move), f"{number:,}", f"{win:.2%}", f"{draw:.2%}", f"{score:.2%}"])
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._cells())])

    def __repr__(self) -> str:
        return f"<PmcResult: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._cells())

    def plot(self, ax: Axes | None = None) -> Axes:
        """The shares of wins and draws by move, one above the other; returns ax."""
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        names = [str(move) for move in self.own_moves]
        wins, draws = self.shares.T
        ax.bar(names, wins, label="win")
        ax.bar(names, draws, bottom=wins, label="draw", alpha=0.5)
        ax.set_ylim(0, 1)
        ax.set_xlabel("move")
        ax.set_ylabel("share of the games after it")
        ax.set_title(self.title)
        ax.legend()
        return ax


def pmc(
    pos: Any,
    n: int = 10_000,
    criterion: Criterion = "win",
    *,
    allocation: Allocation = "uniform",
    timelimit: float | None = None,
    seed: Seed = None,
    threads: int | None = None,
    progress: Progress = None,
) -> PmcResult:
    """Choose a move by primitive Monte Carlo: n random games, the move that did best in them.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  criterion "win":
    the largest share of wins for the side to move, of equals the largest share of draws; "score":
    the largest wins + draws / 2.  Ties are broken evenly, from the seed.  A move without a game has
    share 0.

    allocation: "uniform", n games whose first moves are random too, as in the article; "equal",
    n / m after each of m moves (the first n mod m of them one more); "halving", sequential halving
    (Karnin, Koren, Somekh 2013): ceil(log2 m) rounds of about as many games each, the worse half of
    the moves (but none that equals one of the better half) leaves after each, and the moves of the
    last round are compared.  Halving leaves up to as many games unplayed as moves are left.

    timelimit, in seconds of wall time, ends the games early: `playouts` tells how many were played.
    The result is otherwise a function of the arguments and the seed, whatever the threads.
    progress: True for a bar, or a callable progress(done, total), in games.

    Raises GameOverError for a finished position, TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> trap = mbx.games.MARUBATSU.from_text("o../.x./..o")
    >>> mbx.pmc(trap, 10**6, seed=1).move in (2, 6)  # corners, which lose to best play
    True
    """
    rules = PmcRules(n, criterion, allocation)
    source = read_source(pos)
    check_goes_on(source.position)
    key = seed_key(seed)
    with reporting(progress) as report:
        counts, best = play_and_compare(
            rules,
            [source.position],
            key,
            0,
            threads=threads,
            timelimit=timelimit,
            progress=report if progress else None,
        )
    moves = source.position.legal_moves[source.rows]
    chosen = draw_moves(best, key, 0)[0]
    return PmcResult(
        start=source.position,
        move=source.moves[moves.tolist().index(chosen)],
        moves=moves,
        counts=counts[0, moves],
        candidates=moves[best[0, moves]],
        own_moves=source.moves,
        rules=rules,
        seed=key,
    )

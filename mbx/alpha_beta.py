"""Alpha-beta: `alphabeta`, and `AlphaBeta`, a search whose table is kept from position to position.

docs/alphabeta.md defines what is searched for.  The core searches to one depth at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .alpha_beta_options import (
    ALGORITHMS,
    EXTEND,
    SYMMETRY,
    TABLE,
    Evaluation,
    Ordering,
    read_evaluation,
    read_name,
    read_ordering,
    read_switch,
    read_table,
    read_threats,
    read_weights,
    read_window,
)
from .alpha_beta_result import AlphaBetaResult
from .convert import read_moves
from .deepening import CalledEvaluation, Deepening
from .errors import GameOverError
from .position import Position
from .work import Progress, read_count, read_timelimit, reporting
from .workers import run_in_threads

DEPTH = 6  # where neither a depth nor a time is given
OPTIONS = (
    "algorithm",
    "evaluation",
    "weights",
    "threats",
    "ordering",
    "table",
    "symmetry",
    "extend",
    "deepen",
)


class AlphaBeta:
    """Searches positions of one game to a depth, by minimax or one of its faster equals.

    Evaluation, weights, threats and extend make the value of a depth what it is; the algorithm and
    the other options change only how many positions are visited.

    game        a Game
    algorithm   "minimax"    visits every position
                "alphabeta"  leaves out what cannot change the value
                "scout"      asks of all moves but the first only whether they are better
                "pvs"        the same (principal variation search), and begins each depth with a
                             narrow window around the value that it expects
                "mtdf"       asks only whether the value is at least so much, until it is known
    evaluation  "lines"      the stones of each line that one side alone is in
                "threats"    the same, and the cells that complete a line: those open now, and
                             under gravity those that parity gives to a side
                a callable   evaluation(boards) -> integers (B,) for the side to move, on int8
                             boards (B, *reversed shape), as to_array gives them (-1 empty, 0 first,
                             1 second; to move is the side with fewer stones), of positions that are
                             not finished
    weights     what a line with 1, 2, …, k - 1 stones is worth, ints; 1, 3, 9, … by default
    threats     what a cell that completes a line is worth that is open, that parity gives to the
                side, that it gives to the other one; three ints
    ordering    True: the moves that promise most come first.  False: ascending, in the least image
                of the position.  Or some of
                "forced"     a move that completes a line, or keeps the other side from it
                "table"      the best move of an earlier search
                "killers"    moves that cut off positions nearby
                "history"    moves that cut off often
                "gain"       moves that gain most in the evaluation by lines
    table       entries of the table of positions searched before (24 bytes each), or None: no table
    symmetry    of moves at the root that are images of each other search one
    extend      replies to a threat to complete a line cost no depth, so that forced sequences are
                followed to their end
    deepen      search depth 1, 2, … up to the one asked for: each finds good moves for the next.
                None: yes, except with "minimax" where only a depth is given

    "minimax" visits every position: it has no use for ordering, table and symmetry.

    The attributes game, algorithm, evaluation (its name), weights and threats (lists) tell what it
    searches by.  It can be pickled and copied; a copy begins with an empty table.

    Searches are deterministic.  Images of a position under a symmetry of the game have the same
    values, and moves that are images of each other (not with a callable, which sees the boards).

    Raises TypeError and ValueError for bad arguments, TooLargeError for a table that does not fit.

    Sources: Knuth, Moore: An analysis of alpha-beta pruning (1975); Pearl: Scout (1980); Marsland,
    Campbell: Parallel search of strongly ordered game trees (1982, principal variation search);
    Plaat, Schaeffer, Pijls, de Bruin: Best-first fixed-depth minimax algorithms (1996, MTD(f)).

    >>> import mbx
    >>> search = mbx.AlphaBeta(mbx.games.RITTAI_GOMOKU, algorithm="minimax")
    >>> search.search(mbx.games.RITTAI_GOMOKU.start(), 3).nodes
    16276
    """

    def __init__(
        self,
        game: _core.Game,
        *,
        algorithm: str = "pvs",
        evaluation: Evaluation = "lines",
        weights: Any = None,
        threats: Any = None,
        ordering: Ordering = True,
        table: SupportsIndex | None = TABLE,
        symmetry: bool = True,
        extend: bool = False,
        deepen: bool | None = None,
    ) -> None:
        if not isinstance(game, _core.Game):
            raise TypeError(f"game must be a Game, not {game!r}")
        self.game = game
        self.algorithm = read_name(algorithm, "algorithm", ALGORITHMS)
        self.evaluation = evaluation if isinstance(evaluation, str) else "a function"
        kind = read_evaluation(evaluation)
        self._called = evaluation if callable(evaluation) else None
        line_weights = read_weights(weights, game)
        threat_weights = read_threats(threats, line_weights)
        self.weights: list[int] = line_weights.tolist()
        self.threats: list[int] = threat_weights.tolist()
        bits = read_ordering(ordering) | SYMMETRY * read_switch(symmetry, "symmetry")
        entries = read_table(table)
        if self.algorithm == "minimax":
            bits = entries = 0
        self._deepen = None if deepen is None else read_switch(deepen, "deepen")
        self._core = _core.AlphaBeta(
            game,
            ALGORITHMS.index(self.algorithm),
            kind,
            line_weights,
            threat_weights,
            entries,
            bits | EXTEND * read_switch(extend, "extend"),
        )
        self._options = {
            "algorithm": self.algorithm,
            "evaluation": evaluation,
            "weights": self.weights,
            "threats": self.threats,
            "ordering": ordering if isinstance(ordering, bool) else tuple(ordering),
            "table": table,
            "symmetry": symmetry,
            "extend": extend,
            "deepen": deepen,
        }
        self._lock = threading.Lock()
        self._searcher: int | None = None  # the thread that searches
        self._deepening: Deepening | None = None

    def search(
        self,
        pos: Any,
        depth: SupportsIndex | None = None,
        *,
        timelimit: float | None = None,
        scores: bool = False,
        window: tuple[int, int] | None = None,
        progress: Progress = None,
    ) -> AlphaBetaResult:
        """Search a position of the game to a depth in plies, or as deep as `timelimit` allows.

        pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  depth is 6
        where neither it nor timelimit (seconds) is given.  The search ends before where a win or
        loss is proven, or the end of the game is reached.  After the time the result is that of the
        deepest depth that was searched to its end, 1 at least.

        scores=True finds the exact scores of all moves, which takes longer; otherwise those that
        are not better than the chosen one have bounds only.

        window=(alpha, beta) asks less at `depth`: a value up to alpha is then a bound that the
        score does not exceed, from beta on one that it reaches; between them it is the score.  A
        window (v - 1, v), without width, asks whether the score is at least v.

        progress: True for a bar, or a callable progress(done, total), in plies.

        One thread searches at a time; another one waits.

        Raises GameOverError for a finished position, TypeError and ValueError for bad arguments,
        RuntimeError where its own evaluation uses it.
        """
        start = time.monotonic()
        deadline = start + read_timelimit(timelimit)
        position, moves = read_moves(pos)
        if position.status >= 0:
            raise GameOverError("the game is over: there is nothing to search")
        if position.game != self.game:
            raise ValueError(f"the position must be of {self.game!r}, not of {position.game!r}")
        depths = self._depths(position, depth, timelimit)
        scores = read_switch(scores, "scores")
        if window is not None and (scores or depth is None):
            raise ValueError(f"window is for a depth, without scores, not {window!r}")
        with self._alone(), reporting(progress) as report:
            deepening = self._deepening = self._begin(position, moves, scores, start)
            deepening.windows[depths[-1]] = read_window(window)
            self._run(deepening, depths, deadline, report)
            return deepening.result()

    def search_here(
        self, position: Position, depth: int, scores: bool, cancel: bytearray
    ) -> AlphaBetaResult | None:
        """Search in this thread, for callers with threads of their own; None where cancel ends it.

        The evaluation must not be a function.
        """
        with self._alone():
            deepening = self._begin(position, position.legal_moves, scores, time.monotonic())
            self._deepening = deepening
            for each in self._depths(position, depth, None):
                if not deepening.stop and not deepening.search(each, cancel, None):
                    return None
            return deepening.result()

    @property
    def found(self) -> AlphaBetaResult | None:
        """What the last search found, also if Ctrl-C ended it; None if nothing.

        >>> import mbx
        >>> mbx.AlphaBeta(mbx.games.MARUBATSU).found is None
        True
        """
        deepening = self._deepening
        return deepening.result() if deepening is not None and deepening.rows else None

    @property
    def nodes(self) -> int:
        """Positions visited in the last search, also if something ended it.

        >>> import mbx
        >>> mbx.AlphaBeta(mbx.games.MARUBATSU).nodes
        0
        """
        return self._core.nodes

    def clear(self) -> None:
        """Forget what earlier searches found."""
        with self._alone():
            self._core.clear()

    def _begin(
        self, position: Position, moves: NDArray[np.int32], scores: bool, start: float
    ) -> Deepening:
        self._core.set(position)
        names = self.algorithm, self.evaluation
        return Deepening(self._core, names, position, moves, scores=scores, start=start)

    def _depths(
        self, position: Position, depth: SupportsIndex | None, timelimit: float | None
    ) -> range:
        """The depths to search; deeper than the game goes there is nothing."""
        left = self.game.n_cells - position.ply
        most = left if depth is None else min(read_count(depth, "depth", 1), left)
        if depth is None and timelimit is None:
            most = min(DEPTH, left)
        if self._deepen is False and timelimit is not None:
            raise ValueError("deepen must not be False with a timelimit, which ends between depths")
        deepens = self._deepen or timelimit is not None or self.algorithm != "minimax"
        return range(1 if deepens and self._deepen is not False else most, most + 1)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads waiting; RuntimeError in the thread that searches already."""
        if self._searcher == threading.get_ident():
            raise RuntimeError("this AlphaBeta is searching: what it calls needs another one")
        with self._lock:
            self._searcher = threading.get_ident()
            try:
                yield
            finally:
                self._searcher = None

    def _run(
        self,
        deepening: Deepening,
        depths: range,
        deadline: float,
        report: Callable[[int, int], object],
    ) -> None:
        def look() -> None:
            report(len(deepening.rows), len(depths))

        cancel = bytearray(1)
        evaluate = (
            None if self._called is None else CalledEvaluation(self._called, deepening, deadline)
        )

        def deepen(may_go_on: Callable[[int], bool]) -> None:
            """Search depth after depth, as long as there is need and may_go_on(depth) says yes."""
            for depth in depths[len(deepening.rows) :]:
                if deepening.stop or not may_go_on(depth):
                    return
                is_late = bool(deepening.rows) and time.monotonic() >= deadline
                if is_late or not deepening.search(depth, cancel, evaluate):
                    is_over = time.monotonic() >= deadline
                    deepening.stop = "time" if is_over else "interrupted"
                if evaluate is not None:
                    look()

        if evaluate is not None:
            deepen(lambda _: True)  # in the caller's thread, as the function expects
        else:
            deepen(deepening.is_quick)
            if not deepening.stop and len(deepening.rows) < len(depths):
                run_in_threads(lambda: deepen(lambda _: True), 1, cancel, look, deadline)
        look()
        if deepening.stop == "proven":
            report(len(depths), len(depths))

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self.game, self._options)

    def __repr__(self) -> str:
        return f"<AlphaBeta: {self.algorithm}, {self.evaluation}>"


def _make(kind: type[AlphaBeta], game: _core.Game, options: dict[str, Any]) -> AlphaBeta:
    """An AlphaBeta of its options."""
    return kind(game, **options)


def alphabeta(
    pos: Any,
    depth: SupportsIndex | None = None,
    *,
    timelimit: float | None = None,
    scores: bool = False,
    window: tuple[int, int] | None = None,
    progress: Progress = None,
    **options: Any,
) -> AlphaBetaResult:
    """Search a position to a depth in plies, or as deep as `timelimit` seconds allow.

    The same as AlphaBeta(game of pos, **options).search(pos, depth, …): see both.  depth is 6 where
    neither it nor timelimit is given.

    >>> import mbx
    >>> start = mbx.games.RITTAI_GOMOKU.start()
    >>> result = mbx.alphabeta(start, 5, weights=(1, 4, 12, 40))
    >>> result.value, result.move, result.depth
    (11, 0, 5)
    >>> mbx.alphabeta(start, 5, weights=(1, 4, 12, 40), algorithm="minimax").value
    11
    """
    if unknown := options.keys() - OPTIONS:
        raise TypeError(f"{min(unknown)!r} is no option of alphabeta, whose options are {OPTIONS}")
    position, _ = read_moves(pos)
    return AlphaBeta(position.game, **options).search(
        pos, depth, timelimit=timelimit, scores=scores, window=window, progress=progress
    )

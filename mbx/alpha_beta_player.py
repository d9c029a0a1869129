"""Alpha-beta as a player of matches."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import _core
from .alpha_beta import AlphaBeta
from .alpha_beta_options import Evaluation, read_evaluation
from .alpha_beta_result import AlphaBetaResult
from .choosing import draw_moves
from .deepening import QUICK_NODES
from .players import Player
from .position import Position
from .work import read_count, read_threads, read_timelimit
from .workers import run_in_threads


@dataclass(frozen=True)
class AlphaBetaPlayer(Player):
    """Plays by alpha-beta: AlphaBetaPlayer(depth=4, evaluation="lines", extend=False, …).

    depth       plies
    evaluation  "lines", "threats" or a callable; this, weights and extend are those of
                mbx.AlphaBeta
    timelimit   seconds for each move, in place of depth
    vary        draw evenly among the moves with the best score; this takes longer, as all scores
                are searched for.  Otherwise it always plays the same move in a position, the one
                that mbx.alphabeta chooses

    A match between two players that do not vary needs openings: from one start it is one game, over
    and over.  Where the time is limited or a callable evaluates, one position is searched after the
    other, whatever the threads.

    >>> import mbx
    >>> mbx.AlphaBetaPlayer(depth=2)(mbx.games.MARUBATSU.from_text("oo./xx./..."))
    2
    """

    depth: int = 4
    evaluation: Evaluation = "lines"
    weights: Sequence[int] | None = None
    extend: bool = False
    timelimit: float | None = None
    vary: bool = False

    def __post_init__(self) -> None:
        read_count(self.depth, "depth", 1)
        read_evaluation(self.evaluation)
        read_timelimit(self.timelimit)
        if self.weights is not None:
            object.__setattr__(self, "weights", _read_ints(self.weights))

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """Moves for some positions: see Player."""
        game = positions[0].game
        best = np.zeros((len(positions), game.n_moves), np.bool_)
        playing = [row for row, position in enumerate(positions) if position.status < 0]
        rows, cancel = iter(playing), bytearray(1)

        def search() -> None:
            engine = self._make(game)
            for row in rows:
                engine.clear()  # what is known of other positions decides between equal moves
                result = self._search(engine, positions[row], cancel)
                if result is None:
                    return
                best[row, self._best(result)] = True

        if self._searches_in_turn or len(playing) * self._expected_nodes(game) <= QUICK_NODES:
            search()
        else:
            run_in_threads(search, min(read_threads(threads), len(playing)), cancel, lambda: None)
        return draw_moves(best, key, first_row).tolist()

    @property
    def _searches_in_turn(self) -> bool:
        return self.timelimit is not None or callable(self.evaluation)

    def _make(self, game: _core.Game) -> AlphaBeta:
        return AlphaBeta(game, evaluation=self.evaluation, weights=self.weights, extend=self.extend)

    def _search(
        self, engine: AlphaBeta, position: Position, cancel: bytearray
    ) -> AlphaBetaResult | None:
        """What it finds; None where cancel ended it."""
        if not self._searches_in_turn:
            return engine.search_here(position, self.depth, self.vary, cancel)
        depth = self.depth if self.timelimit is None else None
        return engine.search(position, depth, timelimit=self.timelimit, scores=self.vary)

    def _best(self, result: AlphaBetaResult) -> list[int]:
        """The moves that it may play."""
        if self.vary:
            return result.moves[result.value_lower == result.value].tolist()
        return [result.move]

    def _expected_nodes(self, game: _core.Game) -> float:
        """Of a search, at most about."""
        return float(game.n_moves) ** (0.75 * min(self.depth, 40))

    def __str__(self) -> str:
        effort = str(self.depth) if self.timelimit is None else f"{self.timelimit:g} s"
        evaluation = self.evaluation
        if not isinstance(evaluation, str):
            evaluation = str(getattr(evaluation, "__name__", type(evaluation).__name__))
        options = {
            evaluation: evaluation != "lines",
            f"weights {'-'.join(map(str, self.weights or ()))}": self.weights is not None,
            "extend": self.extend,
            "vary": self.vary,
        }
        return " ".join(["alpha-beta", effort, *(name for name, on in options.items() if on)])


def _read_ints(weights: Sequence[int]) -> tuple[int, ...]:
    try:
        return tuple(operator.index(weight) for weight in weights)
    except TypeError:
        raise TypeError(f"weights must be ints, not {weights!r}") from None

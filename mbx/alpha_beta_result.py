"""What an alpha-beta search found: the scores of the moves, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import _core
from .search_result import SearchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIN = _core.WIN  # less the plies to it
SURE = _core.SURE  # scores from here on are wins


@dataclass(frozen=True, eq=False)
class Iterations:
    """The depths that were searched one after the other, D of them.

    depths   int64 (D,)
    values   int64 (D,): of the root, for its side to move
    moves    int64 (D,): the chosen ones
    nodes    int64 (D,): of this depth alone
    seconds  float64 (D,): of this depth alone
    """

    depths: NDArray[np.int64]
    values: NDArray[np.int64]
    moves: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AlphaBetaResult(SearchResult):
    """The result of `alphabeta`, for the side to move at the root; M legal moves.

    Scores are integers: what the evaluation says; a win n plies later is worth 100,000,000 - n, a
    loss -(100,000,000 - n).

    The fields of every SearchResult; of these
    value        int: the score of the root; a bound of it where that lies outside of a `window`
    values       float64 (M,): the scores of the moves, nan where only bounds are known
    nodes        int: positions visited, at all depths together
    depth        int: the depth that value is for; plies
    stop         "depth", "time", "proven" (no deeper search can change it), or "interrupted"
    and besides
    value_lower, value_upper  int32 (M,): bounds of the moves' scores; equal: the score
    iterations   Iterations: the same for each depth on the way
    algorithm    its name
    evaluation   its name
    relation     what value says of the score: "exactly"; with a `window`, "at least" or "at most"

    >>> import mbx
    >>> result = mbx.alphabeta(mbx.games.CONNECT_FOUR.position("4455"), 8)
    >>> print(result.title)
    7×6, 4 in a row, gravity: o to move: move 2, a win in 3 plies
    >>> result.value, result.distance, result.proven
    (99999997, 3, True)
    """

    value: int
    value_lower: NDArray[np.int32]
    value_upper: NDArray[np.int32]
    iterations: Iterations
    algorithm: str
    evaluation: str
    relation: str = "exactly"

    @property
    def distance(self) -> int | None:
        """Plies to the end of the game, if the root is proven to be won, drawn or lost."""
        if not self.proven or self.relation != "exactly":
            return None
        won_or_lost = abs(self.value) >= SURE
        return WIN - abs(self.value) if won_or_lost else self.start.game.n_cells - self.start.ply

    @property
    def _worth(self) -> str:
        words = score_in_words(self.value) if abs(self.value) >= SURE else self._score
        return words if self.relation == "exactly" else f"{self.relation} {words}"

    @property
    def _score(self) -> str:
        return f"score {self.value}{self._proven_as}"

    @property
    def _note(self) -> str:
        return (
            f"{self.algorithm}, {self.evaluation}: depth {self.depth}, {self.nodes:,} nodes, "
            f"{self.seconds:.3g} s; expected: {' '.join(map(str, self.variation))}"
        )

    def _rows(self) -> list[list[str]]:
        rows = [["move", "score"]]
        bounds = zip(self.value_lower.tolist(), self.value_upper.tolist(), strict=True)
        for move, (low, high) in zip(self.moves.tolist(), bounds, strict=True):
            rows.append([str(move), bounds_in_words(low, high)])
        return rows

    def plot(self, ax: Axes | None = None) -> Axes:
        """The scores of the moves as bars, pale where the score is a bound; returns ax.

        Wins and losses are drawn as long as the picture is high.
        """
        from .alpha_beta_plots import plot_scores

        return plot_scores(self, ax)

    def plot_depths(self, ax: Axes | None = None) -> Axes:
        """The nodes and the seconds that every depth took, on logarithmic axes; returns ax."""
        from .alpha_beta_plots import plot_depths

        return plot_depths(self, ax)


def score_in_words(score: int) -> str:
    """A score as a person says it.

    >>> score_in_words(-12), score_in_words(99_999_995), score_in_words(-99_999_998)
    ('-12', 'a win in 5 plies', 'a loss in 2 plies')
    """
    plies = WIN - abs(score)
    if abs(score) < SURE:
        return str(score)
    return f"a {'win' if score > 0 else 'loss'} in {plies} {'ply' if plies == 1 else 'plies'}"


def bounds_in_words(lower: int, upper: int) -> str:
    """What is known of a score as a person says it.

    >>> bounds_in_words(3, 3), bounds_in_words(-WIN, 3), bounds_in_words(3, WIN)
    ('3', 'at most 3', 'at least 3')
    >>> bounds_in_words(3, 5), bounds_in_words(-WIN, WIN)
    ('from 3 to 5', 'not searched')
    """
    if lower == upper:
        return score_in_words(lower)
    least = score_in_words(lower) if lower > -WIN else ""
    most = score_in_words(upper) if upper < WIN else ""
    if least and most:
        return f"from {least} to {most}"
    if least or most:
        return f"at least {least}" if least else f"at most {most}"
    return "not searched"

"""Matches of two players: who wins how often, how sure that is, and what is exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .alpha_beta_player import AlphaBetaPlayer
from .choosing import check_goes_on
from .converge import Z95
from .convert import as_position
from .exact import outcome_probabilities
from .games import MARUBATSU
from .lockstep import PLY, CalledPlayer, name_of, play_match
from .mcts_player import MctsPlayer
from .players import PerfectPlayer, Player, PmcPlayer, RandomPlayer
from .position import Position
from .seeds import Seed
from .solve_layers import few_below
from .svg import position_title
from .tables import html_table, text_table
from .work import Progress, read_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED: dict[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "pmc": PmcPlayer,
    "mcts": MctsPlayer,
    "alphabeta": AlphaBetaPlayer,
    "perfect": PerfectPlayer,
}
RESULTS = ("win", "loss", "draw")


@dataclass(frozen=True, eq=False, repr=False)
class MatchResult:
    """The result of `match`, seen from its first player, a.

    start    the position that all games start from (a copy)
    names    of the players, a and b
    counts   int64 (2, 3): rows, a moves first, a moves second; columns, a wins, a loses, draws
    exact    float64 (2, 3): the exact chances of these; None where they are not known
    games    the number of games with each colour
    seed     int: the key that repeats the match
    seconds  float: of wall time

    >>> import mbx
    >>> print(mbx.match("perfect", "random", 1000, seed=1))
    perfect against random, 2 × 1,000 games of 3×3, 3 in a row: o to move
    <BLANKLINE>
    perfect moves        games   share    95 %           exact
    first           win    965  96.50%  95.17%  97.47%  96.78%
    first          loss      0   0.00%   0.00%   0.38%   0.00%
    first          draw     35   3.50%   2.53%   4.83%   3.22%
    second          win    795  79.50%  76.89%  81.89%  77.75%
    second         loss      0   0.00%   0.00%   0.38%   0.00%
    second         draw    205  20.50%  18.11%  23.11%  22.25%
    <BLANKLINE>
    score of perfect: 0.9400, 95 %: 0.9330 to 0.9470, exactly 0.9363
    """

    start: Position
    names: tuple[str, str]
    counts: NDArray[np.int64]
    exact: NDArray[np.float64] | None
    games: int
    seed: int
    seconds: float

    @property
    def shares(self) -> NDArray[np.float64]:
        """float64 (2, 3): counts / games."""
        return self.counts / self.games

    @property
    def intervals(self) -> NDArray[np.float64]:
        """float64 (2, 3, 2): where the chances are, with a confidence of 95 % each (Wilson)."""
        n, z = self.games, Z95
        shares = self.shares[:, :, np.newaxis]
        spread = z * np.sqrt(shares * (1 - shares) / n + (z / (2 * n)) ** 2) * [-1, 1]
        intervals: NDArray[np.float64] = (shares + z**2 / (2 * n) + spread) / (1 + z**2 / n)
        return intervals.clip(0, 1)

    @property
    def score(self) -> float:
        """The share of all points that went to a: 1 for a win, 1/2 for a draw."""
        return float((self.shares @ POINTS).mean())

    @property
    def score_interval(self) -> tuple[float, float]:
        """Where a's expected score is, with a confidence of 95 %.

        Of c games with a result it is taken that the chance is (c + 1) / (games + 3), so that a
        result not seen yet does not pass for impossible.
        """
        chances = (self.counts + 1) / (self.games + 3)
        variances = chances @ POINTS**2 - (chances @ POINTS) ** 2
        error = Z95 * float(np.sqrt(variances.sum() / self.games)) / 2
        return max(self.score - error, 0.0), min(self.score + error, 1.0)

    @property
    def exact_score(self) -> float | None:
        """The expected score of a, where the exact chances are known."""
        return None if self.exact is None else float((self.exact @ POINTS).mean())

    @property
    def title(self) -> str:
        """Who plays whom at what."""
        a, b = self.names
        return f"{a} against {b}, 2 × {self.games:,} games of {position_title(self.start)}"

    @property
    def _note(self) -> str:
        low, high = self.score_interval
        exact = "" if self.exact_score is None else f", exactly {self.exact_score:.4f}"
        return f"score of {self.names[0]}: {self.score:.4f}, 95 %: {low:.4f} to {high:.4f}{exact}"

    def _cells(self) -> list[list[str]]:
        """The table: a row for every colour and result."""
        exact = [] if self.exact is None else ["exact"]
        rows = [[f"{self.names[0]} moves", "", "games", "share", "95 %", "", *exact]]
        for colour, side in enumerate(("first", "second")):
            for i, result in enumerate(RESULTS):
                low, high = self.intervals[colour, i].tolist()
                row = [side, result, f"{self.counts[colour, i]:,}"]
                row += [f"{share:.2%}" for share in (self.shares[colour, i], low, high)]
                if self.exact is not None:
                    row.append(f"{self.exact[colour, i]:.2%}")
                rows.append(row)
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._cells()), "", self._note])

    def __repr__(self) -> str:
        return f"<MatchResult: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._cells(), [self._note])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The shares of wins, draws and losses by colour, side by side; returns ax."""
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        a = self.names[0]
        colours = [f"{a} moves second", f"{a} moves first"]
        left = np.zeros(2)
        for i, shade in ((0, "C0"), (2, "0.8"), (1, "C3")):
            shares = self.shares[::-1, i]
            ax.barh(colours, shares, left=left, color=shade, label=RESULTS[i])
            left += shares
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of the games")
        ax.set_title(self.title)
        ax.legend(loc="upper center", ncols=3)
        return ax


POINTS = np.array([1.0, 0.0, 0.5])


def match(
    a: Any,
    b: Any,
    games: int = 1000,
    *,
    start: Any = None,
    seed: Seed = None,
    threads: int | None = None,
    progress: Progress = None,
) -> MatchResult:
    """Play `games` games with each colour between two players, and count what comes of them.

    a, b: players of mbx (RandomPlayer, PmcPlayer, MctsPlayer, AlphaBetaPlayer, PerfectPlayer),
    "random", "pmc", "mcts", "alphabeta" or "perfect" for the usual ones, or any callable of a
    Position that returns a move; it is handed a copy.  start: a position of any kind, 〇×ゲーム
    from the empty board where nothing is said.

    Players of mbx play many games at once in the core, with threads; the result is then a function
    of the arguments and the seed alone.  A callable is called move by move; with a seed, Python's
    `random` starts from it during the match and is put back after.  progress: True for a bar, or a
    callable progress(done, total), in games.

    Where both players follow a known policy (random, perfect) and the positions are few, the exact
    chances stand beside the counts.

    Raises GameOverError for a finished start, TypeError and ValueError for bad arguments,
    IllegalMoveError for an illegal move of a callable.

    >>> import mbx
    >>> result = mbx.match("perfect", mbx.PmcPlayer(100), 200, seed=1)
    >>> int(result.counts[0, 1]), int(result.counts[1, 1])  # best play never loses
    (0, 0)
    """
    players = _read_player(a, "a"), _read_player(b, "b")
    games = read_count(games, "games", 1)
    if games > PLY // 2:
        raise ValueError(f"games must be at most {PLY // 2:,}, not {games:,}")
    position = MARUBATSU.start() if start is None else as_position(start)
    check_goes_on(position)
    began = perf_counter()
    counts, key = play_match(
        players, position, games, seed=seed, threads=threads, progress=progress
    )
    return MatchResult(
        start=position,
        names=(str(players[0]), str(players[1])),
        counts=counts,
        exact=_exact(players, position),
        games=games,
        seed=key,
        seconds=perf_counter() - began,
    )


def _read_player(player: Any, name: str) -> Player:
    if isinstance(player, str):
        if player not in NAMED:
            names = ", ".join(map(repr, NAMED))
            raise ValueError(f"{name} must be one of {names}, not {player!r}")
        return NAMED[player]()
    if isinstance(player, type) or not callable(player):
        what = "a player, its name or a callable of a Position"
        raise TypeError(f"{name} must be {what}, not {player!r}")
    if callable(getattr(player, "choose", None)):
        chosen: Player = player
        return chosen
    return CalledPlayer(name_of(player), lambda position: player(position.copy()))


def _exact(players: tuple[Player, Player], start: Position) -> NDArray[np.float64] | None:
    """The exact chances (2, 3) of the columns of `counts`, or None."""
    a, b = (getattr(player, "policy", None) for player in players)
    if a is None or b is None or not few_below(start):
        return None
    rows = []
    for side in (start.turn, 1 - start.turn):  # that a is on
        chances = outcome_probabilities(start, *((a, b) if side == 0 else (b, a)))
        rows.append(chances[[side, 1 - side, 2]])
    return np.array(rows)

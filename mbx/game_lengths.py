"""How long games are: numbers of games and chances of random play, by length and outcome."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .forward import sweep_forward
from .layers import Layers
from .position import Position
from .tables import html_table, text_table
from .text import OUTCOMES
from .ways import count_games, count_ways
from .work import Progress

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes


@dataclass(frozen=True)
class GameLengths:
    """The games from a position on, by the number of plies that they last and by outcome.

    Row d of the arrays is for games that end after d more plies; columns are first wins, second
    wins, draw.

    >>> import mbx
    >>> lengths = mbx.build_graph(mbx.games.MARUBATSU.start()).games()
    >>> lengths.n_games, lengths.games[5].tolist(), round(lengths.mean, 9)
    (255168, [1440, 0, 0], 7.626190476)
    """

    games: NDArray[Any]  # object, (n, 3): the number of games (sequences of moves), ints
    chances: NDArray[np.float64]  # (n, 3): the chance of random play to end so
    fractions: list[list[Fraction]] | None  # the same exactly; None where that takes over 127 bits

    @property
    def n_games(self) -> int:
        """Number of games in all."""
        return int(self.games.sum())

    @cached_property
    def mean(self) -> float:
        """The expected number of plies of a random game."""
        if self.fractions is not None:
            return float(sum(length * sum(row) for length, row in enumerate(self.fractions)))
        return float(np.arange(len(self.chances)) @ self.chances.sum(axis=1))

    def _rows(self) -> list[list[str]]:
        head = ["plies", "games", *OUTCOMES, "chance"]
        rows = [
            [f"{n}", f"{sum(row):,}", *(f"{count:,}" for count in row), f"{chance:.6f}"]
            for n, row, chance in zip(
                range(len(self.games)),
                self.games.tolist(),
                self.chances.sum(axis=1).tolist(),
                strict=True,
            )
            if sum(row)
        ]
        totals = self.games.sum(axis=0)
        last = ["all", f"{totals.sum():,}", *(f"{total:,}" for total in totals), "1"]
        return [head, *rows, last]

    def __str__(self) -> str:
        return "\n".join([*text_table(self._rows()), f"mean length {self.mean:.6f} plies"])

    def _repr_html_(self) -> str:
        return html_table("Games by length", self._rows(), [f"mean length {self.mean:.6f} plies"])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The chances of random play by length, one bar a length with its outcomes; returns ax."""
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        lengths = np.flatnonzero(self.chances.sum(axis=1))
        below = np.zeros(len(lengths))
        for outcome, name in enumerate(OUTCOMES):
            part = self.chances[lengths, outcome]
            ax.bar(lengths, part, bottom=below, label=name)
            below += part
        ax.set_xlabel("plies")
        ax.set_ylabel("chance of random play")
        ax.set_title(f"Length of a random game: {self.mean:.3f} plies on average")
        ax.legend()
        return ax


def game_lengths(
    root: Position, plies: int, threads: int | None = None, progress: Progress = None
) -> GameLengths:
    """The games below a position, of up to so many plies.

    Raises TooLargeError where its positions do not fit in memory.
    """
    layers = Layers(root, symmetry=False)
    options: dict[str, Any] = {"max_depth": plies, "threads": threads, "progress": progress}
    games = sweep_forward(layers, ways=count_games(layers, plies), **options)
    ways = count_ways(layers)
    random_play = games
    if ways.multiple or ways.code != _core.NARROW:  # otherwise numbers of games say it all
        random_play = sweep_forward(Layers(root, symmetry=False), ways=ways, **options)
    ended = [each.ended for each in random_play]
    numbers = np.array([each.ended for each in games], dtype=object)
    if not ways.exact:
        return GameLengths(numbers, np.array(ended, np.float64), None)
    from fractions import Fraction

    totals = _numbers_of_lines(layers, ways.multiple, len(ended))
    fractions = [
        [Fraction(int(count), total) for count in row or ()]
        for row, total in zip(ended, totals, strict=True)
    ]
    return GameLengths(numbers, np.array(fractions, np.float64), fractions)


def _numbers_of_lines(layers: Layers, multiple: int, n_layers: int) -> list[int]:
    """What the ways of reaching a layer add up to, if no game ended before it.

    Under gravity multiple ** depth; otherwise the orders of so many open cells, e! / (e - depth)!.
    """
    totals = [1]
    for depth in range(n_layers - 1):
        totals.append(totals[-1] * (multiple or layers.n_cells - depth))
    return totals

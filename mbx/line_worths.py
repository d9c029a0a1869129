"""The evaluation by lines, line by line: what the alpha-beta searches look at where they stop."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from .alpha_beta_options import read_weights
from .alpha_beta_result import WIN
from .convert import as_position
from .position import Position
from .svg import FIRST, SECOND, position_title
from .tables import html_table, text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMPLETE = WIN  # worth of a complete line, to its owner


@dataclass(frozen=True, eq=False, repr=False)
class LineEvaluation:
    """The result of `line_evaluation`: what each of a game's L lines of k cells is worth.

    start    the position (a copy)
    side     0 or 1: the side that value and worths are for
    value    int: the sum of worths; of a position that is won or lost ±100,000,000
    weights  list of k - 1 ints: what a line with 1, 2, … stones of one side alone is worth to it
    lines    uint8 (L, k): the cells of the lines, those of game.lines
    first    int16 (L,): stones of the first side in each
    second   int16 (L,): stones of the second side
    worths   int64 (L,): what each is worth to `side`; a complete line is worth 100,000,000 to its
             owner

    >>> import mbx
    >>> found = mbx.line_evaluation(mbx.games.MARUBATSU.from_text("o../.x./..."))
    >>> found.worths.tolist(), found.value
    ([1, 1, 0, -1, -1, 0, -1, 0], -1)
    """

    start: Position
    side: int
    value: int
    weights: list[int]
    lines: NDArray[np.uint8]
    first: NDArray[np.int16]
    second: NDArray[np.int16]
    worths: NDArray[np.int64]

    @property
    def kinds(self) -> NDArray[np.int64]:
        """int64 (T, 4): the kinds of lines that there are, ascending by their first two columns.

        Columns: stones of the first side and of the second, how many such lines, the worth of each.
        """
        stones = np.stack([self.first, self.second], axis=1)
        kinds, of, numbers = np.unique(stones, axis=0, return_index=True, return_counts=True)
        return np.column_stack([kinds, numbers, self.worths[of]]).astype(np.int64)

    @property
    def title(self) -> str:
        """The game, the position and its value in a few words."""
        return f"{position_title(self.start)}: {self.value:,} for {'ox'[self.side]}"

    def _cells(self) -> list[list[str]]:
        """The table: a row for every kind of line, and their sum."""
        rows = [["o", "x", "lines", "each", "worth"]]
        for first, second, number, worth in self.kinds.tolist():
            row = [str(first), str(second), f"{number:,}", f"{worth:,}", f"{number * worth:,}"]
            rows.append(row)
        return [*rows, ["all", "", f"{len(self.lines):,}", "", f"{self.value:,}"]]

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._cells())])

    def __repr__(self) -> str:
        return f"<LineEvaluation: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._cells())

    def plot(self, ax: Axes | None = None) -> Axes:
        """The worth of the lines of each kind that one side alone is in, as bars; returns ax.

        Complete lines are drawn as long as the picture is high.
        """
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        first, second, numbers, worths = self.kinds[(self.kinds[:, :2] > 0).sum(axis=1) == 1].T
        worth = numbers * worths
        longest = 1.25 * max(abs(worth[abs(worths) < COMPLETE]).max(initial=0), 1)
        ax.bar(
            range(len(worth)),
            worth.clip(-longest, longest),
            color=[FIRST if stones else SECOND for stones in first.tolist()],
        )
        names = [f"{a} o" if a else f"{b} x" for a, b in zip(first, second, strict=True)]
        lines = [f"{name}\n{n:,} ×" for name, n in zip(names, numbers.tolist(), strict=True)]
        ax.set_xticks(range(len(worth)), lines)
        ax.set_ylim(-1.1 * longest, 1.1 * longest)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set_xlabel("stones in a line, number of such lines")
        ax.set_ylabel(f"worth for {'ox'[self.side]}")
        ax.set_title(self.title)
        return ax


def line_evaluation(
    pos: Any,
    weights: Sequence[SupportsIndex] | None = None,
    side: SupportsIndex | None = None,
) -> LineEvaluation:
    """What each line of a position is worth to a side, and their sum: the evaluation "lines".

    A line that holds n stones of one side and none of the other is worth weights[n - 1] to that
    side and as much less to the other; any other line that is not complete is worth 0.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes; it may be
    finished.  weights: k - 1 ints, by default those of mbx.AlphaBeta.  side: 0 the first, 1 the
    second, None the side to move (in a finished position, that which would be).

    Raises TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> position = mbx.games.CONNECT_FOUR.position("4455")
    >>> print(mbx.line_evaluation(position, weights=(1, 4, 16)))
    7×6, 4 in a row, gravity: o to move: -6 for o
    <BLANKLINE>
    o    x  lines  each  worth
    0    0     49     0      0
    0    1      8    -1     -8
    0    2      3    -4    -12
    1    0      2     1      2
    1    1      4     0      0
    2    0      3     4     12
    all        69           -6
    """
    position = as_position(pos)
    game = position.game
    numbers = read_weights(weights, game)
    mover = position.turn if side is None else _read_side(side)
    marks = position.to_array().ravel()[game.lines]
    first, second = ((marks == each).sum(axis=1, dtype=np.int16) for each in (0, 1))
    worth = np.array([0, *numbers.tolist(), COMPLETE], np.int64)  # by stones of one side
    worths = np.where(second == 0, worth[first], 0) - np.where(first == 0, worth[second], 0)
    if mover == 1:
        worths = -worths
    won = {mover: COMPLETE, 1 - mover: -COMPLETE}
    return LineEvaluation(
        start=position,
        side=mover,
        value=won.get(position.status, int(worths.sum())),
        weights=numbers.tolist(),
        lines=game.lines,
        first=first,
        second=second,
        worths=worths,
    )


def _read_side(side: SupportsIndex) -> int:
    try:
        number = operator.index(side)
    except TypeError:
        raise TypeError(f"side must be 0, 1 or None, not {side!r}") from None
    if number not in (0, 1):
        raise ValueError(f"side must be 0, 1 or None, not {side!r}")
    return number

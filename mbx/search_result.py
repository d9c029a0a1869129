"""What a search found, whatever it searches by: what all searches tell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .position import Position
from .svg import position_title
from .tables import html_table, text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROVEN = {-1: "loss", 0: "draw", 1: "win"}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SearchResult(ABC):
    """The result of a search, for the side to move at its root; M legal moves.

    start         the root (a copy)
    move          int: the chosen move
    value         what that move is worth to the side that makes it
    moves         int32 (M,): the legal moves, in the caller's order
    values        float64 (M,): what each is worth to that side; nan where it is not known
    lower, upper  int8 (M,): what each move is sure to be worth at least and at most: -1 a loss, 0 a
                  draw, 1 a win
    variation     list of int: the chosen move and what the search thinks follows
    nodes         int: positions looked at
    depth         int: plies
    seconds       float: of wall time
    stop          why the search ended

    `mcts` gives an MctsResult, `alphabeta` an AlphaBetaResult, which tell more.

    >>> import mbx
    >>> position = mbx.games.MARUBATSU.from_text("oxo/xo./x..")
    >>> for search in (mbx.mcts, mbx.alphabeta):
    ...     result = search(position)
    ...     print(result.move, result.lower[result.moves == result.move], result.variation)
    8 [1] [8]
    8 [1] [8]
    """

    start: Position
    move: int
    value: float
    moves: NDArray[np.int32]
    values: NDArray[np.float64]
    lower: NDArray[np.int8]
    upper: NDArray[np.int8]
    variation: list[int]
    nodes: int
    depth: int
    seconds: float
    stop: str

    @property
    def perspective(self) -> int:
        """0 or 1: the side that value and values are for, the one to move at the root."""
        return self.start.turn

    @property
    def proven(self) -> bool:
        """Is it known whether the root is won, drawn or lost?"""
        return bool(self.lower.max() == self.upper.max())

    @property
    def title(self) -> str:
        """The game, the position and the chosen move in a few words."""
        return f"{position_title(self.start)}: move {self.move}, {self._worth}"

    @property
    def _proven_as(self) -> str:
        """ " (a proven win)", as long as that is so."""
        return f" (a proven {PROVEN[int(self.lower.max())]})" if self.proven else ""

    @property
    @abstractmethod
    def _worth(self) -> str:
        """What the chosen move is worth, in words."""

    @property
    @abstractmethod
    def _note(self) -> str:
        """How the search went, below the table."""

    @abstractmethod
    def _rows(self) -> list[list[str]]:
        """The table of the moves, its head first."""

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Axes:
        """What the moves are worth; returns ax."""

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._rows()), "", self._note])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._rows(), [self._note])

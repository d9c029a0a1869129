"""Perft: how many positions and sequences of moves there are, ply by ply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .convert import as_position
from .forward import sweep_forward
from .layers import Layers
from .tables import html_table, text_table
from .ways import count_games
from .work import Progress, read_count


@dataclass(frozen=True)
class Perft:
    """Positions and sequences of moves by ply from a position; arrays of depth + 1 entries.

    >>> import mbx
    >>> print(mbx.perft(mbx.games.MARUBATSU.start(), 2))
    ply  positions  finished  sequences  games
    0            1         0          1      0
    1            9         0          9      0
    2           72         0         72      0
    all         82         0         82      0
    """

    positions: NDArray[np.int64]  # different positions
    finished: NDArray[np.int64]  # of these, those where the game is over
    sequences: NDArray[np.uint64]  # sequences of moves that lead there: the nodes of the tree
    games: NDArray[np.uint64]  # of these, those that end a game

    def _rows(self) -> list[list[str]]:
        columns = (self.positions, self.finished, self.sequences, self.games)
        rows = [
            [str(ply), *(f"{column[ply]:,}" for column in columns)]
            for ply in range(len(self.positions))
        ]
        totals = [f"{sum(column.tolist()):,}" for column in columns]
        return [["ply", "positions", "finished", "sequences", "games"], *rows, ["all", *totals]]

    def __str__(self) -> str:
        return "\n".join(text_table(self._rows()))

    def _repr_html_(self) -> str:
        return html_table("Positions and games by ply", self._rows())


def perft(
    pos: Any,
    depth: int | None = None,
    symmetry: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> Perft:
    """Positions and sequences of moves by ply, from a position to `depth` plies below it.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  depth None goes
    to the end.  With symmetry, positions that are images of one another count once; sequences are
    counted as before.

    Raises TooLargeError where the positions do not fit in memory or the sequences in 64 bits.

    >>> import mbx
    >>> mbx.perft(mbx.games.CONNECT_FOUR.start(), 4).positions
    array([   1,    7,   49,  238, 1120])
    """
    root = as_position(pos)
    whole = Layers(root, symmetry=False, max_depth=0).n_cells
    plies = whole if depth is None else min(read_count(depth, "depth"), whole)
    layers = Layers(root, symmetry=False, max_depth=plies)
    ways = count_games(layers, plies)
    reached = sweep_forward(layers, ways=ways, max_depth=plies, threads=threads, progress=progress)
    classes = reached
    if symmetry:
        layers = Layers(root, symmetry=True, max_depth=plies)
        classes = sweep_forward(layers, max_depth=plies, threads=threads, progress=progress)
    return Perft(
        np.array([len(each.statuses) for each in classes], np.int64),
        np.array([(each.statuses >= 0).sum() for each in classes], np.int64),
        np.array([each.total for each in reached], np.uint64),
        np.array([sum(each.ended or ()) for each in reached], np.uint64),
    )

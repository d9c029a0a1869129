"""Whole random games: every move of every playout, not only the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .convert import read_source
from .errors import TooLargeError
from .memory import available_bytes
from .position import Position
from .seeds import Seed, seed_key
from .svg import position_title
from .tables import html_table, text_table
from .text import OUTCOMES
from .work import Progress, read_count, run_ranges

NO_MOVE = 255


@dataclass(frozen=True, eq=False, repr=False)
class Games:
    """The result of `playout_games`: n games, with E empty cells at their start.

    start     the position that they start from (a copy)
    moves     uint8 (n, E): the moves of each game, NO_MOVE = 255 after its end
    lengths   int64 (n,): the number of moves of each game
    outcomes  int8 (n,): 0 first wins, 1 second wins, 2 draw
    rows      int64 (M,): in which order `counts` lists the start's legal moves
    seed      int: the key that repeats these games
    """

    start: Position
    moves: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    outcomes: NDArray[np.int8]
    rows: NDArray[np.int64]
    seed: int

    def counts(self) -> NDArray[np.int64]:
        """The games by first move and outcome: int64 (M, 3), as `playout_counts` gives them."""
        legal = self.start.legal_moves[self.rows]
        if not self.moves.size:
            return np.zeros((len(legal), 3), np.int64)
        table = np.bincount(self.moves[:, 0] * np.int64(3) + self.outcomes, minlength=256 * 3)
        counts: NDArray[np.int64] = table.astype(np.int64, copy=False).reshape(-1, 3)[legal]
        return counts

    def position(self, i: SupportsIndex) -> Position:
        """The position at the end of game i; i may be negative, as in a list.

        Raises IndexError where there is no such game.
        """
        position = self.start.copy()
        for move in self.moves[i, : self.lengths[i]].tolist():
            position.push(move)
        return position

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def title(self) -> str:
        """The number of games, the game and the position in a few words."""
        return f"{len(self):,} random games of {position_title(self.start)}"

    def _cells(self) -> list[list[str]]:
        """The table: a row an outcome, with its number, its share and the lengths of its games."""
        rows = [["outcome", "games", "share", "shortest", "mean length", "longest"]]
        for outcome, name in enumerate(OUTCOMES):
            lengths = self.lengths[self.outcomes == outcome]
            row = [name, f"{len(lengths):,}", f"{len(lengths) / max(len(self), 1):.2%}"]
            if len(lengths):
                row += [f"{lengths.min()}", f"{lengths.mean():.2f}", f"{lengths.max()}"]
            rows.append(row + [""] * (6 - len(row)))
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._cells())])

    def __repr__(self) -> str:
        return f"<Games: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._cells())


def playout_games(
    pos: Any,
    n: SupportsIndex,
    seed: Seed = None,
    threads: int | None = None,
    *,
    progress: Progress = None,
    first_row: SupportsIndex = 0,
) -> Games:
    """Play n uniformly random games from a position and keep every move of them.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  The result has
    the arrays moves (n, E), lengths (n,) and outcomes (n,), for E empty cells: the very games that
    `playout_counts` counts for the same n, seed and first_row, in the order of their numbers, so
    that fewer are the first of more.  For an article object too, moves are mbx's: the cell
    x + size * y.

    A finished position has nothing to play: moves has the shape (n, 0), and every outcome is that
    of the position.

    seed, threads, progress and first_row are those of `playout_counts`.

    Raises TypeError and ValueError for bad arguments, TooLargeError where the moves do not fit in
    memory; nothing is taken before.

    >>> import mbx
    >>> games = mbx.playout_games(mbx.games.MARUBATSU.from_text("oxo/x.x/oxo"), 4, seed=1)
    >>> games.moves.tolist(), games.lengths.tolist(), games.outcomes.tolist()
    ([[4], [4], [4], [4]], [1, 1, 1, 1], [0, 0, 0, 0])
    """
    n = read_count(n, "n")
    row = read_count(first_row, "first_row")
    key = seed_key(seed)
    position, _, rows, _ = read_source(pos)
    status = position.status
    empty = position.game.n_cells - position.ply if status == -1 else 0
    _refuse_too_large(n, empty)
    games = Games(
        start=position,
        moves=np.empty((n, empty), np.uint8),
        lengths=np.zeros(n, np.int64),
        outcomes=np.full(n, status, np.int8),
        rows=np.array(rows, np.int64),
        seed=key,
    )
    if status == -1:
        _play(games, row, threads, progress)
    return games


def _refuse_too_large(n: int, empty: int) -> None:
    """TooLargeError where n games with so many empty cells at their start do not fit in memory."""
    n_bytes, most = n * (empty + 9), int(0.8 * available_bytes())
    if n_bytes > most:
        raise TooLargeError(f"{n:,} games take {n_bytes:,} bytes; at most {most:,} bytes fit")


def _play(games: Games, row: int, threads: int | None, progress: Progress) -> None:
    """Fill the arrays, block by block."""
    n, position = len(games), games.start
    block_size = _core.playout_block(position.game)

    def play(block: int, n_blocks: int, cancel: bytearray) -> None:
        first, last = block * block_size, min((block + n_blocks) * block_size, n)
        part = slice(first, last)
        games.moves[part], games.lengths[part], games.outcomes[part] = _core.playout_games(
            position, games.seed, row, first, last - first, cancel
        )

    run_ranges(play, -(-n // block_size), size=n, threads=threads, progress=progress)

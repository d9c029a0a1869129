"""Choosing a move: which ones are best by the games that followed them, and one of several by lot.

Tables have a row a position (or a repeat) and a column a move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import GameOverError
from .position import Position

Criterion = Literal["win", "score"]
Mask = NDArray[np.bool_]

CRITERIA = ("win", "score")
_LOTS = 1 << 192  # of counters whose last word is 1, which no playout has (docs/stream.md)


def check_option(value: Any, name: str, allowed: Sequence[str]) -> None:
    """ValueError unless it is one of the allowed names; `name` is the argument's."""
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{name} must be {' or '.join(map(repr, allowed))}, not {value!r}")


def check_goes_on(position: Position) -> None:
    """GameOverError for a finished position: there is no move to choose."""
    if position.status >= 0:
        raise GameOverError("a move is chosen where the game goes on; this position is finished")


def legal_mask(positions: Sequence[Position]) -> Mask:
    """Which of the game's moves are legal: (B, n_moves); none after the end."""
    mask = np.zeros((len(positions), positions[0].game.n_moves), np.bool_)
    legal = [position.legal_moves for position in positions]
    rows = np.repeat(np.arange(len(legal)), [len(moves) for moves in legal])
    mask[rows, np.concatenate(legal)] = True
    return mask


def best_moves(
    counts: NDArray[Any], mover: Any, criterion: Criterion, among: Mask | bool = True
) -> Mask:
    """Which moves are best by counts (or chances) (R, m, 3) of the outcomes after them: (R, m).

    mover is the side that moves, one for all rows or an array (R,).  By "win", the largest share of
    wins, of equals the largest share of draws; by "score", the largest wins + draws / 2.  A move
    without a game has share 0.  Only moves of the mask `among` count.
    """
    played = np.maximum(counts.sum(axis=2), np.finfo(float).tiny)
    wins, draws = counts[np.arange(len(counts)), :, mover], counts[:, :, 2]
    best = np.broadcast_to(among, played.shape)
    for worth in (wins, draws) if criterion == "win" else (2 * wins + draws,):
        share = np.where(best, worth / played, -1.0)
        best = best & (share == share.max(axis=1, keepdims=True))
    return best


def draw_moves(mask: Mask, key: int, first_row: int) -> NDArray[np.int64]:
    """One of the marked moves of each row, each as likely: (B,), -1 where there is none.

    Row i is drawn from the four words of the Philox counter (first_row + i, 0, 0, 1), the key being
    the seed's: a function of key and row alone.
    """
    from numpy.random import Philox  # only now: importing it takes a while

    words = Philox(key=key, counter=first_row + _LOTS).random_raw(4 * len(mask)).reshape(-1, 4)
    n_marked = np.maximum(mask.sum(axis=1, keepdims=True), 1).astype(np.uint64)
    # Words from the last, incomplete n_marked of all 2**64 would be biased: the first other one is
    # taken.  (That all four are of these is less likely than 1e-60.)
    fair = words <= ~(-n_marked % n_marked)
    word = np.take_along_axis(words, fair.argmax(axis=1)[:, np.newaxis], axis=1)
    nth = (word % n_marked).astype(np.int64)
    moves = (mask.cumsum(axis=1) > nth).argmax(axis=1)
    return np.where(mask.any(axis=1), moves, -1)

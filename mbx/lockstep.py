"""Playing matches: many games of two players side by side.

At each ply the positions of all games of a batch are handed to the player whose turn it is.  Game g
draws its ply p from row p * 2**40 + g, so what comes of it depends neither on threads nor on how
the games are cut into batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import IllegalMoveError
from .marubatsu import random_from
from .players import Player
from .position import Position
from .seeds import Seed, seed_key
from .work import Progress, read_threads, reporting

PLY = 2**40  # rows of a ply
_CALLED = 16  # games in a batch with a player that is called for each move
_LARGEST = 2**13  # games in any other batch,
_SECONDS = 0.2  # which takes about so long: then progress is reported
_GROWTH = 8  # times as large as the one before a batch may be


class CalledPlayer(Player):
    """A callable as a player: it is asked for one move after the other.

    call(position) gives an answer, of which `read` makes a move.
    """

    def __init__(
        self,
        name: str,
        call: Callable[[Position], Any],
        read: Callable[[Any], Any] = lambda answer: answer,
    ) -> None:
        self._name = name
        self._call = call
        self._read = read

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """A legal move for each position in play; TypeError, IllegalMoveError for another one."""
        return [self._ask(position) if position.status < 0 else -1 for position in positions]

    def _ask(self, position: Position) -> int:
        answer = self._call(position)
        try:
            move: int = self._read(answer)
            position.copy().push(move)
        except (IllegalMoveError, TypeError) as error:
            raise type(error)(f"{self} gave the move {answer!r}: {error}") from None
        return move

    def __str__(self) -> str:
        return self._name


def name_of(player: Any) -> str:
    """What a player or a callable is called in tables."""
    if callable(getattr(player, "choose", None)):
        return str(player)
    return str(getattr(player, "__name__", type(player).__name__))


def play_match(
    players: tuple[Player, Player],
    start: Position,
    games: int,
    *,
    seed: Seed = None,
    threads: int | None = None,
    progress: Progress = None,
) -> tuple[NDArray[np.int64], int]:
    """Play `games` games with each colour: their counts (2, 3), and the key that repeats them.

    Rows: the first player moves first, moves second; columns: it wins, it loses, draws.  With a
    seed Python's `random` starts from it too, for players that use that, and is put back.
    """
    key, n_threads = seed_key(seed), read_threads(threads)
    counts = np.zeros((2, 3), np.int64)
    called = any(isinstance(player, CalledPlayer) for player in players)
    size = _CALLED if called else 1
    with reporting(progress) as report, random_from(None if seed is None else key):
        for colour, order in enumerate((players, players[::-1])):
            side = start.turn ^ colour  # of the first player
            done = 0
            while done < games:
                n, began = min(size, games - done), time.monotonic()
                outcomes = _play(order, start, n, key, colour * games + done, threads=n_threads)
                counts[colour] += np.bincount(outcomes, minlength=3)[[side, 1 - side, 2]]
                done += n
                report(colour * games + done, 2 * games)
                if not called:
                    by_time = n * _SECONDS / max(time.monotonic() - began, 1e-6)
                    size = max(1, min(_LARGEST, _GROWTH * n, int(by_time)))
    return counts, key


def _play(
    order: tuple[Player, Player],
    start: Position,
    n: int,
    key: int,
    first_game: int,
    *,
    threads: int,
) -> list[int]:
    """The outcomes of n games from a position; the first in `order` is to move."""
    positions = [start.copy() for _ in range(n)]
    ply, goes_on = 0, True
    while goes_on:
        player = order[ply % 2]
        moves = player.choose(positions, key, ply * PLY + first_game, threads)
        ply, goes_on = ply + 1, False
        for position, move in zip(positions, moves, strict=True):
            if position.status < 0:
                position.push(move)
                goes_on |= position.status < 0
    return [position.status for position in positions]

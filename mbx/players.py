"""Players: they choose moves, one at a time when called, for matches many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from . import _core
from .choosing import check_goes_on, draw_moves, legal_mask
from .convert import read_source
from .monte_carlo import PmcRules, play_and_compare
from .position import Position
from .seeds import Seed, seed_key
from .solve import Solver

_TOGETHER = 2**16  # moves of positions that PMC plays at once
_MOST_KNOWN = 2**16  # positions of which the best moves are kept


class Player(Protocol):
    """What plays in matches, and can be asked for one move: `player(pos, seed=None)`.

    A subclass of your own needs `choose` only, and a short `str()` for tables.
    """

    @property
    def policy(self) -> str | None:
        """The name of the policy that it follows exactly (see mbx.policies), if it has one."""
        return None

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """A move for each of some positions of one game, which stay as they are.

        The move in position i is drawn from key and first_row + i, and is a function of these and
        the position alone.  Finished positions may be among them; what is given for them does not
        matter.
        """
        ...

    def __call__(self, pos: Any, seed: Seed = None) -> Any:
        """A move in a position of any kind, in its own terms; GameOverError for a finished one."""
        source = read_source(pos)
        check_goes_on(source.position)
        [chosen] = self.choose([source.position], seed_key(seed), 0, None)
        legal = source.position.legal_moves[source.rows].tolist()
        return source.moves[legal.index(chosen)]


@dataclass(frozen=True)
class RandomPlayer(Player):
    """Plays any legal move, each as likely.

    >>> import mbx
    >>> mbx.RandomPlayer()(mbx.games.MARUBATSU.from_text("oxo/x.x/oxo"))
    4
    """

    @property
    def policy(self) -> str:
        """The policy "uniform"."""
        return "uniform"

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """Moves for some positions: see Player."""
        return draw_moves(legal_mask(positions), key, first_row).tolist()

    def __str__(self) -> str:
        return "random"


@dataclass(frozen=True)
class PmcPlayer(PmcRules, Player):
    """Plays by primitive Monte Carlo: PmcPlayer(n=1000, criterion="win", allocation="uniform").

    n games for each move; criterion and allocation are those of mbx.pmc.

    >>> import mbx
    >>> mbx.PmcPlayer(100)(mbx.games.MARUBATSU.from_text("oo./xx./..."), seed=1)
    2
    """

    n: int = 1000

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """Moves for some positions: see Player."""
        moves: list[int] = []
        size = max(_TOGETHER // positions[0].game.n_moves, 1)
        for first in range(0, len(positions), size):
            row = first_row + first
            batch = positions[first : first + size]
            _, best = play_and_compare(self, batch, key, row, threads=threads)
            moves += draw_moves(best, key, row).tolist()
        return moves

    def __str__(self) -> str:
        options = [value for value in (self.criterion, self.allocation) if value not in _USUAL]
        return " ".join(["PMC", str(self.n), *options])


_USUAL = ("win", "uniform")


@dataclass(frozen=True)
class PerfectPlayer(Player):
    """Plays any of the moves that keep the value of best play, each as likely.

    With fastest=True, only those of them that win soonest or lose latest.  Every position is
    solved, as by mbx.Solver: large games take long.

    >>> import mbx
    >>> mbx.PerfectPlayer(fastest=True)(mbx.games.CONNECT_FOUR.position("226744515337"))
    3
    """

    fastest: bool = False

    @property
    def policy(self) -> str:
        """The policy "optimal" or "optimal fastest"."""
        return "optimal fastest" if self.fastest else "optimal"

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """Moves for some positions: see Player."""
        best = np.zeros((len(positions), positions[0].game.n_moves), np.bool_)
        for row, position in enumerate(positions):
            if position.status < 0:
                best[row, _best_moves(position, self.fastest)] = True
        return draw_moves(best, key, first_row).tolist()

    def __str__(self) -> str:
        return "perfect fastest" if self.fastest else "perfect"


_known: dict[tuple[_core.Game, int, bool], list[int]] = {}


def _best_moves(position: Position, fastest: bool) -> list[int]:
    """The best moves of a position; those found last are kept."""
    which = position.game, position.key, fastest
    if which not in _known:
        result = _solver(position.game).solve(position, scores=True)
        best = result.fastest_moves if fastest else result.best_moves
        assert best is not None
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[which] = best.tolist()
    return _known[which]


@lru_cache(maxsize=1)
def _solver(game: _core.Game) -> Solver:
    """A solver that keeps what it found out from move to move."""
    return Solver(game)

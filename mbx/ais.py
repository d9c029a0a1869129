"""The article's AIs and its match: functions of a Marubatsu, the reader's own included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .choosing import Criterion
from .games import MARUBATSU
from .lockstep import CalledPlayer, name_of, play_match
from .marubatsu import AI, Marubatsu, check_players, marubatsu_at
from .monte_carlo import pmc
from .players import PerfectPlayer, Player, PmcPlayer, RandomPlayer
from .seeds import Seed
from .tables import Printed
from .work import read_count

ROWS = ("o", "x", "total")
COLUMNS = ("win", "lose", "draw")


def ai_random(mb: Any, seed: Seed = None) -> Any:
    """Any legal move, each as likely.

    mb is an mbx.Marubatsu, an object of the article's own classes or a Position; the move is one of
    its own.  Without a seed, fresh entropy of the system is used (random.seed() has no effect).
    GameOverError for a finished game.

    >>> import mbx
    >>> mbx.ai_random(mbx.Marubatsu(), seed=1) in mbx.Marubatsu().calc_legal_moves()
    True
    """
    return RandomPlayer()(mb, seed)


def ai_perfect(mb: Any, seed: Seed = None) -> Any:
    """Any move that keeps the value of best play, each as likely.

    mb and seed are those of ai_random.  The position is solved, as by mbx.solve: large boards take
    long.

    >>> import mbx
    >>> mb = mbx.Marubatsu()
    >>> mb.move((0, 0))
    >>> mbx.ai_perfect(mb)
    (1, 1)
    """
    return PerfectPlayer()(mb, seed)


def ai_pmc(
    mb: Any,
    pnum: int = 10_000,
    timelimit: float | None = None,
    analyze: bool = False,
    seed: Seed = None,
    *,
    criterion: Criterion = "win",
) -> Any:
    """The move with the best share of wins in `pnum` random games, of equals of draws.

    mb and seed are those of ai_random; all else is as in mbx.pmc: with criterion "score" it is the
    best wins + draws / 2, and ties are broken evenly.

    With analyze, returns {"candidate": the best moves, "ratio_by_move": {move: (share of wins,
    share of draws)}, "score_by_move": {move: wins + draws / 2}, "playout num": games played}.

    >>> import mbx
    >>> mb = mbx.Marubatsu()
    >>> mb.move((1, 0))
    >>> mbx.ai_pmc(mb, 10**6, analyze=True)["candidate"]
    [(1, 1)]
    """
    n = read_count(pnum, "pnum", 1)
    result = pmc(mb, n, criterion, timelimit=timelimit, seed=seed)
    if not analyze:
        return result.move
    moves = result.own_moves
    best = np.isin(result.moves, result.candidates).tolist()
    return {
        "candidate": [move for move, is_best in zip(moves, best, strict=True) if is_best],
        "ratio_by_move": dict(zip(moves, map(tuple, result.shares.tolist()), strict=True)),
        "score_by_move": dict(zip(moves, result.scores.tolist(), strict=True)),
        "playout num": result.playouts,
    }


def _pmc_player(pnum: int = 10_000, criterion: Criterion = "win") -> PmcPlayer:
    return PmcPlayer(read_count(pnum, "pnum", 1), criterion)


# What plays in a match in their place, with some of their parameters.
_PLAYERS: list[tuple[AI, Callable[..., Player], set[str]]] = [
    (ai_random, RandomPlayer, set()),
    (ai_perfect, PerfectPlayer, set()),
    (ai_pmc, _pmc_player, {"pnum", "criterion"}),
]


def ai_match(
    ai: Sequence[AI],
    params: Sequence[Mapping[str, Any]] = ({}, {}),
    match_num: int = 10_000,
    seed: Seed = None,
) -> Printed:
    """Play match_num games of 〇×ゲーム with each colour, print the tables and return them.

    ai holds two AIs: callables that are given a game of their own and their params as keyword
    arguments, and return a move.  mbx's ai_random, ai_perfect and ai_pmc, and its players, play all
    games at once in the core.  A bar shows the progress where tqdm is installed.

    Prints the names, then the numbers of games and the ratios: how often ai[0] wins, loses and
    draws when it plays o, plays x, and in total.  Returns {"count": {"o": {"win": n, "lose": n,
    "draw": n}, "x": …, "total": …}, "ratio": the same}.

    seed makes the match repeatable: Python's `random` starts from it during the match too, and is
    put back after.

    TypeError for what is no AI (a person, None, included); IllegalMoveError, with the name of the
    AI, for an illegal move.

    >>> import mbx
    >>> _ = mbx.ai_match([mbx.ai_perfect, mbx.ai_perfect], match_num=100)
    ai_perfect VS ai_perfect
    count     win    lose    draw
    o           0       0     100
    x           0       0     100
    total       0       0     200
    <BLANKLINE>
    ratio     win    lose    draw
    o        0.0%    0.0%  100.0%
    x        0.0%    0.0%  100.0%
    total    0.0%    0.0%  100.0%
    <BLANKLINE>
    """
    check_players(ai, params)
    if any(each is None for each in ai):
        raise TypeError("ai must hold two callables of a Marubatsu, not None: no person plays here")
    games = read_count(match_num, "match_num", 1)
    players = _player(ai[0], params[0]), _player(ai[1], params[1])
    print(f"{name_of(ai[0])} VS {name_of(ai[1])}")
    progress = find_spec("tqdm") is not None
    counts, _ = play_match(players, MARUBATSU.start(), games, seed=seed, progress=progress)
    counts = np.vstack([counts, counts.sum(axis=0)])
    tables = {"count": counts, "ratio": counts / counts.sum(axis=1, keepdims=True)}
    for (title, table), form in zip(tables.items(), ("d", ".1%"), strict=True):
        _print_table(title, table, max(len(str(2 * games)), 7), form)
    return Printed(
        {
            title: {
                row: dict(zip(COLUMNS, values, strict=True))
                for row, values in zip(ROWS, table.tolist(), strict=True)
            }
            for title, table in tables.items()
        }
    )


def _player(ai: Any, params: Mapping[str, Any]) -> Player:
    """The player for an AI: one that plays in the core, or the AI called move by move."""
    for own, player_of, names in _PLAYERS:
        if ai is own and params.keys() <= names:
            return player_of(**params)
    if callable(getattr(ai, "choose", None)) and not params:
        player: Player = ai
        return player
    board = Marubatsu().board

    def cell(answer: Any) -> int:
        x, y = board.move_to_xy(answer)
        return x + 3 * y

    return CalledPlayer(name_of(ai), lambda position: ai(marubatsu_at(position), **params), cell)


def _print_table(title: str, table: NDArray[Any], width: int, form: str) -> None:
    print(f"{title:5}", *(f"{name:>{width}}" for name in COLUMNS))
    for name, values in zip(ROWS, table.tolist(), strict=True):
        print(f"{name:5}", *(f"{value:{width}{form}}" for value in values))
    print()

"""AIs to play against: each tells the move that it would make, and what it thinks of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, ClassVar

import numpy as np

from .alpha_beta import AlphaBeta
from .alpha_beta_result import AlphaBetaResult, bounds_in_words
from .lockstep import CalledPlayer, name_of
from .mcts_result import MctsResult
from .monte_carlo import pmc
from .players import Player, RandomPlayer
from .position import Position
from .seeds import Seed, seed_key
from .solve import Solver, SolveResult
from .tree_search import MCTS
from .work import Report, read_count, read_timelimit

USUAL_AI = "alphabeta"  # where nothing is said; chosen by benchmarks/strength.py
LEVEL = 3  # the same
SOLVE_SECONDS = 10.0
CHEAP_NODES = 2**22  # visited in a small part of a second
UNLIMITED = 2**40  # playouts, where only the time is limited


@dataclass(frozen=True)
class Opinion:
    """What an AI thinks of a position.

    move      the move that it would make
    worth     what that is worth to the side to move, in words; "" if it does not say
    expected  the moves that it expects, its own first
    values    moves and what they are worth, in words, the best ones first
    note      what else a person should know
    stopped   did Ctrl-C end the thinking early?
    """

    move: int
    worth: str = ""
    expected: list[int] = field(default_factory=list)
    values: list[tuple[int, str]] = field(default_factory=list)
    note: str = ""
    stopped: bool = False


class Opponent:
    """An AI that is asked for its opinion, position by position; n and timelimit are for a move.

    levels    what n is at the levels 1 to 5; none: it has no levels and takes no n
    unit      what n counts
    is_timed  does it take a time limit?
    """

    levels: ClassVar[tuple[int, ...]] = ()
    unit: ClassVar[str] = ""
    is_timed: ClassVar[bool] = True

    def __init__(self, n: int | None, timelimit: float | None, key: int) -> None:
        self.n = n
        self.timelimit = timelimit
        self._key = key

    def think(self, position: Position, progress: Report | None = None) -> Opinion:
        """What it thinks of a position, which is not finished and stays as it is.

        Ctrl-C ends the thinking: KeyboardInterrupt if there is no opinion yet.
        """
        raise NotImplementedError

    def _next_key(self) -> int:
        """A key for the next thing that is random."""
        self._key = (self._key + 1) % 2**128
        return self._key

    def __str__(self) -> str:
        name = next(name for name, kind in AIS.items() if kind is type(self))
        if self.n is not None:
            return f"{name} ({self.n:,} {self.unit} a move)"
        return name if self.timelimit is None else f"{name} ({self.timelimit:g} s a move)"


class Mcts(Opponent):
    """Monte Carlo tree search, which keeps its tree from move to move."""

    levels = (20, 200, 2_000, 20_000, 200_000)
    unit = "simulations"
    _search: MCTS | None = None

    def think(self, position: Position, progress: Report | None = None) -> Opinion:
        """See Opponent; Ctrl-C gives the opinion so far."""
        search = self._follow(position)
        stopped = False
        try:
            result = search.run(self.n, timelimit=self.timelimit, progress=progress)
        except KeyboardInterrupt:
            if not search.simulations:
                raise
            result, stopped = search.stats, True
        order = np.lexsort((-result.visits, result.moves != result.move)).tolist()
        values = [(int(result.moves[i]), _value(result, i)) for i in order if result.visits[i]]
        worth = _value(result, order[0])
        return Opinion(result.move, worth, result.variation, values, stopped=stopped)

    def _follow(self, position: Position) -> MCTS:
        """A search at a position: the one so far, if the game went on from there."""
        search, self._search = self._search, None  # after Ctrl-C in here a new one begins
        if search is not None:
            root, back = search.position, position.copy()
            while back.ply > root.ply and back.moves:
                back.pop()
            if back != root:
                search = None
            else:
                for move in position.moves[len(back.moves) :]:
                    search.advance(move)
        self._search = search or MCTS(position, solver=True, seed=self._next_key())
        return self._search


def _value(result: MctsResult, i: int) -> str:
    if result.lower[i] == result.upper[i]:
        return ("a sure loss", "a sure draw", "a sure win")[result.lower[i] + 1]
    at_least = ", a draw at least" if result.lower[i] == 0 else ""
    at_most = ", a draw at most" if result.upper[i] == 0 else ""
    return f"value {result.values[i]:.3f}{at_least}{at_most}"


class Alphabeta(Opponent):
    """Alpha-beta, which keeps its table from move to move.

    Of moves that are sure to be worth the same it draws one.  Where it is cheap it finds the scores
    of all moves, elsewhere bounds.
    """

    levels = (1, 2, 4, 6, 8)
    unit = "plies"
    _search: AlphaBeta | None = None

    def think(self, position: Position, progress: Report | None = None) -> Opinion:
        """See Opponent; Ctrl-C gives the opinion so far."""
        if self._search is None or self._search.game != position.game:
            self._search = AlphaBeta(position.game)
        result, stopped = None, False
        try:
            result = self._search.search(
                position, self.n, timelimit=self.timelimit, progress=progress
            )
            if result.nodes * len(result.moves) <= CHEAP_NODES:
                result = self._search.search(position, result.depth, scores=True)
        except KeyboardInterrupt:
            result, stopped = result or self._search.found, True
            if result is None or result.start != position:
                raise
        best = result.moves[result.value_lower == result.value].tolist()
        move = Random(self._next_key()).choice(best)
        expected = result.variation if move == result.move else []
        order = np.lexsort((-result.value_upper, result.moves != move)).tolist()
        values = [(int(result.moves[i]), _score(result, i)) for i in order]
        return Opinion(move, values[0][1], expected, values, stopped=stopped)


def _score(result: AlphaBetaResult, i: int) -> str:
    if result.lower[i] == result.upper[i] == 0:
        return "a sure draw"
    words = bounds_in_words(int(result.value_lower[i]), int(result.value_upper[i]))
    return words if result.lower[i] == result.upper[i] else f"score {words}"


class Pmc(Opponent):
    """Primitive Monte Carlo: random games, and the move with the largest share of wins."""

    levels = (10, 100, 1_000, 10_000, 100_000)
    unit = "playouts"

    def think(self, position: Position, progress: Report | None = None) -> Opinion:
        """See Opponent."""
        n = UNLIMITED if self.n is None else self.n
        key = self._next_key()
        result = pmc(position, n, timelimit=self.timelimit, seed=key, progress=progress)
        shares = zip(result.shares.tolist(), result.moves.tolist(), strict=True)
        values = {
            move: f"wins {win:.1%}, draws {draw:.1%} of the games"
            for (win, draw), move in sorted(shares, reverse=True)
        }
        return Opinion(result.move, values[result.move], values=list(values.items()))


class Perfect(Opponent):
    """Best play: the fastest win, the slowest loss.

    A position that is not solved within the time limit is left to MCTS, and the opinion says so.
    """

    def __init__(self, n: int | None, timelimit: float | None, key: int) -> None:
        super().__init__(n, timelimit or SOLVE_SECONDS, key)
        self._substitute = Mcts(Mcts.levels[-2], None, key)
        self._solver: Solver | None = None

    def think(self, position: Position, progress: Report | None = None) -> Opinion:
        """See Opponent."""
        if self._solver is None or self._solver.game != position.game:
            self._solver = Solver(position.game)
        result = self._solver.solve(
            position, scores=True, timelimit=self.timelimit, progress=progress
        )
        scores, best = _known_scores(result)
        if not best:
            note = f"not solved in {self.timelimit:g} s: MCTS chooses"
            return replace(self._substitute.think(position, progress), note=note)
        move = Random(self._next_key()).choice(best)
        return Opinion(move, scores[move], values=list(scores.items()))


def _known_scores(result: SolveResult) -> tuple[dict[int, str], list[int]]:
    """What moves are worth, the best first, and the best ones; none if it is not known."""
    moves, lower, upper = result.moves, result.move_lower, result.move_upper
    if moves is None or lower is None or upper is None:
        raise AssertionError("scores were asked for")
    if np.sign(lower.max()) < np.sign(upper.max()):
        return {}, []
    plies = result.move_distances
    scores = {}
    for i in sorted(range(len(moves)), key=lower.__getitem__, reverse=True):
        if np.sign(lower[i]) == np.sign(upper[i]):
            words = ("a draw", "a win", "a loss")[np.sign(lower[i])]
            length = "" if plies is None or lower[i] == 0 else f" in {plies[i]} plies"
            scores[int(moves[i])] = words + length
    return scores, moves[lower == lower.max()].tolist()


class OfPlayer(Opponent):
    """A player of matches, which tells its move and no more; RandomPlayer where none is given."""

    is_timed = False

    def __init__(
        self, n: int | None, timelimit: float | None, key: int, player: Player | None = None
    ) -> None:
        super().__init__(n, timelimit, key)
        self._player = player or RandomPlayer()

    def think(self, position: Position, progress: Report | None = None) -> Opinion:
        """See Opponent."""
        return Opinion(self._player.choose([position.copy()], self._next_key(), 0, None)[0])

    def __str__(self) -> str:
        return str(self._player)


#: The AIs by name: one more is a class above and a line here.
AIS: dict[str, type[Opponent]] = {
    "mcts": Mcts,
    "alphabeta": Alphabeta,
    "pmc": Pmc,
    "perfect": Perfect,
    "random": OfPlayer,
}


def make_opponent(
    ai: Any = USUAL_AI,
    *,
    level: int | None = None,
    n: int | None = None,
    timelimit: float | None = None,
    seed: Seed = None,
) -> Opponent:
    """An AI, of its name, a player or a callable; TypeError, ValueError for bad arguments.

    >>> str(make_opponent("mcts", level=4)), str(make_opponent("perfect", timelimit=60))
    ('mcts (20,000 simulations a move)', 'perfect (60 s a move)')
    """
    kind = _read_kind(ai)
    given = {"level": level, "n": n, "timelimit": timelimit}
    given = {name: value for name, value in given.items() if value is not None}
    allowed = ["level", "n"] * bool(kind.levels) + ["timelimit"] * kind.is_timed
    for name, value in given.items():
        if name not in allowed:
            raise ValueError(f"{name} must be left out for this ai, not {value!r}")
    if len(given) > 1:
        raise ValueError(f"only one of {', '.join(given)} can be given")
    if n is not None:
        n = read_count(n, "n", 1)
    elif timelimit is not None:
        read_timelimit(timelimit)
    elif kind.levels:
        n = kind.levels[_read_level(level) - 1]
    key = seed_key(seed)
    if isinstance(ai, str):
        return kind(n, timelimit, key)
    is_player = callable(getattr(ai, "choose", None))
    return OfPlayer(n, timelimit, key, ai if is_player else CalledPlayer(name_of(ai), ai))


def _read_kind(ai: Any) -> type[Opponent]:
    if isinstance(ai, str):
        if ai not in AIS:
            raise ValueError(f"ai must be one of {', '.join(AIS)}, not {ai!r}")
        return AIS[ai]
    if isinstance(ai, type) or not callable(ai):
        raise TypeError(f"ai must be a name, a player or a callable of a Position, not {ai!r}")
    return OfPlayer


def _read_level(level: int | None) -> int:
    level = LEVEL if level is None else read_count(level, "level")
    if not 1 <= level <= 5:
        raise ValueError(f"level must be from 1 to 5, not {level}")
    return level

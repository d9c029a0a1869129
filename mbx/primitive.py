"""How often primitive Monte Carlo picks which move, and how strong that makes it.

Primitive Monte Carlo (PMC) plays random games after each of its moves and picks the move with the
best share of wins.  With n games that is a random choice; repeated in the core it gives the chance
of each move, a policy, and from there on everything is exact: graph.outcomes of that policy against
any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .choosing import CRITERIA, Criterion, best_moves, check_goes_on, check_option
from .convert import read_moves
from .errors import TooLargeError
from .exact import move_probabilities
from .layers import about, fits
from .playouts import count_outcomes, count_rows
from .policies import check_policy
from .position import Position
from .position_graph import PositionGraph, build_graph
from .seeds import Seed, seed_key
from .tables import html_table, text_table
from .work import Progress, Report, read_count, reporting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Spread = Literal["per move", "in all"]

_ROWS = 2**14  # repeats that are counted in one call
_LIMITS = {"win": "pmc win", "score": "pmc score"}


@dataclass(frozen=True)
class PmcChoice:
    """The chances with which PMC picks moves: of a position, or of every node of a graph.

    moves            int32 (m,): the legal moves, or graph.edges().moves
    chances          float64 (m,): a policy, for graph.outcomes where it is of a graph
    standard_errors  float64 (m,): of the chances; 0 in the limit
    n                playouts, None for the limit of ever more
    repeats          choices that were made at each position; None in the limit

    >>> import mbx
    >>> print(mbx.pmc_choice(mbx.games.MARUBATSU.from_text("oo./xx./..."), None))
    PMC in the limit
    move    chance  standard error
    2     1.000000        0.000000
    5     0.000000        0.000000
    6     0.000000        0.000000
    7     0.000000        0.000000
    8     0.000000        0.000000
    """

    moves: NDArray[Any]
    chances: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    n: int | None
    repeats: int | None

    def _rows(self) -> list[list[str]]:
        rows = [
            [str(move), f"{chance:.6f}", f"{error:.6f}"]
            for move, chance, error in zip(
                self.moves.tolist(),
                self.chances.tolist(),
                self.standard_errors.tolist(),
                strict=True,
            )
        ]
        return [["move", "chance", "standard error"], *rows]

    def _title(self) -> str:
        return "PMC in the limit" if self.n is None else f"PMC with n = {self.n:,}"

    def __str__(self) -> str:
        return "\n".join([self._title(), *text_table(self._rows())])

    def __repr__(self) -> str:
        return f"<PmcChoice of {len(self.moves):,} moves: {self._title()}>"

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._rows()[:100])


def pmc_choice(
    pos: Any,
    n: int | None,
    repeats: int = 1000,
    *,
    spread: Spread = "per move",
    criterion: Criterion = "win",
    seed: Seed = None,
    threads: int | None = None,
    progress: Progress = None,
) -> PmcChoice:
    """The chance that primitive Monte Carlo with n playouts picks each move.

    pos is a position of any kind, or a graph of build_graph: then of every node, as a policy over
    its edges.  n playouts are played after each move (spread "per move"), or n in all from the
    position, whose first moves are random, as the article's playout does ("in all").  The move with
    the largest share of wins for the side to move is picked, of equals the largest share of draws
    (criterion "win"), or the largest expected score, wins + draws / 2 ("score"); ties are broken
    evenly.  A move without a playout has share 0.  The choice is made `repeats` times at every
    position.  n None is the limit of ever more playouts, and exact.

    The chances are a function of the arguments and the seed.  Raises ValueError for bad arguments,
    GameOverError for a finished position, TooLargeError where the limit cannot be computed.

    >>> import mbx
    >>> trap = mbx.games.MARUBATSU.from_text("o../.x./..o")
    >>> mbx.pmc_choice(trap, None).chances  # corners, which lose
    array([0. , 0.5, 0. , 0. , 0.5, 0. ])
    """
    _check_options(criterion, spread)
    sampler = None
    if n is not None:
        n, repeats = read_count(n, "n", 1), read_count(repeats, "repeats", 2)
        sampler = _Sampler(seed_key(seed), n, repeats, spread == "in all", threads)
    with reporting(progress) as report:
        if isinstance(pos, PositionGraph):
            moves = pos.edges().moves
            chances, errors = _choose_in_graph(pos, sampler, criterion, report)
        else:
            moves, chances, errors = _choose_at(pos, sampler, criterion, report)
    return PmcChoice(moves, chances, errors, n, repeats if sampler else None)


def _check_options(criterion: Any, spread: Any) -> None:
    check_option(criterion, "criterion", CRITERIA)
    check_option(spread, "spread", ("per move", "in all"))


# ---- choosing ------------------------------------------------------------------------------------


def _choose(
    counts: NDArray[Any], mover: int, criterion: Criterion
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean over repeats of the choices from counts (or chances) (R, m, 3), and its error."""
    best = best_moves(counts, mover, criterion)
    picked = best / best.sum(axis=1, keepdims=True)
    repeats = len(picked)
    return picked.mean(axis=0), picked.std(axis=0) / np.sqrt(max(repeats - 1, 1))


def _choose_at(
    pos: Any, sampler: _Sampler | None, criterion: Criterion, report: Report
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Moves, chances and errors at one position."""
    position, moves = read_moves(pos)
    check_goes_on(position)
    if sampler is None:
        chances = _limit_at(position, criterion)
        errors = np.zeros_like(chances)
    elif sampler.in_all:
        sampler.refuse_too_large(position.game.n_moves)
        counts = sampler.first_moves([position], 0)[0][:, position.legal_moves]
        chances, errors = _choose(counts, position.turn, criterion)
    else:
        children = [_after(position, move) for move in position.legal_moves.tolist()]
        sampler.refuse_too_large(len(children) + position.game.n_moves)
        counts = sampler.outcomes(children, 0).swapaxes(0, 1)
        chances, errors = _choose(counts, position.turn, criterion)
    report(1, 1)
    rows = np.searchsorted(position.legal_moves, moves)
    return moves, chances[rows], errors[rows]


def _limit_at(position: Position, criterion: Criterion) -> NDArray[np.float64]:
    """The chances of the moves in the limit, from the exact chances after each."""
    rows: list[Any]
    near: float
    try:
        rows, near = move_probabilities(position, exact=True), 0
    except TooLargeError:  # as many bits as the core has
        rows, near = move_probabilities(position).tolist(), 2.0**-40
    wins = [row[position.turn] for row in rows]
    draws = [row[2] for row in rows]
    if criterion == "score":
        wins = [win + draw / 2 for win, draw in zip(wins, draws, strict=True)]
    best = [win >= max(wins) - near for win in wins]
    if criterion == "win":
        most = max(draw for draw, is_best in zip(draws, best, strict=True) if is_best)
        best = [b and draw >= most - near for b, draw in zip(best, draws, strict=True)]
    return np.array(best) / sum(best)


def _after(position: Position, move: int) -> Position:
    child = position.copy()
    child.push(move)
    return child


def _choose_in_graph(
    graph: PositionGraph, sampler: _Sampler | None, criterion: Criterion, report: Report
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chances and errors of all edges of a graph; a node's playouts serve all its parents."""
    edges = graph.edges()
    if sampler is None:
        return graph.policy(_LIMITS[criterion]), np.zeros(len(edges.moves))
    chances, errors = np.empty((2, len(edges.moves)))
    ends = np.cumsum(graph.layer_sizes).tolist()
    sampler.refuse_too_large(max(graph.layer_sizes))
    children: list[Position] = graph.positions(0)
    for depth, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        positions, children = children, graph.positions(depth + 1) if end < graph.n_nodes else []
        if sampler.in_all:
            counts = sampler.first_moves(positions, start)
        elif children:
            after = sampler.outcomes(children, end)
        for position, node in zip(positions, range(start, end), strict=True):
            if position.status >= 0:
                continue
            mine = slice(edges.start[node], edges.start[node + 1])
            if sampler.in_all:
                by_move = counts[node - start][:, position.legal_moves]
            else:
                by_move = after[edges.children[mine] - end].swapaxes(0, 1)
            chances[mine], errors[mine] = _choose(by_move, position.turn, criterion)
        report(end, graph.n_nodes)
    return chances, errors


@dataclass(frozen=True)
class _Sampler:
    """Plays n games from positions, again and again: repeat r of a row is row * repeats + r."""

    key: int
    n: int
    repeats: int
    in_all: bool
    threads: int | None

    def refuse_too_large(self, n_positions: int) -> None:
        """TooLargeError where the counts of so many positions do not fit in memory."""
        entries = n_positions * self.repeats
        if not fits(entries, 48):
            raise TooLargeError(
                f"{self.repeats:,} repeats at {n_positions:,} positions of a layer need "
                f"{about(48 * entries)} bytes; take fewer repeats"
            )

    def outcomes(self, positions: Sequence[Position], row: int) -> NDArray[Any]:
        """The outcomes of n games by position, from a row on, and repeat: (P, repeats, 3)."""
        return self._count(count_outcomes, positions, row)

    def first_moves(self, positions: Sequence[Position], row: int) -> NDArray[Any]:
        """The same by first move: (P, repeats, n_moves, 3)."""
        return self._count(count_rows, positions, row)

    def _count(
        self, count: Callable[..., NDArray[np.int64]], positions: Sequence[Position], row: int
    ) -> NDArray[Any]:
        total = len(positions) * self.repeats
        parts = []
        for first in range(0, total, _ROWS):
            batch = [positions[i // self.repeats] for i in range(first, min(first + _ROWS, total))]
            at = row * self.repeats + first
            parts.append(count(batch, self.key, at, 0, self.n, threads=self.threads))
        counts = np.concatenate(parts)
        return counts.reshape(len(positions), self.repeats, *counts.shape[1:])


# ---- strength ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PmcStrength:
    """How PMC with n playouts fares: exact outcomes of a policy that was sampled.

    ns         the numbers of playouts, K of them
    as_first   float64 (K, 3): the chances of first wins, second wins, draw with PMC moving first
    as_second  float64 (K, 3): the same with PMC moving second
    limits     float64 (2, 3): both for ever more playouts

    >>> import mbx
    >>> position = mbx.games.MARUBATSU.from_text("oo./xx./...")
    >>> print(mbx.pmc_strength(position, [], "optimal"))
    PMC against optimal play
    n      first: win  first: loss  first: draw  second: win  second: loss  second: draw
    limit      1.0000       0.0000       0.0000       0.0000        1.0000        0.0000
    """

    ns: tuple[int, ...]
    as_first: NDArray[np.float64]
    as_second: NDArray[np.float64]
    limits: NDArray[np.float64]
    opponent: str

    def _rows(self) -> list[list[str]]:
        head = ["n", *(f"{side}: {result}" for side in _SIDES for result in _RESULTS)]
        names = [*(f"{n:,}" for n in self.ns), "limit"]
        first, second = (np.vstack(rows) for rows in zip(self._tables(), self.limits, strict=True))
        shares = np.hstack([first, second[:, [1, 0, 2]]])
        rows = [
            [name, *(f"{share:.4f}" for share in row)]
            for name, row in zip(names, shares.tolist(), strict=True)
        ]
        return [head, *rows]

    def _tables(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.as_first, self.as_second

    def __str__(self) -> str:
        return "\n".join([f"PMC against {self.opponent}", *text_table(self._rows())])

    def _repr_html_(self) -> str:
        return html_table(f"PMC against {self.opponent}", self._rows())

    def plot(self, ax: Axes | None = None) -> Axes:
        """PMC's expected score, wins + draws / 2, against n, with the limits; returns ax."""
        from .drawing import axes_or_new

        ax = axes_or_new(ax)
        for side, (table, limit) in enumerate(zip(self._tables(), self.limits, strict=True)):
            score = table[:, side] + table[:, 2] / 2
            (line,) = ax.plot(self.ns, score, marker="o", label=f"PMC moves {_SIDES[side]}")
            colour = line.get_color()
            ax.axhline(limit[side] + limit[2] / 2, color=colour, linestyle="--", linewidth=1)
        ax.set_xscale("log")
        ax.set_xlabel("playouts")
        ax.set_ylabel("expected score of PMC")
        ax.set_title(f"PMC against {self.opponent}; dashed: in the limit")
        ax.grid(alpha=0.3)
        ax.legend()
        return ax


_SIDES = ("first", "second")
_RESULTS = ("win", "loss", "draw")


def pmc_strength(
    pos: Any,
    ns: Sequence[int],
    opponent: Any = "uniform",
    repeats: int = 1000,
    *,
    spread: Spread = "per move",
    criterion: Criterion = "win",
    seed: Seed = None,
    threads: int | None = None,
    progress: Progress = None,
) -> PmcStrength:
    """How well PMC with n playouts plays, for several n, on either side against one opponent.

    pos is a position of any kind or its Graph (build_graph without symmetry).  opponent is a policy
    as graph.outcomes takes it ("uniform", "optimal", "pmc", a callable, …) or an int: PMC with so
    many playouts.  The policy of PMC is sampled by pmc_choice (which explains repeats, spread,
    criterion and seed), what comes of it is computed exactly.

    >>> import mbx
    >>> curve = mbx.pmc_strength(mbx.games.MARUBATSU.from_text("ox./.o./..x"), [1, 10], seed=1)
    >>> curve.as_first.shape, curve.limits.shape
    ((2, 3), (2, 3))
    """
    _check_options(criterion, spread)
    if isinstance(ns, str) or not isinstance(ns, Iterable):
        raise TypeError(f"ns must be numbers of playouts, not {ns!r}")
    numbers = [read_count(n, "ns", 1) for n in ns]
    is_number = isinstance(opponent, int | np.integer) and not isinstance(opponent, bool)
    if is_number:
        read_count(opponent, "opponent", 1)
    else:
        check_policy(opponent, "opponent")
    graph = pos if isinstance(pos, PositionGraph) else build_graph(pos)
    if graph.symmetry:
        raise ValueError("pmc_strength needs a graph without symmetry: its policies have none")
    options: dict[str, Any] = {"spread": spread, "criterion": criterion, "threads": threads}
    seeds = np.random.SeedSequence(seed_key(seed)).spawn(2)
    name, against = _opponent(graph, opponent, repeats, seeds[1], options)
    limit = _LIMITS.get(criterion)
    tables = []
    with reporting(progress) as report:
        for done, n in enumerate(numbers):
            report(done, len(numbers))
            policy = pmc_choice(graph, n, repeats, seed=seeds[0], **options).chances
            tables.append(_both_sides(graph, policy, against))
        report(len(numbers), len(numbers))
    both = np.array(tables).reshape(-1, 2, 3)
    return PmcStrength(
        tuple(numbers), both[:, 0], both[:, 1], _both_sides(graph, limit, against), name
    )


def _opponent(
    graph: PositionGraph, opponent: Any, repeats: int, seed: Any, options: dict[str, Any]
) -> tuple[str, Any]:
    if isinstance(opponent, int | np.integer) and not isinstance(opponent, bool):
        choice = pmc_choice(graph, int(opponent), repeats, seed=seed, **options)
        return f"PMC with {int(opponent):,} playouts", choice.chances
    if not isinstance(opponent, str):
        return "the given policy", opponent
    names = {"uniform": "random play", "optimal": "optimal play"}
    return names.get(opponent, opponent), opponent


def _both_sides(graph: PositionGraph, policy: Any, against: Any) -> NDArray[np.float64]:
    """The outcomes at the root with the policy moving first, and moving second: (2, 3)."""
    return np.array([graph.outcomes(policy, against)[0], graph.outcomes(against, policy)[0]])

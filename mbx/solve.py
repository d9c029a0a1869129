"""The exact value of a position, by search.

Long searches run in a worker, so that Ctrl-C and a time limit can stop them; what is over within a
few milliseconds runs in the caller's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from . import _core
from .convert import read_moves
from .errors import GameOverError, TooLargeError
from .memory import available_bytes
from .position import Position
from .solve_layers import is_small, score_moves
from .svg import position_title
from .tables import html_table, text_table
from .work import Progress, read_count, read_timelimit, reporting, run_alone

TABLE_BYTES = 2**26  # of a table where nothing is said
FIRST_NODES = {"columns64": 20_000, "columns128": 5_000, "lines": 1_000}  # a few milliseconds
HELD_NODES = 1_000  # the core keeps the GIL for so many
NO_LIMIT = 2**63 - 1
ENDINGS = ("o has won", "x has won", "a draw")

Bounds = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class SolveResult:
    """The result of `solve`: what is known of a position, for the side to move; M legal moves.

    start       the position (a copy)
    lower       int: the score is at least this
    upper       int: and at most this; equal to lower once it is proven
    move        int: a move that keeps value and distance, proven; None where the search was stopped
    nodes       int: positions looked at
    seconds     float: of wall time
    method      "search", or "graph" where all positions below were looked at
    moves       int32 (M,): the legal moves, with scores=True only, else None, like what follows
    move_lower  int32 (M,): lower bounds of the scores of the moves, for the side that makes them
    move_upper  int32 (M,): and upper bounds
    """

    start: Position
    lower: int
    upper: int
    move: int | None
    nodes: int
    seconds: float
    method: str = "search"
    moves: NDArray[np.int32] | None = None
    move_lower: Bounds | None = None
    move_upper: Bounds | None = None

    @property
    def proven(self) -> bool:
        """Is the score known?  False only where nodes or timelimit ended the search."""
        return self.lower == self.upper

    @property
    def score(self) -> int | None:
        """The score for the side to move, None where it is not proven.

        A win whose last stone is placed when m stones are on the board: (n_cells + 1 - m) // 2; a
        draw 0; a loss the negative of the other side's win: Pascal Pons's convention.
        """
        return self.lower if self.proven else None

    @property
    def value(self) -> int | None:
        """1, 0, -1: a win, a draw, a loss for the side to move; None where that is not known."""
        if self.lower > 0:
            return 1
        if self.upper < 0:
            return -1
        return 0 if self.proven else None

    @property
    def distance(self) -> int | None:
        """Plies to the end under best play: the fastest win, the slowest loss; None as `score`.

        For a draw the number of empty cells.
        """
        return int(_distances(self.start, np.array([self.lower]))[0]) if self.proven else None

    @property
    def move_scores(self) -> Bounds | None:
        """int32 (M,): the score of each move, for the side that makes it.

        None without scores=True, and where one of them is not proven.
        """
        lower, upper = self.move_lower, self.move_upper
        if lower is None or upper is None or (lower != upper).any():
            return None
        return lower

    @property
    def move_values(self) -> Bounds | None:
        """int32 (M,): 1, 0, -1 for each move; None as `move_scores`."""
        scores = self.move_scores
        return None if scores is None else np.sign(scores)

    @property
    def move_distances(self) -> Bounds | None:
        """int32 (M,): plies to the end, the move itself counted; None as `move_scores`."""
        scores = self.move_scores
        return None if scores is None else _distances(self.start, scores)

    @property
    def best_moves(self) -> NDArray[np.int32] | None:
        """int32: the moves that keep the value; None as `move_scores`."""
        values = self.move_values
        return None if values is None or self.moves is None else self.moves[values == self.value]

    @property
    def fastest_moves(self) -> NDArray[np.int32] | None:
        """int32: those that also win fastest or lose slowest; all best moves of a draw."""
        scores = self.move_scores
        return None if scores is None or self.moves is None else self.moves[scores == self.score]

    @property
    def title(self) -> str:
        """The game, the position and its value in a few words."""
        side = "ox"[self.start.turn]
        if not self.proven:
            text = f"the score of {side} is from {self.lower} to {self.upper}"
        elif self.score == 0:
            text = "a draw"
        else:
            what = "wins" if self.lower > 0 else "loses"
            text = f"{side} {what} in {self.distance} plies, score {self.score}"
        return f"{position_title(self.start)}: {text}"

    @property
    def _note(self) -> str:
        return f"{self.nodes:,} nodes, {self.seconds:.3g} s"

    def _cells(self) -> list[list[str]]:
        """The table: a row a move, or one for the move that is known."""
        rows = [["move", "score", "plies"]]
        if self.moves is None or self.move_lower is None or self.move_upper is None:
            if self.move is not None:
                rows.append([str(self.move), str(self.score), str(self.distance)])
            return rows
        plies = _distances(self.start, self.move_lower).tolist()
        bounds = zip(self.move_lower.tolist(), self.move_upper.tolist(), strict=True)
        for move, (low, high), ply in zip(self.moves.tolist(), bounds, plies, strict=True):
            known = [str(low), str(ply)] if low == high else [f"{low} to {high}", ""]
            rows.append([str(move), *known])
        return rows

    def __str__(self) -> str:
        return "\n".join([self.title, "", *text_table(self._cells()), "", self._note])

    def __repr__(self) -> str:
        return f"<SolveResult: {self.title}>"

    def _repr_html_(self) -> str:
        return html_table(self.title, self._cells(), [self._note])


def _distances(position: Position, scores: NDArray[Any]) -> NDArray[np.int32]:
    """Plies to the end, by score: odd for a win, even for a loss, all that are left for a draw."""
    left = position.game.n_cells - position.ply
    plies = left + 2 - 2 * abs(scores)
    plies -= plies % 2 != (scores > 0)
    return np.where(scores == 0, left, plies).astype(np.int32)


def _result(
    start: Position, lower: int, upper: int, move: int, *, nodes: int, seconds: float
) -> SolveResult:
    """A result without scores, at a third of the cost of SolveResult()."""
    result = object.__new__(SolveResult)
    result.__dict__.update(
        start=start,
        lower=lower,
        upper=upper,
        move=move if move >= 0 else None,
        nodes=nodes,
        seconds=seconds,
    )
    return result


class Solver(_core.Solver):
    """Solves positions of one game, with a table that is kept: `Solver(game, table_bytes=2**26)`.

    What was found out about one position helps with the next ones.  The answers are exact whatever
    the table's size.  table_bytes is rounded down to a power of two, but a few bytes are always
    there.  One thread searches at a time; another one waits.

    Attributes: game; table_bytes, the memory that the table takes; method, how it searches:
    "columns64" or "columns128" on flat boards with gravity whose columns with a guard cell each
    fit in so many bits, "lines" elsewhere.

    Raises TypeError and ValueError for bad arguments, TooLargeError for more memory than there is.

    >>> from mbx import games
    >>> solver = Solver(games.CONNECT_FOUR, table_bytes=2**20)
    >>> position = games.CONNECT_FOUR.position("2252576253462244111563365343671351441")
    >>> solver.solve(position).score
    -1
    """

    __slots__ = ()

    def __new__(
        cls, game: _core.Game, table_bytes: SupportsIndex = TABLE_BYTES, method: str | None = None
    ) -> Self:
        """A solver with an empty table; method forces one, where it fits the game."""
        size = read_count(table_bytes, "table_bytes", 1)
        if size > TABLE_BYTES and size > available_bytes():
            free = available_bytes()
            raise TooLargeError(f"table_bytes is {size:,}, more than the {free:,} that are free")
        return super().__new__(cls, game, size, method)

    def solve(
        self,
        pos: Any,
        *,
        scores: bool = False,
        nodes: SupportsIndex | None = None,
        timelimit: float | None = None,
        progress: Progress = None,
    ) -> SolveResult:
        """The exact value of a position of the solver's game; all as `mbx.solve` says."""
        known = None
        plain = nodes is None and timelimit is None and progress is None and not scores
        if plain and type(pos) is Position:
            start = perf_counter()
            solved, lower, upper, move, done = self.search(pos, HELD_NODES, None)
            if solved:
                seconds = perf_counter() - start
                return _result(pos.copy(), lower, upper, move, nodes=done, seconds=seconds)
            known = lower, upper, move, done
        position, moves = read_moves(pos)
        return _solve(
            self,
            position,
            moves,
            scores=scores,
            nodes=nodes,
            timelimit=timelimit,
            progress=progress,
            known=known,
        )

    def __reduce__(self) -> tuple[type[Self], tuple[_core.Game, int]]:
        return type(self), (self.game, self.table_bytes)


def solve(
    pos: Any,
    *,
    scores: bool = False,
    nodes: SupportsIndex | None = None,
    timelimit: float | None = None,
    table_bytes: SupportsIndex = TABLE_BYTES,
    progress: Progress = None,
) -> SolveResult:
    """Find the exact value of a position under best play, and how fast it ends.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes.  The result's
    value (1, 0, -1), distance (plies to the end) and score are for the side to move; the fastest
    win and the slowest loss are exact too.  `move` is one move that reaches them.

    With scores=True every legal move is solved: moves, move_scores, move_values, move_distances,
    best_moves and fastest_moves, ascending by move (for an article object in the order of its
    calc_legal_moves()).  Without, these are None.

    nodes and timelimit (seconds of wall time) end the search early: the result then holds the
    bounds that are known so far, lower <= score <= upper.  table_bytes is the memory for what was
    found out on the way; to keep it from position to position use a `Solver`.  progress: True
    for a bar, or a callable progress(done, total), called now and then.

    Flat boards with gravity are searched with bitboards; 7x6 Connect Four takes about a minute
    from the empty board.  Of other boards, small ones are answered from all positions below, as by
    build_graph, where no limit is given; the rest is searched line by line, and large ones may take
    forever.

    Raises GameOverError for a finished position, TypeError and ValueError for bad arguments.

    >>> import mbx
    >>> result = mbx.solve(mbx.games.CONNECT_FOUR.position("226744515337"), scores=True)
    >>> result.move_scores
    array([-1,  0, -1,  7,  6, -2,  0], dtype=int32)
    >>> result.value, result.distance, result.move
    (1, 17, 3)
    """
    position, moves = read_moves(pos)
    read_count(table_bytes, "table_bytes", 1)
    if nodes is None and timelimit is None and position.status < 0 and is_small(position):
        with reporting(progress) as report:
            report(0, 1)
            return _from_layers(position, moves, scores)
    return _solve(
        Solver(position.game, table_bytes),
        position,
        moves,
        scores=scores,
        nodes=nodes,
        timelimit=timelimit,
        progress=progress,
    )


def _from_layers(position: Position, moves: NDArray[np.int32], scores: bool) -> SolveResult:
    """The result from all positions below; moves are the legal moves in the caller's order."""
    by_move, entries, seconds = score_moves(position)
    in_order = by_move[np.searchsorted(position.legal_moves, moves)]
    return SolveResult(
        start=position,
        lower=int(by_move.max()),
        upper=int(by_move.max()),
        move=int(moves[in_order.argmax()]),
        nodes=entries,
        seconds=seconds,
        method="graph",
        moves=moves if scores else None,
        move_lower=in_order if scores else None,
        move_upper=in_order if scores else None,
    )


def _solve(
    solver: Solver,
    position: Position,
    moves: NDArray[np.int32],
    *,
    scores: bool,
    nodes: SupportsIndex | None,
    timelimit: float | None,
    progress: Progress,
    known: tuple[int, int, int, int] | None = None,
) -> SolveResult:
    """Tries with a few nodes in the caller's thread, then goes on in a worker.

    moves are the legal moves in the caller's order; known is what a search gave before.
    """
    start = perf_counter()
    if position.status >= 0:
        raise GameOverError(f"the game is over ({ENDINGS[position.status]}): nothing to solve")
    limit = NO_LIMIT if nodes is None else read_count(nodes, "nodes", 1)
    seconds = read_timelimit(timelimit) if timelimit is not None else None
    search: _Search = _MoveSearch(position) if scores else _Search(position)
    if known is not None:
        search.known, search.nodes = known[:3], known[3]
    few = min(limit, FIRST_NODES[solver.method])
    if not search.run(solver, few, None) and search.nodes < limit:
        left = None if seconds is None else max(seconds - (perf_counter() - start), 1e-9)
        run_alone(lambda cancel: search.run(solver, limit - search.nodes, cancel), progress, left)
    return search.result(moves, perf_counter() - start)


class _Search:
    """What is known of a position, from run to run."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.known: tuple[int, int, int] | None = None
        self.nodes = 0

    def run(self, solver: Solver, nodes: int, cancel: bytearray | None) -> bool:
        """Closes in on the score with so many nodes; True once it is known."""
        solved, *known, done = solver.search(self.position, nodes, cancel, self.known)
        self.known = (known[0], known[1], known[2])
        self.nodes += done
        return solved

    def result(self, moves: NDArray[np.int32], seconds: float) -> SolveResult:
        """The result; `moves` are the caller's legal moves in the caller's order."""
        assert self.known is not None
        lower, upper, move = self.known
        return _result(self.position, lower, upper, move, nodes=self.nodes, seconds=seconds)


class _MoveSearch(_Search):
    """The same for all legal moves."""

    def __init__(self, position: Position) -> None:
        super().__init__(position)
        n = len(position.legal_moves)
        self.lower = np.full(n, -(2**31), np.int32)
        self.upper = np.full(n, 2**31 - 1, np.int32)

    def run(self, solver: Solver, nodes: int, cancel: bytearray | None) -> bool:
        """Closes in on the scores of all moves."""
        solved, done = solver.search_moves(self.position, self.lower, self.upper, nodes, cancel)
        self.nodes += done
        return solved

    def result(self, moves: NDArray[np.int32], seconds: float) -> SolveResult:
        """The result, its moves in the order of `moves`."""
        legal = self.position.legal_moves
        rows = np.searchsorted(legal, moves)
        lower, upper, legal = self.lower[rows], self.upper[rows], legal[rows]
        low, high = int(lower.max()), int(upper.max())
        move = int(legal[lower.argmax()]) if low == high else None
        return SolveResult(
            start=self.position,
            lower=low,
            upper=high,
            move=move,
            nodes=self.nodes,
            seconds=seconds,
            moves=legal,
            move_lower=lower,
            move_upper=upper,
        )

"""Monte Carlo tree search: `mcts`, and `MCTS`, a search that goes on.

docs/mcts.md defines what is searched.  The trees grow in the core, one a thread.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Self, SupportsIndex

import numpy as np

from . import _core
from .convert import read_moves
from .errors import GameOverError
from .evaluation import Evaluator, Noise, evaluate, read_noise
from .final_move import RootStatistics, candidates, choose_move
from .growing import (
    QUICK_PLAYOUTS,
    Growing,
    Snapshot,
    deal,
    explore,
    merge_records,
    record_at_powers,
    record_doubled,
)
from .mcts_result import MctsResult
from .memory import available_bytes
from .position import Position
from .search_options import (
    STANDARD,
    Exploration,
    read_batch_size,
    read_evaluator,
    read_exploration,
    read_final,
    read_number,
    read_playouts,
    read_share,
)
from .seeds import Seed, seed_key
from .step import Step, read_step
from .tree_arrays import SearchTree
from .work import QUICK, Progress, read_count, read_threads, read_timelimit, reporting
from .workers import run_in_threads

SIMULATIONS = 2000  # where nothing is said
OPTIONS = (
    "playouts_per_leaf",
    "expand_all",
    "max_nodes",
    "solver",
    "draw_value",
    "final",
    "temperature",
    "evaluator",
    "batch_size",
    "noise",
    "seed",
    "threads",
)
MOST_BEGUN = 1024  # simulations of a batch, with those that end at known edges
VISITS_A_LEAF = 32  # of the root, for each leaf of a batch beyond the first


def mcts(
    pos: Any,
    n: SupportsIndex | None = None,
    c: Exploration = STANDARD,
    *,
    timelimit: float | None = None,
    progress: Progress = None,
    **options: Any,
) -> MctsResult:
    """Search a position with n simulations of Monte Carlo tree search (UCB1), and choose a move.

    n is 2,000 where neither n nor timelimit is given.  The same as
    MCTS(pos, c, **options).run(n, timelimit=timelimit, progress=progress): see there.

    >>> import mbx
    >>> position = mbx.games.MARUBATSU.from_text("ox./.../...")
    >>> result = mbx.mcts(position, 2000, seed=1)
    >>> int(result.visits.sum()), result.move in (3, 4, 6)
    (2000, True)
    """
    if unknown := options.keys() - OPTIONS:
        raise TypeError(f"{min(unknown)!r} is no option of mcts, whose options are {OPTIONS}")
    if n is None and timelimit is None:
        n = SIMULATIONS
    return MCTS(pos, c, **options).run(n, timelimit=timelimit, progress=progress)


class MCTS:
    """A Monte Carlo tree search from a position, which can go on, follow the game, and be saved.

    pos is a Position, an mbx.Marubatsu or an object of the article's own classes; it is copied.

    c               the weight of exploration in UCB1, mean + c sqrt(ln N / n), with means from 0 to
                    1: a number from 0 on; "greedy" (0), "standard" (the square root of 2),
                    "exploring" (3), "decreasing"; or a callable of the parent's visits N
    playouts_per_leaf  random games at every new leaf; many at once run in lockstep
    expand_all      a new leaf gets its children at once, and the playout begins at one of them
    max_nodes       the tree stops growing there, and the search goes on in it
    solver          proven wins, losses and draws are handed up the tree; a proven loss is not tried
                    again, and a proven root ends the search
    draw_value      what a draw is worth to either side, from 0 to 1
    final           the move is that with the most "visits", the largest "value", or the largest
                    "lower bound" (value less standard error)
    temperature     above 0: the move is drawn, with chances as visits ** (1 / temperature)
    evaluator       instead of playouts (PUCT, as in AlphaZero): a callable evaluator(boards) ->
                    (priors, values) on int8 boards (B, *reversed shape), as to_array gives them
                    (-1 empty, 0 first, 1 second; to move is the side with fewer stones); priors
                    (B, n_moves) of 0 and more, values (B,) from -1 to 1 for the side to move.  c is
                    then the weight of the priors.  Finished positions are worth what the rules say
    batch_size      boards that the evaluator gets at a time, at most; at first fewer, one and one
                    more for every 32 visits of the root, for a small tree has few good leaves
    noise           (alpha, share): so much of the priors at the root is Dirichlet noise
    seed            as everywhere in mbx; the search is a function of arguments, seed and threads
    threads         trees of the same root, grown side by side, whose statistics are added up; 1,
                    the default, is the sequential algorithm.  None: one a core

    Raises TypeError and ValueError for bad arguments, GameOverError for a finished position.

    Sources: Kocsis, Szepesvari: Bandit based Monte-Carlo planning (2006); Auer, Cesa-Bianchi,
    Fischer: Finite-time analysis of the multiarmed bandit problem (2002); Winands, Bjornsson,
    Saito: Monte-Carlo tree search solver (2008); Cazenave, Saffidine: Score bounded Monte-Carlo
    tree search (2010); Silver et al.: A general reinforcement learning algorithm (2018).

    >>> import mbx
    >>> search = mbx.MCTS(mbx.games.CONNECT_FOUR.position("4455"), seed=1, solver=True)
    >>> search.run(3000).move in (2, 5)
    True
    >>> search.advance(2)
    >>> search.position.ply
    5
    """

    def __init__(
        self,
        pos: Any,
        c: Exploration = STANDARD,
        *,
        playouts_per_leaf: SupportsIndex = 1,
        expand_all: bool = False,
        max_nodes: SupportsIndex | None = None,
        solver: bool = False,
        draw_value: float = 0.5,
        final: str = "visits",
        temperature: float = 0.0,
        evaluator: Evaluator | None = None,
        batch_size: SupportsIndex = 8,
        noise: Noise | None = None,
        seed: Seed = None,
        threads: SupportsIndex | None = 1,
    ) -> None:
        position, self._moves = read_moves(pos)
        _check_playing(position)
        self._c = read_exploration(c)
        self.options: dict[str, Any] = {
            "c": c,
            "playouts_per_leaf": read_playouts(playouts_per_leaf),
            "expand_all": bool(expand_all),
            "max_nodes": None if max_nodes is None else read_count(max_nodes, "max_nodes", 1),
            "solver": bool(solver),
            "draw_value": read_share(draw_value, "draw_value"),
            "final": read_final(final),
            "temperature": read_number(temperature, "temperature"),
            "batch_size": read_batch_size(batch_size),
            "noise": read_noise(noise),
        }
        self._evaluator = read_evaluator(evaluator)
        if noise is not None and evaluator is None:
            raise ValueError(f"noise is for the priors of an evaluator: without one not {noise!r}")
        n_trees = read_threads(threads)
        if self._evaluator and n_trees > 1:
            raise ValueError(f"threads must be 1 with an evaluator, not {threads!r}")
        self.seed = seed_key(seed)
        self._position = position
        self.trees = [self._plant(tree, n_trees) for tree in range(n_trees)]
        self._records: list[list[Snapshot]] = [[] for _ in self.trees]
        self._lock = threading.Lock()  # held while the trees grow or change
        self._looking = threading.Lock()  # and while the root changes or is looked at
        self.noised = (0, False)  # times that noise was drawn; is there noise at this root?

    # ---- searching -------------------------------------------------------------------------------

    def run(
        self,
        n: SupportsIndex | None = None,
        *,
        timelimit: float | None = None,
        progress: Progress = None,
    ) -> MctsResult:
        """Run n more simulations, or as many as fit in `timelimit` seconds, or both limits.

        A simulation goes down the tree to a leaf and counts its playouts' results on the way back.
        Ctrl-C ends it; the tree then holds what was done.  progress: True for a bar, or a callable
        progress(done, n).

        Raises ValueError for n below 1 and where neither limit is given, GameOverError after
        `advance` to the end of the game, RuntimeError while the search runs already.
        """
        if n is None and timelimit is None:
            raise ValueError("run needs n, a number of simulations, or timelimit, in seconds")
        start = time.monotonic()
        deadline = start + read_timelimit(timelimit)
        room = _core.MAX_SIMULATIONS - self.simulations - 1
        most = room if n is None else read_count(n, "n", 1)
        if most > room:
            raise ValueError(f"n must be at most {room}: a tree holds no more, not {n!r}")
        _check_playing(self._position)
        before = self.simulations
        with self._alone(), reporting(progress) as report:

            def look() -> None:
                done = self.simulations - before
                report(done, done if n is None else most)

            stop = self._run(most, start, deadline, look)
            look()
            return self._result(time.monotonic() - start, stop)

    def _run(self, n: int, start: float, deadline: float, look: Callable[[], None]) -> str:
        """Runs n simulations and says why it stopped."""
        if self._evaluator:
            return self._run_with_evaluator(n, deadline, look)
        shares = deal(n, [tree.visits for tree in self.trees])
        growing = [
            Growing(tree, record, share, self._c)
            for tree, record, share in zip(self.trees, self._records, shares, strict=True)
        ]
        per_leaf = self.options["playouts_per_leaf"]
        if len(growing) == 1 and per_leaf <= QUICK_PLAYOUTS:
            growing[0].run_quickly(per_leaf, min(deadline, start + QUICK))
        if any(not each.is_done() for each in growing):
            cancel = bytearray(1)
            jobs = iter(growing)
            run_in_threads(
                lambda: next(jobs).run(cancel, self._looking),
                len(growing),
                cancel,
                look,
                deadline,
            )
        if self._is_proven():
            return "proven"
        return "simulations" if all(each.left == 0 for each in growing) else "time"

    def _run_with_evaluator(self, n: int, deadline: float, look: Callable[[], None]) -> str:
        tree, record = self.trees[0], self._records[0]
        assert self._evaluator is not None
        size = self.options["batch_size"]
        boards = np.empty((size, *self._position.game.shape[::-1]), np.int8)
        left = n
        self._make_noise(tree)
        while left > 0 and not self._is_proven():
            if left < n and time.monotonic() >= deadline:
                return "time"
            most = min(size, 1 + tree.visits // VISITS_A_LEAF)
            n_begun = min(left, MOST_BEGUN)
            explore(tree, tree.visits + n_begun + 1, self._c)
            leaves, begun, is_full = tree.gather(most, n_begun, boards)
            left -= begun
            is_full |= not evaluate(tree, self._evaluator, boards[:leaves].copy())
            if is_full or (leaves == 0 and begun == 0):
                return "nodes"
            self._make_noise(tree)
            if begun:
                record_doubled(record, tree)
            look()
        return "proven" if self._is_proven() else "simulations"

    def _make_noise(self, tree: _core.Mcts) -> None:
        """Mixes noise into the root's priors, once for every root."""
        noise, edges = self.options["noise"], tree.look([])
        times, is_noisy = self.noised
        if noise is None or is_noisy or edges is None:
            return
        alpha, share = noise
        generator = np.random.default_rng([*_words(self.seed), times])
        drawn = generator.dirichlet(np.full(len(edges[0]), alpha))
        priors = np.zeros(self._position.game.n_moves)
        priors[edges[0]] = (1 - share) * edges[5].astype(float) + share * drawn
        tree.set_root_priors(priors)
        self.noised = (times + 1, True)

    def steps(self, n: SupportsIndex | None = None) -> Iterator[Step]:
        """Run the search one simulation at a time, and tell what happened in each.

        Ends after n simulations (None: never), or when the root is proven.  Raises ValueError with
        an evaluator, several trees or several playouts a leaf.

        >>> import mbx
        >>> search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1)
        >>> for step in search.steps(2):
        ...     print(step.number, len(step.path), step.outcome in (0, 1, 2))
        1 1 True
        2 1 True
        """
        most = math.inf if n is None else read_count(n, "n", 1)
        if self._evaluator or len(self.trees) > 1 or self.options["playouts_per_leaf"] > 1:
            raise ValueError("steps needs threads=1, playouts_per_leaf=1 and no evaluator")
        return self._steps(most)

    def _steps(self, most: float) -> Iterator[Step]:
        tree, done = self.trees[0], 0
        while done < most:
            _check_playing(self._position)
            explore(tree, tree.visits + 1, self._c)
            with self._alone():
                if tree.search(1, True, None) == 0:
                    return
                record_at_powers(self._records[0], tree)
                step = read_step(tree, self._position, self._c)
            done += 1
            yield step

    # ---- following the game ----------------------------------------------------------------------

    def advance(self, move: SupportsIndex) -> None:
        """Play a move: what was found out below it is kept, the rest is freed.

        Raises IllegalMoveError, and leaves the search as it was.
        """
        position = self._position.copy()
        position.push(move)
        with self._alone(), self._looking:
            for tree in self.trees:
                tree.advance(move)
            self._position, self._moves = position, position.legal_moves
            self._records = [[] for _ in self.trees]
        self.noised = (self.noised[0], False)

    def reset(self, pos: Any = None) -> None:
        """Forget the tree; start anew from pos, or from the present root, with the same seed."""
        position, moves = (self._position, self._moves) if pos is None else read_moves(pos)
        _check_playing(position)
        if position.game != self._position.game:
            raise ValueError(f"pos must be a position of {self._position.game}")
        with self._alone(), self._looking:
            for row, tree in enumerate(self.trees):
                tree.restart(position, self.seed, row)
            self._position, self._moves = position, moves
            self._records = [[] for _ in self.trees]
            self.noised = (0, False)

    # ---- looking ---------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """The root, a copy."""
        return self._position.copy()

    @property
    def simulations(self) -> int:
        """Simulations in the trees."""
        own = 1 if self._evaluator else 0  # the root's own evaluation
        return sum(max(tree.visits - own, 0) for tree in self.trees)

    @property
    def has_evaluator(self) -> bool:
        """Does an evaluator say what leaves are worth?"""
        return self._evaluator is not None

    @property
    def stats(self) -> MctsResult:
        """What the search holds now, as `run` returns it."""
        with self._looking:
            _check_playing(self._position)
            return self._result(0.0, "proven" if self._is_proven() else "simulations")

    def tree(self) -> SearchTree:
        """All nodes as arrays; of several trees, the first one's."""
        with self._looking:
            return SearchTree(self._position.copy(), self._per_leaf(), *self.trees[0].columns())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the search to a file, from which it can go on as if nothing had happened.

        Raises ValueError where c is a callable, for a file holds no code; GameOverError where the
        root is finished; RuntimeError while the search runs.
        """
        from .search_file import save_search

        with self._alone(), self._looking:
            _check_playing(self._position)
            save_search(self, path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        evaluator: Evaluator | None = None,
    ) -> Self:
        """Read a search that `save` wrote; one with an evaluator needs it again.

        Raises ValueError for a file that is damaged or holds no search.
        """
        from .search_file import load_search

        return load_search(cls, path, evaluator)

    def __reduce__(self) -> NoReturn:
        raise TypeError("an MCTS cannot be copied or pickled: use save and load")

    def __repr__(self) -> str:
        return f"<MCTS of {self._position!r}: {self.simulations:,} simulations>"

    # ---- inside ----------------------------------------------------------------------------------

    def _alone(self) -> threading.Lock:
        """The lock of what changes the trees; RuntimeError while something else does."""
        if self._lock.locked():
            raise RuntimeError("the search is running: an evaluator or another thread uses it")
        return self._lock

    def _plant(self, row: int, n_trees: int) -> _core.Mcts:
        """An empty tree, which may take its share of half the memory that is free."""
        options = self.options
        most = options["max_nodes"]
        return _core.Mcts(
            self._position,
            0 if self._evaluator else options["playouts_per_leaf"],
            options["expand_all"],
            options["solver"],
            options["draw_value"],
            2**63 if most is None else most,
            available_bytes() // (2 * n_trees),
            self.seed,
            row,
        )

    def _is_proven(self) -> bool:
        lower, upper = zip(*(tree.bounds for tree in self.trees), strict=True)
        return max(lower) == min(upper)

    def _root(self) -> RootStatistics:
        return RootStatistics.of(self.trees, self.options["draw_value"], self._per_leaf())

    def _per_leaf(self) -> int:
        return 1 if self._evaluator else int(self.options["playouts_per_leaf"])

    def _result(self, seconds: float, stop: str) -> MctsResult:
        root = self._root()
        chosen = choose_move(
            root, self.options["final"], self.options["temperature"], (self.seed, self.simulations)
        )
        rows = np.searchsorted(root.moves, self._moves)
        value = float(root.values[chosen])
        if np.isnan(value):  # nothing was run
            value = self.options["draw_value"]
        if root.lower.max() == root.upper.max():
            value = root.worth(int(root.lower.max()))
        return MctsResult(
            start=self._position.copy(),
            move=int(root.moves[chosen]),
            value=value,
            moves=root.moves[rows],
            visits=root.visits[rows],
            values=root.values[rows],
            standard_errors=root.standard_errors[rows],
            lower=root.lower[rows],
            upper=root.upper[rows],
            variation=_variation(self.trees, int(root.moves[chosen])),
            simulations=self.simulations,
            playouts=0 if self._evaluator else self._per_leaf(),
            nodes=sum(tree.nodes for tree in self.trees),
            depth=max(tree.depth for tree in self.trees),
            seconds=seconds,
            stop=stop,
            seed=self.seed,
            draw_value=self.options["draw_value"],
            recording=merge_records(self._records, self.trees, rows, self._per_leaf()),
        )


def _check_playing(position: Position) -> None:
    if position.status != -1:
        raise GameOverError("the game is over: there is nothing to search")


def _variation(trees: list[_core.Mcts], move: int) -> list[int]:
    """The moves with the most visits, from a first one on."""
    variation = [move]
    while nodes := [node for tree in trees if (node := tree.look(variation)) is not None]:
        visits = sum(node[1] for node in nodes)
        lower = np.max([node[3] for node in nodes], axis=0)
        upper = np.min([node[4] for node in nodes], axis=0)
        allowed = np.where(candidates(lower, upper), visits, 0)
        if not allowed.any():
            break
        variation.append(int(nodes[0][0][allowed.argmax()]))
    return variation


def _words(key: int) -> list[int]:
    return [key >> shift & 0xFFFFFFFF for shift in range(0, 128, 32)]

"""The search of docs/mcts.md in slow, plain Python: node by node, as the text says it.

`Search` grows a tree; `nodes` lists it, breadth first, children ascending by move.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from reference import Board, Rules, turn
from stream_reference import WORD, Game, block_words, generator_state, playouts, sfc64

F = np.float32


def generator(seed: int, tree: int) -> Iterator[int]:
    return sfc64(*generator_state(block_words(seed, tree, WORD - 1), 0))


def below(source: Iterator[int], m: int) -> int:
    while True:
        high, low = divmod(next(source) * m, WORD)
        if low >= WORD % m:
            return high


def rounded_down(visits: int) -> int:
    """To 16 significant bits."""
    shift = max(visits.bit_length() - 16, 0)
    return visits >> shift << shift


class Match(Game):
    """A game that is played move by move and knows when it is over."""

    def __init__(self, rules: Rules, board: Board) -> None:
        super().__init__(rules, board)
        self.legal = [m for m in range(rules.n_moves) if board[rules.cells_under(m)[-1]] == -1]

    @property
    def board(self) -> Board:
        first, second = self.stones
        return tuple(
            0 if c in first else 1 if c in second else -1 for c in range(self.rules.n_cells)
        )

    def play(self, move: int) -> int:
        """-1, or the outcome of the game if that ended it."""
        side, cell = self.turn, self.landing_cell(move)
        self.place(cell)
        if cell == self.rules.cells_under(move)[-1]:
            self.legal.remove(move)
        return side if self.completes(cell, side) else 2 if self.full else -1


def draw_bits(rules: Rules) -> int:
    return max((rules.n_moves - 1).bit_length(), 1)


def is_small_under_gravity(rules: Rules) -> bool:
    """Do many playouts have the definition of their own?"""
    if not rules.gravity or len(rules.shape) != 2:
        return False
    width, height = rules.shape
    return (
        width * (height + 1) <= 64
        and (2 ** draw_bits(rules) - 1) * (height + 1) < 63
        and (rules.k - 1) * (height + 2) < 64
    )


def play_by_draws(game: Match, source: Iterator[int]) -> int:
    """The outcome of a playout whose words hold six draws each."""
    bits = draw_bits(game.rules)
    while True:
        word = next(source)
        for draw in range(6):
            column = word >> draw * bits & (1 << bits) - 1
            if column in game.legal:
                status = game.play(column)
                if status != -1:
                    return status


class Block:
    """The edges of a node."""

    def __init__(self, moves: list[int], priors: np.ndarray | None = None) -> None:
        n = len(moves)
        self.moves = moves
        self.visits, self.sums = np.zeros(n, np.int64), np.zeros(n)
        self.lower, self.upper = np.full(n, -1), np.full(n, 1)
        self.children: list[Block | None] = [None] * n
        self.priors = np.full(n, np.nan, F) if priors is None else priors

    def visited_nodes(self) -> int:
        return int((self.visits > 0).sum()) + sum(
            child.visited_nodes() for child in self.children if child
        )


Edge = tuple[Block, int]


class Descent(NamedTuple):
    """Where a simulation ended, before its result is known; the worth of its last edge if it is."""

    path: list[Edge]
    game: Match
    worth: int | None = None
    news: bool = False  # the worth was not known before
    is_full: bool = False  # it ended at a node that can have no more children
    is_pending: bool = False  # it met a leaf that waits for the evaluator


class Search:
    """One tree.  c is a callable; evaluator a callable of boards (B, n_cells) by cell, or None."""

    def __init__(
        self,
        rules: Rules,
        board: Board,
        c: Callable[[int], float],
        seed: int,
        tree: int = 0,
        *,
        playouts_per_leaf: int = 1,
        expand_all: bool = False,
        max_nodes: float | None = None,
        solver: bool = False,
        draw_value: float = 0.5,
        evaluator: Callable[[np.ndarray], tuple[Any, Any]] | None = None,
        batch_size: int = 8,
    ) -> None:
        self.rules, self.board, self.c = rules, board, c
        self.source = generator(seed, tree)
        self.p = playouts_per_leaf
        self.expand_all, self.solver, self.draw_value = expand_all, solver, draw_value
        self.max_nodes = max_nodes or math.inf
        self.evaluator, self.batch_size = evaluator, batch_size
        self.n_nodes, self.visits, self.bounds = 1, 0, (-1, 1)
        self.root = None if evaluator else self.block_of(self.match())
        self.simulations = 0

    def match(self) -> Match:
        return Match(self.rules, self.board)

    def block_of(self, game: Match, priors: np.ndarray | None = None) -> Block:
        return Block(list(game.legal), priors)

    @property
    def is_full(self) -> bool:
        return self.n_nodes >= self.max_nodes

    @property
    def is_proven(self) -> bool:
        return self.bounds[0] == self.bounds[1]

    def below(self, m: int) -> int:
        return below(self.source, m)

    def run(self, n: int) -> Search:
        if self.evaluator:
            self.run_batches(n)
        else:
            for _ in range(n):
                if self.is_proven:
                    break
                self.simulate()
        return self

    def advance(self, move: int) -> None:
        """The child becomes the root, with what its edge knows."""
        i = self.root.moves.index(move)
        game = self.match()
        assert game.play(move) == -1
        self.board = game.board
        self.bounds = (-int(self.root.upper[i]), -int(self.root.lower[i]))
        self.root = self.root.children[i] or (None if self.evaluator else self.block_of(game))
        self.simulations = int(self.root.visits.sum()) if self.root else 0
        self.visits = self.simulations + bool(self.evaluator and self.root)
        self.n_nodes = 1 + (self.root.visited_nodes() if self.root else 0)

    # -- a simulation

    def simulate(self) -> None:
        end = self.descend()
        rewards = self.known_rewards(end) if end.worth is not None else self.play_out(end.game)
        self.count_visits(end)
        self.add_rewards(end, rewards)

    def descend(self) -> Descent:
        game, path = self.match(), []
        block, visits = self.root, self.visits
        expanded = False
        while True:
            i = self.select(block, visits)
            if i is None:
                return Descent(path, game, is_full=True)
            path.append((block, i))
            status = game.play(block.moves[i])
            if block.lower[i] == block.upper[i]:
                return Descent(path, game, worth=int(block.lower[i]))
            if block.visits[i] == 0:
                if self.evaluator and self.is_full:
                    return Descent(path, game, is_full=True)
                if status != -1:
                    self.n_nodes += 1
                    block.lower[i] = block.upper[i] = int(status != 2)
                    return Descent(path, game, worth=int(status != 2), news=True)
                if self.evaluator:
                    return Descent(path, game)
                self.n_nodes += 1
                if expanded or not self.expand_all or self.is_full:
                    return Descent(path, game)
                expanded = True
                block.children[i] = self.block_of(game)
            elif block.children[i] is None:
                if self.evaluator:
                    return Descent(path, game, is_pending=True)
                if self.is_full:
                    return Descent(path, game, is_full=True)
                block.children[i] = self.block_of(game)
            block, visits = block.children[i], int(block.visits[i])

    def select(self, block: Block, visits: int) -> int | None:
        """The number of the edge; None where the tree is full, and a simulation ends with that."""
        candidates = np.flatnonzero((block.upper > -1) | (not self.solver))
        unvisited = candidates[block.visits[candidates] == 0]
        if not self.evaluator and len(unvisited):
            choice = unvisited
        elif len(candidates) == 1:
            choice = candidates
        else:
            rule = self.puct if self.evaluator else self.ucb1
            with np.errstate(divide="ignore", invalid="ignore"):
                scores = rule(block, rounded_down(visits))[candidates]
            choice = candidates[scores == scores.max()]
        i = int(choice[self.below(len(choice)) if len(choice) > 1 else 0])
        return None if self.is_full and not block.visits[i] and not self.evaluator else i

    def ucb1(self, block: Block, visits: int) -> np.ndarray:
        e = F(self.c(visits) * math.sqrt(math.log(visits)))
        r = F(1) / block.visits.astype(F)
        s = block.sums.astype(F)
        return (s * r) * (F(1) / F(self.p)) + e * np.sqrt(r)

    def puct(self, block: Block, visits: int) -> np.ndarray:
        e = F(self.c(visits) * math.sqrt(visits))
        n = block.visits.astype(F)
        s = block.sums.astype(F)
        q = np.where(n == 0, F(0), F(2) * (s * (F(1) / n)) - F(1))
        return q + e * (block.priors / (F(1) + n))

    def play_out(self, game: Match) -> tuple[float, float]:
        """The rewards of first and second."""
        outcomes: Counter[int] = Counter()
        if self.p == 1:
            status = -1
            while status == -1:
                legal = game.legal
                status = game.play(legal[self.below(len(legal))])
            outcomes[status] = 1
        else:
            seed = next(self.source) + next(self.source) * WORD
            if self.p < 256 and is_small_under_gravity(self.rules):
                key = block_words(seed, 0, 0)
                outcomes.update(
                    play_by_draws(Match(self.rules, game.board), sfc64(*generator_state(key, i)))
                    for i in range(self.p)
                )
            else:
                rows = min(8, -(-self.p // 64)) if self.rules.gravity else 1
                for row in range(rows):
                    n = self.p // rows + (row < self.p % rows)
                    for (_, outcome), times in playouts(
                        self.rules, game.board, seed, row, n
                    ).items():
                        outcomes[outcome] += times
        draws = outcomes[2] * self.draw_value
        return outcomes[0] + draws, outcomes[1] + draws

    def known_rewards(self, end: Descent) -> tuple[float, float]:
        """Of all playouts, where the last edge's worth is known."""
        mover = 1 - end.game.turn
        rewards = {1: (1, 0), 0: (self.draw_value,) * 2, -1: (0, 1)}[end.worth]
        mine, other = (self.p * reward for reward in rewards)
        return (other, mine) if mover else (mine, other)

    def count_visits(self, end: Descent) -> None:
        self.simulations += 1
        self.visits += 1
        for block, i in end.path:
            block.visits[i] += 1
        if end.news and self.solver:
            self.hand_up(end.path)

    def add_rewards(self, end: Descent, rewards: tuple[float, float]) -> None:
        side = turn(self.board)
        for block, i in end.path:
            block.sums[i] += rewards[side]
            side = 1 - side

    def hand_up(self, path: list[Edge]) -> None:
        for depth in reversed(range(len(path))):
            block, _ = path[depth]
            bounds = int(block.lower.max()), int(block.upper.max())
            if depth == 0:
                self.bounds = bounds
                return
            parent, i = path[depth - 1]
            if (parent.lower[i], parent.upper[i]) == (-bounds[1], -bounds[0]):
                return
            parent.lower[i], parent.upper[i] = -bounds[1], -bounds[0]

    # -- with an evaluator

    def run_batches(self, n: int) -> None:
        if self.root is None:
            ((priors, _),) = self.evaluate([self.match()])
            self.root = self.block_of(self.match(), priors)
            self.visits = 1
        end = self.simulations + n
        while self.simulations < end and not self.is_proven and self.run_batch(end):
            pass

    def run_batch(self, last: int) -> bool:
        """False where the tree is full."""
        leaves: list[Descent] = []
        is_full = False
        most = min(self.batch_size, 1 + self.visits // 32)
        while len(leaves) < most and self.simulations < last and not self.is_proven:
            end = self.descend()
            if end.is_pending or end.is_full:
                is_full = end.is_full
                break
            self.count_visits(end)
            if end.worth is not None:
                self.add_rewards(end, self.known_rewards(end))
                continue
            leaves.append(end)
            self.n_nodes += 1
        for end, (priors, value) in zip(
            leaves, self.evaluate([e.game for e in leaves]), strict=True
        ):
            block, i = end.path[-1]
            block.children[i] = self.block_of(end.game, priors)
            rewards = (1 + value) / 2, (1 - value) / 2
            self.add_rewards(end, rewards[::-1] if end.game.turn else rewards)
        return not is_full

    def evaluate(self, games: list[Match]) -> list[tuple[np.ndarray, float]]:
        """Priors of the legal moves and the value of every position."""
        if not games:
            return []
        priors, values = self.evaluator(np.array([game.board for game in games], np.int8))
        found = []
        for game, prior, value in zip(games, priors, values, strict=True):
            p = np.asarray(prior, float)[game.legal]
            p = p / p.sum() if p.sum() else np.full(len(p), 1 / len(p))
            found.append((p.astype(F), float(value)))
        return found


# -- looking at a tree


class Node(NamedTuple):
    """An edge with its block; parent is the number of a node in the list, -1 at the root."""

    parent: int
    move: int
    depth: int
    visits: int
    sum: float
    lower: int
    upper: int
    n_children: int
    prior: float


def nodes(search: Search) -> list[Node]:
    """The root, its bounds turned like those of an edge to it, then all edges breadth first."""
    n = len(search.root.moves) if search.root else 0
    lower, upper = search.bounds
    found = [Node(-1, -1, 0, search.visits, 0.0, -upper, -lower, n, math.nan)]
    layer = [(0, search.root)] if search.root else []
    while layer:
        below_it = []
        for parent, block in layer:
            depth = found[parent].depth + 1
            for i, child in enumerate(block.children):
                if child:
                    below_it.append((len(found), child))
                found.append(
                    Node(
                        parent,
                        block.moves[i],
                        depth,
                        int(block.visits[i]),
                        float(block.sums[i]),
                        int(block.lower[i]),
                        int(block.upper[i]),
                        len(child.moves) if child else 0,
                        float(block.priors[i]),
                    )
                )
        layer = below_it
    return found

"""One simulation of a tree search, told step by step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from .position import Position


@dataclass(frozen=True, eq=False)
class Selection:
    """The choice of a move at one node, before the simulation changed anything there; M moves.

    moves   int32 (M,), ascending
    visits  int64 (M,)
    values  float64 (M,): mean rewards of the side to move, nan where unvisited
    bonus   float64 (M,): the exploration terms, inf where unvisited
    scores  float64 (M,): their sums; unvisited moves come first
    chosen  int: the index of the move that was taken
    """

    moves: NDArray[np.int32]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    bonus: NDArray[np.float64]
    scores: NDArray[np.float64]
    chosen: int


@dataclass(frozen=True, eq=False, repr=False)
class Step:
    """One simulation.

    number      int: 1 for the first one of the tree
    root        the root (a copy)
    path        list of int: the moves that were selected, from the root to the leaf
    selections  list of Selection, one for each move of the path
    leaf        the position where selecting ended
    playout     list of int: the random moves from there to the end of the game
    end         the position at the end of the game, None where the leaf's worth was known
    outcome     int: 0 first, 1 second, 2 draw
    rewards     (first, second): what the path's moves get, by side
    """

    number: int
    root: Position
    path: list[int]
    selections: list[Selection]
    leaf: Position
    playout: list[int]
    end: Position | None
    outcome: int
    rewards: tuple[float, float]

    def __str__(self) -> str:
        path = " ".join(map(str, self.path))
        ended = ("first wins", "second wins", "draw")[self.outcome]
        return f"simulation {self.number}: path {path}; playout of {len(self.playout)}: {ended}"

    def __repr__(self) -> str:
        return f"<Step: {self}>"

    def _repr_svg_(self) -> str:
        from .step_svg import step_svg

        return step_svg(self)


def read_step(tree: _core.Mcts, root: Position, c: float | Callable[[int], float]) -> Step:
    """The simulation that a tree ran last, with c its weight of exploration."""
    path, playout, rewards = tree.last()
    position, selections = root.copy(), []
    for depth, move in enumerate(path):
        selections.append(_selection(tree, path[: depth + 1], rewards[position.turn], c))
        position.push(move)
    leaf = position.copy()
    for move in playout:
        position.push(move)
    is_played = position.status >= 0
    first, second = rewards
    return Step(
        number=tree.visits,
        root=root.copy(),
        path=path,
        selections=selections,
        leaf=leaf,
        playout=playout,
        end=position if is_played else None,
        outcome=2 if first == second else 0 if first > second else 1,
        rewards=rewards,
    )


def _visits(tree: _core.Mcts, path: list[int]) -> int:
    moves, visits = tree.look(path[:-1])[:2]  # type: ignore[index]
    return int(visits[np.searchsorted(moves, path[-1])])


def _selection(
    tree: _core.Mcts, path: list[int], reward: float, c: float | Callable[[int], float]
) -> Selection:
    """The choice of the path's last move, with what this simulation added taken away."""
    edges = tree.look(path[:-1])
    assert edges is not None
    moves, visits, sums = edges[:3]
    chosen = int(np.searchsorted(moves, path[-1]))
    visits[chosen] -= 1
    sums[chosen] -= reward
    parent_visits = (tree.visits if len(path) == 1 else _visits(tree, path[:-1])) - 1
    weight = (c(parent_visits) if callable(c) else c) * math.sqrt(math.log(max(parent_visits, 1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = sums / visits
        bonus = np.where(visits > 0, weight / np.sqrt(visits), np.inf)
    scores = np.where(visits > 0, values + bonus, np.inf)
    return Selection(moves, visits, values, bonus, scores, chosen)

"""What tests of the alpha-beta searches share: positions, evaluations, what must always hold."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import alphabeta_reference as ab
import numpy as np
from reference import Board, Rules

import mbx

ALGORITHMS = ["minimax", "alphabeta", "scout", "pvs", "mtdf"]


# -- positions


def cells(position: mbx.Position) -> Board:
    return tuple(position.to_array().ravel().tolist())


def random_position(game: mbx.Game, rng: random.Random, stones: int) -> mbx.Position:
    """By random play that avoids the end, with so many stones unless that cannot be."""
    position = game.start()
    while position.ply < stones:
        for move in rng.sample(position.legal_moves.tolist(), len(position.legal_moves)):
            position.push(move)
            if position.status == -1:
                break
            position.pop()
        else:
            break
    return position


def some_positions(game: mbx.Game, rng: random.Random, number: int) -> Iterator[mbx.Position]:
    """Unfinished ones: each is of a new game, or comes soon before or after the last one."""
    position = random_position(game, rng, rng.randrange(game.n_cells))
    for _ in range(number):
        yield position.copy()
        step = rng.choice([-2, -1, 1, 2, None, None])
        if step is None:
            position = random_position(game, rng, rng.randrange(game.n_cells))
        elif step < 0:
            for _ in position.moves[step:]:
                position.pop()
        else:
            for _ in range(step):
                position.push(rng.choice(position.legal_moves.tolist()))
                if position.status != -1:
                    position.pop()


def cheap_depths(position: mbx.Position, nodes: int) -> list[int]:
    """The depths up to 5 where plain minimax looks at about so many nodes, and always 1."""
    n = max(len(position.legal_moves), 2)
    return [d for d in range(1, 6) if d == 1 or n**d <= nodes]


# -- evaluations


def count_lines(game: mbx.Game, weights: list[int]) -> Callable[[np.ndarray], np.ndarray]:
    """The evaluation "lines" as a function of boards."""
    worths = np.array([0, *weights, 0])

    def evaluate(boards: np.ndarray) -> np.ndarray:
        lines = boards.reshape(len(boards), -1)[:, game.lines]
        first, second = ((lines == side).sum(axis=2) for side in (0, 1))
        value = (worths[first] * (second == 0) - worths[second] * (first == 0)).sum(axis=1)
        return np.where((boards >= 0).reshape(len(boards), -1).sum(axis=1) % 2, -value, value)

    return evaluate


def ones(boards: np.ndarray) -> np.ndarray:
    return np.ones(len(boards), np.int64)


@dataclass
class Evaluation:
    """Options of a search that name an evaluation, and that evaluation by the reference."""

    rules: Rules
    options: dict[str, Any]
    weights: list[int]
    threats: list[int] | None = None
    known: dict[Board, int] = field(default_factory=dict)

    @cached_property
    def game(self) -> mbx.Game:
        return mbx.Game(*self.rules.args)

    def of(self, board: Board) -> int:
        if board not in self.known:
            if self.threats is None:
                value = ab.line_evaluation(self.rules, board, self.weights)
            else:
                value = ab.threat_evaluation(self.rules, board, self.weights, self.threats)
            self.known[board] = value
        return self.known[board]

    def values(self, position: mbx.Position, depth: int, extend: bool) -> dict[int, int]:
        """Of all moves, by the reference."""
        search = ab.Minimax(self.rules, self.of, extend)
        return search.move_values(cells(position), depth)


def evaluations(rules: Rules) -> list[Evaluation]:
    game = mbx.Game(*rules.args)
    rng = random.Random(str(rules))
    by_itself = mbx.AlphaBeta(game, evaluation="threats", table=None)
    own = [rng.choice([-9, -1, 0, 0, 2, 5, 30, 700]) for _ in range(rules.k - 1)]
    mine = [rng.randrange(-300, 900) for _ in range(3)]
    ascending = [3**n for n in range(rules.k - 1)]
    return [
        Evaluation(rules, {}, by_itself.weights),
        Evaluation(rules, {"evaluation": "threats"}, by_itself.weights, by_itself.threats),
        Evaluation(rules, {"weights": own}, own),
        Evaluation(rules, {"evaluation": "threats", "weights": own, "threats": mine}, own, mine),
        Evaluation(rules, {"evaluation": count_lines(game, ascending)}, ascending),
    ]


# -- what holds of every result


def check(result: mbx.AlphaBetaResult, position: mbx.Position, truth: dict[int, int]) -> None:
    """Of a search whose moves are worth `truth`."""
    assert result.start == position and result.moves.tolist() == list(truth)
    assert type(result.move) is int and type(result.value) is int
    assert result.value == max(truth.values()) == truth[result.move]
    values = np.array(list(truth.values()))
    assert result.value_lower.dtype == result.value_upper.dtype == np.int32
    assert (result.value_lower <= values).all() and (values <= result.value_upper).all()
    exact = result.value_lower == result.value_upper
    assert np.array_equal(np.isnan(result.values), ~exact)
    assert np.array_equal(result.values[exact], values[exact])
    assert exact[result.moves == result.move].all()
    assert result.lower.dtype == result.upper.dtype == np.int8
    assert (result.lower <= result.upper).all()
    if abs(result.value) > ab.LIMIT:
        assert result.proven and result.distance == ab.WIN - abs(result.value)
        assert result.lower.max() == result.upper.max() == np.sign(result.value)
    assert (result.distance is not None) == result.proven
    check_variation(result, position)


def check_variation(result: mbx.AlphaBetaResult, position: mbx.Position) -> None:
    assert result.variation[0] == result.move
    assert all(type(move) is int for move in result.variation)
    end = position.copy()
    for move in result.variation:
        end.push(move)
    if end.status != -1 and abs(result.value) > ab.LIMIT:
        assert result.distance == len(result.variation)


def check_end_of_variation(
    result: mbx.AlphaBetaResult, position: mbx.Position, evaluation: Evaluation, extend: bool
) -> None:
    """Both sides play it, and what is there then is worth the value."""
    end = position.copy()
    for move in result.variation:
        end.push(move)
    if end.status != -1:
        value = 0 if end.status == 2 else -ab.WIN
    else:
        assert extend or len(result.variation) == result.depth
        value = ab.Minimax(evaluation.rules, evaluation.of, extend).value(cells(end), 0)
    for _ in result.variation:
        value = ab.later(-value)
    assert result.value == value


def seen(result: mbx.AlphaBetaResult) -> tuple:
    """All of a result but the time."""
    columns = ("moves", "values", "lower", "upper", "value_lower", "value_upper")
    fields = ("move", "value", "variation", "nodes", "depth", "stop", "distance")
    return (
        *(getattr(result, name) for name in fields),
        *(getattr(result, name).tobytes() for name in columns),
    )

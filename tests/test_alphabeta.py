"""mbx.alphabeta: every algorithm, order and table gives what docs/alphabeta.md defines.

`minimax` is held against the slow reference, all other searches against `minimax`.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import alphabeta_reference as ab
import numpy as np
import pytest
import reference as ref
from alphabeta_cases import (
    ALGORITHMS,
    Evaluation,
    cells,
    cheap_depths,
    check,
    check_end_of_variation,
    evaluations,
    random_position,
    seen,
    some_positions,
)
from reference import Board, Rules

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
RITTAI_GOMOKU = mbx.games.RITTAI_GOMOKU
KINDS = ["forced", "table", "killers", "history", "gain"]
ORDERINGS: list[Any] = [True, False, *([kind] for kind in KINDS)]
TABLES = [None, 1, 7, 2**20]
WHOLE = ["minimax", "scout", "pvs"]  # whose variations go to the end, whatever the table holds
GAMES = [
    Rules((3, 3), 3),
    Rules((3, 3), 3, True),
    Rules((3, 3), 4),
    Rules((4, 3), 3),
    Rules((4, 4), 3),
    Rules((4, 4), 4),
    Rules((5, 5), 4),
    Rules((7, 6), 4, True),
    Rules((5, 4), 4, True),
    Rules((7, 8), 4, True),
    Rules((4, 4, 4), 4),
    Rules((4, 4, 4), 4, True),
    Rules((5, 5, 5), 5, True),
    Rules((3, 3, 3), 3),
    Rules((2, 3, 4), 3, True),
    Rules((8, 1), 3),
    Rules((1, 8), 3),
    Rules((1, 9), 4, True),
    Rules((3, 3), 1),
    Rules((3, 2), 1, True),
    Rules((4, 3), 2),
    Rules((4, 3), 5),
    Rules((9, 9), 5),
    Rules((8, 4), 3),
    Rules((9, 7), 6),
    Rules((15, 15), 5),
]


# -- minimax is what the definition says


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_minimax(rules: Rules) -> None:
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    every = list(product(evaluations(rules), (False, True)))
    slow, very_slow = len(rules.lines) > 70, len(rules.lines) > 500
    for evaluation, extend in [every[6]] if very_slow else every:
        search = mbx.AlphaBeta(game, algorithm="minimax", extend=extend, **evaluation.options)
        for position in some_positions(game, rng, 1 if slow else 3):
            depth = rng.choice(cheap_depths(position, 150))
            result = search.search(position, depth, scores=True)
            check(result, position, evaluation.values(position, depth, extend))
            assert not np.isnan(result.values).any()
            check_end_of_variation(result, position, evaluation, extend)
            if not extend:
                assert result.nodes == ab.count_nodes(rules, cells(position), depth)
                assert result.nodes == search.search(position, depth).nodes


@pytest.mark.parametrize("depth, nodes", [(3, 16_276), (4, 406_901), (5, 10_172_526)])
def test_nodes_of_minimax_on_5x5x5(depth: int, nodes: int) -> None:
    options = {"algorithm": "minimax", "table": None, "symmetry": True}
    result = mbx.alphabeta(RITTAI_GOMOKU.start(), depth, **options)
    assert (result.nodes, result.depth, result.stop) == (nodes, depth, "depth")


# -- all algorithms, orders and tables agree with it


def some_options(rng: random.Random, number: int) -> list[dict[str, Any]]:
    names = ("algorithm", "ordering", "table", "symmetry", "deepen")
    every = product(ALGORITHMS, ORDERINGS, TABLES, (True, False), (None, True, False))
    return [dict(zip(names, values, strict=True)) for values in rng.sample(list(every), k=number)]


class Truth:
    """The values of moves by plain minimax in C, kept: that is held against the reference."""

    def __init__(self, evaluation: Evaluation, extend: bool) -> None:
        options = {"algorithm": "minimax", "extend": extend, **evaluation.options}
        self.search = mbx.AlphaBeta(evaluation.game, **options)
        self.known: dict[tuple[int, int], dict[int, int]] = {}

    def __call__(self, position: mbx.Position, depth: int) -> dict[int, int]:
        key = (position.key, depth)
        if key not in self.known:
            result = self.search.search(position, depth, scores=True)
            values = result.value_lower.tolist()
            self.known[key] = dict(zip(result.moves.tolist(), values, strict=True))
        return self.known[key]

    def check(
        self, result: mbx.AlphaBetaResult, position: mbx.Position, depth: int, scores: bool = False
    ) -> None:
        """Of a search to the depth: one that ended before has bounds for the depth that it says."""
        assert result.value == max(self(position, depth).values())
        assert result.depth == min(depth, position.to_array().size - position.ply) or (
            result.stop == "proven" and abs(result.value) > ab.LIMIT
        )
        check(result, position, self(position, depth if scores else result.depth))
        assert not (scores and np.isnan(result.values).any())


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_every_search(rules: Rules) -> None:
    """Of one AlphaBeta for positions of many depths, related ones among them: tables grow warm."""
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    truths = [
        (evaluation, extend, Truth(evaluation, extend))
        for evaluation, extend in product(evaluations(rules), (True, False))
    ]
    positions = list(some_positions(game, rng, 12))
    for options in some_options(rng, 30):
        evaluation, extend, truth = rng.choice(truths)
        in_python = callable(evaluation.options.get("evaluation"))
        search = mbx.AlphaBeta(game, **options, **evaluation.options, extend=extend)
        for position in rng.choices(positions, k=2 if in_python else 6):
            depth = rng.choice(cheap_depths(position, 200 if in_python else 3_000))
            scores = rng.random() < 0.4
            result = search.search(position, depth, scores=scores)
            truth.check(result, position, depth, scores)
            if options["algorithm"] in WHOLE or (
                options["table"] is None and options["algorithm"] == "alphabeta"
            ):
                check_end_of_variation(result, position, evaluation, extend)


@pytest.mark.parametrize("algorithm", ALGORITHMS[1:])
@pytest.mark.parametrize("rules", [GAMES[i] for i in (3, 11)], ids=str)
def test_every_order_and_table(rules: Rules, algorithm: str) -> None:
    """All of them, each alone and none, on the same few positions, cold and then warm."""
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    evaluation = evaluations(rules)[1]
    truths = {extend: Truth(evaluation, extend) for extend in (True, False)}
    positions = [random_position(game, rng, game.n_cells // n) for n in (4, 2)]
    for ordering, table, extend in product(
        [*ORDERINGS, ("forced", "gain"), {"history", "table", "killers"}], TABLES, (True, False)
    ):
        search = mbx.AlphaBeta(
            game,
            algorithm=algorithm,
            ordering=ordering,
            table=table,
            symmetry=rng.random() < 0.5,
            extend=extend,
            **evaluation.options,
        )
        for position in positions * 2:
            depth = rng.choice(cheap_depths(position, 2_000))
            truths[extend].check(search.search(position, depth), position, depth)


@pytest.mark.parametrize("table", [1, 7, 2**20])
@pytest.mark.parametrize("rules", [GAMES[i] for i in (0, 3, 7, 11, 13)], ids=str)
def test_warm_tables(rules: Rules, table: int) -> None:
    """Deep entries do not answer shallow searches, nor shallow ones deep searches."""
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    truths = {extend: Truth(evaluations(rules)[0], extend) for extend in (True, False)}
    for algorithm, extend in product(ALGORITHMS[1:], (True, False)):
        search = mbx.AlphaBeta(game, algorithm=algorithm, table=table, extend=extend)
        position = random_position(game, rng, game.n_cells // 3)
        while position.status == -1:
            for depth in rng.sample([*range(1, 6)], 3):
                if depth in cheap_depths(position, 5_000):
                    truths[extend].check(search.search(position, depth), position, depth)
            position.push(rng.choice(position.legal_moves.tolist()))
        for _ in range(4):
            position.pop()
            depth = rng.choice(cheap_depths(position, 5_000))
            result = search.search(position, depth, scores=True)
            truths[extend].check(result, position, depth, True)


# -- symmetry, repetition


@pytest.mark.parametrize("rules", [GAMES[i] for i in (0, 3, 5, 7, 11, 13)], ids=str)
def test_images(rules: Rules) -> None:
    """Images of a position: the same value and nodes, and what is found is the image."""
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    symmetries = game.symmetries.tolist()
    for options in [{}, *some_options(rng, 25)]:
        position = random_position(game, rng, rng.randrange(game.n_cells // 2))
        depth = min(3, max(cheap_depths(position, 3_000)))
        found = set()
        for symmetry in rng.choices(symmetries, k=3):
            board = ab.image(symmetry, cells(position))
            _, to_least = ab.least_image(symmetries, board)
            mapped = game.from_array(ref.array(rules, board))
            result = mbx.alphabeta(mapped, depth, **options)
            order = np.argsort([to_least[move] for move in result.moves])
            columns = (result.value_lower, result.value_upper, result.lower, result.upper)
            found.add(
                (
                    result.value,
                    result.nodes,
                    result.depth,
                    tuple(to_least[move] for move in result.variation),
                    *(tuple(column[order].tolist()) for column in columns),
                )
            )
        assert len(found) == 1


def test_moves_of_a_symmetric_position_are_searched_once() -> None:
    for game in (MARUBATSU, CONNECT_FOUR, RITTAI_GOMOKU, mbx.Game((3, 3, 3), 3)):
        for algorithm in ALGORITHMS[1:]:
            options = {"algorithm": algorithm, "table": None, "ordering": False, "deepen": False}
            one, all_ = (
                mbx.alphabeta(game.start(), 3, scores=True, symmetry=symmetry, **options)
                for symmetry in (True, False)
            )
            assert one.nodes < all_.nodes
            assert np.array_equal(one.values, all_.values) and not np.isnan(one.values).any()
            for symmetry in game.symmetries[:, one.moves]:
                by_move = dict(zip(one.moves.tolist(), one.values.tolist(), strict=True))
                assert [by_move[move] for move in symmetry.tolist()] == one.values.tolist()


@pytest.mark.parametrize("rules", [GAMES[i] for i in (0, 3, 7, 11)], ids=str)
def test_an_evaluation_that_is_not_symmetric(rules: Rules) -> None:
    """A function sees the boards as they are, and every move of a symmetric one is searched."""
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    numbers = np.array([rng.randrange(1_000) for _ in range(game.n_cells)])

    def evaluate(boards: np.ndarray) -> np.ndarray:
        flat = boards.reshape(len(boards), -1).astype(np.int64)
        return flat @ numbers % 101 - 50

    def of(board: Board) -> int:
        return int(np.array(board) @ numbers % 101 - 50)

    for position, algorithm in product(some_positions(game, rng, 4), ALGORITHMS):
        depth = min(3, max(cheap_depths(position, 100)))
        expected = ab.Minimax(rules, of).move_values(cells(position), depth)
        options = {"algorithm": algorithm, "evaluation": evaluate}
        check(mbx.alphabeta(position, depth, scores=True, **options), position, expected)


@pytest.mark.parametrize("rules", [GAMES[i] for i in (0, 7, 11, 22)], ids=str)
def test_the_same_call_twice(rules: Rules) -> None:
    rng = random.Random(str(rules))
    game = mbx.Game(*rules.args)
    for options in [{}, *some_options(rng, 40)]:
        position = random_position(game, rng, rng.randrange(game.n_cells // 2))
        depth = max(cheap_depths(position, 3_000))
        search = mbx.AlphaBeta(game, **options)
        first = search.search(position, depth)
        again = mbx.alphabeta(position, depth, **options)
        search.search(position.game.start(), 2)
        search.clear()
        cleared = search.search(position, depth)
        assert seen(first) == seen(again) == seen(cleared)
        iterations = (each.iterations for each in (first, again, cleared))
        assert len({(tuple(i.depths), tuple(i.nodes), tuple(i.values)) for i in iterations}) == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_iterations(algorithm: str) -> None:
    """A row for each depth on the way: what a search to that depth finds."""
    for position in (RITTAI_GOMOKU.start(), CONNECT_FOUR.position("4"), MARUBATSU.start()):
        result = mbx.alphabeta(position, 4, algorithm=algorithm, deepen=True)
        rows = result.iterations
        assert rows.depths.tolist() == [1, 2, 3, 4]
        for depth, value in zip(rows.depths.tolist(), rows.values.tolist(), strict=True):
            assert value == mbx.alphabeta(position, depth, algorithm=algorithm).value
        assert (rows.values[-1], rows.moves[-1]) == (result.value, result.move)
        assert rows.nodes.sum() == result.nodes and (rows.nodes > 0).all()
        assert (rows.seconds >= 0).all() and rows.seconds.sum() <= result.seconds
        once = mbx.alphabeta(position, 4, algorithm=algorithm, deepen=False)
        assert once.iterations.depths.tolist() == [4] and once.value == result.value
        assert once.nodes == rows.nodes[-1] or algorithm != "minimax"

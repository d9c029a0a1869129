"""mbx.alphabeta to the end of the game: what `solve` says; and what must be right in any search."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import alphabeta_reference as ab
import numpy as np
import pytest
import reference as ref
from alphabeta_cases import ALGORITHMS, check_variation, random_position
from reference import Rules

import mbx

DATA = Path(__file__).parent / "data"
MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
RITTAI_GOMOKU = mbx.games.RITTAI_GOMOKU


# -- to the end of the game


def check_solved(result: mbx.AlphaBetaResult, solved: mbx.SolveResult) -> None:
    """Of a search to the end with scores=True."""
    assert result.proven and result.distance == solved.distance
    assert np.sign(result.value) == solved.value and result.move in solved.fastest_moves
    assert np.array_equal(result.lower, solved.move_values)
    assert np.array_equal(result.upper, solved.move_values)
    wins = ab.WIN - solved.move_distances
    assert np.array_equal(result.values, solved.move_values * wins)
    assert np.array_equal(result.moves, solved.moves)


def test_3x3_to_the_end() -> None:
    """Every seventh of all positions, with the same tables for all of them."""
    rules = Rules((3, 3), 3)
    boards = [board for board, status in ref.reachable(rules).items() if status == -1]
    searches = [
        mbx.AlphaBeta(MARUBATSU, algorithm=algorithm, extend=extend)
        for algorithm, extend in product(ALGORITHMS[1:], (True, False))
    ]
    for i, board in enumerate(boards[::7]):
        position = MARUBATSU.from_array(ref.array(rules, board))
        search = searches[i % len(searches)]
        result = search.search(position, 9, scores=True)
        check_solved(result, mbx.solve(position, scores=True))


SMALL = [
    ((3, 3), 3, True, 0),
    ((3, 3), 4, False, 2),
    ((4, 3), 3, False, 3),
    ((4, 4), 4, False, 7),
    ((4, 4), 3, False, 5),
    ((4, 4), 4, True, 3),
    ((5, 4), 4, True, 8),
    ((7, 6), 4, True, 28),
    ((7, 8), 4, True, 44),
    ((2, 2, 2), 2, False, 0),
    ((3, 3, 3), 3, False, 14),
    ((3, 3, 3), 3, True, 14),
    ((4, 4, 4), 4, True, 50),
    ((5, 5, 5), 5, True, 113),
    ((9, 9), 5, False, 71),
    ((6, 3), 9, False, 10),
    ((1, 9), 3, False, 0),
    ((1, 9), 3, True, 0),
    ((3, 2), 1, False, 0),
]


@pytest.mark.parametrize("shape, k, gravity, stones", SMALL, ids=str)
def test_small_boards_to_the_end(shape, k, gravity, stones) -> None:
    game = mbx.Game(shape, k, gravity)
    rng = random.Random(str((shape, k, gravity)))
    solver = mbx.Solver(game, 2**20)
    for algorithm in ALGORITHMS[1:]:
        for extend in (False, True, False):
            search = mbx.AlphaBeta(game, algorithm=algorithm, table=2**16, extend=extend)
            position = random_position(game, rng, stones)
            left = game.n_cells - position.ply
            solved = solver.solve(position, scores=True)
            for depth in (1, 2, left // 2, left):
                if depth > 0:
                    result = search.search(position, depth)
                    assert (result.lower <= solved.move_values).all()
                    assert (result.upper >= solved.move_values).all()
            assert result.proven and result.distance == solved.distance
            assert result.move in solved.fastest_moves
            check_solved(search.search(position, left + 7, scores=True), solved)


def read_connect_four(name: str, step: int) -> Iterator[tuple[mbx.Position, int]]:
    lines = (DATA / f"connect_four_{name}.txt").read_text(encoding="utf-8").splitlines()
    for moves, score in map(str.split, lines[::step]):
        yield CONNECT_FOUR.position(moves), int(score)


@pytest.mark.parametrize("algorithm", ALGORITHMS[1:])
def test_connect_four_to_the_end(algorithm: str) -> None:
    search = mbx.AlphaBeta(CONNECT_FOUR, algorithm=algorithm)
    for name, step in (("end_easy", 7), ("middle_easy", 100)):
        for position, score in read_connect_four(name, step):
            result = search.search(position, 42 - position.ply)
            assert result.proven and np.sign(result.value) == np.sign(score)
            if score:
                stones = position.ply + result.distance - 1  # when the last one is placed
                assert (43 - stones) // 2 == abs(score)
            else:
                assert result.value == 0


# -- faults that programs of this kind have had: X moves first

# text, {move: plies to the end, negative if it loses, 0 if it draws}
BOARDS = [
    ("XO./XX./O.O", {2: -2, 5: 1, 7: 0}),
    ("OXO/OX./X.X", {5: -2, 7: 0}),
    (".X./.O./OXX", {0: 3, 2: 1, 3: 3, 5: 3}),
    ("..X/.../.OX", {0: -2, 1: -2, 3: -2, 4: -2, 5: -4, 6: -2}),
    ("..O/.../..X", {0: 5, 1: 0, 3: 0, 4: 0, 5: -6, 6: 5, 7: 5}),
    ("X../.O./..X", {1: 0, 2: -4, 3: 0, 5: 0, 6: -4, 7: 0}),
]


def score(plies: int) -> int:
    return 0 if plies == 0 else ab.WIN - plies if plies > 0 else -ab.WIN - plies


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("text, plies", BOARDS, ids=str)
def test_boards(text: str, plies: dict[int, int], algorithm: str) -> None:
    """The fastest win, the slowest loss, and a draw that is no loss."""
    expected = {move: score(n) for move, n in plies.items()}
    position = MARUBATSU.from_text(text, symbols="XO")
    for extend, table in product((True, False), (None, 7, 2**20)):
        search = mbx.AlphaBeta(MARUBATSU, algorithm=algorithm, extend=extend, table=table)
        for _ in ("cold", "warm"):
            result = search.search(position, 9, scores=True)
            assert dict(zip(result.moves.tolist(), result.values, strict=True)) == expected
            result = search.search(position, 9)
            assert result.value == max(expected.values()) == expected[result.move]
            assert result.proven and result.distance == (abs(plies[result.move]) or len(plies))
            check_variation(result, position)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("extend", [True, False])
def test_a_win_in_one_is_taken(algorithm: str, extend: bool) -> None:
    for depth in range(1, 6):
        for position, move in (
            (MARUBATSU.from_text("XO./XX./O.O", symbols="XO"), 5),
            (CONNECT_FOUR.position("112233"), 3),
        ):
            result = mbx.alphabeta(position, depth, algorithm=algorithm, extend=extend)
            assert (result.move, result.value, result.distance) == (move, 99_999_999, 1)
            assert result.variation == [move] and result.proven


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_win_near_the_word_size(algorithm: str) -> None:
    game = mbx.Game((7, 8), 4, True)
    position = game.position("44444442222222655656666646552711111137735771")
    for depth in range(1, 8 if algorithm != "minimax" else 4):
        result = mbx.alphabeta(position, depth, algorithm=algorithm)
        assert (result.move, result.distance) == (4, 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_one_move_that_holds_the_draw(algorithm: str) -> None:
    """Depth 2 is enough to see that the others lose at once."""
    position = CONNECT_FOUR.position("14131125")
    search = mbx.AlphaBeta(CONNECT_FOUR, algorithm=algorithm)
    for depth in range(2, 6):
        assert search.search(position, depth).move == 5
        result = search.search(position, depth, scores=True)
        values = dict(zip(result.moves.tolist(), result.values, strict=True))
        assert abs(values.pop(5)) < ab.LIMIT
        assert set(values.values()) == {-99_999_998}
        assert result.upper.tolist() == [-1, -1, -1, -1, -1, 1, -1]


@pytest.mark.parametrize("algorithm", ALGORITHMS[1:])
def test_a_position_of_connect_four(algorithm: str) -> None:
    position = CONNECT_FOUR.position("226744515337")
    result = mbx.alphabeta(position, 17, algorithm=algorithm)
    assert (result.move, result.distance, result.proven) == (3, 17, True)
    assert (result.value, result.stop) == (ab.WIN - 17, "proven")


def test_a_lost_side_plays_the_longest_defence() -> None:
    rng = random.Random(5)
    for game, stones in ((CONNECT_FOUR, 28), (mbx.Game((4, 4), 3), 5), (MARUBATSU, 3)):
        search, solver, lost = mbx.AlphaBeta(game), mbx.Solver(game, 2**20), 0
        while lost < 8:
            position = random_position(game, rng, stones)
            solved = solver.solve(position, scores=True)
            if solved.value == -1:
                lost += 1
                assert search.search(position, game.n_cells).move in solved.fastest_moves


# -- what the searches save


def test_each_step_saves_nodes() -> None:
    position, nodes = RITTAI_GOMOKU.start(), {}
    for algorithm in ALGORITHMS:
        nodes[algorithm] = mbx.alphabeta(position, 4, algorithm=algorithm).nodes
    assert nodes["minimax"] == 406_901
    assert max(nodes[algorithm] for algorithm in ALGORITHMS[1:]) < 406_901 // 100
    plain = {"algorithm": "alphabeta", "ordering": False, "table": None}
    options = {"symmetry": False, "deepen": False}
    assert mbx.alphabeta(position, 4, **plain, **options).nodes < 406_901


def test_plain_alphabeta_never_looks_at_more() -> None:
    options = {"ordering": False, "table": None, "symmetry": False, "deepen": False}
    rng = random.Random(3)
    for game in (MARUBATSU, CONNECT_FOUR, mbx.Game((4, 4), 3), mbx.games.SCORE_FOUR):
        for _ in range(10):
            position = random_position(game, rng, rng.randrange(game.n_cells))
            few, all_ = (
                mbx.alphabeta(position, 3, algorithm=algorithm, **options).nodes
                for algorithm in ("alphabeta", "minimax")
            )
            assert few <= all_

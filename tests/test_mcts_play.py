"""How well the search plays: 3x3 from all positions, wins in one, ties, both sides, re-rooting."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest
import reference as ref
from mcts_trees import assert_same, check, random_board, table
from reference import Rules
from test_kernels import chi_square

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
RULES = Rules((3, 3), 3)


@cache
def unfinished() -> list[tuple[mbx.Position, dict[int, int]]]:
    """All 4,520 unfinished positions of 3x3 with the true value of every move for its side."""
    found = []
    for board, status in ref.reachable(RULES).items():
        if status == -1:
            sign = -1 if ref.turn(board) else 1
            moves = ref.legal_moves(RULES, board)
            values = {m: sign * ref.minimax(RULES, ref.play(RULES, board, m)) for m in moves}
            found.append((MARUBATSU.from_array(ref.array(RULES, board)), values))
    assert len(found) == 4_520
    return found


def errs(move: int, values: dict[int, int]) -> bool:
    return values[move] < max(values.values())


# -- 3x3


def test_plain_ucb1_seldom_errs() -> None:
    errors = sum(
        errs(mbx.mcts(pos, 600, 1, seed=i).move, values)
        for i, (pos, values) in enumerate(unfinished())
    )
    assert errors < 30


def test_the_solver_never_errs() -> None:
    for i, (pos, values) in enumerate(unfinished()):
        result = mbx.mcts(pos, 5_000, solver=True, seed=i)
        assert not errs(result.move, values), (str(pos), result.move)
        for move, lower, upper in zip(result.moves, result.lower, result.upper, strict=True):
            assert lower <= values[int(move)] <= upper
        if result.proven:
            assert result.lower.max() == result.upper.max() == max(values.values())
            assert result.stop == "proven" and result.simulations <= 5_000
            assert result.value == (1 + max(values.values())) / 2


@pytest.mark.parametrize("n", [1, 10, 60, 250])
def test_bounds_hold_the_truth(n: int) -> None:
    for i, (pos, values) in enumerate(unfinished()[n % 14 :: 14]):
        for options in ({"solver": True}, {"solver": True, "threads": 2}, {}):
            if "threads" in options and i % 10:
                continue
            result = mbx.mcts(pos, n, seed=i, **options)
            for move, lower, upper in zip(result.moves, result.lower, result.upper, strict=True):
                assert lower <= values[int(move)] <= upper


def test_all_bounds_of_a_tree_hold_the_truth() -> None:
    """At every node, against the position graph."""
    for args in (((3, 3), 3), ((4, 3), 3), ((3, 3), 3, True), ((4, 4), 4, True)):
        game = mbx.Game(*args)
        graph = mbx.build_graph(game.start())
        value = graph.values().value
        search = mbx.MCTS(game.start(), solver=True, seed=2)
        search.run(4_000)
        tree = search.tree()
        known = np.flatnonzero((tree.lower > -1) | (tree.upper < 1))
        assert len(known) > 10
        for node in known[known > 0][:: max(len(known) // 300, 1)].tolist():
            moves, at = [], node
            while at:
                moves.append(int(tree.move[at]))
                at = int(tree.parent[at])
            truth = -int(value[graph.index(game.position(moves[::-1]))])
            assert tree.lower[node] <= truth <= tree.upper[node]


# -- wins, draws, traps


def wins_in_one(pos: mbx.Position) -> list[int]:
    wins = []
    for move in pos.legal_moves.tolist():
        pos.push(move)
        if pos.status in (0, 1):
            wins.append(move)
        pos.pop()
    return wins


@pytest.mark.parametrize("solver", [False, True])
@pytest.mark.parametrize("rules", [r for r in ref.GAMES if r.k > 1], ids=str)
def test_a_win_in_one_is_taken(rules: Rules, solver: bool) -> None:
    """In three random games, as soon as there is one."""
    found = 0
    for seed in range(60):
        pos, rng = mbx.Game(*rules.args).start(), random.Random(seed)
        while pos.status == -1 and not (wins := wins_in_one(pos)):
            pos.push(rng.choice(pos.legal_moves.tolist()))
        if pos.status == -1:
            n = (2 if solver else 30) * len(pos.legal_moves)
            result = mbx.mcts(pos, n, solver=solver, seed=seed)
            assert result.move in wins
            assert not solver or (result.proven and result.value == 1)
            found += 1
        if found == 3:
            break


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("XO./XX./O.O", {5}),
        ("OXO/OX./X.X", {7}),
        ("X../.O./..X", {1, 3, 5, 7}),
        (".X./.O./OXX", {0, 2, 3, 5}),
        ("..O/.../..X", {0, 6, 7}),
    ],
)
@pytest.mark.parametrize("symbols", ["XO", "OX"])
def test_known_positions(text: str, moves: set[int], symbols: str) -> None:
    """With the colours swapped in the text as well: X moves first, or O does."""
    swapped = text if symbols == "XO" else text.translate(str.maketrans("XO", "OX"))
    pos = MARUBATSU.from_text(swapped, symbols)
    for seed in range(20):
        for options in ({}, {"solver": True}, {"playouts_per_leaf": 4}, {"c": 1}):
            assert mbx.mcts(pos, 2_000, seed=seed, **options).move in moves


@pytest.mark.parametrize("options", [{}, {"solver": True}, {"playouts_per_leaf": 5}], ids=str)
def test_colours_swapped_give_the_same_tree(options: dict) -> None:
    """The same eight empty cells in a row beside a stone of the side that is not to move."""
    first = mbx.Game((10, 1), 3).from_text("ox........")
    second = mbx.Game((11, 1), 3).from_text("oxo........")
    assert (first.turn, second.turn) == (0, 1)
    trees, results = [], []
    for pos in (first, second):
        search = mbx.MCTS(pos, seed=1, **options)
        results.append(search.run(3_000))
        trees.append(table(search.tree()))
    trees[0]["move"] = [move + (move >= 0) for move in trees[0]["move"]]
    assert_same(*trees)
    assert results[0].move + 1 == results[1].move and results[0].value == results[1].value


def test_a_forced_win_on_a_board_near_the_word_size() -> None:
    game = mbx.Game((7, 8), 4, gravity=True)
    pos = game.position("44444442222222655656666646552711111137735771")
    for solver in (False, True):
        result = mbx.mcts(pos, 500, solver=solver, seed=1)
        assert result.move == 4 and result.value > 0.8
    assert result.proven and result.value == 1


def test_connect_four_with_the_solver() -> None:
    """Only column 6 holds the draw; the others lose at once."""
    result = mbx.mcts(CONNECT_FOUR.position("14131125"), 3_000, solver=True, seed=1)
    assert result.move == 5
    assert [m for m, u in zip(result.moves, result.upper, strict=True) if u > -1] == [5]


@pytest.mark.parametrize("final", ["visits", "value", "lower bound"])
def test_rules_of_the_final_move(final: str) -> None:
    for i, (pos, values) in enumerate(unfinished()[::60]):
        result = mbx.mcts(pos, 3_000, final=final, solver=True, seed=i)
        assert not errs(result.move, values)
        result = mbx.mcts(pos, 40, final=final, seed=i)
        reach = result.lower if result.proven else result.upper
        wanted = np.flatnonzero(reach >= result.lower.max())
        score = {
            "visits": result.visits,
            "value": np.nan_to_num(result.values, nan=-1),
            "lower bound": np.nan_to_num(result.values - result.standard_errors, nan=-9),
        }[final]
        at = result.moves.tolist().index(result.move)
        assert at in wanted and score[at] == score[wanted].max()


# -- ties and symmetry


@pytest.mark.parametrize(("n", "options"), [(1, {}), (9, {}), (90, {"c": 1})])
def test_ties_are_broken_evenly(n: int, options: dict) -> None:
    """Where all moves are equal every cell is chosen about 100 times of 900."""
    pos = mbx.Game((3, 3), 4).start()
    moves = [mbx.mcts(pos, n, seed=seed, **options).move for seed in range(900)]
    counts = np.bincount(moves, minlength=9)
    assert abs(chi_square(counts, np.full(9, 1 / 9))) < 5


def test_ties_of_proven_moves_are_broken_evenly() -> None:
    """All six moves win at once."""
    pos = mbx.Game((3, 2), 1).start()
    moves = [mbx.mcts(pos, 60, seed=seed).move for seed in range(600)]
    assert abs(chi_square(np.bincount(moves, minlength=6), np.full(6, 1 / 6))) < 5


@pytest.mark.parametrize("rules", [Rules((3, 3), 3), Rules((7, 6), 4, True)], ids=str)
@pytest.mark.parametrize("options", [{}, {"playouts_per_leaf": 3}, {"solver": True}], ids=str)
def test_symmetric_moves_get_the_same_on_average(rules: Rules, options: dict) -> None:
    pos = mbx.Game(*rules.args).start()
    runs = [mbx.mcts(pos, 300, seed=seed, **options) for seed in range(200)]
    for column in ([r.visits for r in runs], [r.values for r in runs]):
        x = np.array(column, float)
        mean, error = x.mean(axis=0), x.std(axis=0) / math.sqrt(len(x))
        for image in rules.symmetries:
            for move in range(rules.n_moves):
                other = image[move] % rules.n_moves if rules.gravity else image[move]
                gap = abs(mean[move] - mean[other])
                assert gap <= 5 * math.hypot(error[move], error[other])


def test_the_value_nears_the_truth() -> None:
    pos = MARUBATSU.start()
    result = mbx.mcts(pos, 200_000, seed=1)
    assert 0.45 < result.value < 0.6
    assert result.variation[0] == result.move
    position = pos.copy()
    for move in result.variation:
        position.push(move)  # legal


# -- advance


@pytest.mark.parametrize("options", [{}, {"solver": True}, {"playouts_per_leaf": 4}], ids=str)
@pytest.mark.parametrize("rules", [RULES, Rules((7, 6), 4, True), Rules((9, 9), 5)], ids=str)
def test_advance_keeps_the_subtree(rules: Rules, options: dict) -> None:
    position, _ = random_board(rules, 0)
    search = mbx.MCTS(position, seed=4, **options)
    search.run(2_000)
    for _ in range(3):
        before, result = search.tree(), search.stats
        kept = subtree(
            before, int(before.first_child[0]) + result.moves.tolist().index(result.move)
        )
        search.advance(result.move)
        position.push(result.move)
        after = table(search.tree())
        assert search.position == position
        for name, column in kept.items():
            assert after[name] == column, name
        check(search, options.get("playouts_per_leaf", 1), solver=options.get("solver"))
        more = search.run(1_000)
        assert more.proven or search.tree().visits[0] == kept["visits"][0] + 1_000
        check(search, options.get("playouts_per_leaf", 1), solver=options.get("solver"))


def subtree(tree: mbx.SearchTree, node: int) -> dict[str, list]:
    """The columns that a re-root keeps, breadth first; the root's visits are those of its moves."""
    order = [node]
    for each in order:
        first = int(tree.first_child[each])
        if first >= 0:
            order.extend(range(first, first + int(tree.n_children[each])))
    kept = {
        name: getattr(tree, name)[order].tolist()
        for name in ("move", "visits", "sums", "n_children", "depth", "lower", "upper")
    }
    kept["move"][0], kept["sums"][0] = -1, 0.0
    kept["visits"][0] = sum(kept["visits"][1 : 1 + kept["n_children"][0]])
    kept["depth"] = [depth - kept["depth"][0] for depth in kept["depth"]]
    return kept


def test_a_re_rooted_tree_is_like_a_fresh_one() -> None:
    """On average over seeds: shares of visits and values of the moves."""
    pos, move, n = MARUBATSU.start(), 4, 500
    child = MARUBATSU.position([move])
    kept, fresh = [], []
    for seed in range(300):
        search = mbx.MCTS(pos, seed=seed)
        search.run(300)
        search.advance(move)
        search.run(n - int(search.stats.visits.sum()))
        kept.append(search.stats)
        fresh.append(mbx.mcts(child, n, seed=1_000 + seed))
    assert all(result.visits.sum() == n for result in kept + fresh)
    for name in ("visits", "values"):
        a, b = (np.array([getattr(r, name) for r in rs], float) for rs in (kept, fresh))
        error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / len(a))
        assert (abs(a.mean(axis=0) - b.mean(axis=0)) < 5 * error).all()


def test_a_whole_game_with_one_tree() -> None:
    for rules in (RULES, Rules((7, 6), 4, True), Rules((1, 200), 4, True), Rules((4, 4), 4)):
        search = mbx.MCTS(mbx.Game(*rules.args).start(), seed=1)
        position = search.position
        while position.status == -1:
            move = search.run(100).move
            search.advance(move)
            position.push(move)
            assert search.position == position and search.position.status == position.status
        with pytest.raises(mbx.GameOverError):
            search.run(1)
        with pytest.raises((mbx.GameOverError, mbx.IllegalMoveError)):
            search.advance(0)
        search.reset(position.game.start())
        assert search.run(10).simulations == 10


def test_reset() -> None:
    pos, other = MARUBATSU.start(), MARUBATSU.position([4, 0])
    search = mbx.MCTS(pos, seed=1)
    first = search.run(200)
    search.reset()
    assert search.position == pos and len(search.tree().parent) in (1, 10)
    assert not search.tree().visits.any()
    assert search.run(200).simulations == first.simulations
    search.reset(other)
    assert search.position == other
    assert search.run(100).moves.tolist() == other.legal_moves.tolist()
    with pytest.raises(mbx.GameOverError):
        search.reset(MARUBATSU.position([0, 3, 1, 4, 2]))


def test_advance_after_the_end_is_refused_and_changes_nothing() -> None:
    search = mbx.MCTS(MARUBATSU.position([4, 0]), seed=1)
    search.run(200)
    before = table(search.tree())
    for wrong, error in [
        (4, mbx.IllegalMoveError),
        (9, mbx.IllegalMoveError),
        (-1, mbx.IllegalMoveError),
        (2**63, (mbx.IllegalMoveError, OverflowError)),
        (10**30, (mbx.IllegalMoveError, OverflowError)),
        ("4", TypeError),
        (None, TypeError),
        (4.5, TypeError),
        ([4], TypeError),
    ]:
        with pytest.raises(error):
            search.advance(wrong)
    assert table(search.tree()) == before
    search.advance(np.int8(8))

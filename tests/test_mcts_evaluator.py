"""PUCT with an evaluator: as defined, exact ones, linear ones, wrong ones, noise, temperature."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference as ref
from mcts_reference import Search
from mcts_trees import assert_same, expected_table, random_board, table
from reference import Rules
from test_mcts_play import RULES, errs, unfinished

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
POWERS = 3 ** np.arange(9)


def flat(boards: np.ndarray) -> np.ndarray:
    """(B, n_cells) by cell."""
    return boards.reshape(len(boards), -1).astype(np.int64)


def hashed(boards: np.ndarray) -> np.ndarray:
    """A number for every position."""
    weights = np.random.default_rng(1).integers(1, 2**31, boards.reshape(len(boards), -1).shape[1])
    return (flat(boards) + 1) @ weights


def made_up(rules: Rules):
    """An evaluator with values in 64ths and priors that are any: the same for equal positions."""

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seeds = hashed(boards)
        priors = np.array([np.random.default_rng(s).random(rules.n_moves) for s in seeds])
        return priors, (seeds % 97 - 48) / 64

    return evaluator


def equal_priors(rules: Rules):
    """All moves alike, and few different values: many ties."""

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ones((len(boards), rules.n_moves), np.float32), (hashed(boards) % 3 - 1) / 2

    return evaluator


def uniform_and_exact(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((len(boards), 9)), exact_values()[(flat(boards) + 1) @ POWERS]


def exact_values(_cache: list = []) -> np.ndarray:  # noqa: B006
    """The value of every position of 3x3 for its side to move, by its cells in base 3."""
    if not _cache:
        values = np.zeros(3**9)
        for board in ref.reachable(RULES):
            sign = -1 if ref.turn(board) else 1
            values[(np.array(board) + 1) @ POWERS] = sign * ref.minimax(RULES, board)
        _cache.append(values)
    return _cache[0]


def puct(pos, n: int, evaluator, c=1.5, **options):
    return mbx.mcts(pos, n, c, evaluator=evaluator, **options)


# -- as defined


@pytest.mark.parametrize("make", [made_up, equal_priors])
@pytest.mark.parametrize(
    "rules",
    [
        Rules((3, 3), 3),
        Rules((2, 2), 3),
        Rules((1, 1), 1),
        Rules((4, 3), 3),
        Rules((7, 6), 4, True),
        Rules((4, 4, 4), 4, True),
    ],
    ids=str,
)
def test_the_tree_is_as_defined(rules: Rules, make) -> None:
    for i, options in enumerate(
        [
            {"batch_size": 1},
            {},
            {"batch_size": 3, "solver": True},
            {"batch_size": 50},
            {"max_nodes": 40, "batch_size": 4},
            {"max_nodes": 1},
            {"draw_value": 0.25, "solver": True},
        ]
    ):
        position, board = random_board(rules, (0, rules.n_cells - 7)[i % 2] if i else 0, i)
        c = (1.5, 0.5, 0, 4)[i % 4]
        search = mbx.MCTS(position, c, evaluator=make(rules), seed=i, **options)
        expected = Search(rules, board, lambda _, c=c: c, i, evaluator=make(rules), **options)
        for n in (1, 30, 50):
            search.run(n)
            expected.run(n)
            assert_same(table(search.tree()), expected_table(expected))
            assert search.stats.nodes == expected.n_nodes
            assert search.stats.simulations == expected.simulations


def test_a_schedule_of_c() -> None:
    def c(visits: int) -> float:
        return 1.25 + math.log((visits + 20) / 19)

    evaluator = made_up(RULES)
    search = mbx.MCTS(MARUBATSU.start(), c, evaluator=evaluator, seed=1)
    search.run(200)
    expected = Search(RULES, RULES.start, c, 1, evaluator=evaluator).run(200)
    assert_same(table(search.tree()), expected_table(expected))


@pytest.mark.parametrize("rules", [RULES, Rules((7, 6), 4, True)], ids=str)
def test_advancing_is_as_defined(rules: Rules) -> None:
    evaluator = made_up(rules)
    for kind in (-1, 0):  # to the most visited move, to one that has hardly been visited
        search = mbx.MCTS(mbx.Game(*rules.args).start(), 2, evaluator=evaluator, seed=4)
        expected = Search(rules, rules.start, lambda _: 2, 4, evaluator=evaluator)
        for n in (150, 3, 60):
            search.run(n)
            expected.run(n)
            assert_same(table(search.tree()), expected_table(expected))
            move = expected.root.moves[int(np.argsort(expected.root.visits, kind="stable")[kind])]
            search.advance(move)
            expected.advance(move)
            assert_same(table(search.tree()), expected_table(expected))
            assert search.stats.simulations == expected.simulations


def test_priors_are_normalised_over_the_legal_moves() -> None:
    search = mbx.MCTS(MARUBATSU.position([4, 0]), evaluator=made_up(RULES), seed=1)
    search.run(100)
    tree = search.tree()
    assert tree.priors.dtype == np.float32
    for node in np.flatnonzero(tree.n_children).tolist():
        first = int(tree.first_child[node])
        priors = tree.priors[first : first + int(tree.n_children[node])]
        assert abs(priors.sum(dtype=float) - 1) < 1e-6


# -- exact and linear evaluators


def test_an_exact_evaluator_plays_best_everywhere() -> None:
    for i, (pos, values) in enumerate(unfinished()):
        result = puct(pos, 50, uniform_and_exact, seed=i)
        assert not errs(result.move, values), (str(pos), result.move)
        assert np.isfinite(result.values[result.visits > 0]).all() and 0 <= result.value <= 1


@pytest.mark.parametrize(
    ("n", "batch_size"), [(51, 1), (64, 8), (80, 32), (100, 2), (150, 8), (400, 8)]
)
def test_an_exact_evaluator_plays_best_from_fifty_simulations_on(n: int, batch_size: int) -> None:
    for i, (pos, values) in enumerate(unfinished()[n % 40 :: 40]):
        result = puct(pos, n, uniform_and_exact, seed=i, batch_size=batch_size)
        assert not errs(result.move, values), (str(pos), result.move)


def test_finished_positions_are_worth_what_the_rules_say() -> None:
    """The evaluator is never asked about one, and lies about all others."""

    def liar(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for board in flat(boards).tolist():
            assert ref.status(RULES, tuple(board)) == -1
        return np.ones((len(boards), 9)), np.full(len(boards), 0.5)

    pos = MARUBATSU.from_text("XO./XX./O.O", "XO")
    result = puct(pos, 200, liar, seed=1)
    assert result.move == 5 and result.values[result.moves.tolist().index(5)] == 1


def test_a_linear_evaluator() -> None:
    """Weights of cells by NumPy alone play better than priors without a value."""
    weights = np.array([3, 2, 3, 2, 4, 2, 3, 2, 3]) / 40

    def linear(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = flat(boards)
        turn = (cells >= 0).sum(axis=1) % 2
        score = (cells == 0) @ weights - (cells == 1) @ weights
        return np.exp(np.tile(weights * 20, (len(cells), 1))), np.tanh(score * (1 - 2 * turn))

    errors = sum(
        errs(puct(pos, 100, linear, seed=i).move, values)
        for i, (pos, values) in enumerate(unfinished()[::10])
    )
    assert errors < 15
    assert puct(MARUBATSU.start(), 500, linear, seed=1).move in (0, 2, 4, 6, 8)


def test_what_an_evaluator_gets() -> None:
    sizes, shapes = [], set()

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert isinstance(boards, np.ndarray) and boards.dtype == np.int8
        assert set(np.unique(boards)) <= {-1, 0, 1}
        sizes.append(len(boards))
        shapes.add(boards.shape[1:])
        boards = boards.copy()
        boards[:] = 0
        return np.ones((len(boards), 7)), np.zeros(len(boards))

    puct(CONNECT_FOUR.start(), 500, evaluator, batch_size=8, seed=1)
    assert sizes[0] == 1 and max(sizes) == 8 and sum(sizes) <= 501 and len(sizes) < 200
    assert shapes == {(6, 7)}


# -- errors


def wrong(priors=None, values=None):
    """An evaluator that gives these from its fourth call on."""
    calls = []

    def evaluator(boards: np.ndarray):
        calls.append(len(boards))
        n = len(boards)
        good = np.ones((n, 9)), np.zeros(n)
        if len(calls) < 4:
            return good
        return (
            good[0] if priors is None else priors(n),
            good[1] if values is None else values(n),
        )

    return evaluator


@pytest.mark.parametrize(
    "evaluator",
    [
        wrong(priors=lambda n: np.full((n, 9), np.nan)),
        wrong(priors=lambda n: np.full((n, 9), np.inf)),
        wrong(priors=lambda n: np.full((n, 9), -1.0)),
        wrong(priors=lambda n: np.ones((n, 8))),
        wrong(priors=lambda n: np.ones((n + 1, 9))),
        wrong(priors=lambda n: np.ones(9)),
        wrong(priors=lambda n: np.ones((n, 9, 1))),
        wrong(values=lambda n: np.full(n, np.nan)),
        wrong(values=lambda n: np.full(n, np.inf)),
        wrong(values=lambda n: np.full(n, 1.5)),
        wrong(values=lambda n: np.full(n, -7)),
        wrong(values=lambda n: np.zeros(n + 1)),
        wrong(values=lambda n: np.zeros((n, 2))),
    ],
)
def test_wrong_answers_are_value_errors(evaluator) -> None:
    search = mbx.MCTS(MARUBATSU.start(), evaluator=evaluator, seed=1)
    with pytest.raises(ValueError, match=r"evaluator|priors|values"):
        search.run(200)
    assert_consistent(search)


@pytest.mark.parametrize(
    "answer",
    [None, 5, np.ones((1, 9)), (np.ones((1, 9)),), (1, 2, 3), ("a", "b"), ([["x"] * 9], [0])],
    ids=str,
)
def test_other_answers_are_errors(answer) -> None:
    with pytest.raises((TypeError, ValueError)):
        puct(MARUBATSU.start(), 100, lambda boards: answer, seed=1)


def test_priors_of_zero_are_uniform() -> None:
    def zeros(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(boards), 9)), np.zeros(len(boards))

    def ones(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ones((len(boards), 9)), np.zeros(len(boards))

    trees = []
    for evaluator in (zeros, ones):
        search = mbx.MCTS(MARUBATSU.position([4]), evaluator=evaluator, seed=1)
        search.run(300)
        trees.append(table(search.tree()))
        assert np.isfinite(search.tree().priors[1:]).all()
    assert_same(*trees)


def test_priors_of_zero_on_legal_moves_only() -> None:
    def illegal_only(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (flat(boards) >= 0).astype(float), np.zeros(len(boards))

    result = puct(MARUBATSU.position([4, 0]), 100, illegal_only, seed=1)
    assert np.isfinite(result.values[result.visits > 0]).all() and result.visits.sum() == 100


class Broken(Exception):
    pass


@pytest.mark.parametrize("batch_size", [1, 8, 64])
@pytest.mark.parametrize("call", [1, 2, 3, 7])
def test_an_evaluator_that_raises(batch_size: int, call: int) -> None:
    """The error arrives as it is, the tree is consistent and goes on."""
    calls = []

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(len(boards))
        if len(calls) == call:
            raise Broken("here")
        return np.ones((len(boards), 9)), np.zeros(len(boards))

    search = mbx.MCTS(MARUBATSU.start(), evaluator=evaluator, batch_size=batch_size, seed=1)
    with pytest.raises(Broken, match="here"):
        search.run(500)
    assert_consistent(search)
    visits = int(search.stats.visits.sum())
    search.run(100)
    assert search.stats.visits.sum() == visits + 100
    assert_consistent(search)


def assert_consistent(search: mbx.MCTS) -> None:
    """No visit without its result, and no leaf still waiting."""
    tree = search.tree()
    n = len(tree.parent)
    below = np.bincount(tree.parent[1:], tree.visits[1:], minlength=n)
    inner = np.flatnonzero(tree.n_children)
    assert (tree.visits[inner] - below[inner] == 1).all()
    waiting = (tree.visits > 0) & (tree.n_children == 0) & (tree.lower != tree.upper)
    assert not waiting[1:].any()
    with np.errstate(invalid="ignore"):
        means = tree.sums[1:] / tree.visits[1:]
    assert ((means >= 0) & (means <= 1) | (tree.visits[1:] == 0)).all()


def test_an_evaluator_that_calls_mbx() -> None:
    """Playouts, another search, and one with an evaluator of its own."""

    def inner(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ones((len(boards), 9)), np.zeros(len(boards))

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = []
        for board in boards:
            pos = MARUBATSU.from_array(board)
            mbx.playout_counts(pos, 10, seed=1)
            puct(pos, 10, inner, seed=1)
            values.append(2 * mbx.mcts(pos, 50, seed=1).value - 1)
        return np.ones((len(boards), 9)), np.array(values)

    result = puct(MARUBATSU.position([4, 0]), 100, evaluator, seed=1)
    assert result.visits.sum() == 100
    again = puct(MARUBATSU.position([4, 0]), 100, evaluator, seed=1)
    assert result.visits.tolist() == again.visits.tolist()


@pytest.mark.parametrize("name", ["run", "advance", "reset", "steps", "stats", "save"])
def test_an_evaluator_cannot_change_its_own_search(name: str, tmp_path) -> None:
    """It may look at it, and finds no leaf that waits in what it sees."""
    errors, calls = [], []

    def change() -> None:
        changes = {
            "run": lambda: search.run(5),
            "advance": lambda: search.advance(0),
            "reset": search.reset,
            "steps": lambda: list(search.steps(1)),
            "stats": lambda: search.stats,
            "save": lambda: search.save(tmp_path / "search"),
        }
        try:
            changes[name]()
        except (RuntimeError, ValueError) as error:
            errors.append(error)

    def evaluator(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(len(boards))
        if len(calls) in (1, 3):
            change()
        return np.ones((len(boards), 9)), np.zeros(len(boards))

    search = mbx.MCTS(MARUBATSU.start(), evaluator=evaluator, seed=1)
    search.run(30)
    assert len(errors) == 2 or name in ("stats", "save")
    assert_consistent(search)
    assert search.stats.visits.sum() == 30 and search.position == MARUBATSU.start()


# -- noise, temperature


def test_noise_is_reproducible_and_changes_the_root() -> None:
    pos, evaluator = MARUBATSU.start(), equal_priors(RULES)
    noise = (0.5, 0.25)
    runs = [puct(pos, 200, evaluator, noise=noise, seed=seed) for seed in (1, 1, 2, 3)]
    plain = puct(pos, 200, evaluator, seed=1)
    visits = [tuple(result.visits.tolist()) for result in runs]
    assert visits[0] == visits[1]
    assert len({*visits, tuple(plain.visits.tolist())}) == 4
    assert all(result.visits.sum() == 200 for result in runs)


def test_noise_of_priors_on_average_is_uniform() -> None:
    """The mean over seeds of Dirichlet noise at a root with equal priors."""
    priors = []
    for seed in range(300):
        search = mbx.MCTS(
            MARUBATSU.start(), evaluator=equal_priors(RULES), noise=(0.3, 0.5), seed=seed
        )
        search.run(1)
        tree = search.tree()
        first = int(tree.first_child[0])
        priors.append(tree.priors[first : first + 9])
    mean, error = np.mean(priors, 0), np.std(priors, 0) / math.sqrt(len(priors))
    assert (np.abs(mean - 1 / 9) < 5 * error).all() and (np.std(priors, 0) > 0.01).all()
    assert np.allclose(np.sum(priors, 1), 1, atol=1e-5)


@pytest.mark.parametrize("evaluator", [None, uniform_and_exact])
@pytest.mark.parametrize("temperature", [0.25, 1, 100])
def test_temperature(evaluator, temperature: float) -> None:
    """Moves are drawn with chances as visits to the power of 1 / temperature."""
    pos, n_seeds = MARUBATSU.position([4, 1]), 100
    chosen, expected, variance = np.zeros(7), np.zeros(7), np.zeros(7)
    for seed in range(n_seeds):
        result = mbx.mcts(pos, 60, temperature=temperature, seed=seed, evaluator=evaluator)
        chances = result.visits ** (1 / temperature)
        chances /= chances.sum()
        chosen[result.moves == result.move] += 1
        expected += chances
        variance += chances * (1 - chances)
    again = mbx.mcts(pos, 60, temperature=temperature, seed=n_seeds - 1, evaluator=evaluator)
    assert again.move == result.move
    assert (np.abs(chosen - expected) <= 5 * np.sqrt(variance) + 0.5).all()

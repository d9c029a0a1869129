"""Choices of primitive Monte Carlo against enumeration of all samples, and what they lead to."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
from reference import Rules

import mbx

MARUBATSU = Rules((3, 3), 3)
REPEATS = 20_000
LATE = ["oxo/xx./o..", "ox./xo./o.x", "oxx/.../xoo", "xo./ox./..."]


def _best(counts: list[tuple[int, ...]], mover: int, criterion: str) -> list[Fraction]:
    """The chances of the moves whose counts (first, second, draw) these are."""
    shares = []
    for row in counts:
        n = max(sum(row), 1)
        win, draw = Fraction(row[mover], n), Fraction(row[2], n)
        shares.append((win, draw) if criterion == "win" else (win + draw / 2,))
    best = [share == max(shares) for share in shares]
    return [Fraction(b, sum(best)) for b in best]


def _samples(chances: list[Fraction], n: int):
    """Every way to share n games out to outcomes, with its chance."""
    for games in itertools.product(range(len(chances)), repeat=n):
        counts = tuple(games.count(outcome) for outcome in range(len(chances)))
        yield counts, np.prod([chances[outcome] for outcome in games], initial=Fraction(1))


def expected(board: ref.Board, n: int, spread: str, criterion: str) -> list[Fraction]:
    """The chance of each move, summed over everything that the playouts can show."""
    mover = ref.turn(board)
    moves = ref.legal_moves(MARUBATSU, board)
    after = [
        list(ref.outcome_probabilities(MARUBATSU, ref.play(MARUBATSU, board, m))) for m in moves
    ]
    total = [Fraction()] * len(moves)
    if spread == "per move":
        samples = itertools.product(*(list(_samples(chances, n)) for chances in after))
        cases = (([c for c, _ in each], np.prod([p for _, p in each])) for each in samples)
    else:
        flat = [p / len(moves) for chances in after for p in chances]
        cases = (
            ([counts[3 * i : 3 * i + 3] for i in range(len(moves))], chance)
            for counts, chance in _samples(flat, n)
        )
    for counts, chance in cases:
        if chance:
            for i, share in enumerate(_best(counts, mover, criterion)):
                total[i] += chance * share
    return total


def close(found: np.ndarray, wanted: list[Fraction], repeats: int) -> bool:
    """Within 5 standard errors of single choices; at most one half each."""
    exact = np.array(wanted, float)
    sigma = np.sqrt(np.maximum(exact * (1 - exact), 1e-12) / repeats)
    return bool((np.abs(found - exact) <= 5 * sigma + 1e-12).all())


@pytest.mark.parametrize("criterion", ["win", "score"])
@pytest.mark.parametrize(("spread", "n"), [("per move", 1), ("per move", 2), ("in all", 3)])
@pytest.mark.parametrize("text", LATE[:3])
def test_choices_against_enumeration(text, spread, n, criterion):
    position = mbx.games.MARUBATSU.from_text(text)
    choice = mbx.pmc_choice(position, n, REPEATS, spread=spread, criterion=criterion, seed=1)
    board = tuple(position.to_array().ravel().tolist())
    assert choice.moves.tolist() == position.legal_moves.tolist()
    assert choice.chances.sum() == pytest.approx(1)
    assert close(choice.chances, expected(board, n, spread, criterion), REPEATS)
    assert (choice.standard_errors <= 0.5 / np.sqrt(REPEATS - 1)).all()


def test_choices_in_a_graph_are_those_of_its_positions():
    graph = mbx.build_graph(mbx.games.MARUBATSU.from_text(LATE[3]))
    edges = graph.edges()
    for spread in ("per move", "in all"):
        choice = mbx.pmc_choice(graph, 2, 4_000, spread=spread, seed=2)
        assert choice.chances.shape == (graph.n_edges,)
        for node in range(1, min(len(graph), 40)):
            mine = slice(edges.start[node], edges.start[node + 1])
            if 2 <= mine.stop - mine.start <= 3:
                board = tuple(graph.position(node).to_array().ravel().tolist())
                assert close(choice.chances[mine], expected(board, 2, spread, "win"), 4_000)


def test_standard_errors_are_those_of_repetition():
    position = mbx.games.MARUBATSU.start()
    runs = [mbx.pmc_choice(position, 5, 200, seed=seed) for seed in range(60)]
    spread = np.std([run.chances for run in runs], axis=0, ddof=1)
    stated = np.mean([run.standard_errors for run in runs], axis=0)
    assert (np.abs(spread / stated - 1) < 5 / np.sqrt(2 * 59)).all()


def test_the_limit_is_the_policy_pmc():
    for criterion, name in (("win", "pmc"), ("score", "pmc score")):
        for text in LATE + ["o../.x./..o", ".../.../..."]:
            position = mbx.games.MARUBATSU.from_text(text)
            graph = mbx.build_graph(position)
            limit = mbx.pmc_choice(position, None, criterion=criterion)
            policy = graph.policy(name)
            assert np.array_equal(limit.chances, policy[: len(limit.moves)])
            whole = mbx.pmc_choice(graph, None, criterion=criterion)
            assert np.array_equal(whole.chances, policy) and not whole.standard_errors.any()
            assert limit.n is None and limit.repeats is None


@pytest.mark.parametrize(("criterion", "name"), [("win", "pmc"), ("score", "pmc score")])
def test_the_limit_breaks_no_tie(criterion, name):
    graph = mbx.build_graph(mbx.games.MARUBATSU.start())
    policy, start = graph.policy(name), graph.edges().start
    for node in np.flatnonzero(graph.status < 0)[::9].tolist():
        limit = mbx.pmc_choice(graph.position(node), None, criterion=criterion)
        assert np.array_equal(limit.chances, policy[start[node] : start[node + 1]])
    tied = mbx.games.MARUBATSU.from_text(".xo/.../.o.")
    assert mbx.pmc_choice(tied, None).chances[0] == 0


def test_many_playouts_come_close_to_the_limit():
    trap = mbx.games.MARUBATSU.from_text("o../.x./..o")
    choice = mbx.pmc_choice(trap, 100_000, 200, seed=3)
    assert choice.chances[[1, 4]].sum() > 0.99 and abs(choice.chances[1] - 0.5) < 0.2


def test_the_same_seed_gives_the_same_choices():
    position = mbx.games.CONNECT_FOUR.start()
    one = mbx.pmc_choice(position, 20, 300, seed=7, threads=1).chances
    assert np.array_equal(one, mbx.pmc_choice(position, 20, 300, seed=7, threads=2).chances)
    assert not np.array_equal(one, mbx.pmc_choice(position, 20, 300, seed=8).chances)
    graph = mbx.build_graph(mbx.games.MARUBATSU.from_text(LATE[3]))
    two = [mbx.pmc_choice(graph, 3, 20, seed=1, threads=n).chances for n in (1, 2)]
    assert np.array_equal(*two)


def test_strength_is_what_the_graph_says_of_the_policy():
    graph = mbx.build_graph(mbx.games.MARUBATSU.start())
    curve = mbx.pmc_strength(graph, [1, 30], "optimal", repeats=40, seed=5)
    assert curve.ns == (1, 30) and curve.opponent == "optimal play"
    assert curve.as_first[0, 0] == 0 and curve.as_second[0, 1] == 0  # never wins
    assert curve.as_first[1, 2] > curve.as_first[0, 2]
    assert np.array_equal(curve.limits[0], graph.outcomes("pmc win", "optimal")[0])
    assert np.array_equal(curve.limits[1], graph.outcomes("optimal", "pmc win")[0])
    assert np.allclose(curve.as_first.sum(axis=1), 1) and "limit" in str(curve)
    against = mbx.pmc_strength(graph, [2], 2, repeats=40, seed=5)
    assert against.opponent == "PMC with 2 playouts" and "<table" in against._repr_html_()


def test_the_plot_uses_the_axes_that_it_is_given():
    figure_module = pytest.importorskip("matplotlib.figure")
    ax = figure_module.Figure().subplots()
    position = mbx.games.MARUBATSU.from_text(LATE[3])
    curve = mbx.pmc_strength(position, [1, 10], repeats=10, seed=1)
    assert curve.plot(ax) is ax and len(ax.lines) == 4
    lengths = mbx.build_graph(position).games()
    ax = figure_module.Figure().subplots()
    assert lengths.plot(ax) is ax and ax.patches


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((0,), {}, ValueError, "n must be"),
        (("3",), {}, TypeError, "n must be"),
        ((3, 1), {}, ValueError, "repeats must be"),
        ((3,), {"criterion": "wins"}, ValueError, "criterion must be"),
        ((3,), {"spread": "all"}, ValueError, "spread must be"),
        ((3,), {"seed": -1}, ValueError, "seed"),
        ((3,), {"threads": 0}, ValueError, "threads"),
        ((3,), {"progress": 3}, TypeError, "progress"),
    ],
)
def test_bad_arguments(arguments, options, error, text):
    with pytest.raises(error, match=text):
        mbx.pmc_choice(mbx.games.MARUBATSU.start(), *arguments, **options)


def test_a_finished_position_is_refused():
    over = mbx.games.MARUBATSU.from_text("ooo/xx./...")
    for n in (3, None):
        with pytest.raises(mbx.GameOverError, match="finished"):
            mbx.pmc_choice(over, n)
    with pytest.raises(mbx.TooLargeError):
        mbx.pmc_choice(mbx.games.CONNECT_FOUR.start(), None)
    with pytest.raises(mbx.TooLargeError, match="repeats"):
        mbx.pmc_choice(mbx.games.MARUBATSU.start(), 1, 2**40)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((5,), {}, TypeError, "ns must be"),
        (([0],), {}, ValueError, "ns must be"),
        (([],), {"criterion": "all"}, ValueError, "criterion must be"),
        (([],), {"spread": "all"}, ValueError, "spread must be"),
        (([1], 0), {}, ValueError, "opponent must be"),
        (([1], "best"), {}, ValueError, "opponent must be one of"),
        (([1], None), {}, TypeError, "opponent must be"),
    ],
)
def test_bad_arguments_of_strength(arguments, options, error, text):
    with pytest.raises(error, match=text):
        mbx.pmc_strength(mbx.games.MARUBATSU.start(), *arguments, **options)
    symmetric = mbx.build_graph(mbx.games.MARUBATSU.start(), symmetry=True)
    with pytest.raises(ValueError, match="without symmetry"):
        mbx.pmc_strength(symmetric, [1])

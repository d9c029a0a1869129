"""Primitive Monte Carlo for one move: its games, its choice, its allocations, against slow ones."""

from __future__ import annotations

import math
import pickle
import time
from fractions import Fraction

import numpy as np
import pytest
from article_boards import KINDS, ReaderMarubatsu, only
from test_kernels import chi_square
from test_primitive import LATE, close, expected

import mbx
from mbx.choosing import draw_moves

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
TRAP = MARUBATSU.from_text("x../.o./..x", symbols="xo")  # its limit plays a corner, which loses
FULL_COLUMNS = CONNECT_FOUR.position("44444433333")
POSITIONS = [
    MARUBATSU.start(),
    TRAP,
    *map(MARUBATSU.from_text, LATE),
    CONNECT_FOUR.start(),
    FULL_COLUMNS,
    mbx.games.GOMOKU.position([112]),
    mbx.Game((3, 3), 4).start(),
    mbx.Game((2, 3, 4), 2, True).start(),
    mbx.Game((1, 1), 1).start(),
]
ALLOCATIONS = ["uniform", "equal", "halving"]


def worth(counts: list[int], mover: int, criterion: str) -> tuple[Fraction, ...]:
    n = max(sum(counts), 1)
    win, draw = Fraction(counts[mover], n), Fraction(counts[2], n)
    return (win, draw) if criterion == "win" else (win + draw / 2,)


def best(table: dict[int, list[int]], mover: int, criterion: str) -> list[int]:
    worths = {move: worth(counts, mover, criterion) for move, counts in table.items()}
    return [move for move in worths if worths[move] == max(worths.values())]


def after(position: mbx.Position, move: int, n: int, key: int, stage: int) -> list[int]:
    """The outcomes of n games of a stage after a move."""
    child = position.copy()
    child.push(move)
    if child.status >= 0:
        return [n * (child.status == outcome) for outcome in range(3)]
    seed = (key + (stage << 120)) % 2**128
    return mbx.playout_counts(child, n, seed=seed, first_row=move).sum(axis=0).tolist()


def plain_halving(position: mbx.Position, n: int, key: int, criterion: str):
    """Sequential halving, move by move: the counts and the moves that are best at the end."""
    moves = position.legal_moves.tolist()
    table = {move: [0, 0, 0] for move in moves}
    rounds = max(math.ceil(math.log2(len(moves))), 1)
    for number in range(rounds):
        games = n // (len(moves) * (rounds - number))
        n -= games * len(moves)
        for move in moves:
            more = after(position, move, games, key, rounds - number)
            table[move] = [a + b for a, b in zip(table[move], more, strict=True)]
        if number < rounds - 1:
            worths = {move: worth(table[move], position.turn, criterion) for move in moves}
            cut = sorted(worths.values(), reverse=True)[(len(moves) + 1) // 2 - 1]
            moves = [move for move in moves if worths[move] >= cut]
    return table, best({move: table[move] for move in moves}, position.turn, criterion)


# -- the games


@pytest.mark.parametrize("position", POSITIONS, ids=repr)
def test_uniform_plays_the_playouts_of_its_seed(position):
    result = mbx.pmc(position, 1_000, seed=5)
    assert np.array_equal(result.counts, mbx.playout_counts(position, 1_000, seed=5))
    assert result.playouts == 1_000 and result.seed == 5 and result.start == position


@pytest.mark.parametrize("n", [1, 5, 100, 1_001])
@pytest.mark.parametrize("position", POSITIONS, ids=repr)
def test_equal_plays_as_many_after_each_move(position, n):
    result = mbx.pmc(position, n, allocation="equal", seed=5)
    m = len(position.legal_moves)
    assert result.counts.sum(axis=1).tolist() == [n // m + (i < n % m) for i in range(m)]
    for row, move in zip(result.counts.tolist(), position.legal_moves.tolist(), strict=True):
        parts = [
            after(position, move, n // m, 5, 1),
            after(position, move, sum(row) - n // m, 5, 2),
        ]
        assert row == np.sum(parts, axis=0).tolist()


@pytest.mark.parametrize("criterion", ["win", "score"])
@pytest.mark.parametrize("n", [1, 10, 50, 1_000])
@pytest.mark.parametrize("position", POSITIONS, ids=repr)
def test_halving_against_a_plain_one(position, n, criterion):
    for seed in (3, 2**128 - 1):
        result = mbx.pmc(position, n, criterion, allocation="halving", seed=seed)
        table, candidates = plain_halving(position, n, seed, criterion)
        assert result.counts.tolist() == list(table.values())
        assert result.candidates.tolist() == candidates
        assert result.move in candidates and result.playouts <= n
        assert n - result.playouts < len(position.legal_moves)


def test_halving_spends_where_the_choice_is_open():
    result = mbx.pmc(MARUBATSU.start(), 100_000, allocation="halving", seed=1)
    played = result.counts.sum(axis=1)
    assert result.move == 4 and played[4] == played.max() > 3 * played[1]
    assert result.playouts > 99_990


def test_halving_errs_less_with_as_many_games():
    """On a position where one move of many is best."""
    position = MARUBATSU.position([4, 1])
    truth = mbx.move_probabilities(position)[:, 0]
    wins = {}
    for allocation in ALLOCATIONS:
        moves = [mbx.pmc(position, 150, allocation=allocation, seed=s).moves for s in range(2)]
        assert np.array_equal(*moves)
        chosen = [mbx.pmc(position, 150, allocation=allocation, seed=s).move for s in range(600)]
        rows = np.searchsorted(position.legal_moves, chosen)
        wins[allocation] = float((truth.max() - truth[rows]).mean())
    assert wins["halving"] < wins["equal"] and wins["halving"] < wins["uniform"]


# -- the choice


@pytest.mark.parametrize("criterion", ["win", "score"])
@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("position", POSITIONS, ids=repr)
def test_the_best_moves_are_chosen(position, allocation, criterion):
    for seed in range(5):
        result = mbx.pmc(position, 40, criterion, allocation=allocation, seed=seed)
        assert result.move in result.candidates
        if allocation != "halving":
            table = dict(zip(result.moves.tolist(), result.counts.tolist(), strict=True))
            assert result.candidates.tolist() == best(table, position.turn, criterion)


@pytest.mark.parametrize("criterion", ["win", "score"])
@pytest.mark.parametrize(("allocation", "spread"), [("uniform", "in all"), ("equal", "per move")])
@pytest.mark.parametrize("text", LATE[:3])
def test_choices_against_enumeration(text, allocation, spread, criterion):
    position = MARUBATSU.from_text(text)
    each = 2 if spread == "in all" else 1
    n = each if spread == "in all" else each * len(position.legal_moves)
    player = mbx.PmcPlayer(n, criterion, allocation)
    moves = player.choose([position] * 20_000, 7, 0, 1)
    shares = np.bincount(moves, minlength=9)[position.legal_moves] / 20_000
    board = tuple(position.to_array().ravel().tolist())
    assert close(shares, expected(board, each, spread, criterion), 20_000)


def test_the_trap():
    """No bug: with ever more games a corner is chosen, which loses; the edges draw."""
    for allocation in ALLOCATIONS:
        for criterion in ("win", "score"):
            for seed in range(5):
                result = mbx.pmc(TRAP, 100_000, criterion, allocation=allocation, seed=seed)
                assert result.move in (2, 6)
    result = mbx.pmc(TRAP, 10**6, seed=1)
    assert np.abs(result.shares[:, 0] - [1 / 2, 8 / 15, 1 / 2, 1 / 2, 8 / 15, 1 / 2]).max() < 0.01
    assert np.abs(result.scores - [0.55, 7 / 12, 0.55, 0.55, 7 / 12, 0.55]).max() < 0.01


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("symbols", ["xo", "ox"])
def test_a_win_in_one_is_taken(symbols, allocation):
    position = MARUBATSU.from_text("xo./xx./o.o", symbols=symbols)
    if symbols == "ox":
        position = MARUBATSU.from_text("ox./oo./x.x")
    for seed in range(10):
        assert mbx.pmc(position, 500, allocation=allocation, seed=seed).move == 5


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_ties_are_broken_evenly(allocation):
    """All nine moves are equal where nobody can win."""
    position = mbx.Game((3, 3), 4).start()
    n = 90
    moves = [mbx.pmc(position, n, allocation=allocation, seed=seed).move for seed in range(900)]
    counts = np.bincount(moves, minlength=9)
    assert chi_square(counts, np.full(9, 1 / 9)) < 5
    together = mbx.PmcPlayer(n, allocation=allocation).choose([position] * 9_000, 1, 0, None)
    assert chi_square(np.bincount(together, minlength=9), np.full(9, 1 / 9)) < 5


def test_lots_are_drawn_evenly_and_by_row():
    rng = np.random.default_rng(1)
    mask = np.tile(rng.random(225) < 0.3, (40_000, 1))
    mask[::7] = False
    drawn = draw_moves(mask, 2**127 + 5, 1_000)
    assert (drawn[::7] == -1).all()
    marked = np.flatnonzero(mask[1])
    counts = np.bincount(drawn[drawn >= 0], minlength=225)
    assert counts.sum() == counts[marked].sum()
    assert chi_square(counts[marked], np.full(len(marked), 1 / len(marked))) < 5
    assert np.array_equal(drawn[100:200], draw_moves(mask[100:200], 2**127 + 5, 1_100))
    assert not np.array_equal(drawn, draw_moves(mask, 2**127 + 6, 1_000))


def test_a_lot_is_never_a_biased_word(monkeypatch):
    """Words from the last, incomplete block are passed over."""
    import numpy.random

    top = 2**64 - 1  # 2**64 is 1 modulo 3: this word alone is left over
    words = np.array([[top, 5, 0, 0], [top - 1, 0, 0, 0], [top, top, 1, 0]], np.uint64)

    class Fixed:
        def __init__(self, key, counter):
            assert (key, counter) == (4, 2**192 + 6)

        def random_raw(self, n):
            assert n == 12
            return words.ravel()

    monkeypatch.setattr(numpy.random, "Philox", Fixed)
    assert draw_moves(np.array([[1, 0, 1, 1]] * 3, bool), 4, 6).tolist() == [3, 3, 2]


def test_the_seed_alone_decides():
    for allocation in ALLOCATIONS:
        for position in (MARUBATSU.start(), CONNECT_FOUR.start(), TRAP):
            runs = [
                mbx.pmc(position, 30_000, allocation=allocation, seed=9, threads=threads)
                for threads in (1, 2, 4)
            ]
            assert all(np.array_equal(run.counts, runs[0].counts) for run in runs)
            assert len({run.move for run in runs}) == 1
    one, other = mbx.pmc(TRAP, 1_000), mbx.pmc(TRAP, 1_000)
    assert one.seed != other.seed and not np.array_equal(one.counts, other.counts)
    again = mbx.pmc(TRAP, 1_000, seed=one.seed)
    assert np.array_equal(again.counts, one.counts) and again.move == one.move


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_many_positions_are_played_as_one_by_one(allocation):
    over = MARUBATSU.from_text("ooo/xx./...")
    batches = [
        [MARUBATSU.start(), over, TRAP, *map(MARUBATSU.from_text, LATE), over],
        [CONNECT_FOUR.start(), FULL_COLUMNS, CONNECT_FOUR.position("4455")],
    ]
    player = mbx.PmcPlayer(60, allocation=allocation)
    for batch in batches:
        before = [position.copy() for position in batch]
        moves = player.choose(batch, 11, 500, 2)
        assert batch == before
        for i, position in enumerate(batch):
            if position.status < 0:
                assert [moves[i]] == player.choose([position], 11, 500 + i, 1)
                assert moves[i] in position.legal_moves
    assert player.choose([over, over], 1, 0, None) is not None


# -- what it takes and gives


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_objects_of_the_article(kind):
    mb = ReaderMarubatsu(kind, [(1, 1), (0, 0), (2, 0)])
    before = vars(mb).copy(), [row.copy() for row in mb.board.marks]
    result = mbx.pmc(only(mb), 5_000, allocation="equal", seed=1)
    assert result.own_moves == mb.calc_legal_moves() and result.move == kind.encode(0, 2, 3)
    plain = mbx.pmc(result.start, 5_000, allocation="equal", seed=1)
    rows = np.searchsorted(plain.moves, result.moves)
    assert np.array_equal(plain.counts[rows], result.counts)
    assert (vars(mb), mb.board.marks) == before


def test_of_a_marubatsu():
    mb = mbx.Marubatsu()
    mb.move((1, 0))
    result = mbx.pmc(mb, 100_000, seed=1)
    assert result.move == (1, 1) and result.own_moves == mb.calc_legal_moves()
    assert mb.move_count == 1


def test_shares_and_texts():
    result = mbx.pmc(TRAP, 3_000, seed=2)
    turn = TRAP.turn
    for row, (win, draw), score in zip(
        result.counts.tolist(), result.shares.tolist(), result.scores.tolist(), strict=True
    ):
        assert win == row[turn] / sum(row) and draw == row[2] / sum(row)
        assert score == pytest.approx(win + draw / 2)
    assert str(result.move) in result.title and "3,000 games" in str(result)
    assert len(str(result).splitlines()) == 2 + 1 + 6
    assert "<table" in result._repr_html_() and "PMC" in repr(result)
    one = mbx.pmc(MARUBATSU.start(), 1, seed=1)  # eight moves without a game
    assert np.isfinite(one.shares).all() and one.counts.sum() == 1
    twin = pickle.loads(pickle.dumps(result))
    assert twin.move == result.move and np.array_equal(twin.counts, result.counts)


def test_the_plot_uses_the_axes_that_it_is_given():
    figure_module = pytest.importorskip("matplotlib.figure")
    ax = figure_module.Figure().subplots()
    assert mbx.pmc(TRAP, 100, seed=1).plot(ax) is ax and len(ax.patches) == 12


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_a_time_limit(allocation):
    for position in (CONNECT_FOUR.start(), mbx.games.GOMOKU.start()):
        started = time.perf_counter()
        result = mbx.pmc(position, 2**40, allocation=allocation, timelimit=0.3, seed=1)
        seconds = time.perf_counter() - started
        assert 0.2 < seconds < 0.3 + 0.3
        assert 0 < result.playouts < 2**40 and result.move in result.candidates
        if allocation == "equal":
            played = result.counts.sum(axis=1)
            assert played.min() > 0 and played.max() <= 2 * played.min()


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_a_time_limit_that_is_not_reached_changes_nothing(allocation):
    plain = mbx.pmc(TRAP, 20_000, allocation=allocation, seed=4)
    limited = mbx.pmc(TRAP, 20_000, allocation=allocation, seed=4, timelimit=60)
    assert np.array_equal(plain.counts, limited.counts) and plain.move == limited.move


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_progress(allocation):
    calls = []
    n = 300_000
    shown = mbx.pmc(
        TRAP, n, allocation=allocation, seed=4, progress=lambda *call: calls.append(call)
    )
    assert np.array_equal(shown.counts, mbx.pmc(TRAP, n, allocation=allocation, seed=4).counts)
    done = [call[0] for call in calls]
    assert done == sorted(done) and 0 < done[-1] <= n and {total for _, total in calls} == {n}


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((0,), {}, ValueError, "n must be"),
        ((-1,), {}, ValueError, "n must be"),
        ((2**63,), {}, ValueError, "n must be"),
        (("3",), {}, TypeError, "n must be"),
        ((3.0,), {}, TypeError, "n must be"),
        ((3, "wins"), {}, ValueError, "criterion must be 'win' or 'score'"),
        ((3, None), {}, ValueError, "criterion must be"),
        ((3,), {"allocation": "all"}, ValueError, "allocation must be 'uniform' or"),
        ((3,), {"allocation": ["equal"]}, ValueError, "allocation must be"),
        ((3,), {"seed": -1}, ValueError, "seed"),
        ((3,), {"seed": 1.5}, TypeError, "seed"),
        ((3,), {"threads": 0}, ValueError, "threads"),
        ((3,), {"timelimit": 0}, ValueError, "timelimit"),
        ((3,), {"timelimit": float("nan")}, ValueError, "timelimit"),
        ((3,), {"timelimit": "1"}, TypeError, "timelimit"),
        ((3,), {"progress": 3}, TypeError, "progress"),
    ],
)
@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_bad_arguments(allocation, arguments, options, error, text):
    with pytest.raises(error, match=text):
        mbx.pmc(MARUBATSU.start(), *arguments, **({"allocation": allocation} | options))


def test_positions_that_are_none():
    with pytest.raises(mbx.GameOverError, match="finished"):
        mbx.pmc(MARUBATSU.from_text("ooo/xx./..."))
    for wrong in (None, "...", mbx.Marubatsu, MARUBATSU):
        with pytest.raises(TypeError, match="position must be"):
            mbx.pmc(wrong, 10)

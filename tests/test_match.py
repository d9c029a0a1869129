"""Players and matches: their chances against exact ones, and that nothing else decides them."""

from __future__ import annotations

import pickle
import random
from functools import cache

import numpy as np
import pytest
import reference as ref
from article_boards import KINDS, ReaderMarubatsu, only
from reference import Rules
from test_kernels import chi_square
from test_primitive import expected

import mbx
from mbx import lockstep
from mbx.players import Player

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR
RULES = Rules((3, 3), 3)
PLAYERS = [
    mbx.RandomPlayer(),
    mbx.PerfectPlayer(),
    mbx.PerfectPlayer(fastest=True),
    mbx.PmcPlayer(20),
    mbx.PmcPlayer(20, "score", "equal"),
    mbx.PmcPlayer(30, allocation="halving"),
    mbx.AlphaBetaPlayer(2, vary=True),
]


def first_move(position):
    return position.legal_moves[0]


def any_move(position):
    return random.choice(position.legal_moves.tolist())


def within(counts: np.ndarray, chances: np.ndarray, sigmas: float = 4.5) -> bool:
    """Are counts (2, 3) those of so many games with these chances?"""
    n = counts.sum(axis=1, keepdims=True)
    error = np.sqrt(n * chances * (1 - chances))
    return bool((np.abs(counts - n * chances) <= sigmas * error + 1e-9).all())


# -- players


def unfinished(step: int) -> list[mbx.Position]:
    boards = [board for board, status in ref.reachable(RULES).items() if status == -1]
    return [MARUBATSU.from_array(ref.array(RULES, board)) for board in boards[::step]]


@cache
def best_play(board: ref.Board) -> tuple[int, int]:
    """The value for the side to move, and -plies of a win, plies of a loss: more is better."""
    status = ref.status(RULES, board)
    if status >= 0:
        return (0 if status == 2 else -1), 0
    return max(worths(board).values())


def worths(board: ref.Board) -> dict[int, tuple[int, int]]:
    """What best play gives after each move, for the side that makes it."""
    table = {}
    for move in ref.legal_moves(RULES, board):
        value, speed = best_play(ref.play(RULES, board, move))
        table[move] = -value, value * (abs(speed) + 1)
    return table


@pytest.mark.parametrize("fastest", [False, True])
def test_perfect_players_play_every_best_move(fastest):
    for position in unfinished(9):
        table = worths(tuple(position.to_array().ravel().tolist()))
        if not fastest:
            table = {move: (value, 0) for move, (value, _) in table.items()}
        best = {move for move in table if table[move] == max(table.values())}
        moves = mbx.PerfectPlayer(fastest).choose([position] * 150, 1, 0, 1)
        assert set(moves) == best, position


@pytest.mark.parametrize(
    ("text", "best", "fastest"),
    [
        (".x./.o./oxx", {0, 2, 3, 5}, {2}),
        ("..o/.../..x", {0, 6, 7}, {0, 6, 7}),
        ("x../.o./..x", {1, 3, 5, 7}, {1, 3, 5, 7}),
        (".../.../...", set(range(9)), set(range(9))),
        ("..x/.../.ox", {0, 1, 3, 4, 5, 6}, {5}),
    ],
)
def test_known_best_moves(text, best, fastest):
    position = MARUBATSU.from_text(text, symbols="xo")
    assert set(mbx.PerfectPlayer().choose([position] * 400, 1, 0, 1)) == best
    assert set(mbx.PerfectPlayer(True).choose([position] * 400, 1, 0, 1)) == fastest


def test_a_perfect_player_of_connect_four():
    position = CONNECT_FOUR.position("14131125")
    assert set(mbx.PerfectPlayer().choose([position] * 20, 1, 0, 1)) == {5}
    ended = CONNECT_FOUR.position("4343434")
    assert len(mbx.PerfectPlayer().choose([ended, position], 1, 0, 1)) == 2


@pytest.mark.parametrize("position", [MARUBATSU.start(), CONNECT_FOUR.position("444444")], ids=str)
def test_a_random_player_is_uniform(position):
    moves = mbx.RandomPlayer().choose([position] * 30_000, 3, 0, None)
    counts = np.bincount(moves, minlength=position.game.n_moves)
    legal = position.legal_moves
    assert counts.sum() == counts[legal].sum()
    assert chi_square(counts[legal], np.full(len(legal), 1 / len(legal))) < 5


@pytest.mark.parametrize("player", PLAYERS, ids=str)
def test_a_player_is_a_function_of_position_key_and_row(player):
    over = MARUBATSU.from_text("ooo/xx./...")
    positions = [*unfinished(200), over, over]
    before = [position.copy() for position in positions]
    moves = player.choose(positions, 2**100, 70, 2)
    assert positions == before and all(isinstance(move, int) for move in moves)
    for i, position in enumerate(positions[:-2]):
        assert player.choose([position], 2**100, 70 + i, 1) == [moves[i]]
        assert moves[i] in position.legal_moves
    assert player.choose(positions, 2**100 + 1, 70, 1) != moves


@pytest.mark.parametrize("player", PLAYERS, ids=str)
def test_players_are_asked_for_one_move(player):
    position = MARUBATSU.position([4, 0])
    move = player(position, seed=3)
    assert move in position.legal_moves and move == player(position, 3)
    assert position.moves == [4, 0]
    mb = mbx.Marubatsu()
    mb.move((1, 1))
    assert player(mb) in mb.calc_legal_moves() and mb.move_count == 1
    for kind in KINDS[::5]:
        reader = ReaderMarubatsu(kind, [(1, 1), (0, 0)])
        assert player(only(reader)) in reader.calc_legal_moves()
    with pytest.raises(mbx.GameOverError):
        player(MARUBATSU.from_text("ooo/xx./..."))
    with pytest.raises(TypeError, match="position must be"):
        player(None)
    with pytest.raises(ValueError, match="seed"):
        player(position, seed=-1)


def test_players_are_values():
    assert mbx.PmcPlayer(10) == mbx.PmcPlayer(10) != mbx.PmcPlayer(11)
    assert len({mbx.RandomPlayer(), mbx.RandomPlayer(), mbx.PerfectPlayer()}) == 2
    for player in PLAYERS:
        assert pickle.loads(pickle.dumps(player)) == player
    assert [str(player) for player in PLAYERS] == [
        "random",
        "perfect",
        "perfect fastest",
        "PMC 20",
        "PMC 20 score equal",
        "PMC 30 halving",
        "alpha-beta 2 vary",
    ]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"n": 0}, ValueError, "n must be"),
        ({"n": "9"}, TypeError, "n must be"),
        ({"criterion": "draw"}, ValueError, "criterion must be"),
        ({"allocation": "some"}, ValueError, "allocation must be"),
    ],
)
def test_players_that_cannot_be(options, error, text):
    with pytest.raises(error, match=text):
        mbx.PmcPlayer(**options)


# -- matches against exact chances


@pytest.mark.parametrize(
    "start",
    [
        MARUBATSU.start(),
        MARUBATSU.position([4]),  # the second side is to move
        mbx.Game((4, 3), 3).start(),
        mbx.Game((4, 3), 3, True).position([0, 1, 1]),
        mbx.Game((2, 2, 2), 2, True).start(),
        mbx.Game((1, 1), 1).start(),
        mbx.Game((2, 2), 3).start(),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    ("a", "b", "policies"),
    [
        ("random", "random", ("uniform", "uniform")),
        ("perfect", "random", ("optimal", "uniform")),
        ("random", mbx.PerfectPlayer(True), ("uniform", "optimal fastest")),
    ],
)
def test_counts_against_exact_chances(a, b, policies, start):
    result = mbx.match(a, b, 4_000, start=start, seed=17)
    rows = []
    for side in (start.turn, 1 - start.turn):
        order = policies if side == 0 else policies[::-1]
        chances = mbx.outcome_probabilities(start, *order)
        rows.append(chances[[side, 1 - side, 2]])
    assert np.array_equal(result.exact, rows)
    assert (result.counts.sum(axis=1) == 4_000).all()
    assert within(result.counts, result.exact)
    assert result.start == start and start.ply == result.start.ply


def test_pmc_with_one_game_against_random():
    """Its policy summed over everything that one game can show; then exact against random play."""
    graph = mbx.build_graph(MARUBATSU.position([4, 1]))
    start = graph.edges().start
    policy = np.zeros(graph.n_edges)
    for node in range(graph.n_nodes):
        if graph.status[node] < 0:
            board = tuple(graph.position(node).to_array().ravel().tolist())
            chances = expected(board, 1, "in all", "win")
            policy[start[node] : start[node + 1]] = np.array(chances, float)
    exact = np.array([graph.outcomes(policy, "uniform")[0], graph.outcomes("uniform", policy)[0]])
    exact[1] = exact[1][[1, 0, 2]]
    result = mbx.match(mbx.PmcPlayer(1), "random", 20_000, start=graph.root, seed=2)
    assert within(result.counts, exact) and result.exact is None


def test_pmc_plays_as_its_policy():
    """With more games, against the policy that pmc_choice samples."""
    graph = mbx.build_graph(MARUBATSU.position([4, 1]))
    policy = mbx.pmc_choice(graph, 30, 2_000, spread="in all", seed=8).chances
    exact = np.array([graph.outcomes(policy, "optimal")[0], graph.outcomes("optimal", policy)[0]])
    exact[1] = exact[1][[1, 0, 2]]
    result = mbx.match(mbx.PmcPlayer(30), "perfect", 5_000, start=graph.root, seed=3)
    assert within(result.counts, exact, 6)


def test_colours_and_names_mirrored():
    one = mbx.match("random", "perfect", 3_000, seed=4)
    other = mbx.match("perfect", "random", 3_000, seed=5)
    assert np.array_equal(one.exact[::-1][:, [1, 0, 2]], other.exact)
    assert within(one.counts[::-1][:, [1, 0, 2]], other.exact)
    assert one.names == other.names[::-1] == ("random", "perfect")
    assert one.exact_score == pytest.approx(1 - other.exact_score)


def test_no_exact_chances_where_positions_are_many_or_players_unknown():
    for a, b, start in (
        ("random", "random", CONNECT_FOUR.start()),
        ("random", first_move, None),
        ("random", mbx.PmcPlayer(3), None),
    ):
        result = mbx.match(a, b, 20, start=start, seed=1)
        assert result.exact is None and result.exact_score is None
        assert "exact" not in str(result)


# -- what decides, and what does not


@pytest.mark.parametrize("start", [MARUBATSU.start(), CONNECT_FOUR.position("4444")], ids=str)
@pytest.mark.parametrize(
    "b", ["random", mbx.PmcPlayer(15, allocation="halving"), any_move], ids=str
)
def test_threads_and_batches_change_nothing(b, start, monkeypatch):
    if b is any_move:
        monkeypatch.setattr(lockstep, "_CALLED", 50)  # those that use `random` go in one order
    a = mbx.PmcPlayer(40)
    usual = mbx.match(a, b, 150, start=start, seed=6).counts
    for threads in (1, 2, 3):
        counts = mbx.match(a, b, 150, start=start, seed=6, threads=threads).counts
        assert np.array_equal(counts, usual)
    if b is not any_move:
        for largest in (1, 7, 64):
            monkeypatch.setattr(lockstep, "_LARGEST", largest)
            assert np.array_equal(mbx.match(a, b, 150, start=start, seed=6).counts, usual)
    assert not np.array_equal(mbx.match(a, b, 150, start=start, seed=7).counts, usual)


def test_the_seed_of_a_result_repeats_it():
    one, other = mbx.match("random", "pmc", 100), mbx.match("random", "pmc", 100)
    assert one.seed != other.seed
    assert np.array_equal(mbx.match("random", "pmc", 100, seed=one.seed).counts, one.counts)
    generator = np.random.default_rng(1)
    twice = [mbx.match("random", "random", 100, seed=generator).seed for _ in range(2)]
    assert twice[0] != twice[1]


def test_fewer_games_are_the_first_of_more():
    """Of the first colour."""
    few, more = (mbx.match("random", "random", n, seed=1).counts[0] for n in (500, 1_000))
    assert (few <= more).all()


def test_callables_get_copies_and_python_s_random_is_put_back():
    seen = []

    def rude(position):
        seen.append(position.ply)
        move = position.legal_moves[-1]
        while position.status < 0:
            position.push(position.legal_moves[0])
        return np.int64(move)

    start = MARUBATSU.position([4])
    random.seed(5)
    before = random.getstate()
    one = mbx.match(rude, any_move, 40, start=start, seed=1)
    assert random.getstate() == before and start.moves == [4]
    assert np.array_equal(one.counts, mbx.match(rude, any_move, 40, start=start, seed=1).counts)
    assert min(seen) == 1 and max(seen) <= 8
    assert one.names == ("rude", "any_move")
    mbx.match(any_move, any_move, 1)
    assert random.getstate() != before


class LastMove(Player):
    """Somebody's own player for batches."""

    def choose(self, positions, key, first_row, threads):
        return [int(p.legal_moves[-1]) if p.status < 0 else 0 for p in positions]

    def __str__(self):
        return "last"


def test_a_player_of_one_s_own():
    batch = mbx.match(LastMove(), "random", 300, seed=1)
    called = mbx.match(lambda position: position.legal_moves[-1], "random", 300, seed=1)
    assert np.array_equal(batch.counts, called.counts) and batch.exact is None
    assert batch.names == ("last", "random") and called.names[0] == "<lambda>"
    assert LastMove()(MARUBATSU.start()) == 8 and LastMove().policy is None


def test_progress():
    calls = []
    for b in (any_move, mbx.PmcPlayer(50)):
        calls.clear()
        mbx.match("random", b, 300, seed=1, progress=lambda *call: calls.append(call))
        assert calls == sorted(calls) and calls[-1] == (600, 600) and len(calls) > 3
        assert {total for _, total in calls} == {600}


def test_an_error_of_a_player_is_passed_on():
    class Oops(Exception):
        pass

    def failing(position):
        raise Oops

    random.seed(5)
    before = random.getstate()
    with pytest.raises(Oops):
        mbx.match("random", failing, 10, seed=1)
    assert random.getstate() == before


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (4, mbx.IllegalMoveError),
        (-1, mbx.IllegalMoveError),
        (2**70, mbx.IllegalMoveError),
        (None, TypeError),
        ("3", TypeError),
        (4.0, TypeError),
        ([4], TypeError),
    ],
)
def test_illegal_moves_are_named(answer, error):
    def stubborn(position):
        return answer

    with pytest.raises(error, match="stubborn gave the move") as caught:
        mbx.match("random", stubborn, 10, start=MARUBATSU.position([4]))
    assert repr(answer) in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        (("random", "best"), {}, ValueError, "b must be one of 'random', 'pmc', .*'best'"),
        ((None, "random"), {}, TypeError, "a must be a player"),
        ((3, "random"), {}, TypeError, "a must be a player"),
        (("random", mbx.PmcPlayer), {}, TypeError, "b must be a player"),
        (("random", "random", 0), {}, ValueError, "games must be"),
        (("random", "random", 2**40), {}, ValueError, "games must be"),
        (("random", "random", 1.5), {}, TypeError, "games must be"),
        (("random", "random", 5), {"start": 3}, TypeError, "position must be"),
        (("random", "random", 5), {"seed": -1}, ValueError, "seed"),
        (("random", "random", 5), {"threads": 0}, ValueError, "threads"),
        (("random", "random", 5), {"progress": 3}, TypeError, "progress"),
    ],
)
def test_bad_arguments(arguments, options, error, text):
    with pytest.raises(error, match=text):
        mbx.match(*arguments, **options)


def test_a_finished_start_is_refused():
    with pytest.raises(mbx.GameOverError):
        mbx.match("random", "random", 5, start=MARUBATSU.from_text("ooo/xx./..."))


def test_the_start_may_be_of_any_kind():
    mb = ReaderMarubatsu(KINDS[0], [(0, 0)])
    result = mbx.match("random", "random", 10, start=only(mb), seed=1)
    assert result.start == MARUBATSU.position([0]) and mb.move_count == 1


# -- the result


def wilson(count: int, n: int) -> tuple[float, float]:
    """The p with |count / n - p| <= 1.96 sqrt(p (1 - p) / n): roots of a quadratic."""
    share, z = count / n, 1.96
    roots = np.roots([1 + z**2 / n, -(2 * share + z**2 / n), share**2])
    return tuple(sorted(np.clip(roots.real, 0, 1).tolist()))


def test_intervals_and_scores():
    result = mbx.match("perfect", "random", 500, seed=1)
    for row in range(2):
        for column in range(3):
            interval = wilson(int(result.counts[row, column]), 500)
            assert result.intervals[row, column].tolist() == pytest.approx(interval, abs=1e-7)
    (w1, _, d1), (w2, _, d2) = result.counts.tolist()
    assert result.score == pytest.approx((w1 + w2 + (d1 + d2) / 2) / 1000)
    low, high = result.score_interval
    assert 0 <= low < result.score < high <= 1
    draws = mbx.match("perfect", "perfect", 100, seed=1)
    low, high = draws.score_interval
    assert draws.score == 0.5 and 0 < high - 0.5 == pytest.approx(0.5 - low)


def test_intervals_hold_the_truth_as_often_as_they_say():
    inside, score_inside = [], []
    for seed in range(200):
        result = mbx.match("random", "random", 60, seed=seed)
        low, high = result.intervals[..., 0], result.intervals[..., 1]
        inside.append((low <= result.exact) & (result.exact <= high))
        score_inside.append(
            result.score_interval[0] <= result.exact_score <= result.score_interval[1]
        )
    assert np.mean(inside) > 0.92 and np.mean(inside, axis=0).min() > 0.88
    assert 0.9 < np.mean(score_inside) < 0.99


def test_texts():
    result = mbx.match("perfect", "random", 200, seed=1)
    lines = str(result).splitlines()
    assert lines[0].startswith("perfect against random, 2 × 200 games") and "exactly" in lines[-1]
    assert len(lines) == 2 + 1 + 6 + 2 and len({len(line) for line in lines[2:9]}) == 1
    assert "<table" in result._repr_html_() and "perfect" in repr(result)
    twin = pickle.loads(pickle.dumps(result))
    assert np.array_equal(twin.counts, result.counts) and twin.seconds > 0


def test_the_plot_uses_the_axes_that_it_is_given():
    figure_module = pytest.importorskip("matplotlib.figure")
    ax = figure_module.Figure().subplots()
    assert mbx.match("random", "random", 20, seed=1).plot(ax) is ax and len(ax.patches) == 6

"""The article's AIs and ai_match: what they return and print, for mbx's objects and readers'."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest
from article_boards import KINDS, ReaderMarubatsu, only
from test_match import within

import mbx

AIS = [mbx.ai_random, mbx.ai_perfect, mbx.ai_pmc]


def ai_first(mb):
    return mb.calc_legal_moves()[0]


def ai_any(mb):
    return random.choice(mb.calc_legal_moves())


def ai_nth(mb, n, /):
    raise AssertionError("never called with keyword arguments")


def played(moves=(), **options) -> mbx.Marubatsu:
    mb = mbx.Marubatsu(**options)
    for move in moves:
        mb.move(move)
    return mb


# -- the AIs


@pytest.mark.parametrize("ai", AIS)
def test_they_play_games(ai):
    mb = mbx.Marubatsu()
    status = mb.play(ai=[ai, ai], verbose=False)
    assert status == mb.status != mb.PLAYING
    large = played(board_size=5)
    if ai is not mbx.ai_perfect:
        assert ai(large) in large.calc_legal_moves()


def test_ai_perfect_on_larger_boards():
    mb = played([(1, 1), (0, 0)], board_size=4)
    assert mbx.ai_perfect(mb) in mb.calc_legal_moves()
    near_end = played([(0, 0), (1, 1), (0, 1), (2, 2), (0, 2), (3, 1)], board_size=4)
    assert mbx.ai_perfect(near_end) == (0, 3)


@pytest.mark.parametrize("ai", AIS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_objects_of_the_article(ai, kind):
    mb = ReaderMarubatsu(kind, [(1, 1), (0, 0), (2, 0)])
    before = copy.deepcopy(vars(mb) | {"board": mb.board.marks})
    move = ai(only(mb), seed=1)
    assert move in mb.calc_legal_moves() and move == ai(only(mb), seed=1)
    assert vars(mb) | {"board": mb.board.marks} == before
    if ai is not mbx.ai_random:
        assert move == kind.encode(0, 2, 3)


@pytest.mark.parametrize("ai", AIS)
def test_a_position_has_moves_of_its_own(ai):
    position = mbx.games.CONNECT_FOUR.position("14131125")
    assert ai(position) in position.legal_moves


@pytest.mark.parametrize("ai", AIS)
def test_a_finished_game_is_refused(ai):
    with pytest.raises(mbx.GameOverError):
        ai(played([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]))
    over = ReaderMarubatsu(KINDS[1], [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)])
    with pytest.raises(mbx.GameOverError):
        ai(over)
    with pytest.raises(TypeError):
        ai(None)


@pytest.mark.parametrize("criterion", ["win", "score"])
@pytest.mark.parametrize("kind", KINDS[::4], ids=str)
def test_the_analysis(kind, criterion):
    mb = ReaderMarubatsu(kind, [(1, 1), (0, 0)])
    found = mbx.ai_pmc(only(mb), 3_000, analyze=True, seed=4, criterion=criterion)
    assert list(found) == ["candidate", "ratio_by_move", "score_by_move", "playout num"]
    assert found["playout num"] == 3_000 and type(found["playout num"]) is int
    table = mbx.playout(only(mb), 3_000, seed=4)["result"]
    assert list(found["ratio_by_move"]) == list(found["score_by_move"]) == mb.calc_legal_moves()
    for move, counts in table.items():
        n = sum(counts.values())
        win, draw = counts[mb.turn] / n, counts[mb.DRAW] / n
        assert found["ratio_by_move"][move] == (win, draw)
        assert found["score_by_move"][move] == pytest.approx(win + draw / 2)
        assert type(found["ratio_by_move"][move][0]) is type(found["score_by_move"][move]) is float
    ratios = found["score_by_move" if criterion == "score" else "ratio_by_move"]
    assert found["candidate"] == [m for m in ratios if ratios[m] == max(ratios.values())]
    assert mbx.ai_pmc(only(mb), 3_000, seed=4, criterion=criterion) in found["candidate"]


def test_ai_pmc_takes_a_time_limit():
    found = mbx.ai_pmc(mbx.Marubatsu(), 2**40, 0.2, True)
    assert 0 < found["playout num"] < 2**40 and found["candidate"] == [(1, 1)]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((0,), {}, ValueError, "pnum must be"),
        (("9",), {}, TypeError, "pnum must be"),
        ((9, 0), {}, ValueError, "timelimit"),
        ((9,), {"criterion": "x"}, ValueError, "criterion"),
        ((9,), {"seed": -1}, ValueError, "seed"),
    ],
)
def test_bad_arguments_of_ai_pmc(arguments, options, error, text):
    with pytest.raises(error, match=text):
        mbx.ai_pmc(mbx.Marubatsu(), *arguments, **options)


# -- ai_match


def test_what_it_prints(capsys):
    table = mbx.ai_match(ai=[ai_first, ai_first], params=[{}, {}], match_num=12)
    assert capsys.readouterr().out == (
        "ai_first VS ai_first\n"
        "count     win    lose    draw\n"
        "o          12       0       0\n"
        "x           0      12       0\n"
        "total      12      12       0\n"
        "\n"
        "ratio     win    lose    draw\n"
        "o      100.0%    0.0%    0.0%\n"
        "x        0.0%  100.0%    0.0%\n"
        "total   50.0%   50.0%    0.0%\n"
        "\n"
    )
    assert table == {
        "count": {
            "o": {"win": 12, "lose": 0, "draw": 0},
            "x": {"win": 0, "lose": 12, "draw": 0},
            "total": {"win": 12, "lose": 12, "draw": 0},
        },
        "ratio": {
            "o": {"win": 1.0, "lose": 0.0, "draw": 0.0},
            "x": {"win": 0.0, "lose": 1.0, "draw": 0.0},
            "total": {"win": 0.5, "lose": 0.5, "draw": 0.0},
        },
    }
    assert type(table["count"]["o"]["win"]) is int
    assert table._ipython_display_() is None and capsys.readouterr().out == ""


def test_wide_tables(capsys):
    mbx.ai_match([mbx.ai_random, mbx.ai_random], match_num=1)
    assert {len(line) for line in capsys.readouterr().out.splitlines()[1:]} == {0, 29}
    mbx.ai_match([mbx.RandomPlayer(), mbx.PerfectPlayer()], match_num=1)
    assert capsys.readouterr().out.startswith("random VS perfect\n")


def counts_of(table) -> np.ndarray:
    return np.array([list(row.values()) for row in table["count"].values()])[:2]


def test_ai_pmc_as_first_never_loses_to_perfect_play(capsys):
    table = mbx.ai_match([mbx.ai_pmc, mbx.ai_perfect], [{"pnum": 10_000}, {}], 300, seed=1)
    assert table["count"]["o"] == {"win": 0, "lose": 0, "draw": 300}
    lost = table["count"]["x"]["lose"] / 300
    assert abs(lost - 53 / 63) < 0.1 and table["count"]["x"]["win"] == 0


def test_mbx_s_own_play_as_players_do(capsys):
    a = mbx.ai_match([mbx.ai_pmc, mbx.ai_random], [{"pnum": 50}, {}], 200, seed=3)
    b = mbx.match(mbx.PmcPlayer(50), "random", 200, seed=3)
    assert np.array_equal(counts_of(a), b.counts)
    c = mbx.ai_match([mbx.PmcPlayer(50), mbx.ai_random], match_num=200, seed=3)
    assert c == a
    params = [{"pnum": 50, "criterion": "score"}, {}]
    score = mbx.ai_match([mbx.ai_pmc, mbx.ai_random], params, 200, seed=3)
    d = mbx.match(mbx.PmcPlayer(50, "score"), "random", 200, seed=3)
    assert np.array_equal(counts_of(score), d.counts)
    usual = mbx.ai_match([mbx.ai_random, mbx.ai_pmc], match_num=100, seed=3)
    e = mbx.match("random", mbx.PmcPlayer(10_000), 100, seed=3)
    assert np.array_equal(counts_of(usual), e.counts)


def test_own_ais_with_other_params_are_called(capsys):
    """A seed is the same for every move then; a time limit needs the clock."""
    params = [{"pnum": 50, "seed": 1}, {"timelimit": 1, "pnum": 20}]
    table = mbx.ai_match([mbx.ai_pmc, mbx.ai_pmc], params, 3)
    assert counts_of(table).sum() == 6
    with pytest.raises(TypeError, match="unexpected keyword"):
        mbx.ai_match([mbx.ai_random, mbx.ai_pmc], [{}, {"playouts": 3}], 3)
    with pytest.raises(ValueError, match="pnum must be"):
        mbx.ai_match([mbx.ai_random, mbx.ai_pmc], [{}, {"pnum": 0}], 3)
    with pytest.raises(TypeError, match="ai_pmc gave the move"):
        mbx.ai_match([mbx.ai_pmc, mbx.ai_random], [{"pnum": 50, "analyze": True}, {}], 3)


def test_callables_against_exact_chances(capsys):
    n = 2_000
    exact = mbx.match("random", "random", 1).exact
    for ai in ([ai_any, ai_any], [ai_any, mbx.ai_random]):
        assert within(counts_of(mbx.ai_match(ai, match_num=n, seed=2)), exact)
    exact = mbx.match("random", "perfect", 1).exact
    assert within(counts_of(mbx.ai_match([ai_any, mbx.ai_perfect], match_num=n, seed=2)), exact)


def test_a_seed_repeats_the_match(capsys):
    random.seed(8)
    before = random.getstate()
    first, again, other = (
        mbx.ai_match([ai_any, mbx.ai_random], match_num=100, seed=seed) for seed in (5, 5, 6)
    )
    assert first == again != other and random.getstate() == before


def test_an_ai_gets_an_object_of_its_own(capsys):
    seen = []

    def rude(mb, move_on):
        seen.append((mb.move_count, mb.turn, list(mb.records), str(mb)))
        move = mb.calc_legal_moves()[-1]
        if move_on:
            while mb.status == mb.PLAYING:
                mb.move(mb.calc_legal_moves()[0])
            mb.restart()
            mb.change_step(3)
        return move

    tables, logs = [], []
    for move_on in (False, True):
        seen.clear()
        tables.append(mbx.ai_match([rude, ai_first], [{"move_on": move_on}, {}], match_num=20))
        logs.append(list(seen))
    assert tables[0] == tables[1] and logs[0] == logs[1]
    count, turn, records, text = logs[0][1]
    assert turn == count % 2 and len(records) == count + 1 and text.startswith("Turn ")
    assert {log[0] for log in logs[0]} >= {0, 1, 2}


@pytest.mark.parametrize("where", [0, 1])
@pytest.mark.parametrize("wrong", [None, 3, "ai_random", mbx.Marubatsu()])
def test_what_is_no_ai(wrong, where):
    ai = [ai_first, ai_first]
    ai[where] = wrong
    with pytest.raises(TypeError, match="ai must hold"):
        mbx.ai_match(ai, match_num=3)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"ai": [ai_first]}, TypeError, "ai must hold two"),
        ({"ai": ai_first}, TypeError, "ai must hold two"),
        ({"params": [{}]}, TypeError, "params must hold two"),
        ({"params": [{}, None]}, TypeError, "params must hold dicts"),
        ({"match_num": 0}, ValueError, "match_num must be"),
        ({"match_num": 2.0}, TypeError, "match_num must be"),
        ({"seed": -1}, ValueError, "seed"),
    ],
)
def test_bad_arguments(options, error, text, capsys):
    with pytest.raises(error, match=text):
        mbx.ai_match(**({"ai": [ai_first, ai_first]} | options))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((0, 0), mbx.IllegalMoveError),
        ((3, 0), mbx.IllegalMoveError),
        ((-1, 0), mbx.IllegalMoveError),
        (None, TypeError),
        (4, TypeError),
        ("00", TypeError),
        ((0.0, 1), TypeError),
    ],
)
def test_illegal_moves_are_named(answer, error, capsys):
    def stubborn(mb):
        return answer if mb.move_count else mb.calc_legal_moves()[0]

    with pytest.raises(error, match="stubborn gave the move") as caught:
        mbx.ai_match([ai_first, stubborn], match_num=3)
    assert repr(answer) in str(caught.value)


def test_callables_of_any_sort(capsys):
    class Unhashable:
        __hash__ = None

        def __call__(self, mb):
            return mb.calc_legal_moves()[0]

    mbx.ai_match([Unhashable(), lambda mb: mb.calc_legal_moves()[0]], match_num=2)
    assert capsys.readouterr().out.startswith("Unhashable VS <lambda>\n")
    with pytest.raises(TypeError, match="positional"):
        mbx.ai_match([ai_first, ai_nth], [{}, {"n": 3}], match_num=2)

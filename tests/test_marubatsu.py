"""mbx.Marubatsu: the article's class over a Position."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import pytest
import reference as ref
from reference import Rules

import mbx
from mbx import Marubatsu


def played(moves, size: int = 3) -> Marubatsu:
    mb = Marubatsu(board_size=size)
    for move in moves:
        mb.move(move)
    return mb


def shown(mb) -> tuple:
    """Everything that a Marubatsu shows."""
    return (
        mb.turn,
        mb.last_turn,
        mb.status,
        mb.move_count,
        mb.last_move,
        list(mb.records),
        mb.calc_legal_moves(),
        mb.board_to_str(),
        mb.board_to_hashable(),
        str(mb),
        mb.position.key,
    )


def test_constants():
    mb = Marubatsu()
    for owner in (Marubatsu, mb):
        assert (owner.CIRCLE, owner.CROSS, owner.EMPTY) == (0, 1, -1)
        assert (owner.DRAW, owner.PLAYING) == ("draw", "playing")
    assert mb.BOARD_SIZE == 3
    assert mb.board.MARK_TABLE == {-1: ".", 0: "o", 1: "x", "draw": "draw"}


def test_the_start():
    mb = Marubatsu()
    assert (mb.turn, mb.status, mb.move_count) == (0, "playing", 0)
    assert list(mb.records) == [(0, 0)]
    assert str(mb) == "Turn o\n...\n...\n...\n"
    assert mb.calc_legal_moves() == list(itertools.product(range(3), range(3)))
    assert mb.position == mbx.games.MARUBATSU.start()


def test_x_is_the_column_and_y_the_row():
    mb = played([(2, 0)])
    assert str(mb) == "Turn x\n..O\n...\n...\n"
    assert mb.board_to_str() == "......o.."
    assert mb.position.to_array()[0, 2] == 0
    assert mb.board.getmark(2, 0) == 0 and mb.board.getmark(0, 2) == -1
    assert (mb.turn, mb.last_turn, mb.last_move, mb.move_count) == (1, 0, (2, 0), 1)
    assert list(mb.records) == [(0, 0), (2, 0)]
    for x, y in itertools.product(range(3), range(3)):
        assert mb.board.move_to_xy((x, y)) == (x, y) == mb.board.xy_to_move(x, y)


@pytest.mark.parametrize(
    "moves, header",
    [
        ([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)], "winner o"),
        ([(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (1, 2)], "winner x"),
        (
            [(0, 0), (1, 1), (2, 2), (1, 0), (1, 2), (0, 2), (2, 0), (2, 1), (0, 1)],
            "winner draw",
        ),
    ],
)
def test_ends(moves, header):
    mb = played(moves)
    assert str(mb).splitlines()[0] == header
    assert mb.status == mb.judge() == {"o": 0, "x": 1, "draw": "draw"}[header.split()[1]]
    assert mb.calc_legal_moves() == []
    before = shown(mb)
    with pytest.raises(mbx.IllegalMoveError):
        mb.move((2, 1))
    assert shown(mb) == before


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_random_games_and_back(size):
    rules, rng = Rules((size, size), size), random.Random(size)
    for _ in range(10):
        mb, board, history, moves = Marubatsu(board_size=size), rules.start, [], []
        while mb.status == "playing":
            legal = [divmod(i, size) for i in range(size * size)]
            legal = [(x, y) for x, y in legal if board[x + size * y] == -1]
            assert mb.calc_legal_moves() == legal
            history.append(shown(mb))
            moves.append(rng.choice(legal))
            board = ref.play(rules, board, moves[-1][0] + size * moves[-1][1])
            mb.move(moves[-1])
            assert mb.board_to_str() == "".join(
                "ox."[board[x + size * y]] for x in range(size) for y in range(size)
            )
            assert list(mb.records) == [(0, 0), *moves] and mb.move_count == len(moves)
            status = ref.status(rules, board)
            assert mb.status == mb.judge() == (0, 1, "draw", "playing")[status]
        assert size != 3 or len(moves) >= 5
        for before in reversed(history):
            mb.unmove()
            assert shown(mb)[:5] == before[:5] and shown(mb)[6:] == before[6:]
        mb.unmove()
        assert mb.move_count == 0 and str(mb) == str(Marubatsu(board_size=size))


def test_board_to_hashable_tells_boards_apart():
    assert (
        played([(0, 0), (1, 1), (2, 2)]).board_to_hashable()
        == played([(2, 2), (1, 1), (0, 0)]).board_to_hashable()
    )
    boards = {played([(x, y)]).board_to_hashable() for x in range(3) for y in range(3)}
    assert len(boards) == 9


def test_change_step_keeps_the_records():
    moves = [(0, 0), (1, 1), (2, 2), (0, 2)]
    mb = played(moves)
    for step, ply in ((2, 2), (4, 4), (0, 0), (99, 4), (-5, 0), (3, 3)):
        mb.change_step(step)
        assert mb.move_count == ply and list(mb.records) == [(0, 0), *moves]
        twin = played(moves[:ply])
        assert (mb.turn, mb.status, str(mb)) == (twin.turn, twin.status, str(twin))
        assert mb.position == twin.position
        assert (mb.last_move, mb.last_turn) == (twin.last_move, twin.last_turn)


def test_a_move_after_going_back_drops_what_followed():
    mb = played([(0, 0), (1, 1), (2, 2), (0, 2)])
    mb.change_step(1)
    mb.move((2, 1))
    assert list(mb.records) == [(0, 0), (0, 0), (2, 1)]
    mb.change_step(99)
    assert mb.move_count == 2


def test_restart():
    mb = played([(0, 0), (1, 1)], size=4)
    mb.restart()
    assert shown(mb) == shown(Marubatsu(board_size=4))


@pytest.mark.parametrize("move", [(1, 1), (3, 0), (0, 3), (-1, 0), (2**63, 0), (10**30, 1)])
def test_illegal_moves(move):
    mb = played([(1, 1)])
    before = shown(mb)
    with pytest.raises(mbx.IllegalMoveError):
        mb.move(move)
    assert shown(mb) == before


@pytest.mark.parametrize("move", ["11", None, 4, 1.5, (1.0, 1), ("1", "1"), (None, 0)])
def test_moves_of_wrong_type(move):
    mb = Marubatsu()
    before = shown(mb)
    with pytest.raises((TypeError, mbx.IllegalMoveError)):
        mb.move(move)
    assert shown(mb) == before


@pytest.mark.parametrize("x, y", [(2, 1), ("2", "1"), (" 2", "1 ")])
def test_cmove_takes_numbers_and_their_strings(capsys, x, y):
    mb = Marubatsu()
    mb.cmove(x, y)
    assert mb.last_move == (2, 1) and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "x, y", [(1, 1), ("1", "1"), (3, 0), ("0", "-1"), ("a", 0), ("", "1"), ("1.5", 0)]
)
def test_cmove_prints_what_is_wrong_and_does_not_play(capsys, x, y):
    mb = played([(1, 1)])
    before = shown(mb)
    mb.cmove(x, y)
    assert shown(mb) == before and capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    "twin", [copy.deepcopy, lambda mb: pickle.loads(pickle.dumps(mb))], ids=["deepcopy", "pickle"]
)
def test_copies_are_independent(twin):
    mb = played([(0, 0), (1, 1), (2, 2), (0, 2)])
    mb.change_step(2)
    other = twin(mb)
    assert shown(other) == shown(mb) and type(other) is Marubatsu
    before = shown(mb)
    other.change_step(99)
    other.move((2, 0))
    assert shown(mb) == before and other.move_count == 5


@pytest.mark.parametrize(
    "size, error",
    [
        (0, ValueError),
        (-1, ValueError),
        (16, ValueError),
        ("3", TypeError),
        (3.0, TypeError),
        (None, TypeError),
    ],
)
def test_impossible_board_sizes(size, error):
    with pytest.raises(error):
        Marubatsu(board_size=size)


# -- play


def first_legal(mb):
    return mb.calc_legal_moves()[0]


def nth_legal(mb, n):
    return mb.calc_legal_moves()[n % len(mb.calc_legal_moves())]


def test_play_returns_the_status(capsys):
    mb = Marubatsu()
    status = mb.play(ai=[first_legal, nth_legal], params=[{}, {"n": -1}], verbose=False, seed=1)
    assert capsys.readouterr().out == ""
    twin = Marubatsu()
    while twin.status == "playing":
        twin.move(first_legal(twin) if twin.turn == 0 else nth_legal(twin, -1))
    assert status == mb.status == twin.status and list(mb.records) == list(twin.records)


def test_play_prints_boards(capsys):
    mb = Marubatsu()
    mb.play(ai=[first_legal, first_legal])
    out = capsys.readouterr().out
    for step in range(mb.move_count + 1):
        mb.change_step(step)
        assert str(mb) in out


def test_play_starts_anew():
    mb = played([(1, 1)])
    mb.play(ai=[first_legal, first_legal], verbose=False)
    assert mb.records[1] == (0, 0)


def test_an_ai_gets_an_object_of_its_own():
    def rude(mb):
        move = mb.calc_legal_moves()[-1]
        mb.restart()
        return move

    mb = Marubatsu()
    mb.play(ai=[rude, rude], verbose=False)
    assert mb.status != "playing" and mb.records[1] == (2, 2)


@pytest.mark.parametrize("answer", [None, -1, (9, 9), "1,1"])
def test_an_ai_that_makes_no_legal_move_raises(answer):
    with pytest.raises((TypeError, ValueError)):
        Marubatsu().play(ai=[lambda mb: answer, first_legal], verbose=False)


def test_a_person_types_x_and_y(monkeypatch, capsys):
    typed = iter(["1,1", "1,1", "5,5", "nonsense", "", "2, 0", "0,2"])
    monkeypatch.setattr("builtins.input", lambda *prompt: next(typed))
    mb = Marubatsu()
    status = mb.play(ai=[None, first_legal])
    assert list(mb.records) == [(0, 0), (1, 1), (0, 0), (2, 0), (0, 1), (0, 2)]
    assert status == mb.status == 0 and next(typed, None) is None

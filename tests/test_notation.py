"""Moves, games and boards as a person reads and writes them."""

from __future__ import annotations

import re

import pytest
from games_to_play import GAMES, random_game

import mbx
from mbx.board_text import draw_board
from mbx.games import BY_NAME
from mbx.notation import move_name, read_game, read_move, write_game

ESCAPES = re.compile(r"\x1b\[[?0-9;]*[a-zA-Z]")


# ---- moves and games as text ---------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_move_is_read_as_it_is_written(name):
    start = GAMES[name].start()
    names = [move_name(start.game, move) for move in range(start.game.n_moves)]
    assert len(set(names)) == len(names)
    assert [read_move(start, text) for text in names] == list(range(start.game.n_moves))


def test_moves_as_a_person_writes_them():
    c4, tic = mbx.games.CONNECT_FOUR.start(), mbx.games.MARUBATSU.start()
    assert [read_move(c4, text) for text in ("1", " 7 ")] == [0, 6]
    assert [read_move(tic, text) for text in ("1,2", "1, 2", " 1 2 ", "7", "07")] == [7] * 5
    assert read_move(mbx.Game((5, 3), 3).start(), "4,1") == 9
    assert read_move(mbx.games.QUBIC.start(), "3,2,1") == 27
    assert read_move(mbx.games.RITTAI_GOMOKU.start(), "3,2") == 13


@pytest.mark.parametrize(
    "game, text, allowed",
    [
        ("connect-four", "0", "column 1 to 7"),
        ("connect-four", "8", "column 1 to 7"),
        ("connect-four", "4,4", "column 1 to 7"),
        ("tic-tac-toe", "9", "0,0 to 2,2"),
        ("tic-tac-toe", "3,0", "0,0 to 2,2"),
        ("tic-tac-toe", "-1", "0,0 to 2,2"),
        ("tic-tac-toe", "1,2,0", "0,0 to 2,2"),
        ("tic-tac-toe", "1,", "0,0 to 2,2"),
        ("tic-tac-toe", "1.0", "0,0 to 2,2"),
        ("tic-tac-toe", "", "0,0 to 2,2"),
        ("tic-tac-toe", "٤", "0,0 to 2,2"),
        ("tic-tac-toe", "9" * 40, "0,0 to 2,2"),
        ("score-four", "0,0,1", "0,0 to 3,3"),
        ("qubic", "0,0", "0,0,0 to 3,3,3"),
    ],
)
def test_what_is_no_move_is_refused_with_what_is_allowed(game, text, allowed):
    with pytest.raises(ValueError, match=allowed):
        read_move(BY_NAME[game].start(), text)


def test_illegal_moves_say_why():
    full = mbx.games.CONNECT_FOUR.position("444444")
    for position, text, reason in [
        (full, "4", "4 is not legal: the column is full"),
        (mbx.games.MARUBATSU.position([4]), "4", "1,1 is not legal: the cell is taken"),
        (mbx.games.MARUBATSU.from_text("ooo/xx./..."), "8", "the game is over"),
    ]:
        before = position.copy()
        with pytest.raises(mbx.IllegalMoveError, match=reason):
            read_move(position, text)
        assert position == before


@pytest.mark.parametrize("name", GAMES)
def test_games_are_read_as_they_are_written(name):
    game = GAMES[name]
    for plies in (0, 1, 2, 7, 255):
        position = random_game(game, plies, plies)
        again = read_game(game, f" {write_game(position)}\n")
        assert again == position and again.moves == position.moves
        if position.status < 0 and position.ply:
            later = game.from_text(str(position))
            later.push(later.legal_moves[-1])
            again = read_game(game, write_game(later))
            assert again == later and again.moves == later.moves
            assert read_game(game, write_game(game.from_text(str(position)))) == position


@pytest.mark.parametrize("text", ["a", "4 4", "0", "4,x", "ox./...", "44444444", "4,4,4,4,4,4,4"])
def test_what_is_no_game_is_refused(text):
    with pytest.raises(ValueError):
        read_game(mbx.games.CONNECT_FOUR, text)


# ---- boards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_drawn_boards(name):
    game = GAMES[name]
    for seed in range(20):
        position = random_game(game, seed)
        for _ in range(3):
            text = draw_board(position)
            lines = text.splitlines()
            assert name == "column" or max(map(len, lines)) <= 80
            assert not any(line.endswith(" ") for line in lines)
            board = position.to_array()
            assert text.count("o") == (board == 0).sum() and text.count("x") == (board == 1).sum()
            assert text.count(".") == (board < 0).sum()
            assert (
                text.count("(")
                == text.count(")")
                == (position.status not in (0, 1) and position.ply > 0)
            )
            assert (text.count("[") > 0) == (position.status in (0, 1))
            assert ESCAPES.sub("", draw_board(position, colour=True)).split() == text.split()
            if position.moves:
                position.pop()


def test_boards_by_eye():
    position = mbx.games.CONNECT_FOUR.position("4343434")
    assert draw_board(position).splitlines()[2:] == [
        "   .  .  . [o] .  .  .",
        "   .  .  x [o] .  .  .",
        "   .  .  x [o] .  .  .",
        "   .  .  x [o] .  .  .",
        "   1  2  3  4  5  6  7",
    ]
    assert draw_board(mbx.games.MARUBATSU.position([0, 4, 1, 5, 2])).splitlines() == [
        "    0  1  2",
        " 0 [o  o  o]",
        " 1  .  x  x",
        " 2  .  .  .",
    ]
    cube = mbx.Game((2, 2, 2), 2).position([0, 6])
    assert draw_board(cube).splitlines() == [
        "    z=0     z=1",
        "    0 1     0 1",
        " 0  o .     . .",
        " 1  . .    (x).",
    ]

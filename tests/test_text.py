"""The text forms: rows, layers, symbols, and strings of columns."""

from __future__ import annotations

import numpy as np
import pytest

import mbx

MARUBATSU = mbx.games.MARUBATSU
CONNECT_FOUR = mbx.games.CONNECT_FOUR


@pytest.mark.parametrize(
    "text",
    ["o.x/.o./..x", "O.X/.O./..X", "o.x\n.o.\n..x", "o.x\n.o.\n..x\n", "o.X/.O.\n..x"],
)
def test_rows_from_the_top(text):
    pos = MARUBATSU.from_text(text)
    assert pos.to_array().tolist() == [[0, -1, 1], [-1, 0, -1], [-1, -1, 1]]


@pytest.mark.parametrize("text", ["X.O/.X./..O", "x.o/.x./..o"])
def test_symbols_name_the_first_side_first(text):
    assert MARUBATSU.from_text(text, symbols="XO") == MARUBATSU.from_text("o.x/.o./..x")
    with pytest.raises(ValueError):
        MARUBATSU.from_text("x../.../...")
    assert MARUBATSU.from_text("x../.../...", symbols="XO").turn == 1


def test_under_gravity_the_last_row_is_the_bottom():
    pos = CONNECT_FOUR.from_text("......./......./......./......./o....../ox....x")
    assert pos.key == CONNECT_FOUR.position([0, 1, 0, 6]).key
    assert pos.to_array()[:2, :2].tolist() == [[0, 1], [0, -1]]
    assert str(pos).splitlines()[-1] == "ox....x"


@pytest.mark.parametrize("text", ["ox/..//.o/..", "ox\n..\n\n.o\n..", "ox\n..\n\n.o\n..\n"])
@pytest.mark.parametrize("gravity", [False, True])
def test_layers_from_the_bottom(text, gravity):
    pos = mbx.Game((2, 2, 2), 3, gravity)
    array = np.full((2, 2, 2), -1)
    array[0, 0, 0], array[0, 0, 1], array[1, 0, 1] = 0, 1, 0
    assert pos.from_text(text) == pos.from_array(array)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        ".../...",
        ".../.../.../...",
        "../../..",
        "..../..../....",
        ".../...//...",
        ".../..",
        "........./",
        "o?./.../...",
        "o1./.../...",
        "〇../.../...",
        "o\x00./.../...",
    ],
)
def test_other_texts_are_value_errors(text):
    with pytest.raises(ValueError):
        MARUBATSU.from_text(text)


@pytest.mark.parametrize("text", [None, 3, b".../.../...", ["...", "...", "..."]])
def test_a_text_is_a_string(text):
    with pytest.raises(TypeError):
        MARUBATSU.from_text(text)


@pytest.mark.parametrize("symbols", ["", "o", "oxo", "oo", "oO", "o.", "o/", "o\n"])
def test_symbols_are_two_different_marks(symbols):
    with pytest.raises(ValueError, match="symbols"):
        MARUBATSU.from_text(".../.../...", symbols=symbols)


def test_strings_of_columns():
    assert CONNECT_FOUR.position("4455") == CONNECT_FOUR.position([3, 3, 4, 4])
    assert CONNECT_FOUR.position("") == CONNECT_FOUR.start()
    pos = CONNECT_FOUR.position("4343434")
    assert (pos.ply, pos.status) == (7, 0)


def test_a_win_on_a_board_near_the_word_size():
    game = mbx.Game((7, 8), 4, True)
    pos = game.position("44444442222222655656666646552711111137735771")
    assert pos.status == -1
    mover = pos.turn
    pos.push(4)
    assert pos.status == mover


@pytest.mark.parametrize(
    "moves", ["0", "8", "48", "a", "4 4", "４", "4,4", "-1", "4444444", "43434341"]
)
def test_other_strings_of_columns_are_value_errors(moves):
    with pytest.raises(ValueError):
        CONNECT_FOUR.position(moves)


@pytest.mark.parametrize("game", [MARUBATSU, mbx.games.QUBIC, mbx.games.SCORE_FOUR], ids=repr)
def test_strings_of_columns_are_for_flat_gravity_games(game):
    with pytest.raises((TypeError, ValueError)):
        game.position("11")


@pytest.mark.parametrize("space", [" ", "\t", "\u3000"])
def test_a_space_is_no_mark(space):
    with pytest.raises(ValueError, match="text must be made of"):
        mbx.games.MARUBATSU.from_text(f"o{space}x/.../...")

"""Moves and games as a person writes them.

A move, as it is typed at a prompt and printed beside a board:

    flat board with gravity    the column, counted from 1
    solid board with gravity   the column as x,y counted from 0, or its number x + X*y
    without gravity            the cell as x,y or x,y,z counted from 0, or its number

A game, as the option --moves takes it: the numbers of the moves from 0 with commas between, or on a
flat board with gravity the columns from 1 without ("4455").  Of a game that did not begin with the
empty board, that board stands in front: "ox./.../... 4,8".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .errors import IllegalMoveError

if TYPE_CHECKING:
    from .game import Game
    from .position import Position


def has_columns(game: Game) -> bool:
    """Is it a flat board with gravity, whose moves are columns from 1?"""
    return game.gravity and len(game.shape) == 2


def _axes(game: Game) -> tuple[int, ...]:
    """The lengths of the axes that a move has coordinates on."""
    return game.shape[:-1] if game.gravity else game.shape


def move_name(game: Game, move: int) -> str:
    """A move as a person writes it.

    >>> from mbx import games
    >>> move_name(games.CONNECT_FOUR, 3), move_name(games.QUBIC, 27)
    ('4', '3,2,1')
    """
    if has_columns(game):
        return str(move + 1)
    coordinates = []
    for length in _axes(game):
        move, coordinate = divmod(move, length)
        coordinates.append(str(coordinate))
    return ",".join(coordinates)


def move_form(game: Game) -> str:
    """How moves are written, for a prompt.

    >>> from mbx import games
    >>> move_form(games.CONNECT_FOUR), move_form(games.SCORE_FOUR)
    ('column 1 to 7', 'x,y from 0,0 to 3,3')
    """
    if has_columns(game):
        return f"column 1 to {game.n_moves}"
    axes = _axes(game)
    first, last = (move_name(game, move) for move in (0, game.n_moves - 1))
    return f"{'x,y,z'[: 2 * len(axes) - 1]} from {first} to {last}"


def read_move(position: Position, text: str) -> int:
    """The move that a person wrote; ValueError if it is none, IllegalMoveError if it is not legal.

    >>> from mbx import games
    >>> read_move(games.MARUBATSU.start(), "1,2"), read_move(games.MARUBATSU.start(), "7")
    (7, 7)
    """
    game = position.game
    axes = _axes(game)
    words = re.split(r"\s*,\s*|\s+", text.strip())
    if len(words) not in (1, len(axes)) or not all(re.fullmatch(r"[0-9]{1,9}", w) for w in words):
        raise ValueError(f"a move is {move_form(game)}, not {text.strip()!r}")
    numbers = [int(word) - has_columns(game) for word in words]
    lengths = axes if len(numbers) > 1 else (game.n_moves,)
    if not all(0 <= n < length for n, length in zip(numbers, lengths, strict=True)):
        raise IllegalMoveError(f"{text.strip()} is off the board: {move_form(game)}")
    move = 0
    for number, length in zip(reversed(numbers), reversed(lengths), strict=True):
        move = move * length + number
    if move not in position.legal_moves:
        full = "the column is full" if game.gravity else "the cell is taken"
        reason = full if position.status < 0 else "the game is over"
        raise IllegalMoveError(f"{move_name(game, move)} is not legal: {reason}")
    return move


def write_game(position: Position) -> str:
    """The moves that led to a position, behind the board that they began with if it had stones.

    >>> from mbx import games
    >>> write_game(games.CONNECT_FOUR.position([3, 3, 4])), write_game(games.QUBIC.position([9, 1]))
    ('445', '9,1')
    """
    game, moves = position.game, position.moves
    if has_columns(game) and game.n_moves < 10:
        text = "".join(str(move + 1) for move in moves)
    else:  # the last comma tells numbers from columns
        text = ",".join(map(str, moves)) + "," * has_columns(game)
    start = position.copy()
    for _ in moves:
        start.pop()
    board = str(start).replace("\n", "/") if start.ply else ""
    return f"{board} {text}".strip()


def read_game(game: Game, text: str) -> Position:
    """The position after a game; ValueError if it is none, IllegalMoveError for an illegal move.

    >>> from mbx import games
    >>> read_game(games.MARUBATSU, "ox./.../... 4, 8").moves
    [4, 8]
    """
    board, _, moves = text.strip().partition(" ")
    if not set(board.lower()) & set(".ox"):
        board, moves = "", text.strip()
    position = game.from_text(board) if board else game.start()
    for move in _read_moves(game, moves):
        position.push(move)
    return position


def _read_moves(game: Game, text: str) -> list[int]:
    if has_columns(game) and "," not in text:
        if not re.fullmatch("[1-9]*", text):
            raise ValueError(f"moves must be digits, the columns from 1, not {text!r}")
        return [int(mark) - 1 for mark in text]
    try:
        return [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        raise ValueError(f"moves must be numbers separated by commas, not {text!r}") from None

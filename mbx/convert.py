"""Whatever a caller passes as a position, read into mbx's terms: the one place that does this.

Three kinds are taken: a `Position`, an `mbx.Marubatsu`, and an object of the article's own classes.
Those classes come with moves that are tuples, ints or bit masks and with marks that are strings or
numbers, so only the names in `NAMES` are used of them, and nothing is assumed about their values.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter, index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .marubatsu import Marubatsu, article_moves, square_game
from .position import Position

NAMES = (
    "BOARD_SIZE",
    "CIRCLE",
    "CROSS",
    "DRAW",
    "PLAYING",
    "turn",
    "status",
    "calc_legal_moves",
    "board.getmark",
    "board.move_to_xy",
)


class Source(NamedTuple):
    """A caller's position in mbx's terms.

    Of an array with a row for each of `position.legal_moves`, row `rows[i]` is that of `moves[i]`.
    """

    position: Position  # a private copy, never the caller's object
    moves: list[Any]  # the caller's own legal moves, in the caller's order; [] when finished
    rows: list[int]  # for each of them, its index in position.legal_moves
    marks: tuple[Any, Any, Any]  # the caller's CIRCLE, CROSS, DRAW; (0, 1, 2) for a Position


def read_source(obj: Any) -> Source:
    """Read a position of any kind; the object is left as it is.

    TypeError if `obj` is no position, naming what it lacks; ValueError if its turn, status or legal
    moves contradict its board, or if play cannot reach that board.
    """
    if isinstance(obj, Position):
        moves = obj.legal_moves.tolist()
        return Source(obj.copy(), moves, list(range(len(moves))), (0, 1, 2))
    if isinstance(obj, Marubatsu):
        position = obj.position.copy()
        xys, rows = article_moves(obj.BOARD_SIZE, position.legal_moves.tobytes())
        return Source(position, list(xys), list(rows), (obj.CIRCLE, obj.CROSS, obj.DRAW))
    _check_names(obj)
    return _read_article_object(obj)


def as_position(obj: Any) -> Position:
    """A private `Position` equal to the one that `obj` stands for; errors as `read_source`."""
    return obj.copy() if isinstance(obj, Position) else read_source(obj).position


def read_moves(obj: Any) -> tuple[Position, NDArray[np.int32]]:
    """A private `Position`, and its legal moves in the order of `obj`; errors as `read_source`."""
    if isinstance(obj, Position):
        return obj.copy(), obj.legal_moves
    position, _, rows, _ = read_source(obj)
    return position, position.legal_moves[rows]


def read_batch(items: Iterable[Any]) -> list[Position]:
    """The positions that some objects stand for: a `Position` itself, of any other a private one.

    Errors as `read_source`; ValueError unless there is at least one and all are of one game.
    """
    positions = [each if isinstance(each, Position) else as_position(each) for each in items]
    if not positions:
        raise ValueError("pos must hold at least one position, not []")
    game = positions[0].game
    others = [each.game for each in positions if each.game is not game]
    if any(other != game for other in others):
        raise ValueError("the positions in pos must all be of one game")
    return positions


def _check_names(obj: Any) -> None:
    """TypeError unless `obj` is an object that has all of NAMES."""
    lacks = [name for name in NAMES if not _has(obj, name)]
    if isinstance(obj, type):
        what = f"the class {obj.__name__} itself"
    elif lacks:
        what = f"an object of type {type(obj).__name__}, which has no {', '.join(lacks)}"
    else:
        return
    raise TypeError(
        "the position must be an mbx.Position (of an array: game.from_array(a)), an mbx.Marubatsu "
        f"or an object of the article's Marubatsu class, not {what}"
    )


def _has(obj: Any, name: str) -> bool:
    try:
        attrgetter(name)(obj)
    except AttributeError:
        return False
    return True


def _read_article_object(obj: Any) -> Source:
    marks = (obj.CIRCLE, obj.CROSS, obj.DRAW)
    if len({*marks, obj.PLAYING}) < 4:
        raise ValueError(f"CIRCLE, CROSS, DRAW and PLAYING must differ: {(*marks, obj.PLAYING)!r}")
    position = _read_board(obj)
    status = obj.PLAYING if position.status == -1 else marks[position.status]
    if obj.status != status:
        raise ValueError(f"status is {obj.status!r}, but the board says {status!r}")
    if position.status != -1:
        return Source(position, [], [], marks)
    if obj.turn != marks[position.turn]:
        raise ValueError(f"turn is {obj.turn!r}, but the board says {marks[position.turn]!r}")
    moves = list(obj.calc_legal_moves())
    return Source(position, moves, _read_rows(obj, moves, position), marks)


def _read_board(obj: Any) -> Position:
    """The position of the marks on the board: what is neither CIRCLE nor CROSS is empty."""
    size = index(obj.BOARD_SIZE)
    game = square_game(size)
    marks = [[obj.board.getmark(x, y) for x in range(size)] for y in range(size)]
    values = {obj.CIRCLE: 0, obj.CROSS: 1}
    others = {mark for row in marks for mark in row} - values.keys()
    if len(others) > 1:
        raise ValueError(f"the board has more than one mark for empty cells: {others!r}")
    array = np.array([[values.get(mark, -1) for mark in row] for row in marks], dtype=np.int8)
    return game.from_array(array)


def _read_rows(obj: Any, moves: list[Any], position: Position) -> list[int]:
    """The row of each of the caller's moves; ValueError unless they are the empty cells, once."""
    size = obj.BOARD_SIZE
    xys = [tuple(obj.board.move_to_xy(move)) for move in moves]
    legal = position.legal_moves.tolist()
    row_of = {(cell % size, cell // size): row for row, cell in enumerate(legal)}
    if len(xys) != len(row_of) or set(xys) != row_of.keys():
        raise ValueError(f"calc_legal_moves() gives {xys}, but the empty cells are {list(row_of)}")
    return [row_of[xy] for xy in xys]

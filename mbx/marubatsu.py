"""The article's game object: a `Position` that prints, moves and replays as the article's does.

A `Marubatsu` keeps two things: a `Position`, which is the truth about the board, and the game that
`change_step` walks along. Everything else is read off them when asked for.

Moves are tuples (x, y), x the column and y the row, both from 0; lists of moves and of marks have x
vary slowest: (0, 0), (0, 1), (0, 2), (1, 0), … The cell of (x, y) is x + size * y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from operator import index
from typing import Any, ClassVar, TypeAlias

import numpy as np

from .errors import IllegalMoveError
from .game import Game
from .position import Position
from .seeds import Seed, seed_key

Move: TypeAlias = tuple[int, int]
Mark: TypeAlias = int | str
AI: TypeAlias = Callable[..., Move]

MAX_SIZE = 15


@lru_cache
def square_game(size: int) -> Game:
    """The article's game on `size` by `size` cells: `size` in a row win.

    ValueError if `size` is not from 1 to 15.
    """
    if not 1 <= size <= MAX_SIZE:
        raise ValueError(f"board_size must be from 1 to {MAX_SIZE}, not {size}")
    return Game((size, size), size)


@lru_cache(maxsize=1024)
def article_moves(size: int, legal: bytes) -> tuple[tuple[Move, ...], tuple[int, ...]]:
    """The moves (x, y) of some cells in the article's order, and the index of each in `legal`.

    `legal` is the bytes of ascending int32 cells, such as `position.legal_moves.tobytes()`.
    """
    cells = np.frombuffer(legal, np.int32).tolist()
    rows = sorted(range(len(cells)), key=lambda row: (cells[row] % size, cells[row]))
    return tuple((cells[row] % size, cells[row] // size) for row in rows), tuple(rows)


def board_text(position: Position) -> str:
    """A square position as the article prints it; the last move pushed stands in upper case."""
    size = position.game.shape[0]
    marks = [".ox"[value + 1] for value in position.to_array().ravel().tolist()]
    if position.last_cell is not None:
        marks[position.last_cell] = marks[position.last_cell].upper()
    rows = ["".join(marks[start : start + size]) for start in range(0, size * size, size)]
    if position.status == -1:
        title = f"Turn {'ox'[position.turn]}"
    else:
        title = f"winner {('o', 'x', 'draw')[position.status]}"
    return "\n".join([title, *rows, ""])


class Board:
    """The board of a `Marubatsu`, as it is at the time of asking."""

    MARK_TABLE: ClassVar[Mapping[Mark, str]] = {-1: ".", 0: "o", 1: "x", "draw": "draw"}

    __slots__ = ("_mb",)

    def __init__(self, mb: Marubatsu) -> None:
        self._mb = mb

    def move_to_xy(self, move: Move) -> Move:
        """The (x, y) of a move: the move itself, as two ints."""
        return self.xy_to_move(*_pair(move))

    def xy_to_move(self, x: int, y: int) -> Move:
        """The move at column x and row y; TypeError for no ints, ValueError off the board."""
        x, y = _pair((x, y))
        size = self._mb.BOARD_SIZE
        if not (0 <= x < size and 0 <= y < size):
            raise IllegalMoveError(f"{(x, y)} is off the board: x and y are from 0 to {size - 1}")
        return x, y

    def getmark(self, x: int, y: int) -> int:
        """The mark at (x, y): -1 empty, 0 for o, 1 for x."""
        return self._mb.position.to_array().item(self.xy_to_move(x, y)[::-1])


class Marubatsu:
    """A game of 〇×ゲーム on `board_size` by `board_size` cells; as many in a row win.

    `board_size` is from 1 to 15. A refused move raises and changes nothing. Objects can be pickled
    and deep-copied.

    >>> mb = Marubatsu()
    >>> mb.move((1, 0))
    >>> print(mb, end="")
    Turn x
    .O.
    ...
    ...
    """

    CIRCLE: ClassVar[int] = 0
    CROSS: ClassVar[int] = 1
    EMPTY: ClassVar[int] = -1
    DRAW: ClassVar[str] = "draw"
    PLAYING: ClassVar[str] = "playing"

    def __init__(self, board_size: int = 3) -> None:
        try:
            game = square_game(index(board_size))
        except TypeError:
            raise TypeError(f"board_size must be an int, not {board_size!r}") from None
        self._position = game.start()
        self._line: list[int] = []  # cells of the game that change_step walks along

    @property
    def position(self) -> Position:
        """The `Position` inside, not a copy: moves made on it are moves of this game."""
        return self._position

    @property
    def BOARD_SIZE(self) -> int:
        """The number of columns, and of rows."""
        size: int = self._position.game.shape[0]
        return size

    @property
    def board(self) -> Board:
        """The board: its marks, and moves as coordinates."""
        return Board(self)

    @property
    def turn(self) -> int:
        """The side to move, CIRCLE or CROSS."""
        return self._position.turn

    @property
    def last_turn(self) -> int | None:
        """The side that made the last move; None at the start."""
        return 1 - self._position.turn if self._position.ply else None

    @property
    def status(self) -> Mark:
        """PLAYING, or how the game ended: CIRCLE, CROSS or DRAW."""
        return (self.CIRCLE, self.CROSS, self.DRAW, self.PLAYING)[self._position.status]

    @property
    def move_count(self) -> int:
        """The number of moves made."""
        return self._position.ply

    @property
    def last_move(self) -> Move:
        """The last move made; (-1, -1) at the start."""
        cell = self._position.last_cell
        return (-1, -1) if cell is None else self._xy(cell)

    @property
    def records(self) -> list[Move]:
        """(0, 0), a placeholder, then the moves made; a fresh list.

        After `change_step`, until the next move or `unmove`, the later moves of that game follow.
        """
        return [(0, 0), *map(self._xy, self._recorded())]

    def restart(self) -> None:
        """Go back to the empty board and forget the moves."""
        self._set([], [])

    def move(self, move: Move) -> None:
        """Play the move (x, y) for the side to move.

        IllegalMoveError if it is off the board or occupied, or the game is over; TypeError if it is
        no pair of ints.
        """
        x, y = self.board.move_to_xy(move)
        try:
            self._position.push(x + self.BOARD_SIZE * y)
        except IllegalMoveError:
            reason = "it is occupied" if self.status == self.PLAYING else "the game is over"
            raise IllegalMoveError(f"move {(x, y)} is not legal: {reason}") from None
        self._line = []

    def cmove(self, x: int | str, y: int | str) -> None:
        """Play at (x, y), given as ints or as their strings; print what is wrong if it cannot be.

        Nothing is raised for a bad move.
        """
        try:
            self.move((_number(x), _number(y)))
        except TypeError:
            print(f"x and y must be integers, not {x!r} and {y!r}")
        except IllegalMoveError as error:
            print(error)

    def unmove(self) -> None:
        """Take the last move back; nothing happens at the start."""
        if self._position.ply:
            self._position.pop()
            self._line = []

    def change_step(self, step: int) -> None:
        """Go to ply `step` of the recorded game; below 0 is 0, beyond the last ply the last ply."""
        line = self._recorded()
        self._set(line[: max(0, index(step))], line)

    def judge(self) -> Mark:
        """What the board says by the rules: the same as `status`."""
        return self.status

    def calc_legal_moves(self) -> list[Move]:
        """The legal moves, x varying slowest; [] when the game is over."""
        return list(article_moves(self.BOARD_SIZE, self._position.legal_moves.tobytes())[0])

    def board_to_str(self) -> str:
        """The marks '.', 'o', 'x' of all cells, x varying slowest."""
        return "".join([".ox"[mark + 1] for mark in self.board_to_hashable()])

    def board_to_hashable(self) -> tuple[int, ...]:
        """The marks -1, 0, 1 of all cells, in the order of `board_to_str`."""
        return tuple(self._position.to_array().T.ravel().tolist())

    def playout(self, seed: Seed = None) -> Mark:
        """Play random moves on this object until the game ends; returns the status.

        The seed is taken as everywhere in mbx; `random.seed()` has no effect.
        """
        from random import Random

        rng = Random(seed_key(seed))
        while self.status == self.PLAYING:
            self.move(rng.choice(self.calc_legal_moves()))
        return self.status

    def play(
        self,
        ai: Sequence[AI | None] = (None, None),
        params: Sequence[Mapping[str, Any]] = ({}, {}),
        verbose: bool = True,
        seed: Seed = None,
    ) -> Mark:
        """Play a new game from the empty board and return its status.

        ai[0] plays o and ai[1] plays x: each a callable that is given a copy of the game and its
        own params as keyword arguments and returns a move, or None for a person, who is asked for
        "x,y" and leaves with "exit" (the status is then PLAYING). `verbose` prints the board
        before each move and at the end. With a seed, Python's `random` module starts from it
        during the game, so that AIs that draw from it repeat themselves, and is put back after.

        If an AI raises or returns an illegal move, the error is passed on and this object is as it
        was before the call.
        """
        check_players(ai, params)
        game = deepcopy(self)
        game.restart()
        with random_from(seed):
            while game.status == game.PLAYING:
                if verbose:
                    print(game)
                player = ai[game.turn]
                if player is not None:
                    game.move(player(deepcopy(game), **params[game.turn]))
                elif not game._ask():
                    break
        if verbose and game.status != game.PLAYING:
            print(game)
        self._set(game._position.moves, [])
        return self.status

    def __str__(self) -> str:
        return board_text(self._position)

    def _ask(self) -> bool:
        """Ask a person for one move and try it; False if the person leaves."""
        answer = input("x,y (or exit): ").strip()
        if answer == "exit":
            return False
        x, comma, y = answer.partition(",")
        if comma:
            self.cmove(x, y)
        else:
            print(f"type a column and a row, such as 0,2; not {answer!r}")
        return True

    def _xy(self, cell: int) -> Move:
        y, x = divmod(cell, self.BOARD_SIZE)
        return x, y

    def _recorded(self) -> list[int]:
        """The cells of `records`: of the line walked along as long as the moves made are on it."""
        made = self._position.moves
        return self._line if self._line[: len(made)] == made else made

    def _set(self, moves: list[int], line: list[int]) -> None:
        """Make the board that of `moves` (cells), a part of the game `line`."""
        while self._position.ply:
            self._position.pop()
        for cell in moves:
            self._position.push(cell)
        self._line = line


def marubatsu_at(position: Position) -> Marubatsu:
    """The game at a copy of a square position: quicker than Marubatsu() and its moves."""
    mb = object.__new__(Marubatsu)
    mb._position, mb._line = position.copy(), []
    return mb


def _pair(move: Move) -> Move:
    """A move as two ints; TypeError if it is none."""
    try:
        x, y = move
        return index(x), index(y)
    except (TypeError, ValueError):
        raise TypeError(f"move must be a tuple of two ints (x, y), not {move!r}") from None


def _number(value: int | str) -> Any:
    """The int that a string holds; anything else as it is."""
    try:
        return int(value) if isinstance(value, str) else value
    except ValueError:
        return value


def check_players(ai: Sequence[AI | None], params: Sequence[Mapping[str, Any]]) -> None:
    """TypeError unless there are two AIs (or None) and two mappings."""
    for name, pair in (("ai", ai), ("params", params)):
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"{name} must hold two items, for o and for x, not {pair!r}")
    for player in ai:
        if player is not None and not callable(player):
            raise TypeError(f"ai must hold callables of a Marubatsu or None, not {player!r}")
    for options in params:
        if not isinstance(options, Mapping):
            raise TypeError(f"params must hold dicts of keyword arguments, not {options!r}")


@contextmanager
def random_from(seed: Seed) -> Iterator[None]:
    """Start Python's `random` from the seed, and put it back as it was at the end."""
    if seed is None:
        yield
        return
    import random

    key = seed_key(seed)
    before = random.getstate()
    random.seed(key)
    try:
        yield
    finally:
        random.setstate(before)

"""The options of the command line that choose a game and a position."""

from __future__ import annotations

import argparse
import re

from .game import Game
from .notation import read_game
from .position import Position


def add_position(parser: argparse.ArgumentParser) -> None:
    """Add the options to a command."""
    parser.add_argument(
        "--shape",
        type=read_shape,
        metavar="7x6",
        help="width x height, or 5x5x5 in three dimensions (default: 3x3)",
    )
    parser.add_argument("--k", type=int, metavar="N", help="stones in a row that win (default: 3)")
    parser.add_argument("--gravity", action="store_true", help="stones fall down")
    start = parser.add_mutually_exclusive_group()
    start.add_argument(
        "--moves",
        default="",
        metavar="M,M,…",
        help="moves from the start: numbers of cells (under gravity of columns) from 0, "
        "separated by commas; or 1-based columns without commas (4455) on a flat gravity board",
    )
    start.add_argument(
        "--position", metavar="TEXT", help='the board as text, rows from the top: "ox./.o./..."'
    )


def read_game_options(arguments: argparse.Namespace) -> Game:
    """The game that the options describe."""
    if arguments.shape and arguments.k is None:
        raise ValueError("--shape needs --k, the number of stones in a row that win")
    k = 3 if arguments.k is None else arguments.k
    return Game(arguments.shape or (3, 3), k, arguments.gravity)


def read_position(arguments: argparse.Namespace, game: Game | None = None) -> Position:
    """The position that the options describe; of a game that is chosen in another way."""
    game = game or read_game_options(arguments)
    if arguments.position is not None:
        return game.from_text(arguments.position)
    return read_game(game, arguments.moves)


def read_shape(text: str) -> tuple[int, ...]:
    """A shape, written 7x6."""
    if not re.fullmatch(r"\d+(x\d+){1,2}", text, re.ASCII | re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"a shape is written 7x6 or 5x5x5, not {text!r}")
    return tuple(map(int, text.lower().split("x")))

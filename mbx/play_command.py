"""The command `mbx play`: a game at the terminal."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Any

from .games import BY_NAME
from .opponents import AIS, LEVEL, USUAL_AI
from .position_options import add_position, read_position
from .terminal_game import SIDES, play


def add_play(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "play",
        help="play against an AI",
        description="Plays a game at the terminal. A move is a column counted from 1 on a flat "
        "board with gravity, elsewhere x,y or x,y,z counted from 0, or the number of the cell; "
        "help lists the commands (undo, hint, save, …). Ctrl-C ends the AI's thinking, and at the "
        "prompt the game.",
    )
    parser.set_defaults(run=run_play)
    parser.add_argument("--game", choices=BY_NAME, metavar="NAME", help=", ".join(BY_NAME))
    add_position(parser)
    parser.add_argument(
        "--ai",
        choices=AIS,
        default=USUAL_AI,
        help="Monte Carlo tree search; alpha-beta; primitive Monte Carlo; best play; random moves "
        "(default: %(default)s)",
    )
    strength = parser.add_mutually_exclusive_group()
    strength.add_argument(
        "--level",
        type=int,
        metavar="1-5",
        help=f"{_levels()} (default: {LEVEL})",
    )
    strength.add_argument(
        "--n", type=int, metavar="N", help="simulations, plies or playouts a move"
    )
    strength.add_argument(
        "--time",
        type=float,
        metavar="SECONDS",
        help="time a move; what perfect does not solve in it (default: 10) it leaves to mcts",
    )
    parser.add_argument(
        "--side",
        choices=SIDES,
        default="first",
        help="what you play; both: two persons, none: the AI alone (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="repeats the AI's choices")


def _levels() -> str:
    """What the levels mean."""
    return "; ".join(
        f"{name}: {', '.join(map(str, kind.levels))} {kind.unit} a move"
        for name, kind in AIS.items()
        if kind.levels
    )


def run_play(arguments: argparse.Namespace) -> None:
    """Play the game."""
    with suppress(ImportError):
        import readline  # noqa: F401  (input() then edits its line and remembers)
    if arguments.game and (arguments.shape or arguments.k is not None or arguments.gravity):
        raise ValueError("--game stands in place of --shape, --k and --gravity")
    game = BY_NAME[arguments.game] if arguments.game else None
    play(
        read_position(arguments, game),
        arguments.ai,
        level=arguments.level,
        n=arguments.n,
        timelimit=arguments.time,
        side=arguments.side,
        seed=arguments.seed,
    )

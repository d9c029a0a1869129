"""The command `mbx solve`: the scores of positions from a file or from stdin, one a line.

A line is a position and, if known, its score: `4455 2`, the format of the Connect Four literature.
The position is the string of 1-based columns, or numbers of moves from 0 split by commas, or the
rows of a board as text.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from .game import Game
from .games import CONNECT_FOUR
from .notation import read_game
from .position import Position
from .position_options import read_shape
from .solve import Solver, SolveResult
from .work import read_timelimit

TABLE = "128M"
UNITS = {"": 0, "K": 10, "M": 20, "G": 30}


class Totals:
    """What the summary tells."""

    def __init__(self) -> None:
        self.solved = 0
        self.stopped = 0
        self.nodes = 0
        self.seconds = 0.0
        self.expected = 0
        self.wrong = 0

    def add(self, result: SolveResult, expected: int | None) -> None:
        """Count a result, and hold it against the score that the line gives."""
        self.solved += result.proven
        self.stopped += not result.proven
        self.nodes += result.nodes
        self.seconds += result.seconds
        if expected is not None and result.proven:
            self.expected += 1
            self.wrong += result.score != expected

    def __str__(self) -> str:
        n = max(self.solved + self.stopped, 1)
        parts = [
            f"{self.solved:,} positions solved",
            f"mean {self.seconds / n * 1e6:,.1f} µs, {self.nodes / n:,.1f} nodes",
        ]
        if self.stopped:
            parts.append(f"{self.stopped:,} not solved")
        if self.expected:
            parts.append(f"{self.wrong:,} of {self.expected:,} differ from the expected score")
        return "; ".join(parts)


def add_solve(commands: Any) -> None:
    """Add the command to a parser's commands."""
    solve = commands.add_parser(
        "solve",
        help="solve positions, one a line",
        description="Reads positions, one a line, and writes each with its score for the side to "
        "move, nodes and microseconds; a summary goes to stderr. The game is Connect Four unless "
        "--shape says another. A line is '4455' (columns from 1), '3,3,4' (moves from 0) or a "
        "board as text, and after a space the expected score, if it is known.",
    )
    solve.set_defaults(run=run_solve)
    solve.add_argument("file", nargs="?", default="-", help="default: -, that is stdin")
    solve.add_argument(
        "--shape",
        type=read_shape,
        metavar="7x6",
        help="width x height, or 5x5x5 in three dimensions (default: 7x6 with gravity)",
    )
    solve.add_argument("--k", type=int, metavar="N", help="stones in a row that win (default: 4)")
    solve.add_argument("--gravity", action="store_true", help="with --shape: stones fall down")
    solve.add_argument(
        "--table",
        type=_size,
        default=TABLE,
        metavar="SIZE",
        help="memory for what was found out, as 500000, 64K, 128M or 2G (default: %(default)s)",
    )
    solve.add_argument("--scores", action="store_true", help="the scores of all moves, too")
    solve.add_argument("--nodes", type=int, metavar="N", help="the most nodes a position")
    solve.add_argument("--timelimit", type=float, metavar="S", help="the most seconds a position")


def run_solve(arguments: argparse.Namespace) -> None:
    """Print a line a position, and the summary on stderr."""
    game = _game(arguments)
    if arguments.nodes is not None and arguments.nodes < 1:
        raise ValueError(f"--nodes must be at least 1, not {arguments.nodes}")
    read_timelimit(arguments.timelimit)
    totals = Totals()
    with _lines(arguments.file) as file:
        solver = Solver(game, arguments.table)
        for number, line in enumerate(file, 1):
            text = line.strip()
            if not text and number > 1:
                continue
            position, expected = _read_line(game, text, number)
            result = solver.solve(
                position,
                scores=arguments.scores,
                nodes=arguments.nodes,
                timelimit=arguments.timelimit,
            )
            totals.add(result, expected)
            print(_format(text.split()[0] if text else '""', result))
    sys.stdout.flush()
    print(totals, file=sys.stderr)


def _game(arguments: argparse.Namespace) -> Game:
    if arguments.shape is None:
        return CONNECT_FOUR if arguments.k is None else Game((7, 6), arguments.k, gravity=True)
    if arguments.k is None:
        raise ValueError("--shape needs --k, the number of stones in a row that win")
    return Game(arguments.shape, arguments.k, arguments.gravity)


@contextmanager
def _lines(name: str) -> Iterator[TextIO]:
    if name == "-":
        yield sys.stdin
    else:
        with open(name, encoding="utf-8") as file:
            yield file


def _read_line(game: Game, text: str, number: int) -> tuple[Position, int | None]:
    """The position of a line and its expected score; a ValueError names the line."""
    words = text.split()
    try:
        expected = None
        if len(words) > 1 or (words and re.fullmatch(r"[+-]\d+", words[0])):
            score = words.pop()
            if not re.fullmatch(r"[+-]?\d{1,9}", score, re.ASCII):
                raise ValueError(f"a score is a whole number, not {score!r}")
            expected = int(score)
        if len(words) > 1:
            raise ValueError("a line is a position and perhaps a score")
        position = read_game(game, words[0] if words else "")
        if position.status >= 0:
            raise ValueError("the game is over")
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    return position, expected


def _format(word: str, result: SolveResult) -> str:
    """The position, its score or what is known of it, nodes, microseconds; scores of the moves."""
    score = f"{result.lower}" if result.proven else f"{result.lower}..{result.upper}"
    line = f"{word} {score} {result.nodes} {result.seconds * 1e6:.1f}"
    if result.moves is None or result.move_lower is None or result.move_upper is None:
        return line
    bounds = zip(result.move_lower.tolist(), result.move_upper.tolist(), strict=True)
    scores = [str(low) if low == high else f"{low}..{high}" for low, high in bounds]
    pairs = zip(result.moves.tolist(), scores, strict=True)
    return " ".join([line, *(f"{move}:{score}" for move, score in pairs)])


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d{1,15})([KMG]?)", text, re.ASCII | re.IGNORECASE)
    if not found or int(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"a size is 500000, 64K, 128M or 2G, not {text!r}")
    return int(found[1]) << UNITS[found[2].upper()]

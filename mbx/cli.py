"""The command line: `mbx converge`, `tree`, `perft`, `solve`, `play`, `bench`, `info`.

`python -m mbx` is the same.

Results go to stdout, the progress bar and messages to stderr. Exit status: 0 done, 2 a mistake in
the arguments (one line says which), 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from . import __version__, plots
from .benchmark import GAMES, bench
from .converge import stages
from .drawing import blank_figure
from .machine import info
from .play_command import add_play
from .ply_counts import perft
from .position_options import add_position, read_position
from .solve_command import add_solve
from .svg import position_title
from .text import OUTCOMES
from .tree import Tree, build_tree
from .work import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHECKPOINTS = "10^2,10^3,10^4,10^5,10^6,10^7,10^8"
BAR_DELAY = 1.0  # seconds before a progress bar appears
MAX_FRACTION = 13  # longer fractions are not printed


class UsageError(Exception):
    """A mistake in the arguments; the text is the message."""


class Parser(argparse.ArgumentParser):
    """An argument parser that leaves the reporting of mistakes to `main`."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError instead of printing the usage."""
        raise UsageError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments (default: the process's) and return its status."""
    try:
        arguments = _parser().parse_args(argv)
        arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough: nothing more to flush at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (UsageError, ValueError, OverflowError, MemoryError, OSError) as error:
        print(f"mbx: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mbx: interrupted", file=sys.stderr)
        return 130
    return 0


def _parser() -> Parser:
    parser = Parser(prog="mbx", description="k-in-a-row games: exact chances and random playouts.")
    parser.add_argument("--version", action="version", version=f"mbx {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    converge = commands.add_parser(
        "converge",
        help="watch random playouts close in on the exact probabilities",
        description="Plays random games and holds their shares against the exact probabilities, "
        "at every checkpoint; then draws the picture.",
    )
    converge.set_defaults(run=_converge)
    add_position(converge)
    converge.add_argument(
        "--checkpoints",
        type=_checkpoints,
        default=CHECKPOINTS,
        metavar="N,N,…",
        help="ascending numbers of playouts, as 1000, 1e6, 10^6 or 10**6 (default: %(default)s)",
    )
    converge.add_argument("--repeats", type=int, default=1, metavar="N", help="independent runs")
    converge.add_argument("--seed", type=int, metavar="N", help="repeats a run exactly")
    converge.add_argument("--threads", type=int, metavar="N", help="default: every core")
    converge.add_argument(
        "--output",
        type=Path,
        default=Path("convergence.png"),
        metavar="FILE",
        help="the picture: png, svg, pdf, … (default: %(default)s)",
    )
    converge.add_argument("--no-plot", action="store_true", help="the table only")

    tree = commands.add_parser(
        "tree",
        help="count the game tree and give the exact probabilities of random play",
        description="Builds the game tree of a small game: nodes and games by depth, and the "
        "exact probabilities of the outcomes of random play.",
    )
    tree.set_defaults(run=_tree)
    add_position(tree)

    counts = commands.add_parser(
        "perft",
        help="count positions and sequences of moves, ply by ply",
        description="Counts the different positions and the sequences of moves at every ply, and "
        "those of them that end the game.",
    )
    counts.set_defaults(run=_perft)
    add_position(counts)
    counts.add_argument("--depth", type=int, metavar="N", help="plies (default: to the end)")
    counts.add_argument(
        "--symmetry", action="store_true", help="positions that are images of one another are one"
    )
    counts.add_argument("--threads", type=int, metavar="N", help="default: every core")

    add_solve(commands)

    add_play(commands)

    bench = commands.add_parser(
        "bench",
        help="measure the playouts a second on this machine",
        description="Measures the playouts a second of every kernel that runs here, beside a "
        "scalar loop in C and one in plain Python.",
    )
    bench.set_defaults(run=_bench)
    bench.add_argument(
        "--games",
        type=_names,
        metavar="GAME,GAME,…",
        help=f"out of {', '.join(GAMES)} (default: all)",
    )
    bench.add_argument(
        "--seconds",
        type=float,
        default=0.25,
        metavar="S",
        help="the time that each number of the table gets (default: %(default)s)",
    )
    bench.add_argument(
        "--kernels",
        type=_names,
        metavar="NAME,NAME,…",
        help="out of those that `mbx info` lists (default: all)",
    )

    about = commands.add_parser(
        "info",
        help="show the kernel in use, the machine and the versions",
        description="Shows the playout kernel in use, those that run here, the machine and the "
        "versions. The environment variable MBX_KERNEL forces a kernel.",
    )
    about.set_defaults(run=lambda arguments: print(info()))
    return parser


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _checkpoints(text: str) -> list[int]:
    return [_number(part) for part in text.split(",")]


def _number(text: str) -> int:
    """A whole number written as 1000, 1_000, 1e3, 10^3 or 10**3."""
    message = f"{text!r} is no whole number such as 1000, 1e6, 10^6 or 10**6"
    power = re.fullmatch(r"\s*(\d+)\s*(?:\^|\*\*)\s*(\d\d?)\s*", text, re.ASCII)
    if power:
        base, exponent = map(int, power.groups())
        return int(base**exponent)
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise argparse.ArgumentTypeError(message) from None
    if not number.is_finite() or abs(number) >= 2**63 or number != int(number):
        raise argparse.ArgumentTypeError(message)
    return int(number)


def _converge(arguments: argparse.Namespace) -> None:
    """Print the table line by line as the checkpoints are reached; then write the picture."""
    position = read_position(arguments)
    figure, hint = None, ""
    if not arguments.no_plot:
        try:
            figure = _figure(arguments.output)
        except ImportError as error:
            hint = f"No picture: {error}"
    with _progress() as (report, show):
        for result in stages(
            position,
            arguments.checkpoints,
            arguments.repeats,
            arguments.seed,
            arguments.threads,
            report=report,
        ):
            head, *rows = result.lines()
            if len(rows) == 1:
                show(f"{result.title}; seed {result.seed}\n\n{head}")
            show(rows[-1])
    print("", *result.notes(), sep="\n")
    if figure is not None:
        plots.draw(result, figure).savefig(arguments.output, dpi=150)
        hint = f"Picture: {arguments.output}"
    if hint:
        print(hint)


def _figure(path: Path) -> Figure:
    """An empty figure, after a check that it can be written to the path when the work is done."""
    figure = blank_figure()
    formats = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in formats:
        raise UsageError(f"--output: {str(path)!r} must end with one of .{', .'.join(formats)}")
    if not path.parent.is_dir():
        raise UsageError(f"--output: there is no folder {str(path.parent)!r}")
    return figure


def _tree(arguments: argparse.Namespace) -> None:
    """Print the nodes and games by depth, and the exact probabilities of root and moves."""
    position = read_position(arguments)
    graph = build_tree(position)
    sizes = graph.layer_sizes
    games = np.bincount(graph.depth[graph.status >= 0], minlength=len(sizes)).tolist()
    table = [("depth", "nodes", "games ended")]
    table += [(str(i), f"{sizes[i]:,}", f"{games[i]:,}") for i in range(len(sizes))]
    table.append(("all", f"{sum(sizes):,}", f"{sum(games):,}"))
    print(position_title(position), "", sep="\n")
    for depth, nodes, ended in table:
        print(f"{depth:>5}  {nodes:>15}  {ended:>15}")

    print("", "Exact probabilities of random play", "", sep="\n")
    print(" " * 8, *(f"{outcome:>10}" for outcome in OUTCOMES))
    children = graph.children(0).tolist()
    names = ["start", *(f"move {graph.move[child]}" for child in children)]
    chances = [_chances(graph, node) for node in [0, *children]]
    short = all(len(str(chance)) <= MAX_FRACTION for row in chances for chance in row)
    for name, row in zip(names, chances, strict=True):
        cells = [f"{float(chance):>10.4%}" for chance in row]
        cells += [f"{chance!s:>{MAX_FRACTION}}" for chance in row if short]
        print(f"{name:<8}", *cells)


def _perft(arguments: argparse.Namespace) -> None:
    """Print the table of positions and sequences by ply."""
    position = read_position(arguments)
    with _progress(" entries") as (report, show):
        counts = perft(
            position,
            arguments.depth,
            arguments.symmetry,
            threads=arguments.threads,
            progress=report,
        )
        show(f"{position_title(position)}\n\n{counts}")


def _chances(graph: Tree, node: int) -> list[Fraction]:
    """The exact probabilities of the three outcomes of random play from a node."""
    denominator = graph.denominators[graph.depth[node]]
    return [Fraction(int(count), denominator) for count in graph.counts[node]]


def _bench(arguments: argparse.Namespace) -> None:
    """Print the table of playouts a second."""
    with _progress(" measurements") as (report, show):
        result = bench(arguments.games, arguments.seconds, arguments.kernels, progress=report)
        show(str(result))


@contextmanager
def _progress(unit: str = " playouts") -> Iterator[tuple[Report | None, Callable[[str], None]]]:
    """A progress callback that draws a bar on stderr, and a print that goes around the bar.

    The bar appears on a terminal only, if tqdm is installed, and when the work takes long.
    """
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield None, partial(print, flush=True)
        return

    bar = tqdm(unit=unit, unit_scale=True, delay=BAR_DELAY, leave=False, disable=None)
    with bar:

        def report(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        def show(text: str) -> None:
            bar.clear()
            print(text, flush=True)

        yield report, show

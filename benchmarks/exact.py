"""Time and memory of exact values: position graphs and what is computed on them.

    python benchmarks/exact.py [--large]

Each line is measured in a process of its own, the best of several runs; memory is the most that the
process took.  With --large also the games that take from seconds to minutes and gigabytes.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import mbx

Job = Callable[[], object]


def start(shape: tuple[int, ...], k: int, gravity: bool = False) -> mbx.Position:
    """The empty board of a game."""
    return mbx.Game(shape, k, gravity).start()


def everything(root: mbx.Position, symmetry: bool = False) -> None:
    """The graph, best play and random play."""
    graph = mbx.build_graph(root, symmetry)
    graph.values()
    _ = graph.probabilities


JOBS: dict[str, tuple[Job, int]] = {
    "3x3: graph, values, probabilities": (lambda: everything(start((3, 3), 3)), 20),
    "4x4 k=4: value of the start": (lambda: mbx.solve(start((4, 4), 4)), 5),
    "4x4 k=4: exact chances from the start": (
        lambda: mbx.outcome_probabilities(start((4, 4), 4)),
        5,
    ),
    "4x4 k=4: graph of 9,722,011 positions": (lambda: mbx.build_graph(start((4, 4), 4)), 3),
    "4x4 k=4: the same up to symmetry, values, probabilities": (
        lambda: everything(start((4, 4), 4), symmetry=True),
        3,
    ),
    "Connect Four 5x4: graph, values, probabilities": (
        lambda: everything(start((5, 4), 4, True)),
        3,
    ),
}
LARGE: dict[str, tuple[Job, int]] = {
    "(4,5,4): exact chances from the start": (
        lambda: mbx.outcome_probabilities(start((5, 4), 4)),
        1,
    ),
    "Connect Four 6x4, symmetry: graph, values, probabilities": (
        lambda: everything(start((6, 4), 4, True), symmetry=True),
        1,
    ),
    "Connect Four 5x5, symmetry: graph, values, probabilities": (
        lambda: everything(start((5, 5), 4, True), symmetry=True),
        1,
    ),
}
GRAPH = "4x4 k=4: outcomes of pmc against optimal, all positions"


def measure(name: str) -> None:
    """Print the line of one job."""
    if name == GRAPH:
        graph = mbx.build_graph(start((4, 4), 4))
        job, repeats = (lambda: graph.outcomes("pmc", "optimal")), 3
    else:
        job, repeats = (JOBS | LARGE)[name]
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - begin)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:60} {min(seconds) * 1e3:12,.2f} ms {megabytes:8,.0f} MB", flush=True)


def main(arguments: list[str]) -> None:
    """Measure all jobs, each in a process of its own."""
    if arguments[:1] == ["--job"]:
        measure(arguments[1])
        return
    for name in [*JOBS, GRAPH, *(LARGE if "--large" in arguments else [])]:
        subprocess.run([sys.executable, __file__, "--job", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

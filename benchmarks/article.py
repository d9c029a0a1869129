"""The article's work with mbx beside plain Python, in one run: `python benchmarks/article.py`.

Times are the best of several; of the plain Python tree only a ninth is built (the games that begin
in the centre), and its time is multiplied by what the whole has more nodes.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import baseline
import numpy as np

import mbx

NODES = 549_946


def best_of(call: Callable[[], object], rounds: int = 7) -> float:
    """The shortest time of a call, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def import_time(modules: str) -> float:
    """Seconds that a fresh interpreter takes to import `modules` in turn, the last one timed."""
    *before, last = modules.split()
    setup = "; ".join(["import time", *(f"import {name}" for name in before)])
    code = f"{setup}; t = time.perf_counter(); import {last}; print(time.perf_counter() - t)"
    return min(float(subprocess.check_output([sys.executable, "-P", "-c", code])) for _ in range(5))


def row(what: str, seconds: float, plain: float | None = None, goal: str = "") -> None:
    ratio = f"{plain / seconds:,.0f} x" if plain else ""
    baseline_text = format_time(plain) if plain else ""
    print(f"{what:<52} {format_time(seconds):>10} {baseline_text:>10} {ratio:>12}  {goal}")


def format_time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def main() -> None:
    print(
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, ",
        end="",
    )
    print(f"NumPy {np.__version__}, mbx {mbx.__version__}, {os.cpu_count()} cores\n")
    print(f"{'what':<52} {'mbx':>10} {'Python':>10} {'faster':>12}  goal")

    start = time.perf_counter()
    ninth = baseline.build_tree_after([(1, 1)])
    plain_tree = (time.perf_counter() - start) * NODES / ninth.size()
    plain_playout = best_of(lambda: baseline.playout(baseline.Board(), 2_000), 3) / 2_000

    mb = mbx.Marubatsu()
    start_position = mbx.games.MARUBATSU.start()
    row("import mbx, after NumPy", import_time("numpy mbx"), None, "20 ms")
    row(
        "Mbtree(): nodes, scores, probabilities",
        best_of(lambda: mbx.Mbtree(verbose=False)),
        plain_tree,
        "50 ms",
    )
    tree_benchmarks(start_position)
    million = best_of(lambda: mbx.playout(mb, 10**6, threads=1))
    row("playout(mb, 10**6), one thread", million, plain_playout * 10**6, "30 ms")
    row(
        "playout(mb, 10**6), all cores",
        best_of(lambda: mbx.playout(mb, 10**6)),
        plain_playout * 10**6,
    )
    row(
        "playout(mb, 100)", best_of(lambda: mbx.playout(mb, 100), 200), plain_playout * 100, "35 µs"
    )
    row(
        "playout_counts(position, 1000, seed=1)",
        best_of(lambda: mbx.playout_counts(start_position, 1000, seed=1), 200),
        plain_playout * 1000,
    )
    mbtree_benchmarks()


def tree_benchmarks(root: mbx.Position) -> None:
    graph = mbx.build_tree(root)
    leaves = np.zeros((10, 3), np.int8)
    counts = np.empty_like(graph.counts)
    row(
        "  core: fill the tree's arrays, fresh memory",
        best_of(lambda: mbx.build_tree(root)),
        None,
        "5 ms",
    )
    row("  core: minimax values", best_of(lambda: graph.minimax(leaves)), None, "1 ms")
    row("  core: exact counts", best_of(lambda: graph.count_below(-1, counts)), None, "2 ms")


def mbtree_benchmarks() -> None:
    tree = mbx.Mbtree(verbose=False)
    records = ((0, 0), (1, 1), (0, 0), (2, 2), (0, 1), (0, 2))
    row("all scores of nodelist", best_of(lambda: [n.score for n in tree.nodelist], 2), None, "1 s")
    row(
        "nodelist_by_mb[records]",
        best_of(lambda: tree.nodelist_by_mb[records], 1000),
        None,
        "10 µs",
    )
    with tempfile.TemporaryDirectory() as folder:
        name = Path(folder) / "playout"
        row("Mbtree.save", best_of(lambda: tree.save(name)), None, "150 ms")
        row("Mbtree.load", best_of(lambda: mbx.Mbtree.load(name)), None, "150 ms")
        size = name.with_suffix(".mbtree").stat().st_size
        print(f"{'  size of the file':<52} {size / 1e6:>7.2f} MB {'':>23}  2 MB")
    columns = sum(column.nbytes for column in node_columns(tree))
    print(f"{'  memory of a node':<52} {columns / NODES:>4.0f} bytes {'':>23}  40 bytes")


def node_columns(tree: mbx.Mbtree) -> list[np.ndarray]:
    """What the tree keeps for every node, without the probabilities; the scores are an int8."""
    graph = mbx.build_tree(tree.root.mb)
    names = ("parent", "first_child", "move", "depth", "n_children", "status", "counts", "value")
    return [getattr(graph, name) for name in names]


if __name__ == "__main__":
    main()

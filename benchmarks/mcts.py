"""Speed of Monte Carlo tree search: simulations a second on the family's games, one thread.

    python benchmarks/mcts.py [--large]

Each figure is the best of several runs, from the empty board, through the Python API.  --large adds
searches of 10 million simulations of the first two.
"""

from __future__ import annotations

import argparse
import resource
from time import perf_counter

import mbx
from mbx.tables import text_table

GAMES = {
    "3x3": mbx.games.MARUBATSU,
    "Connect Four": mbx.games.CONNECT_FOUR,
    "4x4x4 gravity": mbx.games.SCORE_FOUR,
    "5x5x5 gravity": mbx.games.RITTAI_GOMOKU,
    "15x15": mbx.games.GOMOKU,
}
SEARCHES = [(10_000, 20), (1_000_000, 3)]
LARGE = (10_000_000, 1)
SMALL = ("3x3", "Connect Four")
LEAVES = [(64, 20_000), (256, 10_000), (1_024, 3_000)]


def best_time(search: mbx.MCTS, n: int, repeats: int) -> float:
    """Seconds of the fastest of several searches from an empty tree."""
    times = []
    for _ in range(repeats):
        search.reset()
        start = perf_counter()
        search.run(n)
        times.append(perf_counter() - start)
    return min(times)


def simulations(large: bool) -> list[list[str]]:
    """Simulations a second with one playout a leaf."""
    rows = [["game", "simulations", "million a second", "nodes"]]
    for name, game in GAMES.items():
        for n, repeats in [*SEARCHES, *([LARGE] if large and name in SMALL else [])]:
            search = mbx.MCTS(game.start(), seed=1)
            rate = n / best_time(search, n, repeats)
            rows.append([name, f"{n:,}", f"{rate / 1e6:.2f}", f"{search.stats.nodes:,}"])
    return rows


def leaf_playouts() -> list[list[str]]:
    """Playouts a second with many of them at a leaf."""
    rows = [["game", "playouts a leaf", "million playouts a second"]]
    for name in ("3x3", "Connect Four"):
        for per_leaf, n in LEAVES:
            search = mbx.MCTS(GAMES[name].start(), playouts_per_leaf=per_leaf, seed=1)
            rate = n * per_leaf / best_time(search, n, 3)
            rows.append([name, f"{per_leaf:,}", f"{rate / 1e6:.1f}"])
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="10 million simulations too")
    arguments = parser.parse_args()
    print(mbx.info(), "", sep="\n")
    print(*text_table(simulations(arguments.large)), "", sep="\n")
    print(*text_table(leaf_playouts()), "", sep="\n")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()

"""Speed of the alpha-beta searches: time to each depth, positions a second, what each step saves.

    python benchmarks/alphabeta.py [--depth 10]

All with one thread, through the Python API, with an empty table at the start of each search.
"""

from __future__ import annotations

import argparse
import random
from time import perf_counter

import mbx
from mbx.tables import text_table

GAMES = {
    "5x5x5 gravity": mbx.games.RITTAI_GOMOKU,
    "4x4x4 gravity": mbx.games.SCORE_FOUR,
    "Connect Four": mbx.games.CONNECT_FOUR,
    "15x15": mbx.games.GOMOKU,
}
WEIGHTS = (1, 4, 12, 40)  # of 5x5x5, so that its numbers of nodes can be held against others'
RATES = [("minimax", 5), ("alphabeta", 9), ("pvs", 10), ("mtdf", 10)]
PLIES = 9  # of the forced wins
POSITIONS = 2000


def best_time(position: mbx.Position, depth: int, repeats: int, **options: object) -> float:
    """Seconds of the fastest of several searches."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        mbx.alphabeta(position, depth, **options)
        times.append(perf_counter() - start)
    return min(times)


def depths(deepest: int) -> list[list[str]]:
    """Seconds to each depth on 5x5x5, from depth 1 on, by PVS and MTD(f)."""
    position = GAMES["5x5x5 gravity"].start()
    rows = [["depth", "nodes", "PVS", "MTD(f)"]]
    for depth in range(4, deepest + 1):
        nodes = mbx.alphabeta(position, depth, weights=WEIGHTS).nodes
        repeats = 20 if depth < 9 else 3
        row = [str(depth), f"{nodes:,}"]
        for algorithm in ("pvs", "mtdf"):
            seconds = best_time(position, depth, repeats, algorithm=algorithm, weights=WEIGHTS)
            row.append(f"{1000 * seconds:.2f} ms")
        rows.append(row)
    return rows


def rates() -> list[list[str]]:
    """Positions a second on 5x5x5."""
    rows = [["algorithm", "depth", "nodes", "million a second"]]
    for algorithm, depth in RATES:
        results = [
            mbx.alphabeta(
                GAMES["5x5x5 gravity"].start(), depth, algorithm=algorithm, weights=WEIGHTS
            )
            for _ in range(3)
        ]
        rate = max(result.nodes / result.seconds for result in results)
        rows.append([algorithm, str(depth), f"{results[0].nodes:,}", f"{rate / 1e6:.1f}"])
    return rows


def in_one_second() -> list[list[str]]:
    """The depth reached in a second from the empty board."""
    rows = [["game", "depth in 1 s", "nodes"]]
    for name, game in GAMES.items():
        result = mbx.alphabeta(game.start(), timelimit=1.0)
        rows.append([name, str(result.depth), f"{result.nodes:,}"])
    return rows


def forced_wins() -> list[list[str]]:
    """Random positions of 4x4x4 with a forced win: the slowest search that finds it."""
    generator = random.Random(1)
    slowest: dict[int, list[float]] = {}
    for _ in range(POSITIONS):
        position = GAMES["4x4x4 gravity"].start()
        while position.ply < generator.randrange(6, 40) and position.status < 0:
            position.push(generator.choice(position.legal_moves.tolist()))
        if position.status >= 0:
            continue
        result = mbx.alphabeta(position, PLIES)
        if result.value > 0 and result.distance is not None:
            slowest.setdefault(result.distance, []).append(result.seconds)
    rows = [["forced win in", "positions", "slowest"]]
    for plies, seconds in sorted(slowest.items()):
        rows.append([f"{plies} plies", str(len(seconds)), f"{1000 * max(seconds):.1f} ms"])
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depth", type=int, default=10, help="the deepest on 5x5x5")
    arguments = parser.parse_args()
    print(mbx.info(), end="\n\n")
    for table in (depths(arguments.depth), rates(), in_one_second(), forced_wins()):
        print("\n".join(text_table(table)), end="\n\n")
    print(mbx.compare_searches(GAMES["5x5x5 gravity"].start(), 5, weights=WEIGHTS))


if __name__ == "__main__":
    main()

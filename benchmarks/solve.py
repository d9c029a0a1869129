"""How fast positions are solved: `python benchmarks/solve.py [--files FOLDER] [--long]`.

    sets      the Connect Four positions in tests/data or in FOLDER (one a line, with scores): mean
              microseconds inside the core and through Solver.solve, mean nodes, wrong scores
    hard      random positions of 14 to 27 stones whose end is 14 plies away or more
    boards    empty boards of other sizes and games
    --long    7x6 from the empty board with a table of 2**27 bytes, and the scores of all moves

Times are those of the thread's processor, the best of several rounds; tables are cleared between
rounds and kept within one.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, thread_time

import mbx

ROUNDS = 7
CONNECT_FOUR = mbx.games.CONNECT_FOUR
DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
BOARDS = [
    (mbx.Game((4, 4), 4), "4x4, k 4"),
    (mbx.Game((4, 4), 3), "4x4, k 3"),
    (mbx.Game((5, 4), 4), "5x4, k 4"),
    (mbx.Game((5, 5), 4), "5x5, k 4"),
    (mbx.Game((6, 5), 4), "6x5, k 4"),
    (mbx.Game((3, 3, 3), 3), "3x3x3, k 3"),
    (mbx.Game((5, 5), 4, gravity=True), "5x5 with gravity"),
    (mbx.Game((7, 4), 4, gravity=True), "7x4 with gravity"),
    (mbx.Game((5, 6), 4, gravity=True), "5x6 with gravity"),
    (mbx.Game((6, 5), 4, gravity=True), "6x5 with gravity"),
    (mbx.Game((4, 8), 4, gravity=True), "4x8 with gravity"),
]


def best_time(work: Callable[[], object], solver: mbx.Solver, rounds: int = ROUNDS) -> float:
    """Seconds of the thread's processor that work() takes, from an empty table."""
    times = []
    for _ in range(rounds):
        solver.clear()
        start = thread_time()
        work()
        times.append(thread_time() - start)
    return min(times)


def measure_file(path: Path) -> None:
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    positions = [CONNECT_FOUR.position(moves) for moves, _ in lines]
    scores = [int(score) for _, score in lines]
    solver = mbx.Solver(CONNECT_FOUR)
    results = [solver.solve(position) for position in positions]
    wrong = sum(r.score != score for r, score in zip(results, scores, strict=True))
    core = best_time(lambda: [solver.search(p, 2**60, None) for p in positions], solver)
    python = best_time(lambda: [solver.solve(p) for p in positions], solver)
    n = len(positions)
    nodes = sum(result.nodes for result in results) / n
    print(
        f"{path.stem:32} {n:5} positions {core / n * 1e6:9.2f} us {python / n * 1e6:9.2f} us "
        f"through Python {nodes:9.1f} nodes {wrong} wrong"
    )


def hard_positions(number: int, most_nodes: int) -> list[mbx.Position]:
    """Random positions that Pons's set "middle, medium" would hold."""
    rng, solver, found = random.Random(1), mbx.Solver(CONNECT_FOUR), []
    while len(found) < number:
        position, stones = CONNECT_FOUR.start(), rng.randint(14, 27)
        for _ in range(200):
            if position.ply == stones:
                break
            position.push(rng.choice(position.legal_moves.tolist()))
            if position.status >= 0:
                position.pop()
        if position.ply == stones:
            result = solver.solve(position, nodes=most_nodes)
            if result.distance is not None and result.distance >= 14:
                found.append(position)
    return found


def measure_hard() -> None:
    solver, positions = mbx.Solver(CONNECT_FOUR), hard_positions(200, 10**7)
    results = []
    seconds = best_time(
        lambda: results.extend(solver.search(p, 2**60, None) for p in positions), solver, 3
    )
    nodes = sum(result[4] for result in results) / len(results)
    print(f"{'hard':32} {200:5} positions {seconds / 200 * 1e6:9.0f} us {nodes:9.0f} nodes")


def measure_start(game: mbx.Game, name: str, *, table_bytes: int = 2**27, scores=False) -> None:
    solver = mbx.Solver(game, table_bytes)
    start = perf_counter()
    result = solver.solve(game.start(), scores=scores)
    seconds = perf_counter() - start
    what = result.move_scores.tolist() if scores else f"score {result.score}"
    print(f"{name:32} {seconds:9.3f} s {result.nodes:14,} nodes  {what}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=Path, default=DATA)
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    print(mbx.info())
    for path in sorted(arguments.files.glob("*.txt")):
        measure_file(path)
    measure_hard()
    for game, name in BOARDS:
        measure_start(game, name)
    if arguments.long:
        measure_start(CONNECT_FOUR, "7x6 with gravity")
        measure_start(CONNECT_FOUR, "7x6 with gravity, all moves", scores=True)


if __name__ == "__main__":
    main()

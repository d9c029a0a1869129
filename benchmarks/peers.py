"""Random playouts of other packages beside mbx's, in one run: `python benchmarks/peers.py`.

    OpenSpiel   its C++ evaluator of random rollouts, called through one simulation of its MCTS
    pgx         batches of games in JAX, compiled, finished ones replaced at once
    numba       loops written here: bitboards for 3x3 and Connect Four, a scan around the last stone
                for 15x15, compiled
    mbx         playout_counts

All play uniformly random games from the empty board, on one core.  They run in turn, and of each
the best of several rounds counts.  Before, the mean result of each is held against mbx's.  Packages
that are not installed are named and left out: `pip install -r benchmarks/requirements-peers.txt`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import math
import os
from collections.abc import Callable
from time import perf_counter

if hasattr(os, "sched_setaffinity"):  # before JAX counts the cores
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import mbx

ROUNDS = 5
CHECKED = 20_000  # playouts whose mean result is compared, where a package is fast enough
GAMES = {
    "3x3": mbx.games.MARUBATSU,
    "Connect Four": mbx.games.CONNECT_FOUR,
    "15x15": mbx.games.GOMOKU,
}

# play(number) plays that many games or some more; it returns how many, and the sum of their
# results: 1 for a win of the first side, -1 for one of the second.
Play = Callable[[int], tuple[int, float]]


def mbx_player(game: str) -> Play:
    position = GAMES[game].start()

    def play(number: int) -> tuple[int, float]:
        first, second, _ = mbx.playout_counts(position, number, seed=1, threads=1).sum(axis=0)
        return number, float(first - second)

    return play


def open_spiel_player(game: str) -> Play:
    import pyspiel

    names = {"3x3": "tic_tac_toe", "Connect Four": "connect_four", "15x15": "mnk(m=15,n=15,k=5)"}
    rules = pyspiel.load_game(names[game])
    state = rules.new_initial_state()

    def play(number: int) -> tuple[int, float]:
        evaluator = pyspiel.RandomRolloutEvaluator(number, 1)
        bot = pyspiel.MCTSBot(rules, evaluator, 2.0, 1, 1000, False, 1, False)
        return number, number * bot.mcts_search(state).total_reward

    return play


def pgx_player(game: str, batch: int = 1024, steps: int = 64) -> Play:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    if game == "15x15":
        raise LookupError("pgx has no such game")
    env = pgx.make({"3x3": "tic_tac_toe", "Connect Four": "connect_four"}[game])
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def init(key: jax.Array) -> tuple:
        keys = jax.random.split(key, batch)
        return jax.vmap(env.init)(keys), jnp.zeros(batch, jnp.int32)

    @jax.jit
    def run(carry: tuple, key: jax.Array) -> tuple:
        def one(carry: tuple, key: jax.Array) -> tuple:
            state, plies = carry
            mask = state.legal_action_mask
            action = jnp.argmax(jax.random.uniform(key, mask.shape) * mask, axis=-1)
            state = step(state, action, jax.random.split(key, batch))
            decided = (state.rewards != 0).any(axis=-1)
            result = jnp.where(decided, 2 * ((plies + 1) % 2) - 1, 0)
            ended = state.terminated
            plies = jnp.where(ended, 0, plies + 1)
            return (state, plies), (ended.sum(), jnp.where(ended, result, 0).sum())

        carry, (ended, results) = jax.lax.scan(one, carry, jax.random.split(key, steps))
        return carry, ended.sum(), results.sum()

    where = {"carry": init(jax.random.key(1)), "key": jax.random.key(2)}

    def play(number: int) -> tuple[int, float]:
        played, result = 0, 0.0
        while played < number:
            where["key"], key = jax.random.split(where["key"])
            where["carry"], ended, results = run(where["carry"], key)
            played += int(ended)
            result += float(results)
        return played, result

    for _ in range(20):  # until games of all lengths are under way
        play(1)
    return play


def numba_player(game: str) -> Play:
    import numba_loops

    loop = numba_loops.LOOPS[game]
    seeds = iter(range(1, 2**62))

    def play(number: int) -> tuple[int, float]:
        return number, loop(number, next(seeds))

    return play


PLAYERS = {
    "mbx": mbx_player,
    "OpenSpiel": open_spiel_player,
    "pgx": pgx_player,
    "numba": numba_player,
}
PACKAGES = {
    "mbx": ("marubatsu-mbx",),
    "OpenSpiel": ("open_spiel",),
    "pgx": ("pgx", "jax"),
    "numba": ("numba",),
}


def rate(play: Play, number: int) -> float:
    """Games a second of one call."""
    start = perf_counter()
    played, _ = play(number)
    return played / (perf_counter() - start)


def fitting(play: Play, seconds: float) -> int:
    """How many games take about so many seconds; also compiles what is compiled at first."""
    number = 1
    while True:
        play(number)
        taken = number / rate(play, number)
        if taken > seconds / 4:
            return max(1, round(number * seconds / taken))
        number *= 4


def check(name: str, game: str, play: Play, number: int) -> None:
    """The mean result must be that of uniformly random play."""
    played, result = play(min(number, CHECKED))
    known, total = mbx_player(game)(10**6)
    deviation = abs(result / played - total / known) * math.sqrt(played)
    if deviation > 5:
        print(f"  {name} plays {game} otherwise: mean result {result / played:.4f}")


def measure(seconds: float) -> dict[str, dict[str, float]]:
    """The best rate of every package, by game."""
    best: dict[str, dict[str, float]] = {game: {} for game in GAMES}
    missing = set()
    for game in GAMES:
        plays = {}
        for name, player in PLAYERS.items():
            try:
                play = player(game)
            except ImportError as error:
                missing.add(f"{name} is left out: {error}")
                continue
            except LookupError:
                continue
            number = fitting(play, seconds / ROUNDS)
            check(name, game, play, number)
            plays[name] = play, number
        for _ in range(ROUNDS):
            for name, (play, number) in plays.items():
                best[game][name] = max(best[game].get(name, 0.0), rate(play, number))
    for line in sorted(missing):
        print(line)
    return best


def version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"no {package}"


def cell(rate: float, of_mbx: float) -> str:
    """A rate, and how many times as fast mbx is."""
    millions = f"{rate / 1e6:.3g}"
    if rate == of_mbx:
        return millions
    ratio = of_mbx / rate
    return f"{millions} ({ratio:,.0f} x)" if ratio >= 10 else f"{millions} ({ratio:.1f} x)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each number of the table")
    seconds = parser.parse_args().seconds
    print(mbx.info(), "\n")
    print(", ".join(version(name) for names in PACKAGES.values() for name in names))
    best = measure(seconds)
    print("\nmillions of playouts a second, one core; in brackets, how many times as fast mbx is\n")
    print(f"{'game':<14}", *(f"{name:>20}" for name in PLAYERS))
    for game, rates in best.items():
        cells = []
        for name in PLAYERS:
            cells.append(cell(rates[name], rates["mbx"]) if name in rates else "-")
        print(f"{game:<14}", *(f"{text:>20}" for text in cells))


if __name__ == "__main__":
    main()

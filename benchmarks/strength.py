"""Strength: a table of matches of AI against AI, from random openings.

    python benchmarks/strength.py [--games 5x5x5 4x4x4 connect-four] [--ais mcts:t alphabeta:6 …]
                                  [--gauntlet] [--openings 20] [--time 1] [--markdown] …

An AI is written as its name, a colon and its effort:

    random
    pmc:1000            so many playouts a move
    mcts:1000           so many simulations a move (with the solver)
    alphabeta:4         so many plies; options follow: alphabeta:4,threats,extend,weights=1-4-12-40;
                        ratio=4 stands for weights=1-4-16-…
    mcts:0.5s, mcts:t   by time, in seconds; t: that of --time

Each pair plays every opening twice, with both colours.  Openings are drawn from the seed, no two
of them images of each other; those that lose or win within four plies are left out.  An AI by time
uses one core; AIs by number of playouts, simulations or plies repeat their moves.

The score of an AI is its share of the points, a draw being half a point; the Elo difference is
400 log10(score / (1 - score)).  Both have a confidence of 95 %.
"""

from __future__ import annotations

import argparse
import math
import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

import mbx
from mbx.opponents import make_opponent
from mbx.tables import text_table

GAMES = {
    "5x5x5": mbx.games.RITTAI_GOMOKU,
    "4x4x4": mbx.games.SCORE_FOUR,
    "connect-four": mbx.games.CONNECT_FOUR,
}
AIS = ["alphabeta:t", "mcts:t", "pmc:t", "alphabeta:6", "alphabeta:4", "alphabeta:2"]
AIS += ["mcts:10000", "mcts:1000", "pmc:1000", "random"]
PLIES = 2  # of an opening
SURE = 4  # plies within which an opening must not be decided
UNLIMITED = 2**40  # playouts, where only the time is limited


# ---- AIs -----------------------------------------------------------------------------------------


class Ai(NamedTuple):
    """An AI as it is written, read."""

    kind: str
    n: int | None  # playouts, simulations, plies
    seconds: float | None  # in their place
    options: dict[str, Any]  # of alpha-beta

    def player(self, game: mbx.Game, seed: int) -> Any:
        """What plays one match with it."""
        if self.kind == "random":
            return mbx.RandomPlayer()
        if self.kind == "alphabeta":
            return self._alphabeta(game)
        if self.seconds is None:
            return {"pmc": mbx.PmcPlayer, "mcts": mbx.MctsPlayer}[self.kind](self.n)
        if self.kind == "pmc":
            return self._pmc
        opponent = make_opponent("mcts", timelimit=self.seconds, seed=seed)
        return lambda position: opponent.think(position).move  # keeps its tree, as in mbx.play

    def _alphabeta(self, game: mbx.Game) -> mbx.AlphaBetaPlayer:
        options = dict(self.options)
        if ratio := options.pop("ratio", None):
            options["weights"] = [ratio**n for n in range(game.k - 1)]
        return mbx.AlphaBetaPlayer(self.n or 1, timelimit=self.seconds, **options)

    def _pmc(self, position: mbx.Position) -> int:
        return mbx.pmc(position, UNLIMITED, timelimit=self.seconds, threads=1).move


def read_ai(text: str, seconds: float) -> Ai:
    """An AI from its text; ValueError where there is no such."""
    kind, _, rest = text.partition(":")
    effort, *options = rest.split(",")
    if kind not in ("random", "pmc", "mcts", "alphabeta") or (effort == "") != (kind == "random"):
        raise ValueError(f"no AI is written {text!r}: see --help")
    if options and kind != "alphabeta":
        raise ValueError(f"{kind} takes no options: {text!r}")
    read = dict(map(read_option, options))
    if effort == "t":
        return Ai(kind, None, seconds, read)
    if effort.endswith("s"):
        return Ai(kind, None, float(effort[:-1]), read)
    return Ai(kind, int(effort or 1), None, read)


def read_option(text: str) -> tuple[str, Any]:
    """An option of alpha-beta, and what it is."""
    name, _, value = text.partition("=")
    if name == "threats":
        return "evaluation", "threats"
    if name == "extend":
        return "extend", True
    if name == "weights":
        return "weights", [int(each) for each in value.split("-")]
    if name == "ratio":
        return "ratio", int(value)
    raise ValueError(f"alphabeta has no option {text!r}")


# ---- openings ------------------------------------------------------------------------------------


def least_image(position: mbx.Position) -> bytes:
    """The same for a position and all its images."""
    flat = position.to_array().ravel()
    images = np.empty_like(flat, shape=(len(position.game.symmetries), flat.size))
    np.put_along_axis(images, position.game.symmetries.astype(int), flat[np.newaxis], axis=1)
    return min(image.tobytes() for image in images)


def is_open(position: mbx.Position) -> bool:
    """Can nobody force the end within a few plies?"""
    return position.status < 0 and not mbx.alphabeta(position, SURE).proven


def all_openings(game: mbx.Game) -> Iterator[mbx.Position]:
    """Those that can be played."""
    for moves in product(range(game.n_moves), repeat=PLIES):
        try:
            yield game.position(moves)
        except mbx.IllegalMoveError:
            continue


def draw_openings(game: mbx.Game, n: int, seed: int) -> list[mbx.Position]:
    """Some openings, n or as many as there are."""
    found = {least_image(each): each for each in all_openings(game)}
    openings = [found[image] for image in sorted(found)]
    random.Random(seed).shuffle(openings)
    return [each for each in openings if is_open(each)][:n]


# ---- matches -------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two AIs that play each other at a game."""

    game: str
    a: str
    b: str


def play(
    pair: Pair, ais: dict[str, Ai], opening: mbx.Position, seed: int
) -> tuple[Pair, mbx.MatchResult]:
    """One opening, with both colours."""
    a, b = (ais[name].player(opening.game, seed) for name in (pair.a, pair.b))
    return pair, mbx.match(a, b, 1, start=opening, seed=seed, threads=1)


def play_all(pairs: list[Pair], arguments: argparse.Namespace) -> dict[Pair, mbx.MatchResult]:
    """What came of all the games of each pair."""
    openings = {
        game: draw_openings(GAMES[game], arguments.openings, arguments.seed)
        for game in {pair.game for pair in pairs}
    }
    jobs = [
        (pair, opening, arguments.seed + i)
        for pair in pairs
        for i, opening in enumerate(openings[pair.game])
    ]
    random.Random(0).shuffle(jobs)  # so that the bar tells how long it will take
    found: dict[Pair, list[mbx.MatchResult]] = {pair: [] for pair in pairs}
    with ThreadPoolExecutor(arguments.threads) as pool:
        try:
            futures = [pool.submit(play, pair, arguments.ais, *rest) for pair, *rest in jobs]
            for future in tqdm(futures, unit="pair", disable=arguments.quiet):
                pair, result = future.result()
                found[pair].append(result)
        except BaseException:
            pool.shutdown(cancel_futures=True, wait=False)
            raise
    return {pair: reduce(add, results) for pair, results in found.items()}


def add(a: mbx.MatchResult, b: mbx.MatchResult) -> mbx.MatchResult:
    """The matches as one."""
    return replace(a, counts=a.counts + b.counts, games=a.games + b.games)


# ---- tables --------------------------------------------------------------------------------------


def elo(score: float) -> float:
    """The difference in Elo that has this expected score."""
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def pair_rows(results: dict[Pair, mbx.MatchResult]) -> list[list[str]]:
    """A row for each pair."""
    rows = [["AI", "against", "games", "won", "drawn", "lost", "score", "95 %", "Elo", "95 %"]]
    for pair, result in results.items():
        won, lost, drawn = result.counts.sum(axis=0).tolist()
        low, high = result.score_interval
        rows.append(
            [pair.a, pair.b, *map(str, (2 * result.games, won, drawn, lost))]
            + [f"{result.score:.3f}", f"{low:.3f} to {high:.3f}", in_elo(result.score)]
            + [f"{in_elo(low)} to {in_elo(high)}"]
        )
    return rows


def in_elo(score: float) -> str:
    return f"{elo(score):+.0f}".replace("inf", "∞")


def ranking(results: dict[Pair, mbx.MatchResult]) -> list[list[str]]:
    """The AIs by their share of all their points."""
    scores: dict[str, list[float]] = {}
    for pair, result in results.items():
        scores.setdefault(pair.a, []).append(result.score)
        scores.setdefault(pair.b, []).append(1 - result.score)
    means = {name: float(np.mean(each)) for name, each in scores.items()}
    names = sorted(means, key=means.__getitem__, reverse=True)
    return [["AI", "mean score"], *([name, f"{means[name]:.3f}"] for name in names)]


def markdown_table(rows: list[list[str]]) -> list[str]:
    """A table as Markdown."""
    head, *body = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]


# ---- the command ---------------------------------------------------------------------------------


def read_arguments() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--ais", nargs="+", default=AIS, metavar="AI")
    parser.add_argument("--gauntlet", action="store_true", help="only pairs with the first AI")
    parser.add_argument("--openings", type=int, default=20, metavar="N", help="for each pair")
    parser.add_argument("--time", type=float, default=1.0, metavar="SECONDS", help="for a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="matches at once")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    arguments = parser.parse_args()
    if min(arguments.openings, arguments.threads, len(set(arguments.ais)) - 1) < 1:
        parser.error("there must be an opening, a thread and two AIs at least")
    try:
        arguments.ais = {text: read_ai(text, arguments.time) for text in arguments.ais}
    except ValueError as error:
        parser.error(str(error))
    return arguments


def main() -> None:
    """Play and print."""
    arguments = read_arguments()
    couples = list(combinations(arguments.ais, 2))
    if arguments.gauntlet:
        couples = couples[: len(arguments.ais) - 1]
    pairs = [Pair(game, *couple) for game in arguments.games for couple in couples]
    results = play_all(pairs, arguments)
    table: Callable[[list[list[str]]], list[str]] = (
        markdown_table if arguments.markdown else text_table
    )
    print(mbx.info(), f"t = {arguments.time:g} s a move", sep="\n")
    for game in arguments.games:
        of_game = {pair: result for pair, result in results.items() if pair.game == game}
        print("", game, sep="\n")
        if not arguments.gauntlet:
            print("", *table(ranking(of_game)), sep="\n")
        print("", *table(pair_rows(of_game)), sep="\n")


if __name__ == "__main__":
    main()

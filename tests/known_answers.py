"""Known answers of the stream, from its definition in plain Python.

Run as a script it writes known_answers.txt anew, which only a new number of the stream calls for.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from reference import Rules, play_all
from stream_reference import block_words, games, generator_state, sfc64

FILE = Path(__file__).with_name("known_answers.txt")
SHOWN = 2  # playouts whose moves are written out
MOST_ROWS = 25  # of counts that are written out
OUTCOMES = "first", "second", "draw"

HEAD = """\
Known answers of stream 1, as docs/stream.md defines it.

"words": the words K0 to K3 of a block, and the first words of its generators 0 to 7, in hex.

"playouts": n playouts of the position that the moves lead to. A line
    first move: won by the first side, won by the second, drawn
for every first move that was made; the same of all n, and the number of all moves of all playouts.
With more than 25 first moves the lines of single moves are left out. "counts" is the beginning of
the SHA-256 of these lines, in ASCII, each with a newline at its end; "games" is that of all
playouts, a line each like those of the first two.
"""


class Words(NamedTuple):
    seed: int
    row: int
    block: int


class Playouts(NamedTuple):
    rules: Rules
    moves: list[int]
    seed: int
    row: int
    n: int

    def __str__(self) -> str:
        return f"{self.rules}-{len(self.moves)}"

    @property
    def is_cheap(self) -> bool:
        """For the definition in Python."""
        return self.n * self.rules.n_cells < 15_000


def scattered(rules: Rules, n: int) -> list[int]:
    """n moves all over a flat board whose marks stand in a pattern with no three in a row."""
    cells = [i * 7 % rules.n_cells for i in range(rules.n_cells)]
    sides = [(x + 2 * y) // 2 % 2 for x, y in rules.coordinates]
    pairs = zip(*([c for c in cells if sides[c] == side] for side in (0, 1)), strict=False)
    return [cell for pair in pairs for cell in pair][:n]


SMALL, WIDE, FOUR = Rules((3, 3), 3), Rules((15, 15), 5), Rules((7, 6), 4, True)

WORDS = [
    Words(0, 0, 0),
    Words(1, 0, 0),
    Words(2**64, 0, 1),
    Words(2**128 - 1, 2**63 - 1, 2**50 - 1),
    Words(0x0123456789ABCDEF_FEDCBA9876543210, 5, 7),
]
PLAYOUTS = [
    Playouts(SMALL, [], 0, 0, 20_000),
    Playouts(SMALL, [], 2**128 - 1, 2**63 - 1, 100),
    Playouts(SMALL, [4, 0, 8], 1, 5, 1_500),
    Playouts(SMALL, [0, 1, 8, 5], 2**64, 1, 300),
    Playouts(SMALL, [0, 1, 2, 4, 3, 5], 2, 0, 300),
    Playouts(SMALL, [0, 1, 2, 4, 3, 5, 7], 3, 0, 300),
    Playouts(SMALL, [0, 1, 2, 4, 3, 5, 7, 6], 4, 0, 100),
    Playouts(SMALL, [0, 3, 1, 4, 2], 4, 0, 100),
    Playouts(Rules((4, 3), 3), [0], 5, 0, 1_000),
    Playouts(Rules((4, 4), 4), [], 6, 0, 900),
    Playouts(Rules((5, 5), 4), [], 7, 0, 500),
    Playouts(Rules((5, 5), 4), [12, 7], 7, 1, 500),
    Playouts(Rules((1, 1), 1), [], 8, 0, 100),
    Playouts(Rules((3, 2), 1), [], 8, 1, 100),
    Playouts(Rules((2, 2), 3), [], 9, 0, 200),
    Playouts(Rules((2, 2, 2), 2), [], 10, 0, 300),
    Playouts(Rules((3, 3, 3), 3), [13], 11, 0, 300),
    Playouts(Rules((4, 4, 4), 4), [], 12, 0, 200),
    Playouts(Rules((8, 8), 9), [], 13, 0, 100),
    Playouts(Rules((9, 9), 5), [], 14, 0, 150),
    Playouts(Rules((9, 9), 5), scattered(Rules((9, 9), 5), 41), 15, 0, 200),
    Playouts(Rules((10, 10), 6), [], 16, 0, 100),
    Playouts(Rules((127, 1), 3), [], 17, 0, 100),
    Playouts(Rules((16, 8), 5), [], 18, 0, 100),
    Playouts(Rules((43, 3), 3), [], 19, 0, 100),
    Playouts(Rules((5, 26), 4), [], 20, 0, 100),
    Playouts(WIDE, [], 21, 0, 1_100),
    Playouts(WIDE, [112, 111], 22, 3, 60),
    Playouts(WIDE, scattered(WIDE, 96), 23, 0, 60),
    Playouts(WIDE, scattered(WIDE, 97), 24, 0, 60),
    Playouts(WIDE, scattered(WIDE, 120), 25, 0, 1_100),
    Playouts(Rules((255, 1), 5), [], 26, 0, 50),
    Playouts(Rules((1, 255), 20), [], 27, 0, 50),
    Playouts(Rules((3, 3), 3, True), [], 28, 0, 9_000),
    Playouts(Rules((3, 3), 3, True), [0, 1, 2, 0], 29, 0, 500),
    Playouts(FOUR, [], 2**127, 2**32, 350),
    Playouts(FOUR, [3, 3, 3, 3, 3, 3, 0], 30, 0, 350),
    Playouts(FOUR, [0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3, 31, 0, 350),
    Playouts(Rules((3, 2), 1, True), [], 32, 0, 300),
    Playouts(Rules((2, 2), 3, True), [1], 33, 0, 300),
    Playouts(Rules((5, 4), 4, True), [2, 2], 34, 0, 300),
    Playouts(Rules((9, 7), 4, True), [], 35, 0, 200),
    Playouts(Rules((8, 8), 5, True), [], 36, 0, 200),
    Playouts(Rules((1, 20), 4, True), [], 37, 0, 100),
    Playouts(Rules((2, 30), 4, True), [], 38, 0, 200),
    Playouts(Rules((20, 2), 3, True), [], 39, 0, 300),
    Playouts(Rules((2, 3, 4), 2, True), [], 40, 0, 300),
    Playouts(Rules((4, 4, 4), 4, True), [5], 41, 0, 200),
    Playouts(Rules((5, 5, 5), 5, True), [], 42, 0, 100),
    Playouts(Rules((2, 65), 4, True), [], 43, 0, 1_100),
    Playouts(Rules((17, 15), 6, True), [8], 44, 0, 40),
    Playouts(Rules((255, 1), 4, True), [], 45, 0, 40),
]


def digest(lines: list[str]) -> str:
    return hashlib.sha256("".join(line + "\n" for line in lines).encode("ascii")).hexdigest()[:16]


def describe_words(words: Words) -> str:
    key = block_words(*words)
    lines = [f"words: seed {words.seed:#x}, row {words.row}, block {words.block}"]
    lines.append("K0 to K3: " + " ".join(f"{k:016x}" for k in key))
    for i in range(8):
        first = islice(sfc64(*generator_state(key, i)), 3)
        lines.append(f"generator {i}: " + " ".join(f"{w:016x}" for w in first))
    return "\n".join(lines) + "\n"


def describe_playouts(asked: Playouts, played: Iterable[tuple[list[int], int]]) -> str:
    played = list(played)
    counts = Counter((moves[0], outcome) for moves, outcome in played)
    total = Counter(outcome for _, outcome in played)
    games = [f"{' '.join(map(str, moves))}: {OUTCOMES[outcome]}" for moves, outcome in played]
    rows = [
        f"{move}: {counts[move, 0]} {counts[move, 1]} {counts[move, 2]}"
        for move in sorted({move for move, _ in counts})
    ]
    lines = [
        f"playouts: shape {'x'.join(map(str, asked.rules.shape))}, k {asked.rules.k}, "
        f"{'gravity' if asked.rules.gravity else 'no gravity'}, "
        f"seed {asked.seed:#x}, row {asked.row}, n {asked.n}",
        f"moves: {' '.join(map(str, asked.moves))}".rstrip(),
        *(f"playout {i}: {game}" for i, game in enumerate(games[:SHOWN])),
        *(rows if len(rows) <= MOST_ROWS else []),
        f"all: {total[0]} {total[1]} {total[2]}, moves {sum(len(moves) for moves, _ in played)}",
        f"counts: {digest(rows)}",
        f"games: {digest(games)}",
    ]
    return "\n".join(lines) + "\n"


def expected_games(asked: Playouts) -> list[tuple[list[int], int]]:
    board = play_all(asked.rules, asked.moves)
    played = games(asked.rules, board, asked.seed, asked.row, asked.n)
    return [(game.moves, game.outcome) for game in played]


def read() -> list[str]:
    """The answers of WORDS, then those of PLAYOUTS."""
    text = FILE.read_text(encoding="ascii")
    assert text.startswith(HEAD)
    return [block.rstrip("\n") + "\n" for block in text[len(HEAD) :].strip("\n").split("\n\n")]


def main() -> None:
    answers = [describe_words(words) for words in WORDS]
    answers += [describe_playouts(asked, expected_games(asked)) for asked in PLAYOUTS]
    FILE.write_text("\n".join([HEAD, *answers]), encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()

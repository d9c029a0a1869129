"""Every count of mbx is that of the stream's definition, playout for playout."""

from __future__ import annotations

import random
from itertools import islice

import known_answers as known
import numpy as np
import pytest
import reference as ref
from reference import Rules, play_all
from stream_reference import (
    GAMMA,
    WORD,
    block_games,
    block_size,
    block_words,
    games,
    generator_state,
    mix,
    playouts,
    products,
    sfc64,
    stage_ends,
    tries,
)

import mbx
from mbx import _core

ANSWERS = known.read()
PLAYOUT_ANSWERS = list(zip(known.PLAYOUTS, ANSWERS[len(known.WORDS) :], strict=True))

SMALL, GRAVITY = Rules((3, 3), 3), Rules((3, 3), 3, True)
LARGE = Rules((15, 15), 5)
LARGE_MOVES = known.scattered(LARGE, 150)


def brief(value) -> str:
    return f"{len(value)} moves" if isinstance(value, list) else str(value)


def start(rules: Rules, moves: list[int]) -> mbx.Position:
    return mbx.Game(*rules.args).position(moves)


def count(rules: Rules, played) -> np.ndarray:
    counts = np.zeros((rules.n_moves, 3), np.int64)
    for moves, outcome, *_ in played:
        counts[moves[0], outcome] += 1
    return counts


# -- words


def test_the_definition_has_its_number() -> None:
    assert mbx.STREAM == 1


def test_philox_and_splitmix_give_the_published_words() -> None:
    """Random123's philox4x64-10 of zeros, and SplitMix64 from the seed 1234567."""
    assert block_words(0, 0, 0) == [
        0x16554D9ECA36314C,
        0xDB20FE9D672D0FDC,
        0xD7E772CEE186176B,
        0x7E68B68AEC7BA23B,
    ]
    assert [mix((1234567 + i * GAMMA) % WORD) for i in (1, 2, 3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_sfc64_is_that_of_numpy() -> None:
    state = generator_state(block_words(1, 2, 3), 5)
    generator = np.random.SFC64()
    generator.state = generator.state | {"state": {"state": np.array(state, np.uint64)}}
    assert list(islice(sfc64(*state), 1_000)) == generator.random_raw(1_000).tolist()


def test_the_block_is_the_counters_first_word_and_the_row_its_second() -> None:
    """NumPy's generator, started once, counts through the blocks."""
    raw = np.random.Philox(key=7, counter=(5 << 64) - 1).random_raw(12).tolist()
    assert [block_words(7, 5, block) for block in range(3)] == [raw[:4], raw[4:8], raw[8:]]


@pytest.mark.parametrize("i", range(len(known.WORDS)))
def test_words_are_the_known_answers(i: int) -> None:
    assert known.describe_words(known.WORDS[i]) == ANSWERS[i]


# -- known answers


@pytest.mark.parametrize(("asked", "answer"), PLAYOUT_ANSWERS, ids=map(str, known.PLAYOUTS))
def test_games_are_the_known_answers(asked: known.Playouts, answer: str) -> None:
    position = start(asked.rules, asked.moves)
    played = mbx.playout_games(position, asked.n, asked.seed, first_row=asked.row)
    n_moves, outcomes = played.lengths.tolist(), played.outcomes.tolist()
    rows = zip(played.moves.tolist(), n_moves, outcomes, strict=True)
    found = [(moves[:length], outcome) for moves, length, outcome in rows if length]
    assert known.describe_playouts(asked, found) == answer


@pytest.mark.parametrize(("asked", "answer"), PLAYOUT_ANSWERS, ids=map(str, known.PLAYOUTS))
def test_counts_are_the_known_answers(asked: known.Playouts, answer: str) -> None:
    position = start(asked.rules, asked.moves)
    counts = mbx.playout_counts(position, asked.n, asked.seed, first_row=asked.row)
    legal = position.legal_moves.tolist()
    assert len(counts) == len(legal)
    rows = [(m, *row) for m, row in zip(legal, counts.tolist(), strict=True) if any(row)]
    lines = ["{}: {} {} {}".format(*row) for row in rows]
    assert f"\ncounts: {known.digest(lines)}\n" in answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [pair for pair in PLAYOUT_ANSWERS if pair[0].is_cheap],
    ids=[str(asked) for asked in known.PLAYOUTS if asked.is_cheap],
)
def test_the_definition_gives_the_known_answers(asked: known.Playouts, answer: str) -> None:
    assert known.describe_playouts(asked, known.expected_games(asked)) == answer


# -- one by one


SINGLE = [
    (SMALL, [], 150),
    (SMALL, [4, 0, 8], 150),
    (Rules((8, 8), 5), [], 100),
    (Rules((43, 3), 3), [], 70),
    (LARGE, LARGE_MOVES, 70),
    (GRAVITY, [], 300),
    (Rules((7, 6), 4, True), [3, 3, 3], 300),
    (Rules((5, 5, 5), 5, True), [], 70),
]
single = pytest.mark.parametrize(("rules", "moves", "n"), SINGLE, ids=brief)


@single
def test_every_playout_is_that_of_the_definition(rules: Rules, moves: list[int], n: int) -> None:
    position, board = start(rules, moves), play_all(rules, moves)
    for i, game in enumerate(games(rules, board, 3, 1, n)):
        found = _core.playout_counts([position], 3, 1, i, 1, None)
        assert np.array_equal(found[0], count(rules, [game])), i


@single
def test_fewer_playouts_are_the_first_of_more(rules: Rules, moves: list[int], n: int) -> None:
    """In the definition, too: it does not play on what it is not asked for."""
    position, board = start(rules, moves), play_all(rules, moves)
    every = list(games(rules, board, 4, 0, n))
    for fewer in {0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 129, 255, 256, 257} & set(range(n)):
        assert list(games(rules, board, 4, 0, fewer)) == every[:fewer]
        counts = mbx.playout_counts(position, fewer, seed=4)
        assert np.array_equal(counts, count(rules, every[:fewer])[position.legal_moves])


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (SMALL, [4]),
        (Rules((16, 8), 3), []),  # 128 cells
        (Rules((43, 3), 3), []),  # 129
        (LARGE, LARGE_MOVES),
        (GRAVITY, [1]),
        (Rules((2, 64), 2, True), []),
        (Rules((3, 43), 3, True), []),
    ],
    ids=brief,
)
@pytest.mark.parametrize("block", [0, 2**40])
def test_ranges_over_the_end_of_a_block(rules: Rules, moves: list[int], block: int) -> None:
    position, board, size = start(rules, moves), play_all(rules, moves), block_size(rules)
    assert _core.playout_block(position.game) == size
    near = block_games(rules, board, 5, 2, block, size)
    after = list(block_games(rules, board, 5, 2, block + 1, 70))
    last = list(near)[-70:]
    for before, number in [(1, 1), (1, 2), (3, 6), (64, 65), (70, 140), (0, 1)]:
        first = (block + 1) * size - before
        found = _core.playout_counts([position], 5, 2, first, number, None)
        expected = (last[len(last) - before :] + after)[:number]
        assert np.array_equal(found[0], count(rules, expected)), (before, number)


@pytest.mark.parametrize("row", [0, 1, 2, 2**32, 2**63 - 1])
@pytest.mark.parametrize("rules", [SMALL, GRAVITY], ids=str)
def test_rows_are_streams_of_their_own(rules: Rules, row: int) -> None:
    counts = mbx.playout_counts(start(rules, []), 200, seed=2**100 + 17, first_row=row)
    assert np.array_equal(counts, count(rules, games(rules, rules.start, 2**100 + 17, row, 200)))


# -- any game

ALL_EMPTY = [Rules((1, n), 4) for n in (*range(1, 10), 15, 16, 17, 31, 33, 63, 64, 65)]
ALL_EMPTY += [Rules((n, 1), 5) for n in (100, 125, 127, 128, 129, 130, 144, 200, 254, 255)]
ALL_COLUMNS = [Rules((n, 3), 3, True) for n in (*range(1, 18), 24, 25, 31, 32, 33, 63, 64, 65, 85)]


@pytest.mark.parametrize("rules", ALL_EMPTY + ALL_COLUMNS, ids=str)
def test_every_number_of_cells_and_columns(rules: Rules) -> None:
    n = 40 if rules.n_cells > 65 else 130
    counts = mbx.playout_counts(start(rules, []), n, seed=8)
    assert np.array_equal(counts, count(rules, games(rules, rules.start, 8, 0, n)))


def random_rules(rng: random.Random) -> Rules:
    dimensions = rng.choice((2, 2, 3))
    while True:
        shape = tuple(rng.choice((1, 2, 3, 4, 5, 6, 7, 9, 13)) for _ in range(dimensions))
        if np.prod(shape) <= 255:
            return Rules(shape, rng.randint(1, 6), rng.random() < 0.5)


@pytest.mark.parametrize("seed", range(60))
def test_any_position(seed: int) -> None:
    """A random game and position, some of its playouts."""
    rng = random.Random(seed)
    rules = random_rules(rng)
    moves = ref.random_game(rules, rng)
    moves = moves[: rng.randrange(len(moves) + 1)]
    n = min(200, 1 + rng.randrange(12_000) // rules.n_cells)
    row, key = rng.getrandbits(40), rng.getrandbits(128)
    position = start(rules, moves)
    expected = playouts(rules, play_all(rules, moves), key, row, n)
    counts = mbx.playout_counts(position, n, key, first_row=row)
    legal = position.legal_moves.tolist()
    assert counts.tolist() == [[expected[move, o] for o in range(3)] for move in legal]


# -- the definition itself


def test_products_of_factors() -> None:
    """Worked out by hand from docs/stream.md."""
    assert [products(e) for e in (1, 2, 3, 4, 5)] == [[], [[2]], [[6]], [[6, 4]], [[6, 4, 5]]]
    assert products(15) == [[6, 4, 5, 6, 7], [8, 9, 10], [11], [12, 13, 14, 15]]
    assert products(128)[-3:] == [[126], [127], [128]]


def test_ends_of_stages() -> None:
    assert stage_ends(225, 5) == [140, 168, 196, 224, 225]
    assert stage_ends(129, 8) == stage_ends(129, 100) == [129]
    assert stage_ends(255, 1) == [31, 62, 93, 124, 155, 186, 217, 248, 255]


def test_tries_of_a_column() -> None:
    expected = {1: 1, 2: 1, 3: 2, 4: 1, 5: 3, 6: 2, 7: 2, 8: 1, 9: 4, 15: 1, 16: 1, 17: 4, 25: 2}
    assert {columns: tries(columns) for columns in expected} == expected

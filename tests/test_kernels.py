"""Every kernel gives the same counts, bit for bit, and these have the exact chances."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache
from itertools import islice, product

import numpy as np
import pytest
import reference as ref
from reference import Rules
from stream_reference import block_size, games

import mbx
from mbx import _core

SEED = 0x0123456789ABCDEF_FEDCBA9876543210
KERNELS = _core.KERNELS

FREE = [
    Rules((1, 1), 1),
    Rules((2, 1), 2),
    Rules((3, 1), 3),
    Rules((2, 2), 2),
    Rules((5, 1), 3),
    Rules((3, 2), 3),
    Rules((3, 2), 1),
    Rules((7, 1), 3),
    Rules((2, 2, 2), 2),
    Rules((3, 3), 3),
    Rules((4, 4), 4),
    Rules((5, 5), 4),
    Rules((5, 5), 6),  # no line fits
    Rules((3, 3, 3), 3),
    Rules((4, 4, 4), 4),
    Rules((8, 8), 5),
    Rules((13, 5), 4),
    Rules((9, 9), 5),
    Rules((10, 10), 5),
    Rules((128, 1), 5),
    Rules((16, 8), 5),
    Rules((43, 3), 3),
    Rules((129, 1), 7),
    Rules((5, 51), 1),
    Rules((12, 12), 6),
    Rules((14, 14), 8),
    Rules((6, 6, 6), 5),
    Rules((15, 15), 5),
    Rules((15, 15), 16),
    Rules((255, 1), 5),
    Rules((1, 255), 9),
]
GRAVITY = [
    Rules((1, 1), 1, True),
    Rules((3, 2), 1, True),
    Rules((2, 2), 3, True),
    Rules((3, 3), 3, True),
    Rules((1, 9), 3, True),
    Rules((9, 1), 3, True),
    Rules((4, 4), 4, True),
    Rules((7, 6), 4, True),
    Rules((7, 9), 4, True),
    Rules((8, 8), 5, True),
    Rules((8, 8), 9, True),
    Rules((20, 2), 3, True),
    Rules((2, 30), 4, True),
    Rules((16, 8), 5, True),
    Rules((2, 2, 2), 2, True),
    Rules((3, 4, 5), 3, True),
    Rules((4, 4, 4), 4, True),
    Rules((5, 5, 5), 5, True),
    Rules((2, 65), 3, True),
    Rules((6, 6, 6), 5, True),
    Rules((17, 15), 5, True),
    Rules((255, 1), 4, True),
    Rules((1, 255), 4, True),
]
GAMES = FREE + GRAVITY


def brief(value) -> str:
    return f"{len(value)} moves" if isinstance(value, list) else str(value)


def filled(rules: Rules, n_stones: int, rng: random.Random) -> mbx.Position:
    """A position with that many stones and no line, or fewer stones where that is not found."""
    position = mbx.Game(*rules.args).start()
    while position.ply < n_stones:
        for move in rng.sample(list(position.legal_moves), len(position.legal_moves)):
            position.push(move)
            if position.status == -1:
                break
            position.pop()
        else:
            break
    return position


def finished(rules: Rules, rng: random.Random) -> mbx.Position:
    position = mbx.Game(*rules.args).start()
    while position.status == -1:
        position.push(rng.choice(list(position.legal_moves)))
    return position


@cache
def samples(rules: Rules) -> list[mbx.Position]:
    """Different positions of the game: from empty to nearly full, and two that are finished."""
    rng, n = random.Random(str(rules)), rules.n_cells
    stones = [0, n // 2, n - 2, 1, n // 3, n - 1, n - 3, 2 * n // 3]
    found = [filled(rules, each, rng) for each in stones]
    return [*found[:3], finished(rules, rng), *found[3:], finished(rules, rng)]


def ranges(rules: Rules) -> list[tuple[int, int]]:
    """(first, number): many numbers from the start on, and some from many starts."""
    block = block_size(rules)
    numbers = [0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, block - 1, block, block + 1]
    firsts = [1, 63, 64, 65, 1_000, block - 1, block + 3]
    return [(0, number) for number in numbers] + [*product(firsts, (1, 100)), (65, block)]


@cache
def portable(rules: Rules, sample: int) -> list[np.ndarray]:
    position = samples(rules)[sample]
    return [
        _core.playout_counts([position], SEED, 3, *each, None, "portable") for each in ranges(rules)
    ]


# -- kernels


def test_the_names_of_kernels() -> None:
    assert isinstance(KERNELS, tuple) and KERNELS[0] == "portable"
    assert set(KERNELS) <= {"portable", "sse42", "avx2", "avx512", "neon"}
    assert len(set(KERNELS)) == len(KERNELS) and _core.KERNEL in KERNELS


def test_an_unknown_kernel_is_refused() -> None:
    position = mbx.games.MARUBATSU.start()
    for wrong in ("", "Portable", "avx3"):
        with pytest.raises(ValueError, match="portable"):
            _core.playout_counts([position], 1, 0, 0, 10, None, wrong)
    with pytest.raises(TypeError):
        _core.playout_counts([position], 1, 0, 0, 10, None, 1)


@pytest.mark.parametrize("name", KERNELS)
def test_the_environment_chooses_a_kernel(run, name: str) -> None:
    code = """
import mbx
from mbx import _core
print(_core.KERNEL, mbx.playout_counts(mbx.games.MARUBATSU.start(), 1_000, seed=1).tolist())
"""
    counts = mbx.playout_counts(mbx.games.MARUBATSU.start(), 1_000, seed=1).tolist()
    assert run(code, env={"MBX_KERNEL": name}).stdout == f"{name} {counts}\n"


def test_a_wrong_name_in_the_environment_is_an_error(run) -> None:
    done = run("import mbx", env={"MBX_KERNEL": "fastest"}, check=False)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert "fastest" in last and all(name in last for name in KERNELS), last


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_the_portable_kernel_gives_as_many_as_asked_for(rules: Rules) -> None:
    for sample, position in enumerate(samples(rules)[:4]):
        running = position.status == -1
        for (_, number), counts in zip(ranges(rules), portable(rules, sample), strict=True):
            assert counts.shape == (1, rules.n_moves, 3) and counts.dtype == np.int64
            assert counts.sum() == number * running
            assert not np.delete(counts, position.legal_moves, axis=1).any()


@pytest.mark.parametrize("kernel", KERNELS[1:])
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_kernels_equal_the_portable_one(rules: Rules, kernel: str) -> None:
    for sample, position in enumerate(samples(rules)[:4]):
        for each, expected in zip(ranges(rules), portable(rules, sample), strict=True):
            counts = _core.playout_counts([position], SEED, 3, *each, None, kernel)
            assert np.array_equal(counts, expected), (str(position), each)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_batches_are_their_rows(rules: Rules, kernel: str) -> None:
    """Finished positions among them, and more positions than fit into one vector."""
    batch = samples(rules) * 2
    for first, number in [(0, 1), (0, 17), (63, 70), (block_size(rules) - 5, 10)]:
        counts = _core.playout_counts(batch, SEED, 7, first, number, None, kernel)
        assert counts.shape == (len(batch), rules.n_moves, 3) and counts.dtype == np.int64
        for i, position in enumerate(batch):
            one = _core.playout_counts([position], SEED, 7 + i, first, number, None, "portable")
            assert np.array_equal(counts[i], one[0]), (str(position), first, number)


@pytest.mark.parametrize("kernel", KERNELS)
def test_batches_of_any_size(kernel: str) -> None:
    for rules in (Rules((3, 3), 3), Rules((7, 6), 4, True)):
        every = (samples(rules) * 30)[:257]
        whole = _core.playout_counts(every, SEED, 0, 0, 5, None, kernel)
        for size in (1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 65, 256):
            part = _core.playout_counts(tuple(every[:size]), SEED, 0, 0, 5, None, kernel)
            assert np.array_equal(part, whole[:size])


@pytest.mark.parametrize("rules", [Rules((3, 3), 3), Rules((15, 15), 5), Rules((7, 6), 4, True)])
def test_threads_change_nothing(rules: Rules) -> None:
    batch = samples(rules)
    n = 40_000 if rules.n_cells < 100 else 3_000
    single, rows = (mbx.playout_counts(what, n, seed=5, threads=1) for what in (batch[0], batch))
    for threads in (2, 3, 8):
        assert np.array_equal(mbx.playout_counts(batch[0], n, seed=5, threads=threads), single)
        assert np.array_equal(mbx.playout_counts(batch, n, seed=5, threads=threads), rows)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_cancelled_call_ends_early(kernel: str) -> None:
    for rules in (Rules((3, 3), 3), Rules((15, 15), 5), Rules((7, 6), 4, True)):
        batch = [mbx.Game(*rules.args).start()]
        with pytest.raises(InterruptedError):
            _core.playout_counts(batch, 1, 0, 0, 2**50, bytearray([1]), kernel)


# -- lines of both sides within a pair


@pytest.mark.parametrize(
    ("rules", "moves", "n"),
    [
        (Rules((3, 2), 1, True), [], 70),
        (Rules((3, 3), 3, True), [], 300),
        (Rules((7, 6), 4, True), [], 300),
        (Rules((7, 6), 4, True), [2, 3, 2, 3, 2, 3], 200),  # each may complete its column
        (Rules((7, 6), 4, True), [2, 3, 2, 3, 2, 3, 0], 200),
    ],
    ids=brief,
)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_first_line_of_a_pair_decides(
    rules: Rules, moves: list[int], n: int, kernel: str
) -> None:
    """Where both sides got a line before lines were looked at, the earlier one counts."""
    position, board = mbx.Game(*rules.args).position(moves), ref.play_all(rules, moves)
    both = [(i, game) for i, game in enumerate(games(rules, board, 6, 0, n)) if game.both]
    assert len(both) > 3
    for i, game in both:
        replayed = position.copy()
        for move in game.moves:
            assert replayed.status == -1
            replayed.push(move)
        assert replayed.status == game.outcome
        counts = _core.playout_counts([position], 6, 0, i, 1, None, kernel)
        assert np.argwhere(counts[0]).tolist() == [[game.moves[0], game.outcome]]


# -- statistics, at 5 standard errors


def chi_square(counts, chances) -> float:
    """Deviation of counts from chances, in standard errors.

    By Wilson and Hilferty the cube root of chi-square is nearly normal, for few degrees of freedom
    and far out, too.
    """
    counts, chances = np.ravel(counts), np.ravel(chances)
    assert not counts[chances == 0].any()
    counts, expected = counts[chances > 0], chances[chances > 0] * counts.sum()
    if len(counts) == 1:
        return 0.0
    freedom = len(counts) - 1
    square = ((counts - expected) ** 2 / expected).sum()
    variance = 2 / (9 * freedom)
    return float((np.cbrt(square / freedom) - (1 - variance)) / math.sqrt(variance))


LATE = [0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3  # Connect Four with three open columns
EXACT = {  # what mbx.move_probabilities gives, in half a minute
    Rules((4, 3), 3): [
        "87/154 17/42 1/33",
        "27/44 47/132 1/33",
        "27/44 47/132 1/33",
        "87/154 17/42 1/33",
        "3067/6300 33463/69300 1/33",
        "19/28 269/924 1/33",
        "19/28 269/924 1/33",
        "3067/6300 33463/69300 1/33",
        "87/154 17/42 1/33",
        "27/44 47/132 1/33",
        "27/44 47/132 1/33",
        "87/154 17/42 1/33",
    ],
    Rules((4, 4), 4, True): [
        "1594043449/5159780352 33811536143/165112971264 80292044753/165112971264",
        "7821366389/30958682112 132269521769/495338913792 237927529799/495338913792",
        "7821366389/30958682112 132269521769/495338913792 237927529799/495338913792",
        "1594043449/5159780352 33811536143/165112971264 80292044753/165112971264",
    ],
}


def chances_of(rules: Rules, position: mbx.Position) -> np.ndarray:
    """Those of every (first move, outcome)."""
    if rules in EXACT and position.ply == 0:
        rows = np.array([[float(Fraction(p)) for p in row.split()] for row in EXACT[rules]])
    else:
        rows = mbx.move_probabilities(position)
    return rows / len(rows)


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (Rules((3, 3), 3), []),
        (Rules((3, 3), 3), [0, 1, 8, 5]),
        (Rules((3, 3), 3), [2, 4, 3, 5]),
        (Rules((4, 3), 3), []),
        (Rules((4, 3), 3), [0, 1, 5]),
        (Rules((15, 15), 5), "all but 7"),
        (Rules((4, 4), 4, True), []),
        (Rules((4, 4), 4, True), [1, 1, 1]),
        (Rules((7, 6), 4, True), LATE),
        (Rules((7, 6), 4, True), LATE + [4, 5, 4, 5, 6]),
        (Rules((3, 3, 3), 3, True), "all but 9"),
    ],
    ids=brief,
)
def test_first_moves_and_outcomes_have_their_exact_chances(rules: Rules, moves) -> None:
    if isinstance(moves, str):
        position = filled(rules, rules.n_cells - int(moves.split()[-1]), random.Random(1))
    else:
        position = mbx.Game(*rules.args).position(moves)
    chances = chances_of(rules, position)
    for seed in (1, 2):
        counts = mbx.playout_counts(position, 400_000, seed=seed)
        assert abs(chi_square(counts, chances)) < 5
        assert abs(chi_square(counts.sum(axis=0), chances.sum(axis=0))) < 5
        assert abs(chi_square(counts.sum(axis=1), chances.sum(axis=1))) < 5


@pytest.mark.parametrize(
    "rules", [rules for rules in GAMES if rules.n_moves > 1 and rules.n_cells > 20], ids=brief
)
def test_first_moves_are_uniform(rules: Rules) -> None:
    for position in samples(rules)[:2]:
        counts = mbx.playout_counts(position, 20_000, seed=9).sum(axis=1)
        assert abs(chi_square(counts, np.full(len(counts), 1 / len(counts)))) < 5


@pytest.mark.parametrize("position", [(), (0, 1, 8, 5)], ids=brief)
def test_the_scalar_loop_has_the_exact_chances(position: tuple[int, ...]) -> None:
    """It has a stream of its own."""
    for game in (mbx.games.MARUBATSU, mbx.Game((3, 3), 3, True)):
        start = game.position([move % game.n_moves for move in position])
        counts = _core.scalar_counts(start, 1, 0, 0, 200_000, None)
        assert counts.sum() == 200_000
        chances = chances_of(Rules(game.shape, game.k, game.gravity), start)
        assert abs(chi_square(counts.reshape(-1, 3)[start.legal_moves], chances)) < 5


@cache
def length_chances(rules: Rules, board: ref.Board) -> dict[int, Fraction]:
    """The exact distribution of the number of moves to the end."""
    legal = ref.legal_moves(rules, board)
    if not legal:
        return {0: Fraction(1)}
    chances: dict[int, Fraction] = {}
    for move in legal:
        for length, p in length_chances(rules, ref.play(rules, board, move)).items():
            chances[length + 1] = chances.get(length + 1, 0) + p / len(legal)
    return chances


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (Rules((3, 3), 3), []),
        (Rules((4, 3), 3), [0, 1, 5, 6, 10]),
        (Rules((3, 3), 3, True), []),
        (Rules((4, 3), 4, True), []),
        (Rules((7, 6), 4, True), LATE + [4, 5, 4, 5, 6, 6, 4, 5]),
    ],
    ids=brief,
)
def test_lengths_have_their_exact_chances(rules: Rules, moves: list[int]) -> None:
    position = mbx.Game(*rules.args).position(moves)
    chances = length_chances(rules, ref.play_all(rules, moves))
    lengths = np.bincount(mbx.playout_games(position, 100_000, seed=12).lengths)
    expected = np.array([float(chances.get(i, 0)) for i in range(max(chances) + 1)])
    assert len(lengths) <= len(expected)
    assert abs(chi_square(np.pad(lengths, (0, len(expected) - len(lengths))), expected)) < 5


def simulated(rules: Rules, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and outcomes of n random games by NumPy: every board is filled, then lines sought."""
    rng = np.random.default_rng(2024)
    times = np.argsort(rng.random((n, rules.n_cells)), axis=1)
    if rules.gravity:
        heights = np.zeros((n, rules.n_moves), np.int64)
        for time in range(rules.n_cells):
            weights = rng.random(heights.shape) * (heights * rules.n_moves < rules.n_cells)
            columns = weights.argmax(axis=1)
            times[np.arange(n), columns + rules.n_moves * heights[np.arange(n), columns]] = time
            heights[np.arange(n), columns] += 1
    lengths, outcomes = np.full(n, rules.n_cells), np.full(n, 2)
    for line in rules.lines:
        of_line = times[:, list(line)]
        sides = of_line % 2
        end = np.where((sides == sides[:, :1]).all(axis=1), of_line.max(axis=1) + 1, 1_000)
        earlier = end < lengths + (outcomes == 2)  # a draw and a line may take the last cell
        lengths = np.where(earlier, end, lengths)
        outcomes = np.where(earlier, (end - 1) % 2, outcomes)
    return lengths, outcomes


@pytest.mark.parametrize(
    "rules",
    [
        Rules((5, 5), 4),
        Rules((16, 8), 5),
        Rules((43, 3), 3),
        Rules((15, 15), 5),
        Rules((7, 6), 4, True),
        Rules((4, 4, 4), 4, True),
    ],
    ids=brief,
)
def test_lengths_and_outcomes_are_those_of_another_simulation(rules: Rules) -> None:
    n, m = 5_000, 20_000
    played = mbx.playout_games(mbx.Game(*rules.args).start(), m, seed=13)
    lengths, outcomes = simulated(rules, n)
    for found, expected in [
        (played.lengths, lengths),
        (played.outcomes == 0, outcomes == 0),
        (played.lengths < np.median(lengths), lengths < np.median(lengths)),
    ]:
        error = math.sqrt(found.var() / m + expected.var() / n)
        assert abs(found.mean() - expected.mean()) < 5 * error


def test_whole_orders_are_uniform() -> None:
    """Without a line that fits every order of the cells is a game."""
    for shape, seed in [((3, 2), 1), ((1, 5), 2), ((4, 1), 3)]:
        cells = math.prod(shape)
        moves = mbx.playout_games(mbx.Game(shape, 7).start(), 200_000, seed=seed).moves
        assert (np.sort(moves, axis=1) == np.arange(cells)).all()
        _, counts = np.unique(moves, axis=0, return_counts=True)
        orders = math.factorial(cells)
        assert len(counts) == orders
        assert abs(chi_square(counts, np.full(orders, 1 / orders))) < 5


def test_whole_orders_of_columns_have_their_chances() -> None:
    game = mbx.Game((3, 2), 4, True)
    moves = mbx.playout_games(game.start(), 200_000, seed=4).moves
    orders, counts = np.unique(moves, axis=0, return_counts=True)
    chances = []
    for order in orders.tolist():
        opened = [sum(order[:i].count(c) < 2 for c in range(3)) for i in range(6)]
        chances.append(1 / math.prod(opened))
    assert math.isclose(sum(chances), 1)
    assert abs(chi_square(counts, np.array(chances))) < 5


@pytest.mark.parametrize("rules", [Rules((8, 8), 9), Rules((15, 15), 16), Rules((5, 26), 27)])
def test_cells_are_uniform_at_every_time(rules: Rules) -> None:
    n, cells = 10_000, rules.n_cells
    moves = mbx.playout_games(mbx.Game(*rules.args).start(), n, seed=14).moves
    errors = []
    for time in range(cells):
        counts = np.bincount(moves[:, time], minlength=cells)
        errors.append(chi_square(counts, np.full(cells, 1 / cells)))
    assert max(map(abs, errors)) < 6  # the greatest of many
    assert abs(sum(errors)) / math.sqrt(cells) < 5
    for time in range(0, cells - 1, 7):  # the next cell, seen from a cell, is any of the others
        steps = (moves[:, time + 1].astype(int) - moves[:, time]) % cells
        assert abs(chi_square(np.bincount(steps)[1:], np.full(cells - 1, 1 / (cells - 1)))) < 6


INDEPENDENT = [
    Rules((3, 3), 3),
    Rules((16, 9), 5),
    Rules((3, 3), 3, True),
    Rules((7, 6), 4, True),
]


@pytest.mark.parametrize("rules", INDEPENDENT, ids=brief)
def test_playouts_are_independent_of_each_other(rules: Rules) -> None:
    """Neighbours, lanes of a group, groups, batches, blocks."""
    n = 60_000 if rules.n_cells < 100 else 20_000
    played = mbx.playout_games(mbx.Game(*rules.args).start(), n, seed=15)
    won = (played.outcomes == 0) - (played.outcomes == 0).mean()
    length = played.lengths - played.lengths.mean()
    first = played.moves[:, 0].astype(int)
    for lag in (1, 2, 3, 4, 8, 12, 15, 16, 17, 32, 48, 64, 128, 192, 256, 1024, 4096, 8192):
        for x in (won, length):
            assert abs((x[lag:] * x[:-lag]).sum() / x.var()) < 5 * math.sqrt(n - lag)
        steps = (first[lag:] - first[:-lag]) % rules.n_moves
        counts = np.bincount(steps, minlength=rules.n_moves)
        assert abs(chi_square(counts, np.full(rules.n_moves, 1 / rules.n_moves))) < 5


@pytest.mark.parametrize("rules", INDEPENDENT, ids=brief)
@pytest.mark.parametrize("varied", ["seed", "row"])
def test_counts_vary_like_those_of_independent_playouts(rules: Rules, varied: str) -> None:
    """Over 200 seeds or rows: binomial variance, and no correlation of neighbours."""
    n, repeats = 600, 200
    position = mbx.Game(*rules.args).start()
    if varied == "row":
        counts = mbx.playout_counts([position] * repeats, n, seed=16)
    else:
        counts = np.array([mbx.playout_counts(position, n, seed=i) for i in range(repeats)])
    more = mbx.playout_counts(position, 300_000, seed=17)
    flat, shares = counts.reshape(repeats, -1), more.ravel() / more.sum()
    outcomes, outcome_shares = counts.sum(axis=1), more.sum(axis=0) / more.sum()
    for found, chances in [(flat, shares), (outcomes, outcome_shares)]:
        x, p = found[:, chances * n > 0.5], chances[chances * n > 0.5]
        error = (x - n * p) / np.sqrt(n * p * (1 - p))
        squares = (error**2).mean(axis=1)
        assert abs(squares.mean() - 1) < 5 * squares.std() / math.sqrt(repeats)
        for lag in (1, 2, 3, 4, 8, 16):
            products = (error[lag:] * error[:-lag]).mean(axis=1)
            assert abs(products.mean()) < 5 * products.std() / math.sqrt(repeats - lag)


def test_blocks_are_independent_of_each_other() -> None:
    """The same place in neighbouring blocks: nothing of the counter shows."""
    for rules in INDEPENDENT:
        position, size = mbx.Game(*rules.args).start(), block_size(rules)
        pairs = np.zeros((rules.n_moves, rules.n_moves), np.int64)
        firsts = [
            _core.playout_games(position, 18, 0, block * size, 64, None)[0][:, 0]
            for block in range(300)
        ]
        for one, other in zip(firsts, islice(firsts, 1, None), strict=False):
            np.add.at(pairs, (one, other), 1)
        steps = [np.trace(pairs, i) + np.trace(pairs, i - rules.n_moves) for i in range(len(pairs))]
        chances = np.full(len(steps), 1 / len(steps))
        assert abs(chi_square(np.array(steps), chances)) < 5

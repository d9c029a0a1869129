"""Position graphs against published counts and values, and what a long build must bear."""

from __future__ import annotations

import math
import os
from collections import Counter
from fractions import Fraction
from functools import cache

import graph_reference as oracle
import numpy as np
import pytest
from graph_builds import board_of, build, position
from graph_reference import played, rest

import mbx

MARUBATSU = played((3, 3), 3, False)
MID_4X5 = rest((4, 5), 4, True, 9)
MID_5X4 = rest((5, 4), 4, True, 9)


@cache
def graph_of(args, symmetry=False):
    return mbx.build_graph(mbx.Game(*args).start(), symmetry=symmetry)


@pytest.mark.parametrize(
    "args, positions, up_to_symmetry, games, chances",
    [
        (((3, 3), 3), 5_478, 765, 255_168, ("737/1260", "121/420", "8/63")),
        (((5, 2), 3), None, None, 2_748_168, ("2171/6300", "181/700", "25/63")),
        (((4, 3), 3), 111_973, 28_275, 151_188_768, ("2774/4725", "19886/51975", "1/33")),
        (((3, 2), 2), 129, 38, None, None),
        (((2, 2, 2), 2), 233, None, 336, ("1", "0", "0")),
        (((5, 1), 3), None, None, 120, ("3/10", "0", "7/10")),
        (((2, 2), 3), None, None, 24, ("0", "0", "1")),
        (((3, 3), 3, True), 694, 359, 1_310, (0.538723136716964, 0.269518747142204)),
        (((4, 3), 4, True), 12_031, None, 356_232, (0.071421682098765, 0.048263487011317)),
        (((4, 4), 4, True), 161_029, 80_541, 47_982_540, (0.280787583594540, 0.235903261071202)),
        (((4, 5), 4, True), 1_706_255, None, None, None),
        (((5, 4), 4, True), 3_945_711, None, 152_505_051_772, (0.424052539830017, 0.3301139206564)),
        (((6, 3), 4, True), 2_087_325, None, None, None),
        (((15, 15), 1), 226, 37, 225, ("1", "0", "0")),
    ],
    ids=str,
)
def test_published_counts(args, positions, up_to_symmetry, games, chances):
    merged = graph_of(args, symmetry=True)
    large = len(merged) > 100_000
    for graph in [merged] if large else [merged, graph_of(args)]:
        if positions:
            assert graph.copies.astype(np.int64).sum() == positions
        if games:
            assert graph.games_through[0] == games
        found = graph.probabilities[0]
        assert large or np.array_equal(found, merged.probabilities[0])
        if chances and isinstance(chances[0], str):
            assert found.tolist() == [float(Fraction(c)) for c in chances]
        elif chances:
            assert found[:2] == pytest.approx(chances, abs=1e-13) and math.isclose(sum(found), 1)
    if up_to_symmetry:
        assert len(merged) == up_to_symmetry


@pytest.mark.parametrize(
    "args, positions, games, chances",
    [
        (((4, 4), 3), 6_036_001, 1_281_016_086_768, (0.587628720485872, 0.410972678115525)),
        (((4, 4), 4), 9_722_011, 15_038_733_958_272, (0.316590076590077, 0.267248307248307)),
    ],
    ids=str,
)
def test_large_boards_up_to_symmetry(args, positions, games, chances):
    graph = graph_of(args, symmetry=True)
    assert graph.copies.astype(np.int64).sum() == positions
    assert graph.games_through[0] == games
    assert graph.probabilities[0, :2] == pytest.approx(chances, abs=1e-13)
    assert graph.value[0] == (1 if args[1] == 3 else 0)
    assert graph.counts[0].sum() == graph.denominators[0] == math.factorial(16)


def test_marubatsu():
    graph = graph_of(((3, 3), 3))
    assert Counter(graph.status.tolist()) == {-1: 4_520, 0: 626, 1: 316, 2: 16}
    playing = graph.status == -1
    assert Counter(graph.values().value[playing].tolist()) == {1: 2_836, 0: 1_052, -1: 632}
    start = graph.probabilities
    for move, chances in {
        0: ("17/28", "37/140", "9/70"),
        1: ("15/28", "47/140", "9/70"),
        4: ("97/140", "27/140", "4/35"),
    }.items():
        assert start[graph.children(0)[move]].tolist() == [float(Fraction(c)) for c in chances]
    lengths = graph.games_through[graph.status == 0], graph.depth[graph.status == 0]
    by_length = np.bincount(lengths[1], lengths[0].astype(float))
    assert by_length[[5, 7, 9]].tolist() == [1_440, 47_952, 81_792]
    assert [graph.games_through[graph.status == i].sum() for i in range(3)] == [
        131_184,
        77_904,
        46_080,
    ]


@pytest.mark.parametrize("name, wrong, ties", [("pmc", 206, 1_129), ("pmc score", 222, 1_321)])
def test_where_primitive_monte_carlo_is_not_optimal(name, wrong, ties):
    graph, merged = graph_of(((3, 3), 3)), graph_of(((3, 3), 3), symmetry=True)
    for each in (graph, merged):
        start = each.edges().start
        played, optimal = each.policy(name) > 0, each.policy("optimal") > 0
        node = np.repeat(np.arange(len(each)), np.diff(start))
        bad = np.unique(node[played & ~optimal])
        tied = np.bincount(node[played], minlength=len(each)) > 1
        copies = each.copies.astype(int)
        assert (copies[bad].sum(), copies[tied].sum()) == (wrong, ties)
    if name == "pmc":
        assert len(bad) == 28


@pytest.mark.parametrize(
    "args, value, distance, best",
    [
        (((3, 3), 3), 0, 9, range(9)),
        (((5, 2), 3), 0, 10, None),
        (((4, 3), 3), 1, None, set(range(12)) - {4, 7}),
        (((2, 2, 2), 2), 1, 3, range(8)),
        (((4, 4), 4, True), 0, 16, range(4)),
        (((5, 4), 4, True), 0, 20, (1, 2, 3)),
        (((4, 5), 4, True), 0, 20, None),
    ],
    ids=str,
)
def test_published_values(args, value, distance, best):
    graph = graph_of(args, symmetry=args[0] in ((4, 5), (5, 4)))
    values = graph.values()
    assert graph.value[0] == values.value[0] == value
    if distance:
        assert values.distance[0] == distance
    if best:
        assert values.best_moves[0] == sum(1 << m for m in best)
        assert values.n_winning[0] + values.n_drawing[0] + values.n_losing[0] == len(values.moves)
        assert len(best) == (values.n_winning[0] if value else values.n_drawing[0])


@pytest.mark.parametrize(
    "text, best, fastest",
    [
        ("XO./XX./O.O", [5], [5]),
        ("OXO/OX./X.X", [7], [7]),
        (".X./.O./OXX", [0, 2, 3, 5], [2]),
        ("..X/.../.OX", [0, 1, 3, 4, 5, 6], [5]),
        ("..O/.../..X", [0, 6, 7], [0, 6, 7]),
    ],
)
def test_best_moves_of_known_positions(text, best, fastest):
    pos = mbx.games.MARUBATSU.from_text(text, symbols="XO")
    values = mbx.build_graph(pos).values()

    def moves(mask):
        return [m for i, m in enumerate(values.moves.tolist()) if int(mask) >> i & 1]

    assert set(moves(values.fastest_moves[0])) <= set(moves(values.best_moves[0]))
    assert moves(values.fastest_moves[0]) == fastest
    if text != "..X/.../.OX":
        assert moves(values.best_moves[0]) == best


def test_pmc_falls_into_the_trap():
    """O to move: by wins the edges' win share is lower, by score too; the corners lose."""
    pos = mbx.games.MARUBATSU.from_text("X../.O./..X", symbols="XO")
    graph = mbx.build_graph(pos)
    for name in ("pmc", "pmc score"):
        chances = dict(zip(pos.legal_moves.tolist(), graph.policy(name), strict=False))
        assert {m: p for m, p in chances.items() if p} == {2: 0.5, 6: 0.5}
        assert graph.outcomes("optimal", name)[0].tolist() == [1, 0, 0]
        assert mbx.outcome_probabilities(pos, "optimal", name, exact=True) == [1, 0, 0]


def test_bits_of_wide_denominators():
    """Connect Four rules on 4x4, 4x5 and 5x4: 57, 72 and 118 bits."""
    for args, bits in ((((4, 4), 4, True), 58), (((4, 5), 4, True), 72), (((5, 4), 4, True), 119)):
        graph = graph_of(args, symmetry=True)
        columns, e = args[0][0], args[0][0] * args[0][1]
        assert graph.denominators[0] == math.lcm(*range(1, columns + 1)) ** e
        assert abs(graph.denominators[0].bit_length() - bits) <= 1
        d = graph.denominators[0]
        exact = mbx.outcome_probabilities(graph.root, exact=True)
        assert all((p * d).denominator == 1 for p in exact) and sum(exact) == 1
        assert graph.probabilities[0].tolist() == [float(p) for p in exact]


@pytest.mark.parametrize("case", [MID_4X5, MID_5X4], ids=oracle.name)
def test_late_nodes_of_whole_gravity_boards(case):
    """Nodes of the whole graph against brute force below them."""
    want = oracle.positions(*case)
    graph = graph_of(case[0].args, symmetry=True)
    images = case[0].symmetries
    for i in range(0, len(want), 1 + len(want) // 200):
        n = graph.index(position(case[0], want.boards[i]))
        assert graph.probabilities[n].tolist() == [float(p) for p in want.random_play[i]]
        assert graph.value[n] == want.value[i] and graph.ply[n] == want.ply[i]
        assert board_of(graph.position(n)) in oracle.orbit(want.boards[i], images)
    pos = position(*case)
    rows = [list(want.random_play[c]) for c in want.children[0]]
    assert mbx.move_probabilities(pos, exact=True) == rows


@pytest.mark.parametrize("args", [((4, 3), 3), ((4, 4), 4, True)], ids=str)
def test_a_pass_over_the_edges_gives_the_same(args):
    """Random play, values and games once more by NumPy, over the edges."""
    graph = graph_of(args)
    start, children, _ = graph.edges()
    n_moves = np.diff(start)
    parent = np.repeat(np.arange(len(graph)), n_moves)
    chances = np.zeros((len(graph), 3))
    ended = graph.status >= 0
    chances[ended, graph.status[ended]] = 1
    value = np.where(ended, np.array([1, -1, 0])[graph.status], 0)
    into = np.zeros(len(graph), np.uint64)
    into[0] = 1
    stops = np.cumsum(graph.layer_sizes)
    layers = [slice(b - a, b) for a, b in zip(graph.layer_sizes, stops, strict=True)]
    for layer in reversed(layers):
        inner = layer.start + np.flatnonzero(n_moves[layer])
        if len(inner) == 0:
            continue
        edges = slice(start[layer.start], start[layer.stop])
        for k in range(3):
            sums = np.bincount(parent[edges] - layer.start, chances[children[edges], k])
            rows = inner - layer.start
            chances[inner, k] = sums[rows] / n_moves[inner]
        best = np.minimum if graph.ply[layer.start] % 2 else np.maximum
        value[inner] = best.reduceat(value[children[edges]], start[inner] - edges.start)
    assert np.allclose(chances, graph.probabilities, rtol=0, atol=1e-14)
    assert np.array_equal(value, graph.value)
    for layer in layers:
        edges = slice(start[layer.start], start[layer.stop])
        np.add.at(into, children[edges], into[parent[edges]])
    assert into[ended].sum() == graph.games_through[0]
    assert np.array_equal(into[ended], graph.games_through[ended])


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(
    "case",
    [
        *oracle.SMALL[:6],
        oracle.SMALL[11],
        *oracle.LATE[:6:2],
        played((15, 15), 1, False),
        MARUBATSU,
    ],
    ids=oracle.name,
)
def test_games_by_length(case, symmetry):
    want, lengths = oracle.positions(*case), build(case, symmetry=symmetry).games()
    reach = [Fraction(0)] * len(want)
    reach[0] = Fraction(1)
    for i, children in enumerate(want.children):
        for child in children:
            reach[child] += reach[i] / len(children)
    rows = max(want.ply) - want.ply[0] + 1
    games, chances = np.zeros((rows, 3), object), np.full((rows, 3), Fraction(0))
    for i, status in enumerate(want.status):
        if status != -1:
            games[want.ply[i] - want.ply[0], status] += want.games[i]
            chances[want.ply[i] - want.ply[0], status] += reach[i]
    assert np.array(lengths.games).tolist() == games.tolist()
    assert np.allclose(lengths.chances, chances.astype(float), rtol=0, atol=1e-14)
    assert np.array(lengths.chances).shape == (rows, 3)


def test_mean_length_of_a_random_game():
    lengths = graph_of(((3, 3), 3)).games()
    mean = sum(i * row.sum() for i, row in enumerate(lengths.chances))
    assert mean == pytest.approx(7.626190476, abs=1e-9)
    assert [int(sum(row)) for row in lengths.games][5:] == [1_440, 5_328, 47_952, 72_576, 127_872]


def test_perft():
    c4 = mbx.perft(mbx.games.CONNECT_FOUR.start(), 9)
    known = [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275, 558_186]
    assert c4.positions.tolist() == known
    whole = mbx.perft(mbx.games.MARUBATSU.start())
    tree = [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]
    graph = graph_of(((3, 3), 3))
    assert whole.positions.tolist() == list(graph.layer_sizes)
    assert whole.sequences.tolist() == tree
    merged = mbx.perft(mbx.games.MARUBATSU.start(), symmetry=True)
    assert merged.positions.sum() == 765
    with pytest.raises((ValueError, TypeError)):
        mbx.perft(mbx.games.MARUBATSU.start(), -1)


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize(
    "call",
    [
        "mbx.build_graph(mbx.Game((5, 4), 4).position([0]))",
        "mbx.build_graph(mbx.Game((6, 4), 4, True).start(), symmetry=True)",
        "big.outcomes('pmc', 'optimal')",
        "big.values()",
        "[mbx.outcome_probabilities(big.root, 'pmc', 'optimal') for _ in range(9)]",
        "many.outcomes(lambda pos: time.sleep(1e-4) or pos.legal_moves[0])",
    ],
)
def test_ctrl_c(call, run):
    code = """
import os, signal, sys, threading, time
import numpy as np
import mbx
big = mbx.build_graph(mbx.Game(*((4, 4), 4) if "big" in sys.argv[1] else ((4, 3), 3)).start())
many = mbx.build_graph(mbx.Game((4, 3), 3).start())
sent = []
def send():
    time.sleep(0.1)
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
for _ in range(2):
    thread = threading.Thread(target=send)
    thread.start()
    try:
        CALL
        raise SystemExit("ended before the signal, or swallowed it")
    except KeyboardInterrupt:
        delay = time.perf_counter() - sent[-1]
    thread.join()
    assert delay < 0.1 + 0.3, f"interrupted after {delay:.3f} s"
    assert threading.active_count() < 20
    assert len(mbx.build_graph(mbx.games.MARUBATSU.start())) == 5_478
assert many.value[0] == 1 and many.outcomes("optimal")[0, 0] == 1
print("done")
"""
    assert run(code.replace("CALL", call), call).stdout == "done\n"


def test_other_threads_share_a_graph(run):
    """Columns are computed on first access, from many threads at once."""
    code = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import mbx
NAMES = ["value", "counts", "probabilities", "games_through", "keys", "copies"]
graph, other = (mbx.build_graph(mbx.Game((4, 3), 3).start()) for _ in range(2))
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(lambda name: getattr(graph, name), NAMES * 4))
    outcomes = list(pool.map(lambda _: graph.outcomes("pmc", "optimal fastest"), range(8)))
for name, column in zip(NAMES * 4, found):
    assert np.array_equal(column, getattr(other, name)), name
assert all(np.array_equal(o, other.outcomes("pmc", "optimal fastest")) for o in outcomes)
"""
    run(code)


def test_repeated_builds_do_not_grow_the_process(run):
    code = """
import gc, resource
import mbx
def work():
    graph = mbx.build_graph(mbx.Game((4, 3), 3).position([0, 1]))
    graph.outcomes("pmc", "optimal"); graph.values(); graph.edges(); graph.games_through
    try:
        graph.outcomes(lambda pos: 1 // 0)
    except ZeroDivisionError:
        pass
for i in range(40):
    work()
    gc.collect()
    if i == 9:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert grown < 12_000, f"{grown} kB"
"""
    run(code)

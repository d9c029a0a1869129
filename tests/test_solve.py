"""mbx.solve and mbx.Solver: exact, with every method, table and order; limits, errors, text."""

from __future__ import annotations

import copy
import os
import pickle
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from article_boards import KINDS, ReaderMarubatsu
from solve_oracle import Oracle

import mbx
from mbx.cli import main

DATA = Path(__file__).parent / "data"
CONNECT_FOUR = mbx.games.CONNECT_FOUR
TABLES = [1, 7 * 16, 2**20 * 16]
METHODS = ["columns64", "columns128", "lines"]


def read_positions(name):
    lines = (DATA / f"connect_four_{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(CONNECT_FOUR.position(moves), int(score)) for moves, score in map(str.split, lines)]


def make_solvers(game, table_bytes):
    """A solver by each method that fits the game and the table."""
    solvers = []
    for method in METHODS:
        try:
            solvers.append(mbx.Solver(game, table_bytes, method))
        except ValueError as error:
            assert method in str(error)
    return solvers


def random_position(game, rng, stones):
    """A position with so many stones that is not finished, by random play that avoids the end."""
    for _ in range(1_000):
        position = game.start()
        for _ in range(8 * game.n_cells):
            if position.ply == stones:
                return position
            position.push(rng.choice(position.legal_moves.tolist()))
            if position.status >= 0:
                position.pop()
    raise AssertionError("no such position")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["end_easy", "middle_easy"])
def test_connect_four(name, method):
    solver = mbx.Solver(CONNECT_FOUR, method=method)
    positions = read_positions(name)
    if method != "columns64":
        positions = positions[:150]
    for position, score in positions:
        result = solver.solve(position)
        assert result.score == score and result.proven
        assert result.value == np.sign(score)


GAMES = [
    ((3, 3), 3, False, 0),
    ((3, 3), 3, True, 0),
    ((2, 2), 1, False, 0),
    ((4, 3), 3, False, 3),
    ((2, 5), 3, False, 2),
    ((4, 4), 4, False, 8),
    ((1, 6), 3, False, 0),
    ((1, 7), 3, True, 0),
    ((2, 2, 2), 2, False, 0),
    ((3, 3, 3), 3, True, 18),
    ((3, 3, 3), 3, False, 18),
    ((2, 3, 3), 3, True, 8),
    ((5, 3), 9, True, 5),
    ((4, 4), 4, True, 5),
    ((5, 4), 3, True, 8),
    ((2, 8), 4, True, 5),
    ((7, 6), 4, True, 32),
    ((7, 8), 4, True, 46),
    ((8, 7), 4, True, 46),
    ((8, 8), 4, True, 54),
    ((9, 9), 5, True, 71),
    ((17, 4), 4, True, 59),
]


@pytest.mark.parametrize("shape, k, gravity, stones", GAMES, ids=str)
def test_against_plain_search(shape, k, gravity, stones):
    game, oracle = mbx.Game(shape, k, gravity), Oracle(shape, k, gravity)
    rng = random.Random(str((shape, k, gravity)))
    solvers = [each for size in TABLES for each in make_solvers(game, size)]
    for _ in range(6):
        position = random_position(game, rng, stones)
        expected = oracle.scores(tuple(position.to_array().ravel().tolist()))
        before = position.copy()
        for solver in solvers:
            for _ in ("cold", "warm"):
                result = solver.solve(position)
                assert result.score == max(expected)
                assert expected[position.legal_moves.tolist().index(result.move)] == max(expected)
            result = solver.solve(position, scores=True)
            assert result.move_scores.tolist() == expected and result.score == max(expected)
        assert position == before and position.moves == before.moves


def play_out(solver, position):
    """The number of plies until the end when both sides play the solver's moves."""
    position, plies = position.copy(), 0
    while position.status < 0:
        position.push(solver.solve(position).move)
        plies += 1
    return plies, position.status


def test_distances_are_those_of_best_play():
    for game, stones in ((CONNECT_FOUR, 24), (mbx.Game((4, 4), 3), 3), (mbx.Game((3, 3), 3), 1)):
        rng, solver = random.Random(1), mbx.Solver(game)
        for _ in range(10):
            position = random_position(game, rng, stones)
            result = solver.solve(position, scores=True)
            plies, status = play_out(solver, position)
            assert plies == result.distance
            assert result.value == (0 if status == 2 else 1 if status == position.turn else -1)
            assert set(result.fastest_moves) <= set(result.best_moves) <= set(result.moves)
            for move, value, plies in zip(
                result.moves, result.move_values, result.move_distances, strict=True
            ):
                child = position.copy()
                child.push(move)
                if child.status >= 0:
                    assert plies == 1 and value == (child.status != 2)
                else:
                    reply = solver.solve(child)
                    assert (value, plies) == (-reply.value, reply.distance + 1)


@pytest.mark.parametrize(
    "board, values, plies",
    [
        ("xo./xx./o.o", {5: 1, 7: 0, 2: -1}, {5: 1}),
        ("oxo/ox./x.x", {7: 0, 5: -1}, {}),
        (".x./.o./oxx", {2: 1, 0: 1, 3: 1, 5: 1}, {2: 1, 0: 3, 3: 3, 5: 3}),
        ("..x/.../.ox", {}, {5: 4, 0: 2, 1: 2}),
        ("..o/.../..x", {0: 1, 6: 1, 7: 1, 1: 0, 3: 0, 4: 0, 5: -1}, {0: 5, 6: 5, 7: 5, 5: 6}),
    ],
)
def test_known_boards(board, values, plies):
    result = mbx.solve(mbx.games.MARUBATSU.from_text(board, symbols="xo"), scores=True)
    found = dict(zip(result.moves.tolist(), result.move_values.tolist(), strict=True))
    distance = dict(zip(result.moves.tolist(), result.move_distances.tolist(), strict=True))
    assert found | values == found and distance | plies == distance


def test_known_connect_four():
    result = mbx.solve(CONNECT_FOUR.position("14131125"), scores=True, timelimit=30)
    assert result.value == 0 and result.best_moves.tolist() == [5] and result.move == 5
    assert (result.move_distances == 2).sum() >= 5
    result = mbx.solve(CONNECT_FOUR.position("226744515337"), scores=True)
    assert result.move_scores.tolist() == [-1, 0, -1, 7, 6, -2, 0]
    tall = mbx.Game((7, 8), 4, gravity=True)
    result = mbx.solve(tall.position("44444442222222655656666646552711111137735771"))
    assert (result.value, result.distance, result.move) == (1, 1, 4)


@pytest.mark.parametrize(
    "shape, k, gravity, scores",
    [
        ((4, 4), 4, True, [0] * 4),
        ((5, 4), 4, True, [-1, 0, 0, 0, -1]),
        ((6, 4), 4, True, [-1] * 6),
        ((7, 4), 4, True, [-1, -1, -1, 0, -1, -1, -1]),
    ],
)
def test_first_moves_of_small_boards(shape, k, gravity, scores):
    result = mbx.solve(mbx.Game(shape, k, gravity).start(), scores=True)
    assert result.move_scores.tolist() == scores


@pytest.mark.parametrize(
    "shape, k, gravity, value, last",
    [
        ((3, 3), 3, False, 0, 9),
        ((4, 3), 3, False, 1, None),
        ((4, 4), 3, False, 1, None),
        ((4, 4), 4, False, 0, 16),
        ((5, 4), 4, False, 0, 20),
        ((5, 5), 4, False, 0, 25),
        ((2, 2, 2), 2, False, 1, 3),
        ((3, 3, 3), 3, False, 1, None),
        ((4, 5), 4, True, 0, 20),
        ((5, 5), 4, True, 0, 25),
        ((5, 6), 4, True, 0, 30),
        ((6, 5), 4, True, 0, 30),
        ((3, 3), 4, False, 0, 9),
    ],
)
def test_known_values(shape, k, gravity, value, last):
    result = mbx.solve(mbx.Game(shape, k, gravity).start())
    assert result.value == value and last in (None, result.distance)


def test_first_moves_that_win():
    oblong = mbx.solve(mbx.Game((4, 3), 3).start(), scores=True)
    assert set(range(12)) - set(oblong.best_moves.tolist()) == {4, 7}
    cube = mbx.solve(mbx.Game((3, 3, 3), 3).start(), scores=True)
    assert cube.best_moves.tolist() == [13] and (cube.move_values == -1).sum() == 26


def image(position, symmetry):
    """The position with its cells moved."""
    cells = position.to_array().ravel()
    moved = np.empty_like(cells)
    moved[symmetry] = cells
    return position.game.from_array(moved.reshape(position.game.shape[::-1]))


@pytest.mark.parametrize(
    "game, stones",
    [(CONNECT_FOUR, 14), (mbx.Game((4, 4), 3), 2), (mbx.Game((3, 3, 3), 3), 3)],
    ids=str,
)
def test_images_have_the_same_scores(game, stones):
    rng = random.Random(3)
    for _ in range(2):
        position = random_position(game, rng, stones)
        solver = mbx.Solver(game)
        expected = solver.solve(position, scores=True)
        by_move = dict(zip(expected.moves.tolist(), expected.move_scores.tolist(), strict=True))
        for symmetry in game.symmetries[:8]:
            for each in (solver, mbx.Solver(game, 1000)):
                result = each.solve(image(position, symmetry), scores=True)
                moved = {int(symmetry[move]): score for move, score in by_move.items()}
                assert dict(zip(result.moves.tolist(), result.move_scores, strict=True)) == moved


def test_limits_of_nodes():
    start = CONNECT_FOUR.start()
    for n in (1, 10, 1_000, 1_001, 30_000):
        for scores in (False, True):
            result = mbx.solve(start, nodes=n, scores=scores)
            assert result.nodes <= n + 10 and not result.proven
            assert result.score is result.value is result.distance is result.move is None
            assert result.lower <= 1 <= result.upper
            assert "from" in str(result) and result._repr_html_()
            if scores:
                known = np.array([-2, -1, 0, 1, 0, -1, -2])
                assert (result.move_lower <= known).all() and (known <= result.move_upper).all()
                assert result.move_scores is result.best_moves is None
    solver = mbx.Solver(CONNECT_FOUR)
    position = CONNECT_FOUR.position("226744515337")
    runs = 0
    while not (result := solver.solve(position, nodes=20_000)).proven:
        runs += 1  # each goes on where the one before stopped
    assert result.score == 7 and runs < 100


@pytest.mark.parametrize("game", [CONNECT_FOUR, mbx.games.GOMOKU, mbx.games.SCORE_FOUR], ids=str)
@pytest.mark.parametrize("seconds", [0.001, 0.17])
def test_time_limit(game, seconds):
    started = time.perf_counter()
    result = mbx.solve(game.start(), timelimit=seconds)
    elapsed = time.perf_counter() - started
    assert not result.proven and elapsed < seconds + 0.05 + 0.2
    assert result.lower <= 0 < result.upper and result.seconds <= elapsed


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("game", ["CONNECT_FOUR", "GOMOKU"])
def test_ctrl_c(run, game):
    code = f"""
import os, signal, threading, time
import mbx
solver = mbx.Solver(mbx.games.{game})
position = solver.game.start()
def send():
    time.sleep(0.2)
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
sent = []
for scores in (False, True):
    threading.Thread(target=send).start()
    try:
        solver.solve(position, scores=scores)
        raise SystemExit("ended before the signal")
    except KeyboardInterrupt:
        assert time.perf_counter() - sent[-1] < 0.4
    time.sleep(0.05)
assert not solver.solve(position, nodes=1000).proven
print("done")
"""
    assert run(code).stdout == "done\n"


def test_other_threads():
    """They wait for a solver that is at work, and use others meanwhile."""
    solver = mbx.Solver(CONNECT_FOUR)
    positions = read_positions("end_easy")[:40]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pair: solver.solve(pair[0]).score, positions * 5))
    assert found == [score for _, score in positions] * 5
    thread = threading.Thread(target=lambda: solver.solve(CONNECT_FOUR.start(), timelimit=0.3))
    thread.start()
    time.sleep(0.1)
    assert mbx.solve(mbx.games.MARUBATSU.start()).value == 0
    assert solver.solve(positions[0][0]).score == positions[0][1]
    thread.join()


def test_progress():
    reports = []
    mbx.solve(CONNECT_FOUR.start(), timelimit=0.2, progress=lambda *each: reports.append(each))
    assert reports and all(len(each) == 2 for each in reports)

    def fail(done, total):
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        mbx.solve(CONNECT_FOUR.start(), progress=fail)


@pytest.mark.parametrize("kind", [None, *KINDS[::3]], ids=str)
def test_sources(kind):
    """Results for an article object are in the order of its calc_legal_moves()."""
    expected = mbx.solve(mbx.games.MARUBATSU.position([4, 3]), scores=True)
    if kind is None:
        mb = mbx.Marubatsu()
        mb.move((1, 1))
        mb.move((0, 1))
    else:
        mb = ReaderMarubatsu(kind, [(1, 1), (0, 1)])
    result = mbx.solve(mb, scores=True)
    order = [x + 3 * y for x, y in map(mb.board.move_to_xy, mb.calc_legal_moves())]
    assert result.moves.tolist() == order != expected.moves.tolist()
    rows = np.searchsorted(expected.moves, order)
    assert (result.move_scores == expected.move_scores[rows]).all()
    assert mbx.solve(mb).score == expected.score and result.move in expected.fastest_moves


def test_finished_positions():
    for moves in ([0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]):
        position = mbx.games.MARUBATSU.position(moves)
        solver = mbx.Solver(position.game)
        for call in (mbx.solve, solver.solve):
            with pytest.raises(mbx.GameOverError, match="over"):
                call(position)
            with pytest.raises(mbx.GameOverError, match="over"):
                call(position, scores=True)


@pytest.mark.parametrize(
    "error, options",
    [
        (ValueError, {"nodes": 0}),
        (ValueError, {"nodes": -1}),
        (ValueError, {"nodes": 2**64}),
        (TypeError, {"nodes": "many"}),
        (ValueError, {"timelimit": 0}),
        (ValueError, {"timelimit": float("nan")}),
        (TypeError, {"timelimit": "1"}),
        (ValueError, {"table_bytes": 0}),
        (TypeError, {"table_bytes": 1.5}),
        (mbx.TooLargeError, {"table_bytes": 2**60}),
        (TypeError, {"progress": 5}),
        (TypeError, {"depth": 3}),
    ],
)
def test_bad_arguments(error, options):
    with pytest.raises(error):
        mbx.solve(CONNECT_FOUR.start(), **options)


def test_bad_positions():
    solver = mbx.Solver(CONNECT_FOUR)
    with pytest.raises(ValueError, match="solver's game"):
        solver.solve(mbx.games.MARUBATSU.start())
    for wrong in (None, 5, "4455", CONNECT_FOUR):
        with pytest.raises(TypeError):
            solver.solve(wrong)
        with pytest.raises(TypeError):
            mbx.solve(wrong)
    with pytest.raises(TypeError):
        mbx.Solver("connect four")


def test_small_stack(run):
    code = """
import sys, threading
import mbx
def work():
    assert mbx.solve(mbx.Game((1, 200), 4, True).start()).distance == 200
    mbx.solve(mbx.games.GOMOKU.start(), nodes=3000)
    mbx.solve(mbx.Game((15, 17), 9).start(), nodes=3000)
    mbx.solve(mbx.Game((10, 9), 4, True).start(), nodes=300_000)
    mbx.solve(mbx.Game((16, 5), 4, True).start(), nodes=300_000)
    done.append(True)
done = []
threading.stack_size(256 * 1024)
sys.setrecursionlimit(200)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert done
"""
    run(code)


def test_results_are_values():
    result = mbx.solve(CONNECT_FOUR.position("226744515337"), scores=True)
    for same in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert same.score == result.score and (same.move_scores == result.move_scores).all()
    with pytest.raises(AttributeError):
        result.lower = 3
    assert "o wins in 17 plies, score 7" in str(result) and "<table>" in result._repr_html_()
    solver = mbx.Solver(CONNECT_FOUR, 2**20)
    again = pickle.loads(pickle.dumps(solver))
    assert again.game == solver.game and again.table_bytes == solver.table_bytes == 2**20


def test_command_line(capsys, tmp_path):
    lines = (DATA / "connect_four_end_easy.txt").read_text(encoding="utf-8").splitlines()[:20]
    file = tmp_path / "positions.txt"
    file.write_text("\n".join([*lines, "44444 99"]), encoding="utf-8")
    assert main(["solve", str(file), "--table", "1M", "--nodes", "100000"]) == 0
    out, err = capsys.readouterr()
    rows = [row.split() for row in out.splitlines()]
    assert [row[:2] for row in rows[:20]] == [line.split() for line in lines]
    assert len(rows) == 21 and all(len(row) == 4 for row in rows)
    assert "20 positions solved" in err and "1 not solved" in err and "0 of 20 differ" in err


def test_command_line_of_other_games(capsys, tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text("4,0\n.../.o./x.. 0\n\n", encoding="utf-8")
    assert main(["solve", str(file), "--shape", "3x3", "--k", "3", "--scores"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split()[1] == "0" and "8:0" in out


@pytest.mark.parametrize(
    "text, options",
    [
        ("44x\n", []),
        ("4444444\n", []),
        ("4 5 6\n", []),
        ("1212121\n", []),
        ("4\n", ["--table", "0"]),
        ("4\n", ["--table", "lots"]),
        ("4\n", ["--nodes", "0"]),
        ("4\n", ["--timelimit", "0"]),
        ("4\n", ["--shape", "5x5"]),
    ],
)
def test_command_line_mistakes(capsys, tmp_path, text, options):
    file = tmp_path / "positions.txt"
    file.write_text(text, encoding="utf-8")
    assert main(["solve", str(file), *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    assert main(["solve", str(tmp_path / "missing.txt")]) == 2

"""Ctrl-C, the GIL, threads, forks, small stacks; what could kill a process has its own."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mbx

INTERRUPT = """
import os, signal, sys, threading, time
import numpy as np
import mbx

pos = mbx.games.MARUBATSU.start()
c4 = mbx.games.CONNECT_FOUR.start()
wide = mbx.games.GOMOKU.start()
oblong = mbx.Game((4, 3), 3).position([0])
large = mbx.Game((4, 5), 4).start()
expected = mbx.playout_counts(pos, 1_000, seed=1)
mbx.ai_match([mbx.ai_random] * 2, match_num=1)  # imports now: Python may swallow Ctrl-C in one
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
        sys.exit("ended before the signal, or swallowed it")
    except KeyboardInterrupt:
        delay = time.perf_counter() - sent[-1]
    thread.join()
    assert delay < 0.1 + 0.3, f"interrupted after {delay:.3f} s"
    assert np.array_equal(mbx.playout_counts(pos, 1_000, seed=1, threads=2), expected)
    assert mbx.build_tree(pos).n_nodes == 549_946
    for each in (pos, c4, wide, oblong, large):
        assert each.copy() == each and each.status == -1
    assert threading.active_count() < 20
print("done")
"""


SWEEP = """
import signal, time
import mbx

signal.signal(signal.SIGALRM, signal.default_int_handler)
pos = mbx.games.MARUBATSU.start()
for delay in range(100, 30_000, 150):
    started = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, delay / 1e6)
        mbx.playout_counts(pos, 2**40, timelimit=2)
        raise SystemExit("ended before the signal, or swallowed it")
    except KeyboardInterrupt:
        seconds = time.perf_counter() - started - delay / 1e6
    assert seconds < 1, f"{delay} microseconds after the start: interrupted after {seconds:.3f} s"
print("done")
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGALRM")
def test_an_interrupt_is_heard_at_every_moment(run):
    """While threads start, too: the time limit would end a deaf call after 2 s."""
    assert run(SWEEP).stdout == "done\n"


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize(
    "call",
    [
        "mbx.playout_counts(pos, 2**40)",
        "mbx.playout_counts(pos, 2**40, threads=1)",
        "mbx.playout_counts(wide, 2**40, threads=4)",
        "mbx.playout_counts([c4] * 3, 2**40)",
        "mbx.playout_counts([c4] * 100_000, 1_000)",
        "mbx.playout_counts([pos] * 3, 2**40, target_error=1e-12)",
        "mbx.playout_games(wide, 10**7)",
        "mbx.playout_counts(c4, 2**40, timelimit=60, progress=lambda done, total: None)",
        "mbx.playout(mbx.Marubatsu(), 2**40)",
        "mbx.convergence(pos, [2**40])",
        "mbx.build_tree(oblong)",
        "mbx.build_tree(oblong, order='df')",
        "mbx.outcome_probabilities(large)",
        "mbx.move_probabilities(large, exact=True)",
        "mbx.mcts(c4, 2 * 10**9)",
        "mbx.mcts(wide, 2 * 10**9, threads=2, max_nodes=10**5)",
        "mbx.mcts(wide, 1_000, playouts_per_leaf=2**24)",
        "mbx.mcts(c4, 1_000, playouts_per_leaf=2**24)",
        "mbx.mcts(c4, timelimit=60, n=None)",
        "mbx.mcts(c4, 10**9, evaluator=lambda b: (np.ones((len(b), 7)), np.zeros(len(b))))",
        "list(mbx.MCTS(pos).steps(10**9))",
        "mbx.pmc(c4, 2**40)",
        "mbx.pmc(c4, 2**40, allocation='equal')",
        "mbx.pmc(wide, 2**40, allocation='halving')",
        "mbx.match('random', 'random', 10**9)",
        "mbx.match(mbx.PmcPlayer(10**6), 'random', 10**6, start=wide)",
        "mbx.match('random', lambda position: position.legal_moves[0], 10**9, seed=1)",
        "mbx.match('perfect', 'random', 10**6, start=c4)",
        "mbx.ai_match([mbx.ai_pmc, mbx.ai_perfect], match_num=10**9)",
    ],
)
def test_ctrl_c(run, call):
    assert run(INTERRUPT.replace("CALL", call)).stdout.endswith("done\n")


@pytest.mark.parametrize(
    "call",
    [
        lambda: mbx.playout_counts(mbx.games.CONNECT_FOUR.start(), 2**40, timelimit=0.4),
        lambda: mbx.playout_counts(mbx.games.MARUBATSU.start(), 2**40, threads=1, timelimit=0.4),
        lambda: mbx.build_tree(mbx.Game((5, 2), 3).start()),
    ],
    ids=["all threads", "one thread", "tree"],
)
def test_other_threads_run_while_the_core_works(call):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    call()
    ended = time.perf_counter()
    stop.set()
    thread.join()
    during = [started, *(t for t in ticks if started < t < ended), ended]
    assert np.diff(during).max() < 0.6 * (ended - started)


def test_calls_from_many_threads_on_one_position():
    pos = mbx.games.CONNECT_FOUR.position("4455")
    before = pos.copy()

    def work(seed):
        counts = mbx.playout_counts(pos, 20_000, seed=seed, threads=1 + seed % 3)
        tree = mbx.build_tree(mbx.games.MARUBATSU.position([seed % 9]), order="df")
        return counts.tolist(), tree.counts[0].tolist(), tree.value.sum().item()

    serial = [work(seed) for seed in range(24)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(24))) == serial
    assert pos == before and pos.moves == before.moves


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_forked_children_use_threads_and_streams_of_their_own(run):
    code = """
import os, signal
import mbx
pos = mbx.games.MARUBATSU.start()
n = 3_000_000
expected = mbx.playout_counts(pos, n, seed=1, threads=2).tobytes()
mbx.playout_counts(pos, 1_000)
results = []
for _ in range(3):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = mbx.playout_counts(pos, n, seed=1, threads=2).tobytes() == expected
        tree = mbx.build_tree(pos).n_nodes
        os.write(writer, bytes([same, tree == 549_946]) + mbx.playout_counts(pos, 5_000).tobytes())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        results.append(pipe.read())
    assert os.waitpid(child, 0)[1] == 0
results.append(b"\\1\\1" + mbx.playout_counts(pos, 5_000).tobytes())
assert all(result[:2] == b"\\1\\1" for result in results)
print(len(set(results)))
"""
    assert run(code).stdout == "4\n"


def test_no_recursion_over_depth(run):
    """A board 1 wide and 200 high, with a low recursion limit, in a thread with a small stack."""
    code = """
import pickle, sys, threading
import numpy as np
import mbx
from mbx import Graph
def work():
    game = mbx.Game((1, 200), 4, True)
    for order in ("bf", "df"):
        tree = mbx.build_tree(game.start(), order=order)
        assert tree.n_nodes == 201 and tree.probabilities[0].tolist() == [0, 0, 1]
        assert tree.path(200) == [0] * 200 and tree.position(200).status == 2
        tree.minimax_below(0, np.zeros((201, 3), np.int8), np.zeros(201, np.int8))
        tree.save("tree")
        assert Graph.load("tree")[0].n_nodes == 201
    pos = game.start()
    assert mbx.playout_counts(pos, 10).tolist() == [[0, 0, 10]]
    assert mbx.outcome_probabilities(pos, exact=True) == [0, 0, 1]
    assert mbx.move_probabilities(pos).tolist() == [[0, 0, 1]]
    full = game.position([0] * 200)
    assert pickle.loads(pickle.dumps(full)) == game.from_text(str(full)) == full.copy()
    full._repr_svg_()
    mbx.playout_counts(mbx.games.GOMOKU.start(), 100)
    mbx.build_tree(mbx.games.MARUBATSU.start(), order="df")
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

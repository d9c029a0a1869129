"""Saved searches: they go on as if nothing had happened; damaged files are refused."""

from __future__ import annotations

import copy
import os
import pickle
import random
import sys

import numpy as np
import pytest
from mcts_trees import assert_same, random_board, table
from reference import Rules

import mbx

MARUBATSU = mbx.games.MARUBATSU

GAMES = [
    Rules((3, 3), 3),
    Rules((3, 2), 1),
    Rules((7, 6), 4, True),
    Rules((5, 5, 5), 5, True),
    Rules((15, 15), 5),
    Rules((1, 200), 4, True),
]
OPTIONS = [
    {},
    {"solver": True, "expand_all": True},
    {"playouts_per_leaf": 3, "draw_value": 0.25, "c": 0.5},
    {"max_nodes": 100, "final": "lower bound"},
    {"c": "decreasing", "temperature": 0.5},
]


def equal_priors(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((len(boards), 9)), np.zeros(len(boards))


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> bytes:
    """The bytes of a small saved search."""
    path = tmp_path_factory.mktemp("searches") / "search"
    search = mbx.MCTS(MARUBATSU.position([4, 0, 8]), seed=1, solver=True)
    search.run(40)
    search.save(path)
    return path.read_bytes()


def assert_refused(path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError):
        mbx.MCTS.load(path)


# -- round trips


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_loaded_search_goes_on(tmp_path, rules: Rules, options: dict) -> None:
    for n_stones, n in ((0, 200), (rules.n_cells // 2, 1), (0, 0)):
        position, _ = random_board(rules, n_stones)
        search = mbx.MCTS(position, seed=3, **options)
        if n:
            search.run(n)
        search.save(tmp_path / "search")
        loaded = mbx.MCTS.load(tmp_path / "search")
        assert loaded.position == search.position == position
        assert_same(table(loaded.tree()), table(search.tree()))
        if n:
            assert_equal(loaded.stats, search.stats)
        for _ in range(2):
            results = [each.run(100) for each in (search, loaded)]
            assert_equal(*results)
            assert_same(table(loaded.tree()), table(search.tree()))
            move = results[0].move
            position.push(move)
            if position.status != -1:
                break
            search.advance(move)
            loaded.advance(move)
    assert os.listdir(tmp_path) == ["search"]


def assert_equal(a: mbx.MctsResult, b: mbx.SearchResult) -> None:
    """Of what is not time."""
    for name in ("move", "value", "variation", "simulations", "playouts", "nodes", "depth"):
        assert getattr(a, name) == getattr(b, name), name
    for name in ("moves", "visits", "values", "standard_errors", "lower", "upper"):
        assert np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name[-1] == "s"), name
    assert (a.proven, a.seed, a.start) == (b.proven, b.seed, b.start)


def test_threads_and_an_advanced_root(tmp_path) -> None:
    search = mbx.MCTS(MARUBATSU.start(), seed=3, threads=2)
    search.run(501)
    search.advance(4)
    search.run(100)
    search.save(tmp_path / "search")
    loaded = mbx.MCTS.load(tmp_path / "search")
    assert_equal(loaded.stats, search.stats)
    assert_equal(loaded.run(200), search.run(200))


def test_an_evaluator_is_not_saved(tmp_path) -> None:
    """It is given again, or a clear error says that it is missing."""
    search = mbx.MCTS(MARUBATSU.start(), evaluator=equal_priors, seed=1)
    search.run(100)
    try:
        search.save(tmp_path / "search")
    except (TypeError, ValueError) as error:
        assert "evaluator" in str(error)
        return
    try:
        loaded = mbx.MCTS.load(tmp_path / "search", evaluator=equal_priors)
    except TypeError:
        loaded = mbx.MCTS.load(tmp_path / "search")
    assert_same(table(loaded.tree()), table(search.tree()))


def test_a_callable_c_cannot_be_saved_silently(tmp_path) -> None:
    """It is never lost without a word."""
    search = mbx.MCTS(MARUBATSU.start(), lambda visits: 1.0, seed=1)
    search.run(100)
    try:
        search.save(tmp_path / "search")
    except (TypeError, ValueError) as error:
        assert "c" in str(error)
        assert not list(tmp_path.iterdir())
    else:
        with pytest.raises((TypeError, ValueError), match="c"):
            mbx.MCTS.load(tmp_path / "search").run(10)


def test_saving_replaces(tmp_path) -> None:
    path = tmp_path / "search"
    for n in (500, 5, 2_000):
        search = mbx.MCTS(MARUBATSU.start(), seed=n)
        search.run(n)
        search.save(path)
        assert mbx.MCTS.load(str(path)).stats.simulations == n
    assert os.listdir(tmp_path) == ["search"]


def test_a_fresh_process_loads_without_pickle(tmp_path, run) -> None:
    search = mbx.MCTS(MARUBATSU.position([4]), seed=3)
    search.run(100)
    search.save(tmp_path / "search")
    code = """
import pickle
import mbx
def no(*args, **kwargs):
    raise SystemExit("unpickled")
pickle.load = pickle.loads = pickle.Unpickler = no
print(mbx.MCTS.load("search").run(100).visits.tolist())
"""
    assert run(code).stdout == f"{search.run(100).visits.tolist()}\n"


def test_results_pickle_and_copy() -> None:
    result = mbx.mcts(MARUBATSU.start(), 200, seed=1)
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        assert_equal(other, result)
        assert str(other) == str(result)


# -- damaged files


def test_every_byte_matters(content, tmp_path) -> None:
    rng = random.Random(1)
    step = max(len(content) // 600, 1)
    for i in sorted({*range(min(len(content), 200)), *range(0, len(content), step)}):
        changed = bytearray(content)
        changed[i] ^= rng.randrange(1, 256)
        assert_refused(tmp_path / "bad", bytes(changed))


def test_a_cut_or_longer_file_is_refused(content, tmp_path) -> None:
    step = max(len(content) // 300, 1)
    sizes = {*range(200), *range(0, len(content), step), *range(len(content) - 50, len(content))}
    for size in sorted(sizes):
        assert_refused(tmp_path / "bad", content[:size])
    for more in (b"\0", b"\n", content):
        assert_refused(tmp_path / "bad", content + more)


def test_files_of_others_are_refused(tmp_path, content) -> None:
    for other in (b"", b"\0" * 999, b"mbx", b"{}", b"\x93NUMPY", b"PK\3\4", pickle.dumps([1])):
        assert_refused(tmp_path / "bad", other)
    mbx.build_tree(mbx.Game((2, 2), 3).start()).save(tmp_path / "graph")
    with pytest.raises(ValueError):
        mbx.MCTS.load(tmp_path / "graph")
    (tmp_path / "search").write_bytes(content)
    with pytest.raises(ValueError):
        mbx.Graph.load(tmp_path / "search")


def test_missing_files_and_folders(tmp_path) -> None:
    search = mbx.MCTS(MARUBATSU.start(), seed=1)
    with pytest.raises(FileNotFoundError):
        mbx.MCTS.load(tmp_path / "missing")
    with pytest.raises(OSError):
        mbx.MCTS.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        search.save(tmp_path / "missing" / "search")
    with pytest.raises(OSError):
        search.save(tmp_path)
    assert list(tmp_path.iterdir()) == []
    for wrong in (None, 4.5, object()):
        with pytest.raises(TypeError):
            search.save(wrong)
        with pytest.raises(TypeError):
            mbx.MCTS.load(wrong)


def test_an_open_files_number_is_no_path(tmp_path, content) -> None:
    (tmp_path / "search").write_bytes(content)
    with open(tmp_path / "search", "rb") as file:
        with pytest.raises(TypeError):
            mbx.MCTS.load(file.fileno())
        assert file.read() == content


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_failed_save_keeps_the_old_file(tmp_path, run) -> None:
    """The disk is full: here a limit on the size of a file."""
    code = """
import os, resource, signal
import mbx
search = mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1)
search.run(10)
search.save("search")
before = open("search", "rb").read()
search.run(20_000)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    search.save("search")
except OSError:
    assert open("search", "rb").read() == before
    assert mbx.MCTS.load("search").stats.simulations == 10
    print(os.listdir("."))
"""
    assert run(code).stdout == "['search']\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_no_write_permission_keeps_the_old_file(tmp_path, content) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "search").write_bytes(content)
    folder.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            mbx.MCTS(MARUBATSU.start(), seed=1).save(folder / "search")
        assert (folder / "search").read_bytes() == content
    finally:
        folder.chmod(0o700)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and limits")
def test_refusing_takes_little_memory(tmp_path, run, content) -> None:
    (tmp_path / "search").write_bytes(content)
    code = """
import resource
import mbx
content = open("search", "rb").read()
mbx.MCTS.load("search")
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 50_000_000,) * 2)
for i in range(min(len(content), 500)):
    for byte in (0, 255):
        if content[i] != byte:
            open("bad", "wb").write(content[:i] + bytes([byte]) + content[i + 1 :])
            try:
                mbx.MCTS.load("bad")
            except ValueError:
                pass
            else:
                raise SystemExit(f"byte {i} does not matter")
print("done")
"""
    assert run(code).stdout == "done\n"

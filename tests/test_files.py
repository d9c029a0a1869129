"""Saved trees: damaged files are refused, old ones survive a failure, nothing is unpickled."""

from __future__ import annotations

import os
import pickle
import random
import sys

import numpy as np
import pytest

import mbx
from mbx import Graph

COLUMNS = ["parent", "move", "depth", "n_children", "first_child", "status", "value"]


@pytest.fixture(scope="module", params=["bf", "df"])
def graph(request):
    return mbx.build_tree(mbx.Game((2, 2), 3).start(), order=request.param)


@pytest.fixture
def content(graph, tmp_path):
    """The bytes of a small saved tree with a column and metadata."""
    path = tmp_path / "tree"
    extra = np.arange(len(graph), dtype=np.int16)
    graph.save(path, {"extra": extra}, {"name": "木", "n": [1, 2.5]})
    return path.read_bytes()


def assert_refused(path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError):
        Graph.load(path)


@pytest.mark.parametrize("order", ["bf", "df"])
@pytest.mark.parametrize(
    "args, moves",
    [
        (((3, 3), 3), [4]),
        (((3, 3), 3, True), []),
        (((2, 2, 2), 2), []),
        (((4, 4), 4), list(range(8))),
        (((1, 1), 1), [0]),
    ],
    ids=str,
)
def test_round_trip(tmp_path, args, moves, order):
    graph = mbx.build_tree(mbx.Game(*args).position(moves), order=order)
    graph.save(tmp_path / "tree")
    loaded, columns, metadata = Graph.load(tmp_path / "tree")
    assert columns == {} and not metadata
    assert (loaded.game, loaded.root, loaded.order) == (graph.game, graph.root, graph.order)
    assert list(loaded.denominators) == list(graph.denominators)
    for name in [*COLUMNS, "counts", "probabilities"]:
        old, new = getattr(graph, name), getattr(loaded, name)
        assert old.dtype == new.dtype and np.array_equal(old, new)
        with pytest.raises(ValueError):
            new[0] = 0
    assert os.listdir(tmp_path) == ["tree"]


def test_columns_and_metadata(graph, content, tmp_path):
    (tmp_path / "again").write_bytes(content)
    _, columns, metadata = Graph.load(tmp_path / "again")
    assert metadata == {"name": "木", "n": [1, 2.5]} and list(columns) == ["extra"]
    assert columns["extra"].tolist() == list(range(len(graph)))


def test_every_byte_matters(content, tmp_path):
    rng = random.Random(1)
    for i in range(len(content)):
        changed = bytearray(content)
        changed[i] ^= rng.randrange(1, 256)
        assert_refused(tmp_path / "bad", bytes(changed))


def test_a_cut_or_longer_file_is_refused(content, tmp_path):
    for size in {*range(200), *range(0, len(content), 3), *range(len(content) - 50, len(content))}:
        assert_refused(tmp_path / "bad", content[:size])
    for more in (b"\0", b"\n", content):
        assert_refused(tmp_path / "bad", content + more)


def test_blocks_of_a_large_file(tmp_path, marubatsu_tree):
    """A real tree: bytes changed, cut, swapped and zeroed here and there."""
    path = tmp_path / "tree"
    marubatsu_tree.save(path)
    content, rng = path.read_bytes(), random.Random(1)
    for _ in range(30):
        a, b = sorted(rng.sample(range(len(content)), 2))
        flipped = content[:a] + bytes([content[a] ^ 1 << rng.randrange(8)]) + content[a + 1 :]
        assert_refused(path, flipped)
        assert_refused(path, content[:a])
        assert_refused(path, content[:a] + content[b:])
        assert_refused(path, content[:a] + bytes([content[a] ^ 255]) * (b - a) + content[b:])


@pytest.mark.parametrize("content", [b"", b"\0" * 999, b"mbx", b"{}", b"\x93NUMPY", b"PK\3\4"])
def test_other_files_are_refused(tmp_path, content):
    assert_refused(tmp_path / "bad", content)


def test_a_missing_file_and_a_folder(tmp_path, graph):
    with pytest.raises(FileNotFoundError):
        Graph.load(tmp_path / "missing")
    with pytest.raises(OSError):
        Graph.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        graph.save(tmp_path / "missing" / "tree")
    with pytest.raises(OSError):
        graph.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


class Evil:
    def __reduce__(self):
        return os.mkdir, ("evil",)


def test_a_pickle_is_never_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("tree", "tree.mbtree"):
        (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    for load, name in ((Graph.load, "tree"), (mbx.Mbtree.load, "tree")):
        with pytest.raises(ValueError):
            load(name)
    assert not (tmp_path / "evil").exists()


def test_a_fresh_process_loads_without_pickle(tmp_path, run):
    mbx.Mbtree(recalculate_draw_score=True, verbose=False).save(tmp_path / "tree")
    code = """
import pickle, sys
import mbx
def no(*args, **kwargs):
    raise SystemExit("unpickled")
pickle.load = pickle.loads = pickle.Unpickler = no
tree = mbx.Mbtree.load("tree")
print(tree.nodenum, tree.root.playout_prob, tree.nodelist[1].score)
"""
    tree = mbx.Mbtree.load(tmp_path / "tree")
    expected = f"{tree.nodenum} {tree.root.playout_prob} {tree.nodelist[1].score}\n"
    assert run(code).stdout == expected


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_failed_save_keeps_the_old_file(tmp_path, run):
    """The disk is full: here a limit on the size of a file."""
    code = """
import os, resource, signal
import mbx
small = mbx.build_tree(mbx.Game((2, 2), 3).start())
large = mbx.build_tree(mbx.games.MARUBATSU.start())
small.save("tree")
before = open("tree", "rb").read()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    large.save("tree")
except OSError as error:
    assert open("tree", "rb").read() == before
    mbx.Graph.load("tree")
    print(os.listdir("."))
"""
    assert run(code).stdout == "['tree']\n"


def test_saving_replaces(tmp_path, graph, marubatsu_tree):
    for each in (graph, marubatsu_tree, graph):
        each.save(tmp_path / "tree")
        assert len(Graph.load(tmp_path / "tree")[0]) == len(each)
    assert os.listdir(tmp_path) == ["tree"]


@pytest.mark.parametrize(
    "columns, metadata",
    [
        ({"extra": np.array([None] * 65)}, None),
        ({3: np.zeros(65)}, None),
        (None, {"a": object()}),
        (None, [1]),
    ],
)
def test_what_cannot_be_saved(tmp_path, graph, columns, metadata):
    with pytest.raises((TypeError, ValueError)):
        graph.save(tmp_path / "tree", columns, metadata)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and limits")
def test_refusing_takes_little_memory(tmp_path, run, graph):
    """Changed bytes, lengths among them, under a limit on memory."""
    graph.save(tmp_path / "tree")
    code = """
import random, resource
import mbx
content, rng = open("tree", "rb").read(), random.Random(1)
mbx.Graph.load("tree")
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 50_000_000,) * 2)
for i in range(min(len(content), 600)):
    for byte in (0, 255):
        if content[i] != byte:
            open("bad", "wb").write(content[:i] + bytes([byte]) + content[i + 1 :])
            try:
                mbx.Graph.load("bad")
            except ValueError:
                pass
            else:
                raise SystemExit(f"byte {i} does not matter")
print("done")
"""
    assert run(code).stdout == "done\n"

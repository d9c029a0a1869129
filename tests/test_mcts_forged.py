"""Saved searches whose checksum is right and whose contents are not.

The file is taken apart and put together here by the description of the format alone.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from mcts_trees import table

import mbx

MARUBATSU = mbx.games.MARUBATSU
MAGIC, VERSION = b"MBXSRCHT", 1


def take_apart(content: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    magic, version, length = struct.unpack_from("<8sII", content)
    assert (magic, version) == (MAGIC, VERSION)
    header = json.loads(content[16 : 16 + length])
    columns, at = {}, 16 + length
    for entry in header["columns"]:
        size = math.prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize
        data = np.frombuffer(content[at : at + size], entry["dtype"])
        columns[entry["name"]] = data.reshape(entry["shape"]).copy()
        at += size + -size % 64
    assert at == len(content) - 32
    return header, columns


def assemble(header: dict, columns: dict[str, np.ndarray]) -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % 64)
    body = b"".join(c.tobytes() + bytes(-c.nbytes % 64) for c in columns.values())
    content = struct.pack("<8sII", MAGIC, VERSION, len(text)) + text + body
    return content + hashlib.sha256(content).digest()


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("searches") / "search"
    search = mbx.MCTS(MARUBATSU.position([4, 0]), seed=1, solver=True)
    search.run(400)
    search.save(path)
    return path


@pytest.fixture
def parts(saved) -> tuple[dict, dict[str, np.ndarray]]:
    return take_apart(saved.read_bytes())


def load(path: Path, header: dict, columns: dict[str, np.ndarray]) -> mbx.MCTS:
    path.write_bytes(assemble(header, columns))
    return mbx.MCTS.load(path)


def test_the_unchanged_parts_make_the_search(tmp_path, saved, parts) -> None:
    assert table(load(tmp_path / "again", *parts).tree()) == table(mbx.MCTS.load(saved).tree())


def inner(columns: dict[str, np.ndarray]) -> int:
    """A node below the root's children that has children and is not proven."""
    parents = np.unique(columns["0 parent"])
    is_open = columns["0 lower"] < columns["0 upper"]
    return int(next(i for i in parents if i > 0 and is_open[i] and columns["0 parent"][i] > 0))


def put(name: str, node, value):
    def change(columns: dict[str, np.ndarray]) -> None:
        at = inner(columns) if node is None else node
        columns[f"0 {name}"][at] = value

    return change


def more(name: str, node, value):
    def change(columns: dict[str, np.ndarray]) -> None:
        at = inner(columns) if node is None else node
        columns[f"0 {name}"][at] += value

    return change


def all_lost(columns: dict[str, np.ndarray]) -> None:
    """No move of the root could be chosen."""
    columns["0 lower"][columns["0 parent"] == 0] = -1
    columns["0 upper"][columns["0 parent"] == 0] = -1


def opened(columns: dict[str, np.ndarray]) -> None:
    """Games that have ended go on."""
    columns["0 lower"][:], columns["0 upper"][:] = -1, 1


def proven(columns: dict[str, np.ndarray]) -> None:
    """A visited move without an answer is a win."""
    parents = set(columns["0 parent"].tolist())
    leaf = next(i for i in np.flatnonzero(columns["0 visits"]).tolist() if i not in parents)
    columns["0 lower"][leaf] = columns["0 upper"][leaf] = 1 - max(columns["0 lower"][leaf], 0)


@pytest.mark.parametrize(
    "change",
    [
        all_lost,
        opened,
        proven,
        more("lower", None, 1),
        put("parent", 0, 0),
        put("parent", 0, 1),
        put("parent", 1, -1),
        put("parent", 1, 1),
        put("parent", 1, 2),
        put("parent", 5, 10**9),
        put("parent", 5, -(2**31)),
        put("parent", -1, -1),
        more("parent", -1, 1),
        more("parent", -1, -1),
        put("parent", slice(1, None), 0),
        put("visits", 1, -1),
        put("visits", 1, 2**62),
        put("visits", -1, 2**40),
        more("visits", 0, -1),
        more("visits", 1, 5),
        more("visits", None, 5),
        put("visits", slice(None), 0),
        put("visits", slice(None), -(2**63)),
        put("sums", None, math.nan),
        put("sums", None, math.inf),
        put("sums", None, -0.5),
        put("sums", None, 1e9),
        put("lower", None, 2),
        put("lower", None, -2),
        put("lower", None, 127),
        put("upper", None, -2),
        put("upper", None, 2),
        put("upper", slice(None), -128),
    ],
)
def test_columns_that_are_no_tree_are_refused(tmp_path, parts, change) -> None:
    header, columns = parts
    change(columns)
    with pytest.raises(ValueError, match="search"):
        load(tmp_path / "bad", header, columns)


@pytest.mark.parametrize("name", ["parent", "visits", "sums", "lower", "upper"])
@pytest.mark.parametrize("change", ["short", "empty", "missing", "type"])
def test_columns_of_the_wrong_form_are_refused(tmp_path, parts, name: str, change: str) -> None:
    header, columns = parts
    column = columns[f"0 {name}"]
    entry = next(e for e in header["columns"] if e["name"] == f"0 {name}")
    new = {
        "short": column[:-1],
        "empty": column[:0],
        "missing": column,
        "type": column.astype(np.float32 if column.dtype.kind == "i" else np.int64),
    }[change]
    columns[f"0 {name}"] = new
    entry |= {"dtype": new.dtype.newbyteorder("<").str, "shape": list(new.shape)}
    if change == "missing":
        entry["name"] = "0 other"
    with pytest.raises(ValueError, match="search"):
        load(tmp_path / "bad", header, columns)


def test_all_columns_cut_alike_are_refused(tmp_path, parts) -> None:
    header, columns = parts
    for size in (0, 2, 5, len(columns["0 visits"]) - 1):
        for entry in header["columns"]:
            if entry["name"].split()[1] in ("parent", "visits", "sums", "lower", "upper"):
                entry["shape"] = [size]
        cut = {e["name"]: columns[e["name"]][: e["shape"][0]] for e in header["columns"]}
        with pytest.raises(ValueError, match="search"):
            load(tmp_path / "bad", header, cut)


def set_header(*keys, value):
    def change(header: dict) -> None:
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_header("game", "shape", value=[2, 200]),
        set_header("game", "shape", value=[2]),
        set_header("game", "shape", value=[4, 4]),
        set_header("game", "k", value=0),
        set_header("game", value=None),
        set_header("board", value=[-1] * 8),
        set_header("board", value=[-1] * 9),
        set_header("board", value=[0] * 9),
        set_header("board", value=["a"] * 9),
        set_header("board", value=[0, 0, 0, 1, 1, -1, -1, -1, -1]),
        set_header("board", value=None),
        set_header("seed", value="-1"),
        set_header("seed", value="x"),
        set_header("seed", value=None),
        set_header("seed", value=str(2**128)),
        set_header("options", value=None),
        set_header("options", value={}),
        set_header("options", "c", value="x"),
        set_header("options", "c", value=-1),
        set_header("options", "c", value=None),
        set_header("options", "c", value=math.nan),
        set_header("options", "other", value=1),
        set_header("options", "evaluator", value=1),
        set_header("options", "playouts_per_leaf", value=0),
        set_header("options", "playouts_per_leaf", value="3"),
        set_header("options", "max_nodes", value=-1),
        set_header("options", "draw_value", value=2),
        set_header("options", "final", value="x"),
        set_header("options", "final", value=[]),
        set_header("options", "temperature", value=-1),
        set_header("options", "batch_size", value=0),
        set_header("options", "noise", value=[1]),
        set_header("options", "noise", value=[1, 2]),
        set_header("has_evaluator", value=True),
        set_header("noised", value=None),
        set_header("noised", value=[0]),
        set_header("noised", value=["x", False]),
        set_header("states", value=[]),
        set_header("states", value=None),
        set_header("states", value=[[]]),
        set_header("states", value=[["x"] * 5]),
        set_header("states", value=[["1"] * 4]),
        set_header("states", value=[["1"] * 50]),
        set_header("states", value=[["1"] * 5] * 10**4),
        *(set_header("states", 0, 0, value=str(value)) for value in (-1, 2**64, 10**30, "x")),
        *(set_header("states", 0, -1, value=str(value)) for value in (-1, 10**30, 256, 2**31)),
        set_header("columns", value=[]),
        set_header("columns", value=None),
        set_header("columns", value={}),
        set_header("columns", 0, "dtype", value="|O"),
        set_header("columns", 0, "dtype", value="<f8"),
        set_header("columns", 0, "shape", value=[10**12]),
        set_header("columns", 0, "shape", value=[-1]),
        set_header("columns", 0, "shape", value=[]),
        set_header("columns", 0, "shape", value=None),
        set_header("columns", 0, "name", value="other"),
        set_header("columns", 0, "name", value=3),
        set_header("columns", 0, value=5),
    ],
)
def test_headers_that_describe_no_search_are_refused(tmp_path, parts, change) -> None:
    header, columns = parts
    change(header)
    with pytest.raises(ValueError, match="bad"):
        load(tmp_path / "bad", header, columns)


@pytest.mark.parametrize("header", [[], 5, None, {}, {"game": {}}])
def test_other_headers_are_refused(tmp_path, header) -> None:
    with pytest.raises(ValueError, match="bad"):
        load(tmp_path / "bad", header, {})


def test_a_header_that_is_too_deep_is_refused(tmp_path) -> None:
    text = b"[" * 200_000
    content = struct.pack("<8sII", MAGIC, VERSION, len(text)) + text
    (tmp_path / "bad").write_bytes(content + hashlib.sha256(content).digest())
    with pytest.raises(ValueError, match="bad"):
        mbx.MCTS.load(tmp_path / "bad")


FUZZ = """
import random, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import numpy as np
import mbx
from test_mcts_forged import assemble, take_apart
content = Path("search").read_bytes()
rng, loaded = random.Random(sys.argv[2]), 0
for _ in range(400):
    header, columns = take_apart(content)
    for _ in range(rng.randrange(1, 3)):
        column = columns[rng.choice(sorted(columns))]
        if not column.size:
            continue
        if rng.random() < 0.5:
            column.view(np.uint8)[rng.randrange(column.nbytes)] ^= 1 << rng.randrange(8)
        else:
            i, j = rng.randrange(column.size), rng.randrange(column.size)
            column.flat[i] = column.flat[j]
    Path("bad").write_bytes(assemble(header, columns))
    try:
        search = mbx.MCTS.load("bad")
    except ValueError:
        continue
    loaded += 1
    search.tree()
    result = search.run(50)
    assert result.move in result.moves and 0 <= result.value <= 1
    str(result)
    search.advance(result.move)
print("done")
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_columns_changed_at_random_never_crash(tmp_path, run, source, saved, seed: int) -> None:
    """They are refused, or make a tree that can be searched."""
    (tmp_path / "search").write_bytes(saved.read_bytes())
    assert run(FUZZ, source / "tests", seed).stdout == "done\n"

"""Files whose checksum is right and whose contents are not: refused, whatever they say.

The file is taken apart and put together here by the description of the format alone.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib

import numpy as np
import pytest

import mbx
from mbx import Graph


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The header and the columns' bytes of a saved tree of 2x2 with k = 3: 65 nodes."""
    path = tmp_path_factory.mktemp("trees") / "tree"
    mbx.build_tree(mbx.Game((2, 2), 3).start()).save(path)
    content = path.read_bytes()
    assert content[:8] == b"MBXGRAPH"
    version, length = struct.unpack_from("<II", content, 8)
    assert version == 1
    header = json.loads(content[16 : 16 + length])
    columns, at = {}, 16 + length
    for entry in header["columns"]:
        columns[entry["name"]] = np.frombuffer(
            zlib.decompress(content[at : at + entry["bytes"]]), entry["dtype"]
        )
        at += entry["bytes"]
    assert at == len(content) - 32
    return header, columns


def assemble(header: dict, packed: list[bytes]) -> bytes:
    text = json.dumps(header).encode()
    content = b"MBXGRAPH" + struct.pack("<II", 1, len(text)) + text + b"".join(packed)
    return content + hashlib.sha256(content).digest()


def rebuilt(parts, change_header=None, change_columns=None) -> bytes:
    header, columns = json.loads(json.dumps(parts[0])), {k: v.copy() for k, v in parts[1].items()}
    if change_columns:
        change_columns(columns)
    packed = [zlib.compress(columns[entry["name"]].tobytes()) for entry in header["columns"]]
    for entry, data in zip(header["columns"], packed, strict=True):
        entry["bytes"] = len(data)
    if change_header:
        change_header(header)
    return assemble(header, packed)


def load(path, content: bytes):
    path.write_bytes(content)
    return Graph.load(path)


def test_the_unchanged_parts_make_a_tree(tmp_path, parts):
    assert len(load(tmp_path / "tree", rebuilt(parts))[0]) == 65


def put(name, node, value):
    return lambda columns: columns[name].__setitem__(node, value)


def swap_moves(columns):
    columns["move"][[1, 2]] = columns["move"][[2, 1]]


@pytest.mark.parametrize(
    "change",
    [
        put("n_children", 0, 5),
        put("n_children", 0, 3),
        put("n_children", 64, 1),
        put("n_children", 1, 255),
        put("n_children", slice(None), 0),
        put("n_children", slice(None), 1),
        put("status", 0, 2),
        put("status", 64, -1),
        put("status", 64, 3),
        put("status", 64, -2),
        put("move", 0, 0),
        put("move", 1, 4),
        put("move", 1, 255),
        put("move", 2, 0),
        swap_moves,
    ],
)
def test_columns_that_are_no_tree_are_refused(tmp_path, parts, change):
    with pytest.raises(ValueError, match="tree"):
        load(tmp_path / "tree", rebuilt(parts, change_columns=change))


def set_header(*keys, value):
    def change(header):
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_header("n_nodes", value=64),
        set_header("n_nodes", value=0),
        set_header("n_nodes", value=-1),
        set_header("n_nodes", value=2**40),
        set_header("n_nodes", value="65"),
        set_header("game", "shape", value=[2, 200]),
        set_header("game", "shape", value=[2]),
        set_header("game", "k", value=0),
        set_header("game", value=None),
        set_header("board", value=[0, 0, -1, -1]),
        set_header("board", value=[-1] * 5),
        set_header("board", value=["a"] * 4),
        set_header("order", value="zz"),
        set_header("columns", value=[]),
        set_header("columns", value={}),
        set_header("columns", 0, "dtype", value="|O"),
        set_header("columns", 0, "dtype", value="<f8"),
        set_header("columns", 0, "shape", value=[65, 10**12]),
        set_header("columns", 0, "shape", value=[65, -1]),
        set_header("columns", 0, "shape", value=[]),
        set_header("columns", 0, "name", value="other"),
        set_header("columns", 0, "bytes", value=-1),
        set_header("columns", 0, "bytes", value=1),
        set_header("columns", 0, "bytes", value=10**30),
    ],
)
def test_headers_that_describe_no_tree_are_refused(tmp_path, parts, change):
    with pytest.raises(ValueError, match="tree"):
        load(tmp_path / "tree", rebuilt(parts, change_header=change))


@pytest.mark.parametrize("header", [[], 5, None, {}, {"game": {}}])
def test_other_headers_are_refused(tmp_path, header):
    with pytest.raises(ValueError, match="tree"):
        load(tmp_path / "tree", assemble(header, []))


def test_a_column_that_unpacks_to_more_than_it_says_is_refused(tmp_path, parts):
    header = json.loads(json.dumps(parts[0]))
    bomb = zlib.compress(bytes(10**8), 9)
    header["columns"][0]["bytes"] = len(bomb)
    with pytest.raises(ValueError, match="tree"):
        load(tmp_path / "tree", assemble(header, [bomb]))


@pytest.mark.parametrize("depth", [5, 254, 255, 256, 300])
def test_a_tree_deeper_than_the_board_is_refused(tmp_path, depth):
    """A chain of moves below a board of 255 columns of height 1, and below one of 4 cells."""
    shape = (255, 1) if depth > 5 else (2, 2)
    n_nodes = depth + 1
    header = {
        "game": {"shape": shape, "k": 3, "gravity": False},
        "board": [-1] * (shape[0] * shape[1]),
        "order": "bf",
        "n_nodes": n_nodes,
        "metadata": {},
        "columns": [],
    }
    n_children, move = np.ones(n_nodes, np.uint8), np.zeros(n_nodes, np.uint8)
    status = np.full(n_nodes, -1, np.int8)
    n_children[-1], move[0], status[-1] = 0, 255, 2
    packed = []
    for name, column in (("n_children", n_children), ("move", move), ("status", status)):
        packed.append(zlib.compress(column.tobytes()))
        entry = {"name": name, "dtype": column.dtype.str, "shape": [n_nodes]}
        header["columns"].append(entry | {"bytes": len(packed[-1])})
    content = assemble(header, packed)
    if depth in (254, 255):
        assert load(tmp_path / "tree", content)[0].layer_sizes == [1] * n_nodes
    else:
        with pytest.raises(ValueError, match="tree"):
            load(tmp_path / "tree", content)


def test_a_header_that_is_too_deep_is_refused(tmp_path):
    text = b"[" * 200_000
    content = b"MBXGRAPH" + struct.pack("<II", 1, len(text)) + text
    with pytest.raises(ValueError, match="tree"):
        load(tmp_path / "tree", content + hashlib.sha256(content).digest())

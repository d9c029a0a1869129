"""Files of trees: data, never code; versioned, checksummed, written atomically.

    bytes       what
    8           b"MBXGRAPH"
    4           version, little-endian
    4           length of the header
    ...         header, JSON: game, board, order, n_nodes, metadata and, for every column in turn,
                its name, type, shape and length in the file
    ...         the columns, in breadth-first order
    32          SHA-256 of everything before

A column is stored transposed into planes, one for each byte of each of its items (the high bytes of
small numbers are zeros side by side), and compressed by zlib.  What follows from other columns
(parent, first_child, depth and the counts of draws) is not stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np

from . import _core
from .game import Game
from .graph import Column
from .tree import Tree, allocate_columns, to_depth_first
from .position import Position

MAGIC = b"MBXGRAPH"
VERSION = 1
_PREFIX = struct.Struct("<8sII")
_DIGEST_SIZE = 32
_STORED = ("n_children", "move", "status")
_COUNTS = "counts"
_DTYPES = ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8")


def _pack(column: Column) -> bytes:
    little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
    planes = little.view(np.uint8).reshape(len(column), -1).T
    return zlib.compress(planes.tobytes(), 1)


def _unpack(data: bytes, dtype: str, shape: list[int]) -> Column:
    item = np.dtype(dtype).itemsize * (shape[1] if len(shape) == 2 else 1)
    size = shape[0] * item
    if size < 1:
        raise ValueError("a column is empty")
    decompressor = zlib.decompressobj()
    planes = decompressor.decompress(data, size)
    if len(planes) != size or decompressor.decompress(decompressor.unconsumed_tail, 1):
        raise ValueError("a column has another size than its header says")
    array = np.ascontiguousarray(np.frombuffer(planes, np.uint8).reshape(item, -1).T)
    return array.view(dtype).reshape(shape)


def _in_breadth_first_order(graph: Tree, column: Column) -> Column:
    return column if graph.order == "bf" else column[graph.child_ids]


def _stored_columns(graph: Tree, extra: dict[str, Column]) -> dict[str, Column]:
    columns = {name: getattr(graph, name) for name in _STORED}
    if "counts" in vars(graph) and graph.counts.dtype != object:
        columns[_COUNTS] = graph.counts[:, :2]  # the third follows: they add up to the denominator
    for name, column in extra.items():
        if not isinstance(name, str) or name in (*_STORED, _COUNTS):
            raise ValueError(f"a column cannot be named {name!r}")
        if len(column) != graph.n_nodes or column.dtype.newbyteorder("<").str not in _DTYPES:
            raise ValueError(f"column {name!r} must be an array of numbers, one for every node")
        columns[name] = column
    return {name: _in_breadth_first_order(graph, column) for name, column in columns.items()}


def save_graph(
    graph: Tree, path: str | os.PathLike[str], columns: dict[str, Column], metadata: dict[str, Any]
) -> None:
    """Write a tree with further columns and metadata; see Graph.save."""
    if not isinstance(metadata, dict):
        raise TypeError(f"metadata must be a dict, not {metadata!r}")
    stored = _stored_columns(graph, columns)
    packed = {name: _pack(column) for name, column in stored.items()}
    header = {
        "game": {
            "shape": graph.game.shape,
            "k": graph.game.k,
            "gravity": graph.game.gravity,
        },
        "board": graph.root.to_array().ravel().tolist(),
        "order": graph.order,
        "n_nodes": graph.n_nodes,
        "metadata": metadata,
        "columns": [
            {
                "name": name,
                "dtype": column.dtype.newbyteorder("<").str,
                "shape": column.shape,
                "bytes": len(packed[name]),
            }
            for name, column in stored.items()
        ],
    }
    text = json.dumps(header).encode()
    parts = [_PREFIX.pack(MAGIC, VERSION, len(text)), text, *packed.values()]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    _write_atomically(Path(path), [*parts, digest.digest()])


def _write_atomically(path: Path, parts: list[bytes]) -> None:
    """A new file beside the old one takes its place when it is safely on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_graph(path: str | os.PathLike[str]) -> tuple[Tree, dict[str, Column], dict[str, Any]]:
    """Read what save_graph wrote; see Graph.load."""
    data = Path(path).read_bytes()
    header, body = _verify(path, data)
    try:
        return _build(header, body)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise ValueError(f"{path} does not hold a tree: {error}") from error


def _verify(path: str | os.PathLike[str], data: bytes) -> tuple[dict[str, Any], memoryview]:
    """The header and the columns' bytes of a file whose checksum is right."""
    if len(data) < _PREFIX.size + _DIGEST_SIZE or not data.startswith(MAGIC):
        raise ValueError(f"{path} is not a saved tree")
    _, version, length = _PREFIX.unpack_from(data)
    content = memoryview(data)[:-_DIGEST_SIZE]
    if hashlib.sha256(content).digest() != data[-_DIGEST_SIZE:]:
        raise ValueError(f"{path} is damaged: its checksum is wrong")
    if version != VERSION:
        raise ValueError(f"{path} is of version {version}; this mbx reads version {VERSION}")
    end = _PREFIX.size + length
    try:
        header = json.loads(bytes(content[_PREFIX.size : end]))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} has a header that is no JSON: {error}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path} has a header of the wrong form")
    return header, content[end:]


def _read_columns(header: dict[str, Any], body: memoryview) -> dict[str, Column]:
    columns = {}
    at, n_nodes = 0, header["n_nodes"]
    if not isinstance(n_nodes, int) or not 1 <= n_nodes < 2**31:
        raise ValueError(f"{n_nodes!r} is no number of nodes")
    for entry in header["columns"]:
        dtype, shape, size = entry["dtype"], entry["shape"], entry["bytes"]
        if dtype not in _DTYPES or len(shape) not in (1, 2) or shape[0] != n_nodes:
            raise ValueError(f"column {entry['name']!r} has the wrong form")
        columns[entry["name"]] = _unpack(bytes(body[at : at + size]), dtype, shape)
        at += size
    return columns


def _breadth_first_columns(root: Position, stored: dict[str, Column]) -> dict[str, Column]:
    columns = allocate_columns(len(stored["move"]))
    for name in _STORED:
        if stored[name].dtype != columns[name].dtype or stored[name].ndim != 1:
            raise ValueError(f"column {name!r} has the wrong type")
        columns[name][:] = stored.pop(name)
    _core.tree_link(root, tuple(columns.values()))
    if columns["status"][0] != root.status:
        raise ValueError("the root's status is not that of its board")
    return columns


def _build(
    header: dict[str, Any], body: memoryview
) -> tuple[Tree, dict[str, Column], dict[str, Any]]:
    rules, order = header["game"], header["order"]
    game = Game(rules["shape"], rules["k"], rules["gravity"])
    root = game.from_array(np.array(header["board"]).reshape(game.shape[::-1]))
    stored = _read_columns(header, body)
    columns = _breadth_first_columns(root, stored)
    if order == "df":
        columns = to_depth_first(columns)
        for name, column in stored.items():
            stored[name] = np.empty_like(column)
            stored[name][columns["child_ids"]] = column
    elif order != "bf":
        raise ValueError(f"order {order!r} is unknown")
    graph = Tree(root, order, columns, stored.pop(_COUNTS, None))
    return graph, stored, header["metadata"]

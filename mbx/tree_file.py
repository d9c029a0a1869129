"""The columns of a tree in a file (graph_file.py), in breadth-first order.

A column is stored transposed into planes, one for each byte of each of its items (the high bytes of
small numbers are zeros side by side), and compressed by zlib.  What follows from other columns
(parent, first_child, depth and the counts of draws) is not stored.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from . import _core
from .data_file import DTYPES
from .graph import Column
from .position import Position
from .tree import Tree, allocate_columns, to_depth_first

_STORED = ("n_children", "move", "status")
_COUNTS = "counts"


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
        if name in (*_STORED, _COUNTS):
            raise ValueError(f"a column cannot be named {name!r}")
        columns[name] = column
    return {name: _in_breadth_first_order(graph, column) for name, column in columns.items()}


def pack(graph: Tree, extra: dict[str, Column]) -> tuple[dict[str, Any], list[bytes]]:
    """The fields of the header and the parts of the body."""
    stored = _stored_columns(graph, extra)
    packed = {name: _pack(column) for name, column in stored.items()}
    entries = [
        {
            "name": name,
            "dtype": column.dtype.newbyteorder("<").str,
            "shape": column.shape,
            "bytes": len(packed[name]),
        }
        for name, column in stored.items()
    ]
    fields = {"order": graph.order, "n_nodes": graph.n_nodes, "columns": entries}
    return fields, list(packed.values())


def unpack(
    root: Position, header: dict[str, Any], body: memoryview
) -> tuple[Tree, dict[str, Column]]:
    """The tree of a file, and the further columns; KeyError, TypeError, ValueError, zlib.error."""
    order = header["order"]
    stored = _read_columns(header, body)
    columns = _breadth_first_columns(root, stored)
    if order == "df":
        columns = to_depth_first(columns)
        for name, column in stored.items():
            stored[name] = np.empty_like(column)
            stored[name][columns["child_ids"]] = column
    elif order != "bf":
        raise ValueError(f"order {order!r} is unknown")
    return Tree(root, order, columns, stored.pop(_COUNTS, None)), stored


def _read_columns(header: dict[str, Any], body: memoryview) -> dict[str, Column]:
    columns = {}
    at, n_nodes = 0, header["n_nodes"]
    if not isinstance(n_nodes, int) or not 1 <= n_nodes < 2**31:
        raise ValueError(f"{n_nodes!r} is no number of nodes")
    for entry in header["columns"]:
        dtype, shape, size = entry["dtype"], entry["shape"], entry["bytes"]
        if dtype not in DTYPES or len(shape) not in (1, 2) or shape[0] != n_nodes:
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

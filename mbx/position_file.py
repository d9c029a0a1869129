"""The columns of a position graph in a file (graph_file.py), as they are in memory.

Loading maps the large columns: they take memory only where they are read.  Stored are the bits of
every layer, status, copies, and what was computed of scores, probabilities and numbers of games.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .graph import Column
from .position import Position
from .position_graph import PositionGraph, restore
from .tree_file import DTYPES

ALIGNMENT = 64
_MAPPED = 2**26  # columns of more bytes stay in the file
_COMPUTED = {"_scores": np.int8, "probabilities": np.float64, "games_through": np.uint64}


def pack(graph: PositionGraph, extra: dict[str, Column]) -> tuple[dict[str, Any], list[Any]]:
    """The fields of the header and the parts of the body."""
    columns = {f"bits {depth}": bits for depth, bits in enumerate(graph.layer_bits)}
    columns["status"] = graph.status
    if graph.symmetry:
        columns["copies"] = graph.copies
    columns |= {name: vars(graph)[name] for name in _COMPUTED if name in vars(graph)}
    for name in extra:
        if name in columns or name in ("status", "copies", *_COMPUTED):
            raise ValueError(f"a column cannot be named {name!r}")
    entries, parts = [], []
    for name, column in (columns | extra).items():
        little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
        entries.append({"name": name, "dtype": little.dtype.str, "shape": little.shape})
        parts += [little.ravel().view(np.uint8), bytes(-little.nbytes % ALIGNMENT)]
    fields = {
        "symmetry": graph.symmetry,
        "n_layers": len(graph.layer_bits),
        "columns": entries,
    }
    return fields, parts


def unpack(
    root: Position, header: dict[str, Any], body: memoryview
) -> tuple[PositionGraph, dict[str, Column]]:
    """The graph of a file, and the further columns; KeyError, TypeError, ValueError."""
    columns = _read_columns(header["columns"], body)
    n_layers = header["n_layers"]
    if not isinstance(n_layers, int) or not 1 <= n_layers <= root.game.n_cells - root.ply + 1:
        raise ValueError(f"{n_layers!r} is no number of layers")
    bits = [columns.pop(f"bits {depth}") for depth in range(n_layers)]
    status, copies = columns.pop("status"), columns.pop("copies", None)
    if status.dtype != np.int8 or (copies is not None and copies.dtype != np.uint8):
        raise ValueError("status or copies has the wrong type")
    if (copies is not None) != header["symmetry"]:
        raise ValueError("copies belong to symmetry")
    graph = restore(root, header["symmetry"], bits, status, copies)
    for name, dtype in _COMPUTED.items():
        if name not in columns:
            continue
        column = columns.pop(name)
        shape = (graph.n_nodes, 3) if name == "probabilities" else (graph.n_nodes,)
        if column.dtype != dtype or column.shape != shape:
            raise ValueError(f"column {name!r} has the wrong form")
        vars(graph)[name] = column
    return graph, columns


def _read_columns(entries: list[dict[str, Any]], body: memoryview) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    at = 0
    for entry in entries:
        name, dtype, shape = entry["name"], entry["dtype"], tuple(entry["shape"])
        sides = all(isinstance(side, int) and side >= 0 for side in shape)
        if dtype not in DTYPES or not sides or not isinstance(name, str):
            raise ValueError(f"column {name!r} has the wrong form")
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > len(body) - at:
            raise ValueError(f"column {name!r} ends beyond the file")
        column = np.frombuffer(body[at : at + size], dtype).reshape(shape)
        columns[name] = column if size > _MAPPED else column.copy()
        at += size + -size % ALIGNMENT
    return columns

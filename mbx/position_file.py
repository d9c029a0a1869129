"""The columns of a position graph in a file (graph_file.py), as they are in memory.

Loading maps the large columns: they take memory only where they are read.  Stored are the bits of
every layer, status, copies, and what was computed of scores, probabilities and numbers of games.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .data_file import pack_columns, read_columns
from .graph import Column
from .position import Position
from .position_graph import PositionGraph, restore

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
    entries, parts = pack_columns(columns | extra)
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
    columns = read_columns(header["columns"], body)
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

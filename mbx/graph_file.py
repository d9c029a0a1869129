"""Files of graphs (data_file.py).

The header holds the kind of graph, the game, the board and the metadata, then what that kind needs
and, for every column in turn, its name, type and shape; of a tree the columns are compressed
(tree_file.py), of a position graph as they are (position_file.py).
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import numpy as np

from . import position_file, tree_file
from .data_file import DTYPES, Kind, read_file, write_file
from .game import Game
from .graph import Column, Graph
from .position import Position
from .position_graph import PositionGraph
from .tree import Tree

KIND = Kind(b"MBXGRAPH", 1, "tree or graph")
_KINDS: dict[str, Any] = {"tree": tree_file, "positions": position_file}


def save_graph(
    graph: Graph, path: str | os.PathLike[str], columns: dict[str, Column], metadata: dict[str, Any]
) -> None:
    """Write a graph with further columns and metadata; see Graph.save."""
    if not isinstance(metadata, dict):
        raise TypeError(f"metadata must be a dict, not {metadata!r}")
    for name, column in columns.items():
        if not isinstance(name, str):
            raise ValueError(f"a column cannot be named {name!r}")
        if len(column) != graph.n_nodes or column.dtype.newbyteorder("<").str not in DTYPES:
            raise ValueError(f"column {name!r} must be an array of numbers, one for every node")
    if isinstance(graph, Tree):
        kind, (fields, parts) = "tree", tree_file.pack(graph, columns)
    elif isinstance(graph, PositionGraph):
        kind, (fields, parts) = "positions", position_file.pack(graph, columns)
    else:
        raise TypeError(f"a {type(graph).__name__} cannot be saved")
    game = {"shape": graph.game.shape, "k": graph.game.k, "gravity": graph.game.gravity}
    board = graph.root.to_array().ravel().tolist()
    header = {"kind": kind, "game": game, "board": board, "metadata": metadata, **fields}
    write_file(KIND, path, header, parts)


def load_graph(path: str | os.PathLike[str]) -> tuple[Graph, dict[str, Column], dict[str, Any]]:
    """Read what save_graph wrote; see Graph.load."""
    header, body = read_file(KIND, path)
    try:
        unpack = _KINDS[header.get("kind", "tree")].unpack
        rules = header["game"]
        game = Game(rules["shape"], rules["k"], rules["gravity"])
        root: Position = game.from_array(np.array(header["board"]).reshape(game.shape[::-1]))
        graph, columns = unpack(root, header, body)
        return graph, columns, header["metadata"]
    except (KeyError, TypeError, ValueError, OverflowError, MemoryError, zlib.error) as error:
        raise ValueError(f"{path} does not hold a tree or graph: {error}") from error

"""Files of graphs: data, never code; versioned, checksummed, written atomically.

bytes       what
8           b"MBXGRAPH"
4           version, little-endian
4           length of the header
...         header, JSON: kind, game, board, metadata, what the kind needs and, for every column
            in turn, its name, type and shape
...         the columns: of a tree compressed (tree_file.py), of a position graph as they are, each
            from a multiple of 64 bytes on (position_file.py)
32          SHA-256 of everything before
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import zlib
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np

from . import position_file, tree_file
from .game import Game
from .graph import Column, Graph
from .position import Position
from .position_graph import PositionGraph
from .tree import Tree

MAGIC = b"MBXGRAPH"
VERSION = 1
_PREFIX = struct.Struct("<8sII")
_DIGEST_SIZE = 32
_PIECE = 2**24  # bytes that are checksummed between two looks for Ctrl-C
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
        if (
            len(column) != graph.n_nodes
            or column.dtype.newbyteorder("<").str not in tree_file.DTYPES
        ):
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
    text = json.dumps(header).encode()
    text += b" " * (-(_PREFIX.size + len(text)) % position_file.ALIGNMENT)
    _write_atomically(Path(path), [_PREFIX.pack(MAGIC, VERSION, len(text)), text, *parts])


def _write_atomically(path: Path, parts: list[Any]) -> None:
    """A new file beside the old one takes its place when it is safely on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}.tmp")
    digest = hashlib.sha256()
    try:
        with open(temporary, "wb") as file:
            for part in parts:
                view = memoryview(part).cast("B")
                for first in range(0, len(view), _PIECE):
                    digest.update(view[first : first + _PIECE])
                    file.write(view[first : first + _PIECE])
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_graph(path: str | os.PathLike[str]) -> tuple[Graph, dict[str, Column], dict[str, Any]]:
    """Read what save_graph wrote; see Graph.load."""
    header, body = _verify(path, _map(path))
    try:
        unpack = _KINDS[header.get("kind", "tree")].unpack
        rules = header["game"]
        game = Game(rules["shape"], rules["k"], rules["gravity"])
        root: Position = game.from_array(np.array(header["board"]).reshape(game.shape[::-1]))
        graph, columns = unpack(root, header, body)
        return graph, columns, header["metadata"]
    except (KeyError, TypeError, ValueError, OverflowError, MemoryError, zlib.error) as error:
        raise ValueError(f"{path} does not hold a tree or graph: {error}") from error


def _map(path: str | os.PathLike[str]) -> memoryview:
    """The bytes of a file, mapped into memory."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < _PREFIX.size + _DIGEST_SIZE:
            raise ValueError(f"{path} is no saved tree or graph")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _verify(path: str | os.PathLike[str], data: memoryview) -> tuple[dict[str, Any], memoryview]:
    """The header and the columns' bytes of a file whose checksum is right."""
    magic, version, length = _PREFIX.unpack_from(data)
    if magic != MAGIC:
        raise ValueError(f"{path} is no saved tree or graph")
    content, digest = data[:-_DIGEST_SIZE], hashlib.sha256()
    for first in range(0, len(content), _PIECE):
        digest.update(content[first : first + _PIECE])
    if digest.digest() != data[-_DIGEST_SIZE:]:
        raise ValueError(f"{path}, a tree or graph, is damaged: its checksum is wrong")
    if version != VERSION:
        raise ValueError(
            f"{path}, a tree or graph, is of version {version}; this mbx reads version {VERSION}"
        )
    end = _PREFIX.size + length
    try:
        header = json.loads(bytes(content[_PREFIX.size : end]))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}, a tree or graph, has no JSON header: {error}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path}, a tree or graph, has a header of the wrong form")
    return header, content[end:]

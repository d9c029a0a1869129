"""Files of arrays: data, never code; versioned, checksummed, written atomically.

bytes       what
8           the kind of file: b"MBXGRAPH", b"MBXSRCHT"
4           version, little-endian
4           length of the header
...         header, JSON
...         the body
32          SHA-256 of everything before

Arrays that are stored as they are begin at multiples of 64 bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]

ALIGNMENT = 64
DTYPES = ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8")
_PREFIX = struct.Struct("<8sII")
_DIGEST_SIZE = 32
_PIECE = 2**24  # bytes that are checksummed between two looks for Ctrl-C
_MAPPED = 2**26  # arrays of more bytes stay in the file


class Kind(NamedTuple):
    """What a file is: its first bytes, its version, and what messages call it."""

    magic: bytes
    version: int
    noun: str


# ---- writing -------------------------------------------------------------------------------------


def write_file(
    kind: Kind, path: str | os.PathLike[str], header: dict[str, Any], parts: list[Any]
) -> None:
    """Write a file: a new one beside the old takes its place when it is safely on the disk."""
    text = json.dumps(header).encode()
    text += b" " * (-(_PREFIX.size + len(text)) % ALIGNMENT)
    prefix = _PREFIX.pack(kind.magic, kind.version, len(text))
    _write_atomically(Path(os.fspath(path)), [prefix, text, *parts])


def _write_atomically(path: Path, parts: list[Any]) -> None:
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


def pack_columns(columns: Mapping[str, Column]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Arrays as they are: their entries of the header, and the parts of the body."""
    entries: list[dict[str, Any]] = []
    parts: list[Any] = []
    for name, column in columns.items():
        little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
        entries.append({"name": name, "dtype": little.dtype.str, "shape": little.shape})
        parts += [little.ravel().view(np.uint8), bytes(-little.nbytes % ALIGNMENT)]
    return entries, parts


# ---- reading -------------------------------------------------------------------------------------


def read_file(kind: Kind, path: str | os.PathLike[str]) -> tuple[dict[str, Any], memoryview]:
    """The header and the body of a file of that kind whose checksum is right, else ValueError."""
    return _verify(kind, path, _map(kind, path))


def _map(kind: Kind, path: str | os.PathLike[str]) -> memoryview:
    """The bytes of a file, mapped into memory."""
    with open(os.fspath(path), "rb") as file:
        if os.fstat(file.fileno()).st_size < _PREFIX.size + _DIGEST_SIZE:
            raise ValueError(f"{path} is no saved {kind.noun}")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _verify(
    kind: Kind, path: str | os.PathLike[str], data: memoryview
) -> tuple[dict[str, Any], memoryview]:
    magic, version, length = _PREFIX.unpack_from(data)
    if magic != kind.magic:
        raise ValueError(f"{path} is no saved {kind.noun}")
    content, digest = data[:-_DIGEST_SIZE], hashlib.sha256()
    for first in range(0, len(content), _PIECE):
        digest.update(content[first : first + _PIECE])
    if digest.digest() != data[-_DIGEST_SIZE:]:
        raise ValueError(f"{path}, a {kind.noun}, is damaged: its checksum is wrong")
    if version != kind.version:
        raise ValueError(
            f"{path}, a {kind.noun}, is of version {version}; this mbx reads version {kind.version}"
        )
    end = _PREFIX.size + length
    try:
        header = json.loads(bytes(content[_PREFIX.size : end]))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}, a {kind.noun}, has no JSON header: {error}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path}, a {kind.noun}, has a header of the wrong form")
    return header, content[end:]


def read_columns(entries: list[dict[str, Any]], body: memoryview) -> dict[str, Column]:
    """What pack_columns wrote; large arrays take memory only where they are read.

    KeyError, TypeError, ValueError.
    """
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

"""Seeds: everything that NumPy takes as one, as the 128-bit key of the playouts' stream."""

from __future__ import annotations

import operator
import os
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

# A string: numpy.random is not imported before somebody uses it, for that takes a while.
Seed: TypeAlias = "SupportsIndex | np.random.SeedSequence | np.random.Generator | None"

_BITS = 128
_END = 2**_BITS


def _join(words: NDArray[Any]) -> int:
    return int(words[0]) | int(words[1]) << 64


def seed_key(seed: Seed) -> int:
    """The key of a seed, an int from 0 below 2**128.

    An int is the key itself; of a SeedSequence it is generate_state(2, uint64), of a Generator one
    draw of two uint64 (which advances it), of None fresh entropy from the system.

    Raises TypeError for other types and ValueError for an int out of range.
    """
    if seed is None:
        return int.from_bytes(os.urandom(_BITS // 8), "little")
    if isinstance(seed, int) and 0 <= seed < _END:
        return int(seed)
    if isinstance(seed, np.random.SeedSequence):
        return _join(seed.generate_state(2, np.uint64))
    if isinstance(seed, np.random.Generator):
        return _join(seed.integers(0, 2**64, size=2, dtype=np.uint64))
    try:
        key = operator.index(seed)
    except TypeError:
        raise TypeError(
            f"seed must be an int, a SeedSequence, a Generator or None, not {seed!r}"
        ) from None
    if not 0 <= key < _END:
        raise ValueError(f"seed must be from 0 to 2**128 - 1, not {seed!r}")
    return key

"""Blocks: the parts in which the core plays the playouts of a position (docs/stream.md)."""

from __future__ import annotations

from . import _core

_PLACES = 8  # of 64 bits in the widest register


def side_by_side(game: _core.Game) -> int:
    """How many blocks or positions a call of the core should have, to play them side by side.

    Under gravity one of them fills only 64 bits of a register, without gravity all.
    """
    return _PLACES if game.gravity else 1

"""The text form of a position: rows of '.', 'o' and 'x'.

Rows stand from the top, split by '/' or newlines; the layers of a solid board are split by a blank
line or '//', the bottom layer first.  Under gravity the last axis points upwards, so the first row
of a flat gravity board is its highest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .game import Game
    from .position import Position

OUTCOMES = ("o wins", "x wins", "draw")

EMPTY, FIRST, SECOND = ".ox"


def _is_upside_down(game: Game) -> bool:
    return game.gravity and len(game.shape) == 2


def format_position(position: Position) -> str:
    """The rows of a position, its layers split by a blank line; no newline at the end."""
    marks = np.array([FIRST, SECOND, EMPTY])[position.to_array()]
    layers = marks[np.newaxis] if marks.ndim == 2 else marks
    if _is_upside_down(position.game):
        layers = layers[:, ::-1]
    return "\n\n".join("\n".join("".join(row) for row in layer) for layer in layers)


def _read_symbols(symbols: str) -> dict[str, int]:
    if not isinstance(symbols, str):
        raise TypeError(f"symbols must be a string of two characters, not {symbols!r}")
    folded = symbols.lower()
    if len(folded) != 2 or folded[0] == folded[1] or re.search(r"[\s/.]", folded):
        raise ValueError(f"symbols must be two different characters, like 'ox', not {symbols!r}")
    return {EMPTY: -1, folded[0]: 0, folded[1]: 1}


def _split(text: str, game: Game) -> list[list[str]]:
    """The rows of each layer, without surrounding spaces."""
    layers = re.split(r"//|\n[ \t]*\n", text.strip()) if len(game.shape) == 3 else [text.strip()]
    return [[row.strip() for row in re.split(r"[/\n]", layer.strip())] for layer in layers]


def _check_shape(layers: Sequence[Sequence[str]], game: Game, text: str) -> None:
    n_columns, n_rows, n_layers = (*game.shape, 1)[:3]
    if len(layers) != n_layers:
        raise ValueError(f"text must have {n_layers} layers split by '//', not {len(layers)}")
    for layer in layers:
        if len(layer) != n_rows or any(len(row) != n_columns for row in layer):
            raise ValueError(
                f"text must have {n_rows} rows of {n_columns} cells{' a layer' * (n_layers > 1)}, "
                f"split by '/' or newlines, not {text!r}"
            )


def parse_board(text: str, game: Game, symbols: str = "ox") -> NDArray[np.int8]:
    """The board of a text as an array [y, x] or [z, y, x] of -1, 0 and 1."""
    marks = _read_symbols(symbols)
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {text!r}")
    layers = _split(text, game)
    _check_shape(layers, game, text)
    for mark in "".join(row for layer in layers for row in layer).lower():
        if mark not in marks:
            raise ValueError(f"text must be made of {', '.join(marks)}, not {mark!r} in {text!r}")
    board = np.array(
        [[[marks[mark] for mark in row.lower()] for row in layer] for layer in layers], np.int8
    )
    if _is_upside_down(game):
        board = board[:, ::-1]
    return np.ascontiguousarray(board).reshape(game.shape[::-1])

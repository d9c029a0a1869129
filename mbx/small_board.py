"""Small boards, lines and numbers: what the pictures of search trees are made of."""

from __future__ import annotations

import math

from .position import Position
from .svg import GREY, draw_board, text, written

EDGE = "#b0ac9f"  # between nodes
ROW = 14  # the height of a line of text


def box_side(position: Position) -> int:
    """The side of the square that a board of this game gets."""
    return 84 if position.game.n_cells <= 49 else 132


def small_board(position: Position, centre: float, top: float) -> str:
    """The board without numbers, in the middle of its box; layers stand in a square."""
    layers = position.game.n_cells // math.prod(position.game.shape[:2])
    board = draw_board(position, abreast=math.isqrt(layers - 1) + 1, label=0)
    box = box_side(position)
    scale = min(0.6, box / max(board.width, board.height))
    left, down = centre - board.width * scale / 2, top + (box - board.height * scale) / 2
    return (
        f'<g transform="translate({left:.1f} {down:.1f}) scale({scale:.3f})">\n'
        f"{board.content}\n</g>"
    )


def caption(centre: float, top: float, *lines: str) -> str:
    """Lines of text under a board."""
    texts = [text(centre, top + ROW * (i + 1) - 2, each) for i, each in enumerate(lines)]
    return written(texts, GREY)


def line(data: str, colour: str = EDGE, width: float = 1) -> str:
    """A line along the data of a path."""
    return f'<path d="{data}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def state(position: Position) -> str:
    """Whose move it is, or how the game ended."""
    return {-1: f"{'ox'[position.turn]} to move", 0: "o wins", 1: "x wins", 2: "a draw"}[
        position.status
    ]


def number(value: float) -> str:
    """Three decimals; a dash for nothing."""
    if math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.3f}"


def counted(visits: int) -> str:
    """So many visits."""
    return f"{visits:,} visit{'' if visits == 1 else 's'}"

"""A position as a picture: one SVG string that stands alone.

A page may show the picture as <img>, where no style sheet, font file or script reaches it, and
many pictures may stand on one page. So everything is an attribute, nothing has an id, and the
background is opaque, so that the picture reads the same on a light and on a dark page.

    flat board        squares with y = 0 at the top; a ring is the first side, a cross the second
    gravity board     a dark panel with holes, y = 0 at the bottom; discs carry the ring or cross
    three dimensions  the layers of either kind side by side, z = 0 first, wrapping to a new row

The numbers beside the board are x and y, counted from 0. The cells of completed lines are
tinted; the cell of the last move has a frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .position import Position

CELL = 40  # side of a cell in user units
GAP = 12  # around and between the layers
LABEL = 16  # room for coordinates and for the name of a layer
LAYERS_WIDE = 760  # layers wrap beyond this width
SHOWN_WIDE = 900  # wider pictures are shown smaller, but no smaller than
SMALLEST = 0.6  # this scale

PAGE, EDGE, INK, GREY = "#fcfbf8", "#d0cdc4", "#22252b", "#666b75"
TINT = "#ffd24d"
FIRST, SECOND = "#c9431f", "#1f5fae"


class _Style(NamedTuple):
    """How one kind of board looks: its ground, its grid and the two marks."""

    ground: str
    grid: str
    marks: tuple[str, str]  # colours of ring and cross
    radius: int  # of the marks
    stroke: int  # of the marks


FLAT = _Style("#ffffff", "#a5a9b0", (FIRST, SECOND), 11, 5)
PANEL = _Style("#46536a", "#56647d", ("#ffffff", "#ffffff"), 7, 3)


def position_title(position: Position) -> str:
    """Rules and state of play in a few words: "7×6, 4 in a row, gravity: o to move"."""
    game = position.game
    shape = "×".join(map(str, game.shape))
    gravity = ", gravity" if game.gravity else ""
    state = {-1: f"{'ox'[position.turn]} to move", 0: "o wins", 1: "x wins", 2: "draw"}
    return f"{shape}, {game.k} in a row{gravity}: {state[position.status]}"


class Drawing(NamedTuple):
    """A part of a picture, from its own origin at the top left."""

    content: str
    width: int
    height: int


def position_svg(position: Position) -> str:
    """The position as an SVG document of its own, with its title and the board as text inside.

    Up to 255 cells of any shape. Boards that would be wider than 900 pixels are shown smaller,
    with cells of at least 24 pixels.
    """
    return document(draw_board(position), position_title(position), str(position))


def document(drawing: Drawing, title: str, description: str) -> str:
    """A drawing as an SVG document on an opaque page; wide ones are shown smaller."""
    content, width, height = drawing
    scale = max(SMALLEST, min(1, SHOWN_WIDE / width))
    size = f'width="{width * scale:.0f}" height="{height * scale:.0f}"'
    edge = f'x="0.5" y="0.5" width="{width - 1}" height="{height - 1}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} '
            + f'viewBox="0 0 {width} {height}">',
            f"<title>{title}</title>",
            f"<desc>{description}</desc>",
            f'<rect {edge} fill="{PAGE}" stroke="{EDGE}"/>',
            content,
            "</svg>",
        ]
    )


def draw_board(position: Position, abreast: int | None = None, label: int = LABEL) -> Drawing:
    """The board, its layers `abreast` in a row, or as many as fit; label 0: without any text."""
    game = position.game
    columns, rows = game.shape[:2]
    solid = len(game.shape) == 3
    board = position.to_array().reshape(-1, rows, columns)
    width = label + columns * CELL
    height = label + rows * CELL + (label if solid else 0)
    abreast = abreast or min(len(board), max(1, LAYERS_WIDE // (width + GAP)))

    winners = np.zeros(board.shape, bool)
    winners.flat[position.winning_cells()] = True
    last = np.zeros(board.shape, bool)
    if position.last_cell is not None:
        last.flat[position.last_cell] = True

    layers = []
    for z, stones in enumerate(board):
        down, across = divmod(z, abreast)
        left, top = GAP + across * (width + GAP), GAP + down * (height + GAP)
        content = _layer(
            stones,
            winners[z],
            last[z],
            name=f"z = {z}" if solid else "",
            label=label,
            gravity=game.gravity,
            upwards=game.gravity and not solid,
        )
        layers.append(f'<g transform="translate({left} {top})">\n{content}\n</g>')
    return Drawing(
        "\n".join(layers),
        GAP + abreast * (width + GAP),
        GAP + -(-len(board) // abreast) * (height + GAP),
    )


def _layer(
    stones: NDArray[np.int8],
    winners: NDArray[np.bool_],
    last: NDArray[np.bool_],
    *,
    name: str,
    label: int,
    gravity: bool,
    upwards: bool,
) -> str:
    """One layer, its arrays [y, x]; `upwards` puts y = 0 at the bottom."""
    style = PANEL if gravity else FLAT
    rows, columns = stones.shape
    left, top = label, label if name else 0
    right, bottom = left + columns * CELL, top + rows * CELL
    middle_x = [left + CELL * x + CELL // 2 for x in range(columns)]
    middle_y = [top + CELL * y + CELL // 2 for y in range(rows)]
    if upwards:
        middle_y.reverse()

    def centres(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
        return [(middle_x[x], middle_y[y]) for y, x in np.argwhere(mask)]

    grid = [f"M{left} {top + CELL * y}H{right}" for y in range(rows + 1)]
    grid += [f"M{left + CELL * x} {top}V{bottom}" for x in range(columns + 1)]
    parts = [
        f'<path d="M{left} {top}H{right}V{bottom}H{left}Z" fill="{style.ground}"/>',
        _path((_square(x, y, 20) for x, y in centres(winners)), f'fill="{TINT}"'),
        _path(grid, f'stroke="{style.grid}"'),
    ]
    if gravity:
        for value, colour in ((-1, PAGE), (0, FIRST), (1, SECOND)):
            discs = (_circle(x, y, 15) for x, y in centres(stones == value))
            parts.append(_path(discs, f'fill="{colour}"'))
    for value, shape in enumerate((_circle, _cross)):
        marks = (shape(x, y, style.radius) for x, y in centres(stones == value))
        pen = f'fill="none" stroke="{style.marks[value]}" stroke-width="{style.stroke}"'
        parts.append(_path(marks, f'{pen} stroke-linecap="round"'))
    for colour, width in (("#ffffff", 5), (INK, 2)):  # seen on any ground
        frames = (_square(x, y, 17) for x, y in centres(last))
        parts.append(_path(frames, f'fill="none" stroke="{colour}" stroke-width="{width}"'))

    if label:
        labels = [text(x, bottom + 13, str(i)) for i, x in enumerate(middle_x)]
        labels += [text(left - 9, y + 4, str(i)) for i, y in enumerate(middle_y)]
        if name:
            labels.append(text((left + right) // 2, top - 5, name))
        parts.append(written(labels, GREY))
    return "\n".join(filter(None, parts))


def _path(shapes: Iterable[str], attributes: str) -> str:
    """All shapes of one look as one path; nothing when there are none."""
    data = "".join(shapes)
    return f'<path d="{data}" {attributes}/>' if data else ""


def _circle(x: int, y: int, r: int) -> str:
    return f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z"


def _cross(x: int, y: int, r: int) -> str:
    return f"M{x - r} {y - r}l{2 * r} {2 * r}M{x - r} {y + r}l{2 * r} {-2 * r}"


def _square(x: int, y: int, r: int) -> str:
    return f"M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}Z"


def text(x: float, y: float, words: str, attributes: str = "") -> str:
    """Words, their middle at x and their base at y."""
    return f'<text x="{x:g}" y="{y:g}"{attributes and " " + attributes}>{words}</text>'


def written(texts: Iterable[str], colour: str) -> str:
    """Texts in the writing of all pictures."""
    return (
        f'<g font-family="sans-serif" font-size="11" fill="{colour}" text-anchor="middle">'
        f"{''.join(texts)}</g>"
    )

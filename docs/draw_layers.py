"""Draws layers.svg, how a position becomes a place in dense arrays: `python docs/draw_layers.py`.

A position of 3x3 is (depth, block, rank); csrc/core/layers.h and patterns.h say how.  On the left a
position and on the right what it is after a move; between them the ranks, before and after.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from pathlib import Path

from draw_lanes import CELLS, EDGE, GREY, INK, PALE, SIDES, TINT, document, text

BOARD = "o.x.o...x"
MOVE = 6

SIDE = 40  # of a cell of a board
BIT = 28  # width of a bit
ROW = 25  # height of a row of ranks
WIDTH, HEIGHT = 990, 452
LEFTS = (30, 706)  # of the positions
TABLES = (330, 526)  # of the ranks
TABLE_TOP = 128
RUNS = ("#fff0b8", "#e3ecd8", "#f6e0d6")


def place_of(board: str) -> tuple[int, int, int]:
    """The depth, block and rank of a position."""
    filled = [cell for cell in range(CELLS) if board[cell] != "."]
    ones = [place for place, cell in enumerate(filled) if board[cell] == "o"]
    depth = len(filled)
    block = sum(comb(CELLS - 1 - cell, depth - i) for i, cell in enumerate(filled))
    rank = sum(comb(place, i) for i, place in enumerate(ones, 1))
    return depth, block, rank


def patterns(depth: int) -> list[str]:
    """The patterns of a layer by rank, the lowest place first."""
    ones = combinations(range(depth), (depth + 1) // 2)
    ascending = sorted(ones, key=lambda each: sum(1 << place for place in each))
    return ["".join("01"[place in each] for place in range(depth)) for each in ascending]


def square(
    x: float, y: float, width: float, height: float, fill: str, *, stroke: str = EDGE
) -> str:
    """A rectangle."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
        f'stroke="{stroke}"/>'
    )


def bit(x: float, y: float, value: str, *, marked: bool = False) -> str:
    """A bit of a pattern: 1 in the colour of the first side, 0 in that of the second."""
    return text(x + BIT / 2, y, value, fill=SIDES[value == "0"], font_weight=weight(marked))


def weight(marked: bool) -> str:
    """Of a font."""
    return "bold" if marked else "normal"


def draw_board(left: float, top: float, board: str, marked: int | None) -> list[str]:
    """The board; the last stone's cell is tinted."""
    parts = []
    for cell, stone in enumerate(board):
        x, y = left + SIDE * (cell % 3), top + SIDE * (cell // 3)
        parts.append(square(x, y, SIDE, SIDE, TINT if cell == marked else "#ffffff"))
        if stone == ".":
            parts.append(text(x + SIDE / 2, y + 25, str(cell), fill=PALE, font_size="12"))
        else:
            colour = SIDES["ox".index(stone)]
            parts.append(text(x + SIDE / 2, y + 28, stone, fill=colour, font_size="24"))
    return parts


def draw_position(left: float, board: str, marked: int | None) -> list[str]:
    """A position: its board, which cells are filled, which of them are of the first side."""
    depth, block, rank = place_of(board)
    size = comb(depth, (depth + 1) // 2)
    filled = [cell for cell in range(CELLS) if board[cell] != "."]
    middle = left + BIT * CELLS / 2
    parts = draw_board(middle - 1.5 * SIDE, 52, board, marked)
    top = 206
    parts.append(text(middle, top, "which cells are filled?", fill=GREY, font_size="12"))
    for cell, stone in enumerate(board):
        x, is_filled = left + BIT * cell, stone != "."
        parts.append(square(x, top + 24, BIT, 26, TINT if cell == marked else "#ffffff"))
        parts.append(text(x + BIT / 2, top + 19, str(cell), fill=PALE, font_size="11"))
        colour = INK if is_filled else PALE
        parts.append(text(x + BIT / 2, top + 42, "01"[is_filled], fill=colour))
    of = comb(CELLS, depth)
    parts.append(text(middle, top + 72, f"block {block} of {of}", fill=INK, font_weight="bold"))
    top = 308
    parts.append(text(middle, top, "which of them are o's?", fill=GREY, font_size="12"))
    start = middle - BIT * depth / 2
    for place, cell in enumerate(filled):
        x = start + BIT * place
        parts.append(square(x, top + 24, BIT, 26, TINT if cell == marked else "#ffffff"))
        parts.append(text(x + BIT / 2, top + 19, str(cell), fill=PALE, font_size="11"))
        parts.append(bit(x, top + 42, "01"[board[cell] == "o"], marked=cell == marked))
    parts.append(text(middle, top + 72, f"rank {rank} of {size}", fill=INK, font_weight="bold"))
    index = f"entry {block} × {size} + {rank} = {block * size + rank} of layer {depth}"
    parts.append(text(middle, top + 112, index, fill=INK))
    return parts


def draw_ranks(left: float, rows: list[str], tints: list[str], here: int, place: int) -> list[str]:
    """The patterns of a layer by rank; that of the position is framed, the new place bold."""
    parts = []
    for rank, (pattern, tint) in enumerate(zip(rows, tints, strict=True)):
        y = TABLE_TOP + ROW * rank
        parts.append(square(left, y, 34 + 20 * len(pattern), ROW, tint))
        colour = INK if tint != "none" else PALE
        parts.append(text(left + 15, y + 17, str(rank), fill=colour, font_size="12"))
        for i, value in enumerate(pattern):
            shade = SIDES[value == "0"] if tint != "none" else PALE
            bold = weight(i == place and tint != "none")
            x = left + 40 + 20 * i
            parts.append(text(x, y + 17, value, fill=shade, font_weight=bold))
    y = TABLE_TOP + ROW * here
    frame = square(left, y, 34 + 20 * len(rows[0]), ROW, "none", stroke=INK)
    return [*parts, frame.replace("/>", ' stroke-width="2"/>')]


def draw_map(place: int) -> list[str]:
    """The ranks before and after a 1 is inserted at a place, and the lines between them."""
    depth, _, rank = place_of(BOARD)
    before, after = patterns(depth), patterns(depth + 1)
    images = [after.index(each[:place] + "1" + each[place:]) for each in before]
    run, tints = 0, []
    for i, image in enumerate(images):
        run += i > 0 and image != images[i - 1] + 1
        tints.append(RUNS[run])
    behind = dict(zip(images, tints, strict=True))
    parts = draw_ranks(TABLES[0], before, tints, rank, -1)
    parts += draw_ranks(
        TABLES[1],
        after,
        [behind.get(i, "none") for i in range(len(after))],
        images[rank],
        place,
    )
    start, end = TABLES[0] + 34 + 20 * depth, TABLES[1]
    for i, image in enumerate(images):
        y, z = (TABLE_TOP + ROW * (each + 0.5) for each in (i, image))
        parts.append(
            f'<path d="M{start} {y:g}L{end} {z:g}" stroke="{INK if i == rank else GREY}" '
            f'stroke-width="{2 if i == rank else 1}"/>'
        )
    return parts


def draw() -> str:
    """The picture as an SVG document."""
    after = BOARD[:MOVE] + "o" + BOARD[MOVE + 1 :]
    place = sum(stone != "." for stone in BOARD[:MOVE])
    middle = (TABLES[0] + TABLES[1] + 134) / 2
    depth = place_of(BOARD)[0]
    notes = [
        (26, f"o takes cell {MOVE}: a 1 is inserted at place {place}", INK, "14"),
        (56, "the same move in all positions of the block at once:", GREY, "12"),
        (72, "rank by rank, with the patterns sorted as binary numbers", GREY, "12"),
        (88, "whose lowest digit stands first", GREY, "12"),
        (HEIGHT - 50, "ranks rise together, in runs: one for each choice", GREY, "12"),
        (HEIGHT - 34, f"of the bits above place {place}", GREY, "12"),
    ]
    parts = [
        text(LEFTS[0] + BIT * CELLS / 2, 26, f"depth {depth}: {depth} stones", fill=INK),
        text(LEFTS[1] + BIT * CELLS / 2, 26, f"depth {depth + 1}: {depth + 1} stones", fill=INK),
        *draw_position(LEFTS[0], BOARD, None),
        *draw_position(LEFTS[1], after, MOVE),
        *(text(middle, y, words, fill=fill, font_size=size) for y, words, fill, size in notes),
        text(TABLES[0] + 57, TABLE_TOP - 10, "rank and bits", fill=GREY, font_size="12"),
        text(TABLES[1] + 67, TABLE_TOP - 10, "rank and bits", fill=GREY, font_size="12"),
        *draw_map(place),
    ]
    return document(WIDTH, HEIGHT, "A position of 3x3 as depth, block and rank, and a move", parts)


if __name__ == "__main__":
    Path(__file__).with_name("layers.svg").write_text(draw(), encoding="utf-8")

"""Draws lanes.svg, the picture of playouts in lockstep: `python docs/draw_lanes.py`.

Sixteen games of 3x3 stand side by side, a column each.  A row is a register: its bytes belong to
the sixteen games.  Above, the time at which each cell is filled; below, what follows for lines.
"""

from __future__ import annotations

import random
from pathlib import Path

GAMES, CELLS = 16, 9
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
NEVER = 255
SHOWN = 5  # the game whose board is drawn

WIDE, HIGH = 30, 24  # of a byte
LEFT, TOP = 268, 78  # of the registers
GAP = 30  # between the blocks of registers
PAGE, EDGE, INK, GREY, PALE = "#fcfbf8", "#d0cdc4", "#22252b", "#666b75", "#b9bcc2"
SIDES = ("#c9431f", "#1f5fae")
TINT = "#ffd24d"


def random_times(rng: random.Random) -> list[int]:
    """A random order by insertion: the time of each cell."""
    times: list[int] = []
    for i in range(CELLS):
        rank = rng.randint(0, i)
        times = [time + (time >= rank) for time in times] + [rank]
    return times


def line_times(times: list[int]) -> list[int]:
    """When each line is completed by one side, NEVER where it is of both."""
    return [
        max(times[cell] for cell in line) if len({times[cell] % 2 for cell in line}) == 1 else NEVER
        for line in LINES
    ]


def transposed(rows: list[list[int]]) -> list[list[int]]:
    """The columns of rows."""
    return [list(column) for column in zip(*rows, strict=True)]


def text(x: float, y: float, words: str, **attributes: str) -> str:
    """A text; underscores in the names of attributes stand for hyphens."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}"{more}>{words}</text>'


def document(width: float, height: float, title: str, parts: list[str]) -> str:
    """An SVG document of such parts on a page."""
    page = f'width="{width - 1:g}" height="{height - 1:g}" fill="{PAGE}" stroke="{EDGE}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" '
            f'height="{height:g}" viewBox="0 0 {width:g} {height:g}">',
            f"<title>{title}</title>",
            '<g font-family="sans-serif" font-size="14" text-anchor="middle">',
            f'<rect x="0.5" y="0.5" {page}/>',
            *parts,
            "</g>",
            "</svg>",
            "",
        ]
    )


def byte(x: float, y: float, value: int, end: int, *, bold: bool = False) -> str:
    """A byte of a register: in the colour of its side if it is played before the game's end."""
    played = value <= end
    colour = SIDES[value % 2] if played else PALE
    weight = "bold" if bold and played else "normal"
    words = "·" if value == NEVER else str(value)
    return text(x + WIDE / 2, y + 16.5, words, fill=colour, font_weight=weight)


def registers(top: float, names: list[str], rows: list[list[int]], ends: list[int]) -> list[str]:
    """A block of registers, a row each, with their names on the left."""
    parts = []
    for i, (name, row) in enumerate(zip(names, rows, strict=True)):
        y = top + HIGH * i
        parts.append(text(LEFT - 10, y + 16.5, name, text_anchor="end", fill=INK))
        for game, value in enumerate(row):
            x = LEFT + WIDE * game
            parts.append(
                f'<rect x="{x}" y="{y:g}" width="{WIDE}" height="{HIGH}" fill="none" '
                f'stroke="{EDGE}"/>'
            )
            parts.append(byte(x, y, value, ends[game], bold=value == ends[game]))
    return parts


def board(left: float, top: float, times: list[int], end: int, won: set[int]) -> list[str]:
    """The board of one game: the times in its cells."""
    side = 44
    parts = []
    for cell, time in enumerate(times):
        x, y = left + side * (cell % 3), top + side * (cell // 3)
        ground = TINT if cell in won else "#ffffff"
        parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{side}" height="{side}" fill="{ground}" '
            f'stroke="#a5a9b0"/>'
        )
        colour = SIDES[time % 2] if time <= end else PALE
        parts.append(text(x + side / 2, y + 29, str(time), fill=colour, font_size="20"))
    return parts


def draw() -> str:
    """The picture as an SVG document."""
    rng = random.Random(6)
    games = [random_times(rng) for _ in range(GAMES)]
    lines = [line_times(times) for times in games]
    first = [min(each) for each in lines]
    ends = [end if end != NEVER else CELLS - 1 for end in first]
    outcomes = ["draw" if end == NEVER else "ox"[end % 2] for end in first]
    won = {cell for i in range(8) if lines[SHOWN][i] == first[SHOWN] for cell in LINES[i]}

    top_lines = TOP + HIGH * CELLS + GAP
    top_end = top_lines + HIGH * len(LINES) + GAP
    bottom = top_end + HIGH
    width, height = LEFT + WIDE * GAMES + 20, bottom + 42

    x = LEFT + WIDE * SHOWN
    middle = (LEFT - 10) / 2 - 30
    parts = [
        f'<rect x="{x}" y="{TOP - 26}" width="{WIDE}" height="{bottom - TOP + 58:g}" '
        f'fill="{TINT}" fill-opacity="0.35"/>',
        text(LEFT, 26, "a row is a register; a column is a game", fill=GREY, text_anchor="start"),
        text(LEFT - 10, TOP - 9, "game", fill=GREY, text_anchor="end"),
        *(text(LEFT + WIDE * (g + 0.5), TOP - 9, str(g), fill=GREY) for g in range(GAMES)),
        *registers(TOP, [f"cell {c}" for c in range(CELLS)], transposed(games), ends),
        *registers(
            top_lines,
            [f"line {a} {b} {c}" for a, b, c in LINES],
            transposed(lines),
            ends,
        ),
        *registers(top_end, ["first line"], [first], ends),
        *(
            text(
                LEFT + WIDE * (g + 0.5),
                bottom + 19,
                outcome,
                fill=SIDES["ox".index(outcome)] if outcome in "ox" else GREY,
                font_size="11" if outcome == "draw" else "15",
            )
            for g, outcome in enumerate(outcomes)
        ),
        text(LEFT - 10, bottom + 19, "winner", text_anchor="end", fill=INK),
        text(middle, TOP + 8, f"game {SHOWN}", fill=INK),
        *board(middle - 66, TOP + 18, games[SHOWN], ends[SHOWN], won),
        *(
            text(middle, y, words, fill=GREY, font_size="12")
            for y, words in [
                (TOP + 172, "when each cell is filled:"),
                (TOP + 188, "even times o, odd times x"),
                (top_lines + 70, "the latest of its cells,"),
                (top_lines + 86, "if all are of one side"),
                (top_end + 7, "the earliest"),
                (top_end + 23, "of all lines"),
            ]
        ),
    ]
    return document(width, height, "Sixteen games of 3x3 in the lanes of registers", parts)


if __name__ == "__main__":
    Path(__file__).with_name("lanes.svg").write_text(draw(), encoding="utf-8")

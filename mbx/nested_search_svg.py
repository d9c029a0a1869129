"""A search of a tree of nested lists as a picture: the root at the top, a row for every level.

Max nodes are square, min nodes round, leaves bare numbers.  In a node stands what the visited
leaves prove: its value, or a bound where cuts left the value open.  Beside the edge that leads
there stand the number of its first visit and the window of that visit; below a leaf the number
alone.  What no visit reached is pale, with a stroke across the edge where it was cut off.  The
variation is tinted, its edges are thick.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from .nested_search import LETTERS, Bounds, NestedSearch, Path, Tree, Visit, kind_at, shown
from .small_board import ROW, line
from .svg import FIRST, GREY, INK, TINT, Drawing, document, text, written

MOST_DRAWN = 2_000  # nodes

MARGIN = 14
KINDS = 34  # room for "max" and "min", left of the rows
TITLE = 54  # room above the root
BOX = 24  # the height of a node
TAIL = 28  # the straight end of an edge, beside which the window and the stroke stand
PITCH = BOX + 34 + TAIL
NARROW = {"max": 26, "min": 26, "leaf": 18}  # the least widths of nodes
BETWEEN = 6  # two nodes of a row
LETTER, SMALL_LETTER = 7, 5.2  # widths at the sizes 11 and 9
LONGEST = 9  # letters of a number
LEGEND = (
    "square: max, round: min; pale: left out by an α-cut or a β-cut; thick: the variation",
    "small: the number of the first visit (×: so many visits), and its α and β",
)
CORNERS = {"max": 0, "min": BOX // 2, "leaf": 5}  # how round they are

PALE = "#a19e94"
BOLD, SMALL = 'font-weight="bold"', 'font-size="9"'
RIGHTWARDS, LEFTWARDS = 'text-anchor="start"', 'text-anchor="end"'


def nested_search_svg(result: NestedSearch) -> str:
    """A search as an SVG document.

    >>> import mbx
    >>> print(nested_search_svg(mbx.search_tree([6, [3, 5], 4])).splitlines()[1])
    <title>alphabeta: value 6, 5 visits to 5 of 6 nodes</title>
    """
    picture = _Picture(result)
    root = picture.branch(result.tree, ())
    inner = max(root.width + KINDS, 5.7 * max(map(len, LEGEND)))
    width, bottom = inner + 2 * MARGIN, TITLE + root.levels * PITCH - PITCH + BOX
    left = MARGIN + KINDS + (inner - KINDS - root.width) / 2
    kinds = [
        text(MARGIN, TITLE + level * PITCH + 16, kind_at(level, result.maximize), RIGHTWARDS)
        for level in range(root.levels - 1)
    ]
    legend = [text(width / 2, bottom + (3 + i) * ROW, words) for i, words in enumerate(LEGEND)]
    content = "\n".join(
        [
            written([text(width / 2, MARGIN + 8, result.title, BOLD)], INK),
            written([*kinds, *legend], GREY),
            *picture.draw(root, left, TITLE),
        ]
    )
    height = bottom + 4 * ROW + MARGIN
    return document(Drawing(content, round(width), round(height)), result.title, str(result))


@dataclass
class _Branch:
    """A node with all below it, and the words in it and about its first visit."""

    path: Path
    kind: str
    label: str
    number: str
    window: tuple[str, ...]
    children: list[_Branch]

    def __post_init__(self) -> None:
        self.own_width = max(NARROW[self.kind], LETTER * len(self.label) + 6)
        small = SMALL_LETTER * max(map(len, (self.number, *self.window)))
        beside = small if self.kind == "leaf" else 2 * small + 10
        self.below = sum(child.width for child in self.children)
        self.width: float = max(max(self.own_width, beside) + BETWEEN, self.below)
        self.levels: int = 1 + max((child.levels for child in self.children), default=0)


class _Picture:
    def __init__(self, result: NestedSearch) -> None:
        self.result = result
        self.counts = Counter(visit.path for visit in result.visits)
        self.first: dict[Path, tuple[int, Visit]] = {}
        for number, visit in enumerate(result.visits, 1):
            self.first.setdefault(visit.path, (number, visit))
        moves = result.variation
        self.variation = {tuple(moves[:i]) for i in range(len(moves) + 1)}

    def branch(self, node: Tree, path: Path) -> _Branch:
        """A node and what is below it."""
        level_kind = kind_at(len(path), self.result.maximize)
        kind = level_kind if isinstance(node, tuple) else "leaf"
        label = number = ""
        window: tuple[str, ...] = ()
        if path in self.first:
            first, visit = self.first[path]
            times = self.counts[path]
            label = _known(self.result.bounds[path])
            number = f"{first}" if times == 1 else f"{first} ×{times}"
            if kind != "leaf":
                window = f"α {_short(visit.alpha)}", f"β {_short(visit.beta)}"
        elif not isinstance(node, tuple):
            label = _short(node)
        below = enumerate(node) if isinstance(node, tuple) else ()
        children = [self.branch(child, (*path, i)) for i, child in below]
        return _Branch(path, kind, label, number, window, children)

    def draw(self, branch: _Branch, left: float, top: float) -> list[str]:
        """The parts of a branch that begins at `left`: edges, the node over them, the children."""
        centre, below = left + branch.width / 2, top + PITCH
        place = centre - branch.below / 2
        edges, parts = [], []
        for child in branch.children:
            to = place + child.width / 2
            edges.append(self.draw_edge(branch, child, centre, to, top + BOX))
            parts += self.draw(child, place, below)
            place += child.width
        return [*edges, self.draw_node(branch, centre, top), *parts]

    def draw_edge(
        self, branch: _Branch, child: _Branch, centre: float, to: float, top: float
    ) -> str:
        half, tail, end = top + 17, top + PITCH - BOX - TAIL, top + PITCH - BOX
        data = f"M{centre:.1f} {top}C{centre:.1f} {half} {to:.1f} {half} {to:.1f} {tail}V{end}"
        if child.path in self.first:
            return line(data, INK, 3.5 if child.path in self.variation else 1.2)
        if branch.path not in self.first:
            return line(data, PALE)
        across = line(f"M{to - 7:.1f} {tail + 14}l14 -6", FIRST, 2)
        letter = text(round(to + 11, 1), tail + 22, LETTERS[branch.kind], BOLD)
        return "\n".join([line(data, PALE), across, written([letter], FIRST)])

    def draw_node(self, branch: _Branch, centre: float, top: float) -> str:
        is_leaf = branch.kind == "leaf"
        colour = INK if branch.path in self.first else PALE
        fill = TINT if branch.path in self.variation else "none" if is_leaf else "#ffffff"
        box = (
            f'<rect x="{centre - branch.own_width / 2:.1f}" y="{top}" '
            f'width="{branch.own_width}" height="{BOX}" rx="{CORNERS[branch.kind]}" '
            f'fill="{fill}" stroke="{"none" if is_leaf else colour}" stroke-width="1.5"/>'
        )
        x = round(centre, 1)
        label = written([text(x, top + 16, branch.label, BOLD)], colour)
        small = []
        if is_leaf:
            small.append(text(x, top + BOX + 8, branch.number, SMALL))
        elif branch.window:
            alpha, beta = branch.window
            small = [
                text(x - 5, top - 4, branch.number, f"{SMALL} {LEFTWARDS}"),
                text(x + 5, top - 14, alpha, f"{SMALL} {RIGHTWARDS}"),
                text(x + 5, top - 4, beta, f"{SMALL} {RIGHTWARDS}"),
            ]
        return "\n".join([box, label, written(small, GREY)])


def _known(bounds: Bounds) -> str:
    """A value, or what is known of it."""
    lower, upper = bounds
    if lower == upper:
        return _short(lower)
    if upper == math.inf:
        return f"≥ {_short(lower)}"
    return f"≤ {_short(upper)}" if lower == -math.inf else f"{_short(lower)} … {_short(upper)}"


def _short(value: float) -> str:
    words = shown(value)
    return words if len(words) <= LONGEST else f"{value:.4g}"

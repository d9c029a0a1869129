"""The first plies of a search tree as a picture: boards, visits and values, root at the top.

Below every board stand the visits of the node and its value for the side that moved there (a win 1,
a loss 0), or its proven result.  An edge is the wider, the larger its share of the visits; the move
that led to a board is framed on it and stands above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .small_board import ROW, box_side, caption, counted, line, number, small_board, state
from .svg import GREY, INK, Drawing, document, text, written
from .tree_arrays import SearchTree

MARGIN = 14
BETWEEN = 14  # boards of a row
FAN = 44  # room for edges, from captions to the boards below
HIDDEN = 56  # the width of the words about further moves
MOST_NODES = 500


def search_tree_svg(tree: SearchTree, plies: int, most: int) -> str:
    """The root and `plies` plies of moves, at each node the `most` visited ones, as SVG."""
    picture = _Picture(tree, most)
    root = picture.branch(0, plies)
    width = max(root.width + 2 * MARGIN, 250)
    parts = picture.draw(root, (width - root.width) / 2, MARGIN + ROW)
    height = MARGIN + ROW + root.levels * picture.pitch - FAN + ROW + MARGIN
    words = text(width / 2, height - MARGIN + 4, "values: of the side that moved there, 0 to 1")
    content = "\n".join([*parts, written([words], GREY)])
    drawing = Drawing(content, round(width), round(height))
    return document(drawing, f"a search tree of {tree.n_nodes:,} nodes", str(tree.root))


@dataclass
class _Branch:
    """A node with the branches below it that are drawn."""

    node: int
    children: list[_Branch]
    hidden: int  # visited moves that are not drawn
    width: float

    @property
    def levels(self) -> int:
        return 1 + max((child.levels for child in self.children), default=0)


class _Picture:
    def __init__(self, tree: SearchTree, most: int) -> None:
        self.tree, self.values, self.most = tree, tree.values, most
        self.box = box_side(tree.root)
        self.pitch = self.box + 2 * ROW + FAN
        self.left = MOST_NODES

    def branch(self, node: int, plies: int) -> _Branch:
        """A node and so many plies below it, and the room that they take."""
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"plies and most ask for more than {MOST_NODES} boards")
        slot = self.box + BETWEEN
        if plies == 0:
            return _Branch(node, [], 0, slot)
        first = int(self.tree.first_child[node])
        visits = self.tree.visits[first : first + max(int(self.tree.n_children[node]), 0)]
        order = np.argsort(-visits, kind="stable")[: np.count_nonzero(visits)]
        shown = np.sort(order[: self.most]) + first
        children = [self.branch(child, plies - 1) for child in shown.tolist()]
        hidden = len(order) - len(children)
        width = sum(child.width for child in children) + (HIDDEN if hidden else 0)
        return _Branch(node, children, hidden, max(width, slot))

    def draw(self, branch: _Branch, left: float, top: float) -> list[str]:
        """The parts of a branch that begins at `left`."""
        centre, below = left + branch.width / 2, top + self.pitch
        edges, parts, place = [], [], left
        for child in branch.children:
            to = place + child.width / 2
            share = self.tree.visits[child.node] / self.tree.visits[branch.node]
            start, half = below - FAN + 6, below - FAN + 18
            curve = f"M{centre:.1f} {start}C{centre:.1f} {half} {to:.1f} {half}"
            edges.append(line(f"{curve} {to:.1f} {below - ROW}", width=1 + 7 * share))
            parts += self.draw(child, place, below)
            place += child.width
        if branch.hidden:
            words = text(place + HIDDEN / 2, below + self.box / 2, f"… {branch.hidden:,} more")
            parts.append(written([words], GREY))
        return [*edges, self.draw_node(branch.node, centre, top), *parts]

    def draw_node(self, node: int, centre: float, top: float) -> str:
        tree, position = self.tree, self.tree.position(node)
        move = state(position) if node == 0 else f"move {tree.move[node]}"
        return "\n".join(
            [
                written([text(centre, top - 3, move)], INK),
                small_board(position, centre, top),
                caption(centre, top + self.box, counted(int(tree.visits[node])), self.worth(node)),
            ]
        )

    def worth(self, node: int) -> str:
        """The proven result or the value."""
        tree = self.tree
        if tree.lower[node] < tree.upper[node]:
            return number(self.values[node]) if node else ""
        side = (tree.root.turn + tree.depth[node] + (tree.lower[node] > 0)) % 2
        return f"{'ox'[side]} wins" if tree.lower[node] else "draw"

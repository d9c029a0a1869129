"""One simulation of a tree search as a picture: a small tree, growing downwards.

A level is a board with its moves as cards: visits, and the terms by which one of them was chosen;
from the chosen card an edge leads to the board below.  The last level is the leaf, with the playout
from there and its end.  What was handed back stands in green at the edges: the reward, and what the
edge's visits and value are with it.
"""

from __future__ import annotations

import numpy as np

from .small_board import ROW, box_side, caption, counted, line, number, small_board, state
from .step import Selection, Step
from .svg import FIRST, GREY, INK, SECOND, TINT, Drawing, document, text, written

MARGIN = 14
TITLE = 44  # room above the first level
CARDS, CARD = 9, 58  # moves shown at a node at most, and the width of each
TERMS = ("move", "visits", "value", "+ bonus", "= score")
HIDDEN = 76  # the width of the words about further moves
CARDS_DEEP = len(TERMS) * ROW + 6
TURN = 400  # right of this, the words at an edge stand to its left
CHIPS, CHIP, MOST_CHIPS = 12, 24, 48  # moves of a playout in a line, their width, all together
BACK, BACK_WIDE = "#1c7c4a", 250  # what is handed back: its colour, room for its words

BOLD, SMALL = 'font-weight="bold"', 'font-size="9"'
RIGHTWARDS, LEFTWARDS = 'text-anchor="start"', 'text-anchor="end"'


def step_svg(step: Step) -> str:
    """A simulation as an SVG document.

    >>> import mbx
    >>> step = next(mbx.MCTS(mbx.games.MARUBATSU.start(), seed=1).steps())
    >>> print(step_svg(step).splitlines()[1])
    <title>simulation 1</title>
    """
    box = box_side(step.root)
    middle, beside = MARGIN + box / 2, MARGIN + box + 14
    pitch = box + 68
    position, visits, top = step.root.copy(), step.number - 1, TITLE
    parts = [_title(step)]
    width = 0.0
    for move, selection in zip(step.path, step.selections, strict=True):
        parts += [
            small_board(position, middle, top),
            caption(middle, top + box, state(position), counted(visits)),
        ]
        cards = _Cards(selection, beside + 52, top)
        reward = step.rewards[position.turn]
        parts += [cards.draw(beside), _edge(cards, reward, middle, top + pitch)]
        width = max(width, cards.right + MARGIN, min(cards.chosen, TURN) + BACK_WIDE)
        visits = int(selection.visits[selection.chosen])
        position.push(move)
        top += pitch
    leaf, right = _leaf(step, middle, beside, top)
    content = "\n".join([*parts, leaf])
    drawing = Drawing(content, round(max(width, right)), round(top + box + 2 * ROW + MARGIN))
    return document(drawing, f"simulation {step.number}", str(step))


def _title(step: Step) -> str:
    path = " ".join(map(str, step.path))
    return written(
        [
            text(MARGIN, 22, f"Simulation {step.number:,}", f"{RIGHTWARDS} {BOLD}"),
            text(MARGIN + 110, 22, f"1 Select: {path}", RIGHTWARDS),
        ],
        INK,
    )


class _Cards:
    """The moves at a node in a row: the chosen one and those with the most visits."""

    def __init__(self, selection: Selection, left: float, top: float) -> None:
        order = np.argsort(-selection.visits, kind="stable")
        others = order[order != selection.chosen]
        self.shown = np.sort([selection.chosen, *others[: CARDS - 1]]).tolist()
        self.hidden = len(order) - len(self.shown)
        self.selection, self.left, self.top = selection, left, top + 10
        self.right = left + len(self.shown) * CARD + (HIDDEN if self.hidden else 0)
        self.chosen = left + (self.shown.index(selection.chosen) + 0.5) * CARD  # its middle

    def draw(self, beside: float) -> str:
        """The cards, below the edges that lead to them from a board that ends at `beside`."""
        middles = [self.left + (i + 0.5) * CARD for i in range(len(self.shown))]
        edges = "".join(f"M{x:g} {self.top - 8}v8" for x in middles)
        left = self.chosen - CARD / 2 + 2
        parts = [
            line(f"M{beside - 12:g} {self.top - 8}H{middles[-1]:g}{edges}"),
            f'<rect x="{left:g}" y="{self.top}" width="{CARD - 4}" height="{CARDS_DEEP}" '
            f'rx="4" fill="{TINT}"/>',
        ]
        names = [
            text(self.left - 4, self._base(i), name, LEFTWARDS) for i, name in enumerate(TERMS)
        ]
        if self.hidden:
            names.append(
                text(self.right - HIDDEN / 2 + 4, self._base(0), f"… {self.hidden:,} more")
            )
        parts.append(written(names, GREY))
        numbers = []
        for index, middle in zip(self.shown, middles, strict=True):
            for i, term in enumerate(self._terms(index)):
                numbers.append(text(middle, self._base(i), term, BOLD if i == 0 else ""))
        return "\n".join([*parts, written(numbers, INK)])

    def _base(self, row: int) -> float:
        return self.top + ROW * (row + 1)

    def _terms(self, index: int) -> list[str]:
        each = self.selection
        terms = (each.values[index], each.bonus[index], each.scores[index])
        return [str(each.moves[index]), f"{each.visits[index]:,}", *map(number, terms)]


def _edge(cards: _Cards, reward: float, middle: float, below: float) -> str:
    """The edge from the chosen card to the board below, with what was handed back along it."""
    selection = cards.selection
    before = int(selection.visits[selection.chosen])
    total = reward + (selection.values[selection.chosen] * before if before else 0)
    back = f"↑ reward {reward:g}: {counted(before + 1)}, value {number(total / (before + 1))}"
    shift, anchor = (6, RIGHTWARDS) if cards.chosen < TURN else (-6, LEFTWARDS)
    across = below - 12
    data = f"M{cards.chosen:g} {cards.top + CARDS_DEEP}V{across:g}H{middle:g}V{below + 4:g}"
    words = written([text(cards.chosen + shift, across - 5, back, anchor)], BACK)
    return "\n".join([line(data, INK, 1.5), words])


def _leaf(step: Step, middle: float, beside: float, top: float) -> tuple[str, float]:
    """The leaf, the playout's moves, its end, and the rewards; and how far right they reach."""
    box = box_side(step.root)
    parts = [small_board(step.leaf, middle, top), caption(middle, top + box, state(step.leaf))]
    parts += [_lines(beside, top, _heads(step), INK), _playout(step, beside, top + 44)]
    end = beside + min(max(len(step.playout), 7), CHIPS) * CHIP + 14
    if step.playout and step.end is not None:
        middle = end + box / 2
        parts += [small_board(step.end, middle, top), caption(middle, top + box, state(step.end))]
        end += box + 14
    first, second = step.rewards
    parts.append(_lines(end, top, ["4 Hand back", f"o gets {first:g}", f"x gets {second:g}"], BACK))
    return "\n".join(parts), end + 100


def _heads(step: Step) -> list[str]:
    """What the second and the third stage did."""
    is_new = any(each.visits[each.chosen] == 0 for each in step.selections)
    expanded = "a new leaf" if is_new else "nothing new"
    if step.leaf.status >= 0:
        played = "the game is over"
    elif step.end is None:
        played = "its worth is proven"
    else:
        played = f"{len(step.playout)} random moves"
    return [f"2 Expand: {expanded}", f"3 Simulate: {played}"]


def _lines(left: float, top: float, lines: list[str], colour: str) -> str:
    texts = [text(left, top + ROW * (1 + i), each, RIGHTWARDS) for i, each in enumerate(lines)]
    return written(texts, colour)


def _playout(step: Step, left: float, top: float) -> str:
    """The moves of a playout in circles, in the colours of the sides."""
    parts, numbers = [], []
    for i, move in enumerate(step.playout[:MOST_CHIPS]):
        row, column = divmod(i, CHIPS)
        x, y = left + 10 + column * CHIP, top + row * CHIP
        colour = (FIRST, SECOND)[(step.leaf.turn + i) % 2]
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="10" fill="#ffffff" stroke="{colour}" '
            'stroke-width="1.5"/>'
        )
        numbers.append(text(x, y + 3.5, str(move), SMALL))
    hidden = len(step.playout) - MOST_CHIPS
    if hidden > 0:
        numbers.append(text(left, top + 4 * CHIP - 4, f"… {hidden:,} more", RIGHTWARDS))
    return "\n".join([*parts, written(numbers, INK)])

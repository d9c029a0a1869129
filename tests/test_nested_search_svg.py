"""Pictures of searches of trees of nested lists."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from nested_trees import ALGORITHMS, ARTICLE, INF, NUMBERS, every_kind, grow, nodes, trees, uniform

import mbx


class Picture:
    """The parts of a picture, which must be well formed, without ids, style sheets and scripts."""

    def __init__(self, result):
        root = ElementTree.fromstring(result._repr_svg_())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        parts = {name: [] for name in ("svg", "title", "desc", "g", "rect", "path", "text")}
        for element in root.iter():
            assert not {"id", "class", "style"} & set(element.keys())
            parts[element.tag.rpartition("}")[2]].append(element)
        self.width, self.height = map(float, root.get("viewBox").split()[2:])
        self.shown_width = float(root.get("width"))
        self.words = [each.text for each in parts["text"]]
        self.places = [(float(each.get("x")), float(each.get("y"))) for each in parts["text"]]
        ground, *self.boxes = parts["rect"]
        assert float(ground.get("width")) == self.width - 1
        self.edges = [each for each in parts["path"] if "C" in each.get("d")]
        self.strokes = [each for each in parts["path"] if "C" not in each.get("d")]


@every_kind
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_pictures_of_trees(numbers, algorithm):
    for tree, maximize in trees(numbers, 6):
        result = mbx.search_tree(tree, algorithm, maximize=maximize)
        picture = Picture(result)
        every = list(nodes(tree, maximize))
        assert len(picture.boxes) == len(every)
        assert len(picture.edges) == len(every) - 1
        cut_off = [p for p, _, _ in every if p not in result.bounds and p[:-1] in result.bounds]
        assert len(picture.strokes) == len(cut_off)
        levels = Counter(len(path) % 2 == (not maximize) for path in cut_off)
        assert picture.words.count("β") == levels[False]
        assert picture.words.count("α") == levels[True]
        assert all(0 < x < picture.width and 0 < y < picture.height for x, y in picture.places)


def test_nodes_of_a_row_do_not_touch():
    r = random.Random(5)
    for number in NUMBERS.values():
        picture = Picture(mbx.search_tree(grow(r, number, 5), "mtdf"))
        rows = {}
        for box in picture.boxes:
            left = float(box.get("x"))
            rows.setdefault(box.get("y"), []).append((left, left + float(box.get("width"))))
        for row in rows.values():
            row.sort()
            assert row[0][0] > 0 and row[-1][1] < picture.width
            assert all(b[0] - a[1] > 5 for a, b in pairwise(row))


def test_the_picture_of_the_article_tree():
    picture = Picture(mbx.search_tree(ARTICLE))
    assert {"≥ 8", "≤ 4", "α", "β", "β 7", "α 7", "13"} <= set(picture.words)
    assert picture.words.count("max") == 2 and picture.words.count("min") == 1
    corners = Counter(box.get("rx") for box in picture.boxes if box.get("stroke") != "none")
    assert corners == {"0": 5, "12": 2}  # max nodes are square
    assert len([box for box in picture.boxes if box.get("fill") == "#ffd24d"]) == 4
    assert len([edge for edge in picture.edges if edge.get("stroke-width") == "3.5"]) == 3
    colours = Counter(edge.get("stroke") for edge in picture.edges)
    assert sorted(colours.values()) == [4, 12]  # pale, strong


def test_a_picture_tells_of_visits():
    words = Picture(mbx.search_tree(ARTICLE, "mtdf")).words
    assert {"1 ×3", "α 1", "β 2", "≥ 8", "≤ 4"} <= set(words)


def test_long_numbers_are_short_in_the_picture():
    words = Picture(mbx.search_tree([1 / 3, [-1e300, 2], 10**12, [INF, 99_999_993]])).words
    assert {"0.3333", "1e+12", "∞", "99999993"} <= set(words)
    assert "99999993" in str(mbx.search_tree([99_999_993]))


def test_wide_trees_get_wide_pictures():
    widths = [Picture(mbx.search_tree([[i, i] for i in range(n)])).width for n in (5, 20, 100, 600)]
    assert widths == sorted(widths) and widths[3] > 5 * widths[2] > 20 * widths[1] / 2
    r = random.Random(1)
    forty = Picture(mbx.search_tree([uniform(lambda: r.randint(0, 99), 2, 2) for _ in range(10)]))
    assert forty.shown_width > 0.7 * forty.width


def test_a_tree_too_large_to_draw_is_left_to_the_text():
    assert mbx.search_tree([0] * 1_999)._repr_svg_() is not None
    result = mbx.search_tree([0] * 2_000)
    assert result._repr_svg_() is None
    assert (
        repr(result) == "<NestedSearch: alphabeta: value 0, 2,001 visits to 2,001 of 2,001 nodes>"
    )

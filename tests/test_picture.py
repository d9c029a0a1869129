"""The pictures in the README are those that their scripts draw."""

from __future__ import annotations

import runpy
from xml.etree import ElementTree

import pytest

import mbx
from mbx.layers import Layers


@pytest.fixture
def drawing(source, monkeypatch):
    """drawing(name) gives what docs/draw_{name}.py defines."""
    monkeypatch.syspath_prepend(str(source / "docs"))

    def run(name):
        script = source / f"docs/draw_{name}.py"
        if not script.exists():
            pytest.skip("no documentation here")
        return runpy.run_path(str(script))

    return run


@pytest.mark.parametrize("name", ["lanes", "layers"])
def test_the_picture_is_up_to_date(drawing, source, name):
    drawn = drawing(name)["draw"]()
    assert drawn == (source / f"docs/{name}.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)


def test_the_picture_of_layers_shows_what_the_core_does(drawing):
    names = drawing("layers")
    before, move = names["BOARD"], names["MOVE"]
    game = mbx.games.MARUBATSU
    layers = Layers(game.start(), symmetry=False)
    while layers.n_open <= layers.n_cells:
        layers.open(None)
    for board in (before, before[:move] + "o" + before[move + 1 :]):
        depth, block, rank = names["place_of"](board)
        rows = "/".join(board[i : i + 3] for i in (0, 3, 6))
        entry = block * len(names["patterns"](depth)) + rank
        assert layers.find(game.from_text(rows)) == (depth, entry)

"""The picture in the README is the one that its script draws."""

from __future__ import annotations

import runpy
from xml.etree import ElementTree

import pytest


def test_the_picture_of_lanes_is_up_to_date(source):
    script, picture = source / "docs/draw_lanes.py", source / "docs/lanes.svg"
    if not script.exists():
        pytest.skip("no documentation here")
    drawn = runpy.run_path(str(script))["draw"]()
    assert drawn == picture.read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)

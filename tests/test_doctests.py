"""The examples in the docstrings show what happens."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import mbx

NO_EXAMPLE = {
    "STREAM",
    "__version__",
    "games",
    "IllegalMoveError",
    "GameOverError",
    "TooLargeError",
    "Graph",  # build_tree has one
    "Node",  # Mbtree has one
    "Benchmark",  # bench has one
    "Convergence",  # convergence has one
    "Games",  # playout_games has one
    "SolveResult",  # solve has one
    "Info",  # info has one
    "analyze_playout",  # its output is long: the README's listing
}
MODULES = [info.name for info in pkgutil.iter_modules(mbx.__path__) if info.name != "__main__"]


@pytest.mark.parametrize("name", ["mbx", *(f"mbx.{name}" for name in MODULES)])
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", sorted(set(mbx.__all__) - NO_EXAMPLE))
def test_public_names_have_an_example(name: str) -> None:
    assert ">>>" in getattr(mbx, name).__doc__

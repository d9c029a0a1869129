"""From the oracle's positions to mbx's, and back."""

from __future__ import annotations

import graph_reference as oracle
import reference as ref
from reference import Rules

import mbx


def position(rules: Rules, board: ref.Board) -> mbx.Position:
    return mbx.Game(*rules.args).from_array(ref.array(rules, board))


def board_of(pos: mbx.Position) -> ref.Board:
    return tuple(pos.to_array().ravel().tolist())


def build(case: tuple[Rules, ref.Board], **options):
    return mbx.build_graph(position(*case), **options)


def nodes(graph, want: oracle.Positions) -> list[int]:
    """The node of every one of the oracle's positions, by keys alone."""
    number = {int(key): i for i, key in enumerate(graph.keys)}
    assert len(number) == len(graph) == len(want)
    return [number[key] for key in want.keys]

"""Every count of the core is that of the stream's definition, playout for playout."""

from __future__ import annotations

import pytest
from reference import Rules, play_all
from stream_reference import block_state, playouts, words

import mbx

POSITIONS = [
    (Rules((3, 3), 3), [], 1500),
    (Rules((3, 3), 3), [4, 0, 8], 1500),
    (Rules((4, 3), 3), [0], 300),
    (Rules((4, 4), 4), [], 300),
    (Rules((5, 5), 4), [12, 7], 200),
    (Rules((4, 4, 4), 4), [], 50),
    (Rules((9, 9), 5), [], 40),
    (Rules((9, 9), 5), list(range(0, 20, 2)), 40),
    (Rules((3, 3), 3, True), [], 300),
    (Rules((7, 6), 4, True), [], 200),
    (Rules((7, 6), 4, True), [3, 3, 3, 3, 3, 3, 0], 200),
    (Rules((4, 4, 4), 4, True), [5], 60),
    (Rules((5, 5, 5), 5, True), [], 40),
    (Rules((2, 2), 3), [], 100),
    (Rules((1, 1), 1), [], 10),
]


@pytest.mark.parametrize(("rules", "moves", "n"), POSITIONS)
def test_counts_are_those_of_the_definition(rules: Rules, moves: list[int], n: int) -> None:
    position = mbx.Game(*rules.args).position(moves)
    seed, row = 2**100 + 17, 5
    counts = mbx.playout_counts(position, n, seed, first_row=row)
    expected = playouts(rules, play_all(rules, moves), seed, row, n)
    legal = position.legal_moves.tolist()
    assert counts.sum() == n
    assert counts.tolist() == [[expected[move, outcome] for outcome in range(3)] for move in legal]


def test_generators_give_the_published_words() -> None:
    """Random123's philox4x64-10 of zeros, and xoshiro256++ from the state 1, 2, 3, 4."""
    assert block_state(0, 0, 0)[:2] == [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC]
    source = words([1, 2, 3, 4])
    assert [next(source) for _ in range(3)] == [41943041, 58720359, 3588806011781223]


def test_the_definition_has_its_number() -> None:
    assert mbx.STREAM == 0

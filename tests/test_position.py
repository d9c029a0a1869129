"""Positions: one random-play test over all games, every reachable board, refusals."""

from __future__ import annotations

import contextlib
import copy
import gc
import itertools
import pickle
import random
from xml.etree import ElementTree

import numpy as np
import pytest
import reference as ref
from reference import GAMES, Rules

import mbx

SMALL = [
    Rules((3, 3), 3),
    Rules((3, 3), 3, True),
    Rules((3, 2), 2),
    Rules((3, 2), 1),
    Rules((5, 1), 3),
    Rules((1, 6), 3, True),
    Rules((2, 3), 2, True),
    Rules((2, 2), 3),
    Rules((2, 2, 2), 2),
    Rules((2, 1, 3), 2, True),
]
EMPTY_ROW = "/" + "." * 15


def facts(pos: mbx.Position) -> tuple:
    """Everything that a position shows."""
    return (
        pos.turn,
        pos.ply,
        pos.status,
        pos.key,
        pos.legal_moves.tolist(),
        list(pos.moves),
        pos.last_cell,
        pos.winning_cells(),
        pos.to_array().tolist(),
        str(pos),
    )


def check_against_reference(pos, rules, board):
    status = ref.status(rules, board)
    assert pos.turn == ref.turn(board)
    assert pos.ply == sum(mark >= 0 for mark in board)
    assert pos.status == status
    assert pos.legal_moves.tolist() == ref.legal_moves(rules, board)
    assert pos.legal_moves.dtype == np.int32
    assert pos.key == ref.key(rules, board) and hash(pos.key) == hash(ref.key(rules, board))
    lines = ref.winning_lines(rules, board, status) if status in (0, 1) else []
    assert pos.winning_cells() == sorted({c for line in lines for c in line})
    array = pos.to_array()
    assert array.dtype == np.int8 and np.array_equal(array, ref.array(rules, board))
    assert tuple(array.ravel()) == board
    assert str(pos).rstrip("\n") == ref.text(rules, board)


def check_round_trips(pos, rules, board):
    game = pos.game
    array = ref.array(rules, board)
    for twin in (
        game.from_array(array),
        game.from_text(str(pos)),
        game.from_text(ref.text(rules, board).replace("\n\n", "//").replace("\n", "/").upper()),
        game.position(pos.moves),
        pos.copy(),
        copy.deepcopy(pos),
        pickle.loads(pickle.dumps(pos)),
    ):
        assert twin == pos and twin is not pos and twin.game == game
        check_against_reference(twin, rules, board)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_random_play(rules):
    """Every ply of random games: the C core, the reference, round trips, symmetries, undo."""
    game, rng = mbx.Game(*rules.args), random.Random(str(rules))
    symmetries = game.symmetries.tolist()
    for _ in range(2 if rules.n_cells > 64 else 12):
        pos, board, history = game.start(), rules.start, []
        images = [(s, game.start()) for s in rng.sample(symmetries, min(4, len(symmetries)))]
        for move in ref.random_game(rules, rng):
            check_against_reference(pos, rules, board)
            history.append(facts(pos))
            cell = ref.landing_cell(rules, board, move)
            board = ref.play(rules, board, move)
            pos.push(move)
            assert pos.last_cell == cell and pos.moves[-1] == move
            for symmetry, image in images:
                image.push(symmetry[move])
                assert image.status == pos.status
                assert all(
                    image.to_array().ravel()[symmetry[c]] == mark for c, mark in enumerate(board)
                )
            if rng.random() < 8 / rules.n_cells:
                check_round_trips(pos, rules, board)
        check_against_reference(pos, rules, board)
        check_round_trips(pos, rules, board)
        with pytest.raises(mbx.IllegalMoveError):
            pos.push(pos.moves[-1])
        for before in reversed(history):
            last = pos.moves[-1]
            assert pos.pop() == last
            assert facts(pos) == before
        with pytest.raises(IndexError):
            pos.pop()
        assert pos == game.start()


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_exactly_the_reachable_boards_can_be_set_up(rules):
    game, known = mbx.Game(*rules.args), ref.reachable(rules)
    wrong = []
    for board in itertools.product((-1, 0, 1), repeat=rules.n_cells):
        try:
            pos = game.from_array(ref.array(rules, board))
        except ValueError:
            accepted = False
        else:
            accepted = True
            assert pos.to_array().ravel().tolist() == list(board)
            assert pos.moves == [] and pos.status == known.get(board, pos.status)
        if accepted != (board in known):
            wrong.append((ref.text(rules, board), accepted))
    assert not wrong, f"{len(wrong)} boards, as: {wrong[:3]}"


@pytest.mark.parametrize(
    "rules, text",
    [
        (Rules((3, 3), 3), "oo./.../..."),
        (Rules((3, 3), 3), "x../.../..."),
        (Rules((3, 3), 3), "ooo/xxx/..."),
        (Rules((3, 3), 3), "ooo/xx./x.."),
        (Rules((3, 3), 3), "xxx/oo./oo."),
        (Rules((7, 6), 4, True), "......./......./......./...o.../......./......."),
        (Rules((7, 6), 4, True), "......./......./......./...o.../...x.../......."),
        (Rules((7, 6), 4, True), "......./......./o...x../o...x../o...x../o...x.."),
        (Rules((15, 15), 5), "ooooo.........o/xxxxx.........x" + EMPTY_ROW * 13),
        (Rules((15, 15), 5), "ooooo..ooooo.../x.x.x.x.x.x.x.x/.x............." + EMPTY_ROW * 12),
        (Rules((2, 2, 2), 2, True), "../..//o./.."),
    ],
)
def test_unreachable_boards_are_refused_as_text_and_array(rules, text):
    game = mbx.Game(*rules.args)
    with pytest.raises(ValueError):
        game.from_text(text)
    rows = [["ox".find(mark) for mark in row] for row in text.replace("//", "/").split("/")]
    array = np.array(rows[::-1] if rules.gravity and len(rules.shape) == 2 else rows)
    with pytest.raises(ValueError):
        game.from_array(array.reshape(rules.shape[::-1]))


def test_equality_is_game_board_and_turn_not_history():
    game = mbx.games.MARUBATSU
    pos = game.position([0, 1, 2])
    assert pos == game.position([2, 1, 0]) == game.from_text("oxo/.../...")
    assert pos != game.position([0, 2, 1])
    assert pos != game.position([0, 1])
    assert mbx.Game((3, 3), 3).start() != mbx.Game((3, 3), 2).start()
    assert game.start() == mbx.Position(game)
    assert game.start() != "..."
    with pytest.raises(TypeError):
        hash(pos)


def test_pop_undoes_only_what_was_pushed_since_set_up():
    pos = mbx.games.MARUBATSU.from_text("ox./.../...")
    assert pos.moves == [] and pos.last_cell is None and pos.ply == 2
    pos.push(4)
    assert pos.pop() == 4
    with pytest.raises(IndexError):
        pos.pop()
    assert pos.ply == 2


def test_a_copy_keeps_its_own_history():
    pos = mbx.games.CONNECT_FOUR.position("44")
    twin = pos.copy()
    twin.push(0)
    pos.pop()
    assert (pos.moves, twin.moves) == ([3], [3, 3, 0])


@pytest.mark.parametrize("name", ["turn", "ply", "status", "moves", "key", "legal_moves", "game"])
def test_a_position_changes_by_push_and_pop_only(name):
    pos = mbx.games.MARUBATSU.position([4])
    with pytest.raises(AttributeError):
        setattr(pos, name, getattr(pos, name))
    before = facts(pos)
    pos.moves.append(0)
    pos.to_array()[:] = 1
    with contextlib.suppress(ValueError):
        pos.legal_moves[:] = 0
    assert facts(pos) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: a.tolist(),
        np.asfortranarray,
        lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
        lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
        lambda a: a.astype(">i4"),
        lambda a: a.astype("<i8"),
        lambda a: a.astype(np.int16).T.copy().T,
    ],
)
def test_any_layout_of_an_array_is_the_same_board(make):
    rules = Rules((5, 3), 3)
    board = ref.play_all(rules, [2, 9, 4, 14, 11])
    array = make(ref.array(rules, board))
    if isinstance(array, np.ndarray):
        array.flags.writeable = False
    pos = mbx.Game(*rules.args).from_array(array)
    assert tuple(pos.to_array().ravel()) == board


@pytest.mark.parametrize(
    "array",
    [
        np.full((3, 3), 2),
        np.full((3, 3), -2),
        np.full((3, 3), 255, np.uint8),
        np.full((3, 3), 255),
        np.full((3, 3), 2**32 - 1),
        np.full((3, 3), 2**63, np.uint64),
        np.full((3, 3), 256),
        np.full((3, 3), np.nan),
        np.full((3, 3), 0.5),
        np.full((3, 3), -1 + 0j),
        np.full((3, 3), None),
        np.full((3, 3), "."),
        np.full((3, 3), -1, "timedelta64[s]"),
        np.full(9, -1),
        np.full((3, 4), -1),
        np.full((1, 3, 3), -1),
        np.full((0, 3), -1),
        np.int8(-1),
        [[-1, -1, -1], [-1, -1], [-1]],
        "...",
        None,
        {},
    ],
)
def test_other_arrays_are_refused(array):
    with pytest.raises((TypeError, ValueError)):
        mbx.games.MARUBATSU.from_array(array)


def test_the_array_of_a_set_up_stays_the_callers():
    array = np.full((3, 3), -1, np.int8)
    pos = mbx.games.MARUBATSU.from_array(array)
    array[:] = 0
    assert pos == mbx.games.MARUBATSU.start()


@pytest.mark.parametrize("moves", [[0, 0], [9], [-1], [0, 3, 1, 4, 2, 5], [2**63], [-(10**30)]])
def test_a_position_from_illegal_moves_is_refused(moves):
    with pytest.raises(mbx.IllegalMoveError) as error:
        mbx.games.MARUBATSU.position(moves)
    assert isinstance(error.value, ValueError) and str(moves[-1]) in str(error.value)


@pytest.mark.parametrize("game", [None, "3x3", ((3, 3), 3)])
def test_a_position_needs_a_game(game):
    with pytest.raises(TypeError):
        mbx.Position(game)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_svg_pictures_are_well_formed_and_show_every_move(rules):
    pos, pictures = mbx.Game(*rules.args).start(), set()
    moves = ref.random_game(rules, random.Random(3))
    for move in moves:
        pictures.add(pos._repr_svg_())
        pos.push(move)
    pictures.add(pos._repr_svg_())
    assert len(pictures) == len(moves) + 1
    assert all(ElementTree.fromstring(picture).tag.endswith("svg") for picture in pictures)


def test_moves_while_the_garbage_collector_plays():
    """A finalizer that runs during `moves` plays on the same position."""
    pos = mbx.Game((15, 15), 15).position(range(100))

    class Player:
        def __del__(self):
            pos.pop()

    thresholds = gc.get_threshold()
    try:
        gc.set_threshold(1)
        for _ in range(20):
            player = Player()
            player.itself = player
            del player
            assert all(isinstance(move, int) for move in pos.moves)
    finally:
        gc.set_threshold(*thresholds)


@pytest.mark.parametrize("huge", [2**64, -(2**64), 10**5000], ids=["up", "down", "unprintable"])
def test_a_huge_move_is_no_move(huge):
    pos = mbx.games.MARUBATSU.start()
    with pytest.raises(mbx.IllegalMoveError):
        pos.push(huge)
    with pytest.raises(ValueError):
        mbx.Game((3, 3), huge)

"""The article's functions: with mbx.Marubatsu, and with a reader's own objects."""

from __future__ import annotations

import copy
import itertools
import json

import numpy as np
import pytest
import reference as ref
from article_boards import KINDS, NAMES, Kind, ReaderMarubatsu, ReaderTree, only
from reference import Rules

import mbx
from mbx import Marubatsu, analyze_playout, playout

XY = list(itertools.product(range(3), range(3)))
POSITIONS = [  # moves, and how many of them are taken back
    ([], 0),
    ([(1, 1)], 0),
    ([(0, 0), (1, 1), (2, 2)], 0),
    ([(0, 0), (1, 1), (2, 2), (0, 1), (2, 1)], 2),
    ([(0, 0), (1, 0), (0, 1), (1, 1)], 0),
    ([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)], 5),
]
FINISHED = [
    [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)],
    [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (1, 2)],
    [(0, 0), (1, 1), (2, 2), (1, 0), (1, 2), (0, 2), (2, 0), (2, 1), (0, 1)],
]


@pytest.fixture(scope="module")
def mbtree():
    return mbx.Mbtree(verbose=False)


def reader(kind: Kind, moves, back: int = 0) -> ReaderMarubatsu:
    mb = ReaderMarubatsu(kind, moves)
    for _ in range(back):
        mb.unmove()
    return mb


def package(moves, back: int = 0) -> Marubatsu:
    mb = Marubatsu()
    for move in moves:
        mb.move(move)
    mb.change_step(len(moves) - back)
    return mb


def state(mb) -> str:
    """Everything inside an object, its class and history included."""

    def inside(value):
        if hasattr(value, "__dict__"):
            return {name: inside(part) for name, part in vars(value).items()}
        return repr(value)

    return json.dumps(inside(mb), sort_keys=True)


def board_text(moves, table="ox", header=None) -> str:
    """The article's picture after moves (x, y), written from its description."""
    rows = [["."] * 3 for _ in range(3)]
    for i, (x, y) in enumerate(moves):
        rows[y][x] = table[i % 2].upper() if i == len(moves) - 1 else table[i % 2]
    header = header or f"Turn {table[len(moves) % 2]}"
    return "\n".join([header, *("".join(row) for row in rows), ""])


def share(counts, status) -> float:
    total = sum(counts.values())
    return counts[status] / total * 100 if total else 0.0


def chances(moves, move) -> list[float]:
    """Percentages of (circle, cross, draw) after moves and move."""
    rules = Rules((3, 3), 3)
    board = ref.play_all(rules, [x + 3 * y for x, y in [*moves, move]])
    return [float(p) * 100 for p in ref.outcome_probabilities(rules, board)]


def report(moves, retval, marks) -> tuple[str, float]:
    """What the article prints for playouts after moves, and the average difference."""
    lines, diffs = [f"playout count = {retval['count']}"], []
    for xy, counts in retval["result"].items():
        status = ref.status(
            Rules((3, 3), 3),
            ref.play_all(Rules((3, 3), 3), [x + 3 * y for x, y in [*moves, xy]]),
        )
        header = None if status == -1 else "winner " + ("o", "x", "draw")[status]
        lines += [f"move {xy}", board_text([*moves, xy], header=header)]
        lines.append("        count   ratio    prob    diff")
        for name, mark, p in zip(("o", "x", "draw"), marks, chances(moves, xy), strict=True):
            ratio = share(counts, mark)
            diffs.append(abs(ratio - p))
            lines.append(f"{name:4s}: {counts[mark]:7d} {ratio:6.2f}% {p:6.2f}% {diffs[-1]:6.2f}%")
        lines += ["", "-" * 37, ""]
    average = sum(diffs) / len(diffs) if diffs else 0.0
    return "\n".join([*lines, f"diff average = {average:6.2f}%", "", ""]), average


# -- playout


def test_playout_of_the_start():
    retval = playout(Marubatsu(), 10_000)
    assert list(retval) == ["result", "count"] and retval["count"] == 10_000
    assert list(retval["result"]) == XY
    for counts in retval["result"].values():
        assert list(counts) == [0, 1, "draw"]
        assert all(type(n) is int and n > 0 for n in counts.values())
    assert sum(n for counts in retval["result"].values() for n in counts.values()) == 10_000


@pytest.mark.parametrize("moves, back", POSITIONS)
def test_playout_counts_are_those_of_playout_counts(moves, back):
    mb = package(moves, back)
    before = state(copy.deepcopy(mb.records)), str(mb), mb.move_count, list(mb.records)
    retval = playout(mb, 3_000, seed=8, threads=2)
    assert before == (state(copy.deepcopy(mb.records)), str(mb), mb.move_count, list(mb.records))
    pos = mb.position
    rows = mbx.playout_counts(pos, 3_000, seed=8).tolist()
    counts = dict(zip(pos.legal_moves.tolist(), rows, strict=True))
    assert list(retval["result"]) == mb.calc_legal_moves()
    for (x, y), row in retval["result"].items():
        assert list(row.values()) == counts[x + 3 * y]


def test_playout_of_nothing_is_zeros():
    retval = playout(Marubatsu(), 0)
    assert retval == {"result": {xy: {0: 0, 1: 0, "draw": 0} for xy in XY}, "count": 0}


@pytest.mark.parametrize("moves", FINISHED)
@pytest.mark.parametrize("pnum", [0, 100])
def test_playout_of_a_finished_game(moves, pnum):
    for mb in (package(moves), *(reader(kind, moves) for kind in KINDS)):
        assert playout(mb, pnum) == {"result": {}, "count": pnum}
        assert mbx.playout_counts(mb, pnum).shape == (0, 3)


def test_playout_with_a_time_limit():
    retval = playout(Marubatsu(), 10**12, timelimit=0.05)
    assert 0 < retval["count"] < 10**12
    assert retval["count"] == sum(sum(row.values()) for row in retval["result"].values())
    assert playout(Marubatsu(), 1_000, 60)["count"] == 1_000


def test_playout_of_a_position():
    pos = mbx.games.CONNECT_FOUR.position("4433")
    result = playout(pos, 2_000, seed=1)["result"]
    assert list(result) == list(range(7)) and list(result[0]) == [0, 1, 2]
    rows = mbx.playout_counts(pos, 2_000, seed=1).tolist()
    assert [list(row.values()) for row in result.values()] == rows


# -- analyze_playout


def analyzed(capsys, mb, retval, tree):
    capsys.readouterr()
    answer = analyze_playout(mb, retval, tree)
    return answer, capsys.readouterr().out


def check_answer(answer, retval, average):
    assert list(answer) == ["count", "result", "diff average"]
    assert answer["count"] == retval["count"]
    assert answer["diff average"] == pytest.approx(average, abs=1e-9)
    assert list(answer["result"]) == list(retval["result"])
    for move, counts in retval["result"].items():
        assert list(answer["result"][move]) == list(counts)
        for mark, n in counts.items():
            entry = answer["result"][move][mark]
            assert list(entry) == ["count", "ratio", "prob", "diff"]
            assert entry["count"] == n
            assert entry["ratio"] == pytest.approx(share(counts, mark), abs=1e-9)
            assert entry["diff"] == pytest.approx(abs(entry["ratio"] - entry["prob"]), abs=1e-9)


@pytest.mark.parametrize("pnum", [100, 1_000, 10_000, 100_000, 1_000_000])
@pytest.mark.parametrize("moves, back", POSITIONS)
def test_analyze_playout_letter_by_letter(capsys, mbtree, moves, back, pnum):
    mb = package(moves, back)
    before = str(mb), list(mb.records), mb.move_count
    retval = playout(mb, pnum, seed=2)
    answer, shown = analyzed(capsys, mb, retval, mbtree)
    expected, average = report(moves[: len(moves) - back], retval, (0, 1, "draw"))
    assert shown == expected
    check_answer(answer, retval, average)
    assert before == (str(mb), list(mb.records), mb.move_count)


def test_analyze_playout_of_a_move_without_playouts(capsys, mbtree):
    retval = playout(Marubatsu(), 1, seed=1)
    answer, shown = analyzed(capsys, Marubatsu(), retval, mbtree)
    expected, average = report([], retval, (0, 1, "draw"))
    assert shown == expected and shown.count(" 0.00% ") >= 24
    check_answer(answer, retval, average)
    nothing = playout(Marubatsu(), 0)
    _, shown = analyzed(capsys, Marubatsu(), nothing, mbtree)
    assert shown == report([], nothing, (0, 1, "draw"))[0]


@pytest.mark.parametrize("moves", FINISHED)
def test_analyze_playout_of_a_finished_game(capsys, mbtree, moves):
    for mb in (package(moves), reader(KINDS[0], moves)):
        answer, shown = analyzed(capsys, mb, playout(mb, 50), mbtree)
        assert answer == {"count": 50, "result": {}, "diff average": 0}
        assert shown == "playout count = 50\ndiff average =   0.00%\n\n"


def test_the_answer_is_a_dict_that_shows_nothing_by_itself(capsys, mbtree):
    answer, _ = analyzed(capsys, Marubatsu(), playout(Marubatsu(), 100), mbtree)
    assert isinstance(answer, dict)
    assert answer._ipython_display_() is None
    assert capsys.readouterr().out == ""


# -- a reader's own objects


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind.moves}-{kind.CIRCLE}{kind.CROSS}")
def kind(request):
    return request.param


def marks(kind):
    return (kind.CIRCLE, kind.CROSS, kind.DRAW)


@pytest.mark.parametrize("moves, back", POSITIONS)
def test_playout_of_a_readers_object(kind, moves, back):
    mb = reader(kind, moves, back)
    before = state(mb)
    retval = playout(mb, 4_000, seed=6)
    assert state(mb) == before
    assert retval == playout(only(mb), 4_000, seed=6)
    assert list(retval["result"]) == mb.calc_legal_moves()
    same = playout(package(moves, back), 4_000, seed=6)["result"]
    for move, counts in retval["result"].items():
        assert list(counts) == list(marks(kind))
        assert list(counts.values()) == list(same[mb.board.move_to_xy(move)].values())


@pytest.mark.parametrize("moves, back", POSITIONS)
def test_exact_and_counts_of_a_readers_object(kind, moves, back):
    mb, taken = reader(kind, moves, back), moves[: len(moves) - back]
    before = state(mb)
    rows = mbx.move_probabilities(mb)
    expected = [chances(taken, mb.board.move_to_xy(move)) for move in mb.calc_legal_moves()]
    assert np.allclose(rows * 100, expected, rtol=0, atol=1e-12)
    exact = mbx.move_probabilities(only(mb), exact=True)
    assert [[float(p) for p in row] for row in exact] == rows.tolist()
    assert np.array_equal(mbx.outcome_probabilities(mb), mbx.outcome_probabilities(only(mb)))
    counts = mbx.playout_counts(mb, 1_000, seed=4)
    result = playout(mb, 1_000, seed=4)["result"]
    assert counts.tolist() == [list(row.values()) for row in result.values()]
    batch = mbx.playout_counts([mb, mb], 1_000, seed=4)
    assert batch.shape == (2, 9, 3) and batch[0].sum(axis=0).tolist() == counts.sum(axis=0).tolist()
    assert state(mb) == before


@pytest.mark.parametrize("moves, back", POSITIONS)
def test_analyze_playout_of_a_readers_object(capsys, mbtree, kind, moves, back):
    mb, taken = reader(kind, moves, back), moves[: len(moves) - back]
    retval, before = playout(mb, 2_000, seed=3), state(mb)
    expected, average = report(taken, in_xy(mb, retval), marks(kind))
    answer, shown = analyzed(capsys, mb, retval, mbtree)
    assert shown == expected
    check_answer(answer, retval, average)
    again, shown_again = analyzed(capsys, only(mb), retval, mbtree)
    assert (again, shown_again) == (answer, shown)
    assert state(mb) == before


def in_xy(mb, retval):
    """A result with its moves as (x, y)."""
    move_to_xy = mb.board.move_to_xy
    result = {move_to_xy(move): row for move, row in retval["result"].items()}
    return {"count": retval["count"], "result": result}


def id_of(kind):
    return f"{kind.moves}-{kind.CIRCLE}{kind.CROSS}"


@pytest.mark.parametrize("tree_kind", KINDS[::5], ids=id_of)
@pytest.mark.parametrize("moves, back", POSITIONS[2:5])
def test_analyze_playout_with_a_readers_tree(capsys, kind, tree_kind, moves, back):
    mb, taken = reader(kind, moves, back), moves[: len(moves) - back]
    retval = playout(mb, 500, seed=3)
    expected, average = report(taken, in_xy(mb, retval), marks(kind))
    answer, shown = analyzed(capsys, mb, retval, ReaderTree(reader(tree_kind, [])))
    assert shown == expected
    check_answer(answer, retval, average)


@pytest.mark.parametrize("moves, back", POSITIONS[2:5])
def test_analyze_playout_with_a_readers_tree_of_this_position(capsys, moves, back):
    mb, taken = reader(KINDS[0], moves, back), moves[: len(moves) - back]
    retval = playout(mb, 500, seed=3)
    expected, _ = report(taken, in_xy(mb, retval), marks(KINDS[0]))
    assert analyzed(capsys, mb, retval, ReaderTree(reader(KINDS[5], taken)))[1] == expected


def test_a_larger_board(kind):
    moves = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (3, 0)]
    mb = ReaderMarubatsu(kind, moves, size=4)
    pos = mbx.Game((4, 4), 4).position([x + 4 * y for x, y in moves])
    result = playout(mb, 2_000, seed=1)["result"]
    assert list(result) == mb.calc_legal_moves()
    counts = mbx.playout_counts(pos, 2_000, seed=1).tolist()
    rows = dict(zip(pos.legal_moves.tolist(), counts, strict=True))
    for move, row in result.items():
        x, y = mb.board.move_to_xy(move)
        assert list(row.values()) == rows[x + 4 * y]


@pytest.mark.parametrize("name", NAMES)
def test_an_object_that_lacks_a_name_is_a_type_error_that_says_which(name):
    class Empty:
        pass

    mb, partial = reader(KINDS[0], [(1, 1)]), Empty()
    for each in NAMES:
        if each != name:
            setattr(partial, each, getattr(mb, each))
    for function in (lambda p: playout(p, 10), mbx.move_probabilities, mbx.outcome_probabilities):
        with pytest.raises(TypeError, match=name):
            function(partial)


@pytest.mark.parametrize(
    "name, value",
    [
        ("turn", "x"),
        ("turn", None),
        ("status", "o"),
        ("status", "draw"),
        ("status", None),
        ("calc_legal_moves", lambda: [(0, 0)]),
        ("calc_legal_moves", lambda: [(0, 0)] * 9),
        ("calc_legal_moves", lambda: []),
    ],
)
def test_an_object_that_contradicts_its_board_is_a_value_error(name, value):
    mb = reader(KINDS[0], [])
    setattr(mb, name, value)
    with pytest.raises(ValueError):
        playout(mb, 10)


@pytest.mark.parametrize("board", [None, 5, "...", [[-1] * 3] * 3, np.full((3, 3), -1), object()])
@pytest.mark.parametrize(
    "function",
    [
        lambda p: playout(p, 10),
        lambda p: mbx.playout_counts(p, 10),
        mbx.move_probabilities,
        mbx.outcome_probabilities,
    ],
    ids=["playout", "playout_counts", "move_probabilities", "outcome_probabilities"],
)
def test_no_position_is_a_type_error(function, board):
    with pytest.raises(TypeError):
        function(board)


# -- what the listings print


def test_listing_of_the_nine_first_moves(capsys):
    mbtree = mbx.Mbtree()
    layers = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]
    lines = [f"{n:6d} depth {depth + 1} node created" for depth, n in enumerate(layers)]
    created = "\n".join([*lines, "total node num = 549946", ""])
    assert capsys.readouterr().out == created
    corner, edge, centre = (60.7, 26.4, 12.9), (53.6, 33.6, 12.9), (69.3, 19.3, 11.4)
    expected = [(board_text([]), (58.5, 28.8, 12.7))]
    for x, y in XY:
        percent = centre if x == y == 1 else edge if 1 in (x, y) else corner
        expected.append((board_text([(x, y)]), percent))
    nodes = [mbtree.root] + mbtree.root.children
    for node, (text, numbers) in zip(nodes, expected, strict=True):
        assert str(node.mb) == text
        keys = (node.mb.CIRCLE, node.mb.CROSS, node.mb.DRAW)
        assert tuple(round(node.playout_prob[key] * 100, 1) for key in keys) == numbers


def test_listing_of_saving_and_loading(tmp_path, monkeypatch, mbtree):
    (tmp_path / "data").mkdir()
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    mbtree.save("../data/playout")
    assert [p.name for p in (tmp_path / "data").iterdir()] == ["playout.mbtree"]
    root = mbx.Mbtree.load("../data/playout").root
    assert root.playout_prob == {0: 737 / 1260, 1: 121 / 420, "draw": 8 / 63}
    assert list(root.playout_prob) == [0, 1, "draw"]


def test_listing_of_ten_thousand_playouts():
    mb = Marubatsu()
    assert str(mb) == board_text([])
    for move in playout(mb, 10_000)["result"]:
        xy = mb.board.move_to_xy(move)
        mb.move(move)
        assert f"{xy}" == f"({xy[0]}, {xy[1]})" and str(mb) == board_text([xy])
        mb.unmove()
        assert str(mb) == board_text([])
    assert [f"{mb.board.MARK_TABLE[key]:4s}" for key in (0, 1, "draw")] == ["o   ", "x   ", "draw"]

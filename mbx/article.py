"""The article's two functions: playouts of a position, and their comparison with a game tree.

Both take a `Position`, an `mbx.Marubatsu` or the reader's own object, answer with that object's own
moves and marks as keys, and never touch it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from operator import index
from typing import Any

import numpy as np

from .convert import Source, as_position, read_source
from .marubatsu import Move, board_text
from .playouts import count_first
from .position import Position
from .seeds import Seed, seed_key
from .tables import Printed
from .work import read_count


def playout(
    mborig: Any,
    pnum: int,
    timelimit: float | None = None,
    *,
    seed: Seed = None,
    threads: int | None = None,
    target_error: float | None = None,
) -> dict[str, Any]:
    """Play `pnum` random games from a position to their ends and count them by their first moves.

    Returns {"result": {move: {CIRCLE: n, CROSS: n, DRAW: n}}, "count": n}: plain ints, the moves in
    `calc_legal_moves()` order, all legal moves present; "count" is the number of games played. It
    is less than `pnum` only where `timelimit` seconds ended the run, or where the shares had become
    as exact as `target_error` asks. Of a finished position, "result" is empty and "count" is
    `pnum`.

    `seed`, `threads` and `target_error` are those of `playout_counts`: the counts depend on the
    seed alone, never on the threads, and `random.seed()` has no effect. TypeError and ValueError
    for bad arguments.

    >>> from mbx import Marubatsu, playout
    >>> mb = Marubatsu()
    >>> for move in [(1, 1), (0, 0), (2, 2), (0, 2), (0, 1), (2, 1), (1, 2)]:
    ...     mb.move(move)
    >>> playout(mb, 1000, seed=1)["result"].keys()
    dict_keys([(1, 0), (2, 0)])
    """
    source = read_source(mborig)
    n = read_count(pnum, "pnum")
    key = seed_key(seed)
    counts: list[list[int]] = count_first(
        [source.position],
        key,
        0,
        n,
        threads=threads,
        timelimit=timelimit,
        target_error=target_error,
    )[0].tolist()
    cells = source.position.legal_moves.tolist()
    circle, cross, draw = source.marks
    result = {}
    for move, row in zip(source.moves, source.rows, strict=True):
        first, second, drawn = counts[cells[row]]
        result[move] = {circle: first, cross: second, draw: drawn}
    return {"result": result, "count": sum(map(sum, counts)) if result else n}


def analyze_playout(mb: Any, retval: Mapping[str, Any], mbtree: Any) -> Printed:
    """Print the shares in a result of `playout` beside the exact ones of a game tree.

    `retval` is what `playout(mb, …)` gave. `mbtree` is an `Mbtree` or the reader's own tree of the
    same game; of that, only `root`, its `mb`, `children_by_move` and `playout_prob` are used.

    Returns what it printed, in percent: {"count": n, "result": {move: {status: {"count": n,
    "ratio": r, "prob": p, "diff": |r - p|}}}, "diff average": d}, keyed as `retval` is. A move
    without a playout has ratio 0; without any move the average is 0.

    Nothing is printed when an argument is bad. TypeError: no position, no result of `playout`, no
    tree. ValueError: moves, marks or counts in `retval` that do not belong to `mb`, or a tree of
    another game or that lacks the position.
    """
    source = read_source(mb)
    cells = _check_result(retval, source)
    shares = _exact_shares(source.position, list(cells.values()), mbtree)
    result = {
        move: _compare(retval["result"][move], source.marks, shares[cell])
        for move, cell in cells.items()
    }
    diffs = [row["diff"] for rows in result.values() for row in rows.values()]
    analysis = Printed(
        {
            "count": index(retval["count"]),
            "result": result,
            "diff average": sum(diffs) / len(diffs) if diffs else 0.0,
        }
    )
    _print_analysis(analysis, source, cells)
    return analysis


def _check_result(retval: Mapping[str, Any], source: Source) -> dict[Any, int]:
    """The cell of each move in `retval`; TypeError or ValueError if it is no result of `source`."""
    if not isinstance(retval, Mapping):
        raise TypeError(f"retval must be a dict that playout returned, not {retval!r}")
    if not {"result", "count"} <= retval.keys():
        raise ValueError(f"retval must have the keys 'result' and 'count', not {list(retval)}")
    if not isinstance(retval["result"], Mapping):
        raise TypeError(f"retval['result'] must be a dict, not {retval['result']!r}")
    _check_count("retval['count']", retval["count"])
    legal = source.position.legal_moves.tolist()
    cell_of = {move: legal[row] for move, row in zip(source.moves, source.rows, strict=True)}
    for move, counts in retval["result"].items():
        if move not in cell_of:
            raise ValueError(f"retval has the move {move!r}; mb's are {list(cell_of)}")
        if not isinstance(counts, Mapping):
            raise TypeError(f"retval must have a dict of counts for move {move!r}, not {counts!r}")
        if counts.keys() != set(source.marks):
            raise ValueError(f"retval counts {list(counts)} for move {move!r}, not {source.marks}")
        for status, count in counts.items():
            _check_count(f"retval's count of {status!r} for move {move!r}", count)
    return {move: cell_of[move] for move in retval["result"]}


def _check_count(name: str, count: Any) -> None:
    try:
        if index(count) < 0:
            raise ValueError(f"{name} must be 0 or more, not {count}")
    except TypeError:
        raise TypeError(f"{name} must be an int, not {count!r}") from None


def _exact_shares(position: Position, cells: list[int], tree: Any) -> dict[int, list[float]]:
    """The probabilities of first, second and draw in `tree` after each of `cells`.

    The tree is walked from its root along the other stones of the position, side by side in turn:
    any such order reaches it, as nothing is finished on the way to an unfinished position.
    """
    try:
        mb = tree.root.mb
        marks = (mb.CIRCLE, mb.CROSS, mb.DRAW)
        stones = _stones_since(as_position(mb), position)
        move_of = {tuple(mb.board.move_to_xy(move)): move for move in tree.root.children_by_move}
        node = tree.root
        for cell in stones if cells else []:
            node = node.children_by_move[move_of[_xy(position, cell)]]
        children = node.children_by_move
        nodes = {cell: children[move_of[_xy(position, cell)]] for cell in cells}
        return {
            cell: [float(child.playout_prob[mark]) for mark in marks]
            for cell, child in nodes.items()
        }
    except AttributeError as error:
        raise TypeError(f"mbtree must be a tree with playout_prob: {error}") from error
    except KeyError as error:
        raise ValueError(f"mbtree has no node for {error} in this position") from error


def _stones_since(root: Position, position: Position) -> list[int]:
    """The cells filled between two positions: one of the side to move at the root, and so on."""
    if root.game != position.game:
        raise ValueError(f"mbtree is a tree of {root.game}, but mb is of {position.game}")
    before, board = root.to_array().ravel(), position.to_array().ravel()
    if (before[before >= 0] != board[before >= 0]).any():
        raise ValueError(f"mbtree starts at {root}, from where mb cannot be reached")
    added = np.where(before < 0, board, -1)
    sides = (root.turn, 1 - root.turn)
    pairs = zip_longest(*(np.flatnonzero(added == side).tolist() for side in sides))
    return [cell for pair in pairs for cell in pair if cell is not None]


def _xy(position: Position, cell: int) -> Move:
    y, x = divmod(cell, position.game.shape[0])
    return x, y


def _compare(
    counts: Mapping[Any, int], marks: tuple[Any, Any, Any], shares: list[float]
) -> dict[Any, dict[str, Any]]:
    """For each status of `counts`, its count, ratio, exact share and their difference."""
    total = sum(map(index, counts.values()))
    rows = {}
    for status, count in counts.items():
        ratio = index(count) / total * 100 if total else 0.0
        prob = shares[marks.index(status)] * 100
        diff = abs(ratio - prob)
        rows[status] = {"count": index(count), "ratio": ratio, "prob": prob, "diff": diff}
    return rows


def _print_analysis(analysis: Printed, source: Source, cells: dict[Any, int]) -> None:
    print(f"playout count = {analysis['count']}")
    for move, rows in analysis["result"].items():
        position = source.position.copy()
        position.push(cells[move])
        print(f"move {_xy(position, cells[move])}")
        print(board_text(position))
        print("        count   ratio    prob    diff")
        for status, row in rows.items():
            label = ("o", "x", "draw")[source.marks.index(status)]
            print(
                f"{label:4}: {row['count']:7} {row['ratio']:6.2f}% {row['prob']:6.2f}% "
                f"{row['diff']:6.2f}%"
            )
        print("\n-------------------------------------\n")
    print(f"diff average = {analysis['diff average']:6.2f}%\n")

"""The article's game tree: views of nodes over the arrays of a `Tree`.

All 549,946 nodes are columns of arrays, each about 30 bytes; a `Node` is two references that are
made when somebody asks for it. The graph is built on a transposed board, where the cell of (x, y)
is 3 * x + y, so that ascending cells are the article's order of moves; the rules do not notice.

    ids of the nodes by depth, left to right      _ids     (breadth first: 0, 1, 2, …)
    where in _ids the children of a node start    _start   (they are neighbours there; -1: none)
    moves, depths, …, scores                      memoryviews of the columns, indexed by id

Scores are kept doubled, so that the halves of recalculated draws are ints: see `_score_values`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .games import MARUBATSU
from .marubatsu import Mark, Marubatsu, Move
from .tree import Order, Tree, build_tree

_MOVES: tuple[Move, ...] = tuple((x, y) for x in range(3) for y in range(3))
_CELLS = {move: cell for cell, move in enumerate(_MOVES)}
_MARKS = {-1: ".", 0: "o", 1: "x"}
_KIND = "mbx.Mbtree"


class Node:
    """One node of an `Mbtree`: read-only, made when asked for, equal by tree and id.

    Its dicts and lists are fresh copies.
    """

    __slots__ = ("_id", "_tree")

    def __init__(self, tree: Mbtree, id: int) -> None:
        self._tree = tree
        self._id = id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._tree is other._tree and self._id == other._id

    def __hash__(self) -> int:
        return hash((id(self._tree), self._id))

    def __repr__(self) -> str:
        return f"<Node {self._id}: {self._path()}>"

    @property
    def id(self) -> int:
        """The index of the node in `nodelist`."""
        return self._id

    @property
    def mb(self) -> Marubatsu:
        """A new `Marubatsu` that has made the moves which lead here."""
        mb = Marubatsu()
        for move in self._path():
            mb.move(move)
        return mb

    @property
    def parent(self) -> Node | None:
        """The node one move before; None for the root."""
        parent = self._tree._parent[self._id]
        return None if parent < 0 else Node(self._tree, parent)

    @property
    def depth(self) -> int:
        """The number of moves made."""
        return self._tree._depth[self._id]

    @property
    def children(self) -> list[Node]:
        """The nodes one move later, in the article's order of moves; [] when finished."""
        return [Node(self._tree, child) for child in self._tree._children(self._id)]

    @property
    def children_by_move(self) -> dict[Move, Node]:
        """The children by the moves that lead to them."""
        return {_MOVES[self._tree._move[child._id]]: child for child in self.children}

    @property
    def score(self) -> float:
        """The value under best play: high is good for o, low for x."""
        return self._tree._values[self._tree._score[self._id]]

    @property
    def max_score(self) -> float:
        """The greatest score of a finished position here or below, before recalculation."""
        return self._tree._values[self._tree._max_score[self._id]]

    @property
    def min_score(self) -> float:
        """The least score of a finished position here or below, before recalculation."""
        return self._tree._values[self._tree._min_score[self._id]]

    @property
    def bestmoves(self) -> list[Move]:
        """The moves to the children with the best (recalculated) score; [] when finished.

        Best for the side to move: the greatest for o, the least for x.
        """
        tree = self._tree
        scores = {child: tree._final_score[child] for child in tree._children(self._id)}
        best = (min if self.depth % 2 else max)(scores.values(), default=None)
        return [_MOVES[tree._move[child]] for child, score in scores.items() if score == best]

    @property
    def playout_prob(self) -> dict[Mark, float]:
        """The chances of o, x and draw, by CIRCLE, CROSS and DRAW, if both play at random.

        They are the exact quotients, rounded once.
        """
        start = 3 * self._id
        first, second, draw = self._tree._probabilities[start : start + 3]
        return {Marubatsu.CIRCLE: first, Marubatsu.CROSS: second, Marubatsu.DRAW: draw}

    def _path(self) -> list[Move]:
        """The moves that lead here."""
        tree, node = self._tree, self._id
        path = []
        while node:
            path.append(_MOVES[tree._move[node]])
            node = tree._parent[node]
        return path[::-1]


class NodeList(Sequence[Node]):
    """Some nodes of a tree, as a read-only list of `Node`."""

    __slots__ = ("_ids", "_tree")

    def __init__(self, tree: Mbtree, ids: Sequence[int]) -> None:
        self._tree = tree
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, key: int) -> Node: ...
    @overload
    def __getitem__(self, key: slice) -> NodeList: ...
    def __getitem__(self, key: int | slice) -> Node | NodeList:
        if isinstance(key, slice):
            return NodeList(self._tree, self._ids[key])
        return Node(self._tree, self._ids[key])

    def __iter__(self) -> Iterator[Node]:
        tree = self._tree
        for node in self._ids:
            yield Node(tree, node)


class NodesByRecords(Mapping[tuple[Move, ...], Node]):
    """The nodes by `tuple(mb.records)`: ((0, 0), move, move, …)."""

    __slots__ = ("_tree",)

    def __init__(self, tree: Mbtree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return self._tree.nodenum

    def __iter__(self) -> Iterator[tuple[Move, ...]]:
        for node in self._tree.nodelist:
            yield ((0, 0), *node._path())

    def __getitem__(self, records: tuple[Move, ...]) -> Node:
        """Walk down: a child has the index that its cell has among the cells that are left."""
        if not isinstance(records, tuple) or records[:1] != ((0, 0),):
            raise KeyError(records)
        ids, start, node = self._tree._ids, self._tree._start, 0
        left = list(range(9))
        try:
            for move in records[1:]:
                index = left.index(_CELLS[move])
                if start[node] < 0:
                    raise KeyError(records)
                node = ids[start[node] + index]
                del left[index]
        except (KeyError, ValueError):
            raise KeyError(records) from None
        return Node(self._tree, node)


class BestMovesByBoard(Mapping[str, list[Move]]):
    """The best moves of each of the 5,478 positions, by `board_to_str()`; [] when finished.

    `board_to_hashable()` is taken as a key, too.
    """

    __slots__ = ("_tree",)

    def __init__(self, tree: Mbtree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return len(self._tree._node_of_board())

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree._node_of_board())

    def __getitem__(self, board: str | tuple[int, ...]) -> list[Move]:
        try:
            text = "".join([_MARKS[mark] for mark in board]) if isinstance(board, tuple) else board
            node = self._tree._node_of_board()[text]
        except KeyError:
            raise KeyError(board) from None
        return Node(self._tree, node).bestmoves


class Mbtree:
    """The whole game tree of 〇×ゲーム, with scores, exact chances of random play and best moves.

    `algo` is "bf" (ids breadth first) or "df" (ids depth first, preorder). Scores are 1 where o
    wins, -1 where x wins, 0 for a draw; with `shortest_victory` (11 - depth) / 2 and
    (depth - 10) / 2, so that early victories weigh more. With `recalculate_draw_score` a drawn node
    becomes 0.5 or -0.5 if o or x, whoever is not to move there, could still win below it; best
    moves go by these scores. `verbose` prints the number of nodes of each depth ("bf" only).

    The tree is read-only, except that the `calc_…` methods compute again what they say. Trees can
    be saved, pickled and deep-copied.

    >>> mbtree = Mbtree(verbose=False)
    >>> node = mbtree.nodelist_by_mb[(0, 0), (1, 0)]
    >>> node.playout_prob[Marubatsu.CIRCLE], node.score, node.bestmoves
    (0.5357142857142857, 0, [(0, 0), (1, 1), (1, 2), (2, 0)])
    """

    def __init__(
        self,
        algo: Order = "bf",
        shortest_victory: bool = False,
        recalculate_draw_score: bool = False,
        verbose: bool = True,
    ) -> None:
        if algo not in ("bf", "df"):
            raise ValueError(f"algo must be 'bf' or 'df', not {algo!r}")
        graph = build_tree(MARUBATSU.start(), algo)
        if verbose and algo == "bf":
            for depth, size in enumerate([*graph.layer_sizes[1:], 0], start=1):
                print(f"{size:6} depth {depth} node created")
            print(f"total node num = {len(graph)}")
        self._set(graph, bool(shortest_victory), bool(recalculate_draw_score))

    def _set(self, graph: Tree, shortest_victory: bool, recalculate_draw_score: bool) -> None:
        """Compute everything that follows from the graph and the two options."""
        self._graph = graph
        self._shortest_victory = shortest_victory
        self._recalculate_draw_score = recalculate_draw_score
        self._values = _score_values(shortest_victory)
        self._parent = graph.parent.data
        self._move = graph.move.data
        self._depth = graph.depth.data
        self._n_children = graph.n_children.data
        self._ids, self._start = _family(graph)
        self._boards: dict[str, int] = {}

        score = graph.minimax(_leaf_scores(shortest_victory))
        if recalculate_draw_score:
            greatest, least = np.asarray(self._max_score), np.asarray(self._min_score)
            score = _recalculated(score, greatest, least, graph.depth)
        self._final_score = score.data
        self._score = self._final_score
        self._probabilities = graph.probabilities.reshape(-1).data

    @cached_property
    def _max_score(self) -> memoryview:
        return self._graph.minimax(_leaf_scores(self._shortest_victory), "max", "max").data

    @cached_property
    def _min_score(self) -> memoryview:
        return self._graph.minimax(_leaf_scores(self._shortest_victory), "min", "min").data

    @property
    def algo(self) -> Order:
        """The order of building: "bf" or "df"."""
        return self._graph.order

    @property
    def shortest_victory(self) -> bool:
        """Whether early victories have greater scores."""
        return self._shortest_victory

    @property
    def recalculate_draw_score(self) -> bool:
        """Whether draws with a hope of winning have scores of 0.5 and -0.5."""
        return self._recalculate_draw_score

    @property
    def root(self) -> Node:
        """The empty board."""
        return Node(self, 0)

    @property
    def nodenum(self) -> int:
        """The number of nodes: 549,946."""
        return len(self._graph)

    @property
    def nodelist(self) -> NodeList:
        """All nodes by id."""
        return NodeList(self, range(self.nodenum))

    @property
    def nodelist_by_depth(self) -> list[NodeList]:
        """The nodes of each depth from 0 to 9, left to right; for "bf" an empty one follows."""
        ends = np.cumsum([0, *self._graph.layer_sizes]).tolist()
        layers = [self._ids[start:end] for start, end in pairwise(ends)]
        if self.algo == "bf":
            layers.append(())
        return [NodeList(self, layer) for layer in layers]

    @property
    def nodelist_by_mb(self) -> NodesByRecords:
        """The nodes by `tuple(mb.records)`."""
        return NodesByRecords(self)

    @property
    def bestmoves_by_mb(self) -> BestMovesByBoard:
        """The best moves by `mb.board_to_str()` (or `mb.board_to_hashable()`)."""
        return BestMovesByBoard(self)

    def calc_score_by_bf(self) -> None:
        """Compute the scores of all nodes again, depth by depth from the end.

        They are scores before recalculation: with `recalculate_draw_score`, drawn nodes go back to
        0, while best moves stay as they are.
        """
        self._score = self._graph.minimax(_leaf_scores(self._shortest_victory)).data

    def calc_score_by_df(self, node: Node) -> float:
        """Compute the scores of `node` and all below it again, depth first; returns that of `node`.

        They are scores before recalculation, as in `calc_score_by_bf`.
        """
        self._check_own(node)
        score = np.array(self._score)
        self._graph.minimax_below(node.id, _leaf_scores(self._shortest_victory), score)
        self._score = score.data
        return node.score

    def calc_playout_prob_by_bf(self) -> None:
        """Compute the chances of random play of all nodes again, depth by depth from the end."""
        self._count_again(-1)

    def calc_playout_prob_by_df(self, node: Node) -> dict[Mark, float]:
        """Compute the chances of random play of `node` and all below it again, depth first.

        Returns those of `node`.
        """
        self._check_own(node)
        self._count_again(node.id)
        return node.playout_prob

    def save(self, fname: str | os.PathLike[str]) -> None:
        """Save the tree as data in the file `fname` + ".mbtree".

        A file of that name is replaced only once the new one is complete. OSError if that cannot
        be, such as FileNotFoundError for a missing folder.
        """
        self._graph.save(_path(fname), *self.__getstate__()[1:])

    @staticmethod
    def load(fname: str | os.PathLike[str]) -> Mbtree:
        """The tree saved in the file `fname` + ".mbtree".

        FileNotFoundError if there is none, ValueError if it is damaged or holds something else.
        """
        path = _path(fname)
        graph, columns, options = Tree.load(path)
        tree = Mbtree.__new__(Mbtree)
        try:
            tree.__setstate__((graph, columns, options))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        return tree

    def __getstate__(self) -> tuple[Tree, dict[str, NDArray[Any]], dict[str, Any]]:
        options = {
            "kind": _KIND,
            "shortest_victory": self._shortest_victory,
            "recalculate_draw_score": self._recalculate_draw_score,
        }
        return self._graph, {"score": np.asarray(self._score)}, options

    def __setstate__(self, state: tuple[Tree, dict[str, NDArray[Any]], dict[str, Any]]) -> None:
        """Take what `__getstate__` gave; ValueError if it is not what an Mbtree gives."""
        graph, columns, options = state
        if not (
            isinstance(graph, Tree) and isinstance(options, dict) and options.get("kind") == _KIND
        ):
            raise ValueError("this is no saved Mbtree")
        shortest, recalculated = map(options.get, ("shortest_victory", "recalculate_draw_score"))
        if not isinstance(shortest, bool) or not isinstance(recalculated, bool):
            raise ValueError("shortest_victory or recalculate_draw_score is missing")
        if graph.game != MARUBATSU or graph.root.ply:
            raise ValueError("this is no tree of the whole game")
        self._set(graph, shortest, recalculated)
        score, plain = columns.get("score"), graph.minimax(_leaf_scores(self._shortest_victory))
        if score is None or score.dtype != np.int8 or score.shape != plain.shape:
            raise ValueError("the scores are missing")
        if not ((score == plain) | (score == np.asarray(self._final_score))).all():
            raise ValueError("the scores are not those of this tree")
        self._score = score.data

    def _children(self, node: int) -> Sequence[int]:
        """The ids of the children of a node, in the order of their moves."""
        start = self._start[node]
        return self._ids[start : start + self._n_children[node]]

    def _node_of_board(self) -> dict[str, int]:
        """The first node of each position, by the marks of its cells; found on first use."""
        if not self._boards:
            boards = {"." * 9: 0}
            queue = list(boards)
            for board in queue:
                node = boards[board]
                mark = "ox"[self._depth[node] % 2]
                for child in self._children(node):
                    cell = self._move[child]
                    after = board[:cell] + mark + board[cell + 1 :]
                    if after not in boards:
                        boards[after] = child
                        queue.append(after)
            self._boards = boards
        return self._boards

    def _count_again(self, node: int) -> None:
        """Count the games below a node (-1: all) as integers and divide the counts of all nodes."""
        counts = self._graph.counts.copy()
        self._graph.count_below(node, counts)
        totals = np.array(self._graph.denominators)[self._graph.depth, np.newaxis]
        self._probabilities = (counts / totals).reshape(-1).data

    def _check_own(self, node: Node) -> None:
        if not isinstance(node, Node):
            raise TypeError(f"node must be a Node of this tree, not {node!r}")
        if node._tree is not self:
            raise ValueError(f"node must be a Node of this tree; {node!r} is of another")


def _path(fname: str | os.PathLike[str]) -> str:
    return os.fsdecode(fname) + ".mbtree"


def _family(graph: Tree) -> tuple[Sequence[int], Sequence[int]]:
    """The ids by depth, left to right, and where in them a node's children start (-1: none)."""
    if graph.order == "bf":
        return range(len(graph)), graph.first_child.data
    ids = graph.child_ids
    place = np.empty_like(ids)
    place[ids] = np.arange(len(ids), dtype=np.int32)
    return ids.data, np.where(graph.n_children > 0, place[graph.first_child], -1).data


def _leaf_scores(shortest_victory: bool) -> NDArray[np.int8]:
    """Twice the scores of finished positions, int8 (10, 3), by depth and outcome."""
    scores = np.full((10, 3), (2, -2, 0), dtype=np.int8)
    if shortest_victory:
        scores[:, 0], scores[:, 1] = np.arange(11, 1, -1), np.arange(-10, 0)
    return scores


def _score_values(shortest_victory: bool) -> list[float]:
    """The scores by their doubles, from -6 to 6: values[-6] is an item counted from the end."""
    values: list[float] = [0] * 13
    for double in range(-6, 7):
        whole = double % 2 == 0 and not (shortest_victory and double)
        values[double] = double // 2 if whole else double / 2
    return values


def _recalculated(
    score: NDArray[np.int8],
    greatest: NDArray[np.int8],
    least: NDArray[np.int8],
    depth: NDArray[np.uint8],
) -> NDArray[np.int8]:
    """Doubled scores in which draws with a hope of winning count half for who is not to move.

    At odd depths that is o, who hopes if the greatest score below is above 0; at even depths x.
    """
    odd = (depth & 1).astype(bool)
    hopeful = (score == 0) & np.where(odd, greatest > 0, least < 0)
    return np.where(hopeful, np.where(odd, np.int8(1), np.int8(-1)), score)

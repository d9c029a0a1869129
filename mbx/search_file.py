"""A tree search in a file (data_file.py): its options, and the trees as arrays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .data_file import Kind, pack_columns, read_columns, read_file, write_file
from .game import Game
from .position import Position

if TYPE_CHECKING:
    from .evaluation import Evaluator
    from .tree_search import MCTS

Search = TypeVar("Search", bound="MCTS")

KIND = Kind(b"MBXSRCHT", 1, "search")
_COLUMNS = ("parent", "visits", "sums", "lower", "upper", "priors", "counted", "totals", "squares")
_PLACES = (0, 5, 6, 7, 8, 9)  # of the first six among the core's columns


def save_search(search: MCTS, path: str | os.PathLike[str]) -> None:
    """Write a search; see MCTS.save."""
    options = search.options
    if callable(options["c"]):
        raise ValueError("c is a callable: a file holds a number or a name, never code")
    columns, states = {}, []
    for number, tree in enumerate(search.trees):
        every = tree.columns()
        arrays = [*(every[place] for place in _PLACES), *tree.samples()]
        for name, array in zip(_COLUMNS, arrays, strict=True):
            if array is not None:
                columns[f"{number} {name}"] = array
        states.append([str(word) for word in tree.state()])
    root = search.position
    entries, parts = pack_columns(columns)
    header = {
        "game": {"shape": root.game.shape, "k": root.game.k, "gravity": root.game.gravity},
        "board": root.to_array().ravel().tolist(),
        "seed": str(search.seed),
        "options": options,
        "has_evaluator": search.has_evaluator,
        "noised": list(search.noised),
        "states": states,
        "columns": entries,
    }
    write_file(KIND, path, header, parts)


def load_search(
    kind: type[Search], path: str | os.PathLike[str], evaluator: Evaluator | None
) -> Search:
    """Read what save_search wrote; see MCTS.load."""
    header, body = read_file(KIND, path)
    if header.get("has_evaluator") is True and evaluator is None:
        raise ValueError(f"{path} is a search with an evaluator: pass it as evaluator=")
    if header.get("has_evaluator") is False and evaluator is not None:
        raise ValueError(f"{path} is a search by playouts: it takes no evaluator")
    try:
        return _unpack(kind, header, body, evaluator)
    except (KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise ValueError(f"{path} does not hold a search: {error}") from error


def _unpack(
    kind: type[Search], header: dict[str, Any], body: memoryview, evaluator: Evaluator | None
) -> Search:
    rules, states = header["game"], header["states"]
    game = Game(rules["shape"], rules["k"], rules["gravity"])
    root: Position = game.from_array(np.array(header["board"]).reshape(game.shape[::-1]))
    options = dict(header["options"])
    search = kind(
        root,
        options.pop("c"),
        seed=int(header["seed"]),
        threads=len(states),
        evaluator=evaluator,
        **options,
    )
    if len(search.trees) != len(states):
        raise ValueError(f"it has {len(states)} trees; this machine grows {len(search.trees)}")
    columns = read_columns(header["columns"], body)
    for number, (tree, state) in enumerate(zip(search.trees, states, strict=True)):
        arrays = [columns.get(f"{number} {name}") for name in _COLUMNS]
        *words, depth = map(int, state)
        if not all(0 <= word < 2**64 for word in words) or not 0 <= depth <= game.n_cells:
            raise ValueError(f"{state!r} is no state of a tree")
        counted, totals, squares = (columns[f"{number} {name}"] for name in _COLUMNS[-3:])
        is_sum = np.isfinite(totals).all() and np.isfinite(squares).all()
        if not is_sum or (counted < 0).any():
            raise ValueError("the samples of the root are no sums")
        tree.restore(*arrays, (*words, depth))
    times, is_noisy = header["noised"]
    if not isinstance(times, int) or not isinstance(is_noisy, bool):
        raise ValueError(f"{header['noised']!r} does not tell how often noise was drawn")
    search.noised = (times, is_noisy)
    return search

"""Layers of positions below a root, and how passes fill them with threads.

The core's layers, their blocks and entries are described in csrc/core/layers.h.
"""

from __future__ import annotations

from collections.abc import Callable

from . import _core
from .errors import TooLargeError
from .memory import available_bytes
from .position import Position
from .work import Report, read_threads, run_alone, run_ranges

_QUICK = 2**16  # moves in a layer that are not worth a thread
_LITTLE = 2**26  # bytes that are there


class Layers(_core.Layers):
    """The layers below a root, the first of them open."""

    def __init__(self, root: Position, symmetry: bool, max_depth: int = _core.MAX_DEPTH) -> None:
        """With symmetry, positions that are images of one another are one entry."""
        self.root = root.copy()

    def __new__(cls, root: Position, symmetry: bool, max_depth: int = _core.MAX_DEPTH) -> Layers:
        """The core's tables."""
        return super().__new__(cls, root, symmetry, max_depth)

    def open_next(self) -> None:
        """Open the next layer; in a worker where it takes long, so that Ctrl-C can stop it."""
        profiles, _ = self.size(self.n_open)
        if profiles * self.n_symmetries < _QUICK:
            self.open(None)
        else:
            run_alone(self.open)


def layer_entries(layers: Layers, depth: int) -> int:
    """The entries of a layer, about; with symmetry at least."""
    profiles, patterns = layers.size(depth)
    return int(profiles * patterns) // int(layers.n_symmetries)


def two_layers(sizes: list[int]) -> int:
    """The entries of two layers, each as large as the largest."""
    return max(sizes) * min(len(sizes), 2)


def fits(entries: int, bytes_per_entry: float) -> bool:
    """Do so many entries fit in memory?  Of few bytes it is not asked how much there is."""
    return entries * bytes_per_entry <= _LITTLE or entries <= room(bytes_per_entry)


def room(bytes_per_entry: float) -> int:
    """How many entries of so many bytes fit in memory."""
    return int(0.8 * available_bytes() / bytes_per_entry)


def about(number: int) -> str:
    """A large number, roughly, whatever its size."""
    digits = str(number)
    return f"{number:,}" if len(digits) < 7 else f"{digits[0]}.{digits[1]}e{len(digits) - 1}"


def too_large(root: Position, entries: int, bytes_per_entry: float) -> TooLargeError:
    """The error for a job of so many entries, or of more plies than layers can have."""
    open_cells = root.game.n_cells - root.ply
    if fits(entries, bytes_per_entry):
        return TooLargeError(
            f"the root has {open_cells} open cells; positions are listed down to {_core.MAX_DEPTH} "
            "plies below it"
        )
    return TooLargeError(
        f"the positions of {root.game!r} from ply {root.ply} on need {about(entries)} entries of "
        f"{bytes_per_entry:.3g} bytes ({about(int(entries * bytes_per_entry))} bytes); "
        f"{room(bytes_per_entry):,} fit"
    )


def open_all_layers(root: Position, symmetry: bool, bytes_per_entry: float) -> Layers:
    """All layers down to the full board, for passes that hold two of them at a time.

    Raises TooLargeError where two layers do not fit in memory.
    """
    layers = Layers(root, symmetry)
    sizes = [layer_entries(layers, depth) for depth in range(layers.n_cells + 1)]
    if layers.max_depth < layers.n_cells or not fits(two_layers(sizes), bytes_per_entry):
        raise too_large(root, two_layers(sizes), bytes_per_entry)
    while layers.n_open <= layers.max_depth:
        layers.open_next()
    return layers


# ---- running passes ------------------------------------------------------------------------------


class Sweep:
    """Fills layers one after the other, each with threads; reports progress over all of them."""

    def __init__(self, layers: Layers, threads: int | None, report: Report, total: int) -> None:
        self._layers = layers
        self._threads = read_threads(threads)
        self._report = report
        self._total = total
        self._done = 0

    def fill(self, depth: int, fill: Callable[[int, int, bytearray | None], None]) -> None:
        """Call fill(first block, number of blocks, cancel flag) for all blocks of a layer."""
        n_blocks, size = self._layers.shape(depth)
        entries = n_blocks * size
        if entries * len(self._layers.moves) < _QUICK:
            fill(0, n_blocks, None)
        else:

            def look(done: int, total: int) -> None:
                self._report(self._done + entries * done // total, self._total)

            run_ranges(fill, n_blocks, threads=self._threads, progress=look)
        self._done += entries

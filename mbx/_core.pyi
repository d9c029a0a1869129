"""The C core; see csrc/py.  The package wraps it: use mbx.Game, mbx.Position and its functions."""

from collections.abc import Sequence
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

__version__: str
STREAM: int
KERNELS: tuple[str, ...]
KERNEL: str
COMPILER: str
INSTRUCTION_SETS: tuple[str, ...]

class Game:
    def __new__(
        cls, shape: Sequence[SupportsIndex], k: SupportsIndex, gravity: bool = False
    ) -> Self: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def k(self) -> int: ...
    @property
    def gravity(self) -> bool: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def n_moves(self) -> int: ...
    @property
    def lines(self) -> NDArray[np.uint8]: ...
    @property
    def symmetries(self) -> NDArray[np.uint8]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Self], tuple[tuple[int, ...], int, bool]]: ...

class Position:
    def __new__(cls, game: Game, cells: NDArray[np.int8] | None = None) -> Self: ...
    @property
    def game(self) -> Any: ...  # the Game it was made with
    @property
    def turn(self) -> int: ...
    @property
    def ply(self) -> int: ...
    @property
    def status(self) -> int: ...
    @property
    def legal_moves(self) -> NDArray[np.int32]: ...
    @property
    def moves(self) -> list[int]: ...
    @property
    def last_cell(self) -> int | None: ...
    @property
    def key(self) -> int: ...
    def push(self, move: SupportsIndex, /) -> None: ...
    def pop(self) -> int: ...
    def copy(self) -> Self: ...
    def to_array(self) -> NDArray[np.int8]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

class Solver:
    def __new__(cls, game: Game, table_bytes: SupportsIndex, method: str | None = None) -> Self: ...
    @property
    def game(self) -> Any: ...  # the Game it was made with
    @property
    def table_bytes(self) -> int: ...
    @property
    def method(self) -> str: ...
    def search(
        self,
        position: Position,
        nodes: int,
        cancel: bytearray | None,
        known: tuple[int, int, int] | None = None,
        /,
    ) -> tuple[bool, int, int, int, int]: ...
    def search_moves(
        self,
        position: Position,
        lower: NDArray[np.int32],
        upper: NDArray[np.int32],
        nodes: int,
        cancel: bytearray | None,
        /,
    ) -> tuple[bool, int]: ...
    def clear(self) -> None: ...

Columns = tuple[NDArray[Any], ...]

def playout_block(game: Game, /) -> int: ...
def playout_counts(
    positions: Sequence[Position],
    key: int,
    first_row: int,
    first: int,
    number: int,
    cancel: bytearray | None,
    kernel: str | None = None,
    /,
) -> NDArray[np.int64]: ...
def playout_games(
    position: Position,
    key: int,
    row: int,
    first: int,
    number: int,
    cancel: bytearray | None,
    /,
) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[Any]]: ...
def scalar_counts(
    position: Position,
    key: int,
    row: int,
    first: int,
    number: int,
    cancel: bytearray | None,
    /,
) -> NDArray[np.int64]: ...
def tree_count(root: Position, limit: int, cancel: bytearray | None, /) -> NDArray[np.int64]: ...
def tree_is_small(root: Position, /) -> bool: ...
def tree_fill(
    root: Position,
    n_at_depth: NDArray[np.int64] | None,
    columns: Columns,
    cancel: bytearray | None,
    /,
) -> int: ...
def tree_to_depth_first(
    columns: Columns, renumbered: Columns, cancel: bytearray | None, /
) -> None: ...
def tree_link(root: Position, columns: Columns, /) -> None: ...
def minimax(
    columns: Columns,
    root_turn: int,
    leaf_value: NDArray[np.int8],
    first_largest: bool,
    second_largest: bool,
    values: NDArray[np.int8],
    node: int,
    cancel: bytearray | None,
    /,
) -> None: ...
def count_outcomes(
    columns: Columns,
    weight: NDArray[np.uint64],
    factor: NDArray[np.uint64],
    counts: NDArray[Any],
    node: int,
    cancel: bytearray | None,
    /,
) -> None: ...

NARROW: int
WIDE: int
DOUBLE: int
UNIFORM: int
OPTIMAL: int
FASTEST: int
PMC_WIN: int
PMC_SCORE: int
WEIGHTS: int
MAX_DEPTH: int
WON: int

Array = NDArray[Any]
Planes = tuple[Array | None, ...]

class Layers:
    def __new__(cls, root: Position, symmetry: bool, max_depth: int) -> Self: ...
    @property
    def moves(self) -> NDArray[np.int32]: ...
    @property
    def capacities(self) -> NDArray[np.int32]: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def max_depth(self) -> int: ...
    @property
    def n_open(self) -> int: ...
    @property
    def n_symmetries(self) -> int: ...
    def open(self, cancel: bytearray | None, /) -> None: ...
    def size(self, depth: int, /) -> tuple[int, int]: ...
    def shape(self, depth: int, /) -> tuple[int, int]: ...
    def open_columns(self, depth: int, /) -> NDArray[np.int64]: ...
    def find(self, position: Position, /) -> tuple[int, int] | None: ...
    def boards(self, depth: int, indices: NDArray[np.int64], /) -> NDArray[np.int8]: ...
    def number_nodes(
        self, depth: int, bits: NDArray[np.uint8], first_id: int, ids: NDArray[np.int32], /
    ) -> None: ...
    def forward(
        self,
        depth: int,
        nodes: tuple[Array | None, ...],
        numbers: tuple[int, int, Array | None, Array | None, Array | None],
        first: int,
        n_blocks: int,
        cancel: bytearray | None,
        /,
    ) -> None: ...
    def backward(
        self,
        depth: int,
        here: Planes,
        below: Planes,
        rule: tuple[int, int, int, int, int],
        nodes: tuple[Array, Array, Array, Array] | None,
        results: tuple[Array | None, ...],
        first: int,
        n_blocks: int,
        cancel: bytearray | None,
        /,
    ) -> None: ...

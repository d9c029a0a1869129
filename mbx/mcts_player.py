"""Monte Carlo tree search as a player of matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import _core
from .final_move import RootStatistics, choose_move
from .growing import QUICK_PLAYOUTS, explore
from .memory import available_bytes
from .players import Player
from .position import Position
from .search_options import STANDARD, Exploration, read_at_most, read_exploration, read_playouts
from .work import read_threads
from .workers import run_in_threads


@dataclass(frozen=True)
class MctsPlayer(Player):
    """Plays by Monte Carlo tree search: MctsPlayer(n=1000, c=sqrt(2), solver=True, …).

    n simulations for each move, in a new tree; the other fields are the options of mbx.MCTS.

    >>> import mbx
    >>> mbx.MctsPlayer(500)(mbx.games.MARUBATSU.from_text("oo./xx./..."), seed=1)
    2
    """

    n: int = 1000
    c: Exploration = STANDARD
    solver: bool = True
    playouts_per_leaf: int = 1
    expand_all: bool = False

    def __post_init__(self) -> None:
        read_at_most(self.n, "n", _core.MAX_SIMULATIONS - 1)
        read_exploration(self.c)
        read_playouts(self.playouts_per_leaf)

    def choose(
        self, positions: Sequence[Position], key: int, first_row: int, threads: int | None
    ) -> list[int]:
        """Moves for some positions: see Player."""
        moves = [-1] * len(positions)
        playing = [row for row, position in enumerate(positions) if position.status < 0]
        if not playing:
            return moves
        n_threads = min(read_threads(threads), len(playing))
        rows, cancel = iter(playing), bytearray(1)

        def search() -> None:
            tree = self._plant(positions[playing[0]], n_threads)
            for row in rows:
                tree.restart(positions[row], key, first_row + row)
                tree.search(self.n, False, cancel)
                if cancel[0]:
                    return
                root = RootStatistics.of([tree], 0.5, self.playouts_per_leaf)
                moves[row] = int(root.moves[choose_move(root, "visits", 0, (key, first_row + row))])

        if len(playing) * self.n * self.playouts_per_leaf <= QUICK_PLAYOUTS:
            search()
        else:
            run_in_threads(search, n_threads, cancel, lambda: None)
        return moves

    def _plant(self, position: Position, n_trees: int) -> _core.Mcts:
        """A tree that is ready for n simulations."""
        tree = _core.Mcts(
            position,
            self.playouts_per_leaf,
            self.expand_all,
            self.solver,
            0.5,
            2**63,
            available_bytes() // (2 * n_trees),
            0,
            0,
        )
        explore(tree, self.n, read_exploration(self.c))
        return tree

    def __str__(self) -> str:
        return f"MCTS {self.n}"

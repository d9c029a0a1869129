"""Can play under gravity have led to a board?  Its columns tell in which order their stones fell.

The sides alternate, so the stones must be taken from the columns, each from the bottom up, as
first, second, first, ...  Which column a stone comes from is searched for: depth first, with the
states that were seen, and first where the next stone above is the other side's, for those are
needed next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MAX_STATES = 100_000


def _columns(board: NDArray[np.int8]) -> list[str]:
    """The stones of each column that has any, from the bottom up, as '0' and '1'."""
    stacks = board.reshape(board.shape[0], -1).T
    return ["".join(map(str, stack[stack >= 0].tolist())) for stack in stacks if stack[0] >= 0]


def alternates(board: NDArray[np.int8]) -> bool:
    """Can the stones of a board [y, x] or [z, y, x] have fallen alternately?

    A board whose search takes more than 100,000 states is taken as one that can.  Lines are not
    looked at.
    """
    start = tuple(sorted(_columns(board)))
    n_stones = sum(map(len, start))
    todo, seen = [start], {start}
    while todo and len(seen) < _MAX_STATES:
        columns = todo.pop()
        if not columns:
            return True
        side = str((n_stones - sum(map(len, columns))) % 2)
        choices = {column for column in columns if column[0] == side}
        # The last one pushed is looked at first.
        for chosen in sorted(choices, key=lambda column: column[1:2] not in ("", side)):
            rest = list(columns)
            rest.remove(chosen)
            if len(chosen) > 1:
                rest.append(chosen[1:])
            state = tuple(sorted(rest))
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return bool(todo)


def can_have_fallen(board: NDArray[np.int8], last_cells: list[int]) -> bool:
    """Can the stones have fallen alternately, one of last_cells as the last?

    last_cells are those that may have completed all lines of the winner, [] where nobody has won.
    """
    if not last_cells:
        return alternates(board)
    for cell in last_cells:
        before = board.copy()
        before.reshape(-1)[cell] = -1
        if alternates(before):
            return True
    return False

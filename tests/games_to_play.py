"""The named games and some of odd shapes, and random play in them."""

from __future__ import annotations

import random

import mbx
from mbx.games import BY_NAME

GAMES = {
    **BY_NAME,
    "wide": mbx.Game((12, 3), 3, gravity=True),
    "row": mbx.Game((1, 5), 3),
    "column": mbx.Game((1, 200), 4, gravity=True),
    "one cell": mbx.Game((1, 1), 1),
    "many layers": mbx.Game((2, 2, 30), 3),
    "long layers": mbx.Game((11, 3, 3), 3),
}


def random_game(game, seed, plies=255):
    rng, position = random.Random(seed), game.start()
    while position.status < 0 and position.ply < plies:
        position.push(rng.choice(position.legal_moves.tolist()))
    return position

"""Well-known games of the family."""

from .game import Game

#: 〇×ゲーム, tic-tac-toe: three in a row on 3x3.
MARUBATSU = Game((3, 3), 3)
#: Connect Four: four in a row on 7 columns of 6, with gravity.
CONNECT_FOUR = Game((7, 6), 4, gravity=True)
#: 五目並べ, gomoku under the free rule: five or more in a row on 15x15.
GOMOKU = Game((15, 15), 5)
#: Qubic: four in a row in 4x4x4, without gravity.
QUBIC = Game((4, 4, 4), 4)
#: Score Four: four in a row in 4x4x4, with gravity.
SCORE_FOUR = Game((4, 4, 4), 4, gravity=True)
#: 立体五目並べ: five in a row in 5x5x5, with gravity.
RITTAI_GOMOKU = Game((5, 5, 5), 5, gravity=True)

#: By the names that the command line takes.
BY_NAME = {
    "tic-tac-toe": MARUBATSU,
    "marubatsu": MARUBATSU,
    "connect-four": CONNECT_FOUR,
    "gomoku": GOMOKU,
    "qubic": QUBIC,
    "score-four": SCORE_FOUR,
    "rittai-gomoku": RITTAI_GOMOKU,
}

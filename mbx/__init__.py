"""mbx: k-in-a-row placement games over a C core.

Exact outcome probabilities, uniform random playouts by the hundred million and game trees, for
〇×ゲーム (tic-tac-toe), any m,n,k board, Connect Four, 4x4x4 and 立体五目並べ.

>>> import mbx
>>> position = mbx.games.MARUBATSU.start()
>>> mbx.outcome_probabilities(position)
array([0.58492063, 0.28809524, 0.12698413])
"""

import typing

try:
    from ._core import __version__
except ImportError as error:
    if error.name != f"{__name__}._core":
        raise
    raise ImportError(
        f"mbx is not built in {__path__[0]}: this is its source folder. Install the package with "
        "'pip install .' in the folder above it, and import it from another working directory."
    ) from error

from . import games
from .article import analyze_playout, playout
from .converge import Convergence, convergence
from .errors import GameOverError, IllegalMoveError, TooLargeError
from .exact import move_probabilities, outcome_probabilities
from .game import Game
from .game_lengths import GameLengths
from .games_played import Games, playout_games
from .graph import Graph
from .marubatsu import Marubatsu
from .mbtree import Mbtree, Node
from .playouts import STREAM, playout_counts
from .position import Position
from .position_graph import build_graph
from .solve import Solver, SolveResult, solve
from .tree import build_tree

__all__ = [
    "MCTS",
    "STREAM",
    "AlphaBeta",
    "AlphaBetaPlayer",
    "AlphaBetaResult",
    "Benchmark",
    "Convergence",
    "Game",
    "GameLengths",
    "GameOverError",
    "Games",
    "Graph",
    "IllegalMoveError",
    "Info",
    "LineEvaluation",
    "Marubatsu",
    "MatchResult",
    "Mbtree",
    "MctsPlayer",
    "MctsResult",
    "NestedSearch",
    "Node",
    "PerfectPlayer",
    "Perft",
    "PmcChoice",
    "PmcPlayer",
    "PmcResult",
    "PmcStrength",
    "Position",
    "RandomPlayer",
    "SearchComparison",
    "SearchResult",
    "SolveResult",
    "Solver",
    "TooLargeError",
    "__version__",
    "ai_match",
    "ai_perfect",
    "ai_pmc",
    "ai_random",
    "alphabeta",
    "analyze_playout",
    "bench",
    "build_graph",
    "build_tree",
    "compare_searches",
    "convergence",
    "games",
    "info",
    "line_evaluation",
    "match",
    "mcts",
    "move_probabilities",
    "outcome_probabilities",
    "perft",
    "play",
    "playout",
    "playout_counts",
    "playout_games",
    "pmc",
    "pmc_choice",
    "pmc_strength",
    "search_tree",
    "solve",
]

if typing.TYPE_CHECKING:
    from .ais import ai_match, ai_perfect, ai_pmc, ai_random
    from .alpha_beta import AlphaBeta, alphabeta
    from .alpha_beta_player import AlphaBetaPlayer
    from .alpha_beta_result import AlphaBetaResult
    from .benchmark import Benchmark, bench
    from .line_worths import LineEvaluation, line_evaluation
    from .machine import Info, info
    from .matches import MatchResult, match
    from .mcts_player import MctsPlayer
    from .mcts_result import MctsResult
    from .monte_carlo import PmcResult, pmc
    from .nested_search import NestedSearch, search_tree
    from .players import PerfectPlayer, PmcPlayer, RandomPlayer
    from .ply_counts import Perft, perft
    from .primitive import PmcChoice, PmcStrength, pmc_choice, pmc_strength
    from .search_comparison import SearchComparison, compare_searches
    from .search_result import SearchResult
    from .terminal_game import play
    from .tree_search import MCTS, mcts
else:
    _LATER = {
        "ai_match": "ais",
        "ai_perfect": "ais",
        "ai_pmc": "ais",
        "ai_random": "ais",
        "AlphaBeta": "alpha_beta",
        "alphabeta": "alpha_beta",
        "AlphaBetaPlayer": "alpha_beta_player",
        "AlphaBetaResult": "alpha_beta_result",
        "Benchmark": "benchmark",
        "bench": "benchmark",
        "LineEvaluation": "line_worths",
        "line_evaluation": "line_worths",
        "Info": "machine",
        "info": "machine",
        "MatchResult": "matches",
        "match": "matches",
        "PmcResult": "monte_carlo",
        "pmc": "monte_carlo",
        "NestedSearch": "nested_search",
        "search_tree": "nested_search",
        "PerfectPlayer": "players",
        "PmcPlayer": "players",
        "RandomPlayer": "players",
        "Perft": "ply_counts",
        "perft": "ply_counts",
        "PmcChoice": "primitive",
        "pmc_choice": "primitive",
        "PmcStrength": "primitive",
        "pmc_strength": "primitive",
        "SearchComparison": "search_comparison",
        "compare_searches": "search_comparison",
        "SearchResult": "search_result",
        "play": "terminal_game",
        "MCTS": "tree_search",
        "MctsPlayer": "mcts_player",
        "MctsResult": "mcts_result",
        "mcts": "tree_search",
    }

    def __getattr__(name: str) -> object:
        """Names that few programs use: their modules are loaded when one is asked for."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f".{_LATER[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATER})

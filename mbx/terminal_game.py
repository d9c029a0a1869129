"""A game at the terminal: `play` asks persons for moves and commands, and an AI for its moves."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

from .board_text import draw_board
from .convert import as_position
from .game import Game
from .games import BY_NAME, MARUBATSU
from .notation import move_form, move_name, read_move
from .opponents import USUAL_AI, OfPlayer, Opinion, Opponent, make_opponent
from .position import Position
from .seeds import Seed
from .session import Session
from .svg import position_title
from .terminal import Thinking, has_colours

WIDTH = 80
LONGEST_RECORD = 10_000  # characters
VALUES = 5  # moves that a hint tells

#: The sides that persons play.
SIDES = {"first": (0,), "second": (1,), "both": (0, 1), "none": ()}


def play(
    pos: Any = None,
    ai: Any = USUAL_AI,
    *,
    level: int | None = None,
    n: int | None = None,
    timelimit: float | None = None,
    side: str = "first",
    seed: Seed = None,
) -> Position:
    """Play against an AI at the terminal, or in a notebook; returns the position at the end.

    pos is a game, its name (as "connect-four", see mbx.games.BY_NAME) or a position of any kind to
    begin with; 〇×ゲーム where nothing is said.  Moves and commands are typed; "help" lists them.

    ai: "alphabeta", "mcts", "pmc", "perfect" or "random"; a player, such as mbx.PmcPlayer(10**5);
    or a callable of a Position that returns a move.

    How strong it is: level, from 1 to 5 (3 where nothing is said); or n, of "mcts" the simulations,
    of "alphabeta" the plies, of "pmc" the playouts a move; or timelimit, the seconds a move.
    Levels are 20, 200, 2,000, 20,000 and 200,000 simulations; or 1, 2, 4, 6 and 8 plies (8 take
    minutes on 15×15); or 10, 100, 1,000, 10,000 and 100,000 playouts.  "perfect" takes a timelimit
    only, 10 where nothing is said: a position that it cannot solve in that time it leaves to MCTS,
    and says so.  "random" takes none of them.

    side: what you play, "first", "second", "both" (two persons) or "none" (the AI alone).

    The same seed, moves and commands make the same game, unless time limits decide.

    Raises TypeError and ValueError for bad arguments, KeyboardInterrupt for Ctrl-C at the prompt.

    >>> import mbx
    >>> final = mbx.play("tic-tac-toe", "perfect", side="none", seed=1)  # doctest: +ELLIPSIS
    3×3, 3 in a row: o to move
    ...
    The game is a draw.
    >>> final.ply
    9
    """
    if side not in SIDES:
        raise ValueError(f"side must be one of {', '.join(SIDES)}, not {side!r}")
    opponent = make_opponent(ai, level=level, n=n, timelimit=timelimit, seed=seed)
    return TerminalGame(Session(_read_start(pos), SIDES[side]), opponent).run()


def _read_start(pos: Any) -> Position:
    if pos is None:
        return MARUBATSU.start()
    if isinstance(pos, str):
        if pos not in BY_NAME:
            raise ValueError(f"pos must be one of {', '.join(BY_NAME)}, not {pos!r}")
        return BY_NAME[pos].start()
    return pos.start() if isinstance(pos, Game) else as_position(pos)


class TerminalGame:
    """The dialogue about one session; print and input are all that it needs of a terminal."""

    def __init__(self, session: Session, opponent: Opponent) -> None:
        self.session = session
        self._opponent = opponent
        self._adviser = make_opponent(seed=0) if isinstance(opponent, OfPlayer) else opponent
        self._is_left = False
        self._ai_goes = False  # asked to make the next move
        self._ai_waits = False  # stopped, until it is asked to go on

    def run(self) -> Position:
        """Play until a person leaves or, without persons, to the end; returns the position."""
        session = self.session
        print(f"{position_title(session.position)}\n{self._who_plays()}")
        self._show()
        while not self._is_left and (session.persons or not session.is_over or self._ai_waits):
            is_ais_turn = not session.is_persons_turn and not self._ai_waits
            if not session.is_over and (self._ai_goes or is_ais_turn):
                self._move_of_ai()
            else:
                self._ask()
        return session.position

    # ---- what is shown ---------------------------------------------------------------------------

    def _who_plays(self) -> str:
        persons = self.session.persons
        if len(persons) == 1:
            [side] = persons
            players = f"You play {'ox'[side]}, {self._opponent} plays {'xo'[side]}."
        else:
            players = "Two persons play." if persons else f"{self._opponent} plays both sides."
        return f"{players} help lists the commands." if persons else f"{players} Ctrl-C stops it."

    def _show(self) -> None:
        """The board, and how the game ended if it did."""
        session = self.session
        print(f"\n{draw_board(session.position, colour=has_colours(), width=WIDTH)}\n")
        if session.resigned is not None:
            print(f"{'ox'[session.resigned]} resigns: {'xo'[session.resigned]} wins.")
        elif session.is_over:
            result = ("o wins.", "x wins.", "The game is a draw.")
            print(result[session.position.status])

    def _name(self, move: int) -> str:
        return move_name(self.session.position.game, move)

    # ---- the AI ----------------------------------------------------------------------------------

    def _ask_ai(self, ai: Opponent) -> Opinion | None:
        """What it thinks of the position; None where Ctrl-C left it without an opinion."""
        try:
            with Thinking() as thinking:
                return ai.think(self.session.position, thinking)
        except KeyboardInterrupt:
            print("The AI has stopped thinking.")
            return None

    def _move_of_ai(self) -> None:
        """Its move; after Ctrl-C what it has so far, or if that is nothing, it waits."""
        self._ai_goes = self._ai_waits = False
        mark = "ox"[self.session.position.turn]
        opinion = self._ask_ai(self._opponent)
        if opinion is None:
            self._ai_waits = True
            self._show()
            return
        self.session.play(opinion.move)
        print(f"{mark} plays {self._name(opinion.move)}{self._reasons(opinion, mark)}")
        self._ai_waits = opinion.stopped and not self.session.persons
        self._show()

    def _reasons(self, opinion: Opinion, mark: str) -> str:
        worth = f": {opinion.worth} for {mark}" if opinion.worth else ""
        note = f" ({opinion.note})" if opinion.note else ""
        if len(opinion.expected) < 2:
            return worth + note
        return f"{worth}, expects {' '.join(map(self._name, opinion.expected[:6]))}{note}"

    # ---- the persons -----------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask for a line and obey it."""
        try:
            if sys.stdin is None:  # closed
                raise EOFError
            self._obey(input(self._prompt()).strip())
        except EOFError:
            print()
            self._is_left = True
        except OSError as error:
            print(f"{error.strerror}: {error.filename}" if error.filename else error)
        except ValueError as error:
            print(error)

    def _prompt(self) -> str:
        if self.session.is_over:
            return "new, undo, save FILE or quit: "
        mark = "ox"[self.session.position.turn]
        if self._ai_waits:
            return f"{mark} to move (go: the AI moves, help): "
        return f"{mark} to move ({move_form(self.session.position.game)}, help): "

    def _obey(self, line: str) -> None:
        """A move or a command; ValueError, OSError with what is wrong."""
        word, _, rest = line.partition(" ")
        if not word:
            return
        if word[0] in "-0123456789":
            self._play(line)
            return
        command = _find_command(word)
        if command.argument and not rest.strip():
            raise ValueError(f"{command.name} needs {command.argument}")
        if rest and not command.argument:
            raise ValueError(f"{command.name} stands alone, not with {rest.strip()!r}")
        command.run(self, rest.strip())

    def _play(self, line: str) -> None:
        self.session.play(read_move(self.session.position, line))
        self._ai_waits = False
        if self.session.is_over or self.session.is_persons_turn:
            self._show()

    def _undo(self, _: str) -> None:
        self.session.undo()
        self._show()

    def _redo(self, _: str) -> None:
        self.session.redo()
        self._show()

    def _hint(self, _: str) -> None:
        self.session.check_goes_on()
        mark = "ox"[self.session.position.turn]
        opinion = self._ask_ai(self._adviser)
        if opinion is None:
            return
        print(f"try {self._name(opinion.move)}{self._reasons(opinion, mark)}")
        for move, worth in opinion.values[:VALUES]:
            print(f"  {self._name(move):<8}{worth}")

    def _moves(self, _: str) -> None:
        moves = map(self._name, self.session.position.legal_moves.tolist())
        print(textwrap.fill(" ".join(moves), WIDTH) or "none: the game is over")

    def _go(self, _: str) -> None:
        self.session.check_goes_on()
        self._ai_goes = True

    def _resign(self, _: str) -> None:
        self.session.resign()
        self._show()

    def _new(self, _: str) -> None:
        self.session.restart()
        self._ai_waits = False
        self._show()

    def _save(self, name: str) -> None:
        with open(os.path.expanduser(name), "x", encoding="utf-8") as file:
            file.write(f"{self.session.record()}\n")
        print(f"saved: {name}")

    def _load(self, name: str) -> None:
        with open(os.path.expanduser(name), encoding="utf-8", errors="replace") as file:
            record = file.read(LONGEST_RECORD)
        try:
            self.session.load(record)
        except ValueError as error:
            raise ValueError(f"{name} holds no such game: {str(error)[:WIDTH]}") from None
        self._show()

    def _help(self, _: str) -> None:
        game = self.session.position.game
        print(f"A move is {move_form(game)}. Commands, which may be shortened:")
        for command in COMMANDS:
            print(f"  {f'{command.name} {command.argument}':<11}{command.help}")

    def _quit(self, _: str) -> None:
        self._is_left = True


class Command(NamedTuple):
    """What can be typed in place of a move."""

    name: str
    argument: str  # what it needs after its name
    help: str
    run: Callable[[TerminalGame, str], None]


COMMANDS = [
    Command("undo", "", "take your last move back, and the answer to it", TerminalGame._undo),
    Command("redo", "", "make the moves again that were taken back", TerminalGame._redo),
    Command("hint", "", "what the AI thinks of your moves", TerminalGame._hint),
    Command("go", "", "let the AI make the next move", TerminalGame._go),
    Command("moves", "", "list the legal moves", TerminalGame._moves),
    Command("new", "", "begin again", TerminalGame._new),
    Command("resign", "", "give up", TerminalGame._resign),
    Command("save", "FILE", "write the moves to a new file", TerminalGame._save),
    Command("load", "FILE", "go on with the game in a file", TerminalGame._load),
    Command("help", "", "show this list", TerminalGame._help),
    Command("quit", "", "leave", TerminalGame._quit),
]


def _find_command(word: str) -> Command:
    """The command that a word begins; ValueError where there is none, or more than one."""
    found = [each for each in COMMANDS if each.name.startswith(word.lower())]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.name for each in found or COMMANDS)
    raise ValueError(f"{word!r} could be {names}" if found else f"no command {word!r}: {names}")

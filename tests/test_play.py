"""Playing: sessions, opponents, games through pipes and through a pseudo-terminal."""

from __future__ import annotations

import io
import os
import random
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest
from games_to_play import GAMES

import mbx
from mbx.cli import main
from mbx.games import BY_NAME
from mbx.notation import move_name, read_game, write_game
from mbx.opponents import AIS, make_opponent
from mbx.session import Session
from mbx.terminal_game import COMMANDS


@pytest.fixture
def typed(monkeypatch, capsys):
    """typed(lines, *arguments, **options) is what mbx.play returns and prints for these lines."""

    def typed(lines, *arguments, **options):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        final = mbx.play(*arguments, **options)
        return final, capsys.readouterr().out

    return typed


# ---- sessions ------------------------------------------------------------------------------------


def test_undo_and_redo_stop_where_a_person_is_to_move():
    session = Session(mbx.games.CONNECT_FOUR.start(), [0])
    for move in (3, 3, 2, 4):
        session.play(move)
    seen = []
    for step in (session.undo, session.undo, session.redo, session.redo):
        step()
        seen.append(session.position.moves)
    assert seen == [[3, 3], [], [3, 3], [3, 3, 2, 4]]
    session.undo()
    session.play(0)
    with pytest.raises(ValueError, match="again"):
        session.redo()
    assert session.position.moves == [3, 3, 0]


@pytest.mark.parametrize("persons, plies", [([0], 1), ([1], 0), ([0, 1], 0), ([], 0)])
def test_undo_stops_at_the_start(persons, plies):
    """Of an AI that began, the first move is never taken back alone."""
    session = Session(mbx.games.MARUBATSU.start(), persons)
    moves = [4, 0, 8][: plies or 3]
    for move in moves:
        session.play(move)
    while True:
        before = session.position.moves
        try:
            session.undo()
        except ValueError:
            assert session.position.moves == before == ([4] if persons == [1] else [])
            break
        assert session.is_persons_turn or not persons


def test_refused_steps_change_nothing():
    session = Session(mbx.games.MARUBATSU.start())
    session.play(4)
    for bad in (lambda: session.play(4), lambda: session.load("4,4"), lambda: session.load("?")):
        with pytest.raises(ValueError):
            bad()
        assert session.position.moves == [4] and session.resigned is None
    session.undo()
    with pytest.raises(ValueError):
        session.load("0,0")
    session.redo()
    assert session.position.moves == [4]


def test_resigning():
    for persons, side in [([0], 0), ([1], 1), ([0, 1], 1), ([], 1)]:
        session = Session(mbx.games.MARUBATSU.position([4]), persons)
        session.resign()
        assert session.is_over and session.resigned == side
        with pytest.raises(ValueError):
            session.resign()
        session.undo()
        assert not session.is_over and session.position.moves == [4]


def test_a_session_keeps_its_hands_off_the_start():
    start = mbx.games.MARUBATSU.position([4])
    session = Session(start)
    session.play(0)
    session.restart()
    assert start.moves == [4] == session.position.moves
    session.load("0,1")
    session.restart()
    assert session.position.moves == [4]


# ---- opponents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ai", [ai for ai in AIS if ai != "random"])
@pytest.mark.parametrize("text, cell", [("XO./XX./O.O", 5), ("OX./OX./...", 7)])
def test_every_ai_but_random_takes_a_win(ai, text, cell):
    position = mbx.games.MARUBATSU.from_text(text, symbols="XO" if text[0] == "X" else "OX")
    if text[0] == "O":
        position.push(8)
    before = position.copy()
    opinion = make_opponent(ai, seed=1).think(position)
    assert opinion.move == cell and opinion.worth and position == before


@pytest.mark.parametrize("side", [0, 1])
def test_perfect_never_loses(side):
    rng, opponent = random.Random(1), make_opponent("perfect", seed=1)
    results = []
    for _ in range(150):
        position = mbx.games.MARUBATSU.start()
        while position.status < 0:
            if position.turn == side:
                position.push(opponent.think(position).move)
            else:
                position.push(rng.choice(position.legal_moves.tolist()))
        results.append(position.status)
    assert 1 - side not in results and side in results


def test_perfect_wins_fast_and_loses_slowly():
    lost = mbx.games.MARUBATSU.from_text("..x/.../.ox", "xo")  # only cell 5 lasts four plies
    opinion = make_opponent("perfect").think(lost)
    assert (opinion.move, opinion.worth) == (5, "a loss in 4 plies")
    position = mbx.games.CONNECT_FOUR.position("226744515337")
    opinion = make_opponent("perfect").think(position)
    assert (opinion.move, opinion.worth) == (3, "a win in 17 plies")
    assert dict(opinion.values)[1] == "a draw"


def test_perfect_says_where_it_is_not():
    opinion = make_opponent("perfect", timelimit=0.1).think(mbx.games.GOMOKU.start())
    assert "not solved in 0.1 s" in opinion.note and opinion.move in range(225)


def test_mcts_keeps_its_tree():
    opponent = make_opponent("mcts", n=500, seed=1)
    position = mbx.games.CONNECT_FOUR.start()
    search = None
    for _ in range(4):
        move = opponent.think(position).move
        assert search in (None, opponent._search)
        search = opponent._search
        position.push(move)
        position.push(position.legal_moves[0])
    opponent.think(position)
    assert opponent._search is search and search.simulations > 500
    position.pop()
    opponent.think(position)  # taken back: from anew
    assert opponent._search is not search and opponent._search.position == position


def test_alphabeta_knows_what_moves_are_worth():
    position = mbx.games.CONNECT_FOUR.position("4455")
    for n in (3, 9):
        opinion = make_opponent("alphabeta", n=n, seed=1).think(position)
        assert (opinion.move, opinion.worth) in ((2, "a win in 3 plies"), (5, "a win in 3 plies"))
        assert len(opinion.values) == 7 and not opinion.stopped
        assert opinion.values[0] == (opinion.move, opinion.worth)
    drawn = make_opponent("alphabeta", n=9).think(mbx.games.MARUBATSU.position([0]))
    assert (drawn.move, drawn.worth) == (4, "a sure draw") and len(drawn.expected) == 8
    assert {worth for _, worth in drawn.values[1:]} == {"a loss in 6 plies"}
    many = make_opponent("alphabeta", n=4).think(mbx.games.GOMOKU.position([112, 113, 0]))
    assert any("at most" in worth for _, worth in many.values[1:])


def test_alphabeta_keeps_its_table():
    opponent = make_opponent("alphabeta", n=8, seed=1)
    position = mbx.games.RITTAI_GOMOKU.start()
    opponent.think(position)
    search, nodes = opponent._search, opponent._search.found.nodes
    opponent.think(position)
    assert opponent._search is search and search.found.nodes < nodes
    opponent.think(mbx.games.MARUBATSU.start())
    assert opponent._search.game == mbx.games.MARUBATSU


def test_alphabeta_takes_what_was_found_of_this_position_only(monkeypatch):
    """However early or late Ctrl-C comes."""
    opponent = make_opponent("alphabeta", n=5, seed=1)
    first, second = mbx.games.RITTAI_GOMOKU.start(), mbx.games.RITTAI_GOMOKU.position([0])
    opponent.think(first)

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(opponent._search, "search", interrupted)
    assert opponent.think(first).stopped
    with pytest.raises(KeyboardInterrupt):
        opponent.think(second)


@pytest.mark.parametrize(
    "options",
    [
        {"ai": "nonsense"},
        {"ai": "minimax"},
        {"level": 0},
        {"level": 6},
        {"n": 0},
        {"n": -1},
        {"timelimit": 0},
        {"timelimit": float("nan")},
        {"level": 1, "n": 1},
        {"n": 1, "timelimit": 1},
        {"ai": "perfect", "level": 1},
        {"ai": "perfect", "n": 1},
        {"ai": "random", "timelimit": 1},
        {"ai": print, "n": 1},
        {"seed": -1},
        {"side": "third"},
        {"pos": "chess"},
    ],
)
def test_bad_arguments(options):
    with pytest.raises(ValueError) as caught:
        mbx.play(**options)
    assert next(iter(options)) in str(caught.value) or "seed" in options


@pytest.mark.parametrize(
    "options",
    [{"ai": None}, {"ai": 3}, {"ai": mbx.RandomPlayer}, {"n": 1.5}, {"level": "2"}, {"pos": 3}],
)
def test_bad_types(options):
    with pytest.raises(TypeError):
        mbx.play(**options)


# ---- games through mbx.play ----------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("side", ["first", "second"])
def test_games_to_the_end_against_random_input(typed, name, side):
    game, rng = GAMES[name], random.Random(name + side)
    moves = [move_name(game, rng.randrange(game.n_moves)) for _ in range(3_000)]
    final, out = typed(moves, game, "mcts", n=10, side=side, seed=1)
    assert final.status >= 0 and read_game(game, write_game(final)).status == final.status
    assert ("o wins.", "x wins.", "The game is a draw.")[final.status] in out
    if name in BY_NAME:
        lines = re.sub(r"(?m)^.*help\): ", "", out).splitlines()
        assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("ai", AIS)
def test_the_same_seed_makes_the_same_game(typed, ai):
    pos = mbx.games.CONNECT_FOUR.position("226744515337") if ai == "perfect" else "connect-four"
    lines = ["4", "hint", "undo", "go", "3", "new", "5", "1"]
    games = [typed(lines, pos, ai, seed=seed) for seed in (5, 5)]
    assert games[0][1] == games[1][1]
    if ai != "perfect":
        others = [typed([], "qubic", ai, side="none", seed=s)[0].moves for s in (1, 2)]
        assert others[0] != others[1]


def test_a_callable_and_a_player_as_ai(typed):
    def first(position):
        position.copy().push(position.legal_moves[0])
        return position.legal_moves[0]

    final, out = typed(["4"], ai=first)
    assert final.moves == [4, 0] and "first plays x" in out
    final, out = typed(["4", "hint"], ai=mbx.PmcPlayer(100), seed=1)
    assert len(final.moves) == 2 and "PMC 100 plays x" in out
    assert "score" in out  # the hint is of alpha-beta
    with pytest.raises(mbx.IllegalMoveError, match="my_ai"):

        def my_ai(position):
            return 4

        typed(["4"], ai=my_ai)


def test_positions_of_every_kind(typed):
    mb = mbx.Marubatsu()
    mb.move((1, 1))
    final, _ = typed(["undo", "0"], mb, side="both")
    assert final.moves == [0] and mb.move_count == 1
    start = mbx.games.MARUBATSU.from_text("ox./.../...")
    final, _ = typed(["4", "undo", "undo", "8"], start, side="both")
    assert final.moves == [8] and start.moves == []
    final, out = typed(["hint", "go", "resign", "4"], mbx.games.MARUBATSU.from_text("ooo/xx./..."))
    assert final.status == 0 and out.count("the game is over") == 4


def test_all_commands(typed, tmp_path):
    file = tmp_path / "game.txt"
    lines = ["help", "1,1", "MOVES", "hint", f"save {file}", "go", "undo", "redo", "resign"]
    lines += [
        "resign",
        "undo",
        "new",
        f"load {file}",
        "r",
        "undo 3",
        "load",
        "",
        "?",
        "ünd",
        "quit",
    ]
    final, out = typed([*lines, "0,0"], seed=1)
    assert final.ply == 2 and final.moves[0] == 4
    for command in COMMANDS:
        assert command.name in out
    assert file.read_text() == write_game(final) + "\n"
    for text in (
        "try ",
        f"saved: {file}",
        "o resigns: x wins.",
        "the game is over",
        "'r' could be redo, resign",
        "undo stands alone",
        "load needs FILE",
        "no command '?': undo, redo",
        "no command 'ünd'",
    ):
        assert text in out, text


def test_saving_and_loading(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("keep")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 100)
    lines = ["4", "save there", "save no/folder", "save .", "load missing", "load there", "load ."]
    lines += ["load binary", "save a\0b", "save my game"]
    final, out = typed(lines, "connect-four", side="both")
    assert final.moves == [3] and (tmp_path / "my game").read_text() == "4\n"
    assert (tmp_path / "there").read_text() == "keep"
    assert "File exists: there" in out and "there holds no such game" in out
    assert len(out) < 5_000

    record = (tmp_path / "my game").read_text()
    monkeypatch.setattr("sys.stdin", io.StringIO("3\n"))
    arguments = ["play", "--game", "connect-four", "--side", "both", "--moves", record]
    assert main([*arguments, "--ai", "random"]) == 0
    final, _ = typed(["load my game", "load missing", "2"], "connect-four", side="both")
    assert final.moves == [3, 1]


def test_undo_across_the_moves_of_an_ai_that_begins(typed):
    final, out = typed(["undo", "4", "3", "undo", "undo", "undo"], "connect-four", side="second")
    assert final.ply == 1 and out.count("no move to take back") == 2


def test_two_persons_and_the_ai_alone(typed):
    final, out = typed(["0", "4", "1", "3", "2"], side="both")
    assert final.status == 0 and "o wins." in out and "plays" not in out
    final, out = typed([], ai="perfect", side="none")
    assert final.status == 2 and out.count("plays") == 10


# ---- the command ---------------------------------------------------------------------------------

MODULE = "import runpy, sys; sys.argv[0] = 'mbx'; runpy.run_module('mbx', run_name='__main__')"


@pytest.mark.parametrize("name", BY_NAME)
def test_named_games_through_pipes(run, name):
    game, rng = BY_NAME[name], random.Random(name)
    lines = [move_name(game, rng.randrange(game.n_moves)) for _ in range(2_000)]
    done = run(MODULE, "play", "--game", name, "--level", 1, "--seed", 1, input="\n".join(lines))
    assert re.search("o wins|x wins|draw", done.stdout) and done.stderr == ""
    assert "\x1b" not in done.stdout and "thinking" not in done.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--shape", "5x4", "--k", "3", "--gravity", "--moves", "11"],
        ["--position", "ox./.../..."],
        ["--game", "qubic", "--moves", "0,63"],
        ["--game", "score-four", "--time", "0.05", "--ai", "pmc"],
        ["--ai", "perfect", "--time", "1", "--side", "second"],
        ["--ai", "alphabeta", "--n", "3", "--game", "rittai-gomoku"],
        ["--ai", "random", "--side", "none", "--seed", "3"],
    ],
    ids=" ".join,
)
def test_options(run, options):
    done = run(MODULE, "play", *options, input="moves\n2\nundo\n")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--game", "chess"],
        ["--game", "qubic", "--k", "3"],
        ["--shape", "3x3"],
        ["--ai", "minimax"],
        ["--level", "1", "--n", "3"],
        ["--level", "9"],
        ["--time", "-1"],
        ["--ai", "perfect", "--level", "2"],
        ["--side", "third"],
        ["--moves", "4,4"],
        ["--seed", "-1"],
    ],
    ids=" ".join,
)
def test_mistakes_are_one_line_and_status_2(capsys, options):
    assert main(["play", *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1


# ---- a terminal ----------------------------------------------------------------------------------

OWN_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); " + MODULE


class Terminal:
    """`mbx play` on a pseudo-terminal that it is controlled by, so that Ctrl-C is a signal."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        import pty

        self._screen, end = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, "play", *arguments],
            stdin=end,
            stdout=end,
            stderr=end,
            start_new_session=True,
            env=os.environ | {"TERM": "xterm", "NO_COLOR": "", "PYTHONPATH": ""} | environment,
            cwd="/",
        )
        os.close(end)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._screen)

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def read(self, ends: str | tuple[str, ...] = "help): ", seconds: float = 30) -> str:
        """What appears on the screen, up to a text or one of several; (): until the end."""
        ends = (ends,) if isinstance(ends, str) else ends
        text, deadline = "", time.monotonic() + seconds
        while not any(end in text for end in ends):
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self._screen], [], [], left)[0], text
            try:
                read = os.read(self._screen, 65_536).decode()
            except OSError:  # the other end is closed
                break
            if not read:
                break
            text += read
        assert not ends or any(end in text for end in ends), text
        return text

    def status(self) -> int:
        return self.process.wait(30)


needs_a_terminal = pytest.mark.skipif(os.name != "posix", reason="uses pseudo-terminals")


@needs_a_terminal
def test_a_game_on_a_terminal():
    with Terminal("--ai", "perfect", "--side", "second", "--seed", "1") as terminal:
        screen = terminal.read()
        assert "\x1b[" in screen and "o plays" in screen
        for move in list(range(9)) * 9:  # the first legal one
            terminal.type(f"{move}\n")
            screen = terminal.read(("help): ", "quit: "))
            if "quit: " in screen:
                break
        assert "wins" in screen or "draw" in screen
        terminal.type("quit\n")
        assert terminal.status() == 0


@needs_a_terminal
@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_no_colours_where_none_are_wanted(environment):
    with Terminal(**environment) as terminal:
        assert "\x1b[3" not in terminal.read()
        terminal.type("1,1\n")
        assert "\x1b[3" not in terminal.read()


@needs_a_terminal
def test_ctrl_c_while_mcts_thinks_makes_it_play():
    with Terminal("--game", "connect-four", "--ai", "mcts", "--time", "60") as terminal:
        terminal.read()
        terminal.type("4\n")
        terminal.read("thinking")
        terminal.type("\x03")
        pressed = time.monotonic()
        assert "x plays" in terminal.read()
        assert time.monotonic() - pressed < 1
        terminal.type("hint\n")
        terminal.read("thinking")
        terminal.type("\x03")
        assert "try " in terminal.read()
        time.sleep(0.3)  # readline does not hear it between its prompt and its waiting
        terminal.type("\x03")
        assert "interrupted" in terminal.read(())
        assert terminal.status() == 130


@needs_a_terminal
def test_ctrl_c_while_alphabeta_thinks_makes_it_play():
    options = ["--game", "rittai-gomoku", "--side", "second", "--ai", "alphabeta", "--n", "20"]
    with Terminal(*options) as terminal:
        for keys in ("", "1,1\n", "hint\n"):
            terminal.type(keys)
            terminal.read("thinking")
            terminal.type("\x03")
            screen = terminal.read()
            assert ("try " if keys == "hint\n" else "o plays") in screen


@needs_a_terminal
@pytest.mark.parametrize("ai", ["perfect", "pmc"])
def test_ctrl_c_without_an_opinion_gives_the_prompt_back(ai):
    options = ["--game", "connect-four", "--side", "second", "--ai", ai, "--time", "60"]
    with Terminal(*options) as terminal:
        terminal.read("thinking")
        for keys in ("\x03", "go\n"):
            terminal.type(keys)
            if keys == "go\n":
                terminal.read("thinking")
                terminal.type("\x03")
            assert "stopped" in terminal.read("help): ")
        terminal.type("4\n")  # the AI's move, made for it
        assert "x to move" in terminal.read()
        terminal.type("4\n")
        terminal.read("thinking")  # and on it goes


@needs_a_terminal
def test_ctrl_c_stops_an_ai_that_plays_alone():
    with Terminal("--game", "rittai-gomoku", "--side", "none", "--time", "60") as terminal:
        terminal.read("thinking")
        terminal.type("\x03")
        assert "o plays" in terminal.read()
        terminal.type("undo\n")
        assert "o to move" in terminal.read()
        terminal.type("go\n")
        terminal.read("thinking")
        terminal.type("\x03")
        terminal.read()
        terminal.type("quit\n")
        assert terminal.status() == 0


@needs_a_terminal
def test_the_end_of_input_ends_the_game():
    with Terminal() as terminal:
        terminal.read()
        terminal.type("\x04")
        assert terminal.status() == 0
    assert main(["play", "--ai", "random", "--side", "none"]) == 0


def test_closed_input(run):
    code = "import sys, mbx; sys.stdin = None; print(mbx.play().ply)"
    assert run(code).stdout.splitlines()[-1] == "0"


def test_numpy_moves(typed):
    final, _ = typed(["0"], ai=lambda position: np.int32(8))
    assert final.moves == [0, 8]

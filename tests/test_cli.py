"""The command line, in processes of their own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mbx
from mbx.cli import main

MODULE = "import runpy, sys; sys.argv[0] = 'mbx'; runpy.run_module('mbx', run_name='__main__')"
WITHOUT_MATPLOTLIB = "import sys; sys.modules['matplotlib'] = None; " + MODULE
SHORT = ["converge", "--checkpoints", "100,10^3,1e4", "--seed", "1"]


def rows(text: str) -> list[list[str]]:
    """The lines of a table: those that begin with a number."""
    return [line.split() for line in text.splitlines() if re.match(r"\s*\d[\d,]*\s", line)]


def test_converge_prints_the_table_and_writes_the_picture(run, tmp_path):
    pytest.importorskip("matplotlib")
    out = run(MODULE, *SHORT).stdout
    result = mbx.convergence(mbx.games.MARUBATSU.start(), [100, 1_000, 10_000], seed=1)
    table = rows(out)
    assert [row[0] for row in table] == ["100", "1,000", "10,000"]
    for row, difference, expected in zip(table, result.difference[0], result.expected, strict=True):
        assert row[1:3] == [f"{100 * difference:.4f}%", f"{100 * expected:.4f}%"]
        assert len(row) == 5
    for word in ("playouts", "average difference", "expected", "seconds", "playouts/s"):
        assert word in out
    assert (tmp_path / "convergence.png").read_bytes().startswith(b"\x89PNG")
    assert "convergence.png" in out


def test_converge_without_matplotlib(run, tmp_path):
    done = run(WITHOUT_MATPLOTLIB, *SHORT)
    assert len(rows(done.stdout)) == 3 and "pip install" in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


def test_output_and_repeats(run, tmp_path):
    pytest.importorskip("matplotlib")
    run(MODULE, *SHORT, "--repeats", 3, "--threads", 2, "--output", "my.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["my.svg"]


@pytest.mark.parametrize(
    "options, game, moves",
    [
        (["--shape", "4x3", "--k", "4", "--gravity"], ((4, 3), 4, True), []),
        (["--shape", "2x2x2", "--k", "2"], ((2, 2, 2), 2), []),
        (["--moves", "4,0"], ((3, 3), 3), [4, 0]),
        (["--position", "x../.o./..."], ((3, 3), 3), [4, 0]),
        (
            ["--shape", "4x3", "--k", "4", "--gravity", "--moves", "1144"],
            ((4, 3), 4, True),
            [0, 0, 3, 3],
        ),
    ],
    ids=str,
)
def test_other_games_and_positions(run, options, game, moves):
    out = run(MODULE, *SHORT, "--no-plot", *options).stdout
    pos = mbx.Game(*game).position(moves)
    result = mbx.convergence(pos, [100, 1_000, 10_000], seed=1)
    found = [row[1] for row in rows(out)]
    assert found == [f"{100 * difference:.4f}%" for difference in result.difference[0]]


def test_a_game_without_exact_values(run):
    out = run(MODULE, *SHORT, "--no-plot", "--shape", "7x6", "--k", "4", "--gravity").stdout
    assert len(rows(out)) == 3 and "too large" in out


def test_tree(run):
    out = run(MODULE, "tree").stdout
    for text in ("549,946", "255,168", "127,872", "737/1260", "121/420", "8/63", "97/140"):
        assert text in out


def test_version_and_status(run):
    assert run(MODULE, "--version").stdout.split()[-1] == mbx.__version__
    done = run(MODULE, "nonsense", check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["converge", "--nonsense"],
        ["converge", "--shape", "3"],
        ["converge", "--shape", "3x3"],
        ["converge", "--shape", "0x3", "--k", "3"],
        ["converge", "--shape", "99x99", "--k", "3"],
        ["converge", "--k", "0"],
        ["converge", "--checkpoints", ""],
        ["converge", "--checkpoints", "10,5"],
        ["converge", "--checkpoints", "ten"],
        ["converge", "--checkpoints", "10**99"],
        ["converge", "--repeats", "0"],
        ["converge", "--seed", "-1"],
        ["converge", "--threads", "0"],
        ["converge", "--moves", "4,4"],
        ["converge", "--moves", "0,3,1,4,2"],
        ["converge", "--moves", "a"],
        ["converge", "--position", "xxx/.../..."],
        ["converge", "--no-plot", "--moves", "1", "--position", ".../.../..."],
        ["tree", "--shape", "15x15", "--k", "5"],
    ],
    ids=" ".join,
)
def test_mistakes_are_one_line_and_status_2(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["missing/folder.png", "picture.nonsense", "."])
def test_an_impossible_output_is_refused_before_the_work(capsys, tmp_path, monkeypatch, output):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert main(["converge", "--output", output]) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1


def test_the_command_is_installed(tmp_path):
    command = shutil.which("mbx", path=str(Path(sys.executable).parent))
    assert command is not None
    out = subprocess.check_output([command, *SHORT, "--no-plot"], cwd=tmp_path, text=True)
    assert len(rows(out)) == 3


def test_perft_prints_published_numbers(capsys):
    arguments = ["--shape", "7x6", "--k", "4", "--gravity", "--depth", "7"]
    assert main(["perft", *arguments]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["ply", "positions", "finished", "sequences", "games"] in lines
    positions = [line[1] for line in lines[-9:-1]]
    assert positions == ["1", "7", "49", "238", "1,120", "4,263", "16,422", "54,859"]
    assert main(["perft", "--symmetry"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == [
        *("all", "765", "138", "549,946", "255,168"),
    ]
    assert main(["perft", "--depth", "-1"]) == 2
    assert "depth must be from 0" in capsys.readouterr().err

"""mbx.info and mbx.bench: what runs here, and how fast."""

from __future__ import annotations

import dataclasses
import platform
import re
from fractions import Fraction

import numpy as np
import pytest

import mbx
from mbx.cli import main
from mbx.plain import Player
from mbx.tables import html_table, text_table

INFO = mbx.info()
FAST = {"seconds": 0.002}


@pytest.fixture(scope="module")
def result():
    return mbx.bench(["3x3", mbx.Game((4, 3), 3, True)], **FAST)


# -- info


def test_info_names_kernels_machine_and_versions():
    assert INFO.kernel in INFO.kernels and INFO.kernels[0] == "portable"
    assert INFO.version == mbx.__version__ and INFO.stream == mbx.STREAM
    assert platform.python_version() in INFO.python and INFO.numpy == np.__version__
    assert INFO.compiler and INFO.processor and INFO.cores >= 1
    assert all(isinstance(name, str) for name in INFO.instruction_sets)
    with pytest.raises(dataclasses.FrozenInstanceError):
        INFO.kernel = "portable"


def test_info_as_text_and_html():
    text, html = str(INFO), INFO._repr_html_()
    for value in (INFO.kernel, INFO.compiler, INFO.version, INFO.processor, str(INFO.cores)):
        assert value in text and value in html
    assert len(text.splitlines()) == 9


@pytest.mark.parametrize("kernel", INFO.kernels)
def test_the_environment_forces_the_kernel(run, kernel):
    out = run("import mbx; print(mbx.info().kernel)", env={"MBX_KERNEL": kernel}).stdout
    assert out == f"{kernel}\n"


# -- bench


def test_bench_measures_everything(result):
    n_games, n_kernels, n_threads = 2, len(INFO.kernels), len(result.threads)
    assert result.kernels == INFO.kernels and result.info == INFO
    assert result.games == [mbx.games.MARUBATSU, mbx.Game((4, 3), 3, True)]
    for name, shape in {
        "rates": (n_games, n_kernels),
        "thread_rates": (n_games, n_threads),
        "batch_rates": (n_games, 2),
        "scalar": (n_games,),
        "python": (n_games,),
        "ratio": (n_games,),
    }.items():
        array = getattr(result, name)
        assert array.shape == shape and array.dtype == np.float64 and (array > 0).all(), name
    assert all(1 < n <= INFO.cores for n in result.threads)
    assert len(result.calls) == 3 and all(0 < seconds < 60 for seconds in result.calls.values())
    assert (result.rates > result.python[:, np.newaxis]).all()
    assert np.allclose(result.ratio, result.rates[:, -1] / result.scalar)


def test_bench_as_text_and_html(result):
    text, html = str(result), result._repr_html_()
    for part in (*INFO.kernels, "3×3, k = 3", "4×3, k = 3, gravity", "scalar C", "Python"):
        assert part in text and part in html
    assert all(call in text for call in result.calls)
    assert html.count("<tr>") == 3 and "portable" in repr(result)


def test_bench_of_one_kernel(capsys):
    one = mbx.bench(["3x3"], kernels=["portable"], **FAST)
    assert one.kernels == ("portable",) and one.rates.shape == (1, 1)
    assert main(["bench", "--games", "3x3", "--seconds", "0.002", "--kernels", "portable"]) == 0
    assert "3×3" in capsys.readouterr().out


def test_kernels_are_ordered_from_the_slowest():
    assert mbx.bench(["3x3"], kernels=reversed(INFO.kernels), **FAST).kernels == INFO.kernels


def test_bench_reports_its_progress():
    calls = []
    mbx.bench(["3x3"], progress=lambda done, total: calls.append((done, total)), **FAST)
    done = [call[0] for call in calls]
    assert done == list(range(1, len(calls) + 1)) and {call[1] for call in calls} == {len(calls)}


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"games": "3x3"}, TypeError, "games"),
        ({"games": 3}, TypeError, "games"),
        ({"games": []}, ValueError, "games"),
        ({"games": ["3x3", "chess"]}, ValueError, "chess"),
        ({"games": [[3, 3]]}, TypeError, "games"),
        ({"kernels": "avx2"}, TypeError, "kernels"),
        ({"kernels": []}, ValueError, "kernels"),
        ({"kernels": ["fastest"]}, ValueError, "fastest"),
        ({"seconds": 0}, ValueError, "seconds"),
        ({"seconds": float("nan")}, ValueError, "seconds"),
        ({"seconds": float("inf")}, ValueError, "seconds"),
        ({"seconds": "1"}, TypeError, "seconds"),
        ({"progress": 3}, TypeError, "progress"),
    ],
)
def test_wrong_arguments_are_named(options, error, text):
    with pytest.raises(error, match=text):
        mbx.bench(**options)


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "--games", "chess"],
        ["bench", "--games", ""],
        ["bench", "--kernels", "fastest"],
        ["bench", "--seconds", "0"],
        ["bench", "--seconds", "soon"],
        ["info", "more"],
    ],
    ids=" ".join,
)
def test_mistakes_at_the_command_line(capsys, arguments):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1


def test_the_info_command(capsys):
    assert main(["info"]) == 0
    assert capsys.readouterr().out == f"{INFO}\n"


# -- the loop in plain Python


@pytest.mark.parametrize(
    "game",
    [mbx.games.MARUBATSU, mbx.Game((3, 3), 3, True), mbx.Game((2, 2, 2), 2), mbx.Game((3, 2), 4)],
    ids=repr,
)
def test_the_python_loop_plays_random_games(game):
    n = 20_000
    counts = np.array(Player(game).counts(n))
    assert counts.shape == (game.n_moves, 3) and counts.sum() == n
    for share, p in zip(
        counts.sum(axis=0) / n, mbx.outcome_probabilities(game.start()), strict=True
    ):
        assert abs(share - p) <= 4.5 * np.sqrt(p * (1 - p) / n)
    expected = Fraction(n, game.n_moves)
    assert (abs(counts.sum(axis=1) - float(expected)) <= 4.5 * np.sqrt(float(expected))).all()


def test_the_python_loop_is_deterministic_in_shape():
    assert Player(mbx.Game((1, 1), 1)).counts(3) == [[3, 0, 0]]


# -- tables


def test_tables_are_aligned_and_escaped():
    rows = [["name", "a", "long head"], ["x<y", "12,345", "1"]]
    assert text_table(rows) == ["name       a  long head", "x<y   12,345          1"]
    html = html_table("a & b", rows, ["less < more"])
    assert "x&lt;y" in html and "a &amp; b" in html and "less &lt; more" in html
    assert len(re.findall("<t[dh] ", html)) == 6

"""convergence(): prefixes of one run, and statistics computed a second time from its counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from article_boards import KINDS, ReaderMarubatsu

import mbx

CHECKPOINTS = [10, 100, 1_000, 20_000]


def run(pos=None, **options) -> mbx.Convergence:
    pos = mbx.games.MARUBATSU.start() if pos is None else pos
    return mbx.convergence(pos, CHECKPOINTS, **{"repeats": 3, "seed": 5} | options)


@pytest.fixture(scope="module")
def result():
    return run()


def test_shapes_and_exact_values(result):
    assert result.checkpoints.tolist() == CHECKPOINTS
    assert result.counts.shape == (3, 4, 9, 3) and result.counts.dtype == np.int64
    assert result.counts.sum(axis=(2, 3)).tolist() == [CHECKPOINTS] * 3
    assert result.moves == list(range(9))
    assert np.array_equal(result.exact, mbx.move_probabilities(mbx.games.MARUBATSU.start()))


def test_checkpoints_are_prefixes_of_one_run_and_repeats_are_rows(result):
    pos = mbx.games.MARUBATSU.start()
    for row, counts in enumerate(result.counts):
        for n, table in zip(CHECKPOINTS, counts, strict=True):
            expected = mbx.playout_counts(pos, n, seed=5, first_row=row)
            assert np.array_equal(table, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(result, threads):
    assert np.array_equal(run(threads=threads).counts, result.counts)


def test_the_seed_repeats_the_run(result):
    assert np.array_equal(run(seed=result.seed).counts, result.counts)
    fresh = run(seed=None)
    assert np.array_equal(run(seed=fresh.seed).counts, fresh.counts)
    assert not np.array_equal(fresh.counts, result.counts)


def test_statistics(result):
    """Share by share, in plain Python."""
    inside = np.zeros(4)
    for c in range(4):
        expected, shares = [], 0
        for r in range(3):
            diffs = []
            for m in range(9):
                n = int(result.counts[r, c, m].sum())
                for o in range(3):
                    p = float(result.exact[m, o])
                    share = result.counts[r, c, m, o] / n if n else 0.0
                    diffs.append(abs(share - p))
                    assert result.shares[r, c, m, o] == pytest.approx(share, abs=1e-15)
                    if n:
                        error = math.sqrt(p * (1 - p) / n)
                        expected.append(math.sqrt(2 / math.pi) * error)
                        inside[c] += abs(share - p) <= 1.96 * error
                        shares += 1
            assert result.difference[r, c] == pytest.approx(sum(diffs) / 27)
        inside[c] /= shares
        if shares == 81:
            assert result.expected[c] == pytest.approx(sum(expected) / len(expected))
    assert result.coverage == pytest.approx(inside)
    n = result.counts.sum(axis=3).mean(axis=0)[3, 4]
    p = result.exact[4, 0]
    assert result.standard_error.shape == (4, 9, 3)
    assert result.standard_error[3, 4, 0] == pytest.approx(math.sqrt(p * (1 - p) / n))


def test_the_law_of_large_numbers():
    """Over many repeats coverage is 95 %, and the mean difference its expected size."""
    many = mbx.convergence(mbx.games.MARUBATSU.start(), [2_000, 50_000], repeats=200, seed=1)
    shares = 200 * 27
    assert abs(many.coverage - 0.95).max() < 5 * math.sqrt(0.05 * 0.95 / shares * 2) + 0.002
    ratio = many.difference.mean(axis=0) / many.expected
    assert abs(ratio - 1).max() < 0.03
    low, high = many.difference_band
    inside = ((many.difference >= low) & (many.difference <= high)).mean(axis=0)
    assert (abs(inside - 0.95) < 0.08).all()


def test_a_game_too_large_for_exact_values():
    result = run(mbx.games.CONNECT_FOUR.start())
    assert result.exact is None and result.difference is None and result.coverage is None
    assert result.counts.shape == (3, 4, 7, 3)
    assert str(result) and result._repr_html_()


@pytest.mark.parametrize("kind", KINDS[::4], ids=lambda kind: kind.moves)
def test_a_readers_object(kind):
    mb = ReaderMarubatsu(kind, [(1, 1), (0, 1)])
    twin = mbx.Marubatsu()
    twin.move((1, 1))
    twin.move((0, 1))
    mine, other = run(mb), run(twin)
    assert mine.moves == mb.calc_legal_moves() and other.moves == twin.calc_legal_moves()
    assert np.array_equal(mine.counts, other.counts) and np.array_equal(mine.exact, other.exact)
    assert np.array_equal(mine.exact, mbx.move_probabilities(mb))


def test_text_shows_a_line_for_every_checkpoint(result):
    lines = str(result).splitlines()
    for n, difference in zip(CHECKPOINTS, result.difference.mean(axis=0), strict=True):
        assert any(f"{n:,}" in line and f"{100 * difference:.4f}%" in line for line in lines)
    assert "<table" in result._repr_html_()


def test_progress_reaches_the_end():
    calls = []
    run(progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls)
    assert not calls or calls[-1] == (3 * CHECKPOINTS[-1],) * 2


@pytest.mark.parametrize(
    "checkpoints", [[], [0], [-1], [10, 10], [20, 10], [2**64], [1, 10**30]], ids=str
)
def test_wrong_checkpoints_are_value_errors(checkpoints):
    with pytest.raises(ValueError, match="checkpoint"):
        mbx.convergence(mbx.games.MARUBATSU.start(), checkpoints)


@pytest.mark.parametrize("checkpoints", [None, 10, [1.5], ["10"]])
def test_checkpoints_are_ints(checkpoints):
    with pytest.raises(TypeError):
        mbx.convergence(mbx.games.MARUBATSU.start(), checkpoints)


@pytest.mark.parametrize("repeats", [0, -1])
def test_repeats_are_positive(repeats):
    with pytest.raises(ValueError, match="repeats"):
        run(repeats=repeats)


def test_a_finished_position_has_nothing_to_converge():
    with pytest.raises(mbx.GameOverError):
        run(mbx.games.MARUBATSU.position([0, 3, 1, 4, 2]))


@pytest.mark.parametrize("game", [mbx.games.MARUBATSU, mbx.games.CONNECT_FOUR], ids=repr)
def test_pictures(game, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    result = run(game.start())
    axes = Figure().subplots(2)
    monkeypatch.setattr(pyplot, "figure", lambda *a, **k: pytest.fail("opened a figure"))
    for ax, plot in zip(axes, (result.plot, result.plot_shares), strict=True):
        assert plot(ax=ax) is ax
        assert ax.get_xscale() == "log" and len(ax.lines) > 0
    assert axes[0].get_yscale() == "log"
    monkeypatch.undo()
    ax = result.plot()
    assert ax.figure.number in pyplot.get_fignums()
    pyplot.close("all")

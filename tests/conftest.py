"""The tests run against the installed package, never against the source folder beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != ROOT]

import mbx  # noqa: E402

if Path(mbx.__file__).resolve().parent == ROOT / "mbx":
    pytest.exit(f"the source folder {ROOT / 'mbx'} shadows mbx: pip install '.[test]'", 1)


@pytest.fixture
def source() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture
def run(tmp_path):
    """run(code, *arguments) executes code in a fresh interpreter, away from the sources."""

    def run(code: str, *arguments: object, check: bool = True, **options):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            cwd=tmp_path,
            env=environment | options.pop("env", {}),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            **options,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def marubatsu_tree():
    """The whole tree of 3x3, breadth first."""
    return mbx.build_tree(mbx.games.MARUBATSU.start())

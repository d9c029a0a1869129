"""What `import mbx` does and does not, and that names, stubs, versions and docstrings agree."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
import shutil
import sys
import types
from pathlib import Path

import pytest

import mbx

PACKAGE = Path(mbx.__file__).parent
PUBLIC = [
    "Game",
    "Position",
    "games",
    "Graph",
    "build_tree",
    "outcome_probabilities",
    "move_probabilities",
    "playout_counts",
    "playout_games",
    "convergence",
    "solve",
    "Solver",
    "SolveResult",
    "bench",
    "info",
    "Marubatsu",
    "Mbtree",
    "playout",
    "analyze_playout",
    "IllegalMoveError",
    "GameOverError",
    "TooLargeError",
    "STREAM",
]
DOCUMENTED = [name for name in mbx.__all__ if name != "STREAM"]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names(name):
    assert hasattr(mbx, name) and name in mbx.__all__


def test_all_is_true():
    assert len(set(mbx.__all__)) == len(mbx.__all__)
    for name in mbx.__all__:
        assert hasattr(mbx, name), name
    visible = {
        name
        for name, value in vars(mbx).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert visible - set(mbx.__all__) <= {"annotations"}


def members(value):
    """A public object, and the public functions, classes and properties inside it."""
    yield value
    if inspect.isclass(value):
        for name in dir(value):
            if not name.startswith("_"):
                part = inspect.getattr_static(value, name)
                if callable(part) or inspect.isdatadescriptor(part):
                    inherited = any(name in vars(base) for base in (BaseException, dict, tuple))
                    if not inherited:
                        yield part


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_name_has_a_docstring(name):
    value = getattr(mbx, name)
    for part in members(value):
        if isinstance(part, types.MemberDescriptorType):
            continue  # a slot or a field: described by its class
        assert (inspect.getdoc(part) or "").strip(), part


def test_names_that_load_later(run):
    code = """
import sys
import mbx
assert {"bench", "info", "Benchmark", "Info"} <= set(dir(mbx))
assert "mbx.benchmark" not in sys.modules and "mbx.machine" not in sys.modules
assert mbx.info() == mbx.info() and isinstance(mbx.info(), mbx.Info)
assert mbx.bench is mbx.bench and mbx.Benchmark.__name__ == "Benchmark"
try:
    mbx.nonsense
except AttributeError as error:
    print(error)
"""
    assert run(code).stdout == "module 'mbx' has no attribute 'nonsense'\n"


def test_light_import(run):
    code = """
import sys
import mbx
print([m for m in ("matplotlib", "IPython", "tqdm", "anywidget", "ipywidgets", "pandas", "dask",
                   "scipy") if m in sys.modules])
"""
    assert run(code).stdout == "[]\n"


def test_versions_agree():
    version = importlib.metadata.version("marubatsu-mbx")
    assert version == mbx.__version__ and re.match(r"\d+\.\d+", version)
    assert mbx.STREAM == 1


def test_the_stream_is_a_constant_of_the_core():
    assert isinstance(mbx.STREAM, int)


def test_the_unbuilt_source_folder_says_what_to_do(run, tmp_path, source):
    if not (source / "mbx").is_dir():
        pytest.skip("no source folder")
    ignore = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(source / "mbx", tmp_path / "mbx", ignore=ignore)
    done = run("import mbx", check=False)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError") and "pip install" in last


def test_typing_files_are_installed():
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()


def test_the_stub_names_what_the_core_has():
    core = sys.modules["mbx._core"]
    tree = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
    stub = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            stub[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            stub[node.target.id] = node
    ours = {name for name in vars(core) if not name.startswith("__")}
    told = {name for name in stub if not name.startswith("__")}
    assert told == ours
    for name, node in stub.items():
        if isinstance(node, ast.ClassDef) and hasattr(core, name):
            found = {part for part in vars(getattr(core, name)) if not part.startswith("_")}
            told = {
                part.target.id if isinstance(part, ast.AnnAssign) else part.name
                for part in node.body
                if isinstance(part, ast.AnnAssign | ast.FunctionDef)
            }
            assert {part for part in told if not part.startswith("_")} == found, name

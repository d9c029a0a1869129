"""The notebooks are stored as they run: executed, with pictures, and with the outputs of today.

A cell whose output differs from run to run (timings) has the tag "varies".  After a change that is
meant, `python tests/test_notebooks.py` runs the notebooks and stores their new outputs.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

REASON = "the notebooks run with nbclient and ipykernel: pip install '.[test]'"
nbformat = pytest.importorskip("nbformat", reason=REASON)
nbclient = pytest.importorskip("nbclient", reason=REASON)
pytest.importorskip("ipykernel", reason=REASON)
pytest.importorskip("matplotlib.font_manager", reason="the notebooks draw with matplotlib")

from jupyter_client import AsyncKernelManager  # noqa: E402
from jupyter_client.kernelspec import KernelSpec  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MAX_BYTES = 700_000
PLACES = (f"{Path.home()}/", "/home/", "/tmp/", "/Users/", "C:\\\\")  # of one machine


class ThisInterpreter(AsyncKernelManager):
    """Starts the interpreter that runs the tests, whatever kernels are registered."""

    @property
    def kernel_spec(self) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="Python 3", language="python")


def read(path: Path):
    return nbformat.read(path, as_version=4)


def execute(path: Path, folder: Path):
    """The notebook, executed in a copy of its folder; its metadata as stored."""
    work = shutil.copytree(path.parent, folder / "notebooks")
    environment = {k: v for k, v in os.environ.items() if k not in ("MPLBACKEND", "PYTHONPATH")}
    notebook = read(path)
    nbclient.NotebookClient(
        notebook,
        kernel_manager_class=ThisInterpreter,
        resources={"metadata": {"path": str(work)}},
        timeout=120,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
    ).execute(env=environment | {"IPYTHONDIR": str(folder / "ipython")})
    notebook.metadata = read(path).metadata
    return notebook


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(cell) -> list:
    """What a cell put out: kinds and texts; of pictures and where the text varies, kinds only."""
    varies = "varies" in cell.metadata.get("tags", [])
    found = []
    for output in cell.outputs:
        data = {output.name: output.text} if output.output_type == "stream" else output.data
        for kind, text in sorted(data.items()):
            found.append((kind, "" if varies or kind.startswith("image/") else text))
    return found


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request) -> Path:
    return request.param


def test_there_are_notebooks():
    assert NOTEBOOKS


def test_stored_as_executed(path):
    notebook = read(path)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    kinds = [kind for cell in cells for kind, _ in outputs(cell)]
    assert "image/png" in kinds and "stderr" not in kinds


def test_stored_for_every_machine(path):
    notebook = read(path)
    assert notebook.metadata.kernelspec.name == "python3"
    assert "widgets" not in notebook.metadata
    assert not any("execution" in cell.metadata for cell in notebook.cells)
    text = path.read_text(encoding="utf-8")
    assert not [place for place in PLACES if place in text]
    assert len(text.encode()) < MAX_BYTES


def test_runs_and_repeats_its_outputs(path, tmp_path):
    stored, fresh = code_cells(read(path)), code_cells(execute(path, tmp_path))
    for before, now in zip(stored, fresh, strict=True):
        assert outputs(now) == outputs(before), f"cell {now.id}"


if __name__ == "__main__":
    for stored_path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as scratch:
            nbformat.write(execute(stored_path, Path(scratch)), stored_path)

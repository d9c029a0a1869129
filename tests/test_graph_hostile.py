"""Files of position graphs whose checksum is right and whose content is not; odd arguments."""

from __future__ import annotations

import hashlib
import json
import struct
import time

import numpy as np
import pytest

import mbx

PREFIX = struct.Struct("<8sII")


def forge(path, change) -> None:
    """Rewrite a file: change(header, body) alters the header and the bytes of the columns."""
    data = path.read_bytes()[:-32]
    magic, version, length = PREFIX.unpack_from(data)
    header = json.loads(data[PREFIX.size : PREFIX.size + length])
    body = bytearray(data[PREFIX.size + length :])
    change(header, body)
    text = json.dumps(header).encode()
    text += b" " * (-(PREFIX.size + len(text)) % 64)
    content = PREFIX.pack(magic, version, len(text)) + text + body
    path.write_bytes(content + hashlib.sha256(content).digest())


def replace_status(graph, value: int):
    """A change that sets all statuses to a value."""
    old = graph.status.tobytes()

    def change(header, body):
        at = bytes(body).rfind(old)
        body[at : at + len(old)] = np.full(len(old), value, np.int8).tobytes()

    return change


@pytest.mark.parametrize("value", [-16, -2, 3, 7, 0, 2])
def test_wrong_statuses_are_refused(value, tmp_path):
    graph = mbx.build_graph(mbx.games.MARUBATSU.start())
    path = tmp_path / "graph"
    graph.save(path)
    forge(path, replace_status(graph, value))
    with pytest.raises(ValueError, match="tree or graph"):
        mbx.Graph.load(path)


def test_positions_in_play_at_the_end_are_refused(tmp_path):
    graph = mbx.build_graph(mbx.games.MARUBATSU.start())
    path = tmp_path / "graph"
    graph.save(path)
    forge(path, replace_status(graph, -1))
    with pytest.raises(ValueError, match="last layer"):
        mbx.Graph.load(path)


def test_many_layers_of_few_bits_cost_no_time(tmp_path):
    graph = mbx.build_graph(mbx.Game((15, 15), 1).start(), symmetry=True)
    path = tmp_path / "graph"
    graph.save(path)

    def change(header, body):
        header["n_layers"] = 6
        entry = {"dtype": "|u1", "shape": [1]}
        more = [{"name": f"bits {depth}", **entry} for depth in range(2, 6)]
        header["columns"] += more
        body += bytes(64 * len(more))

    forge(path, change)
    started = time.process_time()
    with pytest.raises(ValueError, match="tree or graph"):
        mbx.Graph.load(path)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("board", [10**30] * 9),
        ("board", [0] * 9),
        ("n_layers", 0),
        ("n_layers", "2"),
        ("n_layers", 11),
        ("symmetry", True),
        ("columns", []),
        ("columns", [{"name": "bits 0", "dtype": "|O8", "shape": [1]}]),
        ("kind", "other"),
    ],
)
def test_wrong_headers_are_refused(field, value, tmp_path):
    path = tmp_path / "graph"
    mbx.build_graph(mbx.games.MARUBATSU.start()).save(path)
    forge(path, lambda header, body: header.update({field: value}))
    with pytest.raises(ValueError, match="tree or graph"):
        mbx.Graph.load(path)


def test_an_unchanged_file_that_is_written_anew_loads(tmp_path):
    path = tmp_path / "graph"
    graph = mbx.build_graph(mbx.games.MARUBATSU.start())
    graph.save(path)
    forge(path, lambda header, body: None)
    loaded, _, _ = mbx.Graph.load(path)
    assert np.array_equal(loaded.probabilities, graph.probabilities)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64])
def test_chances_of_numpy_types_are_exact(dtype):
    position = mbx.games.MARUBATSU.position([4, 0, 8])

    def first_move(pos):
        return np.eye(len(pos.legal_moves), dtype=dtype)[0]

    exact = mbx.outcome_probabilities(position, first_move, first_move, exact=True)
    assert exact == mbx.outcome_probabilities(
        position,
        lambda pos: int(pos.legal_moves[0]),
        lambda pos: int(pos.legal_moves[0]),
        exact=True,
    )
    assert all(type(chance.numerator) is int for chance in exact)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"table_bytes": -1}, ValueError),
        ({"table_bytes": "a"}, TypeError),
        ({"progress": "x"}, TypeError),
    ],
)
def test_solve_looks_at_its_arguments_on_small_boards_too(options, error):
    with pytest.raises(error, match=next(iter(options))):
        mbx.solve(mbx.games.MARUBATSU.start(), **options)


def test_more_plies_than_layers_can_have_is_said_so():
    with pytest.raises(mbx.TooLargeError, match="30 open cells"):
        mbx.build_graph(mbx.Game((1, 30), 4, gravity=True).start())

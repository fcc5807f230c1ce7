"""Pipes and standard input as arguments, and paths that are no files."""

import gzip
import io
import json
import os
import sys
import tempfile
import threading
import types
from pathlib import Path

import pytest

from keras_rankmetrics.command import evaluating
from keras_rankmetrics.command.printing import Progress
from keras_rankmetrics.files import blocks
from keras_rankmetrics.files.blocks import short_names
from krm_command import main

QRELS = "".join(
    f"q{q} 0 d{d} {int(q == d)}\n" for q in range(4) for d in (0, 1)
)
LINES = [
    f"q{q} Q0 d{d} 1 {d * 10 + q % 2} t\n" for q in range(4) for d in (0, 1)
]
RUN = "".join(LINES)
APART = "".join(LINES[::2] + LINES[1::2])
TWICE = RUN + LINES[0]
TABLE = "query,item,score\n" + "".join(
    f"{q},{i},{s}\n" for q, _, i, _, s, _ in map(str.split, LINES)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


@pytest.fixture
def through(folder):
    """Make a path whose data can be read once."""
    writers = []

    def made(data, name):
        os.mkfifo(name)
        writer = threading.Thread(target=wrote, args=(name, data))
        writer.start()
        writers.append(writer)
        return name

    yield made
    for writer in writers:
        writer.join(timeout=10)


def wrote(path, data):
    try:
        with open(path, "wb") as file:
            file.write(data)
    except BrokenPipeError:  # the command refused it
        pass


@pytest.fixture
def stdin(monkeypatch):
    def given(data):
        stream = types.SimpleNamespace(buffer=io.BytesIO(data))
        monkeypatch.setattr(sys, "stdin", stream)

    return given


def table_of(capsys, *arguments):
    code = main(["eval", *arguments, "-m", "NDCG RR", "--format", "json"])
    out, error = capsys.readouterr()
    assert not code, error
    return {
        name: [cell["value"] for cell in cells.values()]
        for name, cells in json.loads(out)["systems"].items()
    }


def error_of(capsys, *arguments):
    assert main(["eval", *arguments, "-m", "RR"]) == 2
    out, error = capsys.readouterr()
    assert not out
    return error.removeprefix("krm: ").removesuffix("\n")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("text", [RUN, APART, TABLE, "# run\n\n" + RUN])
def test_pipes_are_read_as_files_are(
    folder, capsys, through, stdin, pack, text
):
    Path("file").write_bytes(pack(text.encode()))
    [expected] = table_of(capsys, "qrels", "file").values()
    data = pack(text.encode())
    found = table_of(capsys, "qrels", through(data, "fifo"))
    assert found == {"fifo": expected}
    stdin(data)
    assert table_of(capsys, "qrels", "-") == {"stdin": expected}


def test_judgements_and_several_runs_through_pipes(
    folder, capsys, through, stdin
):
    expected = table_of(capsys, "qrels", "run")["run"]
    qrels = through(QRELS.encode(), "truth")
    one, two = (through(RUN.encode(), name) for name in ("one.txt", "two.txt"))
    stdin(RUN.encode())
    found = table_of(capsys, qrels, one, "-", two, "--baseline", "stdin")
    assert found == dict.fromkeys(["stdin", "one", "two"], expected)
    stdin(QRELS.encode())
    assert table_of(capsys, "-", "run") == {"run": expected}


def test_parquet_through_a_pipe(folder, capsys, stdin):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet as pq

    query, _, item, _, score, _ = zip(*map(str.split, LINES), strict=True)
    columns = {"query": query, "item": item, "score": list(map(float, score))}
    data = io.BytesIO()
    pq.write_table(pa.table(columns), data)
    stdin(data.getvalue())
    assert [*table_of(capsys, "qrels", "-", "run").values()] == [
        *table_of(capsys, "qrels", "run", "run").values()
    ] * 2


def test_errors_in_pipes_have_lines(folder, capsys, through, stdin):
    stdin(TWICE.encode())
    assert error_of(capsys, "qrels", "-").startswith(
        "stdin, line 9: An item should occur once in the list of a query. "
        "Received: 'item d0 of query q0, as in line 1'."
    )
    path = through((RUN + "x\n").encode(), "fifo")
    assert error_of(capsys, "qrels", path).startswith("fifo, line 9: A line")


def test_an_endless_pipe_is_refused_at_once(folder, capsys):
    if not os.path.exists("/dev/zero"):
        pytest.skip("no /dev/zero on this platform")
    said = error_of(capsys, "qrels", "/dev/zero")
    assert said.startswith("/dev/zero, line 1: A line should have 65,536 bytes")


@pytest.mark.parametrize("wrong", [False, True])
def test_what_was_kept_is_removed(folder, capsys, stdin, monkeypatch, wrong):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "kept"))
    Path("kept").mkdir()
    files = []
    kept = tempfile.TemporaryFile
    monkeypatch.setattr(
        blocks.tempfile,
        "TemporaryFile",
        lambda: files.append(kept()) or files[-1],
    )
    stdin((RUN + "x" * wrong).encode())
    assert main(["eval", "qrels", "-", "-m", "RR"]) == 2 * wrong
    capsys.readouterr()
    assert [file.closed for file in files] == [True]
    assert not list(Path("kept").iterdir())


@pytest.mark.parametrize("arguments", [["-", "-"], ["-", "/dev/stdin"]])
def test_one_argument_may_read_standard_input(
    folder, capsys, stdin, monkeypatch, arguments
):
    stdin(QRELS.encode())
    monkeypatch.setattr(evaluating, "is_pipe", lambda path: path in arguments)
    said = error_of(capsys, *arguments)
    assert said == (
        "stdin: Only one argument should read this pipe. Received: 'two "
        "arguments'. Write its contents to a file, and pass that file."
    )


NAMES = [
    (["-", "runs/a.txt"], ["stdin", "a.txt"]),
    (["/dev/stdin"], ["stdin"]),
    (["/dev/fd/63", "/proc/self/fd/12", "a"], ["pipe1", "pipe2", "a"]),
    (["/dev/fd/0"], ["stdin"]),
]


@pytest.mark.parametrize("paths, names", NAMES)
def test_names_of_pipes(paths, names):
    assert short_names(paths) == names


PATHS = {
    "folder": "folder: The path should be a file. Received: 'a directory'. "
    "Pass a file in that directory.",
    "none": "none: The file should exist. Received: 'no such file'. Check "
    "the path. A relative one starts at the current directory.",
    "/none/at/all": "/none/at/all: The file should exist. Received: 'no such "
    "file'. Check the path. A relative one starts at the current directory.",
}


@pytest.mark.parametrize("path", PATHS)
def test_paths_that_are_no_files(folder, capsys, path):
    Path("folder").mkdir()
    assert error_of(capsys, "qrels", path) == PATHS[path]
    assert error_of(capsys, path, "run") == PATHS[path]


REFUSED = [
    (PermissionError(13, "Permission denied"), "'no permission'. Allow your"),
    (OSError(5, "Input/output error"), "'Input/output error'. Copy it"),
]


@pytest.mark.parametrize("error, said", REFUSED)
def test_files_that_the_system_refuses(
    folder, capsys, monkeypatch, error, said
):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(blocks, "open", refuse, raising=False)
    found = error_of(capsys, "qrels", "run")
    expected = "qrels: The file should be readable. Received: "
    assert found.startswith(expected + said)


def test_standard_input_that_is_closed(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    said = error_of(capsys, "qrels", "-")
    assert said.startswith("stdin: Standard input should be open. Received")


def test_the_bar_of_a_pipe_counts_bytes(folder, monkeypatch, capsys):
    monkeypatch.setattr("time.monotonic", iter(range(1, 9)).__next__)
    progress = Progress(["run", "-"], is_shown=True)
    progress.watch("-")(2_500_000)
    assert capsys.readouterr().err.endswith("2.5 MB -")
    progress.watch("run")(Path("run").stat().st_size)
    assert "100% run" in capsys.readouterr().err

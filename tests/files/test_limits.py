"""Files that would fill the memory, and are refused before they do."""

import gzip
import subprocess
import sys
import tracemalloc

import pytest
from test_reading import judgements_of, rows_of, run_of

from keras_rankmetrics.files import FileError, blocks
from keras_rankmetrics.files.blocks import LINE, Source
from keras_rankmetrics.files.runs import chunks_of_file, whole_queries

MOST = 2**26  # bytes of memory

TREC, HEADER = b"q Q0 d 1 1 t\n", b"query,item,score\n"
OBJECT = b'{"query": "q", "item": "d", "score": 1}\n'
# The start of a file, what is repeated after it, and the line of the error.
BOMBS = {
    "first.gz": (b"", b"a", "line 1: A line"),
    "zeros.gz": (b"", b"\0", "line 1: A line"),
    "comment.gz": (b"#", b"#", "line 1: A line"),
    "later.gz": (TREC * 3, b"a ", "line 4: A line"),
    "header.csv.gz": (b"query,item,score", b",", "line 1: A line"),
    "row.csv.gz": (HEADER, b"1,", "line 2: A line"),
    "quoted.csv.gz": (HEADER + b'q,"', b"d", "line 2: A line"),
    "lines.csv.gz": (HEADER + b'q,d,1\nq,"', b"d\n", "line 3: A row"),
    "fields.csv.gz": (HEADER + b'q,"', b'\n","', "line 2: A row"),
    "first.jsonl.gz": (b'{"query": "', b"a", "line 1: A line"),
    "later.jsonl.gz": (OBJECT + b'{"query": "', b"a", "line 2: A line"),
    "deep.jsonl.gz": (OBJECT + b'{"query": ', b"[", "line 2: A line"),
}


def packed(path, start, unit, size):
    data = start + unit * (size // len(unit))
    path.write_bytes(gzip.compress(data, 1))
    return path


@pytest.fixture
def read_so_far(monkeypatch):
    """How many bytes of files have been unpacked, after their first lines."""
    found = []
    pieces = blocks.pieces_of

    def counted(*arguments):
        for data in pieces(*arguments):
            found.append(len(data))
            yield data

    monkeypatch.setattr(blocks, "pieces_of", counted)
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_long_lines_are_refused_at_once(tmp_path, name, read_so_far):
    start, unit, message = BOMBS[name]
    path = packed(tmp_path / name, start, unit, 2**24)
    for read in (run_of, judgements_of):
        read_so_far.clear()
        tracemalloc.start()
        with pytest.raises(FileError) as error:
            rows_of(read, path, label="score", score="score")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        if read is run_of:
            assert f"{name}, {message} should have {LINE:,}" in str(error.value)
        assert sum(read_so_far) <= 2 * blocks.BLOCK
        assert most < MOST


@pytest.mark.parametrize("size", [100, 2**15, blocks.BLOCK])
@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("lines", [0, 7000])
def test_the_longest_line(tmp_path, monkeypatch, size, more, lines):
    """It is the same wherever blocks end."""
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (size,))
    if size < 2**15 and lines:
        return  # the same, but slow
    before = b"".join(b"q Q0 d%d 1 1 t\n" % n for n in range(lines))
    long = b"q Q0 x 1 1 ".ljust(LINE + more, b"t")
    path = tmp_path / "run"
    for end in (b"\n", b"", b"\nq Q0 y 1 1 t\n"):
        path.write_bytes(before + long + end)
        if more:
            with pytest.raises(FileError, match=f"line {lines + 1}: A line"):
                rows_of(run_of, path)
        else:
            assert rows_of(run_of, path)[lines] == ("q", "x", 1.0)


def wide_rows(number, queries):
    for row in range(number):
        query = row * queries // number
        item = b"d" * 1024 if not row else b"%d" % row
        yield b"%d" % query, item


TEXTS = {
    "run": (b"", b"%b 0 %b 1 1 t\n", b"x\n"),
    "run.csv": (HEADER, b"%b,%b,1\n", b"x\n"),
    "quoted.csv": (HEADER, b'%b,"%b",1\n', b"x\n"),
    "run.jsonl": (b"", b'{"query":%b,"item":"%b","score":1}\n', b"x\n"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_long_id_widens_only_the_rows_around_it(tmp_path, name):
    start, form, end = TEXTS[name]
    number = 40_000 if name in ("run", "run.csv") else 4_000
    rows = list(wide_rows(number, 400))
    text = start + b"".join(form % row for row in rows)
    path = tmp_path / name
    path.write_bytes(text)
    found = rows_of(run_of, path)
    expected = [(q.decode(), i.decode(), 1.0) for q, i in rows]
    assert found == expected
    path.write_bytes(text + end)
    tracemalloc.start()
    with pytest.raises(
        FileError, match=f"line {number + 1}:|line {number + 2}:"
    ):
        for _ in run_of(str(path), {}, lambda done: None):
            pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST


def test_a_long_field_in_place_of_an_item(tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes(b"q %b 0 1\n" % (b"d" * 60_000) + b"q d 0 1\n" * 100_000)
    tracemalloc.start()
    with pytest.raises(FileError, match="second and the third field"):
        rows_of(judgements_of, path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST


def test_long_ids_make_smaller_chunks(tmp_path):
    path = tmp_path / "run"
    rows = list(wide_rows(40_000, 400))
    path.write_bytes(b"".join(b"%b 0 %b 1 1 t\n" % row for row in rows))
    source = Source(str(path), "score", {})
    chunks = list(chunks_of_file(source))
    seen = [set(chunk.query.tolist()) for chunk in chunks]
    assert sum(map(len, seen)) == 400  # no query is in two of them
    assert sum(len(chunk.query) for chunk in chunks) == 40_000
    assert max(chunk.item.nbytes for chunk in chunks) < 2**24 < 40_000 * 1024
    assert [*map(len, next(whole_queries(source, []))[:4])] == [0] * 4


def test_deep_json_is_no_object(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(OBJECT + b'{"query": ' + b"[" * 50_000 + b"\n")
    with pytest.raises(FileError, match="line 2: A line should be a JSON"):
        rows_of(run_of, path)


def test_what_is_received_is_cut_before_it_is_shown():
    tracemalloc.start()
    error = FileError("run", "Expected.", b"a" * 2**25)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(str(error)) < 200 and most < 2**25 + 2**20


@pytest.mark.parametrize("longest", [1000, 2**25])
def test_parquet_with_large_values(tmp_path, longest):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet as pq

    items = [f"d{n}".ljust(min(longest, 500)) for n in range(2000)]
    items[-1] = "d" * longest
    table = {"query": ["q"] * 2000, "item": items, "score": [1.0] * 2000}
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table(table), path, compression="zstd")
    if longest == 1000:
        assert len(rows_of(run_of, path)) == 2000
        return
    before = pa.default_memory_pool().bytes_allocated()
    with pytest.raises(FileError, match=r"'3[0-9],.*smaller row groups"):
        rows_of(run_of, path)
    assert pa.default_memory_pool().bytes_allocated() - before < 2**20


KRM = [sys.executable, "-m", "krm_command", "eval"]
MEASURED = f"""
import resource, subprocess, sys
subprocess.run({KRM!r} + sys.argv[1:] + ["-m", "RR"], capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def memory_of(*arguments):
    """The memory of the process of the command at its peak, in MiB."""
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(ran.stdout) / (2**20 if sys.platform == "darwin" else 2**10)


@pytest.mark.long
def test_the_memory_of_the_process(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(b"q 0 d 1\n")
    run.write_bytes(TREC)
    small = {"later.gz": TREC, "later.jsonl.gz": OBJECT}
    for name in ("later.gz", "fields.csv.gz", "later.jsonl.gz"):
        start, unit, _ = BOMBS[name]
        path = packed(tmp_path / name, start, unit, 2**28)
        found = memory_of(qrels, path)
        # A small file of the same format, so that both have pyarrow. Objects of
        # a block take 26 to 33 MiB by the allocator, and the file has 256.
        path.write_bytes(small.get(name, HEADER + b"q,d,1\n"))
        assert found - memory_of(qrels, path) < MOST / 2**20, name
    plain = memory_of(qrels, run)
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"{}\n" * 2**22)
    assert memory_of(qrels, path) - plain < 100

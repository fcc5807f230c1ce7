"""Runs and judgements from files of all formats, and what is wrong in them."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.comparing.forms import File
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.files import (
    FileError,
    QueriesReturnError,
    blocks,
)
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.files.runs import (
    chunks_of_file,
    once,
    whole_queries,
)
from keras_rankmetrics.tables.item_rows import Part

ROWS = [
    ("q1", "a b", 1.5),
    ("q1", "döc", -2.0),
    ("q2", "a b", 0.25),
    ("q10", "c", 1e-7),
]
PLAIN = [(q, i.replace(" ", ""), v) for q, i, v in ROWS]


def unwatched(_):
    pass


def run_of(path, columns, watch=unwatched):
    return chunks_of_file(Source(path, "score", columns, watch))


def sorted_run_of(path, columns, watch=unwatched):
    source = Source(path, "score", columns, watch)
    source.is_scattered = True
    return chunks_of_file(source)


def judgements_of(path, columns, watch=unwatched):
    source = Source(path, "label", columns, watch)
    [part] = chunks_of_file(source)
    once(source, part)
    return part


def rows_of(read, path, **columns):
    found = read(str(path), columns, unwatched)
    parts = [found] if hasattr(found, "query") else list(found)
    return [
        (query.decode(), item.decode(), value)
        for part in parts
        for query, item, value in zip(
            *(x.tolist() for x in part[:3]), strict=True
        )
    ]


def check_items_once(path, value, columns):
    [part] = sorted_run_of(path, columns)
    once(Source(path, value, columns), part)


def written(path, text):
    data = text.encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def as_run(rows):
    lines = [f"{q} Q0\t{i}  7 {v!r} tag" for q, i, v in rows]
    return "\n".join(lines)


def as_csv(rows, delimiter, names=("qid", "Doc ID", "score")):
    lines = [names, *((q, i, repr(v)) for q, i, v in rows)]
    return "\n".join(delimiter.join(line) for line in lines) + "\n"


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n\n# end\n"])
@pytest.mark.parametrize("name", ["run.txt", "run", "run.gz", "run.csv"])
def test_a_run_of_trec(tmp_path, name, ending):
    path = written(tmp_path / name, "# a run\n" + as_run(PLAIN) + ending)
    assert rows_of(run_of, path) == PLAIN


@pytest.mark.parametrize("name", ["run", "run.tsv", "run.txt.gz"])
@pytest.mark.parametrize("size", [1, 8, 1000])
def test_a_run_of_ranks_has_minus_the_rank_as_its_score(
    tmp_path, monkeypatch, name, size
):
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (size,))
    rows = [(f"q{n // 7}", f"D{n}", -(n % 7) - 1.0) for n in range(60)]
    for delimiter in ("\t", " "):
        lines = [delimiter.join((q, d, f"{-x:g}")) for q, d, x in rows]
        path = written(tmp_path / name, "\n".join(["# top 7", *lines]))
        read_as = {}
        assert rows_of(run_of, path) == in_memory(path, read_as=read_as) == rows
        assert read_as == {
            "query": "field 1",
            "item": "field 2",
            "score": "-rank",
        }


@pytest.mark.parametrize(
    "text, line, received",
    [
        ("q d 1\nq e 3\n", 2, "3"),
        ("q d 1\np e 2\n", 2, "2"),
        ("q d 1\nq e 0.5\n", 2, "0.5"),
        ("q d 1\nq e 2\np f 1\nq g 3\n", 4, "3"),
    ],
)
def test_ranks_that_are_not_in_order_are_refused(
    tmp_path, text, line, received
):
    message = f"line {line}: .*ranks from 1.*'{received}'. Sort by .* a header"
    with pytest.raises(FileError, match=message):
        rows_of(run_of, written(tmp_path / "run", text))


def test_what_each_role_is_read_from_is_reported(tmp_path):
    texts = {
        "run": (as_run(PLAIN), ()),
        "run.csv": (as_csv(ROWS, ","), ("qid", "Doc ID", "score")),
        "run.json": ('{"q": {"d": 1}}', ()),
    }
    for name, (text, expected) in texts.items():
        read_as = {}
        in_memory(written(tmp_path / name, text), read_as=read_as)
        assert tuple(read_as.values()) == expected
        assert tuple(read_as) == ("query", "item", "score")[: len(expected)]


def test_judgements_of_trec(tmp_path):
    path = written(tmp_path / "qrels", "q1 0 a 1\nq2\t0\tb\t-1\nq1 0 c 0.5")
    expected = [("q1", "a", 1.0), ("q2", "b", -1.0), ("q1", "c", 0.5)]
    assert rows_of(judgements_of, path) == expected


@pytest.mark.parametrize("name", ["run.csv", "run.tsv", "run", "run.csv.gz"])
@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_table_as_text(tmp_path, name, quoted, ending):
    delimiter = "\t" if "tsv" in name else ","
    text = as_csv(ROWS, delimiter).replace("\n", ending)
    if quoted:
        text = text.replace("a b", '"a b"')
    assert rows_of(run_of, written(tmp_path / name, text)) == ROWS


def test_a_quoted_field_holds_delimiters_and_lines(tmp_path):
    text = 'item,query,score\n"a,\nb",q,1\nc,q,2\n'
    path = written(tmp_path / "run.csv", text)
    assert rows_of(run_of, path) == [("q", "a,\nb", 1.0), ("q", "c", 2.0)]


@pytest.mark.parametrize("name", ["run.jsonl", "run", "run.jsonl.gz"])
def test_objects_in_lines(tmp_path, name):
    lines = [
        json.dumps({"score": v, "more": [1], "item": i, "query": q})
        for q, i, v in ROWS
    ]
    path = written(tmp_path / name, "\n\n".join(lines))
    assert rows_of(run_of, path) == ROWS


def test_numbers_are_ids_too(tmp_path):
    path = written(
        tmp_path / "run.jsonl", '{"qid": 7, "docId": "12", "sim": 3}'
    )
    assert rows_of(run_of, path) == [("7", "12", 3.0)]


@pytest.mark.parametrize("dictionary", [False, True])
def test_parquet(tmp_path, dictionary):
    query, item, value = map(list, zip(*ROWS, strict=True))
    items = pa.array(item)
    columns = {
        "query": query,
        "item": items.dictionary_encode() if dictionary else items,
        "score": pa.array(value),
    }
    pq.write_table(pa.table(columns), tmp_path / "run.parquet")
    assert rows_of(run_of, tmp_path / "run.parquet") == ROWS
    pq.write_table(
        pa.table({"qid": [1, 2], "docno": [7, 8], "label": [1, 0]}),
        tmp_path / "qrels",
    )
    expected = [("1", "7", 1.0), ("2", "8", 0.0)]
    assert rows_of(judgements_of, tmp_path / "qrels") == expected
    columns["score"] = pa.array([1.0, None, 2.0, 3.0])
    pq.write_table(pa.table(columns), tmp_path / "run.parquet")
    with pytest.raises(FileError, match="line 2: `score` should have a value"):
        rows_of(run_of, tmp_path / "run.parquet")


def test_labels_in_a_column_of_scores(tmp_path):
    text = "query-id\tcorpus-id\tscore\nq\td\t2\n"
    path = written(tmp_path / "qrels.tsv", text)
    assert rows_of(judgements_of, path) == [("q", "d", 2.0)]


def labels_in_memory(path, **columns):
    return in_memory(path, "label", **columns)


def labels_of(path, **columns):
    return rows_of(judgements_of, path, **columns)


@pytest.mark.parametrize("rows", [labels_of, labels_in_memory])
def test_scores_are_no_labels_unless_they_are_named(tmp_path, rows):
    pq.write_table(
        pa.table({"qid": ["q"], "pid": ["d"], "Score": [0.5]}),
        tmp_path / "run.parquet",
    )
    written(tmp_path / "run.csv", "qid,pid,Score\nq,d,0.5\n")
    written(tmp_path / "run.jsonl", '{"qid": "q", "pid": "d", "Score": 0.5}')
    message = (
        r"line [12]: .*`Score` .*'0.5'. This looks like a run"
        r'.*`columns=."label": "Score".`'
    )
    for name in ("run.csv", "run.jsonl", "run.parquet"):
        with pytest.raises(FileError, match=message):
            rows(tmp_path / name)
        found = rows(tmp_path / name, label="Score")
        assert found == [("q", "d", 0.5)]
    text = "qid,pid,label,score\nq,d,0.5,2\n"
    assert rows(written(tmp_path / "qrels.csv", text)) == [("q", "d", 0.5)]


@pytest.mark.parametrize("name", ["run.csv", "run.parquet", "run.jsonl"])
def test_a_name_that_two_columns_have_is_refused(tmp_path, name):
    texts = {
        "run.csv": "qid,pid,score,score\nq,d,1,2\n",
        "run.jsonl": '{"qid": "q", "pid": "d", "score": 1, "score": 2}\n' * 2,
    }
    table = pa.table([["q"], ["d"], [1.0], [2.0]], ["qid", "pid"] + ["sim"] * 2)
    if name in texts:
        written(tmp_path / name, texts[name])
    else:
        pq.write_table(table, tmp_path / name)
    with pytest.raises(FileError, match=r"one column for the|each name once"):
        rows_of(run_of, tmp_path / name)


def test_columns_that_are_named(tmp_path):
    path = written(tmp_path / "run.csv", "a,b,score,c\nq,3,d,1\n")
    found = rows_of(run_of, path, query="a", item="score", score="b")
    assert found == [("q", "d", 3.0)]


WRONG = [
    ("run", "q Q0 d 1 2.5 t\nq Q0 d 1\n", "line 2: A line of a run should be"),
    ("run", "q Q0 d 1 x t\n", "line 1: The score should be a number.*'x'"),
    ("run", "q Q0 d 1 nan t\n", "The score should be a number.*'nan'"),
    ("run", f"q Q0 {'d' * 5000} 1 1 t\n", "line 1: A field should have 1,024"),
    (
        "run.csv",
        "q,item,score\n1,2,3\n",
        "line 1: It should have one column for the query",
    ),
    (
        "run.csv",
        "query,item,rank\n1,2,1\n",
        '"rank": "rank"}`.',
    ),
    ("run.jsonl", '{"qid": 1, "pid": 2, "Rank": 1}', '"rank": "Rank"}'),
    ("run.csv", "q1,d1,2.0\n", "The first line should be a header"),
    (
        "run.csv",
        "query;item;score\n",
        "decimal commas; or separate columns by tabs",
    ),
    ("run.csv", "query,item,score\n1,2,3\n1,2\n", "line 3: .* 3 fields"),
    ("run.csv", 'query,item,score\n"1",2,3\n\n1,2\n', "line 4: .* 3 fields"),
    ("run.csv", 'query,item,score\n1,"2",x\n', "line 2: The score .*'x'"),
    ("run.csv", "query,item,score\n1,2,x\n", "line 2: The score .*'x'"),
    ("run.csv", "", "There should be a header"),
    ("r.jsonl", '{"query": 1, "item": 2, "score": 3}\n[1]', "line 2: .*object"),
    ("r.jsonl", '{"query": 1, "item": 2, "score": 3}\n{,', "line 2: .*object"),
    ("r.jsonl", '{"query": 1, "item": 2, "score": "3"}', "line 1: The score"),
    ("r.jsonl", '{"query": 1, "item": 2.5, "score": 3}', "line 1: `item`"),
    ("r.jsonl", f'{{"query": 1, "item": 2, "score": 1{"0" * 400}}}', "number"),
    (
        "r.jsonl",
        '{"query": 1, "score": 3}',
        "line 1: It should have one column for the item",
    ),
    ("run.parquet", "PAR1 no more", "It should be Parquet|pyarrow should be"),
]


@pytest.mark.parametrize("name, text, message", WRONG)
def test_what_is_wrong_says_where(tmp_path, name, text, message):
    path = written(tmp_path / name, text)
    with pytest.raises(FileError, match=f"(?s){name}.*{message}"):
        rows_of(run_of, path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="no_file: The file should exist"):
        rows_of(run_of, tmp_path / "no_file")
    path = tmp_path / "cut.gz"
    rng = np.random.default_rng(0)
    text = as_run([("q", f"d{n}", float(n)) for n in rng.permutation(9000)])
    path.write_bytes(gzip.compress(text.encode())[:-9000])
    with pytest.raises(FileError, match="read to its end"):
        rows_of(run_of, path)
    with pytest.raises(FileError, match="There should be judgements"):
        judgements_of(str(written(tmp_path / "qrels", "")), {}, unwatched)


@pytest.mark.parametrize("size", [1, 20, 64, 1000])
def test_blocks_cut_no_line(monkeypatch, tmp_path, size):
    rows = [(f"q{n // 7}", f"d{n}" * (n % 5 + 1), n / 8) for n in range(200)]
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (size,))
    for name, text in [
        ("run", as_run(rows)),
        ("run.csv", as_csv(rows, ",")),
        ("quoted.csv", as_csv(rows, ",").replace("d0,", '"d0",')),
    ]:
        assert rows_of(run_of, written(tmp_path / name, text)) == rows


@pytest.mark.parametrize("size", [1, 5, 40, 1000])
def test_chunks_hold_whole_queries(size):
    queries = np.repeat([b"a", b"bb", b"c", b"dd"], [3, 30, 1, 20])
    items = np.arange(54).astype("S")
    values, lines = np.arange(54.0), np.arange(1, 55)
    for part in (1, 4, 54):
        parts = [
            Part(queries, items, values, lines).at(slice(n, n + part))
            for n in range(0, 54, part)
        ]
        found = list(whole_queries(Source("run", "score", {}), parts, size))
        seen = [set(chunk.query.tolist()) for chunk in found]
        assert sum(map(len, seen)) == 4  # no query is in two of them
        together = Part.joined(found)
        assert together.query.tolist() == queries.tolist()
        assert together.value.tolist() == values.tolist()
        assert together.line.tolist() == lines.tolist()


def test_a_query_that_returns(tmp_path):
    rows = [("a", "x", 1.0), ("b", "y", 2.0), ("a", "z", 3.0)]
    path = written(tmp_path / "run", as_run(rows))
    with pytest.raises(QueriesReturnError):
        rows_of(run_of, path)
    assert rows_of(sorted_run_of, path) == [rows[0], rows[2], rows[1]]


def test_a_column_that_only_another_file_has_leaves_the_usual_names(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,item,score\nq,d,1\n")
    assert rows_of(run_of, path, item="document") == [("q", "d", 1.0)]
    path.write_text("query,thing,score\nq,d,1\n")
    with pytest.raises(FileError, match=r"column for the item \(`document`\)"):
        rows_of(run_of, path, item="document")


def in_memory(path, value="score", read_as=None, **columns):
    """Return the rows of a file for callers that hold str ids."""
    file = File(path, value, "the file", Reading(columns))
    try:
        chunks = [*file.chunks()]
    except QueriesReturnError:
        chunks = [*file.chunks()]
    if read_as is not None:
        read_as |= file.roles()
    assert all(c.query.dtype.kind == c.item.dtype.kind == "U" for c in chunks)
    return [
        row
        for chunk in chunks
        for row in zip(*(x.tolist() for x in chunk[:3]), strict=True)
    ]


@pytest.mark.parametrize("name", ["run", "run.gz", "run.csv"])
def test_rows_for_python_have_ids_of_text(tmp_path, name):
    path = written(tmp_path / name, as_run(PLAIN))
    assert in_memory(path) == in_memory(str(path)) == PLAIN
    path = written(tmp_path / "qrels.tsv", "u\td\tl\nq\tdöc\t2\n")
    named = {"query": "u", "item": "d", "label": "l"}
    assert in_memory(path, "label", **named) == [("q", "döc", 2.0)]


def test_ids_of_text_stay_different_bytes(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(b"q Q0 a\xff 1 2 t\nq Q0 a\xfe 2 1 t\n")
    [(_, one, _), (_, other, _)] = in_memory(path)
    assert [x.encode("utf-8", "surrogateescape") for x in (one, other)] == [
        b"a\xff",
        b"a\xfe",
    ]


def test_rows_for_python_are_together_in_each_query(monkeypatch, tmp_path):
    rows = [(f"q{n // 3}", f"d{n}", float(n)) for n in range(12)]
    path = written(tmp_path / "run", as_run(rows))
    monkeypatch.setattr(whole_queries, "__defaults__", (2,))
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (20,))
    chunks = list(File(path, "score", "the run", Reading()).chunks())
    seen = [query for chunk in chunks for query in set(chunk.query.tolist())]
    assert len(seen) == len(set(seen)) == len(chunks) == 4
    assert in_memory(path) == rows
    scattered = written(tmp_path / "scattered", as_run(rows[::2] + rows[1::2]))
    assert in_memory(scattered) == sorted(
        rows[::2] + rows[1::2], key=lambda row: row[0]
    )


def test_files_without_rows_and_without_a_place(tmp_path):
    assert in_memory(written(tmp_path / "run", ""), "label") == []
    with pytest.raises(FileError, match="no_file: The file should exist"):
        in_memory(tmp_path / "no_file")


@pytest.mark.parametrize("measure", [krm.evaluate, krm.diagnose])
def test_a_run_that_is_found_scattered_late_is_read_again(
    monkeypatch, tmp_path, measure
):
    """The first chunks have been joined when a query returns."""
    monkeypatch.setattr(whole_queries, "__defaults__", (2,))
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (20,))
    rows = [(f"q{n // 3}", f"d{n % 4}", n % 5 / 8) for n in range(30)]
    rows = [*rows[:6], ("q1", "q1", 0.3), *rows[6:], ("q0", "q0", -1.0)]
    by_query = {}
    for query, item, score in rows:
        by_query.setdefault(query, {})[item] = score
    path = written(tmp_path / "run", as_run(rows))
    judged = {f"q{n}": {"d1": 1, "d2": 0, f"q{n}": 1} for n in range(10)}
    found, expected = (
        str(measure(judged, run, metrics="RR", drop_same_id=True))
        for run in (path, by_query)
    )
    assert found == expected

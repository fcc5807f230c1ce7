"""Files that other programs write in odd ways, and files that are broken."""

import bz2
import gzip
import json
import lzma
import pickle
import re
import tracemalloc
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from test_reading import (
    check_items_once,
    judgements_of,
    rows_of,
    run_of,
    sorted_run_of,
)

from keras_rankmetrics.files import FileError, QueriesReturnError

BOM = b"\xef\xbb\xbf"
TREC = b"q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\n"
CSV = b"query,item,score\nq1,a,2.5\nq1,b,1.5\n"
JSONL = (
    b'{"query": "q1", "item": "a", "score": 2.5}\n'
    b'{"query": "q1", "item": "b", "score": 1.5}\n'
)
ROWS = [("q1", "a", 2.5), ("q1", "b", 1.5)]
# Each file has an entry in `TWICE` and `LINES`, too.
TEXTS = {"run": TREC, "run.csv": CSV, "run.jsonl": JSONL}


@pytest.fixture(params=TEXTS)
def name(request):
    return request.param


def written(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_spaces_around_fields(tmp_path, quote):
    text = b"query, item ,score\n q1, %sa%s ,2.5\nq1 ,  b, 1.5 \n"
    path = written(tmp_path / "run.csv", text % (quote, quote))
    assert rows_of(run_of, path) == ROWS


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_spaces_alone_are_an_empty_field(tmp_path, quote):
    text = b"query,item,score,more\nq1,%sa%s,1,   \n" % (quote, quote)
    path = written(tmp_path / "run.csv", text)
    assert rows_of(run_of, path) == [("q1", "a", 1.0)]


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_ids_keep_bytes_that_are_no_utf8(tmp_path, quote):
    text = b"query,item,score\nq1,caf\xe9,2\nq1,%sb%s,1\n" % (quote, quote)
    [chunk] = run_of(str(written(tmp_path / "run.csv", text)), {}, print)
    assert chunk.item.tolist() == [b"caf\xe9", b"b"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_byte_order_mark_is_no_part_of_an_id(tmp_path, name, pack):
    path = written(tmp_path / name, pack(BOM + TEXTS[name]))
    assert rows_of(run_of, path) == ROWS


def test_lines_that_end_with_a_carriage_return_alone(tmp_path, name):
    path = written(tmp_path / name, TEXTS[name].replace(b"\n", b"\r"))
    with pytest.raises(FileError, match="line 1: A line should end with"):
        rows_of(run_of, path)
    first, _, _ = TEXTS[name].rpartition(b"q1")
    path = written(tmp_path / name, TEXTS[name].replace(first, first + b"\r"))
    number = 1 + first.count(b"\n")
    with pytest.raises(FileError, match=f"line {number}: A line should end"):
        rows_of(run_of, path)


@pytest.mark.parametrize("end", [b"\r\n", b"\r\r\n"])
def test_lines_that_end_as_on_windows(tmp_path, name, end):
    path = written(tmp_path / name, TEXTS[name].replace(b"\n", end))
    assert rows_of(run_of, path) == ROWS


def test_a_quoted_field_may_hold_a_carriage_return(tmp_path):
    text = b'query,item,score,title\nq1,a,2.5,"x\ry"\nq1,b,1.5,z\n'
    assert rows_of(run_of, written(tmp_path / "run.csv", text)) == ROWS


LONG = {
    "run.csv": b'query,item,score\nq1,"%s",1\n',
    "run.jsonl": b'{"query": "q1", "item": "%s", "score": 1}\n',
}


@pytest.mark.parametrize("name", LONG)
def test_long_ids_are_refused_before_they_take_memory(tmp_path, name):
    row = b"q1,b,1\n" if name.endswith("csv") else JSONL.splitlines()[1] + b"\n"
    text = LONG[name] % (b"a" * 60_000) + row * 3000
    path = written(tmp_path / name, text)
    tracemalloc.start()
    with pytest.raises(FileError, match="A field should have 1,024 bytes"):
        rows_of(run_of, path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**25


def written_parquet(path, items):
    numbers = list(range(len(items)))
    table = {"query": ["q"] * len(items), "item": items, "score": numbers}
    pq.write_table(pa.table(table), path, compression="none")
    return path


def test_long_ids_in_parquet(tmp_path):
    path = written_parquet(tmp_path / "run.parquet", ["a", "b" * 2000])
    with pytest.raises(FileError, match="line 2: A field should have 1,024"):
        rows_of(run_of, path)


def test_parquet_with_a_broken_page(tmp_path):
    items = [f"d{n}" for n in range(1000)]
    path = written_parquet(tmp_path / "run.parquet", items)
    data = path.read_bytes()
    path.write_bytes(data[:4] + b"\xff" * 2000 + data[2004:])
    with pytest.raises(FileError, match="Parquet that can be read to its end"):
        rows_of(run_of, path)


@pytest.mark.parametrize("at", [12, 500, 2000])
def test_gzip_with_broken_bytes(tmp_path, at):
    lines = [b"q Q0 d%d 1 %d t\n" % (n * n % 997, n) for n in range(3000)]
    data = gzip.compress(b"".join(lines))
    data = data[:at] + b"\xff" * 40 + data[at + 40 :]
    with pytest.raises(FileError, match="read to its end"):
        rows_of(run_of, written(tmp_path / "run.gz", data))


def test_a_quote_without_its_end(tmp_path):
    text = b'query,item,score\nq1,a,1\nq1,"b,1\n' + b"q1,c,1\n" * 20_000
    with pytest.raises(FileError, match=r"line 3: .* a quote without its end"):
        rows_of(run_of, written(tmp_path / "run.csv", text))


TWICE = {
    "run": b"# a run\n" + TREC + b"\nq2 Q0 b 1 1 t\nq1 Q0 b 3 1 t\n",
    "run.csv": b'query,item,score\nq1,"a\n",1\nq1,b,1\nq2,b,3\nq1,b,1\n',
    "run.jsonl": JSONL + b"\n" + JSONL.splitlines()[1],
}
LINES = {"run": (6, 3), "run.csv": (6, 4), "run.jsonl": (4, 2)}


def test_an_item_twice_is_told_with_its_lines(tmp_path, name):
    path = str(written(tmp_path / name, TWICE[name]))
    again, before = LINES[name]
    with pytest.raises(FileError) as error:
        check_items_once(path, "score", {})
    assert str(error.value) == (
        f"{path}, line {again}: An item should occur once in the list of a "
        f"query. Received: 'item b of query q1, as in line {before}'."
    )


def test_the_first_of_many_items_that_come_again(tmp_path):
    """Among thousands of lines, so that no sort is stable by luck."""
    rng = np.random.default_rng(3)
    order = np.concatenate([rng.permutation(3000), rng.permutation(3000)])
    first = {item: line for line, item in enumerate(order[:3000], 1)}
    text = "".join(f"q Q0 d{item} 1 1.5 t\n" for item in order)
    path = written(tmp_path / "run", text.encode())
    message = (
        f"line 3001: .*item d{order[3000]} of .* line {first[order[3000]]}'"
    )
    with pytest.raises(FileError, match=message):
        check_items_once(str(path), "score", {})


def test_items_that_come_once(tmp_path, name):
    path = str(written(tmp_path / name, TEXTS[name]))
    check_items_once(path, "score", {})


@pytest.mark.parametrize("header", ["query,query_id", "qid,query"])
def test_ids_come_before_texts(tmp_path, header):
    at = header.split(",").index("query")
    ids = ["q1", "how to"] if at else ["how to", "q1"]
    text = f"{header},document,doc_id,score\n{','.join(ids)},long,a,2.5\n"
    path = written(tmp_path / "run.csv", text.encode())
    assert rows_of(run_of, path) == ROWS[:1]


def test_a_chosen_column_comes_before_known_names(tmp_path):
    text = b"query,user_id,item,score\nq,u,a,1\n"
    path = written(tmp_path / "run.csv", text)
    assert rows_of(run_of, path) == [("q", "a", 1.0)]
    assert rows_of(sorted_run_of, path, query="user_id") == [("u", "a", 1.0)]


def test_numbers_have_no_underscores(tmp_path):
    path = written(tmp_path / "qrels", b"q1 0 a 1_0\n")
    with pytest.raises(FileError, match=r"line 1: The label.*'1_0'"):
        rows_of(judgements_of, path)
    for name, number in (("run", b"1_0"), ("run.csv", b'"1_0"')):
        text = TEXTS[name].replace(b"2.5", number)
        with pytest.raises(FileError, match=r"The score .*'1_0'"):
            rows_of(run_of, written(tmp_path / name, text))


def test_a_query_that_is_no_utf8_may_return(tmp_path):
    text = b"caf\xe9 Q0 a 1 2 t\nq Q0 a 1 2 t\ncaf\xe9 Q0 b 1 2 t\n"
    path = str(written(tmp_path / "run", text))
    with pytest.raises(QueriesReturnError):
        list(run_of(path, {}, print))
    [chunk] = sorted_run_of(path, {}, print)
    assert chunk.query.tolist() == [b"caf\xe9", b"caf\xe9", b"q"]


@pytest.mark.parametrize(
    "name",
    ["run", "run.csv", "run.json", "run.jsonl", "run.parquet"],
)
@pytest.mark.parametrize("number", [2**53 + 1, -(2**60) - 1])
def test_integers_that_tie_as_floats_are_refused(tmp_path, name, number):
    path = tmp_path / name
    row = {"query": "q", "item": "a", "score": number}
    if name == "run.parquet":
        pq.write_table(pa.Table.from_pylist([row]), path)
    elif name in ("run", "run.csv"):
        path.write_bytes(TEXTS[name].replace(b"2.5", b"%d" % number))
    else:
        is_nested = name == "run.json"
        path.write_text(json.dumps({"q": {"a": number}} if is_nested else row))
    with pytest.raises(FileError, match=f"{number}.*may tie in float64"):
        rows_of(run_of, path)


def test_an_integer_of_thousands_of_digits_is_refused(tmp_path):
    text = f"q1 Q0 a 1 {'9' * 5000} tag\n".encode()
    path = written(tmp_path / "run", text)
    with pytest.raises(FileError, match=r"line 1: .* may tie in float64"):
        rows_of(run_of, path)


@pytest.mark.parametrize("text", ["9007199254740994", "1e300", "2e16", "-inf"])
def test_large_numbers_that_are_floats_are_read(tmp_path, text):
    path = written(tmp_path / "run", f"q1 Q0 a 1 {text} tag\n".encode())
    assert rows_of(run_of, path) == [("q1", "a", float(text))]


@pytest.mark.parametrize(
    "text",
    [
        b"q1 Q0 blue car 1 9.5 t\n",
        b"q1 Q0 a 1 2.5 my tag\nq1 Q0 blue car 2 9.5 t\n",
        b"q1 Q0 a 1 2.5 my tag\nq1 Q0 blue 7 2 9.5 t\n",
    ],
)
def test_an_id_with_a_space_is_no_item_and_rank(tmp_path, text):
    path = written(tmp_path / "run", text)
    with pytest.raises(FileError, match=r"'q1 Q0 blue .*fourth is no rank"):
        rows_of(run_of, path)


def test_decimals_in_parquet(tmp_path):
    row = {"query": "q1", "item": "a", "score": Decimal("2.5")}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "run.parquet")
    assert rows_of(run_of, tmp_path / "run.parquet") == ROWS[:1]


QUOTED = [
    '"Heroes" (2006)',
    '"a""b" c',
    '""a""',
    '"a,\t"b"',
    ' "a" b',
    '"x\ny" z',
]


@pytest.mark.parametrize("field", QUOTED)
@pytest.mark.parametrize("name", ["run.csv", "run.tsv"])
def test_text_after_a_quoted_field_is_refused(tmp_path, field, name):
    lines = [
        "qid,item,score",
        'q1,"a, ""b"", \t ""c""" ,2',
        f"q1,{field},1",
        "",
    ]
    text = "\n".join(lines)
    text = text.replace(",", "\t") if name == "run.tsv" else text
    path = written(tmp_path / name, text.encode())
    with pytest.raises(FileError, match=r"line [34]: A field .* end with one"):
        rows_of(run_of, path)


def test_quotes_within_fields_are_read(tmp_path):
    text = b'qid\titem\tscore\nq1\t5" disk "new"\t2\nq1\t"a ""b"""\t1\n'
    path = written(tmp_path / "run.tsv", text)
    expected = [("q1", '5" disk "new"', 2.0), ("q1", 'a "b"', 1.0)]
    assert rows_of(run_of, path) == expected


HEADS = {
    "twice": ("qid,item,score,score\nq,a,1,2\n", "Rename or remove"),
    "bars": ("qid|item|score\nq|a|1\n", 'sep="|"'),
    "excel": ("sep=,\nqid,item,score\nq,a,1\n", "Remove the first line"),
}


@pytest.mark.parametrize("case", HEADS)
def test_headers_that_need_another_remedy(tmp_path, case):
    text, remedy = HEADS[case]
    with pytest.raises(FileError, match=re.escape(remedy)):
        rows_of(run_of, written(tmp_path / "run.csv", text.encode()))


def test_other_formats_are_named(tmp_path):
    numbers = np.zeros(3)
    np.savez(tmp_path / "zip.npz", numbers)
    np.save(tmp_path / "numpy.npy", numbers)
    pa.feather.write_feather(pa.table({"a": [1]}), str(tmp_path / "arrow"))
    (tmp_path / "xz").write_bytes(lzma.compress(TREC))
    (tmp_path / "bzip2").write_bytes(bz2.compress(TREC))
    (tmp_path / "pickle").write_bytes(pickle.dumps(ROWS))
    (tmp_path / "sqlite").write_bytes(b"SQLite format 3\0")
    for path in tmp_path.iterdir():
        cause = f"(?i)Received: '[^']*{path.stem}.* (Unpack|Write) it"
        with pytest.raises(FileError, match=cause):
            rows_of(run_of, path)


@pytest.mark.parametrize("name", ["run.csv", "run.jsonl"])
def test_ids_are_not_empty(tmp_path, name):
    path = tmp_path / name
    if name.endswith("csv"):
        path.write_text("query,item,score\nq,a,1\nq,,2\n")
    else:
        rows = [{"query": "q", "item": item, "score": 1} for item in ("a", "")]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(FileError, match=r"line [23]: .*a query and its item"):
        list(run_of(str(path), {}, lambda done: None))


def test_a_chosen_column_of_scores_must_exist(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,item,score,points\nq,a,1,2\n")
    text = r"the score \(`poimts`\).* the name: `columns={\"score\": \"score\"}"
    with pytest.raises(FileError, match=text):
        list(run_of(str(path), {"score": "poimts"}, lambda done: None))


NAMED = '{"query": "query", "item": "item", "score": '


@pytest.mark.parametrize(
    "header, remedy",
    [
        (
            "query,item,score_1,score_2",
            'Choose one: `columns={"score": "score_1',
        ),
        ("query,item,m1,m2,m3", 'Choose one: `columns={"score": "m1"}` or'),
        ("c0,c1,c2", '`columns={"query": "c0", "item": "c1", "score": "c2"}`.'),
        ("query,rec_1,rec_2", "Give each item a row of its own"),
        (
            "query,item,distance",
            f"{NAMED}\"distance\"}}`. For 'distance', pass",
        ),
        ("query,item,timestamp", f'Name them: `columns={NAMED}"..."}}`.'),
        ("query,item,timestamp,value", f'{NAMED}"value"}}`.'),
        (",query,points,item", f'{NAMED}"points"}}`.'),
        ("query,item,1.5", "The first line should be a header"),
        ("q0,d13,-1.27", "The first line should be a header"),
        ("q0,d13,1e-05", "The first line should be a header"),
        ("# exported in 2026", "Remove the first line, a comment"),
        ("query,item,label", f"If it is not, name them: `columns={NAMED}"),
    ],
)
def test_remedies_fit_the_header(tmp_path, header, remedy):
    row = ",".join("1" * (header.count(",") + 1))
    path = written(tmp_path / "run.csv", f"{header}\n{row}\n".encode())
    with pytest.raises(FileError, match=re.escape(remedy)) as error:
        rows_of(run_of, path)
    assert ("higher_is_better" in str(error.value)) == ("distance" in header)

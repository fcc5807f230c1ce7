"""Tables as text: most are read at once, the rest by the standard library."""

import json
import math
import random
import sys

import numpy as np
import pytest
from test_numbers_of_text import halfway, with_digits
from test_reading import rows_of, run_of, sorted_run_of

from keras_rankmetrics.files import FileError, blocks, text_tables


def outcome(path):
    """The rows of a file as bytes, or its error."""
    try:
        [rows] = sorted_run_of(str(path), {}, print)
    except FileError as error:
        return str(error)
    return [column.tolist() for column in rows[:4]]


@pytest.fixture
def without_pyarrow(monkeypatch):
    for name in ("pyarrow", "pyarrow.csv", "pyarrow.json", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)


def read_the_rest(patch):
    """Leave all rows to the standard library."""
    for name in ("_plain_rows", "_json_by_pyarrow"):
        patch.setattr(text_tables, name, lambda *_: None)


IDS = ["a", "d7", "x y", " z ", "é", '5" x', 'a"b', '27"', "'q'", '"a"']
ODD_IDS = ["", "  ", "\t", "\tb", "c\t", '"', " \t "]
QUOTED = [
    "a",
    "x y",
    'a ""b""',
    '""',
    "a,b",
    "a\tb",
    "a\nb",
    "a\r\nb",
    'a, ""b',
    " a ",
    "\ta",
    "a\t",
    "a\rb",
    "\r\n",
    '"',
    "",
]
NUMBERS = [
    *("1", "2.5", "-3", "1e-7", "+4", ".5", "5.", "inf", "1e400", " 7 "),
    *('"8"', ' "9"', "-0.0", "0.1234567890123456789", "1" * 40),
]
WRONG = ["x", "", "nan", "1_0", "1.2.3", "0x1", "nan(1)"]


def a_table(draw, delimiter):
    ends = draw.choice(["\n", "\n", "\r\n", "\r\r\n"])
    ids = draw.choice([IDS, IDS + ODD_IDS])
    rows = ["query,item,score,title".replace(",", delimiter)]
    for _ in range(draw.randint(0, 9)):
        fields = [
            draw.choice(ids)
            if draw.random() < 0.6
            else draw.choice(["", " ", "\t"])
            + f'"{draw.choice(QUOTED)}"'
            + draw.choice(["", "", "", " ", "\t", "x"])
            for _ in range(3)
        ]
        numbers = NUMBERS if draw.random() < 0.97 else WRONG
        fields.insert(2, draw.choice(numbers))
        fields += ["more"] * (draw.random() < 0.02)
        rows.append(delimiter.join(fields))
        rows += [""] * (draw.random() < 0.1)
    return ends.join(rows) + draw.choice(["", ends, f'{ends}q,"open'])


JSON_IDS = ['"a"', '"\\u00e9"', '"é"', "7", "-3", "0", str(2**63 - 1)]
JSON_ODD_IDS = [str(2**63), "1" * 60, "true", "null", "2.5", "[1]", '"\\ud800"']
JSON_NUMBERS = ["1", "2.5", "-0.0", "1e-7", "1" * 30, "0.1234567890123456789"]
JSON_ODD_NUMBERS = [
    '"3"',
    "null",
    "true",
    "NaN",
    "Infinity",
    "1e400",
    "9" * 400,
]
JSON_LINES = ["[1]", "{,", "{}", " ", "", '{"query": 1}', '{"a": 1}{"a": 1}']


def objects(draw):
    lines = []
    ids = draw.sample(JSON_IDS, draw.randint(1, 7))
    for _ in range(draw.randint(1, 9)):
        query, item = (
            draw.choice(ids if draw.random() < 0.98 else JSON_ODD_IDS)
            for _ in range(2)
        )
        score = draw.choice(
            JSON_NUMBERS if draw.random() < 0.98 else JSON_ODD_NUMBERS
        )
        line = f'{{"query": {query}, "item": {item}, "score": {score}}}'
        lines.append(line if draw.random() < 0.97 else draw.choice(JSON_LINES))
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["run.csv", "run.tsv", "run.jsonl"])
@pytest.mark.parametrize("size", [30, 2**20])
def test_both_readers_agree(tmp_path, monkeypatch, name, size):
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (size,))
    monkeypatch.setattr(text_tables, "_BLOCK", size)
    path = tmp_path / name
    for seed in range(150):
        draw = random.Random(seed)
        if name == "run.jsonl":
            text = objects(draw)
        else:
            text = a_table(draw, "," if name == "run.csv" else "\t")
        path.write_bytes(text.encode())
        found = outcome(path)
        with monkeypatch.context() as patch:
            read_the_rest(patch)
            assert outcome(path) == found, text


FAST = {
    "plain.csv": b"query,item,score\nq,d,1\nq,caf\xe9,2\n",
    "spaces.csv": b"query, item ,score\n q , d , 1 \n",
    "returns.csv": b"query,item,score\nq,d,1\r\nq,e,2\r\r\n",
    "quoted.csv": b'query,item,score,t\n"q","d","1","a, c"\nq,e, " 2" ,x\n',
    "digits.csv": b"query,item,score\nq,d,0.12345678901234567\nq,e,+1e-7\n",
    "tabs.tsv": b"query\titem\tscore\nq\td,e\t1\n",
    "texts.jsonl": b'{"item":"d","x":{"item":1},"query":"q","score":1}\n\n',
    "integers.jsonl": b'{"query":1,"item":-7,"score":0.25}\n \n',
}


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_ordinary_files_are_read_at_once(tmp_path, monkeypatch, name, end):
    path = tmp_path / name
    path.write_bytes(FAST[name].replace(b"\n", end))
    with monkeypatch.context() as patch:
        read_the_rest(patch)
        expected = outcome(path)
    monkeypatch.setattr(text_tables, "_by_csv", None)
    monkeypatch.setattr(text_tables, "_json_columns", None)
    assert isinstance(expected, list) and outcome(path) == expected


def test_numbers_are_those_of_python(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    texts = [*halfway(rng), *with_digits(17, rng), *with_digits(25, rng)]
    # Integers that are no floats are refused.
    texts = [x for x in texts if not x.isdigit() or int(x) == float(x)]
    path = tmp_path / "run.csv"
    path.write_text(
        "query,item,score\n" + "".join(f"q,d,{text}\n" for text in texts)
    )
    monkeypatch.setattr(text_tables, "_by_csv", None)
    [chunk] = run_of(str(path), {}, print)
    expected = np.array([float(text) for text in texts])
    assert chunk.value.tobytes() == expected.tobytes()


def test_integers_of_any_size_are_exact_ids(tmp_path):
    items = [7, 2**63 - 1, 2**63, -(2**63), 10**60, "7x", "é"]
    lines = [json.dumps({"query": 1, "item": i, "score": 0.5}) for i in items]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines))
    assert rows_of(run_of, path) == [("1", str(i), 0.5) for i in items]


def test_two_objects_on_a_line(tmp_path):
    row = '{"query": 1, "item": 2, "score": 3}'
    path = tmp_path / "run.jsonl"
    path.write_text(f"{row}\n{row}{row}\n")
    with pytest.raises(FileError, match="line 2: A line should be a JSON"):
        rows_of(run_of, path)


@pytest.mark.parametrize("size", [1, 7, 40, 2**20])
def test_rows_of_several_lines(tmp_path, monkeypatch, size):
    """An error has the number of the line where its row starts."""
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (size,))
    text = 'query,item,score,title\nq,a,1,"x\n\ny, ""z"", "\nq,"b\nc",2,"\n"\n'
    path = tmp_path / "run.csv"
    path.write_text(text)
    assert rows_of(run_of, path) == [("q", "a", 1.0), ("q", "b\nc", 2.0)]
    path.write_text(text + 'q,"d\n",x,\n')
    with pytest.raises(FileError, match="line 8: The score"):
        rows_of(run_of, path)
    path.write_text(text + 'q,d,3,"open\n')
    with pytest.raises(FileError, match="line 8: A quoted field should end"):
        rows_of(run_of, path)


@pytest.mark.parametrize(
    "row", ['q,a,1,"x" y', 'q,a,1,"x,\n" y', '"q"r,a,1,x'], ids=repr
)
def test_text_after_a_field_in_quotes(tmp_path, row):
    """The error shows the line on which the text is, from its first letter."""
    path = tmp_path / "run.csv"
    path.write_text(f"query,item,score,title\nq,b,2,x\n{row}\n")
    lines = row.split("\n")
    with pytest.raises(FileError, match=f"line {2 + len(lines)}: A field") as e:
        rows_of(run_of, path)
    assert f"Received: {lines[-1]!r}" in str(e.value)


def test_one_column_for_two_roles(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,item,score\nq,2,1\n")
    assert rows_of(run_of, path, score="item") == [("q", "2", 2.0)]
    path = tmp_path / "run.jsonl"
    path.write_text('{"query": "q", "item": 2}\n')
    assert rows_of(run_of, path, score="item") == [("q", "2", 2.0)]


def test_without_pyarrow(tmp_path, without_pyarrow):
    path = tmp_path / "run.csv"
    path.write_text('query,item,score\nq,"a\nb",1e400\n')
    assert rows_of(run_of, path) == [("q", "a\nb", math.inf)]
    path = tmp_path / "run.jsonl"
    path.write_text('{"query": 1, "item": 2, "score": 3}\n')
    assert rows_of(run_of, path) == [("1", "2", 3.0)]
    path = tmp_path / "run.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(FileError, match=r'"keras_rankmetrics\[files\]"'):
        rows_of(run_of, path)


def test_a_comment_as_long_as_a_row(tmp_path):
    path = tmp_path / "run"
    path.write_text("# a b c d e\nq Q0 d 1 2.5 t\n# a b c 4 e\n")
    assert rows_of(run_of, path) == [("q", "d", 2.5)]

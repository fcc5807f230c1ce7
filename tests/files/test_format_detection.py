"""The reader of each file, by its first line and the ending of its name."""

import ast
import gzip
import itertools
import re

import pytest
from test_reading import judgements_of, rows_of, run_of

from keras_rankmetrics.files import FileError

RUN, QRELS = [("q", "d", 2.5)], [("q", "d", 1.0)]
ENDINGS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None, "": None}


def written(folder, name, text):
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def names():
    for ending, packed in itertools.product(ENDINGS, ["", ".gz"]):
        for upper in (str, str.upper):
            yield "file" + upper(ending) + packed, ENDINGS[ending]


FIRST = {
    run_of: ["q Q0 d 1 2.5 t", "q\tQ0\td\t1\t2.5\tt", "# c\nq 0 d x 2.5 t"],
    judgements_of: ["q 0 d 1", "q\t0\td\t1", "\n# c\nq\tx d 1"],
}


@pytest.mark.parametrize("read", FIRST)
def test_the_first_line_beats_every_ending(tmp_path, read):
    for (name, _), text in itertools.product(names(), FIRST[read]):
        path = written(tmp_path, name, text + "\n")
        assert rows_of(read, path) == (RUN if read is run_of else QRELS), name


@pytest.mark.parametrize("read", FIRST)
def test_endings_tell_the_delimiters_of_tables(tmp_path, read):
    """The other delimiter is part of an id, so guessing would fail."""
    what, value = ("score", "2.5") if read is run_of else ("label", "1")
    for name, delimiter in names():
        for given in (",", "\t"):
            other = ",\t".replace(given, "")
            header = given.join(["query", f"a{other}b{other}c", "item", what])
            row = given.join(["q", f"x{other}y{other}z", "d", value])
            path = written(tmp_path, name, f"{header}\n{row}\n")
            if delimiter == given:
                found = rows_of(read, path)
                assert found == (RUN if read is run_of else QRELS), name
            elif delimiter is not None:
                with pytest.raises(FileError, match="one column for the"):
                    rows_of(read, path)


def test_a_line_of_trec_within_a_table_is_a_row(tmp_path):
    """Only the first line counts, for each ending."""
    for ending, delimiter in ENDINGS.items():
        if delimiter:
            lines = ["query item more score", "q d 1 2.5"]
            text = "\n".join(lines).replace(" ", delimiter) + "\n"
            for name in ("run" + ending, f"run{ending}.gz"):
                assert rows_of(run_of, written(tmp_path, name, text)) == RUN


HASHES = {
    run_of: ["#ai Q0 d 1 2.5 t", "#ai\tQ0\td\t1\t2.5\tt", "# q0 d 1 2.5 t u"],
    judgements_of: ["#ai 0 d 1", "#ai\tQ0\td\t1", "# 0 d 1"],
}
COMMENTS = ["#", "# 1 2", "# x d 1", "#query 0 item label", "# a b c 5 d"]


@pytest.mark.parametrize("read", HASHES)
@pytest.mark.parametrize("name", ["file", "file.tsv", "file.gz"])
def test_a_query_may_begin_with_the_letter_of_comments(tmp_path, read, name):
    [row] = RUN if read is run_of else QRELS
    for text in HASHES[read]:
        hashed = (text.split()[0], *row[1:])
        assert rows_of(read, written(tmp_path, name, text)) == [hashed]
        lines = [*COMMENTS, text, *COMMENTS, FIRST[read][0], *COMMENTS]
        path = written(tmp_path, name, "\n".join(lines))
        assert rows_of(read, path) == [hashed, row]


UNCLEAR = {
    "comment_or_row": (judgements_of, "#pool depth is 100\nq 0 d 1\n"),
    "comment_or_run": (run_of, "q 0 d 1 2 t\n#a b c d 5 e\n"),
    "header": (judgements_of, "#query\titem\tlabel\ttime\nq\td\t1\t17000\n"),
    "header_of_run": (run_of, "#qid\tpid\trank\tscore\tx\ty\nq d 1 2.5 7 t\n"),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_line_that_may_be_a_comment_or_not_is_refused(tmp_path, case):
    read, text = UNCLEAR[case]
    for name in ("file", "file.tsv"):
        with pytest.raises(FileError, match=r"with `#` should be .*Remove it"):
            rows_of(read, written(tmp_path, name, text))


@pytest.mark.parametrize("header", ["#query,item,score", "#qid\tpid\tscore"])
def test_the_header_of_a_table_may_begin_with_the_letter(tmp_path, header):
    row = "q,d,2.5" if "," in header else "q\td\t2.5"
    text = f"{header}\n{row}\n#{row}\n"
    path = written(tmp_path, "file", text)
    assert rows_of(run_of, path) == [*RUN, ("#q", "d", 2.5)]


TAG = "STANDARD a run of 1999"


@pytest.mark.parametrize("name", ["run", "run.txt", "run.tsv", "run.csv.gz"])
def test_a_tag_of_several_words(tmp_path, name):
    for delimiter in ("\t", " "):
        fixed = ["q", "Q0", "d", "1", "2.5"]
        first = delimiter.join([*fixed, TAG])
        second = delimiter.join([*fixed, TAG.partition(" ")[0]])
        path = written(tmp_path, name, f"{first}\n{second}\n")
        assert rows_of(run_of, path) == RUN * 2


def test_tabs_and_spaces_between_fields(tmp_path):
    for text in ("q Q0\td  1 2.5 t \n", "q 0\td\t1\t2.5 t u\n"):
        assert rows_of(run_of, written(tmp_path, "run", text)) == RUN
    for text in ("q 0\td\t1\n", "q \t 0 \t d \t 1\n", "q\t0\td\t1 \n"):
        path = written(tmp_path, "qrels", text)
        assert rows_of(judgements_of, path) == QRELS


def test_a_space_within_a_field_between_tabs(tmp_path):
    rows = "q Q0 d 1 2.5 t\nq Q0 e 2 1.5 t\nq Q0 f_g 3 1 t\n".replace(" ", "\t")
    path = written(tmp_path, "run", rows.replace("_", " "))
    with pytest.raises(FileError, match=r"line 3: .* tabs and spaces between"):
        rows_of(run_of, path)


def test_one_item_of_several_iterations_is_no_swapped_field(tmp_path):
    path = written(tmp_path, "qrels", "q 1 d 1\nr 2 d 1\n")
    assert rows_of(judgements_of, path) == [*QRELS, ("r", "d", 1.0)]


HEADERS = [
    "query\titem\tfeature 1\tfeature 2\tscore",  # 7 words, the fifth "2"
    "query\titem\tmy 1 2 3 4 column\tscore",
    "qid\tdoc id\t1\t2\t3\t4\t5\tscore",
]


@pytest.mark.parametrize("header", HEADERS)
def test_headers_of_many_words_are_headers(tmp_path, header):
    names = header.split("\t")
    row = ["q", "d", *["0"] * (len(names) - 3), "2.5"]
    text = header + "\n" + "\t".join(row) + "\n"
    for name in ("run", "run.tsv", "run.tsv.gz"):
        assert rows_of(run_of, written(tmp_path, name, text)) == RUN


LOOKS = {
    "judgements_as_run": (run_of, "q 0 d 1\n", "looks like judgements"),
    "run_as_judgements": (
        judgements_of,
        "q Q0 d 1 2.5 t\n",
        "looks like a run",
    ),
    "table_of_labels": (run_of, "query,item,label\nq,d,1\n", "like judgements"),
    "table_of_scores": (
        judgements_of,
        "query,item,sim\nq,d,1\n",
        "looks like a run",
    ),
    "item_second": (
        judgements_of,
        "q d1 0 1\nq d2 0 0\n",
        "second and the third field",
    ),
    "item_second_of_a_query": (
        judgements_of,
        "q1 d1 Q0 1\nq2 d2 Q0 0\n",
        "second and the third field",
    ),
    "item_last": (
        judgements_of,
        "q 0 1 d1\nq 0 0 d2\n",
        "third and the fourth field",
    ),
    "score_as_rank": (
        run_of,
        "q Q0 d 2 1 t\nq Q0 e 1.5 2 t\n",
        "fourth and the fifth field",
    ),
    "item_with_a_space": (
        run_of,
        "q\tQ0\td\t1\t2.5\tt\nq\tQ0\tgreen tea\t2\t2\tt\n",
        "If an id has a space",
    ),
    "item_with_a_space_and_no_tag": (
        run_of,
        "q\tQ0\tgreen tea\t1\t0.9\n",
        "If an id has a space",
    ),
    "query_with_a_space": (
        run_of,
        "q\tQ0\td\t1\t2.5\tt\nnew york\tQ0\td\t1\t1.5\tt\n",
        "If an id has a space",
    ),
    "judged_item_with_a_space": (
        judgements_of,
        "q\tgreen tea\t1\n",
        "If an id has a space",
    ),
    "array": (run_of, '[{"query": "q", "item": "d"}]', "looks like an array"),
    "array_of_arrays": (run_of, '[["q", "d", 1.0]]', "looks like an array"),
    "array_lines": (run_of, '[\n {"query": "q"}\n]', "looks like an array"),
}


@pytest.mark.parametrize("case", LOOKS)
def test_errors_name_the_probable_cause(tmp_path, case):
    read, text, cause = LOOKS[case]
    for name in ("file", "file.gz"):
        with pytest.raises(FileError, match=f"(?s)Received: .*{cause}") as told:
            rows_of(read, written(tmp_path, name, text))
        place = r", line (\d+): .* Received: (.*?)\. [A-Z]"
        number, received = re.search(place, str(told.value)).groups()
        received = ast.literal_eval(received)
        line = text.split("\n")[int(number) - 1]
        assert line in (received, ",".join(received))


NOT_SWAPPED = [
    ("q1 0 0 1\nq2 0 0 1\n", [("q1", "0", 1.0), ("q2", "0", 1.0)]),
    ("q1 7 0 1\n", [("q1", "0", 1.0)]),
    ("1 0 5 0\n2 0 6 1\n", [("1", "5", 0.0), ("2", "6", 1.0)]),
    ("q1 a d1 1\nq1 b d2 0\n", [("q1", "d1", 1.0), ("q1", "d2", 0.0)]),
]


@pytest.mark.parametrize("text, rows", NOT_SWAPPED)
def test_judgements_in_the_right_order_are_read(tmp_path, text, rows):
    assert rows_of(judgements_of, written(tmp_path, "qrels", text)) == rows


TEXTS = {
    "run": "q Q0 d 1 2.5 t\n",
    "run.csv": "query,item,score\nq,d,2.5\n",
    "run.jsonl": '{"query": "q", "item": "d", "score": 2.5}\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_utf16_is_named(tmp_path, name):
    for code, pack in itertools.product(
        ["utf-16", "utf-16-le", "utf-16-be"], [bytes, gzip.compress]
    ):
        for mark in ("", "\ufeff"):
            path = tmp_path / name
            path.write_bytes(pack((mark + TEXTS[name]).encode(code)))
            with pytest.raises(FileError, match=r"UTF-8.*'UTF-16'.*iconv"):
                rows_of(run_of, path)


def test_utf32_is_named(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(TEXTS["run"].encode("utf-32"))
    with pytest.raises(FileError, match=r"'UTF-32'.*iconv -f UTF-32"):
        rows_of(run_of, path)


def test_ranks_from_0_are_named(tmp_path):
    path = written(tmp_path, "run", "q d 0\nq e 1\n")
    with pytest.raises(FileError, match=r"from 1 on.* Received: '0'"):
        rows_of(run_of, path)


def test_nested_values_within_rows_are_read(tmp_path):
    text = '{"meta": {"a": 1}, "query": "q", "item": "d", "score": 2.5}\n'
    assert rows_of(run_of, written(tmp_path, "run", text)) == RUN


def test_ranks_and_whole_scores_that_are_swapped(tmp_path):
    lines = [(95, 1), (85, 2), (75, 3)]
    text = "".join(
        f"{query} Q0 d{rank} {score} {rank} t\n"
        for query in "pq"
        for score, rank in lines
    )
    path = written(tmp_path, "run.txt", text)
    with pytest.raises(FileError, match=r"line 1: .*rank and the score"):
        rows_of(run_of, path)
    worst_first = "".join(f"q Q0 d{n} {4 - n} {n} t\n" for n in (1, 2, 3))
    path = written(tmp_path, "worst_first.txt", worst_first)
    assert [row[2] for row in rows_of(run_of, path)] == [1.0, 2.0, 3.0]

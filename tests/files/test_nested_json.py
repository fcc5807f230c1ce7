"""Nested JSON of BEIR, pytrec_eval, ranx, MTEB and sentence-transformers."""

import gzip
import json
import math
import os
import threading
import types

import pytest
from test_reading import (
    check_items_once,
    in_memory,
    judgements_of,
    rows_of,
    run_of,
    sorted_run_of,
    unwatched,
    written,
)

from keras_rankmetrics.files import FileError, QueriesReturnError
from keras_rankmetrics.files.runs import judgements_path
from krm_command import main

RUN = {"q1": {"a b": 1.5, "döc": -2.0}, "q10": {}, "q2": {"a b": 1}}
ROWS = [("q1", "a b", 1.5), ("q1", "döc", -2.0), ("q2", "a b", 1.0)]
# A query without items has one that is not retrieved, or not judged.
NOTHING = ("q10", "(nothing)", -math.inf)
ALL = sorted([*ROWS, NOTHING])
UNJUDGED = sorted([*ROWS, (*NOTHING[:2], -2.0)])
PREDICTIONS = {
    "mteb_model_meta": {"model_name": "me/model", "revision": None},
    "default": {"test": RUN},
}


@pytest.mark.parametrize("name", ["results.json", "run", "run.tsv.gz"])
@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("tree", [RUN, PREDICTIONS, {"test": RUN}])
def test_an_object_of_queries(tmp_path, name, indent, ascii_only, tree):
    text = json.dumps(tree, indent=indent, ensure_ascii=ascii_only)
    path = written(tmp_path / name, text)
    assert sorted(rows_of(run_of, path)) == sorted(in_memory(path)) == ALL
    assert sorted(rows_of(judgements_of, path)) == UNJUDGED
    assert sorted(in_memory(path, "label")) == UNJUDGED


LAYOUTS = [
    '\n\n{"q1":\n{"a b": 1.5,\n"d\\u00f6c": -2}, "q2": {"a b": 1}}\n\n',
    '\ufeff{"q1":{"a b":15e-1,"döc":-2},"q2":{"a b":1}}',
    '{ "q1" : { "a b" : 1.5 , "döc" : -2 } ,\r\n "q2" : { "a b" : 1 } }',
    '{"q1": {"a b": 1.5, "döc":\n -2}, "q2": {"a b": 1}}',
    '{"q10": {}, "q1": {"a b": 1.5, "döc": -2}, "q2": {"a b": 1}}',
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_lines_end_anywhere(tmp_path, text):
    found = rows_of(run_of, written(tmp_path / "run.json", text))
    assert [row for row in found if row != NOTHING] == ROWS


@pytest.mark.parametrize(
    "first", [{}, {"mteb_model_meta": {"model_name": "m"}}]
)
def test_a_line_of_any_length(tmp_path, first):
    """The first 64 KiB show the format, and the rest has no limit."""
    run = {f"q{n}": {f"d{n}-{k}": k / 8 for k in range(99)} for n in range(99)}
    tree = {**first, "default": {"test": run}} if first else run
    path = written(tmp_path / "run.json", json.dumps(tree))
    assert path.stat().st_size > 2**16
    expected = [(q, d, x) for q, of in run.items() for d, x in of.items()]
    assert rows_of(run_of, path) == expected


def test_lists_of_items_have_no_scores(tmp_path):
    path = written(tmp_path / "lists.json", '{"q1": ["b", "a"]}')
    with pytest.raises(ValueError, match=r"query: .item: score"):
        rows_of(run_of, path)


def test_ids_keep_all_their_letters(tmp_path):
    names = ['"', "\\", "\n", "日本", "\U0001f600", "\ud800", " x ", "[{"]
    path = written(
        tmp_path / "run.json", json.dumps({x: {x: 1.0} for x in names})
    )
    [chunk] = run_of(str(path), {}, unwatched)
    expected = [x.encode("utf-8", "surrogatepass") for x in names]
    assert chunk.query.tolist() == chunk.item.tolist() == expected


def test_a_file_without_queries(tmp_path):
    path = written(tmp_path / "run.json", "{}")
    assert rows_of(run_of, path) == []
    with pytest.raises(FileError, match="There should be judgements"):
        rows_of(judgements_of, path)


def test_infinite_scores_are_as_in_lines(tmp_path):
    path = written(tmp_path / "run.json", '{"q": {"a": Infinity, "b": 1e999}}')
    assert rows_of(run_of, path) == [
        ("q", "a", float("inf")),
        ("q", "b", float("inf")),
    ]


WRONG = {
    "duplicate_item": ('{"q": {"a": 1, "b": 0, "a": 2}}', "name 'a' twice"),
    "duplicate_query": ('{"q": {"a": 1}, "q": {"b": 2}}', "name 'q' twice"),
    "bool": ('{"q": {"a": true}}', 'should be a number.*{"q": {"a": true}}'),
    "text": ('{"q": {"a": "1"}}', 'should be a number.*{"q": {"a": "1"}}'),
    "null": ('{"q": {"a": null}}', 'should be a number.*{"q": {"a": null}}'),
    "nan": ('{"q": {"a": NaN}}', "should be a number.*NaN"),
    "large": (f'{{"q": {{"a": 1{"0" * 400}}}}}', "should be a number"),
    "digits": (f'{{"q": {{"a": 1{"0" * 5000}}}}}', "one JSON object"),
    "number": ('{"q": {"a": 1},\n"p": 3}', "{query: .*Received: '{\"p\": 3}'"),
    "one_row": ('{\n"query": "q", "item": "d", "score": 1}', '{"query": "q"}'),
    "pairs": ('{"q": [["d", 1.0]]}', "one JSON object.*`evaluate` takes lists"),
    "ids": ('{"q": [3, 1]}', "one JSON object.*`evaluate` takes lists of ids"),
    "fields": (
        '{"q": {"d": {"score": 1, "rank": 2}}}',
        'Received: \'{"score": 1, "rank": 2}\'. Write the score of an item',
    ),
    "fields_of_two": (
        '{"q": {}, "p": {"d": {"text": "", "sim": 1}}}',
        "Write the score of an item in place of its object",
    ),
    "subsets": (
        json.dumps({"de": {"test": RUN}, "fr": {"test": RUN}}),
        "Received: 'de, fr'. Write one of these parts to a file of its own",
    ),
    "splits": (
        json.dumps(PREDICTIONS | {"default": {"dev": RUN, "test": RUN}}),
        "Received: 'dev, test'. Write",
    ),
    "cut": ('{"q": {"a": 1, "b"', "one JSON object, .*Expecting ':'.*line 1"),
    "lines": ('{"q": {"a": 1}}\n{"p": {"a": 1}}', "Extra data: line 2"),
    "deep": ('{"a": ' * 100_000, "one JSON object"),
    "long": (f'{{"q": {{"{"d" * 2000}": 1}}}}', "1,024 bytes at most"),
    "empty": ('{"q": {"": 1}}', "should have a query and its item"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_an_error(tmp_path, case):
    text, message = WRONG[case]
    for name in ("run.json", "run.json.gz"):
        path = written(tmp_path / name, text)
        with pytest.raises(FileError, match=f"(?s){name}.*{message}"):
            rows_of(run_of, path)


def test_bytes_that_are_not_utf8_are_an_error(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b'{"q": {"a\xff": 1}}')
    with pytest.raises(FileError, match=r"one JSON object.*invalid start byte"):
        rows_of(run_of, path)


def test_progress_counts_the_bytes_of_the_disk(tmp_path):
    run = {
        f"q{n}": {f"d{k}": n + k / 7 for k in range(500)} for n in range(200)
    }
    for name in ("run.json", "run.json.gz"):
        path = written(tmp_path / name, json.dumps(run))
        seen = []
        assert len(list(run_of(str(path), {}, seen.append)))
        assert seen == sorted(seen)
        assert seen[-1] == path.stat().st_size


# Lines with the results of a query


def in_lines(run, **more):
    for query, of in run.items():
        results = [{"corpus_id": d, "score": x} for d, x in of.items()]
        yield json.dumps({"query_id": query, **more, "results": results})


@pytest.mark.parametrize("first", [["q1", "q10", "q2"], ["q10", "q1", "q2"]])
@pytest.mark.parametrize("name", ["predictions.jsonl", "run.gz"])
def test_lines_of_results(tmp_path, name, first):
    run = {query: RUN[query] for query in first}
    text = "\n\n".join(in_lines(run, query="Why?"))
    path = written(tmp_path / name, text)
    assert rows_of(run_of, path) == in_memory(path) == ROWS


def test_results_have_columns_and_lines_too(tmp_path):
    lines = [
        '{"who": 1, "results": [{"what": 2, "sim": 3}, {"what": 4, "sim": 5}]}',
        '{"who": 1, "results": []}',
        '{"who": 2, "results": [{"what": 2, "sim": 3}, {"what": 2, "sim": 3}, '
        '{"what": 4, "sim": 5}]}',
        '{"who": 1, "results": [{"what": 7, "sim": 3}]}',
    ]
    path = written(tmp_path / "run.jsonl", "\n".join(lines))
    columns = {"query": "who", "item": "what"}
    with pytest.raises(QueriesReturnError):
        rows_of(run_of, path, **columns)
    found = rows_of(sorted_run_of, path, **columns)
    assert [row[:2] for row in found] == [
        ("1", "2"),
        ("1", "4"),
        ("1", "7"),
        ("2", "2"),
        ("2", "2"),
        ("2", "4"),
    ]
    with pytest.raises(FileError, match=r"line 3: .*item 2 of query 2"):
        check_items_once(str(path), "score", columns)


@pytest.mark.parametrize(
    "result, message",
    [
        ('{"corpus_id": "a"}', "line 2: The score `score` should be a number"),
        ('{"corpus_id": 0.5, "score": 1}', "line 2: `corpus_id` should be"),
        ('["a", 1]', "line 2: `corpus_id` should be a string"),
        ('{"score": 1, "score": 2}', "line 2: .* with each name once"),
    ],
)
def test_results_that_are_wrong_name_their_line(tmp_path, result, message):
    [first] = in_lines({"q1": {"a": 1}})
    text = f'{first}\n{{"query_id": "q2", "results": [{result}]}}'
    with pytest.raises(FileError, match=message):
        rows_of(run_of, written(tmp_path / "run.jsonl", text))


@pytest.mark.parametrize("lines", [1, 2])
def test_values_next_to_results_are_not_those_of_the_results(tmp_path, lines):
    path = tmp_path / "run.jsonl"
    more = {"score": 7, "corpus_id": "c"}
    text = "\n".join([*in_lines({"q1": {"a": 1}}, **more)] * lines)
    assert rows_of(run_of, written(path, text)) == [("q1", "a", 1.0)] * lines
    text = text.replace(
        '[{"corpus_id": "a", "score": 1}]', '[{"corpus_id": 1}]'
    )
    with pytest.raises(FileError, match="line 1: The score `score` should be"):
        rows_of(run_of, written(path, text))


# Folders of a dataset


def made(folder, *names, text="query-id\tcorpus-id\tscore\nq1\ta\t2\n"):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    "names",
    [
        ["qrels/test.tsv"],
        ["corpus.jsonl", "qrels/train.tsv", "qrels/test.tsv", "qrels/dev.tsv"],
        ["queries.jsonl", "qrels/dev.tsv"],
        ["qrels/.DS_Store", "qrels/testing.tsv", "qrels/test.tsv"],
        ["en-qrels/test.tsv", "en-corpus/test.tsv", "en-qrels/train.tsv"],
    ],
)
def test_the_judgements_of_a_folder(tmp_path, names):
    folder = made(tmp_path / "a [b] *", *names)
    assert in_memory(folder, "label") == [("q1", "a", 2.0)]
    assert in_memory(f"{folder}{os.sep}", "label") == [("q1", "a", 2.0)]
    found = judgements_path(folder)
    assert rows_of(judgements_of, found) == [("q1", "a", 2.0)]


def test_a_folder_of_jsonl_and_of_parquet(tmp_path):
    row = '{"query-id": "q1", "corpus-id": "a", "score": 2}\n'
    folder = made(tmp_path / "lines", "qrels/test.jsonl", text=row)
    assert in_memory(folder, "label") == [("q1", "a", 2.0)]
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "parquet"
    (folder / "qrels").mkdir(parents=True)
    columns = {"query-id": ["q1"], "corpus-id": ["a"], "score": [2]}
    name = "test-00000-of-00001.parquet"
    pq.write_table(pa.table(columns), folder / "qrels" / name)
    assert in_memory(folder, "label") == [("q1", "a", 2.0)]


@pytest.mark.parametrize(
    "names, listed",
    [
        (["qrels/dev.tsv", "qrels/train.tsv"], "dev.tsv, .*train.tsv"),
        (["qrels/test.jsonl", "qrels/test.tsv"], "test.jsonl, .*test.tsv"),
        (["de-qrels/test.tsv", "fr-qrels/test.tsv"], "de-qrels.*, fr-qrels"),
    ],
)
def test_a_folder_with_several_splits_lists_them(tmp_path, names, listed):
    folder = made(tmp_path, *names)
    with pytest.raises(FileError, match=f"Received: '.*{listed}.*Pass one of"):
        in_memory(folder, "label")


def test_a_folder_without_judgements_is_no_file(tmp_path):
    folder = made(tmp_path / "folder", "corpus.jsonl")
    for value in ("label", "score"):
        with pytest.raises(FileError, match=r"should be a file.*a directory"):
            in_memory(folder, value)
    made(folder, "qrels/test.tsv")
    with pytest.raises(FileError, match=r"should be a file.*a directory"):
        in_memory(folder, "score")  # its judgements are no run


# The command


TRUTH = {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}}
FOUND = {"q1": {"a": 0.5, "b": 0.7}, "q2": {"b": 0.1, "c": 0.0}}
EXPECTED = {"q1": 0.5, "q2": 1.0}


def values_of(tmp_path, truth, run):
    values = tmp_path / "values.csv"
    arguments = ["eval", truth, run, "-m", "RR", "--per-list", values]
    assert main([str(x) for x in arguments]) == 0
    lines = values.read_text().splitlines()[1:]
    return {line.split(",")[0]: float(line.split(",")[2]) for line in lines}


def test_the_command_reads_them(tmp_path, capsys):
    rows = [
        f"{q}\t{i}\t{x}\n" for q, of in TRUTH.items() for i, x in of.items()
    ]
    text = "query-id\tcorpus-id\tscore\n" + "".join(rows)
    folder = made(tmp_path / "data", "qrels/test.tsv", text=text)
    truths = [folder, written(tmp_path / "truth.json", json.dumps(TRUTH))]
    runs = {
        "run.json": json.dumps(FOUND, indent=1),
        "run.json.gz": json.dumps({"default": {"test": FOUND}}),
        "run.jsonl": "\n".join(in_lines(FOUND)),
    }
    for truth in truths:
        for name, text in runs.items():
            path = written(tmp_path / name, text)
            assert values_of(tmp_path, truth, path) == EXPECTED, name
    capsys.readouterr()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_the_command_reads_them_through_a_pipe(tmp_path, capsys):
    truth = written(tmp_path / "truth.json", json.dumps(TRUTH, indent=2))
    path = tmp_path / "pipe"
    data = gzip.compress(json.dumps(FOUND).encode())
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    assert values_of(tmp_path, truth, path) == EXPECTED
    writer.join(timeout=10)
    os.unlink(path)
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    assert len(in_memory(path)) == 4
    writer.join(timeout=10)
    capsys.readouterr()


# Files that the tools write


def rows_in(run):
    return [(q, i, float(x)) for q, of in run.items() for i, x in of.items()]


@pytest.mark.peers
def test_files_of_mteb(tmp_path):
    abstask = pytest.importorskip("mteb.abstasks.abstask")
    meta = types.SimpleNamespace(name="me/model", revision="1")
    model = types.SimpleNamespace(mteb_model_meta=meta)
    path = tmp_path / "NFCorpus_predictions.json"
    task = types.SimpleNamespace(_predictions_path=lambda folder: path)
    save = abstask.AbsTask._save_task_predictions
    save(task, FOUND, model, tmp_path, "test", "default")
    assert in_memory(path) == rows_in(FOUND)
    save(task, FOUND, model, tmp_path, "dev", "default")
    with pytest.raises(FileError, match=r"Received: 'test, dev'\. Write one"):
        in_memory(path)


@pytest.mark.peers
def test_files_of_beir(tmp_path):
    util = pytest.importorskip("beir.util")
    loader = pytest.importorskip("beir.datasets.data_loader")
    (tmp_path / "qrels").mkdir()
    util.write_to_json(tmp_path / "corpus.jsonl", dict.fromkeys("abc", "text"))
    util.write_to_json(tmp_path / "queries.jsonl", {"q1": "x", "q2": "y"})
    util.write_to_tsv(tmp_path / "qrels" / "test.tsv", TRUTH)
    _, _, qrels = loader.GenericDataLoader(str(tmp_path)).load(split="test")
    assert qrels == TRUTH
    assert in_memory(tmp_path, "label") == rows_in(TRUTH)
    util.save_runfile(str(tmp_path / "run.trec"), FOUND)
    assert sorted(in_memory(tmp_path / "run.trec")) == sorted(rows_in(FOUND))


@pytest.mark.peers
def test_files_of_sentence_transformers(tmp_path):
    evaluation = pytest.importorskip(
        "sentence_transformers.sentence_transformer.evaluation"
    )
    torch = pytest.importorskip("torch")

    class Evaluator(evaluation.InformationRetrievalEvaluator):
        def embed_inputs(self, model, texts, *args, **kwargs):
            return torch.tensor([[float(text)] for text in texts])

    evaluator = Evaluator(
        queries={"q1": "1", "q2": "-1"},
        corpus={"a": "3", "b": "1", "c": "2"},
        relevant_docs={"q1": {"a"}, "q2": {"b"}},
        score_functions={"dot": lambda one, other: one @ other.T},
        write_predictions=True,
        name="tiny",
    )
    evaluator.compute_all_metrics(None, output_path=str(tmp_path))
    [path] = tmp_path.glob("*_predictions_dot.jsonl")
    assert in_memory(path) == [
        ("q1", "a", 3.0),
        ("q1", "c", 2.0),
        ("q1", "b", 1.0),
        ("q2", "b", -1.0),
        ("q2", "c", -2.0),
        ("q2", "a", -3.0),
    ]


@pytest.mark.peers
@pytest.mark.long
def test_files_of_ranx(tmp_path):
    ranx = pytest.importorskip("ranx")
    ranx.Run(FOUND).save(str(tmp_path / "run.json"))
    ranx.Qrels(TRUTH).save(str(tmp_path / "qrels.json"))
    assert sorted(in_memory(tmp_path / "run.json")) == sorted(rows_in(FOUND))
    found = in_memory(tmp_path / "qrels.json", "label")
    assert sorted(found) == sorted(rows_in(TRUTH))

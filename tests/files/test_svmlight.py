"""Judgements of SVMlight, next to scores of their lines and to runs."""

import gzip
import json
import pathlib

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.files import FileError, blocks
from krm_command import main

METRICS = "NDCG@3 RR P@2"
LINES = [
    "2 qid:1 1:0.3 2:0.5 # doc7",
    "0 qid:1 1:0.1 # doc8",
    "1 qid:1 2:0.5 # doc9",
    "0 qid:2 1:0.3 # doc7",
    "1.0 qid:2 1:2e-1 # doc1",
]
SCORES = ["0.1", "9e-1", "-0.5", "0.3", "0.1"]
RANKLIB = [
    f"{query}\t{place}\t{score}"
    for query, place, score in zip("11122", "01201", SCORES, strict=True)
]
DICTS = (
    {"1": {"doc7": 2, "doc8": 0, "doc9": 1}, "2": {"doc7": 0, "doc1": 1}},
    {
        "1": {"doc7": 0.1, "doc8": 0.9, "doc9": -0.5},
        "2": {"doc7": 0.3, "doc1": 0.1},
    },
)


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        """Return the path of each file, of the lines of each name."""
        paths = []
        for name, lines in texts.items():
            path = tmp_path / name
            path.write_text("".join(f"{line}\n" for line in lines))
            paths.append(str(path))
        return paths

    return write


def values(found):
    return {name: pytest.approx(value) for name, value in found.items()}


@pytest.mark.parametrize("scores", [SCORES, RANKLIB], ids=["alone", "RankLib"])
@pytest.mark.parametrize("packed", [False, True])
def test_scores_go_with_the_lines(files, scores, packed):
    truth, run = files(truth=LINES, run=scores)
    if packed:
        for path in map(pathlib.Path, (truth, run)):
            path.write_bytes(gzip.compress(path.read_bytes()))
    expected = values(krm.evaluate(*DICTS, METRICS))
    assert dict(krm.evaluate(truth, run, METRICS)) == expected


def test_blank_lines_comments_and_ends_of_lines_count_for_nothing(files):
    odd = ["", "# of 2 queries", *LINES[:3], " ", *LINES[3:], "#"]
    truth, run = files(
        truth=[f"  {x}\r".replace("# doc", "#doc") for x in odd],
        run=["", *SCORES, "", ""],
    )
    expected = values(krm.evaluate(*DICTS, METRICS))
    assert dict(krm.evaluate(truth, run, METRICS)) == expected


@pytest.mark.parametrize("step", [1, 7, 90])
def test_blocks_cut_no_line(files, monkeypatch, step):
    truth, run = files(truth=LINES, run=SCORES)
    expected = values(krm.evaluate(*DICTS, METRICS))
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (step,))
    assert dict(krm.evaluate(truth, run, METRICS)) == expected


@pytest.mark.peers
@pytest.mark.parametrize("metrics", [METRICS, krm.NDCG(k=5, ties="stable")])
def test_values_are_those_of_load_svmlight_file(files, metrics, rng):
    datasets = pytest.importorskip("sklearn.datasets")
    query = np.repeat(np.arange(40), rng.integers(1, 12, 40))
    features = rng.random((len(query), 5))
    labels = rng.integers(0, 5, len(query))
    truth, run = files(truth=[], run=[])
    datasets.dump_svmlight_file(
        features, labels, truth, query_id=query, zero_based=False
    )
    scores = np.round(features[:, 0], 1)  # some tie
    np.savetxt(run, scores)
    _, label, qid = datasets.load_svmlight_file(truth, query_id=True)
    expected = krm.evaluate_rows(qid, label, scores, metrics)
    found = krm.evaluate(truth, run, metrics)
    assert dict(found) == pytest.approx(dict(expected), rel=1e-6)


def test_systems_are_compared(files):
    truth, a, b = files(truth=LINES, a=SCORES, b=[*"13254"])
    compared = krm.compare(truth, {"a": a, "b": b}, "RR", baseline="b")
    assert compared.per_list()["RR"] == [0.5, 0.5, 0.5, 0.5]
    far = krm.compare(
        truth,
        {"a": a, "b": b},
        "RR",
        higher_is_better={"b": False},
        sample_weight={"1": 1.0, "2": 3.0},
    )
    assert far.per_list()["RR"] == [0.5, 0.5, 1.0, 1.0]
    assert far.to_dict()["systems"]["b"]["RR"]["value"] == 1.0


def test_the_command_reads_them(files, capsys):
    truth, a, b = files(**{"t.svm": LINES, "a.txt": SCORES, "b.txt": RANKLIB})
    assert main(["eval", truth, a, b, "-m", METRICS, "--format", "json"]) == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    expected = values(krm.evaluate(*DICTS, METRICS))
    for name in "ab":
        assert expected == {x: y["value"] for x, y in systems[name].items()}
    gate = ["gate", truth, b, a, "-m", "RR", "--tolerance", "0.1"]
    assert main(gate) == 0
    assert main(["doctor", truth, a]) == 1  # lists are short
    assert "2 of 2 queries retrieve fewer" in capsys.readouterr().out


def test_other_functions_read_them_as_one_table(files):
    truth, run = files(truth=LINES, run=[1, 2, 3, 4, 4])
    table = {
        "query": [*"11122"],
        "label": [2, 0, 1, 0, 1],
        "score": [1, 2, 3, 4, 4],
    }
    for measure in (krm.tie_range, krm.ceilings):
        assert dict(measure(truth, run, "RR")) == dict(
            measure(table, metrics="RR")
        )
    asked = "NDCG@3"
    value = krm.evaluate(table, metrics=asked)[asked]
    text = str(krm.explain(float(value), truth, run, asked))
    assert f"krm.evaluate({truth!r}, {run!r}, " in text


@pytest.mark.parametrize(
    "comments",
    ["# {}", "#{} ", "#docid = {} inc = 0.01 prob = 0.1", "# docid={}"],
)
def test_comments_are_the_items_of_a_run_with_ids(files, comments):
    lines = [
        x.partition("#")[0] + comments.format(x.split()[-1]) for x in LINES
    ]
    rows = [
        f"{q} Q0 {d} 0 {x} tag"
        for q in DICTS[1]
        for d, x in DICTS[1][q].items()
    ]
    truth, run = files(truth=lines, run=rows)
    expected = values(krm.evaluate(*DICTS, METRICS))
    assert dict(krm.evaluate(truth, run, METRICS)) == expected
    assert dict(krm.evaluate(truth, DICTS[1], METRICS)) == expected


WRONG = {
    "fewer scores": (
        LINES,
        SCORES[:4],
        "run, line 4: .*on each line.*: '4 scores for 5 lines'. Score",
    ),
    "more scores": (
        LINES,
        [*SCORES, 1, 2],
        "run, line 7: .*: '7 scores for 5 lines'. Score all",
    ),
    "no scores": (
        LINES,
        ["1", *[""] * 9],
        "run, line 1: .*: '1 scores for 5 l",
    ),
    "a word": (LINES, [*SCORES[:4], "x"], "run, line 5: The score .*: 'x'"),
    "NaN": (LINES, [*SCORES[:4], "nan"], "run, line 5: The score .*: 'nan'"),
    "two": (LINES, ["1", "1 2", *"345"], "run, line 2: A score, or "),
    "RankLib, other order": (
        LINES,
        [RANKLIB[0], RANKLIB[2], RANKLIB[1], *RANKLIB[3:]],
        "run, line 2: .*RankLib.* Score all lines",
    ),
    "RankLib, other queries": (
        LINES,
        [*RANKLIB[:3], *(x.replace("2", "3", 1) for x in RANKLIB[3:])],
        "run, line 4: .*RankLib.* Score all lines",
    ),
    "a label": (
        ["2 qid:1 1:1", "x qid:1 1:2"],
        [1, 2],
        "truth, line 2: The label should be a number. Received: 'x'",
    ),
    "no query": (
        ["2 qid:1 1:1", "2 1:1"],
        [1, 2],
        "truth, line 2: .*`label qid:query.* Received: '2 1:1'. Write the que",
    ),
    "an empty query": (
        ["2 qid:1 1:1", "2 qid: 1:1"],
        [1, 2],
        "truth, line 2: .*`label qid:query",
    ),
    "no query at all": (["2 1:1", "1 1:2"], [1, 2], "truth, line 1: "),
    "queries apart": (
        [LINES[0], LINES[3], LINES[1]],
        [1, 2, 3],
        "truth, line 3: .*be together. Received: 'qid:1 again.* Sort",
    ),
    "no items": (
        [LINES[0], "1 qid:1 1:0.2"],
        ["1 Q0 doc7 1 0.5 t"],
        "truth, line 2: .* # item`.*: '1 qid:1 1:0.2'. Or pass a file",
    ),
    "two words": (
        ["1 qid:1 1:0.2 # the first"],
        ["1 Q0 doc7 1 0.5 t"],
        "truth, line 1: .* # item`.* # the first'. Or pass a file of",
    ),
    "swapped": (
        SCORES,
        LINES,
        "truth, line 1: .* after judgements of SVMlight",
    ),
    "judgements of TREC": (
        ["1 0 doc7 1"],
        SCORES,
        "run, line 1: Files of scores .* of SVMlight. .* write a query an",
    ),
    "one is a run": (
        LINES,
        ["0.1", "1 Q0 doc7 1 0.5 t"],
        "run, line 2: A score, or",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_says_where(files, name):
    judged, scores, message = WRONG[name]
    truth, run = files(truth=judged, run=scores)
    with pytest.raises(FileError, match=message):
        krm.evaluate(truth, run, "RR")


def test_an_item_occurs_once(files):
    lines = [*LINES[:2], LINES[0]]
    truth, run = files(truth=lines, run=["1 Q0 doc7 1 0.5 t"])
    with pytest.raises(ValueError, match="once"):
        krm.evaluate(truth, run, "RR")


def test_what_one_table_of_lines_lacks_is_refused(files):
    truth, run, tied = files(truth=LINES, run=SCORES, tied=[1] * 5)
    with pytest.raises(ValueError, match="should name a column"):
        krm.evaluate(truth, run, "RR", columns={"query": "q"})
    with pytest.raises(
        ValueError, match=r"no column of items in .*Pass judgements"
    ):
        krm.evaluate(truth, tied, "RR", convention="trec_eval")
    with pytest.raises(FileError, match="Files of scores"):
        krm.evaluate(DICTS[0], run, "RR")
    with pytest.raises(FileError, match="judgements of SVMlight"):
        krm.evaluate(truth, metrics="RR")


def test_a_file_that_does_not_exist_is_named(files, tmp_path, capsys):
    truth, run = files(truth=LINES, run=SCORES)
    missing = str(tmp_path / "missing")
    for paths in ((truth, missing), (missing, run)):
        with pytest.raises(FileError, match=r"missing: .* should exist"):
            krm.evaluate(*paths, "RR")
        assert main(["eval", *paths, "-m", "RR"]) == 2
        assert "missing: The file should exist" in capsys.readouterr().err

"""The learning-to-rank example: what it prints, reads and refuses."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from printed import assert_readable, epochs
from scripts import ran

ROOT = Path(__file__).resolve().parents[2]
LAMBDARANK = ROOT.parent / "shared" / "data" / "lambdarank"
METRICS = ["ndcg@1", "ndcg@5", "ndcg@10", "map@10", "mrr@10", "precision@5"]


@pytest.fixture(scope="module")
def example():
    import learning_to_rank

    return learning_to_rank


def tables(output: str, title: str) -> list[dict[str, dict[str, float]]]:
    """The printed tables of a title: scorer, metric, number."""
    lines = output.splitlines()
    found = []
    for number, line in enumerate(lines):
        if line.split()[:1] == [title] and line.split()[1:] == METRICS:
            rows = [row.split() for row in lines[number + 1 : number + 4]]
            found.append(
                {
                    scorer: dict(zip(METRICS, map(float, cells), strict=True))
                    for scorer, *cells in rows
                }
            )
    return found


def expected_at_random(labels: list[int]) -> dict[str, float]:
    """The expectation over all orders of one list, by its own formulas."""
    n = len(labels)
    relevant = sum(label >= 1 for label in labels)
    p = relevant / n
    values = {"precision@5": p}
    gains = sorted((2.0**label - 1 for label in labels), reverse=True)
    for k in (1, 5, 10):
        discounts = [
            1 / math.log2(rank + 1) for rank in range(1, 1 + min(k, n))
        ]
        ideal = sum(g * d for g, d in zip(gains, discounts, strict=False))
        mean = sum(gains) / n * sum(discounts)
        values[f"ndcg@{k}"] = mean / ideal if ideal else 0.0
    ap = rr = 0.0
    missed = 1.0  # the probability that no rank above holds a relevant item
    for rank in range(1, 1 + min(10, n)):
        others = (relevant - 1) / (n - 1) if n > 1 else 0.0
        ap += p * (1 + (rank - 1) * others) / rank
        left = n - rank + 1
        rr += missed * min(relevant / left, 1.0) / rank
        missed *= max(left - relevant, 0) / left
    values["map@10"] = ap / relevant if relevant else 0.0
    values["mrr@10"] = rr
    return values


# The generated queries


@pytest.fixture(scope="module")
def generated_run():
    return ran(
        "learning_to_rank.py",
        "--queries",
        "200",
        "--epochs",
        "3",
        "--seed",
        "1",
    )


@pytest.mark.long
def test_script_runs_on_generated_queries(generated_run):
    assert generated_run.returncode == 0, generated_run.stderr
    output = generated_run.stdout
    assert "generated from seed 1, not real" in output
    assert "120 to train on, 40 for validation, 40 to test" in output
    assert_readable(output)
    lines = epochs(output)
    assert len(lines) == 3
    assert lines[2]["loss"] < lines[0]["loss"]
    assert all(0 < line["val_ndcg@10"] < 1 for line in lines)


@pytest.mark.long
def test_trained_model_beats_random_and_constant(generated_run):
    (table,) = tables(generated_run.stdout, "test")
    assert list(table) == ["model", "random", "constant"]
    for name in METRICS:
        assert table["model"][name] > table["random"][name]
        assert table["model"][name] > table["constant"][name]


@pytest.mark.long
def test_a_signature_follows_the_table(generated_run):
    *_, last = generated_run.stdout.splitlines()
    assert last.startswith("NDCG@10|gain:")


def test_generated_queries_come_from_the_seed(example):
    one, again, other = (
        example.generate(20, np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert np.array_equal(one.test.labels, again.test.labels)
    assert np.array_equal(one.train.features, again.train.features)
    assert not np.array_equal(one.test.labels, other.test.labels)


def test_generated_queries_are_padded_and_some_have_nothing_relevant(example):
    train = example.generate(100, np.random.default_rng(0)).train
    padding = train.labels < 0
    assert padding.any() and not padding.all(axis=1).any()
    assert np.all(train.labels[padding] == example.PADDING)
    assert np.all(train.features[padding] == 0)
    assert set(np.unique(train.labels[~padding])) == {0, 1, 2, 3, 4}
    assert np.any(train.labels.max(axis=1) == 0)


def test_constant_scorer_is_at_chance_level(example):
    labels = example.generate(30, np.random.default_rng(0)).train.labels
    lists = [[int(y) for y in row if y >= 0] for row in labels]
    chance = [expected_at_random(row) for row in lists]
    results = example.measure(labels, np.zeros_like(labels))
    assert list(results) == METRICS
    for name, value in results.items():
        expected = sum(values[name] for values in chance) / len(chance)
        assert value == pytest.approx(expected, abs=1e-6), name


# The loss


def test_loss_is_the_cross_entropy_over_the_valid_items(example):
    y_true = np.array([[3.0, 0.0, 1.0, -1.0]], "float32")
    y_pred = np.array([[0.5, 2.0, -1.0, 9.0]], "float32")
    total = math.exp(0.5) + math.exp(2.0) + math.exp(-1.0)
    expected = -(
        0.75 * math.log(math.exp(0.5) / total)
        + 0.25 * math.log(math.exp(-1.0) / total)
    )
    loss = example.listwise_softmax(
        ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
    )
    np.testing.assert_allclose(
        ops.convert_to_numpy(loss), [expected], rtol=1e-5
    )


def test_loss_of_lists_without_relevant_or_valid_items_is_zero(example):
    y_true = np.array([[0.0, 0.0, -1.0], [-1.0, -1.0, -1.0]], "float32")
    y_pred = np.array([[5.0, -5.0, 1.0], [1.0, 2.0, 3.0]], "float32")
    loss = example.listwise_softmax(
        ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
    )
    np.testing.assert_array_equal(ops.convert_to_numpy(loss), [0.0, 0.0])


# Files

LISTS = [[2, 0, 1], [0, 1], [0, 0, 4, 1, 0, 3], [1, 0], [0, 0, 0]]


def svmlight(lists: list[list[int]], qids: bool = True) -> str:
    return "".join(
        f"{label}{f' qid:{q}' if qids else ''} 1:{label * 0.5 + i * 0.1} 3:1\n"
        for q, labels in enumerate(lists)
        for i, label in enumerate(labels)
    )


def write(directory: Path, **files: str) -> Path:
    """Writes files, named with `_` for the dots."""
    for name, text in files.items():
        (directory / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return directory


def read(example, directory: Path):
    return example.read_splits(directory, np.random.default_rng(0))


def refusal(example, capsys, directory: Path) -> str:
    """The one line with which the script refuses a directory."""
    with pytest.raises(SystemExit) as exit_info:
        example.main(["--data", str(directory)])
    assert capsys.readouterr().err == ""
    message = exit_info.value.code
    assert isinstance(message, str) and "\n" not in message
    assert message.startswith(str(directory))
    return message.removeprefix(str(directory)).lstrip(os.sep)


@pytest.mark.long
def test_main_on_qid_files(example, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(  # training is tested above, and takes its time
        example,
        "train_model",
        lambda splits, *_: example.build_model(splits.train),
    )
    text = svmlight(LISTS)
    write(tmp_path, train_txt=text, test_txt=text)
    example.main(["--data", str(tmp_path)])
    output = capsys.readouterr().out
    assert f"read from {tmp_path}" in output
    assert "4 to train on, 1 for validation, 5 to test" in output
    (table,) = tables(output, "test")
    chance = [expected_at_random(labels) for labels in LISTS]
    for name in METRICS:
        expected = sum(values[name] for values in chance) / len(chance)
        assert table["constant"][name] == pytest.approx(expected, abs=6e-5)


def test_qid_and_query_files_give_the_same(example, tmp_path):
    (tmp_path / "qid").mkdir()
    (tmp_path / "query").mkdir()
    counts = "".join(f"{len(labels)}\n" for labels in LISTS)
    by_qid = read(
        example,
        write(
            tmp_path / "qid",
            train_txt=svmlight(LISTS),
            test_txt=svmlight(LISTS[:2]),
        ),
    )
    by_query = read(
        example,
        write(
            tmp_path / "query",
            rank_train=svmlight(LISTS, qids=False),
            rank_train_query=counts,
            rank_test=svmlight(LISTS[:2], qids=False),
            rank_test_query="3\n2\n",
        ),
    )
    assert by_qid.test.labels.tolist() == [[2, 0, 1], [0, 1, -1]]
    for one, other in zip(by_qid, by_query, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert np.array_equal(one.features, other.features)


def test_comments_blank_lines_and_sparse_features(example, tmp_path):
    train = (
        "# a file\n\n"
        "1 qid:a 0:0.5 7:2 # a comment: 9:9\n"
        "   \r\n"
        "0.5 qid:a\n"
        "0 qid:b 3:-1e-1\n"
    )
    test = "2 qid:c 3:4 7:5 99:6"  # feature 99 is in no training row
    write(tmp_path, train_txt=train, vali_txt=train, test_txt=test)
    splits = read(example, tmp_path)
    assert splits.train.labels.tolist() == [[1, 0.5], [0, -1]]
    np.testing.assert_allclose(  # columns: features 0, 3 and 7
        splits.train.features,
        [[[0.5, 0, 2], [0, 0, 0]], [[0, -0.1, 0], [0, 0, 0]]],
    )
    assert splits.test.features.tolist() == [[[0, 4, 5]]]
    assert np.array_equal(splits.validation.labels, splits.train.labels)


def test_validation_file_leaves_the_training_queries_whole(example, tmp_path):
    write(
        tmp_path,
        a_train=svmlight(LISTS),
        a_vali=svmlight(LISTS[:2]),
        a_test=svmlight(LISTS[:1]),
    )
    sizes = [len(queries.labels) for queries in read(example, tmp_path)]
    assert sizes == [5, 2, 1]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("x qid:1 1:1", "label 'x' is not a number"),
        ("qid:1 1:1", "label 'qid:1' is not a number"),
        ("nan qid:1 1:1", "label 'nan' is not a finite float32"),
        ("-1 qid:1 1:1", "label '-1' is negative"),
        ("1 qid:1 1:x", "feature 1 'x' is not a number"),
        ("1 qid:1 1:", "feature 1 '' is not a number"),
        ("1 qid:1 2:-inf", "feature 2 '-inf' is not a finite float32"),
        ("1 qid:1 2:1e39", "feature 2 '1e39' is not a finite float32"),
        ("1 qid:1 12", "'12' is not of the form feature:value"),
        ("1 qid:1 a:1", "'a:1' is not of the form feature:value"),
        ("1 qid:1 -2:1", "'-2:1' is not of the form feature:value"),
        ("1 qid:1 2:1 2:3", "feature 2 occurs twice"),
        ("1 1:1", "no qid:, and there is no train.txt.query"),
        ("1 qid: 1:1", "no qid:, and there is no train.txt.query"),
        ("1 qid:0 1:1", "the rows of qid:0 are not contiguous"),
    ],
)
def test_malformed_row_names_file_and_line(
    example, tmp_path, capsys, row, reason
):
    train = f"1 qid:0 1:1\n\n# comment\n0 qid:1 1:1\n{row}\n"
    write(tmp_path, train_txt=train, test_txt=svmlight(LISTS))
    message = refusal(example, capsys, tmp_path)
    assert message.startswith(f"train.txt:5: {reason}")


def test_rows_not_contiguous_say_where_the_others_are(
    example, tmp_path, capsys
):
    rows = "1 qid:0 1:1\n0 qid:0 1:1\n0 qid:1 1:1\n0 qid:0 1:1\n"
    write(tmp_path, train_txt=rows, test_txt=rows)
    message = refusal(example, capsys, tmp_path)
    assert message == (
        "train.txt:4: the rows of qid:0 are not contiguous: "
        "the others end at line 2"
    )


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (
            "3\n2\n6\n2\n4\n",
            "a.train.query:5: the counts add up to 17 rows by here, "
            "but a.train has 16",
        ),
        (
            "3\n2\n",
            "a.train:6: this row belongs to no query: the counts in "
            "a.train.query add up to 5 rows of 16",
        ),
        ("3\n\ntwo\n", "a.train.query:3: 'two' is not a positive number"),
        ("3\n-2\n", "a.train.query:2: '-2' is not a positive number"),
        ("3\n0\n", "a.train.query:2: '0' is not a positive number"),
    ],
)
def test_malformed_counts_name_file_and_line(
    example, tmp_path, capsys, counts, message
):
    rows = svmlight(LISTS, qids=False)
    write(tmp_path, a_train=rows, a_test=rows, a_train_query=counts)
    assert refusal(example, capsys, tmp_path).startswith(message)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "train.txt: no such file, nor a NAME.train beside it"),
        ({"a_train": svmlight(LISTS)}, "a.test: No such file"),
        ({"train_txt": svmlight(LISTS)}, "test.txt: No such file"),
        ({"train_txt": "# nothing\n"}, "train.txt: no rows"),
        (
            {"train_txt": "1 qid:1\n0 qid:2\n", "test_txt": "1 qid:1 1:1\n"},
            "train.txt: no row has a feature",
        ),
        (
            {"train_txt": "1 qid:1 1:1\n", "test_txt": "1 qid:1 1:1\n"},
            "train.txt: a single query: none is left for validation",
        ),
        ({"a_train": "", "b_train": ""}, ": which one to train on: a.train, b"),
    ],
)
def test_missing_or_empty_file_is_named(
    example, tmp_path, capsys, files, message
):
    write(tmp_path, **files)
    assert refusal(example, capsys, tmp_path).startswith(message)


def test_missing_directory_is_named(example, tmp_path, capsys):
    message = refusal(example, capsys, tmp_path / "absent")
    assert message == ": no such directory"


@pytest.mark.parametrize(
    "arguments", [["--epochs", "0"], ["--batch-size", "x"], ["--queries", "4"]]
)
def test_bad_arguments_are_refused(example, capsys, arguments):
    with pytest.raises(SystemExit):
        example.main(arguments)
    assert arguments[0] in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.skipif(
    not LAMBDARANK.is_dir(),
    reason="the lambdarank sample is not in ../shared/data",
)
def test_trained_model_beats_random_on_real_queries(example, capsys):
    example.main(["--data", str(LAMBDARANK), "--epochs", "8"])
    output = capsys.readouterr().out
    assert "161 to train on, 40 for validation, 50 to test" in output
    (table,) = tables(output, "test")
    for name in ("ndcg@1", "ndcg@5", "ndcg@10"):
        assert table["model"][name] > 0.08 + table["random"][name]
        assert table["model"][name] > 0.08 + table["constant"][name]
    assert table["constant"]["ndcg@1"] < 0.5

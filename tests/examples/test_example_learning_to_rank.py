"""The learning-to-rank example: what it prints, reads and refuses."""

from __future__ import annotations

import argparse
import csv
import math
import os
import re
import tempfile
import types
from pathlib import Path
from xml.etree import ElementTree

import console
import keras
import numpy as np
import pytest
from keras import ops
from printed import epochs
from scripts import ran

ROOT = Path(__file__).resolve().parents[2]
LAMBDARANK = ROOT.parent / "shared" / "data" / "lambdarank"
METRICS = ["ndcg@10", "map@10"]
FILES = ["comparison.md", "history.csv", "learning_curve.svg", "ranker.keras"]


@pytest.fixture(scope="module")
def example():
    import learning_to_rank

    return learning_to_rank


@pytest.fixture(scope="module")
def queries():
    import queries

    return queries


def table(output: str) -> dict[str, dict[str, float]]:
    """The values of the printed table: scorer, metric, number."""
    rows = re.findall(r"^(constant|random|model) +(\d.*)$", output, re.M)
    values = {
        scorer: re.findall(r"(\d\.\d{4}) [±\[]", cells)
        for scorer, cells in rows
    }
    return {
        scorer: dict(zip(METRICS, map(float, numbers), strict=True))
        for scorer, numbers in values.items()
    }


def expected_at_random(labels: list[int]) -> dict[str, float]:
    """The expectation over all orders of one list, by its own formulas."""
    n = len(labels)
    relevant = sum(label >= 1 for label in labels)
    ranks = range(1, 1 + min(10, n))
    gains = sorted((2.0**label - 1 for label in labels), reverse=True)
    discounts = [1 / math.log2(rank + 1) for rank in ranks]
    ideal = sum(g * d for g, d in zip(gains, discounts, strict=False))
    dcg = sum(gains) / n * sum(discounts)
    others = (relevant - 1) / (n - 1) if n > 1 else 0.0
    ap = sum(relevant / n * (1 + (rank - 1) * others) / rank for rank in ranks)
    return {
        "ndcg@10": dcg / ideal if ideal else 0.0,
        "map@10": ap / relevant if relevant else 0.0,
    }


# The generated queries


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("runs") / "new" / "output"


@pytest.fixture(scope="module")
def generated_run(directory):
    options = ["--queries", "200", "--epochs", "3", "--seed", "1"]
    return ran("learning_to_rank.py", *options, "--output", str(directory))


@pytest.mark.long
def test_script_runs_on_generated_queries(generated_run):
    assert generated_run.returncode == 0, generated_run.stderr
    output = generated_run.stdout
    assert "generated from seed 1, not real" in output
    assert "120 to train on, 40 for validation, 40 to test" in output
    lines = epochs(output)
    assert len(lines) == 3
    assert lines[2]["loss"] < lines[0]["loss"]
    assert all(0 < line["val_ndcg@10"] < 1 for line in lines)


@pytest.mark.long
def test_trained_model_beats_random_and_constant(generated_run):
    values = table(generated_run.stdout)
    assert list(values) == ["constant", "random", "model"]
    for name in METRICS:
        assert values["model"][name] > values["random"][name]
        assert values["model"][name] > values["constant"][name]
    [row] = re.findall("^model .*$", generated_run.stdout, re.M)
    assert row.count("▲") == len(METRICS)


@pytest.mark.long
def test_the_last_lines_name_all_files(generated_run, directory):
    last = generated_run.stdout.partition("\nWritten to ")[2].splitlines()
    assert last[0] == f"{directory}:"
    assert sorted(line.split()[0] for line in last[1:]) == FILES
    assert sorted(path.name for path in directory.iterdir()) == FILES


@pytest.mark.long
def test_the_saved_model_gives_the_printed_number(
    generated_run, directory, example
):
    path = directory / "ranker.keras"
    model = keras.saving.load_model(path, compile=False)
    test = example.load(arguments(), np.random.default_rng(1)).test
    values = table(generated_run.stdout)["model"]
    for metric in example.make_metrics():
        metric.update_state(
            test.labels, model.predict(test.features, verbose=0)
        )
        printed = values[metric.name]
        assert float(metric.result()) == pytest.approx(printed, abs=1e-4)


def arguments():
    """The options with which the script ran."""
    return argparse.Namespace(data=None, queries=200, seed=1)


@pytest.mark.long
def test_the_history_has_a_row_for_each_printed_epoch(generated_run, directory):
    with (directory / "history.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]
    for line, row in zip(epochs(generated_run.stdout), rows, strict=True):
        for name, value in line.items():
            assert float(row[name]) == pytest.approx(value, abs=1e-4)


@pytest.mark.long
def test_the_comparison_has_the_values_and_signatures(generated_run, directory):
    text = (directory / "comparison.md").read_text(encoding="utf-8")
    for values in table(generated_run.stdout).values():
        for value in values.values():
            assert f"{value:.4f}" in text
    assert "`NDCG@10|gain:" in text and "`MeanAveragePrecision@10|" in text


@pytest.mark.long
def test_running_again_overwrites(example, directory, generated_run, capsys):
    path = directory / "history.csv"
    path.write_text("of another run")
    options = ["--queries", "60", "--epochs", "1", "--seed", "1"]
    example.main([*options, "--output", str(directory)])
    assert len(epochs(capsys.readouterr().out)) == 1
    assert len(path.read_text().splitlines()) == 2
    assert sorted(path.name for path in directory.iterdir()) == FILES


def curve_of(values):
    """Return the texts, the points and the dots of a learning curve."""
    from learning_curve import draw_learning_curve

    svg = "{http://www.w3.org/2000/svg}"
    picture = ElementTree.fromstring(draw_learning_curve("ndcg", values))
    curves = [c.get("points") for c in picture.iter(f"{svg}polyline")]
    texts = [t.text for t in picture.iter(f"{svg}text")]
    dots = [
        f"{d.get('cx')},{d.get('cy')}" for d in picture.iter(f"{svg}circle")
    ]
    return texts, " ".join(curves).split(), dots


@pytest.mark.parametrize("values", [[0.5], [0.2, 0.8, 0.75], [0.0, 1.0]])
def test_the_learning_curve_marks_the_best_epoch(values):
    texts, points, dots = curve_of(values)
    best = values.index(max(values))
    assert texts[0] == f"ndcg by epoch, best {max(values):.4f}"
    assert f"{best + 1}" in texts
    assert len(points) == len(values) and dots == [points[best]]
    for point in points:
        x, y = map(float, point.split(","))
        assert 0 <= x <= 480 and 40 <= y <= 260


def test_the_learning_curve_of_a_diverged_run():
    texts, points, _ = curve_of([0.5, 0.6, math.nan, math.inf])
    assert texts[0] == "ndcg by epoch, best 0.6000" and len(points) == 2
    assert curve_of([math.nan])[:2] == (["ndcg is never finite"], [])


@pytest.mark.parametrize("best", [1, 97, 98])
def test_the_labels_of_the_learning_curve_do_not_overlap(best):
    values = [0.5] * 100
    values[best] = 0.6
    epochs = [text for text in curve_of(values)[0] if text.isdigit()]
    assert epochs == (["2", "100"] if best == 1 else ["1", str(best + 1)])


def refused_output(example, path: Path) -> str:
    """What the script says of a directory that it cannot write to."""
    with pytest.raises(SystemExit) as caught:
        example.main(["--output", str(path)])
    return str(caught.value.code)


def test_a_file_in_place_of_the_output_directory(example, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("")
    assert refused_output(example, path) == (
        f"{path}: cannot write to this directory: it is a file. "
        "Choose another one with --output."
    )
    inside = path / "output"
    assert refused_output(example, inside).startswith(f"{inside}: cannot write")


def test_an_output_directory_that_is_not_writable(
    example, tmp_path, monkeypatch
):
    def denied(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", denied)
    assert refused_output(example, tmp_path) == (
        f"{tmp_path}: cannot write to this directory: Permission denied. "
        "Choose another one with --output."
    )


def test_generated_queries_come_from_the_seed(queries):
    one, again, other = (
        queries.generate(20, np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert np.array_equal(one.test.labels, again.test.labels)
    assert np.array_equal(one.train.features, again.train.features)
    assert not np.array_equal(one.test.labels, other.test.labels)


def test_generated_queries_are_padded_and_some_have_nothing_relevant(queries):
    train = queries.generate(100, np.random.default_rng(0)).train
    padding = train.labels < 0
    assert padding.any() and not padding.all(axis=1).any()
    assert np.all(train.labels[padding] == queries.PADDING)
    assert np.all(train.features[padding] == 0)
    assert set(np.unique(train.labels[~padding])) == {0, 1, 2, 3, 4}
    assert np.any(train.labels.max(axis=1) == 0)


def test_constant_scorer_is_at_chance_level(example, queries):
    rng = np.random.default_rng(0)
    train = queries.generate(30, rng).train
    labels = train.labels
    lists = [[int(y) for y in row if y >= 0] for row in labels]
    chance = [expected_at_random(row) for row in lists]
    model = types.SimpleNamespace(predict=lambda x, verbose: x[..., 0])
    compared = example.compare(model, train, rng)
    assert compared.baseline == "constant"
    cells = compared.to_dict()["systems"]["constant"]
    assert list(cells) == METRICS
    for name, cell in cells.items():
        value = cell["value"]
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


def read(queries, directory: Path):
    return queries.read_splits(directory, np.random.default_rng(0))


def refusal(example, capsys, directory: Path) -> str:
    """The one line with which the script refuses a directory."""
    with pytest.raises(SystemExit) as exit_info:
        output = directory.parent / "output"
        example.main(["--data", str(directory), "--output", str(output)])
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
        lambda splits, *_: (
            example.build_model(splits.train),
            {"val_ndcg@10": [0.5]},
        ),
    )
    text = svmlight(LISTS)
    write(tmp_path, train_txt=text, test_txt=text)
    output = tmp_path / "output"
    example.main(["--data", str(tmp_path), "--output", str(output)])
    output = capsys.readouterr().out
    assert f"read from {tmp_path}" in output
    assert "4 to train on, 1 for validation, 5 to test" in output
    values = table(output)
    chance = [expected_at_random(labels) for labels in LISTS]
    for name in METRICS:
        expected = sum(each[name] for each in chance) / len(chance)
        assert values["constant"][name] == pytest.approx(expected, abs=6e-5)


def test_qid_and_query_files_give_the_same(queries, tmp_path):
    (tmp_path / "qid").mkdir()
    (tmp_path / "query").mkdir()
    counts = "".join(f"{len(labels)}\n" for labels in LISTS)
    by_qid = read(
        queries,
        write(
            tmp_path / "qid",
            train_txt=svmlight(LISTS),
            test_txt=svmlight(LISTS[:2]),
        ),
    )
    by_query = read(
        queries,
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


def test_comments_blank_lines_and_sparse_features(queries, tmp_path):
    train = (
        "# a file\n\n"
        "1 qid:a 0:0.5 7:2 # a comment: 9:9\n"
        "   \r\n"
        "0.5 qid:a\n"
        "0 qid:b 3:-1e-1\n"
    )
    test = "2 qid:c 3:4 7:5 99:6"  # feature 99 is in no training row
    write(tmp_path, train_txt=train, vali_txt=train, test_txt=test)
    splits = read(queries, tmp_path)
    assert splits.train.labels.tolist() == [[1, 0.5], [0, -1]]
    np.testing.assert_allclose(  # columns: features 0, 3 and 7
        splits.train.features,
        [[[0.5, 0, 2], [0, 0, 0]], [[0, -0.1, 0], [0, 0, 0]]],
    )
    assert splits.test.features.tolist() == [[[0, 4, 5]]]
    assert np.array_equal(splits.validation.labels, splits.train.labels)


def test_validation_file_leaves_the_training_queries_whole(queries, tmp_path):
    write(
        tmp_path,
        a_train=svmlight(LISTS),
        a_vali=svmlight(LISTS[:2]),
        a_test=svmlight(LISTS[:1]),
    )
    sizes = [len(queries.labels) for queries in read(queries, tmp_path)]
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
        ({}, "train.txt: no such file, and no NAME.train either"),
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


@pytest.mark.long
@pytest.mark.skipif(
    not LAMBDARANK.is_dir(),
    reason="the lambdarank sample is not in ../shared/data",
)
def test_trained_model_beats_random_on_real_queries(example, tmp_path, capsys):
    options = ["--data", str(LAMBDARANK), "--epochs", "8"]
    example.main([*options, "--output", str(tmp_path)])
    output = capsys.readouterr().out
    assert "161 to train on, 40 for validation, 50 to test" in output
    values = {scorer: row["ndcg@10"] for scorer, row in table(output).items()}
    assert values["model"] > 0.08 + values["random"]
    assert values["model"] > 0.08 + values["constant"]


def test_a_run_that_has_diverged_has_no_bar():
    assert [console.bar(x) for x in (math.nan, math.inf)] == ["", ""]
    assert console.bar(1.0) == "█" * console.WIDTH

"""What workers refuse, and what they have the driver say, without a cluster."""

import pickle
import re
import warnings

import numpy as np
import pyarrow as pa
import pytest
from pytest import approx
from said import said
from test_job import AboveFour

import keras_rankmetrics as krm
from keras_rankmetrics.adapters import arrow, worker
from keras_rankmetrics.adapters.log_job import LogJob, job_of
from keras_rankmetrics.tables.members import merged

NAN, INF = float("nan"), float("inf")


def items(queries=20, size=4, **columns):
    """Ordinary rows of items; functions of the number of a row as columns."""
    rng = np.random.default_rng(0)
    rows = [
        {"q": f"q{i // size}", "y": int(i % size == 1), "x": x, "w": 1.0}
        for i, x in enumerate(rng.normal(size=queries * size).tolist())
    ]
    return [
        {**row, **{name: make(i) for name, make in columns.items()}}
        for i, row in enumerate(rows)
    ]


def tables_of(job, parts):
    """The tables of several workers, each of which has whole lists."""
    for rows in parts:
        yield worker.lists_of(job, pa.Table.from_pylist(rows))


def sums_of(job, *parts):
    """The sums on the driver, after those of each worker have been sent."""
    job = pickle.loads(pickle.dumps(job))
    packed = [
        packed
        for table in tables_of(job, parts)
        for packed in worker._packed(worker.sums_of_tables(job, [table]))
    ]
    return worker.sum_of(packed)


def said_by(job, *parts):
    """What workers warn of, and what the driver does after them."""
    with warnings.catch_warnings(record=True) as on_workers:
        warnings.simplefilter("ignore")
        for ours in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", ours)
        sums = sums_of(job, *parts)
    with warnings.catch_warnings(record=True) as on_driver:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        job.say(sums)
    return on_workers, [str(each.message) for each in on_driver]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"y": lambda i: i % 3 - 1}, "negative labels from -1 to -1"),
        ({"y": lambda i: i % 9 - 4 - i % 2}, "negative labels from -5 to -1"),
        ({"y": lambda i: i % 4 - 2}, "negative labels from -1 to -1"),
        ({"y": lambda i: 255 if i % 5 else i % 3}, "255, which is -1 or -2"),
        ({"q": lambda i: "nan" if i < 4 else f"q{i // 4}"}, "the text 'nan'"),
        ({"q": lambda i: i // 4 - 1}, "the query -1, the code"),
        ({"q": lambda i: f"1.2E+{i // 4}"}, r"'1\.2E\+0', as a spreadsheet"),
        ({"x": lambda i: float(i)}, "ascend in every query"),
        ({"x": lambda i: 0.5}, "equal scores in every query"),
        ({"y": lambda i: -1}, "no row is judged"),
        ({"q": str}, "80 rows of as many queries"),
    ],
)
def test_the_driver_says_once_what_all_workers_have_seen(change, message):
    rows = items(**change)
    metrics = "NDCG(gain_fn=linear)@3"
    job = LogJob(metrics, "y", "x", query="q")
    parts = [rows[:40], rows[40:60], rows[60:]]
    on_workers, on_driver = said_by(job, *parts)
    assert not on_workers
    assert len([x for x in on_driver if re.search(message, x)]) == 1
    assert len(on_driver) == len(set(on_driver))


IDS = pa.schema([("y", pa.list_(pa.int64())), ("x", pa.list_(pa.int64()))])


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ([([], [3, 5])] * 9, ["'y' should have relevant items"]),
        ([([1], [])] * 9, ["'x' should have recommended items"]),
        ([([], [3, 5])] * 8 + [([1], [])], []),
    ],
)
def test_lists_of_ids_that_are_empty_on_all_workers(lists, words):
    job = LogJob(krm.NDCG(3, inputs="ids"), "y", "x")
    packed = []
    for part in (lists[:4], lists[4:]):
        rows = [dict(zip("yx", each, strict=True)) for each in part]
        table = pa.Table.from_pylist(rows, IDS)
        packed += worker._packed(worker.sums_of_tables(job, [table]))
    texts = said(job.say, worker.sum_of(packed))
    assert len(texts) == len(words), texts
    assert all(word in text for word, text in zip(words, texts, strict=True))


def test_a_part_alone_is_no_reason_to_warn():
    """Ten of its lists have equal scores, and those of others differ."""
    rows = items(x=lambda i: 0.5 if i < 40 else float(-i % 7))
    job = LogJob("NDCG@3", "y", "x", query="q")
    assert said_by(job, rows[:40], rows[40:]) == ([], [])


def test_padding_is_what_all_labels_say():
    """UNJUDGED is no padding, and one part has no relevant item."""
    job = LogJob("NDCG@3", "y", "x", query="q")
    rows = items(y=lambda i: krm.UNJUDGED if i < 40 else i % 2)
    assert said_by(job, rows[:40], rows[40:]) == ([], [])
    rows = items(y=lambda i: -1 if i < 40 else i % 2)
    on_workers, [text] = said_by(job, rows[:40], rows[40:])
    assert not on_workers and "leave out their rows" in text


@pytest.mark.parametrize("name", ["x", "y", "w"])
@pytest.mark.parametrize("wrong, what", [(NAN, "NaN"), (None, "null")])
def test_what_is_missing_names_the_query(name, wrong, what):
    job = LogJob("RR", "y", "x", query="q", sample_weight="w")
    rows = items(y=lambda i: float(i % 4 == 1))
    rows[41][name] = wrong
    with pytest.raises(ValueError) as caught:
        sums_of(job, rows)
    assert f"{name!r} should hold no {what}. Received: 1 of" in str(
        caught.value
    )
    assert "Remove the rows" in str(caught.value)
    assert "array" not in str(caught.value)
    assert caught.value.__notes__ == ["The error is in the query 'q10'."]
    [table] = tables_of(job, [rows])
    with pytest.raises(ValueError, match=f"no {what}.*") as caught:
        worker.values_of_table(job, ["q"], table)
    assert caught.value.__notes__ == ["The error is in the query 'q10'."]


def test_nulls_that_spark_leaves_out_of_its_lists():
    table = pa.table({"q": ["a"], "y": [[1]], "x": [[0.5, 0.4]]})
    table = table.append_column(arrow.ROWS, pa.array([2]))
    job = LogJob("RR", "y", "x", query="q")
    with pytest.raises(ValueError, match=r"'y' should hold no null.*fill them"):
        worker.sums_of_tables(job, [table])


@pytest.mark.parametrize("name", ["y", "x", "w"])
def test_nan_in_rows_that_are_lists_names_the_row(name):
    row = {"y": [1.0, 0.0], "x": [0.5, 0.4], "w": 1.0}
    wrong = NAN if name == "w" else [NAN, 0.0]
    table = pa.Table.from_pylist([row, row, {**row, name: wrong}])
    job = LogJob("RR", "y", "x", sample_weight="w")
    message = rf"(?s){name}' should hold no NaN.*row 2 of a batch"
    with pytest.raises(ValueError, match=message):
        worker.sums_of_tables(job, [table])
    if name == "x":
        table = pa.Table.from_pylist([{**row, name: [None, 0.0]}])
        with pytest.raises(ValueError, match="Only a whole array may be null"):
            worker.sums_of_tables(job, [table])


@pytest.mark.parametrize("wrong", [INF, 1.7e9])
def test_labels_that_are_none_are_errors_of_both_doors(wrong):
    job = LogJob("RR", "y", "x", query="q")
    rows = items(y=lambda i: wrong if i % 2 else 0.0)
    with pytest.raises(ValueError, match="Labels should be"):
        job.say(sums_of(job, rows))
    [table] = tables_of(job, [rows])
    with pytest.raises(ValueError, match="Labels should be"):
        worker.values_of_table(job, ["q"], table)


# Integers of 64 bits.


@pytest.mark.each_backend
@pytest.mark.parametrize("first", [0, 2**24, 2**31, 2**40, -(2**40), 2**60])
@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_integers_are_scores(first, kind):
    if first < 0 and kind == pa.uint64():
        pytest.skip("has no negative integers")
    order = [2 * ((7 * i) % 80) for i in range(80)]  # no places
    rows = items(x=lambda i: first + order[i])
    expected = krm.evaluate_rows(
        [row["q"] for row in rows],
        [row["y"] for row in rows],
        [float(x) for x in order],
        "RR NDCG@3",
    )
    table = pa.Table.from_pylist(rows)
    scores = pa.array([row["x"] for row in rows], kind)
    table = table.set_column(table.column_names.index("x"), "x", scores)
    job = LogJob("RR NDCG@3", "y", "x", query="q")
    sums = worker.sums_of_tables(job, [worker.lists_of(job, table)])
    found = job.with_sums(sums).result()
    assert {x: float(y) for x, y in found.items()} == approx(expected)
    in_one = krm.evaluate_rows(
        *(np.array(table[x]) for x in "qyx"), "RR NDCG@3"
    )
    assert in_one == approx(expected)


@pytest.mark.each_backend
def test_amounts_and_weights_may_be_large():
    amounts = items(y=lambda i: 2**35 * (i % 3), w=lambda i: 2**40)
    small = items(y=lambda i: i % 3)
    names = "NDCG(gain_fn=linear)@3"
    numbers = []
    for rows in (amounts, small):
        job = LogJob(names, "y", "x", query="q", sample_weight="w")
        found = job.with_sums(sums_of(job, rows)).result()
        numbers.append(float(found[names]))
    assert numbers[0] == approx(numbers[1], abs=1e-6)


def test_integers_that_a_metric_of_the_user_sees_tied():
    rows = [{"y": [0, 1], "x": [2**60, 2**60 + 1]}] * 3
    job = LogJob([AboveFour(name="above")], "y", "x")
    sums = worker.sums_of_tables(job, [pa.Table.from_pylist(rows)])
    message = r"differ in float\d\d, in which the.*\['above'\].*Pass `-ranks`"
    with pytest.warns(UserWarning, match=message):
        job.say(sums)


# Arguments.


def door(data, metrics, query=None, backend=None, **options):
    """A door whose engine has a name."""
    return job_of(door, "Spark", (metrics, "y", "x", query), options, backend)


def test_a_door_names_an_argument_that_it_lacks():
    columns = {"sample_weight": "w", "order": "i", "convention": "trec_eval"}
    assert door(None, "map", "q", **columns).order == "i"
    message = r'^door\(\) on Spark has no parameter "{}"\. Did you mean "{}"\?$'
    with pytest.raises(TypeError, match=message.format("weight", ".*_weight")):
        door(None, "RR", weight="w")
    with pytest.raises(TypeError, match=message.format("queryz", "query")):
        door(None, "RR", queryz="q")


# Floating-point warnings of numpy.


@pytest.mark.each_backend
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "change",
    [
        pytest.param({}, marks=pytest.mark.long),
        pytest.param({"y": lambda i: 0}, marks=pytest.mark.long),
        pytest.param({"y": lambda i: 1}, marks=pytest.mark.long),
        pytest.param({"x": lambda i: -INF}, marks=pytest.mark.long),
        {"x": lambda i: INF if i % 2 else -INF},
        {"w": lambda i: 0.0},
    ],
)
def test_numpy_warns_of_nothing(change):
    rows = items(**change)
    metrics = "NDCG@3 RR MAP P@1 Recall@2 AUC ERR RBP BPref RPrec F1@2 MeanRank"
    job = LogJob(metrics, "y", "x", query="q", sample_weight="w")
    found = job.with_sums(sums_of(job, rows[:40], rows[40:]))
    assert len(str(found).splitlines()) == 12
    [table] = tables_of(job, [rows])
    worker.values_of_table(job, ["q"], table)


def test_facts_of_parts_add_up():
    job = LogJob("RR", "y", "x", query="q")
    rows = items()
    one, other = (sums_of(job, x) for x in (rows[:40], rows[40:]))
    [both], [whole] = merged(one, other).facts, sums_of(job, rows).facts
    assert (both.lists, both.longest) == (whole.lists, whole.longest)
    np.testing.assert_array_equal(both.steps, whole.steps)

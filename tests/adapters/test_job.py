"""What a worker does, without a cluster."""

import contextlib
import datetime
import pickle

import keras
import logs
import numpy as np
import pyarrow as pa
import pytest
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.adapters.arrow import (
    arrow_ids_as_int32,
    check_schema,
    flattened,
    kept_columns,
)
from keras_rankmetrics.adapters.log_job import LogJob
from keras_rankmetrics.adapters.worker import (
    BUCKET,
    in_buckets,
    lists_of,
    sum_of,
    sums_of_tables,
    table_to_states,
    values_of_table,
)
from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import merged, with_named
from keras_rankmetrics.tables.ragged import LARGEST, Ragged, chunks, padded

HAS_FLOAT64 = keras.config.backend() in ("tensorflow", "torch")


def evaluated(tables, metrics, *columns, kind=Job, **options):
    job = pickle.loads(pickle.dumps(kind(metrics, *columns, **options)))
    tables = [pa.Table.from_pylist(rows) for rows in tables]
    if job.query is not None:
        tables = [lists_of(job, table) for table in tables]
    return job.with_sums(sums_of_tables(job, tables))


@pytest.mark.parametrize(
    "strings, lists_per_update", [(False, 4096), (True, 40), (False, 1)]
)
def test_ids(strings, lists_per_update):
    rows = logs.of_ids(strings=strings)
    found = evaluated(
        [rows[:50], rows[50:]],
        logs.for_ids(),
        "relevant",
        "recommended",
        sample_weight="weight",
        lists_per_update=lists_per_update,
    )
    expected = logs.for_ids()
    expected.update_state(
        logs.dense(rows, "relevant", -1),
        logs.dense(rows, "recommended", -1),
        np.array(logs.column(rows, "weight")),
    )
    assert logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


@pytest.mark.long
def test_scores_and_items():
    rows = logs.of_scores()
    expected = logs.for_scores()
    expected.update_state(
        logs.dense(rows, "labels", -1), logs.dense(rows, "scores", 0.0)
    )
    expected = approx(logs.numbers(expected), abs=1e-6)
    found = evaluated([rows], logs.for_scores(), "labels", "scores")
    assert logs.numbers(found) == expected
    items = sorted(logs.items_of(rows), key=lambda item: item["query"])
    found = evaluated(
        [items], logs.for_scores(), "label", "score", query="query"
    )
    assert logs.numbers(found) == expected


def test_a_comparison_of_two_parts():
    """A later system has no labels of its own that checks could read."""
    rows = logs.of_scores()
    job = LogJob(
        logs.compared("scores"), "labels", {"old": "scores", "new": "new"}
    )
    packed = [
        table_to_states(pickle.dumps(job), pa.Table.from_pylist(part))
        for part in (rows[:50], rows[50:])
    ]
    found = job.with_sums(sum_of(states["states"][0] for states in packed))
    expected = logs.compared("scores")
    labels = logs.dense(rows, "labels", -1)
    scores = {
        name: logs.dense(rows, column, 0.0)
        for name, column in (("old", "scores"), ("new", "new"))
    }
    expected.update_state(labels, scores)
    assert logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


def test_groups_of_several_columns_beside_a_comparison():
    rows = logs.of_ids()
    metrics = [
        logs.sliced(),
        krm.Sliced(krm.RecallAtK(5, inputs="ids"), 2),
        krm.RecallAtK(5, inputs="ids", name="plain"),
    ]
    found = evaluated(
        [rows],
        metrics,
        "relevant",
        "new",
        group={"ndcg@5": "market", "recall@5": "device"},
    )
    ids = [logs.dense(rows, name, -1) for name in ("relevant", "new")]
    for metric, group in zip(
        metrics,
        [logs.market(rows), np.array(logs.column(rows, "device")), None],
        strict=True,
    ):
        y_true = ids[0] if group is None else {"target": ids[0], "group": group}
        metric.update_state(y_true, ids[1])
    assert logs.numbers(found) == approx(logs.numbers(metrics), abs=1e-6)


@pytest.mark.parametrize(
    "target, exclude",
    [
        ("taken", None),
        ("several", "seen"),
        pytest.param("taken", "seen", marks=pytest.mark.long),
        pytest.param("several", None, marks=pytest.mark.long),
    ],
)
def test_scores_of_a_catalogue(target, exclude):
    rows = logs.of_catalogue()
    found = evaluated(
        [rows[:50], rows[50:]],
        logs.for_sparse(),
        target,
        "scores",
        sample_weight="weight",
        exclude=exclude,
    )
    weights = np.array(logs.column(rows, "weight"))
    expected = logs.of_one_process(rows, target, exclude, weights)
    assert logs.numbers(found) == approx(
        logs.numbers(expected), abs=1e-6, nan_ok=True
    )


@pytest.mark.parametrize("strings", [False, True])
def test_ids_that_are_not_to_be_recommended(strings):
    rows = logs.of_ids(strings=strings)
    found = evaluated(
        [rows], logs.for_ids(), "relevant", "recommended", exclude="new"
    )
    ids = [
        logs.dense(rows, name, -1)
        for name in ("relevant", "new", "recommended")
    ]
    expected = logs.for_ids()
    expected.update_state({"target": ids[0], "exclude": ids[1]}, ids[2])
    assert logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


def test_how_many_relevant_items_there_are():
    rows = logs.of_scores()
    for place, row in enumerate(rows):
        row["number"] = 5 + place % 7
        row["first"] = [0] if row["labels"] else []
    labels, scores = (
        logs.dense(rows, name, fill)
        for name, fill in (("labels", -1), ("scores", 0.0))
    )
    number = np.array(logs.column(rows, "number"))
    y_true = {"labels": labels, "num_relevant": number}
    expected = logs.for_scores()
    expected.update_state(y_true, scores)
    expected = approx(logs.numbers(expected), abs=1e-6)
    found = evaluated(
        [rows], logs.for_scores(), "labels", "scores", num_relevant="number"
    )
    assert logs.numbers(found) == expected
    items = sorted(logs.items_of(rows), key=lambda item: item["query"])
    found = evaluated(
        [items],
        logs.for_scores(),
        "label",
        "score",
        query="query",
        num_relevant="number",
    )
    assert logs.numbers(found) == expected
    excluding = evaluated(
        [rows], logs.for_scores(), "labels", "scores", exclude="first"
    )
    expected = logs.for_scores()
    first = logs.dense(rows, "first", -1)
    expected.update_state({"labels": labels, "exclude": first}, scores)
    assert logs.numbers(excluding) == approx(logs.numbers(expected), abs=1e-6)


@pytest.mark.parametrize(
    "change, options, message",
    [
        ({"y": 3}, {}, "'y' should hold indices.*'x'. Received: 3"),
        ({"x": [1.0]}, {}, "as many in each list. Received: lists of 1 to 3"),
        ({"e": [3]}, {"exclude": "e"}, "'e' should hold indices"),
    ],
)
def test_wrong_indices(change, options, message):
    good = {"y": 0, "x": [1.0, 2.0, 3.0], "e": [0]}
    metric = krm.NDCG(3, inputs="sparse")
    with pytest.raises(ValueError, match=message):
        evaluated([[good, {**good, **change}]], metric, "y", "x", **options)


@pytest.mark.parametrize(
    "columns, options, message",
    [
        (("x", "x"), {}, "'x' of `y_true` should hold arrays of indices"),
        (("y", "y"), {}, "'y' of `y_pred` should hold arrays of numbers"),
        (("y", "x"), {"exclude": "y"}, "'y' of `exclude` should hold arrays"),
    ],
)
def test_columns_of_another_form(columns, options, message):
    table = pa.Table.from_pylist([{"y": 0, "x": [1.0, 2.0]}])
    job = Job(krm.NDCG(3, inputs="sparse"), *columns, **options)
    with pytest.raises(TypeError, match=message):
        check_schema(job, table.schema)


def test_a_number_of_relevant_items_is_not_negative():
    rows = [{"y": [1], "x": [0.5], "n": -1}]
    with pytest.raises(ValueError, match=r"not negative\. Received: -1"):
        evaluated([rows], krm.NDCG(3), "y", "x", num_relevant="n")


@pytest.mark.filterwarnings("ignore:The column 'y' should have labels of 1")
def test_shares_are_not_read_as_irrelevant():
    """As in `evaluate` and `compare`."""
    rows = [{"y": [0.25, 0.0], "x": [2.0, 1.0]}]
    with pytest.raises(
        ValueError, match=r"label of 0\.25 for the metric recall@1"
    ):
        evaluated([rows], [krm.NDCG(), krm.RecallAtK(1)], "y", "x")
    for metric in (krm.NDCG(), krm.RecallAtK(1, relevance_threshold=0.2)):
        found = evaluated([rows], metric, "y", "x")
        assert float(found.result()) == approx(1.0)


def test_what_was_seen_before_does_not_count():
    rows = logs.of_ids()
    fresh, used = logs.for_ids(), logs.for_ids()
    used.update_state([[1]], [[1]])
    before = logs.numbers(used)
    columns = "relevant", "recommended"
    found = evaluated([rows], used, *columns)
    assert logs.numbers(used) == approx(before, nan_ok=True)
    assert logs.numbers(found) == logs.numbers(
        evaluated([rows], fresh, *columns)
    )


def test_a_job_is_done_again_from_the_start():
    job = Job(logs.for_ids(), "relevant", "recommended")
    table = pa.Table.from_pylist(logs.of_ids())
    assert sums_of_tables(job, [table]) == sums_of_tables(job, [table])


def test_no_lists_have_no_states():
    job = Job(logs.for_ids(), "relevant", "recommended")
    empty = pa.Table.from_pylist(logs.of_ids())[:0]
    assert (
        sums_of_tables(job, []) is None and sums_of_tables(job, [empty]) is None
    )
    assert merged(None, None) is None
    sums = sums_of_tables(job, [pa.Table.from_pylist(logs.of_ids())])
    assert merged(None, sums) == merged(sums, None) == sums
    fresh = job.with_sums(None)
    assert set(map(float, fresh.result().values())) == {0.0}


def test_a_metric_of_a_user_with_its_own_update():
    class Twice(krm.RankingMetric):
        has_upper_bound = False

        @staticmethod
        def measure(ranking, k):
            return ranking.hits(k)

        def update_state(self, y_true, y_pred, sample_weight=None):
            for _ in range(2):
                super().update_state(y_true, y_pred, sample_weight)

    metrics = [
        Twice(k=3, inputs="ids", name="twice"),
        krm.RecallAtK(3, inputs="ids"),
    ]
    job = Job(metrics, "relevant", "recommended")
    rows = logs.of_ids()
    [twice, once] = job.with_sums(
        sums_of_tables(job, [pa.Table.from_pylist(rows)])
    )
    assert twice.count() == 2 * once.count() > 0


def test_ids_are_numbered_alike_in_all_columns():
    columns = pa.array(["b", "a"]), pa.array([], pa.string()), pa.array(["a"])
    one, none, other = arrow_ids_as_int32(columns)
    assert other[0] == one[1] != one[0] and len(none) == 0


def test_large_and_negative_ids_are_numbered():
    high = 2**62
    [ids] = arrow_ids_as_int32(
        [pa.array([high, -1, high + 1, high - 2**32, high])]
    )
    assert ids.dtype == np.int32
    assert len({*ids[:4]}) == 4 and ids[0] == ids[4] and ids.min() >= 0
    [hashes] = arrow_ids_as_int32([pa.array([7, -9, 3, -9])])
    assert len({*hashes[:3]}) == 3 and hashes[1] == hashes[3] >= 0
    [small] = arrow_ids_as_int32([pa.array([7, 0, 3])])
    assert small.tolist() == [7, 0, 3]


@pytest.mark.parametrize("shift", [0, -(2**31), -(2**63)])
def test_lists_of_negative_ids_have_the_value_of_others(shift):
    """Such as those of `xxhash64`."""
    rows = logs.of_ids()
    expected = evaluated([rows], logs.for_ids(), "relevant", "recommended")
    for row in rows:
        for name in ("relevant", "recommended"):
            row[name] = [shift + 2**11 * id for id in row[name]]
    found = evaluated([rows], logs.for_ids(), "relevant", "recommended")
    assert logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


def test_minus_one_is_padding_in_arrays_of_one_length_alone():
    metric = krm.MeanReciprocalRank(inputs="ids")
    columns = {"y": [[5, -1], [7, -8]], "x": [[3, 5, -1], [-9, -8, -1]]}
    types = [pa.list_(pa.int64(), size) for size in (2, 3)]
    arrays = map(pa.array, columns.values(), types)
    table = pa.table(dict(zip(columns, arrays, strict=True)))
    job = Job(metric, "y", "x")
    found = job.with_sums(sums_of_tables(job, [table]))
    assert float(found.result()) == approx(1 / 2)
    rows = [{"y": [-1], "x": [3, -1]}]
    assert float(evaluated([rows], metric, "y", "x").result()) == 1 / 2
    rows = [{"y": [5, -1, -1], "x": [3, 5]}]
    message = "'y' should hold ids without padding.* repeats -1, 2 times"
    with pytest.raises(ValueError, match=message):
        evaluated([rows], metric, "y", "x")


@pytest.mark.parametrize("id", [-5, 2**31])
def test_ids_that_are_no_indices_of_a_catalogue(id):
    coverage = krm.CatalogueCoverage(3, num_items=20, inputs="ids")
    rows = [{"y": [1], "x": [2, id]}]
    with pytest.raises(ValueError, match=rf"'x' should be the indices.*{id}"):
        evaluated([rows], coverage, "y", "x")


NAN = float("nan")


@pytest.mark.parametrize(
    "queries, message",
    [
        ([1.0, NAN, NAN], "and 2 of 3 missing, the first in row 1"),
        ([1.0, None, NAN], "and 2 of 3 missing, the first in row 1"),
        (["a", None, "b"], "and 1 of 3 missing, the first in row 1"),
        ([1, None, 2], "Received: int, such as 1, and 1 of 3 missing"),
        ([1.0, 1.5, 2.0], "should all be integers.* 1.5"),
    ],
)
def test_queries_that_are_missing_or_none(queries, message):
    table = pa.table({"q": queries, "y": [1, 0, 1], "x": [0.1, 0.2, 0.3]})
    job = Job(krm.NDCG(), "y", "x", query="q")
    pickled = pickle.dumps(job)
    with pytest.raises(ValueError, match=message):
        sums_of_tables(job, [lists_of(job, table)])
    with pytest.raises(ValueError, match=message):
        in_buckets(pickled, table)


def test_an_error_of_several_rows_names_them():
    rows = [{"y": 0, "x": [0.1] * n} for n in (2, 2, 2, 3)]
    metric = krm.NDCG(inputs="sparse")
    with pytest.raises(ValueError, match="in rows 0 to 3 of a batch"):
        evaluated([rows], metric, "y", "x")
    with pytest.raises(ValueError, match="in rows 2 to 5 of a batch"):
        evaluated([rows[:2], [*rows[2:], *rows[2:]]], metric, "y", "x")


class OfUser(krm.NDCG):
    pass


@pytest.mark.parametrize(
    "metric, is_any",
    [
        (krm.NDCG(gain_fn=krm.linear_gain), True),
        (krm.Sliced(krm.NDCG(), 2), True),
        (krm.NDCG(gain_fn=lambda labels: labels), False),
        (OfUser(3), False),
        (krm.Sliced(OfUser(3), 2), False),
        (krm.NDCG(dtype="float64"), False),
    ],
)
def test_workers_prefer_numpy_without_code_of_users(metric, is_any):
    group = "g" if isinstance(metric, krm.Sliced) else None
    job = Job([metric, krm.AUC()], "y", "x", group=group)
    own = keras.config.backend()
    assert job.backends == (["numpy", own] if is_any else [own])


def test_values_of_lists_without_rows():
    job = Job(krm.NDCG(3), "y", "x")
    empty = pa.table({"y": pa.array([[1]]), "x": pa.array([[0.5]])})[:0]
    found = values_of_table(job, ["y"], empty)
    assert found.column_names == ["y", "ndcg@3"] and found.num_rows == 0


def test_rows_of_items_have_no_other_columns_to_keep():
    job = Job(krm.NDCG(), "y", "x", query="q")
    assert kept_columns(job, []) == ["q"]
    with pytest.raises(ValueError, match="`keep` is for rows that are lists"):
        kept_columns(job, ["market"])


WEIGHED = [
    {"q": "a", "y": 0, "x": 0.4, "w": 6.0},
    {"q": "a", "y": 0, "x": 0.1, "w": 6.0},
    {"q": "b", "y": 0, "x": 0.9, "w": 2.0},
    {"q": "b", "y": 2, "x": 0.3, "w": 2.0},
]


# Of a query without relevant items, in the last of three parts.
DIFFERING = [
    {"q": "c", "y": 0, "x": 0.2, "w": 3.0},
    {"q": "c", "y": 0, "x": 0.6, "w": 5.0},
]
NAMES = "RR MRR@5 P@1 RR(list_weight=relevance)@2 NDCG(list_weight=mean)@3"


@pytest.mark.parametrize("is_sliced", [False, True])
@pytest.mark.parametrize("differing", [[], DIFFERING])
def test_weights_are_of_queries_if_all_parts_say_so(differing, is_sliced):
    """As in `evaluate_rows`, which sees all rows at once."""
    rows = [*WEIGHED, *differing]
    of_rows = {name: [row[name] for row in rows] for name in WEIGHED[0]}
    metrics, group = [NAMES, krm.NDCG(2)], {}
    expected = krm.evaluate_rows(
        *map(of_rows.get, "qyx"), [NAMES, krm.NDCG(2)], of_rows["w"]
    )
    if is_sliced:
        metrics.append(krm.Sliced(krm.MeanReciprocalRank(name="all"), ["a"]))
        rows, group = [{**row, "g": "a"} for row in rows], {"group": "g"}
    parts = [rows[:2], rows[2:4], *([rows[4:]] if differing else [])]
    columns = {"query": "q", "sample_weight": "w", **group}
    [named, ndcg, *_] = evaluated(parts, metrics, "y", "x", **columns)
    found = {**named.result(), ndcg.name: ndcg.result()}
    assert {x: float(value) for x, value in found.items()} == approx(expected)
    chosen = "relevance" if differing else "mean"
    assert named.metrics[0].list_weight == chosen
    assert ndcg.list_weight == "relevance"


def test_a_sum_of_weights_of_queries_and_items_is_of_items():
    job = Job("RR", "y", "x", query="q", sample_weight="w")
    pickled = pickle.dumps(job)  # as long as it has not run
    tables = [pa.Table.from_pylist(rows) for rows in (WEIGHED, DIFFERING)]
    one, other = (
        sums_of_tables(job, [lists_of(job, table)]) for table in tables
    )
    assert one.are_of_queries and not other.are_of_queries
    assert merged(one, other)[:2] == merged(other, one)[:2]
    assert not merged(one, other).are_of_queries
    packed = [table_to_states(pickled, table)["states"][0] for table in tables]
    assert sum_of(packed)[:2] == merged(one, other)[:2]


def test_no_metric_is_summed_twice_without_need():
    for metrics in ("RR(list_weight=relevance)", krm.NDCG()):
        job = Job(metrics, "y", "x", query="q", sample_weight="w")
        sums = sums_of_tables(
            job, [lists_of(job, pa.Table.from_pylist(WEIGHED))]
        )
        assert len(sums.states) == 1, metrics
    job = Job("RR", "y", "x", query="q")
    assert job.by_query is job.metrics


def test_names_of_metrics_are_a_collection_of_them():
    found = with_named(["NDCG(inputs=ids)@3,5 RR(inputs=ids)", krm.AUC()])
    assert isinstance(found[0], krm.MetricCollection)
    assert [metric.name for metric in found[0].metrics] == [
        "NDCG(inputs=ids)@3",
        "NDCG(inputs=ids)@5",
        "RR(inputs=ids)",
    ]
    with pytest.raises(ValueError, match=r"no metric `NDGC`.*NDCG"):
        with_named("NDGC@3")


def test_arrow_is_read_behind_nulls_and_in_slices():
    array = pa.array([[1], [2, 3], None, [], [4]])
    values, lengths = flattened(array[1:])
    assert values.to_pylist() == [2, 3, 4]
    assert lengths.tolist() == [2, 0, 0, 1]
    values, lengths = flattened(pa.array([5, None, 6]))
    assert (values.to_pylist(), lengths.tolist()) == ([5, 6], [1, 0, 1])


def test_a_huge_list_does_not_widen_all_others():
    lengths = np.ones(5000, np.int64)
    lengths[17] = 50_000
    lists = {"ids": Ragged(np.arange(lengths.sum()), lengths)}
    parts = [padded(x, {"ids": -1})["ids"] for x in chunks(lists, 4096)]
    held = np.concatenate([part[part >= 0] for part in parts])
    assert sorted(held) == list(range(lengths.sum()))
    assert sum(part.size for part in parts) < 4 * LARGEST
    assert len({part.shape for part in parts}) < 12


SHORT = [{"relevant": [1], "recommended": [1, 2], "n": 1.0, "s": ["a"], "i": 1}]


@pytest.mark.parametrize(
    "columns, kind, message",
    [
        (("gone", "recommended"), ValueError, "name of a column.*'gone'"),
        (
            ("relevant", "n"),
            TypeError,
            "'n' of `y_pred`.*arrays of ids.*double",
        ),
        (("n", "recommended"), TypeError, "'n' of `y_true`.*ids.*double"),
        (("s", "recommended"), TypeError, "strings in all columns"),
        ((1, "recommended"), TypeError, "should be a string"),
        (("relevant", {"a": "x"}), ValueError, "only a `Comparison`"),
        (("relevant", "i"), TypeError, "`y_pred`.*name the column of its"),
    ],
)
def test_wrong_columns(columns, kind, message):
    with pytest.raises(kind, match=message):
        job = Job(krm.RecallAtK(3, inputs="ids"), *columns)
        schema = pa.Table.from_pylist(SHORT).schema
        check_schema(job, schema)


@pytest.mark.parametrize(
    "row, metric, options, message",
    [
        ({"y": [1, None], "x": [1.0, 2.0]}, {}, {}, "'y' should hold no null"),
        ({"y": [1, 0], "x": [1.0]}, {}, {}, "2 labels and 1 scores"),
        (
            {"y": [1], "x": [1.0], "w": -1.0},
            {},
            {"sample_weight": "w"},
            "not negative. Received: -1",
        ),
        (
            {"y": [1], "x": [1.0], "w": None},
            {},
            {"sample_weight": "w"},
            "'w' should hold no null",
        ),
        (
            {"y": [1], "x": [1.0], "g": "near"},
            {"groups": ["home"]},
            {"group": "g"},
            "'g' should hold the group.*home.*'near'",
        ),
        (
            {"y": [1], "x": [1.0], "g": 2},
            {"groups": 2},
            {"group": "g"},
            "from 0 to 1. Received.*2",
        ),
        (
            {"y": [1], "x": [1.0], "g": None},
            {"groups": ["home"]},
            {"group": "g"},
            "'g' should hold no null",
        ),
    ],
)
def test_wrong_values(row, metric, options, message):
    ndcg = krm.NDCG(3)
    metric = krm.Sliced(ndcg, **metric) if metric else ndcg
    good = {"y": [1], "x": [1.0], "w": 1.0, "g": row.get("g")}
    with pytest.raises(ValueError, match=message):
        evaluated([[good, {**good, **row}]], metric, "y", "x", **options)


@pytest.mark.parametrize(
    "metrics, options, kind, message",
    [
        (keras.metrics.Mean(), {}, TypeError, "should be a ranking metric"),
        ([], {}, ValueError, "at least one metric"),
        ([krm.NDCG(), krm.NDCG()], {}, ValueError, "different names"),
        (
            [krm.NDCG(inputs="sparse"), krm.AUC()],
            {},
            ValueError,
            "labels and scores",
        ),
        (krm.NDCG(), {"exclude": "e", "query": "q"}, ValueError, "-inf"),
        (
            krm.NDCG(inputs="sparse"),
            {"num_relevant": "n"},
            ValueError,
            "`num_relevant` is for",
        ),
        (krm.NDCG(), {"exclude": 1}, TypeError, "should be a string"),
        (krm.SubtopicRecall(3), {}, ValueError, "none labels by subtopic"),
        (krm.NDCG(), {"group": "g"}, ValueError, "`group` is for `Sliced`"),
        (krm.Sliced(krm.NDCG(), 2), {}, ValueError, "`group` should be"),
        (
            krm.Sliced(krm.NDCG(), 2, name="s"),
            {"group": {"s": "g", "other": "h"}},
            ValueError,
            "is for `Sliced` metrics. Received: .*'other'",
        ),
        (logs.compared(), {}, ValueError, "column of each system"),
        (krm.NDCG(inputs="ids"), {"query": "q"}, ValueError, "With `query`"),
        (krm.NDCG(), {"lists_per_update": 0}, ValueError, "positive integer"),
    ],
)
def test_what_cannot_be_asked_for(metrics, options, kind, message):
    with pytest.raises(kind, match=message):
        Job(metrics, "y", "x", **options)


def test_metrics_of_a_catalogue_need_its_numbers():
    coverage = krm.CatalogueCoverage(3, num_items=20, inputs="ids")
    found = evaluated([logs.of_ids()], coverage, "relevant", "recommended")
    assert float(found.result()) == 1.0
    job = Job(coverage, "s", "s")
    with pytest.raises(TypeError, match="ids should be the indices"):
        check_schema(job, pa.schema({"s": pa.list_(pa.string())}))


def test_ids_of_two_widths_and_arrays_of_nothing():
    metric = krm.RecallAtK(1, inputs="ids")
    wide, narrow = pa.list_(pa.int64()), pa.list_(pa.int32())
    for relevant in (
        pa.array([[1], [2]], narrow),
        pa.array([[1], []], narrow),
        pa.array([[], []]),
        pa.array([None, None]),
    ):
        table = pa.table({"t": relevant, "s": pa.array([[1, 2], [3]], wide)})
        job = Job(metric, "t", "s")
        check_schema(job, table.schema)
        [state] = sums_of_tables(job, [table]).states
        fresh = krm.RecallAtK(1, inputs="ids")
        rows = [row or [] for row in relevant.to_pylist()]
        width = max(1, *map(len, rows))
        fresh.update_state(
            [row + [-1] * (width - len(row)) for row in rows],
            [[1, 2], [3, -1]],
        )
        np.testing.assert_allclose(state.sums, fresh.state.sums)


def test_labels_without_a_sign():
    table = pa.table(
        {
            "l": pa.array([[1, 0], [1]], pa.list_(pa.uint8())),
            "s": pa.array([[0.1, 0.2], [0.3]]),
        }
    )
    job = Job(krm.NDCG(2), "l", "s")
    [state] = sums_of_tables(job, [table]).states
    expected = krm.NDCG(2)
    expected.update_state([[1, 0], [1, -1]], [[0.1, 0.2], [0.3, 0.0]])
    np.testing.assert_allclose(state.sums, expected.state.sums)


def test_counts_are_no_columns():
    with pytest.raises(ValueError, match="should all take labels and scores"):
        Job(krm.NDCG(2, inputs="counts"), "t", "s")


def buckets_of(queries):
    job = Job(krm.NDCG(), "y", "x", query="q")
    ones = pa.array(np.ones(len(queries)))
    table = pa.table({"q": queries, "y": ones, "x": ones})
    found = in_buckets(pickle.dumps(job), table).column(BUCKET)
    return np.array(found)


@pytest.mark.parametrize("step", [1, 64, 4096, 2**32])
@pytest.mark.parametrize("kind", [int, str])
def test_queries_fall_evenly_into_buckets(kind, step):
    queries = [kind(i * step + 2**50) for i in range(6400)]
    numbers = np.bincount(buckets_of(pa.array(queries)), minlength=64)
    assert numbers.min() > 50
    assert numbers.max() < 160


def test_a_query_has_one_bucket_whatever_its_type():
    queries = list(range(200))
    expected = buckets_of(pa.array(queries, pa.int64()))
    for kind in (pa.int16(), pa.uint64(), pa.float64()):
        found = buckets_of(pa.array(queries, kind))
        np.testing.assert_array_equal(found, expected)
    texts = pa.array([f"q{i}" for i in queries])
    for same in (texts.cast(pa.large_string()), texts.dictionary_encode()):
        np.testing.assert_array_equal(buckets_of(same), buckets_of(texts))


def test_queries_that_are_categories():
    """In pandas a column of few texts is often a categorical one."""
    items = logs.items_of(logs.of_scores())
    table = pa.Table.from_pylist(items)
    job = Job(krm.NDCG(3), "label", "score", query="query")
    sums = sum_of(table_to_states(pickle.dumps(job), table)["states"])
    [expected] = sums.states
    place = table.schema.get_field_index("query")
    texts = table.column("query").cast(pa.string())
    for categories in (texts, table.column("query")):
        categorical = table.set_column(
            place, "query", categories.dictionary_encode()
        )
        found = table_to_states(pickle.dumps(job), categorical)["states"]
        [one] = sum_of(found).states
        np.testing.assert_allclose(one.sums, expected.sums, rtol=1e-6)


def close_rows(lists=60):
    """Rows of scores that float32 ties, some -inf, and their ranks."""
    rng = np.random.default_rng(8)
    rows = []
    for number in range(lists):
        size = int(rng.integers(1, 9))
        ranks = rng.integers(0, 7, size)
        scores = 0.75 + 1e-13 * ranks
        scores[rng.random(size) < 0.1] = -np.inf
        rows.append(
            {
                "query": f"q{number}",
                "labels": rng.integers(-1, 3, size).tolist(),
                "scores": scores.tolist(),
                "new": (scores * 1e300).tolist(),
                "ranks": np.where(scores > -np.inf, ranks, -np.inf).tolist(),
            }
        )
    return rows


@pytest.mark.each_backend
@pytest.mark.parametrize("ties", ["average", "stable"])
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_scores_of_float64_keep_their_order(ties):
    rows = close_rows()
    ndcg = krm.NDCG(3, ties=ties)
    metrics = [ndcg, krm.AUC()]
    expected = logs.numbers(evaluated([rows], metrics, "labels", "ranks"))
    found = evaluated([rows], metrics, "labels", "scores")
    assert logs.numbers(found) == expected
    both = krm.Comparison(krm.NDCG(3, ties=ties), ["old", "new"])
    columns = {"old": "scores", "new": "new"}
    found = evaluated([rows], both, "labels", columns)
    [value] = {round(float(x), 6) for x in found.result().values() if x}
    assert value == approx(expected[0, "ndcg@3"], abs=1e-6)
    table = pa.Table.from_pylist(rows)
    of_scores, of_ranks = (
        values_of_table(Job(ndcg, "labels", name), [], table)["ndcg@3"]
        for name in ("scores", "ranks")
    )
    np.testing.assert_array_equal(of_scores, of_ranks)


@pytest.mark.each_backend
def test_scores_of_a_catalogue_in_float64_keep_their_order():
    rows = logs.of_catalogue()
    for row in rows:
        row["close"] = [0.5 - 1e-15 * (9 - x) for x in row["scores"]]
    metrics = [krm.NDCG(3, inputs="sparse"), krm.AUC(inputs="sparse")]
    columns = "several", "scores"
    expected = evaluated([rows], metrics, *columns, exclude="seen")
    found = evaluated([rows], metrics, "several", "close", exclude="seen")
    assert logs.numbers(found) == logs.numbers(expected)


@pytest.mark.each_backend
def test_the_values_of_dicts_and_of_rows_in_float64():
    rows = [x for x in close_rows() if min(x["labels"]) >= 0]
    ids = [[str(i) for i in range(len(x["labels"]))] for x in rows]
    truth, run = (
        {
            row["query"]: dict(zip(names, row[key], strict=True))
            for names, row in zip(ids, rows, strict=True)
        }
        for key in ("labels", "scores")
    )
    expected = krm.evaluate(truth, run, "RR NDCG@3")
    found = evaluated([rows], "RR NDCG@3", "labels", "scores").result()
    for name in ("RR", "NDCG@3"):
        assert float(found[name]) == approx(expected[name], abs=1e-6)


class AboveFour(krm.MeanReciprocalRank):
    """All items tie if a score is 4 or less, as a rank would be."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, y_pred * (y_pred > 4.0), sample_weight)


@pytest.mark.each_backend
def test_a_metric_that_reads_scores_itself_is_told():
    rows = [{"y": [0, 0, 1], "x": [5.0, 5.0 + 1e-12, 4.5]}] * 3
    metric, expected = AboveFour(name="above"), contextlib.nullcontext()
    if not HAS_FLOAT64:
        message = r"differ in float32, in which the.*\['above'\]"
        expected = pytest.warns(UserWarning, match=message)
    job = LogJob([metric, krm.AUC()], "y", "x")
    sums = sums_of_tables(job, [pa.Table.from_pylist(rows)])
    with expected:
        job.say(sums)
    assert float(job.with_sums(sums)[0].result()) == approx(1 / 3)


@pytest.mark.each_backend
def test_nan_among_close_scores_is_no_rank():
    scores = [1.0, 1.0 + 1e-12, float("nan")]
    with pytest.warns(UserWarning, match="NaN in `y_pred`"):
        values = krm.per_query(
            ["q"] * 3, [1, 0, 0], scores, krm.MeanReciprocalRank()
        )
    assert np.isnan(values["mrr"]).all()


# The order of tied rows.


def tied_items(seed=2):
    """Rows with many ties, shuffled, and columns that have their order."""
    rng = np.random.default_rng(seed)
    start = datetime.datetime(2024, 2, 28, 23)
    rows = [
        {
            "q": f"q{query}",
            "y": int(rng.integers(0, 3)),
            "x": float(rng.integers(0, 3)),
            "w": float(rng.integers(1, 4)),
            "number": place - 2,
            "real": place / 8,
            "text": f"item {place:02}",
            "time": start + datetime.timedelta(minutes=7 * place),
            "day": start.date() + datetime.timedelta(days=place),
        }
        for query in range(25)
        for place in range(int(rng.integers(1, 12)))
    ]
    return rows, [rows[i] for i in rng.permutation(len(rows))]


STABLE = [
    krm.NDCG(3, ties="stable"),
    krm.NDCG(3, ideal="retrieved", name="of_retrieved"),
    conventions.lightgbm.NDCG(5),
    conventions.xgboost.MeanAveragePrecision(5),
    krm.Sliced(krm.PrecisionAtK(2, ties="stable"), 2),
    krm.Comparison(krm.PrecisionAtK(2, ties="stable"), ["one", "two"]),
]


@pytest.mark.parametrize("metric", STABLE, ids=lambda m: m.name)
def test_ties_by_rows_need_an_order(metric):
    columns: dict[str, object] = {"y_true": "y", "y_pred": "x"}
    if isinstance(metric, krm.Sliced):
        columns["group"] = "g"
    if isinstance(metric, krm.Comparison):
        columns["y_pred"] = {"one": "x", "two": "z"}
    metrics = [krm.AUC(), metric] if "group" in columns else [metric]
    message = rf"column of that order.*\['{metric.name}'\].*order=\"position"
    with pytest.raises(ValueError, match=message):
        LogJob(metrics, query="q", **columns)
    assert LogJob(metrics, **columns).order is None  # rows are lists
    assert LogJob(metrics, query="q", order="o", **columns).names[-1] == "o"


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_ties_by_label_need_an_order_of_weights_alone(ties):
    metric = krm.NDCG(3, ties=ties)
    assert LogJob(metric, "y", "x", query="q").order is None
    with pytest.raises(ValueError, match=r"column of that order.*ndcg@3"):
        LogJob(metric, "y", "x", query="q", sample_weight="w")
    rows, shuffled = tied_items()
    flat = {name: [row[name] for row in rows] for name in "qyxw"}
    expected = krm.evaluate_rows(
        flat["q"], flat["y"], flat["x"], metric, flat["w"]
    )
    options = {"query": "q", "sample_weight": "w", "order": "number"}
    found = evaluated([shuffled], metric, "y", "x", kind=LogJob, **options)
    assert float(found.result()) == approx(expected["ndcg@3"], abs=1e-6)


@pytest.mark.parametrize("by", ["number", "real", "text", "time", "day"])
def test_the_order_of_a_column_is_that_of_one_process(by):
    rows, shuffled = tied_items()
    metrics = [*STABLE[:3], krm.MeanReciprocalRank()]
    flat = {name: [row[name] for row in rows] for name in "qyx"}
    expected = krm.evaluate_rows(*flat.values(), metrics)
    values = krm.per_query(*flat.values(), metrics)
    for partition in (shuffled, shuffled[::-1]):
        columns = {"kind": LogJob, "query": "q", "order": by}
        found = evaluated([partition], metrics, "y", "x", **columns)
        for metric in found:
            value = float(metric.result())
            assert value == approx(expected[metric.name], abs=1e-6)
        job = LogJob(metrics, "y", "x", "q", order=by)
        table = lists_of(job, pa.Table.from_pylist(partition))
        for row in values_of_table(job, ["q"], table).to_pylist():
            place = values["query"].tolist().index(row["q"])
            for name in expected:
                assert row[name] == approx(
                    values[name][place], abs=1e-6, nan_ok=True
                )
    ndcg = krm.NDCG(3, ties="stable")
    [value] = krm.evaluate_rows(
        *([row[name] for row in shuffled] for name in "qyx"), ndcg
    ).values()
    assert abs(value - expected["ndcg@3"]) > 1e-3


@pytest.mark.parametrize(
    "change, kind, message",
    [
        ({"o": 4}, ValueError, "different values.*'o'.*4 twice"),
        ({"o": None}, ValueError, "'o' should hold no null"),
        ({"o": True}, TypeError, "'o' of `order` should hold numbers, str"),
    ],
)
def test_a_column_that_gives_no_order(change, kind, message):
    rows = [{"q": "a", "y": 1, "x": 0.5, "o": n} for n in (4, 5)]
    rows.append({"q": "b", "y": 1, "x": 0.5, "o": 4})
    rows[1] |= change
    if change["o"] is True:
        rows = [{**row, "o": True} for row in rows]
    with pytest.raises(kind, match=message):
        columns = {"kind": LogJob, "query": "q", "order": "o"}
        evaluated([rows], STABLE[0], "y", "x", **columns)


def test_a_place_in_the_order_is_not_nan():
    table = pa.table(
        {"q": [1, 1], "y": [1, 0], "x": [0.5, 0.5], "o": [0.0, NAN]}
    )
    job = LogJob(STABLE[0], "y", "x", query="q", order="o")
    with pytest.raises(
        ValueError, match=r"'o' should hold no NaN.*1 of them among 2"
    ):
        sums_of_tables(job, [lists_of(job, table)])


@pytest.mark.parametrize("query", [None, "o"])
def test_an_order_is_one_of_the_items_of_a_query(query):
    with pytest.raises(ValueError, match="differs between the items"):
        LogJob(krm.NDCG(), "y", "x", query=query, order="o")

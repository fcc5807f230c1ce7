"""`evaluate_rows`: the numbers of whole lists, from rows in any order."""

from __future__ import annotations

import decimal
import warnings

import keras
import numpy as np
import pytest
from pytest import approx
from said import said

import keras_rankmetrics as krm
from keras_rankmetrics.tables import ragged
from keras_rankmetrics.tables.item_rows import order_of
from keras_rankmetrics.tables.ragged import LARGEST, Ragged, chunks, padded


def metrics():
    return [*krm.NDCG.at(1, 5), krm.MeanAveragePrecision(k=5), krm.AUC()]


def lists(number=60, longest=9, seed=0):
    """Lists of unequal lengths: labels and scores, some of which tie."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest + 1, number)
    labels = [rng.integers(-1, 4, size) for size in sizes]
    scores = [rng.integers(0, 6, size) / 4 for size in sizes]
    return labels, [row.astype("float32") for row in scores]


def rows_of(labels, scores, seed=1, names=np.arange):
    """Their rows, shuffled: queries, labels and scores."""
    sizes = [len(row) for row in labels]
    query = np.repeat(names(len(sizes)), sizes)
    order = np.random.default_rng(seed).permutation(len(query))
    return (
        query[order],
        np.concatenate(labels)[order],
        np.concatenate(scores)[order],
    )


def of_lists(labels, scores, metrics, weights=None):
    found = {}
    for metric in metrics:
        given = [list(map(float, row)) for row in labels]
        metric.update_state(
            given, [list(map(float, row)) for row in scores], weights
        )
        result = metric.result()
        result = result if isinstance(result, dict) else {metric.name: result}
        found |= {name: float(value) for name, value in result.items()}
    return found


def texts(number):
    return np.array([f"query {n}" for n in range(number)])


def objects(number):
    return texts(number).astype(object)


def halves(number):
    return np.arange(number, dtype="float64") * 3 - 5


@pytest.mark.parametrize("names", [np.arange, texts, objects, halves])
@pytest.mark.filterwarnings("ignore:.*Labels should be")
@pytest.mark.each_backend
def test_rows_have_the_numbers_of_their_lists(names):
    labels, scores = lists()
    expected = of_lists(labels, scores, metrics())
    found = krm.evaluate_rows(*rows_of(labels, scores, names=names), metrics())
    assert list(found) == list(expected)  # in the order of the metrics
    assert all(type(value) is float for value in found.values())
    assert found == approx(expected, abs=1e-6)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("names", [np.arange, texts])
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_columns_of_other_libraries(library, names):
    held = pytest.importorskip(library, reason="needs the extra [interop]")
    make = {
        "pandas": lambda x: held.Series(x, index=np.arange(len(x))[::-1]),
        "polars": lambda x: held.Series(x),
        "pyarrow": lambda x: held.chunked_array([x[:7], x[7:]]),
    }[library]
    labels, scores = lists()
    expected = of_lists(labels, scores, metrics())
    columns = rows_of(labels, scores, names=names)
    found = krm.evaluate_rows(*map(make, columns), metrics())
    assert found == approx(expected, abs=1e-6)


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_tensors_and_columns_of_one():
    labels, scores = lists()
    query, y_true, y_pred = rows_of(labels, scores)
    tensor = keras.ops.convert_to_tensor
    found = krm.evaluate_rows(
        query.tolist(), tensor(y_true), tensor(y_pred[:, None]), metrics()
    )
    assert found == approx(of_lists(labels, scores, metrics()), abs=1e-6)


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_metrics_then_hold_these_rows_and_no_others():
    labels, scores = lists()
    rows = rows_of(labels, scores)
    ndcg = krm.NDCG(5)
    ndcg.update_state([[1, 0]], [[0.1, 0.2]])
    expected = krm.NDCG(5)
    of_lists(labels, scores, [expected])
    for _ in range(2):
        value = krm.evaluate_rows(*rows, ndcg)["ndcg@5"]
        assert value == float(ndcg.result())
        assert ndcg.count() == expected.count()
    assert str(ndcg) == str(expected)


def test_names_of_metrics():
    rows = [0, 0, 1], [1, 0, 1], [0.1, 0.9, 0.5]
    found = krm.evaluate_rows(*rows, "RR P@1")
    assert found == approx({"RR": 3 / 4, "P@1": 1 / 2})
    assert krm.evaluate_rows(*rows, ["P@1", krm.PrecisionAtK(1)]) == {
        "P@1": 0.5,
        "precision@1": 0.5,
    }
    with pytest.raises(ValueError, match=r"`P@0`.*cutoff"):
        krm.evaluate_rows(*rows, "P@0")


def test_a_class_of_the_same_name_is_another_metric():
    def made(factor):
        class Own(krm.RankingMetric):
            has_upper_bound = False

            @staticmethod
            def measure(ranking, k):
                return factor * ranking.hits(k)

        return Own(k=1)

    rows = [0, 0], [1, 0], [0.9, 0.1]
    assert krm.evaluate_rows(*rows, made(1.0)) == {"own@1": 1.0}
    assert krm.evaluate_rows(*rows, made(3.0)) == {"own@1": 3.0}


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_collections_with_errors_slices_and_comparisons():
    labels, scores = lists()
    query, y_true, y_pred = rows_of(labels, scores)
    kind = np.where(query % 3 == 0, "tail", "head")
    asked = [
        krm.MetricCollection(metrics(), prefix="a/", errors=True),
        krm.Sliced(krm.RecallAtK(2), ["head", "tail"]),
        krm.MeanReciprocalRank(),
    ]
    found = krm.evaluate_rows(query, y_true, y_pred, asked, group=kind)
    expected = of_lists(
        labels,
        scores,
        [
            krm.MetricCollection(metrics(), prefix="a/", errors=True),
            krm.MeanReciprocalRank(),
        ],
    )
    for name, (own, others) in {
        "recall@2/tail": (True, False),
        "recall@2/head": (False, True),
        "recall@2": (True, True),
    }.items():
        some = [n for n in range(60) if (own if n % 3 == 0 else others)]
        parts = [labels[n] for n in some], [scores[n] for n in some]
        expected[name] = of_lists(*parts, [krm.RecallAtK(2)])["recall@2"]
    assert found == approx(expected, abs=1e-6, nan_ok=True)
    assert "a/ndcg@5_se" in found

    comparison = krm.Comparison(krm.NDCG(3), ["old", "new"])
    numbers = krm.evaluate_rows(
        query, y_true, {"old": y_pred, "new": -y_pred}, comparison
    )
    one = of_lists(labels, scores, [krm.NDCG(3)])["ndcg@3"]
    two = of_lists(labels, [-row for row in scores], [krm.NDCG(3)])["ndcg@3"]
    assert numbers == approx(
        {"ndcg@3/old": one, "ndcg@3/new": two, "ndcg@3/new-old": two - one},
        abs=1e-6,
    )


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_weights_of_items_and_of_lists():
    labels, scores = lists()
    query, y_true, y_pred = rows_of(labels, scores)
    of_list = 1.0 + query % 4
    found = krm.evaluate_rows(
        query, y_true, y_pred, krm.NDCG(5), sample_weight=of_list
    )
    weights = 1.0 + np.arange(60) % 4
    expected = of_lists(labels, scores, [krm.NDCG(5)], weights)
    assert found == approx(expected, abs=1e-6)
    masked = krm.evaluate_rows(
        query, y_true, y_pred, krm.NDCG(5), sample_weight=y_pred != 0.5
    )
    kept = y_pred != 0.5
    assert masked == approx(
        krm.evaluate_rows(query[kept], y_true[kept], y_pred[kept], krm.NDCG(5)),
        abs=1e-6,
    )


@pytest.mark.each_backend
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_scores_of_float64_keep_their_order():
    """Among them long lists, and scores below the range of float32."""
    labels, ranks = lists(number=200, longest=40, seed=4)
    query, y_true, y_pred = rows_of(labels, ranks)
    y_pred = np.where(y_pred == 0, -np.inf, y_pred)
    close = -1e-60 + 1e-70 * y_pred.astype("float64")
    expected = krm.evaluate_rows(query, y_true, y_pred, metrics())
    assert krm.evaluate_rows(query, y_true, close, metrics()) == expected
    values = krm.per_query(query, y_true, y_pred, metrics())
    of_close = krm.per_query(query, y_true, close, metrics())
    for name in expected:
        np.testing.assert_array_equal(of_close[name], values[name])


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "float64", "U9", "object"]
)
@pytest.mark.parametrize("queries, items", [(7, 300), (300, 7), (1, 2000)])
@pytest.mark.filterwarnings("ignore:The scores of .y_pred. should order")
def test_tied_rows_keep_their_order(queries, items, dtype):
    """Among thousands of rows, so that no sort is stable by luck."""
    if dtype == "int8":
        queries = min(queries, 100)
    rng = np.random.default_rng(8)
    query = rng.permutation(np.repeat(np.arange(queries), items))
    labels = np.zeros(len(query), int)
    expected = []
    for each in range(queries):
        rows = np.flatnonzero(query == each)
        rank = rng.integers(1, items + 1)
        labels[rows[rank - 1]] = 1  # the only relevant row of its query
        expected.append(1 / rank)
    names = query.astype(dtype) if dtype != "object" else query.astype("U9")
    metric = krm.MeanReciprocalRank(ties="stable")
    tied = np.zeros(len(query), "float32")
    found = krm.evaluate_rows(names.astype(dtype), labels, tied, metric)
    assert found["mrr"] == approx(np.mean(expected), rel=1e-5)


def test_one_long_query_does_not_widen_the_others():
    lengths = np.full(50_000, 3)
    lengths[17] = 200_000
    values = np.arange(lengths.sum())
    named = {"y": Ragged(values, lengths), "s": Ragged(values, lengths)}
    shapes, held = [], []
    for chunk in chunks(named, 2**18):
        batch = padded(chunk, {"y": -1, "s": -1})
        shapes.append(batch["y"].shape)
        held.append(batch["y"][batch["y"] >= 0])
        # Lists of one length keep their order, on any machine: random orders
        # depend on it.
        first = batch["y"][(batch["y"] >= 0).sum(axis=1) == 3, 0]
        assert (np.diff(first) > 0).all()
    assert sorted(np.concatenate(held)) == list(values)
    assert max(rows * width for rows, width in shapes) <= 2 * LARGEST
    assert sum(rows * width for rows, width in shapes) < 2 * LARGEST
    assert len(set(shapes)) <= 3  # each of which jax compiles for


def test_lengths_of_all_kinds_have_few_shapes_or_little_padding():
    rng = np.random.default_rng(0)
    lengths = rng.geometric(0.01, 100_000)
    named = {"y": Ragged(np.zeros(lengths.sum(), np.int8), lengths)}
    shapes = [padded(x, {"y": -1})["y"].shape for x in chunks(named, 2**18)]
    few = ragged.FEW_SHAPES
    assert len(set(shapes)) < (16 if few else 500)
    places = sum(rows * width for rows, width in shapes)
    assert lengths.sum() <= places < (2.5 if few else 1.4) * lengths.sum()


@pytest.mark.parametrize("rows", [1, 1000])
def test_lists_of_one_length_are_a_view_of_the_column(rows):
    values = np.arange(rows * 12, dtype="float32")
    lists = {"s": Ragged(values, np.full(rows, 12))}
    [chunk] = chunks(lists, 2**18)
    batch = padded(chunk, {"s": 0})["s"]
    np.testing.assert_array_equal(batch[:rows, :12].ravel(), values)
    assert ragged.FEW_SHAPES or np.shares_memory(batch, values)
    values.flags.writeable = False  # torch warns of memory it may not write to
    [chunk] = chunks({"s": Ragged(values, lists["s"].lengths)}, 2**18)
    assert padded(chunk, {"s": 0})["s"].flags.writeable


@pytest.mark.parametrize("dtype", "bBhHiIqQ")
@pytest.mark.parametrize("most", [1, 300, 70_000, 2**40, 2**64 - 1])
def test_order_of_integers(dtype, most):
    limits = np.iinfo(dtype)
    highest = min(limits.max, limits.min + most)
    rng = np.random.default_rng(0)
    numbers = rng.integers(limits.min, highest, 3000, dtype, endpoint=True)
    expected = np.argsort(numbers, kind="stable")
    np.testing.assert_array_equal(order_of(numbers), expected)


@pytest.mark.long
def test_ten_million_rows():
    rng = np.random.default_rng(0)
    query = rng.integers(0, 10**6, 10**7)
    labels = (rng.random(10**7) < 0.2).astype("int8")
    scores = rng.random(10**7, dtype="float32")
    found = krm.evaluate_rows(query, labels, scores, krm.AUC(empty="skip"))
    assert found["auc"] == approx(0.5, abs=2e-3)


ROWS = {"query": [1, 1, 2], "y_true": [1, 0, 1], "y_pred": [0.5, 0.2, 0.1]}
AB = ["a", "b"]
OF_GROUPS = [
    (AB, None, "`ndcg@3` is sliced: `group` should be a column"),
    (AB, ["a", "b", "b"], "the same value in"),
    (AB, ["a", "a", "c"], "'c'"),
    (["0", "1", "3"], [1, 1, 2], "such as 1, which may be names or positions"),
    (2, [1, 1, np.nan], "hold no NaN. Received: 1 of them among 3 values"),
    (AB, ["a", "a", None], "Received: None"),
]


@pytest.mark.parametrize(
    "changed, kind, message",
    [
        (
            {"query": [1, None, 2]},
            ValueError,
            "1 of 3 missing, the first in row 1. Rem",
        ),
        ({"query": [1.0, float("nan"), 2]}, ValueError, "first in row 1"),
        *(
            ({"query": np.array([0, 1, n], dtype)}, ValueError, "rounded")
            for n, dtype in (
                (2**24, "float32"),
                (-(2**24), "float32"),
                (2**11, "float16"),
                (2**53, "float64"),
            )
        ),
        (
            {"query": ["a", None, "b"]},
            ValueError,
            "1 of 3 missing, the first in row 1. Rem",
        ),
        ({"query": ["a", float("nan"), "b"]}, ValueError, "missing|type"),
        ({"query": ["a", "", "b"]}, ValueError, "1 of 3 missing"),
        ({"query": np.array([b"a", b"", b"b"])}, ValueError, "1 of 3 missing"),
        ({"query": [1.5, 1.5, 2]}, ValueError, "be of one type.*1.5"),
        ({"query": [True, True, False]}, ValueError, "Received: bool"),
        (
            {"query": np.array(["1", 1, 2], object)},
            TypeError,
            "int and str, such as '1'. Pass all ids as text",
        ),
        (
            {"query": np.array([{}, {}, {}])},
            TypeError,
            "Received: dict, such as {}",
        ),
        ({"query": np.array([[], [1], [2, 3]], object)}, TypeError, "Join"),
        ({"query": [decimal.Decimal("NaN")] * 3}, ValueError, "3 of 3 missing"),
        ({"query": [1, 2]}, ValueError, "2 in `query`, 3 in `y_true`"),
        ({"query": [], "y_true": [], "y_pred": []}, ValueError, "be rows"),
        ({"y_pred": [[0.5, 1], [1, 1], [0, 1]]}, ValueError, r"\(3, 2\)"),
        ({"y_pred": {0.5, 0.1}}, ValueError, "of the type set"),
        (
            {"y_pred": np.ma.array([1, 2, 3], mask=[0, 1, 0])},
            ValueError,
            "`y_pred` should be a column without a mask",
        ),
        ({"y_true": ["a", "b", "c"]}, ValueError, "`y_true` should hold num"),
        ({"y_pred": np.array(["1", 2, 3], object)}, ValueError, "such as '1'"),
        ({"y_true": ["1", "0", "1"]}, ValueError, "such as '1'. Convert"),
        ({"y_true": {"labels": [1, 0, 1]}}, ValueError, "UNJUDGED"),
        ({"y_pred": {"new": [1, 0, 1]}}, ValueError, "only a `Comparison`"),
        ({"sample_weight": [1, -1, 1]}, ValueError, "not negative.*-1"),
        ({"group": [0, 0, 0]}, ValueError, "`group` is for `Sliced`"),
        ({"group": {"ndcg@3": [0, 0, 0]}}, ValueError, "is for `Sliced`"),
        ({"metrics": keras.metrics.Mean()}, TypeError, "ranking metric"),
        ({"metrics": []}, ValueError, "at least one metric"),
        ({"metrics": [krm.NDCG(3)] * 2}, ValueError, "different names"),
        ({"metrics": krm.NDCG(3, inputs="ids")}, ValueError, "inputs"),
        (
            {"metrics": krm.Novelty(2, popularity=[0.5, 0.2, 0.3])},
            ValueError,
            "does not contain the index of its item",
        ),
        *(
            (
                {"metrics": krm.Sliced(krm.NDCG(3), names), "group": group},
                ValueError,
                message,
            )
            for names, group, message in OF_GROUPS
        ),
    ],
)
def test_what_is_refused_leaves_metrics_as_they_were(changed, kind, message):
    ndcg = krm.NDCG(3)
    ndcg.update_state([[1, 0]], [[0.1, 0.2]])
    before = float(ndcg.result())
    with pytest.raises(kind, match=message):
        krm.evaluate_rows(**{**ROWS, "metrics": ndcg, **changed})
    assert float(ndcg.result()) == before and ndcg.count() == 1


@pytest.mark.parametrize("label", [-1, krm.UNJUDGED])
def test_rows_of_which_none_is_judged_are_doubted(label):
    rows = {**ROWS, "metrics": krm.NDCG(3)}
    text = "all below 0, so that no row is judged"
    with pytest.warns(UserWarning, match=text) as caught:
        krm.evaluate_rows(**{**rows, "y_true": [label] * 3})
    files = [w.filename for w in caught if w.category is UserWarning]
    assert files == [__file__]
    for judged in (0, 1):
        changed = {**rows, "y_true": [label, judged, label]}
        text = "labels of 1 or more"
        if label == -1 and judged:  # it may be the label of irrelevant rows
            text = "mark unjudged ones by"
        if not judged or label == -1:
            with pytest.warns(UserWarning, match=text):
                krm.evaluate_rows(**changed)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            krm.evaluate_rows(**changed)


@pytest.mark.parametrize("name", ["distance", "Rank"])
def test_names_of_distances_are_doubted(name):
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    for called, number in ((name, 1), (f"neg_{name}", 0), ("score", 0)):
        scores = pd.Series([0.5, 0.2, 0.1], name=called)
        rows = [1, 1, 2], [1, 0, 1], scores, krm.NDCG(3)
        texts = said(krm.evaluate_rows, *rows)
        assert len(texts) == number, texts
        assert all(f"called {name!r}. Negate" in text for text in texts)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("form", [int, str])
def test_queries_that_count_the_rows_of_each_session(start, form):
    rng = np.random.default_rng(0)
    sizes = rng.integers(4, 9, 12)
    query = [form(x + start) for size in sizes for x in range(size)]
    label = np.arange(len(query)) % 3 % 2
    columns = query, label.tolist(), (label + rng.normal(size=len(query)))
    words = f"queries that count from {start} on in 12 runs of rows"
    assert len(said(krm.evaluate_rows, *columns, "RR", holding=words)) == 1
    table = dict(zip(("query", "label", "score"), columns, strict=True))
    assert len(said(krm.evaluate, table, None, "RR", holding=words)) == 1
    item = {"item": [*range(len(query))]}
    sides = ({**table, **item} for _ in range(2))
    for other, side in zip(("score", "label"), sides := [*sides], strict=True):
        side.pop(other)
    assert len(said(krm.evaluate, *sides, "RR", holding=words)) == 1


@pytest.mark.parametrize(
    "sizes",
    [[24, 24, 24, 24, 10, 24, 24, 24, 24, 24], range(15, 0, -1), [5] * 20],
    ids=["hours", "pairs", "items in turns"],
)
def test_queries_that_come_in_turns(sizes):
    query = [x for size in sizes for x in range(size)]
    label = np.arange(len(query)) % 3 % 2
    krm.evaluate_rows(query, label, np.sin(7.0 * np.arange(len(query))), "RR")


def test_queries_of_which_few_have_several_rows():
    query = [f"{x}_{7 * x % 10**6}" for x in (*range(195), *range(5))]
    label = np.arange(200) % 3 % 2
    table = {"query": query, "label": label, "score": np.sin(np.arange(200))}
    words = "one row in 190 queries of 195, whose values do not depend"
    for call, given in (
        (krm.evaluate_rows, table.values()),
        (krm.per_query, table.values()),
        (krm.evaluate, [table, None]),
    ):
        assert len(said(call, *given, "RR", holding=words)) == 1
    [found] = [x for x in krm.diagnose(table) if x.name == "one_row_a_query"]
    assert words in found.what


@pytest.mark.parametrize(
    "changed, text",
    [
        ({"query": [0, 1, 2]}, "3 rows of as many queries"),
        ({"y_true": [0.5, 0.2, 0.3], "y_pred": [1, 1, 0]}, "they swapped"),
        (
            {"y_true": [0.5, 0.2, -0.3], "y_pred": [1, 0, 0]},
            "are the arguments swapped",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.y_true. should have labels of 1")
def test_columns_that_may_be_others(changed, text):
    with pytest.warns(UserWarning, match=text):
        krm.evaluate_rows(**{**ROWS, "metrics": krm.NDCG(3), **changed})


@pytest.mark.parametrize(
    "metric",
    [
        krm.RecallAtK(2),
        krm.Sliced(krm.RecallAtK(2), ["a"], by=lambda y_true, y_pred: y_true),
        krm.Comparison(krm.RecallAtK(2), ["old", "new"]),
    ],
)
def test_shares_are_not_read_as_irrelevant(metric):
    """As in `evaluate` and `compare`."""
    scores, before = [3.0, 2.0, 1.0], metric.state
    if isinstance(metric, krm.Comparison):
        scores = dict.fromkeys(metric.systems, scores)
    with pytest.raises(ValueError, match=r"label of 0\.5 for the metric rec"):
        krm.evaluate_rows(["a"] * 3, [0.5, 0.0, 1.0], scores, metric)
    assert metric.state == before


def test_numbers_that_are_objects():
    query, numbers = [1, 1, 1, 2, 2], ([0, 2, 1, 1, 0], [0.1, 0.2, 0.3, 1, 2])
    expected = krm.evaluate_rows(query, *numbers, krm.NDCG(2))
    objects = (np.array(x, object) for x in numbers)
    assert krm.evaluate_rows(query, *objects, krm.NDCG(2)) == expected
    hidden = (np.ma.array(x, mask=[0] * 5) for x in numbers)
    assert krm.evaluate_rows(query, *hidden, krm.NDCG(2)) == expected


def test_digits_as_names_of_groups():
    sliced = krm.Sliced(krm.MeanReciprocalRank(), ["1", "0"])
    found = krm.evaluate_rows(**ROWS, metrics=sliced, group=["0", "0", "1"])
    assert list(found) == ["mrr", "mrr/1", "mrr/0"]
    in_order = krm.Sliced(krm.MeanReciprocalRank(), ["0", "1"])
    same = krm.evaluate_rows(**ROWS, metrics=in_order, group=[0, 0, 1])
    assert same == found


def test_rows_of_pandas_have_one_index():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    frame = pd.DataFrame(ROWS)
    lengths = "3 in `query`, 2 in `y_true`, 3 in `y_pred`"
    with pytest.raises(ValueError, match=lengths):
        krm.evaluate_rows(
            frame["query"], frame.y_true[:2], frame.y_pred, krm.NDCG(3)
        )
    for axis, noun in (("index", "rows"), ("columns", "columns")):
        labels = pd.DataFrame(np.eye(7))
        scores = labels.drop(**{axis: 6})
        with pytest.raises(ValueError, match=f"number of {noun}.* 7 and 6"):
            krm.NDCG(3)(labels, scores)
    shuffled = frame.y_pred.sort_values()
    with pytest.raises(ValueError, match="`y_pred` should have the same index"):
        krm.evaluate_rows(frame["query"], frame.y_true, shuffled, krm.NDCG(3))
    for missing in (
        pd.Series([1, None, 2]),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="category"),
    ):
        with pytest.raises(ValueError, match="first in row 1"):
            krm.evaluate_rows(missing, frame.y_true, frame.y_pred, krm.NDCG(3))

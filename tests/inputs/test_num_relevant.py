"""`num_relevant`: how many relevant items there are beyond the candidates."""

import re

import keras
import numpy as np
import oracle
import pytest
from catalogue import ROWS, in_turns
from given import compiled
from in_forms import values
from keras import ops
from pytest import approx
from suites import Suite, assert_same

from keras_rankmetrics import (
    DCG,
    NDCG,
    MeanAveragePrecision,
    RecallAtK,
)

BACKEND = keras.backend.backend()

LISTS, ITEMS = 20, 8


@pytest.fixture(scope="module")
def data():
    """Lists that have been cut off, and how many relevant ones were lost."""
    rng = np.random.default_rng(4)
    labels = rng.integers(-1, 4, (LISTS, ITEMS)).astype("float32")
    labels[0] = 0.0
    scores = rng.integers(0, 6, labels.shape).astype("float32")
    weights = rng.integers(0, 4, labels.shape).astype("float32")
    lost = rng.integers(0, 12, LISTS)
    lost[:4] = 3, 0, 1, 40
    return labels, scores, weights, lost


def with_lost_ones(lost, label, *arrays):
    """The lists with what they lost: relevant items that have no rank."""
    there = np.arange(lost.max()) < lost[:, None]
    fill = np.where(there, label, -1.0), np.full(there.shape, -np.inf)
    return [
        np.concatenate([x, y], axis=1).astype("float32")
        for x, y in zip(arrays, fill, strict=False)
    ]


def with_lost_items(cell, labels, scores, weights, number):
    """Return a list as the oracle takes it: what is lost has no rank.

    A lost item weighs what those that are there weigh on average.
    """
    row, given = cell.row, (labels.tolist(), scores.tolist(), weights.tolist())
    options = oracle.complete(row.oracle, row.for_oracle)
    items = oracle.valid_items(*given[:2], None, given[2], options["unjudged"])
    gain, seen = oracle.relevance(row.oracle, options), row.relevant(items)
    lost = max(int(number) - seen, 0) if items else 0
    weight = oracle.relevance_weight(items, gain) if seen else 1.0
    label = options.get("relevance_threshold", 1.0)
    of_lost = label, -np.inf, weight
    return [x + lost * [y] for x, y in zip(given, of_lost, strict=True)]


# Where nothing is worth nothing, a lost item has no label.
HAVE_OTHERS = [row for row in ROWS if "plus_one_gain" not in str(row)]


@pytest.mark.parametrize("turn", range(2))
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_it_is_as_if_the_lost_ones_had_no_score(data, turn):
    """Between items of a higher and of a lower gain, in the best order."""
    labels, scores, weights, lost = data
    labels = np.where(labels == 2.0, 0.5, labels)
    has_gain = (labels * weights > 0).any(axis=1)
    number = np.where(has_gain, (labels > 0).sum(axis=1) + lost - 1, 0)
    for ties, of_items in (("average", weights), ("stable", None)):
        cells = in_turns(HAVE_OTHERS, (5, None, 1, 20), (ties,), turn)
        given = np.ones_like(labels) if of_items is None else of_items
        expected = []
        for cell in cells:
            lists = (
                with_lost_items(cell, *of)
                for of in zip(labels, scores, given, number, strict=True)
            )
            expected.append(
                [cell.value(x, y, None, weight) for x, y, weight in lists]
            )
        y_true = {"labels": labels, "num_relevant": number}
        found = Suite(cells).per_list(y_true, scores, of_items)
        assert_same(cells, found, expected)


def test_fewer_than_the_labels_hold_is_as_none(data):
    labels, scores, *_ = data
    y_true = {"labels": labels, "num_relevant": np.ones(LISTS)}
    for metric in (NDCG(k=3), RecallAtK(k=3)):
        expected = values(metric, labels, scores)[1:]
        assert values(metric, y_true, scores)[1:] == approx(expected, rel=1e-6)


def test_weights_of_items(data):
    """Those of lost items are taken to be the mean of those that are there."""
    labels, scores, weights, lost = data
    equal = np.where(weights > 0, 2.0, 0.0)
    there = np.where(weights > 0, labels, -1.0)
    seen = (there > 0).sum(axis=1)
    y_true = {"labels": labels, "num_relevant": seen + lost}
    for metric in (NDCG(k=12), MeanAveragePrecision(k=5)):
        expected = values(metric, *with_lost_ones(lost, 1.0, there, scores))
        found = values(metric, y_true, scores, equal)
        assert found == approx(expected, rel=1e-6, abs=1e-6, nan_ok=True)


def test_a_list_whose_relevant_items_are_all_lost_is_not_empty():
    y_true = {"labels": [[0, 0], [0, 1]], "num_relevant": [3, 1]}
    scores = [[2, 1], [2, 1]]
    assert float(RecallAtK(k=2, empty="skip")(y_true, scores)) == 1 / 2
    assert float(RecallAtK(k=2, empty="one")(y_true, scores)) == 1 / 2
    none = {"labels": [[0, 0], [0, 1]], "num_relevant": [0, 1]}
    assert float(RecallAtK(k=2, empty="skip")(none, scores)) == 1.0
    # A weight that only relevant items could tell is that of the others.
    weights = [[5.0, 5.0], [1.0, 1.0]]
    assert float(RecallAtK(k=2)(y_true, scores, weights)) == 1 / 2
    assert float(RecallAtK(k=2)(y_true, scores, [5.0, 1.0])) == approx(1 / 6)


def test_dcg_does_not_change():
    y_true = {"labels": [[1.0, 2.0]], "num_relevant": [9]}
    scores = [[2.0, 1.0]]
    assert float(DCG()(y_true, scores)) == float(DCG()([[1, 2]], scores))


def test_a_single_list_and_leading_dimensions():
    metric = RecallAtK(k=2)
    y_true = {"labels": [1, 0, 1], "num_relevant": 4}
    assert float(metric.per_list(y_true, [3, 2, 1])) == 1 / 4
    labels, count = np.ones((2, 3, 4)), np.full((2, 3), 8)
    y_true = {"labels": labels, "num_relevant": count}
    found = values(metric, y_true, np.zeros((2, 3, 4)))
    assert found == approx(np.full((2, 3), 1 / 4))


def test_nan_is_seen():
    y_true = {"labels": [[1, 0], [1, 0]], "num_relevant": [np.nan, 2.0]}
    for metric in (NDCG(), RecallAtK(k=1)):
        found = values(metric, y_true, [[2, 1], [2, 1]])
        assert np.isnan(found[0]) and 0 < found[1] < 1


def test_padding_does_not_matter():
    for padding in (np.nan, -1):
        y_true = {"labels": [[-1, -1], [1, 0]], "num_relevant": [padding, 2]}
        found = values(RecallAtK(k=1), y_true, [[2, 1], [2, 1]])
        assert np.isnan(found[0]) and found[1] == 1 / 2


def test_under_a_threshold_below_0():
    metric = RecallAtK(relevance_threshold=-1.0)
    y_true = {"labels": [[1, 0]], "num_relevant": [[4]]}
    assert values(metric, y_true, [[0.5, 0.3]]) == approx([1 / 2])


@pytest.mark.parametrize(
    "count", [3, [3], [1, 2, 3], [[1, 2]], [[1, 2], [1, 2]]]
)
def test_shapes(count):
    y_true = {"labels": [[1, 0], [1, 0]], "num_relevant": count}
    text = (
        '`y_true["num_relevant"]` should hold one number for each list, in '
        f"the shape (2,). Received: the shape {np.shape(count)}."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        NDCG().per_list(y_true, [[2, 1], [2, 1]])


def test_negative_numbers():
    y_true = {"labels": [[1, 0], [1, 0]], "num_relevant": [1, -3]}
    text = '`y_true["num_relevant"]` should not be negative. Received: -3.0.'
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        NDCG().per_list(y_true, [[2, 1], [2, 1]])


def arguments():
    count, scores = ops.array([3.0, 1.0]), ops.array([[2.0, 1.0], [2.0, 1.0]])
    return ops.array([[1.0, 0.0], [0.0, 1.0]]), count, scores


def call(metric):
    def of(labels, count, scores):
        y_true = {"labels": labels, "num_relevant": count}
        return metric.per_list(y_true, scores)

    return of


@pytest.mark.each_backend
@pytest.mark.not_on("torch", reason="torch has no programs here")
@pytest.mark.parametrize("k", [1, 5, None])
def test_in_a_program(k):
    metric = NDCG(k=k)
    expected = ops.convert_to_numpy(call(metric)(*arguments()))
    program = compiled(call(metric), jit_compile=False)
    if BACKEND == "jax" and k is None:
        with pytest.raises(ValueError, match="Give the metric a `k`"):
            program(*arguments())
        return
    found = program(*arguments())
    assert ops.convert_to_numpy(found) == approx(expected, rel=1e-6)

"""Metrics of subtopics, against plain Python, and in all that metrics do."""

import json
import pathlib

import numpy as np
import oracle_of_subtopics as oracle
import pytest
from in_forms import values
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import UNJUDGED
from tests.fuzz import rows_of_subtopics

# The fuzzer tries them with further options.
ROWS = [
    row
    for row in rows_of_subtopics.rows()
    if not row.options.keys() & {"unjudged", "relevance_threshold"}
]
METRICS = tuple(row.metric for row in ROWS if not row.options)

rows = pytest.mark.parametrize("row", ROWS, ids=str)
cutoffs = pytest.mark.parametrize("k", [1, 3, 5, None])


def batch(lists, items, subtopics, levels=1000, seed=0):
    """Few relevant items, padding, items that are not retrieved."""
    rng = np.random.default_rng(seed)
    shape = (lists, items, subtopics)
    labels = rng.integers(0, 3, shape) * (rng.random(shape) < 0.35)
    labels[rng.random((lists, items)) < 0.1] = -1
    labels[0], labels[1] = 0, -1  # nothing relevant, no item
    labels[2, :, 0] = 0  # a subtopic of which there is nothing
    scores = rng.integers(0, levels, (lists, items)).astype("float32")
    scores[rng.random((lists, items)) < 0.1] = -np.inf
    return labels.astype("float32"), scores


@pytest.mark.long
@rows
@cutoffs
def test_the_mean_over_all_orders_of_tied_items(row, k):
    if k is None and row.needs_k:
        return
    labels, scores = batch(40, 6, 3, levels=3, seed=1)
    found = values(row.make(k), labels, scores)
    expected = [
        oracle.value(row.value, y, s, k)
        for y, s in zip(labels, scores, strict=True)
    ]
    assert found == approx(expected, abs=2e-6, nan_ok=True)


@pytest.mark.long
@rows
@cutoffs
def test_two_thousand_lists(row, k):
    if k is None and row.needs_k:
        return
    labels, scores = batch(2000, 12, 4, seed=2)
    found = values(row.make(k, ties="stable"), labels, scores)
    expected = [
        oracle.value(row.value, y, s, k, orders=oracle.stable)
        for y, s in zip(labels, scores, strict=True)
    ]
    assert found == approx(expected, abs=2e-6, nan_ok=True)


@pytest.mark.long
@pytest.mark.parametrize("metric", METRICS)
def test_ties_that_a_cutoff_splits_far_down(metric):
    """By hand: the mean over many random orders."""
    labels, scores = batch(3, 60, 3, levels=3, seed=3)
    exact = values(metric(k=8), labels[2:], scores[2:])
    shuffled = metric(k=8, ties="shuffle")
    drawn = values(
        shuffled,
        np.repeat(labels[2:], 4000, axis=0),
        np.repeat(scores[2:], 4000, axis=0),
    )
    assert exact[0] == approx(
        drawn.mean(), abs=5 * float(drawn.std()) / 4000**0.5
    )


@pytest.mark.parametrize("metric", METRICS)
def test_chance_is_what_constant_scores_have(metric):
    if not metric.has_upper_bound:
        with pytest.raises(ValueError, match="not have 1 as its best"):
            metric(k=3, adjusted="chance")
        return
    labels, scores = batch(30, 7, 3, seed=4)
    value = values(metric(k=3), labels, scores)
    level = np.where(np.isinf(scores), scores, 0.0)
    chance = values(metric(k=3), labels, level)
    found = values(metric(k=3, adjusted="chance"), labels, scores)
    there = ~np.isnan(value) & (labels.max(axis=(1, 2)) >= 1)
    expected = ((value - chance) / (1 - chance))[there]
    assert found[there] == approx(expected, abs=1e-4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_one_subtopic_is_no_other_metric(metric):
    labels, scores = batch(30, 7, 1, levels=4, seed=5)
    plain = {
        krm.PrecisionIA: krm.PrecisionAtK(k=3),
        krm.MeanAveragePrecisionIA: krm.MeanAveragePrecision(k=3),
        krm.SubtopicRecall: krm.HitRateAtK(k=3),
        krm.ERRIA: krm.ERR(k=3, max_grade=1.0),
    }
    if metric not in plain:
        return
    flat = np.minimum(labels[..., 0], 1.0)
    expected = values(plain[metric], flat, scores)
    assert values(metric(k=3), labels, scores) == approx(
        expected, abs=1e-6, nan_ok=True
    )


@pytest.mark.filterwarnings("ignore:.*Received. labels from -2 to 2")
@pytest.mark.parametrize("metric", METRICS)
def test_whatever_removes_an_item(metric):
    labels, scores = batch(12, 8, 3, levels=4, seed=6)
    gone = np.random.default_rng(7).random(scores.shape) < 0.3
    by_label = np.where(gone[..., None], -1.0, labels).astype("float32")
    expected = values(metric(k=3), by_label, scores)
    masked = {"labels": labels, "mask": ~gone}
    assert values(metric(k=3), masked, scores) == approx(expected, nan_ok=True)
    weights = np.where(gone, 0.0, 1.0)
    found = values(metric(k=3), labels, scores, weights)
    assert found == approx(expected, nan_ok=True)
    unjudged = np.where(gone[..., None], UNJUDGED, labels).astype("float32")
    # A list of unjudged items alone is empty, and not padding.
    are_empty = np.isnan(expected) & gone.any(axis=1)
    found = values(metric(k=3, unjudged="condense"), unjudged, scores)
    assert found == approx(np.where(are_empty, 0.0, expected), nan_ok=True)
    zero = np.where(gone[..., None] & (labels >= 0), 0, labels)
    found = values(metric(k=3), np.where(labels < 0, labels, unjudged), scores)
    assert found == approx(values(metric(k=3), zero, scores), nan_ok=True)


@pytest.mark.parametrize("metric", METRICS)
def test_padded_subtopics_are_no_subtopics(metric):
    labels, scores = batch(12, 6, 3, levels=4, seed=8)
    padded = np.concatenate([labels, -np.ones_like(labels)], axis=-1)
    expected = values(metric(k=3), labels, scores)
    found = values(metric(k=3), padded, scores)
    assert found == approx(expected, abs=1e-7, nan_ok=True)


@pytest.mark.long
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ties", ["shuffle", "pessimistic", "optimistic"])
def test_an_order_is_one_for_all_subtopics(metric, ties):
    """Equal scores, labels that say which order it is."""
    labels = np.zeros((50, 4, 2), "float32")
    labels[:, 0, 0] = labels[:, 0, 1] = 1  # one item for both
    found = values(krm.PrecisionIA(k=1, ties=ties), labels, np.ones((50, 4)))
    assert set(np.unique(found)) <= {0.0, 1.0}
    values(metric(k=1, ties=ties), labels, np.ones((50, 4)))


def test_nan_makes_its_list_nan_and_no_other():
    labels, scores = batch(4, 5, 2, seed=9)
    labels[2] = labels[3] = 1.0
    labels[2, 1, 1] = np.nan
    found = values(krm.AlphaNDCG(), labels, scores)
    assert np.isnan(found[2])
    assert not np.isnan(found[3])


def test_numbers_of_ndeval():
    """What pyndeval 0.0.8 gave for the same lists."""
    golden = json.loads(
        pathlib.Path(__file__).with_name("ndeval.json").read_text()
    )
    # Of items that add as much to the best order, it takes the last.
    labels = np.array(golden["labels"], "float32")[:, ::-1]
    scores = np.array(golden["scores"], "float32")[:, ::-1]
    k = golden["k"]
    saturated = np.arange(1, k + 1)
    norm = (0.5**saturated / saturated).sum()
    dcg_norm = (0.5 ** (saturated - 1) / np.log2(saturated + 1)).sum()
    number = (labels >= 1).any(axis=1).sum(axis=-1)
    found = {
        f"alpha-nDCG@{k}": values(krm.AlphaNDCG(k), labels, scores),
        f"nERR-IA@{k}": values(krm.ERRIA(k, normalized=True), labels, scores),
        f"ERR-IA@{k}": values(krm.ERRIA(k), labels, scores) / norm,
        f"alpha-DCG@{k}": values(krm.AlphaDCG(k), labels, scores)
        / dcg_norm
        / number,
        "NRBP": values(krm.NRBP(), labels, scores),
        "nNRBP": values(krm.NRBP(normalized=True), labels, scores),
        "MAP-IA": values(krm.MeanAveragePrecisionIA(), labels, scores),
        f"P-IA@{k}": values(
            krm.PrecisionIA(k, denominator="k"), labels, scores
        ),
        f"strec@{k}": values(krm.SubtopicRecall(k), labels, scores),
    }
    for name, ours in found.items():
        assert ours == approx(golden["values"][name], abs=1e-6), name


# As any other metric


@pytest.mark.parametrize("leading", [(), (2, 3)])
def test_leading_dimensions(leading):
    labels, scores = batch(6, 5, 2, levels=4, seed=12)
    metric = krm.AlphaDCG(k=2)
    expected = values(metric, labels, scores)[: int(np.prod(leading))]
    size = int(np.prod(leading))
    found = values(
        metric,
        labels[:size].reshape(*leading, 5, 2),
        scores[:size].reshape(*leading, 5),
    )
    assert found.shape == leading
    assert found.ravel() == approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    "labels, scores",
    [
        ([[1, 0]], [[2.0, 1.0]]),
        ([[[1], [0], [1]]], [[2.0, 1.0]]),
        ([[[], []]], [[2.0, 1.0]]),
    ],
)
def test_labels_of_another_shape(labels, scores):
    metric = krm.AlphaNDCG()
    with pytest.raises(ValueError, match="for each item and subtopic"):
        metric.update_state(labels, scores)
    assert metric.count() == 0


def test_ragged_lists_of_other_lengths():
    metric = krm.PrecisionIA(2)
    labels = [[[1, 0], [0, 1]], [[1, 0]]]
    assert values(metric, labels, [[1.0, 2.0], [3.0]]) == approx([0.5, 1.0])
    with pytest.raises(
        ValueError, match=r"the same lengths\.\s+Received: \[2, 1\]"
    ):
        metric.update_state(labels, [[1.0], [2.0, 3.0]])
    assert metric.count() == 0


def test_what_cannot_be_asked_for():
    with pytest.raises(ValueError, match="each item and subtopic"):
        krm.AlphaNDCG(inputs="sparse")
    with pytest.raises(ValueError, match="above 0 and below 1"):
        krm.AlphaDCG(alpha=1.0)
    with pytest.raises(ValueError, match="num_relevant"):
        y_true = {"labels": [[[1]]], "num_relevant": [1]}
        krm.AlphaNDCG()(y_true, [[1.0]])

    class Wrong(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k):
            return ranking.by_subtopic().total(ranking.hits(k))

    with pytest.raises(ValueError, match='reads = "subtopics"'):
        Wrong()([[1, 0]], [[2.0, 1.0]])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("unjudged", ["irrelevant", "condense"])
def test_an_unjudged_item_is_one_however_subtopics_are_filled_up(
    metric, unjudged
):
    scores = [[1.0, 3.0, 2.0]]
    made = metric(k=2, unjudged=unjudged)
    expected = values(made, [[[1], [UNJUDGED], [0]]], scores)
    filled = [[[1, -1], [UNJUDGED, -1], [0, -1]]]
    assert values(made, filled, scores) == approx(expected)
    both = [[[1], [UNJUDGED], [0]], [[1, 0], [0, 1], [0, 0]]]
    assert values(made, both, scores * 2)[:1] == approx(expected)


def test_lists_of_no_items_at_all():
    labels, scores = np.zeros((3, 0, 2)), np.zeros((3, 0))
    metric = krm.SubtopicRecall(k=1)
    metric.update_state(labels, scores)
    assert metric.count() == 0

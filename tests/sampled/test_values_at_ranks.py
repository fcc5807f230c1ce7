"""The value of a metric by the rank of the relevant item, beside a ranking."""

import numpy as np
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.metrics.sampled import values_at_ranks

ITEMS = 30
# `test_counts_of_items_above` has every metric; these differ in how they are
# asked: cutoffs, chance, orders, and whether less is better.
METRICS = [
    krm.DCG(3),
    krm.NDCG(),
    krm.NDCG(3, adjusted="chance"),
    krm.NDCG(3, ideal="retrieved"),
    krm.PrecisionAtK(100),
    krm.RecallAtK(3, ties="pessimistic"),
    krm.FallOutAtK(3),
    krm.AUC(k=4),
    krm.MeanRank(),
    krm.MeanReciprocalRank(5, adjusted="chance"),
    krm.ERR(5),
    krm.InterpolatedPrecision(),
    krm.QMeasure(),
    krm.OrderedPairAccuracy(),
]


def ranked(metric, label=1.0):
    """The value at each rank, from lists that are ranked."""
    scores = np.broadcast_to(-np.arange(ITEMS, dtype="float32"), (ITEMS, ITEMS))
    values = metric.per_list(label * np.eye(ITEMS, dtype="float32"), scores)
    return ops.convert_to_numpy(values)


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.signature[:40])
def test_it_is_what_the_metric_says_of_such_lists(metric):
    ranks = np.arange(ITEMS)
    found = values_at_ranks(metric.definition, ranks, ranks + 1, ITEMS)
    assert found == approx(ranked(metric), abs=1e-5)


def takes_several_ranks(metric):
    """Return whether a metric has a value of more ranks than one."""
    strict = metric.definition.traits.strict_order_under == "always"
    return metric.k is None and not strict


@pytest.mark.parametrize(
    "metric", list(filter(takes_several_ranks, METRICS)), ids=lambda m: m.name
)
def test_of_several_ranks_it_is_the_mean(metric):
    start, stop = np.array([0, 1, 4, 13]), np.array([1, 4, 13, ITEMS])
    found = values_at_ranks(metric.definition, start, stop, ITEMS)
    means = np.add.reduceat(ranked(metric), start) / (stop - start)
    assert found == approx(means, abs=1e-5)


@pytest.mark.parametrize(
    "metric", [krm.RecallAtK(12), krm.NDCG(3), krm.AUC(k=4)]
)
def test_beyond_the_cutoff_all_ranks_are_one(metric):
    start, stop = np.array([0, metric.k]), np.array([metric.k, ITEMS])
    found = values_at_ranks(metric.definition, start, stop, ITEMS)
    assert found[1] == approx(ranked(metric)[metric.k :].mean(), abs=1e-6)


def test_labels_from_the_threshold_on_are_relevant():
    metric = krm.PrecisionAtK(3, relevance_threshold=4)
    ranks = np.arange(ITEMS)
    found = values_at_ranks(metric.definition, ranks, ranks + 1, ITEMS)
    assert found == approx(ranked(metric, 4.0))
    assert found[0] > 0

"""Aggregates that users write: other sums than those of the mean.

`test_contract_of_a_state.py` has what holds of the states of all metrics.
"""

import math
import types

import given
import numpy as np
import pytest
from keras import ops
from own_aggregates import ShareAbove, Squares, SumOfSquares
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import MetricCollection
from keras_rankmetrics.engine.aggregates import WeightedMean


class ShareOfGoodLists(krm.NDCG):
    aggregate = ShareAbove(0.5)


class ShareOfPerfectLists(krm.NDCG):
    aggregate = ShareAbove(0.999)


class AlsoGoodLists(krm.RecallAtK):
    aggregate = ShareAbove(0.5)


BATCHES = [given.batch(seed, 20)[:2] for seed in (1, 2)]


def values_of(metric):
    """Those of all lists that count."""
    values = np.concatenate(
        [ops.convert_to_numpy(metric.per_list(*each)) for each in BATCHES]
    )
    return values[~np.isnan(values)].astype("float64")


def expected():
    """By the name of the metric."""
    ndcg = values_of(krm.NDCG(3))
    return {
        "good": np.mean(ndcg > 0.5),
        "perfect": np.mean(ndcg > 0.999),
        "recalled": np.mean(values_of(krm.RecallAtK(3)) > 0.5),
        "squares": np.square(values_of(Squares(3))).sum(),
        "ndcg@3": ndcg.mean(),
    }


def several():
    return [
        ShareOfGoodLists(3, name="good"),
        krm.NDCG(3),
        ShareOfPerfectLists(3, name="perfect"),
        AlsoGoodLists(3, name="recalled"),
        Squares(3, name="squares"),
    ]


def updated(metric, batches):
    for each in batches:
        metric.update_state(*each)
    return metric


def test_alone():
    found = {
        metric.name: given.numbers(updated(metric, BATCHES).result())
        for metric in several()
    }
    assert found == approx(expected(), rel=1e-6)
    assert len(set(found.values())) == 5


def test_without_lists():
    assert float(ShareOfGoodLists(3).result()) == 0.0
    assert float(Squares(3).result()) == 0.0


def test_members_of_equal_aggregates_share_a_variable():
    together = MetricCollection(several())
    shapes = sorted(tuple(v.shape) for v in together.variables)
    assert shapes == [(1, 2), (1, 2, 2), (1, *WeightedMean.shape, 2), (2, 2, 2)]


@pytest.mark.each_backend
@pytest.mark.long
def test_in_a_compiled_program():
    found = given.in_a_program(MetricCollection(several()), *BATCHES)
    assert found == approx(expected(), rel=1e-6)
    alone = given.in_a_program(several()[0], *BATCHES)
    assert alone == approx(expected()["good"], rel=1e-6)


def test_what_is_known_of_means_alone():
    metric = ShareOfGoodLists(3)
    for ask in (
        metric.estimate,
        metric.standard_error,
        metric.confidence_interval,
        metric.count,
        metric.effective_count,
    ):
        with pytest.raises(TypeError, match="ShareOfGoodLists, which has its"):
            ask()


def test_its_text_is_that_of_any_metric():
    assert "ShareOfGoodLists" in str(ShareOfGoodLists(3))


def test_a_collection_has_the_errors_that_an_aggregate_tells():
    with pytest.raises(TypeError, match="`aggregate` has no `errors`"):
        MetricCollection(several(), errors=True)
    together = MetricCollection([Squares(3), krm.NDCG(3)], errors=True)
    results = given.numbers(updated(together, BATCHES).result())
    assert results["squares@3_se"] == approx(math.sqrt(results["squares@3"]))


def share_above(threshold):
    class Share(krm.NDCG):
        aggregate = ShareAbove(threshold)

    return Share(3)


def test_the_signature_tells_aggregates_apart():
    one, other = share_above(0.5), share_above(0.999)
    assert one.signature != other.signature


@pytest.mark.parametrize(
    "wrapper",
    [
        lambda metric: krm.Sliced(metric, 2),
        lambda metric: krm.Comparison(metric, ["a", "b"]),
    ],
    ids=["Sliced", "Comparison"],
)
def test_slices_and_comparisons_are_of_means(wrapper):
    with pytest.raises(TypeError, match="aggregate"):
        wrapper(ShareOfGoodLists(3))


def test_an_aggregate_of_one_metric():
    """It may be set in a constructor, before the base makes the state."""

    class Above(krm.NDCG):
        def __init__(self, threshold, **options):
            self.aggregate = ShareAbove(threshold)
            super().__init__(**options)

    found = [
        float(updated(Above(threshold, k=3), BATCHES).result())
        for threshold in (0.5, 0.999)
    ]
    numbers = expected()
    assert found == approx([numbers["good"], numbers["perfect"]], rel=1e-6)


def whole(**attributes):
    """An aggregate with these attributes in place of its own."""
    return type("Own", (SumOfSquares,), attributes)


@pytest.mark.parametrize(
    "aggregate, message",
    [
        (SumOfSquares, r"the class SumOfSquares\. Write `aggregate = SumOfSq"),
        (len, "which has no `shape`"),
        (types.SimpleNamespace(shape=()), "which has no `of_batch`"),
        (types.SimpleNamespace(shape=(), of_batch=len), "which has no `resul"),
        (whole(__hash__=None)(), "should be hashable.* a frozen dataclass"),
    ],
)
def test_what_is_no_aggregate(aggregate, message):
    with pytest.raises(TypeError, match=f"The `aggregate` of Mine .*{message}"):
        type("Mine", (krm.NDCG,), {"aggregate": aggregate})


def test_an_aggregate_may_depend_on_options():
    class Above(krm.HitRateAtK):
        aggregate = property(lambda self: ShareAbove(1 / (1 + self.k)))

    assert float(Above(k=1)([[1, 0], [0, 1]], [[2, 1]] * 2)) == 1 / 2

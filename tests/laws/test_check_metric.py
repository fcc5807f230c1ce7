"""`check_metric`: it passes the metrics of the package, and finds mistakes."""

import itertools
import math

import keras
import numpy as np
import pytest
from catalogue import EVERY_ROW, OWN_FUNCTIONS, Row
from keras import ops
from scripts import printed

import keras_rankmetrics as krm
from keras_rankmetrics.testing import check_metric

register = keras.saving.register_keras_serializable("test_check_metric")
FUNCTIONS = OWN_FUNCTIONS.values()
# Not those with functions that Keras cannot load, or whose result is no mean.
PASS = [
    row
    for row in EVERY_ROW
    if not any(value in FUNCTIONS for value in row.options.values())
    and row.metric not in (krm.Count, krm.GeometricMAP)
]


def passes(row):
    grades = (0, 1) if row.metric is krm.PFound else (0, 1, 2)
    check_metric(row.make(3), labels=grades, lists=25)


@pytest.mark.parametrize(
    "row", [Row(krm.NDCG, "ndcg"), Row(krm.PrecisionAtK, "precision")], ids=str
)
def test_the_metrics_of_the_package_pass(row):
    passes(row)


@pytest.mark.long
@pytest.mark.parametrize("row", PASS, ids=str)
def test_all_metrics_of_the_package_pass(row):
    passes(row)


def dcg(ranked, labels):
    return sum(
        (2**label - 1) / math.log2(rank + 1)
        for rank, label in enumerate(ranked[:3], start=1)
    )


def test_a_reference_that_agrees():
    check_metric(krm.DCG(k=3), dcg, lists=20)
    ndcg = krm.NDCG(k=3, empty="skip")

    def reference(ranked, labels):
        best = dcg(sorted(labels, reverse=True), labels)
        return dcg(ranked, labels) / best if best else float("nan")

    check_metric(ndcg, reference, lists=20)


def test_a_reference_that_differs():
    with pytest.raises(AssertionError, match=r"dcg@2: .* of the reference\. E"):
        check_metric(krm.DCG(k=2), dcg)


def of_measure(measure, **members):
    """Return a metric with that measure, registered with Keras."""
    body = {"measure": staticmethod(measure), **members}
    return register(type("Own", (krm.RankingMetric,), body))


def first_two(ranking, k):
    """Return the discounts of the first two relevant items, wrong with ties."""
    total = ranking.total()
    first = ops.where(ops.cumsum(total, axis=-1) <= 2.0, total, 0.0)
    found = first * ranking.discount(krm.log2_discount, k)
    return ops.sum(found, axis=-1) / 2.0


def by_rank(ranking, k):
    """Return NDCG of ranks, wrong where entries are items."""
    gained = ranking.discounted(ranking.total(), krm.log2_discount, k)
    best = ranking.discounted(ranking.best(k), krm.log2_discount, k)
    return ops.divide_no_nan(gained, best)


def of_entries(ranking, k):
    """Return what depends on the number of entries, padding included."""
    return ranking.hits(k) / 40.0 + 0.001 * ranking.total().shape[-1]


CALLS = itertools.count()


def counting(ranking, k):
    """Return what depends on how often it was called."""
    return ranking.hits(k) * 0.0 + (next(CALLS) % 97) / 97.0


def of_batch(ranking, k):
    """Return what depends on the other lists."""
    hits = ranking.hits(k)
    return ops.zeros_like(hits) + ops.mean(hits) / 10.0


def any_hit(ranking, k):
    """Return 1 if there is a hit, wrong with ties."""
    return ops.minimum(ranking.hits(k), 1.0)


def unweighted(ranking, k):
    """Return NDCG whose gains have no weights, while the ideal has."""
    gained = ranking.total() * ranking.discount(krm.log2_discount, k)
    best = ranking.discounted(ranking.best(k), krm.log2_discount, k)
    return ops.divide_no_nan(ops.sum(gained, axis=-1), best)


def without_a_guard(ranking, k):
    """Return NaN where nothing is retrieved."""
    return ranking.hits(k) / ranking.retrieved


def first_only(ranking, k):
    """Return whether the first item is relevant, at any cutoff."""
    return ranking.hits(1)


def missed(ranking, k):
    """Return the share of ranks without a hit: less is better."""
    return 1.0 - ranking.hits(k) / k


MISTAKES = {
    first_only: "from rank 3 to rank 4 should change the value",
    missed: "should not have a lower value .* `more_is_better = False`",
    first_two: "tied items should have the mean over all their orders",
    any_hit: "tied items should have the mean over all their orders",
    by_rank: "a weight of 2|labels of 0 and 1",
    of_entries: "should not depend on others|padding should not",
    of_batch: "should not depend on others",
    counting: "with the config|same values|should not depend on others",
    unweighted: "a weight of 2 of each item should not change the value",
    without_a_guard: "values should be numbers",
}


@pytest.mark.long
@pytest.mark.parametrize("measure", MISTAKES, ids=lambda f: f.__name__)
def test_a_mistake_is_found(measure):
    for seed in range(3):
        with pytest.raises(AssertionError, match=MISTAKES[measure]) as error:
            check_metric(of_measure(measure)(k=3), seed=seed)
        assert "Expected: " in str(error.value)
        assert "Received: " in str(error.value)


def test_a_cutoff_that_is_ignored_is_found_at_any_cutoff():
    def two_hits(ranking, k):
        return ranking.hits(2) / 2.0

    for k in (2, 3):
        with pytest.raises(AssertionError, match="should change the value of"):
            check_metric(of_measure(two_hits)(k=k), lists=8)


def first_of_all(ranking, k):
    """Return the reciprocal of the rank of the first hit, at any cutoff."""
    return ranking.at_first_hit(lambda rank: 1.0 / rank, None)


def test_a_cutoff_that_is_ignored_is_found_where_whole_lists_are_ranked():
    metric = of_measure(first_of_all, needs_whole_lists=True)
    for k in (1, 3):
        with pytest.raises(AssertionError, match="should be another one"):
            check_metric(metric(k=k), lists=8)


def first_rank(ranking, k):
    """Return the rank of the first hit, 0 without one."""
    return ranking.at_first_hit(lambda rank: rank, k)


@pytest.mark.parametrize("k", [3, None])
def test_a_direction_that_only_some_lists_show(k):
    metric = of_measure(first_rank, has_upper_bound=False)
    with pytest.raises(AssertionError, match="`more_is_better = False`"):
        check_metric(metric(k=k), lists=8)


def test_what_the_error_suggests_helps():
    strict = of_measure(first_two, strict_order_under="always")
    check_metric(strict(k=3), lists=20)
    check_metric(of_measure(missed, more_is_better=False)(k=3), lists=20)


def test_a_direction_that_is_not_so():
    def found(ranking, k):
        return ranking.hits(k) / 9.0

    with pytest.raises(AssertionError, match="have a higher value"):
        check_metric(of_measure(found, more_is_better=False)(k=2))


@pytest.mark.parametrize("k", [1, 2, 8])
def test_cutoffs_that_count_pass(k):
    check_metric(krm.MeanReciprocalRank(k=k), lists=8)
    check_metric(krm.JudgedAtK(k=k), lists=8)


def by_ufunc(ranking, k):
    return np.sqrt(ranking.hits(k) / k)


def by_function(ranking, k):
    return ops.array(np.where(ranking.hits(k) > 0, 0.5, 0.0), "float32")


def by_conversion(ranking, k):
    return ops.array(np.asarray(ranking.hits(k)) / 9.0)


def by_keras(ranking, k):
    return ops.array(ops.convert_to_numpy(ranking.hits(k)) / 9.0)


@pytest.mark.skipif(
    keras.config.backend() == "numpy", reason="its tensors are arrays"
)
@pytest.mark.parametrize(
    "measure",
    [by_ufunc, by_function, by_conversion, by_keras],
    ids=lambda f: f.__name__,
)
def test_numpy_in_a_measure_is_found(measure):
    remedy = "Write the measure with `keras.ops`"
    with pytest.raises(AssertionError, match=remedy):
        check_metric(
            of_measure(measure, strict_order_under="always")(k=3), lists=8
        )


@pytest.mark.only_on("torch", reason="torch compiles nothing")
def test_numpy_by_a_method_of_torch_is_found():
    import torch

    def by_method(ranking, k):
        return torch.from_numpy(ranking.hits(k).numpy() / 9.0)

    conversions = torch.Tensor.__array__, torch.Tensor.numpy
    with pytest.raises(AssertionError, match=r"line \d+ of .*keras\.ops"):
        check_metric(of_measure(by_method)(k=3), lists=8)
    assert conversions == (torch.Tensor.__array__, torch.Tensor.numpy)
    assert "numpy" not in vars(torch.Tensor)


@pytest.mark.parametrize(
    "rule",
    [
        "needs_k_under",
        "strict_order_under",
        "turns_under",
        "whole_lists_under",
    ],
)
def test_a_rule_about_no_option_is_found(rule):
    def found(ranking, k, of: str = "all"):
        return ranking.hits(k) / 9.0

    metric = of_measure(found, **{rule: ("off", "relevant")})(k=3)
    with pytest.raises(AssertionError, match=f"`{rule}` should .* off") as said:
        check_metric(metric)
    assert " of" in str(said.value).partition("Received")[0]
    check_metric(of_measure(found, **{rule: ("of", "few")})(k=3), lists=8)


WITHOUT_TENSORFLOW = """
import sys
import keras_rankmetrics as krm
krm.testing.check_metric(krm.DCG(k=2), lists=6)
krm.Sliced(krm.NDCG(k=2), ["a"]).get_config()
print("tensorflow" in sys.modules)
"""


@pytest.mark.only_on("torch", reason="others have reasons to import it")
def test_it_does_not_import_tensorflow():
    assert printed("-c", WITHOUT_TENSORFLOW).split() == ["False"]


def test_a_class_that_keras_does_not_know_is_found():
    class Unknown(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k):
            return ranking.hits(k) / 9.0

    with pytest.raises(AssertionError, match="Register the class") as error:
        check_metric(Unknown(k=3))
    assert len(str(error.value)) < 500


def test_a_config_that_loses_an_option_is_found():
    @register
    class Forgets(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k, most: float = 9.0):
            return ranking.hits(k) / most

        @classmethod
        def from_config(cls, config):
            return cls(**{**config, "most": 9.0})

    with pytest.raises(AssertionError, match="Options are parameters"):
        check_metric(Forgets(k=3, most=12.0))


def test_a_metric_with_an_option_passes():
    @register
    class Enough(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k, enough: float = 5.0):
            return ranking.hits(k) / enough

    check_metric(Enough(k=3, enough=4.0), lists=20)


@pytest.mark.parametrize(
    "metric, error, said",
    [
        ("NDCG@3", TypeError, "should be a `RankingMetric`"),
        (krm.AlphaNDCG(k=3), ValueError, "takes other inputs"),
        (krm.OverlapAtK(k=3), ValueError, "takes other inputs"),
        (krm.NDCG(k=3, inputs="ids"), ValueError, "takes other inputs"),
        (krm.NDCG(k=3, ties="shuffle"), ValueError, "should not be drawn"),
    ],
)
def test_what_it_cannot_check_is_refused(metric, error, said):
    with pytest.raises(error, match=said):
        check_metric(metric)


@pytest.mark.parametrize(
    "wrong", [{"labels": [0]}, {"labels": [0, -1]}, {"items": 1}, {"lists": 0}]
)
def test_arguments_that_check_nothing_are_refused(wrong):
    [name] = wrong
    with pytest.raises(ValueError, match=f"`{name}` should be such as"):
        check_metric(krm.NDCG(k=3), **wrong)


def test_a_reference_is_not_asked_of_empty_lists():
    def reference(ranked, labels):
        return float(any(label >= 1 for label in ranked[:3]))

    check_metric(krm.HitRateAtK(k=3, empty="one"), reference, lists=20)


def test_a_table_of_the_catalogue_may_change_values():
    cost = [5.0, 1.0, 9.0, 2.0, 4.0]

    @register
    class Cost(krm.RankingMetric):
        has_upper_bound = False

        @staticmethod
        def measure(ranking, k):
            def total(items):
                return ops.sum(items.probability * items.at(cost), axis=-1)

            return ranking.shown(total, k)

    check_metric(Cost(k=2), items=5, lists=20, of_catalogue=True)
    with pytest.raises(AssertionError, match="of_catalogue=True"):
        check_metric(Cost(k=2), items=5)
    with pytest.raises(AssertionError, match=r"fewer items .* as `items=`"):
        check_metric(Cost(k=2), of_catalogue=True)


def test_it_leaves_the_metric_as_it_was():
    metric = krm.NDCG(k=2)
    metric.update_state([[1, 0]], [[2.0, 1.0]])
    check_metric(metric, lists=5)
    assert metric.count() == 1
    assert np.isclose(float(metric.result()), 1.0)

"""Where items stand, by their numbers, beside all orders of tied items."""

import given
import items
import numpy as np
import oracle_of_items as oracle
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm


class Chances(krm.RankingMetric):
    """Σ 10^-i times the chance of item i, which tells all of them."""

    has_upper_bound = False

    @staticmethod
    def measure(ranking, k):
        table = ops.array([[10.0**-i] for i in range(items.ITEMS)])
        return ranking.shown(lambda x: x.times(x.probability, table)[:, 0], k)

    has_value = staticmethod(lambda ranking: ranking.number_shown() > 0)


class Exposures(Chances):
    """The same of the exposure, by the table's other way."""

    @staticmethod
    def measure(ranking, k):
        table = ops.array([10.0**-i for i in range(items.ITEMS)])

        def exposure(x):
            exposure = x.exposure(krm.log2_discount)
            return ops.sum(exposure * x.at(table), axis=-1)

        return ranking.shown(exposure, k)


class Gains(Chances):
    """The chances of relevant items."""

    @staticmethod
    def measure(ranking, k):
        return ranking.shown(
            lambda x: ops.sum(x.gains() * x.probability, -1), k
        )


def chances(of, k):
    return sum(10.0**-item * p for item, p in of.exposures(k).items())


def exposures(of, k):
    found = of.exposures(k, oracle.log2_discount)
    return sum(10.0**-item * x for item, x in found.items())


def gains(of, k):
    return sum(p for i, p in of.exposures(k).items() if i in of.relevant)


ORACLES = {Chances: chances, Exposures: exposures, Gains: gains}


@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.parametrize("metric", ORACLES)
@pytest.mark.parametrize("form", items.FORMS)
def test_beside_all_orders(form, metric, k):
    passed, lists = items.lists_in(form, 60)
    found = metric(k, inputs=form).per_list(*passed)
    found = ops.convert_to_numpy(found)
    for number, of in zip(found, lists, strict=True):
        if of in items.counting(lists):
            assert number == approx(ORACLES[metric](of, k), abs=1e-6)


def tied_beyond_the_row(items):
    """Scores of which more tie than are looked at first."""
    scores = np.zeros((2, items), "float32")
    scores[1, :3] = [1, 2, 3]
    return np.ones_like(scores), scores


@pytest.mark.each_backend
@pytest.mark.parametrize("form", ["scores", "sparse"])
def test_a_group_that_goes_on_beyond_the_first_ranks(form):
    class Last(Chances):
        @staticmethod
        def measure(ranking, k):
            table = ops.cast(ops.arange(50) == 49, "float32")[:, None]
            return ranking.shown(
                lambda x: x.times(x.probability, table)[:, 0], k
            )

    labels, scores = tied_beyond_the_row(50)
    y_true = labels if form == "scores" else np.array([0, 0])
    metric = Last(4, inputs=form)
    found = ops.convert_to_numpy(metric.per_list(y_true, scores))
    assert found == approx([4 / 50, 1 / 47])
    assert given.in_a_program(metric, (y_true, scores)) == approx(found.mean())


@pytest.mark.parametrize("ties", ["stable", "optimistic", "pessimistic"])
@pytest.mark.parametrize("form", ["scores", "sparse"])
def test_a_strict_order(form, ties):
    labels, scores = np.array([[0.0, 1.0, 0.0]]), np.ones((1, 3))
    y_true = labels if form == "scores" else np.array([1])
    first = {"stable": 1.0, "optimistic": 0.1, "pessimistic": 1.0}[ties]
    second = {"stable": 0.1, "optimistic": 1.0, "pessimistic": 0.01}[ties]
    for k, expected in [(1, first), (2, first + second)]:
        metric = Chances(k, inputs=form, ties=ties)
        assert float(metric(y_true, scores)) == approx(expected)


def test_shuffled_ties_are_those_of_the_ranking():
    scores = np.zeros((8, items.ITEMS), "float32")
    labels = np.eye(8, items.ITEMS, dtype="float32")
    options = {"ties": "shuffle", "seed": 3}
    found = Gains(2, **options).per_list(labels, scores)
    expected = krm.RecallAtK(2, **options).per_list(labels, scores)
    assert ops.convert_to_numpy(found[:6]) == approx(
        ops.convert_to_numpy(expected[:6])
    )


class Zeros(Chances):
    """The same by a table that ends in zeros, of two columns."""

    @staticmethod
    def measure(ranking, k):
        table = ops.zeros((items.ITEMS, 2))

        def total(x):
            return ops.sum(x.probability[..., None] * x.at(table), (1, 2))

        return ranking.shown(total, k)


@pytest.mark.parametrize("make", [Chances, Exposures, Zeros])
@pytest.mark.parametrize("form", ["ids", "scores"])
def test_items_that_a_table_does_not_have(make, form):
    known, beyond = items.ITEMS - 1, items.ITEMS
    if form == "ids":
        y_true, orders = [[0]], [[known, -1, -1], [0, beyond, -1]]
    else:
        y_true = [[1] + [0] * items.ITEMS]
        orders = -np.eye(items.ITEMS + 1)[[beyond, known]]
    cutoff = 2 if form == "ids" else items.ITEMS
    for order, is_known in zip(orders, (True, False), strict=True):
        metric = make(k=cutoff, inputs=form)
        passed = np.array(y_true), np.array([order])
        for value in (given.in_a_program(metric, passed), metric(*passed)):
            assert np.isfinite(float(value)) == is_known

"""`per_query`: the values of queries, whose means `evaluate_rows` returns."""

import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

pytestmark = pytest.mark.filterwarnings("ignore:.*Labels should be")


def metrics():
    return [
        *krm.NDCG.at(1, 5),
        krm.MetricCollection([krm.MeanAveragePrecision(5, empty="skip")]),
        krm.AUC(),
    ]


def rows(seed, name=int):
    """Shuffled rows of ragged lists, in which scores tie."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 80)
    query = np.repeat([name(i * 7) for i in range(80)], sizes)
    order = rng.permutation(len(query))
    labels = rng.integers(-1, 4, len(query))
    return query[order], labels, rng.integers(0, 6, len(query)) / 4


@pytest.mark.each_backend
@pytest.mark.filterwarnings("ignore:.y_true. should have labels of 1")
@pytest.mark.filterwarnings("ignore:Some items should be irrelevant")
@pytest.mark.parametrize("seed, name", [(0, int), (1, str), (2, float)])
def test_their_mean_is_that_of_the_rows(seed, name):
    query, labels, scores = rows(seed, name)
    found = krm.per_query(query, labels, scores, metrics())
    expected = krm.evaluate_rows(query, labels, scores, metrics())
    assert list(found) == ["query", *expected]
    assert found["query"].tolist() == list(dict.fromkeys(query.tolist()))
    for name, value in expected.items():
        assert found[name].dtype == np.float64
        assert np.nanmean(found[name]) == approx(value, abs=1e-6)
    for place in (0, 40, 79):
        its = query == found["query"][place]
        one = krm.evaluate_rows(
            query[its], labels[its], scores[its], krm.NDCG(5)
        )
        assert np.nan_to_num(found["ndcg@5"][place]) == approx(one["ndcg@5"])


@pytest.mark.each_backend
def test_each_system_of_a_comparison_with_weights_of_items():
    query, labels, scores = rows(3)
    weight = np.random.default_rng(0).integers(1, 3, len(query))
    systems = {"old": scores, "new": -scores}
    compared = krm.Comparison(krm.NDCG(5), ["old", "new"])
    found = krm.per_query(query, labels, systems, compared, weight)
    for system, its_scores in systems.items():
        alone = krm.per_query(query, labels, its_scores, krm.NDCG(5), weight)
        np.testing.assert_allclose(
            found[f"ndcg@5/{system}"], alone["ndcg@5"], rtol=1e-6
        )


def test_lists_of_very_different_lengths_keep_their_places():
    sizes = [1, 3000, 2, 500, 1, 9]
    query = np.repeat([f"q{n}" for n in range(6)], sizes)
    labels = np.zeros(len(query))
    labels[np.cumsum(sizes) - 1] = 1
    found = krm.per_query(query, labels, -np.arange(len(query)), "RR")
    assert found["RR"] == approx(1 / np.array(sizes))


@pytest.mark.parametrize("wrong", ["`y_true`", "`y_pred`"])
@pytest.mark.parametrize("call", [krm.per_query, krm.evaluate_rows])
def test_a_value_that_is_nan_is_said(call, wrong):
    rows = {"`y_true`": [1.0, 0, 0, 1], "`y_pred`": [0.5, 0.4, 0.3, 0.2]}
    query = ["b", "a", "b", "a"]
    call(query, *rows.values(), "RR")
    rows[wrong] = [*rows[wrong][:3], float("nan")]
    words = f"NaN in {wrong} for the query 'a'"
    with pytest.warns(UserWarning, match=words):
        found = call(query, *rows.values(), "RR")
    assert np.isnan(found["RR"]).any()


def test_a_score_of_padding_may_be_nan(recwarn):
    scores = [0.5, 0.4, float("nan")]
    found = krm.per_query([1] * 3, [0, 1, -1], scores, "RR")
    assert found["RR"] == [0.5]
    assert not any("NaN" in str(x.message) for x in recwarn)


class Twice(krm.HitRateAtK):
    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, y_pred, sample_weight)


@pytest.mark.parametrize(
    "metric, message",
    [
        (krm.Sliced(krm.NDCG(), 2), "sliced 'ndcg'. Pass the metric itself"),
        (Twice(k=1), "'hit_rate@1', with its own `update_state`"),
        (krm.NDCG(name="query"), "'query' for both"),
        (krm.CatalogueCoverage(1, num_items=2), "metrics about a catalogue"),
    ],
)
def test_metrics_without_values_of_queries(metric, message):
    with pytest.raises(ValueError, match=message):
        krm.per_query([1, 1], [0, 1], [0.5, 0.4], metric)

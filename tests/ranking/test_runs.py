"""Sums over runs of equal values, against sums written out."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics.engine.ranking.counting import sums_over_runs

LENGTH = 13


def written_out(values, x):
    """For each entry, the sum before it in its run, and over its run."""
    before, whole = np.zeros_like(x), np.zeros_like(x)
    for row, entry in np.ndindex(*values.shape):
        same = values[row] == values[row, entry]
        before[:, row, entry] = x[:, row, :entry][:, same[:entry]].sum(axis=-1)
        whole[:, row, entry] = x[:, row][:, same].sum(axis=-1)
    return before, whole


@pytest.mark.parametrize("most", [LENGTH, 1_000], ids=["few", "many"])
@pytest.mark.parametrize("different", [1, 3, 100])
def test_sums_over_runs(most, different):
    """However many entries there might have been."""
    rng = np.random.default_rng(different)
    values = -np.sort(rng.integers(0, different, (50, LENGTH)), axis=-1)
    values = values.astype("float32")
    values[::7, -3:] = -np.inf
    x = rng.integers(0, 4, (2, *values.shape)).astype("float32")
    found = sums_over_runs(
        ops.convert_to_tensor(values), ops.convert_to_tensor(x), most
    )
    for ours, expected in zip(found, written_out(values, x), strict=True):
        np.testing.assert_array_equal(ops.convert_to_numpy(ours), expected)


@pytest.mark.parametrize("ties", [0, 1, 5, 60, 700])
@pytest.mark.parametrize("longest", [2, 7])
def test_few_runs_in_long_rows(ties, longest):
    """Where most values are alone, only the others are summed."""
    rng = np.random.default_rng(ties)
    values = np.arange(2.0, 2000).reshape(2, -1)
    for row, at in zip(
        rng.integers(0, 2, ties), rng.integers(0, 990, ties), strict=True
    ):
        values[row, at : at + longest] = values[row, at]
    values = -np.sort(values, axis=-1).astype("float32")
    x = rng.integers(0, 4, (3, *values.shape)).astype("float32")
    passed = values.copy(), x.copy()
    found = sums_over_runs(
        *map(ops.convert_to_tensor, passed), values.shape[-1]
    )
    for ours, expected in zip(found, written_out(values, x), strict=True):
        np.testing.assert_array_equal(ops.convert_to_numpy(ours), expected)
    for ours, expected in zip(passed, (values, x), strict=True):
        np.testing.assert_array_equal(ours, expected)  # may be in use


@pytest.mark.parametrize(
    "metric",
    [
        krm.AUC(),
        krm.BPref(),
        krm.GradedAveragePrecision(),
        krm.MeanAveragePrecision(),
        krm.MeanRank(),
        krm.NDCG(),
        krm.OrderedPairAccuracy(),
        krm.QMeasure(),
    ],
    ids=lambda metric: metric.name,
)
def test_a_pair_of_equal_scores_in_a_long_list(metric):
    """Its value is the mean of both orders of the pair."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, (1, 400)).astype("float32")
    scores = rng.permutation(400).astype("float32")[None]
    one, other = (np.flatnonzero(scores[0] == x)[0] for x in (200, 201))
    labels[0, [one, other]] = 0, 3
    values = []
    for score in (200, 200.5, 199.5):
        scores[0, other] = score
        metric.reset_state()
        values.append(float(metric(labels, scores)))
    assert values[0] == pytest.approx(np.mean(values[1:]), rel=1e-5)
    assert values[1] != values[2]

"""Batches that only fill up the steps of a rank: see docs/distributed.md."""

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm

pytestmark = pytest.mark.long
FEATURES, ITEMS = 3, 5


def model():
    keras.utils.set_random_seed(0)
    made = keras.Sequential(
        [
            keras.Input((ITEMS, FEATURES)),
            keras.layers.Dense(1),
            keras.layers.Reshape((ITEMS,)),
        ]
    )
    made.compile(
        keras.optimizers.SGD(0.1),
        loss="mse",
        metrics=[krm.NDCG(k=3)],
        weighted_metrics=[krm.MeanReciprocalRank()],
    )
    return made


def batches(filler_weight=None):
    """A batch of 8 lists; with a weight, a batch of fillers before it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8, ITEMS, FEATURES)).astype("float32")
    y = rng.integers(0, 3, (8, ITEMS)).astype("float32")
    if filler_weight is not None:
        yield x, -np.ones_like(y), np.full(8, filler_weight, "float32")
    yield x, y, np.ones(8, "float32")


def fitted(filler_weight):
    made = model()
    steps = 1 if filler_weight is None else 2
    history = made.fit(
        batches(filler_weight), steps_per_epoch=steps, verbose=0
    ).history
    weights = np.concatenate([x.ravel() for x in made.get_weights()])
    return weights, [history[x][0] for x in ("ndcg@3", "mrr")]


@pytest.mark.filterwarnings("ignore:`shuffle=True` was passed")
def test_fillers_of_weight_0_change_nothing_in_fit():
    weights, values = fitted(None)
    found, found_values = fitted(0.0)
    np.testing.assert_allclose(found, weights, rtol=1e-6)
    assert found_values == pytest.approx(values, rel=1e-6)
    trained_on, _ = fitted(1.0)  # labels of -1 alone are not left out
    assert abs(trained_on - weights).max() > 1e-3


def test_fillers_count_in_no_metric_of_evaluate():
    [expected, found] = (
        model().evaluate(
            batches(weight), steps=steps, verbose=0, return_dict=True
        )
        for weight, steps in ((None, 1), (1.0, 2))
    )
    for name in ("ndcg@3", "mrr"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6)
    assert found["loss"] != pytest.approx(expected["loss"], rel=1e-3)

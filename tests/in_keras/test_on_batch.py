"""`train_on_batch` and `test_on_batch`, which reset metrics from Keras 3.15."""

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm

RESETS = tuple(map(int, keras.__version__.split(".")[:2])) >= (3, 15)


@pytest.mark.long
@pytest.mark.parametrize("name", ["train_on_batch", "test_on_batch"])
def test_the_value_is_that_of_the_batch(name):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(12, 5, 3)).astype("float32")
    labels = rng.integers(0, 3, (12, 5)).astype("float32")
    model = keras.Sequential(
        [keras.layers.Dense(1), keras.layers.Reshape((-1,))]
    )
    # A rate of 0, so that the model does not change.
    model.compile(
        keras.optimizers.SGD(0.0), loss="mse", metrics=[krm.NDCG(k=3)]
    )
    expected = krm.NDCG(k=3)
    for start in (0, 8):  # the second batch is short
        batch = slice(start, start + 8)
        if RESETS:
            expected.reset_state()
        scores = model.predict_on_batch(features[batch])
        expected.update_state(labels[batch], scores)
        found = getattr(model, name)(
            features[batch], labels[batch], return_dict=True
        )
        assert found["ndcg@3"] == pytest.approx(
            float(expected.result()), abs=1e-6
        )

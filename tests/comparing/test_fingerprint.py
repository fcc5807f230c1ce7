"""Equal labels have one fingerprint, whatever holds them."""

import tracemalloc

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import measured


@pytest.mark.parametrize(
    "same",
    [
        lambda x: x.astype(np.float32),
        lambda x: x.astype(np.int8),
        lambda x: np.asfortranarray(x),
        lambda x: x.tolist(),
        keras.ops.convert_to_tensor,
    ],
)
def test_equal_labels_have_one_fingerprint(same):
    labels = np.random.default_rng(0).integers(0, 3, (300, 300))

    def truth(labels):
        scores = np.tile(np.arange(300, 0, -1, np.float32), (300, 1))
        return krm.compare(labels, {"s": scores}, krm.NDCG()).measured.truth

    assert truth(same(labels)) == truth(labels)
    other = labels.copy()
    other[-1, -1] += 1
    assert truth(same(other)) != truth(labels)


@pytest.mark.parametrize(
    "of_list", [np.array, keras.ops.convert_to_tensor, tuple]
)
def test_labels_of_unequal_lengths_have_one_fingerprint(of_list):
    labels, scores = [[1, 0], [0, 2, 1]], [[0.2, 0.1], [0.1, 0.3, 0.2]]
    compared = krm.compare(
        [of_list(each) for each in labels],
        {"s": [of_list(each) for each in scores]},
        krm.NDCG(),
    )
    assert compared.per_list()["ndcg"] == [1.0, 1.0]
    expected = krm.compare(labels, {"s": scores}, krm.NDCG())
    assert compared.measured.truth == expected.measured.truth


@pytest.mark.not_on("numpy", reason="its arrays are of numpy's own memory")
def test_a_fingerprint_takes_little_memory():
    labels = np.zeros((300, 1000), np.int64)
    labels[:, 0] = 1
    scores = np.tile(np.arange(1000, 0, -1, np.float32), (300, 1))
    passed = labels, {"s": scores}, krm.NDCG(k=5)
    krm.compare(*passed)
    tracemalloc.start()
    measured.fingerprint_of(labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < labels.nbytes

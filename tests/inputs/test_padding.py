"""`pad_to`: lists that do not count."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm


def lists(number, items=5):
    rng = np.random.default_rng([3, number])
    labels = rng.integers(0, 3, (number, items)).astype("float32")
    scores = rng.normal(size=(number, items)).astype("float32")
    return labels, scores, rng.integers(1, 4, number).astype("float32")


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("tensors", [False, True], ids=["arrays", "tensors"])
def test_no_number_changes(number, tensors):
    for batch in (lists(number), lists(number)[:2]):
        if tensors:
            batch = tuple(map(ops.convert_to_tensor, batch))
        padded = krm.pad_to(batch, 4)
        assert {len(part) for part in padded} == {-(-number // 4) * 4}
        one, other = krm.NDCG(k=3), krm.NDCG(k=3)
        one.update_state(*batch)
        other.update_state(*padded)
        assert other.count() == one.count() == number
        assert float(other.result()) == pytest.approx(
            float(one.result()), abs=3e-7
        )
        assert other.standard_error() == pytest.approx(
            one.standard_error(), abs=1e-6, nan_ok=True
        )


def test_what_is_added():
    x = {"a": np.arange(3), "b": [np.eye(3, 2, dtype="float16")]}
    y = np.array([4, 5, 6], "int32")
    padded_x, padded_y, weights = krm.pad_to((x, y), 5)
    assert padded_x["a"].tolist() == [0, 1, 2, 2, 2]
    assert padded_x["b"][0].tolist() == np.eye(3, 2)[[0, 1, 2, 2, 2]].tolist()
    assert padded_x["b"][0].dtype == "float16"
    assert padded_y.tolist() == [4, 5, 6, 6, 6] and padded_y.dtype == "int32"
    assert weights.tolist() == [[1], [1], [1], [0], [0]]
    _, filled, _ = krm.pad_to((x, y), 5, label=-1)
    assert filled.tolist() == [4, 5, 6, -1, -1] and filled.dtype == "int32"


def test_what_is_masked_stays_so_and_what_is_none():
    x = np.ma.masked_array([[1, 2], [3, 4]], [[0, 0], [0, 1]])
    for label, last, mask in [
        (None, [3, None], [0, 1]),
        (-1, [-1, -1], [0, 0]),
    ]:
        (same, none), padded, _ = krm.pad_to(([x, None], x), 3, label=label)
        assert none is None
        assert same.tolist() == [[1, 2], [3, None], [3, None]]
        assert padded.tolist() == [[1, 2], [3, None], last]
        assert padded.mask[2].tolist() == mask
    with pytest.raises(ValueError, match="same first dimension"):
        krm.pad_to((None, None), 3)


@pytest.mark.parametrize("weight", [2, 0.5])
def test_one_weight_for_all(weight):
    *_, weights = krm.pad_to((*lists(2)[:2], weight), 3)
    assert weights.tolist() == [[weight], [weight], [0]]


def test_a_full_batch_gets_weights_too():
    """So that all batches of a loop are alike."""
    labels, scores, weights = krm.pad_to(lists(4)[:2], 4)
    assert labels.shape == scores.shape == (4, 5)
    assert weights.tolist() == [[1]] * 4


def test_metrics_without_weights_leave_labels_below_zero_out():
    batch = lists(3)[:2]
    scores, labels, _ = krm.pad_to(batch[::-1], 4, label=-1)
    assert float(krm.NDCG()(labels, scores)) == pytest.approx(
        float(krm.NDCG()(*batch))
    )
    assert np.shape(labels)[0] == 4


@pytest.mark.parametrize(
    ("batch", "multiple", "error", "says"),
    [
        (np.ones((2, 2)), 2, TypeError, "ndarray of 2"),
        ((np.ones(2),), 2, TypeError, "tuple of 1"),
        (3, 2, TypeError, "int of no length"),
        ((np.ones(2), np.ones(3)), 2, ValueError, r"\[\(2,\), \(3,\)\]"),
        ((np.ones(2), 1.0), 2, ValueError, r"\[\(2,\), \(\)\]"),
        ((np.ones(2), np.ones(2), np.ones(1)), 2, ValueError, "of 1 lists"),
        ((np.ones(2), np.ones(2)), 0, ValueError, "0"),
        ((np.ones(2), np.ones(2)), 2.0, ValueError, "2.0"),
    ],
)
def test_bad_input_is_told(batch, multiple, error, says):
    with pytest.raises(error, match=f"Received.*{says}"):
        krm.pad_to(batch, multiple)


@pytest.mark.parametrize("dtype", ["bool", "uint8"])
def test_labels_that_cannot_be_below_0(dtype):
    batch = np.ones((3, 2)), np.ones((3, 2), dtype)
    assert krm.pad_to(batch, np.int64(4))[1].dtype == dtype
    with pytest.raises(ValueError, match=f"for labels of dtype {dtype}"):
        krm.pad_to(batch, 4, label=-1)


@pytest.mark.long
@pytest.mark.only_on("tensorflow", reason="tensors of unknown length")
def test_an_unknown_length_is_refused():
    import tensorflow as tf

    data = tf.data.Dataset.from_tensor_slices(lists(5)[:2]).batch(2)
    with pytest.raises(ValueError, match="same first dimension"):
        data.map(lambda *batch: krm.pad_to(batch, 4))

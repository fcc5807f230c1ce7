"""Any dtype of labels, scores, weights and masks, in direct calls."""

import keras
import numpy as np
import pytest
from keras import ops
from pytest import approx

from keras_rankmetrics import (
    DCG,
    NDCG,
    MeanAveragePrecision,
    MeanReciprocalRank,
    MetricCollection,
    PrecisionAtK,
    evaluate_rows,
)
from keras_rankmetrics.engine.inputs import read

BACKEND = keras.backend.backend()

UNSIGNED = ["bool", "uint8", "uint16"]
SIGNED = ["int8", "int16", "int32", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
DTYPES = UNSIGNED + SIGNED + FLOATS

needs_64_bits = pytest.mark.not_on(
    "jax", reason="jax makes 32 bits of 64, unless told otherwise"
)


def typed(x, dtype):
    """A numpy array, or for bfloat16, which numpy lacks, a tensor."""
    if dtype == "bfloat16":
        return ops.cast(np.asarray(x, "float32"), dtype)
    return np.asarray(x, dtype)


LABELS = [[0, 1, 1, 0], [1, 0, 0, 0]]
SCORES = [[1, 0, 1, 0], [0, 1, 1, 0]]  # each list has ties
WEIGHTS = [[1, 1, 0, 1], [1, 0, 1, 1]]

EXPECTED = {
    "unweighted": (
        # One relevant item is at rank 1 or 2, and one is at rank 3 or 4.
        (1 + 1 / np.log2(3) + 1 / np.log2(4) + 1 / np.log2(5))
        / 2
        / (1 + 1 / np.log2(3)),
        # At rank 3 or 4.
        (1 / np.log2(4) + 1 / np.log2(5)) / 2,
    ),
    "weighted": (
        # Without the third item: the relevant one is at rank 2 or 3.
        (1 / np.log2(3) + 1 / np.log2(4)) / 2,
        # Without the second one: at rank 2 or 3.
        (1 / np.log2(3) + 1 / np.log2(4)) / 2,
    ),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_labels_and_scores(dtype):
    labels, scores = typed(LABELS, dtype), typed(SCORES, dtype)
    for batch in ((labels, SCORES), (LABELS, scores)):
        values = ops.convert_to_numpy(NDCG().per_list(*batch))
        assert values == approx(EXPECTED["unweighted"], rel=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights(dtype):
    weights = typed(WEIGHTS, dtype)
    metric = NDCG()
    values = ops.convert_to_numpy(metric.per_list(LABELS, SCORES, weights))
    assert values == approx(EXPECTED["weighted"], rel=1e-6)
    assert float(metric(LABELS, SCORES, weights)) == approx(
        np.mean(EXPECTED["weighted"]), rel=1e-6
    )


@needs_64_bits
def test_weights_are_as_precise_as_labels():
    weights = np.array([[1 + 1e-12, 1]])
    passed = np.ones((1, 2)), [[2, 1]], weights
    lists = read("scores", "irrelevant", "float32", *passed)
    kept = ops.convert_to_numpy(lists.content.item_weights)
    assert kept.tolist() == weights.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_of_lists(dtype):
    first, second = EXPECTED["unweighted"]
    weights = typed([1, 0], dtype)
    assert float(NDCG()(LABELS, SCORES, weights)) == approx(first, rel=1e-6)
    assert first != approx((first + second) / 2, rel=1e-3)


@pytest.mark.parametrize("dtype", sorted({*DTYPES} - {*FLOATS}))
def test_masks(dtype):
    y_true = {"labels": LABELS, "mask": typed(WEIGHTS, dtype)}
    values = ops.convert_to_numpy(NDCG().per_list(y_true, SCORES))
    assert values == approx(EXPECTED["weighted"], rel=1e-6)


@pytest.mark.parametrize("dtype", SIGNED + FLOATS)
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_negative_labels(dtype):
    labels = typed([[-1, 1, 0, -1]], dtype)
    scores = [[9, 1, 2, 8]]
    assert float(MeanReciprocalRank()(labels, scores)) == 1 / 2
    together = MetricCollection([MeanReciprocalRank()])
    assert float(together(labels, scores)["mrr"]) == 1 / 2


@pytest.mark.parametrize("dtype", SIGNED + FLOATS)
def test_negative_scores(dtype):
    scores = typed([[-3, -2, -1, -4]], dtype)
    assert float(MeanReciprocalRank()([[1, 0, 0, 0]], scores)) == approx(1 / 3)


@pytest.mark.parametrize("dtype", UNSIGNED[1:])
def test_unsigned_scores_do_not_wrap(dtype):
    """The largest is above 0, not below it."""
    high = np.iinfo(dtype).max
    scores = np.array([[0, high, 1, high - 1]], dtype)
    assert float(MeanReciprocalRank()([[0, 1, 0, 0]], scores)) == 1.0


@pytest.mark.not_on("torch", reason="Keras makes int64 of uint32 for torch")
def test_large_unsigned_scores_are_refused():
    """Not every backend could tell their order."""
    with pytest.raises(ValueError, match=r"dtype uint32\. Cast it: "):
        MeanReciprocalRank()([[0, 1]], np.array([[1, 2]], "uint32"))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_the_smallest_integer_is_not_retrieved(dtype):
    """Of floats it is -inf."""
    if BACKEND == "jax" and dtype == "int64":
        pytest.skip("jax makes 32 bits of 64, unless told otherwise")
    low = np.iinfo(dtype).min
    scores = np.array([[low, low + 1]], dtype)
    assert float(MeanReciprocalRank()([[1, 0]], scores)) == 0
    assert float(MeanReciprocalRank()([[0, 1]], scores)) == 1


TOO_LARGE = r"`y_pred` .* up to 3.4e\+38, .* Received: -1e\+300\."


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_scores_that_become_infinite_are_refused():
    """A score of -inf would be that of an item that is not retrieved."""
    labels, scores = [[0, 1, 0]], np.array([[0, -1e300, -2e300]])
    rows = ["q"] * 3, labels[0], scores[0]
    metric = MeanReciprocalRank()
    if BACKEND in ("tensorflow", "torch"):  # which keep float64
        assert float(metric(labels, scores)) == 1 / 2
        assert evaluate_rows(*rows, metric) == {"mrr": 1 / 2}
    else:
        with pytest.raises(ValueError, match=TOO_LARGE):
            metric.update_state(labels, scores)
        with pytest.raises(ValueError, match=TOO_LARGE):
            evaluate_rows(*rows, metric)
    infinite = np.array([[np.inf, 1.0, -np.inf]])
    with pytest.warns(UserWarning, match="Received: inf, which makes"):
        assert float(MeanReciprocalRank()(labels, infinite)) == 1 / 2


# Precision of scores


@pytest.mark.parametrize(
    "one, step, dtype, rounded",
    [
        (2**24, 1, "int32", "float32"),
        pytest.param(1, 2.0**-40, "float64", "float32", marks=needs_64_bits),
        pytest.param(2**53, 1, "int64", "float64", marks=needs_64_bits),
    ],
)
def test_scores_are_not_rounded_into_ties(one, step, dtype, rounded):
    scores = np.array([[one, one + step, one - step, 0]], dtype)
    assert scores.astype(rounded)[0, 0] == scores.astype(rounded)[0, 1]
    assert float(MeanReciprocalRank()([[1, 0, 0, 0]], scores)) == 1 / 2
    assert float(MeanReciprocalRank()([[0, 1, 0, 0]], scores)) == 1.0
    assert float(MeanReciprocalRank(k=2)([[0, 0, 1, 0]], scores)) == 0.0


@pytest.mark.parametrize("ties", ["stable", "pessimistic", "optimistic"])
def test_the_same_under_strict_orders(ties):
    scores = np.array([[2**24, 2**24 + 1, 2**24 - 1, 2**24 + 1]], "int32")
    metric = MeanReciprocalRank(ties=ties)
    rank = {"stable": 2, "pessimistic": 2, "optimistic": 1}[ties]
    assert float(metric([[0, 0, 0, 1]], scores)) == 1 / rank
    assert float(MeanReciprocalRank(ties=ties)([[1, 0, 0, 0]], scores)) == (
        approx(1 / 3)
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_scores_of_a_long_list(dtype):
    """Ranks are counted exactly, though half precision lacks the number.

    In bfloat16 there is nothing between 256 and 258, in float16 between 2048
    and 2050.
    """
    items, rank = 3000, 2601
    # Neighbours in half precision: the bits of a float sort as integers do.
    start = {"float16": 0x3C00, "bfloat16": 0x3F80}[dtype]
    bits = np.arange(start + items, start, -1)
    if dtype == "float16":
        scores = bits.astype("uint16").view("float16")
    else:
        scores = (bits.astype("uint32") << 16).view("float32")
    scores = ops.cast(scores[None, :], dtype)
    assert len(set(ops.convert_to_numpy(scores)[0].tolist())) == items
    labels = np.zeros((1, items), "float32")
    labels[0, rank - 1] = 1
    labels = ops.cast(labels, dtype)
    found = float(MeanReciprocalRank()(labels, scores))
    assert found == approx(1 / rank, rel=1e-6)
    assert float(PrecisionAtK()(labels, scores)) == approx(1 / items, rel=1e-6)
    found = float(MeanAveragePrecision(k=rank)(labels, scores))
    assert found == approx(1 / rank, rel=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "uint8", "int8"])
def test_gains_are_not_computed_in_small_dtypes(dtype):
    labels = typed([[20, 1, 0, 0]], dtype)  # 2 ** 20 is beyond float16
    expected = (2**20 - 1) / np.log2(3) + 1
    assert float(DCG()(labels, [[3, 4, 2, 1]])) == approx(expected, rel=1e-6)


# Precision of results


@pytest.mark.only_on(
    "tensorflow",
    reason="the Keras operations of the other backends round to float32",
)
def test_float64_results():
    labels, scores = [[0, 1, 1, 0]], [[4, 3, 2, 1]]
    expected = (1 / np.log2(3) + 1 / np.log2(4)) / (1 + 1 / np.log2(3))
    metric = NDCG(dtype="float64")
    assert float(metric(labels, scores)) == approx(expected, rel=1e-14)
    assert keras.backend.standardize_dtype(metric.result().dtype) == "float64"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_results_have_float32_at_least(dtype):
    labels, scores = [[0, 1, 1, 0]], [[4, 3, 2, 1]]
    expected = (1 / np.log2(3) + 1 / np.log2(4)) / (1 + 1 / np.log2(3))
    metric = NDCG(dtype=dtype)
    assert float(metric(labels, scores)) == approx(expected, rel=1e-6)
    assert keras.backend.standardize_dtype(metric.result().dtype) == "float32"


def test_a_dtype_policy():
    metric = NDCG(dtype=keras.DTypePolicy("mixed_bfloat16"))
    found = float(metric([[0, 1, 0, 0]], [[4, 3, 2, 1]]))
    assert found == approx(1 / np.log2(3), rel=1e-6)


# Forms of input


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda x: np.array(x, "float32")[:, ::-1][:, ::-1],
        lambda x: np.asfortranarray(np.array(x, "float32")),
        ops.convert_to_tensor,
        lambda x: keras.Variable(x, dtype="float32"),
    ],
    ids=["list", "tuple", "numpy", "strided", "fortran", "tensor", "variable"],
)
def test_forms(make):
    metric = NDCG()
    found = metric(make(LABELS), make(SCORES), make(WEIGHTS))
    assert float(found) == approx(np.mean(EXPECTED["weighted"]), rel=1e-6)

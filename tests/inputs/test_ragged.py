"""Lists of unequal lengths: python lists, and ragged tensors of TensorFlow."""

import re
import sys

import keras
import numpy as np
import pytest
from in_forms import values
from keras import ops
from pytest import approx

from keras_rankmetrics import (
    NDCG,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
)
from keras_rankmetrics.engine.inputs.tensors import made_dense

BACKEND = keras.backend.backend()
needs_tensorflow = pytest.mark.only_on(
    "tensorflow", reason="ragged tensors are TensorFlow's"
)

LABELS = [[0, 1, 3], [2], [], [0, 0, 1, 0, 2]]
SCORES = [[0.3, 0.1, 0.2], [0.5], [], [0.1, 0.1, 0.7, 0.3, 0.2]]
TARGETS = [[1, 2], [0], [], [4]]
IDS = [[2, 0, 1], [0, 5], [], [1, 2, 3, 4]]
WEIGHTS = [[1.0, 2.0, 0.0], [3.0], [], [1.0, 1.0, 2.0, 0.5, 1.0]]


def ragged(x, dtype=None):
    import tensorflow as tf

    return tf.ragged.constant(x, dtype=dtype)


def dense(x, width=5, value=0.0):
    return np.array([[*row, *[value] * (width - len(row))] for row in x])


def one_by_one(metric, *arguments):
    """The values of the lists, each on its own; NaN for an empty one."""
    return [
        float(metric.per_list(*map(np.array, of_list)))
        if len(of_list[0])
        else np.nan
        for of_list in zip(*arguments, strict=True)
    ]


FORMS = {
    "scores": (LABELS, SCORES),
    "sparse": (TARGETS, SCORES),
    "ids": (TARGETS, IDS),
}
WAYS = [
    "lists",
    *(
        pytest.param(way, marks=needs_tensorflow)
        for way in ("ragged", "in a graph")
    ),
]


def in_some_way(way, metric, *arguments):
    if way == "lists":
        return values(metric, *arguments)
    arguments = [ragged(x) for x in arguments]
    if way == "in a graph":
        import tensorflow as tf

        return tf.function(metric.per_list)(*arguments).numpy()
    return values(metric, *arguments)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", FORMS)
def test_both_ragged(form, way):
    for cls in (NDCG, MeanAveragePrecision, MeanReciprocalRank):
        for k in (2, None):
            metric = cls(k=k, inputs=form)
            found = in_some_way(way, metric, *FORMS[form])
            expected = one_by_one(metric, *FORMS[form])
            assert found == approx(expected, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("way", WAYS)
def test_weights(way):
    """Ragged ones too."""
    metric = NDCG(k=3)
    found = in_some_way(way, metric, LABELS, SCORES, WEIGHTS)
    expected = one_by_one(metric, LABELS, SCORES, WEIGHTS)
    assert found == approx(expected, rel=1e-6, nan_ok=True)
    of_lists = [1.0, 2.0, 3.0, 4.0]
    found = float(NDCG(k=3, list_weight="mean")(LABELS, SCORES, of_lists))
    parts = zip(values(metric, LABELS, SCORES), of_lists, strict=True)
    parts = [(value, w) for value, w in parts if not np.isnan(value)]
    assert found == approx(
        sum(v * w for v, w in parts) / sum(w for _, w in parts)
    )


@pytest.mark.parametrize("way", ["lists", *WAYS[1:2]])
@pytest.mark.parametrize("width", [5, 7])
@pytest.mark.parametrize("which", ["labels", "scores"])
def test_one_ragged_and_one_padded(way, width, which):
    """The padding may hold anything, and be longer than the longest list."""
    labels, scores = LABELS, SCORES
    if which == "labels":
        scores = dense(SCORES, width, 9.0)
        labels = LABELS if way == "lists" else ragged(LABELS)
    else:
        labels = dense(LABELS, width, 3.0)
        scores = SCORES if way == "lists" else ragged(SCORES)
    found = values(NDCG(), labels, scores)
    expected = one_by_one(NDCG(), LABELS, SCORES)
    assert found == approx(expected, rel=1e-6, nan_ok=True)


@pytest.mark.long
@needs_tensorflow
@pytest.mark.parametrize("which", ["labels", "scores"])
def test_one_ragged_and_one_padded_in_a_graph(which):
    import tensorflow as tf

    labels = tf.constant(dense(LABELS, 6, 3.0), tf.float32)
    scores = tf.constant(dense(SCORES, 6, 9.0), tf.float32)
    if which == "labels":
        labels = ragged(LABELS)
    else:
        scores = ragged(SCORES)
    unknown = tf.TensorSpec((None, None), tf.float32)
    signature = [
        tf.RaggedTensorSpec((None, None), x.dtype)
        if isinstance(x, tf.RaggedTensor)
        else unknown
        for x in (labels, scores)
    ]
    function = tf.function(NDCG().per_list, input_signature=signature)
    expected = one_by_one(NDCG(), LABELS, SCORES)
    found = function(labels, scores).numpy()
    assert found == approx(expected, rel=1e-6, nan_ok=True)


def test_a_time_axis_of_unequal_lengths():
    metric = NDCG()
    labels, scores = [LABELS[:2], LABELS[3:]], [SCORES[:2], SCORES[3:]]
    found = values(metric, labels, scores)
    expected = one_by_one(metric, LABELS, SCORES)
    assert found[0] == approx(expected[:2], rel=1e-6)
    assert found[1, 0] == approx(expected[3], rel=1e-6)
    assert np.isnan(found[1, 1])
    if BACKEND == "tensorflow":
        found = values(metric, ragged(labels), ragged(scores))
        assert found[0] == approx(expected[:2], rel=1e-6)


def test_lists_of_arrays_of_unequal_lengths():
    labels = [np.array(row, "float32") for row in LABELS]
    scores = [ops.array(np.array(row, "float32")) for row in SCORES]
    found = values(NDCG(), labels, scores)
    expected = one_by_one(NDCG(), LABELS, SCORES)
    assert found == approx(expected, rel=1e-6, nan_ok=True)


def test_targets_and_ragged_scores():
    """A target beyond its own list is one beyond the catalogue."""
    metric = MeanReciprocalRank(inputs="sparse")
    with pytest.raises(ValueError, match="the index 2 for a list of `y_pred`"):
        metric.per_list([2, 2], [[0.1, 0.2], [0.1, 0.2, 0.3]])


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
def test_dtypes_without_a_negative_number(dtype):
    """Padding of labels is negative, whatever they are."""
    labels = [np.array(row, dtype) for row in ([0], [0, 1, 1])]
    found = values(PrecisionAtK(k=2), labels, [[0.9], [0.5, 0.8, 0.7]])
    assert found.tolist() == [0.0, 1.0]
    lists = [row.tolist() for row in labels]
    found = values(PrecisionAtK(k=2), lists, [[0.9], [0.5, 0.8, 0.7]])
    assert found.tolist() == [0.0, 1.0]


def test_lists_without_values_have_no_columns():
    assert [x.shape for x in made_dense([[], []], padding=-1)] == [(2, 0)] * 2


def test_no_function_is_called_for_each_number():
    """Reading a million of them then takes no longer than it must."""
    rows = [list(range(length, 100)) for length in range(50)]
    calls = []
    sys.setprofile(lambda _, event, __: calls.append(event))
    dense, held = made_dense(rows, padding=-1)
    sys.setprofile(None)
    assert held.sum() == sum(map(len, rows))
    assert dense[-1].tolist() == [*rows[-1], *[-1] * 49]
    assert len(calls) < 10 * len(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], 3],
        [[1, 2], [3, [4]]],
        [[[1]], [2]],
        [[], 1],
        [[1, 2], None],
        [np.ones((2, 2)), np.ones(3)],
    ],
    ids=str,
)
def test_lists_and_numbers_side_by_side(rows):
    with pytest.raises(ValueError, match="`y_true` should be a tensor of num"):
        NDCG().update_state(rows, rows)


def test_floats_keep_their_dtype():
    """Scores that tie as float32 do so in ragged lists too."""
    metric = MeanReciprocalRank()
    alone = float(metric.per_list([0, 1], [0.1 + 0.2, 0.3]))
    found = values(metric, [[0, 1], [1]], [[0.1 + 0.2, 0.3], [1.0]])
    assert found[0] == alone
    assert found.dtype == "float32"


def test_an_item_without_a_weight():
    """It is not left out in silence."""
    found = values(NDCG(), [[1, 0], [0, 1]], [[2, 1]] * 2, [[1.0, 1.0], [1.0]])
    assert found[0] == 1.0 and np.isnan(found[1])


def test_an_item_of_which_a_mask_does_not_speak():
    y_true = {"labels": [[1, 0], [0, 1]], "mask": [[True, True], [True]]}
    found = values(MeanReciprocalRank(), y_true, [[2, 1]] * 2)
    assert found == approx([1.0, 1 / 2])


@needs_tensorflow
def test_ragged_masks():
    mask = ragged([[True, False, True], [True], [], [False] + [True] * 4])
    y_true = {"labels": ragged(LABELS), "mask": mask}
    found = values(NDCG(), y_true, ragged(SCORES))
    expected = values(NDCG(), [[0, -1, 3], [2], [], [-1, 0, 1, 0, 2]], SCORES)
    assert found == approx(expected, rel=1e-6, nan_ok=True)


@pytest.mark.only_on("torch", reason="torch's")
def test_tensors_that_require_a_gradient():
    import torch

    scores = [torch.ones(2, requires_grad=True), torch.ones(3)]
    found = values(MeanReciprocalRank(), [[1, 0], [1, 0, 0]], scores)
    assert found == approx([3 / 4, (1 + 1 / 2 + 1 / 3) / 3])


@pytest.mark.long
@needs_tensorflow
def test_in_evaluate():
    """Ragged labels in batches that are padded no further than they need."""
    import tensorflow as tf

    scores = ragged(SCORES, "float32")
    data = tf.data.Dataset.from_tensor_slices((scores, ragged(LABELS)))
    data = data.ragged_batch(3).map(lambda s, y: (s.to_tensor(9.0), y))
    inputs = keras.Input((None,))
    model = keras.Model(inputs, keras.layers.Identity()(inputs))
    model.compile(loss=lambda y, s: ops.mean(s, -1), metrics=[NDCG(k=3)])
    found = model.evaluate(data, verbose=0, return_dict=True)
    expected = np.nanmean(one_by_one(NDCG(k=3), LABELS, SCORES))
    assert found["ndcg@3"] == approx(expected, rel=1e-6)


@pytest.mark.parametrize("way", WAYS[:2])
def test_lists_that_do_not_fit(way):
    metric = NDCG()
    labels, scores = [[1, 0], [1]], [[0.1], [0.2, 0.3]]
    if way != "lists":
        labels, scores = ragged(labels), ragged(scores)
    text = (
        "The lists of `y_true` and `y_pred` should have the same lengths. "
        "Received: [2, 1] labels and [1, 2] scores."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        metric.update_state(labels, scores)
    with pytest.raises(ValueError, match=r"same lengths.*3, 1"):
        metric.update_state([[1, 0, 1], [1]], [[0.1, 0.2], [0.1]])
    with pytest.raises(ValueError, match="should have the same shape"):
        metric.update_state([[1, 0, 1], [1]], [[0.1, 0.2], [0.1, 0.2]])
    assert float(metric.result()) == 0.0


@pytest.mark.long
@needs_tensorflow
def test_lists_that_do_not_fit_in_a_graph():
    """Where it cannot be seen in time, such a list has no value."""
    import tensorflow as tf

    labels = ragged([[1, 0], [1, 0]])
    scores = ragged([[0.1], [0.1, 0.3]])
    found = tf.function(NDCG().per_list)(labels, scores).numpy()
    assert np.isnan(found[0]) and found[1] == approx(1 / np.log2(3))
    scores = ragged([[0.1], [0.1]])  # also where no list is as long
    found = tf.function(NDCG().per_list)(labels, scores).numpy()
    assert np.isnan(found).all()


@pytest.mark.parametrize(
    ("labels", "scores", "received"),
    [
        ([[0, 0, 1], [0, 1, 1]], [[0.3, 0.2], [0.3, 0.2, 0.1]], "labels"),
        ([[0, 1], [0, 1, 1]], [[0.3, 0.2, 0.9], [0.3, 0.2, 0.1]], "scores"),
    ],
)
def test_lists_of_equal_lengths_next_to_others(labels, scores, received):
    metric = NDCG()
    with pytest.raises(ValueError, match=f"Received: {received} without a"):
        metric.update_state(labels, scores)
    padded = [[0, 1, -1], [0, 1, 1]], [[0.3, 0.2], [0.3, 0.2, 0.1]]
    expected = NDCG()([[0, 1], [0, 1, 1]], padded[1])
    assert float(NDCG()(*padded)) == float(expected)

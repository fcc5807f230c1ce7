"""`inputs="sparse"`: indices of relevant items against scores of all items."""

import keras
import numpy as np
import pytest
from given import compiled
from in_forms import values
from keras import ops
from pytest import approx

from keras_rankmetrics import (
    NDCG,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
)

BACKEND = keras.backend.backend()

SCORES = np.array(
    [
        [0.1, 0.9, 0.5, 0.3, 0.7],  # the ranks 5, 1, 3, 4, 2
        [0.5, 0.5, 0.1, 0.9, 0.5],  # the ranks 2 to 4 tie
    ],
    "float32",
)


def test_a_step_without_a_target_does_not_count():
    metric = HitRateAtK(k=1, inputs="sparse")
    targets = [[1, 1, -1], [-1, -1, -1]]
    scores = np.stack([SCORES[[0, 1, 0]], SCORES[[0, 1, 0]]])
    found = values(metric, targets, scores)
    assert found.shape == (2, 3)
    assert found[0, :2] == approx([1.0, 0.0])
    assert np.isnan(found[0, 2]) and np.isnan(found[1]).all()
    for empty in ("zero", "one", "skip"):
        metric = HitRateAtK(k=1, inputs="sparse", empty=empty)
        assert float(metric(targets, scores)) == 1 / 2


def test_several_targets():
    """One of them twice, one of them padding."""
    targets = [[1, 3, 1, -1], [0, 4, -5, -1]]
    recall = RecallAtK(k=2, inputs="sparse")
    assert values(recall, targets, SCORES) == approx([1 / 2, 1 / 3])
    precision = values(
        MeanAveragePrecision(inputs="sparse", ties="stable"), targets, SCORES
    )
    assert precision == approx([(1 + 2 / 4) / 2, (1 / 2 + 2 / 4) / 2])


def test_exclude_is_as_minus_infinity():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(20, 40)).astype("float32")
    targets = rng.integers(0, 40, (20, 2))
    exclude = rng.integers(-3, 40, (20, 9))
    excluded = scores.copy()
    for row, of_list in zip(excluded, exclude, strict=True):
        row[of_list[of_list >= 0]] = -np.inf
    labels = np.zeros_like(scores)
    np.put_along_axis(labels, targets, 1.0, axis=1)
    for cls in (PrecisionAtK, NDCG, MeanAveragePrecision, RecallAtK):
        metric = cls(k=5, inputs="sparse")
        expected = values(metric, targets, excluded)
        assert not np.allclose(values(metric, targets, scores), expected)
        y_true = {"target": targets, "exclude": exclude}
        assert values(metric, y_true, scores) == approx(expected)
        y_true = {"labels": labels, "exclude": exclude}
        assert values(cls(k=5), y_true, scores) == approx(expected)


PADDING = (-1, -2, -4, -5, -(2**31))


@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_padding_of_exclude_excludes_nothing(inputs):
    """Wherever it stands: not the first item, nor the last, nor any other."""
    items, order = 4, np.arange(4)
    rows = [
        row
        for padding in PADDING
        for item in order
        for row in (
            [padding, padding, padding],
            [padding, item, padding],
            [item, padding, padding],
            [padding, padding, item],
        )
    ]
    rows += [[0, 3, -1], [3, -4, 0]]
    exclude = np.repeat(np.array(rows, "int32"), items, axis=0)
    targets = np.tile(order, len(rows))
    excluded = (exclude[:, :, None] == order).any(axis=1)
    above = (~excluded & (order < targets[:, None])).sum(axis=1)
    found = np.take_along_axis(excluded, targets[:, None], axis=1)[:, 0]
    expected = np.where(found, 0.0, 1.0 / (1 + above))
    if inputs == "ids":  # of which -1 alone is padding
        exclude = np.maximum(exclude, -1)
    y_true = {"target": targets, "exclude": exclude}
    if inputs == "scores":
        labels = np.eye(items, dtype="float32")[targets]
        y_true = {"labels": labels, "exclude": exclude}
    ranked = order if inputs == "ids" else -order.astype("float32")
    ranked = np.tile(ranked, (len(targets), 1))
    metric = MeanReciprocalRank(inputs=inputs)
    assert values(metric, y_true, ranked) == approx(expected)


def test_an_excluded_nan_does_not_matter():
    scores = SCORES.copy()
    scores[0, 1] = np.nan
    metric = MeanReciprocalRank(inputs="sparse")
    found = values(metric, [2, 3], scores)
    assert np.isnan(found[0]) and found[1] == 1.0
    assert np.isnan(float(metric([2, 3], scores)))
    y_true = {"target": [2, 3], "exclude": [[1], [-1]]}
    assert values(metric, y_true, scores) == approx([1 / 2, 1.0])


def test_masks_of_items_and_of_lists():
    metric = MeanReciprocalRank(inputs="sparse")
    scores = SCORES - 2.0  # all below 0
    mask = np.ones((2, 5), bool)
    mask[0, 1] = False
    y_true = {"target": [2, 3], "mask": mask}
    assert values(metric, y_true, scores) == approx([1 / 2, 1.0])
    mask[1, 3] = False  # the target itself: there is none
    found = values(metric, y_true, scores)
    assert found[0] == 1 / 2 and np.isnan(found[1])
    y_true = {"target": [2, 3], "mask": np.array([True, False])}
    found = values(metric, y_true, scores)
    assert found[0] == approx(1 / 3) and np.isnan(found[1])


def test_weights():
    metric = MeanReciprocalRank(inputs="sparse")
    assert float(metric([2, 3], SCORES, [3.0, 1.0])) == approx((1 + 1) / 4)
    metric.reset_state()
    assert float(metric([2, 3], SCORES, [0.0, 1.0])) == 1.0
    found = values(metric, [2, 3], SCORES, [[0.0], [1.0]])
    assert np.isnan(found[0]) and found[1] == 1.0


@pytest.mark.not_on("torch", reason="torch sees all values")
def test_an_index_beyond_the_catalogue_in_a_program():
    """Where it cannot be seen in time, the list has no value."""
    metric = MeanReciprocalRank(inputs="sparse")
    program = compiled(metric.per_list, jit_compile=False)
    found = program(ops.array([2, 5]), ops.array(SCORES))
    found = ops.convert_to_numpy(found)
    assert found[0] == approx(1 / 3) and np.isnan(found[1])


@pytest.mark.not_on("torch", reason="torch sees all values")
def test_an_excluded_index_beyond_the_catalogue_in_a_program():
    metric = MeanReciprocalRank(inputs="sparse")

    def of(targets, exclude, scores):
        y_true = {"target": targets, "exclude": exclude}
        return metric.per_list(y_true, scores)

    program = compiled(of, jit_compile=False)
    found = program(ops.array([2, 0]), ops.array([[1], [5]]), ops.array(SCORES))
    found = ops.convert_to_numpy(found)
    assert found[0] == approx(1 / 2) and np.isnan(found[1])


@pytest.mark.long
@pytest.mark.not_on("torch", reason="torch sees all values")
def test_labels_instead_of_targets_in_a_program():
    """They would be plausible targets, 0 and 1."""
    metric = MeanReciprocalRank(inputs="sparse")
    labels = ops.array([[0, 1, 0, 0, 0], [0, 0, 0, 1, 0]])
    found = compiled(metric.per_list)(labels, ops.array(SCORES))
    assert np.isnan(ops.convert_to_numpy(found)).all()
    targets = ops.array([[1, -1, -1, -1, -1], [0, 4, -1, -1, -1]])
    found = compiled(metric.per_list)(targets, ops.array(SCORES))
    assert not np.isnan(ops.convert_to_numpy(found)).any()


def test_a_catalogue_without_items():
    metric = NDCG(inputs="sparse")
    assert np.isnan(values(metric, [-1, -1], np.zeros((2, 0)))).all()


def test_padding_of_weights_does_not_matter():
    metric = MeanReciprocalRank(inputs="sparse")
    for padding in (np.nan, -1.0):
        assert float(metric([-1, 3], SCORES, [padding, 1.0])) == 1.0
        metric.reset_state()


def test_integer_scores():
    scores = [[3, 2**31 - 1, -(2**31) + 1, 2**31 - 2]]
    metric = MeanReciprocalRank(inputs="sparse")
    scores = ops.array(np.array(scores, "int32"))
    assert values(metric, [3], scores) == approx([1 / 2])


def test_a_single_list_and_empty_input():
    metric = MeanReciprocalRank(inputs="sparse")
    assert float(metric.per_list(2, SCORES[0])) == approx(1 / 3)
    assert float(metric.per_list([2, 0], SCORES[0])) == approx(1 / 3)
    assert values(metric, np.zeros((0,), "int32"), SCORES[:0]).shape == (0,)
    assert np.isnan(values(metric, np.zeros((2, 0), "int32"), SCORES)).all()
    metric.update_state(np.zeros((0,), "int32"), SCORES[:0])
    assert float(metric.result()) == 0.0


@pytest.mark.parametrize("above", [0, 3, 20, 300, 4_000, 50_000])
@pytest.mark.parametrize("tied", [2, 5])
def test_precision_of_ties_far_down_a_catalogue(above, tied):
    """All of the tied items are relevant: each rank holds one."""
    scores = np.zeros((1, 60_000), "float32")
    scores[0, :above] = 2.0
    scores[0, above : above + tied] = 1.0
    targets = [list(range(above, above + tied))]
    hits = np.arange(1, tied + 1)
    metric = MeanAveragePrecision(inputs="sparse")
    found = values(metric, targets, scores)
    assert found == approx(np.mean(hits / (above + hits)), rel=3e-6)

"""Any number of leading dimensions, in all three forms of input."""

import numpy as np
import pytest
from in_forms import values
from pytest import approx

from keras_rankmetrics import NDCG, HitRateAtK, MeanAveragePrecision

LISTS, ITEMS = 12, 6
LEADING = [(12,), (3, 4), (2, 3, 2), (1, 12), (12, 1), (2, 1, 6, 1)]


@pytest.fixture(scope="module")
def data():
    """`y_true` and `y_pred` of each form, with lists that are padding."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(LISTS, ITEMS)).astype("float32")
    labels = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32")
    targets = rng.integers(0, ITEMS, (LISTS, 2))
    recommended = np.argsort(-scores, axis=1)[:, :4]
    labels[5], targets[5], recommended[5] = -1, -1, -1
    return {
        "scores": (labels, scores),
        "sparse": (targets, scores),
        "ids": (targets, recommended),
    }


@pytest.fixture(params=["scores", "sparse", "ids"])
def form(request):
    return request.param


@pytest.mark.parametrize("leading", LEADING, ids=str)
def test_the_values_have_the_leading_shape(data, form, leading):
    y_true, y_pred = data[form]
    for cls in (NDCG, MeanAveragePrecision):
        metric = cls(k=3, inputs=form)
        flat = values(metric, y_true, y_pred)
        found = values(
            metric,
            y_true.reshape(*leading, -1),
            y_pred.reshape(*leading, -1),
        )
        assert found.shape == leading
        assert np.isnan(flat[5])
        np.testing.assert_array_equal(found.ravel(), flat)


def test_a_single_list(data, form):
    y_true, y_pred = data[form]
    metric = NDCG(k=3, inputs=form)
    found = values(metric, y_true[0], y_pred[0])
    assert found.shape == ()
    assert found == values(metric, y_true, y_pred)[0]


@pytest.mark.parametrize(
    "shape", [(), (3,), (3, 1), (3, 4), (3, 4, 1)], ids=str
)
def test_weights_of_lists(data, form, shape):
    """One for all, for all steps of a sample, or for each list."""
    y_true, y_pred = data[form]
    weights = np.random.default_rng(1).uniform(0.5, 2, shape)
    each = weights.reshape((*shape, 1, 1)[:2])
    each = np.broadcast_to(each, (3, 4))
    steps = (y_true.reshape(3, 4, -1), y_pred.reshape(3, 4, -1))
    for list_weight in ("mean", "relevance"):
        options = {"k": 3, "inputs": form, "list_weight": list_weight}
        found = float(NDCG(**options)(*steps, weights))
        expected = float(NDCG(**options)(y_true, y_pred, each.ravel()))
        assert found == approx(expected, rel=1e-6)


def test_weights_of_items(data):
    labels, scores = data["scores"]
    weights = np.random.default_rng(1).integers(0, 3, labels.shape)
    expected = float(NDCG(k=3)(labels, scores, weights))
    for shape in ((3, 4, ITEMS), (3, 4, ITEMS, 1)):
        found = NDCG(k=3)(
            labels.reshape(3, 4, ITEMS),
            scores.reshape(3, 4, ITEMS),
            weights.reshape(shape),
        )
        assert float(found) == approx(expected, rel=1e-6)


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 1)], ids=str)
def test_masks_of_lists(data, form, shape):
    y_true, y_pred = data[form]
    mask = np.random.default_rng(2).random((3, 4)) < 0.5
    metric = NDCG(k=3, inputs=form)
    expected = values(metric, y_true, y_pred).reshape(3, 4)
    name = "labels" if form == "scores" else "target"
    y_true = {name: y_true.reshape(3, 4, -1), "mask": mask.reshape(shape)}
    if shape == (3, 4, 1):
        with pytest.raises(ValueError, match="A mask should have the shape"):
            metric.per_list(y_true, y_pred.reshape(3, 4, -1))
        return
    found = values(metric, y_true, y_pred.reshape(3, 4, -1))
    np.testing.assert_array_equal(found, np.where(mask, expected, np.nan))


def test_masks_of_items(data):
    labels, scores = data["scores"]
    mask = np.random.default_rng(2).random(labels.shape) < 0.5
    expected = values(NDCG(k=3), {"labels": labels, "mask": mask}, scores)
    y_true = {
        "labels": labels.reshape(3, 4, ITEMS),
        "mask": mask.reshape(3, 4, ITEMS),
    }
    found = values(NDCG(k=3), y_true, scores.reshape(3, 4, ITEMS))
    np.testing.assert_array_equal(found.ravel(), expected)


def test_a_last_dimension_of_one(data):
    """On the scores alone, or on both."""
    labels, scores = (x.reshape(3, 4, ITEMS) for x in data["scores"])
    expected = values(NDCG(k=3), labels, scores)
    for y_true in (labels, labels[..., None]):
        found = values(NDCG(k=3), y_true, scores[..., None])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "y_true, y_pred", [((2, 3, 1), (2, 3, 5)), ((2, 3), (2, 3, 5))], ids=str
)
def test_one_target_per_list(y_true, y_pred):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=y_pred).astype("float32")
    targets = rng.integers(0, 5, y_true)
    found = values(HitRateAtK(k=2, inputs="sparse"), targets, scores)
    above = scores > np.take_along_axis(
        scores, targets.reshape(2, 3, 1), axis=-1
    )
    np.testing.assert_array_equal(found, above.sum(axis=-1) < 2)


@pytest.mark.parametrize("leading", [(0,), (2, 0), (0, 3), (2, 0, 3)], ids=str)
def test_no_lists(form, leading):
    metric = NDCG(k=3, inputs=form)
    kind = {"scores": "float32", "sparse": "int32", "ids": "int32"}[form]
    y_true = np.zeros((*leading, 4), kind)
    y_pred = np.zeros((*leading, 4), "int32" if form == "ids" else "float32")
    assert values(metric, y_true, y_pred).shape == leading
    assert float(metric(y_true, y_pred, np.ones(leading))) == 0.0

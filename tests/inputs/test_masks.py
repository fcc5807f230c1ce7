"""Every source of a mask, alone and together with the others."""

import itertools

import keras
import numpy as np
import pytest
from in_forms import values
from keras import ops
from pytest import approx

from keras_rankmetrics import NDCG, MeanAveragePrecision, PrecisionAtK

BACKEND = keras.backend.backend()

LISTS, ITEMS = 8, 9
SOURCES = ("label", "mask", "attached", "weight", "list weight", "ragged")
CHOICES = [
    chosen
    for size in (1, 2, len(SOURCES))
    for chosen in itertools.combinations(SOURCES, size)
    if not {"weight", "list weight"} <= set(chosen)
] + [tuple(s for s in SOURCES if s != "list weight")]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(12)
    labels = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32")
    scores = rng.permuted(
        np.tile(np.arange(ITEMS, dtype="float32"), (LISTS, 1)), axis=1
    )
    return labels, scores


def masked_by(source, rng):
    """Which items a source leaves."""
    if source == "list weight":
        lists = rng.permutation(LISTS) > 1
        return np.broadcast_to(lists[:, None], (LISTS, ITEMS))
    if source == "ragged":
        lengths = rng.integers(3, ITEMS, (LISTS, 1))
        return np.arange(ITEMS) < lengths
    return rng.random((LISTS, ITEMS)) < 0.7


def with_attached_mask(scores, mask):
    """Scores as Keras layers hand them on, with what they mask as -9."""
    layer = keras.layers.Masking(mask_value=-9.0)
    masked = layer(ops.array(np.where(mask, scores, -9.0)[..., None]))
    flat = ops.squeeze(masked, -1)
    # As a layer that keeps the mask would do.
    from keras.src.backend.common.masking import (
        get_keras_mask,
        set_keras_mask,
    )

    set_keras_mask(flat, get_keras_mask(masked))
    return flat


@pytest.mark.parametrize("sources", CHOICES, ids="+".join)
def test_sources_of_masks(data, sources):
    labels, scores = data
    rng = np.random.default_rng(len("".join(sources)))
    left = {source: masked_by(source, rng) for source in sources}
    everything = np.logical_and.reduce(list(left.values()))
    y_true, y_pred, weights = labels, scores, None
    if "label" in left:
        y_true = np.where(left["label"], labels, -1.0)
    if "attached" in left:
        y_pred = with_attached_mask(scores, left["attached"])
    if "weight" in left:
        weights = left["weight"].astype("float32")
    if "list weight" in left:
        weights = left["list weight"][:, 0].astype("float32")
    if "ragged" in left:
        lengths = left["ragged"].sum(axis=1)
        y_true = [
            row[:n].tolist() for row, n in zip(y_true, lengths, strict=True)
        ]
    if "mask" in left:
        y_true = {"labels": y_true, "mask": left["mask"]}
    expected_labels = np.where(everything, labels, -1.0)
    for metric in (NDCG(k=3), PrecisionAtK(k=4), MeanAveragePrecision()):
        found = values(metric, y_true, y_pred, weights)
        expected = values(metric, expected_labels, scores)
        assert found == approx(expected, rel=1e-6, nan_ok=True)
        assert np.isnan(found).any() or "list weight" not in sources


@pytest.mark.filterwarnings("ignore:.*are lists of one item each")
@pytest.mark.parametrize("source", ["mask", "attached", "weight"])
def test_masks_of_lists_with_one_item(source):
    labels, scores = np.ones((3, 1), "float32"), np.ones((3, 1), "float32")
    y_true, y_pred, weights = labels, scores, None
    mask = np.array([[True], [False], [True]])
    if source == "mask":
        y_true = {"labels": labels, "mask": mask}
    elif source == "attached":
        y_pred = with_attached_mask(scores, mask)
    else:
        y_pred, weights = scores, mask.astype("float32")
    found = values(PrecisionAtK(k=1, empty="skip"), y_true, y_pred, weights)
    assert found == approx([1.0, np.nan, 1.0], nan_ok=True)

"""Labels of items for each subtopic, and scores of the same items."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.raw_batch import Given
from keras_rankmetrics.engine.inputs.read_scores import (
    read_scores,
    uneven_places,
)
from keras_rankmetrics.engine.inputs.shapes import Leading, compatible
from keras_rankmetrics.engine.inputs.tensors import floats, numbers, rankable
from keras_rankmetrics.engine.ranking import Scored
from keras_rankmetrics.types import UNJUDGED, Tensor


def read_subtopics(given: Given) -> Lists:
    """Reads labels of items for each subtopic, and scores of these items.

    An item is worth as much as to the subtopic to which it is worth most. One
    that has no label of 0 or more is unjudged if any of its labels says so, and
    else is no item.

    Args:
        given: in `y_true` labels, `[..., items, subtopics]`; else as
            `read_scores` takes it, but for `"num_relevant"`.
    """
    labels = _labels(given)
    undefined = ops.any(labels != labels, axis=-1)
    # From a number on, since TensorFlow finds no maximum of no items.
    of_items = ops.max(labels, axis=-1, initial=-math.inf)
    # What fills up the subtopics, -1, is above the label of the unjudged.
    unjudged = ops.any(labels == UNJUDGED, axis=-1) & (of_items < 0)
    of_items = ops.where(unjudged, float(UNJUDGED), of_items)
    of_items = ops.where(undefined, float("nan"), of_items)
    entries = {**given.entries, "labels": of_items, "num_relevant": None}
    lists = read_scores(given._replace(entries=entries))
    scored = lists.content
    assert isinstance(scored, Scored)
    rows = Leading(tuple(labels.shape[:-2]), tuple(ops.shape(labels)[:-2]))
    by_subtopic = ops.swapaxes(rows.as_lists(labels), -1, -2)
    if labels.shape[-2] == 0:  # as the labels of items were filled up
        by_subtopic = ops.pad(by_subtopic, [[0, 0], [0, 0], [0, 1]])
    is_item = (scored.labels >= 0)[:, None]
    graded = ops.where(is_item, ops.maximum(by_subtopic, 0), -1)
    content = dataclasses.replace(scored, by_subtopic=graded)
    return dataclasses.replace(lists, content=content)


def _labels(given: Given) -> Tensor:
    """The labels, floats `[..., items, subtopics]`, below 0 for no item."""
    y_true, y_pred = given.entries["labels"], given.y_pred
    labels, labels_held = numbers("y_true", y_true, -1)
    scores, scores_held = numbers("y_pred", y_pred, 0)
    shape = tuple(rankable(scores).shape)
    expected = (*shape, None)
    if not compatible(labels.shape, expected):
        flat = shape[-1:] == (1,) and compatible(labels.shape[:-1], shape[:-1])
        if not flat:
            raise _wrong(labels, shape)
    if labels.shape[-1] == 0:
        raise _wrong(labels, shape)
    labels = floats(labels, given.dtype)
    if labels_held is None or scores_held is None:
        return labels
    of_items = ops.any(labels_held, axis=-1)
    scores_held = ops.reshape(scores_held, ops.shape(of_items))
    uneven = uneven_places(of_items, scores_held)
    return ops.where(uneven[..., None], float("nan"), labels)


def _wrong(labels: Tensor, shape: Any) -> ValueError:
    return ValueError(
        "`y_true` should hold a label for each item and subtopic, [batch, "
        "items, subtopics], for scores `y_pred`, [batch, items]. Received: "
        f"`y_true.shape` = {tuple(labels.shape)}, `y_pred.shape` = {shape}."
    )

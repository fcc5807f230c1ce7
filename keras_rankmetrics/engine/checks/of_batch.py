"""Facts of a batch, from its first lists."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np

from keras_rankmetrics.engine.backend.cache_keys import is_compiled_by_torch
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.checks.checks import said_of
from keras_rankmetrics.engine.checks.facts import BATCH, Facts, of_ties
from keras_rankmetrics.engine.inputs import Lists
from keras_rankmetrics.engine.inputs.tensors import are_tied, integers
from keras_rankmetrics.types import Reading

_LISTS = 32  # at most
_ITEMS = 2**16  # of these, but for three of longer lists
_MANY = 50  # labels, of which some are of irrelevant items
_FEW = 3  # lists that have them


def facts_of(
    form: Reading, lists: Lists, y_true: Any, y_pred: Any
) -> Facts | None:
    """Return the facts of the first lists; None for other forms, or if traced.

    Args:
        form: the form of the input.
        lists: the lists.
        y_true: as passed.
        y_pred: as passed.
    """
    if form not in ("scores", "sparse", "ids"):
        return None
    if is_compiled_by_torch() or concrete(ops.any(lists.present)) is None:
        return None
    excluded = y_true.get("exclude") if isinstance(y_true, dict) else None
    content: Any = lists.content
    if form == "sparse":
        return Facts(
            remedies=BATCH, padding=_padding(content.targets, excluded)
        )
    if form == "ids":
        sides = content.relevant_ids, content.recommended, excluded
        return Facts(remedies=BATCH, padding=_padding(*sides))
    labels, scores = content.labels, content.scores
    some = max(3, min(_LISTS, _ITEMS // max(labels.shape[-1] or 1, 1)))
    # A tensor of torch that NumPy has seen may change without a trace, so that
    # no metric could share what others have read: a copy is shown.
    labels, scores = (
        ops.convert_to_numpy(ops.copy(x[:some])) for x in (labels, scores.raw)
    )
    if labels.shape != scores.shape:
        return None
    read = scores.dtype
    have_one_order = (scores == scores[:1]).all()
    numbers, items = np.nonzero(labels >= 0)
    labels, scores = labels[numbers, items], scores[numbers, items]
    found = Facts("`y_true`", "`y_pred`", remedies=BATCH)
    found.padding = _padding(excluded)
    found.add_whole(numbers, scores, labels)
    # A model has no integers as scores, but `argsort` has.
    are_places = (
        found.evidence.are_surely_places
        if scores.dtype.kind == "f"
        else not found.evidence.are_scores
    )
    if have_one_order or not are_places:
        found.evidence = dataclasses.replace(found.evidence, lowest=None)
    found.infinite = bool((scores == np.inf).any())
    lengths = np.unique(numbers, return_counts=True)[1]
    if len(labels) >= _MANY and len(lengths) >= _FEW:
        found.add_labels(labels)
        found.add_lists(lengths)
    found.tied = _tied(y_pred, read)
    return found


def _padding(*sides: Any) -> int | None:
    """Return an id that may be padding, or None.

    That is 0, or any other id if it is there again on several sides.
    """
    found = [_padding_of(x) for x in sides]
    ids = (x for x in found if x == 0 or (x and found.count(x) > 1))
    return next(ids, None)


def _padding_of(ids: Any) -> int | None:
    """Return the id that occurs again at an end of rows, if no other one does.

    One row is enough for 0.

    Args:
        ids: `[lists, row]`. Other shapes need no padding.
    """
    if ids is None:
        return None
    if isinstance(ids, list | tuple):
        ids = integers("ids", ids, "ids")
    if len(ids.shape) != 2 or (ids.shape[-1] or 0) < 3:
        return None
    first = ops.convert_to_numpy(ops.copy(ids[:_LISTS]))
    ordered = np.sort(first, axis=-1)
    are_again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    again = np.unique(ordered[:, 1:][are_again])
    if len(again) != 1:
        return None
    sides = (first[:, :2], first[:, -2:])
    rows = np.any([(x == again[0]).all(axis=-1) for x in sides], axis=0)
    return int(again[0]) if rows.sum() > (again[0] > 0) else None


def _tied(y_pred: Any, read: np.dtype) -> str | None:
    """Return a sentence if scores differ in float64, and tie as they are read.

    Args:
        y_pred: as passed: an array, or lists of numbers.
        read: the dtype of the tensor.
    """
    first = y_pred
    while isinstance(first, list | tuple) and first:
        first = first[0]
    if first is not y_pred and isinstance(first, float):
        with contextlib.suppress(ValueError, TypeError):  # of unequal lengths
            y_pred = np.asarray(y_pred[:_LISTS])
    if not isinstance(y_pred, np.ndarray) or y_pred.dtype != np.float64:
        return None
    if y_pred.ndim < 2 or not y_pred.size or read != np.float32:
        return None
    some = y_pred[:_LISTS]
    tied = are_tied(some.reshape(-1, some.shape[-1])).any()
    return of_ties() if tied else None


def doubt(facts: Facts | None, metric: Any) -> str | None:
    """Return the first warning about a batch, or None.

    Args:
        facts: the facts of the batch.
        metric: a metric.
    """
    if facts is None:
        return None
    found = (x for x in said_of(facts, [metric]) if x.check.in_batches)
    return next(map(str, found), None)

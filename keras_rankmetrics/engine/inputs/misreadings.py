"""Labels that may not mean what a metric reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.batch import Lists
from keras_rankmetrics.engine.inputs.tensors import numbers
from keras_rankmetrics.types import UNJUDGED, Tensor

_LOOKED_AT = 10_000  # the number of labels and scores that may be swapped
_MOST_GRADES = 10
_FEW = 3  # items that a mask leaves out, or leaves, by no chance
_TIMES = 4  # a label that so many times exceeds all others is no grade
# The highest unsigned integers, as which -1 and -2 are stored.
_WRAPPED = [
    np.float32(2.0**bits - below)
    for bits in (8, 16, 32, 64)
    for below in (1, 2)
]
_LARGE = min(_WRAPPED)


class Misreadings(NamedTuple):
    """Properties of a batch that often are mistakes; None where traced.

    Attributes:
        warning: a warning for every metric, or None.
        share: a label above 0 and below 1, or None.
    """

    warning: str | None = None
    share: float | None = None

    @classmethod
    def of(cls, lists: Lists, y_true: Any) -> Misreadings:
        """Return what may be misread in the lists of a batch.

        Args:
            lists: the lists.
            y_true: as passed. A dict may hold joined rows: they have the label
                -1 if they were not judged.
        """
        left = getattr(lists.content, "labels", None)
        share = None
        if left is not None:
            share = share_in(ops.where(lists.present[:, None], left, 0))
        warning, labels = lists.warning, lists.labels
        are_joined = isinstance(y_true, dict)
        if warning is None and left is not None:
            warning = _omission_warning(lists, y_true, left)
        counted = getattr(lists.content, "num_relevant", None)
        if warning is None and left is not None and counted is not None:
            content: Any = lists.content
            # The excluded ones may be counted, or not.
            ranked = ops.where(content.scores.retrieved(), left, 0)
            warning = _count_warning(lists.present, ranked, counted)
        if warning is None and labels is not None:
            has_unusual = ops.any((labels < 0) | (labels >= _LARGE))
            if concrete(has_unusual):
                labels = ops.convert_to_numpy(labels)
                warning = padding_warning(labels, None if are_joined else True)
        return cls(warning, share)


def _count_warning(
    present: Tensor, labels: Tensor, counted: Tensor
) -> str | None:
    """Return a warning if lists have more relevant items than they count.

    Args:
        present: bool `[lists]`, True for lists that are no fillers.
        labels: `[lists, items]`; grades are relevant from a threshold on.
        counted: `[lists]`, 0 where it is not known.
    """
    there = present & (counted > 0) & ~ops.any(labels > 1)
    seen = ops.sum(ops.cast(labels == 1, counted.dtype), axis=-1)
    if not concrete(ops.any(there & (seen > counted))):
        return None
    return (
        '`y_true["num_relevant"]` should count all relevant items of a list, '
        "those that have labels, too. Received: fewer than have the label 1. "
        "If it counts the other ones alone, add both; if it is in the order of "
        "other lists, reorder it."
    )


# What leaves items out; what to do if these are all relevant items; and if they
# are all others.
_OMISSIONS: Mapping[str, tuple[str, str, str]] = {
    "mask": (
        "a mask that is False for",
        "It is True where an item counts: if it is True for padding, pass "
        "`~mask`.",
        "Mask padding alone.",
    ),
    "weights": (
        "weights that are 0 for",
        "Weigh padding alone by 0.",
        "Weigh padding alone by 0.",
    ),
    "judged": (
        '`y_true["judged"]` that is False for',
        "It is True for judged items: for others, pass `~judged`.",
        "It is True for irrelevant items that are judged, too.",
    ),
    "exclude": (
        '`y_true["exclude"]` that contains',
        "Exclude the items that should not be ranked, such as those of the "
        "training set.",
        "Exclude the items that should not be ranked, such as those of the "
        "training set.",
    ),
}


def _omission_warning(lists: Lists, y_true: Any, left: Tensor) -> str | None:
    """Return a warning if all relevant items are left out, or all others.

    Args:
        lists: the lists.
        y_true: as passed.
        left: the labels of the items that are left, below 0 for others.
    """
    content: Any = lists.content
    entries = y_true if isinstance(y_true, Mapping) else {"labels": y_true}
    passed = {**entries, "weights": getattr(content, "item_weights", None)}
    causes = [x for x in _OMISSIONS if passed.get(x) is not None]
    if not causes or passed.get("labels") is None:
        return None
    if "exclude" in causes:
        scores = getattr(content, "scores", None)
        is_hidden = content.hidden() if scores is None else ~scores.retrieved()
        left = ops.where(is_hidden, -1, left)
    are_others = (left == 0) | (left == UNJUDGED)
    has_relevant, has_others = (
        concrete(ops.any(x)) is not False for x in (left > 0, are_others)
    )
    if has_relevant and has_others:
        return None
    labels, _ = numbers("y_true", passed["labels"], -1)
    labels = lists.leading.as_lists(labels)
    if tuple(labels.shape) != tuple(left.shape):
        return None
    there = lists.present[:, None]  # no item of a filler
    relevant, others, kept = (
        ops.sum(ops.cast(x, "int32"))
        for x in ((labels > 0) & there, (labels == 0) & there, left > 0)
    )
    received, of_relevant, of_others = _OMISSIONS[causes[0]]
    if len(causes) > 1:
        received = f"{', '.join(causes)}, which together leave out"
        of_relevant = of_others = "Pass each alone to see which one does."
    if not has_relevant and concrete(relevant >= _FEW):
        return (
            f"Some relevant items should count. Received: {received} all items "
            f"with labels above 0. {of_relevant}"
        )
    are_many = (relevant >= _FEW) & (others >= _FEW) & (kept == relevant)
    if has_relevant and concrete(are_many & ~_are_at_one_end(left > 0)):
        return (
            f"Some irrelevant items should count. Received: {received} all "
            "items with the label 0, so that relevant ones alone are ranked. "
            f"{of_others}"
        )
    return None


def _are_at_one_end(kept: Tensor) -> Tensor:
    """Return True if what is left out is at the same end of all lists.

    It may be padding then, which often has the label 0.

    Args:
        kept: bool `[lists, items]`.
    """
    first, then = kept[:, :-1], kept[:, 1:]
    return ~ops.any(~first & then) | ~ops.any(first & ~then)


def share_in(labels: Tensor) -> float | None:
    """Return the highest label above 0 and below 1, None if there is none."""
    is_share = (labels > 0) & (labels < 1)
    if not concrete(ops.any(is_share)):
        return None
    return float(ops.max(ops.where(is_share, labels, 0)))


def padding_warning(labels: np.ndarray, has_order: bool | None) -> str | None:
    """Return a warning if labels below 0 are more than padding explains.

    That is the case if they have several values besides `UNJUDGED`, or one that
    is not whole; if they have one, and labels of 1 alone follow it, or
    it is amid several lists of labels from 1 on; if all are
    -1, 0 or 1, and a -1 is neither at the head of all lists nor at their tail;
    in rows, which need no padding; or if -1 was stored as an unsigned integer.

    Args:
        labels: `[lists, items]`, or of rows, `[rows]`.
        has_order: True if padding is at one end of the lists. False for rows,
            which need none. None if any item may be without a label.
    """
    negative, highest = labels < 0, np.float32(labels.max(initial=0))
    if highest == np.inf:
        return (
            "Labels should be finite. Received: inf. Leave the item out, or "
            "give it the highest grade."
        )
    if highest in _WRAPPED:
        others = labels.astype("float32")
        others = others[others < highest]
        if (others * _TIMES < highest).all():
            return (
                f"Labels should be grades. Received: {highest:.0f}, which is "
                "-1 or -2 of an unsigned integer type, and others of at most "
                f"{others.max(initial=0):g}. If it is padding, convert the "
                "labels to a signed type before you set it."
            )
    padding = labels[negative]
    padding = padding[padding != UNJUDGED].astype("float32")
    low, high = padding.min(initial=0), padding.max(initial=-np.inf)
    received = f"negative labels from {low:g} to {high:g}"
    remedy = 'pass `y_true={"labels": labels, "mask": labels >= 0}`'
    if has_order is False and padding.size and highest > 0:
        remedy = "leave out their rows, or mark unjudged ones by `UNJUDGED`"
    elif has_order and is_scale(labels) and _are_between(labels == -1):
        received = f"labels from {labels.min():g} to {labels.max():g}"
    elif has_order and low < 0 and np.isin(labels, (low, 1)).all():
        has_others = (negative[..., :-1] & ~negative[..., 1:]).any()
        received = f"labels of {low:g} and 1, and a 1 after a {low:g}"
        return _no_irrelevant(low, received) if has_others else None
    elif has_order and low < 0 and _is_among_grades(labels, low):
        return _no_irrelevant(low, f"{low:g} among labels of 1 or more")
    elif low >= high and low == np.floor(low):
        if not has_order or not np.isin(labels, (-1, 0, 1)).all():
            return None
        received = "labels of -1, 0 and 1, and a -1 between others"
        if not _are_between(negative):
            return None
    else:
        remedy = "replace them: `numpy.where(labels < 0, -1, labels)`"
    return (
        "Labels should be 0 or more, with one negative number for padding. "
        f"Received: {received}. Items with a negative label are left out. If "
        "they should count, shift the labels to 0 and above. If they are "
        f"padding, {remedy}. If they are scores, are the arguments swapped?"
    )


def _is_among_grades(labels: np.ndarray, code: float) -> bool:
    """Return True if a code is amid several lists of labels from 1 on."""
    padding = labels == code
    first, then = padding[..., :-1], padding[..., 1:]
    ends, begins = ((x.any(axis=-1)) for x in (first & ~then, ~first & then))
    are_all = (padding | (labels >= 1)).all()
    return bool(are_all and (ends & begins).sum() >= _FEW)


def _no_irrelevant(code: float, received: str) -> str:
    """Return a warning of labels that are 1 or more, or a number below 0."""
    return (
        f"Labels should be 0 for irrelevant items. Received: {received}. Items "
        "with a negative label are left out, so that all others are relevant. "
        f"If {code:g} is irrelevant, replace it by 0: `numpy.maximum(labels, "
        '0)`. If it is padding, pass `y_true={"labels": labels, "mask": labels '
        ">= 0}`."
    )


def is_scale(labels: np.ndarray) -> bool:
    """Return True for labels such as -2, -1, 0, 1 and 2, which are grades."""
    lowest = labels.min(initial=0)
    are_symmetric = lowest < -1 and labels.max(initial=0) == -lowest
    return bool(are_symmetric and (labels == -1).any())


def _are_between(padding: np.ndarray) -> bool:
    """Return True if padding is neither at the head nor at the tail of lists.

    Args:
        padding: bool `[lists, items]`.
    """
    first, then = padding[..., :-1], padding[..., 1:]
    return bool((first & ~then).any() and (~first & then).any())


def swapped_warning(labels: np.ndarray, scores: np.ndarray) -> str | None:
    """Return a warning if labels are numbers, and scores grades with ties."""
    labels, scores = (x.ravel()[:_LOOKED_AT] for x in (labels, scores))
    labels, scores = labels[labels >= 0], scores[scores > -np.inf]
    grades, values = np.unique(scores), np.unique(labels)
    most = min(_MOST_GRADES, len(scores) - 1, len(values) - 1)
    are_grades = (grades >= 0).all() and (grades == np.floor(grades)).all()
    if len(grades) > most or not are_grades:
        return None
    if (labels != np.floor(labels)).mean() <= 0.5:
        return None
    return (
        "The truth should have labels, and the run scores. Received: "
        f"{len(values):,} values, most with fractions, in the truth, and "
        f"{len(grades)} grades in the run. Are they swapped? The truth comes "
        "first."
    )

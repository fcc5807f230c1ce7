"""Labels that may not mean what a metric reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.batch import Lists
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.types import UNJUDGED, Tensor

_LOOKED_AT = 10_000  # the number of labels and scores that may be swapped
_MOST_GRADES = 10
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
    def of(cls, lists: Lists, are_joined: bool) -> Misreadings:
        """Return what may be misread in the lists of a batch.

        Args:
            lists: the lists.
            are_joined: True for a dict `y_true`, which may hold joined rows:
                they have the label -1 if they were not judged.
        """
        labels = getattr(lists.content, "labels", None)
        share = None
        if labels is not None:
            share = share_in(ops.where(lists.present[:, None], labels, 0))
        warning, labels = lists.warning, lists.labels
        if warning is None and labels is not None:
            has_unusual = ops.any((labels < 0) | (labels >= _LARGE))
            if concrete(has_unusual):
                labels = ops.convert_to_numpy(labels)
                warning = padding_warning(labels, None if are_joined else True)
        return cls(warning, share)


def share_in(labels: Tensor) -> float | None:
    """Return the highest label above 0 and below 1, None if there is none."""
    is_share = (labels > 0) & (labels < 1)
    if not concrete(ops.any(is_share)):
        return None
    return float(ops.max(ops.where(is_share, labels, 0)))


def padding_warning(labels: np.ndarray, has_order: bool | None) -> str | None:
    """Return a warning if labels below 0 are more than padding explains.

    That is the case if they have several values besides `UNJUDGED`, or one that
    is not whole; if all labels are -1 or 1, and a 1 follows a -1; if all are
    -1, 0 or 1, and a -1 is neither at the head of all lists nor at their tail;
    in rows, which need no padding; or if -1 was stored as an unsigned integer.

    Args:
        labels: `[lists, items]`, or of rows, `[rows]`.
        has_order: True if padding is at one end of the lists. False for rows,
            which need none. None if any item may be without a label.
    """
    negative, highest = labels < 0, np.float32(labels.max(initial=0))
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
    elif low >= high and low == np.floor(low):
        if not has_order or not np.isin(labels, (-1, 0, 1)).all():
            return None
        first, then = negative[..., :-1], negative[..., 1:]
        ends, begins = (first & ~then).any(), (~first & then).any()
        received = "labels of -1 and 1, and a 1 after a -1"
        if (labels == 0).any():
            received = "labels of -1, 0 and 1, and a -1 between others"
            ends &= begins
        if not ends:
            return None
    return (
        "Labels should be 0 or more, with one negative number for padding. "
        f"Received: {received}. Items with a negative label are left out. If "
        "they should count, shift the labels to 0 and above. If they are "
        f"padding, {remedy}. If they are scores, are the arguments swapped?"
    )


def warn_if_swapped(labels: np.ndarray, scores: np.ndarray) -> None:
    """Warn if labels have many values, and scores are few grades with ties."""
    labels, scores = (x.ravel()[:_LOOKED_AT] for x in (labels, scores))
    labels, scores = labels[labels >= 0], scores[scores > -np.inf]
    grades, values = np.unique(scores), np.unique(labels)
    most = min(_MOST_GRADES, len(scores) - 1, len(values) - 1)
    if (
        len(grades) <= most
        and (grades >= 0).all()
        and (grades == np.floor(grades)).all()
        and (labels != np.floor(labels)).mean() > 0.5
    ):
        warn(
            "The truth should have labels, and the run scores. Received: "
            f"{len(values):,} values, most with fractions, in the truth, and "
            f"{len(grades)} grades in the run. Are they swapped? The truth "
            "comes first."
        )

"""Labels that may not mean what a metric reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.inputs.batch import Lists
from keras_rankmetrics.types import UNJUDGED, Tensor


class Misreadings(NamedTuple):
    """Properties of a batch that often are mistakes; None where traced.

    Attributes:
        warning: a warning for every metric, or None.
        share: a label above 0 and below 1, or None.
    """

    warning: str | None = None
    share: float | None = None

    @classmethod
    def of(cls, lists: Lists, are_rows: bool) -> Misreadings:
        """Return what may be misread in the lists of a batch.

        Args:
            lists: the lists.
            are_rows: True for a dict `y_true`, which may hold joined rows: they
                have the label -1 if they were not judged.
        """
        labels = getattr(lists.content, "labels", None)
        share = None
        if labels is not None:
            share = share_in(ops.where(lists.present[:, None], labels, 0))
        warning = lists.warning
        if warning is None and lists.labels is not None:
            warning = _padding_warning(lists.labels, are_rows)
        return cls(warning, share)


def share_in(labels: Tensor) -> float | None:
    """Return the highest label above 0 and below 1, None if there is none."""
    is_share = (labels > 0) & (labels < 1)
    if not concrete(ops.any(is_share)):
        return None
    return float(ops.max(ops.where(is_share, labels, 0)))


def _padding_warning(labels: Tensor, are_rows: bool) -> str | None:
    """Return a warning if labels below 0 are more than padding explains.

    That is the case if they have several values besides `UNJUDGED`, or one that
    is not whole; or if all labels are -1 or 1, and a 1 follows a -1 other than
    in joined rows.
    """
    if not concrete(ops.any(labels < 0)):
        return None
    labels = ops.convert_to_numpy(labels)
    negative = labels < 0
    padding = labels[negative & (labels != UNJUDGED)]
    low, high = padding.min(initial=0), padding.max(initial=-np.inf)
    received = f"negative labels from {low:g} to {high:g}"
    if low >= high and low == np.floor(low):
        precedes = negative[:, :-1] & ~negative[:, 1:]
        if are_rows or not precedes.any() or (np.abs(labels) != 1).any():
            return None
        received = "labels of -1 and 1, and a 1 after a -1"
    return (
        "Labels should be 0 or more, with one negative number for padding. "
        f"Received: {received}. Items with a negative label are left out. If "
        "they should count, shift the labels to 0 and above. If they are "
        'padding, pass `y_true={"labels": labels, "mask": labels >= 0}`.'
    )

"""What labels say besides grades.

A label from 0 on is a grade. Below 0 there is no item, but for one label: that
of an item that nobody has judged, which is worth nothing.
"""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import UNJUDGED, Tensor


def exists(labels: Tensor) -> Tensor:
    """Whether there is an item, bool."""
    return (labels >= 0) | (labels == UNJUDGED)


def judged_where(judged: Tensor, labels: Tensor) -> Tensor:
    """The labels, those of items that nobody has judged being `UNJUDGED`."""
    return ops.where((labels < 0) | judged, labels, UNJUDGED)


def condensed(labels: Tensor) -> Tensor:
    """The labels, as if there were no items that nobody has judged."""
    return ops.where(labels == UNJUDGED, -1, labels)

"""Warnings about input that is valid but rarely intended."""

from __future__ import annotations

import warnings

from keras_rankmetrics.engine.backend.keras_internals import is_in_compile
from keras_rankmetrics.engine.inputs.shapes import Leading


class WarnOnce:
    """The warnings of one metric: the first one is shown, others are not."""

    def __init__(self) -> None:
        self._has_warned = False

    def __call__(self, message: str | None, name: str) -> None:
        """Warn, unless the message is None or a warning was given before.

        Args:
            message: the text of the warning.
            name: the name of the metric.
        """
        if message is not None and not self._has_warned:
            self._has_warned = True
            warnings.warn(f"{name}: {message}", UserWarning, stacklevel=5)


_REMEDY = (
    "Pass lists: labels and scores [batch, items], with the label -1 for "
    "padding. If the model scores rows one by one, use the callback "
    '`callbacks.EvaluateByQuery`: see "Point-wise models" in docs/in_keras.md.'
)


def pointwise_warning(leading: Leading, items: int | None) -> str | None:
    """Return a warning if the shapes look like those of single rows.

    Point-wise models score (query, item) rows one by one, and a metric cannot
    tell which rows belong to one list. The shape may be intended all the same:
    a batch may be one list, or the longest list may have one item.
    """
    shape = (*leading.shape, items)
    if leading.shape == ():
        if not is_in_compile():
            return None
        return (
            f"Labels of the shape {shape} make each batch one list, so that "
            f"the result depends on the batch size. {_REMEDY}"
        )
    several = any(size != 1 for size in leading.shape)
    if items == 1 and several and not leading.is_empty:
        return (
            f"Labels and scores of the shape {shape} are lists of one item "
            "each, so that the result does not depend on the scores. "
            f"{_REMEDY}"
        )
    return None

"""Warnings about suspicious input, each given once."""

from __future__ import annotations

import warnings

from keras_rankmetrics.engine.backend.keras_internals import is_in_compile
from keras_rankmetrics.engine.inputs.shapes import Leading

# `Doubts`: what a metric warns of, once.


class Doubts:
    """The warnings of one metric, of which the user hears the first."""

    def __init__(self) -> None:
        self._uttered = False

    def utter(self, doubt: str | None, name: str) -> None:
        """Warns of a doubt, if there is one, and none was uttered before.

        Args:
            doubt: what to warn of, or None.
            name: of the metric.
        """
        if doubt is not None and not self._uttered:
            self._uttered = True
            warnings.warn(f"{name}: {doubt}", UserWarning, stacklevel=5)


# Shapes of labels and scores that point-wise models have by mistake.
#
# They score rows of (query, item) one by one. Which rows belong to one list,
# a metric cannot see.

_MEND = (
    "Pass lists: labels and scores [batch, items], with the label -1 for "
    "padding. If the model scores rows one by one, use the callback "
    '`callbacks.EvaluateByQuery`: see "Point-wise models" in docs/in_keras.md.'
)


def doubt_about(leading: Leading, items: int | None) -> str | None:
    """What to warn of, if lists of such shapes are not what was meant.

    It may be what was meant: a batch may be one list, and the longest list of
    a batch may have one item.
    """
    shape = (*leading.shape, items)
    if leading.shape == ():
        if not is_in_compile():
            return None
        return (
            f"Labels of the shape {shape} make each batch one list, so that "
            f"the result depends on the batch size. {_MEND}"
        )
    several = any(size != 1 for size in leading.shape)
    if items == 1 and several and not leading.is_empty:
        return (
            f"Labels and scores of the shape {shape} are lists of one item "
            "each, so that the result does not depend on the scores. "
            f"{_MEND}"
        )
    return None

"""NaN, looked for at the price of a sum."""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.branching import cond
from keras_rankmetrics.types import Tensor


def holds_nan(x: Tensor, where: Tensor | None = None) -> Tensor:
    """Whether a row of `x` holds a NaN, `[lists]`.

    Args:
        x: `[lists, items]`.
        where: bool `[lists, items]`, which items to look at, or None for all.
    """

    def found() -> Tensor:
        is_nan = x != x
        if where is not None:
            is_nan = ops.logical_and(where, is_nan)
        return ops.any(is_nan, axis=-1)

    # A sum costs a third of a comparison, and tells whether to look closer: it
    # is NaN also where inf meets -inf, or for an item not to be looked at.
    suspicious = ops.isnan(ops.sum(x, axis=-1))
    return cond(ops.any(suspicious), found, lambda: suspicious)

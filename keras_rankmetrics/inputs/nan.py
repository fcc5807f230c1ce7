"""NaN, looked for at the price of a sum."""

from __future__ import annotations

from collections.abc import Callable

from keras import ops

from keras_rankmetrics.branching import cond
from keras_rankmetrics.types import Tensor


def may_hold_nan(x: Tensor) -> Tensor:
    """Whether a row of `x` may hold a NaN, bool `[lists]`.

    A sum costs a third of a comparison. It is NaN also where inf meets -inf.
    """
    total = ops.sum(x, axis=-1)
    return total != total


def holds_nan(
    x: Tensor, may_hold: Tensor, where: Callable[[], Tensor] | None = None
) -> Tensor:
    """Whether a row of `x` holds a NaN, bool `[lists]`.

    Args:
        x: `[lists, items]`.
        may_hold: what `may_hold_nan(x)` returned.
        where: returns bool `[lists, items]`, which items to look at; or None
            for all.
    """

    def found() -> Tensor:
        is_nan = x != x
        if where is not None:
            is_nan = where() & is_nan
        return ops.any(is_nan, axis=-1)

    return cond(ops.any(may_hold), found, lambda: may_hold)

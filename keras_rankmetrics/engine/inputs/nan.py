"""NaN and infinity, looked for at the price of a sum."""

from __future__ import annotations

from collections.abc import Callable

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import cond
from keras_rankmetrics.types import Tensor


def may_hold_nan(x: Tensor) -> Tensor:
    """Whether a row of `x` may hold a NaN, bool `[lists]`.

    A sum costs a third of a comparison. It is NaN also where inf meets -inf.
    """
    total = ops.sum(x, axis=-1)
    return total != total


def holds(may_hold: Tensor, where: Callable[[], Tensor]) -> Tensor:
    """Which lists hold what is looked for, bool `[lists]`.

    Args:
        may_hold: bool `[lists]`, which lists may hold it.
        where: returns where it is, bool `[lists, items]`; asked only if a list
            may hold it.
    """
    return cond(
        ops.any(may_hold), lambda: ops.any(where(), axis=-1), lambda: may_hold
    )

"""NaN and infinity, looked for at the price of a sum."""

from __future__ import annotations

from collections.abc import Callable

from keras import ops

from keras_rankmetrics.engine.backend.branching import cond
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
    return _holds(may_hold, lambda: x != x, where)


def holds_nan_or_infinity(x: Tensor, where: Callable[[], Tensor]) -> Tensor:
    """Whether a row of `x` holds a NaN or inf, bool `[lists]`.

    Args:
        x: `[lists, items]`.
        where: returns bool `[lists, items]`, which items to look at.
    """
    may_hold = ~ops.isfinite(ops.sum(x, axis=-1))
    return _holds(may_hold, lambda: ~ops.isfinite(x), where)


def _holds(
    may_hold: Tensor,
    what: Callable[[], Tensor],
    where: Callable[[], Tensor] | None,
) -> Tensor:
    def found() -> Tensor:
        held = what() if where is None else where() & what()
        return ops.any(held, axis=-1)

    return cond(ops.any(may_hold), found, lambda: may_hold)

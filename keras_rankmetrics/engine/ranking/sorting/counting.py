"""How many: sums of bools."""

from __future__ import annotations

from collections.abc import Callable

import keras

from keras_rankmetrics.engine.backend.branching import loop
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.sorting.runs import positions
from keras_rankmetrics.types import Tensor

_EXACT_IN_FLOAT32 = 2**24


def count(x: Tensor) -> Tensor:
    """`[lists]`, int32: how often `x`, `[lists, items]`, is True."""
    if keras.config.backend() == "torch":  # adds up bools as they are
        return ops.sum(x, axis=-1)
    counted = ops.cast(x, counting_dtype(x.shape[-1]))
    return ops.cast(ops.sum(counted, axis=-1), "int32")


def count_column(x: Tensor) -> Tensor:
    """The same, `[lists, 1]`."""
    return count(x)[:, None]


def for_each(function: Callable[..., Tensor], *rows: Tensor) -> Tensor:
    """`[lists, targets]`: the function, `[lists, 1]`, of each target in turn.

    One after the other, so that no more than `[lists, items]` is ever held.

    Args:
        function: receives a column, `[lists, 1]`, of each of the rows.
        *rows: `[lists, targets]`.
    """
    if rows[0].shape[-1] == 1:
        return function(*rows)

    def step(target: int | Tensor, results: Tensor) -> Tensor:
        columns = (ops.take(row, target, axis=-1)[:, None] for row in rows)
        here = positions(results) == ops.cast(target, "int32")
        return ops.where(here, function(*columns), results)

    none = ops.zeros_like(rows[0], dtype="int32")
    return loop(ops.shape(rows[0])[-1], step, none)


def counting_dtype(items: int | None) -> str:
    """The dtype that counts so many items exactly, and floats if they can.

    Floats are added up and ranked much faster than integers.
    """
    few = items is not None and items <= _EXACT_IN_FLOAT32
    return "float32" if few else "int32"

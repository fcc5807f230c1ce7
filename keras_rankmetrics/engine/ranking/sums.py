"""Sums over runs of equal values, and exact counts."""

from __future__ import annotations

from collections.abc import Callable

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import loop
from keras_rankmetrics.types import Tensor

# Up to this length, computing over all pairs takes no longer than by steps.
_FEW = 16

_EXACT_IN_FLOAT32 = 2**24


def sums_over_runs(
    values: Tensor, x: Tensor, most: int
) -> tuple[Tensor, Tensor]:
    """Sum over runs of equal values, such as tie groups in sorted scores.

    Only the values of a run are added and none subtracted: a difference of two
    sums would lose digits.

    Args:
        values: `[rows, entries]`, each row sorted.
        x: `[..., rows, entries]`, the terms of the sums.
        most: an upper bound for the number of entries.

    Returns:
        For each entry, in the shape of `x`, the sum over the entries of its run
        before it, and the sum over its whole run.
    """
    if most <= _FEW:
        return _by_pairs(values, x)
    return _by_doubling(values, x, most)


def _by_pairs(values: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Sum over all pairs of entries: few operations, quick to compile."""
    position = positions(values)
    same = ops.expand_dims(values, -1) == ops.expand_dims(values, -2)
    before = same & (ops.expand_dims(position, -1) > position)
    x = ops.expand_dims(x, -2)
    return (
        ops.sum(ops.where(before, x, 0), axis=-1),
        ops.sum(ops.where(same, x, 0), axis=-1),
    )


def _by_doubling(values: Tensor, x: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Sum in log2(most) steps, with memory for one value per entry."""
    position = positions(values)
    # From both ends at once.
    values = ops.stack([values, ops.flip(values, axis=-1)])

    def moved(sums: Tensor, step: int) -> Tensor:
        """Return the sums `step` entries earlier; 0 from another run."""
        same = (position >= step) & (values == ops.roll(values, step, axis=-1))
        return ops.where(same, ops.roll(sums, step, axis=-1), 0)

    sums = moved(ops.stack([x, ops.flip(x, axis=-1)], axis=-3), 1)
    for step in (2**bit for bit in range((most - 1).bit_length())):
        sums = sums + moved(sums, step)
    before, after = ops.unstack(sums, 2, axis=-3)
    return before, before + x + ops.flip(after, axis=-1)


def positions(rows: Tensor) -> Tensor:
    """Return 0, 1, 2, ... along the last axis of `rows`, int32."""
    return ops.arange(ops.shape(rows)[-1], dtype="int32")


def count(x: Tensor) -> Tensor:
    """Count the True values of each row, int32 `[lists]`.

    Args:
        x: bool `[lists, items]`.
    """
    if keras.config.backend() == "torch":  # sums bools without a cast
        return ops.sum(x, axis=-1)
    counted = ops.cast(x, counting_dtype(x.shape[-1]))
    return ops.cast(ops.sum(counted, axis=-1), "int32")


def count_column(x: Tensor) -> Tensor:
    """Count the True values of each row, int32 `[lists, 1]`."""
    return count(x)[:, None]


def counting_dtype(items: int | None) -> str:
    """Return a dtype that counts so many items exactly, float32 if it does.

    Floats are summed and sorted much faster than integers.
    """
    few = items is not None and items <= _EXACT_IN_FLOAT32
    return "float32" if few else "int32"


def for_each(function: Callable[..., Tensor], *rows: Tensor) -> Tensor:
    """Apply a function to one column after the other, `[lists, targets]`.

    No more than `[lists, items]` is in memory at any time.

    Args:
        function: takes a column, `[lists, 1]`, of each of the rows and returns
            one.
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

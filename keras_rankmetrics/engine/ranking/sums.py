"""Sums over runs of equal values, and exact counts."""

from __future__ import annotations

from collections.abc import Callable

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import loop
from keras_rankmetrics.types import Tensor

# Runs of equal values in sorted rows: the tie groups of a ranking.

# Of so many entries, pairs take no more time than steps over the entries.
_FEW = 16


def sums_over_runs(
    values: Tensor, x: Tensor, most: int
) -> tuple[Tensor, Tensor]:
    """Sums over the runs of equal values.

    Nothing is added but what a run holds, and nothing subtracted: the
    difference of two sums would cancel.

    Args:
        values: `[rows, entries]`, each row sorted.
        x: `[..., rows, entries]`, what to sum.
        most: the largest number of entries that there can be.

    Returns:
        For each entry, in the shape of `x`, the sum over the entries of its run
        before it, and that over its whole run.
    """
    if most <= _FEW:
        return _by_pairs(values, x)
    return _by_doubling(values, x, most)


def _by_pairs(values: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """In few operations, quick to compile, and a number for each pair."""
    position = positions(values)
    same = ops.expand_dims(values, -1) == ops.expand_dims(values, -2)
    before = same & (ops.expand_dims(position, -1) > position)
    x = ops.expand_dims(x, -2)
    return (
        ops.sum(ops.where(before, x, 0), axis=-1),
        ops.sum(ops.where(same, x, 0), axis=-1),
    )


def _by_doubling(values: Tensor, x: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """In as many steps as the length has bits, and a number for each entry."""
    position = positions(values)
    # From both ends at once.
    values = ops.stack([values, ops.flip(values, axis=-1)])

    def moved(sums: Tensor, step: int) -> Tensor:
        """What stands `step` entries before each, 0 if in another run."""
        same = (position >= step) & (values == ops.roll(values, step, axis=-1))
        return ops.where(same, ops.roll(sums, step, axis=-1), 0)

    sums = moved(ops.stack([x, ops.flip(x, axis=-1)], axis=-3), 1)
    for step in (2**bit for bit in range((most - 1).bit_length())):
        sums = sums + moved(sums, step)
    before, after = ops.unstack(sums, 2, axis=-3)
    return before, before + x + ops.flip(after, axis=-1)


def positions(rows: Tensor) -> Tensor:
    """0, 1, 2, ... along the last axis of `rows`, int32."""
    return ops.arange(ops.shape(rows)[-1], dtype="int32")


# How many: sums of bools.

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

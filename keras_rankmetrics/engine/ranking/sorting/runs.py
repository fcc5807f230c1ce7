"""Runs of equal values in sorted rows: the tie groups of a ranking."""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.engine.backend.known import length_at_most
from keras_rankmetrics.types import Tensor

# Of so many entries, pairs take no more time than steps over the entries.
_FEW = 16


def runs(values: Tensor) -> tuple[Tensor, Tensor]:
    """Where the run of equal values that holds each entry begins and ends.

    Args:
        values: `[rows, entries]`, each row sorted.

    Returns:
        `first` and `last`, both int32 `[rows, entries]`: the positions, from 0,
        of the first and of the last entry of the run.
    """
    position = positions(values)
    end = ops.shape(values)[-1] - 1
    before = ops.take(values, ops.maximum(position - 1, 0), axis=-1)
    after = ops.take(values, ops.minimum(position + 1, end), axis=-1)
    begins = ops.where(values != before, position, 0)
    ends = ops.where(values != after, end - position, 0)
    first = _running_maximum(begins)
    last = end - ops.flip(_running_maximum(ops.flip(ends, axis=-1)), axis=-1)
    return first, last


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
    for step in _doublings(most):
        sums = sums + moved(sums, step)
    before, after = ops.unstack(sums, 2, axis=-3)
    return before, before + x + ops.flip(after, axis=-1)


def positions(rows: Tensor) -> Tensor:
    """0, 1, 2, ... along the last axis of `rows`, int32."""
    return ops.arange(ops.shape(rows)[-1], dtype="int32")


def _running_maximum(x: Tensor) -> Tensor:
    """The largest value so far, in as many steps as the length has bits.

    Keras has no cumulative maximum. `x` is not negative and begins with 0.
    """
    for step in _doublings(length_at_most(x)):
        earlier = ops.concatenate([x[:, :step], x[:, :-step]], axis=-1)
        x = ops.maximum(x, earlier)
    return x


def _doublings(length: int) -> list[int]:
    """1, 2, 4, ... below the length."""
    return [2**bit for bit in range((length - 1).bit_length())]

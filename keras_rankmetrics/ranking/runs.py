"""Runs of equal values in sorted rows: the tie groups of a ranking."""

from __future__ import annotations

from keras import ops

from keras_rankmetrics.known import length_at_most
from keras_rankmetrics.types import Tensor


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


def positions(rows: Tensor) -> Tensor:
    """0, 1, 2, ... along the last axis of `rows`, int32."""
    return ops.arange(ops.shape(rows)[-1], dtype="int32")


def _running_maximum(x: Tensor) -> Tensor:
    """The largest value so far, in as many steps as the length has bits.

    Keras has no cumulative maximum. `x` is not negative and begins with 0.
    """
    bits = (length_at_most(x) - 1).bit_length()
    for step in (2**bit for bit in range(bits)):
        earlier = ops.concatenate([x[:, :step], x[:, :-step]], axis=-1)
        x = ops.maximum(x, earlier)
    return x

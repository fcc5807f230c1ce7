"""The number of ranks that a ranking computes."""

from __future__ import annotations

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.types import Tensor


def ranks_that_count(k: int | None) -> int | None:
    """Return `k`, or None for all ranks if `k` exceeds any possible length."""
    return None if k is None or k >= MANY else k


def depth_beyond(k: int | None, items: int | Tensor = MANY) -> int | Tensor:
    """Return a depth of more than `k`, at most the number of items.

    It is the next of 11, 101, 1001, ..., so metrics of the usual cutoffs use
    the same `top_k`, and a compiler computes it once. One rank more than `k`
    shows whether a tie group extends beyond.
    """
    if k is None:
        return items
    cutoff = 10
    while cutoff < k:
        cutoff *= 10
    return at_most(min(cutoff + 1, MANY), items)


def most_of(numbers: Tensor, reason: str) -> int | Tensor:
    """Return the largest of several numbers of ranks, as an int if concrete.

    Args:
        numbers: of ranks.
        reason: what needs so many ranks, for the error.

    Raises:
        ValueError: if jax is tracing: it must know all shapes.
    """
    most = ops.cast(ops.max(numbers), "int32")
    try:
        return int(most)
    except TypeError as error:  # it is traced
        if keras.config.backend() != "jax":
            return most
        raise ValueError(
            f"{reason}, and jax cannot compile for a number that it does not "
            "know. Give the metric a `k`, or call it outside of `jax.jit`."
        ) from error


def at_most(depth: int | Tensor, items: int | Tensor) -> int | Tensor:
    """Return the smaller value, as an int if both are ints."""
    if isinstance(depth, int) and isinstance(items, int):
        return min(depth, items)
    return ops.minimum(depth, items)

"""What can be seen of a tensor now, and what only when a program runs."""

from __future__ import annotations

from keras_rankmetrics.types import Tensor

MANY = 2**31 - 1  # no axis is longer, and no rank is further down


def known(predicate: Tensor) -> bool | None:
    """The value of a bool scalar; None where it is traced and has none yet."""
    try:
        return bool(predicate)
    # TensorFlow and jax raise a TypeError, torch for its tensors without
    # content a RuntimeError, of which NotImplementedError is one.
    except (TypeError, RuntimeError):
        return None


def length_at_most(x: Tensor) -> int:
    """The length of the last axis of `x`, or the most that it can be."""
    return x.shape[-1] or MANY

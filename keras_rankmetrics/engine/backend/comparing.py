"""Comparisons as numbers, in one pass over the memory where that can be.

On torch a comparison and a cast are two passes, and the second takes new memory
of the size of `x`. That is a third of the time of a catalogue.
"""

from __future__ import annotations

import operator

import keras
from keras import ops

from keras_rankmetrics.types import Tensor


def at_least(x: Tensor, threshold: float) -> Tensor:
    """1 where `x` is at least that, else 0, in the dtype of `x`."""
    return _as_numbers("ge", x, threshold)


def above(x: Tensor, threshold: float) -> Tensor:
    """1 where `x` is above that, else 0, in the dtype of `x`."""
    return _as_numbers("gt", x, threshold)


def _as_numbers(name: str, x: Tensor, threshold: float) -> Tensor:
    if keras.config.backend() == "torch":
        import torch

        if isinstance(x, torch.Tensor):
            x = x.detach()
            compare = getattr(torch, name)
            return compare(x, threshold, out=torch.empty_like(x))
    return ops.cast(getattr(operator, name)(x, threshold), x.dtype)

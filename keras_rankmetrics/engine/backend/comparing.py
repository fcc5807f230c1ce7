"""Comparisons as numbers, in one pass over the memory where that can be."""

from __future__ import annotations

import keras
from keras import ops

from keras_rankmetrics.types import Tensor


def at_least(x: Tensor, threshold: float) -> Tensor:
    """1 where `x` is at least that, else 0, in the dtype of `x`.

    On torch a comparison and a cast are two passes, and the second takes new
    memory of the size of `x`. That is a third of the time of a catalogue.
    """
    if keras.config.backend() == "torch":
        import torch

        if isinstance(x, torch.Tensor):
            x = x.detach()
            return torch.ge(x, threshold, out=torch.empty_like(x))
    return ops.cast(x >= threshold, x.dtype)

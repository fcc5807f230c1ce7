"""The highest values of each row: the `top_k` of Keras, and faster on torch.

On a CPU, numpy selects and sorts in registers what torch compares one by one.
With their places it does so for keys: the bits of a float in the order of the
floats, above the place. Keys take twice the memory, so that in long rows, most
of which is thrown away, torch is faster.
"""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from keras_rankmetrics.types import Tensor

_HALF = 32  # bits, of a key of 64
_LONG = 512


def top_k(rows: Tensor, k: int | Tensor) -> tuple[Tensor, Tensor]:
    """The highest `k` values of each row, best first, and where they stand.

    Args:
        rows: `[rows, values]`, without NaN.
        k: at most as many as a row has.
    """
    if keras.config.backend() == "torch":
        return _top_k_on_torch(rows, k)
    values, places = ops.top_k(rows, k)
    return values, places


def highest(rows: Tensor, k: int | Tensor) -> Tensor:
    """The highest `k` values of each row, best first.

    Args:
        rows: `[rows, values]`.
        k: at most as many as a row has.
    """
    array = _in_numpy(rows)
    if array is None:
        return ops.top_k(rows, k)[0]
    import torch

    array = array.copy()
    start = array.shape[-1] - int(k)
    array.partition(start, axis=-1)
    best = array[:, start:]
    best.sort(axis=-1)
    return torch.from_numpy(best[:, ::-1].copy())


def _top_k_on_torch(rows: Any, k: Any) -> tuple[Any, Any]:
    import torch

    width = rows.shape[-1]
    if rows.dtype != torch.float32 or width > _LONG or _in_numpy(rows) is None:
        values, places = torch.topk(rows, k)
        return values, places
    bits = rows.contiguous().view(torch.int32)
    # Of negative floats, the larger ones have the smaller bits.
    in_order = bits ^ ((bits >> (_HALF - 1)) & (2 ** (_HALF - 1) - 1))
    # Of equal ones, the first is the highest.
    places = torch.arange(width - 1, -1, -1, dtype=torch.int64)
    keys = (in_order.to(torch.int64) << _HALF) | places
    keys.numpy().sort(axis=-1)
    places = width - 1 - (keys[:, width - k :].flip(-1) & (2**_HALF - 1))
    return torch.gather(rows, -1, places), places


def _in_numpy(rows: Any) -> Any:
    """The memory of a tensor of torch as an array, or None if it has none."""
    if keras.config.backend() != "torch":
        return None
    import torch

    if rows.device.type != "cpu" or torch.compiler.is_compiling():
        return None
    try:
        return rows.numpy()
    except (RuntimeError, TypeError):  # as in `torch.vmap`
        return None

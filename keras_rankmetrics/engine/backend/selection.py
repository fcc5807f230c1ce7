"""The highest values of each row: the `top_k` of Keras, and faster on torch.

On a CPU, numpy sorts in registers what torch compares one by one. With their
places it does so for keys: the bits of a float in the order of the floats,
above the place. In long rows, most of which is thrown away, torch is as fast,
and it uses all threads.
"""

from __future__ import annotations

from collections.abc import Callable
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
    if keras.config.backend() == "torch":
        return _highest_on_torch(rows, k)
    return ops.top_k(rows, k)[0]


def _top_k_on_torch(rows: Any, k: Any) -> tuple[Any, Any]:
    import torch

    width = rows.shape[-1]
    keys = None
    if rows.dtype == torch.float32 and width <= _LONG:
        keys = _in_numpy(lambda: _keys_of(rows))
    if keys is None:
        values, places = torch.topk(rows, k)
        return values, places
    keys.sort(axis=-1)
    best = torch.from_numpy(keys)[:, width - k :].flip(-1)
    places = width - 1 - (best & (2**_HALF - 1))
    return torch.gather(rows, -1, places), places


def _highest_on_torch(rows: Any, k: Any) -> Any:
    import torch

    values = _in_numpy(rows.clone) if rows.shape[-1] <= _LONG else None
    if values is None:
        return torch.topk(rows, k)[0]
    values.sort(axis=-1)
    return torch.from_numpy(values)[:, values.shape[-1] - k :].flip(-1)


def _keys_of(rows: Any) -> Any:
    """Integers in the order of floats, the first of equal ones the highest."""
    import torch

    bits = rows.contiguous().view(torch.int32)
    # Of negative floats, the larger ones have the smaller bits.
    in_order = bits ^ ((bits >> (_HALF - 1)) & (2 ** (_HALF - 1) - 1))
    width = rows.shape[-1]
    places = torch.arange(
        width - 1, -1, -1, dtype=torch.int64, device=rows.device
    )
    return (in_order.to(torch.int64) << _HALF) | places


def _in_numpy(compute: Callable[[], Any]) -> Any:
    """The memory of a new tensor as an array, or None where it has none.

    It must be new: torch no longer says of what numpy has seen whether the user
    shares it with numpy.
    """
    import torch

    if torch.compiler.is_compiling():
        return None
    try:
        tensor = compute()
        return tensor.numpy() if tensor.device.type == "cpu" else None
    except (RuntimeError, TypeError):  # as in `torch.vmap`
        return None

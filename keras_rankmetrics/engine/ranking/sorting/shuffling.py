"""A random order of the items of each list, the same one on every backend.

`keras.random` draws other numbers on each backend, and takes no seed that is a
tensor. Here the draw is a small integer hash of the seed, the number of the
draw, the list and the item, in plain operations.
"""

from __future__ import annotations

import zlib

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# The hash works on 24 bits: float32 holds them exactly, and XLA's fast `top_k`
# is for floats.
_BITS = 24
_MASK = 2**_BITS - 1


def shuffle_keys(like: Tensor, seed: int, draw: Tensor) -> Tensor:
    """Keys that put the items of each list into a random order.

    No two items of a list get the same key (for up to 2 ** 24 items).

    Args:
        like: `[lists, items]`, for its shape alone.
        seed: what the sequence of draws depends on.
        draw: int32 scalar, the number of the draw.

    Returns:
        float32 `[lists, items]`.
    """
    lists, items = ops.shape(like)
    row = ops.arange(lists, dtype="int32")[:, None]
    item = ops.arange(items, dtype="int32")[None, :]
    start = zlib.crc32(str(seed).encode()) & _MASK
    batch = _mixed(ops.cast(draw, "int32") + start)
    stream = _mixed(row + batch)
    # Each step maps the 24-bit numbers one to one, so items stay distinct.
    keys = _mixed(_mixed(ops.bitwise_xor(item, stream)) + _mixed(stream + 1))
    return ops.cast(keys, "float32")


def _mixed(x: Tensor) -> Tensor:
    """A one-to-one map of the 24-bit integers that leaves no pattern."""
    for multiplier in (0x6F4F2B, 0x5A3C69):
        x = ops.bitwise_and(x, _MASK)
        x = ops.bitwise_xor(x, ops.right_shift(x, 13))
        x = ops.bitwise_and(x * multiplier, _MASK)
    return ops.bitwise_xor(x, ops.right_shift(x, 11))

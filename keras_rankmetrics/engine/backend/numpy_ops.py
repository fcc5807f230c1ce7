"""What the numpy backend of Keras does slowly, or in an order of its own.

Nobody trains with it. The command computes with it, since it compiles nothing.
"""

from __future__ import annotations

import numpy as np

_FEW = 4  # at most one in so many values is taken: then a sort costs more


def argsort(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The order of the values, equal ones as they stand, as elsewhere."""
    return np.argsort(x, axis=axis, kind="stable").astype("int32")


def top_k(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The highest values, best first, and where they stand.

    Equal integers stand as they did; equal floats in any order, as on torch.
    """
    width = x.shape[-1]
    if x.dtype.kind in "iub":
        order = np.argsort(x[..., ::-1], axis=-1, kind="stable")
        order = width - 1 - order[..., : -k - 1 : -1]
    elif k * _FEW < width:
        order = np.argpartition(x, width - k, axis=-1)[..., width - k :]
        best = np.argsort(-np.take_along_axis(x, order, axis=-1), axis=-1)
        order = np.take_along_axis(order, best, axis=-1)
    else:
        order = np.argsort(-x, axis=-1)[..., :k]
    return np.take_along_axis(x, order, axis=-1), order.astype("int32")

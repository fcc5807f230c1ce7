"""What other libraries hold numbers in, as what Keras converts."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import ops


def as_array_or_lists(x: Any) -> Any:
    """An array in place of what numpy can read, lists in place of objects.

    What numpy cannot read, and tensors of the backend, stay as they are. So
    does all that holds no numbers; whoever converts it raises.

    Raises:
        TypeError: if it is a masked array that hides something.
    """
    if hides(x) or (isinstance(x, list | tuple) and any(map(hides, x))):
        raise TypeError("The mask of a masked array is not read.")
    if (
        isinstance(x, list | tuple | keras.KerasTensor)
        or ops.is_tensor(x)
        or not hasattr(x, "__array__")
    ):
        return x
    if hasattr(x, "detach"):  # a tensor of torch, maybe with a gradient
        x = x.detach().cpu()
    array = np.asarray(x)
    if array.dtype.kind == "O":
        return array.tolist()
    return native(array)


def native(array: np.ndarray) -> np.ndarray:
    """In a dtype that all backends have, if there is one that holds it."""
    if array.dtype == "uint64" and np.all(array < 2**63):
        return array.astype("int64")  # torch has no operations of uint64
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def hides(x: Any) -> bool:
    """Whether it is a masked array of numpy that hides a number."""
    return isinstance(x, np.ma.MaskedArray) and bool(np.ma.is_masked(x))

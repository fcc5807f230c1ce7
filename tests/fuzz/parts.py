"""The arrays of a batch, as they are drawn, stored and passed."""

import dataclasses
from typing import Any

import keras
import numpy as np
from keras import ops


@dataclasses.dataclass(frozen=True)
class Part:
    """An array of some dtype.

    Attributes:
        values: of numpy; float32 where the dtype is bfloat16.
        dtype: the name of the dtype.
    """

    values: np.ndarray
    dtype: str

    @classmethod
    def of(cls, values: Any, dtype: str) -> "Part":
        if dtype != "bfloat16":
            return cls(np.asarray(values).astype(dtype), dtype)
        # The upper half of a float32.
        bits = np.asarray(values, "float32").view("uint32")
        return cls((bits & np.uint32(0xFFFF0000)).view("float32"), dtype)

    def passed(self, how: str) -> Any:
        """As an array, a tensor of the backend, or lists of lists."""
        if how == "lists":
            return self.values.tolist()
        if self.dtype == "bfloat16":
            return ops.cast(self.values, "bfloat16")
        return (
            ops.convert_to_tensor(self.values)
            if how == "tensors"
            else (self.values.copy())
        )

    def seen(self, how: str) -> np.ndarray:
        """What the backend makes of it: jax has no numbers of 64 bits."""
        if how == "lists":
            values = ops.convert_to_tensor(self.values.tolist())
            return ops.convert_to_numpy(values).reshape(self.values.shape)
        if keras.backend.backend() != "jax" or self.dtype == "bfloat16":
            return self.values
        return ops.convert_to_numpy(ops.convert_to_tensor(self.values))

    def of_list(self, index: int) -> "Part":
        """Of that list alone."""
        return Part(self.values[index : index + 1], self.dtype)

    def as_json(self) -> dict[str, Any]:
        return {
            "dtype": self.dtype,
            "shape": list(self.values.shape),
            "values": self.values.ravel().tolist(),
        }

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> "Part":
        held = stored["dtype"]
        numpy_dtype = "float32" if held == "bfloat16" else held
        values = np.array(stored["values"], numpy_dtype)
        return cls(values.reshape(stored["shape"]), held)

"""Functions that a user plugs in, called so that errors help."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from keras import ops

from keras_rankmetrics.types import Tensor


@dataclasses.dataclass(frozen=True)
class Elementwise:
    """The function, with an error that helps where it is not elementwise.

    Attributes:
        function: receives a tensor.
        argument: the name under which the user passed it.
    """

    function: Callable[..., Any]
    argument: str

    def __call__(self, x: Tensor) -> Tensor:
        """What the function makes of `x`, in the dtype of `x`."""
        try:
            result = ops.cast(ops.convert_to_tensor(self.function(x)), x.dtype)
        except Exception as error:
            raise ValueError(
                f"`{self.argument}` should work elementwise on a tensor: take "
                "one argument, and use `keras.ops` rather than `math`. "
                f"Received: {self.function!r}, which raised "
                f"{type(error).__name__}: {error}"
            ) from error
        if tuple(result.shape) not in ((), tuple(x.shape)):
            raise ValueError(
                f"`{self.argument}` should work elementwise on a tensor. "
                f"Received: {self.function!r}, which makes the shape "
                f"{tuple(result.shape)} of the shape {tuple(x.shape)}."
            )
        return result

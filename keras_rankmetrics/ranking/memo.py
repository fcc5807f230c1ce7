"""`Memo`: what has been computed of a ranking, to be computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from keras_rankmetrics.types import Tensor


class Memo:
    """Tensors by what they are.

    What is first asked for in a branch of `ops.cond` stays in that branch, as
    all tensors that are made there do.
    """

    def __init__(self) -> None:
        self._tensors: dict[Hashable, Tensor] = {}

    def once(self, key: Hashable, compute: Callable[[], Tensor]) -> Tensor:
        """What `compute()` returned when this key was first asked for."""
        if key not in self._tensors:
            self._tensors[key] = compute()
        return self._tensors[key]

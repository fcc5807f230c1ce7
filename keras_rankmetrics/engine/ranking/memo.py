"""Cached results, and the keys that identify functions and tensors."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from keras import ops

from keras_rankmetrics.engine.backend.tracing import trace
from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.types import Tensor

_MISSING = object()

Method = TypeVar("Method", bound=Callable[..., Any])


class Memo(dict[Hashable, Any]):
    """The results of the `remembered` methods of an object.

    Attributes:
        trace: the trace in which results are added.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trace: Hashable = trace()


def remembered(*attributes: str) -> Callable[[Method], Method]:
    """Cache the results of a method on its object.

    A result computed in a branch is not stored, as `tracing.trace` explains.

    Args:
        *attributes: names of the attributes on which the result depends, in
            addition to the arguments.
    """

    def decorate(method: Method) -> Method:
        @functools.wraps(method)
        def once(self: Any, *args: Any, **named: Any) -> Any:
            of = [getattr(self, name) for name in attributes]
            values = map(key_of, (*of, *args, *named.values()))
            key, memo = (method.__qualname__, *named, *values), self._memo
            result = memo.get(key, _MISSING)
            if result is _MISSING:
                result = method(self, *args, **named)
                if memo.trace == trace():
                    memo[key] = result
            return result

        return cast(Method, once)

    return decorate


def key_of(x: Any) -> Hashable:
    """Return a key for `x`.

    Numbers and relevances are compared by value, tensors and functions by
    identity, a wrapped function by that of the user's function.
    """
    if x is None or isinstance(x, int | Relevance):
        return x
    return Identity(x.function if isinstance(x, Elementwise) else x)


class Identity:
    """A key that is equal to another one only for the same object.

    The object need not be hashable or comparable.
    """

    def __init__(self, of: Any) -> None:
        # Keeps the object alive, so that no other one receives its id.
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)


@dataclasses.dataclass(frozen=True, eq=False)
class Elementwise:
    """A user's function, with a clear error if it is not elementwise.

    Attributes:
        function: takes a tensor.
        argument: the name of the argument by which the user passed it.
    """

    function: Callable[..., Any]
    argument: str

    def __call__(self, x: Tensor) -> Tensor:
        """Return the function's result in the dtype of `x`.

        Raises:
            ValueError: if the function raises, or returns another shape.
        """
        try:
            result = ops.cast(ops.convert_to_tensor(self.function(x)), x.dtype)
        except Exception as error:  # functions of users may raise anything
            raise ValueError(
                f"`{self.argument}` should work elementwise on a tensor: take "
                "one argument, and use `keras.ops` rather than `math`. "
                f"Received: {self.function!r}, which raised "
                f"{type(error).__name__}: {error}"
            ) from error
        if tuple(result.shape) not in ((), tuple(x.shape)):
            raise ValueError(
                f"`{self.argument}` should work elementwise on a tensor. "
                f"Received: {self.function!r}, which returns the shape "
                f"{tuple(result.shape)} for the shape {tuple(x.shape)}."
            )
        return result

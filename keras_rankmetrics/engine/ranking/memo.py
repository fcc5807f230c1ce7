"""Results kept once computed, and functions with a stable identity."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from keras import ops

from keras_rankmetrics.engine.ranking.relevance import Relevance
from keras_rankmetrics.types import Tensor

# Functions that users plug in: how they are called and told apart.


@dataclasses.dataclass(frozen=True, eq=False)
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


class Identity:
    """An object as a key, told apart from every other object.

    Whether the object can be hashed or compared, and what it then says, does
    not matter.
    """

    def __init__(self, of: Any) -> None:
        self.of = of  # which also keeps its identity from being given away

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.of is other.of

    def __hash__(self) -> int:
        return id(self.of)


def key_of(x: Any) -> Hashable:
    """What tells `x` from others, as a key.

    Numbers and relevances are what they say. Tensors and functions are told
    apart by identity; of a wrapped function, by that of the user's.
    """
    if x is None or isinstance(x, int | Relevance):
        return x
    return Identity(x.function if isinstance(x, Elementwise) else x)


# `Memo`: what has been computed of a ranking, to be computed once.

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])


class Memo:
    """Tensors by what they are.

    A tensor that is made in a branch of `ops.cond` belongs there: whoever may
    ask from a branch first must have the memo `for_reading`.
    """

    def __init__(self) -> None:
        self._tensors: dict[Hashable, Any] = {}

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute()` returned when this key was first asked for."""
        if key not in self._tensors:
            self._tensors[key] = compute()
        return self._tensors[key]

    def for_reading(self) -> Memo:
        """The same tensors, to which nothing is added."""
        return _ReadOnly(self)


class _ReadOnly(Memo):
    def __init__(self, memo: Memo) -> None:
        self._tensors = memo._tensors

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        return self._tensors[key] if key in self._tensors else compute()


def remembered(*attributes: str) -> Callable[[Method], Method]:
    """For methods of what has a `_memo`: computed once for the same arguments.

    Args:
        *attributes: those that the result depends on besides.
    """

    def decorate(method: Method) -> Method:
        @functools.wraps(method)
        def once(self: Any, *args: Any, **named: Any) -> Any:
            of = [getattr(self, name) for name in attributes]
            values = map(key_of, (*of, *args, *named.values()))
            return self._memo.once(
                (method.__qualname__, *named, *values),
                lambda: method(self, *args, **named),
            )

        return cast(Method, once)

    return decorate

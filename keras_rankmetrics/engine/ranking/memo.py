"""`Memo`: what has been computed of a ranking, to be computed once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from keras_rankmetrics.engine.ranking.functions import key_of

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

"""`Memo`: what has been computed of a ranking, to be computed once.

Its keys tell functions apart by `Identity`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])


class Identity:
    """An object as a key, told apart from every other object.

    Whether the object can be hashed or compared, and what it then says, does
    not matter.
    """

    def __init__(self, of: Any) -> None:
        self._of = of  # which also keeps its identity from being given away

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._of is other._of

    def __hash__(self) -> int:
        return id(self._of)


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
        def once(self: Any, *args: Hashable) -> Any:
            of = (getattr(self, name) for name in attributes)
            return self._memo.once(
                (method.__qualname__, *of, *args), lambda: method(self, *args)
            )

        return cast(Method, once)

    return decorate

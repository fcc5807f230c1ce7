"""Labels as gains, and results that are cached for each gain.

A gain says which items are relevant, or which are judged. Its function may come
from the user.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable
from typing import Annotated, Any, TypeVar, cast

import keras

from keras_rankmetrics.engine.backend.operations import above, at_least, ops
from keras_rankmetrics.engine.backend.tracing import trace
from keras_rankmetrics.gains import exponential_gain, linear_gain
from keras_rankmetrics.types import UNJUDGED, Between, GainFn, Tensor, Within

_MISSING = object()

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True)
class Relevance:
    """The gain of each label for a metric.

    Attributes:
        gain: a function of labels from 0; its results for others are ignored.
        unseen_label: the label of a relevant item that the input does not
            contain.
        key: relevances with the same key are equal.
        is_binary: True if gains are 0 or 1, and 0 for labels below 0.
        grows_from_0: True if gains are above 0 exactly where labels are.
    """

    gain: GainFn = dataclasses.field(default=linear_gain, compare=False)
    unseen_label: float = 1.0
    key: Hashable = None
    is_binary: bool = False
    grows_from_0: bool = False

    @classmethod
    def from_grade(cls, grade: int) -> Relevance:
        """Return the relevance with gain 1 for labels from a grade, else 0."""
        return cls(
            functools.partial(relevant, relevance_threshold=float(grade)),
            key=("from grade", grade),
            is_binary=True,
        )

    def __call__(self, labels: Tensor) -> Tensor:
        """Return the gain of each label, in the dtype of the labels.

        It is 0 for labels below 0, which mean no item.
        """
        gains = ops.cast(self.gain(labels), labels.dtype)
        return gains if self.is_binary else ops.where(labels >= 0, gains, 0)

    def of_either(
        self, is_one: Tensor, one: float, other: float, dtype: str
    ) -> Tensor:
        """Return the gain of label `one` where `is_one`, else of `other`."""
        labels = (label * ops.ones((1,), dtype) for label in (one, other))
        return ops.where(is_one, *map(self, labels))

    def of_unseen(self, like: Tensor) -> Tensor:
        """Return the gain of an unseen item, in the shape of `like`."""
        return self(ops.full_like(like, self.unseen_label))

    def as_binary(self) -> Relevance:
        """Return the relevance with gain 1 where this one is above 0."""
        if self.is_binary:
            return self
        return dataclasses.replace(
            self,
            gain=_above_0 if self.grows_from_0 else self._has_gain,
            key="above 0" if self.grows_from_0 else ("binary", self.key),
            is_binary=True,
        )

    def _has_gain(self, labels: Tensor) -> Tensor:
        return (self.gain(labels) > 0) & (labels >= 0)


def _above_0(labels: Tensor) -> Tensor:
    return above(labels, 0.0)


# A label from 0 is a grade. A label below 0 means that there is no item, except
# for `UNJUDGED`: an item that nobody has judged, which has no gain.


def exists(labels: Tensor) -> Tensor:
    """Return True for labels of items, judged or not."""
    return (labels >= 0) | (labels == UNJUDGED)


# Relevance functions, from labels to gains. `Relevance` sets the gains of
# negative labels, which mark no item, to 0.


def relevant(label: Tensor, relevance_threshold: float = 1.0) -> Tensor:
    """Return 1 where label >= relevance_threshold and label >= 0, else 0."""
    return at_least(label, max(relevance_threshold, 0.0))


def labelled(label: Tensor) -> Tensor:
    """Return 1 where `label >= 1`, else 0: for metrics without a threshold."""
    return at_least(label, 1.0)


def gain(label: Tensor, gain_fn: GainFn = exponential_gain) -> Tensor:
    """Return `gain_fn(label)`."""
    return gain_fn(label)


ROUNDED_1 = 1.0 + 2.0**-21  # four steps of float32 above 1


def probability(label: Tensor) -> Tensor:
    """Return the label, a probability of relevance; inf for labels above 1.

    It is 1 for a 1 that float32 has rounded up.
    """
    clipped = ops.minimum(label, 1.0)
    return ops.where(label > ROUNDED_1, float("inf"), clipped)


def stop_probability(
    label: Tensor, max_grade: Annotated[float, Between(0)] = 4.0
) -> Tensor:
    """Return `(2 ** label - 1) / 2 ** max_grade`, inf for labels above it."""
    probability = exponential_gain(label) / 2.0**max_grade
    return ops.where(label > max_grade, float("inf"), probability)


def satisfaction(
    label: Tensor,
    alpha: Annotated[float, Between(0, 1)] = 0.5,
    relevance_threshold: float = 1.0,
) -> Tensor:
    """Return `alpha` where `label >= relevance_threshold`, else 0."""
    return alpha * ops.cast(relevant(label, relevance_threshold), label.dtype)


QUARTERS = (0.25, 0.25, 0.25, 0.25)


def relevance_probability(
    label: Tensor,
    probabilities: Annotated[tuple[float, ...], Within(0)] = QUARTERS,
) -> Tensor:
    """Return the sum of the probabilities of the grades up to the label."""
    total = ops.zeros_like(label)
    for grade, probability in enumerate(probabilities, start=1):
        is_relevant = ops.cast(relevant(label, float(grade)), label.dtype)
        total = total + probability * is_relevant
    return total


def judged(label: Tensor) -> Tensor:
    """Return 1 for every item: an unjudged one has a label below 0."""
    return ops.ones_like(label)


# Cached results, and the keys that identify functions and tensors.


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
            result = self.function(x)
            result = keras.ops.cast(
                keras.ops.convert_to_tensor(result), x.dtype
            )
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

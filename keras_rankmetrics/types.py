"""Types shared by the modules of the package.

`Tensor` stands for the tensor type of the Keras backend. The protocols define
what a pluggable function receives and returns, and the `Literal`s list the
policies that metrics accept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

Tensor: TypeAlias = Any
TensorFn: TypeAlias = Callable[..., Tensor]

TiePolicy: TypeAlias = Literal[
    "average", "shuffle", "stable", "pessimistic", "optimistic"
]
EmptyPolicy: TypeAlias = Literal["zero", "one", "skip"]
ListWeight: TypeAlias = Literal["relevance", "mean"]
Adjustment: TypeAlias = Literal["chance"] | None
Labels: TypeAlias = Literal["grades", "probabilities"]
UnjudgedPolicy: TypeAlias = Literal["irrelevant", "condense"]
InputForm: TypeAlias = Literal["scores", "sparse", "ids", "counts"]
# What some metrics read in place of labels: labels by subtopic, reference
# scores and clicks are forms of "scores", and reference ids a form of "ids".
Truth: TypeAlias = Literal["subtopics", "two_rankings", "clicks"]
Reading: TypeAlias = InputForm | Truth | Literal["two_id_rankings"]


UNJUDGED = -2
"""The label of an item that is ranked but not judged."""


class Between(NamedTuple):
    """Annotation: a number above `low` and below `high`."""

    low: float
    high: float = math.inf

    def __str__(self) -> str:
        below = "" if self.high == math.inf else f" and below {self.high:g}"
        return f"above {self.low:g}{below}"

    def holds(self, number: float) -> bool:
        """Return True if the number is in the range."""
        return self.low < number < self.high


class Within(NamedTuple):
    """Annotation: a finite number from `low` to `high`, both included."""

    low: float
    high: float = math.inf

    def __str__(self) -> str:
        to = "on" if self.high == math.inf else f"to {self.high:g}"
        return f"from {self.low:g} {to}"

    def holds(self, number: float) -> bool:
        """Return True if the number is in the range."""
        return self.low <= number <= self.high and math.isfinite(number)


class Whole(NamedTuple):
    """Annotation: an integer of at least `low`."""

    low: int = 1


class OfItems(NamedTuple):
    """Annotation: numbers for each item of a catalogue, in catalogue order.

    Attributes:
        what: the meaning of the numbers, for error messages.
        low: the lowest allowed number.
        high: the highest allowed number.
        above: an exclusive lower bound.
        dimensions: 1 for one number per item, 2 for a row of numbers.
        each: the unit of the first axis, for error messages.
    """

    what: str
    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    dimensions: int = 1
    each: str = "item of the catalogue"


class GainFn(Protocol):
    """A function from labels to gains.

    Elementwise: it receives labels of any shape, as floats, and returns gains
    of the same shape. Gains must not be negative and must not decrease as
    labels grow, so that the ideal order is that of the labels.

    >>> import keras_rankmetrics as krm
    >>> def square(label):
    ...     return label**2
    >>> float(krm.DCG(k=1, gain_fn=square)([[3, 0]], [[0.9, 0.1]]))
    9.0

    Stability: stable.
    """

    def __call__(self, label: Tensor, /) -> Tensor:
        """Return the gains of the labels."""


class GroupFn(Protocol):
    """A function from inputs to the group of each list.

    It receives `y_true` and `y_pred` as they were passed (tensors in `fit`) and
    returns an integer from 0 for each list.

    >>> import keras_rankmetrics as krm
    >>> def by_number_of_items(y_true, y_pred):
    ...     return [int(len(labels) > 2) for labels in y_true]
    >>> groups = ["short", "long"]
    >>> by_length = krm.Sliced(krm.NDCG(), groups, by=by_number_of_items)
    >>> by_length.update_state([[1, 0], [0, 1, 0]], [[2, 1], [3, 2, 1]])
    >>> sorted(by_length.result())
    ['ndcg', 'ndcg/long', 'ndcg/short']
    """

    def __call__(self, y_true: Any, y_pred: Any, /) -> Tensor:
        """Return the groups of the lists."""


class RankDiscountFn(Protocol):
    """A function from ranks to discounts.

    Elementwise: it receives ranks, as floats starting at 1, and returns the
    factors by which gains at these ranks are multiplied. They must be
    finite, and must not grow with the rank, but for sums over clicks.

    >>> import keras_rankmetrics as krm
    >>> def halved(rank):
    ...     return 2.0 ** (1.0 - rank)
    >>> float(krm.DCG(rank_discount_fn=halved)([[0, 1]], [[0.9, 0.1]]))
    0.5

    Stability: stable.
    """

    def __call__(self, rank: Tensor, /) -> Tensor:
        """Return the discounts of the ranks."""

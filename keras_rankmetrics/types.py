"""The types that the package's modules share.

`Tensor` stands for whatever the Keras backend calls a tensor. The protocols
say what a pluggable function receives and returns, and the `Literal`s name the
policies that metrics accept.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

Tensor: TypeAlias = Any

TiePolicy: TypeAlias = Literal[
    "average", "shuffle", "stable", "pessimistic", "optimistic"
]
EmptyPolicy: TypeAlias = Literal["zero", "one", "skip"]
ListWeight: TypeAlias = Literal["relevance", "mean"]
Adjustment: TypeAlias = Literal["chance"] | None
UnjudgedPolicy: TypeAlias = Literal["irrelevant", "condense"]
InputForm: TypeAlias = Literal["scores", "sparse", "ids", "counts"]
# Labels by subtopic are another form of "scores", which the metric asks for.
Reading: TypeAlias = InputForm | Literal["subtopics"]


UNJUDGED = -2
"""The label of an item that is ranked, and that nobody has judged."""


class Between(NamedTuple):
    """In an annotation: a number above `low` and below `high`."""

    low: float
    high: float = math.inf

    def __str__(self) -> str:
        below = "" if self.high == math.inf else f" and below {self.high:g}"
        return f"above {self.low:g}{below}"

    def holds(self, number: float) -> bool:
        """Whether the number is one of these."""
        return self.low < number < self.high


class Within(NamedTuple):
    """In an annotation: a finite number from `low` to `high`, or these."""

    low: float
    high: float = math.inf

    def __str__(self) -> str:
        to = "on" if self.high == math.inf else f"to {self.high:g}"
        return f"from {self.low:g} {to}"

    def holds(self, number: float) -> bool:
        """Whether the number is one of these."""
        return self.low <= number <= self.high and math.isfinite(number)


class Whole(NamedTuple):
    """In an annotation: a whole number from `low` on."""

    low: int = 1


class OfItems(NamedTuple):
    """In an annotation: numbers for each item of a catalogue, in its order.

    Attributes:
        what: what they are, for errors.
        low: the lowest that they may be.
        high: the highest.
        above: they must be above that.
        dimensions: 1 for a number, 2 for a row of them.
        each: what there is a number, or a row, for.
    """

    what: str
    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    dimensions: int = 1
    each: str = "item of the catalogue"


class GainFn(Protocol):
    """What an item of a given label is worth.

    Elementwise: it receives labels of any shape, as floats, and returns gains
    of the same shape. It must not decrease as the label grows and must not be
    negative; the ideal order is then that of the labels.

    >>> import keras_rankmetrics as krm
    >>> def square(label):
    ...     return label**2
    >>> float(krm.DCG(k=1, gain_fn=square)([[3, 0]], [[0.9, 0.1]]))
    9.0
    """

    def __call__(self, label: Tensor, /) -> Tensor:
        """The gains of the labels."""


class GroupFn(Protocol):
    """Which group each list belongs to.

    It receives `y_true` and `y_pred` as they were passed, tensors in `fit`, and
    returns an integer for each list, from 0.

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
        """The groups of the lists."""


class RankDiscountFn(Protocol):
    """What an item at a given rank counts for.

    Elementwise: it receives ranks, as floats that start at 1, and returns
    their discounts, by which gains are multiplied.

    >>> import keras_rankmetrics as krm
    >>> def halved(rank):
    ...     return 2.0 ** (1.0 - rank)
    >>> float(krm.DCG(rank_discount_fn=halved)([[0, 1]], [[0.9, 0.1]]))
    0.5
    """

    def __call__(self, rank: Tensor, /) -> Tensor:
        """The discounts of the ranks."""

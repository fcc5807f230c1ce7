"""Gain and rank-discount functions, registered with Keras by name.

Any callable that follows `keras_rankmetrics.types.GainFn` or `RankDiscountFn`
can be used in their place. A function of your own survives saving where it is
registered:

>>> import keras
>>> from keras import ops
>>> @keras.saving.register_keras_serializable("my_package")
... def cubic_gain(label):
...     return label**3

Example:
    >>> from keras_rankmetrics import exponential_gain, log2_discount
    >>> [float(gain) for gain in exponential_gain(ops.array([0.0, 1.0, 2.0]))]
    [0.0, 1.0, 3.0]
    >>> [round(float(d), 4) for d in log2_discount(ops.array([1.0, 2.0, 3.0]))]
    [1.0, 0.6309, 0.5]
"""

from __future__ import annotations

import math
from typing import Annotated

import keras
from keras import ops

from keras_rankmetrics.engine.backend.operations import at_least
from keras_rankmetrics.types import Between, GainFn, Tensor, Within

PACKAGE = "keras_rankmetrics"

_register = keras.saving.register_keras_serializable(package=PACKAGE)


@_register
def exponential_gain(label: Tensor) -> Tensor:
    """`2 ** label - 1`, after Burges et al. (2005).

    >>> [float(gain) for gain in exponential_gain(ops.array([0.0, 1.0, 2.0]))]
    [0.0, 1.0, 3.0]
    """
    # Not `ops.exp2`, which in a graph of TensorFlow knows float32 alone, and
    # which jax does not make exact.
    return ops.power(2.0, label) - 1.0


@_register
def linear_gain(label: Tensor) -> Tensor:
    """The label itself, after Järvelin and Kekäläinen (2002).

    >>> float(linear_gain(3.0))
    3.0
    """
    return label


THAT_GROW_FROM_0 = (exponential_gain, linear_gain)


@_register
def log2_discount(rank: Tensor) -> Tensor:
    """`1 / log2(rank + 1)`: 1, 0.63, 0.5, 0.43, ...

    >>> [round(float(d), 4) for d in log2_discount(ops.array([1.0, 2.0, 3.0]))]
    [1.0, 0.6309, 0.5]
    """
    return 1.0 / ops.log2(rank + 1.0)


@_register
def natural_log_discount(rank: Tensor) -> Tensor:
    """`1 / ln(rank + 1)`: 1.44, 0.91, 0.72, 0.62, ...

    >>> ranks = ops.array([1.0, 2.0])
    >>> [round(float(d), 4) for d in natural_log_discount(ranks)]
    [1.4427, 0.9102]
    """
    return 1.0 / ops.log(rank + 1.0)


@_register
def original_discount(rank: Tensor) -> Tensor:
    """1 up to rank 2, then `1 / log2(rank)`.

    The discount of Järvelin and Kekäläinen, "Cumulated gain-based evaluation
    of IR techniques", ACM TOIS 20 (2002), with base 2.

    >>> [float(d) for d in original_discount(ops.array([1.0, 2.0, 4.0]))]
    [1.0, 1.0, 0.5]
    """
    return 1.0 / ops.log2(ops.maximum(rank, 2.0))


@_register
def reciprocal_discount(rank: Tensor) -> Tensor:
    """`1 / rank`: 1, 0.5, 0.33, 0.25, ...

    >>> [float(d) for d in reciprocal_discount(ops.array([1.0, 2.0, 4.0]))]
    [1.0, 0.5, 0.25]
    """
    return 1.0 / rank


@_register
def inverse_square_discount(rank: Tensor) -> Tensor:
    """`1 / (rank + 1)²`, over its sum for all ranks: 0.39, 0.17, 0.10, ...

    With it, and `linear_gain` of labels from 0 to 1, DCG is INSQ with T = 1:
    what a user finds who becomes less likely to go on the further down he is,
    Moffat, Scholer and Thomas, ADCS (2012).

    >>> ranks = ops.array([1.0, 2.0, 3.0])
    >>> [round(float(d), 4) for d in inverse_square_discount(ranks)]
    [0.3876, 0.1723, 0.0969]
    """
    return _OVER_ALL_RANKS / (rank + 1.0) ** 2


_OVER_ALL_RANKS = 1.0 / (math.pi**2 / 6.0 - 1.0)

# Finite at every rank, so that metrics of several cutoffs share their values. A
# function of the user is only asked for the ranks that count.
SHARED_DISCOUNTS = (
    log2_discount,
    natural_log_discount,
    original_discount,
    reciprocal_discount,
    inverse_square_discount,
)


# What a label is worth to a metric. A label below 0 stands for no item: whoever
# asks takes that for 0.


def relevant(label: Tensor, relevance_threshold: float = 1.0) -> Tensor:
    """1 where `label >= relevance_threshold`, else 0, and below 0 always."""
    return at_least(label, max(relevance_threshold, 0.0))


def labelled(label: Tensor) -> Tensor:
    """1 where `label >= 1`, else 0: for metrics that do not ask for more."""
    return at_least(label, 1.0)


def gain(label: Tensor, gain_fn: GainFn = exponential_gain) -> Tensor:
    """`gain_fn(label)`."""
    return gain_fn(label)


def chance_to_stop(
    label: Tensor, max_grade: Annotated[float, Between(0)] = 4.0
) -> Tensor:
    """`(2 ** label - 1) / 2 ** max_grade`, inf for labels above `max_grade`."""
    chance = exponential_gain(label) / 2.0**max_grade
    return ops.where(label > max_grade, float("inf"), chance)


def satisfying(
    label: Tensor,
    alpha: Annotated[float, Between(0, 1)] = 0.5,
    relevance_threshold: float = 1.0,
) -> Tensor:
    """The chance `alpha` where `label >= relevance_threshold`, else 0."""
    return alpha * ops.cast(relevant(label, relevance_threshold), label.dtype)


QUARTERS = (0.25, 0.25, 0.25, 0.25)


def chance_to_be_relevant(
    label: Tensor,
    probabilities: Annotated[tuple[float, ...], Within(0)] = QUARTERS,
) -> Tensor:
    """The sum of the probabilities of the grades 1, 2, ... up to the label."""
    chance = ops.zeros_like(label)
    for grade, probability in enumerate(probabilities, start=1):
        is_relevant = ops.cast(relevant(label, float(grade)), label.dtype)
        chance = chance + probability * is_relevant
    return chance


def judged(label: Tensor) -> Tensor:
    """1 for every item that somebody has judged."""
    return ops.ones_like(label)

"""Gain and rank-discount functions, registered with Keras by name.

Any callable that follows `keras_rankmetrics.types.GainFn` or `RankDiscountFn`
can be used in their place. Register your own function with Keras to save a
metric that uses it:

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
from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_rankmetrics.types import GainFn, Tensor

PACKAGE = "keras_rankmetrics"

_register = keras.saving.register_keras_serializable(package=PACKAGE)


@_register
def exponential_gain(label: Tensor) -> Tensor:
    """Return `2 ** label - 1`, after Burges et al. (2005).

    >>> [float(gain) for gain in exponential_gain(ops.array([0.0, 1.0, 2.0]))]
    [0.0, 1.0, 3.0]

    Stability: stable.
    """
    # Not `ops.exp2`: it supports only float32 in a TensorFlow graph, and is
    # inexact on jax.
    return ops.power(2.0, label) - 1.0


@_register
def linear_gain(label: Tensor) -> Tensor:
    """Return the label itself, after Järvelin and Kekäläinen (2002).

    >>> float(linear_gain(3.0))
    3.0

    Stability: stable.
    """
    return label


THAT_GROW_FROM_0 = (exponential_gain, linear_gain)


@_register
def binary_gain(label: Tensor) -> Tensor:
    """Return 1 for labels of 1 or more, else 0: all relevant items are alike.

    >>> [float(gain) for gain in binary_gain(ops.array([0.0, 1.0, 5.0]))]
    [0.0, 1.0, 1.0]

    Stability: stable.
    """
    label = ops.convert_to_tensor(label)
    return ops.cast(label >= 1.0, label.dtype)


@_register
class GainTable:
    """The gains of some labels; others have those of another function.

    In a text, a dict stands for it, and others have the gain that the metric
    has without it: `"NDCG(gain_fn={1: 0, 2: 0.5})@10"`.

    Args:
        gains: the gain of each of these labels, not lower than that of a lower
            label.
        others: the gain of other labels.

    Raises:
        TypeError: if `gains` is no dict of numbers by label.
        ValueError: if there is none, or one is negative or lower than that of
            a lower label.

    >>> gain_fn = GainTable({1: 0, 2: 0.5})
    >>> [float(gain) for gain in gain_fn(ops.array([0.0, 1.0, 2.0, 3.0]))]
    [0.0, 0.0, 0.5, 3.0]

    Stability: stable.
    """

    def __init__(
        self, gains: Mapping[float, float], others: GainFn = linear_gain
    ) -> None:
        try:
            pairs = sorted((float(x), float(y)) for x, y in gains.items())
        except (AttributeError, TypeError, ValueError):
            raise TypeError(
                "`gains` should be a dict of gains by label, such as `{1: 0, "
                f"2: 0.5}}`. Received: {gains!r}. Write numbers."
            ) from None
        found = [0.0, *(gain for _, gain in pairs)]
        if not pairs or found != sorted(found):
            raise ValueError(
                "`gains` should be 0 or more, and not lower for higher labels, "
                "so that the best order has these first. Received: "
                f"{gains!r}. Give higher labels higher gains."
            )
        self.gains: dict[float, float] = dict(pairs)
        self.others: GainFn = others

    def __call__(self, label: Tensor) -> Tensor:
        """Return the gain of each label."""
        gain = self.others(label)
        for one, own in self.gains.items():
            gain = ops.where(label == one, own, gain)
        return gain

    @property
    def __name__(self) -> str:
        """The gains of the labels in the table, as text: "1=0,2=0.5"."""
        return ",".join(f"{one:g}={own!r}" for one, own in self.gains.items())

    def get_config(self) -> dict[str, Any]:
        """Return the arguments, from which Keras makes the table again."""
        gains = [[*pair] for pair in self.gains.items()]
        others = keras.saving.serialize_keras_object(self.others)
        return {"gains": gains, "others": others}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> GainTable:
        """Return the table for a config."""
        others = keras.saving.deserialize_keras_object(config["others"])
        return cls(dict(config["gains"]), others)


@_register
def log2_discount(rank: Tensor) -> Tensor:
    """Return `1 / log2(rank + 1)`: 1, 0.63, 0.5, 0.43, ...

    >>> [round(float(d), 4) for d in log2_discount(ops.array([1.0, 2.0, 3.0]))]
    [1.0, 0.6309, 0.5]

    Stability: stable.
    """
    return 1.0 / ops.log2(rank + 1.0)


@_register
def natural_log_discount(rank: Tensor) -> Tensor:
    """Return `1 / ln(rank + 1)`: 1.44, 0.91, 0.72, 0.62, ...

    >>> ranks = ops.array([1.0, 2.0])
    >>> [round(float(d), 4) for d in natural_log_discount(ranks)]
    [1.4427, 0.9102]

    Stability: stable.
    """
    return 1.0 / ops.log(rank + 1.0)


@_register
def original_discount(rank: Tensor) -> Tensor:
    """Return 1 up to rank 2, then `1 / log2(rank)`.

    This is the discount of Järvelin and Kekäläinen, "Cumulated gain-based
    evaluation of IR techniques", ACM TOIS 20 (2002), with base 2.

    >>> [float(d) for d in original_discount(ops.array([1.0, 2.0, 4.0]))]
    [1.0, 1.0, 0.5]

    Stability: stable.
    """
    return 1.0 / ops.log2(ops.maximum(rank, 2.0))


@_register
def reciprocal_discount(rank: Tensor) -> Tensor:
    """Return `1 / rank`: 1, 0.5, 0.33, 0.25, ...

    >>> [float(d) for d in reciprocal_discount(ops.array([1.0, 2.0, 4.0]))]
    [1.0, 0.5, 0.25]

    Stability: stable.
    """
    return 1.0 / rank


@_register
def inverse_square_discount(rank: Tensor) -> Tensor:
    """Return `1 / (rank + 1)²` over its sum for all ranks: 0.39, 0.17, ...

    With `linear_gain` and labels from 0 to 1, DCG then is INSQ with T = 1: a
    user model in which users become less likely to continue the further down
    they are. Moffat, Scholer and Thomas, ADCS (2012).

    >>> ranks = ops.array([1.0, 2.0, 3.0])
    >>> [round(float(d), 4) for d in inverse_square_discount(ranks)]
    [0.3876, 0.1723, 0.0969]

    Stability: stable.
    """
    return _OVER_ALL_RANKS / (rank + 1.0) ** 2


_OVER_ALL_RANKS = 1.0 / (math.pi**2 / 6.0 - 1.0)

# These are finite at every rank, so metrics of different cutoffs can share
# their values. A user's function is only called on the ranks that count.
SHARED_DISCOUNTS = (
    log2_discount,
    natural_log_discount,
    original_discount,
    reciprocal_discount,
    inverse_square_discount,
)

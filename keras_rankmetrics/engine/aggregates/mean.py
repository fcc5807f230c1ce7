"""The weighted mean over lists, and its error, as the sums they are made of.

A list has a weight of its own, or takes the mean weight of those that do. The
two kinds are summed apart, so that this mean is over everything seen.

The sums are products of what a row of lists holds: a list by itself, or lists
that belong together. Each of the first six terms is multiplied by all nine. The
first is 1, so that its products are the plain sums; the others are the second
moments that the error needs. Values v stand beside 1 - v, since the moments of
both are exact where the values are close to 0, or to 1.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.aggregates.per_list import PerList
from keras_rankmetrics.types import Tensor

# Of each row with a list that counts, 1. Of lists with a weight w of their own:
# v w, (1 - v) w, 1, w and w². Of the others: v, 1 - v and 1.
TERMS = (
    "row",
    "own value",
    "own rest",
    "own",
    "other value",
    "other rest",
    "own weight",
    "squared weight",
    "other",
)
_LEFT = 6
# What version 0.1 kept.
_PLAIN = ("own value", "own weight", "own", "other value", "other")


@dataclasses.dataclass(frozen=True)
class WeightedMean:
    """The mean of the values, and how far it may be from that of all lists."""

    shape: tuple[int, ...] = (_LEFT, len(TERMS))

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, 6, 9]`, what the batch adds."""
        terms = terms_of(x)
        if x.rows is not None:
            terms = ops.reshape(terms, (-1, len(TERMS), *x.rows))
            terms = with_one_for_each_row(ops.sum(terms, axis=-1))
        return ops.sum(products(terms), axis=-1)

    def result(self, sums: Tensor) -> Tensor:
        """The means; 0 without lists."""
        totals = ops.unstack(sums[..., 0, :], len(TERMS), axis=-1)
        value, weight, own, other_value, other = (
            totals[TERMS.index(name)] for name in _PLAIN
        )
        mean_weight = ops.where(own > 0, ops.divide_no_nan(weight, own), 1.0)
        return ops.divide_no_nan(
            value + mean_weight * other_value, weight + mean_weight * other
        )

    def errors(self, sums: Tensor) -> Tensor:
        """The standard errors of the means, `[...]`."""
        return Moments(sums, xp=ops).standard_error


def terms_of(x: PerList) -> Tensor:
    """`[metrics, 9, lists]`, the terms of each list, 0 if it does not count."""
    dtype = x.values.dtype
    is_own = x.counts & x.has_own_weight
    counted, own = ops.cast(x.counts, dtype), ops.cast(is_own, dtype)
    other = counted - own
    values = ops.where(x.counts, x.values, 0)
    weights = ops.where(is_own, x.weights, 0)
    own_values, other_values = values * weights, values * other
    terms = {
        "row": counted,
        "own value": own_values,
        "own rest": weights - own_values,
        "own": own,
        "other value": other_values,
        "other rest": other - other_values,
        "own weight": weights,
        "squared weight": weights * weights,
        "other": other,
    }
    return ops.stack([terms[name] for name in TERMS], axis=1)


def with_one_for_each_row(terms: Tensor) -> Tensor:
    """Terms of rows, `[metrics, 9, rows]`, that are sums over their lists."""
    return ops.concatenate([ops.minimum(terms[:, :1], 1), terms[:, 1:]], axis=1)


def products(terms: Tensor) -> Tensor:
    """`[metrics, 6, 9, rows]`, to be summed up.

    By no product of matrices, which accelerators round.
    """
    return terms[:, :_LEFT, None] * terms[:, None]


def upgraded(sums: np.ndarray) -> np.ndarray:
    """The sums of version 0.1 as those of today: they tell no error."""
    if sums.shape != (len(_PLAIN), 2):
        return sums
    known = np.full((_LEFT, len(TERMS), 2), np.nan)
    known[0, [TERMS.index(name) for name in _PLAIN]] = sums
    return known


@dataclasses.dataclass(frozen=True)
class Moments:
    """The sums of means by name, and what follows from them.

    Attributes:
        sums: `[..., 6, 9]`, an array of numpy, or a tensor.
        xp: `numpy`, or `keras.ops`.
    """

    sums: Any
    xp: Any = np

    def of(self, left: str, right: str) -> Any:
        """The sum of the products of two terms."""
        return self.sums[..., TERMS.index(left), TERMS.index(right)]

    def total(self, name: str) -> Any:
        """The sum of a term."""
        return self.of("row", name)

    @property
    def lists(self) -> Any:
        """How many lists counted."""
        return self.total("own") + self.total("other")

    @property
    def rows(self) -> Any:
        """How many rows have a list that counted."""
        return self.total("row")

    @property
    def mean_weight(self) -> Any:
        """That of the lists with a weight of their own; 1 without any."""
        own = self.total("own")
        weight = self.total("own weight") / self._at_least(own)
        return self.xp.where(own > 0, weight, 1.0)

    @property
    def weight(self) -> Any:
        """Of all lists together."""
        return self.total("own weight") + self.mean_weight * self.total("other")

    @property
    def effective_lists(self) -> Any:
        """As many lists of equal weight tell as much, after Kish."""
        squares = self.total("squared weight")
        squares = squares + self.mean_weight**2 * self.total("other")
        return self.weight**2 / self._at_least(squares)

    @property
    def mean(self) -> Any:
        """The weighted mean."""
        value = self.total("own value")
        value = value + self.mean_weight * self.total("other value")
        return value / self._at_least(self.weight)

    @property
    def variance(self) -> Any:
        """Of the mean, linearised; NaN for fewer than two rows.

        The mean is a function of sums over rows. To first order it is off by
        the sum over the rows of z = Σ c t / (the weight of all), where t are
        the terms of a row and c the derivatives, and Σ z is 0.
        """
        mean, mean_weight, own = self.mean, self.mean_weight, self.total("own")
        others = (1.0 - mean) * self.total("other value")
        others = others - mean * self.total("other rest")
        # How the mean weight, which the others take, moves the mean.
        moved = others / self._at_least(own)
        derivatives = {
            "own value": 1.0 - mean + moved,
            "own rest": moved - mean,
            "own": -moved * mean_weight,
            "other value": mean_weight * (1.0 - mean),
            "other rest": -mean_weight * mean,
        }
        squares = sum(
            a * b * self.of(one, other)
            for one, a in derivatives.items()
            for other, b in derivatives.items()
        )
        rows = self.rows
        of_rows = self.xp.where(
            rows > 1, rows / self._at_least(rows - 1.0), float("nan")
        )
        squares = self.xp.maximum(squares, 0.0) * of_rows
        return squares / self._at_least(self.weight**2)

    @property
    def standard_error(self) -> Any:
        """Of the mean."""
        return self.xp.sqrt(self.variance)

    def _at_least(self, x: Any) -> Any:
        """What can be divided by; 1 where it is 0."""
        return self.xp.where(x > 0, x, 1.0)

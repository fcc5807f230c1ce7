"""The weighted mean over lists, and its error, as the sums they are made of.

A list has a weight of its own, or takes the mean weight of those that do. The
two kinds are summed apart, so that this mean is over everything seen.

The sums are products of what a row of lists holds (a list by itself, or those
that belong together): each of `_LEFT` times each of `_RIGHT`. The first of
`_LEFT` is 1, so that the first products are the plain sums; the others are the
second moments that the error needs. Values v stand beside 1 - v, since the
moments of both are exact where the values are close to 0, or to 1.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.aggregates.per_list import PerList
from keras_rankmetrics.types import Tensor

# Of lists with a weight w of their own: v w, w, 1 and (1 - v) w. Of the others:
# v, 1 and 1 - v. And of each row with a list that counts, 1.
_LEFT = ("row", "own value", "own rest", "own", "other value", "other rest")
_RIGHT = (
    "own value",
    "own weight",
    "own",
    "other value",
    "other",
    "squared weight",
    "own rest",
    "other rest",
    "row",
)
# Version 0.1 kept the first of these alone.
_FEWEST = 5


@dataclasses.dataclass(frozen=True)
class WeightedMean:
    """The mean of the values, and how far it may be from that of all lists."""

    shape: tuple[int, ...] = (len(_LEFT) * len(_RIGHT),)

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, 54]`, what the batch adds."""
        terms = terms_of(x)
        if x.rows is not None:
            terms = {
                name: _by_row(name, t, x.rows) for name, t in terms.items()
            }
        return products(terms)

    def result(self, sums: Tensor) -> Tensor:
        """The means; 0 without lists."""
        value, weight, own, others_value, others = ops.unstack(
            sums[..., :_FEWEST], _FEWEST, axis=-1
        )
        mean_weight = ops.where(own > 0, ops.divide_no_nan(weight, own), 1.0)
        return ops.divide_no_nan(
            value + mean_weight * others_value, weight + mean_weight * others
        )


def terms_of(x: PerList) -> dict[str, Tensor]:
    """By name what each list holds, `[metrics, lists]`; 0 where none counts."""
    dtype = x.values.dtype
    is_own = x.counts & x.has_own_weight
    counted, own = ops.cast(x.counts, dtype), ops.cast(is_own, dtype)
    other = counted - own
    values = ops.where(x.counts, x.values, 0)
    weights = ops.where(is_own, x.weights, 0)
    own_values, other_values = values * weights, values * other
    return {
        "row": counted,
        "own value": own_values,
        "own weight": weights,
        "own": own,
        "other value": other_values,
        "other": other,
        "squared weight": weights * weights,
        "own rest": weights - own_values,
        "other rest": other - other_values,
    }


def products(terms: dict[str, Tensor]) -> Tensor:
    """`[metrics, 54]`, the sums of the products over the rows."""
    left = ops.stack([terms[name] for name in _LEFT], axis=1)
    right = ops.stack([terms[name] for name in _RIGHT], axis=1)
    # No product of matrices, which accelerators round.
    found = ops.sum(left[:, :, None] * right[:, None], axis=-1)
    return ops.reshape(found, (-1, len(_LEFT) * len(_RIGHT)))


def upgraded(sums: np.ndarray) -> np.ndarray:
    """The sums of version 0.1 as those of today: they tell no error."""
    if sums.shape != (_FEWEST, 2):
        return sums
    unknown = len(_LEFT) * len(_RIGHT) - _FEWEST
    return np.pad(sums, [(0, unknown), (0, 0)], constant_values=np.nan)


def _by_row(
    name: str, term: Tensor, rows: tuple[int | Tensor, int | Tensor]
) -> Tensor:
    """`[metrics, rows]`, what each row holds together."""
    term = ops.reshape(term, (-1, *rows))
    if name == "row":
        return ops.max(term, axis=-1)
    return ops.sum(term, axis=-1)


@dataclasses.dataclass(frozen=True)
class Moments:
    """The sums of means by name, and what follows from them.

    Attributes:
        sums: `[..., 54]`, an array of numpy, or a tensor.
        xp: `numpy`, or `keras.ops`.
    """

    sums: Any
    xp: Any = np

    def of(self, left: str, right: str) -> Any:
        """The sum of the products of two terms."""
        place = _LEFT.index(left) * len(_RIGHT) + _RIGHT.index(right)
        return self.sums[..., place]

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

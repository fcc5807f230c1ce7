"""The weighted mean over lists, and its error, as the sums they are made of.

A list has a weight of its own, or takes the mean weight of those that do. The
two kinds are summed apart, so that this mean is over everything seen. Beside
the plain sums stand the second moments, which the error needs: of v w and of
(1 - v) w, for values v and weights w, since both are exact where the values are
close to 0, or to 1.

Lists that belong together, a row, add up before they are squared. What the
moments of rows have more than those of lists is summed too: it is 0 where each
list is a row by itself.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.backend import host_floats
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

# Sums over lists: of those with a weight of their own, and of the others, whose
# weight is 1 here.
_OF_LISTS = ("lists", "value", "weight", "value²", "value rest", "rest²")
# Sums over rows: for each pair of these by how much the moments of rows exceed
# those of lists, and then by how much there are fewer rows.
_TERMS = ("own value", "own rest", "own", "other value", "other rest")

SUMS_OF_LISTS = 2 * len(_OF_LISTS)
SUMS_OF_ROWS = len(_TERMS) ** 2 + 1

# The sums are as exact as that, relatively.
_ROUNDING = 2e-7

# Sums of what is above 0 and below that may be off: single precision has no
# fractions of its smallest numbers.
_LEAST = 1e-30


@dataclasses.dataclass(frozen=True)
class WeightedMean:
    """The mean of the values, and how far it may be from that of all lists.

    Attributes:
        bounded: whether values lie in [0, 1]. The moments of larger ones are
            taken of v w and w.
    """

    bounded: bool = True
    shape: tuple[int, ...] = (SUMS_OF_LISTS + SUMS_OF_ROWS,)

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, 38]`, what the batch adds."""
        sums = ops.sum(moments_of_lists(x, self.bounded), axis=-1)
        if x.rows is None:
            shape = (x.values.shape[0], SUMS_OF_ROWS)
            none = ops.zeros(shape, sums.dtype)
            return ops.concatenate([sums, none], axis=-1)
        of_lists = terms_of(x, self.bounded)
        of_rows = ops.reshape(of_lists, (*of_lists.shape[:2], *x.rows))
        excess = ops.sum(
            moments_of_terms(ops.sum(of_rows, axis=-1)), axis=-1
        ) - ops.sum(moments_of_terms(of_lists), axis=-1)
        return ops.concatenate([sums, excess], axis=-1)

    def result(self, sums: Tensor) -> Tensor:
        """The means; 0 without lists."""
        of_lists = sums[..., :SUMS_OF_LISTS]
        numbers = host_floats.concrete_floats(of_lists)
        if numbers is not None:
            mean = Moments(numbers, self.bounded, host_floats).mean
            return ops.convert_to_tensor(mean, sums.dtype)
        totals = ops.unstack(of_lists, SUMS_OF_LISTS, axis=-1)
        return Moments(totals, self.bounded, ops).mean

    def errors(self, sums: Tensor) -> Tensor:
        """The standard errors of the means, `[...]`."""
        (number,) = self.shape
        totals = ops.unstack(sums, number, axis=-1)
        return Moments(totals, self.bounded, ops).standard_error


def moments_of_lists(x: PerList, bounded: bool) -> Tensor:
    """`[metrics, 12, lists]`, what each list adds; 0 if it does not count."""
    own, other, counted, value, rest, weight = _parts(x, bounded)
    kinds = ops.stack([own, other], axis=1)
    parts = ops.stack(
        [counted, value, weight, value * value, value * rest, rest * rest],
        axis=1,
    )
    # No product of matrices, which accelerators round.
    moments = ops.expand_dims(kinds, 2) * ops.expand_dims(parts, 1)
    return ops.reshape(
        moments, (own.shape[0], SUMS_OF_LISTS, ops.shape(own)[-1])
    )


def terms_of(x: PerList, bounded: bool) -> Tensor:
    """`[metrics, 6, lists]`, what is added up over a row."""
    own, other, counted, value, rest, _ = _parts(x, bounded)
    terms = [value * own, rest * own, own, value * other, rest * other]
    return ops.stack([*terms, counted], axis=1)


def moments_of_terms(terms: Tensor) -> Tensor:
    """`[metrics, 26, rows]`, what each row has, or a list by itself.

    Args:
        terms: `[metrics, 6, rows]`, the last one how many lists count.
    """
    count, terms = terms[:, -1:], terms[:, :-1]
    rows = ops.shape(terms)[-1]
    products = ops.reshape(
        terms[:, :, None] * terms[:, None],
        (terms.shape[0], len(_TERMS) ** 2, rows),
    )
    return ops.concatenate([products, ops.minimum(count, 1)], axis=1)


class _Parts(NamedTuple):
    """What each list has, `[metrics, lists]`; 0 if it does not count."""

    own: Tensor
    other: Tensor
    counted: Tensor
    value: Tensor  # times the weight
    rest: Tensor  # the weight, less that if values are bounded
    weight: Tensor


def _parts(x: PerList, bounded: bool) -> _Parts:
    dtype = x.values.dtype
    is_own = x.counts & x.has_own_weight
    own, counted = ops.cast(is_own, dtype), ops.cast(x.counts, dtype)
    other = counted - own
    weight = ops.where(is_own, x.weights, other)
    value = ops.where(x.counts, x.values, 0) * weight
    rest = weight - value if bounded else weight
    return _Parts(own, other, counted, value, rest, weight)


@dataclasses.dataclass(frozen=True)
class Moments:
    """What the sums of a mean say.

    Attributes:
        sums: an array of numpy, plain numbers, or tensors; those over lists are
            enough where no error is asked for.
        bounded: as it was for the `WeightedMean`.
        xp: what has a `where` for them: `numpy`, `plain`, or `keras.ops`.
    """

    sums: Sequence[Any] | np.ndarray
    bounded: bool = True
    xp: Any = np

    def own(self, name: str) -> Any:
        """A sum over the lists with a weight of their own."""
        return self.sums[_OF_LISTS.index(name)]

    def other(self, name: str) -> Any:
        """A sum over the others."""
        return self.sums[len(_OF_LISTS) + _OF_LISTS.index(name)]

    @property
    def lists(self) -> Any:
        """How many lists counted."""
        return self.own("lists") + self.other("lists")

    @property
    def rows(self) -> Any:
        """How many rows have a list that counted."""
        return self.lists + self.sums[-1]

    @functools.cached_property
    def mean_weight(self) -> Any:
        """That of the lists with a weight of their own; 1 without any."""
        lists = self.own("lists")
        mean = self.own("weight") / self._divisor(lists)
        return self.xp.where(lists > 0, mean, 1.0)

    @functools.cached_property
    def weight(self) -> Any:
        """Of all lists together."""
        return self.own("weight") + self.mean_weight * self.other("lists")

    @property
    def own_squares(self) -> Any:
        """Of the weights; NaN where they are too small to be told."""
        squares = self.own("rest²")
        if self.bounded:
            squares = squares + self.own("value²")
            squares = squares + 2.0 * self.own("value rest")
        is_lost = (self.own("weight") > 0.0) & (squares < _LEAST)
        return self.xp.where(is_lost, float("nan"), squares)

    @property
    def effective_lists(self) -> Any:
        """As many lists of equal weight tell as much, after Kish."""
        others = self.mean_weight**2 * self.other("lists")
        return self.weight**2 / self._divisor(self.own_squares + others)

    @property
    def mean(self) -> Any:
        """The weighted mean; 0 without lists.

        NaN where all weights together are too small to be told.
        """
        value = self.own("value") + self.mean_weight * self.other("value")
        is_lost = (self.weight > 0.0) & (self.weight < _LEAST)
        mean = value / self._divisor(self.weight)
        return self.xp.where(is_lost, float("nan"), mean)

    @property
    def variance(self) -> Any:
        """Of the mean, linearised; NaN for fewer than two rows.

        NaN too where values vary so little that single precision cannot tell.

        The mean is a function of sums over rows. To first order it is off by
        the sum over the rows of z = Σ c t / (the weight of all), where t are
        the terms of a row and c the derivatives, and Σ z is 0.
        """
        mean, mean_weight = self.mean, self.mean_weight
        others = self.other("value") - mean * self.other("lists")
        # How the mean weight, which the others take, moves the mean.
        moved = others / self._divisor(self.own("lists"))
        # A weight is a value and its rest together, or it is the rest.
        in_value = 1.0 if self.bounded else 0.0
        c = {
            "own value": 1.0 + (moved - mean) * in_value,
            "own rest": moved - mean,
            "own": -moved * mean_weight,
            "other value": mean_weight * (1.0 - mean * in_value),
            "other rest": -mean_weight * mean,
        }
        own_rest = self.own("weight") - in_value * self.own("value")
        terms = [
            c["own value"] ** 2 * self.own("value²"),
            c["own rest"] ** 2 * self.own("rest²"),
            2.0 * c["own value"] * c["own rest"] * self.own("value rest"),
            2.0 * c["own value"] * c["own"] * self.own("value"),
            2.0 * c["own rest"] * c["own"] * own_rest,
            c["own"] ** 2 * self.own("lists"),
            c["other value"] ** 2 * self.other("value²"),
            c["other rest"] ** 2 * self.other("rest²"),
            2.0
            * (c["other value"] * c["other rest"])
            * self.other("value rest"),
        ]
        for place, (one, other) in enumerate(itertools.product(_TERMS, _TERMS)):
            excess = self.sums[SUMS_OF_LISTS + place]
            terms.append(c[one] * c[other] * excess)
        # What is left of terms that cancel may be all rounding.
        squares, size = sum(terms), sum(map(self.xp.abs, terms))
        squares = squares + 0.0 * self.own_squares  # NaN where that is
        is_noise = (size > 0.0) & (squares < _ROUNDING * size)
        squares = self.xp.where(is_noise, float("nan"), squares)
        rows = self.rows
        of_rows = self.xp.where(
            rows > 1, rows / self._divisor(rows - 1.0), float("nan")
        )
        return squares * of_rows / self._divisor(self.weight**2)

    @property
    def standard_error(self) -> Any:
        """Of the mean."""
        return self.xp.sqrt(self.variance)

    def _divisor(self, x: Any) -> Any:
        """1 in place of 0."""
        return self.xp.where(x == 0, 1.0, x)

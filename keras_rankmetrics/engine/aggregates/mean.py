"""Weighted means over lists and their standard errors, from additive sums.

A list has its own weight, or takes the mean weight of the lists that do. The
two kinds have separate sums, so that this mean weight covers all lists seen so
far. The standard error needs second moments as well: of v w and of (1 - v) w,
for values v and weights w, since both are exact where values are close to 0 or
to 1.

The lists of one row are dependent, so their terms are added before they are
squared. A second block of sums holds the excess of the moments of rows over
those of lists. It is 0 where each list is its own row.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, concrete_floats
from keras_rankmetrics.types import Tensor


class ListSums(NamedTuple):
    """Sums over lists; the lists without their own weight have weight 1 here.

    "Value" is the value times the weight, and "rest" the weight less that; for
    unbounded values, "rest" is the weight.
    """

    lists: Any
    value: Any
    weight: Any
    value_squared: Any
    value_rest: Any
    rest_squared: Any


class RowTerms(NamedTuple):
    """Terms that are added over a row before they are squared."""

    own_value: Any
    own_rest: Any
    own: Any
    other_value: Any
    other_rest: Any


# The layout of the sums: `ListSums` of the lists with their own weight, then of
# the others; the excess of each product of two `RowTerms`; and how many more
# rows there are than lists, which is at most 0.
_SUMS, _TERMS = len(ListSums._fields), len(RowTerms._fields)
_OWN, _OTHER = slice(0, _SUMS), slice(_SUMS, 2 * _SUMS)
_SUMS_OF_LISTS, _SUMS_OF_ROWS = 2 * _SUMS, _TERMS**2 + 1
_ROWS = 2 * _SUMS + _TERMS**2
_OF_LISTS, _EXCESS = slice(0, 2 * _SUMS), slice(2 * _SUMS, _ROWS)

# The relative error of sums in single precision.
SINGLE = 2e-7

# A positive sum below this may be inexact: single precision has no fractions of
# its smallest numbers.
_LEAST = 1e-30


@dataclasses.dataclass(frozen=True)
class WeightedMean:
    """The weighted mean of the values, with its standard error.

    Attributes:
        bounded: whether values are in [0, 1]. The moments of unbounded values
            are those of v w and w.
        shape: the shape of the sums of one metric.
    """

    bounded: bool = True
    shape: tuple[int, ...] = (_SUMS_OF_LISTS + _SUMS_OF_ROWS,)

    def of_batch(self, x: PerList, xp: Any = ops) -> Tensor:
        """Return the sums of a batch, `[metrics, 38]`.

        Args:
            x: the values of the lists.
            xp: the namespace of the arrays, `keras.ops` or `numpy`.
        """
        sums = xp.sum(_moments_of_lists(x, self.bounded, xp), axis=-1)
        if x.rows is None:
            excess = xp.zeros((x.values.shape[0], _SUMS_OF_ROWS), sums.dtype)
        else:
            of_lists = _terms_of(x, self.bounded, xp)
            of_rows = xp.reshape(of_lists, (*of_lists.shape[:2], *x.rows))
            excess = xp.sum(
                _moments_of_terms(xp.sum(of_rows, axis=-1), xp), axis=-1
            ) - xp.sum(_moments_of_terms(of_lists, xp), axis=-1)
        return xp.concatenate([sums, excess], axis=-1)

    def result(self, sums: Tensor) -> Tensor:
        """Return the means; 0 without lists."""
        of_lists = sums[..., _OF_LISTS]
        numbers = concrete_floats(of_lists)
        if numbers is not None:
            mean = Moments(numbers, self.bounded, _PythonFloats).mean
            return ops.convert_to_tensor(mean, sums.dtype)
        totals = ops.unstack(of_lists, _SUMS_OF_LISTS, axis=-1)
        return Moments(totals, self.bounded, ops).mean

    def errors(self, sums: Tensor) -> Tensor:
        """Return the standard errors of the means, `[...]`."""
        (number,) = self.shape
        totals = ops.unstack(sums, number, axis=-1)
        return Moments(totals, self.bounded, ops).standard_error


@dataclasses.dataclass(frozen=True)
class Grouped:
    """The weighted mean of all lists, and the mean of each group.

    Attributes:
        groups: the number of groups. `PerList.group` holds the group of each
            list, from 0; a list with any other number is in no group.
        mean: the aggregate of the values.
    """

    groups: int
    mean: WeightedMean = dataclasses.field(default_factory=WeightedMean)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sums: a row for all lists, then one a group."""
        return (1 + self.groups, *self.mean.shape)

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, 1 + groups, 38]`.

        In a compiled program, a valid list without a group makes the sums of
        all lists NaN.

        Raises:
            ValueError: if a valid list is in no group and values are concrete.
        """
        if x.group is None:
            raise ValueError(
                "Each list needs a group. Received: no groups. Pass them as "
                '`y_true["group"]`, or pass a function `by`.'
            )
        inside = (x.group >= 0) & (x.group < self.groups)
        outside = x.valid & ~inside
        lost = ops.any(outside, axis=-1)
        if concrete(ops.any(lost)):
            wrong = ops.where(ops.any(outside, axis=0), x.group, 0)
            found = sorted({int(ops.min(wrong)), int(ops.max(wrong))} - {0})
            raise ValueError(
                "The group of each valid list should be an integer from 0 to "
                f"{self.groups - 1}. Received: {found}."
            )
        of_all = self.mean.of_batch(x)
        of_all = ops.where(lost[:, None], float("nan"), of_all)
        group = ops.where(inside, x.group, self.groups)
        moments = _moments_of_lists(x, self.mean.bounded, ops)
        of_lists = self._in_groups(moments, group)
        of_rows = self._of_rows(x, group)
        of_groups = ops.concatenate([of_lists, of_rows], axis=-1)
        return ops.concatenate([of_all[:, None], of_groups], axis=1)

    def result(self, sums: Tensor) -> Tensor:
        """Return the means, `[..., 1 + groups]`; 0 without lists."""
        return self.mean.result(sums)

    def errors(self, sums: Tensor) -> Tensor:
        """Return the standard errors of the means, `[..., 1 + groups]`."""
        return self.mean.errors(sums)

    def _of_rows(self, x: PerList, group: Tensor) -> Tensor:
        """Return the excess of the moments of rows, `[metrics, groups, 26]`."""
        if x.rows is None:
            shape = (x.values.shape[0], self.groups, _SUMS_OF_ROWS)
            return ops.zeros(shape, x.values.dtype)
        of_lists = _terms_of(x, self.mean.bounded, ops)
        # The lists of a row that are in a group form a row of that group.
        row = ops.repeat(ops.arange(x.rows[0], dtype="int32"), x.rows[1])
        parts = x.rows[0] * (self.groups + 1)
        of_parts = ops.segment_sum(
            ops.moveaxis(of_lists, -1, 0),
            row * (self.groups + 1) + group,
            num_segments=parts,
        )
        of_parts = ops.moveaxis(of_parts, 0, -1)
        group_of_part = ops.arange(parts, dtype="int32") % (self.groups + 1)
        return self._in_groups(
            _moments_of_terms(of_parts, ops), group_of_part
        ) - self._in_groups(_moments_of_terms(of_lists, ops), group)

    def _in_groups(self, x: Tensor, group: Tensor) -> Tensor:
        """Sum `[metrics, sums, rows]` by group: `[metrics, groups, sums]`."""
        sums = ops.segment_sum(
            ops.moveaxis(x, -1, 0), group, num_segments=self.groups + 1
        )
        return ops.moveaxis(sums[: self.groups], 0, 1)


def _moments_of_lists(x: PerList, bounded: bool, xp: Any) -> Tensor:
    """Return each list's terms, `[metrics, 12, lists]`; 0 if excluded."""
    own, other, counted, value, rest, weight = _parts(x, bounded, xp)
    sums = ListSums(
        counted, value, weight, value * value, value * rest, rest * rest
    )
    parts = xp.stack([*sums], axis=1)
    # No matrix product, since accelerators round its operands.
    return xp.concatenate([parts * x[:, None] for x in (own, other)], axis=1)


def _terms_of(x: PerList, bounded: bool, xp: Any) -> Tensor:
    """Return the `RowTerms` and the count of each list, `[metrics, 6, lists]`.

    They are added over a row.
    """
    own, other, counted, value, rest, _ = _parts(x, bounded, xp)
    terms = RowTerms(value * own, rest * own, own, value * other, rest * other)
    return xp.stack([*terms, counted], axis=1)


def _moments_of_terms(terms: Tensor, xp: Any) -> Tensor:
    """Return the products of two terms of each row, `[metrics, 26, rows]`.

    The last one is 1 for a row with a valid list, else 0.

    Args:
        terms: `[metrics, 6, rows]`, of rows or of single lists; the last term
            is the number of valid lists.
        xp: the namespace of the terms.
    """
    count, terms = terms[:, -1:], terms[:, :-1]
    shape = terms.shape[0], _TERMS**2, *xp.shape(terms)[2:]
    products = xp.reshape(terms[:, :, None] * terms[:, None], shape)
    return xp.concatenate([products, xp.minimum(count, 1)], axis=1)


def _parts(x: PerList, bounded: bool, xp: Any) -> tuple[Tensor, ...]:
    """Return the factors of the terms of each list, `[metrics, lists]` each.

    They are `own` and `other`, 1 for lists with and without their own weight,
    `counted`, the sum of both, and `value`, `rest` and `weight` as in
    `ListSums`. All are 0 for excluded lists.
    """
    one, is_own = xp.ones_like(x.values), x.valid & x.has_own_weight
    own, counted = xp.where(is_own, one, 0), xp.where(x.valid, one, 0)
    other = counted - own
    weight = xp.where(is_own, x.weights, other)
    value = xp.where(x.valid, x.values, 0) * weight
    rest = weight - value if bounded else weight
    return own, other, counted, value, rest, weight


def over(x: Any, y: Any, xp: Any) -> Any:
    """Return x / y, and x where y is 0.

    Args:
        x: numbers or arrays.
        y: as `x`.
        xp: their namespace, such as `numpy` or `keras.ops`.
    """
    return x / xp.where(y == 0, 1.0, y)


class _PythonFloats:
    """A namespace for `Moments` of Python floats, three times as fast."""

    @staticmethod
    def where(condition: bool, x1: float, x2: float) -> float:
        """Return `x1` if the condition holds, else `x2`."""
        return x1 if condition else x2


class Moments:
    """The statistics that the sums of a `WeightedMean` determine.

    Args:
        sums: a numpy array, plain numbers, or tensors. Those over lists suffice
            unless an error is computed. Further numbers may follow.
        bounded: as for the `WeightedMean`.
        xp: the namespace of the sums: `numpy`, `keras.ops`, or `_PythonFloats`
            for a single mean.
        rounding: the relative error of the sums.

    Attributes:
        own: the sums over the lists with their own weight.
        other: the sums over the other lists.
        lists: the number of valid lists.
        mean_weight: the mean weight of the lists with their own weight; 1
            without any.
        weight: the total weight of all lists.
    """

    def __init__(
        self,
        sums: Sequence[Any] | np.ndarray,
        bounded: bool = True,
        xp: Any = np,
        rounding: float = SINGLE,
    ) -> None:
        self.sums = sums
        self.bounded = bounded
        self.xp = xp
        self.rounding = rounding
        own, other = ListSums(*sums[_OWN]), ListSums(*sums[_OTHER])
        self.own: ListSums = own
        self.other: ListSums = other
        self.lists: Any = own.lists + other.lists
        mean_weight = over(own.weight, own.lists, xp)
        self.mean_weight: Any = xp.where(own.lists > 0, mean_weight, 1.0)
        self.weight: Any = own.weight + self.mean_weight * other.lists

    @property
    def rows(self) -> Any:
        """The number of rows with a valid list."""
        return self.lists + self.sums[_ROWS]

    @property
    def own_squares(self) -> Any:
        """The sum of the squared weights; NaN if single precision lost it."""
        squares = self.own.rest_squared
        if self.bounded:
            squares = squares + self.own.value_squared
            squares = squares + 2.0 * self.own.value_rest
        is_lost = (self.own.weight > 0.0) & (squares < _LEAST)
        return self.xp.where(is_lost, float("nan"), squares)

    @property
    def effective_lists(self) -> Any:
        """The number of equally weighted lists with as much information (Kish).

        (Σ w)² / Σ w².
        """
        return over(self.weight**2, self.squared_weights, self.xp)

    @property
    def squared_weights(self) -> Any:
        """The sum of the squared weights of all lists."""
        return self.own_squares + self.mean_weight**2 * self.other.lists

    @property
    def carriers(self) -> Any:
        """The number of lists of equal value that carry the sum."""
        squares = self.own.value_squared
        squares = squares + self.mean_weight**2 * self.other.value_squared
        return over((self.mean * self.weight) ** 2, squares, self.xp)

    @property
    def deviation(self) -> Any:
        """The standard deviation of values in [0, 1], by squared weights.

        0 if all lists have the same weight: the standard error then says it
        all. The variance is m (1 - m) less the mean of v (1 - v).
        """
        own, others = self.own.value_rest, self.other.value_rest
        rest = own + self.mean_weight**2 * others
        rest = over(rest, self.squared_weights, self.xp)
        differ = self.effective_lists < 0.99999 * self.lists
        found = self.xp.maximum(self.mean * (1.0 - self.mean) - rest, 0.0)
        return self.xp.sqrt(self.xp.where(differ, found, 0.0))

    @property
    def mean(self) -> Any:
        """The weighted mean; 0 without lists.

        NaN if the total weight is too small for single precision.
        """
        value = self.own.value + self.mean_weight * self.other.value
        is_lost = (self.weight > 0.0) & (self.weight < _LEAST)
        mean = over(value, self.weight, self.xp)
        return self.xp.where(is_lost, float("nan"), mean)

    @property
    def variance(self) -> Any:
        """The variance of the mean, linearised; NaN for fewer than two rows.

        NaN also where values vary too little for single precision.

        The mean is a function of sums over rows. To first order, its error is
        the sum over the rows of z = Σ c t / (the total weight), where t are the
        terms of a row and c their derivatives, and Σ z is 0.
        """
        own, other = self.own, self.other
        mean, mean_weight = self.mean, self.mean_weight
        # How the mean weight, which the other lists take, moves the mean.
        moved = over(other.value - mean * other.lists, own.lists, self.xp)
        # A weight is its value plus its rest; unbounded, it is the rest alone.
        in_value = 1.0 if self.bounded else 0.0
        c = RowTerms(
            own_value=1.0 + (moved - mean) * in_value,
            own_rest=moved - mean,
            own=-moved * mean_weight,
            other_value=mean_weight * (1.0 - mean * in_value),
            other_rest=-mean_weight * mean,
        )
        own_rest = own.weight - in_value * own.value
        terms = [
            c.own_value**2 * own.value_squared,
            c.own_rest**2 * own.rest_squared,
            2.0 * c.own_value * c.own_rest * own.value_rest,
            2.0 * c.own_value * c.own * own.value,
            2.0 * c.own_rest * c.own * own_rest,
            c.own**2 * own.lists,
            c.other_value**2 * other.value_squared,
            c.other_rest**2 * other.rest_squared,
            2.0 * (c.other_value * c.other_rest) * other.value_rest,
        ]
        pairs = itertools.product(c, c)
        for (x, y), excess in zip(pairs, self.sums[_EXCESS], strict=True):
            terms.append(x * y * excess)
        # Where terms cancel, what is left may be nothing but rounding.
        squares, size = sum(terms), sum(map(self.xp.abs, terms))
        squares = squares + 0.0 * self.own_squares  # passes on its NaN
        is_noise = (size > 0.0) & (squares < self.rounding * size)
        squares = self.xp.where(is_noise, float("nan"), squares)
        rows = self.rows
        correction = self.xp.where(
            rows > 1, over(rows, rows - 1.0, self.xp), float("nan")
        )
        return over(squares * correction, self.weight**2, self.xp)

    @property
    def standard_error(self) -> Any:
        """The standard error of the mean."""
        return self.xp.sqrt(self.variance)

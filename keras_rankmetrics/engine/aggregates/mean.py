"""Weighted means over lists and their standard errors, from additive sums.

A list has its own weight, or takes the mean weight of the lists that do. The
two kinds have separate sums, so that this mean weight covers all lists seen so
far.

The lists of one row are dependent. So the standard error needs second moments
of rows: terms of the lists are added over a row before they are multiplied.
Among the terms are v w and (1 - v) w, for values v and weights w, since both
are exact where values are close to 0 or to 1.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import (
    concrete,
    concrete_floats,
    sums_side_by_side,
)
from keras_rankmetrics.types import Tensor


class ListSums(NamedTuple):
    """Sums over lists; "own" are those of lists with their own weight w.

    The other lists have weight 1 here. For values v, "value" is w v.
    """

    own_weight: Any
    own_squares: Any  # Σ w²
    lists: Any
    own: Any  # the number of lists
    own_value: Any
    other_value: Any


# The terms of lists that are added over a row before they are multiplied. The
# "rest" is w less the value; for unbounded values, it is w.
_TERMS = ("own", "own_value", "own_rest", "other_value", "other_rest")
# Their products: each with itself, with the next, and with the one after that,
# where the first follows the last.
_PAIRS = [(i, (i + step) % len(_TERMS)) for step in range(3) for i in range(5)]
# Products of three, of lists with their own weight.
_TRIPLES = [(1, 1, 1), (2, 2, 2), (1, 1, 2), (1, 2, 2)]


def _named(*terms: int) -> str:
    return "*".join(_TERMS[i] for i in sorted(terms))


# The layout of the sums: over lists; "rows", the number of rows with a valid
# list; products over rows; and, for the variance and the skewness of rows,
# terms of a row with the mean m and the weight s.
_NAMES = (
    *ListSums._fields,
    "rows",
    *(_named(*pair) for pair in _PAIRS),
    *(_named(*triple) for triple in _TRIPLES),
    *("own_variance", "other_variance"),  # Σ s m (1 - m)
    *("own_skewness", "other_skewness"),  # Σ s m (1 - m) (1 - 2 m)
)
_OF_MEANS = ("variance", "skewness")  # of the means of rows
_OF_LISTS = slice(0, len(ListSums._fields))
_ROWS = _NAMES.index("rows")
_OF_PAIRS = slice(_ROWS + 1, _ROWS + 1 + len(_PAIRS))
_OF_TRIPLES = slice(_OF_PAIRS.stop, _OF_PAIRS.stop + len(_TRIPLES))

# Maps terms of lists, `[metrics, terms, lists]`, to their sums over rows,
# `[metrics, terms, rows]`.
Sum = Callable[[Tensor], Tensor]

# The relative error of sums in single precision.
SINGLE = 2e-7

# A skewness with a larger error is not known.
_TENTH = 0.1

# A positive sum below this may be inexact: single precision has no fractions of
# its smallest numbers.
_LEAST, _LEAST_CUBES = 1e-30, 1e-33


@dataclasses.dataclass(frozen=True)
class WeightedMean:
    """The weighted mean of the values, with its standard error.

    Attributes:
        bounded: whether values are in [0, 1]. The moments of unbounded values
            are those of v w and w.
        shape: the shape of the sums of one metric.
        names: the names of the sums.
    """

    bounded: bool = True
    shape: ClassVar[tuple[int, ...]] = (len(_NAMES),)
    names: ClassVar[tuple[str, ...]] = _NAMES

    def of_batch(self, x: PerList, xp: Any = ops) -> Tensor:
        """Return the sums of a batch, `[metrics, 30]`.

        Args:
            x: the values of the lists.
            xp: the namespace of the arrays, `keras.ops` or `numpy`.
        """
        rows = x.rows or ()

        def by_row(terms: Tensor) -> Tensor:
            of_rows = xp.reshape(terms, (*terms.shape[:2], *rows))
            return xp.sum(of_rows, axis=-1)

        if not rows:
            return sums_side_by_side(_of_lists(x, self.bounded, xp), xp)
        return xp.sum(_of_rows(x, self.bounded, by_row, xp), axis=-1)

    def result(self, sums: Tensor) -> Tensor:
        """Return the means; 0 without lists."""
        of_lists = sums[..., _OF_LISTS]
        numbers = concrete_floats(of_lists)
        if numbers is not None:
            mean = Moments(numbers, self.bounded, _PythonFloats).mean
            return ops.convert_to_tensor(mean, sums.dtype)
        totals = ops.unstack(of_lists, len(ListSums._fields), axis=-1)
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

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sums in a row."""
        return self.mean.names

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, 1 + groups, 30]`.

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
        of_groups = self._of_groups(x, ops.where(inside, x.group, self.groups))
        return ops.concatenate([of_all[:, None], of_groups], axis=1)

    def result(self, sums: Tensor) -> Tensor:
        """Return the means, `[..., 1 + groups]`; 0 without lists."""
        return self.mean.result(sums)

    def errors(self, sums: Tensor) -> Tensor:
        """Return the standard errors of the means, `[..., 1 + groups]`."""
        return self.mean.errors(sums)

    def _of_groups(self, x: PerList, group: Tensor) -> Tensor:
        """Return the sums of each group, `[metrics, groups, 30]`.

        Args:
            x: the lists.
            group: the group of each list; `groups` for no group.
        """
        bounded, number = self.mean.bounded, self.groups + 1
        if x.rows is None:
            terms = ops.stack(_of_lists(x, bounded, ops), axis=1)
            group_of_part = group
        else:
            # The lists of a row that are in a group form a row of that group.
            row = ops.repeat(ops.arange(x.rows[0], dtype="int32"), x.rows[1])
            part, parts = row * number + group, x.rows[0] * number
            group_of_part = ops.arange(parts, dtype="int32") % number

            def by_part(terms: Tensor) -> Tensor:
                return _added(terms, part, parts)

            terms = _of_rows(x, bounded, by_part, ops)
        sums = _added(terms, group_of_part, number)[..., :-1]
        return ops.moveaxis(sums, 1, -1)


def _added(x: Tensor, group: Tensor, groups: int | Tensor) -> Tensor:
    """Sum `[metrics, sums, lists]` by group: `[metrics, sums, groups]`."""
    sums = ops.segment_sum(ops.moveaxis(x, -1, 0), group, num_segments=groups)
    return ops.moveaxis(sums, 0, -1)


def _terms(
    x: PerList, bounded: bool, zero: Tensor, xp: Any
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the values and the terms of lists, `[metrics, lists]` each.

    Excluded lists have 0. The first terms are those of sums over lists, w, w²
    and 1; the `_TERMS` follow.
    """
    one = xp.ones_like(x.values)
    is_own = x.valid & x.has_own_weight
    own, lists = xp.where(is_own, one, zero), xp.where(x.valid, one, zero)
    weight = xp.where(is_own, x.weights, zero)
    value = xp.where(x.valid, x.values, zero)
    other = lists - own
    own_value, other_value = value * weight, value * other
    own_rest, other_rest = weight, other
    if bounded:
        own_rest, other_rest = weight - own_value, other - other_value
    terms = own, own_value, own_rest, other_value, other_rest
    return value, (weight, weight * weight, lists, *terms)


# No matrix product below, since accelerators round its operands.


def _of_lists(x: PerList, bounded: bool, xp: Any) -> list[Tensor]:
    """Return what a list adds to each sum, `[metrics, lists]` each.

    Each list is a row.
    """
    zero = xp.zeros_like(x.values)
    value, terms = _terms(x, bounded, zero, xp)
    weight, weight_squared, lists, own, *of_kinds = terms
    own_value, own_rest, other_value, other_rest = of_kinds
    # `own` is 0 or 1, and the terms of one kind are 0.
    squares = [term * term for term in of_kinds]
    both, of_others = own_value * own_rest, other_value * other_rest
    rest = lists - value if bounded else zero
    variances = [own_value * rest, other_value * rest]
    excess = rest - value
    return [
        *(weight, weight_squared, lists, own, own_value, other_value, lists),
        *(own, *squares),
        *(own_value, both, zero, of_others, zero),
        *(own_rest, zero, zero, zero, zero),
        *(squares[0] * own_value, squares[1] * own_rest),
        *(both * own_value, both * own_rest),
        *(*variances, *(variance * excess for variance in variances)),
    ]


def _of_rows(x: PerList, bounded: bool, by_row: Sum, xp: Any) -> Tensor:
    """Return what a row adds to each sum, `[metrics, 30, rows]`."""
    _, terms = _terms(x, bounded, xp.zeros_like(x.values), xp)
    of_rows = by_row(xp.stack(terms, axis=1))
    t = of_rows[:, 3:]
    squares, twice = t * t, xp.concatenate([t, t], axis=1)
    neighbours = t * twice[:, 1:6]
    of_own, both = t[:, 1:3], neighbours[:, 1:2]
    # Those with their own weight, and the others.
    value, rest = t[:, 1::2], t[:, 2::2]
    rest = rest / xp.maximum(value + rest, _LEAST) if bounded else 0 * rest
    variance = value * rest
    parts = [
        of_rows[:, :5],
        t[:, 3:4],
        xp.minimum(of_rows[:, 2:3], 1),
        squares,
        neighbours,
        t * twice[:, 2:7],
        squares[:, 1:3] * of_own,
        both * of_own,
        variance,
        variance * (2 * rest - 1),
    ]
    return xp.concatenate(parts, axis=1)


def over(x: Any, y: Any, xp: Any) -> Any:
    """Return x / y, and x where y is 0.

    Args:
        x: numbers or arrays.
        y: as `x`.
        xp: their namespace, such as `numpy` or `keras.ops`.
    """
    return x / xp.where(y == 0, 1.0, y)


def _third_moment(
    number: Any, total: Any, variance: Any, skewness: Any, *, mean: Any
) -> Any:
    """Return the sum of (v - mean)³, for the sums that the state has.

    Args:
        number: the number of values, or their total weight.
        total: Σ v.
        variance: Σ v (1 - v).
        skewness: Σ v (1 - v) (1 - 2 v).
        mean: the mean.
    """
    squares = total - variance
    cubes = (skewness - total + 3.0 * squares) / 2.0
    return cubes - mean * (3.0 * squares - mean * (3.0 * total - mean * number))


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
        of_lists: the sums over lists.
        others: the number of lists without their own weight.
        mean_weight: the mean weight of the lists with their own weight; 1
            without any.
        weight: the total weight of all lists.
        total: the total of the values times the weights.
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
        x = ListSums(*sums[_OF_LISTS])
        self.of_lists: ListSums = x
        self.others: Any = x.lists - x.own
        mean_weight = over(x.own_weight, x.own, xp)
        self.mean_weight: Any = xp.where(x.own > 0, mean_weight, 1.0)
        self.weight: Any = x.own_weight + self.mean_weight * self.others
        self.total: Any = x.own_value + self.mean_weight * x.other_value

    @property
    def rows(self) -> Any:
        """The number of rows with a valid list."""
        return self.sums[_ROWS]

    @property
    def own_squares(self) -> Any:
        """The sum of the squared weights; NaN if single precision lost it."""
        squares = self.of_lists.own_squares
        is_lost = (self.of_lists.own_weight > 0.0) & (squares < _LEAST)
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
        return self.own_squares + self.mean_weight**2 * self.others

    @property
    def carriers(self) -> Any:
        """The number of rows of equal value that carry the sum."""
        squares = sum(self._products_by(0.0, 1.0, 0.0, self.mean_weight, 0.0))
        return over(self.total**2, squares, self.xp)

    @property
    def effective_rows(self) -> Any:
        """The number of rows of equal weight with as much information (Kish).

        (Σ s)² / Σ s², where s is the weight of a row.
        """
        in_value = 1.0 if self.bounded else 0.0
        weight = self.mean_weight
        of_terms = 0.0, in_value, 1.0, weight * in_value, weight
        squares = sum(self._products_by(*of_terms))
        return over(self.weight**2, squares, self.xp)

    @property
    def deviation(self) -> Any:
        """The standard deviation of the means of rows, by their weights.

        For values in [0, 1]. The parts of a row with and without weights of
        their own count as two rows. 0 if it is lost in rounding.
        """
        most = self.mean * (1.0 - self.mean)
        found = most - self._of_rows("variance")
        # A difference may be below 0, and so its m (1 - m).
        is_lost = found <= self.rounding * self.xp.abs(most)
        return self.xp.sqrt(self.xp.where(is_lost, 0.0, found))

    @property
    def known_deviation(self) -> float:
        """The deviation on the host; NaN if the cubes of weights overflow.

        NaN also if they are too small for single precision, or the sums of an
        older state lack them.
        """
        cubes = float(np.dot((1.0, 1.0, 3.0, 3.0), self.sums[_OF_TRIPLES]))
        is_lost = self.of_lists.own_weight > 0.0 and not (
            _LEAST_CUBES < cubes < math.inf
        )
        return math.nan if is_lost else float(self.deviation)

    @property
    def skewness(self) -> float:
        """The skewness of the rows, for values in [0, 1], on the host.

        That of a row drawn by its weight, or √(effective rows) times that of
        the mean: the larger one, which is the latter if lists with much weight
        have values of their own. NaN if both are lost in rounding.
        """
        if not self.deviation > 0.0:
            return math.nan
        mean, rest, rows = self.mean, 1.0 - self.mean, self.effective_rows
        variance, skewness = map(self._of_rows, _OF_MEANS)
        found = _third_moment(1.0, mean, variance, skewness, mean=mean)
        powers = (
            rest**3,
            -(mean**3),
            -3.0 * rest**2 * mean,
            3.0 * rest * mean**2,
        )
        terms = np.multiply(powers, self.sums[_OF_TRIPLES])
        spread = self.weight * self.deviation / np.sqrt(rows)
        if self.standard_error > 0.0:
            within = np.sqrt((self.rows - 1.0) / self.rows)
            spread = max(spread, self.standard_error * self.weight * within)
        others = (
            self.sums[_NAMES.index(f"other_{name}")] for name in _OF_MEANS
        )
        of_others = _third_moment(
            self.others, self.of_lists.other_value, *others, mean=mean
        )
        by_others = self.mean_weight**3 * of_others
        size = np.abs(terms).sum() + self.mean_weight**3 * self.others
        of_each = [
            (found, 1.0, self.deviation**3),
            (terms.sum() + by_others, size, spread**3 / np.sqrt(rows)),
        ]
        known = [
            x / y for x, size, y in of_each if self.rounding * size < _TENTH * y
        ]
        return float(max(known, key=abs, default=math.nan))

    def _of_rows(self, name: str) -> Any:
        """Return the mean over the rows, by their weights, of a term."""
        own, other = (
            self.sums[_NAMES.index(f"{kind}_{name}")]
            for kind in ("own", "other")
        )
        return over(own + self.mean_weight * other, self.weight, self.xp)

    @property
    def mean(self) -> Any:
        """The weighted mean; 0 without lists.

        NaN if the total weight is too small for single precision.
        """
        is_lost = (self.weight > 0.0) & (self.weight < _LEAST)
        mean = over(self.total, self.weight, self.xp)
        return self.xp.where(is_lost, float("nan"), mean)

    @property
    def variance(self) -> Any:
        """The variance of the mean, linearised; NaN for fewer than two rows.

        NaN also where values vary too little for single precision.

        The mean is a function of sums over rows. To first order, its error is
        the sum over the rows of z = Σ c t / (the total weight), where t are the
        terms of a row and c their derivatives, and Σ z is 0.
        """
        mean, mean_weight = self.mean, self.mean_weight
        # How the mean weight, which the other lists take, moves the mean.
        moved = self.of_lists.other_value - mean * self.others
        moved = over(moved, self.of_lists.own, self.xp)
        # A weight is its value plus its rest; unbounded, it is the rest alone.
        in_value = 1.0 if self.bounded else 0.0
        terms = self._products_by(
            -moved * mean_weight,
            1.0 + (moved - mean) * in_value,
            moved - mean,
            mean_weight * (1.0 - mean * in_value),
            -mean_weight * mean,
        )
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

    def _products_by(self, *c: Any) -> list[Any]:
        """Return the parts of Σ (c t)² over the rows, for the `_TERMS` t."""
        return [
            (1.0 if i == j else 2.0) * c[i] * c[j] * product
            for (i, j), product in zip(
                _PAIRS, self.sums[_OF_PAIRS], strict=True
            )
        ]

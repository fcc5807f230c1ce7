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
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.aggregate import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, concrete_floats
from keras_rankmetrics.types import Tensor


class ListSums(NamedTuple):
    """Sums over lists; "own" are those of lists with their own weight w.

    The other lists have weight 1 here. For values v, "value" is w v, and "rest"
    is w less that; for unbounded values, "rest" is w.
    """

    own_weight: Any
    own_squares: Any  # Σ w²
    other_value: Any
    lists: Any
    own: Any  # the number of lists
    own_value: Any
    own_spread: Any  # Σ value · rest
    other_spread: Any


# The terms of lists that are added over a row before they are multiplied.
_TERMS = ("own", "own_value", "own_rest", "other_value", "other_rest")
# The pairs that are multiplied, in the order of the sums: first those that no
# other sum repeats where each list is a row.
_PAIRS = [(1, 1), (2, 2), (3, 3), (4, 4), (0, 2)]
_REPEATED = [(0, 0), (0, 1), (1, 2), (3, 4)]
_ACROSS = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)]


def _names(pairs: Sequence[tuple[int, int]]) -> Iterator[str]:
    return (f"{_TERMS[i]}*{_TERMS[j]}" for i, j in pairs)


# The layout of the sums: over lists, then of products over rows. "rows" is the
# number of rows with a valid list.
_NAMES = (
    *ListSums._fields,
    *_names(_PAIRS),
    "rows",
    *_names(_REPEATED + _ACROSS),
)
_OF_LISTS, _ROWS = slice(0, len(ListSums._fields)), _NAMES.index("rows")
# The sums over lists that "rows" and `_REPEATED` are if each list is a row.
_SAME = slice(3, len(ListSums._fields))

# Maps terms of lists, `[metrics, terms, lists]`, to their sums over rows,
# `[metrics, terms, rows]`, or over all lists.
Sum = Callable[[Tensor], Tensor]

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
        names: the names of the sums.
    """

    bounded: bool = True
    shape: ClassVar[tuple[int, ...]] = (len(_NAMES),)
    names: ClassVar[tuple[str, ...]] = _NAMES

    def of_batch(self, x: PerList, xp: Any = ops) -> Tensor:
        """Return the sums of a batch, `[metrics, 24]`.

        Args:
            x: the values of the lists.
            xp: the namespace of the arrays, `keras.ops` or `numpy`.
        """
        rows = x.rows or ()

        def by_row(terms: Tensor) -> Tensor:
            of_rows = xp.reshape(terms, (*terms.shape[:2], *rows))
            return xp.sum(of_rows, axis=-1)

        over_all = functools.partial(xp.sum, axis=-1)
        by = by_row if rows else None
        return _sums(x, self.bounded, by, over_all, xp)

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
        """Return the sums of a batch, `[metrics, 1 + groups, 24]`.

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
        """Return the sums of each group, `[metrics, groups, 24]`.

        Args:
            x: the lists.
            group: the group of each list; `groups` for no group.
        """
        bounded, number = self.mean.bounded, self.groups + 1
        if x.rows is None:
            by_part, group_of_part = None, group
        else:
            # The lists of a row that are in a group form a row of that group.
            row = ops.repeat(ops.arange(x.rows[0], dtype="int32"), x.rows[1])
            part, parts = row * number + group, x.rows[0] * number
            group_of_part = ops.arange(parts, dtype="int32") % number

            def by_part(terms: Tensor) -> Tensor:
                return _added(terms, part, parts)

        def by_group(terms: Tensor) -> Tensor:
            return _added(terms, group_of_part, number)[..., :-1]

        sums = _sums(x, bounded, by_part, by_group, ops)
        return ops.moveaxis(sums, 1, -1)


def _added(x: Tensor, group: Tensor, groups: int | Tensor) -> Tensor:
    """Sum `[metrics, sums, lists]` by group: `[metrics, sums, groups]`."""
    sums = ops.segment_sum(ops.moveaxis(x, -1, 0), group, num_segments=groups)
    return ops.moveaxis(sums, 0, -1)


def _sums(
    x: PerList, bounded: bool, by_row: Sum | None, over_all: Sum, xp: Any
) -> Tensor:
    """Return the sums of a batch, `[metrics, 24, ...]`.

    Args:
        x: the lists. Excluded ones add 0.
        bounded: as for the `WeightedMean`.
        by_row: adds terms of lists over rows; None if each list is a row.
        over_all: adds terms of lists or rows over all of these.
        xp: the namespace of the arrays.
    """
    one, zero = xp.ones_like(x.values), xp.zeros_like(x.values)
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
    of_lists = ListSums(
        own_weight=weight,
        own_squares=weight * weight,
        other_value=other_value,
        lists=lists,
        own=own,
        own_value=own_value,
        own_spread=own_value * own_rest,
        other_spread=other_value * other_rest,
    )
    # No matrix product, since accelerators round its operands.
    if by_row is None:
        # `own` is 0 or 1, and the terms of one kind are 0.
        squares = map(operator.mul, terms[1:], terms[1:])
        sums = over_all(xp.stack([*of_lists, *squares, own_rest], axis=1))
        shape = sums.shape[0], len(_ACROSS), *sums.shape[2:]
        across = xp.zeros(shape, sums.dtype)
        return xp.concatenate([sums, sums[:, _SAME], across], axis=1)
    of_rows = by_row(xp.stack([*of_lists, lists, *terms], axis=1))
    count, *t = (of_rows[:, i] for i in range(len(of_lists), of_rows.shape[1]))
    first = [t[i] * t[j] for i, j in _PAIRS]
    others = [t[i] * t[j] for i, j in _REPEATED + _ACROSS]
    products = xp.stack([*first, xp.minimum(count, 1), *others], axis=1)
    return over_all(xp.concatenate([of_rows[:, _OF_LISTS], products], axis=1))


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
    def deviation(self) -> Any:
        """The standard deviation of values in [0, 1], by squared weights.

        0 if all lists have the same weight: the standard error then says it
        all. The variance is m (1 - m) less the mean of v (1 - v).
        """
        own, others = self.of_lists.own_spread, self.of_lists.other_spread
        rest = own + self.mean_weight**2 * others
        rest = over(rest, self.squared_weights, self.xp)
        differ = self.effective_lists < 0.99999 * self.of_lists.lists
        found = self.xp.maximum(self.mean * (1.0 - self.mean) - rest, 0.0)
        return self.xp.sqrt(self.xp.where(differ, found, 0.0))

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
        pairs = _PAIRS + _REPEATED + _ACROSS
        first, others = (
            self.sums[_OF_LISTS.stop : _ROWS],
            self.sums[_ROWS + 1 :],
        )
        products = [*first, *others[: len(_REPEATED + _ACROSS)]]
        return [
            (1.0 if i == j else 2.0) * c[i] * c[j] * product
            for (i, j), product in zip(pairs, products, strict=True)
        ]

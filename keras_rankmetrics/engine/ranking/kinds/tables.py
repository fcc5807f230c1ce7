"""Sums of a function of the rank over ranges of ranks.

The sum over the ranks a + 1 to b is a difference of two running sums, which is
why each of these is kept as two floats.
"""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking.kinds.running import in_two_floats
from keras_rankmetrics.types import Tensor

# From this one on, reciprocals are added up by a series.
_NEAR = 8


def table_of(values: Tensor) -> Tensor:
    """A table of `values`, `[ranks]`, from which sums over ranges are read.

    Returns:
        `[ranks + 1, 2]`: the sum of the first 0, 1, 2, ... values, as the two
        floats that it is the sum of.
    """
    return ops.stack(in_two_floats(ops.pad(values, [[1, 0]])), axis=-1)


def sums_over_ranks(table: Tensor, start: Tensor, stop: Tensor) -> Tensor:
    """The sum over the ranks `start + 1` to `stop`, for every pair of them.

    Args:
        table: what `table_of` made of the values of the ranks 1, 2, ...
        start: int32, of any shape. How many ranks lie above the range.
        stop: int32, of a shape that broadcasts. The last rank of the range, at
            least `start`; if it is that, the sum is 0.
    """
    parts = ops.take(table, stop, axis=0) - ops.take(table, start, axis=0)
    return parts[..., 0] + parts[..., 1]


def sum_of_reciprocals(first: Tensor, terms: Tensor) -> Tensor:
    """Σ 1 / x over so many x, each 1 more than the last.

    No difference of large sums, and so as exact where it is small.

    Args:
        first: floats of at least 1, of any shape.
        terms: floats of that shape, whole numbers.
    """
    near = ops.arange(_NEAR, dtype=first.dtype)
    at_near = 1.0 / (first[..., None] + near)
    total = ops.sum(ops.where(near < terms[..., None], at_near, 0), axis=-1)
    # The rest by the formula of Euler and Maclaurin, from x on.
    x, terms = first + _NEAR, ops.maximum(terms - _NEAR, 0.0)
    end = x + terms
    slope = terms / x / end * (1.0 / x + 1.0 / end)
    bend = (1.0 / x**2 + 1.0 / end**2) / 120.0
    return (
        total
        + ops.log1p(terms / x)
        + terms / x / end / 2.0
        + slope * (1.0 / 12.0 - bend)
    )

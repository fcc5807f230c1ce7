"""Interpolated precision: the best precision at a recall, or further down."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

from keras_rankmetrics.engine.backend.operations import in_64_bits, ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import BinaryOfWholeLists, register
from keras_rankmetrics.types import Tensor, Within

Rounding = Literal["up", "nearest", "trec_eval_9"]

# A fraction with a denominator up to the first number is meant by every float
# that is as close to it as the second: 0.6 is 3/5, and 0.1 + 0.2 is 3/10.
_LARGEST_DENOMINATOR = 2**20
_SAME = 2.0**-52


def interpolated_precision(
    ranking: Ranking,
    k: int | None,
    recall: Annotated[float, Within(0, 1)] = 0.5,
    rounding: Rounding = "up",
) -> Tensor:
    """Return max P@i over the ranks i with a recall of at least `recall`."""
    return _at_recalls(ranking, k, [recall], rounding)[0]


def eleven_point_precision(
    ranking: Ranking, k: int | None, rounding: Rounding = "up"
) -> Tensor:
    """Return the mean interpolated precision at the recalls 0, 0.1, ... 1."""
    recalls = [tenths / 10 for tenths in range(11)]
    return sum(_at_recalls(ranking, k, recalls, rounding)) / len(recalls)


def _at_recalls(
    ranking: Ranking,
    k: int | None,
    recalls: Sequence[float],
    rounding: Rounding,
) -> list[Tensor]:
    hits = ranking.total() * ranking.share(k)
    # Between two relevant items the precision only falls.
    precisions = ops.where(hits > 0, ranking.precision(k), 0)
    found = ops.cumsum(hits, axis=-1)
    relevant = ranking.overall()
    there = [
        found >= hits_for(recall, relevant, rounding)[:, None]
        for recall in recalls
    ]
    return [
        ops.max(ops.where(enough, precisions, 0), axis=-1, initial=0)
        for enough in there
    ]


def hits_for(recall: float, relevant: Tensor, rounding: Rounding) -> Tensor:
    """Return how many hits the recall takes, `[lists]`.

    Args:
        recall: r, a number from 0 to 1.
        relevant: R, the number of relevant items, `[lists]`.
        rounding: how r R becomes a whole number.
    """
    with in_64_bits():
        hits = _ROUNDED[rounding](recall, ops.cast(relevant, "float64"))
        found = ops.cast(hits, relevant.dtype)
    return ops.cast(found, relevant.dtype)  # on the device of the others


def _up(recall: float, relevant: Tensor) -> Tensor:
    """Return ⌈r R⌉, exact for any r that is meant as a fraction."""
    exact = Fraction(recall)
    near = exact.limit_denominator(_LARGEST_DENOMINATOR)
    top, bottom = recall, 1.0
    if abs(near - exact) <= _SAME:
        top, bottom = float(near.numerator), float(near.denominator)
    product = top * relevant
    below = _floor(product / bottom)
    # The quotient is rounded, the products of whole numbers are not.
    return below + ops.cast(below * bottom < product, "float64")


def _nearest(recall: float, relevant: Tensor) -> Tensor:
    """Return r R, rounded to the nearest integer, halves up, as `lround`."""
    product = recall * relevant
    below = _floor(product)
    return below + ops.cast(product >= below + 0.5, "float64")


def _of_version_9(recall: float, relevant: Tensor) -> Tensor:
    """Return ⌊r R + 0.9⌋."""
    # `abs` changes nothing, and keeps compilers from making one operation of
    # the product and the sum, which would round once instead of twice.
    return _floor(ops.abs(recall * relevant) + 0.9)


def _floor(x: Tensor) -> Tensor:
    # On some backends `ops.floor` of float64 is float32.
    return ops.cast(ops.cast(x, "int64"), "float64")


_ROUNDED = {"up": _up, "nearest": _nearest, "trec_eval_9": _of_version_9}


@register
@declared
class InterpolatedPrecision(BinaryOfWholeLists):
    """Interpolated precision: the best one with a recall of at least r.

        IPrec@r = max P@i over all ranks i with R@i >= r

    where P@i and R@i are precision and recall at the rank i. It is 0 if no rank
    has that recall. The maximum has no exact mean over tied orders: `ties`
    defaults to `"stable"`. Item weights only mask items.

    With R relevant items, a recall of r takes ⌈r R⌉ hits. trec_eval rounds r R
    in other ways, and so may accept a lower recall.

    Args:
        recall: r, from 0 to 1, which the name ends with: `iprec@0.5`. A float
            means the fraction next to it: 0.6 of 25 items is 15.
        rounding: how r R becomes a number of hits. `"up"`, the next integer;
            `"nearest"`, the nearest integer, halves up, as in trec_eval 10; or
            `"trec_eval_9"`, ⌊r R + 0.9⌋, as in version 9 and pytrec_eval. The
            latter two compute in float64, as trec_eval does.
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `ties="average"` nor `adjusted` has a
            meaning.

    Example:
        >>> from keras_rankmetrics import InterpolatedPrecision
        >>> labels, scores = [[0, 1, 1, 0, 1]], [[0.9, 0.8, 0.7, 0.6, 0.5]]
        >>> metric = InterpolatedPrecision(recall=0.2)
        >>> value = metric(labels, scores)
        >>> metric.name, round(float(value), 4)  # at rank 3
        ('iprec@0.2', 0.6667)

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    chapter 8.4.
    """

    short_name = "iprec"
    option_in_name = "recall"
    measure = staticmethod(interpolated_precision)
    strict_order_under = "always"

    recall: float = 0.5
    rounding: Rounding = "up"


@register
@declared
class ElevenPointPrecision(BinaryOfWholeLists):
    """Eleven-point average precision: the mean precision over recalls.

        11pt = (IPrec@0 + IPrec@0.1 + ... + IPrec@1) / 11

    where IPrec@r is that of `InterpolatedPrecision`. It has no exact mean over
    tied orders: `ties` defaults to `"stable"`. Item weights only mask items.

    Args:
        rounding: how a recall becomes a number of hits: `"up"`, `"nearest"` as
            in trec_eval 10, or `"trec_eval_9"`, as on `InterpolatedPrecision`.
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `ties="average"` nor `adjusted` has a
            meaning.

    Example:
        >>> from keras_rankmetrics import ElevenPointPrecision
        >>> metric = ElevenPointPrecision()
        >>> value = metric([[1, 0, 0, 1]], [[0.9, 0.8, 0.7, 0.6]])
        >>> round(float(value), 4)  # 6 times 1, 5 times 2/4
        0.7727

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    chapter 8.4.
    """

    short_name = "11pt"
    measure = staticmethod(eleven_point_precision)
    strict_order_under = "always"

    rounding: Rounding = "up"

"""Average precision: binary, graded and interpolated."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.backend.operations import in_64_bits, ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking, Relevance
from keras_rankmetrics.gains import QUARTERS, linear_gain
from keras_rankmetrics.metrics.bases import (
    AtK,
    Binary,
    BinaryOfWholeLists,
    register,
)
from keras_rankmetrics.metrics.found import recall_denominator
from keras_rankmetrics.types import Between, GainFn, Tensor, Within

# The precision at each relevant rank: average precision.


def average_precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min", "hits"] = "relevant",
) -> Tensor:
    """Σ w precision(rank) over the relevant ranks up to k, over D mean w."""
    if denominator == "hits":
        return ops.divide_no_nan(
            ranking.precision_per_hit(k), ranking.mean_weight()
        )
    relevant = recall_denominator(ranking, k, denominator)
    precisions = ranking.weighted_total() * ranking.precision(k)
    return ops.divide_no_nan(
        ops.sum(precisions, axis=-1), relevant * ranking.mean_weight()
    )


@register
@declared
class MeanAveragePrecision(Binary):
    """Mean average precision at k.

        AP@k = (Σ_{i=1..k} rel_i · P@i) / (relevant items)

    where rel_i is 1 if the item at rank i is relevant, else 0, and P@i the part
    of the first i items that is relevant. With `denominator="min"` the sum is
    over min(k, relevant items), with `"hits"` over the relevant items at ranks
    1..k (0 where there are none).

    Under item weights each term is multiplied by the weight of its item, P@i is
    not, and the sum is divided also by the mean weight of the relevant items.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"relevant"` (TREC), `"min"` or `"hits"`, see above.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecision
        >>> labels, scores = [[0, 1, 1, 1]], [[0.9, 0.8, 0.7, 0.6]]
        >>> for denominator in ("relevant", "min", "hits"):
        ...     metric = MeanAveragePrecision(k=2, denominator=denominator)
        ...     print(denominator, round(float(metric(labels, scores)), 4))
        relevant 0.1667
        min 0.25
        hits 0.5

    Buckley and Voorhees, SIGIR (2000).
    """

    short_name = "map"
    measure = staticmethod(average_precision)

    denominator: Literal["relevant", "min", "hits"] = "relevant"


# Average precision where labels are grades.


def q_measure(
    ranking: Ranking, k: int | None, beta: Annotated[float, Between(0)] = 1.0
) -> Tensor:
    """Σ (C(i) + β cg(i)) / (i + β cg*(i)) over the ranks with a gain, / R."""
    relevant = ranking.as_binary()
    ratios = relevant.total() * ranking.blended_ratio(beta, k)
    return ops.divide_no_nan(ops.sum(ratios, axis=-1), relevant.overall())


@register
@declared
class QMeasure(AtK):
    """Q-measure at k: average precision that knows of grades.

        Q@k = (1 / R) Σ_{i=1..k} I(i) (C(i) + β cg(i)) / (i + β cg*(i))

    where I(i) is 1 if the item at rank i has a gain, else 0; C(i) is the number
    of such items at ranks 1..i, cg(i) their gains, and cg*(i) those at ranks
    1..i of the best order of all items. R is the number of items with a gain,
    retrieved or not. With a small β it is average precision. A list in which
    no item has a gain is empty. Item weights mask items, and do nothing else to
    the value.

    Args:
        k: how many ranks count, or None for all.
        beta: above 0, how much gains count beside hits.
        gain_fn: what a label is worth, see `keras_rankmetrics.types.GainFn`.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import QMeasure
        >>> value = QMeasure()([[0, 3, 1]], [[0.9, 0.8, 0.7]])
        >>> round(float(value), 4)  # the mean of 4 / (2 + 4) and 6 / (3 + 4)
        0.7619

    Sakai, New Performance Metrics based on Multigrade Relevance: Their
    Application to Question Answering, NTCIR-4 (2004).
    """

    short_name = "q_measure"
    measure = staticmethod(q_measure)
    relevance = staticmethod(gains.gain)

    beta: float = 1.0
    gain_fn: GainFn = linear_gain
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


def graded_average_precision(
    ranking: Ranking,
    k: int | None,
    probabilities: Annotated[tuple[float, ...], Within(0)] = QUARTERS,
) -> Tensor:
    """Σ p Σ hits(i) / i over the ranks of each grade or more, / Σ S(y)."""
    precisions = 0.0
    for grade, probability in enumerate(probabilities, start=1):
        relevant = ranking.judged_by(Relevance.from_grade(grade), ranking.k)
        found = ops.sum(relevant.total() * relevant.precision(k), axis=-1)
        precisions = precisions + probability * found
    return ops.divide_no_nan(precisions, ranking.overall())


@register
@declared
class GradedAveragePrecision(AtK):
    """Graded average precision at k.

        GAP@k = (Σ_{i=1..k} (1 / i) Σ_{m<=i} S(min(y_m, y_i))) / (Σ S(y))

    for the label y_i of the item at rank i, the last sum being over all items,
    retrieved or not. S(y) is the chance that a user takes an item of the label
    y for relevant: users differ in the grade from which on they do, and g is
    that of a user with the g-th of the `probabilities`, of which S(y) is the
    sum over g = 1, 2, ... y. So GAP is what average precision is on average
    over users, each with as much weight as there are items relevant to them;
    for grades of 0 and 1 it is average precision. A list in which no item has
    an S(y) above 0 is empty. Item weights mask items, and do nothing else to
    the value.

    Args:
        k: how many ranks count, or None for all.
        probabilities: of the grades 1, 2, ...; of 4 grades, each as likely, by
            default. Only their proportions matter. What is above the last grade
            is worth as much as that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import GradedAveragePrecision
        >>> metric = GradedAveragePrecision(probabilities=(0.5, 0.3, 0.2))
        >>> value = metric([[0, 2, 1, 3]], [[0.9, 0.8, 0.7, 0.6]])
        >>> round(float(value), 5)
        0.56884

    Robertson, Kanoulas and Yilmaz, Extending Average Precision to Graded
    Relevance Judgments, SIGIR (2010).
    """

    short_name = "gap"
    measure = staticmethod(graded_average_precision)
    relevance = staticmethod(gains.chance_to_be_relevant)

    probabilities: tuple[float, ...] = QUARTERS
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


# Interpolated precision: the best precision at a recall, or further down.

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

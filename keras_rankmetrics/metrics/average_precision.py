"""Average precision for binary labels, grades and fixed recall levels."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from keras_rankmetrics.engine.backend.operations import in_64_bits, ops
from keras_rankmetrics.engine.ranking import Ranking, Relevance
from keras_rankmetrics.engine.ranking.relevance import (
    QUARTERS,
    gain,
    relevance_probability,
)
from keras_rankmetrics.gains import linear_gain
from keras_rankmetrics.metrics.bases import AtK, Binary, BinaryWholeList, metric
from keras_rankmetrics.metrics.hits import recall_denominator
from keras_rankmetrics.types import (
    Between,
    GainFn,
    Labels,
    Tensor,
    TensorFn,
    Within,
)

__all__ = [
    "ElevenPointPrecision",
    "GradedAveragePrecision",
    "InterpolatedPrecision",
    "MeanAveragePrecision",
    "MeanAveragePrecisionAtR",
    "QMeasure",
]


def average_precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min", "hits"] = "relevant",
) -> Tensor:
    """Return Σ w precision(rank) over relevant ranks up to k, over D mean w."""
    weight = ranking.mean_weight()
    if denominator == "hits":
        return ops.divide_no_nan(ranking.precision_per_hit(k), weight)
    relevant = recall_denominator(ranking, k, denominator)
    precisions = ranking.weighted_total() * ranking.precision(k)
    return ops.divide_no_nan(ops.sum(precisions, axis=-1), relevant * weight)


def expected_average_precision(ranking: Ranking, k: int | None) -> Tensor:
    """Return the expectation of `average_precision` for probabilities."""
    return ranking.expected_average_precision(k)


@metric
class MeanAveragePrecision(Binary):
    """Mean average precision (MAP) at k.

        AP@k = (Σ_{i=1..k} rel_i · P@i) / (relevant items)

    where rel_i is 1 if the item at rank i is relevant, else 0, and P@i is the
    share of the first i items that are relevant. With `denominator="min"` the
    sum is divided by min(k, relevant items), with `"hits"` by the number of
    relevant items at ranks 1..k; the value is 0 if there are none.

    With item weights, each term is multiplied by the weight of its item, and
    the sum is also divided by the mean weight of the relevant items. P@i is not
    weighted.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: `"relevant"` (TREC), `"min"` or `"hits"`.
        relevance_threshold: the lowest label of a relevant item.
        labels: `"grades"`, or `"probabilities"` of relevance, for the
            expectation over all labellings; see `RankingMetric`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

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

    Stability: stable.
    """

    short_name: ClassVar[str] = "map"
    measure: ClassVar[TensorFn] = staticmethod(average_precision)
    expected_measure: ClassVar[TensorFn] = staticmethod(
        expected_average_precision
    )

    denominator: Literal["relevant", "min", "hits"] = "relevant"
    labels: Labels = "grades"


def map_at_r(ranking: Ranking, k: int | None) -> Tensor:
    """Return Σ precision(rank) over relevant ranks up to R, over R."""
    relevant = ranking.overall()
    precisions = ranking.total() * ranking.precision(relevant)
    return ops.divide_no_nan(ops.sum(precisions, axis=-1), relevant)


@metric
class MeanAveragePrecisionAtR(BinaryWholeList):
    """Mean average precision at R, for a list with R relevant items.

        MAP@R = (1 / R) Σ_{i=1..R} rel_i · P@i

    where rel_i is 1 if the item at rank i is relevant, else 0, and R counts the
    relevant items, retrieved or not. It is 1 if these are the first R, and
    looks at no others, as `RPrecision` does. Item weights only mask items.

    Args:
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecisionAtR
        >>> metric = MeanAveragePrecisionAtR()
        >>> float(metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))  # R is 2
        0.5

    Musgrave, Belongie and Lim, A Metric Learning Reality Check, ECCV (2020).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(map_at_r)


def q_measure(
    ranking: Ranking, k: int | None, beta: Annotated[float, Between(0)] = 1.0
) -> Tensor:
    """Return Σ (C(i) + β cg(i)) / (i + β cg*(i)) / R over ranks with a gain."""
    relevant = ranking.as_binary()
    ratios = relevant.total() * ranking.blended_ratio(beta, k)
    return ops.divide_no_nan(ops.sum(ratios, axis=-1), relevant.overall())


@metric
class QMeasure(AtK):
    """Q-measure at k: average precision for graded labels.

        Q@k = (1 / R) Σ_{i=1..k} I(i) (C(i) + β cg(i)) / (i + β cg*(i))

    where I(i) is 1 if the item at rank i has a gain above 0, else 0; C(i) is
    the number of such items at ranks 1..i and cg(i) the sum of their gains;
    cg*(i) is the sum of the gains at ranks 1..i of the ideal order of all
    items; and R is the number of items with a gain above 0, retrieved or not.
    As β approaches 0, Q approaches average precision. A list in which no item
    has a gain is empty. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        beta: the weight of gains relative to hits, above 0.
        gain_fn: the gain of a label, see `keras_rankmetrics.types.GainFn`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import QMeasure
        >>> value = QMeasure()([[0, 3, 1]], [[0.9, 0.8, 0.7]])
        >>> round(float(value), 4)  # the mean of 4 / (2 + 4) and 6 / (3 + 4)
        0.7619

    Sakai, New Performance Metrics based on Multigrade Relevance: Their
    Application to Question Answering, NTCIR-4 (2004).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(q_measure)
    relevance: ClassVar[TensorFn] = staticmethod(gain)

    beta: float = 1.0
    gain_fn: GainFn = linear_gain


def gap(
    ranking: Ranking,
    k: int | None,
    probabilities: Annotated[tuple[float, ...], Within(0)] = QUARTERS,
) -> Tensor:
    """Return Σ p Σ hits(i) / i over ranks of each grade or more, / Σ S(y)."""
    precisions = 0.0
    for grade, probability in enumerate(probabilities, start=1):
        relevant = ranking.with_gain(Relevance.from_grade(grade), ranking.k)
        found = ops.sum(relevant.total() * relevant.precision(k), axis=-1)
        precisions = precisions + probability * found
    return ops.divide_no_nan(precisions, ranking.overall())


@metric
class GradedAveragePrecision(AtK):
    """Graded average precision (GAP) at k.

        GAP@k = (Σ_{i=1..k} (1 / i) Σ_{m<=i} S(min(y_m, y_i))) / (Σ S(y))

    where y_i is the label of the item at rank i, and the last sum is over all
    items, retrieved or not. S(y) is the probability that a user considers an
    item with label y relevant. Users differ in the lowest grade they consider
    relevant: it is g with the g-th of the `probabilities`, and S(y) is the sum
    of these for g = 1, 2, ... y. GAP is then average precision averaged over
    users, where each user is weighted by the number of items relevant to them.
    For labels of 0 and 1 it is average precision. A list in which every S(y) is
    0 is empty. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        probabilities: the probabilities of the grades 1, 2, ...; by default
            four equally likely grades. Only their proportions matter. Labels
            above the last grade count as the last grade.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import GradedAveragePrecision
        >>> metric = GradedAveragePrecision(probabilities=(0.5, 0.3, 0.2))
        >>> value = metric([[0, 2, 1, 3]], [[0.9, 0.8, 0.7, 0.6]])
        >>> round(float(value), 5)
        0.56884

    Robertson, Kanoulas and Yilmaz, Extending Average Precision to Graded
    Relevance Judgments, SIGIR (2010).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(gap)
    relevance: ClassVar[TensorFn] = staticmethod(relevance_probability)

    probabilities: tuple[float, ...] = QUARTERS


Rounding = Literal["up", "nearest", "trec_eval_9"]

# A float within the tolerance of a fraction with a denominator up to the
# largest stands for that fraction: 0.6 is 3/5, and 0.1 + 0.2 is 3/10.
_LARGEST_DENOMINATOR = 2**20
_TOLERANCE = 2.0**-52


def iprec(
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
    ranking: Ranking, k: int | None, recalls: list[float], rounding: Rounding
) -> list[Tensor]:
    hits = ranking.total() * ranking.share(k)
    # Precision only falls between two relevant items, so that the maximum is
    # always at a relevant one.
    precisions = ops.where(hits > 0, ranking.precision(k), 0)
    found = ops.cumsum(hits, axis=-1)
    relevant = ranking.overall()
    best = []
    for recall in recalls:
        reached = found >= hits_for(recall, relevant, rounding)[:, None]
        values = ops.where(reached, precisions, 0)
        best.append(ops.max(values, axis=-1, initial=0))
    return best


def hits_for(recall: float, relevant: Tensor, rounding: Rounding) -> Tensor:
    """Return the number of hits that reach a recall, `[lists]`.

    Args:
        recall: r, a number from 0 to 1.
        relevant: R, the number of relevant items, `[lists]`.
        rounding: the rule that rounds r R to an integer.
    """
    with in_64_bits():
        hits = _ROUNDED[rounding](recall, ops.cast(relevant, "float64"))
        found = ops.cast(hits, relevant.dtype)
    return ops.cast(found, relevant.dtype)  # back on the default device


def _up(recall: float, relevant: Tensor) -> Tensor:
    """Return ⌈r R⌉, exact for every r that stands for a fraction."""
    exact = Fraction(recall)
    near = exact.limit_denominator(_LARGEST_DENOMINATOR)
    numerator, denominator = recall, 1.0
    if abs(near - exact) <= _TOLERANCE:
        numerator, denominator = float(near.numerator), float(near.denominator)
    product = numerator * relevant
    below = _floor(product / denominator)
    # The quotient is rounded; the products of integers are exact.
    return below + ops.cast(below * denominator < product, "float64")


def _nearest(recall: float, relevant: Tensor) -> Tensor:
    """Return r R, rounded to the nearest integer, halves up, like `lround`."""
    product = recall * relevant
    below = _floor(product)
    return below + ops.cast(product >= below + 0.5, "float64")


def _trec_eval_9(recall: float, relevant: Tensor) -> Tensor:
    """Return ⌊r R + 0.9⌋."""
    # `abs` changes no value. It keeps compilers from fusing the product and
    # the sum into one operation, which would round once instead of twice.
    return _floor(ops.abs(recall * relevant) + 0.9)


def _floor(x: Tensor) -> Tensor:
    # `ops.floor` of float64 returns float32 on some backends.
    return ops.cast(ops.cast(x, "int64"), "float64")


_ROUNDED = {"up": _up, "nearest": _nearest, "trec_eval_9": _trec_eval_9}


@metric
class InterpolatedPrecision(BinaryWholeList):
    """Interpolated precision: the best precision at a recall of at least r.

        IPrec@r = max P@i over all ranks i with R@i >= r

    where P@i and R@i are precision and recall at rank i. The value is 0 if no
    rank reaches that recall. The maximum has no exact mean over the orders of
    tied items, so `ties` defaults to `"stable"`. Item weights only mask items.

    With R relevant items, a recall of r needs ⌈r R⌉ hits. trec_eval rounds r R
    differently, and so may accept a lower recall.

    Args:
        recall: r, from 0 to 1. It ends the default name: `iprec@0.5`. A float
            stands for the closest simple fraction: 0.6 of 25 items is 15.
        rounding: the rule that rounds r R to a number of hits. `"up"`: to the
            next integer; `"nearest"`: to the nearest integer, halves up, as in
            trec_eval 10; `"trec_eval_9"`: ⌊r R + 0.9⌋, as in trec_eval 9 and
            pytrec_eval. The latter two compute in float64, like trec_eval.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `ties="average"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import InterpolatedPrecision
        >>> labels, scores = [[0, 1, 1, 0, 1]], [[0.9, 0.8, 0.7, 0.6, 0.5]]
        >>> metric = InterpolatedPrecision(recall=0.2)
        >>> value = metric(labels, scores)
        >>> metric.name, round(float(value), 4)  # at rank 3
        ('iprec@0.2', 0.6667)

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.

    Stability: stable.
    """

    option_in_name: ClassVar[str] = "recall"
    measure: ClassVar[TensorFn] = staticmethod(iprec)
    strict_order_under: ClassVar[Literal["always"]] = "always"

    recall: float = 0.5
    rounding: Rounding = "up"


@metric
class ElevenPointPrecision(BinaryWholeList):
    """Eleven-point average precision: mean precision over 11 recall levels.

        11pt = (IPrec@0 + IPrec@0.1 + ... + IPrec@1) / 11

    where IPrec@r is `InterpolatedPrecision`. It has no exact mean over the
    orders of tied items, so `ties` defaults to `"stable"`. Item weights only
    mask items.

    Args:
        rounding: the rule that rounds a recall to a number of hits: `"up"`,
            `"nearest"` as in trec_eval 10, or `"trec_eval_9"`, see
            `InterpolatedPrecision`.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `ties="average"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import ElevenPointPrecision
        >>> metric = ElevenPointPrecision()
        >>> value = metric([[1, 0, 0, 1]], [[0.9, 0.8, 0.7, 0.6]])
        >>> round(float(value), 4)  # 6 times 1, 5 times 2/4
        0.7727

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.

    Stability: stable.
    """

    short_name: ClassVar[str] = "11pt"
    measure: ClassVar[TensorFn] = staticmethod(eleven_point_precision)
    strict_order_under: ClassVar[Literal["always"]] = "always"

    rounding: Rounding = "up"

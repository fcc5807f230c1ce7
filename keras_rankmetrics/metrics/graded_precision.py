"""Average precision where labels are grades."""

from __future__ import annotations

from typing import Annotated

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking, Relevance
from keras_rankmetrics.gains import QUARTERS, linear_gain
from keras_rankmetrics.metrics.bases import AtK, register
from keras_rankmetrics.types import Between, GainFn, Tensor, Within


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

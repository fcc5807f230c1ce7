"""How many relevant items the first ranks hold: precision, recall and F1."""

from __future__ import annotations

from typing import Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import Binary, register
from keras_rankmetrics.types import (
    Tensor,
)


def precision(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """Hits / min(k, retrieved), or hits / k."""
    return ops.divide_no_nan(
        ranking.hits(k), _precision_denominator(ranking, k, denominator)
    )


@register
@declared
class PrecisionAtK(Binary):
    """Precision at k: the part of the first k items that is relevant.

        P@k = (relevant items at ranks 1..k) / min(k, retrieved items)

    or, with `denominator="k"`, over k. It is 0 where nothing is retrieved.
    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import PrecisionAtK
        >>> labels, scores = [[1, 0, 1]], [[0.9, 0.8, 0.7]]
        >>> round(float(PrecisionAtK(k=5)(labels, scores)), 4)  # 2 of 3
        0.6667
        >>> round(float(PrecisionAtK(k=5, denominator="k")(labels, scores)), 4)
        0.4

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.
    """

    short_name = "precision"
    measure = staticmethod(precision)
    needs_k_under = ("denominator", "k")

    denominator: Literal["retrieved", "k"] = "retrieved"


def recall(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["relevant", "min"] = "relevant",
) -> Tensor:
    """Hits / relevant, or hits / min(k, relevant)."""
    return ops.divide_no_nan(
        ranking.hits(k), recall_denominator(ranking, k, denominator)
    )


@register
@declared
class RecallAtK(Binary):
    """Recall at k: the part of the relevant items that is among the first k.

        R@k = (relevant items at ranks 1..k) / (relevant items)

    or, with `denominator="min"`, over min(k, relevant items), so that 1 can be
    reached. Relevant items that are not retrieved count in the denominator.
    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"relevant"` or `"min"`, see above.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import RecallAtK
        >>> labels, scores = [[1, 0, 1]], [[0.9, 0.8, 0.7]]
        >>> float(RecallAtK(k=1)(labels, scores))
        0.5
        >>> float(RecallAtK(k=1, denominator="min")(labels, scores))
        1.0

    Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008),
    section 8.4.
    """

    short_name = "recall"
    measure = staticmethod(recall)

    denominator: Literal["relevant", "min"] = "relevant"


def f1(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """2 hits / (the denominator of precision + relevant)."""
    return ops.divide_no_nan(
        2.0 * ranking.hits(k),
        _precision_denominator(ranking, k, denominator) + ranking.overall(),
    )


@register
@declared
class F1AtK(Binary):
    """F1 at k: the harmonic mean of precision and recall at k.

        F1@k = 2 P@k R@k / (P@k + R@k)
             = 2 (relevant items at ranks 1..k) / (D + relevant items)

    where D is what precision divides by. Item weights mask items, and do
    nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant if its label is at least that.
        shuffle_ties, seed, ties, empty, list_weight, inputs, name, dtype: as
            on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import F1AtK
        >>> metric = F1AtK(k=2)
        >>> float(metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))  # 2 / (2 + 2)
        0.5

    van Rijsbergen, Information Retrieval (1979), chapter 7.
    """

    short_name = "f1"
    measure = staticmethod(f1)
    needs_k_under = ("denominator", "k")

    denominator: Literal["retrieved", "k"] = "retrieved"


def _precision_denominator(
    ranking: Ranking, k: int | None, denominator: str
) -> Tensor:
    if denominator == "k" and k is not None:
        return ops.full_like(ranking.hits(k), float(k))
    return ranking.retrieved


def recall_denominator(
    ranking: Ranking, k: int | None, denominator: str
) -> Tensor:
    """The relevant items, or as many of them as `k` ranks can hold."""
    relevant = ranking.overall()
    if denominator == "min" and k is not None:
        return ops.minimum(relevant, float(k))
    return relevant

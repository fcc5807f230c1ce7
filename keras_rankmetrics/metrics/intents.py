"""Metrics of relevance, averaged over the subtopics of a list."""

from __future__ import annotations

from typing import Literal

from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.average_precision import average_precision
from keras_rankmetrics.metrics.bases import OfSubtopics, register
from keras_rankmetrics.metrics.first import hit_rate
from keras_rankmetrics.metrics.found import precision
from keras_rankmetrics.types import Tensor


def precision_ia(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """The mean over subtopics of hits / min(k, retrieved), or hits / k."""
    subtopics = ranking.by_subtopic()
    found = precision(subtopics.rows, k, denominator)
    return subtopics.mean(found)


@register
@declared
class PrecisionIA(OfSubtopics):
    """Intent-aware precision at k: the mean precision over the subtopics.

        P-IA@k = mean over subtopics t of
                 (items at ranks 1..k relevant to t) / min(k, retrieved items)

    or, with `denominator="k"`, over k. Item weights mask items, and do nothing
    else to the value.

    Args:
        k: how many ranks count, or None for all.
        denominator: what precision divides by: `"retrieved"`, the smaller of k
            and the number of retrieved items, or `"k"`, which needs k.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import PrecisionIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> float(PrecisionIA(k=2)(labels, [[3.0, 2.0, 1.0]]))  # (2/2 + 0) / 2
        0.5

    Agrawal et al., Diversifying Search Results, WSDM (2009).
    """

    short_name = "precision_ia"
    measure = staticmethod(precision_ia)
    needs_k_under = ("denominator", "k")

    denominator: Literal["retrieved", "k"] = "retrieved"


def average_precision_ia(ranking: Ranking, k: int | None) -> Tensor:
    """The mean of average precision over the subtopics."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(average_precision(subtopics.rows, k))


@register
@declared
class MeanAveragePrecisionIA(OfSubtopics):
    """Intent-aware average precision: its mean over the subtopics.

        AP-IA@k = mean over subtopics t of AP@k, with what is relevant to t

    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import MeanAveragePrecisionIA
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> value = MeanAveragePrecisionIA()(labels, [[3.0, 2.0, 1.0]])
        >>> round(float(value), 4)  # (1 + 1/3) / 2
        0.6667

    Agrawal et al., Diversifying Search Results, WSDM (2009).
    """

    short_name = "map_ia"
    measure = staticmethod(average_precision_ia)


def subtopic_recall(ranking: Ranking, k: int | None) -> Tensor:
    """The part of the subtopics of which the first k ranks hold an item."""
    subtopics = ranking.by_subtopic()
    return subtopics.mean(hit_rate(subtopics.rows, k))


@register
@declared
class SubtopicRecall(OfSubtopics):
    """Subtopic recall at k: the part of the subtopics that is covered.

        S-recall@k = (subtopics with a relevant item at ranks 1..k) / subtopics

    Item weights mask items, and do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        relevance_threshold: an item is relevant to a subtopic if its label is
            at least that.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. No other `inputs` than
            `"scores"` has a meaning.

    Example:
        >>> from keras_rankmetrics import SubtopicRecall
        >>> labels = [[[1, 0], [1, 0], [0, 1]]]
        >>> float(SubtopicRecall(k=2)(labels, [[3.0, 2.0, 1.0]]))
        0.5

    Zhai, Cohen and Lafferty, Beyond Independent Relevance, SIGIR (2003).
    """

    short_name = "subtopic_recall"
    measure = staticmethod(subtopic_recall)

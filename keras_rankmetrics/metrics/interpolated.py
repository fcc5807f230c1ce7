"""The precision that a recall costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import BinaryOfWholeLists, register
from keras_rankmetrics.types import Tensor, Within

# Of what makes up a recall so much may be missing, by rounding alone.
_ROUNDING = 2.0**-21


def interpolated_precision(
    ranking: Ranking,
    k: int | None,
    recall: Annotated[float, Within(0, 1)] = 0.5,
) -> Tensor:
    """Max P@i over the ranks i with a recall of at least `recall`."""
    return _at_recalls(ranking, k, [recall])[0]


def eleven_point_precision(ranking: Ranking, k: int | None) -> Tensor:
    """The mean of the same over the recalls of 0, 0.1, ... 1."""
    recalls = [tenths / 10 for tenths in range(11)]
    return sum(_at_recalls(ranking, k, recalls)) / len(recalls)


def _at_recalls(
    ranking: Ranking, k: int | None, recalls: Sequence[float]
) -> list[Tensor]:
    hits = ranking.total() * ranking.share(k)
    # From one relevant item to the next, the precision only falls.
    precisions = ops.where(hits > 0, ranking.precision(k), 0)
    found = ops.cumsum(hits, axis=-1)
    relevant = (1.0 - _ROUNDING) * ranking.overall()[:, None]
    there = [found >= recall * relevant for recall in recalls]
    return [
        ops.max(ops.where(enough, precisions, 0), axis=-1, initial=0)
        for enough in there
    ]


@register
@declared
class InterpolatedPrecision(BinaryOfWholeLists):
    """Interpolated precision: the best one with a recall of at least r.

        IPrec@r = max P@i over all ranks i with R@i >= r

    where P@i and R@i are precision and recall at the rank i. It is 0 where no
    rank has that recall. The maximum has no exact mean over tied orders: `ties`
    defaults to `"stable"`. Item weights mask items, and do nothing else to the
    value.

    trec_eval asks for ⌊r R + 0.9⌋ of R relevant items: for the tenths that is
    the same, but where its product is rounded down (of 3 items, 2 have a recall
    of 0.7 there).

    Args:
        recall: r, from 0 to 1, which the name ends with: `iprec@0.5`.
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


@register
@declared
class ElevenPointPrecision(BinaryOfWholeLists):
    """Eleven-point average precision: the mean precision over recalls.

        11pt = (IPrec@0 + IPrec@0.1 + ... + IPrec@1) / 11

    where IPrec@r is that of `InterpolatedPrecision`. It has no exact mean over
    tied orders: `ties` defaults to `"stable"`. Item weights mask items, and do
    nothing else to the value.

    Args:
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

"""Popularity, novelty and serendipity of the items shown."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.metrics.bases import (
    ExposureMetric,
    RelevantExposureMetric,
    metric,
)
from keras_rankmetrics.types import OfItems, Tensor

__all__ = [
    "AveragePopularity",
    "Novelty",
    "PopularityLift",
    "Serendipity",
    "TailShare",
]


def mean_shown(ranking: Ranking, k: int | None, table: Any) -> Tensor:
    """Return the mean of an item property over the items shown, `[lists]`."""
    total = ranking.shown(
        lambda items: ops.sum(items.chance * items.at(table), axis=-1), k
    )
    return ops.divide_no_nan(total, ranking.number_shown(k))


def average_popularity(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[
        Any, OfItems("the popularity of items", low=0)
    ] = None,
) -> Tensor:
    """Return the mean popularity of the items shown."""
    return mean_shown(ranking, k, popularity)


@metric
class AveragePopularity(ExposureMetric):
    """Average popularity at k: how popular the items shown are.

        ARP@k = (Σ_{i=1..m} popularity of the item at rank i) / m

    for the m items within rank k. Labels do not affect the value. A list that
    shows no items is excluded by default.

    Args:
        k: the cutoff, or None for all ranks.
        popularity: `[items]`, the popularity of each item in any unit, such as
            the number of purchases or the share of users. Items are indexed by
            their position in `y_pred` or, with `inputs="ids"`, by their id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import AveragePopularity
        >>> metric = AveragePopularity(2, popularity=[9, 4, 1], inputs="ids")
        >>> float(metric([[0]], [[1, 2, 0]]))  # (4 + 1) / 2
        2.5

    Yin et al., Challenging the Long Tail Recommendation, VLDB (2012).
    """

    short_name = "popularity"
    measure = staticmethod(average_popularity)
    of_catalogue = "popularity"
    has_upper_bound = False
    more_is_better = False
    aggregate = WeightedMean(bounded=False)

    popularity: Any = None


def novelty(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[
        Any, OfItems("shares of users", high=1, above=0)
    ] = None,
) -> Tensor:
    """Return the mean of -log2(share) over the items shown."""
    return mean_shown(ranking, k, derived(self_information, popularity))


def self_information(share: np.ndarray) -> np.ndarray:
    """Return -log2(share), in bits."""
    return -np.log2(share, dtype="float64") + 0.0


@metric
class Novelty(ExposureMetric):
    """Novelty at k: the mean self-information of the items shown.

        novelty@k = (Σ_{i=1..m} -log2(share of the item at rank i)) / m

    for the m items within rank k, where the share of an item is the share of
    users who know it: the fewer users know an item, the more novel it is. Also
    known as mean inverse user frequency (MIUF). Labels do not affect the value.
    A list that shows no items is excluded by default.

    Args:
        k: the cutoff, or None for all ranks.
        popularity: `[items]`, the share of users who know each item, above 0
            and at most 1. Give items that nobody knows the share of a fraction
            of a user, such as half of one. Items are indexed by their position
            in `y_pred` or, with `inputs="ids"`, by their id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import Novelty
        >>> novelty = Novelty(2, popularity=[1, 0.5, 0.25], inputs="ids")
        >>> float(novelty([[0]], [[1, 2, 0]]))  # (1 + 2) / 2
        1.5

    Zhou et al., PNAS 107 (2010); Castells, Vargas and Wang, DDR (2011).
    """

    short_name = "novelty"
    measure = staticmethod(novelty)
    of_catalogue = "popularity"
    has_upper_bound = False
    aggregate = WeightedMean(bounded=False)

    popularity: Any = None


def tail_share(
    ranking: Ranking,
    k: int | None,
    is_tail: Annotated[
        Any, OfItems("flags of tail items", low=0, high=1)
    ] = None,
) -> Tensor:
    """Return the share of tail items among the items shown."""
    return mean_shown(ranking, k, is_tail)


@metric
class TailShare(ExposureMetric):
    """Tail share at k: the share of long-tail items among the items shown.

        APLT@k = (tail items at ranks 1..k) / m

    for the m items within rank k; also known as the average percentage of
    long-tail items. Labels do not affect the value. A list that shows no items
    is excluded by default.

    Args:
        k: the cutoff, or None for all ranks.
        is_tail: `[items]`, True or 1 for each tail item. Items are indexed by
            their position in `y_pred` or, with `inputs="ids"`, by their id.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import TailShare
        >>> tail = [False, False, True, True]
        >>> float(TailShare(2, is_tail=tail, inputs="ids")([[0]], [[1, 2]]))
        0.5

    Abdollahpouri, Burke and Mobasher, FLAIRS (2019).
    """

    short_name = "tail"
    measure = staticmethod(tail_share)
    of_catalogue = "is_tail"

    is_tail: Any = None


def shows_and_has_gain(ranking: Ranking) -> Tensor:
    """Return True for lists that show an item and have a relevant one."""
    return ranking.has_gain() & ranking.shows_any()


def popularity_lift(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[
        Any, OfItems("the popularity of items", low=0)
    ] = None,
) -> Tensor:
    """Return mean popularity of the items shown / that of the profile, - 1."""
    profile = ranking.mean_of_relevant(popularity)
    lift = mean_shown(ranking, k, popularity) - profile
    return ops.divide_no_nan(lift, profile)


@metric
class PopularityLift(RelevantExposureMetric):
    """Popularity lift at k: how much more popular items are than the profile.

        lift@k = (mean popularity of the items at ranks 1..k) / (profile's) - 1

    The profile of a list consists of its relevant items, retrieved or not: the
    user's own choices. 0 means that the items shown are as popular as the
    profile, 1 that they are twice as popular. A list without a profile, or that
    shows no items, is excluded by default (see `empty`). The value is 0 if the
    profile has popularity 0.

    This is the mean of the lifts of lists. (Abdollahpouri et al. average over
    the users of a group before they divide.)

    Args:
        k: the cutoff, or None for all ranks.
        popularity: `[items]`, the popularity of each item in any unit. Items
            are indexed by their position in `y_pred` or, with `inputs="ids"`,
            by their id.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import PopularityLift
        >>> metric = PopularityLift(2, popularity=[9, 3, 1], inputs="ids")
        >>> float(metric([[1, 2]], [[0, 1]]))  # 6 against 2
        2.0

    Abdollahpouri et al., The Connection Between Popularity Bias, Calibration,
    and Fairness in Recommendation, RecSys (2020).
    """

    short_name = "popularity_lift"
    measure = staticmethod(popularity_lift)
    has_value = staticmethod(shows_and_has_gain)
    of_catalogue = "popularity"
    has_upper_bound = False
    more_is_better = False
    aggregate = WeightedMean(bounded=False)

    popularity: Any = None


def popularity_ranks(popularity: np.ndarray) -> np.ndarray:
    """Return dense ranks from 1, the most popular; n + 1 for popularity 0."""
    _, rank = np.unique(-popularity, return_inverse=True)
    return np.where(popularity > 0, rank + 1, len(popularity) + 1)


def serendipity(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[
        Any, OfItems("the popularity of items", low=0)
    ] = None,
) -> Tensor:
    """Return the mean of rel max(popularity rank - rank, 0) / n over ranks."""
    popular = derived(popularity_ranks, popularity)

    def surprise(items: Shown) -> Tensor:
        # Only those of an item's possible ranks count that are above its
        # popularity rank.
        room = items.at(popular) - items.start
        ranks = ops.minimum(items.ranks, ops.maximum(room - 1.0, 0.0))
        total = ranks * (room - (ranks + 1.0) / 2.0) / items.size
        return ops.sum(items.gains() * total, axis=-1)

    shown = ranking.number_shown(k) * float(len(popular))
    return ops.divide_no_nan(ranking.shown(surprise, k), shown)


@metric
class Serendipity(RelevantExposureMetric):
    """Serendipity at k: relevant items that popularity would not have shown.

        serendipity@k = (Σ_{i=1..m} max(p(i) - p(q_i), 0) · rel_i) / m,
        p(rank) = (n + 1 - rank) / n

    for the m items within rank k and the n items of the catalogue. q_i is the
    popularity rank of the item at rank i: equally popular items share a rank,
    and the next less popular ones have the next rank. p(q_i) stands for the
    probability that any user is shown the item; it is 0 for items of popularity
    0. A list that shows no items is excluded by default; one without relevant
    items has the value 0.

    Args:
        k: the cutoff, or None for all ranks.
        popularity: `[items]`, how often each item was chosen. Items are indexed
            by their position in `y_pred` or, with `inputs="ids"`, by their id.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import Serendipity
        >>> metric = Serendipity(1, popularity=[9, 3, 3, 0], inputs="ids")
        >>> float(metric([[1], [0]], [[1], [0]]))  # 4/4 - 3/4, and 0
        0.125

    After "Recommender Systems: It's Not All About the Accuracy" (Lab41, 2016),
    as implemented in RecTools.
    """

    short_name = "serendipity"
    measure = staticmethod(serendipity)
    of_catalogue = "popularity"

    popularity: Any = None

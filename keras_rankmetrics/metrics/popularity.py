"""Popularity of the items shown, novelty and serendipity."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared, derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.metrics.bases import (
    AboutItems,
    AboutRelevantItems,
    register,
)
from keras_rankmetrics.types import OfItems, Tensor

# How popular the items are that lists show.


def mean_shown(ranking: Ranking, k: int | None, table: Any) -> Tensor:
    """The mean of a table over the items that are shown."""
    total = ranking.shown(
        lambda items: ops.sum(items.chance * items.at(table), axis=-1), k
    )
    return ops.divide_no_nan(total, ranking.number_shown(k))


def average_popularity(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[Any, OfItems("how popular items are", low=0)] = None,
) -> Tensor:
    """The mean popularity of the items that are shown."""
    return mean_shown(ranking, k, popularity)


@register
@declared
class AveragePopularity(AboutItems):
    """Average popularity at k: how popular the items are that lists show.

        ARP@k = (Σ_{i=1..m} popularity of the item at rank i) / m

    for the m items within rank k. What labels say does not matter. A list that
    shows no item does not count by default.

    Args:
        k: how many ranks count, or None for all.
        popularity: `[items]`, how popular each item is, in any unit: how often
            it was bought, or by which share of the users. The number of an item
            is its place among the scores, or its id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `empty="one"` nor `adjusted` has a meaning.

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
        Any, OfItems("by which share of users items are known", high=1, above=0)
    ] = None,
) -> Tensor:
    """The mean of -log2(share) over the items that are shown."""
    return mean_shown(ranking, k, derived(self_information, popularity))


def self_information(share: np.ndarray) -> np.ndarray:
    """In bits."""
    return -np.log2(share, dtype="float64") + 0.0


@register
@declared
class Novelty(AboutItems):
    """Novelty at k: the mean self-information of the items that lists show.

        novelty@k = (Σ_{i=1..m} -log2(share of the item at rank i)) / m

    for the m items within rank k, where the share is that of the users who know
    the item: the less likely it is that one does, the newer is the item. It is
    also known as MIUF, the mean inverse user frequency. What labels say does
    not matter. A list that shows no item does not count by default.

    Args:
        k: how many ranks count, or None for all.
        popularity: `[items]`, by which share of the users each item is known,
            above 0 and at most 1. Give an item that nobody knows the share of
            less than one user, such as half of one. The number of an item is
            its place among the scores, or its id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `empty="one"` nor `adjusted` has a meaning.

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
        Any, OfItems("whether items are of the tail", low=0, high=1)
    ] = None,
) -> Tensor:
    """The share of tail items of those that are shown."""
    return mean_shown(ranking, k, is_tail)


@register
@declared
class TailShare(AboutItems):
    """Tail share at k: which part of what lists show is of the long tail.

        APLT@k = (items of the tail at ranks 1..k) / m

    for the m items within rank k, also known as the average percentage of long
    tail items. What labels say does not matter. A list that shows no item does
    not count by default.

    Args:
        k: how many ranks count, or None for all.
        is_tail: `[items]`, True or 1 for each item of the tail. The number of
            an item is its place among the scores, or its id.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

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
    """Which lists show an item and have a relevant one."""
    return ranking.has_gain() & ranking.shows_any()


def popularity_lift(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[Any, OfItems("how popular items are", low=0)] = None,
) -> Tensor:
    """The mean popularity of what is shown over that of the profile, less 1."""
    profile = ranking.mean_of_relevant(popularity)
    lift = mean_shown(ranking, k, popularity) - profile
    return ops.divide_no_nan(lift, profile)


@register
@declared
class PopularityLift(AboutRelevantItems):
    """Popularity lift at k: how much more popular items are than the profile.

        lift@k = (mean popularity of the items at ranks 1..k) / (profile's) - 1

    The profile of a list are its relevant items, retrieved or not: what the
    user has chosen himself. 0 means that the list shows items that are as
    popular as these, and 1 that they are twice as popular. A list without a
    profile, or that shows no item, has no value: it counts by `empty`, and not
    at all by default. Where the profile has the popularity 0, it is 0.

    This is the mean of the lifts of lists. (Abdollahpouri et al. take means
    over the users of a group before they divide.)

    Args:
        k: how many ranks count, or None for all.
        popularity: `[items]`, how popular each item is, in any unit. The number
            of an item is its place among the scores, or its id.
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `empty="one"` nor `adjusted` has a meaning.

    Example:
        >>> from keras_rankmetrics import PopularityLift
        >>> metric = PopularityLift(2, popularity=[9, 3, 1], inputs="ids")
        >>> float(metric([[1, 2]], [[0, 1]]))  # 6 beside 2
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


# How many relevant items lists show that nobody else would have shown.


def popularity_ranks(popularity: np.ndarray) -> np.ndarray:
    """1 for the most popular items, and n + 1 for those of no popularity."""
    _, rank = np.unique(-popularity, return_inverse=True)
    return np.where(popularity > 0, rank + 1, len(popularity) + 1)


def serendipity(
    ranking: Ranking,
    k: int | None,
    popularity: Annotated[Any, OfItems("how popular items are", low=0)] = None,
) -> Tensor:
    """The mean of rel max(popularity rank - rank, 0) / n over the ranks."""
    popular = derived(popularity_ranks, popularity)

    def of(items: Shown) -> Tensor:
        # As many of its ranks count, and are before that of its popularity.
        room = items.at(popular) - items.start
        ranks = ops.minimum(items.ranks, ops.maximum(room - 1.0, 0.0))
        total = ranks * (room - (ranks + 1.0) / 2.0) / items.size
        return ops.sum(items.gains() * total, axis=-1)

    shown = ranking.number_shown(k) * float(len(popular))
    return ops.divide_no_nan(ranking.shown(of, k), shown)


@register
@declared
class Serendipity(AboutRelevantItems):
    """Serendipity at k: relevant items that are not the popular ones.

        serendipity@k = (Σ_{i=1..m} max(p(i) - p(q_i), 0) · rel_i) / m,
        p(rank) = (n + 1 - rank) / n

    for the m items within rank k, and the n items of the catalogue. q_i is the
    rank of the item at rank i by its popularity, where all that are as popular
    have the same one, and the next less popular ones the next: so p(q_i) is how
    likely anybody is to be shown it. For items of no popularity it is 0. A list
    that shows no item does not count by default, and one without relevant items
    has 0.

    Args:
        k: how many ranks count, or None for all.
        popularity: `[items]`, how often each item was chosen. The number of an
            item is its place among the scores, or its id.
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import Serendipity
        >>> metric = Serendipity(1, popularity=[9, 3, 3, 0], inputs="ids")
        >>> float(metric([[1], [0]], [[1], [0]]))  # 4/4 - 3/4, and 0
        0.125

    After "Recommender Systems: It's Not All About the Accuracy" (Lab41, 2016),
    as RecTools has it.
    """

    short_name = "serendipity"
    measure = staticmethod(serendipity)
    of_catalogue = "popularity"

    popularity: Any = None

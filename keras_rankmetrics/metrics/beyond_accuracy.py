"""Beyond accuracy: popularity, novelty, diversity and fairness of exposure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import derived
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.gains import log2_discount
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.types import OfItems, RankDiscountFn, Tensor, TensorFn

__all__ = [
    "AttentionWeightedFairness",
    "AveragePopularity",
    "ExpectedExposureLoss",
    "IntraListDiversity",
    "Novelty",
    "PopularityLift",
    "Serendipity",
    "TailShare",
]

_RANKED = 16  # items, of which each has a popularity of its own by no accident
_ROUNDING = 1e-6  # of similarities in single precision
# Options with numbers for each item of a catalogue.
Popularity = Annotated[Any, OfItems("the popularity of items", low=0)]
Familiarity = Annotated[Any, OfItems("shares of users", high=1, above=0)]
TailFlags = Annotated[Any, OfItems("flags of tail items", low=0, high=1)]
Vectors = Annotated[Any, OfItems("vectors of items", dimensions=2)]
Groups = Annotated[
    Any, OfItems("shares of groups", low=0, high=1, dimensions=2)
]


def mean_shown(ranking: Ranking, k: int | None, table: Any) -> Tensor:
    """Return the mean of an item property over the items shown, `[lists]`."""
    total = ranking.shown(
        lambda items: ops.sum(items.probability * items.at(table), axis=-1), k
    )
    return ops.divide_no_nan(total, ranking.number_shown(k))


def check_popularity(options: Mapping[str, Any]) -> None:
    """Warn if the popularity of items may be their ranks."""
    popularity = options["popularity"]
    number = len(popularity)
    steps = np.diff(popularity)
    are_sorted = (steps > 0).all() or (steps < 0).all()  # as in an example
    if number < _RANKED or are_sorted:
        return
    if np.array_equal(np.sort(popularity), np.arange(1, number + 1)):
        warn(
            "`popularity` should be higher for more popular items. Received: "
            f"1, 2, 3, ..., {number:,} once each, as ranks are. If 1 is the "
            "most popular item, pass the counts that were ranked, or "
            f"`len(ranks) + 1 - ranks`; if {number:,} is, all is well."
        )


def average_popularity(
    ranking: Ranking, k: int | None, popularity: Popularity = None
) -> Tensor:
    """Return the mean popularity of the items shown."""
    return mean_shown(ranking, k, popularity)


@bases.metric
class AveragePopularity(bases.Unbounded, bases.ExposureMetric):
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

    Stability: stable.
    """

    short_name: ClassVar[str] = "popularity"
    measure: ClassVar[TensorFn] = staticmethod(average_popularity)
    check_options = staticmethod(check_popularity)
    of_catalogue: ClassVar[str] = "popularity"
    more_is_better = False

    popularity: Any = None


def novelty(
    ranking: Ranking, k: int | None, popularity: Familiarity = None
) -> Tensor:
    """Return the mean of -log2(share) over the items shown."""
    return mean_shown(ranking, k, derived(self_information, popularity))


def self_information(share: np.ndarray) -> np.ndarray:
    """Return -log2(share), in bits."""
    return -np.log2(share, dtype="float64") + 0.0


@bases.metric
class Novelty(bases.Unbounded, bases.ExposureMetric):
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
            of a user, such as half of one. Shares of interactions, which sum to
            1, add the same number of bits to all values. Items are indexed by
            their position in `y_pred` or, with `inputs="ids"`, by their id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import Novelty
        >>> novelty = Novelty(2, popularity=[1, 0.5, 0.25], inputs="ids")
        >>> float(novelty([[0]], [[1, 2, 0]]))  # (1 + 2) / 2
        1.5

    Zhou et al., PNAS 107 (2010); Castells, Vargas and Wang, DDR (2011).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(novelty)
    of_catalogue: ClassVar[str] = "popularity"

    popularity: Any = None


def tail_share(
    ranking: Ranking, k: int | None, is_tail: TailFlags = None
) -> Tensor:
    """Return the share of tail items among the items shown."""
    return mean_shown(ranking, k, is_tail)


@bases.metric
class TailShare(bases.ExposureMetric):
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

    Stability: stable.
    """

    short_name: ClassVar[str] = "tail"
    measure: ClassVar[TensorFn] = staticmethod(tail_share)
    of_catalogue: ClassVar[str] = "is_tail"

    is_tail: Any = None

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ValueError if all items are tail items."""
        flags = options["is_tail"]
        if len(flags) > 1 and (flags == 1).all():
            raise ValueError(
                "`is_tail` should be 1 for tail items, and 0 for others. "
                "Received: 1 for each. Look for what made the flags."
            )


def shows_and_has_gain(ranking: Ranking) -> Tensor:
    """Return True for lists that show an item and have a relevant one."""
    return ranking.has_gain() & ranking.shows_any()


def popularity_lift(
    ranking: Ranking, k: int | None, popularity: Popularity = None
) -> Tensor:
    """Return mean popularity of the items shown / that of the profile, - 1."""
    profile = ranking.mean_of_relevant(popularity)
    lift = mean_shown(ranking, k, popularity) - profile
    return ops.divide_no_nan(lift, profile)


@bases.metric
class PopularityLift(bases.Unbounded, bases.RelevantExposureMetric):
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

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(popularity_lift)
    check_options = staticmethod(check_popularity)
    has_value: ClassVar[TensorFn] = staticmethod(shows_and_has_gain)
    of_catalogue: ClassVar[str] = "popularity"
    more_is_better = False

    popularity: Any = None


def popularity_ranks(popularity: np.ndarray) -> np.ndarray:
    """Return dense ranks from 1, the most popular; n + 1 for popularity 0."""
    _, rank = np.unique(-popularity, return_inverse=True)
    return np.where(popularity > 0, rank + 1, len(popularity) + 1)


def serendipity(
    ranking: Ranking, k: int | None, popularity: Popularity = None
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


@bases.metric
class Serendipity(bases.RelevantExposureMetric):
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

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(serendipity)
    of_catalogue: ClassVar[str] = "popularity"

    popularity: Any = None


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    """Return the vectors scaled to length 1; zero vectors stay zero."""
    vectors = vectors.astype("float64")
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, np.where(length > 0, length, 1.0))


def shows_two(ranking: Ranking) -> Tensor:
    """Return True for lists that show at least two items."""
    return ranking.number_shown() > 1


def ild(ranking: Ranking, k: int | None, vectors: Vectors = None) -> Tensor:
    """Return 1 - the mean cosine similarity of two shown items."""
    units = derived(unit_vectors, vectors)
    lengths = (units**2).sum(axis=-1)

    def sums(items: Shown) -> tuple[Tensor, ...]:
        certain = ops.cast(items.is_certain & (items.ranks > 0), items.dtype)
        split = ops.cast(items.probability > 0, items.dtype) - certain
        return tuple(
            total
            for x in (certain, split)
            for total in (
                items.times(x, units),
                ops.sum(x * items.at(lengths), axis=-1),
                ops.sum(x, axis=-1),
            )
        )

    # All tied items that the cutoff splits are equally likely to be shown.
    inside, own, certain, maybe, own_maybe, split = ranking.shown(sums, k)
    shown = ranking.number_shown(k)
    drawn = shown - certain
    pairs = ops.sum(inside**2, axis=-1) - own
    across = 2.0 * ops.sum(inside * maybe, axis=-1)
    pairs += ops.divide_no_nan(drawn, split) * across
    both = ops.divide_no_nan(drawn * (drawn - 1.0), split * (split - 1.0))
    pairs += both * (ops.sum(maybe**2, axis=-1) - own_maybe)
    return 1.0 - ops.divide_no_nan(pairs, shown * (shown - 1.0))


@bases.metric
class IntraListDiversity(bases.Unbounded, bases.ExposureMetric):
    """Intra-list diversity (ILD) at k: how different the items of a list are.

        ILD@k = mean of 1 - cos(v_i, v_j) over all pairs of the first k items

    where v_i is the vector of item i. With a 0/1 vector of the categories of
    each item, it is the diversity of categories. A zero vector has distance 1
    from all others. Labels do not affect the value. A list that shows fewer
    than two items is excluded by default.

    If items tie at the cutoff, every pair of them is equally likely to be
    shown, so the mean over all orders follows from sums of vectors, without
    looking at pairs. Memory grows with the vectors of all ranks that count, so
    set k for a large catalogue.

    Args:
        k: the cutoff, or None for all ranks.
        vectors: `[items, d]`, a vector for each item. Items are indexed by
            their position in `y_pred` or, with `inputs="ids"`, by their id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import IntraListDiversity
        >>> genres = [[1, 0], [1, 0], [0, 1]]
        >>> metric = IntraListDiversity(3, vectors=genres, inputs="ids")
        >>> round(float(metric([[0]], [[0, 1, 2]])), 4)  # 2 of 3 pairs
        0.6667

    Ziegler et al., WWW (2005); Zhang and Hurley, RecSys (2008).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(ild)
    has_value: ClassVar[TensorFn] = staticmethod(shows_two)
    of_catalogue: ClassVar[str] = "vectors"

    vectors: Any = None

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Warn if the vectors may be similarities of items, or codes."""
        vectors = options["vectors"]
        if may_be_similarities(vectors):
            received = "a number for each two items, as similarities are"
        elif vectors.shape[1] == 1 and len(np.unique(vectors)) > 2:
            received = "one number for each item, as codes of categories are"
        else:
            return
        warn(
            "`vectors` should have a vector for each item. Received: "
            f"{received}. For similarities, pass the vectors that they "
            "were made of; for codes, a column of 0 and 1 for each."
        )


def may_be_similarities(vectors: np.ndarray) -> bool:
    """Return True for a symmetric square, highest on all of its diagonal.

    Vectors of 0 and 1 may be such a square, too.
    """
    items, size = vectors.shape
    if items != size or size < 3 or np.isin(vectors, (0, 1)).all():
        return False
    highest, diagonal = np.abs(vectors).max(), np.diag(vectors)
    is_highest = np.allclose(diagonal, highest, rtol=_ROUNDING, atol=0)
    return is_highest and np.allclose(vectors, vectors.T, atol=0)


def normalized(target: np.ndarray) -> np.ndarray:
    """Return the numbers scaled to sum to 1."""
    return target / target.sum(dtype="float64")


def awrf(
    ranking: Ranking,
    k: int | None,
    groups: Groups = None,
    target: Annotated[
        Any, OfItems("shares of the attention", low=0, each="group")
    ] = None,
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return 1 - the divergence of the exposure of groups from the target."""
    exposure = ranking.shown(
        lambda items: items.times(items.exposure(rank_discount_fn), groups), k
    )
    total = ops.sum(exposure, axis=-1, keepdims=True)
    actual = ops.divide_no_nan(exposure, total)
    fair = ops.cast(ops.array(derived(normalized, target)), actual.dtype)
    middle = (actual + fair) / 2.0
    divergence = sum(
        ops.sum(share * log2_ratio(share, middle), axis=-1) / 2.0
        for share in (actual, ops.broadcast_to(fair, ops.shape(actual)))
    )
    return ops.where(total[:, 0] > 0, 1.0 - divergence, 0.0)


def log2_ratio(share: Tensor, middle: Tensor) -> Tensor:
    """Return log2(share / middle), or 0 where the share is 0."""
    ratio = ops.divide_no_nan(share, middle)
    return ops.log2(ops.where(share > 0, ratio, 1.0))


@bases.metric
class AttentionWeightedFairness(bases.ExposureMetric):
    """Attention-weighted rank fairness (AWRF) at k.

        AWRF@k = 1 - JS(a, target),   a_g ∝ Σ_{i=1..k} discount(i) · G_ig

    where G_ig is the share of the item at rank i in group g, so that a_g is the
    share of users' attention that goes to group g. JS is the Jensen-Shannon
    divergence with base-2 logarithms: 0 for equal shares, 1 for shares that
    have no group in common. Labels do not affect the value. A list that shows
    no items is excluded by default; one whose items belong to no group is 0.

    If items tie, a is the expected attention of the groups over all orders of
    the tied items. This is the attention under a ranking that draws a new order
    each time, not the mean of the values of single orders; for the latter use
    `ties="shuffle"`.

    Args:
        k: the cutoff, or None for all ranks.
        groups: `[items, groups]`, for each item a 1 for its group and 0
            elsewhere, or its shares of several groups. A row of zeros is an
            item of unknown group. Items are indexed by their position in
            `y_pred` or, with `inputs="ids"`, by their id.
        target: `[groups]`, the share of the attention that each group should
            get. Only proportions matter.
        rank_discount_fn: the attention that a rank gets, see
            `keras_rankmetrics.types.RankDiscountFn`.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import AttentionWeightedFairness
        >>> fairness = AttentionWeightedFairness(
        ...     2, groups=[[1, 0], [1, 0], [0, 1]], target=[1, 1], inputs="ids"
        ... )
        >>> values = fairness.per_list([[0], [0]], [[0, 1], [0, 2]])
        >>> [round(float(value), 4) for value in values]
        [0.6887, 0.9906]

    Sapiezynski et al., Quantifying the Impact of User Attention on Fair Group
    Representation in Ranked Lists, WWW (2019); Raj and Ekstrand, SIGIR (2022).
    The TREC 2022 Fair Ranking track uses the divergence too, with the natural
    logarithm and the discount `original_discount`.

    Stability: stable.
    """

    averages_orders = False
    measure: ClassVar[TensorFn] = staticmethod(awrf)
    of_catalogue: ClassVar[str] = "groups"

    groups: Any = None
    target: Any = None
    rank_discount_fn: RankDiscountFn = log2_discount

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ValueError if the target does not fit the groups."""
        groups, target = options["groups"].shape[1], options["target"]
        if len(target) != groups or not target.sum() > 0:
            raise ValueError(
                f"`target` should hold one number for each of the {groups} "
                f"groups, at least one above 0. Received: {target.tolist()}."
            )


def ee_loss(
    ranking: Ranking,
    k: int | None,
    part: Literal["loss", "disparity", "relevance"] = "loss",
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return Σ (e - e*)², Σ e², or 2 Σ e e*."""

    def exposure(items: Shown) -> Tensor:
        return items.exposure(rank_discount_fn)

    if part == "disparity":
        return ranking.shown(lambda x: ops.sum(exposure(x) ** 2, axis=-1), k)
    relevant, others = ranking.overall(), ranking.others()
    ranked = ops.zeros_like(relevant), relevant, relevant + others
    due, due_to_others = (
        ops.divide_no_nan(
            ranking.sum_over_ranks(rank_discount_fn, start, stop), stop - start
        )
        for start, stop in (ranked[:2], ranked[1:])
    )

    def ideal(gains: Tensor) -> Tensor:
        return ops.where(gains > 0, due[:, None], due_to_others[:, None])

    def product(items: Shown) -> Tensor:
        return ops.sum(exposure(items) * ideal(items.gains()), axis=-1)

    if part == "relevance":
        return 2.0 * ranking.shown(product, k)

    def sums(items: Shown) -> tuple[Tensor, ...]:
        e, gains = exposure(items), items.gains()
        shown = ops.cast(items.ranks > 0, e.dtype)
        terms = shown * (e - ideal(gains)) ** 2, shown * gains, shown
        return tuple(ops.sum(x, axis=-1) for x in terms)

    loss, relevant_shown, shown = ranking.shown(sums, k)
    missed = (relevant - relevant_shown) * due**2
    missed_others = (others - (shown - relevant_shown)) * due_to_others**2
    return loss + missed + missed_others


@bases.metric
class ExpectedExposureLoss(bases.Unbounded, bases.RelevantExposureMetric):
    """Expected exposure loss at k: how far exposure is from its fair share.

        EE-L@k = Σ_i (e_i - e*_i)²

    over all relevant items and all retrieved items. e_i is the exposure of item
    i: the mean of discount(rank) over all orders of tied items, 0 beyond rank
    k. Tied scores stand for a ranking that draws a new order each time. e*_i is
    the ideal exposure, that of a ranking in which all relevant items tie, above
    all others, which tie too. Equally relevant items thus have equal ideal
    exposure, and any single fixed order of them has a loss. Lower is better,
    and 0 is the best value. A list without relevant items is excluded by
    default.

    With `part="disparity"` the value is EE-D = Σ e², the inequality of the
    exposure. With `part="relevance"` it is EE-R = 2 Σ e e*, and higher is
    better. EE-L = EE-D - EE-R + Σ e*².

    Args:
        k: the cutoff, or None for all ranks.
        part: `"loss"`, `"disparity"` or `"relevance"`.
        rank_discount_fn: the exposure of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`; by default
            1 / log2(rank + 1). Diaz et al. use p^(rank - 1), that of
            rank-biased precision.
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: see
            `RankingMetric`. `empty="one"` and `adjusted` are not available.

    Example:
        >>> from keras_rankmetrics import ExpectedExposureLoss
        >>> metric = ExpectedExposureLoss(k=1)
        >>> labels, scores = [[1, 1, 0]] * 2, [[3, 2, 1], [2, 2, 1]]
        >>> [float(x) for x in metric.per_list(labels, scores)]  # due: 1/2 each
        [0.5, 0.0]

    Diaz et al., Evaluating Stochastic Rankings with Expected Exposure, CIKM
    (2020).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(ee_loss)
    has_value: ClassVar[TensorFn] = staticmethod(RankingMetric.has_value)
    more_is_better = False
    turns_under: ClassVar[tuple[str, str]] = ("part", "relevance")

    part: Literal["loss", "disparity", "relevance"] = "loss"
    rank_discount_fn: RankDiscountFn = log2_discount

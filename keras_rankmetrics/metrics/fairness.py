"""Fairness metrics: the exposure of items compared with a fair share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.gains import log2_discount
from keras_rankmetrics.metrics.bases import (
    ExposureMetric,
    RelevantExposureMetric,
    metric,
)
from keras_rankmetrics.types import OfItems, RankDiscountFn, Tensor

__all__ = ["AttentionWeightedFairness", "ExpectedExposureLoss"]


def normalized(target: np.ndarray) -> np.ndarray:
    """Return the numbers scaled to sum to 1."""
    return target / target.sum(dtype="float64")


def attention_weighted_fairness(
    ranking: Ranking,
    k: int | None,
    groups: Annotated[
        Any, OfItems("the groups of items", low=0, dimensions=2)
    ] = None,
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
    is_shared = share > 0
    numerator, denominator = (
        ops.where(is_shared, x, 1.0) for x in (share, middle)
    )
    return ops.log2(numerator / denominator)


@metric
class AttentionWeightedFairness(ExposureMetric):
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
    """

    short_name = "awrf"
    averages_orders = False
    measure = staticmethod(attention_weighted_fairness)
    of_catalogue = "groups"

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


def has_relevant(ranking: Ranking) -> Tensor:
    """Return True for lists with a relevant item, shown or not."""
    return ranking.has_gain()


def expected_exposure_loss(
    ranking: Ranking,
    k: int | None,
    part: Literal["loss", "disparity", "relevance"] = "loss",
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Return Σ (e - e*)², Σ e², or 2 Σ e e*."""
    relevant, others = ranking.overall(), ranking.others()
    ranked = ops.zeros_like(relevant), relevant, relevant + others
    due, due_to_others = (
        ops.divide_no_nan(
            ranking.sum_over_ranks(rank_discount_fn, start, stop), stop - start
        )
        for start, stop in (ranked[:2], ranked[1:])
    )

    def sums(items: Shown) -> tuple[Tensor, ...]:
        e, gains = items.exposure(rank_discount_fn), items.gains()
        ideal = ops.where(gains > 0, due[:, None], due_to_others[:, None])
        shown = ops.cast(items.ranks > 0, e.dtype)
        terms = shown * (e - ideal) ** 2, e**2, e * ideal, shown * gains, shown
        return tuple(ops.sum(x, axis=-1) for x in terms)

    loss, disparity, both, relevant_shown, shown = ranking.shown(sums, k)
    missed = (relevant - relevant_shown) * due**2
    missed_others = (others - (shown - relevant_shown)) * due_to_others**2
    return {
        "loss": loss + missed + missed_others,
        "disparity": disparity,
        "relevance": 2.0 * both,
    }[part]


@metric
class ExpectedExposureLoss(RelevantExposureMetric):
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
        part: `"loss"`, `"disparity"` or `"relevance"`, see above.
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
    """

    short_name = "ee_loss"
    measure = staticmethod(expected_exposure_loss)
    has_value = staticmethod(has_relevant)
    has_upper_bound = False
    more_is_better = False
    turns_under = ("part", "relevance")
    aggregate = WeightedMean(bounded=False)

    part: Literal["loss", "disparity", "relevance"] = "loss"
    rank_discount_fn: RankDiscountFn = log2_discount

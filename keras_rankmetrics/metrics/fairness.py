"""Who gets the attention of users: exposure, beside what would be fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared, derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.gains import log2_discount
from keras_rankmetrics.metrics.bases import (
    AboutItems,
    AboutRelevantItems,
    register,
)
from keras_rankmetrics.types import OfItems, RankDiscountFn, Tensor


def of_sum_one(target: np.ndarray) -> np.ndarray:
    """Each number over the sum of all."""
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
    """1 - the divergence of the exposure of groups from the target."""
    exposure = ranking.shown(
        lambda items: items.times(items.exposure(rank_discount_fn), groups), k
    )
    total = ops.sum(exposure, axis=-1, keepdims=True)
    found = ops.divide_no_nan(exposure, total)
    fair = ops.cast(ops.array(derived(of_sum_one, target)), found.dtype)
    middle = (found + fair) / 2.0
    divergence = sum(
        ops.sum(share * log2_ratio(share, middle), axis=-1) / 2.0
        for share in (found, ops.broadcast_to(fair, ops.shape(found)))
    )
    return ops.where(total[:, 0] > 0, 1.0 - divergence, 0.0)


def log2_ratio(share: Tensor, middle: Tensor) -> Tensor:
    """log2(share / middle), 0 where there is no share."""
    some = share > 0
    return ops.log2(ops.where(some, share, 1.0) / ops.where(some, middle, 1.0))


@register
@declared
class AttentionWeightedFairness(AboutItems):
    """Attention-weighted rank fairness (AWRF) at k: who gets the attention.

        AWRF@k = 1 - JS(a, target),   a_g ∝ Σ_{i=1..k} discount(i) · G_ig

    where G_ig says whether the item at rank i belongs to the group g. JS is the
    divergence of Jensen and Shannon, with the logarithm to base 2: from 0 for
    the same shares to 1 for shares that have no group in common. What labels
    say does not matter. A list that shows no item does not count by default,
    and one whose items belong to no group has 0.

    Where items tie, a is the attention that the groups get on average over all
    orders. That is the attention under a ranking that draws the order anew each
    time, and not the mean of the values of single orders; `ties="shuffle"` is
    about these.

    Args:
        k: how many ranks count, or None for all.
        groups: `[items, groups]`, for each item 1 for its group and else 0, or
            its shares of several groups. A row of zeros is an item of no known
            group. The number of an item is its place among the scores, or its
            id.
        target: `[groups]`, which share of the attention each group should get,
            in proportion.
        rank_discount_fn: how much attention a rank gets, see
            `keras_rankmetrics.types.RankDiscountFn`.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

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
    The TREC Fair Ranking track of 2022 has the divergence too, with the natural
    logarithm, and the discount `original_discount`.
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
        """Raises where the target is not one of the groups."""
        groups, target = options["groups"].shape[1], options["target"]
        if len(target) != groups or not target.sum() > 0:
            raise ValueError(
                f"`target` should hold a number for each of the {groups} "
                f"groups, not all of them 0. Received: {target.tolist()}."
            )


def has_relevant(ranking: Ranking) -> Tensor:
    """Which lists have a relevant item, shown or not."""
    return ranking.has_gain()


def expected_exposure_loss(
    ranking: Ranking,
    k: int | None,
    part: Literal["loss", "disparity", "relevance"] = "loss",
    rank_discount_fn: RankDiscountFn = log2_discount,
) -> Tensor:
    """Σ (e - e*)², Σ e², or 2 Σ e e*."""
    relevant, others = ranking.overall(), ranking.others()
    ranked = ops.zeros_like(relevant), relevant, relevant + others
    due, due_to_others = (
        ops.divide_no_nan(
            ranking.sum_over_ranks(rank_discount_fn, start, stop), stop - start
        )
        for start, stop in (ranked[:2], ranked[1:])
    )

    def of(items: Shown) -> tuple[Tensor, ...]:
        e, gains = items.exposure(rank_discount_fn), items.gains()
        ideal = ops.where(gains > 0, due[:, None], due_to_others[:, None])
        shown = ops.cast(items.ranks > 0, e.dtype)
        terms = shown * (e - ideal) ** 2, e**2, e * ideal, shown * gains, shown
        return tuple(ops.sum(x, axis=-1) for x in terms)

    loss, disparity, both, relevant_shown, shown = ranking.shown(of, k)
    missed = (relevant - relevant_shown) * due**2
    left_out = (others - (shown - relevant_shown)) * due_to_others**2
    return {
        "loss": loss + missed + left_out,
        "disparity": disparity,
        "relevance": 2.0 * both,
    }[part]


@register
@declared
class ExpectedExposureLoss(AboutRelevantItems):
    """Expected exposure loss at k: who gets another exposure than is due.

        EE-L@k = Σ_i (e_i - e*_i)²

    over the relevant items and all others that are retrieved. e_i is the
    exposure that item i gets, the mean of discount(rank) at its ranks up to k,
    over all orders of tied items: scores that tie are a ranking that draws the
    order anew each time. e*_i is what it is due: its exposure if all relevant
    items tie, above all others, which tie too. So equal items are due the same,
    and a single fixed order of them has a loss. Less is better, and 0 is the
    best. A list without relevant items has no value: it counts by `empty`, and
    not at all by default.

    With `part="disparity"` it is EE-D = Σ e², how unequal the exposure is, and
    with `part="relevance"` EE-R = 2 Σ e e*, of which more is better:
    EE-L = EE-D - EE-R + Σ e*².

    Args:
        k: how many ranks count, or None for all.
        part: `"loss"`, `"disparity"` or `"relevance"`, see above.
        rank_discount_fn: the exposure of a rank, see
            `keras_rankmetrics.types.RankDiscountFn`: here 1 / log2(rank + 1).
            Diaz et al. have that of rank-biased precision, p^(rank - 1).
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `empty="one"` nor `adjusted` has a meaning.

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

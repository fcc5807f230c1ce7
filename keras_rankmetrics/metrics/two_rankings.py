"""Metrics of how similar two rankings are, such as a student's and a teacher's.

Each takes reference scores in place of labels: `metric(reference_scores,
scores)`. For `"scores"`, `-inf` (the smallest integer, for integers) means that
an item is not retrieved on that side. Negative scores are not padding: an item
is padding if it is `-inf` on both sides, if its mask is False, or if its weight
is 0. In `fit`, where `y_true` is no dict, use `-inf` on both sides. NaN in a
valid item makes the value of its list NaN.

Tied items have no order, on either side: values are the exact means over all
orders of the ties.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import loop
from keras_rankmetrics.engine.definition import declared, parameter
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.types import (
    EmptyPolicy,
    InputForm,
    ListWeight,
    Tensor,
    TensorFn,
    Truth,
)

__all__ = [
    "KendallTau",
    "OverlapAtK",
    "RankBiasedOverlap",
    "SpearmanRho",
    "TauAP",
]

# All depths beyond one with p^depth below this add less than this in total.
_NEGLIGIBLE = 1e-9


def has_ranking(ranking: Ranking) -> Tensor:
    """Return True for lists with an item in either ranking, bool `[lists]`."""
    _, longer = ranking.against_reference().lengths(None)
    return longer > 0


@declared
class TwoRankingMetric(RankingMetric, abstract=True):
    """Metrics of two rankings, which are in `y_true` and `y_pred`."""

    reads: ClassVar[Truth] = "two_rankings"
    needs_whole_lists = True
    has_value: ClassVar[TensorFn] = staticmethod(has_ranking)

    empty: EmptyPolicy = "skip"
    list_weight: ListWeight = "mean"
    inputs: InputForm = "scores"
    name: str | None = None
    dtype: Any = None


@declared
class OverlapMetric(TwoRankingMetric, abstract=True):
    """Metrics of the items that two rankings share, down to a depth."""

    k: int | None = parameter(default=None, kw_only=False)


@declared
class TauMetric(bases.Signed, TwoRankingMetric, abstract=True):
    """Metrics of the pairs of items that two rankings order alike."""

    needs_labels: ClassVar[str] = "a score of each item in both rankings"


def rbo(
    ranking: Ranking,
    k: int | None,
    p: bases.Probability = 0.9,
    tail: Literal["extrapolated", "zero"] = "extrapolated",
) -> Tensor:
    """Return (1 - p)/p Σ A_d p^d, with the depths beyond the lists or not."""
    both = ranking.against_reference()
    shorter, longer = both.lengths(k)
    common, in_all = both.overlap(shorter), both.overlap(longer)
    # Beyond its end, the shorter ranking is taken to agree as it did so far.
    rate = ops.divide_no_nan(common, shorter) * float(tail == "extrapolated")
    deepest = max(math.ceil(math.log(_NEGLIGIBLE) / math.log(p)), 1)
    times = ops.cast(ops.minimum(ops.max(longer), deepest), "int32")

    def step(above: int | Tensor, total: Tensor) -> Tensor:
        depth = ops.cast(above, total.dtype) + 1.0
        found = both.overlap(ops.expand_dims(depth, 0))
        found = found + rate * ops.maximum(depth - shorter, 0.0)
        agreement = found / depth * p**depth
        return total + ops.where(depth <= longer, agreement, 0)

    total = loop(times, step, ops.zeros_like(longer))
    value = (1.0 - p) / p * total
    if tail == "extrapolated":
        last = ops.divide_no_nan(in_all - common, longer) + rate
        value = value + last * p**longer
    return ops.minimum(value, 1.0)


@bases.metric
class RankBiasedOverlap(OverlapMetric):
    """Rank-biased overlap (RBO): overlap at each depth, weighted to the top.

        RBO = (1 - p)/p Σ_{d=1..l} A_d p^d + A_l p^l,  A_d = X_d / d

    where X_d items are within depth d of both rankings, and l is their length.
    The last term continues the agreement A_l beyond the end. For rankings of
    different lengths s < l:

        RBO = (1 - p)/p [Σ_{d=1..l} X_d/d p^d + Σ_{d=s+1..l} X_s (d - s)/(s d)
              p^d] + [(X_l - X_s)/l + X_s/s] p^l

    With ties, X_d is its mean over all orders of tied items in both rankings.
    RBO is linear in X_d, so it is the exact mean too. Equal rankings have 1,
    rankings without a common item 0. A ranking without items has the value 0
    with any other; two such are an excluded list by default (see `empty`).

    The rankings are scores of the same items, or with `inputs="ids"` ids, best
    first, of any lengths; negative ids are padding. A score of `-inf` means not
    retrieved, and on both sides padding; negative scores are valid. Item
    weights only mask items, and otherwise enter the weight of the list.

    Args:
        k: the depth to which both rankings are cut, or None for all. The value
            is extrapolated from there.
        p: the probability of going on to the next depth, above 0 and below 1.
        tail: `"extrapolated"`; or `"zero"` for the sum alone, a lower bound.
        empty, list_weight, name, dtype: see `RankingMetric`.
        inputs: `"scores"` or `"ids"`.

    Example:
        >>> from keras_rankmetrics import RankBiasedOverlap
        >>> teacher, student = [[4, 3, 3, 1]], [[8, 8, 5, 5]]
        >>> metric = RankBiasedOverlap(p=0.8)  # a (b c) d and (a b) (c d)
        >>> round(float(metric(teacher, student)), 4)
        0.8387
        >>> metric = RankBiasedOverlap(p=0.5, inputs="ids")
        >>> float(metric([[7, 3]], [[3, 7]]))  # A = 0, 1
        0.5

    Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM
    TOIS 28 (2010), equation 32; Corsi and Urbano, The Treatment of Ties in
    Rank-Biased Overlap, SIGIR (2024).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(rbo)

    p: bases.Probability = 0.9
    tail: Literal["extrapolated", "zero"] = "extrapolated"


def overlap(ranking: Ranking, k: int | None) -> Tensor:
    """Return the share of items within depth k that both rankings have."""
    both = ranking.against_reference()
    _, depth = both.lengths(k)
    return ops.minimum(ops.divide_no_nan(both.overlap(depth), depth), 1.0)


@bases.metric
class OverlapAtK(OverlapMetric):
    """Overlap at k: the share of the first k items that two rankings share.

        Overlap@k = (items among the first k of both rankings) / k

    If both rankings are shorter than k, it is divided by the longer length, so
    that equal rankings have 1. With ties it is the mean over all orders of tied
    items in both rankings. With approximate and exact nearest neighbours as
    `inputs="ids"`, it is the recall@k of the search. Two rankings without items
    are an excluded list by default (see `empty`).

    The rankings are scores of the same items, or with `inputs="ids"` ids, best
    first, of any lengths; negative ids are padding. A score of `-inf` means not
    retrieved, and on both sides padding; negative scores are valid. Item
    weights only mask items, and otherwise enter the weight of the list.

    Args:
        k: the depth, or None for the longer length.
        empty, list_weight, name, dtype: see `RankingMetric`.
        inputs: `"scores"` or `"ids"`.

    Example:
        >>> from keras_rankmetrics import OverlapAtK
        >>> teacher, student = [[5, 4, 4, 3, 1]], [[4, 5, 3, 3, 2]]
        >>> value = OverlapAtK(k=3)(teacher, student)
        >>> round(float(value), 4)  # 2, and 1/2 of a third: (2 + 1/2) / 3
        0.8333
        >>> exact, approximate = [[7, 3, 9]], [[3, 7, 4]]
        >>> metric = OverlapAtK(k=2, inputs="ids")
        >>> float(metric(exact, approximate))
        1.0

    Fagin, Kumar and Sivakumar, Comparing Top k Lists, SODA (2003).

    Stability: provisional.
    """

    short_name: ClassVar[str] = "overlap"
    measure: ClassVar[TensorFn] = staticmethod(overlap)


def has_two_items(ranking: Ranking) -> Tensor:
    """Return True for lists with two items or more, bool `[lists]`."""
    both = ranking.against_reference().of_all_items()
    return both.ranking.length > 1


def tau_ap(ranking: Ranking, k: int | None) -> Tensor:
    """Return 2/(n - 1) Σ C(i)/(i - 1) - 1."""
    both = ranking.against_reference().of_all_items()
    others = both.ranking.length - 1.0
    return 2.0 * ops.divide_no_nan(both.share_right(), others) - 1.0


@bases.metric
class TauAP(TauMetric):
    """AP correlation (τ_AP): Kendall's τ with more weight at the top.

        τ_AP = 2/(n - 1) Σ_{i=2..n} C(i)/(i - 1) - 1

    where C(i) of the items above rank i of the ranking are above that item in
    the reference too. It is 1 for equal orders and -1 for reversed ones. It is
    not symmetric: the ranks of `y_pred` weigh. With ties it is the mean over
    all orders of tied items in both rankings.

    An item with the score `-inf` on one side is last there, tied with others
    like it; on both sides it is padding. Negative scores are valid. A list of
    fewer than two items is excluded by default (see `empty`). Item weights only
    mask items, and otherwise enter the weight of the list.

    Args:
        empty, list_weight, name, dtype: see `RankingMetric`.
        inputs: `"scores"`, the only form that this metric takes.

    Example:
        >>> from keras_rankmetrics import TauAP
        >>> reference, estimate = [[5, 4, 4, 3, 1]], [[4, 5, 3, 3, 2]]
        >>> round(float(TauAP()(reference, estimate)), 4)
        0.3125

    Yilmaz, Aslam and Robertson, A New Rank Correlation Coefficient for
    Information Retrieval, SIGIR (2008); Urbano and Marrero, The Treatment of
    Ties in AP Correlation, ICTIR (2017).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(tau_ap)
    has_value: ClassVar[TensorFn] = staticmethod(has_two_items)


def has_untied_pairs(ranking: Ranking) -> Tensor:
    """Return True for lists with an untied pair on both sides, bool."""
    both = ranking.against_reference().of_all_items()
    return ops.minimum(both.reference.untied(), both.ranking.untied()) > 0


def kendall_tau(ranking: Ranking, k: int | None) -> Tensor:
    """Return (C - D) / √((pairs not tied in one) (those not in the other))."""
    both = ranking.against_reference().of_all_items()
    right, every = both.pairs()
    untied = both.reference.untied() * both.ranking.untied()
    return ops.divide_no_nan(2.0 * right - every, ops.sqrt(untied))


@bases.metric
class KendallTau(TauMetric):
    """Kendall's τ_b: the pairs ordered alike less those ordered differently.

        τ_b = (C - D) / √((N - T) (N - U))

    for N pairs of items, of which C have the same order in both rankings, D the
    opposite one, T are tied in the reference and U in the ranking. It is 1 for
    equal orders, -1 for reversed ones, and symmetric.

    An item with the score `-inf` on one side is last there, tied with others
    like it; on both sides it is padding. Negative scores are valid. A list in
    which all items are tied on one side is excluded by default (see `empty`).
    Item weights only mask items, and otherwise enter the weight of the list.

    Args:
        empty, list_weight, name, dtype: see `RankingMetric`.
        inputs: `"scores"`, the only form that this metric takes.

    Example:
        >>> from keras_rankmetrics import KendallTau
        >>> teacher, student = [[4, 3, 2, 1]], [[0.9, 0.7, 0.8, 0.1]]
        >>> round(float(KendallTau()(teacher, student)), 4)  # (5 - 1) / 6
        0.6667

    Kendall, The Treatment of Ties in Ranking Problems, Biometrika 33 (1945).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(kendall_tau)
    has_value: ClassVar[TensorFn] = staticmethod(has_untied_pairs)


def spearman_rho(ranking: Ranking, k: int | None) -> Tensor:
    """Return the correlation of the mean ranks of tied items."""
    both = ranking.against_reference().of_all_items()
    of_reference, of_ranking = (
        ops.where(both.exists, side.middle(), 0)
        for side in (both.reference, both.ranking)
    )
    together, *own = (
        ops.sum(x * y, axis=-1)
        for x, y in (
            (of_reference, of_ranking),
            (of_reference, of_reference),
            (of_ranking, of_ranking),
        )
    )
    return ops.divide_no_nan(together, ops.sqrt(own[0] * own[1]))


@bases.metric
class SpearmanRho(TauMetric):
    """Spearman's ρ: the correlation of the ranks in both rankings.

        ρ = Σ_i (r_i - m) (s_i - m) / √(Σ_i (r_i - m)² Σ_i (s_i - m)²)

    for the ranks r_i and s_i of item i, and m = (n + 1) / 2. Tied items have
    their mean rank. It is 1 for equal orders, -1 for reversed ones, and
    symmetric. In finance it is known as rank IC: `y_true` are the returns.

    An item with the score `-inf` on one side is last there, tied with others
    like it; on both sides it is padding. Negative scores are valid. A list in
    which all items are tied on one side is excluded by default (see `empty`).
    Item weights only mask items, and otherwise enter the weight of the list.

    Args:
        empty, list_weight, name, dtype: see `RankingMetric`.
        inputs: `"scores"`, the only form that this metric takes.

    Example:
        >>> from keras_rankmetrics import SpearmanRho
        >>> teacher, student = [[4, 3, 2, 1]], [[0.9, 0.7, 0.8, 0.1]]
        >>> round(float(SpearmanRho()(teacher, student)), 4)  # 1 - 6 * 2 / 60
        0.8

    Spearman, The Proof and Measurement of Association between Two Things,
    American Journal of Psychology 15 (1904).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(spearman_rho)
    has_value: ClassVar[TensorFn] = staticmethod(has_untied_pairs)

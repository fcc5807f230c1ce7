"""Metrics for lists that contain unjudged items."""

from __future__ import annotations

from typing import ClassVar, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.metrics.discounted import rbp
from keras_rankmetrics.metrics.hits import precision_denominator
from keras_rankmetrics.types import Tensor, TensorFn, UnjudgedPolicy

__all__ = ["BPref", "JudgedAtK", "RBPResidual", "UnjudgedAtK"]


def bpref(ranking: Ranking, k: int | None) -> Tensor:
    """Return Σ (1 - min(others above, R) / min(R, N)) / R, over the hits."""
    relevant = ranking.overall()
    least = ops.minimum(relevant, ranking.all_others())
    above = ops.divide_no_nan(ranking.others_above(relevant), least)
    found = relevant - ranking.missed()
    return ops.divide_no_nan(found - above, relevant)


@bases.metric
class BPref(bases.BinaryWholeList):
    """Binary preference: how rarely a judged non-relevant item ranks higher.

        bpref = (1 / R) Σ_r (1 - min(n_r, R) / min(R, N))

    The sum is over the retrieved relevant items r, n_r is the number of judged
    non-relevant items ranked above r, R is the number of relevant items, and N
    the number of judged non-relevant items, retrieved or not. With
    `inputs="sparse"` and ids without labels, which hold no judged items beyond
    the retrieved and the relevant ones, N counts retrieved items only. The
    fraction is 0 if N is 0. Unjudged items are removed from the ranking:
    `unjudged="condense"` is the default here. Item weights only mask items.

    Args:
        relevance_threshold: the lowest label of a relevant item.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, BPref
        >>> labels = [[1, UNJUDGED, 0, 1, 0, 0]]  # 1 of 3 others above rank 4
        >>> float(BPref()(labels, [[6, 5, 4, 3, 2, 1]]))  # (1 + 1 - 1/2) / 2
        0.75

    Buckley and Voorhees, Retrieval Evaluation with Incomplete Information,
    SIGIR (2004), as trec_eval computes it.

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(bpref)
    needs_whole_lists = True

    unjudged: UnjudgedPolicy = "condense"


def judged_share(ranking: Ranking, k: int | None) -> Tensor:
    """Return judged items within rank k / min(k, retrieved)."""
    return ops.divide_no_nan(ranking.hits(k), ranking.retrieved)


@bases.metric
class JudgedAtK(bases.JudgementMetric):
    """Judged at k: the share of the first k items that are judged.

        judged@k = (judged items at ranks 1..k) / min(k, retrieved items)

    A low value means that the other metrics are uncertain. 1 - judged@k is also
    known as hole@k. A list without judged items is empty. For ids, use
    `PrecisionAtK(inputs="ids")` with the judged ids as labels. Item weights
    only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, JudgedAtK
        >>> labels = [[1, UNJUDGED, 0, UNJUDGED]]
        >>> round(float(JudgedAtK(k=3)(labels, [[4, 3, 2, 1]])), 4)
        0.6667

    Sakai, Alternatives to Bpref, SIGIR (2007).

    Stability: stable.
    """

    short_name: ClassVar[str] = "judged"
    measure: ClassVar[TensorFn] = staticmethod(judged_share)


def every_list(ranking: Ranking) -> Tensor:
    """Return True for every list."""
    return ops.ones_like(ranking.has_gain())


def unjudged_share(
    ranking: Ranking,
    k: int | None,
    denominator: bases.Denominator = "retrieved",
) -> Tensor:
    """Return unjudged items within rank k / min(k, retrieved), or / k."""
    total = precision_denominator(ranking, k, denominator)
    return ops.divide_no_nan(ranking.retrieved - ranking.hits(k), total)


@bases.metric
class UnjudgedAtK(bases.JudgementMetric):
    """Unjudged at k: the share of the first k items that are not judged.

        unjudged@k = (unjudged items at ranks 1..k) / min(k, retrieved items)

    With `denominator="k"` the count is divided by k instead. The value is 0 if
    nothing is retrieved. Lower is better: a high value means that the other
    metrics are uncertain. With the default denominator it is 1 - judged@k, also
    known as hole@k, in every list that retrieves an item. Item weights only
    mask items.

    Args:
        k: the cutoff, or None for all ranks.
        denominator: `"retrieved"`, the smaller of k and the number of retrieved
            items, or `"k"`, which requires k, as in trec_eval's `unj_k`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `adjusted`
            and `empty="one"` are not available. No list is empty.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, UnjudgedAtK
        >>> labels = [[1, UNJUDGED, 0]]
        >>> round(float(UnjudgedAtK(k=5)(labels, [[3, 2, 1]])), 4)
        0.3333
        >>> metric = UnjudgedAtK(k=5, denominator="k")
        >>> round(float(metric(labels, [[3, 2, 1]])), 4)
        0.2

    Stability: stable.
    """

    short_name: ClassVar[str] = "unjudged"
    measure: ClassVar[TensorFn] = staticmethod(unjudged_share)
    has_value: ClassVar[TensorFn] = staticmethod(every_list)
    more_is_better = False

    denominator: Literal["retrieved", "k"] = "retrieved"


def rbp_residual(
    ranking: Ranking,
    k: int | None,
    p: bases.Probability = 0.8,
    tail: Literal["always", "if_unjudged"] = "always",
) -> Tensor:
    """Return 1 - (1 - p) Σ judged p^(rank - 1) over the ranks up to k.

    With `tail="if_unjudged"`, return 0 for lists without unjudged items there.
    """
    missing = 1.0 - rbp(ranking, k, p)
    if tail == "always":
        return missing
    return ops.where(ranking.hits(k) < ranking.retrieved, missing, 0)


@bases.metric
class RBPResidual(bases.JudgementMetric):
    """Residual of rank-biased precision: how much higher RBP could be.

        residual@k = 1 - (1 - p) Σ_{i=1..k} judged_i · p^(i-1)

    This is what rank-biased precision would gain if all unjudged items, and all
    items below rank k or beyond the end of the list, were relevant. Lower is
    better. The true value of `RankBiasedPrecision(k, p)` lies within
    [RBP@k, RBP@k + residual@k]. Item weights only mask items.

    Args:
        k: the cutoff, or None for all ranks.
        p: the probability of going on to the next item, between 0 and 1, as for
            the metric itself.
        tail: whether the ranks below the last one count `"always"`, or only
            `"if_unjudged"` items are above them. The latter follows trec_eval:
            a list without unjudged items has the value 0. It has no exact mean
            over the orders of tied items, so `ties` then defaults to
            `"stable"`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `adjusted`
            and `empty="one"` are not available. No list is empty.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, RBPResidual
        >>> metric = RBPResidual(p=0.5)
        >>> float(metric([[1, UNJUDGED, 0]], [[3, 2, 1]]))  # 1/4 + 1/8
        0.375

    Moffat and Zobel, ACM TOIS 27 (2008).

    Stability: stable.
    """

    measure: ClassVar[TensorFn] = staticmethod(rbp_residual)
    has_value: ClassVar[TensorFn] = staticmethod(every_list)
    more_is_better = False
    strict_order_under: ClassVar[tuple[str, str]] = ("tail", "if_unjudged")

    p: float = 0.8
    tail: Literal["always", "if_unjudged"] = "always"

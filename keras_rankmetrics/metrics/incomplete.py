"""Metrics for lists that contain unjudged items."""

from __future__ import annotations

from typing import Annotated, Literal

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import (
    BinaryOfWholeLists,
    OfJudgements,
    register,
)
from keras_rankmetrics.metrics.found import precision_denominator
from keras_rankmetrics.metrics.user_models import rank_biased_precision
from keras_rankmetrics.types import Between, Tensor, UnjudgedPolicy


def bpref(ranking: Ranking, k: int | None) -> Tensor:
    """Σ (1 - min(others above, R) / min(R, N)) / R over what is retrieved."""
    relevant = ranking.overall()
    least = ops.minimum(relevant, ranking.all_others())
    above = ops.divide_no_nan(ranking.others_above(relevant), least)
    found = relevant - ranking.missed()
    return ops.divide_no_nan(found - above, relevant)


@register
@declared
class BPref(BinaryOfWholeLists):
    """Binary preference: how few judged others stand above relevant items.

        bpref = (1 / R) Σ_r (1 - min(n_r, R) / min(R, N))

    over the retrieved relevant items r, each with n_r others above it, where R
    items are relevant and N are judged and not relevant, retrieved or not; of
    indices and ids, which tell no such item, N are retrieved. The second term
    is 0 where N is. Items that nobody has judged do not exist, by
    `unjudged="condense"`, which is the default here. Item weights mask items,
    and do nothing else to the value.

    Args:
        relevance_threshold: an item is relevant if its label is at least that.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, BPref
        >>> labels = [[1, UNJUDGED, 0, 1, 0, 0]]  # 1 of 3 others above rank 4
        >>> float(BPref()(labels, [[6, 5, 4, 3, 2, 1]]))  # (1 + 1 - 1/2) / 2
        0.75

    Buckley and Voorhees, Retrieval Evaluation with Incomplete Information,
    SIGIR (2004), as trec_eval computes it.
    """

    short_name = "bpref"
    measure = staticmethod(bpref)
    needs_whole_lists = True

    unjudged: UnjudgedPolicy = "condense"


def judged(ranking: Ranking, k: int | None) -> Tensor:
    """Judged items within rank k, over min(k, retrieved)."""
    return ops.divide_no_nan(ranking.hits(k), ranking.retrieved)


@register
@declared
class JudgedAtK(OfJudgements):
    """Judged at k: the part of the first k items that somebody has judged.

        judged@k = (judged items at ranks 1..k) / min(k, retrieved items)

    Where it is low, the other metrics tell little. 1 - judged@k is also known
    as hole@k. A list in which no item is judged is empty. For ids, it is
    `PrecisionAtK(inputs="ids")` of the judged ids. Item weights mask items, and
    do nothing else to the value.

    Args:
        k: how many ranks count, or None for all.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, JudgedAtK
        >>> labels = [[1, UNJUDGED, 0, UNJUDGED]]
        >>> round(float(JudgedAtK(k=3)(labels, [[4, 3, 2, 1]])), 4)
        0.6667

    Sakai, Alternatives to Bpref, SIGIR (2007).
    """

    short_name = "judged"
    measure = staticmethod(judged)


def every_list(ranking: Ranking) -> Tensor:
    """Return True for every list: each has a value."""
    return ops.ones_like(ranking.has_gain())


def unjudged(
    ranking: Ranking,
    k: int | None,
    denominator: Literal["retrieved", "k"] = "retrieved",
) -> Tensor:
    """Return unjudged items within rank k / min(k, retrieved), or / k."""
    return ops.divide_no_nan(
        ranking.retrieved - ranking.hits(k),
        precision_denominator(ranking, k, denominator),
    )


@register
@declared
class UnjudgedAtK(OfJudgements):
    """Unjudged at k: the share of the first k items that nobody has judged.

        unjudged@k = (unjudged items at ranks 1..k) / min(k, retrieved items)

    or, with `denominator="k"`, over k. It is 0 if nothing is retrieved. Less is
    better: a high value means that the other metrics are uncertain. With the
    default denominator it is 1 - judged@k, also known as hole@k, in every list
    that retrieves an item. Item weights only mask items.

    Args:
        k: how many ranks count, or None for all.
        denominator: `"retrieved"`, the smaller of k and the number of retrieved
            items, or `"k"`, which needs k, as trec_eval's `unj_k`.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. Neither `adjusted` nor
            `empty` has a meaning.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, UnjudgedAtK
        >>> labels = [[1, UNJUDGED, 0]]
        >>> round(float(UnjudgedAtK(k=5)(labels, [[3, 2, 1]])), 4)
        0.3333
        >>> metric = UnjudgedAtK(k=5, denominator="k")
        >>> round(float(metric(labels, [[3, 2, 1]])), 4)
        0.2

    trec_eval 10.0, `m_unjudged.c`.
    """

    short_name = "unjudged"
    measure = staticmethod(unjudged)
    has_value = staticmethod(every_list)
    needs_k_under = ("denominator", "k")
    has_upper_bound = False
    more_is_better = False

    denominator: Literal["retrieved", "k"] = "retrieved"


def residual(
    ranking: Ranking,
    k: int | None,
    p: Annotated[float, Between(0, 1)] = 0.8,
    tail: Literal["always", "if_unjudged"] = "always",
) -> Tensor:
    """Return 1 - (1 - p) Σ judged p^(rank - 1) over the ranks up to k.

    With `tail="if_unjudged"`, return 0 for lists without unjudged items there.
    """
    missing = 1.0 - rank_biased_precision(ranking, k, p)
    if tail == "always":
        return missing
    return ops.where(ranking.hits(k) < ranking.retrieved, missing, 0)


@register
@declared
class RBPResidual(OfJudgements):
    """The residual of rank-biased precision: how much higher it could be.

        residual@k = 1 - (1 - p) Σ_{i=1..k} judged_i · p^(i-1)

    which is what rank-biased precision would gain if all unjudged items, and
    all items below rank k or below the list, were relevant. Less is better: the
    true value of `RankBiasedPrecision(k, p)` is within
    [RBP@k, RBP@k + residual@k]. Item weights only mask items.

    Args:
        k: how many ranks count, or None for all.
        p: the probability to go on, between 0 and 1, as of the metric.
        tail: whether the ranks below the last one count `"always"`, or only
            `"if_unjudged"` items are above them: then a list of judged items,
            or of none, has 0, as in trec_eval. The latter has no exact mean
            over tied orders, and `ties` defaults to `"stable"`.
        shuffle_ties, seed, ties, empty, list_weight: as on `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: as well. Neither `adjusted` nor
            `empty` has a meaning.

    Example:
        >>> from keras_rankmetrics import UNJUDGED, RBPResidual
        >>> metric = RBPResidual(p=0.5)
        >>> float(metric([[1, UNJUDGED, 0]], [[3, 2, 1]]))  # 1/4 + 1/8
        0.375

    Moffat and Zobel, ACM TOIS 27 (2008).
    """

    short_name = "rbp_residual"
    measure = staticmethod(residual)
    has_value = staticmethod(every_list)
    has_upper_bound = False
    more_is_better = False
    strict_order_under = ("tail", "if_unjudged")

    p: float = 0.8
    tail: Literal["always", "if_unjudged"] = "always"

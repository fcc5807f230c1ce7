"""Metrics of logged clicks, corrected for which items users saw.

Users click only what they look at, and they look at the top of the old ranking
most. An item at which users look with probability π, its *propensity*, stands
for 1/π items, so that clicks weighted by 1/π estimate what the value would be
if users looked at every item.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList
from keras_rankmetrics.engine.aggregates.mean import Moments
from keras_rankmetrics.engine.aggregates.paired import LEAST_CARRIERS
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.definition import declared, parameter
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.counting import positions
from keras_rankmetrics.engine.ranking.relevance import probability
from keras_rankmetrics.gains import linear_gain, log2_discount
from keras_rankmetrics.metrics import bases
from keras_rankmetrics.types import (
    EmptyPolicy,
    ListWeight,
    OfItems,
    RankDiscountFn,
    Tensor,
    TensorFn,
    Truth,
    Within,
)

__all__ = ["IPS", "SNIPS", "EffectiveClicks"]

ByPosition = Annotated[
    Any,
    OfItems("propensities", above=0, high=1, each="position shown"),
]
_SHARES = 5  # positions, whose propensities add up to 1 by no accident
_ROUNDING = 1e-5  # of their sum in single precision
Clip = Annotated[float, Within(0, 1)]


def inverse_propensities(
    ranking: Ranking, propensities: ByPosition | None = None, clip: Clip = 0.0
) -> Tensor:
    """Return 1 / max(π, clip) for clicked items, else 0, `[lists, items]`."""
    clicks, logged = ranking.logged()
    if propensities is None:
        if logged is None:
            raise ValueError(
                "Clicks should come with the propensities of their items. "
                'Received: clicks alone. Pass `y_true={"labels": clicks, '
                '"propensities": propensities}`, an array [..., items, 2] of '
                "both, or `propensities` by position to the constructor."
            )
        given, propensity = logged, probability(logged)
        expected = "a propensity above 0 and at most 1"
        is_valid = (propensity > 0) & (propensity <= 1)
    else:
        table = ops.convert_to_tensor(propensities, clicks.dtype)
        number = table.shape[0]
        expected = f"a position from 1 to {number}, as `propensities` has"
        given = positions(clicks) + 1 if logged is None else logged
        index = ops.cast(ops.clip(given, 1, number), "int32")
        propensity = ops.take(table, index - 1, axis=0)
        is_valid = given == ops.cast(index, given.dtype)
    is_clicked = clicks > 0
    is_wrong = is_clicked & ~is_valid
    if concrete(ops.any(is_wrong)):
        received = ops.cast(given, "float32")
        worst = float(ops.max(ops.where(is_wrong, received, float("-inf"))))
        raise ValueError(
            f"Each clicked item should have {expected}. Received: {worst:g}. "
            "Without a table `propensities`, `y_true` holds propensities; with "
            "one, it holds the positions at which items were shown."
        )
    propensity = ops.where(is_clicked, propensity, 1)
    propensity = ops.where(is_wrong, float("nan"), propensity)
    return ops.where(is_clicked, 1.0 / ops.maximum(propensity, clip), 0)


def clicks_in_all(
    ranking: Ranking, propensities: ByPosition | None = None, clip: Clip = 0.0
) -> Tensor:
    """Return Σ c / π over all items of each list, `[lists]`."""
    clicks, _ = ranking.logged()
    weights = inverse_propensities(ranking, propensities, clip)
    return ops.sum(clicks * weights, axis=-1)


@declared
class ClickMetric(bases.WholeList, abstract=True):
    """Metrics of clicks with propensities."""

    has_upper_bound = False
    reads: ClassVar[Truth] = "clicks"
    needs_labels: ClassVar[str] = "clicks and the propensities of the items"
    relevance: ClassVar[TensorFn] = staticmethod(linear_gain)

    propensities: Any = None
    clip: float = 0.0
    list_weight: ListWeight = "mean"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClickEstimate(Estimate):
    """An estimate from clicks, whose interval is too short if there are few.

    Attributes:
        carriers: the number of rows of equal value that would carry the sum as
            these do, (Σ w v)² / Σ (w v)².
    """

    carriers: float

    @property
    def rests_on_few(self) -> bool:
        """True for fewer than 50 carriers: about 100 effective clicks."""
        return self.carriers < LEAST_CARRIERS

    @property
    def over(self) -> str:
        """The numbers of lists, in words."""
        if not self.carriers:
            return f"{super().over}, without a click"
        few = f", {self.carriers:.0f} of which carry the sum: do not trust ±"
        return super().over + few * self.rests_on_few


@declared
class ClickMetricAtK(ClickMetric, abstract=True):
    """Metrics of the ranks of clicked items."""

    def estimate(self) -> ClickEstimate:
        """Return the result with its standard error."""
        found = super().estimate()
        moments = Moments(self._sums_on_host(), bounded=False)
        return ClickEstimate(**vars(found), carriers=float(moments.carriers))

    k: int | None = parameter(default=None, kw_only=False)
    shuffle_ties: bool | None = None
    rank_discount_fn: RankDiscountFn = log2_discount


def ips(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
    propensities: ByPosition | None = None,
    clip: Clip = 0.0,
) -> Tensor:
    """Return Σ (c / π) λ(rank)."""
    weights = inverse_propensities(ranking, propensities, clip)
    clicks = ranking.with_item_weights(weights).weighted_total()
    return ops.sum(clicks * ranking.discount(rank_discount_fn, k), axis=-1)


@bases.metric
class IPS(ClickMetricAtK):
    """Inverse propensity scoring at k: clicks, corrected for what users saw.

        IPS@k = 1/n Σ_lists Σ_{i=1..k} (c_i / max(π_i, clip)) λ(i)

    where c_i is the number of clicks on the item at rank i of `y_pred`, π_i its
    propensity, and λ the `rank_discount_fn`. If the propensities are those of
    the log, it estimates without bias what Σ λ(i) is over all items on which
    users click when they look at them. Any metric that sums over items has its
    λ: `log2_discount` for DCG, `lambda rank: ops.ones_like(rank) / 10` with k =
    10 for precision at 10, `lambda rank: 0.2 * 0.8 ** (rank - 1)` for RBP with
    p = 0.8, `lambda rank: rank` for the sum of ranks. There is none for NDCG,
    MRR or MAP, which divide by what the clicks do not show.

    The value is unbounded. A list without clicks has the value 0 and counts.
    The standard error, for known propensities, is that of a mean over lists.

    `y_true` holds clicks or numbers of clicks, `[..., items]`, below 0 for
    padding, and one of these, in the same shape: `"propensities"`, above 0 and
    at most 1; or `"positions"` of the items in the ranking that users saw, from
    1. Pass a dict of both, or in `fit` one array of both, `[..., items, 2]`.
    With neither, the items are in the order in which users saw them. Weights of
    items only mask items.

    Args:
        k: the cutoff of the new ranking, or None for all ranks.
        rank_discount_fn: λ, see `keras_rankmetrics.types.RankDiscountFn`.
        propensities: `[positions]`, the propensity of each position that users
            saw, if `y_true` does not hold the propensity of each item.
        clip: the lowest propensity that counts as it is; lower ones count as
            this one, which adds bias and takes away variance. From 0 to 1.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import IPS
        >>> clicks = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]  # as they were shown
        >>> scores = [[0.2, 0.9, 0.5], [0.7, 0.1, 0.3], [0.3, 0.2, 0.1]]
        >>> metric = IPS(propensities=[1, 1 / 2, 1 / 3])
        >>> round(float(metric(clicks, scores)), 4)  # (2.3928 + 1 + 0) / 3
        1.1309

    Joachims, Swaminathan and Schnabel, Unbiased Learning-to-Rank with Biased
    Feedback, WSDM (2017).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(ips)

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Warn of propensities that were divided by their sum."""
        table = options["propensities"]
        if table is None or len(table) < _SHARES or np.ptp(table) == 0:
            return
        if abs(table.sum(dtype=np.float64) - 1.0) < _ROUNDING:
            warn(
                "`propensities` should be the probabilities that users look at "
                f"positions. Received: {len(table)} that add up to 1, as if "
                "they were divided by their sum, which multiplies IPS by it. "
                "If users look at the first position for sure, pass "
                "`propensities / propensities[0]`; if not, all is well."
            )


def snips(
    ranking: Ranking,
    k: int | None,
    rank_discount_fn: RankDiscountFn = log2_discount,
    propensities: ByPosition | None = None,
    clip: Clip = 0.0,
) -> Tensor:
    """Return Σ (c / π) λ(rank) / Σ (c / π)."""
    found = ips(ranking, k, rank_discount_fn, propensities, clip)
    return ops.divide_no_nan(found, clicks_in_all(ranking, propensities, clip))


@bases.metric
class SNIPS(ClickMetricAtK):
    """Self-normalised IPS at k: the mean λ of a click, weighted by 1/π.

        SNIPS@k = Σ_lists Σ_{i=1..k} (c_i / π_i) λ(i) / Σ_lists Σ_i (c_i / π_i)

    The sum below is over all items, and π_i is at least `clip`, as in `IPS`. So
    it is between the lowest and the highest λ, varies less than IPS, and does
    not change if all propensities are wrong by one factor. It is a ratio of two
    sums over lists, and its bias shrinks with their number. The value of a list
    is its own ratio, and its weight is Σ c_i / π_i times its weight otherwise;
    the standard error is that of the linearised ratio.

    A list without clicks does not count. `y_true` is as for `IPS`.

    Args:
        k: the cutoff of the new ranking, or None for all ranks.
        rank_discount_fn: λ, see `keras_rankmetrics.types.RankDiscountFn`.
            `ops.ones_like` with k gives the share of the clicks at ranks 1..k.
        propensities: `[positions]`, see `IPS`.
        clip: the lowest propensity that counts as it is, see `IPS`.
        shuffle_ties, seed, ties, empty, list_weight: see `RankingMetric`.
        adjusted, inputs, unjudged, name, dtype: see `RankingMetric`. `inputs`
            is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import SNIPS
        >>> clicks = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]  # as they were shown
        >>> scores = [[0.2, 0.9, 0.5], [0.7, 0.1, 0.3], [0.3, 0.2, 0.1]]
        >>> metric = SNIPS(propensities=[1, 1 / 2, 1 / 3])
        >>> round(float(metric(clicks, scores)), 4)  # (2.3928 + 1) / (4 + 2)
        0.5655

    Swaminathan and Joachims, The Self-Normalized Estimator for Counterfactual
    Learning, NeurIPS (2015); Yang et al., Unbiased Offline Recommender
    Evaluation for Missing-Not-At-Random Implicit Feedback, RecSys (2018).

    Stability: provisional.
    """

    measure: ClassVar[TensorFn] = staticmethod(snips)
    own_weight: ClassVar[TensorFn] = staticmethod(clicks_in_all)

    empty: EmptyPolicy = "skip"


def mean_inverse_propensity(
    ranking: Ranking,
    k: int | None,
    propensities: ByPosition | None = None,
    clip: Clip = 0.0,
) -> Tensor:
    """Return the weighted mean of 1 / π over clicks, Σ c / π² / Σ c / π."""
    clicks, _ = ranking.logged()
    weights = inverse_propensities(ranking, propensities, clip)
    squares = ops.sum(clicks * weights**2, axis=-1)
    return ops.divide_no_nan(squares, ops.sum(clicks * weights, axis=-1))


@dataclasses.dataclass(frozen=True)
class EffectiveSize:
    """The effective number of weighted units, (Σ w)² / Σ w².

    A list has the weight Σ w, and the value Σ w² / Σ w.

    Attributes:
        shape: the shape of the sums of one metric.
        names: the names of the sums.
    """

    shape: ClassVar[tuple[int, ...]] = (2,)
    names: ClassVar[tuple[str, ...]] = ("weights", "squared_weights")

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of w and of w², `[metrics, 2]`."""
        weights = ops.where(x.valid, x.weights, 0)
        squares = ops.where(x.valid, x.weights * x.values, 0)
        return ops.sum(ops.stack([weights, squares], axis=-1), axis=1)

    def result(self, sums: Tensor) -> Tensor:
        """Return the numbers, `[...]`; 0 without clicks."""
        total, squares = ops.unstack(sums, 2, axis=-1)
        return ops.divide_no_nan(total**2, squares)


class _Effective:
    aggregate: Any = EffectiveSize()


@bases.metric
class EffectiveClicks(_Effective, ClickMetric):
    """Effective clicks: how many equally likely clicks the log is worth.

        (Σ c_i / π_i)² / Σ c_i / π_i²

    over all items of all lists, with π_i at least `clip`: Kish's effective
    sample size of the weights 1/π. It is the number of clicks if all were
    equally likely, and close to 1 if one rare click outweighs all others: then
    neither `IPS` nor `SNIPS` says much. Below 100, their intervals are too
    short: a 95% interval held in 56 to 94% of simulated logs. The scores do not
    matter. A list counts
    as often as its weight. `y_true` is as for `IPS`.

    Args:
        propensities: `[positions]`, see `IPS`.
        clip: the lowest propensity that counts as it is, see `IPS`.
        seed, ties, empty, list_weight, adjusted, inputs, unjudged, name, dtype:
            see `RankingMetric`. `inputs` is always `"scores"`.

    Example:
        >>> from keras_rankmetrics import EffectiveClicks
        >>> clicks = [[1, 0, 1], [0, 1, 0], [0, 0, 0]]  # as they were shown
        >>> metric = EffectiveClicks(propensities=[1, 1 / 2, 1 / 3])
        >>> value = metric(clicks, [[0.2, 0.9, 0.5]] * 3)
        >>> round(float(value), 4)  # (1 + 3 + 2)² / (1 + 9 + 4)
        2.5714

    Kish, Survey Sampling (1965).

    Stability: provisional.
    """

    short_name: ClassVar[str] = "effective_clicks"
    measure: ClassVar[TensorFn] = staticmethod(mean_inverse_propensity)
    own_weight: ClassVar[TensorFn] = staticmethod(clicks_in_all)

    empty: EmptyPolicy = "skip"

"""Coverage of a catalogue, and concentration of exposure over its items."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import keras

from keras_rankmetrics.engine.aggregates import Tally
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared, parameter
from keras_rankmetrics.engine.metric.ranking_metric import ConfiguredMetric
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.engine.ranking.relevance import labelled
from keras_rankmetrics.metrics.bases import metric
from keras_rankmetrics.types import (
    InputForm,
    Tensor,
    TensorFn,
    TiePolicy,
    Whole,
)

__all__ = [
    "CatalogueCoverage",
    "ExposureEntropy",
    "ExposureGini",
    "Personalization",
]

# A difference much smaller than its operands has lost most of its digits, and
# the smallest numbers of single precision have too few digits to begin with.
_LEAST_SHARE = 1e-3
_LEAST = 1e-30

_Shape = Callable[..., tuple[int, ...]]


def number_shown(
    ranking: Ranking,
    k: int | None,
    num_items: Annotated[int | None, Whole(1)] = None,
) -> Tensor:
    """Return the number of items that a list shows, `[lists]`."""
    return ranking.number_shown(k)


@declared
class CatalogueMetric(ConfiguredMetric, abstract=True):
    """A number computed from how often all lists show each item.

    The state has sums for each item, which add up over batches, machines and
    states. A single list has no value, so there is no standard error, and
    `per_list` returns the number of items that each list shows.

    Lists that show no item are excluded, and so are those with the weight 0.
    The weight of a list with weighted items is their mean weight.
    """

    relevance: ClassVar[TensorFn] = staticmethod(labelled)
    measure: ClassVar[TensorFn] = staticmethod(number_shown)
    of_catalogue: ClassVar[str] = "num_items"

    k: int | None = parameter(default=None, kw_only=False)
    num_items: int | None = parameter(default=None, kw_only=False)
    seed: int | keras.random.SeedGenerator | None = None
    ties: TiePolicy | None = None
    inputs: InputForm = "scores"
    name: str | None = None
    dtype: Any = None

    def __init__(self, **parameters: Any) -> None:
        super().__init__(empty="skip", list_weight="mean", **parameters)

    @functools.cached_property
    def aggregate(self) -> Tally:
        """The sums for each item."""
        items, kind = self.definition.catalogue or 0, type(self)
        return Tally(items, kind.shape(items), kind.of_lists, kind.number)

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Return True for lists that show an item, bool `[lists]`."""
        return ranking.shows_any()

    @staticmethod
    def shape(items: int) -> tuple[int, ...]:
        """Return the shape of the sums for a catalogue of this size."""
        return (items,)

    @staticmethod
    @abc.abstractmethod
    def of_lists(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
        """Return the terms that lists with these weights add to the sums."""

    @staticmethod
    @abc.abstractmethod
    def number(sums: Tensor) -> Tensor:
        """Return the result computed from the sums."""

    def __str__(self) -> str:
        """Return `coverage@10 = 0.7719`."""
        if not self._is_concrete():
            return repr(self)
        return f"{self.name} = {float(self.result()):.4f}"


def absence(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
    """Return Σ log(1 - p) over p below 1, and the count of p = 1, `[items, 2]`.

    p is the probability that a list shows the item.
    """
    counts = weights[:, None] > 0

    def sums(shown: Shown) -> Tensor:
        certain = counts & shown.is_certain
        uncertain = counts & ~shown.is_certain
        absent = (shown.size - shown.ranks) / shown.size
        logs = ops.log(ops.where(uncertain, absent, 1.0))
        terms = logs, ops.cast(certain, logs.dtype)
        return ops.stack([shown.by_item(x, items) for x in terms], axis=-1)

    return ranking.shown(sums)


def coverage(sums: Tensor) -> Tensor:
    """Return the mean of 1 - Π (1 - p) over the items."""
    logs, certain = ops.unstack(sums, 2, axis=-1)
    return ops.mean(ops.where(certain > 0, 1.0, -ops.expm1(logs)))


@metric
class CatalogueCoverage(CatalogueMetric):
    """Catalogue coverage at k: the share of the catalogue that is shown.

        coverage@k = (distinct items at ranks 1..k of any list) / num_items

    If items tie, the value is the mean over all orders of the tied items,
    independently for each list: Σ_i (1 - Π_u (1 - p_ui)) / num_items, where
    p_ui is the probability that item i is within rank k of list u. A weight of
    0 excludes a list; other weights have no effect. The value is 0 without
    lists.

    Items are indexed by their position in `y_pred` or, with `inputs="ids"`, by
    their id.

    Args:
        k: the cutoff, or None for all ranks.
        num_items: the number of items in the catalogue.
        seed, ties, inputs, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import CatalogueCoverage
        >>> coverage = CatalogueCoverage(k=2, num_items=4, inputs="ids")
        >>> float(coverage([[0], [1]], [[0, 1, 3], [1, 0, 2]]))  # 0 and 1
        0.5

    Herlocker et al., ACM TOIS 22 (2004); Ge, Delgado-Battenfeld and Jannach,
    RecSys (2010).

    Stability: stable.
    """

    short_name: ClassVar[str] = "coverage"
    shape: ClassVar[_Shape] = staticmethod(lambda items: (items, 2))
    of_lists: ClassVar[TensorFn] = staticmethod(absence)
    number: ClassVar[TensorFn] = staticmethod(coverage)


def overlaps(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
    """Return the sums of the pairwise overlaps, `[items + 4]`.

    For each item, Σ w p / √m over lists, where a list shows m items. Then, over
    lists: Σ w² Σ p² / m, Σ w, Σ w², and the number of lists.
    """
    number = ops.maximum(ranking.number_shown(), 1.0)[:, None]
    # Most lists show the same number of items. Their probabilities of 0 and 1
    # add up to integers, so that only the rest, of other lists, is rounded.
    usual = ops.rsqrt(ops.max(number))
    rest = ops.rsqrt(number) - usual

    def sums(shown: Shown) -> tuple[Tensor, Tensor, Tensor]:
        weighted = shown.probability * weights[:, None]
        return (
            shown.by_item(weighted, items),
            shown.by_item(weighted * rest, items),
            ops.sum(ops.square(weighted) / number),
        )

    shows, further, with_itself = ranking.shown(sums)
    counts = usual * shows + further
    lists = ops.cast(weights > 0, weights.dtype)
    of_lists = [ops.sum(x) for x in (weights, ops.square(weights), lists)]
    return ops.concatenate([counts, ops.stack([with_itself, *of_lists])])


def personalization(sums: Tensor) -> Tensor:
    """Return 1 - (Σ c² - Σ w² Σ p² / m) / ((Σ w)² - Σ w²).

    NaN if single precision has too few digits for the denominator.
    """
    counts = sums[:-4]
    with_itself, weight, squares, lists = ops.unstack(sums[-4:], 4)
    shared = ops.sum(ops.square(counts)) - with_itself
    pairs, all_pairs = ops.square(weight) - squares, ops.square(weight)
    is_exact = (pairs > _LEAST_SHARE * all_pairs) & (pairs > _LEAST)
    overlap = ops.divide_no_nan(shared, pairs)
    value = ops.where(is_exact, 1.0 - overlap, float("nan"))
    return ops.where(lists <= 1, 0.0, value)


@metric
class Personalization(CatalogueMetric):
    """Personalization at k: how much the lists differ from each other.

        personalization@k = 1 - mean overlap of two lists

    The overlap of two lists that show m and m' items within rank k is the
    number of items they share, over √(m m'); if both show k items, over k. 1
    means that no two lists share an item, 0 that all lists show the same items.

    The mean is over all pairs of lists, and exact. With c_i = Σ_u p_ui / √m_u,
    where p_ui is the probability that item i is within rank k of list u, the
    overlaps of all pairs, each pair counted twice, sum to

        Σ_i c_i² - Σ_u Σ_i p_ui² / m_u

    so one number per item is enough and no pairs are sampled. If items tie, the
    value is the mean over all orders of the tied items, independently for each
    list. A pair is weighted by the product of the weights of its lists. The
    value is 0 with fewer than two lists. It is NaN if the mean weight of the
    lists is below 1e-15, or if one list weighs a thousand times as much as all
    others together.

    Items are indexed by their position in `y_pred` or, with `inputs="ids"`, by
    their id.

    Args:
        k: the cutoff, or None for all ranks.
        num_items: the number of items in the catalogue.
        seed, ties, inputs, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import Personalization
        >>> metric = Personalization(k=2, num_items=4, inputs="ids")
        >>> round(float(metric([[0], [1]], [[0, 1], [1, 2]])), 4)  # 1 is shared
        0.5

    Zhou et al., PNAS 107 (2010), as the inter-user diversity.

    Stability: stable.
    """

    short_name: ClassVar[str] = "personalization"
    shape: ClassVar[_Shape] = staticmethod(lambda items: (items + 4,))
    of_lists: ClassVar[TensorFn] = staticmethod(overlaps)
    number: ClassVar[TensorFn] = staticmethod(personalization)


def times_shown(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
    """Return Σ w p, how often each item is shown on average, `[items]`."""
    return ranking.shown(
        lambda shown: shown.by_item(shown.probability * weights[:, None], items)
    )


def shares(sums: Tensor) -> Tensor:
    """Return the share of each item in the total; 0 if the total is 0."""
    return ops.divide_no_nan(sums, ops.sum(sums))


def gini(sums: Tensor) -> Tensor:
    """Return Σ (2 i - n - 1) c_i / (n Σ c), the c_i in increasing order."""
    in_order = ops.sort(shares(sums))
    items = sums.shape[0]
    place = ops.arange(1, items + 1, dtype=in_order.dtype)
    inequality = ops.sum((2.0 * place - items - 1.0) / items * in_order)
    return ops.maximum(inequality, 0.0)  # rounding may take it below 0


@metric
class ExposureGini(CatalogueMetric):
    """Gini index at k: how unevenly the items of a catalogue are shown.

        Gini@k = Σ_i (2 i - n - 1) c_i / (n Σ_i c_i)

    where n is the number of items in the catalogue, numbered from the least
    shown, i = 1, to the most shown, i = n. c_i is how often an item is shown
    within rank k: Σ_u w_u p_ui, where w_u is the weight of list u and p_ui the
    probability that the item is within its rank k, over all orders of tied
    items. 0 means that all items are shown equally often, 1 - 1/n that only one
    is shown. Lower is better. The value is 0 without lists.

    Items are indexed by their position in `y_pred` or, with `inputs="ids"`, by
    their id.

    Args:
        k: the cutoff, or None for all ranks.
        num_items: the number of items in the catalogue.
        seed, ties, inputs, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import ExposureGini
        >>> gini = ExposureGini(k=1, num_items=4, inputs="ids")
        >>> float(gini([[0], [1]], [[0, 1], [0, 2]]))  # only 0 of 4
        0.75

    Fleder and Hosanagar, Management Science 55 (2009).

    Stability: stable.
    """

    short_name: ClassVar[str] = "gini"
    of_lists: ClassVar[TensorFn] = staticmethod(times_shown)
    number: ClassVar[TensorFn] = staticmethod(gini)
    more_is_better = False


def entropy(sums: Tensor) -> Tensor:
    """Return -Σ p ln p over the shares p."""
    share = shares(sums)
    surprise = -ops.log(ops.where(share > 0, share, 1.0))
    return ops.abs(ops.sum(share * surprise))  # 0 rather than -0


@metric
class ExposureEntropy(CatalogueMetric):
    """Shannon entropy at k: how evenly the items of a catalogue are shown.

        entropy@k = -Σ_i p_i ln(p_i),   p_i = c_i / Σ_j c_j

    where c_i is how often item i is shown within rank k, see `ExposureGini`.
    The value is ln(n) if all n items of the catalogue are shown equally often,
    and 0 if only one is, or without lists. (RecBole divides it by the number of
    items that were shown.)

    Items are indexed by their position in `y_pred` or, with `inputs="ids"`, by
    their id.

    Args:
        k: the cutoff, or None for all ranks.
        num_items: the number of items in the catalogue.
        seed, ties, inputs, name, dtype: see `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import ExposureEntropy
        >>> entropy = ExposureEntropy(k=1, num_items=4, inputs="ids")
        >>> round(float(entropy([[0], [1]], [[0, 1], [1, 2]])), 4)  # ln(2)
        0.6931

    Adomavicius and Kwon, IEEE TKDE 24 (2012).

    Stability: stable.
    """

    short_name: ClassVar[str] = "entropy"
    of_lists: ClassVar[TensorFn] = staticmethod(times_shown)
    number: ClassVar[TensorFn] = staticmethod(entropy)

"""How evenly items are shown."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import register
from keras_rankmetrics.metrics.bases_of_items import Counted
from keras_rankmetrics.types import Tensor


def times_shown(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
    """`[items]`, Σ w p: how often each item is shown."""
    return ranking.shown(
        lambda shown: shown.by_item(shown.chance * weights[:, None], items)
    )


def shares(sums: Tensor) -> Tensor:
    """Of all that is shown, the share of each item; 0 of nothing."""
    return ops.divide_no_nan(sums, ops.sum(sums))


def gini(sums: Tensor) -> Tensor:
    """Σ (2 i - n - 1) c_i / (n Σ c), from the rarest item to the commonest."""
    in_order = ops.sort(shares(sums))
    items = sums.shape[0]
    place = ops.arange(1, items + 1, dtype=in_order.dtype)
    inequality = ops.sum((2.0 * place - items - 1.0) / items * in_order)
    return ops.maximum(inequality, 0.0)  # but for rounding it is never below


@register
@declared
class ExposureGini(Counted):
    """Gini index at k: how unevenly the items of a catalogue are shown.

        Gini@k = Σ_i (2 i - n - 1) c_i / (n Σ_i c_i)

    for the n items of the catalogue, from the one that is shown least, i = 1,
    to the one that is shown most, i = n. c_i is how often an item is within
    rank k: Σ_u w_u p_ui, for lists u of the weights w_u and the chances p_ui,
    over all orders of tied items. 0 means that all items are shown as often,
    and 1 - 1/n that only one is. Less is better. It is 0 without lists.

    The number of an item is its place among the scores, or its id.

    Args:
        k: how many ranks count, or None for all.
        num_items: how many items the catalogue has.
        seed, ties, inputs, name, dtype: as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import ExposureGini
        >>> gini = ExposureGini(k=1, num_items=4, inputs="ids")
        >>> float(gini([[0], [1]], [[0, 1], [0, 2]]))  # only 0 of 4
        0.75

    Fleder and Hosanagar, Management Science 55 (2009).
    """

    short_name = "gini"
    of_lists = staticmethod(times_shown)
    number = staticmethod(gini)
    more_is_better = False


def entropy(sums: Tensor) -> Tensor:
    """-Σ p ln p, of the shares p."""
    share = shares(sums)
    surprise = -ops.log(ops.where(share > 0, share, 1.0))
    return ops.abs(ops.sum(share * surprise))  # 0, and not -0


@register
@declared
class ExposureEntropy(Counted):
    """Shannon entropy at k: how evenly the items of a catalogue are shown.

        entropy@k = -Σ_i p_i ln(p_i),   p_i = c_i / Σ_j c_j

    where c_i is how often item i is within rank k, as for `ExposureGini`. It is
    ln(n) where all n items of the catalogue are shown as often, and 0 where
    only one is, or without lists. (RecBole divides it by the number of items
    that were shown.)

    The number of an item is its place among the scores, or its id.

    Args:
        k: how many ranks count, or None for all.
        num_items: how many items the catalogue has.
        seed, ties, inputs, name, dtype: as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import ExposureEntropy
        >>> entropy = ExposureEntropy(k=1, num_items=4, inputs="ids")
        >>> round(float(entropy([[0], [1]], [[0, 1], [1, 2]])), 4)  # ln(2)
        0.6931

    Adomavicius and Kwon, IEEE TKDE 24 (2012).
    """

    short_name = "entropy"
    of_lists = staticmethod(times_shown)
    number = staticmethod(entropy)

"""Which part of a catalogue is shown, and how alike lists are."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.metrics.bases import register
from keras_rankmetrics.metrics.bases_of_items import Counted
from keras_rankmetrics.types import Tensor

# Of what is that much smaller than what it is a difference of, too few digits
# are left; and single precision has no fractions of its smallest numbers.
_LEAST_SHARE = 1e-3
_LEAST = 1e-30


def chances_of_absence(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
    """`[items, 2]`: Σ log(1 - p) over chances p below 1, and how many are 1."""
    counts = weights[:, None] > 0

    def of(shown: Shown) -> Tensor:
        certain = counts & shown.is_certain
        uncertain = counts & ~shown.is_certain
        absent = (shown.size - shown.ranks) / shown.size
        logs = ops.log(ops.where(uncertain, absent, 1.0))
        parts = logs, ops.cast(certain, logs.dtype)
        return ops.stack([shown.by_item(x, items) for x in parts], axis=-1)

    return ranking.shown(of)


def coverage(sums: Tensor) -> Tensor:
    """The mean of 1 - Π (1 - p) over the items."""
    logs, certain = ops.unstack(sums, 2, axis=-1)
    return ops.mean(ops.where(certain > 0, 1.0, -ops.expm1(logs)))


@register
@declared
class CatalogueCoverage(Counted):
    """Catalogue coverage at k: the part of the catalogue that lists show.

        coverage@k = (different items at ranks 1..k of any list) / num_items

    Where items tie, it is the mean over all orders, each list's own:
    Σ_i (1 - Π_u (1 - p_ui)) / num_items, where p_ui is the chance of item i to
    be within rank k of the list u. A weight of 0 leaves a list out, and others
    do nothing. It is 0 without lists.

    The number of an item is its place among the scores, or its id.

    Args:
        k: how many ranks count, or None for all.
        num_items: how many items the catalogue has.
        seed, ties, inputs, name, dtype: as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import CatalogueCoverage
        >>> coverage = CatalogueCoverage(k=2, num_items=4, inputs="ids")
        >>> float(coverage([[0], [1]], [[0, 1, 3], [1, 0, 2]]))  # 0 and 1
        0.5

    Herlocker et al., ACM TOIS 22 (2004); Ge, Delgado-Battenfeld and Jannach,
    RecSys (2010).
    """

    short_name = "coverage"
    shape = staticmethod(lambda items: (items, 2))
    of_lists = staticmethod(chances_of_absence)
    number = staticmethod(coverage)


def overlaps(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
    """`[items + 4]`: Σ w p / √m of each item, for m items that a list shows.

    And over lists: Σ w² Σ p² / m, Σ w, Σ w², and their number.
    """
    number = ops.maximum(ranking.number_shown(), 1.0)[:, None]
    # Most lists show as many. Whole chances of these add up to whole numbers,
    # and only what other lists have besides is rounded.
    usual = ops.rsqrt(ops.max(number))
    besides = ops.rsqrt(number) - usual

    def of(shown: Shown) -> tuple[Tensor, Tensor, Tensor]:
        chance = shown.chance * weights[:, None]
        return (
            shown.by_item(chance, items),
            shown.by_item(chance * besides, items),
            ops.sum(ops.square(chance) / number),
        )

    shows, further, with_itself = ranking.shown(of)
    counts = usual * shows + further
    lists = ops.cast(weights > 0, weights.dtype)
    of_lists = [ops.sum(x) for x in (weights, ops.square(weights), lists)]
    return ops.concatenate([counts, ops.stack([with_itself, *of_lists])])


def personalization(sums: Tensor) -> Tensor:
    """1 - (Σ c² - Σ w² Σ p² / m) / ((Σ w)² - Σ w²).

    NaN where single precision has too few digits of what is below the line.
    """
    counts = sums[:-4]
    with_itself, weight, squares, lists = ops.unstack(sums[-4:], 4)
    shared = ops.sum(ops.square(counts)) - with_itself
    pairs, all_pairs = ops.square(weight) - squares, ops.square(weight)
    is_exact = (pairs > _LEAST_SHARE * all_pairs) & (pairs > _LEAST)
    overlap = ops.where(
        is_exact, ops.divide_no_nan(shared, pairs), float("nan")
    )
    return ops.where(lists <= 1, 0.0, 1.0 - overlap)


@register
@declared
class Personalization(Counted):
    """Personalization at k: how different the lists are from each other.

        personalization@k = 1 - mean overlap of two lists

    where the overlap of two lists is the number of items that both have within
    rank k, over √(m m'), for the m and m' items that they have there: over k if
    both have as many. 1 means that no two lists share an item, and 0 that all
    lists show the same ones. The mean is over all pairs of lists, exactly: for
    c_i = Σ_u p_ui / √m_u, with the chance p_ui of item i to be within rank k of
    the list u, and U lists, the overlaps of all pairs add up to

        Σ_i c_i² - Σ_u Σ_i p_ui² / m_u

    each pair twice. So it needs one number for each item, and no sample. Where
    items tie, it is the mean over all orders, each list's own. A pair weighs as
    much as the product of the weights of its lists. With fewer than two lists
    it is 0. It is NaN where lists have a mean weight below 1e-15, or one of
    them weighs a thousand times as much as all others together.

    The number of an item is its place among the scores, or its id.

    Args:
        k: how many ranks count, or None for all.
        num_items: how many items the catalogue has.
        seed, ties, inputs, name, dtype: as on `RankingMetric`.

    Example:
        >>> from keras_rankmetrics import Personalization
        >>> metric = Personalization(k=2, num_items=4, inputs="ids")
        >>> round(float(metric([[0], [1]], [[0, 1], [1, 2]])), 4)  # 1 is shared
        0.5

    Zhou et al., PNAS 107 (2010), as the inter-user diversity.
    """

    short_name = "personalization"
    shape = staticmethod(lambda items: (items + 4,))
    of_lists = staticmethod(overlaps)
    number = staticmethod(personalization)

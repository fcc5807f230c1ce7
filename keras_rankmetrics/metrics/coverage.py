"""Coverage, concentration and diversity of the items shown."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared, derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.metrics.bases import AboutItems, Counted, register
from keras_rankmetrics.types import OfItems, Tensor

# Which part of a catalogue is shown, and how alike lists are.

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


# How evenly items are shown.


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


# How different the items of one list are from each other.


def of_length_one(vectors: np.ndarray) -> np.ndarray:
    """Each vector over its length; 0 stays 0."""
    vectors = vectors.astype("float64")
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, np.where(length > 0, length, 1.0))


def shows_two(ranking: Ranking) -> Tensor:
    """Which lists show two items or more."""
    return ranking.number_shown() > 1


def intra_list_diversity(
    ranking: Ranking,
    k: int | None,
    vectors: Annotated[Any, OfItems("vectors of items", dimensions=2)] = None,
) -> Tensor:
    """1 - the mean cosine of two items that are shown."""
    units = derived(of_length_one, vectors)
    lengths = (units**2).sum(axis=-1)

    def of(items: Shown) -> tuple[Tensor, ...]:
        certain = ops.cast(items.is_certain & (items.ranks > 0), items.dtype)
        split = ops.cast(items.chance > 0, items.dtype) - certain
        return tuple(
            total
            for x in (certain, split)
            for total in (
                items.times(x, units),
                ops.sum(x * items.at(lengths), axis=-1),
                ops.sum(x, axis=-1),
            )
        )

    # All items of a group that the cutoff splits are as likely to be shown.
    inside, own, certain, beside, theirs, split = ranking.shown(of, k)
    shown = ranking.number_shown(k)
    drawn = shown - certain
    pairs = ops.sum(inside**2, axis=-1) - own
    across = 2.0 * ops.sum(inside * beside, axis=-1)
    pairs += ops.divide_no_nan(drawn, split) * across
    both = ops.divide_no_nan(drawn * (drawn - 1.0), split * (split - 1.0))
    pairs += both * (ops.sum(beside**2, axis=-1) - theirs)
    return 1.0 - ops.divide_no_nan(pairs, shown * (shown - 1.0))


@register
@declared
class IntraListDiversity(AboutItems):
    """Intra-list diversity at k: how different the items of a list are.

        ILD@k = mean of 1 - cos(v_i, v_j) over all pairs of the first k items

    for the vectors v of the items. A row of 0 and 1 for each item, with a 1 for
    each of its categories, makes it the diversity of categories. A vector of
    zeros is at the distance 1 of all others. What labels say does not matter. A
    list that shows fewer than two items has no value, and does not count by
    default.

    Where items tie with the last one within rank k, each pair is as likely to
    be shown as any other of them, so that the mean over all orders follows from
    sums of vectors, without a look at pairs. Memory is needed for the vectors
    of all ranks that count, so give it a k on a large catalogue.

    Args:
        k: how many ranks count, or None for all.
        vectors: `[items, d]`, a vector for each item. The number of an item is
            its place among the scores, or its id.
        seed, ties, empty, list_weight, inputs, unjudged, name, dtype: as on
            `RankingMetric`. Neither `empty="one"` nor `adjusted` has a meaning.

    Example:
        >>> from keras_rankmetrics import IntraListDiversity
        >>> genres = [[1, 0], [1, 0], [0, 1]]
        >>> metric = IntraListDiversity(3, vectors=genres, inputs="ids")
        >>> round(float(metric([[0]], [[0, 1, 2]])), 4)  # 2 of 3 pairs
        0.6667

    Ziegler et al., WWW (2005); Zhang and Hurley, RecSys (2008).
    """

    short_name = "ild"
    measure = staticmethod(intra_list_diversity)
    has_value = staticmethod(shows_two)
    of_catalogue = "vectors"
    has_upper_bound = False
    aggregate = WeightedMean(bounded=False)

    vectors: Any = None

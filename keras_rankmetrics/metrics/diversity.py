"""How different the items of one list are from each other."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import declared, derived
from keras_rankmetrics.engine.ranking import Ranking, Shown
from keras_rankmetrics.metrics.bases import register
from keras_rankmetrics.metrics.bases_of_items import AboutItems
from keras_rankmetrics.types import OfItems, Tensor


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

"""`count_ranks`: the ranks of relevant items in a catalogue of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.catalogues.arguments import (
    checked_chunk,
    checked_items,
    checked_queries,
    excluded_items,
    item_numbers,
)
from keras_rankmetrics.catalogues.chunks import (
    Items,
    ScoreFn,
    checked,
    is_spread,
    over_chunks,
    over_devices,
    picked,
    score,
)
from keras_rankmetrics.catalogues.counts import LOWEST, RankCounts, Targets


def count_ranks(
    queries: Any,
    items: Items,
    targets: Any,
    exclude: Any = None,
    *,
    score_fn: ScoreFn | None = None,
    chunk: int | None = None,
    verbose: bool = False,
) -> dict[str, Any]:
    """Count how many items of a catalogue rank above each relevant item.

    The counts are the `y_pred` of metrics with `inputs="counts"`. They make
    every metric of relevance exact over the whole catalogue, at any k:

        metric.update_state(targets, count_ranks(queries, items, targets))

    The catalogue is scored in chunks, and only one chunk of scores,
    `[lists, chunk]`, is in memory. The score of a relevant item comes from the
    same product as the scores it is compared with, since a difference in the
    last bit would change its rank. If a backend rounds it differently in
    another chunk, the catalogue is scored a second time.

    Args:
        queries: `[lists, d]`, a vector for each list; or any input of
            `score_fn`.
        items: `[items, d]`, a vector for each item; or an array whose rows
            `score_fn` takes. An array of numpy or of the backend, or a file
            that is read by slices, such as `numpy.memmap`. On jax it may be
            spread over devices by its first axis: each device then counts its
            own items, and only the counts move between devices.
        targets: the numbers of the relevant items, `[lists]` or
            `[lists, targets]`, negative for padding.
        exclude: the numbers of items without a rank, such as those that a user
            has seen: `[lists, excluded]`, negative for padding. A relevant item
            among them counts as not retrieved.
        score_fn: a function `(queries, rows)` that returns the scores of these
            items, `[lists, rows]`; inner products by default. An item with the
            lowest score, -inf, has no rank.
        chunk: the number of items to score at once; by default about two
            million scores.
        verbose: whether to show a progress bar. Items spread over devices have
            none.

    Returns:
        A dict: `"above"` and `"tied"`, int32 `[lists, targets]`, and
        `"num_items"`, a number, or int32 `[lists]` if lists differ.

    Raises:
        ValueError: if the arguments do not fit together, a score is NaN, or
            `score_fn` returns different floats for the same item.
        TypeError: if `score_fn` is not callable.

    Example:
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> users = np.array([[1.0, 0.0], [0.0, 1.0]], "float32")
        >>> items = np.array([[3, 1], [2, 2], [1, 3], [2, 0]], "float32")
        >>> counts = krm.count_ranks(users, items, targets=[1, 2])
        >>> counts["above"].tolist(), counts["tied"].tolist()
        ([[1], [0]], [[1], [0]])
        >>> mrr = krm.MeanReciprocalRank(inputs="counts")
        >>> [round(float(x), 4) for x in mrr.per_list([1, 2], counts)]
        [0.4167, 1.0]

    Both numbers are needed where items tie: Berrendorf, Faerman, Vermue and
    Tresp, On the Ambiguity of Rank-Based Evaluation of Entity Alignment or Link
    Prediction Methods (2020).
    """
    items, number = checked_items(items)
    numbers = item_numbers("targets", targets, number)
    lists = numbers.shape[0]
    if lists == 0:
        return {"above": numbers, "tied": numbers, "num_items": number}
    exclude = excluded_items(exclude, number, lists)
    queries = checked_queries(queries, items, lists, score_fn)
    size = checked_chunk(chunk, lists, number)
    if score_fn is not None:
        score_fn = checked(score_fn, lists)
    scores = _target_scores(queries, items, numbers, size, score_fn)
    found = Targets(*map(ops.convert_to_tensor, (numbers, scores, exclude)))
    count = over_devices if is_spread(items, score_fn) else over_chunks
    counts = count(queries, items, found, size, score_fn, verbose)
    _check_defined(counts)
    there = numbers >= 0
    if np.any(there & (ops.convert_to_numpy(counts.scores) != scores)):
        found = found._replace(scores=counts.scores)
        counts = count(queries, items, found, size, score_fn, verbose)
        _check_same(found, counts)
    return _y_pred(counts, found, number)


def _target_scores(
    queries: Any,
    items: Items,
    targets: np.ndarray,
    size: int,
    score_fn: ScoreFn | None,
) -> np.ndarray:
    """Return the scores of the targets, `[lists, targets]`, 0 for padding.

    They come from products with as many items as a chunk has, which most
    backends round like the products of the chunks.
    """
    there = targets >= 0
    numbers = np.unique(targets[there])
    found = np.zeros(targets.shape)
    for first in range(0, len(numbers), size):
        part = numbers[first : first + size]
        scores = score(queries, picked(items, part, size), score_fn)
        place = np.minimum(np.searchsorted(part, targets), len(part) - 1)
        chosen = ops.take_along_axis(
            scores, ops.convert_to_tensor(place.astype("int32")), axis=-1
        )
        chosen = ops.convert_to_numpy(chosen).astype("float64")
        found = np.where(part[place] == targets, chosen, found)
    return found


def _check_defined(counts: RankCounts) -> None:
    undefined = ops.convert_to_numpy(counts.undefined) > 0
    if undefined.any():
        raise ValueError(
            "The scores of items should be numbers. Received: NaN for list "
            f"{int(undefined.argmax())}. Look for NaN in the vectors."
        )


def _check_same(targets: Targets, counts: RankCounts) -> None:
    before, after = map(ops.convert_to_numpy, (targets.scores, counts.scores))
    differ = before != after
    if differ.any():
        one, other = before[differ][0], after[differ][0]
        raise ValueError(
            "`score_fn` should give an item the same score each time. "
            f"Received: {one} and {other} for the same item. Remove randomness "
            "from it: call layers with `training=False`."
        )


def _y_pred(
    counts: RankCounts, targets: Targets, number: int
) -> dict[str, Any]:
    """Return the `y_pred` of `inputs="counts"`."""
    items, scores, exclude = map(ops.convert_to_numpy, targets)
    above, reach = map(ops.convert_to_numpy, counts[:2])
    excluded = (items[:, :, None] == exclude[:, None]).any(axis=-1)
    there = (items >= 0) & ~excluded & (scores > LOWEST)
    ranked = ops.convert_to_numpy(counts.ranked)
    return {
        "above": np.where(there, above, -1),
        "tied": np.where(there, reach - above - 1, 0),
        "num_items": number if (ranked == number).all() else ranked,
    }

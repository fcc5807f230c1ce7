"""`count_ranks`: where relevant items stand in a catalogue of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.catalogues.arguments import (
    checked_chunk,
    checked_items,
    checked_queries,
    excluded_of,
    numbers_of,
)
from keras_rankmetrics.catalogues.chunks import (
    Rows,
    ScoreFn,
    checked,
    is_spread,
    over_chunks,
    over_devices,
    picked,
    score,
)
from keras_rankmetrics.catalogues.tally import LOWEST, Asked, Tally


def count_ranks(
    queries: Any,
    items: Rows,
    targets: Any,
    exclude: Any = None,
    *,
    score_fn: ScoreFn | None = None,
    chunk: int | None = None,
    verbose: bool = False,
) -> dict[str, Any]:
    """Counts how many items of a catalogue stand above each relevant one.

    What it returns is `y_pred` for metrics with `inputs="counts"`, and so every
    metric of relevance is exact over the whole catalogue, at any k:

        metric.update_state(targets, count_ranks(queries, items, targets))

    The catalogue is scored in chunks, of which no more than one is in memory:
    `[lists, chunk]` scores. The score of a relevant item is taken from the same
    products as those of all others, for a score that differs in its last bit
    would be another rank; if a backend computes it otherwise in a chunk of
    other items, the catalogue is scored a second time.

    Args:
        queries: `[lists, d]`, a vector for each list; or whatever `score_fn`
            takes.
        items: `[items, d]`, a vector for each item; or whatever `score_fn`
            takes rows of. An array of numpy or of the backend, or a file that
            is read by slices, as `numpy.memmap` is. On jax it may be spread
            over devices by its first axis: then each device counts its own
            items, and two numbers of each relevant one travel.
        targets: the numbers of the relevant items, `[lists]` or
            `[lists, targets]`, negative for padding.
        exclude: numbers of items that have no rank, `[lists, excluded]`,
            negative for padding: those that a user has seen. A relevant one
            among them counts as not retrieved.
        score_fn: `(queries, rows)` to the scores of these items, `[lists,
            rows]`. By default the inner products. The lowest score, -inf, says
            that an item has no rank.
        chunk: how many items are scored at once, by default as many as make
            some million scores.
        verbose: whether a progress bar is shown; not of items on devices.

    Returns:
        `"above"` and `"tied"`, int32 `[lists, targets]`, and `"num_items"`, a
        number, or int32 `[lists]` where lists differ.

    Raises:
        ValueError: if the arguments do not fit together, a score is NaN, or
            `score_fn` does not give the same floats each time.

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

    The two numbers of each place: Berrendorf, Faerman, Vermue and Tresp, On the
    Ambiguity of Rank-Based Evaluation of Entity Alignment or Link Prediction
    Methods (2020).
    """
    items, number = checked_items(items)
    targets = numbers_of("targets", targets, number)
    lists = targets.shape[0]
    if lists == 0:
        return {"above": targets, "tied": targets, "num_items": number}
    exclude = excluded_of(exclude, number, lists)
    queries = checked_queries(queries, items, lists, score_fn)
    size = checked_chunk(chunk, lists, number)
    if score_fn is not None:
        score_fn = checked(score_fn, lists)
    scores = _of_targets(queries, items, targets, size, score_fn)
    asked = Asked(*map(ops.convert_to_tensor, (targets, scores, exclude)))
    count = over_devices if is_spread(items, score_fn) else over_chunks
    found = count(queries, items, asked, size, score_fn, verbose)
    _check_defined(found)
    there = targets >= 0
    if np.any(there & (ops.convert_to_numpy(found.found) != scores)):
        asked = asked._replace(scores=found.found)
        found = count(queries, items, asked, size, score_fn, verbose)
        _check_same(asked, found)
    return _counts(found, asked, number)


def _of_targets(
    queries: Any,
    items: Rows,
    targets: np.ndarray,
    size: int,
    score_fn: ScoreFn | None,
) -> np.ndarray:
    """`[lists, targets]`, the scores of the targets, 0 for padding.

    From a product of as many items as a chunk has, which most backends compute
    as they compute that of the chunk.
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


def _check_defined(found: Tally) -> None:
    undefined = ops.convert_to_numpy(found.undefined) > 0
    if undefined.any():
        raise ValueError(
            "The scores of items should be numbers. Received: NaN for the list "
            f"{int(undefined.argmax())}. Look for NaN in the vectors."
        )


def _check_same(asked: Asked, found: Tally) -> None:
    before, after = map(ops.convert_to_numpy, (asked.scores, found.found))
    differ = before != after
    if differ.any():
        one, other = before[differ][0], after[differ][0]
        raise ValueError(
            "`score_fn` should give an item the same score each time. "
            f"Received: {one} and {other} for the same item. Let it draw "
            "nothing: call layers with `training=False`."
        )


def _counts(found: Tally, asked: Asked, number: int) -> dict[str, Any]:
    """What `inputs="counts"` takes."""
    targets, scores, exclude = map(ops.convert_to_numpy, asked)
    above, reach = map(ops.convert_to_numpy, found[:2])
    excluded = (targets[:, :, None] == exclude[:, None]).any(axis=-1)
    there = (targets >= 0) & ~excluded & (scores > LOWEST)
    ranked = ops.convert_to_numpy(found.ranked)
    return {
        "above": np.where(there, above, -1),
        "tied": np.where(there, reach - above - 1, 0),
        "num_items": number if (ranked == number).all() else ranked,
    }

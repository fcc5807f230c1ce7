"""`count_ranks`: the ranks of relevant items in a catalogue of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.catalogues import passes
from keras_rankmetrics.catalogues.counts import LOWEST, RankCounts, Wanted
from keras_rankmetrics.catalogues.twins import Blanked, Twins
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.checks import of_batch
from keras_rankmetrics.engine.definition import check_no_row_numbers
from keras_rankmetrics.engine.inputs.tensors import integers, to_numpy

# This many scores stay in the processor's cache.
_SCORES = 2**21
_AT_LEAST, _AT_MOST = 2**10, 2**17
# torch counts rows of this many scores, or a multiple, fastest.
_BLOCK = 2040
_FIRST = 32  # targets to look at


def count_ranks(
    queries: Any,
    items: passes.Catalogue,
    targets: Any,
    exclude: Any = None,
    *,
    score_fn: passes.ScoreFn | None = None,
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

    Vectors are multiplied in float64 if the queries or the items have it. On
    jax that needs its 64-bit mode, and the numpy backend has none. All others,
    such as integers and half precision, are multiplied in float32.

    Args:
        queries: `[lists, d]`, a vector for each list; or any input of
            `score_fn`.
        items: `[items, d]`, a vector for each item; or an array whose rows
            `score_fn` takes. An array of numpy or of the backend, or a file
            that is read by slices, such as `numpy.memmap`. On jax it may be
            spread over devices by its first axis: each device then counts its
            own items, and only the counts move between devices.
        targets: the numbers of the relevant items, `[lists]` or
            `[lists, targets]`, negative for padding; or lists of different
            lengths.
        exclude: the numbers of items without a rank, such as those that a user
            has seen: `[lists, excluded]`, negative for padding; or lists of
            different lengths. A relevant item among them counts as not
            retrieved.
        score_fn: a function `(queries, rows)` that returns the scores of these
            items, `[lists, rows]`; inner products by default. The score of an
            item may not depend on the other rows. An item with the lowest
            score, -inf, has no rank. Rows are tensors, so that queries for
            torch should be, too.
        chunk: the number of items to score at once; by default about two
            million scores.
        verbose: whether to show a progress bar. Items spread over devices have
            none.

    Returns:
        A dict: `"above"` and `"tied"`, int32 `[lists, targets]`, and
        `"num_items"`, a number, or int32 `[lists]` if lists differ.

    Raises:
        ValueError: if the arguments do not fit together; if the score of an
            item that is not excluded is NaN; or if `score_fn` returns different
            floats for the same item, or scores that depend on the other rows.
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

    Stability: stable.
    """
    items = _vectors("items", items)
    if isinstance(items, list | tuple):
        items = np.asarray(items)
    number = _number_of(items)
    numbers = item_numbers("targets", targets, number)
    checks.say_seen(pairs=of_batch.are_pairs(numbers, number))
    lists = numbers.shape[0]
    if lists == 0:
        return {"above": numbers, "tied": numbers, "num_items": number}
    exclude = excluded_items(exclude, number, numbers)
    size = chunk_size(chunk, lists, number)
    if score_fn is None:
        queries = ops.convert_to_tensor(_vectors("queries", queries))
        _check_vectors(queries, items, lists)
        _look_at(queries, items, numbers)
    else:
        score_fn = passes.checked_score_fn(score_fn, lists)
    twins = None
    if score_fn is None and not passes.is_spread(items, score_fn):
        twins = Twins.of(queries, items, numbers, size)
    rows, width = np.concatenate([numbers, exclude], 1), numbers.shape[1]
    wanted = Wanted.of(rows, passes.first_items_of(items, size, score_fn))
    is_excluded = (numbers[:, :, None] == exclude[:, None]).any(axis=-1)
    there = (numbers >= 0) & ~is_excluded
    scores = _target_scores(queries, items, numbers, size, score_fn)
    if twins is not None:
        scores = twins.put(scores, numbers)
        items = Blanked(items, twins.members)
    scores = np.where(there, scores, 0.0)
    counters = passes.counters(queries, items, size, wanted, score_fn, verbose)

    def split(kept: np.ndarray) -> list[np.ndarray]:
        """Return the kept scores of relevant items, and of excluded ones."""
        found = wanted.scores(kept, rows)
        found = found if twins is None else twins.put(found, rows)
        return np.split(found, [width], axis=1)

    counts, kept, counters = _counted(counters, scores, split)
    own, excluded = split(kept)
    if score_fn is not None and size < number:
        # Rounding does not change so many scores by so much.
        _check_same(scores[there], own[there], tolerance=0.05, share=0.5)
    if (own != scores)[there].any():
        scores = np.where(there, own, 0.0)
        counts, kept, _ = _counted(counters, scores, split)
        own, excluded = split(kept)
        _check_same(scores[there], own[there])
    if twins is not None:
        counts = twins.add(counts, own)
    above, reach, ranked = _without(counts, own, exclude, excluded)
    there &= own > LOWEST
    return {
        "above": np.where(there, above, -1),
        "tied": np.where(there, reach - above - 1, 0),
        "num_items": number if (ranked == number).all() else ranked,
    }


def _vectors(name: str, x: Any) -> Any:
    """Return a frame as an array; raise ValueError for sparse vectors."""
    if hasattr(x, "toarray"):
        raise ValueError(
            f"`{name}` should hold vectors. Received: a sparse "
            f"{type(x).__name__}. Make it dense: `.toarray()`."
        )
    return np.asarray(x) if hasattr(x, "to_numpy") else x


def _number_of(items: Any) -> int:
    """Return the number of items, or raise ValueError if there are none."""
    shape = getattr(items, "shape", None)
    if not shape or not shape[0]:
        received = type(items).__name__ if shape is None else f"shape {shape}"
        raise ValueError(
            "`items` should be an array with a row for each item of the "
            f"catalogue, [items, ...]. Received: {received}."
        )
    return int(shape[0])


def item_numbers(name: str, x: Any, items: int) -> np.ndarray:
    """Return numbers of items, int32 `[lists, row]`, -1 for padding.

    Args:
        name: the name of the argument, for errors.
        x: the argument, `[lists]` or `[lists, row]`.
        items: the size of the catalogue.

    Raises:
        ValueError: if the shape or a number is invalid.
    """
    rows = ops.convert_to_numpy(integers(name, x, "numbers of items"))
    if rows.ndim == 1:
        rows = rows[:, None]
    if rows.ndim == 2 and rows.shape[1] == 0:
        rows = np.full((len(rows), 1), -1)
    if rows.ndim != 2:
        raise ValueError(
            f"`{name}` should hold the numbers of items of each list, "
            f"[lists] or [lists, row]. Received: the shape {rows.shape}."
        )
    if rows.shape[1] == items > 2 and set(np.unique(rows)) == {0, 1}:
        raise ValueError(
            f"`{name}` should hold numbers of items. Received: {items} numbers "
            "for each list, all of them 0 or 1, which look like labels. Pass "
            "the positions of the ones."
        )
    if rows.max(initial=-1) >= items:
        raise ValueError(
            f"`{name}` should hold numbers of items from 0 to {items - 1}, "
            f"since there are {items} items. Received: {rows.max()}."
        )
    return np.maximum(rows, -1).astype("int32")


def distinct_numbers(name: str, x: Any, items: int) -> np.ndarray:
    """Return numbers of items, each once in a row, and warn of padding.

    Args:
        name: as for `item_numbers`.
        x: as for `item_numbers`.
        items: as for `item_numbers`.

    Raises:
        ValueError: as by `item_numbers`.
    """
    rows = item_numbers(name, x, items)
    checks.say_seen(padding=of_batch.padding_in(rows))
    rows = np.sort(rows, axis=-1)
    rows[:, 1:][rows[:, 1:] == rows[:, :-1]] = -1
    return rows


def warn_if_again(items: Any) -> None:
    """Warn if a column of ids of the catalogue has an item several times."""
    if not hasattr(items, "shape") or len(items.shape) != 1:
        return
    ids = to_numpy(items)
    if ids.dtype.kind in "iuUS" and len(np.unique(ids)) < len(ids):
        checks.say_seen(again_in_catalogue=len(ids))


def warn_if_nothing(targets: np.ndarray, metrics: Sequence[Any]) -> None:
    """Warn if no query has a target, `[lists, targets]`, -1 for padding."""
    facts = checks.Facts("`targets`")
    facts.add_sides(relevant=targets >= 0)
    checks.say(facts, metrics)


def excluded_items(exclude: Any, items: int, targets: np.ndarray) -> np.ndarray:
    """Return the items without a rank, each once, int32 `[lists, excluded]`.

    Warn if all targets are among them.

    Args:
        exclude: the items, or None.
        items: the number of all items.
        targets: `[lists, targets]`, the numbers of the relevant items.

    Raises:
        ValueError: if there is not one row for each list.
    """
    lists = len(targets)
    if exclude is None:
        return np.full((lists, 1), -1, "int32")
    is_flat = getattr(exclude, "ndim", 1) == 1  # or lists of lists
    is_flat = is_flat and not np.ndim(next(iter(exclude), 0))
    rows = distinct_numbers("exclude", exclude, items)
    if is_flat or len(rows) != lists:
        received = "no" if is_flat else len(rows)
        raise ValueError(
            "`exclude` should have a row for each list, [lists, excluded]. "
            f"Received: {received} rows for {lists} lists."
        )
    checks.say_seen(excludes_all=of_batch.are_excluded(targets, rows))
    return rows


def _check_vectors(queries: Any, items: Any, lists: int) -> None:
    """Raise ValueError if vectors of queries and items do not fit together."""
    expected = (lists, *items.shape[1:])
    if tuple(queries.shape) != expected or len(expected) != 2:
        raise ValueError(
            "`queries` should hold a vector for each list and `items` one for "
            "each item, of the same length: [lists, d] and [items, d]. "
            f"Received: `queries.shape` = {tuple(queries.shape)} and "
            f"`items.shape` = {tuple(items.shape)}, and targets of {lists} "
            "lists. For scores other than inner products, pass a `score_fn`."
        )


def _look_at(queries: Any, items: Any, targets: np.ndarray) -> None:
    """Raise ValueError for a column of ids, and warn of repeated vectors."""
    check_no_row_numbers("items", items)
    first, is_own = targets[:_FIRST], False
    if targets.shape[1] == 1 and (first >= 0).all():
        own = to_numpy(passes.picked(items, first[:, 0], len(first)))
        is_own = of_batch.find_themselves(queries, own)
    number = items.shape[0] if of_batch.are_twice(items) else None
    checks.say_seen(twice=number, themselves=is_own)


def chunk_size(chunk: Any, lists: int, items: int) -> int:
    """Return the number of items to score at once.

    Raises:
        ValueError: if `chunk` is not a positive integer or None.
    """
    if chunk is None:
        chunk = min(max(_SCORES // lists, _AT_LEAST), _AT_MOST)
        chunk -= chunk % _BLOCK if chunk > _BLOCK else 0
    whole = as_integer(chunk)
    if whole is None or whole < 1:
        raise ValueError(
            "`chunk` should be a positive integer or None. Received: "
            f"{chunk!r}."
        )
    return min(whole, items)


def _target_scores(
    queries: Any,
    items: passes.Catalogue,
    targets: np.ndarray,
    size: int,
    score_fn: passes.ScoreFn | None,
) -> np.ndarray:
    """Return the scores of the targets, `[lists, targets]`, 0 for padding."""
    there = targets >= 0
    numbers = np.unique(targets[there])
    found = np.zeros(targets.shape)
    parts = passes.scores_of(queries, items, numbers, size, score_fn)
    for part, scores in parts:
        columns = np.minimum(np.searchsorted(part, targets), len(part) - 1)
        chosen = ops.take_along_axis(
            scores, ops.convert_to_tensor(columns.astype("int32")), axis=-1
        )
        chosen = ops.convert_to_numpy(chosen).astype("float64")
        found = np.where(part[columns] == targets, chosen, found)
    return found


def _counted(
    counters: list[passes.CountCatalogue],
    scores: np.ndarray,
    split: Callable[[np.ndarray], list[np.ndarray]],
) -> tuple[RankCounts, np.ndarray, list[passes.CountCatalogue]]:
    """Return the counts and kept scores of the first counter that defines them.

    The counters from it on follow: no other pass over these vectors can use
    those before.

    Args:
        counters: functions that count the catalogue, the fastest first.
        scores: `[lists, targets]`, the scores of the relevant items.
        split: returns the kept scores of relevant and of excluded items.

    Raises:
        ValueError: if the score of an item that is not excluded is NaN.
    """
    thresholds = ops.convert_to_tensor(scores)
    for place, count in enumerate(counters):
        counts, kept = count(thresholds)
        undefined = ops.convert_to_numpy(counts.undefined)
        if undefined.any() and place == len(counters) - 1:
            undefined = undefined - np.isnan(split(kept)[1]).sum(axis=1)
        if not undefined.any():
            return counts, kept, counters[place:]
    raise ValueError(
        "The scores of items should be numbers. Received: NaN for list "
        f"{int((undefined > 0).argmax())}. Look for NaN in the vectors."
    )


def _check_same(
    before: np.ndarray,
    after: np.ndarray,
    tolerance: float = 0.0,
    share: float = 0.0,
) -> None:
    """Raise ValueError if scores differ in more than a share of the items."""
    differ = ~np.isclose(before, after, rtol=tolerance, atol=0)
    if differ.sum() > share * len(differ):
        one, other = before[differ][0], after[differ][0]
        raise ValueError(
            "`score_fn` should give an item the same score each time, in any "
            f"chunk. Received: {one} and {other} for the same item. Remove "
            "randomness from it: call layers with `training=False`. Remove "
            "what depends on the other rows, such as softmax."
        )


def _without(
    counts: RankCounts,
    targets: np.ndarray,
    exclude: np.ndarray,
    excluded: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `above`, `reach` and `ranked` without the excluded items.

    Args:
        counts: the counts of all items.
        targets: `[lists, targets]`, the scores of the relevant items.
        exclude: `[lists, excluded]`, the excluded items, negative for padding.
        excluded: `[lists, excluded]`, the scores of these items, the lowest for
            padding.
    """
    above, reach, ranked = map(ops.convert_to_numpy, counts[:3])
    higher, as_high = (
        np.stack(
            [np.sum(are(excluded, s[:, None]), axis=-1) for s in targets.T],
            axis=-1,
        ).astype("int32")
        for are in (np.greater, np.greater_equal)
    )
    had_rank = (exclude >= 0) & (excluded > LOWEST)
    lost = np.sum(had_rank, axis=-1, dtype="int32")
    return above - higher, reach - as_high, ranked - lost

"""Facts of a batch, from its first lists."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections import Counter
from typing import Any, cast

import numpy as np

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import (
    concrete,
    is_compiled_by_torch,
)
from keras_rankmetrics.engine.checks.checks import said_of
from keras_rankmetrics.engine.checks.evidence import Evidence, tails_of
from keras_rankmetrics.engine.checks.facts import (
    BATCH,
    Facts,
    infinite_in,
    of_ties,
)
from keras_rankmetrics.engine.checks.of_ids import (
    FEW_FOUND,
    of_other_lists,
    shift_of,
)
from keras_rankmetrics.engine.inputs import Lists, id_rows
from keras_rankmetrics.engine.inputs.batch import entries_of
from keras_rankmetrics.engine.inputs.tensors import (
    integers,
    ties_of_float32,
    to_numpy,
)
from keras_rankmetrics.types import Reading

_LISTS = 32  # at most
_ITEMS = 2**16  # of these, but for three of longer lists
_MANY = 50  # labels, of which some are of irrelevant items
_LEAST = 16  # targets
_FEW = 3  # lists that have them; or ids that are again
_BEST = 5  # items that a list would find, were its targets shifted
_OF_IDS = {**BATCH, "ascend": "If the best ones come last, turn them round."}
_NEARLY_ALL = 0.8  # of the relevant items
_RANKS = 2  # times as many as there are items, at most
_SHARED = 0.2  # of the ids of a list, at other places
_TIMES = 3  # as many as by chance
_GRADES = 6  # from 0 on
_TIED = 0.01  # of the items of a list


def facts_of(
    form: Reading, lists: Lists, y_true: Any, y_pred: Any
) -> Facts | None:
    """Return the facts of the first lists; None for other forms, or if traced.

    Args:
        form: the form of the input.
        lists: the lists.
        y_true: as passed.
        y_pred: as passed.
    """
    if form not in ("scores", "sparse", "ids", "counts", "two_rankings"):
        return None
    if is_compiled_by_torch() or concrete(ops.any(lists.present)) is None:
        return None
    excluded = y_true.get("exclude") if isinstance(y_true, dict) else None
    content: Any = lists.content
    if form == "counts":
        return _of_counts(lists, y_true)
    if form == "two_rankings":
        return _of_rankings(content)
    if form == "ids":
        return _of_ids(content.relevant_ids, content.recommended, excluded)
    sides = (content.targets, excluded) if form == "sparse" else (excluded,)
    found = Facts("`y_true`", "`y_pred`", remedies=BATCH)
    found.see(padding=padding_in(*sides))
    scores = _first(content.scores.raw)
    if form == "sparse":
        targets = _first(content.targets)
        found.see(
            zeros_and_ones=_are_labels(targets, scores.shape[1]),
            excludes_all=are_excluded(targets, excluded),
            pairs=are_pairs(targets, scores.shape[1]),
        )
        if len(targets) >= _LEAST and scores.shape[1] > _BEST:
            found.see(shifted=_shifted(targets, _best_of(scores)))
        if scores.shape[1] >= _MANY:
            found.see(padding=_padding_of_steps(content.targets, lists))
        labels = _labels_of(scores.shape, targets)
    else:
        labels = _first(content.labels)
        if labels.shape == scores.shape and _are_one_hot(labels):
            targets = labels.argmax(axis=1)[:, None]
            found.see(shifted=_shifted(targets, _best_of(scores)))
    if labels.shape == scores.shape:
        is_square = content.scores.raw.shape[0] == scores.shape[1]
        _add_scores(found, labels, scores, y_pred, is_square)
        if getattr(content, "item_weights", None) is not None:
            _add_weights(found, _first(content.item_weights), labels, scores)
    return found


def _add_weights(
    found: Facts, weights: np.ndarray, labels: np.ndarray, scores: np.ndarray
) -> None:
    """Add weights of items, all `[lists, items]`."""
    if weights.shape == scores.shape:
        there = labels >= 0
        columns = {"the labels": labels[there], "the scores": scores[there]}
        found.add_weights(weights[there], columns)


def _of_ids(relevant: Any, ids: Any, excluded: Any) -> Facts:
    """Return the facts of ids, of which the order is all that is known."""
    found = Facts("`y_true`", "`y_pred`", remedies=_OF_IDS)
    found.see(padding=padding_in(relevant, ids, excluded))
    relevant, ids = _rows_of_both(*map(_first, (relevant, ids)))
    found.see(
        excludes_all=are_excluded(relevant, excluded),
        pairs=are_pairs(relevant),
        shifted=_shifted(relevant, ids),
    )
    labels = np.where(ids < 0, -1, _are_in(ids, relevant))
    scores = np.broadcast_to(-np.arange(ids.shape[1]), ids.shape)
    rows = found.add_matrix(labels, scores, is_square=False)
    found.evidence = Evidence()
    are_relevant = relevant >= 0
    judged = np.nonzero(are_relevant)[0], relevant[are_relevant]
    columns = rows[0], ids[labels >= 0], rows[1]
    found.add_numbers(*columns, *judged)
    if FEW_FOUND * (labels > 0).sum() < len(ids):
        found.see(of_others=of_other_lists(*columns, *judged))
    # Popular items may have low ids, and examples few lists.
    if len(ids) >= _LEAST and not found.first.may_be_in_order:
        found.add_order(rows[0], ids[labels >= 0])
    return found


def _of_rankings(content: Any) -> Facts:
    """Return the facts of scores and those of a reference."""
    found = Facts("`y_true`", "`y_pred`", remedies=BATCH)
    labels, scores, reference = map(
        _first, (content.labels, content.scores.raw, content.reference)
    )
    lists, items = np.nonzero(labels > 0)
    found.add_rankings(lists, scores[lists, items], reference[lists, items])
    found.see(
        ids_as_scores=_are_ids(scores, reference),
        labels_of_two=_are_padded_labels(reference),
    )
    _look_at_places(found, scores)
    return found


def _of_counts(lists: Lists, y_true: Any) -> Facts:
    """Return the facts of counts: padding of ids, and ranks from 1 on."""
    found, content = Facts("`y_true`", "`y_pred`"), cast(Any, lists.content)
    ids = entries_of(y_true, ["target", "labels"], ["mask"])["target"]
    ids = id_rows.relevant_rows(ids, lists.leading, "ids", "")
    found.see(padding=padding_in(ids))
    above = content.above
    are_there = _first(ids) >= 0
    every = _first(content.tied)
    tied = every[are_there]
    if tied.max(initial=0) >= _LEAST and len(tied) >= _LEAST:
        others = _first(content.num_items[:, None])[: len(every)] - 1
        are_ranked = _first(content.above) >= 0
        found.see(all_tie=bool(((every == others) | ~are_ranked).all()))
    if len(tied) and tied.min() >= 1 and (tied == 1).mean() > _NEARLY_ALL:
        found.ties_itself = int(are_there.any(axis=-1).sum())
    if not concrete(ops.any(above == 0)):
        second = ops.any((above == 1) & (content.tied == 0), axis=-1)
        found.seconds = int(ops.sum(ops.cast(second, "int32")))
    return found


def are_excluded(relevant: np.ndarray, excluded: Any) -> bool:
    """Return True if all relevant items of several lists are excluded.

    Args:
        relevant: `[lists, relevant]`, below 0 for padding.
        excluded: `[lists, excluded]`; None, or of another shape, for none.
    """
    if isinstance(excluded, list | tuple):
        excluded = integers("exclude", excluded, "ids")
    if excluded is None or len(excluded.shape) != 2 or not excluded.shape[1]:
        return False
    relevant, excluded = _rows_of_both(relevant, _first(excluded))
    some = (relevant >= 0).any(axis=-1)
    are_left = (relevant >= 0) & ~_are_in(relevant, excluded)
    return bool(some.sum() >= _FEW and not are_left.any())


def are_pairs(targets: np.ndarray, items: int = 0) -> bool:
    """Return True for many rows of their number and a target, `[rows, 2]`.

    Args:
        targets: `[rows, targets]`, below 0 for padding.
        items: the number of items, of which a batch may have one for each row.
    """
    rows = len(targets)
    if rows < _LEAST or targets.shape[1] != 2 or items == rows:
        return False
    first, second = targets[:_LISTS].T
    are_numbers = (first == np.arange(len(first))).all()
    return bool(
        are_numbers and second.min() >= 0 and (np.diff(second) < 0).any()
    )


def are_twice(vectors: Any) -> bool:
    """Return True if the second half of the vectors is the first half again.

    Args:
        vectors: `[items, d]`, an array, a tensor or a file.
    """
    half, odd = divmod(vectors.shape[0], 2)
    if odd or half < _LEAST:
        return False
    starts = [0, *range(_LISTS, half, _ITEMS), half]
    for first, end in itertools.pairwise(starts):
        one, other = (to_numpy(vectors[first + x : end + x]) for x in (0, half))
        if not np.array_equal(one, other) or (not first and _are_one(one)):
            return False
    return True


def find_themselves(queries: Any, found: np.ndarray) -> bool:
    """Return True if queries have the vectors of their targets.

    Args:
        queries: `[lists, d]`.
        found: `[lists, d]`, the vectors of the targets of the first lists.
    """
    first = to_numpy(queries[: len(found)])
    are_equal = np.array_equal(first, found.astype(first.dtype))
    return len(found) >= _LEAST and are_equal and not _are_one(first)


def _are_one(vectors: np.ndarray) -> bool:
    return bool((vectors == vectors[:1]).all())


def _are_ids(scores: np.ndarray, reference: np.ndarray) -> bool:
    """Return True for two rankings of integers, many of which both have.

    Args:
        scores: `[lists, items]`.
        reference: `[lists, items]`.
    """
    sides = scores, reference
    if any(x.dtype.kind not in "iu" or min(x.shape) < _FEW for x in sides):
        return False
    ordered = [np.sort(x, axis=1) for x in sides]
    are_apart = all((x[:, 1:] > x[:, :-1]).all() for x in ordered)
    highest, items = int(max(x.max() for x in sides)), scores.shape[1]
    are_places = highest <= _RANKS * items
    # Scores of the same items are equal at their place, or by chance.
    share = (_are_in(scores, reference) & (scores != reference)).mean()
    by_chance = items / (highest - int(min(x.min() for x in sides)) + 1)
    is_much = share > max(_SHARED, _TIMES * by_chance)
    return bool(are_apart and not are_places and is_much)


def _are_padded_labels(reference: np.ndarray) -> bool:
    """Return True for small grades that end in -1, in lists of many lengths.

    Args:
        reference: `[lists, items]`.
    """
    are_padding = reference == -1
    tails = tails_of(are_padding)
    if len(np.unique(tails[tails > 0])) < _FEW:
        return False
    grades = reference[~are_padding]
    are_grades = np.isin(grades, np.arange(_GRADES)).all()
    return bool(are_grades and tails.sum() == are_padding.sum())


def _are_labels(targets: np.ndarray, items: int) -> bool:
    """Return True for many targets, one a list, of 0 or 1 among many items."""
    if targets.shape[1] != 1 or items < _MANY:
        return False
    known = targets[targets >= 0]
    return len(known) >= _LEAST and {0, 1} == {*np.unique(known).tolist()}


def _are_one_hot(labels: np.ndarray) -> bool:
    """Return True for lists of many items, one of which is relevant."""
    are_many = len(labels) >= _LEAST and labels.shape[1] >= _MANY
    return are_many and bool(((labels > 0).sum(axis=1) == 1).all())


def _best_of(scores: np.ndarray) -> np.ndarray:
    """Return the numbers of the best items of each list, in any order."""
    return np.argpartition(-scores, _BEST, axis=1)[:, :_BEST]


def _labels_of(shape: tuple[int, ...], targets: np.ndarray) -> np.ndarray:
    """Return labels `[lists, items]`, 1 for targets."""
    labels = np.zeros(shape)
    lists, places = np.nonzero(targets[: len(labels)] >= 0)
    labels[lists, targets[lists, places]] = 1
    return labels


def _add_scores(
    found: Facts,
    labels: np.ndarray,
    scores: np.ndarray,
    y_pred: Any,
    is_square: bool,
) -> None:
    """Add labels and scores `[lists, items]`.

    Args:
        found: the facts.
        labels: the labels, below 0 for padding.
        scores: the scores.
        y_pred: as passed.
        is_square: True if the batch has as many lists as items.
    """
    matrix = scores
    numbers, scores, labels = found.add_matrix(labels, scores, is_square)
    _look_at_places(found, matrix)
    lengths = np.unique(numbers, return_counts=True)[1]
    are_one = getattr(y_pred, "ndim", 0) == 1 and (labels == 1).all()
    if len(labels) >= _MANY and (len(lengths) >= _FEW or are_one):
        found.add_labels(labels)
        found.add_lists(lengths)
    kind = str(getattr(y_pred, "dtype", ""))  # a list is an example
    if len(matrix) >= _LEAST and ("int" in kind or "bool" in kind):
        found.see(cut_off=bool(((matrix == 0) | (matrix == 1)).all()))
    found.see(
        infinite_scores=infinite_in(scores),
        tied_scores=_tied(y_pred, matrix.dtype),
    )


def _look_at_places(found: Facts, scores: np.ndarray) -> None:
    """Keep the evidence of places only where a model has no such scores.

    A model has no integers as scores, but `argsort` has.

    Args:
        found: the facts of the scores.
        scores: `[lists, items]`.
    """
    found.are_integers = scores.dtype.kind in "iu"
    have_one_order = (scores == scores[:1]).all()
    are_places = (
        not found.evidence.are_scores
        if found.are_integers
        else found.evidence.are_surely_places
    )
    if have_one_order or not are_places:
        found.evidence = dataclasses.replace(found.evidence, lowest=None)


def _first(x: Any) -> np.ndarray:
    """Return the first rows of a tensor, `[lists, items]`."""
    some = max(3, min(_LISTS, _ITEMS // max(x.shape[-1] or 1, 1)))
    # A tensor of torch that NumPy has seen may change without a trace, so that
    # no metric could share what others have read: a copy is shown.
    found: np.ndarray = ops.convert_to_numpy(ops.copy(x[:some]))
    return found


def _rows_of_both(one: np.ndarray, other: np.ndarray) -> list[np.ndarray]:
    """Return the rows that both have: of wide ones, `_first` returns fewer."""
    number = min(len(one), len(other))
    return [one[:number], other[:number]]


def _shifted(relevant: np.ndarray, ids: np.ndarray) -> tuple[int, int] | None:
    """Return an id and a relevant one that differ by a number, if many ids do.

    Args:
        relevant: `[lists, relevant]`, below 0 for padding.
        ids: `[lists, recommended]`, below 0 for padding.
    """
    relevant, ids = _rows_of_both(relevant, ids)
    step, _, are_many = shift_of(
        *([row[row >= 0] for row in rows] for rows in (ids, relevant))
    )
    if not are_many:
        return None
    match = _are_in(relevant + step, ids) & (relevant >= 0)
    [other, *_] = relevant[match].tolist()
    return other + step, other


def _are_in(ids: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return True for ids that are in the same row of others."""
    sides = ids.astype(np.int64), others.astype(np.int64)
    lowest, highest = (
        f([f(x, initial=0) for x in sides]) for f in (np.min, np.max)
    )
    rows = np.arange(len(ids))[:, None] * (highest - lowest + 1)  # do not meet
    return np.isin(*(x + rows for x in sides))


def padding_in(*sides: Any) -> int | None:
    """Return an id that may be padding, or None.

    That is 0, or any other id if it is there again in several rows.
    """
    found = [_padding_of(x) for x in sides]
    rows = Counter[int]()
    for id_, number in found:
        rows[id_] += number
    return next((x for x, n in rows.items() if n >= (_FEW if x else 1)), None)


def _padding_of(ids: Any) -> tuple[int, int]:
    """Return the id that occurs again at an end of rows, and their number.

    That is 0 if other ids are again as often.

    Args:
        ids: `[lists, row]`. Other shapes need no padding.
    """
    if ids is None:
        return 0, 0
    if isinstance(ids, list | tuple):
        ids = integers("ids", ids, "ids")
    if len(ids.shape) != 2 or (ids.shape[-1] or 0) < 3:
        return 0, 0
    first = ops.convert_to_numpy(ops.copy(ids[:_LISTS]))
    ends = np.stack([first[:, :2], first[:, -2:]])
    are_ends = (ends[..., 0] == ends[..., 1]) & (ends[..., 0] >= 0)
    found, counts = np.unique(ends[..., 0][are_ends], return_counts=True)
    if not len(found):
        return 0, 0
    most = found[np.argmax(counts)]
    ordered = np.sort(first, axis=-1)
    are_again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    others = are_again & (ordered[:, 1:] != most)
    number = int((are_ends & (ends[..., 0] == most)).any(axis=0).sum())
    return (int(most), number) if number > others.sum() else (0, 0)


def _padding_of_steps(targets: Any, lists: Lists) -> int | None:
    """Return the target that ends sequences, or begins them, or None.

    It is there alone, in numbers that differ, so that it may be padding.

    Args:
        targets: `[lists, targets]`, one each, or there are no such sequences.
        lists: the lists, steps of the rows of the first dimension.
    """
    rows = lists.leading.rows
    if rows is None or targets.shape[-1] != 1:
        return None
    counts = lists.present
    if lists.list_weights is not None:
        counts = counts & (lists.list_weights > 0)
    targets = ops.where(counts[:, None], targets, -1)
    some = ops.convert_to_numpy(ops.reshape(targets, rows)[:_LISTS])
    for steps in (some, some[:, ::-1]):
        ends, numbers = np.unique(steps[:, -1], return_counts=True)
        found = ends[np.argmax(numbers)]
        are_it = steps == found
        lengths = tails_of(are_it)
        are_few = len(np.unique(lengths[lengths > 0])) < _FEW
        if found >= 0 and not are_few and lengths.sum() == are_it.sum():
            return int(found)
    return None


def _tied(y_pred: Any, read: np.dtype) -> str | None:
    """Return a sentence if scores differ in float64, and tie as they are read.

    Args:
        y_pred: as passed: an array, or lists of numbers.
        read: the dtype of the tensor.
    """
    first = y_pred
    while isinstance(first, list | tuple) and first:
        first = first[0]
    if first is not y_pred and isinstance(first, float):
        with contextlib.suppress(ValueError, TypeError):  # of unequal lengths
            y_pred = np.asarray(y_pred[:_LISTS])
    if not isinstance(y_pred, np.ndarray) or y_pred.dtype != np.float64:
        return None
    if y_pred.ndim < 2 or not y_pred.size or read != np.float32:
        return None
    some = y_pred[:_LISTS].reshape(-1, y_pred.shape[-1])
    ties = ties_of_float32(some)
    ties = ties[ties.any(axis=-1)]
    # Of many scores, a few pairs tie by chance, but no three.
    are_three = (ties[:, 1:] & ties[:, :-1]).any()
    is_much = are_three or (ties.size and ties.mean() >= _TIED)
    return of_ties() if is_much else None


def doubt(facts: Facts | None, metric: Any) -> str | None:
    """Return the first warning about a batch, or None.

    Args:
        facts: the facts of the batch.
        metric: a metric.
    """
    if facts is None:
        return None
    found = (x for x in said_of(facts, [metric]) if x.check.in_batches)
    return next(map(str, found), None)

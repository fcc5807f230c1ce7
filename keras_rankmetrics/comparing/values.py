"""The value of each metric for each list, in padded batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import keras
import numpy as np

from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.measured import Values
from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.evaluation.batch_cache import Batch
from keras_rankmetrics.engine.evaluation.evaluate import (
    PerReading,
    evaluate_batch,
)
from keras_rankmetrics.engine.inputs import share_in
from keras_rankmetrics.engine.messages import WarnOnce
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.tables.members import check_share
from keras_rankmetrics.tables.ragged import Ragged, value_indices

# The number of items of a batch, unless one list has more. On torch, arrays of
# this size stay in the caches of a processor; on the other backends, starting
# an operation takes longer.
_ITEMS = 2**14 if keras.config.backend() == "torch" else 2**17

# jax compiles each operation for each new shape, which takes seconds: longer
# than the padding of `_PADDING` items.
_FEW_SHAPES = keras.config.backend() == "jax"
_PADDING = 2**22


def of_arrays(
    metrics: Sequence[RankingMetric], passed: Sequence[Any]
) -> Values:
    """Return the values for the arguments of `update_state`.

    Input that looks like a mistake causes a warning.

    Args:
        metrics: the metrics.
        passed: `y_true`, `y_pred` and `sample_weight`.

    Raises:
        ValueError: if a metric would misread the labels.
    """
    definitions, batch = [metric.definition for metric in metrics], Batch()
    evaluated = evaluate_batch(definitions, passed, batch)
    warn_once = WarnOnce()
    for definition in definitions:
        misreadings = batch.misreadings[definition.reading]
        check_share([definition], misreadings.share)
        warn_once(misreadings.warning, definition.name)
    return _simplest(_values(evaluated))


def of_lists(
    metrics: Sequence[RankingMetric],
    joined: Iterable[Joined],
    weights: np.ndarray | None,
    number: int,
) -> Values:
    """Return the values for lists that were joined to the truth.

    Args:
        metrics: the metrics.
        joined: all lists, each once.
        weights: `[lists]`, the weights of the lists, or None.
        number: the number of lists.

    Raises:
        ValueError: if a metric would misread the labels.
    """
    definitions = [metric.definition for metric in metrics]
    shape = (len(metrics), number)
    total = Values(np.zeros(shape), np.zeros(shape, bool), np.zeros(shape))
    lowest = -np.inf
    are_references = definitions[0].traits.reads == "two_rankings"
    fills = (lowest, lowest) if are_references else (-1.0, 0.0)
    if _FEW_SHAPES:
        joined = _together(joined, _PADDING)
    batches = chain.from_iterable(
        _padded(each, *fills, _FEW_SHAPES) for each in joined
    )
    for draw, (places, labels, scores) in enumerate(batches):
        check_share(definitions, share_in(ops.array(labels)))
        weight = None
        if weights is not None:
            weight = np.ones(len(labels), weights.dtype)
            weight[: len(places)] = weights[places]
        # `ties="shuffle"` draws different orders for each batch.
        draws = [draw] * len(metrics)
        passed, batch = (labels, scores, weight), Batch(is_watched=False)
        found = _values(evaluate_batch(definitions, passed, batch, draws))
        for array, of_batch in zip(total[:3], found[:3], strict=True):
            array[:, places] = of_batch[:, : len(places)]
    return _simplest(total)


def _together(joined: Iterable[Joined], items: int) -> Iterator[Joined]:
    """Yield the lists in groups of at least `items`; the last may be smaller.

    So the padding of each group but the last is at most that many items, too.
    """
    held: list[Joined] = []
    for each in joined:
        held.append(each)
        if sum(len(part.labels) for part in held) >= items:
            yield Joined(*map(np.concatenate, zip(*held, strict=True)))
            held = []
    if held:
        yield Joined(*map(np.concatenate, zip(*held, strict=True)))


def _padded(
    joined: Joined, label: float, score: float, few_shapes: bool
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield batches of lists of similar lengths.

    A batch has the indices of its lists in the truth, and labels and scores
    `[rows, width]`. Items and rows after the lists are padding.

    Args:
        joined: the lists.
        label: the label of padding.
        score: the score of padding.
        few_shapes: True for the widths of `_few_widths`, and one number of rows
            for each of them. False for more widths, and fewer rows where there
            are few lists.
    """
    starts = np.cumsum(joined.lengths) - joined.lengths
    if few_shapes:
        widths = _few_widths(joined.lengths, _PADDING)
    else:
        widths = np.array([_width(x) for x in joined.lengths.tolist()])
    for width in np.unique(widths).tolist():
        [similar] = np.nonzero(widths == width)
        most = max(1, _ITEMS // width)
        for begin in range(0, len(similar), most):
            lists = similar[begin : begin + most]
            rows = most if few_shapes else min(most, _power_of_4(len(lists)))
            lengths = joined.lengths[lists]
            at = value_indices(starts[lists], lengths)
            yield (
                joined.places[lists],
                Ragged(joined.labels[at], lengths).padded(rows, width, label),
                Ragged(joined.scores[at], lengths).padded(rows, width, score),
            )


def _few_widths(lengths: np.ndarray, padding: int) -> np.ndarray:
    """Return a width for each list, from the few that all of them get.

    The widths are 20, 40, 80 and so on, with room for some judged items after
    10, 100 or 1000 retrieved ones. A list gets the least of them, less than
    twice its length unless it is shorter than 10. Then a width is merged into
    the next one, the one that adds the fewest items first, as long as all
    merges together add at most `padding` items.

    Args:
        lengths: `[lists]`, the numbers of items.
        padding: the number of items.
    """
    doublings = np.ceil(np.log2(np.maximum(lengths, 20) / 20))
    widths, lists = np.unique(
        20 * 2 ** doublings.astype(np.int64), return_counts=True
    )
    while len(widths) > 1:
        added = lists[:-1] * np.diff(widths)
        least = int(added.argmin())
        if added[least] > padding:
            break
        padding -= int(added[least])
        lists[least + 1] += lists[least]
        widths, lists = np.delete(widths, least), np.delete(lists, least)
    found: np.ndarray = widths[np.searchsorted(widths, lengths)]
    return found


def _power_of_4(number: int) -> int:
    """Return the number rounded up to a power of 4."""
    power: int = 4 ** (((number - 1).bit_length() + 1) // 2)
    return power


def _width(length: int) -> int:
    """Return the length rounded up to 2^n or 3 * 2^n, and at least 16."""
    power = max(16, 1 << (length - 1).bit_length())
    less = power * 3 // 4
    return less if power > 16 and length <= less else power


def _values(evaluated: Sequence[PerReading]) -> Values:
    """Return the values in the order of the metrics."""
    places = [place for each in evaluated for place in each.places]
    parts = zip(*(_of(each.per_list) for each in evaluated), strict=True)
    values, counts, weights = (
        np.concatenate(part)[np.argsort(places)] for part in parts
    )
    rows = evaluated[0].per_list.rows
    return Values(values, counts, weights, 1 if rows is None else int(rows[1]))


def _of(per_list: PerList) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values, counts and weights, `[metrics, lists]` each."""
    values = ops.convert_to_numpy(per_list.per_list()).astype(np.float64)
    counts = ops.convert_to_numpy(per_list.counts)
    weights = ops.convert_to_numpy(per_list.weights).astype(np.float64)
    has_own = ops.convert_to_numpy(per_list.has_own_weight) & counts
    values = np.where(has_own & np.isnan(weights), np.nan, values)
    return values, counts, np.where(has_own, weights, np.nan)


def _simplest(values: Values) -> Values:
    """Return the values with weights of 1, if no list has another weight."""
    if ((values.weights == 1) | np.isnan(values.weights)).all():
        return values._replace(weights=np.ones_like(values.values))
    return values

"""The value of each metric for each list, in padded batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.evaluation.batch_cache import Batch
from keras_rankmetrics.engine.evaluation.evaluate import Evaluated, evaluate
from keras_rankmetrics.engine.inputs import WarnOnce
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.tables.ragged import Ragged, value_indices

# The number of items of a batch, unless one list has more. On torch, arrays of
# this size stay in the caches of a processor; on the other backends, starting
# an operation takes longer.
_ITEMS = 2**14 if keras.config.backend() == "torch" else 2**17


class Padded(NamedTuple):
    """A batch of lists.

    Attributes:
        places: `[lists]`, the indices of the lists in the truth.
        labels: `[rows, width]`; the rows after the lists are padding.
        scores: `[rows, width]`.
    """

    places: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


def batches_of(joined: Joined) -> Iterator[Padded]:
    """Yield padded batches of lists of similar lengths.

    Backends compile each shape anew, so the widths and the numbers of rows are
    rounded up.
    """
    starts = np.cumsum(joined.lengths) - joined.lengths
    widths = np.array([_rounded_up(length) for length in joined.lengths])
    for width in np.unique(widths).tolist():
        [similar] = np.nonzero(widths == width)
        most = max(1, _ITEMS // width)
        for begin in range(0, len(similar), most):
            lists = similar[begin : begin + most]
            rows = min(most, _power_of_4(len(lists)))
            lengths = joined.lengths[lists]
            at = value_indices(starts[lists], lengths)
            yield Padded(
                joined.places[lists],
                Ragged(joined.labels[at], lengths).padded(rows, width, -1),
                Ragged(joined.scores[at], lengths).padded(rows, width, 0),
            )


def _power_of_4(number: int) -> int:
    """Return the number rounded up to a power of 4."""
    power: int = 4 ** (((number - 1).bit_length() + 1) // 2)
    return power


def _rounded_up(length: int) -> int:
    """Return the length rounded up to 2^n or 3 * 2^n, and at least 16."""
    power = max(16, 1 << (int(length) - 1).bit_length())
    less = power * 3 // 4
    return less if power > 16 and length <= less else power


class Values(NamedTuple):
    """The values of lists, with everything that their means need.

    Attributes:
        values: `[metrics, lists]`. NaN is a value that could not be computed;
            the mean is then NaN, too.
        counts: bool `[metrics, lists]`, False for excluded lists, whose value
            may be NaN.
        weights: `[metrics, lists]`, NaN for a list without a weight of its own,
            which gets the mean weight of the others.
        lists_of_row: the number of consecutive lists that belong together, such
            as the steps of a session.
    """

    values: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    lists_of_row: int = 1

    def taken(self, lists: np.ndarray) -> Values:
        """Return the values of the lists at these indices."""
        return Values(
            self.values[:, lists],
            self.counts[:, lists],
            self.weights[:, lists],
            self.lists_of_row,
        )

    def put(self, lists: np.ndarray, found: Values) -> None:
        """Write the first values of `found` to the lists at these indices."""
        for own, other in zip(self[:3], found[:3], strict=True):
            own[:, lists] = other[:, : len(lists)]


def of_arrays(
    metrics: Sequence[RankingMetric], passed: Sequence[Any]
) -> Values:
    """Return the values for the arguments of `update_state`.

    Input that looks like a mistake causes a warning.

    Args:
        metrics: the metrics.
        passed: `y_true`, `y_pred` and `sample_weight`.
    """
    definitions = [metric.definition for metric in metrics]
    evaluated = evaluate(definitions, passed, Batch())
    warn_once = WarnOnce()
    for places, lists, _ in evaluated:
        warn_once(lists.doubt, metrics[places[0]].name)
    return _values(evaluated)


def simplest(values: Values) -> Values:
    """Return the values with weights of 1, if no list has another weight."""
    if ((values.weights == 1) | np.isnan(values.weights)).all():
        return values._replace(weights=np.ones_like(values.values))
    return values


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
    """
    definitions = [metric.definition for metric in metrics]
    shape = (len(metrics), number)
    missing = np.full(shape, np.nan)
    total = Values(missing, np.zeros(shape, bool), missing.copy())
    batches = itertools.chain.from_iterable(map(batches_of, joined))
    for draw, (places, labels, scores) in enumerate(batches):
        weight = None
        if weights is not None:
            weight = np.ones(len(labels), weights.dtype)
            weight[: len(places)] = weights[places]
        passed = labels, scores, weight
        # `ties="shuffle"` draws different orders for each batch.
        draws = [draw] * len(metrics)
        found = _values(evaluate(definitions, passed, Batch(), draws))
        total.put(places, found)
    return total


def _values(evaluated: Sequence[Evaluated]) -> Values:
    """Return the values in the order of the metrics."""
    rows = evaluated[0].per_list.rows
    found = {
        place: of_metric
        for places, _, per_list in evaluated
        for place, of_metric in zip(places, _of(per_list), strict=True)
    }
    by_metric = [found[place] for place in sorted(found)]
    values, counts, weights = map(np.stack, zip(*by_metric, strict=True))
    per_row = 1 if rows is None else int(rows[1])
    return Values(values, counts, weights, per_row)


def _of(per_list: PerList) -> list[tuple[np.ndarray, ...]]:
    """Return the values, counts and weights of each metric."""
    values = ops.convert_to_numpy(per_list.per_list()).astype(np.float64)
    counts = ops.convert_to_numpy(per_list.counts)
    weights = ops.convert_to_numpy(per_list.weights).astype(np.float64)
    has_own = ops.convert_to_numpy(per_list.has_own_weight) & counts
    values = np.where(has_own & np.isnan(weights), np.nan, values)
    own = np.where(has_own, weights, np.nan)
    return list(zip(values, counts, own, strict=True))

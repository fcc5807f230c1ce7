"""The values of each query, in padded batches."""

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
from keras_rankmetrics.engine.inputs.warn_once import WarnOnce
from keras_rankmetrics.engine.metric.configured import RankingMetric

# Lists of unequal lengths as padded batches of few shapes.

# A batch has at most so many items, or one list. On torch, arrays of this size
# stay in the caches of a processor; the other backends take longer to begin an
# operation.
_ITEMS = 2**14 if keras.config.backend() == "torch" else 2**17


class Padded(NamedTuple):
    """A batch of lists.

    Attributes:
        places: `[lists]`, where they stand in the truth.
        labels: `[rows, width]`, with rows below the lists that are all padding.
        scores: `[rows, width]`.
    """

    places: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


def batches_of(joined: Joined) -> Iterator[Padded]:
    """The lists, those of similar lengths together.

    A backend compiles each shape anew. So widths are rounded up, and so is the
    number of rows.
    """
    starts = np.cumsum(joined.lengths) - joined.lengths
    widths = np.array([_rounded_up(length) for length in joined.lengths])
    for width in np.unique(widths):
        [alike] = np.nonzero(widths == width)
        most = max(1, _ITEMS // int(width))
        for begin in range(0, len(alike), most):
            lists = alike[begin : begin + most]
            yield _padded(joined, lists, starts[lists], int(width), most)


def _padded(
    joined: Joined, lists: np.ndarray, starts: np.ndarray, width: int, most: int
) -> Padded:
    rows = min(most, _power_of_4(len(lists)))
    lengths = joined.lengths[lists]
    filled = np.arange(width) < lengths[:, None]
    at = (starts[:, None] + np.arange(width))[filled]
    labels = np.full((rows, width), -1, joined.labels.dtype)
    scores = np.zeros((rows, width), joined.scores.dtype)
    labels[: len(lists)][filled] = joined.labels[at]
    scores[: len(lists)][filled] = joined.scores[at]
    return Padded(joined.places[lists], labels, scores)


def _power_of_4(number: int) -> int:
    """The least that is not below the number."""
    power: int = 4 ** (((number - 1).bit_length() + 1) // 2)
    return power


def _rounded_up(length: int) -> int:
    """To 2^n or 3 * 2^n, from 16 on."""
    power = max(16, 1 << (int(length) - 1).bit_length())
    less = power * 3 // 4
    return less if power > 16 and length <= less else power


# `Values`: what metrics say of each list of a system.


class Values(NamedTuple):
    """The values of lists, and what the means need beside them.

    Attributes:
        values: `[metrics, lists]`. NaN is a value that could not be computed,
            and so is the mean then.
        counts: bool `[metrics, lists]`, which lists count. What does not count
            may be NaN.
        weights: `[metrics, lists]`, NaN for a list that has none of its own,
            and takes the mean weight of the others.
        lists_of_row: so many lists that follow each other belong together, as
            the steps of a session do.
    """

    values: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    lists_of_row: int = 1

    def taken(self, lists: np.ndarray) -> Values:
        """Those of some lists, by their places."""
        return Values(
            self.values[:, lists],
            self.counts[:, lists],
            self.weights[:, lists],
            self.lists_of_row,
        )

    def put(self, lists: np.ndarray, found: Values) -> None:
        """Writes what was found of some lists, the first ones of `found`."""
        for mine, theirs in zip(self[:3], found[:3], strict=True):
            mine[:, lists] = theirs[:, : len(lists)]


def of_arrays(
    metrics: Sequence[RankingMetric], passed: Sequence[Any]
) -> Values:
    """Of what metrics take themselves: `y_true`, `y_pred`, `sample_weight`.

    Warns of what looks like a mistake.
    """
    definitions = [metric.definition for metric in metrics]
    evaluated = evaluate(definitions, passed, Batch())
    warn_once = WarnOnce()
    for places, lists, _ in evaluated:
        warn_once(lists.doubt, metrics[places[0]].name)
    return _values(evaluated)


def simplest(values: Values) -> Values:
    """With all weights 1, where no list has another one."""
    if ((values.weights == 1) | np.isnan(values.weights)).all():
        return values._replace(weights=np.ones_like(values.values))
    return values


def of_lists(
    metrics: Sequence[RankingMetric],
    joined: Iterable[Joined],
    weights: np.ndarray | None,
    number: int,
) -> Values:
    """Of lists that were joined to the truth.

    Args:
        metrics: what is measured.
        joined: all lists, each once.
        weights: `[lists]`, of the lists, or None.
        number: of lists.
    """
    definitions = [metric.definition for metric in metrics]
    shape = (len(metrics), number)
    nothing = np.full(shape, np.nan)
    total = Values(nothing, np.zeros(shape, bool), nothing.copy())
    batches = itertools.chain.from_iterable(map(batches_of, joined))
    for draw, (places, labels, scores) in enumerate(batches):
        weight = None
        if weights is not None:
            weight = np.ones(len(labels), weights.dtype)
            weight[: len(places)] = weights[places]
        passed = labels, scores, weight
        # `ties="shuffle"` draws other orders for each batch.
        draws = [draw] * len(metrics)
        found = _values(evaluate(definitions, passed, Batch(), draws))
        total.put(places, found)
    return total


def _values(evaluated: Sequence[Evaluated]) -> Values:
    """By metric, in the order in which they were asked for."""
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
    """The value, whether it counts, and the weight, of each metric."""
    values = ops.convert_to_numpy(per_list.per_list()).astype(np.float64)
    counts = ops.convert_to_numpy(per_list.counts)
    weights = ops.convert_to_numpy(per_list.weights).astype(np.float64)
    has_own = ops.convert_to_numpy(per_list.has_own_weight) & counts
    values = np.where(has_own & np.isnan(weights), np.nan, values)
    own = np.where(has_own, weights, np.nan)
    return list(zip(values, counts, own, strict=True))

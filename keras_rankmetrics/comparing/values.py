"""The value of each metric for each list, computed batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

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
from keras_rankmetrics.tables.ragged import (
    FEW_SHAPES,
    PADDING,
    Ragged,
    by_length,
    by_width,
    on_one_thread,
)

_ITEMS = 2**17  # of a batch of few shapes, unless one list has more


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
    weights_at: Callable[[np.ndarray], np.ndarray] | None,
) -> Values:
    """Return the values for lists that were joined to the truth.

    Args:
        metrics: the metrics.
        joined: all lists, each once.
        weights_at: returns the weights of the lists at some places; or None.

    Raises:
        ValueError: if a metric would misread the labels.
    """
    definitions = [metric.definition for metric in metrics]
    # Of each batch: the places of its lists, and their values.
    parts: list[tuple[np.ndarray, Values]] = []
    fills = {"labels": -1.0, "scores": 0.0}
    if definitions[0].traits.reads == "two_rankings":
        fills = dict.fromkeys(fills, -np.inf)
    if FEW_SHAPES:
        joined = _together(joined, PADDING)
    draw = itertools.count()  # `ties="shuffle"` has other orders in each batch
    for each in joined:
        lists = {
            "labels": Ragged(each.labels, each.lengths),
            "scores": Ragged(each.scores, each.lengths),
        }
        batches = (
            by_width(lists, fills, _ITEMS)
            if FEW_SHAPES
            else by_length(lists, fills)
        )
        with on_one_thread():
            for taken, arrays in batches:
                labels, places = arrays["labels"], each.places[taken]
                check_share(definitions, share_in(ops.array(labels)))
                weight = None
                if weights_at is not None:
                    weight = np.ones(len(labels), np.float32)
                    weight[: len(places)] = weights_at(places)
                draws = [next(draw)] * len(metrics)
                passed = labels, arrays["scores"], weight
                batch = Batch(is_watched=False)
                found = _values(
                    evaluate_batch(definitions, passed, batch, draws)
                )
                some = np.s_[:, : len(places)]
                parts.append((places, found.taken(some)))
    order = np.argsort(np.concatenate([places for places, _ in parts]))
    columns = zip(*(found[:3] for _, found in parts), strict=True)
    values, valid, weights = (np.concatenate(x, axis=1) for x in columns)
    return _simplest(Values(values, valid, weights).taken(np.s_[:, order]))


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


def _values(evaluated: Sequence[PerReading]) -> Values:
    """Return the values in the order of the metrics."""
    places = [place for each in evaluated for place in each.places]
    parts = zip(*(_of(each.per_list) for each in evaluated), strict=True)
    values, valid, weights = (
        np.concatenate(part)[np.argsort(places)] for part in parts
    )
    rows = evaluated[0].per_list.rows
    return Values(values, valid, weights, 1 if rows is None else int(rows[1]))


def _of(per_list: PerList) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, which of them count, and weights, `[metrics, lists]`."""
    values = ops.convert_to_numpy(per_list.per_list()).astype(np.float64)
    valid = ops.convert_to_numpy(per_list.valid)
    weights = ops.convert_to_numpy(per_list.weights).astype(np.float64)
    has_own = ops.convert_to_numpy(per_list.has_own_weight) & valid
    values = np.where(has_own & np.isnan(weights), np.nan, values)
    return values, valid, np.where(has_own, weights, np.nan)


def _simplest(values: Values) -> Values:
    """Return the values with weights of 1, if no list has another weight."""
    if ((values.weights == 1) | np.isnan(values.weights)).all():
        return values._replace(weights=np.ones_like(values.values))
    return values

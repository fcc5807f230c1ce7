"""`Values`: what metrics say of each list of a system."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.batches import batches_of
from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.evaluation import evaluate
from keras_rankmetrics.engine.inputs.doubts import Doubts
from keras_rankmetrics.engine.sharing import Batch
from keras_rankmetrics.engine.shells.metric import RankingMetric


class Values(NamedTuple):
    """The values of lists, and what the means need beside them.

    Attributes:
        values: `[metrics, lists]`, NaN for a list that does not count.
        weights: `[metrics, lists]`, NaN for a list that has none of its own,
            and takes the mean weight of the others.
        lists_of_row: so many lists that follow each other belong together, as
            the steps of a session do.
    """

    values: np.ndarray
    weights: np.ndarray
    lists_of_row: int = 1


def of_arrays(
    metrics: Sequence[RankingMetric], passed: Sequence[Any]
) -> Values:
    """Of what metrics take themselves: `y_true`, `y_pred`, `sample_weight`."""
    definitions = [metric.definition for metric in metrics]
    found, rows = {}, None
    doubts = Doubts()
    for places, lists, per_list in evaluate(definitions, passed, Batch()):
        doubts.utter(lists.doubt, metrics[places[0]].name)
        rows = per_list.rows
        for place, of_metric in zip(places, _of(per_list), strict=True):
            found[place] = of_metric
    values, weights = zip(*(found[p] for p in range(len(metrics))), strict=True)
    per_row = 1 if rows is None else math.prod(map(int, rows[1:]))
    return Values(np.stack(values), np.stack(weights), per_row)


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
    shape = (len(metrics), number)
    total = Values(np.full(shape, np.nan), np.full(shape, np.nan))
    for lists in joined:
        for places, labels, scores in batches_of(lists):
            weight = None
            if weights is not None:
                weight = np.ones(len(labels), weights.dtype)
                weight[: len(places)] = weights[places]
            found = of_arrays(metrics, (labels, scores, weight))
            total.values[:, places] = found.values[:, : len(places)]
            total.weights[:, places] = found.weights[:, : len(places)]
    return total


def _of(per_list: PerList) -> list[tuple[np.ndarray, np.ndarray]]:
    values = ops.convert_to_numpy(per_list.per_list()).astype(np.float64)
    weights = ops.convert_to_numpy(per_list.weights).astype(np.float64)
    has_own = ops.convert_to_numpy(per_list.has_own_weight)
    own = np.where(has_own & ~np.isnan(values), weights, np.nan)
    return list(zip(values, own, strict=True))

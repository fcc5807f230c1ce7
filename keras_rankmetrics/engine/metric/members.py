"""The members of a collection: which it takes, and how it keeps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.processes import Slot
from keras_rankmetrics.engine.evaluation.evaluate import same_reading
from keras_rankmetrics.engine.metric.accumulator import Accumulator
from keras_rankmetrics.types import Tensor


class Kind(NamedTuple):
    """Members that keep the same sums of what they read alike.

    Attributes:
        aggregate: which sums.
        reading: the place of what they read among all that is read.
        rows: their places among the members that read it.
        members: the metrics.
    """

    aggregate: Any
    reading: int
    rows: list[int]
    members: list[Accumulator]

    @property
    def sums(self) -> list[Slot]:
        """Where their sums are."""
        return [metric._sums for metric in self.members]

    def unstacked(self, x: Tensor) -> list[Tensor]:
        """Of `[members, ...]` the part of each."""
        return ops.unstack(x, len(self.members))


def kinds_of(metrics: Sequence[Accumulator]) -> list[Kind]:
    """The kinds of members, in the order of what is read."""
    kinds = []
    definitions = [metric.definition for metric in metrics]
    for reading, places in enumerate(same_reading(definitions)):
        rows: dict[Any, list[int]] = {}
        for row, place in enumerate(places):
            rows.setdefault(metrics[place].aggregate, []).append(row)
        for aggregate, its_rows in rows.items():
            members = [metrics[places[row]] for row in its_rows]
            kinds.append(Kind(aggregate, reading, its_rows, members))
    return kinds


def _check_has_error(metric: Accumulator) -> None:
    if not hasattr(metric.aggregate, "errors"):
        raise TypeError(
            "With `errors=True`, a standard error of each metric should be "
            f"known. Received: {metric!r}, whose `aggregate` has no `errors`."
        )


def members_of(
    metrics: Iterable[Accumulator], errors: bool
) -> tuple[Accumulator, ...]:
    """The metrics, if a collection can hold them together."""
    if isinstance(metrics, Mapping) or not isinstance(metrics, Iterable):
        raise TypeError(
            "`metrics` should be a list: `MetricCollection([NDCG(k=10)])`. "
            "What a value is called is the `name` of its metric. Received: "
            f"{metrics!r}."
        )
    members = tuple(metrics)
    if not members:
        raise ValueError("`metrics` should hold a metric. Received: none.")
    for metric in members:
        _check_member(metric)
    if errors:
        for metric in members:
            _check_has_error(metric)
    names = Counter(name for metric in members for name in metric.results)
    if errors:
        names.update([f"{name}_se" for name in names])
    [(name, times)] = names.most_common(1)
    if times > 1:
        raise ValueError(
            "The metrics of a collection should have different names, by "
            f"which its result has their values. Received: {times} of the "
            f'name "{name}". Give one a name of its own: '
            f'`NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def _check_member(metric: Any) -> None:
    if isinstance(metric, list | tuple) or hasattr(metric, "signatures"):
        raise TypeError(
            "`metrics` should be a flat list of metrics. Received in it: "
            f"{metric!r}. Unpack a list with a star, "
            "`[*NDCG.at(1, 10), ...]`, and a collection too, "
            "`[*collection.metrics, ...]`."
        )
    if not isinstance(metric, Accumulator):
        advice = "Keep other metrics beside the collection."
        if callable(metric) and not isinstance(metric, keras.metrics.Metric):
            advice = "If it is the class of one, call it: `NDCG(k=10)`."
        raise TypeError(
            "`metrics` should hold ranking metrics, instances of "
            f"`RankingMetric`. Received: {metric!r}. {advice}"
        )
    for method in own_methods(metric):
        raise TypeError(
            f"{type(metric).__name__} has its own `{method}`, which a "
            "collection does not call. Keep it beside the collection."
        )


def own_methods(metric: Accumulator) -> list[str]:
    """Return the methods of its class that a collection would not call."""
    return [
        method
        for method in ("update_state", "result", "per_list")
        if getattr(type(metric), method) is not getattr(Accumulator, method)
    ]

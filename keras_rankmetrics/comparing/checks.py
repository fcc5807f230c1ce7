"""What can be compared, and by which metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.engine.shells.collection import MetricCollection
from keras_rankmetrics.engine.shells.metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean


def check_systems(systems: Mapping[str, Any]) -> None:
    """Raise ValueError if a name is missing, or no str."""
    if not systems or not all(isinstance(name, str) for name in systems):
        raise ValueError(
            "`systems` should be a dict of systems by name, such as "
            f"{{'bm25': ..., 'ours': ...}}. Received: the names "
            f"{list(systems)}."
        )


def check_baseline(baseline: Any, systems: Mapping[str, Any]) -> str:
    """The name of the baseline, the first system by default."""
    names = list(systems)
    if baseline is None:
        return names[0]
    if baseline not in names:
        raise ValueError(
            f"`baseline` should be one of the systems {names}. Received: "
            f"{baseline!r}."
        )
    return str(baseline)


def check_confidence(confidence: Any) -> float:
    """The confidence as a float."""
    is_number = isinstance(confidence, int | float | np.number)
    if not is_number or not 0.0 < confidence < 1.0:
        raise ValueError(
            "`confidence` should be a number between 0 and 1, such as 0.95. "
            f"Received: {confidence!r}."
        )
    return float(confidence)


def members_of(metrics: Any) -> list[RankingMetric]:
    """The metrics one by one; collections are opened.

    Raises:
        TypeError: if one is no mean over lists.
        ValueError: if there is none, or two have the same name.
    """
    members = list(_flat(metrics))
    for member in members:
        check_mean(member)
    names = [member.name for member in members]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            "`metrics` should hold metrics of different names. Received: "
            f"{names}. Give one a name of its own: "
            '`NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def _flat(metrics: Any) -> Iterator[Any]:
    if isinstance(metrics, MetricCollection):
        yield from metrics.metrics
    elif isinstance(metrics, list | tuple):
        for metric in metrics:
            yield from _flat(metric)
    else:
        yield metrics


def check_by_ids(metrics: list[RankingMetric]) -> None:
    """Raises where a metric cannot be had of queries and items by id."""
    for metric in metrics:
        definition = metric.definition
        reason = ""
        if definition.inputs != "scores":
            reason = f'`inputs="{definition.inputs}"`. Leave `inputs` out'
        elif definition.metric.by_subtopic:
            reason = "labels by subtopic. Pass labels and scores as arrays"
        elif definition.metric.of_catalogue is not None:
            reason = (
                "the items of a catalogue by number. Pass labels and scores "
                "as arrays"
            )
        if reason:
            raise ValueError(
                "Of tables of queries and items, metrics should take labels "
                f"and scores. Received: {metric.name!r}, which takes {reason}."
            )

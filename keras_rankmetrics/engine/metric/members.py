"""Lists of metrics: checks of the members, and of the methods they override."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import keras

M = TypeVar("M")


def own_methods(metric: object, base: type) -> list[str]:
    """Return the methods that a metric overrides and a collection never calls.

    Args:
        metric: the metric.
        base: the class that defines the methods.
    """
    return [
        method
        for method in ("update_state", "result", "per_list")
        if getattr(type(metric), method) is not getattr(base, method)
    ]


def members_of(
    metrics: Iterable[M], base: type[M], errors: bool
) -> tuple[M, ...]:
    """Return the metrics, if a collection can contain them together.

    Args:
        metrics: the argument of the collection.
        base: the class whose methods the collection replaces.
        errors: whether the collection reports standard errors.

    Raises:
        TypeError: if one is not a metric, or not one that a collection can
            contain.
        ValueError: if there is no metric, or two have the same name.
    """
    if isinstance(metrics, Mapping) or not isinstance(metrics, Iterable):
        raise TypeError(
            "`metrics` should be a list: `MetricCollection([NDCG(k=10)])`. "
            f"Received: {metrics!r}. Values are named after their metrics: "
            '`NDCG(k=10, name="my_ndcg@10")`.'
        )
    members: tuple[Any, ...] = tuple(metrics)
    if not members:
        raise ValueError("`metrics` should hold a metric. Received: none.")
    for metric in members:
        _check_member(metric, base)
    if errors:
        for metric in members:
            _check_has_error(metric)
    names = Counter(name for metric in members for name in metric.results)
    if errors:
        names.update([f"{name}_se" for name in names])
    [(name, times)] = names.most_common(1)
    if times > 1:
        raise ValueError(
            "The metrics of a collection should have different names, which "
            f"are the keys of its result. Received: {times} with the name "
            f'"{name}". Rename one: `NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def _check_member(metric: Any, base: type) -> None:
    if isinstance(metric, list | tuple) or hasattr(metric, "signatures"):
        raise TypeError(
            "`metrics` should be a flat list of metrics. Received in it: "
            f"{metric!r}. Unpack a list with a star, "
            "`[*NDCG.at(1, 10), ...]`, and a collection too, "
            "`[*collection.metrics, ...]`."
        )
    if not isinstance(metric, base):
        advice = "Keep other metrics outside the collection."
        if callable(metric) and not isinstance(metric, keras.metrics.Metric):
            advice = "If it is the class of one, call it: `NDCG(k=10)`."
        raise TypeError(
            "`metrics` should hold ranking metrics, instances of "
            f"`RankingMetric`. Received: {metric!r}. {advice}"
        )
    for method in own_methods(metric, base):
        raise TypeError(
            "A collection does not call the methods of its metrics. Received: "
            f"{type(metric).__name__}, which has its own `{method}`. Keep it "
            "outside the collection."
        )


def _check_has_error(metric: Any) -> None:
    if not hasattr(metric.aggregate, "errors"):
        raise TypeError(
            "With `errors=True`, each metric should have a standard error. "
            f"Received: {metric!r}, whose `aggregate` has no `errors`."
        )

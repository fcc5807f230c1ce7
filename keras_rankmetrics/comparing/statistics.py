"""The statistics that a table has, by its metrics; `metrics` computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras_rankmetrics.engine.aggregates.paired import Statistic
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean


def check(metric: Any) -> None:
    """Raise TypeError if a table has no statistic of the metric."""
    if not hasattr(metric, "_statistic_kind"):
        check_mean(metric)


def mean_of(metric: RankingMetric) -> Statistic:
    """Return the mean of a metric, whose values of lists are held."""
    is_up = metric._direction == "up"
    bounded = metric.aggregate.bounded
    return Statistic(metric.name, metric.signature, is_up, bounded)


def members_and_statistics(
    metrics: Sequence[Any],
) -> tuple[list[RankingMetric], tuple[Statistic, ...]]:
    """Return the metrics to evaluate, each once, and the table's statistics.

    There are none if all are the means of these metrics.

    Raises:
        ValueError: if different metrics have the same name.
    """
    members: dict[str, RankingMetric] = {}
    statistics = []
    for metric in metrics:
        kind = getattr(metric, "_statistic_kind", None)
        is_member = isinstance(metric, RankingMetric)
        member = metric if is_member else metric.metric
        first = members.setdefault(member.name, member)
        if first.signature != member.signature:
            raise ValueError(
                "Metrics of the same name should be the same metric. Received: "
                f"{first.signature} and {member.signature}. Give one a name of "
                'its own: `NDCG(k=10, name="my_ndcg@10")`.'
            )
        place = list(members).index(member.name)
        mean = mean_of(member)._replace(metrics=(place,))
        if kind is None:
            statistics.append(mean)
            continue
        statistic = mean._replace(signature=metric.signature, kind=kind)
        statistics += [
            statistic._replace(name=name, option=option)
            for name, option in metric._statistics().items()
        ]
    if all(statistic.kind == "mean" for statistic in statistics):
        statistics = []
    return list(members.values()), tuple(statistics)

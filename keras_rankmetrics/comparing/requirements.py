"""The needs of metrics, and the statistics that a table has of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Values
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.conventions.rules import Rules, Ties
from keras_rankmetrics.engine.aggregates.paired import Statistic
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean
from keras_rankmetrics.metrics.names import split_options
from keras_rankmetrics.types import Truth

_Metrics = Sequence[RankingMetric]


def truth_of(metrics: _Metrics) -> Truth | None:
    """Return what the metrics read in place of labels; all must agree."""
    reads = {m.name: m.definition.traits.reads for m in metrics}
    if len(set(reads.values())) > 1:
        raise ValueError(
            "The metrics should all take labels, or all a reference ranking in "
            "place of labels, or all labels by subtopic. Received: "
            f"{reads}, None for labels. Call this once for each kind."
        )
    return next(iter(reads.values()))


def check_by_id(metrics: _Metrics) -> None:
    """Raise ValueError if a metric needs arrays in place of ids."""
    arrays = "Pass labels and scores as arrays"
    for metric in metrics:
        definition, reason = metric.definition, ""
        if definition.inputs != "scores":
            reason = f'`inputs="{definition.inputs}"`. Leave `inputs` out'
        elif definition.traits.reads == "clicks":
            reason = f"clicks and their propensities. {arrays}"
        elif definition.traits.of_catalogue is not None:
            reason = f"the items of a catalogue by number. {arrays}"
        if reason:
            raise ValueError(
                "For tables and other inputs with queries, metrics should take "
                f"labels and scores. Received: {metric.name!r}, which takes "
                f"{reason}."
            )


def notes_on_shares(labels: np.ndarray, metrics: _Metrics) -> tuple[str, ...]:
    """Return a note if labels may be shares of judges, and some metric grades.

    Args:
        labels: the labels, in any shape.
        metrics: the metrics.
    """
    shares = labels[(labels > 0) & (labels < 1)]
    if not shares.size or labels.max() > 1:
        return ()
    names = [
        metric.name
        for metric in metrics
        if metric.definition.reads_grades
        and "gain_fn" not in split_options(metric.name)[1]  # in its text
    ]
    note = (
        f"truth: labels between 0 and 1, such as {shares.max():g}, are grades "
        f"for {', '.join(names)}. If they are shares of judges, or other "
        'probabilities, pass `labels="probabilities"` for the expected value, '
        "which NDCG and DCG take; if they are gains, a `gain_fn` such as "
        "`linear_gain`."
    )
    return (note,) if names else ()


def notes_on_depth(
    name: str, depth: int | None, metrics: _Metrics
) -> tuple[str, ...]:
    """Return a note if metrics look further than a system retrieves.

    Args:
        name: the name of the system.
        depth: the number of items that each query retrieves; None if that of
            some differs.
        metrics: the metrics.
    """
    if depth is None:
        return ()
    names = [x.name for x in metrics if (x.k or 0) > depth]
    if not names:
        return ()
    return (
        f"{name}: each query retrieves {depth:,} items, so that the ranks from "
        f"{depth + 1:,} on are empty for {', '.join(names)}.",
    )


# The rules by which metrics read lists.


class RuleSet(NamedTuple):
    """The metrics that read lists by the same rules.

    Attributes:
        rules: the rules.
        members: the metrics.
        places: their places among all metrics.
    """

    rules: Rules
    members: list[RankingMetric]
    places: list[int]

    def order_of_ties(self, have_ids: bool) -> Ties:
        """Return the order of tied items, `"options"` if no metric reads one.

        Args:
            have_ids: False if items have no ids, so that their rows are.
        """
        if not any(metric.ties == "stable" for metric in self.members):
            return "options"
        if self.rules.ties != "options":
            return self.rules.ties
        return "last_id_first" if have_ids else "first_row_first"


class RulesBy(NamedTuple):
    """The rules of each metric.

    Attributes:
        usual: the rules of most metrics.
        of: returns the rules of a metric.
    """

    usual: Rules
    of: Callable[[RankingMetric], Rules]

    def sets(
        self, members: Sequence[RankingMetric], reading: Reading
    ) -> list[RuleSet]:
        """Return the metrics by their rules, those with the usual ones first.

        Args:
            members: the metrics.
            reading: what the user chose in place of rules.
        """
        places: dict[Rules, list[int]] = {}
        for place, member in enumerate(members):
            rules = reading.own(self.of(member))
            places.setdefault(rules, []).append(place)
        usual = reading.own(self.usual)
        ordered = sorted(places.items(), key=lambda x: x[0] != usual)
        return [
            RuleSet(rules, [members[place] for place in some], some)
            for rules, some in ordered
        ]


def merged_values(sets: Sequence[RuleSet], found: Sequence[Values]) -> Values:
    """Return the values of all metrics in their order, with their decimals.

    Args:
        sets: the metrics by their rules.
        found: the values of each set.
    """
    for each, values in zip(sets, found, strict=True):
        values.values[:] = each.rules.rounded(values.values)
    if len(sets) == 1:
        return found[0]
    order = np.argsort(np.concatenate([each.places for each in sets]))
    columns = zip(*(values[:3] for values in found), strict=True)
    return found[0].with_arrays(np.concatenate(x)[order] for x in columns)


def rules_in_words(usual: str, sets: Sequence[RuleSet]) -> str:
    """Return the rules as text, which names the metrics with other orders.

    Args:
        usual: the rules of the first set.
        sets: the metrics by their rules.
    """
    first, *others = sets
    texts = [usual]
    for rules, members, _ in others:
        own, known = ((x.ties, x.score_dtype) for x in (rules, first.rules))
        if own != known:
            names = (f"`{x.name}`".replace("|", "/") for x in members)
            texts.append(f"{', '.join(names)}:{rules.ties}")
    return "|".join(texts)


def refuse_without_statistic(metric: Any) -> None:
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

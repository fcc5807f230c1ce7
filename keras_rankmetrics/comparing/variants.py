"""Metrics by several orders of tied items, evaluated at once.

Each metric has as many variants, next to each other, of which the first has its
name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics import metrics as known
from keras_rankmetrics.comparing.measured import ALL, Measured
from keras_rankmetrics.comparing.requirements import RulesBy, rules_in_words
from keras_rankmetrics.comparing.results import Evaluated
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.types import TiePolicy

# Metrics for which no order of tied items has a higher or a lower value than
# those with the highest and with the lowest labels first: tests enumerate them.
BY_LABELS: tuple[type[RankingMetric], ...] = (
    known.AUC,
    known.AdjustedMeanRankIndex,
    known.AllHitAtK,
    known.AverageRelevancePosition,
    known.BEDROC,
    known.BPref,
    known.DCG,
    known.ERR,
    known.EnrichmentFactor,
    known.F1AtK,
    known.FBetaAtK,
    known.FallOutAtK,
    known.GradedAveragePrecision,
    known.GradedRankBiasedPrecision,
    known.HitRateAtK,
    known.JudgedAtK,
    known.MeanAveragePrecision,
    known.MeanAveragePrecisionAtR,
    known.MeanRank,
    known.MeanReciprocalRank,
    known.NDCG,
    known.OrderedPairAccuracy,
    known.PFound,
    known.PrecisionAtK,
    known.QMeasure,
    known.RBPResidual,
    known.RPrecision,
    known.RankBiasedPrecision,
    known.RecallAtK,
    known.ReciprocalRankOfAll,
    known.UnjudgedAtK,
)
# Not with this option, whose value may be higher if fewer items are found.
_NOT_BY_LABELS = ("denominator", "hits")


def in_variants(
    of_members: Callable[..., Measured],
    policies: Callable[[RankingMetric], Sequence[TiePolicy | None]],
    members: Sequence[RankingMetric],
    truth: Any,
    rules: RulesBy,
    **others: Any,
) -> Measured:
    """Return the values of the variants of each metric.

    Args:
        of_members: returns the values of metrics.
        policies: returns the orders of tied items, one for each variant.
        members: the metrics.
        truth: the truth.
        rules: the rules by which each metric reads lists.
        **others: further arguments of `of_members`.

    Raises:
        ValueError: if the extreme orders of a metric are not known.
    """
    variants, of_names = [], dict[str, RankingMetric]()
    for metric in members:
        _check_by_labels(metric)
        for number, ties in enumerate(policies(metric)):
            name = metric.name + f" (order {number})" * (number > 0)
            of_names[name] = metric
            variants.append(metric.remade(ties=ties, name=name))
    by_variant = rules._replace(of=lambda x: rules.of(of_names[x.name]))
    found = of_members(variants, truth, rules=by_variant, **others)
    usual, _, _ = found.rules.partition("|`")
    in_text = rules_in_words(usual, rules.sets(members, others["reading"]))
    return found._replace(rules=in_text)


def means_of_each(measured: Measured, number: int) -> list[list[float]]:
    """Return the means of the variants of each metric.

    Args:
        measured: what `in_variants` returned.
        number: the number of variants of a metric.

    Raises:
        ValueError: if there are other statistics than means.
    """
    if measured.statistics:
        received = [statistic.name for statistic in measured.statistics]
        raise ValueError(
            f"`metrics` should be means over lists. Received: {received}. Pass "
            "the metrics themselves."
        )
    means = np.array([*Evaluated(measured, ALL).values()])
    found: list[list[float]] = means.reshape(-1, number).tolist()
    return found


def first_of_each(measured: Measured, number: int) -> Measured:
    """Return the values of the first variant of each metric."""
    first = slice(None, None, number)
    of_run = measured.systems[ALL].taken(first)
    return measured._replace(
        metrics=measured.metrics[first], systems={ALL: of_run}
    )


def _check_by_labels(metric: RankingMetric) -> None:
    """Raise ValueError if the extreme orders of a metric are not known."""
    options = metric.options
    option, value = _NOT_BY_LABELS
    reason = ""
    if type(metric) not in BY_LABELS:
        reason = f"{type(metric).__name__}, of which it is not known"
    elif options.get(option) == value:
        reason = f'{metric.name} with `{option}="{value}"`'
    elif metric.labels == "probabilities":
        reason = f'{metric.name} with `labels="probabilities"`'
    elif metric.definition.traits.needs_order(options):
        reason = f"{metric.name}, which has no mean over the orders"
    if reason:
        raise ValueError(
            "`metrics` should have their highest and lowest values with the "
            f"highest and lowest labels first among tied items. Received: "
            f'{reason}. Leave it out, or compute `ties="stable"` for the '
            "orders that you want."
        )

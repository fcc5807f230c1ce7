"""Check that a truth has the kind, the ids and the labels that metrics need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
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

"""Check that a truth has the kind, the ids and the labels that metrics need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.gains import exponential_gain
from keras_rankmetrics.metrics.names import split_options
from keras_rankmetrics.types import Truth

_GRADES = 30  # gains of grades above it make all others vanish
_TIMES = 1e8  # labels above it look like seconds since 1970
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


def _warn_of_negative(labels: np.ndarray) -> None:
    """Warn if labels below 0 have several values, one with a fraction."""
    negative = np.unique(labels[labels < 0])
    if len(negative) > 1 and (negative != np.floor(negative)).any():
        warn(
            "Labels should be 0 or more; those below 0 are of unjudged items. "
            f"Received: {negative[0]:g} to {negative[-1]:g}, which look like "
            "ratings or logits. Shift them to 0 and above."
        )


def take_grades(metrics: _Metrics) -> bool:
    """Return True if some metric takes labels as grades."""
    return any(metric.labels == "grades" for metric in metrics)


def checked_labels(labels: np.ndarray, metrics: _Metrics) -> dict[str, str]:
    """Return what is assumed of labels; warn of wrong ones.

    Args:
        labels: the labels; those below 0 are of unjudged items.
        metrics: the metrics.

    Raises:
        ValueError: if a label is infinite or looks like a time.
    """
    _warn_of_negative(labels)
    labels = labels[labels >= 0]
    options = [metric.definition.options for metric in metrics]
    have_default = any(x.get("relevance_threshold") == 1 for x in options)
    grows_fast = any(x.get("gain_fn") is exponential_gain for x in options)
    lowest, highest = labels.min(initial=np.inf), labels.max(initial=0)
    if highest == np.inf:
        raise ValueError(
            "Labels should be finite. Received: inf. Remove the item, or give "
            "it the highest grade."
        )
    if highest < 1 and take_grades(metrics):
        warn(
            "The truth should have labels of 1 or more for relevant items. "
            f"Received: {highest:g} as the highest one. Check how it was read, "
            "and that it is not the run."
        )
    if highest > _GRADES and grows_fast:
        warn(
            "Grades should be small for a gain of 2 to their power. Received: "
            f"{highest:g}, so that only the highest ones count. Write "
            '`"NDCG(gain_fn=linear_gain)@10"`, or scale the grades.'
        )
    if highest > _TIMES:
        raise ValueError(
            "Labels should be grades, or amounts below "
            f"{_TIMES:g}. Received: {highest:g}, which looks like a time. Name "
            "the column of labels by `columns`, or write a header."
        )
    # Ratings from 1 on are no grades of relevance.
    are_all_relevant = 1 <= lowest < highest and have_default
    return {"relevant": "label>=1"} if are_all_relevant else {}


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

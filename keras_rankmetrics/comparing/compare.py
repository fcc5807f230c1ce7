"""`compare`: a table of several systems and metrics."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from keras_rankmetrics.comparing import forms, joining, values
from keras_rankmetrics.comparing.compared import Compared, checked
from keras_rankmetrics.comparing.measured import (
    Measure,
    Measured,
    System,
    fingerprint,
)
from keras_rankmetrics.comparing.report import unjudged
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import whole
from keras_rankmetrics.tables.jobs import members_of


def compare(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Any,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    sample_weight: Any = None,
) -> Compared:
    """Compare systems on the same lists, in a table of means and tests.

    For each system and metric, the table contains the mean over the lists with
    a confidence interval. Each system except the baseline is compared to the
    baseline by a two-sided paired t test of

        d = value(system) - value(baseline)

    over the lists. The p values of all systems and metrics in the table are
    corrected together by Holm's method.

    The truth and each system may have any of these forms:

    - nested dicts, `{query: {item: label}}` and `{query: {item: score}}`. The
      truth may have sets of relevant items instead, `{query: {item, ...}}`;
      their label is 1;
    - tables with the columns `query`, `item`, and `label` or `score`: pandas or
      polars frames, Arrow tables, dicts of columns;
    - `Rows`, arrays of queries, items, and labels or scores;
    - iterables of `Rows`, each with whole queries. A system is then read chunk
      by chunk, so that it may be larger than the memory.

    Ids are integers, str or bytes. Rows are joined by query and item, and may
    be in any order:

    - A judged item that a system lacks is not retrieved. It counts for recall
      and for the ideal.
    - An item that the truth lacks, or whose label is below 0, is unjudged and
      gets the label `UNJUDGED`. The option `unjudged` of the metric decides
      whether it is irrelevant or left out.
    - A query that a system lacks counts as a list that retrieves nothing. A
      query that the truth lacks is left out. The table reports the numbers of
      both. A query without judgements, `{"q": {}}`, is a list without relevant
      items.
    - If float32 would tie different scores of a system, they are replaced by
      integers in the same order.
    - Tied items count according to the option `ties` of the metric. With
      `ties="stable"` they are ordered by id, the last one first, as in
      trec_eval.

    If no retrieved item of a system is judged, or less than 1% of those that
    could be, `compare` warns that the two sides may have different ids. The
    warning and the table show an id of each side. `Compared.judged` is the
    share of judged items.

    Alternatively, the truth and all systems are arrays in the form that the
    metrics take by their `inputs`, usually labels and scores `[lists, items]`.

    Args:
        systems: a dict of systems by name.
        truth: the labels of the items.
        metrics: a metric, a `MetricCollection`, or a list of these. They are
            not updated.
        baseline: the name of the system to which the others are compared; the
            first one by default.
        confidence: the level of the intervals. The level of the tests is
            1 - confidence.
        sample_weight: weights in the form that the metrics take; with ids, a
            dict of a weight for each query, finite and not negative.

    Returns:
        A `Compared`, which can be printed, plotted, and written to files.

    Raises:
        TypeError: if ids, values or metrics have the wrong type.
        ValueError: if some arguments have ids and others are arrays; if the
            truth or a system is empty; if a system has no query of the truth;
            if an item occurs twice in a list, or a query in two chunks; or if a
            metric raises it.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
        >>> systems = {
        ...     "old": {"q1": {"x": 0.9, "a": 0.5}, "q2": {"x": 0.9, "c": 0.8}},
        ...     "new": {"q1": {"a": 0.9, "b": 0.5}, "q2": {"c": 0.9}},
        ... }
        >>> compared = krm.compare(systems, truth, krm.RecallAtK(k=1))
        >>> print(compared.to_markdown().partition("Means")[0].strip())
        |  | recall@1 |
        | --- | ---: |
        | old | 0.0000 ± 0.0000 |
        | new | **0.7500** ± 3.1766 |

    Smucker, Allan and Carterette, CIKM (2007); Holm, Scandinavian Journal of
    Statistics 6 (1979).
    """
    forms.check_form(systems, truth)
    baseline, confidence = checked(systems, baseline, confidence)
    members = members_of(metrics, check_mean)
    measure = _measured_by_ids if forms.is_by_ids(truth) else _measured
    measured = Measured(
        tuple(
            Measure(
                metric.name,
                metric.signature,
                metric._direction == "up",
                metric.aggregate.bounded,
            )
            for metric in members
        ),
        *measure(systems, truth, members, sample_weight),
    )
    for sentence in unjudged(measured):
        warnings.warn(sentence, UserWarning, stacklevel=2)
    return Compared(measured, baseline, confidence)


def _measured_by_ids(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Sequence[RankingMetric],
    sample_weight: Any,
) -> tuple[tuple[Any, ...], str, dict[str, System]]:
    """Return the queries, a fingerprint of the truth, and each system."""
    _check_by_ids(metrics)
    judgements = joining.Judgements.of(
        whole(forms.chunks_of(truth, "label", "`truth`")),
        forms.queries_of(truth, "`truth`"),
    )
    if not len(judgements):
        raise ValueError(
            "There should be judgements in `truth`. Received: none. Check how "
            "they were read."
        )
    in_order = any(metric.ties == "stable" for metric in metrics)
    weights = forms.weights_of(sample_weight, judgements.queries)
    found = {}
    for name, system in systems.items():
        argument = f"the system {name!r}"
        chunks = forms.chunks_of(system, "score", argument)
        joined = joining.Joining(judgements, in_order, argument)
        lists = joined.join(chunks)
        of_lists = values.of_lists(metrics, lists, weights, len(judgements))
        found[name] = System(of_lists, joined.overlap)
    queries = tuple(map(as_text, judgements.queries.tolist()))
    return queries, judgements.fingerprint, found


def _measured(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Sequence[RankingMetric],
    sample_weight: Any,
) -> tuple[tuple[Any, ...], str, dict[str, System]]:
    """Return the numbers of the lists, and the same for arrays."""
    found = {}
    for name, system in systems.items():
        try:
            passed = truth, system, sample_weight
            found[name] = System(values.of_arrays(metrics, passed))
        except (TypeError, ValueError) as error:
            error.add_note(f"The error concerns the system {name!r}.")
            raise
    [number] = {s.values.values.shape[1] for s in found.values()}
    return tuple(range(number)), fingerprint(truth), found


def _check_by_ids(metrics: Sequence[RankingMetric]) -> None:
    """Raise ValueError if a metric needs arrays in place of ids."""
    arrays = "Pass labels and scores as arrays"
    for metric in metrics:
        definition, reason = metric.definition, ""
        if definition.inputs != "scores":
            reason = f'`inputs="{definition.inputs}"`. Leave `inputs` out'
        elif definition.traits.by_subtopic:
            reason = f"labels by subtopic. {arrays}"
        elif definition.traits.of_catalogue is not None:
            reason = f"the items of a catalogue by number. {arrays}"
        if reason:
            raise ValueError(
                "With ids of queries and items, metrics should take labels and "
                f"scores. Received: {metric.name!r}, which takes {reason}."
            )

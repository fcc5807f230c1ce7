"""`compare`: from what systems say to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keras_rankmetrics.comparing import fingerprint, given, values
from keras_rankmetrics.comparing.checks import (
    check_baseline,
    check_by_ids,
    check_confidence,
    check_systems,
    members_of,
)
from keras_rankmetrics.comparing.compared import Compared
from keras_rankmetrics.comparing.ids import as_text
from keras_rankmetrics.comparing.joining import Joining
from keras_rankmetrics.comparing.judgements import Judgements
from keras_rankmetrics.comparing.rows import whole
from keras_rankmetrics.comparing.systems import (
    Gaps,
    Measure,
    Measured,
    System,
)
from keras_rankmetrics.engine.shells.metric import RankingMetric


def compare(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Any,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    sample_weight: Any = None,
) -> Compared:
    """Systems on the same lists, by some metrics, beside a baseline.

    For each system and metric it computes the mean over the lists, with its
    confidence interval; and for each system but the baseline a two-sided paired
    t test of

        d = value(system) - value(baseline)

    over the lists. p is corrected after Holm for all tests of the table, over
    all systems and metrics.

    The truth and the systems may be, in any mixture:

    - nested dicts, `{query: {item: label}}` and `{query: {item: score}}`;
    - tables with the columns `query`, `item`, and `label` or `score`: frames of
      pandas or polars, tables of Arrow, dicts of columns;
    - `Rows`, arrays of queries, items, and labels or scores;
    - iterables of `Rows`, each of which holds whole queries. Those of a system
      are read one by one, so that it may be larger than the memory.

    Ids are integers, or str, or bytes. Rows are joined by query and item, and
    may have any order:

    - A judged item that a system lacks is not retrieved. It counts for recall
      and for the ideal.
    - An item that the truth lacks is unjudged, the label `UNJUDGED`: worth
      nothing, or left out, by `unjudged` of the metric. So is one with a label
      below 0.
    - Of a query that a system lacks, nothing is retrieved. A query that the
      truth lacks is left out. The table says how many there are. A query of the
      truth without judgements, `{"q": {}}`, is a list without relevant items.
    - Where float32 does not hold the scores of a system, it gets their places
      in the same order, so that no backend merges scores.
    - Items of equal score count by `ties` of the metric. With `ties="stable"`
      they stand in the order of their ids, the last one first, as trec_eval
      has them.

    Or the truth and all systems are what the metrics take, by their `inputs`:
    labels and scores `[lists, items]`, as a rule.

    Args:
        systems: what each system says, by its name.
        truth: what the items are worth.
        metrics: a metric, a `MetricCollection`, or a list of these. They are
            not updated.
        baseline: the name of the system to which the others are compared; the
            first one by default.
        confidence: of the intervals. The level of the tests is 1 - confidence.
        sample_weight: what the metrics take; of queries a dict of weights by
            the id of the query, finite and not negative.

    Returns:
        A `Compared`, which can be printed, plotted, and written to files.

    Raises:
        TypeError: if ids, values or metrics are of a wrong type.
        ValueError: if the forms are mixed, an item comes twice in a list, or a
            query in two chunks; and what the metrics raise.

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
    check_systems(systems)
    baseline = check_baseline(baseline, systems)
    confidence = check_confidence(confidence)
    members = members_of(metrics)
    by_ids = given.is_by_ids(truth)
    given.check_same_form(by_ids, systems)
    if by_ids:
        check_by_ids(members)
        measured = _measured_by_ids(systems, truth, members, sample_weight)
    else:
        measured = _measured(systems, truth, members, sample_weight)
    return Compared(measured, baseline, confidence)


def _measured_by_ids(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Sequence[RankingMetric],
    sample_weight: Any,
) -> Measured:
    rows = whole(given.chunks_of(truth, "label", "`truth`"))
    judgements = Judgements.of(rows, given.queries_of(truth, "`truth`"))
    rows = rows._replace(query=judgements.queries)
    in_order = any(metric.ties == "stable" for metric in metrics)
    weights = given.weights_of(sample_weight, judgements.queries)
    found = {}
    for name, system in systems.items():
        argument = f"the system {name!r}"
        joining = Joining(judgements, in_order)
        chunks = (
            given.of_same_kind(chunk, rows, argument)
            for chunk in given.chunks_of(system, "score", argument)
        )
        of_lists = values.of_lists(
            metrics, joining.join(chunks), weights, len(judgements)
        )
        gaps = Gaps(int((~joining.seen).sum()), len(joining.unknown))
        found[name] = System(values.simplest(of_lists), gaps)
    return Measured(
        _measures(metrics),
        tuple(map(as_text, judgements.queries.tolist())),
        judgements.fingerprint,
        found,
    )


def _measured(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Sequence[RankingMetric],
    sample_weight: Any,
) -> Measured:
    found = {}
    for name, system in systems.items():
        try:
            passed = truth, system, sample_weight
            of_system = values.of_arrays(metrics, passed)
        except (TypeError, ValueError) as error:
            error.add_note(f"That is what the system {name!r} says.")
            raise
        found[name] = System(values.simplest(of_system))
    [number] = {s.values.values.shape[1] for s in found.values()}
    return Measured(
        _measures(metrics),
        tuple(range(number)),
        fingerprint.of_arrays(truth),
        found,
    )


def _measures(metrics: Sequence[RankingMetric]) -> tuple[Measure, ...]:
    return tuple(
        Measure(
            metric.name,
            metric.signature,
            metric._direction == "up",
            metric.aggregate.bounded,
        )
        for metric in metrics
    )

"""`compare`: from what systems say to a table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing import given, values
from keras_rankmetrics.comparing.checks import (
    check_baseline,
    check_by_ids,
    check_confidence,
    check_systems,
    members_of,
)
from keras_rankmetrics.comparing.compared import Compared
from keras_rankmetrics.comparing.joining import Joining
from keras_rankmetrics.comparing.judgements import Judgements
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

    Args:
        systems: what each system says, by its name.
        truth: what the items are worth.
        metrics: a metric, a `MetricCollection`, or a list of these.
        baseline: to which the others are compared; the first by default.
        confidence: of the intervals, and of the test.
        sample_weight: weights.
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
    rows = given.whole(given.chunks_of(truth, "label", "`truth`"))
    judgements = Judgements.of(rows)
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
        tuple(map(_text, judgements.queries.tolist())),
        judgements.fingerprint,
        found,
    )


def _text(query: Any) -> Any:
    """Ids as people read them, and as JSON has them."""
    return query.decode() if isinstance(query, bytes) else query


def _measured(
    systems: Mapping[str, Any],
    truth: Any,
    metrics: Sequence[RankingMetric],
    sample_weight: Any,
) -> Measured:
    found = {}
    for name, system in systems.items():
        try:
            of_system = values.of_arrays(
                metrics, (truth, system, sample_weight)
            )
        except (TypeError, ValueError) as error:
            error.add_note(f"That is what the system {name!r} says.")
            raise
        found[name] = System(values.simplest(of_system))
    [number] = {s.values.values.shape[1] for s in found.values()}
    return Measured(
        _measures(metrics), tuple(range(number)), _fingerprint(truth), found
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


def _fingerprint(truth: Any) -> str:
    """The same for the same arrays, or lists."""
    if isinstance(truth, Mapping):
        parts = [f"{key}:{_fingerprint(truth[key])}" for key in sorted(truth)]
        return _hashed(",".join(parts).encode())
    if isinstance(truth, list | tuple):
        return _hashed(repr(_plain(truth)).encode())
    if not hasattr(truth, "__array__"):
        return _hashed(repr(truth).encode())
    return _fingerprint(np.asarray(truth).tolist())


def _plain(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return list(map(_plain, x))
    return x if isinstance(x, str | bytes) else float(x)


def _hashed(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]

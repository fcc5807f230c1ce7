"""`Compared.agreement`: how similar the rankings of systems are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from keras_rankmetrics.comparing.columns import check
from keras_rankmetrics.comparing.measuring import measured_by
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.comparing.statistics import differences_of
from keras_rankmetrics.engine.aggregates import Estimate
from keras_rankmetrics.engine.naming import as_table
from keras_rankmetrics.tables.members import members_of


class Agreement(dict[str, dict[tuple[str, str], Estimate]]):
    """The similarity of each two systems, by metric.

    `Compared.agreement` returns it. The keys are names of metrics, and then
    pairs `(reference, system)` of names. `print` shows a table for each metric,
    with a row for each reference.
    """

    def __str__(self) -> str:
        """Return a table for each metric."""
        return "\n\n".join(map(_table, self, self.values()))


def _table(metric: str, pairs: Mapping[tuple[str, str], Estimate]) -> str:
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    rows = [
        [
            one,
            *(f"{pairs[one, x].value:.4f}" if x != one else "" for x in names),
        ]
        for one in names
    ]
    return as_table([metric, *names], rows)


def agreement_of(
    systems: Mapping[str, Any], reading: Reading, metrics: Any
) -> Agreement:
    """Return the values of metrics of two rankings for each two systems.

    Args:
        systems: the systems by name, as for `compare`.
        reading: how to read them.
        metrics: the metrics.

    Raises:
        ValueError: if there is one system alone, a system can be read only
            once, or a metric takes labels.
    """
    once = [name for name, x in systems.items() if isinstance(x, Iterator)]
    if once or len(systems) < 2:
        raise ValueError(
            "There should be two systems or more, each of which can be read "
            f"more than once. Received: the systems {list(systems)}, of which "
            f"{once} are iterators. Pass lists in their place."
        )
    of_labels = [
        metric.name
        for metric in members_of(metrics, check)
        if not metric.definition.traits.of_two_rankings
    ]
    if of_labels:
        raise ValueError(
            "The metrics should compare two rankings, such as "
            f"`RankBiasedOverlap()`. Received: {of_labels}, which take labels."
        )
    found = Agreement()
    for one in systems:
        others = {name: x for name, x in systems.items() if name != one}
        higher = reading.higher_is_better
        if isinstance(higher, Mapping):
            higher = {**higher, "truth": higher.get(one, True)}
        again = dataclasses.replace(reading, higher_is_better=higher)
        measured = measured_by(metrics, systems[one], others, again)
        for place, column in enumerate(measured.columns):
            means, _, _ = differences_of(measured, place, next(iter(others)))
            pairs = found.setdefault(column.name, {})
            for name, mean in zip(others, means, strict=True):
                pairs[one, name] = mean
    return found

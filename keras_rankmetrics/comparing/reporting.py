"""From values of lists to a `Report`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from keras_rankmetrics.comparing import statistics
from keras_rankmetrics.comparing.report import (
    Against,
    Cell,
    Column,
    Mark,
    Report,
)
from keras_rankmetrics.comparing.systems import Measure, Measured
from keras_rankmetrics.engine.aggregates.paired import Difference


def reported(measured: Measured, baseline: str, confidence: float) -> Report:
    """The table of what was measured.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        confidence: of the intervals, and of the test.
    """
    names, measures = list(measured.systems), measured.measures
    found = statistics.of_metrics(
        [system.values for system in measured.systems.values()],
        names,
        names.index(baseline),
        [measure.bounded for measure in measures],
        [measure.more_is_better for measure in measures],
    )
    columns = [
        _cells(of_metric, measure, names, confidence)
        for of_metric, measure in zip(found, measures, strict=True)
    ]
    return Report(
        systems=tuple(names),
        columns=tuple(
            Column(m.name, m.signature, m.more_is_better) for m in measures
        ),
        cells=tuple(zip(*columns, strict=True)),
        baseline=baseline,
        confidence=confidence,
        lists=len(measured.lists),
        comparisons=sum(
            not math.isnan(d.p) for of in found for d in of.differences
        ),
        unjudged=tuple(unjudged(measured)),
        gaps=tuple(_gaps(measured)),
        untested=tuple(_untested(found, measures)),
    )


def unjudged(measured: Measured) -> Iterator[str]:
    """Yield a sentence for each system few of whose items are judged."""
    for name, system in measured.systems.items():
        overlap = system.overlap
        if overlap.is_low:
            number = f"{overlap.judged:,}" if overlap.judged else "none"
            could = f", and {overlap.possible:,} could be" * bool(
                overlap.judged
            )
            yield (
                f"{name}: {number} of its {overlap.retrieved:,} retrieved "
                f"items are judged ({overlap.share:.2%}){could}. "
                f"{overlap.example}"
            )


def _cells(
    found: statistics.OfMetric,
    measure: Measure,
    names: list[str],
    confidence: float,
) -> list[Cell]:
    by_system = {d.system: d for d in found.differences}
    values = [e.value for e in found.estimates if e.lists]
    known = [value for value in values if not math.isnan(value)]
    best = (max if measure.more_is_better else min)(known, default=math.nan)
    return [
        Cell(
            value=e.value,
            standard_error=e.standard_error,
            margin=e.margin(confidence),
            lists=e.lists,
            best=e.value == best,
            against=_against(by_system.get(name), measure, confidence),
        )
        for name, e in zip(names, found.estimates, strict=True)
    ]


def _against(
    d: Difference | None, measure: Measure, confidence: float
) -> Against | None:
    if d is None:
        return None
    return Against(
        difference=d.estimate.value,
        difference_error=d.estimate.standard_error,
        difference_margin=d.estimate.margin(confidence),
        t=d.t,
        p=d.p,
        p_corrected=d.p_holm,
        effect_size=d.effect_size,
        wins=d.wins,
        ties=d.ties,
        losses=d.losses,
        mark=_mark(d, measure, confidence),
    )


def _mark(d: Difference, measure: Measure, confidence: float) -> Mark:
    if not d.p_holm < 1.0 - confidence:
        return ""
    is_better = (d.estimate.value > 0) == measure.more_is_better
    return "better" if is_better else "worse"


def _untested(
    found: Sequence[statistics.OfMetric], measures: Sequence[Measure]
) -> Iterator[str]:
    for of_metric, measure in zip(found, measures, strict=True):
        for d in of_metric.differences:
            if d.system in of_metric.without_spread:
                yield (
                    f"{d.system}: {measure.name} differs from that of "
                    f"{d.baseline} by {d.estimate.value:.4g} on each of "
                    f"{d.estimate.lists:,} lists. A t test needs differences "
                    "that vary, so there is no test, and no mark."
                )


def _gaps(measured: Measured) -> Iterator[str]:
    for name, system in measured.systems.items():
        missing, unknown = system.gaps
        if missing:
            yield (
                f"{name}: {missing:,} of {len(measured.lists):,} queries have "
                "no rows, and count as lists that retrieve nothing."
            )
        if unknown:
            yield (
                f"{name}: {unknown:,} of its queries are not in the truth, and "
                "are left out."
            )

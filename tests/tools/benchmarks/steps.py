"""A contender's step, warmed up and seen to do its work."""

from collections.abc import Sequence

import numpy as np

from tests.tools.benchmarks.agreement import agree
from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders import CONTENDERS
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import Mode, Step
from tests.tools.benchmarks.suites import in_words
from tests.tools.benchmarks.turns import seconds_of

# A first call that takes longer is the only one, compilation included.
ENDLESS_SECONDS = 20.0
# A second call that takes longer is the only one that counts.
LONG_SECONDS = 4.0


def build(measurement: Measurement, batch: Batch, mode: Mode) -> Step | None:
    """The contender's step, if it has one, and what it covers of the suite."""
    contender = CONTENDERS[measurement.contender]
    if mode.name not in contender.modes:
        return None
    step = contender.build(batch, mode)
    if step is None:
        return None
    measurement.head_start = step.head_start
    measurement.note = step.note
    if step.suite and len(step.suite) < len(batch.suite):
        measurement.covers = f"{len(step.suite)} of {len(batch.suite)} metrics"
    return step


def warm_up(step: Step, measurement: Measurement) -> None:
    """Two calls: the first compiles, the second must move the state on.

    Where a call takes very long, it has been measured by that.
    """
    first = []
    seconds = seconds_of(lambda: first.extend(step.run()))
    if step.suite:
        names = map(in_words, step.suite)
        measurement.results = dict(zip(names, map(float, first), strict=True))
    if seconds > ENDLESS_SECONDS:
        measurement.values = [seconds]
        measurement.note = _joined(step.note, "timed by its first call only")
        return
    before = step.state() if step.state else []
    second = []
    seconds = seconds_of(lambda: second.extend(step.run()))
    if step.state and all(map(np.array_equal, before, step.state())):
        raise RuntimeError(
            "the state did not change from one batch to the next"
        )
    # The mean over a batch seen twice is the mean over the batch.
    if step.suite and not agree(second, list(measurement.results.values())):
        raise RuntimeError("the same batch again gave another result")
    if seconds > LONG_SECONDS:
        measurement.values = [seconds]


def has_been_measured(values: Sequence[float]) -> bool:
    """Whether the warm-up took so long that it was the measurement."""
    return any(value > LONG_SECONDS for value in values)


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))

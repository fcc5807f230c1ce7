"""The time of one batch that is on the device already."""

import dataclasses
from collections.abc import Sequence

from tests.tools.benchmarks.agreement import compare
from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders import (
    COLLECTION,
    CONTENDERS,
    NINE_OF_THEM,
    ONE,
    OURS,
    STABLE,
)
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import MODES, Step
from tests.tools.benchmarks.scenarios.scenario import Scenario
from tests.tools.benchmarks.steps import build, has_been_measured, warm_up
from tests.tools.benchmarks.suites import in_words
from tests.tools.benchmarks.turns import Now, prepare, seconds_of, take_turns
from tests.tools.benchmarks.units import MILLISECONDS

# Who takes longer for a call has a fifth of the rounds.
SLOW_SECONDS = 1.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneBatch(Scenario):
    """Updates all metrics with a batch, and asks for their results."""

    batch: Batch

    unit = MILLISECONDS
    among_us = ((OURS, COLLECTION), (OURS, STABLE), (ONE, OURS))

    @property
    def name(self) -> str:
        return self.batch.name

    @property
    def size(self) -> str:
        return self.batch.size

    @property
    def about(self) -> str:
        names = ", ".join(map(in_words, self.batch.suite))
        return (
            f"{self.batch.title.capitalize()}: {len(self.batch.suite)} metrics "
            f"of one batch, {names}. The reference is "
            f"{self.batch.reference_title}, and nothing else."
        )

    @property
    def contenders(self) -> tuple[str, ...]:
        return tuple(name for name in CONTENDERS if name != NINE_OF_THEM)

    def smaller(self) -> "OneBatch":
        return dataclasses.replace(self, rounds=3, batch=self.batch.smaller())

    def measure(
        self, mode: str, contenders: Sequence[str], now: Now
    ) -> list[Measurement]:
        on_device = MODES[mode](*self.batch.arrays)

        def make(measurement: Measurement) -> Step | None:
            step = build(measurement, self.batch, on_device)
            if step is not None:
                warm_up(step, measurement)
            return step

        measurements, steps = prepare(contenders, make, now)
        compare(measurements, to=OURS)
        take_turns(
            measurements,
            lambda name: seconds_of(steps[name].run),
            self.rounds,
            now,
            self._is_enough,
        )
        return measurements

    def _is_enough(self, values: Sequence[float]) -> bool:
        if has_been_measured(values):
            return True
        is_slow = max(values, default=0.0) > SLOW_SECONDS
        return is_slow and len(values) >= max(self.rounds // 5, 1)

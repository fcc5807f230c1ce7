"""What `compile` costs: the first call, in a process that has seen none."""

import dataclasses
from collections.abc import Sequence

from tests.tools.benchmarks.batches import LTR, Batch
from tests.tools.benchmarks.contenders import COLLECTION, KERAS_RS, OURS
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import MODES, Step
from tests.tools.benchmarks.scenarios.scenario import Scenario
from tests.tools.benchmarks.steps import build
from tests.tools.benchmarks.turns import Now, prepare, seconds_of, take_turns
from tests.tools.benchmarks.units import SECONDS


@dataclasses.dataclass(frozen=True, kw_only=True)
class FirstCall(Scenario):
    """Tracing, compiling and one run."""

    batch: Batch = LTR
    name = "first-call"
    contenders = (OURS, COLLECTION, KERAS_RS)

    unit = SECONDS
    apart = True

    @property
    def size(self) -> str:
        return self.batch.size

    @property
    def about(self) -> str:
        return (
            "The first call, each in a separate process: tracing, compiling "
            f"and one run of the {len(self.batch.suite)} metrics of "
            f"`{self.batch.name}`."
        )

    def measure(
        self, mode: str, contenders: Sequence[str], now: Now
    ) -> list[Measurement]:
        on_device = MODES[mode](*self.batch.arrays)

        def make(measurement: Measurement) -> Step | None:
            return build(measurement, self.batch, on_device)

        measurements, steps = prepare(contenders, make, now)
        take_turns(
            measurements,
            lambda name: seconds_of(steps[name].run),
            rounds=1,
            now=now,
        )
        return measurements

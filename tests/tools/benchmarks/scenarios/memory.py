"""What a batch needs beside itself, at its worst moment."""

import dataclasses
from collections.abc import Sequence

from tests.tools.benchmarks.batches import CATALOGUE, Batch
from tests.tools.benchmarks.comparisons import Comparison
from tests.tools.benchmarks.contenders import (
    COLLECTION,
    KERAS_RS,
    OURS,
    REFERENCE,
)
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import MODES, Step
from tests.tools.benchmarks.scenarios.scenario import Scenario
from tests.tools.benchmarks.steps import build
from tests.tools.benchmarks.turns import Now, prepare, take_turns
from tests.tools.benchmarks.units import INPUTS

# Of the inputs. Less is what else the process does.
_LEAST = 0.01


@dataclasses.dataclass(frozen=True, kw_only=True)
class PeakMemory(Scenario):
    """The rise of the memory during a call that is warmed up."""

    batch: Batch = CATALOGUE
    name = "memory"
    contenders = (REFERENCE, OURS, COLLECTION, KERAS_RS)

    unit = INPUTS

    @property
    def size(self) -> str:
        return self.batch.size

    @property
    def about(self) -> str:
        return (
            f"The peak memory of one batch with the {len(self.batch.suite)} "
            f"metrics of `{self.batch.name}`, in addition to its labels and "
            "scores and as a multiple of their size, at least "
            f"{_LEAST}."
        )

    def smaller(self) -> "PeakMemory":
        """A quarter: with less, what else the process does would show."""
        batch = dataclasses.replace(self.batch, lists=self.batch.lists // 4)
        return dataclasses.replace(self, rounds=1, batch=batch)

    def comparisons(self, present: Sequence[str]) -> list[Comparison]:
        """Not beside the reference, which takes next to nothing."""
        return super().comparisons([n for n in present if n != REFERENCE])

    def measure(
        self, mode: str, contenders: Sequence[str], now: Now
    ) -> list[Measurement]:
        on_device = MODES[mode](*self.batch.arrays)
        inputs = sum(array.nbytes for array in self.batch.arrays)

        def make(measurement: Measurement) -> Step | None:
            step = build(measurement, self.batch, on_device)
            if step is not None:
                step.run()
            return step

        measurements, steps = prepare(contenders, make, now)
        take_turns(
            measurements,
            lambda name: max(
                on_device.extra_memory(steps[name].run) / inputs, _LEAST
            ),
            self.rounds,
            now,
        )
        return measurements

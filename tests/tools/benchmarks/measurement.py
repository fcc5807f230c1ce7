"""What is asked of a process, and what comes back from it."""

import dataclasses
import json
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True)
class Request:
    """One scenario in one mode.

    Args:
        quick: whether at the small size.
        rounds: in place of the scenario's own number of rounds.
    """

    scenario: str
    mode: str
    contenders: tuple[str, ...]
    quick: bool = False
    rounds: int | None = None

    def without(self, contender: str) -> "Request":
        """The same for all contenders but one."""
        left = tuple(name for name in self.contenders if name != contender)
        return dataclasses.replace(self, contenders=left)


@dataclasses.dataclass
class Measurement:
    """What became of one contender.

    Attributes:
        contender: its name.
        values: one number per round, in the unit of the scenario.
        results: of the first call, by the names of the metrics.
        covers: how many of the metrics it has, where not all.
        check: what the results were compared to, in words.
        head_start: what of the work was done before it was timed, in words.
        note: what else the reader should know.
        failure: why there is nothing to report, in words.
    """

    contender: str
    values: list[float] = dataclasses.field(default_factory=list)
    results: dict[str, float] = dataclasses.field(default_factory=dict)
    covers: str = ""
    check: str = ""
    head_start: str = ""
    note: str = ""
    failure: str = ""


@dataclasses.dataclass
class Run:
    """All contenders in one mode on one scenario.

    Attributes:
        size: of the data, in words.
        load: the machine's load average as it ended, all processes.
        accelerator: the name of the GPU, where it ran on one.
        source: a fingerprint of the package as it was measured.
        failure: why there is nothing at all, in words.
    """

    scenario: str
    mode: str
    size: str
    measurements: list[Measurement] = dataclasses.field(default_factory=list)
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    load: float = 0.0
    accelerator: str = ""
    source: str = ""
    failure: str = ""

    def of(self, contender: str) -> Measurement | None:
        """What became of a contender, if it took part."""
        found = [m for m in self.measurements if m.contender == contender]
        return found[0] if found else None

    def values(self, contender: str) -> list[float]:
        """One per round; none, if anything went wrong."""
        measurement = self.of(contender)
        if self.failure or measurement is None or measurement.failure:
            return []
        return measurement.values

    def to_json(self) -> str:
        """The run as text, to go from one process to another."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Run":
        """The run that `to_json` wrote."""
        fields = json.loads(text)
        fields["measurements"] = [
            Measurement(**measurement) for measurement in fields["measurements"]
        ]
        return cls(**fields)


def merged(runs: Iterable[Run]) -> list[Run]:
    """One run for each scenario and mode, with the values of all of them."""
    together: dict[tuple[str, str], Run] = {}
    for run in runs:
        key = run.scenario, run.mode
        together[key] = _joined(together[key], run) if key in together else run
    return list(together.values())


def _joined(first: Run, second: Run) -> Run:
    measurements = {m.contender: m for m in first.measurements}
    for later in second.measurements:
        earlier = measurements.get(later.contender)
        measurements[later.contender] = (
            later
            if earlier is None
            else dataclasses.replace(
                earlier,
                values=earlier.values + later.values,
                failure=earlier.failure or later.failure,
            )
        )
    return dataclasses.replace(
        first,
        measurements=list(measurements.values()),
        versions=first.versions | second.versions,
        load=max(first.load, second.load),
        accelerator=first.accelerator or second.accelerator,
        source=first.source or second.source,
        failure=first.failure or second.failure,
    )

"""Measures one scenario in one mode, in this process.

Keras takes its backend once per process, so `__main__` starts one worker for
each mode and scenario: `python -m tests.benchmarks.worker REQUEST FILE`.
"""

import dataclasses
import gc
import hashlib
import json
import os
import pathlib
import sys
import time

import numpy as np
from numpy.typing import ArrayLike

from tests.benchmarks.contenders import CONTENDERS, OURS
from tests.benchmarks.modes import MODES, Mode, Step
from tests.benchmarks.scenarios import SCENARIOS, Scenario

# Results further apart than this, relative to their size, are not the same.
TOLERANCE = 1e-4
# A contender with a longer call than this is timed for `slow_rounds` only.
SLOW_SECONDS = 1.0


@dataclasses.dataclass
class Request:
    """What a worker is asked for."""

    mode: str
    scenario: str
    contenders: list[str]
    rounds: int
    slow_rounds: int
    smaller: bool

    def batch(self) -> Scenario:
        """The scenario at the size that is asked for."""
        scenario = SCENARIOS[self.scenario]
        return scenario.smaller() if self.smaller else scenario


@dataclasses.dataclass
class Measurement:
    """What became of one contender.

    Attributes:
        contender: its name.
        first_call: seconds of the first call, compilation included.
        seconds: one number per timed call.
        results: of the first call, empty where it measures no metric.
        check: what the results were compared to, in words.
        failure: why there is nothing to report, in words.
    """

    contender: str
    first_call: float = 0.0
    seconds: list[float] = dataclasses.field(default_factory=list)
    results: list[float] = dataclasses.field(default_factory=list)
    check: str = ""
    failure: str = ""


@dataclasses.dataclass
class Run:
    """All contenders in one mode on one scenario.

    Attributes:
        load: the machine's load average as the timing ended, all processes.
        source: a fingerprint of the package as it was measured.
    """

    mode: str
    scenario: str
    lists: int
    items: int
    load: float = 0.0
    source: str = ""
    measurements: list[Measurement] = dataclasses.field(default_factory=list)
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    failure: str = ""

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


def measure(request: Request) -> Run:
    """Warms all contenders up, compares their results, then times them."""
    scenario = request.batch()
    mode = MODES[request.mode](*scenario.data())
    run = Run(
        request.mode,
        request.scenario,
        scenario.lists,
        scenario.items,
        source=_source(),
    )

    steps: dict[str, Step] = {}
    for name in request.contenders:
        measurement = Measurement(name)
        try:
            step = _warm_up(measurement, scenario, mode)
        except Exception as error:
            measurement.failure = _in_words(error)
        else:
            if step is None:
                continue
            steps[name] = step
        run.measurements.append(measurement)

    _compare(run.measurements, scenario)
    _time(run.measurements, steps, request)
    run.load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    run.versions = _versions(mode, request.contenders)
    return run


def _warm_up(
    measurement: Measurement, scenario: Scenario, mode: Mode
) -> Step | None:
    """Two calls: the first compiles, the second must move the state on."""
    contender = CONTENDERS[measurement.contender]
    step = contender.build(scenario, mode)
    if step is None:
        return None
    start = time.perf_counter()
    first = step.run()
    measurement.first_call = time.perf_counter() - start
    if contender.measures:
        measurement.results = [float(result) for result in first]
    before = step.state() if step.state else []
    second = step.run()
    if step.state and all(map(np.array_equal, before, step.state())):
        raise RuntimeError(
            "the state did not change from one batch to the next"
        )
    # The mean over a batch seen twice is the mean over the batch.
    if contender.measures and not all(_gaps(second, first) <= TOLERANCE):
        raise RuntimeError("the same batch again gave another result")
    return step


def _compare(measurements: list[Measurement], scenario: Scenario) -> None:
    """A contender with other results than the reference's has failed."""
    compared = [m for m in measurements if m.results]
    # Ours where it is there, else whoever comes first.
    compared.sort(key=lambda m: m.contender != OURS)
    for measurement in compared[1:]:
        reference = compared[0]
        reference.check = "reference"
        if len(measurement.results) != len(reference.results):
            measurement.failure = (
                f"{len(measurement.results)} results, but "
                f"{reference.contender} has {len(reference.results)}"
            )
            continue
        gaps = _gaps(measurement.results, reference.results)
        measurement.check = f"agrees to {max(gaps):.0e}"
        # Not `gap > TOLERANCE`: NaN must not pass.
        apart = [
            f"{name} is {result:.4g}, not {expected:.4g}"
            for name, result, expected, gap in zip(
                scenario.metric_names,
                measurement.results,
                reference.results,
                gaps,
                strict=True,
            )
            if not gap <= TOLERANCE
        ]
        if apart:
            measurement.failure = (
                f"differs from {reference.contender}: {', '.join(apart)}"
            )


def _gaps(results: ArrayLike, expected: ArrayLike) -> np.ndarray:
    """How far apart the results are, relative to those expected."""
    expected = np.asarray(expected, "float64")
    gaps = np.abs(np.asarray(results, "float64") - expected)
    # A tiny number instead of 0: any other result is then far away.
    return gaps / np.maximum(np.abs(expected), 1e-12)


def _time(
    measurements: list[Measurement], steps: dict[str, Step], request: Request
) -> None:
    """Round by round, so that a busy moment of the machine hits all alike."""
    gc.collect()
    for _ in range(request.rounds):
        for measurement in measurements:
            if _is_done(measurement, request):
                continue
            start = time.perf_counter()
            try:
                steps[measurement.contender].run()
            except Exception as error:
                measurement.failure = _in_words(error)
            else:
                measurement.seconds.append(time.perf_counter() - start)


def _is_done(measurement: Measurement, request: Request) -> bool:
    if measurement.failure:
        return True
    slow = any(second > SLOW_SECONDS for second in measurement.seconds)
    return slow and len(measurement.seconds) >= request.slow_rounds


def _in_words(error: Exception) -> str:
    lines = str(error).strip().splitlines() or ["no message"]
    return f"{type(error).__name__}: {lines[0][:200]}"


def _source() -> str:
    """Two runs of the same source can be compared, others cannot."""
    package = pathlib.Path(__file__).parents[2] / OURS
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _versions(mode: Mode, contenders: list[str]) -> dict[str, str]:
    packages = ["keras", mode.backend, "numpy"]
    packages += [CONTENDERS[name].package for name in contenders]
    return {
        package: getattr(sys.modules[package], "__version__", "unknown")
        for package in packages
        if package in sys.modules
    }


def main() -> None:
    """Reads the request from the arguments, writes the run to the file."""
    request = Request(**json.loads(sys.argv[1]))
    run = measure(request)
    pathlib.Path(sys.argv[2]).write_text(run.to_json())


if __name__ == "__main__":
    main()

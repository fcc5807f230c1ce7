"""Measures one scenario in one mode, in this process.

Keras takes its backend once per process, so each has its own:
`python -m tests.tools.benchmarks.worker REQUEST FOLDER`. It leaves the run in
the folder, and while it is at work, whose turn it is.
"""

import contextlib
import hashlib
import importlib.metadata
import json
import os
import pathlib
import sys

from tests.tools.benchmarks.contenders import CONTENDERS, OURS
from tests.tools.benchmarks.measurement import Request, Run
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.scenarios import asked_for

RUN, TURN = "run.json", "turn"


def main() -> None:
    """Reads the request from the arguments, writes the run to the folder."""
    request = Request(**json.loads(sys.argv[1]))
    folder = pathlib.Path(sys.argv[2])
    run = measure(request, folder / TURN)
    (folder / RUN).write_text(run.to_json())


def measure(request: Request, turn: pathlib.Path) -> Run:
    """What the scenario measures, and where and of what it was measured."""
    scenario = asked_for(request)
    source = _source()
    measurements = scenario.measure(
        request.mode, request.contenders, now=turn.write_text
    )
    mode = MODES[request.mode]
    return Run(
        request.scenario,
        request.mode,
        scenario.size,
        measurements,
        versions=_versions(mode.backend),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
        accelerator=mode.accelerator(),
        source=source,
    )


def _source() -> str:
    """Two runs of the same source can be compared, others cannot."""
    package = pathlib.Path(__file__).parents[3] / OURS
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _versions(backend: str) -> dict[str, str]:
    """Of the packages that were imported."""
    packages = {"keras", "numpy", backend}
    packages |= {contender.package for contender in CONTENDERS.values()}
    return {
        package: _version(package) for package in packages & sys.modules.keys()
    }


def _version(package: str) -> str:
    """What it says, or else what was installed under its name."""
    with contextlib.suppress(AttributeError):
        return sys.modules[package].__version__
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return "unknown"


if __name__ == "__main__":
    main()

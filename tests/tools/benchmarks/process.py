"""Starts a worker; what goes wrong there is a failure in the report."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from tests.tools.benchmarks.measurement import Measurement, Request, Run
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.scenarios import asked_for
from tests.tools.benchmarks.worker import RUN, TURN

# One worker that takes longer hangs.
TIMEOUT_SECONDS = 1200


def run(request: Request) -> Run:
    """Runs one worker.

    If it ends without a result or hangs, the contender whose turn it was has
    failed, and the others are measured again without it.
    """
    lost: list[Measurement] = []
    while True:
        found, culprit = _attempt(request)
        if culprit is None:
            return dataclasses.replace(
                found, measurements=found.measurements + lost
            )
        lost.append(Measurement(culprit, failure=found.failure))
        request = request.without(culprit)


def _attempt(request: Request) -> tuple[Run, str | None]:
    """A run, and who was at fault if it failed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failure = _failure_of_worker(request, folder)
        if not failure:
            return Run.from_json((folder / RUN).read_text()), None
        turn = folder / TURN
        culprit = turn.read_text() if turn.exists() else None
    failed = Run(
        request.scenario,
        request.mode,
        asked_for(request).size,
        failure=failure,
    )
    return failed, culprit


def _failure_of_worker(request: Request, folder: pathlib.Path) -> str:
    command = [sys.executable, "-m", "tests.tools.benchmarks.worker"]
    command += [json.dumps(dataclasses.asdict(request)), str(folder)]
    environment = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **os.environ,
        "KERAS_BACKEND": MODES[request.mode].backend,
    }
    # An installed package has its bytecode. So should a clone, from the second
    # process on.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"no result within {TIMEOUT_SECONDS} seconds"
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines() or ["no message"]
    return f"exit status {done.returncode}: {lines[-1]}"

"""The command line: one process for each mode and scenario, one report."""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Collection

from tests.benchmarks.contenders import CONTENDERS
from tests.benchmarks.modes import MODES
from tests.benchmarks.report import report
from tests.benchmarks.scenarios import SCENARIOS
from tests.benchmarks.worker import Request, Run

# One worker that takes longer hangs.
TIMEOUT_SECONDS = 1800


def main(arguments: list[str]) -> None:
    """Measures what the arguments ask for, and prints the report."""
    options = _parser().parse_args(arguments)
    rounds, slow_rounds = (5, 1) if options.quick else (15, 3)
    command = " ".join(["python -m tests.benchmarks", *arguments])
    runs = []
    for scenario in options.scenarios:
        for mode in options.modes:
            print(f"{scenario}, {mode} ...", file=sys.stderr, flush=True)
            request = Request(
                mode=mode,
                scenario=scenario,
                contenders=options.contenders,
                rounds=options.rounds or rounds,
                slow_rounds=options.slow_rounds or slow_rounds,
                smaller=options.quick,
            )
            runs.append(_start(request))
            # Each time: who stops it half-way keeps the first half.
            if options.output:
                options.output.write_text(report(runs, command))
    print(report(runs, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Times ranking metrics on one batch, on every backend.",
    )
    _choice(parser, "--modes", MODES)
    _choice(parser, "--scenarios", SCENARIOS)
    _choice(parser, "--contenders", CONTENDERS)
    parser.add_argument(
        "--rounds", type=int, help="timed calls of each contender (15)"
    )
    parser.add_argument(
        "--slow-rounds",
        type=int,
        help="the same for calls that take longer than a second (3)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="an eighth of the lists and fewer rounds: a look, not a number",
    )
    parser.add_argument(
        "--output", type=pathlib.Path, help="also write the report here"
    )
    return parser


def _choice(
    parser: argparse.ArgumentParser, flag: str, names: Collection[str]
) -> None:
    parser.add_argument(
        flag,
        nargs="+",
        choices=list(names),
        default=list(names),
        metavar="NAME",
        help=f"any of {', '.join(names)} (all of them)",
    )


def _start(request: Request) -> Run:
    """Runs one worker; what goes wrong there is a failed run."""
    environment = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **os.environ,
        "KERAS_BACKEND": MODES[request.mode].backend,
    }
    asked = dataclasses.asdict(request)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "run.json")
        command = [sys.executable, "-m", "tests.benchmarks.worker"]
        command += [json.dumps(asked), str(file)]
        try:
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            failure = f"no result within {TIMEOUT_SECONDS} seconds"
        else:
            if done.returncode == 0:
                return Run.from_json(file.read_text())
            lines = done.stderr.strip().splitlines() or ["no message"]
            failure = f"exit status {done.returncode}: {lines[-1]}"
    batch = request.batch()
    return Run(
        request.mode,
        request.scenario,
        batch.lists,
        batch.items,
        failure=failure,
    )


if __name__ == "__main__":
    main(sys.argv[1:])

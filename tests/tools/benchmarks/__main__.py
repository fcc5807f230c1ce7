"""The command line: a process for each mode and scenario, one report."""

import argparse
import pathlib
import shlex
import sys
import time
from collections.abc import Collection, Iterator

from tests.tools.benchmarks import pages, process
from tests.tools.benchmarks.circumstances import Circumstances
from tests.tools.benchmarks.measurement import Request, Run, merged
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.scenarios import SCENARIOS, asked_for
from tests.tools.benchmarks.tables import tables


def main(arguments: list[str]) -> None:
    """Measures what the arguments ask for, and prints the full tables."""
    options = _parser().parse_args(arguments)
    command = shlex.join(["python", "-m", "tests.tools.benchmarks", *arguments])
    circumstances = Circumstances.here(command)
    _log(circumstances.where)
    runs: list[Run] = []
    for request in _requests(options):
        start = time.monotonic()
        run = process.run(request)
        runs = merged([*runs, run])
        _log(_done(run, time.monotonic() - start))
        # Each time: who stops it half-way keeps the first half.
        if options.output:
            pages.write(runs, circumstances, options.output)
    print(tables(runs, circumstances))


def _done(run: Run, seconds: float) -> str:
    on = f" on {run.accelerator}" if run.accelerator else ""
    return f"{run.scenario}, {run.mode}: {seconds:.0f} s{on}"


def _log(line: str) -> None:
    print(line, file=sys.stderr)


def _requests(options: argparse.Namespace) -> Iterator[Request]:
    """One for each process."""
    for name in options.scenarios:
        scenario = SCENARIOS[name]
        hurried = scenario.quick_modes if options.quick else scenario.modes
        chosen = options.contenders or scenario.contenders
        names = tuple(c for c in scenario.contenders if c in chosen)
        for mode in options.modes or hurried:
            if mode in scenario.modes:
                request = Request(
                    name, mode, names, options.quick, options.rounds
                )
                yield from _processes(request)


def _processes(request: Request) -> Iterator[Request]:
    """The request, or where contenders are kept apart, one for each round."""
    scenario = asked_for(request)
    if not scenario.apart:
        yield request
        return
    for _ in range(scenario.rounds):
        for contender in request.contenders:
            yield Request(
                request.scenario,
                request.mode,
                (contender,),
                request.quick,
                request.rounds,
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.benchmarks",
        description="Times ranking metrics, on every backend.",
    )
    _choice(parser, "--scenarios", SCENARIOS, default=list(SCENARIOS))
    _choice(parser, "--modes", MODES)
    contenders = dict.fromkeys(
        name for s in SCENARIOS.values() for name in s.contenders
    )
    _choice(parser, "--contenders", contenders)
    parser.add_argument(
        "--rounds",
        type=int,
        help="how often each contender is measured; those who take longer than "
        "a second, a fifth of it",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a sixteenth of the data, few rounds, and most scenarios in one "
        "mode only: a look, not a number",
    )
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        metavar="FILE.md",
        help="write the page here, and beside it its picture, the full tables "
        "and a file of every measurement",
    )
    return parser


def _choice(
    parser: argparse.ArgumentParser,
    flag: str,
    names: Collection[str],
    default: Collection[str] | None = None,
) -> None:
    parser.add_argument(
        flag,
        nargs="+",
        choices=list(names),
        default=default,
        metavar="NAME",
        help=f"any of {', '.join(names)} (all of them)",
    )


if __name__ == "__main__":
    main(sys.argv[1:])

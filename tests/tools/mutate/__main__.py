"""Mutation testing: `python -m tests.tools.mutate --count 40 --seed 1`."""

import os

# Before the imports: forks need a process with one thread.
os.environ.update(
    OMP_NUM_THREADS="1",
    PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
)

import argparse
import collections
import contextlib
import gc
import io
import json
import math
import pathlib
import signal
import sys
import time
from typing import Any, NamedTuple

from tests.tools.mutate import covering, mutants
from tests.tools.mutate.covering import ROOT, layer_of
from tests.tools.mutate.forks import ChangedModule, forked
from tests.tools.mutate.mutants import Mutant
from tests.tools.support import steps

# A file may take this much time: some seconds, and a multiple of the usual.
PAUSE, SLOWER = 20.0, 5.0
AT_IMPORT = "(import)"


class Result(NamedTuple):
    """The outcome of a mutant.

    Attributes:
        mutant: the mutant.
        caught_by: the file of each layer whose tests fail.
        how: "" for a failure, "time" or "crash".
        seconds: the time that the runs took.
        run: the number of files that were run, of `of`.
        of: the number of files that execute the line.
        reason: why a survivor was accepted.
    """

    mutant: Mutant
    caught_by: dict[str, str]
    how: str
    seconds: float
    run: int
    of: int
    reason: str = ""

    @property
    def survived(self) -> bool:
        """True if no test fails, and the mutant was not accepted."""
        return not self.caught_by and not self.reason

    def __str__(self) -> str:
        """Return the line of the output."""
        by = ", ".join(self.caught_by.values())
        text = "SURVIVED" if self.survived else "equivalent"
        text += f"  {self.run} of {self.of} files"
        if self.survived and not self.of:
            text = "NOTHING RAN, since no test executes the line"
        text = f"caught  by {by}" if by else text
        how = f" ({self.how})" * bool(self.how)
        return f"{text}{how}  {self.seconds:.1f}s  {self.mutant}"


def main() -> int:
    options = parsed()
    entries = mutants.equivalents()
    found = mutants.all_mutants(ROOT, options.path)
    if options.again:
        records = json.loads(options.again.read_text())
        again = [_key(x) for x in records if x["survived"]]
        found = [m for m in found if _key(m._asdict()) in again]
    elif options.only:
        found = [m for m in found if f"{m.path}:{m.line}" in options.only]
    elif options.count is not None:
        found = mutants.sample(found, options.count, options.seed)
    if options.list:
        print(*found, sep="\n")
        return 0
    os.environ.update(KERAS_BACKEND=options.backend, **dict(steps.COMPILED))
    import_packages()
    # A run that is ended ends its forks, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.chdir(ROOT)
    files = covering.test_files(options.tests)
    begun = time.monotonic()
    known = covering.measured(files)
    if options.map:
        print(f"{len(files)} files, {time.monotonic() - begun:.0f} s")
        return 0
    results: list[Result] = []
    with contextlib.suppress(KeyboardInterrupt):  # reports what it has
        for mutant in found:
            chosen = covering.chosen(mutant, files, known)
            result = judge(mutant, chosen, options.limit, options.layers)
            for entry in entries:
                if mutants.accepts(entry, mutant) and not result.caught_by:
                    result = result._replace(reason=entry["reason"])
            print(result, flush=True)
            results.append(result)
    report(results, options.layers)
    if options.json:
        options.json.write_text(json.dumps([*map(record, results)], indent=1))
    return int(any(result.survived for result in results))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.mutate",
        description="Changes the package in one place at a time, and runs the "
        "quick tests that execute it. Exits with 1 if a change survives.",
    )
    add = parser.add_argument
    add(
        "--backend",
        choices=("torch", "numpy", "tensorflow", "jax"),
        default="torch",
        help="of Keras; torch, the default, runs all tests",
    )
    add("--count", type=int, help="mutants to draw, by default all")
    add("--seed", type=int, default=0, help="of the draw")
    add("--path", nargs="+", default=(), help="files or folders to change")
    add("--only", nargs="+", metavar="PATH:LINE", help="lines to change")
    add(
        "--again",
        type=pathlib.Path,
        metavar="FILE",
        help="repeat the survivors that --json wrote, on another backend",
    )
    add("--tests", nargs="+", default=(), help="files or folders of tests")
    add(
        "--limit",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="for each mutant, or each of its layers: start no file after "
        "them; by default all are run",
    )
    add(
        "--layers",
        type=int,
        default=1,
        metavar="N",
        help="run the tests of one folder after the other, until those of N "
        "have caught the mutant: 2 show which catch it alone",
    )
    add("--list", action="store_true", help="print the mutants; run nothing")
    add(
        "--map",
        action="store_true",
        help="only measure which lines each file of tests executes",
    )
    add("--json", type=pathlib.Path, metavar="FILE", help="write the results")
    return parser.parse_args()


def _key(record: dict[str, Any]) -> tuple[Any, ...]:
    return record["path"], record["line"], record["change"]


def import_packages() -> None:
    """Import what tests need, but not the package, before processes fork."""
    import keras  # noqa: F401
    import torch

    torch.set_num_threads(1)
    with contextlib.suppress(ImportError):
        import pandas  # noqa: F401
    with contextlib.redirect_stdout(io.StringIO()):
        covering.run_tests("--version")
    gc.freeze()  # collections in forks need not look at all this


def judge(
    mutant: Mutant,
    files: list[tuple[str, float]],
    limit: float,
    layers: int = 1,
) -> Result:
    """Run files of tests on a mutant until some of so many layers fail."""
    groups = [files]
    if layers > 1:
        by_layer = collections.defaultdict(list)
        for file, usual in files:
            by_layer[layer_of(file)].append((file, usual))
        groups = list(by_layer.values())
    begun, caught_by, hows, number = time.monotonic(), {}, set(), 0
    for group in groups:
        result = forked(
            lambda group: first_failure(mutant, group, limit), group, group=True
        )
        # The package itself did not load, or ended Python.
        file, how, run = (
            (AT_IMPORT, result, 0) if isinstance(result, str) else result
        )
        number += run
        if file:
            caught_by[layer_of(file) if file != AT_IMPORT else file] = file
            hows.add(how)
        if file == AT_IMPORT or len(caught_by) == layers:
            break
    seconds = round(time.monotonic() - begun, 2)
    how = ", ".join(sorted(hows - {""}))
    return Result(mutant, caught_by, how, seconds, number, len(files))


def first_failure(
    mutant: Mutant, files: list[tuple[str, float]], limit: float
) -> tuple[str, str, int]:
    """Return the first file that fails, how, and the number of files run.

    Each file runs in a fork of its own, as when it was measured.
    """
    source = mutant.apply((ROOT / mutant.path).read_text())
    ChangedModule(ROOT, mutant.path, source).install()
    begun, number = time.monotonic(), 0
    signal.alarm(int(2 * PAUSE))  # ends a loop at import, as a crash
    try:
        if files:
            import keras_rankmetrics  # noqa: F401
    except BaseException as error:
        return AT_IMPORT, type(error).__name__, 0
    signal.alarm(0)
    for file, usual in files:
        if number and time.monotonic() - begun > limit:
            break
        number += 1
        code = forked(covering.run_tests, file, PAUSE + SLOWER * usual)
        if code not in covering.PASSED:
            return file, code if isinstance(code, str) else "", number
    return "", "", number


def report(results: list[Result], layers: int) -> None:
    """Print the counts, the survivors and what each layer has caught."""
    caught = [result for result in results if result.caught_by]
    survivors = [result for result in results if result.survived]
    accepted = len(results) - len(caught) - len(survivors)
    seconds = sum(result.seconds for result in results)
    print(
        f"\n{len(results)} mutants in {seconds:.0f} s: {len(caught)} caught, "
        f"{len(survivors)} survived, {accepted} equivalent"
    )
    for result in survivors:
        print(f"\n{result}\n{context(result.mutant)}")
    by_layer = collections.Counter(
        layer for result in caught for layer in result.caught_by
    )
    alone = collections.Counter(
        layer
        for result in caught
        for layer in result.caught_by
        if len(result.caught_by) == 1
    )
    title = f"{'caught':>8}{'alone':>8}" if layers > 1 else f"{'first':>8}"
    print(f"\n{'layer':<16}{title}")
    for layer, number in by_layer.most_common():
        last = f"{alone[layer]:>8}" if layers > 1 else ""
        print(f"{layer:<16}{number:>8}{last}")


def context(mutant: Mutant) -> str:
    """Return the line of a mutant, and those before and after it."""
    lines = (ROOT / mutant.path).read_text().split("\n")
    first = max(mutant.line - 1, 1)
    shown = enumerate(lines[first - 1 : mutant.line + 1], first)
    return "\n".join(f"{number:>6}  {line}" for number, line in shown)


def record(result: Result) -> dict[str, object]:
    """Return a result as JSON contains it."""
    mutant = result.mutant
    return {
        "path": mutant.path,
        "line": mutant.line,
        "text": mutant.text,
        "change": mutant.change,
        **{
            name: value
            for name, value in result._asdict().items()
            if name != "mutant"
        },
        "survived": result.survived,
    }


if __name__ == "__main__":
    sys.exit(main())

"""The lines of the package that each file of tests executes, and its time.

They are kept in `build`, one file for each backend, and measured again for the
tests that have changed, or for all of them if the package has.
"""

import hashlib
import importlib.util
import json
import os
import pathlib
import time
from collections.abc import Iterable
from typing import NamedTuple

import pytest

from tests.tools.mutate.forks import forked
from tests.tools.mutate.mutants import PACKAGE, Mutant, is_under
from tests.tools.support import selection, steps

ROOT = pathlib.Path(__file__).parents[3]
PASSED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
# Other installed plugins are not loaded, which takes seconds for some.
PLUGINS = ("xdist.plugin", "_hypothesis_pytestplugin")
LONGEST = 600.0  # seconds for one file, when it is measured


class Measured(NamedTuple):
    """A run of a file of tests on the unchanged package.

    Attributes:
        key: a hash of the sources that it may depend on.
        seconds: its time, with the imports and the measuring.
        code: the exit code of pytest.
        lines: a number for each module, whose bits are the executed lines.
    """

    key: str
    seconds: float
    code: int
    lines: dict[str, str]

    @property
    def passes(self) -> bool:
        """True if no test fails."""
        return self.code in PASSED

    def executes(self, mutant: Mutant) -> bool:
        """Return True if a line of the changed statement is executed."""
        first, last = mutant.statement
        bits = int(self.lines.get(mutant.path, "0"), 16)
        return bool(bits >> first & ((1 << last - first + 1) - 1))


def test_files(under: Iterable[str] = ()) -> list[str]:
    """Return the files with quick tests that a change must pass here."""
    tests = (ROOT / "tests").rglob("test_*.py")
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    modules = (ROOT / PACKAGE).rglob("*.py")
    doctests = (x for x in (*pages, *modules) if ">>> " in x.read_text())
    names = [x.relative_to(ROOT).as_posix() for x in (*tests, *doctests)]
    return sorted(x for x in names if is_under(x, under) and _is_run(x))


def _is_run(file: str) -> bool:
    """Return True for all files on torch, and those of steps on others."""
    backend = os.environ["KERAS_BACKEND"]
    by_steps = any(
        step.backend == backend and step.runs(file, "", set())
        for name, stage in steps.STAGES.items()
        for step in stage * (name != "week")
    )
    is_fit = selection.may_run_on(backend, pathlib.PurePosixPath(file))
    return backend == "torch" or (by_steps and is_fit)


def layer_of(file: str) -> str:
    """Return the folder of the tests, or "doctests"."""
    first, *rest = pathlib.PurePosixPath(file).parts
    return rest[0] if first == "tests" else "doctests"


def run_tests(file: str) -> int:
    """Run the quick tests of a file in this process; return the exit code."""
    of_all = os.environ["KERAS_BACKEND"] in ("torch", "numpy")
    is_whole = of_all or selection.is_of_each(pathlib.PurePosixPath(file))
    # A backend would run all tests of a file that is named.
    marks = "not long" + " and (each_backend or only_on)" * (not is_whole)
    options = [
        *("-n", "0", "-m", marks, "-x", "-q", "--no-header"),
        *("-p", "no:cacheprovider", *(f"-p{plugin}" for plugin in PLUGINS)),
    ]
    return int(pytest.main([*options, file]))


def measure(file: str, key: str) -> Measured:
    """Run the tests of a file, and note the lines that they execute."""
    import coverage

    lines = coverage.Coverage(
        data_file=None, config_file=False, source=[str(ROOT / PACKAGE)]
    )
    begun = time.monotonic()
    lines.start()
    code = run_tests(file)
    lines.stop()
    data = lines.get_data()
    return Measured(
        key,
        round(time.monotonic() - begun, 2),
        code,
        {
            pathlib.Path(path).relative_to(ROOT).as_posix(): hex(
                sum(1 << line for line in data.lines(path) or ())
            )
            for path in data.measured_files()
        },
    )


def measured(files: list[str]) -> dict[str, Measured]:
    """Return the measurements of files of tests; measure what has changed.

    Files that take too long, or crash Python, are left out.
    """
    path = ROOT / "build" / f"mutation_{os.environ['KERAS_BACKEND']}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    known = {file: Measured(*fields) for file, fields in kept.items()}
    shared = _hash_of_shared()
    keys = {file: _hash(shared, ROOT / file) for file in files}
    missing = [
        file
        for file in files
        if file not in known or known[file].key != keys[file]
    ]
    if missing and importlib.util.find_spec("coverage") is None:
        raise SystemExit('Install coverage: pip install -e ".[mutation]".')
    for i, file in enumerate(missing, 1):
        result = forked(
            lambda name: measure(name, keys[name]), file, LONGEST, group=True
        )
        if not isinstance(result, Measured):
            known.pop(file, None)
            print(f"{i}/{len(missing)} {file}: {result}", flush=True)
            continue
        known[file] = result
        failed = "" if result.passes else "  FAILS without a mutation"
        text = f"{i}/{len(missing)} {file}: {result.seconds:.1f} s{failed}"
        print(text, flush=True)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(known))
    return {
        file: known[file]
        for file in files
        if file in known and known[file].key == keys[file]
    }


def chosen(
    mutant: Mutant, files: list[str], known: dict[str, Measured]
) -> list[tuple[str, float]]:
    """Return the files to run for a mutant, in order, and their usual times.

    These are the files that execute its line: first those named like its module
    or folder, the fastest first. Files that were not measured may execute any
    line, and come last. Files that fail on the unchanged package prove nothing,
    and are left out.
    """

    def order(file: str) -> tuple[bool, bool, float]:
        is_other = not _is_named_like(file, mutant.path)
        return file not in known, is_other, usual(file)

    def usual(file: str) -> float:
        return known[file].seconds if file in known else LONGEST / 10

    executing = [
        file
        for file in files
        if file not in known
        or (known[file].passes and known[file].executes(mutant))
    ]
    return [(file, usual(file)) for file in sorted(executing, key=order)]


def _is_named_like(file: str, module: str) -> bool:
    path = pathlib.PurePosixPath(module)
    return path.stem in file or path.parent.name in file


def _hash(start: str, *paths: pathlib.Path) -> str:
    digest = hashlib.sha256(start.encode())
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _hash_of_shared() -> str:
    """Return a hash of the package and of what several tests import."""
    modules = (ROOT / PACKAGE).rglob("*.py")
    tests = (ROOT / "tests").rglob("*.py")
    helpers = (
        path
        for path in tests
        if not path.name.startswith("test_")
        and not path.is_relative_to(pathlib.Path(__file__).parent)
    )
    return _hash("", *sorted(modules), *sorted(helpers))

"""The steps of `.ci/run`: which tests run where, and what they need.

    python tests/tools/support/steps.py         # prints the table
    python tests/tools/support/steps.py jax     # runs the steps of a stage

A test of a backend says so by its file or a marker: see `selection`.
`tests/package/test_steps.py` looks for tests that no step runs. Steps that are
quick run with each change, by `.ci/run`, and all tests every week.
"""

import dataclasses
import fnmatch
import functools
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[3]
QUICK = "not long"  # as by `addopts` of pytest


@dataclasses.dataclass(frozen=True)
class Step:
    """A run of pytest.

    Attributes:
        backend: the backend of Keras.
        paths: what it collects; by default all tests, and those of the docs.
        marks: the expression for `-m`.
        without: patterns of paths that it leaves out.
        without_name: a part of the names of tests that it leaves out.
        options: further options of pytest.
        variables: further environment variables.
        has_others: True if the packages beside those of [test] are there.
    """

    backend: str
    paths: tuple[str, ...] = ()
    marks: str = QUICK
    without: tuple[str, ...] = ()
    without_name: str = ""
    options: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    has_others: bool = False

    @property
    def arguments(self) -> list[str]:
        """The arguments of pytest."""
        marks = [] if self.marks == QUICK else ["-m", self.marks]
        named = self.without_name and ["-k", f"not {self.without_name}"]
        ignored = (
            f"--ignore{'-glob' * ('*' in path)}={path}" for path in self.without
        )
        return [*self.paths, *marks, *(named or ()), *ignored, *self.options]

    def run(self) -> int:
        """Run the step, and return its exit code."""
        variables = {"KERAS_BACKEND": self.backend, **dict(self.variables)}
        command = [sys.executable, "-m", "pytest", *self.arguments]
        print("\n$", self.backend, *command[2:], flush=True)
        return subprocess.call(
            command, cwd=ROOT, env={**os.environ, **variables}
        )

    def runs(self, path: str, name: str, marks: set[str]) -> bool:
        """Return True for the path, name and markers of a test, if it may run.

        Args:
            path: its file, from the root on.
            name: its name, with parameters.
            marks: the names of its markers.
        """
        of_paths = not self.paths or any(
            path == one or path.startswith(f"{one}/") for one in self.paths
        )
        left_out = any(
            path.startswith(f"{one}/") or fnmatch.fnmatch(path, one)
            for one in self.without
        )
        if self.without_name and self.without_name in name:
            return False
        if not of_paths or left_out:
            return False
        if "beside" in marks and not self.has_others:
            return False
        expression = compile(self.marks or "True", "marks", "eval")
        values = {x: x in marks for x in expression.co_names}
        return bool(eval(expression, values))


def _in(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names)


# jax keeps what it compiles for its two workers, and for the steps after it.
COMPILED = (
    ("JAX_COMPILATION_CACHE_DIR", str(ROOT / "build" / "jax")),
    ("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0"),
    ("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1"),
)
# Elsewhere a warning is an error. Long tests rank labels of which the package
# warns, and other packages and versions have warnings of their own.
_MAY_WARN = ("-W", "default")
_jax = functools.partial(Step, "jax", variables=COMPILED)
_may_warn = functools.partial(Step, options=_MAY_WARN)
_beside_others = functools.partial(_may_warn, has_others=True)

STAGES: dict[str, tuple[Step, ...]] = {
    # The command of the README runs these.
    "readme": (Step("tensorflow"), Step("numpy")),
    "tensorflow": (
        Step(
            "tensorflow",
            (
                *_in("tests", "in_keras", "distributed", "examples"),
                "tests/laws/test_contract_of_a_state.py",
                "tests/package/test_costs.py",
            ),
            marks="long",
            without=("tests/examples/test_examples_distributed.py",),
        ),
        Step(
            "tensorflow",
            ("tests/catalogues/test_count_ranks.py", "docs/own_metrics.md"),
            marks="",
        ),
    ),
    "site": (
        Step(
            "numpy",
            ("tests/site",),
            marks="",
            without=("tests/site/test_tables_and_signatures.py",),
            options=("--dist=loadfile", "-rs"),
        ),
    ),
    "jax": (
        _jax(
            ("tests",),
            without=_in(
                "tests",
                *("adapters", "distributed", "examples", "laws", "ranking"),
                "rows",
            ),
        ),
        _jax(
            ("tests/package/test_costs.py", "tests/in_keras/test_fit.py"),
            marks="long",
        ),
        _jax(
            ("tests/distributed/test_mapped.py",),
            marks="",
        ),
        _jax(
            ("tests/catalogues/test_count_ranks.py",),
        ),
        # What torch cannot run, and the steps above leave out.
        _jax(
            _in("tests", "laws", "ranking", "examples/test_guide.py"),
            marks="not_torch",
        ),
        Step(
            "jax",
            ("tests/distributed",),
            marks="",
            without=("tests/distributed/test_mapped.py",),
            options=("-n", "0"),
        ),
    ),
    "numpy": (
        _may_warn(
            "numpy",
            ("tests/laws/test_against_oracle.py",),
            marks="",
        ),
        _may_warn(
            "numpy",
            _in(
                "tests",
                *("command", "files", "package"),
                *("comparing/test_in_pytest.py", "comparing/test_one_table.py"),
            ),
            marks="long",
            without=("tests/package/test_missing_backend.py",),
        ),
        Step(
            "tensorflow",
            ("tests/package/test_missing_backend.py",),
            marks="",
            options=("-n", "0", *_MAY_WARN),
        ),
    ),
    "others": (
        # TensorFlow has run the examples, and numpy the longest lists of the
        # oracle, which take most of their time.
        _beside_others(
            "torch",
            marks="not_numpy",
            without=(
                *_in("tests", "package", "files", "command", "site"),
                "tests/tools/simulations",
                "tests/examples/test_example_*",
            ),
            without_name="2000-ks",
        ),
        # Of the folders that are left out, only these depend on torch.
        _beside_others(
            "torch",
            (
                "tests/site/test_gallery.py",
                *_in(
                    "tests/package",
                    *("test_costs.py", "test_steps.py", "test_torch_ops.py"),
                    "test_walk.py",
                ),
            ),
            marks="",
        ),
        # To compile ranx would take minutes, and changes no number.
        _beside_others(
            "numpy",
            marks="beside and not long",
            without=_in("tests", "package", "files", "command", "site"),
            variables=(("NUMBA_DISABLE_JIT", "1"),),
        ),
        _beside_others(
            "numpy",
            _in(
                "tests",
                *("laws", "explaining", "doors"),
                "catalogues/test_count_ranks.py",
            ),
            marks="long",
        ),
        _beside_others(
            "numpy",
            _in(
                "tests",
                "files/test_nested_json.py",
                "package/test_docstrings.py",
            ),
            marks="",
        ),
        _beside_others(
            "jax",
            ("tests/inputs/test_foreign.py",),
        ),
    ),
    # Ray and Spark wait for their own workers most of the time, so that both
    # run at once. Without java, those of Spark are skipped.
    "logs": (
        Step(
            "torch",
            ("tests/adapters",),
            options=("-n", "2", "--dist=loadfile", *_MAY_WARN),
            has_others=True,
        ),
    ),
    "lowest": (_may_warn("torch", ("tests/in_keras",)),),
    # All tests of each backend: `.ci/weekly`, which goes on after a failure.
    "week": (
        *(
            _beside_others(
                backend,
                marks="",
                variables=(("NUMBA_DISABLE_JIT", "1"),),
            )
            for backend in ("tensorflow", "jax", "torch", "numpy")
        ),
        # jax compiles each list that `check_metric` draws.
        _jax(("docs/own_metrics.md",)),
    ),
}


def table() -> str:
    """Return the stages and their steps, for the guide."""
    rows = [
        f"| {name if not place else ''} | {step.backend} | "
        f"`{shlex.join(['pytest', *step.arguments])}` |"
        for name, steps in STAGES.items()
        for place, step in enumerate(steps)
    ]
    return "\n".join(["| stage | backend | command |", "|---|---|---|", *rows])


def main(names: list[str]) -> int:
    """Run the steps of stages until one fails; without names, print all."""
    if not names:
        print(table())
        return 0
    failed, seconds = 0, []
    for name, step in ((x, step) for x in names for step in STAGES[x]):
        begun = time.monotonic()
        failed = step.run() or failed
        seconds.append(f"{time.monotonic() - begun:5.0f}s  {step.backend}")
        if failed and name != "week":
            break
    print(*seconds, sep="\n")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

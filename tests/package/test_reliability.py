"""The table of promises: the tests that it names exist."""

import ast
import functools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]
PROMISES = [row for row in ROWS if len(row) == 3]  # others are figures


@functools.cache
def functions_of(path):
    nodes = ast.walk(ast.parse((ROOT / path).read_text()))
    return [x.name for x in nodes if isinstance(x, ast.FunctionDef)]


def test_the_tests_exist():
    for path, name in NAMED:
        assert name in functions_of(path)


def test_each_promise_has_what_holds_it():
    for promise, held_by, _ in PROMISES:
        assert promise.endswith(".")
        assert re.search(
            r"`tests/[\w/]+\.py::test_\w+`|`\.ci/run`|`pip-audit`", held_by
        ), promise


def test_there_are_promises():
    assert len(PROMISES) > 15
    assert len(NAMED) > 20


def test_each_command_names_files_that_exist():
    for command in re.findall(r"```bash\n(.*?)```", PAGE, re.S):
        for path in re.findall(r"tests/[\w/.]+", command):
            assert (ROOT / path).exists()


@pytest.mark.skipif(
    not (ROOT / ".ci").exists(), reason="the distribution has no .ci"
)
def test_the_step_of_ci_exists():
    [step] = re.findall(r'the step "([^"]+)"', PAGE)
    assert step in (ROOT / ".ci" / "run").read_text()

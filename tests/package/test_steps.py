"""The table of steps: it is that of `.ci/run`, and no test is forgotten."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from steps import STAGES, table

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CI = ROOT / ".ci"


@pytest.mark.skipif(not CI.exists(), reason="the distribution has no .ci")
def test_ci_runs_each_stage_once():
    text = (CI / "run").read_text()
    stages = re.findall(r"^(?:python=.* )?tests (\w+)$", text, re.M)
    assert sorted([*stages, "readme", "week"]) == sorted(STAGES)
    assert "steps.py week" in (CI / "weekly").read_text()
    assert "pytest" not in text.replace("pytest$", "").replace(
        "-m pytest --co", ""
    )


def test_the_readme_runs_its_stage():
    [command] = re.findall(r"^python3 -m venv .*pytest$", README, re.M)
    runs = [x.strip() for x in command.split("&&") if "pytest" in x]
    assert runs == [
        " ".join(
            [
                *[f"KERAS_BACKEND={x.backend}"] * (x.backend != "tensorflow"),
                ".venv/bin/python -m pytest",
                *x.arguments,
            ]
        )
        for x in STAGES["readme"]
    ]


def test_the_guide_has_the_table():
    guide = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    begin, end = "<!-- steps -->\n", "\n<!-- end of the steps -->"
    assert guide.partition(begin)[2].partition(end)[0] == table()


def test_each_path_exists():
    for step in (step for steps in STAGES.values() for step in steps):
        for path in (*step.paths, *step.without):
            assert [*ROOT.glob(path)], path


@pytest.mark.long
@pytest.mark.only_on("torch", reason="torch collects the most tests")
def test_each_test_runs_in_some_step(tmp_path):
    """On each backend that has a say in it."""
    every = tmp_path / "every.json"
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--collect-only", "-qq"),
            *("-m", "", "-n", "0", "-p", "every_test"),
        ],
        env={
            **os.environ,
            "EVERY_TEST": str(every),
            "KERAS_BACKEND": "torch",
            "PYTHONPATH": str(ROOT / "tests" / "tools" / "support"),
        },
        cwd=ROOT,
        check=False,
        stdout=subprocess.DEVNULL,
    )
    tests = json.loads(every.read_text())
    assert len(tests) > 5000
    forgotten = []
    for test in tests:
        marks, path = {*test["marks"]}, test["path"]
        ran = {
            step.backend
            for steps in STAGES.values()
            for step in steps
            if step.backend in test["backends"] or path in step.paths
            if step.runs(path, test["name"], marks)
        }
        # One backend is enough for those that torch and numpy run.
        of_one = {*test["backends"]} <= {"torch", "numpy"}
        missing = {*test["backends"]} - ran
        if not ran or (missing and not of_one):
            forgotten.append((f"{path}::{test['name']}", sorted(missing)))
    assert forgotten == []

"""The action of GitHub that runs `krm gate`: its scripts, run by bash."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from runs import run_with

ROOT = pathlib.Path(__file__).parents[2]
ACTION = ROOT / ".github" / "actions" / "gate" / "action.yml"
SCRIPT = ROOT / "keras_rankmetrics" / "command" / "script"
yaml = pytest.importorskip("yaml", reason="needs pyyaml, of the extra [test]")
FOUND = yaml.safe_load(ACTION.read_text())
STEPS = {step.get("name"): step for step in FOUND["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE)

QRELS = "".join(f"q{q} 0 a 1\nq{q} 0 b 0\n" for q in range(400))


def values(step, **inputs):
    """Return the variables of a step, as the action would set them."""
    given = {name: x.get("default", "") for name, x in FOUND["inputs"].items()}
    given |= {name.replace("_", "-"): x for name, x in inputs.items()}

    def value(expression):
        [name] = re.findall(r"^inputs\.([\w-]+)$", expression[1]) or [""]
        return given[name] if name else "python3"

    return {x: EXPRESSION.sub(value, y) for x, y in step["env"].items()}


def ran(step, folder, **variables):
    """Run the script of a step as GitHub does, in the folder."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, "RUNNER_TEMP": str(folder), **variables},
        capture_output=True,
        text=True,
    )


def write_program(path, line):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\n{line} "$@"\n')
    path.chmod(0o755)


@pytest.fixture
def gated(tmp_path):
    """Return a function that runs the gate."""
    texts = {
        "qrels": QRELS,
        "old": run_with(40),
        "worse": run_with(200),
        "near": run_with(43),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    write_program(
        tmp_path / "krm_gate/bin/krm", f"exec '{sys.executable}' -m krm_command"
    )

    def run(**inputs):
        summary, output = tmp_path / "summary", tmp_path / "output"
        files = {"qrels": "qrels", "candidate": "near", "baseline": "old"}
        numbers = {"metrics": "RR", "tolerance": "0.005"}
        done = ran(
            STEPS["Gate"],
            tmp_path,
            PYTHONPATH=f"{ROOT}{os.pathsep}{SCRIPT}",
            GITHUB_STEP_SUMMARY=str(summary),
            GITHUB_OUTPUT=str(output),
            **values(STEPS["Gate"], **{**files, **numbers, **inputs}),
        )
        assert done.stdout == summary.read_text(), done.stderr
        return done.returncode, output.read_text(), done.stdout

    return run


def test_inputs_are_declared_and_used():
    used = re.findall(r"inputs\.([\w-]+)", ACTION.read_text())
    assert set(used) == set(FOUND["inputs"])
    for each in FOUND["inputs"].values():
        assert each.get("required", False) == ("default" not in each)
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
    steps = re.findall(r"steps\.(\w+)\.", ACTION.read_text())
    assert set(steps) == {step["id"] for step in STEPS.values() if "id" in step}


@pytest.mark.long
@pytest.mark.parametrize(
    "inputs, code, verdict",
    [
        ({"tolerance": "0.1"}, 0, "pass"),
        ({"tolerance": "", "equivalent": "0.1"}, 0, "pass"),
        ({"candidate": "worse", "metrics": "RR P@1"}, 1, "fail"),
        ({"candidate": "near"}, 3, "undecided"),
        ({"candidate": "near", "undecided": "pass"}, 0, "undecided"),
        ({"candidate": "gone"}, 2, "error"),
    ],
)
def test_verdicts(gated, inputs, code, verdict):
    found, output, summary = gated(**inputs)
    assert (found, output) == (code, f"verdict={verdict}\n"), summary
    metrics = inputs.get("metrics", "RR").split()
    lines = summary.rstrip("\n").split("\n\n")
    assert len(lines) == len(metrics) and "\n" not in "".join(lines)
    for line, metric in zip(lines, metrics, strict=True):
        said = "gone: The file" if verdict == "error" else f"{metric} "
        assert line.startswith(f"**{verdict}**: {said}")


@pytest.mark.parametrize(
    "inputs, said",
    [
        ({"undecided": "maybe"}, "`undecided` should be `fail` or `pass`"),
        ({"confidence": "2"}, "see the log"),
        ({"lists": "many"}, "see the log"),
    ],
)
def test_usage_errors_are_in_the_summary(gated, inputs, said):
    code, output, summary = gated(**inputs, candidate="$(touch touched)")
    assert (code, output) == (2, "verdict=error\n")
    assert summary.startswith("**error**: ") and said in summary


def test_options_and_hostile_inputs(gated, tmp_path):
    """All options arrive, and no input is run or taken for an option."""
    write_program(tmp_path / "krm_gate/bin/krm", "printf '%s|'")
    found = gated(
        candidate="$(touch touched)",
        baseline="--save=qrels",
        metrics="`touch touched` RR",
        convention="'; touch touched",
        lists="7",
        confidence="0.9",
    )
    assert found == (
        0,
        "verdict=pass\n",
        "gate|--metrics=`touch touched` RR|--markdown|--tolerance=0.005|"
        "--convention='; touch touched|--lists=7|--confidence=0.9|--|qrels|"
        "$(touch touched)|--save=qrels|\n",
    )
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    "printed, code, undecided, found, verdict",
    [
        ("line", 0, "fail", 0, "pass"),
        ("line", 1, "pass", 1, "fail"),
        ("line", 3, "fail", 3, "undecided"),
        ("line", 3, "pass", 0, "undecided"),
        ("line", 2, "pass", 2, "error"),
        # A crash is no verdict.
        ("", 1, "pass", 2, "error"),
        ("", 0, "fail", 2, "error"),
    ],
)
def test_exit_codes(gated, tmp_path, printed, code, undecided, found, verdict):
    line = f"printf '{printed}'; exit {code};"
    write_program(tmp_path / "krm_gate/bin/krm", line)
    done = gated(undecided=undecided)
    assert done[:2] == (found, f"verdict={verdict}\n")
    assert done[2] == f"{printed or '**error**: see the log of this step.'}\n"


@pytest.mark.parametrize(
    "package, installed", [("", f"{ROOT}[jax]"), ("krm==1; x", "krm==1; x")]
)
def test_what_is_installed(tmp_path, package, installed):
    write_program(tmp_path / "python", "printf '%s|'")
    write_program(tmp_path / "krm_gate/bin/pip", "printf '%s|'")
    variables = values(STEPS["Install"], package=package)
    assert variables["PYTHON"] == "python3"
    variables["PYTHON"] = str(tmp_path / "python")
    done = ran(
        STEPS["Install"],
        tmp_path,
        GITHUB_ACTION_PATH=str(ACTION.parent),
        **variables,
    )
    assert done.returncode == 0
    assert done.stdout == f"-m|venv|{tmp_path}/krm_gate|install|-q|{installed}|"


def test_workflows_of_the_docs_give_the_inputs():
    """Every workflow of a page that uses the action could run."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        for block in filter(
            re.compile("actions/gate").search, BLOCK.findall(page.read_text())
        ):
            workflow = yaml.safe_load(block)
            assert workflow["permissions"] == {"contents": "read"}
            [job] = workflow["jobs"].values()
            *before, last = job["steps"]
            assert "actions/checkout@v4" in [
                step.get("uses") for step in before
            ]
            assert re.search(r"/\.github/actions/gate@\w", last["uses"])
            required = {
                n for n, x in FOUND["inputs"].items() if "required" in x
            }
            assert required <= set(last["with"]) <= set(FOUND["inputs"])

"""The workflows of GitHub: what starts them, what they may do and run."""

import pathlib
import re
import subprocess

import pytest

import keras_rankmetrics as krm

ROOT = pathlib.Path(__file__).parents[2]
GITHUB = ROOT / ".github"
yaml = pytest.importorskip("yaml", reason="needs pyyaml, of the extra [test]")
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text())
    for path in sorted((GITHUB / "workflows").glob("*.y*ml"))
}
# The variable that a person sets, and the job with more permissions.
OFF_BY_DEFAULT = {
    "publish": ("PUBLISH", "publish", {"id-token": "write"}),
    "site": ("DEPLOY_SITE", "deploy", {"pages": "write", "id-token": "write"}),
}


def steps_of(name):
    return [s for job in WORKFLOWS[name]["jobs"].values() for s in job["steps"]]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_permissions_and_scripts(name):
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    more = {n for n, job in workflow["jobs"].items() if "permissions" in job}
    assert more == {x[1] for n, x in OFF_BY_DEFAULT.items() if n == name}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"]
    for step in steps_of(name):
        assert ("run" in step) != ("uses" in step)
        # What an expression writes into a script, the shell would run.
        assert "${{" not in step.get("run", "")
        assert re.search(r"@(release/)?v\d+$", step.get("uses", "@v1"))
    assert not re.search(
        r"\$\{\{[^}]*(github\.event|secrets)|pull_request_target",
        (GITHUB / "workflows" / f"{name}.yml").read_text(),
    )


@pytest.mark.parametrize("name", OFF_BY_DEFAULT)
def test_what_is_off_by_default(name):
    variable, last, permissions = OFF_BY_DEFAULT[name]
    workflow = WORKFLOWS[name]
    # YAML reads the key `on` as True.
    assert workflow[True] == {"push": {"tags": ["v*"]}}
    for job in workflow["jobs"].values():
        assert job["if"] == (
            f"github.ref_type == 'tag' && vars.{variable} == 'true'"
        )
    *_, job = workflow["jobs"]
    assert job == last
    assert workflow["jobs"][last]["permissions"] == permissions
    assert workflow["jobs"][last]["needs"] == "build"
    assert workflow["jobs"][last]["environment"]
    first, second = (
        (GITHUB / "workflows" / f"{name}.yml").read_text().splitlines()[:2]
    )
    assert first.startswith("# Off until a person sets the repository variable")
    assert f"`{variable}` to " in first and second.startswith("# ")


@pytest.mark.parametrize(
    "tag, is_right",
    [(f"v{krm.__version__}", True), (krm.__version__, False), ("v9", False)],
)
def test_a_tag_that_is_not_the_version_is_not_published(tag, is_right):
    [script] = [step["run"] for step in steps_of("publish") if "name" in step]
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": tag},
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) is is_right
    assert is_right or f"Received: {tag}." in done.stderr


def test_what_is_published_is_built_and_checked():
    commands = [
        s["run"] for s in steps_of("publish") if "name" not in s and "run" in s
    ]
    assert commands == [
        "pip install build twine",
        "python -m build",
        "python -m twine check --strict dist/*",
    ]
    *_, last = steps_of("publish")
    assert last == {"uses": "pypa/gh-action-pypi-publish@release/v1"}


def test_dependabot_looks_at_all_actions():
    pip, actions = yaml.safe_load((GITHUB / "dependabot.yml").read_text())[
        "updates"
    ]
    for each in (pip, actions):
        assert each["schedule"] == {"interval": "monthly"}
        [group] = each["groups"].values()
        assert group == {"patterns": ["*"]}
    assert pip["package-ecosystem"] == "pip"
    assert actions["package-ecosystem"] == "github-actions"
    folders = {
        f"/{path.parent.relative_to(ROOT)}"
        for path in GITHUB.rglob("action.yml")
    }
    assert set(actions["directories"]) == {"/", *folders}

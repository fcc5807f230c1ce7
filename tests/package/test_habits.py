"""The forms, hooks and workflows of the project: that they are well formed."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
GITHUB = ROOT / ".github"
yaml = pytest.importorskip("yaml", reason="needs pyyaml, of the extra [test]")


def read(path):
    return yaml.safe_load(path.read_text())


def test_every_yaml_file_is_well_formed():
    paths = [*GITHUB.rglob("*.yml"), ROOT / ".pre-commit-config.yaml"]
    assert len(paths) >= 5
    for path in paths:
        assert isinstance(read(path), dict), path


def test_the_workflow_runs_what_everybody_runs():
    workflow = read(GITHUB / "workflows" / "ci.yml")
    # YAML reads the key `on` as True.
    assert {"push", "pull_request"} <= set(workflow[True])
    assert workflow["permissions"] == {"contents": "read"}
    commands = {
        name: [step["run"] for step in job["steps"] if "run" in step]
        for name, job in workflow["jobs"].items()
    }
    assert commands["run"] == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100
    [quick] = commands["versions"]
    assert quick in (ROOT / ".ci" / "run").read_text()
    for job in workflow["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest"
        assert job["timeout-minutes"] <= 120
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.search(r"@v\d+$", step.get("uses", "@v1"))


def test_the_long_tests_run_every_week():
    workflow = read(GITHUB / "workflows" / "weekly.yml")
    assert "schedule" in workflow[True]
    [job] = workflow["jobs"].values()
    assert [x["run"] for x in job["steps"] if "run" in x] == [".ci/weekly"]
    assert (ROOT / ".ci" / "weekly").stat().st_mode & 0o100


def test_the_workflow_runs_every_python_that_is_claimed():
    import tomllib

    claimed = {
        classifier.rpartition(" ")[2]
        for classifier in tomllib.loads((ROOT / "pyproject.toml").read_text())[
            "project"
        ]["classifiers"]
        if re.search(r"Python :: 3\.\d+$", classifier)
    }
    jobs = read(GITHUB / "workflows" / "ci.yml")["jobs"]
    alone = {
        step["with"]["python-version"]
        for name in ("run", "next-version")
        for step in jobs[name]["steps"]
        if "setup-python" in step.get("uses", "")
    }
    others = jobs["versions"]["strategy"]["matrix"]["python-version"]
    assert len(alone) == 2 and {*alone, *others} == claimed


FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml"))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_the_forms_of_issues(path):
    form = read(path)
    assert {"name", "description", "body"} <= set(form)
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    names = [field["id"] for field in asked]
    assert names and len(set(names)) == len(names)
    for field in asked:
        assert field["type"] in ("input", "textarea", "dropdown", "checkboxes")
        assert field["attributes"]["label"]
    assert any(f.get("validations", {}).get("required") for f in asked)


def test_the_hooks_are_the_linters_of_the_extra():
    [repo] = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    entries = [hook["entry"].split()[0] for hook in repo["hooks"]]
    assert entries == ["ruff", "ruff", "mypy"]
    for hook in repo["hooks"]:
        assert {"id", "name", "entry", "language"} <= set(hook)


def test_the_policies_are_there():
    assert "Report a vulnerability" in (GITHUB / "SECURITY.md").read_text()
    assert "- [ ]" in (GITHUB / "PULL_REQUEST_TEMPLATE.md").read_text()
    conduct = (GITHUB / "CODE_OF_CONDUCT.md").read_text()
    assert "Contributor Covenant 2.1" in conduct
    assert "Report a vulnerability" in conduct and "@" not in conduct


# The release command, in a repository of its own.

VERSION = "keras_rankmetrics/version.py"
# In place of `build` and `twine`, which would fetch packages.
FAKES = {
    "build": "import os; os.makedirs('dist'); open('dist/made.whl', 'w')",
    "twine": "import sys; assert sys.argv[1:3] == ['check', '--strict']; "
    "assert sys.argv[3:] == ['dist/made.whl']",
}


class Repository:
    """A clone in which a release may be tried."""

    def __init__(self, folder):
        self.folder = folder
        self.write(".ci/release", (ROOT / ".ci" / "release").read_text(), 0o755)
        self.write(VERSION, '__version__ = "1.2.3"\n')
        self.write(
            "docs/changelog.md", "# Changelog\n\n## 1.2.3 (2026-01-02)\n"
        )
        self.write(".gitignore", "dist/\n__pycache__/\n")
        for name, code in FAKES.items():
            guarded = f'if __name__ == "__main__":\n    {code}\n'
            self.write(f"{name}.py", guarded)
        self.git("init", "-q")
        self.commit()

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def git(self, *arguments):
        names = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        done = subprocess.run(
            ["git", *names, *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.split()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")

    def release(self, *arguments):
        return subprocess.run(
            [".ci/release", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={
                "PATH": "/usr/bin:/bin:/usr/local/bin",
                "PYTHON": sys.executable,
                "PYTHONPATH": str(self.folder),
                "GIT_COMMITTER_NAME": "a",
                "GIT_COMMITTER_EMAIL": "a@b.c",
            },
        )


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_a_release_is_built_checked_and_tagged(repository):
    done = repository.release("1.2.3")
    assert done.returncode == 0, done.stderr
    assert repository.git("tag") == ["v1.2.3"]
    assert (repository.folder / "dist" / "made.whl").is_file()
    assert "git push origin v1.2.3" in done.stdout


def not_committed(repository):
    repository.write("new.txt", "")


def tagged(repository):
    repository.git("tag", "v1.2.3")


def other_package(repository):
    repository.write(VERSION, '__version__ = "1.2.2"\n')
    repository.commit()


def other_changelog(repository):
    repository.write(
        "docs/changelog.md", "# Changelog\n\n## 1.2.2 (2026-01-02)\n"
    )
    repository.commit()


def not_dated(repository):
    repository.write("docs/changelog.md", "# All\n\n## 1.2.3 (not released)\n")
    repository.commit()


def broken_distribution(repository):
    repository.write(
        "twine.py", 'if __name__ == "__main__":\n    raise SystemExit(1)\n'
    )
    repository.commit()


@pytest.mark.parametrize(
    "change, arguments, message",
    [
        (None, [], "give one version"),
        (None, ["1.2.3", "1.2.4"], "give one version"),
        (None, ["v1.2.3"], "three numbers"),
        (None, ["1.2.4"], "version.py says 1.2.3, not 1.2.4"),
        (not_committed, ["1.2.3"], "not committed"),
        (tagged, ["1.2.3"], "the tag v1.2.3 exists"),
        (other_package, ["1.2.3"], "version.py says 1.2.2"),
        (other_changelog, ["1.2.3"], "should begin with '## 1.2.3"),
        (not_dated, ["1.2.3"], "should begin with '## 1.2.3"),
        (broken_distribution, ["1.2.3"], ""),
    ],
)
def test_what_is_not_released(repository, change, arguments, message):
    if change:
        change(repository)
    before = repository.git("tag")
    done = repository.release(*arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert repository.git("tag") == before

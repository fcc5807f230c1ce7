"""What the benchmark of logs prints."""

import json
import subprocess

import pytest

from tests.tools.benchmarks import logs


@pytest.mark.parametrize(
    "name, value, text",
    [("rows", 1e6, "rows 1,000,000"), ("ndcg@10", 0.123456789, "0.12345679")],
)
def test_a_value_has_its_name(name, value, text, monkeypatch):
    found = json.dumps(logs._timed(lambda: value, rounds=2, name=name))

    def run(command, **_):
        return subprocess.CompletedProcess(command, 0, f"note\n{found}\n", "")

    monkeypatch.setattr(subprocess, "run", run)
    line = logs._apart("counting", "folder")
    assert line.startswith("0.0 0.0 s  ")
    assert name in line and line.endswith(text)

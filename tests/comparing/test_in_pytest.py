"""The fixture of docs/comparing.md that fails a test if a metric drops."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from runs import run_with

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "comparing.md").read_text()
# The files that the page shows, whose first line is their name.
FILES = dict(
    re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", PAGE, re.M | re.S)
)

OTHERS = """
def search_all():
    return {f"q{q}": {"a": 2, "b": 1} for q in range(400)}
"""
WORSE = """
def test_worse(gate):
    gate("worse.txt")
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [name for name in FILES if name.startswith("test_")]
)
def test_the_fixture(tmp_path, name):
    files = {
        **FILES,
        "search.py": OTHERS,
        "test_worse.py": WORSE,
        "qrels.txt": "".join(f"q{q} 0 a 1\nq{q} 0 b 0\n" for q in range(400)),
        "released.txt": run_with(40),
        "worse.txt": run_with(200),
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "numpy"},
        capture_output=True,
        text=True,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "AssertionError: fail: NDCG@10 fell from 0." in done.stdout
    assert "FAILED test_worse.py::test_worse" in done.stdout

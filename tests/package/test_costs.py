"""No path costs more than it did: operations, reads, calls, bytes, programs."""

import json
import os
import subprocess
import sys

import keras
import pytest

COMMAND = "python tests/package/costs.py --write"
# A path may cost more by this, and then must be worth it.
ALLOWED = 1.05


def stored():
    from tests.package import costs

    return json.loads(costs.STORED.read_text())[keras.config.backend()]


@pytest.fixture(scope="module")
def now():
    """Return what paths cost, in a process that nothing has warmed."""
    from tests.package import costs

    # Programs that are kept on the disk are not compiled.
    cache = "JAX_COMPILATION_CACHE_DIR"
    own = {name: x for name, x in os.environ.items() if name != cache}
    done = subprocess.run(
        [sys.executable, costs.__file__, "--json"],
        check=True,
        capture_output=True,
        text=True,
        env={**own, "PYTHONHASHSEED": "0", "PYTHONPATH": os.getcwd()},
    )
    return json.loads(done.stdout.splitlines()[-1])


def changes(before, now):
    """Return a line for each count that is no longer the stored one."""
    lines = []
    for path in sorted(before.keys() | now.keys()):
        old, new = before.get(path, {}), now.get(path, {})
        for kind in sorted(old.keys() | new.keys()):
            a, b = old.get(kind, 0), new.get(kind, 0)
            if b > a * ALLOWED:
                lines.append(f"{path}: {kind} rose from {a:,} to {b:,}")
            elif a > b * ALLOWED:
                lines.append(f"{path}: {kind} fell to {b:,}: store it")
    return lines


@pytest.mark.each_backend
@pytest.mark.long
def test_no_path_costs_more(now):
    of = stored()
    if now["versions"] != of["versions"]:
        pytest.skip(
            f"counts are stored for {of['versions']}, and here are "
            f"{now['versions']}: store them by `{COMMAND}`"
        )
    assert changes(of["counts"], now["counts"]) == [], f"see `{COMMAND}`"


def test_a_change_of_more_than_five_percent_is_named():
    before = {"a batch": {"calls": 100, "reads": 0}, "gone": {"calls": 1}}
    now = {"a batch": {"calls": 105, "reads": 1}, "new": {"calls": 7}}
    assert changes(before, now) == [
        "a batch: reads rose from 0 to 1",
        "gone: calls fell to 0: store it",
        "new: calls rose from 0 to 7",
    ]
    assert changes({"x": {"calls": 106}}, {"x": {"calls": 100}}) == [
        "x: calls fell to 100: store it"
    ]

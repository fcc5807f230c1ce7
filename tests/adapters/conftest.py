"""The engines, one after another: each is started once a file."""

import pytest
from engines import ENGINES


@pytest.fixture(scope="module")
def engines():
    """Return a function that starts an engine, or returns the running one."""
    running = {}

    def started(package):
        if package not in running:
            running[package] = ENGINES[package]()
        return running[package]

    yield started
    for engine in running.values():
        engine.stop()

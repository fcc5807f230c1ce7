"""Before a backend is imported: one thread for each of the parallel workers."""

import os
import weakref

import pytest
from hypothesis import settings

# A run says of the code, and not of luck, whether it passes. New examples are
# tried by `--hypothesis-profile=explore`.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("same")

if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in (
        "OMP_NUM_THREADS",
        "TF_NUM_INTRAOP_THREADS",
        "TF_NUM_INTEROP_THREADS",
    ):
        os.environ.setdefault(variable, "1")

# Pages whose examples train models: a fifth of the time of all quick tests.
LONG_PAGES = frozenset(
    f"docs/{page}.md"
    for page in (
        "catalogues",
        "clicks",
        "custom_loops",
        "errors",
        "in_keras",
        "masks",
        "quickstart",
        "strange",
        "two_rankings",
        "uncertain",
        "what_is_measured",
    )
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the long pages before pytest selects by marker."""
    for item in items:
        if item.nodeid.split("::")[0] in LONG_PAGES:
            item.add_marker(pytest.mark.long)


@pytest.fixture(autouse=True)
def nobody_is_expected(monkeypatch):
    """Metrics that an earlier test made do not look at the batches of this."""
    from keras_rankmetrics.engine.evaluation import batch_cache

    monkeypatch.setattr(batch_cache._thread, "siblings", weakref.WeakSet())

"""Before a backend is imported: its name, and one thread for each worker."""

import os
import pathlib
import weakref

import pytest
from hypothesis import settings
from selection import (
    is_missing,
    packages_of,
    packages_of_all,
    packages_of_module,
    runs_on,
)

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


def pytest_addoption(parser):
    """Add `--backend`, which workers receive by the environment."""
    names = ["tensorflow", "jax", "torch", "numpy"]
    parser.addoption("--backend", choices=names, help="as KERAS_BACKEND")


def pytest_configure(config):
    """Choose the backend before anything imports Keras."""
    if config.getoption("--backend"):
        os.environ["KERAS_BACKEND"] = config.getoption("--backend")


def pytest_report_header():
    """Name the packages without which some tests are not collected."""
    needed = packages_of_all(pathlib.Path(__file__).parent)
    missing = sorted(filter(is_missing, needed))
    return missing and f"tests of these are not collected: {', '.join(missing)}"


def pytest_ignore_collect(collection_path):
    """Leave out modules that need a package that is not installed."""
    if collection_path.suffix == ".py":
        needed = packages_of_module(collection_path)
        return any(map(is_missing, needed)) or None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out tests that cannot run here, and mark the long pages."""
    import keras

    for item in items:
        if item.nodeid.split("::")[0] in LONG_PAGES:
            item.add_marker(pytest.mark.long)
    backend = keras.config.backend()
    kept, left_out = [], []
    for item in items:
        is_fit = runs_on(item, backend) and not any(
            map(is_missing, packages_of(item))
        )
        (kept if is_fit else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def pytest_collectreport():
    """Metrics in parameters do not expect to see batches together.

    Otherwise the first batch of each computes the values of all others.
    """
    from keras_rankmetrics.engine.evaluation import batch_cache

    batch_cache._thread.siblings.clear()


@pytest.fixture(autouse=True)
def nobody_is_expected(monkeypatch):
    """Metrics that an earlier test made do not look at the batches of this."""
    from keras_rankmetrics.engine.evaluation import batch_cache

    monkeypatch.setattr(batch_cache._thread, "siblings", weakref.WeakSet())

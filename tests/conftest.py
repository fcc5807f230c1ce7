"""Before a backend is imported: its name, and one thread for each worker."""

import gc
import os
import pathlib
import weakref

import pytest
import selection
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

# Other packages have warnings of their own, which their versions change.
OF_OTHERS = pytest.mark.filterwarnings(
    "default", "ignore:.* encountered in:RuntimeWarning"
)


def pytest_addoption(parser):
    """Add `--backend`, which workers receive by the environment."""
    names = ["tensorflow", "jax", "torch", "numpy"]
    parser.addoption("--backend", choices=names, help="as KERAS_BACKEND")


def pytest_configure(config):
    """Choose the backend before anything imports Keras."""
    if config.getoption("--backend"):
        os.environ["KERAS_BACKEND"] = config.getoption("--backend")
    if os.environ.get("KERAS_BACKEND") == "numpy":
        # Of infinities in its tensors, which other backends do not say.
        config.addinivalue_line(
            "filterwarnings", "ignore:.* encountered in:RuntimeWarning"
        )
    # Here, its hooks would not hear of files outside of this folder.
    config.pluginmanager.register(selection)
    gc.disable()  # until all is imported, of which nothing goes


def pytest_collection_finish():
    """Collect garbage of tests alone: modules and items stay to the end."""
    if selection.backend() == "numpy":
        from keras.src.utils import module_utils

        # Else Keras imports it to see that what it saves is not of it.
        module_utils.tensorflow._available = False
    gc.freeze()
    gc.enable()


def pytest_report_header():
    """Say which tests are not collected here."""
    needed = selection.packages_of_all(pathlib.Path(__file__).parent)
    missing = sorted(filter(selection.is_missing, needed))
    lines = []
    if os.environ.get("KERAS_BACKEND") not in ("numpy", "torch"):
        lines += ["tests for which one backend is enough: by --backend numpy"]
    if missing:
        number = f"{len(missing)} packages"
        lines.append(f"tests of {number} that are not installed are left out")
    return lines


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out tests that cannot run here."""
    kept, left_out = [], []
    for item in items:
        if item.get_closest_marker("peers"):
            item.add_marker(OF_OTHERS)
        backends = selection.backends_of(item)
        for name in {"torch", "numpy"}.difference(backends):
            item.add_marker(f"not_{name}")
        needed = selection.packages_of(item)
        if not needed <= selection.OF_TESTS:
            item.add_marker("beside")
        is_fit = selection.backend() in backends and not any(
            map(selection.is_missing, needed)
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


@pytest.fixture
def rng():
    """Random numbers that no test before has drawn from."""
    import numpy as np

    return np.random.default_rng(42)


@pytest.fixture(autouse=True)
def nobody_is_expected():
    """Metrics that an earlier test made do not look at the batches of this."""
    from keras_rankmetrics.engine.evaluation import batch_cache

    batch_cache._thread.siblings = weakref.WeakSet()

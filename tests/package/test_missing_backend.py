"""What the first use of the package says if Keras cannot be imported."""

import os

import pytest
from scripts import printed, python

EXTRAS = ("tensorflow", "jax", "torch")

IMPORT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from keras_rankmetrics import NDCG
"""


def error_of_import(backend, hidden):
    """The last line on stderr, with a backend set and a module hidden."""
    ran = python("-c", IMPORT, hidden, KERAS_BACKEND=backend)
    assert ran.returncode == 1
    return ran.stderr.splitlines()[-1]


@pytest.mark.parametrize("backend", EXTRAS)
def test_a_backend_that_is_not_installed(backend):
    error = error_of_import(backend, hidden=backend)
    assert error.startswith(
        f"ModuleNotFoundError: Keras is set to the backend `{backend}`, which "
        "is not installed. "
    )
    assert f'pip install "keras_rankmetrics[{backend}]"' in error
    for extra in EXTRAS:
        assert f"[{extra}]" in error
    assert "KERAS_BACKEND" in error


@pytest.mark.parametrize("hidden", ["keras", "keras.src", "numpy"])
def test_another_module_that_is_not_installed(hidden):
    error = error_of_import(os.environ.get("KERAS_BACKEND", EXTRAS[0]), hidden)
    assert error == f"ModuleNotFoundError: No module named '{hidden}'"


def test_a_backend_that_does_not_exist():
    error = error_of_import("no_such_backend", hidden="")
    assert error.startswith("ValueError: ")
    assert "no_such_backend" in error


@pytest.mark.long
def test_the_numpy_backend_needs_no_tensorflow():
    for package in ("jax", "scipy"):
        pytest.importorskip(package, reason="Keras needs it for numpy")
    updated = "m = NDCG(k=1); m.update_state([[1, 0]], [[2, 1]]); m.result()"
    code = f"{IMPORT}{updated}"
    printed("-c", code, "tensorflow", KERAS_BACKEND="numpy")

"""Tests that cannot run here are left out, and no others."""

import pathlib
from types import SimpleNamespace

import pytest
import selection

MODULE = """
import pytest

def frame():
    return pytest.importorskip("absent.frames")

def test_by_a_function():
    frame()

def test_itself():
    pytest.importorskip("absent")

def test_by_a_parameter(library):
    pytest.importorskip(library)

def test_perhaps(library):
    if library:
        pytest.importorskip("absent")

def test_nothing():
    pytest.importorskip("pytest")
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "test_module.py"
    path.write_text(MODULE)
    return path


def item(path, name, **params):
    callspec = SimpleNamespace(params=params)
    return SimpleNamespace(
        path=path,
        name=name,
        originalname=name,
        fixturenames=[],
        callspec=callspec,
    )


@pytest.mark.parametrize(
    ("name", "params", "packages"),
    [
        ("test_by_a_function", {}, {"absent"}),
        ("test_itself", {}, {"absent"}),
        ("test_by_a_parameter", {"library": "absent"}, {"absent"}),
        ("test_by_a_parameter", {"library": "numpy"}, {"numpy"}),
        ("test_perhaps", {"library": "absent"}, set()),
        ("test_nothing", {}, {"pytest"}),
    ],
)
def test_the_packages_of_a_test(path, name, params, packages):
    assert selection.packages_of(item(path, name, **params)) == packages


def test_fixtures_and_parameters_that_are_functions(path):
    by_fixture = item(path, "test_other")
    by_fixture.fixturenames = ["frame"]
    assert selection.packages_of(by_fixture) == {"absent"}

    def frame():
        """Stand for the function of the module."""

    by_value = item(path, "test_other", make=frame)
    assert selection.packages_of(by_value) == {"absent"}


def test_a_module_as_a_whole(path):
    assert selection.packages_of_module(path) == set()
    path = path.with_name("test_whole.py")
    path.write_text(f'absent = pytest.importorskip("absent")\n{MODULE}')
    assert selection.packages_of_module(path) == {"absent"}
    assert selection.packages_of_all(path.parent) == {"absent", "pytest"}


def test_what_is_missing():
    assert selection.is_missing("absent_package")
    assert not selection.is_missing("pytest")


def test_the_markers_of_backends(request):
    marked = SimpleNamespace(iter_markers=lambda name: marks.get(name, []))
    marks = {"only_on": [pytest.mark.only_on("jax").mark]}
    assert selection.runs_on(marked, "jax")
    assert not selection.runs_on(marked, "torch")
    marks = {"not_on": [pytest.mark.not_on("torch", "jax").mark]}
    assert selection.runs_on(marked, "tensorflow")
    assert not selection.runs_on(marked, "torch")


def test_this_run_leaves_out_what_it_should(request):
    """Of all tests that were collected, none is of another backend."""
    import keras

    backend = keras.config.backend()
    assert all(selection.runs_on(x, backend) for x in request.session.items)
    assert pathlib.Path(__file__) in {x.path for x in request.session.items}

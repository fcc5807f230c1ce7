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


def runs_on(file, *marks, named=False):
    """The backends that run a test with markers."""
    item = SimpleNamespace(
        path=pathlib.Path("root", file),
        nodeid=f"{file}::test",
        session=SimpleNamespace(isinitpath=lambda _: named),
        iter_markers=lambda: [mark.mark for mark in marks],
    )
    return selection.backends_of(item)


def test_the_markers_of_backends():
    mark = pytest.mark
    file, of_each = "tests/rows/test_rows.py", "tests/in_keras/test_fit.py"
    assert runs_on(file) == ["torch", "numpy"]
    assert runs_on(of_each) == ["tensorflow", "jax", "torch"]
    assert runs_on(file, mark.each_backend) == ["tensorflow", "jax", "torch"]
    assert runs_on(file, mark.not_on("numpy")) == ["torch"]
    assert runs_on(of_each, mark.not_on("jax")) == ["tensorflow", "torch"]
    both = mark.only_on("jax", "torch"), mark.not_on("jax")
    assert runs_on(of_each, *both) == ["torch"]
    for each in (file, of_each):
        assert runs_on(each, mark.only_on("jax")) == ["jax"]
        assert runs_on(each, named=True) == [*selection.BACKENDS]
        assert runs_on(each, mark.not_on("jax"), named=True) == [
            "tensorflow",
            "torch",
            "numpy",
        ]


def test_the_files_that_a_backend_runs(tmp_path):
    of_one, marked = tmp_path / "test_one.py", tmp_path / "test_marked.py"
    of_one.write_text("def test(): pass")
    marked.write_text("@pytest.mark.each_backend\ndef test(): pass")
    for path, expected in (
        (of_one, ["torch", "numpy"]),
        (marked, [*selection.BACKENDS]),
        (pathlib.Path("docs/input.md"), ["tensorflow", "jax", "torch"]),
        (pathlib.Path("docs/metrics/ndcg.md"), ["torch", "numpy"]),
    ):
        found = [x for x in selection.BACKENDS if selection.may_run_on(x, path)]
        assert found == expected, path


def test_each_file_for_each_backend_exists(request):
    root = request.config.rootpath
    for pattern in selection.OF_EACH_BACKEND:
        assert [*root.glob(pattern)], pattern


def test_this_run_leaves_out_what_it_should(request):
    """Of all tests that were collected, none is of another backend."""
    items, backend = request.session.items, selection.backend()
    assert all(backend in selection.backends_of(x) for x in items)
    assert pathlib.Path(__file__) in {x.path for x in request.session.items}

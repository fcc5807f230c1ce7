"""Which tests run here: those of other backends and packages do not.

The files below and tests with the marker `each_backend` are run on each, since
a backend trains, compiles, sorts or converts what they test. For all others one
is enough: they are left out on TensorFlow and JAX, and are all that is run on
the numpy backend, whose steps take a fifth of the time of TensorFlow's. Torch
runs everything. A file that the command line names is run on any backend.

A test says what it needs by `pytest.importorskip("pandas")`, in its own body or
in that of a function or fixture of its module that it uses, and its backend by
the markers `only_on` and `not_on`. Calls under an `if` do not count, since they
may not be reached.
"""

import ast
import functools
import importlib.util
import pathlib
import re
import types

import pytest

BACKENDS = ("tensorflow", "jax", "torch", "numpy")
OF_EACH_BACKEND = (
    "README.md",
    "docs/*.md",
    "keras_rankmetrics/callbacks/*.py",
    "tests/catalogues/test_evaluate_catalogue.py",
    "tests/distributed/*.py",
    "tests/examples/*.py",
    "tests/fuzz/*.py",
    "tests/in_keras/*.py",
    "tests/inputs/test_checks_of_batches.py",
    "tests/inputs/test_dtypes.py",
    "tests/inputs/test_errors_in_forms.py",
    "tests/inputs/test_foreign.py",
    "tests/inputs/test_forms.py",
    "tests/inputs/test_masks.py",
    "tests/inputs/test_overflow.py",
    "tests/inputs/test_padding.py",
    "tests/inputs/test_ragged.py",
    "tests/inputs/test_sparse.py",
    "tests/laws/test_against_oracle.py",
    "tests/package/test_*_ops.py",
    "tests/package/test_code_blocks.py",
    "tests/ranking/*.py",
    "tests/state/test_copies.py",
    "tests/state/test_many_updates.py",
    "tests/state/test_saving.py",
    "tests/state/test_sharing.py",
    "tests/state/test_state.py",
    "tests/state/test_threads.py",
)
# What the extra [test] installs, as far as tests ask for it.
OF_TESTS = {"hypothesis", "jax", "keras_rs", "pyarrow", "pytest", "yaml"}
# All but these of the above; steps of TensorFlow and of jax name the second.
OF_ONE_BACKEND = ("docs/one_list.md", "docs/own_metrics.md")


@functools.cache
def backend():
    """Return the backend of this run."""
    import keras

    return keras.config.backend()


@functools.cache
def is_of_each(path):
    """Return True if all tests of a file are run on each backend."""
    path = pathlib.PurePath(path)
    of_one = any(map(path.match, OF_ONE_BACKEND))
    return any(map(path.match, OF_EACH_BACKEND)) and not of_one


def may_run_on(backend, path):
    """Return True if a backend runs some tests of a file."""
    if backend in ("torch", "numpy"):
        return backend == "torch" or not is_of_each(path)
    marked = re.compile(r"mark\.(each_backend|only_on)\b")
    return is_of_each(str(path)) or bool(marked.search(_code(path)))


def pytest_ignore_collect(collection_path, config):
    """Leave out files for other backends, or of packages that are missing."""
    if collection_path.is_dir():
        return None
    here = collection_path.relative_to(config.rootpath)
    is_fit = may_run_on(backend(), here) and not any(
        map(is_missing, packages_of_module(collection_path))
    )
    return None if is_fit else True


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, obj):
    """Leave out a test for other backends before its parameters are counted.

    Torch makes all of them, for `every_test`.
    """
    if not isinstance(obj, types.FunctionType) or backend() == "torch":
        return None
    own = getattr(obj, "pytestmark", [])
    if any(map(_has_marked_parameters, own)):
        return None
    marks = [*own, *collector.iter_markers()]
    return None if backend() in _backends(collector, marks) else []


def _has_marked_parameters(mark):
    return mark.name == "parametrize" and any(
        getattr(each, "marks", ()) for each in mark.args[1]
    )


def packages_of(item):
    """Return the names of the packages that a test or its module needs."""
    needs = _needs_of(str(item.path))
    params = getattr(getattr(item, "callspec", None), "params", {})
    used = [getattr(item, "originalname", item.name), *item.fixturenames]
    for each in filter(callable, params.values()):
        code = getattr(each, "__code__", None)  # of a lambda, what it names
        used += [getattr(each, "__name__", ""), *getattr(code, "co_names", ())]
    found, seen = packages_of_module(item.path), set()
    while used:
        name = used.pop()
        if name in seen or name not in needs:
            continue
        seen.add(name)
        arguments, names = needs[name]
        used += names
        found |= _packages(arguments, params)
    return found


def packages_of_module(path):
    """Return the names of the packages that a whole module needs."""
    arguments, _ = _needs_of(str(path)).get("", ((), ()))
    return _packages(arguments)


def packages_of_all(folder):
    """Return the names of the packages that any test below a folder names."""
    found = set()
    for path in pathlib.Path(folder).rglob("test_*.py"):
        for arguments, _ in _needs_of(str(path)).values():
            found |= _packages(arguments)
    return found


def _packages(arguments, params=None):
    """Return the packages of arguments of `importorskip`, as far as known."""
    names = (
        (params or {}).get(x.id) if isinstance(x, ast.Name) else x
        for x in arguments
    )
    return {x.partition(".")[0] for x in names if isinstance(x, str)}


@functools.cache
def is_missing(package):
    """Return True if a package is not installed."""
    return importlib.util.find_spec(package) is None


def backends_of(item):
    """Return the backends that run a test, by its file and markers."""
    return _backends(item, [*item.iter_markers()])


def _backends(node, marks):
    only = [x for mark in marks if mark.name == "only_on" for x in mark.args]
    never = [x for mark in marks if mark.name == "not_on" for x in mark.args]
    if not only:
        only = _backends_of_file(node, marks)
    return [x for x in BACKENDS if x in only and x not in never]


def _backends_of_file(node, marks):
    if node.session.isinitpath(node.path):
        return BACKENDS
    here, _, _ = node.nodeid.partition("::")
    is_each = any(mark.name == "each_backend" for mark in marks)
    of_each = is_of_each(here) or is_each
    return ("tensorflow", "jax", "torch") if of_each else ("torch", "numpy")


@functools.cache
def _code(path):
    """Return the source of a module, and no text of other files."""
    path = pathlib.Path(path)
    return path.read_text(encoding="utf-8") if path.suffix == ".py" else ""


@functools.cache
def _needs_of(path):
    """Return what the functions of a file need, by name; "" is the module.

    A value is the arguments of `importorskip`, as text or as the name of a
    parameter, and the names that the function uses.
    """
    text = _code(path)
    if "importorskip" not in text:
        return {}
    tree = ast.parse(text)
    functions = [x for x in tree.body if isinstance(x, ast.FunctionDef)]
    others = [x for x in tree.body if x not in functions]
    found = {x.name: _needs(x.body) for x in functions}
    return {**found, "": (_needs(others)[0], ())}


def _needs(body):
    arguments, names, nodes = [], [], [*body]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If | ast.ClassDef):
            continue
        if isinstance(node, ast.Name):
            names.append(node.id)
        if _is_import_or_skip(node):
            [first, *_] = node.args
            is_text = isinstance(first, ast.Constant)
            arguments.append(first.value if is_text else first)
        nodes += ast.iter_child_nodes(node)
    return arguments, names


def _is_import_or_skip(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "importorskip"
    )

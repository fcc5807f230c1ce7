"""The public surface, and which module knows which."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import keras_rankmetrics

PACKAGE = pathlib.Path(keras_rankmetrics.__file__).parent

# What each module may import of the package.
MAY_IMPORT = {
    "types": set(),
    "version": set(),
    "missing_backend": set(),
    "gains": {"types"},
    "dtypes": {"types"},
    "autograph": set(),
    "known": {"types"},
    "keras_internals": {"types"},
    "sortable": {"branching", "dtypes", "known", "types"},
    "summation": {"types"},
    "options": set(),
    "fingerprint": set(),
    "functions": {"fingerprint", "gains", "types"},
    "branching": {"known", "types"},
    "matching": {"branching", "known", "types"},
    "inputs": {
        "branching",
        "dtypes",
        "inputs",
        "keras_internals",
        "known",
        "matching",
        "sortable",
        "types",
    },
    "identity": set(),
    "doubts": set(),
    "ranking": {
        "branching",
        "dtypes",
        "gains",
        "identity",
        "known",
        "matching",
        "ranking",
        "sortable",
        "types",
    },
    "forms": {"inputs", "ranking", "types"},
    "measures": {"gains", "ranking", "types"},
    "mean": {"types"},
    "evaluation": {
        "forms",
        "gains",
        "inputs",
        "known",
        "mean",
        "ranking",
        "types",
    },
    "metric": {
        "autograph",
        "doubts",
        "evaluation",
        "fingerprint",
        "functions",
        "gains",
        "identity",
        "inputs",
        "known",
        "mean",
        "options",
        "ranking",
        "summation",
        "types",
        "version",
    },
    "metrics": {"gains", "measures", "metric", "types"},
    "collection": {
        "autograph",
        "doubts",
        "evaluation",
        "gains",
        "inputs",
        "mean",
        "metric",
        "summation",
        "types",
    },
    "convention": {"metric", "metrics"},
    "conventions": {"convention", "gains", "metrics"},
    "__init__": {
        "collection",
        "conventions",
        "gains",
        "metric",
        "metrics",
        "missing_backend",
        "ranking",
        "types",
        "version",
    },
}
FILES = sorted(PACKAGE.rglob("*.py"))


def module_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    """The modules of the package that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            first, *rest = name.split(".")
            if first == "keras_rankmetrics" and rest:
                yield rest[0]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_imports_go_one_way(path):
    allowed = MAY_IMPORT[module_of(path)]
    assert set(imports(path)) <= allowed


def test_every_module_is_in_the_table():
    assert {module_of(path) for path in FILES} == set(MAY_IMPORT)


def test_one_module_uses_keras_src():
    users = [p.name for p in FILES if "keras.src" in code_of(p)]
    assert users == ["keras_internals.py"]


def code_of(path):
    """The source without docstrings and comments."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(getattr(first, "value", None), ast.Constant):
            first.value.value = ""
    return ast.unparse(tree)


def test_no_measure_mentions_ties_masks_or_input_forms():
    code = code_of(PACKAGE / "measures.py")
    assert not re.search(r"tie|mask|sparse|shuffle|\bids\b", code)


def test_only_the_metric_has_variables():
    users = [p.name for p in FILES if "add_variable" in code_of(p)]
    assert users == ["metric.py"]


def test_all_is_sorted_complete_and_documented():
    names = keras_rankmetrics.__all__
    assert sorted(names, key=str.lower) == sorted(set(names), key=str.lower)
    public = {
        name
        for name, value in vars(keras_rankmetrics).items()
        if not name.startswith("_")
        and hasattr(value, "__doc__")
        and not isinstance(value, type(ast))
    }
    assert set(names) - {"__version__"} == public
    for name in public:
        assert getattr(keras_rankmetrics, name).__doc__.strip(), name


def test_what_dir_shows():
    modules = {"conventions", "gains", "metrics", "types"}
    assert set(dir(keras_rankmetrics)) == modules | set(
        keras_rankmetrics.__all__
    )
    for name in dir(keras_rankmetrics):
        assert hasattr(keras_rankmetrics, name)


def test_conventions_need_no_import_of_their_own():
    code = (
        "import sys, keras_rankmetrics as krm;"
        "assert 'keras_rankmetrics.conventions' not in sys.modules;"
        "print(krm.conventions.trec_eval.NDCG(k=3).name);"
        "assert not hasattr(krm, 'convetions')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert ran.stdout == "ndcg@3\n", ran.stderr


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert keras_rankmetrics.__version__ == version("keras_rankmetrics")

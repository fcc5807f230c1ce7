"""The public surface, and which module knows which."""

import ast
import pathlib
import re

import pytest
from scripts import printed

import keras_rankmetrics

PACKAGE = pathlib.Path(keras_rankmetrics.__file__).parent

# What each module may import of the package, a package being one module.
MAY_IMPORT = {
    "types": "",
    "version": "",
    "gains": "types",
    "engine": "",
    "engine.backend": "types",
    "engine.messages": "",
    "engine.naming": "engine.backend engine.messages gains types",
    "engine.ranking": "engine.backend gains types",
    "engine.inputs": "engine.backend engine.messages engine.ranking types",
    "engine.checks": (
        "engine.backend engine.inputs engine.messages gains types"
    ),
    "engine.aggregates": "engine.backend types",
    "engine.definition": (
        "engine.backend engine.messages engine.naming engine.ranking gains "
        "types version"
    ),
    "engine.evaluation": (
        "engine.aggregates engine.backend engine.checks engine.definition "
        "engine.inputs engine.ranking types"
    ),
    "engine.metric": (
        "engine.aggregates engine.backend engine.definition engine.evaluation "
        "engine.inputs engine.messages engine.naming engine.ranking gains types"
    ),
    "metrics": (
        "engine.aggregates engine.backend engine.definition engine.evaluation "
        "engine.messages engine.metric engine.naming engine.ranking gains types"
    ),
    "conventions": (
        "engine.definition engine.messages engine.metric gains metrics"
    ),
    "catalogues": (
        "engine.backend engine.checks engine.definition engine.inputs "
        "engine.ranking types"
    ),
    "tables": (
        "conventions engine.aggregates engine.checks engine.inputs "
        "engine.messages gains engine.metric metrics types"
    ),
    "adapters": (
        "conventions engine.aggregates engine.checks engine.definition "
        "engine.messages tables types"
    ),
    "callbacks": (
        "catalogues engine.aggregates engine.backend engine.inputs metrics "
        "tables"
    ),
    "comparing": (
        "conventions engine.aggregates engine.backend engine.checks "
        "engine.definition engine.evaluation engine.inputs engine.messages "
        "engine.metric files gains metrics tables types"
    ),
    "files": "tables types",
    "explaining": (
        "comparing conventions engine.aggregates engine.definition "
        "engine.evaluation engine.inputs engine.messages engine.metric gains "
        "metrics tables types"
    ),
    "command": (
        "comparing conventions engine.messages engine.metric explaining files "
        "gains metrics tables version"
    ),
    "testing": "engine.backend engine.metric",
    "__main__": "",
    "": (
        "callbacks catalogues comparing conventions engine.aggregates "
        "engine.backend engine.inputs engine.messages engine.metric "
        "engine.ranking explaining gains metrics tables testing types version"
    ),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def module_of(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return known_by([part for part in parts if part != "__init__"])


def known_by(parts):
    """The first part, or the first two of what is in the engine."""
    return ".".join(parts[: 2 if parts[:1] == ["engine"] else 1])


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
                yield known_by(rest)


def test_imports_go_one_way():
    for path in FILES:
        module = module_of(path)
        others = set(imports(path)) - {module}
        assert others <= set(MAY_IMPORT[module].split()), path


def test_every_module_is_in_the_table():
    assert {module_of(path) for path in FILES} == set(MAY_IMPORT)


@pytest.mark.long
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
    families = (PACKAGE / "metrics").glob("*.py")
    measures = [
        ast.unparse(node)
        for path in families
        for node in ast.parse(code_of(path)).body
        if isinstance(node, ast.FunctionDef)
        and node.args.args[:1]
        and node.args.args[0].arg == "ranking"
    ]
    assert len(measures) >= 8
    code = "\n".join(measures)
    assert not re.search(r"(?<![a-z])tie|mask|sparse|shuffle|\bids\b", code)


def test_one_module_makes_variables():
    users = [
        p.name
        for p in FILES
        if "add_variable" in p.read_text() and "add_variable" in code_of(p)
    ]
    assert users == ["accumulator.py"]


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
    at_first_use = set(keras_rankmetrics._AT_FIRST_USE)
    assert set(names) - {"__version__"} == public | at_first_use
    for name in public:
        assert getattr(keras_rankmetrics, name).__doc__.strip(), name


def test_what_dir_shows():
    modules = set(keras_rankmetrics._MODULES)
    assert {"conventions", "testing"} < modules
    assert set(dir(keras_rankmetrics)) == modules | set(
        keras_rankmetrics.__all__
    )
    for name in dir(keras_rankmetrics):
        assert hasattr(keras_rankmetrics, name)


@pytest.mark.long
def test_conventions_need_no_import_of_their_own():
    code = (
        "import sys, keras_rankmetrics as krm;"
        "assert 'keras_rankmetrics.conventions' not in sys.modules;"
        "print(krm.conventions.trec_eval.NDCG(k=3).name);"
        "assert not hasattr(krm, 'convetions')"
    )
    assert printed("-c", code) == "ndcg@3\n"


@pytest.mark.long
def test_the_package_needs_no_package_of_the_adapters():
    code = (
        "import sys, keras_rankmetrics;"
        "names = 'pyspark', 'pyarrow', 'ray', 'apache_beam';"
        "sys.modules.update(dict.fromkeys(names));"  # no import finds them
        "from keras_rankmetrics.adapters import ray, spark"
    )
    printed("-c", code)


FIRST = [
    "import keras, keras_rankmetrics as krm",
    "import keras_rankmetrics as krm, keras",
    "import keras_rankmetrics as krm; krm.NDCG; import keras",
    "import keras_rankmetrics as krm; krm.compare; import keras",
]


@pytest.mark.long
@pytest.mark.parametrize("imports", FIRST)
def test_the_import_alone_registers_the_classes(imports):
    code = (
        f"{imports}; config = {{'class_name': 'keras_rankmetrics>NDCG', "
        "'config': {'k': 3}, 'registered_name': 'keras_rankmetrics>NDCG'};"
        "assert keras.saving.deserialize_keras_object(config).k == 3;"
        "assert 'NDCG' in vars(krm) and krm.compare.__name__ == 'compare'"
    )
    printed("-c", code)


@pytest.mark.long
def test_the_import_reads_no_arguments():
    printed(
        "-c",
        "import sys, keras;"  # TensorFlow reads them
        "del sys.argv, sys.orig_argv;"
        "import keras_rankmetrics",
    )


ENTRIES = [
    "keras",
    "keras_rankmetrics.gains",
    "keras_rankmetrics.callbacks",
    "keras_rankmetrics.engine.naming",
    "keras_rankmetrics.files.blocks",
]


@pytest.mark.long
@pytest.mark.parametrize("module", ENTRIES)
def test_any_module_can_be_imported_first(module):
    code = (
        f"import keras_rankmetrics, {module} as module, keras, sys;"
        "assert module is sys.modules[module.__name__];"
        "assert module.__file__ == module.__spec__.origin;"
        "assert keras.saving.get_registered_object('keras_rankmetrics>NDCG')"
    )
    printed("-c", code)


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert keras_rankmetrics.__version__ == version("keras_rankmetrics")

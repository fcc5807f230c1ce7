"""The mutants of small sources, and the list of accepted ones."""

import ast
import pathlib

import pytest

from tests.tools.mutate import covering, mutants
from tests.tools.mutate.forks import ChangedModule, module_name

ROOT = pathlib.Path(__file__).parents[3]


def changed(source, **required):
    """Return the changed sources, which are valid and have the same lines."""
    found = mutants.mutants_of("a.py", source, required)
    results = [mutant.apply(source) for mutant in found]
    for mutant, result in zip(found, results, strict=True):
        assert ast.dump(ast.parse(result)) != ast.dump(ast.parse(source))
        assert result.count("\n") == source.count("\n")
        assert mutant.text in source
    return results


@pytest.mark.parametrize(
    "source, expected",
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a is not b", ["x = a is b"]),
        ("x = a in b", ["x = a not in b"]),
        ("x = a == b != c", ["x = a != b != c", "x = a == b == c"]),
        ("x = (a) + (b)", ["x = (a) - (b)"]),
        ("x = (a  # + é\n + b)", ["x = (a  # + é\n - b)"]),
        ("x = a // b", ["x = a / b"]),
        ("x *= y", ["x /= y"]),
        ("x = a and b and c", ["x = a or b and c", "x = a and b or c"]),
        ("x = not a", ["x = a"]),
        ("x = ~a", ["x = a"]),
        ("x = 0", ["x = 1"]),
        ("x = a[-1]", ["x = a[-2]"]),
        ("x = 1e-3, 0.0", ["x = 0.002, 0.0", "x = 1e-3, 1.0"]),
        ("x = True", ["x = False"]),
        ("x = b if a else c", ["x = b if not (a) else c"]),
        ("x = [b for b in c if b]", ["x = [b for b in c if not (b)]"]),
        ("if a:\n    x = b", ["if not (a):\n    x = b"]),
        ("while a == b:\n    pass", ["while a != b:\n    pass"]),
        ("x = f(a, b)", ["x = f(b, a)"]),
        ("x = f(a, a, *b)", []),
        ("x = f(a, k=b)", ["x = f(a, )"]),
        ("x = f(k=b, m=c)", ["x = f(m=c)", "x = f(k=b, )"]),
        ("x = isinstance(a, b)", []),
        ("f(\n    a\n)", ["pass\n\n"]),
        ("raise f(f'{a + 1}')", ["pass"]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("def f() -> None:\n    return a", []),
        ("def f():\n    return None", []),
        ("x = lambda: 1", ["x = lambda: 2"]),
    ],
)
def test_changes_of_one_statement(source, expected):
    assert changed(source) == expected


def test_what_stays():
    assert not changed('"""1 + 1"""\nimport a\nx: f(1, 2) = "a < b"\n')
    assert not changed("@f(1, 2)\ndef g(a: b[0]) -> c[1]:\n    pass")
    assert not changed("x = zip(*a, strict=True)")
    assert not changed("if TYPE_CHECKING:\n    x = 1\n__all__ = a + b")


def test_a_short_statement_is_shown():
    (mutant,) = mutants.mutants_of("a.py", "x = f(\n    a < b\n)")
    assert str(mutant) == "a.py:2: x = f( a < b )  ->  x = f( a <= b )"
    assert mutant.text == "a < b"


def test_arguments_without_a_default_are_not_left_out():
    required = mutants.required_arguments(
        (
            "def f(a, b=1, *, c, d=2): ...",
            "class G:\n    x: int\n    y: int = 3",
            "class H:\n    def __init__(self, z, w=1): ...",
        )
    )
    left = {
        name: values - {"self"}
        for name, values in required.items()
        if name != "__init__"
    }
    assert left == {"f": {"a", "c"}, "G": {"x"}, "H": {"z"}}
    assert changed("x = f(a=p, d=q)", **left) == ["x = f(a=p, )"]


def test_lines_of_the_statement():
    source = (
        "def f(x=1):\n    if (\n        a < b\n    ):\n        return é < c\n"
    )
    found = mutants.mutants_of("a.py", source)
    places = [(m.line, m.statement) for m in found]
    assert places == [
        (1, (1, 1)),
        (3, (2, 4)),
        (3, (2, 4)),
        (5, (5, 5)),
        (5, (5, 5)),
    ]


def test_the_seed_chooses_the_mutants():
    found = mutants.all_mutants(ROOT, ["keras_rankmetrics/engine/ranking/"])
    assert {m.path.split("/")[2] for m in found} == {"ranking"}
    some = mutants.sample(found, 30, seed=1)
    assert some == mutants.sample(found, 30, seed=1)
    assert some != mutants.sample(found, 30, seed=2)
    for mutant in some:
        source = (ROOT / mutant.path).read_text()
        changed = mutant.apply(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))


def test_accepted_survivors_are_mutants():
    entries = mutants.equivalents()
    paths = {entry["path"] for entry in entries}
    found = mutants.all_mutants(ROOT, paths) if paths else []
    for entry in entries:
        assert entry["reason"]
        assert any(mutants.accepts(entry, mutant) for mutant in found), entry


@pytest.mark.parametrize(
    "backend, expected",
    [
        ("torch", [0, 1, 2, 3]),
        ("numpy", [1, 2]),
        ("tensorflow", [0, 3]),
        ("jax", [3]),
    ],
)
def test_files_of_a_backend(monkeypatch, backend, expected):
    files = [
        "README.md",
        "keras_rankmetrics/gains.py",
        "tests/files/test_limits.py",
        "tests/inputs/test_masks.py",
    ]
    monkeypatch.setenv("KERAS_BACKEND", backend)
    found = covering.test_files(files)
    assert found == [files[place] for place in expected]


def test_a_changed_module_is_served_from_memory():
    path = "keras_rankmetrics/version.py"
    loader = ChangedModule(ROOT, path, "x = 2 + 2")
    assert loader.find_spec("keras_rankmetrics.types") is None
    spec = loader.find_spec("keras_rankmetrics.version")
    module = {}
    exec(spec.loader.get_code(spec.name), module)
    assert module["x"] == 4


@pytest.mark.parametrize(
    "path, name",
    [
        ("keras_rankmetrics/__init__.py", "keras_rankmetrics"),
        ("keras_rankmetrics/a/b.py", "keras_rankmetrics.a.b"),
        ("keras_rankmetrics/command/script/krm_command.py", "krm_command"),
    ],
)
def test_names_of_modules(path, name):
    assert module_name(path) == name

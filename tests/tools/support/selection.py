"""Which tests can run here: those of other backends and packages cannot.

A test says what it needs by `pytest.importorskip("pandas")`, in its own body or
in that of a function or fixture of its module that it uses, and its backend by
the markers `only_on` and `not_on`. Calls under an `if` do not count, since they
may not be reached.
"""

import ast
import functools
import importlib.util
import pathlib


def packages_of(item):
    """Return the names of the packages that a test needs."""
    needs = _needs_of(str(item.path))
    params = getattr(getattr(item, "callspec", None), "params", {})
    used = [getattr(item, "originalname", item.name), *item.fixturenames]
    for each in filter(callable, params.values()):
        code = getattr(each, "__code__", None)  # of a lambda, what it names
        used += [getattr(each, "__name__", ""), *getattr(code, "co_names", ())]
    found, seen = set(), set()
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


def runs_on(item, backend):
    """Return True if the markers of a test allow the backend."""
    only = [name for mark in item.iter_markers("only_on") for name in mark.args]
    never = [name for mark in item.iter_markers("not_on") for name in mark.args]
    return (not only or backend in only) and backend not in never


@functools.cache
def _needs_of(path):
    """Return what the functions of a file need, by name; "" is the module.

    A value is the arguments of `importorskip`, as text or as the name of a
    parameter, and the names that the function uses.
    """
    is_code = path.endswith(".py")
    text = pathlib.Path(path).read_text(encoding="utf-8") if is_code else ""
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

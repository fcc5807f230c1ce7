"""How much there is to hold in the head: lines, names, records, words."""

import ast
import collections

from tests.package import house

# The only functions of one name: the first two are public in three places, and
# the others stand for the function of that name in `keras.ops`.
IN_SEVERAL = {"evaluate", "per_query", "all", "any", "stack", "top_k"}
WING = ("adapters", "command", "comparing", "files", "tables")


def definitions():
    """Yield the path and the node of each class and function of a module."""
    for path in sorted(house.PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield path.relative_to(house.PACKAGE).as_posix(), node


def test_no_name_is_defined_twice():
    places = collections.defaultdict(list)
    for path, node in definitions():
        if not node.name.startswith("_"):
            places[node.name].append(path)
    twice = {name for name, paths in places.items() if len(paths) > 1}
    assert {name: places[name] for name in twice - IN_SEVERAL} == {}


def test_the_wing_has_few_records():
    records = [
        f"{path}: {node.name}"
        for path, node in definitions()
        if path.startswith(WING) and isinstance(node, ast.ClassDef)
        for marks in [map(ast.unparse, [*node.bases, *node.decorator_list])]
        if any(
            kind in mark
            for mark in marks
            for kind in ("NamedTuple", "TypedDict", "dataclass")
        )
    ]
    assert len(records) <= 27, records


def test_the_page_shows_the_weights():
    text = house.PAGE.read_text()
    assert house.written(text) == text, (
        "make them: `python tests/package/house.py --write`"
    )

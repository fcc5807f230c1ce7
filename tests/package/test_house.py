"""How much there is to hold in the head: lines, names, records, words."""

import ast
import collections

import pytest

from tests.package import house

# The only functions of one name: the first two are public in three places, and
# the others stand for the function of that name in `keras.ops`.
IN_SEVERAL = {"evaluate", "per_query", "all", "any", "stack", "top_k"}
MOST = {
    "silent cells": 0,
    "calls of `check_*`, `warn_*` by hand in the wing": 74,
}


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
    assert len(house.records()) <= 33, house.records()


def test_no_aim_recedes():
    """What a move of the plan has reached stays reached."""
    for name, most in MOST.items():
        count, _ = house.AIMS[name]
        assert count() <= most, name


@pytest.mark.long
def test_the_page_shows_the_weights():
    text = house.PAGE.read_text()
    assert house.written(text) == text, (
        "make them: `python tests/package/house.py --write`"
    )

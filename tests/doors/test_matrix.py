"""What every door says of data with two readings, and of ordinary data."""

import json
import math
import pathlib
import re

import pytest
from data import CHECKED, ORDINARY
from doors import DOORS, answer_of, is_right

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")

# Doors that say nothing yet, by the names of data, though the value may be
# wrong. The list may only shrink: a door that speaks is an error until its
# entry goes.
SILENT = json.loads(pathlib.Path(__file__).with_name("silent.json").read_text())


def can_be_passed(name, data):
    """Return True if a door can see the other reading of data."""
    door = DOORS[name]
    if "queries" in data.reading and not door.has_queries:
        return False
    if data.of_items and not door.has_items:
        return False
    if data.others and not door.has_others:
        return False
    of_arrays = DOORS["update_state"], DOORS["evaluate: arrays"]
    if not data.in_batches and door in of_arrays:
        return False
    if "rank" in data.others and door is DOORS["compare: one frame"]:
        return False  # it names its columns of scores
    if not data.explained and "explain" in name:
        return False
    return data.in_dicts or door is not DOORS["evaluate: dicts"]


CELLS = [
    pytest.param(
        door,
        data,
        id=f"{name}-{called}",
        marks=pytest.mark.xfail(strict=True) if called in silent else (),
    )
    for name, data in CHECKED.items()
    for silent in [SILENT.get(name, ())]
    for called, door in DOORS.items()
    if can_be_passed(called, data)
]


@pytest.mark.parametrize(
    ("door", "data"),
    [
        pytest.param(door, data, id=f"{called}-{name}")
        for called, door in DOORS.items()
        for name, data in ORDINARY.items()
        if not (data.has_ties and re.search("diagnose|doctor", called))
    ],
)
def test_ordinary_data_are_right_and_quiet(door, data, tmp_path):
    answer = answer_of(door, data, tmp_path)
    assert answer.level == "quiet", answer.words
    assert is_right(answer, data)


@pytest.mark.parametrize(("door", "data"), CELLS)
def test_a_door_says_of_what_it_assumes(door, data, tmp_path):
    """An error, a warning, a note; or NaN, which is no wrong number."""
    answer = answer_of(door, data, tmp_path)
    is_nan = answer.value is not None and math.isnan(answer.value)
    if answer.level == "quiet" and not is_nan:
        may_be = {"all": True, "without notes": not door.has_notes}
        assert may_be.get(data.right_in), answer
        assert is_right(answer, data), answer


def test_each_silent_cell_is_one():
    names = {x.id for x in CELLS}
    silent = {
        f"{data}-{door}" for data, doors in SILENT.items() for door in doors
    }
    assert silent <= names

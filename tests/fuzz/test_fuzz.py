"""Some of the cases that the command runs for minutes, and all that failed."""

import dataclasses
import itertools
import json
import math
import pathlib

import keras
import numpy as np
import pytest

from . import draws, judge, outcomes, search
from .breaks import BREAKS
from .case import Case
from .pools import FAMILIES, suites

BACKEND = keras.backend.backend()
CASES = pathlib.Path(__file__).parent / "cases"
# As many as take ten seconds: jax compiles each operation of a metric.
FEW = {"torch": 300, "tensorflow": 80, "jax": 4}[BACKEND]
PROGRAMS = {"torch": 0, "tensorflow": 8, "jax": 10}[BACKEND]


def told(found):
    """One line for each failure, and the case to store, if any failed."""
    return "\n".join(
        f"{failure.kind}: {failure.cell}: {failure.detail}\n{case.as_json()}"
        for case, failure in found[:3]
    )


@pytest.mark.long
def test_some_cases(monkeypatch):
    monkeypatch.setitem(draws.SHARE_OF_PROGRAMS, BACKEND, 0.0)
    run = search.Search(seed=0).run(seconds=math.inf, cases=FEW)
    assert not run.found, told(run.found)
    assert run.cases


@pytest.mark.long
@pytest.mark.not_on("torch", reason="torch compiles nothing here")
def test_some_programs(monkeypatch):
    monkeypatch.setitem(draws.SHARE_OF_PROGRAMS, BACKEND, 1.0)
    run = search.Search(seed=0).run(seconds=math.inf, cases=PROGRAMS)
    assert not run.found, told(run.found)
    assert run.cases


WAYS = ("together", "alone", *draws.PROGRAMS[BACKEND])
STORED = {path.stem: path.read_text() for path in sorted(CASES.glob("*.json"))}


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [name for name, text in STORED.items() if json.loads(text)["way"] in WAYS],
)
def test_what_once_failed(name):
    assert search.tried(Case.of_json(STORED[name])) == []


@pytest.mark.parametrize(
    "family, form", [(x, form) for x in FAMILIES for form in FAMILIES[x]]
)
def test_each_way_to_break_a_batch(family, form):
    cells = suites(family, form)[0][:1]
    broken = [name for name, way in BREAKS.items() if way.fits(family, form)]
    for name, way in itertools.product(broken, ("together", "alone")):
        rng = np.random.default_rng(3)
        parts = draws.plain(rng, family, form, 3, 5)
        case = Case(form, cells, parts, way=way, broken=name, family=family)
        assert search.tried(case) == [], (name, way)


def a_case(**changes):
    for number in range(100):
        case = draws.drawn(1, number)
        if (
            not case.broken
            and not case.is_compiled
            and case.parts[
                "target" if "target" in case.parts else "labels"
            ].values.size
        ):
            return dataclasses.replace(case, **changes)
    raise AssertionError("no valid case")


def test_a_case_is_stored_as_it_is():
    for number in range(40):
        case = draws.drawn(2, number)
        text = case.as_json()
        assert Case.of_json(text).as_json() == text
        np.testing.assert_equal(
            [p.values for p in Case.of_json(text).parts.values()],
            [p.values for p in case.parts.values()],
        )


def test_the_same_seed_draws_the_same():
    one, other = (draws.drawn(5, 3).as_json() for _ in range(2))
    assert one == other
    assert one != draws.drawn(6, 3).as_json()


# It must be able to fail.


@pytest.mark.parametrize(
    "wrong, kind",
    [
        ({"result": 0.123}, "a result"),
        ({"values": np.array([0.123] * 3)}, "a value"),
        ({"values": np.array([1.0])}, "another shape"),
        ({"differs": True}, "other bits"),
        ({"error": ValueError("should. Received: x")}, "refused"),
        ({"error": IndexError("Received")}, "a crash"),
        ({"error": ValueError("cannot broadcast")}, "a crash"),
        (
            {"error": ValueError("should. Received"), "changed": True},
            "a changed state",
        ),
    ],
)
def test_what_is_wrong_is_found(wrong, kind):
    rng = np.random.default_rng(0)
    case = Case(
        "scores",
        suites("relevance", "scores")[0][:1],
        draws.plain(rng, "relevance", "scores", 3, 5),
    )
    [right] = outcomes.outcomes_of(case)
    assert list(judge.failures_of(case, [right])) == []
    found = judge.failures_of(case, [dataclasses.replace(right, **wrong)])
    assert kind in [failure.kind for failure in found]


@pytest.mark.only_on("torch", reason="it tests the judge, not the package")
@pytest.mark.parametrize(
    "family, form",
    [(family, form) for family in FAMILIES for form in FAMILIES[family]],
)
def test_what_is_wrong_of_each_metric_is_found(family, form):
    rng = np.random.default_rng(0)
    parts = draws.plain(rng, family, form, 3, 5)
    cells = suites(family, form)[0][: 1 if BACKEND == "jax" else None]
    case = Case(form, cells, parts, family=family)
    right = outcomes.outcomes_of(case)
    assert list(judge.failures_of(case, right)) == []
    wrong = [
        dataclasses.replace(x, values=x.values + 0.1, result=x.result + 0.1)
        for x in right
    ]
    found = judge.failures_of(case, wrong)
    kinds = [failure.kind for failure in found]
    assert kinds.count("a value") == 3 * len(cells)
    assert kinds.count("a result") == len(cells)


@pytest.mark.parametrize("way", ["together", "graph"])
def test_a_number_of_what_is_broken_is_found(way):
    rng = np.random.default_rng(0)
    parts = draws.plain(rng, "relevance", "scores", 3, 5)
    cells = suites("relevance", "scores")[0][:1]
    case = Case("scores", cells, parts, way=way, broken="a function")
    outcome = outcomes.Outcome(case.cells[0], np.array([0.5]), 0.5)
    [failure] = judge.failures_of(case, [outcome])
    assert failure.kind.startswith("a number")


@pytest.mark.long
def test_a_hang_is_found(monkeypatch):
    def forever(case):
        while True:
            pass

    monkeypatch.setattr(search, "outcomes_of", forever)
    monkeypatch.setattr(search, "LIMIT", 1)
    [failure] = search.tried(a_case())
    assert failure.kind == "a hang"

"""Programs without a mistake are right, and no door warns of them.

Raise `LONG` to try a new check on more of them.
"""

import math
import warnings

import pytest
from data import ndcg
from programs import Program, drawn

import keras_rankmetrics as krm

METRIC = "NDCG@10"
LONG = range(12, 120)


def columns(sides):
    """Return the rows of {query: {item: value}} as columns."""
    rows = [(q, *row) for q, x in sides.items() for row in x.items()]
    names = "query", "item", "value"
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def beside(program):
    """Return the labels of the retrieved items of each list."""
    return [
        [program.truth[q].get(item, 0.0) for item in x]
        for q, x in program.run.items()
    ]


def table(program):
    """Return one table of labels and scores."""
    found = columns(program.run)
    labels = [x for row in beside(program) for x in row]
    return {**found, "label": labels, "score": found.pop("value")}


def of_two_tables(program):
    truth, run = columns(program.truth), columns(program.run)
    truth["label"], run["score"] = truth.pop("value"), run.pop("value")
    return krm.evaluate(truth, run, METRIC)[METRIC]


def of_systems(program):
    shorter = {q: dict([*x.items()][:-1]) for q, x in program.run.items()}
    runs = {"a": program.run, "b": shorter}
    compared = krm.compare(program.truth, runs, METRIC)
    return compared.report.cells[0][0].value


def of_rows(program):
    columns = (table(program)[x] for x in ("query", "label", "score"))
    return krm.evaluate_rows(*columns, METRIC)[METRIC]


def of_batches(program):
    metric = krm.NDCG(k=10)
    for labels, scores in zip(
        beside(program), program.run.values(), strict=True
    ):
        metric.update_state([labels], [[*scores.values()]])
    return float(metric.result())


OF_ALL = {
    "dicts": lambda x: krm.evaluate(x.truth, x.run, METRIC)[METRIC],
    "two tables": of_two_tables,
    "two systems": of_systems,
}
OF_RETRIEVED = {
    "one table": lambda x: krm.evaluate(table(x), metrics=METRIC)[METRIC],
    "rows": of_rows,
    "batches": of_batches,
}


def value_of(program: Program, *, of_retrieved: bool) -> float:
    """Return NDCG@10, by its formula."""
    values = []
    for query, run in program.run.items():
        truth = program.truth[query]
        items = run if of_retrieved else {**run, **truth}
        rows = [(truth.get(x, 0.0), run.get(x, -math.inf)) for x in items]
        values.append(ndcg(rows))
    return math.fsum(values) / len(values)


@pytest.mark.parametrize(
    "seed",
    [*range(12), *(pytest.param(x, marks=pytest.mark.long) for x in LONG)],
)
def test_ordinary_programs_are_right_and_quiet(seed):
    program = drawn(seed)
    for doors, of_retrieved in (OF_ALL, False), (OF_RETRIEVED, True):
        expected = value_of(program, of_retrieved=of_retrieved)
        for name, door in doors.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                value = door(program)
            words = f"{name}: {program.words}"
            assert math.isclose(value, expected, abs_tol=1e-6), words

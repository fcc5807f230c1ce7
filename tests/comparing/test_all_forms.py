"""Random tables in all forms: each door gives one number, or an error."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_forms_with_ids import FIELDS, FRAMES, by_query, columns

import keras_rankmetrics as krm
from krm_command import main

METRICS = "NDCG@3 RR Recall@2 AP"
SCALE = 8.0  # scores that float32 and text have exactly


@st.composite
def tables(draw):
    """The rows of a truth and of a run, of the same queries, without ties."""
    queries = draw(
        st.lists(st.integers(-9, 9), min_size=2, max_size=4, unique=True)
    )
    items = st.lists(st.integers(20, 29), min_size=1, max_size=5, unique=True)
    truth, run = [], []
    for query in queries:
        truth += [
            (query, item, draw(st.integers(0, 3))) for item in draw(items)
        ]
        found = draw(items)
        scores = draw(st.permutations(range(-3, len(found) - 3)))
        run += [
            (query, item, score / SCALE + 1 / 16)
            for item, score in zip(found, scores, strict=True)
        ]
    assume(any(label > 0 for _, _, label in truth))
    return truth, run


def best_first(rows):
    return {
        query: sorted(items, key=items.get, reverse=True)
        for query, items in by_query(rows).items()
    }


FORMS = {
    **FRAMES,
    "dict": lambda rows, names: by_query(rows),
    "rows": lambda rows, names: krm.Rows(
        *map(np.array, zip(*rows, strict=True))
    ),
    "chunks": lambda rows, names: [FORMS["rows"](rows, names)],
}
QUICK = ("columns", "named tuples", "pandas")


def values(truth, run, **options):
    return [*krm.evaluate(truth, run, METRICS, **options).values()]


@pytest.mark.parametrize(
    "form",
    [
        form if form in QUICK else pytest.param(form, marks=pytest.mark.long)
        for form in FORMS
    ],
)
@settings(max_examples=5, deadline=None)
@given(tables())
@pytest.mark.filterwarnings("ignore:.*retrieved items are judged")
def test_all_forms_have_one_number(form, drawn):
    truth, run = drawn
    expected = values(by_query(truth), by_query(run))
    of = FORMS[form]
    for names in (FIELDS, ("uid", "movieId", "rating")):
        assert values(of(truth, names), of(run, names)) == expected
        assert values(by_query(truth), of(run, names)) == expected
        assert values(of(truth, names), best_first(run)) == expected
        odd = of(run, ("a", "b", "c"))
        try:
            found = values(by_query(truth), odd)
        except (TypeError, ValueError):
            continue
        assert found == expected


@settings(max_examples=10, deadline=None)
@given(tables())
def test_all_doors_have_one_number(drawn):
    """`evaluate_rows` knows no items that the run lacks, so all are there."""
    truth, run = drawn
    graded = {(query, item): label for query, item, label in truth}
    truth = [(q, item, graded.get((q, item), 0)) for q, item, _ in run]
    assume(any(label for _, _, label in truth))
    expected = values(by_query(truth), by_query(run))
    metrics = [krm.NDCG(3), krm.MeanReciprocalRank(), krm.RecallAtK(2)]
    metrics.append(krm.MeanAveragePrecision())
    query, label, score = (
        columns(run)["user_id"],
        *(columns(rows)["rating"] for rows in (truth, run)),
    )
    found = krm.evaluate_rows(query, label, score, metrics)
    assert [*found.values()] == pytest.approx(expected, rel=1e-6)
    systems = {"s": columns(run)}
    compared = krm.compare(by_query(truth), systems, METRICS)
    found = compared.to_dict()["systems"]["s"].values()
    assert [cell["value"] for cell in found] == expected


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "trec"])
def test_files_and_the_command_have_one_number(ending, tmp_path, capsys):
    truth = [(f"q{q}", f"d{i}", q * i % 3) for q in range(4) for i in range(5)]
    run = [(f"q{q}", f"d{i}", q * i % 7 / SCALE) for q, i, _ in _numbers()]
    paths = []
    for name, rows in (("qrels", truth), ("run", run)):
        paths.append(str(tmp_path / f"{name}.{ending}"))
        with open(paths[-1], "w") as file:
            file.write(_text(rows, ending, name))
    expected = values(by_query(truth), by_query(run))
    found = krm.evaluate(*paths, METRICS)
    assert [*found.values()] == expected
    main(["eval", *paths, "-m", METRICS.replace(" ", ","), "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    cells = printed["systems"]["run"].values()
    assert [cell["value"] for cell in cells] == expected
    has_columns = ending in ("csv", "tsv")
    assert (
        bool(printed["read_as"])
        == has_columns
        == bool(found.to_dict()["read_as"])
    )


def _numbers():
    return [(q, i, 0) for q in range(4) for i in (7, 3, 1, 4)]


def _text(rows, ending, name):
    if ending == "json":
        return json.dumps(by_query(rows))
    if ending == "trec":
        of_run = "{} Q0 {} 1 {} tag\n" if name == "run" else "{} 0 {} {}\n"
        return "".join(of_run.format(*row) for row in rows)
    between = "," if ending == "csv" else "\t"
    lines = [("user_id", "movieId", "rating"), *rows]
    return "".join(between.join(map(str, line)) + "\n" for line in lines)

"""Frames with a list of items in each row."""

import numpy as np
import pytest

import keras_rankmetrics as krm

COLUMNS = {
    "question": ["a", "b", "c"],
    "expected": [["x"], ["y", "z"], []],
    "retrieved": [["x", "z"], ["w", "y"], ["q"]],
}
METRICS = "RR MAP@3 Recall@1"
TRUTH, RUN = ["question", "expected"], ["question", "retrieved"]


def by_query(name):
    return dict(zip(COLUMNS["question"], COLUMNS[name], strict=True))


def frame(package="pandas", **columns):
    return pytest.importorskip(package).DataFrame(COLUMNS | columns)


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_lists_are_the_items_of_a_query(package):
    expected = dict(
        krm.evaluate(by_query("expected"), by_query("retrieved"), METRICS)
    )
    df = frame(package)
    found = krm.evaluate(df[TRUTH], df[RUN], METRICS)
    assert dict(found) == expected
    assert found.per_list()["query"] == COLUMNS["question"]
    assert (
        dict(krm.evaluate(by_query("expected"), df[RUN], METRICS)) == expected
    )
    compared = krm.compare(df[TRUTH], {"a": df[RUN], "b": df[RUN]}, METRICS)
    values = compared.per_list()["RR"]
    assert values == found.per_list()["RR"] * 2


def test_cells_may_be_arrays_tuples_and_numbers():
    lists = {
        "expected": [np.array([7]), (8, 9), []],
        "retrieved": [np.array([7, 9]), [5, 8], (1,)],
    }
    df = frame(**lists)
    expected = krm.evaluate(
        by_query("expected"), by_query("retrieved"), METRICS
    )
    assert dict(krm.evaluate(df[TRUTH], df[RUN], METRICS)) == dict(expected)


def test_other_columns_need_the_name_of_the_query():
    df = frame(note=["x", "y", "z"])
    truth = df[[*TRUTH, "note"]]
    with pytest.raises(ValueError, match="one value in each row"):
        krm.evaluate(truth, df[RUN], "RR")
    found = krm.evaluate(truth, df[RUN], "RR", columns={"query": "question"})
    assert "not read: note" in str(found)
    named = truth.rename(columns={"question": "query_id"})
    assert dict(krm.evaluate(named, df[RUN], "RR")) == dict(found)


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ({"more": COLUMNS["retrieved"]}, {}),  # which of the lists?
        ({"more": COLUMNS["retrieved"]}, {"item": "expected"}),
        ({"label": [1, 0, 1]}, {"query": "question"}),
        ({"doc_id": ["x", "y", "z"]}, {"query": "question"}),
        ({}, {"query": "question", "item": "question"}),
        ({}, {"query": "question", "label": "expected"}),
        ({"expected": [[1, 0], [0, 1], [1, 1]]}, {}),  # labels or ids?
        ({"expected": [[0.5], [0.1], [0.2]]}, {}),
        ({"expected": ["x y", "z", "w"]}, {}),
    ],
)
def test_two_readings_are_refused(columns, asked):
    truth = frame(**columns).drop(columns="retrieved")
    with pytest.raises(ValueError, match=r"should have one (value|column)"):
        krm.evaluate(truth, by_query("retrieved"), "RR", columns=asked or None)


def test_rows_that_are_wrong_are_refused():
    df = frame()
    again = df[TRUTH].iloc[[0, 1, 2, 0]]
    with pytest.raises(ValueError, match=r"one row for each query.*'a' again"):
        krm.evaluate(again, df[RUN], "RR")
    for missing in (None, float("nan"), "x"):
        retrieved = [["x"], missing, ["y"]]
        with pytest.raises(TypeError, match=r"items for each query.*'b'"):
            krm.evaluate(df[TRUTH], frame(retrieved=retrieved)[RUN], "RR")
    with pytest.raises(ValueError, match="one value in each row"):
        krm.evaluate(df, metrics="RR")

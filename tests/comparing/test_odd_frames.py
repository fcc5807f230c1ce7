"""Frames and series that looked like other inputs."""

import json

import numpy as np
import pytest
from outcomes import of_rows, refused, row, rr

import keras_rankmetrics as krm

pd = pytest.importorskip("pandas", reason="needs the extra [interop]")

# Beside other packages, too, a warning that no row names is an error.
pytestmark = pytest.mark.filterwarnings("error::UserWarning")

RUN = {"u1": ["x", "a"], "u2": ["c", "y"]}
TWICE = ["u1", "u1", "u2"]
REPEATED = pd.Series(["a", "b", "c"], index=TWICE)
TEXTS = pd.Series(["a b", "c"], index=["u1", "u2"])
NAMES = ["user_id", "item_id", "rating"]
TRUTH = pd.DataFrame([(1, 10, 1), (1, 11, 0), (2, 12, 1)], columns=NAMES)
SCORED = TRUTH.assign(rating=[0.2, 0.9, 0.4])
JSON = [json.loads(x.to_json()) for x in (TRUTH, SCORED)]
ODD_JSON = [
    json.loads(x.set_axis([*"uir"], axis=1).to_json()) for x in (TRUTH, SCORED)
]
ALONE = pd.DataFrame([("a", 1, 5), ("a", 2, 0)], columns=NAMES)
PREDICTED = ALONE.assign(pred_rating=[0.1, 0.2])
LABELLED = pd.DataFrame({"query": [1], "label": [1], "score": [0.1]})
WIDE = pd.DataFrame({"user": [1], "rec_1": [10], "rec_2": [11]})
BY_ITEM = {"q": pd.Series([1, 0], index=[7, 8])}
SEARCH = np.array([[0.9, 0.5]]), np.array([[0, 1]])
ITEMS = pd.Series(["b", "a"], index=[1, 0])
GRADES = {"q": {"a": 1, "b": 0}}
TO_DICT = "Pass `.to_dict..` for a value of each item"
ONE_COLUMN = "different columns. Received: 'rating' for both"
OUT_OF_ORDER = "The index of `item_ids` should be in order"


@of_rows(
    "words",
    [
        # Only the last row of each query had been read.
        row("name each query once. Received: 'u1' twice", REPEATED, RUN),
        row("each query once. Received: 'u1' twice", REPEATED.map(list), RUN),
        row("name each query once", RUN, REPEATED),
        row("name each query once", RUN, REPEATED.map(list)),
        row(r"Pass `x.map\(lambda text: text.split\(\)\)`", TEXTS, RUN),
        row("`columns=", *ODD_JSON),
        row(r"\.{3}.*alone: `evaluate\(table, ", LABELLED, LABELLED),
        *(
            row("may be several ids", pd.Series({"u1": x, "u2": "c"}), RUN)
            for x in ("[1,2]", "a,b", "a;b", "a|b")
        ),
        row(ONE_COLUMN, PREDICTED, PREDICTED),
        row(OUT_OF_ORDER, GRADES, SEARCH, query_ids=["q"], item_ids=ITEMS),
        row(r"'rec_2'\]. Give each item a row", {1: [10]}, WIDE),
        row(TO_DICT, BY_ITEM, {"q": [7, 8]}),
    ],
)
def test_what_is_refused(words, truth, run, options):
    refused(words, truth, run, **options)


ORDERED = {"query_ids": ["q"], "item_ids": ITEMS.sort_index()}


@of_rows(
    "value",
    [
        row(0.75, REPEATED.groupby(level=0).agg(list), RUN),
        row(0.75, TEXTS.str.split(), {**RUN, "u1": ["x", "b"]}),
        row(0.75, *JSON),
        row(0.75, TRUTH, SCORED),
        row(0.5, PREDICTED, PREDICTED, columns={"score": "pred_rating"}),
        row(1.0, ALONE, ALONE),
        row(1.0, GRADES, SEARCH, **ORDERED),
        row(0.5, {"q": [8]}, {"q": pd.Series([7, 8])}),
    ],
)
def test_what_has_a_value_without_a_warning(value, truth, run, options):
    assert rr(truth, run, **options) == value


@pytest.mark.parametrize("of", ["pandas", "polars"])
def test_cells_with_lists_are_refused(of):
    library = pytest.importorskip(of, reason="needs the extra [interop]")
    columns = {"query_id": ["q", "r"], "item_id": [["a", "b"], ["c"]]}
    columns["label"] = [1, 1]  # of a list, or of each of its items?
    refused("Call `.explode", library.DataFrame(columns), {"q": ["a"]})


def test_an_index_of_rows_does_not_name_queries():
    names = ("user_id", "item_id", "label", "lang")
    rows = [(0, 1, 1, "en"), (0, 2, 1, "en"), (1, 3, 1, "de"), (1, 4, 1, "de")]
    frame = pd.DataFrame(rows, columns=names)
    run = {0: [1], 1: [8]}
    for name in ("groups", "sample_weight"):
        values = frame["lang" if name == "groups" else "label"]
        refused("the numbers of rows", frame, run, **{name: values})
        by_user = values.groupby(frame["user_id"]).first()
        krm.evaluate(frame, run, "P@1", **{name: by_user})
        twice = values.set_axis(frame["user_id"])
        refused("some queries twice", frame, run, **{name: twice})
    refused("Received: set", frame, run, TypeError, groups={"en", "de"})
    column = frame["lang"].tolist()
    refused("Received: list", frame, run, TypeError, groups=column)


HEADLESS = pd.DataFrame(
    [("u1", "b", 0.5), ("u2", "c", 0.2)], columns=["u1", "a", "0.9"]
)
CHOSEN = {"query": "u1", "item": "a", "score": "0.9"}
READ = r"read the table with `header=None, names=\[\"query\", \"item\", \"score"


def test_a_row_that_was_read_as_names():
    refused(READ, RUN, HEADLESS)
    with pytest.warns(UserWarning, match=READ) as caught:
        rr(RUN, HEADLESS, columns=CHOSEN)
    names = {x.filename for x in caught if x.category is UserWarning}
    assert names == {rr.__code__.co_filename}


@pytest.mark.parametrize("name", ["2024", "2", "score 0.5", "0.5"])
def test_names_of_columns_that_are_numbers(name):
    """The others of a table have usual names where one is a weight."""
    names = ["user", "item", name] if name == "0.5" else ["u", "i", name]
    chosen = dict(zip(CHOSEN, names, strict=True))
    rr(RUN, HEADLESS.set_axis(names, axis=1), columns=chosen)

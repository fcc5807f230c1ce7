"""Inputs of every form, read as what they are, or refused with the remedy."""

import collections
import json
import re

import numpy as np
import pytest
from outcomes import of_rows, refused, row, rr, said
from runs import by_query
from table_files import written

import keras_rankmetrics as krm
from keras_rankmetrics.comparing.forms import FORMS

# Two users: their relevant items, and what a system recommends, by rating.
TRUTH = [(1, 10, 1), (1, 11, 0), (2, 12, 1)]
RUN = [(1, 11, 0.9), (1, 10, 0.8), (2, 13, 0.7)]
FIELDS = ("user_id", "item_id", "rating")
RUN_BY_QUERY = {1: {11: 0.9, 10: 0.8}, 2: {13: 0.7}}
VALUE = 0.25  # the reciprocal ranks 1 / 2 and 0
Prediction = collections.namedtuple("Prediction", "uid iid r_ui est details")


def columns(rows, names=FIELDS):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def pandas(rows, names=FIELDS):
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    return pd.DataFrame(columns(rows, names))


def polars(rows, names=FIELDS):
    pl = pytest.importorskip("polars", reason="needs the extra [interop]")
    return pl.DataFrame(columns(rows, names))


def arrow(rows, names=FIELDS):
    pa = pytest.importorskip("pyarrow")
    return pa.table(columns(rows, names))


def duckdb(rows, names=FIELDS):
    module = pytest.importorskip("duckdb", reason="needs the extra [interop]")
    relation = arrow(rows, names)  # noqa: F841
    return module.sql("select * from relation")


def ibis(rows, names=FIELDS):
    module = pytest.importorskip("ibis", reason="needs the extra [interop]")
    return module.memtable(columns(rows, names))


def structured(rows, names=FIELDS):
    kinds = [(name, "f8" if name == names[2] else "i8") for name in names]
    return np.array(rows, kinds)


FRAMES = {
    "pandas": pandas,
    "pandas, to_dict": lambda *of: pandas(*of).to_dict(),
    "pandas, to_dict of rows": lambda *of: pandas(*of).to_dict("index"),
    "pandas, to_records": lambda *of: pandas(*of).to_records(index=False),
    "pandas, index of two levels": lambda rows, names=FIELDS: pandas(
        rows, names
    ).set_index([*names[:2]]),
    "pandas, series of two levels": lambda rows, names=FIELDS: pandas(
        rows, names
    ).set_index([*names[:2]])[names[2]],
    "polars": polars,
    "polars, lazy": lambda *of: polars(*of).lazy(),
    "arrow": arrow,
    "duckdb": duckdb,
    "ibis": ibis,
    "structured": structured,
    "columns": columns,
    "dicts": lambda rows, names=FIELDS: [
        dict(zip(names, row, strict=True)) for row in rows
    ],
    "named tuples": lambda rows, names=FIELDS: [
        collections.namedtuple("Row", names)(*row) for row in rows
    ],
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


# Tables.


@frames
def test_a_frame_is_read_by_its_columns(frame):
    """As matrices of labels and scores, they had the value 1."""
    found = krm.evaluate(frame(TRUTH), frame(RUN), "RR")
    assert found["RR"] == VALUE
    said = "query=user_id, item=item_id, label=rating, score=rating"
    assert f"\nRead as: {said}.\n" in str(found)
    plain = found.to_dict()
    assert plain["read_as"] == {
        "truth": {"query": "user_id", "item": "item_id", "label": "rating"},
        "all": {"query": "user_id", "item": "item_id", "score": "rating"},
    }
    assert f"Read as: {said}." in plain["notes"]
    assert krm.Evaluated.from_dict(plain).report.notes == found.report.notes
    plain["per_list"]["read_as"] = {"truth": said}  # of an earlier version
    del plain["per_list"]["roles"]
    assert "Read as" not in str(krm.Evaluated.from_dict(plain))
    compared = krm.compare(frame(TRUTH), {"s": frame(RUN)}, "RR")
    assert compared.per_list()["RR"] == [0.5, 0.0]


@frames
def test_a_frame_with_other_names_is_no_matrix(frame):
    names = ("who", "what", "stars")
    with pytest.raises(ValueError, match="`columns=") as caught:
        rr(frame([(q, i, float(x)) for q, i, x in TRUTH], names), RUN_BY_QUERY)
    remedy = json.loads(str(caught.value).split("`columns=")[1].split("`")[0])
    assert set(remedy) == {"query", "item", "label"}
    assert "who" in str(caught.value) and "stars" in str(caught.value)
    chosen = {"query": "who", "item": "what", "label": "stars"}
    chosen["score"] = "stars"
    found = krm.evaluate(
        frame(TRUTH, names), frame(RUN, names), "RR", columns=chosen
    )
    assert found["RR"] == VALUE
    assert "Read as" not in str(found)


def test_the_columns_of_an_error_can_be_passed_as_they_are():
    truth = pandas(TRUTH, ("user_id", "what", "stars"))
    with pytest.raises(ValueError, match="`columns=") as caught:
        rr(truth, columns(RUN))
    remedy = json.loads(str(caught.value).split("`columns=")[1].split("`")[0])
    assert rr(truth, columns(RUN), columns=remedy) == VALUE


def test_the_sides_may_have_different_columns():
    truth = columns(TRUTH, ("userId", "movieId", "label"))
    found = krm.evaluate(truth, columns(RUN), "RR")
    assert found["RR"] == VALUE
    assert found.report.notes[-1] == (
        "Read as: truth: query=userId, item=movieId, label=label; all: "
        "query=user_id, item=item_id, score=rating."
    )


def test_predictions_of_surprise_have_labels_and_scores():
    rows = [(1, 10, 1.0, 0.8), (1, 11, 0.0, 0.9), (2, 12, 1.0, 0.1)]
    predictions = [Prediction(*row, {}) for row in rows]
    assert rr(predictions, predictions) == 0.75


@pytest.mark.parametrize("names", [("docid", "docno"), ("item_id", "movieId")])
def test_two_columns_of_one_role_are_refused(names, tmp_path):
    """The first one had been read: an internal number in place of an id."""
    truth = {"q": {"a": 1}}
    table = {
        "qid": ["q", "q"],
        **dict(zip(names, [["0", "1"], ["b", "a"]], strict=True)),
        "score": [2.0, 1.0],
    }
    path = written(tmp_path / "run.csv", table)
    text = '`columns={{"item": "{}"}}` or `columns={{"item": "{}"}}`'
    for run in (table, path):
        refused(re.escape(text.format(*names)), truth, run)
        assert rr(truth, run, columns={"item": names[1]}) == 0.5


def test_interactions_without_labels_are_relevant():
    rows = [row[:2] for row in TRUTH if row[2]]
    names = FIELDS[:2]
    expected = rr(by_query(TRUTH), columns(RUN))
    for truth in (
        columns(rows, names),
        {**columns(rows, names), "timestamp": [5, 6]},
    ):
        found = krm.evaluate(truth, columns(RUN), "RR")
        assert found["RR"] == expected
        assert "label=1" in found.report.notes[-1]
    unknown = {**columns(rows, names), "stars": [5, 6]}
    with pytest.raises(ValueError, match=r'`columns=\{"label": None\}`'):
        rr(unknown, columns(RUN))
    assert rr(unknown, columns(RUN), columns={"label": None}) == expected


@pytest.mark.parametrize("higher", [True, False])
def test_a_run_with_ranks_alone_is_read_by_rank(higher):
    rows = [(1, 11, 1), (1, 10, 2), (2, 13, 1)]
    run = columns(rows, ("user_id", "item_id", "rank"))
    found = krm.evaluate(columns(TRUTH), run, "RR", higher_is_better=higher)
    assert found["RR"] == VALUE
    assert "score=-rank" in found.report.notes[-1]


# What is refused, and what has a value.

TUPLES = "tuples without names, such as \\(1, "
MATRIX, SCORES = np.array(TRUTH), np.array(RUN)
NAMED = krm.Rows(*map(np.array, zip(*RUN, strict=True)))
TRIPLES = [("u", "i", 1), ("u", "j", 0)]
DICTS = [{"u": 1, "i": 10, "r": 1}, {"u": 1, "i": 11, "r": 0}]
HITS = [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.8}]
PADDED = [[3, 5, -1], [7, -1, -1]]
PADDING = "-1, which may be padding or"
TWO = {"q": ["a"], "r": ["b"]}


@of_rows(
    "words",
    [
        row(TUPLES, by_query(TRUTH), RUN),
        row("tuples without names", TRIPLES, {"u": {"i": 1.0}}),
        # `.to_numpy()` of two frames gave 1.
        row("three columns, which look like", MATRIX * 1.0, SCORES),
        row("could be either", MATRIX, MATRIX[:, [0, 1, 1]]),
        row(r"Received: \['u', 'i', 'r'\]", DICTS, [["u"], ["i"]]),
        row(r"a single query are `\[hits\]`", [["a"]], HITS),
        row(PADDING, {0: [5], 1: [7]}, {0: [3, -1], 1: [7]}),
        row(PADDING, {0: [5], 1: [7]}, [[3, 5, -1], [7]]),
        *(
            row(r"in `truth`\. Received: none", nothing, nothing, metrics="P@5")
            for nothing in ([], {}, [[]], np.zeros((0, 3)))
        ),
    ],
)
def test_what_is_refused(words, truth, run, options):
    refused(words, truth, run, **options)


def test_lists_that_are_none_are_refused():
    none = {"q": ["a"], "r": None}
    refused(r"None for the query 'r'\. Pass", TWO, none, TypeError)


def test_sparse_matrices_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    labels = sparse.csr_matrix([[1, 0], [0, 1]])
    text = r"csr_matrix\..* pass `.toarray\(\)`"
    refused(text, labels, [[0.1, 0.2], [0.3, 0.4]], TypeError)


@of_rows(
    "value",
    [
        row(VALUE, by_query(TRUTH), NAMED),
        row(1.0, [[1, 0, 0], [0, 1, 0]], [[2.0, 1.0, 0.5], [1.0, 3.0, 2.5]]),
        # The queries are named, so that these are the labels of their items.
        row(0.5, DICTS, [["u"], ["r"]], query_ids=["a", "b"]),
        row(0.5, [["b"]], [HITS]),
        row(0.5, {"q": ["b"]}, {"q": HITS}),
        # -1 is padding in arrays alone.
        row(0.75, [[5], [7]], np.array(PADDED)),
        row(0.75, [[5], [7]], PADDED),
        row(0.75, {0: [-1], 1: [-7]}, {0: [3, -1], 1: [-7]}),
        row(0.5, TWO, {"q": ["a"], "r": []}),
    ],
)
def test_what_has_a_value(value, truth, run, options):
    assert rr(truth, run, **options) == value


# A Series of lists.


def test_the_index_of_a_series_names_the_queries():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    for ids in (int, str):
        truth = pd.Series([[ids(5), ids(6)], [ids(7)]], index=[20, 10])
        run = pd.Series([[ids(7), ids(9)], [ids(8), ids(5)]], index=[10, 20])
        found = krm.evaluate(truth, run, "RR Recall@2")
        assert dict(found) == {"RR": 0.75, "Recall@2": 0.75}
        assert found.per_list()["query"] == [20, 10]
    targets = pd.Series([5, 7], index=[20, 10])
    assert rr(targets, {10: [7], 20: [9, 5]}) == 0.75
    assert rr(targets.astype(str), {10: ["7"], 20: ["9", "5"]}) == 0.75


@pytest.mark.not_on("numpy", reason="it takes no arrays of objects")
def test_columns_of_lists_are_lists_in_order():
    truth, run = [["a"], ["b"]], [["x", "a"], ["b"]]
    pl = pytest.importorskip("polars", reason="needs the extra [interop]")
    pa = pytest.importorskip("pyarrow")
    for of in (pl.Series, pa.array, lambda x: np.array([*x, []], object)[:-1]):
        assert rr(of(truth), of(run)) == 0.75


# Ids below 0.


def test_negative_ids_are_ids():
    """Fingerprints of 64 bits had been padding in half of all cases."""
    relevant = {q: [-7 - q, 4] for q in range(6)}
    found = {q: [4, -99, -7 - q] for q in range(6)}
    by_dict = {q: dict.fromkeys(items, 1) for q, items in relevant.items()}
    as_text = {q: list(map(str, items)) for q, items in relevant.items()}
    texts = {q: list(map(str, items)) for q, items in found.items()}
    expected = dict(krm.evaluate(as_text, texts, "Recall@2 P@1 AP"))
    for truth in (relevant, by_dict, [*relevant.values()]):
        for run in (found, [*found.values()], np.array([*found.values()])):
            assert dict(krm.evaluate(truth, run, "Recall@2 P@1 AP")) == expected


# The truth and the run.


def swapped_warnings(truth, run):
    _, texts = said(lambda: krm.evaluate(truth, run, "NDCG@10"))
    return [text for text in texts if "swapped" in text]


def test_a_swapped_truth_is_noticed():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}}
    run = {"q1": {"a": 9.2, "b": 8.1, "c": 7.7}, "q2": {"a": 6.3, "b": 5.9}}
    assert not swapped_warnings(qrels, run)
    [text] = swapped_warnings(run, qrels)
    assert "5 values, most with fractions, in the truth, and 3 grades" in text
    labels = np.array([[1, 0, 0, 2], [0, 1, 0, 0]])
    scores = np.linspace(0.1, 3.3, 8).reshape(2, 4)
    assert not swapped_warnings(labels, scores)
    assert len(swapped_warnings(scores, labels)) == 1


def test_a_missing_query_has_no_good_rank():
    truth = {q: {"a": 1, "x": 0} for q in "abcd"}
    full = {q: {"x": 3.0, "y": 2.0, "a": 1.0} for q in "abcd"}
    metrics = [krm.MeanRank(), krm.AverageRelevancePosition(), "RR"]
    compared = krm.compare(
        truth, {"full": full, "one": {"a": full["a"]}}, metrics
    )
    values = compared.to_dict()["systems"]
    assert values["full"]["mean_rank"]["value"] == 3.0
    for name in ("mean_rank", "arp"):
        assert values["one"][name]["value"] is None
    assert values["one"]["RR"]["value"] == pytest.approx(1 / 12)
    [note] = [x for x in compared.report.notes if x.startswith("one")]
    assert note.endswith("They have no value of mean_rank, arp.")


# Items with the id of their query.


# Judges.


def test_lists_with_a_judge_are_labelled_down_to_the_cutoff():
    judge = {q: dict.fromkeys("abc", 1) for q in range(40)}
    run = {q: ["a", "b", "c"] for q in range(40)}
    human = {q: {"a": 1, "b": 0} for q in range(12)}
    metric = krm.JudgeCorrected(krm.PrecisionAtK(k=2))
    truth = {"human": human, "judge": judge}
    # The third item is below the cutoff.
    assert krm.evaluate(truth, run, metric)[metric.name] < 1.0
    truth = {"human": {**human, 5: {"a": 1}}, "judge": judge}
    with pytest.raises(ValueError, match=r"item 'b' that `run` .* query 5"):
        krm.evaluate(truth, run, metric)


def test_arrays_with_a_judge_are_labelled_down_to_the_cutoff():
    judge = np.tile([1, 0, 1], (40, 1))
    human = np.where(np.arange(40)[:, None] < 12, [1, 0, -1], -1)
    scores = np.tile([3.0, 2.0, 1.0], (40, 1))
    metric = krm.JudgeCorrected(krm.PrecisionAtK(k=2))
    metric.update_state({"human": human, "judge": judge}, scores)
    human[5, 1] = -1
    truth = {"human": human, "judge": judge}
    text = "human label for item 1 of list 5, at rank 2"
    state = [np.array(x) for x in metric.get_state()]
    with pytest.raises(ValueError, match=text):
        metric.update_state(truth, scores)
    assert all(map(np.array_equal, state, metric.get_state()))
    with pytest.raises(ValueError, match=text):
        krm.evaluate(truth, scores, metric)


# The documentation.


def test_each_form_says_how_it_looks():
    for form in FORMS:
        assert form.looks and form.made_by and form.__doc__

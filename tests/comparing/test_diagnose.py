"""`diagnose`: the finding of each mistake, and no finding without one."""

import functools
import json

import numpy as np
import pytest

import keras_rankmetrics as krm

QUERIES = [f"query{i}" for i in range(8)]
K = 4


def truth_of(relevant=("d0", "d1"), judged=6):
    items = [f"d{i}" for i in range(judged)]
    return {q: {item: int(item in relevant) for item in items} for q in QUERIES}


def run_of(order="012345"):
    return {
        q: {f"d{item}": 9.5 - i for i, item in enumerate(order)}
        for q in QUERIES
    }


TRUTH, RUN = truth_of(), run_of()


def rows_of(nested, *added):
    """A table of a dict of dicts, and further rows."""
    found = [
        (query, item, value)
        for query, items in nested.items()
        for item, value in items.items()
    ]
    query, item, value = zip(*found, *added, strict=True)
    ids = np.array(query), np.array(item)
    return krm.Rows(*ids, np.array(value, np.float64))


def changed(nested, query=None, items=lambda x: x, values=lambda x: x):
    """A dict of dicts with other items and values, in one query or in all."""
    return {
        q: {items(i): values(x) for i, x in of_query.items()}
        if query in (None, q)
        else of_query
        for q, of_query in nested.items()
    }


def without(nested, query):
    return {q: items for q, items in nested.items() if q != query}


def summary(diagnosis):
    return [(finding.name, finding.severity) for finding in diagnosis]


def test_a_clean_input_has_no_finding():
    for truth, run in [(TRUTH, RUN), (rows_of(TRUTH), rows_of(RUN))]:
        diagnosis = krm.diagnose(truth, run, k=K)
        assert summary(diagnosis) == []
        assert diagnosis and diagnosis.ok
        assert str(diagnosis) == "No mistakes were found."
        assert diagnosis.to_dict() == {"ok": True, "findings": []}


# One mistake in the clean input: the truth, the run, the name and the severity
# of the only finding, the start of its sentence, and its example.
MISTAKES = {
    "NaN": (
        TRUTH,
        rows_of(RUN, ("query3", "d7", np.nan)),
        ("not_finite", "error"),
        "1 of 49 values of the run are NaN or infinite (2.0%).",
        "query 'query3', item 'd7', value nan",
    ),
    "an infinite score": (
        TRUTH,
        rows_of(RUN, ("query3", "d7", np.inf)),
        ("not_finite", "error"),
        "1 of 49 values of the run",
        "query 'query3', item 'd7', value inf",
    ),
    "a NaN label": (
        rows_of(TRUTH, ("query3", "d7", np.nan)),
        RUN,
        ("not_finite", "error"),
        "1 of 49 values of the truth",
        "query 'query3', item 'd7', value nan",
    ),
    "empty strings as padding": (
        TRUTH,
        rows_of(RUN, ("query3", "", 1.0), ("query3", "", 1.0)),
        ("padding", "warning"),
        "2 of 50 items of the run are padding (4.0%).",
        "query 'query3', item '', value 1",
    ),
    "a text of -1 as padding": (
        TRUTH,
        rows_of(RUN, ("query3", "-1", 1.0)),
        ("padding", "warning"),
        "1 of 49 items",
        "query 'query3', item '-1', value 1",
    ),
    "an item that comes again": (
        TRUTH,
        rows_of(RUN, ("query3", "d2", 7.25)),
        ("duplicates", "error"),
        "1 of 49 rows of the run repeat an item of their query (2.0%).",
        "query 'query3', item 'd2', value 7.25",
    ),
    "a judgement that comes again": (
        rows_of(TRUTH, ("query3", "d2", 0)),
        RUN,
        ("duplicates", "error"),
        "1 of 49 rows of the truth",
        "query 'query3', item 'd2', value 0",
    ),
    "an empty run": (
        TRUTH,
        {},
        ("empty", "error"),
        "1 of 2 sides have no rows left (50.0%).",
        "side 'run'",
    ),
    "an empty truth": (
        {},
        RUN,
        ("empty", "error"),
        "1 of 2 sides have no rows left (50.0%).",
        "side 'truth'",
    ),
    "a run of padding": (
        TRUTH,
        rows_of({"query1": {"d1": np.nan}}),
        ("not_finite", "error"),
        "1 of 1 values",
        "query 'query1', item 'd1', value nan",
    ),
    "items of another type": (
        TRUTH,
        changed(RUN, items=lambda x: int(x[1:])),
        ("types", "error"),
        "1 of 2 columns have ids of two types (50.0%).",
        "column 'item', truth 'str', run 'integers'",
    ),
    "a query that is not retrieved": (
        TRUTH,
        without(RUN, "query3"),
        ("queries_missing", "warning"),
        "1 of 8 queries of the truth have no rows in the run, and count as "
        "lists that retrieve nothing (12.5%).",
        "query 'query3'",
    ),
    "a query that is not judged": (
        without(TRUTH, "query3"),
        RUN,
        ("queries_unknown", "note"),
        "1 of 8 queries of the run are not in the truth",
        "query 'query3'",
    ),
    "all queries themselves": (
        {q: {**items, q: 0} for q, items in TRUTH.items()},
        {q: {**items, q: 3.0} for q, items in RUN.items()},
        ("own_items", "warning"),
        "8 of 8 queries retrieve",
        "query 'query0'",
    ),
    "a query without relevant items": (
        changed(TRUTH, "query3", values=lambda x: 0),
        RUN,
        ("no_relevant", "warning"),
        "1 of 8 queries have no relevant item, and count as 0 (12.5%).",
        "query 'query3'",
    ),
    "no relevant items": (
        truth_of(relevant=()),
        RUN,
        ("no_relevant", "error"),
        "8 of 8 queries have no relevant item",
        "query 'query0'",
    ),
    "items that are not retrieved": (
        TRUTH,
        {**RUN, "query3": {**RUN["query3"], "z": -np.inf}},
        ("unranked", "note"),
        "1 of 49 items of the run have the score -inf, and count as not",
        "query 'query3', item 'z', value -inf",
    ),
    "ratings from 1 on": (
        changed(TRUTH, values=lambda x: x + 1),
        RUN,
        ("all_relevant", "note"),
        "48 of 48 labels are 1 or more",
        "query 'query0', item 'd0', label 2",
    ),
    "grades": (
        changed(TRUTH, "query3", values=lambda x: 3 * x),
        RUN,
        ("grades", "note"),
        "2 of 48 labels are above 1, and binary metrics treat them as 1",
        "query 'query3', item 'd0', label 3",
    ),
    "unjudged items": (
        TRUTH,
        changed(RUN, "query3", items=lambda x: {"d3": "x"}.get(x, x)),
        ("unjudged", "note"),
        "1 of 32 items among the first 4 are not judged, and count as "
        "irrelevant (3.1%).",
        "query 'query3'",
    ),
    "many unjudged items": (
        TRUTH,
        changed(RUN, items=lambda x: x if x in ("d0", "d4") else f"x{x}"),
        ("unjudged", "warning"),
        "24 of 32 items among the first 4",
        "query 'query0'",
    ),
    "shares of judges": (
        changed(TRUTH, "query3", values=lambda x: x / 2),
        RUN,
        ("shares", "note"),
        "2 of 48 labels are between 0 and 1 (4.2%).",
        "query 'query3', item 'd0', label 0.5",
    ),
    "a truth of relevant items": (
        truth_of(judged=2),
        RUN,
        ("only_relevant", "note"),
        "16 of 32 items among the first 4 are not judged",
        "query 'query0'",
    ),
    "few items": (
        TRUTH,
        {**RUN, "query3": {"d0": 2.0, "d2": 1.0}},
        ("few_items", "note"),
        "1 of 8 queries retrieve fewer than 4 items (12.5%).",
        "query 'query3'",
    ),
    "one score in a list": (
        TRUTH,
        changed(RUN, "query3", values=lambda x: 0.5),
        ("one_score", "warning"),
        "1 of 8 lists have one score for all items (12.5%).",
        "query 'query3'",
    ),
    "one score": (
        TRUTH,
        changed(RUN, values=lambda x: 0.5),
        ("one_score", "error"),
        "8 of 8 lists have one score for all items (100.0%).",
        "query 'query0'",
    ),
    "a tie": (
        TRUTH,
        changed(RUN, "query3", values=lambda x: max(x, 5.5)),
        ("ties", "note"),
        "2 of 48 items are tied with another one, in 0 lists across rank 4",
        "query 'query3'",
    ),
    "ties at the cutoff": (
        TRUTH,
        changed(RUN, values=lambda x: max(x, 6.5)),
        ("ties", "warning"),
        "24 of 48 items are tied with another one, in 8 lists across rank 4",
        "query 'query0'",
    ),
    "distances": (
        TRUTH,
        changed(run_of("540123"), values=lambda x: 10 - x),
        ("distances", "warning"),
        "8 of 8 lists look as if lower scores were better (100.0%).",
        "query 'query0'",
    ),
    "relevant items last": (
        TRUTH,
        run_of("543210"),
        ("distances", "warning"),
        "8 of 8 lists",
        "query 'query0'",
    ),
    "similarities": (
        TRUTH,
        changed(run_of("540123"), values=lambda x: x),
        ("similarities", "warning"),
        "8 of 8 lists look as if higher scores were better (100.0%).",
        "query 'query0'",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.filterwarnings("ignore:The scores of")
def test_one_mistake_is_found_alone(mistake):
    truth, run, expected, what, example = MISTAKES[mistake]
    is_higher = mistake != "similarities"
    diagnosis = krm.diagnose(truth, run, k=K, higher_is_better=is_higher)
    found = summary(diagnosis)
    if mistake == "a run of padding":
        assert found.pop() == ("empty", "error")
    assert found == [expected]
    finding = diagnosis[0]
    assert finding.what.startswith(what)
    assert finding.example == example
    assert finding.remedy.endswith((".", "?"))
    assert "{" not in finding.what + finding.remedy
    assert diagnosis.ok == bool(diagnosis) == (expected[1] == "note")


def test_every_check_has_a_mistake_here():
    from keras_rankmetrics.comparing.diagnose import _CHECKS

    tested = {expected[0] for _, _, expected, *_ in MISTAKES.values()}
    elsewhere = {"many_relevant", "unmatched", "unlike_ids", "reversed_ranks"}
    assert tested | elsewhere == set(_CHECKS)


@pytest.mark.parametrize(
    "change, difference",
    [
        (str.upper, "in case"),
        (lambda x: f" {x}", "in spaces around them"),
        (lambda x: f"{x}.0", "in the ending `.0`"),
        (lambda x: f"doc-{x[1:]}", "in a prefix before the digits"),
        (lambda x: f"d0{x[1:]}", "in leading zeros"),
    ],
)
def test_ids_that_differ_in_spelling(change, difference):
    question = f"Do the ids differ only {difference}?"
    [found] = krm.diagnose(TRUTH, changed(RUN, items=change), k=K)
    assert found[:2] == ("unmatched", "error")
    assert repr(change("d0")) in found.example and "'d0'" in found.example
    assert found.example.endswith(question)
    other = {change(q): items for q, items in RUN.items()}
    if difference == "in leading zeros":
        other = {q.replace("y", "y0"): items for q, items in RUN.items()}
    missing, unknown = krm.diagnose(TRUTH, other, k=K)
    assert missing[:2] == ("queries_missing", "error")
    assert missing.example.endswith("' in the run, 'query0' in the truth")
    assert missing.remedy == question
    assert unknown[:2] == ("queries_unknown", "note")


def test_one_query_in_another_spelling():
    run = {q.replace("query3", "QUERY3"): items for q, items in RUN.items()}
    missing, _ = krm.diagnose(TRUTH, run, k=K)
    assert missing[:2] == ("queries_missing", "warning")
    assert missing.example == "'QUERY3' in the run, 'query3' in the truth"
    assert missing.remedy == "Do the ids differ only in case?"


def test_padding_of_integers():
    truth = {8: {0: 1, 1: 0, 2: 0}, 9: {0: 0, 1: 1, 2: 0}}
    ids, scores = np.array([[0, 2, -1], [1, 2, -1]]), np.array([3.0, 2.0, -9.0])
    rows = np.repeat([8, 9], 3), ids.ravel(), np.tile(scores, 2)
    [found] = krm.diagnose(truth, krm.Rows(*rows), k=2)
    assert found[:2] == ("padding", "warning")
    # `evaluate` leaves out the padding of search results, too.
    search = ids, np.tile(scores, (2, 1))
    assert not [*krm.diagnose(truth, search, k=2, query_ids=[8, 9])]


def test_many_mistakes_come_in_the_order_of_their_severity():
    added = ("query3", "", 1.0), ("query3", "d2", 0.0), ("query4", "x", np.nan)
    run = rows_of(without(RUN, "query5"), *added)
    diagnosis = krm.diagnose(changed(TRUTH, values=lambda x: 2 * x), run, k=7)
    assert summary(diagnosis) == [
        ("not_finite", "error"),
        ("duplicates", "error"),
        ("padding", "warning"),
        ("queries_missing", "warning"),
        ("few_items", "warning"),
    ]
    diagnosis = krm.diagnose(changed(TRUTH, "query3", values=abs), run, k=3)
    assert json.loads(json.dumps(diagnosis.to_dict()))["findings"][0] == {
        "name": "not_finite",
        "severity": "error",
        "what": "1 of 45 values of the run are NaN or infinite (2.2%).",
        "example": "query 'query4', item 'x', value nan",
        "remedy": "Correct these rows, or remove them.",
    }
    assert str(diagnosis).startswith(
        "error: 1 of 45 values of the run are NaN or infinite (2.2%).\n"
        "  Example: query 'query4', item 'x', value nan\n"
        "  Correct these rows, or remove them.\nerror: 1 of"
    )


@pytest.mark.parametrize(
    "metrics, count",
    [
        (None, 1),
        ("RR", 1),
        ("NDCG@3", 0),
        ([krm.NDCG(k=3), krm.MeanReciprocalRank()], 1),
        (krm.MeanReciprocalRank(relevance_threshold=2), 0),
        ("P(relevance_threshold=3)@3", 0),
    ],
)
def test_grades_concern_binary_metrics(metrics, count):
    truth = {q: {**items, "d1": 2} for q, items in TRUTH.items()}
    diagnosis = krm.diagnose(truth, RUN, k=K, metrics=metrics)
    names = [finding.name for finding in diagnosis]
    if metrics == "P(relevance_threshold=3)@3":
        assert names.pop() == "low_labels"
    assert names == ["grades"] * count


def test_random_scores_do_not_look_like_distances():
    random = np.random.default_rng(0)
    found = []
    for _ in range(100):
        run = {
            q: dict(zip(x, random.random(6), strict=True))
            for q, x in RUN.items()
        }
        found += krm.diagnose(TRUTH, run, k=K)
    assert len(found) <= 2  # of 100, by more than three standard errors


def test_a_few_bad_lists_are_no_distances():
    bad = dict.fromkeys(QUERIES[:3], run_of("543210")["query0"])
    assert not [*krm.diagnose(TRUTH, {**RUN, **bad}, k=K)]


def test_ids_that_differ_in_their_highest_bits_are_no_duplicates():
    items = {"\U00010041": 1, "\U00020041": 0}
    found = krm.diagnose({"q": items}, {"q": items})
    assert "duplicates" not in [finding.name for finding in found]


def test_lists_without_relevant_items_say_nothing_about_distances():
    none = {f"none{i}": dict.fromkeys(RUN["query0"], 0) for i in range(16)}
    runs = dict.fromkeys(none, RUN["query0"])
    reverse = run_of("543210")
    found = krm.diagnose({**TRUTH, **none}, {**reverse, **runs}, k=K)
    assert "distances" in [finding.name for finding in found]


def test_rows_in_ascending_order_of_good_scores():
    run = {q: dict(reversed(items.items())) for q, items in RUN.items()}
    assert not [*krm.diagnose(TRUTH, run, k=K)]


def test_distances_of_a_search():
    ids = np.tile(np.arange(100, 120), (5, 1))
    distances = np.tile(np.arange(20.0), (5, 1))
    truth = {q: {i: int(i < 105) for i in range(100, 120)} for q in range(5)}
    search = distances, ids
    [found] = krm.diagnose(truth, search)
    assert found[:2] == ("distances", "warning")
    assert not [*krm.diagnose(truth, search, higher_is_better=False)]
    assert [x.name for x in krm.diagnose(truth, search, k=30)] == [
        "few_items",
        "distances",
    ]


def test_arguments_of_evaluate():
    truth = {"query": ["a", "a"], "item": ["x", "a"], "grade": [1, 0]}
    run = {"query": ["a", "a"], "item": ["x", "a"], "score": [2.0, 1.0]}
    columns = {"label": "grade"}
    [found] = krm.diagnose(truth, run, k=1, columns=columns)
    assert found.name == "own_items"
    assert not [
        *krm.diagnose(truth, run, k=1, columns=columns, drop_same_id=True)
    ]
    numbered = np.array([[0, 1]]), np.array([[2.0, 1.0]])
    names = {"query_ids": ["b"], "item_ids": ["x", "a"]}
    truth = {"b": {"x": 1, "a": 0}}
    assert not [*krm.diagnose(truth, numbered, k=2, **names)]


def test_a_query_without_judgements():
    truth, run = {**TRUTH, "other": {}}, {**RUN, "other": RUN["query3"]}
    none, unjudged = krm.diagnose(truth, run, k=K)
    assert (none.name, none.example) == ("no_relevant", "query 'other'")
    assert (unjudged.name, unjudged.example) == ("unjudged", "query 'other'")


@pytest.mark.parametrize("k", [0, -1, 1.5, None])
def test_k_is_a_positive_integer(k):
    with pytest.raises(ValueError, match="`k` should be a positive integer"):
        krm.diagnose(TRUTH, RUN, k=k)


def test_what_cannot_be_read_is_an_error():
    with pytest.raises((TypeError, ValueError)):
        krm.diagnose(TRUTH, 3)
    with pytest.raises(ValueError, match="high"):
        krm.diagnose(TRUTH, {"q": {"x": "high"}})
    with pytest.raises(
        ValueError, match="should have one column for the score"
    ):
        krm.diagnose(TRUTH, {"query": ["q"], "item": ["x"], "label": [1]})


def test_some_ids_of_another_spelling_are_the_example():
    truth = {"q": {"5": 1, "same": 1}, "r": {"x": 1, "y": 0}}
    run = {"q": {"same": 0.9, "5.0": 0.8}, "r": {"x": 0.9, "y": 0.8}}
    found = {each.name: each for each in krm.diagnose(truth, run, k=2)}
    assert "unmatched" not in found
    assert found["unlike_ids"].example.endswith("only in the ending `.0`?")


def test_an_empty_id_of_a_query_is_no_error():
    """It has no row of the truth, and only `evaluate` refuses it."""
    run = {"": {"a": 1.0}, **RUN}
    diagnosis = krm.diagnose(TRUTH, run, k=2)
    assert "queries_unknown" in [finding.name for finding in diagnosis]
    with pytest.raises(ValueError, match="an empty id"):
        krm.evaluate(TRUTH, run, "RR")


def of_one(truth, run):
    """Return the table of the rows of a run, with their labels."""
    rows = [
        (query, item, truth[query][item], score)
        for query, items in run.items()
        for item, score in items.items()
    ]
    names = "query", "item", "label", "score"
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_one_table_has_the_findings_of_its_sides():
    table = of_one(TRUTH, RUN)
    columns = [np.array(table[x]) for x in ("query", "item", "label", "score")]
    query, item, _, score = columns
    for change in (
        {},
        {"score": np.zeros(len(query))},
        {"score": -score},
        {"label": np.full(len(query), 7)},
        {"label": np.zeros(len(query))},
        {"item": np.where(np.arange(len(item)) == 1, item[0], item)},
    ):
        x = {**dict(zip(table, columns, strict=True)), **change}
        sides = (
            krm.Rows(x["query"], x["item"], x[v]) for v in ("label", "score")
        )
        of_two, of_table = krm.diagnose(*sides, k=2), krm.diagnose(x, k=2)
        assert [*of_table] == [*of_two]


def test_one_table_without_items_names_its_rows():
    table = of_one(TRUTH, RUN)
    del table["item"]
    assert krm.diagnose(table, k=2).ok
    table["score"][5] = np.nan
    [found, *_] = krm.diagnose(table, k=2)
    assert (found.name, found.severity) == ("not_finite", "error")
    assert "item 'row 6'" in found.example
    with pytest.raises(ValueError, match="`item_ids` is for a truth and a run"):
        krm.diagnose(table, item_ids=["a"])


def test_what_evaluate_says_of_one_table():
    one = {"query": [0, 1, 2], "label": [1, 0, 1], "score": [0.5, 0.4, 0.3]}
    found = {x.name: x for x in krm.diagnose(one)}
    assert found["one_row_a_query"].severity == "warning"
    table = of_one(TRUTH, RUN)
    assert "one_row_a_query" not in {x.name for x in krm.diagnose(table)}
    table["label"][1] = -0.5
    [found] = [
        x for x in krm.diagnose(table, k=2) if x.name == "ratings_below_0"
    ]
    assert "Received: -0.5, which looks like ratings" in found.what


def test_what_is_no_table_or_run_to_look_at():
    table = of_one(TRUTH, RUN)
    with pytest.raises(ValueError, match="should take labels and scores"):
        krm.diagnose(table, metrics="alpha_nDCG@3")
    for door in (krm.diagnose, functools.partial(krm.explain, 0.5)):
        with pytest.raises(ValueError, match="name one column of scores"):
            door(table, columns={"score": ["score", "label"]})
        with pytest.raises(TypeError, match="names of metrics, 'NDCG@3'"):
            door(table, "NDCG@3")
        with pytest.raises(ValueError, match="file should exist"):
            door(table, "no such run")


def test_a_lazy_table_is_read_once_and_its_rows_are_numbered_through():
    pa = pytest.importorskip("pyarrow", reason="needs the extra [files]")
    table = pa.table(of_one(TRUTH, RUN)).drop_columns("item")
    batches = table.to_batches(max_chunksize=5)
    stream = pa.RecordBatchReader.from_batches(table.schema, batches)
    assert krm.diagnose(stream, k=2).ok
    empty = {"query": [], "label": [], "score": []}
    [found] = krm.diagnose(empty)
    assert found.name == "empty"

"""Tables with labels and scores: as their join with themselves, or rows."""

import importlib
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_files import written

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import tables_of_rows
from keras_rankmetrics.files import blocks
from keras_rankmetrics.files.runs import whole_queries

METRICS = "NDCG@3 RR Recall@2 AP NDCG(ties=stable)@2 P(unjudged=condense)@2"
ROLES = ("query", "item", "label", "score")


@st.composite
def tables(draw):
    """The columns of a table with ties, unjudged items and scattered rows."""
    texts = draw(st.booleans())
    lengths = draw(st.lists(st.integers(1, 6), min_size=2, max_size=6))
    rows = [
        (query, item, draw(st.integers(-1, 3)), draw(st.integers(-2, 2)) / 4)
        for query, length in enumerate(lengths, start=3)
        for item in range(length)
    ]
    rows = draw(st.permutations(rows))
    columns = dict(zip(ROLES, map(list, zip(*rows, strict=True)), strict=True))
    if texts:
        columns["query"] = [f"q{x}" for x in columns["query"]]
        columns["item"] = [f"d{x}" for x in columns["item"]]
    return columns


def without_items(table):
    return {name: x for name, x in table.items() if name != "item"}


def quietly(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


@settings(max_examples=12)
@given(table=tables())
def test_a_table_with_items_is_as_its_join_with_itself(table):
    check_join_with_itself(table)


@pytest.mark.long
@given(table=tables())
def test_many_tables_are_as_their_joins_with_themselves(table):
    check_join_with_itself(table)


def check_join_with_itself(table):
    for convention in (None, "trec_eval", "ranx"):
        metrics = METRICS if convention is None else "map recip_rank"
        metrics = "map mrr ndcg@3" if convention == "ranx" else metrics
        options = {"convention": convention}
        found, joined = (
            quietly(krm.evaluate, table, *run, metrics=metrics, **options)
            for run in ((), (table,))
        )
        assert found.per_list() == joined.per_list()
        mine, theirs = (x.measured for x in (found, joined))
        assert mine.truth == theirs.truth
        assert mine.systems["all"].ranking == theirs.systems["all"].ranking
        assert (
            mine.systems["all"].overlap[2:5]
            == (theirs.systems["all"].overlap[2:5])
        )


@settings(max_examples=15)
@given(table=tables())
def test_a_table_without_items_is_as_its_rows(table):
    labels = [x if x >= 0 else krm.UNJUDGED for x in table["label"]]
    rows = table["query"], labels, table["score"]
    expected = quietly(krm.evaluate_rows, *rows, METRICS)
    found = quietly(krm.evaluate, without_items(table), metrics=METRICS)
    np.testing.assert_allclose(
        list(found.values()), list(expected.values()), rtol=1e-6
    )
    queries = found.per_list()["query"]
    assert queries == list(dict.fromkeys(table["query"]))


def example(number=40, seed=0):
    """A table of lists of one to nine rows, those of a query together."""
    draw = np.random.default_rng(seed)
    query = np.repeat(np.arange(number), draw.integers(1, 10, number))
    return {
        "query": query,
        "label": draw.integers(0, 4, len(query)),
        "score": draw.integers(0, 9, len(query)) / 8,
    }


def with_items():
    """The same table with ids of items."""
    table = example()
    return {**table, "item": np.arange(len(table["query"]))}


FILES = ("t.csv", "t.tsv", "t.csv.gz", "t.jsonl", "t.parquet")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("order", ["together", "apart"])
def test_files_are_read_in_chunks(tmp_path, monkeypatch, name, order):
    table = example()
    if order == "apart":
        shuffled = np.random.default_rng(1).permutation(len(table["query"]))
        table = {role: x[shuffled] for role, x in table.items()}
    expected = krm.evaluate(table, metrics=METRICS)
    path = written(tmp_path / name, table)
    assert krm.evaluate(path, metrics=METRICS) == pytest.approx(dict(expected))
    monkeypatch.setattr(whole_queries, "__defaults__", (4,))
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (64,))
    found = krm.evaluate(path, metrics=METRICS)
    assert found == pytest.approx(dict(expected))
    values, others = found.per_list(), expected.per_list()
    ours = dict(zip(values["query"], values["RR"], strict=True))
    theirs = zip(map(str, others["query"]), others["RR"], strict=True)
    assert ours == dict(theirs)


def in_polars(polars, table):
    return polars.DataFrame(table).lazy()


def in_a_stream(arrow, table):
    return arrow.table(table).to_reader(max_chunksize=7)


def in_a_data_set(data_sets, table):
    arrow = importlib.import_module("pyarrow")
    return data_sets.dataset(arrow.table(table))


def in_duckdb(duckdb, table):
    arrow = importlib.import_module("pyarrow")
    return duckdb.from_arrow(arrow.table(table))


def in_ibis(ibis, table):
    return ibis.memtable(importlib.import_module("pandas").DataFrame(table))


LAZY = {
    "ibis": in_ibis,
    "polars": in_polars,
    "pyarrow": in_a_stream,
    "pyarrow.dataset": in_a_data_set,
    "duckdb": in_duckdb,
}


@pytest.mark.parametrize("library", LAZY)
@pytest.mark.parametrize("number", [1, 7, 2**18])
def test_lazy_tables_are_read_in_batches(monkeypatch, library, number):
    package = pytest.importorskip(library)
    monkeypatch.setattr(tables_of_rows, "ROWS", number)
    monkeypatch.setattr(whole_queries, "__defaults__", (4,))
    table = example()
    more = {**table, "comment": np.array(["x"] * len(table["query"]))}
    found = krm.evaluate(LAZY[library](package, more), metrics=METRICS)
    expected = krm.evaluate(table, metrics=METRICS)
    assert found == pytest.approx(dict(expected))
    assert found.per_list()["RR"] == expected.per_list()["RR"]


@pytest.mark.parametrize("library", LAZY)
def test_a_lazy_run_is_read_in_batches(monkeypatch, library):
    package = pytest.importorskip(library)
    monkeypatch.setattr(tables_of_rows, "ROWS", 7)
    monkeypatch.setattr(whole_queries, "__defaults__", (4,))
    table = with_items()
    sides = [
        {role: table[role] for role in ("query", "item", value)}
        for value in ("label", "score")
    ]
    lazy = [LAZY[library](package, side) for side in sides]
    expected = pytest.approx(dict(krm.evaluate(*sides, METRICS)))
    assert dict(krm.evaluate(*lazy, METRICS)) == expected
    apart = {
        role: np.concatenate([x[::2], x[1::2]]) for role, x in sides[1].items()
    }
    lazy = [LAZY[library](package, side) for side in (sides[0], apart)]
    if library == "pyarrow":  # a stream, which can be read once
        with pytest.raises(ValueError, match="Sort it by query"):
            krm.evaluate(*lazy, METRICS)
        return
    assert dict(krm.evaluate(*lazy, METRICS)) == expected


@pytest.mark.parametrize("library", LAZY)
def test_batches_of_a_run_belong_together(monkeypatch, library):
    package = pytest.importorskip(library)
    monkeypatch.setattr(tables_of_rows, "ROWS", 7)
    table = with_items()
    run = {role: table[role] for role in ("query", "item", "score")}
    run["model"] = ["a"] * 9 + ["b"] * (len(run["query"]) - 9)
    truth = {role: table[role] for role in ("query", "item", "label")}
    with pytest.raises(ValueError, match="a and b in the column 'model'"):
        krm.evaluate(truth, LAZY[library](package, run), "RR")


@pytest.mark.parametrize("library", LAZY)
def test_rows_of_a_query_apart_in_a_lazy_table(monkeypatch, library):
    package = pytest.importorskip(library)
    monkeypatch.setattr(tables_of_rows, "ROWS", 3)
    monkeypatch.setattr(whole_queries, "__defaults__", (4,))
    table = example()
    order = np.argsort(np.arange(len(table["query"])) % 2, kind="stable")
    apart = LAZY[library](package, {x: y[order] for x, y in table.items()})
    if library == "pyarrow":
        with pytest.raises(ValueError, match=r"together.*Sort it by query"):
            krm.evaluate(apart, metrics=METRICS)
        return
    found = krm.evaluate(apart, metrics="NDCG@3 AP")
    expected = krm.evaluate(table, metrics="NDCG@3 AP")
    assert found == pytest.approx(dict(expected))


def test_weights_and_groups_by_query(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_queries, "__defaults__", (4,))
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (64,))
    table = example()
    path = written(tmp_path / "t.csv", table)
    weight = {query: query % 3 for query in range(40)}
    group = {query: "ab"[query % 2] for query in range(40)}
    items = {**table, "item": np.arange(len(table["query"]))}
    expected = krm.evaluate(
        items, items, "AP", sample_weight=weight, groups=group
    )
    weight, group = (
        {str(query): x for query, x in of.items()} for of in (weight, group)
    )
    found = krm.evaluate(path, metrics="AP", sample_weight=weight, groups=group)
    assert found["AP"] == pytest.approx(expected["AP"])
    plain = krm.evaluate(path, metrics="AP")
    assert found["AP"] != pytest.approx(plain["AP"])
    for name, of_group in expected.groups.items():
        assert found.groups[name]["AP"].value == pytest.approx(
            of_group["AP"].value
        )


def test_each_column_of_scores_is_a_system(tmp_path):
    table = example()
    new = np.random.default_rng(2).random(len(table["query"]))
    both = {**table, "new": new}
    columns = {"score": ["new", "score"]}
    for x in (both, written(tmp_path / "t.csv", both)):
        found = krm.compare(x, metrics="AP", columns=columns)
        assert found.systems == ["new", "score"]
        of_new = krm.evaluate({**table, "score": new}, metrics="AP")
        of_old = krm.evaluate(table, metrics="AP")
        assert found.per_list()["AP"] == pytest.approx(
            of_new.per_list()["AP"] + of_old.per_list()["AP"]
        )
    with pytest.raises(ValueError, match="or of one table"):
        found.agreement()


def test_saved_results_of_a_table_and_of_its_join_are_one_comparison():
    table = example()
    places = np.arange(len(table["query"]))
    table = {**table, "item": places, "score": places % 7}
    other = {**table, "score": -places}
    one = krm.compare(table, metrics="AP", columns={"score": ["score"]})
    two = krm.compare(table, {"other": other}, "AP")
    assert one.join(two).systems == ["score", "other"]


def test_a_warning_names_the_system_of_a_column():
    rng = np.random.default_rng(0)
    labels = np.tile([0, 0, 1, 0, 1, 0], 20)
    table = {
        "query": np.repeat(np.arange(20), 6),
        "label": labels,
        "new": labels + rng.normal(size=120) / 2,
        "old": rng.normal(size=120) / 2 - labels,
    }
    columns = {"score": ["new", "old"]}
    with pytest.warns(UserWarning, match="higher in the system 'old'"):
        krm.compare(table, metrics="AP", columns=columns)


def test_columns_and_distances():
    query, relevant, far = [1, 1, 2, 2], [0, 1, 1, 0], [0.1, 0.5, 0.2, 0.3]
    table = {"user": query, "clicked": relevant, "dist": far}
    columns = {"label": "clicked", "score": "dist"}
    found = krm.evaluate(
        table, metrics="RR", columns=columns, higher_is_better=False
    )
    assert found["RR"] == 0.75
    assert "query=user" in str(found)
    # A rating next to a prediction is the label.
    ratings = {"uid": query, "rating": relevant, "prediction": far}
    assert krm.evaluate(ratings, metrics="RR")["RR"] == 0.75


def test_an_item_has_one_row_unless_it_is_left_out():
    table = {**example(3), "doc_id": np.zeros(len(example(3)["query"]), int)}
    with pytest.raises(ValueError, match=r"once in the list.*\"item\": None"):
        krm.evaluate(table, metrics="RR")
    found = krm.evaluate(table, metrics="RR", columns={"item": None})
    assert found == krm.evaluate(example(3), metrics="RR")


TABLE = {"query": [1, 1, 2], "label": [1, 0, 1], "score": [0.5, 0.5, 0.1]}
REFUSED = {
    "no metrics": (TABLE, {"metrics": None}, "`metrics` should be a metric"),
    "no table": ({"q1": {"d1": 1}}, {}, "Without `run`.*Received: dict"),
    "no score": ({**TABLE, "score": None}, {}, "Without `run`"),
    "a truth": (
        {"query": [1], "item": [2], "label": [1]},
        {},
        "one column for the score.*looks like judgements",
    ),
    "a run": (
        {"query": [1], "item": [2], "score": [0.5]},
        {},
        "one column for the label",
    ),
    "a wrong name": (TABLE, {"columns": {"item": "d"}}, "should name a column"),
    "one column for both": (
        TABLE,
        {"columns": {"label": "score", "score": "score"}},
        "labels and scores in different columns",
    ),
    "a missing score": (
        {**TABLE, "score": [0.5, math.nan, 0.1]},
        {},
        "Received: NaN as the score in row 2, of the query 1",
    ),
    "a missing label": (
        {**TABLE, "label": [1, 0, math.nan]},
        {},
        "NaN as the label in row 3",
    ),
    "tied items without ids": (
        TABLE,
        {"metrics": "map", "convention": "trec_eval"},
        "orders tied items by their ids.*no column of items",
    ),
    "a convention that drops items": (
        {**TABLE, "score": [0.5, 0.4, 0.1]},
        {"metrics": "NDCG@10", "convention": "beir"},
        "id of their query should be dropped.*`drop_same_id=False`",
    ),
    "names of queries": (
        TABLE,
        {"query_ids": [1, 2]},
        "`query_ids` is for a truth and a run",
    ),
    "metrics of two rankings": (
        TABLE,
        {"metrics": "RBO"},
        "should have metrics that take these",
    ),
    "two lengths": (
        {**TABLE, "label": [1, 0]},
        {},
        "columns of `truth` should have one length",
    ),
    "integers that floats tie": (
        {**TABLE, "score": [2**60, 2**60 + 1, 0]},
        {},
        "exact in float64",
    ),
    "no rows": (
        {role: np.zeros(0) for role in TABLE},
        {},
        "There should be rows in `truth`. Received: none",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_such_table(name):
    table, options, expected = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=f"(?s){expected}"):
        krm.evaluate(table, **{"metrics": "RR", **options})


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("run", "q1 Q0 d1 1 0.5 tag\n", "Received: 'a run of TREC'"),
        ("qrels", "q1 0 d1 1\n", "Received: 'judgements of TREC'"),
        ("t.json", '{"q1": {"d1": 1}}', "Received: 'nested JSON'"),
        ("t.csv", "query,label,score\n1,1,x\n", "line 2: The score should be"),
        ("u.csv", "query,label,score\n,1,1\n", "line 2: Each row should have"),
        ("t.jsonl", '{"query": 1, "label": "a", "score": 1}', "The label `la"),
        ("v.csv", "query,label,score\n", "There should be rows in"),
    ],
)
def test_files_that_have_no_such_table(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=expected):
        krm.evaluate(str(path), metrics="RR")


def test_labels_that_look_wrong_in_a_later_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_queries, "__defaults__", (4,))
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (64,))
    table = example()
    label = table["label"] + 0
    label[-1] = 1_700_000_000
    path = written(tmp_path / "t.csv", {**table, "label": label})
    with pytest.warns(UserWarning, match="looks like a time"):
        krm.evaluate(path, metrics="RR")
    times = label[-1] - label
    path = written(tmp_path / "t.csv", {**table, "label": times})
    with pytest.raises(ValueError, match="looks like a time"):
        krm.evaluate(path, metrics="RR")
    label[-1] = 40
    path = written(tmp_path / "t.csv", {**table, "label": label})
    with pytest.warns(UserWarning, match="Grades should be small"):
        krm.evaluate(path, metrics="NDCG@3")


def test_systems_of_a_lazy_table_in_no_order_are_of_the_same_queries():
    polars = pytest.importorskip("polars")
    draw = np.random.default_rng(0)
    lazy = (
        polars.LazyFrame(
            {
                "query": draw.integers(0, 300, 3000),
                "item": np.arange(3000),
                "label": draw.integers(0, 2, 3000),
                "old": draw.random(3000),
            }
        )
        .group_by("query", "item")
        .agg(polars.col("label").max(), polars.col("old").mean())
        .with_columns(new=polars.col("old"))
    )
    columns = {"score": ["old", "new"]}
    found = krm.compare(lazy, metrics="RR", columns=columns)
    values = found.per_list()["RR"]
    assert values[: len(values) // 2] == values[len(values) // 2 :]


def test_a_column_of_scores_is_no_label_of_another_system():
    table = {
        "user": [*"aabbcc"],
        "clicked": [1, 0, 0, 1, 1, 0],
        "rating": [1.0, 0, 1, 0, 0, 1],
        "score": [0.0, 1, 1, 0, 0, 1],
    }
    columns = {"score": ["rating", "score"]}
    with pytest.raises(ValueError, match="one column for the label"):
        krm.compare(table, metrics="RR", columns=columns)
    found = krm.compare(
        table, metrics="RR", columns={**columns, "label": "clicked"}
    )
    assert found.per_list()["RR"] == [1.0, 0.5, 0.5, 0.5, 0.5, 0.5]
    graded = {**table, "grade": table["clicked"]}
    again = krm.compare(graded, metrics="RR", columns=columns)
    assert again.per_list() == found.per_list()
    columns = {"label": "clicked", "score": ["clicked", "score"]}
    with pytest.raises(ValueError, match="in different columns"):
        krm.compare(table, metrics="RR", columns=columns)


@pytest.mark.parametrize(
    ("items", "order", "values"),
    [([*"xyxy"], "ids, the last", [0.0, 1.0]), (None, "the run", [1.0, 0.0])],
)
def test_the_order_of_ties_is_said(items, order, values):
    table = {"query": [*"aabb"], "label": [1, 0, 0, 1], "score": [0.5] * 4}
    if items:
        table["item"] = items
    found = quietly(krm.evaluate, table, metrics="P(ties=stable)@1")
    assert list(found.per_list().values())[-1] == values
    assert order in str(found)


MODELS = {
    "query": [*"aabb"] * 2,
    "label": [1, 0, 0, 1] * 2,
    "score": [0.9, 0.1, 0.8, 0.7, 0.1, 0.9, 0.7, 0.8],
    "model": ["m1"] * 4 + ["m2"] * 4,
}


@pytest.mark.parametrize(
    "name", ["memory", "t.csv", "t.jsonl", "t.parquet", "polars", "pyarrow"]
)
def test_rows_of_several_models_are_no_list(tmp_path, monkeypatch, name):
    monkeypatch.setattr(tables_of_rows, "ROWS", 2)
    monkeypatch.setattr(blocks.blocks_of, "__defaults__", (8,))

    def made(rows):
        table = {role: np.array(x)[rows] for role, x in MODELS.items()}
        if name in LAZY:
            return LAZY[name](pytest.importorskip(name), table)
        path = tmp_path / f"{len(table['query'])}{name}"
        return table if name == "memory" else written(path, table)

    chosen = {role: role for role in ("query", "label", "score")}
    for columns in ({}, chosen, {**chosen, "item": None}):
        with pytest.raises(
            ValueError, match=r"(?s)belong together.*m1 and m2 in.*model"
        ):
            krm.evaluate(made(slice(None)), metrics="RR", columns=columns)
        found = krm.evaluate(made(slice(4)), metrics="RR", columns=columns)
        assert found["RR"] == 0.75


def test_warnings_of_two_inputs_are_given_for_one():
    table = {**TABLE, "score": [0.5, 0.4, 0.1]}
    far = {**TABLE, "distance": [0.5, 0.4, 0.1]}
    with pytest.warns(UserWarning, match="column 'distance' should have"):
        krm.evaluate(far, metrics="RR", columns={"score": "distance"})
    items = {**table, "item": [7, 8, 9]}
    with pytest.warns(UserWarning, match="should drop items"):
        krm.evaluate(items, metrics="RR", drop_same_id=True)
    columns = {"score": ["score"]}
    with pytest.raises(ValueError, match="should name systems"):
        krm.compare(
            table,
            metrics="RR",
            columns=columns,
            higher_is_better={"scor": False},
        )


def test_items_of_two_columns_are_chosen_or_left_out():
    table = {**TABLE, "item_id": [1, 2, 3], "doc_id": [1, 2, 3]}
    with pytest.raises(ValueError, match=r"for the item.*\"item\": None"):
        krm.evaluate(table, metrics="RR")
    for item in ("doc_id", None):
        found = krm.evaluate(table, metrics="RR", columns={"item": item})
        assert found["RR"] == krm.evaluate(TABLE, metrics="RR")["RR"]


def test_columns_of_one_entry_and_other_shapes():
    table = {role: np.array(x)[:, None] for role, x in TABLE.items()}
    assert krm.evaluate(table, metrics="RR") == krm.evaluate(
        TABLE, metrics="RR"
    )
    wide = {**TABLE, "score": np.zeros((3, 2))}
    with pytest.raises(ValueError, match=r"one value in each row.*\(3, 2\)"):
        krm.evaluate(wide, metrics="RR")


def test_odd_frames_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE)
    expected = dict(krm.evaluate(TABLE, metrics="RR"))
    kept = frame.set_index("query", drop=False)
    odd = frame.assign(scanner=1, read_next_batch=2)
    for each in (kept, odd):
        assert krm.evaluate(each, metrics="RR") == expected
    weight = pandas.Series([1.0, 3.0])  # by the queries 0 and 1
    numbers = frame.assign(query=[1, 1, 0])
    found = krm.evaluate(numbers, metrics="RR", sample_weight=weight)
    assert found["RR"] == pytest.approx(0.75 * 0.75 + 0.25)
    with pytest.raises(ValueError, match="index of `sample_weight`"):
        krm.evaluate(
            frame, metrics="RR", sample_weight=pandas.Series([1.0] * 3)
        )


def test_a_stream_has_several_systems():
    arrow = pytest.importorskip("pyarrow")
    table = {**example(), "new": example()["score"]}
    columns = {"score": ["score", "new"]}
    found = krm.compare(
        in_a_stream(arrow, table), metrics="AP", columns=columns
    )
    assert found.per_list()["AP"][:40] == found.per_list()["AP"][40:]


def test_a_table_with_labels_of_minus_one_and_one():
    """Items below 0 are not judged, so that any order is perfect."""
    rng = np.random.default_rng(0)
    table = {
        "query": np.repeat(np.arange(8), 6),
        "label": rng.permuted(np.tile([-1, 1, 1], (8, 2)), axis=1).ravel(),
        "score": rng.normal(size=48),
    }
    with pytest.warns(UserWarning, match="If -1 is irrelevant, replace it by"):
        assert krm.evaluate(table, metrics="BPref")["BPref"] == 1.0
    table["label"] = np.maximum(table["label"], 0)
    assert krm.evaluate(table, metrics="BPref")["BPref"] < 1.0

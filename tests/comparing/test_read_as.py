"""The line `Read as`: roles, columns that were not read, relevant items."""

import json

import pytest
from table_files import written

import keras_rankmetrics as krm
from keras_rankmetrics.tables import roles

TABLE = {
    "qid": ["a", "a", "b", "b"],
    "item": ["x", "y", "x", "z"],
    "label": [0, 1, 1, 0],
    "score": [0.9, 0.8, 0.7, 0.1],
    "lang": ["de", "de", "fr", "fr"],
    "model": ["m"] * 4,
    "rank": [1, 2, 1, 2],
}
REST = ["lang", "model", "rank"]
READ = "Read as: query=qid, item=item, label=label, score=score"


def records(table=TABLE):
    rows = zip(*table.values(), strict=True)
    return [dict(zip(table, row, strict=True)) for row in rows]


def frame(library):
    module = pytest.importorskip(library, reason="needs an extra")
    return getattr(module, "table" if library == "pyarrow" else "DataFrame")


FORMS = {
    "dict": lambda: TABLE,
    "records": records,
    "pandas": lambda: frame("pandas")(TABLE),
    "polars": lambda: frame("polars")(TABLE),
    "lazy polars": lambda: frame("polars")(TABLE).lazy(),
    "pyarrow": lambda: frame("pyarrow")(TABLE),
}


def check(*inputs):
    """Check the line, the columns by role, and that they can be saved."""
    found = krm.evaluate(*inputs, metrics="RR")
    assert found.report.notes == (f"{READ}; not read: {', '.join(REST)}.",)
    sides = found.to_dict()["read_as"]
    assert [side["not_read"] for side in sides.values()] == [REST] * len(inputs)
    again = krm.Evaluated.from_json(found.to_json())
    assert again.to_dict() == found.to_dict()


@pytest.mark.parametrize("form", FORMS)
def test_columns_that_were_not_read(form):
    """Even if a check reads them: they change no number."""
    check(FORMS[form]())
    check(FORMS[form](), FORMS[form]())


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_columns_of_files_that_were_not_read(tmp_path, ending):
    path = written(tmp_path / f"table.{ending}", TABLE)
    check(path)
    check(path, path)


def test_the_sides_have_columns_of_their_own_that_were_not_read():
    truth = {name: TABLE[name] for name in ("qid", "item", "label", "lang")}
    run = {name: TABLE[name] for name in ("qid", "item", "score", "model")}
    [note] = krm.evaluate(truth, run, "RR").report.notes
    assert note == (
        "Read as: truth: query=qid, item=item, label=label; not read: lang; "
        "all: query=qid, item=item, score=score; not read: model."
    )
    compared = krm.compare(truth, {"a": run, "b": run}, "RR")
    verdict = compared.gate("RR", tolerance=0.1)
    assert note.replace("all: ", "a: ")[:-1] in verdict.notes[-1]


def test_columns_with_the_names_of_their_roles_need_no_line():
    """A table that is both sides has the labels and the scores of them."""
    names = ("item", "label", "score")
    plain = {"query": TABLE["qid"], **{name: TABLE[name] for name in names}}
    for inputs in ((plain,), (plain, plain)):
        found = krm.evaluate(*inputs, metrics="RR")
        assert found.report.notes == () and not found.to_dict()["read_as"]


def test_a_column_without_a_name_is_an_index(tmp_path):
    """Frames write their index to a column without a name."""
    table = {"": [0, 1, 2, 3], "query": TABLE["qid"], **TABLE}
    del table["qid"], table["lang"], table["model"], table["rank"]
    found = krm.evaluate(written(tmp_path / "table.csv", table), metrics="RR")
    assert found.report.notes == ()


def test_few_of_many_columns_are_named():
    rest = [f"f{number}" for number in range(12)]
    table = {**TABLE, **dict.fromkeys(rest, TABLE["label"])}
    found = krm.evaluate(table, metrics="RR")
    said = "; not read: lang, model, rank, f0, f1 and 10 more."
    assert found.report.notes[-1].endswith(said)
    assert found.to_dict()["read_as"]["truth"]["not_read"] == [*REST, *rest]


def test_columns_of_other_systems_and_of_queries_are_read():
    table = {**TABLE, "new": [0.1, 0.2, 0.3, 0.4]}
    chosen = {"score": ["score", "new"], "group": "lang"}
    found = krm.compare(table, metrics="RR", columns=chosen)
    [note] = [x for x in found.report.notes if x.startswith("Read as")]
    assert note.endswith("group=lang, label=label; not read: model, rank.")


def test_the_field_of_hits_is_read(tmp_path):
    hits = [{"corpus_id": "x", "score": 0.9, "text": "..."}]
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"query_id": "a", "results": hits}) + "\n")
    found = krm.evaluate({"a": ["x"]}, path, "RR")
    assert found.report.notes[-1].endswith("score=score; not read: text.")


def test_results_of_earlier_versions_name_roles_alone():
    found = krm.evaluate(TABLE, metrics="RR").to_dict()
    del found["per_list"]["roles"]["truth"]["not_read"]
    assert krm.Evaluated.from_dict(found).report.notes == (f"{READ}.",)


@pytest.mark.parametrize(
    "labels, metrics, relevant",
    [
        ([1, 1, 1, 1], "RR", "each item"),
        ([1, 1, 1, 1], "NDCG", "each item"),
        ([3, 4, 3, 3], "RR(relevance_threshold=3)", "each item"),
        ([3, 4, 3, 3], "RR NDCG", "label>=1 (all labels)"),
        ([3, 4, 3, 3], "NDCG", None),
        ([3, 4, 3, 3], "RR(relevance_threshold=4)", None),
        ([1, 0, 1, 1], "RR NDCG", None),
        ([1, -1, 1, 1], "RR NDCG", None),  # one item is unjudged
    ],
)
def test_lists_of_relevant_items_are_said_to_be(labels, metrics, relevant):
    """All their orders have one value. Judgements are often such alone."""
    table = {**TABLE, "label": labels}
    sides = krm.evaluate(table, metrics=metrics).to_dict()["read_as"]
    assert sides["truth"].get("relevant") == relevant
    if relevant == "each item":
        sides = krm.evaluate(table, table, metrics).to_dict()["read_as"]
        assert "relevant" not in sides["truth"]


def test_lists_without_relevant_items_cause_a_warning():
    table = {**TABLE, "label": [0] * 4}
    for inputs in ((table,), (table, table)):
        with pytest.warns(UserWarning, match="Received: 0 as the highest"):
            krm.evaluate(*inputs, metrics="RR")


def test_no_name_of_scores_is_one_of_distances():
    """Only the user can choose such a column, which causes a warning."""
    names = (x for names in roles.COLUMN_NAMES["score"] for x in names)
    assert not any(map(roles.is_lower_better, names))
    assert roles.is_lower_better("rank")
    ranks = {"query": ["a", "a"], "item": ["x", "y"], "rank": [2, 1]}
    [note] = krm.evaluate({"a": ["y"]}, ranks, "RR").report.notes
    assert note == "Read as: query=query, item=item, score=-rank."
    truth, chosen = {"a": {"y": 1, "x": 0}}, {"columns": {"score": "rank"}}
    for door in (
        lambda: krm.evaluate(truth, ranks, "RR", **chosen),
        lambda: krm.compare(truth, {"one": ranks}, "RR", **chosen),
        lambda: krm.tie_range(truth, ranks, "RR", **chosen),
        lambda: krm.diagnose(truth, ranks, **chosen),
        lambda: krm.explain(0.5, truth, ranks, **chosen),
    ):
        with pytest.warns(UserWarning, match="'rank' should have higher"):
            door()


def test_of_several_columns_each_has_its_own_direction():
    table = {**TABLE, "cost": [0.1, 0.3, 0.2, 0.4]}
    columns = {"score": ["rank", "cost"]}
    with pytest.warns(UserWarning, match="The column 'cost' should") as told:
        krm.compare(
            table,
            metrics="RR",
            columns=columns,
            higher_is_better={"rank": False},
        )
    assert not any("'rank'" in str(x.message) for x in told)

"""Weights, groups, subtopics and two kinds of labels, as columns of a table."""

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main

pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
pl = pytest.importorskip("polars", reason="needs the extra [interop]")
METRICS = "NDCG@3 RR"
COLUMNS = {"weight": "w", "group": "lang"}
_RNG = np.random.default_rng(0)
_LISTS, _ITEMS = 9, 4
TABLE = pd.DataFrame(
    {
        "query_id": np.repeat([f"q{i}" for i in range(_LISTS)], _ITEMS),
        "item_id": [*"abcd"] * _LISTS,
        "label": _RNG.integers(0, 3, _LISTS * _ITEMS),
        "score": _RNG.random(_LISTS * _ITEMS),
        "w": np.repeat(_RNG.random(_LISTS).round(3), _ITEMS),
        "lang": np.repeat(["en", "de", "fr"] * 3, _ITEMS),
    }
)
WEIGHTS = dict(zip(TABLE.query_id, TABLE.w, strict=True))
GROUPS = dict(zip(TABLE.query_id, TABLE.lang, strict=True))
TRUTH = TABLE.drop(columns="score")
RUN = TABLE[["query_id", "item_id", "score"]]


def forms_of(frame, folder):
    """Return a frame in each form of a table."""
    paths = {x: folder / f"table.{x}" for x in ("csv", "tsv", "jsonl")}
    frame.to_csv(paths["csv"], index=False)
    frame.to_csv(paths["tsv"], index=False, sep="\t")
    frame.to_json(paths["jsonl"], orient="records", lines=True)
    paths["parquet"] = folder / "table.parquet"
    frame.to_parquet(paths["parquet"])
    return {
        "pandas": frame,
        "rows in any order": frame.sample(frac=1, random_state=1),
        "polars": pl.from_pandas(frame),
        "Arrow": pl.from_pandas(frame).to_arrow(),
        "columns": frame.to_dict("list"),
        "records": frame.to_dict("records"),
        **paths,
    }


def values_of(found):
    """Return what has the weights and the groups, by query."""
    measured = found.measured
    [of_run] = measured.systems.values()
    by_query = zip(
        measured.lists,
        measured.groups,
        of_run.values.T.tolist(),
        of_run.weights.T.tolist(),
        strict=True,
    )
    signatures = [metric.signature for metric in measured.metrics]
    means = {name: round(mean, 6) for name, mean in found.items()}
    return signatures, sorted(by_query), means


def test_columns_of_one_table_are_as_arguments(tmp_path):
    named = {"sample_weight": WEIGHTS, "groups": GROUPS}
    expected = values_of(krm.evaluate(TABLE, metrics=METRICS, **named))
    forms = forms_of(TABLE, tmp_path)
    forms["lazy"] = pl.from_pandas(TABLE).lazy()
    for name, form in forms.items():
        found = krm.evaluate(form, metrics=METRICS, columns=COLUMNS)
        assert values_of(found) == expected, name
        assert "list_weight:mean" in found.signatures["RR"]


def test_columns_of_the_truth_are_as_arguments(tmp_path):
    named = {"sample_weight": WEIGHTS, "groups": GROUPS}
    expected = values_of(krm.evaluate(TRUTH, RUN, METRICS, **named))
    for name, form in forms_of(TRUTH, tmp_path).items():
        found = krm.evaluate(form, RUN, METRICS, columns=COLUMNS)
        assert values_of(found) == expected, name


@pytest.mark.parametrize("role", COLUMNS)
def test_rows_of_a_query_have_one_value(role):
    table = TABLE.copy()
    table.loc[2, COLUMNS[role]] = {"weight": 9.0, "group": "it"}[role]
    expected = f"one {role} in all rows of a query.* query 'q0'"
    for arguments in ((table,), (table.drop(columns="score"), RUN)):
        with pytest.raises(ValueError, match=expected):
            krm.evaluate(
                *arguments, metrics="RR", columns={role: COLUMNS[role]}
            )


@pytest.mark.parametrize("role", COLUMNS)
def test_a_query_has_a_value(role):
    column = COLUMNS[role]
    table = TABLE.assign(
        **{column: TABLE[column].where(TABLE.query_id != "q3", None)}
    )
    for arguments in ((table,), (table.drop(columns="score"), RUN)):
        with pytest.raises(ValueError, match=f"have a {role} in each row.*q3"):
            krm.evaluate(*arguments, metrics="RR", columns={role: column})


@pytest.mark.parametrize("value", [-1.0, np.inf, 1e39])
def test_weights_are_those_that_a_dict_may_have(value):
    table = TABLE.assign(w=TABLE.w.where(TABLE.query_id != "q3", value))
    with pytest.raises(ValueError, match=r"weight for each query.*'q3'"):
        krm.evaluate(table, metrics="RR", columns={"weight": "w"})


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((TRUTH, RUN), "should name a column"),
        ((TABLE,), "should name a column"),
        ((RUN.assign(label=1), RUN.assign(none=1)), "add the column to it"),
        (({"q1": {"a": 1}}, {"q1": {"a": 1.0}}), "inputs without names"),
        (({"q1": {"a": 1}}, RUN.assign(none=1)), "a dict by query"),
    ],
)
def test_a_column_that_the_truth_lacks(arguments, expected):
    with pytest.raises(ValueError, match=expected):
        krm.evaluate(*arguments, metrics="RR", columns={"weight": "none"})


def test_files_without_such_a_column(tmp_path):
    qrels, table = tmp_path / "qrels.txt", tmp_path / "truth.csv"
    qrels.write_text("q1 0 a 1\n")
    TRUTH.to_csv(table, index=False)
    columns = {"weight": "none"}
    with pytest.raises(ValueError, match="without named columns"):
        krm.evaluate(qrels, RUN, "RR", columns=columns)
    with pytest.raises(ValueError, match="add the column to it"):
        krm.evaluate(table, RUN, "RR", columns=columns)


def test_a_column_and_an_argument_are_one_too_many():
    for role, argument, values in (
        ("weight", "sample_weight", WEIGHTS),
        ("group", "groups", GROUPS),
    ):
        columns = {role: COLUMNS[role]}
        with pytest.raises(ValueError, match=f"`{argument}`. Received: both"):
            krm.evaluate(
                TABLE, metrics="RR", columns=columns, **{argument: values}
            )


def test_compare_and_its_agreement_read_the_columns():
    runs = {"one": RUN, "two": RUN.assign(score=-RUN.score)}
    found = krm.compare(TRUTH, runs, "RR", columns=COLUMNS)
    expected = krm.compare(
        TRUTH, runs, "RR", sample_weight=WEIGHTS, groups=GROUPS
    )
    means = found.to_dict()["systems"], expected.to_dict()["systems"]
    assert means[0] == means[1]
    with pytest.warns(UserWarning, match="ranks for them in 9 of 9 lists"):
        agreement = found.agreement(krm.KendallTau())["kendall_tau"]
    assert agreement["one", "two"].value == -1


def test_tie_range_takes_weights_alone():
    tied = TABLE.assign(score=TABLE.score.round(1))
    found = krm.tie_range(tied, metrics="RR", columns={"weight": "w"})
    expected = krm.tie_range(tied, metrics="RR", sample_weight=WEIGHTS)
    assert found == expected
    with pytest.raises(
        ValueError, match="label, subtopic, rank, weight to the"
    ):
        krm.tie_range(TABLE, metrics="RR", columns={"group": "lang"})


def test_explain_takes_neither():
    for role in COLUMNS:
        columns = {role: COLUMNS[role]}
        with pytest.raises(
            ValueError, match="label, subtopic, rank to the names"
        ):
            krm.explain(0.5, TRUTH, RUN, "RR", columns=columns)


def test_diagnose_checks_them():
    found = krm.diagnose(TABLE, k=3, columns=COLUMNS)
    assert found == krm.diagnose(TABLE, k=3)
    table = TABLE.copy()
    table.loc[2, "w"] = 9.0
    with pytest.raises(ValueError, match="one weight in all rows"):
        krm.diagnose(table, k=3, columns=COLUMNS)


def test_the_command_takes_them(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("table.csv", index=False)
    TRUTH.to_csv("truth.csv", index=False)
    RUN.to_csv("run.csv", index=False)
    of_queries = {"weight": WEIGHTS, "group": GROUPS}
    for name, values in of_queries.items():
        rows = [f"{query},{x}" for query, x in values.items()]
        text = "\n".join([f"query,{name}", *rows])
        (tmp_path / f"{name}.csv").write_text(text)

    def printed(*arguments):
        assert main(["eval", *arguments, "-m", "RR"]) == 0
        return capsys.readouterr().out.partition("Read as")[0]

    files = "--weights", "weight.csv", "--groups", "group.csv"
    expected = printed("truth.csv", "run.csv", *files)
    columns = "--columns", "weight=w,group=lang"
    assert printed("truth.csv", "run.csv", *columns) == expected
    one = printed("table.csv", *columns).replace("table", "run  ")
    assert one.split() == expected.split()
    gate = ["gate", "truth.csv", "run.csv", "0.1", "-m", "RR"]
    gate += ["--tolerance", "0", *columns]
    assert main(gate) == 2
    assert "`krm gate` should have no column" in capsys.readouterr().err
    both = ["eval", "table.csv", "-m", "RR", *columns, *files]
    assert main(both) == 2
    assert "in `--weights`. Received: both" in capsys.readouterr().err


# Metrics that read more than a label of each item.

BY_SUBTOPIC = pd.DataFrame(
    [
        ("q1", "a", "x", 1, 0.9),
        ("q1", "a", "y", 1, 0.9),
        ("q1", "b", "x", 1, 0.8),
        ("q1", "c", "z", 1, 0.8),
        ("q2", "d", "x", 0, 0.5),
        ("q2", "e", "x", 1, 0.4),
    ],
    columns=["query_id", "item_id", "subtopic", "label", "score"],
)
OF_SUBTOPICS = "AlphaNDCG@5 SubtopicRecall@2"


def test_subtopics_of_one_table(tmp_path):
    run = BY_SUBTOPIC[["query_id", "item_id", "score"]].drop_duplicates()
    truth = BY_SUBTOPIC.drop(columns="score")
    expected = krm.evaluate(truth, run, OF_SUBTOPICS)
    for name, form in forms_of(BY_SUBTOPIC, tmp_path).items():
        found = krm.evaluate(form, metrics=OF_SUBTOPICS)
        assert dict(found) == dict(expected), name
        assert "subtopic=subtopic" in str(found)


def test_subtopics_of_one_table_by_several_systems():
    table = BY_SUBTOPIC.assign(new=-BY_SUBTOPIC.score)
    columns = {"score": ["score", "new"]}
    found = krm.compare(table, metrics=OF_SUBTOPICS, columns=columns)
    for name in columns["score"]:
        alone = krm.evaluate(
            table, metrics=OF_SUBTOPICS, columns={"score": name}
        )
        cells = found.to_dict()["systems"][name].items()
        assert {x: cell["value"] for x, cell in cells} == dict(alone)


def test_what_is_no_table_of_subtopics():
    for table, expected in (
        (BY_SUBTOPIC.assign(score=range(6)), "one score in all rows"),
        (BY_SUBTOPIC.drop(columns="item_id"), "no column of items"),
        (BY_SUBTOPIC.drop(columns="subtopic"), "column for the subtopic"),
    ):
        with pytest.raises(ValueError, match=expected):
            krm.evaluate(table, metrics=OF_SUBTOPICS)


JUDGED = {"label": {"human": "human", "judge": "judge"}}


def judged_table(lists=30):
    rng, rows = np.random.default_rng(0), lists * _ITEMS
    judge = rng.integers(0, 2, rows)
    human = np.where(rng.random(rows) < 0.8, judge, 1 - judge)
    return pd.DataFrame(
        {
            "query_id": np.repeat([f"q{i}" for i in range(lists)], _ITEMS),
            "item_id": [*"abcd"] * lists,
            "judge": judge,
            "human": np.where(np.arange(rows) < 12 * _ITEMS, human, np.nan),
            "score": rng.random(rows),
            "new": rng.random(rows),
        }
    )


@pytest.mark.each_backend
def test_labels_by_humans_and_by_a_judge_in_one_table():
    metric = krm.JudgeCorrected(krm.NDCG(k=3))
    table = judged_table()
    ids = table[["query_id", "item_id"]]
    truth = {kind: ids.assign(label=table[kind]) for kind in ("human", "judge")}
    truth["human"] = truth["human"].dropna()
    runs = {name: ids.assign(score=table[name]) for name in ("score", "new")}
    expected = krm.compare(truth, runs, metric)
    columns = JUDGED | {"score": ["score", "new"]}
    for form in (table, table.fillna(-1), pl.from_pandas(table)):
        found = krm.compare(form, metrics=metric, columns=columns)
        means = found.to_dict()["systems"], expected.to_dict()["systems"]
        assert means[0] == means[1]
    alone = krm.evaluate(
        table, metrics=metric, columns=JUDGED | {"score": "new"}
    )
    name = "ndcg@3/judge_corrected"
    assert alone[name] == expected.to_dict()["systems"]["new"][name]["value"]


def by_judge(table, columns):
    metric = krm.JudgeCorrected(krm.NDCG(k=3))
    return krm.evaluate(
        table, metrics=metric, columns={**JUDGED, "score": "new", **columns}
    )


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"label": {"human": "human"}}, "in two columns"),
        ({"label": {"human": "judge", "judge": "judge"}}, "in two columns"),
        ({"label": "judge"}, "for one table without a run"),
        ({"weight": "score"}, "should come without weights"),
        ({"label": {"human": "human", "judge": "x"}}, "should name a column"),
    ],
)
def test_columns_of_a_judge_that_are_refused(columns, expected):
    with pytest.raises(ValueError, match=expected):
        by_judge(judged_table(), columns)


def test_labels_of_a_judge_that_are_refused():
    """Humans label all of a list or nothing, and a judge all items."""
    table = judged_table()
    table.loc[1, "human"] = np.nan
    with pytest.raises(ValueError, match="no label for the item 'b'"):
        by_judge(table, {})
    table = judged_table()
    table["judge"] = table.judge.where(table.index % 5 > 0)
    with pytest.raises(ValueError, match="Received: NaN"):
        by_judge(table, {})
    stream = pl.from_pandas(judged_table()).to_arrow().to_reader()
    with pytest.raises(ValueError, match="Received: a stream"):
        by_judge(stream, {})


def test_a_table_whose_queries_are_apart_is_read_again(tmp_path):
    path = tmp_path / "apart.csv"
    table = BY_SUBTOPIC.sample(frac=1, random_state=3)
    table.to_csv(path, index=False)
    expected = dict(krm.evaluate(BY_SUBTOPIC, metrics=OF_SUBTOPICS))
    for form in (path, pl.from_pandas(table).lazy()):
        found = dict(krm.evaluate(form, metrics=OF_SUBTOPICS))
        assert found == pytest.approx(expected)


def test_both_kinds_of_labels_were_read():
    found = by_judge(judged_table(), {"score": "score"})
    text = str(found).replace("\n", " ")
    assert "label=human and judge, score=score; not read: new." in text
    assert found.to_dict()["read_as"]["truth"]["not_read"] == ["new"]


@pytest.mark.parametrize("kind", ["human", "judge"])
def test_one_of_two_truths_has_a_column_more(kind):
    table = judged_table()
    ids = table[["query_id", "item_id"]]
    truth = {kind: ids.assign(label=table[kind]) for kind in ("human", "judge")}
    truth["human"] = truth["human"].dropna()
    truth[kind] = truth[kind].assign(annotator="x")
    metric, run = krm.JudgeCorrected(krm.NDCG(k=3)), ids.assign(score=table.new)
    found = krm.evaluate(truth, run, metric).to_dict()["read_as"]["truth"]
    assert found["label"] == "label"
    assert found["not_read"] == ["annotator"]


def test_groups_of_one_table_may_be_a_series():
    groups = TABLE.groupby("query_id").lang.first()
    found = krm.evaluate(TABLE, metrics="RR", groups=groups)
    expected = krm.evaluate(TABLE, metrics="RR", columns={"group": "lang"})
    assert found.per_list() == expected.per_list()


def test_groups_have_one_order_in_a_frame_and_in_a_file(tmp_path):
    table = TABLE.sample(frac=1, random_state=1)
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    found = [
        [*krm.evaluate(x, metrics="RR", columns=COLUMNS).groups]
        for x in (table, path)
    ]
    assert found[0] == found[1]


def test_a_run_passed_as_the_truth_is_refused():
    other = RUN.assign(score=RUN.score + 1)
    with pytest.raises(ValueError, match="This looks like a run"):
        krm.evaluate(other, RUN, "RR")
    found = krm.evaluate(other, RUN, "NDCG@3", columns={"label": "score"})
    assert found["NDCG@3"] > 0


@pytest.mark.parametrize("form", [np.array, list])
def test_arrays_keep_the_order_of_their_scores(form):
    labels, scores = [[0, 0, 1]] * 2, [[1e8 + 1, 1e8, 1e8 + 2]] * 2
    found = krm.evaluate(form(labels), form(scores), "RR@1")
    assert found["RR@1"] == 1
    rounded = krm.evaluate(
        form([[1, 0, 0]] * 2),
        form([[1e8, 1e8 + 1, 1e8 + 2]] * 2),
        "NDCG@1",
        convention="xgboost",
    )
    assert rounded["NDCG@1"] == 1  # of equal scores in float32
    low = krm.evaluate(
        form([[1, 0, 0]] * 2), form([[-1e200, 2.0, 1.0]] * 2), "Recall@3"
    )
    assert low["Recall@3"] == 1  # retrieved, though float32 makes it -inf


def test_arrays_of_steps_have_values():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (2, 4, 5)), rng.random((2, 4, 5))
    found = krm.evaluate(labels, scores, "RR@1")
    single = krm.evaluate(labels, scores.astype(np.float32), "RR@1")
    assert found["RR@1"] == single["RR@1"]


def test_a_level_of_the_index_is_a_column():
    expected = krm.evaluate(TABLE, metrics="NDCG@3", columns=COLUMNS)
    for levels in (["w"], ["w", "lang"], ["query_id", "lang"]):
        found = krm.evaluate(
            TABLE.set_index(levels), metrics="NDCG@3", columns=COLUMNS
        )
        assert dict(found) == dict(expected)


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
def test_a_missing_group_is_refused(missing):
    values = pd.array([True, False, missing] * 12, dtype=object)
    table = TABLE.assign(lang=values)
    with pytest.raises(ValueError, match="a group in each row"):
        krm.evaluate(table, metrics="RR", columns={"group": "lang"})
    table["lang"] = pd.array([*[True] * 4, *[None] * 32], dtype="boolean")
    with pytest.raises(ValueError, match="Received: <NA>"):
        krm.evaluate(table, metrics="RR", columns={"group": "lang"})


def test_a_list_of_columns_is_no_weight():
    with pytest.raises(ValueError, match="one column for each role"):
        krm.evaluate(TABLE, metrics="RR", columns={"weight": ["w"]})


def test_the_table_says_that_a_mean_is_weighted():
    found = str(krm.evaluate(TABLE, metrics=METRICS, columns=COLUMNS))
    low, high = min(WEIGHTS.values()), max(WEIGHTS.values())
    expected = (
        "NDCG@3, RR: a weighted mean, of lists with weights from "
        f"{low:g} to {high:g}."
    )
    assert expected in " ".join(found.split())
    assert "weighted" not in str(krm.evaluate(TABLE, metrics=METRICS))


def test_a_baseline_may_have_groups(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("table.csv", index=False)
    TRUTH.to_csv("truth.csv", index=False)
    RUN.to_csv("run.csv", index=False)
    both = "truth.csv", "run.csv"
    of_rows = "-m", "RR", "--columns"
    main(["eval", *both, *of_rows, "weight=w,group=lang", "--save", "b.json"])
    capsys.readouterr()
    options = *of_rows, "weight=w", "--tolerance", "0.1"
    main(["gate", *both, "b.json", *options])
    assert capsys.readouterr().out.startswith("pass: RR stays at ")


def test_the_table_says_that_no_list_counts():
    weights = dict.fromkeys(WEIGHTS, 0)
    found = krm.evaluate(TABLE, metrics="RR", sample_weight=weights)
    assert np.isnan(found["RR"])
    assert "RR: no list counts that has a weight above 0." in str(found)

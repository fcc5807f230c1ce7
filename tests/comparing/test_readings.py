"""Inputs that may mean two things, and rules of reading that must agree."""

import functools
import json
import re
from pathlib import Path

import keras
import numpy as np
import pytest
from outcomes import of_rows, refused, row, rr, said

import keras_rankmetrics as krm
from keras_rankmetrics import conventions

TRUTH, RUN = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["x", "a"], "q2": ["b"]}


# Tables of what is refused, and of values.


IDS, OTHER_IDS = [[3, 14, 7], [5, 9, 11]], [[14, 3, 99], [1, 2, 4]]
EITHER = r"either\. For ids, pass `query"
DISTANCES = np.array([[0, 3], [1, 2]]), np.array([[5, 1], [6, 2]])
BY_NUMBER = np.array([[0.9, 0.1]]), np.array([[5000, 17]])
UNNAMED = r"are keys of `item_ids`\. .*: 5000"
NAMES = {17: "d1", 5000: "d2"}
OBJECTS, SCORED = np.array([["d1", "d0"]], object), np.array([[0.9, 0.1]])
ARRAYS = [[0, 1, 0]], [[0.1, 0.9, 0.2]]
NO_IDS = "is for inputs with ids.*"
MASK = re.escape('Mask these items: `{"labels": labels, "mask')
TABLE = {"query_id": ["q1"], "doc_id": ["x"], "pid": ["a"], "score": [1.0]}
PASSAGE = {"columns": {"item": "passage"}}
LISTS = [["a"], ["b"]]
OF_TEXTS = {"query_id": ["q"], "item_id": ["a"], "label": [1]}
FIELD = {"q": [{"pk": "a", "score": 1.0}]}
THREE = [set(), {"a"}, {"b"}], [["a"], ["a"], ["x", "b"]]
GROUP_LISTS = {"groups": [["a"], ["b"], ["c"]]}
WEIGHED = np.zeros((2, 3, 4), int)
WEIGHED[..., 1] = 1


def groups(*names):
    return {"groups": dict(zip(TRUTH, names, strict=True))}


BEIR = {"metrics": "NDCG@10", "convention": "beir"}
MEMBERS = {"a": {"x": 2, "y": 0, "z": 1}}
COSINE = "cosine_ndcg@10", "cosine_mrr@10"
OF_SENTENCES = {"convention": "sentence_transformers"}
GROUP_NAMES = "a name for each group"


@of_rows(
    "words",
    [
        *(row(EITHER, x(IDS), x(OTHER_IDS)) for x in (list, np.array, tuple)),
        row("If one has scores", {0: {5}, 1: {6}}, DISTANCES),
        row(UNNAMED, [["d1"]], BY_NUMBER, item_ids={17: "d1"}),
        row(r"once\. Received: 1 repeated", LISTS, LISTS, query_ids=["q", "q"]),
        row(NO_IDS + "pass `-scores`", *ARRAYS, higher_is_better=False),
        row(NO_IDS + "`evaluate_rows", *ARRAYS, query_ids=["q"]),
        row(NO_IDS + MASK, *ARRAYS, drop_same_id=True),
        row(NO_IDS + "Leave it out", *ARRAYS, columns={"query": "q"}),
        row("Received: 'passage' for the item", TRUTH, TABLE, **PASSAGE),
        row("Call `compare", TRUTH, {"old": RUN, "new": RUN}),
        row(GROUP_NAMES, TRUTH, RUN, **groups("a", "")),
        row(GROUP_NAMES, TRUTH, RUN, **groups("a", None)),
        row(GROUP_NAMES, TRUTH, RUN, **groups("a", float("nan"))),
        row(GROUP_NAMES, TRUTH, RUN, **groups("a", "all")),
        row("'1' and 1, of the", TRUTH, RUN, **groups(1, "1")),
        row("'2.5' and 2.5, of the", TRUTH, RUN, **groups("2.5", 2.5)),
        row(r"a name for each .* \['a'\]", *THREE, **GROUP_LISTS),
        row("rows of 3 lists each", WEIGHED, WEIGHED * 1.0, groups=[*"ababab"]),
    ],
)
def test_what_is_refused(words, truth, run, options):
    refused(words, truth, run, **options)


@of_rows(
    "value",
    [
        *(
            row(x, of(IDS), of(OTHER_IDS), metrics=metric, query_ids=["a", "b"])
            for of in (list, np.array, tuple)
            for x, metric in ((0.5, "P@1"), (1 / 3, "Recall@3"))
        ),
        # Of other lengths, they are ids.
        row(0.5, [[7, 8], [5], [9]], [[3, 7], [5, 1], [8, 2]]),
        row(1.0, np.array([[4], [2]]), np.array([[4, 1, 9], [2, 7, -1]])),
        # Those that repeat are labels.
        row(2 / 3, [[1, 0, 0, 2], [0, 0, 1, 0]], [[1, 2, 3, 4], [4, 3, 2, 1]]),
        row(1.0, [[0, 1]], [[7, 9]]),
        row(0.5, [["d0"]], OBJECTS),
        row(0.5, [["d0"]], (OBJECTS, SCORED)),
        row(0.5, [["d0"]], (SCORED, OBJECTS)),
        row(0.5, [["d1"]], BY_NUMBER, item_ids=NAMES),
        row(0.75, TRUTH, RUN, convention="beir"),
        row(0.75, TRUTH, RUN, convention=conventions.beir),
        row(1.0, OF_TEXTS, FIELD, columns={"item": "pk"}),
        # Each item of members is relevant.
        row(1.0, MEMBERS, {"a": [*"yzx"]}, metrics=COSINE[0], **OF_SENTENCES),
        row(1.0, MEMBERS, {"a": [*"yzx"]}, metrics=COSINE[1], **OF_SENTENCES),
        row(0.75, TRUTH, RUN, **groups(1, np.int64(1))),
        row(0.75, TRUTH, RUN, **groups(np.array(1), 1)),
    ],
)
def test_what_has_a_value(value, truth, run, options):
    assert rr(truth, run, **options) == pytest.approx(value)


# Queries and items of a run.


@pytest.mark.filterwarnings("ignore:The queries of")
def test_numbers_of_queries_are_not_those_of_items():
    run = np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([[0, 5], [1, 6]])
    assert rr([[0], [1]], run, **BEIR) == 1.0


@pytest.mark.parametrize("of", ["dicts", "rows", "file"])
def test_a_query_that_finds_only_itself_counts(of, tmp_path):
    truth = {"a": {"x": 1}, "b": {"y": 1}}
    run = {"a": {"a": 1.0}, "b": {"y": 1.0}}
    if of == "rows":
        rows = [np.array(x) for x in (["a", "b"], ["a", "y"], [1.0, 1.0])]
        run = krm.Rows(*rows)
    if of == "file":
        (tmp_path / "run.json").write_text(json.dumps(run))
        run = tmp_path / "run.json"
    assert rr(truth, run, **BEIR) == 0.5


def test_files_keep_queries_without_items(tmp_path):
    truth, run = {"q1": {"d": 1}, "q2": {}}, {"q1": {"d": 1.0}, "q2": {}}
    paths = [tmp_path / "qrels.json", tmp_path / "run.json"]
    for path, x in zip(paths, (truth, run), strict=True):
        path.write_text(json.dumps(x))
    assert rr(truth, run) == rr(*paths) == 0.5
    both = {"q1": {"d": 1}, "q2": {"e": 1}}
    for x in (run, paths[1]):
        assert rr(both, x, **BEIR) == 0.5


# Distances.


def test_systems_with_and_without_distances():
    truth, ids = [["a"], ["b"]], np.array([["x", "a"], ["b", "y"]])
    scores = np.array([[0.9, 0.4], [0.8, 0.1]])
    runs = {"l2": (ids, 1 - scores), "ip": (ids, scores)}
    for lower in ({"l2": False}, {"l2": np.False_}):
        compared = krm.compare(truth, runs, "RR", higher_is_better=lower)
        assert compared.per_list()["RR"] == [0.5, 1.0, 0.5, 1.0]
    for wrong in ("l2", {"l2": "no"}):
        with pytest.raises(TypeError, match="a dict of these by system"):
            krm.compare(truth, runs, "RR", higher_is_better=wrong)
    with pytest.raises(ValueError, match=r"should name systems of .*'typo'"):
        krm.compare(truth, runs, "RR", higher_is_better={"typo": False})


# The items of each of three queries, the best first or the worst first.
FALLING = {q: {f"d{i}": 1.0 - 0.1 * i for i in range(8)} for q in "abc"}
RISING = {q: {f"d{i}": 0.1 * i for i in range(8)} for q in "abc"}
OF_FIRST = {q: {"d0": 1} for q in "abc"}


def in_form(run, form, folder):
    if form == "dict":
        return run
    rows = [(q, d, x) for q, items in run.items() for d, x in items.items()]
    columns = map(np.array, zip(*rows, strict=True))
    table = dict(zip(("query", "item", "score"), columns, strict=True))
    if form == "table":
        return table
    if form == "chunks":
        rows = krm.Rows(*table.values())
        return (
            krm.Rows(*(column[rows.query == q] for column in rows)) for q in run
        )
    path = folder / "run.trec"
    path.write_text("".join(f"{q} Q0 {d} 1 {x} tag\n" for q, d, x in rows))
    return path


@pytest.mark.parametrize("form", ["dict", "table", "chunks", "file"])
@pytest.mark.parametrize(
    ("higher", "wrong", "right", "text"),
    [
        (
            True,
            RISING,
            FALLING,
            "The scores of `run` ascend in every query, as distances do. For "
            "distances, pass `higher_is_better=False`, or "
            '`higher_is_better={"name": False}` for one of several systems.',
        ),
        (
            False,
            FALLING,
            RISING,
            "The scores of `run` descend in every query, as similarities do. "
            "For similarities, leave out `higher_is_better=False`; if other "
            'systems have distances, pass `higher_is_better={"name": False}`.',
        ),
    ],
)
def test_runs_with_their_worst_items_first_are_doubted(
    form, higher, wrong, right, text, tmp_path
):
    for run, expected in ((wrong, (1 / 8, [text])), (right, (1.0, []))):
        given = in_form(run, form, tmp_path)
        call = functools.partial(rr, OF_FIRST, given, higher_is_better=higher)
        assert said(call) == expected


def test_a_run_between_distances_is_not_reversed_silently(tmp_path):
    """A plain False is for all systems, and the file has similarities."""
    found = np.array([[f"d{i}" for i in range(8)]] * 3)
    distances = np.array([[0.1 * i for i in range(8)]] * 3)
    old = in_form(FALLING, "file", tmp_path)
    inputs = OF_FIRST, {"old": old, "new": (distances, found)}, "RR"

    def values(higher):
        options = {"query_ids": [*FALLING], "higher_is_better": higher}
        compared = krm.compare(*inputs, **options)
        return [cells[0].value for cells in compared.report.cells]

    found, [text] = said(lambda: values(False))
    assert found == [1 / 8, 1.0]
    assert text.startswith("The scores of the system 'old' descend in every")
    assert said(lambda: values({"new": False})) == ([1.0, 1.0], [])


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize(
    "run",
    [
        {q: ["d0", "d1"] for q in "abc"},  # without scores
        {q: {"d0": 0.1 * i} for i, q in enumerate("abcdefghijklmnopqrst")},
        {"a": RISING["a"], "b": FALLING["b"], "c": RISING["c"]},
        {"a": FALLING["a"], "b": {"d0": 0.1, "d1": 0.2}, "c": FALLING["c"]},
    ],
)
def test_orders_that_are_no_evidence(run, higher):
    truth = {q: {"d0": 1} for q in run}
    rr(truth, run, higher_is_better=higher)  # without a warning


def test_hits_of_the_truth_may_have_any_order():
    truth = {"q": [("a", 1.0), ("b", 2.0)]}
    run = {"q": {"b": 0.1, "a": 0.9}}
    for higher in (True, False):
        found = krm.evaluate(truth, run, "RR P@1", higher_is_better=higher)
        assert dict(found) == {"RR": 1.0, "P@1": 1.0}


# Mistakes.


@pytest.mark.filterwarnings("ignore:The truth should have")
def test_a_truth_without_relevant_items_is_doubted():
    run = {"q": ["a"], "r": ["a"]}
    with pytest.warns(UserWarning, match="that it is not the run"):
        rr({"q": {}, "r": {"a": 0}}, run)
    truth = {"q": {"a": 0.9}, "r": {"a": 0.2}}
    with pytest.warns(UserWarning, match="that it is not the run"):
        krm.evaluate(truth, run, krm.NDCG())
    refused(r"Received: a label of 0\.9 for", truth, run)


SHARES = np.float32([[0, 1 / 3, 2 / 3, 1], [1, 0, 2 / 3, 0]])
ORDER = np.float32([[4, 3, 2, 1], [1, 2, 4, 3]])


def by_id(arrays):
    return {
        f"q{i}": {f"d{j}": x for j, x in enumerate(row)}
        for i, row in enumerate(arrays.tolist())
    }


@pytest.mark.parametrize("form", [np.asarray, by_id])
def test_shares_are_no_grades(form):
    truth, run = form(SHARES), form(ORDER)
    text = r"label of 0.666667 for the metric hit_rate@2, which.*probabilities"
    for metrics in (krm.HitRateAtK(2), [krm.NDCG(), krm.HitRateAtK(2)]):
        with pytest.raises(ValueError, match=text):
            krm.evaluate(truth, run, metrics)
        with pytest.raises(ValueError, match=text):
            krm.compare(truth, {"a": run, "b": run}, metrics)
    with pytest.raises(ValueError, match=r"metric auc.*between it and 1"):
        krm.evaluate(truth, run, krm.AUC())
    krm.evaluate(truth, run, krm.NDCG())
    for options in ({"labels": "probabilities"}, {"relevance_threshold": 0.5}):
        krm.evaluate(truth, run, krm.HitRateAtK(2, **options))


@pytest.mark.parametrize("form", [np.asarray, by_id])
def test_shares_of_a_judge_are_no_grades(form):
    truth = {"human": form(SHARES.round()), "judge": form(SHARES)}
    metric = krm.JudgeCorrected(krm.HitRateAtK(2))
    with pytest.raises(ValueError, match='with `labels="probabilities"`'):
        krm.compare(truth, {"a": form(ORDER)}, metric)


def test_a_column_that_no_file_has(tmp_path):
    trec, table = str(tmp_path / "run.txt"), str(tmp_path / "qrels.csv")
    Path(trec).write_text("q1 Q0 a 1 2.5 t\n")
    Path(table).write_text("user,session,item,label\nq1,s,a,1\n")
    chosen = {"query": "user"}
    assert rr(table, trec, columns=chosen) == 1.0
    assert krm.diagnose(table, trec, k=1, columns=chosen)
    frame = {"user": ["q1"], "item": ["a"], "score": [1.0]}
    misspelt = {"columns": {"query": "sesion"}}
    foo = {**chosen, "item": "foo"}
    for run in (trec, {"q1": {"a": 1.0}}, frame):
        refused("'foo' for the item", table, run, columns=foo)
        with pytest.raises(ValueError, match="'foo' for the item"):
            krm.diagnose(table, run, k=1, columns=foo)
    refused("inputs without names", TRUTH, trec, columns={"item": "foo"})
    refused(r"the query \(`sesion`\)", table, trec, **misspelt)


def test_groups_of_lists_in_order():
    column = keras.ops.convert_to_tensor([0, 1, 0])
    found = krm.evaluate(np.eye(3), np.eye(3), "RR", groups=column).groups
    assert len(found) == 2
    languages = ["en", "de", "en"]
    found = krm.evaluate(*THREE, "RR", groups=languages).groups
    assert found["en"]["RR"].value == 0.25 and found["de"]["RR"].value == 1.0
    for wrong in (3, "abc", b"abc", {"a"}):
        refused("should be a dict", *THREE, TypeError, groups=wrong)
    named = {"query_ids": ["q1", "q2", "q3"], "groups": languages}
    refused(r"in their order\. Received: list", *THREE, TypeError, **named)


# Results that are joined.


@pytest.mark.filterwarnings("ignore:With `convention`")
@pytest.mark.filterwarnings("ignore:`drop_same_id=True` should")
def test_rules_and_weights_of_joined_results_are_the_same():
    one = krm.compare(TRUTH, {"one": RUN}, "RR")
    for options, text in (
        ({"drop_same_id": True}, "drop_same_id:True"),
        ({"convention": "beir"}, "queries:both"),
        ({"sample_weight": {"q1": 1, "q2": 3}}, "the same weights"),
    ):
        metrics = krm.MeanReciprocalRank(name="RR")
        if "drop_same_id" in options:
            metrics = "RR"
        other = krm.compare(TRUTH, {"other": RUN}, metrics, **options)
        with pytest.raises(ValueError, match=text):
            one.join(other)
    saved = krm.Compared.from_json(other.to_json())
    assert saved.measured.rules == other.measured.rules


def test_a_kind_of_results_is_read_by_its_class():
    found = krm.evaluate(TRUTH, RUN, "RR")
    with pytest.raises(ValueError, match=r"Call `Evaluated.from_dict`"):
        krm.Compared.from_json(found.to_json())


@pytest.mark.parametrize("wrong", ["results.json", b"{", None, Path("x")])
def test_what_is_no_json(wrong):
    with pytest.raises(ValueError, match=r"pass `path\.read_text\(\)`"):
        krm.Compared.from_json(wrong)


def test_names_of_metrics_that_were_not_asked():
    found = krm.evaluate(TRUTH, RUN, "RR")
    with pytest.raises(KeyError, match=r"no metric 'rr', but \['RR'\]"):
        found["rr"]
    assert "rr" not in found


@pytest.mark.parametrize("wrong", [3, True, 0.5, np.int64(3), np.array(3)])
def test_a_number_is_no_input(wrong):
    refused("as the run", TRUTH, wrong)
    refused("as the truth", wrong, RUN)
    refused("should hold lists", wrong, wrong)

"""Queries that are items of the corpus, and relevant to themselves."""

import math

import numpy as np
import pytest
from table_files import written

import keras_rankmetrics as krm

SONGS = {  # clips of birds, by species
    "lark1": "lark",
    "lark2": "lark",
    "lark3": "lark",
    "owl1": "owl",
    "owl2": "owl",
    "rook1": "rook",
}
CLIPS = list(SONGS)
# How alike two clips are; each clip is most like itself.
SCORES = np.array(
    [
        [1.0, 0.2, 0.6, 0.5, 0.1, 0.3],
        [0.2, 1.0, 0.9, 0.4, 0.3, 0.1],
        [0.6, 0.9, 1.0, 0.7, 0.2, 0.8],
        [0.5, 0.4, 0.7, 1.0, 0.6, 0.2],
        [0.1, 0.3, 0.2, 0.6, 1.0, 0.4],
        [0.3, 0.1, 0.8, 0.2, 0.4, 1.0],
    ]
)
LABELS = np.array([[int(SONGS[a] == SONGS[b]) for b in CLIPS] for a in CLIPS])
TRUTH = {
    a: dict(zip(CLIPS, row, strict=True))
    for a, row in zip(CLIPS, LABELS.tolist(), strict=True)
}
RUN = {
    a: dict(zip(CLIPS, row, strict=True))
    for a, row in zip(CLIPS, SCORES.tolist(), strict=True)
}
COLUMNS = ("query", "item", "label", "score")


def without_self(by_query):
    return {
        query: {item: x for item, x in items.items() if item != query}
        for query, items in by_query.items()
    }


def rows_of(*sides):
    return [
        (query, item, *(side[query][item] for side in sides))
        for query, items in sides[0].items()
        for item in items
    ]


def in_columns(names, rows):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def values(found):
    columns = found.per_list()
    del columns["query"]
    return {
        name: [math.nan if x is None else x for x in column]
        for name, column in columns.items()
    }


def check_same(found, wanted):
    for name, column in values(wanted).items():
        np.testing.assert_allclose(values(found)[name], column, err_msg=name)


@pytest.mark.parametrize(
    "metric",
    [
        krm.MeanAveragePrecision(),
        krm.NDCG(k=3),
        krm.AUC(),
        krm.RecallAtK(k=2),
        krm.PrecisionAtK(k=2, denominator="k"),
        krm.RPrecision(),
        krm.BPref(),
        krm.ERR(),
        krm.MeanRank(),
        krm.AdjustedMeanRankIndex(),
        krm.FallOutAtK(k=2),
        krm.OrderedPairAccuracy(),
        krm.QMeasure(),
        krm.JudgedAtK(k=3),
        krm.UnjudgedAtK(k=3),
        krm.ExpectedExposureLoss(k=3),
        krm.NDCG(k=3, ties="stable", unjudged="condense"),
        krm.NDCG(k=3, empty="skip"),
    ],
    ids=lambda metric: metric.name,
)
def test_the_query_is_dropped_from_both_sides(metric):
    """As if neither the run nor the truth had it, by each metric."""
    draw = np.random.default_rng(3)
    truth = {
        query: {
            item: int(draw.integers(0, 3))
            for item in draw.permutation(CLIPS)[:4]
        }
        for query in CLIPS
    }
    truth["owl2"] = {"owl2": 2}
    truth["lark2"]["lark2"] = 1
    run = {
        query: {item: round(x, 1) for item, x in items.items()}
        for query, items in RUN.items()
    }
    wanted = krm.evaluate(without_self(truth), without_self(run), metric)
    found = krm.evaluate(truth, run, metric, drop_same_id=True)
    check_same(found, wanted)


def test_numbers_of_each_way_to_leave_the_query_out():
    """The clip of another species at rank 1 costs each lark one half."""
    right = krm.evaluate(without_self(TRUTH), without_self(RUN), "AP")
    dropped = krm.evaluate(TRUTH, RUN, "AP", drop_same_id=True)
    eye = np.eye(len(CLIPS), dtype=bool)
    masked = krm.evaluate({"labels": LABELS, "mask": ~eye}, SCORES, "AP")
    for found in (dropped, masked):
        check_same(found, right)
        assert not any("relevant items" in x for x in found.report.notes)
    assert right["AP"] == pytest.approx(
        np.mean(
            [(1 + 2 / 4) / 2, (1 + 2 / 4) / 2, (1 + 2 / 4) / 2, 1 / 2, 1, 0]
        )
    )


def test_what_was_dropped_is_counted():
    found = krm.evaluate(TRUTH, RUN, "AP RR", drop_same_id=True)
    assert found.report.notes == (
        "all: 6 of its items have the id of their query, and are dropped.",
        "truth: 6 of its labels are of items with the id of their query, and "
        "are dropped.",
    )
    # A run that lacks its queries.
    found = krm.evaluate(TRUTH, without_self(RUN), "AP", drop_same_id=True)
    assert found.report.notes[0].startswith("truth: 6 of its labels")
    loaded = krm.Evaluated.from_json(found.to_json())
    assert loaded.report.notes == found.report.notes
    kept = krm.evaluate(TRUTH, RUN, "AP")
    [note] = kept.report.notes
    assert note.startswith(
        "The best item of 6 of 6 lists of `run` has the id of"
    )
    assert kept["AP"] > found["AP"]


def test_every_door(tmp_path):
    right = krm.evaluate(without_self(TRUTH), without_self(RUN), "AP NDCG@2")
    drop = {"metrics": "AP NDCG@2", "drop_same_id": True}
    columns = in_columns(COLUMNS, rows_of(TRUTH, RUN))
    of_truth = {name: columns[name] for name in ("query", "item", "label")}
    of_run = {name: columns[name] for name in ("query", "item", "score")}
    files = (
        written(tmp_path / "truth.csv", of_truth),
        written(tmp_path / "run.csv", of_run),
    )
    table = written(tmp_path / "table.csv", columns)
    search = SCORES, np.tile(np.arange(len(CLIPS)), (len(CLIPS), 1))
    for found in (
        krm.evaluate(of_truth, of_run, **drop),
        krm.evaluate(*files, **drop),
        krm.evaluate(columns, **drop),
        krm.evaluate(table, **drop),
        krm.evaluate(TRUTH, search, query_ids=CLIPS, item_ids=CLIPS, **drop),
    ):
        assert dict(found) == pytest.approx(dict(right))
        for side in ("truth: 6 of its labels", "all: 6 of its items"):
            assert any(note.startswith(side) for note in found.report.notes)
    compared = krm.compare(TRUTH, {"one": RUN, "two": RUN}, **drop)
    assert compared.per_list()["AP"][:6] == right.per_list()["AP"]
    both = {**columns, "other": columns["score"]}
    score = {"columns": {"score": ["score", "other"]}}
    compared = krm.compare(both, **drop, **score)
    assert compared.per_list()["AP"][6:] == right.per_list()["AP"]
    ranges = krm.tie_range(TRUTH, RUN, **drop)
    assert ranges["AP"].mean == pytest.approx(right["AP"])


def test_a_query_that_has_nothing_else():
    """Its list stays, whatever the form, and has no relevant items."""
    truth = {"a": {"a": 1}, "b": {"b": 1, "c": 1}}
    run = {"a": {"a": 2.0, "c": 1.0}, "b": {"b": 2.0, "c": 1.0}}
    of_truth = in_columns(COLUMNS[:3], rows_of(truth))
    both = in_columns(COLUMNS, rows_of(truth, {"a": {"a": 2}, "b": run["b"]}))
    for sides in ((truth, run), (of_truth, run), (both,)):
        found = krm.evaluate(*sides, metrics="AP", drop_same_id=True)
        assert found.per_list() == {"query": ["a", "b"], "AP": [0.0, 1.0]}


def test_subtopics_of_the_query_are_dropped():
    truth = {"a": {"a": {1: 1, 2: 1}, "b": {1: 1}, "c": {3: 1}}}
    run = {"a": {"a": 3.0, "c": 2.0, "b": 1.0}}
    metric = krm.SubtopicRecall(k=1)
    found = krm.evaluate(truth, run, metric, drop_same_id=True)
    assert dict(found) == {metric.name: 0.5}  # 3 of 1 and 3
    assert any("truth: 2 of its labels" in x for x in found.report.notes)


def test_diagnoses_are_of_what_is_evaluated():
    truth = {"a": {"a": 1, "b": 0}, "b": {"b": 1, "a": 0}}
    run = {"a": {"a": 2.0, "b": 1.0}, "b": {"b": 2.0, "a": 1.0}}
    assert not [*krm.diagnose(truth, run, k=1)]  # pairs have one id
    truth["a"]["c"] = truth["b"]["c"] = 1
    names = [x.name for x in krm.diagnose(truth, run, k=1)]
    assert names == ["own_items", "many_relevant"]
    del truth["a"]["c"], truth["b"]["c"]
    found = krm.diagnose(truth, run, k=1, drop_same_id=True)
    assert [x.name for x in found] == ["no_relevant"]


@pytest.mark.parametrize("name", ["beir", "mteb"])
def test_conventions_that_drop_it_from_the_run_alone(name):
    """As their source does, so that the query is missed."""
    metric = {"beir": "MAP@10", "mteb": "map_at_10"}[name]
    own = {"convention": name, "drop_same_id": True}
    found = krm.evaluate(TRUTH, RUN, metric, **own)
    wanted = krm.evaluate(TRUTH, without_self(RUN), metric, convention=name)
    assert dict(found) == dict(wanted)
    [hidden] = [x for x in found.report.notes if "relevant items" in x]
    assert hidden.startswith("all: 6 of the relevant items have the score -inf")
    assert not any(x.startswith("truth: 6") for x in found.report.notes)
    columns = in_columns(COLUMNS, rows_of(TRUTH, RUN))
    of_table = krm.evaluate(columns, metrics=metric, **own)
    assert dict(of_table) == dict(wanted)
    assert hidden in of_table.report.notes
    kept = krm.evaluate(TRUTH, RUN, metric, convention=name, drop_same_id=False)
    assert dict(kept) == pytest.approx(
        {metric: krm.evaluate(TRUTH, RUN, "AP")["AP"]}
    )
    # Others drop both.
    found = krm.evaluate(
        TRUTH, RUN, "map", convention="trec_eval", drop_same_id=True
    )
    right = krm.evaluate(without_self(TRUTH), without_self(RUN), "AP")
    assert dict(found) == pytest.approx({"map": right["AP"]})


def test_relevant_items_that_are_hidden_are_counted():
    """By `"exclude"` and by the score -inf, in each form of input."""
    eye = np.eye(len(CLIPS), dtype=bool)
    excluded, low = np.arange(6)[:, None], np.where(eye, -np.inf, SCORES)
    # Of clips that are alike, the indices; -1 is padding.
    alike = np.array(
        [np.append(np.flatnonzero(x), [-1] * 3)[:3] for x in LABELS]
    )
    by_id = {
        a: dict(zip(CLIPS, row, strict=True))
        for a, row in zip(CLIPS, low, strict=True)
    }
    order = np.argsort(-SCORES, axis=1)
    ap, sparse, ids = (
        krm.MeanAveragePrecision(inputs=form)
        for form in ("scores", "sparse", "ids")
    )
    columns = in_columns(COLUMNS, rows_of(TRUTH, by_id))
    missed = krm.evaluate(TRUTH, without_self(RUN), ap)
    for sides, metric in (
        (({"labels": LABELS, "exclude": excluded}, SCORES), ap),
        ((LABELS, low), ap),
        (({"target": alike, "exclude": excluded}, SCORES), sparse),
        ((alike, low), sparse),
        (({"target": alike, "exclude": excluded}, order), ids),
        ((TRUTH, by_id), ap),
        ((columns,), ap),
    ):
        found = krm.evaluate(*sides, metrics=metric)
        assert [*found.values()] == pytest.approx([*missed.values()])
        [note] = [x for x in found.report.notes if "relevant items" in x]
        assert note.startswith("all: 6 of the relevant items")
    compared = krm.compare(LABELS, {"all": SCORES, "low": low}, ap)
    [note] = [x for x in compared.report.notes if "relevant items" in x]
    assert note.startswith("low: 6 of")
    labels = {"target": alike, "labels": (alike >= 0) * 1, "exclude": excluded}
    labels["labels"][0] = 0
    found = krm.evaluate(labels, order, ids)
    assert any("5 of the relevant items" in x for x in found.report.notes)


@pytest.mark.filterwarnings("ignore:.*Some relevant items should count")
@pytest.mark.filterwarnings("ignore:The truth should have labels of 1 or more")
def test_items_that_are_hidden_and_not_relevant_are_not_counted():
    low = np.where(LABELS > 0, SCORES, -np.inf)
    two = krm.evaluate(SCORES, low, krm.RankBiasedOverlap())
    clicks = krm.evaluate(
        {"labels": LABELS, "propensities": np.ones_like(SCORES)},
        np.where(LABELS > 0, -np.inf, SCORES),
        krm.IPS(k=3),
    )
    masked = {"labels": LABELS, "mask": LABELS == 0}
    for found in (
        krm.evaluate(LABELS, low, "AP"),
        krm.evaluate(masked, np.where(LABELS > 0, -np.inf, SCORES), "AP"),
        two,
        clicks,
    ):
        assert not any("of the relevant" in x for x in found.report.notes)


def test_advice_leads_to_a_mask():
    mask = np.eye(len(CLIPS), dtype=int)
    with pytest.raises(ValueError, match=r'`y_true\["mask"\]`, False for'):
        krm.MeanAveragePrecision()({"labels": LABELS, "exclude": mask}, SCORES)

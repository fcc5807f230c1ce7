"""How conventions read runs: by hand, without the tools.

`tests/peers/test_embedding_conventions.py` compares them with the tools.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from krm_command import main

TRUTH = {"a": {"x2": 1}, "b": {"x2": 1}, "c": {"x1": 1}, "d": {"x1": 1}}
RUN = {
    "a": {"x1": 1.0, "x10": 1.0, "x2": 1.0},
    "b": {"b": 3.0, "x1": 1.0 + 1e-9, "x2": 1.0},
    "c": {},
}
# Ranks of the relevant item in the first query: with tied items in the order
# of the run it is last, and by the mean over all orders at each rank.
LAST, MEAN = 1 / 3, (1 + 1 / 2 + 1 / 3) / 3
# The reciprocal ranks of each query; None where it does not count. With one
# relevant item, average precision is the reciprocal rank.
EXPECTED = {
    "trec_eval": ("recip_rank", [1, 1 / 3, 0, 0]),
    "trec_eval_without_c": ("recip_rank", [1, 1 / 3, 0, None]),
    "ir_measures": ("RR", [1, 1 / 2, 0, 0]),
    "ranx": ("MRR@10", [MEAN, 1 / 3, 0, 0]),
    "sentence_transformers": ("mrr@10", [1 / 3, 1 / 3, 0, 0]),
    "beir": ("MRR@10", [1, 1, 0, None]),
    "mteb": ("mrr_at_10", [1, 1 / 2, 0, None]),
    "elasticsearch": ("mean_reciprocal_rank", [MEAN, 1 / 3, 0, 0]),
    # (1 + 0.6309 + 0.5) / 3 and 1 / log2(4), in two decimals.
    "search_relevance": ("NDCG@10", [0.71, 0.5, None, None]),
    "recommenders": ("MAP@10", [MEAN, 1 / 3, 0, 0]),
    "replay": ("MRR@10", [MEAN, 1 / 3, 0, 0]),
    "rectools": ("MRR@10", [MEAN, 1 / 3, 0, 0]),
    "recbole": ("MRR@10", [MEAN, 1 / 3, 0, 0]),
    "lenskit": ("RecipRank", [MEAN, 1 / 3, 0, None]),
    "lenskit_2026": ("RecipRank", [MEAN, 1 / 3, 0, None]),
    "merlin": ("MRR@10", [MEAN, 1 / 3, 0, 0]),
    "xgboost": ("map", [LAST, 1 / 3, 0, 0]),
    "lightgbm": ("map@10", [LAST, 1 / 3, 0, 0]),
    "catboost": ("MRR", [LAST, 1 / 3, 0, 0]),
    "llama_index": ("mrr", [LAST, 1 / 3, None, None]),
    "haystack": ("DocumentMRREvaluator", [LAST, 1 / 3, 0, 0]),
    "ragas": ("context_precision", [LAST, 1 / 3, 0, 0]),
    "deepeval": ("contextual_precision", [LAST, 1 / 3, 0, 0]),
    "phoenix": ("reciprocal_rank", [LAST, 1 / 3, 0, 0]),
    # NDCG: 1 / log2(4).
    "mlflow": ("ndcg_at_10", [1 / 2, 1 / 2, 0, 0]),
}
# Those whose source takes any number for a label, or sets without labels.
TAKE_FRACTIONS = {
    "catboost",
    "deepeval",
    "haystack",
    "lenskit",
    "lenskit_2026",
    "lightgbm",
    "llama_index",
    "merlin",
    "mlflow",
    "phoenix",
    "ragas",
    "recbole",
    "recommenders",
    "rectools",
    "replay",
    "search_relevance",
    "sentence_transformers",
}


def test_every_convention_with_rules_is_here():
    none = conventions.kaggle.rules
    # scikit-learn has a test of its own, below.
    assert set(EXPECTED) | {"sklearn"} == {
        convention.name
        for convention in conventions.all_of_them()
        if convention.rules != none
    }


@pytest.mark.parametrize("convention", EXPECTED)
def test_evaluate_follows_the_rules(convention):
    name, expected = EXPECTED[convention]
    found = krm.evaluate(TRUTH, RUN, name, convention=convention)
    assert found.per_list()[name] == [
        None if x is None else pytest.approx(x) for x in expected
    ]
    there = [x for x in expected if x is not None]
    assert found[name] == pytest.approx(sum(there) / len(there))


@pytest.mark.parametrize("convention", EXPECTED)
def test_the_command_follows_the_rules(
    convention, tmp_path, monkeypatch, capsys
):
    """A file has no empty run, so the third query has none."""
    monkeypatch.chdir(tmp_path)
    qrels = [f"{q} 0 {i} {x}\n" for q in TRUTH for i, x in TRUTH[q].items()]
    run = [f"{q} Q0 {i} 1 {x!r} t\n" for q in RUN for i, x in RUN[q].items()]
    Path("qrels").write_text("".join(qrels))
    Path("run").write_text("".join(run))
    name, expected = EXPECTED[convention]
    arguments = ["eval", "qrels", "run", "-m", name, "--format", "json"]
    assert main([*arguments, "--convention", convention]) == 0
    found = json.loads(capsys.readouterr().out)
    there = [x for x in expected[:2] + expected[3:] * 2 if x is not None]
    value = found["systems"]["run"][name]["value"]
    assert value == pytest.approx(sum(there) / len(there))


@pytest.mark.parametrize("convention", sorted(EXPECTED))
@pytest.mark.filterwarnings("ignore:With `convention`")
def test_grades_with_a_fraction_are_refused_where_the_source_has_none(
    convention,
):
    name, _ = EXPECTED[convention]
    truth = {"a": {"x1": 1.9, "x2": 2}, "b": {"x2": 0.0}}
    if convention in TAKE_FRACTIONS:
        krm.evaluate(truth, RUN, name, convention=convention)
        return
    with pytest.raises(
        ValueError,
        match=r"^Labels should be whole numbers in this convention, as its "
        r"source takes no others\. Received: 1\.9\. Pass integers, or leave "
        r"`convention` out\.$",
    ):
        krm.evaluate(truth, RUN, name, convention=convention)
    # Whole ones may be floats, and scores of a reference ranking are no grades.
    krm.evaluate({"a": {"x2": 2.0}}, RUN, name, convention=convention)
    overlap = krm.RankBiasedOverlap(p=0.9)
    krm.evaluate(truth, RUN, overlap, convention=convention)


@pytest.mark.parametrize("metric", ["NDCG", "RR@5", "ERR", "RBP(rel=1)", "DCG"])
def test_no_metric_of_ir_measures_takes_fractions(metric):
    with pytest.raises(ValueError, match="should be whole numbers"):
        krm.evaluate({"a": {"x1": 1.9}}, RUN, metric, convention="ir_measures")


def test_scikit_learn_has_no_negative_labels():
    """`ndcg_score` raises for them; here they are padding elsewhere."""
    labels, scores = [[-1, 1, 1], [1, -1, -1]], [[3.0, 2.0, 1.0]] * 2
    text = r"Labels should be 0 or more .* Received: -1\. Pass lists"
    for truth, run in (
        (labels, scores),
        ({"a": {"x": -1, "y": 1}}, {"a": {"x": 1.0}}),
    ):
        with pytest.raises(ValueError, match=text):
            krm.evaluate(truth, run, "NDCG", convention="sklearn")
    with pytest.raises(ValueError, match="whole numbers"):
        krm.evaluate([[1.5, 0.0]], [[1.0, 2.0]], "ndcg", convention="trec_eval")


def test_notes_tell_queries_that_are_left_out():
    texts = {}
    for convention in EXPECTED:
        name, _ = EXPECTED[convention]
        compared = krm.compare(TRUTH, {"s": RUN}, name, convention=convention)
        again = krm.Compared.from_json(compared.to_json())
        texts[convention] = " ".join(str(again).split())
        assert texts[convention] == " ".join(str(compared).split())
    rows = "of 4 queries have no rows, and"
    assert f"s: 2 {rows} count as lists that retr" in texts["trec_eval"]
    assert "left out" not in texts["trec_eval"]
    for convention in ("llama_index", "search_relevance"):
        assert f"s: 2 {rows} are left out." in texts[convention]
    of_both = "beir", "mteb", "lenskit"
    for convention in ("trec_eval_without_c", *of_both):
        assert f"s: 1 {rows} count as lists that retr" in texts[convention]
        assert f"s: 1 {rows} are left out." in texts[convention]


def test_values_of_arrays_are_rounded_too():
    labels, scores = [[1, 0, 0, 1]], [[0.9, 0.8, 0.7, 0.6]]
    tool = {"convention": "search_relevance"}
    found = krm.evaluate(labels, scores, "NDCG@10", **tool)["NDCG@10"]
    exact = krm.evaluate(labels, scores, "NDCG@10")["NDCG@10"]
    assert (found, round(exact, 4)) == (0.88, 0.8772)


OF_SETS = [
    each.name
    for each in conventions.all_of_them()
    if each.rules.labels == "members"
]


@pytest.mark.parametrize("convention", OF_SETS)
def test_a_threshold_reads_the_labels_as_they_are(convention):
    truth = {"u": {"x": 4, "y": 0, "z": 2}, "v": {"y": 3}}
    run = {"u": ["y", "x", "w"], "v": ["w", "y"]}
    names = ["HitRate@1", "HitRate(relevance_threshold=3)@1"]
    if "HitRateAtK" not in conventions.named(convention).presets:
        names = [name.replace("HitRate", "MAP") for name in names]
    found = krm.evaluate(truth, run, names, convention=convention)
    of_lists = found.per_list()
    assert [of_lists[name] for name in names] == [[1.0, 0.0], [0.0, 0.0]]
    assert "relevant=each item of the truth" in str(found)


@pytest.mark.parametrize("convention", OF_SETS)
def test_grades_next_to_scores_may_be_members_or_not(convention):
    table = {"query": [1, 1], "label": [0, 1], "score": [0.9, 0.8]}
    both = [[0, 1]], [[0.9, 0.8]]
    name = "MAP@2"
    if "MeanAveragePrecision" not in conventions.named(convention).presets:
        name = "P@2"
    for passed in ((table,), both):
        found = krm.evaluate(*passed, metrics=name, convention=convention)
        assert found[name] == pytest.approx(0.5)
    table["label"] = [0, 4]
    for passed in ((table,), ([[0, 4]], both[1])):
        with pytest.raises(ValueError, match="should be 1 for the items of"):
            krm.evaluate(*passed, metrics=name, convention=convention)
        [own] = krm.evaluate(
            *passed,
            metrics=name.replace("@", "(relevance_threshold=3)@"),
            convention=convention,
        ).values()
        assert own == pytest.approx(0.5)


@pytest.mark.parametrize("convention", ["cornac", "llama_index", "mlflow"])
def test_gains_of_items_that_are_relevant_or_not(convention):
    """A gain of grades cannot be that of the tool, which has none."""
    truth, run = {"u": {"x": 3, "y": 1}}, {"u": ["y", "w", "x"]}
    found = krm.evaluate(truth, run, "NDCG@3", convention=convention)
    ideal = 1 + 1 / np.log2(3)
    assert found["NDCG@3"] == pytest.approx(1.5 / ideal)
    with pytest.raises(ValueError, match=f"gain.*convention `{convention}`"):
        krm.evaluate(
            truth, run, "NDCG(gain_fn=linear)@3", convention=convention
        )
    with pytest.raises(
        ValueError, match=r"from where on.*Received: a label of"
    ):
        truth = {"u": {"x": 0.5, "y": 1}}
        krm.evaluate(truth, run, "NDCG@3", convention=convention)


@pytest.mark.filterwarnings("ignore:The truth should have labels of 2")
def test_lists_that_retrieve_nothing():
    truth = {"none": {"x": 0}, "some": {"x": 1}, "hit": {"x": 1}}
    run = {"none": [], "some": [], "hit": ["x"]}
    for convention, name, expected in (
        ("mlflow", "recall_at_3", [1.0, 0.0, 1.0]),
        ("mlflow", "ndcg_at_3", [1.0, 0.0, 1.0]),
        ("mlflow", "precision_at_3", [0.0, 0.0, 1.0]),
        ("mlflow", "recall_at_3(relevance_threshold=2)", [1.0, 1.0, 0.0]),
        ("llama_index", "recall@3", [None, None, 1.0]),
        ("lenskit_2026", "Precision@3", [None, None, 1.0]),
        ("lenskit_2026", "Recall@3", [0.0, 0.0, 1.0]),
    ):
        found = krm.evaluate(truth, run, name, convention=convention)
        assert found.per_list()[name] == expected, (convention, name)


def test_probabilities_are_read_as_they_are_where_relevance_is_membership():
    truth, run = {"u": {"x": 0.25, "y": 0.5}}, {"u": ["x", "w"]}
    name = "P(labels=probabilities)@2"
    found = krm.evaluate(truth, run, name, convention="replay")
    assert found[name] == pytest.approx(0.125)


@pytest.mark.parametrize("name", ["NDCG(gain_fn=exponential)@2", "NDCG@2"])
def test_a_gain_that_is_written_needs_no_note_on_shares(name):
    found = krm.evaluate({"u": {"x": 0.5, "y": 1}}, {"u": ["y", "x"]}, name)
    assert ("labels between 0 and 1" in str(found)) == (name == "NDCG@2")

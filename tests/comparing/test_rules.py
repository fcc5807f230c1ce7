"""How conventions read runs: by hand, without the tools.

`tests/peers/test_embedding_conventions.py` compares them with the tools.
"""

import json
from pathlib import Path

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
    "sentence_transformers": ("mrr@10", [1 / 3, 1 / 3, 0, 0]),
    "beir": ("MRR@10", [1, 1, 0, None]),
    "mteb": ("mrr_at_10", [1, 1 / 2, 0, None]),
    "elasticsearch": ("mean_reciprocal_rank", [MEAN, 1 / 3, 0, 0]),
    # (1 + 0.6309 + 0.5) / 3 and 1 / log2(4), in two decimals.
    "search_relevance": ("NDCG@10", [0.71, 0.5, 0, None]),
    "lenskit": ("RecipRank", [MEAN, 1 / 3, 0, None]),
    "lenskit_2026": ("RecipRank", [MEAN, 1 / 3, 0, None]),
    "pyg": ("LinkPredMRR@10", [MEAN, 1 / 3, 0, 0]),
    "cornac": ("MRR", [MEAN, 1 / 3, 0, 0]),
    "xgboost": ("map", [LAST, 1 / 3, 0, 0]),
    "lightgbm": ("map@10", [LAST, 1 / 3, 0, 0]),
    "catboost": ("MRR", [LAST, 1 / 3, 0, 0]),
    "llama_index": ("mrr", [LAST, 1 / 3, 0, None]),
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
    "cornac",
    "deepeval",
    "haystack",
    "lenskit",
    "lenskit_2026",
    "lightgbm",
    "llama_index",
    "mlflow",
    "phoenix",
    "pyg",
    "ragas",
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
    of_both = "beir", "mteb", "lenskit", "llama_index", "search_relevance"
    for convention in ("trec_eval_without_c", *of_both):
        assert f"s: 1 {rows} count as lists that retr" in texts[convention]
        assert f"s: 1 {rows} are left out." in texts[convention]


def test_values_of_arrays_are_rounded_too():
    labels, scores = [[1, 0, 0, 1]], [[0.9, 0.8, 0.7, 0.6]]
    tool = {"convention": "search_relevance"}
    found = krm.evaluate(labels, scores, "NDCG@10", **tool)["NDCG@10"]
    exact = krm.evaluate(labels, scores, "NDCG@10")["NDCG@10"]
    assert (found, round(exact, 4)) == (0.88, 0.8772)

"""`ceilings` next to all orders of a few items."""

import itertools

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main

NAMES = (
    "NDCG@3 DCG@2 Recall@2 P@2 RR MAP ERR@3 F1@2 RPrecision BPref Hit@1 "
    "MAP(denominator=min)@2 P(denominator=k)@5 RBP QMeasure"
)
TRUTH = {
    "q1": {"d1": 2, "d2": 1, "d3": 1, "d4": 0},
    "q2": {"d5": 1, "d6": 0},
    "q3": {"d1": 1, "d7": 2},
    "q4": {"d2": 1},
}
RUN = {
    "q1": {"d4": 0.9, "d2": 0.8, "d8": 0.7},
    "q2": {"d6": 0.5, "d9": 0.3, "d8": 0.2},
    "q3": {"d7": 1.0},
}


def best_of(sets, names):
    """The best mean of each metric over all orders of the items of queries."""
    values = {name: [] for name in names.split()}
    for query, items in sets.items():
        truth = {query: TRUTH[query]}
        of_query = [
            krm.evaluate(truth, {query: list(order)}, names)
            for order in itertools.permutations(items)
        ]
        for name, found in values.items():
            found.append(max(each[name] for each in of_query))
    return {name: np.mean(found) for name, found in values.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES.split())
def test_no_order_is_better(name):
    found = krm.ceilings(TRUTH, RUN, name)
    [ceiling] = found.values()
    assert ceiling["value"] == pytest.approx(
        krm.evaluate(TRUTH, RUN, name)[name], abs=1e-6
    )
    retrieved = {query: list(items) for query, items in RUN.items()}
    all_items = {
        query: {
            **{x: y for x, y in TRUTH[query].items() if y > 0},
            **RUN.get(query, {}),
        }
        for query in TRUTH
    }
    reranked = best_of(retrieved, name)[name] * 3 / 4  # and nothing for q4
    assert ceiling["reranked"] == pytest.approx(reranked, abs=1e-6)
    highest = best_of(all_items, name)[name]
    assert ceiling["highest"] == pytest.approx(highest, abs=1e-6)


def test_lower_is_better_and_weights():
    weights = {"q1": 1, "q2": 3, "q3": 2, "q4": 0}
    metric = krm.MeanRank(list_weight="mean")
    found = krm.ceilings(TRUTH, RUN, metric, sample_weight=weights)
    [(value, reranked, highest)] = (x.values() for x in found.values())
    assert value >= reranked >= highest
    found = krm.ceilings(TRUTH, RUN, "Recall@1", sample_weight=weights)
    expected = [0, (2 * 1 / 2) / 6, (1 / 3 + 3 + 2 / 2) / 6]
    expected[0] = expected[1]
    expected[1] += 1 / 3 / 6
    assert [*found["Recall@1"].values()] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("convention", ["trec_eval", "ranx", "beir"])
def test_the_rules_of_a_tool(convention):
    names = {
        "trec_eval": "map ndcg_cut_2 recall_2 P_5",
        "ranx": "map@2 ndcg@2 recall@2",
        "beir": "NDCG@2 MAP@2 Recall@2 P@2",
    }[convention]
    found = krm.ceilings(TRUTH, RUN, names, convention=convention)
    values = krm.evaluate(TRUTH, RUN, names, convention=convention)
    assert list(found) == list(values)
    assert "(order" not in str(found)
    for name, ceiling in found.items():
        assert ceiling["value"] == pytest.approx(values[name], abs=1e-6)
        assert ceiling["value"] <= ceiling["reranked"] <= ceiling["highest"]


@pytest.mark.filterwarnings("ignore:The scores of `truth` are the labels")
def test_one_table_retrieves_all_items():
    rng = np.random.default_rng(0)
    table = {
        "query": np.repeat(np.arange(40), 8),
        "label": rng.integers(0, 3, 320),
        "score": rng.normal(size=320),
    }
    found = krm.ceilings(table, metrics="NDCG@3 Recall@2")
    of_labels = {**table, "score": table["label"].astype(float)}
    best = krm.evaluate(of_labels, metrics="NDCG@3 Recall@2")
    for name, ceiling in found.items():
        assert ceiling["reranked"] == ceiling["highest"]
        assert ceiling["highest"] == pytest.approx(best[name], abs=1e-6)


def test_it_names_what_it_refuses():
    with pytest.raises(ValueError, match="The inputs should have ids"):
        krm.ceilings([[0, 1]], [[0.3, 0.2]], "RR")
    with pytest.raises(ValueError, match="Received: RankBiasedOverlap"):
        krm.ceilings(RUN, RUN, krm.RankBiasedOverlap())
    with pytest.raises(ValueError, match="should be means over lists"):
        krm.ceilings(TRUTH, RUN, krm.Quantiles(krm.NDCG(k=2), [0.5]))


def test_diagnose_says_that_recall_cannot_be_high():
    """As with the true neighbours of a benchmark of vectors."""
    truth = {q: {f"d{q + i}": 1 for i in range(100)} for q in range(20)}
    run = {q: [f"d{q + i}" for i in range(10)] for q in range(20)}
    found = {x.name: x for x in krm.diagnose(truth, run)}
    assert "Recall@10 is at most 0.10" in found["many_relevant"].what
    few = {q: {f"d{q + i}": 1 for i in range(10)} for q in range(20)}
    names = {x.name for x in krm.diagnose(few, run)}
    assert "many_relevant" not in names


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    (tmp_path / "run.txt").write_text("q Q0 d 1 2 r\nq Q0 a 2 1 r\n")
    asked = ["eval", "qrels.txt", "run.txt", "-m", "RR Recall@2", "--ceilings"]
    assert main(asked) == 0
    lines = [x.split() for x in capsys.readouterr().out.splitlines()]
    assert ["value", "reranked", "highest"] in lines
    assert ["RR", "0.5000", "1.0000", "1.0000"] in lines
    assert ["Recall@2", "0.3333", "0.3333", "0.6667"] in lines
    assert main([*asked, "--format", "csv"]) == 2
    assert "`--format text`" in capsys.readouterr().err

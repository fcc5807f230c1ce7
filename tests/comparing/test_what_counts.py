"""Values that are NaN, lists that do not count, and what is then tested."""

import itertools
import json
import math

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import values
from keras_rankmetrics.tables import ragged

NAN = float("nan")
LABELS = [[0, 1], [1, 0], [0, 0]]
SCORES = {"s": [[1, NAN], [2, 1], [2, 1]], "t": [[1, 2], [2, 1], [2, 1]]}


def same(one, other):
    return [str(x) for x in one] == [str(x) for x in other]


def test_broken_scores_are_seen_in_the_mean():
    metric = krm.NDCG(k=10, empty="skip")
    compared = krm.compare(LABELS, SCORES, metric)
    metric.update_state(LABELS, SCORES["s"])
    assert math.isnan(float(metric.result()))
    expected = [NAN, 1.0, None, 1.0, 1.0, None]
    alone = [krm.compare(LABELS, {n: SCORES[n]}, metric) for n in ("s", "t")]
    saved = krm.Compared.from_json(compared.to_json())
    for found in (compared, saved, alone[0].join(alone[1])):
        assert same(found.per_list()["ndcg@10"], expected)
        [[broken], [whole]] = found.report.cells
        assert math.isnan(broken.value) and broken.estimate.lists == 2
        assert whole.value == 1.0 and whole.best and not broken.best
        assert math.isnan(whole.difference.p) and whole.mark == ""
        assert "nan" in str(found).splitlines()[1]
    text = json.loads(compared.to_json(), parse_constant=pytest.fail)
    values = text["per_list"]["systems"]["s"]["values"]
    assert values == [["nan", 1.0, None]]


def test_a_broken_weight_is_seen_in_the_mean():
    weights = [NAN, 1.0, 1.0]
    compared = krm.compare(
        LABELS, {"t": SCORES["t"]}, krm.NDCG(k=10), sample_weight=weights
    )
    [[cell]] = compared.report.cells
    assert math.isnan(cell.value)


@pytest.mark.filterwarnings("ignore:The scores of")
def test_each_batch_has_its_own_random_order(monkeypatch):
    monkeypatch.setattr(ragged, "_most_rows", lambda width: 64)
    monkeypatch.setattr(values, "FEW_SHAPES", False)  # no item is padding
    queries = np.repeat(np.arange(128), 16)
    items = np.tile(np.arange(16), 128)
    tied = krm.Rows(queries, items, np.ones(2048, np.float32))
    truth = tied._replace(value=(items == 0).astype(float))
    metric = krm.MeanReciprocalRank(ties="shuffle", seed=1)
    found = krm.compare(truth, {"s": tied, "t": tied}, metric).per_list()["mrr"]
    assert found[:128] == found[128:]  # systems share the orders
    assert found[:64] != found[64:128]
    labels = truth.value.reshape(128, 16)
    for begin in (0, 64):  # as the metric has them, batch by batch
        part = labels[begin : begin + 64]
        metric.update_state(part, np.ones_like(part))
    assert np.mean(found[:128]) == pytest.approx(float(metric.result()))


OLD = {"a": {"y": 1.0}, "b": {"y": 1.0}, "c": {"y": 1.0}}
TRUTH = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}


@pytest.mark.filterwarnings("ignore:.*retrieved items are judged")
def test_differences_without_spread_are_not_tested():
    new = {query: {"x": 1.0} for query in OLD}
    some = {**OLD, "a": {"x": 1.0}}
    metric = krm.PrecisionAtK(k=1)
    systems = {"old": OLD, "new": new, "some": some, "same": OLD}
    compared = krm.compare(TRUTH, systems, metric)
    _, [new], [some], [same] = compared.report.cells
    assert math.isnan(new.difference.p) and new.mark == ""
    assert new.difference.estimate.value == 1.0 and new.difference.wins == 3
    assert new.difference.effect_size == math.inf
    assert 0 < some.difference.p < same.difference.p == 1.0
    assert compared.report.comparisons == 2
    [note] = compared.report.untested
    assert note == (
        "new: precision@1 differs from that of old by 1 on each of 3 lists. A "
        "t test needs differences that vary, so there is no test, and no mark."
    )
    for text in (compared.to_latex(), compared.to_markdown()):
        assert "differences that vary" in text
    assert note in compared.to_dict()["notes"]
    cell = compared.to_dict()["systems"]["new"]["precision@1"]
    assert cell["p"] is None and cell["p_corrected"] is None


@pytest.mark.filterwarnings("ignore:.*lists of one item")
def test_rounding_is_no_spread():
    values = np.array([0.1, 0.2, 0.3, 0.7], np.float32)
    labels = np.ones((4, 1))

    class Score(krm.PrecisionAtK):
        pass

    one = krm.compare(labels, {"a": labels}, Score(1)).to_dict()
    other = krm.compare(labels, {"b": labels}, Score(1)).to_dict()
    one["per_list"]["systems"]["a"]["values"] = [values.tolist()]
    shifted = (values + np.float32(0.1)).tolist()
    other["per_list"]["systems"]["b"]["values"] = [shifted]
    joined = krm.Compared.from_dict(one).join(krm.Compared.from_dict(other))
    assert len(joined.report.untested) == 1
    shifted[0] += 1e-3
    other["per_list"]["systems"]["b"]["values"] = [shifted]
    joined = krm.Compared.from_dict(one).join(krm.Compared.from_dict(other))
    assert joined.report.untested == ()


def test_a_mean_over_no_lists_is_no_number():
    """It was 0, the best value of `MeanRank` and the worst one of others."""
    truth = {"a": {"x": 0, "y": 0}, "b": {"x": 0, "y": 1}}
    run = {q: {"x": 1.0, "y": 0.5} for q in truth}
    names = "MeanRank AUC Count(of=relevant)"
    groups = {"a": "none", "b": "some"}
    found = krm.evaluate(truth, run, names, groups=groups)
    assert found["MeanRank"] == found.groups["some"]["MeanRank"].value == 2.0
    for name in ("MeanRank", "AUC"):
        assert np.isnan(found.groups["none"][name].value)
        assert found.groups["none"][name].lists == 0
    assert found.groups["none"]["Count(of=relevant)"].value == 0
    systems = {"one": run, "other": run}
    compared = krm.compare(truth, systems, "MeanRank", groups=groups)
    rows = compared.report.records()
    of_none = [group == "none" for group in rows["group"]]
    for name in ("value", "difference"):
        values = itertools.compress(rows[name], of_none)
        assert [*values] == [None, None]
    assert "nan" in str(compared)


def test_scores_of_minus_infinity_are_said_to_be_of_no_retrieved_item():
    """trec_eval and others retrieve every item of a run."""
    truth = {"q": {"a": 1, "b": 0}, "r": {"c": 1}}
    run = {"q": {"a": -math.inf, "b": 1.0}, "r": {}}
    for convention in (None, "trec_eval"):
        found = krm.evaluate(truth, run, "map", convention=convention)
        note, hidden = [x for x in found.report.notes if "-inf" in x]
        assert note == (
            "all: 1 of its items have the score -inf, and count as not "
            "retrieved."
        )
        assert hidden.startswith("all: 1 of the relevant items have")
    found = krm.evaluate(truth, {"q": {"a": 1.0}, "r": {}}, "map")
    assert not any("-inf" in note for note in found.report.notes)

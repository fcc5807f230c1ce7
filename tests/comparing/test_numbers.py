"""The numbers of a comparison, beside those of metrics and other packages."""

import math

import given
import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

METRICS = [krm.NDCG(k=5), krm.MeanReciprocalRank(), krm.MeanRank()]


def scored(seed=0, lists=60, items=12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (lists, items)) * rng.integers(0, 2, (lists, 1))
    noise = rng.normal(size=(lists, items))
    systems = {
        "old": labels + 2 * noise,
        "new": labels + 1.4 * noise + 0.3 * rng.normal(size=noise.shape),
        "odd": labels + 2 * noise + 0.3 * rng.normal(size=noise.shape),
    }
    return labels, systems


@pytest.fixture(scope="module")
def compared():
    labels, systems = scored()
    return krm.compare(labels, systems, METRICS)


def test_values_are_those_of_the_metrics(compared):
    labels, systems = scored()
    cells = compared.to_dict()["systems"]
    for name, scores in systems.items():
        for metric in METRICS:
            own = metric.remade()
            own.update_state(labels, scores)
            cell = cells[name][metric.name]
            assert cell["value"] == approx(float(own.result()), rel=1e-6)
            error = own.standard_error()
            assert cell["standard_error"] == approx(error, rel=1e-4)
            assert cell["lists"] == own.count()
            margin = own.estimate().margin(0.95)
            assert cell["margin"] == approx(margin, rel=1e-4)


def test_differences_are_those_of_comparison(compared):
    labels, systems = scored()
    cells = compared.to_dict()["systems"]
    for metric in METRICS:
        comparison = krm.Comparison(metric, list(systems))
        comparison.update_state(labels, systems)
        for d in comparison.differences():
            cell = cells[d.system][metric.name]
            assert cell["difference"] == approx(d.estimate.value, rel=1e-4)
            assert cell["p"] == approx(d.p, rel=1e-3)
            assert cell["t"] == approx(d.t, rel=1e-3)
            assert cell["effect_size"] == approx(d.effect_size, rel=1e-3)
            counts = cell["wins"], cell["ties"], cell["losses"]
            assert counts == (d.wins, d.ties, d.losses)


def test_p_is_that_of_scipy(compared):
    stats = pytest.importorskip("scipy.stats", reason="of the extra [interop]")
    labels, systems = scored()
    cells = compared.to_dict()["systems"]
    for metric in METRICS:
        values = {
            name: np.asarray(krm_values(metric, labels, scores))
            for name, scores in systems.items()
        }
        for name in ("new", "odd"):
            pair = values[name], values["old"]
            expected = stats.ttest_rel(*pair, nan_policy="omit")
            assert cells[name][metric.name]["p"] == approx(
                float(expected.pvalue), rel=1e-3
            )


def krm_values(metric, labels, scores):
    from keras import ops

    return ops.convert_to_numpy(metric.per_list(labels, scores))


def test_the_correction_is_that_of_statsmodels_over_the_whole_table(compared):
    multitest = pytest.importorskip(
        "statsmodels.stats.multitest", reason="of the extra [interop]"
    )
    columns = compared.report.records()
    tested = [p is not None for p in columns["p"]]
    assert sum(tested) == 2 * len(METRICS)
    p = np.array(columns["p"], float)[tested]
    corrected = np.array(columns["p_corrected"], float)[tested]
    assert corrected == approx(multitest.multipletests(p, method="holm")[1])
    marks = np.array(columns["mark"])[tested]
    assert ((marks != "") == (corrected < 0.05)).all()
    assert {"better", ""} <= set(marks)


def hits(number, lists=20):
    """Return scores of two items: the first is at rank 1 in so many lists."""
    return [[2, 1] if place < number else [1, 2] for place in range(lists)]


def test_marks_follow_the_corrected_p_and_not_p():
    """Each alone is below 5%; by Holm 4 and 5 hits of 20 are not.

    With a share h of hits against none, t = √(19 h / (1 - h)).
    """
    shares = {"a": 4, "b": 8, "c": 5, "d": 4, "e": 4}
    systems = {"none": hits(0), **{n: hits(x) for n, x in shares.items()}}
    p = {
        name: given.two_sided(math.sqrt(19 * x / (20 - x)), 19)
        for name, x in shares.items()
    }
    assert max(p.values()) < 0.05 < 4 * p["c"] < 4 * p["a"]
    first, second = [[1, 0]] * 20, [[0, 1]] * 20
    for metric, labels, mark, sign in (
        (krm.HitRateAtK(k=1), first, "better", "▲"),
        (krm.HitRateAtK(k=1), second, "worse", "▼"),
        (krm.MeanRank(), first, "better", "▲"),  # less is better
        (krm.FallOutAtK(k=1), second, "worse", "▼"),
    ):
        found = krm.compare(labels, systems, metric)
        [column] = found.signatures
        cells = {n: of[column] for n, of in found.to_dict()["systems"].items()}
        assert {n: cells[n]["p"] for n in p} == approx(p, rel=1e-4), column
        assert cells["b"]["p_corrected"] == approx(5 * p["b"], rel=1e-4)
        assert cells["c"]["p_corrected"] == approx(4 * p["c"], rel=1e-4)
        for name in ("a", "d", "e"):  # 3 p, and no less than that before it
            corrected = max(3 * p[name], 4 * p["c"])
            assert cells[name]["p_corrected"] == approx(corrected, rel=1e-4)
        marks = {name: cells[name]["mark"] for name in p}
        assert marks == {**dict.fromkeys(p, ""), "b": mark}, column
        for text in (str(found), found.to_markdown()):
            table, _, _ = text.partition("Means over")
            marked = [line for line in table.splitlines() if sign in line]
            assert len(marked) == 1 and "b" in marked[0]


def test_a_mark_follows_the_direction_of_the_metric(compared):
    cells = compared.to_dict()["systems"]["new"]
    assert cells["mean_rank"]["difference"] < 0  # less is better
    assert cells["mean_rank"]["mark"] == "better"
    assert cells["mean_rank"]["best"]
    turned = krm.compare(scored()[0], scored()[1], METRICS, baseline="new")
    assert turned.to_dict()["systems"]["old"]["ndcg@5"]["mark"] == "worse"
    assert turned.baseline == "new"


def test_confidence_sets_intervals_and_marks():
    labels, systems = scored()
    wide = krm.compare(labels, systems, METRICS, confidence=1 - 1e-12)
    assert set(wide.report.records()["mark"]) == {"", None}
    [usual] = {krm.compare(labels, systems, METRICS).report.confidence}
    assert usual == 0.95


@pytest.mark.parametrize("list_weight", ["relevance", "mean"])
def test_weights_of_lists_and_items_count_as_in_the_metric(list_weight):
    labels, systems = scored()
    rng = np.random.default_rng(3)
    for weights in (rng.random(len(labels)), rng.random(labels.shape)):
        metric = krm.NDCG(k=5, list_weight=list_weight)
        compared = krm.compare(labels, systems, metric, sample_weight=weights)
        again = krm.Compared.from_json(compared.to_json())
        comparison = krm.Comparison(metric, list(systems))
        comparison.update_state(labels, systems, weights)
        for found in (compared, again):
            cells = found.to_dict()["systems"]
            for name, estimate in comparison.estimates().items():
                cell = cells[name]["ndcg@5"]
                assert cell["value"] == approx(estimate.value, rel=1e-5)
                error = estimate.standard_error
                assert cell["standard_error"] == approx(error, rel=1e-3)
            for d in comparison.differences():
                cell = cells[d.system]["ndcg@5"]
                assert cell["p"] == approx(d.p, rel=1e-3)


def test_steps_of_a_session_are_one_row():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (9, 4, 6))
    scores = rng.normal(size=labels.shape)
    metric = krm.NDCG()
    metric.update_state(labels, scores)
    [[cell]] = krm.compare(labels, {"s": scores}, krm.NDCG()).report.cells
    assert cell.estimate.lists == 36
    assert cell.estimate.standard_error == approx(
        metric.standard_error(), rel=1e-4
    )
    assert cell.estimate.margin() == approx(
        metric.estimate().margin(), rel=1e-4
    )


@pytest.mark.parametrize("lists", [1, 1023, 1024, 1025])
def test_many_lists_are_summed_in_parts(lists):
    labels, systems = scored(lists=lists)
    compared = krm.compare(labels, systems, krm.NDCG(k=5))
    own = krm.NDCG(k=5)
    own.update_state(labels, systems["new"])
    [_, [cell], _] = compared.report.cells
    assert cell.value == approx(float(own.result()), rel=1e-6)
    assert cell.estimate.standard_error == approx(
        own.standard_error(), rel=1e-4, nan_ok=True
    )


def test_other_forms_of_input():
    relevant, recommended = [[1, 2], [3]], [[2, 5, 1], [4, 3]]
    metric = krm.RecallAtK(k=2, inputs="ids")
    compared = krm.compare(relevant, {"s": recommended}, metric)
    assert compared.per_list()["recall@2"] == [0.5, 1.0]
    assert compared.per_list()["query"] == [0, 1]
    collection = krm.MetricCollection([metric, krm.NDCG(2, inputs="ids")])
    nested = krm.compare(relevant, {"s": recommended}, [collection])
    assert list(nested.signatures) == ["recall@2", "ndcg@2"]


def test_the_metrics_are_not_updated():
    labels, systems = scored()
    metric = krm.NDCG(k=5)
    krm.compare(labels, systems, metric)
    assert metric.count() == 0

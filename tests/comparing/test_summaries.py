"""Counts and geometric means: results that are not means over lists."""

import math

import keras
import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm
from tests.tools.reported.draws import drawn

KINDS = ("lists", "retrieved", "relevant", "hits")
NAMES = "num_q num_ret num_rel num_rel_ret gm_map map"
RANDOM = np.random.default_rng(0)
LABELS = RANDOM.integers(-1, 3, (60, 8))
LABELS[:5] = np.minimum(LABELS[:5], 0)  # nothing relevant
LABELS[5] = -1  # excluded
SCORES = RANDOM.normal(size=LABELS.shape).astype("float32")
SCORES[RANDOM.random(SCORES.shape) < 0.2] = -np.inf
WEIGHTS = RANDOM.choice([0.0, 1.0, 2.5], 60)
METRICS = [*map(krm.Count, KINDS), krm.GeometricMAP(), krm.GeometricMAP(k=3)]
pytestmark = pytest.mark.filterwarnings("ignore:.*Labels should be")


def again(metrics):
    return [metric.from_config(metric.get_config()) for metric in metrics]


def expected(labels=LABELS, scores=SCORES, weights=None):
    """Return the results by name, from values of lists in float64."""
    weights = np.ones(len(labels)) if weights is None else weights
    valid = labels >= 0
    counts = {
        "lists": np.ones(len(labels)),
        "retrieved": (valid & (scores > -np.inf)).sum(1),
        "relevant": (labels >= 1).sum(1),
        "hits": ((labels >= 1) & (scores > -np.inf)).sum(1),
    }
    there = valid.any(1) & (weights > 0)
    found = {
        f"count@{kind}": (weights * number)[there].sum()
        for kind, number in counts.items()
    }
    for metric in METRICS[4:]:
        ap = krm.MeanAveragePrecision(k=metric.k).per_list(labels, scores)
        ap = keras.ops.convert_to_numpy(ap).astype("float64")[there]
        w = np.where((labels >= 1).any(1), weights, np.nan)[there]
        w = np.where(np.isnan(w), np.nanmean(w), w)
        logs = np.log(np.maximum(ap, 1e-5))
        found[metric.name] = np.exp((w * logs).sum() / w.sum())
    return found


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_results_by_batches_parts_and_tables(weights):
    these = expected(weights=weights)
    parts = [krm.MetricCollection(again(METRICS)) for _ in range(2)]
    for start, stop, part in ((0, 25, 0), (25, 50, 0), (50, 60, 1)):
        cut = slice(start, stop)  # the last batch is short
        weight = None if weights is None else weights[cut]
        parts[part].update_state(LABELS[cut], SCORES[cut], weight)
    alone = again(METRICS)
    for metric in alone:
        metric.update_state(LABELS, SCORES, weights)
    one, other = parts
    one.merge_state([other])
    found = {name: float(x) for name, x in one.result().items()}
    assert found == approx(these, rel=1e-6)
    for metric in alone:
        assert float(metric.result()) == approx(these[metric.name], rel=1e-6)
        copied = metric.remade()
        copied.state = krm.State.from_bytes(metric.state.to_bytes())
        assert float(copied.result()) == float(metric.result())
    table = krm.evaluate(LABELS, SCORES, METRICS, sample_weight=weights)
    assert dict(table) == approx(these, rel=1e-6)
    for metric in alone[4:]:
        estimate, of_table = metric.estimate(), table.estimates[metric.name]
        assert estimate.standard_error == approx(
            of_table.standard_error, rel=1e-4
        )
        assert estimate.interval() == approx(of_table.interval(), rel=1e-4)
        low, high = estimate.interval()
        assert 0.0 < low < estimate.value < high <= 1.0


@pytest.mark.long
def test_in_compiled_programs():
    model = keras.Sequential([keras.layers.Identity()])
    # On torch, Inductor takes minutes; `test_compiled.py` is faster.
    for jit in (False, keras.config.backend() != "torch"):
        model.compile(loss="mse", metrics=again(METRICS), jit_compile=jit)
        scores = np.where(np.isinf(SCORES), -9.0, SCORES)
        labels = LABELS.astype("float32")
        found = model.evaluate(
            scores, labels, batch_size=16, verbose=0, return_dict=True
        )
        these = expected(labels, scores)
        assert {n: found[n] for n in these} == approx(these, rel=1e-5)


def test_nothing_and_nan():
    for metric in again(METRICS):
        assert float(metric.result()) == 0.0
        metric.update_state([[-1, -1]], [[2.0, 1.0]])
        assert float(metric.result()) == 0.0
        metric.update_state([[1, 0]], [[2.0, math.nan]])
        assert math.isnan(float(metric.result()))
    counts = again(METRICS[:4])
    for metric in counts:
        metric.update_state([[1, 0]], [[2.0, 1.0]])
        assert "count" in str(metric)
    assert str(METRICS[4]).startswith("gmap = 0.0000")


def test_values_of_lists_are_plain():
    found = krm.evaluate(LABELS, SCORES, METRICS).per_list()
    ap = krm.evaluate(LABELS, SCORES, krm.MeanAveragePrecision()).per_list()
    assert found["gmap"] == ap["map"]
    assert set(found["count@lists"]) == {1.0, None}


def test_least():
    labels, scores = [[1, 0], [0, 1]], [[2, 1], [2, -np.inf]]
    for least in (0.5, 0.01):
        metric = krm.GeometricMAP(least=least)
        assert float(metric(labels, scores)) == approx(least**0.5)
        assert f"|least:{least}|" in metric.signature
    for least in (0.0, 1.0, "0.1"):
        with pytest.raises(ValueError, match="`least` should be a number"):
            krm.GeometricMAP(least=least)
    with pytest.raises(ValueError, match="`of` should be one of"):
        krm.Count("items")


def test_the_test_is_of_the_logarithms():
    others = np.where(LABELS > 0, SCORES + 1, SCORES)
    systems = {"old": SCORES, "new": others, "same": SCORES.copy()}
    compared = krm.compare(LABELS, systems, [krm.GeometricMAP(), *METRICS[:4]])
    [gmap, *counts] = zip(*compared.report.cells, strict=True)
    old, new, same = gmap
    values = [
        [x for x in of_system if x is not None]
        for of_system in (
            krm.evaluate(LABELS, s, krm.GeometricMAP()).per_list()["gmap"]
            for s in (SCORES, others)
        )
    ]
    d = np.diff(np.log(np.maximum(values, 1e-5)), axis=0)[0]
    t = d.mean() / d.std(ddof=1) * len(d) ** 0.5
    assert new.difference.t == approx(t)
    assert new.difference.estimate.value == approx(new.value - old.value)
    assert new.mark == "better" and new.best
    assert (same.difference.estimate.value, same.mark) == (0.0, "")
    assert math.isnan(new.detectable)
    for first, *rest in counts:
        assert not any(cell.best for cell in (first, *rest))
        assert all(math.isnan(cell.difference.p) for cell in rest)
        assert math.isnan(first.interval[0])
    assert compared.report.comparisons == 2
    text = compared.to_text()
    assert f"  {int(counts[0][0].value)}  " in text
    assert "totals have no test" in text
    assert compared.report.about_means().startswith("Means and totals over ")
    for metric in ("gmap", "count@hits"):
        with pytest.raises(ValueError, match=r"A verdict needs a metric whose"):
            compared.gate(metric, "new", tolerance=0.1)
    again = krm.Compared.from_json(compared.to_json())
    assert again.to_text() == text


def test_a_table_of_totals_alone():
    found = krm.evaluate(LABELS, SCORES, krm.Count("relevant"))
    total = int((LABELS >= 1).sum())
    assert dict(found) == {"count@relevant": total}
    _, row, sentence, *_ = str(found).splitlines()
    assert row.split() == ["all", str(total)]
    assert sentence == "Totals over the lists that count, 59 of 60 lists."
    assert str(found.estimates["count@relevant"]) == f"{total} (59 lists)"


@pytest.mark.parametrize("metric", METRICS[3:5], ids=lambda m: m.name)
def test_what_needs_means_is_refused(metric):
    for wrapper in (
        lambda: krm.Sliced(metric, 2),
        lambda: krm.Comparison(metric, ["a", "b"]),
        lambda: krm.Quantiles(metric, [0.1]),
        lambda: krm.LowerMean(metric),
        lambda: krm.JudgeCorrected(metric),
        lambda: krm.SampledRanks(metric, 100, 10),
        lambda: krm.callbacks.StopWhenDecided(metric),
    ):
        with pytest.raises(TypeError, match="should be a mean over lists"):
            wrapper()
    with pytest.raises((TypeError, ValueError), match=r"a standard|plain"):
        metric.anytime_interval()


def test_errors_of_collections():
    with pytest.raises(TypeError, match="should have a standard error"):
        krm.MetricCollection([krm.Count()], errors=True)
    both = krm.MetricCollection([krm.GeometricMAP(), krm.NDCG()], errors=True)
    both.update_state(LABELS, SCORES)
    [gmap, _] = both.metrics
    assert float(both.result()["gmap_se"]) == approx(
        gmap.standard_error(), rel=1e-4
    )


def test_counts_have_no_mean():
    with pytest.raises(TypeError, match="Only a mean over lists has"):
        krm.Count().standard_error()
    for options in ({"adjusted": "chance"}, {"empty": "one"}):
        with pytest.raises(ValueError, match="does not have 1 as its best"):
            krm.Count(**options)


@pytest.mark.parametrize("convention", ["trec_eval", "trec_eval_without_c"])
@pytest.mark.parametrize("seed", range(3))
def test_trec_eval(seed, convention):
    """Against pytrec_eval; `tests/command/test_trec_eval.py` reads files."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    truth, run = drawn(seed, "retrieved", 4)
    judge = pytrec_eval.RelevanceEvaluator(truth, set(NAMES.split()))
    lists = judge.evaluate(run)
    missing = len(truth) - len(lists)
    if convention == "trec_eval":  # with -c, queries of no run have no hits
        relevant = (sum(x > 0 for x in truth[q].values()) for q in truth)
        of_all = {q: lists.get(q, {"map": 0.0}) for q in truth}
        for of_list, number in zip(of_all.values(), relevant, strict=True):
            of_list.setdefault("num_q", 1.0)
            of_list["num_rel"] = number
            of_list["gm_map"] = math.log(max(of_list["map"], 1e-5))
            for name in ("num_ret", "num_rel_ret"):
                of_list.setdefault(name, 0.0)
        lists = of_all
    assert missing
    theirs = {
        name: pytrec_eval.compute_aggregated_measure(
            name, [of_list[name] for of_list in lists.values()]
        )
        for name in NAMES.split()
    }
    found = krm.evaluate(truth, run, NAMES, convention=convention)
    assert dict(found) == approx(theirs, rel=1e-6)
    rows = found.per_list()
    for place, query in enumerate(rows["query"]):
        for name in NAMES.split():
            ours = rows[name][place]
            if query in lists:
                value = lists[query][name.replace("gm_map", "map")]
                assert ours == approx(value, abs=1e-6), (query, name)
            else:
                assert ours is None


def test_ir_measures():
    truth, run = drawn(0, "retrieved", 4)
    names = ["NumRet", "NumRelRet", "NumRet(rel=2)"]
    found = krm.evaluate(truth, run, names, convention="ir_measures")
    labels = [truth[q].get(d, 0) for q, of in run.items() for d in of]
    assert dict(found) == {
        "NumRet": len(labels),
        "NumRelRet": sum(x >= 1 for x in labels),
        "NumRet(rel=2)": sum(x >= 2 for x in labels),
    }
    for name in ("NumQ", "NumRel", "SetRelP"):
        with pytest.raises(ValueError, match=f"has no {name}"):
            krm.evaluate(truth, run, name, convention="ir_measures")

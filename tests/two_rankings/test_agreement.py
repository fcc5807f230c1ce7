"""Two rankings in `compare`, by id, and between systems."""

import numpy as np
import pytest

import keras_rankmetrics as krm

METRICS = [krm.RankBiasedOverlap(p=0.8), krm.OverlapAtK(k=3), krm.TauAP()]


def runs(seed, queries=6, items=8):
    """Two systems by id, of different items, and the same as arrays."""
    rng = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(items)]
    by_id, arrays = {}, {}
    for system in ("one", "two", "three"):
        scores = np.round(rng.normal(0, 2, (queries, items)))
        scores[rng.random(scores.shape) < 0.3] = -np.inf
        scores[:, 0] = 1.0  # each list retrieves an item
        arrays[system] = scores
        by_id[system] = {
            f"q{q}": {
                name: score
                for name, score in zip(names, row.tolist(), strict=True)
                if score > -np.inf
            }
            for q, row in enumerate(scores)
        }
    return by_id, arrays


@pytest.mark.parametrize("seed", range(3))
def test_by_id_equals_arrays(seed):
    by_id, arrays = runs(seed)
    truth, systems = by_id.pop("one"), by_id
    compared = krm.compare(truth, systems, METRICS)
    reference = arrays.pop("one")
    same = krm.compare(reference, arrays, METRICS)
    for metric in METRICS:
        found = compared.per_list()[metric.name]
        assert found == pytest.approx(same.per_list()[metric.name], abs=1e-6)
    for metric in METRICS:
        metric.reset_state()
        value = float(metric(reference, arrays["two"]))
        found = krm.evaluate(truth, systems["two"], metric)
        assert found[metric.name] == pytest.approx(value, abs=1e-6)
        assert found.estimates[metric.name].standard_error > 0


def test_agreement_is_that_of_each_pair():
    by_id, arrays = runs(7)
    labels = {query: {"d0": 1} for query in by_id["one"]}
    found = krm.compare(labels, by_id, "nDCG@3").agreement(METRICS)
    same = krm.compare(np.eye(6, 8), arrays, krm.NDCG(k=3)).agreement(METRICS)
    for metric in METRICS:
        for one in arrays:
            for other in arrays.keys() - {one}:
                metric.reset_state()
                value = float(metric(arrays[one], arrays[other]))
                for table in (found, same):
                    estimate = table[metric.name][one, other]
                    assert estimate.value == pytest.approx(value, abs=1e-6)
                    assert estimate.lists == 6
    overlap = found["overlap@3"]
    assert overlap["one", "two"].value == overlap["two", "one"].value
    assert found["tau_ap"]["one", "two"] != found["tau_ap"]["two", "one"]


@pytest.mark.parametrize("name", ["exact", "truth", "all"])
def test_agreement_of_distances(name):
    """A system by distances agrees with the same one by scores."""
    scores = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    far = {"q": {"a": 0.1, "b": 0.2, "c": 0.3}}
    compared = krm.compare(
        {"q": {"a": 1}},
        {name: scores, "fast": far},
        "RR",
        higher_is_better={"fast": False},
    )
    pairs = compared.agreement([krm.KendallTau(), krm.RankBiasedOverlap()])
    for of_metric in pairs.values():
        values = [x.value for x in of_metric.values()]
        assert values == pytest.approx([1.0, 1.0])


def test_of_what_cannot_be_read_again():
    truth, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    compared = krm.compare(truth, {"a": run}, "RR")
    with pytest.raises(ValueError, match="two systems or more"):
        compared.agreement()
    once = {"a": run, "b": iter([krm.Rows(["q"], ["a"], [1.0])])}
    with pytest.raises(ValueError, match=r"iterators for \['b'\]\. Pass lists"):
        krm.compare(truth, once, "RR").agreement()
    other = krm.compare(truth, {"b": run}, "RR")
    with pytest.raises(ValueError, match="loaded or joined"):
        compared.join(other).agreement()


def test_metrics_of_labels_are_refused():
    by_id, _ = runs(3)
    with pytest.raises(ValueError, match="all take labels, or all a reference"):
        krm.evaluate(by_id["one"], by_id["two"], [krm.NDCG(), krm.TauAP()])


def test_agreement_needs_metrics_of_two_rankings():
    by_id, _ = runs(3)
    labels = {query: {"d0": 1} for query in by_id["one"]}
    compared = krm.compare(labels, by_id, "RR")
    with pytest.raises(ValueError, match=r"compare two rankings.*ndcg"):
        compared.agreement([krm.OverlapAtK(k=2), krm.NDCG()])
    with pytest.raises(ValueError, match="TauAP needs"):
        krm.SampledRanks(krm.TauAP(), catalogue=9, negatives=2)
    with pytest.raises(ValueError, match="compares two rankings"):
        krm.SampledRanks(krm.OverlapAtK(k=2), catalogue=9, negatives=2)

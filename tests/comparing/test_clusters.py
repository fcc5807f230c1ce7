"""Lists that depend on each other: `clusters`, by simulation and by formula."""

import json

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main


def lists_of(rng, clusters=30, most=10):
    """Return hits whose probability is that of the cluster, and it."""
    sizes = rng.integers(1, most + 1, clusters) if most > 1 else [1] * clusters
    of_list = np.repeat(np.arange(clusters), sizes)
    likely = 1 / (1 + np.exp(-rng.normal(0, 1.5, clusters)))
    hit = rng.random(len(of_list)) < likely[of_list]
    labels = np.tile([[1.0, 0.0]], (len(hit), 1))
    return labels, np.where(hit[:, None], [2.0, 1.0], [1.0, 2.0]), of_list


def test_intervals_of_dependent_lists_hold(rng):
    """Of 300 samples; without clusters, two in three intervals do."""
    true = np.mean(1 / (1 + np.exp(-rng.normal(0, 1.5, 10**6))))
    held = np.zeros(2)
    for _ in range(300):
        labels, scores, clusters = lists_of(rng)
        for place, given in enumerate((clusters, None)):
            found = krm.evaluate(labels, scores, "HR@1", clusters=given)
            low, high = found.estimates["HR@1"].interval()
            held[place] += low <= true <= high
    assert 0.93 <= held[0] / 300 <= 0.99
    assert held[1] / 300 <= 0.85


def test_differences_of_dependent_lists_hold(rng):
    """Which system gains is drawn for each cluster: both are equally good."""
    clusters, held = np.repeat(np.arange(30), 10), np.zeros(2)
    for _ in range(200):
        labels = np.eye(8)[rng.integers(0, 8, 300)]
        one = rng.normal(size=labels.shape) + labels
        other = one + rng.normal(size=30)[clusters, None] * labels
        swap = (rng.random(30) < 0.5)[clusters, None]
        systems = {
            "old": np.where(swap, one, other),
            "new": np.where(swap, other, one),
        }
        for place, given in enumerate((clusters, None)):
            compared = krm.compare(labels, systems, "RR", clusters=given)
            cell = compared.to_dict()["systems"]["new"]["RR"]
            held[place] += (
                cell["difference_low"] <= 0 <= cell["difference_high"]
            )
    assert 0.92 <= held[0] / 200 <= 0.99
    assert held[1] / 200 <= 0.8


def test_the_standard_error_is_that_of_clusters(rng):
    labels, scores, clusters = lists_of(rng)
    found = krm.evaluate(labels, scores, "DCG@2", clusters=clusters)
    values = np.array(found.per_list()["DCG@2"])
    sums = np.bincount(clusters, values - values.mean())
    number = len(sums)
    error = np.sqrt(number / (number - 1) * (sums**2).sum()) / len(values)
    estimate = found.estimates["DCG@2"]
    assert estimate.value == pytest.approx(values.mean(), abs=1e-6)
    assert estimate.standard_error == pytest.approx(error, rel=1e-4)
    assert (estimate.lists, estimate.rows) == (len(values), number)
    assert f"{len(values):,} lists in 30 clusters" in " ".join(
        str(found).split()
    )


NAMES = "HR@1 NDCG@2"


def test_clusters_of_one_list_change_nothing(rng):
    labels, scores, clusters = lists_of(rng, most=1)
    systems = {"old": scores, "new": scores[:, ::-1]}
    for metrics in (NAMES, krm.LowerMean(krm.NDCG(k=2), 0.2), "GMAP"):
        alone, together = (
            krm.compare(labels, systems, metrics, clusters=given)
            for given in (None, clusters)
        )
        assert str(alone) == str(together)


@pytest.mark.parametrize("form", ["dicts", "table"])
def test_forms(form, rng):
    """By query in any order; the same as of arrays."""
    labels, scores, clusters = lists_of(rng)
    expected = krm.evaluate(labels, scores, NAMES, clusters=clusters)
    queries = [f"q{i}" for i in rng.permutation(len(labels))]
    of_query = dict(zip(queries, clusters.tolist(), strict=True))
    truth, run = (
        {
            query: dict(zip("ab", row, strict=True))
            for query, row in zip(queries, array.tolist(), strict=True)
        }
        for array in (labels, scores)
    )
    passed = (truth, run)
    if form == "table":
        passed = (
            {
                "query": np.repeat(queries, 2),
                "item": np.tile(["a", "b"], len(queries)),
                "label": labels.ravel(),
                "score": scores.ravel(),
            },
        )
    found = krm.evaluate(*passed, metrics=NAMES, clusters=of_query)
    for name in expected:
        one, other = found.estimates[name], expected.estimates[name]
        assert one.value == pytest.approx(other.value)
        assert one.standard_error == pytest.approx(other.standard_error)


def test_saved_joined_and_gated(rng):
    labels, scores, clusters = lists_of(rng)
    ways = {"old": scores, "new": scores[:, ::-1]}
    how = {"clusters": clusters}
    whole = krm.compare(labels, ways, "HR@1", **how)
    parts = [
        krm.compare(labels, {x: y}, "HR@1", **how) for x, y in ways.items()
    ]
    loaded = krm.Compared.from_json(parts[0].to_json())
    joined = loaded.join(parts[1])
    assert joined.to_dict() == whole.to_dict()
    verdict = joined.gate(tolerance=0.05)
    alone = krm.compare(labels, ways, "HR@1")
    wide, narrow = (
        x.difference.estimate.standard_error
        for x in (verdict, alone.gate(tolerance=0.05))
    )
    assert wide > narrow
    assert "Rows are the clusters." in str(verdict)
    other = krm.compare(labels, {"new": ways["new"]}, "HR@1")
    with pytest.raises(ValueError, match="the same clusters"):
        loaded.join(other)


def test_the_command(rng, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels, scores, clusters = lists_of(rng)
    rows = [(f"q{i}", x) for i in range(len(labels)) for x in (0, 1)]
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 d{x} {labels[int(q[1:]), x]:.0f}\n" for q, x in rows)
    )
    (tmp_path / "run.txt").write_text(
        "".join(f"{q} Q0 d{x} 0 {scores[int(q[1:]), x]} r\n" for q, x in rows)
    )
    (tmp_path / "clusters.csv").write_text(
        "query,cluster\n"
        + "".join(f"q{i},{c}\n" for i, c in enumerate(clusters))
    )
    words = ["eval", "qrels.txt", "run.txt", "-m", "HR@1", "--format", "json"]
    assert main([*words, "--clusters", "clusters.csv"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"]["run"]["HR@1"]
    expected = krm.evaluate(labels, scores, "HR@1", clusters=clusters)
    estimate = expected.estimates["HR@1"]
    assert found["standard_error"] == pytest.approx(estimate.standard_error)


def test_errors(rng):
    labels, scores, clusters = lists_of(rng)
    for wrong, error, message in (
        (
            clusters[:-1],
            ValueError,
            "`clusters` should have a group for each of",
        ),
        (
            clusters % 5,
            ValueError,
            "`clusters` should be 10 or more.* 5 clusters",
        ),
        (3, TypeError, "`clusters` should be a dict"),
    ):
        with pytest.raises(error, match=message):
            krm.evaluate(labels, scores, "HR@1", clusters=wrong)
    truth = {f"q{i}": {"a": 1} for i in range(12)}
    with pytest.raises(ValueError, match="none for 11 of 12, such as 'q1'"):
        krm.evaluate(truth, truth, "HR@1", clusters={"q0": 1})

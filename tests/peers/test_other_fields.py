"""Metrics of metric learning, virtual screening and news, by their packages."""

import numpy as np
import pytest

import keras_rankmetrics as krm


def lists(rng, number=20, items=60, share=0.15):
    """Labels and scores without ties, each list with both kinds of items."""
    labels = (rng.random((number, items)) < share).astype("float32")
    labels[:, 0], labels[:, 1] = 1.0, 0.0
    scores = np.argsort(rng.random(labels.shape)).astype("float32")
    return labels, scores + 4.5 * labels


@pytest.mark.parametrize("alpha", [0.5, 2.0, 20.0, 100.0])
def test_rdkit_bedroc(alpha, rng):
    scoring = pytest.importorskip("rdkit.ML.Scoring.Scoring")
    labels, scores = lists(rng)
    found = krm.BEDROC(alpha=alpha).per_list(labels, scores)
    for of_list, *pair in zip(found, labels, scores, strict=True):
        rows = np.stack(pair, 1)[np.argsort(-pair[1])]
        want = scoring.CalcBEDROC(rows, 0, alpha)
        assert float(of_list) == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.2, 0.5])
def test_rdkit_enrichment(fraction, rng):
    scoring = pytest.importorskip("rdkit.ML.Scoring.Scoring")
    labels, scores = lists(rng)
    metric = krm.EnrichmentFactor(fraction=fraction)
    for of_list, *pair in zip(
        metric.per_list(labels, scores), labels, scores, strict=True
    ):
        rows = np.stack(pair, 1)[np.argsort(-pair[1])]
        [want] = scoring.CalcEnrichment(rows, 0, [fraction])
        assert float(of_list) == pytest.approx(want, rel=1e-6)


RDKIT_BEDROC = {2.0: 0.632787375, 20.0: 0.506666132, 100.0: 0.866847374}
RDKIT_ENRICHMENT = {0.01: 10.0, 0.05: 10 / 3, 0.2: 3.0, 0.5: 1.6}


def test_numbers_of_rdkit():
    """As RDKit 2026.09 printed them, where it is not installed."""
    labels = np.zeros((1, 50), "float32")
    labels[0, [0, 3, 9, 20, 44]] = 1
    scores = -np.arange(50.0)[None]
    for alpha, want in RDKIT_BEDROC.items():
        found = float(krm.BEDROC(alpha=alpha)(labels, scores))
        assert found == pytest.approx(want, abs=1e-6)
    for fraction, want in RDKIT_ENRICHMENT.items():
        metric = krm.EnrichmentFactor(fraction=fraction)
        assert float(metric(labels, scores)) == pytest.approx(want, rel=1e-6)


def test_pytorch_metric_learning(rng):
    """Each vector retrieves the others of its class."""
    calculator = pytest.importorskip(
        "pytorch_metric_learning.utils.accuracy_calculator"
    )
    import torch

    of_class = np.arange(60) % 6
    vectors = np.eye(6)[of_class] + 0.6 * rng.normal(size=(60, 6))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = ("mean_average_precision_at_r", "r_precision")
    found = calculator.AccuracyCalculator(include=names, k="max_bin_count")
    want = found.get_accuracy(
        torch.tensor(vectors), torch.tensor(of_class), ref_includes_query=True
    )
    truth = (of_class[:, None] == of_class).astype("float32")
    y_true = {"labels": truth, "mask": ~np.eye(60, dtype=bool)}  # not its own
    scores = (vectors @ vectors.T).astype("float32")
    metrics = krm.MeanAveragePrecisionAtR(), krm.RPrecision()
    for name, metric in zip(names, metrics, strict=True):
        value = float(metric(y_true, scores))
        assert value == pytest.approx(want[name], abs=1e-6)


def test_mind(rng):
    """As `mrr_score` of MIND: by `numpy.argsort`, and a mean over clicks."""
    labels, scores = lists(rng)
    want = [
        np.mean(1 / (1 + np.flatnonzero(x[np.argsort(-y)])))
        for x, y in zip(labels, scores, strict=True)
    ]
    found = krm.ReciprocalRankOfAll().per_list(labels, scores)
    np.testing.assert_allclose(found, want, atol=1e-6)

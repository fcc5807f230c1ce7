"""The names of metrics: what callbacks, logs and history see."""

import inspect
import re

import keras
import numpy as np
import pytest
from test_constructors import METRICS as OF_LABELS

import keras_rankmetrics as krm

# Metrics of labels with a cutoff. `signatures.txt` has their short names.
METRICS = [x for x in OF_LABELS if "k" in inspect.signature(x).parameters]


@pytest.mark.parametrize("metric", METRICS, ids=lambda cls: cls.__name__)
def test_default_names(metric):
    # Keras would number the second one, and history would have other keys
    # in the second run of a notebook cell.
    name = metric.short_name
    for _ in range(2):
        assert metric().name == name
        assert metric(k=None).name == name
        assert metric(k=10).name == f"{name}@10"
        assert metric(5).name == f"{name}@5"


def test_names_that_end_with_an_option():
    for recall, name in ((0.5, "iprec@0.5"), (1, "iprec@1"), (1.0, "iprec@1")):
        metric = krm.InterpolatedPrecision(recall=recall)
        assert metric.name == name
        assert metric.from_config(metric.get_config()).name == name
    assert krm.InterpolatedPrecision(name="mine").name == "mine"


def test_a_name_of_the_user_is_kept():
    assert krm.NDCG(k=10, name="ranking quality").name == "ranking quality"


def test_variables_have_names():
    paths = [v.path for v in krm.NDCG(k=10, ties="shuffle").variables]
    assert paths == ["ndcg_10/sums", "ndcg_10/draws"]


def test_at_makes_one_metric_for_each_cutoff():
    metrics = krm.NDCG.at(1, 5, None, ties="stable", empty="skip")
    assert [m.name for m in metrics] == ["ndcg@1", "ndcg@5", "ndcg"]
    assert [m.k for m in metrics] == [1, 5, None]
    assert all(type(m) is krm.NDCG for m in metrics)
    assert [m.signature for m in metrics] == [
        krm.NDCG(k=k, ties="stable", empty="skip").signature
        for k in (1, 5, None)
    ]
    named = krm.NDCG.at(1, 5, None, name="mine")
    assert [m.name for m in named] == ["mine@1", "mine@5", "mine"]


@pytest.mark.parametrize("cutoff", [0, -1, 2.0, "3", [1, 5]])
def test_at_checks_its_cutoffs(cutoff):
    with pytest.raises(ValueError, match="`k` should be a positive integer"):
        krm.NDCG.at(1, cutoff)


def test_names_made_from_classes():
    class Hits(krm.RankingMetric, abstract=True):
        @staticmethod
        def measure(ranking, k):
            return ranking.hits(k)

    class RPrecision(Hits):
        pass

    class ERRMetric(Hits):
        pass

    class Recall2At(Hits):
        pass

    assert RPrecision().name == "r_precision"
    assert RPrecision(k=3).name == "r_precision@3"
    assert ERRMetric().name == "err_metric"
    assert Recall2At().name == "recall2_at"


def test_a_subclass_keeps_the_short_name():
    class Mine(krm.NDCG):
        pass

    assert Mine(k=3).name == "ndcg@3"


def test_direction_is_known():
    for metric in METRICS:
        expected = "up" if metric.more_is_better else "down"
        assert metric(k=3)._direction == expected


def test_they_are_metrics_of_keras():
    for metric in METRICS:
        assert issubclass(metric, keras.metrics.Metric)
        assert keras.metrics.get(metric(k=3)).k == 3


@pytest.mark.parametrize(
    "cutoffs, received",
    [
        ([], "none"),
        ([[1, 5]], "[1, 5]"),
        ([(1,)], "(1,)"),
        ([np.array([1, 5])], "array([1, 5])"),
        ([range(1, 3)], "range(1, 3)"),
    ],
)
def test_at_takes_cutoffs(cutoffs, received):
    text = (
        f"`at` takes cutoffs: `NDCG.at(1, 5, 10)`. Received: {received}. "
        "Unpack a list with a star: `at(*cutoffs)`."
    )
    for at in (krm.NDCG.at, krm.conventions.trec_eval.NDCG.at):
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            at(*cutoffs)


@pytest.mark.parametrize(
    "five", [np.int64(5), np.uint8(5), np.array(5)], ids=lambda x: x.dtype
)
def test_integers_of_numpy(five):
    metric = krm.NDCG(k=five, ties="shuffle", seed=five)
    assert metric.signature == krm.NDCG(k=5, ties="shuffle", seed=5).signature
    assert type(metric.get_config()["k"]) is int
    assert type(metric.get_config()["seed"]) is int


def test_cutoffs_of_numpy():
    metrics = krm.NDCG.at(*np.array([1, 5]))
    assert [metric.name for metric in metrics] == ["ndcg@1", "ndcg@5"]

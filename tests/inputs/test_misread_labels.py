"""Labels that a metric may misread: shares as grades, numbers as padding."""

import keras
import numpy as np
import pytest
from keras import ops
from said import said

import keras_rankmetrics as krm

RNG = np.random.default_rng(5)
SCORES = RNG.normal(size=(6, 5)).astype("float32")
SHARES = (RNG.integers(0, 4, (6, 5)) / 3).astype("float32")
SHARE = "Received: a label of 0.666667 for the metric {}, which counts it as"


def doubts(update):
    """Return the warnings about labels."""
    return said(update, holding="Labels should be")


def updated(metric, labels, scores=None, times=1, **options):
    if scores is None:
        scores = np.arange(np.size(labels)).reshape(np.shape(labels))
    if not isinstance(labels, dict):
        labels = ops.array(labels)
    for _ in range(times):
        metric.update_state(labels, ops.array(scores), **options)


# Shares


@pytest.mark.parametrize(
    "metric", [krm.HitRateAtK(2), krm.AUC(), krm.MeanReciprocalRank()]
)
def test_a_binary_metric_warns_once_of_shares(metric):
    [text] = doubts(lambda: updated(metric, SHARES, SCORES, times=3))
    assert SHARE.format(metric.name) in text
    assert "such as `relevance_threshold=0.5`; if it is irrelevant" in text
    assert '`"P(relevance_threshold=0.5)@10"`' in text
    takes_probabilities = not isinstance(metric, krm.AUC)
    assert ('`labels="probabilities"`' in text) is takes_probabilities


@pytest.mark.parametrize(
    "metric",
    [
        krm.NDCG(2),
        krm.HitRateAtK(2, labels="probabilities"),
        krm.HitRateAtK(2, relevance_threshold=0.5),
        krm.HitRateAtK(2, relevance_threshold=0.99),
    ],
)
def test_metrics_that_read_shares_do_not_warn(metric):
    assert doubts(lambda: updated(metric, SHARES, SCORES)) == []


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_grades_do_not_warn(dtype, rng):
    labels = rng.integers(-1, 4, (6, 5)).astype(dtype)
    metric = krm.HitRateAtK(2)
    assert doubts(lambda: updated(metric, labels, SCORES)) == []
    assert doubts(lambda: updated(metric, labels + (labels > 0) / 2)) == []


def test_a_collection_and_peers_warn_of_the_metric():
    together = krm.MetricCollection([krm.NDCG(2), krm.HitRateAtK(2)])
    [text] = doubts(lambda: updated(together, SHARES, SCORES, times=2))
    assert SHARE.format("hit_rate@2") in text
    metrics, inputs = [krm.NDCG(2), krm.HitRateAtK(2)], (SHARES, SCORES)
    inputs = list(map(ops.array, inputs))
    [text] = doubts(lambda: [m.update_state(*inputs) for m in metrics])
    assert SHARE.format("hit_rate@2") in text


def test_shares_that_do_not_count_do_not_warn():
    mask = (SHARES == 0) | (SHARES == 1)
    y_true = {"labels": SHARES, "mask": mask}
    metric, weights = krm.HitRateAtK(2), mask.astype("float32")
    assert doubts(lambda: updated(metric, y_true, SCORES)) == []
    options = {"sample_weight": weights}
    assert doubts(lambda: updated(metric, SHARES, SCORES, **options)) == []
    labels, options = np.array([[1, 0], [0.5, 0]]), {"sample_weight": [1, 0]}
    assert doubts(lambda: updated(metric, labels, **options)) == []


def test_shares_of_ids():
    metric = krm.RecallAtK(2, inputs="ids")
    y_true = {"target": [[3, 4]], "labels": [[1.0, 0.5]]}
    [text] = doubts(lambda: updated(metric, y_true, [[4, 3, 2]]))
    assert "a label of 0.5" in text


def test_shares_of_a_judge():
    metric = krm.JudgeCorrected(krm.HitRateAtK(2))
    y_true = {"human": SHARES.round(), "judge": SHARES}
    [text] = doubts(lambda: updated(metric, y_true, SCORES, times=2))
    assert SHARE.format("hit_rate@2") in text
    metric = krm.JudgeCorrected(krm.HitRateAtK(2, labels="probabilities"))
    assert doubts(lambda: updated(metric, y_true, SCORES)) == []


def test_per_list_warns():
    [text] = doubts(lambda: krm.HitRateAtK(2).per_list(SHARES, SCORES))
    assert SHARE.format("hit_rate@2") in text


@pytest.mark.each_backend
def test_fit_warns_unless_it_is_compiled():
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(5)])
    model.compile(loss="mse", metrics=[krm.NDCG(2), krm.HitRateAtK(2)])
    texts = doubts(lambda: model.fit(SCORES, SHARES, epochs=2, verbose=0))
    assert len(texts) == (keras.config.backend() == "torch")
    assert all(SHARE.format("hit_rate@2") in text for text in texts)


# Labels below 0

MORE_THAN_PADDING = {
    "labels of -1, 0 and 1, and a -1 between others": [[1, -1, 0, 1]],
    "negative labels from -1.5 to -0.5": [[-0.5, 1.5, -1.5, 0]],
    "negative labels from -0.5 to -0.5": [[0, 1, -0.5]],
    "negative labels from -5 to -1": [[-1, 0, 1, -5]],
    "negative labels from -3 to -1": [[-3, krm.UNJUDGED, -1, 0, 1]],
}


@pytest.mark.parametrize("received", MORE_THAN_PADDING)
@pytest.mark.parametrize("kind", [krm.MeanReciprocalRank, krm.NDCG])
def test_negative_labels_that_are_more_than_padding(received, kind):
    labels, metric = np.float32(MORE_THAN_PADDING[received]), kind()
    [text] = doubts(lambda: updated(metric, labels, times=3))
    assert f"Received: {received}. Items with a negative label are" in text
    with pytest.warns(UserWarning, match="shift the labels"):
        krm.evaluate(labels, np.arange(labels.size)[None], kind())
    y_true = {"labels": labels, "mask": labels >= 0}
    scores = np.arange(labels.size)[None]
    assert doubts(lambda: updated(kind(), y_true, scores)) == []


def test_labels_of_minus_one_and_one():
    labels = np.float32([[-1, 1, 1, -1]])
    for code in (-np.inf, -100, -1):
        coded = np.where(labels < 0, code, labels)
        [text] = doubts(lambda x=coded: updated(krm.NDCG(), x, times=3))
        received = f"Received: labels of {code:g} and 1, and a 1 after a "
        assert f"{received}{code:g}." in text
    assert "`numpy.maximum(labels, 0)`" in text
    assert doubts(lambda: updated(krm.NDCG(), np.maximum(labels, 0))) == []


@pytest.mark.parametrize("code", [-np.inf, -100, -1])
def test_a_number_below_0_among_grades(code):
    grades = np.random.default_rng(0).integers(0, 3, (30, 8))
    labels = np.where(grades, grades, code).astype("float32")
    scores = np.random.default_rng(1).normal(size=labels.shape)
    for update in (
        lambda: updated(krm.NDCG(), labels, scores),
        lambda: krm.evaluate(labels, scores, krm.NDCG()),
    ):
        [text] = doubts(update)
        assert f"Received: {code:g} among labels of 1 or more." in text
    padded = np.where(np.arange(8) < grades[:, :1] + 4, grades + 1, code)
    zeros, joined = np.where(labels == 1, 0, labels), {"labels": labels}
    for quiet in (padded, padded[:, ::-1], zeros, joined, labels[:2]):
        at = scores[: len(labels if quiet is joined else quiet)]
        metric = krm.NDCG()
        assert doubts(lambda: updated(metric, quiet, at)) == []  # noqa: B023


@pytest.mark.parametrize(
    "labels",
    [
        [[1, 0, -1], [0, 1, 1]],
        [[2, -1, 0, 1]],  # an item without a label
        [[-1, -1, 1, 0], [-1, 0, 1, 0]],  # padded at the head
        [[1, 1, -1], [1, -1, -1]],  # relevant items alone, padded
        [[-1, -1, -1], [1, 1, 1]],  # a list without labels
        [[krm.UNJUDGED, 1, 0, -1], [krm.UNJUDGED, 0, krm.UNJUDGED, 1]],
        [[krm.UNJUDGED, 1, krm.UNJUDGED, 1]],
        [[-100, 1, 0, 2]],
        [[5, -1, 3]],
    ],
    ids=str,
)
def test_what_padding_explains(labels):
    metric = krm.MeanReciprocalRank()
    assert doubts(lambda: updated(metric, np.float32(labels))) == []


@pytest.mark.parametrize("labels", [[[-1, 1, 1]], [[1, -1, 0]]])
def test_joined_rows_and_weights_do_not_warn(labels):
    """-1 marks rows that were not judged."""
    labels, metric = np.float32(labels), krm.MeanReciprocalRank()
    scores = np.float32([[2, 1, 0]])
    assert doubts(lambda: updated(metric, {"labels": labels}, scores)) == []
    options = {"sample_weight": np.float32(labels >= 0)}
    assert doubts(lambda: updated(metric, labels, scores, **options)) == []


def test_padding_at_different_ends_is_none():
    metric, labels = krm.MeanReciprocalRank(), [[-1, 1, 0], [1, 0, -1]]
    [text] = doubts(lambda: updated(metric, np.float32(labels)))
    assert "a -1 between others" in text


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_a_negative_label_that_became_the_highest(dtype):
    grades = np.array([[0, 1, 3, -1]])
    for each in (grades, np.array([[0, 20, 3, -1]]), np.minimum(grades * 2, 3)):
        labels = each.astype(dtype).astype("float32")
        metric = krm.MeanReciprocalRank()
        [text] = doubts(lambda: updated(metric, labels))  # noqa: B023
    assert f"Received: {labels[0, 3]:.0f}, which is -1 or -2 of" in text[:99]
    labels[0, 1] = labels[0, 3] // 2  # as counts may be
    assert doubts(lambda: updated(krm.MeanReciprocalRank(), labels)) == []


@pytest.mark.parametrize(
    "labels, received",
    [
        ([1, -1, -1, -1], "negative labels from -1 to -1."),
        ([0, -1, 1, -1], "negative labels from -1 to -1."),
        ([-2, -1, 1, 0], "negative labels from -1 to -1."),
        ([-0.5, 0, 1.5, -1.5], "negative labels from -1.5 to -0.5."),
        ([0, 254, 1, 1], "254, which is -1 or -2 of an unsigned integer"),
    ],
)
def test_labels_of_rows(labels, received):
    """They are looked at on each backend, and anew in each call."""
    for _ in range(2):
        rows = [0, 0, 1, 1], labels, [4, 3, 2, 1], "RR"
        [text] = doubts(lambda rows=rows: krm.evaluate_rows(*rows))
        assert f"Received: {received}" in text and "y_true=" not in text
    for usual in ([0, -2, 1, -2], [0, 0, 1, 1]):
        rows = [0, 0, 1, 1], usual, [4, 3, 2, 1], "RR"
        assert doubts(lambda rows=rows: krm.evaluate_rows(*rows)) == []


def test_a_ranking_as_reference_has_any_scores():
    metric, scores = krm.RankBiasedOverlap(p=0.9), np.copy(SCORES)
    assert doubts(lambda: updated(metric, -SCORES, scores)) == []
    scores[:, 1] = -np.inf
    assert doubts(lambda: updated(metric, scores, scores)) == []


@pytest.mark.each_backend
@pytest.mark.parametrize("door", ["metric", "rows", "evaluate", "keras"])
def test_warnings_are_at_the_line_of_the_user(door):
    labels, scores = (
        np.array([[-1, 1, -1, 1]]),
        np.array([[0.9, 0.8, 0.7, 0.6]]),
    )
    metric = krm.MeanReciprocalRank()
    calls = {
        "metric": lambda: metric(labels, scores),
        "rows": lambda: krm.evaluate_rows([1] * 4, labels[0], scores[0], "RR"),
        "evaluate": lambda: krm.evaluate(labels, scores, "RR"),
        "keras": lambda: evaluated(metric, labels, scores),
    }
    with pytest.warns(UserWarning, match=r"label.*-1") as caught:
        calls[door]()
    files = [x.filename for x in caught if "-1" in str(x.message)]
    assert files == [__file__]


def evaluated(metric, labels, scores):
    model = keras.Sequential([keras.layers.Identity()])
    model.compile(loss="mse", metrics=[metric], run_eagerly=True)
    model.evaluate(scores, labels, verbose=0)

"""Numbers that others have published."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm

CLOSE = 1e-6


def close(value, expected, tolerance=CLOSE):
    value = float(ops.convert_to_numpy(value))
    return abs(value - expected) <= tolerance * max(1.0, abs(expected))


RELEVANCES = [3, 2, 3, 0, 1, 2]  # in rank order
IN_ORDER = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]


def test_dcg_with_the_original_discount():
    metric = krm.DCG(None, krm.linear_gain, krm.original_discount)
    assert close(metric(RELEVANCES, IN_ORDER), 8.097171433256849)


def test_ndcg_with_linear_gain():
    metric = krm.NDCG(None, krm.linear_gain)
    assert close(metric(RELEVANCES, IN_ORDER), 0.9608081943360617)


RATINGS = np.array([3.0, 4, 5, 1, 2, 3, 4, 5, 5, 4])
ESTIMATES = RATINGS + np.array([-0.5, 0.5] * 5)


@pytest.mark.parametrize(
    ("k", "dcg", "ideal", "ndcg"),
    [
        (10, 85.98764063423907, 89.3986129310978, 0.9618453554812123),
        (5, 75.11771171236516, 78.3217628403342, 0.9590911770652969),
    ],
)
def test_estimated_ratings(k, dcg, ideal, ndcg):
    stable = {"ties": "stable"}
    assert close(krm.DCG(k, **stable)(RATINGS, ESTIMATES), dcg)
    assert close(krm.DCG(k, **stable)(RATINGS, RATINGS), ideal)
    assert close(krm.NDCG(k, **stable)(RATINGS, ESTIMATES), ndcg)


FIVE_USERS = [  # the relevant items and the recommended ones
    ({1, 2, 3, 4, 5, 6}, [1, 6, 8]),
    ({2, 4, 6}, [1, 2, 3, 4, 5]),
    ({2, 4, 6}, []),
    (set(), [1, 2, 3, 4]),
    (set(), []),
]
ITEMS = range(1, 9)


def five_users():
    labels = [[float(i in rel) for i in ITEMS] for rel, _ in FIVE_USERS]
    scores = [
        [-float(recs.index(i)) if i in recs else float("-inf") for i in ITEMS]
        for _, recs in FIVE_USERS
    ]
    return labels, scores


@pytest.mark.parametrize(
    ("metric_class", "options", "expected"),
    [
        (krm.PrecisionAtK, {"denominator": "k"}, [1 / 3, 1 / 3, 4 / 15]),
        (krm.RecallAtK, {}, [1 / 18, 2 / 9, 1 / 3]),
        (krm.F1AtK, {"denominator": "k"}, [2 / 21, 7 / 27, 19 / 66]),
        (
            krm.MeanAveragePrecision,
            {"denominator": "hits"},
            [1 / 3, 1 / 2, 1 / 2],
        ),
        (krm.MeanReciprocalRank, {}, [1 / 3, 1 / 2, 1 / 2]),
    ],
)
def test_five_users(metric_class, options, expected):
    metrics = metric_class.at(1, 3, 5, empty="skip", **options)
    for metric, value in zip(metrics, expected, strict=True):
        assert close(metric(*five_users()), value), metric.name


def test_ndcg_of_five_users():
    labels, scores = five_users()
    metrics = krm.NDCG.at(1, 3, 5, empty="skip", ideal="retrieved")
    for metric, value in zip(metrics, [1 / 3, 0.5436, 0.5503], strict=True):
        assert close(metric(labels, scores), value, 5e-5), metric.name
    _, at_3, at_5 = metrics
    assert close(at_3.per_list(labels, scores)[1], 0.6309297535714574)
    assert close(at_5.per_list(labels, scores)[1], 0.6509209298071323)

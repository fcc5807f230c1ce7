"""`k` beyond every list, however large: all ranks count."""

import sys

import numpy as np
import pytest
from catalogue import PLAIN_ROWS_OF_IDS

import keras_rankmetrics as krm

KS = (10**9, 2**31 - 1, 2**31, sys.maxsize, 10**25)
SCORES = np.float32([[0.3, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]])
GIVEN = {
    "scores": (np.float32([[0, 1, 1, 0], [2, 0, 0, -1]]), SCORES),
    "sparse": (np.array([[1, 2], [3, -1]]), SCORES),
    "ids": (np.array([[10, 20], [30, -1]]), np.array([[5, 10], [13, 30]])),
}


def suite(k, inputs, **options):
    """Metrics by names that do not tell k."""
    options = {"inputs": inputs, **options}
    metrics = [
        row.make(k, name=str(row), **options) for row in PLAIN_ROWS_OF_IDS
    ]
    metrics.append(
        krm.RecallAtK(k, name="recall_of_min", denominator="min", **options)
    )
    return krm.MetricCollection(metrics)


def values(metrics, *given):
    return {name: float(value) for name, value in metrics(*given).items()}


@pytest.mark.long
@pytest.mark.parametrize("inputs", GIVEN)
@pytest.mark.parametrize("k", KS)
def test_all_ranks_count(k, inputs):
    given = GIVEN[inputs]
    expected = values(suite(None, inputs), *given)
    assert values(suite(k, inputs), *given) == pytest.approx(expected)


@pytest.mark.parametrize("inputs", GIVEN)
def test_a_denominator_of_k_is_that_k(inputs):
    few = krm.PrecisionAtK(k=10**3, denominator="k", inputs=inputs)
    many = krm.PrecisionAtK(k=10**12, denominator="k", inputs=inputs)
    ratio = float(few(*GIVEN[inputs])) / float(many(*GIVEN[inputs]))
    assert ratio == pytest.approx(10**9)


@pytest.mark.long
@pytest.mark.only_on("tensorflow", reason="tf.function is of tensorflow")
@pytest.mark.parametrize("inputs", GIVEN)
@pytest.mark.parametrize("k", [2**31 - 1, 10**25])
def test_in_a_graph_of_unknown_shapes(k, inputs):
    import tensorflow as tf

    metrics = suite(k, inputs)

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, None), x.dtype) for x in GIVEN[inputs]
        ]
    )
    def update(y_true, y_pred):
        metrics.update_state(y_true, y_pred)

    update(*GIVEN[inputs])
    expected = values(suite(None, inputs), *GIVEN[inputs])
    found = {name: float(x) for name, x in metrics.result().items()}
    assert found == pytest.approx(expected)

"""Weights of which single precision has no products."""

import numpy as np
import pytest
from given import seen

import keras_rankmetrics as krm

VALUES = [0.25, 0.5, 1.0]


@pytest.mark.parametrize("weight", [1e-45, 1e-40, 1e-32])
def test_the_mean_of_nothing_but_such_lists_is_nan(weight):
    """XLA and TensorFlow take the smallest for 0: for lists that are masked."""
    metric = seen(VALUES, np.full(3, weight))
    result = float(metric.result())
    assert np.isnan(result) or (result == 0.0 and metric.count() == 0)
    together = krm.MetricCollection([seen(VALUES, np.full(3, weight))])
    assert not together.result()["value"] > 0


def test_beside_others_they_do_not_matter():
    metric = seen(VALUES, np.array([1e-40, 1.0, 1.0]))
    assert float(metric.result()) == pytest.approx(0.75)


@pytest.mark.parametrize("weight", [1.1e-15, 1e-3, 1e3, 1e14])
def test_a_common_factor_does_not_matter(weight):
    one, other = seen(VALUES, np.full(3, weight)), seen(VALUES, np.ones(3))
    assert float(one.result()) == pytest.approx(float(other.result()))
    assert one.standard_error() == pytest.approx(
        other.standard_error(), rel=1e-5
    )
    assert one.estimate().effective_lists == pytest.approx(3)


@pytest.mark.parametrize("weight", [4e-31, 1e-28, 1e-20])
def test_the_error_of_smaller_ones_is_not_told(weight):
    """The mean is right; their squares are less than any float32."""
    metric = seen(VALUES, np.full(3, weight))
    assert float(metric.result()) == pytest.approx(np.mean(VALUES))
    assert np.isnan(metric.standard_error())
    assert np.isnan(metric.estimate().effective_lists)
    assert "±" not in str(metric)

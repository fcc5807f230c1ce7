"""Lists whose values are given, and what should be said of them."""

import math

import keras
import numpy as np
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean


@keras.saving.register_keras_serializable("given")
class Value(krm.RankingMetric):
    """The value of a list is its highest label; a list of 0 is empty."""

    @staticmethod
    def relevance(label):
        return ops.maximum(label, 0)

    @staticmethod
    def measure(ranking, k):
        return ranking.items.highest


def lists_of(values):
    """Labels and scores of lists that have these values, of any shape."""
    labels = np.asarray(values, "float32")[..., None]
    labels = np.concatenate([labels, np.full_like(labels, -1)], axis=-1)
    return labels, np.zeros_like(labels)


def batch(seed, *shape, items=8):
    """Return labels, scores and weights, with ties, masks and empty lists."""
    rng = np.random.default_rng([17, seed])
    labels = rng.integers(-1, 4, (*shape, items)).astype("float32")
    labels[rng.random(shape) < 0.2] = 0
    labels[rng.random(shape) < 0.1] = -1
    scores = rng.integers(0, 5, (*shape, items)).astype("float32")
    weights = rng.integers(1, 4, shape).astype("float32")
    return labels, scores, weights


def seen(values, weights=None, **options):
    """A metric that has seen lists of these values, and of weights."""
    metric = Value(**options)
    metric.update_state(*lists_of(values), weights)
    return metric


def per_list(values, weights=None, own=None, valid=None, rows=None):
    """What `[metrics, lists]` metrics make of as many lists."""
    values = np.asarray(values, "float32")
    weights = np.ones_like(values) if weights is None else weights
    own = np.ones(values.shape, bool) if own is None else own
    valid = np.ones(values.shape, bool) if valid is None else valid
    return PerList(
        ops.array(values),
        ops.array(np.asarray(weights, "float32")),
        ops.array(own),
        ops.array(valid),
        rows,
    )


def estimates(*args, **kwargs):
    """What each of many metrics says, see `per_list`."""
    sums = WeightedMean().of_batch(per_list(*args, **kwargs))
    sums = ops.convert_to_numpy(sums).astype("float64")
    return [Estimate.of_sums(each) for each in sums]


def mean(values, weights, own, times):
    """The weighted mean of lists of which each is there so many times."""
    some = (times * own).sum() > 0
    of_others = (
        (times * own * weights).sum() / (times * own).sum() if some else 1.0
    )
    weights = times * np.where(own, weights, of_others)
    return (weights * values).sum() / weights.sum()


def standard_error(values, weights=None, own=None, rows=None):
    """From how the mean moves with each row, by finite differences.

    This is the infinitesimal jackknife, of `[lists]`, or `[rows, time]`. Lists
    that do not count are NaN.
    """
    values = np.asarray(values, "float64")
    weights = np.ones_like(values) if weights is None else weights
    weights = np.broadcast_to(weights, values.shape)
    own = np.ones(values.shape, bool) if own is None else own
    rows = np.indices(values.shape)[0] if rows is None else rows
    valid = ~np.isnan(values)
    values, weights, own, rows = (
        x[valid] for x in (values, weights, own, rows)
    )
    step, moved = 1e-4, []
    for row in np.unique(rows):
        up, down = (
            mean(values, weights, own, 1 + sign * step * (rows == row))
            for sign in (1, -1)
        )
        moved.append((up - down) / (2 * step))
    n = len(moved)
    return math.sqrt(n / (n - 1) * np.square(moved).sum())


def two_sided(t, freedom):
    """Return the p value of `t` under Student's distribution, by quadrature.

    With t = √ν tan θ the density is proportional to cos(θ)^(ν - 1).
    """

    def area(below):
        theta = np.linspace(below, math.pi / 2, 20_001)
        heights = np.cos((theta[1:] + theta[:-1]) / 2) ** (freedom - 1)
        return heights.sum() * (theta[1] - theta[0])

    return area(math.atan(abs(t) / math.sqrt(freedom))) / area(0.0)


def in_a_program(metric, *batches):
    """The result after batches, compiled for an unknown number of rows.

    On torch, which has no such programs, it is not compiled.
    """
    batches = [keras.tree.map_structure(np.asarray, batch) for batch in batches]
    if keras.backend.backend() == "jax":
        import jax

        step = jax.jit(metric.stateless_update_state)
        state = [v.value for v in metric.variables]
        for batch in batches:
            state = step(state, *batch)
        return numbers(jax.jit(metric.stateless_result)(state))
    update = metric.update_state
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        of_any_length = keras.tree.map_structure(
            lambda x: tf.TensorSpec([None, *x.shape[1:]], x.dtype), batches[0]
        )
        update = tf.function(update, input_signature=of_any_length)
    for batch in batches:
        update(*batch)
    return numbers(metric.result())


def compiled(function, jit_compile=True):
    """Return the function, compiled on backends that compile."""
    if keras.backend.backend() == "jax":
        import jax

        return jax.jit(function)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        return tf.function(function, jit_compile=jit_compile)
    return function


def number(x):
    """A plain number."""
    return float(ops.convert_to_numpy(x))


def numbers(results):
    """Plain numbers, by name if there are several."""
    return keras.tree.map_structure(number, results)


def assert_same_state(metric, state):
    """Assert that the arrays of a metric are those, to the bit."""
    arrays = keras.tree.flatten(metric.get_state())
    before = keras.tree.flatten(state)
    for array, expected in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, expected)

"""Compiled by hand: jit, tf.function, torch.compile, unknown and empty shapes.

What `fit` compiles is in test_fit.py. Here, shapes are unknown while tracing,
or zero.
"""

import contextlib

import keras
import numpy as np
import oracle
import pytest
from catalogue import PLAIN_ROWS, one_of_each
from pytest import approx
from suites import by_oracle

from keras_rankmetrics import (
    DCG,
    NDCG,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    MetricCollection,
)

BACKEND = keras.backend.backend()

on_tensorflow = pytest.mark.only_on(
    "tensorflow", reason="tf.function is of tensorflow"
)
on_jax = pytest.mark.only_on("jax", reason="jax.jit is of jax")
on_torch = pytest.mark.only_on("torch", reason="torch.compile is of torch")


def batch_of(lists, items, seed=0):
    """Labels, scores and weights, with ties, masked items and empty lists.

    The scores have few values, so that many items tie, and in long lists a
    tie group reaches beyond any rank that a metric looks at.
    """
    rng = np.random.default_rng([seed, lists, items])
    labels = rng.integers(-1, 3, (lists, items)).astype("float32")
    if lists > 2:
        labels[1] = np.minimum(labels[1], 0)
        labels[2] = -1
    scores = rng.integers(0, 3, (lists, items)).astype("float32")
    weights = rng.integers(0, 4, (lists, items)).astype("float32")
    return labels, scores, weights


BATCHES = [batch_of(4, 30), batch_of(3, 5), batch_of(1, 1), batch_of(4, 30, 1)]


def by_hand(metric, batches, weights_of=lambda weights: None):
    """What the metric should be, by the oracle."""
    lists = [(y, s, weights_of(w)) for y, s, w in batches]
    return by_oracle(metric, *lists)


class Program:
    """Some metrics in one compiled program, whose state it keeps."""

    def __init__(self, metrics, compiled):
        self.metrics = metrics
        self.state = [
            [np.zeros(v.shape, v.dtype) for v in m.variables] for m in metrics
        ]
        self._step = compiled(self._trace)

    def _trace(self, state, *batch):
        return [
            metric.stateless_update_state(of_metric, *batch)
            for metric, of_metric in zip(self.metrics, state, strict=True)
        ]

    def update(self, *batch):
        self.state = self._step(self.state, *batch)

    def results(self):
        return {
            metric.name: float(metric.stateless_result(state))
            for metric, state in zip(self.metrics, self.state, strict=True)
        }


# One metric for each way through the code: sums over ranks, the precision at
# the items of a tie group, the first hit.
CLOSE = {"rel": 1e-6, "abs": 1e-7}
LONG = pytest.mark.long
SOME = (NDCG, MeanAveragePrecision, MeanReciprocalRank)


# jax


# Each program is compiled for seconds, and one of all metrics for minutes.
@on_jax
@pytest.mark.parametrize(
    "metric",
    [
        pytest.param(m, id=m.name, marks=() if type(m) in SOME else LONG)
        for m in one_of_each(k=3)
    ],
)
def test_jit(metric):
    import jax

    program = Program([metric], jax.jit)
    batches = [BATCHES[0], BATCHES[3]]
    for batch in batches:
        program.update(*batch)
    expected = by_hand(metric, batches, np.asarray)
    assert program.results() == approx({metric.name: expected}, **CLOSE)
    # The variables of the metric have no part in it.
    assert float(metric.result()) == 0


@on_jax
def test_scan():
    import jax
    import jax.numpy as jnp

    metric = NDCG(ties="shuffle", seed=3)
    labels, scores, _ = BATCHES[0]

    def step(state, batch):
        state = metric.stateless_update_state(state, *batch)
        return state, metric.stateless_result(state)

    stacked = jnp.stack([labels] * 3), jnp.stack([scores] * 3)
    state = [v.value for v in metric.variables]
    _, results = jax.jit(lambda s, b: jax.lax.scan(step, s, b))(state, stacked)
    for expected in results:
        metric.update_state(labels, scores)
        assert float(metric.result()) == approx(float(expected), rel=1e-6)
    # Each batch had an order of its own.
    assert len({float(r) for r in results}) == 3


@on_jax
def test_the_state_has_one_dtype_under_jit():
    import jax

    metric = NDCG(k=3)
    labels, scores, _ = BATCHES[1]
    state = [v.value for v in metric.variables]
    after = jax.jit(metric.stateless_update_state)(
        state, labels.astype("bfloat16"), scores.astype("float16")
    )
    assert [v.dtype for v in after] == [v.dtype for v in state]


# tensorflow


@contextlib.contextmanager
def tf_program(metrics, shapes, jit_compile):
    """A `tf.function` that updates the metrics, for inputs of these shapes."""
    import tensorflow as tf

    traces = []

    @tf.function(
        jit_compile=jit_compile,
        input_signature=[tf.TensorSpec(shape, "float32") for shape in shapes],
    )
    def update(*batch):
        traces.append(batch)
        for metric in metrics:
            metric.update_state(*batch)

    for metric in metrics:
        metric.reset_state()
    yield lambda *batch: update(*(tf.constant(x) for x in batch))
    assert len(traces) == 1


def agree(metrics, batches, of_items=np.asarray):
    assert {m.name: float(m.result()) for m in metrics} == approx(
        {m.name: by_hand(m, batches, of_items) for m in metrics}, **CLOSE
    )


NO_LISTS = [batch_of(0, items) for items in (5, 0)]


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize(
    "make",
    [lambda: one_of_each(k=3), lambda: [metric() for metric in SOME]],
    ids=["all", "some"],
)
def test_unknown_shapes(make):
    metrics = make()
    with tf_program(metrics, [(None, None)] * 3, False) as update:
        for batch in NO_LISTS + BATCHES:
            update(*batch)
    agree(metrics, BATCHES)


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize("k", [3, None])
def test_unknown_shapes_under_xla(k):
    metrics = [metric(k=k) for metric in SOME]
    batches = [BATCHES[0], BATCHES[3]]  # XLA compiles for each shape
    with tf_program(metrics, [(None, None)] * 3, True) as update:
        for batch in NO_LISTS[:1] + batches:
            update(*batch)
    agree(metrics, batches)


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize("ties", ["stable", "pessimistic", "optimistic"])
def test_unknown_shapes_and_strict_orders(ties):
    metrics = [NDCG(k=3, ties=ties), NDCG(ties=ties)]
    with tf_program(metrics, [(None, None)] * 2, False) as update:
        for labels, scores, _ in BATCHES:
            update(labels, scores)
    agree(metrics, BATCHES, lambda weights: None)


def ones_like(weights):
    return np.ones_like(weights)


def first_of_list(weights):
    return np.repeat(weights[:, :1], weights.shape[1], 1)


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize(
    "known, given, of_items",
    [
        ((), lambda w: np.float32(2), ones_like),
        ((None,), lambda w: w[:, 0], first_of_list),
        ((None, 1), lambda w: w[:, :1], first_of_list),
        ((None, None), lambda w: w[:, :1], first_of_list),
        ((None, None), lambda w: w, np.asarray),
        ((None, None, 1), lambda w: w[..., None], np.asarray),
    ],
    ids=["one", "per list", "[lists, 1]", "[?, ?] of 1", "[?, ?]", "[?, ?, 1]"],
)
def test_unknown_shapes_of_weights(known, given, of_items):
    metrics = [NDCG(k=3), DCG(k=3)]
    with tf_program(metrics, [(None, None)] * 2 + [known], False) as update:
        for labels, scores, weights in BATCHES:
            update(labels, scores, given(weights))
    agree(metrics, BATCHES, of_items)


@on_tensorflow
def test_unknown_shapes_with_a_last_one():
    metric = NDCG(k=3)
    shapes = [(None, None), (None, None, 1)]
    with tf_program([metric], shapes, False) as update:
        for labels, scores, _ in BATCHES:
            update(labels, scores[..., None])
    expected = by_hand(metric, BATCHES)
    assert float(metric.result()) == approx(expected, rel=1e-6)


@on_tensorflow
def test_unknown_shapes_with_a_mask():
    import tensorflow as tf

    metric = NDCG(k=3)

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, None)),
            tf.TensorSpec((None, None), "bool"),
            tf.TensorSpec((None, None)),
        ]
    )
    def update(labels, mask, scores):
        metric.update_state({"labels": labels, "mask": mask}, scores)

    for labels, scores, weights in BATCHES:
        update(labels, weights > 0, scores)
    masked = [
        (np.where(weights > 0, labels, -1), scores, None)
        for labels, scores, weights in BATCHES
    ]
    expected = by_hand(metric, masked)
    assert expected != approx(by_hand(metric, BATCHES), rel=1e-3)
    assert float(metric.result()) == approx(expected, rel=1e-6)


@on_tensorflow
def test_shapes_that_do_not_fit_fail_though_unknown_while_tracing():
    import tensorflow as tf

    metric = NDCG(k=3)
    with tf_program([metric], [(None, None)] * 2, False) as update:
        update(*BATCHES[0][:2])
        before = metric.get_state()
        with pytest.raises(tf.errors.InvalidArgumentError):
            update(np.ones((2, 6), "float32"), np.ones((2, 5), "float32"))
        np.testing.assert_equal(metric.get_state(), before)


@pytest.mark.long
@on_tensorflow
def test_shuffled_orders_in_a_graph():
    labels, scores, _ = BATCHES[0]
    graph, eager = (NDCG(ties="shuffle", seed=3) for _ in range(2))
    seen = set()
    with tf_program([graph], [(None, None)] * 2, False) as update:
        for _ in range(3):
            update(labels, scores)
            eager.update_state(labels, scores)
            assert float(graph.result()) == approx(float(eager.result()))
            seen.add(float(graph.result()))
    assert len(seen) == 3


# torch


@on_torch
def test_torch_compile():
    """With dynamo alone: to make C++ of it as well takes a minute."""
    import torch

    metric = NDCG(k=3)
    torch._dynamo.reset()

    @torch.compile(backend="eager")
    def per_list(labels, scores):
        return metric.per_list(labels, scores)

    for labels, scores, _ in BATCHES[:2]:  # the second has dynamic shapes
        found = per_list(torch.from_numpy(labels), torch.from_numpy(scores))
        expected = [
            oracle.value("ndcg", y, s, k=3)
            for y, s in zip(labels, scores, strict=True)
        ]
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


# No lists, or no items


EMPTY = [(0, 5), (0, 0), (3, 0), (0, 1)]


@pytest.mark.long
@pytest.mark.parametrize("shape", EMPTY, ids=str)
@pytest.mark.parametrize("k", [3, None])
def test_a_batch_without_anything(shape, k):
    # Eager jax compiles each shape, and eager TensorFlow takes seconds.
    rows = {
        "jax": PLAIN_ROWS[:1],
        "tensorflow": PLAIN_ROWS[EMPTY.index(shape) :: 4],
    }
    nothing = np.zeros(shape, "float32")
    for metric in (row.make(k) for row in rows.get(BACKEND, PLAIN_ROWS)):
        for weights in (None, 2.0, np.ones(shape[0], "float32"), nothing):
            assert float(metric(nothing, nothing, weights)) == 0
            values = keras.ops.convert_to_numpy(
                metric.per_list(nothing, nothing, weights)
            )
            np.testing.assert_equal(values, [np.nan] * shape[0])
        sums = np.zeros((*metric.aggregate.shape, 2))
        np.testing.assert_equal(metric.get_state(), [sums])


@pytest.mark.parametrize(
    "ties", ["shuffle", "stable", "pessimistic", "optimistic"]
)
def test_a_batch_without_anything_in_strict_orders(ties):
    metric = NDCG(k=3, ties=ties)
    for shape in EMPTY[:3] if BACKEND != "jax" else EMPTY[:1]:
        nothing = np.zeros(shape, "float32")
        assert float(metric(nothing, nothing)) == 0


def test_a_list_without_items():
    metric = NDCG()
    assert np.isnan(float(metric.per_list([], [])))
    assert float(metric([], [])) == 0


def test_an_empty_batch_changes_nothing():
    labels, scores, weights = BATCHES[1]
    metric = NDCG(k=3)
    metric.update_state(labels, scores, weights)
    before = metric.get_state()
    metric.update_state(labels[:0], scores[:0], weights[:0])
    np.testing.assert_equal(metric.get_state(), before)
    metric.update_state(labels, scores, weights)
    assert float(metric.result()) == approx(
        by_hand(metric, [BATCHES[1]], np.asarray), rel=1e-6
    )


@on_tensorflow
def test_rows_without_lists_in_a_program_of_unknown_shapes():
    import tensorflow as tf

    metric = NDCG(k=3)
    of_any_shape = [tf.TensorSpec([None, None, 4])] * 2
    update = tf.function(metric.update_state, input_signature=of_any_shape)
    update(*[np.zeros((0, 3, 4), "float32")] * 2)
    assert metric.count() == 0
    update(*[np.eye(4, dtype="float32")[None]] * 2)
    assert metric.count() == 4


@on_jax
@pytest.mark.parametrize("shape", EMPTY, ids=str)
def test_jit_of_nothing(shape):
    import jax

    metrics = [metric(k=3) for metric in SOME]
    program = Program(metrics, jax.jit)
    program.update(*[np.zeros(shape, "float32")] * 3)
    assert program.results() == {metric.name: 0.0 for metric in metrics}


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize("metric", SOME, ids=lambda cls: cls.__name__)
def test_lists_without_items_in_a_graph(metric):
    metric = metric(k=3)
    with tf_program([metric], [(None, None)] * 2, False) as update:
        update(*[np.zeros((3, 0), "float32")] * 2)
        assert float(metric.result()) == 0
        update(*BATCHES[1][:2])
    agree([metric], BATCHES[1:2], lambda weights: None)


# Gradients


def test_no_gradient_flows():
    metric = NDCG(k=3)
    labels, scores, _ = BATCHES[1]
    if BACKEND == "torch":
        import torch

        y_pred = torch.tensor(scores, requires_grad=True)
        metric.update_state(torch.tensor(labels), y_pred)
        assert not metric.result().requires_grad
        assert not metric.per_list(labels, y_pred).requires_grad
    elif BACKEND == "tensorflow":
        import tensorflow as tf

        y_pred = tf.constant(scores)
        with tf.GradientTape() as tape:
            tape.watch(y_pred)
            value = tf.reduce_sum(metric.per_list(labels, y_pred))
        assert tape.gradient(value, y_pred) is None
    else:
        import jax

        gradient = jax.jit(
            jax.grad(lambda s: keras.ops.nansum(metric.per_list(labels, s)))
        )(scores)
        np.testing.assert_equal(np.asarray(gradient), 0)


@pytest.mark.only_on("tensorflow", reason="graphs are TensorFlow's")
def test_nan_weights_survive_the_optimizer_of_graphs():
    """It turns `not w <= 0` into `w > 0`, which a NaN is not."""
    import tensorflow as tf

    metric = NDCG(k=3)
    per_list = tf.function(lambda *batch: metric.per_list(*batch))
    weights = tf.constant([[1.0, np.nan, 1.0]])
    found = per_list(
        tf.constant([[2.0, 1, 0]]), tf.constant([[3.0, 2, 1]]), weights
    )
    assert np.isnan(found.numpy()).all()


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize("metric", [NDCG, DCG, MeanAveragePrecision])
def test_double_precision_in_a_graph(metric):
    import tensorflow as tf

    inputs = [tf.constant(x) for x in batch_of(6, 20)[:2]]
    made = metric(k=3, dtype="float64")
    values = tf.function(made.per_list)(*inputs)
    assert values.dtype == tf.float64
    np.testing.assert_allclose(values, made.per_list(*inputs), rtol=1e-12)


@on_tensorflow
def test_wide_indices_into_an_unknown_number_of_items():
    import tensorflow as tf

    metric = NDCG(3, inputs="sparse")
    signature = [
        tf.TensorSpec([None, None], "int64"),
        tf.TensorSpec([None, None], "float32"),
    ]
    values = tf.function(metric.per_list, input_signature=signature)
    found = values([[1], [0]], [[3.0, 2.0], [3.0, 2.0]])
    assert found.numpy() == approx([1 / np.log2(3), 1])


# Made in a program


@on_tensorflow
def test_metrics_made_while_a_layer_is_built_in_a_graph():
    """Where TensorFlow refuses most names of a metric as that of a scope."""
    import tensorflow as tf

    class Measured(keras.layers.Layer):
        def build(self, shape):
            self.metric = NDCG(k=3, name="ranking quality @ 3")

        def call(self, scores):
            self.metric.update_state([[0.0, 1.0]], scores)
            return scores

    layer = Measured()
    tf.function(layer)(tf.constant([[2.0, 1.0]]))
    assert layer.metric.name == "ranking quality @ 3"
    assert float(layer.metric.result()) == approx(1 / np.log2(3))


# AutoGraph


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize("collected", [False, True])
def test_autograph_converts_nothing(collected):
    """Which would take seconds for each program."""
    import tensorflow as tf
    from tensorflow.python.autograph.core import ag_ctx

    seen = []

    class Spy(HitRateAtK):
        @staticmethod
        def measure(ranking, k):
            seen.append(ag_ctx.control_status_ctx().status.name)
            return HitRateAtK.measure(ranking, k)

    metric = MetricCollection([Spy(3)]) if collected else Spy(3)

    @tf.function
    def update(labels, scores):
        metric.update_state(labels, scores)
        seen.append(ag_ctx.control_status_ctx().status.name)
        return metric.per_list(labels, scores)

    update(*batch_of(4, 6)[:2])
    assert seen == ["DISABLED", "ENABLED", "DISABLED"]


@pytest.mark.long
@on_tensorflow
@pytest.mark.parametrize("inputs", ["scores", "sparse"])
def test_exclusion_from_an_unknown_number_of_items(inputs):
    import tensorflow as tf

    metric = NDCG(k=2, inputs=inputs)
    main = "labels" if inputs == "scores" else "target"
    given = [[1, 0, 2]] if inputs == "scores" else [[2, -1]]
    width = None if inputs == "scores" else 2

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, width), "int32"),
            tf.TensorSpec((None, None), "float32"),
            tf.TensorSpec((None, 2), "int32"),
        ]
    )
    def update(y_true, scores, excluded):
        metric.update_state({main: y_true, "exclude": excluded}, scores)

    scores, excluded = [[3.0, 2.0, 1.0]], [[0, -1]]
    update(tf.constant(given), tf.constant(scores), tf.constant(excluded))
    y_true = {main: given, "exclude": excluded}
    assert float(metric.result()) == approx(
        float(metric.per_list(y_true, scores)[0]), rel=1e-6
    )

"""Metrics that look at the same batch read and rank it once.

Whatever is shared, the numbers are those of metrics that share nothing. And
what is kept of a batch is kept no longer than it is needed.
"""

import contextlib
import gc
import weakref

import keras
import numpy as np
import pytest
from keras import ops
from suites import nine

import keras_rankmetrics as krm
from keras_rankmetrics.engine.evaluation import batch_cache

BACKEND = keras.backend.backend()

only = {
    backend: pytest.mark.only_on(backend, reason=f"for {backend}")
    for backend in ("tensorflow", "jax", "torch")
}


def arrays(seed=0, lists=4, items=12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (lists, items)).astype("float32")
    scores = rng.integers(0, 6, (lists, items)).astype("float32")
    return labels, scores


def tensors(seed=0, **size):
    # Copies: who writes to an array of numpy is not seen.
    return [ops.convert_to_tensor(x) + 0.0 for x in arrays(seed, **size)]


def alone(metric, *batches):
    """The result of a metric that shares nothing with others."""
    metric.reset_state()
    for batch in batches:
        metric.update_state(*(np.array(x) for x in batch))
    return float(metric.result())


def model(metrics):
    """A compiled model that returns what it is given."""
    inputs = keras.Input((12,))
    made = keras.Model(inputs, keras.layers.Activation("linear")(inputs))
    made.compile(loss="mse", metrics=metrics)
    return made


def held():
    """What is kept of the last batch."""
    return getattr(
        batch_cache.place(batch_cache._thread), batch_cache._ATTRIBUTE, None
    )


@pytest.fixture
def count(monkeypatch):
    """Counts what is read, and what is ranked to which cutoff."""
    found = {"read": 0, "ranked": []}
    reads = batch_cache.read

    def read(*args):
        found["read"] += 1
        lists = reads(*args)
        ranked = lists.content.ranked

        def counted(order):
            found["ranked"].append(order.k)
            return ranked(order)

        vars(lists.content)["ranked"] = counted
        return lists

    monkeypatch.setattr(batch_cache, "read", read)
    return found


def test_a_list_of_metrics_reads_and_ranks_once(count):
    metrics = nine()
    for seed in range(3):
        labels, scores = tensors(seed)
        for metric in metrics:
            metric.update_state(labels, scores)
    assert count == {"read": 3, "ranked": [10] * 3}


@pytest.mark.parametrize("cutoffs", [(1, 10, 100), (100, 10, 1), (10, 1, 100)])
def test_cutoffs_that_are_far_apart_rank_once(count, cutoffs):
    metrics = krm.NDCG.at(*cutoffs)
    for seed in range(3):
        labels, scores = tensors(seed)
        for metric in metrics:
            metric.update_state(labels, scores)
    assert count == {"read": 3, "ranked": [100] * 3}


def test_who_is_gone_before_the_first_step_is_not_ranked_for(count):
    metrics = [krm.NDCG(1000, name="gone"), *krm.NDCG.at(1, 10)]
    del metrics[0]
    gc.collect()
    labels, scores = tensors()
    for metric in metrics:
        metric.update_state(labels, scores)
    assert count == {"read": 1, "ranked": [10]}


def test_who_no_longer_comes_is_no_longer_ranked_for(count):
    few, many = krm.NDCG(10), krm.NDCG(100)
    for metrics in [(few, many), (few,), (few,), (few, many), (few, many)]:
        labels, scores = tensors()
        for metric in metrics:
            metric.update_state(labels, scores)
    # The guess is what was right in the step before.
    assert count["ranked"] == [100, 100, 10, 10, 100, 100]


def test_metrics_and_collections_share(count):
    collection, metric = krm.MetricCollection(nine()), krm.F1AtK(5)
    labels, scores = tensors()
    for each in (collection, metric):
        each.update_state(labels, scores)
    assert count["read"] == 1
    assert float(metric.result()) == pytest.approx(
        alone(krm.F1AtK(5), (labels, scores))
    )


@pytest.mark.long
def test_the_numbers_are_those_of_metrics_alone():
    metrics = [
        *nine(),
        *nine(ties="stable"),
        krm.NDCG(),
        krm.DCG(5, empty="skip"),
        krm.NDCG(10, list_weight="mean"),
        krm.NDCG(10, gain_fn=krm.linear_gain),
        krm.RecallAtK(5, relevance_threshold=2),
        krm.MeanAveragePrecision(5, denominator="hits"),
        krm.NDCG(3, ties="shuffle", seed=1),
        krm.NDCG(4, ties="shuffle", seed=1),
        krm.NDCG(4, ties="shuffle", seed=2),
    ]
    batches = [tensors(seed) for seed in range(3)]
    for batch in batches:
        for metric in metrics:
            metric.update_state(*batch)
    for metric in metrics:
        expected = alone(
            type(metric).from_config(metric.get_config()), *batches
        )
        assert float(metric.result()) == pytest.approx(expected, rel=1e-6)


def test_draws_of_metrics_that_count_apart():
    # Of these two the draws differ: one has seen a batch more.
    ahead, behind = krm.NDCG(3, ties="shuffle"), krm.NDCG(4, ties="shuffle")
    first, second = tensors(0, lists=50), tensors(1, lists=50)
    ahead.update_state(*first)
    for metric in (ahead, behind):
        metric.update_state(*second)
    assert float(behind.result()) == pytest.approx(
        alone(krm.NDCG(4, ties="shuffle"), second)
    )
    assert float(ahead.result()) == pytest.approx(
        alone(krm.NDCG(3, ties="shuffle"), first, second)
    )


def test_draws_of_equal_metrics_that_count_apart():
    ahead, behind = krm.NDCG(3, ties="shuffle"), krm.NDCG(3, ties="shuffle")
    first, second = tensors(0, lists=50), tensors(1, lists=50)
    for batch in (first, second):
        ahead.update_state(*batch)
    behind.update_state(*second)
    assert float(behind.result()) == pytest.approx(
        alone(krm.NDCG(3, ties="shuffle"), second)
    )


def test_who_fails_is_asked_once_more_and_no_more():
    calls = []

    def broken(label):
        calls.append(label)
        raise RuntimeError("broken")

    metrics = [*nine(), krm.NDCG(5, gain_fn=broken, name="bad")]
    for seed in range(2):
        batch = tensors(seed)
        calls.clear()
        for metric in metrics[:-1]:
            metric.update_state(*batch)
        with pytest.raises(ValueError, match="broken"):
            metrics[-1].update_state(*batch)
    assert len(calls) == 2


def test_what_another_metric_raises_is_raised_there():
    def broken(label):
        raise RuntimeError("broken")

    metrics = [
        krm.NDCG(5),
        krm.NDCG(5, gain_fn=broken, name="bad"),
        krm.NDCG(3),
    ]
    for seed in range(2):
        batch = tensors(seed)
        for metric in metrics:
            with (
                pytest.raises(ValueError, match="broken")
                if metric.name == "bad"
                else contextlib.nullcontext()
            ):
                metric.update_state(*batch)
    batches = [tensors(seed) for seed in range(2)]
    for metric in (metrics[0], metrics[2]):
        assert float(metric.result()) == pytest.approx(
            alone(krm.NDCG(metric.k), *batches)
        )


def test_the_same_objects_in_another_step(count):
    metrics = nine()
    batch = tensors()
    for _ in range(3):
        for metric in metrics:
            metric.update_state(*batch)
    assert count["read"] == 3
    assert metrics[0].count() == 12


@pytest.mark.parametrize("changed", ["y_true", "y_pred", "sample_weight"])
def test_equal_is_not_the_same(count, changed):
    one, other = krm.NDCG(5), krm.NDCG(10)
    labels, scores = tensors()
    batch = {
        "y_true": labels,
        "y_pred": scores,
        "sample_weight": ops.ones((4,)),
    }
    one.update_state(**batch)
    other.update_state(**{**batch, changed: batch[changed] + 0.0})
    assert count["read"] == 2


def test_entries_of_a_dict_are_looked_at_one_by_one(count):
    labels, scores = tensors()
    entries = {"labels": labels, "mask": ops.ones((4, 12), "bool")}
    one, other, third = krm.NDCG.at(3, 5, 10)
    one.update_state(entries, scores)
    other.update_state(dict(entries), scores)
    assert count["read"] == 1
    entries["mask"] = ops.convert_to_tensor(np.arange(12) < np.full((4, 1), 6))
    third.update_state(entries, scores)
    assert count["read"] == 2
    assert float(third.result()) == pytest.approx(
        alone(krm.NDCG(10), (labels[:, :6], scores[:, :6]))
    )


def test_the_implicit_mask_is_looked_at(count):
    labels, scores = tensors()
    one, other = krm.NDCG.at(5, 10)
    one.update_state(labels, scores)
    try:
        scores._keras_mask = ops.convert_to_tensor(np.arange(12) < 6) & (
            labels >= 0
        )
    except AttributeError:
        pytest.skip("tensors of this backend take no attributes")
    other.update_state(labels, scores)
    assert count["read"] == 2
    assert float(other.result()) == pytest.approx(
        alone(krm.NDCG(10), (labels[:, :6], scores[:, :6]))
    )


def assert_second_sees(change, labels, scores):
    """Assert that a second metric reads a changed batch again."""
    one, other = krm.NDCG.at(5, 10)
    one.update_state(labels, scores)
    change()
    other.update_state(labels, scores)
    assert float(other.result()) == pytest.approx(
        alone(krm.NDCG(10), (labels, scores))
    )


def test_arrays_of_numpy_are_not_shared():
    labels, scores = arrays()
    assert_second_sees(lambda: np.negative(scores, out=scores), labels, scores)


def test_a_variable_is_not_shared():
    labels, scores = tensors()
    variable = keras.Variable(scores + 0.0)
    assert_second_sees(lambda: variable.assign(-scores), labels, variable)


@only["torch"]
@pytest.mark.parametrize("which", [0, 1])
def test_tensors_that_are_written_to(which):
    batch = tensors()
    assert_second_sees(lambda: batch[which].neg_().add_(2.0), *batch)


SIZES = pytest.mark.parametrize("size", [{}, {"lists": 60, "items": 20_000}])


@only["torch"]
@SIZES
@pytest.mark.parametrize("export", [False, True])
def test_tensors_whose_memory_numpy_shares(export, size):
    import torch

    labels, scores = tensors(**size)
    array = scores.numpy() if export else np.array(scores)
    if not export:
        scores = torch.from_numpy(array)
    assert_second_sees(lambda: np.negative(array, out=array), labels, scores)


@only["torch"]
@SIZES
def test_a_tensor_that_is_shown_to_numpy_between_two_metrics(size):
    labels, scores = tensors(**size)
    negate = np.negative
    assert_second_sees(
        lambda: negate(scores.numpy(), out=scores.numpy()), labels, scores
    )


@only["torch"]
def test_tensors_of_inference_mode_do_not_count_versions():
    import torch

    with torch.inference_mode():
        labels, scores = tensors()
        assert_second_sees(lambda: scores.neg_(), labels, scores)


@only["torch"]
def test_a_tensor_in_the_memory_of_numpy_is_shared_while_it_is_the_same(count):
    import torch

    labels, scores = map(torch.from_numpy, arrays())
    looked_at(labels, scores)
    assert count["read"] == 1


@only["torch"]
@pytest.mark.parametrize("inputs", ["scores", "ids"])
def test_no_metric_shows_a_tensor_to_numpy(inputs):
    labels, scores = tensors()
    if inputs == "ids":
        labels, scores = labels.long(), scores.long()
    looked_at(labels, scores, metrics=nine(inputs=inputs))
    assert labels.untyped_storage().resizable()
    assert scores.untyped_storage().resizable()


# How long it is kept.


def looked_at(*batch, metrics=None):
    for metric in metrics or nine():
        metric.update_state(*batch)


LETS_GO = {
    "result": lambda metric: metric.result(),
    "estimate": lambda metric: metric.estimate(),
    "count": lambda metric: metric.count(),
    "state": lambda metric: metric.state,
    "get_state": lambda metric: metric.get_state(),
    "sync": lambda metric: metric.sync(),
    "str": str,
    "a call with another batch": lambda metric: krm.NDCG(5)(*arrays()),
    "a batch that is not known again": lambda metric: metric.update_state(
        *arrays()
    ),
    "a reset": lambda metric: krm.NDCG(3).reset_state(),
    "a stateless call": lambda metric: metric.stateless_update_state(
        [v.value for v in metric.variables], *tensors(1)
    ),
}


@pytest.mark.parametrize("call", LETS_GO.values(), ids=LETS_GO)
def test_what_lets_go(call):
    batch, metric = tensors(), krm.NDCG(5)
    looked_at(*batch, metrics=[metric])
    assert held() is not None
    call(metric)
    assert held() is None


@pytest.mark.parametrize("name", ["result", "sync", "reset_state"])
def test_a_collection_lets_go(name):
    batch, metrics = tensors(), krm.MetricCollection(nine())
    metrics.update_state(*batch)
    assert held() is not None
    getattr(metrics, name)()
    assert held() is None


def test_values_of_lists_are_not_kept():
    batch = tensors()
    krm.NDCG(5).per_list(*batch)
    krm.MetricCollection(nine()).per_list(*batch)
    assert held() is None


def test_what_is_kept_is_little_once_all_have_computed():
    metrics = [krm.NDCG(), krm.MeanAveragePrecision()]
    for seed in range(2):
        batch = tensors(seed)
        looked_at(*batch, metrics=metrics[:1])
        if seed == 0:
            looked_at(*batch, metrics=metrics[1:])
    kept = held().batch
    assert not kept._lists
    assert not kept._rankings
    looked_at(*batch, metrics=metrics[1:])
    collection = krm.MetricCollection([krm.F1AtK(5)])
    collection.update_state(*batch)
    for metric in metrics:
        assert float(metric.result()) == pytest.approx(
            alone(type(metric)(), *(tensors(seed) for seed in range(2)))
        )


def test_another_batch_lets_go():
    labels, scores = tensors()
    metric = krm.NDCG(5)
    looked_at(labels, scores, metrics=[metric])
    kept = weakref.ref(held().batch)
    looked_at(*tensors(1), metrics=[metric])
    assert kept() is None


@pytest.mark.long
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("inputs", ["scores", "ids"])
def test_the_end_of_what_was_passed_is_the_end(which, inputs):
    dtype = "int32" if inputs == "ids" else "float32"
    batch = [ops.cast(x, dtype) + 0 for x in tensors()]
    metrics = krm.NDCG.at(5, 10, inputs=inputs)
    looked_at(*batch, metrics=metrics)
    kept, passed = weakref.ref(held().batch), weakref.ref(batch[which])
    batch[which] = None
    gc.collect()  # an old Keras leaves cycles behind
    assert passed() is None
    assert kept() is None


def test_calls_share_and_keep_nothing_that_is_gone(count):
    labels, scores = tensors()
    for metric in nine():
        metric(labels, scores)
    assert count["read"] == 1
    kept = weakref.ref(held().batch)
    del labels, scores
    gc.collect()
    assert kept() is None


@pytest.mark.long
def test_two_models_by_turns():
    one, other = model(nine()), model(nine())
    labels, scores = arrays(0, lists=10)
    more_labels, more_scores = arrays(1, lists=10)
    for _ in range(2):
        found = [
            one.evaluate(scores, labels, batch_size=4, verbose=0),
            other.evaluate(more_scores, more_labels, batch_size=4, verbose=0),
        ]
    for values, batch in zip(
        found, [(labels, scores), (more_labels, more_scores)], strict=True
    ):
        expected = [alone(metric, batch) for metric in nine()]
        np.testing.assert_allclose(values[1:], expected, rtol=1e-6)


def test_a_compiled_model_ranks_as_deep_as_its_deepest_metric(count):
    compiled = model(krm.NDCG.at(1, 10, 100))
    labels, scores = arrays(lists=10)
    compiled.evaluate(scores, labels, batch_size=4, verbose=0)
    # Keras may run the metrics once without numbers, each by itself.
    steps = {"torch": 3, "jax": 2, "tensorflow": 1}[BACKEND]
    assert count["ranked"][-steps:] == [100] * steps
    assert count["read"] <= 3 + steps


# While a program is traced.


@pytest.mark.long
@only["tensorflow"]
@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_graph_reads_once(count, jit_compile):
    import tensorflow as tf

    metrics = [*nine(), krm.NDCG(100)]

    @tf.function(jit_compile=jit_compile)
    def step(labels, scores):
        for metric in metrics:
            metric.update_state(labels, scores)
        return [metric.result() for metric in metrics]

    batches = [tensors(seed) for seed in range(3)]
    for batch in batches:
        values = step(*batch)
    assert count == {"read": 1, "ranked": [100]}
    for value, metric in zip(values, [*nine(), krm.NDCG(100)], strict=True):
        assert float(value) == pytest.approx(alone(metric, *batches))


@pytest.mark.long
@only["tensorflow"]
def test_branches_of_a_graph():
    import tensorflow as tf

    one, other, third = metrics = krm.NDCG.at(1, 5, 10)

    @tf.function(autograph=False)
    def step(labels, scores, which):
        def update(metric):
            metric.update_state(labels, scores)
            return 0

        tf.cond(which, lambda: update(one), lambda: update(other))
        update(third)

    batch = tensors()
    step(*batch, tf.constant(True))
    step(*batch, tf.constant(False))
    for metric, times in zip(metrics, (1, 1, 2), strict=True):
        assert metric.count() == 4 * times
        assert float(metric.result()) == pytest.approx(
            alone(krm.NDCG(metric.k), batch)
        )


@only["tensorflow"]
def test_two_graphs_of_the_same_objects():
    import tensorflow as tf

    labels, scores = tensors()
    one, other = krm.NDCG.at(5, 10)
    tf.function(lambda: one.update_state(labels, scores))()
    tf.function(lambda: other.update_state(labels, scores))()
    assert float(other.result()) == pytest.approx(
        alone(krm.NDCG(10), (labels, scores))
    )


@only["jax"]
def test_a_step_of_jax_reads_once_and_leaks_nothing(count):
    import jax

    metrics = [*nine(), krm.NDCG(100)]
    variables = [v for metric in metrics for v in metric.variables]

    @jax.jit
    def step(state, labels, scores):
        mapping = list(zip(variables, state, strict=True))
        with keras.StatelessScope(state_mapping=mapping) as scope:
            for metric in metrics:
                metric.update_state(labels, scores)
        return [scope.get_current_value(v) for v in variables]

    batch = tensors()
    with jax.checking_leaks():
        state = step([v.value for v in variables], *batch)
    assert count == {"read": 1, "ranked": [100]}
    for variable, value in zip(variables, state, strict=True):
        variable.assign(value)
    for metric, same in zip(metrics, [*nine(), krm.NDCG(100)], strict=True):
        assert float(metric.result()) == pytest.approx(alone(same, batch))


@only["jax"]
def test_stateless_calls_of_jax_leak_nothing():
    import jax

    metrics = nine()

    @jax.jit
    def step(states, labels, scores):
        return [
            metric.stateless_update_state(state, labels, scores)
            for metric, state in zip(metrics, states, strict=True)
        ]

    batch = tensors()
    with jax.checking_leaks():
        states = step([[v.value for v in m.variables] for m in metrics], *batch)
    for metric, state, same in zip(metrics, states, nine(), strict=True):
        value = metric.stateless_result(state)
        assert float(value) == pytest.approx(alone(same, batch))


@only["jax"]
def test_values_of_lists_leak_nothing():
    import jax

    batch = tensors()
    metric = krm.NDCG(5)
    with jax.checking_leaks():
        jax.jit(lambda: metric.per_list(*batch))()
        with keras.StatelessScope():
            jax.jit(metric.per_list)(*batch)


@only["jax"]
def test_branches_of_jax():
    import jax

    one, other = metrics = krm.NDCG.at(5, 10)
    variables = [v for metric in metrics for v in metric.variables]

    @jax.jit
    def step(state, labels, scores, which):
        mapping = list(zip(variables, state, strict=True))
        with keras.StatelessScope(state_mapping=mapping) as scope:
            before = [scope.get_current_value(v) for v in variables]

            def updated(metric):
                for variable, value in zip(variables, before, strict=True):
                    scope.add_update((variable, value))
                metric.update_state(labels, scores)
                return [scope.get_current_value(v) for v in variables]

            return jax.lax.cond(
                which, lambda: updated(one), lambda: updated(other)
            )

    batch = tensors()
    state = [v.value for v in variables]
    for which in (True, False):
        state = step(state, *batch, which)
    for variable, value in zip(variables, state, strict=True):
        variable.assign(value)
    for metric in metrics:
        assert float(metric.result()) == pytest.approx(
            alone(krm.NDCG(metric.k), batch)
        )


@only["torch"]
def test_what_torch_compiles_keeps_nothing():
    import torch

    metrics = krm.NDCG.at(5, 10)
    batch = tensors()

    @torch.compile(backend="eager")
    def step(labels, scores):
        for metric in metrics:
            metric.update_state(labels, scores)

    step(*batch)
    assert held() is None
    for metric in metrics:
        assert float(metric.result()) == pytest.approx(
            alone(krm.NDCG(metric.k), batch)
        )


@pytest.mark.long
@pytest.mark.parametrize("end", ["result", "update"])
def test_memory_of_a_loop_does_not_grow(end):
    metrics = [krm.NDCG(), krm.MeanAveragePrecision()]

    def step(seed):
        batch = tensors(seed)
        looked_at(*batch, metrics=metrics)
        kept.append(weakref.ref(held().batch))
        if end == "result":
            for metric in metrics:
                metric.result()

    kept = []
    for seed in range(20):
        step(seed)
        gc.collect()
        assert [ref() for ref in kept] == [None] * len(kept)

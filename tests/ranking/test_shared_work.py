"""A list of metrics does the work of one: sorts counted in compiled programs.

A program that computes nine metrics must hold as many sorts as one that
computes a single one of them, though each metric asks for its own.
"""

import re

import keras
import numpy as np
import pytest
from suites import nine

import keras_rankmetrics as krm

BACKEND = keras.backend.backend()
LISTS, ITEMS = 8, 64

only = {
    backend: pytest.mark.only_on(backend, reason=f"programs of {backend}")
    for backend in ("tensorflow", "jax")
}


def plain(metrics):
    return metrics


def collected(metrics):
    return [krm.MetricCollection(metrics)]


one_list_or_collection = pytest.mark.parametrize("as_list", [plain, collected])


def three_whole():
    return [krm.NDCG(), krm.MeanAveragePrecision(), krm.MeanReciprocalRank()]


@pytest.fixture(scope="module")
def batch():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (LISTS, ITEMS)).astype("float32")
    scores = rng.standard_normal((LISTS, ITEMS)).astype("float32")
    return labels, scores


@pytest.fixture(scope="module")
def batch_of_ids():
    rng = np.random.default_rng(0)
    shape = (LISTS, ITEMS)
    return tuple(rng.integers(-1, 99, shape).astype("int32") for _ in range(2))


def tensorflow_function(metrics, jit_compile):
    import tensorflow as tf

    @tf.function(jit_compile=jit_compile, autograph=False)
    def update(labels, scores):
        for metric in metrics:
            metric.update_state(labels, scores)
        return [metric.result() for metric in metrics]

    return update


def nodes_after_optimization(function, *batch):
    """The names of the operations that TensorFlow runs, branches included."""
    from tensorflow.python.eager import context

    context.enable_run_metadata()
    try:
        function(*batch)
        graphs = context.export_run_metadata().function_graphs
    finally:
        context.disable_run_metadata()
    for graph in graphs:
        optimized = graph.post_optimization_graph
        for nodes in (
            optimized.node,
            *(f.node_def for f in optimized.library.function),
        ):
            yield from (node.op for node in nodes)


def sorts_in_hlo(text):
    """`top_k` is a custom call, or a sort where XLA did not know it."""
    top_ks = re.findall(r'custom_call_target="TopK"', text)
    return len(top_ks), len(re.findall(r" sort\(", text))


@pytest.mark.long
@only["tensorflow"]
@one_list_or_collection
def test_graph(batch, as_list):
    def sorts(metrics):
        function = tensorflow_function(as_list(metrics), jit_compile=False)
        nodes = list(nodes_after_optimization(function, *batch))
        assert len(nodes) > 100
        return nodes.count("TopKV2"), sum("Sort" in node for node in nodes)

    assert sorts([krm.NDCG(10)]) == (2, 0)  # the scores and the labels
    assert sorts(nine()) == (2, 0)


@pytest.mark.long
@only["tensorflow"]
@one_list_or_collection
def test_xla(batch, as_list):
    def sorts(metrics):
        function = tensorflow_function(as_list(metrics), jit_compile=True)
        ir = function.experimental_get_compiler_ir(*batch)
        return sorts_in_hlo(ir(stage="optimized_hlo"))

    assert sorts([krm.NDCG(10)]) == (2, 0)
    assert sorts(nine()) == (2, 0)


@pytest.mark.long
@only["tensorflow"]
@one_list_or_collection
def test_ids_of_both_sides_are_sorted_at_once_in_a_graph(batch_of_ids, as_list):
    metrics = as_list(nine(inputs="ids"))
    function = tensorflow_function(metrics, jit_compile=False)
    nodes = list(nodes_after_optimization(function, *batch_of_ids))
    assert sum("Sort" in node or "TopK" in node for node in nodes) == 1


@pytest.mark.long
@only["tensorflow"]
@one_list_or_collection
def test_ids_of_both_sides_are_sorted_at_once_by_xla(batch_of_ids, as_list):
    metrics = as_list(nine(inputs="ids"))
    function = tensorflow_function(metrics, jit_compile=True)
    ir = function.experimental_get_compiler_ir(*batch_of_ids)
    assert sorts_in_hlo(ir(stage="optimized_hlo")) == (0, 1)


def jax_program(metrics, *batch):
    import jax

    def update(states, labels, scores):
        states = [
            metric.stateless_update_state(state, labels, scores)
            for metric, state in zip(metrics, states, strict=True)
        ]
        results = [
            metric.stateless_result(state)
            for metric, state in zip(metrics, states, strict=True)
        ]
        return states, results

    states = [[v.value for v in metric.variables] for metric in metrics]
    return jax.jit(update).lower(states, *batch).compile()


@only["jax"]
@one_list_or_collection
def test_jit(batch, as_list):
    def sorts(metrics):
        return sorts_in_hlo(jax_program(as_list(metrics), *batch).as_text())

    # The scores, in the branch of masked ones or in the other; the labels.
    assert sorts([krm.NDCG(10)]) == (3, 0)
    assert sorts(nine()) == (3, 0)


@only["jax"]
@one_list_or_collection
def test_jit_of_whole_lists(batch, as_list):
    def sorts(metrics):
        program = jax_program(as_list(metrics), *batch)
        top_ks, full_sorts = sorts_in_hlo(program.as_text())
        return top_ks + full_sorts

    assert sorts([krm.NDCG()]) == sorts(three_whole()) == 3


@only["jax"]
@one_list_or_collection
def test_ids_of_both_sides_are_sorted_at_once(batch_of_ids, as_list):
    metrics = as_list(nine(inputs="ids"))
    program = jax_program(metrics, *batch_of_ids).as_text()
    assert sorts_in_hlo(program) == (0, 1)
    (keys,) = re.findall(r"(\S+)\[[\d,]+\]\S* sort\(", program)
    assert keys == "s64"  # and nothing sorted along


@only["jax"]
@pytest.mark.parametrize("metric", [krm.PrecisionAtK, krm.MeanReciprocalRank])
def test_binary_measures_evaluate_no_gain(batch, metric):
    def evaluates_gains(metric):
        program = jax_program([metric], *batch)
        return bool(re.search(r"exponential|power\(", program.as_text()))

    assert not evaluates_gains(metric(10))
    assert evaluates_gains(krm.NDCG(10))


@only["jax"]
@one_list_or_collection
def test_one_array_of_all_items_is_held_at_a_time(as_list):
    import jax

    lists, items = 256, 20_000
    scores = jax.ShapeDtypeStruct((lists, items), "float32")
    program = jax_program(as_list(nine()), scores, scores)
    extra = program.memory_analysis().temp_size_in_bytes
    assert extra < 1.1 * lists * items * 4

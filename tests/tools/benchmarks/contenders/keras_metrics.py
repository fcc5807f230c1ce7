"""Packages of Keras metrics, ours among them."""

import types
from typing import Any

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Metric, Mode, Step
from tests.tools.benchmarks.suites import NINE, Suite, having


def plain(suite: Suite, **options: Any) -> list[Metric]:
    """The plain list of our metrics that people write."""
    import keras_rankmetrics

    return _from(keras_rankmetrics, suite, **options)


def stable(suite: Suite, **options: Any) -> list[Metric]:
    """The same, which take tied items in the order in which they stand."""

    return plain(suite, ties="stable", **options)


def collection(suite: Suite, **options: Any) -> list[Metric]:
    """One metric that computes all of them."""
    import keras_rankmetrics

    return [keras_rankmetrics.MetricCollection(plain(suite, **options))]


def keras_rs(suite: Suite) -> list[Metric]:
    """The list, with the defaults of Keras Recommenders."""
    from keras_rs import metrics

    return _from(metrics, suite)


def squared_errors(suite: Suite) -> list[Metric]:
    """As many metrics, as cheap as a metric can be."""
    import keras

    return [
        keras.metrics.MeanSquaredError(name=f"squared_error_{i}")
        for i, _ in enumerate(suite)
    ]


def _from(
    package: types.ModuleType, suite: Suite, **options: Any
) -> list[Metric]:
    return [getattr(package, name)(k=k, **options) for name, k in suite]


def build_plain(batch: Batch, mode: Mode) -> Step:
    """What the batch asks for."""
    return mode.metrics(plain(batch.suite, **batch.options), batch.suite)


def build_one(batch: Batch, mode: Mode) -> Step:
    """A single metric of these: the NDCG with the deepest cutoff."""
    one = having({"NDCG"}, batch.suite)[-1:]
    return mode.metrics(plain(one, **batch.options), one)


def build_stable(batch: Batch, mode: Mode) -> Step | None:
    """Where there can be ties: recommended ids have an order."""
    if batch.inputs == "ids":
        return None
    return mode.metrics(stable(batch.suite, **batch.options), batch.suite)


def build_collection(batch: Batch, mode: Mode) -> Step:
    """What the batch asks for."""
    return mode.metrics(collection(batch.suite, **batch.options), batch.suite)


def build_nine(batch: Batch, mode: Mode) -> Step:
    """Nine metrics, whatever the batch asks for."""
    return mode.metrics(collection(NINE, **batch.options), NINE)


def build_keras_rs(batch: Batch, mode: Mode) -> Step | None:
    """Its metrics are of labels and scores, and it has no hit rate."""
    from keras_rs import metrics

    if batch.dense is None:
        return None
    suite = having(dir(metrics), batch.suite)
    return mode.on(*batch.dense).metrics(keras_rs(suite), suite)


PLAIN = Contender(
    "keras_rankmetrics",
    build_plain,
    package="keras_rankmetrics",
    about="the plain list of our metrics, with defaults",
)
COLLECTION = Contender(
    "keras_rankmetrics-collection",
    build_collection,
    package="keras_rankmetrics",
    about="the same metrics in a `MetricCollection`",
)
NINE_OF_THEM = Contender(
    "keras_rankmetrics-nine",
    build_nine,
    package="keras_rankmetrics",
    about="nine of these metrics in a `MetricCollection`",
)
ONE = Contender(
    "keras_rankmetrics-one",
    build_one,
    package="keras_rankmetrics",
    about="one of these metrics, the NDCG with the deepest cutoff",
)
STABLE = Contender(
    "keras_rankmetrics-stable",
    build_stable,
    package="keras_rankmetrics",
    about='the plain list with `ties="stable"`: the cost of averaging',
)
KERAS_RS = Contender(
    "keras_rs",
    build_keras_rs,
    package="keras_rs",
    about="the plain list of Keras Recommenders, with its defaults",
)

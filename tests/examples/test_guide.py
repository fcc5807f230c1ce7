"""What the pages of the guide say, where a doctest cannot show it all."""

import doctest
import json
import pathlib
import re

import keras
import numpy as np
import oracle
import pytest
from pytest import approx
from scripts import printed

import keras_rankmetrics
from keras_rankmetrics import (
    NDCG,
    MeanAveragePrecision,
    PrecisionAtK,
    RankingMetric,
    RecallAtK,
)

BACKEND = keras.backend.backend()
DOCS = pathlib.Path(__file__).parents[2] / "docs"


def source_of(page, definition):
    """What a doctest of the page defines so."""
    examples = doctest.DocTestParser().get_examples((DOCS / page).read_text())
    [source] = [e.source for e in examples if f"{definition}(" in e.source]
    return source


def block(page, holding):
    """The code block of the page that is no doctest and holds such a word."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)
    [source] = [b for b in blocks if ">>>" not in b and holding in b]
    return source


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.only_on("tensorflow", reason="tf.data, its package")
def test_tf_data_pads_labels_with_what_it_is_told():
    names = {}
    exec(block("input.md", "padded_batch"), names)
    model = keras.Sequential(
        [
            keras.Input((None, 1)),
            keras.layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    model.compile(loss="mse", metrics=[NDCG()])

    def measured(batches):
        return model.evaluate(batches, verbose=0, return_dict=True)["ndcg"]

    lists = [(y, np.ravel(x)) for x, y in names["lists"]()]
    expected = oracle.result("ndcg", lists)
    assert measured(names["batches"]) == approx(expected, abs=1e-6)
    by_default = measured(names["dataset"].padded_batch(2))
    assert by_default < expected - 0.1


@pytest.mark.only_on("tensorflow", reason="tf.data, its package")
def test_tf_data_pads_ids_of_their_dtype():
    import tensorflow as tf

    rows = tf.TensorSpec([None], tf.int64)
    relevant = tf.data.Dataset.from_generator(
        lambda: [[5], [1, 2]], output_signature=rows
    )
    recall, recommended = RecallAtK(k=2, inputs="ids"), [[5, 7], [1, 2]]
    [padded] = relevant.padded_batch(2, padding_values=np.int64(-1))
    assert recall.per_list(padded, recommended).numpy().tolist() == [1, 1]
    [padded] = relevant.padded_batch(2)
    assert recall.per_list(padded, recommended).numpy().tolist() == [0.5, 1]
    with pytest.raises(TypeError, match="padding_values"):
        relevant.padded_batch(2, padding_values=-1)


def test_pad_sequences_pads_ids_with_what_it_is_told():
    recall, recommended = RecallAtK(k=2, inputs="ids"), [[5, 7], [1, 2]]
    padded = keras.utils.pad_sequences([[5], [1, 2]], value=-1)
    values = recall.per_list(padded, recommended)
    assert keras.ops.convert_to_numpy(values).tolist() == [1, 1]


@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize(
    "metric", [NDCG, MeanAveragePrecision, PrecisionAtK, RecallAtK]
)
def test_three_forms_of_the_same_lists_with_exclusion(metric, k):
    rng = np.random.default_rng(3)
    users, items, seen = 50, 9, 2
    order = rng.permuted(np.tile(np.arange(items), (users, 1)), axis=1)
    scores = -np.argsort(order, axis=1).astype("float32")
    labels = rng.integers(0, 2, (users, items))
    labels[:, 0] = 1
    exclude = rng.permuted(np.tile(np.arange(items), (users, 1)), axis=1)
    exclude = exclude[:, :seen]
    target = np.where(labels == 1, np.arange(items), -1)
    enough = items if k is None else k + seen

    def values(inputs, key, y_true, y_pred):
        y_true = {key: y_true, "exclude": exclude}
        values = metric(k=k, inputs=inputs).per_list(y_true, y_pred)
        return keras.ops.convert_to_numpy(values)

    expected = values("scores", "labels", labels, scores)
    assert values("sparse", "target", target, scores) == approx(expected)
    by_ids = values("ids", "target", target, order[:, :enough])
    assert by_ids == approx(expected)
    too_few = values("ids", "target", target, order[:, : enough - seen])
    assert too_few != approx(expected)


@pytest.mark.long
def test_metrics_leave_out_what_the_input_says_by_id():
    """As the guide does where the input is 1 for the items that were seen."""
    items = 5

    class Recommender(keras.Model):
        def compute_metrics(self, x, y, y_pred, sample_weight=None):
            seen = keras.ops.max(keras.ops.one_hot(x, items), axis=1) > 0
            y_pred = keras.ops.where(seen, -float("inf"), y_pred)
            return super().compute_metrics(x, y, y_pred, sample_weight)

    inputs = keras.Input((2,), dtype="int32")
    x = keras.layers.Flatten()(keras.layers.Embedding(6, 3)(inputs + 1))
    model = Recommender(inputs, keras.layers.Dense(items)(x))
    model.compile(
        keras.optimizers.SGD(0.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[NDCG(k=2, inputs="sparse")],
        weighted_metrics=[RecallAtK(k=2, inputs="sparse")],
    )
    seen = np.array([[0, -1], [1, 2], [4, 3], [-1, -1], [2, 0]])
    target, weights = np.array([1, 3, 0, 2, 4]), np.array([1.0, 2, 3, 4, 5])
    scores = model.predict(seen, verbose=0)
    y_true = {"target": target, "exclude": seen}
    ndcg = NDCG(k=2, inputs="sparse")(y_true, scores)
    recall = RecallAtK(k=2, inputs="sparse")(y_true, scores, weights)
    expected = approx([float(ndcg), float(recall)], abs=1e-6)
    options = {"batch_size": 2, "verbose": 0, "sample_weight": weights}
    history = model.fit(seen, target, **options).history
    assert [history[n][0] for n in ("ndcg@2", "recall@2")] == expected
    values = model.evaluate(seen, target, return_dict=True, **options)
    assert [values[n] for n in ("ndcg@2", "recall@2")] == expected


@pytest.mark.only_on("jax", reason="what jax compiles")
@pytest.mark.parametrize("lists, shapes", [(6, [3]), (5, [3, 2])])
def test_a_short_last_batch_is_compiled_for_itself(lists, shapes):
    traced = []

    class Traced(RankingMetric):
        @staticmethod
        def measure(ranking, k):
            relevant = ranking.overall()
            traced.extend(relevant.shape)
            return relevant

    scores, labels = np.zeros((lists, 4, 1)), np.ones((lists, 4, 1))
    model = keras.Sequential([keras.Input((4, 1)), keras.layers.Dense(1)])
    model.compile(loss="mse", metrics=[Traced()])
    model.fit(scores, labels, batch_size=3, verbose=0)
    traced.clear()
    model.evaluate(scores, labels, batch_size=3, verbose=0)
    model.evaluate(scores, labels, batch_size=3, verbose=0)
    assert traced == shapes


ON_TWO_DEVICES = """
import json, sys

import jax
import keras
import numpy as np

from keras_rankmetrics import NDCG

assert len(jax.devices()) == 2
keras.distribution.set_distribution(keras.distribution.DataParallel())
rng = np.random.default_rng(0)
features = rng.normal(size=(7, 5, 1)).astype("float32")
labels = rng.integers(0, 3, (7, 5, 1)).astype("float32")
lists = filled(features, 4, 0), filled(labels, 4, -1)


def run(method, *data):
    dense = keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)
    model = keras.Sequential([keras.Input((5, 1)), dense])
    model.compile(keras.optimizers.SGD(0.0), loss="mse", metrics=[NDCG(k=3)])
    try:
        result = getattr(model, method)(*data, batch_size=4, verbose=0)
    except Exception as error:
        return type(error).__name__
    return result.history["ndcg@3"] if method == "fit" else result[1:]


print(json.dumps({
    "by hand": [float(NDCG(k=3)(labels, features))],
    "short": [
        run("fit", features, labels),
        run("evaluate", features, labels),
        run("predict", features),
    ],
    "dropped": run("evaluate", features[:4], labels[:4]),
    "filled": [run("fit", *lists), run("evaluate", *lists)],
}))
"""


@pytest.mark.only_on("jax", reason="DataParallel of jax")
def test_empty_lists_fill_the_last_batch_of_several_devices():
    flag = "--xla_force_host_platform_device_count=2"
    filled = source_of("last_batch.md", "def filled")
    program = f"import numpy as np\n{filled}{ON_TWO_DEVICES}"
    found = printed("-c", program, XLA_FLAGS=flag, JAX_PLATFORMS="cpu")
    values = json.loads(found.splitlines()[-1])
    expected = approx(values["by hand"], abs=1e-6)
    assert values["short"] == ["IndivisibleError"] * 3
    assert values["filled"] == [expected, expected]
    assert values["dropped"] != expected


@pytest.mark.long
def test_two_metrics_of_one_name():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(6, 5, 1)).astype("float32")
    labels = rng.integers(0, 4, (6, 5, 1)).astype("float32")
    metrics = [PrecisionAtK(3), PrecisionAtK(3, relevance_threshold=3)]
    model = keras.Sequential([keras.Input((5, 1)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.0), loss="mse", metrics=metrics)
    options = {"verbose": 0, "validation_data": (features, labels)}
    logs = model.fit(features, labels, **options).history
    names = ["precision@3", "precision@3_1"]
    assert [logs[f"val_{name}"][0] for name in names] == [
        float(metric.result()) for metric in metrics
    ]
    assert logs["precision@3"] != logs["precision@3_1"]
    stop = keras.callbacks.EarlyStopping("val_precision@3_1")
    with pytest.raises(ValueError, match="mode"):
        model.fit(features, labels, callbacks=[stop], **options)


def test_keras_tuner_takes_more_for_better(tmp_path, monkeypatch):
    keras_tuner = pytest.importorskip("keras_tuner")
    if BACKEND == "tensorflow":  # there it asks for this too
        pytest.importorskip("tensorboard")
    rng = np.random.default_rng(0)
    features = rng.normal(size=(6, 5, 1)).astype("float32")
    labels = rng.integers(0, 3, (6, 5, 1)).astype("float32")

    def build_model(hp):
        sign = hp.Choice("sign", [-1.0, 0.0, 1.0])
        kernel = keras.initializers.Constant(sign)
        dense = keras.layers.Dense(1, kernel_initializer=kernel)
        model = keras.Sequential([keras.Input((5, 1)), dense])
        model.compile(
            keras.optimizers.SGD(0.0), loss="mse", metrics=[NDCG(k=5)]
        )
        return model

    monkeypatch.chdir(tmp_path)  # where it writes what it has found
    names = {"build_model": build_model}
    exec(block("in_keras.md", "keras_tuner"), names)
    tuner, data = names["tuner"], (features, labels)
    tuner.search(*data, validation_data=data, epochs=1, verbose=0)
    scores = [trial.score for trial in tuner.oracle.trials.values()]
    [best] = tuner.oracle.get_best_trials()
    assert len(scores) == 3 and best.score == max(scores) > min(scores)
    with pytest.raises(ValueError, match="direction"):
        keras_tuner.RandomSearch(build_model, objective="val_ndcg@5").search(
            *data, validation_data=data, epochs=1, verbose=0
        )


def test_names_of_rows():
    pytest.importorskip("pandas", reason="pandas is not installed")
    names = {"krm": keras_rankmetrics}
    exec(block("input.md", "reindex"), names)
    assert float(names["value"]) == 1.0
    with pytest.raises(ValueError, match="should have the same index"):
        NDCG()(names["grades"], names["scores"])

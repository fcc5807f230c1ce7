"""`EvaluateByQuery`: whole lists out of batches that cut them apart."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import keras
import numpy as np
import pytest
from pytest import approx
from scripts import printed
from svmlight import read_queries

import keras_rankmetrics as krm
from keras_rankmetrics.callbacks import EvaluateByQuery

BACKEND = keras.config.backend()
LAMBDARANK = Path(__file__).resolve().parents[3] / "shared/data/lambdarank"


def model_of(features, seed=0, rate=0.0, **dense):
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [keras.Input((features,)), keras.layers.Dense(1, **dense)]
    )
    model.compile(keras.optimizers.Adam(rate), loss="mse")
    return model


def metrics():
    return [*krm.NDCG.at(3, 10), krm.MeanAveragePrecision(k=10)]


def of_lists(query, labels, scores, metrics):
    """The numbers of lists that are made by hand."""
    query, scores = np.ravel(query), np.ravel(scores)
    for metric in metrics:
        metric.update_state(
            [labels[query == q].tolist() for q in np.unique(query)],
            [scores[query == q].tolist() for q in np.unique(query)],
        )
    return {metric.name: float(metric.result()) for metric in metrics}


@pytest.fixture(scope="module")
def rows():
    """Rows of queries of 1 to 5 items in any order."""
    rng = np.random.default_rng(5)
    query = rng.permutation(np.repeat(np.arange(12), rng.integers(1, 6, 12)))
    features = rng.normal(size=(len(query), 2)).astype("float32")
    return query, features, rng.integers(0, 4, len(query))


@pytest.fixture(scope="module")
def lambdarank():
    """Features, labels and queries of the rows of a real file."""
    if not LAMBDARANK.is_dir():
        pytest.skip("needs the LambdaRank sample beside the repository")
    queries = read_queries(LAMBDARANK / "rank.test")
    rows = [row for query in queries for row in query]
    features = np.zeros((len(rows), 301), "float32")
    for place, row in enumerate(rows):
        features[place, list(row.features)] = list(row.features.values())
    labels = np.array([row.label for row in rows], "float32")
    sizes = [len(query) for query in queries]
    return features, labels, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.parametrize("batch_size", [7, 64])
def test_real_queries_that_every_batch_cuts(lambdarank, batch_size):
    features, labels, query = lambdarank
    cuts = np.arange(batch_size, len(query), batch_size)
    assert (query[cuts] == query[cuts - 1]).mean() > 0.8
    order = np.random.default_rng(0).permutation(len(query))
    model = model_of(301, activation="sigmoid")
    expected = of_lists(
        query, labels, model.predict(features, verbose=0), metrics()
    )
    for rearranged in (slice(None), order):
        x, y, q = (part[rearranged] for part in (features, labels, query))
        by_query = EvaluateByQuery(
            metrics(), x, y, query=q, batch_size=batch_size
        )
        history = model.fit(x, y, callbacks=[by_query], verbose=0).history
        found = {name: history[f"val_{name}"] for name in expected}
        assert found == {n: [approx(v, abs=1e-6)] for n, v in expected.items()}


@pytest.mark.each_backend
@pytest.mark.long
def test_early_stopping_stops_on_real_queries(lambdarank):
    features, labels, query = lambdarank
    model = model_of(301, rate=0.05)
    by_query = EvaluateByQuery(krm.NDCG(10), features, labels, query=query)
    stop = keras.callbacks.EarlyStopping(
        "val_ndcg@10", mode="max", patience=1, restore_best_weights=True
    )
    history = model.fit(
        features,
        labels,
        batch_size=128,
        epochs=30,
        callbacks=[by_query, stop],
        verbose=0,
    )
    values = history.history["val_ndcg@10"]
    assert 2 <= len(values) < 30 and values[-1] <= max(values[:-1])
    found = by_query.evaluate(model)["ndcg@10"]
    assert found == approx(max(values), abs=1e-6)  # the best weights


def fitted(rows, by_query, *callbacks, epochs=2, model=None, **options):
    _, features, labels = rows
    model = model or model_of(2)
    return model.fit(
        features,
        labels,
        epochs=epochs,
        callbacks=[by_query, *callbacks],
        verbose=0,
        **options,
    ).history


def expected_of(rows, model=None):
    query, features, labels = rows
    scores = (model or model_of(2)).predict(features, verbose=0)
    return of_lists(query, labels, scores, metrics())


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.parametrize("batch_size", [1, 7, 1024])
@pytest.mark.parametrize("ids", ["integers", "strings", "a column", "a list"])
def test_batches_and_ids(rows, ids, batch_size):
    query, features, labels = rows
    if ids == "strings":
        query = np.array([f"query {q}" for q in query])
    given = {"a column": query[:, None], "a list": query.tolist()}
    by_query = EvaluateByQuery(
        metrics(),
        features,
        labels[:, None] if ids == "a column" else labels,
        query=given.get(ids, query),
        batch_size=batch_size,
    )
    expected = expected_of(rows)
    history = fitted(rows, by_query)
    for name, value in expected.items():
        assert history[f"val_{name}"] == approx([value] * 2, abs=1e-6)


class Rows(keras.utils.PyDataset):
    """Batches of 7 rows, in another order in each epoch."""

    def __init__(self, x, *others):
        super().__init__()
        self.parts, self.epochs = (x, *others), 0
        self.order = np.arange(len(others[0]))

    def __len__(self):
        return -(-len(self.order) // 7)

    def __getitem__(self, number):
        part = self.order[7 * number : 7 * number + 7]
        return keras.tree.map_structure(lambda x: x[part], self.parts)

    def on_epoch_end(self):
        self.epochs += 1
        np.random.default_rng(self.epochs).shuffle(self.order)


def in_order(x, *others):
    """Return the same batches, in one order."""
    batches = Rows(x, *others)
    return [batches[number] for number in range(len(batches))]


def datasets(x, *others):
    yield Rows(x, *others)
    yield in_order(x, *others)
    if BACKEND in ("tensorflow", "jax") and find_spec("tensorflow"):
        import tensorflow as tf

        flat = tf.data.Dataset.from_tensor_slices((x, *others))
        yield flat.shuffle(100).batch(7)
    if BACKEND in ("torch", "tensorflow") and find_spec("torch"):
        from torch.utils import data

        items = [
            keras.tree.map_structure(lambda part, n=n: part[n], (x, *others))
            for n in range(len(others[0]))
        ]
        yield data.DataLoader(items, batch_size=7, shuffle=True)


@pytest.mark.each_backend
@pytest.mark.long
def test_datasets_whose_x_tells_the_query(rows):
    query, features, labels = rows
    expected = expected_of(rows)
    x = np.concatenate([features, query[:, None]], 1).astype("float32")
    inputs = keras.Input((3,))
    model = keras.Model(inputs, model_of(2)(inputs[:, :2]))
    model.compile(loss="mse")
    for dataset in datasets(x, labels.astype("float32")):
        by_query = EvaluateByQuery(metrics(), dataset, query=lambda x: x[:, 2])
        for _ in range(2):
            found = by_query.evaluate(model)
            assert found == approx(expected, abs=1e-6), type(dataset)


@pytest.mark.each_backend
@pytest.mark.long
def test_a_dict_that_has_the_query(rows):
    query, features, labels = rows
    expected = expected_of(rows)
    inputs = {"features": keras.Input((2,), name="features")}
    model = keras.Model(inputs, model_of(2)(inputs["features"]))
    texts = np.array([f"q{q}" for q in query])
    for ids in (query, texts):
        x = {"features": features, "query": ids}
        by_query = EvaluateByQuery(metrics(), x, labels, query="query")
        assert by_query.evaluate(model) == approx(expected, abs=1e-6)
        by_query = EvaluateByQuery(metrics(), Rows(x, labels), query="query")
        assert by_query.evaluate(model) == approx(expected, abs=1e-6)
    for dataset in datasets({"features": features, "query": query}, labels):
        by_query = EvaluateByQuery(metrics(), dataset, query="query")
        found = by_query.evaluate(model)
        assert found == approx(expected, abs=1e-6), type(dataset)


@pytest.mark.filterwarnings("ignore:The scores of .y_pred. should order")
def test_an_id_that_is_an_input_too(rows):
    query, _, labels = rows
    inputs = {"user": keras.Input((1,), name="user")}
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs["user"]))
    x = {"user": query[:, None].astype("float32")}
    by_query = EvaluateByQuery(metrics(), x, labels, query="user")
    scores = model.predict(x, verbose=0)
    expected = of_lists(query, labels, scores, metrics())
    assert by_query.evaluate(model) == approx(expected, abs=1e-6)


@pytest.mark.each_backend
@pytest.mark.long
def test_weights_count_where_they_are_given(rows):
    query, features, labels = rows
    model, weights = model_of(2), (np.arange(len(query)) % 3).astype("float32")
    expected = krm.evaluate_rows(
        query,
        labels,
        model.predict(features, verbose=0),
        metrics(),
        sample_weight=weights,
    )
    assert expected != approx(expected_of(rows), abs=1e-3)
    batches = in_order(features, labels, weights)
    for data, options in (
        ((features, labels), {"sample_weight": weights}),
        ((batches,), {}),
    ):
        by_query = EvaluateByQuery(metrics(), *data, query=query, **options)
        assert by_query.evaluate(model) == approx(expected, abs=1e-6)


@pytest.mark.each_backend
@pytest.mark.long
def test_models_of_several_outputs(rows):
    query, features, labels = rows
    inputs = keras.Input((2,))
    scores = model_of(2)(inputs)
    outputs = {"click": scores, "grades": keras.layers.Dense(3)(inputs)}
    model = keras.Model(inputs, outputs)
    y = {"click": labels, "other": -labels}
    with pytest.raises(ValueError, match=r"'click', 'grades'.*score_fn"):
        EvaluateByQuery(metrics(), features, labels, query=query).evaluate(
            model
        )
    pick = {"score_fn": lambda outputs: outputs["click"]}
    with pytest.raises(ValueError, match=r"'click', 'other'.*label_fn"):
        EvaluateByQuery(metrics(), features, y, query=query, **pick).evaluate(
            model
        )
    by_query = EvaluateByQuery(
        metrics(),
        features,
        y,
        query=query,
        label_fn=lambda y: y["click"],
        **pick,
    )
    assert by_query.evaluate(model) == approx(expected_of(rows), abs=1e-6)
    wide = keras.Model(inputs, outputs["grades"])
    with pytest.raises(ValueError, match=r"\(\d+, 3\).*score_fn"):
        EvaluateByQuery(metrics(), features, labels, query=query).evaluate(wide)


@pytest.mark.each_backend
@pytest.mark.long
def test_collections_and_slices(rows):
    query, features, labels = rows
    by_query = EvaluateByQuery(
        [
            krm.MetricCollection(metrics(), errors=True),
            krm.Sliced(krm.RecallAtK(2), ["even", "odd"]),
        ],
        features,
        labels,
        query=query,
        group=np.where(query % 2, "odd", "even"),
        prefix="rows/",
    )
    history = fitted(rows, by_query, epochs=1)
    assert history["rows/ndcg@3"][0] == approx(
        expected_of(rows)["ndcg@3"], abs=1e-6
    )
    assert {"rows/ndcg@3_se", "rows/recall@2", "rows/recall@2/odd"} <= set(
        history
    )


# The other callbacks


@pytest.mark.each_backend
@pytest.mark.long
def test_the_others_read_the_values(rows, tmp_path):
    query, features, labels = rows
    by_query = EvaluateByQuery(krm.NDCG(3), features, labels, query=query)
    others = [
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        keras.callbacks.ModelCheckpoint(
            tmp_path / "{val_ndcg@3:.4f}.keras",
            monitor="val_ndcg@3",
            mode="max",
            save_best_only=True,
        ),
        keras.callbacks.ReduceLROnPlateau("val_ndcg@3", mode="max"),
        keras.callbacks.EarlyStopping("val_ndcg@3", mode="max", patience=2),
    ]
    values = fitted(rows, by_query, *others, epochs=9)["val_ndcg@3"]
    assert len(values) == 3  # nothing is learned: the best is the first
    with (tmp_path / "log.csv").open() as lines:
        logged = [float(row["val_ndcg@3"]) for row in csv.DictReader(lines)]
    assert logged == approx(values)
    assert (tmp_path / f"{values[0]:.4f}.keras").is_file()


@pytest.mark.each_backend
def test_tensorboard_writes_the_values(rows, tmp_path):
    pytest.importorskip("tensorboard", reason="needs tensorboard")
    query, features, labels = rows
    by_query = EvaluateByQuery(krm.NDCG(3), features, labels, query=query)
    fitted(rows, by_query, keras.callbacks.TensorBoard(tmp_path))
    [file] = (tmp_path / "validation").iterdir()
    assert b"ndcg@3" in file.read_bytes()


@pytest.mark.each_backend
@pytest.mark.long
def test_one_before_it_does_not_find_the_value(rows):
    query, features, labels = rows
    by_query = EvaluateByQuery(krm.NDCG(3), features, labels, query=query)
    stop = keras.callbacks.EarlyStopping("val_ndcg@3", mode="max", patience=1)
    with pytest.warns(UserWarning, match="not available"):
        history = fitted(rows, stop, by_query, epochs=4)
    assert len(history["val_ndcg@3"]) == 4  # which Keras's own History has


@pytest.mark.each_backend
def test_keras_does_not_know_the_direction(rows):
    query, features, labels = rows
    by_query = EvaluateByQuery(krm.NDCG(3), features, labels, query=query)
    stop = keras.callbacks.EarlyStopping("val_ndcg@3")
    with pytest.raises(ValueError, match="Pass `mode='max'`"):
        fitted(rows, by_query, stop)


@pytest.mark.each_backend
@pytest.mark.long
def test_a_value_of_that_name_is_not_overwritten(rows):
    query, features, labels = rows
    by_query = EvaluateByQuery(krm.NDCG(3), features, labels, query=query)
    twice = EvaluateByQuery(krm.NDCG(3), features, labels, query=query)
    with pytest.raises(ValueError, match=r"val_ndcg@3.*prefix"):
        fitted(rows, by_query, twice)


@pytest.mark.each_backend
@pytest.mark.parametrize(
    "own, of_fit, shown",
    [
        pytest.param(None, 0, False, marks=pytest.mark.long),
        (None, 1, True),
        pytest.param(None, 2, False, marks=pytest.mark.long),
        pytest.param(1, 0, True, marks=pytest.mark.long),
    ],
)
def test_the_progress_bar(rows, capsys, own, of_fit, shown):
    query, features, labels = rows
    for x, y in ((features, labels), (in_order(features, labels), None)):
        by_query = EvaluateByQuery(
            krm.NDCG(3),
            x,
            y,
            query=query,
            batch_size=7,
            verbose=own,
        )
        model_of(2).fit(
            features, labels, 64, callbacks=[by_query], verbose=of_fit
        )
        number = -(-len(query) // 7)
        printed = capsys.readouterr().out
        assert (f"{number}/{number}" in printed) == shown
        assert ("/batch" in printed) == shown
        assert ("val_ndcg@3: " in printed) == (of_fit > 0)


# What is refused


@pytest.mark.parametrize(
    "given, kind, message",
    [
        ({"y": None}, ValueError, "`y` should be the labels"),
        ({"y": [1, 0]}, ValueError, "same number of rows"),
        ({"query": None}, ValueError, "id for each row, or be a key"),
        (
            {"query": [1, 2]},
            ValueError,
            "Received: 2 in `query`, 4 in `y_true`",
        ),
        ({"query": "qid"}, ValueError, "`x` a ndarray"),
        (
            {"x": {"a": np.zeros((4, 1))}, "query": "qid"},
            ValueError,
            r"the keys \['a'\]",
        ),
        ({"query": lambda x: x}, ValueError, r"`query`.*\(4, 2\)"),
        *(
            ({"query": query}, ValueError, "and 2 of 4 missing, the first")
            for query in (
                [1, None, None, 2],
                lambda x: [1.0, np.nan, np.nan, 2.0],
                lambda x: ["a", np.nan, np.nan, "b"],
            )
        ),
        ({"metrics": [keras.metrics.Mean()]}, TypeError, "ranking metric"),
        ({"metrics": "NDGC@3"}, ValueError, "no metric `NDGC`"),
        ({"x": iter([]), "y": None}, TypeError, "read again for each epoch"),
        ({"x": [(1, 2, 3, 4)], "y": None}, ValueError, "4 part"),
        ({"sample_weight": [1.0, 2]}, ValueError, "same number of rows"),
        ({"batch_size": 0}, ValueError, "at least 1"),
        ({"batch_size": -1}, ValueError, "at least 1"),
        ({"x": {}}, ValueError, "`x` should hold an array"),
        (
            {"x": [], "y": None, "query": len},
            ValueError,
            "`y` should be the labels",
        ),
        (
            {"x": range(0), "y": None, "query": len},
            ValueError,
            "should have at least one",
        ),
    ],
)
def test_what_is_refused(given, kind, message):
    arguments = {
        "metrics": [krm.NDCG(3)],
        "x": np.zeros((4, 2), "float32"),
        "y": np.array([0, 1, 0, 1]),
        "query": [0, 0, 1, 1],
        **given,
    }
    with pytest.raises(kind, match=message):
        EvaluateByQuery(**arguments).evaluate(model_of(2))


def test_names_of_metrics(rows):
    query, features, labels = rows
    by_query = EvaluateByQuery("NDCG@3 RR", features, labels, query=query)
    found, model = by_query.evaluate(model_of(2)), model_of(2)
    metrics = [krm.NDCG(3), krm.MeanReciprocalRank()]
    expected = EvaluateByQuery(metrics, features, labels, query=query)
    assert list(found) == ["NDCG@3", "RR"]
    values = expected.evaluate(model).values()
    assert list(found.values()) == approx(list(values))


@pytest.mark.each_backend
def test_an_array_of_queries_needs_rows_in_order(rows):
    query, features, labels = rows
    by_query = EvaluateByQuery(metrics(), Rows(features, labels), query=query)
    with pytest.raises(ValueError, match=r"read again\. Do not shuffle them"):
        by_query.evaluate(model_of(2))
    dataset = [(features[at : at + 7], labels[at : at + 7]) for at in (0, 7)]
    dataset.append((features[14:], labels[14:]))
    by_query = EvaluateByQuery(metrics(), dataset, query=query)
    assert by_query.evaluate(model_of(2)) == approx(expected_of(rows), abs=1e-6)
    dataset[:2] = dataset[1::-1]
    with pytest.raises(ValueError, match=r"another order.*shuffle"):
        by_query.evaluate(model_of(2))


@pytest.mark.parametrize("shuffles", [False, True])
def test_a_dataset_of_tensorflow_that_shuffles(rows, shuffles):
    tf = pytest.importorskip("tensorflow")
    query, features, labels = rows
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    dataset = (dataset.shuffle(1000) if shuffles else dataset).batch(32)
    by_query = EvaluateByQuery(metrics(), dataset, query=query)
    if shuffles:
        with pytest.raises(ValueError, match="when it is read again"):
            by_query.evaluate(model_of(2))
        return
    assert by_query.evaluate(model_of(2)) == approx(expected_of(rows), abs=1e-6)


def test_a_loader_that_shuffles(rows):
    data = pytest.importorskip("torch.utils.data", reason="needs torch")
    query, features, labels = rows
    items = list(zip(features, labels, strict=True))
    loader = data.DataLoader(items, batch_size=7, shuffle=True)
    with pytest.raises(ValueError, match="dataset that shuffles"):
        EvaluateByQuery(metrics(), loader, query=query)
    with pytest.raises(ValueError, match="dataset that shuffles"):
        EvaluateByQuery(metrics(), loader, query=len, group=query)
    EvaluateByQuery(metrics(), data.DataLoader(items, 7), query=query)


class Subclassed(keras.Model):
    def __init__(self, dense):
        super().__init__()
        self.dense = dense

    def call(self, x):
        return self.dense(x["feat"])


@pytest.mark.each_backend
@pytest.mark.filterwarnings("ignore:The structure of `inputs`")
@pytest.mark.parametrize(
    "kind, as_text", [("functional", True), ("subclassed", False)]
)
def test_a_key_that_the_model_does_not_take(rows, kind, as_text):
    query, features, labels = rows
    dense = model_of(2)
    inputs = keras.Input((2,), name="feat")
    functional = keras.Model(inputs, dense(inputs))
    model = Subclassed(dense) if kind == "subclassed" else functional
    model.compile(loss="mse")
    ids = np.array([f"q{q}" for q in query]) if as_text else query
    x = {"feat": features, "user": ids}
    by_query = EvaluateByQuery(metrics(), x, labels, query="user")
    assert by_query.evaluate(model) == approx(expected_of(rows), abs=1e-6)


@pytest.mark.each_backend
@pytest.mark.long
def test_it_is_fitted_twice(rows):
    query, features, labels = rows
    once = EvaluateByQuery(metrics(), features, labels, query=query)
    first = fitted(rows, once, model=model_of(2, rate=0.1))
    second = fitted(rows, once, model=model_of(2, seed=3, rate=0.1))
    fresh = EvaluateByQuery(metrics(), features, labels, query=query)
    assert second == fitted(rows, fresh, model=model_of(2, seed=3, rate=0.1))
    assert first != second


def test_rows_of_pandas_have_one_index():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    y = pd.Series([0, 1, 0, 1])
    other = pd.Series([5, 5, 6, 6], index=[3, 2, 1, 0])
    with pytest.raises(ValueError, match="the same index"):
        EvaluateByQuery(krm.NDCG(3), np.zeros((4, 2)), y, query=other)


@pytest.mark.only_on("tensorflow", reason="tf.data, its package")
def test_a_dataset_without_an_end():
    import tensorflow as tf

    x, y = np.zeros((4, 2), "float32"), np.zeros(4)
    endless = tf.data.Dataset.from_tensor_slices((x, y)).batch(2).repeat()
    with pytest.raises(ValueError, match="should have an end"):
        EvaluateByQuery(krm.NDCG(3), endless, query=[0, 0, 1, 1])


ON_TWO_REPLICAS = """
import keras
import numpy as np
import tensorflow as tf

import keras_rankmetrics as krm

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2
)
rng = np.random.default_rng(0)
query, y = rng.integers(0, 9, 50), rng.integers(0, 3, 50)
x = rng.normal(size=(50, 2)).astype("float32")
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", loss="mse")
by_query = krm.callbacks.EvaluateByQuery(
    krm.NDCG(3), x, y, query=query, batch_size=16
)
found = by_query.evaluate(model)
scores = model.predict(x, verbose=0)
print(found == krm.evaluate_rows(query, y, scores, krm.NDCG(3)))
"""


@pytest.mark.long
@pytest.mark.only_on("tensorflow", reason="replicas of TensorFlow")
def test_replicas_score_each_row_once():
    assert printed("-c", ON_TWO_REPLICAS).splitlines()[-1] == "True"

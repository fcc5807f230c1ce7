"""`EvaluateCatalogue`: two towers over the whole catalogue, in `fit`."""

import copy

import keras
import numpy as np
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.callbacks import EvaluateCatalogue

BACKEND = keras.config.backend()
USERS, ITEMS, WIDTH = 23, 157, 6


class TwoTower(keras.Model):
    """Two embeddings, and their inner product."""

    def __init__(self):
        super().__init__()
        self.users = keras.layers.Embedding(USERS, WIDTH)
        self.items = keras.layers.Embedding(ITEMS, WIDTH)

    def call(self, x):
        vectors = self.users(x["user"]), self.items(x["item"])
        return ops.sum(vectors[0] * vectors[1], axis=-1)


def model_of(rate=0.1, seed=0):
    keras.utils.set_random_seed(seed)
    model = TwoTower()
    model(training_rows()[0])
    rng = np.random.default_rng(seed)
    model.set_weights(
        [rng.normal(size=np.shape(w)) for w in model.get_weights()]
    )
    model.compile(keras.optimizers.Adam(rate), loss="mse")
    return model


def training_rows():
    rng = np.random.default_rng(1)
    x = {
        "user": rng.integers(0, USERS, 200),
        "item": rng.integers(0, ITEMS, 200),
    }
    return x, rng.normal(size=200).astype("float32")


def targets():
    """Lists of one to three items, and some of them are excluded."""
    rng = np.random.default_rng(2)
    chosen = [rng.permutation(ITEMS) for _ in range(USERS)]
    found = [row[: 1 + n % 3].tolist() for n, row in enumerate(chosen)]
    seen = [row[2 : 3 + n % 7].tolist() for n, row in enumerate(chosen)]
    return found, seen


def padded(rows, width=9):
    return np.array([[*row, *[-1] * (width - len(row))] for row in rows])


def metrics():
    return [
        krm.NDCG(k=10, inputs="counts"),
        krm.RecallAtK(k=20, inputs="counts"),
        krm.MeanReciprocalRank(inputs="counts"),
    ]


def callback(**options):
    found, seen = targets()
    arguments = {
        "metrics": metrics(),
        "queries": np.arange(USERS),
        "items": np.arange(ITEMS),
        "targets": found,
        "exclude": seen,
        "query_tower": "users",
        "item_tower": "items",
        **options,
    }
    return EvaluateCatalogue(**arguments)


def test_targets_of_which_none_is_found():
    with pytest.warns(UserWarning, match="`targets` should have relevant"):
        callback(targets=[[]] * USERS)


def by_hand(users, items, weights=None, prefix=""):
    """The metrics from the ranks among all scores, target by target."""
    ndcg, recall, mrr = [], [], []
    scores = users.astype("float64") @ items.astype("float64").T
    for row, of_user, seen in zip(scores, *targets(), strict=True):
        ranked = np.setdiff1d(np.arange(ITEMS), seen)
        ranks = np.array(
            [
                1 + np.sum(row[ranked] > row[target])
                for target in of_user
                if target not in seen
            ]
        )
        ideal = sum(1 / np.log2(1 + np.arange(1, 1 + len(of_user))))
        ndcg.append(sum(1 / np.log2(1 + ranks[ranks <= 10])) / ideal)
        recall.append(np.sum(ranks <= 20) / len(of_user))
        mrr.append(1 / ranks.min())
    names = "ndcg@10", "recall@20", "mrr"
    values = (np.average(x, weights=weights) for x in (ndcg, recall, mrr))
    return {
        f"{prefix}{name}": value
        for name, value in zip(names, values, strict=True)
    }


def expected_of(model, **options):
    users, items = map(ops.convert_to_numpy, model.get_weights())
    return by_hand(users, items, **options)


def tower_of(rows):
    """A tower whose vectors differ in training."""
    inputs = keras.Input((), dtype="int32")
    hidden = keras.layers.Embedding(rows, WIDTH)(inputs)
    hidden = keras.layers.BatchNormalization()(hidden)
    hidden = keras.layers.Dropout(0.5)(hidden)
    return keras.Model(inputs, keras.layers.Dense(WIDTH)(hidden))


class Record(keras.callbacks.Callback):
    """Keeps the weights after each epoch."""

    def __init__(self):
        super().__init__()
        self.weights = []

    def on_epoch_end(self, epoch, logs=None):
        self.weights.append(self.model.get_weights())


# In fit


@pytest.mark.long
@pytest.mark.parametrize("validates", [False, True])
def test_each_epoch_logs_the_ranks_among_all_items(validates):
    model, record = model_of(), Record()
    x, y = training_rows()
    history = model.fit(
        x,
        y,
        epochs=3,
        validation_data=(x, y) if validates else None,
        callbacks=[callback(batch_size=12 if validates else 1024), record],
        verbose=0,
    ).history
    assert ("val_loss" in history) == validates
    for epoch, weights in enumerate(record.weights):
        expected = by_hand(*weights, prefix="val_")
        found = {name: history[name][epoch] for name in expected}
        assert found == approx(expected, abs=1e-6)
    assert len(set(history["val_mrr"])) == 3  # it learns


@pytest.mark.long
def test_other_callbacks_read_the_values(tmp_path):
    model, x_y = model_of(rate=0.3), training_rows()
    best = tmp_path / "best.weights.h5"
    options = {"monitor": "val_ndcg@10", "mode": "max"}
    catalogue = callback()
    history = model.fit(
        *x_y,
        epochs=30,
        callbacks=[
            catalogue,
            keras.callbacks.ReduceLROnPlateau(**options, patience=1),
            keras.callbacks.ModelCheckpoint(
                best, **options, save_best_only=True, save_weights_only=True
            ),
            keras.callbacks.EarlyStopping(
                **options, patience=3, restore_best_weights=True
            ),
        ],
        verbose=0,
    ).history
    values = history["val_ndcg@10"]
    assert 4 <= len(values) < 30
    assert values.index(max(values)) == len(values) - 4
    assert history["learning_rate"][-1] < history["learning_rate"][0]
    found = catalogue.evaluate(model)["ndcg@10"]
    assert found == approx(max(values), abs=1e-6)
    model.users.set_weights([np.zeros((USERS, WIDTH))])
    model.load_weights(best)
    assert catalogue.evaluate(model)["ndcg@10"] == approx(found, abs=1e-6)


@pytest.mark.long
def test_towers_are_evaluated_as_in_inference():
    """Batch statistics and dropout; and training goes on as without it."""
    losses = []
    for evaluates in (False, True):
        keras.utils.set_random_seed(0)
        users, items = tower_of(USERS), tower_of(ITEMS)
        inputs = {
            name: keras.Input((), dtype="int32", name=name)
            for name in ("user", "item")
        }
        vectors = users(inputs["user"]), items(inputs["item"])
        model = keras.Model(inputs, ops.sum(vectors[0] * vectors[1], axis=-1))
        model.compile("adam", loss="mse")
        catalogue = callback(query_tower=users, item_tower=items.name)
        history = model.fit(
            *training_rows(),
            epochs=3,
            callbacks=[catalogue] * evaluates,
            verbose=0,
        ).history
        losses.append(history["loss"])
    assert losses[1] == approx(losses[0], rel=1e-5)
    expected = by_hand(
        users.predict(np.arange(USERS), verbose=0),
        items.predict(np.arange(ITEMS), verbose=0),
        prefix="val_",
    )
    assert {n: history[n][-1] for n in expected} == approx(expected, abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("own, shown", [(None, True), (0, False), (1, True)])
def test_the_progress_bars(capsys, own, shown):
    catalogue = callback(batch_size=12, verbose=own)
    model_of().fit(*training_rows(), callbacks=[catalogue], verbose=1)
    printed = capsys.readouterr().out
    assert ("14/14" in printed) == ("2/2" in printed) == shown
    assert "val_ndcg@10: " in printed


@pytest.mark.long
def test_a_value_of_that_name_is_not_overwritten():
    with pytest.raises(ValueError, match=r"val_mrr.*prefix"):
        model_of().fit(
            *training_rows(), callbacks=[callback(), callback()], verbose=0
        )


# Forms of the arguments


@pytest.mark.long
@pytest.mark.parametrize("batch_size", [12, 1024])
def test_batches_and_chunks(batch_size):
    model = model_of()
    for chunk in (None, 50):
        catalogue = callback(batch_size=batch_size, chunk=chunk)
        found = catalogue.evaluate(model)
        assert found == approx(expected_of(model), abs=1e-6)


@pytest.mark.long
def test_padding_is_like_lists_of_different_lengths():
    model = model_of()
    found, seen = map(padded, targets())
    catalogue = callback(targets=found, exclude=seen)
    assert catalogue.evaluate(model) == approx(expected_of(model), abs=1e-6)


@pytest.mark.long
def test_one_target_for_each_query():
    model, first = model_of(), [row[0] for row in targets()[0]]
    column = [[item] for item in first]
    flat = callback(targets=first, exclude=None).evaluate(model)
    assert flat == callback(targets=column, exclude=None).evaluate(model)
    assert 0 < flat["mrr"] < 1


@pytest.mark.long
def test_weights_of_queries():
    model, weights = model_of(), np.arange(USERS) % 3
    found = callback(sample_weight=weights, batch_size=12).evaluate(model)
    expected = expected_of(model, weights=weights)
    assert found == approx(expected, abs=1e-6)
    assert found != approx(expected_of(model), abs=1e-3)


@pytest.mark.long
def test_towers_are_names_layers_models_or_functions():
    model = model_of()
    user = keras.Input((), dtype="int32")
    forms = {
        "attributes": ("users", "items"),
        "layers": (model.users, model.items),
        "layers by name": (model.users.name, model.items.name),
        "models": (keras.Model(user, model.users(user)), model.items),
        "functions": (lambda x: model.users(x), lambda x: model.items(x)),
    }
    for name, (query_tower, item_tower) in forms.items():
        catalogue = callback(query_tower=query_tower, item_tower=item_tower)
        found = catalogue.evaluate(model)
        assert found == approx(expected_of(model), abs=1e-6), name


@pytest.mark.long
def test_names_follow_the_model():
    catalogue = copy.deepcopy(callback())
    for seed in (0, 1):
        model = model_of(seed=seed)
        found = catalogue.evaluate(model)
        assert found == approx(expected_of(model), abs=1e-6)


@pytest.mark.long
def test_inputs_of_several_arrays():
    model = model_of()
    queries = {"id": np.arange(USERS), "sign": np.resize([1, -1], USERS)}
    catalogue = callback(
        queries=queries,
        query_tower=lambda x: (
            model.users(x["id"]) * ops.cast(x["sign"][:, None], "float32")
        ),
        batch_size=12,
    )
    users, items = model.get_weights()
    expected = by_hand(users * queries["sign"][:, None], items)
    assert catalogue.evaluate(model) == approx(expected, abs=1e-6)


def datasets():
    found, seen = map(padded, targets())
    y = {"targets": found, "exclude": seen}
    weights = np.resize([1.0, 2.0], USERS)
    parts = np.arange(USERS), y, weights
    yield [
        keras.tree.map_structure(lambda x, i=i: x[i : i + 12], parts)
        for i in range(0, USERS, 12)
    ]
    if BACKEND == "tensorflow":
        import tensorflow as tf

        yield tf.data.Dataset.from_tensor_slices(parts).shuffle(100).batch(12)
    if BACKEND == "torch":
        import torch

        rows = [
            keras.tree.map_structure(lambda x, i=i: x[i], parts)
            for i in range(USERS)
        ]
        yield torch.utils.data.DataLoader(rows, batch_size=12, shuffle=True)


@pytest.mark.long
def test_datasets_of_queries():
    model = model_of()
    expected = expected_of(model, weights=np.resize([1.0, 2.0], USERS))
    for dataset in datasets():
        catalogue = callback(queries=dataset, targets=None, exclude=None)
        for _ in range(2):
            found = catalogue.evaluate(model)
            assert found == approx(expected, abs=1e-6), type(dataset)


@pytest.mark.long
def test_a_dataset_of_targets_alone():
    model, first = model_of(), np.array([row[0] for row in targets()[0]])
    ids = np.arange(USERS)
    batches = [(ids[:12], first[:12]), (ids[12:], first[12:])]
    found = callback(queries=batches, targets=None, exclude=None)
    expected = callback(targets=first, exclude=None)
    assert found.evaluate(model) == approx(expected.evaluate(model), abs=1e-6)


@pytest.mark.long
def test_a_function_that_scores():
    def negative_distance(queries, rows):
        return -ops.sum((queries[:, None] - rows[None]) ** 2, axis=-1)

    model = model_of()
    users, items = model.get_weights()
    found = callback(score_fn=negative_distance, batch_size=12).evaluate(model)
    # |u - v|^2 in as many dimensions as it takes to be an inner product.
    expected = by_hand(
        np.concatenate([users, np.ones((USERS, 1))], axis=1),
        np.concatenate(
            [items, -np.sum(items**2, axis=1, keepdims=True) / 2], axis=1
        ),
    )
    assert found == approx(expected, abs=1e-6)


@pytest.mark.long
def test_collections_and_errors_of_means():
    model = model_of()
    together = krm.MetricCollection(metrics(), errors=True)
    found = callback(metrics=together, batch_size=12).evaluate(model)
    expected = expected_of(model)
    assert {n: found[n] for n in expected} == approx(expected, abs=1e-6)
    assert found["mrr_se"] > 0


@pytest.mark.long
def test_the_state_is_that_of_the_last_evaluation():
    own, model = metrics(), model_of()
    catalogue = callback(metrics=own)
    catalogue.evaluate(model_of(seed=1))
    found = catalogue.evaluate(model)
    assert {m.name: float(m.result()) for m in own} == approx(found)
    broken = callback(metrics=own, item_tower=lambda x: x[:, None] * np.nan)
    with pytest.raises(ValueError):
        broken.evaluate(model)
    assert {m.name: float(m.result()) for m in own} == approx(found)


def test_names_are_of_metrics_of_counts():
    model = model_of()
    found = callback(metrics=["NDCG@10", "R@20 RR"]).evaluate(model)
    assert list(found) == ["NDCG@10", "R@20", "RR"]
    expected = expected_of(model).values()
    assert list(found.values()) == approx(list(expected), abs=1e-6)


# What is refused


@pytest.mark.parametrize(
    "given, kind, message",
    [
        ({"metrics": krm.NDCG(3)}, ValueError, r'inputs="counts".*ndcg@3'),
        (
            {"metrics": [*metrics(), krm.MeanRank(inputs="ids")]},
            ValueError,
            "'mean_rank': 'ids'",
        ),
        ({"metrics": keras.metrics.Mean()}, TypeError, "ranking metric"),
        ({"metrics": []}, ValueError, "at least one metric"),
        ({"targets": [[ITEMS]] * USERS}, ValueError, f"from 0 to {ITEMS - 1}"),
        ({"targets": [[0.5]] * USERS}, ValueError, "`targets` should hold"),
        ({"targets": None}, ValueError, "`targets`"),
        (
            {"targets": None, "exclude": None},
            ValueError,
            "`targets` should be the labels.*`queries` of the type ndarray",
        ),
        ({"targets": [[1]] * 3}, ValueError, "`queries`, `targets` should"),
        (
            {"targets": [[1]] * 3, "exclude": None},
            ValueError,
            "`queries`, `targets` should have the same",
        ),
        ({"exclude": np.arange(USERS)}, ValueError, "`exclude` should have"),
        ({"exclude": [[ITEMS]] * USERS}, ValueError, "`exclude` should hold"),
        ({"sample_weight": [1.0]}, ValueError, "same number of rows"),
        ({"items": {}}, ValueError, "`items` should hold an array"),
        ({"batch_size": 0}, ValueError, "at least 1"),
        ({"chunk": 0}, ValueError, "`chunk` should be"),
        ({"score_fn": "cosine"}, TypeError, "`score_fn` should be"),
    ],
)
def test_what_is_refused_at_once(given, kind, message):
    with pytest.raises(kind, match=message):
        callback(**given)


@pytest.mark.parametrize("name", ["targets", "exclude"])
def test_numbers_padded_by_0_are_said_once(name):
    rows = padded(
        dict(zip(["targets", "exclude"], targets(), strict=True))[name], 12
    )
    callback(**{name: rows})
    with pytest.warns(UserWarning, match="0 several times at an end") as found:
        by_0 = callback(**{name: np.maximum(rows, 0)})
        by_0.evaluate(model_of())
    assert sum("0 several times" in str(x.message) for x in found) == 1


def test_towers_are_looked_up_before_training():
    model = model_of()
    for tower in ("user_tower", keras.Input((3,))):
        catalogue = callback(query_tower=tower)
        catalogue.set_model(model)
        with pytest.raises(ValueError, match="No such layer"):
            catalogue.on_train_begin()


@pytest.mark.parametrize(
    "tower",
    [
        lambda x: {"a": np.zeros((len(x), 2)), "b": np.zeros((len(x), 2))},
        lambda x: np.zeros((1, WIDTH)),
        lambda x: np.float32(0),
    ],
)
def test_a_vector_for_each_row(tower):
    with pytest.raises(ValueError, match="of 157 vectors for 157 rows"):
        callback(item_tower=tower).evaluate(model_of())


def test_vectors_of_different_lengths():
    wide = callback(item_tower=lambda x: np.zeros((len(x), 9), "float32"))
    with pytest.raises(ValueError, match="of the same length"):
        wide.evaluate(model_of())


@pytest.mark.parametrize("name", ["targets", "exclude", "sample_weight"])
def test_columns_of_pandas_have_one_index(name):
    pd = pytest.importorskip("pandas", reason="needs [interop]")
    found, seen = targets()
    columns = {
        "queries": pd.Series(np.arange(USERS)),
        "targets": pd.Series(found),
        "exclude": pd.Series(seen),
        "sample_weight": pd.Series(np.ones(USERS)),
    }
    towers = {"query_tower": "users", "item_tower": "items"}
    metric = krm.NDCG(3, inputs="counts")
    made = EvaluateCatalogue(
        metric, items=np.arange(ITEMS), **columns, **towers
    )
    assert made.metrics == [metric]
    columns[name] = columns[name][::-1]
    with pytest.raises(ValueError, match=f"`{name}`.* the same index"):
        EvaluateCatalogue(metric, items=np.arange(ITEMS), **columns, **towers)


def test_a_table_of_interactions_is_no_catalogue():
    found, seen = targets()
    options = {"queries": np.arange(USERS), "targets": found, "exclude": seen}
    towers = {"query_tower": "users", "item_tower": "items"}
    metric = krm.NDCG(3, inputs="counts")
    with pytest.warns(UserWarning, match="each item of the catalogue once"):
        items = np.arange(ITEMS) // 2
        EvaluateCatalogue(metric, items=items, **options, **towers)

"""At home in Keras: compile, fit, evaluate, callbacks, masks, precision."""

import functools

import keras
import numpy as np
import pytest
from catalogue import one_of_each
from pytest import approx
from said import said
from suites import by_oracle

from keras_rankmetrics import (
    DCG,
    NDCG,
    UNJUDGED,
    Count,
    MeanReciprocalRank,
    MetricCollection,
    RecallAtK,
    Sliced,
)

BACKEND = keras.backend.backend()

LISTS, ITEMS = 10, 6


@pytest.fixture(scope="module")
def data():
    """Ten lists with ties, masked items, an empty list, and weights."""
    rng = np.random.default_rng(7)
    labels = rng.integers(-1, 4, (LISTS, ITEMS)).astype("float32")
    labels[3] = [0, 0, -1, 0, 0, 0]
    scores = rng.integers(-3, 3, (LISTS, ITEMS)).astype("float32")
    weights = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32")
    return labels, scores, weights


def by_hand(metric, labels, scores, weights=None):
    """What the metric should be, by the oracle."""
    return by_oracle(metric, (labels, scores, weights))


def model_of(*, flat=False, kernel=1.0, dtype=None):
    """A model whose score of an item is its only feature, times `kernel`."""
    inputs = keras.Input((None, 1), dtype="float32")
    scores = keras.layers.Dense(
        1,
        use_bias=False,
        kernel_initializer=keras.initializers.Constant(kernel),
        dtype=dtype,
    )(inputs)
    if flat:
        scores = keras.ops.squeeze(scores, -1)
    return keras.Model(inputs, scores)


def compiled(metrics, *, weighted_metrics=None, model=None, **options):
    model = model or model_of()
    model.compile(
        optimizer=keras.optimizers.SGD(0.0),
        loss="mse",
        metrics=metrics,
        weighted_metrics=weighted_metrics,
        **options,
    )
    return model


def evaluated(model, labels, scores, weights=None, batch_size=4):
    """What `evaluate` returns.

    Labels are `[lists, items, 1]` like what `Dense(1)` returns: only then does
    a loss have a value per item, which weights and masks of items can weigh.
    """
    return model.evaluate(
        scores[..., None],
        labels[..., None],
        sample_weight=weights,
        batch_size=batch_size,
        verbose=0,
        return_dict=True,
    )


# Numbers


@pytest.mark.long
def test_evaluate_is_the_mean_over_all_lists_though_the_last_batch_is_short(
    data,
):
    labels, scores, _ = data
    labels = labels.copy()
    labels[[0, 4, 9], 3] = UNJUDGED
    metrics = one_of_each(k=3)
    found = evaluated(compiled(metrics), labels, scores)
    expected = {m.name: by_hand(m, labels, scores) for m in metrics}
    found.pop("loss")
    assert found == approx(expected, rel=1e-6, abs=1e-7)
    # The mean over the means of the batches would be another number.
    batches = [slice(0, 4), slice(4, 8), slice(8, 10)]
    for metric in metrics:
        means = [by_hand(metric, labels[b], scores[b]) for b in batches]
        assert np.mean(means) != approx(expected[metric.name], rel=1e-3)


@pytest.mark.long
@pytest.mark.parametrize(
    "flat, label_ones", [(True, False), (False, False), (False, True)]
)
def test_a_last_dimension_of_one(data, flat, label_ones):
    labels, scores, _ = data
    metric = NDCG(k=3)
    model = compiled([metric], model=model_of(flat=flat))
    assert len(model.output.shape) == (2 if flat else 3)
    found = model.evaluate(
        scores[..., None],
        labels[..., None] if label_ones else labels,
        batch_size=4,
        verbose=0,
        return_dict=True,
    )
    assert found["ndcg@3"] == approx(by_hand(metric, labels, scores), rel=1e-6)


def test_batches_of_different_list_sizes(data):
    labels, scores, _ = data

    class Batches(keras.utils.PyDataset):
        parts = ((slice(0, 4), 6), (slice(4, 8), 3), (slice(8, 10), 5))

        def __len__(self):
            return len(self.parts)

        def __getitem__(self, index):
            lists, items = self.parts[index]
            return scores[lists, :items, None], labels[lists, :items]

    model = compiled([NDCG(k=4)])
    found = model.evaluate(Batches(), verbose=0, return_dict=True)
    batches = [
        (labels[part, :items], scores[part, :items])
        for part, items in Batches.parts
    ]
    expected = by_oracle(NDCG(k=4), *batches)
    assert found["ndcg@4"] == approx(expected, rel=1e-6)


def ways_to_run():
    if BACKEND != "torch":  # Keras refuses it
        yield {"steps_per_execution": 2}
    yield {"run_eagerly": True}
    if BACKEND != "torch":  # there it is torch.compile: test_compiled.py
        yield {"jit_compile": True}
    if BACKEND == "tensorflow":
        yield {"jit_compile": False}
        yield {"jit_compile": "auto"}


@pytest.mark.long
@pytest.mark.parametrize("options", list(ways_to_run()), ids=str)
def test_however_it_is_run(data, options):
    labels, scores, weights = data
    metric = NDCG(k=3)
    model = compiled([metric], weighted_metrics=[NDCG(k=3)], **options)
    # Eager jax compiles every operation, and again for every shape.
    size = 5 if options.get("run_eagerly") else 4
    found = evaluated(model, labels, scores, weights, size)
    plain = by_hand(metric, labels, scores)
    weighted = by_hand(metric, labels, scores, weights)
    assert plain != approx(weighted, rel=1e-3)
    assert found["ndcg@3"] == approx(plain, rel=1e-6)
    assert found["weighted_ndcg@3"] == approx(weighted, rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("of", ["item", "list", "list, with a last one"])
def test_weights(data, of):
    labels, scores, weights = data
    y_true, of_items = labels[..., None], weights
    if of != "item":
        weights = (1 + np.arange(LISTS, dtype="float32")) % 3
        assert weights[2] == 0
        of_items = np.repeat(weights[:, None], ITEMS, 1)
    if of == "list":
        y_true = labels  # the loss then has a value per list
    elif of == "list, with a last one":
        weights = weights[:, None]
    metrics = [NDCG(k=3), DCG(k=3)]
    found = compiled(None, weighted_metrics=metrics).evaluate(
        scores[..., None],
        y_true,
        sample_weight=weights,
        batch_size=4,
        verbose=0,
        return_dict=True,
    )
    for metric in metrics:
        expected = by_hand(metric, labels, scores, of_items)
        assert expected != approx(by_hand(metric, labels, scores), rel=1e-3)
        assert found[metric.name] == approx(expected, rel=1e-6)


@pytest.mark.long
def test_training_starts_anew_in_every_epoch(data):
    labels, scores, _ = data
    metric = NDCG(k=3)
    model = compiled([metric])
    history = model.fit(
        scores[..., None],
        labels,
        batch_size=4,
        epochs=2,
        shuffle=True,
        validation_data=(scores[:5, :, None], labels[:5]),
        validation_batch_size=2,
        verbose=0,
    ).history
    seen = by_hand(metric, labels, scores)
    validated = by_hand(metric, labels[:5], scores[:5])
    assert seen != approx(validated, rel=1e-3)
    assert history["ndcg@3"] == approx([seen] * 2, rel=1e-6)
    assert history["val_ndcg@3"] == approx([validated] * 2, rel=1e-6)


@pytest.mark.long
def test_two_outputs(data):
    labels, scores, _ = data
    inputs = keras.Input((None, 1))
    identity = {"use_bias": False, "kernel_initializer": "ones"}
    click = keras.layers.Dense(1, **identity, name="click")(inputs)
    buy = keras.layers.Dense(1, **identity, name="buy")(-inputs)
    model = keras.Model(inputs, {"click": click, "buy": buy})
    model.compile(
        loss={"click": "mse", "buy": "mse"},
        metrics={"click": [NDCG(k=3), RecallAtK(k=3)], "buy": NDCG(k=3)},
    )
    found = model.evaluate(
        scores[..., None],
        {"click": labels, "buy": labels},
        batch_size=4,
        verbose=0,
        return_dict=True,
    )
    assert found["click_ndcg@3"] == approx(
        by_hand(NDCG(k=3), labels, scores), rel=1e-6
    )
    assert found["click_recall@3"] == approx(
        by_hand(RecallAtK(k=3), labels, scores), rel=1e-6
    )
    assert found["buy_ndcg@3"] == approx(
        by_hand(NDCG(k=3), labels, -scores), rel=1e-6
    )
    assert found["buy_ndcg@3"] != approx(found["click_ndcg@3"], rel=1e-3)


# Names


@pytest.mark.long
def test_history_has_the_names(data):
    labels, scores, weights = data
    model = compiled(
        [NDCG(k=5), NDCG()],
        weighted_metrics=[NDCG(k=5), MeanReciprocalRank(name="mine")],
    )
    x, y = scores[..., None], labels[..., None]
    history = model.fit(
        x,
        y,
        sample_weight=weights,
        batch_size=LISTS,
        validation_data=(x, y, weights),
        verbose=0,
    ).history
    names = {
        "loss",
        "ndcg@5",
        "ndcg",
        "weighted_ndcg@5",
        "mine",
    }
    assert set(history) == names | {f"val_{name}" for name in names}


# Callbacks


class Kernels(keras.callbacks.Callback):
    """Sets the kernel of the model, epoch by epoch."""

    def __init__(self, kernels):
        super().__init__()
        self.kernels = kernels

    def on_epoch_begin(self, epoch, logs=None):
        self.model.trainable_variables[0].assign([[self.kernels[epoch]]])


@pytest.mark.long
def test_early_stopping_knows_what_is_better():
    labels = np.array([[2, 0, 0, UNJUDGED], [0, 3, 0, UNJUDGED]], "float32")
    scores = np.array([[4, 3, 2, 1], [2, 4, 3, 1]], "float32")
    # Counts do not depend on the scores.
    metrics = [x for x in one_of_each(k=2) if not isinstance(x, Count)]
    # Eagerly on tensorflow, where tracing all metrics takes long.
    model = compiled(metrics, run_eagerly=BACKEND == "tensorflow")
    stops = [
        keras.callbacks.EarlyStopping(
            monitor=f"val_{metric.name}",
            patience=2,
            restore_best_weights=True,
        )
        for metric in metrics
    ]
    # The best epoch is the second one. For who takes the wrong direction it is
    # the first, and training ends one epoch earlier.
    history = model.fit(
        scores[..., None],
        labels,
        validation_data=(scores[..., None], labels),
        epochs=8,
        verbose=0,
        callbacks=[Kernels([-1.0, 1.0] + [-1.0] * 6), *stops],
    ).history
    for metric, stop in zip(metrics, stops, strict=True):
        values = history[f"val_{metric.name}"]
        sign = 1 if metric.more_is_better else -1
        assert sign * values[1] > sign * values[0]
        assert values[0] == values[2] == values[3]
        assert len(values) == 4
        assert (stop.best_epoch, stop.stopped_epoch) == (1, 3)
        assert stop.best == values[1]
    assert float(np.squeeze(model.get_weights()[0])) == 1.0


@pytest.mark.long
def test_model_checkpoint_keeps_the_best(tmp_path):
    labels = np.array([[2, 0, 0, 0]], "float32")
    scores = np.array([[4, 3, 2, 1]], "float32")
    model = compiled([NDCG(k=10)])
    model.fit(
        scores[..., None],
        labels,
        validation_data=(scores[..., None], labels),
        epochs=3,
        verbose=0,
        callbacks=[
            Kernels([-1.0, 1.0, -1.0]),
            keras.callbacks.ModelCheckpoint(
                tmp_path / "best-{val_ndcg@10:.1f}.keras",
                monitor="val_ndcg@10",
                mode="auto",
                save_best_only=True,
            ),
        ],
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"best-{1 / np.log2(5):.1f}.keras",
        "best-1.0.keras",
    ]
    best = keras.models.load_model(tmp_path / "best-1.0.keras")
    assert float(np.squeeze(best.get_weights()[0])) == 1.0


# Masks


def masking_model():
    inputs = keras.Input((ITEMS, 1))
    x = keras.layers.Masking(mask_value=-9.0)(inputs)
    return keras.Model(
        inputs,
        keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(x),
    )


def embedding_model():
    inputs = keras.Input((ITEMS,), dtype="int32")
    x = keras.layers.Embedding(
        8,
        1,
        mask_zero=True,
        embeddings_initializer=keras.initializers.Constant(
            np.arange(8.0)[:, None] + 0.5
        ),
    )(inputs)
    return keras.Model(
        inputs,
        keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(x),
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "kind, run",
    [
        ("masking", "evaluate"),
        ("masking", "direct"),
        ("embedding", "fit"),
        ("embedding", "direct"),
    ],
)
def test_the_mask_of_keras_layers(kind, run):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, (LISTS, ITEMS)).astype("float32")
    if kind == "masking":
        model = masking_model()
        x = rng.permuted(np.tile(np.arange(-3.0, 3.0), (LISTS, 1)), axis=1)
        x[:, 4:] = -9.0
        there = x != -9
        scores, x = x, x[..., None].astype("float32")
    else:
        model = embedding_model()
        x = rng.permuted(np.tile(np.arange(ITEMS), (LISTS, 1)), axis=1)
        there = x != 0
        scores = x
    metric = NDCG(k=3)
    compiled([metric], model=model)
    y = labels[..., None]
    if run == "evaluate":
        found = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)[
            "ndcg@3"
        ]
    elif run == "fit":
        history = model.fit(x, y, batch_size=4, verbose=0).history
        (found,) = history["ndcg@3"]
    else:
        found = float(NDCG(k=3)(y, model(x)))
    masked = by_hand(metric, np.where(there, labels, -1), scores)
    unmasked = by_hand(metric, labels, scores)
    assert masked != approx(unmasked, rel=1e-3)
    # `jax.value_and_grad` returns `y_pred` without what is attached to it. If
    # this fails on jax, Keras has mended it: the docs of `RankingMetric` and of
    # masks should then no longer warn of it.
    lost = BACKEND == "jax" and run == "fit"
    assert found == approx(unmasked if lost else masked, rel=1e-6)


# Weights that the loss multiplies by a mask, on torch in place


def masked_lists():
    """Lists of unequal lengths and weights, so that batches differ."""
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 3, (LISTS, ITEMS)).astype("float32")
    scores = rng.permuted(np.tile(np.arange(ITEMS), (LISTS, 1)), axis=1)
    scores[np.arange(ITEMS) > np.arange(LISTS)[:, None]] = -9
    weights = rng.integers(1, 9, (LISTS, 1)) * np.ones((1, ITEMS))
    return labels, scores.astype("float32"), weights.astype("float32")


def measured(labels, scores, weights, loss, *, batch_size, run="evaluate"):
    """The weighted metric of a masking model, and what is warned of."""
    metric = NDCG(k=2, list_weight="mean")
    model = masking_model()
    model.compile(
        keras.optimizers.SGD(0.0), loss=loss, weighted_metrics=[metric]
    )
    options = {"sample_weight": weights, "batch_size": batch_size}
    data = scores[..., None], labels[..., None]
    texts = said(
        lambda: getattr(model, run)(*data, **options, verbose=0),
        holding="sample_weight",
    )
    return float(metric.result()), texts


REDUCTIONS = "sum", "sum_over_batch_size", "mean", "mean_with_sample_weight"


@pytest.mark.long
@pytest.mark.parametrize("run", ["evaluate", "fit"])
@pytest.mark.parametrize("reduction", [*REDUCTIONS, None])
def test_weights_do_not_depend_on_the_reduction_of_a_masked_loss(
    reduction, run
):
    if run == "fit" and (reduction is None or BACKEND == "jax"):
        pytest.skip("torch needs a scalar loss, and jax loses the mask")
    loss = keras.losses.MeanSquaredError(reduction=reduction)
    labels, scores, weights = masked_lists()
    some_zeros = weights.copy()
    # Not that of the first list, which has one item: without any weight, Keras
    # 3.12 divides 0 by 0.
    some_zeros[1::3, 0] = 0
    cases = [(some_zeros, 4)]  # the last batch is short
    if BACKEND == "torch":  # others compile for each shape
        cases += [(weights, 4), (weights, 1), (some_zeros, 1)]
    for each, size in cases:
        found, texts = measured(
            labels, scores, each, loss, batch_size=size, run=run
        )
        masked = np.where(scores == -9, -1, labels)
        metric = NDCG(k=2, list_weight="mean")
        expected = by_hand(metric, masked, scores, each)
        assert (found, texts) == (approx(expected, rel=1e-6), [])


@pytest.mark.long
@pytest.mark.parametrize("with_zeros", [False, True])
def test_weights_after_a_loss_of_ones_own_are_right_or_doubted(with_zeros):
    def loss(labels, scores):  # it might have a mask of its own
        return keras.ops.mean(keras.ops.square(labels - scores), axis=-1)

    labels, scores, weights = masked_lists()
    if with_zeros:
        weights[::3, 0] = 0
    whole, _ = measured(labels, scores, weights, "mse", batch_size=LISTS)
    found, texts = measured(labels, scores, weights, loss, batch_size=1)
    if BACKEND == "torch" and with_zeros:
        [text] = texts
        assert text.startswith("ndcg@2: `sample_weight` should be the weights")
        assert "changed in place, as a masked loss does on torch" in text
        assert 'Use a loss with `reduction="mean_with_sample_weight"`' in text
    else:
        assert (found, texts) == (approx(whole, rel=1e-6), [])


@pytest.mark.only_on("torch", reason="losses write on torch only")
@pytest.mark.parametrize("loss", ["mse", ["mse", "mse"]])
@pytest.mark.filterwarnings("ignore:Your input ran out of data")
def test_weights_that_several_outputs_share_are_doubted(loss):
    """Each loss multiplies the same tensor by its mask."""
    labels, scores, weights = masked_lists()
    inputs = keras.Input((ITEMS, 1))
    layers = keras.layers.Masking(-9.0), keras.layers.Identity()
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    model = keras.Model(inputs, [dense(layer(inputs)) for layer in layers])
    metrics = [
        [NDCG(k=2, list_weight="mean", name=name)] for name in ("one", "two")
    ]
    model.compile(loss=loss, weighted_metrics=metrics)
    x, y = scores[..., None], labels[..., None]
    whole = measured(labels, scores, weights, "mse", batch_size=LISTS)[0]
    batches = (
        (x[i : i + 1], (y[i : i + 1],) * 2, weights[i : i + 1])
        for i in range(LISTS)
    )
    with pytest.warns(UserWarning, match=r"^two: `sample_weight`") as caught:
        model.evaluate(batches, verbose=0)
    [[one], _] = metrics
    assert float(one.result()) == approx(whole, rel=1e-6)
    assert not any("one: " in str(each.message) for each in caught)


@pytest.mark.each_backend
@pytest.mark.parametrize("is_masked", [False, True])
def test_weights_of_lists_for_labels_with_a_last_dimension(is_masked):
    """The loss refuses those that docs/masks.md says it does."""
    x, masking = np.ones((2, 3, 1)), [keras.layers.Masking()] * is_masked
    layers = keras.Input((3, 1)), *masking, keras.layers.Dense(1)
    model = keras.Sequential(layers)
    model.compile("sgd", "mse", weighted_metrics=[NDCG()])
    refused = [(2,), (2, 1)] if is_masked and BACKEND == "torch" else [(2,)]
    for shape in {(2, 1), (2, 3)}.difference(refused):
        model.evaluate(x, x, sample_weight=np.ones(shape), verbose=0)
    for shape in refused:
        with pytest.raises((ValueError, RuntimeError)):
            model.evaluate(x, x, sample_weight=np.ones(shape), verbose=0)


# One metric in several places


def doubts_of_places(model, y, **options):
    x = np.zeros((4, 3, 1), "float32")

    def run():
        for _ in range(2):
            model.fit(x, y, 2, 2, verbose=0, validation_split=0.5, **options)
            model.evaluate(x, y, 2, verbose=0)

    return said(run, holding="Each place in `compile`")


def model_of_two():
    inputs = keras.Input((3, 1))
    both = {name: keras.layers.Dense(1, name=name)(inputs) for name in "ab"}
    return keras.Model(inputs, both)


@pytest.mark.long
@pytest.mark.parametrize("make", [NDCG, lambda: MetricCollection([NDCG()])])
def test_one_metric_in_two_places_is_warned_of_once(make):
    metric, y = make(), np.zeros((4, 3, 1), "float32")
    two = model_of_two()
    two.compile("sgd", "mse", metrics={"a": [metric], "b": [metric]})
    [text] = doubts_of_places(two, {"a": y, "b": y})
    assert text.startswith(f"{metric.name}: Each place in `compile` should")
    assert "Received: one in 2 places, which all report its number" in text
    metric = make()
    one = compiled([metric], weighted_metrics=[metric])
    assert len(doubts_of_places(one, y)) == 1


@pytest.mark.long
def test_a_metric_beside_its_collection_is_warned_of():
    metric = NDCG()
    model = compiled([metric, MetricCollection([metric])])
    assert len(doubts_of_places(model, np.zeros((4, 3, 1), "float32"))) == 1


@pytest.mark.long
def test_one_place_is_not_warned_of():
    metric, y = NDCG(), np.zeros((4, 3, 1), "float32")
    two = model_of_two()
    two.compile("sgd", "mse", metrics={"a": [metric], "b": [NDCG()]})
    assert doubts_of_places(two, {"a": y, "b": y}) == []
    # The same metric in another model, or compiled again, is in one place.
    steps = 1 if BACKEND == "torch" else 2
    for _ in range(2):
        model = compiled([metric], steps_per_execution=steps)
        assert doubts_of_places(model, y) == []


def first_group(y_true, y_pred):
    return keras.ops.zeros_like(y_true[:, 0, 0], "int32")


@pytest.mark.long
@pytest.mark.parametrize(
    "make",
    [
        lambda **name: MetricCollection([NDCG()], **name),
        lambda prefix="ndcg": Sliced(NDCG(), 2, by=first_group, name=prefix),
    ],
)
def test_results_of_one_name_are_warned_of(make):
    y, texts = dict.fromkeys("ab", np.zeros((4, 3, 1), "float32")), []
    for metrics in ([make(), make()], [make(), make(prefix="other")]):
        two = model_of_two()
        two.compile(loss="mse", metrics=dict(zip("ab", metrics, strict=True)))
        run = functools.partial(two.evaluate, verbose=0)
        x = np.zeros((4, 3, 1), "float32")
        texts.append(said(run, x, y, holding="keeps one result"))
    assert len(texts[0]) == 2 and not texts[1]
    assert "Received: ['ndcg'" in texts[0][0]


# Precision


@pytest.mark.long
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision(policy):
    """Ranks, discounts and sums are not those of half precision.

    A sum of ones stops at 2048 in float16, at 256 in bfloat16.
    """
    lists = 2500
    labels = np.tile(np.array([[1, 0, 1, 0, 0, 2]], "float32"), (lists, 1))
    scores = np.tile(np.array([[1, 2, 3, 4, 5, 0.5]], "float32"), (lists, 1))
    scores[0] *= -1
    metric = NDCG()
    model = compiled([metric], model=model_of(dtype=policy))
    dtype = policy.removeprefix("mixed_")
    assert model.output.dtype == dtype
    found = evaluated(model, labels, scores, batch_size=500)["ndcg"]
    one, usual = (
        by_hand(metric, labels[i : i + 1], scores[i : i + 1]) for i in (0, 1)
    )
    expected = (one + (lists - 1) * usual) / lists
    assert found == approx(expected, rel=1e-6)
    assert found != approx(usual, rel=5e-5)


def test_half_precision_as_floatx(data):
    labels, scores, _ = data
    before = keras.config.floatx()
    keras.config.set_floatx("float16")
    try:
        metric = NDCG(k=3)
        found = metric(labels, scores)
        assert metric.dtype == "float16"
        assert keras.backend.standardize_dtype(found.dtype) == "float32"
        assert float(found) == approx(by_hand(metric, labels, scores), rel=1e-6)
    finally:
        keras.config.set_floatx(before)

"""What processes of TensorFlow do in the tests of strategies."""

import keras
import tensorflow as tf
from processes import CONNECTED
from shares import ITEMS, batches, data, numbers

import keras_rankmetrics as krm

BATCH = 4  # the last of 21 lists stands alone: a replica has none of it


def mirrored():
    """`fit`, `evaluate` and loops, on two replicas of one process."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    alone = made_model()
    with strategy.scope():
        model = made_model()
        collection, mean = made_metrics()
    labels, scores, weights, _ = data()
    of_batches = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices((labels, scores, weights)).batch(
            2 * BATCH
        )
    )

    @tf.function
    def step(*batch):
        strategy.run(collection.update_state, batch)
        strategy.run(mean.update_state, batch)

    for batch in of_batches:
        step(*batch)
    return {
        "fit": [fitted(alone), fitted(model)],
        "evaluate": [evaluated(alone), evaluated(model)],
        "loop": [numbers(collection), numbers(mean)],
        "synced": [numbers(collection.sync()), numbers(mean.sync())],
        "one": [numbers(metric) for metric in updated()],
        "rest": rest(mean),
        "restored": restored(strategy),
        "cleared": cleared(mean),
    }


def made_metrics():
    counter = krm.CatalogueCoverage(k=2, num_items=ITEMS)
    collection = krm.MetricCollection([*krm.NDCG.at(1, 5), counter])
    return collection, krm.NDCG(k=3)


def updated():
    labels, scores, weights, _ = data()
    metrics = made_metrics()
    for metric in metrics:
        metric.update_state(labels, scores, weights)
    return metrics


def made_model():
    ones = keras.layers.Dense(1, kernel_initializer="ones")
    model = keras.Sequential([keras.Input((ITEMS, 1)), ones])
    collection, mean = made_metrics()
    model.compile(
        keras.optimizers.SGD(0.0),
        loss="mse",
        metrics=[collection],
        weighted_metrics=[mean],
    )
    return model


def fitted(model):
    labels, scores, weights, _ = data()
    history = model.fit(
        scores[..., None],
        labels[..., None],
        batch_size=BATCH,
        sample_weight=weights[:, None],
        verbose=0,
    )
    return {name: value for name, [value] in history.history.items()}


def evaluated(model):
    labels, scores, weights, _ = data()
    return model.evaluate(
        scores[..., None],
        labels[..., None],
        batch_size=BATCH,
        sample_weight=weights[:, None],
        verbose=0,
        return_dict=True,
    )


def rest(metric):
    """A sum that no float32 holds, of values on two replicas."""
    slot = metric._sums
    values = slot.variable.value.values
    values[0].assign(tf.ones(slot.shape) * [1.0, 0.0])
    values[1].assign(tf.ones(slot.shape) * [2.0**-30, 0.0])
    return metric.sync().state.sums.astype("float64").sum(axis=-1).tolist()


def restored(strategy):
    """A state of odd draws, set and read, and added to."""
    shuffled = krm.NDCG(k=2, ties="shuffle")
    for _ in range(3):
        shuffled.update_state([[1, 0]], [[2.0, 1.0]])
    with strategy.scope():
        other = krm.NDCG(k=2, ties="shuffle")
    other.state = shuffled.state
    same = other.state == shuffled.state
    other.update_state([[1, 0]], [[2.0, 1.0]])
    return same, int(other.state.draws), other.count()


def cleared(metric):
    metric.reset_state()
    return metric.count()


def of_workers():
    """A loop in processes of their own, and what `fit` does there."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    labels, scores, weights, _ = data()
    with strategy.scope():
        collection, mean = made_metrics()

    @tf.function
    def step(*batch):
        strategy.run(collection.update_state, batch)
        strategy.run(mean.update_state, batch)

    for batch in batches(**CONNECTED):
        step(*(tf.constant(x[batch]) for x in (labels, scores, weights)))
    synced = [numbers(collection.sync()), numbers(mean.sync())]
    again = numbers(mean.sync().sync())  # a copy has no strategy
    with strategy.scope():
        other = krm.NDCG(k=2 + CONNECTED["rank"])
    try:
        other.sync()
        refused = ""
    except ValueError as error:
        refused = str(error)
    found = {
        "synced": synced,
        "again": again,
        "read": [numbers(collection), numbers(mean)],
        "one": [numbers(metric) for metric in updated()],
        "refused": refused,
    }
    with strategy.scope():
        model = made_model()
    try:
        fitted(model)
        found["fit"] = "works"
    except Exception as error:
        found["fit"] = f"{type(error).__name__}: {error}"
    return found

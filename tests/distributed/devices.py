"""What a process of jax does in the tests of `keras.distribution`."""

import keras
from processes import CONNECTED
from shares import ITEMS, LISTS, data

import keras_rankmetrics as krm

BATCHES = (4, 8, 20)  # of 21 lists: the last is short in each
DISTRIBUTION = keras.distribution


def on_one():
    return {str(batch): evaluated(batch, padded=False) for batch in BATCHES}


def on_two():
    distribute(2)
    return {str(batch): evaluated(batch) for batch in BATCHES}


def on_four():
    distribute(4)
    return {
        **{str(batch): evaluated(batch) for batch in BATCHES},
        "fit": fitted(),
        "unpadded": refusal(),
    }


def on_two_by_two():
    """The model is split in one direction, and the data in the other."""
    names = [f"cpu:{i}" for i in range(4)]
    mesh = DISTRIBUTION.DeviceMesh((2, 2), ["batch", "model"], names)
    layout = DISTRIBUTION.LayoutMap(mesh)
    layout[".*hidden/kernel"] = (None, "model")
    layout[".*hidden/bias"] = ("model",)
    DISTRIBUTION.set_distribution(
        DISTRIBUTION.ModelParallel(layout_map=layout, batch_dim_name="batch")
    )
    model = made()
    kernel = model.get_layer("hidden").kernel.value
    return {"8": evaluated(8, model), "spec": str(kernel.sharding.spec)}


def on_explicit_mesh():
    """Arrays whose types name the axes of a mesh of `jax.make_mesh`."""
    import jax

    spec = jax.sharding.PartitionSpec("lists")
    mesh = jax.make_mesh((4,), ("lists",))
    metric = krm.NDCG(k=3, ties="stable")
    labels, scores = (part[:20] for part in data()[:2])
    expected = float(krm.NDCG(k=3, ties="stable")(labels, scores))

    def result(state, labels, scores):
        state = metric.stateless_update_state(state, labels, scores)
        return metric.stateless_result(state)

    with jax.set_mesh(mesh):
        sharding = jax.sharding.NamedSharding(mesh, spec)
        parts = (jax.device_put(x, sharding) for x in (labels, scores))
        state = [variable.value for variable in metric.variables]
        return expected, float(jax.jit(result)(state, *parts))


def of_processes():
    """Two processes, one device each: XLA adds up what both have seen."""
    names = DISTRIBUTION.list_devices()
    mesh = DISTRIBUTION.DeviceMesh((len(names),), ["batch"], names)
    DISTRIBUTION.set_distribution(
        DISTRIBUTION.DataParallel(device_mesh=mesh, auto_shard_dataset=False)
    )
    model = made()
    # Of each batch of 8 a process passes its half.
    half = slice(4 * CONNECTED["rank"], 4 * CONNECTED["rank"] + 4)
    halves = (tuple(part[half] for part in b) for b in padded_batches(8))
    logs = model.evaluate(halves, verbose=0, return_dict=True)
    metric = model.ndcg
    return {
        "evaluate": {n: v for n, v in logs.items() if n != "loss"},
        "counts": [metric.count(), metric.sync().count()],
    }


def distribute(devices):
    names = [f"cpu:{i}" for i in range(devices)]
    DISTRIBUTION.set_distribution(DISTRIBUTION.DataParallel(devices=names))


def made():
    model = keras.Sequential(
        [
            keras.Input((ITEMS, 1)),
            keras.layers.Dense(2, kernel_initializer="ones", name="hidden"),
            keras.layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    ndcg = model.ndcg = krm.NDCG(k=3)
    counter = krm.CatalogueCoverage(k=2, num_items=ITEMS)
    model.compile(
        keras.optimizers.SGD(0.0),
        loss="mse",
        weighted_metrics=[
            ndcg,
            krm.MetricCollection([*krm.NDCG.at(1, 5), counter]),
            keras.metrics.MeanSquaredError(name="mse"),
        ],
    )
    return model


def batches(size):
    labels, scores, weights, _ = data()
    for start in range(0, LISTS, size):
        here = slice(start, start + size)
        yield scores[here, :, None], labels[here, :, None], weights[here, None]


def padded_batches(size):
    """All of the same length: `size`, which the devices divide."""
    return [krm.pad_to(batch, size) for batch in batches(size)]


def evaluated(size, model=None, padded=True):
    model = model or made()
    given = padded_batches(size) if padded else batches(size)
    generator = (batch for batch in given)
    logs = model.evaluate(generator, verbose=0, return_dict=True)
    return {name: value for name, value in logs.items() if name != "loss"}


def fitted():
    """By `fit`, of a generator."""
    generator = (batch for batch in padded_batches(8))
    logs = made().fit(generator, verbose=0).history
    return {name: value for name, [value] in logs.items() if name != "loss"}


def refusal():
    try:
        evaluated(8, padded=False)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "works"

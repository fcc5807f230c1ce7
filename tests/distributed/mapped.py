"""What the transformations of jax return for every metric.

Each function runs in a process with several virtual devices.
"""

import inspect

import jax
import numpy as np
from jax.sharding import PartitionSpec

import keras_rankmetrics as krm

DEVICES, LISTS, ITEMS, SUBTOPICS = 4, 12, 13, 2
TABLE = np.linspace(0.1, 1.0, ITEMS).tolist()
NAMES = (*krm.metrics.__all__, "MetricCollection")


def made(name):
    """A metric of that class."""
    cls, ndcg = getattr(krm, name), krm.NDCG(k=3)
    arguments = {
        "metric": ndcg,
        "metrics": [ndcg, krm.MeanReciprocalRank()],
        "systems": ["old", "new"],
        "groups": ["a", "b"],
        "levels": [0.25, 0.5],
        "catalogue": 100,
        "negatives": ITEMS - 1,
        "popularity": TABLE,
        "is_tail": [i % 2 for i in range(ITEMS)],
        "vectors": np.eye(ITEMS)[:, :3].tolist(),
        "num_items": ITEMS,
        "propensities": TABLE,
        "k": 3,
    }
    if name == "AttentionWeightedFairness":
        arguments["groups"] = 0.9 * np.eye(ITEMS)[:, :3] + 0.1
        arguments["target"] = [0.5, 0.3, 0.2]
    known = inspect.signature(cls).parameters
    return cls(**{n: x for n, x in arguments.items() if n in known})


def batch(metric):
    """Labels and scores for it, with ties, padding and empty lists."""
    rng = np.random.default_rng(55)
    scores = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32")
    labels = rng.integers(-1, 4, (LISTS, ITEMS)).astype("float32")
    labels[3] = np.minimum(labels[3], 0)
    labels[8] = -1
    binary = np.minimum(labels, 1)
    reads = getattr(metric, "reads", None)
    if reads == "subtopics":
        return np.stack([binary, binary[:, ::-1]], axis=-1), scores
    if reads == "two_rankings":
        return rng.permuted(scores, axis=1), scores
    if reads == "clicks" or isinstance(metric, krm.PFound):
        return np.maximum(binary, 0), scores
    if isinstance(metric, krm.SampledRanks):
        one = np.eye(ITEMS, dtype="float32")
        return one[rng.integers(0, ITEMS, LISTS)], scores
    if isinstance(metric, krm.JudgeCorrected):
        return {"human": labels, "judge": np.minimum(labels, 2)}, scores
    if isinstance(metric, krm.Sliced):
        groups = rng.integers(0, 2, LISTS).astype("int32")
        return {"labels": labels, "group": groups}, scores
    if isinstance(metric, krm.Comparison):
        return labels, {"old": scores, "new": scores[:, ::-1]}
    return labels, scores


def in_shard_map(function):
    """With the default of `check_vma`, which compares types."""
    # With these axes, `jit` moves arrays to the devices.
    auto = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((DEVICES,), ("lists",), axis_types=auto)
    spec = PartitionSpec("lists")

    def on_a_device(share):
        share = jax.tree.map(lambda x: x[0], share)
        return jax.tree.map(lambda x: x[None], function(share))

    return jax.jit(
        jax.shard_map(on_a_device, mesh=mesh, in_specs=spec, out_specs=spec)
    )


def in_scan(function):
    def step(_, share):
        return None, function(share)

    return jax.jit(lambda x: jax.lax.scan(step, None, x)[1])


WAYS = {
    "shard_map": in_shard_map,
    "pmap": jax.pmap,
    "vmap": lambda function: jax.jit(jax.vmap(function)),
    "scan": in_scan,
}
# One for each way through the code, since a cast of types changes no value.
EXECUTED = ("NDCG", "MeanReciprocalRank", "OrderedPairAccuracy", "Comparison")


def prepared(name):
    """An update from the empty state, values of lists, and a share for each."""
    metric = made(name)
    empty = metric.stateless_reset_state()

    def update(share):
        return metric.stateless_update_state(empty, *share)

    def values(share):
        return metric.per_list(*share) if hasattr(metric, "per_list") else ()

    shares = jax.tree.map(
        lambda x: x.reshape(DEVICES, -1, *x.shape[1:]), batch(metric)
    )
    return update, values, shares


def traced():
    """How the types differ from those of one device, by metric and way."""
    return {name: {way: trace(name, way) for way in WAYS} for name in NAMES}


def trace(name, way):
    update, values, shares = prepared(name)

    def both(share):
        return update(share), values(share)

    def shape_of(x):
        return DEVICES, *x.shape

    share = jax.tree.map(lambda x: x[0], shares)
    expected = jax.tree.map(shape_of, jax.eval_shape(both, share))
    try:
        received = jax.eval_shape(WAYS[way](both), shares)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    received = jax.tree.map(lambda x: tuple(x.shape), received)
    return "" if received == expected else f"{received}, not {expected}"


def executed():
    """The largest difference from one device, by metric and way."""
    return {name: differences(name) for name in EXECUTED}


def differences(name):
    update, _, shares = prepared(name)
    alone = jax.jit(update)
    each = [
        alone(jax.tree.map(lambda x, i=i: x[i], shares)) for i in range(DEVICES)
    ]
    expected = [np.stack(of_devices) for of_devices in zip(*each, strict=True)]
    assert any(map(np.any, expected))
    return {way: worst(expected, WAYS[way](update)(shares)) for way in WAYS}


def worst(expected, received):
    """The largest difference; infinite if only one of both is NaN."""
    return max(map(largest, expected, map(np.asarray, received)))


def largest(a, b):
    assert a.shape == b.shape
    apart = np.where(np.isnan(a) & np.isnan(b), 0.0, np.abs(a - b))
    return float(np.nan_to_num(apart, nan=np.inf).max())

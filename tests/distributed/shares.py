"""Lists that several processes share, unevenly; one of them gets none."""

import numpy as np
from keras import ops

import keras_rankmetrics as krm

LISTS, ITEMS, BATCH = 21, 6, 4


def data():
    """Labels, scores, weights and groups of all lists."""
    rng = np.random.default_rng(20)
    labels = rng.integers(-1, 4, (LISTS, ITEMS)).astype("float32")
    scores = rng.integers(0, 5, (LISTS, ITEMS)).astype("float32")
    weights = rng.integers(1, 4, LISTS).astype("float32") / 2
    return labels, scores, weights, rng.integers(0, 2, LISTS)


def batches(rank, processes):
    """The share of a process: its last batch is short, rank 1 has none."""
    having = [r for r in range(processes) if r != 1]
    start = 0
    for place, each in enumerate(having):
        stop = LISTS if place == len(having) - 1 else start + 7 + 6 * place
        if each == rank:
            for at in range(start, stop, BATCH):
                yield slice(at, min(at + BATCH, stop))
        start = stop


def everything():
    """One batch of all lists."""
    return [slice(0, LISTS)]


def seen(slices):
    """Metrics of each kind that have seen these lists, by name."""
    made = metrics()
    labels, scores, weights, groups = data()
    for batch in slices:
        y_true, y_pred, of_lists = (x[batch] for x in (labels, scores, weights))
        for name in ("mean", "collection", "counter"):
            made[name].update_state(y_true, y_pred, of_lists)
        made["sliced"].update_state(
            {"labels": y_true, "group": groups[batch]}, y_pred
        )
        made["comparison"].update_state(y_true, [y_pred, y_pred[:, ::-1]])
    return made


def metrics():
    return {
        "mean": krm.NDCG(k=3),
        "collection": krm.MetricCollection(
            [
                *krm.NDCG.at(1, 5),
                krm.MeanReciprocalRank(),
                krm.CatalogueCoverage(k=2, num_items=ITEMS),
                krm.Sliced(krm.PrecisionAtK(k=2), 2, by=of_first_label),
            ],
            errors=False,
        ),
        "counter": krm.ExposureGini(k=2, num_items=ITEMS),
        "sliced": krm.Sliced(krm.RecallAtK(k=2), ["new", "old"]),
        "comparison": krm.Comparison(krm.NDCG(k=2), ["here", "there"]),
    }


def of_first_label(y_true, y_pred):
    return ops.cast(y_true[:, 0] > 0, "int32")


def numbers(metric):
    """All that a metric says, as plain floats by name."""
    result = metric.result()
    if not isinstance(result, dict):
        result = {metric.name: result}
    found = {name: float(value) for name, value in result.items()}
    if hasattr(metric, "standard_error") and not isinstance(
        metric, krm.ExposureGini
    ):
        found["error"], found["count"] = metric.standard_error(), metric.count()
    if isinstance(metric, krm.Sliced):
        found["lists"] = metric.estimates()[metric.name].lists
    if isinstance(metric, krm.Comparison):
        [difference] = metric.differences()
        found["p"] = difference.p
    return found

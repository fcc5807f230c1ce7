"""What updates of a metric keep, in a process that does nothing else.

A process that has run other tests has free memory, which hides what is kept.
"""

import gc
import pathlib

import keras
import numpy as np

import keras_rankmetrics as krm

STATUS = pathlib.Path("/proc/self/statm")


def batch(inputs):
    """Lists with ties, masks, exclusions, weights and several targets."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (4, 13)).astype("float32")
    labels = rng.integers(-1, 4, (4, 13)).astype("float32")
    targets = np.array([[1, 4, 12], [0, 7, -1], [3, -1, -1], [-1, -1, -1]])
    exclude = np.array([[5, -1], [2, 9], [0, 1], [2, -1]])
    ids = np.stack([rng.permutation(13)[:6] for _ in range(4)])
    ids[:, 5] = ids[:, 0]  # comes again
    weights = np.array([1.0, 2.0, 0.5, 0.0], "float32")
    y_true = {
        "scores": {"labels": labels, "num_relevant": np.full(4, 9.0)},
        "sparse": {"target": targets, "exclude": exclude},
        "ids": {"target": targets, "exclude": exclude},
    }[inputs]
    return y_true, ids if inputs == "ids" else scores, weights


def of_scores():
    return measured("scores")


def of_sparse():
    return measured("sparse")


def of_ids():
    return measured("ids")


def measured(inputs):
    """By how much memory and the number of objects grow."""
    metric, batches = krm.NDCG(k=3, inputs=inputs), []
    # 50 of these batches take many megabytes.
    given = keras.tree.map_structure(
        lambda x: np.repeat(x, 1024, axis=0), batch(inputs)
    )
    for _ in range(20):
        metric.update_state(*given)
    objects = len(gc.get_objects())
    return {
        "updates": least_growth(lambda: metric.update_state(*given)),
        "objects": len(gc.get_objects()) - objects,
        "batches": least_growth(
            lambda: batches.append(keras.tree.map_structure(np.copy, given))
        ),
    }


def least_growth(update):
    """The least that memory grows in one of three rounds of 50 updates.

    What a metric keeps makes it grow in each round. The process may take memory
    for something else in one of them.
    """
    growths = []
    for _ in range(3):
        before = resident()
        for _ in range(50):
            update()
        growths.append(resident() - before)
    return min(growths)


def resident():
    """The memory of this process, in bytes."""
    gc.collect()
    return int(STATUS.read_text().split()[1]) * 4096

"""What a process does in the tests of `sync`. Its parts stand for its rank."""

import numpy as np
from processes import CONNECTED
from shares import batches, numbers, seen

import keras_rankmetrics as krm


def all_kinds():
    """Each process updates as often as its share asks for, and syncs once."""
    made = seen(batches(**CONNECTED))
    before = {name: numbers(metric) for name, metric in made.items()}
    synced = {name: metric.sync() for name, metric in made.items()}
    after = {name: numbers(metric) for name, metric in made.items()}
    again = made["mean"].sync()  # of a metric that went on, or not at all
    return {
        "synced": {name: numbers(metric) for name, metric in synced.items()},
        "untouched": repr(before) == repr(after),  # NaN is not NaN
        "again": numbers(again),
        "shuffled": shuffled(),
        "rest": kept_rest(),
        "refused": refused(),
        "collectives": gathered_by(made["collection"]),
    }


def shuffled():
    """Draws add up; the arrays have dtypes of two kinds."""
    metric = krm.NDCG(k=2, ties="shuffle")
    for _ in range(CONNECTED["rank"]):
        metric.update_state([[1, 0]], [[2.0, 1.0]])
    state = metric.sync().state
    return int(state.draws), state.sums.tolist()


def kept_rest():
    """A sum that no float32 holds."""
    metric = krm.NDCG(k=2)
    value = 1.0 if CONNECTED["rank"] == 0 else 2.0**-30
    sums = np.zeros_like(metric.state.sums)
    sums[..., 0] = value
    metric.state = krm.State(metric.signature, sums)
    return metric.sync().state.sums.astype("float64").sum(axis=-1).tolist()


def refused():
    """One of the processes has other metrics than the others."""
    other = CONNECTED["rank"] == CONNECTED["processes"] - 1
    messages = []
    for metric in (
        krm.NDCG(k=3 if other else 2),
        krm.ExposureGini(k=3, num_items=5 if other else 7),
        krm.MetricCollection(krm.NDCG.at(*((1, 2) if other else (1,)))),
    ):
        try:
            metric.sync()
        except ValueError as error:
            messages.append(str(error))
    return messages


def gathered_by(metric):
    """How often processes exchange anything, and how much."""
    from keras_rankmetrics.engine.metric import accumulator

    gathering, sizes = accumulator.gathering, []

    def counting(variable):
        gather = gathering(variable)

        def counted(words):
            sizes.append(words.size)
            return gather(words)

        return gather and counted

    accumulator.gathering = counting
    metric.sync()
    accumulator.gathering = gathering
    return sizes

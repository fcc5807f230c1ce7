"""Metrics of a Ray Dataset: only states leave the workers."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import keras

from keras_rankmetrics.adapters.worker import on_worker, sum_of
from keras_rankmetrics.jobs.arguments import (
    LISTS_PER_UPDATE,
    Metrics,
    job_of,
    with_states,
)


def evaluate(
    dataset: Any,
    metrics: Metrics,
    y_true: str,
    y_pred: str | Mapping[str, str],
    *,
    sample_weight: str | None = None,
    group: str | Mapping[str, str] | None = None,
    backend: str | None = None,
    lists_per_update: int = LISTS_PER_UPDATE,
    exclude: str | None = None,
    num_relevant: str | None = None,
) -> Metrics:
    """The metrics of all lists that a dataset holds, a row being a list.

    Each block becomes a row, the states of the metrics; the driver adds these
    up as they come in.

    Args:
        dataset: a `ray.data.Dataset`.
        metrics: as for `keras_rankmetrics.adapters.spark.evaluate`, and so are
            the others.
        y_true: the column of labels, or of ids or indices of relevant items.
        y_pred: the column of scores, or of recommended ids, best first; or a
            dict with the column of each system.
        sample_weight: the column of the weight of each list.
        group: the column of the groups of `Sliced` metrics.
        backend: of Keras on the workers; that of the driver by default.
        lists_per_update: how many lists a metric sees at once.
        exclude: the column of what is not to be ranked.
        num_relevant: the column of how many relevant items each list has.

    Returns:
        Copies of the metrics, which have seen these lists and no others.
    """
    from ray import cloudpickle

    job = job_of(
        metrics,
        y_true,
        y_pred,
        sample_weight,
        group,
        lists_per_update=lists_per_update,
        exclude=exclude,
        num_relevant=num_relevant,
    )
    states = dataset.map_batches(
        on_worker(
            "table_to_states",
            cloudpickle.dumps(job),
            backend or keras.config.backend(),
        ),
        batch_format="pyarrow",
        batch_size=None,  # a block
    )
    rows = (pickle.loads(row["states"]) for row in states.iter_rows())
    return with_states(metrics, sum_of(rows))

"""`evaluate_rows`: metrics of flat columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.jobs.items import check_lists, lists_of_items
from keras_rankmetrics.rows.arguments import (
    Given,
    collected,
    job_of_rows,
    members_in,
)
from keras_rankmetrics.rows.columns import (
    as_column,
    as_numbers,
    check_belong_together,
)
from keras_rankmetrics.rows.ids import numbers_of, rows_by_query


def evaluate_rows(
    query: Any,
    y_true: Any,
    y_pred: Any,
    metrics: Any,
    sample_weight: Any = None,
    group: Any = None,
) -> dict[str, float]:
    """Metrics of rows, each of which is an item of the list of its query.

    The rows of a query are one list. They may lie anywhere, and keep their
    order, which matters to `ties="stable"`. Columns are arrays of numpy,
    tensors, or columns of pandas, polars or Arrow, `[rows]` or `[rows, 1]`. Of
    pandas all must have the same index.

    Rows are sorted once, if they are not in order. The metrics then see padded
    batches of lists of similar lengths, of at most two million places each, so
    that one long list does not widen the others.

    Args:
        query: the id of the query of each row, integers or strings.
        y_true: the label of each row. Below 0 it means what it means in a list.
        y_pred: the score of each row; for a `Comparison`, a dict of the scores
            of each system.
        metrics: a metric, a `MetricCollection`, or a list of them, which take
            `inputs="scores"`. They forget what they have seen, and then hold
            these rows, so that `print(metric)` tells its error bar.
        sample_weight: the weight of each row, or None. For a weight of the
            whole list, give it to each of its rows.
        group: for `Sliced` metrics, the group of the query of each row, by name
            or number; or a dict of such columns by the names of the metrics.

    Returns:
        The numbers by name, in the order of the metrics. With `errors=True` a
        collection adds its standard errors.

    Raises:
        ValueError: if columns do not fit together, an id is missing, or the
            metrics cannot be computed of rows. They are then as before.
        TypeError: if something is no metric, or ids are of several types.

    Example:
        >>> import keras_rankmetrics as krm
        >>> query = ["b", "a", "b", "a", "a"]
        >>> labels = [1, 0, 0, 1, 0]
        >>> scores = [0.9, 0.8, 0.3, 0.6, 0.1]
        >>> mrr = krm.MeanReciprocalRank()
        >>> krm.evaluate_rows(query, labels, scores, [mrr, krm.PrecisionAtK(1)])
        {'mrr': 0.75, 'precision@1': 0.5}
        >>> print(mrr)
        mrr = 0.7500 ± 3.1766 (95%, 2 lists)
    """
    asked = collected(metrics)
    members = members_in(asked)
    given = Given.of(y_true, y_pred, sample_weight, group)
    check_belong_together({"query": query, **given.columns})
    job = job_of_rows(members, given)
    order, starts = rows_by_query(numbers_of(query))
    arrays = {
        name: _in_order(_read(name, x, job.columns.groups), order)
        for name, x in given.columns.items()
    }
    lists = lists_of_items(arrays, starts, job.columns)
    check_lists(lists, job.columns)
    if (arrays["y_true"] < 0).all():
        warnings.warn(
            "`y_true` should have labels of judged items. Received: "
            f"{len(arrays['y_true']):,} labels, all below 0, so that no row is "
            "judged. If the labels were joined to the rows by ids, do both "
            "sides use the same ids?",
            UserWarning,
            stacklevel=2,
        )
    states = job.states([lists])
    for member, state in zip(members, states or (), strict=True):
        member.reset_state()
        member.state = state
    return dict(_numbers(asked))


def _read(name: str, x: Any, groups: Sequence[str]) -> np.ndarray:
    return as_column(name, x) if name in groups else as_numbers(name, x)


def _in_order(array: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    return array if order is None else array[order]


def _numbers(asked: Sequence[Any]) -> Iterator[tuple[str, float]]:
    """The results by name."""
    for metric in asked:
        result = metric.result()
        by_name = result if isinstance(result, dict) else {metric.name: result}
        for name, number in by_name.items():
            yield name, float(ops.convert_to_numpy(number))

"""`per_query`: the value of each query, from flat columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_rankmetrics.tables.evaluate_rows import as_column, read_rows
from keras_rankmetrics.tables.members import (
    check_has_values,
    checked_metrics,
    members_of,
)


def per_query(
    query: Any,
    y_true: Any,
    y_pred: Any,
    metrics: Any,
    sample_weight: Any = None,
) -> dict[str, np.ndarray]:
    """Return the values of each query, with one row for each item.

    The columns are read as by `evaluate_rows`, whose results are the means of
    these values, with the weights of the queries. The metrics are not updated.

    Args:
        query: the id of the query of each row, integers or strings.
        y_true: the label of each row.
        y_pred: the score of each row; for a `Comparison`, a dict of the scores
            of each system.
        metrics: as for `evaluate_rows`, but not `Sliced`: groups do not change
            the value of a query. With `ties="shuffle"`, other orders may be
            drawn than there.
        sample_weight: the weight of each row, or None. Weights of whole lists
            do not change their values.

    Returns:
        Columns by name: `"query"`, each id once, in the order of the first
        rows; and the values of each metric as float64, of a `Comparison` those
        of each system, such as `"ndcg@10/old"`. NaN for an excluded query, and
        for a value that could not be computed.

    Raises:
        ValueError: if columns do not fit together, an id is missing, the
            metrics cannot be computed from rows, or a metric has no values of
            lists.
        TypeError: if an object is not a metric, or ids have several types.

    Example:
        >>> import keras_rankmetrics as krm
        >>> query = ["b", "a", "b", "a", "a"]
        >>> labels = [1, 0, 0, 1, 0]
        >>> scores = [0.9, 0.8, 0.3, 0.6, 0.1]
        >>> found = krm.per_query(query, labels, scores, "RR P@1")
        >>> {name: column.tolist() for name, column in found.items()}
        {'query': ['b', 'a'], 'RR': [1.0, 0.5], 'P@1': [1.0, 0.0]}

    Stability: provisional.
    """
    members = members_of(checked_metrics(metrics))
    check_has_values(members, ["query"])
    rows = read_rows(query, y_true, y_pred, members, sample_weight)
    order = np.argsort(rows.first)
    ids = as_column("query", query)[rows.first[order]]
    values = rows.job.per_list(rows.lists)
    return {"query": ids, **{name: x[order] for name, x in values.items()}}

"""`evaluate_rows`: metrics of flat columns, one row for each item."""

from __future__ import annotations

import copy
import dataclasses
import functools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.metrics import Sliced
from keras_rankmetrics.tables.arguments import job_of, members_of, metrics_in
from keras_rankmetrics.tables.chunks import run_starts
from keras_rankmetrics.tables.columns import (
    as_column,
    as_numbers,
    check_same_rows,
)
from keras_rankmetrics.tables.ids import query_numbers
from keras_rankmetrics.tables.lists import check_lists, lists_of_items
from keras_rankmetrics.tables.runner import Job

# More lists are not padded together, however few items they have.
_LISTS_PER_UPDATE = 2**18

# The column of an argument, or its columns by the names of systems or metrics.
Names = str | tuple[tuple[str, str], ...] | None


def evaluate_rows(
    query: Any,
    y_true: Any,
    y_pred: Any,
    metrics: Any,
    sample_weight: Any = None,
    group: Any = None,
) -> dict[str, float]:
    """Evaluate metrics on flat columns, with one row for each item of a query.

    The rows of a query are one list. They may be in any order, and keep it
    within a query, which matters for `ties="stable"`. Columns are numpy arrays,
    tensors, or columns of pandas, polars or Arrow, `[rows]` or `[rows, 1]`. All
    columns of pandas must have the same index.

    Rows are sorted once, unless they are sorted by query already. The metrics
    then see padded batches of lists of similar lengths, of at most two million
    places each, so that one long list does not widen the others.

    Args:
        query: the id of the query of each row, integers or strings.
        y_true: the label of each row. A label below 0 means the same as in a
            list.
        y_pred: the score of each row; for a `Comparison`, a dict of the scores
            of each system.
        metrics: a metric, a `MetricCollection`, or a list of these, which take
            `inputs="scores"`. They are reset, and afterwards contain these
            rows, so that `print(metric)` shows its error bar.
        sample_weight: the weight of each row, or None. For a weight of the
            whole list, repeat it in each row of the list.
        group: for `Sliced` metrics, the group of the query of each row, by name
            or number; or a dict of such columns by the names of the metrics.

    Returns:
        The results by name, in the order of the metrics. With `errors=True` a
        collection adds its standard errors.

    Raises:
        ValueError: if columns do not fit together, an id is missing, or the
            metrics cannot be computed from rows. The metrics are then
            unchanged.
        TypeError: if an object is no metric, or ids have several types.

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
    collected = checked_metrics(metrics)
    members = members_of(collected)
    if isinstance(y_true, Mapping):
        raise ValueError(
            "`y_true` should be a column of labels. Received: a dict with the "
            f"keys {sorted(map(str, y_true))}. Mask rows with the label -1, "
            "mark unjudged rows with the label `UNJUDGED`, and pass groups as "
            "`group`. Other inputs need lists: call `update_state`."
        )
    scores, y_pred_names = _named("y_pred", y_pred)
    weights, weight_names = _named("sample_weight", sample_weight)
    groups, group_names = _named("group", group)
    columns = {"y_true": y_true, **scores, **weights, **groups}
    check_same_rows({"query": query, **columns})
    job = _job(members, y_pred_names, weight_names, group_names)
    order, starts = _by_query(query_numbers(query))
    arrays = {
        name: _read(name, x, job.columns.groups, order)
        for name, x in columns.items()
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
    return dict(_numbers(collected))


def checked_metrics(metrics: Any) -> list[Any]:
    """Return the metrics and collections one by one.

    Raises:
        TypeError: if an object is no metric.
        ValueError: if two results would have the same name.
    """
    found = list(metrics_in(metrics))
    members_of(found)
    return found


def _named(argument: str, x: Any) -> tuple[dict[str, Any], Names]:
    """Return the columns of an argument by name, and the names for a job."""
    if isinstance(x, Mapping):
        names = {key: f'{argument}["{key}"]' for key in x}
        columns = {names[key]: column for key, column in x.items()}
        return columns, tuple(names.items())
    if x is None and argument != "y_pred":
        return {}, None
    return {argument: x}, argument


def _by_query(numbers: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the order of rows by query, and the first place of each query.

    The order is stable, and None if the rows are in it already.
    """
    order = None
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
    return order, run_starts(numbers)


def _read(
    name: str, x: Any, groups: Sequence[str], order: np.ndarray | None
) -> np.ndarray:
    array = as_column(name, x) if name in groups else as_numbers(name, x)
    return array if order is None else array[order]


def _numbers(metrics: Sequence[Any]) -> Iterator[tuple[str, float]]:
    """Yield the name and the value of each result."""
    for metric in metrics:
        result = metric.result()
        by_name = result if isinstance(result, dict) else {metric.name: result}
        for name, number in by_name.items():
            yield name, float(ops.convert_to_numpy(number))


# Jobs that are kept between calls, since JAX compiles each job anew.


@dataclasses.dataclass(frozen=True)
class _Described:
    """A metric that equals all metrics that compute the same.

    Attributes:
        key: everything that its values depend on.
        metric: the metric itself.
    """

    key: tuple[Any, ...]
    metric: Any = dataclasses.field(compare=False)


def _job(
    members: Sequence[Any], y_pred: Names, sample_weight: Names, group: Names
) -> Job:
    for member in members:
        from_data = isinstance(member, Sliced) and member.by is None
        if from_data and group is None:
            raise ValueError(
                f"`{member.name}` is sliced: `group` should be a column with "
                f"the group of each row, one of {member.results[1:]} without "
                "the name of the metric, or its number. Received: None."
            )
    described = tuple(
        _Described((type(m), m.name, m.signature, m.definition), m)
        for m in members
    )
    return _cached_job(described, y_pred, sample_weight, group)


@functools.lru_cache(maxsize=16)
def _cached_job(
    described: tuple[_Described, ...],
    y_pred: Names,
    sample_weight: Any,
    group: Names,
) -> Job:
    return job_of(
        [copy.deepcopy(each.metric) for each in described],
        "y_true",
        dict(y_pred) if isinstance(y_pred, tuple) else str(y_pred),
        sample_weight,
        dict(group) if isinstance(group, tuple) else group,
        query="query",
        lists_per_update=_LISTS_PER_UPDATE,
    )

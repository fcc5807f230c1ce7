"""`evaluate_rows`: metrics of flat columns, one row for each item."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from keras import ops

from keras_rankmetrics.engine.inputs import warn_if_swapped
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.metrics import Sliced
from keras_rankmetrics.tables import flat_columns, jobs
from keras_rankmetrics.tables.item_rows import is_lower_better, run_starts
from keras_rankmetrics.tables.job_columns import (
    Columns,
    check_lists,
    lists_of_items,
)

# The maximum number of lists in a padded batch, even if they are short.
_LISTS_PER_UPDATE = 2**18


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
    tensors, or pandas, polars or Arrow columns, `[rows]` or `[rows, 1]`. All
    pandas columns must have the same index.

    Rows are sorted once, unless they are sorted by query already. The metrics
    then see padded batches of lists of similar lengths, of at most two million
    entries each, so that one long list does not widen the others.

    Args:
        query: the id of the query of each row, integers or strings.
        y_true: the label of each row. A label below 0 means the same as in a
            list.
        y_pred: the score of each row; for a `Comparison`, a dict of the scores
            of each system.
        metrics: a metric, a `MetricCollection`, names such as `"NDCG@10 RR"`,
            or a list of these, which take `inputs="scores"`. They are reset,
            and afterwards contain these rows, so that `print(metric)` shows its
            error bar.
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
        TypeError: if an object is not a metric, or ids have several types.

    Example:
        >>> import keras_rankmetrics as krm
        >>> query = ["b", "a", "b", "a", "a"]
        >>> labels = [1, 0, 0, 1, 0]
        >>> scores = [0.9, 0.8, 0.3, 0.6, 0.1]
        >>> mrr = krm.MeanReciprocalRank()
        >>> krm.evaluate_rows(query, labels, scores, [mrr, krm.PrecisionAtK(1)])
        {'mrr': 0.75, 'precision@1': 0.5}
        >>> print(mrr)
        mrr = 0.7500 [0.0000, 1.0000] (95%, 2 lists)
    """
    collected = checked_metrics(metrics)
    members = jobs.members_of(collected)
    if isinstance(y_true, Mapping):
        raise ValueError(
            "`y_true` should be a column of labels. Received: a dict with the "
            f"keys {sorted(map(str, y_true))}. Leave masked rows out, mark "
            "unjudged rows with the label `UNJUDGED`, and pass groups as "
            "`group`. Other inputs need lists: call `update_state`."
        )
    given: dict[str, Any] = {"y_true": y_true}
    columns = Columns(
        "y_true",
        _named("y_pred", y_pred, given),
        _named("sample_weight", sample_weight, given),
        _named("group", group, given),
        query="query",
    )
    flat_columns.check_same_rows({"query": query, **given})
    for x in y_pred.values() if isinstance(y_pred, Mapping) else [y_pred]:
        name = getattr(x, "name", None)
        if isinstance(name, str) and is_lower_better(name):
            warn(
                "`y_pred` should have higher scores for better rows. Received: "
                f"a column called {name!r}. Negate distances and ranks: "
                f"`-{name}`."
            )
    job = _job(members, columns, tuple(given))
    order, starts = _by_query(flat_columns.query_numbers(query))
    arrays = {}
    for name, x in given.items():
        is_group = name in job.columns.groups
        read = flat_columns.as_column if is_group else flat_columns.as_numbers
        array = read(name, x)
        arrays[name] = array if order is None else array[order]
    lists = lists_of_items(arrays, starts, job.columns)
    check_lists(lists, job.columns)
    warning = _warning(arrays["y_true"], starts)
    if warning:
        warn(warning)
    warn_if_swapped(arrays["y_true"], arrays[job.columns.predictions[0]])
    states = job.states([lists])
    for member, state in zip(members, states or (), strict=True):
        member.reset_state()
        member.state = state
    return results_of(collected)


def results_of(metrics: Sequence[Any]) -> dict[str, float]:
    """Return the results of metrics and collections, by name."""
    numbers: dict[str, Any] = {}
    for metric in metrics:
        result = metric.result()
        by_name = isinstance(result, dict)
        numbers |= result if by_name else {metric.name: result}
    return {
        name: float(ops.convert_to_numpy(number))
        for name, number in numbers.items()
    }


def checked_metrics(metrics: Any) -> list[Any]:
    """Return the metrics and collections one by one.

    Raises:
        TypeError: if an object is not a metric.
        ValueError: if two results would have the same name.
    """
    found = list(jobs.metrics_in(jobs.with_named(metrics)))
    jobs.members_of(found)
    return found


def _named(argument: str, x: Any, given: dict[str, Any]) -> Any:
    """Add the columns of an argument, and return their names for a job."""
    if isinstance(x, Mapping):
        names = {key: f'{argument}["{key}"]' for key in x}
        given.update({names[key]: column for key, column in x.items()})
        return names
    if x is None and argument != "y_pred":
        return None
    given[argument] = x
    return argument


def _warning(labels: np.ndarray, starts: np.ndarray) -> str | None:
    """Return a warning if no row is judged, or each is a query of its own."""
    rows = len(labels)
    if (labels < 0).all():
        return (
            "`y_true` should have labels of judged items. Received: "
            f"{rows:,} labels, all below 0, so that no row is judged. If the "
            "labels were joined to the rows by ids, do both sides use the same "
            "ids?"
        )
    if 1 < rows == len(starts):
        return (
            "`query` should be equal in all rows of a list. Received: "
            f"{rows:,} rows of as many queries, so that the result does not "
            "depend on the scores. Pass the query of each row, not its number."
        )
    return None


def _by_query(numbers: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the order of rows by query, and the first row of each query.

    The order is stable, and None if the rows are in it already.
    """
    order = None
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
    return order, run_starts(numbers)


# Jobs that are kept between calls, since JAX compiles each job anew: the latest
# ones last.
_JOBS: dict[Any, jobs.Job] = {}
_KEPT = 16
_LOCK = threading.Lock()


def _job(
    members: Sequence[Any],
    columns: Columns,
    names: tuple[str, ...],
) -> jobs.Job:
    """Return a job on copies of the metrics.

    Args:
        members: the metrics.
        columns: the columns by argument.
        names: the names of all columns.
    """
    for member in members:
        from_data = isinstance(member, Sliced) and member.by is None
        if from_data and columns.group is None:
            raise ValueError(
                f"`{member.name}` is sliced: `group` should be a column with "
                f"the group of each row, one of {member.results[1:]} without "
                "the name of the metric, or its number. Received: None."
            )
    described = [(type(m), m.name, m.signature, m.definition) for m in members]
    key = (tuple(described), names)
    with _LOCK:
        _JOBS[key] = job = _JOBS.pop(key, None) or jobs.job_of(
            copy.deepcopy(members), columns, _LISTS_PER_UPDATE
        )
        if len(_JOBS) > _KEPT:
            del _JOBS[next(iter(_JOBS))]
    return job

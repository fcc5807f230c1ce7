"""`evaluate_rows`: metrics of flat columns, one row for each item."""

from __future__ import annotations

import contextlib
import copy
import functools
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.conventions.from_text import options_by_name
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.checks import of_ids
from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.engine.inputs.tensors import check_finite, to_numpy
from keras_rankmetrics.engine.messages import as_text, warn
from keras_rankmetrics.metrics import Sliced
from keras_rankmetrics.tables.ids import are_known, refusal
from keras_rankmetrics.tables.item_rows import (
    order_of,
    run_starts,
)
from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import (
    checked_metrics,
    members_of,
    results_of,
)
from keras_rankmetrics.tables.ragged import Lists, have_one_weight
from keras_rankmetrics.tables.roles import is_lower_better
from keras_rankmetrics.types import UNJUDGED

# The maximum number of lists in a padded batch, even if they are short.
_LISTS_PER_UPDATE = 2**18
_FIRST = 10_000  # scores, of which most data need no more
_MOST_GRADES = 10


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
        sample_weight: the weight of each row, or None. If the rows of each
            query have the same weight, it is the weight of the query: in the
            mean of metrics passed by name, which have `list_weight="mean"`,
            each query has that weight. Otherwise these are weights of items.
            Metrics that are objects keep their own `list_weight`: by default,
            a query without relevant items has the mean weight of the others.
        group: for `Sliced` metrics, the group of the query of each row, by name
            or number; or a dict of such columns by the names of the metrics.

    Returns:
        The results by name, in the order of the metrics: 0, as of a metric
        without lists, if no list counts. With `errors=True` a collection adds
        its standard errors.

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

    Stability: stable.
    """
    rows = read_rows(query, y_true, y_pred, metrics, sample_weight, group)
    sums = rows.job.sums([rows.lists])
    members = members_of(rows.metrics)
    for member, state in zip(members, sums.states if sums else (), strict=True):
        member.reset_state()
        member.state = state
    return results_of(rows.metrics)


class ReadRows(NamedTuple):
    """Flat columns as lists, and the job of the metrics.

    Attributes:
        metrics: the metrics and collections one by one.
        job: a job on copies of the metrics.
        lists: the columns of the lists.
        first: `[lists]`, the index of the first row of each list.
    """

    metrics: list[Any]
    job: Job
    lists: Lists
    first: np.ndarray


def read_rows(
    query: Any,
    y_true: Any,
    y_pred: Any,
    metrics: Any,
    sample_weight: Any = None,
    group: Any = None,
) -> ReadRows:
    """Return the checked lists of flat columns, and the metrics.

    Args:
        query: as for `evaluate_rows`.
        y_true: as for `evaluate_rows`.
        y_pred: as for `evaluate_rows`.
        metrics: as for `evaluate_rows`.
        sample_weight: as for `evaluate_rows`.
        group: as for `evaluate_rows`.

    Raises:
        ValueError: as for `evaluate_rows`.
        TypeError: as for `evaluate_rows`.
    """
    if isinstance(y_true, Mapping):
        raise ValueError(
            "`y_true` should be a column of labels. Received: a dict with the "
            f"keys {sorted(map(str, y_true))}. Leave masked rows out, mark "
            "unjudged rows with the label `UNJUDGED`, and pass groups as "
            "`group`. Other inputs need lists: call `update_state`."
        )
    given: dict[str, Any] = {"y_true": y_true}
    passed = {"y_pred": y_pred, "sample_weight": sample_weight, "group": group}
    names = {
        name: _named(name, x, given)
        for name, x in passed.items()
        if x is not None or name == "y_pred"
    }
    _check_same_rows({"query": query, **given})
    named_lower = False
    for x in y_pred.values() if isinstance(y_pred, Mapping) else [y_pred]:
        name = getattr(x, "name", None)
        is_lower = isinstance(name, str) and is_lower_better(name)
        if is_lower and not (as_numbers("y_pred", x) <= 0).all():
            named_lower = True
            warn(
                "`y_pred` should have higher scores for better rows. Received: "
                f"a column called {name!r}. Negate distances and ranks: "
                f"`-{name}`."
            )
    numbers = query_numbers(query)
    _warn_if_queries(numbers, as_numbers("y_pred", x), "scores")
    _warn_if_queries(numbers, as_numbers("y_true", y_true), "labels")
    order: Any = slice(None)
    first = starts = run_starts(numbers)
    if (numbers[1:] < numbers[:-1]).any():
        order = order_of(numbers)
        starts = run_starts(numbers[order])
        first = order[starts]

    @functools.cache
    def in_order(name: str) -> np.ndarray:
        return as_numbers(name, given[name])[order]

    are_of_lists = sample_weight is not None and have_one_weight(
        in_order("sample_weight"),
        starts,
        in_order("y_true"),
        lambda: members_of(checked_metrics(metrics)),
    )
    collected = checked_metrics(metrics, **options_by_name(None, are_of_lists))
    job = _job(members_of(collected), names, tuple(given))
    arrays = {}
    for name, x in given.items():
        is_group = name in job.groups
        arrays[name] = as_column(name, x)[order] if is_group else in_order(name)
        check_finite(name, arrays[name])
    lists = job.as_read(job.lists_of_items(arrays, starts))
    found = _ids_at(query, first)
    for place, facts in enumerate(job.facts_of(lists, "`{}`")):
        if not place:
            facts.add_ids(found)
            facts.add_queries(found)
            first_rows = np.arange(min(len(numbers), of_ids.COMPARED))
            facts.add_rows(_ids_at(query, first_rows))
            facts.add_sizes(found, np.diff(starts, append=len(numbers)))
            facts.see(nan=_nan_in(arrays, found, starts))
            if sample_weight is not None:
                weights = arrays["sample_weight"]
                numbers_of_rows = weights[:1] + np.arange(len(weights))
                columns = {
                    "the queries": as_column("query", query)[order],
                    "the labels": arrays["y_true"],
                    "the scores": lists[next(iter(job.predictions))].values,
                    "the numbers of the rows": numbers_of_rows,
                    checks.ZEROS: np.zeros(len(weights)),
                }
                facts.weighed_by = None
                facts.add_weights(weights, columns)
        if named_lower:
            facts.higher_is_better = None  # which has been said
        checks.say(facts, job.members)
    return ReadRows(collected, job, lists, first)


def _warn_if_queries(
    numbers: np.ndarray, values: np.ndarray, noun: str
) -> None:
    """Warn if labels or scores are queries: whole numbers in blocks of rows.

    Args:
        numbers: the number of the query of each row.
        values: `[rows]`.
        noun: the noun for the values.
    """
    for some in (values[:_FIRST], values):
        blocks = some[run_starts(some)] if len(some) else some
        if 2 * len(blocks) > len(some):  # scores of a model: no two are equal
            return
        distinct = np.unique(blocks)
        if len(distinct) < len(blocks):  # labels return
            return
    queries = len(np.unique(numbers))
    if (
        queries < min(len(distinct), _MOST_GRADES)
        and len(run_starts(numbers)) > 2 * len(distinct)
        and (distinct == np.floor(distinct)).all()
    ):
        warn(
            "The query should come first, then labels and scores. Received: "
            f"{queries} queries whose rows are apart, and {noun} that are "
            "whole numbers in blocks of rows, as queries are. Pass "
            "`evaluate_rows(query, y_true, y_pred, metrics)`."
        )


def _named(argument: str, x: Any, given: dict[str, Any]) -> Any:
    """Add the columns of an argument, and return their names for a job."""
    if isinstance(x, Mapping):
        names = {key: f'{argument}["{key}"]' for key in x}
        given.update({names[key]: column for key, column in x.items()})
        return names
    given[argument] = x
    return argument


def _nan_in(
    arrays: Mapping[str, np.ndarray], ids: np.ndarray, starts: np.ndarray
) -> str | None:
    """Return where a label or a score is NaN, in words, or None.

    Args:
        arrays: the columns in the order of their lists.
        ids: `[lists]`, the queries.
        starts: `[lists]`, the index of the first row of each list.
    """
    labels = arrays["y_true"]
    for name, x in arrays.items():
        is_side = x.dtype.kind == "f" and name.startswith("y_")
        if is_side and len(x) and np.isnan(x.min()):
            counted = ~(labels < 0) | (labels == UNJUDGED)
            for at in np.flatnonzero(np.isnan(x) & counted)[:1]:
                place = np.searchsorted(starts, at, side="right") - 1
                query = as_text(ids.tolist()[place]) if len(ids) else place
                return f"NaN in `{name}` for the query {query!r}"
    return None


def _ids_at(query: Any, places: np.ndarray) -> np.ndarray:
    """Return the ids of some rows, integers or text; none of other types.

    Args:
        query: the ids of queries.
        places: the indices of the rows.
    """
    if isinstance(query, list | tuple):
        found = [query[place] for place in places.tolist()]
    elif hasattr(query, "iloc"):
        found = query.iloc[places].tolist()
    else:
        found = as_column("query", query)[places].tolist()
    is_plain = {*map(type, found)} in ({str}, {int})
    return np.array(found if is_plain else [], None if is_plain else np.str_)


# Jobs that are kept between calls, since JAX compiles each job anew: the latest
# ones last.
_JOBS: dict[Any, Job] = {}
_KEPT = 16
_LOCK = threading.Lock()


def _job(
    members: Sequence[Any], columns: Mapping[str, Any], names: tuple[str, ...]
) -> Job:
    """Return a job on copies of the metrics.

    Args:
        members: the metrics.
        columns: the names of the columns by argument.
        names: the names of all columns.
    """
    for member in members:
        from_data = isinstance(member, Sliced) and member.by is None
        if from_data and "group" not in columns:
            raise ValueError(
                f"`{member.name}` is sliced: `group` should be a column with "
                f"the group of each row, one of {member.results[1:]} without "
                "the name of the metric, or its number. Received: None."
            )
    described = [(type(m), m.name, m.signature, m.definition) for m in members]
    key = (tuple(described), names)
    with _LOCK:
        _JOBS[key] = job = _JOBS.pop(key, None) or Job(
            copy.deepcopy(members),
            y_true="y_true",
            query="query",
            lists_per_update=_LISTS_PER_UPDATE,
            **columns,
        )
        if len(_JOBS) > _KEPT:
            del _JOBS[next(iter(_JOBS))]
    return job


# Columns of any library as one-dimensional numpy arrays.


def as_column(name: str, x: Any) -> np.ndarray:
    """Return a column as an array `[rows]`.

    Args:
        name: the name of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy can read.

    Raises:
        ValueError: if the shape is different.
    """
    if isinstance(x, Mapping):
        raise ValueError(
            f"`{name}` should be a column, with one value for each row. "
            f"Received: a dict with the keys {sorted(map(str, x))}."
        )
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ValueError(
            f"`{name}` should be a column without a mask. Received: a masked "
            "array that hides values. Leave these rows out."
        )
    array = to_numpy(x)
    if isinstance(x, list | tuple) and array.dtype.kind in "US":
        # numpy has converted all other objects in the list to strings.
        array = np.array(x, object)
    shape = array.shape
    if len(shape) == 2 and shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` should have one value for each row, in the shape [rows] "
            f"or [rows, 1]. Received: the shape {shape}, of the type "
            f"{type(x).__name__}."
        )
    return array


def as_numbers(name: str, x: Any) -> np.ndarray:
    """Return a column of numbers as an array `[rows]`, NaN for missing ones.

    Args:
        name: the name of the argument, for errors.
        x: `[rows]` or `[rows, 1]`, of any library that numpy can read.

    Raises:
        ValueError: if the shape is different, or a value is not a number.
    """
    array = as_column(name, x)
    kind = array.dtype.kind
    if kind == "O":
        array, kind = _floats(name, array), "f"
    if kind not in "biuf" and array.dtype.name != "bfloat16":
        raise ValueError(
            f"`{name}` should hold numbers. Received: values of the type "
            f"{array.dtype}."
        )
    if kind == "b":  # bool has no value for padding
        return array.astype(np.int8)
    if array.dtype.itemsize < 4 and kind not in "iu":
        return array.astype(np.float32)
    return array


def _check_same_rows(columns: Mapping[str, Any]) -> None:
    """Raise ValueError if the lengths or the pandas indices differ.

    Args:
        columns: the columns by the names of the arguments.
    """
    lengths = {name: len(as_column(name, x)) for name, x in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            "All columns should have one value for each row. Received: "
            + ", ".join(f"{n} in `{name}`" for name, n in lengths.items())
            + "."
        )
    if not max(lengths.values()):
        raise ValueError("There should be rows. Received: empty columns.")
    check_aligned_axis("index", columns)


def _floats(name: str, array: np.ndarray) -> np.ndarray:
    # numpy would convert text such as "1" too.
    wrong = next((x for x in array if isinstance(x, str | bytes)), None)
    if wrong is None:
        with contextlib.suppress(TypeError, ValueError):
            return array.astype(np.float64)
        wrong = array[0]
    raise ValueError(
        f"`{name}` should hold numbers. Received: objects such as {wrong!r}. "
        "Convert them, for example by `float`."
    )


# Ids of queries in a column of any library, as integers.


def _refusal(column: Any) -> str:
    expected = "be of one type, such as integers or text"
    return refusal(np.asarray(column), "`query`", expected)


def query_numbers(query: Any) -> np.ndarray:
    """Return integers `[rows]` that are equal for rows of the same query.

    Raises:
        ValueError: if an id is missing, a float that is not whole, or a bool.
        TypeError: if the ids have several types.
    """
    is_pandas = hasattr(query, "factorize")  # which is faster
    column = query if is_pandas else as_column("query", query)
    kind = getattr(column.dtype, "kind", "O")
    numbers = distinct = column
    try:
        if is_pandas:
            numbers, distinct = query.factorize(use_na_sentinel=False)
            distinct = np.asarray(distinct)
        elif kind in "OUST":
            first: dict[Any, int] = {}
            found = (first.setdefault(x, len(first)) for x in column.tolist())
            numbers = np.fromiter(found, np.int64, len(column))
            distinct = np.fromiter(first, object, len(first))
    except TypeError as error:  # objects that have no hash
        raise TypeError(_refusal(column)) from error
    if kind in "bcmMV" or not are_known(distinct):
        raise ValueError(_refusal(column))
    types = set(map(type, distinct)) if distinct.dtype.kind == "O" else ()
    if len({re.sub(r"u?int\d+", "int", each.__name__) for each in types}) > 1:
        raise TypeError(_refusal(column))
    return numbers.astype(np.int64) if kind == "f" else numbers

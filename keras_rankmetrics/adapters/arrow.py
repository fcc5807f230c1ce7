"""Columns of Arrow as the lists of a job: their names, types and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import check_has_values
from keras_rankmetrics.tables.ragged import (
    Lists,
    Ragged,
    refuse_first,
    refuse_nan,
)

# The column with the number of rows of each query, in tables of queries.
ROWS = "keras_rankmetrics rows"
LISTS = pa.ListType, pa.LargeListType, pa.FixedSizeListType

# For each argument: the types in words, the kinds of the values, and True for
# columns of lists, False for columns of single values, None for both.
_Rule = tuple[str, tuple[str, ...], bool | None]

_NUMBER, _INTEGER, _ID = ("integer", "float"), ("integer",), ("integer", "text")
_INDICES = "arrays of indices of items, integers from 0"
_IDS = "arrays of ids, integers or strings"
_NUMBERS = "arrays of numbers", _NUMBER, True
_ITEM = "a number for each item", _NUMBER, False
_ROW_IS_ITEM: dict[str, _Rule] = {"y_true": _ITEM, "y_pred": _ITEM}
_ALL_FORMS: dict[str, _Rule] = {
    "group": ("integers or strings", _ID, False),
    "sample_weight": ("numbers", _NUMBER, False),
    "num_relevant": ("numbers", _NUMBER, False),
    "order": (
        "numbers, strings, dates or times",
        (*_ID, "float", "time"),
        False,
    ),
}
_BY_FORM: dict[str, dict[str, _Rule]] = {
    "scores": {
        "y_true": _NUMBERS,
        "y_pred": _NUMBERS,
        "exclude": (_INDICES, _INTEGER, True),
    },
    "sparse": {
        "y_true": (f"{_INDICES}, or single ones", _INTEGER, None),
        "y_pred": _NUMBERS,
        "exclude": (_INDICES, _INTEGER, True),
    },
    "ids": {
        "y_true": (f"{_IDS}, or single ids", _ID, None),
        "y_pred": (f"{_IDS}, best first", _ID, True),
        "exclude": (_IDS, _ID, True),
    },
}


def check_schema(job: Job, schema: Any) -> None:
    """Raise an error if columns are missing, or have the wrong type.

    Args:
        job: the job, which names the columns.
        schema: a `pyarrow.Schema`.

    Raises:
        ValueError: if a column is missing.
        TypeError: if a column has the wrong type.
    """
    check_column_names(job, schema.names)
    is_item = job.query is not None
    rules = _ALL_FORMS | (_ROW_IS_ITEM if is_item else _BY_FORM[job.form])
    for argument, name in job.columns:
        if argument in rules:
            arrow_type = schema.field(name).type
            _check_type(argument, name, arrow_type, rules[argument], is_item)
    kinds = {name: kind_of(schema.field(name).type) for name in job.ids}
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts and "integer" in kinds.values():
        raise TypeError(
            "Ids should be strings in all columns, or integers in all. "
            f"Received: strings in {texts} of {job.ids}."
        )
    if texts and job.needs_indices:
        raise TypeError(
            "For metrics about the items of a catalogue, ids should be the "
            f"indices of the items, from 0. Received: strings in {texts}. "
            "Replace each id by the index of its item."
        )


def check_column_names(
    job: Job, names: Iterable[str], keep: Iterable[str] = ()
) -> None:
    """Raise ValueError if a column is not among the names.

    Args:
        job: the job, which names the columns that it reads.
        names: the names of all columns.
        keep: the columns to keep.
    """
    kept = [("keep", name) for name in keep]
    for argument, name in [*job.columns, *kept]:
        if name not in names:
            raise no_column(argument, name, names)


def kept_columns(job: Job, keep: Sequence[str]) -> list[str]:
    """Return the columns that the values of lists are next to.

    Raises:
        ValueError: if the job has no values of lists, or both a query and
            columns to keep.
    """
    if job.query is not None and keep:
        raise ValueError(
            "`keep` is for rows that are lists. Received: "
            f"`keep={list(keep)}` and `query={job.query!r}`. Join other "
            "columns to the result by the query."
        )
    keys = list(keep) if job.query is None else [job.query]
    check_has_values(job.members, keys)
    return keys


def no_column(
    argument: str, name: str | None, columns: Iterable[str]
) -> ValueError:
    """Return the error for an argument that names no column."""
    return ValueError(
        f"`{argument}` should be the name of a column. Received: {name!r}. The "
        f"columns are: {list(columns)}."
    )


def _check_type(
    argument: str, name: str, arrow_type: Any, rule: _Rule, is_item: bool
) -> None:
    expected, kinds, lists = rule
    kind, is_list = kind_of(arrow_type), isinstance(arrow_type, LISTS)
    if kind == "null" and argument in ("y_true", "y_pred", "exclude"):
        return  # all arrays are empty, or null
    if kind not in kinds or lists not in (None, is_list):
        remedy = "Cast the column, or create the metric with other `inputs`."
        if not is_item and kind in kinds and lists:
            remedy = "If each row is an item, name the column of its `query`."
        raise TypeError(
            f"The column {name!r} of `{argument}` should hold {expected}. "
            f"Received: values of the type {arrow_type}. {remedy}"
        )


_KINDS = (
    ("text", types.is_string),
    ("text", types.is_large_string),
    ("null", types.is_null),
    ("integer", types.is_integer),
    ("float", types.is_floating),
    ("time", types.is_date),
    ("time", types.is_timestamp),
)


def kind_of(arrow_type: Any) -> str:
    """Return the kind of a type, or of the elements of lists."""
    if isinstance(arrow_type, LISTS):
        arrow_type = arrow_type.value_type
    found = (kind for kind, is_kind in _KINDS if is_kind(arrow_type))
    return next(found, "other")


# Columns as lists.


def lists_in(table: Any, job: Job) -> Lists:
    """Return the checked lists of a table, by the names of the columns."""
    lists = (_of_rows if job.query is None else _of_queries)(table, job)
    return job.as_read(lists)


def _of_rows(table: Any, job: Job) -> Lists:
    """Return the lists of a table in which each row is a list."""
    flat = {name: flattened(table[name].combine_chunks()) for name in job.names}
    for name in job.ids:
        flat[name] = _ids(table, name, *flat[name])
        if job.needs_indices:
            indices = flat[name][0].to_numpy()
            refuse_first(
                indices,
                (indices < 0) | (indices > np.iinfo(np.int32).max),
                "For metrics about the items of a catalogue, the ids in "
                f"{name!r} should be the indices of the items, from 0.",
            )
    of_items = [flat[name][0] for name in job.ids]
    values = arrow_ids_as_int32(of_items) if of_items else []
    numbers = dict(zip(job.ids, values, strict=True))
    return {
        name: Ragged(
            numbers[name] if name in numbers else _numpy(array, name), lengths
        )
        for name, (array, lengths) in flat.items()
    }


def _of_queries(table: Any, job: Job) -> Lists:
    """Return the lists of a table in which each row is a query."""
    rows = table[ROWS].to_numpy()
    queries = known_queries(table[job.query].combine_chunks(), rows)
    values = {}
    for name in job.names:
        if name != job.query:
            array, lengths = flattened(table[name].combine_chunks())
            # Spark leaves nulls out of its lists.
            nulls = (rows - lengths).sum() + array.null_count
            _refuse_nulls(name, nulls, rows.sum(), _FILL)
            values[name] = _numpy(array, name)
    lists = job.lists_of_items(values, np.cumsum(rows) - rows)
    return {**lists, str(job.query): Ragged.of_single(queries)}


def known_queries(queries: Any, rows: np.ndarray) -> np.ndarray:
    """Return the ids of queries, integers or text; whole floats as integers.

    Args:
        queries: an Arrow array.
        rows: the number of rows of each query.

    Raises:
        ValueError: if a query is missing, or a float that is not whole.
    """
    values: np.ndarray
    if types.is_floating(queries.type):
        values = queries.to_numpy(zero_copy_only=False)  # nulls become NaN
        if ids.are_known(values):
            return values.astype(np.int64)
    elif not queries.null_count:
        values = queries.to_numpy(zero_copy_only=False)
        if ids.are_known(values):
            return _text_of_one_width(values)
    else:
        values = np.array(queries.to_pylist(), object)
    raise ValueError(ids.refusal(np.repeat(values, rows), "`query`"))


def flattened(array: Any) -> tuple[Any, np.ndarray]:
    """Return the values of a column in one array, and their number by row.

    A null has no values. A column of single values has one in each row.

    Args:
        array: a `pyarrow.Array`.
    """
    if types.is_null(array.type):
        return array.drop_null(), np.zeros(len(array), np.int64)
    if not isinstance(array.type, LISTS):
        is_value = array.is_valid().to_numpy(zero_copy_only=False)
        return array.drop_null(), is_value.astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    # Unlike `values`, `flatten` leaves out values under nulls and before a
    # slice.
    return array.flatten(), lengths.to_numpy().astype(np.int64)


_FILL = "Remove the rows, or fill them in."
_EMPTY = "Only a whole array may be null, which means an empty one."


def _refuse_nulls(name: str, nulls: int, number: int, remedy: str) -> None:
    """Raise ValueError if some values of a column are null."""
    if nulls:
        raise ValueError(
            f"The column {name!r} should hold no null. Received: {nulls} of "
            f"them among {number} values. {remedy}"
        )


def _numpy(array: Any, name: str) -> np.ndarray:
    """Return the values of all lists of a column, none of them missing."""
    _refuse_nulls(name, array.null_count, len(array), _EMPTY)
    if types.is_null(array.type):  # all lists are empty
        return np.zeros(0)
    values = _text_of_one_width(array.to_numpy(zero_copy_only=False))
    refuse_nan(name, values)
    return values.astype(np.float32) if values.dtype == np.float16 else values


def _text_of_one_width(values: np.ndarray) -> np.ndarray:
    """Return objects, which are texts, as an array of text."""
    return values.astype(np.str_) if values.dtype.kind == "O" else values


def _ids(
    table: Any, name: str, values: Any, lengths: np.ndarray
) -> tuple[Any, np.ndarray]:
    """Return the ids of a column, and their number by row.

    -1 is padding in arrays of a fixed size, and an id in lists of any lengths.

    Args:
        table: a `pyarrow.Table`.
        name: the name of the column.
        values: its values.
        lengths: their number by row.

    Raises:
        ValueError: if an id is null, or a list repeats -1.
    """
    _refuse_nulls(name, values.null_count, len(values), _EMPTY)
    if not types.is_integer(values.type):
        return values, lengths
    is_padding = values.to_numpy() == -1
    row = np.repeat(np.arange(len(lengths)), lengths)
    padding = np.bincount(row[is_padding], minlength=len(lengths))
    if types.is_fixed_size_list(table.schema.field(name).type):
        return values.filter(pa.array(~is_padding)), lengths - padding
    if padding.max(initial=0) > 1:
        raise ValueError(
            f"The lists in the column {name!r} should hold ids without "
            f"padding. Received: a list that repeats -1, {padding.max()} "
            "times. Leave padding out: lists may have any lengths."
        )
    return values, lengths


def arrow_ids_as_int32(columns: Sequence[Any]) -> list[np.ndarray]:
    """Return Arrow ids as int32, with the same number for equal ids.

    If all are integers from 0 that fit, they stay as they are. Others, such as
    hashes and strings, are numbered within this call.

    Args:
        columns: Arrow arrays, all of integers or all of strings.
    """
    kinds = {column.type for column in columns if len(column)}
    wide = pa.uint64() if pa.uint64() in kinds else pa.int64()
    if "text" in map(kind_of, kinds):
        wide = pa.large_string()
    # An empty column may have any type, even one that has no cast.
    together = pa.concat_arrays(
        [x.cast(wide) if len(x) else pa.array([], wide) for x in columns]
    )
    numbers = None
    if types.is_integer(wide):
        numbers = together.to_numpy()
    limit = np.iinfo(np.int32).max
    if numbers is None or ((numbers < 0) | (numbers > limit)).any():
        numbers = together.dictionary_encode().indices.to_numpy()
    ends = np.cumsum([len(column) for column in columns])
    return np.split(numbers.astype(np.int32), ends[:-1])

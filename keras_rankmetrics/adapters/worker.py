"""The work on Arrow tables, in processes that may not have imported Keras.

A worker checks the columns of a table, reads its lists, and returns the states
of the metrics after them.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import keras
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.jobs import Job, refuse_first
from keras_rankmetrics.tables.members import merged
from keras_rankmetrics.tables.ragged import Lists, Ragged

# The column with the number of the group of queries that a row belongs to, and
# how many groups there are.
BUCKET = "keras_rankmetrics bucket"
BUCKETS = 64

_LISTS = pa.ListType, pa.LargeListType, pa.FixedSizeListType


def on_worker(task: str, pickled: bytes, backend: str) -> Callable[[Any], Any]:
    """Return a function for a worker, which imports Keras with the backend.

    Unless the environment of the worker says otherwise, the backend uses no
    accelerator: many workers share a machine, and each would reserve all of its
    memory.

    Args:
        task: the name of the function of this module to call, with the job and
            the data.
        pickled: a `Job`.
        backend: the name of the Keras backend.
    """

    # A local function is pickled as code, without importing this module. So
    # the environment is set before Keras reads it.
    def run(data: Any) -> Any:
        import importlib
        import os
        import sys

        if "keras" not in sys.modules:
            os.environ["KERAS_BACKEND"] = backend
            os.environ.setdefault("JAX_PLATFORMS", "cpu")
            os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
        worker = importlib.import_module("keras_rankmetrics.adapters.worker")
        worker.check_backend(backend)
        return getattr(worker, task)(pickled, data)

    return run


def check_backend(backend: str) -> None:
    """Raise RuntimeError if Keras runs on another backend."""
    current = keras.config.backend()
    if current != backend:
        raise RuntimeError(
            f"A worker should run Keras on the backend {backend!r}. Received: "
            f"a process that has imported it on {current!r}. Pass "
            f'`backend="{current}"`, or restart the workers.'
        )


def sum_of(packed: Iterable[bytes]) -> list[State] | None:
    """Return the sum of packed states; None without any."""
    states = (map(State.from_bytes, pickle.loads(each)) for each in packed)
    return functools.reduce(merged, map(list, states), None)


def _packed(states: Sequence[State] | None) -> list[bytes]:
    """Return the states as one entry; none without lists."""
    if states is None:
        return []
    return [pickle.dumps([state.to_bytes() for state in states])]


# A process runs a job on many partitions, and should compile it once.
@functools.lru_cache(maxsize=2)
def _job_of(pickled: bytes) -> Job:
    job: Job = pickle.loads(pickled)
    return job


def tables_to_states(pickled: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a batch with the states after all batches; empty without lists.

    Their columns are those of the job, in this order, under any names.
    """
    job = _job_of(pickled)
    tables = (
        pa.Table.from_batches([batch]).rename_columns(job.names)
        for batch in batches
    )
    yield _batch(states_of_tables(job, tables))


def table_to_states(pickled: bytes, table: Any) -> dict[str, list[bytes]]:
    """Return a column with the states of a table, empty without lists.

    If rows are items, the table has all rows of its lists, in any order.
    """
    job, table = _job_of(pickled), _plain(table)
    check_schema(job, table.schema)
    if job.query is not None:
        table = table.sort_by(job.query)
    return {"states": _packed(states_of_tables(job, [table]))}


def in_buckets(pickled: bytes, table: Any) -> Any:
    """Return the table of items with a column `BUCKET`.

    All rows of a query have the same number there.
    """
    job, table = _job_of(pickled), _plain(table)
    check_schema(job, table.schema)
    values = _queries(table, job.query).to_numpy(zero_copy_only=False)
    if values.dtype.kind not in "iu":
        values = values.astype(str)
    # The keys of integers are the integers, which may all be multiples of 64.
    keys = ids.mixed(ids.keys_of(values))
    buckets = (keys % np.uint64(BUCKETS)).astype(np.int32)
    return table.append_column(BUCKET, pa.array(buckets))


def states_to_state(_: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a batch with the sum of all states; empty without any."""
    rows = (row for batch in batches for row in batch.column(0).to_pylist())
    yield _batch(sum_of(rows))


def _batch(states: Sequence[State] | None) -> Any:
    column = pa.array(_packed(states), pa.binary())
    return pa.RecordBatch.from_arrays([column], names=["states"])


def _plain(table: Any) -> Any:
    """Return the table with lists for Ray's tensors, values for categories."""
    for place, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            chunks = table.column(place).chunks
            storage = pa.concat_arrays([chunk.storage for chunk in chunks])
            if types.is_struct(storage.type):  # tensors of unequal lengths
                storage = pc.struct_field(storage, "data")
            elif len(field.type.shape) == 1:
                of_one = pa.list_(storage.type.value_type, *field.type.shape)
                storage = storage.cast(of_one)
            table = table.set_column(place, field.name, storage)
        elif types.is_dictionary(field.type):
            values = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.name, values)
    return table


# The lists of a table.


def states_of_tables(job: Job, tables: Iterable[Any]) -> list[State] | None:
    """Return the states of a job after all tables; None without lists.

    Args:
        job: the metrics, and the columns to read.
        tables: `pyarrow.Table` objects. If rows are items, the rows of a list
            must follow each other, and may continue in the next table.
    """
    return job.states(_lists_in(tables, job))


def _lists_in(tables: Iterable[Any], job: Job) -> Iterator[Lists]:
    """Yield the lists of each table, by the names of the columns."""
    read = _of_rows
    if job.query is not None:
        tables, read = _whole_lists(tables, job.query), _of_items
    for table in tables:
        lists = read(table, job)
        if len(lists[job.y_true].lengths):
            job.check_lists(lists)
            yield lists


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


def _of_items(table: Any, job: Job) -> Lists:
    """Return the lists of a table in which each row is an item."""
    values = {
        name: _numpy(table[name].combine_chunks(), name)
        for name in job.names
        if name != job.query
    }
    return job.lists_of_items(values, _starts(table, job.query))


def _whole_lists(tables: Iterable[Any], query: str) -> Iterator[Any]:
    """Yield the same rows in tables that contain whole lists."""
    held: list[Any] = []
    for table in tables:
        if table.num_rows:
            rows = pa.concat_tables([*held, table])
            last = int(_starts(rows, query)[-1])
            if last:
                yield rows.slice(0, last)
            held = [rows.slice(last)]
    yield from held


def _starts(table: Any, query: str | None) -> np.ndarray:
    """Return the first row of each list."""
    queries = _queries(table, query)
    differ = pc.not_equal(queries[1:], queries[:-1])
    return np.append(0, np.flatnonzero(differ) + 1)


def _queries(table: Any, query: str | None) -> Any:
    """Return the column of queries, whole floats as integers.

    Raises:
        ValueError: if a query is missing, or a float that is not whole.
    """
    queries = table[query].combine_chunks()
    if types.is_floating(queries.type):
        values = queries.to_numpy(zero_copy_only=False)  # nulls become NaN
        if ids.are_known(values):
            return pa.array(values.astype(np.int64))
    elif not queries.null_count:
        # Arrow ids may be strings, which numpy would copy one by one.
        return queries
    else:
        values = np.array(queries.to_pylist(), object)
    raise ValueError(ids.refusal(values, "`query`"))


def flattened(array: Any) -> tuple[Any, np.ndarray]:
    """Return the values of a column in one array, and their number by row.

    A null has no values. A column of single values has one in each row.

    Args:
        array: a `pyarrow.Array`.
    """
    if types.is_null(array.type):
        return array.drop_null(), np.zeros(len(array), np.int64)
    if not isinstance(array.type, _LISTS):
        is_value = array.is_valid().to_numpy(zero_copy_only=False)
        return array.drop_null(), is_value.astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    # Unlike `values`, `flatten` leaves out values under nulls and before a
    # slice.
    return array.flatten(), lengths.to_numpy().astype(np.int64)


def _without_nulls(array: Any, name: str) -> Any:
    """Return the array, or raise ValueError if it contains nulls."""
    if array.null_count:
        raise ValueError(
            f"The column {name!r} should hold no null. Received: "
            f"{array.null_count} of them among {len(array)} values. Only a "
            "whole array may be null, which means an empty one."
        )
    return array


def _numpy(array: Any, name: str) -> np.ndarray:
    array = _without_nulls(array, name)
    values: np.ndarray = array.to_numpy(zero_copy_only=False)
    return values.astype(np.float32) if values.dtype == np.float16 else values


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
    values = _without_nulls(values, name)
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
    if "text" in map(_kind, kinds):
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


# The types that the columns may have.


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
    kinds = {name: _kind(schema.field(name).type) for name in job.ids}
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


def check_column_names(job: Job, names: Iterable[str]) -> None:
    """Raise ValueError if a column that a job reads is not among the names."""
    for argument, name in job.columns:
        if name not in names:
            raise no_column(argument, name, names)


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
    kind, is_list = _kind(arrow_type), isinstance(arrow_type, _LISTS)
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
)


def _kind(arrow_type: Any) -> str:
    """Return the kind of a type, or of the elements of lists."""
    if isinstance(arrow_type, _LISTS):
        arrow_type = arrow_type.value_type
    found = (kind for kind, is_kind in _KINDS if is_kind(arrow_type))
    return next(found, "other")

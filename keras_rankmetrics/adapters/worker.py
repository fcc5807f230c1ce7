"""The work on Arrow tables, in processes that may not have imported Keras.

A worker checks the columns of a table, reads its lists, and returns the states
of the metrics after them.
"""

from __future__ import annotations

import contextlib
import functools
import pickle
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import keras
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from keras_rankmetrics.adapters.doors import BACKENDS
from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.checks import Facts
from keras_rankmetrics.tables.jobs import Job, refuse_first, refuse_nan
from keras_rankmetrics.tables.members import (
    Sums,
    check_has_values,
    merged,
    value_names,
)
from keras_rankmetrics.tables.ragged import Lists, Ragged

# The column with the number of the group of queries that a row belongs to, and
# how many groups there are.
BUCKET = "keras_rankmetrics bucket"
BUCKETS = 64
# The column with the number of rows of each query, in tables of queries.
ROWS = "keras_rankmetrics rows"

_LISTS = pa.ListType, pa.LargeListType, pa.FixedSizeListType


def on_worker(
    task: str, job: Job, backend: str | None, pickled: bytes
) -> Callable[[Any], Any]:
    """Return a function for a worker, which imports Keras with a backend.

    Without a `backend`, that is the first of `job.backends` that is installed
    there, unless Keras has been imported already.

    Unless the environment of the worker says otherwise, the backend uses no
    accelerator: many workers share a machine, and each would reserve all of its
    memory.

    Args:
        task: the name of the function of this module to call, with `pickled`
            and the data.
        job: the job.
        backend: the name of the Keras backend that it needs, or None.
        pickled: the job, and what else the function needs.
    """
    names = job.backends if backend is None else [backend]
    packages = {name: BACKENDS[name] for name in names}

    # A local function is pickled as code, without importing this module. So
    # the environment is set before Keras reads it.
    def run(data: Any) -> Any:
        import concurrent.futures
        import importlib.util
        import os
        import sys

        if "keras" not in sys.modules:
            find = importlib.util.find_spec
            installed = [x for x in names if find(packages[x]) is not None]
            os.environ["KERAS_BACKEND"] = [*installed, *names][0]
            os.environ.setdefault("JAX_PLATFORMS", "cpu")
            os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
        # Ray interrupts the main thread to cancel a task. The next one would
        # find half of Keras, so that another thread imports it to the end.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            name = "keras_rankmetrics.adapters.worker"
            worker = thread.submit(importlib.import_module, name).result()
        worker.check_backend(backend)
        return getattr(worker, task)(pickled, data)

    return run


def check_backend(backend: str | None) -> None:
    """Raise RuntimeError if Keras runs on another backend; None is any."""
    current = keras.config.backend()
    if backend not in (None, current):
        raise RuntimeError(
            f"A worker should run Keras on the backend {backend!r}. Received: "
            f"a process that has imported it on {current!r}. Leave `backend` "
            "out, or restart the workers."
        )


def sum_of(packed: Iterable[bytes]) -> Sums | None:
    """Return the sum of packed sums; None without any."""
    sums = map(_sums, map(pickle.loads, packed))
    return functools.reduce(merged, sums, None)


def _sums(unpacked: tuple[list[bytes], bool, list[Facts]]) -> Sums:
    states, are_of_queries, facts = unpacked
    return Sums(list(map(State.from_bytes, states)), are_of_queries, facts)


def _packed(sums: Sums | None) -> list[bytes]:
    """Return the sums as one entry; none without lists."""
    if sums is None:
        return []
    states = [state.to_bytes() for state in sums.states]
    return [pickle.dumps((states, *sums[1:]))]


# A process runs a job on many partitions, and should compile it once.
@functools.lru_cache(maxsize=2)
def _unpickled(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def tables_to_states(pickled: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a batch with the states after all batches; empty without lists.

    Args:
        pickled: the job and the names of the columns.
        batches: those of a partition of Spark.
    """
    job, names = _unpickled(pickled)
    tables = (_renamed(batch, names) for batch in batches)
    yield _batch(sums_of_tables(job, tables, _partition()))


def tables_to_values(pickled: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches with the values of each list, next to columns to keep.

    Args:
        pickled: the job, the names of the columns, and those to keep.
        batches: those of a partition of Spark.
    """
    job, names, keys = _unpickled(pickled)
    before, part = 0, _partition()
    for batch in batches:
        table = _renamed(batch, names)
        yield from values_of_table(job, keys, table, part, before).to_batches()
        before += table.num_rows


def _renamed(batch: Any, names: Sequence[str]) -> Any:
    return pa.Table.from_batches([batch]).rename_columns(names)


def _partition() -> str:
    from pyspark import TaskContext

    context = TaskContext.get()
    return f"partition {context.partitionId()}" if context else "a partition"


def table_to_states(pickled: bytes, table: Any) -> dict[str, list[bytes]]:
    """Return a column with the states of a table, empty without lists.

    If rows are items, the table has all rows of its lists, in any order.
    """
    job = _unpickled(pickled)
    table = lists_of(job, table)
    return {"states": _packed(sums_of_tables(job, [table]))}


def table_to_values(pickled: bytes, table: Any) -> Any:
    """Return a table of the values of each list, next to columns to keep."""
    job, keys = _unpickled(pickled)
    return values_of_table(job, keys, lists_of(job, table))


def lists_of(job: Job, table: Any) -> Any:
    """Return a table in which each row is a list, or has those of a query.

    Args:
        job: the job.
        table: a table in which each row is a list or an item.

    Raises:
        ValueError: if a column is missing.
        TypeError: if a column has the wrong type.
    """
    table = _plain(table)
    check_schema(job, table.schema)
    if job.query is None:
        return table
    names = [name for name in job.names if name != job.query]
    grouped = table.group_by(job.query, use_threads=False).aggregate(
        [*((name, "list") for name in names), ([], "count_all")]
    )
    columns = [f"{name}_list" for name in names]
    return grouped.select([job.query, *columns, "count_all"]).rename_columns(
        [job.query, *names, ROWS]
    )


def in_buckets(pickled: bytes, table: Any) -> Any:
    """Return the table of items with a column `BUCKET`.

    All rows of a query have the same number there.
    """
    job, table = _unpickled(pickled), _plain(table)
    check_schema(job, table.schema)
    queries = table[job.query].combine_chunks()
    values = _known(queries, np.ones(len(queries), np.int64))
    # The keys of integers are the integers, which may all be multiples of 64.
    keys = ids.mixed(ids.keys_of(values))
    buckets = (keys % np.uint64(BUCKETS)).astype(np.int32)
    return table.append_column(BUCKET, pa.array(buckets))


def states_to_state(_: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a batch with the sum of all states; empty without any."""
    rows = (row for batch in batches for row in batch.column(0).to_pylist())
    yield _batch(sum_of(rows))


def _batch(sums: Sums | None) -> Any:
    column = pa.array(_packed(sums), pa.binary())
    return pa.RecordBatch.from_arrays([column], names=["states"])


def _plain(table: Any) -> Any:
    """Return the table with plain types, such as lists for Ray's tensors."""
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
        elif types.is_float16(field.type):  # Arrow makes no lists of it
            values = table.column(place).cast(pa.float32())
            table = table.set_column(place, field.name, values)
    return table


# The lists of a table.


def sums_of_tables(
    job: Job, tables: Iterable[Any], part: str = "a batch"
) -> Sums | None:
    """Return the sums of a job after all tables; None without lists.

    Args:
        job: the metrics, and the columns to read.
        tables: `pyarrow.Table` objects. Each row is a list; or it is a query,
            with arrays of the values of its items, and their number in `ROWS`.
        part: what the tables are parts of, for errors.
    """
    reading = _Reading(job, tables)
    with reading.located(part):
        return job.sums(reading)


def values_of_table(
    job: Job,
    keys: Sequence[str],
    table: Any,
    part: str = "a batch",
    before: int = 0,
) -> Any:
    """Return a table of the values of each list, next to columns to keep.

    Args:
        job: the metrics, and the columns to read.
        keys: the names of the columns to keep.
        table: a table, as for `sums_of_tables`.
        part: what the table is a part of, for errors.
        before: the number of rows of the part before the table.
    """
    values = {name: np.zeros(0) for name in value_names(job.members)}
    reading = _Reading(job, [table], before)
    with reading.located(part):
        for lists in reading:
            job.refuse(job.facts_of(lists))
            values = job.per_list(lists)
    kept = {name: table[name] for name in keys}
    return pa.table({**kept, **values})


class _Reading:
    """The lists of tables, one table after the other."""

    def __init__(self, job: Job, tables: Iterable[Any], before: int = 0):
        self._job, self._tables, self._before = job, tables, before
        self._table: Any = None

    def __iter__(self) -> Iterator[Lists]:
        for table in self._tables:
            self._table = table
            if table.num_rows:
                yield _read(table, self._job)
            self._before += table.num_rows

    @contextlib.contextmanager
    def located(self, part: str) -> Iterator[None]:
        """Note in an error where its cause is."""
        try:
            yield
        except Exception as error:  # functions of users may raise anything
            error.add_note(self._place(part))
            raise

    def _place(self, part: str) -> str:
        """Return where the cause of an error is, as far as it can be found."""
        if self._table is None:
            return f"The error is in {part}."
        row = _first_wrong(self._job, self._table)
        if row is None:
            last = self._before + self._table.num_rows - 1
            return f"The error is in rows {self._before} to {last} of {part}."
        [values] = self._table.slice(row, 1).to_pylist()
        if self._job.query is not None:
            return f"The error is in the query {values[self._job.query]!r}."
        return (
            f"The error is in row {self._before + row} of {part}, counted from "
            f"0: {reprlib.repr(values)}."
        )


def _first_wrong(job: Job, table: Any) -> int | None:
    """Return the first row that causes an error alone, by halving the table."""
    start, stop = 0, table.num_rows
    while stop - start > 1:
        middle = (start + stop) // 2
        if _is_wrong(job, table.slice(start, middle - start)):
            stop = middle
        elif _is_wrong(job, table.slice(middle, stop - middle)):
            start = middle
        else:
            return None
    return start


def _is_wrong(job: Job, table: Any) -> bool:
    try:
        job.sums([_read(table, job)])
    except Exception:  # functions of users may raise anything
        return True
    return False


def _read(table: Any, job: Job) -> Lists:
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
    queries = _known(table[job.query].combine_chunks(), rows)
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


def _known(queries: Any, rows: np.ndarray) -> np.ndarray:
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
        return _text_of_one_width(queries.to_numpy(zero_copy_only=False))
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
    if not isinstance(array.type, _LISTS):
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
    ("time", types.is_date),
    ("time", types.is_timestamp),
)


def _kind(arrow_type: Any) -> str:
    """Return the kind of a type, or of the elements of lists."""
    if isinstance(arrow_type, _LISTS):
        arrow_type = arrow_type.value_type
    found = (kind for kind, is_kind in _KINDS if is_kind(arrow_type))
    return next(found, "other")

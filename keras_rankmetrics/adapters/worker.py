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

from keras_rankmetrics.adapters.arrow import (
    ROWS,
    check_schema,
    known_queries,
    lists_in,
)
from keras_rankmetrics.adapters.log_job import BACKENDS
from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.checks import Facts
from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import (
    Sums,
    merged,
    value_names,
)
from keras_rankmetrics.tables.ragged import Lists

# The column with the number of the group of queries that a row belongs to, and
# how many groups there are.
BUCKET = "keras_rankmetrics bucket"
BUCKETS = 64


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
    table = _checked(job, table)
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
    job = _unpickled(pickled)
    table = _checked(job, table)
    queries = table[job.query].combine_chunks()
    values = known_queries(queries, np.ones(len(queries), np.int64))
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


def _checked(job: Job, table: Any) -> Any:
    """Return the table with plain types, such as lists for Ray's tensors.

    Raises:
        ValueError: if a column is missing.
        TypeError: if a column has the wrong type.
    """
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
    check_schema(job, table.schema)
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
                yield lists_in(table, self._job)
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
        job.sums([lists_in(table, job)])
    except Exception:  # functions of users may raise anything
        return True
    return False

"""A process that has not imported Keras yet, and the states it sends back."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import keras

import keras_rankmetrics as krm
from keras_rankmetrics.adapters.reading import states_of_tables
from keras_rankmetrics.adapters.schema import check_schema
from keras_rankmetrics.jobs.job import merged

Packed = list[bytes]


def on_worker(task: str, job: bytes, backend: str) -> Callable[[Any], Any]:
    """A function to send to a worker, which imports Keras on the backend.

    Where the worker says nothing else, the backend uses no accelerator: many
    workers share a machine, and each would take all of it.

    Args:
        task: the function of this module that it calls, with the job and with
            what it is called with.
        job: a pickled `Job`.
        backend: the name of the Keras backend.
    """

    # It is sent as code, since it is no name of a module, and this module is
    # imported by it. So the environment is set before Keras reads it.
    def run(given: Any) -> Any:
        import importlib
        import os
        import sys

        if "keras" not in sys.modules:
            os.environ["KERAS_BACKEND"] = backend
            os.environ.setdefault("JAX_PLATFORMS", "cpu")
            os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
        worker = importlib.import_module("keras_rankmetrics.adapters.worker")
        worker.check_backend(backend)
        return getattr(worker, task)(job, given)

    return run


def check_backend(backend: str) -> None:
    """Raises where Keras has been imported on another backend."""
    there = keras.config.backend()
    if there != backend:
        raise RuntimeError(
            f"A worker should run Keras on the backend {backend!r}. Received: "
            f"a process that has imported it on {there!r}. Pass "
            f'`backend="{there}"`, or start the workers anew.'
        )


def states_of(job: bytes, tables: Iterable[Any]) -> Packed | None:
    """The states of a part of the data; None if it holds no list."""
    return _packed(states_of_tables(_unpickled(job), tables))


def sum_of(rows: Iterable[Packed]) -> list[krm.State] | None:
    """The states of all rows together, which are read one after the other."""
    states = (map(krm.State.from_bytes, row) for row in rows)
    return functools.reduce(merged, map(list, states), None)


def _packed(states: Sequence[krm.State] | None) -> Packed | None:
    return None if states is None else [s.to_bytes() for s in states]


# A process does many parts of a job, and compiles for it once.
@functools.lru_cache(maxsize=2)
def _unpickled(job: bytes) -> Any:
    return pickle.loads(job)


def tables_to_states(job: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """A batch of Arrow with one row, the states of all batches, or nothing."""
    import pyarrow as pa

    tables = (pa.Table.from_batches([batch]) for batch in batches)
    packed = states_of(job, tables)
    if packed is not None:
        yield _row(packed)


def table_to_states(job: bytes, table: Any) -> dict[str, list[bytes]]:
    """A column with one row, the states of a table, or with none."""
    table = plain(table)
    check_schema(_unpickled(job).columns, table.schema)
    packed = states_of(job, [table])
    return {"states": [] if packed is None else [pickle.dumps(packed)]}


def states_to_state(_: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """A batch of Arrow with one row, the sum of the states, or nothing."""
    rows = (row for batch in batches for row in batch.column(0).to_pylist())
    packed = _packed(sum_of(rows))
    if packed is not None:
        yield _row(packed)


def plain(table: Any) -> Any:
    """The table with lists of numbers in place of the tensors of Ray."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            chunks = table.column(place).chunks
            storage = pa.concat_arrays([chunk.storage for chunk in chunks])
            if pa.types.is_struct(storage.type):  # of unequal lengths
                storage = pc.struct_field(storage, "data")
            table = table.set_column(place, field.name, storage)
    return table


def _row(packed: Packed) -> Any:
    import pyarrow as pa

    column = pa.array([packed], pa.list_(pa.binary()))
    return pa.RecordBatch.from_arrays([column], names=["states"])

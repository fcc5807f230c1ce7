"""Functions for workers, in processes that may not have imported Keras."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import keras

import keras_rankmetrics as krm
from keras_rankmetrics.adapters.arrow import check_schema, states_of_tables
from keras_rankmetrics.tables.jobs import merged


def on_worker(task: str, job: bytes, backend: str) -> Callable[[Any], Any]:
    """Return a function for a worker, which imports Keras with the backend.

    Unless the environment of the worker says otherwise, the backend uses no
    accelerator: many workers share a machine, and each would reserve all of its
    memory.

    Args:
        task: the name of the function of this module to call, with the job and
            the data.
        job: a pickled `Job`.
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
        return getattr(worker, task)(job, data)

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


def sum_of(packed: Iterable[bytes]) -> list[krm.State] | None:
    """Return the sum of packed states; None without any."""
    states = (map(krm.State.from_bytes, pickle.loads(each)) for each in packed)
    return functools.reduce(merged, map(list, states), None)


def _packed(states: Sequence[krm.State] | None) -> list[bytes]:
    """Return the states as one entry; none without lists."""
    if states is None:
        return []
    return [pickle.dumps([state.to_bytes() for state in states])]


# A process runs a job on many partitions, and should compile it once.
@functools.lru_cache(maxsize=2)
def _unpickled(job: bytes) -> Any:
    return pickle.loads(job)


def tables_to_states(job: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield an Arrow batch with the states of all batches, if there are any."""
    import pyarrow as pa

    tables = (pa.Table.from_batches([batch]) for batch in batches)
    yield _batch(states_of_tables(_unpickled(job), tables))


def table_to_states(job: bytes, table: Any) -> dict[str, list[bytes]]:
    """Return a column with the states of a table, empty without lists."""
    table = _without_tensors(table)
    check_schema(_unpickled(job).columns, table.schema)
    return {"states": _packed(states_of_tables(_unpickled(job), [table]))}


def states_to_state(_: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield an Arrow batch with the sum of all states, if there are any."""
    rows = (row for batch in batches for row in batch.column(0).to_pylist())
    yield _batch(sum_of(rows))


def _batch(states: Sequence[krm.State] | None) -> Any:
    import pyarrow as pa

    column = pa.array(_packed(states), pa.binary())
    return pa.RecordBatch.from_arrays([column], names=["states"])


def _without_tensors(table: Any) -> Any:
    """Return the table with lists in place of Ray's tensors."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            chunks = table.column(place).chunks
            storage = pa.concat_arrays([chunk.storage for chunk in chunks])
            if pa.types.is_struct(storage.type):  # tensors of unequal lengths
                storage = pc.struct_field(storage, "data")
            table = table.set_column(place, field.name, storage)
    return table

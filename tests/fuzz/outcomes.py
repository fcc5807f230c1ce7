"""What the package does with a case."""

import dataclasses
import functools
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import keras
import numpy as np
from catalogue import Cell
from keras import ops

from keras_rankmetrics import MetricCollection

from .case import Case


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a metric does with a batch.

    Attributes:
        cell: the metric.
        values: of the lists, in one row, or None if it was refused.
        result: the mean, NaN if it was refused.
        error: what it was refused with, or None.
        changed: whether what it was refused with changed the state.
        differs: whether the same input gave other bits the second time.
    """

    cell: Cell
    values: np.ndarray | None = None
    result: float = float("nan")
    error: Exception | None = None
    changed: bool = False
    differs: bool = False


def outcomes_of(case: Case) -> list[Outcome]:
    """One for each metric of the case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if case.is_compiled:
            return _of_a_program(case)
        if case.way == "alone":
            return _one_by_one(case, case.passed())
        return _together(case)


def _together(case: Case) -> list[Outcome]:
    collection = _collection(case.cells)
    passed, before = case.passed(), _bits(collection)
    try:
        found = _values(collection.per_list(*passed))
        collection.update_state(*passed)
        results = _values(collection.result())
    except Exception as error:
        changed = _bits(collection) != before
        if len(case.cells) == 1 or changed:
            return [
                Outcome(cell, error=error, changed=changed)
                for cell in case.cells
            ]
        return _one_by_one(case, passed)  # who refuses it?
    again = _values(collection.per_list(*case.passed()))
    return [
        Outcome(
            cell,
            of_cell.ravel(),
            float(result),
            differs=of_cell.tobytes() != second.tobytes(),
        )
        for cell, of_cell, result, second in zip(
            case.cells, found, results, again, strict=True
        )
    ]


def _one_by_one(case: Case, passed: Sequence[Any]) -> list[Outcome]:
    return list(_alone(case.cells, passed))


def _alone(cells: Sequence[Cell], passed: Sequence[Any]) -> Iterator[Outcome]:
    for cell in cells:
        metric = _metric(cell)
        metric.reset_state()
        before = _bits(metric)
        try:
            metric.update_state(*passed)
            [found] = _values({"": metric.per_list(*passed)})
            yield Outcome(cell, found.ravel(), float(metric.result()))
        except Exception as error:
            changed = _bits(metric) != before
            yield Outcome(cell, error=error, changed=changed)


def _of_a_program(case: Case) -> list[Outcome]:
    program, collection = _program(case.cells, case.way)
    state = [np.zeros(tuple(v.shape), v.dtype) for v in collection.variables]
    values, state = program(state, *case.passed())
    for variable, value in zip(collection.variables, state, strict=True):
        variable.assign(value)
    results = _values(collection.result())
    return [
        Outcome(cell, ops.convert_to_numpy(of_cell).ravel(), float(result))
        for cell, of_cell, result in zip(
            case.cells, values, results, strict=True
        )
    ]


@functools.lru_cache(512)
def _metric_of(name: str, cell: "_Hashed") -> Any:
    return cell.cell.make(name=name)


class _Hashed:
    """A cell as a key."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    def __hash__(self) -> int:
        return hash(str(self.cell))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and str(self.cell) == str(other.cell)


def _metric(cell: Cell) -> Any:
    return _metric_of("alone", _Hashed(cell))


def _collection(cells: Sequence[Cell]) -> MetricCollection:
    collection = _collection_of(tuple(map(_Hashed, cells)))
    collection.reset_state()
    return collection


@functools.lru_cache(256)
def _collection_of(cells: tuple[_Hashed, ...]) -> MetricCollection:
    return MetricCollection(
        [each.cell.make(name=str(i)) for i, each in enumerate(cells)]
    )


def _program(cells: Sequence[Cell], way: str) -> tuple[Any, MetricCollection]:
    return _program_of(tuple(map(_Hashed, cells)), way)


@functools.lru_cache(64)
def _program_of(
    cells: tuple[_Hashed, ...], way: str
) -> tuple[Any, MetricCollection]:
    collection = MetricCollection(
        [each.cell.make(name=str(i)) for i, each in enumerate(cells)]
    )

    def step(state: Any, *passed: Any) -> Any:
        values = collection.per_list(*passed)
        return (
            ops.stack(list(values.values())),
            collection.stateless_update_state(state, *passed),
        )

    if keras.backend.backend() == "jax":
        import jax

        return jax.jit(step, compiler_options=_QUICKLY), collection
    import tensorflow as tf

    compiled = tf.function(step, jit_compile=way == "xla")
    return lambda state, *passed: compiled(
        *keras.tree.map_structure(
            lambda x: None if x is None else tf.convert_to_tensor(x),
            (state, *passed),
        )
    ), collection


_QUICKLY = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}


def _values(found: dict[str, Any]) -> list[np.ndarray]:
    return [np.asarray(ops.convert_to_numpy(x)) for x in found.values()]


def _bits(metric: Any) -> list[bytes]:
    return [ops.convert_to_numpy(v).tobytes() for v in metric.variables]

"""Validation rows in batches, from arrays or datasets."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops, tree

from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.inputs.shapes import check_same
from keras_rankmetrics.engine.inputs.tensors import to_numpy


class Batch(NamedTuple):
    """A batch of rows.

    Attributes:
        x: the inputs of the model.
        y: the labels, unchanged.
        sample_weight: the weights, or None.
    """

    x: Any
    y: Any
    sample_weight: Any


class Data(NamedTuple):
    """All rows, in batches.

    Attributes:
        batches: returns an iterator that starts at the first row.
        number: the number of batches, or None if unknown.
    """

    batches: Callable[[], Iterator[Batch]]
    number: int | None


def of_arrays(x: Any, y: Any, sample_weight: Any, batch_size: int) -> Data:
    """Return batches of arrays, or of structures of arrays.

    Raises:
        ValueError: if numbers of rows differ, or the batch size is invalid.
    """
    size = as_integer(batch_size)
    if size is None or size < 1:
        raise ValueError(
            "`batch_size` should be an integer, at least 1. Received: "
            f"{batch_size!r}."
        )
    if not tree.flatten(x):
        raise ValueError(
            "`x` should hold an array of validation rows. Received: "
            f"{x!r}, which has none."
        )
    parts = _of_lists(x), _of_lists(y), _of_lists(sample_weight)
    names = "x", "y", "sample_weight"
    firsts = (tree.flatten(part)[0] for part in parts)
    check_same("index", dict(zip(names, firsts, strict=True)))
    shapes = [np.shape(leaf) for leaf in tree.flatten(parts)]
    counts = sorted({int(shape[0]) for shape in shapes if len(shape)})
    if len(counts) != 1 or not counts[0]:
        raise ValueError(
            "`x`, `y` and `sample_weight` should have the same number of rows, "
            f"at least one. Received: {counts} rows."
        )
    [rows] = counts

    def taken(leaf: Any, part: slice) -> Any:
        if leaf is None:
            return None
        return leaf.iloc[part] if hasattr(leaf, "iloc") else leaf[part]

    def batches() -> Iterator[Batch]:
        for start in range(0, rows, size):
            part = slice(start, min(start + size, rows))
            take = functools.partial(taken, part=part)
            yield Batch(*tree.map_structure(take, parts))

    return Data(batches, -(-rows // size))


def of_dataset(dataset: Any) -> Data:
    """Return the batches of a dataset: an iterable or a `PyDataset`.

    Raises:
        ValueError: if the dataset never ends.
        TypeError: if it cannot be read again for each epoch.
    """
    if hasattr(dataset, "__next__") or not (
        isinstance(dataset, keras.utils.PyDataset)
        or hasattr(dataset, "__iter__")
    ):
        raise TypeError(
            "Without `y`, `x` should be a dataset of batches `(x, y)` or "
            "`(x, y, sample_weight)` that can be read again for each epoch: a "
            "`keras.utils.PyDataset`, a `tf.data.Dataset`, a `DataLoader`, a "
            f"list of batches. Received: a {type(dataset).__name__}."
        )
    number = _number_of_batches(dataset)

    def batches() -> Iterator[Batch]:
        empty = True
        for batch in _read(dataset):
            empty = False
            yield _unpacked(batch)
        if empty:
            raise ValueError(
                "The dataset of validation rows should have at least one "
                f"batch. Received: an empty {type(dataset).__name__}. If it "
                "can be read only once, pass one that can be read again."
            )

    return Data(batches, number)


def is_dataset(x: Any) -> bool:
    """Return True if `x` is a dataset, which includes the labels."""
    if isinstance(x, keras.utils.PyDataset) or hasattr(x, "__next__"):
        return True
    if isinstance(x, list | tuple):
        return bool(x) and isinstance(x[0], list | tuple)
    return (
        hasattr(x, "__iter__")
        and not isinstance(x, Mapping)
        and not hasattr(x, "shape")
    )


def shuffles(dataset: Any) -> bool:
    """Return True for a `DataLoader` whose sampler reorders the rows."""
    batches = getattr(dataset, "batch_sampler", None)
    samplers = (
        getattr(dataset, "sampler", None),
        getattr(batches, "sampler", None),
    )
    return any(
        "Random" in type(sampler).__name__
        or getattr(sampler, "shuffle", False) is True
        for sampler in samplers
    )


def as_input(x: Any) -> Any:
    """Return `x` as a model accepts it: tensors of the backend, or arrays."""
    return tree.map_structure(
        lambda leaf: leaf if ops.is_tensor(leaf) else to_numpy(leaf), x
    )


def _of_lists(part: Any) -> Any:
    """Return lists of numbers as an array, and anything else unchanged."""
    leaves = tree.flatten(part)
    if isinstance(part, list) and not any(hasattr(x, "shape") for x in leaves):
        return np.asarray(part)
    return part


def _number_of_batches(dataset: Any) -> int | None:
    """Return the number of batches, or None if it is unknown."""
    if isinstance(dataset, keras.utils.PyDataset):
        number = dataset.num_batches
        endless = number is None
    elif hasattr(dataset, "cardinality"):
        number = int(dataset.cardinality())
        endless = number == -1  # and -2 is an unknown number
    else:
        number, endless = operator.length_hint(dataset, -2), False
    if endless:
        raise ValueError(
            "The validation rows should have an end. Received: an infinite "
            f"{type(dataset).__name__}. Limit it, as `.take(steps)` does."
        )
    return None if number is None or number < 0 else number


def _read(dataset: Any) -> Iterator[Any]:
    if not isinstance(dataset, keras.utils.PyDataset):
        yield from dataset
        return
    dataset.on_epoch_begin()
    for number in range(dataset.num_batches or 0):
        yield dataset[number]
    dataset.on_epoch_end()


def _unpacked(batch: Any) -> Batch:
    parts = tuple(batch) if isinstance(batch, list | tuple) else (batch,)
    if len(parts) not in (2, 3):
        raise ValueError(
            "A batch of validation rows should be `(x, y)` or "
            f"`(x, y, sample_weight)`. Received: {len(parts)} part(s)."
        )
    return Batch(*parts, *(None,) * (3 - len(parts)))

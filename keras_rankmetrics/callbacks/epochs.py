"""The base of the callbacks that evaluate validation rows after each epoch."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops, tree

from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.tables.members import checked_metrics

Batches = Iterator[tuple[Any, ...]]
"""Batches `(x, y, sample_weight)`, or the first of these."""


class ValidationRows(NamedTuple):
    """All rows, in batches.

    Attributes:
        batches: returns an iterator that starts at the first row.
        number: the number of batches, or None if unknown.
        rows: the number of rows, or 0 if unknown.
    """

    batches: Callable[[], Batches]
    number: int | None
    rows: int = 0


class EvaluateEpochs(keras.callbacks.Callback):
    """Log the metrics that `evaluate` returns after each epoch.

    Args:
        metrics: a metric, a `MetricCollection`, names such as `"NDCG@10 RR"`,
            or a list of these.
        prefix: the prefix of the names in the logs.
        verbose: 1 for a progress bar, 0 for none; by default as in `fit`.
        **options: options of metrics passed by name.
    """

    def __init__(
        self, metrics: Any, prefix: str, verbose: int | None, **options: Any
    ) -> None:
        super().__init__()
        self.metrics: list[Any] = checked_metrics(metrics, **options)
        self.prefix = prefix
        self.verbose = verbose

    def evaluate(self, model: keras.Model) -> dict[str, float]:
        """Return the metrics of the validation data under a model, by name.

        Args:
            model: the model, trained or not.
        """
        raise NotImplementedError

    def on_epoch_end(
        self, epoch: int, logs: dict[str, Any] | None = None
    ) -> None:
        """Write the metrics into the logs."""
        logs = {} if logs is None else logs
        if self._is_verbose():
            print()  # the progress bar of the epoch has not ended its line
        found = {
            f"{self.prefix}{name}": value
            for name, value in self.evaluate(self.model).items()
        }
        taken = sorted(found.keys() & logs.keys())
        if taken:
            raise ValueError(
                "The names of the values should be new to the logs. Received: "
                f"{taken}, which the logs already contain, from a metric in "
                "`compile` or from an earlier callback. Rename the metrics, or "
                "give this callback another `prefix`."
            )
        logs.update(found)

    def _is_verbose(self) -> bool:
        verbose = self.verbose
        if verbose is None:
            verbose = (self.params or {}).get("verbose", 0)
        return verbose == 1

    def _shown(self, data: ValidationRows) -> Batches:
        """Yield the batches, under a progress bar if it is wanted."""
        bar = keras.utils.Progbar(
            data.number, verbose=int(self._is_verbose()), unit_name="batch"
        )
        seen = 0
        for seen, batch in enumerate(data.batches(), start=1):
            yield batch
            bar.update(seen)
        if data.number is None:
            bar.update(seen, finalize=True)


def rows_of(batch_size: int, **parts: Any) -> ValidationRows:
    """Return batches of arrays, of structures of arrays, or of a dataset.

    Args:
        batch_size: the number of rows in a batch of arrays.
        **parts: the inputs, the labels if any, and the weights if any, in this
            order, by the names that errors call them. Labels of None mean that
            the inputs are a dataset, which includes the labels.

    Raises:
        ValueError: if the parts do not fit together, the batch size is invalid
            or the dataset never ends.
        TypeError: if a dataset cannot be read again for each epoch.
    """
    [(name, x), *others] = parts.items()
    if not others or others[0][1] is not None:
        return _of_arrays(batch_size, parts)
    if any(part is not None for _, part in others) or not _is_dataset(x):
        raise ValueError(
            f"`{others[0][0]}` should be the labels of the rows. Received: "
            f"None, and `{name}` of the type {type(x).__name__}. Only a "
            "dataset of batches, which includes labels and weights, needs none."
        )
    return _of_dataset(x)


def _of_arrays(batch_size: int, parts: Mapping[str, Any]) -> ValidationRows:
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
    inputs, *_ = parts
    if not tree.flatten(parts[inputs]):
        raise ValueError(
            f"`{inputs}` should hold an array of rows. Received: "
            f"{parts[inputs]!r}, which has none."
        )
    parts = {name: _of_lists(part) for name, part in parts.items()}
    firsts = {name: tree.flatten(part)[0] for name, part in parts.items()}
    check_aligned_axis("index", firsts)
    shapes = [np.shape(leaf) for leaf in tree.flatten(parts)]
    counts = sorted({int(shape[0]) for shape in shapes if len(shape)})
    if len(counts) != 1 or not counts[0]:
        named = ", ".join(f"`{name}`" for name in parts)
        raise ValueError(
            f"The arrays of {named} should have the same number of rows, at "
            f"least one. Received: {counts} rows."
        )
    [rows] = counts

    def taken(leaf: Any, part: slice) -> Any:
        if leaf is None:
            return None
        return leaf.iloc[part] if hasattr(leaf, "iloc") else leaf[part]

    def batches() -> Batches:
        for start in range(0, rows, size):
            take = functools.partial(taken, part=slice(start, start + size))
            yield tree.map_structure(take, tuple(parts.values()))

    return ValidationRows(batches, -(-rows // size), rows)


def _of_dataset(dataset: Any) -> ValidationRows:
    """Return the batches of a dataset: an iterable or a `PyDataset`.

    Raises:
        ValueError: if the dataset never ends.
        TypeError: if it cannot be read again for each epoch.
    """
    if hasattr(dataset, "__next__"):
        raise TypeError(
            "Without `y`, `x` should be a dataset of batches `(x, y)` or "
            "`(x, y, sample_weight)` that can be read again for each epoch: a "
            "`keras.utils.PyDataset`, a `tf.data.Dataset`, a `DataLoader`, a "
            f"list of batches. Received: a {type(dataset).__name__}."
        )

    def batches() -> Batches:
        batch = None
        for batch in _read(dataset):
            parts = (
                tuple(batch) if isinstance(batch, list | tuple) else (batch,)
            )
            if len(parts) not in (2, 3):
                raise ValueError(
                    "A batch of validation rows should be `(x, y)` or "
                    f"`(x, y, sample_weight)`. Received: {len(parts)} part(s)."
                )
            yield (*parts, None)[:3]
        if batch is None:
            raise ValueError(
                "The dataset of validation rows should have at least one "
                f"batch. Received: an empty {type(dataset).__name__}. If it "
                "can be read only once, pass one that can be read again."
            )

    return ValidationRows(batches, _number_of_batches(dataset))


def _is_dataset(x: Any) -> bool:
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
    holders = dataset, getattr(dataset, "batch_sampler", None)
    samplers = [getattr(holder, "sampler", None) for holder in holders]
    return any(
        "Random" in type(sampler).__name__
        or getattr(sampler, "shuffle", False) is True
        for sampler in samplers
    )


def predicted(model: Callable[[Any], Any], x: Any) -> Any:
    """Return the prediction of a model, or of a function, for a batch."""
    x = tree.map_structure(
        lambda leaf: leaf if ops.is_tensor(leaf) else to_numpy(leaf), x
    )
    if not isinstance(model, keras.Model):
        return model(x)
    strategy = getattr(model, "distribute_strategy", None)  # of TensorFlow
    if getattr(strategy, "num_replicas_in_sync", 1) == 1:
        return model.predict_on_batch(x)
    # In `predict_on_batch`, each replica would predict the whole batch.
    return model.predict(x, batch_size=len(tree.flatten(x)[0]), verbose=0)


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

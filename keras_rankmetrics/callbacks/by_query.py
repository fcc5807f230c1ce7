"""The callback `EvaluateByQuery`, and its sources of queries."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import tree

from keras_rankmetrics.callbacks.batches import (
    Batch,
    Data,
    as_input,
    is_dataset,
    of_arrays,
    of_dataset,
    shuffles,
)
from keras_rankmetrics.engine.inputs.shapes import check_same
from keras_rankmetrics.tables.columns import as_column, as_numbers
from keras_rankmetrics.tables.rows import checked_metrics, evaluate_rows

# Which query each row belongs to, however that is told.


class Told(NamedTuple):
    """Ids of rows: of all of them, or of each batch.

    Attributes:
        name: of the argument, for errors.
        ids: of all rows, or None.
        key: of a dict `x`, or None.
        fn: from the `x` of a batch to its ids, or None.
    """

    name: str
    ids: Any
    key: str | None
    fn: Callable[[Any], Any] | None

    def of_batch(self, x: Any) -> np.ndarray | None:
        """The ids of a batch, None where all are known.

        Raises:
            ValueError: if `x` does not have them.
        """
        if self.fn is not None:
            return as_column(self.name, self.fn(x))
        if self.key is None:
            return None
        if not isinstance(x, Mapping) or self.key not in x:
            held = sorted(map(str, x)) if isinstance(x, Mapping) else None
            received = f"the keys {held}" if held else f"a {type(x).__name__}"
            raise ValueError(
                f"`{self.name}` should be a key of `x`. Received: "
                f"`{self.name}={self.key!r}`, and for `x` {received}. Where "
                "`x` is no dict, give the ids of all rows, or a function from "
                "the `x` of a batch to its ids."
            )
        return as_column(self.name, x[self.key])

    def of_all(self, of_batches: np.ndarray | None, rows: int) -> Any:
        """The ids of all rows.

        Raises:
            ValueError: if there are more or fewer of them.
        """
        ids = self.ids if of_batches is None else of_batches
        number = 0 if ids is None else len(ids)
        if number != rows:
            raise ValueError(
                f"`{self.name}` should hold an id for each validation row. "
                f"Received: {number} ids and {rows} rows."
            )
        return ids


def query_of(name: str, given: Any) -> Told:
    """What a user says of queries or groups.

    Args:
        name: of the argument, for errors.
        given: ids, a key or a function.
    """
    if isinstance(given, str):
        return Told(name, None, given, None)
    if callable(given):
        return Told(name, None, None, given)
    if given is None or isinstance(given, Mapping) or not np.shape(given):
        raise ValueError(
            f"`{name}` should hold an id for each row, or be a key of `x`, or "
            "a function from the `x` of a batch to its ids. Received: "
            f"{given!r}."
        )
    as_column(name, given)
    return Told(name, given, None, None)


# `EvaluateByQuery`: a point-wise model, judged query by query.

Fn = Callable[[Any], Any]

_FIXED = (
    "An array of `query` or `group` should belong to validation rows that keep "
    "their order. "
)
_REMEDY = (
    "Do not shuffle them, or let `query` and `group` be keys of `x`, or "
    "functions from the `x` of a batch."
)


class EvaluateByQuery(keras.callbacks.Callback):
    """Logs metrics of validation rows after each epoch, by query.

    A point-wise model takes rows, one for each pair of a query and an item. Its
    batches cut queries apart. After each epoch the callback scores all
    validation rows, puts those of a query together, wherever they lie, and
    logs the metrics of these lists as `val_ndcg@10` and the like. Of the rows
    it keeps the scores, the labels, the ids of the queries and the weights.

    Place it before the callbacks that read the values: `EarlyStopping`,
    `ModelCheckpoint`, `ReduceLROnPlateau`, `CSVLogger`, `TensorBoard`. One that
    stands before it does not find them. `History` and the progress bar, which
    Keras places last, do. Keras knows the direction of the metrics of `compile`
    alone, and raises an error for others, so give `mode="max"` (or `"min"`) to
    those that compare values.

    Args:
        metrics: a metric, a `MetricCollection`, or a list of them, as for
            `evaluate_rows`. After an epoch they hold its rows.
        x: the validation rows: an array, or a dict or list of arrays; or a
            dataset of batches `(x, y)` or `(x, y, sample_weight)`: a
            `keras.utils.PyDataset`, a `tf.data.Dataset`, a torch `DataLoader`
            or a list of batches. A dataset is read once for each epoch, in this
            process.
        y: the labels of the rows of arrays. None for a dataset.
        query: which query each row belongs to. The ids, integers or strings, in
            the order of the rows; or the key of `x` that holds them, where `x`
            is a dict; or a function from the `x` of a batch to its ids. A
            dataset that shuffles its rows needs one of the last two. A key
            that is no input of a functional model is not passed to it.
        sample_weight: the weights of the rows of arrays, or None. Weights count
            wherever they are given, those of a dataset too.
        group: for `Sliced` metrics, what `query` is for queries.
        batch_size: of arrays, how many rows the model scores at once.
        score_fn: from what the model predicts for a batch to the scores of its
            rows. Needed if that is not `[rows]` or `[rows, 1]`, as with several
            outputs: `lambda outputs: outputs["click"]`.
        label_fn: from the `y` of a batch to the labels of its rows, needed if
            `y` is not one array.
        prefix: what the names in the logs begin with.
        verbose: 1 for a progress bar, 0 for none; by default as in `fit`.

    Raises:
        ValueError: if the arguments do not fit together, as an array `query`
            and a `DataLoader` that shuffles; after an epoch, if the
            rows do not, or if the logs have a value of that name.
        TypeError: if something is no metric, or no dataset that can be read.

    Example:
        >>> import keras
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        >>> model.compile("sgd", loss="mse")
        >>> x = np.array([[0.9], [0.7], [0.8], [0.6]])
        >>> y, query = np.array([1, 0, 0, 1]), ["b", "a", "b", "a"]
        >>> by_query = krm.callbacks.EvaluateByQuery(
        ...     [krm.NDCG(k=10)], x, y, query=query
        ... )
        >>> history = model.fit(x, y, callbacks=[by_query], verbose=0)
        >>> sorted(history.history)
        ['loss', 'val_ndcg@10']
    """

    def __init__(
        self,
        metrics: Any,
        x: Any,
        y: Any = None,
        *,
        query: Any,
        sample_weight: Any = None,
        group: Any = None,
        batch_size: int = 1024,
        score_fn: Fn | None = None,
        label_fn: Fn | None = None,
        prefix: str = "val_",
        verbose: int | None = None,
    ) -> None:
        super().__init__()
        checked_metrics(metrics)  # raises before any training
        self.metrics = metrics
        if y is None:
            if sample_weight is not None or not is_dataset(x):
                raise ValueError(
                    "`y` should be the labels of the rows of arrays. Received: "
                    f"`y` = None, and `x` of the type {type(x).__name__}. "
                    "Without `y`, `x` should be a dataset of batches `(x, y)` "
                    "or `(x, y, sample_weight)`, and have the weights itself."
                )
            self._data = of_dataset(x)
        else:
            self._data = of_arrays(x, y, sample_weight, batch_size)
        self._query = query_of("query", query)
        self._group = None if group is None else query_of("group", group)
        check_same("index", {"y": y, "query": query, "group": group})
        self._in_order = self._query.ids is not None or (
            self._group is not None and self._group.ids is not None
        )
        if self._in_order and y is None and shuffles(x):
            raise ValueError(f"{_FIXED}Received: one that shuffles. {_REMEDY}")
        self._labels: bytes | None = None
        self._score_fn, self._label_fn = score_fn, label_fn
        self.prefix, self.verbose = prefix, verbose

    def on_epoch_end(
        self, epoch: int, logs: dict[str, Any] | None = None
    ) -> None:
        """Writes the metrics into the logs."""
        logs = {} if logs is None else logs
        found = self.evaluate(self.model)
        taken = sorted(f"{self.prefix}{n}" for n in found)
        taken = [name for name in taken if name in logs]
        if taken:
            raise ValueError(
                "The names of the values should be new to the logs. Received: "
                f"{taken}, which are there before. Another metric of that name "
                "is in `compile`, or in a callback before this one. Give "
                "metrics other names, or this callback a `prefix`."
            )
        logs.update({f"{self.prefix}{n}": value for n, value in found.items()})

    def evaluate(self, model: keras.Model) -> dict[str, float]:
        """The metrics of the rows as a model scores them, by name.

        Args:
            model: the model, trained or not.
        """
        columns: dict[str, list[np.ndarray]] = {}
        data = self._data
        shows = self._shows_progress()
        for batch in _with_progress(data) if shows else data.batches():
            for name, part in self._columns(model, batch).items():
                columns.setdefault(name, []).append(part)
        whole = {name: np.concatenate(parts) for name, parts in columns.items()}
        rows = len(whole.get("y_true", ()))
        if self._in_order:
            self._check_order(whole["y_true"])
        query = self._query.of_all(whole.pop("query", None), rows)
        group = whole.pop("group", None)
        if self._group is not None:
            group = self._group.of_all(group, rows)
        return evaluate_rows(query, metrics=self.metrics, group=group, **whole)

    def _check_order(self, labels: np.ndarray) -> None:
        """Raises where the labels are not those of the first evaluation."""
        found = hashlib.sha256(labels.tobytes()).digest()
        if self._labels not in (None, found):
            raise ValueError(
                f"{_FIXED}Received: labels that differ from those of the first "
                f"evaluation, or stand in another order. {_REMEDY}"
            )
        self._labels = found

    def _columns(
        self, model: keras.Model, batch: Batch
    ) -> dict[str, np.ndarray]:
        """What is kept of a batch."""
        x = batch.x
        columns = {"query": self._query.of_batch(x)}
        if self._group is not None:
            columns["group"] = self._group.of_batch(x)
        for key in (self._query.key, self._group and self._group.key):
            x = _without_key(model, x, key)
        predicted = _predicted(model, as_input(x))
        columns["y_pred"] = _single(
            "score_fn", "The model should predict", predicted, self._score_fn
        )
        columns["y_true"] = _single(
            "label_fn", "`y` should hold", batch.y, self._label_fn
        )
        if batch.sample_weight is not None:
            columns["sample_weight"] = as_numbers(
                "sample_weight", batch.sample_weight
            )
        found = {name: x for name, x in columns.items() if x is not None}
        lengths = {name: len(x) for name, x in found.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                "A batch should have as many scores as labels, one for each "
                f"row. Received: {lengths}."
            )
        return found

    def _shows_progress(self) -> bool:
        verbose = self.verbose
        if verbose is None:
            verbose = (self.params or {}).get("verbose", 0)
        return bool(verbose == 1)


def _with_progress(data: Data) -> Iterator[Batch]:
    """The batches, under a progress bar."""
    print()  # the bar of the epoch has not ended its line
    bar = keras.utils.Progbar(data.number, unit_name="batch")
    seen = 0
    for seen, batch in enumerate(data.batches(), start=1):
        yield batch
        bar.update(seen)
    if data.number is None:
        bar.update(seen, finalize=True)


def _predicted(model: keras.Model, x: Any) -> Any:
    """What the model predicts for a batch."""
    strategy = getattr(model, "distribute_strategy", None)  # of TensorFlow
    if getattr(strategy, "num_replicas_in_sync", 1) == 1:
        return model.predict_on_batch(x)
    # There each replica would predict the whole batch.
    return model.predict(x, batch_size=len(tree.flatten(x)[0]), verbose=0)


def _single(option: str, expected: str, given: Any, fn: Any) -> np.ndarray:
    """One number for each row."""
    given = given if fn is None else fn(given)
    leaves = tree.flatten(given)
    if len(leaves) == 1:
        given = leaves[0]
    shapes = [tuple(np.shape(leaf)) for leaf in leaves]
    if len(leaves) != 1 or not (
        len(shapes[0]) == 1 or (len(shapes[0]) == 2 and shapes[0][1] == 1)
    ):
        names = f" by the names {sorted(given)}" if _is_dict(given) else ""
        raise ValueError(
            f"{expected} one number for each row, in the shape [rows] or "
            f"[rows, 1]. Received: {len(leaves)} array(s){names}, of the "
            f"shapes {shapes}. Pick the one to judge by `{option}`, as "
            f'`{option}=lambda outputs: outputs["click"]` or '
            f"`{option}=lambda outputs: outputs[:, 1]` do."
        )
    return as_numbers(option, given)


def _is_dict(given: Any) -> bool:
    return isinstance(given, dict)


def _without_key(model: keras.Model, x: Any, key: str | None) -> Any:
    """What the model takes: not a key that it cannot read."""
    if key is None or key not in x or _takes(model, key, x[key]):
        return x
    return {name: part for name, part in x.items() if name != key}


def _takes(model: keras.Model, key: str, ids: Any) -> bool:
    inputs = getattr(model, "inputs", None)
    if inputs:  # of a functional model
        by_key = getattr(model, "input", None)
        if isinstance(by_key, dict):
            return key in by_key
        return key in [each.name for each in inputs]
    # No other backend has strings.
    return (
        keras.config.backend() == "tensorflow"
        or as_column(key, ids).dtype.kind not in "OUST"
    )

"""The callback `EvaluateByQuery`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras
import numpy as np
from keras import tree

from keras_rankmetrics.callbacks import epochs
from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.tables.evaluate_rows import (
    as_column,
    as_numbers,
    evaluate_rows,
)

Fn = Callable[[Any], Any]

_FIXED = (
    "With an array of `query` or `group`, the validation rows should keep "
    "their order. "
)
_REMEDY = (
    "Do not shuffle them, or make `query` and `group` keys of `x` or functions "
    "from the `x` of a batch."
)


class EvaluateByQuery(epochs.EvaluateEpochs):
    """Log metrics of the validation rows after each epoch, grouped by query.

    A point-wise model takes rows, one for each pair of a query and an item, and
    its batches split queries. After each epoch the callback scores all
    validation rows, groups them by query, and logs the metrics of these lists,
    for example as `val_ndcg@10`. It keeps the scores, the labels, the query ids
    and the weights of the rows in memory.

    Place it before the callbacks that read the values: `EarlyStopping`,
    `ModelCheckpoint`, `ReduceLROnPlateau`, `CSVLogger`, `TensorBoard`. A
    callback before it does not find them. `History` and the progress bar, which
    Keras places last, do. Keras infers the direction only for the metrics of
    `compile` and raises an error for others, so pass `mode="max"` (or `"min"`)
    to callbacks that compare values.

    Args:
        metrics: a metric, a `MetricCollection`, names such as `"NDCG@10 RR"`,
            or a list of these, as for `evaluate_rows`. After an epoch their
            state is that of its rows.
        x: the validation rows: an array, or a dict or list of arrays; or a
            dataset of batches `(x, y)` or `(x, y, sample_weight)`: a
            `keras.utils.PyDataset`, a `tf.data.Dataset`, a torch `DataLoader`
            or a list of batches. A dataset is read once for each epoch, in this
            process; and its first batch twice at first, if `query` is an array.
        y: the labels of the rows if `x` holds arrays. None for a dataset.
        query: the query id of each row, an integer or a string: an array in the
            order of the rows; or the key of the ids in a dict `x`; or a
            function from the `x` of a batch to its ids. A dataset that shuffles
            its rows needs a key or a function. A key that is not an input of a
            functional model is not passed to the model.
        sample_weight: the weights of the rows if `x` holds arrays, or None. The
            weights of a dataset count too. A query without relevant items has
            the mean weight of the others, unless the option `list_weight` of a
            metric is `"mean"`.
        group: for `Sliced` metrics, the group of each row, in the same forms as
            `query`.
        batch_size: for arrays, the number of rows that the model scores at
            once.
        score_fn: a function from the model's prediction for a batch to the
            scores of its rows. Needed if the prediction is not `[rows]` or
            `[rows, 1]`, for example with several outputs:
            `lambda outputs: outputs["click"]`.
        label_fn: a function from the `y` of a batch to the labels of its rows,
            needed if `y` is not one array.
        prefix: the prefix of the names in the logs.
        verbose: 1 for a progress bar, 0 for none; by default as in `fit`.

    Raises:
        ValueError: if the arguments do not fit together, for example an array
            `query` and a `DataLoader` that shuffles; after an epoch, if the
            rows do not, or if the logs already have a value of that name.
        TypeError: if a metric is not a ranking metric, or a dataset cannot be
            read again.

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

    Stability: stable.
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
        super().__init__(metrics, prefix, verbose)
        self._data = epochs.rows_of(
            batch_size, x=x, y=y, sample_weight=sample_weight
        )
        self._in_x: dict[str, str | Fn] = {}
        self._ids: dict[str, Any] = {}
        for name, source in (("query", query), ("group", group)):
            if isinstance(source, str) or callable(source):
                self._in_x[name] = source
            elif name == "query" or source is not None:
                self._ids[name] = _checked_ids(name, source)
        check_aligned_axis("index", {"y": y, "query": query, "group": group})
        if self._ids and y is None and epochs.shuffles(x):
            raise ValueError(
                f"{_FIXED}Received: a dataset that shuffles. {_REMEDY}"
            )
        self._labels: bytes | None = None
        self._is_dataset = y is None
        self._score_fn, self._label_fn = score_fn, label_fn

    def evaluate(self, model: keras.Model) -> dict[str, float]:
        """Return the metrics of the validation rows under a model, by name.

        Args:
            model: the model, trained or not.
        """
        columns: dict[str, list[np.ndarray]] = {}
        for batch in self._shown(self._data):
            for name, part in self._columns(model, *batch).items():
                columns.setdefault(name, []).append(part)
        whole = {name: np.concatenate(parts) for name, parts in columns.items()}
        if self._ids:
            self._check_order(columns["y_true"])
        return evaluate_rows(metrics=self.metrics, **whole, **self._ids)

    def _check_order(self, labels: Sequence[np.ndarray]) -> None:
        """Raise ValueError if labels differ from the first evaluation.

        On the first one, the first batch of a dataset is read again.

        Args:
            labels: the labels of each batch.
        """
        if self._labels is None and self._is_dataset:
            _, y, _ = next(self._data.batches())
            if self._labels_of(y).tobytes() != labels[0].tobytes():
                raise ValueError(
                    f"{_FIXED}Received: a dataset whose first batch has other "
                    f"labels when it is read again. {_REMEDY}"
                )
        found = hashlib.sha256(np.concatenate(labels).tobytes()).digest()
        if self._labels not in (None, found):
            raise ValueError(
                f"{_FIXED}Received: labels that differ from the first "
                f"evaluation or are in another order. {_REMEDY}"
            )
        self._labels = found

    def _labels_of(self, y: Any) -> np.ndarray:
        """Return the labels of a batch."""
        return _single("label_fn", "`y` should hold", y, self._label_fn)

    def _columns(
        self, model: keras.Model, x: Any, y: Any, sample_weight: Any
    ) -> dict[str, np.ndarray]:
        """Return the columns of a batch that the evaluation needs."""
        columns, inputs = {}, x
        for name, source in self._in_x.items():
            columns[name] = _ids_in(x, name, source)
            inputs = _without_key(model, inputs, source)
        scores = epochs.predicted(model, inputs)
        columns["y_pred"] = _single(
            "score_fn", "The model should predict", scores, self._score_fn
        )
        columns["y_true"] = self._labels_of(y)
        if sample_weight is not None:
            columns["sample_weight"] = as_numbers(
                "sample_weight", sample_weight
            )
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                "A batch should have one score and one label for each row. "
                f"Received: {lengths}."
            )
        return columns


def _checked_ids(name: str, ids: Any) -> Any:
    """Return the ids of all rows; raise ValueError if they are not a column."""
    if ids is None or isinstance(ids, Mapping) or not np.shape(ids):
        raise ValueError(
            f"`{name}` should hold an id for each row, or be a key of `x`, "
            "or a function from the `x` of a batch to its ids. Received: "
            f"{ids!r}."
        )
    as_column(name, ids)
    return ids


def _ids_in(x: Any, name: str, source: str | Fn) -> np.ndarray:
    """Return the ids of a batch, by the key or the function.

    Raises:
        ValueError: if `x` has no such key.
    """
    if not isinstance(source, str):
        return as_column(name, source(x))
    if not isinstance(x, Mapping) or source not in x:
        held = sorted(map(str, x)) if isinstance(x, Mapping) else None
        received = f"the keys {held}" if held else f"a {type(x).__name__}"
        raise ValueError(
            f"`{name}` should be a key of `x`. Received: `{name}={source!r}`, "
            f"and for `x` {received}. If `x` is not a dict, pass the ids of "
            "all rows, or a function from the `x` of a batch to its ids."
        )
    return as_column(name, x[source])


def _single(option: str, expected: str, value: Any, fn: Any) -> np.ndarray:
    """Return one number for each row; raise ValueError if there are more."""
    value = value if fn is None else fn(value)
    leaves = tree.flatten(value)
    shapes = [tuple(np.shape(leaf)) for leaf in leaves]
    if len(shapes) != 1 or shapes[0][1:] not in ((), (1,)) or not shapes[0]:
        names = f" named {sorted(value)}" if isinstance(value, dict) else ""
        raise ValueError(
            f"{expected} one number for each row, in the shape [rows] or "
            f"[rows, 1]. Received: {len(leaves)} array(s){names}, of the "
            f"shapes {shapes}. Select one with `{option}`, for example "
            f'`{option}=lambda outputs: outputs["click"]` or '
            f"`{option}=lambda outputs: outputs[:, 1]`."
        )
    return as_numbers(option, leaves[0])


def _without_key(model: keras.Model, x: Any, key: str | Fn) -> Any:
    """Return the model's inputs, without a key that it cannot read."""
    if callable(key) or key not in x or _takes(model, key, x[key]):
        return x
    return {name: part for name, part in x.items() if name != key}


def _takes(model: keras.Model, key: str, ids: Any) -> bool:
    inputs = getattr(model, "inputs", None)
    if inputs:  # a functional model
        names = getattr(model, "input", None)
        if not isinstance(names, dict):
            names = [each.name for each in inputs]
        return key in names
    # The other backends have no strings.
    return (
        keras.config.backend() == "tensorflow"
        or as_column(key, ids).dtype.kind not in "OUST"
    )

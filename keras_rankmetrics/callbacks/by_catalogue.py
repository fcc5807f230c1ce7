"""The callback `EvaluateCatalogue`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np
from keras import ops, tree

from keras_rankmetrics.callbacks import epochs
from keras_rankmetrics.catalogues import passes, ranks
from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.tables.members import members_of, results_of

Tower = str | Callable[[Any], Any]


class EvaluateCatalogue(epochs.EvaluateEpochs):
    """Log metrics of a two-tower model over the whole catalogue.

    A two-tower model turns queries and items into vectors, and the score of an
    item is the inner product of both. After each epoch the callback computes
    the vectors of all items once, ranks the whole catalogue for each validation
    query by `count_ranks`, and logs the metrics, for example as `val_ndcg@10`.
    It keeps the vectors of all items in memory, those of one batch of queries,
    and one chunk of scores.

    Place it before the callbacks that read the values, such as `EarlyStopping`
    and `ModelCheckpoint`, and pass `mode="max"` (or `"min"`) to them: see
    `EvaluateByQuery`.

    Args:
        metrics: a metric or a `MetricCollection` with `inputs="counts"`, names
            such as `"NDCG@10 RR"`, or a list of these. After an epoch their
            state is that of its queries.
        queries: the inputs of the query tower: an array, or a dict or list of
            arrays, with a row for each query. Or a dataset of batches
            `(x, y)` or `(x, y, sample_weight)`, as for `EvaluateByQuery`,
            where `y` holds the targets, or is a dict of `"targets"` and
            `"exclude"`.
        items: the inputs of the item tower for the whole catalogue: an array,
            or a dict or list of arrays. The row of an item is its number in
            `targets` and `exclude`.
        targets: the numbers of the relevant items of each query, `[queries]` or
            `[queries, targets]`, negative for padding; or lists of different
            lengths. None for a dataset.
        exclude: the numbers of the items to leave out of the ranking, such as
            those that a user has seen in training: `[queries, excluded]`,
            negative for padding, or lists of different lengths. A target among
            them counts as not retrieved.
        query_tower: the query tower: a model, a layer or a function from inputs
            to vectors, `[batch, d]`. Or the name of an attribute or layer of
            the model in `fit`, which is safer: a tower passed as an object is
            the wrong one once the model is built anew, or if a tool copies the
            callback, as KerasTuner does.
        item_tower: the item tower, in the same forms.
        score_fn: a function `(queries, rows)` from the vectors of queries and
            of some items to their scores, `[queries, rows]`; inner products by
            default.
        sample_weight: the weight of each query if `queries` holds arrays, or
            None.
        batch_size: the number of queries, or of items, that a tower takes at
            once, and the number of queries that are ranked at once.
        chunk: the number of items to score at once, as for `count_ranks`.
        prefix: the prefix of the names in the logs.
        verbose: 1 for a progress bar of items and one of queries, 0 for none;
            by default as in `fit`.

    Raises:
        ValueError: if a metric does not take counts, or the arguments do not
            fit together; when training begins, if the model has no tower of
            that name; after an epoch, if the vectors do not fit together, or
            the logs already have a value of that name.
        TypeError: if a metric is not a ranking metric, a tower or `score_fn`
            cannot be called, or a dataset cannot be read again.

    Example:
        >>> import keras
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> class TwoTower(keras.Model):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.user_tower = keras.layers.Embedding(3, 8)
        ...         self.item_tower = keras.layers.Embedding(50, 8)
        ...     def call(self, x):
        ...         user, item = x["user"], x["item"]
        ...         vectors = self.user_tower(user), self.item_tower(item)
        ...         return keras.ops.sum(vectors[0] * vectors[1], axis=-1)
        >>> model = TwoTower()
        >>> model.compile("adam", loss="mse")
        >>> catalogue = krm.callbacks.EvaluateCatalogue(
        ...     [krm.NDCG(k=10, inputs="counts")],
        ...     queries=np.array([0, 1, 2]),
        ...     items=np.arange(50),
        ...     targets=[[4, 9], [17], [30, 2, 8]],
        ...     exclude=[[1], [], [5, 7]],
        ...     query_tower="user_tower",
        ...     item_tower="item_tower",
        ... )
        >>> x = {"user": np.array([0, 1, 2]), "item": np.array([1, 5, 7])}
        >>> history = model.fit(
        ...     x, np.ones(3), callbacks=[catalogue], verbose=0
        ... )
        >>> sorted(history.history)
        ['loss', 'val_ndcg@10']

    Stability: stable.
    """

    def __init__(
        self,
        metrics: Any,
        queries: Any,
        items: Any,
        targets: Any = None,
        exclude: Any = None,
        *,
        query_tower: Tower,
        item_tower: Tower,
        score_fn: passes.ScoreFn | None = None,
        sample_weight: Any = None,
        batch_size: int = 1024,
        chunk: int | None = None,
        prefix: str = "val_",
        verbose: int | None = None,
    ) -> None:
        super().__init__(metrics, prefix, verbose, inputs="counts")
        forms = {m.name: m.definition.inputs for m in members_of(self.metrics)}
        if {*forms.values()} != {"counts"}:
            raise ValueError(
                '`metrics` should all have `inputs="counts"`. Received: '
                f'{forms}. Construct them so: `NDCG(k=10, inputs="counts")`.'
            )
        ranks.chunk_size(chunk, 1, 1)  # these raise before any training
        passes.checked_score_fn(score_fn or passes.product, 1)
        self._towers = query_tower, item_tower
        self._options: Any = {"score_fn": score_fn, "chunk": chunk}
        self._items = epochs.rows_of(batch_size, items=items)
        ranks.warn_if_again(items)
        y = None
        if targets is not None or exclude is not None:
            number = self._items.rows
            numbers = ranks.distinct_numbers("targets", targets, number)
            ranks.warn_if_nothing(numbers, members_of(self.metrics))
            # There should be as many queries as targets.
            epochs.rows_of(batch_size, queries=queries, targets=numbers)
            excluded = ranks.excluded_items(exclude, number, numbers)
            y = {"targets": numbers, "exclude": excluded}
            first, *_ = tree.flatten(queries)
            others = {"exclude": exclude, "sample_weight": sample_weight}
            check_aligned_axis(
                "index", {"queries": first, "targets": targets, **others}
            )
        self._queries = epochs.rows_of(
            batch_size, queries=queries, targets=y, sample_weight=sample_weight
        )

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Look up the towers in the model."""
        for tower in self._towers:
            _tower(self.model, tower)

    def evaluate(self, model: keras.Model) -> dict[str, float]:
        """Return the metrics of the validation queries under a model, by name.

        Args:
            model: the model, trained or not.
        """
        query_tower, item_tower = (_tower(model, x) for x in self._towers)
        chunks = [_vectors(item_tower, x) for (x,) in self._shown(self._items)]
        items = ops.convert_to_tensor(np.concatenate(chunks))
        updates = []
        for x, y, weights in self._shown(self._queries):
            y = y if isinstance(y, Mapping) else {"targets": y}
            queries = ops.convert_to_tensor(_vectors(query_tower, x))
            counts = ranks.count_ranks(queries, items, **y, **self._options)
            numbers = ranks.item_numbers("targets", y["targets"], len(items))
            updates.append((numbers, counts, weights))
        for metric in self.metrics:
            metric.reset_state()
        for update in updates:
            for metric in self.metrics:
                metric.update_state(*update)
        return results_of(self.metrics)


def _tower(model: keras.Model, tower: Tower) -> Any:
    """Return a tower, or the one of that name in the model."""
    found = getattr(model, tower, None) if isinstance(tower, str) else tower
    return found if callable(found) else model.get_layer(tower)


def _vectors(tower: Any, x: Any) -> np.ndarray:
    """Return the vectors of a batch; raise ValueError if rows are missing."""
    found = tree.flatten(epochs.predicted(tower, x))
    shapes, rows = [np.shape(each) for each in found], len(tree.flatten(x)[0])
    if len(shapes) != 1 or shapes[0][:1] != (rows,):
        raise ValueError(
            f"A tower should return an array of {rows} vectors for {rows} rows "
            f"of inputs. Received: the shapes {[*map(tuple, shapes)]}. Pass a "
            "function that returns these vectors."
        )
    return to_numpy(found[0])

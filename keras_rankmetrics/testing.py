"""`check_metric`: tests for a metric of your own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric

_CLOSE = 1e-4  # single precision, over a few operations
_PADDING = -1.0
# A function of the labels at the ranks 1, 2, ..., and of those of all items.
Reference = Callable[[list[float], list[float]], float]


class _Lists(NamedTuple):
    """Lists of unequal lengths.

    Attributes:
        labels: the labels of each list.
        scores: the scores of the same items; some tie, and some are -inf.
    """

    labels: list[list[float]]
    scores: list[list[float]]

    def padded(self) -> tuple[np.ndarray, np.ndarray]:
        """Return both as arrays `[lists, items]`, with padding."""
        longest = max(map(len, self.labels))
        shape = len(self.labels), longest
        labels, scores = np.full(shape, _PADDING), np.zeros(shape)
        for row, (ones, others) in enumerate(zip(*self, strict=True)):
            labels[row, : len(ones)] = ones
            # Padding is tied with the last item, and must not change it.
            scores[row] = [*others, *others[-1:] * (longest - len(others))]
        return labels.astype("float32"), scores.astype("float32")

    def __getitem__(self, place: Any) -> Any:
        """Return some of the lists, or one of both parts."""
        if isinstance(place, slice):
            return _Lists(self.labels[place], self.scores[place])
        return tuple.__getitem__(self, place)


def check_metric(
    metric: RankingMetric,
    reference: Reference | None = None,
    *,
    labels: Sequence[float] = (0.0, 1.0, 2.0),
    lists: int = 40,
    seed: int = 0,
) -> None:
    """Check that a metric of your own keeps the promises of the package.

    It draws short lists, and raises an error with the first list for which

    - the value of tied items is not the mean over all their orders, by
      enumeration;
    - the value depends on the order of the items in the input, on padding or on
      a mask;
    - `inputs="sparse"` or `inputs="ids"` has another value than `"scores"`,
      unless the metric refuses it;
    - the result depends on batches, states or compilation in `evaluate`;
    - a metric from the config has another value, or Keras cannot load it;
    - the value differs from that of the reference.

    A metric that passes may still measure something else than you mean: only a
    reference shows that.

    Args:
        metric: a metric of labels, with its cutoff and options.
        reference: a function in plain Python, `reference(ranked, labels)`, of
            the labels at the ranks 1, 2, ... and of the labels of all items,
            retrieved or not. It returns the value without ties.
        labels: the labels to draw from.
        lists: the number of lists.
        seed: a seed for the lists.

    Raises:
        AssertionError: if the metric breaks a promise.
        TypeError: if the metric is not a `RankingMetric`.
        ValueError: if it does not take a label for each item.

    Example:
        >>> from keras import ops
        >>> import keras_rankmetrics as krm
        >>> class AnyTwo(krm.RankingMetric):
        ...     @staticmethod
        ...     def measure(ranking, k):
        ...         return ops.where(ranking.hits(k) >= 2.0, 1.0, 0.0)
        >>> krm.testing.check_metric(AnyTwo(k=2))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        AssertionError: any_two@2: tied items should have the mean over ...

    Stability: provisional.
    """
    if not isinstance(metric, RankingMetric):
        raise TypeError(
            f"`metric` should be a `RankingMetric`. Received: {metric!r}."
        )
    if metric.definition.traits.reads or metric.inputs != "scores":
        raise ValueError(
            "`check_metric` draws a label for each item. Received: "
            f"{metric.name}, which takes other inputs."
        )
    drawn = _drawn(labels, lists, seed)
    _check_orders(metric, drawn, reference)
    _check_input(metric, drawn)
    _check_forms(metric, drawn)
    _check_batches(metric, drawn)
    _check_config(metric, drawn)


def _drawn(labels: Sequence[float], lists: int, seed: int) -> _Lists:
    rng = np.random.default_rng(seed)
    found = _Lists([], [])
    for _ in range(lists):
        items = int(rng.integers(2, 7))
        scores = rng.integers(0, 3, items).astype(float)
        scores[rng.random(items) < 0.1] = -np.inf
        found.labels.append(rng.choice(labels, items).tolist())
        found.scores.append(scores.tolist())
    return found


def _values(metric: RankingMetric, y_true: Any, y_pred: Any) -> np.ndarray:
    values = keras.ops.convert_to_numpy(metric.per_list(y_true, y_pred))
    return np.asarray(values, "float64")


def _check_equal(
    metric: RankingMetric,
    promise: str,
    expected: Any,
    received: Any,
    lists: _Lists,
    remedy: str,
) -> None:
    """Raise AssertionError with the first list whose value differs."""
    close = np.isclose(received, expected, _CLOSE, _CLOSE, equal_nan=True)
    if close.all():
        return
    place = int(np.flatnonzero(~close)[0])
    raise AssertionError(
        f"{metric.name}: {promise}. Expected: {expected[place]:.6g}. Received: "
        f"{received[place]:.6g}, for the labels {lists.labels[place]} and the "
        f"scores {lists.scores[place]}. {remedy}"
    )


def _orders(scores: list[float]) -> Iterator[list[int]]:
    """Yield the retrieved items in each order of the tied ones."""
    retrieved = [score for score in set(scores) if score > -np.inf]
    tied = [
        itertools.permutations(i for i, x in enumerate(scores) if x == score)
        for score in sorted(retrieved, reverse=True)
    ]
    for parts in itertools.product(*tied):
        yield list(itertools.chain(*parts))


def _check_orders(
    metric: RankingMetric, lists: _Lists, reference: Reference | None
) -> None:
    """Check values without ties, and that those with ties are their means."""
    strict = metric.remade(ties="stable")
    means, of_reference, alone = [], [], _Lists([], [])
    for labels, scores in zip(*lists, strict=True):
        orders = list(_orders(scores))
        without_ties = np.full((len(orders), len(scores)), -np.inf)
        for row, order in enumerate(orders):
            without_ties[row, order] = np.arange(len(order), 0, -1)
        every = _Lists([labels] * len(orders), without_ties.tolist())
        values = _values(strict, *every)
        means.append(np.mean(values))
        if reference is not None:
            alone.labels.append(labels)
            alone.scores.append(every.scores[0])
            ranked = [labels[item] for item in orders[0]]
            of_reference.append((values[0], reference(ranked, labels)))
    if reference is not None:
        received, expected = np.array(of_reference, "float64").T
        counts = ~np.isnan(received)  # others are excluded lists
        _check_equal(
            metric,
            "the value should be that of the reference",
            np.where(counts, expected, np.nan),
            received,
            alone,
            "One of both is wrong.",
        )
    if metric.ties == "average":
        _check_equal(
            metric,
            "tied items should have the mean over all their orders",
            np.array(means),
            _values(metric, *lists),
            lists,
            "The methods of a ranking return means over these orders: sums of "
            "them are exact, and products, minima and comparisons are not. Set "
            '`strict_order_under = "always"` in the class to order ties.',
        )


def _check_input(metric: RankingMetric, lists: _Lists) -> None:
    """Check that the form of the input does not change a value."""
    values = _values(metric, *lists)
    labels, scores = lists.padded()
    mask = labels != _PADDING
    masked = {"labels": np.where(mask, labels, 1.0), "mask": mask}
    changed: dict[str, tuple[Any, Any]] = {
        "padding": (labels, scores),
        "a mask": (masked, scores),
    }
    if metric.ties != "stable":
        backward = [[x[::-1] for x in part] for part in lists]
        changed["the order of the items"] = backward[0], backward[1]
    for name, inputs in changed.items():
        _check_equal(
            metric,
            f"{name} should not change the value",
            values,
            _values(metric, *inputs),
            lists,
            "Compute the measure by the methods of the ranking alone.",
        )


def _check_forms(metric: RankingMetric, lists: _Lists) -> None:
    """Check that targets and ids have the values of labels of 0 and 1."""
    binary = _Lists([[float(x > 0) for x in y] for y in lists.labels], [])
    for labels, scores in zip(*lists, strict=True):
        # No ties; and only relevant items may not be retrieved, since a target
        # says nothing about the others.
        missed = np.isinf(scores) & (np.array(labels) > 0)
        untied = np.maximum(scores, -1.0) + np.arange(len(scores)) / 8
        binary.scores.append(np.where(missed, -np.inf, untied).tolist())
    targets = [[i for i, x in enumerate(y) if x] or [-1] for y in binary.labels]
    ranked = [next(_orders(scores)) for scores in binary.scores]
    forms: dict[str, list[Any]] = {"sparse": binary.scores, "ids": ranked}
    for inputs, predicted in forms.items():
        try:
            other = metric.remade(inputs=inputs)
            received = _values(other, targets, [x or [-1] for x in predicted])
        except (TypeError, ValueError):
            continue  # the metric refuses them
        expected = _values(metric, *binary)
        # Without a target, the list is excluded.
        expected[np.isnan(received)] = np.nan
        _check_equal(
            metric,
            f'`inputs="{inputs}"` should have the value of labels of 0 and 1',
            expected,
            received,
            binary,
            "With these inputs, entries of a ranking are relevant items, not "
            "ranks: multiply `total()` by `discount` and sum up, and call "
            "`discounted` on gains by rank alone, such as `best(k)`.",
        )


def _check_batches(metric: RankingMetric, lists: _Lists) -> None:
    """Check the result over batches, over states and in `evaluate`."""
    labels, scores = lists.padded()
    whole = metric.remade()
    whole.update_state(labels, scores)
    result = float(whole.result())
    size = -(-len(labels) // 3)
    in_batches, merged = metric.remade(), metric.remade()
    for start in range(0, len(labels), size):
        batch = slice(start, start + size)
        in_batches.update_state(labels[batch], scores[batch])
        part = metric.remade()
        part.update_state(labels[batch], scores[batch])
        merged.merge_state([part.state])
    compiled = metric.remade()
    model = keras.Sequential(
        [keras.Input(labels.shape[1:]), keras.layers.Identity()]
    )
    model.compile(loss="mse", metrics=[compiled])
    model.evaluate(scores, labels, batch_size=size, verbose=0)
    for promise, other in (
        ("batches should not change the result", in_batches),
        ("states should add up", merged),
        ("`evaluate` of a model should not change the result", compiled),
    ):
        received = np.array([float(other.result())])
        _check_equal(
            metric,
            promise,
            np.array([result]),
            received,
            _Lists([list(labels[0])], [list(scores[0])]),
            "Write the measure with `keras.ops`, without the state of the "
            "metric and without an `if` on a tensor.",
        )


def _check_config(metric: RankingMetric, lists: _Lists) -> None:
    """Check that Keras can save and load the metric."""
    serialized = keras.saving.serialize_keras_object(metric)
    try:
        loaded = keras.saving.deserialize_keras_object(serialized)
    except (TypeError, ValueError) as error:
        received = str(error).partition(". ")[0]
        raise AssertionError(
            f"{metric.name}: Keras should load it from its config. Received: "
            f"{received}. Register the class, and functions among its options: "
            '`@keras.saving.register_keras_serializable("my_package")`.'
        ) from error
    _check_equal(
        metric,
        "a metric that Keras has loaded should have the same values",
        _values(metric, *lists),
        _values(loaded, *lists),
        lists,
        "Options are parameters of `measure` and `relevance`.",
    )

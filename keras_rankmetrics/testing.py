"""`check_metric`: tests for a metric of your own."""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from keras_rankmetrics.engine.backend.keras_internals import keras_config
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric

_CLOSE, _ZERO = 1e-4, 1e-6  # single precision, over a few operations
_MOST = 0.7  # the share of the first label
_MOST_ORDERS = 120  # of the tied items of a list
_PADDING = -1.0
_RULES = (
    "needs_k_under",
    "strict_order_under",
    "turns_under",
    "whole_lists_under",
)
_COMPILED = (
    "Write the measure with `keras.ops`, without numpy, without the state of "
    "the metric and without an `if` on a tensor."
)
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


def check_metric(
    metric: RankingMetric,
    reference: Reference | None = None,
    *,
    labels: Sequence[float] = (0.0, 1.0, 2.0),
    items: int = 9,
    lists: int = 60,
    of_catalogue: bool = False,
    seed: int = 0,
) -> None:
    """Check that a metric of your own keeps the promises of the package.

    It draws short lists, and raises an error with the first list for which

    - a rule of the class, such as `needs_k_under`, names an option that does
      not exist;
    - a metric from the config has another value, or Keras cannot load it;
    - on PyTorch, the measure passes a tensor to numpy;
    - the value is NaN, random, or depends on the other lists of the batch;
    - the value depends on padding, on a mask, on the order of the items in the
      input or, if it is at most 1, on a factor of all weights of items;
    - the value of tied items is not the mean over all their orders, by
      enumeration;
    - `inputs="sparse"` or `inputs="ids"` has another value than `"scores"`,
      unless the metric refuses it;
    - no value depends on which item is at rank k and which is at the next, or
      on k itself;
    - no order of the labels has a higher value than the reverse order, as the
      class says it does, and some have a lower one; or no item that moves up
      one rank within the first k has a higher value, and some have a lower one;
    - `evaluate` fails, or the result depends on batches, states or compilation;
    - the value differs from that of the reference.

    A metric that passes may still measure something else than you mean: only a
    reference shows that. Call it on each backend that you use: PyTorch compiles
    nothing, and so misses an `if` on a tensor. On JAX, which compiles each
    shape, it takes up to a minute.

    Args:
        metric: a metric of labels, with its cutoff and options.
        reference: a function in plain Python, `reference(ranked, labels)`, of
            the labels at the ranks 1, 2, ... and of the labels of all items,
            retrieved or not. It returns the value of a list that is not empty,
            without ties.
        labels: the labels to draw from, the first one most often. Add
            fractions if you have some.
        items: the largest number of items, more than k.
        lists: the number of lists.
        of_catalogue: True if the position of an item is its number in a
            catalogue, as for `items.at`, so that it may change the value. The
            direction is not checked then.
        seed: a seed for the lists.

    Raises:
        AssertionError: if the metric breaks a promise.
        TypeError: if the metric is not a `RankingMetric`.
        ValueError: if it does not take a label for each item, or an argument is
            invalid.

    Example:
        >>> from keras import ops
        >>> import keras
        >>> import keras_rankmetrics as krm
        >>> @keras.saving.register_keras_serializable("my_package")
        ... class AnyTwo(krm.RankingMetric):
        ...     @staticmethod
        ...     def measure(ranking, k):
        ...         return ops.where(ranking.hits(k) >= 2.0, 1.0, 0.0)
        >>> krm.testing.check_metric(AnyTwo(k=2))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        AssertionError: any_two@2: tied items should have the mean over ...

    Stability: provisional.
    """
    _check_arguments(metric, labels, items, lists)
    _check_rules(metric)
    drawn = _drawn(labels, items, lists, seed)
    with _without_numpy(metric):
        values = _values(metric, *drawn)
    _check_config(metric, drawn, values)
    _check_alone(metric, drawn, values)
    _check_input(metric, drawn, values, of_catalogue)
    _check_orders(metric, drawn, values, reference)
    _check_forms(metric, drawn)
    if metric.k is not None:
        for k in range(metric.k, min(metric.k + 2, items)):
            at_k = metric.remade(k=k)
            _check_cutoff(at_k, k, min(labels), max(labels), items)
        if metric.k < items:
            _check_k(metric, metric.k, min(labels), max(labels), items)
    if not of_catalogue:
        _check_direction(metric, drawn)
        _check_steps(metric, min(labels), max(labels), items)
    _check_batches(metric, drawn)


def _check_arguments(
    metric: Any, labels: Sequence[float], items: int, lists: int
) -> None:
    if not isinstance(metric, RankingMetric):
        raise TypeError(
            f"`metric` should be a `RankingMetric`. Received: {metric!r}."
        )
    if metric.definition.traits.reads or metric.inputs != "scores":
        raise ValueError(
            "`check_metric` draws a label for each item. Received: "
            f"{metric.name}, which takes other inputs."
        )
    if metric.ties == "shuffle":
        raise ValueError(
            "The order of tied items should not be drawn. Received: "
            f'{metric.name} with `ties="shuffle"`. Check it with "average".'
        )
    for name, holds, expected, received in (
        ("labels", len(set(labels)) > 1 and max(labels) > 0, "0 and 1", labels),
        ("items", items > 1, "an integer above 1", items),
        ("lists", lists > 0, "a positive integer", lists),
    ):
        if not holds:
            raise ValueError(
                f"`{name}` should be such as {expected}. Received: {received}."
            )


def _drawn(
    labels: Sequence[float], items: int, lists: int, seed: int
) -> _Lists:
    rng = np.random.default_rng(seed)
    others = (1.0 - _MOST) / (len(labels) - 1)
    shares = [_MOST, *[others] * (len(labels) - 1)]
    # Nothing retrieved, nothing relevant, only the best, and some of the best
    # among many tied items.
    best, worst = [float(max(labels))] * 2, [float(min(labels))] * 2
    many = [*best, *worst, *worst][: min(items, 5)]
    found = _Lists([best, worst, best, many], [])
    found.scores.extend([[-np.inf] * 2, [1.0, 0.0], [0.0] * 2])
    found.scores.append([0.0] * len(many))
    while len(found.labels) < lists:
        number = int(rng.integers(2, items + 1))
        scores = rng.integers(0, 1 + number // 2, number).astype(float)
        scores[rng.random(number) < 0.1] = -np.inf
        tied = np.unique(scores[scores > -np.inf], return_counts=True)[1]
        if math.prod(map(math.factorial, tied.tolist())) <= _MOST_ORDERS:
            found.labels.append(rng.choice(labels, number, p=shares).tolist())
            found.scores.append(scores.tolist())
    return found


def _values(metric: RankingMetric, *inputs: Any) -> np.ndarray:
    with warnings.catch_warnings():
        # Scores in an order of any labels may look like ranks.
        warnings.simplefilter("ignore", UserWarning)
        values = keras.ops.convert_to_numpy(metric.per_list(*inputs))
    return np.asarray(values, "float64")


def _check_equal(
    metric: RankingMetric,
    promise: str,
    expected: Any,
    received: Any,
    remedy: str,
    lists: _Lists | None = None,
) -> None:
    """Raise AssertionError with the first list whose value differs."""
    expected, received = np.atleast_1d(expected), np.atleast_1d(received)
    close = np.isclose(received, expected, _CLOSE, _ZERO, equal_nan=True)
    if close.all():
        return
    place = int(np.flatnonzero(~close)[0])
    example = ""
    if lists is not None:
        example = (
            f", for the labels {lists.labels[place]} and the scores "
            f"{lists.scores[place]}"
        )
    raise AssertionError(
        f"{metric.name}: {promise}. Expected: {expected[place]:.6g}. Received: "
        f"{received[place]:.6g}{example}. {remedy}"
    )


def _check_rules(metric: RankingMetric) -> None:
    """Check that the rules of the class name options that exist.

    A base class without a measure may name options of some of its subclasses.
    """
    options = metric.definition.options
    for name in _RULES:
        rule = getattr(metric, name)
        owner: Any = next(x for x in type(metric).__mro__ if name in vars(x))
        measure = getattr(owner, "measure", None)
        is_base = getattr(measure, "__isabstractmethod__", measure is None)
        if not (rule is None or rule == "always" or isinstance(rule, tuple)):
            raise AssertionError(
                f"{metric.name}: `{name}` should be a pair of an option and "
                f"its value. Expected: a tuple. Received: {rule!r}. Write "
                f'`{name} = ("option", "value")`.'
            )
        if isinstance(rule, tuple) and not is_base and rule[0] not in options:
            raise AssertionError(
                f"{metric.name}: `{name}` should name an option. Expected: one "
                f"of {', '.join(options) or 'none'}. Received: {rule[0]}. "
                "Options are parameters of `measure` and `relevance`."
            )


@contextlib.contextmanager
def _without_numpy(metric: RankingMetric) -> Iterator[None]:
    """Raise AssertionError where the user's code makes a tensor an array.

    Compiled programs raise an error themselves. PyTorch compiles nothing here.
    """
    if keras.config.backend() != "torch":
        yield
        return
    import torch

    tensor: Any = torch.Tensor
    names = "__array__", "numpy"
    before = {name: vars(tensor).get(name) for name in names}

    def checked(method: Callable[..., Any]) -> Callable[..., Any]:
        def converted(self: Any, *args: Any, **kwargs: Any) -> Any:
            frame = _frame_of_caller()
            if _package_of(frame) not in ("keras", "keras_rankmetrics"):
                raise AssertionError(
                    f"{metric.name}: a measure should not pass tensors to "
                    "numpy, which programs cannot compile. Received: a tensor "
                    f"in line {frame.f_lineno} of {frame.f_code.co_filename}. "
                    "Write the measure with `keras.ops`."
                )
            return method(self, *args, **kwargs)

        return converted

    try:
        for name in names:
            setattr(tensor, name, checked(getattr(tensor, name)))
        yield
    finally:
        for name, method in before.items():
            if method is None:  # it is inherited
                delattr(tensor, name)
            else:
                setattr(tensor, name, method)


def _frame_of_caller() -> types.FrameType:
    """Return the frame that calls a method of torch, by numpy or itself."""
    frame = sys._getframe(2)
    while _package_of(frame) in ("numpy", "torch") and frame.f_back is not None:
        frame = frame.f_back
    called = caller = frame
    while _package_of(caller) == "keras" and caller.f_back is not None:
        called, caller = caller, caller.f_back
    # Other operations of Keras may need an array on the way.
    return caller if called.f_code.co_name == "convert_to_numpy" else frame


def _package_of(frame: types.FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


def _check_alone(
    metric: RankingMetric, lists: _Lists, values: np.ndarray
) -> None:
    """Check that values are numbers, and depend on their list alone."""
    alone = [
        _values(metric, [labels], [scores])[0]
        for labels, scores in zip(*lists, strict=True)
    ]
    _check_equal(
        metric,
        "the value of a list should not depend on others, and not be random",
        np.array(alone),
        values,
        "Compute the measure of each list, `[lists]`, from the ranking alone.",
        lists,
    )
    try:
        filled = _values(metric.remade(empty="zero"), *lists)
    except ValueError:
        return  # the metric refuses it
    _check_equal(
        metric,
        "values should be numbers",
        np.where(np.isnan(filled), 0.0, filled),
        filled,
        "Divide by `ops.divide_no_nan`. If the table of `items.at(table)` has "
        "fewer items than the lists, pass their number as `items=`.",
        lists,
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
    metric: RankingMetric,
    lists: _Lists,
    values: np.ndarray,
    reference: Reference | None,
) -> None:
    """Check values without ties, and that those with ties are their means."""
    strict = metric.remade(ties="stable")
    means, alone = [], _Lists([], [])
    expected: list[float] = []
    for labels, scores in zip(*lists, strict=True):
        orders = list(_orders(scores))
        without_ties = np.full((len(orders), len(scores)), -np.inf)
        for row, order in enumerate(orders):
            without_ties[row, order] = np.arange(len(order), 0, -1)
        every = [labels] * len(orders), without_ties.tolist()
        means.append(np.mean(_values(strict, *every)))
        alone.labels.append(labels)
        alone.scores.append(every[1][0])
        if reference is not None:
            ranked = [labels[item] for item in orders[0]]
            expected.append(reference(ranked, labels))
    if reference is not None:
        received = _values(strict, *alone)
        _check_equal(
            metric,
            "the value should be that of the reference",
            np.where(_is_empty(strict, alone), received, expected),
            received,
            "One of both is wrong.",
            alone,
        )
    if metric.ties == "average" and metric.averages_orders:
        _check_equal(
            metric,
            "tied items should have the mean over all their orders",
            np.array(means),
            values,
            "The methods of a ranking return means over these orders: sums of "
            "them are exact, and products, minima and comparisons are not. Set "
            '`strict_order_under = "always"` in the class to order ties.',
            lists,
        )


def _is_empty(metric: RankingMetric, lists: _Lists) -> np.ndarray:
    """Return True for lists whose value is that of the option `empty`."""
    try:
        return np.isnan(_values(metric.remade(empty="skip"), *lists))
    except ValueError:
        return np.zeros(len(lists.labels), bool)


def _check_input(
    metric: RankingMetric,
    lists: _Lists,
    values: np.ndarray,
    of_catalogue: bool,
) -> None:
    """Check that the form of the input does not change a value."""
    labels, scores = lists.padded()
    mask = labels != _PADDING
    masked = {"labels": np.where(mask, labels, 1.0), "mask": mask}
    changed: dict[str, tuple[Any, ...]] = {
        "padding": (labels, scores),
        "a mask": (masked, scores),
    }
    if metric.ties != "stable" and not of_catalogue:
        backward = [[x[::-1] for x in part] for part in lists]
        changed["the order of the items"] = backward[0], backward[1]
    if metric.has_upper_bound:
        for weight in (1.0, 2.0):
            name = f"a weight of {weight:g} of each item"
            changed[name] = labels, scores, np.full_like(labels, weight)
    for name, inputs in changed.items():
        _check_equal(
            metric,
            f"{name} should not change the value",
            values,
            _values(metric, *inputs),
            "Compute the measure by the methods of the ranking alone. With "
            "`best`, whose gains have weights, use `weighted_total`. Pass "
            "`of_catalogue=True` if the position of an item is its number.",
            lists,
        )


def _check_forms(metric: RankingMetric, lists: _Lists) -> None:
    """Check that targets and ids have the values of labels of 0 and 1."""
    binary = _Lists([[float(x > 0) for x in y] for y in lists.labels], [])
    for labels, scores in zip(*lists, strict=True):
        # No ties; and only relevant items may not be retrieved, since a target
        # says nothing about the others.
        missed = np.isinf(scores) & (np.array(labels) > 0)
        untied = np.maximum(scores, -1.0) + np.arange(len(scores)) / 32
        binary.scores.append(np.where(missed, -np.inf, untied).tolist())
    targets = [[i for i, x in enumerate(y) if x] or [-1] for y in binary.labels]
    ranked = [next(_orders(scores)) for scores in binary.scores]
    forms: dict[str, list[Any]] = {"sparse": binary.scores, "ids": ranked}
    for inputs, predicted in forms.items():
        try:
            other = metric.remade(inputs=inputs)
            received = _values(other, targets, [x or [-1] for x in predicted])
        except ValueError:
            continue  # the metric refuses them
        expected = _values(metric, *binary)
        # Without a target, the list is excluded.
        expected[np.isnan(received)] = np.nan
        _check_equal(
            metric,
            f'`inputs="{inputs}"` should have the value of labels of 0 and 1',
            expected,
            received,
            "With these inputs, entries of a ranking are relevant items, not "
            "ranks: multiply `total()` by `discount` and sum up, and call "
            "`discounted` on gains by rank alone, such as `best(k)`.",
            binary,
        )


def _in_order(labels: list[float], *, best_first: bool) -> list[float]:
    """Return scores that rank the items by their labels."""
    by_label = np.argsort(labels, kind="stable")
    scores = np.empty(len(labels))
    scores[by_label] = np.arange(len(labels)) * (1.0 if best_first else -1.0)
    return scores.tolist()


def _check_cutoff(
    metric: RankingMetric, k: int, worst: float, best: float, items: int
) -> None:
    """Check that the ranks k and k + 1 differ, if any two ranks do."""
    # An item of the best label is at rank k, below any number of them.
    below = [worst] * (items - k)
    labels = [
        [*[best] * above, *[worst] * (k - 1 - above), best, *below]
        for above in range(k)
    ]
    in_order = [*range(items, 0, -1)]
    swapped, reverse = in_order.copy(), in_order[::-1]
    swapped[k - 1], swapped[k] = swapped[k], swapped[k - 1]
    first, other, last = (
        _values(metric, labels, [scores] * k)
        for scores in (in_order, swapped, reverse)
    )
    if _differ(first, last) and not _differ(first, other):
        raise AssertionError(
            f"{metric.name}: an item that moves from rank {k} to rank {k + 1} "
            "should change the value of some list. Expected: another value "
            f"than {first[0]:.6g} for the labels {labels[0]}. Received: "
            f"{other[0]:.6g}. Pass `k` to the methods of the ranking, as in "
            "`ranking.hits(k)`."
        )


def _one_hit(worst: float, best: float, items: int) -> tuple[Any, Any]:
    """Return lists with a single good item, at each rank, and their scores."""
    labels = np.full((items, items), worst)
    np.fill_diagonal(labels, best)
    scores = np.broadcast_to(np.arange(items, 0, -1.0), labels.shape)
    return labels.tolist(), scores.tolist()


def _check_k(
    metric: RankingMetric, k: int, worst: float, best: float, items: int
) -> None:
    """Check that k + 1 gives another value to some list, if any rank does."""
    lists = _one_hit(worst, best, items)
    at_k, deeper = (_values(metric.remade(k=n), *lists) for n in (k, k + 1))
    if _differ(at_k, at_k[::-1]) and not _differ(at_k, deeper):
        raise AssertionError(
            f"{metric.name}: the value of some list should be another one at "
            f"the cutoff {k + 1}. Expected: another value than {at_k[0]:.6g} "
            f"for the labels {lists[0][0]}, or for those with the same items "
            "in another order. Received: the same. Use `k` in the measure."
        )


def _differ(one: np.ndarray, other: np.ndarray) -> bool:
    return not np.array_equal(one, other, equal_nan=True)


def _check_direction(metric: RankingMetric, lists: _Lists) -> None:
    """Check that not all orders by label contradict the direction."""
    best, worst = (
        _values(
            metric,
            lists.labels,
            [_in_order(y, best_first=b) for y in lists.labels],
        )
        for b in (True, False)
    )
    orders = "the order by label", "the reverse order"
    _check_gain(metric, best, worst, lists.labels, orders)


def _check_steps(
    metric: RankingMetric, worst: float, best: float, items: int
) -> None:
    """Check that not all steps of a good item up contradict the direction."""
    labels, scores = _one_hit(worst, best, items)
    first = slice(0, metric.k)
    values = _values(metric, labels[first], scores[first])
    orders = "a good item", "the same item at the next rank"
    _check_gain(metric, values[:-1], values[1:], labels, orders)


def _check_gain(
    metric: RankingMetric,
    better: np.ndarray,
    other: np.ndarray,
    labels: list[list[float]],
    orders: tuple[str, str],
) -> None:
    """Raise AssertionError if some orders lower a value, and none raises one.

    The reverse for metrics of which lower values are better.

    Args:
        metric: the metric.
        better: its values for lists in a better order.
        other: its values for the same lists in another order.
        labels: the labels of the lists.
        orders: the names of both orders.
    """
    gained = np.nan_to_num(better - other)
    is_up = metric._direction == "up"
    gained = gained if is_up else -gained
    if not len(gained):
        return
    place = int(np.argmin(gained))
    if gained[place] >= -_CLOSE or (gained > _ZERO).any():
        return
    wrong, remedy = (
        ("lower", "Set `more_is_better = False` in the class.")
        if is_up
        else ("higher", "Remove `more_is_better = False` or `turns_under`.")
    )
    one, next_to = orders
    raise AssertionError(
        f"{metric.name}: {one} should not have a {wrong} value than {next_to}. "
        f"Expected: at {'least' if is_up else 'most'} {other[place] + 0.0:.6g}."
        f" Received: {better[place] + 0.0:.6g}, for the labels "
        f"{labels[place]}, as in all lists. {remedy}"
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
    try:
        model.evaluate(scores, labels, batch_size=size, verbose=0)
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise AssertionError(
            f"{metric.name}: `evaluate` of a model should compile the measure. "
            f"Received: {type(error).__name__}: {reason} {_COMPILED}"
        ) from error
    for promise, other in (
        ("batches should not change the result", in_batches),
        ("states should add up", merged),
        ("`evaluate` of a model should not change the result", compiled),
    ):
        _check_equal(
            metric,
            promise,
            result,
            float(other.result()),
            _COMPILED,
        )


def _check_config(
    metric: RankingMetric, lists: _Lists, values: np.ndarray
) -> None:
    """Check that Keras can save and load the metric."""
    serialized = keras_config(metric)
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
        values,
        _values(loaded, *lists),
        "Options are parameters of `measure` and `relevance`.",
        lists,
    )

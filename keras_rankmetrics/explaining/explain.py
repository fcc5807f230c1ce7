"""`explain`: the settings of judgements and a run that give a number."""

from __future__ import annotations

import decimal
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.reading import Reading as Asked
from keras_rankmetrics.explaining.answers import (
    Answer,
    Explanation,
    Setting,
    Step,
    Steps,
)
from keras_rankmetrics.explaining.settings import (
    DECIMALS,
    DIGITS,
    EMPTY,
    QUERIES,
    Data,
    Grid,
    Index,
    grid_of,
    recipes_of,
)
from keras_rankmetrics.metrics.names import (
    Spec,
    class_meant,
    parsed,
    specs_in,
)

_PRECISION = 1e-6  # of tools that compute in single precision
_NEAR = 0.05  # values within this distance show how dense they are
_CUT = 3.0  # the cost of a number that is cut off
_NEAREST = 3  # values to show if none matches
_OF_METRICS = 3  # choices that two metrics differ in
_PAIRS = 200  # settings of each number to pair


class Number(NamedTuple):
    """A number as somebody has printed it.

    Attributes:
        text: the number as text.
        value: the number.
        unit: that of the last digit.
    """

    text: str
    value: float
    unit: float

    @classmethod
    def of(cls, x: Any) -> Number:
        """Return a number from a float, or text such as `"83.30%"`.

        Raises:
            ValueError: if it is no finite number.
        """
        text = str(x).strip()
        digits = text.removesuffix("%")
        try:
            found = decimal.Decimal(digits)
            unit = float(
                decimal.Decimal(1).scaleb(int(found.as_tuple().exponent))
            )
        except (decimal.InvalidOperation, ValueError, TypeError):
            raise ValueError(
                "The value should be a number, such as `0.8333`, "
                f'`"0.8330"` or `"83.3%"`. Received: {x!r}.'
            ) from None
        scale = 100 if text.endswith("%") else 1
        return cls(text, float(found) / scale, unit / scale)

    def over(self, scale: float) -> Number:
        """Return the number divided by a scale."""
        return Number(self.text, self.value / scale, self.unit / scale)


def explain(
    value: Any,
    truth: Any,
    run: Any,
    metrics: str | None = None,
    *,
    columns: Mapping[str, str | None] | None = None,
    query_ids: Any = None,
    item_ids: Any = None,
    higher_is_better: bool = True,
    duplicates: Literal["error", "best"] = "error",
) -> Explanation | Steps:
    """Find what a number measures: the tool, the metric and the options.

    Somebody reports a number, and another tool computes another one from the
    same judgements and run. `explain` computes what all metrics give: with all
    cutoffs, the options of all conventions, each order of tied items, lists
    without relevant items and queries without a run counted or excluded, and
    numbers that are rounded, cut off or in percent. It returns those that give
    the number at the digits that it has.

    A number of few digits matches something in any data. The result therefore
    says how many values would match by chance: their density near the number,
    times the width of the interval that has the same digits.

    Args:
        value: the number as printed, such as `0.8333`, `"0.8330"` or `"83.3%"`;
            text keeps zeros at the end. Or a pair of numbers, for the choices
            that lead from one to the other.
        truth: the labels of the items, as for `evaluate`.
        run: the scores of the items, as for `evaluate`.
        metrics: the names of metrics, if they are known, such as `"recall"` or
            `"NDCG@10 MAP"`.
        columns: the names of columns by role, as for `evaluate`.
        query_ids: the id of each row, as for `evaluate`.
        item_ids: the ids of items, as for `evaluate`.
        higher_is_better: False if scores are distances.
        duplicates: `"error"`, or `"best"` to keep the best of equal items.

    Returns:
        An `Explanation`, which can be printed; or `Steps` for a pair.

    Raises:
        TypeError: if ids or values have the wrong type.
        ValueError: if the value is no number, or an input is invalid.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {"q": {"a": 1, "b": 1, "c": 1}}
        >>> run = {"q": ["a", "x", "b", "y", "z"]}
        >>> found = krm.explain(0.8333, truth, run, "MAP")
        >>> found.answers[0].setting.metric.options["denominator"]
        'hits'
        >>> list(found.answers[0].tools)
        ['torchmetrics', 'ragas', 'deepeval', 'recsys']

    Stability: provisional.
    """
    asked = Asked(
        columns, query_ids, item_ids, higher_is_better, None, duplicates
    )
    is_pair = isinstance(value, list | tuple)
    numbers = list(map(Number.of, value if is_pair else [value]))
    if is_pair and len(numbers) != 2:
        raise ValueError(
            "There should be one number, or two. Received: "
            f"{len(numbers)}. Call `explain` once for each."
        )
    together.check_read_again({"truth": truth, "run": run}, "`explain`")
    data = Data(truth, run, asked)
    grid = grid_of(data, recipes_of(data, _specs(metrics or "")))
    first, *others = (explanation(grid, number) for number in numbers)
    if not others:
        return first
    found = [_matches(grid, number) for number in numbers]
    return Steps((first, others[0]), _steps(grid, found))


def _specs(text: str) -> list[Spec]:
    """Return the names and cutoffs of metrics, or raise ValueError."""
    found = list(map(parsed, specs_in(text)))
    for spec in found:
        if spec.options or class_meant(spec.name) is None:
            raise ValueError(
                "`metrics` should have names and cutoffs of metrics, such as "
                f"`recall` or `NDCG@10`. Received: {text!r}. Options are what "
                "`explain` looks for: leave them out."
            )
    return found


class _Match(NamedTuple):
    """A value that has the digits of a number.

    Attributes:
        at: the index of its setting.
        is_cut: True if it has them cut off, not rounded.
    """

    at: Index
    is_cut: bool


def _differences(grid: Grid, number: Number) -> tuple[np.ndarray, np.ndarray]:
    """Return values minus the number, and the unit of its last digit.

    A number above 1 is in percent for metrics of at most 1.
    """
    bounded = np.array([x.metric.has_upper_bound for x in grid.recipes])
    scales = np.where(bounded & (number.value > 1), 100.0, 1.0)
    scales = scales[:, None, None, None]
    units = np.broadcast_to(number.unit / scales, grid.values.shape)
    return grid.values - number.value / scales, units


def _slack(number: Number) -> float:
    return _PRECISION * max(1.0, abs(number.value))


def _matches(grid: Grid, number: Number) -> list[_Match]:
    """Return the matches, those with the lowest cost first."""
    differences, units = _differences(grid, number)
    slack = _slack(number)
    rounded = np.abs(differences) <= units / 2 + slack
    cut = ~rounded & (differences >= 0) & (differences < units - slack)
    found = np.argwhere(rounded | cut)
    costs = grid.costs[tuple(found.T)] + _CUT * cut[tuple(found.T)]
    ordered = found[np.argsort(costs, kind="stable")]
    return [_Match(tuple(x), bool(cut[tuple(x)])) for x in ordered.tolist()]


def explanation(grid: Grid, number: Number) -> Explanation:
    """Return the settings of a grid that give a number."""
    differences, _ = _differences(grid, number)
    order = np.argsort(np.abs(differences), axis=None)[:_NEAREST]
    indices = zip(*np.unravel_index(order, differences.shape), strict=True)
    nearest = [_Match(tuple(map(int, x)), False) for x in indices]
    return Explanation(
        number.text,
        tuple(_answers(grid, _matches(grid, number))),
        tuple(_answers(grid, nearest)),
        int(np.isfinite(grid.values).sum()),
        grid.distinct,
        _by_chance(grid, number),
    )


def _by_chance(grid: Grid, number: Number) -> float:
    """Return how many different values a number nearby matches on average."""
    differences, units = _differences(grid, number)
    expected = 0.0
    for unit in np.unique(units).tolist():
        target = number.value * unit / number.unit
        width = max(_NEAR * max(1.0, target), 10 * unit)
        among = differences[(units == unit) & (np.abs(differences) <= width)]
        span = min(width, target) + width  # no value is below 0
        number_of = len(np.unique(np.round(among, DIGITS)))
        # Rounded values match in one unit, and others if they are cut off.
        expected += number_of * (1.5 * unit + 2 * _slack(number)) / span
    return expected


def _answers(grid: Grid, matches: Sequence[_Match]) -> Iterator[Answer]:
    """Yield an answer for each value and metric, in the order of matches."""
    equal: dict[Any, list[_Match]] = {}
    for each in matches:
        value = round(float(grid.values[each.at]), DIGITS)
        key = value, grid.recipes[each.at[1]].metric, each.is_cut
        equal.setdefault(key, []).append(each)
    for group in equal.values():
        tools: dict[str, list[str]] = {}
        for each in group:
            for convention, name in grid.tools.get(each.at, ()):
                tools.setdefault(convention, []).append(name)
        best = min(group, key=lambda each: float(grid.departures[each.at]))
        ours = float(grid.ours[best.at[1]])
        yield Answer(setting_of(grid, *best), len(group), tools, ours)


def setting_of(grid: Grid, at: Index, is_cut: bool = False) -> Setting:
    """Return the setting at an index of a grid."""
    order, recipe, queries, empty, decimals = at
    rules, ties = grid.orders[order]
    return Setting(
        grid.recipes[recipe].made(ties, EMPTY[empty]),
        rules._replace(queries=QUERIES[queries], decimals=DECIMALS[decimals]),
        float(grid.values[at]),
        is_cut,
    )


def _steps(grid: Grid, found: Sequence[Sequence[_Match]]) -> tuple[Step, ...]:
    """Return the pairs of settings with the fewest differing choices.

    Two cutoffs of a metric differ less, and two metrics more.
    """

    def distance(step: Step) -> float:
        one, other = (x.metric for x in step.settings)
        of_metric = 0.0 if type(one) is type(other) else _OF_METRICS
        return len(step.choices) + of_metric

    ones, others = (
        [setting_of(grid, *each) for each in matches[:_PAIRS]]
        for matches in found
    )
    steps = [Step.between(x, y) for x in ones for y in others]
    steps.sort(key=distance)
    distinct = {
        tuple(round(x.value, DIGITS) for x in step.settings): step
        for step in reversed(steps)
    }
    ordered = sorted(distinct.values(), key=distance)
    return tuple(ordered[:_NEAREST])

"""`explain`: the settings of judgements and a run that give a number."""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from keras_rankmetrics import conventions
from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.reading import Reading as Asked
from keras_rankmetrics.engine.messages import nearest, plain
from keras_rankmetrics.explaining.answers import (
    Answer,
    Explanation,
    Setting,
    Step,
    Steps,
)
from keras_rankmetrics.explaining.data import Data
from keras_rankmetrics.explaining.grid import (
    UNREPORTED,
    Candidate,
    Grid,
    Index,
    grid_of,
    recipes_of,
)
from keras_rankmetrics.explaining.settings import (
    DECIMALS,
    DIGITS,
    EMPTY,
    QUERIES,
    named_metrics,
    own_metrics,
)
from keras_rankmetrics.metrics.names import (
    class_by_name,
    class_named,
    specs_in,
)

_PRECISION = 1e-6  # of tools that compute in single precision
_NEAR = 0.05  # values within this distance show how dense they are
_CUT = 3.0  # the cost of a number that is cut off
_NEAREST = 3  # values to show if none matches
_OF_METRICS = 3  # choices that two metrics differ in
_LETTERS = 3  # of a name that tools may have within theirs
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
        is_scalar = not isinstance(x, str) and np.ndim(x) == 0
        text = str(float(x) if is_scalar and hasattr(x, "ndim") else x).strip()
        scale = 100 if text.endswith("%") else 1
        try:
            found = decimal.Decimal(text.removesuffix("%"))
            digits = int(found.as_tuple().exponent)
            unit = float(decimal.Decimal(1).scaleb(digits)) / scale
            value = float(found) / scale
        except (decimal.InvalidOperation, ValueError, TypeError):
            value, unit = math.nan, math.nan
        if not math.isfinite(value) or not unit > 0:
            raise ValueError(
                "The value should be a finite number, such as `0.8333`, "
                f'`"0.8330"` or `"83.3%"`. Received: {x!r}.'
            )
        return cls(text, value, unit)


def explain(
    value: Any,
    truth: Any,
    run: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    columns: Mapping[str, str | None] | None = None,
    query_ids: Any = None,
    item_ids: Any = None,
    higher_is_better: bool = True,
    duplicates: Literal["error", "best"] = "error",
    convention: str | None = None,
) -> Explanation | Steps:
    """Find what a number measures: the tool, the metric and the options.

    Somebody reports a number, and another tool computes another one from the
    same judgements and run. `explain` computes what all metrics give: with all
    cutoffs, the options of all conventions, each order of tied items, lists
    without relevant items and queries without a run counted or excluded, and
    numbers that are rounded, cut off or in percent. For tools that take labels
    and scores, it also leaves out the items and queries that the run lacks. It
    returns the settings that give the number at the digits that it has.

    A number of few digits matches something in any data. The result therefore
    says how many values would match by coincidence: their density near the
    number, times the width of the interval that has the same digits.

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
        convention: the tool that reports the number, or the second of two, if
            it is known, such as `"lightgbm"`.

    Returns:
        An `Explanation`, which can be printed; or `Steps` for a pair.

    Raises:
        TypeError: if metrics, ids or values have the wrong type.
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
    tool = None if convention is None else conventions.named(convention)
    data = Data(truth, run, asked)
    grid = grid_of(data, recipes_of(data, candidates_of(metrics)))
    # The tool reports the number, or the last of two.
    last = grid if tool is None else grid.of_tool(tool.name)
    grids = [grid, last] if is_pair else [last]
    both = list(zip(grids, numbers, strict=True))
    first, *others = (explanation(each, number) for each, number in both)
    if not others:
        return first
    found = [_matches(each, _Difference.of(each, x)) for each, x in both]
    return Steps((first, others[0]), _steps(grid, found))


def candidates_of(metrics: Any) -> list[Candidate]:
    """Return the classes and cutoffs of metrics.

    Raises:
        TypeError: if they are neither text nor a list of it.
        ValueError: if a name is unknown.
    """
    texts = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(texts, Iterable | None):
        raise TypeError(
            "`metrics` should be names of metrics. Received: "
            f'{metrics!r}. Pass text, such as `"recall"` or `"NDCG@10 MAP"`.'
        )
    found = []
    for text in [spec for each in texts or () for spec in specs_in(str(each))]:
        named = _named(text)
        if not named:
            hint = nearest(text.partition("@")[0], class_by_name())
            raise ValueError(
                "`metrics` should be names of metrics that take labels and "
                "scores, with a cutoff or none, such as `recall` or `NDCG@10`. "
                f"Received: {text!r}.{hint} Leave out options: `explain` finds "
                "them."
            )
        found += named
    return found


def _named(text: str) -> list[Candidate]:
    """Return the metrics that we or some tools call by a name; maybe none."""
    exact = [x for x in named_metrics() if x.name == text]
    name, _, at = text.partition("@")
    own = class_named(name)
    if exact and own is None:
        return [
            Candidate(type(x.metric).__name__, (x.k,) if x.k else ())
            for x in exact
        ]
    cutoffs = at.split(",") if at else []
    if not all(x.isdecimal() and int(x) for x in cutoffs):
        return []
    classes = {type(x).__name__ for x in own_metrics()} & {str(own)}
    if len(name) >= _LETTERS:
        classes |= {
            type(x.metric).__name__
            for x in named_metrics()
            if plain(name) in plain(x.name)
        }
    numbers = tuple(map(int, cutoffs))
    return [Candidate(cls, numbers) for cls in sorted(classes)]


class _Match(NamedTuple):
    """A value that has the digits of a number.

    Attributes:
        at: the index of its setting.
        is_cut: True if it has them cut off, not rounded.
    """

    at: Index
    is_cut: bool


class _Difference(NamedTuple):
    """Values minus a number, like the values of a grid.

    Attributes:
        values: the differences.
        units: the unit of the last digit.
        slack: the precision of tools that compute in single precision.
    """

    values: np.ndarray
    units: np.ndarray
    slack: np.ndarray

    @classmethod
    def of(cls, grid: Grid, number: Number) -> _Difference:
        """Return the differences.

        A number above 1 is in percent for metrics of at most 1.
        """
        bounded = np.array([x.metric.has_upper_bound for x in grid.recipes])
        scales = np.where(bounded & (abs(number.value) > 1), 100.0, 1.0)
        scales = scales[:, None, None, None]
        units = np.broadcast_to(number.unit / scales, grid.values.shape)
        targets = np.abs(number.value / scales)
        slack = _PRECISION * np.maximum(1.0, targets)
        values = grid.values - number.value / scales
        return cls(values, units, np.broadcast_to(slack, units.shape))


def _matches(grid: Grid, difference: _Difference) -> list[_Match]:
    """Return the matches, those with the lowest cost first."""
    values, units, slack = difference
    rounded = np.abs(values) <= units / 2 + slack
    cut = ~rounded & (values >= 0) & (values < units - slack)
    found = np.argwhere(rounded | cut)
    costs = grid.costs[tuple(found.T)] + _CUT * cut[tuple(found.T)]
    ordered = found[np.argsort(costs, kind="stable")]
    return [_Match(tuple(x), bool(cut[tuple(x)])) for x in ordered.tolist()]


def explanation(grid: Grid, number: Number) -> Explanation:
    """Return the settings of a grid that give a number."""
    difference = _Difference.of(grid, number)
    distances = np.abs(difference.values)
    order = np.lexsort((grid.costs.ravel(), distances.ravel()))[:_NEAREST]
    indices = zip(*np.unravel_index(order, distances.shape), strict=True)
    nearest = [_Match(tuple(map(int, x)), False) for x in indices]
    return Explanation(
        number.text,
        tuple(_answers(grid, _matches(grid, difference))),
        tuple(_answers(grid, nearest)),
        int(np.isfinite(grid.values).sum()),
        grid.distinct,
        _coincidences(number, difference, np.isfinite(grid.values)),
        _coincidences(number, difference, grid.is_reported),
        grid.notes,
        grid.hints,
    )


def _coincidences(
    number: Number, difference: _Difference, some: np.ndarray
) -> float:
    """Return how many different values a number nearby matches on average.

    Args:
        number: the number.
        difference: the values minus the number.
        some: the settings that count, bool like the values.
    """
    values, units, slack = difference
    expected = 0.0
    for unit in np.unique(units).tolist():
        is_one = units == unit
        target = number.value * unit / number.unit
        near = max(_NEAR * max(1.0, abs(target)), 10 * unit)
        among = values[some & is_one & (np.abs(values) <= near)]
        # Few metrics have values below 0, and none of those above 0 does.
        span = near + (min(near, target) if target > 0 else near)
        width = 1.5 * unit + 2 * float(slack[is_one][0])  # or 0.5 if cut off
        expected += len(np.unique(np.round(among, DIGITS))) * width / span
    return expected


def _answers(grid: Grid, matches: Sequence[_Match]) -> Iterator[Answer]:
    """Yield an answer for each value and metric, in the order of matches."""
    equal: dict[Any, list[_Match]] = {}
    for each in matches:
        value = round(float(grid.values[each.at]), DIGITS)
        are_known = grid.orders[each.at[0]].are_known
        key = value, grid.recipes[each.at[1]].metric, each.is_cut, are_known
        equal.setdefault(key, []).append(each)
    for group in equal.values():
        best = min(group, key=lambda each: float(grid.departures[each.at]))
        ours = float(grid.ours[best.at[1]])
        reported = next((x for x in group if x.at in grid.tools), None)
        yield Answer(
            setting_of(grid, *best),
            len(group),
            grid.tools_at(each.at for each in group),
            ours,
            reported and setting_of(grid, *reported),
        )


def setting_of(grid: Grid, at: Index, is_cut: bool = False) -> Setting:
    """Return the setting at an index of a grid."""
    order, recipe, queries, empty, decimals = at
    rules, ties, are_known = grid.orders[order]
    return Setting(
        grid.recipes[recipe].made(ties, EMPTY[empty]),
        rules._replace(queries=QUERIES[queries], decimals=DECIMALS[decimals]),
        float(grid.values[at]),
        is_cut,
        are_known,
        grid.tools_at([at]),
    )


def _steps(grid: Grid, found: Sequence[Sequence[_Match]]) -> tuple[Step, ...]:
    """Return the pairs of settings with the fewest differing choices.

    Two cutoffs of a metric differ less, and two metrics more. A pair of values
    occurs once.
    """
    ones, others = (
        [setting_of(grid, *each) for each in matches[:_PAIRS]]
        for matches in found
    )
    choices = {id(x): x.choices for x in (*ones, *others)}
    is_ours = {id(x): not x.departures for x in (*ones, *others)}

    def distance(pair: tuple[Setting, Setting]) -> float:
        one, other = pair
        of_metric = type(one.metric) is not type(other.metric)
        ours, theirs = choices[id(one)], choices[id(other)]
        names = ours.keys() | theirs.keys()
        differing = [x for x in names if ours.get(x) != theirs.get(x)]
        of_cutoff = 0.5 * ("metric" in differing)
        cut = one.is_cut + other.is_cut
        of_none = sum(not (x.tools or is_ours[id(x)]) for x in pair)
        return (
            len(differing)
            - of_cutoff
            + _OF_METRICS * of_metric
            + _CUT * cut
            + UNREPORTED * of_none
        )

    distinct: dict[Any, tuple[Setting, Setting]] = {}
    for pair in sorted(itertools.product(ones, others), key=distance):
        values = tuple(round(x.value, DIGITS) for x in pair)
        distinct.setdefault(values, pair)
    best = sorted(distinct.values(), key=distance)[:_NEAREST]
    return tuple(itertools.starmap(Step.between, best))

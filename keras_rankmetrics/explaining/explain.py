"""`explain`: the settings of judgements and a run that give a number."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from keras_rankmetrics import conventions
from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.reading import HowToRead, Reading, reads
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
from keras_rankmetrics.explaining.numbers import (
    Distance,
    Number,
    may_match,
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

_CUT = 3.0  # the cost of a number that is cut off
_NEAREST = 3  # values to show if none matches
_OF_METRICS = 3  # choices that two metrics differ in
_LETTERS = 3  # of a name that tools may have within theirs
_PAIRS = 200  # settings of each number to pair


@reads("drop_same_id")
def explain(
    value: Any,
    truth: Any,
    run: Any = None,
    metrics: str | Sequence[str] | None = None,
    *,
    convention: str | None = None,
    **how: Unpack[HowToRead],
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
        truth: the labels of the items, or one table, as for `evaluate`.
        run: the scores of the items, as for `evaluate`; None for one table.
        metrics: the names of metrics, if they are known, such as `"recall"` or
            `"NDCG@10 MAP"`.
        convention: the tool that reports the number, or the second of two, if
            it is known, such as `"lightgbm"`.
        **how: how to read the inputs, as for `evaluate`.

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
    asked = Reading.of(explain, how, takes=())
    is_pair = isinstance(value, list | tuple)
    numbers = list(map(Number.of, value if is_pair else [value]))
    if is_pair and len(numbers) != 2:
        raise ValueError(
            "There should be one number, or two. Received: "
            f"{len(numbers)}. Call `explain` once for each."
        )
    together.check_read_again({"truth": truth, "run": run}, "`explain`")
    tool = None if convention is None else conventions.named(convention)
    data = Data(truth, run, asked, metrics)
    recipes = recipes_of(data, candidates_of(metrics, data.thresholds))
    if not recipes:
        received = ", ".join(f"{x:g}" for x in data.grades[:5])
        raise ValueError(
            "`metrics` should include one that takes the labels. Received: "
            f"{metrics!r}, and the labels {received}. Leave `metrics` out."
        )
    near = functools.partial(may_match, recipes, numbers)
    grid = grid_of(data, recipes, near)
    # The tool reports the number, or the last of two.
    last = grid if tool is None else grid.of_tool(tool.name)
    grids = [grid, last] if is_pair else [last]
    both = list(zip(grids, numbers, strict=True))
    first, *others = (explanation(each, number) for each, number in both)
    if not others:
        return first
    found = [
        _matches(each, Distance.of(each.values, each.recipes, x))
        for each, x in both
    ]
    return Steps((first, others[0]), _steps(grid, found))


def candidates_of(
    metrics: Any, grades: tuple[float, ...] = ()
) -> list[Candidate]:
    """Return the classes and cutoffs of metrics.

    Args:
        metrics: the names of metrics, also as tools write them.
        grades: thresholds of relevance that tools may be given.

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
        named = _named(text, grades)
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


def _named(text: str, grades: tuple[float, ...]) -> list[Candidate]:
    """Return the metrics that we or some tools call by a name; maybe none."""
    exact = [x for x in named_metrics(grades) if x.name == text]
    name, _, at = text.partition("@")
    own = class_named(name)
    is_plain = not at or at.replace(",", "").isdecimal()
    if exact and (own is None or not is_plain):
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
            for x in named_metrics(grades)
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


def _matches(grid: Grid, difference: Distance) -> list[_Match]:
    """Return the matches, those with the lowest cost first."""
    is_whole = grid.is_whole[..., None, None, None]
    rounded, cut = (x & is_whole for x in (difference.rounded, difference.cut))
    found = np.argwhere(rounded | cut)
    costs = grid.costs[tuple(found.T)] + _CUT * cut[tuple(found.T)]
    ordered = found[np.argsort(costs, kind="stable")]
    return [_Match(tuple(x), bool(cut[tuple(x)])) for x in ordered.tolist()]


def explanation(grid: Grid, number: Number) -> Explanation:
    """Return the settings of a grid that give a number."""
    difference = Distance.of(grid.values, grid.recipes, number)
    exists = np.isfinite(grid.values)
    groups, near = (
        _groups(grid, found)
        for found in (_matches(grid, difference), _nearest(grid, difference))
    )
    # The values of our defaults are computed once for all answers.
    grid = grid.with_ours(group.best.at[1] for group in (*groups, *near))
    return Explanation(
        number.text,
        tuple(_answer(grid, group) for group in groups),
        tuple(_answer(grid, group) for group in near),
        int(exists.sum()),
        grid.distinct,
        difference.coincidences(number, exists),
        difference.coincidences(number, exists & grid.is_reported),
        grid.notes,
        grid.hints,
        grid.data,
    )


def _nearest(grid: Grid, difference: Distance) -> list[_Match]:
    """Return the nearest settings that exist, those of low cost first."""
    is_whole = grid.is_whole[..., None, None, None]
    distances = np.where(is_whole, np.abs(difference.values), np.nan)
    order = np.lexsort((grid.costs.ravel(), distances.ravel()))[:_NEAREST]
    order = order[np.isfinite(distances.ravel()[order])]
    indices = zip(*np.unravel_index(order, distances.shape), strict=True)
    return [_Match(tuple(map(int, x)), False) for x in indices]


class _Group(NamedTuple):
    """Matches of one value and metric.

    Attributes:
        best: the match that departs least from our defaults.
        every: all matches, in their order.
    """

    best: _Match
    every: Sequence[_Match]


def _groups(grid: Grid, matches: Sequence[_Match]) -> list[_Group]:
    """Return the matches of each value and metric, in their order."""
    equal: dict[Any, list[_Match]] = {}
    for each in matches:
        value = round(float(grid.values[each.at]), DIGITS)
        are_known = grid.orders[each.at[0]].are_known
        key = value, grid.recipes[each.at[1]].metric, each.is_cut, are_known
        equal.setdefault(key, []).append(each)
    return [
        _Group(min(x, key=lambda y: float(grid.departures[y.at])), x)
        for x in equal.values()
    ]


def _answer(grid: Grid, group: _Group) -> Answer:
    best, every = group
    reported = next((x for x in every if x.at in grid.tools), None)
    return Answer(
        setting_of(grid, *best),
        len(every),
        grid.tools_at(each.at for each in every),
        grid.ours(best.at[1]),
        reported and setting_of(grid, *reported),
        float(grid.marks[best.at[:2]]),
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

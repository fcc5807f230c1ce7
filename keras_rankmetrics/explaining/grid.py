"""The values of all settings of judgements and a run.

The grid has five axes: how the run is read and its ties are ordered, the recipe
of a metric, the queries of the mean, the value of a list without relevant
items, and the decimals of the value of each list.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import ALL, Measured
from keras_rankmetrics.comparing.report import gaps
from keras_rankmetrics.comparing.requirements import notes_on_shares
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.definition import Definition, takes
from keras_rankmetrics.engine.definition.definition import Traits, chosen
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.explaining.data import Data
from keras_rankmetrics.explaining.means import MayMatch, Ordered, means_of
from keras_rankmetrics.explaining.settings import (
    COMMON,
    CUTOFFS,
    DECIMALS,
    DIGITS,
    EMPTY,
    QUERIES,
    USUAL,
    Named,
    Recipe,
    TieOrder,
    default_of,
    named_metrics,
    own_metrics,
)
from keras_rankmetrics.metrics import NDCG
from keras_rankmetrics.types import TiePolicy

Index = tuple[int, ...]
UNREPORTED = 3.0  # the cost of a setting that no tool reports
_OF_ALL = "grades", "members"  # labels that any script may have
_NOTHING = "relevance_threshold", np.inf  # is relevant


class Candidate(NamedTuple):
    """A metric to try.

    Attributes:
        metric: the name of the class.
        cutoffs: the only cutoffs; all if there are none.
    """

    metric: str
    cutoffs: tuple[int, ...] = ()

    def includes(self, recipe: Recipe) -> bool:
        """Return True if a recipe is of this metric, at such a cutoff."""
        is_named = recipe.metric.__name__ == self.metric
        return is_named and (not self.cutoffs or recipe.k in self.cutoffs)


def recipes_of(data: Data, candidates: Sequence[Candidate]) -> list[Recipe]:
    """Return the recipes of our metrics and of all tools.

    Args:
        data: the judgements, whose grades are thresholds of relevance, and the
            run, whose length bounds cutoffs unless a metric divides by them.
        candidates: the only metrics to return; all if there are none.
    """
    found: dict[Recipe, None] = {}
    asked = [k for each in candidates for k in each.cutoffs]
    made = {id(x.metric): x.metric for x in named_metrics(data.thresholds)}
    named = list(made.values())
    reported = {data.simplest_recipe(Recipe.of(x, None)) for x in named}
    for prototype in _prototypes(data, [*own_metrics(), *named]):
        cls, options = prototype.metric, dict(prototype.options)
        is_divisor = options.get("denominator") == "k"
        longest = np.inf if is_divisor else data.longest
        every = CUTOFFS if prototype in reported else COMMON[:-1]
        cutoffs = [*asked, *(k for k in every if k < longest)]
        if not chosen(options, cls.needs_k_under):
            cutoffs = [None, *cutoffs]
        for k in cutoffs if takes(cls, "k") else [None]:
            recipe = prototype._replace(k=k)
            if not candidates or any(
                each.includes(recipe) for each in candidates
            ):
                found[recipe] = None
    return list(found)


def _prototypes(data: Data, made: Iterable[RankingMetric]) -> Iterator[Recipe]:
    """Yield recipes for metrics that take the labels, without cutoffs.

    Our defaults also get all thresholds of relevance, and usual numbers.
    """
    share = next((x for x in data.grades.tolist() if 0 < x < 1), None)
    made = [x for x in made if x.definition.misreads(share) is None]
    taken = data.takers(map(type, made))
    every = [data.simplest_recipe(Recipe.of(x, None)) for x in made]
    found = dict.fromkeys(
        x for x in every if x.metric in taken and _NOTHING not in x.options
    )
    yield from found
    for recipe in found:
        offered = dict(USUAL)
        if data.is_plain(recipe):
            offered["relevance_threshold"] = data.thresholds
        for name, value in recipe.options:
            for other in offered.get(name, ()):
                options = recipe.options - {(name, value)} | {(name, other)}
                yield recipe._replace(options=options)


@dataclasses.dataclass(frozen=True)
class Grid:
    """The values of all settings.

    Attributes:
        orders: the orders, the default first.
        recipes: the recipes.
        values: `[orders, recipes, queries, empty, decimals]`, NaN for settings
            that do not exist.
        tools: the conventions of settings, and their names, by index.
        marks: `[orders, recipes]`, numbers that are equal if the metrics are
            equal on all lists.
        is_whole: bool `[orders, recipes]`, True for values over all lists, not
            those of a sample.
        departures: the number of choices of each setting that differ from our
            defaults, with half of one for an unusual cutoff.
        defaults: for each recipe the place of the metric with our defaults.
        usual: `[recipes, empty]`, the values in the default order, over all
            queries.
        notes: sentences on queries and items that do not match.
        hints: sentences on tools that may report another number for this run.
        data: the judgements and the run.
    """

    orders: list[TieOrder]
    recipes: list[Recipe]
    values: np.ndarray
    marks: np.ndarray
    is_whole: np.ndarray
    tools: Mapping[Index, list[tuple[str, str]]]
    departures: np.ndarray
    defaults: Sequence[int]
    usual: np.ndarray
    notes: tuple[str, ...]
    hints: tuple[str, ...]
    data: Data

    def of_tool(self, convention: str) -> Grid:
        """Return the settings that one tool reports."""
        tools = {
            at: found
            for at, named in self.tools.items()
            if (found := [x for x in named if x[0] == convention])
        }
        some = _reported(tools, self.values.shape)
        values = np.where(some, self.values, np.nan)
        return dataclasses.replace(self, tools=tools, values=values)

    def with_ours(self, recipes: Iterable[int]) -> Grid:
        """Return the grid with what `ours` needs for these metrics."""
        places = {self.defaults[x] for x in recipes}
        lacking = sorted(x for x in places if not self.is_whole[0, x])
        if not lacking:
            return self
        first, usual = self.orders[:1], self.usual.copy()
        found = _evaluated(self.data, first, self.recipes, [lacking], None)
        usual[lacking] = found.values[0, lacking, 0, :, 0]
        return dataclasses.replace(self, usual=usual)

    def ours(self, recipe: int) -> float:
        """Return the value of a metric with our defaults."""
        place = self.defaults[recipe]
        empty = default_of(self.recipes[place].metric).empty
        return float(self.usual[place, EMPTY.index(empty)])

    def tools_at(self, places: Iterable[Index]) -> dict[str, list[str]]:
        """Return the conventions of some settings, each with its names."""
        found: dict[str, dict[str, None]] = {}
        for at in places:
            for convention, name in self.tools.get(at, ()):
                found.setdefault(convention, {})[name] = None
        return {convention: [*names] for convention, names in found.items()}

    @functools.cached_property
    def is_reported(self) -> np.ndarray:
        """True for settings that some tool reports, like the values."""
        return _reported(self.tools, self.values.shape)

    @functools.cached_property
    def costs(self) -> np.ndarray:
        """The departures, with more for settings that no tool reports."""
        found: np.ndarray = self.departures + UNREPORTED * ~self.is_reported
        return found

    @functools.cached_property
    def distinct(self) -> int:
        """The number of different values."""
        values = self.values[np.isfinite(self.values)]
        return len(np.unique(np.round(values, DIGITS)))


def grid_of(
    data: Data,
    recipes: Sequence[Recipe],
    may_match: MayMatch | None = None,
) -> Grid:
    """Return the values of all settings of these recipes.

    Args:
        data: the judgements and the run.
        recipes: the recipes.
        may_match: returns the recipes whose values matter after a sample of the
            lists; the others have the values of the sample. None for all.

    Raises:
        ValueError: if the input is invalid.
    """
    measured = data.measured  # the first to check the input
    ties: tuple[TiePolicy, ...] = ("stable", "pessimistic", "optimistic")
    orders = [TieOrder(), *(TieOrder(ties=each) for each in ties)]
    if data.has_ids:
        members = Rules(labels="members")
        orders += [TieOrder(members), TieOrder(members, "stable")]
    named = named_metrics(data.thresholds)
    orders += [order for each in named for order in each.orders]
    simple = [data.simplest(order) for order in orders]
    kept = list(dict.fromkeys(order for order in simple if order))
    recipe_places = {recipe: place for place, recipe in enumerate(recipes)}
    tools = _tools(data, kept, recipe_places)
    every = data.simplest(TieOrder(ties="stable"))
    plain = {n for n, x in enumerate(recipes) if data.is_plain(x)}
    offered = []
    for place, order in enumerate(kept):
        reported = {index[1] for index in tools if index[0] == place}
        places = [*range(len(recipes))]
        if order != every:
            if order.rules.labels in _OF_ALL and order.are_known:
                reported |= plain
            places = _offered(recipes, reported)
        offered.append(places)
    found = _evaluated(data, kept, recipes, offered, may_match)
    values = found.values
    usual = values[0, :, 0, :, 0].copy()
    # No script rounds each list, or drops judgements, except for a tool.
    dropped = ~_reported(tools, values.shape)
    dropped[[order.are_known for order in kept], ..., 0] = False
    values[dropped] = np.nan
    departures = _departures(kept, recipes)
    defaults = [_default(data, recipe_places, x) for x in recipes]
    notes = *gaps(_counted(measured)), *notes_on_shares(data.labels, [NDCG()])
    return Grid(
        kept,
        list(recipes),
        values,
        found.marks,
        found.is_whole,
        tools,
        departures,
        defaults,
        usual,
        notes,
        tuple(data.hints),
        data,
    )


def _reported(
    tools: Mapping[Index, list[tuple[str, str]]], shape: tuple[int, ...]
) -> np.ndarray:
    """Return True for the settings of tools, bool of that shape."""
    found = np.zeros(shape, bool)
    if tools:
        found[tuple(np.array(list(tools)).T)] = True
    return found


def _counted(measured: Measured) -> Measured:
    """Return the same as if queries that the run lacks were counted."""
    run = measured.systems[ALL]
    overlap = run.overlap._replace(left_out=0)
    return measured._replace(systems={"run": run._replace(overlap=overlap)})


def _place(recipe: Recipe, recipes: Mapping[Recipe, int]) -> int | None:
    """Return the place of a recipe, or None.

    A cutoff that is longer than all lists is none.
    """
    found = recipes.get(recipe)
    return recipes.get(recipe._replace(k=None)) if found is None else found


def _default(data: Data, recipes: Mapping[Recipe, int], recipe: Recipe) -> int:
    """Return the place of the same metric with our defaults."""
    place = _place(data.simplest_recipe(recipe.plain), recipes)
    assert place is not None, f"{recipe.plain} should be one of the recipes"
    return place


def _offered(recipes: Sequence[Recipe], some: set[int]) -> list[int]:
    """Return the places of the recipes to compute in an order of a tool.

    Any script may have ties in the order of rows or ids, with any options. In
    other orders, tools have only some metrics. To these belong the same metrics
    with other numbers.

    Args:
        recipes: the recipes.
        some: the places of those that tools have in this order and, for all
            grades as they are, of our defaults.
    """
    families = {recipes[place].family for place in some}
    return [
        place
        for place, x in enumerate(recipes)
        if place in some or (x.family in families and x.k in COMMON)
    ]


def _shape(recipes: Sequence[Recipe]) -> tuple[int, ...]:
    return len(recipes), len(QUERIES), len(EMPTY), len(DECIMALS)


class _Evaluated(NamedTuple):
    """The means of settings.

    Attributes:
        values: `[orders, recipes, queries, empty, decimals]`, NaN for settings
            that do not exist.
        marks: `[orders, recipes]`, as in `Grid`.
        is_whole: bool `[orders, recipes]`, True for means over all lists.
    """

    values: np.ndarray
    marks: np.ndarray
    is_whole: np.ndarray


def _evaluated(
    data: Data,
    orders: Sequence[TieOrder],
    recipes: Sequence[Recipe],
    offered: Sequence[Iterable[int]],
    may_match: MayMatch | None,
) -> _Evaluated:
    """Return the means of all settings.

    Args:
        data: the judgements and the run.
        orders: the orders.
        recipes: the recipes.
        offered: for each order the places of its recipes.
        may_match: returns the recipes to go on with after a sample; or None.
    """
    values = np.full((len(orders), *_shape(recipes)), np.nan)
    found = _Evaluated(
        values, values[:, :, 0, 0, 0].copy(), np.ones(values.shape[:2], bool)
    )
    [here] = data.measured.systems[ALL].valid
    for are_known in (True, False):
        places = [n for n, x in enumerate(orders) if x.are_known == are_known]
        parts = [
            Ordered(
                data.lists(orders[place]),
                data.missing[are_known],
                _definitions(recipes, offered[place], orders[place].ties),
            )
            for place in places
        ]
        if not parts:
            continue
        lists = len(parts[0].lists.lengths)
        counted = here if are_known else np.ones(lists, bool)
        means = means_of(parts, counted, len(recipes), may_match)
        for place, each in zip(places, means, strict=True):
            found.values[place] = each.values
            found.marks[place] = each.marks / lists
            found.is_whole[place] = each.are_of(lists)
    takes_one = [Traits.of(recipe.metric).one_is_best for recipe in recipes]
    values[:, ~np.array(takes_one, bool), :, EMPTY.index("one")] = np.nan
    return found


def _definitions(
    recipes: Sequence[Recipe], places: Iterable[int], ties: TiePolicy
) -> dict[int, Definition]:
    """Return the definitions of recipes, without those that do not exist."""
    found = {}
    for place in places:
        with contextlib.suppress(ValueError):
            found[place] = recipes[place].definition(ties)
    return found


def places_of(
    data: Data,
    orders: Sequence[TieOrder],
    recipes: Mapping[Recipe, int],
    named: Sequence[Named],
) -> Iterator[tuple[Index, str]]:
    """Yield the indices of a tool's settings, each with the name of the metric.

    The first one of each name also counts queries that the run lacks.

    A tool that takes no run may be passed only the queries that the run has.

    Args:
        data: the judgements and the run.
        orders: those of the grid.
        recipes: the places of recipes in the grid.
        named: a metric of the tool, by all its names and cutoffs.
    """
    metric, convention = named[0].metric, named[0].convention
    rules = convention.rules
    first = QUERIES.index(rules.counted_queries)
    queries = [*range(first, len(QUERIES))]
    if convention.takes == "run":
        queries = [first]
    empty, decimals = EMPTY.index(metric.empty), DECIMALS.index(rules.decimals)
    simple = filter(None, dict.fromkeys(map(data.simplest, named[0].orders)))
    counted = [
        (orders.index(order), each)
        for order in simple
        for each in (queries if order.are_known else [0])
    ]
    recipe = data.simplest_recipe(named[0].recipe)
    for one in named:
        place = _place(recipe._replace(k=one.k), recipes)
        if place is not None:
            for at, each in counted:
                yield (at, place, each, empty, decimals), one.name


def _tools(
    data: Data, orders: Sequence[TieOrder], recipes: Mapping[Recipe, int]
) -> Mapping[Index, list[tuple[str, str]]]:
    """Return the conventions of settings, and their names, by index."""
    found: dict[Index, list[tuple[str, str]]] = defaultdict(list)
    for (convention, _), named in itertools.groupby(
        named_metrics(data.thresholds),
        lambda each: (each.convention.name, id(each.metric)),
    ):
        for index, name in places_of(data, orders, recipes, [*named]):
            found[index].append((convention, name))
    return found


def _departures(
    orders: Sequence[TieOrder], recipes: Sequence[Recipe]
) -> np.ndarray:
    """Return the number of choices that differ from our defaults."""
    ours = TieOrder().ties
    of_orders = [
        (len(str(x.rules).split("|")) if x.rules != Rules() else x.ties != ours)
        + (not x.are_known)
        for x in orders
    ]
    of_recipes = [
        len(x.options - x.plain.options) + 0.5 * (x.k not in COMMON)
        for x in recipes
    ]
    of_empty = [
        [each != default_of(x.metric).empty for each in EMPTY] for x in recipes
    ]
    found: np.ndarray = (
        np.array(of_orders, float)[:, None, None, None, None]
        + np.array(of_recipes)[:, None, None, None]
        + np.arange(len(QUERIES))[:, None, None]
        + np.array(of_empty, float)[:, None, :, None]
        + np.arange(len(DECIMALS))
    )
    return found

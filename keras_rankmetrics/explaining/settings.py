"""All settings of judgements and a run: metrics, orders, and means of lists.

The grid of settings has five axes: how the run is read and its ties are
ordered, the recipe of a metric, the queries of the mean, the value of a list
without relevant items, and the decimals of the value of each list. Conventions
define orders and recipes, so that a tool with a convention is always found.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from keras_rankmetrics import conventions, gains, metrics
from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.forms import input_of
from keras_rankmetrics.comparing.measured import ALL, Measured, Values
from keras_rankmetrics.comparing.measuring import of_members
from keras_rankmetrics.comparing.reading import Reading as Asked
from keras_rankmetrics.comparing.reading import have_same_id
from keras_rankmetrics.comparing.report import gaps, warn_of_unjudged
from keras_rankmetrics.comparing.values import of_arrays
from keras_rankmetrics.conventions.convention import Convention, Rules
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.engine.definition.definition import Traits, chosen
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.types import EmptyPolicy, TiePolicy

CUTOFFS = (*range(1, 11), 12, 15, 20, 25, 30, 32, 40, 50, 100, 200, 500, 1000)
QUERIES: tuple[Literal["truth", "both"], ...] = ("truth", "both")
EMPTY: tuple[EmptyPolicy, ...] = ("zero", "one", "skip")
DECIMALS = (None, 2)
_OF_OTHER_AXES = ("k", "ties", "empty", "seed")
DIGITS = 9  # of values that are equal
COMMON = (1, 3, 5, 10, 20, 100, None)  # cutoffs
_UNREPORTED = 3.0  # the cost of a setting that no tool reports
_EQUAL_GAINS = (gains.linear_gain, gains.exponential_gain)  # of 0 and 1
_GRADES = 5  # at most, as thresholds
_NOTHING = "relevance_threshold", np.inf  # is relevant
_USUAL: Mapping[str, tuple[float, ...]] = {  # numbers that papers set
    "p": (0.5, 0.8, 0.85, 0.9, 0.95),
    "beta": (0.5, 2.0, 0.5**0.5, 2.0**0.5),  # trec_eval takes squares
    "decay": (0.5, 0.8),
}
Index = tuple[int, ...]


class Recipe(NamedTuple):
    """A metric without what other axes decide.

    Attributes:
        metric: the class.
        k: the cutoff.
        options: the names and values of its other options.
    """

    metric: type[RankingMetric]
    k: int | None
    options: frozenset[tuple[str, Any]]

    @classmethod
    def of(cls, metric: RankingMetric, k: int | None) -> Recipe:
        """Return the recipe of a metric, with another cutoff."""
        config = metric.definition.config.items()
        options = frozenset(x for x in config if x[0] not in _OF_OTHER_AXES)
        return cls(type(metric), k, options)

    @property
    def plain(self) -> Recipe:
        """The recipe of the same class and cutoff, with default options."""
        return Recipe.of(default_of(self.metric), self.k)

    @property
    def family(self) -> Recipe:
        """The recipe without the numbers that users set."""
        options = frozenset(x for x in self.options if x[0] not in _USUAL)
        return self._replace(options=options)

    def made(self, ties: TiePolicy, empty: EmptyPolicy) -> RankingMetric:
        """Return the metric, with a strict order where it needs one.

        Raises:
            ValueError: if it does not take the option `empty`.
        """
        config = {**dict(self.options), "k": self.k, "empty": empty}
        taken = {n: x for n, x in config.items() if takes(self.metric, n)}
        traits = Traits.of(self.metric)
        if ties == "average" and traits.needs_order(dict(self.options)):
            ties = "stable"
        return self.metric(**taken, ties=ties)


@functools.lru_cache(2**14)  # several orders have the same ties
def _made(recipe: Recipe, ties: TiePolicy) -> RankingMetric:
    return recipe.made(ties, "skip")


def default_of(metric: type[RankingMetric]) -> RankingMetric:
    """Return the metric of a class with its defaults."""
    if metric not in _DEFAULTS:
        _DEFAULTS[metric] = metric()
    return _DEFAULTS[metric]


_DEFAULTS: dict[type, RankingMetric] = {}


class TieOrder(NamedTuple):
    """The reading of a run, and the order of its tied items.

    Attributes:
        rules: the rules of a convention, but for queries and decimals.
        ties: the option of the metrics.
    """

    rules: Rules = Rules()
    ties: TiePolicy = "average"


class Named(NamedTuple):
    """A metric by the name that a tool has for it.

    Attributes:
        convention: the convention of the tool.
        name: the name, with the cutoff.
        metric: the metric, at any cutoff.
        k: the cutoff.
    """

    convention: Convention
    name: str
    metric: RankingMetric
    k: int | None

    @property
    def order(self) -> TieOrder:
        """The order in which the tool has tied items."""
        rules = self.convention.rules
        ties = rules.options.get("ties", self.metric.ties)
        return TieOrder(rules._replace(queries="truth", decimals=None), ties)


class Data:
    """Judgements and a run, and what of them makes settings equal.

    Args:
        truth: the labels, as for `evaluate`.
        run: the scores, as for `evaluate`.
        asked: how to read both.
    """

    def __init__(self, truth: Any, run: Any, asked: Asked) -> None:
        self._simplest: dict[TieOrder, TieOrder | None] = {}
        self._passed = truth, {ALL: run}, asked
        plain = asked.of_system(None, Rules())
        judged = input_of(truth, "label", "`truth`", plain)
        ranked = input_of(run, "score", "`run`", plain)
        inputs = [judged, ranked]
        self.has_ids = together.have_ids(inputs) or together.integers_are_ids(
            inputs
        )
        if self.has_ids:
            rows = ranked.all_rows()
            truth_rows = judged.all_rows()
            self.labels, scores = truth_rows.value, rows.value
            lists = np.unique(rows.query, return_inverse=True)[1]
            of_truth = np.unique(truth_rows.query, return_counts=True)[1]
            self._has_same_id = bool(have_same_id(rows).any())
        else:
            self.labels, scores = (to_numpy(x).ravel() for x in (truth, run))
            if np.ndim(run) < 2:
                raise ValueError(
                    "`truth` and `run` should be [queries, items]. Received: "
                    f"{len(scores):,} numbers in one list. Pad lists to one "
                    "length: labels by -1, scores by any number."
                )
            if not len(scores) or np.isnan(scores).any():
                raise ValueError(
                    "There should be a number for each item of `run`. Received:"
                    f" {'NaN' if len(scores) else 'no items'}. Check how they "
                    "were computed."
                )
            lists = np.repeat(np.arange(len(run)), len(scores) // len(run))
            self._has_same_id, of_truth = False, np.zeros(1, np.int64)
        self.grades = np.unique(np.maximum(self.labels, 0)).astype(float)
        self.thresholds = (*self.grades[self.grades > 0][:_GRADES].tolist(),)
        self._is_binary = set(self.grades) <= {0, 1}
        of_run = np.bincount(lists)
        self.longest = int(max(of_run.max(initial=0), of_truth.max(initial=0)))
        order = np.lexsort((scores, lists))
        is_list = np.diff(lists[order]) == 0
        ordered = scores[order]
        ties, in_single = (
            (np.diff(x) == 0) & is_list
            for x in (ordered, ordered.astype(np.float32))
        )
        self._is_tied = bool(in_single.any())
        self._is_single = np.array_equal(ties, in_single)

    def is_plain(self, recipe: Recipe) -> bool:
        """Return True for a metric with our defaults."""
        plain = self.simplest_recipe(recipe.plain)
        return plain.options == recipe.options

    def simplest(self, order: TieOrder) -> TieOrder | None:
        """Return the simplest order that is equal here; None if it is refused.

        Orders are equal if nothing ties, and tools refuse some labels.
        """
        if order not in self._simplest:
            self._simplest[order] = self._simplified(order)
        return self._simplest[order]

    def _simplified(self, order: TieOrder) -> TieOrder | None:
        rules, ties = order
        try:
            read = rules.read_labels(self.labels)
        except ValueError:
            return None
        is_single = self._is_single or rules.score_dtype == "float64"
        rules = rules._replace(
            score_dtype=None if is_single else rules.score_dtype,
            drop_same_id=rules.drop_same_id and self._has_same_id,
            labels=rules.labels if (read != self.labels).any() else "grades",
        )
        if not self._is_tied:
            return TieOrder(rules._replace(ties="options"))
        by_id = rules.ties in ("first_id_first", "last_id_first")
        if ties == "stable" and self.has_ids and rules.ties == "options":
            rules = rules._replace(ties="last_id_first")
        if not self.has_ids and by_id:
            return None
        return TieOrder(rules, ties)

    def simplest_recipe(self, recipe: Recipe) -> Recipe:
        """Return the simplest recipe that is equal for these labels."""
        options = dict(recipe.options)
        threshold = options.get("relevance_threshold")
        if threshold is not None:
            above = [x for x in (*self.thresholds, np.inf) if x >= threshold]
            least = 1.0 if threshold <= 1 <= above[0] else above[0]
            options["relevance_threshold"] = float(least)
        if options.get("gain_fn") in _EQUAL_GAINS and self._is_binary:
            options["gain_fn"] = default_of(recipe.metric).options["gain_fn"]
        return recipe._replace(options=frozenset(options.items()))

    def takes(self, metric: type[RankingMetric]) -> bool:
        """Return True if a metric takes these labels."""
        labels, metrics = self.grades[None], [default_of(metric)]
        try:
            with np.errstate(all="ignore"):
                of_arrays(metrics, (labels, np.zeros_like(labels), None))
        except ValueError:
            return False
        return True

    def measured(self) -> Measured:
        """Return values that are valid for the queries that the run has.

        Warnings on the input are those of `evaluate`.
        """
        truth, systems, asked = self._passed
        rules = Rules(queries="both")
        probe = [metrics.JudgedAtK()]  # it takes any labels
        with np.errstate(all="ignore"):
            found = of_members(probe, truth, systems, asked, lambda _: rules)
        warn_of_unjudged(found)
        return found

    def values(
        self, order: TieOrder, metrics: Sequence[RankingMetric]
    ) -> Values:
        """Return the value of each metric and list, without warnings again."""
        truth, systems, asked = self._passed
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = of_members(
                metrics, truth, systems, asked, lambda _: order.rules
            )
        return found.systems[ALL]


@dataclasses.dataclass(frozen=True)
class Grid:
    """The values of all settings.

    Attributes:
        orders: the orders, the default first.
        recipes: the recipes.
        values: `[orders, recipes, queries, empty, decimals]`, NaN for settings
            that do not exist.
        tools: the conventions of settings, and their names, by index.
        departures: the number of choices of each setting that differ from our
            defaults, with half of one for an unusual cutoff.
        ours: `[recipes]`, the value of the metric with our defaults.
        notes: sentences on queries and items that do not match.
    """

    orders: list[TieOrder]
    recipes: list[Recipe]
    values: np.ndarray
    tools: Mapping[Index, list[tuple[str, str]]]
    departures: np.ndarray
    ours: np.ndarray
    notes: tuple[str, ...]

    @functools.cached_property
    def is_reported(self) -> np.ndarray:
        """True for settings that some tool reports, like the values."""
        found = np.zeros(self.values.shape, bool)
        found[tuple(np.array(list(self.tools)).T)] = True
        return found

    @functools.cached_property
    def costs(self) -> np.ndarray:
        """The departures, with more for settings that no tool reports."""
        found: np.ndarray = self.departures + _UNREPORTED * ~self.is_reported
        return found

    @functools.cached_property
    def distinct(self) -> int:
        """The number of different values."""
        values = self.values[np.isfinite(self.values)]
        return len(np.unique(np.round(values, DIGITS)))


@functools.cache
def named_metrics(grades: tuple[float, ...] = ()) -> tuple[Named, ...]:
    """Return the metrics of all conventions that take labels and scores.

    Args:
        grades: thresholds of relevance that tools may be given.
    """
    return tuple(
        Named(convention, name, metric, k)
        for convention in conventions.all_of_them()
        for name, metric, k in convention.named_metrics(CUTOFFS, grades)
        if _is_of_lists(type(metric))
    )


@functools.cache
def own_metrics() -> tuple[RankingMetric, ...]:
    """Return our metrics that take labels and scores, with their defaults."""
    found = []
    for name in vars(metrics)["__all__"]:
        with contextlib.suppress(ValueError, TypeError):  # some need a table
            metric = default_of(getattr(metrics, name))
            if isinstance(metric, RankingMetric) and _is_of_lists(type(metric)):
                found.append(metric)
    return tuple(found)


def _is_of_lists(metric: type[RankingMetric]) -> bool:
    return metric.reads is None and metric.of_catalogue is None


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
    taken = {cls for cls in set(map(type, made)) if data.takes(cls)}
    every = [data.simplest_recipe(Recipe.of(x, None)) for x in made]
    found = dict.fromkeys(
        x for x in every if x.metric in taken and _NOTHING not in x.options
    )
    yield from found
    for recipe in found:
        offered = dict(_USUAL)
        if data.is_plain(recipe):
            offered["relevance_threshold"] = data.thresholds
        for name, value in recipe.options:
            for other in offered.get(name, ()):
                options = recipe.options - {(name, value)} | {(name, other)}
                yield recipe._replace(options=options)


def grid_of(data: Data, recipes: Sequence[Recipe]) -> Grid:
    """Return the values of all settings of these recipes.

    Raises:
        ValueError: if the input is invalid.
    """
    measured = data.measured()
    [here] = measured.systems[ALL].valid
    ties: tuple[TiePolicy, ...] = ("stable", "pessimistic", "optimistic")
    orders = [TieOrder(), *(TieOrder(ties=each) for each in ties)]
    orders += [each.order for each in named_metrics()]
    simple = [data.simplest(order) for order in orders]
    kept = list(dict.fromkeys(order for order in simple if order))
    recipe_places = {recipe: place for place, recipe in enumerate(recipes)}
    tools = _tools(data, kept, recipe_places)
    plain = {n for n, x in enumerate(recipes) if data.is_plain(x)}
    values = np.full((len(kept), *_shape(recipes)), np.nan)
    for place, order in enumerate(kept):
        places = [*range(len(recipes))]
        if not _is_usual(order):
            reported = {index[1] for index in tools if index[0] == place}
            families = {recipes[each].family for each in plain | reported}
            places = [n for n in places if recipes[n].family in families]
        some = [recipes[each] for each in places]
        values[place, places] = _means_of(data, order, some, here)
    departures = _departures(kept, recipes)
    ours = _ours(data, recipe_places, values)
    notes = tuple(gaps(_counted(measured)))
    return Grid(kept, list(recipes), values, tools, departures, ours, notes)


def _counted(measured: Measured) -> Measured:
    """Return the same as if queries that the run lacks were counted."""
    run = measured.systems[ALL]
    overlap = run.overlap._replace(left_out=0)
    return measured._replace(systems={"run": run._replace(overlap=overlap)})


def _place(recipe: Recipe, recipes: Mapping[Recipe, int]) -> int | None:
    """Return the place of a recipe, or None.

    A cutoff that is longer than all lists is none.
    """
    return recipes.get(recipe, recipes.get(recipe._replace(k=None)))


def _ours(
    data: Data, recipes: Mapping[Recipe, int], values: np.ndarray
) -> np.ndarray:
    """Return the value of each metric with our defaults, `[recipes]`."""
    found = []
    for recipe in recipes:
        place = _place(data.simplest_recipe(recipe.plain), recipes)
        empty = EMPTY.index(default_of(recipe.metric).empty)
        found.append(values[0, place, 0, empty, 0])
    return np.array(found)


def _is_usual(order: TieOrder) -> bool:
    """Return True for an order that any script may have, with any options.

    Others are computed only for metrics that tools have with them, and for our
    defaults.
    """
    is_by_id = order == TieOrder(Rules(ties="last_id_first"), "stable")
    return is_by_id or order in (TieOrder(), TieOrder(ties="stable"))


def _shape(recipes: Sequence[Recipe]) -> tuple[int, ...]:
    return len(recipes), len(QUERIES), len(EMPTY), len(DECIMALS)


def _means_of(
    data: Data, order: TieOrder, recipes: Sequence[Recipe], here: np.ndarray
) -> np.ndarray:
    """Return the means of an order, `[recipes, queries, empty, decimals]`."""
    found = np.full(_shape(recipes), np.nan)
    made: dict[int, RankingMetric] = {}
    for place, recipe in enumerate(recipes):
        with contextlib.suppress(ValueError):
            made[place] = _made(recipe, order.ties)
    found[[*made]] = _means(data.values(order, [*made.values()]), here)
    takes_one = [Traits.of(recipe.metric).one_is_best for recipe in recipes]
    found[~np.array(takes_one, bool), :, EMPTY.index("one")] = np.nan
    return found


def _means(values: Values, here: np.ndarray) -> np.ndarray:
    """Return the means of lists, `[metrics, queries, empty, decimals]`.

    Args:
        values: the values of metrics that exclude lists without relevant items.
        here: bool `[lists]`, True for those that the run has.
    """
    found: list[np.ndarray] = []
    exact = np.where(values.valid, values.values, 0.0)
    for decimals in DECIMALS:
        rounded = Rules(decimals=decimals).rounded(exact)
        for counted in (np.ones_like(here), here):
            total, number = (
                x[:, counted].sum(axis=1) for x in (rounded, values.valid)
            )
            every = counted.sum()
            with np.errstate(invalid="ignore"):  # of no lists
                found.append(total / every)
                found.append((total + every - number) / every)
                found.append(total / number)
    shape = len(DECIMALS), len(QUERIES), len(EMPTY), -1
    return np.array(found).reshape(shape).transpose(3, 1, 2, 0)


def place_of(
    data: Data,
    orders: Sequence[TieOrder],
    recipes: Mapping[Recipe, int],
    named: Named,
) -> Index | None:
    """Return the index of a tool's setting, or None if it has none.

    Args:
        data: the judgements and the run.
        orders: those of the grid.
        recipes: the places of recipes in the grid.
        named: a metric of the tool.
    """
    rules, order = named.convention.rules, data.simplest(named.order)
    recipe = data.simplest_recipe(Recipe.of(named.metric, named.k))
    place = _place(recipe, recipes)
    if order is None or place is None:
        return None
    return (
        orders.index(order),
        place,
        QUERIES.index(rules.queries),
        EMPTY.index(named.metric.empty),
        DECIMALS.index(rules.decimals),
    )


def _tools(
    data: Data, orders: Sequence[TieOrder], recipes: Mapping[Recipe, int]
) -> Mapping[Index, list[tuple[str, str]]]:
    """Return the conventions of settings, and their names, by index."""
    found: dict[Index, list[tuple[str, str]]] = defaultdict(list)
    for each in named_metrics(data.thresholds):
        index = place_of(data, orders, recipes, each)
        if index is not None:
            found[index].append((each.convention.name, each.name))
    return found


def _departures(
    orders: Sequence[TieOrder], recipes: Sequence[Recipe]
) -> np.ndarray:
    """Return the number of choices that differ from our defaults."""
    of_orders = [
        len(str(x.rules).split("|")) if x.rules != Rules() else x != TieOrder()
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

"""The parts of settings: metrics, orders of ties, and names of tools.

Conventions define both, so that a tool with a convention is always found.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from keras_rankmetrics import conventions, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.definition import Definition, takes
from keras_rankmetrics.engine.definition.definition import Traits
from keras_rankmetrics.engine.evaluation.batch_cache import BatchCache
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.types import EmptyPolicy, TiePolicy

CUTOFFS = (*range(1, 11), 12, 15, 20, 25, 30, 32, 40, 50, 100, 200, 500, 1000)
COMMON = (1, 3, 5, 10, 20, 100, None)  # cutoffs
QUERIES: tuple[Literal["truth", "both"], ...] = ("truth", "both")
EMPTY: tuple[EmptyPolicy, ...] = ("zero", "one", "skip")
DECIMALS = (None, 2)
DIGITS = 9  # of values that are equal
USUAL: Mapping[str, tuple[float, ...]] = {  # numbers that papers set
    "p": (0.5, 0.8, 0.85, 0.9, 0.95),
    "beta": (0.5, 2.0, 0.5**0.5, 2.0**0.5),  # trec_eval takes squares
    "decay": (0.5, 0.8),
    "alpha": (80.5, 160.9, 321.9),  # of BEDROC
    "fraction": (0.005, 0.02, 0.05, 0.1, 0.2),
}
_OF_OTHER_AXES = ("k", "ties", "empty", "seed")


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
        options = frozenset(x for x in self.options if x[0] not in USUAL)
        return self._replace(options=options)

    @BatchCache.apart()
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

    def definition(self, ties: TiePolicy) -> Definition:
        """Return the definition that excludes lists without relevant items.

        Metrics that differ in their cutoff alone are made once.

        Raises:
            ValueError: if the metric does not exist.
        """
        made = _definition(self._replace(k=self.k and 1), ties)
        return dataclasses.replace(made, k=self.k)


@functools.lru_cache(2**12)
def _definition(recipe: Recipe, ties: TiePolicy) -> Definition:
    return recipe.made(ties, "skip").definition


@BatchCache.apart()
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
        are_known: True if all judgements are known, False if only those of the
            items of the run are.
    """

    rules: Rules = Rules()
    ties: TiePolicy = "average"
    are_known: bool = True


class Named(NamedTuple):
    """A metric by the name that a tool has for it.

    Attributes:
        convention: the convention of the tool.
        name: the name, with the cutoff.
        metric: the metric, at any cutoff.
        recipe: the recipe of the metric, with the cutoff of the name.
        orders: the orders of ties of all judgements, and of those of the run.
    """

    convention: Convention
    name: str
    metric: RankingMetric
    recipe: Recipe
    orders: Sequence[TieOrder]

    @property
    def k(self) -> int | None:
        """The cutoff of the name."""
        return self.recipe.k


@functools.cache
@BatchCache.apart()
def named_metrics(grades: tuple[float, ...] = ()) -> tuple[Named, ...]:
    """Return the metrics of all conventions that take labels and scores.

    Args:
        grades: thresholds of relevance that tools may be given.
    """
    return tuple(
        named
        for convention in conventions.all_of_them()
        for metric, names in itertools.groupby(
            convention.named_metrics(CUTOFFS, grades), operator.itemgetter(1)
        )
        if _is_of_lists(type(metric))
        for named in by_names(convention, metric, names)
    )


def by_names(
    convention: Convention,
    metric: RankingMetric,
    names: Iterable[tuple[str, RankingMetric, int | None]],
) -> Iterator[Named]:
    """Yield a metric of a tool by each of its names and cutoffs."""
    rules = convention.rules_of(metric)
    rules = rules._replace(queries="truth", decimals=None)
    ties = metric.definition.ties
    order = TieOrder(rules, rules.options.get("ties", ties))
    orders = [order]
    if convention.takes == "labels":
        orders.append(order._replace(are_known=False))
    recipe = Recipe.of(metric, None)
    for name, _, k in names:
        yield Named(convention, name, metric, recipe._replace(k=k), orders)


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
    is_mean = isinstance(metric.aggregate, WeightedMean)
    return is_mean and metric.reads is None and metric.of_catalogue is None

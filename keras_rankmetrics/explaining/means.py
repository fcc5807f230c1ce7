"""The means of metrics over all lists, of some by a sample of the lists.

All settings are evaluated on a random sample first. The next lists, twice as
many each time, are for those alone that may still have a number: those within
six standard errors of their mean, plus 15 lists that the sample may lack, of
the greatest value that there may be, so that less than one in a million is
lost. What is left in the end has been evaluated on all lists, so that its
values are exact.

Lists without ties are equal in all orders of ties, and evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from keras import ops

from keras_rankmetrics import metrics
from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.values import ListsSoFar
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.definition.definition import chosen
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.explaining.settings import DECIMALS, EMPTY, QUERIES
from keras_rankmetrics.tables.ragged import Ragged

SAMPLE = 500  # lists
_ERRORS = 6.0  # standard errors
# Lists of the greatest value; a sample lacks so many in 1 of exp(15) cases.
_RARE = 15.0
_LISTS = 1000  # at once
# From the means of metrics, `[metrics, queries, empty, decimals]`, and how far
# they may be from those over all lists, to True for metrics to go on with,
# `[metrics]`.
MayMatch = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Ordered(NamedTuple):
    """Lists in one order, and the metrics to evaluate on them.

    Attributes:
        lists: the lists, the items of each by descending score.
        missing: the places of those that the run lacks.
        definitions: the definitions of the metrics, by place.
    """

    lists: Joined
    missing: np.ndarray
    definitions: Mapping[int, Definition]


class Means:
    """The means of settings over the lists that they were evaluated on.

    Args:
        ranges: `[metrics]`, the results of `range_of`.
    """

    def __init__(self, ranges: np.ndarray) -> None:
        shape = len(ranges), len(QUERIES)
        self._ranges = ranges[:, None, None]
        self._seen = np.zeros(shape)
        self._valid = np.zeros(shape)
        self._squares = np.zeros(shape)
        self._totals = np.zeros((*shape, len(DECIMALS)))
        self.marks = np.zeros(len(ranges))

    def add(
        self,
        places: Sequence[int],
        values: np.ndarray,
        valid: np.ndarray,
        here: np.ndarray,
        marks: np.ndarray,
    ) -> None:
        """Add the values of some lists.

        Args:
            places: the places of the metrics.
            values: `[metrics, lists]`, 0 where they are not valid.
            valid: bool `[metrics, lists]`, False for excluded lists.
            here: bool `[lists]`, True for those that the run has.
            marks: `[lists]`, random numbers: their products with the values
                are equal for metrics that are equal on all lists.
        """
        rounded = [Rules(decimals=x).rounded(values) for x in DECIMALS]
        squares = values**2
        for queries, counted in enumerate((np.ones_like(here), here)):
            self._seen[places, queries] += counted.sum()
            self._valid[places, queries] += valid[:, counted].sum(axis=1)
            self._squares[places, queries] += squares[:, counted].sum(axis=1)
            for decimals, each in enumerate(rounded):
                total = each[:, counted].sum(axis=1)
                self._totals[places, queries, decimals] += total
        self.marks[places] += values @ marks

    def are_of(self, number: int) -> np.ndarray:
        """Return True for metrics that have seen so many lists, `[metrics]`."""
        found: np.ndarray = self._seen[:, 0] == number
        return found

    @property
    def values(self) -> np.ndarray:
        """The means, `[metrics, queries, empty, decimals]`."""
        seen, valid = self._seen[..., None], self._valid[..., None]
        with np.errstate(invalid="ignore"):  # of no lists
            found = {
                "zero": self._totals / seen,
                "one": (self._totals + seen - valid) / seen,
                "skip": self._totals / valid,
            }
        return np.stack([found[each] for each in EMPTY], axis=2)

    def errors(self, every: np.ndarray) -> np.ndarray:
        """Return how far the means may be from those over all lists.

        Args:
            every: `[queries]`, the numbers of all lists.
        """
        ones = self._squares + self._seen - self._valid
        moments = {"zero": self._squares, "one": ones, "skip": self._squares}
        found = []
        for place, empty in enumerate(EMPTY):
            lists = self._valid if empty == "skip" else self._seen
            with np.errstate(all="ignore"):  # of no lists
                means = self.values[:, :, place]
                second = (moments[empty] / lists)[..., None]
                variance = np.maximum(second - means**2, 0.0)
                number = lists[..., None]
                left = 1 - (self._seen / every)[..., None]
                error = _ERRORS * np.sqrt(variance * left / number)
                error += self._ranges * _RARE / np.maximum(number, 1)
            found.append(np.where(number > 0, error, np.inf))
        errors = np.stack(found, axis=2)
        errors[self._seen >= every] = 0.0
        return errors


def means_of(
    parts: Sequence[Ordered],
    here: np.ndarray,
    number: int,
    may_match: MayMatch | None,
) -> list[Means]:
    """Return the means of the metrics of each part.

    Args:
        parts: the same lists, in several orders or with other labels.
        here: bool `[lists]`, True for those that the run has.
        number: the number of all metrics.
        may_match: returns the metrics to go on with after a sample; None for
            all.
    """
    found = [Means(_ranges(part, number)) for part in parts]
    left = [dict(part.definitions) for part in parts]
    equal = [_are_equal(parts[0].lists, part.lists) for part in parts]
    rng = np.random.default_rng(0)
    order, marks = rng.permutation(len(here)), rng.random(len(here))
    every = np.array([len(here), here.sum()])
    done, stop = 0, SAMPLE if may_match else len(here)
    while done < len(here) and any(left):
        for begin in range(done, stop, _LISTS):
            some = order[begin : min(begin + _LISTS, stop)]
            _add(
                found, parts, left, [x[some] for x in equal], some, here, marks
            )
        done, stop = stop, min(2 * stop, len(here))
        for means, definitions in zip(found, left, strict=True):
            if may_match and done < len(here):
                is_left = may_match(means.values, means.errors(every))
                for place in np.flatnonzero(~is_left).tolist():
                    definitions.pop(place, None)
    return found


# Metrics whose values are from 0 to the number of items, at most.
_UP_TO_ITEMS = (
    metrics.AverageRelevancePosition,
    metrics.EnrichmentFactor,
    metrics.MeanRank,
)


def range_of(definition: Definition, items: int, label: float) -> float:
    """Return how far apart the values of two lists can be; inf if unknown.

    Args:
        definition: the definition of the metric.
        items: the number of items of the longest list.
        label: the highest label.
    """
    traits, options = definition.traits, definition.options
    if traits.metric in _UP_TO_ITEMS:
        return float(items)
    if traits.metric is metrics.AdjustedMeanRankIndex:
        return 2.0  # from -1 to 1
    if traits.has_upper_bound and traits.metric.aggregate.bounded:
        return 1.0
    if traits.metric not in (metrics.DCG, metrics.ExpectedExposureLoss):
        return np.inf
    ranks = ops.arange(1, items + 1, dtype="float32")
    discounts = to_numpy(options["rank_discount_fn"](ranks))
    if traits.metric is metrics.DCG:
        gain = float(options["gain_fn"](ops.array([label], "float32"))[0])
        return max(1.0, gain * float(discounts[: definition.k].sum()))
    # Of Σ (e - e*)² at most Σ e² + Σ e*², each of which is at most that of a
    # single order.
    return 2.0 * float((discounts**2).sum())


def _ranges(part: Ordered, number: int) -> np.ndarray:
    """Return the ranges of all metrics, `[metrics]`, inf for those left out."""
    items = int(part.lists.lengths.max(initial=1))
    label = float(part.lists.labels.max(initial=0.0))
    found = np.full(number, np.inf)
    for place, definition in part.definitions.items():
        found[place] = range_of(definition, items, label)
    return found


def _add(
    found: Sequence[Means],
    parts: Sequence[Ordered],
    left: Sequence[Mapping[int, Definition]],
    equal: Sequence[np.ndarray],
    some: np.ndarray,
    here: np.ndarray,
    marks: np.ndarray,
) -> None:
    """Evaluate some lists, those that several parts share once.

    Args:
        found: the means to add to.
        parts: the lists, in several orders or with other labels.
        left: the metrics to evaluate, by place.
        equal: for each part bool `[some]`, True for lists that are equal in the
            first part.
        some: the places of the lists.
        here: bool `[lists]`, True for those that the run has.
        marks: `[lists]`, random numbers.
    """
    shared = np.any(equal, axis=0)
    needed = {
        place
        for definitions, is_equal in zip(left, equal, strict=True)
        if is_equal.any()
        for place in definitions
    }
    every = {
        place: x
        for definitions in left
        for place, x in definitions.items()
        if place in needed
    }
    row_of = {place: row for row, place in enumerate(every)}
    of_shared = _values(parts[0], some[shared], [*every.values()])
    for means, part, definitions, is_equal in zip(
        found, parts, left, equal, strict=True
    ):
        if not definitions:
            continue
        places = [*definitions]
        own = _values(part, some[~is_equal], [*definitions.values()])
        values, valid = own
        if is_equal.any():
            rows = [row_of[place] for place in places]
            values, valid = (
                _joined(ours, theirs[rows][:, is_equal[shared]], is_equal)
                for ours, theirs in zip(own, of_shared, strict=True)
            )
        means.add(places, values, valid, here[some], marks[some])


def _joined(
    own: np.ndarray, shared: np.ndarray, is_shared: np.ndarray
) -> np.ndarray:
    """Return the values of lists of which some are shared."""
    found = np.empty((len(own), len(is_shared)), own.dtype)
    found[:, ~is_shared], found[:, is_shared] = own, shared
    return found


def _values(
    part: Ordered, places: np.ndarray, definitions: Sequence[Definition]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of lists, and which are valid, `[metrics, lists]`.

    Lists that the run lacks have no value of metrics for which lower is better.
    """
    if not len(places) or not definitions:
        shape = len(definitions), len(places)
        return np.zeros(shape), np.zeros(shape, bool)
    lengths = part.lists.lengths
    labels, scores = (
        Ragged(x, lengths).take(places)
        for x in (part.lists.labels, part.lists.scores)
    )
    so_far = ListsSoFar(definitions)
    numbers = np.arange(len(places))
    so_far.add(Joined(numbers, labels.lengths, labels.values, scores.values))
    values, valid, *_ = so_far.values()
    lower = np.array([has_no_worst(x) for x in definitions])
    values[np.ix_(lower, np.isin(places, part.missing))] = np.nan
    return np.where(valid, values, 0.0), valid


def has_no_worst(definition: Definition) -> bool:
    """Return True if lower is better, except for metrics of judgements."""
    traits = definition.traits
    turned = bool(chosen(definition.options, traits.metric.turns_under))
    is_lower = traits.more_is_better == turned
    return is_lower and traits.needs_labels is None


def _are_equal(one: Joined, other: Joined) -> np.ndarray:
    """Return True for lists without ties that are equal, bool `[lists]`."""
    lists = np.repeat(np.arange(len(one.lengths)), one.lengths)
    wrong = np.zeros(len(lists), bool)
    if not np.array_equal(one.lengths, other.lengths):
        return np.zeros(len(one.lengths), bool)
    for each in (one, other):
        scores = each.scores.astype(np.float32)
        tied = (scores[1:] == scores[:-1]) & (scores[1:] > -np.inf)
        wrong[1:] |= tied & (lists[1:] == lists[:-1])
    wrong |= one.labels != other.labels
    wrong |= (one.scores == -np.inf) != (other.scores == -np.inf)
    found: np.ndarray = (
        np.bincount(lists[wrong], minlength=len(one.lengths)) == 0
    )
    return found

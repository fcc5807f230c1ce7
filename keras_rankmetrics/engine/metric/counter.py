"""`Counter`: the base of metrics of how often each item is shown."""

from __future__ import annotations

import abc
import functools
from typing import Annotated, Any

import keras

from keras_rankmetrics.engine.aggregates import Tally
from keras_rankmetrics.engine.metric.accumulator import is_concrete
from keras_rankmetrics.engine.metric.configured import ConfiguredMetric
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import labelled
from keras_rankmetrics.types import InputForm, Tensor, TiePolicy, Whole


def number_shown(
    ranking: Ranking,
    k: int | None,
    num_items: Annotated[int | None, Whole(1)] = None,
) -> Tensor:
    """Return the number of items that a list shows, `[lists]`."""
    return ranking.number_shown(k)


class Counter(ConfiguredMetric, abstract=True):
    """A number computed from how often all lists show each item.

    The state has sums for each item, which add up over batches, machines and
    states. A single list has no value, so there is no standard error, and
    `per_list` returns the number of items that each list shows.

    Lists that show no item are excluded, and so are those with the weight 0.
    The weight of a list with weighted items is their mean weight.
    """

    relevance = staticmethod(labelled)
    measure = staticmethod(number_shown)
    of_catalogue = "num_items"

    def __init__(
        self,
        k: int | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        inputs: InputForm = "scores",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(
            k,
            seed=seed,
            ties=ties,
            empty="skip",
            list_weight="mean",
            inputs=inputs,
            name=name,
            dtype=dtype,
            **options,
        )

    @functools.cached_property
    def aggregate(self) -> Tally:
        """The sums for each item."""
        items, kind = self.definition.catalogue or 0, type(self)
        return Tally(items, kind.shape(items), kind.of_lists, kind.number)

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Return True for lists that show an item, bool `[lists]`."""
        return ranking.shows_any()

    @staticmethod
    def shape(items: int) -> tuple[int, ...]:
        """Return the shape of the sums for a catalogue of this size."""
        return (items,)

    @staticmethod
    @abc.abstractmethod
    def of_lists(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
        """Return the terms that lists with these weights add to the sums."""

    @staticmethod
    @abc.abstractmethod
    def number(sums: Tensor) -> Tensor:
        """Return the result computed from the sums."""

    def __str__(self) -> str:
        """Return `coverage@10 = 0.7719`."""
        if not is_concrete(self._seen()):
            return repr(self)
        return f"{self.name} = {float(self.result()):.4f}"

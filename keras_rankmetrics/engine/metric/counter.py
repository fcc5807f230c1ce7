"""`Counter`: a metric of how often each item of a catalogue is shown."""

from __future__ import annotations

import abc
import functools
from typing import Annotated, Any

import keras

from keras_rankmetrics.engine.aggregates import Tally
from keras_rankmetrics.engine.metric.accumulator import is_known
from keras_rankmetrics.engine.metric.configured import Defined
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import labelled
from keras_rankmetrics.types import InputForm, Tensor, TiePolicy, Whole


def number_shown(
    ranking: Ranking,
    k: int | None,
    num_items: Annotated[int | None, Whole(1)] = None,
) -> Tensor:
    """How many items a list shows."""
    return ranking.number_shown(k)


class Counter(Defined, abstract=True):
    """A number for all lists together, from how often each item is shown.

    What is kept are sums for each item, which add up over batches, machines
    and states. There is no value of a single list, and so no standard error:
    `per_list` tells how many items each list shows.

    A list that shows no item does not count, nor one of the weight 0. A list
    counts by its weight, the mean weight of its items if these have weights.
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
        """Which sums are kept."""
        items, kind = self.definition.catalogue or 0, type(self)
        return Tally(items, kind.shape(items), kind.of_lists, kind.number)

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Which lists show an item, bool `[lists]`."""
        return ranking.shows_any()

    @staticmethod
    def shape(items: int) -> tuple[int, ...]:
        """The shape of the sums, for so many items."""
        return (items,)

    @staticmethod
    @abc.abstractmethod
    def of_lists(ranking: Ranking, weights: Tensor, items: int) -> Tensor:
        """Return the terms that lists of these weights add to the sums."""

    @staticmethod
    @abc.abstractmethod
    def number(sums: Tensor) -> Tensor:
        """Return the result of the sums."""

    def __str__(self) -> str:
        """`coverage@10 = 0.7719`."""
        if not is_known(self._seen()):
            return repr(self)
        return f"{self.name} = {float(self.result()):.4f}"

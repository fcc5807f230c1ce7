"""Base classes that share parameters, and metrics of several values."""

from __future__ import annotations

from typing import Any, Self

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import Aggregate, WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import Definition, declared, parameter
from keras_rankmetrics.engine.metric.accumulator import Accumulator, is_concrete
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.metric.counter import Counter
from keras_rankmetrics.engine.naming.saving import deserialized
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.gains import exponential_gain, log2_discount
from keras_rankmetrics.types import (
    Adjustment,
    EmptyPolicy,
    GainFn,
    InputForm,
    ListWeight,
    RankDiscountFn,
    Tensor,
    TiePolicy,
    UnjudgedPolicy,
)

# What metrics have in common: parameters, each said once, and checks.

register = keras.saving.register_keras_serializable(package=gains.PACKAGE)


@declared
class _Common(RankingMetric, abstract=True):
    ties: TiePolicy | None = None
    empty: EmptyPolicy = "zero"
    list_weight: ListWeight = "relevance"
    adjusted: Adjustment = None
    inputs: InputForm = "scores"
    unjudged: UnjudgedPolicy = "irrelevant"
    name: str | None = None
    dtype: Any = None


@declared
class AtK(_Common, abstract=True):
    """Metrics with a cutoff."""

    k: int | None = parameter(default=None, kw_only=False)


@declared
class Graded(AtK, abstract=True):
    """Metrics of what labels are worth, by a gain function."""

    relevance = staticmethod(gains.gain)

    gain_fn: GainFn = parameter(default=exponential_gain, kw_only=False)
    rank_discount_fn: RankDiscountFn = parameter(
        default=log2_discount, kw_only=False
    )
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


@declared
class Binary(AtK, abstract=True):
    """Metrics of items that are relevant or not."""

    shuffle_ties: bool | None = parameter(default=None, kw_only=False)
    seed: int | keras.random.SeedGenerator | None = parameter(
        default=None, kw_only=False
    )
    relevance_threshold: float = 1.0


@declared
class OfSubtopics(AtK, abstract=True):
    """Metrics of items that are relevant to some subtopics of a list."""

    by_subtopic = True
    needs_labels = "a label for each item and subtopic"

    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None
    relevance_threshold: float = 1.0


@declared
class Novel(OfSubtopics, abstract=True):
    """Metrics in which an item tells less of a subtopic than one above it."""

    relevance = staticmethod(gains.satisfying)

    alpha: float = 0.5


@declared
class OfJudgements(AtK, abstract=True):
    """Metrics of whether items are judged."""

    relevance = staticmethod(gains.judged)
    needs_labels = "labels, which tell what nobody has judged"

    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


@declared
class OfWholeLists(_Common, abstract=True):
    """Metrics that know no cutoff."""

    seed: int | keras.random.SeedGenerator | None = None


@declared
class BinaryOfWholeLists(OfWholeLists, abstract=True):
    """Metrics without a cutoff, of items that are relevant or not."""

    relevance_threshold: float = 1.0


def check_mean(metric: Any) -> None:
    """Raises where what is asked for is no mean of a ranking metric."""
    if not isinstance(metric, RankingMetric):
        raise TypeError(
            "`metric` should be a ranking metric, such as `NDCG(k=10)`. "
            f"Received: {metric!r}."
        )
    for method in ("update_state", "result"):
        if getattr(type(metric), method) is not getattr(RankingMetric, method):
            raise TypeError(
                f"{type(metric).__name__} has its own `{method}`, which would "
                "not be called."
            )
    if type(metric.aggregate) is not WeightedMean:
        raise TypeError(
            "`metric` should be a mean over lists. Received: "
            f"{metric!r}, which has an `aggregate` of its own."
        )


# What metrics about items have in common: which items lists show.


@declared
class Counted(Counter, abstract=True):
    """Metrics of how often each item is shown."""

    k: int | None = parameter(default=None, kw_only=False)
    num_items: int | None = parameter(default=None, kw_only=False)
    seed: int | keras.random.SeedGenerator | None = None
    ties: TiePolicy | None = None
    inputs: InputForm = "scores"
    name: str | None = None
    dtype: Any = None


@declared
class AboutItems(AtK, abstract=True):
    """Means over lists of what is known of the items that they show."""

    relevance = staticmethod(gains.labelled)

    seed: int | keras.random.SeedGenerator | None = None
    empty: EmptyPolicy = "skip"
    list_weight: ListWeight = "mean"

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Which lists show an item, bool `[lists]`."""
        return ranking.shows_any()


@declared
class AboutRelevantItems(AboutItems, abstract=True):
    """Those that ask which of the items are relevant, too."""

    relevance = staticmethod(gains.relevant)

    relevance_threshold: float = 1.0


# `MultiValueMetric`: the base of metrics with several numbers.


class MultiValueMetric(Accumulator):
    """Several numbers of one metric, by their names, and as a table.

    Args:
        metric: the metric. It is not updated itself.
        definition: what is computed of each list.
        aggregate: which sums are kept. It makes as many numbers of them as
            there are `results`.
        name: the metric's name by default.
    """

    def __init__(
        self,
        metric: RankingMetric,
        definition: Definition,
        aggregate: Aggregate,
        name: str | None,
    ) -> None:
        name = name or metric.name
        super().__init__(name, metric.dtype)
        self.definition = definition
        self.aggregate = aggregate
        self._metric = metric.remade
        self._direction = "up"
        self._create_variables(name)

    def named(self, result: Tensor) -> dict[str, Tensor]:
        """The numbers by name."""
        numbers = ops.unstack(result, len(self.results))
        return dict(zip(self.results, numbers, strict=True))

    def table(self, level: float = 0.95) -> str:
        """The numbers as a table, with confidence intervals."""
        raise NotImplementedError

    def __str__(self) -> str:
        """The table, where the numbers are known."""
        return self.table() if is_concrete(self._seen()) else repr(self)

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same one."""
        metric = keras.saving.serialize_keras_object(self._metric())
        return {**self._own_config(), "metric": metric}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """What `get_config` describes."""
        return cls(**deserialized(config))

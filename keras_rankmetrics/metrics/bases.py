"""Base classes with shared parameters, and the base of multi-value metrics."""

from __future__ import annotations

from typing import Any, Self

import keras

from keras_rankmetrics.engine.aggregates import Aggregate, WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import Definition, declared, parameter
from keras_rankmetrics.engine.metric.accumulator import Accumulator, is_concrete
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.metric.counter import Counter
from keras_rankmetrics.engine.naming.saving import deserialized
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import (
    gain,
    judged,
    labelled,
    relevant,
    satisfaction,
)
from keras_rankmetrics.gains import PACKAGE, exponential_gain, log2_discount
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

register = keras.saving.register_keras_serializable(package=PACKAGE)


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
    """Metrics of the gains of labels."""

    relevance = staticmethod(gain)

    gain_fn: GainFn = parameter(default=exponential_gain, kw_only=False)
    rank_discount_fn: RankDiscountFn = parameter(
        default=log2_discount, kw_only=False
    )
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


@declared
class Binary(AtK, abstract=True):
    """Metrics of binary relevance."""

    shuffle_ties: bool | None = parameter(default=None, kw_only=False)
    seed: int | keras.random.SeedGenerator | None = parameter(
        default=None, kw_only=False
    )
    relevance_threshold: float = 1.0


@declared
class SubtopicMetric(AtK, abstract=True):
    """Metrics of labels by subtopic."""

    by_subtopic = True
    needs_labels = "a label for each item and subtopic"

    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None
    relevance_threshold: float = 1.0


@declared
class NoveltyAware(SubtopicMetric, abstract=True):
    """Subtopic metrics that discount redundant items."""

    relevance = staticmethod(satisfaction)

    alpha: float = 0.5


@declared
class JudgementMetric(AtK, abstract=True):
    """Metrics of which items are judged."""

    relevance = staticmethod(judged)
    needs_labels = "labels, which mark unjudged items"

    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


@declared
class WholeList(_Common, abstract=True):
    """Metrics without a cutoff."""

    seed: int | keras.random.SeedGenerator | None = None


@declared
class BinaryWholeList(WholeList, abstract=True):
    """Metrics of binary relevance without a cutoff."""

    relevance_threshold: float = 1.0


def check_mean(metric: Any) -> None:
    """Raise TypeError if the metric is not a plain mean over lists."""
    if not isinstance(metric, RankingMetric):
        raise TypeError(
            "`metric` should be a ranking metric, such as `NDCG(k=10)`. "
            f"Received: {metric!r}."
        )
    for method in ("update_state", "result"):
        if getattr(type(metric), method) is not getattr(RankingMetric, method):
            raise TypeError(
                "`metric` should be a mean over lists. Received: "
                f"{metric!r}, which has its own `{method}`."
            )
    if type(metric.aggregate) is not WeightedMean:
        raise TypeError(
            "`metric` should be a mean over lists. Received: "
            f"{metric!r}, which has its own `aggregate`."
        )


@declared
class CatalogueMetric(Counter, abstract=True):
    """Metrics of how often each item of a catalogue is shown."""

    k: int | None = parameter(default=None, kw_only=False)
    num_items: int | None = parameter(default=None, kw_only=False)
    seed: int | keras.random.SeedGenerator | None = None
    ties: TiePolicy | None = None
    inputs: InputForm = "scores"
    name: str | None = None
    dtype: Any = None


@declared
class ExposureMetric(AtK, abstract=True):
    """Means over lists of a property of the items shown."""

    relevance = staticmethod(labelled)

    seed: int | keras.random.SeedGenerator | None = None
    empty: EmptyPolicy = "skip"
    list_weight: ListWeight = "mean"

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Return True for lists that show an item, bool `[lists]`."""
        return ranking.shows_any()


@declared
class RelevantExposureMetric(ExposureMetric, abstract=True):
    """Exposure metrics that also depend on relevance."""

    relevance = staticmethod(relevant)

    relevance_threshold: float = 1.0


class MultiValueMetric(Accumulator):
    """MultiValueMetric values computed from one metric, by name and as a table.

    Args:
        metric: the metric. It is not updated itself.
        definition: defines the value of each list.
        aggregate: the sums to keep, and the `results` computed from them.
        name: the name; by default that of the metric.
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
        """Return the values by name."""
        numbers = ops.unstack(result, len(self.results))
        return dict(zip(self.results, numbers, strict=True))

    def table(self, level: float = 0.95) -> str:
        """Return the values as a table, with confidence intervals."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the table, or the repr while the values are traced."""
        return self.table() if is_concrete(self._seen()) else repr(self)

    def get_config(self) -> dict[str, Any]:
        """Return the config from which `from_config` rebuilds the metric."""
        metric = keras.saving.serialize_keras_object(self._metric())
        return {**self._own_config(), "metric": metric}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return the metric that a config from `get_config` describes."""
        return cls(**deserialized(config))

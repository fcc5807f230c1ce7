"""Base classes of the metrics, with the parameters and options they share."""

from __future__ import annotations

import typing
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import keras

from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.definition import declared, parameter
from keras_rankmetrics.engine.metric.accumulator import own_methods
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
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
    Between,
    EmptyPolicy,
    GainFn,
    InputForm,
    ListWeight,
    RankDiscountFn,
    Tensor,
    TensorFn,
    TiePolicy,
    Truth,
    UnjudgedPolicy,
)

MetricClass = TypeVar("MetricClass", bound=type)

# Options that several metrics share.
Denominator = Literal["retrieved", "k"]
Probability = Annotated[float, Between(0, 1)]


def register(cls: MetricClass) -> MetricClass:
    """Register a class with Keras."""
    return keras.saving.register_keras_serializable(package=PACKAGE)(cls)


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
def metric(cls: MetricClass) -> MetricClass:
    """Make the constructor of a metric, and register its class with Keras.

    A class without a short name of its own takes the name of its measure.
    """
    made: Any = declared(cls)
    if "short_name" not in vars(cls):
        made.short_name = made.measure.__name__
    return register(made)


class Unbounded:
    """Traits of metrics whose values may exceed 1."""

    has_upper_bound: ClassVar[bool] = False


class Signed:
    """Traits of metrics whose values may be negative."""

    aggregate: Any = WeightedMean(bounded=False)


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

    needs_k_under: ClassVar[tuple[str, str]] = ("denominator", "k")

    k: int | None = parameter(default=None, kw_only=False)
    shuffle_ties: bool | None = None
    seed: int | keras.random.SeedGenerator | None = None


@declared
class Graded(AtK, abstract=True):
    """Metrics of the gains of labels."""

    relevance: ClassVar[TensorFn] = staticmethod(gain)

    gain_fn: GainFn = parameter(default=exponential_gain, kw_only=False)
    rank_discount_fn: RankDiscountFn = parameter(
        default=log2_discount, kw_only=False
    )


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

    reads: ClassVar[Truth] = "subtopics"
    needs_labels: ClassVar[str] = "a label for each item and subtopic"

    relevance_threshold: float = 1.0


@declared
class NoveltyAware(SubtopicMetric, abstract=True):
    """Subtopic metrics that discount redundant items."""

    relevance: ClassVar[TensorFn] = staticmethod(satisfaction)

    alpha: float = 0.5


class JudgementMetric(AtK, abstract=True):
    """Metrics of which items are judged."""

    relevance: ClassVar[TensorFn] = staticmethod(judged)
    needs_labels: ClassVar[str] = "labels, which mark unjudged items"


@declared
class WholeList(_Common, abstract=True):
    """Metrics without a cutoff."""

    seed: int | keras.random.SeedGenerator | None = None


@declared
class BinaryWholeList(WholeList, abstract=True):
    """Metrics of binary relevance without a cutoff."""

    relevance_threshold: float = 1.0


@declared
class ExposureMetric(_Common, abstract=True):
    """Means over lists of a property of the items shown."""

    relevance: ClassVar[TensorFn] = staticmethod(labelled)

    k: int | None = parameter(default=None, kw_only=False)
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

    relevance: ClassVar[TensorFn] = staticmethod(relevant)

    relevance_threshold: float = 1.0


def check_mean(metric: Any) -> None:
    """Raise TypeError if the metric is not a plain mean over lists."""
    if not isinstance(metric, RankingMetric):
        received, hint = repr(metric), ""
        if isinstance(metric, type) and issubclass(metric, RankingMetric):
            hint = f" Call the class: `{metric.__name__}()`."
        elif isinstance(metric, keras.metrics.Metric):
            hint = " Give batches to its `update_state` instead."
        elif not isinstance(metric, str):
            received = f"an object of the type {type(metric).__name__}"
            hint = " `evaluate` takes the truth, the run, and then metrics."
        raise TypeError(
            "Each metric should be a ranking metric, such as `NDCG(k=10)`. "
            f"Received: {received}.{hint}"
        )
    own = [x for x in own_methods(metric, RankingMetric) if x != "per_list"]
    if type(metric.aggregate) is not WeightedMean:
        own.append("aggregate")
    if own:
        raise TypeError(
            "`metric` should be a mean over lists. Received: "
            f"{metric!r}, which has its own `{own[0]}`. Give batches to its "
            "`update_state` instead."
        )

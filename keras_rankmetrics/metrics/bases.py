"""What metrics have in common: parameters, each said once, and checks."""

from __future__ import annotations

from typing import Any

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.definition import declared, parameter
from keras_rankmetrics.engine.shells.metric import RankingMetric
from keras_rankmetrics.gains import exponential_gain, log2_discount
from keras_rankmetrics.types import (
    Adjustment,
    EmptyPolicy,
    GainFn,
    InputForm,
    ListWeight,
    RankDiscountFn,
    TiePolicy,
    UnjudgedPolicy,
)

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

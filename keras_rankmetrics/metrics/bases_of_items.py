"""What metrics about items have in common: which items lists show."""

from __future__ import annotations

from typing import Any

import keras

from keras_rankmetrics import gains
from keras_rankmetrics.engine.definition import declared, parameter
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.shells.counter import Counter
from keras_rankmetrics.metrics.bases import AtK
from keras_rankmetrics.types import (
    EmptyPolicy,
    InputForm,
    ListWeight,
    Tensor,
    TiePolicy,
)


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

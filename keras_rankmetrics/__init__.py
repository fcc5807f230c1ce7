"""Ranking metrics for Keras 3: exact, fast, and they say what they measure."""

import importlib
import typing

# The first import of Keras.
from keras_rankmetrics import missing_backend  # noqa: F401

# isort: split
from keras_rankmetrics.collection import MetricCollection
from keras_rankmetrics.gains import (
    exponential_gain,
    linear_gain,
    log2_discount,
    natural_log_discount,
    original_discount,
    reciprocal_discount,
)
from keras_rankmetrics.metric import RankingMetric
from keras_rankmetrics.metrics import (
    DCG,
    NDCG,
    F1AtK,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
)
from keras_rankmetrics.ranking import Ranking
from keras_rankmetrics.types import GainFn, RankDiscountFn
from keras_rankmetrics.version import __version__

__all__ = [
    "DCG",
    "NDCG",
    "F1AtK",
    "GainFn",
    "HitRateAtK",
    "MeanAveragePrecision",
    "MeanReciprocalRank",
    "MetricCollection",
    "PrecisionAtK",
    "RankDiscountFn",
    "Ranking",
    "RankingMetric",
    "RecallAtK",
    "__version__",
    "exponential_gain",
    "linear_gain",
    "log2_discount",
    "natural_log_discount",
    "original_discount",
    "reciprocal_discount",
]

if typing.TYPE_CHECKING:
    from keras_rankmetrics import conventions as conventions
else:

    def __getattr__(name):
        """`conventions`, imported when it is first asked for.

        `python -m keras_rankmetrics.conventions` would warn of a module that
        the package itself had imported.
        """
        if name == "conventions":
            return importlib.import_module("keras_rankmetrics.conventions")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, and the public modules."""
    return sorted([*__all__, "conventions", "gains", "metrics", "types"])

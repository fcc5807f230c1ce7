"""Names of metrics, in this package and in other libraries."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from keras_rankmetrics import metrics
from keras_rankmetrics.engine.metric.configured import ConfiguredMetric
from keras_rankmetrics.engine.naming.names import (
    closest,
    did_you_mean,
    in_words,
    plain,
)

# Besides the name of the class and its short name.
_ALIASES = {
    "AP": "MeanAveragePrecision",
    "AveragePrecision": "MeanAveragePrecision",
    "CatalogCoverage": "CatalogueCoverage",
    "DiscountedCumulativeGain": "DCG",
    "ExpectedReciprocalRank": "ERR",
    "F": "FBetaAtK",
    "HR": "HitRateAtK",
    "Hit": "HitRateAtK",
    "HitRatio": "HitRateAtK",
    "Hits": "HitRateAtK",
    "IPrec": "InterpolatedPrecision",
    "NormalizedDCG": "NDCG",
    "NormalizedDiscountedCumulativeGain": "NDCG",
    "P": "PrecisionAtK",
    "Prec": "PrecisionAtK",
    "R": "RecallAtK",
    "RPrec": "RPrecision",
    "RR": "MeanReciprocalRank",
    "ReciprocalRank": "MeanReciprocalRank",
    "ROCAUC": "AUC",
    "AUROC": "AUC",
    "Success": "HitRateAtK",
    "recip_rank": "MeanReciprocalRank",
}
# Affixes that libraries use: `RetrievalMAP`, `MRRMetric`, `ndcg_at_k`.
_AFFIXES = re.compile(r"^retrieval|(metric|score|atk|at\d+|\d+)$")


def class_of(name: str) -> str | None:
    """Return the class name of a metric, or None if no metric has that name.

    Accepts the name of the class, its short name and common aliases, in any
    case: "P" and "p" are equal.
    """
    return _class_by_plain_name().get(plain(name))


def meant(name: str) -> str | None:
    """Return the class that another library's name stands for, or None."""
    found = class_of(name)
    bare = plain(name)
    while found is None and (shorter := _AFFIXES.sub("", bare)) != bare:
        found, bare = class_of(shorter), shorter
    return found


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return "Did you mean ...?" for a metric, or an empty text.

    Args:
        name: a name that a module does not have.
        names: the names that it has.
    """
    if name.startswith("_"):
        return ""
    metric = meant(name)
    public = (each for each in names if not each.startswith("_"))
    found = (
        [metric]
        if metric
        else closest(name, [*all_names(), *public], least=0.7)
    )
    return did_you_mean(
        *dict.fromkeys(class_of(each) or each for each in found)
    )


def all_names() -> list[str]:
    """Return every name that a metric has."""
    return list(_class_by_name())


def class_names() -> list[str]:
    """Return the names of the classes of all metrics."""
    return [cls.__name__ for cls in _classes()]


def _classes() -> list[type[ConfiguredMetric]]:
    found = (getattr(metrics, name) for name in vars(metrics)["__all__"])
    return [each for each in found if issubclass(each, ConfiguredMetric)]


@functools.cache
def _class_by_plain_name() -> dict[str, str]:
    return {plain(name): cls for name, cls in _class_by_name().items()}


def _class_by_name() -> dict[str, str]:
    short = {
        cls.short_name or in_words(cls.__name__): cls.__name__
        for cls in _classes()
    }
    return {**short, **_ALIASES, **{name: name for name in class_names()}}

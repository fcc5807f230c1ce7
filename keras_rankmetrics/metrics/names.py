"""The names of metrics, and the names that other libraries give them."""

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

# Names that are neither that of the class nor its short name.
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
# What libraries put around a name: `RetrievalMAP`, `MRRMetric`, `ndcg_at_k`.
_AROUND = re.compile(r"^retrieval|(metric|score|atk|at\d+|\d+)$")


def class_of(name: str) -> str | None:
    """The name of the class of a metric, None if none is called so.

    The class itself, its short name and the usual ones are known, in small or
    capital letters; "P" and "p" are the same.
    """
    return _known().get(plain(name))


def meant(name: str) -> str | None:
    """Return the class that a name of another library stands for, or None."""
    found = class_of(name)
    bare = plain(name)
    while found is None and (shorter := _AROUND.sub("", bare)) != bare:
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
    """All that a metric can be called."""
    short = [cls.short_name or in_words(cls.__name__) for cls in _classes()]
    return [*short, *_ALIASES, *class_names()]


def class_names() -> list[str]:
    """The names of the classes of all metrics."""
    return [cls.__name__ for cls in _classes()]


def _classes() -> list[type[ConfiguredMetric]]:
    found = (getattr(metrics, name) for name in metrics.__all__)
    return [
        each
        for each in found
        if isinstance(each, type) and issubclass(each, ConfiguredMetric)
    ]


@functools.cache
def _known() -> dict[str, str]:
    short = {
        cls.short_name or in_words(cls.__name__): cls.__name__
        for cls in _classes()
    }
    names = {cls.__name__: cls.__name__ for cls in _classes()}
    return {plain(n): cls for n, cls in {**_ALIASES, **short, **names}.items()}

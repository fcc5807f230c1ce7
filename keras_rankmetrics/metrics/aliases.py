"""Names of metrics, here and in other libraries, and suggestions for typos."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from keras_rankmetrics import metrics
from keras_rankmetrics.engine.messages import closest, did_you_mean, plain
from keras_rankmetrics.engine.metric.ranking_metric import ConfiguredMetric

# Names of metrics besides their class and their short name.
_ALIASES = {
    "AUC": "AUROC ROCAUC",
    "CatalogueCoverage": "CatalogCoverage",
    "DCG": "DiscountedCumulativeGain",
    "ERR": "ExpectedReciprocalRank",
    "FBetaAtK": "F",
    "HitRateAtK": "HR Hit HitRatio Hits Success",
    "MeanAveragePrecision": "AP AveragePrecision",
    "MeanReciprocalRank": "ReciprocalRank RR recip_rank",
    "NDCG": "NormalizedDCG NormalizedDiscountedCumulativeGain",
    "PrecisionAtK": "P Prec",
    "RPrecision": "RPrec",
    "RecallAtK": "R",
}
# Affixes that libraries use: `RetrievalMAP`, `MRRMetric`, `ndcg_at_k`.
_AFFIXES = re.compile(r"^retrieval|(metric|score|atk|at\d+|\d+)$")


def class_of(name: str) -> str | None:
    """Return the class name of a metric, or None if no metric has that name.

    Accepts the name of the class, its short name and common aliases, in any
    case: "P" and "p" are equal.
    """
    by_plain = {plain(each): cls for each, cls in class_by_name().items()}
    return by_plain.get(plain(name))


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
    if metric := meant(name):
        return did_you_mean(metric)
    public = [each for each in names if not each.startswith("_")]
    found = closest(name, [*class_by_name(), *public], least=0.7)
    classes = dict.fromkeys(class_of(each) or each for each in found)
    return did_you_mean(*classes)


@functools.cache
def class_by_name() -> dict[str, str]:
    """Return every name of a metric, with the name of its class."""
    found: dict[str, str] = {}
    for name in vars(metrics)["__all__"]:
        cls = getattr(metrics, name)
        if issubclass(cls, ConfiguredMetric):
            aliases = _ALIASES.get(name, "").split()
            found |= dict.fromkeys([cls.short_name, *aliases, name], name)
    return found

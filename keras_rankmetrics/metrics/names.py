"""Names of metrics, and the parts of texts such as `NDCG@10`, as plain data."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from keras_rankmetrics import metrics
from keras_rankmetrics.engine.messages import closest, did_you_mean, plain
from keras_rankmetrics.engine.metric.ranking_metric import ConfiguredMetric

# Names of metrics besides their class and their short name.
_ALIASES = {
    "AUC": "AUROC ROCAUC",
    "AllHitAtK": "AllHitRate RecallAll PerfectRecall",
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
    "SpearmanRho": "Spearman SpearmanR RankIC",
}
# Names that sources give to another metric than the one that they resemble.
_AMBIGUOUS = {
    "mrrscore": ("ReciprocalRankOfAll", "MeanReciprocalRank"),
}
# Affixes that libraries use: `RetrievalMAP`, `MRRMetric`, `ndcg_at_k`.
_AFFIXES = re.compile(r"^retrieval|(metric|score|atk|at|k|at\d+|\d+)$")

SYNTAX = (
    "Write a name, optional options and an optional cutoff: `NDCG@10`, "
    "`MAP(denominator=min)@100`, `RR`."
)
_SPEC = re.compile(
    r"(?P<name>\w+)(?P<before>@[^()]*)?(?:\((?P<options>.*)\))?"
    r"(?P<after>@[^()]*)?"
)
# A comma followed by a further cutoff, or any character.
_PIECE = re.compile(r"\s*,\s*\d+(?=[\s,(]|$)|.", re.DOTALL)


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


def class_named(name: str) -> str | None:
    """Return the class name of a metric, or None if no metric has that name.

    Accepts the name of the class, its short name and common aliases, in any
    case: "P" and "p" are equal.
    """
    by_plain = {plain(each): cls for each, cls in class_by_name().items()}
    return by_plain.get(plain(name))


def class_meant(name: str) -> str | None:
    """Return the class that another library's name stands for, or None."""
    found = class_named(name)
    bare = plain(name)
    while found is None and (shorter := _AFFIXES.sub("", bare)) != bare:
        found, bare = class_named(shorter), shorter
    return found


def _classes_meant(name: str) -> tuple[str, ...]:
    """Return the classes that a name may stand for."""
    found = class_meant(name)
    return _AMBIGUOUS.get(plain(name), (found,) if found else ())


def suggested_metric(name: str, names: Iterable[str]) -> str:
    """Return "Did you mean ...?" for a metric, or an empty text.

    Args:
        name: a name that a module does not have.
        names: the names that it has.
    """
    if name.startswith("_"):
        return ""
    if meant := _classes_meant(name):
        return did_you_mean(*meant)
    public = [each for each in names if not each.startswith("_")]
    found = closest(name, [*class_by_name(), *public], least=0.7)
    classes = dict.fromkeys(class_named(each) or each for each in found)
    return did_you_mean(*classes)


def suggested_name(name: str) -> str:
    """Return "Did you mean ...?" for the name of a metric in a text, or ""."""
    if meant := _classes_meant(name):
        return did_you_mean(*(getattr(metrics, x).short_name for x in meant))
    return did_you_mean(*closest(name, class_by_name(), least=0.7)[:1])


class Spec(NamedTuple):
    """One metric written as text.

    Attributes:
        name: the name of the metric.
        at: the text after "@", or None without one.
        options: the options by name. Values are Python literals where they
            parse as such, else text.
    """

    name: str
    at: str | None
    options: Mapping[str, Any]


def specs_in(text: str) -> list[str]:
    """Return the specs in a text, separated by spaces or commas.

    Neither separates within parentheses. A comma before a further cutoff does
    not separate either: `NDCG@1,5,10` is one spec.
    """
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += (piece == "(") - (piece == ")")
        if depth <= 0 and (piece == "," or piece.isspace()):
            parts.append("")
        else:
            parts[-1] += "".join(piece.split())
    return [part for part in parts if part]


def parsed(text: str) -> Spec:
    """Return the parts of a spec, or raise ValueError if it is malformed."""
    found = _SPEC.fullmatch("".join(text.split()))
    if found is None or (found["before"] and found["after"]):
        raise ValueError(f"{text!r} is malformed. {SYNTAX}")
    at = found["before"] or found["after"]
    return Spec(found["name"], at and at[1:], _options(found["options"] or ""))


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """Return a text without its parentheses, and the options within these.

    There are none if they have another form, as parameters of a source may.
    """
    before, opening, rest = text.partition("(")
    inside, closing, after = rest.rpartition(")")
    if not (opening and closing):
        return text, {}
    try:
        return before + after, _options(inside)
    except ValueError:
        return text, {}


def _options(text: str) -> dict[str, Any]:
    refused = ValueError(
        f"Options should be `name=value`. Received: {text!r}. {SYNTAX}"
    )
    source = f"_({text})"
    try:
        call = ast.parse(source, mode="eval").body
    except SyntaxError:
        raise refused from None
    if not isinstance(call, ast.Call) or call.args:
        raise refused
    options: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise refused
        if keyword.arg in options:
            raise ValueError(f"The option `{keyword.arg}` occurs twice.")
        try:
            options[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError:
            value = ast.get_source_segment(source, keyword.value)
            options[keyword.arg] = value
    return options

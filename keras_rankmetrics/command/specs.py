"""Metrics from text: `NDCG@10 MAP(denominator=min)@100 RR`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import keras_rankmetrics as krm
from keras_rankmetrics import conventions, gains, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.naming.names import nearest
from keras_rankmetrics.metrics.names import all_names, class_of

_HOW = (
    "Write a name, maybe options, maybe a cutoff: "
    "`NDCG@10`, `MAP(denominator=min)@100`, `RR`."
)
_SPEC = re.compile(
    r"(?P<name>\w+)(?P<before>@[^()\s]*)?(?:\((?P<options>.*)\))?"
    r"(?P<after>@[^()\s]*)?"
)
# A comma and a further cutoff, or one character.
_PIECE = re.compile(r"\s*,\s*\d+(?=[\s,(]|$)|.", re.DOTALL)
_CUTOFF, _NAME = "k", "name"
# By their names, and as signatures have them: `linear` is `linear_gain`.
_FUNCTIONS = {
    called: function
    for name, function in vars(gains).items()
    if name.endswith(("_gain", "_discount")) and name in krm.__all__
    for called in (name, name.rpartition("_")[0])
}


class Spec(NamedTuple):
    """What stands for one metric, or for one at several cutoffs.

    Attributes:
        text: all of it.
        name: of the metric.
        cutoffs: the numbers after "@".
        options: by name.
    """

    text: str
    name: str
    cutoffs: tuple[int, ...]
    options: Mapping[str, Any]


def metrics_of(
    text: str, convention: Convention | None, **options: Any
) -> list[RankingMetric]:
    """The metrics that a text asks for, called as it calls them.

    Args:
        text: such as `"NDCG@10 MAP(denominator=min)@100 RR"`.
        convention: whose names and options are meant; None for our own.
        **options: further options of all metrics, unless the text has them.

    Raises:
        ValueError: if it is malformed, or a metric cannot be had.
    """
    parts = _parts(text)
    if not parts:
        raise ValueError(f"There should be a metric. {_HOW}")
    found = []
    for part in parts:
        try:
            found += _made(part, convention, options)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"The metric `{part}`: {error}") from None
    return found


def _parts(text: str) -> list[str]:
    """Return the metrics of a text, which spaces or commas separate.

    Neither separates within parentheses. Nor does a comma before a cutoff:
    `NDCG@1,5,10` is one part.
    """
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += (piece == "(") - (piece == ")")
        if depth <= 0 and (piece == "," or piece.isspace()):
            parts.append("")
        else:
            parts[-1] += "".join(piece.split())
    return [part for part in parts if part]


def _made(
    text: str, convention: Convention | None, options: Mapping[str, Any]
) -> list[RankingMetric]:
    if convention is not None:
        of_source = convention.of_source(text, **{"name": text, **options})
        if isinstance(of_source, RankingMetric):
            return [of_source]
    spec = _parsed(text)
    if spec.cutoffs and _CUTOFF in spec.options:
        raise ValueError(
            "a cutoff should stand there once. Received: one after `@`, and "
            f"`k={spec.options[_CUTOFF]}`."
        )
    if _NAME in spec.options:
        raise ValueError(
            "a metric is called as the text calls it: leave "
            f"`name={spec.options[_NAME]}` out."
        )
    chosen = _chosen(spec, convention)
    given = {**options, **spec.options}
    if not spec.cutoffs:
        return [chosen(name=text, **given)]
    many = len(spec.cutoffs) > 1
    return [
        chosen(k=k, name=_at(text, k) if many else text, **given)
        for k in spec.cutoffs
    ]


def _parsed(text: str) -> Spec:
    found = _SPEC.fullmatch(text)
    if found is None or (found["before"] and found["after"]):
        raise ValueError(f"it is malformed. {_HOW}")
    at = found["before"] or found["after"]
    return Spec(
        text,
        found["name"],
        () if at is None else tuple(map(_cutoff, at[1:].split(","))),
        _options(found["options"] or ""),
    )


def _cutoff(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"after `@` there should be a positive integer. Received: {text!r}."
        )
    return int(text)


def _options(text: str) -> dict[str, Any]:
    options = {}
    for part in re.findall(r"(?:[^,(]|\([^)]*\))+", text):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier() or not value:
            raise ValueError(
                f"an option should be `name=value`. Received: {part!r}. {_HOW}"
            )
        if name in options:
            raise ValueError(f"the option `{name}` stands there twice.")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    """A number, a tuple, True, a gain or a discount; else the word itself."""
    if text in _FUNCTIONS:
        return _FUNCTIONS[text]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _chosen(spec: Spec, convention: Convention | None) -> Any:
    """The class, or the preset of the convention."""
    name = class_of(spec.name)
    if convention is not None and spec.name in convention.without:
        raise ValueError(
            f"the convention `{convention.name}` does not have it: "
            f"{convention.without[spec.name]}."
        )
    if name is None:
        there = "" if convention is None else f" in `{convention.name}`"
        raise ValueError(
            f"no metric is called `{spec.name}`{there}."
            f"{nearest(spec.name, all_names())}{_hint(spec.text)}"
        )
    chosen = getattr(convention or metrics, name)
    if spec.cutoffs and _CUTOFF not in inspect.signature(chosen).parameters:
        raise ValueError(f"{name} takes no cutoff: leave `@` out.")
    return chosen


def _hint(text: str) -> str:
    """Whether a convention knows that name, as a sentence, or an empty text."""
    for convention in conventions.all_of_them():
        try:
            known = convention.of_source(text)
        except ValueError:
            continue
        if known is not None:
            name = convention.name
            return f" That is a name of {name}: `--convention {name}`."
    return ""


def _at(text: str, k: int) -> str:
    """The text with that cutoff alone."""
    return re.sub(r"@[\d,]+", f"@{k}", text)

"""Named conventions: the options that reproduce the numbers of other libraries.

>>> from keras_rankmetrics.conventions import trec_eval
>>> print(trec_eval.NDCG(k=10).signature)
NDCG@10|gain:linear|discount:log2|ideal:relevant|ties:average|empty:zero|list_weight:relevance|inputs:scores|keras_rankmetrics:0.1.0
>>> trec_eval.F1AtK  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
AttributeError: The convention `trec_eval` has no F1AtK: ...

The convention of ir_measures also parses the measure names of its source:

>>> from keras_rankmetrics.conventions import ir_measures
>>> ir_measures.parse("P(rel=2)@5").name
'precision@5'

`krm conventions` lists them on the command line. Every convention accepts all
forms of input, and reproduces no bugs of its source: tied items get the exact
average over their orders unless the source defines an order for them, and masks
and weights work as everywhere in this package.
"""

# ruff: noqa: F403

from __future__ import annotations

import contextlib
import inspect
import re
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.conventions.convention import Convention as Convention

# The conventions are listed in the order of these imports.
from keras_rankmetrics.conventions.retrieval import *

# isort: split
from keras_rankmetrics.conventions.recommending import *
from keras_rankmetrics.engine.messages import (
    closest,
    did_you_mean,
    nearest,
    no_attribute,
)
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.names import (
    SYNTAX,
    Spec,
    class_by_name,
    class_named,
    parsed,
    specs_in,
)

# By name, and by the form that signatures use: `linear` is `linear_gain`.
_FUNCTIONS = {
    alias: function
    for name, function in vars(gains).items()
    if name.endswith(("_gain", "_discount"))
    for alias in (name, name.rpartition("_")[0])
}


def names() -> list[str]:
    """Return the names of all conventions.

    >>> names()[:3]
    ['keras_rs', 'tf_ranking', 'trec_eval']
    """
    return [convention.name for convention in all_of_them()]


def all_of_them() -> list[Convention]:
    """Return all conventions.

    >>> {convention.name for convention in all_of_them()} == set(names())
    True
    """
    return [each for each in globals().values() if isinstance(each, Convention)]


def named(name: str) -> Convention:
    """Return the convention of that name, or raise ValueError.

    >>> named("trec_eval").name
    'trec_eval'
    """
    found = {each.name: each for each in all_of_them()}
    if name not in found:
        raise ValueError(
            f'No convention has the name "{name}".{_hint(str(name), found)} '
            f"The conventions are: {', '.join(found)}."
        )
    return found[name]


def table() -> str:
    """Return a description of all conventions.

    >>> table().partition(":")[0]
    'keras_rs'
    """
    return "\n\n".join(map(str, all_of_them()))


def metrics_of(
    text: str, convention: Convention | None, **options: Any
) -> list[RankingMetric]:
    """Return the metrics that a text describes, named after their specs.

    Args:
        text: the specs, such as `"NDCG@10 MAP(denominator=min)@100 RR"`.
        convention: the convention that defines names and options, or None for
            those of this package.
        **options: further options of all metrics; those in the text win.

    Raises:
        ValueError: if a spec is malformed, or its metric does not exist.
    """
    specs = specs_in(text)
    if not specs:
        raise ValueError(f"There should be a metric. {SYNTAX}")
    made = []
    for spec in specs:
        try:
            made += _made(spec, convention, options)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"The metric `{spec}`: {error}") from None
    return made


def _made(
    text: str, convention: Convention | None, options: Mapping[str, Any]
) -> list[RankingMetric]:
    if convention is not None:
        of_source = convention.of_source(text, **{"name": text, **options})
        if isinstance(of_source, RankingMetric):
            return [of_source]
    spec = parsed(text)
    if spec.at is not None and "k" in spec.options:
        raise ValueError(
            f"A metric has one cutoff. Received: `@{spec.at}` and "
            f"`k={spec.options['k']}`."
        )
    if "name" in spec.options:
        raise ValueError(
            "A metric is named after its text. Remove "
            f"`name={spec.options['name']}`."
        )
    kind = _class_or_preset(text, spec, convention)
    arguments = {**options, **spec.options}
    for name, value in spec.options.items():
        if isinstance(value, str):
            arguments[name] = _FUNCTIONS.get(value, value)
    if spec.at is None:
        return [kind(name=text, **arguments)]
    return [
        kind(k=k, name=re.sub(r"@[\d,]+", f"@{k}", text), **arguments)
        for k in list(map(_cutoff, spec.at.split(",")))
    ]


def _cutoff(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"A cutoff should be a positive integer. Received: {text!r}."
        )
    return int(text)


def _class_or_preset(
    text: str, spec: Spec, convention: Convention | None
) -> Any:
    """Return the class, or the preset of the convention."""
    there = ""
    if convention is not None:
        there = f" in `{convention.name}`"
        convention.check_supported(spec.name)
    name = class_named(spec.name)
    if name is None:
        raise ValueError(
            f"There is no metric `{spec.name}`{there}."
            f"{nearest(spec.name, class_by_name())}{_source_of(text)}"
        )
    kind = getattr(convention or metrics, name)
    if spec.at is not None and "k" not in inspect.signature(kind).parameters:
        raise ValueError(f"{name} has no cutoff. Remove `@{spec.at}`.")
    return kind


def _source_of(text: str) -> str:
    """Return a sentence naming the convention of a spec, or an empty text."""
    for convention in all_of_them():
        with contextlib.suppress(ValueError):
            if convention.of_source(text) is not None:
                return f" It is a name of the convention {convention.name}."
    return ""


def _hint(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean ...?" for a convention, or an empty text."""
    if name.startswith("_"):
        return ""
    aliases = {
        alias: each.name
        for each in all_of_them()
        for alias in each.aliases.split()
    }
    found = closest(name, [*known, *aliases])
    return did_you_mean(*dict.fromkeys(aliases.get(x, x) for x in found))


# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [*names(), "Convention", "all_of_them", "named", "names", "table"]

    def __dir__():
        """Return the public names."""
        return __all__

    def __getattr__(name):
        """Raise an error that names the convention the user probably means."""
        raise no_attribute(__name__, name, _hint(name, __all__))

"""Metrics from texts such as `NDCG@10`, by a convention or by none."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import keras

from keras_rankmetrics import conventions, gains, metrics
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.messages import plain
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.names import (
    SYNTAX,
    Spec,
    class_named,
    parsed,
    specs_in,
    split_options,
    suggested_name,
)

# By name, and by the form that signatures use: `linear` is `linear_gain`.
_FUNCTIONS = {
    alias: function
    for name, function in vars(gains).items()
    if name.endswith(("_gain", "_discount"))
    for alias in (name, name.rpartition("_")[0])
}


def source_of(convention: str | Convention) -> Convention:
    """Return a convention, which may be passed by its name."""
    if isinstance(convention, str):
        return conventions.named(convention)
    return convention


def options_by_name(
    convention: Convention | None, lists_have_weights: bool
) -> dict[str, Any]:
    """Return the options of metrics by name; those in the text win.

    The weight that is passed for a list is its weight in the mean, unless the
    convention has another rule.

    Args:
        convention: the convention, or None.
        lists_have_weights: True if a weight is passed for each list, False for
            weights of items and for none.
    """
    options = {} if convention is None else convention.rules.options
    if not lists_have_weights:
        return options
    own = None if convention is None else convention.list_weight
    return {**options, "list_weight": own or "mean"}


class Asked(NamedTuple):
    """A metric that a text describes.

    Attributes:
        metric: the metric.
        given: the names of the options in the text.
    """

    metric: RankingMetric
    given: frozenset[str]


def metrics_of(
    text: str, convention: Convention | None, **options: Any
) -> list[RankingMetric]:
    """Return the metrics that a text describes; see `asked_in`."""
    return [each.metric for each in asked_in(text, convention, **options)]


def asked_in(
    text: str, convention: Convention | None, **options: Any
) -> list[Asked]:
    """Return what a text asks for: metrics that are named after their specs.

    Args:
        text: the specs, such as `"NDCG@10 MAP(denominator=min)@100 RR"`.
        convention: the convention that defines names and options, or None for
            those of this package.
        **options: further options of all metrics; those in the text win. A
            metric without a weighted mean has no `list_weight`.

    Raises:
        ValueError: if a spec is malformed, or its metric does not exist.
    """
    specs = specs_in(text)
    if not specs:
        raise ValueError(f"There should be a metric. {SYNTAX}")
    asked = []
    for spec in specs:
        try:
            metrics = _made(spec, convention, options)
            given = frozenset(split_options(spec)[1])
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"The metric `{spec}`: {error}") from None
        asked += [Asked(metric, given) for metric in metrics]
    return asked


def _made(
    text: str, convention: Convention | None, options: Mapping[str, Any]
) -> list[RankingMetric]:
    if convention is not None:
        found = _of_source(convention, text, {"name": text, **options})
        if isinstance(found, RankingMetric):
            return [found]
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
    gain = inspect.signature(kind).parameters.get("gain_fn")
    own = _with_functions(spec.options, gain and gain.default)
    lacking = {"list_weight"} - inspect.signature(kind).parameters.keys()
    common = {name: x for name, x in options.items() if name not in lacking}
    arguments = {**common, **own}
    if spec.at is None:
        return [kind(name=text, **arguments)]
    return [
        kind(k=k, name=re.sub(r"@[\d,]+", f"@{k}", text), **arguments)
        for k in list(map(_cutoff, spec.at.split(",")))
    ]


def _of_source(
    convention: Convention, text: str, options: Mapping[str, Any]
) -> Any:
    """Return the metric for a name of the source, or None if it is unknown.

    If the source has no parameters in parentheses, options may stand there.
    """
    found = convention.of_source(text, **options)
    bare, own = split_options(text)
    if found is not None or not own or {"k", "name"} & own.keys():
        return found
    usual = convention.of_source(bare, **options)
    if usual is None:
        return None
    own = _with_functions(own, usual.options.get("gain_fn"))
    return convention.of_source(bare, **{**options, **own})


def _with_functions(options: Mapping[str, Any], gain: Any) -> dict[str, Any]:
    """Return options with functions in place of their names and of dicts.

    Args:
        options: the options in a text.
        gain: the gain of labels that a dict does not have.
    """
    found = {
        name: _FUNCTIONS.get(x, x) if isinstance(x, str) else x
        for name, x in options.items()
    }
    if isinstance(found.get("gain_fn"), dict):
        found["gain_fn"] = gains.GainTable(found["gain_fn"], gain)
    return found


def _cutoff(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        of_each = (
            " For the number of relevant items, write MAPatR or RPrecision."
        )
        raise ValueError(
            f"A cutoff should be a positive integer. Received: {text!r}."
            f"{of_each * (text in ('R', 'r'))}"
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
    if (
        convention is not None
        and spec.name not in convention.measures
        and convention.of_source(spec.name) is not None
    ):
        raise ValueError(
            f"`{spec.name}` is a name of `{convention.name}` with its cutoff. "
            f"Received: another cutoff in `{text}`. Remove one of them."
        )
    name = class_named(spec.name)
    own = None if name or convention else _registered(spec.name)
    if name is None and own is None:
        own_name = " Register your own metric with Keras to name it."
        raise ValueError(
            f"There is no metric `{spec.name}`{there}."
            f"{suggested_name(spec.name)}{_source_of(text)}"
            f"{own_name if convention is None else ''}"
        )
    kind = own or getattr(convention or metrics, str(name))
    if spec.at is not None and "k" not in inspect.signature(kind).parameters:
        raise ValueError(f"{spec.name} has no cutoff. Remove `@{spec.at}`.")
    return kind


def _registered(name: str) -> type[RankingMetric] | None:
    """Return the metric of users with that class or short name, or None.

    Raises:
        ValueError: if several have it.
    """
    found = {
        key: each
        for key, each in keras.saving.get_custom_objects().items()
        if isinstance(each, type)
        and issubclass(each, RankingMetric)
        and plain(name) in map(plain, (each.__name__, each.short_name or ""))
    }
    if len(set(found.values())) > 1:
        raise ValueError(
            f"`{name}` should be one registered metric. Received: "
            f"{', '.join(sorted(found))}. Pass the metric itself."
        )
    return next(iter(found.values()), None)


def _source_of(text: str) -> str:
    """Return a sentence naming the convention of a spec, or an empty text."""
    for convention in conventions.all_of_them():
        with contextlib.suppress(ValueError, TypeError):
            if _of_source(convention, text, {}) is not None:
                return f" It is a name of the convention {convention.name}."
    return ""

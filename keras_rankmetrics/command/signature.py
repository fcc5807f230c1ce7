"""`krm explain`, `krm signature` and `krm conventions`: all in words."""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections.abc import Mapping
from typing import Any

from keras_rankmetrics import conventions, gains, metrics
from keras_rankmetrics.comparing.reading import how_to_read
from keras_rankmetrics.engine.messages import nearest
from keras_rankmetrics.engine.metric.ranking_metric import ConfiguredMetric
from keras_rankmetrics.explaining.explain import explain
from keras_rankmetrics.explaining.words import Inputs, sentence
from keras_rankmetrics.metrics.names import class_by_name
from keras_rankmetrics.version import __version__

_EXAMPLE = (
    "A signature should have the form that `metric.signature` prints: "
    "`NDCG@10|gain:linear|ties:average|...|keras_rankmetrics:0.1.0`."
)
_HEAD = re.compile(r"(?P<name>[^@|]+)(?:@(?P<k>\d+))?")
# A signature has only a fingerprint of these options.
_TABLES = ("groups", "is_tail", "popularity", "target", "vectors")
_Metric = type[ConfiguredMetric]
_PARAMETERS = {"gain": "gain_fn", "discount": "rank_discount_fn"}


def of_conventions(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return the metrics of a convention, or a list of conventions; and 0."""
    if arguments.all:
        return conventions.table(), 0
    if arguments.name is not None:
        return str(conventions.named(arguments.name)), 0
    abouts = {each.name: each.about for each in conventions.all_of_them()}
    return _in_two_columns(abouts), 0


def _in_two_columns(texts: Mapping[str, str]) -> str:
    width = max(map(len, texts))
    return "\n".join(f"{name:{width}}  {texts[name]}" for name in texts)


def of_signature(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return a signature in words, and as a call of its constructor; and 0."""
    metric, options, version = parsed_signature(arguments.signature)
    lines = [_in_two_columns(explained(metric, options, version))]
    if version != __version__:
        lines.append(f"\nThis is version {__version__}. Its values may differ.")
    return "\n".join([*lines, "", constructor(metric, options)]), 0


def of_number(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return what one number measures, or what leads to another; and 0."""
    values = arguments.values
    explanation = explain(
        values if len(values) > 1 else values[0],
        arguments.truth,
        arguments.run,
        " ".join(arguments.metrics),
        higher_is_better=not arguments.lower_is_better,
        convention=arguments.convention,
        **how_to_read(vars(arguments)),
    )
    return explanation.in_words(Inputs.in_shell), 0


def parsed_signature(text: str) -> tuple[_Metric, dict[str, str], str]:
    """Return the metric of a signature, its options, and the version.

    The options are texts by name; a cutoff is the first one, `"k"`. Raise
    ValueError if the text is malformed, or not a signature of this package.
    """
    text = text.strip()
    described, _, rest = text.partition(f"|{gains.PACKAGE}:")
    version, _, more = rest.partition("|")
    head, *parts = described.split("|")
    found = _HEAD.fullmatch(head)
    if found is None or "|" not in text:
        raise ValueError(f"{_EXAMPLE} Received: {text!r}.")
    if more:
        raise ValueError(
            "A signature should end with the version of the package. Received: "
            f"{more!r} after it, as in the signature of a comparison or of "
            f"slices. Explain `{text.removesuffix(f'|{more}')}`."
        )
    options: dict[str, str] = {"k": found["k"]} if found["k"] else {}
    for part in parts:
        name, _, value = part.partition(":")
        if not name or not value:
            raise ValueError(
                f"{_EXAMPLE} Each part after the first should be `name:value`. "
                f"Received: {part!r}."
            )
        if name in options:
            raise ValueError(
                f"A part should occur once in a signature. Received: {name!r} "
                "twice."
            )
        options[name] = value
    if not version:
        raise ValueError(
            f"A signature should end with `{gains.PACKAGE}:` and a version. "
            f"Received: {parts[-1]!r}. Check whether it was cut off."
        )
    metric = getattr(metrics, found["name"], None)
    if not (isinstance(metric, type) and issubclass(metric, ConfiguredMetric)):
        hint = nearest(found["name"], class_by_name().values())
        raise ValueError(
            "A signature should begin with a metric of this package. Received: "
            f"{found['name']!r}.{hint} The signature of your own metric is "
            "explained by its code."
        )
    _check_options(metric, options)
    return metric, options, version


def _check_options(metric: _Metric, options: Mapping[str, str]) -> None:
    """Raise ValueError if the metric lacks one of the options."""
    parameters = {*inspect.signature(metric).parameters}
    if "k" in options and "k" not in parameters:
        k = options["k"]
        raise ValueError(f"{metric.__name__} takes no cutoff. Received: @{k}.")
    allowed = parameters | ConfiguredMetric.common_parameters
    for name in options:
        if _PARAMETERS.get(name, name) not in allowed:
            raise ValueError(
                f"{metric.__name__} has no option `{name}`."
                f"{nearest(name, parameters)} Its options are: "
                f"{', '.join(sorted(parameters))}."
            )


def constructor(metric: _Metric, options: Mapping[str, str]) -> str:
    """Return the call that creates the metric, without default options."""
    # Metrics of a catalogue cannot be created without arguments.
    is_of_catalogue = metric.of_catalogue is not None
    by_default = "" if is_of_catalogue else metric().signature
    parameters = inspect.signature(metric).parameters
    arguments = []
    for name, value in options.items():
        parameter = parameters.get(_PARAMETERS.get(name, name))
        is_default = f"{name}:{value}" in by_default.split("|")
        if parameter is not None and not is_default:
            code = _code(name, value, parameter.default)
            arguments.append(f"{parameter.name}={code}")
    return f"krm.{metric.__name__}({', '.join(arguments)})"


def _code(name: str, value: str, default: Any) -> str:
    """Return the value of an option as Python code."""
    if name in _PARAMETERS:
        *pairs, rest = value.split(",")
        function = f"{rest}_{name}"
        code = f"krm.{function}" if hasattr(gains, function) else rest
        table = ", ".join(pairs).replace("=", ": ")
        return f"krm.GainTable({{{table}}}, {code})" if pairs else code
    if isinstance(default, tuple):
        return f"({', '.join(value.split(','))},)"
    if name in _TABLES:
        return "..."
    try:
        number = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return f'"{value}"'
    return repr(number)


def explained(
    metric: _Metric, options: Mapping[str, str], version: str
) -> dict[str, str]:
    """Return a sentence for each part of a signature, by part."""
    name, k = metric.__name__, options.get("k")
    first = (inspect.getdoc(metric) or "").partition("\n")[0]
    if k is not None:
        found = {f"{name}@{k}": f"{first} Items below rank {k} do not count."}
    elif "k" in inspect.signature(metric).parameters:
        found = {name: f"{first} All ranks count."}
    else:
        found = {name: first}
    for option, value in options.items():
        if option != "k":
            found[f"{option}:{value}"] = sentence(option, value)
    found[f"{gains.PACKAGE}:{version}"] = (
        f"Version {version} of {gains.PACKAGE} computed the value."
    )
    return found

"""Signatures in words, and as BibTeX."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.engine.metric.configured import ConfiguredMetric
from keras_rankmetrics.engine.naming.names import nearest
from keras_rankmetrics.metrics.names import class_names

# Signatures of metrics, taken apart.

_LOOKS = (
    "A signature should be as `metric.signature` prints it: "
    "`NDCG@10|gain:linear|ties:average|...|keras_rankmetrics:0.1.0`."
)
_TABLES = ("groups", "is_tail", "popularity", "target", "vectors")
_SHORT = {"gain": "gain_fn", "discount": "rank_discount_fn"}
_AFTER = re.compile(
    rf"(?P<metric>.*?\|{gains.PACKAGE}:[^|]+)\|(?P<more>.+)", re.DOTALL
)
_HEAD = re.compile(r"(?P<name>[^@|]+)(?:@(?P<k>\d+))?")


class Signature(NamedTuple):
    """What a signature says.

    Attributes:
        text: all of it.
        metric: the class.
        k: the cutoff, or None.
        options: as they stand there, by name.
        version: of the package.
    """

    text: str
    metric: type[ConfiguredMetric]
    k: int | None
    options: Mapping[str, str]
    version: str


def parsed(text: str) -> Signature:
    """A signature. Raises where it is malformed, or of another package."""
    text = text.strip()
    head, *parts = text.split("|")
    found = _HEAD.fullmatch(head)
    if found is None or not parts:
        raise ValueError(f"{_LOOKS} Received: {text!r}.")
    _check_last(text)
    options: dict[str, str] = {}
    for part in parts:
        name, colon, value = part.partition(":")
        if not colon or not name or not value:
            raise ValueError(
                f"{_LOOKS} Each part after the first should be `name:value`. "
                f"Received: {part!r}."
            )
        if name in options:
            raise ValueError(
                f"A signature should have each part once. Received: {name!r} "
                "twice."
            )
        options[name] = value
    version = options.pop(gains.PACKAGE, None)
    if version is None:
        raise ValueError(
            f"A signature should end with `{gains.PACKAGE}:` and its version. "
            f"Received: {parts[-1]!r}. Is it cut off?"
        )
    metric = _class(found["name"])
    k = int(found["k"]) if found["k"] else None
    _check(metric, k, options)
    return Signature(text, metric, k, options, version)


def constructor(signature: Signature) -> str:
    """The call that makes the metric, with what is not its default."""
    metric = signature.metric
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(metric).parameters.items()
    }
    own = _own(metric)
    given = [] if signature.k is None else [f"k={signature.k}"]
    for name, value in signature.options.items():
        parameter = _SHORT.get(name, name)
        if own.get(name) != value and parameter in defaults:
            given.append(f"{parameter}={_code(name, value, defaults)}")
    return f"krm.{metric.__name__}({', '.join(given)})"


def _own(metric: type[ConfiguredMetric]) -> dict[str, str]:
    """What the signature says without arguments, if it can be made so."""
    if metric.of_catalogue is not None:
        return {}
    _, *parts = metric().signature.split("|")
    return dict(part.split(":", 1) for part in parts)


def _class(name: str) -> type[ConfiguredMetric]:
    found = getattr(metrics, name, None)
    if not (isinstance(found, type) and issubclass(found, ConfiguredMetric)):
        raise ValueError(
            "A signature should begin with a metric of this package. What a "
            "metric of your own means, its code says. Received: "
            f"{name!r}.{nearest(name, class_names())}"
        )
    return found


def _check_last(text: str) -> None:
    """Raises where something follows the version."""
    found = _AFTER.fullmatch(text)
    if found is not None:
        raise ValueError(
            "The signature of one metric is explained, which ends with its "
            "version. That of a comparison or of slices goes on: explain "
            f"`{found['metric']}`. Received: {found['more']!r} after it."
        )


def _check(
    metric: type[ConfiguredMetric], k: int | None, options: Mapping[str, str]
) -> None:
    """Raises where the metric has no such option."""
    parameters = {*inspect.signature(metric).parameters}
    known = parameters | ConfiguredMetric.common_parameters
    if k is not None and "k" not in parameters:
        raise ValueError(f"{metric.__name__} takes no cutoff. Received: @{k}.")
    for name in options:
        if _SHORT.get(name, name) not in known:
            meant = nearest(name, parameters)
            raise ValueError(
                f"{metric.__name__} has no option `{name}`.{meant} It has: "
                f"{', '.join(sorted(parameters))}."
            )


def _code(name: str, value: str, defaults: Mapping[str, Any]) -> str:
    """The value as it is written in Python."""
    if name in _SHORT:
        function = f"{value}_{name}"
        return f"krm.{function}" if hasattr(gains, function) else value
    if isinstance(defaults[name], tuple):
        return f"({', '.join(value.split(','))},)"
    if name in _TABLES:
        return "..."  # a signature has a fingerprint of it
    try:
        number = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return f'"{value}"'
    return repr(number)


# Each part of a signature as a sentence.

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "ties": {
        "average": "Items of equal score count as the exact mean over all "
        "their orders.",
        "shuffle": "Items of equal score stand in one random order.",
        "stable": "Items of equal score stand in the order of the input.",
        "pessimistic": "Of items of equal score, the least relevant ones stand "
        "first.",
        "optimistic": "Of items of equal score, the most relevant ones stand "
        "first.",
    },
    "empty": {
        "zero": "A list without relevant items counts as 0.",
        "one": "A list without relevant items counts as 1.",
        "skip": "A list without relevant items does not count.",
    },
    "list_weight": {
        "relevance": "A list weighs as much as its relevant items do on "
        "average; without `sample_weight` all lists weigh the same.",
        "mean": "A list weighs as much as its items do on average; without "
        "`sample_weight` all lists weigh the same.",
    },
    "adjusted": {
        "chance": "The values are on a scale where chance is 0 and the best "
        "value is 1.",
    },
    "inputs": {
        "scores": "Its input is a label and a score for each item.",
        "sparse": "Its input is the indices of the relevant items, and a score "
        "for each item of the catalogue.",
        "ids": "Its input is the ids of the relevant items, and recommended "
        "ids, the best first.",
        "counts": "Its input is how many items stand above each relevant one.",
    },
    "unjudged": {
        "condense": "Items that nobody has judged are left out.",
    },
    "dtype": {"float64": "It is computed in double precision."},
    "ideal": {
        "relevant": "The ideal order is that of all items, the best k first.",
        "retrieved": "The ideal order is that of the first k items alone.",
    },
    "gain": {
        "exponential": "An item of the label y is worth 2^y - 1.",
        "linear": "An item of the label y is worth y.",
    },
    "discount": {
        "log2": "An item at rank r counts for 1/log2(r + 1).",
        "natural_log": "An item at rank r counts for 1/ln(r + 1).",
        "original": "An item at rank r counts for 1/log2(r), and for 1 at the "
        "first two ranks.",
        "reciprocal": "An item at rank r counts for 1/r.",
        "inverse_square": "An item at rank r counts for 1/(r + 1)², over the "
        "sum of that over all ranks.",
    },
    "normalized": {
        "True": "It is divided by the value of the best order.",
        "False": "It is not divided by the value of the best order.",
    },
    "denominator": {
        "k": "It divides by k, also where fewer items are retrieved.",
        "retrieved": "It divides by k, or by the number of retrieved items if "
        "these are fewer.",
        "relevant": "It divides by the number of relevant items.",
        "min": "It divides by k, or by the number of relevant items if these "
        "are fewer.",
        "hits": "It divides by the number of relevant items among the first k.",
    },
    "part": {
        "loss": "It is the whole loss: disparity, less twice the relevance, "
        "and a constant.",
        "disparity": "It is the disparity alone.",
        "relevance": "It is the relevance alone.",
    },
}

_NUMBERS = {
    "relevance_threshold": "Items with a label of {} or more are relevant.",
    "beta": "Beta is {}: so many times as much weight has recall, or gain.",
    "p": "A user goes on to the next item with the chance {}.",
    "alpha": "A relevant item satisfies with the chance {}.",
    "max_grade": "The highest grade is {}.",
    "recall": "The precision is that at a recall of {}.",
    "probabilities": "A user takes the grades 1, 2, ... as the threshold with "
    "the chances {}.",
    "seed": "The random order comes from the seed {}.",
    "num_items": "The catalogue has {} items.",
}


def explained(signature: Signature) -> dict[str, str]:
    """A sentence for each part of a signature, by the part."""
    found = {_head(signature): _about(signature)}
    for name, value in signature.options.items():
        found[f"{name}:{value}"] = _sentence(name, value)
    found[f"keras_rankmetrics:{signature.version}"] = (
        f"Version {signature.version} of keras_rankmetrics computed it."
    )
    return found


def _head(signature: Signature) -> str:
    return signature.text.partition("|")[0]


def _about(signature: Signature) -> str:
    first = (inspect.getdoc(signature.metric) or "").partition("\n")[0]
    if "k" not in inspect.signature(signature.metric).parameters:
        return first
    if signature.k is None:
        return f"{first} All ranks count."
    return f"{first} What stands below rank {signature.k} does not count."


def _sentence(name: str, value: str) -> str:
    if name in _NUMBERS:
        return _NUMBERS[name].format(value.removesuffix(".0"))
    choices = _SENTENCES.get(name, {})
    if value in choices:
        return choices[value]
    if name in ("gain", "discount"):
        return f"The function of the {name} is `{value}`."
    if choices:
        listed = ", ".join(choices)
        raise ValueError(
            f"`{name}` should be one of {listed}. Received: {value!r}."
        )
    return f"A table of numbers with the fingerprint {value} tells `{name}`."


# How a number is cited.


def bibtex(signature: Signature) -> str:
    """An entry that names the version, and the signature in its note."""
    return "\n".join(
        [
            "@software{keras_rankmetrics,",
            "  title = {keras\\_rankmetrics: ranking metrics for Keras 3},",
            "  author = {{The keras\\_rankmetrics authors}},",
            f"  version = {{{signature.version}}},",
            f"  note = {{\\texttt{{\\detokenize{{{signature.text}}}}}}}",
            "}",
        ]
    )

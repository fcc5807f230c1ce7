"""Signatures of metrics, taken apart."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.engine.naming.names import nearest
from keras_rankmetrics.engine.shells.defined import Defined
from keras_rankmetrics.metrics.names import class_names

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
    metric: type[Defined]
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


def _own(metric: type[Defined]) -> dict[str, str]:
    """What the signature says without arguments, if it can be made so."""
    if metric.of_catalogue is not None:
        return {}
    _, *parts = metric().signature.split("|")
    return dict(part.split(":", 1) for part in parts)


def _class(name: str) -> type[Defined]:
    found = getattr(metrics, name, None)
    if not (isinstance(found, type) and issubclass(found, Defined)):
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
    metric: type[Defined], k: int | None, options: Mapping[str, str]
) -> None:
    """Raises where the metric has no such option."""
    parameters = {*inspect.signature(metric).parameters}
    known = parameters | Defined.common_parameters
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

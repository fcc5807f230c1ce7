"""Metrics written as text: `NDCG@10`, `MAP(denominator=min)@100`, `RR`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

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


def parsed(text: str) -> Spec:
    """Return the parts of a spec, or raise ValueError if it is malformed."""
    found = _SPEC.fullmatch("".join(text.split()))
    if found is None or (found["before"] and found["after"]):
        raise ValueError(f"{text!r} is malformed. {SYNTAX}")
    at = found["before"] or found["after"]
    return Spec(found["name"], at and at[1:], _options(found["options"] or ""))


def split(text: str) -> list[str]:
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

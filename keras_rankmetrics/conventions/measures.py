"""Conventions that parse the names their source has for measures."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping
from typing import Any

from keras_rankmetrics.conventions.convention import (
    Convention,
    Meaning,
    Measure,
)
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.names import parsed

_SUFFIXED = re.compile(
    r"(?P<name>\w+?)"
    r"([_.@]((?P<parameter>\w+)=)?(?P<number>\d+\.?\d*|\.\d+))?"
)


def option(name: str) -> Meaning:
    """Return the meaning of a parameter that is the option of that name."""
    return lambda value: {name: value}


@dataclasses.dataclass(frozen=True)
class Choices:
    """The meaning of a parameter that has few supported values.

    Args:
        options: the options here for each value.
        remedy: a sentence for the error of other values, or "".
    """

    options: Mapping[Any, Mapping[str, Any]]
    remedy: str = ""

    def __call__(self, value: Any) -> Mapping[str, Any]:
        """Return the options for a value, or raise ValueError."""
        if value not in list(self.options):  # it need not be hashable
            supported = " or ".join(map(repr, self.options))
            raise ValueError(f"it should be {supported}. {self.remedy}".strip())
        return self.options[value]


class Vocabulary(Convention):
    """A convention that parses the names its source has for measures.

    The parameters are those of `Convention`.

    >>> from keras_rankmetrics.conventions import ir_measures
    >>> ir_measures.parse("nDCG@10").name
    'ndcg@10'
    """

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return `parse(text)`, or None if the source has no such name.

        Args:
            text: the measure, as the source writes it.
            **options: further options of the metric.
        """
        name = re.split(r"\W", text, maxsplit=1)[0]
        if name in self.measures or name in self.without:
            return self.parse(text, **options)
        return None

    def parse(self, measure: object, **options: Any) -> RankingMetric:
        """Return the metric for a measure of the source.

        Args:
            measure: the measure as the source writes it, such as
                `"P(rel=2)@5"`, or an object whose `str` is that.
            **options: further options of the metric, such as `inputs="ids"`.

        Raises:
            ValueError: if the measure is malformed, or not supported.
        """
        text = str(measure)
        malformed = ValueError(
            f"A measure of {self.name} should be a name, parameters in "
            "parentheses, and a cutoff after `@`, such as `P(rel=2)@5`. "
            f"Received: {text!r}."
        )
        if "(" in text.partition("@")[2]:
            raise malformed
        try:
            name, at, arguments = parsed(text)
            cutoff = None if at is None else _number(at)
        except ValueError:
            raise malformed from None
        self.check_supported(name)
        if name not in self.measures:
            raise ValueError(
                f"The convention `{self.name}` has no measure {name}. It "
                f"has: {', '.join(self.measures)}."
            )
        found = self.measures[name]
        if cutoff is not None and found.at in arguments:
            raise ValueError(
                f"`{name}` has two cutoffs: {found.at}={arguments[found.at]!r} "
                f"and `@{at}`. Remove one of them."
            )
        if cutoff is not None:
            arguments = {**arguments, found.at: cutoff}
        _check_parameters(name, found, arguments)
        return _made(self, name, arguments, options)


class Suffixed(Convention):
    """A convention whose source writes numbers after the names of measures.

    >>> from keras_rankmetrics.conventions import trec_eval
    >>> trec_eval.of_source("ndcg_cut_10").name
    'ndcg@10'
    """

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return the metric for a name of the source, or None.

        Args:
            text: the measure as the source writes it, such as
                `"ndcg_cut_10"`, `"ndcg_cut.10"` or `"rbp.p=0.8"`.
            **options: further options of the metric.

        Raises:
            ValueError: if the source has the name, but it is not supported, or
                means several metrics.
        """
        found = _SUFFIXED.fullmatch(text)
        name = found["name"] if found else text
        self.check_supported(name)
        measure, arguments = self.measures.get(name), {}
        if found is None or measure is None:
            return None
        if found["number"] is not None:
            parameter = found["parameter"] or measure.at
            arguments[parameter] = _number(found["number"])
        if set(measure.required) <= set(arguments) <= set(measure.parameters):
            return _made(self, name, arguments, options)
        if measure.default and not arguments:
            every = " ".join(f"{text}_{x}" for x in measure.default)
            raise ValueError(
                f"`{text}` should be followed by a number. Received: none. "
                f"{self.name} then takes several: write `{every}`."
            )
        return None


def _check_parameters(
    name: str, measure: Measure, arguments: Collection[str]
) -> None:
    """Raise ValueError if a parameter does not exist or is missing."""
    for parameter in arguments:
        if parameter not in measure.parameters:
            raise ValueError(
                f"`{name}` has no parameter {parameter}. It has: "
                f"{', '.join(measure.parameters)}."
            )
    for parameter in measure.required:
        if parameter not in arguments:
            at = "@..." if parameter == measure.at else f"({parameter}=...)"
            raise ValueError(f"`{name}` needs {parameter}: write `{name}{at}`.")


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


def _made(
    convention: Convention,
    name: str,
    arguments: Mapping[str, Any],
    options: Mapping[str, Any],
) -> RankingMetric:
    """Return the metric for the arguments of a measure."""
    measure = convention.measures[name]
    ours: dict[str, Any] = {}
    for parameter, value in arguments.items():
        try:
            ours.update(measure.parameters[parameter](value))
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"`{name}` with {parameter}={value!r}: {error}"
            ) from None
    preset = convention.presets[measure.metric.__name__]
    return preset(**{**measure.options, **ours, **options})

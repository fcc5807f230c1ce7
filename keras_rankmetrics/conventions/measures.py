"""Conventions that parse the names their source has for measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, NoReturn

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.spec import Spec, parsed
from keras_rankmetrics.engine.metric.configured import (
    ConfiguredMetric,
    RankingMetric,
)

# From the value of a source's parameter to options here, or a ValueError that
# says why there are none.
Meaning = Callable[[Any], Mapping[str, Any]]


class Measure(NamedTuple):
    """A measure of the source, and its equivalent here.

    Args:
        metric: the class. The convention has a preset for it.
        parameters: the meaning of each parameter of the measure.
        options: options that the measure sets beyond those of the preset.
        required: the parameters that the measure needs.
        at: the parameter that is written after `@`.
    """

    metric: type[RankingMetric]
    parameters: Mapping[str, Meaning]
    options: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()
    at: str = "cutoff"


def named(option: str) -> Meaning:
    """Return the meaning of a parameter that is the option of that name."""
    return lambda value: {option: value}


def only(allowed: Any, reason: str) -> Meaning:
    """Return the meaning of a parameter with one supported value."""

    def meaning(value: Any) -> Mapping[str, Any]:
        if value != allowed:
            raise ValueError(f"{reason}. Only {allowed!r} is supported.")
        return {}

    return meaning


def one_of(choices: Mapping[str, Mapping[str, Any]]) -> Meaning:
    """Return the meaning of a parameter whose values each set options."""

    def meaning(value: Any) -> Mapping[str, Any]:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"expected one of: {', '.join(choices)}.")
        return choices[value]

    return meaning


def never(reason: str) -> Meaning:
    """Return the meaning of a parameter that is not supported."""

    def meaning(value: Any) -> NoReturn:
        raise ValueError(f"{reason}.")

    return meaning


class Vocabulary(Convention):
    """A convention that parses the names its source has for measures.

    Args:
        name: the name of the convention, as a Python identifier.
        about: a description, in one sentence.
        source: the place where the convention is defined.
        metrics: the options of each metric, as for any `Convention`.
        measures: the equivalent of each measure of the source, by its name
            there.
        without: the measures of the source that are not supported, by their
            name there, each with the reason.
        ties_by_id: as for any `Convention`.

    >>> from keras_rankmetrics.conventions import ir_measures
    >>> ir_measures.parse("nDCG@10").name
    'ndcg@10'
    """

    def __init__(
        self,
        name: str,
        about: str,
        source: str,
        metrics: Mapping[type[ConfiguredMetric], Mapping[str, Any]],
        measures: Mapping[str, Measure],
        without: Mapping[str, str],
        ties_by_id: Literal["float32", "float64"] | None = None,
    ) -> None:
        super().__init__(name, about, source, metrics, without, ties_by_id)
        self.measures = dict(measures)

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return `parse(text)`, or None if the source has no such name.

        Args:
            text: the measure, as the source writes it.
            **options: further options of the metric.
        """
        word = re.match(r"\w*", text)
        name = "" if word is None else word.group()
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
        spec = parsed(str(measure))
        if spec.name in self.without:
            raise ValueError(
                f"The convention `{self.name}` has no {spec.name}: "
                f"{self.without[spec.name]}."
            )
        if spec.name not in self.measures:
            raise ValueError(
                f"The convention `{self.name}` has no measure {spec.name}. It "
                f"has: {', '.join(self.measures)}."
            )
        return self._made(spec, options)

    def _made(self, spec: Spec, options: Mapping[str, Any]) -> RankingMetric:
        name, measure = spec.name, self.measures[spec.name]
        arguments = dict(spec.options)
        if spec.at is not None:
            if measure.at in arguments:
                raise ValueError(
                    f"`{name}` has two cutoffs: "
                    f"{measure.at}={arguments[measure.at]!r}, and "
                    f"`@{spec.at}`. Remove one of them."
                )
            arguments[measure.at] = _number(spec.at)
        unknown = [p for p in arguments if p not in measure.parameters]
        if unknown:
            raise ValueError(
                f"`{name}` has no parameter {unknown[0]}. It has: "
                f"{', '.join(measure.parameters)}."
            )
        missing = [p for p in measure.required if p not in arguments]
        if missing:
            is_at = missing[0] == measure.at
            form = "@..." if is_at else f"({missing[0]}=...)"
            raise ValueError(
                f"`{name}` needs {missing[0]}: write `{name}{form}`."
            )
        meant: dict[str, Any] = {}
        for parameter, value in arguments.items():
            try:
                meant.update(measure.parameters[parameter](value))
            except (ValueError, TypeError, IndexError) as error:
                text = f"`{name}` with {parameter}={value!r}: {error}"
                raise ValueError(text) from None
        preset = self.presets[measure.metric.__name__]
        return preset(**{**measure.options, **meant, **options})


def _number(text: str) -> float:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise ValueError(
            f"After `@` there should be a number. Received: {text!r}."
        ) from None


CUTOFF = "k"


class Suffix(NamedTuple):
    """A measure whose name a source ends with a number, like `ndcg_cut_10`.

    Args:
        metric: the name of the metric in the convention.
        parameter: the option that the number sets, or None without a number.
        options: options that the measure sets beyond those of the preset.
        required: whether there must be a number.
    """

    metric: str
    parameter: str | None = None
    options: Mapping[str, Any] = {}
    required: bool = False

    def options_of(self, suffix: str) -> Mapping[str, Any] | None:
        """Return the options for what follows the name, None if malformed."""
        if not suffix:
            return None if self.required else self.options
        number = r"\d+" if self.parameter == CUTOFF else r"\d+\.?\d*|\.\d+"
        found = re.fullmatch(rf"[_.@](?:{self.parameter}=)?({number})", suffix)
        if found is None or self.parameter is None:
            return None
        kind = int if self.parameter == CUTOFF else float
        return {**self.options, self.parameter: kind(found[1])}


class Suffixed(Convention):
    """A convention whose source writes numbers after the names of measures.

    Args:
        *args: as for any `Convention`.
        measures: the equivalent of each measure of the source, by its name
            there without the number.
        **options: as for any `Convention`.

    >>> from keras_rankmetrics.conventions import trec_eval
    >>> trec_eval.of_source("ndcg_cut_10").name
    'ndcg@10'
    """

    def __init__(
        self, *args: Any, measures: Mapping[str, Suffix], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.measures = dict(measures)

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return the metric for a name of the source, or None.

        Args:
            text: the measure as the source writes it, such as
                `"ndcg_cut_10"`, `"ndcg_cut.10"` or `"rbp.p=0.8"`.
            **options: further options of the metric.
        """
        for name, measure in self.measures.items():
            if not text.startswith(name):
                continue
            own = measure.options_of(text.removeprefix(name))
            if own is not None:
                preset = self.presets[measure.metric]
                metric: RankingMetric = preset(**{**own, **options})
                return metric
        return None

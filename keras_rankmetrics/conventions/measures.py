"""Names of measures with parameters, such as `P(rel=2)@5`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, NoReturn

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.metric.configured import (
    ConfiguredMetric,
    RankingMetric,
)

# `Vocabulary`: a convention whose measures are had by the source's names.

# What a parameter there means here: options, or a ValueError that says why not.
Meaning = Callable[[Any], Mapping[str, Any]]


class Measure(NamedTuple):
    """What a measure of the source is here.

    Args:
        metric: the class. The convention has a preset for it.
        parameters: what each parameter of the measure means here.
        options: what the measure sets beyond the preset.
        required: the parameters that the measure must be given.
        at: the parameter that is written as `@`.
    """

    metric: type[RankingMetric]
    parameters: Mapping[str, Meaning]
    options: Mapping[str, Any] = {}
    required: tuple[str, ...] = ()
    at: str = "cutoff"


class Vocabulary(Convention):
    """A convention that knows the names which its source has for measures.

    Args:
        name: the name of the convention, as that of a variable.
        about: what it is, in one sentence.
        source: where it is defined.
        metrics: the options of each metric, as for any `Convention`.
        measures: what each measure of the source is, by its name there.
        without: what the source defines and cannot be had, by its name there,
            and why.
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
        """As `parse`; None for names that the source does not have.

        Args:
            text: as the source writes it.
            **options: further options of the metric.
        """
        word = re.match(r"\w*", text)
        name = "" if word is None else word.group()
        if name in self.measures or name in self.without:
            return self.parse(text, **options)
        return None

    def parse(self, measure: object, **options: Any) -> RankingMetric:
        """The metric that a measure of the source is.

        Args:
            measure: as the source writes it, such as `"P(rel=2)@5"`, or what
                `str` makes that of.
            **options: further options of the metric, such as `inputs="ids"`.
        """
        name, given = _parts(str(measure), self.name)
        if name in self.without:
            raise ValueError(
                f"The convention `{self.name}` has no {name}: "
                f"{self.without[name]}."
            )
        if name not in self.measures:
            raise ValueError(
                f"`{self.name}` has no measure of the name {name}. It has: "
                f"{', '.join(self.measures)}."
            )
        return self._made(name, given, options)

    def _made(
        self,
        name: str,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> RankingMetric:
        known = self.measures[name]
        if "@" in given and known.at in given:
            raise ValueError(
                f"`{name}` has two cutoffs: {known.at}={given[known.at]!r}, "
                f"and `@{given['@']}`. Leave one of them out."
            )
        # What is written as `@` has no name.
        named = {known.at if p == "@" else p: v for p, v in given.items()}
        unknown = [p for p in named if p not in known.parameters]
        if unknown:
            raise ValueError(
                f"`{name}` takes no {unknown[0]}. It takes: "
                f"{', '.join(known.parameters)}."
            )
        missing = [p for p in known.required if p not in named]
        if missing:
            raise ValueError(
                f"`{name}` needs {missing[0]}: write "
                f"`{_with(name, missing[0], known.at)}`."
            )
        meant: dict[str, Any] = {}
        for parameter, value in named.items():
            try:
                meant.update(known.parameters[parameter](value))
            except (ValueError, TypeError, IndexError) as error:
                text = f"`{name}` with {parameter}={value!r}: {error}"
                raise ValueError(text) from None
        preset = self.presets[known.metric.__name__]
        return preset(**{**known.options, **meant, **options})


def named(option: str) -> Meaning:
    """The parameter is the option of that name."""
    return lambda value: {option: value}


def only(allowed: Any, reason: str) -> Meaning:
    """The parameter has one value that can be had, and it is the default."""

    def meaning(value: Any) -> Mapping[str, Any]:
        if value != allowed:
            raise ValueError(f"{reason}. Only {allowed!r} can be had.")
        return {}

    return meaning


def one_of(choices: Mapping[str, Mapping[str, Any]]) -> Meaning:
    """The parameter is one of several names, each of which sets options."""

    def meaning(value: Any) -> Mapping[str, Any]:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"expected one of: {', '.join(choices)}.")
        return choices[value]

    return meaning


def never(reason: str) -> Meaning:
    """The parameter cannot be had."""

    def meaning(value: Any) -> NoReturn:
        raise ValueError(f"{reason}.")

    return meaning


def _parts(text: str, source: str) -> tuple[str, dict[str, Any]]:
    """The name of a measure, and what it is given; `@` for what follows it."""
    refused = ValueError(
        f"{text!r} is no measure. Write it as `{source}` does: a name, maybe "
        "parameters by name, maybe `@` and a number, such as `P(rel=2)@5`."
    )
    given: dict[str, Any] = {}
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            given["@"] = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:
            for keyword in node.keywords:
                if keyword.arg is None:
                    raise refused
                given[keyword.arg] = ast.literal_eval(keyword.value)
            node = node.func
    except (SyntaxError, ValueError):
        raise refused from None
    if not isinstance(node, ast.Name):
        raise refused
    return node.id, given


def _with(name: str, parameter: str, at: str) -> str:
    return f"{name}@..." if parameter == at else f"{name}({parameter}=...)"


# `Suffixed`: a convention whose source writes `ndcg_cut_10`.

CUTOFF = "k"


class Suffix(NamedTuple):
    """A measure of the source.

    Args:
        metric: the name of the metric in the convention.
        parameter: the option that the number after the name is.
        options: what the measure sets beyond the preset.
        required: whether there must be a number.
    """

    metric: str
    parameter: str | None = None
    options: Mapping[str, Any] = {}
    required: bool = False

    def options_of(self, number: str) -> dict[str, Any] | None:
        """What it sets with this number behind it; None if none may be there.

        Args:
            number: digits, or "" for no number.
        """
        if not number:
            return None if self.required else dict(self.options)
        is_cutoff = self.parameter == CUTOFF
        if self.parameter is None or (is_cutoff and not number.isdecimal()):
            return None
        value = int(number) if is_cutoff else float(number)
        return {**self.options, self.parameter: value}


class Suffixed(Convention):
    """A convention whose source writes numbers behind the names of measures.

    Args:
        *args: as for any `Convention`.
        measures: what each measure of the source is, by its name there without
            the number.
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
        """The metric that the source calls so, None if it has none.

        Args:
            text: as the source writes it, such as `"ndcg_cut_10"`,
                `"ndcg_cut.10"` or `"rbp.p=0.8"`.
            **options: further options of the metric.
        """
        for name, measure in self.measures.items():
            number = _number(text, name, measure.parameter)
            given = None if number is None else measure.options_of(number)
            if given is not None:
                preset = self.presets[measure.metric]
                metric: RankingMetric = preset(**{**given, **options})
                return metric
        return None


def _number(text: str, name: str, parameter: str | None) -> str | None:
    """Return the number after the name, "" without one, None of other names."""
    rest = text.removeprefix(name)
    if not text.startswith(name) or not rest:
        return "" if text == name else None
    number = rest[1:].removeprefix(f"{parameter}=")
    is_number = number.replace(".", "", 1).isdecimal()
    return number if rest[0] in "_.@" and is_number else None

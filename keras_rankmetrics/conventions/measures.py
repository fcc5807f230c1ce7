"""The measures of a source, and what their parameters mean here."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.conventions.presets import ByCutoff
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric

# From the value of a source's parameter to options here, or a ValueError that
# says why there are none.
Meaning = Callable[[Any], Mapping[str, Any]]


def number(text: str) -> float:
    """Return the number of a text, an integer if it has digits alone."""
    return int(text) if text.isdecimal() else float(text)


def option(name: str) -> Meaning:
    """Return the meaning of a parameter that is the option of that name."""
    return lambda value: {name: value}


@dataclasses.dataclass(frozen=True)
class Choices:
    """The meaning of a parameter that has few supported values.

    Args:
        options: the options here for each value, the default first.
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


class Measure(NamedTuple):
    """A measure of the source, and its equivalent here.

    Args:
        metric: the class. The convention has a preset for it.
        parameters: the meaning of each parameter of the measure.
        required: the parameters that the measure needs.
        options: options that the measure sets beyond those of the preset.
        at: the parameter that is written after `@`.
        default: the numbers that the source takes where none is written.
        read: reads a number that is written without the name of its parameter.
    """

    metric: type[RankingMetric]
    parameters: Mapping[str, Meaning] = {}
    required: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    at: str = "cutoff"
    default: tuple[int | str, ...] = ()
    read: Callable[[str], float] = number

    def arguments(self, grades: Sequence[float]) -> Iterator[dict[str, Any]]:
        """Yield the values of parameters that have few: {} and others.

        Args:
            grades: the thresholds of relevance to offer.
        """
        few = {
            name: [*x.options]
            for name, x in self.parameters.items()
            if isinstance(x, Choices)
        }
        for values in itertools.product(*few.values()):
            named = zip(few, values, strict=True)
            yield {name: x for name, x in named if x != few[name][0]}
        for name in self.parameters.keys() - few:
            if "relevance_threshold" in self.parameters[name](1):
                yield from ({name: grade} for grade in grades)


CUTOFF = {"cutoff": option("k")}
# Of precision that is divided by its cutoff, if any.
OVER_K = ByCutoff("k", "retrieved")


def at(metric: type[RankingMetric], **options: Any) -> Measure:
    """Return a measure that may have a cutoff."""
    return Measure(metric, CUTOFF, options=options)


def at_k(metric: type[RankingMetric], *default: int, **options: Any) -> Measure:
    """Return a measure that needs a cutoff."""
    return Measure(metric, CUTOFF, ("cutoff",), options, default=default)


def over_k(metric: type[RankingMetric], **options: Any) -> Measure:
    """Return a measure of precision that divides by its cutoff, if any."""

    def meaning(k: Any) -> Mapping[str, Any]:
        return {"k": k, "denominator": "k"}

    whole = {"denominator": "retrieved", **options}
    return Measure(metric, {"cutoff": meaning}, options=whole)

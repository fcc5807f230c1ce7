"""Presets, metrics with some options set, and the measures of a source."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from keras_rankmetrics.engine.definition import check_names
from keras_rankmetrics.engine.metric.ranking_metric import (
    ConfiguredMetric,
    RankingMetric,
)
from keras_rankmetrics.gains import binary_gain

Value = TypeVar("Value")
MetricT = TypeVar("MetricT", bound=ConfiguredMetric)
Parameters = typing.ParamSpec("Parameters")


class Required(NamedTuple):
    """Placeholder for an option that each call must set.

    Args:
        what: the value that the source expects, such as a table of the items.
    """

    what: str


class Fixed(NamedTuple):
    """An option that no call may change, as the source does not have it.

    Args:
        value: the value of the option.
        why: the rule of the source that other values do not follow.
    """

    value: Any
    why: str


SETS: Mapping[str, Any] = {
    "gain_fn": Fixed(binary_gain, "items there are relevant or not")
}


class ByCutoff(NamedTuple):
    """An option that depends on the cutoff.

    Args:
        with_k: the value with a cutoff.
        without_k: the value without one.
    """

    with_k: Any
    without_k: Any


class Preset(typing.Generic[Parameters, MetricT]):
    """A metric with some options set, called like the metric itself.

    Args:
        metric: the class.
        options: the options to set, which a call may override. `Required` marks
            an option that each call must set, `Fixed` one that no call may
            change, and `ByCutoff` one that depends on the cutoff.
        convention: the name of the convention, for errors.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> [metric.name for metric in sklearn.NDCG.at(1, 5)]
    ['ndcg@1', 'ndcg@5']
    """

    def __init__(
        self,
        metric: Callable[Parameters, MetricT],
        options: Mapping[str, Any],
        convention: str = "",
    ) -> None:
        self._convention = convention
        # Typed as a `Callable`, so that type checkers infer its parameters.
        self.metric = typing.cast(type[MetricT], metric)
        self.required: dict[str, Required] = _of_kind(Required, options)
        self.fixed: dict[str, Fixed] = _of_kind(Fixed, options)
        by_cutoff = _of_kind(ByCutoff, options)
        self.without_k: dict[str, Any] = {
            name: x.without_k for name, x in by_cutoff.items()
        }
        self.options: dict[str, Any] = {
            name: self.fixed[name].value if name in self.fixed else value
            for name, value in options.items()
            if name not in self.required
        } | {name: x.with_k for name, x in by_cutoff.items()}
        self.__doc__ = self.metric.__doc__
        self.__name__: str = self.metric.__name__
        signature = inspect.signature(metric)
        defaults = dict(signature.parameters)
        for name, value in self.options.items():
            defaults[name] = defaults[name].replace(default=value)
        self.__signature__: inspect.Signature = signature.replace(
            parameters=[*defaults.values()]
        )

    def __call__(
        self, *args: Parameters.args, **options: Parameters.kwargs
    ) -> MetricT:
        """Return the metric. Arguments override the options of the preset."""
        check_names(self.__name__, options, self.__signature__.parameters)
        bound = self.__signature__.bind_partial(*args, **options)
        return self.metric(**self._completed(bound.arguments))

    def at(self, *cutoffs: int | None, **options: Any) -> list[MetricT]:
        """Return one metric per cutoff."""
        for k in cutoffs:
            self._check_fixed({"k": k})
        if not cutoffs:
            return self.metric.at()
        found = []
        for k in cutoffs:
            completed = self._completed({**options, "k": k})
            del completed["k"]
            found += self.metric.at(k, **{**completed, **options})
        return found

    def shared(self, **options: Any) -> MetricT:
        """Return the one metric that all presets share for equal options.

        It is for what its options mean; an update would be one of all.
        """
        metric: Any = self.metric  # is hashable
        found: MetricT = _shared(
            metric, frozenset(self._completed(options).items())
        )
        return found

    def _completed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options; raise ValueError if one is missing or fixed."""
        self._check_fixed(arguments)
        for name, required in self.required.items():
            if arguments.get(name) is None:
                raise ValueError(
                    f"`{self.__name__}` needs `{name}`, {required.what}. "
                    f"Received: `{name}={arguments.get(name)!r}`."
                )
        completed = {**self.options, **arguments}
        if completed.get("k") is None:
            completed |= {**self.without_k, **arguments}
        return completed

    def _check_fixed(self, arguments: Mapping[str, Any]) -> None:
        """Raise ValueError if an argument changes a fixed option."""
        for name, (value, why) in self.fixed.items():
            if arguments.get(name, value) != value:
                own, other = map(_written, (value, arguments[name]))
                raise ValueError(
                    f"`{self.__name__}` should have `{name}={own}` in the "
                    f"convention `{self._convention}`: {why}. Received: "
                    f"`{name}={other}`. Use the class `{self.__name__}` for "
                    f"our `{name}`."
                )

    def __repr__(self) -> str:
        has_k = "k" in self.__signature__.parameters and "k" not in self.options
        parameters = [
            *(["k"] if has_k else []),
            *(
                f"{name}={_written(value)}"
                for name, value in self.options.items()
            ),
            *(f"{name}=<{x.what}>" for name, x in self.required.items()),
        ]
        return f"{self.__name__}({', '.join(parameters)})"


@functools.cache
def _shared(metric: Any, options: frozenset[tuple[str, Any]]) -> Any:
    return metric(**dict(options))


def _written(value: Any) -> str:
    """Return a value as it is written in code, a function by its name."""
    written: str = getattr(value, "__name__", repr(value))
    return written


def _of_kind(kind: type[Value], options: Mapping[str, Any]) -> dict[str, Value]:
    """Return the options of a kind."""
    return {name: x for name, x in options.items() if isinstance(x, kind)}


# The measures of a source, and what their parameters mean here.

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

"""Presets: metrics with some options set."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from keras_rankmetrics.engine.definition import check_names
from keras_rankmetrics.engine.metric.ranking_metric import ConfiguredMetric
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

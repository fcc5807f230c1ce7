"""`Defined`: an accumulator that is made from what a metric is."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, cast

import keras
import numpy as np

from keras_rankmetrics.engine.definition import Definition, takes
from keras_rankmetrics.engine.definition.options import check_class
from keras_rankmetrics.engine.definition.policies import chosen, float_dtype
from keras_rankmetrics.engine.naming.names import in_words, name_at
from keras_rankmetrics.engine.naming.saving import deserialized, serialized
from keras_rankmetrics.engine.shells.accumulator import Accumulator
from keras_rankmetrics.types import (
    Adjustment,
    EmptyPolicy,
    InputForm,
    ListWeight,
    TiePolicy,
    UnjudgedPolicy,
)

_OF_EMPTY_CLASSES = {"__module__", "__doc__"}


class Defined(Accumulator):
    """An accumulator that is made from the options of a metric.

    Subclasses say what is computed of a list, and which sums are kept. The
    parameters are described on `RankingMetric`.
    """

    short_name: ClassVar[str | None] = None
    """The default name, without k; else it is made from that of the class."""

    option_in_name: ClassVar[str | None] = None
    """The option that the default name ends with, in place of k."""

    has_upper_bound: ClassVar[bool] = True
    """Whether 1 is the best value, so that `empty="one"` has a meaning."""

    more_is_better: ClassVar[bool] = True
    """Whether a higher value is a better one."""

    turns_under: ClassVar[tuple[str, str] | None] = None
    """An option and its value under which the other direction is better."""

    needs_whole_lists: ClassVar[bool] = False
    """Whether the measure looks at all ranks, whatever `k` is."""

    by_subtopic: ClassVar[bool] = False
    """Whether labels are those of subtopics, `[..., items, subtopics]`."""

    averages_orders: ClassVar[bool] = True
    """Whether the value of tied items is the mean over their orders."""

    needs_labels: ClassVar[str | None] = None
    """What labels tell it that ids cannot, if that is so."""

    needs_k_under: ClassVar[tuple[str, str] | None] = None
    """An option and its value under which the measure needs a k."""

    strict_order_under: ClassVar[tuple[str, str] | Literal["always"] | None] = (
        None
    )
    """An option and its value under which `ties` must not be `"average"`; or
    `"always"`."""

    of_catalogue: ClassVar[str | None] = None
    """The option that tells how many items there are, if that matters."""

    common_parameters: ClassVar[frozenset[str]] = frozenset()
    """The parameters of all metrics, of which no option may have the name."""

    k = property(operator.attrgetter("definition.k"))
    ties = property(operator.attrgetter("definition.ties"))
    seed = property(operator.attrgetter("definition.seed"))
    empty = property(operator.attrgetter("definition.empty"))
    list_weight = property(operator.attrgetter("definition.list_weight"))
    adjusted = property(operator.attrgetter("definition.adjusted"))
    inputs = property(operator.attrgetter("definition.inputs"))
    unjudged = property(operator.attrgetter("definition.unjudged"))
    options = property(lambda self: dict(self.definition.options))

    def __init_subclass__(
        cls, *, abstract: bool = False, **kwargs: Any
    ) -> None:
        """Raise TypeError if the class lacks what a metric needs.

        Args:
            abstract: whether the class is only a base of other metrics. It may
                lack a measure, and cannot be constructed without one.
            **kwargs: for further bases.
        """
        super().__init_subclass__(**kwargs)
        # Spark and Ray make an empty class before they fill it. What stays
        # empty is refused when it is constructed.
        if not abstract and vars(cls).keys() - _OF_EMPTY_CLASSES:
            check_class(cls)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        adjusted: Adjustment = None,
        inputs: InputForm = "scores",
        unjudged: UnjudgedPolicy = "irrelevant",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        check_class(type(self))
        words = self.short_name or in_words(type(self).__name__)
        name = name or name_at(words, options.get(self.option_in_name or "", k))
        super().__init__(name, dtype)
        self.definition = Definition.checked(
            type(self),
            name=name,
            k=k,
            ties=ties,
            shuffle_ties=shuffle_ties,
            seed=seed,
            options=options,
            empty=empty,
            list_weight=list_weight,
            adjusted=adjusted,
            inputs=inputs,
            unjudged=unjudged,
            dtype=float_dtype(self.dtype),
        )
        # Keras reads no public attribute for this. With it, callbacks know
        # what is better.
        turned = bool(chosen(options, self.turns_under))
        self._direction = "up" if self.more_is_better != turned else "down"
        self._keep_sums(name)

    @classmethod
    def at(cls, *cutoffs: int | None, **options: Any) -> list[Self]:
        """One metric for each cutoff: `NDCG.at(1, 5, 10)` for three.

        A `name` becomes `name@1`, `name@5` and so on.
        """
        if not cutoffs or np.ndim(cast(Any, cutoffs[0])) > 0:
            received = ", ".join(map(repr, cutoffs)) or "none"
            raise ValueError(
                f"`at` takes cutoffs: `{cls.__name__}.at(1, 5, 10)`. Received: "
                f"{received}. Unpack a list by a star: `at(*cutoffs)`."
            )
        name = options.pop("name", None)
        return [
            cls(k, name=name and name_at(name, k), **options) for k in cutoffs
        ]

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raises where options do not go together."""

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same metric."""
        config = self._config()
        for name, value in self.definition.options.items():
            if callable(value):
                config[name] = serialized(value, name)
            elif isinstance(value, np.ndarray):
                config[name] = keras.saving.serialize_keras_object(value)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The metric that `get_config` describes."""
        return cls(**deserialized(config))

    def remade(self) -> Self:
        """Another one of the same definition and name, without a state."""
        return self.from_config(self._own_config())

    def _config(self) -> dict[str, Any]:
        config = {
            "name": self.name,
            "dtype": self.dtype,
            **self.definition.config,
        }
        return {n: x for n, x in config.items() if takes(type(self), n)}

    def _own_config(self) -> dict[str, Any]:
        # Functions need not be registered to be copied.
        if type(self).get_config is Defined.get_config:
            return self._config()
        options = self.definition.options.items()
        return {
            **self.get_config(),
            **{n: x for n, x in options if not _is_plain(x)},
        }


def _is_plain(value: Any) -> bool:
    return not callable(value) and not isinstance(value, np.ndarray)


Defined.common_parameters = frozenset(
    name
    for name, parameter in inspect.signature(Defined).parameters.items()
    if parameter.kind is not parameter.VAR_KEYWORD
)

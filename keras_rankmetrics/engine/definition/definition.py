"""`Definition`: what a metric is, apart from what it has seen."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping
from typing import Any, get_args

from keras_rankmetrics import gains
from keras_rankmetrics.engine.definition.common_options import (
    check_adjustment,
    check_cutoff,
    check_form,
    checked_k,
    integer_seed,
    needs_order,
    tie_policy,
)
from keras_rankmetrics.engine.definition.constructor import check_names
from keras_rankmetrics.engine.definition.options import (
    check_choice,
    check_precision,
    checked_options,
    is_plain,
    options_of,
)
from keras_rankmetrics.engine.naming.names import name_at
from keras_rankmetrics.engine.naming.signature import (
    __version__,
    fingerprint,
    signature_of,
    signature_of_class,
)
from keras_rankmetrics.engine.ranking import (
    Order,
    Ranking,
    Relevance,
    ranks_that_count,
)
from keras_rankmetrics.engine.ranking.memo import Elementwise, Identity
from keras_rankmetrics.engine.ranking.relevance import labelled, relevant
from keras_rankmetrics.types import (
    Adjustment,
    EmptyPolicy,
    GroupFn,
    InputForm,
    ListWeight,
    Reading,
    Tensor,
    TiePolicy,
    UnjudgedPolicy,
)


@dataclasses.dataclass(frozen=True, eq=False)
class Definition:
    """What a metric is: all that its number depends on, but the lists.

    Two definitions of the same things are equal. Functions are the same if they
    are the same object.

    Attributes:
        metric: the subclass of `RankingMetric`, which has the measure and the
            relevance.
        name: what the metric is called, in errors; no part of what it is.
        k: how many ranks count, or None for all.
        ties: what becomes of items of equal score.
        seed: for `ties="shuffle"`.
        options: those of the measure and the relevance, by name.
        empty: what a list without relevant items counts as.
        list_weight: what the weight of a list is.
        adjusted: `"chance"` for values on a scale where chance is 0.
        inputs: the form of the input.
        unjudged: what becomes of items that nobody has judged.
        dtype: of what is computed, `"float32"` or `"float64"`.
        by: `(y_true, y_pred)` to the group of each list; None where `y_true`
            says it, or nobody asks.
    """

    metric: type[Any]
    name: str
    k: int | None
    ties: TiePolicy
    seed: int
    options: Mapping[str, Any]
    empty: EmptyPolicy
    list_weight: ListWeight
    adjusted: Adjustment
    inputs: InputForm
    unjudged: UnjudgedPolicy
    dtype: str
    by: GroupFn | None = None

    @classmethod
    def checked(
        cls,
        metric: type[Any],
        *,
        k: Any,
        ties: Any,
        shuffle_ties: Any,
        seed: Any,
        options: Mapping[str, Any],
        empty: Any,
        list_weight: Any,
        adjusted: Any,
        inputs: Any,
        unjudged: Any,
        name: str,
        dtype: str,
    ) -> Definition:
        """What a user asks for.

        Raises:
            ValueError: if a value is none that it can have.
            TypeError: if there is no such option.
        """
        k = checked_k(k)
        options = _checked_options(metric, options)
        check_choice("empty", empty, get_args(EmptyPolicy))
        check_choice("list_weight", list_weight, get_args(ListWeight))
        check_choice("inputs", inputs, get_args(InputForm))
        check_choice("unjudged", unjudged, get_args(UnjudgedPolicy))
        if empty == "one" and not metric.has_upper_bound:
            raise ValueError(
                f'`empty="one"` has no meaning for {metric.__name__}, '
                'which has no best value. Use "zero" or "skip".'
            )
        check_cutoff(metric, k, options)
        metric.check_options(options)
        strict = needs_order(metric, options)
        if adjusted is not None:
            check_adjustment(metric, adjusted, inputs, strict)
        definition = cls(
            metric=metric,
            k=k,
            ties=tie_policy(ties, shuffle_ties, strict),
            seed=integer_seed(seed),
            options=options,
            empty=empty,
            list_weight=list_weight,
            adjusted=adjusted,
            inputs=inputs,
            unjudged=unjudged,
            name=name,
            dtype=dtype,
        )
        check_precision(options, definition.dtype)
        check_form(metric, inputs, definition.ties, definition.relevance)
        return definition

    def order(self, draw: Tensor | int) -> Order:
        """How the lists of a batch are ranked, `draw` being its number."""
        return Order(self.depth, self.ties, self.seed, draw)

    @property
    def depth(self) -> int | None:
        """How many ranks the measure looks at, None for all."""
        if self.metric.needs_whole_lists:
            return None
        return ranks_that_count(self.k)

    @property
    def catalogue(self) -> int | None:
        """How many items there are; None if that does not matter."""
        if self.metric.of_catalogue is None:
            return None
        given = self.options[self.metric.of_catalogue]
        return given if isinstance(given, int) else len(given)

    @property
    def reading(self) -> tuple[Reading, UnjudgedPolicy, str]:
        """What the reading of a batch depends on."""
        form = "subtopics" if self.metric.by_subtopic else self.inputs
        return form, self.unjudged, self.dtype

    @functools.cached_property
    def kind_of_ranking(self) -> Hashable:
        """Metrics of the same kind are answered from one ranking.

        Few ranks are found at a fraction of the cost of all.
        """
        seed = self.seed if self.ties == "shuffle" else 0
        return self.reading, self.ties, seed, self.depth is None

    @functools.cached_property
    def relevance(self) -> Relevance:
        """What a label is worth."""
        function = self.metric.relevance
        options = self._options_for(function)
        given = ((name, _key_of(self.options[name])) for name in options)
        return Relevance(
            functools.partial(function, **options),
            unseen_label=max(self.options.get("relevance_threshold", 1.0), 0.0),
            key=(Identity(function), *given),
            is_binary=function in (relevant, labelled),
            grows_from_0=options.get("gain_fn") in gains.THAT_GROW_FROM_0,
        )

    @functools.cached_property
    def measure(self) -> Callable[[Ranking], Tensor]:
        """The value of each list of a ranking."""
        measure, options = self.metric.measure, self._measure_options

        def bound(ranking: Ranking) -> Tensor:
            return measure(ranking, self.k, **options)

        return bound

    @functools.cached_property
    def may_branch(self) -> bool:
        """Whether the measure may ask the ranking in a branch."""
        return not _is_of_the_package(self.metric.measure)

    @functools.cached_property
    def signature(self) -> str:
        """All that the number depends on, in one line that can be quoted."""
        metric, condenses = self.metric, self.unjudged == "condense"
        name = signature_of_class(metric, metric.measure, metric.relevance)
        parts = {
            **{_short(name): value for name, value in self.options.items()},
            "ties": self.ties,
            **({"seed": self.seed} if self.ties == "shuffle" else {}),
            "empty": self.empty,
            "list_weight": self.list_weight,
            **({"adjusted": self.adjusted} if self.adjusted else {}),
            "inputs": self.inputs,
            **({"unjudged": "condense"} if condenses else {}),
            **({"dtype": self.dtype} if self.dtype == "float64" else {}),
            gains.PACKAGE: __version__,
        }
        return "|".join(
            [
                name_at(name, self.k),
                *(f"{key}:{_quoted(value)}" for key, value in parts.items()),
            ]
        )

    @property
    def config(self) -> dict[str, Any]:
        """The arguments of the constructor, functions as they are."""
        return {
            "k": self.k,
            "seed": self.seed,
            "ties": self.ties,
            "empty": self.empty,
            "list_weight": self.list_weight,
            "adjusted": self.adjusted,
            "inputs": self.inputs,
            "unjudged": self.unjudged,
            **self.options,
        }

    @functools.cached_property
    def _key(self) -> Hashable:
        options = ((n, _key_of(x)) for n, x in self.options.items())
        plain = (x for n, x in self.config.items() if n not in self.options)
        return self.metric, self.dtype, Identity(self.by), *plain, *options

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self._key == other._key

    @functools.cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _measure_options(self) -> dict[str, Any]:
        return self._options_for(self.metric.measure)

    def _options_for(self, function: Callable[..., Tensor]) -> dict[str, Any]:
        options = {name: self.options[name] for name in options_of(function)}
        return {
            name: Elementwise(value, name)
            if callable(value) and not _is_of_the_package(value)
            else value
            for name, value in options.items()
        }


def _checked_options(
    metric: type[Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    checked = {
        **checked_options(metric.relevance, options),
        **checked_options(metric.measure, options),
    }
    taken = set(checked) & metric.common_parameters
    if taken:
        raise TypeError(
            f"`{min(taken)}` cannot be an option of the measure or "
            f"relevance of {metric.__name__}: every metric has a "
            "parameter of that name. Give it another one."
        )
    known = [*checked, *sorted(metric.common_parameters)]
    check_names(metric.__name__, options, known)
    return checked


def _short(option: str) -> str:
    return {"gain_fn": "gain", "rank_discount_fn": "discount"}.get(
        option, option
    )


def _quoted(value: Any) -> str:
    if callable(value):
        return signature_of(value)
    if not is_plain(value):
        return fingerprint(value)
    return ",".join(map(str, value)) if type(value) is tuple else str(value)


def _key_of(value: Any) -> Hashable:
    """Rather two keys for one value than one for two."""
    return (type(value), value) if is_plain(value) else Identity(value)


def _is_of_the_package(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module.startswith(f"{gains.PACKAGE}.")

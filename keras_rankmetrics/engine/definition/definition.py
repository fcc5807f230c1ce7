"""`Definition`: everything that the result of a metric depends on but data."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping
from typing import Any, get_args

from keras_rankmetrics import gains
from keras_rankmetrics.engine.definition.common_options import (
    Traits,
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
from keras_rankmetrics.version import __version__

_CHOICES = {
    "empty": EmptyPolicy,
    "list_weight": ListWeight,
    "inputs": InputForm,
    "unjudged": UnjudgedPolicy,
}
# The arguments of the constructor that all metrics have in their config.
_COMMON = ("k", "seed", "ties", "adjusted", *_CHOICES)


@dataclasses.dataclass(frozen=True, eq=False)
class Definition:
    """Everything that the result of a metric depends on, except the data.

    Definitions with the same contents are equal. Functions are compared by
    identity.

    Attributes:
        traits: the functions and declarations of the metric's class.
        name: the name of the metric in errors; not compared.
        k: the cutoff, or None for all ranks.
        ties: the policy for tied scores.
        seed: the seed of `ties="shuffle"`.
        options: the options of the measure and the relevance, by name.
        empty: the policy for lists without relevant items.
        list_weight: the definition of a list's weight.
        adjusted: `"chance"` for values rescaled so that chance level is 0.
        inputs: the form of the input.
        unjudged: the policy for unjudged items.
        dtype: the dtype of the computation, `"float32"` or `"float64"`.
        by: a function `(y_true, y_pred)` that returns the group of each list;
            None if `y_true` holds the groups or there are none.
    """

    traits: Traits
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
        **others: Any,
    ) -> Definition:
        """Return the definition for the arguments of a metric's constructor.

        Args:
            metric: the class of the metric.
            k: the cutoff.
            ties: the policy for tied scores.
            shuffle_ties: the same argument in keras_rs.
            seed: the seed of `ties="shuffle"`.
            options: the options of the measure and the relevance.
            **others: the other attributes.

        Raises:
            ValueError: if an argument has an invalid value.
            TypeError: if an option does not exist.
        """
        traits = Traits.of(metric)
        k = checked_k(k)
        options = _checked_options(traits, metric.common_parameters, options)
        for name, values in _CHOICES.items():
            check_choice(name, others[name], get_args(values))
        if others["empty"] == "one" and not traits.has_upper_bound:
            raise ValueError(
                f'`empty="one"` has no meaning for {traits.class_name}, '
                'which has no best value. Use "zero" or "skip".'
            )
        check_cutoff(traits, k, options)
        metric.check_options(options)
        strict = needs_order(traits, options)
        if others["adjusted"] is not None:
            check_adjustment(
                traits, others["adjusted"], others["inputs"], strict
            )
        definition = cls(
            traits=traits,
            k=k,
            ties=tie_policy(ties, shuffle_ties, strict),
            seed=integer_seed(seed),
            options=options,
            **others,
        )
        check_precision(options, definition.dtype)
        check_form(
            traits, definition.inputs, definition.ties, definition.relevance
        )
        return definition

    def order(self, draw: Tensor | int) -> Order:
        """Return how to order a batch; `draw` is the number of the batch."""
        return Order(self.depth, self.ties, self.seed, draw)

    @property
    def depth(self) -> int | None:
        """The number of ranks that the measure uses, or None for all."""
        if self.traits.needs_whole_lists:
            return None
        return ranks_that_count(self.k)

    @property
    def catalogue(self) -> int | None:
        """The size of the catalogue, or None if the metric does not need it."""
        if self.traits.of_catalogue is None:
            return None
        items = self.options[self.traits.of_catalogue]
        return items if isinstance(items, int) else len(items)

    @property
    def reading(self) -> tuple[Reading, UnjudgedPolicy, str]:
        """The settings that determine how a batch is read."""
        form = "subtopics" if self.traits.by_subtopic else self.inputs
        return form, self.unjudged, self.dtype

    @functools.cached_property
    def kind_of_ranking(self) -> Hashable:
        """A key; metrics with the same key share one ranking.

        The key separates a few ranks from all, since a few cost far less.
        """
        seed = self.seed if self.ties == "shuffle" else 0
        return self.reading, self.ties, seed, self.depth is None

    @functools.cached_property
    def relevance(self) -> Relevance:
        """The relevance function with its options."""
        function = self.traits.relevance
        options = self._options_for(function)
        values = ((name, _key_of(self.options[name])) for name in options)
        return Relevance(
            functools.partial(function, **options),
            unseen_label=max(self.options.get("relevance_threshold", 1.0), 0.0),
            key=(Identity(function), *values),
            is_binary=function in (relevant, labelled),
            grows_from_0=options.get("gain_fn") in gains.THAT_GROW_FROM_0,
        )

    @functools.cached_property
    def measure(self) -> Callable[[Ranking, int | None], Tensor]:
        """The measure with its options, a function of ranking and cutoff."""
        measure = self.traits.measure
        return functools.partial(measure, **self._options_for(measure))

    @functools.cached_property
    def may_branch(self) -> bool:
        """True if the measure may use the ranking within a branch."""
        return not _is_of_the_package(self.traits.measure)

    @functools.cached_property
    def signature(self) -> str:
        """Everything that the result depends on, in one line to quote."""
        traits, condenses = self.traits, self.unjudged == "condense"
        name = signature_of_class(
            traits.metric, traits.measure, traits.relevance
        )
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
        """The arguments of the constructor; functions are not serialised."""
        return {**{n: getattr(self, n) for n in _COMMON}, **self.options}

    @functools.cached_property
    def _key(self) -> Hashable:
        options = ((n, _key_of(x)) for n, x in self.options.items())
        common = (getattr(self, name) for name in _COMMON)
        # The class stands for its functions.
        metric = self.traits.metric
        return metric, self.dtype, Identity(self.by), *common, *options

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self._key == other._key

    @functools.cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def _options_for(self, function: Callable[..., Tensor]) -> dict[str, Any]:
        options = {name: self.options[name] for name in options_of(function)}
        return {
            name: Elementwise(value, name)
            if callable(value) and not _is_of_the_package(value)
            else value
            for name, value in options.items()
        }


def _checked_options(
    traits: Traits, common: frozenset[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    checked = {
        **checked_options(traits.relevance, options),
        **checked_options(traits.measure, options),
    }
    taken = set(checked) & common
    if taken:
        raise TypeError(
            f"`{min(taken)}` cannot be an option of the measure or "
            f"relevance of {traits.class_name}: every metric has a "
            "parameter of that name. Rename the option."
        )
    check_names(traits.class_name, options, [*checked, *sorted(common)])
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
    """Return a key; two for one value do less harm than one for two values."""
    return (type(value), value) if is_plain(value) else Identity(value)


def _is_of_the_package(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module.startswith(f"{gains.PACKAGE}.")

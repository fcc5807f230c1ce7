"""`Definition`: everything that the result of a metric depends on but data."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, Self, get_args

import keras

from keras_rankmetrics import gains, types
from keras_rankmetrics.engine import naming
from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.definition.constructor import check_names
from keras_rankmetrics.engine.definition.options import (
    as_code,
    check_choice,
    check_precision,
    checked_options,
    invalid,
    is_plain,
    options_of,
)
from keras_rankmetrics.engine.ranking.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import (
    Elementwise,
    Identity,
    Relevance,
    gain,
    labelled,
    probability,
    relevance_probability,
    relevant,
    stop_probability,
)
from keras_rankmetrics.engine.ranking.ties import Order
from keras_rankmetrics.engine.ranking.top import ranks_that_count
from keras_rankmetrics.types import Tensor
from keras_rankmetrics.version import __version__

_CHOICES = {
    "empty": types.EmptyPolicy,
    "list_weight": types.ListWeight,
    "inputs": types.InputForm,
    "unjudged": types.UnjudgedPolicy,
    "labels": types.Labels,
}
# The arguments of the constructor that all metrics have in their config.
_COMMON = ("k", "seed", "ties", "adjusted", *_CHOICES)
# Other functions of labels take those from 0 to 1 as they are, or refuse them.
_OF_GRADES = (gain, stop_probability, relevance_probability)
# A discount is checked at so many ranks, and may grow by rounding.
_MANY_RANKS = 1000
_ROUNDING = 1e-6
# The names of options in signatures.
_SHORT = {"gain_fn": "gain", "rank_discount_fn": "discount"}


@dataclasses.dataclass(frozen=True, eq=False)
class Traits:
    """The functions and declarations of a metric's class.

    They are the class attributes of these names, which `RankingMetric`
    describes.

    Attributes:
        metric: the class itself, for its name and its signature.
    """

    metric: type[Any]
    measure: Callable[..., Tensor]
    expected_measure: Callable[..., Tensor] | None
    relevance: Callable[..., Tensor]
    has_value: Callable[[Ranking], Tensor]
    has_upper_bound: bool
    more_is_better: bool
    needs_whole_lists: bool
    whole_lists_under: tuple[str, str] | None
    reads: types.Truth | None
    own_weight: Callable[[Ranking], Tensor] | None
    averages_orders: bool
    needs_labels: str | None
    needs_k_under: tuple[str, str] | None
    strict_order_under: tuple[str, str] | Literal["always"] | None
    of_catalogue: str | None

    @classmethod
    def of(cls, metric: type[Any]) -> Self:
        """Return the traits of a subclass of `RankingMetric`."""
        _, *others = (field.name for field in dataclasses.fields(cls))
        return cls(metric, *(getattr(metric, name) for name in others))

    @property
    def one_is_best(self) -> bool:
        """True if 1 is the best value."""
        return self.has_upper_bound and self.more_is_better

    def needs_order(self, options: Mapping[str, Any]) -> str:
        """Return the option or class that needs a strict order, else ""."""
        if self.strict_order_under == "always":
            return self.metric.__name__
        return chosen(options, self.strict_order_under)


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
        labels: the meaning of the labels, grades or probabilities.
        dtype: the dtype of the computation, `"float32"` or `"float64"`.
        by: a function `(y_true, y_pred)` that returns the group of each list;
            None if `y_true` holds the groups or there are none.
    """

    traits: Traits
    name: str
    k: int | None
    ties: types.TiePolicy
    seed: int
    options: Mapping[str, Any]
    empty: types.EmptyPolicy
    list_weight: types.ListWeight
    adjusted: types.Adjustment
    inputs: types.InputForm
    unjudged: types.UnjudgedPolicy
    labels: types.Labels
    dtype: str
    by: types.GroupFn | None = None

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
        traits, k = Traits.of(metric), _checked_k(k)
        options = _checked_options(traits, metric.common_parameters, options)
        for name, values in _CHOICES.items():
            check_choice(name, others[name], get_args(values))
        strict = traits.needs_order(options)
        definition = cls(
            traits=traits,
            k=k,
            ties=_tie_policy(ties, shuffle_ties, strict),
            seed=_integer_seed(seed),
            options=options,
            **others,
        )
        if definition.empty == "one" and not traits.one_is_best:
            raise ValueError(
                f'`empty="one"` has no meaning for {metric.__name__}, which '
                'does not have 1 as its best value. Use "zero" or "skip".'
            )
        _check_cutoff(definition)
        metric.check_options(options)
        _check_functions(definition)
        if definition.adjusted is not None:
            _check_adjustment(definition, strict)
        if definition.labels == "probabilities":
            _check_probabilities(definition)
        check_precision(options, definition.dtype)
        if definition.inputs != "scores":
            _check_form(definition)
        return definition

    def order(self, draw: Tensor | int) -> Order:
        """Return how to order a batch; `draw` is the number of the batch."""
        return Order(self.depth, self.ties, self.seed, draw)

    @property
    def depth(self) -> int | None:
        """The number of ranks that the measure uses, or None for all."""
        traits = self.traits
        if traits.needs_whole_lists or chosen(
            self.options, traits.whole_lists_under
        ):
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
    def reading(self) -> tuple[types.Reading, types.UnjudgedPolicy, str]:
        """The settings that determine how a batch is read."""
        form: types.Reading = self.traits.reads or self.inputs
        if form == "two_rankings" and self.inputs == "ids":
            form = "two_id_rankings"
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
        if self.labels == "probabilities":
            return Relevance(probability, key=probability, grows_from_0=True)
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
    def needs_grades(self) -> str:
        """The error for items that are only relevant or not; "" if suitable."""
        relevant, other = ops.unstack(self.relevance(ops.array([1.0, 0.0])))
        if not concrete((relevant <= 0) | (other > 0)):
            return ""
        return (
            f'With `inputs="{self.inputs}"`, relevant items have the label 1 '
            "and all others the label 0. The first should have a positive gain "
            "and the others the gain 0. Received: options of "
            f"{self.traits.metric.__name__} with the gains {float(relevant)} "
            f"and {float(other)}."
        )

    def misreads(self, share: float | None) -> str | None:
        """Return the error for a label between 0 and 1; None if suitable."""
        if share is None or self.labels == "probabilities":
            return None
        if self.options.get("gain_fn") is gains.binary_gain:
            return (
                "Labels should be 0, or at least 1, from where on "
                "`gain_fn=binary_gain` is 1. Received: a label of "
                f"{share:g} for the metric {self.name}, which has no gain. "
                "Pass labels of 0 and 1, such as `labels >= 0.5`, or another "
                "`gain_fn`."
            )
        if self.options.get("relevance_threshold") != 1:
            return None
        hint = "If it is a probability, construct the metric with "
        hint += '`labels="probabilities"`. '
        return (
            "Labels should be 0, or at least the default `relevance_threshold` "
            f"of 1. Received: a label of {share:g} for the metric {self.name}, "
            "which counts it as irrelevant. "
            f"{hint * (self.traits.expected_measure is not None)}"
            "If it is a grade, construct the metric with the lowest relevant "
            "grade, such as `relevance_threshold=0.5`; if it is irrelevant, "
            "with a threshold between it and 1. In a name, options are in "
            'parentheses: `"P(relevance_threshold=0.5)@10"`.'
        )

    @property
    def reads_grades(self) -> bool:
        """True if labels are grades, with the gain that the class has."""
        constructor: Callable[..., Any] = self.traits.metric
        defaults = options_of(constructor)
        return (
            self.labels == "grades"
            and self.traits.relevance in _OF_GRADES
            and self.options.get("gain_fn") == defaults.get("gain_fn")
        )

    @functools.cached_property
    def measure(self) -> Callable[[Ranking, int | None], Tensor]:
        """The measure with its options, a function of ranking and cutoff."""
        measure = self._measure
        return functools.partial(measure, **self._options_for(measure))

    @property
    def _measure(self) -> Callable[..., Tensor]:
        is_expected = self.labels == "probabilities"
        expected = self.traits.expected_measure if is_expected else None
        return expected or self.traits.measure

    @functools.cached_property
    def function_of_user(self) -> str:
        """The name of a function of the user that values depend on, or ""."""
        expected = self._measure is self.traits.expected_measure
        functions = {
            "expected_measure" if expected else "measure": self._measure,
            "relevance": self.traits.relevance,
            **{name: x for name, x in self.options.items() if callable(x)},
        }
        names = (n for n, x in functions.items() if not is_of_the_package(x))
        return next(names, "")

    @functools.cached_property
    def own_weight(self) -> Callable[[Ranking], Tensor] | None:
        """The factor of a list's weight with its options, or None."""
        factor = self.traits.own_weight
        return factor and functools.partial(factor, **self._options_for(factor))

    @functools.cached_property
    def signature(self) -> str:
        """Everything that the result depends on, in one line to quote."""
        cls, measure = self.traits.metric, self.traits.measure
        name = naming.signature_of_class(cls, measure, self.traits.relevance)
        options = [
            f"{_SHORT.get(option, option)}:{_quoted(value)}"
            for option, value in self.options.items()
        ]
        settings = {
            "ties": self.ties,
            "seed": self.seed if self.ties == "shuffle" else None,
            "empty": self.empty,
            "list_weight": self.list_weight,
            "adjusted": self.adjusted,
            "labels": None if self.labels == "grades" else self.labels,
            "inputs": self.inputs,
            "unjudged": "condense" if self.unjudged == "condense" else None,
            "dtype": "float64" if self.dtype == "float64" else None,
            gains.PACKAGE: __version__,
        }
        common = [f"{n}:{x}" for n, x in settings.items() if x is not None]
        return "|".join([naming.name_at(name, self.k), *options, *common])

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
            if callable(value) and not is_of_the_package(value)
            else value
            for name, value in options.items()
        }


def _checked_options(
    traits: Traits, common: frozenset[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    name = traits.metric.__name__
    checked = {
        **checked_options(traits.relevance, options),
        **checked_options(traits.measure, options),
    }
    taken = set(checked) & common
    if taken:
        raise TypeError(
            f"`{min(taken)}` cannot be an option of the measure or "
            f"relevance of {name}: every metric has a parameter of that name. "
            "Rename the option."
        )
    check_names(name, options, [*checked, *sorted(common)])
    return checked


def _quoted(value: Any) -> str:
    if callable(value):
        return naming.signature_of(value)
    if not is_plain(value):
        return naming.fingerprint(value)
    return ",".join(map(str, value)) if type(value) is tuple else str(value)


def _key_of(value: Any) -> Hashable:
    """Return a key; two for one value do less harm than one for two values."""
    return (type(value), value) if is_plain(value) else Identity(value)


def is_of_the_package(function: Any) -> bool:
    """Return True for functions of this package, False for those of users."""
    module = getattr(function, "__module__", None) or ""
    return module.startswith(f"{gains.PACKAGE}.")


def _checked_k(k: Any) -> int | None:
    whole = None if k is None else as_integer(k)
    if k is not None and (whole is None or whole < 1):
        raise invalid("k", "a positive integer or None", k)
    return whole


def _integer_seed(seed: Any) -> int:
    """Return the seed as a plain int, 0 for None."""
    if isinstance(seed, keras.random.SeedGenerator):
        seed = seed.get_config()["seed"]
    whole = 0 if seed is None else as_integer(seed)
    if whole is None:
        expected = "an integer, a `keras.random.SeedGenerator` or None"
        raise invalid("seed", expected, seed)
    return whole


def _tie_policy(ties: Any, shuffle_ties: Any, strict: str) -> types.TiePolicy:
    """Return the policy for tied scores.

    Args:
        ties: the argument `ties`.
        shuffle_ties: the argument of the same meaning in keras_rs.
        strict: the option or class that needs a strict order, or "".

    Raises:
        ValueError: if a value is invalid, or the two arguments disagree.
    """
    if shuffle_ties not in (None, True, False):
        raise invalid("shuffle_ties", "True, False or None", shuffle_ties)
    if ties is not None:
        check_choice("ties", ties, get_args(types.TiePolicy))
    if strict and ties == "average":
        raise ValueError(
            f'`{strict}` has no closed form under `ties="average"`, since it '
            "depends on the order of tied items. Use another `ties`."
        )
    if shuffle_ties is None:
        return ties or ("stable" if strict else "average")
    spelled: types.TiePolicy = "shuffle" if shuffle_ties else "stable"
    if ties not in (None, spelled):
        raise ValueError(
            f'`shuffle_ties={shuffle_ties}` means `ties="{spelled}"`. Received '
            f'also: ties="{ties}". Remove one of them.'
        )
    return spelled


def _check_cutoff(definition: Definition) -> None:
    """Raise ValueError if an option needs a cutoff and there is none."""
    traits = definition.traits
    needs_k = chosen(definition.options, traits.needs_k_under)
    if needs_k and definition.k is None:
        name = needs_k.partition("=")[0]
        default = options_of(traits.measure)[name]
        raise ValueError(
            f"`{needs_k}` needs a `k`. Received: `k` = None. Pass a `k`, or "
            f"use `{name}={as_code(default)}`."
        )


def _check_functions(definition: Definition) -> None:
    """Raise ValueError if a function of a user turns the metric round."""
    options = definition.options
    gain_fn = options.get("gain_fn", gains.linear_gain)
    if gain_fn not in (gains.linear_gain, gains.exponential_gain):
        _check_gain(definition, gain_fn)
    discount = options.get("rank_discount_fn", gains.log2_discount)
    if all(discount is not each for each in gains.SHARED_DISCOUNTS):
        _check_discount(definition, discount)


def _check_gain(definition: Definition, gain_fn: types.GainFn) -> None:
    """Raise ValueError if the label 1 has a lower gain than the label 0.

    Tables of gains may lack other labels, and gains may begin above 1.
    """
    labels = ops.array([[0.0, 1.0]], dtype=definition.dtype)
    try:
        values = (Elementwise(gain_fn, "gain_fn")(labels) + 0 * labels)[0]
    except ValueError:  # a function that fails does so again in updates
        return
    if concrete(values[1] < values[0]):
        raise ValueError(
            "`gain_fn` should grow with the label, so that the best order has "
            f"the highest labels first. Received: {gain_fn!r}, which is "
            f"{float(values[0]):g} for the label 0 and {float(values[1]):g} "
            "for the label 1. Return the gain of a label, such as "
            "`2.0**label - 1`."
        )


def _check_discount(
    definition: Definition, discount: types.RankDiscountFn
) -> None:
    """Raise ValueError if a discount is infinite or, with gains, grows.

    Sums over clicks are of any function of ranks, also of the ranks themselves.
    """
    last = min(definition.k or _MANY_RANKS, _MANY_RANKS)
    ranks = ops.arange(1, last + 1, dtype=definition.dtype)
    try:
        values = Elementwise(discount, "rank_discount_fn")(ranks) + 0 * ranks
    except ValueError:  # a function that fails does so again in updates
        return
    grows = values[1:] > values[:-1] + _ROUNDING * ops.abs(values[:-1])
    has_gains = "gain_fn" in definition.options
    has_best = definition.traits.one_is_best or has_gains
    if has_best and concrete(ops.any(grows)):
        rank = int(ops.argmax(ops.cast(grows, "int32")))
        raise ValueError(
            "`rank_discount_fn` should not grow with the rank, so that the "
            "best order has the highest labels first. Received: "
            f"{discount!r}, which is {float(values[rank]):g} at rank "
            f"{rank + 1} and {float(values[rank + 1]):g} at rank {rank + 2}. "
            "Pass the factor of a gain, such as `1 / rank`."
        )
    is_finite = ops.isfinite(values)
    if concrete(ops.any(~is_finite)):
        rank = int(ops.argmin(ops.cast(is_finite, "int32")))
        raise ValueError(
            "`rank_discount_fn` should be finite at all ranks, of which 1 is "
            f"the first. Received: {discount!r}, which is "
            f"{float(values[rank]):g} at rank {rank + 1}. Add 1 to a rank "
            "whose logarithm you take."
        )


def _check_adjustment(definition: Definition, strict: str) -> None:
    """Raise ValueError if the chance level is not available.

    Args:
        definition: the definition, with the argument `adjusted`.
        strict: as for `_tie_policy`.
    """
    check_choice("adjusted", definition.adjusted, ("chance",))
    traits, inputs = definition.traits, definition.inputs
    name = traits.metric.__name__
    if not traits.one_is_best:
        reason = f"{name} does not have 1 as its best value"
    elif not traits.averages_orders:
        reason = f"{name} of tied items has no mean over their orders"
    elif strict:
        reason = f"`{strict}` has no exact mean over all orders"
    elif inputs == "ids":
        reason = '`inputs="ids"` does not include the candidate items'
    else:
        return
    raise ValueError(
        f'`adjusted="chance"` is not available: {reason}. Received: {name} '
        f'with inputs="{inputs}". Remove `adjusted`.'
    )


def _check_probabilities(definition: Definition) -> None:
    """Raise ValueError if there is no expectation over labellings."""
    traits, options = definition.traits, definition.options
    name, expected = traits.metric.__name__, traits.expected_measure
    if expected is None:
        raise ValueError(
            'With `labels="probabilities"`, a metric needs the expectation of '
            f"its value over all labellings. Received: {name}, which has none. "
            "Define an `expected_measure` in the class, or leave `labels` out."
        )
    if definition.ties in ("optimistic", "pessimistic"):
        raise ValueError(
            'With `labels="probabilities"`, `ties` should not order items by '
            f'their labels, which are unknown. Received: "{definition.ties}". '
            'Use "average", or order the items yourself and use "stable".'
        )
    values = definition.config
    only = {"adjusted": None, "inputs": "scores"}
    only |= options_of(traits.relevance) | options_of(traits.measure)
    free = {"gain_fn", *options_of(expected)}
    for option in sorted(only.keys() - free):
        if values[option] != only[option]:
            raise ValueError(
                f'With `labels="probabilities"`, {name} needs '
                f"`{option}={as_code(only[option])}`. Received: "
                f"`{option}={as_code(values[option])}`. Leave `{option}` out."
            )
    gain_fn = options.get("gain_fn", gains.linear_gain)
    if [float(gain_fn(ops.array(x))) for x in (0.0, 1.0)] != [0.0, 1.0]:
        raise ValueError(
            'With `labels="probabilities"`, `gain_fn` should be 0 for the '
            "label 0 and 1 for the label 1: an item is relevant or not. "
            f"Received: {gain_fn!r}. Leave `gain_fn` out."
        )


def _check_form(definition: Definition) -> None:
    """Raise ValueError if a form without labels lacks what the metric needs."""
    traits, inputs, ties = definition.traits, definition.inputs, definition.ties
    name = traits.metric.__name__
    if traits.needs_labels:
        raise ValueError(
            f"{name} needs {traits.needs_labels}. Received: "
            f'`inputs="{inputs}"`. Use "scores".'
        )
    if traits.reads == "two_rankings" and inputs != "ids":
        raise ValueError(
            f"{name} compares two rankings: scores of the same items, or ids, "
            f'best first. Received: `inputs="{inputs}"`. Use "scores" or "ids".'
        )
    if inputs == "counts" and traits.of_catalogue:
        raise ValueError(
            f"{name} needs the ids of the items that are shown. Received: "
            '`inputs="counts"`, which holds only the ranks of relevant ones. '
            'Use "sparse" or "ids".'
        )
    if inputs == "counts" and ties in ("stable", "shuffle"):
        raise ValueError(
            f'`ties="{ties}"` needs the order of tied items. Received: {name} '
            'with `inputs="counts"`, which holds only their number. Use '
            '"average", "optimistic" or "pessimistic".'
        )
    # The labels of ids, if there are any, come with each batch.
    if definition.needs_grades and inputs != "ids":
        raise ValueError(definition.needs_grades)


def chosen(options: Mapping[str, Any], option: tuple[str, str] | None) -> str:
    """Return `name="value"` if the option has this value, else ""."""
    if option is None or options.get(option[0]) != option[1]:
        return ""
    return '{}="{}"'.format(*option)

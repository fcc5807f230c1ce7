"""The traits of a metric's class, and checks of the common parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal, Self, get_args

import keras

from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.definition.options import (
    as_code,
    check_choice,
    options_of,
)
from keras_rankmetrics.engine.ranking import Ranking, Relevance
from keras_rankmetrics.types import Tensor, TiePolicy


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
    relevance: Callable[..., Tensor]
    has_value: Callable[[Ranking], Tensor]
    has_upper_bound: bool
    needs_whole_lists: bool
    by_subtopic: bool
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
    def class_name(self) -> str:
        """The name of the class, for errors."""
        return self.metric.__name__


def checked_k(k: Any) -> int | None:
    """Return the cutoff as a plain int, or None."""
    whole = None if k is None else as_integer(k)
    if k is not None and (whole is None or whole < 1):
        raise ValueError(
            f"`k` should be a positive integer or None. Received: `k` = {k!r}."
        )
    return whole


def tie_policy(ties: Any, shuffle_ties: Any, strict: str) -> TiePolicy:
    """Return the policy for tied scores.

    Args:
        ties: the argument `ties`.
        shuffle_ties: the argument of the same meaning in keras_rs.
        strict: the option or class that needs a strict order, or "".

    Raises:
        ValueError: if a value is invalid, or the two arguments disagree.
    """
    if shuffle_ties not in (None, True, False):
        raise ValueError(
            "`shuffle_ties` should be True, False or None. Received: "
            f"{shuffle_ties!r}."
        )
    if ties is not None:
        check_choice("ties", ties, get_args(TiePolicy))
    if strict and ties == "average":
        raise ValueError(
            f'`{strict}` has no closed form under `ties="average"`, since it '
            "depends on the order of tied items. Use another `ties`."
        )
    if shuffle_ties is None:
        return ties or ("stable" if strict else "average")
    spelled: TiePolicy = "shuffle" if shuffle_ties else "stable"
    if ties not in (None, spelled):
        raise ValueError(
            f'`shuffle_ties={shuffle_ties}` means `ties="{spelled}"`. Received '
            f'also: ties="{ties}". Remove one of them.'
        )
    return spelled


def check_adjustment(
    traits: Traits, adjusted: Any, inputs: str, strict: str
) -> None:
    """Raise ValueError if the chance level is not available.

    Args:
        traits: the traits of the metric.
        adjusted: the argument `adjusted`.
        inputs: the form of the input.
        strict: as for `tie_policy`.
    """
    check_choice("adjusted", adjusted, ("chance",))
    name = traits.class_name
    reason = ""
    if not traits.has_upper_bound:
        reason = f"{name} has no best value"
    elif not traits.averages_orders:
        reason = f"{name} of tied items is no mean over their orders"
    elif strict:
        reason = f"`{strict}` has no exact mean over all orders"
    elif inputs == "ids":
        reason = '`inputs="ids"` does not include the candidate items'
    if reason:
        raise ValueError(
            f'`adjusted="chance"` is not available: {reason}. Received: '
            f'{name} with inputs="{inputs}". Remove `adjusted`.'
        )


def check_form(
    traits: Traits, inputs: str, ties: TiePolicy, relevance: Relevance
) -> None:
    """Raise ValueError if a form of input lacks what the metric needs.

    Args:
        traits: the traits of the metric.
        inputs: the form of the input.
        ties: the policy for tied scores.
        relevance: the relevance function of the metric.
    """
    if inputs == "scores":
        return
    if traits.needs_labels:
        raise ValueError(
            f"{traits.class_name} needs {traits.needs_labels}. "
            f'Received: `inputs="{inputs}"`. Use "scores".'
        )
    if inputs == "counts":
        _check_counted(traits, ties)
    relevant, other = ops.unstack(relevance(ops.array([1.0, 0.0])))
    if concrete((relevant <= 0) | (other > 0)):
        raise ValueError(
            f'With `inputs="{inputs}"`, relevant items have the label 1 and '
            "all others the label 0. The first should have a positive gain and "
            f"the others the gain 0. Received: options of {traits.class_name} "
            f"with the gains {float(relevant)} and {float(other)}."
        )


def _check_counted(traits: Traits, ties: TiePolicy) -> None:
    """Raise ValueError if the metric needs ids or the order of tied items."""
    if traits.of_catalogue:
        raise ValueError(
            f"{traits.class_name} needs the ids of the items that are shown. "
            'Received: `inputs="counts"`, which holds only the ranks of '
            'relevant ones. Use "sparse" or "ids".'
        )
    if ties not in ("average", "optimistic", "pessimistic"):
        raise ValueError(
            f'`ties="{ties}"` needs the order of tied items. Received: '
            f'{traits.class_name} with `inputs="counts"`, which holds only '
            'their number. Use "average", "optimistic" or "pessimistic".'
        )


def check_cutoff(
    traits: Traits, k: int | None, options: Mapping[str, Any]
) -> None:
    """Raise ValueError if an option needs a cutoff and there is none."""
    needs_k = chosen(options, traits.needs_k_under)
    if needs_k and k is None:
        name = needs_k.partition("=")[0]
        default = options_of(traits.measure)[name]
        raise ValueError(
            f"`{needs_k}` needs a `k`. Received: `k` = None. Pass a `k`, or "
            f"use `{name}={as_code(default)}`."
        )


def integer_seed(seed: Any) -> int:
    """Return the seed as a plain int, 0 for None."""
    if isinstance(seed, keras.random.SeedGenerator):
        seed = seed.get_config()["seed"]
    if seed is None:
        return 0
    whole = as_integer(seed)
    if whole is None:
        raise ValueError(
            "`seed` should be an integer, a `keras.random.SeedGenerator` or "
            f"None. Received: {seed!r}."
        )
    return whole


def float_dtype(dtype: str) -> str:
    """Return float64 or float32; half precision is too coarse for sums."""
    return "float64" if dtype == "float64" else "float32"


def needs_order(traits: Traits, options: Mapping[str, Any]) -> str:
    """Return the option or class that needs a strict order, else ""."""
    if traits.strict_order_under == "always":
        return traits.class_name
    return chosen(options, traits.strict_order_under)


def chosen(options: Mapping[str, Any], option: tuple[str, str] | None) -> str:
    """Return `name="value"` if the option has this value, else ""."""
    if option is None or options.get(option[0]) != option[1]:
        return ""
    return '{}="{}"'.format(*option)

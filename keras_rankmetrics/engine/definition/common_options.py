"""The parameters that all metrics have, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import keras

from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.backend.tracing import concrete
from keras_rankmetrics.engine.definition.options import check_choice, options_of
from keras_rankmetrics.engine.ranking import Relevance
from keras_rankmetrics.types import TiePolicy


def checked_k(k: Any) -> int | None:
    """The cutoff as a plain int, or None."""
    whole = None if k is None else as_integer(k)
    if k is not None and (whole is None or whole < 1):
        raise ValueError(
            f"`k` should be a positive integer or None. Received: `k` = {k!r}."
        )
    return whole


def tie_policy(ties: Any, shuffle_ties: Any, strict: str) -> TiePolicy:
    """What becomes of items of equal score.

    Args:
        ties: as the user passed it.
        shuffle_ties: the spelling of keras_rs.
        strict: what needs a strict order, an option as text or the metric,
            or "".
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
            f'`{strict}` has no closed form under `ties="average"`: which '
            "items the first ranks hold depends on the order. Use another "
            "`ties`."
        )
    if shuffle_ties is None:
        return ties or ("stable" if strict else "average")
    spelled: TiePolicy = "shuffle" if shuffle_ties else "stable"
    if ties not in (None, spelled):
        raise ValueError(
            f'`shuffle_ties={shuffle_ties}` means `ties="{spelled}"`. Received '
            f'also: ties="{ties}". Leave one of them out.'
        )
    return spelled


def check_adjustment(
    metric: Any, adjusted: Any, inputs: str, strict: str
) -> None:
    """Raises where no level of chance is known.

    Args:
        metric: the class.
        adjusted: as the user passed it.
        inputs: the form of the input.
        strict: as for `tie_policy`.
    """
    check_choice("adjusted", adjusted, ("chance",))
    name = metric.__name__
    reason = ""
    if not metric.has_upper_bound:
        reason = f"{name} has no best value"
    elif not metric.averages_orders:
        reason = f"{name} of tied items is that of their mean exposure"
    elif strict:
        reason = f"`{strict}` has no exact mean over all orders"
    elif inputs == "ids":
        reason = '`inputs="ids"` does not say what there was to choose from'
    if reason:
        raise ValueError(
            f'`adjusted="chance"` cannot be had: {reason}. Received: '
            f'{name} with inputs="{inputs}". Leave it out.'
        )


def check_form(
    metric: Any, inputs: str, ties: TiePolicy, relevance: Relevance
) -> None:
    """Raises where a form of input does not say what the metric asks.

    Args:
        metric: the class.
        inputs: the form.
        ties: what becomes of items of equal score.
        relevance: what a label is worth.
    """
    if inputs == "scores":
        return
    if metric.needs_labels:
        raise ValueError(
            f"{metric.__name__} needs {metric.needs_labels}. "
            f'Received: `inputs="{inputs}"`. Use "scores".'
        )
    if inputs == "counts":
        _check_counted(metric, ties)
    relevant, other = ops.unstack(relevance(ops.array([1.0, 0.0])))
    if concrete((relevant <= 0) | (other > 0)):
        raise ValueError(
            f'With `inputs="{inputs}"` relevant items have the label '
            "1 and all others 0: the first should be worth something, the "
            f"others nothing. Received: options of {metric.__name__} "
            f"under which they are worth {float(relevant)} and "
            f"{float(other)}."
        )


def _check_counted(metric: Any, ties: TiePolicy) -> None:
    """Raises of what counts do not say: which items, and in what order."""
    if metric.of_catalogue:
        raise ValueError(
            f"{metric.__name__} looks at which items are shown. Received: "
            '`inputs="counts"`, which says only where relevant ones stand. Use '
            '"sparse" or "ids".'
        )
    if ties not in ("average", "optimistic", "pessimistic"):
        raise ValueError(
            f'`ties="{ties}"` needs the order of the items that tie. Received: '
            f'{metric.__name__} with `inputs="counts"`, which says only how '
            'many they are. Use "average", "optimistic" or "pessimistic".'
        )


def check_cutoff(
    metric: Any, k: int | None, options: Mapping[str, Any]
) -> None:
    """Raises where an option needs a cutoff, and there is none."""
    needs_k = chosen(options, metric.needs_k_under)
    if needs_k and k is None:
        name = needs_k.partition("=")[0]
        default = options_of(metric.measure)[name]
        raise ValueError(
            f"`{needs_k}` needs a `k`. Received: `k` = None. Give a `k`, or "
            f"use `{name}={_as_code(default)}`."
        )


def integer_seed(seed: Any) -> int:
    """The seed as a plain int, 0 by default."""
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
    """Sums and ranks need more digits than half precision has."""
    return "float64" if dtype == "float64" else "float32"


def needs_order(metric: Any, options: Mapping[str, Any]) -> str:
    """What needs a strict order, an option as text or the metric, else ""."""
    if metric.strict_order_under == "always":
        return str(metric.__name__)
    return chosen(options, metric.strict_order_under)


def chosen(options: Mapping[str, Any], which: tuple[str, str] | None) -> str:
    """An option as text, if that is the value that was chosen, else ""."""
    if which is None or options.get(which[0]) != which[1]:
        return ""
    return '{}="{}"'.format(*which)


def _as_code(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)

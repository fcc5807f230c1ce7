"""What stands where a number should, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from keras_rankmetrics.engine.inputs.tensors.foreign import hides
from keras_rankmetrics.engine.inputs.tensors.ragged import DEEPEST


def advice_on(name: str, x: Any) -> str:
    """A sentence or two on the first thing in `x` that is no number.

    Args:
        name: of the argument that holds `x`.
        x: what the user passed, or lists of what it holds.

    Returns:
        The sentences, or "" where nothing is known of it.
    """
    for place, found in _strangers(x):
        advice = _advice(found, place)
        if advice:
            where = "".join(f"[{index}]" for index in place)
            return f"`{name}{where}` is {advice}"
    return ""


def _strangers(x: Any, *place: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """What is no number in a list of numbers, nor a list in one of lists."""
    if not isinstance(x, list | tuple) or len(place) == DEEPEST:
        yield place, x
        return
    nested = any(isinstance(part, list | tuple | np.ndarray) for part in x)
    for index, part in enumerate(x):
        if nested or not isinstance(part, int | float | np.generic):
            yield from _strangers(part, *place, index)


def _advice(x: Any, place: tuple[int, ...]) -> str:
    kind = type(x).__name__
    if isinstance(x, list | tuple):
        return f"a {kind} in a list that is too deep. Does it hold itself?"
    if place and (x is None or isinstance(x, float) or kind == "NAType"):
        return (
            f"{x}. Pass [] for a list without items, and -1 for a label or an "
            "id that is missing."
        )
    if isinstance(x, set | frozenset):
        return (
            f"a {kind}, which has no order. Make it a list: `list(...)` of "
            "what is relevant; what is recommended goes best first."
        )
    if hasattr(x, "__next__"):
        return f"a {kind}. Make it a list: `list(...)`."
    if hides(x):
        return (
            "a masked array. Fill what it hides: labels, indices and ids by "
            "`.filled(-1)`, weights by `.filled(0)`; for scores fill labels."
        )
    if getattr(x, "requires_grad", False):
        return "a tensor that requires a gradient. Take it out: `.detach()`."
    if hasattr(x, "toarray"):
        return f"sparse, a {kind}. Make it dense: `.toarray()`."
    return ""

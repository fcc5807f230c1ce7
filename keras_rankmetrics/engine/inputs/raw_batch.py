"""The batch as the user passes it, and the entries of a dict `y_true`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.types import Tensor, UnjudgedPolicy


class RawBatch(NamedTuple):
    """The arguments of `update_state`, unchecked.

    Attributes:
        entries: the entries of `y_true`, None for a missing one.
        y_pred: as passed.
        sample_weight: as passed.
        dtype: the float dtype of the computation.
        unjudged: the policy for unjudged items.
    """

    entries: Mapping[str, Any]
    y_pred: Any
    sample_weight: Any
    dtype: str
    unjudged: UnjudgedPolicy


def entries_of(
    y_true: Any, main: Sequence[str], others: Sequence[str]
) -> dict[str, Any]:
    """Return the entries of `y_true`; if it is no dict, it is the main entry.

    Args:
        y_true: as passed.
        main: the names of the main entry, the preferred one first.
        others: the names of optional entries.

    Returns:
        All entries, None for a missing one. The main entry is under the first
        of its names.

    Raises:
        ValueError: if the main entry is missing or given twice, or a key is
            unknown.
    """
    missing = dict.fromkeys((main[0], *others))
    if not isinstance(y_true, dict):
        return {**missing, main[0]: y_true}
    found = [name for name in main if y_true.get(name) is not None]
    if len(found) != 1 or set(y_true) - {*main, *others}:
        raise ValueError(
            "A dict `y_true` should have the key "
            f"{' or '.join(map(_quoted, main))} and may have the "
            f"key{'s' * (len(others) > 1)} "
            f"{', '.join(map(_quoted, others))}. Received the keys: "
            f"{sorted(map(str, y_true))}."
        )
    entries = {**missing, **y_true}
    return {**entries, main[0]: entries.pop(found[0])}


def _quoted(name: str) -> str:
    return f'"{name}"'


def without_group(y_true: Any) -> tuple[Any, Any]:
    """Return `y_true` without its entry `"group"`, and that entry or None."""
    if not isinstance(y_true, dict) or "group" not in y_true:
        return y_true, None
    rest = {name: x for name, x in y_true.items() if name != "group"}
    return rest, y_true["group"]


def groups_of(group: Any, leading: Leading) -> Tensor:
    """Return the group of each list, int32 `[lists]`.

    Args:
        group: one integer for each list, `[*leading]` or `[*leading, 1]`, or
            for each row of the batch.
        leading: the leading dimensions of the lists.

    Raises:
        ValueError: if it has a wrong shape or dtype.
    """
    expected = "the group of each list"
    groups = integers('y_true["group"]', group, expected)
    of_lists = leading.per_list(groups)
    if of_lists is None:
        raise ValueError(
            f'`y_true["group"]` should hold {expected}, in the shape '
            f"{leading.shape}. Received: the shape {tuple(groups.shape)}."
        )
    return ops.cast(ops.clip(of_lists, -1, MANY), "int32")

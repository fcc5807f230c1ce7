"""A batch: the input of the user, and the checked lists that readers return."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import MANY
from keras_rankmetrics.engine.inputs.shapes import Leading
from keras_rankmetrics.engine.inputs.tensors import integers
from keras_rankmetrics.engine.ranking import Content
from keras_rankmetrics.engine.warn import warn
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


@dataclasses.dataclass(frozen=True)
class Lists:
    """The checked lists of a batch.

    Attributes:
        content: the items of the lists.
        list_weights: `[lists]`, or None.
        present: bool `[lists]`, True for lists with a valid item. Others are
            padding and do not count.
        undefined: bool `[lists]`, True for lists without a value, since they
            contain invalid numbers such as NaN.
        leading: the leading dimensions of the input.
        warning: a warning for the user, or None.
        labels: `[lists, items]`, labels as passed, of which negative ones alone
            mark padding; or None.
        group: int32 `[lists]`, the group of each list, or None.
    """

    content: Content
    list_weights: Tensor | None
    present: Tensor
    undefined: Tensor
    leading: Leading
    warning: str | None = None
    labels: Tensor | None = None
    group: Tensor | None = None


class WarnOnce:
    """The warnings of one metric: the first one is shown, others are not.

    Attributes:
        has_warned: True if no more warnings are to be shown.
    """

    def __init__(self) -> None:
        self.has_warned = False

    def __call__(self, message: str | None, name: str) -> None:
        """Warn, unless the message is None or a warning was given before.

        Args:
            message: the text of the warning.
            name: the name of the metric.
        """
        if message is not None and not self.has_warned:
            self.has_warned = True
            warn(f"{name}: {message}")


def entries_of(
    y_true: Any, main: Sequence[str], others: Sequence[str]
) -> dict[str, Any]:
    """Return the entries of `y_true`; without a dict, it is the main entry.

    Args:
        y_true: as passed.
        main: the names of the main entry, the preferred one first.
        others: the names of optional entries.

    Returns:
        All entries but `"group"`, None for a missing one. The main entry is
        the first, under the first of its names.

    Raises:
        ValueError: if the main entry is missing or given twice, or a key is
            unknown.
    """
    entries = dict.fromkeys((main[0], *others))
    if not isinstance(y_true, dict):
        return {**entries, main[0]: y_true}
    passed = {name: x for name, x in y_true.items() if name != "group"}
    found = [name for name in main if passed.get(name) is not None]
    if len(found) != 1 or set(passed) - {*main, *others}:
        quoted = [" or ".join(f'"{name}"' for name in main)]
        quoted.append(", ".join(f'"{name}"' for name in others))
        raise ValueError(
            f"A dict `y_true` should have the key {quoted[0]} and may have the "
            f"key{'s' * (len(others) > 1)} {quoted[1]}. Received the keys: "
            f"{sorted(map(str, passed))}."
        )
    entries[main[0]] = passed[found[0]]
    return {**entries, **{name: passed.get(name) for name in others}}


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

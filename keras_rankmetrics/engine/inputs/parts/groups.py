"""The group of each list: `y_true["group"]`."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.backend.known import MANY
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.parts.leading import Leading
from keras_rankmetrics.engine.inputs.parts.weights import per_list
from keras_rankmetrics.engine.inputs.tensors.conversion import integers
from keras_rankmetrics.types import Tensor


def without_group(y_true: Any) -> tuple[Any, Any]:
    """What is relevant, and the groups, or None.

    Args:
        y_true: what the user passed.
    """
    if not isinstance(y_true, dict) or "group" not in y_true:
        return y_true, None
    rest = {name: x for name, x in y_true.items() if name != "group"}
    return rest, y_true["group"]


def groups_of(group: Any, leading: Leading) -> Tensor:
    """int32 `[lists]`, the group of each list.

    Args:
        group: one integer for each list, `[...]` or `[..., 1]`, or for each row
            of the batch.
        leading: the leading dimensions of the lists.
    """
    expected = "the group of each list"
    groups = integers('y_true["group"]', group, expected)
    of_lists = per_list(groups, leading)
    if of_lists is None:
        raise ValueError(
            f'`y_true["group"]` should hold {expected}, in the shape '
            f"{leading.shape}. Received: the shape {tuple(groups.shape)}."
        )
    return ops.cast(ops.clip(of_lists, -1, MANY), "int32")

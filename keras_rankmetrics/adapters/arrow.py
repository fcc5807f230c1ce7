"""Columns of Arrow: what rows hold, and of which type."""

from __future__ import annotations

from typing import Any

import numpy as np


def flattened(array: Any) -> tuple[Any, np.ndarray]:
    """The values of a column of Arrow in one array, and how many a row has.

    A row that is null has none. A column that holds no lists has one value in
    each row.

    Args:
        array: a `pyarrow.Array`.
    """
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_null(array.type):
        return array.drop_null(), np.zeros(len(array), np.int64)
    if not is_list(array.type):
        there = array.is_valid().to_numpy(zero_copy_only=False)
        return array.drop_null(), there.astype(np.int64)
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    # `flatten` leaves out what lies behind a null and before a slice.
    return array.flatten(), lengths.to_numpy().astype(np.int64)


def is_list(arrow_type: Any) -> bool:
    """Whether values of the type are lists."""
    from pyarrow import types

    return bool(
        types.is_list(arrow_type)
        or types.is_large_list(arrow_type)
        or types.is_fixed_size_list(arrow_type)
    )


def element(arrow_type: Any) -> Any:
    """The type of what lists hold, or the type itself."""
    return arrow_type.value_type if is_list(arrow_type) else arrow_type


def is_text(arrow_type: Any) -> bool:
    """Whether values of the type are strings."""
    from pyarrow import types

    return bool(
        types.is_string(arrow_type) or types.is_large_string(arrow_type)
    )

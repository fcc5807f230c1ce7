"""Which arguments of users are integers."""

from __future__ import annotations

import operator
from typing import Any


def as_integer(value: Any) -> int | None:
    """As a plain int, None where it is no integer; a bool is none.

    An integer of numpy is one, and so is an array without dimensions.
    """
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None

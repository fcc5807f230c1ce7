"""`Rows`: queries, items and what is said of them, a row for each item."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """A chunk of a table of queries, items, and labels or scores.

    Attributes:
        query: `[rows]`, the ids of queries: integers, str or bytes.
        item: `[rows]`, the ids of items: integers, str or bytes.
        value: `[rows]`, floats: the labels of the items, or their scores.
    """

    query: np.ndarray
    item: np.ndarray
    value: np.ndarray

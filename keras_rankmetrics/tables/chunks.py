"""Chunks of a table of queries and items, and the runs of rows in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """A chunk of a table of queries, items, and labels or scores.

    Attributes:
        query: `[rows]`, the ids of queries: integers, str or bytes.
        item: `[rows]`, the ids of items: integers, str or bytes.
        value: `[rows]`, floats: the labels of the items, or their scores.

    Example:
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> queries, items = np.array(["q1", "q1"]), np.array([7, 8])
        >>> truth = krm.Rows(queries, items, np.array([0.0, 1.0]))
        >>> run = krm.Rows(queries, items, np.array([0.9, 0.8]))
        >>> compared = krm.compare({"run": run}, truth, krm.HitRateAtK(k=1))
        >>> compared.per_list()["hit_rate@1"]
        [0.0]
    """

    query: np.ndarray
    item: np.ndarray
    value: np.ndarray


def whole(chunks: Iterable[Rows]) -> Rows:
    """Return all chunks as one."""
    columns = list(zip(*chunks, strict=True))
    if not columns:
        none = np.zeros(0, np.int64)
        return Rows(none, none, np.zeros(0))
    return Rows(*map(np.concatenate, columns))


def run_starts(values: np.ndarray) -> np.ndarray:
    """Return the first place of each run of equal values."""
    changes = np.flatnonzero(values[1:] != values[:-1])
    return np.concatenate([[0], changes + 1])

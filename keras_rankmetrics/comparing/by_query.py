"""Weights and groups that users give by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.measured import ALL
from keras_rankmetrics.comparing.reading import index_of
from keras_rankmetrics.tables.ids import as_text

_LARGEST = np.finfo(np.float32).max


def weights_of(sample_weight: Any, queries: np.ndarray) -> np.ndarray | None:
    """Return the weights of the queries, `[lists]`, or None."""
    sample_weight = _by_query("sample_weight", sample_weight, queries.tolist())
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        raise TypeError(
            "`sample_weight` should be a dict with the weight of each query. "
            f"Received: {type(sample_weight).__name__}."
        )
    weights = np.zeros(len(queries), np.float32)
    for place, query in enumerate(queries.tolist()):
        weight: Any = sample_weight.get(query)
        is_number = isinstance(weight, int | float | np.number)
        if not is_number or not 0.0 <= weight <= _LARGEST:
            raise ValueError(
                "`sample_weight` should have a finite weight for each query of "
                f"the truth, not negative. Received: {weight!r} for the query "
                f"{as_text(query)!r}. A query of weight 0 does not count."
            )
        weights[place] = weight
    return weights


def _by_query(name: str, values: Any, queries: Sequence[Any]) -> Any:
    """Return a pandas Series as a dict, and anything else as it is.

    Args:
        name: the name of the argument.
        values: the values.
        queries: the queries, or the numbers of the lists.

    Raises:
        ValueError: if the index has numbers of rows, or a query twice.
    """
    if not hasattr(values, "index") or not hasattr(values, "to_dict"):
        return values
    index = index_of(values)
    are_rows = index == list(range(len(index))) and index != list(queries)
    if are_rows or len(set(index)) < len(index):
        received = "the numbers of rows" if are_rows else "some queries twice"
        raise ValueError(
            f"The index of `{name}` should name each query once. Received: "
            f"{received}. Pass a dict by query, such as "
            '`frame.groupby("query_id")["name"].first()`.'
        )
    return values.to_dict()


def groups_of(groups: Any, lists: Sequence[Any]) -> tuple[str, ...]:
    """Return the group of each list; none without groups.

    Args:
        groups: a dict or a pandas `Series` by query, a column in the order of
            the lists, or None.
        lists: the queries, or the numbers of the lists.
    """
    if groups is None:
        return ()
    groups = _by_query("groups", groups, lists)
    if isinstance(groups, Set):
        raise TypeError(
            "`groups` should be a dict by query, or in the order of the "
            "lists. Received: a set."
        )
    if isinstance(groups, Mapping):
        groups = {as_text(query): group for query, group in groups.items()}
        lacking = [query for query in lists if query not in groups]
        if lacking:
            raise ValueError(
                "`groups` should have a group for each query of the truth. "
                f"Received: none for {len(lacking):,} of {len(lists):,}, such "
                f"as {lacking[0]!r}."
            )
        groups = [groups[query] for query in lists]
    groups = tuple(map(str, groups)) if not isinstance(groups, str) else ()
    for wrong in ("", "None", "nan", ALL):
        if wrong in groups:
            raise ValueError(
                "`groups` should have a name for each group, other than "
                f"{ALL!r}. Received: {wrong!r}."
            )
    if len(groups) != len(lists):
        raise ValueError(
            f"`groups` should have a group for each of {len(lists):,} lists. "
            f"Received: {len(groups):,}. Pass them in the order of the lists, "
            "or as a dict by query."
        )
    return groups

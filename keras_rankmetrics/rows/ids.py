"""The queries of rows as integers: only which rows have the same matters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.rows.columns import as_column

_EXPECTED = "`query` should hold the id of the query of each row"


def numbers_of(query: Any) -> np.ndarray:
    """Integers `[rows]`, the same for rows of the same query.

    Raises:
        ValueError: if an id is missing, or is no integer and no string.
        TypeError: if the ids are of several types.
    """
    if hasattr(query, "factorize"):  # of pandas, which is faster
        query, given = _factorized(query)
        return _without_missing(query < 0, query, given)
    ids = as_column("query", query)
    if isinstance(query, list | tuple) and ids.dtype.kind in "US":
        # Strings of numpy hide that something among them is none.
        ids = as_column("query", np.array(query, object))
    kind = ids.dtype.kind
    if kind in "iu":
        return ids
    if kind == "f":
        return _whole(ids)
    if kind in "OUST":
        return _numbered(ids)
    raise ValueError(
        f"{_EXPECTED}: integers or strings. Received: values of the type "
        f"{ids.dtype}."
    )


def rows_by_query(numbers: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """The rows in the order of their queries, and the first row of each query.

    Rows of a query keep their order.

    Returns:
        The order, None if the rows have it already; and the first places in it.
    """
    order = None
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
    changes = np.flatnonzero(numbers[1:] != numbers[:-1])
    return order, np.concatenate([[0], changes + 1])


def _factorized(query: Any) -> tuple[np.ndarray, Any]:
    _check_types(getattr(query.dtype, "kind", "O"), query.dtype)
    codes, different = query.factorize()
    given = np.asarray(different)
    if given.dtype.kind == "f":
        _whole(given)
    if given.dtype.kind == "O":
        _check_of_one_type(given.tolist())
    return codes, query


def _check_types(kind: str, dtype: Any) -> None:
    if kind in "bcmM":
        raise ValueError(
            f"{_EXPECTED}: integers or strings. Received: values of the type "
            f"{dtype}."
        )


def _whole(ids: np.ndarray) -> np.ndarray:
    """Floats that are whole numbers, as integers."""
    _without_missing(np.isnan(ids), ids, ids)
    wrong = ids != np.floor(ids)
    if wrong.any() or np.isinf(ids).any():
        raise ValueError(
            f"{_EXPECTED}: integers or strings. Received: {ids.dtype}, and "
            f"{ids[wrong | np.isinf(ids)][0]} among them."
        )
    limit = 2.0 ** (np.finfo(ids.dtype).nmant + 1)
    large = np.abs(ids) >= limit
    if large.any():
        raise ValueError(
            f"{_EXPECTED}. Received: {ids.dtype}, and {ids[large][0]:.0f} "
            f"among them. From {limit:.0f} on, several integers are one number "
            "in this type, so that queries would be merged. Pass the ids as "
            "integers or strings."
        )
    return ids


def _numbered(ids: np.ndarray) -> np.ndarray:
    """In the order in which they first come."""
    values = ids.tolist()
    try:
        numbers = {id_: number for number, id_ in enumerate(_each_once(values))}
    except TypeError as error:
        raise TypeError(
            f"{_EXPECTED}: integers or strings. Received: objects of the type "
            f"{type(values[0]).__name__}. If a query has several columns, make "
            "one of them."
        ) from error
    _check_of_one_type(list(numbers))
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))


def _each_once(values: Iterable[Any]) -> Sequence[Any]:
    return list(dict.fromkeys(values))


def _check_of_one_type(different: Sequence[Any]) -> None:
    for place, each in enumerate(different):
        if _is_missing(each):
            raise ValueError(
                f"{_EXPECTED}, and none may be missing. Received: {each!r}, "
                f"as the id number {place} of those that differ. Leave out "
                "rows without a query, or give each an id of its own."
            )
    kinds = {"int" if _is_integer(x) else type(x).__name__ for x in different}
    if len(kinds) > 1:
        raise TypeError(
            f"{_EXPECTED}, all of one type. Received: {sorted(kinds)}. The "
            "integer 1 and the string '1' would be two queries."
        )


def _is_missing(x: Any) -> bool:
    # What pandas has for it is equal to nothing, and says so with no bool.
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def _is_integer(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _without_missing(
    missing: np.ndarray, ids: np.ndarray, given: Any
) -> np.ndarray:
    if missing.any():
        rows = np.flatnonzero(missing)
        raise ValueError(
            f"{_EXPECTED}, and none may be missing. Received: {len(rows)} "
            f"missing among {len(given)} rows, the first in row {rows[0]}. "
            "Leave out rows without a query, or give each an id of its own."
        )
    return ids

"""Arguments that say how an input is read, and checks of its rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from keras_rankmetrics.engine.definition.options import check_choice
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.tables import item_rows
from keras_rankmetrics.tables.ids import (
    EXACT,
    KINDS,
    as_text,
    column_array,
    ids_of,
)
from keras_rankmetrics.tables.item_rows import Rows

_ROLES = ("query", "item")


class _Order(NamedTuple):
    """The order of scores whose best items come first, for messages.

    Attributes:
        right: how the scores go.
        wrong: how they go if the worst items come first.
        like: the scores that go in the wrong order.
        remedy: what to do about these.
    """

    right: str
    wrong: str
    like: str
    remedy: str


_BY_HIGHER_IS_BETTER = {
    True: _Order(
        "descend",
        "ascend",
        "distances",
        "For distances, pass `higher_is_better=False`, or "
        '`higher_is_better={"name": False}` for one of several systems.',
    ),
    False: _Order(
        "ascend",
        "descend",
        "similarities",
        "For similarities, leave out `higher_is_better=False`; if other "
        'systems have distances, pass `higher_is_better={"name": False}`.',
    ),
}


@dataclasses.dataclass(frozen=True)
class Reading:
    """Options for reading the truth and the runs: arguments of `evaluate`.

    Attributes:
        columns: the names of columns by role: `"query"`, `"item"`, `"score"`
            and `"label"`.
        query_ids: `[queries]`, the ids of inputs that have their queries in
            order only; 0, 1, 2, ... by default.
        item_ids: `[items]`, the ids of items that a run numbers.
        higher_is_better: False if scores are distances, or a dict of these by
            system. Search results in the other order are an error, and other
            runs cause a warning, unless it is None, which means True.
        drop_same_id: True to drop items whose id is that of their query; None
            for the rule of the convention.
        duplicates: `"best"` to keep the best of equal items of a query;
            `"error"` to leave them in, for the join to find.
        score_dtype: the dtype in which scores tie; None for that of the run.
    """

    columns: Mapping[str, str | None] | None = None
    query_ids: Any = None
    item_ids: Any = None
    higher_is_better: bool | Mapping[str, bool] | None = True
    drop_same_id: bool | None = None
    duplicates: Literal["error", "best"] = "error"
    score_dtype: str | None = None

    def __post_init__(self) -> None:
        roles, columns = (*_ROLES, "score", "label"), self.columns or {}
        if not isinstance(columns, Mapping) or not set(columns) <= set(roles):
            raise ValueError(
                f"`columns` should be a dict from {', '.join(roles)} to the "
                f"names of columns. Received: {columns!r}."
            )
        for name in ("query_ids", "item_ids"):
            _check_positions(name, getattr(self, name))
        check_choice("duplicates", self.duplicates, ("error", "best"))
        higher = self.higher_is_better
        values = higher.values() if isinstance(higher, Mapping) else [higher]
        if not all(isinstance(x, bool | np.bool_ | None) for x in values):
            raise TypeError(
                "`higher_is_better` should be True, False, or a dict of these "
                f"by system. Received: {self.higher_is_better!r}."
            )

    def of_system(self, name: str) -> Reading:
        """Return how to read one of several systems."""
        higher = self.higher_is_better
        if isinstance(higher, Mapping):
            higher = higher.get(name, True)
        if higher is not None:
            higher = bool(higher)
        return dataclasses.replace(self, higher_is_better=higher)

    def is_table(self, names: Sequence[Any]) -> bool:
        """Return True if there are columns of queries and items."""
        chosen = self.columns or {}
        return all(item_rows.candidates(x, names, chosen) for x in _ROLES)

    def order_if_wrong(self, steps: np.ndarray, least: int) -> _Order | None:
        """Return the expected order if the worst items come first, or None.

        Args:
            steps: the result of `steps_of` for all rows.
            least: the number of steps that prove an order.
        """
        if not isinstance(self.higher_is_better, bool):
            return None
        wrong, right = steps[:2] if self.higher_is_better else steps[1::-1]
        is_wrong = wrong >= least and not right
        return _BY_HIGHER_IS_BETTER[self.higher_is_better] if is_wrong else None


# Checks, and the arguments that change a run.


def index_of(x: Any) -> list[Any]:
    """Return the index of a pandas object; nothing for other objects."""
    index: Any = getattr(x, "index", None)
    return index.tolist() if hasattr(index, "tolist") else []


def _check_positions(name: str, ids: Any) -> None:
    """Raise ValueError if the index of a Series numbers it in another order."""
    numbers = index_of(ids)
    if sorted(map(str, numbers)) == sorted(map(str, range(len(numbers)))) and (
        numbers != list(range(len(numbers)))
    ):
        raise ValueError(
            f"The index of `{name}` should be in order, since ids are read by "
            f"position. Received: {numbers[:5]}, ... Pass `.sort_index()` to "
            "read them by the index, or `.tolist()`."
        )


def warn_of_direction(column: str | None, higher_is_better: Any) -> None:
    """Warn if the chosen column of scores is called a distance or a rank."""
    if (
        column
        and higher_is_better is True
        and item_rows.is_lower_better(column)
    ):
        warn(
            f"The column {column!r} should have higher scores for better "
            "items. For distances and ranks, pass `higher_is_better=False`."
        )


def steps_of(rows: Rows) -> np.ndarray:
    """Return how many rows have a higher, lower and equal score to that above.

    Only rows of one query are compared.
    """
    above, below = rows.value[:-1], rows.value[1:]
    of_one = rows.query[1:] == rows.query[:-1]
    steps = below > above, below < above, below == above
    return np.array([(of_one & step).sum() for step in steps])


def as_run(rows: Rows, argument: str, reading: Reading) -> Rows:
    """Return the rows of a run with the ids and scores to be ranked."""
    query, item, score = rows
    if reading.item_ids is not None and item.dtype.kind in "iu":
        item = _named_items(item, reading.item_ids, argument)
    if score.dtype.kind in "iu":
        score = np.unique(score, return_inverse=True)[1].astype(np.float64)
    if reading.score_dtype:
        score = score.astype(reading.score_dtype)
    if reading.higher_is_better is False:
        score = -score
    rows = Rows(query, item, score)
    if reading.drop_same_id:
        # The query is there, even if it retrieves nothing else.
        score = np.where(same_id(rows), -np.inf, score)
        rows = rows._replace(value=score)
    return _best_of_equal(rows, argument, reading.duplicates)


def same_id(rows: Rows) -> np.ndarray:
    """Return True for items whose id is that of their query."""
    query, item, _ = rows
    if KINDS[query.dtype.kind] != KINDS[item.dtype.kind]:
        return np.zeros(len(query), bool)
    found: np.ndarray = query == item
    return found


def _named_items(item: np.ndarray, item_ids: Any, argument: str) -> np.ndarray:
    if isinstance(item_ids, Mapping):  # by number
        numbers = ids_of(list(item_ids), "`item_ids`")
        item_ids = list(item_ids.values())
        order = np.argsort(numbers)
        at = np.searchsorted(numbers, item, sorter=order)
        at = order[np.minimum(at, len(order) - 1)]
        item = np.where(numbers[at] == item, at, -1)
    names = ids_of(item_ids, "`item_ids`")
    wrong = item[(item < 0) | (item >= len(names))]
    if len(wrong):
        raise ValueError(
            f"The items of {argument} should be numbers from 0 to "
            f"{len(names) - 1:,}, the places in `item_ids`, or its keys if it "
            f"is a dict. Received: {wrong[0]}."
        )
    return names[item]


def _best_of_equal(rows: Rows, argument: str, duplicates: str) -> Rows:
    """Return the rows without all but the best of equal items of a query."""
    if duplicates == "error":
        return rows
    codes = [np.unique(ids, return_inverse=True)[1] for ids in rows[:2]]
    order = np.lexsort((-rows.value, *codes))
    again = np.all([code[order][1:] == code[order][:-1] for code in codes], 0)
    if not again.any():
        return rows
    warn(
        f"{argument} has {again.sum():,} repeated items. The best of each item "
        "in the list of a query counts."
    )
    keep = np.ones(len(order), bool)
    keep[order[1:][again]] = False
    return Rows(*(column[keep] for column in rows))


def checked_rows(rows: Rows, argument: str) -> Rows:
    """Return the rows as arrays of ids and floats.

    Raises:
        TypeError: if ids have several types, or values are not numbers.
        ValueError: if the columns have different lengths, or for the values of
            a list that are not numbers.
    """
    query, item = (ids_of(ids, argument) for ids in rows[:2])
    value = checked_values(rows.value, argument)
    shapes = query.shape, item.shape, value.shape
    if value.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            f"The queries, items and values of {argument} should be arrays of "
            f"one dimension and one length. Received: {shapes[0]} in the "
            f"queries, {shapes[1]} in the items and {shapes[2]} in the values."
        )
    return Rows(query, item, value)


def checked_values(values: Any, argument: str) -> np.ndarray:
    """Return values as floats, or as integers if floats would tie them.

    Raises:
        TypeError: if an array does not contain numbers.
        ValueError: if a value of a list is not a number.
    """
    try:
        array = column_array(values)
        if array.dtype.kind == "O":  # such as `Decimal`
            array = array.astype(np.float64)
    except (TypeError, ValueError):  # such as lists of unequal lengths
        array = np.zeros(0, object)
    if array.dtype.kind not in "fiub":
        first = next(iter(values), None)
        first = first.item() if isinstance(first, np.generic) else first
        error = TypeError if hasattr(values, "dtype") else ValueError
        raise error(
            f"The values of {argument} should be numbers. Received: {first!r}, "
            f"of the type {type(first).__name__}. Convert them to floats."
        )
    is_integer = array.dtype.kind in "iu" and array.size > 0
    if is_integer and max(int(array.max()), -int(array.min())) > EXACT:
        return array
    single = np.promote_types(array.dtype, np.float32)
    return array.astype(single, copy=False)


def check_numbers(rows: Rows, argument: str) -> None:
    """Raise ValueError if a value is NaN, or an id is empty."""
    for name, wrong in (
        ("NaN", np.isnan(rows.value)),
        ("an empty id", _is_empty(rows.query) | _is_empty(rows.item)),
    ):
        for at in np.flatnonzero(wrong)[:1]:
            item, query = (as_text(ids[at].item()) for ids in rows[1::-1])
            raise ValueError(
                f"{argument} should have an id and a number in each row. "
                f"Received: {name} for the item {item!r} of the query "
                f"{query!r}."
            )


def _is_empty(ids: np.ndarray) -> np.ndarray:
    is_text = ids.dtype.kind in "US"
    found: np.ndarray = ids == ids.dtype.type() if is_text else ids != ids
    return found

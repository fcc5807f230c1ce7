"""Rows of queries and items from the objects of other tools.

Nested dicts, lists of ids, search results, tables, named tuples and files all
become chunks of `Rows`, with a label or a score for each item.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import Any, Literal, NamedTuple

import numpy as np

from keras_rankmetrics.engine.definition.options import check_choice
from keras_rankmetrics.engine.inputs.shapes import check_same
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import Rows, column_of, split

# The number of rows of a chunk, up to the end of a query.
_ROWS_OF_CHUNK = 2**20
# The kinds of ids by the kinds of numpy's dtypes.
KINDS = {"U": "str", "S": "bytes", "i": "integers", "u": "integers"}
_ID = str | bytes | int | np.integer
_ROLES = ("query", "item")
_MANY = 15  # rows that are not all better than the row above by chance


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
        drop_same_id: True to drop items whose id is that of their query.
        duplicates: `"best"` to keep the best of equal items of a query;
            `"error"` to leave them in, for the join to find.
        score_dtype: the dtype in which scores tie; None for that of the run.
    """

    columns: Mapping[str, str] | None = None
    query_ids: Any = None
    item_ids: Any = None
    higher_is_better: bool | Mapping[str, bool] | None = True
    drop_same_id: bool = False
    duplicates: Literal["error", "best"] = "error"
    score_dtype: str | None = None

    def __post_init__(self) -> None:
        roles = (*_ROLES, "score", "label")
        if not set(self.columns or ()) <= set(roles):
            raise ValueError(
                f"`columns` should be a dict from {', '.join(roles)} to the "
                f"names of columns. Received: {dict(self.columns or ())}."
            )
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

    def column_of(self, role: str, names: Sequence[Any]) -> str | None:
        """Return the name of the column of a role, or None."""
        return column_of(role, names, self.columns or {})

    def is_table(self, names: Sequence[Any]) -> bool:
        """Return True if there are columns of queries and items."""
        return all(self.column_of(role, names) for role in _ROLES)


# The form of an input.


def form_of(x: Any, reading: Reading) -> str | None:
    """Return the form of an input with ids, None for one without.

    The forms are `"file"`, `"rows"`, `"table"`, `"records"`, `"search"` for a
    pair of ids and scores, `"nested"` for the items of each query by query,
    and `"positions"` for those of queries in order. `"integers"` are ids next
    to an input with ids, else labels or scores.
    """
    if isinstance(x, str | os.PathLike):
        return "file"
    if isinstance(x, Rows | Iterator):
        return "rows"
    if isinstance(x, Mapping):
        entries = list(x.values())
        if all(isinstance(entry, Mapping | Set) for entry in entries):
            return "nested"
        if reading.is_table(columns_of(x)) and not any(
            isinstance(entry, Rows | Mapping) for entry in entries
        ):
            return "table"
        are_entries = all(_form_of_items(entry, reading) for entry in entries)
        return "nested" if are_entries else None
    if reading.is_table(columns_of(x)):
        return "table"
    if is_ranx(x):
        return "nested"
    if _is_search(x):
        return "search"
    first = first_of(x) if isinstance(x, list | tuple) else None
    if isinstance(first, Rows):
        return "rows"
    if reading.is_table(_fields(first)):
        return "records"
    of_query = _form_of_items(first, reading) or "integers"
    if of_query != "integers" or _dtype_kind(x) in ("U", "S"):
        return "positions"
    while isinstance(x, list | tuple):
        x = first_of(x, 0)  # lists without entries have no labels or scores
    is_integer = isinstance(x, int | np.integer) or _dtype_kind(x) in ("i", "u")
    return "integers" if is_integer else None


def _form_of_items(x: Any, reading: Reading) -> str | None:
    """Return the form of the items of one query, None for anything else.

    The forms are `"values"` by item, `"set"`, a `"pair"` of ids and scores,
    `"hits"` with an id and a score each, and `"ids"`. `"integers"` may be ids,
    labels or scores.
    """
    if isinstance(x, Mapping):
        return "values"
    if isinstance(x, Set):
        return "set"
    if _is_pair(x):
        return "pair"
    if not isinstance(x, list | tuple):
        kind = _dtype_kind(x)
        if kind in ("U", "S"):
            return "ids"
        return "integers" if kind in KINDS and x.ndim == 1 else None
    first = first_of(x, 0)
    if isinstance(first, Mapping):
        return "hits" if reading.column_of("item", list(first)) else None
    if _is_hit(first):
        return "hits"
    if isinstance(first, str | bytes):
        return "ids"
    return "integers" if isinstance(first, _ID) else None


def is_ranx(x: Any) -> bool:
    """Return True for `Qrels` and `Run` of ranx."""
    return type(x).__module__.startswith("ranx.") and hasattr(x, "to_dict")


def columns_of(x: Any) -> list[Any]:
    """Return the names of the columns of a table; none for other objects."""
    if isinstance(x, Mapping):
        return list(x)
    if hasattr(x, "column_names"):  # of Arrow, or of Hugging Face
        return list(x.column_names)
    return list(getattr(x, "columns", ()))


def _fields(record: Any) -> Sequence[Any]:
    """Return the names of the fields of a named tuple or a dict."""
    keys = list(record) if isinstance(record, Mapping) else ()
    return getattr(record, "_fields", keys)


def _is_search(x: Any) -> bool:
    """Return True for ids and scores `[queries, items]`, in either order."""
    if not isinstance(x, tuple) or len(x) != 2:
        return False
    kinds = sorted(map(_kind, x))
    if kinds == ["ids", "ids"] and all(map(_dtype_kind, x)):
        raise ValueError(
            "A search result should have ids and scores. Received: two arrays "
            "of ids. Make the scores floats: `scores.astype(float)`."
        )
    return kinds == ["ids", "scores"]


def _kind(x: Any) -> str:
    """Return "ids" or "scores" for arrays and lists `[queries, items]`."""
    if isinstance(x, list | tuple) and not isinstance(
        first_of(x), list | tuple
    ):
        return ""
    array = to_numpy(x)
    kinds = {**dict.fromkeys(KINDS, "ids"), "f": "scores"}
    return kinds.get(_dtype_kind(array), "") if array.ndim == 2 else ""


def _is_hit(x: Any) -> bool:
    """Return True for a pair of an id and a score."""
    return (
        isinstance(x, tuple)
        and len(x) == 2
        and isinstance(x[0], _ID)
        and isinstance(x[1], float | np.floating | int)
        and (isinstance(x[1], float | np.floating) or isinstance(x[0], str))
    )


def _is_pair(x: Any) -> bool:
    """Return True for the ids and the scores of one query, `[items]` each."""
    return (
        isinstance(x, tuple)
        and len(x) == 2
        and not any(isinstance(each, str | bytes | Mapping) for each in x)
        and np.shape(x[0]) == np.shape(x[1])
        and np.ndim(x[0]) == 1
        and [to_numpy(each).dtype.kind in KINDS for each in x] == [True, False]
    )


def _dtype_kind(x: Any) -> str:
    """Return the kind of an array, "U" for objects that are str."""
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    if kind == "O" and isinstance(next(iter(np.ravel(x)), None), str):
        return "U"
    return kind


def first_of(x: Sequence[Any], default: Any = None) -> Any:
    """Return the first entry that is not an empty list."""
    full = (each for each in x if not hasattr(each, "__len__") or len(each))
    return next(full, default)


# Inputs as chunks of rows.


@dataclasses.dataclass(frozen=True, eq=False)
class Input:
    """The truth or a run, and how to read it.

    Attributes:
        x: an object with ids, or with integers that are ids.
        value: the name of the values, `"label"` or `"score"`.
        argument: the name of the argument, for errors.
        reading: how to read it.
    """

    x: Any
    value: str
    argument: str
    reading: Reading = Reading()

    @functools.cached_property
    def form(self) -> str | None:
        """The form of the object."""
        return form_of(self.x, self.reading)

    def rows(self) -> Iterator[Rows]:
        """Yield rows in chunks; raise ValueError if there is NaN."""
        for rows in self.rows_with_nan():
            _check_numbers(rows, self.argument)
            yield rows

    def rows_with_nan(self) -> Iterator[Rows]:
        """Yield rows in chunks, checked, except for NaN."""
        steps = np.zeros(2, np.int64)
        for found in self._chunks():
            rows = _checked(found, self.argument)
            if self.value == "score":
                steps += _steps(rows)
                rows = _as_run(rows, self.argument, self._reading_of_ids())
            yield from split(rows, _ROWS_OF_CHUNK)
        order = self._order_if_wrong(steps, _MANY)
        if order is not None:
            warnings.warn(
                f"The scores of {self.argument} {order.wrong} in every query, "
                f"as {order.like} do. {order.remedy}",
                UserWarning,
                stacklevel=2,
            )

    def _order_if_wrong(self, steps: np.ndarray, least: int) -> _Order | None:
        """Return the expected order if the worst items come first, or None.

        Args:
            steps: the result of `_steps` for all rows.
            least: the number of steps that prove an order.
        """
        higher = self.reading.higher_is_better
        if not isinstance(higher, bool):
            return None
        wrong, right = steps if higher else steps[::-1]
        is_wrong = wrong >= least and not right
        return _BY_HIGHER_IS_BETTER[higher] if is_wrong else None

    def _reading_of_ids(self) -> Reading:
        """Return the reading; the numbers of queries are not those of items."""
        is_numbered = self.form in ("search", "positions", "integers")
        if is_numbered and self.reading.query_ids is None:
            return dataclasses.replace(self.reading, drop_same_id=False)
        return self.reading

    def queries(self) -> np.ndarray | None:
        """Return all queries, some of which may have no items.

        None for inputs that name queries in their rows only.
        """
        named = self.form in ("nested", "positions", "integers", None)
        return self.entries()[0] if named else None

    def _chunks(self) -> Iterator[Rows]:
        x, form = self.x, self.form
        if form == "file":
            from keras_rankmetrics.files.runs import rows_of_file

            return rows_of_file(x, self.value, self.reading.columns or {})
        if form == "table":
            return iter([self._of_table(x)])
        if form == "search":
            return iter([self._of_search()])
        if isinstance(x, Rows):
            return iter([x])
        if form in ("rows", "records"):
            return self._of_iterator(iter(x))
        return self._of_entries()

    def _of_iterator(self, x: Iterator[Any]) -> Iterator[Rows]:
        """Yield chunks that are `Rows` already, or one of all records."""
        for each in x:
            if isinstance(each, Rows):
                yield each
                continue
            names = _fields(each)
            if not self.reading.is_table(names):
                raise TypeError(
                    f"{self.argument} should hold chunks of the type `Rows`, "
                    "or records with a query and an item. Received: "
                    f"{type(each).__name__} in it."
                )
            records = (
                map(record.get, names)
                if isinstance(record, Mapping)
                else record
                for record in itertools.chain([each], x)
            )
            columns = zip(*records, strict=True)
            yield self._of_table(dict(zip(names, columns, strict=True)))

    def _of_table(self, table: Any) -> Rows:
        names, roles = columns_of(table), (*_ROLES, self.value)
        found = [self.reading.column_of(role, names) for role in roles]
        if None in found:
            other = "label" if self.value == "score" else "score"
            is_other = column_of(other, names, {}) is not None
            hint = " Are the truth and the run swapped?" if is_other else ""
            raise ValueError(
                f"{self.argument} should have the columns {list(roles)}. "
                f"Received: {names}. Name them: "
                f'`columns={{"{self.value}": "..."}}`.{hint}'
            )
        check_same("index", {str(name): table[name] for name in found})
        return Rows(*(table[name] for name in found))

    def _of_search(self) -> Rows:
        """Return the rows of ids and scores `[queries, items]`."""
        arrays = map(to_numpy, self.x)
        ids, scores = sorted(arrays, key=lambda x: x.dtype.kind == "f")
        if ids.shape != scores.shape:
            raise ValueError(
                f"{self.argument} should have ids and scores of one shape, "
                f"[queries, items]. Received: {ids.shape} and {scores.shape}."
            )
        query = np.repeat(self._positions(len(ids)), ids.shape[1])
        return self._best_first(Rows(query, ids.ravel(), scores.ravel()))

    def _of_entries(self) -> Iterator[Rows]:
        """Yield the rows of an input with the items of each query."""
        queries, entries = self.entries()
        for query, entry in zip(queries.tolist(), entries, strict=True):
            if isinstance(entry, Set) and self.value == "score":
                raise TypeError(
                    f"{self.argument} should have a score for each item, or a "
                    "list of items in order. Received: a set of items for the "
                    f"query {as_text(query)!r}. Only `truth` may have sets."
                )
        parts = list(map(self._items_of, entries))
        lengths = [len(items) for items, _ in parts]
        chunks = np.cumsum(lengths) // _ROWS_OF_CHUNK
        flat = itertools.chain.from_iterable
        form = _form_of_items(first_of(entries), self.reading)
        for chunk in np.unique(chunks).tolist():
            some = slice(*np.searchsorted(chunks, [chunk, chunk + 1]).tolist())
            values = flat(values for _, values in parts[some])
            rows = Rows(
                np.repeat(queries[some], lengths[some]),
                _array(list(flat(items for items, _ in parts[some]))),
                np.fromiter(values, np.float64),
            )
            yield self._best_first(rows) if form in ("pair", "hits") else rows

    def _items_of(self, entry: Any) -> tuple[Collection[Any], Any]:
        """Return the items of a query, and their labels or scores."""
        form = _form_of_items(entry, self.reading)
        if form == "values":
            return entry.keys(), entry.values()
        if form == "set":
            return entry, itertools.repeat(1.0, len(entry))
        if form == "pair":
            ids, scores = entry
            return ids, scores
        if form == "hits":
            hits: Any = entry
            if isinstance(first_of(entry), Mapping):
                names, roles = list(first_of(entry)), ("item", self.value)
                keys = [self.reading.column_of(role, names) for role in roles]
                hits = (map(hit.get, keys) for hit in entry)
            ids, scores = zip(*hits, strict=True)
            return ids, scores
        items = np.ravel(to_numpy(entry)) if _dtype_kind(entry) else entry
        items = [items] if isinstance(items, _ID) else items
        ids = [x for x in items if isinstance(x, str | bytes) or x >= 0]
        if self.value == "label":
            return ids, itertools.repeat(1.0, len(ids))
        # `_as_run` reverses the scores of distances, but not an order.
        step = 1 if self.reading.higher_is_better is False else -1
        return ids, range(0, step * len(ids), step)

    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """Return the queries, and the items of each."""
        x = self.x.to_dict() if is_ranx(self.x) else self.x
        if isinstance(x, Mapping):
            return ids_of(list(x), self.argument), list(x.values())
        entries = list(to_numpy(x) if _dtype_kind(x) else x)
        return self._positions(len(entries)), entries

    def _positions(self, number: int) -> np.ndarray:
        """Return the ids of queries that are in order."""
        if self.reading.query_ids is None:
            return np.arange(number)
        queries = ids_of(self.reading.query_ids, "`query_ids`")
        if len(queries) != number:
            raise ValueError(
                "`query_ids` should have an id for each query of "
                f"{self.argument}, {number:,} in all. Received: "
                f"{len(queries):,}."
            )
        if len(np.unique(queries)) < number:
            raise ValueError(
                "`query_ids` should name each query once. Received: "
                f"{number - len(np.unique(queries)):,} repeated ids."
            )
        return queries

    def _best_first(self, rows: Rows) -> Rows:
        """Return rows without padding, after a check of the order of scores.

        A search has its best items first, so scores that ascend are distances.

        Raises:
            ValueError: if the scores of all queries are in the wrong order.
        """
        if rows.item.dtype.kind == "i":
            rows = Rows(*(column[rows.item >= 0] for column in rows))
        is_run = self.value == "score"
        order = self._order_if_wrong(_steps(rows), 1) if is_run else None
        if order is not None:
            raise ValueError(
                f"The best items of {self.argument} should come first, so that "
                f"scores {order.right}. Received: scores that {order.wrong} in "
                f"every query. {order.remedy}"
            )
        return rows


# Checks, and the arguments that change a run.


def _steps(rows: Rows) -> np.ndarray:
    """Return how many rows have a higher score than the row above, and a lower.

    Only rows of one query are compared.
    """
    above, below = rows.value[:-1], rows.value[1:]
    of_one = rows.query[1:] == rows.query[:-1]
    steps = below > above, below < above
    return np.array([(of_one & step).sum() for step in steps])


def _as_run(rows: Rows, argument: str, reading: Reading) -> Rows:
    """Return the rows of a run with the ids and scores to be ranked."""
    query, item, score = rows
    if reading.item_ids is not None and item.dtype.kind in "iu":
        item = _named_items(item, reading.item_ids, argument)
    if reading.score_dtype:
        score = score.astype(reading.score_dtype)
    if reading.higher_is_better is False:
        score = -score
    if (
        reading.drop_same_id
        and KINDS[query.dtype.kind] == KINDS[item.dtype.kind]
    ):
        # The query is there, even if it retrieves nothing else.
        score = np.where(query == item, -np.inf, score)
    rows = Rows(query, item, score)
    return _best_of_equal(rows, argument, reading.duplicates)


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
    warnings.warn(
        f"{argument} has {again.sum():,} repeated items. The best of each item "
        "in the list of a query counts.",
        UserWarning,
        stacklevel=2,
    )
    keep = np.ones(len(order), bool)
    keep[order[1:][again]] = False
    return Rows(*(column[keep] for column in rows))


def _checked(rows: Rows, argument: str) -> Rows:
    query, item = (ids_of(ids, argument) for ids in rows[:2])
    value = _array(rows.value)
    if value.dtype.kind not in "fiub":
        raise TypeError(
            f"The values of {argument} should be numbers. Received: "
            f"{value.dtype}."
        )
    shapes = query.shape, item.shape, value.shape
    if value.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            f"The queries, items and values of {argument} should be arrays of "
            f"one dimension and one length. Received: {shapes[0]} in the "
            f"queries, {shapes[1]} in the items and {shapes[2]} in the values."
        )
    single = np.promote_types(value.dtype, np.float32)
    return Rows(query, item, value.astype(single, copy=False))


def _check_numbers(rows: Rows, argument: str) -> None:
    query, item, value = rows
    [wrong] = np.nonzero(np.isnan(value))
    if len(wrong):
        raise ValueError(
            f"The values of {argument} should be numbers. Received: NaN for "
            f"the item {as_text(item[wrong[0]].item())!r} of the query "
            f"{as_text(query[wrong[0]].item())!r}."
        )


def ids_of(ids: Any, argument: str) -> np.ndarray:
    """Return ids as an array; raise TypeError if they have several types."""
    array = _array(ids)
    if array.dtype.kind not in KINDS and array.size:
        raise TypeError(
            f"The ids of {argument} should all be integers, all str or all "
            f"bytes, none of them missing. Received: {array.dtype}."
        )
    return array if array.size else array.astype(np.int64).ravel()


def _array(column: Any) -> np.ndarray:
    """Return a column as an array, with strings of a fixed width."""
    if not isinstance(column, list | tuple):
        array = to_numpy(column)
        if array.dtype.kind not in "OT":
            return array
        column = array.tolist()
    kinds = set(map(type, column))
    if len(kinds) > 1 and kinds & {str, bytes}:
        return np.array(column, object)  # numpy would convert integers
    return np.array(column)

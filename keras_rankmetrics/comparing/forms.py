"""The forms of the truth and of a run: each is a class that reads one.

`FORMS` contains them in the order in which they are tried. A form recognises
its objects, checks them, and returns their rows.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from keras_rankmetrics.comparing import frames
from keras_rankmetrics.comparing import reading as read
from keras_rankmetrics.comparing.items_of_query import (
    Items,
    dtype_kind,
    first_of,
    items_of,
)
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.comparing.table_header import Header
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.shapes import check_same
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.engine.warn import warn
from keras_rankmetrics.tables.ids import KINDS, as_text, column_array, ids_of
from keras_rankmetrics.tables.item_rows import (
    Rows,
    as_read,
    query_chunks,
)

_ROWS_OF_CHUNK = 2**20  # of a chunk, up to the end of a query
_SEPARATOR = re.compile(r"[\s,;|\[]")
_FEW = 8  # keys of a hit
_MANY = 15  # rows that are not all better than the row above by chance


@dataclasses.dataclass(eq=False)
class Input(abc.ABC):
    """The truth or a run in some form.

    Args:
        x: an object of this form.
        value: the name of the values, `"label"` or `"score"`.
        argument: the name of the argument, for errors.
        reading: how to read it.

    Attributes:
        same_id: the number of items dropped so far, since they have the id of
            their query.
        assumed: what else is assumed by role, such as `{"relevant":
            "label>=1"}`; for files, also the column of each role.
        looks: how an object of this form looks, for the documentation.
        made_by: what has this form.
        has_ids: True if the items have ids, False for labels or scores, None
            for integers that may be both.
    """

    x: Any
    value: str
    argument: str
    reading: Reading
    same_id: int = dataclasses.field(default=0, init=False)
    assumed: dict[str, str] = dataclasses.field(
        default_factory=dict, init=False
    )

    looks: ClassVar[str]
    made_by: ClassVar[str]
    has_ids: ClassVar[bool | None] = True

    @property
    def in_order(self) -> bool:
        """True if the queries have no ids, but an order."""
        return False

    @classmethod
    @abc.abstractmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True if an object has this form."""

    @abc.abstractmethod
    def chunks(self) -> Iterator[Rows]:
        """Yield the rows, not yet checked."""

    def queries(self) -> np.ndarray | None:
        """Return all queries, some of which may have no items.

        None for inputs that name queries in their rows only.
        """
        return None

    def roles(self) -> dict[str, Any]:
        """Return what was read as each role, such as the name of a column."""
        return {}

    def read_as(self) -> str:
        """Return what was read as each role, or "" if nothing was assumed."""
        roles = {**self.roles(), **self.assumed}
        return as_read(roles, self.reading.columns or {})

    def rows(self) -> Iterator[Rows]:
        """Yield rows in chunks; raise ValueError if there is NaN."""
        for rows in self.rows_with_nan():
            read.check_numbers(rows, self.argument)
            yield rows

    def rows_with_nan(self) -> Iterator[Rows]:
        """Yield rows in chunks, checked, except for NaN."""
        steps = np.zeros(3, np.int64)
        for found in self.chunks():
            rows = read.checked(found, self.argument)
            if self.value == "score":
                self.check_scores(rows)
                steps += read.steps_of(rows)
                reading = self.reading_of_ids()
                rows = read.as_run(rows, self.argument, reading)
                self._count_same_id(rows, reading)
            yield from query_chunks(rows, _ROWS_OF_CHUNK)
        order = self.reading.order_if_wrong(steps, _MANY)
        if self.value == "score" and order is not None:
            warn(
                f"The scores of {self.argument} {order.wrong} in every query, "
                f"as {order.like} do. {order.remedy}"
            )
        if not steps[:2].any() and steps[2] >= _MANY:
            warn(
                f"The scores of {self.argument} should order items. Received: "
                "equal scores in every query. If ranks order them, name their "
                "column as the score, with `higher_is_better=False`."
            )

    def _count_same_id(self, rows: Rows, reading: Reading) -> None:
        """Count dropped items; warn if only the row numbers are like ids."""
        number = int(read.same_id(rows).sum()) * bool(self.reading.drop_same_id)
        if reading.drop_same_id:
            self.same_id += number
        elif number:
            warn(
                f"The queries of {self.argument} should have ids, since the "
                "convention drops the item with the id of its query. Received: "
                f"{number:,} items with the number of their row, which are "
                "kept. Pass `query_ids`."
            )

    def check_scores(self, rows: Rows) -> None:  # noqa: B027
        """Raise ValueError if something else contradicts the scores."""

    def reading_of_ids(self) -> Reading:
        """Return the reading; the numbers of queries are not those of items."""
        if self.in_order and self.reading.query_ids is None:
            return dataclasses.replace(self.reading, drop_same_id=False)
        return self.reading

    def positions(self, number: int) -> np.ndarray:
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

    def best_first(self, rows: Rows) -> Rows:
        """Return hits without padding, after a check of the order of scores.

        A search has its best items first, so scores that ascend are distances.

        Raises:
            ValueError: if the scores of all queries are in the wrong order.
        """
        rows = _without_padding(rows)
        order = self.reading.order_if_wrong(read.steps_of(rows), 1)
        if self.value == "score" and order is not None:
            raise ValueError(
                f"The best items of {self.argument} should come first, so that "
                f"scores {order.right}. Received: scores that {order.wrong} in "
                f"every query. {order.remedy}"
            )
        return rows


def _without_padding(rows: Rows) -> Rows:
    """Return the rows of a dense array, in which -1 is no id."""
    if rows.item.dtype.kind != "i":
        return rows
    return Rows(*(column[rows.item != -1] for column in rows))


class File(Input):
    """A path."""

    looks = '`"run.txt"`, a path'
    made_by = "files of TREC, CSV, TSV, JSON, JSON lines, Parquet; BEIR folders"

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for paths."""
        return isinstance(x, str | os.PathLike)

    def chunks(self) -> Iterator[Rows]:
        """Yield the rows of the file."""
        from keras_rankmetrics.files.runs import rows_of_file

        columns = self.reading.columns or {}
        return rows_of_file(self.x, self.value, columns, self.assumed)


class Chunks(Input):
    """Chunks that are `Rows` already."""

    looks = "`Rows`, or an iterable of them"
    made_by = "your own code, also for runs larger than the memory"

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for `Rows`, iterators, and lists of `Rows`."""
        is_list = isinstance(x, list | tuple)
        return isinstance(x, Rows | Iterator) or (
            is_list and isinstance(first_of(x), Rows)
        )

    def chunks(self) -> Iterator[Rows]:
        """Yield the chunks; an iterator of records is one chunk."""
        chunks = iter([self.x] if isinstance(self.x, Rows) else self.x)
        for each in chunks:
            if isinstance(each, Rows):
                yield each
                continue
            if not Records.matches([each], self.reading):
                raise TypeError(
                    f"{self.argument} should hold chunks of the type `Rows`, "
                    "or records with a query and an item. Received: "
                    f"{type(each).__name__} in it."
                )
            own = self.value, self.argument, self.reading
            yield from Records([each, *chunks], *own).chunks()


class Table(Input):
    """A table with a row for each query and item."""

    looks = "a table with a row for each query and item"
    made_by = (
        "frames of pandas, polars, Arrow, DuckDB, Ibis and PySpark, Hugging "
        "Face datasets, structured arrays, dicts of columns"
    )
    hint: ClassVar[str] = ""  # where there is no column of queries

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for all frames, and for dicts of known columns."""
        if not isinstance(x, Mapping):
            levels = getattr(getattr(x, "index", None), "nlevels", 1)
            return levels > 1 or bool(frames.columns_of(x))
        values = list(x.values())
        are_columns = not any(isinstance(each, Mapping) for each in values)
        return (
            (are_columns or frames.have_cells(values))
            and reading.is_table(list(x))
            and not any(isinstance(each, Rows) for each in values)
        ) or (reading.query_ids is None and frames.is_like_frame(x))

    @functools.cached_property
    def table(self) -> Any:
        """The table in memory, with its columns by name."""
        return frames.in_memory(self.x, self.reading)

    @functools.cached_property
    def header(self) -> Header:
        """The names of the columns, and what they mean."""
        names = frames.columns_of(self.table)
        return Header(names, self.value, self.argument, self.reading, self.hint)

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The name of the column of each role, as `Header.columns`."""
        return self.header.columns()

    def others(self) -> list[Any]:
        """Return the columns that have no role, and might have one."""
        return self.header.others(self.columns)

    def column(self, name: Any) -> np.ndarray:
        """Return a column."""
        return column_array(frames.column(self.table, name))

    def chunks(self) -> Iterator[Rows]:
        """Yield the columns of queries, items and values."""
        columns = self.columns
        arrays = {
            role: frames.column(self.table, name)
            for role, name in columns.items()
        }
        self.header.check_whole(columns, self.column)
        check_same("index", {str(columns[x]): arrays[x] for x in arrays})
        query, item, *values = arrays.values()
        if "rank" in columns:
            # `as_run` reverses the scores of distances, but not ranks.
            sign = 1 if self.reading.higher_is_better is False else -1
            values = [sign * to_numpy(*values).astype(np.float64)]
        yield Rows(query, item, *values or [np.ones(len(query))])

    def check_scores(self, rows: Rows) -> None:
        """Raise ValueError if there are ranks in another order."""
        self.header.check_ranks(self.columns, self.column, rows)

    def roles(self) -> dict[str, Any]:
        """Return the column of each role."""
        columns = dict(self.columns)
        if "rank" in columns:
            columns["score"] = f"-{columns.pop('rank')}"
        elif "label" not in columns and self.value == "label":
            columns["label"] = 1
        return columns


class Records(Table):
    """Records with the fields of a table."""

    looks = '`[{"query_id": ..., "item_id": ..., "score": ...}, ...]`'
    made_by = "named tuples of ir_datasets, ir_measures and Surprise; dicts"
    hint = " The hits of a single query are `[hits]`."

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for lists, or dicts by number, of rows with fields.

        Raises:
            ValueError: if the rows are tuples without names.
        """
        if isinstance(x, Mapping):
            rows = list(x.values())
            if not frames.are_numbers(x) or not frames.have_cells(rows):
                return False
            return reading.is_table(frames.fields(first_of(rows))) or (
                reading.query_ids is None and frames.are_like_records(rows)
            )
        if not isinstance(x, list | tuple):
            return False
        first = first_of(x)
        fields = frames.fields(first)
        if frames.are_triples(x):
            raise ValueError(
                "Rows should have names. Received: tuples without names, such "
                f"as {first!r}. Pass `Rows(*map(numpy.array, zip(*rows)))` of "
                "queries, items, and labels or scores."
            )
        return (
            hasattr(first, "_fields")
            or reading.is_table(fields)
            or (isinstance(first, Mapping) and frames.is_hit(fields, reading))
            or (reading.query_ids is None and frames.are_like_records(x))
        )

    @functools.cached_property
    def table(self) -> Any:
        """The fields as columns."""
        x = self.x.values() if isinstance(self.x, Mapping) else self.x
        rows = list(x)
        names = frames.fields(first_of(rows))
        columns = zip(
            *(
                map(row.get, names) if isinstance(row, Mapping) else row
                for row in rows
            ),
            strict=True,
        )
        return dict(zip(names, columns, strict=True))


class Search(Input):
    """The ids and the scores of a search."""

    looks = "`(scores, ids)`, `[queries, items]`, in either order"
    made_by = "FAISS, ScaNN, hnswlib"
    in_order = True

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for ids and scores `[queries, items]`.

        Raises:
            ValueError: if both are integers.
        """
        if not isinstance(x, tuple) or len(x) != 2:
            return False
        kinds = sorted(map(_kind, x))
        if kinds == ["ids", "ids"] and all(map(dtype_kind, x)):
            raise ValueError(
                "A search result should have ids and scores. Received: two "
                "arrays of ids. Make the scores floats: "
                "`scores.astype(float)`."
            )
        return kinds == ["ids", "scores"]

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.x[0])

    def chunks(self) -> Iterator[Rows]:
        """Yield all rows."""
        arrays = map(to_numpy, self.x)
        ids, scores = sorted(arrays, key=lambda x: x.dtype.kind == "f")
        if ids.shape != scores.shape:
            raise ValueError(
                f"{self.argument} should have ids and scores of one shape, "
                f"[queries, items]. Received: {ids.shape} and {scores.shape}."
            )
        query = np.repeat(self.positions(len(ids)), ids.shape[1])
        yield self.best_first(Rows(query, ids.ravel(), scores.ravel()))


def _kind(x: Any) -> str:
    """Return "ids" or "scores" for arrays and lists `[queries, items]`."""
    if isinstance(x, list | tuple) and not isinstance(
        first_of(x), list | tuple
    ):
        return ""
    array = to_numpy(x)
    kinds = {**dict.fromkeys(KINDS, "ids"), "f": "scores"}
    return kinds.get(dtype_kind(array), "") if array.ndim == 2 else ""


class ByQuery(Input):
    """The items of each query, by the id of the query."""

    looks = "`{query: {item: score}}`, `{query: [item, ...]}`, or sets of items"
    made_by = "pytrec_eval, BEIR, ranx, RAG pipelines; pandas Series of lists"

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for dicts of items, and for a Series of lists."""
        if _is_ranx(x):
            return True
        if _is_series(x):
            first = first_of(list(x))
            if isinstance(first, str) and any(map(_is_split, x)):
                several = next(filter(_is_split, x))
                raise ValueError(
                    f"A text should be one id. Received: {several!r}, which "
                    "may be several ids. Pass `.str.split()`, or lists of one "
                    "text each."
                )
            return isinstance(first, str) or bool(items_of(first, reading))
        if not isinstance(x, Mapping):
            return False
        return all(
            each is None or items_of(each, reading) for each in x.values()
        )

    def queries(self) -> np.ndarray | None:
        """Return the keys."""
        return self.entries()[0]

    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """Return the queries, and the items of each."""
        x = self.x
        if hasattr(x, "index") and not x.index.is_unique:
            raise ValueError(
                f"The index of {self.argument} should name each query once. "
                f"Received: {x.index[x.index.duplicated()][0]!r} twice. Pass "
                "`.groupby(level=0).agg(list)`."
            )
        x = x.to_dict() if hasattr(x, "to_dict") else x
        entries = [[x] if isinstance(x, str) else x for x in x.values()]
        return ids_of(list(x), self.argument), entries

    def chunks(self) -> Iterator[Rows]:
        """Yield the rows of some queries after each other."""
        queries, entries = self.entries()
        forms = [items_of(entry, self.reading) for entry in entries]
        self._check(queries, entries, forms)
        parts = [
            form.of(entry, self.value, self.reading)
            for form, entry in zip(forms, entries, strict=True)
            if form is not None
        ]
        lengths = [len(items) for items, _ in parts]
        chunks = np.cumsum(lengths) // _ROWS_OF_CHUNK
        flat = itertools.chain.from_iterable
        are_hits = any(form.are_hits for form in forms if form is not None)
        for chunk in np.unique(chunks).tolist():
            some = slice(*np.searchsorted(chunks, [chunk, chunk + 1]).tolist())
            values = flat(values for _, values in parts[some])
            rows = Rows(
                np.repeat(queries[some], lengths[some]),
                column_array(list(flat(items for items, _ in parts[some]))),
                read.numbers(list(values), self.argument),
            )
            yield self.best_first(rows) if are_hits else self._of_ids(rows)

    def _check(
        self,
        queries: np.ndarray,
        entries: Sequence[Any],
        forms: Sequence[Items | None],
    ) -> None:
        """Raise TypeError if a query has no list of items."""
        first = next((x for x in entries if isinstance(x, Mapping)), {})
        if len(first) <= _FEW and frames.is_hit(list(first), self.reading):
            raise ValueError(
                f"{self.argument} should have {{item: {self.value}}} or hits "
                f"for each query. Received: {dict(first)!r}, which looks like "
                "one hit. Pass a list of hits for each query."
            )
        for query, entry, form in zip(
            queries.tolist(), entries, forms, strict=True
        ):
            numbers = read.index_of(entry)
            if numbers != list(range(len(numbers))):
                raise ValueError(
                    f"{self.argument} should have a dict, or ids in order, for "
                    f"each query. Received: a Series with the index "
                    f"{numbers[:3]}, ... Pass `.to_dict()` for a value of each "
                    "item, `.tolist()` for ids."
                )
            if form is None:
                raise TypeError(
                    f"{self.argument} should have items for each query. "
                    f"Received: {entry!r} for the query {as_text(query)!r}. "
                    "Pass an empty list for a query without items."
                )
            if not form.have_order and self.value == "score":
                raise TypeError(
                    f"{self.argument} should have a score for each item, or a "
                    "list of items in order. Received: a set of items for the "
                    f"query {as_text(query)!r}. Only `truth` may have sets."
                )

    def _of_ids(self, rows: Rows) -> Rows:
        """Return the rows; raise ValueError if -1 may be an id or padding."""
        item = rows.item
        if item.dtype.kind == "i" and set(item[item < 0].tolist()) == {-1}:
            raise ValueError(
                f"The ids of {self.argument} should be ids alone. Received: "
                "-1, which may be padding or an id, in lists of their own "
                "lengths. Leave padding out, or pass ids as text."
            )
        return rows


def _is_split(text: Any) -> bool:
    return isinstance(text, str) and bool(_SEPARATOR.search(text.strip()))


def _is_ranx(x: Any) -> bool:
    """Return True for `Qrels` and `Run` of ranx."""
    return type(x).__module__.startswith("ranx.") and hasattr(x, "to_dict")


def _is_series(x: Any) -> bool:
    """Return True for a pandas Series of objects, which has an index."""
    return hasattr(x, "to_dict") and dtype_kind(x) in ("O", "U")


class InOrder(ByQuery):
    """The items of each query, for queries in order."""

    looks = "`[[item, ...], ...]`, `[{item: score}, ...]`, `[hits, ...]`"
    made_by = (
        "Sentence Transformers, Annoy, LlamaIndex, LangChain; arrays of text"
    )

    @property
    def in_order(self) -> bool:
        """True unless this is a Series, whose index names the queries."""
        return not hasattr(self.x, "to_dict")

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for lists of the items of a query."""
        form = None
        if isinstance(x, list | tuple):
            form = items_of(first_of(x), reading)
            if frames.are_pairs(x):
                raise ValueError(
                    "The items of a query should be a list. Received: tuples "
                    f"of two ids, such as {x[0]!r}, which may be a query and "
                    "an item. Pass lists, or `{query: [item, ...]}`."
                )
        are_items = form is not None and not form.may_be_numbers
        return are_items or dtype_kind(x) in ("U", "S")

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.x)

    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """Return the ids of the queries, and the items of each."""
        entries = list(to_numpy(self.x) if dtype_kind(self.x) else self.x)
        return self.positions(len(entries)), entries


class Integers(InOrder):
    """Integers: ids if others have ids, else labels or scores."""

    looks = "`[[3, 14], [5]]`, integers next to an input with ids"
    made_by = "relevant items by number"
    has_ids = None

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for arrays and nested lists of integers."""
        while isinstance(x, list | tuple):
            x = first_of(x, 0)  # lists without entries have no labels or scores
        return isinstance(x, int | np.integer) or dtype_kind(x) in ("i", "u")

    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """Return the queries, by name in a pandas Series; and their items."""
        named = hasattr(self.x, "to_dict")
        queries, entries = (ByQuery if named else InOrder).entries(self)
        one = int | np.integer
        return queries, [[x] if isinstance(x, one) else x for x in entries]

    def _of_ids(self, rows: Rows) -> Rows:
        """Return the rows of ids; -1 is padding in lists of equal lengths."""
        lengths = {np.size(each) for each in self.x}
        is_dense = len(lengths) == 1
        self._check_ids(rows.item, *lengths if is_dense else (0,))
        return _without_padding(rows) if is_dense else super()._of_ids(rows)

    def _check_ids(self, items: np.ndarray, width: int) -> None:
        """Raise ValueError if the integers look like labels or like pairs."""
        first = items[:: max(width, 1)]
        received = ""
        if width == 2 and set(items.tolist()) == {0, 1}:
            received = "0 and 1 alone, which look like labels"
        elif (
            # A search of an index of the queries finds each query first.
            self.value == "label"
            and width == 2
            and len(first) > 1
            and np.array_equal(first, np.arange(len(first)))
        ):
            received = "pairs of a query and an item"
        if received:
            raise ValueError(
                f"The integers of {self.argument} should be ids of items. "
                f"Received: {received}. Pass the ids of the items of each "
                "query: `{query: [item, ...]}`."
            )


class Arrays(Input):
    """Labels or scores without ids, as metrics take them."""

    looks = "labels and scores, `[lists, items]`"
    made_by = "models"
    has_ids = False

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for everything else."""
        return True

    def chunks(self) -> Iterator[Rows]:
        """Raise TypeError, since arrays have no ids."""
        raise TypeError(f"{self.argument} should have ids. {EXPECTED}")


EXPECTED = (
    "Pass {query: {item: label}} and {query: {item: score}}, lists of ids for "
    "each query, search results (scores, ids), `Rows`, tables or files. Name "
    "odd columns and fields by `columns`."
)
FORMS: tuple[type[Input], ...] = (
    *(File, Chunks, Search, Table, Records),
    *(ByQuery, InOrder, Integers, Arrays),
)


def class_of(x: Any, reading: Reading) -> type[Input]:
    """Return the form of an object."""
    return next(form for form in FORMS if form.matches(x, reading))


def input_of(x: Any, value: str, argument: str, reading: Reading) -> Input:
    """Return the truth or a run in its form."""
    x = as_lists(x)
    return class_of(x, reading)(x, value, argument, reading)


def as_lists(x: Any) -> Any:
    """Return a column or an array whose entries are lists as a list of them.

    A pandas Series stays, since its index names the queries.

    Raises:
        TypeError: for a sparse matrix.
    """
    if hasattr(x, "toarray"):
        raise TypeError(
            "Labels and scores should be dense, or have ids. Received: "
            f"{type(x).__name__}. Pass `.toarray()`, in which an item without "
            "an entry has the label or score 0; next to ids, the items of each "
            "query, such as `x.tolil().rows`."
        )
    if ops.is_tensor(x):
        return to_numpy(x)
    if hasattr(x, "column_names"):
        return x
    if hasattr(x, "to_pylist"):
        return x.to_pylist()  # of Arrow
    if hasattr(x, "to_list") and not hasattr(x, "index"):
        return x.to_list()  # of polars
    is_nested = isinstance(x, np.ndarray) and x.dtype == object and x.ndim == 1
    return list(x) if is_nested and not isinstance(first_of(x), str) else x

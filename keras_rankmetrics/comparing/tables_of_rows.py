"""Tables with a row for each query and item.

Frames, records and columns are in memory, and lazy tables are read in batches.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from typing import Any, ClassVar

import numpy as np

from keras_rankmetrics.comparing.reading import (
    Columns,
    Input,
    Reading,
    checked_rows,
    checked_values,
    other_column,
    refuse_parts_of_ranks,
)
from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.engine.messages import as_text, warn
from keras_rankmetrics.files import runs
from keras_rankmetrics.tables.ids import column_array
from keras_rankmetrics.tables.item_rows import Part, Rows
from keras_rankmetrics.tables.roles import (
    OF_RANKS,
    RANKS,
    argument,
    columns_of_roles,
    may_have_role,
    parting,
    ranks_in,
    ranks_next_to,
    remedies_of_ranks,
    remedy_of_a_run,
    without_role,
)

# What returns a table in memory: of DuckDB, Ibis, PySpark and polars.
_COLLECT = ("fetchnumpy", "to_pyarrow", "toArrow", "toPandas", "collect")
HIGHEST_GRADE = 5  # of numbers that are labels, where they might be ids
_SOME = 100  # rows that show what all are
# What else to do if a role has no column.
_HINTS = {
    "item": (
        " For queries, labels and scores alone: `evaluate(table, metrics=...)`."
    ),
    "label": ' If each row is relevant: `columns={"label": None}`.',
    "score": (
        " If the order of the items ranks them: name a column `rank`, or pass "
        "`{query: [item, ...]}`."
    ),
}
ROWS = 2**18  # of a batch
_ONCE = "read_next_batch"  # a method of streams, which can be read once
# How to read some columns of a lazy table in batches, by a method of its type:
# one of polars, of data sets and streams of Arrow, of DuckDB, and of Ibis.
_LAZILY: dict[str, Callable[[Any, Sequence[str]], Iterable[Any]]] = {
    "collect_batches": lambda x, names: x.select(names).collect_batches(
        chunk_size=ROWS, maintain_order=True
    ),
    "scanner": lambda x, names: x.to_batches(
        columns=names, batch_size=ROWS, batch_readahead=1, fragment_readahead=1
    ),
    _ONCE: lambda x, names: x,
    "project": lambda x, names: x.project(
        ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    ).to_arrow_reader(ROWS),
    "to_pyarrow_batches": lambda x, names: _of_ibis(x.select(names)),
}


def _of_ibis(x: Any) -> Iterable[Any]:
    """Return the batches of a table of Ibis, or the table as one."""
    connection = getattr(x.get_backend(), "con", None)
    is_duckdb = type(connection).__name__ == "DuckDBPyConnection"
    # Ibis 12 calls this method, which DuckDB 2 no longer has.
    if is_duckdb and not hasattr(connection, "fetch_record_batch"):
        return [x.to_pyarrow()]
    found: Iterable[Any] = x.to_pyarrow_batches(chunk_size=ROWS)
    return found


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
            return levels > 1 or bool(names_in(x))
        values = list(x.values())
        are_columns = not any(isinstance(x, Mapping | Rows) for x in values)
        return (
            (are_columns or _have_cells(values)) and reading.is_table(list(x))
        ) or (reading.query_ids is None and _is_like_frame(x))

    @functools.cached_property
    def table(self) -> Any:
        """The table in memory, whose columns can be read by name.

        The index of pandas becomes columns, unless the others are enough.
        """
        x = self.x
        if isinstance(x, Mapping):
            are_rows = _have_cells([*x.values()])
            return {name: [*x[name].values()] for name in x} if are_rows else x
        for method in _COLLECT:
            if hasattr(x, method):
                return getattr(x, method)()
        if hasattr(x, "reset_index") and (
            self._lacks_columns(names := names_in(x))
            or self._has_chosen([*x.index.names], names)
        ):
            has_names = x.index.nlevels > 1 or x.index.name is not None
            return x.reset_index() if has_names else x
        return x

    def _has_chosen(self, index: Sequence[Any], names: Sequence[Any]) -> bool:
        """Return True if the user chose a level of the index as a column."""
        chosen = {x for x in self.reading.chosen.values() if isinstance(x, str)}
        return bool(chosen & ({*index} - {*names}))

    def _lacks_columns(self, names: Sequence[Any]) -> bool:
        return not self.reading.is_table(names)

    def names(self) -> list[Any]:
        """Return the names of the columns."""
        return names_in(self.table)

    def column(self, name: Any) -> Any:
        """Return a column; the classes of Hugging Face by name, not number."""
        features = getattr(self.table, "features", {})
        classes = getattr(features.get(name), "names", None)
        values = self.table[name]
        return [classes[x] for x in values] if classes else values

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The name of the column of each role.

        The role of values is missing if each row is relevant, and `"rank"` if
        there are ranks in place of scores.

        Raises:
            ValueError: if a role has no column, or several.
        """
        names, chosen = self.names(), self.reading.chosen
        columns, wrong = columns_of_roles(
            ("query", "item", *self.more, self.value),
            names,
            chosen,
            {**_HINTS, "query": self.hint},
        )
        has_others = len(columns) == 2 + len(self.more)
        if has_others and not self.reading.candidates(self.value, names):
            ranks = ranks_in(names, columns)
            if self.value == "score" and "score" not in chosen and ranks:
                return {**columns, "rank": ranks[0]}
            if self.value == "label" and (
                chosen["label"] is None
                if "label" in chosen
                else not self._others(columns)
            ):
                return columns
        if wrong:
            raise self._error(*self._of_lists() or wrong)
        return columns

    def _of_lists(self) -> tuple[str, Any, str] | None:
        """Return the error for columns with a list in each row, or None."""
        x = self.table
        names = [*x] if hasattr(x, "iloc") or isinstance(x, Mapping) else []
        firsts = {name: next(iter(x[name]), None) for name in names}
        several = [
            name
            for name, first in firsts.items()
            if isinstance(first, list | tuple | np.ndarray)
        ]
        single = [name for name in names if name not in several]
        if not several or not single:
            return None
        return (
            "should have one value in each row.",
            f"lists in the columns {several}",
            "Pass a dict as the truth and one as the run, each made as "
            f"`dict(zip(x[{single[0]!r}], x[{several[0]!r}]))`.",
        )

    def _error(self, expected: str, received: Any, remedy: str) -> ValueError:
        text = f"{self.argument} {expected} Received: {received}. {remedy}"
        return ValueError(text)

    def chunks(self) -> Iterator[Columns]:
        """Yield the columns of queries, items and values."""
        columns, arrays = self.columns, self.arrays()
        self._check_whole()
        query, item = arrays["query"], arrays["item"]
        if "rank" in columns:
            # The sign of distances changes later, but ranks are no distances.
            ranks = to_numpy(arrays["rank"]).astype(np.float64)
            value = -self.reading.sign * ranks
        else:
            value = arrays.get(self.value, np.ones(len(query)))
            self._check_no_scores(value)
        others = {role: arrays[role] for role in self.more}
        yield Columns(query, item, value, {**others, **self._ranks()})

    def arrays(self) -> dict[str, Any]:
        """Return the column of each role, as it is.

        Raises:
            ValueError: if columns have an index, and not the same one.
        """
        names = self.columns
        arrays = {role: self.column(name) for role, name in names.items()}
        check_aligned_axis("index", {str(names[x]): arrays[x] for x in arrays})
        return arrays

    def _check_no_scores(self, value: Any) -> None:
        """Raise ValueError if labels in a column of scores seem to be scores.

        Args:
            value: the labels, or the scores of a run.
        """
        remedy = remedy_of_a_run(self.columns, self.reading.chosen)
        if not remedy:
            return
        name = self.columns["label"]
        expected = f"should have whole numbers as labels in a column {name!r}."
        numbers = checked_values(value, self.argument)
        for wrong in numbers[numbers % 1 > 0][:1]:
            raise self._error(expected, wrong, remedy)

    def _ranks(self) -> dict[str, np.ndarray]:
        """Return the ranks next to scores as floats, by their role."""
        columns = {
            x: column_array(self.column(y)) for x, y in self.ranks.items()
        }
        return {
            role: x.astype(np.float64)
            for role, x in columns.items()
            if x.dtype.kind in "iuf"
        }

    def accepted(self, rows: Rows) -> Rows:
        """Return the rows, whose ranks in place of scores are checked.

        Raises:
            ValueError: if they are not ranks of whole lists.
        """
        if "rank" in self.columns and len(rows.query):
            ranks = -self.reading.sign * rows.value
            refuse_parts_of_ranks(rows.query, ranks, self.argument)
            self._warn_of_repeated(rows)
        return rows

    @functools.cached_property
    def ranks(self) -> dict[str, Any]:
        """The column of ranks next to scores, by its role."""
        return ranks_next_to(self.columns, self.names(), self.reading.chosen)

    def remedies(self) -> Mapping[str, str]:
        """Return what to do if ranks are in the wrong order."""
        if "rank" in self.columns:
            return OF_RANKS
        return remedies_of_ranks({**self.columns, **self.ranks})

    def roles(self) -> dict[str, Any]:
        """Return the column of each role."""
        columns = dict(self.columns)
        if "rank" in columns:
            columns["score"] = f"-{columns.pop('rank')}"
        elif "label" not in columns and self.value == "label":
            columns["label"] = 1
        return columns

    def unread(self) -> list[Any]:
        """Return the columns that have no role."""
        return without_role(self.names(), self.columns)

    def check_other_column(self, run: Table) -> None:
        """Raise ValueError if one column is the labels and the scores.

        A table without other columns may be its own run, whose values are
        perfect.

        Args:
            run: a run in the same form as this truth.
        """
        label, score = self.columns.get("label"), run.columns.get("score")
        taken = run.columns.values()
        others = [x for x in self._others(self.columns) if x not in taken]
        if run.x is self.x and label == score and others:
            raise ValueError(
                "The labels and the scores of one table should be different "
                f"columns. Received: {label!r} for both, and {others}. Name "
                f"the scores: {argument({'score': others[0]})}."
            )

    def _others(self, columns: Mapping[str, Any]) -> list[Any]:
        """Return the columns that have no role, and might have one."""
        free = without_role(self.names(), columns)
        return list(filter(may_have_role, free))

    @functools.cached_property
    def whole(self) -> dict[Any, Any]:
        """The value of each column that splits rows, in all batches so far."""
        return {}

    def _check_whole(self) -> None:
        """Raise ValueError if a column splits the rows, such as by model."""
        if set(self.columns) <= set(self.reading.chosen):
            return
        remedy = "; or drop the column, or name all others by `columns`"
        for name in parting(self.names(), self.columns):
            self.check_one_value(name, self.column(name), remedy)

    def check_one_value(self, name: Any, x: Any, remedy: str) -> None:
        """Raise ValueError if a column has several values.

        Args:
            name: the name of the column.
            x: the column, or a batch of it.
            remedy: what else to do than to select the rows of one value.
        """
        values = column_array(x)
        first = self.whole.setdefault(name, values[0] if len(values) else None)
        for other in values[values != first][:1]:
            raise ValueError(
                f"The rows of {self.argument} should belong together. "
                f"Received: {first} and {other} in the column {name!r}. Select "
                f"the rows of one{remedy}."
            )

    def _warn_of_repeated(self, rows: Rows) -> None:
        order = np.lexsort((rows.value, rows.query))
        query, rank = rows.query[order], rows.value[order]
        same = (query[1:] == query[:-1]) & (rank[1:] == rank[:-1])
        for at in np.flatnonzero(same)[:1].tolist():
            warn(
                f"The ranks of {self.argument} should occur once in a query. "
                f"Received: {abs(rank[at]):g} twice in the query "
                f"{as_text(query[at].item())!r}. These items are tied."
            )


class Records(Table):
    """Records with the fields of a table."""

    looks = '`[{"query_id": ..., "item_id": ..., "score": ...}, ...]`'
    made_by = "named tuples of ir_datasets, ir_measures and Surprise; dicts"
    hint = " The hits of a single query are `[hits]`."

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for lists, or dicts by number, of rows with fields.

        Raises:
            ValueError: if the rows are tuples without names, or have lists.
        """
        is_list, rows = isinstance(x, list | tuple), x
        if isinstance(x, Mapping):
            rows = list(x.values())
            if not _are_numbers(x) or not _have_cells(rows):
                return False
        elif not is_list:
            return False
        elif _are_triples(x):
            raise ValueError(
                "Rows should have names. Received: tuples without names, such "
                f"as {x[0]!r}. Pass `Rows(*map(numpy.array, zip(*rows)))` of "
                "queries, items, and labels or scores."
            )
        fields = fields_of(first := first_of(rows))
        if (
            reading.is_table(fields)
            or (is_list and hasattr(first, "_fields"))
            or (is_list and is_hit(first, reading))
        ):
            return True
        if isinstance(first, Mapping):
            _refuse_lists(first, reading)
        return reading.query_ids is None and _are_like_records(rows)

    @functools.cached_property
    def table(self) -> Any:
        """The fields as columns."""
        rows = [*(self.x.values() if isinstance(self.x, Mapping) else self.x)]
        names = fields_of(first_of(rows))
        cells = (
            map(row.get, names) if isinstance(row, Mapping) else row
            for row in rows
        )
        return dict(zip(names, zip(*cells, strict=True), strict=True))


def _refuse_lists(record: Mapping[Any, Any], reading: Reading) -> None:
    """Raise ValueError for a record of one query with a list of items."""
    lists = [
        name
        for name, x in record.items()
        if isinstance(x, list | tuple | np.ndarray)
        if isinstance(first_of(x), str | int | np.integer | Mapping | tuple)
    ]
    single = [name for name, x in record.items() if isinstance(x, str | int)]
    if lists and single:
        query = [*reading.candidates("query", single), *single][0]
        raise ValueError(
            "Records should have one item each, or be a dict by query. "
            f"Received: {[*record]}, of which {lists} are lists. Pass "
            f"`{{row[{query!r}]: row[{lists[0]!r}] for row in x}}`, or the "
            "field that has the items."
        )


class InBatches(Table):
    """A lazy table, of which a batch is in memory.

    Attributes:
        is_scattered: True once rows of a query were found apart.
    """

    looks = "a lazy table with a row for each query and item"
    made_by = "`scan_*` of polars, DuckDB, Ibis, data sets and streams of Arrow"
    is_scattered = False
    of_batch: ClassVar[type[Table]] = Table

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for tables that can be read in batches."""
        return any(hasattr(type(x), method) for method in _LAZILY)

    @property
    def path(self) -> str:
        """The name of the table, for errors."""
        return self.argument

    @property
    def table(self) -> Any:
        """The lazy table, of which only the names are known."""
        return self.x

    def names(self) -> list[Any]:
        """Return the names of the columns."""
        return names_in(self.x) or list(self.x.schema.names)

    def batches(self) -> Iterator[Any]:
        """Yield batches, which are tables in memory, of the columns to read.

        Raises:
            ValueError: if a stream would have to be read again.
        """
        kind = type(self.x)
        if self.is_scattered and hasattr(kind, _ONCE):
            raise ValueError(
                f"The rows of a query of {self.argument} should be together. "
                "Received: a stream, which can be read once, with rows of a "
                "query apart. Sort it by query, or pass a table."
            )
        columns = {**self.columns, **self.ranks}
        names = [*columns.values(), *parting(self.names(), columns)]
        read = next(_LAZILY[x] for x in _LAZILY if hasattr(kind, x))
        own = self.value, self.argument, self.reading, self.more
        whole: dict[Any, Any] = {}
        for batch in read(self.x, [*dict.fromkeys(names)]):
            found = self.of_batch(batch, *own)
            found.columns, found.whole = self.columns, whole
            yield found


class LazyTable(InBatches):
    """A lazy table as the truth or as a run."""

    def chunks(self) -> Iterator[Columns]:
        """Yield chunks of whole queries; all rows if they are apart."""
        parts = self._parts()
        if self.value == "label" or self.is_scattered:
            found = Part.joined(parts)
            yield Columns(*found[:3], found.others)
            return
        for part in runs.whole_queries(self, parts):
            yield Columns(*part[:3], part.others)

    def _parts(self) -> Iterator[Part]:
        """Yield the rows of each batch."""
        for batch in self.batches():
            for columns in batch.chunks():
                rows = checked_rows(columns, self.argument, self.value)
                others = {
                    role: x
                    if role == RANKS
                    else other_column(role, x, self.argument)
                    for role, x in columns.others.items()
                }
                yield Part(*rows, np.arange(len(rows.query)), others)


def names_in(x: Any) -> list[Any]:
    """Return the names of the columns of a table; none for other objects."""
    if isinstance(x, Mapping):
        return list(x)
    if hasattr(x, "column_names"):  # of Arrow, or of Hugging Face
        return list(x.column_names or ())
    if hasattr(x, "collect_schema"):  # of polars, where `columns` would warn
        return list(x.collect_schema())
    names: Any = getattr(getattr(x, "dtype", None), "names", None)
    return list(names or getattr(x, "columns", ()))


def fields_of(record: Any) -> list[Any]:
    """Return the names of the fields of a named tuple or a dict."""
    keys = record if isinstance(record, Mapping) else ()
    return list(getattr(record, "_fields", keys))


def is_hit(x: Any, reading: Reading) -> bool:
    """Return True for the dict of a hit, which does not name its query."""
    if not isinstance(x, Mapping):
        return False
    keys = list(x)
    values = [reading.candidates(value, keys) for value in ("score", "label")]
    return any(values) and bool(reading.keys_of_items(keys))


def first_of(x: Iterable[Any], default: Any = None) -> Any:
    """Return the first entry that is not an empty list."""
    full = (each for each in x if not hasattr(each, "__len__") or len(each))
    return next(full, default)


def _have_cells(columns: Sequence[Any]) -> bool:
    """Return True for dicts with the same keys, and single values."""
    return all(
        isinstance(each, Mapping) and each.keys() == columns[0].keys()
        for each in columns
    ) and not any(
        np.ndim(cell) or isinstance(cell, Mapping | Set)
        for column in columns[:1]
        for cell in column.values()
    )


def _is_like_frame(x: Mapping[Any, Any]) -> bool:
    """Return True for dicts by name that might be columns of a frame.

    Their columns are lists, one of them of floats, which are no ids; or dicts
    by the number of the row.
    """
    columns = list(x.values())
    rows: Iterable[Any] = ()
    if all(isinstance(column, list) for column in columns):
        if any(isinstance(x[0], float) for x in columns if x):
            rows = zip(*columns, strict=False)
    elif _have_cells(columns) and _are_numbers(columns[0]):
        rows = zip(*(column.values() for column in columns), strict=True)
    some = itertools.islice(rows, _SOME)
    return _are_like_records([dict(zip(x, row, strict=True)) for row in some])


def _are_numbers(keys: Iterable[Any]) -> bool:
    """Return True for 0, 1, 2, ..., which JSON has as text."""
    return all(str(key) == str(number) for number, key in enumerate(keys))


def _are_triples(x: Sequence[Any]) -> bool:
    """Return True for tuples of a query, an item and a number.

    Tuples of three grades may be the labels of a list.
    """
    some = x[:_SOME]
    return (
        all(type(each) is tuple and len(each) == 3 for each in some)
        and all(isinstance(id_, str | int) for x in some for id_ in x[:2])
        and all(isinstance(number, int | float) for _, _, number in some)
        and are_no_grades(id_ for each in some for id_ in each[:2])
    )


def are_no_grades(values: Iterable[Any]) -> bool:
    """Return True if texts or integers cannot all be grades."""
    return any(isinstance(x, str) or x > HIGHEST_GRADE for x in values)


def _are_like_records(x: Sequence[Any]) -> bool:
    """Return True for dicts that might be rows, or the items of each query.

    They have the same keys, and columns without fractions, which could be ids.
    """
    some = x[:_SOME]
    if len(some) < 2 or not all(isinstance(each, Mapping) for each in some):
        return False
    keys = list(some[0])
    if len(keys) < 3 or any(list(each) != keys for each in some):
        return False
    if not all(isinstance(key, str) for key in keys):  # these are items
        return False
    columns = zip(*(each.values() for each in some), strict=True)
    ids = [x for x in columns if all(isinstance(id_, str | int) for id_ in x)]
    return len(ids) > 1 and are_no_grades(itertools.chain(*ids))

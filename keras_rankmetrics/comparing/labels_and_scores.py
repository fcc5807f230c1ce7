"""The forms of a table that has both labels and scores in each row.

Each yields parts of the table: all of one in memory; of a file or a lazy table
chunks of whole queries, unless the rows of a query are apart.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.forms import Chunks, File
from keras_rankmetrics.comparing.reading import Reading, checked_values
from keras_rankmetrics.comparing.tables_of_rows import (
    Records,
    Table,
    fields_of,
    first_of,
    names_in,
)
from keras_rankmetrics.engine.inputs.shapes import check_aligned_axis
from keras_rankmetrics.files import runs
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.files.fields import INEXACT, Part
from keras_rankmetrics.tables import ids, item_rows
from keras_rankmetrics.tables.item_rows import Rows

_ARGUMENT = "`truth`"
_ONCE = "read_next_batch"  # what a stream has, which can be read once
_ROWS = 2**18  # of a batch of a lazy table


class Both(Table):
    """A table in memory, with a label and a score in each row."""

    is_scattered = False
    path = _ARGUMENT

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The name of the column of each role; there may be no items."""
        found = item_rows.columns_of_both(self.names(), self.reading.chosen)
        columns, wrong = found
        if wrong:
            raise self._error(*wrong)
        return columns

    def parts(self) -> Iterator[Part]:
        """Yield chunks of whole queries, whose arrays fit in the cache."""
        return _chunks(self.part())

    def part(self) -> Part:
        """Return all rows, in the order of the table."""
        columns = self.columns
        arrays = {role: self.column(name) for role, name in columns.items()}
        self._check_whole()
        named = {str(columns[role]): x for role, x in arrays.items()}
        check_aligned_axis("index", named)
        of_ids = [
            ids.ids_of(arrays[role], self.argument)
            for role in ("query", "item")
            if role in arrays
        ]
        numbers = [
            _exact(checked_values(arrays[role], self.argument))
            for role in ("label", "score")
        ]
        lengths = {name: len(x) for name, x in named.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                f"The columns of {self.argument} should have one length. "
                f"Received: {lengths}."
            )
        query, item = (*of_ids, np.zeros(len(of_ids[0]), "S1"))[:2]
        self._check_ranks(Rows(query, item, numbers[1]))
        line = np.arange(1, len(query) + 1)
        return Part(query, item, np.stack(numbers, axis=1), line)


def _chunks(part: Part) -> Iterator[Part]:
    """Yield chunks of whole queries, sorted unless they are together."""
    value = np.column_stack([part.value, part.line])
    rows = Rows(part.query, part.item, value)
    for query, item, value in item_rows.query_chunks(rows, _ROWS):
        yield Part(query, item, value[:, :2], value[:, 2].astype(np.int64))


class BothInRecords(Both, Records):
    """Records with the fields of such a table."""


class BothLazily(Both):
    """A table that is read in batches: a query, a data set or a stream."""

    @property
    def table(self) -> Any:
        """The lazy table, of which only the names are known."""
        return self.x

    def names(self) -> list[Any]:
        """Return the names of the columns."""
        return names_in(self.x) or list(self.x.schema.names)

    def parts(self) -> Iterator[Part]:
        """Yield chunks of whole queries; all rows at once if they are apart."""
        if self.is_scattered and hasattr(self.x, _ONCE):
            raise ValueError(
                f"The rows of a query of {self.argument} should be together. "
                "Received: a stream, which can be read once, with rows of a "
                "query apart. Sort it by query, or pass a table."
            )
        names = [*self.columns.values()]
        batches = next(
            read(self.x, names)
            for method, read in _LAZILY.items()
            if hasattr(self.x, method)
        )
        own = self.value, self.argument, self.reading
        parts = (Both(x, *own).part() for x in batches)
        if self.is_scattered:
            yield from _chunks(Part.joined(parts))
        else:
            yield from runs.whole_queries(self, parts)


class BothInFile(File):
    """A file of such a table."""

    @functools.cached_property
    def source(self) -> Source:
        """The file, which the command passes in place of a path."""
        if not isinstance(self.x, Source):
            return Source(os.fsdecode(self.x), "both", self.reading.chosen)
        self.x.columns = self.reading.chosen  # one of several scores
        return self.x

    @property
    def is_scattered(self) -> bool:
        """True once rows of a query were found apart."""
        return self.source.is_scattered

    def parts(self) -> Iterator[Part]:
        """Yield chunks of whole queries; all rows at once if they are apart."""
        for part in runs.chunks_of_file(self.source):
            query, item, value = runs.text_rows(part)
            yield Part(query, item, value, part.line)


OneTable = Both | BothInFile


def _exact(numbers: np.ndarray) -> np.ndarray:
    """Return floats. Raise ValueError for integers that these would tie."""
    if numbers.dtype.kind in "iu":
        raise ValueError(
            "Labels and scores should be exact in float64. Received: integers "
            f"such as {numbers[np.argmax(numbers)]}. {INEXACT}"
        )
    return numbers


def table_of(x: Any, reading: Reading) -> OneTable:
    """Return a table that has both labels and scores.

    Raises:
        TypeError: if an object is no table.
    """
    own = "score", _ARGUMENT, reading
    if File.matches(x, reading) or isinstance(x, Source):
        return BothInFile(x, "score", os.fsdecode(x), reading)
    if _is_lazy(x):
        return BothLazily(x, *own)
    if isinstance(x, list | tuple) and fields_of(first_of(x)):
        return BothInRecords(x, *own)
    is_table = not isinstance(x, Mapping) and bool(names_in(x))
    are_columns = isinstance(x, Mapping) and not any(
        isinstance(column, Mapping | str)
        or not hasattr(column, "__len__")
        or names_in(column)
        for column in x.values()
    )
    if (is_table or are_columns) and not Chunks.matches(x, reading):
        return Both(x, *own)
    raise TypeError(
        "Without `run`, there should be a table with columns for the query, "
        f"the label and the score. Received: {type(x).__name__}. Pass "
        "`evaluate(truth, run, metrics)` for labels and scores in two objects."
    )


# How to read some columns of a lazy table in batches, by the method that tells
# it: of polars, of a data set and a stream of Arrow, of DuckDB, and of Ibis.
_LAZILY: dict[str, Callable[[Any, Sequence[str]], Iterable[Any]]] = {
    "collect_batches": lambda x, names: x.select(names).collect_batches(
        chunk_size=_ROWS, maintain_order=True
    ),
    "scanner": lambda x, names: x.to_batches(columns=names, batch_size=_ROWS),
    _ONCE: lambda x, names: x,
    "to_arrow_reader": lambda x, names: x.project(
        ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    ).to_arrow_reader(_ROWS),
    "to_pyarrow_batches": lambda x, names: x.select(names).to_pyarrow_batches(
        chunk_size=_ROWS
    ),
}


def _is_lazy(x: Any) -> bool:
    return any(hasattr(x, method) for method in _LAZILY)

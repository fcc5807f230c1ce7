"""The forms of a table that has both labels and scores in each row.

Each yields parts of the table in chunks of whole queries. A file and a lazy
table are held in memory only if the rows of a query are apart.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.forms import Chunks, File, input_of, lines_of
from keras_rankmetrics.comparing.reading import (
    Columns,
    Input,
    Reading,
    checked_values,
    other_column,
    read_whole,
)
from keras_rankmetrics.comparing.tables_of_rows import (
    ROWS,
    InBatches,
    Records,
    Table,
    fields_of,
    first_of,
    names_in,
)
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.files import runs
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.files.fields import INEXACT
from keras_rankmetrics.tables import ids, item_rows, roles
from keras_rankmetrics.tables.item_rows import Part, Rows

_ARGUMENT = "`truth`"
# Options of two inputs.
_OF_TWO = "query_ids", "item_ids", "duplicates", "parents", "worst_score"


class ScoredTable(Table):
    """A table in memory, with a label and scores in each row."""

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for frames, and for dicts of columns."""
        if Chunks.matches(x, reading):
            return False
        if not isinstance(x, Mapping):
            return bool(names_in(x))
        return not any(
            isinstance(column, Mapping | str)
            or not hasattr(column, "__len__")
            or names_in(column)
            for column in x.values()
        )

    def _lacks_columns(self, names: Sequence[Any]) -> bool:
        return not self.reading.candidates("query", names)

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        """The name of the column of each role; there may be no items."""
        columns, wrong = roles.columns_of_both(
            self.names(), self.reading.columns or {}, self.more
        )
        if wrong:
            raise self._error(*self._of_lists() or wrong)
        return columns

    def roles(self) -> dict[str, Any]:
        """Return the column of each role but for several columns of scores."""
        return _without_several(self.columns)

    def parts(self) -> Iterator[Part]:
        """Yield chunks of whole queries, whose arrays fit in the cache."""
        return _chunks(self.part())

    def part(self) -> Part:
        """Return all rows, in the order of the table.

        Raises:
            ValueError: if such a column has another value.
        """
        columns, arrays = self.columns, self.arrays()
        for role in [role for role in arrays if role.startswith(roles.PART)]:
            remedy = ", or, if the column has no such meaning, drop it"
            self.check_one_value(columns[role], arrays.pop(role), remedy)
        found = {}
        for role, x in arrays.items():
            if role in ("query", "item"):
                column = ids.ids_of(x, self.argument)
            elif role in self.more:
                column = other_column(role, x, self.argument)
            else:
                argument = f"the column {columns[role]!r} of {self.argument}"
                column = _numbers(x, argument, role)
            found[role] = _flat(columns[role], column)
        lengths = {columns[role]: len(x) for role, x in found.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                f"The columns of {self.argument} should have one length. "
                f"Received: {lengths}."
            )
        query = found.pop("query")
        item = found.pop("item", np.zeros(len(query), "S1"))
        others = {role: found.pop(role) for role in self.more} | self._ranks()
        value = np.column_stack([*found.values()])
        line = np.arange(1, len(query) + 1)
        return Part(query, item, value, line, others)


def _numbers(x: Any, argument: str, role: str) -> np.ndarray:
    """Return floats. Raise ValueError for integers that these would tie."""
    numbers = checked_values(x, argument, role)
    if numbers.dtype.kind in "iu":
        raise ValueError(
            "Labels and scores should be exact in float64. Received: integers "
            f"such as {numbers.ravel()[np.argmax(numbers)]}. {INEXACT}"
        )
    return numbers


def _flat(name: Any, x: np.ndarray) -> np.ndarray:
    """Return a column `[rows]`, which may also be `[rows, 1]`."""
    if x.shape[1:] == (1,):
        return x[:, 0]
    if x.ndim != 1:
        raise ValueError(
            f"The column {name!r} should have one value in each row. Received: "
            f"the shape {x.shape}."
        )
    return x


def _chunks(part: Part) -> Iterator[Part]:
    """Yield chunks of whole queries, sorted unless their rows are together."""
    rows = Rows(part.query, part.item, np.arange(len(part.query)))
    for *_, at in item_rows.query_chunks(rows, ROWS):
        first = at[0] if len(at) else 0
        are_in_order = (at == np.arange(first, first + len(at))).all()
        yield part.at(slice(first, first + len(at)) if are_in_order else at)


def _counted(batches: Iterable[Part]) -> Iterator[Part]:
    """Yield batches of one table, whose rows are numbered through."""
    done = 0
    for part in batches:
        yield part._replace(line=part.line + done)
        done += len(part.line)


class ScoredRecords(ScoredTable, Records):
    """Records with the fields of such a table."""

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for lists of rows with fields."""
        return isinstance(x, list | tuple) and bool(fields_of(first_of(x)))


class ScoredInBatches(InBatches, ScoredTable):
    """A lazy table of labels and scores."""

    of_batch = ScoredTable

    def parts(self) -> Iterator[Part]:
        """Yield chunks of whole queries; hold all rows if they are apart."""
        parts = _counted(batch.part() for batch in self.batches())
        if self.is_scattered:
            yield from _chunks(Part.joined(parts))
        else:
            yield from runs.whole_queries(self, parts)


class ScoredFile(File):
    """A file of such a table."""

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for paths, and for the files of the command."""
        return isinstance(x, Source) or File.matches(x, reading)

    @functools.cached_property
    def source(self) -> Source:
        """The file, which the command passes in place of a path."""
        if isinstance(self.x, Source):
            self.x.others = self.more
            return self.x
        path, chosen = os.fsdecode(self.x), self.reading.chosen
        return Source(path, "both", chosen, others=self.more)

    def roles(self) -> dict[str, Any]:
        """Return the column of each role but for several columns of scores."""
        return _without_several(self.source.read_as)

    @property
    def is_scattered(self) -> bool:
        """True once rows of a query were found apart."""
        return self.source.is_scattered

    def parts(self) -> Iterator[Part]:
        """Yield chunks of whole queries; hold all rows if they are apart.

        As for other files, only the command has ids of bytes.
        """
        if self.source.scores:
            roles.check_chosen(self.reading.chosen, [])
        for part in runs.chunks_of_file(self.source):
            if isinstance(self.x, Source):
                yield part
                continue
            yield runs.in_text(part)


def _without_several(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {role: name for role, name in columns.items() if " " not in role}


OneTable = ScoredTable | ScoredFile
# In the order in which they are tried.
_FORMS: tuple[type[OneTable], ...] = (
    ScoredFile,
    ScoredInBatches,
    ScoredRecords,
    ScoredTable,
)


class Held:
    """A table whose rows are read once, for both of its sides.

    Args:
        table: the table.
    """

    def __init__(self, table: OneTable) -> None:
        self.table = table

    @functools.cached_property
    def parts(self) -> list[Part]:
        """All rows; those of a table whose queries are apart, read again."""
        return read_whole(
            lambda: [part for part in self.table.parts() if len(part.query)]
        )

    def labelled(self) -> Held:
        """Return the rows that have a label, which may be missing."""
        found = Held(self.table)
        found.parts = [
            part.at(~np.isnan(part.value[:, 0])) for part in self.parts
        ]
        return found


@dataclasses.dataclass(eq=False)
class Side(Input):
    """The labels or the scores of a table that has both, as a truth or a run.

    If items have no ids, their rows are their ids. The rows for the subtopics
    of an item are one row of the run.

    Args:
        place: the place of the values: 0 for labels, then scores in order.
    """

    place: int = 0

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return False, since `sides_of` makes these."""
        return False

    def names(self) -> list[Any] | None:
        """Return the names of the columns of the table."""
        names: list[Any] | None = self.x.table.names()
        return names

    def roles(self) -> dict[str, Any]:
        """Return the column of each role of this side."""
        roles = ("query", "item", *self.more, self.value)
        found = self.x.table.roles().items()
        return {role: name for role, name in found if role in roles}

    def unread(self) -> list[Any]:
        """Return the columns that have no role on either side."""
        names: list[Any] = self.x.table.unread()
        return names

    def remedies(self) -> Mapping[str, str]:
        """Return what to do if ranks contradict the scores."""
        remedies: Mapping[str, str] = self.x.table.remedies()
        return remedies

    def chunks(self) -> Iterator[Columns]:
        """Yield the rows of the table."""
        is_run, table = self.value == "score", self.x.table
        for part in self.x.parts:
            if is_run and "subtopic" in table.more:
                part = part.at(self._once(part))
            value, item = part.value[:, self.place], part.item
            if not has_items(table):
                item = np.char.add("row ", part.line.astype(np.str_))
            own = (roles.RANKS,) if is_run else self.more
            others = {x: part.others[x] for x in own if x in part.others}
            yield Columns(part.query, item, value, others)

    def _once(self, part: Part) -> np.ndarray:
        """Return True for the first row of each item, bool `[rows]`.

        Raises:
            ValueError: if the rows of an item have several scores.
        """
        numbers, first = item_rows.numbered(part.query)
        pairs = item_rows.ListItems.of(numbers, part.item, len(first))
        one, again = item_rows.duplicates(pairs)
        score = part.value[:, self.place]
        for at in np.flatnonzero(score[one] != score[again])[:1]:
            row, other = one[at], again[at]
            raise ValueError(
                f"{_ARGUMENT} should have one score in all rows of an item. "
                f"Received: {score[row]} and {score[other]} for the item "
                f"{as_text(part.item[row].item())!r} of the query "
                f"{as_text(part.query[row].item())!r}. Pass labels and "
                "scores of two objects as `truth` and `run`."
            )
        keep = np.ones(len(numbers), bool)
        keep[again] = False
        return keep


def sides_of(truth: Any, run: Any, reading: Reading) -> tuple[Input, Input]:
    """Return the truth and the run, of two inputs or of one table.

    Args:
        truth: the truth, or a table of labels and scores.
        run: the run, or None.
        reading: how to read both.
    """
    reading.column_of_scores()  # or raise an error
    more = reading.of_queries
    lines = None if run is None else lines_of(truth, [run])
    if run is None or lines:
        held = Held(one_table_of(lines or truth, reading))
        judged = Side(held, "label", _ARGUMENT, reading, more)
        return judged, Side(held, "score", _ARGUMENT, reading, place=1)
    of_two = input_of(truth, "label", _ARGUMENT, reading, more)
    return of_two, input_of(run, "score", "`run`", reading)


def has_items(table: OneTable) -> bool:
    """Return True if items have ids; otherwise rows are the items."""
    return "item" in table.roles()


def without_items(table: OneTable, otherwise: str = "") -> str:
    """Return that a table has no ids of items, and what to do, in words.

    Args:
        table: the table.
        otherwise: what to do in place of naming its column, if any.
    """
    remedy = f"Name it: {roles.argument({'item': '...'})}{otherwise}"
    if isinstance(table, ScoredFile) and table.source.scores:
        remedy = "Pass judgements with ids as comments, and a run with ids"
    return f"no column of items in {table.argument}. {remedy}"


def one_table_of(
    x: Any, reading: Reading, more: tuple[str, ...] = ()
) -> OneTable:
    """Return a table that has both labels and scores.

    Args:
        x: the table.
        reading: how to read it.
        more: the roles of further columns to read than those that the user
            chose.

    Raises:
        TypeError: if an object is no table.
        ValueError: if an option is for a truth and a run.
    """
    for field in dataclasses.fields(reading):
        value = getattr(reading, field.name)
        if field.name in _OF_TWO and value is not field.default:
            raise ValueError(
                f"`{field.name}` is for a truth and a run. Received: one table "
                "of labels and scores. Leave it out."
            )
    more = *reading.of_queries, *more
    for form in _FORMS:
        if form.matches(x, reading):
            is_file = form is ScoredFile
            argument = os.fsdecode(x) if is_file else _ARGUMENT
            return form(x, "score", argument, reading, more)
    raise TypeError(
        "Without `run`, there should be a table with columns for the query, "
        f"the label and the score. Received: {type(x).__name__}. Pass "
        "labels and scores of two objects as `truth` and `run`."
    )

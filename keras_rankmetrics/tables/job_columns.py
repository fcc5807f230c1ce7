"""The columns of a job, and the lists that they contain."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np

from keras_rankmetrics.tables.ragged import Lists, Ragged


@dataclasses.dataclass(frozen=True)
class Columns:
    """The names of the columns that metrics are computed from.

    Attributes:
        y_true: labels, or indices or ids of relevant items.
        y_pred: scores, or recommended ids; for a `Comparison`, the column of
            each system.
        sample_weight: weights of lists, or None; with `query`, of items.
        group: the groups of `Sliced` metrics, or None; or a dict of columns by
            the names of the metrics.
        query: the query of each row, if a row is an item; None if a row is a
            list.
        exclude: indices or ids of items that are not ranked, or None.
        num_relevant: the number of relevant items of each list, or None.
        form: the `inputs` of the metrics: `"scores"`, `"sparse"` or `"ids"`.
            `job_of` sets it and what follows.
        needs_indices: True if ids must be the indices of items, not only equal
            for equal items.
        slicings: for each metric, the column of its groups, or None.
    """

    y_true: str
    y_pred: str | Mapping[str, str]
    sample_weight: str | None = None
    group: str | Mapping[str, str] | None = None
    query: str | None = None
    exclude: str | None = None
    num_relevant: str | None = None
    form: str = "scores"
    needs_indices: bool = False
    slicings: tuple[Slicing | None, ...] = ()

    @property
    def groups(self) -> list[str]:
        """The columns that lists are sliced by, each once."""
        return list(dict.fromkeys(s.column for s in self.slicings if s))

    @property
    def predictions(self) -> list[str]:
        """The columns of `y_pred`."""
        found = self.y_pred
        return [*found.values()] if isinstance(found, Mapping) else [found]

    @property
    def names(self) -> list[str]:
        """The names of all columns, each once."""
        return list(dict.fromkeys(name for _, name in self.by_argument()))

    @property
    def ids(self) -> list[str]:
        """The columns of ids; none unless the form is `"ids"`."""
        if self.form != "ids":
            return []
        return _present(self.y_true, *self.predictions, self.exclude)

    @property
    def of_lists(self) -> list[str]:
        """The columns with one value for each list, even if rows are items."""
        weight = self.sample_weight if self.query is None else None
        return _present(*self.groups, self.num_relevant, weight)

    @property
    def unpadded(self) -> list[str]:
        """The columns with the same number of values in each list."""
        all_items = self.predictions if self.form == "sparse" else []
        return [*self.of_lists, *all_items]

    def by_argument(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each argument with the column that it names."""
        yield "y_true", self.y_true
        yield from (("y_pred", name) for name in self.predictions)
        yield from (("group", name) for name in self.groups)
        for argument in ("sample_weight", "exclude", "num_relevant", "query"):
            name = getattr(self, argument)
            if name is not None:
                yield argument, name


def _present(*names: str | None) -> list[str]:
    return [name for name in names if name is not None]


@dataclasses.dataclass(frozen=True)
class Slicing:
    """The column of the groups of a `Sliced` metric.

    Attributes:
        column: its name.
        groups: the names of the groups, or their number.
    """

    column: str
    groups: tuple[str, ...] | int

    @property
    def name(self) -> str:
        """A name for the group numbers that no column has."""
        return f"{self.column} as one of {self.groups}"

    def numbers(self, column: Ragged) -> Ragged:
        """Return the number of the group of each list.

        Raises:
            ValueError: if a value of the column is not one of the groups.
        """
        groups = self.groups
        names = () if isinstance(groups, int) else groups
        count = groups if isinstance(groups, int) else len(groups)
        numbers = values = column.values
        are_numbers = values.dtype.kind in "iu"
        numbered = enumerate(names)
        if are_numbers and any(
            x.isdecimal() and x != str(i) for i, x in numbered
        ):
            raise ValueError(
                f"The column {self.column!r} should hold names of groups as "
                f"text, since {list(names)} have digits as names. Received: "
                f"integers such as {values[0]}, which may be names or "
                "positions among the groups. For names, pass "
                "`column.astype(str)`; for positions, "
                "`np.array(groups)[column]`."
            )
        if not are_numbers:
            number_of = {name: number for number, name in enumerate(names)}
            known = [number_of.get(name, -1) for name in values.tolist()]
            numbers = np.array(known, np.int32)
        wrong = (numbers < 0) | (numbers >= count)
        if wrong.any():
            or_names = f", or one of {list(names)}" if names else ""
            raise ValueError(
                f"The column {self.column!r} should hold the group of each "
                f"list, an integer from 0 to {count - 1}{or_names}. Received: "
                f"{values[wrong][0]!r}."
            )
        return Ragged.of_single(numbers.astype(np.int32))


def lists_of_items(
    values: Mapping[str, np.ndarray], starts: np.ndarray, columns: Columns
) -> Lists:
    """Return the lists of a table in which each row is an item.

    Args:
        values: the columns. The rows of a list follow each other.
        starts: the first row of each list.
        columns: the names of the columns.

    Raises:
        ValueError: if a value of the whole list differs between its items.
    """
    lengths = np.diff(starts, append=len(values[columns.y_true]))
    lists = {name: Ragged(rows, lengths) for name, rows in values.items()}
    for name in columns.of_lists:
        rows = values[name]
        lists[name] = Ragged.of_single(rows[starts])
        missing = (rows != rows).sum()
        if missing:
            raise ValueError(
                f"The column {name!r} should hold no NaN. Received: {missing} "
                f"among {len(rows)} rows."
            )
        if (rows != np.repeat(rows[starts], lengths)).any():
            raise ValueError(
                f"The items of a list should have the same value in {name!r}. "
                "Received: lists with several values."
            )
    return lists


def check_lists(lists: Lists, columns: Columns) -> None:
    """Raise ValueError if values or lengths of lists are invalid."""
    for name in _present(columns.sample_weight, columns.num_relevant):
        values = lists[name].values
        _refuse_first(
            values,
            (values < 0) | np.isinf(values),
            f"The numbers in {name!r} should be finite, and not negative.",
        )
    for name in columns.of_lists:
        nulls = (lists[name].lengths != 1).sum()
        if nulls:
            raise ValueError(
                f"The column {name!r} should hold no null. Received: {nulls} "
                "of them."
            )
    for name in columns.predictions:
        if columns.form == "scores":
            _check_aligned(lists, columns.y_true, name)
        if columns.form == "sparse":
            _check_one_length(lists[name].lengths, name)
            _check_within(lists, columns.y_true, name)
        if columns.form != "ids" and columns.exclude is not None:
            _check_within(lists, columns.exclude, name)


def check_indices(ids: np.ndarray, name: str) -> None:
    """Raise ValueError if ids cannot be the indices of items."""
    _refuse_first(
        ids,
        (ids < 0) | (ids > np.iinfo(np.int32).max),
        f"For metrics about the items of a catalogue, the ids in {name!r} "
        "should be the indices of the items, from 0.",
    )


def _check_aligned(lists: Lists, labels: str, scores: str) -> None:
    one, other = lists[labels].lengths, lists[scores].lengths
    [wrong] = np.nonzero(one != other)
    if len(wrong):
        raise ValueError(
            f"A list should have as many labels in {labels!r} as scores in "
            f"{scores!r}. Received: {one[wrong[0]]} labels and "
            f"{other[wrong[0]]} scores."
        )


def _check_one_length(lengths: np.ndarray, name: str) -> None:
    if (lengths != lengths[0]).any():
        raise ValueError(
            f"The column {name!r} should hold the scores of all items of a "
            "catalogue, as many in each list. Received: lists of "
            f"{lengths.min()} to {lengths.max()} scores."
        )


def _check_within(lists: Lists, indices: str, scores: str) -> None:
    values, lengths = lists[indices]
    _refuse_first(
        values,
        values >= np.repeat(lists[scores].lengths, lengths),
        f"The column {indices!r} should hold indices of items, below the "
        f"number of scores in {scores!r}.",
    )


def _refuse_first(values: np.ndarray, wrong: np.ndarray, expected: str) -> None:
    """Raise ValueError naming the first wrong value, if there is one."""
    if wrong.any():
        raise ValueError(f"{expected} Received: {values[wrong][0]}.")

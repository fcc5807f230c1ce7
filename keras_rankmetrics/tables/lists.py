"""The columns of a job, and the lists that they contain."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np

from keras_rankmetrics.tables.ragged import Lists, Ragged

Systems = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Columns:
    """The names of the columns that metrics are computed from.

    Attributes:
        form: the `inputs` of the metrics: `"scores"`, `"sparse"` or `"ids"`.
        y_true: labels, or indices or ids of relevant items.
        y_pred: scores, or recommended ids; for a `Comparison`, the column of
            each system.
        sample_weight: weights of lists, or None; with `query`, of items.
        groups: the columns that lists are sliced by.
        query: the query of each row, if a row is an item; None if a row is a
            list.
        needs_indices: True if ids must be the indices of items, not only equal
            for equal items.
        exclude: indices or ids of items that are not ranked, or None.
        num_relevant: the number of relevant items of each list, or None.
    """

    form: str
    y_true: str
    y_pred: str | Systems
    sample_weight: str | None = None
    groups: tuple[str, ...] = ()
    query: str | None = None
    needs_indices: bool = False
    exclude: str | None = None
    num_relevant: str | None = None

    @property
    def predictions(self) -> list[str]:
        """The columns of `y_pred`."""
        found = self.y_pred
        return [found] if isinstance(found, str) else list(found.values())

    @property
    def names(self) -> list[str]:
        """The names of all columns, each once."""
        return list(dict.fromkeys(name for _, name in self.by_argument()))

    @property
    def ids(self) -> list[str]:
        """The columns of ids; none unless the form is `"ids"`."""
        if self.form != "ids":
            return []
        maybe = [] if self.exclude is None else [self.exclude]
        return [self.y_true, *self.predictions, *maybe]

    @property
    def of_lists(self) -> list[str]:
        """The columns with one value for each list, even if rows are items."""
        maybe = [] if self.num_relevant is None else [self.num_relevant]
        return [*self.groups, *maybe]

    @property
    def unpadded(self) -> list[str]:
        """The columns with the same number of values in each list."""
        all_items = self.predictions if self.form == "sparse" else []
        return [*self.of_lists, *self.weights_of_lists, *all_items]

    @property
    def weights_of_lists(self) -> list[str]:
        """The column of weights, if they are weights of lists."""
        found = self.sample_weight
        return [] if found is None or self.query is not None else [found]

    def by_argument(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each argument with the column that it names."""
        yield "y_true", self.y_true
        yield from (("y_pred", name) for name in self.predictions)
        yield from (("group", name) for name in self.groups)
        for argument in ("sample_weight", "exclude", "num_relevant", "query"):
            name = getattr(self, argument)
            if name is not None:
                yield argument, name


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
    rows = len(values[columns.y_true])
    lengths = np.diff(starts, append=rows)
    lists = {}
    for name, of_rows in values.items():
        if name in columns.of_lists:
            lists[name] = Ragged.of_single(of_rows[starts])
            _check_constant(of_rows, of_rows[starts], lengths, name)
        else:
            lists[name] = Ragged(of_rows, lengths)
    return lists


def check_lists(lists: Lists, columns: Columns) -> None:
    """Raise ValueError if values or lengths of lists are invalid."""
    for name in (columns.sample_weight, columns.num_relevant):
        if name is not None:
            _check_not_negative(lists[name].values, name)
    for name in [*columns.of_lists, *columns.weights_of_lists]:
        if (lists[name].lengths != 1).any():
            raise ValueError(
                f"The column {name!r} should hold no null. Received: "
                f"{(lists[name].lengths != 1).sum()} of them."
            )
    if columns.form == "scores":
        for name in columns.predictions:
            _check_aligned(lists, columns.y_true, name)
    if columns.form == "sparse":
        for name in columns.predictions:
            _check_one_length(lists[name].lengths, name)
            _check_within(lists, columns.y_true, name)
    if columns.form != "ids" and columns.exclude is not None:
        for name in columns.predictions:
            _check_within(lists, columns.exclude, name)


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
    wrong = values >= np.repeat(lists[scores].lengths, lengths)
    if wrong.any():
        raise ValueError(
            f"The column {indices!r} should hold indices of items, below the "
            f"number of scores in {scores!r}. Received: {values[wrong][0]}."
        )


def _check_not_negative(values: np.ndarray, name: str) -> None:
    wrong = (values < 0) | np.isinf(values)
    if wrong.any():
        raise ValueError(
            f"The numbers in {name!r} should be finite, and not negative. "
            f"Received: {values[wrong][0]}."
        )


def _check_constant(
    values: np.ndarray, firsts: np.ndarray, lengths: np.ndarray, name: str
) -> None:
    if (values != np.repeat(firsts, lengths)).any():
        raise ValueError(
            f"The items of a list should have the same value in {name!r}. "
            "Received: lists with several values."
        )

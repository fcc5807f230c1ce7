"""`Columns`: which columns hold what."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

Systems = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Columns:
    """The names of columns.

    Attributes:
        form: `"scores"` or `"ids"`, what the metrics take.
        y_true: of labels, or of ids of relevant items.
        y_pred: of scores, or of recommended ids; by system for a `Comparison`.
        sample_weight: of the weight of each list, or None.
        groups: by which lists are sliced.
        query: of what the rows of a list have in common, one row being an
            item; None where one row is a list.
        whole_ids: whether the number of an item matters, and not only which
            ids are equal.
    """

    form: str
    y_true: str
    y_pred: str | Systems
    sample_weight: str | None = None
    groups: tuple[str, ...] = ()
    query: str | None = None
    whole_ids: bool = False

    @property
    def predictions(self) -> list[str]:
        """The columns of `y_pred`."""
        given = self.y_pred
        return [given] if isinstance(given, str) else list(given.values())

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        maybe = [self.query, self.sample_weight]
        given = [name for name in maybe if name is not None]
        every = [self.y_true, *self.predictions, *self.groups, *given]
        return list(dict.fromkeys(every))

    @property
    def weights_of_lists(self) -> list[str]:
        """The column of weights, where each list has one."""
        found = self.sample_weight
        return [] if found is None or self.query is not None else [found]

    def by_argument(self) -> Iterator[tuple[str, str]]:
        """Each argument of the user, and the column that it names."""
        yield "y_true", self.y_true
        yield from (("y_pred", name) for name in self.predictions)
        yield from (("group", name) for name in self.groups)
        if self.sample_weight is not None:
            yield "sample_weight", self.sample_weight
        if self.query is not None:
            yield "query", self.query

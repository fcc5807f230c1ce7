"""`Columns`: which columns hold what."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

Systems = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Columns:
    """The names of columns.

    Attributes:
        form: `"scores"`, `"sparse"` or `"ids"`, what the metrics take.
        y_true: of labels, or of indices or ids of relevant items.
        y_pred: of scores, or of recommended ids; by system for a `Comparison`.
        sample_weight: of the weight of each list, or None.
        groups: by which lists are sliced.
        query: of what the rows of a list have in common, one row being an
            item; None where one row is a list.
        whole_ids: whether the number of an item matters, and not only which
            ids are equal.
        exclude: of what is not to be ranked, indices or ids, or None.
        num_relevant: of how many relevant items each list has, or None.
    """

    form: str
    y_true: str
    y_pred: str | Systems
    sample_weight: str | None = None
    groups: tuple[str, ...] = ()
    query: str | None = None
    whole_ids: bool = False
    exclude: str | None = None
    num_relevant: str | None = None

    @property
    def predictions(self) -> list[str]:
        """The columns of `y_pred`."""
        given = self.y_pred
        return [given] if isinstance(given, str) else list(given.values())

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys(name for _, name in self.by_argument()))

    @property
    def ids(self) -> list[str]:
        """Those of ids, of which only some are equal; none in other forms."""
        if self.form != "ids":
            return []
        maybe = [] if self.exclude is None else [self.exclude]
        return [self.y_true, *self.predictions, *maybe]

    @property
    def of_lists(self) -> list[str]:
        """What has one value for each list, also where a row is an item."""
        maybe = [] if self.num_relevant is None else [self.num_relevant]
        return [*self.groups, *maybe]

    @property
    def as_long(self) -> list[str]:
        """What has as many values in each list, so that none is filled up."""
        whole = self.predictions if self.form == "sparse" else []
        return [*self.of_lists, *self.weights_of_lists, *whole]

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
        for argument in ("sample_weight", "exclude", "num_relevant", "query"):
            name = getattr(self, argument)
            if name is not None:
                yield argument, name

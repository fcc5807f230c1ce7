"""`Columns`: which columns of a table hold what, checked before any is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from keras_rankmetrics.adapters.ragged import element, is_list

Systems = Mapping[str, str]

_INDICES = "arrays of indices of items, integers from 0"


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
        return list(dict.fromkeys(name for _, name in self._by_argument()))

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

    def check(self, types: Mapping[str, Any]) -> None:
        """Raises where columns are missing or hold what they should not.

        Args:
            types: of Arrow, by the names of the columns that there are.
        """
        for argument, name in self._by_argument():
            if name not in types:
                raise ValueError(
                    f"`{argument}` should be the name of a column. Received: "
                    f"{name!r}. The columns are: {list(types)}."
                )
        for argument, name in self._by_argument():
            if argument != "query":
                self._check_type(argument, name, types[name])
        self._check_ids(types)

    def check_schema(self, schema: Any) -> None:
        """As `check`, of a `pyarrow.Schema`."""
        self.check(dict(zip(schema.names, schema.types, strict=True)))

    def _by_argument(self) -> Iterator[tuple[str, str]]:
        yield "y_true", self.y_true
        yield from (("y_pred", name) for name in self.predictions)
        yield from (("group", name) for name in self.groups)
        for argument in ("sample_weight", "exclude", "num_relevant", "query"):
            name = getattr(self, argument)
            if name is not None:
                yield argument, name

    def _check_type(self, argument: str, name: str, arrow_type: Any) -> None:
        from pyarrow import types

        held, lists = element(arrow_type), is_list(arrow_type)
        if types.is_null(held) and argument in ("y_true", "y_pred", "exclude"):
            return  # arrays of nothing, or none at all
        of_number = types.is_integer(held) or types.is_floating(held)
        of_name = types.is_integer(held) or is_text(held)
        if argument == "group":
            good, expected = of_name and not lists, "integers or strings"
        elif argument in ("sample_weight", "num_relevant"):
            good, expected = of_number and not lists, "numbers"
        elif self.query is not None:
            good, expected = of_number and not lists, "a number for each item"
        elif self.form != "ids" and argument == "exclude":
            good, expected = types.is_integer(held) and lists, _INDICES
        elif self.form == "sparse" and argument == "y_true":
            good, expected = (
                types.is_integer(held),
                f"{_INDICES}, or single ones",
            )
        elif self.form != "ids":
            good, expected = of_number and lists, "arrays of numbers"
        elif argument == "y_true":
            good = of_name
            expected = "arrays of ids, integers or strings, or single ids"
        else:
            good = of_name and lists
            expected = "arrays of ids, integers or strings"
            expected += ", best first" if argument == "y_pred" else ""
        if not good:
            raise TypeError(
                f"The column {name!r} of `{argument}` should hold {expected}. "
                f"Received: values of the type {arrow_type}. Cast it, or let "
                "the metric have other `inputs`."
            )

    def _check_ids(self, types: Mapping[str, Any]) -> None:
        import pyarrow as pa

        names = self.ids
        texts = [name for name in names if is_text(element(types[name]))]
        numbers = [
            name for name in names if pa.types.is_integer(element(types[name]))
        ]
        if texts and numbers:
            raise TypeError(
                "Ids should be strings in all columns, or integers in all. "
                f"Received: strings in {texts} of {names}."
            )
        if texts and self.whole_ids:
            raise TypeError(
                "Metrics about the items of a catalogue should have their "
                f"numbers as ids, from 0. Received: strings in {texts}. Put "
                "the number of each item in their place."
            )


def is_text(arrow_type: Any) -> bool:
    """Whether values of the type are strings."""
    from pyarrow import types

    return bool(
        types.is_string(arrow_type) or types.is_large_string(arrow_type)
    )

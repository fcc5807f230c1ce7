"""Which query each row belongs to, however that is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.rows.columns import as_column


class Told(NamedTuple):
    """Ids of rows: of all of them, or of each batch.

    Attributes:
        name: of the argument, for errors.
        ids: of all rows, or None.
        key: of a dict `x`, or None.
        fn: from the `x` of a batch to its ids, or None.
    """

    name: str
    ids: Any
    key: str | None
    fn: Callable[[Any], Any] | None

    def of_batch(self, x: Any) -> np.ndarray | None:
        """The ids of a batch, None where all are known.

        Raises:
            ValueError: if `x` does not have them.
        """
        if self.fn is not None:
            return as_column(self.name, self.fn(x))
        if self.key is None:
            return None
        if not isinstance(x, Mapping) or self.key not in x:
            held = sorted(map(str, x)) if isinstance(x, Mapping) else None
            received = f"the keys {held}" if held else f"a {type(x).__name__}"
            raise ValueError(
                f"`{self.name}` should be a key of `x`. Received: "
                f"`{self.name}={self.key!r}`, and for `x` {received}. Where "
                "`x` is no dict, give the ids of all rows, or a function from "
                "the `x` of a batch to its ids."
            )
        return as_column(self.name, x[self.key])

    def of_all(self, of_batches: np.ndarray | None, rows: int) -> Any:
        """The ids of all rows.

        Raises:
            ValueError: if there are more or fewer of them.
        """
        ids = self.ids if of_batches is None else of_batches
        number = 0 if ids is None else len(ids)
        if number != rows:
            raise ValueError(
                f"`{self.name}` should hold an id for each validation row. "
                f"Received: {number} ids and {rows} rows."
            )
        return ids


def query_of(name: str, given: Any) -> Told:
    """What a user says of queries or groups.

    Args:
        name: of the argument, for errors.
        given: ids, a key or a function.
    """
    if isinstance(given, str):
        return Told(name, None, given, None)
    if callable(given):
        return Told(name, None, None, given)
    if given is None or isinstance(given, Mapping) or not np.shape(given):
        raise ValueError(
            f"`{name}` should hold an id for each row, or be a key of `x`, or "
            "a function from the `x` of a batch to its ids. Received: "
            f"{given!r}."
        )
    as_column(name, given)
    return Told(name, given, None, None)

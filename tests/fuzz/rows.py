"""`Row`: a metric with options that the catalogue of the tests has not."""

import dataclasses
from collections.abc import Callable
from typing import Any

from keras_rankmetrics.metrics.coverage import CatalogueMetric


@dataclasses.dataclass(frozen=True)
class Row:
    """A metric, and what an oracle says of it, for cells of the catalogue.

    Attributes:
        name: of the row.
        metric: the class.
        options: its own.
        value: what an oracle computes: of a list, or of all of them for a
            metric that has no value of a list.
        has_value: which lists have one.
        items: of the catalogue, None where any list will do.
        needs_k: whether `k=None` is an error.
        margin: how far values may be off, of what they are above 1.
    """

    name: str
    metric: type
    options: dict[str, Any]
    value: Callable[..., float]
    _: dataclasses.KW_ONLY
    has_value: Callable[..., bool] | None = None
    items: int | None = None
    needs_k: bool = False
    margin: float = 3e-6

    takes_k = True
    strict_only = False

    def __str__(self) -> str:
        return self.name

    @property
    def is_counter(self) -> bool:
        """Whether it has no value of a list."""
        return issubclass(self.metric, CatalogueMetric)

    def make(self, k: int | None, **options: Any) -> Any:
        """The metric; a counter has no policy of lists."""
        if self.is_counter:
            for name in ("empty", "list_weight"):
                options.pop(name, None)
        return self.metric(k=k, **{**self.options, **options})

"""What more metrics of a batch cost, and metrics of another kind."""

import dataclasses

from tests.tools.benchmarks.contenders import (
    COLLECTION,
    NINE_OF_THEM,
    OURS,
    REFERENCE,
)
from tests.tools.benchmarks.scenarios.one_batch import OneBatch


@dataclasses.dataclass(frozen=True, kw_only=True)
class MoreMetrics(OneBatch):
    """More metrics of a batch than nine, beside the nine."""

    among_us = ((COLLECTION, NINE_OF_THEM),)

    @property
    def contenders(self) -> tuple[str, ...]:
        return (REFERENCE, COLLECTION, NINE_OF_THEM)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Counters(OneBatch):
    """Metrics that count how often items are shown, beside finding these."""

    among_us = ((OURS, COLLECTION),)

    @property
    def contenders(self) -> tuple[str, ...]:
        return (REFERENCE, OURS, COLLECTION)

"""How two contenders are set beside each other.

Always within a round, and then the median: a slow contender has few rounds, and
on a busy machine the others' median would be of other moments.
"""

import abc
import dataclasses
import math
import statistics
from collections.abc import Sequence

from tests.benchmarks.units import rounded


@dataclasses.dataclass(frozen=True)
class Comparison(abc.ABC):
    """One contender beside another."""

    one: str
    other: str

    @property
    @abc.abstractmethod
    def title(self) -> str:
        """What the report calls it."""

    @abc.abstractmethod
    def of_round(self, one: float, other: float) -> float:
        """What a single round says."""

    @abc.abstractmethod
    def text(self, value: float) -> str:
        """The median, for the report."""

    def of(self, one: Sequence[float], other: Sequence[float]) -> str:
        """What the rounds that both took part in say."""
        pairs = list(zip(one, other, strict=False))
        if not pairs:
            return ""
        return self.text(statistics.median(self.of_round(*p) for p in pairs))


class Ratio(Comparison):
    """How many times the other."""

    @property
    def title(self) -> str:
        return f"{self.one} / {self.other}"

    def of_round(self, one: float, other: float) -> float:
        return one / other if other else math.inf

    def text(self, value: float) -> str:
        return rounded(value)


class Share(Comparison):
    """What part of one is not in the other."""

    @property
    def title(self) -> str:
        return f"share of {self.one}"

    def of_round(self, one: float, other: float) -> float:
        return 1 - other / one

    def text(self, value: float) -> str:
        return f"{value:.0%}"

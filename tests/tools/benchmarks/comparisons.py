"""How contenders are set beside each other.

Always within a round, and then the median: a slow contender has few rounds, and
on a busy machine the others' median would be of other moments.
"""

import abc
import dataclasses
import math
import statistics
from collections.abc import Callable, Iterator, Sequence

from tests.tools.benchmarks.units import ratio, rounded

# The values of a contender, by its name: one for each round.
Values = Callable[[str], Sequence[float]]

IN_THE_NOISE = "in the noise"


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
    def value(self, values: Values) -> float | None:
        """What the rounds say that all took part in; none, if there is none."""

    @abc.abstractmethod
    def text(self, value: float) -> str:
        """The value, for the report."""

    def of(self, values: Values) -> str:
        """What the report says."""
        value = self.value(values)
        return "" if value is None else self.text(value)

    @staticmethod
    def _pairs(
        values: Values, one: str, other: str
    ) -> Iterator[tuple[float, float]]:
        return zip(values(one), values(other), strict=False)


class Ratio(Comparison):
    """How many times the other."""

    @property
    def title(self) -> str:
        return f"{self.one} / {self.other}"

    def value(self, values: Values) -> float | None:
        return _median(
            one / other if other else math.inf
            for one, other in self._pairs(values, self.one, self.other)
        )

    def text(self, value: float) -> str:
        return ratio(value)


class Share(Comparison):
    """What part of one is not in the other."""

    @property
    def title(self) -> str:
        return f"share of {self.one}"

    def value(self, values: Values) -> float | None:
        return _median(
            1 - other / one
            for one, other in self._pairs(values, self.one, self.other)
        )

    def text(self, value: float) -> str:
        return f"{value:.0%}"


@dataclasses.dataclass(frozen=True)
class ExtraRatio(Comparison):
    """How many times what the other adds to a third.

    A ratio of medians: what is added in a single round can be all noise.
    """

    without: str

    @property
    def title(self) -> str:
        return (
            f"({self.one} - {self.without}) / ({self.other} - {self.without})"
        )

    def value(self, values: Values) -> float | None:
        one = self._added(self.one, values)
        other = self._added(self.other, values)
        if one is None or other is None:
            return None
        return one / other if min(one, other) > 0 else math.nan

    def text(self, value: float) -> str:
        return IN_THE_NOISE if math.isnan(value) else rounded(value)

    def _added(self, name: str, values: Values) -> float | None:
        pairs = self._pairs(values, name, self.without)
        return _median(value - without for value, without in pairs)


def _median(numbers: Iterator[float]) -> float | None:
    """None of none."""
    found = list(numbers)
    return statistics.median(found) if found else None

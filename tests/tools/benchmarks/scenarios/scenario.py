"""What a scenario is: something to measure, in processes of its own."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from tests.tools.benchmarks.comparisons import Comparison, Ratio
from tests.tools.benchmarks.contenders import COLLECTION, OURS, PEERS, REFERENCE
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.turns import Now
from tests.tools.benchmarks.units import Unit


@dataclasses.dataclass(frozen=True, kw_only=True)
class Scenario(abc.ABC):
    """Something to measure.

    Args:
        rounds: how often each contender is measured.
        modes: those in which it is measured.
        quick_modes: those in which it is measured in a hurry.

    Attributes:
        unit: what the values are.
        among_us: which of our contenders are set beside which.
        reading: how to read the comparisons, if not as those of others.
        apart: whether each contender has a process of its own in each round,
            and not one process for all in each mode.
    """

    rounds: int
    modes: tuple[str, ...] = tuple(MODES)
    quick_modes: tuple[str, ...] = ("torch",)

    unit: ClassVar[Unit]
    among_us: ClassVar[tuple[tuple[str, str], ...]] = ()
    reading: ClassVar[str] = ""
    apart: ClassVar[bool] = False

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """What `--scenarios` and the report call it."""

    @property
    @abc.abstractmethod
    def size(self) -> str:
        """How much is measured, in words."""

    @property
    @abc.abstractmethod
    def about(self) -> str:
        """What is measured, for the report."""

    @property
    @abc.abstractmethod
    def contenders(self) -> tuple[str, ...]:
        """Who may take part."""

    @abc.abstractmethod
    def measure(
        self, mode: str, contenders: Sequence[str], now: Now
    ) -> list[Measurement]:
        """Measures all contenders in this process, which has done nothing."""

    def smaller(self) -> "Scenario":
        """The same in a hurry: a look, not a number."""
        return dataclasses.replace(self, rounds=1)

    def comparisons(self, present: Sequence[str]) -> list[Comparison]:
        """We beside the reference and each other, the others beside us."""
        peers = [name for name in present if name in PEERS]
        pairs = [
            (OURS, REFERENCE),
            (COLLECTION, REFERENCE),
            *self.among_us,
            *((peer, OURS) for peer in peers),
            *((peer, COLLECTION) for peer in peers),
        ]
        return [
            Ratio(one, other)
            for one, other in pairs
            if {one, other} <= set(present)
        ]

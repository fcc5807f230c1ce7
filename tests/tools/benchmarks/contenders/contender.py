"""What a contender is."""

import dataclasses
from collections.abc import Callable

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.modes import MODES, Mode, Step


@dataclasses.dataclass(frozen=True)
class Contender:
    """One line of the report.

    Args:
        name: what the report and `--contenders` call it.
        build: makes its step, or `None` where it has nothing to offer for the
            batch. It imports its package inside: one that is not
            installed is a failure in the report, and nothing worse.
        package: the module whose version the report states.
        about: what it is, for the report.
        modes: those in which it takes part.
    """

    name: str
    build: Callable[[Batch, Mode], Step | None]
    package: str
    about: str
    modes: tuple[str, ...] = tuple(MODES)

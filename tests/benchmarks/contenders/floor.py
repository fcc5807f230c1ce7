"""The least that a batch can cost."""

from tests.benchmarks.batches import Batch
from tests.benchmarks.contenders.contender import Contender
from tests.benchmarks.modes import Mode, Step


def build(batch: Batch, mode: Mode) -> Step:
    """The operations of the batch that nobody gets around, and no metric."""
    return mode.function(batch.floor, suite=())


CONTENDER = Contender(
    "floor",
    build,
    package="keras",
    about="the least that must be done, in the same backend",
)

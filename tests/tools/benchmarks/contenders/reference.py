"""What the work of a batch is known to cost, without any metric."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step


def build(batch: Batch, mode: Mode) -> Step:
    """The operations that the batch is known to need, and no metric."""
    return mode.function(batch.reference, suite=())


CONTENDER = Contender(
    "reference",
    build,
    package="keras",
    about="the least work known to be needed, in the same backend",
)

"""Rax: functions of scores and labels, for jax."""

import dataclasses

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step, Tensor
from tests.tools.benchmarks.suites import having

FUNCTIONS = {
    "DCG": "dcg_metric",
    "NDCG": "ndcg_metric",
    "PrecisionAtK": "precision_metric",
    "RecallAtK": "recall_metric",
    "MeanAveragePrecision": "ap_metric",
    "MeanReciprocalRank": "mrr_metric",
}
# Its average precision is a float for each pair of items: more is not tried.
PAIRS_GB = 8.0


def build(batch: Batch, mode: Mode) -> Step | None:
    """All its metrics in one compiled function."""
    if batch.dense is None:
        return None
    import rax

    gigabytes = 4e-9 * batch.lists * batch.items**2
    suite = having(FUNCTIONS, batch.suite)
    left_out = ()
    if gigabytes > PAIRS_GB:
        left_out = having({"MeanAveragePrecision"}, suite)
    suite = tuple(metric for metric in suite if metric not in left_out)

    def compute(y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        return [
            getattr(rax, FUNCTIONS[name])(y_pred, y_true, topn=k)
            for name, k in suite
        ]

    note = (
        "without average precision, which needs a float per pair of items: "
        f"{gigabytes:,.0f} GB"
    )
    step = mode.on(*batch.dense).function(compute, suite)
    return dataclasses.replace(step, note=note if left_out else "")


CONTENDER = Contender(
    "rax",
    build,
    package="rax",
    modes=("jax",),
    about="Rax, all metrics in one `jit`",
)

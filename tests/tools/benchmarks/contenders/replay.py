"""RePlay: a builder of metrics of ids, on torch tensors."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step
from tests.tools.benchmarks.suites import having

# Its average precision divides by k at most, and it has no hit rate.
NAMES = {
    "NDCG": "ndcg",
    "PrecisionAtK": "precision",
    "RecallAtK": "recall",
    "MeanReciprocalRank": "mrr",
}


def build(batch: Batch, mode: Mode) -> Step | None:
    """Each of its metrics at each cutoff, as it has them."""
    if batch.inputs != "ids":
        return None
    from replay.metrics.torch_metrics_builder import TorchMetricsBuilder

    suite = having(NAMES, batch.suite)
    relevant, recommended = (ids.long() for ids in mode.batch)
    builder = TorchMetricsBuilder(
        metrics=sorted({NAMES[name] for name, _ in suite}),
        top_k=sorted({k for _, k in suite}),
    )

    def run() -> list[float]:
        builder.reset()
        builder.add_prediction(recommended, relevant)
        found = builder.get_metrics()
        return [found[f"{NAMES[name]}@{k}"] for name, k in suite]

    return Step(run, suite)


CONTENDER = Contender(
    "replay",
    build,
    package="replay",
    modes=("torch",),
    about="RePlay's `TorchMetricsBuilder`",
)

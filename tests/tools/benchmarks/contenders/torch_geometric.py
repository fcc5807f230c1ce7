"""PyG: a collection of link prediction metrics, on torch tensors."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step
from tests.tools.benchmarks.suites import having

# Its average precision divides by k at most.
CLASSES = {
    "NDCG": "LinkPredNDCG",
    "PrecisionAtK": "LinkPredPrecision",
    "RecallAtK": "LinkPredRecall",
    "HitRateAtK": "LinkPredHitRatio",
    "MeanReciprocalRank": "LinkPredMRR",
}


def build(batch: Batch, mode: Mode) -> Step | None:
    """All its metrics in one collection."""
    if batch.inputs != "ids":
        return None
    from torch_geometric import metrics

    suite = having(CLASSES, batch.suite)
    relevant, recommended = (ids.long() for ids in mode.batch)
    users, places = (relevant >= 0).nonzero(as_tuple=True)
    edges = users, relevant[users, places]
    collection = metrics.LinkPredMetricCollection(
        [getattr(metrics, CLASSES[name])(k) for name, k in suite]
    ).to(relevant.device)

    def run() -> list[float]:
        collection.reset()
        collection.update(recommended, edges)
        found = collection.compute()
        return [found[f"{CLASSES[name]}@{k}"].item() for name, k in suite]

    return Step(run, suite)


CONTENDER = Contender(
    "torch_geometric",
    build,
    package="torch_geometric",
    modes=("torch",),
    about="PyG's `LinkPredMetricCollection`",
)

"""torchmetrics: one flat list of items, with the query of each."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step, Tensor
from tests.tools.benchmarks.suites import Metric

CLASSES = {
    "NDCG": "RetrievalNormalizedDCG",
    "PrecisionAtK": "RetrievalPrecision",
    "RecallAtK": "RetrievalRecall",
    "HitRateAtK": "RetrievalHitRate",
    "MeanAveragePrecision": "RetrievalMAP",
    "MeanReciprocalRank": "RetrievalMRR",
}


def build(batch: Batch, mode: Mode) -> Step | None:
    """All its metrics, on tensors of its form."""
    if batch.dense is None:
        return None
    import torch
    from torchmetrics import retrieval

    suite = tuple(filter(_is_there, batch.suite))
    labels, scores = mode.on(*batch.dense).batch
    labels = labels.long().flatten()
    # Items of scores of 0 and less are not retrieved there.
    scores = (scores - scores.min() + 1.0).flatten()
    queries = torch.arange(batch.lists, device=scores.device)
    queries = queries.repeat_interleave(batch.items)
    targets = {"NDCG": 2**labels - 1}
    binary = (labels > 0).long()
    metrics = [
        getattr(retrieval, CLASSES[name])(top_k=k).to(scores.device)
        for name, k in suite
    ]

    def run() -> list[float]:
        return [
            _evaluate(metric, scores, targets.get(name, binary), queries)
            for metric, (name, _) in zip(metrics, suite, strict=True)
        ]

    return Step(run, suite)


def _is_there(metric: Metric) -> bool:
    """Its average precision is over the hits: ours, if all items are found."""
    name, k = metric
    return name in CLASSES and (name != "MeanAveragePrecision" or k is None)


def _evaluate(
    metric: Tensor, scores: Tensor, target: Tensor, queries: Tensor
) -> float:
    metric.update(scores, target, indexes=queries)
    value = metric.compute().item()
    metric.reset()
    return value


CONTENDER = Contender(
    "torchmetrics",
    build,
    package="torchmetrics",
    modes=("torch",),
    about="torchmetrics' retrieval metrics, on tensors in its layout",
)

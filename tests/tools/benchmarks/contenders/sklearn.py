"""scikit-learn: functions of arrays, on the host."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step
from tests.tools.benchmarks.suites import Suite


def build(batch: Batch, mode: Mode) -> Step | None:
    """Tied items have the mean of their discounts, as it does by default."""
    return _step(batch, mode, ignore_ties=False)


def build_ignoring_ties(batch: Batch, mode: Mode) -> Step | None:
    """Tied items in an order of its own."""
    return _step(batch, mode, ignore_ties=True)


def _step(batch: Batch, mode: Mode, ignore_ties: bool) -> Step | None:
    if batch.dense is None:
        return None
    from sklearn import metrics

    labels, scores = batch.dense
    gains, relevant = 2**labels - 1, labels > 0

    def compute(name: str, k: int | None) -> float:
        if name == "MeanAveragePrecision":
            return metrics.label_ranking_average_precision_score(
                relevant, scores
            )
        cumulated = {"DCG": metrics.dcg_score, "NDCG": metrics.ndcg_score}[name]
        return cumulated(gains, scores, k=k, ignore_ties=ignore_ties)

    suite = _suite(batch)
    return Step(lambda: [compute(name, k) for name, k in suite], suite)


def _suite(batch: Batch) -> Suite:
    """Its average precision has no cutoff."""
    return tuple(
        (name, k)
        for name, k in batch.suite
        if name in ("DCG", "NDCG")
        or (name == "MeanAveragePrecision" and k is None)
    )


CONTENDER = Contender(
    "sklearn",
    build,
    package="sklearn",
    modes=("torch",),
    about="`ndcg_score` and similar, `ignore_ties=False`, on NumPy arrays",
)
IGNORING_TIES = Contender(
    "sklearn-ignore-ties",
    build_ignoring_ties,
    package="sklearn",
    modes=("torch",),
    about="the same with `ignore_ties=True`",
)

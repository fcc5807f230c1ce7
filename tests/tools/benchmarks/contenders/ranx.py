"""ranx: compiled by numba, on documents by name."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.documents import Documents
from tests.tools.benchmarks.modes import Mode, Step
from tests.tools.benchmarks.suites import Suite, computable_of, having

NAMES = {
    "DCG": "dcg",
    "NDCG": "ndcg",
    "PrecisionAtK": "precision",
    "RecallAtK": "recall",
    "HitRateAtK": "hit_rate",
    "MeanAveragePrecision": "map",
    "MeanReciprocalRank": "mrr",
}


def build(batch: Batch, mode: Mode) -> Step:
    """Evaluates a `Run` that is there."""
    qrels, run = _wrap(batch.documents())
    suite = _suite(batch)
    return Step(
        lambda: _evaluate(qrels, run, suite),
        suite,
        head_start=batch.ranked_before,
    )


def build_with_run(batch: Batch, mode: Mode) -> Step:
    """Makes the `Run` of the arrays, then evaluates it."""
    suite = _suite(batch)
    return Step(lambda: _evaluate(*_wrap(batch.documents()), suite), suite)


def _suite(batch: Batch) -> Suite:
    suite = computable_of(batch.retrieved, batch.items, batch.suite)
    return having(NAMES, suite)


def _wrap(documents: Documents) -> tuple[object, object]:
    import ranx

    return ranx.Qrels(documents.qrels), ranx.Run(documents.run)


def _evaluate(qrels: object, run: object, suite: Suite) -> list[float]:
    import ranx

    names = [NAMES[name] + (f"@{k}" if k else "") for name, k in suite]
    found = ranx.evaluate(qrels, run, names)
    return [found[name] for name in names]


CONTENDER = Contender(
    "ranx",
    build,
    package="ranx",
    modes=("torch",),
    about="`ranx.evaluate` of an existing `Run` and `Qrels`",
)
WITH_RUN = Contender(
    "ranx-building",
    build_with_run,
    package="ranx",
    modes=("torch",),
    about="the same, and building both from arrays",
)

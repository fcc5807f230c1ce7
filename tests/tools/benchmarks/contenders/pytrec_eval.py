"""pytrec_eval: trec_eval's C code, on dicts of documents."""

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step
from tests.tools.benchmarks.suites import Metric, computable_of

# By name: with a cutoff, and without.
MEASURES = {
    "NDCG": ("ndcg_cut", "ndcg"),
    "PrecisionAtK": ("P", None),
    "RecallAtK": ("recall", None),
    "HitRateAtK": ("success", None),
    "MeanAveragePrecision": ("map_cut", "map"),
    "MeanReciprocalRank": (None, "recip_rank"),
}


def build(batch: Batch, mode: Mode) -> Step:
    """Evaluates dicts that are there."""
    import pytrec_eval

    measures = _measures(batch)
    documents = batch.documents()
    evaluator = pytrec_eval.RelevanceEvaluator(
        documents.qrels, _asked(measures)
    )
    return Step(
        lambda: _means(evaluator.evaluate(documents.run), measures),
        tuple(measures),
        head_start=batch.ranked_before,
    )


def build_with_dicts(batch: Batch, mode: Mode) -> Step:
    """Makes the dicts of the arrays, then evaluates them."""
    import pytrec_eval

    measures = _measures(batch)

    def run() -> list[float]:
        qrels, retrieved = batch.documents()
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, _asked(measures))
        return _means(evaluator.evaluate(retrieved), measures)

    return Step(run, tuple(measures))


def _measures(batch: Batch) -> dict[Metric, tuple[str, ...]]:
    """The measures of the suite, as they are told: `("ndcg_cut", "10")`."""
    suite = computable_of(batch.retrieved, batch.items, batch.suite)
    found = {metric: _measure(metric, batch.retrieved) for metric in suite}
    return {metric: parts for metric, parts in found.items() if parts}


def _measure(metric: Metric, retrieved: int) -> tuple[str, ...]:
    name, k = metric
    cut, whole = MEASURES.get(name, (None, None))
    if k and cut:
        return cut, str(k)
    # What has no cutoff sees all that is retrieved.
    return (whole,) if whole and k in (None, retrieved) else ()


def _asked(measures: dict[Metric, tuple[str, ...]]) -> set[str]:
    return {".".join(parts) for parts in measures.values()}


def _means(
    found: dict[str, dict[str, float]],
    measures: dict[Metric, tuple[str, ...]],
) -> list[float]:
    told = map("_".join, measures.values())
    return [
        sum(of_query[name] for of_query in found.values()) / len(found)
        for name in told
    ]


CONTENDER = Contender(
    "pytrec_eval",
    build,
    package="pytrec_eval",
    modes=("torch",),
    about="`RelevanceEvaluator.evaluate` of existing dicts, and means",
)
WITH_DICTS = Contender(
    "pytrec_eval-building",
    build_with_dicts,
    package="pytrec_eval",
    modes=("torch",),
    about="the same, and building the dicts from arrays",
)

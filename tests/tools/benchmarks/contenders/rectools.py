"""RecTools: pandas tables of ids."""

import numpy as np

from tests.tools.benchmarks.batches import Batch
from tests.tools.benchmarks.contenders.contender import Contender
from tests.tools.benchmarks.modes import Mode, Step

CLASSES = {
    "NDCG": "NDCG",
    "PrecisionAtK": "Precision",
    "RecallAtK": "Recall",
    "HitRateAtK": "HitRate",
    "MeanAveragePrecision": "MAP",
    "MeanReciprocalRank": "MRR",
}
# Its ideal takes k items to be relevant otherwise, however many are.
OPTIONS = {"NDCG": {"divide_by_achievable": True}}


def build(batch: Batch, mode: Mode) -> Step | None:
    """All metrics at once, of tables that are there."""
    if batch.inputs != "ids":
        return None
    import pandas as pd
    from rectools import metrics

    relevant, recommended = batch.arrays
    users, places = np.nonzero(recommended >= 0)
    reco = pd.DataFrame(
        {
            "user_id": users,
            "item_id": recommended[users, places],
            "rank": places + 1,
        }
    )
    users, places = np.nonzero(relevant >= 0)
    interactions = pd.DataFrame(
        {"user_id": users, "item_id": relevant[users, places]}
    )
    suite = {
        metric: getattr(metrics, CLASSES[name])(k=k, **OPTIONS.get(name, {}))
        for metric in batch.suite
        for name, k in [metric]
    }

    def run() -> list[float]:
        found = metrics.calc_metrics(suite, reco, interactions)
        return [found[metric] for metric in suite]

    return Step(run, tuple(suite))


CONTENDER = Contender(
    "rectools",
    build,
    package="rectools",
    modes=("torch",),
    about="RecTools' `calc_metrics` of existing data frames",
)

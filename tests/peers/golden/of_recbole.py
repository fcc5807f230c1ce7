"""What RecBole says of the lists."""

from collections import Counter

import numpy as np
import torch
from recbole.evaluator import metrics
from recbole.evaluator.collector import Collector
from written import CUTOFFS, data, write

given = data()
OF_LISTS = ("Hit", "MRR", "MAP", "Recall", "NDCG", "Precision")
OF_ALL = (
    "ItemCoverage",
    "AveragePopularity",
    "ShannonEntropy",
    "GiniIndex",
    "TailPercentage",
)
config = {
    "metrics": [*OF_LISTS, *OF_ALL, "GAUC"],
    "topk": list(CUTOFFS),
    "eval_args": {"mode": "full"},
    "device": "cpu",
    "metric_decimal_place": 10,
    "tail_ratio": 0.2,
}


def collected(scores):
    """What RecBole keeps of scores: those of items that users had are -inf."""
    scores = torch.tensor(scores, dtype=torch.float64)
    for user, items in enumerate(given["train"]):
        scores[user, items] = -torch.inf
    pairs = [
        (user, item)
        for user, items in enumerate(given["relevant"])
        for item in items
    ]
    users, items = (torch.tensor(row) for row in zip(*pairs, strict=True))
    collector = Collector(config)
    collector.eval_batch_collect(scores, None, users, items)
    kept = collector.get_data_struct()
    kept.set("data.num_items", given["catalogue"])
    kept.set(
        "data.count_items",
        Counter(item for items in given["train"] for item in items),
    )
    return kept


kept = collected(given["scores_of_all"])
values = {}
for name in OF_LISTS:
    metric = getattr(metrics, name)(config)
    needed = metric.used_info(kept)
    wants_lengths = name in ("MAP", "Recall", "NDCG")
    of_ranks = metric.metric_info(*needed[: 2 if wants_lengths else 1])
    for k in CUTOFFS:
        values[f"{name}@{k}"] = of_ranks[:, k - 1]
for name in OF_ALL:
    of_all = getattr(metrics, name)(config).calculate_metric(kept)
    for k in CUTOFFS:
        values[f"{name}@{k}"] = of_all[f"{name.lower()}@{k}"]
gauc = metrics.GAUC(config)
values["GAUC"] = gauc.calculate_metric(kept)["gauc"]
tied = np.ceil(np.array(given["scores_of_all"]) / 4)
values["GAUC(tied)"] = gauc.calculate_metric(collected(tied))["gauc"]
write("recbole", ("recbole", "numpy", "torch"), values)

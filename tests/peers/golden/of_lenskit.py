"""What LensKit says of the lists."""

import numpy as np
import pandas as pd
from lenskit.data import ItemList, from_interactions_df
from lenskit.metrics import ranking
from written import CUTOFFS, data, write

given = data()
wanted = [
    ItemList(item_ids=np.array(ids, int)) for ids in given["short_relevant"]
]
short = [
    ItemList(item_ids=np.array(ids, int), ordered=True)
    for ids in given["short_recommended"]
]
full = [
    ItemList(item_ids=np.array(ids, int), ordered=True)
    for ids in given["recommended"]
]
train = from_interactions_df(
    pd.DataFrame(
        [
            (user, item)
            for user, items in enumerate(given["train"])
            for item in items
        ],
        columns=["user_id", "item_id"],
    ),
    items=list(range(given["catalogue"])),
)


def of_list(metric, recommended, relevant):
    try:
        return metric.measure_list(recommended, relevant)
    except ZeroDivisionError:  # its AP, where nothing is recommended
        return np.nan


def of_lists(metric, lists):
    return [
        of_list(metric, recommended, relevant)
        for recommended, relevant in zip(lists, wanted, strict=True)
    ]


def of_all(metric, lists):
    return metric.global_aggregate(
        [metric.compute_list_data(one, None) for one in lists]
    )


values = {}
for k in CUTOFFS:
    for name in (
        "DCG",
        "NDCG",
        "Precision",
        "Recall",
        "Hit",
        "RecipRank",
        "AveragePrecision",
        "RBP",
    ):
        metric = getattr(ranking, name)(k)
        values[f"{name}@{k}"] = of_lists(metric, short)
    values[f"RBP(patience=0.5)@{k}"] = of_lists(
        ranking.RBP(k, patience=0.5), short
    )
    values[f"MeanPopRank@{k}"] = of_lists(ranking.MeanPopRank(train, n=k), full)
    values[f"ListGini@{k}"] = of_all(
        ranking.ListGini(k, items=given["catalogue"]), full
    )
    for name in ("GeometricRankWeight", "LogRankWeight"):
        weight = getattr(ranking, name)()
        values[f"ExposureGini(weight={name}())@{k}"] = of_all(
            ranking.ExposureGini(k, items=given["catalogue"], weight=weight),
            full,
        )
write("lenskit", ("lenskit", "numpy"), values)

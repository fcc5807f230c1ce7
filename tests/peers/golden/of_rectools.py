"""What RecTools says of the lists that newer packages beside it refuse."""

import pandas as pd
from rectools import metrics
from written import CUTOFFS, data, write

given = data()
catalogue = range(given["catalogue"])


def pairs(rows):
    return pd.DataFrame(
        [(user, item) for user, items in enumerate(rows) for item in items],
        columns=["user_id", "item_id"],
    )


def ranked(rows):
    return pd.DataFrame(
        [
            (user, item, rank)
            for user, items in enumerate(rows)
            for rank, item in enumerate(items, 1)
        ],
        columns=["user_id", "item_id", "rank"],
    )


full, train = ranked(given["recommended"]), pairs(given["train"])
wanted = pairs(given["relevant"])
# Everything that users had not, best first.
whole = ranked(
    [
        [
            item
            for item in sorted(catalogue, key=lambda i: -of_user[i])
            if item not in had
        ]
        for of_user, had in zip(
            given["scores_of_all"], given["train"], strict=True
        )
    ]
)
features = pd.DataFrame(
    {"category": given["categories"]}, index=pd.Index(catalogue, name="item_id")
)
distances = metrics.PairwiseHammingDistanceCalculator(features)
values = {}


def of_lists(name, found):
    values[name] = found.reindex(range(len(given["train"]))).to_numpy()


for k in CUTOFFS:
    for name in ("PartialAUC", "PAP"):
        metric = getattr(metrics, name)(k)
        of_lists(f"{name}@{k}", metric.calc_per_user(whole, wanted))
    for name in ("Precision", "Recall", "MAP", "MRR", "HitRate", "NDCG"):
        metric = getattr(metrics, name)(k)
        of_lists(f"{name}@{k}", metric.calc_per_user(full, wanted))
    metric = metrics.Precision(k, r_precision=True)
    of_lists(
        f"Precision(r_precision=True)@{k}", metric.calc_per_user(full, wanted)
    )
    metric = metrics.F1Beta(k, beta=2.0)
    of_lists(f"F1Beta(beta=2)@{k}", metric.calc_per_user(full, wanted))
    metric = metrics.MeanInvUserFreq(k)
    of_lists(f"MeanInvUserFreq@{k}", metric.calc_per_user(full, train))
    for normalize in (False, True):
        metric = metrics.AvgRecPopularity(k, normalize=normalize)
        name = f"AvgRecPopularity(normalize={normalize})@{k}"
        of_lists(name, metric.calc_per_user(full, train))
    metric = metrics.Serendipity(k)
    of_lists(
        f"Serendipity@{k}",
        metric.calc_per_user(full, wanted, train, list(catalogue)),
    )
    metric = metrics.IntraListDiversity(k, distances)
    of_lists(f"IntraListDiversity@{k}", metric.calc_per_user(full))
    for normalize in (False, True):
        metric = metrics.CatalogCoverage(k, normalize=normalize)
        name = f"CatalogCoverage(normalize={normalize})@{k}"
        values[name] = metric.calc(full, list(catalogue))
write("rectools", ("RecTools", "numpy", "pandas"), values)

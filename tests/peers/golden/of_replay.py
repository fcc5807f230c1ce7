"""What RePlay says of the lists."""

import replay.metrics as metrics
from written import CUTOFFS, data, write

given = data()


def by_user(rows):
    return dict(enumerate(rows))


def scored(rows):
    return {
        user: [(item, -float(rank)) for rank, item in enumerate(items)]
        for user, items in enumerate(rows)
    }


def of_lists(name, k, *arguments):
    metric = getattr(metrics, name)(k, mode=metrics.PerUser())
    found = metric(*arguments)[f"{name}-PerUser@{k}"]
    return [found[user] for user in range(len(given["train"]))]


short = scored(given["short_recommended"]), by_user(given["short_relevant"])
full, train = scored(given["recommended"]), by_user(given["train"])
# Each user's first ones of all, whether or not the user had them.
others = {
    user: [(item, -float(item)) for item in range(10)] for user in range(40)
}
categories = {
    user: [
        (given["categories"][item], -float(rank))
        for rank, item in enumerate(items)
    ]
    for user, items in enumerate(given["recommended"])
}
values = {}
for k in CUTOFFS:
    for name in (
        "NDCG",
        "Precision",
        "Recall",
        "HitRate",
        "MAP",
        "MRR",
        "RocAuc",
    ):
        values[f"{name}@{k}"] = of_lists(name, k, *short)
    values[f"Novelty@{k}"] = of_lists("Novelty", k, full, train)
    values[f"Surprisal@{k}"] = of_lists("Surprisal", k, full, train)
    values[f"Unexpectedness@{k}"] = of_lists("Unexpectedness", k, full, others)
    values[f"CategoricalDiversity@{k}"] = of_lists(
        "CategoricalDiversity", k, categories
    )
    coverage = metrics.Coverage(k)(full, train)
    values[f"Coverage@{k}"] = coverage[f"Coverage@{k}"]
write("replay", ("replay-rec", "numpy"), values)

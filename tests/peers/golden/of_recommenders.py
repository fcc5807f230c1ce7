"""Write the numbers of Recommenders' metrics about items.

It needs an older pandas than the packages around it.
"""

import numpy as np
import pandas as pd
from recommenders.evaluation import python_evaluation
from written import CUTOFFS, data, write

given = data()
NAMES = ("catalog_coverage", "distributional_coverage", "novelty")


def pairs(rows):
    return pd.DataFrame(
        [(user, item) for user, items in enumerate(rows) for item in items],
        columns=["userID", "itemID"],
    )


train = pairs(given["train"])
categories = np.eye(max(given["categories"]) + 1)[given["categories"]]
features = pd.DataFrame(
    {"itemID": range(len(categories)), "features": list(categories)}
)
values = {}
for k in CUTOFFS:
    shown = pairs([items[:k] for items in given["recommended"]])
    for name in NAMES:
        metric = getattr(python_evaluation, name)
        values[f"{name}@{k}"] = metric(train, shown)
    if k > 1:  # it takes no list of one item
        values[f"diversity@{k}"] = python_evaluation.diversity(
            train,
            shown,
            item_feature_df=features,
            item_sim_measure="item_feature_vector",
        )
write("recommenders", ("recommenders", "numpy", "pandas"), values)

"""Logs to evaluate in parts, and what one process says of them."""

import pathlib
import re

import keras
import numpy as np
from pytest import approx

import keras_rankmetrics as krm

DOCS = pathlib.Path(__file__).parents[3] / "docs"
BY_NAME = "RR MAP@3 NDCG(list_weight=relevance)@2"


def blocks(heading):
    """The code blocks that are no doctests of a section of the guide."""
    page = (DOCS / "logs.md").read_text()
    [section] = re.findall(rf"^## {heading}\n(.*?)^## ", page, re.S | re.M)
    return re.findall(r"```python\n(.*?)```", section, re.S)


def of_ids(lists=90, strings=False, seed=0):
    """Rows of relevant ids and recommended ones, some of them empty."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "relevant": drawn(rng, rng.integers(0, 6)),
            "recommended": drawn(rng, rng.integers(0, 12)),
            "new": drawn(rng, 10),
            "weight": float(rng.integers(0, 4)),
            "market": ["home", "away", "far"][rng.integers(0, 3)],
            "device": int(rng.integers(0, 2)),
        }
        for _ in range(lists)
    ]
    rows[3].update(relevant=[], recommended=[])
    if strings:
        for row in rows:
            for name in ("relevant", "recommended", "new"):
                row[name] = [f"item {id}" for id in row[name]]
    return rows


def drawn(rng, number):
    return rng.permutation(20)[:number].tolist()


def of_scores(lists=90, seed=0):
    """Rows of labels and scores, with ties, one of them empty."""
    rng = np.random.default_rng(seed)
    sizes = [0, *rng.integers(1, 14, lists - 1).tolist()]
    return [
        {
            "query": f"query {number}",
            "labels": rng.integers(0, 4, size).tolist(),
            "scores": rng.integers(0, 9, size).astype(float).tolist(),
            "new": rng.integers(0, 9, size).astype(float).tolist(),
            "weight": float(rng.integers(0, 4)),
            "market": ["home", "away", "far"][rng.integers(0, 3)],
        }
        for number, size in enumerate(sizes)
    ]


def of_catalogue(lists=90, items=20):
    """Rows of the scores of all items, with ties, and of items seen before."""
    rng = np.random.default_rng(3)
    return [
        {
            "taken": int(rng.integers(0, items)),
            "several": drawn(rng, rng.integers(0, 4)),
            "scores": rng.integers(0, 9, items).astype(float).tolist(),
            "seen": drawn(rng, rng.integers(0, 5)),
            "weight": float(rng.integers(0, 3)),
        }
        for _ in range(lists)
    ]


def items_of(rows, seed=0):
    """A row for each item, in any order."""
    items = [
        {**row, "label": label, "score": score, "new_score": new}
        for row in rows
        for label, score, new in zip(
            row["labels"], row["scores"], row["new"], strict=True
        )
    ]
    for item in items:
        for name in ("labels", "scores", "new"):
            del item[name]
    order = np.random.default_rng(seed).permutation(len(items))
    return [items[place] for place in order]


def weighted_items(differing):
    """A row for each item, and the results by name of `evaluate_rows`.

    Args:
        differing: whether the items of a single query have several weights, so
            that all weights are those of items.
    """
    items = items_of(of_scores())
    if differing:
        items[0] = {**items[0], "weight": items[0]["weight"] + 1}
    columns = (column(items, x) for x in ("query", "label", "score"))
    weights = column(items, "weight")
    return items, krm.evaluate_rows(*columns, BY_NAME, weights)


def close_items(lists=40, seed=6):
    """A row for each item, with ties and with scores that float32 ties."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "query": f"q{number}",
            "label": int(rng.integers(0, 3)),
            "score": 1.0 - 1e-12 * int(rng.integers(0, 4)),
            "position": place,
        }
        for number in range(lists)
        for place in range(int(rng.integers(2, 9)))
    ]
    return rows, [rows[place] for place in rng.permutation(len(rows))]


def stable():
    return krm.MetricCollection(
        [krm.NDCG(3, ties="stable"), krm.MeanReciprocalRank(), krm.AUC()]
    )


def of_sorted_items(rows):
    """What one process says of them, in all and for each query."""
    columns = [column(rows, name) for name in ("query", "label", "score")]
    values = krm.per_query(*columns, stable())
    of_queries = zip(values["query"], values["ndcg@3"], strict=True)
    return krm.evaluate_rows(*columns, stable()), dict(of_queries)


def both():
    """Return metrics of ids: one of groups, and one of all lists."""
    return [sliced(), krm.RecallAtK(3, inputs="ids")]


def of_both_in_one_process(rows):
    """Return these metrics of rows, by their weights and markets."""
    ids = [dense(rows, name, -1) for name in ("relevant", "recommended")]
    weights = np.array(column(rows, "weight"))
    of_groups, of_all = both()
    groups = {"target": ids[0], "group": market(rows)}
    of_groups.update_state(groups, ids[1], weights)
    of_all.update_state(*ids, weights)
    return [of_groups, of_all]


def column(rows, name):
    return [row[name] for row in rows]


def dense(rows, name, fill):
    """A column of lists as an array, strings as the numbers in them."""
    lists = [
        [int(x.split()[-1]) if isinstance(x, str) else x for x in row[name]]
        for row in rows
    ]
    array = np.full((len(rows), max(map(len, lists))), fill)
    for place, row in enumerate(lists):
        array[place, : len(row)] = row
    return array.astype("int32" if fill == -1 else "float32")


def for_ids():
    return krm.MetricCollection(
        [
            *krm.NDCG.at(3, 10, inputs="ids"),
            krm.RecallAtK(5, inputs="ids"),
            krm.MeanAveragePrecision(inputs="ids", empty="skip"),
        ]
    )


def for_scores():
    return krm.MetricCollection(
        [*krm.NDCG.at(3, 10), krm.MeanReciprocalRank(), krm.AUC()]
    )


def for_sparse():
    return krm.MetricCollection(
        [
            *krm.NDCG.at(3, 10, inputs="sparse"),
            krm.AUC(inputs="sparse"),
            krm.PrecisionAtK(30, inputs="sparse"),
            krm.CatalogueCoverage(3, num_items=20, inputs="sparse"),
        ]
    )


def of_one_process(rows, target="taken", exclude="seen", weights=None):
    """What these metrics say of a catalogue."""
    metrics = for_sparse()
    y_true = {"target": np.array(column(rows, "taken"))}
    if target == "several":
        y_true["target"] = dense(rows, "several", -1)
    if exclude is not None:
        y_true["exclude"] = dense(rows, exclude, -1)
    metrics.update_state(y_true, dense(rows, "scores", 0.0), weights)
    return metrics


def sliced(inputs="ids", **options):
    groups = ["home", "away", "far"]
    return krm.Sliced(krm.NDCG(5, inputs=inputs), groups, **options)


def compared(inputs="ids"):
    return krm.Comparison(krm.NDCG(5, inputs=inputs), ["old", "new"])


def market(rows):
    numbers = {"home": 0, "away": 1, "far": 2}
    return np.array([numbers[row["market"]] for row in rows])


def numbers(metric):
    """The results and the errors, by name."""
    if isinstance(metric, list | tuple):
        return {
            (place, *key): value
            for place, each in enumerate(metric)
            for key, value in numbers(each).items()
        }
    result = metric.result()
    named = result if isinstance(result, dict) else {metric.name: result}
    found = {
        (name,): float(keras.ops.convert_to_numpy(value))
        for name, value in named.items()
    }
    members = getattr(metric, "metrics", [metric])
    for member in members:
        if hasattr(member, "standard_error"):
            found[member.name, "se"] = member.standard_error()
            found[member.name, "lists"] = member.count()
        elif hasattr(member, "estimates"):
            for name, estimate in member.estimates().items():
                found[member.name, name, "se"] = estimate.standard_error
                found[member.name, name, "lists"] = estimate.lists
    return found


def same(found, expected):
    """Return True if the results and the errors of metrics are the same."""
    return numbers(found) == approx(numbers(expected), abs=1e-6)


def of_items_in_one_process(rows):
    """What is expected of `items_of` the rows, by the column "query"."""
    metric = sliced("scores")
    metric.update_state(
        {"labels": dense(rows, "labels", -1), "group": market(rows)},
        dense(rows, "scores", 0.0),
        np.array(column(rows, "weight"))[:, None],
    )
    return metric

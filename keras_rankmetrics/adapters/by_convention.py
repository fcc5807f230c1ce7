"""The rules by which a convention reads the rows of a log.

They are those of `evaluate` for one table of labels and scores. A convention
that orders tied items by their ids finds these in the column of `order`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import asked_in
from keras_rankmetrics.conventions.rules import ORDERS, SIGNS, Rules
from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.members import members_of, metrics_in
from keras_rankmetrics.tables.ragged import Lists, Ragged
from keras_rankmetrics.tables.single_precision import in_float64
from keras_rankmetrics.types import UNJUDGED


def rules_of(convention: Convention, metrics: Any) -> Rules:
    """Return the rules by which a convention reads the rows of all metrics.

    Args:
        convention: the convention.
        metrics: the metrics as they were passed.

    Raises:
        ValueError: if it reads the rows of some metrics in another way, or
            rounds values.
    """
    found: dict[Rules, list[str]] = {}
    for name, rules in _by_metric(convention, metrics):
        # All queries of a log have rows.
        of_rows = rules._replace(queries="truth", nothing_retrieved="counts")
        found.setdefault(of_rows, []).append(name)
    if len(found) > 1:
        ways = "; ".join(f"{names}: {x.in_words}" for x, names in found.items())
        raise ValueError(
            "The metrics of one call should be read by the same rules of "
            f"`{convention.name}`. Received: {ways}. Call it once for each of "
            "these."
        )
    [rules] = found
    if rules.decimals is not None:
        raise ValueError(
            f"The convention `{convention.name}` rounds the value of each "
            "list, which sums of many lists do not keep. Received: "
            f'`convention="{convention.name}"` on workers. Call '
            "`keras_rankmetrics.evaluate` on a sample of the queries, or leave "
            "`convention` out."
        )
    return rules


def _by_metric(
    convention: Convention, metrics: Any
) -> Iterator[tuple[str, Rules]]:
    """Yield the name of each metric, and its rules."""
    for each in metrics_in(metrics):
        if isinstance(each, str):
            for metric, given in asked_in(each, convention):
                yield metric.name, convention.rules_of(metric, given)
            continue
        for member in members_of(each):
            is_one = hasattr(member, "reads")  # no `Sliced`, no `Comparison`
            rules = convention.rules_of(member) if is_one else convention.rules
            yield member.name, rules


def needs_of_ids(rules: Rules, are_ordered: bool) -> str:
    """Return what a convention does with ids of items; "" if it does nothing.

    Args:
        rules: the rules.
        are_ordered: True if a metric reads tied items in an order.
    """
    needs = []
    if are_ordered and rules.ties in SIGNS:
        needs.append(f"orders tied items by {ORDERS[rules.ties]}")
    if rules.drop_same_id:
        needs.append("drops items with the id of their query")
    return ", and ".join(needs)


def read_by(
    rules: Rules,
    lists: Lists,
    y_true: str,
    predictions: list[str],
    query: str | None,
    items: str | None,
) -> Lists:
    """Return lists of labels and scores as the source reads them.

    Args:
        rules: the rules of the source.
        lists: the columns of the lists.
        y_true: the column of labels.
        predictions: the columns of scores.
        query: the column of queries, or None.
        items: the column of the ids of items, or None.

    Raises:
        ValueError: if a label is one that the source does not take.
    """
    labels, lengths = lists[y_true]
    labels = rules.read_labels_of_lists(labels)
    scores = {name: in_float64(lists[name].values) for name in predictions}
    if rules.score_dtype is not None:
        dtype = rules.score_dtype
        with np.errstate(over="ignore"):
            scores = {name: x.astype(dtype) for name, x in scores.items()}
    if rules.drop_same_id and query is not None and items is not None:
        queries = np.repeat(lists[query].values, lengths)
        same = ids.are_same(queries, lists[items].values)
        scores = {
            name: np.where(same, -np.inf, x) for name, x in scores.items()
        }
        if rules.same_id_in_truth == "dropped":
            labels = np.where(same, UNJUDGED, labels)
    read: Mapping[str, np.ndarray] = {**scores, y_true: labels}
    return {**lists, **{name: Ragged(x, lengths) for name, x in read.items()}}

"""The values of metrics for a table that has both labels and scores.

Nothing is joined: the rows of a query are its list. A file or a lazy table is
read once, and only a chunk of it is in memory.

    table --parts--> Part --Lists--> Joined --values--> Values
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing import (
    joining,
    requirements,
    statistics,
    together,
    values,
)
from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.labels_and_scores import OneTable, table_of
from keras_rankmetrics.comparing.measured import Measured, Overlap, Values
from keras_rankmetrics.comparing.reading import Reading, is_empty, steps_of
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.inputs import warn_if_swapped
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.files import QueriesReturnError
from keras_rankmetrics.files.fields import Part
from keras_rankmetrics.tables import ids, item_rows
from keras_rankmetrics.tables.item_rows import Rows
from keras_rankmetrics.types import UNJUDGED, Truth

_REMOVE = (
    "Remove one; or, if the column of items has none, leave it out: "
    '`columns={"item": None}`.'
)


class Lists:
    """The lists of a table, chunk by chunk, and what is known of them so far.

    Args:
        table: the table.
        rules: those of the convention.
        are_in_order: True if a metric reads tied items in an order.

    Attributes:
        labels: labels of each chunk that show what all are.
        truth: a hash of the labels.
    """

    def __init__(
        self, table: OneTable, rules: Rules, are_in_order: bool
    ) -> None:
        self._table = table
        self._rules = rules
        self._are_in_order = are_in_order
        self._queries: list[np.ndarray] = []
        self.labels: list[np.ndarray] = []
        self.truth = 0
        self._number = 0
        self._ranking = 0
        self._counts = np.zeros(3, np.int64)

    @property
    def queries(self) -> np.ndarray:
        """The ids of the queries so far."""
        self._queries[:] = [np.concatenate(self._queries)]
        return self._queries[0]

    @property
    def ranking(self) -> str:
        """A fingerprint of the items at each rank of each list so far."""
        return f"{self._ranking % 2**64:016x}"

    @property
    def overlap(self) -> Overlap:
        """The numbers of retrieved and of judged items so far."""
        retrieved, judged, judgements = self._counts.tolist()
        same = self._table.same_id
        return Overlap(0, 0, retrieved, judged, judgements, same_id=same)

    def __iter__(self) -> Iterator[Joined]:
        """Yield the lists of each chunk.

        Raises:
            ValueError: if an id or a number is missing, an item occurs twice in
                a list, the rules need ids of items, or there are no rows.
        """
        table, steps = self._table, np.zeros(3, np.int64)
        table.same_id = 0  # of a table that is read again
        for part in table.parts():
            if not len(part.query):
                continue
            label, score = part.value.T
            _check_known(table, part)
            if not self._number:
                _check_rules(table, self._rules)
                warn_if_swapped(label, score)
            rows = Rows(part.query, part.item, score)
            steps += steps_of(rows)
            rows = table.as_run(rows)
            yield self._lists(rows, self._rules.read_labels(label))
        if not self._number:
            raise ValueError(
                f"There should be rows in {table.argument}. Received: none. "
                "Check how they were read; a stream can be read once."
            )
        table.warn_of_order(steps)

    def _lists(self, rows: Rows, labels: np.ndarray) -> Joined:
        """Return the lists of a chunk.

        Args:
            rows: the scores of some queries.
            labels: the label of each row.
        """
        numbers, first = item_rows.numbered(rows.query)
        queries = rows.query[first]
        ids.warn_of_missing(queries, rows.item)
        self.labels.append(_examples(labels))
        labels = np.where(labels < 0, UNJUDGED, labels)
        both = np.stack([labels, rows.value], axis=1)
        lists, rows = item_rows.in_order_of(numbers, rows._replace(value=both))
        labels = rows.value[:, 0].astype(np.float32)
        scores = joining.in_float32(rows.value[:, 1], lists)
        lengths = np.bincount(lists)
        if has_items(self._table):
            pairs = item_rows.ListItems.of(lists, rows.item, len(queries))
            again, _ = item_rows.duplicates(pairs)
            joining.check_once(rows, again, self._table.argument, _REMOVE)
            items = rows.item
        else:
            begins = np.cumsum(lengths) - lengths
            items = np.arange(len(lists)) - np.repeat(begins, lengths)
        self._count(queries, lists, labels, scores, items)
        order = self._sorted(lists, scores, items)
        places = np.arange(len(queries)) + self._number
        self._queries.append(queries)
        self._number += len(queries)
        return Joined(places, lengths, labels[order], scores[order])

    def _count(
        self,
        queries: np.ndarray,
        lists: np.ndarray,
        labels: np.ndarray,
        scores: np.ndarray,
        items: np.ndarray,
    ) -> None:
        """Add the items of a chunk to the hashes and the counts."""
        retrieved, judged = scores > -np.inf, labels != UNJUDGED
        counted = retrieved, retrieved & judged, judged
        self._counts += [x.sum() for x in counted]
        of_lists = ids.mixed(ids.keys_of(queries))[lists]
        self.truth += joining.hash_of_labels(of_lists, items, labels)
        keys = of_lists + ids.keys_of(items)
        self._ranking += joining.hash_of_ranks(
            lists[retrieved], keys[retrieved], scores[retrieved]
        )

    def _sorted(
        self, lists: np.ndarray, scores: np.ndarray, items: np.ndarray
    ) -> Any:
        """Return the order of the items of each list; tied ones matter.

        Raises:
            ValueError: if they should be in the order of ids, which they lack.
        """
        ties = self._rules.ties
        if self._are_in_order and has_items(self._table):
            sign = joining.SIGNS.get(
                "last_id_first" if ties == "options" else ties
            )
            if sign:
                return joining.by_score_and_id(lists, scores, items, sign)
        elif self._are_in_order and ties in joining.SIGNS:
            order = joining.by_score(lists, scores)
            tied = order[joining.tied_places(lists, scores, order)]
            if (scores[tied] > -np.inf).any():
                raise ValueError(
                    "This convention orders tied items by their ids. Received: "
                    f"tied scores, and no column of items in "
                    f"{self._table.argument}. Name it: "
                    f"{item_rows.argument({'item': '...'})}."
                )
        return slice(None)


def has_items(table: OneTable) -> bool:
    """Return True if items have ids; otherwise rows are the items."""
    return "item" in table.roles()


def _check_known(table: OneTable, part: Part) -> None:
    """Raise ValueError if a query, an item, a label or a score is missing."""
    label, score = part.value.T
    missing = {
        "the query": is_empty(part.query),
        "the item": is_empty(part.item) & has_items(table),
        "the label": np.isnan(label),
        "the score": np.isnan(score),
    }
    for name, wrong in missing.items():
        for at in np.flatnonzero(wrong)[:1]:
            query = ids.as_text(part.query[at].item())
            raise ValueError(
                f"{table.argument} should have ids and numbers in each row. "
                f"Received: none as {name} in row {part.line[at]:,}, of the "
                f"query {query!r}. Remove the row, or look for what made it."
            )


def _check_rules(table: OneTable, rules: Rules) -> None:
    """Raise ValueError if the rules of a convention need what is not there."""
    if rules.drop_same_id and not has_items(table):
        raise ValueError(
            "Items with the id of their query should be dropped. Received: "
            f"no column of items in {table.argument}. Name it: "
            f"{item_rows.argument({'item': '...'})}; or, if no item has the id "
            "of its query, pass `drop_same_id=False`."
        )
    if rules.labels == "members":
        raise ValueError(
            "By this convention, each judged item is relevant. Received: a "
            "label in each row, of relevant and of other items. Pass the "
            "relevant items and the run: `evaluate(truth, run, metrics)`."
        )


def _examples(labels: np.ndarray) -> np.ndarray:
    """Return a few labels that have the range of all, and their fractions."""
    negative, others = labels[labels < 0], labels[labels >= 0]
    fractions = negative[negative % 1 != 0][:1]
    ends = [
        x[[np.argmin(x), np.argmax(x)]] for x in (negative, others) if len(x)
    ]
    return np.concatenate([*ends, fractions])


def of_members(
    members: Sequence[RankingMetric],
    truth: Any,
    systems: Mapping[str, str | None],
    reading: Reading,
    rules_for: Callable[[Truth | None], Rules],
    groups: Any = None,
    sample_weight: Any = None,
) -> Measured:
    """Return the value of each metric for each list of a table.

    Args:
        members: the metrics.
        truth: the table.
        systems: the column of scores of each system by its name; None for the
            one that the reading finds.
        reading: how to read the table.
        rules_for: returns the rules of the convention.
        groups: the group of each query, or None.
        sample_weight: the weight of each query, or None.
    """
    if requirements.truth_of(members) is not None:
        raise ValueError(
            "A table of labels and scores should have metrics that take these. "
            f"Received: {[x.name for x in members]}, which take others. Pass "
            "`evaluate(truth, run, metrics)`."
        )
    requirements.check_by_id(members)
    rules = rules_for(None)
    if reading.drop_same_id is not None:
        rules = rules._replace(drop_same_id=reading.drop_same_id)
    found: dict[str, Values] = {}
    read_as = {}
    for name, column in systems.items():
        own = reading.of_system(name, rules)
        if column is not None:
            chosen = {**reading.chosen, "score": column}
            own = dataclasses.replace(own, columns=chosen)
        table = table_of(truth, own)
        lists, found[name] = _values(members, table, rules, sample_weight)
        assumed = requirements.checked_labels(
            np.concatenate(lists.labels), members
        )
        table.assumed |= assumed
        roles = table.read_as()
        if column is not None:
            roles.pop("score", None)  # the user named it
        read_as["truth"] = roles
    texts = [ids.as_text(query) for query in lists.queries.tolist()]
    return Measured(
        tuple(map(statistics.mean_of, members)),
        tuple(texts),
        f"{lists.truth % 2**64:016x}",
        found,
        together.groups_of_lists(groups, texts, False),
        str(rules),
        read_as={name: roles for name, roles in read_as.items() if roles},
    )


def _values(
    members: Sequence[RankingMetric],
    table: OneTable,
    rules: Rules,
    sample_weight: Any,
) -> tuple[Lists, Values]:
    """Return the lists of a table, and the values of metrics for each."""
    are_in_order = any(metric.ties == "stable" for metric in members)
    while True:
        lists = Lists(table, rules, are_in_order)
        weights_at = None
        if sample_weight is not None:
            weights_at = functools.partial(_weights, sample_weight, lists)
        with contextlib.suppress(QueriesReturnError):
            found = values.of_lists(members, lists, weights_at)
            break
    if rules.decimals is not None:
        found.values[:] = rules.rounded(found.values)
    overlap, ranking = lists.overlap, lists.ranking
    return lists, found._replace(overlap=overlap, ranking=ranking)


def _weights(
    sample_weight: Any, lists: Lists, places: np.ndarray
) -> np.ndarray:
    """Return the weights of some lists."""
    found = together.weights_of(sample_weight, lists.queries[places])
    return np.ones(len(places)) if found is None else found

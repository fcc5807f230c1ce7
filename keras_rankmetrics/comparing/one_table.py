"""The values of metrics for a table that has both labels and scores.

Nothing is joined: the rows of a query are its list. A file or a lazy table is
read once for all columns of scores, and only a chunk of it is in memory.

    table --parts--> Part --ListsOfTable--> Joined --ListsSoFar--> Values
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing import (
    by_judge,
    joining,
    measuring,
    requirements,
    together,
    values,
)
from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.labels_and_scores import (
    Held,
    OneTable,
    Side,
    has_items,
    one_table_of,
    without_items,
)
from keras_rankmetrics.comparing.measured import Measured, Overlap, Values
from keras_rankmetrics.comparing.reading import (
    Reading,
    have_same_id,
    is_empty,
    read_as,
    read_whole,
    refuse_parts_of_ranks,
)
from keras_rankmetrics.comparing.requirements import (
    RulesBy,
    RuleSet,
    merged_values,
    rules_in_words,
)
from keras_rankmetrics.conventions.rules import SIGNS, Rules
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.tables import ids, item_rows, roles
from keras_rankmetrics.tables.item_rows import Part, Rows
from keras_rankmetrics.tables.single_precision import (
    by_score,
    tied_places,
)
from keras_rankmetrics.types import UNJUDGED

_REMOVE = (
    "Remove one, or select the rows of one system. If this column does not "
    f"have the ids of items, leave it out: {roles.argument({'item': None})}."
)


@dataclasses.dataclass
class System:
    """A column of scores, and what is known of it so far.

    Attributes:
        table: the table, read for these scores.
        values: the values of the lists, by each set of rules.
        ranking: a hash of the items at each rank.
        counts: the numbers of retrieved items, of judged ones of them, and of
            relevant items that are not retrieved.
        same_id: the number of items that were dropped, since they have the id
            of their query.
    """

    table: OneTable
    values: list[values.ListsSoFar]
    ranking: int = 0
    counts: np.ndarray = dataclasses.field(
        default_factory=lambda: np.zeros(3, np.int64)
    )
    same_id: int = 0

    def count(
        self,
        lists: np.ndarray,
        labels: np.ndarray,
        scores: np.ndarray,
        keys: np.ndarray,
    ) -> None:
        """Count the items of a chunk, and add their ranks to the hash.

        Args:
            lists: `[items]`, the number of the list of each item.
            labels: `[items]`.
            scores: `[items]`.
            keys: `[items]`, a key of the query and the item.
        """
        there = scores > -np.inf
        judged, hidden = there & (labels != UNJUDGED), ~there & (labels > 0)
        self.counts += [there.sum(), judged.sum(), hidden.sum()]
        self.ranking += joining.hash_of_ranks(
            lists[there], keys[there], scores[there]
        )

    def found(self, of_truth: Overlap, sets: Sequence[RuleSet]) -> Values:
        """Return the values of all lists.

        Args:
            of_truth: the numbers of labels.
            sets: the metrics by their rules.
        """
        found = merged_values(sets, [each.values() for each in self.values])
        retrieved, judged, hidden = self.counts.tolist()
        counts = of_truth._replace(
            retrieved=retrieved,
            judged=judged,
            same_id=self.same_id,
            unranked=self.table.unranked,
            hidden=hidden,
        )
        ranking = f"{self.ranking % 2**64:016x}"
        return found._replace(overlap=counts, ranking=ranking)


class ListsOfTable:
    """The lists of a table, chunk by chunk, and what is known of them so far.

    Args:
        systems: the columns of scores by name, of one table.
        sets: the metrics by their rules.
        weights: the weight of each query, or None; a column of weights is read
            with the lists.

    Attributes:
        groups: the group of each query so far, if there is such a column.
        facts: what the labels, the ids and the lists have shown.
        truth: a hash of the labels.
        judged: the number of judged items.
        same_id_judged: the number of labels that were dropped.
    """

    def __init__(
        self,
        systems: Mapping[str, System],
        sets: Sequence[RuleSet],
        weights: Any,
    ) -> None:
        self._systems = systems
        self._table = next(iter(systems.values())).table
        self._sets = sets
        self._weights = weights
        self._queries: list[np.ndarray] = []
        self.groups: dict[Any, Any] = {}
        self.facts = checks.Facts()
        self.truth: int = 0
        self.judged: int = 0
        self.same_id_judged: int = 0

    @property
    def rules(self) -> str:
        """The rules by which ties and labels were read, as text."""
        first, *_ = self._sets
        usual, order = first.rules, first.order_of_ties(have_ids=False)
        if order != "options" and not has_items(self._table):
            usual = usual._replace(ties=order)
        return rules_in_words(str(usual), self._sets)

    def queries(self) -> list[Any]:
        """Return the ids of all queries.

        Raises:
            ValueError: if there are none.
        """
        if not self._queries:
            raise ValueError(
                f"There should be rows in {self._table.argument}. Received: "
                "none. Check how they were read; a stream can be read once."
            )
        found: list[Any] = np.concatenate(self._queries).tolist()
        return found

    def add(self, part: Part) -> None:
        """Evaluate the lists of a chunk.

        Raises:
            ValueError: if an id or a number is missing, an item occurs twice in
                a list, or the rules need ids of items that the table lacks.
        """
        if not len(part.query):
            return
        numbers, first = item_rows.numbered(part.query)
        lists, rows = item_rows.in_order_of(numbers, self._read(part))
        queries, lengths = part.query[first], np.bincount(lists)
        self.facts.add_ids(queries, *[rows.item] * has_items(self._table))
        self.facts.add_queries(queries)
        self.facts.add_rows(part.query)
        self.facts.add_sizes(queries, lengths)
        items = self._items(lists, lengths, rows)
        given, *scores, _ = rows.value.T
        if "weight" in part.others:
            columns = {
                "the queries": part.query,
                "the labels": part.value[:, 0],
            }
            self.facts.add_weights(part.others["weight"], columns)
        same = given[:0] > 0
        if any(each.rules.drop_same_id for each in self._sets):
            same = have_same_id(rows)
        labels = [self._labels_by(x.rules, given, same) for x in self._sets]
        self.facts.add_labels(np.where(labels[0] < 0, given, labels[0]))
        keys = ids.mixed(ids.keys_of(queries))[lists]
        self.truth += joining.hash_of_labels(keys, items, labels[0])
        self.judged += int((labels[0] != UNJUDGED).sum())
        if self._sets[0].rules.drops_judgements:
            self.same_id_judged += int(same.sum())
        places = np.arange(len(queries)) + self.facts.lists
        self._queries.append(queries)
        self.facts.add_lists(lengths)
        of_queries = {
            role: item_rows.of_queries(
                part.query, part.others[role], role, self._table.argument
            )
            for role in self._table.reading.of_queries
        }
        self.groups |= of_queries.get("group", {})
        weights = together.weights_of(
            of_queries.get("weight", self._weights), queries
        )
        keys = keys + ids.keys_of(items)
        are_own = self._are_own(rows)
        for system, x in zip(self._systems.values(), scores, strict=True):
            if system.table.reading.has_ranks:
                refuse_parts_of_ranks(rows.query, -x, self._table.argument)
            system.table.shown.add_whole(lists, x, labels[0], are_own)
            system.same_id += int(same.sum())
            rules = [each.rules for each in self._sets]
            by_rules = joining.scores_by(rules, x, same, lists)
            pairs = zip(self._sets, by_rules, strict=True)
            for place, (each, of_lists) in enumerate(pairs):
                if not place:
                    system.count(lists, labels[0], of_lists, keys)
                order = self._order(each, lists, of_lists, items)
                joined = Joined(
                    places, lengths, labels[place][order], of_lists[order]
                )
                try:
                    system.values[place].add(joined, weights)
                except ValueError:
                    checks.doubts(self.facts, ())  # or raise what explains it
                    raise

    def _are_own(self, rows: Rows) -> Callable[[np.ndarray], np.ndarray] | None:
        """Return what tells items with the id of their query, by index.

        None if the table has no items, or rules drop these.
        """
        drops = any(each.rules.drop_same_id for each in self._sets)
        if drops or not has_items(self._table):
            return None
        return lambda at: ids.are_same(rows.query[at], rows.item[at])

    @staticmethod
    def _labels_by(
        rules: Rules, labels: np.ndarray, same: np.ndarray
    ) -> np.ndarray:
        """Return labels in float32 by some rules, `UNJUDGED` below 0.

        Args:
            rules: the rules.
            labels: `[rows]`, as they were passed.
            same: `[rows]`, True for items with the id of their query.
        """
        labels = rules.read_labels_of_lists(labels)
        labels = joining.without_dropped(rules, labels, same)
        found: np.ndarray = np.where(labels < 0, UNJUDGED, labels)
        return found.astype(np.float32)

    def _read(self, part: Part) -> Rows:
        """Return the checked rows of a chunk: labels, scores, and their lines.

        Raises:
            ValueError: if an id or a number is missing, or the rules need ids
                of items that the table lacks.
        """
        _check_known(self._table, part)
        labels, *scores = part.value.T
        if not self._queries:
            for each in self._sets:
                _check_rules(self._table, each.rules)
        columns = [labels]
        for system, x in zip(self._systems.values(), scores, strict=True):
            rows = Rows(part.query, part.item, x)
            shown = system.table.shown
            shown.add_scores(part.query, x, part.value[:, 0])
            shown.add_ranks(part.query, x, part.others.get(roles.RANKS))
            columns.append(system.table.as_run(rows).value)
        return rows._replace(value=np.column_stack([*columns, part.line]))

    def _items(
        self, lists: np.ndarray, lengths: np.ndarray, rows: Rows
    ) -> np.ndarray:
        """Return the ids of items, or their numbers within each list.

        Raises:
            ValueError: if an item occurs twice in a list.
        """
        if has_items(self._table):
            pairs = item_rows.ListItems.of(lists, rows.item, len(lengths))
            _, again = item_rows.duplicates(pairs)
            where = [
                f", again in row {x:.0f}" for x in rows.value[again[:1], -1]
            ]
            place = self._table.argument + "".join(where)
            joining.check_once(rows, again, place, _REMOVE)
            return rows.item
        begins = np.cumsum(lengths) - lengths
        return np.arange(len(lists)) - np.repeat(begins, lengths)

    def _order(
        self,
        of_rules: RuleSet,
        lists: np.ndarray,
        scores: np.ndarray,
        items: np.ndarray,
    ) -> slice | np.ndarray:
        """Return the indices of items in the order that a metric reads.

        Raises:
            ValueError: if tied items should be in the order of ids that the
                table lacks.
        """
        sign = SIGNS.get(of_rules.order_of_ties(has_items(self._table)))
        if sign is None:
            return slice(None)
        if has_items(self._table):
            return joining.by_score_and_id(lists, scores, items, sign)
        order = by_score(lists, scores)
        tied = order[tied_places(lists, scores, order)]
        if (scores[tied] > -np.inf).any():
            otherwise = "; or add one, such as the numbers of the rows"
            raise ValueError(
                "This convention orders tied items by their ids. Received: "
                f"tied scores, and {without_items(self._table, otherwise)}."
            )
        return slice(None)


def _check_known(table: OneTable, part: Part) -> None:
    """Raise ValueError if an id or a number is missing in a row."""
    numbers = np.isnan(part.value)
    no_item = is_empty(part.item) & has_items(table)
    for received, wrong, remedy in (
        ("no id of a query", is_empty(part.query), checks.OF_NO_ID),
        ("no id of an item", no_item, checks.OF_NO_ID),
        ("NaN as the label", numbers[:, 0], checks.OF_NAN),
        ("NaN as the score", numbers[:, 1:].any(axis=1), checks.OF_NAN),
    ):
        for at in np.flatnonzero(wrong)[:1]:
            query = as_text(part.query[at].item())
            raise ValueError(
                f"{table.argument} should have ids and numbers in each row. "
                f"Received: {received} in row {part.line[at]:,}, of the query "
                f"{query!r}. {remedy}"
            )


def _check_rules(table: OneTable, rules: Rules) -> None:
    """Raise ValueError if a convention needs what the table does not have."""
    if rules.drop_same_id and not has_items(table):
        raise ValueError(
            "Items with the id of their query should be dropped. Received: "
            f"{without_items(table)}; or, if no item has the id of its query, "
            "pass `drop_same_id=False`."
        )


def of_members(
    members: Sequence[RankingMetric],
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    rules: RulesBy,
    groups: Any = None,
    sample_weight: Any = None,
    depth: float | None = None,
    collect: measuring.Collect = values.ListsSoFar,
) -> Measured:
    """Return the value of each metric for each list of a table.

    Args:
        members: the metrics.
        truth: the table; or `Labelled`, of one kind of labels.
        systems: the columns of scores by the names of the systems, in the order
            of the reading.
        reading: how to read the table.
        rules: the rules by which each metric reads lists.
        groups: the group of each query, or None.
        sample_weight: the weight of each query, or None.
        depth: the rank down to which lists with labels should have them, as for
            two inputs; None for any labels.
        collect: takes the lists.
    """
    requirements.check_by_id(members)
    reads = requirements.truth_of(members)
    if reads == "subtopics" or depth is not None:
        asked = members, truth, systems, reading, rules, groups, sample_weight
        return _of_sides(*asked, depth)
    if reads is not None:
        raise ValueError(
            "A table of labels and scores should have metrics that take these. "
            f"Received: {[x.name for x in members]}, which take others. Pass "
            "`evaluate(truth, run, metrics)`."
        )
    sets = rules.sets(members, reading)
    tables = {
        name: one_table_of(truth, reading.of_system(name)) for name in systems
    }
    table = next(iter(tables.values()))
    found, lists = _evaluated(sets, tables, sample_weight, collect)
    queries = lists.queries()
    together.by_query("sample_weight", sample_weight, sorted(queries))
    table.assumed |= checks.all_relevant(lists.facts, members)
    notes = checks.say(lists.facts, members)
    for system in found.values():
        notes += checks.say(system.table.known(), members)
    texts = [as_text(query) for query in queries]
    of_truth = Overlap(
        judgements=lists.judged, same_id_judged=lists.same_id_judged
    )
    of_systems = {name: x.found(of_truth, sets) for name, x in found.items()}
    of_groups = lists.groups if "group" in table.more else groups
    return Measured(
        tuple(map(requirements.mean_of, members)),
        tuple(texts),
        f"{lists.truth % 2**64:016x}",
        of_systems,
        together.groups_of_lists(of_groups, texts, False),
        lists.rules,
        read_as=read_as({"truth": table}),
        notes=(
            *requirements.notes_on_shares(
                np.concatenate(lists.facts.labels), members
            ),
            *dict.fromkeys(notes),  # labels may be told with each system
        ),
    )


def tables_of(truth: Any, reading: Reading) -> Any:
    """Return a table, or one for each kind of labels that `columns` names.

    Raises:
        TypeError: if the truth is no table.
        ValueError: if the kinds are others, or an option is for two inputs.
    """
    one_table_of(truth, reading)  # or raise an error
    label = reading.chosen.get("label")
    return (
        by_judge.columns_by_kind(truth, label)
        if isinstance(label, Mapping)
        else truth
    )


def _of_sides(
    members: Sequence[RankingMetric],
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    rules: RulesBy,
    groups: Any,
    sample_weight: Any,
    depth: float | None,
) -> Measured:
    """Return the values of metrics that need the truth apart from the run.

    They read a row for each subtopic, or labels that some items lack.

    Raises:
        ValueError: if the table has no items, or an item several scores.
    """
    if isinstance(truth, by_judge.Labelled):
        columns = {**(reading.columns or {}), "label": truth.column}
        reading = dataclasses.replace(reading, columns=columns)
        truth = truth.table
    are_by_subtopic = requirements.truth_of(members) == "subtopics"
    more = ("subtopic",) if are_by_subtopic else ()
    table = one_table_of(truth, reading, more)
    held = Held(table)
    # Humans label some items, and the judge all.
    of_truth = held.labelled() if depth else held
    judged = Side(of_truth, "label", "`truth`", reading, table.more)
    if are_by_subtopic and held.parts and not has_items(table):
        raise ValueError(
            "Metrics of subtopics should have a table with the items that have "
            f"them. Received: {without_items(table)}."
        )
    runs = {
        name: Side(
            held, "score", "`truth`", reading.of_system(name), place=place
        )
        for place, name in enumerate(systems, start=1)
    }
    return measuring.of_systems(
        members, judged, runs, reading, rules, groups, sample_weight, depth
    )


def _evaluated(
    sets: Sequence[RuleSet],
    tables: Mapping[str, OneTable],
    sample_weight: Any,
    collect: measuring.Collect,
) -> tuple[dict[str, System], ListsOfTable]:
    """Return the values of each system, and the lists of the table."""
    is_series = hasattr(sample_weight, "to_dict")
    weights = sample_weight.to_dict() if is_series else sample_weight
    definitions = [[x.definition for x in each.members] for each in sets]

    def read() -> tuple[dict[str, System], ListsOfTable]:
        systems = {}
        for name, table in tables.items():
            table.unranked = 0  # of a table that is read again
            run = table.argument if len(tables) == 1 else f"the system {name!r}"
            table.shown = dataclasses.replace(table.facts(), run=run)
            of_sets = [*map(collect, definitions)]
            systems[name] = System(table, of_sets)
        lists = ListsOfTable(systems, sets, weights)
        for part in next(iter(tables.values())).parts():
            lists.add(part)
        return systems, lists

    return read_whole(read)

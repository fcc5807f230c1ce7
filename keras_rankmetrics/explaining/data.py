"""Judgements and a run, and what of them makes settings equal."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.forms import input_of
from keras_rankmetrics.comparing.joining import (
    Joined,
    Joining,
    Judgements,
    Ruled,
)
from keras_rankmetrics.comparing.labels_and_scores import (
    Side,
    has_items,
    sides_of,
)
from keras_rankmetrics.comparing.measured import ALL, Measured
from keras_rankmetrics.comparing.measuring import of_systems
from keras_rankmetrics.comparing.reading import Reading as Asked
from keras_rankmetrics.comparing.reading import have_same_id
from keras_rankmetrics.comparing.requirements import RulesBy
from keras_rankmetrics.comparing.values import ListsSoFar, of_arrays
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.explaining.settings import Recipe, TieOrder, default_of
from keras_rankmetrics.explaining.words import Inputs, Known
from keras_rankmetrics.tables.item_rows import (
    ListItems,
    Rows,
    match,
    numbered,
)
from keras_rankmetrics.tables.ragged import Ragged
from keras_rankmetrics.tables.single_precision import by_score as in_order
from keras_rankmetrics.types import UNJUDGED

# Of labels of 0 and 1.
_EQUAL_GAINS = (gains.linear_gain, gains.exponential_gain, gains.binary_gain)
_GRADES = 5  # at most, as thresholds
# What tools do that no convention has.
_NOT_ABOVE_0 = (
    "torchmetrics takes items with scores of 0 or less as irrelevant, in most "
    "of its metrics. The run has such scores."
)
_TIED = (
    "With equal scores, which the run has, torchmetrics leaves their order to "
    "the device, and `average_precision_score` of scikit-learn counts a group "
    "of equal scores as one rank."
)
# The order of the lists that `measured` joins.
_PLAIN = TieOrder(Rules(ties="first_row_first"))


class Data:
    """Judgements and a run, and what of them makes settings equal.

    Args:
        truth: the labels, as for `evaluate`.
        run: the scores, as for `evaluate`.
        asked: how to read both.
        asked_metrics: the argument `metrics` of `explain`.
    """

    def __init__(
        self, truth: Any, run: Any, asked: Asked, asked_metrics: Any = None
    ) -> None:
        self._simplest: dict[TieOrder, TieOrder | None] = {}
        self._lists: dict[TieOrder, Joined] = {}
        # The lists that the run lacks: none if only its own are known.
        none = np.zeros(0, np.int64)
        self.missing: dict[bool, np.ndarray] = {True: none, False: none}
        self._read: tuple[Any, Mapping[str, Any]] = truth, {ALL: run}
        self._asked = asked
        judged, ranked = sides_of(truth, run, asked.of_system(None))
        self._is_one_table = isinstance(judged, Side)
        inputs = [judged, ranked]
        has_ids = together.have_ids(inputs)
        self.has_ids: bool = has_ids or together.integers_are_ids(inputs)
        if self.has_ids:
            truth_rows, rows = self._rows = judged.keep(), ranked.keep()
            self._read = judged, {ALL: ranked}
            # A table names its columns once it is read.
            are_ids = not isinstance(judged, Side) or has_items(judged.x.table)
            if not len(rows.query):
                raise ValueError(
                    "There should be rows in `run`. Received: none. Check how "
                    "they were read."
                )
            queries, named = judged.queries(), ranked.queries()
            of_rows, first_judged = numbered(truth_rows.query)
            lists, first = numbered(rows.query)
            retrieved = rows.query[first]
            self._run_queries = retrieved if named is None else named
            if queries is None:
                queries = truth_rows.query[first_judged]
            self._queries: np.ndarray = queries
            self.labels: np.ndarray = truth_rows.value
            scores = rows.value
            of_truth = np.bincount(of_rows)
            has_same_id = bool(have_same_id(rows).any())
            self._has_same_id = has_same_id and not ranked.has_row_numbers
            self.missing[True] = np.flatnonzero(~np.isin(queries, retrieved))
            lacking = queries[self.missing[True]]
            relevant = truth_rows.query[truth_rows.value >= 1]
            self._uncommon: dict[str, bool] = {
                "is_excluded": bool(np.isin(lacking, self._run_queries).any()),
                "is_1_if_none_relevant": not np.isin(lacking, relevant).all(),
            }
        else:
            self.labels, scores = (to_numpy(x).ravel() for x in (truth, run))
            if np.ndim(run) < 2:
                raise ValueError(
                    "`truth` and `run` should be [queries, items]. Received: "
                    f"{len(scores):,} numbers in one list. Pad lists to one "
                    "length: labels by -1, scores by any number."
                )
            if not len(scores) or np.isnan(scores).any():
                raise ValueError(
                    "There should be a number for each item of `run`. Received:"
                    f" {'NaN' if len(scores) else 'no items'}. Check how they "
                    "were computed."
                )
            lists = np.repeat(np.arange(len(run)), len(scores) // len(run))
            self._has_same_id, of_truth = False, np.zeros(1, np.int64)
            are_ids = False
            self._uncommon = {}
            self.labels = self.labels[self.labels != -1]  # without padding
        self._orders_by_id: bool = are_ids
        self.inputs: Inputs = Inputs.of(
            judged,
            ranked,
            asked,
            asked_metrics,
            self.has_ids and not np.isin(retrieved, self._queries).all(),
        )
        grades = np.unique(np.maximum(self.labels, 0)).astype(float)
        self.grades: np.ndarray = grades
        above_0 = grades[grades > 0][:_GRADES]
        self.thresholds: tuple[float, ...] = (*above_0.tolist(),)
        self._is_binary = set(self.grades) <= {0, 1}
        of_run = np.bincount(lists)
        longest = max(of_run.max(initial=0), of_truth.max(initial=0))
        self.longest: int = int(longest)
        order = in_order(lists, scores + 0.0)  # -0 is 0
        is_list = np.diff(lists[order]) == 0
        ordered = scores[order]
        ties, in_single = (
            (x[1:] == x[:-1]) & (x[1:] > -np.inf) & is_list
            for x in (ordered, ordered.astype(np.float32))
        )
        self._is_tied = bool(in_single.any())
        self.hints: list[str] = [
            text
            for is_so, text in (
                (scores.min() <= 0 < scores.max(), _NOT_ABOVE_0),
                (self._is_tied, _TIED),
            )
            if is_so
        ]
        self._is_single = np.array_equal(ties, in_single)

    def is_plain(self, recipe: Recipe) -> bool:
        """Return True for a metric with our defaults."""
        plain = self.simplest_recipe(recipe.plain)
        return plain.options == recipe.options

    def simplest(self, order: TieOrder) -> TieOrder | None:
        """Return the simplest order that is equal here; None if it is refused.

        Orders are equal if nothing ties, and tools refuse some labels.
        """
        if order not in self._simplest:
            self._simplest[order] = self._simplified(order)
        return self._simplest[order]

    def _simplified(self, order: TieOrder) -> TieOrder | None:
        rules, ties, are_known = order
        are_known = are_known or self._knows_all
        read_labels = rules.read_labels
        if self._is_one_table:  # where labels of 0 stand beside scores
            read_labels = rules.read_labels_of_lists
        try:
            read = read_labels(self.labels)
        except ValueError:
            return None
        if self._uncommon.get(rules.nothing_retrieved):
            return None  # lists that retrieve nothing are counted otherwise
        is_single = self._is_single or rules.score_dtype == "float64"
        is_dropped = rules.drop_same_id and self._has_same_id
        in_truth = rules.same_id_in_truth if is_dropped else "dropped"
        rules = rules._replace(
            score_dtype=None if is_single else rules.score_dtype,
            drop_same_id=is_dropped,
            same_id_in_truth=in_truth,
            labels=rules.labels if (read != self.labels).any() else "grades",
            nothing_retrieved="counts",
        )
        if not self._is_tied:
            rules = rules._replace(ties="options")
            return TieOrder(rules, are_known=are_known)
        by_id = rules.ties in ("first_id_first", "last_id_first")
        if ties == "stable" and self.has_ids and rules.ties == "options":
            rules = rules._replace(
                ties="last_id_first"
                if self._orders_by_id
                else "first_row_first"
            )
        if by_id and not self._orders_by_id:
            return None
        return TieOrder(rules, ties, are_known)

    @functools.cached_property
    def known(self) -> Rows:
        """The items of the run with their labels, 0 for those without one."""
        (query, item, label), run = self._rows
        here = np.isin(run.query, self._queries)
        codes, first = numbered(np.concatenate([query, run.query]))
        lists = np.split(codes, [len(query)])
        judged, ranked = (
            ListItems.of(*pair, len(first))
            for pair in zip(lists, (item, run.item), strict=True)
        )
        at, found, _ = match(judged, ranked)
        labels = np.zeros(len(here))
        labels[found] = np.maximum(label[at], 0)
        return Rows(run.query[here], run.item[here], labels[here])

    @functools.cached_property
    def _knows_all(self) -> bool:
        """True if the run has all queries, and all their relevant items."""
        if not self.has_ids:
            return True
        overlap = self.measured.systems[ALL].overlap
        lists = self._lists[_PLAIN]
        not_retrieved = (lists.labels > 0) & (lists.scores == -np.inf)
        # The run may have relevant items that it does not retrieve.
        is_whole = not_retrieved.sum() == overlap.hidden
        return bool(is_whole and not len(self.missing[True]))

    def judgements(self, known: Known) -> dict[Any, dict[Any, float]]:
        """Return the labels of items by query, those that a tool knows."""
        if not self.has_ids:
            raise ValueError(
                "Judgements should have ids. Received: labels and scores, all "
                "of which are known. Pass them as they are."
            )
        rows = self.known if known == "items" else self._rows[0]
        queries = rows.query if known == "items" else self._queries
        if known == "queries":
            queries = queries[np.isin(queries, self._run_queries)]
        found: dict[Any, dict[Any, float]] = {q: {} for q in queries.tolist()}
        columns = (x.tolist() for x in rows)
        for query, item, label in zip(*columns, strict=True):
            if query in found:
                found[query][item] = label
        return found

    def simplest_recipe(self, recipe: Recipe) -> Recipe:
        """Return the simplest recipe that is equal for these labels."""
        options = dict(recipe.options)
        threshold = options.get("relevance_threshold")
        if threshold is not None:
            above = [x for x in (*self.thresholds, np.inf) if x >= threshold]
            least = 1.0 if threshold <= 1 <= above[0] else above[0]
            options["relevance_threshold"] = float(least)
        if options.get("gain_fn") in _EQUAL_GAINS and self._is_binary:
            options["gain_fn"] = default_of(recipe.metric).options["gain_fn"]
        return recipe._replace(options=frozenset(options.items()))

    def takers(
        self, metrics: Iterable[type[RankingMetric]]
    ) -> frozenset[type[RankingMetric]]:
        """Return the metrics that take these labels."""
        return _takers(frozenset(metrics), self.grades.tobytes())

    @functools.cached_property
    def measured(self) -> Measured:
        """Values that are valid for the queries that the run has.

        Warnings on the input are those of `evaluate`.
        """
        rules = Rules(queries="both")
        probe = [metrics.JudgedAtK(2)]  # it takes any labels
        with np.errstate(all="ignore"):
            found = of_systems(
                probe,
                *self._read,
                self._asked,
                RulesBy(rules, lambda _: rules),
                collect=self._keep,
            )
        if self.has_ids:
            self._lists[_PLAIN] = _whole(self._kept.parts)
        together.warn_of_overlap(found, self._asked.drop_same_id)
        return found

    def _keep(self, definitions: Sequence[Definition]) -> KeptLists:
        """Return what takes the lists, which are not joined again."""
        self._kept = KeptLists(definitions)
        return self._kept

    def lists(self, order: TieOrder) -> Joined:
        """Return the lists of an order, their items by descending score."""
        rules = order.rules
        if not self.has_ids:
            return self._of_arrays
        # A label below 0 is no judgement, but that of a member.
        labels = rules.labels if (self.labels < 0).any() else "grades"
        ties = rules.ties
        if ties == "options":
            ties = "last_id_first" if self._is_tied else _PLAIN.rules.ties
        rules = Rules(
            rules.score_dtype,
            ties,
            drop_same_id=rules.drop_same_id,
            labels=labels,
        )
        key = TieOrder(rules, are_known=order.are_known)
        if key not in self._lists:
            self._lists[key] = self._joined(key)
        found = self._lists[key]
        if order.rules.labels != "members":
            return found
        members = np.where(found.labels == UNJUDGED, found.labels, 1)
        return found._replace(labels=members.astype(np.float32))

    @functools.cached_property
    def _of_arrays(self) -> Joined:
        truth, systems = self._read
        labels, scores = (
            to_numpy(x).reshape(-1, np.shape(x)[-1])
            for x in (truth, systems[ALL])
        )
        lengths = np.full(len(labels), labels.shape[1])
        return _by_score(lengths, labels.ravel(), scores.ravel())

    def _joined(self, order: TieOrder) -> Joined:
        rules, _, are_known = order
        rows = self._rows[0] if are_known else self.known
        rows = rows._replace(value=rules.read_labels(rows.value))
        judgements = Judgements.of(rows, self._queries if are_known else None)
        run = input_of(self._rows[1], "score", "`run`", Asked())
        ruled = Ruled(judgements, rules.ties, rules)
        joining = Joining([ruled], run.argument)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `measured` has warned
            return _whole([lists for [lists] in joining.join(run.rows())])


class KeptLists(ListsSoFar):
    """The values of lists that come in chunks, which are kept.

    Attributes:
        parts: the chunks.
    """

    def __init__(self, definitions: Sequence[Definition]) -> None:
        super().__init__(definitions)
        self.parts: list[Joined] = []

    def add(self, chunk: Joined, weights: np.ndarray | None = None) -> None:
        """Evaluate a chunk, and keep it."""
        self.parts.append(chunk)
        super().add(chunk, weights)


def _whole(parts: Sequence[Joined]) -> Joined:
    """Return all lists in order, their items by descending score."""
    joined = Joined(*map(np.concatenate, zip(*parts, strict=True)))
    order = np.argsort(joined.places)
    labels, scores = (
        Ragged(x, joined.lengths).take(order)
        for x in (joined.labels, joined.scores)
    )
    return _by_score(labels.lengths, labels.values, scores.values)


def _by_score(
    lengths: np.ndarray, labels: np.ndarray, scores: np.ndarray
) -> Joined:
    """Return lists whose items are by descending score; tied ones as before."""
    lists = np.repeat(np.arange(len(lengths)), lengths)
    order = in_order(lists, scores + 0.0)  # -0 is 0
    return Joined(
        np.arange(len(lengths)), lengths, labels[order], scores[order]
    )


@functools.lru_cache(8)  # most labels are 0 and 1
def _takers(
    metrics: frozenset[type[RankingMetric]], grades: bytes
) -> frozenset[type[RankingMetric]]:
    """Return the metrics that take labels, float64."""
    labels, found = np.frombuffer(grades)[None], set()
    for metric in metrics:
        with contextlib.suppress(ValueError), np.errstate(all="ignore"):
            arrays = labels, np.zeros_like(labels), None
            of_arrays([default_of(metric)], arrays)
            found.add(metric)
    return frozenset(found)

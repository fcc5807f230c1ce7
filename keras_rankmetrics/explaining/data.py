"""Judgements and a run, and what of them makes settings equal."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_rankmetrics import gains, metrics
from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.forms import input_of
from keras_rankmetrics.comparing.measured import ALL, Measured, Values
from keras_rankmetrics.comparing.measuring import of_systems
from keras_rankmetrics.comparing.reading import Reading as Asked
from keras_rankmetrics.comparing.reading import have_same_id
from keras_rankmetrics.comparing.report import warn_of_unjudged
from keras_rankmetrics.comparing.values import of_arrays
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.explaining.settings import Recipe, TieOrder, default_of
from keras_rankmetrics.tables.item_rows import (
    ListItems,
    Rows,
    match,
    numbered,
)

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


class Data:
    """Judgements and a run, and what of them makes settings equal.

    Args:
        truth: the labels, as for `evaluate`.
        run: the scores, as for `evaluate`.
        asked: how to read both.
    """

    def __init__(self, truth: Any, run: Any, asked: Asked) -> None:
        self._simplest: dict[TieOrder, TieOrder | None] = {}
        self._passed = self._read = truth, {ALL: run}, asked
        plain = asked.of_system(None, Rules())
        judged = input_of(truth, "label", "`truth`", plain)
        ranked = input_of(run, "score", "`run`", plain)
        inputs = [judged, ranked]
        has_ids = together.have_ids(inputs)
        self.has_ids: bool = has_ids or together.integers_are_ids(inputs)
        if self.has_ids:
            truth_rows, rows = self._rows = judged.all_rows(), ranked.all_rows()
            queries = judged.queries()
            self._queries = truth_rows.query if queries is None else queries
            if (
                np.isin(self._queries, truth_rows.query).all()
                and not judged.has_row_numbers
            ):
                # They are read once. Their order and their ids are applied.
                self._read = truth_rows, {ALL: rows}, Asked()
            self.labels: np.ndarray = truth_rows.value
            scores = rows.value
            lists = np.unique(rows.query, return_inverse=True)[1]
            of_truth = np.unique(truth_rows.query, return_counts=True)[1]
            self._has_same_id = bool(have_same_id(rows).any())
            self._lacks_queries = not np.isin(self._queries, rows.query).all()
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
            self._has_same_id = self._lacks_queries = False
            of_truth = np.zeros(1, np.int64)
            self.labels = self.labels[self.labels != -1]  # without padding
        grades = np.unique(np.maximum(self.labels, 0)).astype(float)
        self.grades: np.ndarray = grades
        above_0 = grades[grades > 0][:_GRADES]
        self.thresholds: tuple[float, ...] = (*above_0.tolist(),)
        self._is_binary = set(self.grades) <= {0, 1}
        of_run = np.bincount(lists)
        longest = max(of_run.max(initial=0), of_truth.max(initial=0))
        self.longest: int = int(longest)
        order = np.lexsort((scores, lists))
        is_list = np.diff(lists[order]) == 0
        ordered = scores[order]
        ties, in_single = (
            (np.diff(x) == 0) & is_list
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
        try:
            read = rules.read_labels(self.labels)
        except ValueError:
            return None
        is_single = self._is_single or rules.score_dtype == "float64"
        is_dropped = rules.drop_same_id and self._has_same_id
        in_truth = rules.same_id_in_truth if is_dropped else "dropped"
        rules = rules._replace(
            score_dtype=None if is_single else rules.score_dtype,
            drop_same_id=is_dropped,
            same_id_in_truth=in_truth,
            labels=rules.labels if (read != self.labels).any() else "grades",
            nothing_retrieved=rules.nothing_retrieved
            if self._lacks_queries
            else "counts",
        )
        if not self._is_tied:
            rules = rules._replace(ties="options")
            return TieOrder(rules, are_known=are_known)
        by_id = rules.ties in ("first_id_first", "last_id_first")
        if ties == "stable" and self.has_ids and rules.ties == "options":
            rules = rules._replace(ties="last_id_first")
        if not self.has_ids and by_id:
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
        judged, _ = self._rows
        known = self.known
        return bool(
            (judged.value > 0).sum() == (known.value > 0).sum()
            and np.isin(self._queries, known.query).all()
        )

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

    def takes(self, metric: type[RankingMetric]) -> bool:
        """Return True if a metric takes these labels."""
        labels, metrics = self.grades[None], [default_of(metric)]
        try:
            with np.errstate(all="ignore"):
                of_arrays(metrics, (labels, np.zeros_like(labels), None))
        except ValueError:
            return False
        return True

    def measured(self) -> Measured:
        """Return values that are valid for the queries that the run has.

        Warnings on the input are those of `evaluate`.
        """
        truth, systems, asked = self._passed
        rules = Rules(queries="both")
        probe = [metrics.JudgedAtK()]  # it takes any labels
        with np.errstate(all="ignore"):
            found = of_systems(probe, truth, systems, asked, rules)
        warn_of_unjudged(found)
        return found

    def values(
        self, order: TieOrder, metrics: Sequence[RankingMetric]
    ) -> Values:
        """Return the value of each metric and list, without warnings again."""
        truth, systems, asked = self._read
        truth = truth if order.are_known else self.known
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = of_systems(metrics, truth, systems, asked, order.rules)
        return found.systems[ALL]

"""`Facts`: what rows have shown so far, which all checks read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from keras_rankmetrics.engine.checks import of_ids
from keras_rankmetrics.engine.checks.evidence import (
    Evidence,
    are_numbered,
    mean_ranks,
    padding_apart,
    parted,
    same_columns,
)
from keras_rankmetrics.engine.checks.first_lists import AreOwn, FirstLists
from keras_rankmetrics.engine.checks.repeats import Repeats, times_of_labels
from keras_rankmetrics.engine.inputs import swapped_warning
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.types import UNJUDGED

_FIRST = 10_000  # rows, of which most data need no more
# Infinite scores, and what `numpy.nan_to_num` makes of them.
INFINITE = np.inf, *(float(np.finfo(x).max) for x in ("float32", "float64"))
_FEW_PLACES = 3  # of clicks
_MANY = 20  # rows, whose weights are those of another column by no accident
_TOTALS, _ROUNDED = 5, 1e-3  # lists that have one, and how exact it is
_CLOSE, _USED = 1e-6, 0.75  # to three decimals, of which most need the third
_HUNDRED, _THOUSAND = 100, 1000
_LEVELS = 16  # of labels of a chunk, at most: no check reads more
_TIMES = range(2, 11)  # of lists with the same labels, as of several seeds
# Lists with relevant items, fewer of which are a note, and lists without them.
_FEW_RELEVANT, _SEVERAL = 0.65, 5
_SQUARE = 32  # lists of a square to look at
_LARGE = 99  # the lowest label that may be a code
# What to do, by the names of checks: in doors with options, in files of TREC,
# in doors that take columns alone, and in batches.
OPTIONS: Mapping[str, str] = {
    "ratings_below_0": "Shift them to 0 and above.",
    "ascend": "For distances, pass `higher_is_better=False`, or "
    '`higher_is_better={"name": False}` for one of several systems.',
    "descend": "For similarities, leave out `higher_is_better=False`; if other "
    'systems have distances, pass `higher_is_better={"name": False}`.',
    "equal_scores": "If ranks order them, name their column: "
    '`columns={"rank": "..."}`.',
    "low_labels": "Check how it was read, and that it is not the run.",
    "times": "Name the column of labels by `columns`, or write a header.",
    "one_row_a_query": "Name the column of queries.",
    "places": "For ranks, pass `higher_is_better=False`; for what `argsort` "
    "returned, pass the scores that it sorted.",
}
TREC: Mapping[str, str] = {
    "equal_scores": 'If ranks order them, pass `columns={"rank": "rank"}`.',
    "ranks_of_trec": "Scores count, as in trec_eval. For distances, pass "
    "`higher_is_better=False`; if the ranks are right, "
    '`columns={"rank": "rank"}`.',
}
COLUMNS: Mapping[str, str] = {
    "ascend": "Negate distances and ranks: `-scores`.",
    "equal_scores": "If ranks order them, pass `-ranks`.",
    "low_labels": "Check how the labels were made, or lower the "
    "`relevance_threshold` of metrics that have one.",
    "times": "Pass the column of labels.",
    "one_row_a_query": "Pass the query of each row, not its number.",
    "all_relevant": "If not all items are relevant, set the "
    "`relevance_threshold` of metrics that have one, such as 4 for ratings.",
    "places": "For ranks, pass `-ranks`; for what `argsort` returned, pass the "
    "scores that it sorted.",
    "tied_scores": "Pass `-ranks` in place of scores, or use the backend torch "
    "or tensorflow.",
    "own": "If the query and the item of one number are the same, mask them: "
    '`{"labels": labels, "mask": ~numpy.eye(n, dtype=bool)}`.',
}
ZEROS = "0 in all rows"  # a column, as messages name it
OF_NO_ID = "Remove the row, or look for what made it."
OF_NAN = (
    "If the item is not judged, fill the label with 0, or with `UNJUDGED`; if "
    "it is not retrieved, the score with -inf."
)
BATCH: Mapping[str, str] = {
    **COLUMNS,
    "tied_scores": "Pass `-ranks` in place of scores, or a float64 array of "
    "NumPy on the backend torch or tensorflow.",
}


def of_ties(dtype: str = "float32", metrics: str = "") -> str:
    """Return a sentence on scores that differ, and tie as they are read.

    Args:
        dtype: the dtype that they are read in.
        metrics: the metrics that see them as tied, if some do not.
    """
    return (
        f"Scores should differ in {dtype}, in which the backend "
        f"{keras.config.backend()!r} reads them. Received: scores that {dtype} "
        f"ties{metrics}."
    )


@dataclasses.dataclass
class Facts:
    """Facts that rows have shown so far.

    Attributes:
        truth: the name of the labels, at the beginning of a sentence.
        run: the name of the scores.
        higher_is_better: False for distances, None if scores have any order.
        remedies: what to do, by the names of checks.
        labels: the lowest and the highest labels of each chunk.
        levels: the lowest different labels from 0 on in the first rows of each.
        steps: how many rows have a higher, a lower and an equal score to the
            row above, of the same query.
        seen: findings by the name of their check: an id without its digits,
            the score of an item that is the best for it, or True.
        rising: how many of these steps go with a label that rises as the score
            does, minus those with one that falls.
        against: two rows whose scores and ranks contradict each other, as
            text; None if there are no such rows.
        have_ranks: False if ranks are numbers of something else, such as pages.
        lists: the number of lists.
        longest: the number of items of the longest list.
        singles: the number of lists of one item.
        lacks: the sides of ids, `"relevant"` and `"recommended"`, that have
            none in any list; None if no sides were added.
        seconds: the number of lists of counts whose best relevant item is at
            rank 2, if none is at rank 1.
        ties_itself: the number of lists of counts whose relevant items tie with
            one other item each, as a rule, and never with none.
        of_sets: the number of lists of ids that have the order of a set.
        weighed_by: the columns that the weights of all rows are, in words; None
            without weights.
        are_whole: False for items that a run retrieves, without the others that
            the truth has.
        has_irrelevant: True if some item that could be ranked is irrelevant.
        evidence: what all lists have in common.
        of_labels: what all lists have in common if labels were the scores.
        elsewhere: where scores are 0, 1, 2, ... once each, other than in a
            list: "in all rows" or "in each column"; or None.
        repeats: what is there again.
        first: what the first lists show.
        are_hits: True if rows are results of a search, best first.
        sorted_lists: the number of lists of ids that are longer than four.
        are_sorted: True if ids ascend in all of these.
        are_integers: True if scores are integers, as `argsort` returns them and
            no model does, where nobody reads a note.
    """

    truth: str = "The truth"
    run: str = "`run`"
    higher_is_better: bool | None = True
    remedies: Mapping[str, str] = dataclasses.field(
        default_factory=lambda: OPTIONS
    )
    labels: list[np.ndarray] = dataclasses.field(default_factory=list)
    levels: frozenset[float] = frozenset()
    steps: np.ndarray = dataclasses.field(
        default_factory=lambda: np.zeros(3, np.int64)
    )
    seen: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    rising: int = 0
    against: str | None = None
    have_ranks: bool = True
    lists: int = 0
    longest: int = 0
    singles: int = 0
    lacks: frozenset[str] | None = None
    seconds: int = 0
    ties_itself: int = 0
    of_sets: int = 0
    weighed_by: frozenset[str] | None = None
    are_whole: bool = True
    has_irrelevant: bool = False
    evidence: Evidence = dataclasses.field(default_factory=Evidence)
    of_labels: Evidence = dataclasses.field(default_factory=Evidence)
    elsewhere: str | None = None
    repeats: Repeats = dataclasses.field(default_factory=Repeats)
    first: FirstLists = dataclasses.field(default_factory=FirstLists)
    are_hits: bool = False
    sorted_lists: int = 0
    are_sorted: bool = True
    are_integers: bool = False

    def see(self, **found: Any) -> None:
        """Keep the first finding of each check.

        Args:
            found: the findings by the names of checks; None and False are none.
        """
        some = {
            x: y
            for x, y in found.items()
            if y is not None and not (isinstance(y, bool | np.bool_) and not y)
        }
        self.seen = {**some, **self.seen}

    def add_labels(self, labels: np.ndarray) -> None:
        """Add labels of any shape."""
        flat = labels.ravel()
        self.labels.append(_examples(flat))
        levels = np.unique(flat[:_FIRST])
        self.levels |= {*levels[levels >= 0][:_LEVELS].tolist()}

    def add_scores(
        self,
        query: np.ndarray,
        scores: np.ndarray,
        labels: np.ndarray | None = None,
    ) -> None:
        """Add the scores of rows, in the order in which they come.

        Args:
            query: the queries of the rows.
            scores: the scores.
            labels: the labels, if they stand beside the scores.
        """
        self.steps = self.steps + steps_of(query, scores)
        is_higher = self.higher_is_better is not False
        self.see(infinite_scores=infinite_in(scores, is_higher))
        some = scores[:_FIRST]
        are_whole = some == np.floor(some)
        are_mixed = are_whole.any() and not are_whole.all()
        if are_mixed and some.min() >= 0 and some.max() < _THOUSAND:
            self.see(thousands=has_thousands(some))
        if labels is not None and not self.steps[:2].all():
            of_one = query[1:] == query[:-1]
            up, more = scores[1:] > scores[:-1], labels[1:] > labels[:-1]
            down, less = scores[1:] < scores[:-1], labels[1:] < labels[:-1]
            rising, falling = up & more | down & less, up & less | down & more
            self.rising += int((of_one & rising).sum())
            self.rising -= int((of_one & falling).sum())

    def add_ranks(
        self,
        query: np.ndarray,
        scores: np.ndarray,
        rank: np.ndarray | None = None,
    ) -> None:
        """Add ranks next to scores, if there are any.

        Args:
            query: the queries of rows of whole queries.
            scores: `[rows]`, as they were passed.
            rank: `[rows]`.
        """
        if rank is None or not self.have_ranks:
            return
        known = ~np.isnan(rank)
        if not known.any():
            return
        query, value, rank = query[known], scores[known], rank[known]
        better = value if self.higher_is_better is not False else -value
        order = _in_order(query, rank, better)
        query, rank, better = query[order], rank[order], better[order]
        better = better.astype(np.float32)  # tools round, and tie the rest
        of_one = query[1:] == query[:-1]
        same, differ = rank[1:] == rank[:-1], better[1:] != better[:-1]
        self.have_ranks = not (of_one & same & differ).any()
        ties = of_one & ~same & ~differ
        number, tied = int(of_one.sum()), int(ties.sum())
        if number >= _MANY and number / 2 <= tied < number:
            self.see(ties_of_ranks=(tied, number) if self.have_ranks else None)
        wrong = of_one & (rank[1:] > rank[:-1]) & (better[1:] > better[:-1])
        for at in np.flatnonzero(wrong)[:1].tolist():
            first, then = value[order][at : at + 2].tolist()
            self.against = self.against or (
                f"the ranks {rank[at]:.12g} and {rank[at + 1]:.12g} for the "
                f"scores {first} and {then} of the query "
                f"{as_text(query[at].item())!r}"
            )

    def add_weights(
        self, weights: np.ndarray, columns: Mapping[str, np.ndarray]
    ) -> None:
        """Add weights of rows.

        Args:
            weights: the weights.
            columns: other columns of these rows, by their names in a sentence.
        """
        if len(weights) < _MANY:
            return
        found = {
            name
            for name, x in columns.items()
            if x.dtype.kind in "biuf" and np.array_equal(x, weights)
        }
        if (weights == weights[0]).all():  # as other columns are by accident
            found &= {ZEROS}
        self.weighed_by = _in_both(self.weighed_by, frozenset(found))

    def add_lists(self, lengths: np.ndarray) -> None:
        """Add lists with their numbers of items."""
        self.lists += len(lengths)
        self.longest = max(self.longest, int(lengths.max(initial=0)))
        self.singles += int((lengths == 1).sum())

    def add_relevant(self, have: np.ndarray) -> None:
        """Add bools of lists, True for those with relevant items."""
        empty = int((~have).sum())
        if empty >= _SEVERAL and have.mean() < _FEW_RELEVANT:
            self.see(empty_lists=(empty, len(have)))

    def add_sides(self, **are_there: bool | np.ndarray) -> None:
        """Add sides of ids by name: whether they have ids, or which are ids."""
        lacking = {name for name, x in are_there.items() if not np.any(x)}
        self.lacks = _in_both(self.lacks, frozenset(lacking))

    def add_order(self, query: np.ndarray, item: np.ndarray) -> None:
        """Add ids that have an order in place of scores."""
        if not self.are_sorted or not len(item):
            return
        numbers, first = np.unique(query, return_index=True)
        tiled = np.tile(item[: np.sort(first)[1:2].sum()], len(numbers))
        if np.array_equal(tiled, item):  # the same items for all, best first
            return
        of_one = query[1:] == query[:-1]
        self.are_sorted = not (of_one & (item[1:] <= item[:-1])).any()
        starts = np.flatnonzero(np.concatenate([[True], ~of_one, [True]]))
        self.sorted_lists += int((np.diff(starts) > 4).sum())
        if not self.are_sorted:
            self.of_sets += of_ids.lists_of_sets(item, starts)

    def add_ids(self, *columns: np.ndarray) -> None:
        """Add ids of queries or items."""
        self.see(
            cut_ids=of_ids.without_digits(*columns),
            missing_ids=of_ids.missing_id(*columns),
            rounded_ids=of_ids.in_steps_of_float32(*columns),
        )

    def add_numbers(
        self,
        lists: np.ndarray,
        items: np.ndarray,
        scores: np.ndarray,
        judged_lists: np.ndarray,
        judged: np.ndarray,
    ) -> None:
        """Add ids of both sides, which may number something else than items.

        Args:
            lists: `[items]`, the number of the list of each item.
            items: `[items]`, their ids.
            scores: `[items]`.
            judged_lists: `[judged]`, the number of the list of each judged
                item.
            judged: `[judged]`, their ids.
        """
        ids = of_ids.integers_in(items)
        others = of_ids.integers_in(judged) if len(ids) else ids
        if not len(others):
            return
        number, lists = len(ids), lists[: len(ids)]
        sides = lists, ids, judged_lists[: len(others)], others
        if of_ids.are_ranks(lists, ids, scores[:number], others):
            self.see(ranks_as_ids=True)
        else:
            self.see(
                rows_as_ids=of_ids.are_rows(*sides),
                low_ids=of_ids.below(*sides),
            )

    def add_rows(self, query: np.ndarray) -> None:
        """Add the queries of rows, in the order in which they come."""
        self.see(counted_rows=of_ids.counted_runs(query))

    def add_sizes(self, queries: np.ndarray, lengths: np.ndarray) -> None:
        """Add queries with their numbers of rows."""
        self.see(sizes=of_ids.sizes_as_ids(queries, lengths))

    def add_queries(self, queries: np.ndarray) -> None:
        """Add the queries of lists, each once or more."""
        self.see(
            two_spellings=of_ids.two_spellings(queries),
            missing_ids=of_ids.missing_code(queries),
        )

    def add_whole(
        self,
        lists: np.ndarray,
        scores: np.ndarray,
        labels: np.ndarray,
        are_own: AreOwn | None = None,
    ) -> None:
        """Add whole lists, as `FirstLists.with_lists` takes them."""
        self.has_irrelevant = self.has_irrelevant or bool((labels == 0).any())
        is_first = not self.first.rows
        if is_first and len(labels):
            self._look_at_first(lists, scores, labels)
        is_numbered = is_first and are_numbered(scores)
        self.elsewhere = "in all rows" if is_numbered else None
        self.repeats = self.repeats.with_lists(lists, scores, labels)
        self.evidence = self.evidence.with_lists(lists, scores, labels)
        columns: tuple[np.ndarray, ...] = lists, labels, scores
        if (labels < 0).any():  # of items that are not judged
            columns = tuple(x[labels >= 0] for x in columns)
        self.of_labels = self.of_labels.with_lists(*columns)
        self.first = self.first.with_lists(lists, scores, labels, are_own)

    def _look_at_first(
        self, lists: np.ndarray, scores: np.ndarray, labels: np.ndarray
    ) -> None:
        """Look at the first rows, of which there are some."""
        some, rows = (lists[:_FIRST], labels[:_FIRST]), len(labels)
        if self.are_whole:  # or other items may be relevant
            starts, *_ = parted(some[0])
            have = np.maximum.reduceat(some[1], starts) > 0
            self.add_relevant(have[: len(have) - (rows > _FIRST)])  # one is cut
        if not (scores != scores[:1]).any():
            return
        times = [
            number
            for number in _TIMES
            for part in [rows // number]
            if not rows % number
            if (labels[:part][:_FIRST] == labels[part:][:part][:_FIRST]).all()
        ]
        self.see(
            seeds=times_of_labels(lists, labels, times) if times else None,
            swapped=swapped_warning(labels, scores),
            by_place=are_places_of_labels(*some),
        )
        of_first = scores[: int(np.argmax(some[0] != lists[0]))]
        ends = np.append(of_first[:1], of_first[-1:]).astype(float)
        with np.errstate(all="ignore"):
            total = of_first.astype(float).sum() - ends
            totals = total, total / max(len(of_first) - 1, 1)
            may_be = np.isclose(ends, totals, _ROUNDED, 0.0).any()
        if may_be:  # as the first list shows
            self.see(totals=total_in(*some, scores[:_FIRST]))

    def add_rankings(
        self, lists: np.ndarray, scores: np.ndarray, reference: np.ndarray
    ) -> None:
        """Add lists of two rankings, which may be in reverse.

        Args:
            lists: `[items]`, the number of the list of each item. The items of
                a list follow each other.
            scores: `[items]`, the scores of the one, -inf for no rank.
            reference: `[items]`, those of the other, in place of labels.
        """
        known = (scores > -np.inf) & (reference > -np.inf)
        lists, scores, reference = (
            x[known] for x in (lists, scores, reference)
        )
        order = np.lexsort((reference, lists))
        ranks = np.zeros(len(lists))
        ranks[order] = mean_ranks(lists[order], reference[order])
        self.evidence = self.evidence.with_lists(lists, scores, ranks)
        found = FirstLists().with_lists(lists, scores, ranks)
        self.first += found.directions()

    def add_matrix(
        self, labels: np.ndarray, scores: np.ndarray, is_square: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Add labels and scores `[lists, items]`, and return their rows.

        Args:
            labels: the labels, below 0 for padding.
            scores: the scores.
            is_square: True if there are as many lists as items in all, so that
                item i may be the query of list i.

        Returns:
            The number of the list of each item, its score and its label.
        """
        lists, items = np.nonzero(labels >= 0)
        rows = lists, scores[lists, items], labels[lists, items]
        own = lists == items
        # Items of a class may take turns in all lists of an array.
        self.repeats = dataclasses.replace(self.repeats, systems=1)
        self.add_whole(*rows, own.__getitem__ if is_square else None)
        self.see(apart=padding_apart(labels, scores))
        if is_square:
            some = labels[:_SQUARE], scores[:_SQUARE]
            self.see(same_columns=same_columns(*some))
        columns = Evidence().with_lists(items, *rows[1:])
        if columns.may_be_places:
            self.elsewhere = self.elsewhere or "in each column"
        return rows

    def __add__(self, other: Facts) -> Facts:
        """Return the facts of all rows."""
        labels = self.labels + other.labels
        return dataclasses.replace(
            self,
            labels=[_examples(np.concatenate(labels))] if labels else [],
            levels=self.levels | other.levels,
            steps=self.steps + other.steps,
            seen={**other.seen, **self.seen},
            rising=self.rising + other.rising,
            against=self.against or other.against,
            have_ranks=self.have_ranks and other.have_ranks,
            lists=self.lists + other.lists,
            longest=max(self.longest, other.longest),
            singles=self.singles + other.singles,
            lacks=_in_both(self.lacks, other.lacks),
            seconds=self.seconds + other.seconds,
            ties_itself=self.ties_itself + other.ties_itself,
            of_sets=self.of_sets + other.of_sets,
            weighed_by=_in_both(self.weighed_by, other.weighed_by),
            are_whole=self.are_whole and other.are_whole,
            has_irrelevant=self.has_irrelevant or other.has_irrelevant,
            evidence=self.evidence + other.evidence,
            of_labels=self.of_labels + other.of_labels,
            elsewhere=self._elsewhere(other),
            repeats=self.repeats + other.repeats,
            first=self.first + other.first,
            are_hits=self.are_hits or other.are_hits,
            sorted_lists=self.sorted_lists + other.sorted_lists,
            are_sorted=self.are_sorted and other.are_sorted,
            are_integers=self.are_integers and other.are_integers,
        )

    def _elsewhere(self, other: Facts) -> str | None:
        """Return where scores are places: of the one that has any rows."""
        if self.first.rows and other.first.rows:
            return None
        return self.elsewhere or other.elsewhere

    @property
    def known_labels(self) -> np.ndarray:
        """The labels from 0 on."""
        labels = np.concatenate([np.zeros(0), *self.labels])
        found: np.ndarray = labels[labels >= 0]
        return found


def _in_both(
    one: frozenset[str] | None, other: frozenset[str] | None
) -> frozenset[str] | None:
    """Return what two sets share; the other one in place of None."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def infinite_in(scores: np.ndarray, is_higher: bool = True) -> float | None:
    """Return the best score if it is infinite or the best float; or None."""
    if not scores.size:
        return None
    best = float(
        np.fmax.reduce(scores) if is_higher else np.fmin.reduce(scores)
    )
    return best if (best if is_higher else -best) in INFINITE else None


def are_places_of_labels(lists: np.ndarray, labels: np.ndarray) -> bool:
    """Return True if many labels above 0 are the places of their items.

    Args:
        lists: `[items]`, the number of the list of each item.
        labels: `[items]`.
    """
    starts, _, places = parted(lists)
    are_above = labels > 0
    some = labels[are_above]
    are_many = len(some) >= _MANY and len(np.unique(some)) > _FEW_PLACES
    is_part = 2 * len(some) <= len(labels)  # others are not clicked
    numbers = np.add.reduceat(are_above.astype(int), starts)
    do_differ = len(np.unique(numbers)) > 1  # other than those of one row
    are_places = bool((some == places[are_above] + 1).all())
    return are_many and is_part and do_differ and are_places


def total_in(
    lists: np.ndarray, labels: np.ndarray, scores: np.ndarray
) -> tuple[str, str] | None:
    """Return where lists have an item with a total of the others, and which.

    The scores of these items are so in all lists, and labels in most.

    Args:
        lists: `[items]`, the number of the list of each item.
        labels: `[items]`.
        scores: `[items]`.
    """
    starts, lengths, _ = parted(lists)
    if len(lists) == _FIRST:  # the last list may go on
        lengths[-1] = 0
    are_long = lengths > _FEW_PLACES
    if are_long.sum() < _TOTALS:
        return None
    columns = scores.astype(float), np.maximum(labels, 0).astype(float)
    with np.errstate(all="ignore"):  # infinite ones are no totals
        sums = [np.add.reduceat(x, starts)[are_long] for x in columns]
    starts, others = starts[are_long], lengths[are_long] - 1
    for place, at in ("last", starts + others), ("first", starts):
        own = [x[at] for x in columns]
        for name, by in ("sum", np.ones(len(at))), ("mean", others):
            with np.errstate(all="ignore"):
                of_scores, of_labels = (
                    np.isclose((total - x) / by, x, _ROUNDED, 0.0)
                    for total, x in zip(sums, own, strict=True)
                )
            do_differ = len(np.unique(own[0])) >= _TOTALS
            if do_differ and of_scores.all() and 2 * of_labels.mean() >= 1:
                return place, name
    return None


def has_thousands(scores: np.ndarray) -> bool:
    """Return True for numbers below 1,000, and some with three decimals.

    A point that marks thousands leaves such numbers: 987 and 1.234.

    Args:
        scores: `[rows]`, from 0 to less than 1,000.
    """
    are_whole = scores == np.floor(scores)
    whole, others = scores[are_whole], scores[~are_whole]
    if min(len(whole), len(others)) < _MANY or others.min() < 1:
        return False
    thousands = np.round(1000 * others)
    have_three = np.abs(1000 * others - thousands).max() < _CLOSE
    are_used = (thousands % 10 > 0).mean() > _USED
    are_apart = np.median(whole) > max(np.median(others), _HUNDRED)
    return bool(have_three and are_used and are_apart)


def steps_of(query: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return how many rows have a higher, lower and equal score to that above.

    Only rows of one query are compared, and only the first ones if scores both
    rise and fall there, which decides all checks.
    """
    found = np.zeros(3, np.int64)
    for end in (_FIRST, len(scores)):
        of_rows, some = query[:end], scores[:end]
        above, below = some[:-1], some[1:]
        of_one = of_rows[1:] == of_rows[:-1]
        steps = below > above, below < above, below == above
        found = np.array([(of_one & step).sum() for step in steps])
        if found[:2].all():
            break
    return found


def _in_order(
    query: np.ndarray, rank: np.ndarray, scores: np.ndarray
) -> slice | np.ndarray:
    """Return the indices of rows by query and rank; most data have this order.

    Rows of one rank are ordered by score.
    """
    of_one = query[1:] == query[:-1]
    firsts = query[np.flatnonzero(np.append(True, ~of_one))].tolist()
    are_sorted = not (of_one & (rank[1:] < rank[:-1])).any()
    if are_sorted and len({*firsts}) == len(firsts):
        return slice(None)
    return np.lexsort((-scores, rank, query))


def _examples(labels: np.ndarray) -> np.ndarray:
    """Return the lowest and highest labels below 0, of shares, and from 0 on.

    `UNJUDGED`, a fraction below 0, and the labels below a highest one that may
    be -1 as an unsigned integer come with them. All checks read these alone.
    """
    ends = [labels.min(), labels.max()] if len(labels) else []
    highest = ends[1] if ends else 0
    below = labels[labels < highest] if highest >= _LARGE else labels[:0]
    if labels.dtype.kind in "iu" and ends and ends[0] >= 0:
        least = np.sort(below[below > 0])[:1]
        return np.array([*ends, *np.sort(below)[-1:], *least], np.float64)
    negative, others = labels[labels < 0], labels[labels >= 0]
    unjudged = negative[negative == UNJUDGED][:1]
    fractions = negative[negative != np.floor(negative)][:1]
    shares = others[(others > 0) & (others < 1)]
    of_kinds = [
        x[[np.argmin(x), np.argmax(x)]]
        for x in (
            negative[negative != UNJUDGED],
            shares,
            others,
            others[others > 0],
            below,
        )
        if len(x)
    ]
    return np.concatenate([np.zeros(0), *of_kinds, unjudged, fractions])

"""Evidence of a misreading in the first lists.

A wrong direction, rows that are there again or own items are summed over some
thousands of rows, so that a large table costs no more than these.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable

import numpy as np

from keras_rankmetrics.engine.checks.evidence import (
    FEW,
    ROWS,
    SHORT,
    covariances,
    mean_ranks,
)

_LONG = 8  # items of which places are no accident
_SEVERAL = 5  # lists whose irrelevant items have a score of their own
_MANY = 50  # items, of which the irrelevant ones hardly share a score
_SURE = 3.5  # standard errors that are no chance in many tables
_MOST = 0.6  # share of the lists that have the wrong direction
_GRADES = 10  # whole scores that may be grades or classes, at most
_CERTAIN = 100  # items that no classifier labels without an error
_ENOUGH = 20  # lists that one score parts by no accident
_NEARLY_ALL = 0.8  # share of the lists that have a property
_ALL = 0.95  # share of the lists, but for rare ones
_SOME = 0.2  # relevant items that are found, for each list
_GAP = 0.05  # of the other scores, below one that is no limit of these
_HUGE = 1e6  # as many times as most scores, of no model
_CHANCE = 10  # irrelevant items that are not found by no accident

AreOwn = Callable[[np.ndarray], np.ndarray]


@dataclasses.dataclass(frozen=True)
class FirstLists:
    """Sums over the first lists of labels and scores.

    Attributes:
        rows: the number of rows.
        fit: how far labels rise with the ranks of scores from below: the sum
            of the products of both, each less its mean in the list.
        variance: that of `fit` for a random order.
        relevant: the number of lists with a relevant item.
        against: the number of lists of three items or more in which labels
            rather fall as scores rise.
        lists: the number of lists of four items or more.
        zeros: the number of these whose scores are all 0.
        fillers: the number of these whose labels are all 0, too.
        graded: the number of these whose scores are grades with ties.
        equal: the number of these whose scores are the labels.
        filled: the number of these whose irrelevant items, two or more, have
            one score, and no other item has it.
        spread: the number of these whose irrelevant items have several.
        ranked: the number of these with relevant and irrelevant items whose
            scores may be ranks, but 0 for all irrelevant ones.
        beyond: the number of these with a score that is no grade.
        capped: the number of these with relevant items whose best score is that
            of most lists, of three items or more, and of no relevant one.
        apart: the number of these in which it is far from the next one.
        flipped: the number of these in which some scores are huge, of both
            signs, and others are not.
        dense: the number of these whose labels are shares or no grades, of
            which the lowest is above half of the highest.
        late: the number of items beyond the rank of the last irrelevant item of
            all lists, all of which are relevant.
        late_lists: the number of lists that have them.
        shorter: the number of lists that end before this rank.
        hits: the number of relevant items that are not late.
        zeroed: the number of lists with the score 0.
        joined: the number of these in which it is the best, of relevant items
            alone, and all lists have as many others.
        met: the number of relevant items of these that have another score.
        uneven: the number of these that are longer or shorter than most lists.
        saturated: the number of lists of eight probabilities or more of which
            several, but not all, are 1, and few others tie.
        varied: the number of lists with several labels.
        changes: the number of lists with another lowest label than the one
            before.
        clear: the number of lists with relevant items, two or more, and others.
        perfect: the number of these whose relevant items have higher scores
            than all others.
        placed: the number of lists of eight items or more whose scores are 1,
            2, 3, ... or 0, 1, 2, ..., each once.
        fractions: the number of these with a score that has a fraction.
        topped: the number of these in which most items have the score 0, which
            is the best, and some lower ones a fraction.
        precise: the number of these whose items are all relevant.
        alike: the number of these whose items have one label above 0.
        again: the number of these in which each row occurs as many times,
            twice or more.
        crossed: the number of these in which each score has all labels.
        twins: the number of these in which each relevant item has the score of
            one irrelevant item, and no other items tie.
        own: the number of these whose best item has the id of the query.
        own_relevant: the number of these in which it is relevant.
        own_alone: the number of these in which it is the only one that is.
    """

    rows: int = 0
    fit: float = 0.0
    variance: float = 0.0
    relevant: int = 0
    against: int = 0
    lists: int = 0
    zeros: int = 0
    fillers: int = 0
    graded: int = 0
    equal: int = 0
    filled: int = 0
    spread: int = 0
    ranked: int = 0
    beyond: int = 0
    capped: int = 0
    apart: int = 0
    flipped: int = 0
    dense: int = 0
    late: int = 0
    late_lists: int = 0
    shorter: int = 0
    hits: int = 0
    zeroed: int = 0
    joined: int = 0
    met: int = 0
    uneven: int = 0
    saturated: int = 0
    varied: int = 0
    changes: int = 0
    clear: int = 0
    perfect: int = 0
    placed: int = 0
    fractions: int = 0
    topped: int = 0
    precise: int = 0
    alike: int = 0
    again: int = 0
    crossed: int = 0
    twins: int = 0
    own: int = 0
    own_relevant: int = 0
    own_alone: int = 0

    @property
    def are_reversed(self) -> bool:
        """True if labels fall with the scores, more than by chance."""
        is_common = self.against > _MOST * self.relevant
        return is_common and self.fit < -_SURE * self.variance**0.5

    @property
    def are_in_order(self) -> bool:
        """True if labels rise with the scores, more than by chance."""
        return self.fit > _SURE * self.variance**0.5

    @property
    def may_be_in_order(self) -> bool:
        """True if labels seem to rise with the scores, or lists are short."""
        return self.fit >= self.variance**0.5

    @property
    def has_fillers(self) -> bool:
        """True if few lists have scores of 0 alone, and no label there."""
        are_few = 0 < self.fillers == self.zeros <= self.lists / 2
        return are_few and self.equal < self.lists

    @property
    def have_grades(self) -> bool:
        """True if the scores of several lists, and of no others, are grades."""
        return self.lists >= FEW and self.graded == self.lists

    @property
    def are_labels(self) -> bool:
        """True if the scores of all lists are the labels.

        A classifier may find the labels of a few items.
        """
        are_many = self.lists >= FEW and self.rows >= _CERTAIN
        return are_many and self.equal == self.lists and self.fit > 0

    @property
    def are_perfect(self) -> bool:
        """True if labels and scores have one order in each of many lists."""
        are_many = self.clear >= _ENOUGH and self.rows >= _CERTAIN
        return are_many and self.perfect == self.clear

    @property
    def have_one_label(self) -> bool:
        """True if items of a list have one label, and lists have several."""
        are_many = self.precise >= FEW and self.rows >= _MANY
        return are_many and not self.varied and self.changes > 0

    @property
    def are_of_two_kinds(self) -> bool:
        """True if some lists have places as scores, and others have none."""
        are_few = min(self.placed, self.fractions) >= FEW
        return are_few and self.placed < self.lists

    @property
    def are_filled(self) -> bool:
        """True if irrelevant items of most lists have a score of their own."""
        lists = min(self.lists, self.relevant)
        found = self.filled >= max(_SEVERAL, _NEARLY_ALL * lists)
        is_other = self.spread or self.have_grades or self.rows < _MANY
        return found and self.equal < self.lists and not is_other

    @property
    def are_ranked(self) -> bool:
        """True if the scores of many lists are ranks of relevant items."""
        lists = min(self.lists, self.relevant)
        found = self.ranked >= max(_ENOUGH, _ALL * lists)
        return found and self.beyond >= FEW

    @property
    def are_capped(self) -> bool:
        """True if many lists, and few others, have one score on top."""
        found = self.capped >= max(_ENOUGH, _ALL * self.relevant)
        return found and 2 * self.apart >= self.capped

    @property
    def are_flipped(self) -> bool:
        """True if many lists, and few others, have huge scores of two signs."""
        return self.flipped >= max(_ENOUGH, _NEARLY_ALL * self.lists)

    @property
    def are_dense(self) -> bool:
        """True if the labels of several lists, and few others, are alike."""
        return self.dense >= max(_SEVERAL, _ALL * self.lists)

    @property
    def have_late(self) -> bool:
        """True if lists have found relevant items, and others at their end."""
        early = self.rows - self.late
        by_chance = self.late * (early - self.hits) >= _CHANCE * early
        are_several = _SEVERAL <= self.late_lists <= 5 * self.hits
        are_long = self.shorter <= (1 - _ALL) * self.lists
        return by_chance and are_several and are_long

    @property
    def are_joined(self) -> bool:
        """True if relevant items alone, in several lists, have the score 0."""
        found = self.joined >= max(_LONG, _ALL * self.zeroed)
        are_some_met = self.met >= _SOME * self.joined  # copies are not
        return found and self.uneven >= FEW and are_some_met

    @property
    def are_saturated(self) -> bool:
        """True if several of the probabilities of most lists are 1."""
        return self.saturated >= max(_SEVERAL, self.lists / 2)

    @property
    def are_topped(self) -> bool:
        """True if most items have the best score in most lists."""
        return self.topped >= max(FEW, _NEARLY_ALL * self.lists)

    @property
    def are_precise(self) -> bool:
        """True if several lists, and no others, have relevant items alone."""
        return self.lists >= FEW and self.precise == self.lists

    @property
    def has_rows_again(self) -> bool:
        """True if several lists, and no others, have each row again."""
        return self.lists >= FEW and self.again == self.lists

    @property
    def are_crossed(self) -> bool:
        """True if several lists, and few others, have all labels each time."""
        return self.crossed >= max(FEW, _NEARLY_ALL * self.lists)

    @property
    def have_twins(self) -> bool:
        """True if relevant items of many lists, and few others, have a twin."""
        return self.twins >= max(_ENOUGH, _NEARLY_ALL * self.lists)

    @property
    def finds_own(self) -> bool:
        """True if several queries, and few others, find their own item."""
        return self.own >= max(FEW, _NEARLY_ALL * self.lists)

    @property
    def finds_partners(self) -> bool:
        """True if own items are relevant alone, as of pairs with one id."""
        return 2 * self.own_alone > self.own_relevant

    def directions(self) -> FirstLists:
        """Return the sums that say how labels rise with scores, no others."""
        return FirstLists(
            rows=self.rows,
            fit=self.fit,
            variance=self.variance,
            relevant=self.relevant,
            against=self.against,
        )

    def __add__(self, other: FirstLists) -> FirstLists:
        """Return the sums over the lists of both."""
        sides = vars(self).values(), vars(other).values()
        return FirstLists(*map(operator.add, *sides))

    def with_lists(
        self,
        lists: np.ndarray,
        scores: np.ndarray,
        labels: np.ndarray,
        are_own: AreOwn | None = None,
    ) -> FirstLists:
        """Return the sums over these lists, too, while there are few rows.

        Args:
            lists: `[items]`, the number of the list of each item. The items of
                a list follow each other.
            scores: `[items]`. Those of -inf are not retrieved.
            labels: `[items]`, below 0 for items that are not judged.
            are_own: returns True for items at some indices that have the id of
                their query; None if items have no ids.
        """
        room = ROWS - self.rows
        if room <= 0 or not len(lists):
            return self
        if len(lists) > room:
            changes = np.flatnonzero(lists[1:] != lists[:-1]) + 1
            ends = np.append(changes, len(lists))
            end = ends[np.searchsorted(ends, room)]
            lists, scores, labels = (x[:end] for x in (lists, scores, labels))
        at = np.flatnonzero((scores > -np.inf) & (labels < np.inf))
        at = at[np.lexsort((labels[at], scores[at], lists[at]))]
        if not len(at):
            return self
        values = lists[at], scores[at], np.maximum(labels[at], 0.0)
        found = _sums(at, *values, are_own)
        if are_own is not None:  # ids tell items apart
            found = dataclasses.replace(found, again=0, twins=0)
        return self + found


def _sums(
    at: np.ndarray,
    lists: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
    are_own: AreOwn | None,
) -> FirstLists:
    """Return the sums over lists of items by score, then label."""
    starts = np.flatnonzero(np.diff(lists, prepend=-1))
    lengths = np.diff(starts, append=len(lists))
    fit, variance = (
        np.where(lengths > 2, x, 0.0)  # two are in one order or the other
        for x in covariances(mean_ranks(lists, scores), labels, starts)
    )
    have_say = lengths >= SHORT
    best = starts + lengths - 1
    have_scores, have_labels = (
        np.logical_or.reduceat(x != 0, starts) for x in (scores, labels)
    )
    zeros = have_say & ~have_scores
    equal = np.logical_and.reduceat(scores == labels, starts)
    are_best = scores == np.repeat(scores[best], lengths)
    number = np.add.reduceat(are_best.astype(int), starts)
    topped = (2 * number > lengths) & (number < lengths) & (scores[best] == 0)
    are_whole = np.logical_and.reduceat(scores == np.floor(scores), starts)
    again, crossed, twins = _are_repeated(scores, labels, starts, are_whole)
    own = np.zeros(len(starts), bool)
    if are_own is not None:
        own = are_own(at[best]) & have_say
    own_relevant = own & (labels[best] > 0)
    relevant = np.add.reduceat((labels > 0).astype(int), starts)
    lowest, highest = (
        x.reduceat(labels, starts) for x in (np.minimum, np.maximum)
    )
    dense = have_say & (2 * lowest > highest) & (highest > lowest)
    dense &= (highest > _GRADES) | (highest < 1)
    is_mixed = (relevant > 0) & (relevant < lengths)
    is_clear = is_mixed & (relevant > 1)
    filled, spread, above, only = _are_filled(scores, labels, starts)
    ranked = only & are_whole & is_mixed & (scores[best] < lengths)
    is_long, places = lengths >= _LONG, np.arange(len(scores))
    places = places - np.repeat(starts - np.clip(scores[starts], 0, 1), lengths)
    are_places = np.logical_and.reduceat(scores == places, starts)
    return FirstLists(
        rows=len(lists),
        fit=float(fit.sum()),
        variance=float(variance.sum()),
        relevant=int((relevant > 0).sum()),
        against=int((fit < 0).sum()),
        lists=int(have_say.sum()),
        zeros=int(zeros.sum()),
        fillers=int((zeros & ~have_labels).sum()),
        graded=int((_are_graded(scores, starts) & have_say).sum()),
        equal=int((equal & have_say).sum()),
        filled=int((filled & have_say).sum()),
        spread=int((spread & have_say).sum()),
        ranked=int((ranked & have_say).sum()),
        beyond=int((ranked & have_say & (scores[best] > _GRADES)).sum()),
        dense=int(dense.sum()),
        **_at_ends(scores, labels, starts, number, have_say & ~are_whole),
        **_beyond_others(labels, starts, have_say),
        varied=int((lowest < highest).sum()),
        changes=int((lowest[1:] != lowest[:-1]).sum()),
        clear=int(is_clear.sum()),
        perfect=int((is_clear & above).sum()),
        placed=int((are_places & is_long).sum()),
        fractions=int((~are_whole & is_long).sum()),
        topped=int((topped & have_say & ~are_whole).sum()),
        precise=int(((relevant == lengths) & have_say).sum()),
        alike=int(((lowest == highest) & (lowest > 0) & have_say).sum()),
        again=int((again & have_say).sum()),
        crossed=int((crossed & have_say).sum()),
        twins=int((twins & have_say).sum()),
        own=int(own.sum()),
        own_relevant=int(own_relevant.sum()),
        own_alone=int((own_relevant & (relevant == 1)).sum()),
    )


def _at_ends(
    scores: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    number: np.ndarray,
    some: np.ndarray,
) -> dict[str, int]:
    """Return the numbers of lists whose best or worst scores are strange.

    Args:
        scores: `[items]`, those of each list in order.
        labels: `[items]`.
        starts: the first item of each list.
        number: how many items have the best score, `[lists]`.
        some: True for the lists to count.
    """
    lengths = np.diff(starts, append=len(scores))
    best = starts + lengths - 1
    below = np.maximum(best - number, starts)
    places = (
        best,
        below,
        below - 1,
        starts,
        *(starts + x * lengths // 4 for x in (1, 3)),
    )
    highest, second, third, lowest, low, high = (
        scores[np.maximum(x, starts)].astype(np.float64) for x in places
    )
    is_top = some & (highest == np.median(highest)) & (len(starts) >= _SEVERAL)
    is_top &= (number >= FEW) & (2 * number <= lengths)
    irrelevant = np.maximum.reduceat(labels, starts) > labels[best]
    capped = is_top & irrelevant & (labels[best] == 0)
    with np.errstate(all="ignore"):  # infinite ones are far from all
        is_far = highest - second >= _GAP * (second - lowest)
    most = np.maximum(np.abs(low), np.abs(high))
    least = np.minimum(highest, -lowest) / _HUGE
    flipped = some & (least > 1) & (least > most) & (most > 0)
    if flipped.any():  # but none are in between
        size, ends = np.abs(scores), (1e2 * most, 1e3 * least)
        between = np.repeat(ends, lengths, axis=1)
        amid = (size > between[0]) & (size < between[1])
        flipped &= ~np.logical_or.reduceat(amid, starts)
    others_than_0 = np.add.reduceat((scores != 0).astype(int), starts)
    zeroed = others_than_0 < lengths
    joined = some & zeroed & (highest == 0) & (len(starts) >= _SEVERAL)
    joined &= others_than_0 == np.median(others_than_0)
    joined &= labels[np.minimum(starts + others_than_0, best)] > 0
    others = ((labels > 0) & (scores != 0)).astype(int)
    saturated = some & (highest == 1) & (lowest >= 0) & (lengths >= _LONG)
    ties = np.append(False, scores[1:] == scores[:-1])
    ties[starts] = False
    saturated &= (number > 1) & (
        2 * (number - 1) >= np.add.reduceat(ties.astype(int), starts)
    )
    found = {
        "capped": capped,
        "apart": capped & (second > third) & is_far,
        "flipped": flipped,
        "zeroed": zeroed,
        "joined": joined,
        "met": joined * np.add.reduceat(others, starts),
        "uneven": joined & (lengths != np.median(lengths)),
        "saturated": saturated,
    }
    return {name: int(x.sum()) for name, x in found.items()}


def _beyond_others(
    labels: np.ndarray, starts: np.ndarray, some: np.ndarray
) -> dict[str, int]:
    """Return sums over items beyond the last irrelevant one of all lists.

    Args:
        labels: `[items]`, in the order of their scores.
        starts: the first item of each list.
        some: True for the lists to look at.
    """
    ends = np.append(starts[1:], len(labels))
    places = np.where(labels > 0, len(labels), np.arange(len(labels)))
    ranks = ends - np.minimum.reduceat(places, starts)
    late = np.where(some, ends - starts - ranks[some].max(initial=0), 0)
    # A few lists, or lists of one length, end in such items by accident.
    if some.sum() < _ENOUGH or len(np.unique(late[some])) < FEW:
        late = np.zeros_like(late)
    number = int(late.clip(0).sum())
    return {
        "late": number,
        "late_lists": int((late > 0).sum()),
        "shorter": int((late < 0).sum()),
        "hits": int((labels > 0).sum()) - number,
    }


def _are_graded(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return True for lists with few whole numbers as scores."""
    grades = scores == np.floor(scores)
    lengths = np.diff(starts, append=len(scores))
    steps = np.append(False, scores[1:] != scores[:-1])
    steps[starts] = False
    values = 1 + np.add.reduceat(steps.astype(int), starts)
    few: np.ndarray = (values > 1) & (2 * values <= lengths)
    few &= values <= _GRADES
    return few & np.logical_and.reduceat(grades, starts)


def _are_filled(
    scores: np.ndarray, labels: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return True for lists whose irrelevant items have a score of their own.

    Relevant items have several scores. One alone has a fraction, which no class
    has. Then, True for lists whose irrelevant items have several scores, for
    those whose relevant items all have higher ones, and for those in which all
    irrelevant ones have 0, and none less.
    """
    relevant = labels > 0
    others, own = (np.where(x, scores, np.nan) for x in (~relevant, relevant))
    lowest, least = (np.fmin.reduceat(x, starts) for x in (others, own))
    highest, most = (np.fmax.reduceat(x, starts) for x in (others, own))
    number = np.add.reduceat((~relevant).astype(int), starts)
    lengths = np.diff(starts, append=len(scores))
    have_one = (number > 1) & (lowest == highest)
    differ = (least < most) | (number + 1 == lengths) & (
        least != np.floor(least)
    )
    fills = np.repeat(lowest, lengths)
    has_it = np.logical_or.reduceat(relevant & (scores == fills), starts)
    only = have_one & (lowest == 0) & (least >= 0)
    return have_one & differ & ~has_it, lowest < highest, least > highest, only


def _are_repeated(
    scores: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    whole: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return True for lists with rows, or scores, that are there again.

    The first is for lists with each score as many times, twice or more, and one
    label for each or other scores than in other lists. Whole numbers, which a
    classifier may give to several items, are no evidence. The second is for
    lists with each score three times or more, with labels of one sum, of which
    some differ. The third is for lists in which each relevant item ties with
    one irrelevant item, and no others do.
    """
    begins = np.append(True, scores[1:] != scores[:-1])
    begins[starts] = True
    firsts = np.flatnonzero(begins)
    sizes = np.diff(firsts, append=len(scores))
    have_one_label = np.minimum.reduceat(labels, firsts) == (
        np.maximum.reduceat(labels, firsts)
    )
    sums = np.add.reduceat(labels, firsts)
    of_lists = np.searchsorted(firsts, starts)
    have_one = np.logical_and.reduceat(have_one_label, of_lists)
    least = np.minimum.reduceat(sizes, of_lists)
    are_even = least == np.maximum.reduceat(sizes, of_lists)
    have_one_sum = np.minimum.reduceat(sums, of_lists) == (
        np.maximum.reduceat(sums, of_lists)
    )
    number = np.diff(of_lists, append=len(firsts))  # of scores
    differ_in_lists = len(np.unique(scores)) > number.max(initial=0)
    are_rows = have_one | differ_in_lists & (number > 2)
    again = ~whole & (least > 1) & are_even & (number > 1) & are_rows
    differ = ~np.logical_or.reduceat(have_one_label, of_lists)
    crossed = (least > 2) & are_even & have_one_sum & differ & (number > 2)
    relevant = np.add.reduceat((labels > 0).astype(int), firsts)
    are_twins = (sizes == 2) & (relevant == 1)
    as_expected = are_twins | (sizes == 1) & (relevant == 0)
    twins = np.logical_and.reduceat(as_expected, of_lists)
    twins &= np.logical_or.reduceat(are_twins, of_lists)
    return again, crossed, twins

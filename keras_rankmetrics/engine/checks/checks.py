"""`CHECKS`: the checks of rows, and their words.

A check is a function with the decorator `_check`, or `_seen`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from keras import ops

from keras_rankmetrics.engine.checks import of_ids
from keras_rankmetrics.engine.checks.facts import COLUMNS, OF_NAN, Facts
from keras_rankmetrics.engine.inputs import is_scale, padding_warning
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.gains import exponential_gain, linear_gain

_GRADES = 30  # gains of grades above it make all others vanish
_EPOCH = 7.5e8, 2.2e9  # seconds since 1970, in 1993 and in 2039
_UNITS = 1, 1e3, 1e6, 1e9  # seconds, and what is shorter
# What stands for no label: nines, and -1 and -100 as unsigned integers.
_CODES = {99, 127, 156, 255, 999, 9999, 32767, 65436, 65535, 99_999, 999_999}
_CODES |= {2**31 - 1, 2**32 - 1}
_GRADE = 10  # the highest of labels that are grades
_LEVELS, _MOST_LEVELS = 4, 12  # of labels that may be gains: 0, 1, 3, 7, ...
_SORTED = 5  # lists whose ids ascend, by no accident
_SECOND = 8  # lists, of which one would be first by chance
_SOME, _SEVERAL = 0.2, 8  # share of the lists, and lists, at least
_MANY = 15  # rows that are not all better than the row above by chance
_LISTS = 100  # lists, of which few have several rows
_NEARLY_ALL = 0.95  # of these

# By `higher_is_better`: how scores go if the best items come first, how they
# go if the worst ones do, and which scores go that way.
_ORDERS = {
    True: ("descend", "ascend", "distances"),
    False: ("ascend", "descend", "similarities"),
}


class Check(NamedTuple):
    """A check of rows.

    Attributes:
        name: its name, as a finding of `diagnose` has it.
        level: `"error"`, `"warning"` or `"note"`.
        role: what it reads: `"label"`, `"list"`, `"score"`, `"whole"` for whole
            lists, `"side"` for ids, or `"seen"` for a finding of `Facts.see`.
        says: returns what is expected and received, and what to do; None if
            nothing is wrong. Takes the facts and the metrics.
        in_batches: False if a batch of a model that learns may be so, or is
            looked at elsewhere.
        counts: the field of `FirstLists` that is above 0 if something is wrong;
            empty if `says` must look.
    """

    name: str
    level: str
    role: str
    says: Callable[[Facts, Sequence[Any]], tuple[str, str] | None]
    in_batches: bool = True
    counts: str = ""


CHECKS: list[Check] = []  # in their order, which `_check` fills


class Said(NamedTuple):
    """A check with its words.

    Attributes:
        check: the check.
        what: what is expected and received.
        remedy: what to do; empty if `what` says it.
    """

    check: Check
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what} {self.remedy}".rstrip()


def said_of(facts: Facts, metrics: Sequence[Any]) -> Iterator[Said]:
    """Yield what the checks say of rows.

    Args:
        facts: what the rows show.
        metrics: the metrics to compute.
    """
    there = {
        "label": bool(facts.labels),
        "list": facts.lists > 0,
        "score": facts.steps.any()
        or any((facts.against, facts.seconds, facts.ties_itself))
        or any((facts.sorted_lists, facts.of_sets)),
        "side": bool(facts.lacks),
        "whole": facts.first.rows > 0,
    }
    for check in CHECKS:
        is_seen = check.role == "seen"
        is_there = check.name in facts.seen if is_seen else there[check.role]
        if check.counts and not getattr(facts.first, check.counts):
            continue
        found = check.says(facts, metrics) if is_there else None
        if found is not None:
            yield Said(check, *found)


def say(facts: Facts, metrics: Sequence[Any]) -> tuple[str, ...]:
    """Warn of what rows show, and return the notes, for a result to keep.

    Args:
        facts: as for `said_of`.
        metrics: as for `said_of`.

    Raises:
        ValueError: as by `doubts`.
    """
    warnings, notes = _by_level(facts, metrics)
    for warning in warnings:
        warn(warning)
    return tuple(notes)


def say_seen(**found: Any) -> None:
    """Warn of findings, as `Facts.see` takes them."""
    facts = Facts()
    facts.see(**found)
    say(facts, ())


def doubts(facts: Facts, metrics: Sequence[Any]) -> list[str]:
    """Return the warnings of what rows show.

    Some rows of a table may look odd where all rows together do not. A door
    that sees no more leaves the warnings out.

    Args:
        facts: as for `said_of`.
        metrics: as for `said_of`.

    Raises:
        ValueError: if the rows cannot be what they should be.
    """
    return _by_level(facts, metrics)[0]


def _by_level(
    facts: Facts, metrics: Sequence[Any]
) -> tuple[list[str], list[str]]:
    """Return the warnings and the notes; raise the first error."""
    found: dict[str, list[str]] = {"warning": [], "note": []}
    for said in said_of(facts, metrics):
        if said.check.level == "error":
            raise ValueError(str(said))
        found[said.check.level].append(str(said))
    return found["warning"], found["note"]


def wrong_order(
    steps: np.ndarray, higher_is_better: bool | None, least: int = _MANY
) -> tuple[str, str, str] | None:
    """Return the entry of `_ORDERS` to expect, if the worst items come first.

    Args:
        steps: the sum of `steps_of` for all rows.
        higher_is_better: False for distances; None for any order.
        least: the number of steps that prove an order.
    """
    if higher_is_better is None:
        return None
    wrong, right = steps[:2] if higher_is_better else steps[1::-1]
    return _ORDERS[higher_is_better] if wrong >= least and not right else None


def take_grades(metrics: Sequence[Any]) -> bool:
    """Return True if some metric takes labels as grades."""
    return any(metric.definition.labels == "grades" for metric in metrics)


def all_relevant(facts: Facts, metrics: Sequence[Any]) -> dict[str, str]:
    """Return what is `"relevant"` if all labels are, which may be a mistake.

    They are ratings from 1 on; or those of whole lists, for a metric that then
    has one value for all orders. The labels of a truth apart from the run may
    be those of relevant items alone.

    Args:
        facts: as for `said_of`.
        metrics: as for `said_of`.
    """
    options = [metric.definition.options for metric in metrics]
    have_default = any(x.get("relevance_threshold") == 1 for x in options)
    known = facts.known_labels
    lowest, highest = known.min(initial=np.inf), known.max(initial=0)
    if 1 <= lowest < highest and have_default:
        return {"relevant": "label>=1 (all labels)"}
    are_judged = len(known) == sum(map(len, facts.labels))
    least = min(_least_relevant(metrics, max(highest, 1.0)), default=np.inf)
    are_whole = facts.lists or least <= 0  # or may be of relevant items alone
    if are_whole and len(known) and are_judged and lowest >= least:
        return {"relevant": "each item"}
    return {}


def _least_relevant(metrics: Sequence[Any], default: float) -> list[float]:
    """Return the lowest label of relevant items for each metric of grades.

    Args:
        metrics: the metrics.
        default: that of metrics without a threshold.
    """
    return [
        x.options.get("relevance_threshold", default)
        for x in (metric.definition for metric in metrics)
        if "relevance_threshold" in x.options or x.reads_grades
        if x.labels == "grades"
    ]


def _own_gains(metrics: Sequence[Any]) -> list[Callable[[Any], Any]]:
    """Return the functions of users that give labels their gains."""
    options = (metric.definition.options for metric in metrics)
    functions = (x.get("gain_fn", linear_gain) for x in options)
    known = linear_gain, exponential_gain
    return [function for function in functions if function not in known]


def _gains_by(function: Callable[[Any], Any], labels: Any) -> np.ndarray:
    """Return the gains of labels; none if the function fails, as updates do."""
    with contextlib.suppress(Exception):  # functions of users raise anything
        gains = ops.cast(function(ops.array(labels, "float32")), "float32")
        gains = ops.convert_to_numpy(gains + ops.zeros(len(labels)))
        return np.asarray(gains, float)
    return np.zeros(0)


# The checks, in their order.

_ADDED = (
    "If relevant items were added to those that were retrieved, as by an outer "
    "join and `fillna(0)`, give them the score -inf; leave them out of a run "
    "apart from the truth."
)
_DROP = "If the items contain the queries, pass `drop_same_id=True`."

_Found = tuple[str, str] | None
_Says = Callable[[Facts, Sequence[Any]], _Found]


def _check(
    level: str, role: str, in_batches: bool = True, counts: str = ""
) -> Callable[[_Says], _Says]:
    """Return a decorator that adds a check by the name of its function.

    Args:
        level: as in `Check`.
        role: as in `Check`.
        in_batches: as in `Check`.
        counts: as in `Check`.
    """

    def added(says: _Says) -> _Says:
        name = says.__name__.removeprefix("_")
        CHECKS.append(Check(name, level, role, says, in_batches, counts))
        return says

    return added


def _seen(
    level: str, in_batches: bool = True
) -> Callable[[Callable[[Any, Facts], _Found]], _Says]:
    """Return a decorator that adds a check of a finding by its name.

    The function takes the finding, and the facts.

    Args:
        level: as in `Check`.
        in_batches: as in `Check`.
    """

    def added(words: Callable[[Any, Facts], _Found]) -> _Says:
        name = words.__name__.removeprefix("_")

        def says(facts: Facts, _: Sequence[Any]) -> _Found:
            return words(facts.seen[name], facts)

        CHECKS.append(Check(name, level, "seen", says, in_batches))
        return says

    return added


@_seen("warning")
def _cut_ids(seen: Any, _: Facts) -> _Found:
    return (
        f"Ids should have all their digits. Received: {seen!r}, as a "
        "spreadsheet writes numbers.",
        "Export the ids as text.",
    )


@_seen("warning")
def _rounded_ids(seen: Any, _: Facts) -> _Found:
    return (
        f"Ids should have all their digits. Received: {seen[0]}, {seen[1]} and "
        "others, all of which are multiples of "
        f"{seen[1] - seen[0]}, as float32 rounds numbers of this size.",
        "Keep ids as integers or text; an array of float32 has rounded them.",
    )


@_seen("warning")
def _ranks_as_ids(__: Any, facts: Facts) -> _Found:
    return (
        f"Ids of {facts.run} should be those of the truth. Received: their "
        "ranks, 0, 1, 2, ... or from 1 on in each list, while most ids of the "
        "truth are higher, as after `reset_index(drop=True)`; or, in another "
        "order, their places among candidates, as rerankers return them.",
        "Keep the ids of items next to their scores, and take those of the "
        "candidates by their places, unless all lists are of popular items "
        "that are numbered so.",
    )


@_seen("warning")
def _rows_as_ids(__: Any, facts: Facts) -> _Found:
    return (
        f"Ids of {facts.run} should be those of the truth. Received: the "
        "numbers of rows on both sides, 0, 1, 2, ... over all queries, of "
        "which most are for other queries on the other side, as after "
        "`reset_index`.",
        'Name the column of ids: `columns={"item": "..."}`.',
    )


@_seen("warning")
def _of_others(seen: Any, facts: Facts) -> _Found:
    found, queries = seen
    return (
        f"Lists of {facts.run} should be those of their queries. Received: "
        f"{found:,} of {queries:,} queries whose relevant items are in the "
        "list of one other query alone, and few that have their own, as of "
        "answers in another order than the questions.",
        "Bring both into one order; inputs in order take `query_ids`.",
    )


@_seen("note", in_batches=False)
def _low_ids(seen: Any, facts: Facts) -> _Found:
    highest, share = seen
    return (
        f"Ids of {facts.run} should be those of the truth. Received: ids that "
        f"are spread from 0 to {highest:,}, while {share:.0%} of the judged "
        "ids are higher.",
        "If each part of an index numbers its items from 0, add the number of "
        "items of the parts before; or look whether the index lacks items.",
    )


@_seen("warning")
def _counted_rows(seen: Any, facts: Facts) -> _Found:
    return (
        "The query should be equal in all rows of a list. Received: queries "
        f"that count from {seen[0]} on in {seen[1]:,} runs of rows, as "
        "`groupby.cumcount()` does.",
        facts.remedies["one_row_a_query"],
    )


@_seen("warning")
def _missing_ids(seen: Any, _: Facts) -> _Found:
    return (
        "Ids should not be missing, padding or names of columns. Received: "
        f"{seen}.",
        "Remove these rows before ids become text or numbers.",
    )


@_seen("warning")
def _nan(seen: Any, _: Facts) -> _Found:
    return (
        f"Labels and scores should be numbers. Received: {seen}, so that "
        "its value and the results are NaN.",
        OF_NAN,
    )


@_seen("warning")
def _padding(seen: Any, _: Facts) -> _Found:
    return (
        f"Padding of ids should be -1. Received: {seen} several times "
        "at an end of a list.",
        f"If it is padding, replace it by -1: `numpy.where(ids == "
        f"{seen}, -1, ids)`.",
    )


@_seen("warning")
def _two_spellings(seen: Any, _: Facts) -> _Found:
    one, other = seen
    return (
        "A query should have one spelling. Received: "
        f"{one!r} and {other!r}, which count as two queries.",
        "Write ids in one way.",
    )


@_seen("warning")
def _shifted(seen: Any, facts: Facts) -> _Found:
    one, other = seen
    step = one - other
    return (
        f"Ids of {facts.run} should be those of the truth. Received: {one} and "
        f"{other}, and others that would match if {abs(step)} was added.",
        of_ids.question_of(step),
    )


@_check("warning", "seen")
def _swapped(facts: Facts, metrics: Sequence[Any]) -> _Found:
    if metrics and not take_grades(metrics):
        return None  # probabilities are fractions
    return facts.seen["swapped"], ""


@_check("warning", "label", in_batches=False)
def _ratings_below_0(facts: Facts, _: Sequence[Any]) -> _Found:
    labels = np.concatenate([np.zeros(0), *facts.labels])
    negative = np.unique(labels[labels < 0])
    remedy = facts.remedies.get("ratings_below_0")
    if remedy is None:  # of columns, whose rows need no padding
        warning = padding_warning(labels, has_order=False)
        return None if warning is None else (warning, "")
    if (negative == np.floor(negative)).all() and not is_scale(labels):
        return None
    found = " to ".join(f"{x:g}" for x in dict.fromkeys(negative[[0, -1]]))
    return (
        "Labels should be 0 or more; those below 0 are of unjudged items. "
        f"Received: {found}, which looks like ratings or logits.",
        remedy,
    )


@_check("warning", "label", in_batches=False)
def _no_zeros(facts: Facts, metrics: Sequence[Any]) -> _Found:
    labels = {float(x) for each in facts.labels for x in each}
    condense = any(x.definition.unjudged == "condense" for x in metrics)
    if not facts.lists or not condense or labels != {-1, 1}:
        return None
    return (
        "Labels should be 0 for irrelevant items. Received: -1 and 1. Items "
        "below 0 are not judged and left out, so that all others are relevant.",
        "If -1 is irrelevant, replace it by 0.",
    )


@_check("warning", "label", in_batches=False)
def _none_irrelevant(facts: Facts, metrics: Sequence[Any]) -> _Found:
    known = facts.known_labels
    have_one_label = len(known) > 0 and known.min() == known.max()
    condense = [
        x
        for x in metrics
        if x.definition.unjudged == "condense"
        and (have_one_label or not x.definition.reads_grades)
    ]
    least = min(_least_relevant(condense, 1.0), default=np.inf)
    are_judged = len(known) == sum(map(len, facts.labels))
    if not len(known) or known.min() < least or (facts.lists and are_judged):
        return None
    if _no_zeros(facts, metrics):  # says it
        return None
    return (
        "Some judged items should be irrelevant for metrics that leave out "
        f"items that are not judged. Received: labels of {known.min():g} or "
        "more alone, so that scores hardly count for "
        f"{', '.join(x.name for x in condense)}.",
        'Leave out `unjudged="condense"`; BPref needs judged irrelevant items.',
    )


@_check("error", "label", in_batches=False)
def _infinite_labels(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.known_labels.max(initial=0) < np.inf:
        return None
    return (
        "Labels should be finite. Received: inf.",
        "Remove the item, or give it the highest grade.",
    )


@_check("warning", "label", in_batches=False)
def _nothing_judged(facts: Facts, _: Sequence[Any]) -> _Found:
    if not any(map(len, facts.labels)):
        return _no_ids(facts.truth, "relevant")
    if len(facts.known_labels):
        return None
    return (
        f"{facts.truth} should have labels of judged items. Received: labels "
        "that are all below 0, so that no row is judged.",
        "If they were joined to the rows by ids, do both sides use the same "
        "ids?",
    )


def _no_ids(side: str, role: str) -> _Found:
    """Return what is said of a side without ids in any list."""
    return (
        f"{side[0].upper()}{side[1:]} should have {role} items. Received: none "
        "in any list.",
        "If ids were looked up, as by `Index.get_indexer`, are names spelled "
        "alike?",
    )


@_check("warning", "side", in_batches=False)
def _nothing_relevant(facts: Facts, metrics: Sequence[Any]) -> _Found:
    is_read = bool(_least_relevant(metrics, 1.0))  # as in no catalogue
    lacks = is_read and "relevant" in (facts.lacks or ())
    return _no_ids(facts.truth, "relevant") if lacks else None


@_check("warning", "side", in_batches=False)
def _nothing_recommended(facts: Facts, _: Sequence[Any]) -> _Found:
    lacks = "recommended" in (facts.lacks or ())
    return _no_ids(facts.run, "recommended") if lacks else None


@_check("warning", "label", in_batches=False)
def _low_labels(facts: Facts, metrics: Sequence[Any]) -> _Found:
    highest = facts.known_labels.max(initial=-1)
    least = max(_least_relevant(metrics, 1.0), default=0.0)
    if not 0 <= highest < least:
        return None
    return (
        f"{facts.truth} should have labels of {least:g} or more for relevant "
        f"items. Received: {highest:g} as the highest one.",
        facts.remedies["low_labels"],
    )


@_check("warning", "label")
def _all_relevant(facts: Facts, metrics: Sequence[Any]) -> _Found:
    # Labels apart from scores may be of relevant items alone, but not 0.
    has_zeros = min(_least_relevant(metrics, 1.0), default=1.0) <= 0
    is_said = has_zeros or "all_relevant" in facts.remedies
    if not is_said or not all_relevant(facts, metrics):
        return None
    lowest = facts.known_labels.min()
    return (
        "Some items should be irrelevant. Received: labels of "
        f"{lowest:g} or more for all of them, which makes each one relevant.",
        COLUMNS["all_relevant"],
    )


@_check("note", "label", in_batches=False)
def _gain_of_0(__: Facts, metrics: Sequence[Any]) -> _Found:
    gains = [_gains_by(x, [0.0]).max(initial=0.0) for x in _own_gains(metrics)]
    if max(gains, default=0.0) <= 0.0:
        return None
    return (
        f"`gain_fn` gives irrelevant items a gain of {max(gains):g}, so that "
        "lists without relevant items have a value above 0.",
        "Subtract it, as `2.0**label - 1` does, unless it is meant.",
    )


@_check("warning", "label", in_batches=False)
def _gains_decrease(facts: Facts, metrics: Sequence[Any]) -> _Found:
    for function in _own_gains(metrics):
        labels = np.unique(np.append(0.0, facts.known_labels))
        gains = _gains_by(function, labels)
        for place in np.flatnonzero(np.diff(gains) < 0)[:1]:
            return (
                "`gain_fn` should not decrease as labels grow. Received: gains "
                f"of {gains[place]:g} for the label {labels[place]:g} and "
                f"{gains[place + 1]:g} for the label {labels[place + 1]:g}.",
                "Pass labels that grow with the gain.",
            )
        if len(gains) > 1 and (gains == gains[0]).all():
            return (
                "`gain_fn` should tell labels apart. Received: the gain "
                f"{gains[0]:g} for all, from {labels[0]:g} to {labels[-1]:g}.",
                "Return higher gains for higher labels.",
            )
    return None


@_check("note", "label", in_batches=False)
def _few_grades(facts: Facts, metrics: Sequence[Any]) -> _Found:
    options = [metric.definition.options for metric in metrics]
    most = max((x.get("max_grade", 0) for x in options), default=0)
    highest = facts.known_labels.max(initial=0) if most else 0
    if not 0 < 4 * highest <= most:
        return None
    return (
        f"Labels are at most {highest:g}, and `max_grade` is {most:g}, which "
        "alone is certain to satisfy a user.",
        "Pass the highest grade of the scale as `max_grade`, such as 1 for "
        "binary labels.",
    )


@_check("warning", "label")
def _codes(facts: Facts, _: Sequence[Any]) -> _Found:
    known = np.unique(facts.known_labels)
    if len(known) < 2 or known[-1] not in _CODES or known[-2] > _GRADE:
        return None
    if (known != np.floor(known)).any():  # as prices
        return None
    return (
        f"Labels should be grades. Received: {known[-1]:g}, and others of at "
        f"most {known[-2]:g}, as if it were a code.",
        "If these items have no label, leave them out; if they are not judged, "
        "replace it by `UNJUDGED`.",
    )


@_check("warning", "label")
def _steep_gains(facts: Facts, metrics: Sequence[Any]) -> _Found:
    highest = facts.known_labels.max(initial=0)
    if highest <= _GRADES or not _have_exponential_gain(metrics):
        return None
    return (
        "Grades should be small for a gain of 2 to their power. Received: "
        f"{highest:g}, so that only the highest ones count.",
        'Write `"NDCG(gain_fn=linear_gain)@10"`, or scale the grades.',
    )


def _have_exponential_gain(metrics: Sequence[Any]) -> bool:
    options = (metric.definition.options for metric in metrics)
    return any(x.get("gain_fn") is exponential_gain for x in options)


def _time(facts: Facts, are_all: bool) -> _Found:
    """Return what is said of labels that are times, all or some of them."""
    known = facts.known_labels
    highest = known.max(initial=0)
    lowest = known[known > 0].min(initial=highest)
    first, last = _EPOCH
    are_times = [
        all(first <= x / unit <= last for x in (lowest, highest))
        for unit in _UNITS
    ]
    is_time = any(first <= highest / unit <= last for unit in _UNITS)
    if highest in _CODES or not is_time or any(are_times) != are_all:
        return None  # amounts of money or bytes may be as high
    return (
        f"Labels should be grades or amounts. Received: {highest:g}, which "
        "looks like a time.",
        facts.remedies["times"],
    )


@_check("error", "label", in_batches=False)
def _times(facts: Facts, _: Sequence[Any]) -> _Found:
    return _time(facts, are_all=True)


@_check("warning", "label", in_batches=False)
def _a_time(facts: Facts, _: Sequence[Any]) -> _Found:
    return _time(facts, are_all=False)


@_check("warning", "list", in_batches=False)
def _one_row_a_query(facts: Facts, _: Sequence[Any]) -> _Found:
    are_most = facts.singles >= max(_LISTS, _NEARLY_ALL * facts.lists)
    if facts.lists < 2 or (facts.longest != 1 and not are_most):
        return None
    found = f"{facts.lists:,} rows of as many queries, so that the result does"
    if facts.longest > 1:
        found = (
            f"one row in {facts.singles:,} queries of {facts.lists:,}, whose "
            "values do"
        )
    return (
        f"The query should be equal in all rows of a list. Received: {found} "
        "not depend on the scores.",
        facts.remedies["one_row_a_query"],
    )


def _against_ranks(facts: Facts, name: str) -> _Found:
    """Return what is said of ranks that scores contradict.

    If all scores do so, those are distances, and only that is said.
    """
    remedy = facts.remedies.get(name)
    if facts.against is None or not facts.have_ranks or remedy is None:
        return None
    is_higher = facts.higher_is_better is not False
    if name == "ranks_of_trec" and wrong_order(facts.steps, is_higher):
        return None
    return (
        f"The ranks and the scores of {facts.run} should order items "
        f"alike. Received: {facts.against}.",
        remedy,
    )


@_check("error", "score")
def _ranks(facts: Facts, _: Sequence[Any]) -> _Found:
    return _against_ranks(facts, "ranks")


@_check("warning", "score")
def _ranks_of_trec(facts: Facts, _: Sequence[Any]) -> _Found:
    return _against_ranks(facts, "ranks_of_trec")


@_check("warning", "score")
def _ties_itself(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.ties_itself < _SECOND:
        return None
    return (
        '`y_pred["tied"]` should count the other items with the score of a '
        f"relevant one. Received: 1 or more in all of {facts.ties_itself} "
        "lists, and 1 in most.",
        "If it counts the relevant item, too, subtract 1; if the catalogue has "
        "items twice, keep one of each.",
    )


@_check("warning", "score")
def _from_one(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.seconds < _SECOND:
        return None
    return (
        '`y_pred["above"]` should count the items above a relevant one, 0 for '
        f"the best. Received: 1 for the best one in {facts.seconds} lists, and "
        "0 in none.",
        "If these are ranks from 1 on, subtract 1; if each query finds itself "
        "first, exclude it.",
    )


@_check("warning", "score")
def _ascend(facts: Facts, _: Sequence[Any]) -> _Found:
    found = wrong_order(facts.steps, facts.higher_is_better)
    rising = facts.rising if facts.higher_is_better else -facts.rising
    # Labels that rise prove the order right.
    are_right = rising > 0 and facts.first.may_be_in_order
    if found is None or are_right or facts.first.are_in_order:
        return None
    _, wrong, like = found
    return (
        f"The scores of {facts.run} {wrong} in every query, as {like} do.",
        facts.remedies[wrong],
    )


@_check("note", "score")
def _unsorted_hits(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.are_hits or not facts.steps[:2].all():
        return None
    return (
        f"The hits of {facts.run} are not in the order of their scores, which "
        "count.",
        "If the order counts, pass the ids alone.",
    )


@_check("note", "score")
def _sorted_ids(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.sorted_lists < _SORTED or not facts.are_sorted:
        return None
    return (
        f"The ids of {facts.run} ascend in each list. The first one counts as "
        "the best.",
        "If a set or a function has sorted them, pass them in their order.",
    )


@_check("note", "score")
def _of_sets(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.of_sets < _SORTED:
        return None
    return (
        f"The ids of {facts.run} are in the order of a Python set in "
        f"{facts.of_sets} lists. The first one counts as the best.",
        "To drop repeated ids, write `list(dict.fromkeys(ids))`.",
    )


@_check("warning", "score")
def _equal_scores(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.steps[:2].any() or facts.steps[2] < _MANY:
        return None
    return (
        f"The scores of {facts.run} should order items. Received: equal scores "
        "in every query.",
        facts.remedies["equal_scores"],
    )


@_seen("note")
def _ties_of_ranks(seen: Any, facts: Facts) -> _Found:
    if facts.against:
        return None
    tied, number = seen
    return (
        f"Scores of {facts.run} should order the items of a list. Received: "
        f"for {tied:,} of {number:,} items the score of the item above, but "
        "another rank. Scores count, and tied items in all orders.",
        facts.remedies["equal_scores"],
    )


@_seen("note", in_batches=False)
def _thousands(__: Any, facts: Facts) -> _Found:
    return (
        f"Scores of {facts.run} should have one scale. Received: whole numbers "
        "below 1,000 next to others with three digits after the point, as if "
        "the point marked thousands.",
        "If 1.234 is 1234, read the column so, as by `pandas.read_csv(path, "
        'thousands=".", decimal=",")`.',
    )


@_seen("warning")
def _totals(seen: Any, _: Facts) -> _Found:
    place, name = seen
    return (
        f"Items should be those of a list. Received: a {place} item in each "
        f"list whose score is the {name} of the others, as in a row of totals.",
        "Remove these rows.",
    )


@_seen("warning")
def _infinite_scores(seen: Any, facts: Facts) -> _Found:
    is_filled = np.isfinite(seen)
    origin = " as `numpy.nan_to_num` makes of inf," * bool(is_filled)
    return (
        f"The scores of {facts.run} should be finite, but for items that are "
        f"not retrieved. Received: {seen:g},{origin} which makes an "
        "item the best.",
        "Look for what overflowed, or give the item a finite score.",
    )


@_check("warning", "whole")
def _places(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.evidence.are_places:
        return None
    if facts.evidence.has_zeros:
        return (
            f"The scores of {facts.run} should be higher for better items. "
            "Received: 1, 2, 3, ... once in each list, and 0 for all others, "
            "with higher labels for lower ranks.",
            "Pass `numpy.where(ranks > 0, -ranks, -numpy.inf)`.",
        )
    return (
        f"The scores of {facts.run} should be higher for better items. "
        f"Received: {facts.evidence.numbers} once in each list, as ranks are, "
        "with higher labels for lower ones.",
        facts.remedies["places"]
        + " The item 0 is then the best." * (facts.evidence.lowest == 0),
    )


def _scores_like_places(facts: Facts, are_integers: bool) -> _Found:
    """Return what is said of scores that may be places, integers or others."""
    found = facts.evidence
    if not found.may_be_places or found.are_places or found.are_scores:
        return None
    if facts.are_integers is not are_integers:
        return None
    return (
        f"The scores of {facts.run} are {found.numbers} once in each list"
        f"{', or 0' * found.has_zeros}, as ranks are. The highest is the "
        "best.",
        facts.remedies["places"],
    )


@_check("warning", "whole")
def _integer_places(facts: Facts, _: Sequence[Any]) -> _Found:
    return _scores_like_places(facts, are_integers=True)


@_check("note", "whole")
def _may_be_places(facts: Facts, _: Sequence[Any]) -> _Found:
    return _scores_like_places(facts, are_integers=False)


@_check("warning", "whole", in_batches=False)
def _reversed(facts: Facts, metrics: Sequence[Any]) -> _Found:
    first, is_higher = facts.first, facts.higher_is_better
    if is_higher is None or not first.are_reversed:
        return None
    if facts.evidence.are_places or first.are_topped or first.have_late:
        return None
    if "apart" in facts.seen or _ascend(facts, metrics):  # says it
        return None
    return (
        f"Better items should rank higher in {facts.run}. Received: lower "
        f"ranks for them in {first.against:,} of {first.relevant:,} lists.",
        f"{facts.remedies[_ORDERS[is_higher][1]]} If the lowest label is the "
        "best, turn labels round instead; if the system is worse than a random "
        "order, the result is right.",
    )


@_check("warning", "whole", in_batches=False, counts="equal")
def _labels_as_scores(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_labels:
        return None
    return (
        f"The scores of {facts.run} are the labels, in each list.",
        "If they were passed twice, pass the scores of the system.",
    )


@_check("note", "whole", in_batches=False, counts="graded")
def _grades_as_scores(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.have_grades or first.are_labels:
        return None
    return (
        f"The scores of {facts.run} are a few whole numbers in each list, as "
        "grades are, and tie most items.",
        "If they are the labels, the truth comes first; if they are classes or "
        "were rounded, pass the scores before.",
    )


@_check("note", "whole", in_batches=False)
def _ranks_as_labels(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.of_labels.may_be_places:
        return None
    return (
        f"The labels of {facts.truth.lower()} are {facts.of_labels.numbers} "
        "once in each list, as ranks are. The highest is the best.",
        "If 1 is the best, turn them round.",
    )


@_check("warning", "whole", in_batches=False, counts="filled")
def _filled(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_filled:
        return None
    return (
        f"The scores of {facts.run} should be those of all items. Received: "
        "one score for all irrelevant items of a list, which no relevant item "
        f"has, in {facts.first.filled:,} lists of {facts.first.lists:,}.",
        "If the system has scored relevant items alone, and the rest was "
        "filled in, score them, too.",
    )


@_check("warning", "whole", in_batches=False, counts="topped")
def _topped(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.are_topped:
        return None
    return (
        f"The best score of a list should be that of few items. Received: one "
        f"score for most items of {facts.run}, and worse ones, in "
        f"{first.topped:,} lists of {first.lists:,}.",
        "If these items were not scored, leave them out.",
    )


@_check("warning", "whole", in_batches=False, counts="beyond")
def _ranked(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_ranked:
        return None
    return (
        f"The scores of {facts.run} should be those of all items. Received: 0 "
        "for all irrelevant items, and whole numbers for relevant ones, as "
        "`predict_rank` of LightFM returns.",
        "Pass the scores of all items, as `predict` does.",
    )


@_check("warning", "whole", counts="capped")
def _capped(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.are_capped:
        return None
    return (
        f"The best items of {facts.run} should be relevant in some lists. "
        f"Received: one score for the best ones in {first.capped:,} lists, and "
        "for no relevant item.",
        "If seen items were filled with it, give them the score -inf.",
    )


@_check("warning", "whole", counts="flipped")
def _flipped(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_flipped:
        return None
    return (
        f"The scores of {facts.run} should be of one size. Received: huge ones "
        f"of both signs in {facts.first.flipped:,} lists, a million times as "
        "large as most.",
        "If seen items were multiplied by a number such as -1e9, give them the "
        "score -inf.",
    )


@_check("warning", "whole", in_batches=False, counts="joined")
def _joined(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_joined:
        return None
    return (
        f"The scores of {facts.run} should be those of a system. Received: 0 "
        "as the best score of some lists, for relevant items alone, next to "
        "as many others in each list.",
        _ADDED,
    )


@_check("warning", "whole", in_batches=False, counts="late")
def _late(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.have_late:
        return None
    return (
        f"The worst items of {facts.run} should not all be relevant. Received: "
        f"lists that are as long, but for {first.late:,} relevant items at the "
        f"end of {first.late_lists:,} lists.",
        _ADDED,
    )


@_check("note", "whole", in_batches=False, counts="saturated")
def _saturated(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.are_saturated or first.are_capped:
        return None
    return (
        f"The scores of {facts.run} are from 0 to 1, and several are 1, and "
        f"tie, in {first.saturated:,} lists of {first.lists:,}.",
        "If a sigmoid or a limit has made them so, pass the logits; if they "
        "are similarities of equal items, all is well.",
    )


@_check("note", "whole", in_batches=False, counts="precise")
def _precise(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_precise or not facts.has_irrelevant:
        return None
    return (
        f"All items that {facts.run} retrieves are relevant.",
        "If they were taken from the judgements, retrieve others, too.",
    )


@_check("warning", "whole", counts="again")
def _rows_again(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.has_rows_again or facts.first.are_crossed:
        return None
    return (
        "Each row should be there once. Received: each score of a list as many "
        "times, twice or more.",
        "If a join has repeated rows, leave one of each.",
    )


@_check("warning", "whole", counts="twins")
def _twins(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.have_twins or facts.first.has_rows_again:
        return None
    return (
        "A list should have each item once. Received: one irrelevant item with "
        f"the score of each relevant one in {facts.first.twins:,} lists of "
        f"{facts.first.lists:,}, and no other ties.",
        "If all items were scored, and the relevant ones added to them, keep "
        "one of the two.",
    )


@_check("warning", "whole", in_batches=False, counts="crossed")
def _crossed(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.first.are_crossed:
        return None
    return (
        "Each row should have the label and the score of one item. Received: "
        f"all labels of the list at each score of {facts.run}, as if they were "
        "joined by the query alone.",
        "Join by the query and the item.",
    )


@_check("warning", "whole", in_batches=False)
def _lists_again(facts: Facts, _: Sequence[Any]) -> _Found:
    times = facts.repeats.times
    if times < 2:
        return None
    return (
        "A list should be there once. Received: each list of labels and scores "
        f"{times} times or more, so that errors are too small.",
        "Leave one of each.",
    )


@_check("warning", "whole")
def _systems_in_one(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.repeats.are_systems or facts.first.has_rows_again:
        return None
    number = facts.repeats.systems
    return (
        "A list should have one score for each item. Received: the labels of "
        f"each list {number} times in one order, as with the scores of "
        f"{number} systems in one column.",
        "Leave the rows of one system, or give each system a column.",
    )


@_check("warning", "whole")
def _places_elsewhere(facts: Facts, _: Sequence[Any]) -> _Found:
    if facts.elsewhere is None or facts.first.may_be_in_order:
        return None
    if facts.evidence.may_be_places or facts.first.lists < 2:
        return None
    return (
        f"The scores of {facts.run} should order the items of a list. "
        f"Received: 0, 1, 2, ... once {facts.elsewhere}, as `argsort` returns "
        "them, and labels that do not rise with them.",
        "Pass the scores that it sorted.",
    )


@_check("note", "whole", in_batches=False, counts="perfect")
def _perfect(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.are_perfect or first.are_labels or first.finds_own:
        return None
    return (
        f"All relevant items have better scores of {facts.run} than all "
        f"others, in each of {first.clear:,} lists.",
        "All is well if the system is perfect. If labels were made from "
        "scores, or scores from labels, or both were sorted apart, pass those "
        "of the items.",
    )


@_check("note", "whole", in_batches=False, counts="alike")
def _alike(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    others = first.lists - first.alike
    if not facts.are_whole or min(first.alike, others) < _SOME * first.lists:
        return None
    if first.alike < _SEVERAL:
        return None
    return (
        f"All items of {first.alike:,} lists of {first.lists:,} have one label "
        "above 0, so that their scores do not count.",
        "If these lists have lost their irrelevant items, add these; if not, "
        "all is well.",
    )


@_check("warning", "whole", in_batches=False, counts="precise")
def _one_label(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    may_lack_items = not facts.are_whole and first.precise < first.lists
    if may_lack_items or not first.have_one_label:
        return None
    return (
        "The items of a list should have several labels. Received: one label "
        f"for all items in each of {facts.first.lists:,} lists, so that scores "
        "do not count.",
        "If labels are those of the query, pass those of its items.",
    )


@_check("note", "whole", in_batches=False, counts="placed")
def _two_kinds(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.are_of_two_kinds:
        return None
    return (
        f"The scores of {facts.run} should be of one kind. Received: 1, 2, 3, "
        f"... once in {first.placed:,} lists, as ranks are, and scores with "
        f"fractions in {first.fractions:,}.",
        "If the ranks are of another system, pass scores of all lists.",
    )


@_check("note", "whole", in_batches=False)
def _constant(facts: Facts, _: Sequence[Any]) -> _Found:
    repeats, first = facts.repeats, facts.first
    if not repeats.have_one_score or repeats.constant == first.fillers:
        return None
    return (
        f"The scores of {facts.run} should order the items of a list. Received:"
        f" one score for all items in {repeats.constant:,} lists of "
        f"{repeats.lists:,}.",
        "If these lists were not scored, leave them out; if nothing in them "
        "matched, all is well.",
    )


@_check("note", "whole", in_batches=False)
def _scores_again(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.repeats.have_scores_again:
        return None
    return (
        f"A list should have scores of its own. Received: lists of {facts.run} "
        "with the scores of other lists.",
        "Popular items, and queries of one user, have such scores. Otherwise "
        "look for a batch that was used again.",
    )


@_seen("note", in_batches=False)
def _seeds(seen: Any, facts: Facts) -> _Found:
    times, lists = seen
    if facts.repeats.times > 1:  # says it
        return None
    return (
        f"The labels of {lists:,} lists are there {times} times, in one order, "
        "as with the scores of several seeds after each other, so that errors "
        "are those of more lists than there are.",
        "Evaluate each seed, or pass arrays with a row for each query: "
        f"`x.reshape({times}, {lists}, -1).swapaxes(0, 1)`.",
    )


@_seen("note", in_batches=False)
def _across(seen: Any, facts: Facts) -> _Found:
    return (
        f"The scores of {facts.run} should be comparable in a list. Received: "
        f"{seen}.",
        "If this was not meant, scale them over the last axis.",
    )


@_seen("warning")
def _apart(seen: Any, _: Facts) -> _Found:
    return (
        "Labels and scores should have padding at one end. Received: labels "
        f"{seen}, and as many equal scores at the other end.",
        "Pad both on one side.",
    )


@_seen("warning")
def _cut_off(__: Any, _: Facts) -> _Found:
    return (
        "Scores should order items. Received: integers or bools that are 0 or "
        "1 in all lists, as a threshold or `pad_sequences` leaves them.",
        'Pass the scores before that, or pad them with `dtype="float32"`. If a '
        "rule gives two classes, pass them as floats.",
    )


@_seen("warning")
def _excludes_all(__: Any, _: Facts) -> _Found:
    return (
        "Some relevant items should have a rank. Received: `exclude` that "
        "contains all of them.",
        "Exclude the items of the training set alone.",
    )


@_seen("warning")
def _again_in_catalogue(seen: Any, _: Facts) -> _Found:
    return (
        "`items` should have each item of the catalogue once. Received: "
        f"{seen:,} items, some of them several times, as "
        "in a table of interactions.",
        "Pass the items of the catalogue alone, and their numbers as "
        "`targets`.",
    )


@_seen("warning")
def _twice(seen: Any, _: Facts) -> _Found:
    return (
        "`items` should have each item once. Received: "
        f"{seen:,} vectors, of which the second half is the first half again.",
        "If they were concatenated twice, pass the first half.",
    )


@_seen("warning")
def _themselves(__: Any, _: Facts) -> _Found:
    return (
        "The target of a query should be another item, but in a test. "
        "Received: queries with the vectors of their own targets.",
        "For similar items, pass these as targets, and the item itself as "
        "`exclude`.",
    )


@_seen("warning")
def _all_tie(__: Any, _: Facts) -> _Found:
    return (
        "The scores of a catalogue should order items. Received: all items "
        "tied with each relevant one, so that results are those of a random "
        "order.",
        "Look for vectors that are 0, or the same for all items.",
    )


@_seen("warning")
def _by_place(__: Any, _: Facts) -> _Found:
    return (
        "Labels should say how relevant an item is. Received: the places of "
        "the items, from 1 on, for all labels above 0, as positions of clicks.",
        "For clicks, pass `labels > 0`.",
    )


@_seen("warning")
def _pairs(__: Any, _: Facts) -> _Found:
    return (
        "A row of targets should have the numbers of relevant items. Received: "
        "two in each row, of which the first is the number of the row, as "
        "`numpy.argwhere` returns them.",
        "For such pairs, pass the second column alone: `targets[:, 1]`.",
    )


@_seen("warning")
def _ids_as_scores(__: Any, _: Facts) -> _Found:
    return (
        "Two rankings should be scores of the same items. Received: integers "
        "that differ in each list, of which both sides have many, as ids are.",
        'For ids, best first, pass `inputs="ids"`.',
    )


@_check("warning", "whole", counts="dense")
def _dense(facts: Facts, metrics: Sequence[Any]) -> _Found:
    functions = (x.definition.options.get("gain_fn") for x in metrics)
    if not facts.first.are_dense or linear_gain not in functions:
        return None
    return (
        "Gains should tell relevant items from others. Received: labels of "
        "which the lowest is above half of the highest, in "
        f"{facts.first.dense:,} lists of {facts.first.lists:,}, so that all "
        "orders have nearly one value.",
        "Subtract the lowest label, or pass 1 for relevant items, and 0 for "
        "others.",
    )


@_seen("warning")
def _same_columns(seen: Any, _: Facts) -> _Found:
    return (
        "A batch whose items are relevant to one query each should have each "
        f"item once. Received: {seen[0]:,} items, of which {seen[1]:,} have "
        "the scores of another one for all queries.",
        "If items are there twice, pass labels of 1 for both: "
        "`ids[:, None] == ids[None]`.",
    )


@_seen("warning")
def _labels_of_two(__: Any, _: Facts) -> _Found:
    return (
        "A reference should be scores. Received: labels from 0 on, and -1 at "
        "the end of lists, which counts as the worst score.",
        "If it is padding, replace it by -inf on both sides.",
    )


@_check("warning", "label")
def _gains(facts: Facts, metrics: Sequence[Any]) -> _Found:
    found = sorted(facts.levels)
    are_gains = found == [2.0**x - 1 for x in range(len(found))]
    are_few = _LEVELS <= len(found) <= _MOST_LEVELS
    if not are_few or not are_gains or not _have_exponential_gain(metrics):
        return None
    return (
        "Grades should be 0, 1, 2, 3 for a gain of 2 to their power less 1. "
        f"Received: {', '.join(f'{x:g}' for x in found)} alone, as if they "
        "were such gains.",
        "If they are gains, set `gain_fn` to `linear_gain`, as in "
        '`"NDCG(gain_fn=linear_gain)@10"`.',
    )


@_seen("warning")
def _zeros_and_ones(__: Any, _: Facts) -> _Found:
    return (
        "Targets should be numbers of items. Received: 0 and 1 alone, as "
        "labels are.",
        'For labels of items, leave out `inputs="sparse"`.',
    )


@_seen("warning", in_batches=False)
def _sizes(seen: Any, _: Facts) -> _Found:
    query, rows = seen
    return (
        "The query should be one id for each list. Received: queries whose "
        f"numbers of rows are multiples of themselves, such as {rows:,} rows "
        f"of {query}, as if they were the sizes of lists.",
        "Pass `numpy.repeat(numpy.arange(len(sizes)), sizes)`.",
    )


@_check("warning", "list")
def _weighed_by(facts: Facts, _: Sequence[Any]) -> _Found:
    if not facts.weighed_by:
        return None
    return (
        "Weights should say how much a row or a query counts. Received: "
        f"weights that are {min(facts.weighed_by)}.",
        "Pass the column of weights, or leave it out.",
    )


@_check("note", "whole", in_batches=False, counts="fillers")
def _fillers(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.has_fillers:
        return None
    number = f"{first.fillers:,} list{'s' * (first.fillers > 1)}"
    return (
        "A list should have items. Received: labels and scores that are all 0 "
        f"in {number} of {first.lists:,}, as in padding.",
        "If it is, leave these lists out, or give their labels -1.",
    )


@_check("warning", "whole", counts="own")
def _own_first(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.finds_own or first.own_relevant:
        return None
    return (
        f"The queries of {facts.run} should find other items. Received: the id "
        f"of the query as the best item of {first.own:,} lists of "
        f"{first.lists:,}, which is not relevant.",
        facts.remedies.get("own", _DROP),
    )


@_check("note", "whole", counts="own_relevant")
def _own_relevant(facts: Facts, _: Sequence[Any]) -> _Found:
    first = facts.first
    if not first.finds_own or not first.own_relevant or first.finds_partners:
        return None
    return (
        f"The best item of {first.own:,} of {first.lists:,} lists of "
        f"{facts.run} has the id of its query, and is relevant in "
        f"{first.own_relevant:,}.",
        facts.remedies.get("own", _DROP),
    )


@_check("note", "seen", in_batches=False)
def _empty_lists(facts: Facts, metrics: Sequence[Any]) -> _Found:
    number, lists = facts.seen["empty_lists"]
    count_them = [x for x in metrics if x.definition.empty == "zero"]
    if not _least_relevant(count_them, 1.0):
        return None
    return (
        f"{number:,} of the first {lists:,} lists have no relevant items, and "
        "count as 0.",
        'To leave them out, set the option `empty="skip"`.',
    )


@_seen("warning")
def _tied_scores(seen: Any, facts: Facts) -> _Found:
    return seen, facts.remedies["tied_scores"]

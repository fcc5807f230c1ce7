"""`diagnose`: look for mistakes in judgements and a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from keras_rankmetrics.comparing import joining, requirements, spellings
from keras_rankmetrics.comparing.joining import Judgements
from keras_rankmetrics.comparing.labels_and_scores import sides_of
from keras_rankmetrics.comparing.reading import (
    HowToRead,
    Input,
    Reading,
    have_same_id,
    reads,
)
from keras_rankmetrics.comparing.together import check_columns
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.definition.options import invalid
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.metrics import NDCG
from keras_rankmetrics.tables import ids, item_rows, roles
from keras_rankmetrics.tables.item_rows import Rows
from keras_rankmetrics.tables.members import members_of, with_named
from keras_rankmetrics.types import UNJUDGED

# The severity of a check, how its sentence goes on after the number of cases,
# and the remedy. A second severity is for half of the cases or more.
_CHECKS = {
    "not_finite": "error: values of the {side} are NaN or infinite. Correct "
    "these rows, or remove them.",
    "padding": "warning: items of the {side} are padding. Remove these rows.",
    "duplicates": "error: rows of the {side} repeat an item of their query. "
    "Keep one row of each item.",
    "unranked": "note: items of the run have the score -inf, and count as not "
    "retrieved. Give the items that are ranked finite scores.",
    "empty": "error: sides have no rows left. Check how they were read.",
    "types": "error: columns have ids of two types. Convert one side.",
    "queries_missing": "warning/error: queries of the truth have no rows in "
    "the run, and count as lists that retrieve nothing. Is the run complete?",
    "queries_unknown": "note: queries of the run are not in the truth, and are "
    "left out. Is the truth complete?",
    "own_items": "warning: queries retrieve an item of their own id. If the "
    "items include the queries, pass `drop_same_id=True`, which drops them "
    "from the truth, too.",
    "no_relevant": "warning/error: queries have no relevant item, and count as "
    '0. Metrics with `empty="skip"` leave them out.',
    "many_relevant": "note: queries have more than {k} relevant items, so that "
    "Recall@{k} is at most {highest:.2f}. Use a higher cutoff; `ceilings` "
    "shows the highest values.",
    "grades": "note: labels are above {least:g}, and binary metrics treat them "
    "as {least:g}. Use a graded metric, or set `relevance_threshold`.",
    "all_relevant": "note: labels are 1 or more, and differ: binary metrics "
    "treat each of these items as relevant. Set `relevance_threshold`, unless "
    "they are.",
    "shares": "note: labels are between 0 and 1. Graded metrics take them as "
    "grades, and binary ones with the default `relevance_threshold` refuse "
    "them. If they are shares of judges or other probabilities, pass "
    '`labels="probabilities"` to a metric, or write '
    '`"NDCG(labels=probabilities)@10"`.',
    "unmatched": "error: items among the first {k} are not judged, since "
    "almost no ids match. Write the ids of both sides in the same way.",
    "unlike_ids": "warning: items among the first {k} are not judged, some of "
    "them since ids differ. Write the ids of both sides in the same way.",
    "unjudged": "note/warning: items among the first {k} are not judged, and "
    'count as irrelevant. Metrics with `unjudged="condense"` leave them out.',
    "only_relevant": "note: items among the first {k} are not judged, and "
    "count as irrelevant. The truth has relevant items only.",
    "few_items": "note/warning: queries retrieve fewer than {k} items. "
    "Retrieve more, unless there are no more.",
    "one_score": "warning/error: lists have one score for all items. Check how "
    "the scores were computed.",
    "ties": "note/warning: items are tied with another one, in {cut:,} lists "
    "across rank {k}. The option `ties` of a metric orders them.",
    "distances": "warning: lists look as if lower scores were better. If the "
    "scores are distances, pass `higher_is_better=False`.",
    "similarities": "warning: lists look as if higher scores were better. If "
    "the scores are similarities, leave out `higher_is_better=False`.",
    "reversed_ranks": "warning: lists look as if higher ranks were better. "
    f"{roles.OF_RANKS['ascend']}",
}
_SEVERITIES = ["error", "warning", "note"]
_PADDING: dict[str, Any] = {"i": [-1], "U": ["", "-1"], "S": [b"", b"-1"]}
_Z = 3.0  # standard errors that prove a direction of the scores
_MOST = 0.6  # share of the lists that have this direction, too
# Checks of rows, in place of which there are `"one_score"`, `"distances"`,
# `"not_finite"` and `"own_items"`.
_OF_LISTS = "ascend", "equal_scores"
_OF_ITEMS = "own_first", "own_relevant", "constant", "empty_lists"
_OF_ORDER = "places", "may_be_places", "reversed"
_LOW = 0.9  # of the highest recall at k
_STEPS = 10  # neighbouring rows that prove that rows are in ascending order


class Finding(NamedTuple):
    """A possible mistake, with its remedy.

    Attributes:
        name: the name of the check, such as `"duplicates"`.
        severity: `"error"`, `"warning"`, or `"note"` for a fact to know.
        what: a sentence with the number and the share of the cases.
        example: the first case; empty if the sentence names it.
        remedy: what to do.
    """

    name: str
    severity: str
    what: str
    example: str
    remedy: str

    def __str__(self) -> str:
        _, severity, what, example, remedy = self
        lines = [what, *[f"Example: {example}"] * bool(example), remedy]
        return f"{severity}: " + "\n  ".join(lines)


class Diagnosis(tuple[Finding, ...]):
    """The findings of `diagnose`: errors, then warnings, then notes.

    It is true if there are only notes, or none.

    Example:
        >>> import keras_rankmetrics as krm
        >>> run = krm.Rows(["q"] * 3, ["a", "a", "b"], [0.9, 0.8, 0.7])
        >>> print(krm.diagnose({"q": {"a": 1, "b": 0}}, run, k=1))
        error: 1 of 3 rows of the run repeat an item of their query (33.3%).
          Example: query 'q', item 'a', value 0.8
          Keep one row of each item.

    Stability: stable.
    """

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "No mistakes were found."

    @property
    def ok(self) -> bool:
        """True if there are no errors and no warnings."""
        return all(finding.severity == "note" for finding in self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can contain."""
        return {"ok": self.ok, "findings": [x._asdict() for x in self]}


@reads("duplicates")
def diagnose(
    truth: Any,
    run: Any = None,
    *,
    k: int = 10,
    metrics: Any = None,
    **how: Unpack[HowToRead],
) -> Diagnosis:
    """Look for mistakes in judgements and a run, before one believes a value.

    The checks, by the names of their findings:

    - `"not_finite"`, `"padding"`, `"duplicates"`: rows of either side that
      cannot be evaluated. Padding is an id such as -1 or an empty string. The
      other checks leave these rows out.
    - `"unranked"`: items with a score of -inf.
    - `"empty"`, `"types"`: a side without rows, or with ids of another type
      than the other side. There are no further checks then.
    - `"queries_missing"`, `"queries_unknown"`: queries on one side only.
    - `"unmatched"`, `"unlike_ids"`: less than 1% of the items that could match
      do; or more, and ids that do not match are alike.
    - `"unjudged"`: items among the first `k` that the truth lacks. This is
      `"only_relevant"` if the truth has no irrelevant items.
    - `"own_items"`: half of the queries or more retrieve an item of their own
      id.
    - `"no_relevant"`: queries without an item of a label above 0.
    - `"low_labels"`, `"times"`, `"steep_gains"`, `"ratings_below_0"`,
      `"nothing_judged"`, `"missing_ids"`, `"cut_ids"`, `"rounded_ids"`,
      `"ranks_as_ids"`, `"rows_as_ids"`, `"low_ids"`, `"of_others"`: labels and
      ids of which `evaluate` would say the same.
    - `"many_relevant"`: more relevant items than `k`, by which the recall at
      `k` is at most 0.9.
    - `"grades"`: relevant items of different labels, which a binary metric
      does not distinguish.
    - `"all_relevant"`: different labels of which none is below 1, as ratings
      are.
    - `"places"`, `"may_be_places"`, `"reversed"`, `"rows_again"`, `"fillers"`,
      `"two_spellings"`, `"codes"`, `"labels_as_scores"`, `"grades_as_scores"`,
      `"ranks_as_labels"`, `"seeds"`, `"crossed"`, `"lists_again"`,
      `"perfect"`, `"one_label"`, `"two_kinds"`, `"scores_again"`, `"totals"`,
      `"ties_of_ranks"`, `"thousands"`, `"ranked"`, `"capped"`, `"flipped"`,
      `"joined"`, `"late"`, `"saturated"`, `"dense"`, `"infinite_scores"` of
      `numpy.nan_to_num` and others: scores, rows, queries and labels of which
      `evaluate` would say the same.
    - `"one_row_a_query"`, `"counted_rows"`: nearly all lists have one item,
      or queries count the rows of each list.
    - `"shares"`: labels between 0 and 1, such as shares of judges.
    - `"few_items"`: queries that retrieve fewer than `k` items.
    - `"one_score"`, `"ties"`: items of equal score.
    - `"ranks"`, `"ranks_of_trec"`: a column of ranks next to the scores, or the
      ranks of a file of TREC, that order items unlike the scores.
    - `"distances"`: relevant items have lower scores than the others of their
      list, by more than three standard errors of a random order, and in most
      lists. Or the rows of queries are in the order of ascending scores, and
      the labels do not prove that higher scores are better.
    - `"similarities"`, `"reversed_ranks"`: the same of scores that were called
      distances, and of ranks in place of scores.

    Args:
        truth: the labels of items, in a form with ids that `evaluate` takes;
            or one table of labels and scores.
        run: the scores of items, in one of these forms; None for one table.
        k: the number of retrieved items of each query that metrics look at.
        metrics: the metrics to compute, or their names as text. By default,
            some of them are binary, with a threshold of 1.
        **how: how to read the inputs, as for `evaluate`.

    Returns:
        A `Diagnosis`, which can be printed. It is true if there are no errors
        and no warnings.

    Raises:
        TypeError: if a side cannot be read, or the types of ids differ.
        ValueError: if a side cannot be read, or `k` is not positive.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {"q1": {"d1": 1, "d2": 0}}
        >>> diagnosis = krm.diagnose(truth, {"q1": {"D1": 0.9, "D2": 0.8}}, k=2)
        >>> diagnosis.ok, [finding.name for finding in diagnosis]
        (False, ['unmatched'])
        >>> diagnosis[0].example  # doctest: +ELLIPSIS
        "For the query 'q1' ... Do the ids differ only in case?"

    Stability: stable.
    """
    if not isinstance(k, int | np.integer) or k < 1:
        raise invalid("k", "a positive integer", k)
    metrics = with_named(metrics)
    members = [] if metrics is None else members_of(metrics)
    if members and requirements.truth_of(members) is not None:
        raise ValueError(
            "`metrics` should take labels and scores. Received: "
            f"{[x.name for x in members]}, which take others. Leave them out."
        )
    found: list[Finding] = []
    reading = Reading.of(diagnose, how)
    if reading.higher_is_better:  # reports distances
        reading = dataclasses.replace(reading, higher_is_better=None)
    judged, retrieved = sides_of(truth, run, reading)
    labels = _valid(judged, "truth", found)
    if reading.drop_same_id:
        kept = np.where(have_same_id(labels), UNJUDGED, labels.value)
        labels = labels._replace(value=kept)
    scores = _valid(retrieved, "run", found)
    found += _of_scores(retrieved)
    check_columns([judged, retrieved])
    for role in reading.of_queries:
        judged.of_queries(role, None)  # or raise an error
    found += (blocking := _of_sides(labels, scores))
    if not blocking:
        judgements = Judgements.of(labels, judged.queries())
        asked = members or [NDCG()]
        found += _of_checks(labels, asked)
        found += _of_labels(judgements, members, k)
        found += _of_queries(judgements, scores)
        name = "distances" if reading.sign > 0 else "similarities"
        if reading.has_ranks or "rank" in getattr(retrieved, "columns", ()):
            name = "reversed_ranks"
        found += _of_lists(judgements, scores, k, asked, name)
    return Diagnosis(sorted(found, key=lambda x: _SEVERITIES.index(x.severity)))


def _finding(
    name: str, wrong: np.ndarray, cases: Mapping[str, np.ndarray], **texts: Any
) -> list[Finding]:
    """Return the finding of a check, or none if nothing is wrong.

    Args:
        name: the name of the check.
        wrong: `[cases]`, bool.
        cases: arrays `[cases]` that describe each case.
        **texts: the fields of the text.
    """
    if not wrong.any():
        return []
    severity, _, text = _CHECKS[name].format(**texts).partition(": ")
    severity = severity.split("/")[-int(wrong.mean() >= 0.5)]
    what, _, remedy = text.partition(". ")
    what = f"{wrong.sum():,} of {len(wrong):,} {what} ({wrong.mean():.1%})."
    case = {key: column[wrong.argmax()] for key, column in cases.items()}
    example = ", ".join(f"{key} {_shown(x)}" for key, x in case.items())
    return [Finding(name, severity, what, example, remedy)]


def _shown(x: np.generic) -> str:
    return f"{x:g}" if x.dtype.kind == "f" else repr(as_text(x.item()))


def _valid(x: Input, side: str, found: list[Finding]) -> Rows:
    """Return the rows that can be evaluated, and add findings of the others."""
    rows = x.all_rows()
    if x.value == "score":  # minus infinity: not retrieved
        kept = np.ones(len(rows.value), bool)
        if x.reading.drop_same_id:
            kept = ~x.dropped(rows)
        low = (rows.value == -np.inf) & kept
        found += _finding("unranked", low, rows._asdict())
        rows = Rows(*(column[kept & ~low] for column in rows))
    for name, check in _OF_ROWS.items():
        wrong = check(rows)
        if wrong.any():
            found += _finding(name, wrong, rows._asdict(), side=side)
            rows = Rows(*(column[~wrong] for column in rows))
    return rows


def _is_again(rows: Rows) -> np.ndarray:
    keys = ids.pair_keys(rows.query, rows.item)
    # Different pairs have the same key with a probability of 2 ** -64.
    _, first = np.unique(keys, return_index=True)
    return ~np.isin(np.arange(len(keys)), first)


_OF_ROWS: dict[str, Callable[[Rows], np.ndarray]] = {
    "not_finite": lambda rows: np.isnan(rows.value) | (rows.value == np.inf),
    "padding": lambda x: np.isin(x.item, _PADDING.get(x.item.dtype.kind, [])),
    "duplicates": _is_again,
}


def _of_sides(truth: Rows, run: Rows) -> list[Finding]:
    """Return the findings that make further checks impossible."""
    is_empty = np.array([len(rows.query) == 0 for rows in (truth, run)])
    sides = {"side": np.array(["truth", "run"])}
    types, others = (
        np.array([ids.KINDS[x.dtype.kind] for x in rows[:2]])
        for rows in (truth, run)
    )
    columns = {"column": np.array(["query", "item"])}
    columns |= {"truth": types, "run": others}
    found = _finding("empty", is_empty, sides)
    return found or _finding("types", types != others, columns)


def _of_checks(truth: Rows, members: Sequence[Any]) -> Iterator[Finding]:
    """Yield what the list of checks says of labels and ids."""
    facts = checks.Facts()
    facts.add_labels(truth.value)
    facts.add_ids(truth.query, truth.item)
    # Without relevant items, `no_relevant` says it.
    says_it = () if (truth.value > 0).any() else ("low_labels",)
    yield from _said(facts, members, says_it)


def _of_scores(run: Input) -> Iterator[Finding]:
    """Yield what the list of checks says of scores and ranks."""
    facts = run.known()
    is_said = ("infinite_scores",) * bool(
        np.isinf(facts.seen.get("infinite_scores", 0.0))
    )
    yield from _said(facts, (), (*_OF_LISTS, *is_said))


def _said(
    facts: checks.Facts, metrics: Sequence[Any], without: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield what the list of checks says, but for some checks."""
    for check, what, remedy in checks.said_of(facts, metrics):
        if check.name not in without:
            yield Finding(check.name, check.level, what, "", remedy)


def _of_labels(
    judgements: Judgements, members: Sequence[Any], k: int
) -> Iterator[Finding]:
    queries, labels = judgements.queries, judgements.labels
    lists = judgements.lists
    relevant = np.bincount(lists, labels > 0, len(queries))
    yield from _finding("no_relevant", relevant == 0, {"query": queries})
    name = "relevance_threshold"
    thresholds = [getattr(x, name, np.inf) for x in members] or [1.0]
    least = labels[labels >= min(thresholds)].min(initial=np.inf)
    item = {"query": queries[lists], "item": judgements.items, "label": labels}
    of_judged = np.unique(labels[labels >= 0])
    are_ratings = len(of_judged) > 1 and of_judged[0] >= 1
    some = relevant[relevant > 0]
    highest = (np.minimum(some, k) / some).mean() if len(some) else 1.0
    many = (relevant > k) & (highest < _LOW and not are_ratings)
    texts = {"k": k, "highest": highest}
    yield from _finding("many_relevant", many, {"query": queries}, **texts)
    grades = (labels > least) & (not are_ratings)
    yield from _finding("grades", grades, item, least=least)
    yield from _finding("all_relevant", (labels >= 1) & are_ratings, item)
    are_shares = (labels > 0) & (labels < 1) & (labels.max(initial=0) <= 1)
    yield from _finding("shares", are_shares, item)


def _of_queries(judgements: Judgements, run: Rows) -> Iterator[Finding]:
    truth = judgements.queries
    queries = np.unique(run.query[item_rows.run_starts(run.query)])
    missing, unknown = ~np.isin(truth, queries), ~np.isin(queries, truth)
    for found in _finding("queries_missing", missing, {"query": truth}):
        if unknown.any():
            sides = queries[unknown].tolist(), truth[missing].tolist()
            one, other, hint = spellings.unmatched_queries(*sides)
            example = f"{one} in the run, {other} in the truth"
            found = found._replace(example=example, remedy=hint)
        yield found
    yield from _finding("queries_unknown", unknown, {"query": queries})
    if run.query.dtype.kind == run.item.dtype.kind:
        own = np.isin(queries, run.query[run.query == run.item])
        own &= ~np.isin(queries, _of_pairs(judgements))
        own &= own.mean() >= 0.5  # a few numbers are the same by chance
        yield from _finding("own_items", own, {"query": queries})


def _of_pairs(judgements: Judgements) -> np.ndarray:
    """Return the queries that only the item of their own id is relevant to."""
    lists, relevant = judgements.lists, judgements.labels > 0
    are_own = ids.are_same(judgements.queries[lists], judgements.items)
    own, others = (
        np.bincount(lists, relevant & are, len(judgements.queries))
        for are in (are_own, ~are_own)
    )
    return judgements.queries[(own > 0) & (others == 0)]


def _of_lists(
    judgements: Judgements,
    run: Rows,
    k: int,
    members: Sequence[Any],
    reverse: str,
) -> Iterator[Finding]:
    """Yield findings of lists.

    Args:
        judgements: the truth.
        run: the rows of the run.
        k: the cutoff.
        members: the metrics to compute.
        reverse: what scores are that order items the other way round.
    """
    ruled = joining.Ruled(judgements, "options")
    joined = joining.Joining([ruled], "the run")
    [(places, lengths, labels, scores)] = next(joined.join([run]))
    if not len(places):
        return
    lists = np.repeat(np.arange(len(places)), lengths)
    are_whole = bool((scores > -np.inf).all())  # or the truth has other items
    lists, labels, scores = (
        x[scores > -np.inf] for x in (lists, labels, scores)
    )
    steps = np.diff(scores)[lists[1:] == lists[:-1]]
    order, all_lengths = np.lexsort((-scores, lists)), lengths
    lengths = np.bincount(lists)
    labels, scores = labels[order], scores[order]
    ranks = np.arange(len(lists)) - (np.cumsum(lengths) - lengths)[lists]
    of_list = {"query": judgements.queries[places]}
    of_item = {"query": of_list["query"][lists]}
    first = ranks < k
    name = "unjudged" if (judgements.labels == 0).any() else "only_relevant"
    overlap = joined.overlap
    example = overlap.example  # of ids that do not match
    name = "unlike_ids" if example else name
    name = "unmatched" if overlap.is_low else name
    of_first = {"query": of_item["query"][first]}
    for found in _finding(name, labels[first] < 0, of_first, k=k):
        yield found._replace(example=example or found.example)
    yield from _finding("few_items", lengths < k, of_list, k=k)
    ties = np.append(False, scores[1:] == scores[:-1]) & (ranks > 0)
    one_score = (np.bincount(lists, ties) == lengths - 1) & (lengths > 1)
    yield from _finding("one_score", one_score, of_list)
    tied = (ties | np.append(ties[1:], False)) & ~one_score[lists]
    cut = (ties & tied & (ranks == k)).sum()
    for found in _finding("ties", tied, of_item, cut=cut, k=k):
        yield found if cut else found._replace(severity="note")
    z, low = _below_middle(lists, scores, labels > 0)
    ascend = len(steps) >= _STEPS and (steps > 0).mean() > 0.99 and z > -_Z
    are_reversed = _finding(reverse, ascend | (low & (z > _Z)), of_list)
    yield from are_reversed
    facts = joined.facts
    facts.add_lists(all_lengths[: len(all_lengths) * are_whole])
    is_said = _OF_ITEMS + _OF_ORDER * bool(are_reversed)
    yield from _said(facts, members, is_said)


def _below_middle(
    lists: np.ndarray, scores: np.ndarray, relevant: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return how far relevant items are below the middle of their lists.

    The sum of their ranks is compared with that of a random order of each
    list, as in Wilcoxon's rank-sum test.

    Returns:
        The difference in standard errors, 0 if it has another sign in many
        lists; and the lists in which they are below.
    """
    ranks, starts = (
        checks.mean_ranks(lists, scores),
        item_rows.run_starts(lists),
    )
    below, variance = checks.covariances(ranks, relevant, starts)
    z = below.sum() / max(np.sqrt(variance.sum()), 1e-9)
    is_common = (below * z > 0).sum() > _MOST * (variance > 0).sum()
    return z * is_common, below > 0

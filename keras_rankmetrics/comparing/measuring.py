"""The values of metrics for each system and list, from inputs of any form."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics import conventions
from keras_rankmetrics.comparing import joining, statistics, together, values
from keras_rankmetrics.comparing.forms import input_of
from keras_rankmetrics.comparing.measured import (
    ALL,
    Measured,
    Values,
    fingerprint_of,
)
from keras_rankmetrics.comparing.reading import (
    Input,
    Reading,
    check_numbers,
    warn_of_direction,
)
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import metrics_of
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.files import QueriesReturnError
from keras_rankmetrics.gains import exponential_gain
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.members import members_of, metrics_in
from keras_rankmetrics.types import UNJUDGED, Truth

_GRADES = 30  # gains of grades above it make all others vanish
_TIMES = 1e8  # labels above it look like seconds since 1970
_PLAIN = Convention("ours", "", "", {})  # without rules
_Metrics = Sequence[RankingMetric]
_Found = tuple[Sequence[Any], str, dict[str, Values]]


def measured_by(
    metrics: Any,
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    convention: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Measured:
    """Return the value of each metric for each system and list.

    Args:
        metrics: metrics, or their names as text.
        truth: the labels of the items.
        systems: the systems by name.
        reading: how to read the truth and the systems.
        convention: a convention, its name, or None.
        groups: the group of each query, or None.
        sample_weight: the weights, or None.
    """
    source = convention
    if isinstance(convention, str):
        source = conventions.named(convention)
    options = {} if source is None else source.rules.options
    made: list[Any] = []
    for each in metrics_in(metrics):
        is_text = isinstance(each, str)
        made += metrics_of(each, source, **options) if is_text else [each]
    asked = members_of(made, statistics.check)
    objects = [x.name for x in metrics_in(metrics) if not isinstance(x, str)]
    if source is not None and objects:
        warn(
            f"With `convention`, metrics should be text. Received: {objects}, "
            "objects, which keep options of their own. Pass names, such as "
            '`"NDCG@10"`, for the numbers of the tool.'
        )
    of_them = functools.partial(
        of_members,
        systems=systems,
        reading=reading,
        rules_for=(source or _PLAIN).rules_for,
        groups=groups,
        sample_weight=sample_weight,
    )
    if statistics.are_judge_corrected(asked, truth, sample_weight):
        return statistics.by_judge(asked, truth, systems, of_them)
    members, shown = statistics.members_and_statistics(asked)
    return of_them(members, truth)._replace(statistics=shown)


def of_members(
    members: _Metrics,
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    rules_for: Callable[[Truth | None], Rules],
    groups: Any = None,
    sample_weight: Any = None,
    depth: float | None = None,
) -> Measured:
    """Return the value of each metric for each system and list.

    `rules_for` returns the rules by which truth and systems are read, from what
    the metrics read. With `depth`, lists without labels are excluded, and those
    with some should have labels for the items at all ranks down to it.
    """
    reads = _truth_of(members)
    rules = rules_for(reads)
    if reading.drop_same_id is not None:
        rules = rules._replace(drop_same_id=reading.drop_same_id)
    are_references = reads == "two_rankings"
    role = "score" if are_references else "label"
    judged = input_of(truth, role, "`truth`", reading.of_system(None, rules))
    runs, is_one = {}, [*systems] == [ALL]
    for name, x in systems.items():
        argument = "`run`" if is_one else f"the system {name!r}"
        own = reading.of_system(name, rules)
        runs[name] = input_of(x, "score", argument, own)
    if is_one:
        together.check_run(runs[ALL])
    inputs = [judged, *runs.values()]
    warn_of_direction(reading.chosen.get("score"), reading.higher_is_better)
    take_scores = all(m.definition.inputs == "scores" for m in members)
    are_by_id = together.have_ids(inputs) or (
        take_scores and together.integers_are_ids(inputs)
    )
    if are_by_id:
        together.check_ids(reading, judged, [*runs.values()])
        found = _by_id(members, judged, runs, sample_weight, rules, depth)
        together.check_columns(inputs)  # files have columns once they are read
    else:
        together.check_no_ids(reading)
        are_labels = take_scores and not are_references
        together.check_arrays(inputs, rules, are_labels)
        found = _by_position(members, truth, systems, sample_weight, depth)
    lists, of_truth, of_systems = found
    if reading.drop_same_id and not any(run.same_id for run in runs.values()):
        warn(
            "`drop_same_id=True` should drop items. Received: none that has "
            "the id of its query. Are both integers, or both text?"
        )
    are_in_order = not are_by_id or judged.has_row_numbers
    of_groups = together.groups_of_lists(groups, lists, are_in_order)
    steps = max(x.lists_of_row for x in of_systems.values())
    if of_groups and steps > 1:
        raise ValueError(
            "`groups` should be of lists that do not depend on each other. "
            f"Received: rows of {steps} lists each. Reshape them to [lists, "
            "items], or leave `groups` out."
        )
    # The truth comes first; a system of that name does not replace it.
    named = {"truth": judged} | runs | {"truth": judged}
    sides = {name: x.read_as() for name, x in named.items()}
    return Measured(
        tuple(map(statistics.mean_of, members)),
        tuple(lists),
        of_truth,
        of_systems,
        of_groups,
        str(rules),
        read_as={name: roles for name, roles in sides.items() if roles},
    )


def _truth_of(metrics: _Metrics) -> Truth | None:
    """Return what the metrics read in place of labels; all must agree."""
    reads = {m.name: m.definition.traits.reads for m in metrics}
    if len(set(reads.values())) > 1:
        raise ValueError(
            "The metrics should all take labels, or all a reference ranking in "
            "place of labels, or all labels by subtopic. Received: "
            f"{reads}, None for labels. Call this once for each kind."
        )
    return next(iter(reads.values()))


def _by_id(
    metrics: _Metrics,
    truth: Input,
    runs: Mapping[str, Input],
    sample_weight: Any,
    rules: Rules,
    depth: float | None,
) -> _Found:
    """Return the queries, a fingerprint of the truth, and each system."""
    _check_by_id(metrics)
    judgements, labels = _judged(metrics, truth, rules)
    number, queries = len(judgements.numbers), judgements.queries
    together.check_order(truth, runs.values(), queries)
    order = "options"
    if any(metric.ties == "stable" for metric in metrics):
        order = "last_id_first" if rules.ties == "options" else rules.ties
    weights = together.weights_of(sample_weight, queries)
    # A list that retrieves nothing would have the best value, except by metrics
    # of the judgements.
    lower = np.array(
        [
            metric._direction == "down"
            and metric.definition.traits.needs_labels is None
            for metric in metrics
        ]
    )
    found = {}
    for name, run in runs.items():
        of_lists = None
        while of_lists is None:
            with contextlib.suppress(QueriesReturnError):
                joined = joining.Joining(
                    judgements, order, run.argument, depth or 0
                )
                lists = joined.join(together.checked_run(run, labels))
                of_lists = values.of_lists(metrics, lists, weights, number)
        overlap, missing = joined.overlap, joined.missing
        if rules.queries == "both":
            # A query that has an empty run has one.
            named: Any = run.queries()
            there = [] if named is None else named
            left_out = missing[~np.isin(queries[missing], there)]
            of_lists.valid[:, left_out] = False
            overlap = overlap._replace(left_out=len(left_out))
        of_lists.values[np.ix_(lower, missing)] = np.nan
        if rules.decimals is not None:
            of_lists.values[:] = rules.rounded(of_lists.values)
        if depth is not None:
            of_lists.valid[:] &= judgements.labelled()
        overlap = overlap._replace(same_id=run.same_id)
        found[name] = of_lists._replace(overlap=overlap, ranking=joined.ranking)
    texts = [as_text(query) for query in queries.tolist()]
    return texts, judgements.fingerprint, found


def _judged(
    metrics: _Metrics, truth: Input, rules: Rules
) -> tuple[joining.Judgements, np.ndarray | None]:
    """Return the judgements, and their labels if these are grades."""
    subtopics = None
    if metrics[0].definition.traits.reads == "subtopics":
        rows, subtopics = truth.rows_of_subtopics()
    else:
        rows = truth.all_rows()
    check_numbers(rows, truth.argument)
    are_labels, absent = truth.value == "label", -np.inf
    if are_labels:
        rows = rows._replace(value=rules.read_labels(rows.value))
        absent = UNJUDGED
    judgements = joining.Judgements.of(rows, truth.queries(), absent, subtopics)
    if not judgements.numbers:
        raise ValueError(
            "There should be judgements in `truth`. Received: none. Check how "
            "they were read."
        )
    are_grades = any(metric.labels == "grades" for metric in metrics)
    if are_labels:
        _warn_of_negative(rows.value)
        judged = rows.value[rows.value >= 0]
        truth.assumed |= _checked_labels(judged, metrics, are_grades)
    return judgements, rows.value if are_grades and are_labels else None


def _warn_of_negative(labels: np.ndarray) -> None:
    """Warn if labels below 0 have several values, one with a fraction."""
    negative = np.unique(labels[labels < 0])
    if len(negative) > 1 and (negative % 1 != 0).any():
        warn(
            "Labels should be 0 or more; those below 0 are of unjudged items. "
            f"Received: {negative[0]:g} to {negative[-1]:g}, which look like "
            "ratings or logits. Shift them to 0 and above."
        )


def _checked_labels(
    labels: np.ndarray, metrics: _Metrics, are_grades: bool
) -> dict[str, str]:
    """Return what is assumed of the judgements; warn of a wrong highest one.

    Args:
        labels: the judgements.
        metrics: the metrics.
        are_grades: True if some metric takes labels as grades.
    """
    options = [metric.definition.options for metric in metrics]
    have_default = any(x.get("relevance_threshold") == 1 for x in options)
    grows_fast = any(x.get("gain_fn") is exponential_gain for x in options)
    lowest, highest = labels.min(initial=np.inf), labels.max(initial=0)
    if highest < 1 and are_grades:
        warn(
            "The truth should have labels of 1 or more for relevant items. "
            f"Received: {highest:g} as the highest one. Check how it was read, "
            "and that it is not the run."
        )
    if highest > _GRADES and grows_fast:
        warn(
            "Grades should be small for a gain of 2 to their power. Received: "
            f"{highest:g}, so that only the highest ones count. Write "
            '`"NDCG(gain_fn=linear_gain)@10"`, or scale the grades.'
        )
    if highest > _TIMES:
        raise ValueError(
            "Labels should be grades, or amounts below "
            f"{_TIMES:g}. Received: {highest:g}, which looks like a time. Name "
            "the column of labels by `columns`, or write a header."
        )
    # Ratings from 1 on are no grades of relevance.
    are_all_relevant = 1 <= lowest < highest and have_default
    return {"relevant": "label>=1"} if are_all_relevant else {}


def _by_position(
    metrics: _Metrics,
    truth: Any,
    systems: Mapping[str, Any],
    weight: Any,
    depth: float | None,
) -> _Found:
    """Return the numbers of the lists, and the same for arrays."""
    found = {}
    for name, system in systems.items():
        try:
            found[name] = values.of_arrays(metrics, (truth, system, weight))
        except (TypeError, ValueError) as error:
            if name != ALL:
                error.add_note(f"The error concerns the system {name!r}.")
            raise
        if depth is not None:
            found[name].valid[:] &= statistics.have_labels(truth)
        found[name] = found[name]._replace(ranking=fingerprint_of(system))
    [number] = {x.values.shape[1] for x in found.values()}
    return range(number), fingerprint_of(truth), found


def _check_by_id(metrics: _Metrics) -> None:
    """Raise ValueError if a metric needs arrays in place of ids."""
    arrays = "Pass labels and scores as arrays"
    for metric in metrics:
        definition, reason = metric.definition, ""
        if definition.inputs != "scores":
            reason = f'`inputs="{definition.inputs}"`. Leave `inputs` out'
        elif definition.traits.reads == "clicks":
            reason = f"clicks and their propensities. {arrays}"
        elif definition.traits.of_catalogue is not None:
            reason = f"the items of a catalogue by number. {arrays}"
        if reason:
            raise ValueError(
                "With ids of queries and items, metrics should take labels and "
                f"scores. Received: {metric.name!r}, which takes {reason}."
            )

"""The values of metrics for each system and list, from inputs of any form."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing import (
    joining,
    requirements,
    statistics,
    together,
    values,
)
from keras_rankmetrics.comparing.forms import input_of
from keras_rankmetrics.comparing.measured import (
    ALL,
    Measured,
    Values,
    fingerprint_of,
    of_parts,
)
from keras_rankmetrics.comparing.reading import (
    Input,
    Reading,
    check_numbers,
    warn_if_none_dropped,
    warn_of_direction,
)
from keras_rankmetrics.comparing.requirements import notes_on_shares
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import (
    asked_in,
    options_by_name,
    source_of,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.files import QueriesReturnError
from keras_rankmetrics.tables import checks
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.members import (
    members_of,
    metrics_in,
    warn_of_objects,
)
from keras_rankmetrics.types import UNJUDGED

_MANY = 10  # queries; few of them are an example
_PLAIN = Convention("ours", "", "", {})  # without rules
_Metrics = Sequence[RankingMetric]
# From metrics, joined lists and weights of the lists to values.
_OfLists = Callable[
    [_Metrics, Iterable[joining.Joined], np.ndarray | None], Values
]
# The lists, a fingerprint of the truth, notes on its labels, and each system.
_Found = tuple[Sequence[Any], str, tuple[str, ...], dict[str, Values]]


def measured_by(
    metrics: Any,
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    convention: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    of_members: Callable[..., Measured] | None = None,
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
        of_members: returns the values of the members of the metrics; by
            default those of systems next to the truth.
    """
    has_weights = reading.has_column("weight", sample_weight)
    reading.has_column("group", groups)  # or raise an error
    source = None if convention is None else source_of(convention)
    options = options_by_name(
        source, has_weights or together.are_of_lists(sample_weight, systems)
    )
    made, given = [], dict[str, frozenset[str]]()
    for each in metrics_in(metrics):
        if isinstance(each, str):
            by_name = asked_in(each, source, **options)
            given |= {x.metric.name: x.given for x in by_name}
            made += [x.metric for x in by_name]
        else:
            made.append(each)
    asked = members_of(made, statistics.check)
    if source is not None:
        warn_of_objects(metrics)
    of_them = functools.partial(
        _by_rules,
        of_members or of_systems,
        source or _PLAIN,
        given,
        systems=systems,
        reading=reading,
        groups=groups,
        sample_weight=sample_weight,
    )
    weights = reading.chosen.get("weight", sample_weight)
    if statistics.are_judge_corrected(asked, truth, weights):
        found = statistics.by_judge(asked, truth, systems, of_them)
    else:
        members, shown = statistics.members_and_statistics(asked)
        found = of_them(members, truth)._replace(statistics=shown)
    # A tool reads labels in its own way, which the user chose.
    return found if source is None else found._replace(notes=())


def _by_rules(
    of_all: Callable[..., Measured],
    source: Convention,
    given: Mapping[str, frozenset[str]],
    members: _Metrics,
    truth: Any,
    systems: Mapping[str, Any],
    **others: Any,
) -> Measured:
    """Return the values of metrics, each read by its own rules.

    Args:
        of_all: returns the values of metrics that are read by some rules.
        source: the convention, which has the rules.
        given: the options that the text of each metric sets, by its name.
        members: the metrics.
        truth: the labels of the items.
        systems: the systems by name.
        **others: further arguments of `of_all`.
    """
    requirements.truth_of(members)  # those of several kinds are refused
    places: dict[Rules, list[int]] = {}
    for place, member in enumerate(members):
        rules = source.rules_of(member, given.get(member.name))
        places.setdefault(rules, []).append(place)
    # A table names the metrics that have other rules.
    ordered = sorted(places.items(), key=lambda x: x[0] != source.rules)
    truths = _copies(truth, len(places))
    runs = {name: _copies(x, len(places)) for name, x in systems.items()}
    parts = []
    for number, (rules, some) in enumerate(ordered):
        found = of_all(
            [members[place] for place in some],
            truths[number],
            systems={name: copies[number] for name, copies in runs.items()},
            rules=rules,
            **others,
        )
        parts.append((some, rules, found))
    return of_parts(parts)


def _copies(x: Any, number: int) -> tuple[Any, ...]:
    """Return an input as often as it is read; an iterator can be read once."""
    is_read_once = isinstance(x, Iterator) and number > 1
    return itertools.tee(x, number) if is_read_once else (x,) * number


def of_systems(
    members: _Metrics,
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    rules: Rules,
    groups: Any = None,
    sample_weight: Any = None,
    depth: float | None = None,
    of_lists: _OfLists = values.of_lists,
) -> Measured:
    """Return the value of each metric for each system and list.

    Truth and systems are read by `rules`. With `depth`, lists without labels
    are excluded, and those with some should have labels for the items at all
    ranks down to it. The metrics of inputs with ids are evaluated by
    `of_lists`.
    """
    reads = requirements.truth_of(members)
    if reading.drop_same_id is not None:
        rules = rules._replace(drop_same_id=reading.drop_same_id)
    are_references = reads == "two_rankings"
    role = "score" if are_references else "label"
    more = reading.of_queries + (("subtopic",) if reads == "subtopics" else ())
    own = reading.of_system(None, rules)
    judged = input_of(truth, role, "`truth`", own, more)
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
        found = _by_id(
            members, judged, runs, sample_weight, rules, depth, of_lists
        )
        together.check_columns(inputs)  # files have columns once they are read
    else:
        together.check_no_ids(reading)
        are_labels = take_scores and not are_references
        together.check_arrays(inputs, rules, are_labels)
        found = _by_position(members, truth, systems, sample_weight, depth)
    lists, of_truth, notes, of_systems = found
    if rules.decimals is not None:
        for each in of_systems.values():
            each.values[:] = rules.rounded(each.values)
    if reading.drop_same_id:
        warn_if_none_dropped(inputs)
    are_in_order = not are_by_id or judged.has_row_numbers
    groups = judged.of_queries("group", groups)
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
        notes=notes,
    )


def _by_id(
    metrics: _Metrics,
    truth: Input,
    runs: Mapping[str, Input],
    sample_weight: Any,
    rules: Rules,
    depth: float | None,
    evaluate: _OfLists,
) -> _Found:
    """Return the values for inputs with ids."""
    requirements.check_by_id(metrics)
    judgements, labels = _judged(metrics, truth, rules)
    notes = () if labels is None else notes_on_shares(labels, metrics)
    queries = judgements.queries
    together.check_order(truth, runs.values(), queries)
    order = "options"
    if any(metric.ties == "stable" for metric in metrics):
        order = "last_id_first" if rules.ties == "options" else rules.ties
    weights = truth.of_queries("weight", sample_weight)
    weights = together.weights_of(weights, queries)
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
    look_further = any(metric.k != 1 for metric in metrics)
    for name, run in runs.items():
        of_lists = None
        while of_lists is None:
            with contextlib.suppress(QueriesReturnError):
                joined = joining.Joining(
                    judgements, order, run.argument, depth or 0
                )
                lists = joined.join(together.checked_run(run, labels))
                of_lists = evaluate(metrics, lists, weights)
        overlap, missing = joined.overlap, joined.missing
        if joined.retrieves_one and look_further and len(queries) >= _MANY:
            notes += (f"{name}: no query retrieves more than one item.",)
        if rules.queries == "both":
            # A query that has an empty run has one.
            named: Any = run.queries()
            there = [] if named is None else named
            left_out = missing[~np.isin(queries[missing], there)]
            of_lists.valid[:, left_out] = False
            overlap = overlap._replace(left_out=len(left_out))
        if rules.nothing_retrieved == "is_excluded":
            of_lists.valid[:, missing] = False
            overlap = overlap._replace(left_out=len(missing))
        elif rules.nothing_retrieved == "is_1_if_none_relevant":
            for place, metric in enumerate(metrics):
                least = metric.options.get("relevance_threshold", 1.0)
                nothing = np.setdiff1d(missing, judgements.with_label(least))
                of_lists.values[place, nothing] = 1.0
        of_lists.values[np.ix_(lower, missing)] = np.nan
        if depth is not None:
            of_lists.valid[:] &= judgements.labelled()
        overlap = overlap._replace(
            same_id=run.same_id,
            unranked=run.unranked,
            same_id_judged=truth.same_id_judged,
        )
        found[name] = of_lists._replace(overlap=overlap, ranking=joined.ranking)
    texts = [as_text(query) for query in queries.tolist()]
    return texts, judgements.fingerprint, notes, found


def _judged(
    metrics: _Metrics, truth: Input, rules: Rules
) -> tuple[joining.Judgements, np.ndarray | None]:
    """Return the judgements, and their labels if these are grades."""
    rows, subtopics = truth.all_rows(), None
    if "subtopic" in truth.more:
        subtopics = truth.column_of("subtopic")
    check_numbers(rows, truth.argument)
    are_labels, absent = truth.value == "label", -np.inf
    if not are_labels:
        truth.say()
    else:
        labels = rules.read_labels(rows.value)
        if (labels != rows.value).any():
            truth.assumed |= {"relevant": "each item of the truth"}
        rows = rows._replace(value=labels)
        rows, absent = truth.as_truth(rows, rules), UNJUDGED
    judgements = joining.Judgements.of(rows, truth.queries(), absent, subtopics)
    if not judgements.numbers:
        raise ValueError(
            "There should be judgements in `truth`. Received: none. Check how "
            "they were read."
        )
    facts = checks.Facts()
    facts.add_ids(judgements.queries, judgements.items)
    if are_labels:
        facts.add_labels(rows.value)
        if checks.are_all_relevant(facts, metrics):
            truth.assumed |= {"relevant": "label>=1"}
    checks.say(facts, metrics)
    are_grades = are_labels and checks.take_grades(metrics)
    return judgements, rows.value if are_grades else None


def _by_position(
    metrics: _Metrics,
    truth: Any,
    systems: Mapping[str, Any],
    weight: Any,
    depth: float | None,
) -> _Found:
    """Return the values for arrays."""
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
    notes = notes_on_shares(together.labels_in(truth), metrics)
    return range(number), fingerprint_of(truth), notes, found

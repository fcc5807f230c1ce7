"""The values of metrics for each system and list, from inputs of any form."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any

import numpy as np

from keras_rankmetrics.comparing import (
    by_judge,
    joining,
    requirements,
    together,
    values,
)
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
    have_same_id,
    no_ranks,
    read_as,
)
from keras_rankmetrics.comparing.requirements import (
    RulesBy,
    RuleSet,
    merged_values,
    notes_on_shares,
    rules_in_words,
)
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import (
    asked_in,
    options_by_name,
    source_of,
)
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.files import QueriesReturnError
from keras_rankmetrics.tables.members import (
    members_of,
    metrics_in,
    warn_of_objects,
)

_MANY = 10  # queries; few of them are an example
_PLAIN = Convention("ours", "", "", {})  # without rules
_Metrics = Sequence[RankingMetric]
# From the definitions of metrics to what takes the lists.
Collect = Callable[[Sequence[Definition]], values.ListsSoFar]
# The lists, a fingerprint of the truth, notes on its labels, and each system.
_Found = tuple[Sequence[Any], str, tuple[str, ...], dict[str, Values]]


def measured_by(
    metrics: Any,
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    *others: Any,
) -> Measured:
    """Return what `values_by` returns, and warn if few items match.

    Args:
        metrics: as for `values_by`.
        truth: as for `values_by`.
        systems: as for `values_by`.
        reading: as for `values_by`.
        *others: the other arguments of `values_by`, in their order.
    """
    found = values_by(metrics, truth, systems, reading, *others)
    together.warn_of_overlap(found, reading.drop_same_id)
    return found


def values_by(
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
    asked = members_of(made, requirements.refuse_without_statistic)
    if source is not None:
        warn_of_objects(metrics)
    tool = source or _PLAIN
    rules = RulesBy(tool.rules, lambda x: tool.rules_of(x, given.get(x.name)))
    of_them = functools.partial(
        of_members or of_systems,
        systems=systems,
        reading=reading,
        rules=rules,
        groups=groups,
        sample_weight=sample_weight,
    )
    weights = reading.chosen.get("weight", sample_weight)
    if by_judge.is_asked(asked, truth, weights):
        found = by_judge.measured(asked, truth, systems, of_them)
    else:
        members, shown = requirements.members_and_statistics(asked)
        found = of_them(members, truth)._replace(statistics=shown)
    if weights is not None:
        found = found._replace(notes=(*found.notes, *_weighted(found)))
    # A tool reads labels in its own way, which the user chose.
    if source is None:
        return found
    notes = (x for x in found.notes if not x.startswith("truth: "))
    return found._replace(notes=tuple(notes))


def _weighted(measured: Measured) -> Iterator[str]:
    """Yield a sentence on means whose lists have different weights."""
    names = dict[tuple[float, float], list[str]]()
    for statistic in measured.shown:
        place = statistic.metrics[0]
        weights = [x.weights[place] for x in measured.systems.values()]
        low, high = np.fmin.reduce(weights, None), np.fmax.reduce(weights, None)
        if not any(x.valid[place].any() for x in measured.systems.values()):
            yield f"{statistic.name}: no list counts that has a weight above 0."
        if statistic.kind == "mean" and low < high:
            names.setdefault((low, high), []).append(statistic.name)
    for (low, high), of_these in names.items():
        yield (
            f"{', '.join(of_these)}: a weighted mean, of lists with weights "
            f"from {low:.4g} to {high:.4g}."
        )


def of_systems(
    members: _Metrics,
    truth: Any,
    systems: Mapping[str, Any],
    reading: Reading,
    rules: RulesBy,
    groups: Any = None,
    sample_weight: Any = None,
    depth: float | None = None,
    collect: Collect = values.ListsSoFar,
) -> Measured:
    """Return the value of each metric for each system and list.

    Truth and systems are read once, and their lists by the rules of each
    metric. With `depth`, lists without labels are excluded, and those with some
    should have labels for the items at all ranks down to it. `collect` takes
    the lists of inputs with ids.
    """
    reads = requirements.truth_of(members)
    sets = rules.sets(members, reading)
    are_references = reads == "two_rankings"
    role = "score" if are_references else "label"
    more = reading.of_queries + (("subtopic",) if reads == "subtopics" else ())
    own = reading.of_system(None)
    judged = input_of(truth, role, "`truth`", own, more)
    runs, is_one = {}, [*systems] == [ALL]
    for name, x in systems.items():
        argument = "`run`" if is_one else f"the system {name!r}"
        runs[name] = input_of(x, "score", argument, reading.of_system(name))
        if reading.has_ranks and runs[name].names() == []:
            raise no_ranks(reading.chosen["score"], argument)
    if is_one:
        together.check_run(runs[ALL])
    inputs = [judged, *runs.values()]
    take_scores = all(m.definition.inputs == "scores" for m in members)
    are_by_id = together.have_ids(inputs) or (
        take_scores and together.integers_are_ids(inputs)
    )
    if are_by_id:
        together.check_ids(reading, judged, [*runs.values()])
        found = _by_id(sets, judged, runs, sample_weight, depth, collect)
        together.check_columns(inputs)  # files have columns once they are read
    else:
        are_labels = take_scores and not are_references
        of_scores = together.check_arrays(reading, inputs, sets, are_labels)
        found = _by_position(sets, truth, systems, sample_weight, depth)
        found = *found[:2], (*found[2], *of_scores), found[3]
    lists, of_truth, notes, of_systems = found
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
    return Measured(
        tuple(map(requirements.mean_of, members)),
        tuple(lists),
        of_truth,
        of_systems,
        of_groups,
        rules_in_words(str(sets[0].rules), sets),
        read_as=read_as(named),
        notes=notes,
    )


def _by_id(
    sets: Sequence[RuleSet],
    truth: Input,
    runs: Mapping[str, Input],
    sample_weight: Any,
    depth: float | None,
    collect: Collect,
) -> _Found:
    """Return the values for inputs with ids."""
    members = [member for each in sets for member in each.members]
    requirements.check_by_id(members)
    judged, labels, dropped, notes = _judged(sets, truth)
    first, queries = judged[0], judged[0].queries
    notes += () if labels is None else notes_on_shares(labels, members)
    together.check_order(truth, runs.values(), queries)
    weights = truth.of_queries("weight", sample_weight)
    weights = together.weights_of(weights, queries)
    ruled = [
        joining.Ruled(own, each.order_of_ties(have_ids=True), each.rules)
        for each, own in zip(sets, judged, strict=True)
    ]
    found = {}
    look_further = any(metric.k != 1 for metric in members)
    for name, run in runs.items():
        of_sets = None
        while of_sets is None:  # as in `read_whole`
            with contextlib.suppress(QueriesReturnError):
                joined = joining.Joining(
                    ruled, run.argument, depth or 0, run.dropped
                )
                chunks = joined.join(together.checked_run(run, labels))
                of_sets = _evaluated(sets, chunks, weights, collect)
        facts = run.known() + joined.facts
        # A truth of one label is one of relevant items, and others are not.
        facts.has_irrelevant |= labels is not None and (
            bool((labels <= 0).any() or (labels == labels[:1]).all())
        )
        notes += checks.say(facts, members)
        if joined.retrieves_one and look_further and len(queries) >= _MANY:
            notes += (f"{name}: no query retrieves more than one item.",)
        else:
            notes += requirements.notes_on_depth(
                name, joined.depth_of_all, members
            )
        # A query that has an empty run has one.
        named: Any = run.queries()
        missing = joined.missing
        named = [] if named is None else named
        alone = missing[~np.isin(queries[missing], named)]
        left_out = [
            _count_missing(each, own, x, missing, alone)
            for each, own, x in zip(sets, judged, of_sets, strict=True)
        ]
        if depth is not None:
            for each in of_sets:
                each.valid[:] &= first.labelled()
        overlap = joined.overlap._replace(
            left_out=left_out[0],
            unranked=run.unranked,
            same_id_judged=dropped,
        )
        found[name] = merged_values(sets, of_sets)._replace(
            overlap=overlap, ranking=joined.ranking
        )
    texts = [as_text(query) for query in queries.tolist()]
    return texts, first.fingerprint, (*dict.fromkeys(notes),), found


def _evaluated(
    sets: Sequence[RuleSet],
    chunks: Iterable[Sequence[joining.Joined]],
    weights: np.ndarray | None,
    collect: Collect,
) -> list[Values]:
    """Return the values of each set of metrics for all lists."""
    found = [collect([x.definition for x in each.members]) for each in sets]
    for chunk in chunks:
        for each, lists in zip(found, chunk, strict=True):
            own = None if weights is None else weights[lists.places]
            each.add(lists, own)
    return [each.values() for each in found]


def _count_missing(
    of_rules: RuleSet,
    judgements: joining.Judgements,
    found: Values,
    missing: np.ndarray,
    alone: np.ndarray,
) -> int:
    """Count lists that retrieve nothing by the rules; return how many do not.

    Args:
        of_rules: the metrics and their rules.
        judgements: the truth.
        found: the values, which are changed.
        missing: the lists that the system lacks.
        alone: those of them that the system does not name either.
    """
    rules, members = of_rules.rules, of_rules.members
    left_out = 0
    if rules.queries == "both":
        found.valid[:, alone] = False
        left_out = len(alone)
    if rules.nothing_retrieved == "is_excluded":
        found.valid[:, missing] = False
        left_out = len(missing)
    elif rules.nothing_retrieved == "is_1_if_none_relevant":
        for place, metric in enumerate(members):
            least = metric.options.get("relevance_threshold", 1.0)
            nothing = np.setdiff1d(missing, judgements.with_label(least))
            found.values[place, nothing] = 1.0
    # A list that retrieves nothing would have the best value, except by metrics
    # of the judgements.
    lower = [
        metric._direction == "down"
        and metric.definition.traits.needs_labels is None
        for metric in members
    ]
    found.values[np.ix_(np.array(lower), missing)] = np.nan
    return left_out


def _judged(
    sets: Sequence[RuleSet], truth: Input
) -> tuple[list[joining.Judgements], np.ndarray | None, int, tuple[str, ...]]:
    """Return the judgements by each set of rules.

    Also return the labels of the first set, if a metric takes them as grades,
    the number of labels that it drops, and notes.
    """
    rows, subtopics = truth.all_rows(), None
    if "subtopic" in truth.more:
        subtopics = truth.column_of("subtopic")
    check_numbers(rows, truth.argument)
    if truth.value != "label":
        truth.say()
        alone = joining.Judgements.of(rows, truth.queries(), -np.inf)
        return [alone] * len(sets), None, 0, _check(alone, None, sets, truth)
    same = np.zeros(0, bool)
    if any(each.rules.drops_judgements for each in sets):
        same = have_same_id(rows)
    labels: dict[Any, np.ndarray] = {}
    of_labels: dict[Any, list[RuleSet]] = {}
    for each in sets:
        key = each.rules.labels, each.rules.drops_judgements
        of_labels.setdefault(key, []).append(each)
        if key not in labels:
            read = each.rules.read_labels(rows.value)
            if each is sets[0] and (read != rows.value).any():
                truth.assumed |= {"relevant": "each item of the truth"}
            labels[key] = joining.without_dropped(each.rules, read, same)
    found = joining.Judgements.each(
        rows, [*labels.values()], truth.queries(), subtopics
    )
    judged = dict(zip(labels, found, strict=True))
    notes = [
        note
        for key, some in of_labels.items()
        for note in _check(judged[key], labels[key], some, truth)
    ]
    first, *_ = labels
    members = [metric for each in of_labels[first] for metric in each.members]
    return (
        [judged[x.rules.labels, x.rules.drops_judgements] for x in sets],
        labels[first] if checks.take_grades(members) else None,
        int(same.sum()) if sets[0].rules.drops_judgements else 0,
        tuple(dict.fromkeys(notes)),
    )


def _check(
    judgements: joining.Judgements,
    labels: np.ndarray | None,
    sets: Sequence[RuleSet],
    truth: Input,
) -> tuple[str, ...]:
    """Return notes on a truth, and warn of what it shows.

    Args:
        judgements: the judgements.
        labels: their labels; None for a reference ranking.
        sets: the metrics that read them.
        truth: the truth.

    Raises:
        ValueError: if it cannot be one.
    """
    if not judgements.numbers:
        raise ValueError(
            "There should be judgements in `truth`. Received: none. Check how "
            "they were read."
        )
    members = [metric for each in sets for metric in each.members]
    facts = checks.Facts()
    facts.add_ids(judgements.queries, judgements.items)
    if labels is not None:
        facts.add_labels(labels)
        are_relevant = joining.highest_of(judgements.labels) > 0
        some = judgements.lists[are_relevant]
        have = np.bincount(some, minlength=len(judgements.queries)) > 0
        facts.add_relevant(have)
        truth.assumed |= checks.all_relevant(facts, members)
    return checks.say(facts, members)


def _by_position(
    sets: Sequence[RuleSet],
    truth: Any,
    systems: Mapping[str, Any],
    weight: Any,
    depth: float | None,
) -> _Found:
    """Return the values for arrays."""
    found, metrics = {}, [x for each in sets for x in each.members]
    notes: tuple[str, ...] = ()
    weight = together.in_order_of_lists(weight, truth)
    for name, system in systems.items():
        try:
            of_sets = []
            for each in sets:
                passed = truth, together.array_by(each, system), weight
                of_set, own = values.of_arrays(each.members, passed)
                of_sets.append(of_set)
                notes += own
        except (TypeError, ValueError) as error:
            if name != ALL:
                error.add_note(f"The error concerns the system {name!r}.")
            raise
        found[name] = merged_values(sets, of_sets)
        if depth is not None:
            found[name].valid[:] &= by_judge.have_labels(truth)
        found[name] = found[name]._replace(ranking=fingerprint_of(system))
    [number] = {x.values.shape[1] for x in found.values()}
    shares = notes_on_shares(together.labels_in(truth), metrics)
    notes = *shares, *dict.fromkeys(notes)
    return range(number), fingerprint_of(truth), notes, found

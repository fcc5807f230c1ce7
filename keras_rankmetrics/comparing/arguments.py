"""Checks of the arguments of `compare`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.inputs import (
    SWAPPED,
    columns_of,
    is_by_ids,
    is_nested,
    is_table,
)
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.tables.ids import as_text

# Checks that the truth and the systems are not swapped, and have the same form.


def check_roles(systems: Any, truth: Any) -> None:
    """Raise ValueError if `systems` is one system, or the truth is systems."""
    if _is_systems(truth) or (
        not isinstance(systems, Mapping)
        and isinstance(truth, Mapping)
        and not (is_by_ids(truth) or {"labels", "target"} & set(truth))
    ):
        raise ValueError(
            "`truth` should hold a label for each query and item. Received: "
            f"{_described(truth)}. {SWAPPED}"
        )
    is_one = is_by_ids(truth) and _is_one_table(systems)
    if is_one or not isinstance(systems, Mapping):
        hint = 'Is this one system? Pass {"name": run}.'
        if _is_list_of_systems(systems):
            hint = 'Give each system a name: {"name": run, "other": run}.'
        if _has_labels_only(systems):
            hint = f"It has labels, and no scores. {SWAPPED}"
        elif is_nested(systems) and _has_fractions(truth, systems):
            hint += f" {SWAPPED}"
        raise ValueError(
            "`systems` should be a dict of systems by name. Received: "
            f"{_described(systems)}. {hint}"
        )


def check_same_form(systems: Mapping[str, Any], truth: Any) -> None:
    """Raise ValueError if ids are only in the truth or only in a system."""
    by_ids = is_by_ids(truth)
    for name, system in systems.items():
        if is_by_ids(system) == by_ids:
            continue
        with_ids, without, value = "the truth", f"the system {name!r}", "score"
        if not by_ids:
            with_ids, without, value = without, with_ids, "label"
        other = system if by_ids else truth
        raise ValueError(
            "The truth and all systems should name queries and items by id, or "
            f"all be arrays. Received: ids in {with_ids}, but as {without} "
            f"{_described(other)}. {_remedy(other, value)}"
        )


def _is_systems(x: Any) -> bool:
    return (
        isinstance(x, Mapping)
        and not _is_one_table(x)
        and any(map(_is_one_table, itertools.islice(x.values(), 1)))
    )


def _is_list_of_systems(x: Any) -> bool:
    is_list = isinstance(x, list | tuple) and not is_by_ids(x)
    return is_list and any(map(is_by_ids, x))


def _is_one_table(x: Any) -> bool:
    """Return True for labels or scores of items, False for a dict of those."""
    if not isinstance(x, Mapping):
        return is_by_ids(x)
    dicts = (each for each in x.values() if isinstance(each, Mapping | Set))
    first: Any = next(filter(None, dicts), None)
    if first is None:
        return is_table(x) and not is_by_ids(x["query"])
    if isinstance(first, Set):
        return True
    value = next(iter(first.values()))
    return isinstance(value, int | float) or getattr(value, "ndim", None) == 0


def _has_labels_only(x: Any) -> bool:
    """Return True for sets, and for tables of labels without scores."""
    if isinstance(x, Mapping) and is_nested(x):
        return any(isinstance(of_query, Set) for of_query in x.values())
    columns = columns_of(x)
    return "label" in columns and "score" not in columns


def _has_fractions(one: Any, other: Any) -> bool:
    """Return True if only the first of two nested dicts has fractions."""
    found = [
        is_nested(x)
        and any(
            isinstance(value, float | np.floating) and value % 1
            for of_query in itertools.islice(x.values(), 1)
            if isinstance(of_query, Mapping)
            for value in of_query.values()
        )
        for x in (one, other)
    ]
    return found == [True, False]


def _remedy(x: Any, value: str) -> str:
    """Return a sentence on how to pass ids of queries and items."""
    columns = columns_of(x)
    if columns and not isinstance(x, Mapping):
        return f"Rename its columns: `query`, `item` and `{value}` are needed."
    if _has_lists_of_ids(x):
        if value == "label":
            return "Pass sets of relevant items: {query: {item, item}}."
        return (
            "Pass scores that decrease with the rank: "
            "{query: {item: -rank for rank, item in enumerate(items)}}."
        )
    return (
        f"Pass {{query: {{item: {value}}}}}, `Rows`, or a table with the "
        f"columns `query`, `item` and `{value}`."
    )


def _has_lists_of_ids(x: Any) -> bool:
    """Return True for a dict of lists of str, such as ranked documents."""
    if not isinstance(x, Mapping):
        return False
    first: Any = next(iter(x.values()), None)
    is_list = isinstance(first, list | tuple) and len(first) > 0
    return is_list and isinstance(first[0], str | bytes)


def _described(x: Any) -> str:
    if not isinstance(x, Mapping):
        columns = columns_of(x)
        of = f" with the columns {columns}" if columns else ""
        return f"an object of the type {type(x).__name__}{of}"
    keys = [repr(as_text(key)) for key in itertools.islice(x, 3)]
    keys += ["..."] * (len(x) > len(keys))
    types = {type(each).__name__ for each in itertools.islice(x.values(), 3)}
    of = " and ".join(f"{name}s" for name in sorted(types))
    return f"a dict of {of} with the keys {', '.join(keys)}"


# Checks of names, options and metrics.


def check_systems(systems: Mapping[str, Any]) -> None:
    """Raise ValueError if there are no systems, or a name is not a str."""
    if not systems or not all(isinstance(name, str) for name in systems):
        raise ValueError(
            "`systems` should be a dict of systems by name, such as "
            f"{{'bm25': ..., 'ours': ...}}. Received: the names "
            f"{list(systems)}."
        )


def check_baseline(baseline: Any, systems: Mapping[str, Any]) -> str:
    """Return the name of the baseline, by default the first system."""
    names = list(systems)
    if baseline is None:
        return names[0]
    if baseline not in names:
        raise ValueError(
            f"`baseline` should be one of the systems {names}. Received: "
            f"{baseline!r}."
        )
    return str(baseline)


def check_confidence(confidence: Any) -> float:
    """Return the confidence as a float."""
    is_number = isinstance(confidence, int | float | np.number)
    if not is_number or not 0.0 < confidence < 1.0:
        raise ValueError(
            "`confidence` should be a number between 0 and 1, such as 0.95. "
            f"Received: {confidence!r}."
        )
    return float(confidence)


def check_by_ids(metrics: list[RankingMetric]) -> None:
    """Raise ValueError if a metric needs arrays in place of ids."""
    for metric in metrics:
        definition = metric.definition
        reason = ""
        if definition.inputs != "scores":
            reason = f'`inputs="{definition.inputs}"`. Leave `inputs` out'
        elif definition.traits.by_subtopic:
            reason = "labels by subtopic. Pass labels and scores as arrays"
        elif definition.traits.of_catalogue is not None:
            reason = (
                "the items of a catalogue by number. Pass labels and scores "
                "as arrays"
            )
        if reason:
            raise ValueError(
                "With ids of queries and items, metrics should take labels and "
                f"scores. Received: {metric.name!r}, which takes {reason}."
            )

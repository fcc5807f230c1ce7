"""Checks of the truth and the systems, and values that users give by query."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing import rows_of
from keras_rankmetrics.comparing.measured import ALL
from keras_rankmetrics.comparing.rows_of import Input, Reading, form_of
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import Rows

_LARGEST = np.finfo(np.float32).max
_SWAPPED = (
    "Are the arguments swapped? Their order is `compare(systems, truth, "
    "metrics)`."
)
_NAMES = {"query": "query_ids", "item": "item_ids"}
_FORMS = (
    "Pass {query: {item: label}} and {query: {item: score}}, lists of ids for "
    "each query, search results (scores, ids), `Rows`, tables or files. Name "
    "odd columns and fields by `columns`."
)

# The form of inputs.


def have_ids(inputs: Sequence[Input]) -> bool:
    """Return True if items have ids, False if all inputs are arrays.

    Raises:
        ValueError: if some inputs have ids and others are arrays of floats.
    """
    named = [x for x in inputs if _has_ids(x.form)]
    for each in inputs:
        if named and each.form is None:
            raise ValueError(
                "The truth and all systems should name queries and items by "
                f"id, or all be arrays. Received: ids in {_spoken(named[0])}, "
                f"and {_described(each.x)} as {_spoken(each)}. {_FORMS}"
            )
    return bool(named)


def are_ids(inputs: Sequence[Input]) -> bool:
    """Return True if all inputs are integers that are ids.

    Labels and scores have the same lengths, and labels repeat in most lists.

    Raises:
        ValueError: if the integers may be ids, or labels and scores.
    """
    if any(x.form != "integers" for x in inputs):
        return False
    reading = inputs[0].reading
    if reading.query_ids is not None or reading.item_ids is not None:
        return True
    rows = [[np.ravel(row).tolist() for row in x.entries()[1]] for x in inputs]
    if any(list(map(len, x)) != list(map(len, rows[0])) for x in rows):
        return True
    shown = [[x for x in row if x >= 0] for row in rows[0]]
    if max(map(max, filter(None, shown)), default=0) > 1 and all(
        len(set(row)) == len(row) for row in shown
    ):
        raise ValueError(
            "Integers should be labels and scores, or ids. Received: integers "
            "in all inputs, which are different in each list of the truth, and "
            "could be either. For ids, pass dicts by query or ids as text; for "
            "labels and scores, pass scores as floats."
        )
    return False


def check_numbers(inputs: Sequence[Input]) -> None:
    """Raise ValueError if inputs without ids of queries differ in number.

    An input that lacks a query would have those of others from there on.
    """
    numbers = {
        len(each.x[0] if each.form == "search" else each.x): _spoken(each)
        for each in inputs
        if each.form in ("search", "positions", "integers")
    }
    if len(numbers) > 1 and inputs[0].reading.query_ids is None:
        (one, name), (other, other_name), *_ = numbers.items()
        raise ValueError(
            "Inputs without ids of queries should have the same queries in the "
            f"same order. Received: {one:,} queries in {name} and {other:,} in "
            f"{other_name}. Pass an empty list for a query that lacks items, "
            "or dicts by query."
        )


def check_columns(inputs: Sequence[Input]) -> None:
    """Raise ValueError if a chosen column is in none of several tables."""
    if not {x.form for x in inputs} <= {"table", "nested", "integers"}:
        return
    tables = [rows_of.columns_of(x.x) for x in inputs if x.form == "table"]
    for role, name in (inputs[0].reading.columns or {}).items():
        if tables and not any(name in table for table in tables):
            raise ValueError(
                f"`columns` should have names of columns. Received: {name!r} "
                f"for the {role}, and the columns {tables}."
            )


def check_no_ids(reading: Reading) -> None:
    """Raise ValueError if an argument needs ids, and inputs are arrays."""
    for field in dataclasses.fields(reading):
        value = getattr(reading, field.name)
        if value is not field.default and field.name != "duplicates":
            raise ValueError(
                f"`{field.name}` is for inputs with ids. Received: arrays of "
                "labels and scores. Leave it out; for distances, pass "
                "`-scores`."
            )


def _has_ids(form: str | None) -> bool:
    return form not in (None, "integers")


def _spoken(x: Input) -> str:
    return re.sub("^`(.*)`$", r"the \1", x.argument)


def check_systems(systems: Any, truth: Any, reading: Reading) -> None:
    """Raise ValueError if the systems, or names of systems, are invalid."""
    if is_systems(truth, reading):
        raise ValueError(
            "`truth` should hold a label for each query and item. Received: "
            f"{_described(truth)}. {_SWAPPED}"
        )
    has_ids = _has_ids(form_of(truth, reading))
    is_one = has_ids and _is_one(systems, reading)
    if not isinstance(systems, Mapping) or is_one:
        raise ValueError(
            "`systems` should be a dict of systems by name. Received: "
            f"{_described(systems)}. Give each system a name, even a single "
            f'one: {{"name": run}}. {_SWAPPED}'
        )
    higher = reading.higher_is_better
    if isinstance(higher, Mapping) and not set(higher) <= set(systems):
        raise ValueError(
            f"`higher_is_better` should name systems of {list(systems)}. "
            f"Received: {dict(higher)}. Systems that it does not name have "
            "True."
        )


def is_systems(x: Any, reading: Reading) -> bool:
    """Return True for a dict of runs or judgements by name."""
    if not isinstance(x, Mapping) or _is_one(x, reading):
        return False
    return any(_is_one(each, reading) for each in [*x.values()][:1])


def _is_one(x: Any, reading: Reading) -> bool:
    """Return True for labels or scores of items, False for a dict of those."""
    has_ids = _has_ids(form_of(x, reading))
    if not isinstance(x, Mapping) or not has_ids:
        return has_ids
    first = rows_of.first_of(list(x.values()))
    if not isinstance(first, Mapping):
        return first is not None
    value = next(iter(first.values()))
    return isinstance(value, int | float) or getattr(value, "ndim", None) == 0


def _described(x: Any) -> str:
    if not isinstance(x, Mapping):
        columns = rows_of.columns_of(x)
        of = f" with the columns {columns}" if columns else ""
        return f"an object of the type {type(x).__name__}{of}"
    keys = [repr(as_text(key)) for key in itertools.islice(x, 3)]
    keys += ["..."] * (len(x) > len(keys))
    of = type(next(iter(x.values()), None)).__name__
    return f"a dict of {of}s with the keys {', '.join(keys)}"


# Ids, and values for each query.


def check_kinds(
    rows: Rows, queries: np.ndarray, items: np.ndarray, argument: str
) -> None:
    """Raise TypeError if the truth has ids of another kind than the rows.

    Args:
        rows: rows of a system.
        queries: the queries of the truth.
        items: the items of the truth.
        argument: the name of the system, for errors.
    """
    columns = ("query", queries, rows.query), ("item", items, rows.item)
    for name, ours, theirs in columns:
        kinds = [rows_of.KINDS[x.dtype.kind] for x in (ours, theirs)]
        if ours.size and kinds[0] != kinds[1]:
            raise TypeError(
                f"The ids of the column `{name}` should be of one kind. "
                f"Received: {kinds[0]} in the truth ({ours[0].item()!r}), "
                f"{kinds[1]} in {argument} ({theirs[0].item()!r}). Convert one "
                f"side, or pass `{_NAMES[name]}`, the id of each number. The "
                "truth comes before the run in `evaluate`, and after the "
                "systems in `compare`."
            )


def weights_of(sample_weight: Any, queries: np.ndarray) -> np.ndarray | None:
    """Return the weights of the queries, `[lists]`, or None."""
    sample_weight = _by_query(sample_weight)
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        raise TypeError(
            "`sample_weight` should be a dict with the weight of each query. "
            f"Received: {type(sample_weight).__name__}."
        )
    weights = np.zeros(len(queries), np.float32)
    for place, query in enumerate(queries.tolist()):
        weight: Any = sample_weight.get(query)
        is_number = isinstance(weight, int | float | np.number)
        if not is_number or not 0.0 <= weight <= _LARGEST:
            raise ValueError(
                "`sample_weight` should have a finite weight for each query of "
                f"the truth, not negative. Received: {weight!r} for the query "
                f"{as_text(query)!r}. A query of weight 0 does not count."
            )
        weights[place] = weight
    return weights


def _by_query(values: Any) -> Any:
    """Return a pandas Series as a dict, and anything else as it is."""
    return values.to_dict() if hasattr(values, "to_dict") else values


def groups_of(groups: Any, lists: Sequence[Any]) -> tuple[str, ...]:
    """Return the group of each list; none without groups.

    Args:
        groups: a dict or a pandas `Series` by query, a column in the order of
            the lists, or None.
        lists: the queries, or the numbers of the lists.
    """
    if groups is None:
        return ()
    groups = _by_query(groups)
    if isinstance(groups, Mapping):
        groups = {as_text(query): group for query, group in groups.items()}
        lacking = [query for query in lists if query not in groups]
        if lacking:
            raise ValueError(
                "`groups` should have a group for each query of the truth. "
                f"Received: none for {len(lacking):,} of {len(lists):,}, such "
                f"as {lacking[0]!r}."
            )
        groups = [groups[query] for query in lists]
    groups = tuple(map(str, groups)) if not isinstance(groups, str) else ()
    for wrong in ("", "None", "nan", ALL):
        if wrong in groups:
            raise ValueError(
                "`groups` should have a name for each group, other than "
                f"{ALL!r}. Received: {wrong!r}."
            )
    if len(groups) != len(lists):
        raise ValueError(
            f"`groups` should have a group for each of {len(lists):,} lists. "
            f"Received: {len(groups):,}. Pass them in the order of the lists, "
            "or as a dict by query."
        )
    return groups

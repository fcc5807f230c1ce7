"""Checks that the truth and the systems fit together."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.forms import (
    EXPECTED,
    ByQuery,
    Chunks,
    File,
    InOrder,
    Input,
    Integers,
    Search,
    Table,
    as_lists,
    class_of,
)
from keras_rankmetrics.comparing.frames import HIGHEST_GRADE, columns_of
from keras_rankmetrics.comparing.items_of_query import first_of
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.conventions.convention import Rules
from keras_rankmetrics.engine.inputs import warn_if_swapped
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import Rows, argument, check_chosen

_PLACES = 5  # items of a list, each with a place of its own
_SWAPPED = (
    "Are the arguments swapped? Their order is `compare(truth, systems, "
    "metrics)`."
)


def have_ids(inputs: Sequence[Input]) -> bool:
    """Return True if items have ids, False if all inputs are arrays.

    Raises:
        ValueError: if some inputs have ids and others are arrays of floats.
    """
    named = [x for x in inputs if x.has_ids]
    for each in inputs:
        if named and each.has_ids is False:
            raise ValueError(
                "The truth and all systems should name queries and items by "
                f"id, or all be arrays. Received: ids in {_spoken(named[0])}, "
                f"and {_described(each.x)} as {_spoken(each)}. {EXPECTED}"
            )
    return bool(named)


def are_ids(inputs: Sequence[Input]) -> bool:
    """Return True if all inputs are integers that are ids.

    Labels and scores have the same lengths, and labels repeat in most lists.

    Raises:
        ValueError: if the integers may be ids, or labels and scores.
    """
    if not all(isinstance(x, Integers) for x in inputs):
        return False
    reading = inputs[0].reading
    if reading.query_ids is not None or reading.item_ids is not None:
        return True
    rows = [[np.ravel(x).tolist() for x in as_lists(each.x)] for each in inputs]
    if any(list(map(len, x)) != list(map(len, rows[0])) for x in rows):
        return True
    shown = [[x for x in row if x >= 0] for row in rows[0]]
    highest = max(map(max, filter(None, shown)), default=0)
    are_single = set(map(len, rows[0])) == {1} and np.ndim(inputs[0].x) > 1
    if (
        are_single
        or highest > HIGHEST_GRADE
        or (highest > 1 and all(len(set(row)) == len(row) for row in shown))
    ):
        raise ValueError(
            "Integers should be labels and scores, or ids. Received: integers "
            "in all inputs, which are different in each list of the truth, and "
            "could be either. For ids, pass `query_ids`, or dicts by query; "
            "for labels and scores, pass scores as floats."
        )
    return False


def check_ids(asked: Reading, truth: Input, runs: Sequence[Input]) -> None:
    """Raise ValueError if inputs with ids, or arguments, do not fit together.

    Args:
        asked: the arguments as passed.
        truth: the truth.
        runs: the systems.
    """
    _check_numbers([truth, *runs])
    check_columns([truth, *runs])
    _check_two_columns(truth, runs)
    _check_queries(asked, runs)


def _check_numbers(inputs: Sequence[Input]) -> None:
    """Raise ValueError if inputs without ids of queries differ in number.

    An input that lacks a query would have those of others from there on.
    """
    in_order = [
        x for x in inputs if isinstance(x, Search | InOrder) and x.in_order
    ]
    numbers = {len(each): _spoken(each) for each in in_order}
    query_ids = inputs[0].reading.query_ids
    if query_ids is not None and not in_order:
        raise ValueError(
            "`query_ids` should be for an input without ids of queries. "
            "Received: ids of queries in all inputs. Leave it out; to rename "
            "queries, convert the ids of one side."
        )
    if len(numbers) > 1 and query_ids is None:
        (one, name), (other, other_name), *_ = numbers.items()
        raise ValueError(
            "Inputs without ids of queries should have the same queries in the "
            f"same order. Received: {one:,} queries in {name} and {other:,} in "
            f"{other_name}. Pass an empty list for a query that lacks items, "
            "or dicts by query."
        )


def check_columns(inputs: Sequence[Input], are_read: bool = False) -> None:
    """Raise ValueError if a chosen column is in no input.

    Args:
        inputs: the truth and the systems.
        are_read: True if they have been read: a file has no columns before.
    """
    chosen = inputs[0].reading.columns
    if not chosen:
        return
    tables = []
    for each in inputs:
        if isinstance(each, Table):
            tables.append(columns_of(each.table))
        elif isinstance(each, File) and are_read:
            tables.append([*each.roles().values()])
        elif isinstance(each, File | Chunks) or _have_fields(each):
            return
    check_chosen(chosen, tables)


def _have_fields(x: Input) -> bool:
    """Return True for lists of hits, which may have a field of any name."""
    first = first_of(x.entries()[1]) if isinstance(x, ByQuery) else None
    return isinstance(first, list | tuple) and isinstance(first[0], Mapping)


def _check_two_columns(truth: Input, systems: Iterable[Input]) -> None:
    """Raise ValueError if one column of a table is the labels and the scores.

    A table without other columns may be its own run, whose values are perfect.
    """
    for each in systems:
        if not isinstance(truth, Table) or not isinstance(each, Table):
            continue
        label, score = truth.columns.get("label"), each.columns.get("score")
        others = [x for x in truth.others() if x not in each.columns.values()]
        if each.x is truth.x and label == score and others:
            raise ValueError(
                "The labels and the scores of one table should be different "
                f"columns. Received: {label!r} for both, and {others}. Name "
                f"the scores: {argument('score', others[0])}."
            )


def _check_queries(asked: Reading, runs: Iterable[Input]) -> None:
    """Raise ValueError if items with the ids of unknown queries are dropped."""
    for run in runs:
        if asked.drop_same_id and run.in_order and asked.query_ids is None:
            raise ValueError(
                "`drop_same_id=True` should have ids of queries. Received: "
                f"{_spoken(run)} without them. Pass `query_ids`, the id of "
                "each row: `range(n)` if the items have these numbers."
            )


def check_order(
    truth: Input, runs: Iterable[Input], queries: np.ndarray
) -> None:
    """Raise ValueError if numbers of rows and ids of queries may be mixed up.

    Args:
        truth: the truth.
        runs: the systems.
        queries: the queries of the truth, in its order.
    """
    inputs = [(truth, queries), *((run, run.queries()) for run in runs)]
    if truth.reading.query_ids is not None:
        return
    in_order = [each for each, _ in inputs if each.in_order]
    for each, ids in inputs if in_order else ():
        if each.in_order or ids is None or ids.dtype.kind not in "iu":
            continue
        if not np.array_equal(ids, np.arange(len(ids))):
            raise ValueError(
                f"The queries of {_spoken(in_order[0])} should have ids. "
                f"Received: rows in order, and queries {ids[0]}, ... in "
                f"{_spoken(each)}. The first row may be the query {ids[0]}, or "
                "the query 0. Pass `query_ids`, the id of each row."
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


def check_arrays(
    inputs: Sequence[Input], rules: Rules, are_labels: bool
) -> None:
    """Raise ValueError if the truth is invalid; warn if it is the run.

    Args:
        inputs: the truth and the systems.
        rules: those of the convention.
        are_labels: True if the truth has labels, and the systems scores.
    """
    truth, *systems = (each.x for each in inputs)
    shape = getattr(truth, "shape", ())
    is_list = isinstance(truth, list | tuple)
    if 0 in shape or (is_list and first_of(truth) is None):
        raise ValueError(
            "There should be judgements in `truth`. Received: none. Check how "
            "they were read."
        )
    labels = _as_floats(truth) if are_labels else None
    for system in systems:
        scores = _as_floats(system)
        if labels is None or scores is None:
            continue
        rules.read_labels(labels.ravel())
        _warn_if_order(system)
        if all(x.shape[1:] == (3,) and len(x) > 1 for x in (labels, scores)):
            _check_not_rows(labels, scores)
        warn_if_swapped(labels, scores)


def _as_floats(x: Any) -> np.ndarray | None:
    """Return an array; None for lists of unequal lengths, or with masks."""
    try:
        return to_numpy(x).astype(np.float64)
    except (TypeError, ValueError):
        return None


def _warn_if_order(scores: Any) -> None:
    """Warn if integers are the places of items, as `argsort` returns them."""
    array = to_numpy(scores)
    are_integers = array.dtype.kind in "iu" and array.ndim == 2
    if not are_integers or array.shape[1] < _PLACES:
        return
    places = np.sort(array, axis=-1)
    if (
        len(np.unique(array, axis=0)) > 1
        and (places - places[:, :1] == np.arange(array.shape[1])).all()
        and (places[:, 0] <= 1).all()
    ):
        warn(
            "Scores should be higher for better items. Received: the integers "
            f"from {places[0, 0]} to {places[0, -1]} once in each list, which "
            "look like ranks, or like the order that `argsort` returns. Pass "
            "the scores, or `-ranks`."
        )


def _check_not_rows(labels: np.ndarray, scores: np.ndarray) -> None:
    """Raise ValueError if three columns look like those of a table."""
    ids = [array[:, :2] for array in (labels, scores)]
    are_whole = all((each == np.floor(each)).all() for each in ids)
    has_fractions = (scores[:, 2] != np.floor(scores[:, 2])).any()
    if (
        are_whole
        and (ids[0] > HIGHEST_GRADE).any()
        and (np.array_equal(ids[0], ids[1]) or has_fractions)
    ):
        raise ValueError(
            "Labels and scores should be [lists, items]. Received: three "
            "columns, which look like queries, items and values. Pass "
            "`Rows(*array.T)` with integer ids, or the table with names of "
            "columns; for lists of three items, scores without whole numbers."
        )


def warned_if_swapped(
    labels: np.ndarray, chunks: Iterable[Rows]
) -> Iterator[Rows]:
    """Yield the chunks of a run; warn if it looks like the truth.

    Args:
        labels: those of the truth.
        chunks: the run.
    """
    for number, chunk in enumerate(chunks):
        if not number:
            warn_if_swapped(labels, chunk.value)
        yield chunk


def _spoken(x: Input) -> str:
    return re.sub("^`(.*)`$", r"the \1", x.argument)


def check_systems(systems: Any, truth: Any, reading: Reading) -> None:
    """Raise ValueError if the systems, or names of systems, are invalid."""
    if is_systems(truth, reading):
        raise ValueError(
            "`truth` should hold a label for each query and item. Received: "
            f"{_described(truth)}. {_SWAPPED}"
        )
    has_ids = class_of(as_lists(truth), reading).has_ids
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
    form = class_of(as_lists(x), reading)
    if not isinstance(x, Mapping) or form is not ByQuery:
        return bool(form.has_ids)
    first = first_of(list(x.values()))
    if not isinstance(first, Mapping):
        return first is not None
    value = next(iter(first.values()))
    return isinstance(value, int | float) or getattr(value, "ndim", None) == 0


def _described(x: Any) -> str:
    if not isinstance(x, Mapping):
        columns = columns_of(x)
        of = f" with the columns {columns}" if columns else ""
        return f"an object of the type {type(x).__name__}{of}"
    keys = [repr(as_text(key)) for key in itertools.islice(x, 3)]
    keys += ["..."] * (len(x) > len(keys))
    of = type(next(iter(x.values()), None)).__name__
    return f"a dict of {of}s with the keys {', '.join(keys)}"

"""Checks that the truth, the systems and other arguments fit together."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.forms import (
    EXPECTED,
    ByQuery,
    BySubtopic,
    Integers,
    code_of_ids,
    input_of,
)
from keras_rankmetrics.comparing.measured import ALL, Measured
from keras_rankmetrics.comparing.reading import (
    Input,
    Reading,
    check_numbers,
    index_of,
)
from keras_rankmetrics.comparing.requirements import RuleSet
from keras_rankmetrics.comparing.tables_of_rows import (
    HIGHEST_GRADE,
    Table,
    first_of,
    names_in,
)
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs import read, swapped_warning
from keras_rankmetrics.engine.inputs.tensors import numbers, to_numpy
from keras_rankmetrics.engine.messages import as_text, warn
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.tables.item_rows import Rows
from keras_rankmetrics.tables.roles import check_chosen
from keras_rankmetrics.tables.single_precision import rows_in_float32

_FLOAT32 = np.finfo(np.float32)
_SMALLEST, _LARGEST = float(_FLOAT32.tiny), float(_FLOAT32.max)
_MANY_ITEMS = 1000  # of a single list
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
                f"and {_described(each.x)} as {_spoken(each)}. "
                f"{_remedy(each.x) or EXPECTED}"
            )
    return bool(named)


def integers_are_ids(inputs: Sequence[Input]) -> bool:
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
    rows = [[np.ravel(x).tolist() for x in each.x] for each in inputs]
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
    _check_numbers([truth, *runs], asked.query_ids is not None)
    check_columns([truth, *runs])
    for run in runs:
        if isinstance(truth, Table) and isinstance(run, Table):
            truth.check_other_column(run)
        if asked.drop_same_id and run.has_row_numbers:
            raise ValueError(
                "`drop_same_id=True` should have ids of queries. Received: "
                f"{_spoken(run)} without them. Pass `query_ids`, the id of "
                "each row: `range(n)` if the items have these numbers."
            )


def _check_numbers(inputs: Sequence[Input], are_named: bool) -> None:
    """Raise ValueError if inputs without ids of queries differ in number.

    An input that lacks a query would have those of others from there on.

    Args:
        inputs: the truth and the systems.
        are_named: True if the user gave the ids of these queries.
    """
    numbers = {x.queries_in_order: _spoken(x) for x in inputs}
    numbers.pop(None, None)
    if are_named and not numbers:
        raise ValueError(
            "`query_ids` should be for an input without ids of queries. "
            "Received: ids of queries in all inputs. Leave it out; to rename "
            "queries, convert the ids of one side."
        )
    if len(numbers) > 1 and not are_named:
        (one, name), (other, other_name), *_ = numbers.items()
        raise ValueError(
            "Inputs without ids of queries should have the same queries in the "
            f"same order. Received: {one:,} queries in {name} and {other:,} in "
            f"{other_name}. Pass an empty list for a query that lacks items, "
            "or dicts by query."
        )


def check_columns(inputs: Sequence[Input]) -> None:
    """Raise ValueError if a chosen column is in no input, as far as known."""
    columns = inputs[0].reading.columns or {}
    names = [x.names() for x in inputs] if columns else []
    if None not in names:
        check_chosen(columns, [each or [] for each in names])


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
    in_order = [x for x, _ in inputs if x.has_row_numbers]
    for each, ids in inputs if in_order else ():
        if each in in_order or ids is None or ids.dtype.kind not in "iu":
            continue
        if not np.array_equal(ids, np.arange(len(ids))):
            raise ValueError(
                f"The queries of {_spoken(in_order[0])} should have ids. "
                f"Received: rows in order, and queries {ids[0]}, ... in "
                f"{_spoken(each)}. The first row may be the query {ids[0]}, or "
                "the query 0. Pass `query_ids`, the id of each row."
            )


# What to do in place of arguments that need ids.
_OF_ARRAYS = {
    "query_ids": "Leave it out; for the query of each row, call "
    "`evaluate_rows(query, labels, scores, metrics)`.",
    "higher_is_better": "For distances, pass `-scores`.",
    "drop_same_id": "Mask these items: "
    '`{"labels": labels, "mask": numpy.arange(n) != query[:, None]}`, where '
    "`query` is the number of the item that each query is.",
}


def _check_no_options(reading: Reading) -> None:
    """Raise ValueError if an argument needs ids, and inputs are arrays."""
    for field in dataclasses.fields(reading):
        value = getattr(reading, field.name)
        if value is not field.default and field.name != "duplicates":
            remedy = _OF_ARRAYS.get(field.name, "Leave it out.")
            raise ValueError(
                f"`{field.name}` is for inputs with ids. Received: arrays of "
                f"labels and scores. {remedy}"
            )


def check_arrays(
    reading: Reading,
    inputs: Sequence[Input],
    sets: Sequence[RuleSet],
    are_labels: bool,
) -> tuple[str, ...]:
    """Return notes on arrays, and warn of what they show.

    Args:
        reading: the arguments as passed.
        inputs: the truth and the systems.
        sets: the metrics by their rules.
        are_labels: True if the truth has labels, and the systems scores.
    """
    _check_no_options(reading)
    judged, *systems = inputs
    truth, notes = judged.x, tuple[str, ...]()
    shape = getattr(truth, "shape", ())
    is_list = isinstance(truth, list | tuple)
    if 0 in shape or (is_list and first_of(truth) is None):
        raise ValueError(
            "There should be judgements in `truth`. Received: none. Check how "
            "they were read."
        )
    labels = _as_floats(truth) if are_labels else None
    if labels is not None and labels.ndim == 1 and len(labels) > _MANY_ITEMS:
        warn(
            "Labels and scores should be [lists, items]. Received: one list of "
            f"{len(labels):,} items. For rows of many queries, call "
            "`evaluate_rows(query, labels, scores, metrics)`."
        )
    members = [x for each in sets for x in each.members]
    if labels is not None:
        for each in sets:
            each.rules.read_labels_of_lists(labels.ravel())
    for system in systems if are_labels else ():
        scores = _as_floats(system.x)
        found = _read(members[0], truth, system.x, labels, scores)
        if found is not None:
            shown = _facts_of(*found, system.argument)
            notes += checks.say(shown, members)
    return tuple(dict.fromkeys(notes))


def _read(
    metric: RankingMetric,
    truth: Any,
    run: Any,
    labels: np.ndarray | None,
    scores: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return labels and scores `[lists, items]`; None for invalid inputs.

    Args:
        metric: a metric that reads labels and scores.
        truth: as passed.
        run: as passed.
        labels: the truth as an array; None for other forms, such as masks.
        scores: the run as an array, or None.

    Raises:
        ValueError: if arrays have columns that are ids.
    """
    if (
        labels is not None
        and scores is not None
        and labels.ndim == 2
        and labels.shape == scores.shape
    ):
        _check_no_columns(labels, scores)
        return labels, scores
    reading = metric.definition.reading
    if reading[0] != "scores":
        return None
    with contextlib.suppress(ValueError, TypeError):  # raised for the values
        content: Any = read(*reading, truth, run, None).content
        columns = content.labels, content.scores.raw
        labels, scores = map(ops.convert_to_numpy, columns)
        return labels, scores
    return None


def _check_no_columns(labels: np.ndarray, scores: np.ndarray) -> None:
    """Raise ValueError if labels and scores `[lists, items]` may be columns."""
    if labels.shape[1] == 3 and len(labels) > 1:
        _check_not_rows(labels, scores)
    _check_no_ids(labels, scores)


def array_by(of_rules: RuleSet, scores: Any) -> Any:
    """Return float64 scores `[lists, items]` in float32, in their order.

    Lists of floats are float64; all other scores stay as they are.

    Args:
        of_rules: metrics, and their rules, which may compare scores in another
            dtype.
        scores: the scores of a system, or other inputs of the metrics.
    """
    if any(metric.inputs != "scores" for metric in of_rules.members):
        return scores
    is_list = isinstance(scores, list | tuple)
    array = _as_floats(scores) if is_list else scores
    if not isinstance(array, np.ndarray) or array.ndim != 2:
        return scores
    if array.dtype != np.float64 or np.isnan(array).any():
        return scores
    # Without ids, none is that of the query.
    plain = of_rules.rules._replace(drop_same_id=False)
    array = np.asarray(array)  # of a subclass, such as a matrix
    return rows_in_float32(plain.read_scores(array, np.zeros(0, bool)))


def _facts_of(
    labels: np.ndarray, scores: np.ndarray, argument: str
) -> checks.Facts:
    """Return what scores `[lists, items]` show; there are none of padding."""
    shown = checks.Facts(run=argument, remedies=checks.COLUMNS)
    is_square = labels.shape[0] == labels.shape[1]
    rows = shown.add_matrix(labels, scores, is_square)
    shown.see(across=checks.scaled_across(scores))
    # Two items in the wrong order are as likely as any other order.
    if labels.shape[1] > 2:
        shown.add_scores(*rows)
        shown.add_labels(labels[labels >= 0])  # others: with each batch
        if (labels >= 0).all():
            shown.add_lists(np.full(len(labels), labels.shape[1]))
    return shown


def labels_in(truth: Any) -> np.ndarray:
    """Return the labels of arrays, or of a dict of them and other entries."""
    passed = truth.get("labels", -1) if isinstance(truth, Mapping) else truth
    found: np.ndarray = ops.convert_to_numpy(numbers("truth", passed, -1)[0])
    return found


def _as_floats(x: Any) -> np.ndarray | None:
    """Return an array; None for lists of unequal lengths, or with masks."""
    try:
        return to_numpy(x).astype(np.float64)
    except (TypeError, ValueError):
        return None


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


def _check_no_ids(labels: np.ndarray, scores: np.ndarray) -> None:
    """Raise ValueError if labels and scores begin with one column of ids."""
    first = labels[:, 0]
    is_one = np.array_equal(first, scores[:, 0])
    if is_one and len(first) > 2 and len(np.unique(first)) == len(first):
        raise ValueError(
            "Labels and scores should be of items alone. Received: the same "
            f"first column in both, {first[:3].tolist()} and so on, as ids of "
            "queries are. Pass `labels[:, 1:]` and `scores[:, 1:]`, and the "
            "ids as `query_ids`."
        )


def checked_run(run: Input, labels: np.ndarray | None) -> Iterator[Rows]:
    """Yield the chunks of a run, which may look like the truth.

    Args:
        run: the run.
        labels: those of the truth; None if it has no grades.

    Raises:
        ValueError: if a value is NaN, or an id is empty.
    """
    for number, chunk in enumerate(run.rows()):
        check_numbers(chunk, run.argument)
        if labels is not None and not number:
            run.shown.see(swapped=swapped_warning(labels, chunk.value))
        yield chunk


def _spoken(x: Input) -> str:
    return re.sub("^`(.*)`$", r"the \1", x.argument)


def warn_of_overlap(measured: Measured, drop_same_id: bool | None) -> None:
    """Warn if few items of a system are judged, or none was dropped.

    Args:
        measured: the values of the systems.
        drop_same_id: True if the user asked to drop items with the id of their
            query.
    """
    for sentence in measured.notes_of_unjudged():
        warn(sentence)
    overlaps = [x.overlap for x in measured.systems.values()]
    are_dropped = any(x.same_id or x.same_id_judged for x in overlaps)
    if drop_same_id and not are_dropped:
        warn(
            "`drop_same_id=True` should drop items. Received: none that has "
            "the id of its query. Are both integers, or both text?"
        )


def check_systems(systems: Any, truth: Any, reading: Reading) -> None:
    """Raise ValueError if the systems, or names of systems, are invalid."""
    judged = input_of(truth, "label", "`truth`", reading)
    is_one = judged.has_ids and _is_one(
        input_of(systems, "score", "`systems`", reading)
    )
    may_be_truth = isinstance(judged, BySubtopic) and not is_one
    if _are_systems(judged) and not may_be_truth:
        raise ValueError(
            "`truth` should hold a label for each query and item. Received: "
            f"{_described(truth)}. {_SWAPPED}"
        )
    if is_one or not isinstance(systems, Mapping):
        raise ValueError(
            "`systems` should be a dict of systems by name. Received: "
            f"{_described(systems)}. Give each system a name, even a single "
            f'one: {{"name": run}}. {_SWAPPED}'
        )


def check_higher(systems: Mapping[str, Any], reading: Reading) -> None:
    """Raise ValueError if `higher_is_better` names other systems."""
    higher = reading.higher_is_better
    if isinstance(higher, Mapping) and not set(higher) <= set(systems):
        raise ValueError(
            f"`higher_is_better` should name systems of {list(systems)}. "
            f"Received: {dict(higher)}. Systems that it does not name have "
            "True."
        )


def check_read_again(systems: Mapping[str, Any], reader: str) -> None:
    """Raise ValueError if a system can be read only once.

    Args:
        systems: the systems by name.
        reader: what reads each of them more than once.
    """
    once = [name for name, x in systems.items() if isinstance(x, Iterator)]
    if once:
        raise ValueError(
            f"With {reader}, each system should be one that can be read again. "
            f"Received: iterators for {once}. Pass lists in their place."
        )


def check_run(run: Input) -> None:
    """Raise ValueError if a run is a dict of several runs."""
    if _are_systems(run):
        remedy = _remedy(run.x)
        if remedy:
            raise ValueError(
                "`run` should have the items of each query. Received: "
                f"{_described(run.x)}. {remedy}"
            )
        raise ValueError(
            "`run` should be one run. Received: a dict whose values look like "
            "runs. Call `compare(truth, systems, metrics)` for several. If the "
            f"keys are queries: {EXPECTED}"
        )


def _remedy(x: Any) -> str:
    """Return what to do with a dict that nearly has a form, or ""."""
    if not isinstance(x, Mapping) or not x:
        return ""
    if all(isinstance(each, int) for each in x.values()):
        return "Pass `{query: [id] for query, id in x.items()}`."
    lists = [each for each in x.values() if isinstance(each, list)]
    if any(each is None for ids in lists for each in ids):
        return (
            "Leave out None: `{query: [id for id in ids if id is not None] "
            "for query, ids in x.items()}`."
        )
    first = first_of(x.values())
    pair = first_of(first) if isinstance(first, list) else None
    if isinstance(pair, tuple) and isinstance(pair[-1], str):
        return (
            "Pass the id first: `{query: {id: score for score, id in pairs} "
            "for query, pairs in x.items()}`."
        )
    if all(isinstance(each, str) for each in x.values()):
        code = code_of_ids(x.values())
        return f"Pass `{{query: {code} for query, text in x.items()}}`."
    if {"ids", "distances"} <= set(x):  # of Chroma
        return (
            "Pass ids best first, "
            '`dict(zip(queries, x["ids"]))`; or, with `query_ids=queries` and '
            "`higher_is_better=False`, the pair "
            '`(numpy.array(x["ids"]), numpy.array(x["distances"]))`.'
        )
    return ""


def _are_systems(x: Input) -> bool:
    """Return True for a dict of runs or judgements by name."""
    if not isinstance(x.x, Mapping) or not x.x or _is_one(x):
        return False
    first = next(iter(x.x.values()))
    return _is_one(input_of(first, x.value, x.argument, x.reading))


def _is_one(x: Input) -> bool:
    """Return True for labels or scores of items, False for a dict of those."""
    if not isinstance(x.x, Mapping) or not isinstance(x, ByQuery):
        return bool(x.has_ids)
    first = first_of(x.x.values())
    if not isinstance(first, Mapping):
        return first is not None
    value = next(iter(first.values()))
    return isinstance(value, int | float) or getattr(value, "ndim", None) == 0


def _described(x: Any) -> str:
    if not isinstance(x, Mapping):
        columns = names_in(x)
        of = f" with the columns {columns}" if columns else ""
        return f"an object of the type {type(x).__name__}{of}"
    keys = [repr(as_text(key)) for key in itertools.islice(x, 3)]
    keys += ["..."] * (len(x) > len(keys))
    of = type(next(iter(x.values()), None)).__name__
    return f"a dict of {of}s with the keys {', '.join(keys)}"


# Arguments by query.


def are_of_lists(sample_weight: Any, systems: Mapping[str, Any]) -> bool:
    """Return True for one weight for each list.

    Args:
        sample_weight: as for `evaluate`: None, by query, a scalar, `[lists]`,
            or `[lists, items]`.
        systems: the systems by name, or the columns of their scores.
    """
    if sample_weight is None or isinstance(sample_weight, Mapping):
        return sample_weight is not None
    weights = _dimensions(sample_weight, 1)
    of_items = max(_dimensions(x, 2) for x in systems.values())
    return weights > 0 and (weights < of_items or not of_items)


def _dimensions(x: Any, least: int) -> int:
    """Return the number of dimensions of an array, and 0 for anything else.

    Last dimensions of 1 count only up to `least`.
    """
    shape = _shape(x)
    while len(shape) > least and shape[-1] == 1:
        shape = shape[:-1]
    return len(shape)


def _shape(x: Any) -> tuple[Any, ...]:
    """Return the shape of an array, for ragged lists with the longest one."""
    try:
        return tuple(np.shape(x))
    except ValueError:
        return (len(x), *max(map(_shape, x)))


def weights_of(sample_weight: Any, queries: np.ndarray) -> np.ndarray | None:
    """Return the weights of the queries, `[lists]`, or None."""
    sample_weight = by_query("sample_weight", sample_weight, queries.tolist())
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        raise TypeError(
            "`sample_weight` should be a dict with the weight of each query. "
            f"Received: {type(sample_weight).__name__}. For a column of the "
            'truth, pass `columns={"weight": "..."}`.'
        )
    # Text also names ids of bytes, which only files and `Rows` have.
    keys = [
        query if query in sample_weight else as_text(query)
        for query in queries.tolist()
    ]
    weights: list[Any] = list(map(sample_weight.get, keys))
    for query, weight in zip(keys, weights, strict=True):
        is_number = isinstance(weight, int | float | np.number)
        if not is_number or not (
            weight == 0 or _SMALLEST <= weight <= _LARGEST
        ):
            known = "" if query in sample_weight else _such_as(sample_weight)
            raise ValueError(
                "`sample_weight` should have a weight for each query of the "
                f"truth, 0 or from {_SMALLEST:.2g} to {_LARGEST:.2g}. "
                f"Received: {weight!r} for the query {query!r}{known}. "
                "A query of weight 0 does not count."
            )
    return np.array(weights, np.float32)


def _such_as(x: Mapping[Any, Any]) -> str:
    """Return an example of its keys, in words."""
    return "".join(f", with keys such as {key!r}" for key in list(x)[:1])


def by_query(name: str, values: Any, queries: Sequence[Any]) -> Any:
    """Return a pandas Series as a dict, and anything else as it is.

    Args:
        name: the name of the argument.
        values: the values.
        queries: the queries, or the numbers of the lists.

    Raises:
        ValueError: if the index has numbers of rows, or a query twice.
    """
    if not hasattr(values, "index") or not hasattr(values, "to_dict"):
        return values
    index = index_of(values)
    are_rows = index == list(range(len(index))) and index != list(queries)
    if are_rows or len(set(index)) < len(index):
        received = "the numbers of rows" if are_rows else "some queries twice"
        raise ValueError(
            f"The index of `{name}` should name each query once. Received: "
            f"{received}. Pass a dict by query, such as "
            '`frame.groupby("query_id")["name"].first()`.'
        )
    return values.to_dict()


def in_order_of_lists(weight: Any, truth: Any) -> Any:
    """Return the weights of arrays; those of a Series by its index.

    Args:
        weight: as passed.
        truth: the labels.

    Raises:
        ValueError: if the index does not name the lists.
    """
    if not hasattr(weight, "index") or not hasattr(weight, "to_dict"):
        return weight
    index, lists = index_of(weight), range(len(labels_in(truth)))
    if sorted(map(str, index)) != sorted(map(str, lists)):
        raise ValueError(
            "The index of `sample_weight` should have the numbers of the "
            f"lists, from 0 to {len(lists) - 1:,}. Received: {index[:3]}, ... "
            "Pass `.tolist()` for weights in the order of the lists."
        )
    return np.array([weight[number] for number in lists])


def _plain_name(group: str) -> str:
    """Return the name of a group without blanks, as `1` for `1.0`.

    Words of capitals, and of none, are one name: `en` and `EN`. Other names may
    differ by case, as genes and units do.
    """
    name = group.strip()
    if name.casefold() in ("true", "false"):
        return name.casefold()
    if len(name) > 1 and name.isalpha() and name.isupper():
        return name.lower()
    return re.sub(r"^(\d+)\.0+$", r"\1", name)


def in_clusters(measured: Measured, clusters: Any) -> Measured:
    """Return the same values of lists that may depend on each other.

    Args:
        measured: the values.
        clusters: the cluster of each list, in the form of groups, or None.
    """
    if clusters is None:
        return measured
    lists = measured.lists
    are_in_order = not any(isinstance(x, str) for x in lists)
    found = groups_of_lists(clusters, lists, are_in_order, "clusters")
    return measured.with_clusters(found)


def groups_of_lists(
    groups: Any,
    lists: Sequence[Any],
    are_in_order: bool,
    argument: str = "groups",
) -> tuple[str, ...]:
    """Return the group of each list; none without groups.

    Args:
        groups: a dict or a pandas `Series` by query, None, or for lists
            without ids a column in their order.
        lists: the queries, or the numbers of the lists.
        are_in_order: True if these are the numbers of the lists.
        argument: the name of the argument, for errors.
    """
    if groups is None:
        return ()
    groups = by_query(argument, groups, lists)
    is_column = are_in_order and isinstance(groups, Iterable)
    is_column = is_column and not isinstance(groups, Set | str | bytes)
    if not isinstance(groups, Mapping) and not is_column:
        column = '; or for a column of the truth, `columns={"group": "..."}`'
        column *= argument == "groups"
        raise TypeError(
            f"`{argument}` should be a dict with the group of each query, or "
            "for lists without ids a column in their order. Received: "
            f"{type(groups).__name__}. Pass a dict: `{{query: group}}`{column}."
        )
    if isinstance(groups, Mapping):
        groups = {as_text(query): group for query, group in groups.items()}
        lacking = [query for query in lists if query not in groups]
        if lacking:
            raise ValueError(
                f"`{argument}` should have a group for each query of the "
                f"truth. Received: none for {len(lacking):,} of "
                f"{len(lists):,}, such as {lacking[0]!r}. Ids of files are "
                "text."
            )
        groups = [groups[query] for query in lists]
    groups = tuple(groups)
    for wrong in groups:
        if isinstance(wrong, str):
            continue
        if np.ndim(wrong) or isinstance(wrong, bytes | Set | Mapping):
            raise ValueError(
                f"`{argument}` should have a name for each group. Received: "
                f"{wrong!r}, of the type {type(wrong).__name__}. Pass text."
            )
    given, groups = groups, tuple(map(str, groups))
    for wrong in ("", "None", "nan", ALL):
        if wrong in groups:
            raise ValueError(
                f"`{argument}` should have a name for each group, other than "
                f"{ALL!r}. Received: {wrong!r}."
            )
    texts = {group for group in given if isinstance(group, str)}
    for group in given:
        if not isinstance(group, str) and str(group) in texts:
            raise ValueError(
                f"`{argument}` should have different names. Received: "
                f"{str(group)!r} and {group!r}, of the types str and "
                f"{type(group).__name__}. Pass text."
            )
    spelled = dict[str, str]()
    for group in dict.fromkeys(groups):
        other = spelled.setdefault(_plain_name(group), group)
        if other != group:
            warn(
                "A group should have one spelling. Received: "
                f"{other!r} and {group!r}, which count as two groups. Write "
                "names in one way."
            )
            break
    if len(groups) != len(lists):
        raise ValueError(
            f"`{argument}` should have a group for each of {len(lists):,} "
            "lists. "
            f"Received: {len(groups):,}. Pass them in the order of the lists, "
            "or as a dict by query."
        )
    return groups

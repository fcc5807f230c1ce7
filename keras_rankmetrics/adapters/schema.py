"""The names and types of the columns that a job reads from Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import types

from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import check_has_values

# The column with the number of rows of each query, in tables of queries.
ROWS = "keras_rankmetrics rows"
LISTS = pa.ListType, pa.LargeListType, pa.FixedSizeListType

# The types that the columns may have.


# For each argument: the types in words, the kinds of the values, and True for
# columns of lists, False for columns of single values, None for both.
_Rule = tuple[str, tuple[str, ...], bool | None]

_NUMBER, _INTEGER, _ID = ("integer", "float"), ("integer",), ("integer", "text")
_INDICES = "arrays of indices of items, integers from 0"
_IDS = "arrays of ids, integers or strings"
_NUMBERS = "arrays of numbers", _NUMBER, True
_ITEM = "a number for each item", _NUMBER, False
_ROW_IS_ITEM: dict[str, _Rule] = {"y_true": _ITEM, "y_pred": _ITEM}
_ALL_FORMS: dict[str, _Rule] = {
    "group": ("integers or strings", _ID, False),
    "sample_weight": ("numbers", _NUMBER, False),
    "num_relevant": ("numbers", _NUMBER, False),
    "order": (
        "numbers, strings, dates or times",
        (*_ID, "float", "time"),
        False,
    ),
}
_BY_FORM: dict[str, dict[str, _Rule]] = {
    "scores": {
        "y_true": _NUMBERS,
        "y_pred": _NUMBERS,
        "exclude": (_INDICES, _INTEGER, True),
    },
    "sparse": {
        "y_true": (f"{_INDICES}, or single ones", _INTEGER, None),
        "y_pred": _NUMBERS,
        "exclude": (_INDICES, _INTEGER, True),
    },
    "ids": {
        "y_true": (f"{_IDS}, or single ids", _ID, None),
        "y_pred": (f"{_IDS}, best first", _ID, True),
        "exclude": (_IDS, _ID, True),
    },
}


def check_schema(job: Job, schema: Any) -> None:
    """Raise an error if columns are missing, or have the wrong type.

    Args:
        job: the job, which names the columns.
        schema: a `pyarrow.Schema`.

    Raises:
        ValueError: if a column is missing.
        TypeError: if a column has the wrong type.
    """
    check_column_names(job, schema.names)
    is_item = job.query is not None
    rules = _ALL_FORMS | (_ROW_IS_ITEM if is_item else _BY_FORM[job.form])
    for argument, name in job.columns:
        if argument in rules:
            arrow_type = schema.field(name).type
            _check_type(argument, name, arrow_type, rules[argument], is_item)
    kinds = {name: kind_of(schema.field(name).type) for name in job.ids}
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts and "integer" in kinds.values():
        raise TypeError(
            "Ids should be strings in all columns, or integers in all. "
            f"Received: strings in {texts} of {job.ids}."
        )
    if texts and job.needs_indices:
        raise TypeError(
            "For metrics about the items of a catalogue, ids should be the "
            f"indices of the items, from 0. Received: strings in {texts}. "
            "Replace each id by the index of its item."
        )


def check_column_names(
    job: Job, names: Iterable[str], keep: Iterable[str] = ()
) -> None:
    """Raise ValueError if a column is not among the names.

    Args:
        job: the job, which names the columns that it reads.
        names: the names of all columns.
        keep: the columns to keep.
    """
    kept = [("keep", name) for name in keep]
    for argument, name in [*job.columns, *kept]:
        if name not in names:
            raise no_column(argument, name, names)


def kept_columns(job: Job, keep: Sequence[str]) -> list[str]:
    """Return the columns that the values of lists are next to.

    Raises:
        ValueError: if the job has no values of lists, or both a query and
            columns to keep.
    """
    if job.query is not None and keep:
        raise ValueError(
            "`keep` is for rows that are lists. Received: "
            f"`keep={list(keep)}` and `query={job.query!r}`. Join other "
            "columns to the result by the query."
        )
    keys = list(keep) if job.query is None else [job.query]
    check_has_values(job.members, keys)
    return keys


def no_column(
    argument: str, name: str | None, columns: Iterable[str]
) -> ValueError:
    """Return the error for an argument that names no column."""
    return ValueError(
        f"`{argument}` should be the name of a column. Received: {name!r}. The "
        f"columns are: {list(columns)}."
    )


def _check_type(
    argument: str, name: str, arrow_type: Any, rule: _Rule, is_item: bool
) -> None:
    expected, kinds, lists = rule
    kind, is_list = kind_of(arrow_type), isinstance(arrow_type, LISTS)
    if kind == "null" and argument in ("y_true", "y_pred", "exclude"):
        return  # all arrays are empty, or null
    if kind not in kinds or lists not in (None, is_list):
        remedy = "Cast the column, or create the metric with other `inputs`."
        if not is_item and kind in kinds and lists:
            remedy = "If each row is an item, name the column of its `query`."
        raise TypeError(
            f"The column {name!r} of `{argument}` should hold {expected}. "
            f"Received: values of the type {arrow_type}. {remedy}"
        )


_KINDS = (
    ("text", types.is_string),
    ("text", types.is_large_string),
    ("null", types.is_null),
    ("integer", types.is_integer),
    ("float", types.is_floating),
    ("time", types.is_date),
    ("time", types.is_timestamp),
)


def kind_of(arrow_type: Any) -> str:
    """Return the kind of a type, or of the elements of lists."""
    if isinstance(arrow_type, LISTS):
        arrow_type = arrow_type.value_type
    found = (kind for kind, is_kind in _KINDS if is_kind(arrow_type))
    return next(found, "other")

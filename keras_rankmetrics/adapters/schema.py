"""Checks of the columns of an Arrow table before a job reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from keras_rankmetrics.adapters.reading import element, is_list, is_text
from keras_rankmetrics.tables.lists import Columns


class _Rule(NamedTuple):
    """The types that a column may have.

    Attributes:
        expected: the types in words.
        kinds: the kinds of the values.
        lists: True for columns of lists, False for columns of single values,
            None for both.
    """

    expected: str
    kinds: tuple[str, ...]
    lists: bool | None


_NUMBER, _ID = ("integer", "float"), ("integer", "text")
_SINGLE_NUMBERS = _Rule("numbers", _NUMBER, False)
_NUMBERS = _Rule("arrays of numbers", _NUMBER, True)
_INDICES = _Rule("arrays of indices of items, integers from 0", _ID[:1], True)
_IDS = _Rule("arrays of ids, integers or strings", _ID, True)

# An argument, in all forms of input, and in each of them. With `query` each row
# is an item, and the forms do not matter.
_ALL_FORMS = {
    "group": _Rule("integers or strings", _ID, False),
    "sample_weight": _SINGLE_NUMBERS,
    "num_relevant": _SINGLE_NUMBERS,
}
_ITEM = _Rule("a number for each item", _NUMBER, False)
_BY_FORM = {
    "scores": {"y_true": _NUMBERS, "y_pred": _NUMBERS, "exclude": _INDICES},
    "sparse": {
        "y_true": _INDICES._replace(
            expected=f"{_INDICES.expected}, or single ones", lists=None
        ),
        "y_pred": _NUMBERS,
        "exclude": _INDICES,
    },
    "ids": {
        "y_true": _IDS._replace(
            expected=f"{_IDS.expected}, or single ids", lists=None
        ),
        "y_pred": _IDS._replace(expected=f"{_IDS.expected}, best first"),
        "exclude": _IDS,
    },
}


def check_schema(columns: Columns, schema: Any) -> None:
    """Raise an error if columns are missing, or have the wrong type.

    Args:
        columns: the columns that a job reads.
        schema: a `pyarrow.Schema`.

    Raises:
        ValueError: if a column is missing.
        TypeError: if a column has the wrong type.
    """
    types = dict(zip(schema.names, schema.types, strict=True))
    for argument, name in columns.by_argument():
        if name not in types:
            raise ValueError(
                f"`{argument}` should be the name of a column. Received: "
                f"{name!r}. The columns are: {list(types)}."
            )
    for argument, name in columns.by_argument():
        if argument != "query":
            _check_type(columns, argument, name, types[name])
    _check_ids(columns, types)


def _check_type(
    columns: Columns, argument: str, name: str, arrow_type: Any
) -> None:
    kind, lists = _kind(element(arrow_type)), is_list(arrow_type)
    if kind == "null" and argument in ("y_true", "y_pred", "exclude"):
        return  # all arrays are empty, or null
    rule = _ALL_FORMS.get(argument)
    if rule is None and columns.query is not None:
        rule = _ITEM
    rule = rule or _BY_FORM[columns.form][argument]
    if kind not in rule.kinds or rule.lists not in (None, lists):
        raise TypeError(
            f"The column {name!r} of `{argument}` should hold {rule.expected}. "
            f"Received: values of the type {arrow_type}. Cast the column, or "
            "create the metric with other `inputs`."
        )


def _kind(arrow_type: Any) -> str:
    from pyarrow import types

    if is_text(arrow_type):
        return "text"
    for kind, is_kind in (
        ("null", types.is_null),
        ("integer", types.is_integer),
        ("float", types.is_floating),
    ):
        if is_kind(arrow_type):
            return kind
    return "other"


def _check_ids(columns: Columns, types: Mapping[str, Any]) -> None:
    kinds = {name: _kind(element(types[name])) for name in columns.ids}
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts and "integer" in kinds.values():
        raise TypeError(
            "Ids should be strings in all columns, or integers in all. "
            f"Received: strings in {texts} of {columns.ids}."
        )
    if texts and columns.needs_indices:
        raise TypeError(
            "For metrics about the items of a catalogue, ids should be the "
            f"indices of the items, from 0. Received: strings in {texts}. "
            "Replace each id by the index of its item."
        )

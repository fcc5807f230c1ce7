"""Whether a table of Arrow has the columns that a job asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keras_rankmetrics.adapters.reading import element, is_list, is_text
from keras_rankmetrics.jobs.batches import Columns

_INDICES = "arrays of indices of items, integers from 0"


def check(columns: Columns, types: Mapping[str, Any]) -> None:
    """Raises where columns are missing or hold what they should not.

    Args:
        columns: which are read.
        types: of Arrow, by the names of the columns that there are.
    """
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


def check_schema(columns: Columns, schema: Any) -> None:
    """As `check`, of a `pyarrow.Schema`."""
    check(columns, dict(zip(schema.names, schema.types, strict=True)))


def _check_type(
    columns: Columns, argument: str, name: str, arrow_type: Any
) -> None:
    from pyarrow import types

    held, lists = element(arrow_type), is_list(arrow_type)
    if types.is_null(held) and argument in ("y_true", "y_pred", "exclude"):
        return  # arrays of nothing, or none at all
    of_number = types.is_integer(held) or types.is_floating(held)
    of_name = types.is_integer(held) or is_text(held)
    if argument == "group":
        good, expected = of_name and not lists, "integers or strings"
    elif argument in ("sample_weight", "num_relevant"):
        good, expected = of_number and not lists, "numbers"
    elif columns.query is not None:
        good, expected = of_number and not lists, "a number for each item"
    elif columns.form != "ids" and argument == "exclude":
        good, expected = types.is_integer(held) and lists, _INDICES
    elif columns.form == "sparse" and argument == "y_true":
        good = types.is_integer(held)
        expected = f"{_INDICES}, or single ones"
    elif columns.form != "ids":
        good, expected = of_number and lists, "arrays of numbers"
    elif argument == "y_true":
        good = of_name
        expected = "arrays of ids, integers or strings, or single ids"
    else:
        good = of_name and lists
        expected = "arrays of ids, integers or strings"
        expected += ", best first" if argument == "y_pred" else ""
    if not good:
        raise TypeError(
            f"The column {name!r} of `{argument}` should hold {expected}. "
            f"Received: values of the type {arrow_type}. Cast it, or let "
            "the metric have other `inputs`."
        )


def _check_ids(columns: Columns, types: Mapping[str, Any]) -> None:
    import pyarrow as pa

    names = columns.ids
    texts = [name for name in names if is_text(element(types[name]))]
    numbers = [
        name for name in names if pa.types.is_integer(element(types[name]))
    ]
    if texts and numbers:
        raise TypeError(
            "Ids should be strings in all columns, or integers in all. "
            f"Received: strings in {texts} of {names}."
        )
    if texts and columns.whole_ids:
        raise TypeError(
            "Metrics about the items of a catalogue should have their "
            f"numbers as ids, from 0. Received: strings in {texts}. Put "
            "the number of each item in their place."
        )

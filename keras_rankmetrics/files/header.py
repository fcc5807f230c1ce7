"""Columns of a table, found by their names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.files import IN_ORDER, FileError
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.files.fields import Part
from keras_rankmetrics.tables import item_rows
from keras_rankmetrics.tables.item_rows import argument

# What to do if the whole header is one field with this character.
_DELIMITERS = {
    ";": "Separate columns by commas or tabs, not by semicolons.",
    "|": "Separate columns by commas or tabs, not by `|`.",
    "\t": "With tabs, its name should end with `.tsv`.",
    ",": "With commas, its name should end with `.csv`.",
}
_LOOKS = {
    "score": ("label", "This looks like judgements."),
    "label": ("score", "This looks like a run."),
}


def columns_by_name(
    source: Source, header: Sequence[str], line: int | None
) -> list[str]:
    """Return the names of the columns of queries, items and values.

    Raise FileError if one of them is missing.

    Args:
        source: the file.
        header: the names of all columns.
        line: the number of the line of the header, for errors.
    """
    for role in ("query", "item", source.value):
        names = item_rows.candidates(role, header, source.columns)
        if len(names) == 1:
            source.read_as[role] = names[0]
            continue
        chosen = source.columns.get(role)
        if names:
            expected = f"One column should be the {role}."
            if role in source.columns:
                expected += f" None is `{chosen}`."
            remedy = f"Choose one: {argument(role, names[0])}."
            if len(set(names)) == 1:
                remedy = "Rename or remove one of them."
        elif role in source.columns:
            expected = f"There should be a column `{chosen}`, of the {role}."
            remedy = ""
        else:
            expected = (
                f"One column should be the {role}, with one of the names "
                f"{', '.join(_names_of(role))}."
            )
            remedy = _remedy(role, header)
        received = ", ".join(names or header)
        raise FileError(source.path, expected, received, line, remedy)
    return [*source.read_as.values()]


def check_labels(source: Source, part: Part) -> None:
    """Raise FileError if labels in a column of scores seem to be scores."""
    name = source.read_as.get("label", "")
    if item_rows.plain_name(name) != "score" or "label" in source.columns:
        return
    [wrong] = np.nonzero(part.value % 1 != 0)
    if len(wrong):
        raise FileError(
            source.path,
            f"Labels in a column `{name}` should be whole numbers.",
            f"{part.value[wrong[0]]:g}",
            int(part.line[wrong[0]]),
            f"This looks like a run. {IN_ORDER} If it is not, name the labels: "
            f"{argument('label', name)}.",
        )


def _remedy(role: str, header: Sequence[str]) -> str:
    """Return what to do if no column has a known name of a role."""
    for delimiter, remedy in _DELIMITERS.items():
        if len(header) == 1 and delimiter in header[0]:
            return remedy
    if header[0].startswith("sep="):
        return "Remove the first line, which only Excel reads."
    if any(name.replace(".", "", 1).isdecimal() for name in header):
        return "The first line should be a header, with names of columns."
    ranks = [name for name in header if item_rows.plain_name(name) == "rank"]
    if role == "score" and ranks:
        return (
            "A rank is not a score, since lower is better. Pass it as one: "
            f"{argument('score', ranks[0])}, `higher_is_better=False`."
        )
    if role in _LOOKS:
        other, cause = _LOOKS[role]
        plain = set(map(item_rows.plain_name, header))
        if plain & set(_names_of(other)) - set(_names_of(role)):
            return (
                f"{cause} {IN_ORDER} If it is not, name the {role}s: "
                f"{argument(role)}."
            )
    return f"Name the column: {argument(role)}."


def _names_of(role: str) -> list[str]:
    return [name for names in item_rows.COLUMN_NAMES[role] for name in names]

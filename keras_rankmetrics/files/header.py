"""Columns of a table, found by their names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.files import FileError
from keras_rankmetrics.files.blocks import Source
from keras_rankmetrics.tables import roles
from keras_rankmetrics.tables.item_rows import Part

# What to do if the whole header is one field with this character.
_DELIMITERS = {
    ";": 'Pass `pandas.read_csv(path, sep=";")`, which has `decimal=","` for '
    "decimal commas; or separate columns by tabs, and write decimal points.",
    "|": 'Pass `pandas.read_csv(path, sep="|")`, or separate columns by tabs.',
    "\t": "With tabs, its name should end with `.tsv`.",
    ",": "With commas, its name should end with `.csv`.",
}


def columns_by_name(
    source: Source, header: Sequence[str], line: int | None
) -> dict[str, str]:
    """Return the names of the columns of queries, items and values, by role.

    A column of ranks next to scores comes with them, and those of the other
    roles of the source. A table of both labels and scores may have no items.

    Raise FileError if one of them is missing.

    Args:
        source: the file.
        header: the names of all columns.
        line: the number of the line of the header, for errors.
    """
    if source.value == "both":
        columns, wrong = roles.columns_of_both(
            header, source.columns, source.others
        )
    else:
        read = "query", "item", *source.others, source.value
        columns, wrong = roles.columns_of_roles(
            read, header, source.columns, {}
        )
    if wrong:
        expected, received, remedy = wrong
        remedy = _remedy_of_first_line(header) or remedy
        raise FileError(source.path, f"It {expected}", received, line, remedy)
    source.header = header
    source.read_as.update(columns)
    source.ranks = roles.ranks_next_to(columns, header, source.columns)
    return columns | source.ranks


def check_labels(source: Source, part: Part) -> None:
    """Raise FileError if labels in a column of scores seem to be scores."""
    remedy = roles.remedy_of_a_run(source.read_as, source.columns)
    if not remedy:
        return
    [wrong] = np.nonzero(part.value % 1 != 0)
    if len(wrong):
        raise FileError(
            source.path,
            f"Labels in a column `{source.read_as['label']}` should be whole "
            "numbers.",
            f"{part.value[wrong[0]]:g}",
            int(part.line[wrong[0]]),
            remedy,
        )


def _remedy_of_first_line(header: Sequence[str]) -> str:
    """Return what to do if the first line is no header, or ""."""
    if header[0].lstrip().startswith("#"):
        return "Remove the first line, a comment; the next one is the header."
    for delimiter, remedy in _DELIMITERS.items():
        if len(header) == 1 and delimiter in header[0]:
            return remedy
    if any(name.startswith("sep=") for name in header):
        return "Remove the first line, which only Excel reads."
    if any(map(roles.NUMBER.fullmatch, header)):
        return "The first line should be a header, with names of columns."
    return ""

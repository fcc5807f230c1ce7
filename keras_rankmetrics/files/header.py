"""Columns of a table, found by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from keras_rankmetrics.files import IN_ORDER, FileError
from keras_rankmetrics.files.blocks import Source

# The names in BEIR, MS MARCO and TREC, and our own. Case and punctuation do not
# matter. Ids come before the bare word, which may be a column of texts.
_NAMES = {
    "query": ("query_id", "qid", "query"),
    "item": ("item_id", "doc_id", "docno", "pid", "corpus_id", "item"),
    "score": ("score", "sim"),
    "label": ("label", "relevance", "rel", "score"),
}
# What to do if the whole header is one field with this character.
_DELIMITERS = {
    ";": "Separate columns by commas or tabs, not by semicolons.",
    "\t": "With tabs, its name should end with `.tsv`.",
    ",": "With commas, its name should end with `.csv`.",
}
_LOOKS = {
    "score": ("label", "This looks like judgements."),
    "label": ("score", "This looks like a run."),
}


def columns_of(
    source: Source, header: Sequence[str], line: int | None
) -> list[str]:
    """Return the names of the columns of queries, items and values.

    Raise FileError if one of them is missing.

    Args:
        source: the file.
        header: the names of all columns.
        line: the number of the line of the header, for errors.
    """
    by_plain_name = {_plain(name): name for name in reversed(header)}
    found = []
    for role in ("query", "item", source.value):
        plain = [_plain(name) for name in _NAMES[role]]
        matching = [by_plain_name[x] for x in plain if x in by_plain_name]
        # Runs and judgements may call their queries and items differently.
        is_chosen = role in source.columns
        if source.columns.get(role) in header:
            found.append(source.columns[role])
        elif matching and not (is_chosen and role == source.value):
            found.append(matching[0])
        else:
            expected = (
                f"One column should be the {role}, with one of the names "
                f"{', '.join(_NAMES[role])}."
            )
            remedy = _remedy(role, header, by_plain_name.keys())
            if is_chosen:
                name = source.columns[role]
                expected = f"There should be a column `{name}`, of the {role}."
                remedy = ""
            listed = ", ".join(header)
            raise FileError(source.path, expected, listed, line, remedy)
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _remedy(role: str, header: Sequence[str], plain: Set[str]) -> str:
    for delimiter, remedy in _DELIMITERS.items():
        if len(header) == 1 and delimiter in header[0]:
            return remedy
    if any(name.replace(".", "", 1).isdecimal() for name in header):
        return "The first line should be a header, with names of columns."
    if role in _LOOKS:
        other, cause = _LOOKS[role]
        if plain & set(_NAMES[other]) - set(_NAMES[role]):
            return (
                f"{cause} {IN_ORDER} If it is not, name the {role}s: "
                f"`--columns {role}=NAME`."
            )
    return f"Name the column: `--columns {role}=NAME`."

"""Columns of a table, found by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from keras_rankmetrics.files import IN_ORDER, FileError
from keras_rankmetrics.files.blocks import Source

# The names in BEIR, MS MARCO and TREC, without case and punctuation, and our
# own. Ids come before the bare word, which may be a column of texts.
_NAMES = {
    "query": ("queryid", "qid", "query"),
    "item": ("itemid", "docid", "docno", "pid", "corpusid", "item"),
    "score": ("score", "sim"),
    "label": ("label", "relevance", "rel", "score"),
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
    plain = {
        re.sub(r"[^a-z0-9]", "", name.lower()): name
        for name in reversed(header)
    }
    found = []
    for role in ("query", "item", source.value):
        known = [plain[name] for name in _NAMES[role] if name in plain]
        # The user's choice may be a column that only another file has.
        if source.columns.get(role) in header:
            found.append(source.columns[role])
        elif known:
            found.append(known[0])
        else:
            expected = (
                f"One column should be the {role}. The header should call it "
                f"{', '.join(_NAMES[role])} or the like."
            )
            remedy = _remedy(role, header, plain)
            if role in source.columns:
                name = source.columns[role]
                expected = f"There should be a column `{name}`, of the {role}."
                remedy = ""
            listed = ", ".join(header)
            raise FileError(source.path, expected, listed, line, remedy)
    return found


def _remedy(role: str, header: Sequence[str], plain: Mapping[str, str]) -> str:
    if len(header) == 1 and ";" in header[0]:
        return "Separate columns by commas or tabs, not by semicolons."
    if any(name.replace(".", "", 1).isdecimal() for name in header):
        return "The first line should be a header, with names of columns."
    if role in _LOOKS:
        other, cause = _LOOKS[role]
        if plain.keys() & set(_NAMES[other]) - set(_NAMES[role]):
            return (
                f"{cause} {IN_ORDER} If it is not, name the {role}s: "
                f"`--columns {role}=NAME`."
            )
    return f"Name the column: `--columns {role}=NAME`."

"""The columns of a table, found by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from keras_rankmetrics.files.errors import FileError

# The names of BEIR, MS MARCO, TREC and this package, the most specific first:
# a column `query` next to `query-id` contains the text of the query.
ALIASES = {
    "query": ("query_id", "qid", "topic", "query"),
    "item": ("item_id", "corpus_id", "doc_id", "docno", "pid", "item"),
    "score": ("score",),
    "label": ("label", "relevance", "rel", "score"),
}


class Chosen(NamedTuple):
    """The columns of a table.

    Attributes:
        query: the name of the column of queries.
        item: the name of the column of items.
        value: the name of the column of labels or scores.
    """

    query: str
    item: str
    value: str


def chosen(
    path: str,
    names: Sequence[str],
    value: str,
    requested: Mapping[str, str],
    line: int | None,
) -> Chosen:
    """Return the columns of a table. Raise FileError if one is missing.

    Args:
        path: of the file, for errors.
        names: of all columns.
        value: `"label"` or `"score"`.
        requested: the names that the user chose, by role.
        line: of the names, for errors.
    """
    roles = "query", "item", value
    return Chosen(*(_one(path, names, r, requested, line) for r in roles))


def _one(
    path: str,
    names: Sequence[str],
    role: str,
    requested: Mapping[str, str],
    line: int | None,
) -> str:
    if requested.get(role) in names:  # other files may have other columns
        return requested[role]
    by_plain = {_plain(name): name for name in names}
    for alias in ALIASES[role]:
        if _plain(alias) in by_plain:
            return by_plain[_plain(alias)]
    listed = ", ".join(names)
    if role in requested:
        name = requested[role]
        expected = f"There should be a column `{name}` for the {role}."
        raise FileError(path, expected, listed, line)
    expected = (
        f"One column should be the {role}, called {' or '.join(ALIASES[role])}."
    )
    remedy = f"Name the column: `--columns {role}=NAME`."
    if any(name.replace(".", "", 1).isdecimal() for name in names):
        remedy = "The first line should be a header with the column names."
    elif len(names) == 1 and ";" in names[0]:
        remedy = "Separate columns by commas or tabs, not by semicolons."
    elif role == "score" and by_plain.keys() & {*ALIASES["label"]}:
        remedy = (
            "This looks like judgements. Pass the judgements first, then the "
            f"runs. If it is a run, name its scores: `--columns {role}=NAME`."
        )
    raise FileError(path, expected, listed, line, remedy)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

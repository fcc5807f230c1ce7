"""Which column of a table is what, by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from keras_rankmetrics.files.errors import FileError

_QUERY = (
    "query queryid qid topic topicid user userid session sessionid list listid"
)
_ITEM = (
    "item itemid iid doc docid docno document documentid corpus corpusid "
    "passage passageid pid product productid movie movieid"
)
_SCORE = "score scores prediction predicted pred sim similarity"
_LABEL = "label labels relevance rel grade rating judgment judgement gain"

ALIASES = {
    "query": tuple(_QUERY.split()),
    "item": tuple(_ITEM.split()),
    "score": tuple(_SCORE.split()),
    # Some have the labels in a column of that name.
    "label": (*_LABEL.split(), "score"),
}


class Chosen(NamedTuple):
    """The columns of a table.

    Attributes:
        query: the name of the column of queries.
        item: the name of the column of items.
        value: the name of the column of labels or of scores.
    """

    query: str
    item: str
    value: str


def chosen(
    path: str,
    names: Sequence[str],
    value: str,
    given: Mapping[str, str],
    line: int | None,
) -> Chosen:
    """The columns of a table. Raises where one is not there.

    Args:
        path: of the file, for errors.
        names: of all columns.
        value: `"label"` or `"score"`.
        given: the names of columns, as the user gave them, by what they are.
        line: where the names stand, for errors.
    """
    return Chosen(
        *(_one(path, names, what, given, line) for what in _asked(value))
    )


def _asked(value: str) -> tuple[str, str, str]:
    return "query", "item", value


def _one(
    path: str,
    names: Sequence[str],
    what: str,
    given: Mapping[str, str],
    line: int | None,
) -> str:
    listed = ", ".join(names)
    if what in given:
        if given[what] in names:
            return given[what]
        expected = f"There should be a column `{given[what]}`, of the {what}."
        raise FileError(path, expected, listed, line)
    for alias in ALIASES[what]:
        found = [name for name in names if _plain(name) == alias]
        if found:
            return found[0]
    raise FileError(
        path,
        f"The names of the columns should tell which one is the {what}, as "
        f"{', '.join(ALIASES[what][:4])} do. Or name it: "
        f"`--columns {what}=NAME`.",
        listed,
        line,
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

"""Which column of a table is what, by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from keras_rankmetrics.files.errors import FileError

# The ids come before the bare word, which may be a column of texts.
_QUERY = (
    "queryid qid query topicid topic userid user sessionid session listid list"
)
_ITEM = (
    "itemid iid item docid docno doc documentid document corpusid corpus "
    "passageid pid passage productid product movieid movie"
)
_ENDS_OF_IDS = ("id", "no")
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
    if given.get(what) in names:  # of several files, only some may have it
        return given[what]
    found = [
        name
        for alias in ALIASES[what]
        for name in names
        if _plain(name) == alias
    ]
    ids = [name for name in found if _plain(name).endswith(_ENDS_OF_IDS)]
    if ids and ids[0] != found[0]:
        raise FileError(
            path,
            f"One column should be the {what}. `{found[0]}` and `{ids[0]}` "
            f"both may be. Name the one you mean: `--columns {what}=NAME`.",
            listed,
            line,
        )
    if found:
        return found[0]
    if what in given:
        expected = f"There should be a column `{given[what]}`, of the {what}."
        raise FileError(path, expected, listed, line)
    expected = (
        f"One column should be the {what}. The header should call it "
        f"{', '.join(ALIASES[what][:3])} or the like."
    )
    remedy = f"Name the column: `--columns {what}=NAME`."
    if any(name.replace(".", "", 1).isdecimal() for name in names):
        remedy = "The first line should be a header, with names of columns."
    if len(names) == 1 and ";" in names[0]:
        remedy = "Separate columns by commas or tabs, not by semicolons."
    labels = set(ALIASES["label"]) - set(ALIASES["score"])
    if what == "score" and labels & set(map(_plain, names)):
        remedy = (
            "This looks like judgements. Pass the judgements first, then the "
            f"runs. If it is a run, name its scores: `--columns {what}=NAME`."
        )
    elif what == "label" and set(ALIASES["score"]) & set(map(_plain, names)):
        remedy = (
            "This looks like a run. Pass the judgements first, then the runs. "
            f"If it is not, name its labels: `--columns {what}=NAME`."
        )
    raise FileError(path, expected, listed, line, remedy)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())

"""Ratings and responses of search tools, as dicts and lists of hits.

A truth may be the ratings of a `_rank_eval` request of Elasticsearch, a
judgement list of OpenSearch, or items by grade. A run may have a response for
each query, as Elasticsearch, Pinecone, Qdrant and Weaviate return it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

_SCORES = "score", "distance", "certainty"  # of an object of Weaviate
_GRADES = frozenset(map(str, range(11)))
_IN = "hits", "matches", "points", "objects", "result"  # a response


def in_plain_form(x: Mapping[Any, Any] | list[Any], value: str) -> Any:
    """Return a truth or a run of a search tool in a plain form.

    Other objects are returned unchanged.

    Args:
        x: an object with one entry or more.
        value: `"label"` or `"score"`.

    Raises:
        ValueError: if a query or an item is there twice.
    """
    if isinstance(x, Mapping):
        wholes = _TRUTHS if value == "label" else _RUNS
        for key, (part, read) in wholes.items():
            if _first_has(x.get(key), part):
                return read(x[key])
    entries = x.values() if isinstance(x, Mapping) else x
    first = next(iter(entries))
    read_entry: Callable[[Any], Any] | None = None
    if value == "score" and _has_hits(first):
        read_entry = _hits_of
    elif value == "label" and _are_grades(first):
        read_entry = _labels_of
    if read_entry is None:
        return x
    if isinstance(x, Mapping):
        return {query: read_entry(entry) for query, entry in x.items()}
    return [read_entry(entry) for entry in x]


def _first_has(x: Any, name: str) -> bool:
    """Return True if the first entry is a dict with that key."""
    if not _is_list_or_dict(x):
        return False
    first = next(iter(x.values() if isinstance(x, Mapping) else x))
    return isinstance(first, Mapping) and name in first


def _is_list_or_dict(x: Any) -> bool:
    return isinstance(x, list | Mapping) and bool(x)


def _once(what: str, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return pairs as a dict; raise ValueError if a key is there twice."""
    found: dict[Any, Any] = {}
    for key, x in pairs:
        if key in found:
            raise ValueError(
                f"`truth` should have each {what} once. Received: {key!r} "
                "again. Remove one; of several indices, write their names in "
                "the ids."
            )
        found[key] = x
    return found


def _rated(
    entries: Any, query: str, item: str, number: Callable[[Any], Any]
) -> Any:
    """Return the ratings of each query.

    Args:
        entries: the queries.
        query: the key of the id of a query.
        item: the key of the id of an item.
        number: returns the number of a rating.
    """
    pairs = (
        (
            each[query],
            _once(
                "item",
                ((x[item], number(x["rating"])) for x in each["ratings"]),
            ),
        )
        for each in entries
    )
    return _once("query", pairs)


def _of_requests(requests: Any) -> Any:
    """Return the ratings of `_rank_eval` requests."""
    return _rated(requests, "id", "_id", lambda rating: rating)


def _of_judgements(judgements: Any) -> Any:
    """Return a judgement list of OpenSearch, whose ratings are text."""
    return _rated(judgements, "query", "docId", float)


def _of_details(details: Any) -> Any:
    """Return the hits of a `_rank_eval` response."""
    return {
        query: [each["hit"] for each in found["hits"]]
        for query, found in details.items()
    }


# By the key of all entries: what each of them has, and how to read them.
_TRUTHS = {
    "requests": ("ratings", _of_requests),
    "judgmentRatings": ("ratings", _of_judgements),
}
_RUNS = {"details": ("hits", _of_details)}
# Keys of a whole object, and attributes of a response or of its objects.
KEYS = frozenset((*_TRUTHS, *_RUNS))
NAMES = "id", "uuid", *_IN


def _are_grades(entry: Any) -> bool:
    """Return True for a dict of lists of items by their grade."""
    return (
        isinstance(entry, Mapping)
        and bool(entry)
        and all(isinstance(x, list | tuple | set) for x in entry.values())
        and {*map(str, entry)} <= _GRADES
    )


def _labels_of(entry: Any) -> Any:
    """Return the label of each item from lists of items by grade."""
    pairs = ((x, float(grade)) for grade, xs in entry.items() for x in xs)
    return _once("item of a query", pairs)


def _has_hits(entry: Any) -> bool:
    """Return True for a response of a search, or a list of its objects."""
    if isinstance(entry, Mapping):
        return any(_is_list_or_dict(entry.get(name)) for name in _IN)
    if isinstance(entry, list):
        return bool(entry) and _is_object(entry[0])
    return any(isinstance(getattr(entry, name, None), list) for name in _IN)


def _is_object(x: Any) -> bool:
    """Return True for an object with an id and a score, and no dict."""
    has_score = hasattr(x, "score") or hasattr(x, "metadata")
    return has_score and (hasattr(x, "id") or hasattr(x, "uuid"))


def _hits_of(entry: Any) -> Any:
    """Return the hits of a response as dicts with an id and a score."""
    for name in _IN:
        inside = (
            entry.get(name)
            if isinstance(entry, Mapping)
            else getattr(entry, name, None)
        )
        if inside is not None and not isinstance(entry, list):
            return _hits_of(inside)
    return [_hit(x) if _is_object(x) else x for x in entry]


def _hit(x: Any) -> dict[str, Any]:
    if hasattr(x, "score"):
        return {"id": x.id, "score": x.score}
    scores = (getattr(x.metadata, name, None) for name in _SCORES)
    score = next((each for each in scores if each is not None), None)
    return {"id": str(x.uuid), "score": score}

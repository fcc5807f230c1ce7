"""The forms of the items of one query, in the order in which they are tried."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.tables.ids import KINDS
from keras_rankmetrics.tables.item_rows import candidates

_ID = str | bytes | int | np.integer
_FLOAT = float | np.floating


class FormOfItems(NamedTuple):
    """A form of the items of one query, with their labels or scores.

    Attributes:
        matches: returns True if an object has this form.
        of: returns the ids of the items, and as many labels or scores. Its
            arguments are the object, `"label"` or `"score"`, and how to read.
        are_hits: True for results of a search, which has the best items first,
            and -1 as padding.
        have_order: False if the items cannot be those of a run.
        may_be_numbers: True if labels or scores could look the same.
    """

    matches: Callable[[Any, Reading], bool]
    of: Callable[[Any, str, Reading], tuple[Any, Any]]
    are_hits: bool = False
    have_order: bool = True
    may_be_numbers: bool = False


def _is_pair(x: Any, reading: Reading) -> bool:
    """Return True for `(ids, scores)`, `[items]` each."""
    return (
        isinstance(x, tuple)
        and len(x) == 2
        and not any(isinstance(each, str | bytes | Mapping) for each in x)
        and np.shape(x[0]) == np.shape(x[1])
        and np.ndim(x[0]) == 1
        and [to_numpy(each).dtype.kind in KINDS for each in x] == [True, False]
    )


def _are_hits(x: Any, reading: Reading) -> bool:
    """Return True for lists of `{"corpus_id": ..., "score": ...}` or pairs."""
    first = first_of(x, 0) if isinstance(x, list | tuple) else None
    if isinstance(first, Mapping):
        names, chosen = list(first), reading.columns or {}
        is_row = bool(candidates("query", names, chosen))
        return not is_row and bool(keys_of_items(names, reading))
    return (
        isinstance(first, tuple)
        and len(first) == 2
        and isinstance(first[0], _ID)
        and isinstance(first[1], _FLOAT | int)
        and (isinstance(first[1], _FLOAT) or isinstance(first[0], str))
    )


def _of_hits(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    first = first_of(x)
    if isinstance(first, Mapping):
        names = list(first)
        found = candidates(value, names, reading.columns or {})
        keys = keys_of_items(names, reading), found
        if [len(key) for key in keys] != [1, 1]:
            raise ValueError(
                "A hit should have one key for the item, and one for its "
                f"{value}. Received: {names}. Name them: `columns="
                f'{{"item": "...", "{value}": "..."}}`.'
            )
        x = [(hit.get(keys[0][0]), hit.get(keys[1][0])) for hit in x]
    ids, values = zip(*x, strict=True)
    return ids, values


def keys_of_items(keys: Sequence[Any], reading: Reading) -> list[str]:
    """Return the keys of a hit that may name its item."""
    chosen = reading.columns or {}
    found = candidates("item", keys, chosen)
    if chosen.get("item") in keys:
        return found
    return found + [key for key in keys if key in ("id", "_id")]


def _are_texts(x: Any, reading: Reading) -> bool:
    if isinstance(x, list | tuple):
        return isinstance(first_of(x, 0), str | bytes)
    return dtype_kind(x) in ("U", "S")


def _are_integers(x: Any, reading: Reading) -> bool:
    if isinstance(x, list | tuple):
        return isinstance(first_of(x, 0), int | np.integer)
    return dtype_kind(x) in ("i", "u") and x.ndim == 1


def _of_ids(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    """Return ids in the order of a ranking, or those of relevant items."""
    items = np.ravel(to_numpy(x)) if dtype_kind(x) else x
    items = [items] if isinstance(items, _ID) else items
    if value == "label":
        return items, itertools.repeat(1.0, len(items))
    # The scores of distances are reversed later, but not an order.
    step = 1 if reading.higher_is_better is False else -1
    return items, range(0, step * len(items), step)


ITEMS = (
    FormOfItems(
        lambda x, reading: isinstance(x, Mapping),
        lambda x, value, reading: (x.keys(), x.values()),
    ),
    FormOfItems(
        lambda x, reading: isinstance(x, Set),
        lambda x, value, reading: (x, itertools.repeat(1.0, len(x))),
        have_order=False,
    ),
    FormOfItems(_is_pair, lambda x, value, reading: x, are_hits=True),
    FormOfItems(_are_hits, _of_hits, are_hits=True),
    FormOfItems(_are_texts, _of_ids),
    FormOfItems(_are_integers, _of_ids, may_be_numbers=True),
)


def items_of(x: Any, reading: Reading) -> FormOfItems | None:
    """Return the form of the items of one query, None for anything else."""
    if type(x) is dict:  # most are, and there may be millions
        return ITEMS[0]
    return next((form for form in ITEMS if form.matches(x, reading)), None)


def dtype_kind(x: Any) -> str:
    """Return the kind of an array, "U" for objects that are str."""
    kind: str = getattr(getattr(x, "dtype", None), "kind", "")
    if kind == "O" and isinstance(next(iter(np.ravel(x)), None), str):
        return "U"
    return kind


def first_of(x: Sequence[Any], default: Any = None) -> Any:
    """Return the first entry that is not an empty list."""
    full = (each for each in x if not hasattr(each, "__len__") or len(each))
    return next(full, default)

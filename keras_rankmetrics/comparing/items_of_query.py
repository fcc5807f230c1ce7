"""The forms of the items of one query, a class for each."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any, ClassVar

import numpy as np

from keras_rankmetrics.comparing.reading import KINDS, Reading
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.tables.item_rows import candidates

_ID = str | bytes | int | np.integer


class Items(abc.ABC):
    """The items of one query, with their labels or scores.

    Attributes:
        are_hits: True for results of a search, which has the best items first,
            and -1 as padding.
        have_order: False if the items cannot be those of a run.
        may_be_numbers: True if labels or scores could look the same.
    """

    are_hits: ClassVar[bool] = False
    have_order: ClassVar[bool] = True
    may_be_numbers: ClassVar[bool] = False

    @staticmethod
    @abc.abstractmethod
    def matches(x: Any, reading: Reading) -> bool:
        """Return True if an object has this form."""

    @staticmethod
    @abc.abstractmethod
    def of(x: Any, value: str, reading: Reading) -> tuple[Collection[Any], Any]:
        """Return the ids of the items, and as many labels or scores.

        Args:
            x: an object of this form.
            value: `"label"` or `"score"`.
            reading: how to read it.
        """


class _ByItem(Items):
    """`{item: value}`."""

    @staticmethod
    def matches(x: Any, reading: Reading) -> bool:
        return isinstance(x, Mapping)

    @staticmethod
    def of(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
        return x.keys(), x.values()


class _Members(Items):
    """`{item, ...}`, all relevant."""

    have_order = False

    @staticmethod
    def matches(x: Any, reading: Reading) -> bool:
        return isinstance(x, Set)

    @staticmethod
    def of(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
        return x, itertools.repeat(1.0, len(x))


class _Pair(Items):
    """`(ids, scores)`, `[items]` each."""

    are_hits = True

    @staticmethod
    def matches(x: Any, reading: Reading) -> bool:
        return (
            isinstance(x, tuple)
            and len(x) == 2
            and not any(isinstance(each, str | bytes | Mapping) for each in x)
            and np.shape(x[0]) == np.shape(x[1])
            and np.ndim(x[0]) == 1
            and [to_numpy(each).dtype.kind in KINDS for each in x]
            == [True, False]
        )

    @staticmethod
    def of(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
        return x


class _Hits(Items):
    """`[{"corpus_id": item, "score": score}, ...]`, `[(item, score), ...]`."""

    are_hits = True

    @staticmethod
    def matches(x: Any, reading: Reading) -> bool:
        first = first_of(x, 0) if isinstance(x, list | tuple) else None
        if isinstance(first, Mapping):
            names, chosen = list(first), reading.columns or {}
            is_row = bool(candidates("query", names, chosen))
            return not is_row and bool(keys_of_items(names, reading))
        return (
            isinstance(first, tuple)
            and len(first) == 2
            and isinstance(first[0], _ID)
            and isinstance(first[1], float | np.floating | int)
            and (
                isinstance(first[1], float | np.floating)
                or isinstance(first[0], str)
            )
        )

    @staticmethod
    def of(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
        first = first_of(x)
        if isinstance(first, Mapping):
            found = candidates(value, list(first), reading.columns or {})
            keys = keys_of_items(list(first), reading), found
            if [len(key) for key in keys] != [1, 1]:
                raise ValueError(
                    "A hit should have one key for the item, and one for its "
                    f"{value}. Received: {list(first)}. Name them: `columns="
                    f'{{"item": "...", "{value}": "..."}}`.'
                )
            x = [(hit.get(keys[0][0]), hit.get(keys[1][0])) for hit in x]
        ids, values = zip(*x, strict=True)
        return ids, values


def keys_of_items(keys: Sequence[Any], reading: Reading) -> list[str]:
    """Return the keys of a hit that may name its item."""
    found = candidates("item", keys, reading.columns or {})
    return found or [key for key in keys if key in ("id", "_id")]


class _Ids(Items):
    """`[item, ...]`: best first, or all relevant."""

    @staticmethod
    def matches(x: Any, reading: Reading) -> bool:
        if isinstance(x, list | tuple):
            return isinstance(first_of(x, 0), str | bytes)
        return dtype_kind(x) in ("U", "S")

    @staticmethod
    def of(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
        items = np.ravel(to_numpy(x)) if dtype_kind(x) else x
        items = [items] if isinstance(items, _ID) else items
        if value == "label":
            return items, itertools.repeat(1.0, len(items))
        # The scores of distances are reversed later, but not an order.
        step = 1 if reading.higher_is_better is False else -1
        return items, range(0, step * len(items), step)


class _Integers(_Ids):
    """`[item, ...]` of ids that are integers."""

    may_be_numbers = True

    @staticmethod
    def matches(x: Any, reading: Reading) -> bool:
        if isinstance(x, list | tuple):
            return isinstance(first_of(x, 0), int | np.integer)
        return dtype_kind(x) in ("i", "u") and x.ndim == 1


ITEMS: tuple[type[Items], ...] = (
    _ByItem,
    _Members,
    _Pair,
    _Hits,
    _Ids,
    _Integers,
)


def items_of(x: Any, reading: Reading) -> type[Items] | None:
    """Return the form of the items of one query, None for anything else."""
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

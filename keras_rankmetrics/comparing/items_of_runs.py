"""Ids of the items of a run: of numbers, of chunks, and of equal items.

A run of chunks is that of their documents: each counts where its best chunk
is. The later ones leave no gap, or keep their ranks as items without a label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.files import NOTHING
from keras_rankmetrics.tables.ids import ids_of
from keras_rankmetrics.tables.item_rows import Rows

# The document of each chunk: by chunk, by a function, or before a separator.
Parents = str | Mapping[Any, Any] | Callable[[Any], Any]


def named_items(item: np.ndarray, item_ids: Any, argument: str) -> np.ndarray:
    """Return the ids of items that a run numbers.

    Args:
        item: `[rows]`, integers.
        item_ids: the ids of all items, or a dict of these by number.
        argument: the name of the argument, for errors.

    Raises:
        ValueError: if a number has no id.
    """
    at, expected = item, "that are keys of `item_ids`"
    if isinstance(item_ids, Mapping):  # by number
        numbers = ids_of(list(item_ids), "`item_ids`")
        order = np.argsort(numbers)
        at = np.searchsorted(numbers, item, sorter=order)
        at = order[np.minimum(at, len(order) - 1)]
        at = np.where(numbers[at] == item, at, -1)
        names = ids_of(list(item_ids.values()), "`item_ids`")
    else:
        names = ids_of(item_ids, "`item_ids`")
        expected = f"from 0 to {len(names) - 1:,}, the places in `item_ids`"
    wrong = item[(at < 0) | (at >= len(names))]
    if len(wrong):
        raise ValueError(
            f"The items of {argument} should be numbers {expected}. Received: "
            f"{wrong[0]}. Pass `item_ids` with a name for each item."
        )
    return names[at]


def check_parents(parents: Any) -> None:
    """Raise TypeError if an object cannot give the documents of chunks."""
    if callable(parents) or hasattr(parents, "items"):
        return
    if not isinstance(parents, str) or not parents:
        raise TypeError(
            "`parents` should be a dict of documents by chunk, a function, or "
            "the text between a document and the number of its chunk. "
            f'Received: {parents!r}. Write `parents="#"`.'
        )


def documents_of(
    item: np.ndarray, parents: Parents, argument: str
) -> np.ndarray:
    """Return the document of each chunk of a run.

    Args:
        item: `[rows]`, the ids of chunks.
        parents: the document of each chunk.
        argument: the name of the argument, for errors.

    Raises:
        ValueError: if a chunk has no document.
    """
    chunks, at = np.unique(item, return_inverse=True)
    texts = [as_text(x) for x in chunks.tolist()]
    if isinstance(parents, str):
        cuts = [str(x).rpartition(parents) for x in texts]
        if not any(mark for _, mark, _ in cuts):
            raise _without_document(argument, texts, f"the mark {parents!r}")
        documents = [head or last for head, _, last in cuts]
    else:
        find = parents if callable(parents) else _by_chunk(parents)
        documents = [x if x == NOTHING else find(x) for x in texts]
    pairs = zip(texts, documents, strict=True)
    if lacking := [chunk for chunk, document in pairs if document is None]:
        raise _without_document(argument, lacking, "a document in `parents`")
    are_bytes = item.dtype.kind == "S"  # as in files
    ids = [str(x).encode() for x in documents] if are_bytes else documents
    return ids_of(ids, "`parents`")[at]


def _by_chunk(parents: Any) -> Callable[[Any], Any]:
    """Return the function of a dict or a pandas `Series`."""
    pairs = list(parents.items())
    found = dict(pairs)
    for chunk, document in pairs if len(found) < len(pairs) else ():
        if found[chunk] != document:
            raise ValueError(
                "`parents` should give one document for each chunk. Received: "
                f"{document!r} and {found[chunk]!r} for {chunk!r}. Remove one."
            )
    return found.get


def _without_document(argument: str, chunks: list[Any], of: str) -> ValueError:
    return ValueError(
        f"`parents` should give the document of each item of {argument}. "
        f"Received: {len(chunks):,} items without {of}, such as "
        f"{chunks[0]!r}. Pass a dict of documents by chunk, a function, or the "
        'text between a document and the number of its chunk, such as "#".'
    )


def are_again(rows: Rows) -> np.ndarray:
    """Return True for all but the best of equal items of a query."""
    codes = [np.unique(ids, return_inverse=True)[1] for ids in rows[:2]]
    order = np.lexsort((-rows.value, *codes))
    again = np.all([code[order][1:] == code[order][:-1] for code in codes], 0)
    found = np.zeros(len(order), bool)
    found[order[1:][again]] = True
    return found


def under_other_ids(item: np.ndarray, again: np.ndarray) -> np.ndarray:
    """Return ids of which some are replaced by those of no item.

    Args:
        item: `[rows]`, the ids.
        again: `[rows]`, True for those that are replaced.
    """
    if item.dtype.kind in "iu":
        numbers = np.iinfo(np.int64).min + np.arange(len(item))
        return np.where(again, numbers, item.astype(np.int64))
    marked: Any = [f"\x1f{number}" for number in range(len(item))]
    marked = np.array(marked).astype(item.dtype.kind)
    return np.where(again, np.char.add(item, marked), item)

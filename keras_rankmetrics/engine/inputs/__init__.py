"""From what users pass to checked lists: the only place that sees user input.

There is one reader for each form of input. Every error about the data is raised
here, before any state is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.raw_batch import Given, entries_of
from keras_rankmetrics.engine.inputs.read_counts import read_counts
from keras_rankmetrics.engine.inputs.read_ids import read_ids
from keras_rankmetrics.engine.inputs.read_scores import read_scores
from keras_rankmetrics.engine.inputs.read_sparse import read_sparse
from keras_rankmetrics.engine.inputs.read_subtopics import read_subtopics
from keras_rankmetrics.engine.inputs.shapes import check_aligned
from keras_rankmetrics.types import Reading, UnjudgedPolicy

__all__ = ["Lists", "read"]

_OF_ALL = ("mask", "exclude")
_OF_LABELS = (*_OF_ALL, "judged", "num_relevant")


class Form(NamedTuple):
    """A form of input.

    Attributes:
        read: what reads it.
        main: the names that the main entry of `y_true` may go by.
        others: the names of its further entries.
    """

    read: Callable[[Given], Lists]
    main: Sequence[str] = ("target", "labels")
    others: Sequence[str] = _OF_ALL


_FORMS: dict[Reading, Form] = {
    "scores": Form(read_scores, ["labels"], _OF_LABELS),
    "sparse": Form(read_sparse),
    "ids": Form(read_ids),
    "counts": Form(read_counts, others=("mask",)),
    "subtopics": Form(read_subtopics, ["labels"], (*_OF_ALL, "judged")),
}


def read(
    form: Reading,
    unjudged: UnjudgedPolicy,
    dtype: str,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
) -> Lists:
    """The lists of a batch.

    Args:
        form: the form in which they are passed.
        unjudged: what becomes of items that nobody has judged.
        dtype: of what is computed from them.
        y_true: what is relevant; or a dict with that, and what else belongs to
            the lists.
        y_pred: what is ranked.
        sample_weight: None, or the weights.
    """
    if form != "counts" and isinstance(y_pred, dict) and "above" in y_pred:
        raise ValueError(
            "`y_pred` should be an array or a tensor. Received: a dict with "
            f"the keys {sorted(map(str, y_pred))}. Counts of items are for "
            'metrics with `inputs="counts"`.'
        )
    reader = _FORMS[form]
    entries = entries_of(y_true, reader.main, reader.others)
    check_aligned(entries, y_pred, sample_weight)
    given = Given(entries, y_pred, sample_weight, dtype, unjudged)
    return reader.read(given)

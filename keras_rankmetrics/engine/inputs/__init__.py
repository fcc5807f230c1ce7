"""From the input of users to checked lists.

There is one reader for each form of input. All errors about the data are raised
here, before any state changes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.inputs import read_relevant, read_scores
from keras_rankmetrics.engine.inputs.batch import (
    Lists,
    RawBatch,
    before_loss,
    entries_of,
)
from keras_rankmetrics.engine.inputs.misreadings import (
    Misreadings,
    is_scale,
    padding_warning,
    share_in,
    swapped_warning,
)
from keras_rankmetrics.engine.inputs.shapes import check_aligned
from keras_rankmetrics.types import Reading, UnjudgedPolicy

__all__ = [
    "Lists",
    "Misreadings",
    "is_scale",
    "padding_warning",
    "read",
    "share_in",
    "swapped_warning",
]


class _Form(NamedTuple):
    """A form of input: its reader, and the entries of `y_true` that it takes.

    Attributes:
        read: the reader.
        main: the names of the main entry, the preferred one first.
        others: the names of the optional entries.
    """

    read: Callable[[RawBatch], Lists]
    main: Sequence[str] = ("target", "labels")
    others: Sequence[str] = ("mask", "exclude")


_FORMS: dict[Reading, _Form] = {
    "scores": _Form(
        read_scores.read_scores,
        ["labels"],
        ["mask", "exclude", "judged", "num_relevant"],
    ),
    "sparse": _Form(read_relevant.read_sparse),
    "ids": _Form(
        read_relevant.read_ids, ["target"], ["labels", "mask", "exclude"]
    ),
    "counts": _Form(read_relevant.read_counts, others=["mask"]),
    "subtopics": _Form(
        read_scores.read_subtopics, ["labels"], ["mask", "exclude", "judged"]
    ),
    "two_rankings": _Form(read_scores.read_rankings, ["labels"], ["mask"]),
    "clicks": _Form(
        read_scores.read_clicks,
        ["labels"],
        ["mask", "exclude", "propensities", "positions"],
    ),
    "two_id_rankings": _Form(read_relevant.read_ids, others=["mask"]),
}


def read(
    form: Reading,
    unjudged: UnjudgedPolicy,
    dtype: str,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
) -> Lists:
    """Return the checked lists of a batch.

    Args:
        form: the form of the input.
        unjudged: the policy for unjudged items.
        dtype: the float dtype of the computation.
        y_true: the relevant items; or a dict of them and further entries.
        y_pred: the items to rank.
        sample_weight: None, or the weights.

    Raises:
        ValueError: if the input is invalid.
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
    weights, warning = before_loss(y_true, y_pred, sample_weight)
    raw = RawBatch(entries, y_pred, weights, dtype, unjudged)
    lists = reader.read(raw)
    return dataclasses.replace(lists, warning=lists.warning or warning)

"""From what users pass to checked lists: the only place that sees user input.

There is one reader for each form of input. Every error about the data is raised
here, before any state is touched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from keras_rankmetrics.engine.inputs.ids import read_ids
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.parts.alignment import check_aligned
from keras_rankmetrics.engine.inputs.parts.belongings import Given
from keras_rankmetrics.engine.inputs.parts.dictionary import entries_of
from keras_rankmetrics.engine.inputs.scores import read_scores
from keras_rankmetrics.engine.inputs.sparse import read_sparse
from keras_rankmetrics.types import InputForm

__all__ = ["Lists", "read"]


class Form(NamedTuple):
    """A form of input.

    Attributes:
        read: what reads it.
        main: the names that the main entry of `y_true` may go by.
        others: the names of its further entries.
        of_items: which entries hold a number for each item of `y_pred`.
    """

    read: Callable[[Given], Lists]
    main: tuple[str, ...]
    others: tuple[str, ...]
    of_items: tuple[str, ...]


_OF_ALL = ("mask", "exclude")
_FORMS: dict[InputForm, Form] = {
    "scores": Form(
        read_scores,
        main=("labels",),
        others=(*_OF_ALL, "num_relevant"),
        of_items=("labels", "mask"),
    ),
    "sparse": Form(
        read_sparse,
        main=("target", "labels"),
        others=_OF_ALL,
        of_items=("mask",),
    ),
    "ids": Form(
        read_ids,
        main=("target", "labels"),
        others=_OF_ALL,
        of_items=("mask",),
    ),
}


def read(
    inputs: InputForm, y_true: Any, y_pred: Any, sample_weight: Any, dtype: str
) -> Lists:
    """The lists of a batch.

    Args:
        inputs: the form in which they are passed.
        y_true: what is relevant; or a dict with that, and what else belongs to
            the lists.
        y_pred: what is ranked.
        sample_weight: None, or the weights.
        dtype: of what is computed from them.
    """
    form = _FORMS[inputs]
    entries = entries_of(y_true, form.main, form.others)
    check_aligned(entries, y_pred, sample_weight, form.of_items)
    return form.read(Given(entries, y_pred, sample_weight, dtype))

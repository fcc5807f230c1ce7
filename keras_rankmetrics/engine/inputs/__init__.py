"""From what users pass to checked lists: the only place that sees user input.

There is one reader for each form of input. Every error about the data is raised
here, before any state is touched.
"""

from typing import Any

from keras_rankmetrics.engine.inputs.ids import read_ids
from keras_rankmetrics.engine.inputs.lists import Lists
from keras_rankmetrics.engine.inputs.scores import read_scores
from keras_rankmetrics.engine.inputs.sparse import read_sparse
from keras_rankmetrics.types import InputForm

__all__ = ["Lists", "read"]

_READERS = {"scores": read_scores, "sparse": read_sparse, "ids": read_ids}


def read(
    inputs: InputForm, y_true: Any, y_pred: Any, sample_weight: Any, dtype: str
) -> Lists:
    """The lists of a batch.

    Args:
        inputs: the form in which they are passed.
        y_true: what is relevant.
        y_pred: what is ranked.
        sample_weight: None, or the weights.
        dtype: of what is computed from them.
    """
    return _READERS[inputs](y_true, y_pred, sample_weight, dtype)

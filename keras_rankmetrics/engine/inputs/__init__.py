"""From what users pass to checked lists: the only place that sees user input.

There is one reader for each form of input. Every error about the data is raised
here, before any state is touched.
"""

from keras_rankmetrics.engine.inputs.ids import read_ids
from keras_rankmetrics.engine.inputs.lists import (
    IdLists,
    Lists,
    ScoredLists,
    TargetLists,
)
from keras_rankmetrics.engine.inputs.scores import read_scores
from keras_rankmetrics.engine.inputs.sparse import read_sparse

__all__ = [
    "IdLists",
    "Lists",
    "ScoredLists",
    "TargetLists",
    "read_ids",
    "read_scores",
    "read_sparse",
]

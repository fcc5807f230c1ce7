"""What metrics share that look at the same batch, one after the other."""

from keras_rankmetrics.engine.sharing.batch import Batch
from keras_rankmetrics.engine.sharing.company import can_be_computed_by_others
from keras_rankmetrics.engine.sharing.recent import Looker, forget, kept

__all__ = [
    "Batch",
    "Looker",
    "can_be_computed_by_others",
    "forget",
    "kept",
]

"""The metrics, one file per family.

Each measure is a pure function of a ranking, defined above its class. It takes
a `Ranking`, the cutoff `k` (None: all ranks) and its options as keyword
arguments, and returns one value per list. The gains of labels and the order of
tied items are decided by the ranking. What all metrics have in common is
documented on `RankingMetric`.
"""

# ruff: noqa: F403

import typing

from keras_rankmetrics.engine.naming.names import (
    no_attribute as _no_attribute,
)
from keras_rankmetrics.metrics.average_precision import *
from keras_rankmetrics.metrics.comparison import *
from keras_rankmetrics.metrics.coverage import *
from keras_rankmetrics.metrics.fairness import *
from keras_rankmetrics.metrics.found import *
from keras_rankmetrics.metrics.gain import *
from keras_rankmetrics.metrics.incomplete import *
from keras_rankmetrics.metrics.names import suggestion as _suggestion
from keras_rankmetrics.metrics.pairs import *
from keras_rankmetrics.metrics.popularity import *
from keras_rankmetrics.metrics.sampled import *
from keras_rankmetrics.metrics.slices import *
from keras_rankmetrics.metrics.subtopics import *
from keras_rankmetrics.metrics.user_models import *

# Type checkers export star imports by themselves. With a computed `__all__`,
# mypy would not.
if not typing.TYPE_CHECKING:
    __all__ = sorted(
        (name for name, value in vars().items() if isinstance(value, type)),
        key=lambda name: (not name.isupper(), name),
    )

    def __getattr__(name):
        """Raise an error that names the metric the user probably means."""
        raise _no_attribute(__name__, name, _suggestion(name, __all__))
